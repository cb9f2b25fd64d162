//! The smallest circle around points in the plane.

use glam::DVec2;

/// A circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Its centre.
    pub centre: DVec2,
    /// Its radius.
    pub radius: f64,
}

/// Factor on the radius within which a point counts as inside a circle, so that rounding does not prolong the search.
const SLACK: f64 = 1.0 + 1e-12;

impl Circle {
    /// The smallest circle around points, to within rounding (Welzl 1991, in the incremental form: a point outside the
    /// current circle is on the border of the next one). Expected time is linear if the points are in random order.
    pub fn around(points: &[DVec2]) -> Self {
        let mut circle = Self { centre: points.first().copied().unwrap_or(DVec2::ZERO), radius: 0.0 };
        for (i, &p) in points.iter().enumerate() {
            if circle.has(p) {
                continue;
            }
            circle = Self { centre: p, radius: 0.0 };
            for (j, &q) in points[..i].iter().enumerate() {
                if circle.has(q) {
                    continue;
                }
                circle = Self::across(p, q);
                for &r in &points[..j] {
                    if !circle.has(r) {
                        circle = Self::through(p, q, r);
                    }
                }
            }
        }
        circle
    }

    fn has(&self, p: DVec2) -> bool {
        (p - self.centre).length() <= self.radius * SLACK
    }

    fn across(p: DVec2, q: DVec2) -> Self {
        Self { centre: 0.5 * (p + q), radius: 0.5 * (p - q).length() }
    }

    /// The circle through three points; for collinear points, the circle around the two points that are farthest apart.
    fn through(p: DVec2, q: DVec2, r: DVec2) -> Self {
        let (a, b) = (q - p, r - p);
        let double_area = a.perp_dot(b);
        let centre = (a.perp() * b.length_squared() - b.perp() * a.length_squared()) / (2.0 * double_area);
        if centre.is_finite() {
            let radius = centre.length().max((centre - a).length()).max((centre - b).length());
            return Self { centre: p + centre, radius };
        }
        let pairs = [Self::across(p, q), Self::across(p, r), Self::across(q, r)];
        pairs.into_iter().fold(pairs[0], |widest, c| if c.radius > widest.radius { c } else { widest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All points are inside, and every half of the border contains a point, so no smaller circle contains all points.
    #[test]
    fn the_circle_contains_all_points_and_is_the_smallest() {
        for case in 0..200u32 {
            let wave = |i: u32, k: f64| (k * f64::from(i + 31 * case)).sin();
            let points: Vec<DVec2> = (0..3 + case % 40).map(|i| DVec2::new(wave(i, 1.7), 0.2 * wave(i, 2.9))).collect();
            let Circle { centre, radius } = Circle::around(&points);
            assert!(points.iter().all(|p| (*p - centre).length() <= radius * (1.0 + 1e-9)));
            let border: Vec<f64> = points
                .iter()
                .filter(|p| (**p - centre).length() >= radius * (1.0 - 1e-9))
                .map(|p| (*p - centre).to_angle())
                .collect();
            let free_half = border.iter().any(|a| {
                border.iter().all(|b| (b - a).rem_euclid(std::f64::consts::TAU) < std::f64::consts::PI - 1e-6)
            });
            assert!(!free_half && border.len() >= 2, "{case}: {border:?}");
        }
    }

    #[test]
    fn points_that_coincide_or_lie_in_a_line() {
        assert_eq!(Circle::around(&[]).radius, 0.0);
        assert_eq!(Circle::around(&[DVec2::X; 5]), Circle { centre: DVec2::X, radius: 0.0 });
        let line: Vec<DVec2> = (0..9).map(|i| DVec2::new(1.0, 2.0) * f64::from(i * 5 % 9)).collect();
        let circle = Circle::around(&line);
        assert!(
            (circle.radius - 4.0 * 5f64.sqrt()).abs() < 1e-12
                && (circle.centre - DVec2::new(4.0, 8.0)).length() < 1e-12
        );
    }
}
