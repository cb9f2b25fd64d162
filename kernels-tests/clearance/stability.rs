//! The option changes nothing but the entry `clearance`, and its bytes depend on nothing but the problem.

use super::case::{judged, require_lines};
use super::judge::Question;
use super::random;
use crate::cli::Desk;
use crate::effort;
use crate::harness::gpu;
use crate::inputs::samples;
use crate::link_pairs::mechanism::{Mechanism, obj};
use crate::trajectories::case::Case;
use crate::trajectories::corners::{tip, wall};
use crate::trajectories::curve::Trajectory;
use serde_json::Value;
use std::process::{Child, Stdio};

const ON: [&str; 2] = ["--clearance", "3e-4"];

fn some(seed: u64, n: usize) -> impl Iterator<Item = (Case, Vec<Trajectory>)> {
    (seed..seed + n as u64).map(|seed| random::open(seed, 15))
}

/// The lines of a run without their clearance.
fn without(lines: &[Value]) -> Vec<Value> {
    let mut lines = lines.to_vec();
    lines.iter_mut().for_each(|l| drop(l.as_object_mut().unwrap().remove("clearance")));
    lines
}

/// The clearances of a run.
fn clearances(case: &Case, all: &[Trajectory], more: &[&str]) -> Vec<Value> {
    let checked = case.check(all, &[&ON[..], more].concat());
    require_lines(&checked, all.len());
    checked.lines.iter().map(|l| l["clearance"].clone()).collect()
}

#[test]
fn verdicts_stay_the_same() {
    for (case, all) in some(50_000, effort(2, 40)) {
        for more in [&[][..], &["--margin", "0.002"], &["--mode", "verdict"], &["--all-contacts"]] {
            let plain = case.check(&all, more);
            let with = case.check(&all, &[&ON[..], more].concat());
            assert_eq!(without(&with.lines), plain.lines, "{more:?}");
            assert_eq!(with.run.code, plain.run.code);
            let has = |l: &Value| l.get("clearance").is_some();
            assert!(with.lines.iter().all(|l| has(l) == (l["verdict"] == "free")));
            assert!(!plain.lines.iter().any(has) && with.lines.iter().any(has));
        }
    }
}

#[test]
fn results_are_the_same_bytes_for_any_number_of_threads() {
    let (n_cases, mut n_measured) = (effort(2, 40), 0);
    for (case, all) in some(50_100, n_cases) {
        let text = |threads: &str| case.check(&all, &[&ON[..], &["--threads", threads]].concat()).text;
        let one = text("1");
        n_measured += one.matches("\"clearance\"").count();
        assert_eq!(text("2"), one);
        assert_eq!(text("5"), one);
    }
    assert!(n_measured >= n_cases, "{n_measured} clearances in {n_cases} cases");
}

/// The order of motions in the file does not matter.
#[test]
fn a_motion_has_the_same_clearance_among_others() {
    for (case, mut all) in some(50_200, effort(1, 20)) {
        let mut found = clearances(&case, &all, &[]);
        all.reverse();
        found.reverse();
        assert_eq!(clearances(&case, &all, &[]), found);
        let alone = clearances(&case, &all[..1], &[]);
        assert_eq!(alone[0], found[0]);
    }
}

/// Modes and stages that change the way to a verdict do not change the clearance.
#[test]
fn clearances_do_not_depend_on_how_the_verdict_is_found() {
    for (case, all) in some(50_300, effort(1, 20)) {
        let found = clearances(&case, &all, &[]);
        for more in [&["--mode", "verdict"][..], &["--all-contacts"], &["--stages", "3"], &["--tolerance", "1e-6"]] {
            for (a, b) in found.iter().zip(clearances(&case, &all, more)) {
                assert!(*a == b || a.is_null() || b.is_null(), "{more:?}: {a} but {b}");
            }
        }
        if !gpu::skip() {
            judged(&case, &all, Question::new(3e-4), &["--backend", "gpu"]);
        }
    }
}

const FILES: [&str; 9] =
    ["check", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", "results.jsonl"];

/// Many slides of the tip in front of a wall, all free.
fn many(n: usize) -> Desk {
    let (desk, robot): (Desk, Mechanism) = (Desk::new(), tip());
    let text = robot.write(&desk);
    let values: Vec<f64> = (0..n).flat_map(|i| [0.0, 0.0, 1.0 - 1e-5 * i as f64, 0.5]).collect();
    desk.put("robot.urdf", text).put("scene.obj", obj(&wall("wall", 1.75).triangles));
    desk.put("motions.npy", samples::npy("'<f8'", &format!("({n}, 2, 2)"), &values));
    desk
}

/// Starts a run and ends it when there are answers; returns the description of the run.
fn killed(desk: &Desk, tolerance: &str) -> String {
    let arguments = [&FILES[..], &["--backend", "cpu", "--clearance", tolerance]].concat();
    let mut child = desk.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_answers(desk, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    desk.text("results.jsonl.part.json")
}

fn wait_for_answers(desk: &Desk, child: &mut Child) {
    let part = desk.path("results.jsonl.part");
    while std::fs::metadata(&part).map_or(0, |m| m.len()) == 0 {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "ended before there were answers: {ended:?}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn a_resumed_run_gives_identical_bytes() {
    let n = if cfg!(debug_assertions) { 6_000 } else { 20_000 };
    let desk = many(n);
    let beside = killed(&desk, "1e-3");
    let part = desk.text("results.jsonl.part");
    let run = |more: &[&str]| desk.run(&[&FILES[..], &["--backend", "cpu"], more].concat());
    // Other options are another problem.
    for more in [&[][..], &["--clearance", "2e-3"], &["--clearance", "1e-3", "--clearance-limit", "0.5"]] {
        let refused = run(&[more, &["--resume"]].concat());
        assert!(refused.code == Some(3) && refused.errors().len() == 1, "{more:?}: {}", refused.stderr);
        assert!(refused.errors()[0].contains("options"), "{more:?}: {}", refused.stderr);
        assert_eq!(desk.text("results.jsonl.part"), part);
    }
    assert_eq!(run(&["--clearance", "1e-3", "--resume"]).code, Some(0));
    let continued = desk.text("results.jsonl");
    assert!(continued.starts_with(&part) && continued.lines().count() == n);
    assert_eq!(run(&["--clearance", "1e-3"]).code, Some(0));
    let whole = desk.text("results.jsonl");
    assert!(whole == continued);
    let end = whole.len() * 2 / 3;
    desk.put("results.jsonl.part", &whole[..end]).put("results.jsonl.part.json", beside);
    assert_eq!(run(&["--clearance", "1e-3", "--resume", "--threads", "1"]).code, Some(0));
    assert!(desk.text("results.jsonl") == whole);
}
