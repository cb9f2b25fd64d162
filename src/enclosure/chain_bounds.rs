//! Bounds along a chain of joints that hold for a whole motion. `pose_bound.rs` derives the remainder and the rounding
//! error.

/// Bounds on the derivatives of any point of a chain's last link during a motion, and the sums in the rounding bound.
/// Computed in f64 from the numbers that define the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChainBounds {
    /// Number of joints.
    pub depth: u32,
    /// Sum of the joints' |w|, radians: `||P^(n)|| <= omega^n`.
    pub omega: f64,
    /// The origin's n-th derivative is at most `beta[n-1]`, metres.
    pub beta: [f64; 3],
    /// Added to the radius of every ball that the culling stages use, metres: smaller distances count as touching.
    pub margin_m: f64,
    /// Added to the radius of every ball, metres: the distance by which the stored motion may differ from the one that
    /// is meant, at the body's origin; zero unless the chain has inverted joints or joints that deviate.
    pub stray_m: f64,
    /// Its growth with the distance from the origin: the sum of the joints' deviations, radians.
    pub stray_slope: f64,
    /// `Σ T_j`: no point of the chain's joints is farther than this from the root's frame, metres.
    pub reach: f64,
    /// `Σ (j-1) T_j`.
    weighted_offsets: f64,
    /// `Σ X_j`.
    running_reach: f64,
}

/// Bound on the difference of a joint's value from that of the stored motion, at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Of its angle, radians.
    pub turn_rad: f64,
    /// Of its offset, metres.
    pub slide_m: f64,
}

/// Factor on every scalar bound: covers its own rounding (fewer than 2^20 operations) and the motion's defect from
/// rigidity (at most 2^-46 per joint).
pub(super) const SCALAR_SLACK: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;

impl ChainBounds {
    /// Appends a joint that turns by `w` radians and whose offset runs from `start` to `start + slide` (lengths: at
    /// either end at most `offset_max`, `|start| + |slide| <= offset_sum`), metres.
    #[must_use]
    pub fn extended(&self, w: f64, offset_max: f64, offset_sum: f64, slide: f64) -> Self {
        let (o, w) = (self.omega, w.abs());
        let reach = self.reach + offset_sum;
        Self {
            depth: self.depth + 1,
            omega: o + w,
            beta: [
                self.beta[0] + o * offset_max + slide,
                self.beta[1] + o * o * offset_max + 2.0 * o * slide,
                self.beta[2] + o * o * o * offset_max + 3.0 * o * o * slide,
            ],
            margin_m: self.margin_m,
            stray_m: self.stray_m,
            stray_slope: self.stray_slope,
            reach,
            weighted_offsets: self.weighted_offsets + f64::from(self.depth) * offset_sum,
            running_reach: self.running_reach + reach,
        }
    }

    /// The bounds if the last joint, whose offset has a length of at most `offset_max`, metres, deviates, after a chain
    /// with the bounds `before`. A difference of an angle by `δ` moves a point by at most `δ` times its distance from
    /// the joint; differences of several joints add, because rotations keep lengths.
    #[must_use]
    pub fn deviating(self, before: &Self, offset_max: f64, by: Deviation) -> Self {
        let stray_m = before.stray_m + before.stray_slope * offset_max + by.slide_m;
        Self { stray_m, stray_slope: before.stray_slope + by.turn_rad, ..self }
    }

    /// Bound on the speed of a point at distance `e_norm` from the link's origin, metres per motion.
    pub fn speed(&self, e_norm: f64) -> f64 {
        (self.beta[0] + self.omega * e_norm) * SCALAR_SLACK
    }

    /// Bound on the acceleration of a point at distance `e_norm` from the link's origin.
    pub fn acceleration(&self, e_norm: f64) -> f64 {
        (self.beta[1] + self.omega * self.omega * e_norm) * SCALAR_SLACK
    }

    /// Taylor remainder over `[m-h, m+h]` as `[constant, factor of |e|]`, metres.
    pub fn remainder(&self, h: f64) -> [f64; 2] {
        let sixth = h * h * h / 6.0 * SCALAR_SLACK;
        [self.beta[2] * sixth, self.omega * self.omega * self.omega * sixth]
    }

    /// Rounding error of a jet computed with operations of relative error `unit` for an interval of half width `h`, as
    /// `[constant, factor of |e|]`, metres. The module's documentation derives it.
    pub fn rounding(&self, h: f64, unit: f64) -> [f64; 2] {
        let x = h * self.omega;
        let d = f64::from(self.depth);
        let (k, l) = if x <= 0.25 { (28.0, 5.0) } else { (43.0, 7.0) };
        let growth = unit * x.exp() * (1.0 + 4.0 * 43.0 * d * unit) * SCALAR_SLACK;
        let own = 3.0 + 1.7321 * l;
        let offsets = k * self.weighted_offsets + own * self.reach + l * self.running_reach + 4.0 * self.reach;
        [growth * offsets, growth * (k * d + 7.5)]
    }

    /// The ball of a jet bound, grown by the margin.
    pub fn grown_ball(&self, h: f64, unit: f64) -> [f64; 2] {
        let [constant, slope] = self.ball(h, unit);
        [(constant + self.margin_m) * SCALAR_SLACK, slope]
    }

    /// Remainder, rounding and stray together: the ball of a jet bound.
    pub fn ball(&self, h: f64, unit: f64) -> [f64; 2] {
        let (r, e) = (self.remainder(h), self.rounding(h, unit));
        let [constant, slope] = [r[0] + e[0] + self.stray_m, r[1] + e[1] + self.stray_slope];
        [constant * SCALAR_SLACK, slope * SCALAR_SLACK]
    }
}
