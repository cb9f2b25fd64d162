//! Rigid motions with velocities, and the motion of one body relative to another.

use glam::{DMat3, DQuat, DVec3};

/// Pose and velocity of a body in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Rotation from body axes to world axes.
    pub rotation: DMat3,
    /// The body's origin, metres.
    pub origin_m: DVec3,
    /// Velocity of the origin, metres per second.
    pub velocity_m_s: DVec3,
    /// Angular velocity in world axes, radians per second.
    pub spin_rad_s: DVec3,
}

impl Moving {
    /// Creates the pose of a body at rest.
    pub fn at_rest(rotation: DMat3, origin_m: DVec3) -> Self {
        Self { rotation, origin_m, velocity_m_s: DVec3::ZERO, spin_rad_s: DVec3::ZERO }
    }
}

/// A motion with constant velocity of the origin and constant angular velocity, both in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Rotation from body axes to world axes at time 0.
    pub rotation: DMat3,
    /// The origin at time 0, metres.
    pub origin_m: DVec3,
    /// Velocity of the origin, metres per second.
    pub velocity_m_s: DVec3,
    /// Angular velocity, radians per second.
    pub spin_rad_s: DVec3,
}

impl Motion {
    /// Creates the motion of a body at rest, with the axes of the world.
    pub fn still(origin_m: DVec3) -> Self {
        Self { rotation: DMat3::IDENTITY, origin_m, velocity_m_s: DVec3::ZERO, spin_rad_s: DVec3::ZERO }
    }

    /// Creates the motion of a body whose axes are those of the world at time 0.
    pub fn new(origin_m: DVec3, velocity_m_s: DVec3, spin_rad_s: DVec3) -> Self {
        Self { rotation: DMat3::IDENTITY, origin_m, velocity_m_s, spin_rad_s }
    }

    /// Returns the pose and velocity at a time.
    pub fn at(&self, t_s: f64) -> Moving {
        Moving {
            rotation: DMat3::from_quat(DQuat::from_scaled_axis(self.spin_rad_s * t_s)) * self.rotation,
            origin_m: self.origin_m + self.velocity_m_s * t_s,
            velocity_m_s: self.velocity_m_s,
            spin_rad_s: self.spin_rad_s,
        }
    }
}

/// Body B as seen from body A, in the axes of A. Distances depend only on this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relative {
    /// Rotation from the axes of B to the axes of A.
    pub rotation: DMat3,
    /// Vector from the origin of A to that of B, metres.
    pub offset_m: DVec3,
    /// Its rate of change as seen from A, metres per second.
    pub drift_m_s: DVec3,
    /// Angular velocity of B relative to A, radians per second.
    pub spin_rad_s: DVec3,
}

impl Relative {
    /// Computes the relative motion from the poses and velocities of both bodies.
    pub fn between(a: &Moving, b: &Moving) -> Self {
        let to_a = a.rotation.transpose();
        let offset_m = to_a * (b.origin_m - a.origin_m);
        Self {
            rotation: to_a * b.rotation,
            offset_m,
            drift_m_s: to_a * (b.velocity_m_s - a.velocity_m_s) - (to_a * a.spin_rad_s).cross(offset_m),
            spin_rad_s: to_a * (b.spin_rad_s - a.spin_rad_s),
        }
    }
}
