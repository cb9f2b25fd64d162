//! Files of every kind, mutated at random, through the program: it answers or rejects them in short lines, and leaves
//! no files.

use super::{Desk, npy, slider, walls};
use crate::effort;
use crate::inputs::fuzz::{mutated, with_a_long_word};
use crate::inputs::samples;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io::Read;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A kind of file: its name, its content, and the command that reads it.
struct Kind {
    name: &'static str,
    sample: Vec<u8>,
    arguments: Vec<&'static str>,
}

/// Maximum length of a line in characters, not counting paths of the test's folder.
const MAX_LINE: usize = 1000;

/// A mutation may require a lot of work: then the program is ended, and its lines so far count.
const PATIENCE: Duration = Duration::from_secs(20);

const CHECK: [&str; 7] = ["check", "--backend", "cpu", "--memory", "64MB", "--out", "out/results"];

const ALLOW: &str = "# base on the floor\nbase wall\n* wall # all\ntip *\n";
const POSE: &str = r#"{"joints": ["spin", "push"], "positions": [0.5, 0.1], "made_by": "hand"}"#;
const ROBOT_PROBLEM: &str = r#"{"robot": "sample.urdf", "scene": "scene.obj", "motions": "motions.npy",
 "limits": {"delta_m": 0.01, "max_level": 4}}"#;
const POLYGON_PROBLEM: &str = r#"{"moving": [[[0, 0], [1, 0], [0, 1]]], "fixed": [[[0, 0, -5], [1, 0, -5], [0, 1, -5]]],
 "masses": {"individual": {"inflation": 2}}, "limits": {"delta_m": 0.1, "max_level": 3},
 "motion": {"rigid": {"quaternions": [[1, 0, 0, 0], [1, 0, 0, 0.1]],
  "translations": [[0, 0, 0], [0, 0, 0.5], [0, 0, 1]]}}}"#;
const TRACKED: &str = r#"{"bodies": [{"name": "still", "shape": {"kind": "ellipsoid", "semi_axes_m": [1, 1, 1]}},
 {"name": "flying", "shape": {"kind": "ellipsoid", "semi_axes_m": [0.5, 0.5, 0.4]},
  "motion": {"origin_m": [3, 0.1, 0], "velocity_m_s": [-1, 0, 0]}}],
 "duration_s": 0.1, "step_s": 0.01, "gains_per_s": [10]}"#;
const QUERY: &str =
    "1,4,1,4,4,4\n0,4,0,4,0,4\n4,4,0,4,0,4\n0,4,4,4,0,4\n1,4,1,4,-4,4\n0,4,0,4,0,4\n4,4,0,4,0,4\n0,4,4,4,0,4\n";
const MEASURED: &str = r#"{"format": "firstcontact-run/1", "name": "some", "title": "t", "command": "c",
 "started": "2004-10-25T12:00:00Z", "wall_s": 12.25,
 "machine": {"cpu": "c", "cores": 2, "threads": 3, "memory_bytes": 4294967296, "os": "o", "adapters": []},
 "versions": {"firstcontact": "0.1.0", "commit": null, "rustc": "r"}, "seed": 2004, "notes": ["n"],
 "tables": [{"id": "one", "title": "t", "note": "", "columns": [{"name": "n", "unit": "s", "about": "", "digits": 2}],
  "rows": [[1.5]]}],
 "plots": [], "samples": [], "datasets": []}"#;

/// The certificate of the polygons' problem.
fn certificate() -> Vec<u8> {
    let desk = Desk::new();
    desk.put("p.json", POLYGON_PROBLEM);
    let run = desk.run(&["tolerance", "p.json", "--out", "r", "--certificate", "c.jsonl"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    desk.text("c.jsonl").into_bytes()
}

/// Every kind of file that the program reads.
fn kinds() -> Vec<Kind> {
    let checked = |more: &[&'static str]| [&CHECK[..], more].concat();
    let in_robot =
        |robot: &'static str| checked(&["--scene", "scene.obj", "--motions", "motions.npy", "--robot", robot]);
    let mut kinds: Vec<Kind> = samples::all()
        .into_iter()
        .map(|(name, sample)| {
            let option = if crate::inputs::is_motions(name) { "--motions" } else { "--scene" };
            let arguments = match (option, name) {
                (_, "a.urdf") => in_robot(name),
                (_, "a.srdf") => [&in_robot("sample.urdf")[..], &["--srdf", name]].concat(),
                ("--scene", _) => checked(&["--robot", "sample.urdf", "--motions", "motions.npy", option, name]),
                _ => checked(&["--robot", "sample.urdf", "--scene", "scene.obj", option, name]),
            };
            Kind { name, sample, arguments }
        })
        .collect();
    let mut add = |name, sample: &[u8], arguments| kinds.push(Kind { name, sample: sample.to_vec(), arguments });
    let files = ["--robot", "sample.urdf", "--scene", "scene.obj"];
    add(
        "allow.txt",
        ALLOW.as_bytes(),
        [&checked(&files)[..], &["--motions", "motions.npy", "--allow", "allow.txt"]].concat(),
    );
    let missing = ["--motions", "turn.csv", "--missing-joints", "pose.json"];
    add("pose.json", POSE.as_bytes(), [&checked(&files)[..], &missing].concat());
    add(
        "robot-problem.json",
        ROBOT_PROBLEM.as_bytes(),
        vec!["tolerance", "robot-problem.json", "--backend", "cpu", "--out", "out/results"],
    );
    add("problem.json", POLYGON_PROBLEM.as_bytes(), vec!["tolerance", "problem.json", "--out", "out/results"]);
    add("certificate.jsonl", &certificate(), vec!["verify", "certificate.jsonl"]);
    add("tracked.json", TRACKED.as_bytes(), vec!["track", "tracked.json", "--out", "out"]);
    let query = ["elementary", "--kind", "vf", "--queries", "query.csv", "--out", "out/results"];
    add("query.csv", QUERY.as_bytes(), query.to_vec());
    add("run.json", MEASURED.as_bytes(), vec!["report", "run.json", "--out", "out/page.html"]);
    kinds
}

/// A folder with the other files that the commands read.
fn desk() -> Desk {
    let desk = Desk::new();
    samples::prepare(desk.0.path());
    desk.put("scene.obj", walls(&[("wall", 50.0)])).put("robot.urdf", slider(super::CUBE));
    desk.put("motions.npy", npy(&[[&[0.0; 3], &[0.1, 0.1, 3.0]], [&[1.0, 0.2, 0.0], &[0.0; 3]]]));
    desk.put("turn.csv", "turn\n0\n1\n");
    desk
}

/// Exit code of the program, unless it had to be ended, and its output.
struct Ended {
    code: Option<Option<i32>>,
    stdout: String,
    stderr: String,
}

/// Runs the program for a limited time.
fn run(mut command: Command) -> Ended {
    let mut child: Child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdout, mut stderr): (ChildStdout, ChildStderr) =
        (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (sender, receiver) = channel();
    let reader = std::thread::spawn(move || {
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).map(|_| bytes)
        });
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        // There is no receiver after the program was ended.
        let _ = sender.send(());
        (bytes, errors.join().unwrap().unwrap())
    });
    let ended = receiver.recv_timeout(PATIENCE).is_ok();
    if !ended {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    let (stdout, stderr) = reader.join().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: ended.then(|| status.code()), stdout: text(stdout), stderr: text(stderr) }
}

/// The fault of a run, if any.
fn fault(desk: &Desk, kind: &Kind, before: &BTreeSet<String>) -> Option<String> {
    let Ended { code, stdout, stderr } = run(desk.command(&kind.arguments));
    let after: BTreeSet<String> = desk.names().into_iter().collect();
    let folder = desk.0.path().display().to_string();
    // Answers are written to stdout, which also contains the reason of a refusal.
    let lines = stderr.lines().chain(stdout.lines().filter(|line| line.starts_with("refused: ")));
    let longest = lines.map(|line| line.replace(&folder, "").chars().count()).max().unwrap_or(0);
    let left: Vec<&String> = after.difference(before).collect();
    for name in left.iter().rev() {
        let path = desk.path(name);
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
    }
    let is_end = matches!(code, None | Some(Some(0..=3)));
    let has_error = code != Some(Some(3)) || stderr.lines().filter(|l| l.starts_with("error: ")).count() == 1;
    let is_clean = code != Some(Some(3)) || left.is_empty();
    let is_right = is_end && has_error && is_clean && longest <= MAX_LINE && !stderr.contains("panicked");
    (!is_right).then(|| {
        let shown: String = stderr.chars().take(2000).collect();
        format!("{}: {code:?}, a line of {longest} characters, left {left:?}:\n{shown}", kind.name)
    })
}

#[test]
fn samples_are_answered() {
    let desk = desk();
    for kind in kinds() {
        desk.put(kind.name, &kind.sample);
        let Ended { code, stderr, .. } = run(desk.command(&kind.arguments));
        assert!(matches!(code, Some(Some(0..=2))), "{}: {code:?} {stderr}", kind.name);
    }
}

#[test]
fn every_mutation_is_answered_or_refused_in_short_lines() {
    let kinds = kinds();
    let n = effort(24, 1_600);
    let faults = |(k, kind): (usize, &Kind)| -> Vec<String> {
        let desk = desk();
        let mut rng = Pcg64Mcg::seed_from_u64(k as u64);
        let before: BTreeSet<String> = desk.put(kind.name, "").names().into_iter().collect();
        let one = |_| {
            let other = &kinds[rng.random_range(0..kinds.len())].sample;
            let bytes = match rng.random_range(0..3) {
                0 => with_a_long_word(&kind.sample, &mut rng),
                _ => mutated(&kind.sample, other, &mut rng),
            };
            desk.put(kind.name, bytes);
            fault(&desk, kind, &before)
        };
        (0..n).filter_map(one).collect()
    };
    let faults: Vec<String> = kinds.par_iter().enumerate().flat_map_iter(faults).collect();
    println!("{} kinds, {n} mutations of each", kinds.len());
    assert!(faults.is_empty(), "{} faults, the first:\n{}", faults.len(), faults[..faults.len().min(5)].join("\n"));
}
