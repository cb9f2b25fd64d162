//! Allowed-collision matrices: bounds, queries and classes against closed forms, brute force and dense sampling, with
//! the plain kinematics of `Robot::body_poses` and the triangle tests of the oracles.

mod bounds;
mod planar;
mod proofs;
mod queries;
mod random_robots;
mod real_robots;

use firstcontact::acm::{Class, ClassifiedPair, Options, Pose, classify};
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, Triangle};
use glam::{DAffine3, DMat3, DVec3};
use std::time::Duration;

/// A robot whose root carries no joint.
fn root() -> Robot {
    Robot::new("robot", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap()
}

/// Adds a joint with a column of its own, and returns its body.
fn turning(robot: &mut Robot, parent: u32, origin_m: DVec3, limits: Option<[f64; 2]>) -> u32 {
    let name = format!("j{}", robot.bodies.len());
    let drive = Drive::direct(robot.add_column(&name, ColumnKind::AngleRad, limits));
    driven(robot, parent, origin_m, JointKind::Revolute { axis: DVec3::Z, drive })
}

fn driven(robot: &mut Robot, parent: u32, origin_m: DVec3, kind: JointKind) -> u32 {
    let n = robot.bodies.len();
    let joint = Joint { name: format!("j{n}"), orientation: DMat3::IDENTITY, origin_m, kind };
    robot.add_body(format!("body{n}"), Some(parent), joint).unwrap()
}

fn add_link(robot: &mut Robot, name: &str, body: u32, triangles: Vec<Triangle>) {
    robot.add_link(name, body, triangles, vec![0]).unwrap();
}

/// The class of the pair of links 0 and `other`.
fn class_of(robot: &Robot, other: u32, margin_m: f64) -> ClassifiedPair {
    let options = Options { margin_m, samples: 300, budget: Duration::from_secs(20), ..Options::default() };
    let zero = Pose { name: "zero".into(), values: vec![None; robot.columns.len()] };
    let pairs = classify(robot, &[zero], &options, &|| ()).unwrap();
    pairs.into_iter().find(|pair| pair.links == [0, other]).unwrap()
}

/// Values of all columns: those of a witness, and zero.
fn values(robot: &Robot, pair: &ClassifiedPair) -> Vec<f64> {
    let mut q = robot.zero_configuration();
    pair.witness.iter().for_each(|&(column, x)| q[column as usize] = x);
    q
}

/// The triangles of a link in the world.
fn placed(robot: &Robot, poses: &[DAffine3], link: u32) -> Vec<Triangle> {
    let link = &robot.links[link as usize];
    let pose = poses[link.body as usize];
    link.triangles.iter().map(|t| t.map(|v| pose.transform_point3(v))).collect()
}

/// Asserts the class, and that a pair that touches has a witness within the limits.
#[track_caller]
fn expect(robot: &Robot, pair: &ClassifiedPair, class: Class) {
    assert_eq!(pair.class, class, "{pair:?}");
    if class == Class::Sometimes {
        assert!(!pair.witness.is_empty());
        for &(column, x) in &pair.witness {
            let limits = robot.columns[column as usize].limits;
            assert!(limits.is_none_or(|[lower, upper]| (lower..=upper).contains(&x)), "{pair:?}");
        }
    }
}
