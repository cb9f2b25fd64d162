//! Seeded robots and scenes, of all kinds that other campaigns use.

use super::verified;
use crate::cli::npy;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use crate::link_pairs::case::Case as Links;
use crate::link_pairs::random::{self as trees, Kinds};
use crate::trajectories::case::Case;
use crate::trajectories::random;
use serde_json::Value;

/// Counts of answers by verdict: free and contact.
#[derive(Default)]
struct Seen([usize; 2]);

impl Seen {
    fn add(&mut self, lines: &[Value]) {
        for (count, verdict) in self.0.iter_mut().zip(["free", "contact"]) {
            *count += lines.iter().filter(|line| line["verdict"] == verdict).count();
        }
    }

    #[track_caller]
    fn require(&self, what: &str) {
        println!("{what}: {:?} free and touching", self.0);
        assert!(self.0.iter().all(|n| *n > 0), "{what}: {:?}", self.0);
    }
}

fn trajectories(seed: u64, n_cases: usize, options: &[&str]) {
    let mut seen = Seen::default();
    for seed in seed..seed + n_cases as u64 {
        let (case, all) = random::case(seed, 20);
        seen.add(&of_trajectories(&case, &case.json(&all), options));
    }
    seen.require(&format!("{options:?}"));
}

fn of_trajectories(case: &Case, motions: &str, options: &[&str]) -> Vec<Value> {
    case.desk.put("motions.json", motions);
    let scene: &[&str] = if case.desk.path("scene.obj").exists() { &["--scene", "scene.obj"] } else { &[] };
    let files = [&["--robot", "robot.urdf", "--motions", "motions.json"], scene].concat();
    verified(&case.desk, &files, options).lines
}

#[test]
fn splines() {
    trajectories(61_000, effort(6, 400), &[]);
}

#[test]
fn splines_with_a_margin() {
    trajectories(62_000, effort(3, 100), &["--margin", "0.01"]);
}

#[test]
fn splines_with_their_links() {
    trajectories(63_000, effort(3, 100), &["--self-collision", "on"]);
}

#[test]
fn tubes() {
    trajectories(64_000, effort(2, 60), &["--joint-tolerance", "0.002"]);
    trajectories(64_500, effort(2, 60), &["--joint-tolerance", "0.01", "--margin", "0.002"]);
}

#[test]
fn verdicts_alone() {
    trajectories(65_000, effort(2, 60), &["--mode", "verdict"]);
}

#[test]
fn answers_of_an_adapter() {
    if !gpu::skip() {
        trajectories(66_000, effort(1, 20), &["--backend", "gpu"]);
    }
}

#[test]
fn trees_of_links() {
    let mut seen = Seen::default();
    for seed in 0..effort(60, 600) as u64 {
        let mut draw = Draw::new(67_000 + seed);
        let mechanism = trees::mechanism(&mut draw, Kinds::All);
        let case = Links::new(&mechanism);
        if case.sampler.pairs.is_empty() {
            continue;
        }
        let (_, motions) = trees::motions(&mut draw, &mechanism, &case, 15);
        let rows: Vec<_> = motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
        case.desk.put("motions.npy", npy(&rows));
        let files = ["--robot", "robot.urdf", "--motions", "motions.npy", "--scene", "far.obj"];
        seen.add(&verified(&case.desk, &files, &["--self-collision", "on"]).lines);
    }
    seen.require("trees of links");
}
