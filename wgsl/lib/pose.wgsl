//!use lib/bound
// Reading pose bounds. A kernel that uses this declares `chunk` and `poses`: 36 numbers for each piece, body and
// sub-interval, the sub-intervals next to each other: x0 x1 x2, then the rows of P0 P1 P2.

const POSE_FLOATS: u32 = 36u;

// The pose of a body in a sub-interval: position and the rows of the matrix, and their derivatives.
struct Pose {
    x0: vec3<f32>,
    x1: vec3<f32>,
    x2: vec3<f32>,
    p0: Rows,
    p1: Rows,
    p2: Rows,
}

struct Rows {
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
}

fn pose_vec(at: u32, field: u32) -> vec3<f32> {
    let i = at + field * SUBS;
    return vec3<f32>(poses[i], poses[i + SUBS], poses[i + 2u * SUBS]);
}

fn pose_rows(at: u32, field: u32) -> Rows {
    return Rows(pose_vec(at, field), pose_vec(at, field + 3u), pose_vec(at, field + 6u));
}

fn pose_at(piece: u32, body: u32, sub: u32) -> Pose {
    let at = (piece * chunk.n_bodies + body) * (POSE_FLOATS * SUBS) + sub;
    return Pose(
        pose_vec(at, 0u),
        pose_vec(at, 3u),
        pose_vec(at, 6u),
        pose_rows(at, 9u),
        pose_rows(at, 18u),
        pose_rows(at, 27u),
    );
}

fn apply(p: Rows, e: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot3(p.x, e), dot3(p.y, e), dot3(p.z, e));
}

fn apply_sizes(p: Rows, a: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot3(abs(p.x), a), dot3(abs(p.y), a), dot3(abs(p.z), a));
}

// The bound on the path of the point `e` of the link; `ball` is that of the link.
fn pose_point(pose: Pose, e: vec3<f32>, ball: f32) -> PointBound {
    var p: PointBound;
    p.c0 = pose.x0 + apply(pose.p0, e);
    p.ball = ball;
    if chunk.form == FORM_JET {
        p.c1 = pose.x1 + apply(pose.p1, e);
        p.c2 = pose.x2 + apply(pose.p2, e);
        p.cube = vec3<f32>(0.0);
    } else {
        // The middle of an interval matrix; its half widths are stored instead of the first derivatives.
        let a = abs(e);
        let size = abs(pose.x0) + apply_sizes(pose.p0, a);
        let width = pose.x1 + apply(pose.p1, a);
        p.c1 = vec3<f32>(0.0);
        p.c2 = vec3<f32>(0.0);
        p.cube = width + (size + width) * (8.0 * UNIT);
    }
    return p;
}

// The same for a direction, which rotates but does not translate. Its ball is included in that of the point to which it
// is added.
fn pose_direction(pose: Pose, e: vec3<f32>) -> PointBound {
    var p: PointBound;
    p.c0 = apply(pose.p0, e);
    p.ball = 0.0;
    if chunk.form == FORM_JET {
        p.c1 = apply(pose.p1, e);
        p.c2 = apply(pose.p2, e);
        p.cube = vec3<f32>(0.0);
    } else {
        let a = abs(e);
        let size = apply_sizes(pose.p0, a);
        let width = apply(pose.p1, a);
        p.c1 = vec3<f32>(0.0);
        p.c2 = vec3<f32>(0.0);
        p.cube = width + (size + width) * (8.0 * UNIT);
    }
    return p;
}
