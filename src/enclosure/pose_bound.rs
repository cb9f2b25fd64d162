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
//! **Remainder.** The third derivative of `p` is at most `β3 + B3 |e|` at every time of the motion. With constant joint
//! rates `B3 = Ω³`, `Ω` the sum of the chain's `|w|`, because differentiating a rotation of rate `w` multiplies by
//! `|w|` at most (Leibniz). If `Ω_n` is the sum of bounds on the n-th derivatives of the joints' angles, the n-th
//! derivative of a product of rotations is at most the complete Bell polynomial `B_n(Ω_1, …, Ω_n)`: it is for one
//! rotation (Faà di Bruno), and Bell polynomials are of binomial type, so Leibniz' rule adds their arguments:
//!
//! ```text
//! B1 = Ω_1      B2 = Ω_1² + Ω_2      B3 = Ω_1³ + 3 Ω_1 Ω_2 + Ω_3
//! ```
//!
//! `β_n` is summed along the chain: a joint with the offset `T` adds `Σ C(n,k) B_k |T^(n-k)|`, `B_k` of the joints
//! before it ([`derivative_bounds`](super::derivative_bounds)). `ρ = (β3 + B3 |e|) h³/6` (Taylor).
//!
//! **Rounding.** Let `u = UNIT`, `X = h Ω_1 + 3/4 h² Ω_2`: then `1 + 2X + 3X²/2 >= 1 + 2 h B1 + 3 h² B2/2` and
//! `e^X >= 1 + h B1 + h² B2/2`. Weight an error of the n-th derivative with `hⁿ/n!`, and let `d` be the number of
//! joints in the chain, `T_j` a bound on the offset of joint j and its weighted derivatives (`|c_j| + 9/8 |s_j|` for
//! a constant velocity, because blocks reach up to 9/16 of the motion), and `X_j = Σ_{k<=j} T_k`.
//! - *Joint matrices.* `P_n` of one joint is a sum of three products with two or three factors. Uploads to `T` (half a
//!   unit per factor), roundings (at most four) and the sine's own error (2.75 units of f64) make
//!   `||dP_n||_F <= 16 u B_n` of that joint.
//! - *Products.* An entry of `Σ C(n,k) P^(k) Q^(n-k)` is a sum of `3(n+1)` products, so at most `3n+3` roundings apply
//!   to each term for any order of summation; in Frobenius norm the terms sum to at most `3 B_n`. Weighted: `9 (1 + 2X
//!   + 3X²/2) u`, which is at most `11.2 e^X u` for `X <= 1/4` and `27 e^X u` always.
//! - Existing errors grow by at most `e^x`, `x` the joint's part of `X`: rotations have spectral norm 1.
//!
//!   Together `|||dP||| <= K d u e^X` with `K = 28` (`X <= 1/4`) or `43`.
//! - *Phases* of degree `n > 1` ([`phase`](crate::robot::phase)). `P' = s' P_s` and `P'' = s'' P_s + s'² P_ss` have the
//!   errors of `P_s` and `P_ss`, three more products or sums, and the errors of `s'` and `s''`: `3 + 2 (3n + 6)` units
//!   of `B_n` more, and `4 (n - 1) u r_1` of `s''`, which weighted with `h²/2 <= 9h/32` is `9/8 (n - 1) u X`,
//!   less than `(n - 1) u e^X` as `X <= e^X / e`. So `K` grows by `7n + 14`. Likewise `T'` and `T''` have `3n + 8
//!   + 9/8 (n - 1)` more, and `T''` one term more: `dT_j <= (4n + 10) u T_j` for `n <= 24`, and `L` grows by 1.
//! - *Origins.* `x_n += Σ C(n,k) P^(k) T^(n-k)`: at most 4, 7, 7 roundings (n = 0, 1, 2) apply to terms that sum to
//!   `√3 T_j + X_j`; weighted `(4 + 7X + 7X²/2) <= L e^X` with `L = 5` or `7`; `dT_j <= 3 u T_j`; and the parent's
//!   `|||dP|||` acts on `T_j`. Sum over the chain: `u e^X Σ_j [(K (j-1) + 3 + √3 L) T_j + L X_j]`.
//! - *Point.* `x_n + P_n e`: four roundings on `X_d + √3 |e|`, half a unit for the upload of `e`.
//!
//! ```text
//! E(e) = u e^X { Σ_j [(K (j-1) + 3 + √3 L) T_j + L X_j] + 4 X_d + (K d + 7.5) |e| }
//! ```
//!
//! Second-order terms are below `2 K d u` of that; the final factor covers them, the stored motion's defect from
//! rigidity and the rounding of these scalars. No step depends on the order of summation or on fusion.

use crate::arith::interval::IntervalPose;
use crate::arith::lanes::Lanes;
use crate::arith::linear::{M3, V3};
use crate::arith::real::Real;
use crate::arith::vectors::{Vector, part, part3};
use crate::enclosure::point_bound::PointBound;
use crate::enclosure::pose_jet::PoseJet;

/// The kind of a pose bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoseEnclosure {
    /// Taylor model of order 2: pose, velocity, acceleration, and a ball.
    #[default]
    TaylorModel,
    /// Interval matrix, as in Redon et al. 2004.
    IntervalMatrix,
    /// Ball of displacements about a pose, as in Schröcker and Weber: a Taylor model of order 0.
    DisplacementBall,
}

impl PoseEnclosure {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::TaylorModel, Self::IntervalMatrix, Self::DisplacementBall];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::TaylorModel => "jet",
            Self::IntervalMatrix => "interval",
            Self::DisplacementBall => "toleranced",
        }
    }
}

/// A bound on the pose of one link over `[m-h, m+h]`.
#[derive(Clone, Copy, Debug)]
pub enum PoseBound<T> {
    /// A polynomial and a ball about it.
    Taylor(TaylorModel<T>),
    /// An interval for each entry of the pose.
    Interval(IntervalMatrix<T>),
}

/// A pose as a polynomial of local time, with a ball that covers the remainder and all rounding.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaylorModel<T> {
    /// Derivatives at the middle time. Those beyond the order of the model are zero.
    pub jet: PoseJet<T>,
    /// Radius of the ball for the point `e`: `ball[0] + ball[1] |e|`, metres.
    pub ball: [T; 2],
}

/// A pose as a matrix of intervals, stored by midpoint and radius.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntervalMatrix<T> {
    /// Midpoint of the origin, metres.
    pub x: V3<T>,
    /// Midpoint of the orientation.
    pub p: M3<T>,
    /// Radius of the origin, metres.
    pub x_radius: V3<T>,
    /// Radius of the orientation.
    pub p_radius: M3<T>,
    /// Radius of a ball added to the point `e`: `ball[0] + ball[1] |e|`, metres.
    pub ball: [T; 2],
}

impl<T: Real> Default for PoseBound<T> {
    fn default() -> Self {
        Self::Taylor(TaylorModel { jet: PoseJet::zero(), ball: [T::new(0.0); 2] })
    }
}

impl<T: Real> TaylorModel<T> {
    /// The bound on the path of the point `e` of the link, whose distance from the link's origin is at most `e_norm`.
    #[inline(always)]
    pub fn point(&self, e: V3<T>, e_norm: T) -> PointBound<T> {
        let PoseJet { x, p } = &self.jet;
        PointBound {
            c: [x[0] + p[0].apply(e), x[1] + p[1].apply(e), x[2] + p[2].apply(e)],
            ball: self.ball[0] + self.ball[1] * e_norm,
            cube: V3::zero(),
        }
    }

    /// The bound on the direction `e` of the link, without its ball; see [`PoseBound::direction`].
    #[inline(always)]
    pub fn direction(&self, e: V3<T>) -> PointBound<T> {
        let p = &self.jet.p;
        PointBound { c: [p[0].apply(e), p[1].apply(e), p[2].apply(e)], ball: T::new(0.0), cube: V3::zero() }
    }
}

impl<T: Real> IntervalMatrix<T> {
    /// The enclosure of a matrix of intervals.
    pub fn new(m: &IntervalPose<T>, ball: [T; 2]) -> Self {
        Self {
            x: V3::from_fn(|i| m.t[i].mid_radius().0),
            p: M3::from_fn(|i, j| m.p[i][j].mid_radius().0),
            x_radius: V3::from_fn(|i| m.t[i].mid_radius().1),
            p_radius: M3::from_fn(|i, j| m.p[i][j].mid_radius().1),
            ball,
        }
    }

    /// The bound on the path of the point `e` of the link, whose distance from the link's origin is at most `e_norm`.
    #[inline(always)]
    pub fn point(&self, e: V3<T>, e_norm: T) -> PointBound<T> {
        let size = self.x.abs() + self.p.abs().apply(e.abs());
        let width = self.x_radius + self.p_radius.apply(e.abs());
        let c = [self.x + self.p.apply(e), V3::zero(), V3::zero()];
        let ball = self.ball[0] + self.ball[1] * e_norm;
        PointBound { c, ball, cube: Self::cube(size, width) }
    }

    /// The bound on the direction `e` of the link, without its ball; see [`PoseBound::direction`].
    #[inline(always)]
    pub fn direction(&self, e: V3<T>) -> PointBound<T> {
        let (size, width) = (self.p.abs().apply(e.abs()), self.p_radius.apply(e.abs()));
        let c = [self.p.apply(e), V3::zero(), V3::zero()];
        PointBound { c, ball: T::new(0.0), cube: Self::cube(size, width) }
    }

    /// The middle has up to five roundings (including the upload of `e`), and so does the radius.
    #[inline(always)]
    fn cube(size: V3<T>, width: V3<T>) -> V3<T> {
        V3::from_fn(|i| width.0[i] + (size.0[i] + width.0[i]) * T::new(8.0 * T::UNIT))
    }
}

impl<T: Real> PoseBound<T> {
    /// The bound with another ball.
    #[must_use]
    pub fn with_ball(self, ball: [T; 2]) -> Self {
        match self {
            Self::Taylor(model) => Self::Taylor(TaylorModel { ball, ..model }),
            Self::Interval(matrix) => Self::Interval(IntervalMatrix { ball, ..matrix }),
        }
    }

    /// The bound on the path of the point `e` of the link, whose distance from the link's origin is at most `e_norm`.
    #[inline(always)]
    pub fn point(&self, e: V3<T>, e_norm: T) -> PointBound<T> {
        match self {
            Self::Taylor(model) => model.point(e, e_norm),
            Self::Interval(matrix) => matrix.point(e, e_norm),
        }
    }

    /// The bound on the direction `e` of the link, which rotates but does not translate. Its ball is zero: code that
    /// adds directions to a point must use the ball of the sum, in which the ball of a direction is the slope times its
    /// length.
    #[inline(always)]
    pub fn direction(&self, e: V3<T>) -> PointBound<T> {
        match self {
            Self::Taylor(model) => model.direction(e),
            Self::Interval(matrix) => matrix.direction(e),
        }
    }
}

#[inline(always)]
fn part_matrix<T: Vector, const N: usize>(m: &M3<Lanes<N>>, i: usize) -> M3<T> {
    let mut p = M3::zero();
    for r in 0..3 {
        p.0[r] = [part(&m.0[r][0], i), part(&m.0[r][1], i), part(&m.0[r][2], i)];
    }
    p
}

impl<T: Vector> TaylorModel<T> {
    /// The `i`-th group of eight lanes.
    #[inline(always)]
    pub fn part<const N: usize>(b: &TaylorModel<Lanes<N>>, i: usize) -> Self {
        let ([x0, x1, x2], [p0, p1, p2]) = (&b.jet.x, &b.jet.p);
        let x = [part3(x0, i), part3(x1, i), part3(x2, i)];
        let p = [part_matrix(p0, i), part_matrix(p1, i), part_matrix(p2, i)];
        Self { jet: PoseJet { x, p }, ball: [part(&b.ball[0], i), part(&b.ball[1], i)] }
    }
}

impl<T: Vector> PoseBound<T> {
    /// The `i`-th group of eight lanes.
    #[inline(always)]
    pub fn part<const N: usize>(b: &PoseBound<Lanes<N>>, i: usize) -> Self {
        match b {
            PoseBound::Taylor(model) => Self::Taylor(TaylorModel::part(model, i)),
            PoseBound::Interval(m) => Self::Interval(IntervalMatrix {
                x: part3(&m.x, i),
                p: part_matrix(&m.p, i),
                x_radius: part3(&m.x_radius, i),
                p_radius: part_matrix(&m.p_radius, i),
                ball: [part(&m.ball[0], i), part(&m.ball[1], i)],
            }),
        }
    }
}

#[inline(always)]
fn splat_vector<T: Real>(v: &V3<f64>) -> V3<T> {
    V3::from_fn(|i| T::new(v.0[i]))
}

#[inline(always)]
fn splat_matrix<T: Real>(m: &M3<f64>) -> M3<T> {
    M3::from_fn(|i, j| T::new(m.0[i][j]))
}

impl TaylorModel<f64> {
    /// The same model in every lane.
    #[inline(always)]
    pub fn broadcast<T: Real>(&self) -> TaylorModel<T> {
        let ([x0, x1, x2], [p0, p1, p2]) = (&self.jet.x, &self.jet.p);
        let x = [splat_vector(x0), splat_vector(x1), splat_vector(x2)];
        let p = [splat_matrix(p0), splat_matrix(p1), splat_matrix(p2)];
        TaylorModel { jet: PoseJet { x, p }, ball: self.ball.map(T::new) }
    }
}

impl PoseBound<f64> {
    /// The same bound in every lane.
    #[inline(always)]
    pub fn broadcast<T: Real>(&self) -> PoseBound<T> {
        match self {
            Self::Taylor(model) => PoseBound::Taylor(model.broadcast()),
            Self::Interval(m) => PoseBound::Interval(IntervalMatrix {
                x: splat_vector(&m.x),
                p: splat_matrix(&m.p),
                x_radius: splat_vector(&m.x_radius),
                p_radius: splat_matrix(&m.p_radius),
                ball: m.ball.map(T::new),
            }),
        }
    }
}
