//! Intervals with outward rounding, and interval matrices: the bound of the paper (Redon et al. 2004, sections 3.3
//! and 4.1), one interval operation per scalar operation.

use crate::arith::real::Real;
use crate::arith::trig::{TRIG_ERROR, sin_cos};
use std::f64::consts::PI;
use std::ops::{Add, Mul, Sub};

/// All numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval<T> {
    /// Lower end.
    pub lo: T,
    /// Upper end.
    pub hi: T,
}

/// Number of units by which the ends of a computed interval are moved outward.
const STEP: f64 = 4.0;

/// Moves the ends outward by [`STEP`] units of their size and an absolute term.
///
/// Let `y = z (1 + d)`, `|d| <= u = UNIT`, be the computed end and `z` the exact one. The step is a product and a sum,
/// each wrong by at most `u`: for `y > 0` the new lower end is at most `z (1+u)(1 - 4u(1-u)²)(1+u) <= z`, for `y < 0`
/// its size is at least `|z| (1-u)(1 + 4u(1-u)²)(1-u) >= |z|`; the upper end by symmetry. The absolute term covers the
/// effect of underflow.
#[inline(always)]
fn outward<T: Real>(lo: T, hi: T) -> Interval<T> {
    let (step, tiny) = (T::new(STEP * T::UNIT), T::new(T::UNDERFLOW));
    Interval { lo: lo - (lo.abs() * step + tiny), hi: hi + (hi.abs() * step + tiny) }
}

impl<T: Real> Interval<T> {
    /// An interval around a number that was rounded to `T` once.
    #[inline(always)]
    pub fn around(x: T) -> Self {
        outward(x, x)
    }

    /// The interval of one exactly known number.
    #[inline(always)]
    pub fn exact(x: T) -> Self {
        Self { lo: x, hi: x }
    }

    /// Middle and half width; the half width is rounded up, so `[mid - radius, mid + radius]` contains the interval.
    #[inline(always)]
    pub fn mid_radius(self) -> (T, T) {
        let mid = (self.lo + self.hi) * T::new(0.5);
        let radius = (self.hi - mid).max(mid - self.lo);
        let slack = (mid.abs() + radius) * T::new(STEP * T::UNIT) + T::new(T::UNDERFLOW);
        (mid, radius + slack)
    }
}

impl<T: Real> Add for Interval<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        outward(self.lo + o.lo, self.hi + o.hi)
    }
}

impl<T: Real> Sub for Interval<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        outward(self.lo - o.hi, self.hi - o.lo)
    }
}

impl Interval<f64> {
    /// The quotient by an interval of one sign.
    #[must_use]
    pub fn quotient(self, o: Self) -> Self {
        let (a, b, c, d) = (self.lo / o.lo, self.lo / o.hi, self.hi / o.lo, self.hi / o.hi);
        outward(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

impl<T: Real> Mul for Interval<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let (a, b, c, d) = (self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi);
        outward(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

/// `(sin, cos)` of all angles `w t`, `t` in `[t0, t1]`, as intervals; `|w t| <=`
/// [`MAX_ANGLE_RAD`](crate::arith::trig::MAX_ANGLE_RAD).
///
/// The extrema are found by comparing the ends with multiples of π in floating point. If that misjudges an extremum
/// because an end is within `x` of it, the value missed is `1 - cos x <= x²/2`; for `x <= 1e-9` that is below `5e-19`,
/// inside the widening.
pub fn sin_cos_range(w: f64, t0: f64, t1: f64) -> (Interval<f64>, Interval<f64>) {
    let (x, y) = (w * t0, w * t1);
    // Rounding of the products, in addition to the sine's own error.
    let error = TRIG_ERROR + (x.abs() + y.abs()) * f64::EPSILON;
    let (a, b) = if x <= y { (x, y) } else { (y, x) };
    let has = |phase: f64| (((a - phase) / (2.0 * PI)).ceil()) * (2.0 * PI) + phase <= b;
    let range = |u: f64, v: f64, top: f64, bottom: f64| Interval {
        lo: if has(bottom) { -1.0 } else { (u.min(v) - error).max(-1.0) },
        hi: if has(top) { 1.0 } else { (u.max(v) + error).min(1.0) },
    };
    let ((sa, ca), (sb, cb)) = (sin_cos(a), sin_cos(b));
    (range(sa, sb, 0.5 * PI, -0.5 * PI), range(ca, cb, 0.0, PI))
}

/// An interval 3×4 matrix: bounds on a pose over a time interval (`M~` of the paper).
#[derive(Clone, Copy, Debug)]
pub struct IntervalPose<T> {
    /// Bounds on the entries of the orientation, by rows.
    pub p: [[Interval<T>; 3]; 3],
    /// Bounds on the origin's coordinates.
    pub t: [Interval<T>; 3],
}

impl<T: Real> IntervalPose<T> {
    /// The pose of a child in the world, from its parent's and its own pose in the parent's frame (eq. 6).
    pub fn concatenate(&self, child: &Self) -> Self {
        let row = |i: usize, v: [Interval<T>; 3]| self.p[i][0] * v[0] + self.p[i][1] * v[1] + self.p[i][2] * v[2];
        Self {
            p: std::array::from_fn(|i| std::array::from_fn(|j| row(i, [child.p[0][j], child.p[1][j], child.p[2][j]]))),
            t: std::array::from_fn(|i| self.t[i] + row(i, child.t)),
        }
    }

    /// Bounds on the coordinates of the point `e` of the link.
    pub fn apply(&self, e: [Interval<T>; 3]) -> [Interval<T>; 3] {
        std::array::from_fn(|i| self.t[i] + (self.p[i][0] * e[0] + self.p[i][1] * e[1] + self.p[i][2] * e[2]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_ranges() {
        let close = |i: Interval<f64>, lo: f64, hi: f64| {
            assert!((i.lo - lo).abs() < 1e-14 && (i.hi - hi).abs() < 1e-14, "{i:?} against {lo} {hi}");
        };
        for (a, b, cos, sin) in [
            (0.6, 1.8, [-0.2272020946930871, 0.8253356149096783], [0.5646424733950354, 1.0]),
            (-2.5, -0.625, [-0.8011436155469337, 0.8109631195052179], [-1.0, -0.5850972729404622]),
            (5.0, 8.0, [-0.14550003380861354, 1.0], [-0.9589242746631385, 1.0]),
            (0.0, 7.0, [-1.0, 1.0], [-1.0, 1.0]),
        ] {
            for (w, t0, t1) in [(1.0, a, b), (-1.0, -b, -a)] {
                let (s, c) = sin_cos_range(w, t0, t1);
                close(c, cos[0], cos[1]);
                close(s, sin[0], sin[1]);
            }
        }
    }

    #[test]
    fn products_of_all_signs() {
        let i = |lo: f64, hi: f64| Interval { lo, hi };
        for (a, b, lo, hi) in [
            (i(-1.0, 2.0), i(-3.0, 5.0), -6.0, 10.0),
            (i(-2.0, -1.0), i(-3.0, -2.0), 2.0, 6.0),
            (i(0.0, 0.0), i(-1.0, 1.0), 0.0, 0.0),
        ] {
            let p = a * b;
            assert!(p.lo <= lo && p.hi >= hi && p.lo > lo - 1e-14 && p.hi < hi + 1e-14, "{p:?}");
        }
    }
}
