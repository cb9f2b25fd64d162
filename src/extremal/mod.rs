//! Extremal distance between moving parametric curves and surfaces, kept up to date by a controller (V. Patoglu and
//! R. B. Gillespie, *Extremal Distance Maintenance for Parametric Curves and Surfaces*).
//!
//! The extremal pair of two bodies consists of the points at which they are closest while apart, at which they touch,
//! or between which they penetrate most deeply. Its parameters are the state of a dynamic system, controlled so that
//! the errors (which vanish at an extremal pair) decay as exp(−K t) while the bodies move. The start need not be
//! exact.
//!
//! The tracker follows *local* extrema in floating-point numbers. It checks itself, reports the reason if it loses a
//! pair, and restarts from a search, but it gives **no guarantee**: use [`engine`](crate::engine) to prove that a
//! motion is free.

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
    /// The first shape, with parameters u and v.
    pub a: Shape,
    /// The second shape, with parameters r and s.
    pub b: Shape,
}

impl Pair {
    /// Returns the ranges of u, v, r, s; `None` for a parameter that the shape does not have.
    pub fn ranges(&self) -> [Option<Range>; 4] {
        let ([u, v], [r, s]) = (self.a.ranges(), self.b.ranges());
        [u, v, r, s]
    }

    /// Returns the range of parameter `i` among u, v, r, s if it ends in an edge.
    ///
    /// # Panics
    /// `i` is above 3.
    pub fn edge(&self, i: usize) -> Option<Range> {
        if i < 2 { self.a.edge(i) } else { self.b.edge(i - 2) }
    }

    /// Returns a characteristic length of the bodies, metres: the mean of their reaches, or 1 if both are 0.
    pub fn size_m(&self) -> f64 {
        let size = 0.5 * (self.a.reach_m() + self.b.reach_m());
        if size > 0.0 { size } else { 1.0 }
    }
}
