//! Pose bounds as balls of displacements (Schröcker and Weber). For each sub-interval only the pose at its middle is
//! kept, with a bound on the body's deviation from it in the metric of its masses.
//!
//! There are six masses of one unit each, at the points where the axes of the body's frame intersect the sphere of
//! radius `l`, [`INFLATION`] times the body's size. For `δ(e) = x + P e` they give `‖δ‖² = 6 |x|² + 2 l² ‖P‖²`
//! (Frobenius), and `|δ(e)| <= ‖δ‖ ρ(e)` with `ρ²(e) = 1/6 + |e|²/(2 l²)`, hence `ρ(e) <= 1/√6 + |e|/(√2 l)`, which has
//! the form of every other bound's ball.
//!
//! With pose, velocity `v` and acceleration `a` at the middle, as computed, the body is at most `R = h ‖v‖ + h²/2 ‖a‖`
//! from the pose, apart from the terms in a [`PoseJet`]'s own ball: the remainder and the rounding. So `R ρ(e)` and
//! that ball together enclose the motion. The bound is of first order in `h`, whereas jets are of third order; it
//! serves for comparison.
//!
//! **Rounding.** All terms are positive. The norm's square has at most thirteen roundings above a term (weights among
//! them), its root half of these and one more; at most six follow. `ROUNDINGS` units cover them, together with those of
//! the constants and of the last product. Underflow in the squares is covered by the absolute term below the root.

use crate::arith::linear::{M3, V3};
use crate::arith::real::FullReal;
use crate::enclosure::pose_bound::TaylorModel;
use crate::enclosure::pose_jet::PoseJet;

/// Ratio of the distance of the masses from the origin to the body's size.
pub const INFLATION: f64 = 2.0;
/// Units that cover the roundings of the radius.
const ROUNDINGS: f64 = 32.0;
/// 1/√6 and 1/√2.
const ROOTS: [f64; 2] = [0.408_248_290_463_863, std::f64::consts::FRAC_1_SQRT_2];

/// `R ρ(e)` as `[constant, factor of |e|]`, metres: a bound on the deviation of a body of this size within `h` from its
/// pose at the middle, apart from the ball of the jet.
#[inline(always)]
pub fn travel<T: FullReal>(jet: &PoseJet<T>, size_m: f64, h: f64) -> [T; 2] {
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

/// A Taylor model reduced to order 0: everything except the pose moves into the ball.
#[inline(always)]
pub fn toleranced<T: FullReal>(bound: &TaylorModel<T>, size_m: f64, h: f64) -> TaylorModel<T> {
    let stray = travel(&bound.jet, size_m, h);
    let more = T::new(1.0 + ROUNDINGS * T::UNIT);
    TaylorModel {
        jet: PoseJet { x: [bound.jet.x[0], V3::zero(), V3::zero()], p: [bound.jet.p[0], M3::zero(), M3::zero()] },
        ball: [(bound.ball[0] + stray[0]) * more, (bound.ball[1] + stray[1]) * more],
    }
}
