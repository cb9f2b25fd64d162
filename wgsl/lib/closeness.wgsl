//!use lib/separation
// A moving triangle compared with a margin: src/predicate/closeness.rs in f32. Divisions only choose points.

const SQUARE_ROUNDINGS: f32 = 16.0;
const DIFFERENCE_ROUNDINGS: f32 = 32.0;
const LEAST: f32 = 1e-30;
const PARALLEL: f32 = 1e-6;

struct Triangle {
    a: vec3<f32>,
    b: vec3<f32>,
    c: vec3<f32>,
}

fn shorter(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return select(a, b, dot3(a, a) > dot3(b, b));
}

// A point less a point of a triangle: the one below it, if there is one.
fn to_face(p: vec3<f32>, y: Triangle) -> vec3<f32> {
    let ab = y.b - y.a;
    let ac = y.c - y.a;
    let ap = p - y.a;
    let n = cross3(ab, ac);
    let n2 = max(dot3(n, n), LEAST);
    let v = min(max(dot3(cross3(ap, ac), n) / n2, 0.0), 1.0);
    let w = min(max(dot3(cross3(ab, ap), n) / n2, 0.0), 1.0 - v);
    return ap - (ab * v + ac * w);
}

// The difference of points of two edges `e` and `f`, of which the first begins at `w` from the beginning of the second.
fn between_edges(w: vec3<f32>, e: vec3<f32>, f: vec3<f32>) -> vec3<f32> {
    let ee = dot3(e, e);
    let ff = dot3(f, f);
    let ef = dot3(e, f);
    let ew = dot3(e, w);
    let fw = dot3(f, w);
    let det = max(ee * ff - ef * ef, max(ee * ff * PARALLEL, LEAST));
    let s0 = min(max((ef * fw - ff * ew) / det, 0.0), 1.0);
    let t = min(max((ef * s0 + fw) / max(ff, LEAST), 0.0), 1.0);
    let s = min(max((ef * t - ew) / max(ee, LEAST), 0.0), 1.0);
    return w + e * s - f * t;
}

// The difference of two points of triangles, the first triangle's less the second one's: nearly the nearest points.
fn apart(x: Triangle, y: Triangle) -> vec3<f32> {
    var best = x.a - y.a;
    best = shorter(best, to_face(x.a, y));
    best = shorter(best, to_face(x.b, y));
    best = shorter(best, to_face(x.c, y));
    best = shorter(best, -to_face(y.a, x));
    best = shorter(best, -to_face(y.b, x));
    best = shorter(best, -to_face(y.c, x));
    let f0 = y.b - y.a;
    let f1 = y.c - y.b;
    let f2 = y.a - y.c;
    let e0 = x.b - x.a;
    best = shorter(best, between_edges(x.a - y.a, e0, f0));
    best = shorter(best, between_edges(x.a - y.b, e0, f1));
    best = shorter(best, between_edges(x.a - y.c, e0, f2));
    let e1 = x.c - x.b;
    best = shorter(best, between_edges(x.b - y.a, e1, f0));
    best = shorter(best, between_edges(x.b - y.b, e1, f1));
    best = shorter(best, between_edges(x.b - y.c, e1, f2));
    let e2 = x.a - x.c;
    best = shorter(best, between_edges(x.c - y.a, e2, f0));
    best = shorter(best, between_edges(x.c - y.b, e2, f1));
    best = shorter(best, between_edges(x.c - y.c, e2, f2));
    return best;
}

// Returns whether the difference of two points proves that triangles stay more than the margin, which the balls
// contain, apart.
fn stays_beyond(n: vec3<f32>, a: PointBound, b: PointBound, c: PointBound, t: Standing, h: f32) -> bool {
    let low_rate = min(min(a.c1, b.c1), c.c1);
    let high_rate = max(max(a.c1, b.c1), c.c1);
    let middle = (low_rate + high_rate) * 0.5;
    let half_hh = h * h * 0.5;
    let bend = max(max(abs(a.c2), abs(b.c2)), abs(c.c2)) * half_hh;
    let off = max(high_rate - middle, middle - low_rate) * h + bend + max(max(a.cube, b.cube), c.cube);
    let ball = max(max(a.ball, b.ball), c.ball);
    let f0 = t.y1 - t.y0;
    let f1 = t.y2 - t.y0;
    let low = min(min(dot3(n, a.c0 - t.y0), dot3(n, b.c0 - t.y0)), dot3(n, c.c0 - t.y0));
    let high = max(max(0.0, dot3(n, f0)), dot3(n, f1));
    let moving = max(max(point_size(a, t.y0, h), point_size(b, t.y0, h)), point_size(c, t.y0, h));
    let size = moving + (norm1(f0) + norm1(f1));
    let grow = (size + ball) * (ROUNDINGS * UNIT) + t.error * 3.0 + UNDERFLOW;
    let strays = abs(dot3(n, middle * h)) + dot3(abs(n), off);
    let gap = (low - high) - strays * (1.0 + ROUNDINGS * UNIT);
    let reach = (ball + grow) * (1.0 + ROUNDINGS * UNIT);
    return gap > 0.0 && gap * gap > dot3(n, n) * (reach * reach) * (1.0 + SQUARE_ROUNDINGS * UNIT) + UNDERFLOW;
}

// Returns whether the difference of two points proves that triangles are within the margin at the middle time.
fn is_within(n: vec3<f32>, a: PointBound, b: PointBound, c: PointBound, t: Standing, margin: f32) -> bool {
    let ball = max(max(a.ball, b.ball), c.ball);
    let cube = max(max(a.cube, b.cube), c.cube);
    let own = (ball - margin) + ball * (4.0 * UNIT);
    let sum = norm1(a.c0 - t.y0) + norm1(b.c0 - t.y0) + norm1(c.c0 - t.y0) + norm1(t.y1 - t.y0) + norm1(t.y2 - t.y0);
    let error = max(own, 0.0) + norm1(cube) + t.error + sum * (DIFFERENCE_ROUNDINGS * UNIT) + UNDERFLOW;
    let room = margin - error * (1.0 + ROUNDINGS * UNIT);
    return room > 0.0 && room * room > dot3(n, n) * (1.0 + SQUARE_ROUNDINGS * UNIT) + UNDERFLOW;
}
