//! Reasons for the loss of a pair.

use std::fmt;

/// Reason why the tracker drops a pair and starts again from a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lost {
    /// The equations are singular, or nearly so: for projections at contact, for the normal form where two flat
    /// surfaces meet or at the depth of a radius of curvature.
    Singular {
        /// Ratio of the smallest pivot to the largest.
        pivot_ratio: f64,
    },
    /// The errors vanish at a saddle or maximum of the distance: convexity was lost.
    NotExtremal,
    /// The outward normals do not face each other: the pair is on a far side, or one body is inside the other.
    WrongSide {
        /// Cosine of the angle between the normals; −1 is right.
        cosine: f64,
    },
    /// The projections vanish where the surfaces cross: Δ is zero there, but the normals are not parallel.
    FalseEquilibrium {
        /// The largest error of the normal form.
        error: f64,
    },
    /// The errors grew after they had been small.
    Diverged {
        /// The largest error.
        error: f64,
    },
    /// An integrator with adaptive steps found no step short enough: the rates jump, for example at a corner of a
    /// curve.
    NoStep,
    /// A point moved by more than a quarter of a parameter's range in one step.
    TooFast,
    /// The distance jumped.
    Jump {
        /// Difference from the predicted distance, metres.
        by_m: f64,
    },
    /// The errors have not become small within the time expected for the gain.
    NotAcquired,
    /// A search found a closer pair, or found that bodies thought to penetrate each other are apart.
    Farther {
        /// Its distance, metres.
        nearest_m: f64,
    },
    /// In penetration a point has reached the edge of a surface, where no extremal distance is defined.
    Edge,
    /// The search found no extremal pair.
    NothingFound,
    /// A parameter is not finite.
    NotFinite,
}

impl Lost {
    /// Returns a short name, for files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Singular { .. } => "singular",
            Self::NotExtremal => "not-extremal",
            Self::WrongSide { .. } => "wrong-side",
            Self::FalseEquilibrium { .. } => "false-equilibrium",
            Self::Diverged { .. } => "diverged",
            Self::NoStep => "no-step",
            Self::TooFast => "too-fast",
            Self::Jump { .. } => "jump",
            Self::NotAcquired => "not-acquired",
            Self::Farther { .. } => "farther",
            Self::Edge => "edge",
            Self::NothingFound => "nothing-found",
            Self::NotFinite => "not-finite",
        }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Singular { pivot_ratio } => write!(f, "the equations are singular (pivots {pivot_ratio:.1e})"),
            Self::NotExtremal => write!(f, "the pair is at a saddle or maximum of the distance"),
            Self::WrongSide { cosine } => write!(f, "the normals do not face each other (cosine {cosine:.2})"),
            Self::FalseEquilibrium { error } => {
                write!(f, "the projections vanish on a curve where the surfaces cross (error {error:.1e})")
            }
            Self::Diverged { error } => write!(f, "the errors grew to {error:.1e}"),
            Self::NoStep => write!(f, "no step is short enough: the rates jump"),
            Self::TooFast => write!(f, "a point moved by more than a quarter of its range in one step"),
            Self::Jump { by_m } => write!(f, "the distance jumped by {by_m:.3} m"),
            Self::NotAcquired => write!(f, "the errors did not become small in time"),
            Self::Farther { nearest_m } => write!(f, "another pair is nearer ({nearest_m:.3} m)"),
            Self::Edge => write!(f, "a point has reached the edge of a surface in penetration"),
            Self::NothingFound => write!(f, "no extremal pair was found"),
            Self::NotFinite => write!(f, "a parameter is not finite"),
        }
    }
}
