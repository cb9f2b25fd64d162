//! Polynomials of a column over an interval of local time.

use crate::ball::{Ball, larger};
use crate::model::MAX_DEGREE;

/// A range of local time within a segment, around `mid`; all its times are within `half` of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub segment: usize,
    pub from: f64,
    pub to: f64,
    pub mid: f64,
    pub half: f64,
}

impl Interval {
    pub fn new(segment: usize, from: f64, to: f64) -> Self {
        let mid = 0.5 * (from + to);
        let half = if from == to { 0.0 } else { larger((to - mid).next_up(), (mid - from).next_up()) };
        Self { segment, from, to, mid, half }
    }

    /// `half^k / k!` for `k = 0..=4`.
    pub fn powers(&self) -> [Ball; 5] {
        let mut powers = [Ball::ONE; 5];
        for k in 1..5 {
            powers[k] = powers[k - 1] * Ball::exact(self.half) * Ball::ratio(1.0, k as f64);
        }
        powers
    }
}

/// A quantity over an interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// Coefficients of its Taylor polynomial at the middle, in units of half the interval.
    pub taylor: [Ball; 4],
    /// Its least and its largest value, or beyond.
    pub range: [f64; 2],
    /// Bounds on the absolute values of its derivatives of order 0 to 4 by time.
    pub bounds: [Ball; 5],
}

impl Value {
    /// The value of `multiplier * column + offset`.
    pub fn new(coefficients: &[f64], multiplier: f64, offset: f64, time: &Interval) -> Self {
        let (factor, powers) = (Ball::exact(multiplier), time.powers());
        let mut value = Self { taylor: [Ball::ZERO; 4], range: [0.0; 2], bounds: [Ball::ZERO; 5] };
        let mut polynomial = Polynomial::new(coefficients);
        for k in 0..5 {
            let shift = Ball::exact(if k == 0 { offset } else { 0.0 });
            let [least, most] = polynomial.range(time, |c| factor * c + shift);
            if k == 0 {
                value.range = [least, most];
            }
            value.bounds[k] = Ball::exact(larger(-least, most));
            if k < 4 {
                value.taylor[k] = powers[k] * (factor * polynomial.at(time.mid) + shift);
            }
            polynomial = polynomial.derivative();
        }
        value
    }
}

/// Bernstein coefficients over the local time [0, 1].
#[derive(Clone, Copy)]
struct Polynomial {
    coefficients: [Ball; MAX_DEGREE + 1],
    len: usize,
}

impl Polynomial {
    fn new(numbers: &[f64]) -> Self {
        let mut coefficients = [Ball::ZERO; MAX_DEGREE + 1];
        for (c, number) in coefficients.iter_mut().zip(numbers) {
            *c = Ball::exact(*number);
        }
        Self { coefficients, len: numbers.len() }
    }

    fn derivative(mut self) -> Self {
        self.len = self.len.saturating_sub(1);
        let degree = Ball::exact(self.len as f64);
        for i in 0..self.len {
            self.coefficients[i] = degree * (self.coefficients[i + 1] - self.coefficients[i]);
        }
        self
    }

    /// The polynomial's blossom: its value if all times are the same; with `n - j` times `a` and `j` times `b`
    /// coefficient `j` over `[a, b]`.
    fn blossom(mut self, time: impl Fn(usize) -> f64) -> Ball {
        for last in (1..self.len).rev() {
            let t = Ball::exact(time(last - 1));
            let s = Ball::ONE - t;
            for i in 0..last {
                self.coefficients[i] = s * self.coefficients[i] + t * self.coefficients[i + 1];
            }
        }
        if self.len == 0 { Ball::ZERO } else { self.coefficients[0] }
    }

    fn at(self, time: f64) -> Ball {
        self.blossom(|_| time)
    }

    /// Least and largest value over an interval, or beyond, of the polynomial after an affine map; that without
    /// coefficients is 0.
    fn range(self, time: &Interval, map: impl Fn(Ball) -> Ball) -> [f64; 2] {
        let coefficients = (0..self.len).map(|j| map(self.blossom(|i| if i < j { time.to } else { time.from })));
        let ends = coefficients.map(|c| [-c.lower(), c.upper()]);
        let [minus_least, most] = ends.reduce(|a, b| [larger(a[0], b[0]), larger(a[1], b[1])]).unwrap_or_default();
        [-minus_least, most]
    }
}
