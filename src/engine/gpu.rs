//! The flow on a graphics adapter: chunks of pieces go through the kernels in one submission each, and come back as pairs
//! of triangles for the exact stage.
//!
//! Queues may overflow: a full queue marks the pieces whose entries it could not take, and only these are done again,
//! in ever smaller chunks, at last one by one on the CPU.

use super::options::{Capacities, Options, Stage};
use super::stats::Stats;
use crate::error::{Error, ErrorKind, Result};
use crate::gpu::layout::{Chunk, FLAG_ALLOWED, FLAG_LIMITS, FORM_INTERVAL, FORM_JET, NodePair, Pass};
use crate::gpu::shader::Source;
use crate::gpu::{
    AdapterChoice, Buffers, DISPATCH, Gpu, Kernel, Pipeline, Size, Slot, Step, Submission, first_link_triangles,
};
use crate::model::world::World;
use crate::motion::ModelMotion;
use crate::numeric::pose_bound::BoundForm;
use crate::stage::s1_concat::{self, POSE_FLOATS, Poses};
use crate::stage::s2_bound::{self, BOX_FLOATS, Boxes};
use crate::stage::s5_pairs::Limits;
use crate::stage::s6_solve::Initial;
use crate::stage::{Candidate, Piece, SUBS, TrianglePair, s3_cull, s5_pairs};

/// Words of the control buffer that are counters; the redo bits follow.
const COUNTERS: usize = 256;
/// Levels that the traversals may have: their counters come first.
const CULL_LEVELS: usize = 128;
const LINK_LEVELS: usize = 64;
const CANDIDATES: u32 = 253;
const LEAF_ITEMS: u32 = 254;
const PAIRS: u32 = 255;
const PAIR_BYTES: u64 = size_of::<TrianglePair>() as u64;
/// Pairs that are read back at once with the counters; more cost a second copy.
const FIRST_PAIRS: u64 = 16_384;

/// Chunks that may be on the device at the same time.
pub const SETS: usize = 2;

/// The compiled kernels.
#[derive(Debug)]
struct Kernels {
    size: Pipeline,
    concat: Pipeline,
    bound: Pipeline,
    cull: Pipeline,
    triangles: Pipeline,
    links: Pipeline,
    pairs: Pipeline,
}

/// A graphics adapter with the world on it.
#[derive(Debug)]
pub struct GpuFlow {
    gpu: Gpu,
    kernels: Kernels,
    /// Two sets that share the world: one chunk is on the device while the next one is loaded.
    sets: [Buffers; SETS],
    capacities: Capacities,
    cull_levels: u32,
    link_levels: u32,
    form: BoundForm,
    prune: bool,
}

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

impl GpuFlow {
    /// Opens an adapter, compiles the kernels and uploads the world.
    ///
    /// # Errors
    /// No adapter, no memory, or a tree too deep for the counters.
    pub fn new(world: &World, options: &Options, hardware_only: bool) -> Result<Self> {
        Self::with_sources(world, options, hardware_only, &|kernel| Source::expand(kernel.stem, kernel.source))
    }

    /// The same with kernels compiled from the sources that `source` gives: tests take a safety term out to see that it
    /// is missed.
    ///
    /// # Errors
    /// As [`GpuFlow::new`]; a source is invalid.
    pub fn with_sources(
        world: &World,
        options: &Options,
        hardware_only: bool,
        source: &dyn Fn(&Kernel) -> Result<Source>,
    ) -> Result<Self> {
        let gpu = Gpu::open(&AdapterChoice { name: options.adapter.clone(), hardware_only })?;
        let compile = |kernel: &Kernel| gpu.compile_source(kernel, &source(kernel)?);
        let concat = if options.bound == BoundForm::Jet { s1_concat::JET } else { s1_concat::INTERVAL };
        let kernels = Kernels {
            size: compile(&DISPATCH)?,
            concat: compile(&concat)?,
            bound: compile(&s2_bound::KERNEL)?,
            cull: compile(&s3_cull::KERNEL)?,
            triangles: compile(&s5_pairs::TRIANGLES)?,
            links: compile(&s5_pairs::LINKS)?,
            pairs: compile(&s5_pairs::PAIRS)?,
        };
        let cull_levels = s3_cull::max_levels(world);
        let link_levels = world.links.iter().map(|l| l.tree.depth).max().unwrap_or(0);
        if cull_levels >= CULL_LEVELS || link_levels >= LINK_LEVELS {
            let message = format!("trees of {cull_levels} and {link_levels} levels are too deep for the kernels");
            return Err(Error::new(ErrorKind::Gpu, message).remedy("use --backend cpu"));
        }
        let capacities = options.capacities.unwrap_or_else(|| default_capacities(&gpu, world, options.memory_bytes));
        let mut shared = Buffers::new(&gpu)?;
        shared.upload_world(&gpu, world)?;
        let mut flow = Self {
            gpu,
            kernels,
            sets: std::array::from_fn(|_| shared.clone()),
            capacities,
            cull_levels: cull_levels as u32,
            link_levels: link_levels as u32,
            form: options.bound,
            // Pairs that touch at the start may be ignored later: their contacts must not limit the others'.
            prune: options.solve.initial == Initial::Report,
        };
        flow.reserve_queues()?;
        Ok(flow)
    }

    fn reserve_queues(&mut self) -> Result<()> {
        let (c, entry, passes) = (self.capacities, size_of::<NodePair>() as u64, self.passes());
        for set in &mut self.sets {
            set.reserve(&self.gpu, Slot::Items, 2 * u64::from(c.queue) * entry)?;
            set.reserve(&self.gpu, Slot::LeafItems, u64::from(c.queue) * entry)?;
            set.reserve(&self.gpu, Slot::Candidates, u64::from(c.candidates) * entry)?;
            set.reserve(&self.gpu, Slot::Pairs, u64::from(c.pairs) * entry)?;
            set.reserve(&self.gpu, Slot::Arguments, 16)?;
            set.set_passes(&self.gpu, &passes)?;
        }
        Ok(())
    }

    /// The adapter.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Pieces that a chunk may have.
    pub fn chunk_pieces(&self) -> usize {
        self.capacities.pieces.max(1)
    }

    /// The queues of each step, in the order of [`GpuFlow::steps`].
    fn passes(&self) -> Vec<Pass> {
        let queue = self.capacities.queue;
        let half = |level: u32| (level % 2) * queue;
        let level = |first: u32, leaf_output: u32, i: u32| Pass {
            input: first + i,
            output: first + i + 1,
            leaf_output,
            input_at: half(i),
            output_at: half(i + 1),
            capacity: queue,
            invocations: 8,
            padding: 0,
        };
        let first_link = CULL_LEVELS as u32;
        let mut passes: Vec<Pass> = (0..self.cull_levels).map(|i| level(0, CANDIDATES, i)).collect();
        passes.push(Pass {
            input: CANDIDATES,
            output: first_link,
            capacity: self.capacities.candidates,
            invocations: 32,
            ..Pass::default()
        });
        passes.extend((0..self.link_levels).map(|i| level(first_link, LEAF_ITEMS, i)));
        passes.push(Pass { input: LEAF_ITEMS, output: PAIRS, capacity: queue, invocations: 8, ..Pass::default() });
        passes
    }

    /// The steps of a stage for a chunk of `n_pieces`.
    fn steps(&self, stage: Stage, n_pieces: usize) -> Vec<Step<'_>> {
        let k = &self.kernels;
        let direct = |pipeline| {
            let size = Size::Invocations((n_pieces * SUBS) as u64);
            vec![Step { pipeline, pass: 0, size, stage: stage as usize }]
        };
        let queued = |pipeline, pass| Step { pipeline, pass, size: Size::Queue, stage: stage as usize };
        match stage {
            Stage::Concat => direct(&k.concat),
            Stage::Bound => direct(&k.bound),
            Stage::Cull => (0..self.cull_levels).map(|i| queued(&k.cull, i)).collect(),
            Stage::Pairs => {
                let first = self.cull_levels;
                let links = (0..self.link_levels).map(|i| queued(&k.links, first + 1 + i));
                let ends = (queued(&k.triangles, first), queued(&k.pairs, first + 1 + self.link_levels));
                std::iter::once(ends.0).chain(links).chain([ends.1]).collect()
            }
            Stage::Sweep | Stage::Solve => Vec::new(),
        }
    }

    /// Words of the control buffer before the redo bits, before the limits, and in all.
    fn control_layout(&self, chunk: &ChunkInput) -> (usize, usize, usize) {
        let limits_at = COUNTERS + chunk.pieces.len().div_ceil(32);
        (COUNTERS, limits_at, limits_at + chunk.motions.len())
    }

    /// Uploads a chunk into a set and clears what its kernels count in.
    ///
    /// # Errors
    /// The device has no memory for the chunk.
    pub fn load(&mut self, world: &World, chunk: &ChunkInput, set: usize) -> Result<()> {
        let (redo_at, limits_at, words) = self.control_layout(chunk);
        let (gpu, b) = (&self.gpu, &mut self.sets[set]);
        let n_pieces = chunk.pieces.len();
        s1_concat::upload(gpu, b, world, &chunk.pieces, chunk.motions, self.form)?;
        let subs = (n_pieces * SUBS * size_of::<f32>()) as u64;
        b.reserve(gpu, Slot::Poses, subs * (world.robot.bodies.len() * POSE_FLOATS) as u64)?;
        b.reserve(gpu, Slot::Boxes, subs * (world.model.n_nodes() * BOX_FLOATS) as u64)?;
        let roots = s3_cull::roots(world, n_pieces);
        let stored = roots.len().min(self.capacities.queue as usize);
        b.write(gpu, Slot::Items, 0, &roots[..stored]);
        let mut control = vec![0u32; words];
        control[0] = roots.len() as u32;
        for piece in stored..roots.len() {
            control[redo_at + piece / 32] |= 1 << (piece % 32);
        }
        control[limits_at..].fill(u32::MAX);
        b.fill(gpu, Slot::Control, &control)?;
        let flags = if self.prune { FLAG_LIMITS } else { 0 } | if world.allowed.is_empty() { 0 } else { FLAG_ALLOWED };
        let uniform = Chunk {
            n_pieces: n_pieces as u32,
            n_bodies: world.robot.bodies.len() as u32,
            n_links: world.links.len() as u32,
            n_nodes: world.model.n_nodes() as u32,
            n_objects: world.scene.objects.len() as u32,
            form: if self.form == BoundForm::Jet { FORM_JET } else { FORM_INTERVAL },
            flags,
            queue_capacity: self.capacities.queue,
            candidate_capacity: self.capacities.candidates,
            pair_capacity: self.capacities.pairs,
            redo_at: redo_at as u32,
            limits_at: limits_at as u32,
        };
        b.set_chunk(gpu, &uniform)
    }

    /// Loads a chunk and starts its work.
    ///
    /// # Errors
    /// The device failed, or has no memory for the chunk.
    pub fn start(&mut self, world: &World, chunk: &ChunkInput, set: usize) -> Result<Started> {
        self.load(world, chunk, set)?;
        let submission = self.submit(chunk, set, &[Stage::Concat, Stage::Bound, Stage::Cull, Stage::Pairs])?;
        Ok(Started { submission, set })
    }

    fn submit(&self, chunk: &ChunkInput, set: usize, stages: &[Stage]) -> Result<Submission> {
        let steps: Vec<Step> = stages.iter().flat_map(|&s| self.steps(s, chunk.pieces.len())).collect();
        let (_, _, words) = self.control_layout(chunk);
        let pairs = FIRST_PAIRS.min(u64::from(self.capacities.pairs)) * PAIR_BYTES;
        let reads = [(Slot::Control, 4 * words as u64), (Slot::Pairs, pairs)];
        self.gpu.submit(&self.sets[set], &self.kernels.size, &steps, &reads)
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
        let readback = started.submission.wait(&self.gpu)?;
        for (stage, seconds) in &readback.stage_seconds {
            stats.stages[*stage].seconds += seconds;
        }
        let (redo_at, limits_at, words) = self.control_layout(chunk);
        let control: Vec<u32> = bytemuck::pod_collect_to_vec(&readback.data[0]);
        let count = |c: u32, capacity: u32| control[c as usize].min(capacity);
        let n_pairs = count(PAIRS, self.capacities.pairs) as usize;
        let mut pairs: Vec<TrianglePair> = bytemuck::pod_collect_to_vec(&readback.data[1]);
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
        let candidates = u64::from(count(CANDIDATES, self.capacities.candidates));
        let counted = [
            (Stage::Concat, chunk.pieces.len() as u64, (chunk.pieces.len() * world.robot.bodies.len()) as u64),
            (
                Stage::Bound,
                (chunk.pieces.len() * world.robot.bodies.len()) as u64,
                (chunk.pieces.len() * world.model.n_nodes()) as u64,
            ),
            (Stage::Cull, (chunk.pieces.len() * world.model.n_nodes()) as u64, candidates),
            (Stage::Sweep, candidates, candidates),
            (Stage::Pairs, candidates, n_pairs as u64),
        ];
        for (stage, items_in, items_out) in counted {
            let stats = stats.stage(stage);
            stats.items_in += items_in;
            stats.items_out += items_out;
        }
        stats.stage(Stage::Pairs).bytes += readback.data.iter().map(|d| d.len() as u64).sum::<u64>();
        let redo: Vec<usize> =
            (0..chunk.pieces.len()).filter(|&i| control[redo_at + i / 32] >> (i % 32) & 1 != 0).collect();
        self.redo(world, options, chunk, set, &redo, &mut output, stats)?;
        for pairs in output.pairs.iter_mut().flatten() {
            s5_pairs::clip(pairs, &chunk.pieces, &output.limits, world.links.len());
        }
        Ok(output)
    }

    /// Runs a chunk with some stages as their references, one stage after the other with its data on the side where the
    /// next one needs it.
    ///
    /// # Errors
    /// The device failed.
    pub fn run_mixed(
        &mut self,
        world: &World,
        options: &Options,
        chunk: &ChunkInput,
        stats: &mut Stats,
    ) -> Result<ChunkOutput> {
        let set = 0;
        self.load(world, chunk, set)?;
        let on_cpu = |stage| options.reference.contains(&stage);
        let (n_pieces, n_nodes) = (chunk.pieces.len(), world.model.n_nodes());
        if on_cpu(Stage::Concat) {
            let poses = s1_concat::reference(&chunk.pieces, chunk.motions, self.form);
            self.sets[set].write(&self.gpu, Slot::Poses, 0, &poses.to_device());
        } else {
            self.run_stage(chunk, set, Stage::Concat)?;
        }
        if on_cpu(Stage::Bound) {
            let boxes = s2_bound::reference(world, &chunk.pieces, &self.poses(world, chunk, set)?);
            self.sets[set].write(&self.gpu, Slot::Boxes, 0, &boxes.to_device());
        } else {
            self.run_stage(chunk, set, Stage::Bound)?;
        }
        if on_cpu(Stage::Cull) {
            let mut candidates = s3_cull::reference(world, n_pieces, &self.boxes(chunk, set, n_nodes)?);
            let (redo_at, _, _) = self.control_layout(chunk);
            let mut control: Vec<u32> =
                self.sets[set].read(&self.gpu, Slot::Control, redo_at + n_pieces.div_ceil(32))?;
            control[CANDIDATES as usize] = candidates.len() as u32;
            for left_out in candidates.drain((self.capacities.candidates as usize).min(candidates.len())..) {
                control[redo_at + left_out.piece as usize / 32] |= 1 << (left_out.piece % 32);
            }
            self.sets[set].write(&self.gpu, Slot::Candidates, 0, &candidates);
            self.sets[set].write(&self.gpu, Slot::Control, 0, &control);
        } else {
            self.run_stage(chunk, set, Stage::Cull)?;
        }
        if !on_cpu(Stage::Pairs) {
            let submission = self.submit(chunk, set, &[Stage::Pairs])?;
            return self.finish(world, options, chunk, Started { submission, set }, stats);
        }
        let (redo_at, _, words) = self.control_layout(chunk);
        let control: Vec<u32> = self.sets[set].read(&self.gpu, Slot::Control, words)?;
        let (candidates, _) = self.candidates(set)?;
        let (poses, boxes) = (self.poses(world, chunk, set)?, self.boxes(chunk, set, n_nodes)?);
        let mut limits = vec![u32::MAX; chunk.motions.len()];
        let limited = self.prune.then_some(&mut limits);
        let pairs = s5_pairs::reference(world, &chunk.pieces, &poses, &boxes, &candidates, limited, options.item_cap());
        let mut output = ChunkOutput { pairs: by_piece(pairs, n_pieces, world.links.len()), limits };
        let redo: Vec<usize> = (0..n_pieces).filter(|&i| control[redo_at + i / 32] >> (i % 32) & 1 != 0).collect();
        self.redo(world, options, chunk, set, &redo, &mut output, stats)?;
        for pairs in output.pairs.iter_mut().flatten() {
            s5_pairs::clip(pairs, &chunk.pieces, &output.limits, world.links.len());
        }
        Ok(output)
    }

    /// Runs one stage alone on a chunk that has been through the stages before it.
    ///
    /// # Errors
    /// The device failed.
    pub fn run_stage(&self, chunk: &ChunkInput, set: usize, stage: Stage) -> Result<()> {
        self.submit(chunk, set, &[stage])?.wait(&self.gpu).map(|_| ())
    }

    /// The buffers of a set.
    pub fn buffers(&self, set: usize) -> &Buffers {
        &self.sets[set]
    }

    /// The poses that a set holds.
    ///
    /// # Errors
    /// The device failed.
    pub fn poses(&self, world: &World, chunk: &ChunkInput, set: usize) -> Result<Poses> {
        let n = chunk.pieces.len() * world.robot.bodies.len() * POSE_FLOATS * SUBS;
        let floats: Vec<f32> = self.sets[set].read(&self.gpu, Slot::Poses, n)?;
        Ok(Poses::from_device(&floats, &chunk.pieces, chunk.motions, self.form))
    }

    /// The boxes that a set holds.
    ///
    /// # Errors
    /// The device failed.
    pub fn boxes(&self, chunk: &ChunkInput, set: usize, n_nodes: usize) -> Result<Boxes> {
        let n = chunk.pieces.len() * n_nodes * BOX_FLOATS * SUBS;
        Ok(Boxes::from_device(&self.sets[set].read::<f32>(&self.gpu, Slot::Boxes, n)?, n_nodes))
    }

    /// How many entries the chunk that went through a set last needed: work items of a level, candidates, pairs.
    ///
    /// # Errors
    /// The device failed.
    pub fn demand(&self, set: usize) -> Result<[u32; 3]> {
        let control: Vec<u32> = self.sets[set].read(&self.gpu, Slot::Control, COUNTERS)?;
        let items = control[..CANDIDATES as usize].iter().chain([&control[LEAF_ITEMS as usize]]);
        Ok([items.copied().max().unwrap_or(0), control[CANDIDATES as usize], control[PAIRS as usize]])
    }

    /// The candidates that a set holds, in order, and how many there would be with enough room.
    ///
    /// # Errors
    /// The device failed.
    pub fn candidates(&self, set: usize) -> Result<(Vec<Candidate>, usize)> {
        let control: Vec<u32> = self.sets[set].read(&self.gpu, Slot::Control, COUNTERS)?;
        let wanted = control[CANDIDATES as usize];
        let n = wanted.min(self.capacities.candidates) as usize;
        let mut candidates: Vec<Candidate> = self.sets[set].read(&self.gpu, Slot::Candidates, n)?;
        candidates.sort_unstable();
        Ok((candidates, wanted as usize))
    }

    /// Does pieces again whose entries did not fit: a quarter at a time, one alone on the CPU.
    #[allow(clippy::too_many_arguments)]
    fn redo(
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
                output.pairs[piece] = pairs.map(|mut pairs| {
                    pairs.iter_mut().for_each(|p| p.piece_link = piece as u32 * n_links + p.piece_link % n_links);
                    pairs
                });
            }
        }
        Ok(())
    }
}

/// Sizes that fit the adapter and the memory: a chunk is as large as its poses may be.
fn default_capacities(gpu: &Gpu, world: &World, memory_bytes: u64) -> Capacities {
    let share = (memory_bytes / 4).min(gpu.max_binding());
    // Counters times 32 invocations must stay within 32 bits.
    let entries = (share / 2 / PAIR_BYTES).clamp(1 << 10, 1 << 24) as u32;
    let per_piece = (SUBS * 4 * (world.robot.bodies.len() * POSE_FLOATS + world.model.n_nodes() * BOX_FLOATS)) as u64;
    // A piece makes a few hundred items; more are done again.
    let pieces = (share / 4 / per_piece.max(1)).min(u64::from(entries) / 256).clamp(1, 4096) as usize;
    Capacities { pieces, queue: entries, candidates: entries, pairs: entries }
}

/// A chunk on the device.
#[derive(Debug)]
pub struct Started {
    submission: Submission,
    set: usize,
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
fn by_piece(pairs: Option<Vec<TrianglePair>>, n_pieces: usize, n_links: usize) -> Vec<Option<Vec<TrianglePair>>> {
    let Some(pairs) = pairs else { return vec![None; n_pieces] };
    let mut out = vec![Some(Vec::new()); n_pieces];
    for pair in pairs {
        if let Some(of_piece) = &mut out[pair.piece_link as usize / n_links] {
            of_piece.push(pair);
        }
    }
    out
}
