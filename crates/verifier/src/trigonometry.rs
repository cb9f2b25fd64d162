//! Sine and cosine with rigorous errors.

use crate::ball::Ball;

/// π/2 in three parts of 33 bits each, whose products with integers up to 2^20 are exact.
pub(crate) const HALF_PI: [f64; 3] = [
    f64::from_bits(0x3FF9_21FB_5440_0000),
    f64::from_bits(0x3DD0_B461_1A60_0000),
    f64::from_bits(0x3BA3_198A_2E00_0000),
];
/// Upper bound for the rest of π/2.
pub(crate) const HALF_PI_REST: f64 = 8.5e-32;
/// Largest number of quarter turns.
const MAX_QUARTERS: f64 = 1_048_576.0;
/// Bound for the rest of a Taylor series at an angle of at most 0.8: `0.8^20 / 20!` is below 5e-21.
const SERIES_REST: f64 = 5e-21;

/// Sine and cosine of an angle. NaN for angles beyond a million quarter turns.
pub(crate) fn sin_cos(angle: Ball) -> (Ball, Ball) {
    let quarters = (angle.mid * std::f64::consts::FRAC_2_PI).round();
    if !(quarters.abs() <= MAX_QUARTERS) {
        return (Ball::NAN, Ball::NAN);
    }
    let mut rest = Ball::exact(angle.mid);
    for part in HALF_PI {
        rest = rest - Ball::exact(quarters * part);
    }
    if !(rest.magnitude() <= 0.8) {
        return (Ball::NAN, Ball::NAN);
    }
    // Neither function changes faster than the angle.
    let change = (angle.rad + rest.rad + quarters.abs() * HALF_PI_REST) * (1.0 + 1e-14);
    let (sin, cos) = series(rest.mid);
    let (sin, cos) = (sin.widened(change), cos.widened(change));
    match (quarters as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// Sine and cosine of an exact angle of at most 0.8, by their Taylor series up to orders 19 and 18.
fn series(angle: f64) -> (Ball, Ball) {
    let x = Ball::exact(angle);
    let square = x * x;
    let (mut sin, mut cos) = (Ball::ONE, Ball::ONE);
    // sin x = x (1 - x²/(2·3) (1 - x²/(4·5) (1 - …))) and cos x = 1 - x²/(1·2) (1 - x²/(3·4) (1 - …))
    for n in (1..=9).map(|k| f64::from(2 * k)).rev() {
        sin = Ball::ONE - square * Ball::ratio(1.0, n * (n + 1.0)) * sin;
        cos = Ball::ONE - square * Ball::ratio(1.0, n * (n - 1.0)) * cos;
    }
    ((x * sin).widened(SERIES_REST), cos.widened(SERIES_REST))
}
