//!use lib/pose
// s2_bound: the box of each link in each sub-interval, and the model's tree of boxes over them, bottom up. One
// invocation for each piece and sub-interval.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
@group(0) @binding(1) var<storage, read> links: array<Link>;
// The two children of each inner node of the model's tree; the first belongs to node `n_links`.
@group(0) @binding(2) var<storage, read> link_tree_children: array<vec2<u32>>;
// One for each piece and link.
@group(0) @binding(3) var<storage, read> moving_links: array<MovingLink>;
@group(0) @binding(4) var<storage, read> poses: array<f32>;
// For each piece and node lowest x y z and highest x y z, the sub-intervals next to each other.
@group(0) @binding(5) var<storage, read_write> boxes: array<f32>;

const BOX_FLOATS: u32 = 6u;

fn box_at(piece: u32, node: u32, sub: u32) -> u32 {
    return (piece * chunk.n_nodes + node) * (BOX_FLOATS * SUBS) + sub;
}

@compute @workgroup_size(64)
fn boxes_of_links(
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
    for (var i = 0u; i < chunk.n_links; i += 1u) {
        let m = moving_links[piece * chunk.n_links + i];
        let link = links[m.link];
        let pose = pose_at(piece, m.body, sub);
        let ends = array(pose_point(pose, link.a, m.balls.x), pose_point(pose, link.b, m.balls.x));
        let swept = swept_box(ends[0], ends[1], link.radius, m.h);
        let at = box_at(piece, i, sub);
        for (var axis = 0u; axis < 3u; axis += 1u) {
            boxes[at + axis * SUBS] = swept.lo[axis];
            boxes[at + (3u + axis) * SUBS] = swept.hi[axis];
        }
    }
    for (var node = chunk.n_links; node < chunk.n_nodes; node += 1u) {
        let children = link_tree_children[node - chunk.n_links];
        let at = box_at(piece, node, sub);
        let a = box_at(piece, children.x, sub);
        let b = box_at(piece, children.y, sub);
        for (var axis = 0u; axis < 3u; axis += 1u) {
            let lo = axis * SUBS;
            let hi = (3u + axis) * SUBS;
            boxes[at + lo] = min(boxes[a + lo], boxes[b + lo]);
            boxes[at + hi] = max(boxes[a + hi], boxes[b + hi]);
        }
    }
}
