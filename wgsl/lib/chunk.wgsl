// Structs and constants shared by all kernels. src/stage/layout.rs and the stages declare them in Rust; a test compares
// both.

const SUBS: u32 = 16u;
const ALL_SUBS: u32 = 0xffffu;
const SLICES: u32 = 8u;
const WIDTH: u32 = 8u;
const LEAF_BIT: u32 = 0x80000000u;
const EMPTY: u32 = 0xffffffffu;
const NONE: u32 = 0xffffffffu;

// Relative error of one + - *: WGSL allows either neighbour of the exact result.
const UNIT: f32 = 0x1p-23;
// The largest error that flushing subnormals to zero can add to one formula.
const UNDERFLOW: f32 = 2e-30;

const FORM_JET: u32 = 0u;
const FORM_INTERVAL: u32 = 1u;
const FLAG_CUTOFFS: u32 = 1u;
const FLAG_ALLOWED_PAIRS: u32 = 2u;
const FLAG_STARTS: u32 = 4u;

struct ChunkParams {
    n_pieces: u32,
    n_bodies: u32,
    // Links that have triangles.
    n_links: u32,
    // Nodes of the model's tree.
    n_nodes: u32,
    n_objects: u32,
    form: u32,
    flags: u32,
    // Capacities of the queues, of the candidates and of the pairs, in entries.
    queue_capacity: u32,
    candidate_capacity: u32,
    pair_capacity: u32,
    // Words of `control` at which the retry bits and the cutoffs start.
    retry_at: u32,
    cutoffs_at: u32,
    // Pixels along a side of a tile, and the capacity of the tile atlas.
    tile_pixels: u32,
    tile_capacity: u32,
    // First triangle of the bound page of the scene.
    first_triangle: u32,
    // Number of nodes of the links' trees, counted from the first, that may have boxes, and number of nodes, over all
    // pieces, whose boxes fit.
    n_boxed: u32,
    box_capacity: u32,
    // Word of `control` at which the nodes' box numbers start.
    node_boxes_at: u32,
    // Number of pairs of links, and capacity of the list of those that are near.
    n_link_pairs: u32,
    near_capacity: u32,
    // A margin that all balls contain, metres.
    margin_m: f32,
    // Differs from that of all earlier work in the same buffers.
    serial: u32,
}

struct Piece {
    motion: u32,
    // Index of this part of the motion.
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
    // Index of this part of the motion.
    index: u32,
    link: u32,
}

// A leaf of the scene's tree: its box and its triangles.
struct SceneLeaf {
    lo: vec3<f32>,
    first: u32,
    hi: vec3<f32>,
    count: u32,
}

// A link that may touch a cluster, and the sub-intervals in which it may.
struct Candidate {
    piece: u32,
    link: u32,
    cluster: u32,
    mask: u32,
    // Bit i is set if the link may touch triangle i of the cluster.
    triangles: u32,
}

// Queues that one dispatch reads and writes: counters as words of `control`, offsets as entries.
struct Routing {
    input: u32,
    output: u32,
    // Counter of the output queue for entries that need no further level.
    leaf_output: u32,
    input_at: u32,
    output_at: u32,
    // For `indirect_args`: capacity of the input queue, and invocations or instances per entry.
    capacity: u32,
    invocations: u32,
    // Vertices per instance; 0 for a compute dispatch.
    vertices: u32,
    // The same for the next dispatch, if its arguments are computed together with those of this one; else 0.
    next_input: u32,
    next_capacity: u32,
    next_invocations: u32,
    // Current phase of time, and number of phases.
    phase: u32,
    n_phases: u32,
    // Counter and offset of the list of nodes that request boxes.
    nodes_output: u32,
    nodes_output_at: u32,
}

// Invocations are numbered through a two-dimensional grid of workgroups, since one dimension is limited to 65,535.
fn invocation(workgroup: vec3<u32>, workgroups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
    return (workgroup.y * workgroups.x + workgroup.x) * workgroup_size + local;
}
