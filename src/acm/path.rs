//! The joints between two links, as functions of the columns that drive them.
//!
//! The pose of link `b` in the frame of link `a` is a product `C_0 M_1(v_1) C_1 … M_m(v_m) C_m` of constant
//! placements and of joints that turn about, or slide along, one axis. Joints from `a` up to the common ancestor are
//! inverted: their value is negated, and the inverse of their placement follows. Joints above the common ancestor do
//! not appear.
//!
//! **Ranges.** The values of a column with limits remain within them. If all joints that the column drives on the path
//! turn by integer multiples of it, one turn is a period of the pose, and one turn of a longer range, or of a column
//! without limits, is sufficient.
//!
//! **Rounding.** Poses are products of up to `m + 1` rigid transformations in f64. The stored orientations differ from
//! rotations by at most 2⁻⁴⁶, and each product, sine and cosine rounds by a few units, so the error of a point
//! within `reach` of all joints is less than `2⁻⁴⁰ (m + 2) reach`. This is 64 times the sum of these errors, so
//! that it also covers the pose that the engine computes for the same values, and the rounding of a gap, which is
//! relative to the same reach.

use crate::arith::trig::MAX_ANGLE_RAD;
use crate::robot::free_region::MAX_LOWER_RAD;
use crate::robot::{ColumnKind, Drive, JointKind, RegionColumn, Robot, rotation};
use glam::{DAffine3, DVec3};
use std::f64::consts::PI;

/// Bound on the rounding of a point's position, relative to the path's reach and its number of joints.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// The joints between two links.
#[derive(Clone, Debug)]
pub struct Path {
    joints: Vec<PathJoint>,
    /// Placement of `b` after the last joint.
    end: DAffine3,
    /// The columns that drive the joints, ascending.
    pub columns: Vec<PathColumn>,
    /// Upper bound on the error of a point's position in the frame of `a`, metres.
    pub error_m: f64,
}

/// A column that drives joints of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathColumn {
    /// Its index in the robot.
    pub column: u32,
    /// Lowest and highest value to consider.
    pub range: [f64; 2],
    /// True if the range is one turn, and values outside of it give the same poses.
    pub is_periodic: bool,
    /// Upper bound on the rounding of a driven joint's value, per unit of the joint's multiplier.
    slack: f64,
}

#[derive(Clone, Copy, Debug)]
struct PathJoint {
    /// Constant placement before the joint.
    before: DAffine3,
    axis: DVec3,
    slides: bool,
    /// Index of the column in the path's list.
    column: usize,
    multiplier: f64,
    offset: f64,
}

/// A joint at one configuration, in the frame of `a`.
#[derive(Clone, Copy, Debug)]
pub struct JointAt {
    /// Unit vector.
    pub axis: DVec3,
    /// A point on the axis, metres.
    pub point: DVec3,
    /// True for a prismatic joint, false for a revolute one.
    pub slides: bool,
    /// Index of the column in the path's list.
    pub column: usize,
    /// Absolute change of the joint's value per unit of the column.
    pub rate: f64,
    /// Upper bound on the rounding of the joint's value.
    pub slack: f64,
}

/// The path at one configuration.
#[derive(Clone, Debug)]
pub struct PathAt {
    /// The pose of `b` in the frame of `a`.
    pub pose: DAffine3,
    /// The joints from `a` to `b`.
    pub joints: Vec<JointAt>,
}

impl Path {
    /// The path between two bodies whose links extend up to the given distances from the origins of their bodies,
    /// metres.
    ///
    /// # Errors
    /// The reason why the joints' values have no suitable range: a free joint, a prismatic joint without limits, or a
    /// revolute one without limits that a prismatic joint mimics, or another joint with a multiplier that is not an
    /// integer; or an angle of more than [`MAX_ANGLE_RAD`].
    pub fn new(robot: &Robot, [a, b]: [u32; 2], reach_m: [f64; 2]) -> Result<Self, String> {
        let (up, down) = (ancestors(robot, a), ancestors(robot, b));
        let shared = up.iter().rev().zip(down.iter().rev()).take_while(|(x, y)| x == y).count();
        let mut path = Self { joints: Vec::new(), end: DAffine3::IDENTITY, columns: Vec::new(), error_m: 0.0 };
        for &body in &up[..up.len() - shared] {
            let placement = placement(robot, body);
            path.add_joint(robot, body, -1.0)?;
            path.end *= placement.inverse();
        }
        for &body in down[..down.len() - shared].iter().rev() {
            path.end *= placement(robot, body);
            path.add_joint(robot, body, 1.0)?;
        }
        path.set_ranges(robot)?;
        let lengths = path.joints.iter().map(|j| j.before.translation.length()).sum::<f64>();
        let slides = path.joints.iter().filter(|j| j.slides).map(|j| path.largest(j)).sum::<f64>();
        let reach_m = lengths + path.end.translation.length() + slides + reach_m[0] + reach_m[1];
        path.error_m = ROUNDING * (path.joints.len() + 2) as f64 * reach_m;
        Ok(path)
    }

    /// Appends the motion of a body's joint, or of its inverse, after the placement so far.
    fn add_joint(&mut self, robot: &Robot, body: u32, sign: f64) -> Result<(), String> {
        let joint = &robot.bodies[body as usize].joint;
        let (axis, drive, slides): (DVec3, Drive, bool) = match joint.kind {
            JointKind::Fixed => return Ok(()),
            JointKind::Revolute { axis, drive } => (axis, drive, false),
            JointKind::Prismatic { axis, drive } => (axis, drive, true),
            JointKind::Free { .. } => return Err(format!("joint {} is free", joint.name)),
        };
        let column = self.columns.iter().position(|c| c.column == drive.column).unwrap_or_else(|| {
            let new = PathColumn { column: drive.column, range: [0.0; 2], is_periodic: false, slack: 0.0 };
            self.columns.push(new);
            self.columns.len() - 1
        });
        let before = std::mem::replace(&mut self.end, DAffine3::IDENTITY);
        let (multiplier, offset) = (sign * drive.multiplier, sign * drive.offset);
        self.joints.push(PathJoint { before, axis, slides, column, multiplier, offset });
        Ok(())
    }

    /// Sets the ranges of the columns.
    fn set_ranges(&mut self, robot: &Robot) -> Result<(), String> {
        for i in 0..self.columns.len() {
            let column = &robot.columns[self.columns[i].column as usize];
            let mut driven = self.joints.iter().filter(|joint| joint.column == i);
            let repeats = column.kind == ColumnKind::AngleRad
                && driven.all(|joint| !joint.slides && joint.multiplier.fract() == 0.0);
            // Slightly more than a turn, despite rounding.
            let turn = 2.0 * PI * (1.0 + 1e-12);
            let (range, is_periodic) = match column.limits {
                Some([lower, upper]) if repeats && upper - lower > turn => match lower.abs() <= MAX_LOWER_RAD {
                    true => ([lower, lower + turn], true),
                    false => ([-0.5 * turn, 0.5 * turn], true),
                },
                Some(limits) => (limits, false),
                None if repeats => ([-0.5 * turn, 0.5 * turn], true),
                None if column.kind == ColumnKind::AngleRad => {
                    return Err(format!(
                        "joint {} has no limits, and a joint that follows it slides or has a multiplier that is not a \
                         whole number",
                        column.name
                    ));
                }
                None => return Err(format!("joint {} has no limits", column.name)),
            };
            if !(range[0].is_finite() && range[1].is_finite() && range[0] <= range[1]) {
                return Err(format!(
                    "the limits of joint {} are not finite, or the lower one is above the upper one",
                    column.name
                ));
            }
            let column = self.columns[i].column;
            let slack = RegionColumn { column, range, is_periodic }.slack();
            self.columns[i] = PathColumn { range, is_periodic, slack, column };
        }
        if let Some(joint) = self.joints.iter().find(|joint| !joint.slides && self.largest(joint) > MAX_ANGLE_RAD) {
            let column = &robot.columns[self.columns[joint.column].column as usize];
            return Err(format!("joint {}, or one that follows it, may turn by more than 2^20 radians", column.name));
        }
        Ok(())
    }

    /// The largest absolute value of a joint.
    fn largest(&self, joint: &PathJoint) -> f64 {
        let ends = self.columns[joint.column].range.map(|x| (joint.multiplier * x + joint.offset).abs());
        ends[0].max(ends[1])
    }

    /// The path for values of its columns.
    pub fn at(&self, q: &[f64]) -> PathAt {
        let mut pose = DAffine3::IDENTITY;
        let joints = self.joints.iter().map(|joint| {
            pose *= joint.before;
            let (axis, point) = (pose.matrix3 * joint.axis, pose.translation);
            pose *= joint.moved(q);
            let rate = joint.multiplier.abs();
            let slack = self.columns[joint.column].slack * (1.0 + rate) + ROUNDING * joint.offset.abs();
            JointAt { axis, point, slides: joint.slides, column: joint.column, rate, slack }
        });
        let joints = joints.collect();
        PathAt { pose: pose * self.end, joints }
    }

    /// The pose of `b` in the frame of `a`.
    pub fn pose(&self, q: &[f64]) -> DAffine3 {
        let pose = |pose, joint: &PathJoint| pose * joint.before * joint.moved(q);
        self.joints.iter().fold(DAffine3::IDENTITY, pose) * self.end
    }
}

impl PathJoint {
    /// The motion of the joint for values of the path's columns.
    fn moved(&self, q: &[f64]) -> DAffine3 {
        let value = self.multiplier * q[self.column] + self.offset;
        match self.slides {
            true => DAffine3::from_translation(self.axis * value),
            false => DAffine3::from_mat3(rotation(self.axis, value)),
        }
    }
}

/// A body and its ancestors, upwards.
fn ancestors(robot: &Robot, body: u32) -> Vec<u32> {
    std::iter::successors(Some(body), |&b| robot.bodies[b as usize].parent).collect()
}

/// The placement of a body's joint in its parent.
fn placement(robot: &Robot, body: u32) -> DAffine3 {
    let joint = &robot.bodies[body as usize].joint;
    DAffine3::from_mat3_translation(joint.orientation, joint.origin_m)
}
