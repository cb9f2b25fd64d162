//! Intervals for the checker: an addition, subtraction, product or quotient rounded to nearest is adjacent to the exact
//! value, so the neighbouring numbers enclose it.

use std::ops::{Add, Mul, Sub};

/// All numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Num {
    pub lo: f64,
    pub hi: f64,
}

/// The whole line, for results that are not finite.
const NOTHING: Num = Num { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

impl Num {
    pub const fn new(x: f64) -> Self {
        Self { lo: x, hi: x }
    }

    pub fn middle(self) -> f64 {
        0.5 * self.lo + 0.5 * self.hi
    }

    fn outward(lo: f64, hi: f64) -> Self {
        if lo.is_finite() && hi.is_finite() { Self { lo: lo.next_down(), hi: hi.next_up() } } else { NOTHING }
    }

    pub fn square(self) -> Self {
        let Self { lo, hi } = self * self;
        if self.lo <= 0.0 && self.hi >= 0.0 { Self { lo: 0.0, hi } } else { Self { lo: lo.max(0.0), hi } }
    }

    /// Returns the quotient by a positive number; the whole line if the divisor is not certainly positive.
    pub fn over(self, o: Self) -> Self {
        if !(o.lo > 0.0) {
            return NOTHING;
        }
        let all = [self.lo / o.lo, self.lo / o.hi, self.hi / o.lo, self.hi / o.hi];
        Self::hull(all)
    }

    /// Returns an upper bound on the square roots of the interval's numbers.
    pub fn root(self) -> f64 {
        self.hi.max(0.0).sqrt().next_up()
    }

    pub fn abs(self) -> Self {
        let hi = self.lo.abs().max(self.hi.abs());
        let lo = if self.lo <= 0.0 && self.hi >= 0.0 { 0.0 } else { self.lo.abs().min(self.hi.abs()) };
        Self { lo, hi }
    }

    fn hull(all: [f64; 4]) -> Self {
        if all.iter().any(|x| !x.is_finite()) {
            return NOTHING;
        }
        let (lo, hi) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        Self::outward(lo, hi)
    }
}

impl Add for Num {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::outward(self.lo + o.lo, self.hi + o.hi)
    }
}

impl Sub for Num {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::outward(self.lo - o.hi, self.hi - o.lo)
    }
}

impl Mul for Num {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self::hull([self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi])
    }
}

/// A vector.
pub type Vec3 = [Num; 3];

pub fn vector(v: [f64; 3]) -> Vec3 {
    v.map(Num::new)
}

pub fn plus(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] + b[i])
}

pub fn minus(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn dot(a: Vec3, b: Vec3) -> Num {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn norm2(a: Vec3) -> Num {
    a[0].square() + a[1].square() + a[2].square()
}

/// An affine map: three rows, the last column the image of the origin.
pub type Rows = [[Num; 4]; 3];

pub fn apply(m: &Rows, x: Vec3) -> Vec3 {
    std::array::from_fn(|i| m[i][3] + dot([m[i][0], m[i][1], m[i][2]], x))
}

pub fn combine(a: &Rows, b: &Rows, f: impl Fn(Num, Num) -> Num) -> Rows {
    std::array::from_fn(|i| std::array::from_fn(|j| f(a[i][j], b[i][j])))
}

/// Encloses sine and cosine of an angle; the enclosure is useful up to a few million radians. The angle is halved until
/// it is small, Taylor's series is evaluated, and the result is doubled again.
pub fn sin_cos(x: Num) -> (Num, Num) {
    let (mut small, mut halvings) = (x, 0);
    while small.abs().hi > 0.125 && halvings < 40 {
        small = small * Num::new(0.5);
        halvings += 1;
    }
    if small.abs().hi > 0.125 {
        return (NOTHING, NOTHING);
    }
    let z = small.square();
    // Each term is at most z/2 times the one before, so the omitted terms sum to less than the last one used.
    let series = |first: Num, from: f64| {
        let (mut sum, mut term, mut k) = (first, first, from);
        for _ in 0..8 {
            term = Num::new(0.0) - (term * z).over(Num::new((k + 1.0) * (k + 2.0)));
            (sum, k) = (sum + term, k + 2.0);
        }
        let rest = term.abs().hi;
        sum + Num { lo: -rest, hi: rest }
    };
    let (mut s, mut c) = (series(small, 1.0), series(Num::new(1.0), 0.0));
    for _ in 0..halvings {
        (s, c) = (Num::new(2.0) * s * c, c.square() - s.square());
    }
    (s, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_enclosed_and_near() {
        for i in -300..300 {
            let x = f64::from(i) * 0.37;
            let (s, c) = sin_cos(Num::new(x));
            let (sin, cos) = x.sin_cos();
            for (e, v) in [(s, sin), (c, cos)] {
                assert!(e.lo <= v + 1e-15 && v - 1e-15 <= e.hi && e.hi - e.lo < 1e-10, "{x}: {e:?} {v}");
            }
        }
    }

    #[test]
    fn non_finite_results_are_unbounded() {
        let huge = Num::new(1e200);
        assert_eq!(huge * huge - huge * huge, NOTHING);
        assert_eq!(Num::new(1.0).over(Num { lo: -1.0, hi: 1.0 }), NOTHING);
        assert_eq!(NOTHING * Num::new(0.0), NOTHING);
    }
}
