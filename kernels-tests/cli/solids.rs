//! `--solids`: starts inside closed objects and links, in results, statistics, the summary and the exit code.

use super::{CUBE, Desk, Motion, link, robot, slider};
use crate::oracle::mesh::box_of;
use glam::DVec3;
use serde_json::{Value, json};

/// A closed box of 2 m about the origin, and an open one of 4 m; both are far from the slide's other end.
fn scene() -> String {
    let mut text = String::new();
    let mut n = 0;
    for (name, side, left_out) in [("cabinet", 2.0, 0), ("tent", 4.0, 1)] {
        text += &format!("o {name}\n");
        for [a, b, c] in box_of(DVec3::splat(side)).into_iter().skip(left_out) {
            [a, b, c].iter().for_each(|v| text += &format!("v {} {} {}\n", v.x, v.y, v.z));
            text += &format!("f {} {} {}\n", n + 1, n + 2, n + 3);
            n += 3;
        }
    }
    text
}

/// The first motion starts inside the closed box, the second one between the boxes, the third one outside.
const MOTIONS: &[Motion] = &[[&[0.0], &[0.1]], [&[1.5], &[1.6]], [&[3.0], &[3.5]]];

#[test]
fn starts_inside_are_counted() {
    for more in [&[][..], &["--solids", "warn"]] {
        let checked = Desk::new().check(&slider(CUBE), &scene(), MOTIONS, more).expect(0);
        assert_eq!(checked.verdicts(), ["free"; 3]);
        assert_eq!(checked.stats["inside"], json!([{ "link": "slider", "object": "cabinet", "motions": 1 }]));
        assert_eq!(checked.stats["start_inside"], 1);
        let words = "1 motions start inside a closed object or link";
        assert!(checked.run.stdout.contains(words) && checked.run.stdout.contains("slider and cabinet (1 motions)"));
    }
    let off = Desk::new().check(&slider(CUBE), &scene(), MOTIONS, &["--solids", "off"]).expect(0);
    assert_eq!((&off.stats["inside"], &off.stats["start_inside"]), (&json!([]), &json!(0)));
    assert!(!off.run.stdout.contains("inside"));
}

/// Lines of results do not have what was counted at the starts: it is unknown after a resumed run, not zero.
#[test]
fn starts_of_earlier_runs_are_unknown() {
    let desk = Desk::new();
    let check = |more: &[&str]| desk.check(&slider(CUBE), &scene(), MOTIONS, more).expect(0);
    for (options, key, before) in [
        (&["--solids", "warn"][..], "start_inside", json!(1)),
        (&["--solids", "off", "--initial", "ignore"], "ignored", json!([])),
    ] {
        assert_eq!(check(options).stats[key], before);
        let resumed = check(&[options, &["--resume"]].concat());
        assert_eq!((&resumed.stats["resumed"], &resumed.stats[key]), (&json!(3), &json!(null)));
        assert!(resumed.run.stdout.contains("unknown for the 3 motions"), "{}", resumed.run.stdout);
    }
    let off = check(&["--solids", "off"]);
    assert_eq!(check(&["--solids", "off", "--resume"]).stats["start_inside"], off.stats["start_inside"]);
}

#[test]
fn starts_inside_are_merged() {
    let desk = Desk::new();
    desk.check(&slider(CUBE), &scene(), MOTIONS, &[]).expect(0);
    for (shard, out) in [("0/2", "a.jsonl"), ("1/2", "b.jsonl")] {
        let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", out];
        assert_eq!(desk.run(&[&["check", "--shard", shard], &files[..]].concat()).code, Some(0));
    }
    let run = desk.run(&["merge", "a.jsonl", "b.jsonl", "--out", "all.jsonl", "--manifest", "run.json"]);
    assert!(run.code == Some(0) && run.stdout.contains("1 motions start inside"), "{}", run.stdout);
    let manifest: Value = serde_json::from_str(&desk.text("run.json")).unwrap();
    assert_eq!(manifest["start_inside"], 1);
    assert_eq!(manifest["inside"], json!([{ "link": "slider", "object": "cabinet", "motions": 1 }]));
    assert_eq!(manifest["ignored"], json!([]));
}

#[test]
fn starts_inside_are_contacts() {
    let desk = Desk::new();
    let checked =
        desk.check(&slider(CUBE), &scene(), MOTIONS, &["--solids", "contact", "--html", "page.html"]).expect(1);
    assert_eq!(checked.verdicts(), ["contact", "free", "free"]);
    let line = &checked.lines[0];
    let point = super::numbers(&line["point"]);
    assert!(point.len() == 3 && point.iter().all(|x| (x.abs() - 0.1).abs() < 1e-12), "{line}");
    let mut expected = json!({
        "motion": 0, "verdict": "contact", "toc": [0.0, 0.0], "proved": true, "certified": true,
        "initial_overlap": true, "inside": true, "a": { "link": "slider" }, "b": { "object": "cabinet" },
    });
    expected["point"] = line["point"].clone();
    assert_eq!(line, &expected);
    assert!(checked.lines[1].get("inside").is_none());
    assert!(desk.path("page.html").is_file());
}

#[test]
fn a_link_inside_a_link() {
    let outer = link("outer", "<box size=\"1 1 1\"/>");
    let slide = super::joint("x", "prismatic", "outer", "inner", "1 0 0");
    let text = robot(&[&outer, &link("inner", CUBE), &slide]);
    // The links are adjacent, and tested because the SRDF does not disable the pair.
    let desk = Desk::new();
    desk.put("r.srdf", "<robot name=\"r\"/>");
    let far = "v 50 0 0\nv 51 0 0\nv 50 1 0\nf 1 2 3\n";
    let motions: &[Motion] = &[[&[0.0], &[0.1]], [&[5.0], &[6.0]]];
    let checked = desk.check(&text, far, motions, &["--srdf", "r.srdf", "--solids", "contact"]).expect(1);
    assert_eq!(checked.verdicts(), ["contact", "free"]);
    let line = &checked.lines[0];
    assert_eq!((&line["a"], &line["b"]), (&json!({ "link": "outer" }), &json!({ "link": "inner" })));
    assert_eq!(checked.stats["inside"], json!([{ "link": "outer", "other_link": "inner", "motions": 1 }]));
    let alone = desk.check(&text, far, motions, &["--solids", "contact"]).expect(0);
    assert_eq!(alone.stats["inside"], json!([]));
}
