//! The bound on a link's pose over a block of neighbouring sub-intervals, from the bounds on the single ones.
//!
//! *Jets*: the jet of the middle sub-interval holds over the whole block with the ball for that reach. A block of an even
//! number of sub-intervals has its middle on a boundary; the jet is then moved there by half a sub-interval, which rounds
//! at most six times on each term (as `PointBound::shifted`): the ball grows by 16 units of the terms' sizes, the
//! origin's in its constant part, the orientation's, in the sum of absolute entries (at least the Frobenius norm, hence
//! the spectral one), in its slope.
//!
//! *Interval matrices*: the hull of the block's matrices, entry by entry.

use super::interval::{Interval, IntervalPose};
use super::lanes::Lanes;
use super::linear::{M3, V3};
use super::pose_bound::{BoundForm, PoseBound, PoseJet};
use super::real::Real;

impl<const N: usize> PoseBound<Lanes<N>> {
    /// The bound in one lane.
    pub fn lane(&self, k: usize) -> PoseBound<f64> {
        let vector = |v: &V3<Lanes<N>>| V3(v.0.map(|x| x.0[k]));
        let matrix = |m: &M3<Lanes<N>>| M3(m.0.map(|row| row.map(|x| x.0[k])));
        PoseBound {
            form: self.form,
            jet: PoseJet { x: self.jet.x.each_ref().map(vector), p: self.jet.p.each_ref().map(matrix) },
            ball: self.ball.map(|b| b.0[k]),
        }
    }

    /// The bound over the `k`-th of `n` equal parts of a sub-interval of half width `h`, for local times within `h / n` of the
    /// part's middle.
    pub fn slice(&self, sub: usize, k: u32, n: u32, h: f64) -> PoseBound<f64> {
        let whole = self.lane(sub);
        match self.form {
            BoundForm::Interval => whole,
            BoundForm::Jet | BoundForm::Toleranced => whole.shifted((f64::from(2 * k + 1) / f64::from(n) - 1.0) * h, h),
        }
    }

    /// The bound over the `len` sub-intervals from `first` on, each of half width `h`, for local times within `len h` of
    /// the block's middle. `ball` is that of a jet over a block of this length.
    pub fn block(&self, first: usize, len: usize, h: f64, ball: [f64; 2]) -> PoseBound<f64> {
        match self.form {
            BoundForm::Interval => hull((first..first + len).map(|k| self.lane(k))),
            BoundForm::Jet | BoundForm::Toleranced => {
                let middle = self.lane(first + len / 2);
                // The larger one: bounds that a device has made carry its underflow.
                let ball = [ball[0].max(middle.ball[0]), ball[1].max(middle.ball[1])];
                let middle = PoseBound { ball, ..middle };
                // Of two middle sub-intervals this is the later one.
                if len % 2 == 1 { middle } else { middle.shifted(-h, (len + 1) as f64 * h) }
            }
        }
    }
}

impl<T: Real> PoseBound<T> {
    /// The bound seen from the local time `shift`, for times within the `|τ| <= h` that it was made for; jets only.
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
        Self { form: self.form, jet, ball: [grown(self.ball[0], x_size), grown(self.ball[1], p_size)] }
    }
}

/// The hull of interval matrices; the ends round by a unit of their size, which the step outward exceeds.
fn hull(bounds: impl Iterator<Item = PoseBound<f64>> + Clone) -> PoseBound<f64> {
    let ends = |mid: f64, radius: f64| {
        let slack = (mid.abs() + radius) * 4.0 * f64::UNIT + f64::UNDERFLOW;
        Interval { lo: mid - radius - slack, hi: mid + radius + slack }
    };
    let pose = |b: PoseBound<f64>| IntervalPose {
        p: std::array::from_fn(|i| std::array::from_fn(|j| ends(b.jet.p[0].0[i][j], b.jet.p[1].0[i][j]))),
        t: std::array::from_fn(|i| ends(b.jet.x[0].0[i], b.jet.x[1].0[i])),
    };
    let join = |a: Interval<f64>, b: Interval<f64>| Interval { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) };
    let nowhere = Interval { lo: f64::INFINITY, hi: f64::NEG_INFINITY };
    let empty = IntervalPose { p: [[nowhere; 3]; 3], t: [nowhere; 3] };
    let all = bounds.clone().map(pose).fold(empty, |a, b| IntervalPose {
        p: std::array::from_fn(|i| std::array::from_fn(|j| join(a.p[i][j], b.p[i][j]))),
        t: std::array::from_fn(|i| join(a.t[i], b.t[i])),
    });
    let ball = bounds.fold([0.0f64; 2], |a, b| [a[0].max(b.ball[0]), a[1].max(b.ball[1])]);
    PoseBound { ball, ..PoseBound::from_intervals(&all) }
}
