//! One chunk: uploaded, submitted and read back.

use super::capacities::PAIR_BYTES;
use super::link_pass::{FIRST_NEAR, LinkOutput, LinkPass};
use super::possible::Possible;
use super::reach::Reach;
use super::upload::{Arrays, Threads};
use super::{Frame, FrameIndex, GpuPipeline, kernel_work};
use crate::arith::rounding::round_down;
use crate::counter;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::engine::options::Stage;
use crate::engine::stats::Stats;
use crate::error::Result;
use crate::gpu::{BufferId, Clear, Submission, first_link_triangles};
use crate::robot::RobotMotion;
use crate::stage::layout::{
    ChunkParams, Counters, FLAG_ALLOWED_PAIRS, FLAG_CUTOFFS, FLAG_STARTS, FORM_INTERVAL, FORM_JET, NearPair,
};
use crate::stage::s1_concat::POSE_FLOATS;
use crate::stage::s2_bound::BOX_FLOATS;
use crate::stage::s4_sweep::{Sweep, SweepCounts};
use crate::stage::s5_pairs::Limits;
use crate::stage::{Candidate, Piece, SUBS, TrianglePair, s3_cull, s5_pairs};

/// Smallest number of pairs that are read back together with the counters.
const MIN_FIRST_PAIRS: u64 = 1 << 14;
/// Largest number of pairs that are read back together with the counters: their buffers are kept.
const MAX_FIRST_PAIRS: u64 = 1 << 20;
/// Size of a pair in words.
const PAIR_WORDS: usize = size_of::<TrianglePair>() / size_of::<u32>();

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
    /// True for each motion that certainly starts within the margin: its pieces were not searched and have no pairs.
    /// Empty if starts do not decide motions.
    pub starts: Vec<bool>,
    /// The pairs of triangles of links.
    pub links: LinkOutput,
    /// The motions in which something may touch, if the caller needs only that; their pairs are incomplete.
    pub possible: Possible,
}

/// The data that were read back from a chunk.
#[derive(Debug, Default)]
struct Readback {
    /// Counters, and the words behind them.
    control: Vec<u32>,
    /// The words of all pairs that fitted.
    pairs: Vec<u32>,
    /// The pairs of links that are near each other; incomplete if they did not fit.
    near: Vec<NearPair>,
    /// Number of candidates, over all pages.
    candidates: u64,
}

/// A chunk on the device.
#[derive(Debug)]
pub struct PendingChunk {
    /// The submissions, one for each page of the scene that the motions reach, with their stages. The last one also
    /// reads the pairs back.
    pub(super) submissions: Vec<(Submission, Vec<Stage>)>,
    pub(super) frame: FrameIndex,
    /// The work besides the search for pairs.
    pub(super) besides: Besides,
}

/// The work of a chunk besides the search for pairs of links and scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Besides {
    /// Links are tested against links afterwards.
    pub links: bool,
    /// Motions that start within the margin are decided by that.
    pub starts: bool,
    /// The caller needs only whether something may touch.
    pub possible: bool,
}

impl PendingChunk {
    /// The frame whose buffers it uses.
    pub fn frame(&self) -> FrameIndex {
        self.frame
    }
}

/// The work that memory is cleared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// The first page of a chunk.
    Chunk,
    /// Another page of the same chunk.
    Page,
}

/// Offsets of the parts of the control buffer, in words. The [`Counters`] are the first part.
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
        Self::of(chunk.pieces.len(), chunk.motions.len())
    }

    pub fn of(n_pieces: usize, n_motions: usize) -> Self {
        let cutoffs_at = Counters::WORDS + n_pieces.div_ceil(32);
        Self { retry_at: Counters::WORDS, cutoffs_at, node_boxes_at: cutoffs_at + n_motions }
    }

    /// Offset of the word after the box numbers, of which each piece has `n_boxed`.
    pub fn end(&self, n_pieces: usize, n_boxed: u32) -> u64 {
        self.node_boxes_at as u64 + n_pieces as u64 * u64::from(n_boxed)
    }

    /// The initial values of the words that are read back: no entries, retries or cutoffs.
    pub fn initial(&self) -> Vec<u32> {
        vec![0u32; self.node_boxes_at]
    }

    /// The last slice of each motion that is searched. The complement of the number of slices is stored, so that
    /// cleared memory is no cutoff.
    pub fn cutoffs(&self, control: &[u32]) -> Limits {
        let last = |n: u32| if n == u32::MAX { n } else { n.saturating_sub(1) };
        control[self.cutoffs_at..self.node_boxes_at].iter().map(|word| last(!word)).collect()
    }

    /// The word of a motion with this cutoff.
    pub fn word(cutoff: u32) -> u32 {
        !cutoff.saturating_add(1)
    }

    /// The motions of which no slice is searched, because they start within the margin.
    pub fn starts(&self, control: &[u32]) -> Vec<bool> {
        control[self.cutoffs_at..self.node_boxes_at].iter().map(|word| !word == 0).collect()
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
    /// Uploads a chunk into a frame, binds the first page of the scene, and resets the queues.
    ///
    /// # Errors
    /// The device does not have enough memory for the chunk.
    pub fn upload_chunk(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<()> {
        self.write_chunk(chunk, None, frame, Besides::default())?;
        self.reset_queues(chunk, frame)
    }

    /// Uploads a chunk into a frame, whose queues keep their content.
    fn write_chunk(
        &mut self,
        chunk: &ChunkInput,
        arrays: Option<&Arrays>,
        frame: FrameIndex,
        besides: Besides,
    ) -> Result<()> {
        let n_pieces = chunk.pieces.len();
        self.ensure_capacity(frame, n_pieces)?;
        let layout = ControlLayout::new(chunk);
        let (gpu, world, form) = (&self.gpu, &self.world, self.settings.pose_bound);
        let (buffers, allocated) = (&mut self.frames[frame].buffers, self.frames[frame].allocated);
        match arrays {
            Some(arrays) => arrays.write(gpu, buffers)?,
            None => Arrays::of(world, &chunk.pieces, chunk.motions, form, Threads::Own).write(gpu, buffers)?,
        }
        let subs = (n_pieces * SUBS * size_of::<f32>()) as u64;
        buffers.reserve(gpu, BufferId::Poses, subs * (world.robot.bodies.len() * POSE_FLOATS) as u64)?;
        buffers.reserve(gpu, BufferId::Boxes, subs * (world.model.n_nodes() * BOX_FLOATS) as u64)?;
        // Two lists of nodes follow the numbers of their boxes.
        let words = layout.end(n_pieces, self.schedule.n_boxed) + 2 * u64::from(allocated.boxes);
        buffers.reserve(gpu, BufferId::Control, words * size_of::<u32>() as u64)?;
        let near_capacity = self.links.as_ref().map_or(0, |links| links.near_capacity(n_pieces));
        buffers.reserve(gpu, BufferId::NearPairs, u64::from(near_capacity) * size_of::<NearPair>() as u64)?;
        let cutoffs = if self.settings.use_cutoffs { FLAG_CUTOFFS } else { 0 };
        let allowed_pairs = if world.allowed.is_empty() { 0 } else { FLAG_ALLOWED_PAIRS };
        let starts = if besides.starts { FLAG_STARTS } else { 0 };
        let raster = self.kernels.raster.as_ref();
        raster.map_or(Ok(()), |raster| raster.reserve_pieces(gpu, buffers, n_pieces))?;
        self.frames[frame].params = ChunkParams {
            n_pieces: n_pieces as u32,
            n_bodies: world.robot.bodies.len() as u32,
            n_links: world.links.len() as u32,
            n_nodes: world.model.n_nodes() as u32,
            n_objects: world.scene.objects.len() as u32,
            // Balls of displacements are read as jets whose derivatives are zero.
            form: if form == PoseEnclosure::IntervalMatrix { FORM_INTERVAL } else { FORM_JET },
            flags: cutoffs | allowed_pairs | starts,
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
            n_link_pairs: self.links.as_ref().map_or(0, LinkPass::n_pairs),
            near_capacity,
            margin_m: margin_m(chunk.motions),
            serial: 0,
        };
        Ok(())
    }

    /// Binds the first page of the scene, and resets counters, retry bits and cutoffs of an uploaded chunk to the start
    /// of `s3_cull`.
    ///
    /// # Errors
    /// The device failed.
    pub fn reset_queues(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<()> {
        let clears = self.begin(chunk, frame, 0, Begin::Chunk)?;
        self.gpu.clear(&self.frames[frame].buffers, &clears)
    }

    /// Binds another page of the scene for later submissions, and resets the queues. Pairs, retry bits, cutoffs, the
    /// boxes of the links' trees and the counts of `s4_sweep` are kept.
    ///
    /// # Errors
    /// The device failed.
    pub fn bind_page(&mut self, chunk: &ChunkInput, frame: FrameIndex, page: usize) -> Result<()> {
        let clears = self.begin(chunk, frame, page, Begin::Page)?;
        self.gpu.clear(&self.frames[frame].buffers, &clears)
    }

    /// Binds a page of the scene for later submissions. Returns what the device must clear before the page's work.
    fn begin(&mut self, chunk: &ChunkInput, frame: FrameIndex, page: usize, begin: Begin) -> Result<Vec<Clear>> {
        let Frame { buffers, params, .. } = &mut self.frames[frame];
        buffers.bind_page(page);
        let first_triangle = buffers.page().first_triangle;
        buffers.set_chunk(&self.gpu, &ChunkParams { first_triangle, ..*params })?;
        let clears = self.clears(chunk, begin);
        if self.settings.cull {
            return Ok(clears);
        }
        self.gpu.clear(&self.frames[frame].buffers, &clears)?;
        self.write_all_candidates(chunk, frame, begin);
        Ok(Vec::new())
    }

    /// The memory that is zero at the beginning of a chunk or a page: all control words for a chunk, the counters for a
    /// page, and the marks of links that have tiles.
    fn clears(&self, chunk: &ChunkInput, begin: Begin) -> Vec<Clear> {
        let n_pieces = chunk.pieces.len();
        let words = match begin {
            Begin::Chunk => 0..ControlLayout::new(chunk).end(n_pieces, self.schedule.n_boxed),
            Begin::Page => u64::from(counter!(probed_clusters))..Counters::WORDS as u64,
        };
        let tiles = self.kernels.raster.as_ref().map(|raster| raster.marks(n_pieces));
        std::iter::once(Clear { buffer: BufferId::Control, words }).chain(tiles).collect()
    }

    /// Writes all candidates of the bound page if there is no `s3_cull`; every page has the same pieces.
    fn write_all_candidates(&self, chunk: &ChunkInput, frame: FrameIndex, begin: Begin) {
        let (gpu, world, n_pieces) = (&self.gpu, &self.world, chunk.pieces.len());
        let Frame { buffers, allocated, .. } = &self.frames[frame];
        let per_piece = (world.links.len() * buffers.max_page_leaves() as usize).max(1);
        let stored = (allocated.candidates as usize / per_piece).min(n_pieces);
        let candidates = s3_cull::everything(world, buffers.page().n_leaves, &chunk.pieces[..stored]);
        buffers.write(gpu, BufferId::Candidates, 0, &candidates);
        buffers.write(gpu, BufferId::Control, counter!(candidates) as usize, &[candidates.len() as u32]);
        if begin == Begin::Chunk {
            let layout = ControlLayout::new(chunk);
            let mut control = layout.initial();
            (stored..n_pieces).for_each(|piece| layout.set_retry(&mut control, piece));
            let retries = &control[layout.retry_at..layout.cutoffs_at];
            buffers.write(gpu, BufferId::Control, layout.retry_at, retries);
        }
    }

    /// Uploads a chunk and submits all its work. Pages of the scene that no motion reaches are skipped.
    ///
    /// # Errors
    /// The device failed, or does not have enough memory for the chunk.
    pub fn start(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<PendingChunk> {
        self.start_prepared((chunk, None), frame, false)
    }

    /// [`start`](Self::start) with the kernels' input, if it is known. Only whether something may touch may be asked.
    pub(super) fn start_prepared(
        &mut self,
        (chunk, arrays): (&ChunkInput, Option<&Arrays>),
        frame: FrameIndex,
        possible: bool,
    ) -> Result<PendingChunk> {
        let besides = Besides { links: self.links.is_some(), starts: self.settings.find_starts, possible };
        self.start_chunk(chunk, arrays, frame, besides)
    }

    /// [`start_prepared`](Self::start_prepared), with or without other work.
    pub(super) fn start_chunk(
        &mut self,
        chunk: &ChunkInput,
        arrays: Option<&Arrays>,
        frame: FrameIndex,
        besides: Besides,
    ) -> Result<PendingChunk> {
        let pages = self.reached_pages(chunk);
        let mut submissions = Vec::with_capacity(pages.len());
        if besides.links || !pages.is_empty() {
            self.write_chunk(chunk, arrays, frame, besides)?;
        }
        if besides.links && pages.is_empty() {
            let clears = self.begin(chunk, frame, 0, Begin::Chunk)?;
            let stages = vec![Stage::Concat, Stage::Bound];
            submissions.push((self.submit(chunk, frame, &clears, &stages, true)?, stages));
        }
        for (i, &page) in pages.iter().enumerate() {
            let is_first = i == 0;
            let clears = self.begin(chunk, frame, page, if is_first { Begin::Chunk } else { Begin::Page })?;
            let all = [Stage::Concat, Stage::Bound, Stage::Cull, Stage::Sweep, Stage::Pairs];
            let stages = all[if is_first { 0 } else { 2 }..].to_vec();
            submissions.push((self.submit(chunk, frame, &clears, &stages, i + 1 == pages.len())?, stages));
        }
        Ok(PendingChunk { submissions, frame, besides })
    }

    /// The pages of the scene that some motion of a chunk may reach; a single page is not tested.
    pub(super) fn reached_pages(&mut self, chunk: &ChunkInput) -> Vec<usize> {
        let n = self.n_pages();
        let mut pages: Vec<usize> = (0..n).filter(|_| !self.world.scene.triangles.is_empty()).collect();
        if n > 1 {
            let (reach, buffers) = (Reach::of(&self.world, chunk), &self.frames[0].buffers);
            pages.retain(|&page| buffers.page_box(page).is_none_or(|around| reach.meets(&around)));
        }
        self.counts.chunks += 1;
        self.counts.pages_searched += pages.len() as u64;
        self.counts.pages_skipped += (n - pages.len()) as u64;
        pages
    }

    /// Clears memory and submits stages. Reads the counters back, and after the last submission also retry bits,
    /// cutoffs and pairs.
    pub(super) fn submit(
        &self,
        chunk: &ChunkInput,
        frame: FrameIndex,
        clears: &[Clear],
        stages: &[Stage],
        is_last: bool,
    ) -> Result<Submission> {
        let dispatches: Vec<_> = stages.iter().flat_map(|&s| self.dispatches(s, chunk.pieces.len())).collect();
        let Frame { buffers, allocated, params } = &self.frames[frame];
        let words = if is_last { ControlLayout::new(chunk).node_boxes_at } else { Counters::WORDS };
        let pairs = self.first_pairs(chunk.pieces.len()).min(u64::from(allocated.pairs)) * PAIR_BYTES;
        let near = FIRST_NEAR.min(u64::from(params.near_capacity)) * size_of::<NearPair>() as u64;
        let reads = [(BufferId::Control, 4 * words as u64), (BufferId::Pairs, pairs), (BufferId::NearPairs, near)];
        let n_reads = if is_last { 2 + usize::from(self.links.is_some()) } else { 1 };
        self.gpu.submit(buffers, &self.kernels.indirect_args, clears, &dispatches, &reads[..n_reads])
    }

    /// Waits for a chunk, and retries the pieces whose queues overflowed.
    ///
    /// # Errors
    /// The device failed.
    pub fn finish(&mut self, chunk: &ChunkInput, pending: PendingChunk, stats: &mut Stats) -> Result<ChunkOutput> {
        let mut output = self.collect(chunk, pending, stats)?;
        for pairs in output.pairs.iter_mut().flatten() {
            clean(pairs, &chunk.pieces, &output.limits, self.world.links.len());
        }
        Ok(output)
    }

    /// [`finish`](Self::finish) with pairs as the device found them, except for those after the cutoffs; they remain to
    /// be passed to [`clean`].
    pub(super) fn collect(
        &mut self,
        chunk: &ChunkInput,
        pending: PendingChunk,
        stats: &mut Stats,
    ) -> Result<ChunkOutput> {
        let PendingChunk { submissions, frame, besides } = pending;
        let (layout, n_pieces) = (ControlLayout::new(chunk), chunk.pieces.len());
        let Readback { control, pairs, near, candidates } = self.read_back(chunk, frame, submissions, stats)?;
        let (counters, n_pairs) = (Counters::read(&control), pairs.len() / PAIR_WORDS);
        let pairs: &[TrianglePair] = bytemuck::cast_slice(&pairs);
        self.count(chunk, candidates, &counters, n_pairs, stats);
        let mut limits = layout.cutoffs(&control);
        let starts = if besides.starts { layout.starts(&control) } else { Vec::new() };
        let mut possible = self.possible(chunk, besides.possible, pairs, &starts);
        let fits = counters.near_pairs <= self.frames[frame].params.near_capacity;
        let links = if besides.links && fits {
            self.search_links(chunk, frame, near, (&mut limits, &mut possible), stats)?
        } else {
            LinkOutput::default()
        };
        let pairs_of_pieces = self.by_piece(pairs, chunk, &limits);
        let mut output = ChunkOutput { pairs: pairs_of_pieces, limits, starts, links, possible };
        let retry = layout.pieces_to_retry(&control, n_pieces);
        self.retry_overflowed(chunk, frame, &retry, &mut output, stats)?;
        self.pairs_of_piece = n_pairs as f64 / n_pieces.max(1) as f64;
        // Nothing was searched for motions that start within the margin: no pairs do not mean that they are free.
        for (pairs, piece) in output.pairs.iter_mut().zip(&chunk.pieces) {
            pairs.take_if(|_| output.starts.get(piece.motion as usize) == Some(&true));
        }
        Ok(output)
    }

    /// Waits for the submissions of a chunk, adds their work to the statistics, and reads the results of the last one.
    fn read_back(
        &mut self,
        chunk: &ChunkInput,
        frame: FrameIndex,
        submissions: Vec<(Submission, Vec<Stage>)>,
        stats: &mut Stats,
    ) -> Result<Readback> {
        let allocated = self.frames[frame].allocated;
        let mut read = Readback { control: ControlLayout::new(chunk).initial(), ..Readback::default() };
        let routings = self.schedule.routings(&allocated, self.kernels.raster.as_ref());
        for (submission, stages) in submissions {
            let readback = submission.wait(&self.gpu)?;
            for (span, seconds) in &readback.seconds {
                stats.stages[span.stage].seconds += seconds;
            }
            kernel_work::add_seconds(&mut self.kernel_work, &readback.seconds);
            stats.stage(Stage::Pairs).bytes += readback.data.iter().map(|d| size_of_val(&d[..]) as u64).sum::<u64>();
            let mut data = readback.data.into_iter();
            read.control = data.next().unwrap_or_default();
            read.pairs = data.next().unwrap_or_default();
            read.near = data.next().map(|data| whole_items(&data)).unwrap_or_default();
            let counters = Counters::read(&read.control);
            read.candidates += u64::from(counters.candidates.min(allocated.candidates));
            self.counts.queue_entries += counters.page_entries();
            let dispatches = stages.iter().flat_map(|&stage| self.dispatches(stage, chunk.pieces.len()));
            let work = kernel_work::of_submission(dispatches, &routings, &read.control);
            kernel_work::add(&mut self.kernel_work, work);
        }
        let counters = Counters::read(&read.control);
        self.counts.queue_entries += u64::from(counters.pairs) + u64::from(counters.node_boxes);
        kernel_work::add(&mut self.kernel_work, kernel_work::of_chunk(&counters));
        self.read_rest(frame, &counters, &mut read)?;
        Ok(read)
    }

    /// Completes the pairs, and the near pairs of links if all of them fitted: the first copy has as many as the last
    /// chunk.
    fn read_rest(&self, frame: FrameIndex, counters: &Counters, read: &mut Readback) -> Result<()> {
        let Frame { buffers, allocated, params } = &self.frames[frame];
        let n_words = counters.pairs.min(allocated.pairs) as usize * PAIR_WORDS;
        if n_words > read.pairs.len() {
            read.pairs = buffers.read(&self.gpu, BufferId::Pairs, n_words)?;
        }
        read.pairs.truncate(n_words);
        let n_near = counters.near_pairs as usize;
        if counters.near_pairs <= params.near_capacity && n_near > read.near.len() {
            read.near = buffers.read(&self.gpu, BufferId::NearPairs, n_near)?;
        }
        read.near.truncate(n_near);
        Ok(())
    }

    /// The motions of a chunk in which anything may touch, if they are requested.
    fn possible(&self, chunk: &ChunkInput, is_requested: bool, pairs: &[TrianglePair], starts: &[bool]) -> Possible {
        let mut possible = Possible::new(is_requested, chunk.motions.len());
        if is_requested {
            let n_links = self.world.links.len() as u32;
            let of_pairs = pairs.iter().map(|pair| chunk.pieces[(pair.piece_link / n_links) as usize].motion as usize);
            let started = (0..starts.len()).filter(|&m| starts[m]);
            of_pairs.chain(started).for_each(|motion| possible.add(motion));
        }
        possible
    }

    /// Distributes the pairs of a device to their pieces, without those that begin after the motions' limits; the
    /// device counts triangles consecutively over all links.
    fn by_piece(&self, pairs: &[TrianglePair], chunk: &ChunkInput, limits: &Limits) -> Vec<Option<Vec<TrianglePair>>> {
        let first_triangles = first_link_triangles(&self.world.links);
        let n_links = self.world.links.len() as u32;
        let until: Vec<u32> = chunk.pieces.iter().map(|p| p.mask_until(limits[p.motion as usize])).collect();
        let is_left = |pair: &&TrianglePair| pair.mask() & until[(pair.piece_link / n_links) as usize] != 0;
        let mut counts = vec![0; chunk.pieces.len()];
        pairs.iter().filter(is_left).for_each(|pair| counts[(pair.piece_link / n_links) as usize] += 1);
        let mut by_piece: Vec<Vec<TrianglePair>> = counts.into_iter().map(Vec::with_capacity).collect();
        for pair in pairs.iter().filter(is_left) {
            let (piece, link) = (pair.piece_link / n_links, pair.piece_link % n_links);
            let link_triangle = pair.link_triangle - first_triangles[link as usize];
            by_piece[piece as usize].push(TrianglePair { link_triangle, ..*pair });
        }
        by_piece.into_iter().map(Some).collect()
    }

    /// The number of pairs that are read back with the counters of a chunk of `n_pieces`: as many as the last chunk
    /// had, because more pairs need a second copy, which waits for the next chunk as well. A power of two, so that the
    /// buffers can be used again.
    fn first_pairs(&self, n_pieces: usize) -> u64 {
        let expected = self.pairs_of_piece * n_pieces as f64;
        (expected as u64).clamp(MIN_FIRST_PAIRS, MAX_FIRST_PAIRS).next_power_of_two()
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

/// Merges the entries of each pair of a piece, sorts them, and removes the time after the motions' limits.
pub(super) fn clean(pairs: &mut Vec<TrianglePair>, pieces: &[Piece], limits: &Limits, n_links: usize) {
    s5_pairs::join(pairs, 0);
    s5_pairs::clip(pairs, pieces, limits, n_links);
}

/// The largest number of single precision that is at most the margin of all motions.
pub(super) fn margin_m(motions: &[RobotMotion]) -> f32 {
    let margins = motions.iter().flat_map(|motion| &motion.chains).map(|chain| chain.margin_m);
    round_down(margins.reduce(f64::min).unwrap_or(0.0)).max(0.0)
}

/// The items in some words, which may end with padding.
fn whole_items<T: bytemuck::Pod>(words: &[u32]) -> Vec<T> {
    let n_words = size_of::<T>() / size_of::<u32>();
    bytemuck::pod_collect_to_vec(&words[..words.len() - words.len() % n_words])
}
