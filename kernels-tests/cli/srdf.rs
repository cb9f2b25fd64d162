//! Pairs of links: SRDF files, `--self-collision`, pairs of links in `--allow`, and what is reported about them.

use super::{CUBE, Checked, Desk, Run, link, robot, walls};
use serde_json::{Value, json};

/// A joint one metre along x from its parent's frame, so that no links touch.
fn apart(name: &str, kind: &str, parent: &str, child: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <origin xyz=\"1 0 0\"/><axis xyz=\"0 0 1\"/></joint>"
    )
}

/// An arm of cubes `base`, `upper`, `fore` and `tool`; the tool is fixed to `fore`, by way of a link without shape.
fn arm() -> String {
    robot(&[
        &["base", "upper", "fore", "tool"].map(|name| link(name, CUBE)).concat(),
        "<link name=\"flange\"/>",
        &apart("a", "continuous", "base", "upper"),
        &apart("b", "continuous", "upper", "fore"),
        &apart("bolt", "fixed", "fore", "flange"),
        &apart("nut", "fixed", "flange", "tool"),
    ])
}

/// Two walls that the arm does not reach; one has the name of a link.
fn scene() -> String {
    walls(&[("wall", 40.0), ("upper", 50.0)])
}

const SRDF: &str = r#"<robot name="r">
  <group name="arm"/>
  <group_state name="bent" group="arm"><joint name="b" value="0.5"/></group_state>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="tool" link2="base" reason="Never"/>
</robot>"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("arm.srdf", SRDF);
    desk
}

/// Checks one short motion.
fn check(desk: &Desk, more: &[&str]) -> Checked {
    desk.check(&arm(), &scene(), &[[&[0.0, 0.0], &[0.01, 0.01]]], more)
}

/// Pairs with a scene, pairs of links, and pairs left out as adjacent, by the SRDF and by `--allow`.
#[track_caller]
fn expect(checked: &Checked, [link_scene, link_link, adjacent, srdf, allow]: [u64; 5], line: &str) {
    checked.run.expect(0);
    let pairs = &checked.stats["tested_pairs"];
    assert_eq!((&pairs["link_scene"], &pairs["link_link"]), (&json!(link_scene), &json!(link_link)), "{pairs}");
    let disabled = ["adjacent", "srdf", "allow", "proved"].map(|reason| pairs["disabled"][reason].as_u64().unwrap());
    assert_eq!(disabled, [adjacent, srdf, allow, 0], "{pairs}");
    assert!(checked.run.stdout.lines().any(|l| l == line), "{line}: {}", checked.run.stdout);
}

/// Four links against two walls. Of the six pairs of links one is rigid, and `fore` and `tool` are adjacent to `upper`.
#[test]
fn the_counts_of_pairs_are_reported() {
    let desk = desk();
    let off = check(&desk, &[]);
    expect(&off, [8, 0, 0, 0, 0], "tested pairs: 8 of link and object");
    let sentence = "self-collision: not checked (no SRDF; --self-collision on checks all non-adjacent pairs)";
    assert!(off.run.stdout.lines().any(|l| l == sentence), "{}", off.run.stdout);
    let on = check(&desk, &["--self-collision", "on"]);
    expect(&on, [8, 2, 3, 0, 0], "tested pairs: 8 of link and object and 2 of two links; left out: 3 adjacent");
    assert!(!on.run.stdout.contains("not checked"), "{}", on.run.stdout);
    // With an SRDF adjacent pairs are tested unless it disables them.
    let srdf = check(&desk, &["--srdf", "arm.srdf"]);
    expect(&srdf, [8, 3, 0, 2, 0], "tested pairs: 8 of link and object and 3 of two links; left out: 2 by the SRDF");
    assert!(!srdf.run.stdout.contains("not checked"), "{}", srdf.run.stdout);
    let off = check(&desk, &["--srdf", "arm.srdf", "--self-collision", "off"]);
    expect(&off, [8, 0, 0, 0, 0], "self-collision: not checked (--self-collision off)");
}

#[test]
fn allowed_pairs_may_be_two_links() {
    let desk = desk();
    // Either order; a pair of a rigid group, which is not tested anyway; an object.
    desk.put("allow.txt", "tool base\nfore tool\nfore wall  # far away\nfore wall\n");
    let tested = "tested pairs: 7 of link and object and 1 of two links; left out: 3 adjacent, 2 allowed";
    expect(&check(&desk, &["--self-collision", "on", "--allow", "allow.txt"]), [7, 1, 3, 0, 2], tested);
    // The SRDF's own reason stays.
    let tested = "tested pairs: 7 of link and object and 3 of two links; left out: 2 by the SRDF, 1 allowed";
    expect(&check(&desk, &["--srdf", "arm.srdf", "--allow", "allow.txt"]), [7, 3, 0, 2, 1], tested);
    // Without self-collision checks the names are still valid.
    let tested = "tested pairs: 7 of link and object; left out: 1 allowed";
    expect(&check(&desk, &["--allow", "allow.txt"]), [7, 0, 0, 0, 1], tested);
    // A second name of an object and a link is the object; a star means all links, or all objects.
    desk.put("allow.txt", "base upper\n");
    let pairs = |more: &[&str]| {
        let checked = check(&desk, &[&["--srdf", "arm.srdf", "--allow", "allow.txt"], more].concat());
        checked.run.expect(0);
        ["link_scene", "link_link"].map(|key| checked.stats["tested_pairs"][key].as_u64().unwrap())
    };
    assert_eq!(pairs(&[]), [7, 3]);
    desk.put("allow.txt", "upper *\n");
    assert_eq!(pairs(&[]), [6, 3]);
    desk.put("allow.txt", "* fore\n");
    assert_eq!(pairs(&[]), [8, 1]);
    desk.put("allow.txt", "upper fore\n");
    assert_eq!(pairs(&[]), [8, 2]);
    desk.put("allow.txt", "* *\n");
    assert_eq!(pairs(&[]), [0, 3]);
}

#[track_caller]
fn refused(run: &Run, words: &[&str]) {
    let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count()), (Some(3), 1), "{}", run.stderr);
    assert!(words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
}

#[test]
fn bad_files_are_one_message_with_file_and_line() {
    let desk = desk();
    let with = |elements: &str| format!("<robot name=\"r\">\n{elements}\n</robot>");
    let disabled = "<disable_collisions link1=\"base\" link2=\"fore\"/>\n";
    for (text, words) in [
        (with("<disable_collisions link1=\"base\" link2=\"gripper\"/>"), ["line 2", "no link 'gripper'"]),
        (with("<enable_collisions link1=\"gripper\" link2=\"base\"/>"), ["line 2", "no link 'gripper'"]),
        (with("\n<disable_default_collisions link=\"gripper\"/>"), ["line 3", "no link 'gripper'"]),
        (with("<passive_joint name=\"wheel\"/>"), ["line 2", "no joint 'wheel'"]),
        (with("<disable_collisions link1=\"base\" link3=\"fore\"/>"), ["line 2", "attribute 'link3'"]),
        (with("<disable_collisions link1=\"base\"/>"), ["line 2", "has no link2"]),
        (
            with(&(disabled.to_string() + "<enable_collisions link1=\"fore\" link2=\"base\"/>")),
            ["line 3", "enabled here and disabled on line 2"],
        ),
        (with("<group_state name=\"s\" group=\"g\"/>"), ["line 2", "no group is called 'g'"]),
        (arm(), ["line 1", "it is a URDF, not an SRDF"]),
        ("<sdf/>".into(), ["its root is <sdf>", "give an SRDF"]),
        ("links:".into(), ["XML", ""]),
    ] {
        desk.put("bad.srdf", &text);
        for more in [&["--srdf", "bad.srdf"][..], &["--srdf", "bad.srdf", "--self-collision", "off"]] {
            let checked = check(&desk, more);
            refused(&checked.run, &[&["bad.srdf"], &words[..]].concat());
            assert!(!desk.path("results.jsonl").exists());
        }
        refused(&desk.run(&["info", "--robot", "robot.urdf", "--srdf", "bad.srdf"]), &words);
    }
    refused(&check(&desk, &["--srdf", "gone.srdf"]).run, &["gone.srdf", "cannot be read"]);
    refused(&desk.run(&["info", "--srdf", "arm.srdf"]), &["--srdf", "--robot"]);
    for (line, words) in [
        ("base gripper", "no object is called 'gripper', and no link"),
        // A link without triangles has no pairs.
        ("base flange", "'flange'"),
        ("flange base", "no link with triangles is called 'flange'"),
        ("base", "'link link'"),
    ] {
        desk.put("allow.txt", format!("# pairs\n{line}\n"));
        let checked = check(&desk, &["--allow", "allow.txt", "--self-collision", "on"]);
        refused(&checked.run, &["allow.txt: line 2", words]);
    }
    let run = check(&desk, &["--self-collision", "maybe"]).run;
    assert!(run.code == Some(3) && run.stderr.contains("--self-collision <on|off>"), "{}", run.stderr);
}

#[test]
fn unused_elements_and_other_names_are_warnings() {
    let desk = desk();
    desk.put(
        "odd.srdf",
        SRDF.replace("\"r\"", "\"other\"").replace("</robot>", "<disable_collision/>\n<spheres/></robot>"),
    );
    let checked = check(&desk, &["--srdf", "odd.srdf"]);
    assert_eq!(checked.run.code, Some(0), "{}", checked.run.stderr);
    let [unused, name] = checked.run.warnings()[..] else { panic!("{}", checked.run.stderr) };
    assert!(
        unused.contains("odd.srdf") && unused.contains("2, the first is 'disable_collision' on line 6"),
        "{unused}"
    );
    assert!(name.contains("odd.srdf") && name.contains("'other'") && name.contains("'r'"), "{name}");
    assert_eq!(checked.stats["tested_pairs"]["link_link"], 3);
}

#[test]
fn missing_joints_may_take_the_values_of_a_state() {
    let desk = desk();
    desk.put("robot.urdf", arm()).put("scene.obj", walls(&[("wall", 3.0)]));
    desk.put("m.csv", "a\n2\n0\n").put("pose.json", r#"{"b": 0.5}"#);
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "m.csv"];
    let check =
        |more: &[&str]| desk.run(&[&["check", "--backend", "cpu", "--out", "r.jsonl"], &files[..], more].concat());
    // The tool swings into the wall, at a time that depends on the other joint.
    let answers = |more: &[&str]| {
        check(more).expect(1);
        desk.text("r.jsonl")
    };
    let expected = answers(&["--missing-joints", "pose.json"]);
    assert_ne!(expected, answers(&["--missing-joints", "zero"]));
    for state in ["bent", "arm/bent"] {
        assert_eq!(answers(&["--missing-joints", state, "--srdf", "arm.srdf"]), expected, "{state}");
    }
    refused(&check(&["--missing-joints", "bent"]), &["--missing-joints", "'bent'", "--srdf FILE"]);
    refused(
        &check(&["--missing-joints", "away", "--srdf", "arm.srdf"]),
        &["arm.srdf", "'away'", "the SRDF has arm/bent"],
    );
    // The state does not have joint a.
    desk.put("m.csv", "b\n2\n0\n");
    refused(&check(&["--missing-joints", "bent", "--srdf", "arm.srdf"]), &["m.csv", "joint 'a'"]);
    desk.put("m.csv", "a\n2\n0\n");
    let render = ["render", "--index", "0", "--out", "m.glb", "--missing-joints", "bent", "--srdf", "arm.srdf"];
    desk.run(&[&render[..], &files].concat()).expect(0);
}

#[test]
fn info_counts_pairs_by_reason() {
    let desk = desk();
    desk.put("robot.urdf", arm());
    let info = |more: &[&str]| desk.run(&[&["info", "--robot", "robot.urdf"], more].concat());
    let pairs = |more: &[&str]| {
        let found: Value = serde_json::from_str(&info(&[&["--json"], more].concat()).stdout).unwrap();
        let pairs = &found["robot"]["link_pairs"];
        let of = |reason: &str| pairs["disabled"][reason].as_u64().unwrap();
        [pairs["tested"].as_u64().unwrap(), of("adjacent"), of("srdf"), of("allow"), of("proved")]
    };
    assert_eq!(pairs(&[]), [2, 3, 0, 0, 0]);
    assert_eq!(pairs(&["--srdf", "arm.srdf"]), [3, 0, 2, 0, 0]);
    let (without, with) = (info(&[]).stdout, info(&["--srdf", "arm.srdf"]).stdout);
    let line = "pairs of links tested with --self-collision on: ";
    assert!(without.contains(&format!("{line}2; left out: 3 adjacent\n")), "{without}");
    assert!(with.contains(&format!("{line}3; left out: 2 by the SRDF\n")) && with.contains("bent"), "{with}");
}

#[test]
fn pages_report_the_pairs_of_links() {
    let desk = desk();
    let page = |more: &[&str]| {
        check(&desk, &[&["--html", "page.html"], more].concat()).run.expect(0);
        desk.text("page.html")
    };
    let (off, on) = (page(&[]), page(&["--srdf", "arm.srdf"]));
    assert!(off.contains("Links of the robot were not tested against each other (no SRDF"), "off");
    assert!(!on.contains("not tested against each other"), "on");
    for sentence in ["Links of the robot against each other: 3 pairs.", "2 pairs of links left out (by the SRDF)."] {
        assert!(on.contains(sentence), "{sentence}");
    }
}

/// Answers with other pairs of links are other answers.
#[cfg(unix)]
#[test]
fn answers_with_other_pairs_are_not_resumed() {
    let desk = desk();
    if !super::resume::keeps_attributes(&desk) {
        return;
    }
    check(&desk, &["--srdf", "arm.srdf"]).run.expect(0);
    let again = |more: &[&str]| check(&desk, &[&["--resume"], more].concat()).run;
    assert!(again(&["--srdf", "arm.srdf"]).expect(0).stdout.contains("already finished"));
    desk.put("allow.txt", "base fore\n");
    for more in [
        &[][..],
        &["--self-collision", "on"],
        &["--srdf", "arm.srdf", "--self-collision", "off"],
        &["--srdf", "arm.srdf", "--allow", "allow.txt"],
    ] {
        refused(&again(more), &["differs in: options"]);
    }
    desk.put("arm.srdf", SRDF.replace("tool", "fore"));
    refused(&again(&["--srdf", "arm.srdf"]), &["differs in: options"]);
    // A change that concerns no pair does not matter.
    desk.put("arm.srdf", SRDF.replace("Never", "Far away"));
    again(&["--srdf", "arm.srdf"]).expect(0);
}
