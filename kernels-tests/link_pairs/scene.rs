//! Obstacles as a scene, and as links on fixed joints of the robot's base: the same contacts.

use super::answers::{Answer, differences, tally};
use super::case::{Case, srdf};
use super::mechanism::{Mechanism, obj};
use crate::effort;
use crate::harness::models::Draw;
use crate::oracle::mesh::Triangle;
use crate::oracle::placements::MotionBatch;
use glam::{DAffine3, DVec3};
use std::fmt::Write as _;

const OBSTACLES: [&str; 3] = ["table", "lamp", "wall"];

/// An arm of three links on a base without shape.
fn arm(draw: &mut Draw) -> Mechanism {
    let mut arm = Mechanism::default().link("base", vec![]);
    let mut above = "base".to_owned();
    for k in 0..3 {
        let (link, joint) = (format!("link{k}"), format!("joint{k}"));
        arm = arm.link(&link, (0..6).map(|_| draw.triangle(DVec3::ZERO, 0.12)).collect());
        let place = DAffine3 { matrix3: draw.rotation(), translation: 0.3 * draw.direction() };
        let axis = draw.direction();
        arm = arm.joint((&joint, "continuous"), (&above, &link), place, axis);
        above = link;
    }
    arm
}

/// The arm with the obstacles as links of the base, before or after its own links. The links of the arm are not tested
/// against each other.
fn with_links(arm: &Mechanism, obstacles: &[Vec<Triangle>], first: bool) -> Case {
    let mut robot = Mechanism::default();
    for (name, triangles) in OBSTACLES.iter().zip(obstacles) {
        robot = robot.link(name, triangles.clone());
        robot = robot.joint((&format!("to {name}"), "fixed"), ("base", name), DVec3::ZERO, DVec3::X);
    }
    let links = arm.links.iter().cloned();
    robot.links =
        if first { robot.links.into_iter().chain(links).collect() } else { links.chain(robot.links).collect() };
    robot.joints.extend(arm.joints.iter().cloned());
    let case = Case::new(&robot).all_pairs_but(&[["link0", "link1"], ["link0", "link2"], ["link1", "link2"]]);
    assert_eq!(case.sampler.pairs.len(), 9);
    case.desk.put("pairs.srdf", srdf(&case.sampler));
    case
}

/// The obstacles as objects of one file.
fn scene(obstacles: &[Vec<Triangle>]) -> String {
    let (mut text, mut corners) = (String::new(), 0);
    for (name, triangles) in OBSTACLES.iter().zip(obstacles) {
        // Faces of a group count from the file's first vertex.
        let group = obj(triangles);
        let (vertices, faces) = group.split_at(group.find('f').unwrap());
        writeln!(text, "{vertices}o {name}").unwrap();
        for line in faces.lines() {
            let moved = line[2..].split(' ').map(|k| (k.parse::<usize>().unwrap() + corners).to_string());
            writeln!(text, "f {}", moved.collect::<Vec<_>>().join(" ")).unwrap();
        }
        corners += 3 * triangles.len();
    }
    text
}

/// Compares the answers with a scene to those with links. With obstacles first in the file, `a` is the obstacle.
fn compare(with_scene: &[Answer], with_links: &[Answer], first: bool) {
    assert_eq!(differences(with_scene, with_links, 1e-9), [""; 0]);
    for (x, y) in with_scene.iter().zip(with_links).filter_map(|(x, y)| Some((x.contact()?, y.contact()?))) {
        assert_eq!(x.initial_overlap, y.initial_overlap);
        let (Some(p), Some(q)) = (&x.place, &y.place) else { continue };
        let (a, b, normal) = if first { (&q.b, &q.a, -q.normal) } else { (&q.a, &q.b, q.normal) };
        if x.certified && y.certified {
            // Several pairs may touch at the start. The first in the order of the file is another one if the obstacles
            // come first.
            if !(first && x.initial_overlap) {
                assert_eq!([&p.a.name, &p.b.name], [&a.name, &b.name]);
            }
            if (p.a.triangle, p.b.triangle) == (a.triangle, b.triangle) && !x.initial_overlap {
                assert!(p.point.distance(q.point) < 1e-7, "{p:?} {q:?}");
                let same_features = (&p.a.feature, &p.b.feature) == (&a.feature, &b.feature);
                assert!(!same_features || p.normal.distance(normal) < 1e-6, "{p:?} {q:?}");
            }
        }
    }
}

#[test]
fn obstacles_as_a_scene_and_as_links() {
    let mut sum = [0; 3];
    for seed in 0..effort(10, 150) as u64 {
        let mut draw = Draw::new(900 + seed);
        let arm = arm(&mut draw);
        let obstacles: Vec<Vec<Triangle>> = (0..3)
            .map(|_| {
                let about = 0.7 * draw.direction();
                (0..8).map(|_| draw.triangle(about, 0.15)).collect()
            })
            .collect();
        let motions: MotionBatch = (0..40)
            .map(|_| {
                let start = [0.0; 3].map(|_| draw.between(-1.0, 1.0));
                (start.to_vec(), start.map(|q| q + draw.between(-2.0, 2.0)).to_vec())
            })
            .collect();
        let alone = Case::new(&arm);
        alone.desk.put("obstacles.obj", scene(&obstacles));
        let alone = alone.with_scene("obstacles.obj");
        for margin in ["0", "0.01"] {
            let expected = alone.answers(&motions, &["--self-collision", "off", "--margin", margin]);
            for first in [false, true] {
                let links = with_links(&arm, &obstacles, first);
                let more = ["--srdf", "pairs.srdf", "--margin", margin];
                let found = if margin == "0" { links.judged(&motions, &more) } else { links.answers(&motions, &more) };
                compare(&expected, &found, first);
            }
            tally(&expected).iter().zip(&mut sum).for_each(|(n, sum)| *sum += n);
        }
    }
    println!("{sum:?} free, touching, undecided");
    assert!(sum[0] > 50 && sum[1] > 50);
}
