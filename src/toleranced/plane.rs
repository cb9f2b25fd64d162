//! Excluding a collision by one plane.
//!
//! A fat polygon is in the convex hull of its fat vertices, which are balls, because `ρ` is convex. So if some normal
//! keeps each ball beyond every point of the fixed polygon, no map of the ball of displacements lets the two meet,
//! penetration included. The normal may be found in any way: the check, with outward rounding, does not depend on how.

use super::enclosure::{Enclosure, Vector, exact, square};

/// A fat vertex: its image under the centre, and its squared radius.
pub type Ball = (Vector, Enclosure);

/// Returns whether `normal` certainly keeps all balls beyond all points.
pub fn keeps_apart(normal: [f64; 3], balls: &[Ball], points: &[Vector]) -> bool {
    let n = Vector::exact(normal);
    let length2 = n.norm2();
    let mut farthest = f64::NEG_INFINITY;
    for p in points {
        // The maximum would drop a NaN.
        let along = n.dot(*p).hi;
        if !along.is_finite() {
            return false;
        }
        farthest = farthest.max(along);
    }
    let far = exact(farthest);
    balls.iter().all(|(c, r2)| {
        let gap = n.dot(*c) - far;
        let (gap2, reach2) = (square(gap), *r2 * length2);
        gap.lo > 0.0 && gap2.lo > reach2.hi && gap2.lo.is_finite()
    })
}

type V = [f64; 3];

pub(super) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn along(a: V, d: V, t: f64) -> V {
    [a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]]
}

fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

/// Returns the point of a segment nearest to `p`, approximately.
pub(super) fn nearest_on_segment(p: V, a: V, b: V) -> V {
    let d = sub(b, a);
    let t = (dot(sub(p, a), d) / dot(d, d)).clamp(0.0, 1.0);
    if t.is_nan() { a } else { along(a, d, t) }
}

/// Returns the vector from the nearest point of segment `c d` to that of segment `a b`, approximately.
pub(super) fn between_segments([a, b]: [V; 2], [c, d]: [V; 2]) -> V {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(a, c));
    let (uu, uv, vv, uw, vw) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let det = uu * vv - uv * uv;
    let mut best = sub(nearest_on_segment(c, a, b), c);
    let mut take = |candidate: V| {
        if dot(candidate, candidate) < dot(best, best) {
            best = candidate;
        }
    };
    take(sub(nearest_on_segment(d, a, b), d));
    take(sub(a, nearest_on_segment(a, c, d)));
    take(sub(b, nearest_on_segment(b, c, d)));
    let (s, t) = ((uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det);
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        take(sub(along(a, u, s), along(c, v, t)));
    }
    best
}

/// Returns the vector from the nearest point of a convex plane polygon to `p`, approximately.
pub(super) fn to_polygon(p: V, polygon: &[V]) -> V {
    let n = polygon.len();
    let normal = normal_of(polygon);
    let inside = (0..n).all(|i| {
        let (a, b) = (polygon[i], polygon[(i + 1) % n]);
        dot(cross(normal, sub(b, a)), sub(p, a)) >= 0.0
    });
    let height = dot(normal, sub(p, polygon[0]));
    if inside && dot(normal, normal) > 0.0 {
        let s = height / dot(normal, normal);
        return [normal[0] * s, normal[1] * s, normal[2] * s];
    }
    let mut best = sub(p, polygon[0]);
    for i in 0..n {
        let candidate = sub(p, nearest_on_segment(p, polygon[i], polygon[(i + 1) % n]));
        if dot(candidate, candidate) < dot(best, best) {
            best = candidate;
        }
    }
    best
}

/// Returns a normal of a plane polygon; its length is twice the area.
pub(super) fn normal_of(polygon: &[V]) -> V {
    let mut sum = [0.0; 3];
    for i in 1..polygon.len().max(2) - 1 {
        sum = along(sum, cross(sub(polygon[i], polygon[0]), sub(polygon[i + 1], polygon[0])), 1.0);
    }
    sum
}

/// Returns the direction that separates two convex polygons most, from the second to the first, approximately. The
/// candidates are separating axes, the vector between the midpoints, and the shortest vectors from the corners of each
/// polygon to the other. `None` if every axis overlaps.
pub(super) fn best_axis(p: &[V], q: &[V]) -> Option<V> {
    let edges = |x: &[V]| (0..x.len()).map(|i| sub(x[(i + 1) % x.len()], x[i])).collect::<Vec<_>>();
    let (ep, eq, np, nq) = (edges(p), edges(q), normal_of(p), normal_of(q));
    let mut best: Option<(f64, V)> = None;
    let mut take = |axis: V| {
        let size = length(axis);
        if !(size > 0.0) {
            return;
        }
        let range = |x: &[V]| {
            x.iter().map(|v| dot(axis, *v)).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
        };
        let ((pl, ph), (ql, qh)) = (range(p), range(q));
        for (gap, sign) in [((pl - qh) / size, 1.0), ((ql - ph) / size, -1.0)] {
            if gap > best.map_or(0.0, |b| b.0) {
                best = Some((gap, axis.map(|x| x * sign / size)));
            }
        }
    };
    take(np);
    take(nq);
    let middle = |x: &[V]| x.iter().fold([0.0; 3], |m, v| along(m, *v, 1.0 / x.len() as f64));
    take(sub(middle(p), middle(q)));
    for a in &ep {
        eq.iter().for_each(|b| take(cross(*a, *b)));
        take(cross(np, *a));
    }
    eq.iter().for_each(|b| take(cross(nq, *b)));
    // Pairs of corners have no axis of their own: the shortest vector is one.
    for v in p {
        take(to_polygon(*v, q));
    }
    for v in q {
        let [x, y, z] = to_polygon(*v, p);
        take([-x, -y, -z]);
    }
    best.map(|b| b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_separates_in_one_direction_only() {
        let ball = |z: f64| (Vector::exact([0.3, -0.2, z]), exact(0.25));
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, -0.5], [0.0, 1.0, 0.0]].map(Vector::exact);
        for (z, apart) in [(0.6, true), (0.5, false), (0.4, false), (-0.6, false), (-5.0, false)] {
            assert_eq!(keeps_apart([0.0, 0.0, 1.0], &[ball(z)], &points), apart, "{z}");
            assert_eq!(keeps_apart([0.0, 0.0, 1e-3], &[ball(z)], &points), apart, "{z}");
        }
        assert!(keeps_apart([0.0, 0.0, -1.0], &[ball(-1.1)], &points));
        assert!(!keeps_apart([0.0; 3], &[ball(5.0)], &points));
        // All points must be beyond, not just some.
        assert!(!keeps_apart([0.0, 0.0, 1.0], &[ball(5.0), ball(0.0)], &points));
    }

    #[test]
    fn the_best_axis_separates_separate_polygons() {
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let moved = |d: V| square.map(|p| [p[0] + d[0], p[1] + d[1], p[2] + d[2]]);
        for d in [[1.1, 0.0, 0.0], [1.1, 1.1, 0.0], [0.0, 0.0, 0.1], [-1.1, 0.3, 0.2]] {
            let axis = best_axis(&moved(d), &square).expect("they are apart");
            let of = |x: &[V]| {
                x.iter()
                    .map(|p| dot(axis, *p))
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
            };
            assert!(of(&moved(d)).0 > of(&square).1);
        }
        assert!(best_axis(&moved([0.5, 0.5, 0.0]), &square).is_none());
    }
}
