//! One chunk: loaded, submitted, read back, and done again where a queue was too small.

use super::{CANDIDATES, COUNTERS, FIRST_PAIRS, GpuFlow, PAIR_BYTES, PAIRS, SWEEP_COUNTS};
use crate::engine::options::{Options, Stage};
use crate::engine::stats::Stats;
use crate::error::Result;
use crate::gpu::layout::{BOXES_MADE, Chunk, FLAG_ALLOWED, FLAG_LIMITS, FORM_INTERVAL, FORM_JET};
use crate::gpu::{Slot, Step, Submission, first_link_triangles};
use crate::model::world::World;
use crate::motion::ModelMotion;
use crate::numeric::pose_bound::BoundForm;
use crate::stage::s1_concat::{self, POSE_FLOATS};
use crate::stage::s2_bound::{self, BOX_FLOATS};
use crate::stage::s4_sweep::{Sweep, SweepCounts};
use crate::stage::s5_pairs::Limits;
use crate::stage::{Candidate, Piece, SUBS, TrianglePair, s3_cull, s5_pairs};

/// The pieces of some motions.
#[derive(Debug)]
pub struct ChunkInput<'m> {
    /// The pieces; their motions are indices in `motions`.
    pub pieces: Vec<Piece>,
    /// The motions.
    pub motions: &'m [ModelMotion],
}

/// What a chunk gave.
#[derive(Debug, Default)]
pub struct ChunkOutput {
    /// The pairs of each piece; nothing where they did not fit into memory.
    pub pairs: Vec<Option<Vec<TrianglePair>>>,
    /// The limit of each motion.
    pub limits: Limits,
}

/// A chunk on the device.
#[derive(Debug)]
pub struct Started {
    /// One for each page of the scene; the last one brings the pairs.
    pub(super) submissions: Vec<Submission>,
    pub(super) set: usize,
}

impl Started {
    /// The set of buffers that it is in.
    pub fn set(&self) -> usize {
        self.set
    }
}

impl GpuFlow {
    /// Uploads a chunk into a set and clears what its kernels count in.
    ///
    /// # Errors
    /// The device has no memory for the chunk.
    pub fn load(&mut self, world: &World, chunk: &ChunkInput, set: usize) -> Result<()> {
        self.fit(set, chunk.pieces.len())?;
        let (redo_at, limits_at, boxed_at) = self.control_layout(chunk);
        let (gpu, b) = (&self.gpu, &mut self.sets[set]);
        let n_pieces = chunk.pieces.len();
        b.turn_to(0);
        s1_concat::upload(gpu, b, world, &chunk.pieces, chunk.motions, self.form)?;
        let subs = (n_pieces * SUBS * size_of::<f32>()) as u64;
        b.reserve(gpu, Slot::Poses, subs * (world.robot.bodies.len() * POSE_FLOATS) as u64)?;
        b.reserve(gpu, Slot::Boxes, subs * (world.model.n_nodes() * BOX_FLOATS) as u64)?;
        let flags = if self.prune { FLAG_LIMITS } else { 0 } | if world.allowed.is_empty() { 0 } else { FLAG_ALLOWED };
        let uniform = Chunk {
            n_pieces: n_pieces as u32,
            n_bodies: world.robot.bodies.len() as u32,
            n_links: world.links.len() as u32,
            n_nodes: world.model.n_nodes() as u32,
            n_objects: world.scene.objects.len() as u32,
            // Balls of displacements are jets without derivatives.
            form: if self.form == BoundForm::Interval { FORM_INTERVAL } else { FORM_JET },
            flags,
            queue_capacity: self.room[set].queue,
            candidate_capacity: self.room[set].candidates,
            pair_capacity: self.room[set].pairs,
            redo_at: redo_at as u32,
            limits_at: limits_at as u32,
            tile_pixels: self.kernels.raster.as_ref().map_or(0, |r| r.tile_pixels),
            tile_capacity: self.kernels.raster.as_ref().map_or(0, |r| r.tile_capacity),
            first_triangle: 0,
            n_boxed: self.n_boxed,
            box_capacity: self.room[set].boxes,
            boxed_at: boxed_at as u32,
        };
        b.set_chunk(gpu, &uniform)?;
        self.uniforms[set] = uniform;
        self.clear(world, chunk, set)
    }

    /// Turns to another page of the scene, for what is submitted from now on: the queues begin anew, but for the pairs; marks, limits and
    /// the boxes of the links' trees stay, and what `s4_sweep` has counted.
    ///
    /// # Errors
    /// The device failed.
    pub fn turn_to(&mut self, world: &World, chunk: &ChunkInput, set: usize, page: usize) -> Result<()> {
        self.clear_lists(chunk, set)?;
        let (gpu, b, n_pieces) = (&self.gpu, &mut self.sets[set], chunk.pieces.len());
        b.turn_to(page);
        b.set_chunk(gpu, &Chunk { first_triangle: b.page().first_triangle, ..self.uniforms[set] })?;
        let mut counters = [0u32; COUNTERS];
        if self.cull {
            let roots = s3_cull::roots(world, n_pieces);
            counters[0] = roots.len() as u32;
            b.write(gpu, Slot::Items, 0, &roots[..roots.len().min(self.room[set].queue as usize)]);
        } else {
            let candidates = self.everything(world, chunk, set);
            counters[CANDIDATES as usize] = candidates.len() as u32;
            self.sets[set].write(gpu, Slot::Candidates, 0, &candidates);
        }
        for anew in [0..SWEEP_COUNTS, CANDIDATES..BOXES_MADE, PAIRS + 1..COUNTERS as u32] {
            let range = anew.start as usize..anew.end as usize;
            self.sets[set].write(gpu, Slot::Control, range.start, &counters[range]);
        }
        Ok(())
    }

    /// How many pages the scene has on the device.
    pub fn n_pages(&self) -> usize {
        self.sets[0].n_pages()
    }

    /// Sets the counters, marks and limits of a loaded chunk to where `s3_cull` starts.
    ///
    /// # Errors
    /// The device has no memory for them.
    pub fn clear(&mut self, world: &World, chunk: &ChunkInput, set: usize) -> Result<()> {
        self.clear_lists(chunk, set)?;
        let (redo_at, limits_at, words) = self.control_layout(chunk);
        let (gpu, b, n_pieces) = (&self.gpu, &mut self.sets[set], chunk.pieces.len());
        if !self.cull {
            return self.clear_with_everything(world, chunk, set);
        }
        let roots = s3_cull::roots(world, n_pieces);
        let stored = roots.len().min(self.room[set].queue as usize);
        b.write(gpu, Slot::Items, 0, &roots[..stored]);
        let mut control = vec![0u32; words];
        control[0] = roots.len() as u32;
        for piece in stored..roots.len() {
            control[redo_at + piece / 32] |= 1 << (piece % 32);
        }
        control[limits_at..].fill(u32::MAX);
        self.set_control(set, control, n_pieces)
    }

    /// Empties what the form of `s4_sweep` keeps from chunk to chunk: lists of candidates, or tiles. Where `s3_cull` is left
    /// out, too: a tile of the chunk before would be another link's.
    fn clear_lists(&mut self, chunk: &ChunkInput, set: usize) -> Result<()> {
        if let Some(raster) = &self.kernels.raster {
            raster.forget(&self.gpu, &mut self.sets[set], chunk.pieces.len())?;
        }
        if self.sweep != Sweep::Grid {
            return Ok(());
        }
        let pieces = chunk.pieces.len().max(self.capacities.pieces);
        let entries = pieces * self.n_links as usize + self.room[set].candidates as usize;
        let b = &mut self.sets[set];
        b.reserve(&self.gpu, Slot::Lists, (entries * size_of::<u32>()) as u64)?;
        b.write(&self.gpu, Slot::Lists, 0, &vec![u32::MAX; chunk.pieces.len() * self.n_links as usize]);
        Ok(())
    }

    /// The same where `s3_cull` is left out: every link is a candidate for every cluster.
    fn clear_with_everything(&mut self, world: &World, chunk: &ChunkInput, set: usize) -> Result<()> {
        let (redo_at, limits_at, words) = self.control_layout(chunk);
        let mut control = vec![0u32; words];
        control[limits_at..].fill(u32::MAX);
        let fit = self.fitting(world, chunk, set);
        for piece in fit..chunk.pieces.len() {
            control[redo_at + piece / 32] |= 1 << (piece % 32);
        }
        let candidates = self.everything(world, chunk, set);
        control[CANDIDATES as usize] = candidates.len() as u32;
        let (gpu, b) = (&self.gpu, &mut self.sets[set]);
        b.write(gpu, Slot::Candidates, 0, &candidates);
        self.set_control(set, control, chunk.pieces.len())
    }

    /// How many pieces have room for every link against every cluster, whatever the page.
    fn fitting(&self, world: &World, chunk: &ChunkInput, set: usize) -> usize {
        let each = world.links.len() * self.sets[0].most_clusters() as usize;
        (self.room[set].candidates as usize / each.max(1)).min(chunk.pieces.len())
    }

    fn everything(&self, world: &World, chunk: &ChunkInput, set: usize) -> Vec<Candidate> {
        s3_cull::everything(world, self.sets[set].page().n_clusters, self.fitting(world, chunk, set))
    }

    /// Loads a chunk and starts its work.
    ///
    /// # Errors
    /// The device failed, or has no memory for the chunk.
    pub fn start(&mut self, world: &World, chunk: &ChunkInput, set: usize) -> Result<Started> {
        self.load(world, chunk, set)?;
        let (before, of_page) = ([Stage::Concat, Stage::Bound], [Stage::Cull, Stage::Sweep, Stage::Pairs]);
        let mut submissions = Vec::with_capacity(self.n_pages());
        for page in 0..self.n_pages() {
            let mut stages = of_page.to_vec();
            if page == 0 {
                stages.splice(0..0, before);
            } else {
                self.turn_to(world, chunk, set, page)?;
            }
            submissions.push(self.submit(chunk, set, &stages, page + 1 == self.n_pages())?);
        }
        Ok(Started { submissions, set })
    }

    /// Submits stages; brings back what they counted, and all there is if `all` are done with.
    pub(super) fn submit(&self, chunk: &ChunkInput, set: usize, stages: &[Stage], all: bool) -> Result<Submission> {
        let steps: Vec<Step> = stages.iter().flat_map(|&s| self.steps(s, chunk.pieces.len())).collect();
        let (_, _, words) = self.control_layout(chunk);
        let pairs = FIRST_PAIRS.min(u64::from(self.room[set].pairs)) * PAIR_BYTES;
        let words = if all { words } else { COUNTERS };
        let reads = [(Slot::Control, 4 * words as u64), (Slot::Pairs, pairs)];
        self.gpu.submit(&self.sets[set], &self.kernels.size, &steps, &reads[..1 + usize::from(all)])
    }

    /// Waits for a chunk and does again what overflowed.
    ///
    /// # Errors
    /// The device failed.
    pub fn finish(
        &mut self,
        world: &World,
        options: &Options,
        chunk: &ChunkInput,
        started: Started,
        stats: &mut Stats,
    ) -> Result<ChunkOutput> {
        let set = started.set;
        let (redo_at, limits_at, words) = self.control_layout(chunk);
        let (mut control, mut pairs, mut candidates) = (vec![0u32; words], Vec::<TrianglePair>::new(), 0);
        for submission in started.submissions {
            let readback = submission.wait(&self.gpu)?;
            for (stage, seconds) in &readback.stage_seconds {
                stats.stages[*stage].seconds += seconds;
            }
            stats.stage(Stage::Pairs).bytes += readback.data.iter().map(|d| d.len() as u64).sum::<u64>();
            control = bytemuck::pod_collect_to_vec(&readback.data[0]);
            pairs = readback.data.get(1).map(|data| bytemuck::pod_collect_to_vec(data)).unwrap_or_default();
            candidates += u64::from(control[CANDIDATES as usize].min(self.room[set].candidates));
        }
        let count = |c: u32, capacity: u32| control[c as usize].min(capacity);
        let n_pairs = count(PAIRS, self.room[set].pairs) as usize;
        if n_pairs > pairs.len() {
            pairs = self.sets[set].read(&self.gpu, Slot::Pairs, n_pairs)?;
        }
        pairs.truncate(n_pairs);
        let mut output = ChunkOutput { pairs: Vec::new(), limits: control[limits_at..words].to_vec() };
        output.pairs.resize_with(chunk.pieces.len(), || Some(Vec::new()));
        let first_triangles = first_link_triangles(&world.links);
        let n_links = world.links.len() as u32;
        for mut pair in pairs {
            pair.link_triangle -= first_triangles[(pair.piece_link % n_links) as usize];
            if let Some(pairs) = &mut output.pairs[(pair.piece_link / n_links) as usize] {
                pairs.push(pair);
            }
        }
        let swept = if self.sweep == Sweep::Off {
            candidates
        } else {
            let counts = SweepCounts::from_words(candidates, &control[SWEEP_COUNTS as usize..]);
            stats.sweep.add(counts);
            counts.candidates_out
        };
        let counted = [
            (Stage::Concat, chunk.pieces.len() as u64, (chunk.pieces.len() * world.robot.bodies.len()) as u64),
            (
                Stage::Bound,
                (chunk.pieces.len() * world.robot.bodies.len()) as u64,
                (chunk.pieces.len() * world.model.n_nodes()) as u64,
            ),
            (Stage::Cull, (chunk.pieces.len() * world.model.n_nodes()) as u64, candidates),
            (Stage::Sweep, candidates, swept),
            (Stage::Pairs, swept, n_pairs as u64),
        ];
        for (stage, items_in, items_out) in counted {
            let stats = stats.stage(stage);
            stats.items_in += items_in;
            stats.items_out += items_out;
        }
        let redo: Vec<usize> =
            (0..chunk.pieces.len()).filter(|&i| control[redo_at + i / 32] >> (i % 32) & 1 != 0).collect();
        self.redo(world, options, chunk, set, &redo, &mut output, stats)?;
        for pairs in output.pairs.iter_mut().flatten() {
            s5_pairs::join(pairs, 0);
            s5_pairs::clip(pairs, &chunk.pieces, &output.limits, world.links.len());
        }
        Ok(output)
    }

    /// Does pieces again whose entries did not fit: a quarter at a time, one alone on the CPU. Pieces whose pairs do not fit into
    /// the memory stay without.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn redo(
        &mut self,
        world: &World,
        options: &Options,
        chunk: &ChunkInput,
        set: usize,
        redo: &[usize],
        output: &mut ChunkOutput,
        stats: &mut Stats,
    ) -> Result<()> {
        if redo.is_empty() {
            return Ok(());
        }
        stats.stage(Stage::Cull).retries += redo.len() as u64;
        redo.iter().for_each(|&i| output.pairs[i] = None);
        let mut room = options.item_cap().saturating_sub(output.pairs.iter().flatten().map(Vec::len).sum());
        for some in redo.chunks(chunk.pieces.len().div_ceil(4)) {
            let part = ChunkInput { pieces: some.iter().map(|&i| chunk.pieces[i]).collect(), motions: chunk.motions };
            let result = if chunk.pieces.len() == 1 {
                reference(world, options, &part, self.form, self.prune)
            } else {
                // The chunk's own set has been read; the other one may hold the next chunk.
                let started = self.start(world, &part, set)?;
                self.finish(world, options, &part, started, stats)?
            };
            for (limit, again) in output.limits.iter_mut().zip(result.limits) {
                *limit = again.min(*limit);
            }
            let n_links = world.links.len() as u32;
            for (&piece, pairs) in some.iter().zip(result.pairs) {
                // More than fit: the motions of these pieces are checked again, each alone.
                let fits = |pairs: &Vec<TrianglePair>| pairs.len() <= room;
                output.pairs[piece] = pairs.filter(fits).map(|mut pairs| {
                    room -= pairs.len();
                    pairs.iter_mut().for_each(|p| p.piece_link = piece as u32 * n_links + p.piece_link % n_links);
                    pairs
                });
            }
        }
        Ok(())
    }
}

/// A chunk on the CPU.
fn reference(world: &World, options: &Options, chunk: &ChunkInput, form: BoundForm, prune: bool) -> ChunkOutput {
    let mut limits = vec![u32::MAX; chunk.motions.len()];
    let cap = options.item_cap();
    let poses = s1_concat::reference(&chunk.pieces, chunk.motions, form);
    let boxes = s2_bound::reference(world, &chunk.pieces, &poses);
    let candidates = s3_cull::reference(world, chunk.pieces.len(), &boxes);
    let limited = prune.then_some(&mut limits);
    let pairs = (candidates.len() <= cap)
        .then(|| s5_pairs::reference(world, &chunk.pieces, &poses, &boxes, &candidates, limited, cap))
        .flatten();
    ChunkOutput { pairs: by_piece(pairs, chunk.pieces.len(), world.links.len()), limits }
}

/// Shares pairs out to their pieces; nothing for all pieces if there are none to share.
pub(super) fn by_piece(
    pairs: Option<Vec<TrianglePair>>,
    n_pieces: usize,
    n_links: usize,
) -> Vec<Option<Vec<TrianglePair>>> {
    let Some(pairs) = pairs else { return vec![None; n_pieces] };
    let mut out = vec![Some(Vec::new()); n_pieces];
    for pair in pairs {
        if let Some(of_piece) = &mut out[pair.piece_link as usize / n_links] {
            of_piece.push(pair);
        }
    }
    out
}
