//! Elementary queries: a vertex against a triangle, or an edge against an edge, all four points on straight lines.

use super::SolveOptions;
use glam::DVec3;

/// Which two features, in the order of the four points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A vertex, then a triangle's three corners.
    VertexFace,
    /// The ends of one edge, then of the other.
    EdgeEdge,
}

/// Four points that move linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Where the points are at time 0.
    pub start: [DVec3; 4],
    /// Where they are at time 1.
    pub end: [DVec3; 4],
}

/// The answer to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The features do not meet at any time: a guarantee.
    Free,
    /// They meet, or come so near that contact can be neither proved nor excluded.
    Contact {
        /// Before the first number they do not meet (guaranteed); if `proved`, they meet at or before the second, which
        /// is 1 otherwise.
        toc: [f64; 2],
        /// They meet.
        proved: bool,
        /// Proved, and the enclosure is as narrow as was asked for.
        certified: bool,
    },
    /// The search ended before an answer.
    Undecided {
        /// Before this time they do not meet: a guarantee.
        clear_until: f64,
    },
}

/// When the features of a query first meet.
pub fn solve(_kind: Kind, _query: &Query, _options: &SolveOptions) -> Answer {
    // Nothing is known, and nothing else is said, until there is a solver.
    Answer::Undecided { clear_until: 0.0 }
}
