//! Numbers to 256 binary places with an explicit error bound.
//!
//! A ball is an integer number of units of 2^-256, plus or minus another integer number of them. Every operation rounds
//! to units and adds its rounding error to the radius, so that the exact result of exact operands is always inside.

use super::dyadic::Dyadic;
use num_bigint::{BigInt, Sign};
use std::ops::{Add, Mul, Neg, Sub};

/// Binary places.
const PLACES: u64 = 256;

/// All numbers within `radius` units of `middle` units.
#[derive(Clone, Debug, Default)]
pub struct Ball {
    middle: BigInt,
    radius: BigInt,
}

impl From<&Dyadic> for Ball {
    fn from(x: &Dyadic) -> Self {
        let middle = x.fixed(PLACES);
        // exact unless places were cut off
        let cut = Dyadic::zero() != x - &Self { middle: middle.clone(), radius: BigInt::ZERO }.middle_exact();
        Self { middle, radius: BigInt::from(u8::from(cut)) }
    }
}

impl From<f64> for Ball {
    fn from(x: f64) -> Self {
        Self::from(&Dyadic::from(x))
    }
}

impl Ball {
    /// The smallest ball that contains two numbers and all between.
    pub fn between(lo: &Dyadic, hi: &Dyadic) -> Self {
        let (a, b) = (Self::from(lo), Self::from(hi));
        let middle: BigInt = (&a.middle + &b.middle) >> 1;
        let radius = magnitude(&(&b.middle - &middle)).max(magnitude(&(&middle - &a.middle))) + &a.radius + &b.radius;
        Self { middle, radius }
    }

    fn middle_exact(&self) -> Dyadic {
        &Dyadic::from(2.0_f64.powi(-(PLACES as i32))) * &whole(&self.middle)
    }

    /// -1 or 1 if the whole ball has that sign, otherwise `None`.
    pub fn sign(&self) -> Option<i32> {
        (magnitude(&self.middle) > self.radius).then(|| if self.middle.sign() == Sign::Minus { -1 } else { 1 })
    }

    /// The middle, approximately.
    pub fn value(&self) -> f64 {
        let drop = self.middle.bits().saturating_sub(100);
        let top = i128::try_from(&self.middle >> drop).expect("a hundred bits");
        top as f64 * 2.0_f64.powi(i32::try_from(drop as i64 - PLACES as i64).expect("a small exponent"))
    }

    /// The radius, approximately and not below it.
    pub fn radius(&self) -> f64 {
        let ball = Self { middle: &self.radius + 1, radius: BigInt::ZERO };
        ball.value().next_up()
    }

    /// Sine and cosine, for angles below a million or so.
    pub fn sin_cos(&self) -> (Self, Self) {
        // series for a small part of the angle, then doubled: each doubling loses at most two places
        let halvings = (self.middle.bits() + 8).saturating_sub(PLACES);
        let small = Self { middle: &self.middle >> halvings, radius: (&self.radius >> halvings) + 1 + 1 };
        let square = &small * &small;
        let series = |first: Self, from: u32| {
            let (mut sum, mut term, mut n) = (first.clone(), first, from);
            loop {
                term = -&(&term * &square).over(n * (n + 1));
                n += 2;
                let size = magnitude(&term.middle) + &term.radius;
                if size <= BigInt::from(4) {
                    // the remaining terms alternate and decrease: their sum is at most the first of them
                    sum.radius += size;
                    return sum;
                }
                sum = &sum + &term;
            }
        };
        let (mut sin, mut cos) = (series(small.clone(), 2), series(Self::from(1.0), 1));
        for _ in 0..halvings {
            let double = &sin * &cos;
            (cos, sin) = (&(&cos * &cos) - &(&sin * &sin), &double + &double);
        }
        (sin, cos)
    }

    /// The quotient by a small integer.
    fn over(&self, n: u32) -> Self {
        Self { middle: &self.middle / n, radius: &self.radius / n + 2 }
    }

    /// The quotient, if the divisor is certainly not zero.
    pub fn quotient(&self, divisor: &Self) -> Option<Self> {
        divisor.sign()?;
        let middle: BigInt = (&self.middle << PLACES) / &divisor.middle;
        // |a/b - a'/b'| <= (|a - a'| + |a'/b'| |b - b'|) / |b|
        let least = magnitude(&divisor.middle) - &divisor.radius;
        let error = (&self.radius << PLACES) + (magnitude(&middle) + 1) * &divisor.radius;
        Some(Self { middle, radius: error / least + 2 })
    }
}

/// An integer as a [`Dyadic`].
fn whole(n: &BigInt) -> Dyadic {
    let (base, mut out) = (Dyadic::from(2.0_f64.powi(32)), Dyadic::zero());
    for digit in n.iter_u32_digits().rev() {
        out = &(&out * &base) + &Dyadic::from(f64::from(digit));
    }
    if n.sign() == Sign::Minus { -&out } else { out }
}

fn magnitude(n: &BigInt) -> BigInt {
    BigInt::from(n.magnitude().clone())
}

impl Add for &Ball {
    type Output = Ball;
    fn add(self, o: Self) -> Ball {
        Ball { middle: &self.middle + &o.middle, radius: &self.radius + &o.radius }
    }
}

impl Sub for &Ball {
    type Output = Ball;
    fn sub(self, o: Self) -> Ball {
        Ball { middle: &self.middle - &o.middle, radius: &self.radius + &o.radius }
    }
}

impl Neg for &Ball {
    type Output = Ball;
    fn neg(self) -> Ball {
        Ball { middle: -&self.middle, radius: self.radius.clone() }
    }
}

impl Mul for &Ball {
    type Output = Ball;
    fn mul(self, o: Self) -> Ball {
        let (a, b) = (magnitude(&self.middle), magnitude(&o.middle));
        let error = a * &o.radius + b * &self.radius + &self.radius * &o.radius;
        Ball { middle: (&self.middle * &o.middle) >> PLACES, radius: (error >> PLACES) + 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_as_published() {
        // arguments are the nearest doubles; values correct to 17 digits
        for (x, sin, cos) in [
            (0.1, 0.099833416646828158, 0.99500416527802577),
            (0.785_398_163_397_448_3, 0.70710678118654750, 0.70710678118654755),
            (1.570_796_326_794_896_6, 1.0, 6.1232339957367659e-17),
            (3.141_592_653_589_793, 1.2246467991473532e-16, -1.0),
            (-2.5, -0.59847214410395649, -0.80114361554693371),
            (100.0, -0.50636564110975879, 0.86231887228768393),
            (1_000_000.0, -0.34999350217129295, 0.93675212753314479),
        ] {
            let (s, c) = Ball::from(x).sin_cos();
            let near = |a: f64, b: f64| (a - b).abs() <= 2e-16 * b.abs();
            assert!(near(s.value(), sin) && near(c.value(), cos), "{x}: {} {}", s.value(), c.value());
            assert!(s.radius() < 1e-60 && c.radius() < 1e-60, "{x}: {:e}", s.radius());
            let one = &(&(&s * &s) + &(&c * &c)) - &Ball::from(1.0);
            assert_eq!(one.sign(), None);
            assert!(one.radius() < 1e-60);
        }
    }

    #[test]
    fn arithmetic_keeps_the_exact_result() {
        let third = Ball::from(1.0).quotient(&Ball::from(3.0)).expect("3 is not 0");
        let rest = &(&third * &Ball::from(3.0)) - &Ball::from(1.0);
        assert!(rest.sign().is_none() && rest.radius() < 1e-75);
        let small = Ball::from(1e-100);
        assert_eq!(small.sign(), None);
        assert!(small.radius() < 1e-76);
        assert_eq!(Ball::from(-1e-70).sign(), Some(-1));
        assert!(Ball::from(1.0).quotient(&small).is_none());
        let wide = Ball::between(&Dyadic::from(0.25), &Dyadic::from(0.75));
        assert_eq!((wide.value(), wide.sign()), (0.5, Some(1)));
        assert!((wide.radius() - 0.25).abs() < 1e-15);
        assert_eq!((&wide - &Ball::from(0.7)).sign(), None);
        assert_eq!((&wide - &Ball::from(0.8)).sign(), Some(-1));
    }
}
