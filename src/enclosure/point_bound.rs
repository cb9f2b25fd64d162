//! A bound on the path of one point.

use crate::arith::linear::V3;
use crate::arith::real::Real;

/// A bound on the path of one point: a quadratic in local time, and the largest distance of the point from it.
#[derive(Clone, Copy, Debug)]
pub struct PointBound<T> {
    /// Position, velocity, acceleration of the quadratic at the middle time.
    pub c: [V3<T>; 3],
    /// Radius about the quadratic, after the displacement by `cube`.
    pub ball: T,
    /// Largest displacement from the quadratic along each coordinate.
    pub cube: V3<T>,
}

impl<T: Real> PointBound<T> {
    /// The bound with `shift` as the origin of local time, for times within the `|τ| <= h` of the original. The kernels
    /// shift points; the CPU shifts poses (`pose_block.rs`).
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
            // At most six roundings on the terms of the sum.
            let margin = (c0.0[i].abs() + linear + rise + fall + slack) * T::new(8.0 * T::UNIT) + T::new(T::UNDERFLOW);
            hi.0[i] = c0.0[i] + (linear + rise + slack + margin);
            lo.0[i] = c0.0[i] - (linear + fall + slack + margin);
        }
        (lo, hi)
    }
}
