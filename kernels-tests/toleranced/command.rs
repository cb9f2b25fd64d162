//! `tolerance` and `verify` as scripts see them.

use firstcontact::toleranced::experiments::{Path, octagons, squares};
use firstcontact::toleranced::problem::Problem;
use serde_json::{Value, json};
use std::path::Path as File;
use std::process::Command;

/// Runs the program in a folder; returns the exit code and the printed text.
fn run(folder: &File, arguments: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_firstcontact")).current_dir(folder).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    (out.status.code(), text)
}

fn lines(path: &File) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn put(folder: &File, name: &str, value: &Value) {
    std::fs::write(folder.join(name), value.to_string()).unwrap();
}

fn json_of(problem: &Problem) -> Value {
    serde_json::to_value(problem).unwrap()
}

const ALL: [&str; 6] = ["tolerance", "p.json", "--out", "r.jsonl", "--certificate", "c.jsonl"];

#[test]
fn polygons_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    put(folder, "p.json", &json_of(&octagons([0.0, 0.0, -0.1125], true)));
    let (code, text) = run(folder, &ALL);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(lines(&folder.join("r.jsonl")), [json!({"problem": 0, "verdict": "free"})]);
    let (code, text) = run(folder, &["verify", "c.jsonl"]);
    assert_eq!((code, text.trim()), (Some(0), "valid: 1 of 1 motions are free"));

    // One that collides, one that does not.
    let both = json!({ "problems": [
        json_of(&octagons([0.0, 0.0, -0.2], false)),
        json_of(&squares(Path::Squares, 2, 0.3, None))
    ] });
    put(folder, "p.json", &both);
    let (code, text) = run(folder, &ALL);
    assert_eq!(code, Some(2), "{text}");
    let results = lines(&folder.join("r.jsonl"));
    assert_eq!(results[0]["verdict"], "undecided");
    // The part numbered 40 of 256.
    assert_eq!(results[0]["clear_until"], json!(40.0 / 256.0));
    assert_eq!(results[0]["intervals"][0]["t"], json!([40.0 / 256.0, 41.0 / 256.0]));
    assert_eq!(results[1], json!({"problem": 1, "verdict": "free"}));
    assert_eq!(run(folder, &["verify", "c.jsonl"]).0, Some(0));

    // Tampered with, as text.
    let text = std::fs::read_to_string(folder.join("c.jsonl")).unwrap();
    let mut cut: Vec<&str> = text.lines().collect();
    let end = cut.pop().unwrap();
    for (what, tampered) in [
        ("no end", cut.join("\n")),
        ("another count", format!("{}\n{}", cut.join("\n"), end.replace(":1", ":2"))),
        ("another problem", text.replace("\"motion\":1,\"body\":1", "\"motion\":0,\"body\":0")),
        ("no beginning", text.lines().skip(1).collect::<Vec<_>>().join("\n")),
        ("no proof", text.lines().filter(|l| !l.contains("\"proof\"")).collect::<Vec<_>>().join("\n")),
        ("a line cut", text[..text.len() / 2].to_string()),
    ] {
        std::fs::write(folder.join("t.jsonl"), tampered).unwrap();
        let (code, text) = run(folder, &["verify", "t.jsonl"]);
        assert_eq!(code, Some(1), "{what}: {text}");
        assert!(text.contains("refused: "), "{what}: {text}");
    }
    assert_eq!(run(folder, &["verify", "none.jsonl"]).0, Some(3));
}

#[test]
fn malformed_problems_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let good = json_of(&octagons([0.0; 3], false));
    let with = |key: &str, value: Value| {
        let mut changed = good.clone();
        changed[key] = value;
        changed
    };
    for (input, told) in [
        (json!([1, 2]), "invalid type"),
        (json!({ "robot": "x.urdf" }), "missing field"),
        (with("moving", json!([[[0, 0], [1, 0], [1, 1], [2, 1]]])), "moving polygon 0"),
        (with("moving", json!([[[0, 0], [0, 1], [1, 0]]])), "anticlockwise"),
        (with("fixed", json!([[[0, 0, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0]]])), "plane z = const"),
        (with("motion", json!({ "rigid": { "quaternions": [[1, 0, 0, 0]], "translations": [] } })), "motion"),
        (with("masses", json!({ "individual": { "inflation": 0.5 } })), "inflation"),
        (
            with("masses", json!({ "global": [{ "at": [0, 0, 0], "weight": 1 }, { "at": [1, 0, 0], "weight": 1 }] })),
            "line",
        ),
        (with("limits", json!({ "delta_m": 0 })), "delta_m"),
        (with("speed", json!(1)), "unknown field"),
    ] {
        put(folder, "p.json", &input);
        let (code, text) = run(folder, &ALL);
        assert_eq!(code, Some(3), "{input}: {text}");
        assert!(text.contains(told) && text.contains("p.json") && text.lines().count() == 1, "{told}: {text}");
        assert!(!folder.join("r.jsonl").exists() && !folder.join("c.jsonl").exists());
    }
}

const ROBOT: &str = r#"<robot name="arm"><link name="base"/>
<link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"#;

#[test]
fn a_robot_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("r.urdf"), ROBOT).unwrap();
    std::fs::write(folder.join("s.obj"), "o wall\nv -3 0.6 -3\nv 5 0.6 -3\nv 0.6 0.6 9\nf 1 2 3\n").unwrap();
    // The box's corner (1, 0.05) reaches y = 0.6 at asin(0.6/1.00125) - atan(0.05) = 0.593 rad.
    put(folder, "m.json", &json!({ "joints": ["shoulder"], "motions": [[[0.0], [0.55]], [[0.0], [1.0]]] }));
    put(
        folder,
        "p.json",
        &json!({ "robot": "r.urdf", "scene": "s.obj", "motions": "m.json",
                 "limits": { "delta_m": 1e-4, "first": true } }),
    );
    let (code, text) = run(folder, &ALL);
    assert_eq!(code, Some(2), "{text}");
    let results = lines(&folder.join("r.jsonl"));
    assert_eq!(results[0], json!({"motion": 0, "verdict": "free"}));
    let first = (0.6f64 / (1.0f64 + 0.0025).sqrt()).asin() - 0.05f64.atan();
    let until = results[1]["clear_until"].as_f64().unwrap();
    assert!(until <= first && until > first - 2e-3, "{until} {first}");
    let place = &results[1]["intervals"][0];
    assert_eq!((&place["a"]["link"], &place["b"]["object"]), (&json!("arm"), &json!("wall")));
    // With an adapter: the same answers, and a valid certificate.
    if !crate::harness::gpu::skip() {
        let (code, text) =
            run(folder, &["tolerance", "p.json", "--out", "g.jsonl", "--certificate", "d.jsonl", "--backend", "gpu"]);
        assert!(code == Some(2) && text.contains("elementary tests on "), "{text}");
        let on_adapter = lines(&folder.join("g.jsonl"));
        assert_eq!(on_adapter[0], results[0]);
        let later = on_adapter[1]["clear_until"].as_f64().unwrap();
        assert!(later >= until && later <= first, "{later} {until}");
        assert_eq!(run(folder, &["verify", "d.jsonl"]).0, Some(0));
    }
    // A path through several points is not a motion; its middle part would not be answered.
    let csv = folder.join("path.csv");
    std::fs::write(&csv, "time,shoulder\n0,0\n1,0.1\n2,0.2\n3,0.3\n").unwrap();
    let job = std::fs::read_to_string(folder.join("p.json")).unwrap().replace("m.json", "path.csv");
    std::fs::write(folder.join("path.json"), job).unwrap();
    let (code, text) = run(folder, &["tolerance", "path.json", "--out", "p.jsonl", "--backend", "cpu"]);
    assert!(code == Some(3) && text.contains("times increase over more than 2 rows"), "{text}");
    // The certificate concerns the free motion, and is valid in another folder too.
    let elsewhere = tempfile::tempdir().unwrap();
    let certificate = folder.join("c.jsonl");
    let name = certificate.to_str().unwrap();
    let (code, text) = run(elsewhere.path(), &["verify", name]);
    assert_eq!((code, text.trim()), (Some(0), "valid: 1 of 2 motions are free; nothing is proved about the others"));
    // It is not an answer to a question about a certificate of `check`.
    for option in
        [&["--robot", "gone.urdf"][..], &["--margin", "0.5"], &["--results", "r.jsonl"], &["--merkle-root", "00"]]
    {
        let (code, text) = run(folder, &[&["verify", "c.jsonl"], option].concat());
        assert!(code == Some(3) && text.contains("it is not a certificate of check"), "{text}");
    }
    // The motion differs from that of the certificate.
    put(folder, "m.json", &json!({ "joints": ["shoulder"], "motions": [[[0.0], [0.7]], [[0.0], [1.0]]] }));
    assert_eq!(run(elsewhere.path(), &["verify", name]).0, Some(1));
}
