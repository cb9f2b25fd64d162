//! A Panda that carries a box through a shelf: the box as an attached object, against dense sampling of a robot whose
//! file has it as a link, and against the answers for that file.

use super::answers::{Answer, Contact, tally};
use super::case::{self, read};
use super::mechanism::obj;
use super::solids::block;
use crate::cli::{Checked, Desk, npy};
use crate::effort;
use crate::oracle::fk::Robot;
use crate::oracle::mesh::Triangle;
use crate::oracle::pair_sampling::PairSampler;
use crate::oracle::placements::{Amplitude, CLEARANCE_M, MotionBatch, make};
use crate::oracle::sampling::{Fineness, Sampler};
use crate::oracle::scene::Object;
use crate::oracle::shapes::{self, Choice};
use crate::oracle::{data, groups};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Pose of the box in the hand, beyond the tips of the fingers.
const POSE: [f64; 6] = [0.01, -0.005, 0.12, 0.1, 0.05, 0.3];
const FINGERS: [&str; 2] = ["panda_leftfinger", "panda_rightfinger"];
const AMPLITUDES: &[Amplitude] =
    &[Amplitude { degrees: 15.0 }, Amplitude { degrees: 30.0 }, Amplitude { degrees: 60.0 }];

/// Three boards and two walls, which reach into one another, in front of the robot.
fn shelf() -> Vec<Object> {
    let board = |name: &str, z: f64| (name.to_owned(), block([0.45, -0.5, z], [0.85, 0.5, z + 0.02]));
    let wall = |name: &str, y: f64| (name.to_owned(), block([0.46, y, -0.1], [0.84, y + 0.02, 0.95]));
    let parts = [board("low", 0.1), board("middle", 0.45), board("high", 0.8), wall("left", 0.4), wall("right", -0.42)];
    parts.map(|(name, triangles)| Object { name, triangles }).into()
}

/// An OBJ file of objects.
fn scene_file(objects: &[Object]) -> String {
    let mut first = 1;
    let object = |o: &Object| {
        let corners: String = o.triangles.iter().flatten().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect();
        let face = |i: usize| format!("f {} {} {}\n", first + 3 * i, first + 3 * i + 1, first + 3 * i + 2);
        let faces: String = (0..o.triangles.len()).map(face).collect();
        first += 3 * o.triangles.len();
        format!("o {}\n{corners}{faces}", o.name)
    };
    objects.iter().map(object).collect()
}

struct Task {
    desk: Desk,
    urdf: PathBuf,
    /// All links, the box among them, in the scene.
    in_scene: Sampler,
    /// The box and the links that it may not touch.
    links: PairSampler,
    motions: MotionBatch,
}

/// The files of a check of the Panda with `n` motions, with `--attach attach.json`; `None` without data.
pub fn files(n: usize) -> Option<(Desk, Vec<String>)> {
    let Task { desk, urdf, .. } = Task::new(n)?;
    let files = ["--robot", &urdf.to_string_lossy(), "--scene", "shelf.obj", "--motions", "motions.npy"];
    let files = files.map(str::to_owned).into();
    Some((desk, files))
}

impl Task {
    /// The robot and `n` motions from starts at the shelf that are at least 2 mm clear; `None` without data.
    fn new(n: usize) -> Option<Self> {
        let folder = data::folder("robot-panda")?;
        let (desk, urdf, shelf) = (Desk::new(), folder.join("panda.urdf"), shelf());
        let carried: Vec<Triangle> = block([-0.06, -0.05, 0.0], [0.06, 0.05, 0.12]);
        let attach = json!([{ "name": "box", "link": "panda_hand", "mesh": "box.obj", "pose": POSE,
                              "touch_links": FINGERS }]);
        desk.put("box.obj", obj(&carried)).put("shelf.obj", scene_file(&shelf)).put("attach.json", attach.to_string());
        let [x, y, z, roll, pitch, yaw] = POSE;
        let link = format!(
            "<link name=\"box\"><collision><geometry><mesh filename=\"{}\"/></geometry></collision></link>\
             <joint name=\"grip\" type=\"fixed\"><parent link=\"panda_hand\"/><child link=\"box\"/>\
             <origin xyz=\"{x} {y} {z}\" rpy=\"{roll} {pitch} {yaw}\"/></joint></robot>",
            desk.path("box.obj").display()
        );
        let text = std::fs::read_to_string(&urdf).unwrap().replace("</robot>", &link);
        desk.put("with_box.urdf", text.replace("package://example-robot-data", &folder.display().to_string()));
        let robot = Robot::load(&desk.path("with_box.urdf"), [0.0; 6], false);
        let meshes = shapes::link_meshes(&robot, Choice::Default);
        assert!(meshes.left_out.is_empty());
        let of_box = |(a, b): &(usize, usize)| *b == robot.link("box") && !FINGERS.contains(&&*robot.links()[*a].name);
        let pairs = groups::pairs(&robot, &case::solid(&meshes), true).into_iter().filter(of_box).collect();
        let in_scene = Sampler::new(robot.clone(), &meshes, &shelf, &[]);
        let links = PairSampler::new(robot, meshes, pairs);
        desk.put("box.srdf", case::srdf(&links));
        let carried = links.robot.link("box");
        let is_clear = |q: &[f64]| {
            let place = links.robot.pose(carried, q, q, 0.0).translation;
            let is_at_shelf = place.x > 0.4 && place.y.abs() < 0.4 && (0.1..0.8).contains(&place.z);
            is_at_shelf
                && in_scene.clearance(q, CLEARANCE_M) >= CLEARANCE_M
                && links.clearance((q, q), 0.0, CLEARANCE_M) >= CLEARANCE_M
        };
        let motions = make(&links.robot, n, 32, AMPLITUDES, &is_clear);
        let rows: Vec<_> = motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
        desk.put("motions.npy", npy(&rows));
        Some(Self { desk, urdf, in_scene, links, motions })
    }

    fn check(&self, robot: &str, more: &[&str]) -> Checked {
        self.desk.check_paths(&["--robot", robot, "--scene", "shelf.obj", "--motions", "motions.npy"], more)
    }

    /// The time of the first contact by sampling, and the time before which nothing touches.
    fn sampled(&self, q0: &[f64], q1: &[f64]) -> (Option<f64>, f64) {
        let in_scene = self.in_scene.motion(q0, q1, Fineness::default());
        let links = self.links.motion((q0, q1), Fineness::default());
        let hits = in_scene.hit.map(|hit| hit.t).into_iter().chain(links.hit.map(|hit| hit.t));
        (hits.reduce(f64::min), in_scene.clear_until.min(links.clear_until))
    }

    /// The least distance at a time.
    fn clearance(&self, q0: &[f64], q1: &[f64], t: f64) -> f64 {
        self.in_scene.clearance_at(q0, q1, t, 1e-3).min(self.links.clearance((q0, q1), t, 1e-3))
    }

    /// The faults of an answer.
    fn faults(&self, (q0, q1): &(Vec<f64>, Vec<f64>), answer: &Answer) -> Vec<&'static str> {
        let (hit, clear_until) = self.sampled(q0, q1);
        let faults = match answer {
            Answer::Free => vec![("missed", hit.is_some())],
            Answer::Undecided { clear_until } => vec![("clear too long", hit.is_some_and(|t| *clear_until > t))],
            Answer::Contact(Contact { toc: [lo, hi], proved, certified, .. }) => vec![
                ("late", hit.is_some_and(|t| *lo > t)),
                ("pierced where nothing has touched", *lo > 0.0 && self.clearance(q0, q1, *lo) <= 0.0),
                ("proved too early", *proved && clear_until > hi + 1e-9),
                ("wide", *certified && hi - lo > 1.001e-9),
                ("nothing touches", *certified && self.clearance(q0, q1, *hi) > 1e-8),
            ],
        };
        faults.into_iter().filter(|(_, is)| *is).map(|(fault, _)| fault).collect()
    }
}

/// Lines with the box as a link.
fn as_link(lines: &[Value]) -> Vec<Value> {
    let renamed = |line: &Value| {
        let mut line = line.clone();
        for side in ["a", "b"] {
            if line[side]["attached"] == "box" {
                assert_eq!(line[side]["link"], "panda_hand");
                line[side]["link"] = json!("box");
                line[side].as_object_mut().expect("a side").remove("attached");
            }
        }
        line
    };
    lines.iter().map(renamed).collect()
}

#[test]
fn a_panda_carries_a_box_through_a_shelf() {
    let Some(task) = Task::new(effort(24, 500)) else { return };
    let checked = task.check(&task.urdf.to_string_lossy(), &["--attach", "attach.json"]);
    let answers = read(&checked, task.motions.len());
    assert_eq!(checked.stats["tested_pairs"]["link_link"], task.links.pairs.len());
    assert_eq!(checked.stats["tested_pairs"]["disabled"]["touch_links"], FINGERS.len());
    let faults = |i: usize| {
        let faults = task.faults(&task.motions[i], &answers[i]);
        (!faults.is_empty()).then(|| format!("motion {i}: {faults:?}: {:?}", answers[i]))
    };
    assert_eq!((0..answers.len()).into_par_iter().filter_map(faults).collect::<Vec<_>>(), [""; 0]);
    let of_box = checked.lines.iter().filter(|line| line["a"]["attached"] == "box" || line["b"]["attached"] == "box");
    let (of_box, [free, contact, undecided]) = (of_box.count(), tally(&answers));
    println!("{free} free, {contact} touch, the box in {of_box} of them, {undecided} undecided");
    assert!(free > 0 && of_box > 0 && 1000 * undecided <= 5 * answers.len());
    // The same box as a link of the robot: the same lines, but for its name.
    let linked = task.check("with_box.urdf", &["--srdf", "box.srdf"]);
    assert_eq!(linked.stats["tested_pairs"]["link_link"], task.links.pairs.len());
    assert_eq!(as_link(&checked.lines), linked.lines);
}
