//!use lib/lss
//!use lib/pose
//!use lib/queue
// Links against links. Entry points: `near`, the pairs of links whose boxes and line-swept spheres may overlap in the
// world, and `relative`, the poses of their moving links in the frames of the others
// (src/enclosure/relative_pose.rs), from which the later stages begin as for a scene.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
// The boxes of the links in the world.
@group(0) @binding(2) var<storage, read> boxes_in: array<vec4<f32>>;
// The two links of each pair.
@group(0) @binding(3) var<storage, read> link_pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> near_pairs: array<NearPair>;
// The bodies' poses in the world, numbered by piece and body; the order of numbers is that of lib/pose.wgsl.
@group(0) @binding(5) var<storage, read> body_poses: array<f32>;
// For each piece of this pass, the numbers of two such poses: the frame, and the body that moves in it.
@group(0) @binding(6) var<storage, read> pose_pairs: array<vec2<u32>>;
// In the world for `near`; `relative` writes those of its own pass.
@group(0) @binding(7) var<storage, read_write> poses: array<f32>;
@group(0) @binding(8) var<storage, read> links: array<Link>;
// One for each piece and link.
@group(0) @binding(9) var<storage, read> moving_links: array<MovingLink>;
@group(1) @binding(0) var<uniform> routing: Routing;

const BOX_VECTORS: u32 = 24u;

// A pair of links that may touch in a piece, and the sub-intervals in which it may.
struct NearPair {
    piece: u32,
    pair: u32,
    mask: u32,
}

// The sub-intervals in which two boxes of a piece may overlap.
fn common_subs(a: u32, b: u32) -> u32 {
    var apart = 0u;
    for (var q = 0u; q < 4u; q += 1u) {
        for (var axis = 0u; axis < 3u; axis += 1u) {
            let lo = 4u * axis + q;
            let misses = (boxes_in[a + lo] > boxes_in[b + 12u + lo]) | (boxes_in[b + lo] > boxes_in[a + 12u + lo]);
            let bits = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), misses);
            apart |= (bits.x | bits.y | bits.z | bits.w) << (4u * q);
        }
    }
    return ALL_SUBS & ~apart;
}

// The line-swept sphere of a link in the world.
fn lss_of(piece: u32, i: u32, sub: u32) -> MovingLss {
    let m = moving_links[piece * chunk.n_links + i];
    let link = links[m.link];
    let pose = pose_at(piece, m.body, sub);
    return MovingLss(pose_point(pose, link.a, m.balls.x), pose_point(pose, link.b, m.balls.x), link.radius);
}

// The marked sub-intervals in which the line-swept spheres of two links may overlap. If the loop ends early, the others
// remain.
fn subs_of_spheres(piece: u32, pair: vec2<u32>, marked: u32) -> u32 {
    let h = moving_links[piece * chunk.n_links + pair.x].h;
    var left = marked;
    var rest = marked;
    while rest != 0u {
        let sub = firstTrailingBit(rest);
        rest &= rest - 1u;
        if lss_misses(lss_of(piece, pair.x, sub), lss_of(piece, pair.y, sub), h) {
            left &= ~(1u << sub);
        }
    }
    return left;
}

// One invocation for each piece and pair of links.
@compute @workgroup_size(64)
fn near(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id >= chunk.n_pieces * chunk.n_link_pairs {
        return;
    }
    let piece = id / chunk.n_link_pairs;
    let pair = id % chunk.n_link_pairs;
    let of_pair = link_pairs[pair];
    let first = piece * chunk.n_nodes;
    let marked = common_subs((first + of_pair.x) * BOX_VECTORS, (first + of_pair.y) * BOX_VECTORS);
    let mask = subs_of_spheres(piece, of_pair, marked);
    if mask == 0u {
        return;
    }
    // The engine finds the pairs that do not fit.
    let slot = atomicAdd(&control[routing.output], 1u);
    if slot < chunk.near_capacity {
        near_pairs[slot] = NearPair(piece, pair, mask);
    }
}

fn body_vec(at: u32, field: u32) -> vec3<f32> {
    let i = at + field * SUBS;
    return vec3<f32>(body_poses[i], body_poses[i + SUBS], body_poses[i + 2u * SUBS]);
}

fn body_rows(at: u32, field: u32) -> Rows {
    return Rows(body_vec(at, field), body_vec(at, field + 3u), body_vec(at, field + 6u));
}

fn store_vec(at: u32, field: u32, v: vec3<f32>) {
    let i = at + field * SUBS;
    poses[i] = v.x;
    poses[i + SUBS] = v.y;
    poses[i + 2u * SUBS] = v.z;
}

fn store_rows(at: u32, field: u32, m: Rows) {
    store_vec(at, field, m.x);
    store_vec(at, field + 3u, m.y);
    store_vec(at, field + 6u, m.z);
}

// The transpose of a matrix times a vector.
fn turned_back(m: Rows, v: vec3<f32>) -> vec3<f32> {
    return m.x * v.x + m.y * v.y + m.z * v.z;
}

// The transpose of a matrix times a matrix.
fn product_back(m: Rows, n: Rows) -> Rows {
    return Rows(
        n.x * m.x.x + n.y * m.y.x + n.z * m.z.x,
        n.x * m.x.y + n.y * m.y.y + n.z * m.z.y,
        n.x * m.x.z + n.y * m.y.z + n.z * m.z.z,
    );
}

fn plus(a: Rows, b: Rows) -> Rows {
    return Rows(a.x + b.x, a.y + b.y, a.z + b.z);
}

// One invocation for each piece of this pass and sub-interval.
@compute @workgroup_size(64)
fn relative(
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
    let frame = pose_pairs[piece].x * (POSE_FLOATS * SUBS) + sub;
    let moving = pose_pairs[piece].y * (POSE_FLOATS * SUBS) + sub;
    let at = piece * (POSE_FLOATS * SUBS) + sub;
    let a0 = body_rows(frame, 9u);
    let a1 = body_rows(frame, 18u);
    let a2 = body_rows(frame, 27u);
    let d0 = body_vec(moving, 0u) - body_vec(frame, 0u);
    let d1 = body_vec(moving, 3u) - body_vec(frame, 3u);
    let d2 = body_vec(moving, 6u) - body_vec(frame, 6u);
    store_vec(at, 0u, turned_back(a0, d0));
    store_vec(at, 3u, turned_back(a1, d0) + turned_back(a0, d1));
    store_vec(at, 6u, (turned_back(a2, d0) + turned_back(a0, d2)) + turned_back(a1, d1) * 2.0);
    let b0 = body_rows(moving, 9u);
    let b1 = body_rows(moving, 18u);
    let b2 = body_rows(moving, 27u);
    let twice = product_back(a1, b1);
    store_rows(at, 9u, product_back(a0, b0));
    store_rows(at, 18u, plus(product_back(a1, b0), product_back(a0, b1)));
    store_rows(at, 27u, plus(plus(product_back(a2, b0), product_back(a0, b2)), plus(twice, twice)));
}
