//!use lib/chunk
//!use lib/link_nodes
//!use lib/pose
//!use lib/queue
//!use lib/separation
// Boxes along the coordinate axes around the children of nodes of the links' trees, in all sub-intervals of a piece. A
// kernel that uses this declares `chunk`, `control` and `routing`.

const BOX_FLOATS: u32 = 6u;
// `Counters::node_boxes` as a word of `control`.
const NODE_BOXES_COUNTER: u32 = 4u;
// Units that cover the rounding of a box around an oriented one.
const BOX_ROUNDINGS: f32 = 32.0;

// The box along the coordinate axes around an oriented box of a body in a sub-interval: src/predicate/obb_overlap.rs,
// `moving_range`, in f32.
fn box_around(m: MovingLink, pose: Pose, b: LinkChild) -> Box {
    let center = pose_point(pose, b.center, m.balls.x * b.stretch);
    let x = pose_direction(pose, b.half_0);
    let y = pose_direction(pose, b.half_1);
    let z = pose_direction(pose, b.half_2);
    let half_hh = m.h * m.h * 0.5;
    let reach = abs(x.c0) + abs(y.c0) + abs(z.c0) + (abs(x.c1) + abs(y.c1) + abs(z.c1)) * m.h
        + (abs(x.c2) + abs(y.c2) + abs(z.c2)) * half_hh;
    let cube = center.cube + x.cube + y.cube + z.cube;
    let exact = abs(center.c1) * m.h + reach + vec3<f32>(center.ball) + cube;
    let rise = max(center.c2, vec3<f32>(0.0)) * half_hh;
    let fall = max(-center.c2, vec3<f32>(0.0)) * half_hh;
    let size = abs(center.c0) + exact + rise + fall;
    let around = exact + (size * (BOX_ROUNDINGS * UNIT) + vec3<f32>(UNDERFLOW));
    return Box(center.c0 - (fall + around), center.c0 + (rise + around));
}

// The state of a node's boxes in a piece is a word of `control`: 0 until they are requested, then WANTED, plus the
// number of the boxes, counted from 1, if they fit. Two lists of nodes follow after the last piece.
const WANTED: u32 = 0x80000000u;

fn node_boxes_at(piece: u32, node: u32) -> u32 {
    return chunk.node_boxes_at + piece * chunk.n_boxed + node;
}

// The number of the boxes of a node's children, counted from 1, or 0 if there are none.
fn boxes_of(piece: u32, node: u32) -> u32 {
    if node >= chunk.n_boxed {
        return 0u;
    }
    return atomicLoad(&control[node_boxes_at(piece, node)]) & ~WANTED;
}

// Requests boxes from the next dispatch of `bound_nodes`, unless they have been requested before.
fn want_boxes(piece: u32, node: u32) {
    if node >= chunk.n_boxed || atomicLoad(&control[node_boxes_at(piece, node)]) != 0u {
        return;
    }
    if atomicOr(&control[node_boxes_at(piece, node)], WANTED) != 0u {
        return;
    }
    let number = atomicAdd(&control[NODE_BOXES_COUNTER], 1u);
    if number >= chunk.box_capacity {
        return;
    }
    atomicStore(&control[node_boxes_at(piece, node)], WANTED | (number + 1u));
    let at = atomicAdd(&control[routing.nodes_output], 1u);
    let list_at = node_boxes_at(chunk.n_pieces, 0u) + routing.nodes_output_at;
    atomicStore(&control[list_at + at], piece * chunk.n_boxed + node);
}
