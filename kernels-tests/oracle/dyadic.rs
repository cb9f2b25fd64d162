//! Numbers m 2^e with an integer m of any size: sums, differences and products of `f64` numbers, without rounding.

use glam::DVec3;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// An exact number.
#[derive(Clone, Debug, Default)]
pub struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

/// An exact point or vector.
pub type Exact3 = [Dyadic; 3];

impl From<f64> for Dyadic {
    fn from(x: f64) -> Self {
        assert!(x.is_finite(), "{x} is no number");
        let bits = x.to_bits();
        let (field, low) = ((bits >> 52 & 0x7ff) as i64, (bits & ((1 << 52) - 1)) as i64);
        let (mantissa, exponent) = if field == 0 { (low, -1074) } else { (low | 1 << 52, field - 1075) };
        let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
        let mantissa = BigInt::from(if x < 0.0 { -(mantissa >> zeros) } else { mantissa >> zeros });
        Self { mantissa, exponent: exponent + i64::from(zeros) }
    }
}

impl Dyadic {
    pub fn zero() -> Self {
        Self::default()
    }

    pub fn is_zero(&self) -> bool {
        self.mantissa.sign() == Sign::NoSign
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        match self.mantissa.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    /// The integers that represent two values in the same unit.
    pub fn aligned(&self, other: &Self) -> (BigInt, BigInt) {
        let low = self.exponent.min(other.exponent);
        let scaled = |x: &Self| if x.is_zero() { BigInt::ZERO } else { &x.mantissa << (x.exponent - low) as u64 };
        (scaled(self), scaled(other))
    }

    /// The value in units of 2^-bits, rounded down.
    pub fn fixed(&self, bits: u64) -> BigInt {
        let shift = self.exponent + bits as i64;
        if shift >= 0 { &self.mantissa << shift as u64 } else { &self.mantissa >> (-shift) as u64 }
    }

    fn with(&self, other: &Self, f: impl Fn(BigInt, BigInt) -> BigInt) -> Self {
        if self.is_zero() || other.is_zero() {
            let exponent = if self.is_zero() { other.exponent } else { self.exponent };
            return Self { mantissa: f(self.mantissa.clone(), other.mantissa.clone()), exponent };
        }
        let (a, b) = self.aligned(other);
        Self { mantissa: f(a, b), exponent: self.exponent.min(other.exponent) }
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, o: Self) -> Dyadic {
        self.with(o, |a, b| a + b)
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, o: Self) -> Dyadic {
        self.with(o, |a, b| a - b)
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, o: Self) -> Dyadic {
        Dyadic { mantissa: &self.mantissa * &o.mantissa, exponent: self.exponent + o.exponent }
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic { mantissa: -&self.mantissa, exponent: self.exponent }
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        (self - other).sign().cmp(&0)
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Dyadic {}

pub fn exact(p: DVec3) -> Exact3 {
    p.to_array().map(Dyadic::from)
}

pub fn sum(a: &Exact3, b: &Exact3) -> Exact3 {
    std::array::from_fn(|i| &a[i] + &b[i])
}

pub fn difference(a: &Exact3, b: &Exact3) -> Exact3 {
    std::array::from_fn(|i| &a[i] - &b[i])
}

pub fn scaled(a: &Exact3, s: &Dyadic) -> Exact3 {
    std::array::from_fn(|i| &a[i] * s)
}

pub fn dot(a: &Exact3, b: &Exact3) -> Dyadic {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

pub fn cross(a: &Exact3, b: &Exact3) -> Exact3 {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &(&a[j] * &b[k]) - &(&a[k] * &b[j])
    })
}

pub fn vanishes(a: &Exact3) -> bool {
    a.iter().all(Dyadic::is_zero)
}

#[test]
fn dyadic_arithmetic_is_exact() {
    let d = Dyadic::from;
    assert_eq!(&(&d(1e300) + &d(1e-300)) - &d(1e300), d(1e-300));
    assert_eq!(&d(0.1) * &d(3.0), &(&d(0.1) + &d(0.1)) + &d(0.1));
    assert_ne!(&d(0.1) + &d(0.2), d(0.3));
    assert_eq!(&d(f64::from_bits(1)) * &d(2.0), d(f64::from_bits(2)));
    assert!(d(-0.5) < d(0.0) && d(-0.0).is_zero() && d(-3.0).sign() == -1);
    assert_eq!(d(-1.5).fixed(4), BigInt::from(-24));
    assert_eq!(d(-1.5).fixed(0), BigInt::from(-2));
}
