//! Robots of the data collection: witnesses by plain kinematics, and pairs that are reported to stay apart in random
//! configurations.

use super::random_robots::{Robots, configuration};
use super::{placed, values};
use crate::oracle::data;
use crate::oracle::triangles::{closest, pierce};
use firstcontact::acm::{Class, ClassifiedPair, Options, Pose, classify};
use firstcontact::formats::urdf::UrdfOptions;
use firstcontact::robot::{Robot, Triangle};
use glam::{DAffine3, DVec3};
use std::time::Duration;

fn read(folder: &str, file: &str) -> Option<Robot> {
    let path = data::folder(folder)?.join(file);
    let options = UrdfOptions { package_paths: vec![data::root()?], ..UrdfOptions::default() };
    Some(Robot::from_urdf_with(path, &options).unwrap_or_else(|e| panic!("{e}")))
}

fn classified(robot: &Robot) -> Vec<ClassifiedPair> {
    let options = Options { samples: 500, budget: Duration::from_secs(5), ..Options::default() };
    let zero = Pose { name: "zero".into(), values: vec![None; robot.columns.len()] };
    classify(robot, &[zero], &options, &|| ()).unwrap()
}

/// The smallest distance of two links if it is below a limit; zero if triangles certainly pierce each other.
fn distance(robot: &Robot, poses: &[DAffine3], links: [u32; 2], limit_m: f64) -> f64 {
    let [a, b] = links.map(|l| placed(robot, poses, l));
    let range = |t: &[Triangle]| {
        let corners = || t.iter().flatten().copied();
        [corners().fold(DVec3::INFINITY, DVec3::min), corners().fold(DVec3::NEG_INFINITY, DVec3::max)]
    };
    let apart = |[lo, hi]: [DVec3; 2], [other_lo, other_hi]: [DVec3; 2]| {
        (lo - other_hi).max(other_lo - hi).max_element() > limit_m
    };
    let whole = range(&b);
    let mut least = limit_m;
    for x in a.iter().filter(|x| !apart(range(&[**x]), whole)) {
        for y in b.iter().filter(|y| !apart(range(&[*x]), range(&[**y]))) {
            let (p, q) = closest(x, y);
            least = if pierce(x, y) { 0.0 } else { least.min(p.distance(q)) };
            if least == 0.0 {
                return least;
            }
        }
    }
    least
}

#[test]
fn witnesses_touch_and_proved_pairs_do_not() {
    for (folder, file) in [("robot-ur5", "ur5_robot.urdf"), ("robot-panda", "panda.urdf")] {
        let Some(robot) = read(folder, file) else { return };
        let pairs = classified(&robot);
        for pair in pairs.iter().filter(|pair| pair.class == Class::Sometimes) {
            let poses = robot.body_poses(&values(&robot, pair)).unwrap();
            assert!(distance(&robot, &poses, pair.links, 1e-3) < 1e-9, "{pair:?}");
        }
        let mut robots = Robots::new(41);
        for _ in 0..crate::effort(100, 2000) {
            let poses = robot.body_poses(&configuration(&mut robots, &robot)).unwrap();
            for pair in pairs.iter().filter(|pair| pair.class == Class::Never) {
                assert!(distance(&robot, &poses, pair.links, 1e-3) > 0.0, "{pair:?}");
            }
        }
        assert!(pairs.iter().filter(|pair| pair.class == Class::Never).count() >= 2);
    }
}

/// The Panda's own SRDF disables link5 against link7. In about one configuration of twenty they touch.
#[test]
fn link5_and_link7_of_the_panda_can_touch() {
    let Some(robot) = read("robot-panda", "panda.urdf") else { return };
    let link = |name: &str| robot.links.iter().position(|l| l.name == name).unwrap() as u32;
    let links = [link("panda_link5"), link("panda_link7")];
    let mut robots = Robots::new(42);
    let n = crate::effort(400, 10_000);
    let touches = |q: &Vec<f64>| distance(&robot, &robot.body_poses(q).unwrap(), links, 1e-3) == 0.0;
    let touching = (0..n).filter(|_| touches(&configuration(&mut robots, &robot))).count();
    assert!((0.03..0.09).contains(&(touching as f64 / n as f64)), "{touching} of {n}");
    let pairs = classified(&robot);
    let pair = pairs.iter().find(|pair| pair.links == links).unwrap();
    assert!(matches!(pair.class, Class::Default | Class::Sometimes), "{pair:?}");
    let poses = robot.body_poses(&values(&robot, pair)).unwrap();
    assert_eq!(distance(&robot, &poses, links, 1e-3), 0.0, "{pair:?}");
}
