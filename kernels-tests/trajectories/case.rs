//! A robot among objects, in files, with trajectories checked by the command.

use super::answers::{Answer, Tally};
use super::course::Course;
use super::curve::Trajectory;
use super::judge;
use super::walk::Outcome;
use crate::cli::{Checked, Desk};
use crate::inputs::samples;
use crate::link_pairs::mechanism::Mechanism;
use crate::oracle::advance::Fineness;
use crate::oracle::fk::Robot;
use crate::oracle::scene::Object;
use crate::oracle::{groups, urdf};
use rayon::prelude::*;
use serde_json::json;
use std::fmt::Write as _;

/// Files in a directory of their own, and what they contain as the oracle reads it.
pub struct Case {
    pub desk: Desk,
    pub course: Course,
    tests_links: bool,
}

impl Case {
    /// A robot among objects.
    pub fn new(mechanism: &Mechanism, objects: Vec<Object>) -> Self {
        Self::of(mechanism, objects, false)
    }

    /// A robot of which all pairs of links but neighbours are tested, too. Without objects there is no scene.
    pub fn with_links(mechanism: &Mechanism, objects: Vec<Object>) -> Self {
        Self::of(mechanism, objects, true)
    }

    fn of(mechanism: &Mechanism, objects: Vec<Object>, tests_links: bool) -> Self {
        let desk = Desk::new();
        let text = mechanism.write(&desk);
        desk.put("robot.urdf", &text).put("scene.obj", scene(&objects));
        let robot = Robot::new(urdf::parse(&text, desk.path("robot.urdf").parent().unwrap()), [0.0; 6], false);
        let links: Vec<_> = mechanism.links.iter().map(|l| l.triangles.clone()).collect();
        let solid: Vec<bool> = links.iter().map(|t| !t.is_empty()).collect();
        let own = if tests_links { groups::pairs(&robot, &solid, false) } else { vec![] };
        Self { desk, course: Course::new(robot, links, objects, &own), tests_links }
    }

    /// Names of the columns.
    pub fn joints(&self) -> Vec<String> {
        self.course.robot.columns.iter().map(|c| c.0.clone()).collect()
    }

    /// The trajectories as the text of a file.
    pub fn json(&self, all: &[Trajectory]) -> String {
        let all: Vec<_> = all.iter().map(Trajectory::json).collect();
        json!({"joints": self.joints(), "trajectories": all}).to_string()
    }

    /// Checks trajectories, which are put into a file with times, velocities and accelerations.
    pub fn check(&self, all: &[Trajectory], more: &[&str]) -> Checked {
        self.desk.put("motions.json", self.json(all));
        self.check_file("motions.json", more)
    }

    /// Checks waypoints, equally many in each trajectory, which are put into an array.
    pub fn check_array(&self, all: &[Trajectory], more: &[&str]) -> Checked {
        self.desk.put("motions.npy", array(all));
        self.check_file("motions.npy", more)
    }

    pub fn check_file(&self, motions: &str, more: &[&str]) -> Checked {
        for name in ["results.jsonl", "results.jsonl.part", "stats.json"] {
            let _ = std::fs::remove_file(self.desk.path(name));
        }
        let scene: &[&str] = if self.course.objects.is_empty() { &[] } else { &["--scene", "scene.obj"] };
        let own: &[&str] = if self.tests_links { &["--self-collision", "on"] } else { &[] };
        let files = [&["--robot", "robot.urdf", "--motions", motions], scene].concat();
        self.desk.check_paths(&files, &[own, more].concat())
    }

    /// The answers. The exit code must agree with them.
    #[track_caller]
    pub fn answers(&self, all: &[Trajectory], more: &[&str]) -> Vec<Answer> {
        read(&self.check(all, more), all)
    }

    /// The outcomes by the oracle.
    pub fn walk(&self, all: &[Trajectory]) -> Vec<Outcome> {
        all.par_iter().map(|t| self.course.walk(&t.nominal(), Fineness::default())).collect()
    }

    /// The answers, held against the oracle.
    #[track_caller]
    pub fn judged(&self, all: &[Trajectory], more: &[&str]) -> Vec<Answer> {
        let answers = self.answers(all, more);
        assert_eq!(judge::faults(&self.course, all, &self.walk(all), &answers), [""; 0], "{more:?}");
        answers
    }
}

/// Reads the answers of a run, whose exit code must agree with them.
#[track_caller]
pub fn read(checked: &Checked, all: &[Trajectory]) -> Vec<Answer> {
    assert_eq!(checked.lines.len(), all.len(), "{}", checked.run.stderr);
    let answers: Vec<Answer> = checked.lines.iter().zip(all).map(|(line, t)| Answer::read(line, t)).collect();
    let mut tally = Tally::default();
    tally.add(&answers);
    let code = if tally.contact > 0 { 1 } else { 2 * i32::from(tally.undecided > 0) };
    assert_eq!(checked.run.code, Some(code), "{}", checked.run.stderr);
    answers
}

/// An array of shape (Q, W, D).
pub fn array(all: &[Trajectory]) -> Vec<u8> {
    let (n_points, n_columns) = (all[0].points.len(), all[0].points[0].position.len());
    assert!(all.iter().all(|t| t.points.len() == n_points && t.times_s.is_none()));
    let values: Vec<f64> = all.iter().flat_map(|t| &t.points).flat_map(|p| p.position.iter().copied()).collect();
    samples::npy("'<f8'", &format!("({}, {n_points}, {n_columns})", all.len()), &values)
}

/// An OBJ file of named objects of separate triangles.
fn scene(objects: &[Object]) -> String {
    let (mut text, mut corner) = (String::new(), 0);
    for object in objects {
        writeln!(text, "o {}", object.name).unwrap();
        for triangle in &object.triangles {
            triangle.iter().for_each(|p| writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap());
            writeln!(text, "f {} {} {}", corner + 1, corner + 2, corner + 3).unwrap();
            corner += 3;
        }
    }
    text
}
