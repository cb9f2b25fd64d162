//! Plans of an audit on a page.

use crate::audit::distances::Distances;
use crate::audit::joints::{Extremes, Jumps};
use crate::bench::run::Plot;
use crate::picture::Unit;
use crate::report::answer::Answer;

/// A plan: a motion or trajectory with its answer, its distances, its joints and their limits.
#[derive(Debug)]
pub struct Plan {
    /// The answer of the check.
    pub answer: Answer,
    /// The unit of its times.
    pub unit: Unit,
    /// Its distances from all that it may touch.
    pub distances: Distances,
    /// Its certificate, if certificates were made: what the verification found, and the address of the file.
    pub certificate: Option<(String, String)>,
    /// The extremes of its joints.
    pub extremes: Vec<Extremes>,
    /// Joints whose velocity jumps.
    pub jumps: Vec<Jumps>,
    /// Its joints over time.
    pub plots: Vec<Plot>,
}

impl Plan {
    /// The quantities that are beyond their limits.
    pub fn exceeded(&self) -> impl Iterator<Item = &Extremes> {
        self.extremes.iter().filter(|of| !of.beyond.is_empty())
    }
}
