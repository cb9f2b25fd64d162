//! `s4_sweep`: swept-volume culling (Redon et al. 2004, section 4.2), link by link against the triangles left by
//! `s3_cull`.
//!
//! Bits are cleared in place: of a candidate's time mask, and of the triangles of its cluster. The stage has no queue
//! of its own, so nothing can overflow; a candidate that does not fit a form's memory stays unchanged, and one without
//! bits stays in the queue of candidates, where the next stage skips it.
//!
//! All forms have the same input and output and are interchangeable:
//!
//! | form | representation of the volume |
//! |---|---|
//! | [`Raster`](Sweep::Raster) | three orthographic maps of depth intervals, drawn |
//! | [`Compute`](Sweep::Compute) | a rounded tetrahedron for each sub-interval, against each triangle |
//! | [`Paper`](Sweep::Paper) | the paper's tessellation, widened by its deviation, in such maps; on the CPU |

pub mod compute;
pub mod paper;
pub mod raster;

use super::layout::SweepCounters;
use super::s1_concat::Poses;
use super::s2_bound::Boxes;
use super::{Candidate, Piece};
use crate::arith::linear::V3;
use crate::predicate::separation::{StaticTriangle, boxes_miss};
use crate::robot::RobotMotion;
use crate::scene::world::CollisionWorld;
use compute::Cell;
use serde::Serialize;

/// Forms of testing the swept volumes. All give the same answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sweep {
    /// The form that is fastest when measured, or no culling.
    #[default]
    Auto,
    /// No swept-volume culling.
    Off,
    /// Draws the volume swept by each link into three views, as depth intervals.
    Raster,
    /// Tests each triangle against the rounded tetrahedron of each sub-interval.
    Compute,
    /// Draws the volume tessellated within a tolerance, as the paper does; on the CPU.
    Paper,
}

impl Sweep {
    /// The forms that [`Auto`](Self::Auto) chooses from; before the choice, an adapter uses the first.
    pub const TRIED: [Self; 2] = [Self::Compute, Self::Off];
    /// All forms.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Off, Self::Raster, Self::Compute, Self::Paper];

    /// The form's name on the command line.
    pub fn name(self) -> &'static str {
        ["auto", "off", "raster", "compute", "paper"][self as usize]
    }

    /// Returns whether the form has kernels; a form without kernels runs on the CPU, whatever the other stages run on.
    pub fn has_kernels(self) -> bool {
        self != Self::Paper
    }

    /// The forms that may be used if this one is requested.
    pub fn choices(self) -> &'static [Self] {
        match self {
            Self::Auto => &Self::TRIED,
            Self::Off => &[Self::Off],
            Self::Raster => &[Self::Raster],
            Self::Compute => &[Self::Compute],
            Self::Paper => &[Self::Paper],
        }
    }
}

/// Input of the stage, apart from the candidates. For speed, the candidates of a piece and link should be consecutive.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Robot and scene.
    pub world: &'a CollisionWorld,
    /// The motions.
    pub motions: &'a [RobotMotion],
    /// The pieces.
    pub pieces: &'a [Piece],
    /// The pose bounds of the pieces.
    pub poses: &'a Poses,
    /// The boxes of the pieces.
    pub boxes: &'a Boxes,
}

/// The stage in f64.
pub fn reference(form: Sweep, input: &Input, candidates: &mut [Candidate]) {
    match form {
        Sweep::Auto | Sweep::Off => {}
        Sweep::Raster => raster::reference(input, candidates, raster::DEFAULT_TILE_PIXELS as usize),
        Sweep::Compute => compute::reference(input, candidates),
        Sweep::Paper => paper::maps::reference(input, candidates, raster::DEFAULT_TILE_PIXELS as usize),
    }
}

/// Clears bits of candidates triangle by triangle. `prepare` computes from a link's cells, once for a piece and link,
/// the data for `may_touch`, which returns the sub-intervals of a mask in which a triangle may touch the link's swept
/// volume.
fn clear<P>(
    input: &Input,
    candidates: &mut [Candidate],
    prepare: impl Fn(&Cell) -> P,
    may_touch: impl Fn(&Cell, &P, &StaticTriangle<f64>, u32) -> u32,
) {
    let scene = &input.world.scene;
    for group in candidates.chunk_by_mut(|a, b| (a.piece, a.link) == (b.piece, b.link)) {
        let mut prepared = None;
        for c in group.iter_mut().filter(|c| c.is_open()) {
            let (cell, ready) = prepared.get_or_insert_with(|| {
                let cell = Cell::new(input, c.piece, c.link);
                let ready = prepare(&cell);
                (cell, ready)
            });
            // The cluster's box is tested first, because without `s3_cull` it has not been tested yet.
            let b = &scene.cluster_boxes[c.cluster as usize];
            let around = (V3(b.lo.map(f64::from)), V3(b.hi.map(f64::from)));
            let of_cluster = c.mask & !boxes_miss(&cell.in_box, &around);
            let (mut mask, mut triangles) = (0, 0);
            if of_cluster != 0 {
                for (i, y) in scene.tree.leaf(c.cluster).enumerate().filter(|(i, _)| c.triangles >> i & 1 != 0) {
                    let left = may_touch(cell, ready, &scene.standing(y), of_cluster);
                    mask |= left;
                    triangles |= u32::from(left != 0) << i;
                }
            }
            (c.mask, c.triangles) = (mask, triangles);
        }
    }
}

/// Input and output of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SweepCounts {
    /// Candidates before the stage.
    pub candidates_in: u64,
    /// Candidates left with a triangle and a sub-interval.
    pub candidates_out: u64,
    /// Triangles of the candidates before the stage.
    pub triangles_in: u64,
    /// Triangles left.
    pub triangles_out: u64,
}

impl SweepCounts {
    /// Counts candidates before their bits are cleared.
    pub fn of(world: &CollisionWorld, candidates: &[Candidate]) -> Self {
        let mut counts = Self { candidates_in: candidates.len() as u64, ..Self::default() };
        for c in candidates {
            counts.triangles_in += world.scene.tree.leaf(c.cluster).len() as u64;
            if c.is_open() {
                counts.candidates_out += 1;
                counts.triangles_out += c.triangles(world).count() as u64;
            }
        }
        counts
    }

    /// The counts from the kernels' counters.
    pub fn from_device(candidates_in: u64, counters: SweepCounters) -> Self {
        let SweepCounters { candidates_out, triangles_in, triangles_out } = counters;
        let [candidates_out, triangles_in, triangles_out] =
            [candidates_out, triangles_in, triangles_out].map(u64::from);
        Self { candidates_in, candidates_out, triangles_in, triangles_out }
    }

    /// The counters of a kernel with these counts.
    pub fn to_device(self) -> SweepCounters {
        let [candidates_out, triangles_in, triangles_out] =
            [self.candidates_out, self.triangles_in, self.triangles_out].map(|n| n as u32);
        SweepCounters { candidates_out, triangles_in, triangles_out }
    }

    /// Adds the counts of another part of the work.
    pub fn add(&mut self, other: Self) {
        self.candidates_in += other.candidates_in;
        self.candidates_out += other.candidates_out;
        self.triangles_in += other.triangles_in;
        self.triangles_out += other.triangles_out;
    }
}
