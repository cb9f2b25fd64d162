//! A grid of voxels in space, with proofs that a swept line-swept sphere, or a triangle, misses one.
//!
//! A voxel is the closed box between neighbouring planes `lo + i step` along each axis, `lo` and `step` as stored, taken as
//! exact numbers. A point that sphere and triangle share lies in some voxel, which neither of them may then be said to
//! miss; so each proof need only hold for its own side.
//!
//! **Sphere.** During `|τ| <= h` every point of the segment is within `w`, the larger of its ends' ways `h|c1| + h²|c2|/2`, of
//! where it is in the middle. The sphere misses a voxel if the voxel's centre is farther from the middle segment than
//! `R = r + B + w + half the voxel's diagonal`. From the centre `p` (seen from one end, the other end at `d`) that distance is
//! at least `|p × d|/|d|`, and `|p|` or `|p - d|` beyond the ends; squares are compared, so there is neither root nor quotient.
//!
//! **Rounding.** A centre is rounded three times, off by at most `3 UNIT (|lo| + 16 step)`; `p` once more. `p × d` is off by at
//! most `4 UNIT |p||d|`, by which the distance changes by `4 UNIT |p|`; what rounding can make of the signs of `p·d` and `(p -
//! d)·d` is of second order. `16 UNIT` of all sizes in sight joins `R`. Squares and products round at most eight times,
//! as in [`swept`](super::swept). Projections on a triangle's normal, and their
//! rounding, are those of `separation`.

use super::linear::V3;
use super::pose_bound::PointBound;
use super::real::Real;
use super::separation::{ROUNDINGS, StandingTriangle};

/// Voxels along each axis.
pub const SIDE: usize = 16;

/// A grid.
#[derive(Clone, Copy, Debug)]
pub struct Voxels<T> {
    /// Its lowest corner, metres.
    pub lo: V3<T>,
    /// The size of a voxel, metres.
    pub step: V3<T>,
}

impl<T: Real> Voxels<T> {
    /// The grid that covers a box.
    #[inline(always)]
    pub fn around(lo: V3<T>, hi: V3<T>) -> Self {
        // The difference and the product round; the last voxels must not end before the box does.
        let grown = T::new((1.0 + ROUNDINGS * T::UNIT) / SIDE as f64);
        Self { lo, step: V3::from_fn(|i| (hi.0[i] - lo.0[i]) * grown + T::new(T::UNDERFLOW)) }
    }

    /// What places along an axis may be off by, metres.
    #[inline(always)]
    fn error(&self, axis: usize) -> T {
        (self.lo.0[axis].abs() + self.step.0[axis] * T::new(SIDE as f64)) * T::new(8.0 * T::UNIT)
    }

    /// First and last voxel along an axis that a range of coordinates may reach; the outermost ones have no end. One lane.
    #[inline(always)]
    pub fn slots(&self, axis: usize, lo: T, hi: T) -> [usize; 2] {
        let (mut first, mut last) = (0, SIDE - 1);
        let error = self.error(axis);
        for i in 1..SIDE {
            let plane = self.lo.0[axis] + self.step.0[axis] * T::new(i as f64);
            first += lo.gt(plane + error) as usize;
            last -= (plane - error).gt(hi) as usize;
        }
        [first, last]
    }

    /// The centre of a voxel, rounded.
    #[inline(always)]
    pub fn centre(&self, at: [usize; 3]) -> V3<T> {
        V3::from_fn(|i| self.lo.0[i] + self.step.0[i] * T::new(at[i] as f64 + 0.5))
    }

    /// Whether a triangle is on one side of the voxel around a centre, along its normal.
    #[inline(always)]
    pub fn plane_misses(&self, centre: V3<T>, tri: &StandingTriangle<T>) -> u32 {
        // Of a sliver the computed normal may be anything: what holds of the triangle is its projection, not a plane.
        let (n, y, zero) = (tri.normal(), [tri.y[1] - tri.y[0], tri.y[2] - tri.y[0]], T::new(0.0));
        let (e1, e2) = (n.dot(y[0]), n.dot(y[1]));
        let p = centre - tri.y[0];
        let size = p.norm1() + self.step.norm1() + y[0].norm1() + y[1].norm1();
        let error = self.error(0) + self.error(1) + self.error(2);
        let slack = tri.error * T::new(3.0) + error + size * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW);
        let reach = n.abs().dot(self.step) * T::new(0.5) + n.norm_bound() * slack + T::new(T::UNDERFLOW);
        let at = n.dot(p);
        (at - reach).gt(zero.max(e1).max(e2)) | zero.min(e1).min(e2).gt(at + reach)
    }

    /// Lanes in which a line-swept sphere, its ends moving within `ends`, its box `around`, misses the voxel around a centre.
    #[inline(always)]
    pub fn swept_misses(
        &self,
        centre: V3<T>,
        ends: &[PointBound<T>; 2],
        radius: T,
        h: T,
        around: &(V3<T>, V3<T>),
    ) -> u32 {
        let half_hh = h * h * T::new(0.5);
        let (mut way, mut slack) = (T::new(0.0), T::new(0.0));
        for p in ends {
            way = way.max(p.c[1].norm_bound() * h + p.c[2].norm_bound() * half_hh);
            slack = slack.max(p.ball + p.cube.norm1());
        }
        let error = self.error(0) + self.error(1) + self.error(2);
        let mut apart = 0;
        for i in 0..3 {
            let reach = self.step.0[i] * T::new(0.5) + error;
            apart |= around.0.0[i].gt(centre.0[i] + reach) | (centre.0[i] - reach).gt(around.1.0[i]);
        }
        let (p, q, d) = (centre - ends[0].c[0], centre - ends[1].c[0], ends[1].c[0] - ends[0].c[0]);
        let size = p.norm1() + q.norm1() + d.norm1() + self.step.norm1() + radius + way + slack;
        let reach = radius + way + slack + self.step.norm_bound() * T::new(0.5) + error;
        let reach = reach + size * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW);
        let reach2 = (reach * reach + T::new(T::UNDERFLOW)) * T::new(1.0 + ROUNDINGS * T::UNIT);
        let (zero, across) = (T::new(0.0), p.cross(d));
        apart |= zero.gt(p.dot(d)) & p.dot(p).gt(reach2);
        apart |= q.dot(d).gt(zero) & q.dot(q).gt(reach2);
        apart | across.dot(across).gt((d.dot(d) + T::new(T::UNDERFLOW)) * reach2 + T::new(T::UNDERFLOW))
    }
}
