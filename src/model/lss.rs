//! Line-swept spheres: all points within a radius of a segment (Larsen et al. 2000, the bounding volume of the paper's
//! section 4.1).

use crate::model::robot::Triangle;
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

/// Covers the rounding of a distance between points of at most 10⁶ m: the distance is computed to within a few units of
/// the coordinates' size.
const DISTANCE_SLACK: f64 = 32.0 * f64::EPSILON;

impl Lss {
    /// A tight line-swept sphere around triangles; it contains them whatever rounding did, because the radius is at
    /// last set from the computed distances, outward. A convex set that contains the vertices contains the triangles.
    pub fn around<'a>(triangles: impl Iterator<Item = &'a Triangle>) -> Self {
        let points: Vec<DVec3> = triangles.flatten().copied().collect();
        let Some(&first) = points.first() else {
            return Self { a: DVec3::ZERO, b: DVec3::ZERO, radius: 0.0 };
        };
        let mut best = Self::sphere(&points, first);
        let mut best_axis = None;
        for axis in start_axes(&points) {
            best.improve(&points, axis, &mut best_axis);
        }
        // Hill climbing on the axis with a shrinking step.
        let mut step = 0.25;
        while let (Some(axis), true) = (best_axis, step > 1e-2) {
            let side = axis.any_orthonormal_vector();
            let other = axis.cross(side);
            let before = best_axis;
            for delta in [side, -side, other, -other] {
                best.improve(&points, (axis + delta * step).normalize(), &mut best_axis);
            }
            if before == best_axis {
                step *= 0.5;
            }
        }
        best.contain(&points)
    }

    /// The largest distance of a point of the segment from the origin, metres.
    pub fn reach(&self) -> f64 {
        self.a.length().max(self.b.length())
    }

    /// Distance of a point from the segment, metres (rounded to nearest).
    pub fn distance(&self, p: DVec3) -> f64 {
        let d = self.b - self.a;
        let length2 = d.length_squared();
        let s = if length2 > 0.0 { ((p - self.a).dot(d) / length2).clamp(0.0, 1.0) } else { 0.0 };
        // Of the three the smallest: each is the distance of a point of the segment, and `s` may be poor.
        let on = (p - (self.a + d * s)).length();
        on.min((p - self.a).length()).min((p - self.b).length())
    }

    /// Volume: what the fit makes small.
    fn volume(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius * ((self.b - self.a).length() + 4.0 / 3.0 * self.radius)
    }

    fn sphere(points: &[DVec3], start: DVec3) -> Self {
        let far = |from: DVec3| {
            points
                .iter()
                .copied()
                .fold(start, |m, p| if (p - from).length_squared() > (m - from).length_squared() { p } else { m })
        };
        // Ritter's sphere.
        let p = far(start);
        let q = far(p);
        let (mut centre, mut radius) = ((p + q) * 0.5, (p - q).length() * 0.5);
        for &p in points {
            let distance = (p - centre).length();
            if distance > radius {
                let grown = 0.5 * (distance + radius);
                centre += (p - centre) * ((grown - radius) / distance);
                radius = grown;
            }
        }
        Self { a: centre, b: centre, radius }
    }

    /// Takes the fit along `axis` if it is smaller.
    fn improve(&mut self, points: &[DVec3], axis: DVec3, best_axis: &mut Option<DVec3>) {
        if let Some(fit) = Self::along(points, axis)
            && fit.volume() < self.volume() * (1.0 - 1e-9)
        {
            (*self, *best_axis) = (fit, Some(axis));
        }
    }

    /// The fit with a given direction of the segment: a circle around the projections, then the shortest segment whose
    /// hemispheres reach the farthest points.
    fn along(points: &[DVec3], axis: DVec3) -> Option<Self> {
        if !axis.is_finite() {
            return None;
        }
        let (u, v) = axis.any_orthonormal_pair();
        let (centre, radius) = circle(points.iter().map(|p| (p.dot(u), p.dot(v))));
        let line = u * centre.0 + v * centre.1;
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in points {
            let (t, off) = (p.dot(axis), *p - line);
            let across2 = (off - axis * off.dot(axis)).length_squared();
            let cap = (radius * radius - across2).max(0.0).sqrt();
            (from, to) = (from.min(t + cap), to.max(t - cap));
        }
        if from > to {
            (from, to) = (0.5 * (from + to), 0.5 * (from + to));
        }
        Some(Self { a: line + axis * from, b: line + axis * to, radius })
    }

    /// The same segment with the least radius that contains the points, rounded up.
    fn contain(self, points: &[DVec3]) -> Self {
        let size = points.iter().chain([&self.a, &self.b]).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let radius = points.iter().fold(0.0, |m: f64, p| m.max(self.distance(*p)));
        Self { radius: radius + (radius + size) * DISTANCE_SLACK, ..self }
    }
}

/// A circle around points of the plane, close to the smallest (Ritter).
fn circle(points: impl Iterator<Item = (f64, f64)> + Clone) -> ((f64, f64), f64) {
    let distance = |p: (f64, f64), q: (f64, f64)| (p.0 - q.0).hypot(p.1 - q.1);
    let Some(start) = points.clone().next() else { return ((0.0, 0.0), 0.0) };
    let far = |from| points.clone().fold(start, |m, p| if distance(p, from) > distance(m, from) { p } else { m });
    let p = far(start);
    let q = far(p);
    let (mut c, mut r) = ((0.5 * (p.0 + q.0), 0.5 * (p.1 + q.1)), 0.5 * distance(p, q));
    for p in points {
        let d = distance(p, c);
        if d > r {
            let grown = 0.5 * (d + r);
            let s = (grown - r) / d;
            c = (c.0 + (p.0 - c.0) * s, c.1 + (p.1 - c.1) * s);
            r = grown;
        }
    }
    (c, r)
}

/// Directions worth trying first: the coordinate axes and that of the two points farthest apart.
fn start_axes(points: &[DVec3]) -> impl Iterator<Item = DVec3> {
    let start = points[0];
    let far = |from: DVec3| {
        points
            .iter()
            .copied()
            .fold(start, |m, p| if (p - from).length_squared() > (m - from).length_squared() { p } else { m })
    };
    let p = far(start);
    let long = (far(p) - p).try_normalize();
    [DVec3::X, DVec3::Y, DVec3::Z].into_iter().chain(long)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(lss: &Lss, points: &[Triangle]) -> bool {
        // Exact containment: distance to the segment with the error of this computation in favour of "outside".
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
