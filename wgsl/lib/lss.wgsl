//!use lib/bound
// Two moving line-swept spheres, by a separating plane: src/predicate/lss_separation.rs, `moving_lss_misses`, in f32.

// Units that cover all roundings.
const LSS_ROUNDINGS: f32 = 32.0;
// The least square of a length by which it is divided, square metres.
const LSS_LEAST: f32 = 1e-20;

// A line-swept sphere over an interval of time.
struct MovingLss {
    // The ends of its segment.
    a: PointBound,
    b: PointBound,
    radius: f32,
}

// The vector from the nearest point of the second segment to that of the first, approximately.
fn between_segments(x: MovingLss, y: MovingLss) -> vec3<f32> {
    let along = x.b.c0 - x.a.c0;
    let across = y.b.c0 - y.a.c0;
    let start = x.a.c0 - y.a.c0;
    let aa = max(dot3(along, along), LSS_LEAST);
    let bb = max(dot3(across, across), LSS_LEAST);
    let ab = dot3(along, across);
    let a_start = dot3(along, start);
    let b_start = dot3(across, start);
    let determinant = max(aa * bb - ab * ab, LSS_LEAST);
    let first = min(max((ab * b_start - a_start * bb) / determinant, 0.0), 1.0);
    let t = min(max((ab * first + b_start) / bb, 0.0), 1.0);
    let s = min(max((ab * t - a_start) / aa, 0.0), 1.0);
    return start + along * s - across * t;
}

// The lowest projection on `n` of the difference of two points.
fn lowest_apart(n: vec3<f32>, p: PointBound, q: PointBound, h: f32) -> f32 {
    let moved = abs(dot3(n, p.c1 - q.c1)) * h + max(-dot3(n, p.c2 - q.c2), 0.0) * (h * h * 0.5);
    return dot3(n, p.c0 - q.c0) - (moved + dot3(abs(n), p.cube + q.cube));
}

// The size to which the rounding of the projection of a point is relative.
fn end_size(p: PointBound, h: f32) -> f32 {
    return (norm1(p.c0) + norm1(p.c1) * h) + (norm1(p.c2) * (h * h * 0.5) + norm1(p.cube));
}

fn lss_reach(x: MovingLss) -> f32 {
    return x.radius + max(x.a.ball, x.b.ball);
}

// Returns whether two line-swept spheres certainly stay apart for times up to `h` from the middle.
fn lss_misses(x: MovingLss, y: MovingLss, h: f32) -> bool {
    let n = between_segments(x, y);
    let gap = min(
        min(lowest_apart(n, x.a, y.a, h), lowest_apart(n, x.a, y.b, h)),
        min(lowest_apart(n, x.b, y.a, h), lowest_apart(n, x.b, y.b, h)),
    );
    let size = (end_size(x.a, h) + end_size(x.b, h)) + (end_size(y.a, h) + end_size(y.b, h));
    let inflation = 1.0 + LSS_ROUNDINGS * UNIT;
    let grow = (lss_reach(x) + lss_reach(y)) * inflation + (size * (LSS_ROUNDINGS * UNIT) + UNDERFLOW);
    let needed = (dot3(n, n) + UNDERFLOW) * (grow * grow + UNDERFLOW) * inflation + UNDERFLOW;
    return gap > 0.0 && gap * gap > needed;
}
