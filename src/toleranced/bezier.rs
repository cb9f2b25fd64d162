//! Rational Bézier motions: polynomials of maps over a polynomial of weights.

use super::enclosure::{Enclosure, MAX_COORDINATE, Map, Vector, exact};
use super::motion::{Motion, Piece, Span, mean};
use crate::error::{Error, Result};

/// The motion `Σ Bᵢ(t) Nᵢ / Σ Bᵢ(t) Wᵢ` with the Bernstein polynomials `Bᵢ`.
#[derive(Clone, Debug)]
pub struct Bezier {
    /// The numerators `N`, each a control map times its weight.
    pub numerators: Vec<Map>,
    /// The weights `W`.
    pub weights: Vec<Enclosure>,
}

/// The highest supported degree.
pub const MAX_DEGREE: usize = 64;
/// Maximum number of halvings of the time to prove that a polynomial of weights is positive.
const MAX_HALVINGS: usize = 20;

fn check(n: usize, numbers: &[f64]) -> Result<()> {
    if !(2..=MAX_DEGREE + 1).contains(&n) {
        return Err(Error::input(format!("{n} control points, expected 2 to {}", MAX_DEGREE + 1)));
    }
    if numbers.iter().any(|x| !(x.abs() <= MAX_COORDINATE)) {
        return Err(Error::input("a number is not finite or beyond 10^6"));
    }
    Ok(())
}

impl Bezier {
    /// Creates the motion with the given control maps (three rows of four) and weights.
    ///
    /// # Errors
    /// Fewer than two maps or more than 65, a number of weights other than that of maps, a number out of range, or
    /// weights with which the motion is infinite at some time.
    pub fn new(maps: &[[[f64; 4]; 3]], weights: &[f64]) -> Result<Self> {
        let numbers: Vec<f64> = maps.iter().flatten().flatten().chain(weights).copied().collect();
        check(maps.len(), &numbers)?;
        if maps.len() != weights.len() {
            return Err(Error::input(format!("{} control maps but {} weights", maps.len(), weights.len())));
        }
        // The motion is the same if all weights have the opposite sign.
        let sign = if weights[0] < 0.0 { -1.0 } else { 1.0 };
        let numerators = maps.iter().zip(weights).map(|(m, w)| Map::from_rows(*m).times(exact(sign * w))).collect();
        Self { numerators, weights: weights.iter().map(|w| exact(sign * w)).collect() }.checked()
    }

    /// The motion, if it is finite at all times: if the polynomial of its weights is positive.
    fn checked(self) -> Result<Self> {
        let mut open = vec![(self.clone(), 0)];
        while let Some((part, level)) = open.pop() {
            let is_positive = |w: &Enclosure| w.lo > 0.0;
            if part.weights.iter().all(is_positive) {
                continue;
            }
            // The polynomial has the values of the first and last weights at the ends.
            let ends = [part.weights.first(), part.weights.last()];
            if level == MAX_HALVINGS || !ends.into_iter().flatten().all(is_positive) {
                return Err(Error::input("its weights do not have the same sign at all times")
                    .remedy("without weights of one sign the motion is infinite at some time"));
            }
            open.extend([false, true].map(|second| (part.half(second), level + 1)));
        }
        Ok(self)
    }

    /// Creates the rigid motion of degree `2n` that rotates by `q(t) = Σ Bᵢⁿ(t) qᵢ` (quaternions w x y z) and
    /// moves the origin along `Σ Bᵢ Wᵢ aᵢ / Σ Bᵢ Wᵢ`, where `W` are the coefficients of `|q|²`.
    ///
    /// # Errors
    /// The numbers of quaternions and translations are not `n + 1` and `2n + 1`, or a number is out of range.
    pub fn rigid(quaternions: &[[f64; 4]], translations: &[[f64; 3]]) -> Result<Self> {
        let numbers: Vec<f64> = quaternions.iter().flatten().chain(translations.iter().flatten()).copied().collect();
        check(translations.len(), &numbers)?;
        let n = quaternions.len().saturating_sub(1);
        if quaternions.is_empty() || translations.len() != 2 * n + 1 {
            let message = format!("{} quaternions and {} translations", quaternions.len(), translations.len());
            return Err(Error::input(message).remedy("n + 1 quaternions require 2n + 1 translations"));
        }
        let zero = Map::from_rows([[0.0; 4]; 3]);
        let (mut numerators, mut weights) = (vec![zero; 2 * n + 1], vec![exact(0.0); 2 * n + 1]);
        for (i, p) in quaternions.iter().enumerate() {
            for (j, q) in quaternions.iter().enumerate() {
                // Binomials of up to 64 are beyond 2^53, so they are intervals.
                let factor = (binomial(n, i) * binomial(n, j)).quotient(binomial(2 * n, i + j));
                let (rotation, dot) = polar_rotation(*p, *q);
                numerators[i + j] = numerators[i + j].with(&rotation.times(factor), |x, y| x + y);
                weights[i + j] = weights[i + j] + dot * factor;
            }
        }
        for ((m, w), a) in numerators.iter_mut().zip(&weights).zip(translations) {
            m.origin = Vector::exact(*a).times(*w);
        }
        Self { numerators, weights }.checked()
    }

    /// Returns the same motion over one half of the time, by de Casteljau's algorithm on numerators and weights
    /// together.
    fn half(&self, second: bool) -> Self {
        let mut row: Vec<(Map, Enclosure)> =
            self.numerators.iter().copied().zip(self.weights.iter().copied()).collect();
        let mut out = Vec::with_capacity(row.len());
        while let (Some(first), Some(last)) = (row.first(), row.last()) {
            out.push(if second { *last } else { *first });
            row = row.windows(2).map(|w| (w[0].0.with(&w[1].0, mean), mean(w[0].1, w[1].1))).collect();
        }
        if second {
            out.reverse();
        }
        let (numerators, weights) = out.into_iter().unzip();
        Self { numerators, weights }
    }

    /// Returns the motion over a part of the time.
    #[must_use]
    pub fn part(&self, span: Span) -> Self {
        (0..span.level).rev().fold(self.clone(), |part, k| part.half(span.index >> k & 1 == 1))
    }

    /// Returns the map `N / W`, if the weight is certainly positive.
    fn project(numerator: &Map, weight: Enclosure) -> Option<Map> {
        (weight.lo > 0.0).then(|| numerator.with(numerator, |x, _| x.quotient(weight)))
    }
}

impl Motion for Bezier {
    /// Returns the convex hull of the control maps, of which the curve is a convex combination if all weights are
    /// positive. If some weight is not positive, the halves may still have positive weights.
    fn piece(&self, span: Span) -> Option<Piece> {
        let part = self.part(span);
        let maps = part.numerators.iter().zip(&part.weights).map(|(n, w)| Self::project(n, *w));
        let points = maps.collect::<Option<Vec<_>>>()?;
        let right = part.half(true);
        let middle = Self::project(&right.numerators[0], right.weights[0])?;
        Some(Piece::Hull { points, middle })
    }
}

fn binomial(n: usize, k: usize) -> Enclosure {
    (0..k).fold(exact(1.0), |b, i| (b * exact((n - i) as f64)).quotient(exact((i + 1) as f64)))
}

/// Returns the symmetric bilinear forms of `|q|² R(q)` and of `|q|²`.
fn polar_rotation(p: [f64; 4], q: [f64; 4]) -> (Map, Enclosure) {
    let s = |i: usize, j: usize| exact(p[i]) * exact(q[j]);
    let (ww, xx, yy, zz) = (s(0, 0), s(1, 1), s(2, 2), s(3, 3));
    let both = |i: usize, j: usize| s(i, j) + s(j, i);
    let (xy, xz, yz) = (both(1, 2), both(1, 3), both(2, 3));
    let (wx, wy, wz) = (both(0, 1), both(0, 2), both(0, 3));
    let zero = Vector::exact([0.0; 3]);
    let e = [
        Vector([ww + xx - yy - zz, xy + wz, xz - wy]),
        Vector([xy - wz, ww - xx + yy - zz, yz + wx]),
        Vector([xz + wy, yz - wx, ww - xx - yy + zz]),
    ];
    (Map { origin: zero, e }, ww + xx + yy + zz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toleranced::enclosure::middle;

    /// A quarter turn as a quadratic in quaternions of degree one: a circle up to rounding, in every part.
    #[test]
    fn a_turn_stays_on_its_circle() {
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let motion = Bezier::rigid(&[[1.0, 0.0, 0.0, 0.0], [h, 0.0, 0.0, h]], &[[0.0; 3]; 3]).unwrap();
        for (level, index) in [(0, 0), (1, 1), (5, 17), (10, 1023)] {
            let Some(Piece::Hull { middle: map, points }) = motion.piece(Span { level, index }) else { panic!() };
            let x = map.e[0].middle();
            assert!((x[0].hypot(x[1]) - 1.0).abs() < 1e-14 && x[2].abs() < 1e-14);
            assert_eq!(points.len(), 3);
            // The middle control point is outside the circle; a numerator without the division would be inside.
            let p = points[1].e[0].middle();
            assert!(p[0].hypot(p[1]) > 1.0 - 1e-15, "{p:?}");
            assert!(map.e[0].0.iter().all(|c| c.hi - c.lo < 1e-12));
        }
    }

    #[test]
    fn weights_that_are_negative_at_first() {
        // 1 - 3t + 3t² is positive, but its middle weight is not.
        let maps = [0.0, 1.0, 2.0].map(|x| [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
        let motion = Bezier::new(&maps, &[1.0, -0.5, 1.0]).unwrap();
        assert!(motion.piece(Span::ALL).is_none());
        let mut open = vec![Span::ALL];
        let mut found = 0.0;
        while let Some(span) = open.pop() {
            match motion.piece(span) {
                Some(Piece::Hull { middle: map, .. }) => {
                    let t = span.middle();
                    let (n, w) =
                        (-2.0 * 0.5 * t * (1.0 - t) + 2.0 * t * t, (1.0 - t) * (1.0 - t) - t * (1.0 - t) + t * t);
                    assert!((middle(map.origin.0[0]) - n / w).abs() < 1e-13);
                    found += span.length();
                }
                _ => open.extend(span.halves()),
            }
            assert!(span.level < 8);
        }
        assert_eq!(found, 1.0);
    }

    #[test]
    fn invalid_control_points_are_refused() {
        assert!(Bezier::new(&[], &[]).is_err());
        let map = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        for weights in [[1.0, -1.0, 1.0], [1.0, -5.0, 1.0], [1.0, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0; 3]] {
            assert!(Bezier::new(&[map; 3], &weights).is_err(), "{weights:?}");
        }
        let [a, b] = [1.0, -1.0].map(|sign| Bezier::new(&[map; 3], &[1e-170, -0.9e-170, 1e-170].map(|w| sign * w)));
        assert_eq!(a.unwrap().weights, b.unwrap().weights);
        let opposite = [[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]];
        assert!(Bezier::rigid(&opposite, &[[0.0; 3]; 3]).is_err());
        assert!(Bezier::rigid(&[[1.0, 0.0, 0.0, 0.0]; 2], &[[0.0; 3]; 2]).is_err());
        assert!(Bezier::rigid(&[[1.0, f64::NAN, 0.0, 0.0]; 2], &[[0.0; 3]; 3]).is_err());
    }
}
