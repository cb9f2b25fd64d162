//! Bounds on the pose of a link over a short time interval.
//!
//! Over `[m-h, m+h]` a point `e` of a link moves inside
//!
//! ```text
//! p(m+τ)  ∈  Σ_{n<3} (x_n + P_n e) τⁿ/n!  +  Ball(ρ(e) + E(e))
//! ```
//!
//! where `x_n, P_n` are the derivatives of the link's pose at the middle time (the *pose jet*), `ρ` is the Taylor
//! remainder and `E` the rounding error of the jet. This is the jet form of Redon et al. 2004, section 4.1; the paper's
//! own form, products of interval matrices, fits the same structure with a box instead of the ball and no derivatives.
//!
//! **Remainder.** With constant joint rates `|p'''| <= B3(e) = β3 + Ω³|e|` for every time of the motion, `Ω` the sum of
//! the chain's `|w|` and `β3` summed along the chain ([`ChainBounds`]), because differentiating a rotation of rate `w`
//! multiplies by `|w|` at most and the offsets are linear in time (Leibniz). `ρ = B3 h³/6` (Taylor).
//!
//! **Rounding.** Let `u = UNIT`, `X = hΩ`, weigh an error of the n-th derivative with `hⁿ/n!`, and let `d` joints stand
//! in the chain, `T_j = |c_j| + |s_j|` a bound on the offset of joint j and `X_j = Σ_{k<=j} T_k`.
//! - *Joint matrices.* `P_n` of one joint is a sum of three products with two or three factors. Uploads to `T` (half a
//!   unit per factor), roundings (at most four) and the sine's own error (2.75 units of f64) make
//!   `||dP_n||_F <= 16 u |w|ⁿ`.
//! - *Products.* An entry of `Σ C(n,k) P^(k) Q^(n-k)` is a sum of `3(n+1)` products, so at most `3n+3` roundings stand
//!   above each term in whatever order it is summed; in Frobenius norm the terms sum to at most `3 (Ω_new)ⁿ`. Weighted:
//!   `9 (1 + 2X + 3X²/2) u`, which is at most `11.2 e^X u` for `X <= 1/4` and `27 e^X u` always.
//! - Errors already there grow by `Σ xⁿ/n! <= e^x`, `x = h|w_j|`: rotations have spectral norm 1.
//!
//!   Together `|||dP||| <= K d u e^X` with `K = 28` (`X <= 1/4`) or `43`.
//! - *Origins.* `x_n += Σ C(n,k) P^(k) T^(n-k)`: at most 4, 7, 7 roundings (n = 0, 1, 2) above terms that sum to
//!   `√3 T_j + X_j`; weighted `(4 + 7X + 7X²/2) <= L e^X` with `L = 5` or `7`; `dT_j <= 3 u T_j`; and the parent's `|||dP|||`
//!   acts on `T_j`. Sum over the chain: `u e^X Σ_j [(K (j-1) + 3 + √3 L) T_j + L X_j]`.
//! - *Point.* `x_n + P_n e`: four roundings on `X_d + √3 |e|`, half a unit for the upload of `e`.
//!
//! ```text
//! E(e) = u e^X { Σ_j [(K (j-1) + 3 + √3 L) T_j + L X_j] + 4 X_d + (K d + 7.5) |e| }
//! ```
//!
//! Second-order terms are below `2 K d u` of that; the final factor covers them, the stored motion's defect from
//! rigidity and the rounding of these scalars. No step depends on the order of summation or on fusion.

use super::interval::{Interval, IntervalPose};
use super::lanes::Lanes;
use super::linear::{M3, V3};
use super::real::Real;
use super::vectors::{Vector, part, part3};

/// The numbers that define the motion of one joint (Redon et al. 2004, eq. 2–4), in the arithmetic of the bound:
/// `P(t) = cos(w t) A + sin(w t) B + C`, `T(t) = origin + t slide`, in the parent's frame.
#[derive(Clone, Copy, Debug)]
pub struct JointFactors<T> {
    /// `A = R - u uᵀ R`.
    pub a: M3<T>,
    /// `B = u* R`.
    pub b: M3<T>,
    /// `C = u uᵀ R`.
    pub c: M3<T>,
    /// Position at `t = 0`, metres.
    pub origin: V3<T>,
    /// Displacement over the motion, metres.
    pub slide: V3<T>,
    /// Angle over the motion, radians.
    pub w: T,
}

/// Pose, velocity and acceleration of a frame in another at one time: `x[n]`, `p[n]` are the n-th time derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoseJet<T> {
    /// Derivatives of the origin.
    pub x: [V3<T>; 3],
    /// Derivatives of the orientation.
    pub p: [M3<T>; 3],
}

impl<T: Real> JointFactors<T> {
    /// The jet of the joint's motion at a time with the given sine and cosine of `w t`.
    #[inline(always)]
    pub fn jet(&self, sin: T, cos: T, t: T) -> PoseJet<T> {
        self.jet_to::<2>(sin, cos, t)
    }

    /// The same up to the derivative of that order.
    #[inline(always)]
    pub fn jet_to<const ORDER: usize>(&self, sin: T, cos: T, t: T) -> PoseJet<T> {
        let ww = self.w * self.w;
        let (mut x, mut p) = ([V3::zero(); 3], [M3::zero(); 3]);
        if ORDER >= 1 {
            x[1] = self.slide;
        }
        for i in 0..3 {
            x[0].0[i] = self.origin.0[i] + t * self.slide.0[i];
            for j in 0..3 {
                let turning = cos * self.a.0[i][j] + sin * self.b.0[i][j];
                p[0].0[i][j] = turning + self.c.0[i][j];
                if ORDER >= 1 {
                    p[1].0[i][j] = self.w * (cos * self.b.0[i][j] - sin * self.a.0[i][j]);
                }
                if ORDER >= 2 {
                    p[2].0[i][j] = -(ww * turning);
                }
            }
        }
        PoseJet { x, p }
    }
}

impl<T: Real> JointFactors<T> {
    /// Bounds on the joint's pose over `[t0, t1]`, given the ranges of the sine and cosine of `w t` there.
    #[inline(always)]
    pub fn intervals(&self, sin: Interval<T>, cos: Interval<T>, time: Interval<T>) -> IntervalPose<T> {
        let around = Interval::around;
        IntervalPose {
            p: std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    cos * around(self.a.0[i][j]) + sin * around(self.b.0[i][j]) + around(self.c.0[i][j])
                })
            }),
            t: std::array::from_fn(|i| around(self.origin.0[i]) + time * around(self.slide.0[i])),
        }
    }
}

impl<T: Real> JointFactors<T> {
    /// Bounds on the derivative of the joint's pose, from the ranges of the sine and cosine of `w t`.
    #[inline(always)]
    pub fn interval_rates(&self, sin: Interval<T>, cos: Interval<T>) -> IntervalPose<T> {
        let around = Interval::around;
        IntervalPose {
            p: std::array::from_fn(|i| {
                std::array::from_fn(|j| around(self.w) * (cos * around(self.b.0[i][j]) - sin * around(self.a.0[i][j])))
            }),
            t: std::array::from_fn(|i| around(self.slide.0[i])),
        }
    }
}

impl<T: Real> PoseJet<T> {
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { x: [V3::zero(), V3::zero(), V3::zero()], p: [M3::zero(), M3::zero(), M3::zero()] }
    }

    /// The jet of a child in the world from its parent's in the world (`self`) and its own in the parent (Leibniz).
    #[inline(always)]
    pub fn concatenate(&self, child: &Self) -> Self {
        self.concatenate_to::<2>(child)
    }

    /// The same up to the derivative of that order.
    #[inline(always)]
    pub fn concatenate_to<const ORDER: usize>(&self, child: &Self) -> Self {
        let ([p0, p1, p2], [q0, q1, q2]) = (&self.p, &child.p);
        let ([t0, t1, _], two) = (child.x, T::new(2.0));
        let (mut x, mut p) = ([V3::zero(); 3], [p0.product(q0), M3::zero(), M3::zero()]);
        x[0] = self.x[0] + p0.apply(t0);
        if ORDER >= 1 {
            p[1] = p1.product(q0);
            x[1] = self.x[1] + (p1.apply(t0) + p0.apply(t1));
        }
        if ORDER >= 2 {
            p[2] = p2.product(q0);
            x[2] = self.x[2] + (p2.apply(t0) + p1.apply(t1).times(two));
        }
        for i in 0..3 {
            for j in 0..3 {
                let sum = |m: &M3<T>, a: &M3<T>| m.0[i][0] * a.0[0][j] + m.0[i][1] * a.0[1][j] + m.0[i][2] * a.0[2][j];
                if ORDER >= 1 {
                    p[1].0[i][j] = p[1].0[i][j] + sum(p0, q1);
                }
                if ORDER >= 2 {
                    let (second, middle) = (sum(p0, q2), sum(p1, q1));
                    p[2].0[i][j] = (p[2].0[i][j] + second) + two * middle;
                }
            }
        }
        Self { x, p }
    }
}

/// What a pose bound consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundForm {
    /// Pose, velocity, acceleration and a ball.
    #[default]
    Jet,
    /// Middle of an interval matrix in `x[0], p[0]`, its half widths in `x[1], p[1]`, no derivatives.
    Interval,
    /// A pose and a ball of displacements about it: a jet without derivatives, read as one.
    Toleranced,
}

impl BoundForm {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Jet, Self::Interval, Self::Toleranced];

    /// The name that the command line has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jet => "jet",
            Self::Interval => "interval",
            Self::Toleranced => "toleranced",
        }
    }
}

/// A bound on the pose of one link over `[m-h, m+h]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoseBound<T> {
    /// How `jet` and `ball` are to be read.
    pub form: BoundForm,
    /// The pose jet, or the interval matrix.
    pub jet: PoseJet<T>,
    /// Radius of the ball for the point `e`: `ball[0] + ball[1] |e|`, metres.
    pub ball: [T; 2],
}

impl<T: Real> PoseBound<T> {
    /// The bound that interval matrices give (the paper's form).
    pub fn from_intervals(m: &IntervalPose<T>) -> Self {
        let pair = |i: usize, j: usize| m.p[i][j].mid_radius();
        let jet = PoseJet {
            x: [V3::from_fn(|i| m.t[i].mid_radius().0), V3::from_fn(|i| m.t[i].mid_radius().1), V3::zero()],
            p: [M3::from_fn(|i, j| pair(i, j).0), M3::from_fn(|i, j| pair(i, j).1), M3::zero()],
        };
        Self { form: BoundForm::Interval, jet, ball: [T::new(0.0); 2] }
    }

    /// The bound on the path of the point `e` of the link, whose distance from the link's origin is at most `e_norm`.
    #[inline(always)]
    pub fn point(&self, e: V3<T>, e_norm: T) -> PointBound<T> {
        let PoseJet { x, p } = &self.jet;
        let ball = self.ball[0] + self.ball[1] * e_norm;
        match self.form {
            BoundForm::Jet | BoundForm::Toleranced => PointBound {
                c: [x[0] + p[0].apply(e), x[1] + p[1].apply(e), x[2] + p[2].apply(e)],
                ball,
                cube: V3::zero(),
            },
            BoundForm::Interval => {
                let size = x[0].abs() + p[0].abs().apply(e.abs());
                let width = x[1] + p[1].apply(e.abs());
                // The middle is rounded up to five times (the upload of e included), the half width likewise.
                let cube = V3::from_fn(|i| width.0[i] + (size.0[i] + width.0[i]) * T::new(8.0 * T::UNIT));
                PointBound { c: [x[0] + p[0].apply(e), V3::zero(), V3::zero()], ball, cube }
            }
        }
    }

    /// The same for a direction `e` of the link, which turns and does not travel. The ball is that of `e`'s length: the
    /// slope alone. It is zero here, because whoever adds directions to a point has the ball of the sum.
    #[inline(always)]
    pub fn direction(&self, e: V3<T>) -> PointBound<T> {
        let p = &self.jet.p;
        let zero = T::new(0.0);
        match self.form {
            BoundForm::Jet | BoundForm::Toleranced => {
                PointBound { c: [p[0].apply(e), p[1].apply(e), p[2].apply(e)], ball: zero, cube: V3::zero() }
            }
            BoundForm::Interval => {
                let (size, width) = (p[0].abs().apply(e.abs()), p[1].apply(e.abs()));
                // As for a point.
                let cube = V3::from_fn(|i| width.0[i] + (size.0[i] + width.0[i]) * T::new(8.0 * T::UNIT));
                PointBound { c: [p[0].apply(e), V3::zero(), V3::zero()], ball: zero, cube }
            }
        }
    }
}

impl<T: Vector> PoseBound<T> {
    /// The bounds in eight lanes of more, from the `i`-th eight on.
    #[inline(always)]
    pub fn part<const N: usize>(b: &PoseBound<Lanes<N>>, i: usize) -> Self {
        let [x0, x1, x2] = &b.jet.x;
        let mut p = [M3::zero(), M3::zero(), M3::zero()];
        for (p, m) in p.iter_mut().zip(&b.jet.p) {
            for r in 0..3 {
                p.0[r] = [part(&m.0[r][0], i), part(&m.0[r][1], i), part(&m.0[r][2], i)];
            }
        }
        let x = [part3(x0, i), part3(x1, i), part3(x2, i)];
        Self { form: b.form, jet: PoseJet { x, p }, ball: [part(&b.ball[0], i), part(&b.ball[1], i)] }
    }
}

impl PoseBound<f64> {
    /// The same bound in every lane.
    #[inline(always)]
    pub fn broadcast<T: Real>(&self) -> PoseBound<T> {
        let vector = |v: &V3<f64>| V3::from_fn(|i| T::new(v.0[i]));
        let [x0, x1, x2] = &self.jet.x;
        let [p0, p1, p2] = &self.jet.p;
        let matrix = |m: &M3<f64>| M3::from_fn(|i, j| T::new(m.0[i][j]));
        PoseBound {
            form: self.form,
            jet: PoseJet { x: [vector(x0), vector(x1), vector(x2)], p: [matrix(p0), matrix(p1), matrix(p2)] },
            ball: self.ball.map(T::new),
        }
    }
}

/// A bound on the path of one point: a quadratic in local time, and how far the point may be from it.
#[derive(Clone, Copy, Debug)]
pub struct PointBound<T> {
    /// Position, velocity, acceleration of the quadratic at the middle time.
    pub c: [V3<T>; 3],
    /// The point is within this distance of the quadratic …
    pub ball: T,
    /// … after a displacement of at most this much along each coordinate.
    pub cube: V3<T>,
}

impl<T: Real> PointBound<T> {
    /// The same bound seen from the local time `shift`, for times within the `|τ| <= h` that it was made for: what the kernels do with
    /// points. Here poses are shifted before (`pose_block.rs`).
    #[inline(always)]
    pub fn shifted(&self, shift: T, h: T) -> Self {
        let [c0, c1, c2] = self.c;
        let half = shift * T::new(0.5);
        // At most six roundings on each term; `c1` is used up to `h` away from the shift.
        let size = c0.norm1() + (c1.norm1() + c2.norm1() * h) * h * T::new(2.0);
        Self {
            c: [c0 + (c1 + c2.times(half)).times(shift), c1 + c2.times(shift), c2],
            ball: self.ball + (size + self.ball) * T::new(16.0 * T::UNIT),
            cube: self.cube,
        }
    }

    /// Lowest and highest coordinates over `|τ| <= h`, outward.
    #[inline(always)]
    pub fn range(&self, h: T) -> (V3<T>, V3<T>) {
        let half_hh = h * h * T::new(0.5);
        let zero = T::new(0.0);
        let [c0, c1, c2] = self.c;
        let mut lo = V3::zero();
        let mut hi = V3::zero();
        for i in 0..3 {
            let (linear, slack) = (c1.0[i].abs() * h, self.ball + self.cube.0[i]);
            let (rise, fall) = (c2.0[i].max(zero) * half_hh, (-c2.0[i]).max(zero) * half_hh);
            // At most six roundings on what is summed.
            let margin = (c0.0[i].abs() + linear + rise + fall + slack) * T::new(8.0 * T::UNIT) + T::new(T::UNDERFLOW);
            hi.0[i] = c0.0[i] + (linear + rise + slack + margin);
            lo.0[i] = c0.0[i] - (linear + fall + slack + margin);
        }
        (lo, hi)
    }
}

/// Bounds along a chain of joints that hold for the whole motion: derivatives of any point of the last link, and the
/// sums that the rounding bound needs. Computed in f64 from the numbers that define the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChainBounds {
    /// Number of joints.
    pub depth: u32,
    /// Sum of the joints' |w|, radians: `||P^(n)|| <= omega^n`.
    pub omega: f64,
    /// The origin's n-th derivative is at most `beta[n-1]`, metres.
    pub beta: [f64; 3],
    /// Added to the radius of every ball that the culling stages use, metres: what comes nearer than this counts as touching.
    pub margin_m: f64,
    /// `Σ T_j`: no point of the chain's joints is farther than this from the root's frame, metres.
    pub reach: f64,
    /// `Σ (j-1) T_j`.
    weighted_offsets: f64,
    /// `Σ X_j`.
    running_reach: f64,
}

/// Factor on every scalar bound: covers its own rounding (fewer than 2^20 operations) and the motion's defect from
/// rigidity (at most 2^-46 per joint).
const SCALAR_SLACK: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;

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
            reach,
            weighted_offsets: self.weighted_offsets + f64::from(self.depth) * offset_sum,
            running_reach: self.running_reach + reach,
        }
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

    /// Remainder and rounding together: the ball of a jet bound.
    pub fn ball(&self, h: f64, unit: f64) -> [f64; 2] {
        let (r, e) = (self.remainder(h), self.rounding(h, unit));
        [(r[0] + e[0]) * SCALAR_SLACK, (r[1] + e[1]) * SCALAR_SLACK]
    }
}
