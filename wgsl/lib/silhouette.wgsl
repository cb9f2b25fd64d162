//!use lib/bound
// Silhouettes of convex bodies in the pixels of a tile: src/predicate/silhouette.rs in f32, which proves that they are
// valid.

const SNAP: f32 = 0.078125;
const OUTLINE_ROUNDINGS: f32 = 32.0;
const DEPTH_ROUNDINGS: f32 = 16.0;
const SHORT: f32 = 0.125;
const STEEPEST: f32 = 16.0;

// All points within `radius` of the hull of four points, after a shift of at most `cube` along each axis.
struct Body {
    points: array<vec3<f32>, 4>,
    radius: f32,
    cube: vec3<f32>,
}

// The transform from metres to pixels.
struct Frame {
    middle: vec3<f32>,
    scale: vec3<f32>,
}

struct Silhouette {
    along: vec2<f32>,
    reach: array<f32, 8>,
    // Growth of depth per pixel, then the lowest and highest depth at the tile's middle.
    slab: vec4<f32>,
    // Lowest and highest depth anywhere.
    depth: vec2<f32>,
}

// The body in which a line-swept sphere moves.
fn swept_body(a: PointBound, b: PointBound, radius: f32, h: f32) -> Body {
    let quarter = h * h * 0.25;
    let size_a = norm1(a.c0) + norm1(a.c1) * h + norm1(a.c2) * quarter;
    let size_b = norm1(b.c0) + norm1(b.c1) * h + norm1(b.c2) * quarter;
    let around_a = a.ball + norm_bound(a.c2) * quarter + size_a * (8.0 * UNIT);
    let around_b = b.ball + norm_bound(b.c2) * quarter + size_b * (8.0 * UNIT);
    let middle_a = a.c0 + a.c2 * quarter;
    let middle_b = b.c0 + b.c2 * quarter;
    let way_a = a.c1 * h;
    let way_b = b.c1 * h;
    var body: Body;
    body.points = array<vec3<f32>, 4>(middle_a - way_a, middle_a + way_a, middle_b - way_b, middle_b + way_b);
    body.radius = (radius + max(around_a, around_b)) * (1.0 + 16.0 * UNIT) + UNDERFLOW;
    body.cube = max(a.cube, b.cube);
    return body;
}

// A static triangle, known to within `error`.
fn triangle_body(y0: vec3<f32>, y1: vec3<f32>, y2: vec3<f32>, error: f32) -> Body {
    return Body(array<vec3<f32>, 4>(y0, y1, y2, y2), error, vec3<f32>(0.0));
}

// Turned so that the view's axes to the right and up come first, and the depth last.
fn turned(v: vec3<f32>, view: u32) -> vec3<f32> {
    if view == 0u {
        return v.yzx;
    }
    return select(v, v.zxy, view == 1u);
}

// An approximation of 1/x for a positive x; validity does not depend on its accuracy.
fn near_reciprocal(x: f32) -> f32 {
    var y = bitcast<f32>(0x7ef311c3u - bitcast<u32>(x));
    y *= 2.0 - x * y;
    y *= 2.0 - x * y;
    return y * (2.0 - x * y);
}

// An approximation of the square root of 1/x.
fn near_inverse_root(x: f32) -> f32 {
    var y = bitcast<f32>(0x5f3759dfu - (bitcast<u32>(x) >> 1u));
    y *= 1.5 - 0.5 * x * y * y;
    y *= 1.5 - 0.5 * x * y * y;
    return y * (1.5 - 0.5 * x * y * y);
}

fn bounded_slope(slope: f32) -> f32 {
    return select(0.0, slope, abs(slope) < STEEPEST);
}

// A direction in the tile and a slope of depth: along the longest extent, with the slope of the body's plane. They
// affect the tightness of the silhouette, not its validity.
fn aim(q: array<vec3<f32>, 4>, radius: f32) -> vec4<f32> {
    var points = q;
    var from_end = points[0];
    var to_end = points[1];
    var longest = 0.0;
    for (var i = 0u; i < 3u; i += 1u) {
        for (var j = i + 1u; j < 4u; j += 1u) {
            let d = points[j].xy - points[i].xy;
            let square = d.x * d.x + d.y * d.y;
            if square > longest {
                longest = square;
                from_end = points[i];
                to_end = points[j];
            }
        }
    }
    if longest <= SHORT * SHORT {
        return vec4<f32>(1.0, 0.0, 0.0, 0.0);
    }
    let inverse = near_inverse_root(longest);
    let e = (to_end.xy - from_end.xy) * inverse;
    if abs(e.x * e.x + e.y * e.y - 1.0) > 32.0 * UNIT {
        return vec4<f32>(1.0, 0.0, 0.0, 0.0);
    }
    let rise = bounded_slope((to_end.z - from_end.z) * inverse);
    var wide = 0.0;
    var tilt = 0.0;
    for (var i = 0u; i < 4u; i += 1u) {
        let d = points[i] - from_end;
        let across = d.y * e.x - d.x * e.y;
        if abs(across) > wide {
            wide = abs(across);
            let rest = d.z - rise * (d.x * e.x + d.y * e.y);
            tilt = bounded_slope(select(rest, -rest, across < 0.0) * near_reciprocal(wide));
        }
    }
    if wide <= radius + SHORT {
        tilt = 0.0;
    }
    return vec4<f32>(e, rise * e.x - tilt * e.y, rise * e.y + tilt * e.x);
}

fn largest(v: vec4<f32>) -> f32 {
    return max(max(v.x, v.y), max(v.z, v.w));
}

fn least(v: vec4<f32>) -> f32 {
    return min(min(v.x, v.y), min(v.z, v.w));
}

fn silhouette(body: Body, frame: Frame, view: u32, half: f32) -> Silhouette {
    var points = body.points;
    let scale = turned(frame.scale, view);
    var q: array<vec3<f32>, 4>;
    for (var i = 0u; i < 4u; i += 1u) {
        q[i] = turned(points[i] - frame.middle, view) * scale;
    }
    let radius = body.radius * scale;
    let cube = turned(body.cube, view) * scale;
    let chosen = aim(q, max(radius.x, radius.y));
    let x = vec4<f32>(q[0].x, q[1].x, q[2].x, q[3].x);
    let y = vec4<f32>(q[0].y, q[1].y, q[2].y, q[3].y);
    let z = vec4<f32>(q[0].z, q[1].z, q[2].z, q[3].z);
    let size = largest(abs(x) + abs(y));
    let relative = 1.0 + 16.0 * UNIT;
    var s: Silhouette;

    s.along = chosen.xy;
    let e = s.along;
    let along = x * e.x + y * e.y;
    let across = y * e.x - x * e.y;
    var f = array<vec4<f32>, 4>(along, along + across, across, across - along);
    var normals = array<vec2<f32>, 4>(
        e, vec2<f32>(e.x - e.y, e.y + e.x), vec2<f32>(-e.y, e.x), vec2<f32>(-e.y - e.x, e.x - e.y),
    );
    let pixel = 0.5 + SNAP + size * (OUTLINE_ROUNDINGS * UNIT);
    for (var k = 0u; k < 4u; k += 1u) {
        let d = abs(normals[k]);
        let round = norm_bound(vec3<f32>(d * radius.xy, 0.0));
        let grow = (d.x * (pixel + cube.x) + d.y * (pixel + cube.y) + round) * relative;
        // At most the reach that the tile, enlarged by a pixel, needs.
        let rim = (d.x + d.y) * (half + 1.0);
        s.reach[k] = max(min(largest(f[k]) + grow, rim), -rim);
        s.reach[k + 4u] = max(min(grow - least(f[k]), rim), -rim);
    }

    let g = chosen.zw;
    let steep = abs(g.x) + abs(g.y);
    let slack = (largest(abs(z)) + half + steep * (size + half)) * (DEPTH_ROUNDINGS * UNIT);
    let ball = norm_bound(vec3<f32>(g * radius.xy, radius.z));
    let thick = (ball + abs(g.x) * cube.x + abs(g.y) * cube.y + cube.z) * relative;
    let over = z - (x * g.x + y * g.y);
    let lift = thick + steep * 0.5 + slack;
    let flat_depth = (radius.z + cube.z) * relative + slack;
    s.slab = vec4<f32>(g, least(over) - lift, largest(over) + lift);
    s.depth = vec2<f32>(least(z) - flat_depth, largest(z) + flat_depth);
    return s;
}

// Vertex `i` of the strip that fills the polygon: 0 1 7 2 6 3 5 4 of its vertices.
fn strip_vertex(s: Silhouette, i: u32) -> vec2<f32> {
    var reach = s.reach;
    let k = select((16u - i) / 2u, (i + 1u) / 2u, i % 2u == 1u) % 8u;
    let r = reach[k];
    let next = reach[(k + 1u) % 8u];
    // The intersection of lines k and k + 1, by quarters of a turn.
    var v = vec2<f32>(r, next - r);
    if k % 2u == 1u {
        v = vec2<f32>(r - next, next);
    }
    let quarter = k / 2u;
    if quarter == 1u {
        v = vec2<f32>(-v.y, v.x);
    } else if quarter == 2u {
        v = -v;
    } else if quarter == 3u {
        v = vec2<f32>(v.y, -v.x);
    }
    return vec2<f32>(v.x * s.along.x - v.y * s.along.y, v.x * s.along.y + v.y * s.along.x);
}
