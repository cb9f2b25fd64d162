//! The stages of the flow. Each module has the code for the CPU and the declarations of its kernels. Where the CPU uses
//! a faster algorithm than the kernels, a plain twin repeats their steps (`s5_pairs/twin.rs`).
//!
//! | stem | in → out |
//! |---|---|
//! | [`s1_concat`] | motion × body × sub-interval → pose bounds |
//! | [`s2_bound`] | pose bounds → boxes of the links and of the model's tree |
//! | [`s3_cull`] | boxes × scene tree → (link, cluster, time mask) |
//! | [`s4_sweep`] | candidates → the same with fewer bits |
//! | [`s5_pairs`] | candidates → (triangle, triangle, time mask) |
//! | [`s6_solve`] | pairs → verdicts |
//!
//! [`margin_probe`] runs before `s3_cull` on adapters if there is a margin: one pair of triangles within it limits the
//! time that the later stages search.
//!
//! [`solids`] completes verdicts: it finds links that start inside closed objects or links.
//!
//! [`toleranced`] is separate from this flow: the elementary tests of toleranced motions.
//!
//! Time is cut into *pieces*, equal parts of a motion, and each piece into sub-intervals, 16 on adapters and 8 on the
//! CPU; a time mask has one bit for each sub-interval. A cleared bit is a proof that nothing touches in that
//! sub-interval, so every stage starts from "may touch" and clears bits.

pub mod kernel;
pub mod layout;
pub mod link_pairs;
pub mod margin_probe;
pub mod s1_concat;
pub mod s2_bound;
pub mod s3_cull;
pub mod s4_sweep;
pub mod s5_pairs;
pub mod s6_solve;
pub mod solids;
pub mod toleranced;

use crate::arith::lanes::Lanes;
use crate::arith::vectors::WIDTH;
use crate::robot::RobotMotion;
use crate::scene::world::{CollisionWorld, LinkGeometry};
pub use layout::{Candidate, TrianglePair};
use std::sync::Arc;

/// Number of sub-intervals of a piece on adapters, and the maximum on the CPU.
pub const SUBS: usize = 16;
/// Number of slices of a sub-interval, the finest steps of time before the exact stage.
pub const SLICES: u32 = 8;
/// Number of slices of a piece on adapters.
pub const SLICES_PER_PIECE: u32 = SUBS as u32 * SLICES;
/// Travel of a robot's links per piece, metres, above which a motion is cut further.
const PIECE_M: f64 = 0.75;
/// Maximum number of pieces into which a motion is cut because of its travel: links that travel far are rarely near
/// anything.
const MAX_PIECES: f64 = 128.0;
/// The mask of [`SUBS`] sub-intervals.
pub const ALL_SUBS: u32 = (1 << SUBS) - 1;
/// One number for each sub-interval of a piece; those beyond a piece's number of sub-intervals are undefined.
pub type Subs = Lanes<SUBS>;

/// A part `[t0, t1]` of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Index of the motion in the chunk.
    pub motion: u32,
    /// Index of this part of the motion, counted from its start; all parts of a motion have the same length.
    pub index: u32,
    /// Start.
    pub t0: f64,
    /// End.
    pub t1: f64,
    /// Number of sub-intervals: 8 or [`SUBS`]. They are the first ones in masks and in [`Subs`]; other numbers there
    /// are undefined.
    pub subs: u32,
}

impl Piece {
    /// Cuts a motion into `2^k` pieces, enough that at a constant rate no chain turns by more than half a radian in a
    /// sub-interval (`h Ω <= 1/4`, where the Taylor remainder is below a four-hundredth of the reach). For chains that
    /// accelerate, the remainder is at most an eighth of that, so that the links' boxes are smaller.
    pub fn cut(motion: u32, of: &RobotMotion) -> impl Iterator<Item = Self> + use<> {
        Self::equal_parts(motion, Self::least_number(of, SUBS as u32), SUBS as u32)
    }

    /// Cuts a motion into pieces of as many sub-intervals as a vector register has lanes, and into more pieces if its
    /// links travel far: after a contact, later pieces need not be searched, and boxes around short paths are tight.
    /// For processors that search one piece after the other.
    pub fn cut_by_travel(motion: u32, of: &RobotMotion, world: &CollisionWorld) -> impl Iterator<Item = Self> + use<> {
        let speed = |link: &Arc<LinkGeometry>| of.chains[link.body as usize].speed(link.reach_m);
        let travel_m = world.links.iter().map(speed).fold(0.0, f64::max);
        let n = ((travel_m / PIECE_M).min(MAX_PIECES).ceil().max(1.0) as u64).next_power_of_two();
        Self::equal_parts(motion, n.max(Self::least_number(of, WIDTH as u32)), WIDTH as u32)
    }

    fn least_number(of: &RobotMotion, subs: u32) -> u64 {
        let parts = if of.phases.is_empty() { of.pace_rad() } else { 2.0 * of.pace_rad() };
        ((parts * 2.0 / f64::from(subs)).ceil().max(1.0) as u64).next_power_of_two()
    }

    fn equal_parts(motion: u32, n: u64, subs: u32) -> impl Iterator<Item = Self> + use<> {
        let at = move |i: u64| i as f64 / n as f64;
        (0..n).map(move |i| Self { motion, index: i as u32, t0: at(i), t1: at(i + 1), subs })
    }

    /// Number of slices.
    pub fn slices(&self) -> u32 {
        self.subs * SLICES
    }

    /// The mask of all sub-intervals.
    pub fn mask(&self) -> u32 {
        ALL_SUBS >> (SUBS as u32 - self.subs)
    }

    /// Number of groups of eight sub-intervals.
    pub fn groups(&self) -> usize {
        self.subs as usize / WIDTH
    }

    /// Half the length of a sub-interval.
    pub fn half_sub(&self) -> f64 {
        (self.t1 - self.t0) / f64::from(2 * self.subs)
    }

    /// The middle times of the sub-intervals; exact for the pieces that [`cut`](Self::cut) makes.
    pub fn mid_times(&self) -> Subs {
        Subs::from_fn(|k| self.t0 + (2 * k.min(self.subs as usize - 1) + 1) as f64 * self.half_sub())
    }

    /// The mask of the sub-intervals that do not start after the slice numbered `limit` (counted over the motion).
    pub fn mask_until(&self, limit: u32) -> u32 {
        let first = self.index * self.slices();
        let subs = limit.saturating_sub(first) / SLICES + 1;
        if limit < first { 0 } else { ALL_SUBS >> (SUBS as u32 - subs.min(self.subs)) }
    }

    /// Sub-interval `k` as `[start, end]`.
    pub fn sub(&self, k: usize) -> [f64; 2] {
        let step = 2.0 * self.half_sub();
        [self.t0 + k as f64 * step, self.t0 + (k + 1) as f64 * step]
    }
}

impl Candidate {
    /// Returns whether any triangle and any sub-interval are left.
    pub fn is_open(self) -> bool {
        self.mask != 0 && self.triangles != 0
    }

    /// The triangles of the scene that are left in this candidate.
    pub fn triangles(self, world: &CollisionWorld) -> impl Iterator<Item = usize> + use<> {
        let leaf = world.scene.tree.leaf(self.cluster);
        leaf.enumerate().filter(move |(i, _)| self.triangles >> i & 1 != 0).map(|(_, y)| y)
    }

    /// Returns whether triangle `y` of its cluster is left.
    pub fn has(&self, world: &CollisionWorld, y: usize) -> bool {
        self.triangles >> (y - world.scene.tree.leaf(self.cluster).start) & 1 != 0
    }
}

impl TrianglePair {
    /// The time mask.
    pub fn mask(&self) -> u32 {
        self.mask_slice & ALL_SUBS
    }

    /// The earliest time at which the two may touch.
    pub fn earliest(&self, piece: &Piece) -> f64 {
        let sub = self.mask().trailing_zeros();
        let slice = (self.mask_slice >> SUBS) % SLICES;
        piece.t0 + 2.0 * piece.half_sub() * (f64::from(sub) + f64::from(slice) / f64::from(SLICES))
    }
}

/// The compute kernels of all stages.
#[cfg(feature = "gpu")]
pub const KERNELS: [kernel::Kernel; 23] = [
    crate::gpu::INDIRECT_ARGS,
    s1_concat::JET,
    s1_concat::INTERVAL,
    s2_bound::KERNEL,
    link_pairs::NEAR,
    link_pairs::RELATIVE,
    margin_probe::SEEK,
    margin_probe::COMPARE,
    s3_cull::ROOTS,
    s3_cull::KERNEL,
    s4_sweep::compute::KERNEL,
    s4_sweep::raster::MARK,
    s4_sweep::raster::FRAME,
    s4_sweep::raster::CLEAR,
    s4_sweep::raster::VERIFY,
    s4_sweep::raster::NARROW,
    s5_pairs::SEED,
    s5_pairs::BOUND_NODES,
    s5_pairs::DESCEND_LINKS,
    s5_pairs::TEST_LEAVES,
    s5_pairs::TEST_PAIRS,
    s5_pairs::REFINE_PAIRS,
    toleranced::KERNEL,
];

/// The raster kernels of all stages.
#[cfg(feature = "gpu")]
pub const RASTER_KERNELS: [kernel::RasterKernel; 4] =
    [s4_sweep::raster::CELLS, s4_sweep::raster::ALONG_X, s4_sweep::raster::ALONG_Y, s4_sweep::raster::ALONG_Z];
