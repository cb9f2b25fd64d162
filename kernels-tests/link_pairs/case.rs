//! A robot as read by the oracles, and its motions checked by the command.

use super::answers::{Answer, tally};
use super::judge;
use super::mechanism::Mechanism;
use crate::cli::{Checked, Desk, npy};
use crate::oracle::advance::Fineness;
use crate::oracle::fk::Robot;
use crate::oracle::pair_sampling::PairSampler;
use crate::oracle::placements::MotionBatch;
use crate::oracle::shapes::{self, Choice, LinkMeshes};
use crate::oracle::{groups, urdf};
use std::collections::BTreeMap;

/// A scene out of reach.
const FAR: &str = "o far\nv 0 0 -5000\nv 1 0 -5000\nv 0 1 -5000\nf 1 2 3\n";

/// Values of joints at the start and the end of a motion; seven for a free joint.
pub type Ends = BTreeMap<String, [Vec<f64>; 2]>;

/// A robot with files in a directory of its own.
pub struct Case {
    pub desk: Desk,
    /// Its URDF.
    path: String,
    /// The scene; none if empty.
    scene: String,
    pub sampler: PairSampler,
}

impl Case {
    /// All pairs of links but neighbours are tested.
    pub fn new(mechanism: &Mechanism) -> Self {
        let desk = Desk::new();
        let text = mechanism.write(&desk);
        desk.put("robot.urdf", &text);
        let robot = Robot::new(urdf::parse(&text, desk.path("robot.urdf").parent().unwrap()), [0.0; 6], false);
        let meshes = shapes::link_meshes(&robot, Choice::Default);
        let pairs = groups::pairs(&robot, &solid(&meshes), false);
        Self::of(desk, "robot.urdf", PairSampler::new(robot, meshes, pairs))
    }

    /// A robot from an existing file.
    pub fn of(desk: Desk, path: &str, sampler: PairSampler) -> Self {
        desk.put("far.obj", FAR);
        Self { desk, path: path.into(), scene: "far.obj".into(), sampler }
    }

    /// The path of the URDF.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The same with all pairs tested, neighbours included, but those of the two names.
    pub fn all_pairs_but(mut self, left_out: &[[&str; 2]]) -> Self {
        let robot = &self.sampler.robot;
        self.sampler.pairs = groups::pairs(robot, &solid(&self.sampler.meshes), true);
        self.leave_out(left_out);
        self
    }

    /// Takes pairs of links out of those that are tested.
    pub fn leave_out(&mut self, names: &[[&str; 2]]) {
        let link = |name: &str| self.sampler.robot.link(name);
        let left: Vec<_> = names.iter().map(|[a, b]| (link(a).min(link(b)), link(a).max(link(b)))).collect();
        self.sampler.pairs.retain(|pair| !left.contains(pair));
    }

    /// The scene's file; empty for none.
    pub fn with_scene(mut self, scene: &str) -> Self {
        self.scene = scene.into();
        self
    }

    /// Runs `check` with self-collision.
    pub fn check(&self, motions: &MotionBatch, more: &[&str]) -> Checked {
        let more = if more.contains(&"--srdf") || more.contains(&"--self-collision") {
            more.to_vec()
        } else {
            [more, &["--self-collision", "on"]].concat()
        };
        let rows: Vec<_> = motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
        self.desk.put("motions.npy", npy(&rows));
        let scene = if self.scene.is_empty() { vec![] } else { vec!["--scene", &self.scene] };
        let files = [&["--robot", &self.path, "--motions", "motions.npy"], &scene[..]].concat();
        self.desk.check_paths(&files, &more)
    }

    /// The answers. The exit code must agree with them.
    #[track_caller]
    pub fn answers(&self, motions: &MotionBatch, more: &[&str]) -> Vec<Answer> {
        read(&self.check(motions, more), motions.len())
    }

    /// The answers, held against the oracles; the number of tested pairs must be that of the oracles.
    #[track_caller]
    pub fn judged(&self, motions: &MotionBatch, more: &[&str]) -> Vec<Answer> {
        let checked = self.check(motions, more);
        let answers = read(&checked, motions.len());
        assert_eq!(checked.stats["tested_pairs"]["link_link"], self.sampler.pairs.len(), "{}", checked.stats);
        let seen = self.sampler.motions(motions, Fineness::default());
        assert_eq!(judge::faults(&self.sampler, motions, &seen, &answers), [""; 0]);
        answers
    }

    /// The motion with these values, in the order of the columns. Joints without a value stay at zero; a free joint
    /// stays at the identity.
    pub fn motion(&self, ends: &Ends) -> (Vec<f64>, Vec<f64>) {
        let robot = &self.sampler.robot;
        let row = |end: usize| {
            let mut q = Vec::new();
            for joint in robot.urdf.joints.iter().filter(|j| j.mimic.is_none() && j.kind.columns() > 0) {
                let rest = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
                let n = joint.kind.columns();
                q.extend_from_slice(ends.get(&joint.name).map_or(&rest[..n], |e| &e[end]));
            }
            assert_eq!(q.len(), robot.columns.len());
            q
        };
        (row(0), row(1))
    }
}

/// The links with triangles.
pub fn solid(meshes: &LinkMeshes) -> Vec<bool> {
    let left_out = |link: usize| meshes.left_out.iter().any(|(l, _)| *l == link);
    meshes.triangles.iter().enumerate().map(|(link, t)| !t.is_empty() || left_out(link)).collect()
}

/// Reads the answers of a run, whose exit code must agree with them.
#[track_caller]
pub fn read(checked: &Checked, n: usize) -> Vec<Answer> {
    let answers: Vec<Answer> = checked.lines.iter().map(Answer::read).collect();
    assert_eq!(answers.len(), n, "{}", checked.run.stderr);
    let code = match tally(&answers) {
        [_, 0, 0] => 0,
        [_, 0, _] => 2,
        _ => 1,
    };
    assert_eq!(checked.run.code, Some(code), "{}", checked.run.stderr);
    answers
}

/// The text of an SRDF that leaves every pair of links in different groups untested that the oracles do not test.
pub fn srdf(sampler: &PairSampler) -> String {
    let (robot, tested) = (&sampler.robot, &sampler.pairs);
    let all = groups::pairs(robot, &solid(&sampler.meshes), true);
    let line = |(a, b): (usize, usize)| {
        let [a, b] = [a, b].map(|l| &robot.links()[l].name);
        format!("<disable_collisions link1=\"{b}\" link2=\"{a}\" reason=\"Never\"/>\n")
    };
    let lines: String = all.into_iter().filter(|pair| !tested.contains(pair)).map(line).collect();
    format!("<robot name=\"mechanism\">\n{lines}</robot>\n")
}

/// Expects a certified contact at `t`, as computed by hand, within 1e-9.
#[track_caller]
pub fn touches(answer: &Answer, t: f64) {
    let contact = answer.contact().unwrap_or_else(|| panic!("{t}: {answer:?}"));
    let [lo, hi] = contact.toc;
    assert!(lo <= t + 1e-9 && hi >= t - 1e-9 && contact.certified && !contact.initial_overlap, "{t}: {answer:?}");
}

/// Values of joints of one degree of freedom: name, start and end.
pub fn ends<const N: usize>(values: [(&str, f64, f64); N]) -> Ends {
    values.iter().map(|(name, a, b)| ((*name).to_owned(), [vec![*a], vec![*b]])).collect()
}
