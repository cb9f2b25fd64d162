//! The bound on a link's pose over a block of neighbouring sub-intervals, from the bounds on the single ones.
//!
//! *Jets*: the jet of the middle sub-interval is valid over the whole block with the ball for that reach. A block of an
//! even number of sub-intervals has its middle on a boundary; the jet is then moved there by half a sub-interval, which
//! rounds at most six times on each term (as `PointBound::shifted`): the ball grows by 16 units of the terms' sizes,
//! the origin's in its constant part, the orientation's, in the sum of absolute entries (at least the Frobenius norm,
//! hence the spectral one), in its slope.
//!
//! *Interval matrices*: the hull of the block's matrices, entry by entry.

use crate::arith::interval::{Interval, IntervalPose};
use crate::arith::lanes::Lanes;
use crate::arith::linear::{M3, V3};
use crate::arith::real::Real;
use crate::enclosure::pose_bound::{IntervalMatrix, PoseBound, TaylorModel};
use crate::enclosure::pose_jet::PoseJet;

#[inline(always)]
fn vector_lane<const N: usize>(v: &V3<Lanes<N>>, k: usize) -> V3<f64> {
    V3([v.0[0].0[k], v.0[1].0[k], v.0[2].0[k]])
}

#[inline(always)]
fn matrix_lane<const N: usize>(m: &M3<Lanes<N>>, k: usize) -> M3<f64> {
    let mut of_lane = M3([[0.0; 3]; 3]);
    for i in 0..3 {
        for j in 0..3 {
            of_lane.0[i][j] = m.0[i][j].0[k];
        }
    }
    of_lane
}

impl<const N: usize> TaylorModel<Lanes<N>> {
    /// The model in one lane.
    #[inline(always)]
    pub fn lane(&self, k: usize) -> TaylorModel<f64> {
        let ([x0, x1, x2], [p0, p1, p2]) = (&self.jet.x, &self.jet.p);
        let x = [vector_lane(x0, k), vector_lane(x1, k), vector_lane(x2, k)];
        let p = [matrix_lane(p0, k), matrix_lane(p1, k), matrix_lane(p2, k)];
        TaylorModel { jet: PoseJet { x, p }, ball: [self.ball[0].0[k], self.ball[1].0[k]] }
    }
}

impl<const N: usize> IntervalMatrix<Lanes<N>> {
    /// The matrix in one lane.
    #[inline(always)]
    pub fn lane(&self, k: usize) -> IntervalMatrix<f64> {
        IntervalMatrix {
            x: vector_lane(&self.x, k),
            p: matrix_lane(&self.p, k),
            x_radius: vector_lane(&self.x_radius, k),
            p_radius: matrix_lane(&self.p_radius, k),
            ball: self.ball.map(|b| b.0[k]),
        }
    }
}

impl<const N: usize> PoseBound<Lanes<N>> {
    /// The bound in one lane.
    #[inline(always)]
    pub fn lane(&self, k: usize) -> PoseBound<f64> {
        match self {
            Self::Taylor(model) => PoseBound::Taylor(model.lane(k)),
            Self::Interval(matrix) => PoseBound::Interval(matrix.lane(k)),
        }
    }

    /// The bound over the `k`-th of `n` equal parts of a sub-interval of half width `h`, for local times within `h / n`
    /// of the part's middle.
    #[inline(always)]
    pub fn slice(&self, sub: usize, k: u32, n: u32, h: f64) -> PoseBound<f64> {
        match self {
            Self::Taylor(model) => {
                let shift = (f64::from(2 * k + 1) / f64::from(n) - 1.0) * h;
                PoseBound::Taylor(model.lane(sub).shifted(shift, h))
            }
            Self::Interval(matrix) => PoseBound::Interval(matrix.lane(sub)),
        }
    }

    /// The bound at the local time `moment`, within `h` of the middle of a sub-interval of half width `h`.
    #[inline(always)]
    pub fn moment(&self, sub: usize, moment: f64, h: f64) -> PoseBound<f64> {
        match self {
            Self::Taylor(model) => PoseBound::Taylor(model.lane(sub).shifted(moment, h)),
            Self::Interval(matrix) => PoseBound::Interval(matrix.lane(sub)),
        }
    }

    /// The bound over `len` sub-intervals starting with `first`, each of half width `h`, for local times within `len h`
    /// of the block's middle. `ball` is that of a Taylor model over a block of this length.
    #[inline(always)]
    pub fn block(&self, first: usize, len: usize, h: f64, ball: [f64; 2]) -> PoseBound<f64> {
        match self {
            Self::Taylor(model) => {
                let middle = model.lane(first + len / 2);
                // The larger ball is used: bounds computed by a device include its underflow.
                let ball = [ball[0].max(middle.ball[0]), ball[1].max(middle.ball[1])];
                let middle = TaylorModel { ball, ..middle };
                // If there are two middle sub-intervals, `middle` is the later one.
                PoseBound::Taylor(if len % 2 == 1 { middle } else { middle.shifted(-h, (len + 1) as f64 * h) })
            }
            Self::Interval(matrix) => PoseBound::Interval(hull((first..first + len).map(|k| matrix.lane(k)))),
        }
    }
}

impl<T: Real> TaylorModel<T> {
    /// The model with `shift` as the origin of local time, for times within the `|τ| <= h` of the original.
    #[inline(always)]
    fn shifted(&self, shift: T, h: T) -> Self {
        let PoseJet { x: [x0, x1, x2], p: [p0, p1, p2] } = self.jet;
        let (half, two) = (shift * T::new(0.5), T::new(2.0));
        let x_size = x0.norm1() + (x1.norm1() + x2.norm1() * h) * h * two;
        let entries = |m: &M3<T>| V3(m.0[0]).norm1() + V3(m.0[1]).norm1() + V3(m.0[2]).norm1();
        let p_size = entries(&p0) + (entries(&p1) + entries(&p2) * h) * h * two;
        let grown = |ball: T, size: T| ball + (size + ball) * T::new(16.0 * T::UNIT);
        let jet = PoseJet {
            x: [x0 + (x1 + x2.times(half)).times(shift), x1 + x2.times(shift), x2],
            p: [
                M3::from_fn(|i, j| p0.0[i][j] + (p1.0[i][j] + p2.0[i][j] * half) * shift),
                M3::from_fn(|i, j| p1.0[i][j] + p2.0[i][j] * shift),
                p2,
            ],
        };
        Self { jet, ball: [grown(self.ball[0], x_size), grown(self.ball[1], p_size)] }
    }
}

/// The hull of interval matrices. The rounding of its ends is one unit of their size, less than the step outward.
fn hull(matrices: impl Iterator<Item = IntervalMatrix<f64>> + Clone) -> IntervalMatrix<f64> {
    let ends = |mid: f64, radius: f64| {
        let slack = (mid.abs() + radius) * 4.0 * f64::UNIT + f64::UNDERFLOW;
        Interval { lo: mid - radius - slack, hi: mid + radius + slack }
    };
    let pose = |m: IntervalMatrix<f64>| IntervalPose {
        p: std::array::from_fn(|i| std::array::from_fn(|j| ends(m.p.0[i][j], m.p_radius.0[i][j]))),
        t: std::array::from_fn(|i| ends(m.x.0[i], m.x_radius.0[i])),
    };
    let join = |a: Interval<f64>, b: Interval<f64>| Interval { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) };
    let nowhere = Interval { lo: f64::INFINITY, hi: f64::NEG_INFINITY };
    let empty = IntervalPose { p: [[nowhere; 3]; 3], t: [nowhere; 3] };
    let all = matrices.clone().map(pose).fold(empty, |a, b| IntervalPose {
        p: std::array::from_fn(|i| std::array::from_fn(|j| join(a.p[i][j], b.p[i][j]))),
        t: std::array::from_fn(|i| join(a.t[i], b.t[i])),
    });
    IntervalMatrix::new(&all, matrices.fold([0.0; 2], |a: [f64; 2], m| [a[0].max(m.ball[0]), a[1].max(m.ball[1])]))
}
