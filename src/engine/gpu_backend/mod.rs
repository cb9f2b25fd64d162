//! The stages on a graphics adapter: chunks of pieces pass through the kernels in one submission per page of the scene;
//! the resulting pairs of triangles are read back for the exact stage.
//!
//! Queues may overflow. The pieces whose entries do not fit into a queue are marked; only these are retried, in ever
//! smaller chunks and finally one by one on the CPU.

mod batches;
mod capacities;
mod chunk;
mod exact_stage;
mod hybrid;
mod kernel_work;
mod link_pass;
mod phases;
mod possible;
mod raster;
mod reach;
mod retry;
mod schedule;
mod sharing;
mod trajectories;
mod upload;

pub use chunk::{ChunkInput, ChunkOutput, PendingChunk};
pub use link_pass::LinkOutput;
pub use possible::Possible;
pub use reach::Reach;

use super::device_work::DeviceWork;
use super::options::{Capacities, Options, Stage};
use crate::bvh::obb_tree::ObbTrees;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::error::{Error, ErrorKind, Result};
use crate::gpu::shader::Source;
use crate::gpu::{
    AdapterChoice, BufferId, Buffers, Clear, CompiledKernel, CountedRegions, Gpu, INDIRECT_ARGS, MAX_REGION_WORDS,
};
use crate::scene::world::CollisionWorld;
use crate::stage::kernel::{Kernel, RasterKernel};
use crate::stage::layout::{ChunkParams, MAX_CULL_LEVELS, MAX_LINK_LEVELS};
use crate::stage::s4_sweep::{Sweep, compute};
use crate::stage::s6_solve::{InitialContactPolicy, SolveOptions};
use crate::stage::{margin_probe, s1_concat, s2_bound, s3_cull, s5_pairs};
use kernel_work::KernelWorks;
use link_pass::LinkPass;
use raster::RasterSweep;
use schedule::Schedule;
use std::cell::RefCell;
use std::sync::Arc;

/// Maximum number of chunks on the device at the same time.
pub const CHUNKS_IN_FLIGHT: usize = 2;

/// Index of a frame: the buffers of one chunk in flight.
pub type FrameIndex = usize;

/// The compiled kernels.
#[derive(Debug)]
struct Kernels {
    indirect_args: CompiledKernel,
    concat: CompiledKernel,
    bound: CompiledKernel,
    /// The two kernels of `margin_probe`, if there is a margin.
    probe: Option<[CompiledKernel; 2]>,
    roots: CompiledKernel,
    cull: CompiledKernel,
    sweep: Option<CompiledKernel>,
    seed: CompiledKernel,
    bound_nodes: CompiledKernel,
    descend_links: CompiledKernel,
    test_leaves: CompiledKernel,
    test_pairs: CompiledKernel,
    refine_pairs: CompiledKernel,
    raster: Option<RasterSweep>,
}

/// The buffers of one chunk in flight. Frames share the buffers of the world.
#[derive(Debug)]
struct Frame {
    buffers: Buffers,
    params: ChunkParams,
    /// Capacities that the buffers have been allocated for.
    allocated: Capacities,
}

/// The stages on a graphics adapter, for one world.
#[derive(Debug)]
pub struct GpuPipeline {
    gpu: Gpu,
    world: Arc<CollisionWorld>,
    /// Trees of oriented boxes, if `s5_pairs` runs on the CPU and uses them.
    obb_trees: Option<Arc<ObbTrees>>,
    kernels: Kernels,
    /// Links against links, if they are tested on the device.
    links: Option<LinkPass>,
    frames: [Frame; CHUNKS_IN_FLIGHT],
    /// Capacities of the largest chunk.
    capacities: Capacities,
    schedule: Schedule,
    /// The form of swept-volume culling in use.
    sweep: Sweep,
    /// Number of pairs for each piece of the last chunk.
    pairs_of_piece: f64,
    settings: Settings,
    /// Work so far, except for the counts that the device keeps itself.
    counts: DeviceWork,
    /// Work of the kernels since it was last taken.
    kernel_work: KernelWorks,
    /// Regions of the kernels, if these count what they execute.
    regions: CountedRegions,
}

/// Options that the pipeline needs for each chunk.
#[derive(Clone, Debug)]
struct Settings {
    pose_bound: PoseEnclosure,
    /// Enables `s3_cull`.
    cull: bool,
    /// Lets certain contacts lower the motions' cutoffs.
    use_cutoffs: bool,
    /// Lets a pair within the margin at the start decide a motion.
    find_starts: bool,
    cpu_stages: Vec<Stage>,
    /// Maximum number of candidates or pairs in one part of the work on the CPU.
    item_cap: usize,
    /// Allocates the capacities of the largest chunk for every chunk.
    fixed_capacities: bool,
}

/// Sources of kernels, which tests modify.
pub struct Sources<'a> {
    /// Source of a compute kernel.
    pub compute: &'a dyn Fn(&Kernel) -> Result<Source>,
    /// Source of a raster kernel.
    pub raster: &'a dyn Fn(&RasterKernel) -> Result<Source>,
}

impl Default for Sources<'_> {
    fn default() -> Self {
        Self {
            compute: &|kernel| Source::expand(kernel.stem, kernel.source),
            raster: &|kernel| Source::expand(kernel.stem, kernel.source),
        }
    }
}

impl GpuPipeline {
    /// Opens an adapter, compiles the kernels and uploads the world.
    ///
    /// # Errors
    /// There is no adapter, it does not have enough memory, or a tree is too deep for the counters.
    pub fn new(world: Arc<CollisionWorld>, options: &Options, hardware_only: bool) -> Result<Self> {
        Self::with_sources(world, options, hardware_only, &Sources::default())
    }

    /// [`GpuPipeline::new`] with kernels compiled from modified sources.
    ///
    /// # Errors
    /// See [`GpuPipeline::new`]; a source is invalid.
    pub fn with_sources(
        world: Arc<CollisionWorld>,
        options: &Options,
        hardware_only: bool,
        sources: &Sources,
    ) -> Result<Self> {
        let name = options.adapters.first().cloned();
        let choice = AdapterChoice { name, hardware_only, faults: options.faults };
        Self::on(Gpu::open(&choice)?, world, options, sources)
    }

    /// Opens the adapters that the options name, compiles the kernels and uploads the world to each of them.
    ///
    /// # Errors
    /// As [`GpuPipeline::new`].
    pub fn on_all(world: &Arc<CollisionWorld>, options: &Options) -> Result<Vec<Self>> {
        let adapters = Gpu::open_all(&options.adapters, options.faults)?;
        let on = |gpu| Self::on(gpu, Arc::clone(world), options, &Sources::default());
        adapters.into_iter().map(on).collect()
    }

    fn on(gpu: Gpu, world: Arc<CollisionWorld>, options: &Options, sources: &Sources) -> Result<Self> {
        let (cull_levels, link_levels) = depths(&world)?;
        let mut capacities =
            options.capacities.unwrap_or_else(|| capacities::of_largest_chunk(&gpu, &world, options.memory_bytes));
        if !options.cull {
            // Every link is a candidate for every leaf of the scene's tree.
            let per_piece = (world.links.len() * world.scene.tree.n_leaves()).max(1);
            capacities.pieces = capacities.pieces.min(capacities.candidates as usize / per_piece).max(1);
        }
        gpu.set_times_kernels(options.time_kernels);
        let regions = RefCell::new(CountedRegions::default());
        let counting =
            |kernel: &Kernel| regions.borrow_mut().count(&(sources.compute)(kernel)?, [kernel.stem, kernel.entry]);
        let compute = if options.count_executed { &counting } else { sources.compute };
        let sources = &Sources { compute, raster: sources.raster };
        let kernels = Kernels::compile(&gpu, &world, options, &capacities, sources)?;
        let mut shared = Buffers::new(&gpu)?;
        if options.count_executed {
            shared.reserve(&gpu, BufferId::RegionCounts, (size_of::<u32>() * MAX_REGION_WORDS) as u64)?;
        }
        shared.upload_world(&gpu, &world)?;
        // With `InitialContactPolicy::Ignore` a contact may be ignored later and must not limit the others.
        let use_cutoffs = options.solve.initial == InitialContactPolicy::Report;
        let n_phases = if use_cutoffs { options.slabs.unwrap_or(phases::DEFAULT_PHASES) } else { 1 };
        let schedule = Schedule {
            cull_levels,
            link_levels,
            n_phases: n_phases.clamp(1, phases::MAX_PHASES),
            fixed_phase_count: options.slabs.is_some(),
            n_boxed: capacities::n_boxed_nodes(&world) as u32,
        };
        let links = match options.bound {
            PoseEnclosure::TaylorModel => LinkPass::new(&gpu, &world, &mut shared, (&schedule, &capacities), sources)?,
            PoseEnclosure::IntervalMatrix | PoseEnclosure::DisplacementBall => None,
        };
        Ok(Self {
            frames: std::array::from_fn(|_| Frame::new(shared.clone())),
            schedule,
            links,
            sweep: options.sweep.choices()[0],
            pairs_of_piece: 0.0,
            settings: Settings {
                pose_bound: options.bound,
                cull: options.cull,
                use_cutoffs,
                find_starts: use_cutoffs && options.solve.one_pair_decides_the_start() && world.frames.is_empty(),
                cpu_stages: options.reference.clone(),
                item_cap: options.item_cap(),
                fixed_capacities: options.capacities.is_some(),
            },
            obb_trees: None,
            counts: DeviceWork::default(),
            kernel_work: KernelWorks::default(),
            regions: regions.into_inner(),
            gpu,
            world,
            kernels,
            capacities,
        })
    }

    /// Sets the stages that run on the CPU, and the trees of oriented boxes that `s5_pairs` uses there.
    pub fn set_cpu_stages(&mut self, stages: Vec<Stage>, obb_trees: Option<Arc<ObbTrees>>) {
        self.settings.cpu_stages = stages;
        self.obb_trees = obb_trees;
    }

    /// The adapter.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The form of swept-volume culling in use.
    pub fn sweep(&self) -> Sweep {
        self.sweep
    }

    /// Sets the form of swept-volume culling to one that the options allow.
    pub fn set_sweep(&mut self, form: Sweep) {
        self.sweep = form;
    }

    /// Largest number of pieces in a chunk.
    pub fn chunk_pieces(&self) -> usize {
        self.capacities.pieces.max(1)
    }

    /// Number of pages of the scene on the device.
    pub fn n_pages(&self) -> usize {
        self.frames[0].buffers.n_pages()
    }

    /// Work since the device was opened.
    pub fn work(&self) -> DeviceWork {
        let traffic = self.gpu.traffic();
        DeviceWork {
            submissions: traffic.submissions,
            dispatches: traffic.dispatches,
            draws: traffic.draws,
            barriers: traffic.barriers,
            uploaded_bytes: traffic.uploaded_bytes,
            cleared_bytes: traffic.cleared_bytes,
            read_bytes: traffic.read_bytes,
            ..self.counts
        }
    }

    /// Work of the kernels since the last call.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn take_kernel_work(&mut self) -> Result<KernelWorks> {
        let mut works = std::mem::take(&mut self.kernel_work);
        let n_words = self.regions.n_words();
        if n_words > 0 {
            let buffers = &self.frames[0].buffers;
            let words: Vec<u32> = buffers.read(&self.gpu, BufferId::RegionCounts, n_words)?;
            self.gpu.clear(buffers, &[Clear { buffer: BufferId::RegionCounts, words: 0..n_words as u64 }])?;
            for (kernel, executed) in self.regions.executed(&words).filter(|(_, executed)| !executed.is_zero()) {
                works.entry(kernel).or_default().executed += executed;
            }
        }
        Ok(works)
    }

    /// The buffers of a frame.
    pub fn buffers(&self, frame: FrameIndex) -> &Buffers {
        &self.frames[frame].buffers
    }
}

impl Kernels {
    fn compile(
        gpu: &Gpu,
        world: &CollisionWorld,
        options: &Options,
        capacities: &Capacities,
        sources: &Sources,
    ) -> Result<Self> {
        let compile = |kernel: &Kernel| gpu.compile_source(kernel, &(sources.compute)(kernel)?);
        let choices = options.sweep.choices();
        let SolveOptions { margin_m, initial, .. } = options.solve;
        let has_margin = margin_m > 0.0;
        let has_probe = has_margin && initial == InitialContactPolicy::Report;
        let of_pairs = |kernel: &Kernel| {
            let constants = [("HAS_MARGIN", f64::from(u8::from(has_margin)))];
            gpu.compile_with(kernel, &(sources.compute)(kernel)?, &constants)
        };
        let concat = if options.bound == PoseEnclosure::IntervalMatrix { s1_concat::INTERVAL } else { s1_concat::JET };
        let raster = choices.contains(&Sweep::Raster).then(|| {
            let share_bytes = options.memory_bytes / 4;
            RasterSweep::new(gpu, world, capacities, options.tile_pixels, share_bytes, sources)
        });
        Ok(Self {
            indirect_args: compile(&INDIRECT_ARGS)?,
            concat: compile(&concat)?,
            bound: compile(&s2_bound::KERNEL)?,
            // Without cutoffs no pair limits the others.
            probe: match has_probe {
                true => Some([compile(&margin_probe::SEEK)?, compile(&margin_probe::COMPARE)?]),
                false => None,
            },
            roots: compile(&s3_cull::ROOTS)?,
            cull: compile(&s3_cull::KERNEL)?,
            sweep: choices.contains(&Sweep::Compute).then(|| compile(&compute::KERNEL)).transpose()?,
            seed: of_pairs(&s5_pairs::SEED)?,
            bound_nodes: of_pairs(&s5_pairs::BOUND_NODES)?,
            descend_links: of_pairs(&s5_pairs::DESCEND_LINKS)?,
            test_leaves: of_pairs(&s5_pairs::TEST_LEAVES)?,
            test_pairs: of_pairs(&s5_pairs::TEST_PAIRS)?,
            refine_pairs: of_pairs(&s5_pairs::REFINE_PAIRS)?,
            raster: raster.transpose()?,
        })
    }
}

/// Levels of the traversal of the scene's tree, and of the deepest link tree.
fn depths(world: &CollisionWorld) -> Result<(u32, u32)> {
    let cull_levels = s3_cull::max_levels(world);
    let link_levels = world.links.iter().map(|l| l.tree.depth).max().unwrap_or(0);
    // The last level writes to the counter after it.
    if cull_levels >= MAX_CULL_LEVELS || link_levels >= MAX_LINK_LEVELS {
        let message = format!("trees of {cull_levels} and {link_levels} levels are too deep for the kernels");
        return Err(Error::new(ErrorKind::Gpu, message).remedy("use --backend cpu"));
    }
    Ok((cull_levels as u32, link_levels as u32))
}
