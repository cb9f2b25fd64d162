//! Sizes of the queues, and the buffers of a frame.

use super::{Frame, FrameIndex, GpuPipeline};
use crate::bvh::tree::WIDTH;
use crate::engine::options::{Capacities, ITEM_BYTES};
use crate::error::Result;
use crate::gpu::{ARGS_BYTES, BufferId, Buffers, Gpu};
use crate::scene::world::CollisionWorld;
use crate::stage::layout::{ChunkParams, LinkItem, Routing};
use crate::stage::s1_concat::POSE_FLOATS;
use crate::stage::s2_bound::BOX_FLOATS;
use crate::stage::{Candidate, SUBS, TrianglePair};

/// Bytes of a pair on the device.
pub(super) const PAIR_BYTES: u64 = size_of::<TrianglePair>() as u64;
/// Smallest capacity of a queue, even for short chunks: one piece may produce many entries.
const MIN_ENTRIES: u64 = 1 << 19;
/// Smallest number of nodes whose boxes fit.
const MIN_BOXES: u64 = 1 << 10;
/// Nodes per piece whose boxes fit. A motion needs about a dozen, and few pieces need the maximum.
const BOXES_PER_PIECE: usize = 24;
/// Bytes of the boxes of the children of a node of a link's tree.
const NODE_BYTES: usize = WIDTH * BOX_FLOATS * SUBS * size_of::<f32>();
/// Maximum number of nodes of the links' trees that may have boxes; each takes a word per piece.
const MAX_BOXED_NODES: usize = 256;

/// Number of nodes of the links' trees, counted from the first, that may have boxes.
pub(super) fn n_boxed_nodes(world: &CollisionWorld) -> usize {
    world.links.iter().map(|link| link.tree.nodes.len()).sum::<usize>().min(MAX_BOXED_NODES)
}

/// Capacities that suit the adapter and the memory; the memory for poses determines the number of pieces in a chunk.
pub(super) fn of_largest_chunk(gpu: &Gpu, world: &CollisionWorld, memory_bytes: u64) -> Capacities {
    let share = (memory_bytes / 4).min(gpu.max_binding());
    // Counters times 32 invocations must stay within 32 bits.
    let entries = (share / 2 / size_of::<LinkItem>() as u64).clamp(1 << 10, 1 << 24) as u32;
    let per_piece = (SUBS * 4 * (world.robot.bodies.len() * POSE_FLOATS + world.model.n_nodes() * BOX_FLOATS)) as u64;
    // A piece produces a few hundred items, a fast one a thousand; pieces that produce more are retried.
    let pieces = (share / 4 / per_piece.max(1)).min(u64::from(entries) / 1024).clamp(1, 4096) as usize;
    let boxes = (share / NODE_BYTES as u64).min((pieces * n_boxed_nodes(world).min(BOXES_PER_PIECE)) as u64) as u32;
    // Pairs take more memory once they have been read back.
    let pairs = u64::from(entries).min(memory_bytes / ITEM_BYTES).max(1 << 10) as u32;
    Capacities { pieces, boxes, queue: entries, candidates: entries, pairs }
}

impl Capacities {
    /// The capacities for a chunk of `n_pieces`. Unused memory also costs time, because it is cleared.
    pub(super) fn scaled(&self, n_pieces: usize) -> Self {
        let pieces = n_pieces.next_power_of_two();
        if pieces >= self.pieces {
            // Larger chunks share the same queues; some of their pieces are retried.
            return Self { pieces: usize::MAX, ..*self };
        }
        let share =
            |n: u32, min: u64| (u64::from(n) * pieces as u64 / self.pieces as u64).max(min).min(u64::from(n)) as u32;
        let [queue, candidates, pairs] = [self.queue, self.candidates, self.pairs].map(|n| share(n, MIN_ENTRIES));
        Self { pieces, boxes: share(self.boxes, MIN_BOXES), queue, candidates, pairs }
    }
}

impl Frame {
    pub(super) fn new(buffers: Buffers) -> Self {
        let allocated = Capacities { pieces: 0, boxes: 0, queue: 0, candidates: 0, pairs: 0 };
        Self { buffers, params: ChunkParams::default(), allocated }
    }

    /// Allocates the queues, and sets the routings of the dispatches that use them.
    pub(super) fn reserve(&mut self, gpu: &Gpu, capacities: Capacities, routings: &[Routing]) -> Result<()> {
        let (buffers, entry) = (&mut self.buffers, size_of::<LinkItem>() as u64);
        buffers.reserve(gpu, BufferId::Items, 2 * u64::from(capacities.queue) * entry)?;
        buffers.reserve(gpu, BufferId::LeafItems, u64::from(capacities.queue) * entry)?;
        let candidate_bytes = u64::from(capacities.candidates) * size_of::<Candidate>() as u64;
        buffers.reserve(gpu, BufferId::Candidates, candidate_bytes)?;
        buffers.reserve(gpu, BufferId::Pairs, u64::from(capacities.pairs) * PAIR_BYTES)?;
        buffers.reserve(gpu, BufferId::NodeBoxes, u64::from(capacities.boxes) * NODE_BYTES as u64)?;
        buffers.reserve(gpu, BufferId::IndirectArgs, ARGS_BYTES)?;
        buffers.set_routings(gpu, routings)?;
        self.allocated = capacities;
        Ok(())
    }
}

impl GpuPipeline {
    /// Allocates the queues of a frame for a chunk of `n_pieces`.
    pub(super) fn ensure_capacity(&mut self, frame: FrameIndex, n_pieces: usize) -> Result<()> {
        if n_pieces <= self.frames[frame].allocated.pieces {
            return Ok(());
        }
        let capacities = if self.settings.fixed_capacities {
            Capacities { pieces: usize::MAX, ..self.capacities }
        } else {
            self.capacities.scaled(n_pieces)
        };
        let routings = self.schedule.routings(&capacities, self.kernels.raster.as_ref());
        let (gpu, to) = (&self.gpu, &mut self.frames[frame]);
        to.reserve(gpu, capacities, &routings)?;
        match &self.kernels.raster {
            Some(raster) => raster.reserve(gpu, &mut to.buffers, capacities.candidates),
            None => Ok(()),
        }
    }
}
