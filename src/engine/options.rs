//! What a caller can choose.

use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::Faults;
use crate::load::system_memory_bytes;
use crate::numeric::pose_bound::BoundForm;
use crate::stage::s4_sweep::Sweep;
use crate::stage::s6_solve::SolveOptions;

/// Where the culling stages run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// On a hardware graphics adapter if there is one, else on the CPU.
    #[default]
    Auto,
    /// On any graphics adapter, a software one too.
    Gpu,
    /// On the CPU: the references of all stages.
    Cpu,
}

/// The stages that run on a graphics adapter.
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
    /// All stages in the order of the flow.
    pub const ALL: [Self; 6] = [Self::Concat, Self::Bound, Self::Cull, Self::Sweep, Self::Pairs, Self::Solve];

    /// The stem of its files.
    pub fn stem(self) -> &'static str {
        ["s1_concat", "s2_bound", "s3_cull", "s4_sweep", "s5_pairs", "s6_solve"][self as usize]
    }

    /// The stage with a stem.
    ///
    /// # Errors
    /// There is none.
    pub fn from_stem(stem: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|s| s.stem() == stem).ok_or_else(|| {
            let stems = Self::ALL.map(Self::stem).join(", ");
            Error::usage(format!("no stage is called '{stem}'")).remedy(format!("stages are: {stems}"))
        })
    }
}

/// How the links' triangles are found that may touch a cluster of the scene. Both give pairs for the same last step, by
/// separating axes of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairCulling {
    /// By the links' trees; by oriented boxes where neither `s3_cull` nor `s4_sweep` runs before, on the CPU.
    #[default]
    Auto,
    /// Clusters and their triangles against the link's tree.
    Sat,
    /// Trees of oriented boxes against each other, with refinement levels (Redon et al. 2004, sections 5.1 and 5.1.1). On
    /// the CPU only.
    Obb {
        /// Links of fewer triangles go the other way.
        min_triangles: usize,
    },
}

/// How an engine works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the culling stages run.
    pub backend: Backend,
    /// A part of the name of the graphics adapter.
    pub adapter: Option<String>,
    /// Stages that run as their CPU reference although the backend is a graphics adapter: to bisect a fault.
    pub reference: Vec<Stage>,
    /// Threads on the CPU; 0 for as many as there are cores.
    pub threads: usize,
    /// Memory for candidates and pairs, bytes. Where it is too small, motions end undecided, none ends otherwise.
    pub memory_bytes: u64,
    /// The form of the motion bounds.
    pub bound: BoundForm,
    /// Whether the model's tree of boxes meets the scene's tree (`s3_cull`). If not, every link meets the whole scene at the next
    /// stage: for measurements.
    pub cull: bool,
    /// Swept-volume culling.
    pub sweep: Sweep,
    /// Pixels along a side of the tiles of [`Sweep::Raster`]: 16, 32 or 64.
    pub tile_pixels: u32,
    /// How pairs of triangles are found.
    pub pairs: PairCulling,
    /// The exact stage.
    pub solve: SolveOptions,
    /// Sizes of the queues on the device; chosen from the memory if absent.
    pub capacities: Option<Capacities>,
    /// Slabs of time in which pairs are looked for on the device, so that what lies after a contact is not: 1 to 16. The answers are
    /// the same. Chosen if absent.
    pub slabs: Option<u32>,
    /// What goes wrong on the device, for tests.
    #[cfg(feature = "gpu")]
    #[doc(hidden)]
    pub faults: Faults,
}

/// What a pair of triangles takes while it is solved for, about.
pub(super) const ITEM_BYTES: u64 = 256;

impl Options {
    /// Candidates or pairs that one part of the work may have on the CPU.
    pub fn item_cap(&self) -> usize {
        (self.memory_bytes / ITEM_BYTES) as usize
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            backend: Backend::Auto,
            adapter: None,
            reference: Vec::new(),
            threads: 0,
            // A quarter of a small machine's.
            memory_bytes: system_memory_bytes().map_or(1 << 30, |all| (all / 4).min(1 << 30)),
            bound: BoundForm::Jet,
            cull: true,
            sweep: Sweep::Auto,
            tile_pixels: crate::stage::s4_sweep::raster::DEFAULT_TILE_PIXELS,
            pairs: PairCulling::default(),
            solve: SolveOptions::default(),
            capacities: None,
            slabs: None,
            #[cfg(feature = "gpu")]
            faults: Faults::default(),
        }
    }
}

/// Entries that the buffers on the device have room for. Too small ones cost repetitions, never an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Pieces of motions in a chunk, at least 1.
    pub pieces: usize,
    /// Nodes of links' trees, in all pieces, whose children have boxes; others are bounded where they are met.
    pub boxes: u32,
    /// Work items of a level.
    pub queue: u32,
    /// Candidates.
    pub candidates: u32,
    /// Pairs of triangles.
    pub pairs: u32,
}
