//! Verdicts: the engine's answers for motions.

/// The answer for one motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing touches at any time; this is guaranteed.
    Free,
    /// Something touches, or comes so close that contact can be neither proved nor excluded.
    Contact(Contact),
    /// The search ended before an answer.
    Undecided(Undecided),
}

impl Verdict {
    /// Returns whether something touches, or may touch.
    pub fn is_contact(&self) -> bool {
        matches!(self, Self::Contact(_))
    }
}

/// The first contact of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Enclosure of the time of first contact: before the first number nothing touches (guaranteed), and if
    /// proved, a contact exists at or before the second number; otherwise the second number is 1.
    pub toc: [f64; 2],
    /// How certain the contact is.
    pub certainty: Certainty,
    /// Link and scene touch at the start.
    pub initial_overlap: bool,
    /// Place of the first contact and the features that touch; `None` if only the verdict was requested
    /// ([`Mode::Verdict`](crate::stage::s6_solve::Mode)).
    pub first: Option<ContactPoint>,
    /// All contacts that cannot be distinguished from the earliest one in time, this one included, in the order of
    /// links, objects and triangles; empty unless requested. Parallel edges touch twice, at the ends of their common
    /// part.
    pub simultaneous: Vec<ContactPoint>,
}

impl Contact {
    /// Returns whether a contact exists, rather than being possible.
    pub fn is_proved(&self) -> bool {
        self.certainty >= Certainty::Proved
    }

    /// Returns whether a contact exists and the enclosure of its time is as narrow as requested.
    pub fn is_certified(&self) -> bool {
        self.certainty >= Certainty::Certified
    }
}

/// How certain a contact is, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Robot and scene come so near to each other that contact can be neither proved nor excluded.
    Possible,
    /// A contact exists.
    Proved,
    /// A contact exists, and the enclosure of its time is at most as wide as the tolerance.
    Certified,
}

impl Certainty {
    /// The certainty of a contact that exists or not, with an enclosure as narrow as the tolerance or wider.
    pub fn new(is_proved: bool, is_narrow: bool) -> Self {
        match (is_proved, is_narrow) {
            (false, _) => Self::Possible,
            (true, false) => Self::Proved,
            (true, true) => Self::Certified,
        }
    }
}

/// One place at which robot and scene touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The feature of the robot.
    pub a: RobotFeature,
    /// The feature of the scene.
    pub b: SceneFeature,
    /// Contact point in world coordinates, metres.
    pub point: [f64; 3],
    /// Unit vector from the scene towards the robot, world coordinates.
    pub normal: [f64; 3],
}

impl ContactPoint {
    /// Sort key of the order in which contacts are reported.
    pub fn order(&self) -> [u32; 4] {
        [self.a.link, self.b.object, self.a.triangle, self.b.triangle]
    }
}

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// The k-th listed vertex.
    Vertex(u8),
    /// The edge from vertex k to vertex k+1 (mod 3).
    Edge(u8),
    /// The face.
    Face,
}

impl Feature {
    /// `vertex`, `edge` or `face`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex(_) => "vertex",
            Self::Edge(_) => "edge",
            Self::Face => "face",
        }
    }

    /// The vertex or edge number; 0 for the face.
    pub fn index(self) -> u8 {
        match self {
            Self::Vertex(k) | Self::Edge(k) => k,
            Self::Face => 0,
        }
    }
}

/// A feature of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobotFeature {
    /// Index of the link in the robot.
    pub link: u32,
    /// Index of the shape within the link.
    pub shape: u32,
    /// The triangle, counted over the link's shapes in file order.
    pub triangle: u32,
    /// The part of the triangle.
    pub feature: Feature,
}

/// A feature of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneFeature {
    /// Index of the object in the scene.
    pub object: u32,
    /// The triangle, counted within the object in file order.
    pub triangle: u32,
    /// The part of the triangle.
    pub feature: Feature,
}

/// Time up to which the motion is clear, and the reason why the search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Undecided {
    /// Nothing touches before this time; this is guaranteed.
    pub clear_until: f64,
    /// Reason why the search ended.
    pub reason: UndecidedReason,
}

/// Reason why a search ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndecidedReason {
    /// The cap on evaluations was reached.
    EvaluationCap,
    /// There was not enough memory for the candidates.
    Memory,
}

impl UndecidedReason {
    /// All reasons.
    pub const ALL: [Self; 2] = [Self::EvaluationCap, Self::Memory];

    /// The reason with this name in the results.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The name in the results.
    pub fn name(self) -> &'static str {
        match self {
            Self::EvaluationCap => "evaluation-cap",
            Self::Memory => "memory",
        }
    }
}
