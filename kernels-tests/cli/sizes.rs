//! Sizes of robots and scenes in `info`, and its warnings about units.

use super::{CUBE, Desk, Run, joint, link, robot, slider, walls};
use serde_json::{Value, json};

fn info(desk: &Desk, more: &[&str]) -> (Value, Run) {
    let run = desk.run(&[&["info", "--json"], more].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (serde_json::from_str(&run.stdout).unwrap(), run)
}

/// A cube on a rail of its own length, turned by two joints that are 0.3 and 0.4 m apart.
fn two_joints() -> String {
    let moved = |joint: String, origin: &str| joint.replace("<axis", &format!("<origin xyz=\"{origin}\"/><axis"));
    robot(&[
        "<link name=\"base\"/><link name=\"upper\"/>",
        &link("hand", CUBE),
        &moved(joint("a", "continuous", "base", "upper", "0 0 1"), "0 0 0.3"),
        &moved(joint("b", "continuous", "upper", "hand", "0 1 0"), "0.4 0 0"),
    ])
}

#[test]
fn boxes_and_reach_are_those_of_the_zero_pose() {
    let desk = Desk::new();
    desk.put("robot.urdf", two_joints()).put("scene.obj", walls(&[("wall", 1.0), ("far", 4.0)]));
    let (all, run) = info(&desk, &["--robot", "robot.urdf", "--scene", "scene.obj"]);
    assert_eq!(run.stderr, "");
    // The cube's half side is 0.1 m, its middle at (0.4, 0, 0.3).
    let near = |found: &Value, expected: [f64; 3]| super::near(found, expected, 1e-12);
    let bounds = &all["robot"]["bounds_m"];
    near(&bounds["low"], [0.3, -0.1, 0.2]);
    near(&bounds["high"], [0.5, 0.1, 0.4]);
    near(&bounds["size"], [0.2, 0.2, 0.2]);
    // Both offsets and the distance to a corner.
    let reach = all["robot"]["reach_m"].as_f64().unwrap();
    assert!((reach - (0.3 + 0.4 + 0.03f64.sqrt())).abs() < 1e-12, "{reach}");
    let bounds = &all["scene"]["bounds_m"];
    near(&bounds["low"], [1.0, -7.0, -5.0]);
    near(&bounds["high"], [4.0, 7.0, 9.0]);
    near(&bounds["size"], [3.0, 14.0, 14.0]);
    assert_eq!(all["warnings"], json!([]));
    // The same in words; the base moves the box, but does not change the reach.
    let run = desk.run(&["info", "--robot", "robot.urdf", "--scene", "scene.obj", "--base", "10,0,0,0,0,0"]);
    for words in [
        "size at its zero pose: 0.200 × 0.200 × 0.200 m, from (10.300, -0.100, 0.200) to (10.500, 0.100, 0.400) m",
        "reach: at most 0.873 m from its root",
        "size: 3.000 × 14.000 × 14.000 m, from (1.000, -7.000, -5.000) to (4.000, 7.000, 9.000) m",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

#[test]
fn the_reach_of_a_slide_is_that_of_its_limits() {
    let desk = Desk::new();
    desk.put("free.urdf", slider(CUBE));
    let (all, _) = info(&desk, &["--robot", "free.urdf"]);
    assert_eq!(all["robot"]["reach_m"], Value::Null);
    assert!(desk.run(&["info", "--robot", "free.urdf"]).stdout.contains("reach: unlimited"));
    desk.put("limited.urdf", slider(CUBE).replace("</joint>", "<limit lower=\"-2\" upper=\"1\"/></joint>"));
    let (all, _) = info(&desk, &["--robot", "limited.urdf"]);
    let reach = all["robot"]["reach_m"].as_f64().unwrap();
    assert!((reach - (2.0 + 0.03f64.sqrt())).abs() < 1e-12, "{reach}");
    // A robot without triangles has no size.
    desk.put("empty.urdf", robot(&["<link name=\"base\"/>"]));
    let run = desk.run(&["info", "--json", "--robot", "empty.urdf"]);
    if run.code == Some(0) {
        let all: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&all["robot"]["bounds_m"], &all["robot"]["reach_m"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn sizes_that_suggest_millimetres_cause_a_warning() {
    let desk = Desk::new();
    let cube = |side: &str| CUBE.replace("0.2", side);
    desk.put("metres.urdf", slider(CUBE)).put("millimetres.urdf", slider(&cube("200")));
    desk.put("small.obj", "o part\nv 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nf 1 2 3\n");
    desk.put("shop.obj", walls(&[("wall", 1.0)]));
    desk.put("shop-in-mm.obj", "o wall\nv 1000 -7000 -5000\nv 1000 7000 -5000\nv 1000 0 9000\nf 1 2 3\n");
    for (robot, scene, words) in [
        ("metres.urdf", "shop.obj", &[][..]),
        ("metres.urdf", "small.obj", &[]),
        (
            "millimetres.urdf",
            "small.obj",
            &["the robot is 200 m long", "the robot is 1,000 times larger than the scene, 200 m by 0.200 m"],
        ),
        ("millimetres.urdf", "shop-in-mm.obj", &["the robot is 200 m long"]),
        ("metres.urdf", "shop-in-mm.obj", &["the scene is 70,000 times larger than the robot, 14,000 m by 0.200 m"]),
    ] {
        let (all, run) = info(&desk, &["--robot", robot, "--scene", scene]);
        let written: Vec<&str> = all["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
        assert_eq!(
            (run.warnings().len(), written.len()),
            (words.len(), words.len()),
            "{robot} {scene}: {}",
            run.stderr
        );
        for ((word, written), printed) in words.iter().zip(written).zip(run.warnings()) {
            assert!(written.contains(word) && printed.contains(word), "{robot} {scene}: {printed}");
        }
    }
}
