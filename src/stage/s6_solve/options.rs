//! Options of the exact stage and counts of its work.

use crate::error::{Error, Result};
use serde::Serialize;

/// Methods of solving for contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Pairs of triangles by pose jets and separating axes; the elementary equations are used if these prove nothing.
    #[default]
    Jet,
    /// All elementary equations by interval matrices, subdivision and Newton's interval step, as in the paper.
    Paper,
}

/// The question to be answered for a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The first contact, to within the tolerance.
    #[default]
    Toc,
    /// The verdict alone: any proved contact ends the search, possibly with a wide enclosure.
    Verdict,
}

/// Treatment of links that touch the scene at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialContactPolicy {
    /// Report the contact.
    #[default]
    Report,
    /// Ignore the pair of link and object for the whole motion.
    Ignore,
}

/// Required accuracy of the answers, and limits on the work for one motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveOptions {
    /// Largest width of a certified enclosure, as a fraction of the motion.
    pub tolerance: f64,
    /// Floor of the tolerance as a length, metres: an enclosure need not be narrower than this divided by the speed.
    pub floor_m: f64,
    /// Maximum number of evaluations of a pair over an interval for one motion, in addition to sixteen for each of its
    /// pairs.
    pub evaluation_cap: u64,
    /// Treatment of links that touch at the start.
    pub initial: InitialContactPolicy,
    /// The margin, metres: triangles that are at most this far apart count as touching.
    pub margin_m: f64,
    /// The method of solving for contacts.
    pub method: Method,
    /// Reports all contacts that may be the first one to within the tolerance, not just one.
    pub all_contacts: bool,
    /// The question to be answered for a motion.
    pub mode: Mode,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            floor_m: 1e-11,
            evaluation_cap: 1 << 16,
            initial: InitialContactPolicy::Report,
            margin_m: 0.0,
            method: Method::Jet,
            all_contacts: false,
            mode: Mode::Toc,
        }
    }
}

/// Largest permitted margin, metres.
const MAX_MARGIN_M: f64 = 1000.0;
/// Factor on the evaluation cap for the paper's equations: a pair has fifteen of them, and subdivision continues to the
/// end for every root of the plane.
pub(super) const PAPER_CAP: u64 = 32;

impl SolveOptions {
    /// Returns whether motions that start within the margin are decided by the lowest pair within it: with a margin
    /// there may be many pairs.
    pub fn one_pair_decides_the_start(&self) -> bool {
        self.margin_m > 0.0 && self.one_pair_may_decide_the_start()
    }

    /// Returns whether one certain contact at the start decides a motion.
    pub fn one_pair_may_decide_the_start(&self) -> bool {
        self.initial == InitialContactPolicy::Report && !self.all_contacts
    }

    /// Checks that the options are valid.
    ///
    /// # Errors
    /// The tolerance, its floor or the margin is out of range, or the method does not support a margin.
    pub fn check(&self) -> Result<()> {
        if !(self.tolerance > 0.0 && self.tolerance <= 1.0) {
            return Err(Error::usage(format!("the tolerance {} is not between 0 and 1", self.tolerance)));
        }
        if !(self.floor_m >= 0.0 && self.floor_m.is_finite()) {
            return Err(Error::usage(format!("the floor of the tolerance, {} m, is not a length", self.floor_m)));
        }
        if !(0.0..=MAX_MARGIN_M).contains(&self.margin_m) {
            let message = format!("the margin {} m is not between 0 and {MAX_MARGIN_M} m", self.margin_m);
            return Err(Error::usage(message));
        }
        if self.margin_m > 0.0 && self.method == Method::Paper {
            return Err(Error::usage("the paper's solver does not support a margin").remedy("use --solver jet"));
        }
        if self.all_contacts && self.mode == Mode::Verdict {
            return Err(Error::usage("reporting all contacts requires the first contact, not only the verdict"));
        }
        Ok(())
    }
}

/// Work of solving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SolveCounts {
    /// Pairs of the input.
    pub pairs: u64,
    /// Number of items that were solved: pairs of triangles, or equations (n_e of the paper's eq. 16).
    pub items: u64,
    /// Number of time intervals for which poses were bounded (s_max of eq. 17).
    pub intervals: u64,
    /// Number of contractions of one item over one interval (a n_e of eq. 17).
    pub evaluations: u64,
    /// Number of joints whose poses were bounded for these intervals, once for all items (s_max d of eq. 17).
    pub joints: u64,
    /// Number of joints whose poses would have been bounded if each item had been solved alone (a n_e d of eq. 16).
    pub joints_alone: u64,
    /// Number of attempts to prove a contact.
    pub proofs: u64,
}

impl std::ops::AddAssign for SolveCounts {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.items += other.items;
        self.intervals += other.intervals;
        self.evaluations += other.evaluations;
        self.joints += other.joints;
        self.joints_alone += other.joints_alone;
        self.proofs += other.proofs;
    }
}
