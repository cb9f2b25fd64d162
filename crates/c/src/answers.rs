//! Answers as structures.

use firstcontact::{
    Clearance, Contact, ContactPoint, Feature, Inside, Obstacle, ObstacleFeature, RobotFeature, TrajectoryVerdict,
    UndecidedReason, Verdict,
};

/// Kind of an answer.
pub type FcVerdict = i32;
/// Nothing touches at any time; this is guaranteed.
pub const FC_FREE: FcVerdict = 0;
/// Something touches, or comes so close that contact can be neither proved nor excluded.
pub const FC_CONTACT: FcVerdict = 1;
/// The search ended without an answer.
pub const FC_UNDECIDED: FcVerdict = 2;

/// Reason for a missing answer.
pub type FcReason = i32;
/// There is an answer.
pub const FC_REASON_NONE: FcReason = -1;
/// The cap on evaluations was reached.
pub const FC_REASON_EVALUATION_CAP: FcReason = 0;
/// There was not enough memory.
pub const FC_REASON_MEMORY: FcReason = 1;

/// A part of a triangle.
pub type FcFeature = i32;
/// Unknown.
pub const FC_FEATURE_NONE: FcFeature = -1;
/// A vertex, the one with this index in the triangle.
pub const FC_FEATURE_VERTEX: FcFeature = 0;
/// The edge from the vertex with this index to the next one.
pub const FC_FEATURE_EDGE: FcFeature = 1;
/// The face.
pub const FC_FEATURE_FACE: FcFeature = 2;

/// One side of a contact. Unknown values are -1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FcSide {
    /// The triangle, in file order: of an object, or over all shapes of a link.
    pub triangle: i64,
    /// Index of the shape of a link; -1 for an object.
    pub shape: i32,
    /// The part of the triangle.
    pub feature: FcFeature,
    /// Index of the vertex or edge, 0 for the face.
    pub index: i32,
    /// Reserved.
    pub reserved: i32,
}

/// A place at which a link touches the scene or another link. If there is no such place, indices are -1 and numbers
/// NaN.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FcContact {
    /// Index of the link, as in fc_engine_link_name; for two links, the first one.
    pub link: i32,
    /// Index of the object, or -1 if the other side is a link.
    pub object: i32,
    /// Index of the other link, or -1 if the other side is an object.
    pub other_link: i32,
    /// Reserved.
    pub reserved: i32,
    /// The side of the link.
    pub a: FcSide,
    /// The side of the object or the other link.
    pub b: FcSide,
    /// The contact point, in world coordinates.
    pub point: [f64; 3],
    /// Unit vector from b towards a, in world coordinates.
    pub normal: [f64; 3],
}

/// The answer for a motion or trajectory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcAnswer {
    /// Kind of the answer.
    pub verdict: FcVerdict,
    /// Reason for a missing answer.
    pub reason: FcReason,
    /// Enclosure of the time of first contact: nothing touches before the first number, and if proved, something
    /// touches at or before the second one. NaN without contact.
    pub toc: [f64; 2],
    /// Nothing touches before this time: 1 if free.
    pub clear_until: f64,
    /// A contact exists.
    pub proved: bool,
    /// A contact exists, and the enclosure of its time is as narrow as the tolerance.
    pub certified: bool,
    /// Something touches at the start.
    pub initial_overlap: bool,
    /// True if the motion starts inside a solid; the contact identifies the solid.
    pub inside: bool,
    /// Reserved.
    pub reserved: i32,
    /// The first contact.
    pub contact: FcContact,
    /// For a trajectory: the segment to which the lower end of toc, or clear_until, is relative.
    pub segment: i64,
    /// For a trajectory: the segment to which the upper end of toc is relative.
    pub segment_hi: i64,
    /// For a trajectory with times: toc in seconds, or clear_until in seconds in both entries; otherwise NaN.
    pub time_s: [f64; 2],
}

/// A sequence of answers: the next one is stride_bytes after the last one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcAnswers {
    /// The first one.
    pub data: *const FcAnswer,
    /// Number of answers.
    pub length: usize,
    /// Bytes from one to the next.
    pub stride_bytes: usize,
}

/// A sequence of contacts: the next one is stride_bytes after the last one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcContacts {
    /// The first one.
    pub data: *const FcContact,
    /// Number of contacts.
    pub length: usize,
    /// Bytes from one to the next.
    pub stride_bytes: usize,
}

/// The smallest distance between the robot and its obstacles along a trajectory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcClearance {
    /// The distance is at least the first number (guaranteed) and at most the second one, metres; the second number is
    /// infinite if the distance is beyond the limit.
    pub distance_m: [f64; 2],
    /// Segment of a time at which the distance is at most the second number; -1 if the distance is beyond the limit.
    pub segment: i64,
    /// That time, relative to the segment.
    pub t: f64,
    /// The nearest features at that time; its point is the nearest point of side a, and its normal is NaN.
    pub nearest: FcContact,
    /// The nearest point of side b.
    pub other_point: [f64; 3],
}

/// A sequence of clearances: the next one is stride_bytes after the last one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcClearances {
    /// The first one.
    pub data: *const FcClearance,
    /// Number of clearances.
    pub length: usize,
    /// Bytes from one to the next.
    pub stride_bytes: usize,
}

const NAN3: [f64; 3] = [f64::NAN; 3];

impl FcSide {
    const NONE: Self = Self { triangle: -1, shape: -1, feature: FC_FEATURE_NONE, index: -1, reserved: 0 };

    fn new(shape: i32, triangle: u32, feature: Feature) -> Self {
        let kind = match feature {
            Feature::Vertex(_) => FC_FEATURE_VERTEX,
            Feature::Edge(_) => FC_FEATURE_EDGE,
            Feature::Face => FC_FEATURE_FACE,
        };
        Self { triangle: i64::from(triangle), shape, feature: kind, index: i32::from(feature.index()), reserved: 0 }
    }

    fn of_link(of: &RobotFeature) -> Self {
        Self::new(of.shape as i32, of.triangle, of.feature)
    }

    fn of(of: &ObstacleFeature) -> Self {
        match of {
            ObstacleFeature::Link(of) => Self::of_link(of),
            ObstacleFeature::Scene(of) => Self::new(-1, of.triangle, of.feature),
        }
    }
}

impl FcContact {
    const NONE: Self = Self {
        link: -1,
        object: -1,
        other_link: -1,
        reserved: 0,
        a: FcSide::NONE,
        b: FcSide::NONE,
        point: NAN3,
        normal: NAN3,
    };

    fn between(link: u32, obstacle: Obstacle) -> Self {
        let (object, other_link) = match obstacle {
            Obstacle::Object(object) => (object as i32, -1),
            Obstacle::Link(link) => (-1, link as i32),
        };
        Self { link: link as i32, object, other_link, ..Self::NONE }
    }

    fn of_sides(a: &RobotFeature, b: &ObstacleFeature) -> Self {
        Self { a: FcSide::of_link(a), b: FcSide::of(b), ..Self::between(a.link, b.obstacle()) }
    }

    pub(crate) fn new(of: &ContactPoint) -> Self {
        Self { point: of.point, normal: of.normal, ..Self::of_sides(&of.a, &of.b) }
    }

    fn first(of: &Contact) -> Self {
        match (&of.first, &of.inside) {
            (Some(first), _) => Self::new(first),
            (None, Some(Inside { link, obstacle, point })) => Self { point: *point, ..Self::between(*link, *obstacle) },
            (None, None) => Self::NONE,
        }
    }
}

/// The time before which nothing touches.
pub(crate) fn clear_until(verdict: &Verdict) -> f64 {
    match verdict {
        Verdict::Free => 1.0,
        Verdict::Contact(contact) => contact.toc[0],
        Verdict::Undecided(undecided) => undecided.clear_until,
    }
}

impl FcAnswer {
    pub(crate) fn new(verdict: &Verdict) -> Self {
        let none = Self {
            verdict: FC_FREE,
            reason: FC_REASON_NONE,
            toc: [f64::NAN; 2],
            clear_until: clear_until(verdict),
            proved: false,
            certified: false,
            initial_overlap: false,
            inside: false,
            reserved: 0,
            contact: FcContact::NONE,
            segment: 0,
            segment_hi: 0,
            time_s: [f64::NAN; 2],
        };
        match verdict {
            Verdict::Free => none,
            Verdict::Contact(contact) => Self {
                verdict: FC_CONTACT,
                toc: contact.toc,
                proved: contact.is_proved(),
                certified: contact.is_certified(),
                initial_overlap: contact.initial_overlap,
                inside: contact.inside.is_some(),
                contact: FcContact::first(contact),
                ..none
            },
            Verdict::Undecided(undecided) => {
                let reason = match undecided.reason {
                    UndecidedReason::EvaluationCap => FC_REASON_EVALUATION_CAP,
                    UndecidedReason::Memory => FC_REASON_MEMORY,
                };
                Self { verdict: FC_UNDECIDED, reason, ..none }
            }
        }
    }

    pub(crate) fn of_trajectory(answer: &TrajectoryVerdict) -> Self {
        Self {
            segment: answer.segment as i64,
            segment_hi: answer.segment_hi as i64,
            time_s: answer.time_s.unwrap_or([f64::NAN; 2]),
            ..Self::new(&answer.verdict)
        }
    }
}

impl FcClearance {
    pub(crate) fn new(of: &Clearance) -> Self {
        let Some(closest) = &of.closest else {
            let nearest = FcContact::NONE;
            return Self { distance_m: of.distance_m, segment: -1, t: f64::NAN, nearest, other_point: NAN3 };
        };
        let nearest = FcContact { point: closest.points[0], ..FcContact::of_sides(&closest.a, &closest.b) };
        let (segment, t, other_point) = (closest.segment as i64, closest.t, closest.points[1]);
        Self { distance_m: of.distance_m, segment, t, nearest, other_point }
    }
}
