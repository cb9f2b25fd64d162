//!use lib/bound
// Reading pose bounds. A kernel that uses this declares `chunk` and `poses`: 36 numbers for each piece, body and
// sub-interval, the sub-intervals next to each other: x0 x1 x2, then the rows of P0 P1 P2.

const POSE_FLOATS: u32 = 36u;

fn pose_at(piece: u32, body: u32, sub: u32) -> u32 {
    return (piece * chunk.n_bodies + body) * (POSE_FLOATS * SUBS) + sub;
}

fn pose_vec(at: u32, field: u32) -> vec3<f32> {
    let i = at + field * SUBS;
    return vec3<f32>(poses[i], poses[i + SUBS], poses[i + 2u * SUBS]);
}

fn pose_apply(at: u32, field: u32, e: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(
        dot3(pose_vec(at, field), e),
        dot3(pose_vec(at, field + 3u), e),
        dot3(pose_vec(at, field + 6u), e),
    );
}

// The bound on the path of the point `e` of the link; `ball` is that of the link.
fn pose_point(at: u32, e: vec3<f32>, ball: f32) -> PointBound {
    var p: PointBound;
    p.c0 = pose_vec(at, 0u) + pose_apply(at, 9u, e);
    p.ball = ball;
    if chunk.form == FORM_JET {
        p.c1 = pose_vec(at, 3u) + pose_apply(at, 18u, e);
        p.c2 = pose_vec(at, 6u) + pose_apply(at, 27u, e);
        p.cube = vec3<f32>(0.0);
    } else {
        // The middle of an interval matrix, and its half widths in the place of the first derivatives.
        let a = abs(e);
        let size = abs(pose_vec(at, 0u)) + vec3<f32>(
            dot3(abs(pose_vec(at, 9u)), a),
            dot3(abs(pose_vec(at, 12u)), a),
            dot3(abs(pose_vec(at, 15u)), a),
        );
        let width = pose_vec(at, 3u) + pose_apply(at, 18u, a);
        p.c1 = vec3<f32>(0.0);
        p.c2 = vec3<f32>(0.0);
        p.cube = width + (size + width) * (8.0 * UNIT);
    }
    return p;
}
