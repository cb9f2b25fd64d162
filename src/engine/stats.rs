//! What the stages took in and gave, and how long they took.

use super::options::Stage;
use crate::stage::s4_sweep::SweepCounts;
use crate::stage::s5_pairs::PairCounts;
use crate::stage::s6_solve::{SolveCounts, Solver};
use crate::verdict::Verdict;
use serde::Serialize;
use std::collections::BTreeMap;

/// One stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StageStats {
    /// Items that came in.
    pub items_in: u64,
    /// Items that went out.
    pub items_out: u64,
    /// Seconds: of the device's clock where the stage ran there and the device has one, else of the CPU, summed over threads.
    pub seconds: f64,
    /// Pieces of motions that had to be done again because a queue was too small.
    pub retries: u64,
    /// Bytes moved to and from the device.
    pub bytes: u64,
}

/// All stages, and the totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Motions checked.
    pub motions: u64,
    /// Motions that are free.
    pub free: u64,
    /// Motions with a contact.
    pub contact: u64,
    /// Of these, certified ones.
    pub certified: u64,
    /// Motions without an answer.
    pub undecided: u64,
    /// Pieces that the motions were cut into.
    pub pieces: u64,
    /// Seconds of checking.
    pub wall_s: f64,
    /// Seconds of building trees and opening the device.
    pub build_s: f64,
    /// Buffers, bind groups and the like that had to be made on the device: none where it is warm.
    pub device_objects: u64,
    /// The stages in the order of the flow.
    pub stages: [StageStats; Stage::ALL.len()],
    /// What swept-volume culling took in and left, where it ran.
    pub sweep: SweepCounts,
    /// What the search for pairs took, as far as it ran on the CPU.
    pub pairs: PairCounts,
    /// What the exact stage did.
    pub solve: SolveCounts,
    /// Pairs of link (in the robot) and object that were ignored because they touch at the start, and in how many
    /// motions.
    pub ignored: BTreeMap<(u32, u32), u64>,
}

impl Stats {
    /// The numbers of a stage.
    pub fn stage(&mut self, stage: Stage) -> &mut StageStats {
        &mut self.stages[stage as usize]
    }

    /// Counts an answer.
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

    /// Adds the numbers of another part of the work, other than `wall_s` and `build_s`.
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
        self.sweep.add(other.sweep);
        self.pairs.add(other.pairs);
        self.solve += other.solve;
    }

    /// Adds what a solver has done since it was last asked.
    pub fn add_solving(&mut self, solver: &mut Solver) {
        self.solve += solver.take_counts();
        for pair in solver.ignored() {
            *self.ignored.entry(pair).or_default() += 1;
        }
    }
}
