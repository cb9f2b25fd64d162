//! Robots, worlds and attached objects that are refused.

use super::{Run, TWO, attach, desk, flag_on};
use serde_json::{Value, json};

/// Exit code 3 and one line with all of these texts.
#[track_caller]
pub(super) fn refused(run: &Run, texts: &[&str]) {
    let [error] = run.errors()[..] else { panic!("{:?}: {}", run.code, run.stderr) };
    assert_eq!(run.code, Some(3), "{error}");
    assert!(texts.iter().all(|text| error.contains(text)), "{texts:?}: {error}");
}

#[test]
fn bad_robots_are_refused() {
    let desk = desk();
    let check = |more: &[&str]| desk.check_paths(&TWO, more).run;
    for (more, texts) in [
        (&["--robot", "left=robot.urdf"][..], &["two robots are called 'left'"][..]),
        (&["--robot", "robot.urdf"], &["robot.urdf has none", "--robot NAME=FILE"]),
        (&["--robot", "third=gone.urdf"], &["gone.urdf"]),
        (&["--base", "third=0,0,0,0,0,0"], &["--base", "no robot is called 'third'", "'left', 'right'"]),
        (&["--base", "0,0,0,0,0,0"], &["--base", "several"]),
        (&["--base", "right=0,0,0,0,0,0"], &["--base is given twice for 'right'"]),
        (&["--srdf", "third=robot.srdf"], &["--srdf", "no robot is called 'third'"]),
        (&["--srdf", "robot.srdf"], &["--srdf", "several"]),
    ] {
        refused(&check(more), texts);
        assert!(!desk.path("results.jsonl").exists());
    }
    let unnamed = ["--robot", "robot.urdf", "--scene", "wall.obj", "--motions", "one.npy"];
    refused(&desk.check_paths(&unnamed, &["--base", "left=0,0,0,0,0,0"]).run, &["--base", "'left'", "has no name"]);
}

/// A description of one of the robots.
#[test]
fn bad_descriptions_are_refused() {
    let desk = desk();
    let pair = "link1=\"rail\" link2=\"slider\"/>";
    for (lines, texts) in [
        (vec!["<disable_collisions link1=\"rail\" link2=\"hand\"/>".into()], &["line 2", "'hand'"][..]),
        (vec!["<passive_joint name=\"y\"/>".into()], &["line 2", "'y'"]),
        (vec![format!("<disable_collisions {pair}"), format!("<enable_collisions {pair}")], &["enabled", "disabled"]),
    ] {
        desk.put("left.srdf", format!("<robot name=\"r\">\n{}\n</robot>", lines.join("\n")));
        refused(&desk.check_paths(&TWO, &["--srdf", "left=left.srdf"]).run, &[texts, &["left.srdf"]].concat());
        assert!(!desk.path("results.jsonl").exists());
    }
}

#[test]
fn a_cycle_is_refused() {
    let desk = desk();
    let joints = ["slider", "hand"].map(|child| {
        let parent = if child == "hand" { "slider" } else { "hand" };
        super::joint(&format!("to {child}"), "prismatic", parent, child, "1 0 0")
    });
    let links = [super::link("slider", super::CUBE), super::link("hand", super::CUBE)];
    let text = super::robot(&[&*links[0], &*links[1], &*joints[0], &*joints[1]]);
    desk.put("loop.urdf", text);
    let files = ["--robot", "left=robot.urdf", "--robot", "right=loop.urdf", "--motions", "two.npy"];
    refused(&desk.check_paths(&files, &[]).run, &["loop.urdf", "form a cycle"]);
}

#[test]
fn bad_worlds_are_refused() {
    let desk = desk();
    let one = json!({ "name": "a", "urdf": "robot.urdf" });
    for (world, texts) in [
        (json!({ "robots": [] }), &["lists no robot"][..]),
        (json!({ "robots": [one, one] }), &["two robots are called 'a'"]),
        (json!({ "robots": [{ "name": "a/b", "urdf": "robot.urdf" }] }), &["'a/b' cannot be the name"]),
        (json!({ "robots": [{ "name": "a" }] }), &["urdf"]),
        (json!({ "robots": [one], "bases": {} }), &["bases"]),
        (json!({ "robots": [one], "scene": "gone.obj" }), &["gone.obj"]),
        (json!({ "robots": [one], "scene": "wall.obj", "allow": [["a/hand", "wall"]] }), &["'a/hand'", "allow"]),
    ] {
        desk.put("world.json", world.to_string());
        refused(&desk.check_paths(&["--world", "world.json", "--motions", "one.npy"], &[]).run, texts);
    }
}

#[test]
fn bad_objects_are_refused() {
    let desk = desk();
    desk.put("empty.obj", "v 0 0 0\n");
    let with = |key: &str, value: Value| {
        let mut flag = flag_on("hand");
        flag[key] = value;
        json!([flag])
    };
    for (objects, texts) in [
        (json!([{ "name": "flag", "link": "hand" }]), &["'flag'", "no mesh"][..]),
        (with("mesh", json!("gone.obj")), &["gone.obj", "'flag'"]),
        (with("mesh", json!("empty.obj")), &["empty.obj", "'flag'", "no triangle"]),
        (with("link", json!("wrist")), &["'flag'", "no link 'wrist'"]),
        (with("name", json!("slider")), &["'slider'", "has this name"]),
        (with("touch_links", json!(["wrist"])), &["'flag'", "no link 'wrist' to touch"]),
        (with("pose", json!([0, 0, 1])), &["JSON"]),
        (with("touch", json!([])), &["JSON", "touch"]),
        (json!([flag_on("hand"), flag_on("hand")]), &["'flag'", "has this name"]),
        (json!({}), &["JSON", "example"]),
    ] {
        attach(&desk, &objects);
        let files = ["--robot", "carrier.urdf", "--scene", "wall.obj", "--motions", "one.npy"];
        let run = desk.check_paths(&files, &["--attach", "attach.json"]).run;
        refused(&run, texts);
        // An error of a mesh names the mesh.
        let has_mesh = texts[0].ends_with(".obj");
        assert!(has_mesh || run.stderr.contains("attach.json"), "{}", run.stderr);
    }
}
