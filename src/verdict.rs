//! Verdicts: the engine's answers for motions.

/// The answer for one motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No tested pair touches, or comes within the margin, at any time; this is guaranteed.
    Free,
    /// Something touches, or comes so close that contact can be neither proved nor excluded.
    Contact(Contact),
    /// The search ended without an answer.
    Undecided(Undecided),
}

impl Verdict {
    /// Returns whether something touches, or may touch.
    pub fn is_contact(&self) -> bool {
        matches!(self, Self::Contact(_))
    }
}

/// The answer for one trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryVerdict {
    /// The answer. Its times are relative to the segments given by the next two fields, from 0 to 1.
    pub verdict: Verdict,
    /// The segment to which `toc[0]` or `clear_until` is relative, counted from 0; 0 for a free trajectory.
    pub segment: usize,
    /// The segment to which `toc[1]` is relative: the same one, a later one, or the last one if the contact is not
    /// proved.
    pub segment_hi: usize,
    /// `toc` in seconds on the trajectory's own clock; for an undecided trajectory, the time of `clear_until` in both
    /// entries. `None` if the trajectory has no times.
    pub time_s: Option<[f64; 2]>,
}

impl TrajectoryVerdict {
    /// The answer for a motion, which is a trajectory of one segment.
    pub fn of_motion(verdict: &Verdict) -> Self {
        Self { verdict: verdict.clone(), segment: 0, segment_hi: 0, time_s: None }
    }
}

/// The first contact of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Enclosure of the time of first contact, as fractions of the motion: nothing touches before the first number
    /// (guaranteed). If the contact is proved, it exists at or before the second number; otherwise the second number is
    /// 1.
    pub toc: [f64; 2],
    /// How certain the contact is.
    pub certainty: Certainty,
    /// True if a link touches the scene or another link at the start, or the motion starts inside a solid (`inside`).
    pub initial_overlap: bool,
    /// The solid in which the motion starts without touching it; `None` unless
    /// [`Solids::Contact`](crate::Solids::Contact) was requested. In that case the time of contact is 0, and there is
    /// no place of first contact, since no features touch.
    pub inside: Option<Inside>,
    /// Place of the first contact and the features that touch; `None` if only the verdict was requested
    /// ([`Mode::Verdict`](crate::stage::s6_solve::Mode)), or the motion starts inside a solid.
    pub first: Option<ContactPoint>,
    /// All contacts that cannot be distinguished in time from the earliest one, which is included, in the order of
    /// links, objects and triangles; empty unless requested. Parallel edges touch twice, at the ends of their common
    /// part.
    pub simultaneous: Vec<ContactPoint>,
}

impl Contact {
    /// A contact that is possible from the time `from` on.
    pub(crate) fn possible(from: f64, first: Option<ContactPoint>) -> Self {
        Self {
            toc: [from, 1.0],
            certainty: Certainty::Possible,
            initial_overlap: false,
            inside: None,
            first,
            simultaneous: Vec::new(),
        }
    }

    /// The contact of a motion that starts inside a solid.
    pub(crate) fn inside(inside: Inside) -> Self {
        Self {
            toc: [0.0, 0.0],
            certainty: Certainty::Certified,
            initial_overlap: true,
            inside: Some(inside),
            first: None,
            simultaneous: Vec::new(),
        }
    }

    /// Returns whether the contact is proved to exist, not merely possible.
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
    /// Two bodies are so near to each other that contact can be neither proved nor excluded.
    Possible,
    /// A contact exists.
    Proved,
    /// A contact exists, and the enclosure of its time is no wider than the tolerance, or than the time in which the
    /// link travels the [floor](crate::stage::s6_solve::SolveOptions::floor_m).
    Certified,
}

impl Certainty {
    /// The certainty of a contact, given whether it is proved and whether its enclosure is as narrow as the tolerance.
    pub fn new(is_proved: bool, is_narrow: bool) -> Self {
        match (is_proved, is_narrow) {
            (false, _) => Self::Possible,
            (true, false) => Self::Proved,
            (true, true) => Self::Certified,
        }
    }
}

/// One place at which a link touches the scene or another link, at the start of the contact's enclosure.
///
/// The features are the nearest ones at this time. Pairs of features whose distances differ by less than 10⁻⁹ m count
/// as equally near: a vertex and a face then precede two edges, and lower indices precede higher ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The feature of the link; for two links, of the one with the lower index in the robot.
    pub a: RobotFeature,
    /// The feature of the scene or of the other link.
    pub b: ObstacleFeature,
    /// Contact point in world coordinates, metres.
    pub point: [f64; 3],
    /// Unit vector from `b` towards `a`, in world coordinates.
    pub normal: [f64; 3],
}

impl ContactPoint {
    /// Sort key of the order in which contacts are reported: objects of the scene before links.
    pub fn order(&self) -> (u32, Obstacle, u32, u32) {
        (self.a.link, self.b.obstacle(), self.a.triangle, self.b.triangle())
    }
}

/// A link inside a closed object or link, or an object or part of it inside a closed link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// Index of the link in the robot; for two links, the lower index.
    pub link: u32,
    /// The object or the other link.
    pub obstacle: Obstacle,
    /// Position of a vertex that is inside, in world coordinates, metres.
    pub point: [f64; 3],
}

/// An object or link that a link may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Obstacle {
    /// An object of the scene, by its index.
    Object(u32),
    /// A link of the robot, by its index.
    Link(u32),
}

/// A feature of the scene or of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleFeature {
    /// A feature of the scene.
    Scene(SceneFeature),
    /// A feature of a link.
    Link(RobotFeature),
}

impl ObstacleFeature {
    /// The object or link that the feature belongs to.
    pub fn obstacle(&self) -> Obstacle {
        match self {
            Self::Scene(of) => Obstacle::Object(of.object),
            Self::Link(of) => Obstacle::Link(of.link),
        }
    }

    /// Index of the object that the feature belongs to; `None` for a feature of a link.
    pub fn object(&self) -> Option<u32> {
        match self {
            Self::Scene(of) => Some(of.object),
            Self::Link(_) => None,
        }
    }

    /// The triangle, counted within the object or over the link's shapes in file order.
    pub fn triangle(&self) -> u32 {
        match self {
            Self::Scene(of) => of.triangle,
            Self::Link(of) => of.triangle,
        }
    }

    /// The part of the triangle.
    pub fn feature(&self) -> Feature {
        match self {
            Self::Scene(of) => of.feature,
            Self::Link(of) => of.feature,
        }
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

/// A search that ended without an answer: the time up to which the motion is clear, and the reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Undecided {
    /// Nothing touches before this time, a fraction of the motion; this is guaranteed.
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

    /// The reason with this name in the results; `None` if there is no such reason.
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
