//! Pose bounds as balls of displacements (Schröcker and Weber): all that is kept of a sub-interval is the pose in its middle and
//! how far the body strays from it in the metric of its masses.
//!
//! The masses are six of one unit each, where the axes of the body's frame leave the ball of radius `l`, [`INFLATION`] times the body's
//! size. For `δ(e) = x + P e` they make `‖δ‖² = 6 |x|² + 2 l² ‖P‖²` (Frobenius), and `|δ(e)| <= ‖δ‖ ρ(e)` with
//! `ρ²(e) = 1/6 + |e|²/(2 l²)`, hence `ρ(e) <= 1/√6 + |e|/(√2 l)`, which has the form of every other bound's ball.
//!
//! With pose, velocity `v` and acceleration `a` in the middle, as computed, the body is at most `R = h ‖v‖ + h²/2 ‖a‖` from the pose, but
//! for what a [`PoseJet`]'s own ball holds: the remainder, and what rounds. So `R ρ(e)` and that ball together hold the motion. The
//! bound is of first order in `h` where jets are of third; what it is for is comparison.
//!
//! **Rounding.** All terms are positive. The norm's square has at most thirteen roundings above a term (weights among them), its
//! root half of these and one more; then follow at most six. `ROUNDINGS` units cover them, the constants' own and those of the
//! last product. What underflows in the squares is in the absolute term below the root.

use crate::numeric::linear::{M3, V3};
use crate::numeric::pose_bound::TaylorModel;
use crate::numeric::pose_jet::PoseJet;
use crate::numeric::real::Divide;

/// By this factor the masses are farther out than the body reaches.
pub const INFLATION: f64 = 2.0;
/// Units that cover the roundings of the radius.
const ROUNDINGS: f64 = 32.0;
/// 1/√6 and 1/√2.
const ROOTS: [f64; 2] = [0.408_248_290_463_863, std::f64::consts::FRAC_1_SQRT_2];

/// `R ρ(e)` as `[constant, factor of |e|]`, metres: how far a body of a size strays within `h` from its pose in the middle, but for the ball
/// of the jet.
#[inline(always)]
pub fn travel<T: Divide>(jet: &PoseJet<T>, size_m: f64, h: f64) -> [T; 2] {
    let l = INFLATION * size_m;
    let (six, turning) = (T::new(6.0), T::new(2.0 * l * l));
    let norm = |x: &V3<T>, p: &M3<T>| {
        let mut sum = T::new(0.0);
        for row in &p.0 {
            for entry in row {
                sum = sum + *entry * *entry;
            }
        }
        (six * x.dot(*x) + turning * sum + T::new(T::UNDERFLOW)).sqrt()
    };
    let first = norm(&jet.x[1], &jet.p[1]) * T::new(h);
    let second = norm(&jet.x[2], &jet.p[2]) * T::new(0.5 * h * h);
    let radius = (first + second) * T::new(1.0 + ROUNDINGS * T::UNIT);
    [radius * T::new(ROOTS[0]), radius * T::new(ROOTS[1] / l)]
}

/// A Taylor model reduced to order 0: everything but the pose moves into the ball.
#[inline(always)]
pub fn toleranced<T: Divide>(bound: &TaylorModel<T>, size_m: f64, h: f64) -> TaylorModel<T> {
    let stray = travel(&bound.jet, size_m, h);
    let more = T::new(1.0 + ROUNDINGS * T::UNIT);
    TaylorModel {
        jet: PoseJet { x: [bound.jet.x[0], V3::zero(), V3::zero()], p: [bound.jet.p[0], M3::zero(), M3::zero()] },
        ball: [(bound.ball[0] + stray[0]) * more, (bound.ball[1] + stray[1]) * more],
    }
}
