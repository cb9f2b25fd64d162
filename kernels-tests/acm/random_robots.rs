//! Random small robots against dense sampling.

use super::{add_link, driven, placed, values};
use crate::oracle::exact::{intersect, triangle};
use crate::oracle::triangles::{closest, pierce};
use firstcontact::acm::{Class, Options, classify};
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, Triangle};
use glam::{DMat3, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::time::Duration;

/// A source of random robots.
pub struct Robots(Pcg64);

impl Robots {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.0.random_range(0..n)
    }

    pub fn within(&mut self, [lo, hi]: [f64; 2]) -> f64 {
        lo + (hi - lo) * self.0.random::<f64>()
    }

    pub fn vector(&mut self) -> [f64; 3] {
        [(); 3].map(|()| self.within([-1.0, 1.0]))
    }

    /// A tree of three to six bodies with joints of all kinds but free ones, without links.
    pub fn robot(&mut self) -> Robot {
        let mut robot = super::root();
        for n in 1..3 + self.below(4) {
            let parent = if self.below(3) == 0 { self.below(n) } else { n - 1 };
            let axis = DVec3::from_array(self.vector()).normalize();
            let kind = match self.below(6) {
                0 => JointKind::Fixed,
                1 => JointKind::Prismatic { axis, drive: self.drive(&mut robot, ColumnKind::LengthM) },
                _ => JointKind::Revolute { axis, drive: self.drive(&mut robot, ColumnKind::AngleRad) },
            };
            let orientation =
                DMat3::from_axis_angle(DVec3::from_array(self.vector()).normalize(), self.within([-3.0, 3.0]));
            let origin_m = DVec3::from_array(self.vector()) * 0.4;
            let joint = Joint { name: format!("j{n}"), orientation, origin_m, kind };
            robot.add_body(format!("body{n}"), Some(parent), joint).unwrap();
        }
        robot
    }

    /// A column of its own, or that of another joint of the same kind.
    fn drive(&mut self, robot: &mut Robot, kind: ColumnKind) -> Drive {
        let master = (0..robot.columns.len() as u32).find(|&c| robot.columns[c as usize].kind == kind);
        match master.filter(|_| self.below(3) == 0) {
            Some(column) => Drive { column, multiplier: self.within([-2.5, 2.5]), offset: self.within([-1.0, 1.0]) },
            None => {
                let lower = self.within([-1.5, 0.5]);
                let limits = [lower, lower + self.within([0.0, 2.5])];
                Drive::direct(robot.add_column(format!("c{}", robot.columns.len()), kind, Some(limits)))
            }
        }
    }

    /// A small closed link: a tetrahedron.
    fn tetrahedron(&mut self, size: f64) -> Vec<Triangle> {
        let [a, b, c, d] = [(); 4].map(|()| DVec3::from_array(self.vector()) * size);
        vec![[a, b, c], [a, c, d], [a, d, b], [b, d, c]]
    }
}

/// Values of all columns within their limits.
pub fn configuration(robots: &mut Robots, robot: &Robot) -> Vec<f64> {
    robot.columns.iter().map(|c| robots.within(c.limits.unwrap_or([-3.0, 3.0]))).collect()
}

/// Returns whether two links touch, without rounding in the test of triangles, and their distance.
fn contact(robot: &Robot, links: [u32; 2], q: &[f64]) -> (bool, f64) {
    let poses = robot.body_poses(q).unwrap();
    let [a, b] = links.map(|l| placed(robot, &poses, l));
    let pairs = || a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    let distance = |(x, y): (&Triangle, &Triangle)| {
        let (p, q) = closest(x, y);
        if pierce(x, y) { 0.0 } else { p.distance(q) }
    };
    let distance_m = pairs().map(distance).fold(f64::INFINITY, f64::min);
    // The exact test is slow, and decides only what is near.
    let touches = distance_m < 1e-6 && pairs().any(|(x, y)| intersect(&triangle(x), &triangle(y)));
    (touches, distance_m)
}

/// A pair called never touches in no sample, a pair called always in all, and a witness touches.
#[test]
fn classes_agree_with_dense_sampling() {
    let mut robots = Robots::new(31);
    let mut counts = std::collections::BTreeMap::new();
    for i in 0..crate::effort(90, 1500) {
        let mut robot = robots.robot();
        for body in 0..robot.bodies.len() as u32 {
            let size = [0.1, 0.25, 0.5][robots.below(3) as usize];
            let link = robots.tetrahedron(size);
            add_link(&mut robot, &format!("link{body}"), body, link);
        }
        let margin_m = [0.0, 0.02][i % 2];
        // Few samples, so that the search finds what they miss.
        let options = Options { margin_m, samples: 20, budget: Duration::from_millis(300), seed: 1 };
        let pairs = classify(&robot, &[], &options, &|| ()).unwrap();
        let tried: Vec<_> = (0..crate::effort(150, 1000)).map(|_| configuration(&mut robots, &robot)).collect();
        for pair in &pairs {
            *counts.entry(pair.class).or_insert(0) += 1;
            let touches = |q: &Vec<f64>| {
                let (touches, distance_m) = contact(&robot, pair.links, q);
                touches || distance_m <= margin_m + 1e-12 && margin_m > 0.0
            };
            match pair.class {
                Class::Never => assert!(!tried.iter().any(touches), "{pair:?}"),
                // Whatever the margin: such a pair is left out by checks with any margin.
                Class::Always => assert!(tried.iter().all(|q| contact(&robot, pair.links, q).0), "{pair:?}"),
                Class::Sometimes => assert!(touches(&values(&robot, pair)), "{pair:?}"),
                _ => {}
            }
        }
    }
    for (class, least) in [(Class::Never, 20), (Class::Sometimes, 50), (Class::Adjacent, 50)] {
        assert!(counts.get(&class).is_some_and(|&n| n >= least), "{counts:?}");
    }
}

/// Joints that both links share do not affect the class, in whatever direction they move.
#[test]
fn shared_joints_do_not_affect_the_class() {
    let mut robot = super::root();
    let stem = super::turning(&mut robot, 0, DVec3::ZERO, None);
    let travel = robot.add_column("travel", ColumnKind::LengthM, Some([-1e5, 1e5]));
    let slide = JointKind::Prismatic { axis: DVec3::X, drive: Drive::direct(travel) };
    let carriage = driven(&mut robot, stem, DVec3::ZERO, slide);
    let left = super::turning(&mut robot, carriage, DVec3::Y, Some([-0.1, 0.1]));
    let right = super::turning(&mut robot, carriage, -DVec3::Y, Some([-0.1, 0.1]));
    let plate = |y: f64| vec![[DVec3::new(-1.0, y, 0.0), DVec3::new(1.0, y, 0.0), DVec3::new(0.0, y, 1.0)]];
    add_link(&mut robot, "left", left, plate(-0.85));
    add_link(&mut robot, "right", right, plate(0.85));
    // Plates 0.3 m apart whose ends come nearer by 0.1 m each, with a little for the turn.
    let reach = 2.0 * (0.1f64.sin() + 0.85 * (1.0 - 0.1f64.cos()));
    assert!(reach < 0.3);
    let pair = super::class_of(&robot, 1, 0.0);
    assert_eq!((pair.class, pair.columns.len()), (Class::Never, 2), "{pair:?}");
}
