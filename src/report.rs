//! Answers as lines of JSON, in the form that scripts and other programs read.

use crate::clearance::Clearance;
use crate::robot::{Link, Robot, Trajectory, trajectory};
use crate::scene::Scene;
use crate::verdict::{
    Contact, ContactPoint, Obstacle, ObstacleFeature, RobotFeature, SceneFeature, TrajectoryVerdict, Verdict,
};
use glam::DAffine3;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer for one motion, with the names of links and objects.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Line<'a> {
    /// Nothing touches.
    Free {
        /// Number of the motion.
        motion: usize,
        /// `"free"`.
        verdict: &'static str,
        /// The smallest distance at any time; omitted unless it was measured.
        #[serde(skip_serializing_if = "Option::is_none")]
        clearance: Option<Box<Kept<'a>>>,
    },
    /// Something touches, or may touch.
    Contact {
        /// Number of the motion.
        motion: usize,
        /// `"contact"`.
        verdict: &'static str,
        /// The segment to which `toc[0]` is relative, if the motion is a trajectory.
        #[serde(skip_serializing_if = "Option::is_none")]
        segment: Option<usize>,
        /// See [`Contact::toc`].
        toc: [f64; 2],
        /// The segment to which `toc[1]` is relative, if it is another one.
        #[serde(skip_serializing_if = "Option::is_none")]
        segment_hi: Option<usize>,
        /// `toc` in seconds on the trajectory's clock, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        time_s: Option<[f64; 2]>,
        /// See [`Contact::is_proved`].
        proved: bool,
        /// See [`Contact::is_certified`].
        certified: bool,
        /// See [`Contact::initial_overlap`].
        initial_overlap: bool,
        /// The solid in which the motion starts; omitted without such a solid, or if starting in a solid does not count
        /// as a contact.
        #[serde(flatten)]
        inside: Option<Enclosed<'a>>,
        /// Place of the first contact; omitted if it is unknown.
        #[serde(flatten)]
        at: Option<Box<Place<'a>>>,
        /// See [`Contact::simultaneous`]; omitted if empty.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        contacts: Vec<Place<'a>>,
        /// Poses of the links at the start of the enclosure, link to world: three rows of a 3×4 matrix. Omitted if
        /// empty.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        poses: BTreeMap<&'a str, [[f64; 4]; 3]>,
    },
    /// No answer.
    Undecided {
        /// Number of the motion.
        motion: usize,
        /// `"undecided"`.
        verdict: &'static str,
        /// The segment to which `clear_until` is relative, if the motion is a trajectory.
        #[serde(skip_serializing_if = "Option::is_none")]
        segment: Option<usize>,
        /// Nothing touches before this time.
        clear_until: f64,
        /// The same time in seconds on the trajectory's clock, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        clear_until_s: Option<f64>,
        /// Reason why there is no answer.
        reason: &'static str,
    },
}

/// The smallest distance at any time.
#[derive(Clone, Debug, Serialize)]
pub struct Kept<'a> {
    /// See [`Clearance::distance_m`]; the second number is null beyond the limit, and the whole field is null if the
    /// robot has no obstacles.
    pub distance_m: Option<[Option<f64>; 2]>,
    /// The nearest points at a time at which the distance is at most the second number.
    #[serde(flatten)]
    pub at: Option<Nearest<'a>>,
}

/// The nearest points of a link and an obstacle at one time.
#[derive(Clone, Debug, Serialize)]
pub struct Nearest<'a> {
    /// Number of the segment; 0 for a motion.
    pub segment: usize,
    /// Time relative to the segment.
    pub t: f64,
    /// The same time in seconds on the trajectory's clock, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_s: Option<f64>,
    /// The link; for two links, the one with the lower index in the robot.
    pub a: RobotSide<'a>,
    /// The scene or the other link.
    pub b: ObstacleSide<'a>,
    /// The nearest points of `a` and `b`, in world coordinates, metres.
    pub points: [[f64; 3]; 2],
}

/// A link and an obstacle, one of which is inside the other at the start without touching it.
#[derive(Clone, Debug, Serialize)]
pub struct Enclosed<'a> {
    /// Always true.
    pub inside: bool,
    /// The link; for two links, the one with the lower index in the robot.
    pub a: Named<'a>,
    /// The object or the other link.
    pub b: Named<'a>,
    /// Position of a vertex that is inside, in world coordinates, metres.
    pub point: [f64; 3],
}

/// The name of a link or an object.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Named<'a> {
    /// A link of the robot.
    Link(LinkName<'a>),
    /// An object of the scene.
    Object {
        /// Its name.
        object: &'a str,
    },
}

/// The name of a link, or of an attached object and the link that carries it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LinkName<'a> {
    /// Name of the link, or of the link that carries the attached object.
    pub link: &'a str,
    /// Name of the attached object, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attached: Option<&'a str>,
}

impl<'a> LinkName<'a> {
    fn new(of: &'a Link) -> Self {
        let attached = of.attached_to.is_some().then_some(&*of.name);
        Self { link: of.attached_to.as_deref().unwrap_or(&of.name), attached }
    }

    /// Name of the attached object or link.
    pub fn name(self) -> &'a str {
        self.attached.unwrap_or(self.link)
    }
}

impl<'a> Named<'a> {
    fn new(of: Obstacle, robot: &'a Robot, scene: &'a Scene) -> Self {
        match of {
            Obstacle::Link(link) => Self::Link(LinkName::new(&robot.links[link as usize])),
            Obstacle::Object(object) => Self::Object { object: &scene.objects[object as usize].name },
        }
    }

    /// The name.
    pub fn name(self) -> &'a str {
        match self {
            Self::Link(link) => link.name(),
            Self::Object { object } => object,
        }
    }
}

/// One place at which robot and scene touch.
#[derive(Clone, Debug, Serialize)]
pub struct Place<'a> {
    /// The link; for two links, the one with the lower index in the robot.
    pub a: RobotSide<'a>,
    /// The scene or the other link.
    pub b: ObstacleSide<'a>,
    /// Contact point in world coordinates, metres.
    pub point: [f64; 3],
    /// Unit vector from `b` towards `a`, in world coordinates.
    pub normal: [f64; 3],
}

/// The obstacle's side of a contact: the scene or another link.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum ObstacleSide<'a> {
    /// The scene.
    Scene(SceneSide<'a>),
    /// A link of the robot.
    Link(RobotSide<'a>),
}

impl<'a> ObstacleSide<'a> {
    fn new(of: &ObstacleFeature, robot: &'a Robot, scene: &'a Scene) -> Self {
        match of {
            ObstacleFeature::Scene(b) => Self::Scene(SceneSide::new(b, scene)),
            ObstacleFeature::Link(b) => Self::Link(RobotSide::new(b, robot)),
        }
    }

    /// Name of the object, the attached object or the link.
    pub fn name(&self) -> &str {
        match self {
            Self::Scene(side) => side.object,
            Self::Link(side) => side.name(),
        }
    }

    /// `vertex`, `edge` or `face`, and the number of the vertex or edge.
    pub fn feature(&self) -> (&'static str, u8) {
        match self {
            Self::Scene(side) => (side.feature, side.index),
            Self::Link(side) => (side.feature, side.index),
        }
    }
}

/// The robot's side of a contact.
#[derive(Clone, Debug, Serialize)]
pub struct RobotSide<'a> {
    /// The link, or the attached object.
    #[serde(flatten)]
    pub of: LinkName<'a>,
    /// Index of the shape within the link.
    pub shape: u32,
    /// The triangle, counted over the link's shapes in file order.
    pub triangle: u32,
    /// `vertex`, `edge` or `face`.
    pub feature: &'static str,
    /// Number of the vertex or edge.
    pub index: u8,
}

impl<'a> RobotSide<'a> {
    fn new(a: &RobotFeature, robot: &'a Robot) -> Self {
        let of = LinkName::new(&robot.links[a.link as usize]);
        let (feature, index) = (a.feature.name(), a.feature.index());
        Self { of, shape: a.shape, triangle: a.triangle, feature, index }
    }

    /// Name of the attached object or link.
    pub fn name(&self) -> &'a str {
        self.of.name()
    }
}

/// The scene's side of a contact.
#[derive(Clone, Debug, Serialize)]
pub struct SceneSide<'a> {
    /// Name of the object.
    pub object: &'a str,
    /// The triangle, counted within the object in file order.
    pub triangle: u32,
    /// `vertex`, `edge` or `face`.
    pub feature: &'static str,
    /// Number of the vertex or edge.
    pub index: u8,
}

impl<'a> SceneSide<'a> {
    fn new(b: &SceneFeature, scene: &'a Scene) -> Self {
        let object = &scene.objects[b.object as usize].name;
        Self { object, triangle: b.triangle, feature: b.feature.name(), index: b.feature.index() }
    }
}

impl<'a> Line<'a> {
    /// The line for a verdict.
    pub fn new(motion: usize, verdict: &Verdict, robot: &'a Robot, scene: &'a Scene) -> Self {
        match verdict {
            Verdict::Free => Self::Free { motion, verdict: "free", clearance: None },
            Verdict::Undecided(u) => Self::Undecided {
                motion,
                verdict: "undecided",
                segment: None,
                clear_until: u.clear_until,
                clear_until_s: None,
                reason: u.reason.name(),
            },
            Verdict::Contact(c) => Self::contact(motion, c, robot, scene),
        }
    }

    /// The line for the answer for a trajectory. A trajectory with a single segment and no times has the same line as a
    /// motion.
    pub fn of_trajectory(
        motion: usize,
        answer: &TrajectoryVerdict,
        of: &Trajectory,
        robot: &'a Robot,
        scene: &'a Scene,
    ) -> Self {
        let mut line = Self::new(motion, &answer.verdict, robot, scene);
        let named = of.n_segments() > 1 || of.times_s().is_some();
        match &mut line {
            Self::Free { .. } => {}
            Self::Contact { segment, segment_hi, time_s, .. } => {
                *segment = named.then_some(answer.segment);
                *segment_hi = (answer.segment_hi != answer.segment).then_some(answer.segment_hi);
                *time_s = answer.time_s;
            }
            Self::Undecided { segment, clear_until_s, .. } => {
                *segment = named.then_some(answer.segment);
                *clear_until_s = answer.time_s.map(|t| t[0]);
            }
        }
        line
    }

    /// Adds the clearance of a trajectory to a free answer.
    pub fn with_clearance(&mut self, of: &Clearance, path: &Trajectory, robot: &'a Robot, scene: &'a Scene) {
        let Self::Free { clearance, .. } = self else { return };
        let finite = of.distance_m.map(|d| d.is_finite().then_some(d));
        let at = of.closest.as_ref().map(|at| Nearest {
            segment: at.segment,
            t: at.t,
            time_s: path.time_s(trajectory::Place { segment: at.segment, t: at.t }, false),
            a: RobotSide::new(&at.a, robot),
            b: ObstacleSide::new(&at.b, robot, scene),
            points: at.points,
        });
        *clearance = Some(Box::new(Kept { distance_m: (finite != [None; 2]).then_some(finite), at }));
    }

    /// Adds the poses of links and attached objects to a contact; `bodies` are the poses of the robot's bodies.
    pub fn with_poses(&mut self, robot: &'a Robot, bodies: &[DAffine3]) {
        if let Self::Contact { poses, .. } = self {
            let row = |pose: &DAffine3, i: usize| {
                let m = pose.matrix3;
                [m.x_axis[i], m.y_axis[i], m.z_axis[i], pose.translation[i]]
            };
            let of_link = |l: &'a Link| {
                let pose = *bodies.get(l.body as usize)? * l.pose;
                Some((l.name.as_str(), [0, 1, 2].map(|i| row(&pose, i))))
            };
            *poses = robot.links.iter().filter_map(of_link).collect();
        }
    }

    fn contact(motion: usize, c: &Contact, robot: &'a Robot, scene: &'a Scene) -> Self {
        let one = |t: &ContactPoint| {
            let (a, b) = (RobotSide::new(&t.a, robot), ObstacleSide::new(&t.b, robot, scene));
            Place { a, b, point: t.point, normal: t.normal }
        };
        Self::Contact {
            motion,
            verdict: "contact",
            segment: None,
            toc: c.toc,
            segment_hi: None,
            time_s: None,
            proved: c.is_proved(),
            certified: c.is_certified(),
            initial_overlap: c.initial_overlap,
            inside: c.inside.map(|of| Enclosed {
                inside: true,
                a: Named::new(Obstacle::Link(of.link), robot, scene),
                b: Named::new(of.obstacle, robot, scene),
                point: of.point,
            }),
            at: c.first.as_ref().map(one).map(Box::new),
            contacts: c.simultaneous.iter().map(one).collect(),
            poses: BTreeMap::new(),
        }
    }
}
