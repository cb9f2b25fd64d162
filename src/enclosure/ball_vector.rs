//! Balls of vectors: a centre and the largest distance of the vector from it. Used for bounds on derivatives of swept
//! surfaces.

use glam::DVec3;

/// All vectors within `radius` of `centre`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallVector {
    /// The centre.
    pub centre: DVec3,
    /// The radius, in the vector's unit.
    pub radius: f64,
}

/// Factor that covers the rounding of one operation: each component is off by at most four roundings of terms of the
/// operands' size.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl BallVector {
    /// Creates a ball.
    pub fn new(centre: DVec3, radius: f64) -> Self {
        Self { centre, radius }
    }

    /// Upper bound on the length of the ball's vectors.
    pub fn most(&self) -> f64 {
        (self.centre.length() + self.radius) * (1.0 + ROUNDING)
    }

    /// Lower bound on the length of the ball's vectors.
    pub fn least(&self) -> f64 {
        (self.centre.length() * (1.0 - ROUNDING) - self.radius).max(0.0)
    }

    /// Contains all sums.
    #[must_use]
    pub fn plus(&self, o: &Self) -> Self {
        let centre = self.centre + o.centre;
        let rounding = ROUNDING * (self.most() + o.most());
        Self { centre, radius: self.radius + o.radius + rounding }
    }

    /// Contains all vectors times a number.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let radius = self.radius * factor.abs() + ROUNDING * self.most() * factor.abs();
        Self { centre: self.centre * factor, radius }
    }

    /// Contains all cross products: `|u × v - c × d| = |(u - c) × v + c × (v - d)|`.
    #[must_use]
    pub fn cross(&self, o: &Self) -> Self {
        let spread = self.radius * (o.centre.length() + o.radius) + self.centre.length() * o.radius;
        let rounding = ROUNDING * self.most() * o.most();
        Self { centre: self.centre.cross(o.centre), radius: spread * (1.0 + ROUNDING) + rounding }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of the operands, including those at their borders, give vectors of the result.
    #[test]
    fn results_contain_results_of_all_contained_vectors() {
        let wave = |i: u32, k: f64| {
            DVec3::new((k * f64::from(i)).sin(), (k * f64::from(i) * 1.3).cos(), (k * 0.7 * f64::from(i)).sin())
        };
        let mut tightest: f64 = 0.0;
        for i in 0..400 {
            let a = BallVector::new(wave(i, 1.7) * 3.0, 0.4 * wave(i, 0.3).x.abs());
            let b = BallVector::new(wave(i, 2.3), 0.9 * wave(i, 0.9).x.abs());
            let (sum, product, scaled) = (a.plus(&b), a.cross(&b), a.times(-2.5));
            for k in 0..60 {
                let u = a.centre + wave(k, 3.1).normalize() * a.radius;
                let v = b.centre + wave(k, 5.3).normalize() * b.radius;
                let inside = |ball: &BallVector, w: DVec3| {
                    let off = (w - ball.centre).length() - ball.radius;
                    assert!(off <= 1e-15 && w.length() <= ball.most() && w.length() >= ball.least(), "{off:e}");
                    (w - ball.centre).length() / ball.radius.max(1e-3)
                };
                inside(&sum, u + v);
                inside(&scaled, u * -2.5);
                tightest = tightest.max(inside(&product, u.cross(v)));
            }
        }
        assert!(tightest > 0.8, "the bound is met nearly: {tightest}");
    }
}
