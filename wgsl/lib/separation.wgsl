//!use lib/bound
// Separating axes between moving points and a standing triangle: src/numeric/separation.rs in f32.

const ROUNDINGS: f32 = 16.0;

// A standing triangle; `error` is how far its vertices may be from the true ones.
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

// What projecting a point adds up: its distance from the triangle's first vertex, and its movement.
fn point_size(p: PointBound, y0: vec3<f32>, h: f32) -> f32 {
    return norm1(p.c0 - y0) + norm1(p.c1) * h + norm1(p.c2) * (h * h * 0.5);
}

// Bound on what rounding and the pose bound add to a projection on a unit axis.
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

// Whether projections in `x` (lowest, highest), known to within the slack, miss the triangle's.
fn axis_separates(n: vec3<f32>, x: vec2<f32>, cube: vec3<f32>, slack: f32, t: Standing) -> bool {
    let e1 = dot3(n, t.y1 - t.y0);
    let e2 = dot3(n, t.y2 - t.y0);
    let lo = min(min(0.0, e1), e2);
    let hi = max(max(0.0, e1), e2);
    let grow = norm_bound(n) * slack + dot3(abs(n), cube) * (1.0 + ROUNDINGS * UNIT) + UNDERFLOW;
    return x.x - grow > hi || lo > x.y + grow;
}

// Whether a line-swept sphere stays on one side of the triangle's plane.
fn swept_misses_plane(a: PointBound, b: PointBound, radius: f32, t: Standing, h: f32) -> bool {
    let size = max(point_size(a, t.y0, h), point_size(b, t.y0, h));
    let slack = radius * (1.0 + ROUNDINGS * UNIT) + projection_slack(size, max(a.ball, b.ball), t);
    let n = cross3(t.y1 - t.y0, t.y2 - t.y0);
    let x = extent(n, a, t.y0, h);
    let y = extent(n, b, t.y0, h);
    return axis_separates(n, vec2<f32>(min(x.x, y.x), max(x.y, y.y)), max(a.cube, b.cube), slack, t);
}

// Whether a moving triangle misses a standing one: both normals, nine products of edges, six in-plane normals. Its vertices
// move by about `travel` to either side, and off that by no more than `slack`.
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
    let d0 = a.c0 - t.y0;
    let d1 = b.c0 - t.y0;
    let d2 = c.c0 - t.y0;
    var e = array<vec3<f32>, 3>(d1 - d0, d2 - d1, d0 - d2);
    var f = array<vec3<f32>, 3>(t.y1 - t.y0, t.y2 - t.y1, t.y0 - t.y2);
    let n_x = cross3(e[0], e[1]);
    let n_y = cross3(f[0], f[1]);
    for (var i = 0u; i < 17u; i += 1u) {
        var n = n_y;
        if i == 1u {
            n = n_x;
        } else if i >= 2u && i < 11u {
            n = cross3(e[(i - 2u) / 3u], f[(i - 2u) % 3u]);
        } else if i >= 11u && i < 14u {
            n = cross3(n_x, e[i - 11u]);
        } else if i >= 14u {
            n = cross3(n_y, f[i - 14u]);
        }
        let y1 = dot3(n, f[0]);
        let y2 = -dot3(n, f[2]);
        let x0 = dot3(n, d0);
        let x1 = dot3(n, d1);
        let x2 = dot3(n, d2);
        let reach = abs(dot3(n, travel)) + (dot3(abs(n), slack) + UNDERFLOW);
        if min(min(x0, x1), x2) - reach > max(max(0.0, y1), y2) || min(min(0.0, y1), y2) > max(max(x0, x1), x2) + reach {
            return true;
        }
    }
    return false;
}
