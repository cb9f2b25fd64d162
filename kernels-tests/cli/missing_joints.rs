//! Joints that are missing in a file of motions.

use super::motion_formats::{slides, wall};
use super::{Desk, Run};
use crate::inputs::arrays::{names, npy, zip};

/// A folder with the robot, the wall and files with columns for the joint a only.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slides()).put("scene.obj", wall());
    desk.put("m.json", r#"{"joints": ["a"], "motions": [[[0], [5]]]}"#).put("m.csv", "a\n0\n5\n");
    let array = npy("<f8", false, &[1, 2, 1], &[0.0, 5.0]);
    desk.put("m.npz", zip(&[("positions.npy", &array), ("joint_names.npy", &names(&["a"]))], false));
    desk
}

const FILES: [&str; 3] = ["m.json", "m.csv", "m.npz"];

fn check(desk: &Desk, motions: &str, more: &[&str]) -> Run {
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", motions];
    desk.run(&[&["check", "--backend", "cpu", "--out", "results"], &files[..], more].concat())
}

#[track_caller]
fn refused(run: &Run, words: &[&str]) {
    let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count()), (Some(3), 1), "{}", run.stderr);
    assert!(words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
}

#[test]
fn a_missing_joint_is_an_error_that_names_it() {
    let desk = desk();
    for file in FILES {
        let run = check(&desk, file, &[]);
        refused(&run, &[file, "joint 'b'", "--missing-joints zero", "--missing-joints FILE.json"]);
        assert!(!desk.path("results").exists());
    }
}

/// The array has the expected values in all columns.
#[test]
fn missing_joints_take_the_requested_value() {
    let desk = desk();
    desk.put("pose.json", r#"{"b": 2.5, "a": 100}"#);
    desk.put("lists.json", r#"{"joints": ["b"], "positions": [2.5]}"#);
    let expected = |b: f64| {
        desk.put("whole.npy", npy("<f8", false, &[1, 2, 2], &[0.0, b, 5.0, b]));
        assert_eq!(check(&desk, "whole.npy", &["--all-contacts"]).code, Some(1));
        desk.text("results")
    };
    let (at_zero, at_pose) = (expected(0.0), expected(2.5));
    assert_ne!(at_zero, at_pose);
    for file in FILES {
        for (value, expected) in [("zero", &at_zero), ("pose.json", &at_pose), ("lists.json", &at_pose)] {
            let run = check(&desk, file, &["--all-contacts", "--missing-joints", value]);
            assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{file} {value}");
            assert_eq!(desk.text("results"), *expected, "{file} {value}");
        }
    }
}

#[test]
fn wrong_values_are_errors_that_name_their_file() {
    let desk = desk();
    for (content, word) in [
        (r#"{"a": 1}"#, "joint 'b'"),
        (r#"{"b": 1, "c": 1}"#, "no moving joint 'c'"),
        (r#"{"b": 1, "b": 1}"#, "'b' appears twice"),
        (r#"{"b": "home"}"#, "joint 'b' is not a number"),
        ("b = 1", "JSON"),
    ] {
        desk.put("pose.json", content);
        let run = check(&desk, "m.json", &["--missing-joints", "pose.json"]);
        let file = if content == r#"{"a": 1}"# { "m.json" } else { "pose.json" };
        refused(&run, &[file, word]);
    }
    refused(&check(&desk, "m.json", &["--missing-joints", "gone.json"]), &["gone.json", "cannot be read"]);
    let run = check(&desk, "m.json", &["--missing-joints", "home"]);
    assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
    assert!(run.stderr.contains("--missing-joints") && run.stderr.contains("'home'"), "{}", run.stderr);
}

#[test]
fn other_commands_ask_for_missing_joints_too() {
    let desk = desk();
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "m.csv"];
    let render = |more: &[&str]| desk.run(&[&["render", "--index", "0", "--out", "m.glb"], &files[..], more].concat());
    refused(&render(&[]), &["m.csv", "joint 'b'", "--missing-joints"]);
    render(&["--missing-joints", "zero"]).expect(0);
    // Problem files of `tolerance` have a field for this.
    desk.put("pose.json", r#"{"b": 2.5}"#);
    let tolerance = |field: &str| {
        let files = r#""robot": "robot.urdf", "scene": "scene.obj", "motions": "m.json""#;
        desk.put("p.json", format!("{{{files}{field}}}"));
        desk.run(&["tolerance", "p.json", "--out", "r.jsonl", "--certificate", "c.jsonl", "--backend", "cpu"])
    };
    refused(&tolerance(""), &["m.json", "joint 'b'"]);
    refused(&tolerance(r#", "missing_joints": "gone.json""#), &["gone.json"]);
    refused(&tolerance(r#", "missing_joints": {"c": 1}"#), &["no moving joint 'c'"]);
    // The motion ends before the wall, so that there is a proof to verify.
    desk.put("m.json", r#"{"joints": ["a"], "motions": [[[0], [1]]]}"#);
    for value in ["\"zero\"", "\"pose.json\"", "{\"b\": 2.5}"] {
        let run = tolerance(&format!(", \"missing_joints\": {value}"));
        assert_eq!(run.code, Some(0), "{value}: {}{}", run.stdout, run.stderr);
        // The certificate contains the values: a changed pose file has no effect.
        desk.put("pose.json", r#"{"b": "gone"}"#);
        assert_eq!(desk.run(&["verify", "c.jsonl"]).code, Some(0), "{value}");
        desk.put("pose.json", r#"{"b": 2.5}"#);
    }
}
