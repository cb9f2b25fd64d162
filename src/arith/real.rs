//! The arithmetic in which a bound is computed.
//!
//! Every formula of the culling stages is written once over [`Real`]. With `f64` it is the reference, with
//! [`Lanes`](super::lanes::Lanes) it runs on several time intervals simultaneously, and the kernel tests run it on an
//! emulation of the GPU's `f32`, so that the error bounds of the kernels are tested against the worst arithmetic that
//! WGSL allows, not only against that of a particular adapter.

use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// A number, or several numbers side by side, with the operations that bounds need.
///
/// There is no division and no square root: neither has an error bound on every GPU.
pub trait Real:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Bound on the relative error of one `+`, `-` or `*`: `|computed - exact| <= UNIT |exact|`, underflow aside.
    const UNIT: f64;
    /// Bound on the absolute error that underflow adds to one formula of at most a hundred operations on magnitudes
    /// of at most 10⁶.
    const UNDERFLOW: f64;
    /// Number of values side by side; at most 32.
    const LANES: usize;

    /// The nearest representable number, in all lanes.
    fn new(x: f64) -> Self;
    /// Absolute value.
    #[must_use]
    fn abs(self) -> Self;
    /// The larger number.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The smaller number.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// Bit `i` is set if `self > other` in lane `i`.
    fn gt(self, other: Self) -> u32;
}

/// Arithmetic of the CPU, which also has division, square roots and selection.
pub trait FullReal: Real {
    /// The quotient, rounded to nearest.
    #[must_use]
    fn div(self, other: Self) -> Self;
    /// The square root, rounded to nearest.
    #[must_use]
    fn sqrt(self) -> Self;
    /// `x` in lanes whose bit of the mask is set, else `y`.
    #[must_use]
    fn select(mask: u32, x: Self, y: Self) -> Self;
}

impl FullReal for f64 {
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self / other
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn select(mask: u32, x: Self, y: Self) -> Self {
        if mask & 1 != 0 { x } else { y }
    }
}

impl Real for f64 {
    const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
    const UNDERFLOW: f64 = 1e-290;
    const LANES: usize = 1;

    #[inline(always)]
    fn new(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn gt(self, other: Self) -> u32 {
        (self > other) as u32
    }
}
