//! Answers as lines of JSON, in the form that scripts and other programs read.

use crate::model::robot::Robot;
use crate::model::scene::Scene;
use crate::verdict::{Contact, Feature, Verdict};
use serde::Serialize;

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
    },
    /// Something touches, or may.
    Contact {
        /// Number of the motion.
        motion: usize,
        /// `"contact"`.
        verdict: &'static str,
        /// See [`Contact::toc`].
        toc: [f64; 2],
        /// See [`Contact::proved`].
        proved: bool,
        /// See [`Contact::certified`].
        certified: bool,
        /// See [`Contact::initial_overlap`].
        initial_overlap: bool,
        /// The robot's side.
        a: RobotSide<'a>,
        /// The scene's side.
        b: SceneSide<'a>,
        /// World coordinates, metres.
        point: [f64; 3],
        /// Unit vector from the scene to the robot.
        normal: [f64; 3],
    },
    /// No answer.
    Undecided {
        /// Number of the motion.
        motion: usize,
        /// `"undecided"`.
        verdict: &'static str,
        /// Before this time nothing touches.
        clear_until: f64,
        /// Why.
        reason: &'static str,
    },
}

/// The robot's side of a contact.
#[derive(Clone, Debug, Serialize)]
pub struct RobotSide<'a> {
    /// Name of the link.
    pub link: &'a str,
    /// Which of its shapes.
    pub shape: u32,
    /// The triangle, counted over the link's shapes in file order.
    pub triangle: u32,
    /// `vertex`, `edge` or `face`.
    pub feature: &'static str,
    /// Number of the vertex or edge.
    pub index: u8,
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

impl<'a> Line<'a> {
    /// The line for a verdict.
    pub fn new(motion: usize, verdict: &Verdict, robot: &'a Robot, scene: &'a Scene) -> Self {
        match verdict {
            Verdict::Free => Self::Free { motion, verdict: "free" },
            Verdict::Undecided(u) => {
                Self::Undecided { motion, verdict: "undecided", clear_until: u.clear_until, reason: u.reason.name() }
            }
            Verdict::Contact(c) => Self::contact(motion, c, robot, scene),
        }
    }

    fn contact(motion: usize, c: &Contact, robot: &'a Robot, scene: &'a Scene) -> Self {
        let named = |f: Feature| (f.name(), f.index());
        let ((feature_a, index_a), (feature_b, index_b)) = (named(c.a.feature), named(c.b.feature));
        Self::Contact {
            motion,
            verdict: "contact",
            toc: c.toc,
            proved: c.proved,
            certified: c.certified,
            initial_overlap: c.initial_overlap,
            a: RobotSide {
                link: &robot.links[c.a.link as usize].name,
                shape: c.a.shape,
                triangle: c.a.triangle,
                feature: feature_a,
                index: index_a,
            },
            b: SceneSide {
                object: &scene.objects[c.b.object as usize].name,
                triangle: c.b.triangle,
                feature: feature_b,
                index: index_b,
            },
            point: c.point,
            normal: c.normal,
        }
    }
}
