//! Rigorous arithmetic: a real number is known to be within a radius of a midpoint.
//!
//! The midpoint of a result is computed in round-to-nearest, whose error is at most `2^-53` of the result, or `2^-1075`
//! where it underflows. The radius is a sum of non-negative terms; [`grow`] covers the rounding of up to 30 operations
//! on them, and every underflow. Overflow gives an infinite or NaN radius, and no comparison with NaN holds.

use std::ops::{Add, Mul, Neg, Sub};

/// All real numbers within `rad` of `mid`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ball {
    pub mid: f64,
    pub rad: f64,
}

/// Largest relative error of one rounding.
const UNIT: f64 = f64::EPSILON / 2.0;
/// Relative spare of a radius, 32 roundings.
const SPARE: f64 = 32.0 * UNIT;
/// Absolute spare of a radius: 2^-200, far above any underflow and far below any length.
const TINY: f64 = f64::from_bits((1023 - 200) << 52);

/// An upper bound for a sum of non-negative terms, computed with at most 30 roundings.
fn grow(radius: f64) -> f64 {
    radius * (1.0 + SPARE) + TINY
}

/// The larger of two numbers, NaN if one of them is NaN.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b {
        a
    } else if b >= a {
        b
    } else {
        f64::NAN
    }
}

impl Ball {
    pub const ZERO: Self = Self::exact(0.0);
    pub const ONE: Self = Self::exact(1.0);
    pub const NAN: Self = Self { mid: f64::NAN, rad: f64::NAN };

    /// The number itself.
    pub const fn exact(mid: f64) -> Self {
        Self { mid, rad: 0.0 }
    }

    /// A quotient of two exact numbers, the second not 0.
    pub fn ratio(a: f64, b: f64) -> Self {
        let mid = a / b;
        Self { mid, rad: grow(UNIT * mid.abs()) }
    }

    /// The same with a larger radius.
    pub fn widened(self, by: f64) -> Self {
        Self { mid: self.mid, rad: grow(self.rad + by) }
    }

    /// An upper bound.
    pub fn upper(self) -> f64 {
        (self.mid + self.rad).next_up()
    }

    /// A lower bound.
    pub fn lower(self) -> f64 {
        (self.mid - self.rad).next_down()
    }

    /// An upper bound for the absolute value.
    pub fn magnitude(self) -> f64 {
        (self.mid.abs() + self.rad).next_up()
    }

    /// The square root; NaN unless the number is certainly positive.
    pub fn sqrt(self) -> Self {
        let (mid, least) = (self.mid.sqrt(), self.lower());
        if !(least > 0.0) {
            return Self::NAN;
        }
        // |√x - √m| = |x - m| / (√x + √m)
        Self { mid, rad: grow(self.rad / least.sqrt() + UNIT * mid) }
    }

    /// One over the number; NaN unless it is certainly not 0.
    pub fn recip(self) -> Self {
        let (mid, least) = (1.0 / self.mid, (self.mid.abs() - self.rad).next_down());
        if !(least > 0.0) {
            return Self::NAN;
        }
        Self { mid, rad: grow(self.rad / (least * self.mid.abs()) + UNIT * mid.abs()) }
    }
}

impl Add for Ball {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let mid = self.mid + other.mid;
        Self { mid, rad: grow(self.rad + other.rad + UNIT * mid.abs()) }
    }
}

impl Neg for Ball {
    type Output = Self;
    fn neg(self) -> Self {
        Self { mid: -self.mid, rad: self.rad }
    }
}

impl Sub for Ball {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Ball {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mid = self.mid * other.mid;
        Self { mid, rad: grow(product_radius(self, other) + UNIT * mid.abs()) }
    }
}

/// Radius of a product apart from rounding: `|a||b - b'| + |b||a - a'|` and the product of both.
fn product_radius(a: Ball, b: Ball) -> f64 {
    a.mid.abs() * b.rad + a.rad * (b.mid.abs() + b.rad)
}

/// A sum of up to 16 products.
///
/// A sum of `n` rounded products in any order has an error of at most `n u / (1 - n u)` of the sum of their sizes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    mid: f64,
    size: f64,
    rad: f64,
    terms: f64,
}

impl Sum {
    /// Adds a product.
    pub fn add(&mut self, a: Ball, b: Ball) {
        let product = a.mid * b.mid;
        self.mid += product;
        self.size += product.abs();
        self.rad += product_radius(a, b);
        self.terms += 1.0;
    }

    /// Adds an unknown number whose absolute value is at most `by`.
    pub fn blur(&mut self, by: f64) {
        self.rad += by;
    }

    /// The sum.
    pub fn ball(self) -> Ball {
        Ball { mid: self.mid, rad: grow(self.rad + (self.terms + 1.0) * UNIT * self.size) }
    }
}

/// The scalar product.
pub(crate) fn dot(a: [Ball; 3], b: [Ball; 3]) -> Ball {
    let mut sum = Sum::default();
    for (a, b) in a.into_iter().zip(b) {
        sum.add(a, b);
    }
    sum.ball()
}

/// The cross product.
pub(crate) fn cross(a: [Ball; 3], b: [Ball; 3]) -> [Ball; 3] {
    let entry = |i: usize, j: usize| {
        let mut sum = Sum::default();
        sum.add(a[i], b[j]);
        sum.add(-a[j], b[i]);
        sum.ball()
    };
    [entry(1, 2), entry(2, 0), entry(0, 1)]
}

/// The difference of two points.
pub(crate) fn minus(a: [Ball; 3], b: [Ball; 3]) -> [Ball; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

/// A vector of exact numbers.
pub(crate) fn exact(v: [f64; 3]) -> [Ball; 3] {
    v.map(Ball::exact)
}

/// An upper bound for the length.
pub(crate) fn norm(v: [Ball; 3]) -> f64 {
    dot(v, v).upper().sqrt().next_up()
}
