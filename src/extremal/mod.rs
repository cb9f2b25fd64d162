//! Extremal distance between moving parametric curves and surfaces, kept up to date by a controller (V. Patoglu and
//! R. B. Gillespie, *Extremal Distance Maintenance for Parametric Curves and Surfaces*).
//!
//! The extremal pair of two bodies is where they are nearest while apart, where they touch, or between which they penetrate
//! most. Its parameters are the state of a dynamic system, steered so that the errors (what vanishes at an extremal pair)
//! decay as exp(−K t) while the bodies move. A start need not be exact.
//!
//! This follows *local* extrema in floating-point numbers. It comes with checks, names what it has lost and starts anew from
//! a search, but it is **no guarantee**: whether a motion is free is what [`engine`](crate::engine) proves.

pub mod ball;
#[cfg(feature = "gpu")]
pub mod batch;
pub mod contact;
pub mod equations;
pub mod integrate;
pub mod jet;
pub mod lost;
pub mod motion;
pub mod newton;
#[cfg(feature = "formats")]
pub mod scene;
pub mod search;
pub mod settings;
pub mod shape;
pub mod solve;
pub mod spline;
pub mod state;
pub mod tracker;

pub use contact::{FirstContact, first_contact};
pub use equations::{Configuration, Form};
pub use lost::Lost;
pub use motion::{Motion, Moving, Relative};
pub use settings::{Feedback, Integrator, Settings};
pub use shape::{Place, Shape};
pub use spline::{Basis, SplineCurve, SplineSurface};
pub use state::State;
pub use tracker::{Phase, Sample, Track, Tracker};

use shape::Range;

/// Two shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The first, which u and v run over.
    pub a: Shape,
    /// The second, which r and s run over.
    pub b: Shape,
}

impl Pair {
    /// The ranges of u, v, r, s.
    pub fn ranges(&self) -> [Option<Range>; 4] {
        let ([u, v], [r, s]) = (self.a.ranges(), self.b.ranges());
        [u, v, r, s]
    }

    /// The range of a parameter that ends in an edge.
    pub fn edge(&self, i: usize) -> Option<Range> {
        if i < 2 { self.a.edge(i) } else { self.b.edge(i - 2) }
    }

    /// A length of the bodies, metres: the mean of their reaches.
    pub fn size_m(&self) -> f64 {
        let size = 0.5 * (self.a.reach_m() + self.b.reach_m());
        if size > 0.0 { size } else { 1.0 }
    }
}
