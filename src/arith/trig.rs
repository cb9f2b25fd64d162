//! Sine and cosine with a proved bound, the same bits on every platform.
//!
//! The standard library's sines have no documented bound and differ between systems, so the engine has its own. The
//! argument is a product `w t` (joint rate times time), kept exact as a pair of numbers: dropping the tail would cost
//! up to `2^-53 |w t|`.
//!
//! **Bound**, for `|w t| <= 2^20`, with `v = 2^-53`: each result is within `2.75 v` of the true value.
//! - Reduction: with `π/2 = P1 + P2 + P3 + 1e-37`, `P1` and `P2` of 33 bits and `|k| < 2^20`, both `k P1` and `k P2`
//!   are exact, `x - k P1` is exact (Sterbenz; or `k = 0`). Subtracting `k P2`, `k P3` and adding the tail round by at
//!   most `v/2` each, since `|r| < 1`: the angle is wrong by at most `1.5 v`.
//! - Sine: the last addition `0.5 v`; the cubic part is at most 0.0808 with a relative error of `5.2 v`, `0.42 v`;
//!   truncation below `1e-19`. Angle error times `|cos r| <= 1`. Sum `< 2.45 v`.
//! - Cosine: the last addition `0.5 v`; `z |p| <= 0.293` with `2.75 v`, `0.81 v`; truncation `0.02 v`. Angle error
//!   times `|sin r| <= 0.708`. Sum `< 2.4 v`.
//!
//! No fused multiply-add is used: every target computes the same bits.

use crate::arith::real::{FullReal, Real};

/// Bound on the absolute error of [`sin_cos_product`], widened from `2.75 v` to `4 v`.
pub const TRIG_ERROR: f64 = 4.0 * f64::EPSILON / 2.0;

/// The largest `|w t|` that [`sin_cos_product`] accepts, radians.
pub const MAX_ANGLE_RAD: f64 = (1u64 << 20) as f64;

const P1: f64 = 1.570_796_326_734_125_6;
const P2: f64 = 6.077_100_506_303_966e-11;
const P3: f64 = 2.022_266_248_795_950_6e-21;
/// Number whose addition and subtraction rounds to the nearest integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The exact product `a b` as an unevaluated sum: Dekker's product with Veltkamp's splitting. Exact unless the product
/// is beyond 10^290 or below 10^-290.
#[inline(always)]
fn exact_product<T: Real>(a: T, b: T) -> (T, T) {
    let product = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    (product, ((ah * bh - product) + ah * bl + al * bh) + al * bl)
}

#[inline(always)]
fn split<T: Real>(x: T) -> (T, T) {
    let c = T::new(134_217_729.0) * x;
    let high = c - (c - x);
    (high, x - high)
}

/// `(sin(w t), cos(w t))`, each within [`TRIG_ERROR`], for `|w t| <=` [`MAX_ANGLE_RAD`].
#[inline(always)]
pub fn sin_cos_product<T: FullReal>(w: T, t: T) -> (T, T) {
    let (x, tail) = exact_product(w, t);
    sin_cos_pair(x, tail)
}

/// `(sin x, cos x)`, each within [`TRIG_ERROR`], for `|x| <=` [`MAX_ANGLE_RAD`].
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    sin_cos_pair(x, 0.0)
}

/// `(sin, cos)` of `x + tail`, each within [`TRIG_ERROR`], where `tail` is zero or the rounding error of `x`.
#[inline(always)]
pub fn sin_cos_pair<T: FullReal>(x: T, tail: T) -> (T, T) {
    let (one, round) = (T::new(1.0), T::new(ROUND));
    let k = (x * T::new(std::f64::consts::FRAC_2_PI) + round) - round;
    let r = (((x - k * T::new(P1)) - k * T::new(P2)) - k * T::new(P3)) + tail;
    let z = r * r;
    // Taylor coefficients, Horner's rule: |r| is at most slightly above π/4.
    let (mut sine_tail, mut cosine_tail) = (T::new(SINE[0]), T::new(COSINE[0]));
    for i in 1..SINE.len() {
        sine_tail = T::new(SINE[i]) + z * sine_tail;
        cosine_tail = T::new(COSINE[i]) + z * cosine_tail;
    }
    let (sine, cosine) = (r + (r * z) * sine_tail, one + z * cosine_tail);
    // k is an integer below 2^21: its remainder modulo four, computed exactly, is the quadrant.
    let quadrant = k - T::new(4.0) * ((k * T::new(0.25) - T::new(0.375) + round) - round);
    let [first, second, third] = [0.5, 1.5, 2.5].map(|x| quadrant.gt(T::new(x)));
    let swapped = first & !second | third;
    let (sin, cos) = (T::select(swapped, cosine, sine), T::select(swapped, sine, cosine));
    (T::select(second, -sin, sin), T::select(first & !third, -cos, cos))
}

/// Coefficients, highest first, of `(sin r - r)/r³` and `(cos r - 1)/r²` in powers of `r²`.
const SINE: [f64; 8] = [
    2.811_457_254_345_520_6e-15,
    -7.647_163_731_819_816e-13,
    1.605_904_383_682_161_3e-10,
    -2.505_210_838_544_172e-8,
    2.755_731_922_398_589_3e-6,
    -1.984_126_984_126_984e-4,
    8.333_333_333_333_333e-3,
    -1.0 / 6.0,
];
const COSINE: [f64; 8] = [
    4.779_477_332_387_385e-14,
    -1.147_074_559_772_972_5e-11,
    2.087_675_698_786_81e-9,
    -2.755_731_922_398_589e-7,
    2.480_158_730_158_73e-5,
    -1.388_888_888_888_889e-3,
    4.166_666_666_666_666_4e-2,
    -0.5,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Values to 17 digits from 160-bit arithmetic; some happen to be near well-known constants.
    #[allow(clippy::approx_constant)]
    const TABLE: [(f64, f64, f64); 9] = [
        (0.1, 0.099833416646828158, 0.99500416527802577),
        (0.785_398_163_397_448_3, 0.70710678118654750, 0.70710678118654755),
        (1.570_796_326_794_896_6, 1.0, 6.1232339957367659e-17),
        (3.141_592_653_589_793, 1.2246467991473532e-16, -1.0),
        (-2.5, -0.59847214410395649, -0.80114361554693371),
        (100.0, -0.50636564110975879, 0.86231887228768393),
        (1e6, -0.34999350217129295, 0.93675212753314479),
        // The fourth quadrant.
        (5.0, -0.95892427466313847, 0.28366218546322626),
        (-1.0, -0.84147098480789651, 0.54030230586813972),
    ];

    #[test]
    fn published_values() {
        for (x, s, c) in TABLE {
            let (sine, cosine) = sin_cos(x);
            assert!((sine - s).abs() <= TRIG_ERROR && (cosine - c).abs() <= TRIG_ERROR, "{x}: {sine} {cosine}");
        }
    }

    /// The tail of the product matters: for w t near 10⁵ its omission would be visible.
    #[test]
    fn the_tail_of_the_product_is_kept() {
        // 100000.1 * 0.9 as exact rationals, reduced in 200-bit arithmetic.
        let (w, t) = (100_000.1, 0.9);
        let (x, tail) = exact_product(w, t);
        assert!(tail != 0.0 && tail.abs() < 1e-10 && x == w * t);
        let (s, c) = sin_cos_product(w, t);
        let (s0, c0) = sin_cos(x);
        // d sin = cos * tail
        assert!((s - s0 - c0 * tail).abs() <= 2.0 * TRIG_ERROR && (c - c0 + s0 * tail).abs() <= 2.0 * TRIG_ERROR);
        assert!(tail.abs() > 8.0 * TRIG_ERROR, "the test must be able to see the tail");
    }
}
