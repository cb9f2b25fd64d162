//! Poses of a robot's bodies for given values of the columns, in plain f64.
//!
//! For scenes, pictures and tests. The engine's guarantees do not depend on these poses, but on the bounds on motions.

use crate::error::{Error, Result};
use crate::robot::{ColumnKind, Joint, JointKind, Robot};
use glam::{DAffine3, DMat3, DQuat, DVec3};

impl Robot {
    /// Returns the configuration in which every joint is at 0 and every free joint at the identity.
    pub fn zero_configuration(&self) -> Vec<f64> {
        self.columns.iter().map(|c| if c.kind == ColumnKind::Free(6) { 1.0 } else { 0.0 }).collect()
    }

    /// The pose of each body in the world for values `q` of the columns (radians, metres).
    ///
    /// # Errors
    /// The length of `q` is not the number of columns.
    pub fn body_poses(&self, q: &[f64]) -> Result<Vec<DAffine3>> {
        if q.len() != self.columns.len() {
            return Err(Error::usage(format!("{} values for {} columns", q.len(), self.columns.len())));
        }
        let mut poses: Vec<DAffine3> = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let parent = body.parent.and_then(|p| poses.get(p as usize)).copied().unwrap_or(DAffine3::IDENTITY);
            let placement = DAffine3::from_mat3_translation(body.joint.orientation, body.joint.origin_m);
            poses.push(parent * placement * moved(&body.joint, q));
        }
        Ok(poses)
    }
}

/// The motion of a joint in its own frame.
fn moved(joint: &Joint, q: &[f64]) -> DAffine3 {
    match joint.kind {
        JointKind::Fixed => DAffine3::IDENTITY,
        JointKind::Revolute { axis, drive } => DAffine3::from_mat3(DMat3::from_axis_angle(axis, drive.value(q))),
        JointKind::Prismatic { axis, drive } => DAffine3::from_translation(axis * drive.value(q)),
        JointKind::Free { first_column } => {
            let own = &q[first_column as usize..];
            let turned = DQuat::from_xyzw(own[3], own[4], own[5], own[6]).normalize();
            DAffine3::from_rotation_translation(turned, DVec3::new(own[0], own[1], own[2]))
        }
    }
}
