//! `s4_sweep`: swept-volume culling (Redon et al. 2004, section 4.2), link by link against the triangles that `s3_cull`
//! left.
//!
//! Bits are cleared where they stand: of a candidate's time mask, and of the triangles of its cluster. There is no queue,
//! so nothing can overflow; a candidate that a form has no room for stays as it is, and one without bits stays in the
//! queue, where the next stage passes it over.
//!
//! Every form has the same in- and output, so that they can take each other's place:
//!
//! | form | what the volume is |
//! |---|---|
//! | [`Raster`](Sweep::Raster) | three orthographic maps of depth intervals, drawn |
//! | [`Compute`](Sweep::Compute) | a rounded tetrahedron for each sub-interval, against each triangle |
//! | [`Grid`](Sweep::Grid) | voxels with the sub-intervals in which they may be touched |
//! | [`Paper`](Sweep::Paper) | the paper's tessellation, drawn |

pub mod compute;
pub mod paper;

use super::s1_concat::Poses;
use super::s2_bound::Boxes;
use super::{Candidate, Piece};
use crate::error::{Error, Result};
use crate::gpu::Kernel;
use crate::model::world::World;
use serde::Serialize;

/// How the swept volumes are tested. The answers are the same for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sweep {
    /// By the form that measures best, or not at all.
    Auto,
    /// Not at all.
    #[default]
    Off,
    /// Drawn into three views of each link's way, as depth intervals.
    Raster,
    /// Each triangle against the rounded tetrahedron of each sub-interval.
    Compute,
    /// Each triangle against a grid of voxels with time masks.
    Grid,
    /// Drawn as the paper does: tessellated within a tolerance.
    Paper,
}

impl Sweep {
    /// All forms.
    pub const ALL: [Self; 6] = [Self::Auto, Self::Off, Self::Raster, Self::Compute, Self::Grid, Self::Paper];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        ["auto", "off", "raster", "compute", "grid", "paper"][self as usize]
    }

    /// Whether the form is there.
    ///
    /// # Errors
    /// It is not built yet.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Off | Self::Compute => Ok(()),
            form => Err(Error::usage(format!("--sweep {} is not built yet", form.name())).remedy("take --sweep off")),
        }
    }

    /// The kernels of a form, in the order in which they run, each once for all candidates of a chunk.
    pub fn kernels(self) -> &'static [Kernel] {
        match self {
            Self::Compute => &[compute::KERNEL],
            _ => &[],
        }
    }
}

/// What the stage takes in, besides the candidates. Those of a piece and link follow one another, or it is slow.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Robot and scene.
    pub world: &'a World,
    /// The pieces.
    pub pieces: &'a [Piece],
    /// Their pose bounds.
    pub poses: &'a Poses,
    /// Their boxes.
    pub boxes: &'a Boxes,
}

/// The stage in f64. Of a form that draws, the reference is its computed twin.
pub fn reference(form: Sweep, input: &Input, candidates: &mut [Candidate]) {
    match form {
        Sweep::Auto | Sweep::Off => {}
        Sweep::Compute | Sweep::Raster | Sweep::Grid | Sweep::Paper => compute::reference(input, candidates),
    }
}

/// What the stage took in and what it left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SweepCounts {
    /// Candidates that came in.
    pub candidates_in: u64,
    /// Candidates that are left with a triangle and a time.
    pub candidates_out: u64,
    /// Triangles of the candidates that came in.
    pub triangles_in: u64,
    /// Triangles that are left.
    pub triangles_out: u64,
}

impl SweepCounts {
    /// Words of the control buffer that the kernels count in: candidates left, triangles in, triangles left.
    pub const WORDS: usize = 3;

    /// Counts candidates of which some bits may be cleared.
    pub fn of(world: &World, candidates: &[Candidate]) -> Self {
        let mut counts = Self { candidates_in: candidates.len() as u64, ..Self::default() };
        for c in candidates {
            counts.triangles_in += world.scene.tree.leaf(c.cluster).len() as u64;
            if c.stands() {
                counts.candidates_out += 1;
                counts.triangles_out += c.triangles(world).count() as u64;
            }
        }
        counts
    }

    /// What the kernels have counted.
    pub fn from_words(candidates_in: u64, words: &[u32]) -> Self {
        let word = |i: usize| words.get(i).copied().map_or(0, u64::from);
        Self { candidates_in, candidates_out: word(0), triangles_in: word(1), triangles_out: word(2) }
    }

    /// The words that a kernel would have counted.
    pub fn to_words(self) -> [u32; Self::WORDS] {
        [self.candidates_out, self.triangles_in, self.triangles_out].map(|n| n as u32)
    }

    /// Adds another part of the work.
    pub fn add(&mut self, other: Self) {
        self.candidates_in += other.candidates_in;
        self.candidates_out += other.candidates_out;
        self.triangles_in += other.triangles_in;
        self.triangles_out += other.triangles_out;
    }
}
