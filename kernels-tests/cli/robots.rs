//! Several robots and attached objects: `--robot NAME=FILE`, `--base NAME=…`, `--world`, `--attach`.

mod bad;

use super::{CUBE, Checked, Desk, Run, joint, link, npy, obj, robot, slider, walls};
use serde_json::{Value, json};
use std::f64::consts::PI;

/// A slider whose hand carries things: a frame 0.1 m along x on the slider, without shape.
fn carrier() -> String {
    let fixed = "<joint name=\"bolt\" type=\"fixed\"><parent link=\"slider\"/><child link=\"hand\"/>\
                 <origin xyz=\"0.1 0 0\"/></joint>";
    robot(&[
        "<link name=\"rail\"/>",
        &link("slider", CUBE),
        "<link name=\"hand\"/>",
        &joint("x", "prismatic", "rail", "slider", "1 0 0"),
        fixed,
    ])
}

/// Two triangles that reach from x = 0 to x = 0.3.
fn flag() -> String {
    obj(&[[0.0, 0.01, 0.0], [0.3, 0.02, 0.01], [0.0, 0.02, 0.05], [0.3, 0.03, 0.06]], &[[1, 2, 3], [2, 4, 3]])
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("carrier.urdf", carrier()).put("flag.obj", flag());
    desk.put("robot.srdf", "<robot name=\"r\"/>").put("wall.obj", walls(&[("wall", 5.0)]));
    // Both sliders along x: the first by up to 2 m, the second by none.
    desk.put("two.npy", npy(&[[&[0.0, 0.0], &[2.0, 0.0]], [&[0.0, 0.0], &[0.5, 0.0]]]));
    desk.put("one.npy", npy(&[[&[0.0], &[5.0]]]));
    desk
}

/// A sliding cube, and another one turned around, whose origin is 1.2 m ahead.
const TWO: [&str; 8] = [
    "--robot",
    "left=robot.urdf",
    "--robot",
    "right=robot.urdf",
    "--base",
    "right=1.2,0.01,0.02,0,0,3.141592653589793",
    "--motions",
    "two.npy",
];

fn attach(desk: &Desk, objects: &Value) {
    desk.put("attach.json", objects.to_string());
}

fn flag_on(link: &str) -> Value {
    json!({ "name": "flag", "link": link, "mesh": "flag.obj" })
}

/// The faces of both cubes are 1 m apart.
#[track_caller]
fn expect_two(checked: &Checked) {
    checked.run.expect(1);
    assert_eq!(checked.verdicts(), ["contact", "free"]);
    checked.touches(0, 0.5);
    let line = &checked.lines[0];
    assert_eq!((&line["a"]["link"], &line["b"]["link"]), (&json!("left/slider"), &json!("right/slider")), "{line}");
    assert!((line["point"][0].as_f64().unwrap() - 1.1).abs() < 1e-8, "{line}");
    assert!(line["a"].get("attached").is_none(), "{line}");
}

#[test]
fn two_robots_meet() {
    let desk = desk();
    let checked = desk.check_paths(&TWO, &[]);
    expect_two(&checked);
    assert_eq!(checked.stats["tested_pairs"]["link_link"], 1);
    let stdout = &checked.run.stdout;
    assert!(stdout.contains("tested pairs: 0 of link and object and 1 of two links"), "{stdout}");
    let sentence = "self-collision of left, right: not checked (no SRDF; --self-collision on checks all";
    assert!(stdout.contains(sentence), "{stdout}");
    // With an SRDF for one of them, only the other one is not checked.
    let checked = desk.check_paths(&TWO, &["--srdf", "left=robot.srdf"]);
    expect_two(&checked);
    assert!(checked.run.stdout.contains("self-collision of right: not checked"), "{}", checked.run.stdout);
}

#[test]
fn a_world_lists_robots() {
    let desk = desk();
    let both = |y: f64| {
        json!({ "robots": [
            { "name": "left", "urdf": "../robot.urdf", "srdf": "../robot.srdf" },
            { "name": "right", "urdf": "../robot.urdf", "base": [1.2, y, 0.02, 0, 0, PI] },
        ] })
    };
    desk.put("cell/world.json", both(0.01).to_string());
    let files = ["--world", "cell/world.json", "--motions", "two.npy"];
    expect_two(&desk.check_paths(&files, &[]));
    // An option replaces a base of the file.
    desk.put("cell/world.json", both(9.0).to_string());
    desk.check_paths(&files, &[]).expect(0);
    expect_two(&desk.check_paths(&files, &["--base", TWO[5]]));
    // A scene, and pairs that are never tested.
    let mut world = both(0.01);
    world["scene"] = json!("../wall.obj");
    world["allow"] = json!([["left/slider", "right/slider"], ["right/slider", "wall"]]);
    desk.put("cell/world.json", world.to_string());
    let checked = desk.check_paths(&files, &[]).expect(0);
    assert_eq!(checked.stats["tested_pairs"]["link_scene"], 1);
    assert_eq!((&checked.stats["tested_pairs"]["link_link"], checked.verdicts().len()), (&json!(0), 2));
    let info = desk.run(&["info", "--world", "cell/world.json"]);
    assert!(info.expect(0).stdout.contains("right/x") && info.stdout.contains("wall"), "{}", info.stdout);
}

#[test]
fn columns_follow_the_order_of_the_robots() {
    let desk = desk();
    let info = desk.run(&["info", "--json", "--robot", "b=robot.urdf", "--robot", "a=carrier.urdf"]);
    let info: Value = serde_json::from_str(&info.expect(0).stdout).unwrap();
    let names: Vec<&str> =
        info["robot"]["joints"].as_array().unwrap().iter().map(|j| j["joint"].as_str().unwrap()).collect();
    assert_eq!(names, ["b/x", "a/x"]);
    desk.put("named.json", r#"{"joints":["right/x","left/x"],"motions":[[[0,0],[0,2]]]}"#);
    let files = [&TWO[..6], &["--motions", "named.json"]].concat();
    desk.check_paths(&files, &[]).touches(0, 0.5);
    // A state of one robot's SRDF.
    desk.put(
        "robot.srdf",
        "<robot name=\"r\"><group name=\"g\"/><group_state name=\"near\" group=\"g\"><joint name=\"x\" \
         value=\"0.5\"/></group_state></robot>",
    );
    desk.put("named.json", r#"{"joints":["left/x"],"motions":[[[0],[1]]]}"#);
    for state in ["near", "g/near", "right/near", "right/g/near"] {
        let more = ["--missing-joints", state, "--srdf", "right=robot.srdf"];
        desk.check_paths(&files, &more).touches(0, 0.5);
    }
}

#[test]
fn paths_may_contain_an_equals_sign() {
    let desk = desk();
    desk.put("left=robot.urdf", slider(CUBE));
    // The path exists, so it is one robot without a name, and the second one has none to go with it.
    let one = ["--robot", "left=robot.urdf", "--scene", "wall.obj", "--motions", "one.npy"];
    assert_eq!(desk.check_paths(&one, &[]).lines[0]["a"]["link"], "slider");
    bad::refused(&desk.check_paths(&TWO, &[]).run, &["left=robot.urdf has none", "--robot NAME=FILE"]);
    let named = ["--robot", "arm=./left=robot.urdf", "--scene", "wall.obj", "--motions", "one.npy"];
    assert_eq!(desk.check_paths(&named, &[]).lines[0]["a"]["link"], "arm/slider");
}

#[test]
fn an_attached_object_touches_the_scene() {
    let desk = desk();
    attach(&desk, &json!([flag_on("hand")]));
    let files = ["--robot", "carrier.urdf", "--scene", "wall.obj", "--motions", "one.npy"];
    desk.check_paths(&files, &[]).touches(0, 4.9 / 5.0);
    let checked = desk.check_paths(&files, &["--attach", "attach.json"]);
    checked.touches(0, 4.6 / 5.0);
    let line = &checked.lines[0];
    assert_eq!((&line["a"]["link"], &line["a"]["attached"]), (&json!("hand"), &json!("flag")), "{line}");
    assert_eq!(checked.stats["tested_pairs"]["link_scene"], 2);
    assert!(checked.run.stdout.contains("of flag meets"), "{}", checked.run.stdout);
    // A pose, and a margin.
    let mut turned = flag_on("hand");
    turned["pose"] = json!([0.2, 0, 0, 0, 0, PI]);
    attach(&desk, &json!([turned]));
    let more = ["--attach", "attach.json", "--margin", "0.05"];
    desk.check_paths(&files, &more).touches(0, (5.0 - 0.3 - 0.05) / 5.0);
    // `--allow` knows the object by its name.
    desk.put("allow.txt", "flag wall\n");
    desk.check_paths(&files, &["--attach", "attach.json", "--allow", "allow.txt"]).touches(0, 4.9 / 5.0);
    let render = ["render", "--index", "0", "--out", "m.glb", "--attach", "attach.json"];
    desk.run(&[&render[..], &files].concat()).expect(0);
    let info = desk.run(&["info", "--json", "--robot", "carrier.urdf", "--attach", "attach.json"]);
    let info: Value = serde_json::from_str(&info.expect(0).stdout).unwrap();
    let links = info["robot"]["links"].as_array().unwrap();
    let carried = links.iter().find(|link| link["link"] == "flag").expect("the object");
    assert_eq!(carried["attached_to"], "hand");
}

#[test]
fn attached_objects_touch_links_of_other_robots() {
    let desk = desk();
    let files = [&["--robot", "left=carrier.urdf"], &TWO[2..]].concat();
    let mut flag = flag_on("left/hand");
    attach(&desk, &json!([flag]));
    let checked = desk.check_paths(&files, &["--attach", "attach.json"]);
    checked.touches(0, 0.35);
    let (a, b) = (&checked.lines[0]["a"], &checked.lines[0]["b"]);
    assert_eq!((&a["link"], a.get("attached")), (&json!("right/slider"), None));
    assert_eq!((&b["link"], &b["attached"]), (&json!("left/hand"), &json!("flag")));
    flag["touch_links"] = json!(["right/slider"]);
    attach(&desk, &json!([flag]));
    let checked = desk.check_paths(&files, &["--attach", "attach.json"]);
    checked.touches(0, 0.5);
    assert_eq!(checked.stats["tested_pairs"]["disabled"]["touch_links"], 1);
}

/// A changed object is another input.
#[test]
fn finished_answers_are_not_reused_for_changed_objects() {
    let desk = desk();
    attach(&desk, &json!([flag_on("hand")]));
    let files = ["--robot", "carrier.urdf", "--scene", "wall.obj", "--motions", "one.npy"];
    let check = |more: &[&str]| desk.check_paths(&files, &[&["--attach", "attach.json"], more].concat()).run;
    check(&[]).expect(1);
    assert!(check(&["--resume"]).expect(1).stdout.contains("already finished"));
    let mut moved = flag_on("hand");
    moved["pose"] = json!([0.01, 0, 0, 0, 0, 0]);
    attach(&desk, &json!([moved]));
    bad::refused(&check(&["--resume"]), &["differs in: robot"]);
    bad::refused(&desk.check_paths(&files, &["--resume"]).run, &["differs in: robot"]);
}

/// Each robot has a free joint of its own before its root.
#[test]
fn free_roots() {
    let desk = desk();
    let info =
        desk.run(&["info", "--json", "--floating-root", "--robot", "left=robot.urdf", "--robot", "b=robot.urdf"]);
    let info: Value = serde_json::from_str(&info.expect(0).stdout).unwrap();
    let names: Vec<&str> =
        info["robot"]["joints"].as_array().unwrap().iter().map(|j| j["joint"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[0], names[7]), (16, "left/floating_root.x", "left/x"));
    assert_eq!((names[8], names[15]), ("b/floating_root.x", "b/x"));
    let at = |x: f64| [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    desk.put("two.npy", npy(&[[&at(0.0), &at(2.0)], [&at(0.0), &at(0.5)]]));
    expect_two(&desk.check_paths(&TWO, &["--floating-root"]));
}

#[test]
fn pages_and_pictures_show_several_robots() {
    let desk = desk();
    let checked = desk.check_paths(&TWO, &["--html", "page.html"]);
    expect_two(&checked);
    let report = desk.run(&[&["report", "results.jsonl", "--out", "report.html"], &TWO[..]].concat());
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    for name in ["page.html", "report.html"] {
        let page = desk.text(name);
        for said in ["contact at t = 0.5000, left/slider – right/slider", "left=robot.urdf", "right=robot.urdf"] {
            assert!(page.contains(said), "{name}: {said}");
        }
        assert_eq!(page.matches("id=\"glb-").count(), 1, "{name}: both motions in one view");
    }
    let said = "Links of different robots and attached objects: 1 pair.";
    assert!(desk.text("page.html").contains(said), "{said}");
    let render = desk.run(&[&["render", "--index", "0", "--out", "m.glb"], &TWO[..]].concat());
    assert!(render.expect(0).stdout.contains("left/slider"), "{}", render.stdout);
}

/// An object around the other robot's cube: the motion starts inside.
#[test]
fn a_start_inside_an_attached_object() {
    let desk = desk();
    let corner = |i: usize| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { 0.5 } else { -0.5 });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces: Vec<_> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let faces: Vec<_> = faces.iter().map(|face| face.map(|k| k + 1)).collect();
    desk.put("box.obj", obj(&std::array::from_fn::<_, 8, _>(corner), &faces));
    let around = json!({ "name": "tent", "link": "left/slider", "mesh": "box.obj", "pose": [1.2, 0, 0, 0, 0, 0] });
    attach(&desk, &json!([around]));
    let checked = desk.check_paths(&TWO, &["--attach", "attach.json", "--solids", "contact"]);
    let line = &checked.lines[0];
    assert_eq!((&line["inside"], &line["toc"]), (&json!(true), &json!([0.0, 0.0])), "{line}");
    assert_eq!(line["a"], json!({ "link": "right/slider" }), "{line}");
    assert_eq!(line["b"], json!({ "link": "left/slider", "attached": "tent" }), "{line}");
}
