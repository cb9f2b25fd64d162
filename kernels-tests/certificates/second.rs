//! The second verifier, in Python: it reads the files by itself, bounds motions by another method and with other
//! numbers, and must come to the same results.

use super::{FILE, made, verify};
use crate::cli::{CUBE, Desk, npy, slider, walls};
use crate::effort;
use crate::harness::models::Draw;
use crate::harness::skipped;
use crate::link_pairs::case::Case as Links;
use crate::link_pairs::random::{self as trees, Kinds};
use crate::oracle::{self, data, pool};
use crate::trajectories::case::{Case, array};
use crate::trajectories::draw;
use crate::trajectories::random;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the model, written by `verify --export`.
pub const EXPORTED: &str = "exported";

/// The folder of the verifier in Python.
fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../verifier/python")
}

/// Runs Python with arguments; `None` where there is none, and the caller's test is reported as skipped.
#[track_caller]
fn python(desk: &Desk, arguments: &[&str]) -> Option<std::process::Output> {
    // The environment of the Python package's tests has packages that read robots and meshes.
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/venv/bin/python");
    let program = if venv.exists() { venv } else { "python3".into() };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(desk.path("."))
        .env("PYTHONPATH", package())
        .env("PYTHONDONTWRITEBYTECODE", "1");
    match command.output() {
        Ok(output) => Some(output),
        Err(_) => {
            skipped::report("there is no python3");
            None
        }
    }
}

/// Verifies certificates of a file whose model was exported; a line for each. `None` without Python.
#[track_caller]
pub fn lines(desk: &Desk, file: &str, folder: &str) -> Option<Vec<String>> {
    let output = python(desk, &["-m", "certificates", file, folder])?;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2) && error.is_empty(), "{error}");
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect())
}

/// Checks with certificates, and verifies them with both programs. Returns the number of certificates.
#[track_caller]
fn agrees(desk: &Desk, files: &[&str], options: &[&str]) -> usize {
    let made = made(desk, files, options);
    let run = verify(desk, files, &[options, &["--export", EXPORTED]].concat());
    assert_eq!(run.code, Some(0), "{options:?}: {}{}", run.stdout, run.stderr);
    let Some(lines) = lines(desk, FILE, EXPORTED) else { return 0 };
    let shown = desk.run(&["certificate", "show", FILE]).stdout;
    assert_eq!((lines.len(), shown.lines().count()), (made.lines.len(), made.lines.len()));
    for (i, (line, shown)) in lines.iter().zip(shown.lines()).enumerate() {
        let shown: serde_json::Value = serde_json::from_str(shown).unwrap();
        let steps: u64 = shown["steps"].as_object().unwrap().values().filter_map(serde_json::Value::as_u64).sum();
        let kind = shown["kind"].as_str().unwrap();
        assert!(line.starts_with(&format!("{i} {kind} until (")), "{line}: {shown}");
        assert!(line.ends_with(&format!(", {steps} steps")), "{line}: {shown}");
    }
    lines.len()
}

fn trajectories(seed: u64, options: &[&str]) {
    for seed in seed..seed + effort(1, 20) as u64 {
        let (case, all) = random::case(seed, 8);
        case.desk.put("motions.json", case.json(&all));
        of_case(&case, "motions.json", options);
    }
}

fn of_case(case: &Case, motions: &str, options: &[&str]) {
    let files = ["--robot", "robot.urdf", "--motions", motions, "--scene", "scene.obj"];
    agrees(&case.desk, &files, options);
}

#[test]
fn splines() {
    trajectories(69_000, &[]);
    trajectories(69_100, &["--margin", "0.01"]);
    trajectories(69_200, &["--self-collision", "on"]);
    trajectories(69_300, &["--joint-tolerance", "0.002", "--margin", "0.001"]);
}

#[test]
fn a_free_root() {
    for seed in 0..effort(1, 20) as u64 {
        let mut draw = Draw::new(69_400 + seed);
        let case = Case::new(&draw::flying_arm(&mut draw), draw::objects(&mut draw));
        let all: Vec<_> = (0..6).map(|_| draw::flight(&mut draw, &case.course, 3)).collect();
        case.desk.put("motions.npy", array(&all));
        of_case(&case, "motions.npy", &[]);
    }
}

#[test]
fn trees_of_links() {
    for seed in 0..effort(3, 60) as u64 {
        let mut draw = Draw::new(69_500 + seed);
        let mechanism = trees::mechanism(&mut draw, Kinds::All);
        let case = Links::new(&mechanism);
        if case.sampler.pairs.is_empty() {
            continue;
        }
        let (_, motions) = trees::motions(&mut draw, &mechanism, &case, 6);
        let rows: Vec<_> = motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
        case.desk.put("motions.npy", npy(&rows));
        let files = ["--robot", "robot.urdf", "--motions", "motions.npy", "--scene", "far.obj"];
        agrees(&case.desk, &files, &["--self-collision", "on"]);
    }
}

/// Pairs that are not tested, and a contact within a margin.
#[test]
fn untested_pairs() {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0), ("other", 0.4)]));
    desk.put("motions.npy", npy(&[[&[0.0], &[0.2]], [&[0.0], &[3.0]]])).put("allow.txt", "* other\n");
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    agrees(&desk, &files, &["--allow", "allow.txt", "--margin", "0.01"]);
}

/// The Python verifier refuses, too, and the reasons are those of the statement.
#[test]
fn the_python_verifier_refuses_other_statements() {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    desk.put("motions.npy", npy(&[[&[0.0], &[0.2]], [&[0.0], &[3.0]]]));
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    let refused = |folder: &str, why: &str| {
        let Some(lines) = lines(&desk, FILE, folder) else { return };
        assert!(lines[0].contains("refused: ") && lines[0].contains(why), "{why}: {lines:?}");
    };
    made(&desk, &files, &[]);
    // The model of another margin, tolerance, robot and motion.
    verify(&desk, &files, &["--margin", "0.01", "--export", "margin"]);
    refused("margin", "the margin differs");
    verify(&desk, &files, &["--joint-tolerance", "0.01", "--export", "tolerance"]);
    refused("tolerance", "the joint tolerance differs");
    desk.put("moved.npy", npy(&[[&[0.0], &[0.1]], [&[0.0], &[3.0]]]));
    verify(&desk, &[&files[..5], &["moved.npy"]].concat(), &["--export", "motion"]);
    refused("motion", "another motion");
    desk.put("turned.urdf", slider(CUBE).replace("1 0 0", "0 1 0"));
    verify(&desk, &[&["--robot", "turned.urdf"], &files[2..]].concat(), &["--export", "robot"]);
    refused("robot", "another robot");
}

/// Motions of the pool, whose robot and scene Python reads by itself where it has packages for that.
#[test]
fn the_pool() {
    let Some(folder) = data::folder("puma-pool") else { return };
    let motions = oracle::npy::read_motions(&folder.join("pipes.npy"));
    let sample = pool::read_indices(&folder.join("pipes.sample300.txt"));
    let row = |i: &usize| [motions[*i].0.as_slice(), motions[*i].1.as_slice()];
    let rows: Vec<_> = sample.iter().step_by(300 / effort(3, 60)).map(row).collect();
    let desk = Desk::new();
    desk.put("motions.npy", npy(&rows));
    let [robot, scene] = ["robot.urdf", "pipes.obj"].map(|name| folder.join(name).display().to_string());
    let files = ["--robot", &robot, "--scene", &scene, "--motions", "motions.npy"];
    agrees(&desk, &files, &[]);
    let Some(output) = python(&desk, &["-m", "certificates.readers", EXPORTED, &robot, &scene, "motions.npy"]) else {
        return;
    };
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        Some(0) => assert!(out.contains("the same") && error.is_empty(), "{out}{error}"),
        Some(3) => skipped::report("Python has no yourdfpy, trimesh and numpy"),
        _ => panic!("{out}{error}"),
    }
}
