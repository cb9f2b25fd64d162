//! The data that kernels and the engine share, byte for byte. A test compares every struct with the WGSL.

use bytemuck::{Pod, Zeroable};
use encase::ShaderType;
use glam::Vec3;

/// A struct of WGSL: its name, its size, and its members with their offsets.
#[derive(Clone, Copy, Debug)]
pub struct SharedStruct {
    /// Name in WGSL.
    pub name: &'static str,
    /// Bytes, as in an array.
    pub size: usize,
    /// Members and their offsets in bytes, padding left out.
    pub members: &'static [(&'static str, usize)],
}

macro_rules! shared {
    ($($(#[$doc:meta])* struct $name:ident { $($(#[$member_doc:meta])* $member:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, ShaderType)]
            #[repr(C)]
            pub struct $name {
                $($(#[$member_doc])* pub $member: $type,)*
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
    /// What every kernel knows of a chunk of work.
    struct Chunk {
        /// Pieces in the chunk.
        n_pieces: u32,
        /// Bodies of the robot.
        n_bodies: u32,
        /// Links that have triangles.
        n_links: u32,
        /// Nodes of the model's tree.
        n_nodes: u32,
        /// Objects of the scene.
        n_objects: u32,
        /// [`FORM_JET`] or [`FORM_INTERVAL`].
        form: u32,
        /// [`FLAG_LIMITS`] and [`FLAG_ALLOWED`].
        flags: u32,
        /// Entries of each half of the item buffer, and of the leaf items.
        queue_capacity: u32,
        /// Entries of the candidates.
        candidate_capacity: u32,
        /// Entries of the pairs.
        pair_capacity: u32,
        /// Word of the control buffer where the redo bits start.
        redo_at: u32,
        /// Word of the control buffer where the motions' limits start.
        limits_at: u32,
        /// Pixels along a side of a tile of `s4_sweep`.
        tile_pixels: u32,
        /// Tiles that there is room for.
        tile_capacity: u32,
        /// The first triangle of the page of the scene that is there.
        first_triangle: u32,
        /// Nodes of the links' trees, the first ones, that may have boxes.
        n_boxed: u32,
        /// Nodes of pieces whose boxes there is room for.
        box_capacity: u32,
        /// Word of the control buffer where it starts to stand which boxes they have; lists of nodes follow.
        boxed_at: u32,
    }

    /// A part of a motion.
    struct Piece {
        /// Motion in the chunk.
        motion: u32,
        /// Which part of the motion.
        index: u32,
        /// Start, a share of the motion.
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
        /// Which part of the motion.
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

    /// A child of a node of the scene's tree. Its box is in steps of the node's grid from its origin, x in the lowest byte.
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
        /// Where its grid begins, metres.
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
    struct Cluster {
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
        /// How far a vertex may be from the true one, metres.
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
        /// The balls at the link's reach times this are the box's.
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
        /// Sub-intervals in which they may meet.
        mask: u32,
    }

    /// A link that may meet a cluster of scene triangles: what `s3_cull` and `s4_sweep` give.
    #[derive(Eq, PartialOrd, Ord)]
    struct Candidate {
        /// Piece in the chunk.
        piece: u32,
        /// The link's shape.
        link: u32,
        /// The cluster.
        cluster: u32,
        /// Sub-intervals in which they may meet.
        mask: u32,
        /// The cluster's triangles that the link may meet: bit `i` stands for the `i`-th. Bits beyond the last mean nothing.
        triangles: u32,
    }

    /// A work item of `s5_pairs`: part of a link's tree against part of the scene.
    struct LinkItem {
        /// Piece times number of links, plus link.
        piece_link: u32,
        /// Node of the link's tree, child of a node, or leaf.
        link_ref: u32,
        /// Cluster of the scene, its first triangle, or a triangle.
        scene_ref: u32,
        /// Sub-intervals in which they may meet.
        mask: u32,
        /// The triangles of the cluster that are meant.
        triangles: u32,
    }

    /// Two triangles that may touch: what `s5_pairs` gives.
    #[derive(Eq, PartialOrd, Ord)]
    struct TrianglePair {
        /// Piece times number of links, plus link.
        piece_link: u32,
        /// The link's triangle, in tree order; on the GPU counted through all links.
        link_triangle: u32,
        /// The scene's triangle, in tree order.
        scene_triangle: u32,
        /// Bits 0–15: sub-intervals in which they may touch. Bits 16–18: the first slice of the first of them that is
        /// not proved free.
        mask_slice: u32,
    }

    /// Three maps of the depths of what a link sweeps in a piece.
    struct Tile {
        /// What is seen in the middle, metres.
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
        /// What may be added to it.
        r0: f32,
        /// Second corner.
        c1: Vec3,
        /// What may be added to it.
        r1: f32,
        /// Third corner.
        c2: Vec3,
        /// What may be added to it.
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

    /// Which queues a pass reads and writes.
    struct Pass {
        /// Counter of the input.
        input: u32,
        /// Counter of the output.
        output: u32,
        /// Counter of the output for what needs no further level.
        leaf_output: u32,
        /// Where in the item buffer the input starts.
        input_at: u32,
        /// Where in the item buffer the output starts.
        output_at: u32,
        /// Entries that the input has room for.
        capacity: u32,
        /// Invocations or instances for each entry.
        invocations: u32,
        /// Vertices of an instance, if the step draws.
        vertices: u32,
        /// Which slab of time.
        slab: u32,
        /// Slabs of time.
        n_slabs: u32,
        /// Counter of the list of nodes that boxes are to be made for.
        nodes_output: u32,
        /// Where that list starts.
        nodes_output_at: u32,
    }
}

/// Pose bounds are jets.
pub const FORM_JET: u32 = 0;
/// Pose bounds are interval matrices.
pub const FORM_INTERVAL: u32 = 1;
/// Certain contacts lower the motions' limits.
pub const FLAG_LIMITS: u32 = 1;
/// Some pairs of link and object are never tested.
pub const FLAG_ALLOWED: u32 = 2;

/// The word of the control buffer that counts the boxes of nodes that `s5_pairs` has made.
pub const BOXES_MADE: u32 = 254;

/// Relative error of one operation of WGSL: it may return either neighbour of the exact result.
pub const UNIT: f64 = 1.0 / (1u64 << 23) as f64;
/// What flushing subnormals to zero can add to one formula.
pub const UNDERFLOW: f64 = 2e-30;

/// The smallest f32 not below `x`; for `x` beyond the range of f32 its largest number.
pub fn round_up(x: f64) -> f32 {
    let y = (x as f32).clamp(f32::MIN, f32::MAX);
    if f64::from(y) < x { y.next_up().min(f32::MAX) } else { y }
}

/// The largest f32 not above `x`.
pub fn round_down(x: f64) -> f32 {
    -round_up(-x)
}

/// A vector rounded to nearest.
pub fn nearest(v: glam::DVec3) -> Vec3 {
    v.as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_outward() {
        for x in [0.0, 1.0, 0.1, -0.1, 1e-40, -1e-46, 1e39, -1e39, 16_777_217.0] {
            assert!(f64::from(round_up(x)) >= x.min(f64::from(f32::MAX)) && round_up(x).is_finite(), "{x}");
            assert!(f64::from(round_down(x)) <= x.max(f64::from(f32::MIN)), "{x}");
        }
        assert_eq!(round_up(0.5), 0.5);
    }

    /// The bytes that encase lays out are those of the Rust struct.
    #[test]
    fn encase_agrees() {
        let chunk = Chunk { n_pieces: 1, n_bodies: 2, limits_at: 12, ..Chunk::default() };
        let mut buffer = encase::UniformBuffer::new(Vec::<u8>::new());
        buffer.write(&chunk).unwrap();
        assert_eq!(buffer.into_inner(), bytemuck::bytes_of(&chunk));
        let pass = Pass { input: 1, vertices: 7, ..Pass::default() };
        let mut buffer = encase::UniformBuffer::new(Vec::<u8>::new());
        buffer.write(&pass).unwrap();
        assert_eq!(buffer.into_inner(), bytemuck::bytes_of(&pass));
    }
}
