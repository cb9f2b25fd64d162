//! Two UR5 that share a workspace, given as two robots: against dense sampling of one robot whose file contains both,
//! and against the answers for that file.

use super::answers::{Answer, differences, sides, tally};
use super::boxes;
use super::case::{self, read};
use super::judge;
use super::merged::{self, Part};
use crate::cli::{Checked, Desk, npy};
use crate::effort;
use crate::harness::gpu;
use crate::oracle::advance::Fineness;
use crate::oracle::fk::Robot;
use crate::oracle::pair_sampling::{PairOutcome, PairSampler};
use crate::oracle::placements::{Amplitude, CLEARANCE_M, MotionBatch, make};
use crate::oracle::shapes::{self, Choice};
use crate::oracle::{data, groups};
use std::path::PathBuf;

const LEFT: (&str, [f64; 6]) = ("left", [0.0, 0.0, 0.0, 0.0, 0.0, 0.3]);
const RIGHT: (&str, [f64; 6]) = ("right", [0.7, 0.1, 0.05, 0.0, 0.0, 2.9]);
/// The links of the left robot that are tested against each other.
const OWN: [&str; 2] = ["base_link", "wrist_3_link"];
const AMPLITUDES: &[Amplitude] =
    &[Amplitude { degrees: 20.0 }, Amplitude { degrees: 40.0 }, Amplitude { degrees: 80.0 }];

struct Cell {
    desk: Desk,
    urdf: PathBuf,
    /// Both robots as one.
    sampler: PairSampler,
    motions: MotionBatch,
}

/// The files of a check of two robots with `n` motions, with `--srdf left=left.srdf`; `None` without data.
pub fn files(n: usize) -> Option<(Desk, Vec<String>)> {
    let cell = Cell::new(n)?;
    let files = cell.files();
    Some((cell.desk, files))
}

impl Cell {
    /// The robots and `n` motions from starts that are at least 2 mm clear; `None` without data.
    fn new(n: usize) -> Option<Self> {
        let urdf = data::folder("robot-ur5")?.join("ur5_robot.urdf");
        let desk = Desk::new();
        let parts = [LEFT, RIGHT].map(|(name, base)| Part { name, path: &urdf, base });
        desk.put("both.urdf", merged::text(&parts)).put("left.srdf", own_pairs(&urdf));
        let robot = Robot::load(&desk.path("both.urdf"), [0.0; 6], false);
        let mut meshes = shapes::link_meshes(&robot, Choice::Default);
        boxes::split_alike(&desk.path("both.urdf"), &robot, Choice::Default, &mut meshes.triangles);
        let mut pairs = groups::pairs(&robot, &case::solid(&meshes), true);
        let names = |(a, b): (usize, usize)| [a, b].map(|l| robot.links()[l].name.split_once('/').expect("two names"));
        pairs.retain(|pair| {
            let [(one, a), (other, b)] = names(*pair);
            one != other || (one == LEFT.0 && [a, b] == OWN)
        });
        let sampler = PairSampler::new(robot, meshes, pairs);
        desk.put("both.srdf", case::srdf(&sampler));
        let is_clear = |q: &[f64]| sampler.clearance((q, q), 0.0, CLEARANCE_M) >= CLEARANCE_M;
        let motions = make(&sampler.robot, n, 31, AMPLITUDES, &is_clear);
        let rows: Vec<_> = motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
        desk.put("motions.npy", npy(&rows));
        Some(Self { desk, urdf, sampler, motions })
    }

    /// The arguments for two robots.
    fn files(&self) -> Vec<String> {
        let robots = [LEFT, RIGHT].map(|(name, _)| format!("--robot={name}={}", self.urdf.display()));
        let base = |(name, base): (&str, [f64; 6])| format!("--base={name}={}", base.map(|x| x.to_string()).join(","));
        robots.into_iter().chain([LEFT, RIGHT].map(base)).chain(["--motions=motions.npy".into()]).collect()
    }

    /// Checks two robots.
    fn several(&self, backend: &str) -> Checked {
        let files = self.files();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        self.desk.check_paths(&files, &["--srdf", "left=left.srdf", "--backend", backend])
    }

    /// Checks the robot whose file contains both.
    fn one(&self) -> Checked {
        let files = ["--robot", "both.urdf", "--motions", "motions.npy"];
        self.desk.check_paths(&files, &["--srdf", "both.srdf"])
    }

    /// Holds the answers against the oracles.
    fn hold(&self, backend: &str, seen: &[PairOutcome]) -> Vec<Answer> {
        let checked = self.several(backend);
        let answers = read(&checked, self.motions.len());
        assert_eq!(checked.stats["tested_pairs"]["link_link"], self.sampler.pairs.len());
        assert_eq!(judge::faults(&self.sampler, &self.motions, seen, &answers), [""; 0]);
        let contacts = answers.iter().zip(&self.motions).filter_map(|(a, m)| Some((a.contact()?, m)));
        let certified = contacts.filter(|(c, _)| c.certified);
        let [n, sure] = certified.fold([0, 0], |[n, sure], (c, (q0, q1))| {
            [n + 1, sure + usize::from(judge::certain(&self.sampler, (q0, q1), c))]
        });
        let [free, contact, undecided] = tally(&answers);
        println!(
            "{backend}: {free} free, {contact} touch, {n} certified of which {sure} are certain, \
             {undecided} undecided; {} s of checking",
            checked.stats["wall_s"]
        );
        assert!(free > 0 && contact > 0 && 1000 * undecided <= 5 * answers.len() && 10 * sure >= 9 * n);
        answers
    }
}

/// An SRDF by which one pair of links is tested.
fn own_pairs(urdf: &std::path::Path) -> String {
    let robot = Robot::load(urdf, [0.0; 6], false);
    let line = |link: &crate::oracle::urdf::Link| format!("<disable_default_collisions link=\"{}\"/>\n", link.name);
    let lines: String = robot.links().iter().map(line).collect();
    let [a, b] = OWN;
    format!("<robot name=\"ur5\">\n{lines}<enable_collisions link1=\"{a}\" link2=\"{b}\"/>\n</robot>\n")
}

#[test]
fn two_ur5_share_a_workspace() {
    let Some(cell) = Cell::new(effort(16, 500)) else { return };
    let seen = cell.sampler.motions(&cell.motions, Fineness::default());
    let several = cell.hold("cpu", &seen);
    if !gpu::skip() {
        assert_eq!(differences(&several, &cell.hold("gpu", &seen), 0.0), [""; 0]);
    }
    let checked = cell.one();
    assert_eq!(checked.stats["tested_pairs"]["link_link"], cell.sampler.pairs.len());
    let one = read(&checked, cell.motions.len());
    assert_eq!(differences(&several, &one, 1e-12), [""; 0]);
    let [same, exchanged, other] = sides(&several, &one);
    assert!(exchanged == 0 && 20 * other <= same, "{same} {exchanged} {other}");
}
