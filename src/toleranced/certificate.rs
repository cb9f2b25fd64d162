//! The proof that nothing touches: how motion and bodies were cut, and why each part is clear.

use serde::{Deserialize, Serialize};

/// A contact of two polygons that may come first: the paper's three kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Contact {
    /// A corner of the moving polygon touches the fixed one.
    #[serde(rename = "v")]
    Vertex(u32),
    /// An edge of the moving one touches an edge of the fixed one.
    #[serde(rename = "e")]
    Edges(u32, u32),
    /// A corner of the fixed one touches the moving one.
    #[serde(rename = "f")]
    Face(u32),
}

impl Contact {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex(_) => "vertex-face",
            Self::Edges(..) => "edge-edge",
            Self::Face(_) => "face-vertex",
        }
    }
}

/// One step of a proof. The proof of a part of the motion and ranges of polygons of both bodies is a step and, if that cuts,
/// the proofs of both halves, the first one first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A plane keeps all polygons of the moving range, under all displacements of the ball, beyond those of the fixed range.
    Plane {
        /// Radius of the ball.
        radius: f64,
        /// Normal of the plane, from the fixed to the moving ones.
        normal: [f64; 3],
    },
    /// Two polygons that are apart in the middle of the time, and of whose possible first contacts none is left.
    Apart {
        /// Radius of the ball.
        radius: f64,
        /// Contacts that this ball excludes, and no ball before did.
        clear: Vec<Contact>,
        /// Normal of the plane between the polygons in the middle of the time.
        normal: [f64; 3],
    },
    /// Time is halved.
    Time {
        /// Radius of the ball, where contacts are excluded.
        radius: f64,
        /// Contacts of two polygons that this ball excludes, and no ball before did: for both halves.
        clear: Vec<Contact>,
    },
    /// The moving range is halved.
    Moving,
    /// The fixed range is halved.
    Fixed,
}

/// The polygons of a moving body and of what stands, in the orders whose ranges are halved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// Those that move.
    pub moving: Vec<u32>,
    /// Those that stand.
    pub fixed: Vec<u32>,
}
