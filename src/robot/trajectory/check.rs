//! Checks of trajectories against a robot.

use super::Trajectory;
use crate::arith::trig::MAX_ANGLE_RAD;
use crate::error::{Error, Result, quoted};
use crate::robot::motion_check::{check_lengths, check_quaternion};
use crate::robot::{BeyondLimits, Body, Drive, JointKind, Robot, SEE_COLUMNS};

impl Trajectory {
    /// Checks that the trajectory fits the robot: the number of columns, joint angles and their range of at most
    /// [`MAX_ANGLE_RAD`], positions of at most [`MAX_COORDINATE_M`](crate::scene::world::MAX_COORDINATE_M), and free
    /// joints that move straight between quaternions of norm 1 (within 1e-6). For a curve the Bernstein coefficients
    /// are checked, since its values are between them.
    ///
    /// # Errors
    /// The trajectory does not fit the robot; the message contains the segment and the joint.
    pub fn check(&self, robot: &Robot) -> Result<()> {
        if self.n_columns() != robot.columns.len() {
            let message = format!("{} columns where the robot has {}", self.n_columns(), robot.columns.len());
            return Err(Error::input(message).remedy(SEE_COLUMNS));
        }
        if self.n_segments() == 0 {
            return Err(Error::usage("a trajectory needs a segment"));
        }
        robot.bodies.iter().filter(|body| !self.is_within_range(body)).try_for_each(|body| self.check_joint(body))
    }

    /// Returns whether a joint with one value fits, from the range of its column. Without that, all segments must be
    /// checked.
    fn is_within_range(&self, body: &Body) -> bool {
        let ends = |drive: Drive| self.ranges[drive.column as usize].map(|x| drive.multiplier * x + drive.offset);
        match body.joint.kind {
            JointKind::Fixed => true,
            JointKind::Revolute { drive, .. } => {
                let [a, b] = ends(drive);
                check_angles(a.min(b), a.max(b), String::new).is_ok()
            }
            JointKind::Prismatic { drive, .. } => check_lengths(&ends(drive), String::new).is_ok(),
            JointKind::Free { .. } => false,
        }
    }

    fn check_joint(&self, body: &Body) -> Result<()> {
        let name = || quoted(&body.joint.name);
        let (mut lower, mut upper) = (f64::INFINITY, f64::NEG_INFINITY);
        for segment in 0..self.n_segments() {
            let checked = match body.joint.kind {
                JointKind::Fixed => return Ok(()),
                JointKind::Revolute { drive, .. } => {
                    let values = self.driven(segment, drive);
                    (lower, upper) = values.fold((lower, upper), |(l, u), x| (l.min(x), u.max(x)));
                    check_angles(lower, upper, name)
                }
                JointKind::Prismatic { drive, .. } => {
                    self.driven(segment, drive).try_for_each(|x| check_lengths(&[x], name))
                }
                JointKind::Free { first_column } => self.check_free(segment, first_column as usize, name),
            };
            checked.map_err(|e| e.at(format!("segment {segment}")))?;
        }
        Ok(())
    }

    /// The coefficients of a joint's value in a segment.
    fn driven(&self, segment: usize, drive: Drive) -> impl Iterator<Item = f64> {
        let coefficients = self.coefficients(segment, drive.column as usize).iter();
        coefficients.map(move |b| drive.multiplier * b + drive.offset)
    }

    fn check_free(&self, segment: usize, first: usize, name: impl Fn() -> String + Copy) -> Result<()> {
        let degree = self.degree(segment);
        if degree > 1 {
            let message = format!(
                "joint {} is free and must move straight between points, not along a curve of degree {degree}",
                name()
            );
            return Err(Error::input(message));
        }
        for end in 0..2 {
            let pose: Vec<f64> = (first..first + 7).map(|c| self.coefficients(segment, c)[end]).collect();
            check_quaternion(&pose[3..], name)?;
            check_lengths(&pose[..3], name)?;
        }
        Ok(())
    }
}

fn check_angles(lower: f64, upper: f64, name: impl Fn() -> String) -> Result<()> {
    // A difference that overflows is infinite.
    if lower.abs().max(upper.abs()).max(upper - lower) <= MAX_ANGLE_RAD {
        return Ok(());
    }
    let message = format!("joint {} turns between {lower:?} and {upper:?} rad, beyond {MAX_ANGLE_RAD} (2^20)", name());
    Err(Error::input(message))
}

impl BeyondLimits {
    /// Counts the values at the points of a trajectory with the number `number`. A curve may go beyond limits between
    /// its points; that is not counted.
    pub fn add_trajectory(&mut self, trajectory: &Trajectory, number: usize, robot: &Robot) {
        for point in 0..=trajectory.n_segments() {
            let values = trajectory.waypoint(point);
            self.add_row(&values, robot, || format!("trajectory {number} at point {point}"));
        }
    }
}

#[cfg(test)]
mod tests;
