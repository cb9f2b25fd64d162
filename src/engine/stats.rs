//! Input, output and time of the stages.

use super::device_work::{DeviceWork, KernelWork};
use super::options::Stage;
use crate::stage::link_pairs::LinkPairCounts;
use crate::stage::s4_sweep::SweepCounts;
use crate::stage::s5_pairs::PairCounts;
use crate::stage::s6_solve::{SolveCounts, Solver};
use crate::verdict::{Obstacle, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Statistics of one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageStats {
    /// Number of input items.
    pub items_in: u64,
    /// Number of output items.
    pub items_out: u64,
    /// Time, seconds: measured by the device's clock if the stage ran there and the device has one, otherwise CPU time
    /// summed over threads.
    pub seconds: f64,
    /// Pieces of motions that were repeated because a queue was too small.
    pub retries: u64,
    /// Bytes moved to and from the device.
    pub bytes: u64,
}

impl StageStats {
    /// Counts items.
    pub(super) fn count(&mut self, items_in: usize, items_out: usize) {
        self.items_in += items_in as u64;
        self.items_out += items_out as u64;
    }
}

/// Statistics of all stages, and the totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Motions checked.
    pub motions: u64,
    /// Motions with the verdict free.
    pub free: u64,
    /// Motions with a contact.
    pub contact: u64,
    /// Motions with a certified contact.
    pub certified: u64,
    /// Undecided motions.
    pub undecided: u64,
    /// Pieces into which the motions were cut.
    pub pieces: u64,
    /// Elapsed time of checking, seconds.
    pub wall_s: f64,
    /// Elapsed time of building trees and opening the device, seconds.
    pub build_s: f64,
    /// Buffers, bind groups and other objects created on the device: zero once it is warm.
    pub device_objects: u64,
    /// Work of the adapter, if there is one.
    pub device: DeviceWork,
    /// Work of the adapter's kernels, by the stem of the file and the entry point.
    pub kernels: BTreeMap<[&'static str; 2], KernelWork>,
    /// The stages, in the order in which they run.
    pub stages: [StageStats; Stage::ALL.len()],
    /// Input and output of swept-volume culling, if it ran.
    pub sweep: SweepCounts,
    /// Work of the part of the search for pairs that ran on the CPU.
    pub pairs: PairCounts,
    /// Work of the exact stage.
    pub solve: SolveCounts,
    /// Work of checking links against links.
    pub links: LinkStats,
    /// Pairs that were ignored because they touch at the start: index of the link in the robot, obstacle, and number of
    /// motions.
    pub ignored: BTreeMap<(u32, Obstacle), u64>,
    /// Motions that start inside a solid.
    pub start_inside: u64,
    /// Pairs in which one member starts inside the other: index of the link in the robot, obstacle, and number of
    /// motions. For two links, the first one has the lower index.
    pub inside: BTreeMap<(u32, Obstacle), u64>,
}

/// Statistics of the tests of links against links, without the exact stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LinkStats {
    /// Counts of the search.
    #[serde(flatten)]
    pub counts: LinkPairCounts,
    /// CPU time, summed over threads, seconds.
    pub seconds: f64,
}

impl Stats {
    /// The statistics of a stage.
    pub fn stage(&mut self, stage: Stage) -> &mut StageStats {
        &mut self.stages[stage as usize]
    }

    /// Counts a verdict.
    pub fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Free => self.free += 1,
            Verdict::Contact(c) => {
                self.contact += 1;
                self.certified += u64::from(c.is_certified());
            }
            Verdict::Undecided(_) => self.undecided += 1,
        }
        self.motions += 1;
    }

    /// Adds the statistics of another part of the work, other than `wall_s` and `build_s`.
    pub fn add(&mut self, other: &Self) {
        self.motions += other.motions;
        self.free += other.free;
        self.contact += other.contact;
        self.certified += other.certified;
        self.undecided += other.undecided;
        self.pieces += other.pieces;
        for (a, b) in self.stages.iter_mut().zip(&other.stages) {
            a.items_in += b.items_in;
            a.items_out += b.items_out;
            a.seconds += b.seconds;
            a.retries += b.retries;
            a.bytes += b.bytes;
        }
        for (pair, n) in &other.ignored {
            *self.ignored.entry(*pair).or_default() += n;
        }
        self.start_inside += other.start_inside;
        for (pair, n) in &other.inside {
            *self.inside.entry(*pair).or_default() += n;
        }
        self.device += other.device;
        for (kernel, work) in &other.kernels {
            *self.kernels.entry(*kernel).or_default() += *work;
        }
        self.sweep.add(other.sweep);
        self.pairs.add(other.pairs);
        self.solve += other.solve;
        self.links.counts.add(other.links.counts);
        self.links.seconds += other.links.seconds;
    }

    /// Adds the counts of a solver since the last call, and resets them.
    pub fn add_solving(&mut self, solver: &mut Solver) {
        self.solve += solver.take_counts();
        if !solver.is_start() {
            return;
        }
        for pair in solver.ignored() {
            *self.ignored.entry(pair).or_default() += 1;
        }
    }
}
