//! The base of a robot in a problem of `tolerance`, and in its certificates.

use super::{Desk, Run};
use serde_json::{Value, json};

/// An arm of 1 m along x that turns about z; its corner (1, 0.05) is 1.00125 m from the axis, 0.05 rad ahead.
const ARM: &str = r#"<robot name="arm"><link name="base"/>
<link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("r.urdf", ARM).put("s.obj", "o wall\nv -3 0.6 -3\nv 5 0.6 -3\nv 0.6 0.6 9\nf 1 2 3\n");
    desk.put("m.json", r#"{"joints": ["shoulder"], "motions": [[[0.0], [0.5]]]}"#);
    desk
}

fn tolerance(desk: &Desk, base: &Value) -> Run {
    let limits = json!({ "delta_m": 1e-4, "first": true });
    let mut problem = json!({ "robot": "r.urdf", "scene": "s.obj", "motions": "m.json", "limits": limits });
    if !base.is_null() {
        problem["base"] = base.clone();
    }
    desk.put("p.json", problem.to_string());
    desk.run(&["tolerance", "p.json", "--backend", "cpu", "--out", "r.jsonl", "--certificate", "c.jsonl"])
}

#[test]
fn the_base_moves_the_robot() {
    let desk = desk();
    // The arm reaches y = 0.6 at 0.593 rad, which is beyond its motion; turned by 0.3 rad, it reaches it at 0.293 of
    // 0.5 rad.
    assert_eq!(tolerance(&desk, &Value::Null).code, Some(0));
    let run = tolerance(&desk, &json!([0, 0, 0, 0, 0, 0.3]));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let line: Value = serde_json::from_str(desk.text("r.jsonl").trim()).unwrap();
    let first = ((0.6f64 / 1.0025f64.sqrt()).asin() - 0.05f64.atan() - 0.3) / 0.5;
    let until = line["clear_until"].as_f64().unwrap();
    assert!(until <= first && until > first - 4e-3, "{until} {first}");
    // Moved away from the wall it is free, and the certificate contains the base: without it the certificate is not
    // valid.
    let run = tolerance(&desk, &json!([0, -0.5, 0, 0, 0, 0.3]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    desk.run(&["verify", "c.jsonl"]).expect(0);
    let certificate = desk.text("c.jsonl");
    let changed = certificate.replacen("-0.5,", "0.0,", 1);
    assert_ne!(changed, certificate);
    desk.put("changed.jsonl", changed);
    assert_eq!(desk.run(&["verify", "changed.jsonl"]).code, Some(1));
}

#[test]
fn a_base_is_six_numbers() {
    for (base, word) in
        [(json!([0, 0, 0]), "length 3"), (json!("0,0,0,0,0,0"), "p.json"), (json!([0, 0, 0, 0, 0, 0, 0]), "p.json")]
    {
        let desk = desk();
        let run = tolerance(&desk, &base);
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{base}: {}", run.stderr);
        assert!(run.errors()[0].contains(word) && !desk.path("r.jsonl").exists(), "{base}: {}", run.stderr);
    }
}
