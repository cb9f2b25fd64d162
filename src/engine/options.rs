//! Options of an engine.

use crate::enclosure::pose_bound::PoseEnclosure;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::Faults;
use crate::io::load::system_memory_bytes;
use crate::stage::layout::MAX_PHASES;
use crate::stage::s4_sweep::Sweep;
use crate::stage::s4_sweep::raster::TILE_PIXELS;
use crate::stage::s6_solve::SolveOptions;

/// The processor on which the culling stages run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// A hardware graphics adapter if there is one, otherwise the CPU. Few motions are checked on the CPU in any case,
    /// see [`Options::min_device_motions`].
    #[default]
    Auto,
    /// Any graphics adapter, including software adapters.
    Gpu,
    /// The CPU alone, without a graphics adapter.
    Cpu,
}

/// The stages of a check; all but [`Solve`](Self::Solve) can run on a graphics adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// `s1_concat`
    Concat,
    /// `s2_bound`
    Bound,
    /// `s3_cull`
    Cull,
    /// `s4_sweep`
    Sweep,
    /// `s5_pairs`
    Pairs,
    /// `s6_solve`
    Solve,
}

impl Stage {
    /// All stages, in the order in which they run.
    pub const ALL: [Self; 6] = [Self::Concat, Self::Bound, Self::Cull, Self::Sweep, Self::Pairs, Self::Solve];

    /// The stem of the stage's file names.
    pub fn stem(self) -> &'static str {
        ["s1_concat", "s2_bound", "s3_cull", "s4_sweep", "s5_pairs", "s6_solve"][self as usize]
    }

    /// The stage with this stem.
    ///
    /// # Errors
    /// There is no such stage.
    pub fn from_stem(stem: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|s| s.stem() == stem).ok_or_else(|| {
            let stems = Self::ALL.map(Self::stem).join(", ");
            Error::usage(format!("no stage is called '{stem}'")).remedy(format!("stages are: {stems}"))
        })
    }
}

/// Methods of finding the links' triangles that may touch a cluster of the scene. All of them produce pairs for the
/// same last step, a separating-axis test of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairSearch {
    /// The links' trees; on the CPU, oriented boxes if neither `s3_cull` nor `s4_sweep` runs before.
    #[default]
    Auto,
    /// Clusters and their triangles against the link's tree.
    BoxTree,
    /// Trees of oriented boxes against each other, with refinement levels (Redon et al. 2004, sections 5.1 and 5.1.1).
    /// Runs on the CPU only.
    ObbTree {
        /// Links with fewer triangles use [`PairSearch::BoxTree`].
        min_triangles: usize,
    },
}

/// Treatment of motions that start with a link inside a closed object or link, or with an object inside a closed link,
/// without touching it. Objects and shapes of links are closed in the sense of
/// [`Scene::is_closed`](crate::Scene::is_closed); a point is inside if a ray from it crosses the surface an odd number
/// of times.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solids {
    /// Only surfaces matter: nothing is tested or counted.
    Off,
    /// [`Stats::inside`](crate::Stats::inside) counts these motions; verdicts are based on surfaces alone.
    #[default]
    Report,
    /// These motions are counted, and have a contact at time 0 ([`Contact::inside`](field@crate::Contact::inside)).
    /// With [`InitialContactPolicy::Ignore`](crate::InitialContactPolicy::Ignore) they are only counted.
    Contact,
}

/// Options of an engine.
///
/// Fields for measurements and for locating faults are not documented here, and may change without notice.
#[derive(Clone, Debug)]
pub struct Options {
    /// The backend of the culling stages.
    pub backend: Backend,
    /// The graphics adapters: parts of their names, or addresses such as `pci:0000:41:00.0`. Motions are divided among
    /// several adapters; `all` selects every hardware adapter, or every software adapter on a machine without hardware.
    /// If empty, the best adapter is used.
    pub adapters: Vec<String>,
    /// Minimum number of motions for which a check runs on the adapter; smaller checks run on the CPU, which is faster
    /// for few motions. If `None`, 4,096 if the automatic backend has chosen the adapter, otherwise 0. Trajectories are
    /// searched on the adapter, whatever their number.
    pub min_device_motions: Option<usize>,
    /// Stages that run as their CPU reference even if the backend is a graphics adapter, to locate a fault by
    /// bisection.
    #[doc(hidden)]
    pub reference: Vec<Stage>,
    /// Number of CPU threads; 0 for one per core.
    pub threads: usize,
    /// Memory for candidates and pairs, bytes. If it is too small, affected motions become undecided; no answer becomes
    /// wrong.
    pub memory_bytes: u64,
    /// The form of the motion bounds.
    #[doc(hidden)]
    pub bound: PoseEnclosure,
    /// Enables `s3_cull`, which tests the model's tree of boxes against the scene's tree. If false, the next stage
    /// tests every link against the whole scene; for measurements.
    #[doc(hidden)]
    pub cull: bool,
    /// Swept-volume culling.
    #[doc(hidden)]
    pub sweep: Sweep,
    /// Pixels along a side of the tiles of [`Sweep::Raster`]: 16, 32 or 64.
    #[doc(hidden)]
    pub tile_pixels: u32,
    /// The method of finding pairs of triangles.
    #[doc(hidden)]
    pub pairs: PairSearch,
    /// Options of the exact stage.
    pub solve: SolveOptions,
    /// Treatment of motions that start inside a solid.
    pub solids: Solids,
    /// Sizes of the queues on the device; chosen from the memory if absent.
    #[doc(hidden)]
    pub capacities: Option<Capacities>,
    /// Number of time slabs, from 1 to 16, into which the device divides its search for pairs, so that it can skip the
    /// time after a contact. It does not affect the answers. If `None`, it is chosen automatically.
    #[doc(hidden)]
    pub slabs: Option<u32>,
    /// Compiles slower kernels that count the work that they execute,
    /// [`KernelWork::executed`](super::KernelWork::executed).
    #[doc(hidden)]
    pub count_executed: bool,
    /// Measures the time of each kernel, [`KernelWork::seconds`](super::KernelWork::seconds), on adapters with a clock.
    /// Every dispatch is then a compute pass of its own, which takes longer. Chunks with more than 512 dispatches are
    /// not measured.
    #[doc(hidden)]
    pub time_kernels: bool,
    /// Simulated faults of the device, for tests.
    #[cfg(feature = "gpu")]
    #[doc(hidden)]
    pub faults: Faults,
}

/// Approximate memory of a pair of triangles while it is solved, bytes.
pub(super) const ITEM_BYTES: u64 = 256;

/// Smallest number of motions for which the automatic backend uses an adapter: somewhat more than a chunk. Chunks are
/// in flight together only if there are several of them. With a hundred motions a call, an NVIDIA H200 was three times
/// slower than 16 threads of the CPU, with single motions ten times.
const MIN_DEVICE_MOTIONS: usize = 1 << 12;

impl Options {
    /// Checks that the options are valid.
    ///
    /// # Errors
    /// An option is out of its range, or two of them exclude each other.
    pub fn check(&self) -> Result<()> {
        if !TILE_PIXELS.contains(&self.tile_pixels) {
            let message = format!("tiles of {} pixels are not supported", self.tile_pixels);
            return Err(Error::usage(message).remedy("use 16, 32 or 64"));
        }
        if let Some(slabs) = self.slabs.filter(|slabs| !(1..=MAX_PHASES as u32).contains(slabs)) {
            return Err(Error::usage(format!("the number of time slabs is {slabs}, not between 1 and {MAX_PHASES}")));
        }
        self.solve.check()
    }

    /// Sets backend and adapters from one word: `auto`, `cpu`, `gpu`, or an entry of [`adapters`](Self::adapters).
    pub fn set_device(&mut self, device: &str) {
        let (backend, adapter) = match device {
            "auto" => (Backend::Auto, None),
            "cpu" => (Backend::Cpu, None),
            "gpu" => (Backend::Gpu, None),
            adapter => (Backend::Gpu, Some(adapter.to_string())),
        };
        (self.backend, self.adapters) = (backend, adapter.into_iter().collect());
    }

    /// Minimum number of motions for which a check runs on an adapter, if the engine has one.
    pub fn min_device_motions(&self) -> usize {
        let is_automatic = self.backend == Backend::Auto && self.adapters.is_empty() && self.reference.is_empty();
        self.min_device_motions.unwrap_or(if is_automatic { MIN_DEVICE_MOTIONS } else { 0 })
    }

    /// Maximum number of candidates or pairs in one part of the work on the CPU.
    pub fn item_cap(&self) -> usize {
        (self.memory_bytes / ITEM_BYTES) as usize
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            backend: Backend::Auto,
            adapters: Vec::new(),
            min_device_motions: None,
            reference: Vec::new(),
            threads: 0,
            // At most a quarter of a small machine's memory.
            memory_bytes: system_memory_bytes().map_or(1 << 30, |all| (all / 4).min(1 << 30)),
            bound: PoseEnclosure::TaylorModel,
            cull: true,
            sweep: Sweep::Auto,
            tile_pixels: crate::stage::s4_sweep::raster::DEFAULT_TILE_PIXELS,
            pairs: PairSearch::default(),
            solve: SolveOptions::default(),
            solids: Solids::default(),
            capacities: None,
            slabs: None,
            count_executed: false,
            time_kernels: false,
            #[cfg(feature = "gpu")]
            faults: Faults::default(),
        }
    }
}

/// Capacities of the buffers on the device, in entries. If a capacity is too small, work is repeated; the answers do
/// not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Pieces of motions in a chunk, at least 1.
    pub pieces: usize,
    /// Number of nodes of link trees, over all pieces, for which the boxes of the children are stored; the boxes of
    /// other nodes are computed when they are tested.
    pub boxes: u32,
    /// Work items of a level.
    pub queue: u32,
    /// Candidates.
    pub candidates: u32,
    /// Pairs of triangles.
    pub pairs: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_motions_are_kept_from_the_device_by_the_automatic_backend_alone() {
        let of = |device: &str, asked: Option<usize>| {
            let mut options = Options { min_device_motions: asked, ..Options::default() };
            options.set_device(device);
            options.min_device_motions()
        };
        assert_eq!([of("auto", None), of("gpu", None), of("NVIDIA", None)], [MIN_DEVICE_MOTIONS, 0, 0]);
        assert_eq!([of("auto", Some(0)), of("gpu", Some(7))], [0, 7]);
        let named = Options { adapters: vec!["NVIDIA".into()], ..Options::default() };
        assert_eq!((named.backend, named.min_device_motions()), (Backend::Auto, 0));
    }
}
