//! Certificates as files of JSON lines, the first of which contains the task, and the check of such a file.

use super::articulated::{ArticulatedChecker, standing};
use super::certificate::{Orders, Step};
use super::checker::{Checker, Refusal, Standing, Subject};
use super::job::{Job, Problems, RobotFiles};
use super::search::RANGE_INFLATION;
use crate::error::{Error, Result, foreign};
use crate::io::load::LoadLimits;
use crate::robot::{MotionBatch, Robot};
use crate::scene::Scene;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A line of a certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// The first line: the task that the certificate is about.
    Job(Job),
    /// The orders of polygons that the proofs about a problem, or a link of the robot, refer to.
    Orders {
        /// Number of the problem or link.
        body: usize,
        /// The orders.
        orders: Orders,
    },
    /// A proof that a problem is free, or that a link is free during a motion.
    Proof {
        /// Number of the motion, or the problem.
        motion: usize,
        /// Number of the link, or the problem.
        body: usize,
        /// The proof.
        steps: Vec<Step>,
    },
    /// The last line.
    End {
        /// Number of motions or problems that were proved free.
        free: usize,
    },
}

impl Line {
    /// Returns the line as JSON.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|e| Error::usage(e.to_string()))
    }
}

/// The result of a check: the numbers of motions, or the reason and line of the refusal.
pub type Verified = std::result::Result<Counted, String>;

/// Numbers of motions or problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Those that are proved free.
    pub free: usize,
    /// All of them.
    pub all: usize,
}

/// Checks a certificate.
///
/// # Errors
/// The certificate, or a file that it is about, cannot be read.
pub fn verify(path: &Path, limits: &LoadLimits) -> Result<Verified> {
    let file = File::open(path).map_err(|e| Error::input(format!("it cannot be read: {e}")).in_file(path))?;
    let mut lines = BufReader::new(file).lines().enumerate().map(|(i, line)| {
        let at = |cause: &dyn Display| format!("line {}: {}", i + 1, foreign(cause));
        let line = line.map_err(|cause| at(&cause))?;
        let line = serde_json::from_str::<Line>(&line).map_err(|cause| at(&cause))?;
        Ok::<_, String>((i + 1, line))
    });
    let job = match lines.next() {
        Some(Ok((_, Line::Job(job)))) => job,
        Some(Err(e)) => return Ok(Err(e)),
        _ => return Ok(Err("line 1: this is not a task".into())),
    };
    let mut record = Record::default();
    for line in lines {
        match line.and_then(|(i, line)| record.take(line).map_err(|e| format!("line {i}: {e}"))) {
            Ok(()) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    match job {
        Job::Polygons(problems) => Ok(record.about_polygons(&problems)),
        Job::Articulated(files) => record.about_robot(&files, limits),
    }
}

/// The content of a certificate after its first line.
#[derive(Default)]
struct Record {
    orders: Vec<Orders>,
    proofs: Vec<(usize, usize, Vec<Step>)>,
    free: Option<usize>,
}

fn text(refusal: &Refusal) -> String {
    format!("step {}: {}", refusal.step, refusal.message)
}

impl Record {
    fn take(&mut self, line: Line) -> std::result::Result<(), String> {
        match line {
            _ if self.free.is_some() => Err("data follows the last line".into()),
            Line::Job(_) => Err("a second task".into()),
            Line::Orders { body, orders } if body == self.orders.len() => {
                self.orders.push(orders);
                Ok(())
            }
            Line::Orders { .. } => Err("the orders are not in sequence".into()),
            Line::Proof { motion, body, steps } => {
                self.proofs.push((motion, body, steps));
                Ok(())
            }
            Line::End { free } => {
                self.free = Some(free);
                Ok(())
            }
        }
    }

    /// Checks that each motion with proofs has one for each of its bodies, and that their number is the one in the last
    /// line.
    fn count(&self, all: usize, bodies: impl Fn(usize) -> Vec<usize>) -> Verified {
        let proved: BTreeSet<(usize, usize)> = self.proofs.iter().map(|(motion, body, _)| (*motion, *body)).collect();
        let motions: BTreeSet<usize> = proved.iter().map(|p| p.0).collect();
        for motion in &motions {
            if let Some(body) = bodies(*motion).iter().find(|b| !proved.contains(&(*motion, **b))) {
                return Err(format!("motion {motion}: no proof for body {body}"));
            }
        }
        match self.free {
            Some(free) if free == motions.len() => Ok(Counted { free, all }),
            Some(n) => Err(format!("{n} motions are reported as free, but {} have proofs", motions.len())),
            None => Err("it has no last line".into()),
        }
    }

    fn about_polygons(&self, problems: &Problems) -> Verified {
        let count = self.count(problems.problems.len(), |problem| vec![problem])?;
        for (motion, body, steps) in &self.proofs {
            let of = |what: &str| format!("problem {motion}: {what}");
            let problem =
                problems.problems.get(*motion).filter(|_| motion == body).ok_or_else(|| of("it does not exist"))?;
            // Polygons must be convex, and numbers in range.
            problem.shapes().and_then(|_| problem.motion.motion()).map_err(|e| of(&e.to_string()))?;
            let orders = self.orders.get(*body).ok_or_else(|| of("its orders are missing"))?.clone();
            let fixed = Standing::new(&problem.fixed);
            let checker = Checker::new(&problem.moving, &problem.masses, &fixed, orders, RANGE_INFLATION);
            let checked = checker.and_then(|c| c.check(Subject::Course(&problem.motion), steps));
            checked.map_err(|refusal| of(&text(&refusal)))?;
        }
        Ok(count)
    }

    fn about_robot(&self, files: &RobotFiles, limits: &LoadLimits) -> Result<Verified> {
        let (robot, scene) = (files.read_robot()?, Scene::from_file(&files.scene)?);
        let motions = MotionBatch::load(&files.motions, &robot, &files.motion_options(limits)?)?;
        let scene = standing(&scene);
        Ok(self.of_robot(&robot, &scene, &motions))
    }

    fn of_robot(&self, robot: &Robot, scene: &Standing, motions: &MotionBatch) -> Verified {
        let count = self.count(motions.len(), |_| (0..robot.links.len()).collect())?;
        let checker = ArticulatedChecker::new(robot, scene, self.orders.clone()).map_err(|r| text(&r))?;
        for (motion, link, steps) in &self.proofs {
            let of = |what: &str| format!("motion {motion}, link {link}: {what}");
            if *motion >= motions.len() {
                return Err(of("the motion does not exist"));
            }
            let checked = checker.check(motions.start(*motion), motions.end(*motion), *link, steps);
            checked.map_err(|refusal| of(&text(&refusal)))?;
        }
        Ok(count)
    }
}
