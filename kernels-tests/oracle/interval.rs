//! Intervals of `f64` with outward rounding: every result is computed to nearest and then widened by one step at both
//! ends, which encloses the exact result however it was rounded.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::{Add, Mul, Neg, Sub};

/// The numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    pub lo: f64,
    pub hi: f64,
}

/// A box.
pub type Box3 = [Interval; 3];

/// Half of the amount by which sine and cosine are widened. The errors of the platform's functions are assumed to be
/// below this, four units in the last place of 1; all libraries known to us have errors below one unit.
const TRIG_ERROR: f64 = 4.0 * f64::EPSILON;

impl Interval {
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };

    pub fn new(lo: f64, hi: f64) -> Self {
        debug_assert!(lo <= hi, "{lo} > {hi}");
        Self { lo, hi }
    }

    pub fn point(x: f64) -> Self {
        Self { lo: x, hi: x }
    }

    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Upper bound of the width.
    pub fn width(self) -> f64 {
        (self.hi - self.lo).next_up()
    }

    pub fn middle(self) -> f64 {
        0.5 * (self.lo + self.hi)
    }

    pub fn has(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    fn wider(lo: f64, hi: f64) -> Self {
        Self { lo: lo.next_down(), hi: hi.next_up() }
    }

    /// Sine and cosine.
    pub fn sin_cos(self) -> (Self, Self) {
        if self.hi - self.lo >= TAU {
            return (Self::new(-1.0, 1.0), Self::new(-1.0, 1.0));
        }
        let (a, b) = (self.lo.sin_cos(), self.hi.sin_cos());
        let around = |x: f64, y: f64, top: f64, bottom: f64| Self {
            lo: if self.passes(bottom) { -1.0 } else { (x.min(y) - 2.0 * TRIG_ERROR).max(-1.0) },
            hi: if self.passes(top) { 1.0 } else { (x.max(y) + 2.0 * TRIG_ERROR).min(1.0) },
        };
        (around(a.0, b.0, FRAC_PI_2, -FRAC_PI_2), around(a.1, b.1, 0.0, PI))
    }

    /// Returns whether `x` plus some number of whole turns is inside, or so near that rounding leaves it open.
    fn passes(self, x: f64) -> bool {
        let near = 1e-12 * (1.0 + self.lo.abs().max(self.hi.abs()));
        let turns = ((self.lo - near - x) / TAU).ceil();
        x + turns * TAU <= self.hi + near
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::wider(self.lo + o.lo, self.hi + o.hi)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::wider(self.lo - o.hi, self.hi - o.lo)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi];
        Self::wider(p[0].min(p[1]).min(p[2].min(p[3])), p[0].max(p[1]).max(p[2].max(p[3])))
    }
}

impl Mul<f64> for Interval {
    type Output = Self;
    fn mul(self, x: f64) -> Self {
        let (a, b) = (self.lo * x, self.hi * x);
        if x == 0.0 { Self::ZERO } else { Self::wider(a.min(b), a.max(b)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: Interval, lo: f64, hi: f64) {
        assert!((a.lo - lo).abs() < 1e-14 && (a.hi - hi).abs() < 1e-14, "{a:?} is not [{lo}, {hi}]");
    }

    #[test]
    fn sine_and_cosine_as_published() {
        for ((lo, hi), cos, sin) in [
            ((0.6, 1.8), (-0.2272020946930871, 0.8253356149096783), (0.5646424733950354, 1.0)),
            ((-2.5, -0.625), (-0.8011436155469337, 0.8109631195052179), (-1.0, -0.5850972729404622)),
            ((5.0, 8.0), (-0.14550003380861354, 1.0), (-0.9589242746631385, 1.0)),
            ((0.0, 7.0), (-1.0, 1.0), (-1.0, 1.0)),
        ] {
            let (s, c) = Interval::new(lo, hi).sin_cos();
            near(c, cos.0, cos.1);
            near(s, sin.0, sin.1);
        }
        assert_eq!(Interval::point(PI).sin_cos().1.lo, -1.0);
        assert_eq!(Interval::new(3.0, 3.5).sin_cos().1.lo, -1.0);
        assert_eq!(Interval::new(-3.5, -3.0).sin_cos().1.lo, -1.0);
    }

    #[test]
    fn rounding_is_outward() {
        let tenth = Interval::point(0.1);
        let sum = (0..10).fold(Interval::ZERO, |s, _| s + tenth);
        assert!(sum.lo < 1.0 && sum.hi > 1.0 && sum.width() < 1e-14);
        near(Interval::new(-1.0, 2.0) * Interval::new(-3.0, 0.5), -6.0, 3.0);
        near(Interval::new(-1.0, 2.0) - Interval::new(-3.0, 0.5), -1.5, 5.0);
        near(Interval::new(-1.0, 2.0) * -2.0, -4.0, 2.0);
    }

    proptest! {
        #[test]
        fn sine_and_cosine_hold_every_angle_between(a in -20.0..20.0, width in 0.0..7.0, share in 0.0..=1.0) {
            let angle: f64 = a + share * width;
            let (s, c) = Interval::new(a, a + width).sin_cos();
            prop_assert!(s.has(angle.sin()) && c.has(angle.cos()));
        }
    }
}
