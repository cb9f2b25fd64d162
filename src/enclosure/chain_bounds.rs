//! Bounds along a chain of joints that hold for a whole motion. `pose_bound.rs` derives the remainder and the rounding
//! error.

use super::derivative_bounds::DerivativeBounds;
use crate::arith::real::Real;

/// Bounds on the derivatives of any point of a chain's last link during a motion, and the sums in the rounding bound.
/// Computed in f64 from the numbers that define the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChainBounds {
    /// Number of joints.
    pub depth: u32,
    /// Largest degree of a joint's phase.
    pub degree: u32,
    /// Bounds on the derivatives; those of the joints' angles after the first are zero for in-between motions.
    pub derivatives: DerivativeBounds<f64>,
    /// Bounds on the third derivatives of the origin, metres, and of the orientation.
    pub third: [f64; 2],
    /// The margin, which is added to the radius of every ball that the culling stages use, metres: smaller distances
    /// count as touching.
    pub margin_m: f64,
    /// The stray, which is added to the radius of every ball, metres: the distance by which the stored motion may
    /// differ from the intended one, at the body's origin; zero unless the chain has inverted joints or joints that
    /// deviate.
    pub stray_m: f64,
    /// Growth of the stray with the distance from the origin: the sum of the joints' deviations, radians.
    pub stray_slope: f64,
    /// `Σ T_j`: no point of the chain's joints is farther than this from the root's frame, metres.
    pub reach_m: f64,
    /// `Σ (j-1) T_j`.
    weighted_offsets: f64,
    /// `Σ X_j`.
    running_reach_m: f64,
}

/// Bounds on the motion of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointBounds {
    /// Bounds on the first three derivatives of its angle, radians.
    pub turn_rad: [f64; 3],
    /// Length of its offset at any time, metres.
    pub offset_max_m: f64,
    /// Lengths of the offset and its derivatives, the n-th times `rⁿ/n!`, summed, metres; `r` is 9/16 of the motion,
    /// the longest reach of a block of sub-intervals.
    pub offset_sum_m: f64,
    /// Lengths of the first three derivatives of the offset, metres.
    pub slide_m: [f64; 3],
    /// Degree of its phase.
    pub degree: u32,
}

/// Bound on the difference of a joint's value from that of the stored motion, at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Bound for its angle, radians.
    pub turn_rad: f64,
    /// Bound for its offset, metres.
    pub slide_m: f64,
}

/// An upper bound on the exponential function, for `x >= 0`: `e^x <= 1 + x + x²` up to 1.79. It is not monotone.
#[inline(always)]
fn exp_above(x: f64) -> f64 {
    if x <= 1.5 { 1.0 + x + x * x } else { x.exp() }
}

/// Factor on every scalar bound: covers its own rounding (fewer than 2^20 operations) and the motion's defect from
/// rigidity (at most 2^-46 per joint).
pub(super) const SCALAR_SLACK: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;

impl ChainBounds {
    /// Appends a joint.
    #[must_use]
    pub fn extended(&self, joint: &JointBounds) -> Self {
        let derivatives = self.derivatives.extended(joint.turn_rad, joint.slide_m, joint.offset_max_m);
        let reach_m = self.reach_m + joint.offset_sum_m;
        Self {
            depth: self.depth + 1,
            degree: self.degree.max(joint.degree),
            derivatives,
            third: derivatives.third(),
            margin_m: self.margin_m,
            stray_m: self.stray_m,
            stray_slope: self.stray_slope,
            reach_m,
            weighted_offsets: self.weighted_offsets + f64::from(self.depth) * joint.offset_sum_m,
            running_reach_m: self.running_reach_m + reach_m,
        }
    }

    /// Adds a deviation of the last joint to the bounds. Its offset has a length of at most `offset_max`, metres, and
    /// `before` are the bounds of the chain without it. A difference of an angle by `δ` moves a point by at most `δ`
    /// times its distance from the joint; differences of several joints add, because rotations keep lengths.
    #[must_use]
    pub fn deviating(self, before: &Self, offset_max: f64, by: Deviation) -> Self {
        let stray_m = before.stray_m + before.stray_slope * offset_max + by.slide_m;
        Self { stray_m, stray_slope: before.stray_slope + by.turn_rad, ..self }
    }

    /// The constant rate, radians, that gives the same bound on the third derivative as the largest derivatives of the
    /// joints together; it determines the length of sub-intervals.
    pub fn pace_rad(&self) -> f64 {
        let [w1, w2, w3] = self.derivatives.omega;
        if [w2, w3] == [0.0; 2] { w1 } else { w1.max(self.derivatives.turns()[2].cbrt()) }
    }

    /// `X` of the rounding bound for an interval of half width `h`.
    #[inline]
    pub fn turn_within(&self, h: f64) -> f64 {
        h * self.derivatives.omega[0] + 0.75 * h * h * self.derivatives.omega[1]
    }

    /// Bound on the speed of a point at distance `e_norm` from the link's origin, metres per motion.
    pub fn speed(&self, e_norm: f64) -> f64 {
        (self.derivatives.beta[0] + self.derivatives.omega[0] * e_norm) * SCALAR_SLACK
    }

    /// Bound on the acceleration of a point at distance `e_norm` from the link's origin.
    pub fn acceleration(&self, e_norm: f64) -> f64 {
        (self.derivatives.beta[1] + self.derivatives.turns()[1] * e_norm) * SCALAR_SLACK
    }

    /// Bound on the distance that a point moves within the time `h`, as `[constant, factor of |e|]`, metres. No point
    /// moves farther than to the other side of the root.
    pub fn travel(&self, h: f64) -> [f64; 2] {
        let [origin_m, turn_rad] = [self.derivatives.beta[0], self.derivatives.omega[0]].map(|speed| speed * h);
        [origin_m.min(2.0 * self.reach_m) * SCALAR_SLACK, turn_rad.min(2.0) * SCALAR_SLACK]
    }

    /// Taylor remainder over `[m-h, m+h]` as `[constant, factor of |e|]`, metres.
    pub fn remainder(&self, h: f64) -> [f64; 2] {
        let sixth = h * h * h / 6.0 * SCALAR_SLACK;
        [self.third[0] * sixth, self.third[1] * sixth]
    }

    /// Rounding error of a jet computed with operations of relative error `unit` for an interval of half width `h`, as
    /// `[constant, factor of |e|]`, metres. The module's documentation derives it.
    pub fn rounding(&self, h: f64, unit: f64) -> [f64; 2] {
        let x = self.turn_within(h);
        let d = f64::from(self.depth);
        let (mut k, mut l) = if x <= 0.25 { (28.0, 5.0) } else { (43.0, 7.0) };
        let mut of_offsets = 3.0;
        if self.degree > 1 {
            let n = f64::from(self.degree);
            (k, l, of_offsets) = (k + 7.0 * n + 14.0, l + 1.0, of_offsets + 4.0 * n + 7.0);
        }
        let growth = unit * exp_above(x) * (1.0 + 4.0 * k.max(43.0) * d * unit) * SCALAR_SLACK;
        let own = of_offsets + 1.7321 * l;
        let offsets = k * self.weighted_offsets + own * self.reach_m + l * self.running_reach_m + 4.0 * self.reach_m;
        [growth * offsets, growth * (k * d + 7.5)]
    }

    /// The ball of a jet bound, enlarged by the margin.
    pub fn grown_ball(&self, h: f64, unit: f64) -> [f64; 2] {
        let [constant, slope] = self.ball(h, unit);
        [(constant + self.margin_m) * SCALAR_SLACK, slope]
    }

    /// The same for intervals of several half widths, the largest last.
    pub fn grown_balls<const N: usize>(&self, half_widths: &[f64; N], unit: f64) -> [[f64; 2]; N] {
        let mut balls = [[0.0; 2]; N];
        if unit > f64::UNIT {
            for (ball, h) in balls.iter_mut().zip(half_widths) {
                *ball = self.grown_ball(*h, unit);
            }
            return balls;
        }
        // The rounding of f64 is far below the remainder: that of the widest interval bounds the others, since it is at
        // least its formula with the exponential function, which is monotone.
        let e = self.rounding(half_widths[N - 1], unit);
        for (ball, h) in balls.iter_mut().zip(half_widths) {
            let [constant, slope] = self.with_stray(self.remainder(*h), e);
            *ball = [(constant + self.margin_m) * SCALAR_SLACK, slope];
        }
        balls
    }

    /// The ball of an interval matrix that contains the stored motion, for times within `h` of those for which it does:
    /// travel, margin and stray.
    pub fn matrix_ball(&self, h: f64) -> [f64; 2] {
        let [constant, slope] = self.travel(h);
        [(constant + self.margin_m + self.stray_m) * SCALAR_SLACK, (slope + self.stray_slope) * SCALAR_SLACK]
    }

    /// Remainder, rounding and stray together: the ball of a jet bound.
    pub fn ball(&self, h: f64, unit: f64) -> [f64; 2] {
        self.with_stray(self.remainder(h), self.rounding(h, unit))
    }

    fn with_stray(&self, r: [f64; 2], e: [f64; 2]) -> [f64; 2] {
        let [constant, slope] = [r[0] + e[0] + self.stray_m, r[1] + e[1] + self.stray_slope];
        [constant * SCALAR_SLACK, slope * SCALAR_SLACK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_on_the_exponential_function_holds() {
        for k in 0..=40_000 {
            let x = f64::from(k) / 10_000.0;
            assert!(exp_above(x) >= x.exp() && exp_above(x) <= 1.11 * x.exp(), "{x}");
        }
    }

    /// With the exponential function itself in the bound on the rounding.
    #[test]
    fn balls_of_several_widths_are_bounds() {
        let joint = JointBounds {
            turn_rad: [2.0, 0.5, 0.25],
            offset_max_m: 0.5,
            offset_sum_m: 0.7,
            slide_m: [0.125, 0.0, 0.0],
            degree: 1,
        };
        let chain = (0..6).fold(ChainBounds::default(), |chain, _| chain.extended(&joint));
        let widths = [1.0 / 64.0, 1.0 / 32.0, 1.0 / 16.0, 9.0 / 32.0, 9.0 / 16.0];
        let all = chain.grown_balls(&widths, f64::UNIT);
        for (h, ball) in widths.into_iter().zip(all) {
            let x = chain.turn_within(h);
            let rounding = chain.rounding(h, f64::UNIT).map(|e| e * x.exp() / exp_above(x));
            for (ball, (r, e)) in ball.into_iter().zip(chain.remainder(h).into_iter().zip(rounding)) {
                assert!(ball >= r + e && ball <= 1.001 * r + 1e-9, "{h}: {ball:e} for {r:e} and {e:e}");
            }
            // Where the remainder is zero, the rounding is seen.
            let still = ChainBounds { third: [0.0; 2], ..chain }.grown_balls(&widths, f64::UNIT);
            assert!(still.into_iter().all(|ball| ball[0] >= rounding[0] && ball[1] >= rounding[1]), "{h}");
        }
    }
}
