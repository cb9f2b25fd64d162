//! The true motion, to a few units of f64, directly from the definition.

use firstcontact::robot::RobotMotion;
use glam::{DMat3, DVec3};

/// The position of a point of a body at a time: `cos(w t) A + sin(w t) B + C` and `origin + t slide`, body after body.
pub fn position(motion: &RobotMotion, body: u32, e: DVec3, t: f64) -> DVec3 {
    let (mut at, mut p) = (Some(body), e);
    while let Some(b) = at {
        let j = &motion.joints[b as usize];
        let (sin, cos) = (j.w_rad * t).sin_cos();
        let turn: DMat3 = j.a * cos + j.b * sin + j.c;
        p = turn * p + j.origin_m + j.slide_m * t;
        at = motion.parents[b as usize];
    }
    p
}
