//! Guesses of the time at which a pair touches; these are not proofs.

use super::pair::Pair;
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised};
use crate::predicate::nearest::nearest;
use crate::robot::RobotMotion;

/// Step size, as a fraction of the interval, after which Newton's method ends: the remaining error is about the square
/// of it.
const ENOUGH: f64 = 1e-5;
/// Maximum number of Newton steps for a guess.
const MAX_STEPS: usize = 6;

/// A pair whose contact is guessed. Computes with single numbers, and with all instructions that the processor
/// supports.
#[derive(Clone, Copy, Debug)]
pub struct Guess<'a> {
    /// The motion.
    pub motion: &'a RobotMotion,
    /// The pair.
    pub pair: &'a Pair,
    /// The earliest time considered.
    pub from: f64,
    /// The latest time considered.
    pub until: f64,
    /// The distance that counts as contact, metres.
    pub margin_m: f64,
}

impl Vectorised for Guess<'_> {
    type Output = Option<f64>;

    /// Newton's method on the distance of the nearest features, starting at the earliest time, at which they are apart;
    /// `None` if it diverges, or leads beyond the latest time.
    #[inline(always)]
    fn run<T: Vector>(self) -> Option<f64> {
        let Self { motion, pair, from, until, margin_m } = self;
        let (mut t, mut normal) = (from, V3::zero());
        for _ in 0..MAX_STEPS {
            let [x, v] = places(motion, pair, t);
            let near = nearest(&x, &pair.tri.y);
            let length = near.apart.dot(near.apart).sqrt();
            if !(length > 0.0) {
                return None;
            }
            // After the contact the nearest points have changed sides, so the distance counts as negative.
            let distance = if normal.dot(near.apart) < 0.0 { -length } else { length };
            normal = near.apart.times(1.0 / distance);
            let [a, b, c] = near.shares;
            let approach = -normal.dot(v[0].times(a) + v[1].times(b) + v[2].times(c));
            let step = (distance - margin_m) / approach;
            if !(approach > 0.0) || t + step > until || t + step < from {
                return None;
            }
            t += step;
            if step.abs() <= ENOUGH * (until - from) {
                break;
            }
        }
        Some(t)
    }
}

/// Positions and velocities of the link's vertices: from the body to the root, joint by joint.
#[inline(always)]
fn places(motion: &RobotMotion, pair: &Pair, t: f64) -> [[V3<f64>; 3]; 2] {
    let (mut x, mut v) = (pair.e, [V3::zero(); 3]);
    let mut next = Some(pair.body);
    while let Some(body) = next {
        let pose = motion.joint_jet::<f64, 1>(body as usize, t);
        for k in 0..3 {
            v[k] = pose.x[1] + (pose.p[1].apply(x[k]) + pose.p[0].apply(v[k]));
            x[k] = pose.x[0] + pose.p[0].apply(x[k]);
        }
        next = motion.parents[body as usize];
    }
    [x, v]
}
