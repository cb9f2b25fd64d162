//! Line-swept spheres: all points within a radius of a segment (Larsen et al. 2000, the bounding volume of the paper's
//! section 4.1).
//!
//! **Containment.** The last step sets the radius from the computed distances, rounded outward, so containment does not
//! depend on the preceding fit. A convex set that contains the vertices contains the triangles. Let `u = 2⁻⁵³`,
//! `S` the largest coordinate of points and ends, and `p` a point. The computed value is the length of `p - (a + d s)`
//! for some number `s` in `[0, 1]`, where `d` is the rounded `b - a`:
//! - the point `a + d s` is within `u |d|` of the segment, because each component of `d` has one rounding;
//! - it is computed with two roundings, an error of at most `u |d| + u √3 S` to first order;
//! - the difference from `p` has one rounding, and the sum of three squares at most three, which the root halves; the
//!   root adds one: `3.5 u` of the length.
//!
//! With `|d| <= 2√3 S` the true distance is at most `D (1 + 4 u) + 5√3 u S`, where `D` is the computed one and
//! `5√3 < 8.7`. The radius itself has two roundings. Therefore [`DISTANCE_SLACK`] `= 12 u` of `D + S` covers all of
//! them, second order included; squares that underflow are below its absolute part. The distances of the ends `a` and
//! `b`, which have fewer roundings, are also computed.

use glam::DVec3;

/// A segment and a radius, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lss {
    /// One end of the segment.
    pub a: DVec3,
    /// The other end; the same for a sphere.
    pub b: DVec3,
    /// The radius, never negative.
    pub radius: f64,
}

/// Enlargement of a radius for the rounding of distances, relative to the sum of distance and largest coordinate.
pub const DISTANCE_SLACK: f64 = 6.0 * f64::EPSILON;
/// The largest distance that underflow may hide, metres.
const UNDERFLOW: f64 = 1e-150;

impl Lss {
    /// The largest distance of a point of the segment from the origin, metres.
    pub fn reach(&self) -> f64 {
        self.a.length().max(self.b.length())
    }

    /// Distance of a point from the segment, metres (rounded to nearest).
    pub fn distance(&self, p: DVec3) -> f64 {
        let d = self.b - self.a;
        let length2 = d.length_squared();
        let s = if length2 > 0.0 { ((p - self.a).dot(d) / length2).clamp(0.0, 1.0) } else { 0.0 };
        // The smallest of the three: each is the distance from a point of the segment, and `s` may be inaccurate.
        let on = (p - (self.a + d * s)).length();
        on.min((p - self.a).length()).min((p - self.b).length())
    }

    /// Volume, metres³: the objective of the fit.
    pub fn volume(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius * ((self.b - self.a).length() + 4.0 / 3.0 * self.radius)
    }

    /// The same segment with the smallest radius that contains the points, rounded up.
    pub(super) fn containing(self, points: &[DVec3]) -> Self {
        let size = points.iter().chain([&self.a, &self.b]).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let distance = points.iter().fold(0.0, |m: f64, p| m.max(self.distance(*p)));
        if points.is_empty() {
            return self;
        }
        Self { radius: distance + ((distance + size) * DISTANCE_SLACK + UNDERFLOW), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::Triangle;

    fn contains(lss: &Lss, points: &[Triangle]) -> bool {
        // The radius includes the rounding of distances, so no computed distance may exceed it.
        points.iter().flatten().all(|&p| lss.distance(p) <= lss.radius)
    }

    #[test]
    fn a_tube_gets_its_own_radius() {
        let ring = |t: f64, z: f64| DVec3::new(0.1 * t.cos(), z, 0.1 * t.sin());
        let tube: Vec<Triangle> = (0..24)
            .map(|i| [ring(i as f64 * 0.2618, 0.0), ring((i + 1) as f64 * 0.2618, 0.0), ring(i as f64 * 0.2618, 1.0)])
            .collect();
        let lss = Lss::around(tube.iter());
        assert!(contains(&lss, &tube));
        assert!(lss.radius < 0.102 && (lss.b - lss.a).length() < 1.01, "{lss:?}");
    }

    #[test]
    fn degenerate_sets() {
        assert_eq!(Lss::around([].iter()).radius, 0.0);
        let p = DVec3::new(1e4, -3.0, 2.0);
        let point = Lss::around([[p, p, p]].iter());
        assert!(contains(&point, &[[p, p, p]]) && point.radius < 1e-10);
        let needle = [[DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO]];
        let lss = Lss::around(needle.iter());
        assert!(contains(&lss, &needle) && lss.radius < 1e-12);
        let flat = [[DVec3::ZERO, DVec3::X, DVec3::Y], [DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)]];
        let lss = Lss::around(flat.iter());
        assert!(contains(&lss, &flat) && lss.radius < 0.75);
    }
}
