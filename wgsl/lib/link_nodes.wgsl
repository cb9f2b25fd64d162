// Nodes and triangles of the links' trees. Node i is the root of link i. A leaf is encoded as LEAF_BIT, the index of
// its first triangle times eight, and the number of its triangles minus one.

const LINK_LEAF: u32 = 8u;

// An oriented box: its centre, and half its sides as vectors.
struct LinkChild {
    center: vec3<f32>,
    // Node, leaf or EMPTY.
    child: u32,
    half_0: vec3<f32>,
    // Factor on the balls at the link's reach that gives the balls of this box.
    stretch: f32,
    half_1: vec3<f32>,
    half_2: vec3<f32>,
}

struct LinkTriangle {
    e0: vec3<f32>,
    e1: vec3<f32>,
    e2: vec3<f32>,
}
