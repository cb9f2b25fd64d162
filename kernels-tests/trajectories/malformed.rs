//! Malformed files: exit code 3, one message that names the file, and no output.

use super::case::Case;
use super::corners::{path, tip, wall};
use crate::inputs::samples::npy;
use serde_json::{Value, json};

/// Expects that a run of these motions ends with one message that has these words.
#[track_caller]
fn refused(case: &Case, motions: &str, more: &[&str], words: &[&str]) {
    let checked = case.check_file(motions, more);
    let (run, n_errors) = (&checked.run, checked.run.errors().len());
    assert_eq!((run.code, n_errors, run.stderr.lines().count()), (Some(3), 1, 1), "{motions} {more:?}: {}", run.stderr);
    assert!(words.iter().all(|word| run.stderr.contains(word)), "{words:?}: {}", run.stderr);
    for file in ["results.jsonl", "results.jsonl.part", "stats.json"] {
        assert!(!case.desk.path(file).exists(), "{motions} {more:?}: {file} is left");
    }
}

fn case() -> Case {
    Case::new(&tip(), vec![wall("wall", 1.5)])
}

/// A file of a trajectory of the two joints with these entries.
fn of(entries: Value) -> Value {
    json!({"joints": ["x", "y"], "trajectories": [entries]})
}

#[test]
fn arrays() {
    let case = case();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for (name, shape, values) in [
        ("nan", "(1, 3, 2)", &[0.0, 0.0, nan, 0.0, 1.0, 0.0][..]),
        ("infinite", "(1, 3, 2)", &[0.0, 0.0, 0.0, 0.0, 1.0, inf]),
        ("narrow", "(2, 3, 1)", &[0.0; 6]),
        ("wide", "(1, 2, 3)", &[0.0; 6]),
        ("flat", "(3, 2)", &[0.0; 6]),
        ("deep", "(1, 1, 3, 2)", &[0.0; 6]),
        ("nowhere", "(3, 0, 2)", &[]),
        ("short", "(1, 4, 2)", &[0.0; 6]),
    ] {
        let file = format!("{name}.npy");
        case.desk.put(&file, npy("'<f8'", shape, values));
        refused(&case, &file, &[], &[&file]);
    }
}

#[test]
fn files_with_names() {
    let case = case();
    let three = json!([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]);
    let files: Vec<(&str, Value, &[&str])> = vec![
        ("narrow", of(json!({"positions": [[0.0, 0.0], [1.0]]})), &[]),
        ("wide", of(json!({"positions": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]})), &[]),
        ("empty", of(json!({"positions": []})), &[]),
        ("without-positions", of(json!({"times_s": [0.0, 1.0]})), &["positions"]),
        ("null", of(json!({"positions": [[0.0, 0.0], [null, 0.0]]})), &[]),
        ("text", of(json!({"positions": [[0.0, 0.0], ["1", 0.0]]})), &[]),
        ("equal-times", of(json!({"times_s": [0.0, 1.0, 1.0], "positions": three})), &["time"]),
        ("falling-times", of(json!({"times_s": [0.0, 2.0, 1.0], "positions": three})), &["time"]),
        ("few-times", of(json!({"times_s": [0.0, 1.0], "positions": three})), &["time"]),
        ("many-times", of(json!({"times_s": [0.0, 1.0, 2.0, 3.0], "positions": three})), &["time"]),
        (
            "few-velocities",
            of(json!({"times_s": [0.0, 1.0, 2.0], "positions": three, "velocities": [[0.0, 0.0], [0.0, 0.0]]})),
            &["velocit"],
        ),
        (
            "narrow-velocities",
            of(json!({"times_s": [0.0, 1.0, 2.0], "positions": three, "velocities": [[0.0], [0.0], [0.0]]})),
            &["velocit"],
        ),
        (
            "accelerations-alone",
            of(json!({"times_s": [0.0, 1.0, 2.0], "positions": three, "accelerations": three})),
            &["acceleration"],
        ),
        ("unknown-joint", json!({"joints": ["x", "elbow"], "trajectories": [{"positions": three}]}), &["elbow"]),
        ("joint-twice", json!({"joints": ["x", "x"], "trajectories": [{"positions": three}]}), &["x"]),
        ("missing-joint", json!({"joints": ["x"], "trajectories": [{"positions": [[0.0], [1.0]]}]}), &["y"]),
        ("without-joints", json!({"trajectories": [{"positions": three}]}), &["joints"]),
        ("no-list", json!({"joints": ["x", "y"], "trajectories": {"positions": three}}), &[]),
        ("infinite", of(json!({"positions": [[0.0, 0.0], [1.0, 0.0]], "times_s": [0.0, null]})), &[]),
    ];
    for (name, content, words) in files {
        let file = format!("{name}.json");
        case.desk.put(&file, content.to_string());
        refused(&case, &file, &[], &[&[file.as_str()], words].concat());
    }
}

#[test]
fn texts_that_are_not_json() {
    let case = case();
    let whole = case.json(&[path(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])]);
    let cut = &whole[..whole.len() - 9];
    let nan = whole.replace("1.0", "NaN");
    let huge = whole.replace("1.0", "1e999");
    for (file, text) in [("cut.json", cut), ("nan.json", &nan), ("huge.json", &huge), ("nothing.json", "")] {
        assert_ne!(text, whole);
        case.desk.put(file, text);
        refused(&case, file, &[], &[file]);
    }
}

#[test]
fn tolerances_of_joints() {
    let case = case();
    case.desk.put("good.json", case.json(&[path(&[[0.0, 0.0], [0.5, 0.0], [0.0, 0.0]])]));
    assert_eq!(case.check_file("good.json", &["--joint-tolerance", "0.001"]).run.code, Some(0));
    for (name, content) in [
        ("unknown.json", r#"{"x": 0.1, "elbow": 0.1}"#),
        ("negative.json", r#"{"x": 0.1, "y": -0.1}"#),
        ("text.json", r#"{"x": "wide", "y": 0.1}"#),
        ("list.json", "[0.1, 0.1]"),
        ("cut.json", r#"{"x": 0.1"#),
    ] {
        case.desk.put(name, content);
        refused(&case, "good.json", &["--joint-tolerance", name], &[name]);
    }
    refused(&case, "good.json", &["--joint-tolerance", "gone.json"], &["gone.json"]);
    for value in ["-0.1", "nan", "inf"] {
        // The parser of arguments may add a hint on the usage.
        let run = case.check_file("good.json", &[&format!("--joint-tolerance={value}")]).run;
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{value}: {}", run.stderr);
        assert!(!case.desk.path("results.jsonl").exists() && run.stderr.contains("joint-tolerance"), "{}", run.stderr);
    }
}

/// A free joint has no tolerance, so a number for all joints is refused, and a file may not name it.
#[test]
fn tolerances_of_robots_with_a_free_joint() {
    let case = case();
    let still = "[0, 0, 0, 0, 0, 0, 1, 0, 0]";
    let names = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|part| format!("\"floating_root.{part}\""));
    let joints = format!("{}, \"x\", \"y\"", names.join(", "));
    case.desk.put("good.json", format!("{{\"joints\": [{joints}], \"motions\": [[{still}, {still}]]}}"));
    let free = ["--floating-root", "--joint-tolerance"];
    for (name, content) in [("some.json", r#"{"x": 0.01}"#), ("none.json", "{}")] {
        case.desk.put(name, content);
        let run = case.check_file("good.json", &[&free[..], &[name]].concat()).run;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let _ = std::fs::remove_file(case.desk.path("results.jsonl"));
        let _ = std::fs::remove_file(case.desk.path("stats.json"));
    }
    refused(&case, "good.json", &[&free[..], &["0.01"]].concat(), &["floating_root.x", "in a file"]);
    case.desk.put("free.json", r#"{"floating_root.x": 0.01}"#);
    refused(&case, "good.json", &[&free[..], &["free.json"]].concat(), &["floating_root.x"]);
}

/// A file without trajectories is not an error.
#[test]
fn no_trajectory() {
    let case = case();
    case.desk.put("none.json", json!({"joints": ["x", "y"], "trajectories": []}).to_string());
    case.desk.put("none.npy", npy("'<f8'", "(0, 3, 2)", &[]));
    for file in ["none.json", "none.npy"] {
        let checked = case.check_file(file, &[]);
        assert_eq!((checked.run.code, checked.lines.len()), (Some(0), 0), "{}", checked.run.stderr);
    }
}
