//! The motions of known truth with their scene as links of the robot: the truth is reproduced.
//!
//! The truth is about robot against scene only, so pairs of the robot's own links are left out. Three descriptions:
//!
//! - Objects as links on fixed joints below the base. They are of the base's group, which is at rest as in the truth.
//!   The first moving link is a neighbour of that group, so an SRDF names the pairs.
//! - Objects as links on a joint below the base that does not turn. The path from a moving link to them is reversed
//!   down to the base.
//! - The scene as a second robot, which has no moving joint.

use super::answers::{Answer, Contact};
use super::case::{Case, read, srdf};
use super::mechanism::{Joint, Link, Mechanism};
use crate::cli::{Desk, npy as npy_of};
use crate::oracle::fk::Robot;
use crate::oracle::mesh::Triangle;
use crate::oracle::pair_sampling::PairSampler;
use crate::oracle::placements::MotionBatch;
use crate::oracle::pool::{self, Truth, Verdict};
use crate::oracle::scene::{self, Object};
use crate::oracle::shapes::{Choice, link_meshes};
use crate::oracle::urdf::Kind;
use crate::oracle::{data, groups, npy, urdf};
use glam::DVec3;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Some motions of a scene of the pool, with the robot as its file says.
struct Part {
    name: &'static str,
    robot: Mechanism,
    objects: Vec<Object>,
    motions: MotionBatch,
    truth: Vec<Truth>,
}

impl Part {
    fn read(folder: &Path, name: &'static str) -> Self {
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        let (motions, truth) = (npy::read_motions(&file("npy")), pool::read_truth(&file("truth.jsonl")));
        let all = (0..truth.len()).collect();
        let chosen = if data::slow() { all } else { pool::read_indices(&file("sample300.txt")) };
        Self {
            name,
            robot: mechanism(&Robot::load(&folder.join("robot.urdf"), [0.0; 6], false)),
            objects: scene::read(&file("obj")),
            motions: chosen.iter().map(|&i| motions[i].clone()).collect(),
            truth: pool::pick(&truth, &chosen),
        }
    }

    /// The robot with the objects as links: on fixed joints, or all on one joint that does not turn.
    fn case(&self, fixed: bool) -> Case {
        let mut robot = self.robot.clone();
        let base = robot.root().to_owned();
        let mut above = base;
        for (i, object) in self.objects.iter().enumerate() {
            let kind = if fixed || i > 0 { "fixed" } else { "continuous" };
            robot = robot.link(&object.name, object.triangles.clone());
            robot = robot.joint((&format!("hold {i}"), kind), (&above, &object.name), DVec3::ZERO, DVec3::Z);
            if !fixed && i == 0 {
                above.clone_from(&object.name);
            }
        }
        let mut case = write(&robot);
        let n_own = self.robot.links.len();
        case.sampler.pairs.retain(|(a, b)| *a < n_own && *b >= n_own);
        case
    }

    /// The scene as a second robot.
    fn hold_two_robots_to_truth(&self, folder: &Path) {
        let (desk, mut room) = (Desk::new(), Mechanism::default().link("bare root", vec![]));
        for (i, object) in self.objects.iter().enumerate() {
            room = room.link(&object.name, object.triangles.clone());
            room = room.joint((&format!("hold {i}"), "fixed"), ("bare root", &object.name), DVec3::ZERO, DVec3::Z);
        }
        let rows: Vec<_> = self.motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
        desk.put("room.urdf", room.write(&desk)).put("motions.npy", npy_of(&rows));
        let puma = format!("puma={}", folder.join("robot.urdf").display());
        let files = ["--robot", &puma, "--robot", "room=room.urdf", "--motions", "motions.npy"];
        let checked = desk.check_paths(&files, &[]);
        // Neither the base of the robot nor the objects move.
        let n_moving = self.robot.links.iter().filter(|l| !l.triangles.is_empty()).count() - 1;
        assert_eq!(checked.stats["tested_pairs"]["link_link"], n_moving * self.objects.len(), "{}", checked.run.stderr);
        println!("{}, two robots: {} s of checking", self.name, checked.stats["wall_s"]);
        self.score(&read(&checked, self.motions.len()));
    }

    fn hold_to_truth(&self, fixed: bool) {
        let case = self.case(fixed);
        case.desk.put("pairs.srdf", srdf(&case.sampler));
        let mut motions = self.motions.clone();
        if !fixed {
            motions.iter_mut().flat_map(|(a, b)| [a, b]).for_each(|q| q.push(0.0));
        }
        let clock = Instant::now();
        let checked = case.check(&motions, &["--srdf", "pairs.srdf"]);
        let all_s = clock.elapsed().as_secs_f64();
        assert_eq!(checked.stats["tested_pairs"]["link_link"], case.sampler.pairs.len(), "{}", self.name);
        println!("{}, fixed {fixed}: {} s of checking, {all_s:.1} s in all", self.name, checked.stats["wall_s"]);
        self.score(&read(&checked, motions.len()));
    }

    /// Holds answers against the truth.
    fn score(&self, answers: &[Answer]) {
        let verdicts: BTreeMap<usize, Verdict> = answers.iter().map(verdict).enumerate().collect();
        let score = pool::score(&self.truth, &verdicts);
        println!("{score}");
        assert_eq!(score.bad(), 0, "{}", self.name);
        assert!(score.early_by.first().is_some_and(|t| *t > -1e-13), "late by {:?}", score.early_by);
        let [contact, certified, undecided, pair] = score
            .rows
            .values()
            .fold([0; 4], |[a, b, c, d], r| [a + r.contact, b + r.certified, c + r.undecided, d + r.pair]);
        assert!(100 * certified >= 99 * contact && 1000 * undecided <= 5 * answers.len(), "{}", self.name);
        assert!(100 * pair <= contact, "{}: {pair} other pairs", self.name);
    }
}

/// The robot of a file as a mechanism, with the triangles that the oracles read.
fn mechanism(robot: &Robot) -> Mechanism {
    let meshes = link_meshes(robot, Choice::Default).triangles;
    let links = robot.links().iter().zip(meshes).map(|(l, triangles)| Link { name: l.name.clone(), triangles });
    let name = |l: usize| robot.links()[l].name.clone();
    let joint = |j: &urdf::Joint| {
        assert!(j.kind == Kind::Turning && j.mimic.is_none());
        let (name, parent, child) = (j.name.clone(), name(j.parent), name(j.child));
        Joint { name, kind: "continuous", parent, child, origin: j.origin, axis: j.axis, mimic: None }
    };
    Mechanism { links: links.collect(), joints: robot.urdf.joints.iter().map(joint).collect() }
}

/// Writes the robot, without reading its meshes again.
fn write(mechanism: &Mechanism) -> Case {
    let desk = Desk::new();
    let text = mechanism.write(&desk);
    desk.put("robot.urdf", &text);
    let robot = Robot::new(urdf::parse(&text, Path::new(".")), [0.0; 6], false);
    let triangles: Vec<Vec<Triangle>> = mechanism.links.iter().map(|l| l.triangles.clone()).collect();
    let solid: Vec<bool> = triangles.iter().map(|t| !t.is_empty()).collect();
    let counts = triangles.iter().map(|t| vec![t.len()]).collect();
    let meshes = crate::oracle::shapes::LinkMeshes { triangles, counts, left_out: vec![] };
    let pairs = groups::pairs(&robot, &solid, true);
    Case::of(desk, "robot.urdf", PairSampler::new(robot, meshes, pairs))
}

/// An answer in the words of the pool.
fn verdict(answer: &Answer) -> Verdict {
    match answer {
        Answer::Free => Verdict::Free,
        Answer::Undecided { clear_until } => Verdict::Undecided { clear_until: *clear_until },
        Answer::Contact(c) => {
            let Contact { toc, proved, certified, .. } = *c;
            // Names of several robots begin with that of the robot.
            let own = |name: &str| name.strip_prefix("puma/").or(name.strip_prefix("room/")).unwrap_or(name).to_owned();
            let pair = c.names().map(|[a, b]| (own(a), own(b)));
            Verdict::Contact { toc, proved, certified, pair }
        }
    }
}

fn reproduce(name: &'static str, fixed: bool) {
    if let Some(folder) = data::folder("puma-pool") {
        Part::read(&folder, name).hold_to_truth(fixed);
    }
}

#[test]
fn pipes_as_links_of_the_base() {
    reproduce("pipes", true);
}

#[test]
fn machine_room_as_links_of_the_base() {
    reproduce("amr", true);
}

#[test]
fn pipes_on_a_joint_that_does_not_turn() {
    reproduce("pipes", false);
}

#[test]
fn machine_room_on_a_joint_that_does_not_turn() {
    reproduce("amr", false);
}

fn reproduce_with_two_robots(name: &'static str) {
    if let Some(folder) = data::folder("puma-pool") {
        Part::read(&folder, name).hold_two_robots_to_truth(&folder);
    }
}

#[test]
fn pipes_as_a_second_robot() {
    reproduce_with_two_robots("pipes");
}

#[test]
fn machine_room_as_a_second_robot() {
    reproduce_with_two_robots("amr");
}
