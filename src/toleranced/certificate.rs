//! The proof that nothing touches: the subdivision of motion and bodies, and the reason why each part is clear.

use serde::{Deserialize, Serialize};

/// A possible first contact of two polygons: the paper's three kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Contact {
    /// A corner of the moving polygon touches the fixed one.
    #[serde(rename = "v")]
    Vertex(u32),
    /// An edge of the moving polygon touches an edge of the fixed one.
    #[serde(rename = "e")]
    Edges(u32, u32),
    /// A corner of the fixed polygon touches the moving one.
    #[serde(rename = "f")]
    Face(u32),
}

impl Contact {
    /// Returns the kind of contact in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex(_) => "vertex-face",
            Self::Edges(..) => "edge-edge",
            Self::Face(_) => "face-vertex",
        }
    }
}

/// One step of a proof. The proof for a part of the motion and ranges of polygons of both bodies is a step, followed by
/// the proofs of both halves if the step is a subdivision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A plane separates all polygons of the moving range, under all displacements of the ball, from those of the fixed
    /// range.
    Plane {
        /// Radius of the ball.
        radius: f64,
        /// Normal of the plane, from the fixed to the moving polygons.
        normal: [f64; 3],
    },
    /// Two polygons that are apart at the middle of the time, and all of whose possible first contacts are excluded.
    Apart {
        /// Radius of the ball.
        radius: f64,
        /// Contacts that this ball excludes and no earlier ball did.
        clear: Vec<Contact>,
        /// Normal of the plane between the polygons at the middle of the time.
        normal: [f64; 3],
    },
    /// The time is halved.
    Time {
        /// Radius of the ball, if contacts are excluded.
        radius: f64,
        /// Contacts of two polygons that this ball excludes and no earlier ball did, for both halves.
        clear: Vec<Contact>,
    },
    /// The moving range is halved.
    Moving,
    /// The fixed range is halved.
    Fixed,
}

/// The polygons of a moving and a fixed body, in the orders whose ranges are halved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Orders {
    /// The moving polygons.
    pub moving: Vec<u32>,
    /// The fixed polygons.
    pub fixed: Vec<u32>,
}
