//!use lib/bound
//!use lib/interval
// s1_concat: motion bounds along the tree of the model. One invocation for each piece and sub-interval iterates over
// the bodies, parents first. Entry points: `jet` and `interval`, the two forms of the bound.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
@group(0) @binding(1) var<storage, read> pieces: array<Piece>;
// The parent of each body, or NONE.
@group(0) @binding(2) var<storage, read> parents: array<u32>;
// For each motion and body A, B, C by rows, origin, slide, w: 34 numbers and 2 of padding.
@group(0) @binding(3) var<storage, read> joints: array<f32>;
// For each piece, body and sub-interval the sine and cosine of w t at the middle time (entry point `jet`).
@group(0) @binding(4) var<storage, read> angles: array<vec2<f32>>;
// For each piece, body and sub-interval the ranges of the sine (x, y) and of the cosine (z, w) (entry point
// `interval`).
@group(0) @binding(5) var<storage, read> angle_ranges: array<vec4<f32>>;
// See lib/pose.wgsl for the order.
@group(0) @binding(6) var<storage, read_write> poses: array<f32>;

const JOINT_FLOATS: u32 = 36u;
const POSE_FLOATS: u32 = 36u;

struct Rows {
    r0: vec3<f32>,
    r1: vec3<f32>,
    r2: vec3<f32>,
}

fn joint_vec(at: u32) -> vec3<f32> {
    return vec3<f32>(joints[at], joints[at + 1u], joints[at + 2u]);
}

fn joint_rows(at: u32) -> Rows {
    return Rows(joint_vec(at), joint_vec(at + 3u), joint_vec(at + 6u));
}

fn load_vec(at: u32, field: u32) -> vec3<f32> {
    let i = at + field * SUBS;
    return vec3<f32>(poses[i], poses[i + SUBS], poses[i + 2u * SUBS]);
}

fn store_vec(at: u32, field: u32, v: vec3<f32>) {
    let i = at + field * SUBS;
    poses[i] = v.x;
    poses[i + SUBS] = v.y;
    poses[i + 2u * SUBS] = v.z;
}

fn load_rows(at: u32, field: u32) -> Rows {
    return Rows(load_vec(at, field), load_vec(at, field + 3u), load_vec(at, field + 6u));
}

fn store_rows(at: u32, field: u32, m: Rows) {
    store_vec(at, field, m.r0);
    store_vec(at, field + 3u, m.r1);
    store_vec(at, field + 6u, m.r2);
}

fn apply(m: Rows, v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot3(m.r0, v), dot3(m.r1, v), dot3(m.r2, v));
}

// One row of a product of matrices.
fn row_product(r: vec3<f32>, m: Rows) -> vec3<f32> {
    return m.r0 * r.x + m.r1 * r.y + m.r2 * r.z;
}

fn product(a: Rows, b: Rows) -> Rows {
    return Rows(row_product(a.r0, b), row_product(a.r1, b), row_product(a.r2, b));
}

fn plus(a: Rows, b: Rows) -> Rows {
    return Rows(a.r0 + b.r0, a.r1 + b.r1, a.r2 + b.r2);
}

fn times(a: Rows, s: f32) -> Rows {
    return Rows(a.r0 * s, a.r1 * s, a.r2 * s);
}

@compute @workgroup_size(64)
fn jet(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    let piece = id / SUBS;
    let sub = id % SUBS;
    if piece >= chunk.n_pieces {
        return;
    }
    let info = pieces[piece];
    let t = info.t0 + f32(2u * sub + 1u) * info.h;
    for (var body = 0u; body < chunk.n_bodies; body += 1u) {
        let joint = (info.motion * chunk.n_bodies + body) * JOINT_FLOATS;
        let angle = angles[(piece * chunk.n_bodies + body) * SUBS + sub];
        let a = joint_rows(joint);
        let b = joint_rows(joint + 9u);
        let slide = joint_vec(joint + 30u);
        let w = joints[joint + 33u];
        // The joint's own jet: t0, t1 and q0, q1, q2.
        let t0 = joint_vec(joint + 27u) + slide * t;
        let turning = plus(times(a, angle.y), times(b, angle.x));
        let q0 = plus(turning, joint_rows(joint + 18u));
        let q1 = times(plus(times(b, angle.y), times(a, -angle.x)), w);
        let q2 = times(turning, -(w * w));
        let at = (piece * chunk.n_bodies + body) * (POSE_FLOATS * SUBS) + sub;
        let parent = parents[body];
        if parent == NONE {
            store_vec(at, 0u, t0);
            store_vec(at, 3u, slide);
            store_vec(at, 6u, vec3<f32>(0.0));
            store_rows(at, 9u, q0);
            store_rows(at, 18u, q1);
            store_rows(at, 27u, q2);
        } else {
            // Leibniz: the parent's jet (p) times the joint's (q).
            let up = (piece * chunk.n_bodies + parent) * (POSE_FLOATS * SUBS) + sub;
            let p0 = load_rows(up, 9u);
            let p1 = load_rows(up, 18u);
            let p2 = load_rows(up, 27u);
            store_vec(at, 0u, load_vec(up, 0u) + apply(p0, t0));
            store_vec(at, 3u, load_vec(up, 3u) + (apply(p1, t0) + apply(p0, slide)));
            store_vec(at, 6u, load_vec(up, 6u) + (apply(p2, t0) + apply(p1, slide) * 2.0));
            store_rows(at, 9u, product(p0, q0));
            store_rows(at, 18u, plus(product(p1, q0), product(p0, q1)));
            store_rows(at, 27u, plus(plus(product(p2, q0), product(p0, q2)), times(product(p1, q1), 2.0)));
        }
    }
}

// Row `i` of the parent's interval matrix (lowest and highest entries), from its middle and half widths.
struct IvRow {
    lo: vec3<f32>,
    hi: vec3<f32>,
}

fn iv_row(at: u32, middle: u32, half_width: u32) -> IvRow {
    let m = load_vec(at, middle);
    let r = load_vec(at, half_width);
    let step = (abs(m) + r) * (IV_STEP * UNIT) + vec3<f32>(UNDERFLOW);
    return IvRow(m - r - step, m + r + step);
}

// One row times a column of three intervals.
fn iv_dot(row: IvRow, x: vec2<f32>, y: vec2<f32>, z: vec2<f32>) -> vec2<f32> {
    return iv_add(
        iv_add(iv_mul(vec2<f32>(row.lo.x, row.hi.x), x), iv_mul(vec2<f32>(row.lo.y, row.hi.y), y)),
        iv_mul(vec2<f32>(row.lo.z, row.hi.z), z),
    );
}

fn store_mid_radius(at: u32, middle: u32, half_width: u32, v: vec2<f32>) {
    let m = (v.x + v.y) * 0.5;
    let r = max(v.y - m, m - v.x);
    poses[at + middle * SUBS] = m;
    poses[at + half_width * SUBS] = r + (abs(m) + r) * (IV_STEP * UNIT) + UNDERFLOW;
}

@compute @workgroup_size(64)
fn interval(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    let piece = id / SUBS;
    let sub = id % SUBS;
    if piece >= chunk.n_pieces {
        return;
    }
    let info = pieces[piece];
    // Both ends of the sub-interval are short binary fractions, so they are exact.
    let time = vec2<f32>(info.t0 + f32(2u * sub) * info.h, info.t0 + f32(2u * sub + 2u) * info.h);
    for (var body = 0u; body < chunk.n_bodies; body += 1u) {
        let joint = (info.motion * chunk.n_bodies + body) * JOINT_FLOATS;
        let range = angle_ranges[(piece * chunk.n_bodies + body) * SUBS + sub];
        var q: array<vec2<f32>, 9>;
        for (var i = 0u; i < 9u; i += 1u) {
            q[i] = iv_add(
                iv_add(
                    iv_mul(range.zw, iv_around(joints[joint + i])),
                    iv_mul(range.xy, iv_around(joints[joint + 9u + i])),
                ),
                iv_around(joints[joint + 18u + i]),
            );
        }
        var t: array<vec2<f32>, 3>;
        for (var i = 0u; i < 3u; i += 1u) {
            t[i] = iv_add(iv_around(joints[joint + 27u + i]), iv_mul(time, iv_around(joints[joint + 30u + i])));
        }
        let at = (piece * chunk.n_bodies + body) * (POSE_FLOATS * SUBS) + sub;
        let parent = parents[body];
        let up = (piece * chunk.n_bodies + parent) * (POSE_FLOATS * SUBS) + sub;
        for (var i = 0u; i < 3u; i += 1u) {
            if parent == NONE {
                store_mid_radius(at, i, 3u + i, t[i]);
                for (var j = 0u; j < 3u; j += 1u) {
                    store_mid_radius(at, 9u + 3u * i + j, 18u + 3u * i + j, q[3u * i + j]);
                }
            } else {
                let row = iv_row(up, 9u + 3u * i, 18u + 3u * i);
                let m = poses[up + i * SUBS];
                let r = poses[up + (3u + i) * SUBS];
                let step = (abs(m) + r) * (IV_STEP * UNIT) + UNDERFLOW;
                let above = vec2<f32>(m - r - step, m + r + step);
                store_mid_radius(at, i, 3u + i, iv_add(above, iv_dot(row, t[0], t[1], t[2])));
                for (var j = 0u; j < 3u; j += 1u) {
                    store_mid_radius(at, 9u + 3u * i + j, 18u + 3u * i + j, iv_dot(row, q[j], q[3u + j], q[6u + j]));
                }
            }
        }
        for (var i = 0u; i < 3u; i += 1u) {
            poses[at + (6u + i) * SUBS] = 0.0;
        }
        for (var i = 27u; i < POSE_FLOATS; i += 1u) {
            poses[at + i * SUBS] = 0.0;
        }
    }
}
