//! The flow on a graphics adapter: chunks of pieces go through the kernels in one submission each, and come back as pairs
//! of triangles for the exact stage.
//!
//! Queues may overflow: a full queue marks the pieces whose entries it could not take, and only these are done again,
//! in ever smaller chunks, at last one by one on the CPU.

mod chunk;
mod mixed;
mod raster;
mod slabs;

pub use chunk::{ChunkInput, ChunkOutput, Started};

use super::options::{Capacities, ITEM_BYTES, Options, Stage};
use crate::error::{Error, ErrorKind, Result};
use crate::gpu::layout::{Chunk, LinkItem, Pass};
use crate::gpu::shader::Source;
use crate::gpu::{AdapterChoice, Buffers, DISPATCH, Gpu, Kernel, Pipeline, Size, Slot, Step};
use crate::model::tree::WIDTH;
use crate::model::world::{SCENE_LEAF, World};
use crate::numeric::pose_bound::BoundForm;
use crate::stage::s1_concat::{self, POSE_FLOATS};
use crate::stage::s2_bound::{self, BOX_FLOATS};
use crate::stage::s4_sweep::{Sweep, Work};
use crate::stage::s6_solve::Initial;
use crate::stage::{Candidate, SUBS, TrianglePair, s3_cull, s5_pairs};

/// Words of the control buffer that are counters, those of the slabs of `s5_pairs` at last; the redo bits follow.
const COUNTERS: usize = (slabs::FIRST + slabs::MOST_SLABS * slabs::COUNTERS_PER_SLAB) as usize;
/// Levels that the traversal of the scene's tree may have: their counters come first.
const CULL_LEVELS: usize = 128;
/// What `s4_sweep` counts: three words from here.
const SWEEP_COUNTS: u32 = 250;
const CANDIDATES: u32 = 253;
const PAIRS: u32 = 255;
const PAIR_BYTES: u64 = size_of::<TrianglePair>() as u64;
/// Entries that a queue has at the least, however short a chunk is: one piece may make many.
const LEAST_ENTRIES: u64 = 1 << 19;
const LEAST_BOXES: u64 = 1 << 10;
/// Nodes whose boxes there is room for, for each piece; a motion meets a dozen, and not all pieces meet the most.
const BOXES_PER_PIECE: usize = 24;
/// The boxes of the children of a node of a link's tree.
const NODE_BYTES: usize = WIDTH * BOX_FLOATS * SUBS * size_of::<f32>();
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
    /// Those of each form that may be chosen, in the order in which they run.
    sweep: Vec<(Sweep, Vec<(Pipeline, Work)>)>,
    nodes: Pipeline,
    roots: Pipeline,
    links: Pipeline,
    leaves: Pipeline,
    pairs: Pipeline,
    parts: Pipeline,
    raster: Option<raster::RasterFlow>,
}

/// A graphics adapter with the world on it.
#[derive(Debug)]
pub struct GpuFlow {
    gpu: Gpu,
    kernels: Kernels,
    /// Two sets that share the world: one chunk is on the device while the next one is loaded.
    sets: [Buffers; SETS],
    /// The uniform of the chunk in each set.
    uniforms: [Chunk; SETS],
    /// What the largest chunk gets, and what each set has room for by now.
    capacities: Capacities,
    room: [Capacities; SETS],
    /// Whether every chunk gets all of it.
    always_all: bool,
    cull_levels: u32,
    link_levels: u32,
    /// Nodes of the links' trees that may have boxes.
    n_boxed: u32,
    /// Slabs of time that `s5_pairs` goes through, and whether it does so for few pieces, too.
    n_slabs: u32,
    always_slabs: bool,
    form: BoundForm,
    /// Whether `s3_cull` runs.
    cull: bool,
    /// The form of `s4_sweep` that runs.
    sweep: Sweep,
    n_links: u32,
    prune: bool,
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
        let choice = AdapterChoice { name: options.adapter.clone(), hardware_only, faults: options.faults };
        let gpu = Gpu::open(&choice)?;
        let compile = |kernel: &Kernel| gpu.compile_source(kernel, &source(kernel)?);
        let sweep = |form: Sweep| {
            let kernels = form.kernels().iter().map(|(kernel, work)| Ok((compile(kernel)?, *work)));
            Ok((form, kernels.collect::<Result<_>>()?))
        };
        let concat = if options.bound == BoundForm::Interval { s1_concat::INTERVAL } else { s1_concat::JET };
        let mut capacities =
            options.capacities.unwrap_or_else(|| default_capacities(&gpu, world, options.memory_bytes));
        if !options.cull {
            // Every link is a candidate for every cluster.
            let each = (world.links.len() * world.scene.tree.n_leaves()).max(1);
            capacities.pieces = capacities.pieces.min(capacities.candidates as usize / each).max(1);
        }
        let share = options.memory_bytes / 4;
        let raster = (options.sweep.choices().contains(&Sweep::Raster))
            .then(|| raster::RasterFlow::new(&gpu, world, &capacities, options.tile_pixels, share, source))
            .transpose()?;
        let kernels = Kernels {
            size: compile(&DISPATCH)?,
            concat: compile(&concat)?,
            bound: compile(&s2_bound::KERNEL)?,
            cull: compile(&s3_cull::KERNEL)?,
            sweep: options.sweep.choices().iter().map(|form| sweep(*form)).collect::<Result<_>>()?,
            nodes: compile(&s5_pairs::NODES)?,
            roots: compile(&s5_pairs::ROOTS)?,
            links: compile(&s5_pairs::LINKS)?,
            leaves: compile(&s5_pairs::LEAVES)?,
            pairs: compile(&s5_pairs::PAIRS)?,
            parts: compile(&s5_pairs::PARTS)?,
            raster,
        };
        let cull_levels = s3_cull::max_levels(world);
        let link_levels = world.links.iter().map(|l| l.tree.depth).max().unwrap_or(0);
        if cull_levels >= CULL_LEVELS || link_levels > slabs::LINK_LEVELS {
            let message = format!("trees of {cull_levels} and {link_levels} levels are too deep for the kernels");
            return Err(Error::new(ErrorKind::Gpu, message).remedy("use --backend cpu"));
        }
        let mut shared = Buffers::new(&gpu)?;
        shared.upload_world(&gpu, world)?;
        // Pairs that touch at the start may be ignored later: their contacts must not limit the others'.
        let prune = options.solve.initial == Initial::Report;
        let n_slabs = if prune { options.slabs.unwrap_or(slabs::USUAL) } else { 1 };
        Ok(Self {
            gpu,
            kernels,
            sets: std::array::from_fn(|_| shared.clone()),
            uniforms: [Chunk::default(); SETS],
            capacities,
            room: [Capacities { pieces: 0, boxes: 0, queue: 0, candidates: 0, pairs: 0 }; SETS],
            always_all: options.capacities.is_some(),
            cull_levels: cull_levels as u32,
            link_levels: link_levels as u32,
            n_boxed: n_boxed(world) as u32,
            n_slabs: n_slabs.clamp(1, slabs::MOST_SLABS),
            always_slabs: options.slabs.is_some(),
            form: options.bound,
            cull: options.cull,
            sweep: options.sweep.choices()[0],
            n_links: world.links.len() as u32,
            prune,
        })
    }

    /// Makes room in a set for a chunk: for a share of what the largest one gets. Memory that nothing is put into costs time, too, since it
    /// is cleared.
    fn fit(&mut self, set: usize, n_pieces: usize) -> Result<()> {
        if n_pieces <= self.room[set].pieces {
            return Ok(());
        }
        let (all, pieces) = (self.capacities, n_pieces.next_power_of_two());
        let room = if self.always_all || pieces >= all.pieces {
            // Of larger chunks some pieces are done again.
            Capacities { pieces: usize::MAX, ..all }
        } else {
            let share = |n: u32, least: u64| {
                (u64::from(n) * pieces as u64 / all.pieces as u64).max(least).min(u64::from(n)) as u32
            };
            let [queue, candidates, pairs] = [all.queue, all.candidates, all.pairs].map(|n| share(n, LEAST_ENTRIES));
            Capacities { pieces, boxes: share(all.boxes, LEAST_BOXES), queue, candidates, pairs }
        };
        let (entry, passes) = (size_of::<LinkItem>() as u64, self.passes(&room));
        let buffers = &mut self.sets[set];
        buffers.reserve(&self.gpu, Slot::Items, 2 * u64::from(room.queue) * entry)?;
        buffers.reserve(&self.gpu, Slot::LeafItems, u64::from(room.queue) * entry)?;
        buffers.reserve(&self.gpu, Slot::Candidates, u64::from(room.candidates) * size_of::<Candidate>() as u64)?;
        buffers.reserve(&self.gpu, Slot::Pairs, u64::from(room.pairs) * PAIR_BYTES)?;
        buffers.reserve(&self.gpu, Slot::NodeBoxes, u64::from(room.boxes) * NODE_BYTES as u64)?;
        buffers.reserve(&self.gpu, Slot::Arguments, 16)?;
        if let Some(raster) = &self.kernels.raster {
            raster.reserve(&self.gpu, buffers, room.candidates)?;
        }
        buffers.set_passes(&self.gpu, &passes)?;
        self.room[set] = room;
        Ok(())
    }

    /// The adapter.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The form of `s4_sweep` that runs.
    pub fn sweep(&self) -> Sweep {
        self.sweep
    }

    /// Sets the form of `s4_sweep`, one of those that the options let choose from.
    pub fn set_sweep(&mut self, form: Sweep) {
        self.sweep = form;
    }

    /// Pieces that a chunk may have.
    pub fn chunk_pieces(&self) -> usize {
        self.capacities.pieces.max(1)
    }

    /// The queues of each step, in the order of [`GpuFlow::steps`].
    fn passes(&self, room: &Capacities) -> Vec<Pass> {
        let queue = room.queue;
        let half = |level: u32| (level % 2) * queue;
        let level = |first: u32, leaf_output: u32, i: u32| Pass {
            input: first + i,
            output: first + i + 1,
            leaf_output,
            input_at: half(i),
            output_at: half(i + 1),
            capacity: queue,
            invocations: 8,
            ..Pass::default()
        };
        let mut passes: Vec<Pass> = (0..self.cull_levels).map(|i| level(0, CANDIDATES, i)).collect();
        for n_slabs in [self.n_slabs, 1] {
            passes.extend(slabs::passes(room, self.link_levels, n_slabs));
        }
        // Two for `s4_sweep`, by what it has invocations for.
        passes.extend([SCENE_LEAF, 1].map(|invocations| Pass {
            input: CANDIDATES,
            output: SWEEP_COUNTS,
            capacity: room.candidates,
            invocations,
            ..Pass::default()
        }));
        if let Some(raster) = &self.kernels.raster {
            passes.extend(raster.passes(room.candidates));
        }
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
            Stage::Cull if !self.cull => Vec::new(),
            Stage::Cull => (0..self.cull_levels).map(|i| queued(&k.cull, i)).collect(),
            Stage::Pairs => self.pair_steps(self.cull_levels, n_pieces),
            Stage::Sweep => {
                let pass = self.cull_levels + (self.n_slabs + 1) * slabs::steps(self.link_levels);
                let links = Size::Invocations(n_pieces as u64 * u64::from(self.n_links) * 64);
                let kernels =
                    k.sweep.iter().find(|(form, _)| *form == self.sweep).map_or(&[][..], |(_, kernels)| kernels);
                let step = |(pipeline, work)| match work {
                    Work::Triangles => queued(pipeline, pass),
                    Work::Candidates => queued(pipeline, pass + 1),
                    Work::Links => Step { pipeline, pass, size: links, stage: stage as usize },
                };
                let computed = kernels.iter().map(|(pipeline, work)| step((pipeline, *work)));
                let raster = k.raster.iter().filter(|_| self.sweep == Sweep::Raster);
                let drawn = raster.flat_map(|r| r.steps(pass + 2, n_pieces));
                computed.chain(drawn).collect()
            }
            Stage::Solve => Vec::new(),
        }
    }

    /// Words of the control buffer before the redo bits, before the limits, and before what is never read back: which boxes nodes have.
    fn control_layout(&self, chunk: &ChunkInput) -> (usize, usize, usize) {
        let limits_at = COUNTERS + chunk.pieces.len().div_ceil(32);
        (COUNTERS, limits_at, limits_at + chunk.motions.len())
    }

    /// Puts what a chunk starts with into the control buffer: no node has boxes, and there is room for two lists of nodes.
    fn set_control(&mut self, set: usize, mut control: Vec<u32>, n_pieces: usize) -> Result<()> {
        control.resize(control.len() + n_pieces * self.n_boxed as usize, 0);
        let words = control.len() as u64 + 2 * u64::from(self.room[set].boxes);
        let b = &mut self.sets[set];
        b.reserve(&self.gpu, Slot::Control, words * size_of::<u32>() as u64)?;
        b.write(&self.gpu, Slot::Control, 0, &control);
        Ok(())
    }
}

/// Nodes of the links' trees that may have boxes.
fn n_boxed(world: &World) -> usize {
    slabs::boxed_nodes(world.links.iter().map(|link| link.tree.nodes.len()).sum())
}

/// Sizes that fit the adapter and the memory: a chunk is as large as its poses may be.
fn default_capacities(gpu: &Gpu, world: &World, memory_bytes: u64) -> Capacities {
    let share = (memory_bytes / 4).min(gpu.max_binding());
    // Counters times 32 invocations must stay within 32 bits.
    let entries = (share / 2 / size_of::<LinkItem>() as u64).clamp(1 << 10, 1 << 24) as u32;
    let per_piece = (SUBS * 4 * (world.robot.bodies.len() * POSE_FLOATS + world.model.n_nodes() * BOX_FLOATS)) as u64;
    // A piece makes a few hundred items, a fast one a thousand; more are done again.
    let pieces = (share / 4 / per_piece.max(1)).min(u64::from(entries) / 1024).clamp(1, 4096) as usize;
    let boxes = (share / NODE_BYTES as u64).min((pieces * n_boxed(world).min(BOXES_PER_PIECE)) as u64) as u32;
    // Pairs take more memory once they are back.
    let pairs = u64::from(entries).min(memory_bytes / ITEM_BYTES).max(1 << 10) as u32;
    Capacities { pieces, boxes, queue: entries, candidates: entries, pairs }
}
