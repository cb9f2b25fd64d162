//!use lib/bound
// Separating axes between moving points and a static triangle: src/predicate/separation.rs in f32.

const ROUNDINGS: f32 = 16.0;

// A static triangle; `error` is the largest distance of its vertices from the true ones.
struct Standing {
    y0: vec3<f32>,
    y1: vec3<f32>,
    y2: vec3<f32>,
    error: f32,
}

fn standing_box(t: Standing) -> Box {
    let lo = min(min(t.y0, t.y1), t.y2);
    let hi = max(max(t.y0, t.y1), t.y2);
    let grow = vec3<f32>(t.error * 2.0) + (abs(lo) + abs(hi)) * (2.0 * UNIT);
    return Box(lo - grow, hi + grow);
}

// Contribution of a point to the size of its projections: its distance from the triangle's first vertex, and its
// motion.
fn point_size(p: PointBound, y0: vec3<f32>, h: f32) -> f32 {
    return norm1(p.c0 - y0) + norm1(p.c1) * h + norm1(p.c2) * (h * h * 0.5);
}

// Bound on the contribution of rounding and of the pose bound to a projection on a unit axis.
fn projection_slack(size: f32, ball: f32, t: Standing) -> f32 {
    let span = norm1(t.y1 - t.y0) + norm1(t.y2 - t.y0);
    return ball + t.error * 3.0 + (size + span + ball) * (ROUNDINGS * UNIT) + UNDERFLOW;
}

// Lowest and highest projection of a point on `n`, relative to `y0`.
fn extent(n: vec3<f32>, p: PointBound, y0: vec3<f32>, h: f32) -> vec2<f32> {
    let half_hh = h * h * 0.5;
    let g0 = dot3(n, p.c0 - y0);
    let g1 = abs(dot3(n, p.c1)) * h;
    let g2 = dot3(n, p.c2);
    return vec2<f32>(g0 - (g1 + max(-g2, 0.0) * half_hh), g0 + (g1 + max(g2, 0.0) * half_hh));
}

// A moving triangle relative to a static one: its vertices relative to the static one's first, which move by about
// `travel` to either side and deviate from that by at most `slack`; and two edges of the static one.
struct Approach {
    d0: vec3<f32>,
    d1: vec3<f32>,
    d2: vec3<f32>,
    travel: vec3<f32>,
    slack: vec3<f32>,
    f0: vec3<f32>,
    f2: vec3<f32>,
}

// Returns whether an axis separates them.
fn separates(a: Approach, n: vec3<f32>) -> bool {
    let y1 = dot3(n, a.f0);
    let y2 = -dot3(n, a.f2);
    let x0 = dot3(n, a.d0);
    let x1 = dot3(n, a.d1);
    let x2 = dot3(n, a.d2);
    let reach = abs(dot3(n, a.travel)) + (dot3(abs(n), a.slack) + UNDERFLOW);
    return min(min(x0, x1), x2) - reach > max(max(0.0, y1), y2) || min(min(0.0, y1), y2) > max(max(x0, x1), x2) + reach;
}

// Returns whether a moving triangle misses a static one: both normals, nine products of edges, six in-plane normals.
fn triangle_misses(a: PointBound, b: PointBound, c: PointBound, t: Standing, h: f32) -> bool {
    let size = max(max(point_size(a, t.y0, h), point_size(b, t.y0, h)), point_size(c, t.y0, h));
    let grow = projection_slack(size, max(max(a.ball, b.ball), c.ball), t);
    let low = min(min(a.c1, b.c1), c.c1);
    let high = max(max(a.c1, b.c1), c.c1);
    let middle = (low + high) * 0.5;
    let off = max(high - middle, middle - low) * h;
    let bend = max(max(abs(a.c2), abs(b.c2)), abs(c.c2)) * (h * h * 0.5);
    let cube = max(max(a.cube, b.cube), c.cube);
    let slack = (off + bend + cube + vec3<f32>(grow)) * (1.0 + ROUNDINGS * UNIT);
    let travel = middle * h;
    let f0 = t.y1 - t.y0;
    let f1 = t.y2 - t.y1;
    let f2 = t.y0 - t.y2;
    let p = Approach(a.c0 - t.y0, b.c0 - t.y0, c.c0 - t.y0, travel, slack, f0, f2);
    let n_y = cross3(f0, f1);
    if separates(p, n_y) {
        return true;
    }
    let e0 = p.d1 - p.d0;
    let e1 = p.d2 - p.d1;
    let e2 = p.d0 - p.d2;
    let n_x = cross3(e0, e1);
    return separates(p, n_x)
        || separates(p, cross3(e0, f0)) || separates(p, cross3(e0, f1)) || separates(p, cross3(e0, f2))
        || separates(p, cross3(e1, f0)) || separates(p, cross3(e1, f1)) || separates(p, cross3(e1, f2))
        || separates(p, cross3(e2, f0)) || separates(p, cross3(e2, f1)) || separates(p, cross3(e2, f2))
        || separates(p, cross3(n_x, e0)) || separates(p, cross3(n_x, e1)) || separates(p, cross3(n_x, e2))
        || separates(p, cross3(n_y, f0)) || separates(p, cross3(n_y, f1)) || separates(p, cross3(n_y, f2));
}
