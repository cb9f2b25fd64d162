//!use lib/chunk
// Bounds on moving points: src/enclosure/pose_bound.rs in f32. Sums of products are written out, so that the rounding
// bounds, which count operations in any order, apply.

struct PointBound {
    c0: vec3<f32>,
    c1: vec3<f32>,
    c2: vec3<f32>,
    ball: f32,
    cube: vec3<f32>,
}

struct Box {
    lo: vec3<f32>,
    hi: vec3<f32>,
}

fn dot3(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn cross3(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

fn norm1(v: vec3<f32>) -> f32 {
    return abs(v.x) + abs(v.y) + abs(v.z);
}

// At least the Euclidean length, at most 13 % more, without a square root.
fn norm_bound(v: vec3<f32>) -> f32 {
    let a = abs(v);
    let low = min(a.x, a.y);
    let high = max(a.x, a.y);
    return max(high, a.z) * 1.00001 + max(low, min(high, a.z)) * 0.41422 + min(low, a.z) * 0.31785;
}

fn point_range(p: PointBound, h: f32) -> Box {
    let half_hh = h * h * 0.5;
    let linear = abs(p.c1) * h;
    let slack = vec3<f32>(p.ball) + p.cube;
    let rise = max(p.c2, vec3<f32>(0.0)) * half_hh;
    let fall = max(-p.c2, vec3<f32>(0.0)) * half_hh;
    let margin = (abs(p.c0) + linear + rise + fall + slack) * (8.0 * UNIT) + vec3<f32>(UNDERFLOW);
    return Box(p.c0 - (linear + fall + slack + margin), p.c0 + (linear + rise + slack + margin));
}

// The same bound with the local time `shift` as its origin, for times within the original `h`.
fn point_shifted(p: PointBound, shift: f32, h: f32) -> PointBound {
    let size = norm1(p.c0) + (norm1(p.c1) + norm1(p.c2) * h) * h * 2.0;
    var q = p;
    q.c0 = p.c0 + (p.c1 + p.c2 * (shift * 0.5)) * shift;
    q.c1 = p.c1 + p.c2 * shift;
    q.ball = p.ball + (size + p.ball) * (16.0 * UNIT);
    return q;
}

// The box that contains a line-swept sphere whose ends move within `a` and `b`.
fn swept_box(a: PointBound, b: PointBound, radius: f32, h: f32) -> Box {
    let box_a = point_range(a, h);
    let box_b = point_range(b, h);
    let lo = min(box_a.lo, box_b.lo);
    let hi = max(box_a.hi, box_b.hi);
    let r = vec3<f32>(radius);
    return Box(lo - (r + (abs(lo) + r) * (4.0 * UNIT)), hi + (r + (abs(hi) + r) * (4.0 * UNIT)));
}

fn boxes_miss(a: Box, b: Box) -> bool {
    return any(a.lo > b.hi) || any(b.lo > a.hi);
}
