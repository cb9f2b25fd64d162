//! The path of a joint as keys of a glTF animation.
//!
//! In a straight motion a joint turns at a constant rate about a fixed axis and its origin moves at a constant
//! velocity. Between keys, glTF also turns at a constant rate about a fixed axis (by the smaller angle) and moves at a
//! constant velocity. Therefore the animation **is** the motion, up to single precision, if every step turns by less
//! than half a turn.

use firstcontact::arith::trig::sin_cos_product;
use firstcontact::error::{Error, Result};
use firstcontact::robot::JointMotion;
use glam::DQuat;
use std::f64::consts::FRAC_PI_6;

/// The largest turn between keys: far below half a turn, so that viewers that interpolate linearly remain close to the
/// arc.
const STEP_RAD: f64 = FRAC_PI_6;
/// The maximum number of keys of a joint in one motion: about 800 turns.
const MAX_KEYS: usize = 10_000;

/// Keys: values at increasing times. The times of a path begin at 0, seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Way<const N: usize> {
    pub times: Vec<f32>,
    pub values: Vec<[f32; N]>,
}

impl<const N: usize> Way<N> {
    fn new() -> Self {
        Self { times: Vec::new(), values: Vec::new() }
    }

    /// Adds a key; it replaces the last one if both have the same time in single precision.
    fn push(&mut self, time: f64, value: [f32; N]) {
        let time = time as f32;
        if self.times.last().is_some_and(|last| *last >= time) {
            self.values.pop();
        } else {
            self.times.push(time);
        }
        self.values.push(value);
    }

    /// Finishes the keys; two are enough if nothing changes.
    fn finish(mut self) -> Self {
        let n = self.times.len();
        if n > 2 && self.values.windows(2).all(|w| w[0] == w[1]) {
            self.times.drain(1..n - 1);
            self.values.truncate(2);
        }
        self
    }
}

/// Orientations (x, y, z, w) of a joint in consecutive motions; `times` contains the times at their ends, the start
/// first.
///
/// # Errors
/// The joint turns too far to be exported.
pub fn rotations(joints: &[&JointMotion], times: &[f64]) -> Result<Way<4>> {
    let (mut way, mut last) = (Way::new(), DQuat::IDENTITY);
    for (joint, ends) in joints.iter().zip(times.windows(2)) {
        let n = (joint.w_rad.abs() / STEP_RAD).ceil().max(1.0);
        if n > MAX_KEYS as f64 {
            let message = format!("a joint turns by {} radians, too far for an animation", joint.w_rad);
            return Err(Error::usage(message).remedy("show a shorter motion"));
        }
        for k in usize::from(!way.times.is_empty())..=n as usize {
            let t = k as f64 / n;
            let turned = orientation(joint, t);
            // A quaternion and its negative are the same orientation; the one closer to the previous key is used.
            last = if last.dot(turned) < 0.0 { -turned } else { turned };
            way.push(ends[0] - times[0] + (ends[1] - ends[0]) * t, last.as_quat().normalize().to_array());
        }
    }
    Ok(way.finish())
}

/// Positions of a joint's origin, metres; arguments as of [`rotations`].
pub fn positions(joints: &[&JointMotion], times: &[f64]) -> Way<3> {
    let mut way = Way::new();
    joints.iter().take(1).for_each(|joint| way.push(0.0, ends_of(joint)[0]));
    joints.iter().zip(&times[1..]).for_each(|(joint, end)| way.push(end - times[0], ends_of(joint)[1]));
    way.finish()
}

/// The orientation of a joint at time `t`.
pub fn orientation(joint: &JointMotion, t: f64) -> DQuat {
    let (sin, cos) = sin_cos_product(joint.w_rad, t);
    DQuat::from_mat3(&(joint.a * cos + joint.b * sin + joint.c)).normalize()
}

/// Positions of a joint's origin at the start and at the end, metres.
pub fn ends_of(joint: &JointMotion) -> [[f32; 3]; 2] {
    [joint.origin_m, joint.origin_m + joint.slide_m].map(|v| v.as_vec3().to_array())
}
