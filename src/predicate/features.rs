//! The features of two triangles that touch: the nearest of the six vertex–face and nine edge–edge pairs.
//!
//! [`nearest`](super::nearest) also computes nearest points, for several pairs of triangles simultaneously and without
//! identifying the features. The search calls it for every active pair, whereas this module is called once for each
//! reported contact.

use crate::verdict::Feature;
use glam::DVec3;

/// Two features, their nearest points, and a vector along their common normal.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The feature of the first triangle.
    pub a: Feature,
    /// The feature of the second.
    pub b: Feature,
    /// The nearest point on the first.
    pub on_a: DVec3,
    /// The nearest point on the second.
    pub on_b: DVec3,
    /// Normal of the face, or product of the edges; any length and sign, zero if degenerate.
    pub normal: DVec3,
}

impl Nearest {
    /// Distance of the two points, metres.
    pub fn distance(&self) -> f64 {
        (self.on_a - self.on_b).length()
    }
}

/// The nearest pair of features. Among pairs that are equally near to within `tie`, a vertex and a face precede two
/// edges, and lower numbers precede higher ones.
pub fn nearest(x: [DVec3; 3], y: [DVec3; 3], tie: f64) -> Nearest {
    let all = pairs_of_features(x, y);
    all[1..].iter().fold(all[0], |best, new| if new.distance() < best.distance() - tie { *new } else { best })
}

/// All pairs of features that are as near as the nearest, to within `tie`, in the same order.
pub fn all_nearest(x: [DVec3; 3], y: [DVec3; 3], tie: f64) -> Vec<Nearest> {
    let all = pairs_of_features(x, y);
    let least = all.iter().fold(f64::INFINITY, |m, n| m.min(n.distance()));
    all.into_iter().filter(|n| n.distance() <= least + tie).collect()
}

/// Returns whether two features have a pair of nearest points whose distance in metres satisfies a condition. The pairs
/// after the first one that does are not computed.
pub fn any_distance(x: [DVec3; 3], y: [DVec3; 3], is_enough: impl Fn(f64) -> bool) -> bool {
    (0..PAIRS).any(|k| is_enough(pair_of_features(x, y, k).distance()))
}

/// Number of pairs of features that can touch first.
const PAIRS: usize = 15;

/// The nearest points of all pairs of features that can touch first.
#[inline]
fn pairs_of_features(x: [DVec3; 3], y: [DVec3; 3]) -> [Nearest; PAIRS] {
    std::array::from_fn(|k| pair_of_features(x, y, k))
}

/// The nearest points of a pair of features that can touch first: vertices of the first triangle and the face of the
/// second, the reverse, then edges.
#[inline(always)]
fn pair_of_features(x: [DVec3; 3], y: [DVec3; 3], k: usize) -> Nearest {
    let face = |t: [DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
    let edge = |t: [DVec3; 3], k: usize| (t[k], t[(k + 1) % 3]);
    match k {
        0..3 => {
            let (v, a, b) = (x[k], Feature::Vertex(k as u8), Feature::Face);
            Nearest { a, b, on_a: v, on_b: nearest_in_triangle(v, y), normal: face(y) }
        }
        3..6 => {
            let (v, a, b) = (y[k - 3], Feature::Face, Feature::Vertex(k as u8 - 3));
            Nearest { a, b, on_a: nearest_in_triangle(v, x), on_b: v, normal: face(x) }
        }
        _ => {
            let (i, j) = ((k - 6) / 3, k % 3);
            let ((p, q), (r, s)) = (edge(x, i), edge(y, j));
            let (on_a, on_b) = nearest_of_segments(p, q, r, s);
            let (a, b) = (Feature::Edge(i as u8), Feature::Edge(j as u8));
            Nearest { a, b, on_a, on_b, normal: (q - p).cross(s - r) }
        }
    }
}

/// The point of a triangle nearest to `p` (Ericson, Real-Time Collision Detection, 5.1.5), also for degenerate ones.
pub fn nearest_in_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let n2 = normal.length_squared();
    if n2 > 0.0 {
        // Barycentric coordinates of the foot of the perpendicular.
        let ap = p - a;
        let (v, w) = (ap.cross(ac).dot(normal) / n2, ab.cross(ap).dot(normal) / n2);
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return a + ab * v + ac * w;
        }
    }
    let on = [nearest_in_segment(p, a, b), nearest_in_segment(p, b, c), nearest_in_segment(p, c, a)];
    let d = on.map(|q| (q - p).length_squared());
    if d[0] <= d[1] && d[0] <= d[2] {
        on[0]
    } else if d[1] <= d[2] {
        on[1]
    } else {
        on[2]
    }
}

fn nearest_in_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let d = b - a;
    let l2 = d.length_squared();
    if l2 > 0.0 { a + d * ((p - a).dot(d) / l2).clamp(0.0, 1.0) } else { a }
}

/// Nearest points of two segments: the interior solution if there is one, otherwise the best solution at the four end
/// points.
pub fn nearest_of_segments(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> (DVec3, DVec3) {
    if let Some(inside) = nearest_inside(p, q, r, s) {
        return inside;
    }
    let ends = [
        (p, nearest_in_segment(p, r, s)),
        (q, nearest_in_segment(q, r, s)),
        (nearest_in_segment(r, p, q), r),
        (nearest_in_segment(s, p, q), s),
    ];
    let distance = |(x, y): &(DVec3, DVec3)| (*x - *y).length_squared();
    ends.into_iter().min_by(|x, y| distance(x).total_cmp(&distance(y))).unwrap_or((p, r))
}

/// Nearest points of two segments if they are on both lines' common perpendicular.
fn nearest_inside(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> Option<(DVec3, DVec3)> {
    let (d1, d2, w) = (q - p, s - r, p - r);
    let (a, b, c, e, f) = (d1.dot(d1), d1.dot(d2), d2.dot(d2), d1.dot(w), d2.dot(w));
    let (det, t, u) = (a * c - b * b, b * f - c * e, a * f - b * e);
    let inside = det > 1e-14 * a * c && t >= 0.0 && t <= det && u >= 0.0 && u <= det;
    inside.then(|| (p + d1 * (t / det), r + d2 * (u / det)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    #[test]
    fn vertex_over_face_and_crossed_edges() {
        let v = DVec3::new;
        let spike = [v(0.3, 0.3, 0.01), v(0.3, 0.3, 1.0), v(0.4, 0.3, 1.0)];
        let n = nearest(spike, FLOOR, 1e-12);
        assert_eq!((n.a, n.b), (Feature::Vertex(0), Feature::Face));
        assert!((n.distance() - 0.01).abs() < 1e-15 && n.normal.normalize().z.abs() > 0.999);
        let n = nearest(FLOOR, spike, 1e-12);
        assert_eq!((n.a, n.b), (Feature::Face, Feature::Vertex(0)));
        // An edge along x at height 0.02 above the edge from (1,0,0) to (0,1,0).
        let bar = [v(0.2, 0.5, 0.02), v(0.9, 0.5, 0.02), v(0.5, 2.0, 3.0)];
        let n = nearest([v(0.8, 0.45, 0.02), v(0.45, 0.8, 5.0), v(0.2, 0.9, 5.0)], bar, 1e-12);
        assert!(n.distance() < 0.06);
        let cross = [v(0.5, 0.5, 0.02) + v(-0.3, -0.3, 0.0), v(0.5, 0.5, 0.02) + v(0.3, 0.3, 0.0), v(0.5, 0.5, 9.0)];
        let n = nearest(cross, [v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.5, 0.5, -3.0)], 1e-12);
        assert_eq!((n.a, n.b), (Feature::Edge(0), Feature::Edge(0)));
        assert!((n.distance() - 0.02).abs() < 1e-15);
    }

    #[test]
    fn degenerate_triangles_have_nearest_points_too() {
        let p = DVec3::new(0.5, 2.0, 0.0);
        assert_eq!(nearest_in_triangle(p, [DVec3::ZERO, DVec3::X, DVec3::X * 0.3]), DVec3::X * 0.5);
        assert_eq!(nearest_in_triangle(p, [DVec3::X; 3]), DVec3::X);
    }
}
