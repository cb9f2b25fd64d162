//! Toleranced motions of robots: each link against the whole scene.

#[cfg(feature = "gpu")]
use super::batch::Batch;
use super::certificate::{Orders, Step};
use super::checker::{Checker, Refusal, Standing, Subject};
use super::face::{Face, Fixed};
use super::problem::{Limits, Masses, Polygon};
use super::search::{Bodies, Counts, Options, Possible, RANGE_INFLATION, cover, fixed_tree, moving_tree};
use super::smooth::JointCourse;
use super::tree::Tree;
#[cfg(feature = "gpu")]
use super::worklist::{Course, cover_on};
use crate::error::{Result, quoted};
use crate::robot::{JointMotion, Robot, RobotMotion, Triangle};
use crate::scene::Scene;

/// Factor by which the corners of a link's triangle are moved outward to become its feature points.
pub const TRIANGLE_INFLATION: f64 = 2.0;

/// A robot and a scene, prepared for the search.
#[derive(Debug)]
pub struct Toleranced<'r> {
    robot: &'r Robot,
    links: Vec<LinkFaces>,
    fixed: Vec<Fixed>,
    fixed_tree: Tree,
}

#[derive(Debug)]
struct LinkFaces {
    body: u32,
    faces: Vec<Face>,
    tree: Tree,
}

/// The result for a motion.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The proofs of the links, in the robot's order; valid if `possible` is empty.
    pub proofs: Vec<Vec<Step>>,
    /// Links, and the parts of the motion in which they may touch.
    pub possible: Vec<(usize, Possible)>,
    /// Counts of the work.
    pub counts: Counts,
}

impl Answer {
    /// Returns whether nothing touches, which is guaranteed.
    pub fn is_free(&self) -> bool {
        self.possible.is_empty()
    }

    /// Returns the time before which nothing touches, a fraction of the motion; this is guaranteed.
    pub fn clear_until(&self) -> f64 {
        self.possible.iter().map(|(_, p)| p.span.start()).fold(1.0, f64::min)
    }
}

fn plain(t: &Triangle) -> [[f64; 3]; 3] {
    t.map(|v| v.to_array())
}

impl<'r> Toleranced<'r> {
    /// Prepares the triangles of a robot and a scene.
    ///
    /// # Errors
    /// A coordinate is beyond 10⁶ m.
    pub fn new(robot: &'r Robot, scene: &Scene) -> Result<Self> {
        let fixed = scene.triangles.iter().map(|t| Fixed::new(&plain(t)));
        let fixed = fixed.collect::<Result<Vec<_>>>().map_err(|e| e.at("scene"))?;
        let fixed_tree = fixed_tree(&fixed);
        let link = |link: &crate::robot::Link| {
            let faces = link.triangles.iter().map(|t| Face::triangle(plain(t), TRIANGLE_INFLATION));
            let faces = faces.collect::<Result<Vec<_>>>().map_err(|e| e.at(format!("link {}", quoted(&link.name))))?;
            let tree = moving_tree(&faces);
            Ok(LinkFaces { body: link.body, faces, tree })
        };
        Ok(Self { robot, links: robot.links.iter().map(link).collect::<Result<_>>()?, fixed, fixed_tree })
    }

    fn bodies<'a>(&'a self, link: &'a LinkFaces) -> Bodies<'a> {
        Bodies { moving: &link.faces, moving_tree: &link.tree, fixed: &self.fixed, fixed_tree: &self.fixed_tree }
    }

    /// Covers a motion between two configurations; keeps the proofs if `proof` is true.
    ///
    /// # Errors
    /// The configurations do not fit the robot.
    pub fn check(&self, q0: &[f64], q1: &[f64], limits: &Limits, proof: bool) -> Result<Answer> {
        let motion = RobotMotion::new(self.robot, q0, q1)?;
        let mut answer = Answer::default();
        for (l, link) in self.links.iter().enumerate() {
            let horizon = if limits.first { answer.clear_until() } else { f64::INFINITY };
            let horizon = if answer.is_free() { f64::INFINITY } else { horizon };
            let options = Options { proof, horizon, ..Options::new(*limits) };
            let found = cover(&self.bodies(link), &JointCourse { motion: &motion, body: link.body }, &options);
            answer.possible.extend(found.possible.into_iter().map(|p| (l, p)));
            answer.proofs.push(found.proof);
            answer.counts.add(&found.counts);
        }
        Ok(answer)
    }

    /// Covers several motions together, with the elementary tests on an adapter; proofs are not kept.
    ///
    /// # Errors
    /// A motion's configurations do not fit the robot (the message contains its index), or the device failed.
    #[cfg(feature = "gpu")]
    pub fn check_on(&self, device: &mut Batch, motions: &[[&[f64]; 2]], limits: &Limits) -> Result<Vec<Answer>> {
        let model = |(i, [q0, q1]): (usize, &[&[f64]; 2])| {
            RobotMotion::new(self.robot, q0, q1).map_err(|e| e.at(format!("motion {i} of these")))
        };
        let models = motions.iter().enumerate().map(model).collect::<Result<Vec<_>>>()?;
        let each = || models.iter().enumerate().flat_map(|m| self.links.iter().enumerate().map(move |link| (m, link)));
        let joints: Vec<_> = each().map(|((_, motion), (_, link))| JointCourse { motion, body: link.body }).collect();
        let courses = each().zip(&joints).map(|(((group, _), (_, link)), motion)| Course {
            bodies: self.bodies(link),
            motion,
            group,
        });
        let courses: Vec<Course> = courses.collect();
        let found = cover_on(device, &courses, limits)?;
        let mut answers = vec![Answer::default(); motions.len()];
        for (((m, _), (l, _)), covering) in each().zip(found) {
            let answer = &mut answers[m];
            answer.possible.extend(covering.possible.into_iter().map(|p| (l, p)));
            answer.counts.add(&covering.counts);
        }
        Ok(answers)
    }

    /// Returns the orders of triangles that the proofs of the links refer to.
    pub fn orders(&self) -> Vec<Orders> {
        self.links.iter().map(|l| self.bodies(l).orders()).collect()
    }
}

/// Returns the joints from the root to a body.
pub fn chain(motion: &RobotMotion, body: u32) -> Vec<JointMotion> {
    let up = std::iter::successors(Some(body), |b| motion.parents[*b as usize]);
    let mut joints: Vec<_> = up.map(|b| motion.joints[b as usize]).collect();
    joints.reverse();
    joints
}

/// Checks proofs about a robot in a scene.
#[derive(Debug)]
pub struct ArticulatedChecker<'r> {
    robot: &'r Robot,
    links: Vec<Checker<'r>>,
}

/// Converts the scene to the checker's form.
pub fn standing(scene: &Scene) -> Standing {
    Standing::new(&scene.triangles.iter().map(plain).collect::<Vec<_>>())
}

impl<'r> ArticulatedChecker<'r> {
    /// Creates a checker for the orders of triangles in a certificate, one for each link.
    ///
    /// # Errors
    /// An order is not a permutation of the triangles, or their number does not fit.
    pub fn new(robot: &'r Robot, scene: &'r Standing, orders: Vec<Orders>) -> std::result::Result<Self, Refusal> {
        if orders.len() != robot.links.len() {
            return Err(Refusal { message: "the orders do not match the links".into(), step: 0 });
        }
        let masses = Masses::Individual { inflation: TRIANGLE_INFLATION };
        let link = |(link, orders): (&crate::robot::Link, Orders)| {
            let triangles: Vec<_> = link.triangles.iter().map(|t| Polygon::Triangle(plain(t))).collect();
            Checker::new(&triangles, &masses, scene, orders, RANGE_INFLATION)
        };
        Ok(Self { robot, links: robot.links.iter().zip(orders).map(link).collect::<std::result::Result<_, _>>()? })
    }

    /// Checks the proof of one link.
    ///
    /// # Errors
    /// The proof does not hold, or the configurations do not fit.
    pub fn check(&self, q0: &[f64], q1: &[f64], link: usize, steps: &[Step]) -> std::result::Result<(), Refusal> {
        let none = |message: &str| Refusal { message: message.into(), step: 0 };
        let motion = RobotMotion::new(self.robot, q0, q1).map_err(|e| none(&e.to_string()))?;
        let checker = self.links.get(link).ok_or_else(|| none("the link does not exist"))?;
        checker.check(Subject::Joints(&chain(&motion, self.robot.links[link].body)), steps)
    }
}
