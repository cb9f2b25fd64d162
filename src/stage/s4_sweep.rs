//! `s4_sweep`: swept-volume culling (Redon et al. 2004, section 4.2). It stands in the flow and passes everything
//! through: the rasterised and the computed forms are not built yet.

pub mod paper;

use super::Candidate;

/// How the swept volumes are tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// Not at all.
    #[default]
    Off,
}

/// The stage: returns the candidates that it cannot rule out.
pub fn reference(sweep: Sweep, candidates: Vec<Candidate>) -> Vec<Candidate> {
    match sweep {
        Sweep::Off => candidates,
    }
}
