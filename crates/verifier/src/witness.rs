//! Two triangles at one time: proofs that they touch, or are within a distance.

use crate::ball::{Ball, Sum, cross, dot, larger, minus, norm};

/// A triangle whose vertices are known up to rounding.
pub(crate) type Triangle = [[Ball; 3]; 3];

/// Certain proof that an edge of one triangle crosses the interior of the other.
pub(crate) fn touch(a: &Triangle, b: &Triangle) -> bool {
    let pierced = |edges: &Triangle, face: &Triangle| (0..3).any(|k| pierces(edges[k], edges[(k + 1) % 3], face));
    pierced(a, b) || pierced(b, a)
}

/// The ends are strictly on both sides of the face, and the line passes all edges of the face on the same side.
fn pierces(start: [Ball; 3], end: [Ball; 3], face: &Triangle) -> bool {
    let [a, b, c] = *face;
    let ends = [volume(a, b, c, start), volume(a, b, c, end)];
    let sides = [volume(start, end, a, b), volume(start, end, b, c), volume(start, end, c, a)];
    let opposite = (positive(ends[0]) && positive(-ends[1])) || (positive(-ends[0]) && positive(ends[1]));
    opposite && (sides.into_iter().all(positive) || sides.into_iter().all(|side| positive(-side)))
}

fn positive(x: Ball) -> bool {
    x.lower() > 0.0
}

/// Six times the signed volume of a tetrahedron.
fn volume(a: [Ball; 3], b: [Ball; 3], c: [Ball; 3], d: [Ball; 3]) -> Ball {
    dot(cross(minus(b, a), minus(c, a)), minus(d, a))
}

/// Certain proof that the distance is at most a bound. The two nearest points are found in plain arithmetic.
pub(crate) fn within(a: &Triangle, b: &Triangle, distance: f64) -> bool {
    let length = |(u, v): &(Weights, Weights)| norm(minus(point(a, u), point(b, v)));
    let (p, q) = (a.map(|x| x.map(|x| x.mid)), b.map(|x| x.map(|x| x.mid)));
    near_points(&p, &q).iter().map(length).any(|length| length <= distance)
}

/// Weights of the vertices, not negative.
type Weights = [f64; 3];

/// The weighted mean of the vertices: a point of the triangle.
fn point(triangle: &Triangle, weights: &Weights) -> [Ball; 3] {
    let total = weights.iter().fold(Ball::ZERO, |sum, w| sum + Ball::exact(*w)).recip();
    std::array::from_fn(|r| {
        let mut sum = Sum::default();
        for (vertex, weight) in triangle.iter().zip(weights) {
            sum.add(vertex[r], Ball::exact(*weight));
        }
        sum.ball() * total
    })
}

type Corners = [[f64; 3]; 3];

/// Pairs of points, the nearest of two triangles that do not cross among them: of all edges, and vertices with faces.
fn near_points(a: &Corners, b: &Corners) -> Vec<(Weights, Weights)> {
    let mut pairs = Vec::new();
    for i in 0..3 {
        for j in 0..3 {
            let (s, t) = nearest_of_edges([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
            pairs.push((on_edge(i, s), on_edge(j, t)));
        }
        pairs.extend(foot(a[i], b).map(|weights| (on_edge(i, 0.0), weights)));
        pairs.extend(foot(b[i], a).map(|weights| (weights, on_edge(i, 0.0))));
    }
    pairs
}

fn on_edge(k: usize, t: f64) -> Weights {
    let mut weights = [0.0; 3];
    (weights[k], weights[(k + 1) % 3]) = (1.0 - t, t);
    weights
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| a[r] - b[r])
}

fn inner(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A quotient in [0, 1]; 0 for 0/0.
fn share(a: f64, b: f64) -> f64 {
    if b > 0.0 { (a / b).clamp(0.0, 1.0) } else { 0.0 }
}

/// Parameters of the nearest points of two segments.
fn nearest_of_edges(p: [[f64; 3]; 2], q: [[f64; 3]; 2]) -> (f64, f64) {
    let (d, e, r) = (sub(p[1], p[0]), sub(q[1], q[0]), sub(p[0], q[0]));
    let (dd, de, ee) = (inner(d, d), inner(d, e), inner(e, e));
    let s = share(de * inner(e, r) - ee * inner(d, r), dd * ee - de * de);
    let t = share(de * s + inner(e, r), ee);
    (share(de * t - inner(d, r), dd), t)
}

/// Weights of the foot of a point's perpendicular, if it is in the triangle.
fn foot(point: [f64; 3], triangle: &Corners) -> Option<Weights> {
    let (u, v, r) = (sub(triangle[1], triangle[0]), sub(triangle[2], triangle[0]), sub(point, triangle[0]));
    let (uu, uv, vv) = (inner(u, u), inner(u, v), inner(v, v));
    let area = uu * vv - uv * uv;
    let s = (vv * inner(u, r) - uv * inner(v, r)) / area;
    let t = (uu * inner(v, r) - uv * inner(u, r)) / area;
    let least = larger(larger(-s, -t), s + t - 1.0);
    (least <= 0.0).then_some([1.0 - s - t, s, t])
}
