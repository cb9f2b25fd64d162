//! Several numbers side by side, one per time interval, in a form that compilers turn into vector instructions.

use crate::arith::real::{FullReal, Real};
use std::ops::{Add, Mul, Neg, Sub};

/// `N` numbers, `N <= 32`; every operation works lane by lane and rounds as `f64` does. They are aligned to 64
/// bytes, so that eight numbers are in one line of a cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes<const N: usize>(pub [f64; N]);

impl<const N: usize> Default for Lanes<N> {
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> Lanes<N> {
    /// Creates the lanes `f(i)`. A plain loop: the compiler turns it into vector instructions, which it does not do for
    /// `array::from_fn` or `map` at these sizes.
    #[inline(always)]
    pub fn from_fn(mut f: impl FnMut(usize) -> f64) -> Self {
        let mut lanes = [0.0; N];
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = f(i);
        }
        Self(lanes)
    }
}

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const N: usize> $trait for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::from_fn(|i| self.0[i] $op other.0[i])
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_fn(|i| -self.0[i])
    }
}

impl<const N: usize> FullReal for Lanes<N> {
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self::from_fn(|i| self.0[i] / other.0[i])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::from_fn(|i| self.0[i].sqrt())
    }
    #[inline(always)]
    fn select(mask: u32, x: Self, y: Self) -> Self {
        Self::from_fn(|i| if mask >> i & 1 != 0 { x.0[i] } else { y.0[i] })
    }
}

impl<const N: usize> Real for Lanes<N> {
    const UNIT: f64 = f64::UNIT;
    const UNDERFLOW: f64 = f64::UNDERFLOW;
    const LANES: usize = N;

    #[inline(always)]
    fn new(x: f64) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::from_fn(|i| self.0[i].abs())
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::from_fn(|i| Real::max(self.0[i], other.0[i]))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::from_fn(|i| Real::min(self.0[i], other.0[i]))
    }
    #[inline(always)]
    fn gt(self, other: Self) -> u32 {
        let mut mask = 0;
        for i in 0..N {
            mask |= ((self.0[i] > other.0[i]) as u32) << i;
        }
        mask
    }
}
