//! One chunk: uploaded, submitted and read back.

use super::capacities::PAIR_BYTES;
use super::{Frame, FrameIndex, GpuPipeline, upload};
use crate::counter;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::engine::options::Stage;
use crate::engine::stats::Stats;
use crate::error::Result;
use crate::gpu::{BufferId, Submission, first_link_triangles};
use crate::robot::RobotMotion;
use crate::stage::layout::{
    ChunkParams, Counters, FLAG_CUTOFFS, FLAG_IGNORED_PAIRS, FORM_INTERVAL, FORM_JET, SweepCounters,
};
use crate::stage::s1_concat::POSE_FLOATS;
use crate::stage::s2_bound::BOX_FLOATS;
use crate::stage::s4_sweep::{Sweep, SweepCounts};
use crate::stage::s5_pairs::Limits;
use crate::stage::{Candidate, Piece, SUBS, TrianglePair, s3_cull, s5_pairs};

/// Pairs that are read back together with the counters; more need a second copy.
const FIRST_PAIRS: u64 = 16_384;

/// The pieces of some motions.
#[derive(Debug)]
pub struct ChunkInput<'m> {
    /// The pieces; their motions are indices into `motions`.
    pub pieces: Vec<Piece>,
    /// The motions.
    pub motions: &'m [RobotMotion],
}

/// Results of a chunk.
#[derive(Debug, Default)]
pub struct ChunkOutput {
    /// The pairs of each piece; `None` if they did not fit into memory.
    pub pairs: Vec<Option<Vec<TrianglePair>>>,
    /// The cutoff of each motion.
    pub limits: Limits,
}

/// A chunk on the device.
#[derive(Debug)]
pub struct PendingChunk {
    /// One per page of the scene; the last one reads the pairs back.
    pub(super) submissions: Vec<Submission>,
    pub(super) frame: FrameIndex,
}

impl PendingChunk {
    /// The frame whose buffers it uses.
    pub fn frame(&self) -> FrameIndex {
        self.frame
    }
}

/// Words of the control buffer at which its parts start. The [`Counters`] come first.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControlLayout {
    /// Retry bits, one per piece.
    pub retry_at: usize,
    /// Cutoffs, one per motion.
    pub cutoffs_at: usize,
    /// Box numbers of nodes, which are never read back.
    pub node_boxes_at: usize,
}

impl ControlLayout {
    pub fn new(chunk: &ChunkInput) -> Self {
        let cutoffs_at = Counters::WORDS + chunk.pieces.len().div_ceil(32);
        Self { retry_at: Counters::WORDS, cutoffs_at, node_boxes_at: cutoffs_at + chunk.motions.len() }
    }

    /// The initial values of the words that are read back: zero except for the cutoffs.
    pub fn initial(&self) -> Vec<u32> {
        let mut control = vec![0u32; self.node_boxes_at];
        control[self.cutoffs_at..].fill(u32::MAX);
        control
    }

    pub fn set_retry(&self, control: &mut [u32], piece: usize) {
        control[self.retry_at + piece / 32] |= 1 << (piece % 32);
    }

    /// The pieces that must be retried.
    pub fn pieces_to_retry(&self, control: &[u32], n_pieces: usize) -> Vec<usize> {
        (0..n_pieces).filter(|&i| control[self.retry_at + i / 32] >> (i % 32) & 1 != 0).collect()
    }
}

impl GpuPipeline {
    /// Uploads a chunk into a frame and resets its queues.
    ///
    /// # Errors
    /// The device does not have enough memory for the chunk.
    pub fn upload_chunk(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<()> {
        let n_pieces = chunk.pieces.len();
        self.ensure_capacity(frame, n_pieces)?;
        let layout = ControlLayout::new(chunk);
        let (gpu, world, form) = (&self.gpu, &self.world, self.settings.pose_bound);
        let (buffers, allocated) = (&mut self.frames[frame].buffers, self.frames[frame].allocated);
        buffers.bind_page(0);
        upload::upload(gpu, buffers, world, &chunk.pieces, chunk.motions, form)?;
        let subs = (n_pieces * SUBS * size_of::<f32>()) as u64;
        buffers.reserve(gpu, BufferId::Poses, subs * (world.robot.bodies.len() * POSE_FLOATS) as u64)?;
        buffers.reserve(gpu, BufferId::Boxes, subs * (world.model.n_nodes() * BOX_FLOATS) as u64)?;
        let cutoffs = if self.settings.use_cutoffs { FLAG_CUTOFFS } else { 0 };
        let ignored_pairs = if world.allowed.is_empty() { 0 } else { FLAG_IGNORED_PAIRS };
        let raster = self.kernels.raster.as_ref();
        let params = ChunkParams {
            n_pieces: n_pieces as u32,
            n_bodies: world.robot.bodies.len() as u32,
            n_links: world.links.len() as u32,
            n_nodes: world.model.n_nodes() as u32,
            n_objects: world.scene.objects.len() as u32,
            // Balls of displacements are read as jets whose derivatives are zero.
            form: if form == PoseEnclosure::IntervalMatrix { FORM_INTERVAL } else { FORM_JET },
            flags: cutoffs | ignored_pairs,
            queue_capacity: allocated.queue,
            candidate_capacity: allocated.candidates,
            pair_capacity: allocated.pairs,
            retry_at: layout.retry_at as u32,
            cutoffs_at: layout.cutoffs_at as u32,
            tile_pixels: raster.map_or(0, |r| r.tile_pixels),
            tile_capacity: raster.map_or(0, |r| r.tile_capacity),
            first_triangle: 0,
            n_boxed: self.schedule.n_boxed,
            box_capacity: allocated.boxes,
            node_boxes_at: layout.node_boxes_at as u32,
        };
        buffers.set_chunk(gpu, &params)?;
        self.frames[frame].params = params;
        self.reset_queues(chunk, frame)
    }

    /// Resets the counters, retry bits and cutoffs of an uploaded chunk to the start of `s3_cull`.
    ///
    /// # Errors
    /// The device does not have enough memory.
    pub fn reset_queues(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<()> {
        self.reset_sweep(chunk, frame)?;
        let (layout, n_pieces) = (ControlLayout::new(chunk), chunk.pieces.len());
        let mut control = layout.initial();
        let (counters, stored) = self.write_first_queue(n_pieces, frame);
        control[..Counters::WORDS].copy_from_slice(counters.words());
        (stored..n_pieces).for_each(|piece| layout.set_retry(&mut control, piece));
        // No node has boxes yet. Two lists of nodes follow their numbers.
        control.resize(control.len() + n_pieces * self.schedule.n_boxed as usize, 0);
        let (gpu, frame) = (&self.gpu, &mut self.frames[frame]);
        let words = control.len() as u64 + 2 * u64::from(frame.allocated.boxes);
        frame.buffers.reserve(gpu, BufferId::Control, words * size_of::<u32>() as u64)?;
        frame.buffers.write(gpu, BufferId::Control, 0, &control);
        Ok(())
    }

    /// Writes the initial queue of the traversal of the bound page: the items of the first level of `s3_cull`, or all
    /// candidates if that stage is disabled. Returns the counters, and the number of pieces whose entries fit.
    fn write_first_queue(&self, n_pieces: usize, frame: FrameIndex) -> (Counters, usize) {
        let (gpu, world, frame) = (&self.gpu, &self.world, &self.frames[frame]);
        let mut counters = Counters::default();
        if self.settings.cull {
            let roots = s3_cull::roots(world, n_pieces);
            let stored = roots.len().min(frame.allocated.queue as usize);
            frame.buffers.write(gpu, BufferId::Items, 0, &roots[..stored]);
            counters.cull_levels[0] = roots.len() as u32;
            return (counters, stored);
        }
        // The same pieces for every page.
        let per_piece = (world.links.len() * frame.buffers.max_page_leaves() as usize).max(1);
        let stored = (frame.allocated.candidates as usize / per_piece).min(n_pieces);
        let candidates = s3_cull::everything(world, frame.buffers.page().n_leaves, stored);
        frame.buffers.write(gpu, BufferId::Candidates, 0, &candidates);
        counters.candidates = candidates.len() as u32;
        (counters, stored)
    }

    /// Resets the state that a form of `s4_sweep` keeps between dispatches.
    fn reset_sweep(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<()> {
        match &self.kernels.raster {
            Some(raster) => raster.reset(&self.gpu, &mut self.frames[frame].buffers, chunk.pieces.len()),
            None => Ok(()),
        }
    }

    /// Binds another page of the scene for later submissions, and resets the queues. Pairs, retry bits, cutoffs, the
    /// boxes of the links' trees and the counts of `s4_sweep` are kept.
    ///
    /// # Errors
    /// The device failed.
    pub fn bind_page(&mut self, chunk: &ChunkInput, frame: FrameIndex, page: usize) -> Result<()> {
        self.reset_sweep(chunk, frame)?;
        let (gpu, Frame { buffers, params, .. }) = (&self.gpu, &mut self.frames[frame]);
        buffers.bind_page(page);
        let first_triangle = buffers.page().first_triangle;
        buffers.set_chunk(gpu, &ChunkParams { first_triangle, ..*params })?;
        let (counters, _) = self.write_first_queue(chunk.pieces.len(), frame);
        let kept = [
            counter!(sweep)..counter!(sweep) + (size_of::<SweepCounters>() / size_of::<u32>()) as u32,
            counter!(node_boxes)..counter!(node_boxes) + 1,
            counter!(pairs)..counter!(pairs) + 1,
        ];
        let (mut start, end) = (0, Counters::WORDS as u32);
        for kept in kept.into_iter().chain(std::iter::once(end..end)) {
            let words = &counters.words()[start..kept.start as usize];
            self.frames[frame].buffers.write(&self.gpu, BufferId::Control, start, words);
            start = kept.end as usize;
        }
        Ok(())
    }

    /// Uploads a chunk and submits all its work.
    ///
    /// # Errors
    /// The device failed, or does not have enough memory for the chunk.
    pub fn start(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<PendingChunk> {
        self.upload_chunk(chunk, frame)?;
        let mut stages = vec![Stage::Concat, Stage::Bound];
        let mut submissions = Vec::with_capacity(self.n_pages());
        for page in 0..self.n_pages() {
            if page > 0 {
                self.bind_page(chunk, frame, page)?;
            }
            stages.extend([Stage::Cull, Stage::Sweep, Stage::Pairs]);
            submissions.push(self.submit(chunk, frame, &stages, page + 1 == self.n_pages())?);
            stages.clear();
        }
        Ok(PendingChunk { submissions, frame })
    }

    /// Submits stages. Reads the counters back, and after the last submission also retry bits, cutoffs and pairs.
    pub(super) fn submit(
        &self,
        chunk: &ChunkInput,
        frame: FrameIndex,
        stages: &[Stage],
        is_last: bool,
    ) -> Result<Submission> {
        let dispatches: Vec<_> = stages.iter().flat_map(|&s| self.dispatches(s, chunk.pieces.len())).collect();
        let Frame { buffers, allocated, .. } = &self.frames[frame];
        let words = if is_last { ControlLayout::new(chunk).node_boxes_at } else { Counters::WORDS };
        let pairs = FIRST_PAIRS.min(u64::from(allocated.pairs)) * PAIR_BYTES;
        let reads = [(BufferId::Control, 4 * words as u64), (BufferId::Pairs, pairs)];
        self.gpu.submit(buffers, &self.kernels.indirect_args, &dispatches, &reads[..1 + usize::from(is_last)])
    }

    /// Waits for a chunk, and retries the pieces whose queues overflowed.
    ///
    /// # Errors
    /// The device failed.
    pub fn finish(&mut self, chunk: &ChunkInput, pending: PendingChunk, stats: &mut Stats) -> Result<ChunkOutput> {
        let PendingChunk { submissions, frame } = pending;
        let (layout, n_pieces) = (ControlLayout::new(chunk), chunk.pieces.len());
        let allocated = self.frames[frame].allocated;
        let (mut control, mut pairs, mut candidates) = (layout.initial(), Vec::<TrianglePair>::new(), 0);
        for submission in submissions {
            let readback = submission.wait(&self.gpu)?;
            for (stage, seconds) in &readback.stage_seconds {
                stats.stages[*stage].seconds += seconds;
            }
            stats.stage(Stage::Pairs).bytes += readback.data.iter().map(|d| d.len() as u64).sum::<u64>();
            control = bytemuck::pod_collect_to_vec(&readback.data[0]);
            pairs = readback.data.get(1).map(|data| bytemuck::pod_collect_to_vec(data)).unwrap_or_default();
            candidates += u64::from(Counters::read(&control).candidates.min(allocated.candidates));
        }
        let counters = Counters::read(&control);
        let n_pairs = counters.pairs.min(allocated.pairs) as usize;
        if n_pairs > pairs.len() {
            pairs = self.frames[frame].buffers.read(&self.gpu, BufferId::Pairs, n_pairs)?;
        }
        pairs.truncate(n_pairs);
        self.count(chunk, candidates, &counters, n_pairs, stats);
        let limits = control[layout.cutoffs_at..layout.node_boxes_at].to_vec();
        let mut output = ChunkOutput { pairs: self.by_piece(pairs, n_pieces), limits };
        let retry = layout.pieces_to_retry(&control, n_pieces);
        self.retry_overflowed(chunk, frame, &retry, &mut output, stats)?;
        for pairs in output.pairs.iter_mut().flatten() {
            s5_pairs::join(pairs, 0);
            s5_pairs::clip(pairs, &chunk.pieces, &output.limits, self.world.links.len());
        }
        Ok(output)
    }

    /// Distributes the pairs of a device to their pieces; link triangles are counted through all links there.
    fn by_piece(&self, pairs: Vec<TrianglePair>, n_pieces: usize) -> Vec<Option<Vec<TrianglePair>>> {
        let first_triangles = first_link_triangles(&self.world.links);
        let n_links = self.world.links.len() as u32;
        let mut by_piece = vec![Some(Vec::new()); n_pieces];
        for mut pair in pairs {
            pair.link_triangle -= first_triangles[(pair.piece_link % n_links) as usize];
            if let Some(pairs) = &mut by_piece[(pair.piece_link / n_links) as usize] {
                pairs.push(pair);
            }
        }
        by_piece
    }

    /// Adds the items of all stages to the statistics.
    fn count(&self, chunk: &ChunkInput, candidates: u64, counters: &Counters, n_pairs: usize, stats: &mut Stats) {
        let swept = if self.sweep == Sweep::Off {
            candidates
        } else {
            let counts = SweepCounts::from_device(candidates, counters.sweep);
            stats.sweep.add(counts);
            counts.candidates_out
        };
        let pieces = chunk.pieces.len() as u64;
        let poses = pieces * self.world.robot.bodies.len() as u64;
        let boxes = pieces * self.world.model.n_nodes() as u64;
        let items = [pieces, poses, boxes, candidates, swept, n_pairs as u64];
        let stages = [Stage::Concat, Stage::Bound, Stage::Cull, Stage::Sweep, Stage::Pairs];
        for (stage, in_out) in stages.into_iter().zip(items.windows(2)) {
            let stats = stats.stage(stage);
            stats.items_in += in_out[0];
            stats.items_out += in_out[1];
        }
    }

    /// Writes candidates into a frame, whose page counts leaves from 0.
    pub(super) fn write_candidates(&self, frame: FrameIndex, candidates: &mut [Candidate]) {
        let buffers = &self.frames[frame].buffers;
        let first = buffers.page().first_leaf;
        candidates.iter_mut().for_each(|c| c.cluster -= first);
        buffers.write(&self.gpu, BufferId::Candidates, 0, candidates);
    }
}
