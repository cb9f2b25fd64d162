//! Data with the same memory layout in the kernels and the engine. A test compares every struct with its WGSL
//! declaration.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// A struct declared both in WGSL and in Rust.
#[derive(Clone, Copy, Debug)]
pub struct SharedStruct {
    /// Name, the same on both sides.
    pub name: &'static str,
    /// Size as an array element, bytes.
    pub size: usize,
    /// Members with their offsets in bytes, padding included.
    pub members: &'static [(&'static str, usize)],
}

macro_rules! shared {
    ($($(#[$doc:meta])* struct $name:ident { $($(#[$member_doc:meta])* $member:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
            #[repr(C)]
            pub struct $name {
                $($(#[$member_doc])* pub $member: $type,)*
            }

            impl Default for $name {
                fn default() -> Self {
                    Self::zeroed()
                }
            }
        )*

        /// All shared structs.
        pub const SHARED: &[SharedStruct] = &[
            $(SharedStruct {
                name: stringify!($name),
                size: size_of::<$name>(),
                members: &[$((stringify!($member), std::mem::offset_of!($name, $member)),)*],
            },)*
        ];
    };
}

shared! {
    /// Parameters of a chunk: the uniform that every kernel binds.
    #[cfg_attr(feature = "gpu", derive(encase::ShaderType))]
    struct ChunkParams {
        /// Pieces in the chunk.
        n_pieces: u32,
        /// Bodies of the robot.
        n_bodies: u32,
        /// Links that have triangles.
        n_links: u32,
        /// Nodes of the tree over the links.
        n_nodes: u32,
        /// Objects of the scene.
        n_objects: u32,
        /// [`FORM_JET`] or [`FORM_INTERVAL`].
        form: u32,
        /// Any of [`FLAG_CUTOFFS`], [`FLAG_ALLOWED_PAIRS`] and [`FLAG_STARTS`].
        flags: u32,
        /// Capacity of each half of the item queue, and of the queue of leaf items.
        queue_capacity: u32,
        /// Capacity of the candidate queue.
        candidate_capacity: u32,
        /// Capacity of the queue of triangle pairs.
        pair_capacity: u32,
        /// Word of the control buffer at which the retry bits start.
        retry_at: u32,
        /// Word of the control buffer at which the motions' cutoffs start.
        cutoffs_at: u32,
        /// Pixels along a side of a tile of `s4_sweep_raster`.
        tile_pixels: u32,
        /// Capacity of the tile atlas.
        tile_capacity: u32,
        /// First triangle of the bound page of the scene.
        first_triangle: u32,
        /// Number of nodes of the links' trees, counted from the first, that may have boxes.
        n_boxed: u32,
        /// Number of nodes, over all pieces, whose boxes fit.
        box_capacity: u32,
        /// Word of the control buffer at which the nodes' box numbers start; the lists of requested nodes follow.
        node_boxes_at: u32,
        /// Number of pairs of links that are tested against each other.
        n_link_pairs: u32,
        /// Capacity of the list of near pairs.
        near_capacity: u32,
        /// A margin that all balls contain, metres.
        margin_m: f32,
        /// A number that differs from that of all earlier work in the same buffers; see
        /// [`Buffers::set_chunk`](crate::gpu::Buffers::set_chunk).
        serial: u32,
    }

    /// Counters at the start of the control buffer. WGSL sees them as plain words, addressed by [`Routing`]. Those up
    /// to `near_pairs` accumulate over all pages of the scene; the others are reset for each page.
    struct Counters {
        /// Candidates and triangles left by `s4_sweep`.
        sweep: SweepCounters,
        /// Triangle pairs.
        pairs: u32,
        /// Nodes of the links' trees that have requested boxes.
        node_boxes: u32,
        /// Pairs of links whose boxes may overlap.
        near_pairs: u32,
        /// Clusters that `margin_probe` compares with links.
        probed_clusters: u32,
        /// Items of each level of `s3_cull`.
        cull_levels: [u32; MAX_CULL_LEVELS],
        /// Candidates and triangles left after a view of `s4_sweep_raster` that is not the last; never read.
        view: SweepCounters,
        /// Triangles listed for drawing.
        listed_triangles: u32,
        /// Tiles in use.
        tiles: u32,
        /// Candidates.
        candidates: u32,
        /// Queues of each phase of `s5_pairs`.
        phases: [PhaseCounters; MAX_PHASES],
    }

    /// Counters of `s4_sweep`.
    struct SweepCounters {
        /// Candidates left.
        candidates_out: u32,
        /// Triangles of the candidates before the stage.
        triangles_in: u32,
        /// Triangles left.
        triangles_out: u32,
    }

    /// Counters of one phase of `s5_pairs`.
    struct PhaseCounters {
        /// Items of each level of the links' trees.
        link_levels: [u32; MAX_LINK_LEVELS],
        /// Pairs of triangles that reach the refinement.
        parts: u32,
        /// Leaves of the links' trees against leaves of the scene's tree.
        leaves: u32,
        /// Leaves of the links' trees against triangles.
        triangles: u32,
        /// Nodes whose boxes each level requests.
        node_levels: [u32; MAX_LINK_LEVELS],
    }

    /// A part of a motion.
    struct Piece {
        /// Motion in the chunk.
        motion: u32,
        /// Index of this part of the motion.
        index: u32,
        /// Start, as a fraction of the motion.
        t0: f32,
        /// Half the length of a sub-interval.
        h: f32,
    }

    /// A link in a piece.
    struct MovingLink {
        /// Balls at the link's reach for blocks of one, four and sixteen sub-intervals, metres.
        balls: Vec3,
        /// Half the length of a sub-interval.
        h: f32,
        /// The body that carries the link.
        body: u32,
        /// Motion in the chunk.
        motion: u32,
        /// Index of this part of the motion.
        index: u32,
        /// The link.
        link: u32,
    }

    /// A link's line-swept sphere in its body's frame.
    struct Link {
        /// One end, metres.
        a: Vec3,
        /// Radius, metres.
        radius: f32,
        /// The other end.
        b: Vec3,
        /// The body that carries the link.
        body: u32,
    }

    /// A child of a node of the scene's tree. The corners of its box are in steps of the node's grid, counted from the
    /// grid's origin, with x in the lowest byte.
    #[derive(Eq)]
    struct SceneChild {
        /// Lowest corner.
        lo: u32,
        /// Highest corner.
        hi: u32,
        /// Node, cluster or nothing.
        child: u32,
    }

    /// A node of the scene's tree.
    struct SceneNode {
        /// Origin of its grid, metres.
        origin: Vec3,
        /// Unused.
        padding_0: u32,
        /// The grid's steps, powers of two, metres.
        step: Vec3,
        /// Unused.
        padding: u32,
        /// Its children.
        children: [SceneChild; 8],
    }

    /// A leaf of the scene's tree.
    struct SceneLeaf {
        /// Lowest coordinates, metres.
        lo: Vec3,
        /// Its first triangle.
        first: u32,
        /// Highest coordinates.
        hi: Vec3,
        /// Number of its triangles.
        count: u32,
    }

    /// A triangle of the scene.
    struct SceneTriangle {
        /// First vertex, metres.
        y0: Vec3,
        /// Bound on a vertex's distance from the true one, metres.
        error: f32,
        /// Second vertex.
        y1: Vec3,
        /// The object.
        object: u32,
        /// Third vertex.
        y2: Vec3,
        /// Unused.
        padding: u32,
    }

    /// A child of a node of a link's tree: its oriented box.
    struct LinkChild {
        /// The centre, metres.
        center: Vec3,
        /// Node, leaf or nothing.
        child: u32,
        /// Half of its first side, metres.
        half_0: Vec3,
        /// Factor on the balls at the link's reach that gives the balls of this box.
        stretch: f32,
        /// Half of its second side.
        half_1: Vec3,
        /// Unused.
        padding_0: u32,
        /// Half of its third side.
        half_2: Vec3,
        /// Unused.
        padding_1: u32,
    }

    /// A triangle of a link in its body's frame; each vertex is followed by a word of padding.
    struct LinkTriangle {
        /// First vertex, metres.
        e0: Vec3,
        /// Unused.
        padding_0: u32,
        /// Second vertex.
        e1: Vec3,
        /// Unused.
        padding_1: u32,
        /// Third vertex.
        e2: Vec3,
        /// Unused.
        padding_2: u32,
    }

    /// A work item of `s3_cull`.
    struct NodePair {
        /// Piece in the chunk.
        piece: u32,
        /// Node of the model's tree.
        model_node: u32,
        /// Node or cluster of the scene's tree.
        scene_ref: u32,
        /// Sub-intervals in which they may overlap.
        mask: u32,
    }

    /// A work item of `margin_probe`: a cluster near a link at a time.
    struct ProbeItem {
        /// Piece times number of links, plus link.
        piece_link: u32,
        /// 0 for the start, and the number of the sub-interval, counted from 1.
        time: u32,
        /// The cluster's first triangle.
        first_triangle: u32,
        /// Number of its triangles.
        n_triangles: u32,
    }

    /// Two links whose boxes may overlap in a piece.
    #[derive(Eq, PartialOrd, Ord)]
    struct NearPair {
        /// Piece in the chunk.
        piece: u32,
        /// Index of the pair in the list of tested pairs.
        pair: u32,
        /// Sub-intervals in which they may overlap.
        mask: u32,
    }

    /// A link that may touch a cluster of scene triangles: output of `s3_cull` and `s4_sweep`.
    #[derive(Eq, PartialOrd, Ord)]
    struct Candidate {
        /// Piece in the chunk.
        piece: u32,
        /// Index of the link in [`CollisionWorld::links`](crate::scene::world::CollisionWorld::links).
        link: u32,
        /// Index of the cluster, a leaf of the scene's tree; on the device, counted within the bound page.
        cluster: u32,
        /// Sub-intervals in which they may touch.
        mask: u32,
        /// The cluster's triangles that the link may touch: bit `i` is the `i`-th. Bits beyond the last triangle are
        /// undefined.
        triangles: u32,
    }

    /// A work item of `s5_pairs`: part of a link's tree against part of the scene.
    struct LinkItem {
        /// Piece times number of links, plus link.
        piece_link: u32,
        /// Node of the link's tree, child of a node, or, for two triangles, the link's triangle.
        link_ref: u32,
        /// Cluster of the scene, its first triangle, or a triangle.
        scene_ref: u32,
        /// Sub-intervals in which they may touch.
        mask: u32,
        /// The triangles of the cluster that matter, as a mask; for two triangles, the serial number of the chunk.
        triangles: u32,
    }

    /// Two triangles that may touch: output of `s5_pairs`.
    #[derive(Eq, PartialOrd, Ord)]
    struct TrianglePair {
        /// Piece times number of links, plus link.
        piece_link: u32,
        /// The link's triangle, in tree order; on the GPU counted consecutively over all links.
        link_triangle: u32,
        /// The scene's triangle, in tree order.
        scene_triangle: u32,
        /// Bits 0–15: sub-intervals in which they may touch. Bits 16–18: the first slice of the first of them that is
        /// not proved free.
        mask_slice: u32,
    }

    /// Three maps of the depths of a link's swept volume in a piece.
    struct Tile {
        /// The middle of the volume shown, metres.
        middle: Vec3,
        /// Piece times number of links, plus link.
        piece_link: u32,
        /// Pixels per metre along each axis.
        scale: Vec3,
        /// Sub-intervals that are drawn.
        mask: u32,
    }

    /// A moving triangle with a radius at each corner, and a fixed one.
    struct TolerancedPair {
        /// First corner of the moving triangle, metres.
        c0: Vec3,
        /// Largest distance of the corner from its image, metres.
        r0: f32,
        /// Second corner.
        c1: Vec3,
        /// Largest distance of the corner from its image, metres.
        r1: f32,
        /// Third corner.
        c2: Vec3,
        /// Largest distance of the corner from its image, metres.
        r2: f32,
        /// First corner of the fixed triangle.
        q0: Vec3,
        /// Unused.
        padding_0: u32,
        /// Second corner.
        q1: Vec3,
        /// Unused.
        padding_1: u32,
        /// Third corner.
        q2: Vec3,
        /// Unused.
        padding_2: u32,
    }

    /// The queues that one dispatch reads and writes. Counters are indices of words in the control buffer, offsets are
    /// in entries.
    #[cfg_attr(feature = "gpu", derive(encase::ShaderType))]
    struct Routing {
        /// Counter of the input queue.
        input: u32,
        /// Counter of the output queue.
        output: u32,
        /// Counter of the output queue for entries that need no further level.
        leaf_output: u32,
        /// Offset of the input in the item queue.
        input_at: u32,
        /// Offset of the output in the item queue.
        output_at: u32,
        /// Capacity of the input queue.
        capacity: u32,
        /// Invocations or instances per entry.
        invocations: u32,
        /// Vertices per instance; 0 for a compute dispatch.
        vertices: u32,
        /// Counter of the input queue of the next dispatch, if `next_invocations` is not 0.
        next_input: u32,
        /// Capacity of that queue.
        next_capacity: u32,
        /// Invocations per entry of the next dispatch, if its arguments are computed together with those of this one;
        /// 0 otherwise.
        next_invocations: u32,
        /// Current phase of time.
        phase: u32,
        /// Number of phases of time.
        n_phases: u32,
        /// Counter of the list of nodes that request boxes.
        nodes_output: u32,
        /// Offset of that list.
        nodes_output_at: u32,
    }
}

/// [`ChunkParams::form`]: pose bounds are jets.
pub const FORM_JET: u32 = 0;
/// [`ChunkParams::form`]: pose bounds are interval matrices.
pub const FORM_INTERVAL: u32 = 1;
/// [`ChunkParams::flags`]: certain contacts lower the motions' cutoffs.
pub const FLAG_CUTOFFS: u32 = 1;
/// [`ChunkParams::flags`]: some pairs of link and object are never tested.
pub const FLAG_ALLOWED_PAIRS: u32 = 2;
/// [`ChunkParams::flags`]: motions that certainly start within the margin are decided by that.
pub const FLAG_STARTS: u32 = 4;

/// Maximum number of levels of the traversal in `s3_cull`; each has a counter.
pub const MAX_CULL_LEVELS: usize = 128;
/// Maximum number of levels of a link's tree; each has a counter in each phase of `s5_pairs`.
pub const MAX_LINK_LEVELS: usize = 61;
/// Maximum number of phases of time of `s5_pairs`; each has counters.
pub const MAX_PHASES: usize = 16;

/// The index of a counter in the control buffer: the word at which a member of [`Counters`] starts.
#[macro_export]
#[doc(hidden)]
macro_rules! counter {
    ($($member:tt)+) => {
        (std::mem::offset_of!($crate::stage::layout::Counters, $($member)+) / size_of::<u32>()) as u32
    };
}

impl PhaseCounters {
    /// Number of words of one phase.
    pub const WORDS: u32 = (size_of::<Self>() / size_of::<u32>()) as u32;
}

impl Counters {
    /// Number of words of all counters.
    pub const WORDS: usize = size_of::<Self>() / size_of::<u32>();

    /// The counters at the start of the words of a control buffer; zero where words are missing.
    pub fn read(control: &[u32]) -> Self {
        let mut words = [0u32; Self::WORDS];
        words.iter_mut().zip(control).for_each(|(to, from)| *to = *from);
        bytemuck::cast(words)
    }

    /// Number of entries that were appended to queues for the current page; triangle pairs are those of all pages.
    pub fn page_entries(&self) -> u64 {
        let queues = [bytemuck::cast_slice(&self.cull_levels), bytemuck::cast_slice(&self.phases)];
        let single = [self.probed_clusters, self.listed_triangles, self.tiles, self.candidates];
        queues.into_iter().flatten().chain(&single).map(|&n: &u32| u64::from(n)).sum()
    }

    /// The counters as words of the control buffer.
    pub fn words(&self) -> &[u32] {
        bytemuck::cast_slice(std::slice::from_ref(self))
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;

    /// encase's layout has the same bytes as the Rust struct.
    #[test]
    fn encase_agrees() {
        let params = ChunkParams { n_pieces: 1, n_bodies: 2, cutoffs_at: 12, ..ChunkParams::default() };
        let mut buffer = encase::UniformBuffer::new(Vec::<u8>::new());
        buffer.write(&params).unwrap();
        assert_eq!(buffer.into_inner(), bytemuck::bytes_of(&params));
        let routing = Routing { input: 1, vertices: 7, ..Routing::default() };
        let mut buffer = encase::UniformBuffer::new(Vec::<u8>::new());
        buffer.write(&routing).unwrap();
        assert_eq!(buffer.into_inner(), bytemuck::bytes_of(&routing));
    }
}
