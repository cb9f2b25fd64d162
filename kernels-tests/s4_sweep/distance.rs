//! Distances of segments and triangles in f64: the minimum over the distances of their parts.

use firstcontact::robot::Triangle;
use glam::DVec3;

/// Distance of a point from a segment.
fn to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let d = b - a;
    let s = if d.length_squared() > 0.0 { ((p - a).dot(d) / d.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
    (p - (a + d * s)).length()
}

/// Distance of two segments: that of the closest points of both lines if these are inside the segments; otherwise that
/// of an end.
fn of_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let ends = to_segment(a, c, d).min(to_segment(b, c, d)).min(to_segment(c, a, b)).min(to_segment(d, a, b));
    let (u, v, w) = (b - a, d - c, c - a);
    let n = u.cross(v);
    let n2 = n.length_squared();
    let (s, t) = (w.cross(v).dot(n), w.cross(u).dot(n));
    let crosses = n2 > 1e-24 * u.length_squared() * v.length_squared();
    if crosses && (0.0..=n2).contains(&s) && (0.0..=n2).contains(&t) {
        return ends.min((a + u * (s / n2) - (c + v * (t / n2))).length());
    }
    ends
}

/// Distance of a segment from a triangle, metres.
pub fn segment_to_triangle(s: [DVec3; 2], t: &Triangle) -> f64 {
    let edges = (0..3).map(|i| of_segments(s, [t[i], t[(i + 1) % 3]])).fold(f64::INFINITY, f64::min);
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    if n.length_squared() == 0.0 {
        return edges;
    }
    let above = s.map(|p| n.dot(p - t[0]));
    let inside = |p: DVec3| (0..3).all(|i| n.cross(t[(i + 1) % 3] - t[i]).dot(p - t[i]) >= 0.0);
    let faces = (0..2).filter(|&i| inside(s[i])).map(|i| above[i].abs() / n.length());
    let pierced = above[0] * above[1] < 0.0 && inside(s[0] + (s[1] - s[0]) * (above[0] / (above[0] - above[1])));
    faces.fold(if pierced { 0.0 } else { edges }, f64::min)
}

/// Distance of two triangles, metres.
pub fn triangle_to_triangle(x: &Triangle, y: &Triangle) -> f64 {
    let edges = |x: &Triangle, y: &Triangle| {
        (0..3).map(|i| segment_to_triangle([x[i], x[(i + 1) % 3]], y)).fold(f64::INFINITY, f64::min)
    };
    edges(x, y).min(edges(y, x))
}

#[test]
fn the_distance_is_that_of_the_nearest_points() {
    let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let at = |a: [f64; 3], b: [f64; 3]| segment_to_triangle([a.into(), b.into()], &t);
    assert_eq!(at([0.2, 0.2, -1.0], [0.3, 0.3, 1.0]), 0.0);
    assert_eq!(at([0.2, 0.2, 0.5], [0.3, 0.3, 1.0]), 0.5);
    assert_eq!(at([-1.0, -3.0, 0.0], [-1.0, 3.0, 0.0]), 1.0);
    assert_eq!(at([0.5, -0.25, -1.0], [0.5, -0.25, 1.0]), 0.25);
    assert!((at([1.0, 1.0, 0.0], [2.0, 2.0, 0.0]) - 0.5f64.sqrt()).abs() < 1e-15);
    assert_eq!(at([0.0, 0.0, 2.0], [0.0, 0.0, 2.0]), 2.0);
}
