//! Polynomials over `[0, 1]` in Bernstein form: their derivatives, extremes, and the parts beyond limits.
//!
//! The values of a polynomial are between its smallest and its largest coefficient, and each half has its own
//! coefficients (de Casteljau). So whole parts are decided without sampling, and the rest is halved.

/// Maximum number of halvings of a part that contains an extreme, or the beginning or end of a part beyond limits.
const MAX_DEPTH: u32 = 40;
/// Accuracy with which an extreme is found, relative to the largest coefficient.
const PRECISION: f64 = 1e-12;

/// Magnitude beyond which the coefficients of a derivative are cut off, so that all calculations are finite.
const LARGEST: f64 = 1e300;

/// A polynomial, given by its coefficients, of which there is at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Bernstein(Vec<f64>);

impl Bernstein {
    /// The polynomial with these coefficients, or zero.
    pub fn new(coefficients: &[f64]) -> Self {
        Self(if coefficients.is_empty() { vec![0.0] } else { coefficients.to_vec() })
    }

    /// The derivative, divided by the duration of `[0, 1]`, cut off at [`LARGEST`].
    pub fn derivative(&self, duration: f64) -> Self {
        let degree = (self.0.len() - 1) as f64;
        let rate = |b: &[f64]| (degree * (b[1] - b[0]) / duration).clamp(-LARGEST, LARGEST);
        Self::new(&self.0.windows(2).map(rate).collect::<Vec<_>>())
    }

    /// The value at `t`.
    pub fn at(&self, t: f64) -> f64 {
        let mut b = self.0.clone();
        for level in (1..b.len()).rev() {
            (0..level).for_each(|i| b[i] += t * (b[i + 1] - b[i]));
        }
        b[0]
    }

    /// The values at both ends.
    pub fn ends(&self) -> [f64; 2] {
        [self.0[0], self.0[self.0.len() - 1]]
    }

    fn halves(&self) -> [Self; 2] {
        let (mut left, mut right) = (Vec::with_capacity(self.0.len()), self.0.clone());
        for level in (0..right.len()).rev() {
            left.push(right[0]);
            (0..level).for_each(|i| right[i] = 0.5 * (right[i] + right[i + 1]));
        }
        [Self(left), Self(right)]
    }

    fn largest(&self) -> f64 {
        self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Place and value of the maximum.
    pub fn maximum(&self) -> (f64, f64) {
        let [first, last] = self.ends();
        let mut best = if first >= last { (0.0, first) } else { (1.0, last) };
        let precision = PRECISION * self.0.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
        let mut open = vec![(self.clone(), 0.0, 1.0, MAX_DEPTH)];
        while let Some((part, from, width, depth)) = open.pop() {
            if part.largest() <= best.1 + precision || depth == 0 {
                continue;
            }
            let (middle, halves) = (from + 0.5 * width, part.halves());
            if halves[1].0[0] > best.1 {
                best = (middle, halves[1].0[0]);
            }
            let [left, right] = halves;
            open.push((left, from, 0.5 * width, depth - 1));
            open.push((right, middle, 0.5 * width, depth - 1));
        }
        best
    }

    /// Place and value of the minimum.
    pub fn minimum(&self) -> (f64, f64) {
        let (t, value) = Self(self.0.iter().map(|b| -b).collect()).maximum();
        (t, -value)
    }

    /// The parts of `[0, 1]` in which the value is below or above limits.
    pub fn beyond(&self, limits: [f64; 2]) -> Vec<[f64; 2]> {
        let mut parts = Vec::new();
        self.add_beyond(limits, [0.0, 1.0], MAX_DEPTH, &mut parts);
        parts
    }

    fn add_beyond(&self, limits: [f64; 2], [from, until]: [f64; 2], depth: u32, parts: &mut Vec<[f64; 2]>) {
        let [lower, upper] = limits;
        if self.0.iter().all(|b| (lower..=upper).contains(b)) {
            return;
        }
        let is_beyond = self.0.iter().all(|b| *b > upper) || self.0.iter().all(|b| *b < lower);
        if is_beyond || depth == 0 {
            match parts.last_mut() {
                Some(last) if last[1] == from => last[1] = until,
                _ => parts.push([from, until]),
            }
            return;
        }
        let (middle, [left, right]) = (0.5 * (from + until), self.halves());
        left.add_beyond(limits, [from, middle], depth - 1, parts);
        right.add_beyond(limits, [middle, until], depth - 1, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `3 s² - 2 s³` times 2, from rest to rest.
    fn cubic() -> Bernstein {
        Bernstein::new(&[0.0, 0.0, 2.0, 2.0])
    }

    #[test]
    fn derivatives_and_extremes() {
        let velocity = cubic().derivative(4.0);
        // 12 s (1 - s) / 4 has its maximum of 3/4 in the middle.
        let (t, most) = velocity.maximum();
        assert!((t - 0.5).abs() < 1e-5 && (most - 0.75).abs() < 1e-11, "{t}: {most}");
        assert_eq!(velocity.minimum().1, 0.0);
        let acceleration = velocity.derivative(4.0);
        assert_eq!((acceleration.maximum(), acceleration.minimum()), ((0.0, 0.75), (1.0, -0.75)));
        assert_eq!(acceleration.derivative(4.0).derivative(4.0), Bernstein::new(&[0.0]));
        assert!((cubic().at(0.25) - 2.0 * (3.0 / 16.0 - 2.0 / 64.0)).abs() < 1e-15);
    }

    /// Times that differ by less than the smallest normal number are accepted by the check.
    #[test]
    fn rates_are_finite() {
        let velocity = cubic().derivative(1e-310);
        assert_eq!(velocity.maximum().1, 0.5 * LARGEST);
        let acceleration = velocity.derivative(1e-310);
        assert_eq!([acceleration.maximum().1, acceleration.minimum().1], [LARGEST, -LARGEST]);
        assert_eq!(acceleration.beyond([-1.0, 1.0]), [[0.0, 1.0]]);
    }

    #[test]
    fn parts_beyond_limits() {
        let velocity = cubic().derivative(1.0);
        // 12 s (1 - s) > 9/4 between (1 - 1/√4 · …): s (1 - s) = 3/16 at 1/4 and 3/4.
        let parts = velocity.beyond([-9.0 / 4.0, 9.0 / 4.0]);
        assert_eq!(parts.len(), 1);
        assert!((parts[0][0] - 0.25).abs() < 1e-9 && (parts[0][1] - 0.75).abs() < 1e-9, "{parts:?}");
        assert!(velocity.beyond([0.0, 3.0]).iter().all(|part| part[1] - part[0] < 1e-5));
        assert_eq!(velocity.beyond([0.0, 3.1]), [[0.0; 2]; 0]);
        assert_eq!(velocity.beyond([4.0, 5.0]), [[0.0, 1.0]]);
        // Below in the first part and above in the last one.
        let line = Bernstein::new(&[-1.0, 1.0]);
        assert_eq!(line.beyond([-0.5, 0.5]), [[0.0, 0.25], [0.75, 1.0]]);
    }
}
