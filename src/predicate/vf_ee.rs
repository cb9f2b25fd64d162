//! Elementary tests: a vertex and a face, or two edges, given by four points (Redon et al. 2004, eq. 13 and 14).
//!
//! Both equations are the volume of the tetrahedron of the four points: `(a-b)·((c-b)×(d-b))` for the vertex `a` and
//! the face `b c d`, `(c-a)·((b-a)×(d-c)) = (c-a)·((b-a)×(d-a))` for the edges `a b` and `c d`. Features can touch only
//! when it vanishes. They certainly touch in `[t1, t2]` if
//!
//! - *(S)* the volume has certain and opposite signs at `t1` and `t2`: it vanishes somewhere between;
//! - *(I)* at every time between, a point of the plane is strictly inside the face, or the lines' crossing inside both
//!   edges.
//!
//! **(I) over an interval.** Let every point be within `rad` of the given ones at all times, `L` bound the distances of
//! the true points, `rad <= L/50`. Each quantity below is a product of four differences of points, each wrong by at
//! most `2 rad`, so it is wrong by at most `8 rad L³ (1 + 2 rad/L)³ <= 9.1 rad L³`; at most ten roundings apply to each
//! of its monomials, whose sizes sum to at most `2·6/3^(3/2) L⁴`, hence `24 u L⁴` for rounding, which is below
//! `0.5 rad L³` because `rad >= 48 u L`. Sum: below `9.6 rad L³`. At a root the quantities are the barycentric
//! coordinates (the edges' parameters) times `|N|²`; they sum to `|N|²`, so `N` is not zero there.

use crate::arith::linear::V3;
use crate::predicate::piercing::sides;

/// The kind of the two features, in the order of the four points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A vertex, then the three corners of a face.
    VertexFace,
    /// The two ends of an edge, then those of another.
    EdgeEdge,
}

/// Four points.
pub type Points = [V3<f64>; 4];

/// The sign of the equation's left side, if every point is within `eps` of the true one and the sign is certain.
pub fn sign(kind: Kind, [a, b, c, d]: &Points, eps: f64) -> Option<bool> {
    let [above, below] = match kind {
        Kind::VertexFace => sides(*b, *c, *d, *a, eps),
        Kind::EdgeEdge => sides(*a, *b, *d, *c, eps),
    };
    match (above, below) {
        (0, 0) => None,
        (above, _) => Some(above != 0),
    }
}

/// Returns whether a root is certainly inside both features, for any true points within `rad` of the given ones (I).
pub fn is_inside(kind: Kind, points: &Points, rad: f64) -> bool {
    let [a, b, c, d] = *points;
    let length = |v: V3<f64>| v.dot(v).sqrt();
    let far = [a - b, a - c, a - d, b - c, b - d, c - d].into_iter().fold(0.0, |m: f64, v| m.max(length(v)));
    let rad = rad * (1.0 + 1e-9) + 48.0 * f64::EPSILON * far;
    // The true points' distances are at most this.
    let far = far * (1.0 + 1e-9) + 2.0 * rad;
    if !(rad <= far / 50.0) {
        return false;
    }
    let tolerance = 9.6 * rad * far * far * far * (1.0 + 1e-9);
    let all = match kind {
        Kind::VertexFace => {
            let n = (c - b).cross(d - b);
            let on = |p: V3<f64>, q: V3<f64>| n.dot((p - a).cross(q - a));
            [on(c, d), on(d, b), on(b, c), f64::INFINITY]
        }
        Kind::EdgeEdge => {
            let (d1, d2, w) = (b - a, d - c, c - a);
            let n = d1.cross(d2);
            [w.cross(d2).dot(n), (b - c).cross(d2).dot(n), w.cross(d1).dot(n), d1.cross(d - a).dot(n)]
        }
    };
    all.into_iter().all(|x| x > tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(p: [[f64; 3]; 4]) -> Points {
        p.map(V3)
    }

    const FACE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn vertex(x: f64, y: f64, z: f64) -> Points {
        points([[x, y, z], FACE[0], FACE[1], FACE[2]])
    }

    #[test]
    fn a_vertex_above_and_below_a_face() {
        let sign = |z: f64, eps: f64| sign(Kind::VertexFace, &vertex(0.25, 0.25, z), eps);
        assert_eq!((sign(1e-9, 1e-14), sign(-1e-9, 1e-14)), (Some(true), Some(false)));
        assert_eq!((sign(1e-9, 1e-8), sign(0.0, 1e-16)), (None, None));
    }

    #[test]
    fn the_edge_of_a_face_is_not_inside() {
        let inside = |x: f64, y: f64, rad: f64| is_inside(Kind::VertexFace, &vertex(x, y, 0.0), rad);
        assert!(inside(0.25, 0.25, 1e-3) && inside(0.01, 0.01, 1e-5));
        assert!(!inside(0.25, 0.25, 0.2) && !inside(0.01, 0.01, 1e-2));
        for (x, y) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.6, 0.6), (-0.1, 0.5)] {
            assert!(!inside(x, y, 1e-12), "{x} {y}");
        }
        // A face without area has no interior.
        let needle = points([[0.5, 0.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        assert!(!is_inside(Kind::VertexFace, &needle, 1e-12));
    }

    #[test]
    fn edges_cross_between_their_ends() {
        let crossing =
            |x: f64, y: f64, z: f64| points([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [x, y - 1.0, z], [x, y + 1.0, z]]);
        let sign = |z: f64| sign(Kind::EdgeEdge, &crossing(0.3, 0.2, z), 1e-15);
        assert!(sign(0.1).is_some() && sign(0.1) == sign(1e-6) && sign(0.1) != sign(-0.1) && sign(0.0).is_none());
        let inside = |x: f64, y: f64| is_inside(Kind::EdgeEdge, &crossing(x, y, 0.0), 1e-6);
        assert!(inside(0.3, 0.2) && inside(-0.9, 0.9));
        assert!(!inside(1.0, 0.0) && !inside(1.1, 0.0) && !inside(0.0, 1.0) && !inside(0.0, -1.1));
        // Parallel edges have no crossing.
        let parallel = points([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        assert!(!is_inside(Kind::EdgeEdge, &parallel, 1e-9));
    }

    /// The certificate holds for all points within `rad`: tested on the corners of cubes inside the balls.
    #[test]
    fn certainly_inside_holds_for_all_points_within_the_error() {
        let mut state = 7u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut certain = [0; 2];
        for i in 0..20_000 {
            let p: Points = std::array::from_fn(|_| V3([unit(), unit(), unit()]));
            let rad = 10f64.powf(-1.0 - 3.0 * unit().abs());
            for (k, kind) in [Kind::VertexFace, Kind::EdgeEdge].into_iter().enumerate() {
                if !is_inside(kind, &p, rad) {
                    continue;
                }
                certain[k] += 1;
                for _ in 0..8 {
                    let moved = p.map(|v| V3(v.0.map(|x| x + rad * 0.577 * unit().signum())));
                    // Points without error of their own must still be inside.
                    assert!(is_inside(kind, &moved, 0.0), "{i}: {kind:?} {p:?} {rad}");
                }
            }
        }
        assert!(certain.iter().all(|n| *n > 100), "{certain:?}");
    }
}
