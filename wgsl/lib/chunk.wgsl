// What every kernel knows of a chunk of work. The structs and constants stand in Rust too (src/gpu/layout.rs and the
// stages); a test compares them.

const SUBS: u32 = 16u;
const ALL_SUBS: u32 = 0xffffu;
const SLICES: u32 = 8u;
const WIDTH: u32 = 8u;
const LEAF_BIT: u32 = 0x80000000u;
const EMPTY: u32 = 0xffffffffu;
const NONE: u32 = 0xffffffffu;

// Relative error of one + - *: WGSL allows either neighbour of the exact result.
const UNIT: f32 = 0x1p-23;
// What flushing subnormals to zero can add to one formula.
const UNDERFLOW: f32 = 2e-30;

const FORM_JET: u32 = 0u;
const FORM_INTERVAL: u32 = 1u;
const FLAG_LIMITS: u32 = 1u;
const FLAG_ALLOWED: u32 = 2u;

struct Chunk {
    n_pieces: u32,
    n_bodies: u32,
    // Links that have triangles.
    n_links: u32,
    // Nodes of the model's tree.
    n_nodes: u32,
    n_objects: u32,
    form: u32,
    flags: u32,
    // Entries that the queues, the candidates and the pairs have room for.
    queue_capacity: u32,
    candidate_capacity: u32,
    pair_capacity: u32,
    // Where in `control` the redo bits and the limits start.
    redo_at: u32,
    limits_at: u32,
    // Pixels along a side of a tile, and tiles that there is room for.
    tile_pixels: u32,
    tile_capacity: u32,
    // Of the page of the scene that is there.
    first_triangle: u32,
    // Nodes of the links' trees, the first ones, that may have boxes, and nodes of pieces that there is room for.
    n_boxed: u32,
    box_capacity: u32,
    // Where in `control` it stands which boxes they have.
    boxed_at: u32,
}

struct Piece {
    motion: u32,
    // Which part of the motion.
    index: u32,
    // Start, and half the length of a sub-interval: exact, both are short binary fractions.
    t0: f32,
    h: f32,
}

// A link's line-swept sphere in its body's frame.
struct Link {
    a: vec3<f32>,
    radius: f32,
    b: vec3<f32>,
    body: u32,
}

// A link in a piece.
struct MovingLink {
    // Balls at the link's reach for one, four and sixteen sub-intervals.
    balls: vec3<f32>,
    // Half the length of a sub-interval.
    h: f32,
    body: u32,
    motion: u32,
    // Which part of the motion.
    index: u32,
    link: u32,
}

// A leaf of the scene's tree: its box and its triangles.
struct Cluster {
    lo: vec3<f32>,
    first: u32,
    hi: vec3<f32>,
    count: u32,
}

// A link that may meet a cluster, and when.
struct Candidate {
    piece: u32,
    link: u32,
    cluster: u32,
    mask: u32,
    // Bit i: whether the link may meet the cluster's triangle i.
    triangles: u32,
}

// Which queues a pass reads and writes: their counters, and where in the item buffer they start.
struct Pass {
    input: u32,
    output: u32,
    // Counter of the queue for what needs no further level.
    leaf_output: u32,
    input_at: u32,
    output_at: u32,
    // For `dispatch`: the entries that the input has room for, and invocations or instances for each.
    capacity: u32,
    invocations: u32,
    // Of an instance, if the step draws.
    vertices: u32,
    // Which of how many slabs of time.
    slab: u32,
    n_slabs: u32,
    // Counter of the list of nodes that boxes are to be made for, and where that list starts.
    nodes_output: u32,
    nodes_output_at: u32,
}

// Invocations are numbered through a two-dimensional grid of workgroups, since one dimension ends at 65,535.
fn invocation(workgroup: vec3<u32>, workgroups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
    return (workgroup.y * workgroups.x + workgroup.x) * workgroup_size + local;
}
