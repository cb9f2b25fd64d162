//! Robots for the tests of the readers, and functions that read test files.

use crate::error::Result;
use crate::formats::{MissingJoints, MotionOptions};
use crate::robot::{ColumnKind, Drive, Joint, JointKind, MotionBatch, Robot};
use glam::{DMat3, DVec3};

/// A robot with a limited angle, a slide, a free joint, and a joint that follows the angle a thousandfold.
pub fn robot() -> Robot {
    let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let turn = robot.add_column("turn", ColumnKind::AngleRad, Some([-1.0, 2.0]));
    let slide = robot.add_column("slide", ColumnKind::LengthM, None);
    for (i, part) in ["x", "y", "z", "qx", "qy", "qz", "qw"].iter().enumerate() {
        robot.add_column(format!("free.{part}"), ColumnKind::Free(i as u8), None);
    }
    let axis = DVec3::Z;
    let mut add = |name: &str, kind| {
        let joint = Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        robot.add_body(name, Some(0), joint).unwrap();
    };
    add("turn", JointKind::Revolute { axis, drive: Drive::direct(turn) });
    add("follower", JointKind::Revolute { axis, drive: Drive { column: turn, multiplier: 1000.0, offset: 0.5 } });
    add("slide", JointKind::Prismatic { axis, drive: Drive::direct(slide) });
    add("free", JointKind::Free { first_column: 2 });
    robot
}

/// The robot's columns at 0, the free joint at the identity.
pub const STILL: [f64; 9] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// A robot of two slides.
pub fn slides() -> Robot {
    let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    for name in ["a", "b"] {
        let drive = Drive::direct(robot.add_column(name, ColumnKind::LengthM, None));
        let kind = JointKind::Prismatic { axis: DVec3::X, drive };
        let joint = Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        robot.add_body(name, Some(0), joint).unwrap();
    }
    robot
}

/// Reads a file of [`robot`]'s motions; missing joints are 0.
pub fn load(name: &str, content: &[u8]) -> Result<MotionBatch> {
    load_of(&robot(), name, content, &MotionOptions::default().with_missing_joints(MissingJoints::Zero))
}

/// Reads a file of a robot's motions.
pub fn load_of(robot: &Robot, name: &str, content: &[u8], options: &MotionOptions) -> Result<MotionBatch> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    MotionBatch::load(path, robot, options)
}
