//! Phases of joints: polynomials of time.
//!
//! A [`JointMotion`](super::JointMotion) is a function of its joint's phase `s`: the angle is `w s`, the offset
//! `origin + s slide`. In an in-between motion the phase is the time. On a segment of a trajectory it is the joint's
//! value without that at the start, in radians (`w = 1`) or metres (`|slide| = 1`). With the derivatives `x_s`, `x_ss`
//! of a pose with respect to the phase, the chain rule gives those with respect to time: `x' = s' x_s` and
//! `x'' = s'' x_s + s'² x_ss`.
//!
//! **Rounding.** Let `u = 2⁻⁵³`, `n` the degree, `M` the largest coefficient of a polynomial in Bernstein form.
//! [`Phase::at`] multiplies each term at most `3n + 3` times by `1 + δ`, `|δ| <= u`, and all weights are positive, so
//! the value is off by at most `(3n + 4) u M`. The coefficients of `s'` are differences that round twice, those of
//! `s''` differences of these, with `r_k` a bound of the k-th derivative:
//!
//! ```text
//! |δs| <= (3n + 4) u M      |δs'| <= (3n + 6) u r_1      |δs''| <= (3n + 6) u r_2 + 4 (n - 1) u r_1
//! ```
//!
//! `δs` belongs to the deviation of a joint ([`VALUE_ROUNDING`]), the others to the rounding of jets
//! ([`chain_bounds`](crate::enclosure::chain_bounds)).

use super::trajectory::MAX_DEGREE;
use crate::arith::interval::Interval;
use crate::arith::lanes::Lanes;
use crate::arith::real::Real;

/// Bound on the rounding of a phase, relative to its largest coefficient.
pub const VALUE_ROUNDING: f64 = (3 * MAX_DEGREE + 4) as f64 / (1u64 << 53) as f64;
/// Number of equal parts of the time in which derivatives are bounded, a power of two. In each part the coefficients
/// are the bound; the shorter the part, the tighter it is.
pub const PARTS: usize = 8;
/// One number for each part.
pub type Parts = Lanes<PARTS>;

/// The phase of a joint over the time `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    degree: usize,
    /// Coefficients of the phase and its first and second derivative, each times its binomial coefficient.
    weighted: [[f64; MAX_DEGREE + 1]; 3],
    /// The lowest and highest phase.
    range: [f64; 2],
    /// Bounds on the sizes of the first three derivatives, in each part of the time.
    rates: [Parts; 3],
}

impl Phase {
    /// The phase of an in-between motion: the time.
    pub const TIME: Self = {
        let mut weighted = [[0.0; MAX_DEGREE + 1]; 3];
        (weighted[0][1], weighted[1][0]) = (1.0, 1.0);
        Self {
            degree: 1,
            weighted,
            range: [0.0, 1.0],
            rates: [Lanes([1.0; PARTS]), Lanes([0.0; PARTS]), Lanes([0.0; PARTS])],
        }
    };

    /// The phase with these Bernstein coefficients, two to sixteen, of which the first is zero.
    pub fn new(coefficients: &[f64]) -> Self {
        let n = coefficients.len() - 1;
        let mut all = [[0.0; MAX_DEGREE + 1]; 4];
        all[0][..=n].copy_from_slice(coefficients);
        for k in 1..=n.min(3) {
            for i in 0..=n - k {
                all[k][i] = (n - k + 1) as f64 * (all[k - 1][i + 1] - all[k - 1][i]);
            }
        }
        let largest = coefficients.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
        let weighted = [[0.0; MAX_DEGREE + 1]; 3];
        let mut phase = Self { degree: n, weighted, range: [0.0; 2], rates: [Parts::default(); 3] };
        let hull = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        phase.range = ranges(&all[0][..=n], 0, largest).into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], hull);
        for k in 1..=n.min(3) {
            phase.rates[k - 1] = Lanes(ranges(&all[k][..=n - k], k, largest).map(|[lo, hi]| hi.max(-lo)));
        }
        for k in 0..=n.min(2) {
            for i in 0..=n - k {
                phase.weighted[k][i] = all[k][i] * binomial(n - k, i);
            }
        }
        phase
    }

    /// Degree of the polynomial.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The lowest and highest phase.
    pub fn range(&self) -> [f64; 2] {
        self.range
    }

    /// Bounds on the sizes of the first three derivatives.
    pub fn rates(&self) -> [f64; 3] {
        self.rates.map(|in_parts| in_parts.0.into_iter().fold(0.0, f64::max))
    }

    /// The same in each of [`PARTS`] equal parts of the time.
    pub fn rates_in_parts(&self) -> &[Parts; 3] {
        &self.rates
    }

    /// An interval of the phase around a time, up to `h` before and after it: by the value and derivative there and the
    /// bound on the second derivative.
    #[inline(always)]
    pub fn range_within<T: Real>(&self, t: T, h: f64) -> Interval<T> {
        let [s, first, _] = self.at(t);
        let [r1, r2, _] = self.rates();
        // The rounding error of the derivative is less than 64 units of its bound.
        let beyond = h * (r1 * 64.0 * f64::EPSILON + 0.5 * h * r2) * (1.0 + 16.0 * f64::EPSILON);
        let reach = first.abs() * T::new(h) * T::new(1.0 + 4.0 * f64::EPSILON) + T::new(beyond);
        Interval { lo: s - reach, hi: s + reach }
    }

    /// The phase and its first two derivatives at a time in `[0, 1]`.
    #[inline(always)]
    pub fn at<T: Real>(&self, t: T) -> [T; 3] {
        let rest = T::new(1.0) - t;
        let mut values = [T::new(0.0); 3];
        for k in 0..3 {
            if k <= self.degree {
                values[k] = value(&self.weighted[k], self.degree - k, t, rest);
            }
        }
        values
    }
}

/// The value of a polynomial of degree `n` from its coefficients times the binomial coefficients, by the scheme of
/// Horner for Bernstein's form.
#[inline(always)]
fn value<T: Real>(weighted: &[f64; MAX_DEGREE + 1], n: usize, t: T, rest: T) -> T {
    let (mut sum, mut power) = (T::new(weighted[0]), T::new(1.0));
    for b in &weighted[1..=n] {
        power = power * t;
        sum = sum * rest + power * T::new(*b);
    }
    sum
}

/// The ranges of a derivative of order `k` of a polynomial in the parts of the time; `largest` is the size of the
/// polynomial's coefficients. A k-th difference rounds by less than `k 2^k` units of them, each of the three
/// subdivisions by `n` units of the derivative's.
fn ranges(coefficients: &[f64], k: usize, largest: f64) -> [[f64; 2]; PARTS] {
    let n = coefficients.len() - 1;
    let mut parts = [[0.0; MAX_DEGREE + 1]; PARTS];
    parts[0][..=n].copy_from_slice(coefficients);
    let mut len = PARTS;
    while len > 1 {
        for first in (0..PARTS).step_by(len) {
            let (earlier, later) = parts.split_at_mut(first + len / 2);
            halve(&mut earlier[first][..=n], &mut later[0][..=n]);
        }
        len /= 2;
    }
    let falling: f64 = (0..k).map(|i| (n + k - i) as f64).product();
    let of_differences = falling * (k << k) as f64 * largest;
    let of_parts = 6.0 * n as f64 * coefficients.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let slack = f64::EPSILON * (of_differences + of_parts);
    parts.map(|part| {
        let [lo, hi] = part[..=n].iter().fold([part[0]; 2], |[lo, hi], b| [b.min(lo), b.max(hi)]);
        [lo - slack, hi + slack]
    })
}

/// Replaces coefficients by those over the first half of the time; `later` receives those over the second half.
fn halve(b: &mut [f64], later: &mut [f64]) {
    let n = b.len() - 1;
    later[n] = b[n];
    for level in 1..=n {
        for i in (level..=n).rev() {
            b[i] = 0.5 * (b[i - 1] + b[i]);
        }
        later[n - level] = b[n];
    }
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64)
}

#[cfg(test)]
mod tests {
    mod chains;

    use super::*;

    /// From rest to rest in unit time: `10 t³ - 15 t⁴ + 6 t⁵`.
    #[test]
    fn a_quintic_from_rest_to_rest() {
        let phase = Phase::new(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        for i in 0..=100 {
            let t = f64::from(i) / 100.0;
            let expected = [
                t.powi(3) * (10.0 - 15.0 * t + 6.0 * t * t),
                30.0 * t * t * (1.0 - t) * (1.0 - t),
                60.0 * t * (1.0 - t) * (1.0 - 2.0 * t),
            ];
            for (value, expected) in phase.at(t).into_iter().zip(expected) {
                assert!((value - expected).abs() < 1e-14, "{t}: {value} {expected}");
            }
        }
        let [r1, r2, r3] = phase.rates();
        // 15/8, 10/√3 and 60.
        assert!(
            (1.875..2.2).contains(&r1) && (5.77..7.6).contains(&r2) && (60.0..61.0).contains(&r3),
            "{r1} {r2} {r3}"
        );
        assert!(phase.range()[0] <= 0.0 && phase.range()[1] >= 1.0);
    }

    /// Bounds and values of many polynomials against their power form in twice the precision.
    #[test]
    fn values_and_bounds_of_random_polynomials() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for n in 1..=MAX_DEGREE {
            for _ in 0..50 {
                let mut b: Vec<f64> = (0..=n).map(|_| 4.0 * random()).collect();
                b[0] = 0.0;
                let phase = Phase::new(&b);
                let largest = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let rates = phase.rates();
                for i in 0..=64u32 {
                    // The boundaries of parts belong to both; rounding is far below the bound's slack.
                    let part = (i as usize * PARTS / 64).min(PARTS - 1);
                    let t = f64::from(i) / 64.0;
                    // Differences of derivatives by de Casteljau's algorithm.
                    let mut at = b.clone();
                    let mut derivatives = [0.0; 4];
                    let mut levels = vec![at.clone()];
                    while at.len() > 1 {
                        at = at.windows(2).map(|w| (1.0 - t) * w[0] + t * w[1]).collect();
                        levels.push(at.clone());
                    }
                    for k in 0..=n.min(3) {
                        let mut level = levels[n - k].clone();
                        for j in 0..k {
                            level = level.windows(2).map(|w| (n - k + 1 + j) as f64 * (w[1] - w[0])).collect();
                        }
                        derivatives[k] = level[0];
                    }
                    let [s, d1, d2] = phase.at(t);
                    assert!((s - derivatives[0]).abs() <= 2.0 * VALUE_ROUNDING * largest);
                    assert!((d1 - derivatives[1]).abs() <= 1e-13 * (rates[0] + largest));
                    assert!((d2 - derivatives[2]).abs() <= 1e-11 * (rates[1] + largest));
                    assert!(phase.range()[0] <= s && s <= phase.range()[1]);
                    for k in 1..=3 {
                        let in_part = phase.rates_in_parts()[k - 1].0[part];
                        assert!(derivatives[k].abs() <= in_part * (1.0 + 1e-9) + 1e-9, "{n} {k} {t}");
                        assert!(in_part <= rates[k - 1], "{n} {k} {t}");
                    }
                }
            }
        }
    }
}
