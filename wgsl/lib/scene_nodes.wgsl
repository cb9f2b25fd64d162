//!use lib/bound
// Nodes of the scene's tree.

// A box in steps of the node's grid from its origin: x, y, z in a byte each, x in the lowest.
struct SceneChild {
    lo: u32,
    hi: u32,
    // Node, cluster (LEAF_BIT) or EMPTY.
    child: u32,
}

struct SceneNode {
    origin: vec3<f32>,
    // Powers of two, so large that every corner of the grid is an f32 number: decoded boxes have no error.
    step: vec3<f32>,
    padding: u32,
    children: array<SceneChild, 8>,
}

fn steps(bytes: u32) -> vec3<f32> {
    return vec3<f32>(f32(bytes & 255u), f32((bytes >> 8u) & 255u), f32((bytes >> 16u) & 255u));
}

fn child_box(slot: SceneChild, origin: vec3<f32>, step: vec3<f32>) -> Box {
    return Box(origin + steps(slot.lo) * step, origin + steps(slot.hi) * step);
}
