//! The in-between motion of a joint as keys of a glTF animation.
//!
//! A joint turns at a constant rate about a fixed axis and its origin moves at a constant velocity. Between keys glTF
//! also turns at a constant rate about a fixed axis (by the smaller angle) and moves at a constant velocity: so the
//! animation **is** the motion, up to single precision, if no step turns by half a turn or more.

use firstcontact::arith::trig::sin_cos_product;
use firstcontact::error::{Error, Result};
use firstcontact::robot::JointMotion;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_6;

/// The largest turn between keys: far below half a turn, so that viewers that do not follow the arc are still close to
/// it.
const STEP_RAD: f64 = FRAC_PI_6;
/// The maximum number of keys of a joint: about 800 turns.
const MAX_KEYS: usize = 10_000;

/// Orientations (x, y, z, w) of a joint at equal steps of time, both ends included.
///
/// # Errors
/// The joint turns too far to be exported.
pub fn rotations(joint: &JointMotion) -> Result<Vec<[f32; 4]>> {
    let n = (joint.w_rad.abs() / STEP_RAD).ceil().max(1.0);
    if n > MAX_KEYS as f64 {
        let message = format!("a joint turns by {} radians, too far for an animation", joint.w_rad);
        return Err(Error::usage(message).remedy("show a shorter motion"));
    }
    let mut last = DQuat::IDENTITY;
    let keys = (0..=n as usize).map(|k| {
        let turned = orientation(joint, k as f64 / n);
        // A quaternion and its negative are the same orientation; the one closer to the previous key is used.
        last = if last.dot(turned) < 0.0 { -turned } else { turned };
        last.as_quat().normalize().to_array()
    });
    Ok(keys.collect())
}

/// The orientation of a joint at time `t`.
pub fn orientation(joint: &JointMotion, t: f64) -> DQuat {
    let (sin, cos) = sin_cos_product(joint.w_rad, t);
    DQuat::from_mat3(&(joint.a * cos + joint.b * sin + joint.c)).normalize()
}

/// Positions of a joint's origin at the start and at the end, metres.
pub fn positions(joint: &JointMotion) -> [[f32; 3]; 2] {
    [joint.origin_m, joint.origin_m + joint.slide_m].map(|v: DVec3| v.as_vec3().to_array())
}
