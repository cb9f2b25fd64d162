//! Options that do not go together, and outputs.

use super::{FILE, made};
use crate::cli::{CUBE, Desk, npy, slider, walls};

const FILES: [&str; 6] = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    desk.put("motions.npy", npy(&[[&[0.0], &[0.2]], [&[0.0], &[3.0]]]));
    desk
}

#[test]
fn answers_do_not_change_and_certificates_do_not_depend_on_threads() {
    let desk = desk();
    let plain = desk.check_paths(&FILES, &[]);
    let one = made(&desk, &FILES, &["--threads", "1"]);
    assert_eq!(one.lines, plain.lines);
    let bytes = std::fs::read(desk.path(FILE)).unwrap();
    made(&desk, &FILES, &["--threads", "3"]);
    assert!(std::fs::read(desk.path(FILE)).unwrap() == bytes);
    assert_eq!((&plain.stats["certificates"], &one.stats["certificates"]["made"]), (&().into(), &2.into()));
}

#[test]
fn incompatible_options_are_refused() {
    let desk = desk();
    for (more, why) in [(&["--initial", "ignore"][..], "--initial ignore"), (&["--resume"], "--resume")] {
        let run = desk.check_paths(&FILES, &[more, &["--certificates", FILE]].concat()).run;
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
        assert!(run.errors()[0].contains(why) && run.stderr.contains("--certificates"), "{}", run.stderr);
        assert!(!desk.path(FILE).exists() && !desk.path("results.jsonl").exists());
    }
    let run = desk.check_paths(&FILES, &["--certificates", "scene.obj"]).run;
    assert_eq!(run.code, Some(3), "an input: {}", run.stderr);
    let run = desk.check_paths(&FILES, &["--certificates", "results.jsonl"]).run;
    assert_eq!(run.code, Some(3), "another output: {}", run.stderr);
    let run = desk.run(&["verify", "gone.fccert"]);
    assert!(run.code == Some(3) && run.stderr.contains("gone.fccert"), "{}", run.stderr);
}

#[test]
fn certificates_are_shown() {
    let desk = desk();
    made(&desk, &FILES, &[]);
    let run = desk.run(&["certificate", "show", FILE]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<serde_json::Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [free, contact] = &lines[..] else { panic!("{}", run.stdout) };
    assert_eq!((&free["kind"], &free["end"]["t"], &free["witness"]), (&"free".into(), &1.0.into(), &().into()));
    assert_eq!((&contact["kind"], &contact["witness"]["b"]["object"]), (&"contact".into(), &0.into()));
    let alone = desk.run(&["certificate", "show", FILE, "--index", "1"]);
    assert_eq!(alone.stdout.trim(), contact.to_string());
    let none = desk.run(&["certificate", "show", FILE, "--index", "2"]);
    assert!(none.code == Some(3) && none.stderr.contains("there is no certificate 2"), "{}", none.stderr);
    let other = desk.run(&["certificate", "show", "scene.obj"]);
    assert!(other.code == Some(3) && other.stderr.contains("scene.obj"), "{}", other.stderr);
}
