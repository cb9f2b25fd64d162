//! Free regions: the proofs of `acm` by which pairs of links are left untested for some joint values.

use super::case::{self, Case};
use super::judge;
use super::mechanism::Mechanism;
use super::random::{Kinds, ends, mechanism, motions};
use crate::cli::{Checked, npy};
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use crate::oracle::advance::Fineness;
use crate::oracle::placements::MotionBatch;
use serde_json::{Value, json};

/// The semantic description that `acm` writes.
const SRDF: [&str; 2] = ["--srdf", "p.srdf"];
/// The file of its proofs.
const PROOFS: &str = "p.srdf.proof.json";

/// A random robot without free joints, some of whose joints have limits, with proofs for a margin.
fn proved(draw: &mut Draw, margin: &str) -> (Mechanism, Case) {
    let is_free = |mechanism: &Mechanism| mechanism.joints.iter().any(|joint| joint.kind == "floating");
    let mechanism = std::iter::repeat_with(|| mechanism(draw, Kinds::All)).find(|of| !is_free(of)).unwrap();
    let mut case = Case::new(&mechanism);
    let limited = |line: &str| {
        let is_limited = line.contains("type=\"prismatic\"") || line.contains("type=\"revolute\"");
        let limits = "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>";
        if is_limited { line.replace("</joint>", limits) } else { line.to_owned() }
    };
    let text: Vec<String> = case.desk.text("robot.urdf").lines().map(limited).collect();
    case.desk.put("robot.urdf", text.join("\n"));
    let files = ["acm", "--robot", case.path(), "--out", "p.srdf", "--report", "p.json", "--quiet"];
    let options = ["--samples", "20", "--budget", "0.3", "--margin", margin];
    let run = case.desk.run(&[&files[..], &options].concat());
    assert!(matches!(run.code, Some(0 | 2)), "{}", run.stderr);
    let report: Value = serde_json::from_str(&case.desk.text("p.json")).unwrap();
    for pair in report.as_array().unwrap().iter().filter(|pair| pair["class"] == "always") {
        let [a, b] = [0, 1].map(|i| pair["links"][i].as_str().unwrap());
        case.leave_out(&[[a, b]]);
    }
    (mechanism, case)
}

/// The number of searches that a region made unnecessary.
fn left_untested(checked: &Checked) -> u64 {
    checked.stats["links"]["proved_free"].as_u64().unwrap()
}

#[test]
fn answers_with_free_regions_agree_with_sampling() {
    let (mut left, mut contacts) = (0, 0);
    for seed in 0..effort(20, 400) as u64 {
        let mut draw = Draw::new(9100 + seed);
        let (mechanism, case) = proved(&mut draw, "0");
        let (_, motions) = motions(&mut draw, &mechanism, &case, 25);
        let checked = case.check(&motions, &SRDF);
        let answers = case::read(&checked, motions.len());
        let seen = case.sampler.motions(&motions, Fineness::default());
        assert_eq!(judge::faults(&case.sampler, &motions, &seen, &answers), [""; 0], "{seed}");
        left += left_untested(&checked);
        contacts += answers.iter().filter(|answer| answer.contact().is_some()).count();
    }
    println!("{left} pairs in a piece left untested, {contacts} contacts");
    assert!(left > 100 && contacts > 50);
}

/// Replaces the free regions in the proofs by none, and returns the file as it was.
fn without_regions(case: &Case) -> String {
    let whole = case.desk.text(PROOFS);
    let mut file: Value = serde_json::from_str(&whole).unwrap();
    file["free_regions"] = json!([]);
    case.desk.put(PROOFS, file.to_string());
    whole
}

/// Compares the answers of a check with and without free regions; returns the number of searches that these made
/// unnecessary, and of contacts.
#[track_caller]
fn compared(case: &Case, check: impl Fn() -> Checked) -> (u64, usize) {
    let with = check();
    let whole = without_regions(case);
    let without = check();
    case.desk.put(PROOFS, whole);
    assert_eq!(left_untested(&without), 0);
    let answers = |checked: &Checked| -> Vec<Value> {
        let of = |line: &Value| json!([line["verdict"], line["toc"], line["a"], line["b"], line["clear_until"]]);
        checked.lines.iter().map(of).collect()
    };
    assert_eq!(answers(&with), answers(&without));
    (left_untested(&with), with.lines.iter().filter(|line| line["verdict"] == "contact").count())
}

/// Compares answers about motions of random robots, whose proofs hold up to a margin.
#[track_caller]
fn compare(seeds: usize, margin: &str, turns: f64, more: &[&str]) -> u64 {
    let (mut left, mut contacts) = (0, 0);
    for seed in 0..seeds as u64 {
        let mut draw = Draw::new(9600 + seed);
        let (mechanism, case) = proved(&mut draw, margin);
        let (mut all, _) = motions(&mut draw, &mechanism, &case, 25);
        for joint in mechanism.joints.iter().filter(|joint| joint.kind == "continuous") {
            for values in all.iter_mut().filter_map(|ends| ends.get_mut(&joint.name)) {
                let turned = (turns * draw.between(-1.0, 1.0)).round() * std::f64::consts::TAU;
                values.iter_mut().for_each(|q| q[0] += turned);
            }
        }
        // Joints at rest on a side of boxes: the middle of a joint's range.
        for ends in &mut all {
            if draw.below(3) == 0 {
                ends.values_mut().filter(|_| draw.below(3) > 0).for_each(|of| *of = [vec![0.0], vec![0.0]]);
            }
        }
        let rows = all.iter().map(|ends| case.motion(ends)).collect();
        let (of_seed, touching) = compared(&case, || case.check(&rows, &[&SRDF, more].concat()));
        left += of_seed;
        contacts += touching;
    }
    println!("{margin} {more:?}: {left} pairs in a piece left untested, {contacts} contacts");
    assert!(contacts > 0);
    left
}

#[test]
fn free_regions_do_not_change_answers() {
    assert!(compare(effort(8, 100), "0", 3.0, &[]) > 0);
    assert!(compare(effort(4, 50), "0", 0.0, &["--bound", "interval"]) > 0);
    assert!(compare(effort(4, 50), "0", 0.0, &["--all-contacts"]) > 0);
    assert!(compare(effort(4, 50), "0", 0.0, &["--initial", "ignore"]) > 0);
}

#[test]
fn free_regions_do_not_change_answers_on_the_gpu() {
    if !gpu::skip() {
        assert!(compare(effort(3, 50), "0", 0.0, &["--backend", "gpu"]) > 0);
    }
}

#[test]
fn free_regions_hold_up_to_their_margin() {
    assert!(compare(effort(8, 100), "0.03", 0.0, &["--margin", "0.03"]) > 0);
    // A region for a smaller margin is not used.
    assert_eq!(compare(effort(8, 100), "0.03", 0.0, &["--margin", "0.031"]), 0);
}

/// Joints that deviate leave a region although the motion itself stays in it. The bound of a region is sharper than
/// that of a search: a contact that is only possible may be known not to happen.
#[test]
fn free_regions_contain_deviations() {
    const TOLERANCE: f64 = 0.15;
    let (mut left, mut free) = (0, 0);
    for seed in 0..effort(12, 150) as u64 {
        let mut draw = Draw::new(9700 + seed);
        let (mechanism, case) = proved(&mut draw, "0");
        let (all, rows) = motions(&mut draw, &mechanism, &case, 25);
        let more = [&SRDF[..], &["--joint-tolerance", "0.15"]].concat();
        let with = case.check(&rows, &more);
        left += left_untested(&with);
        without_regions(&case);
        let without = case.check(&rows, &more);
        for (with, without) in with.lines.iter().zip(&without.lines) {
            let [a, b] = [with, without].map(|line| line["verdict"] == "contact");
            assert!(a == b || b && without["proved"] == false, "{seed}: {with} {without}");
        }
        // Executions within the tolerance of free motions.
        let is_free = with.lines.iter().map(|line| line["verdict"] == "free");
        let moved = all.iter().zip(is_free).filter(|(_, is_free)| *is_free).flat_map(|(ends, _)| {
            let executions = (0..8).map(|_| {
                let mut ends = ends.clone();
                for of in ends.values_mut() {
                    // At an end of the tolerance more often than within it.
                    let by = TOLERANCE * draw.between(-2.0, 2.0).clamp(-1.0, 1.0);
                    of.iter_mut().flatten().for_each(|q| *q += by);
                }
                ends
            });
            executions.collect::<Vec<_>>()
        });
        let executions: MotionBatch = moved.map(|ends| case.motion(&ends)).collect();
        if !executions.is_empty() {
            let answers = case.check(&executions, &SRDF);
            assert!(answers.lines.iter().all(|line| line["verdict"] == "free"), "{seed}");
            free += executions.len();
        }
    }
    println!("{left} pairs in a piece left untested, {free} executions");
    assert!(left > 50 && free > 100);
}

/// Each of several robots has its own regions, whose columns follow those of the robots before it.
#[test]
fn each_robot_has_its_own_free_regions() {
    let mut more = 0;
    for seed in 0..effort(4, 50) as u64 {
        let mut draw = Draw::new(9800 + seed);
        let (mechanism, case) = proved(&mut draw, "0");
        let whole = without_regions(&case);
        case.desk.put("q.srdf", case.desk.text("p.srdf"));
        case.desk.put("q.srdf.proof.json", case.desk.text(PROOFS));
        case.desk.put(PROOFS, whole);
        let (_, motions) = motions(&mut draw, &mechanism, &case, 20);
        let rows: Vec<_> = motions
            .iter()
            .zip(motions.iter().skip(1))
            .map(|((a0, a1), (b0, b1))| [[&a0[..], b0].concat(), [&a1[..], b1].concat()])
            .collect();
        let rows: Vec<_> = rows.iter().map(|[a, b]| [a.as_slice(), b.as_slice()]).collect();
        case.desk.put("two.npy", npy(&rows));
        let robots = ["--robot", "a=robot.urdf", "--robot", "b=robot.urdf", "--base", "b=0,0,20,0,0,0"];
        let files = [&robots[..], &["--scene", "far.obj", "--motions", "two.npy"]].concat();
        let check = |of_b| case.desk.check_paths(&files, &["--srdf", "a=p.srdf", "--srdf", of_b]);
        let (both, one) = (check("b=p.srdf"), check("b=q.srdf"));
        assert_eq!(both.lines, one.lines);
        more += left_untested(&both) - left_untested(&one);
    }
    assert!(more > 0);
}

#[test]
fn free_regions_hold_along_trajectories() {
    let (mut left, mut contacts) = (0, 0);
    for seed in 0..effort(12, 150) as u64 {
        let mut draw = Draw::new(9900 + seed);
        let (mechanism, case) = proved(&mut draw, "0");
        let names: Vec<&String> = case.sampler.robot.columns.iter().map(|(name, _)| name).collect();
        let trajectories: Vec<Value> = (0..10)
            .map(|_| {
                let points: Vec<_> = (0..4).map(|_| case.motion(&ends(&mut draw, &mechanism)).0).collect();
                let velocities: Vec<Vec<f64>> =
                    points.iter().map(|q| q.iter().map(|_| draw.between(-2.0, 2.0)).collect()).collect();
                json!({ "times_s": [0, 1, 2, 3], "positions": points, "velocities": velocities })
            })
            .collect();
        case.desk.put("t.json", json!({ "joints": names, "trajectories": trajectories }).to_string());
        let files = ["--robot", case.path(), "--motions", "t.json", "--scene", "far.obj"];
        let (of_seed, touching) = compared(&case, || case.desk.check_paths(&files, &SRDF));
        left += of_seed;
        contacts += touching;
    }
    println!("{left} pairs in a piece left untested, {contacts} contacts");
    assert!(left > 100 && contacts > 10);
}
