//! The places of the two points, and the parameters that are held at an edge.

use super::Pair;
use super::shape::{Place, Range};

/// The state of a tracked pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// The place on A.
    pub a: Place,
    /// The place on B.
    pub b: Place,
    /// True for each of u, v, r, s that is held at an end of its range.
    pub held: [bool; 4],
}

/// Share of a range within which a parameter counts as being at its end.
const AT_END: f64 = 1e-12;
/// A held parameter is released if the distance decreases inwards by more than this, relative to |Δ| per metre of the
/// tangent.
const RELEASE: f64 = 1e-6;

impl State {
    /// Creates a state in chart 0 of both shapes, without held parameters.
    pub fn new([u, v, r, s]: [f64; 4]) -> Self {
        Self { a: Place::new(u, v), b: Place::new(r, s), held: [false; 4] }
    }

    /// Returns u, v, r, s in the charts of the state.
    pub fn parameters(&self) -> [f64; 4] {
        [self.a.at[0], self.a.at[1], self.b.at[0], self.b.at[1]]
    }

    /// Returns a state with the same charts and other parameters.
    #[must_use]
    pub fn with(&self, [u, v, r, s]: [f64; 4]) -> Self {
        let at = |place: Place, at| Place { at, ..place };
        Self { a: at(self.a, [u, v]), b: at(self.b, [r, s]), ..*self }
    }

    /// Returns the parameters that may move: those that the shapes have and that are not held.
    pub fn free(&self, pair: &Pair) -> [bool; 4] {
        let ranges = pair.ranges();
        std::array::from_fn(|i| ranges[i].is_some() && !self.held[i])
    }

    /// Returns the same points in well-conditioned charts; parameters at or beyond an edge are moved to it and held.
    #[must_use]
    pub fn settled(&self, pair: &Pair) -> Self {
        let mut out = *self;
        (out.a, out.b) = (pair.a.settled(self.a), pair.b.settled(self.b));
        let mut x = out.parameters();
        for (i, x) in x.iter_mut().enumerate() {
            if let Some(Range { lo, hi, .. }) = pair.edge(i) {
                if *x <= lo || *x >= hi {
                    *x = x.clamp(lo, hi);
                    out.held[i] = true;
                }
            } else {
                out.held[i] = false;
            }
        }
        out.with(x)
    }

    /// Releases held parameters for which the distance decreases inwards: while the bodies are apart, the sign of
    /// Δ·tangent shows it (Kuhn and Tucker). `projections` are
    /// [`Configuration::normalised`](super::Configuration::normalised). Returns whether a parameter was released.
    pub fn release(&mut self, pair: &Pair, projections: [f64; 4]) -> bool {
        let x = self.parameters();
        let mut any = false;
        for i in 0..4 {
            let Some(Range { lo, hi, .. }) = pair.edge(i).filter(|_| self.held[i]) else { continue };
            // Along a parameter, ½|Δ|² grows at the rate Δ·f_u, or −Δ·h_r.
            let growth = if i < 2 { projections[i] } else { -projections[i] };
            let at_lo = x[i] - lo <= AT_END * (hi - lo);
            if if at_lo { growth < -RELEASE } else { growth > RELEASE } {
                self.held[i] = false;
                any = true;
            }
        }
        any
    }
}
