//! `acm`: classes, the SRDF, the proofs, the report and the exit codes.

use super::{Desk, Run, link, robot, walls};
use serde_json::{Value, json};

/// A joint with limits.
fn limited(name: &str, parent: &str, child: &str, [lower, upper]: [f64; 2]) -> String {
    format!(
        "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <axis xyz=\"1 0 0\"/><limit lower=\"{lower}\" upper=\"{upper}\" effort=\"1\" velocity=\"1\"/></joint>"
    )
}

fn cube(name: &str, x: f64) -> String {
    let cube = link(name, "<box size=\"0.2 0.2 0.2\"/>");
    cube.replace("<geometry>", &format!("<origin xyz=\"{x} 0 0\"/><geometry>"))
}

/// Cubes of 0.2 m on a rail: `near` comes up to 0.05 m from the base if both carriages are at their lower limits, and
/// `far` stays away by 1 m.
fn desk() -> Desk {
    let desk = Desk::new();
    let parts = [
        cube("base", 0.0),
        link("carriage", "<box size=\"0.01 0.01 0.01\"/>").replace("<geometry>", "<origin xyz=\"0 0 9\"/><geometry>"),
        cube("near", 1.0),
        cube("far", 3.0),
        limited("first", "base", "carriage", [-0.5, 0.5]),
        limited("second", "carriage", "near", [-0.25, 0.5]),
        limited("third", "near", "far", [-0.25, 0.0]),
    ];
    desk.put("r.urdf", robot(&parts.each_ref().map(String::as_str)));
    desk
}

fn acm(desk: &Desk, more: &[&str]) -> Run {
    let files = ["acm", "--robot", "r.urdf", "--out", "out.srdf", "--report", "report.json", "--samples", "200"];
    desk.run(&[&files[..], more].concat())
}

fn report(desk: &Desk) -> Value {
    serde_json::from_str(&desk.text("report.json")).unwrap()
}

/// Classes of the pairs that are not adjacent, by the names of their links.
fn classes(report: &Value) -> Vec<(String, String)> {
    let entries = report.as_array().unwrap().iter().filter(|entry| entry["class"] != "adjacent");
    let text = |value: &Value| value.as_str().unwrap().to_string();
    entries.map(|e| (text(&e["links"][0]) + " " + &text(&e["links"][1]), text(&e["class"]))).collect()
}

fn pairs(of: &[[&str; 2]]) -> Vec<(String, String)> {
    of.iter().map(|[links, class]| (links.to_string(), class.to_string())).collect()
}

const ALL_NEVER: [[&str; 2]; 3] = [["base near", "never"], ["base far", "never"], ["carriage far", "never"]];

#[test]
fn proved_and_adjacent_pairs_are_disabled() {
    let desk = desk();
    acm(&desk, &["--quiet"]).expect(0);
    let report = report(&desk);
    assert_eq!(classes(&report), pairs(&ALL_NEVER));
    let srdf = desk.text("out.srdf");
    assert_eq!(srdf.matches("reason=\"Never (proved)\"").count(), 3, "{srdf}");
    assert_eq!(srdf.matches("reason=\"Adjacent\"").count(), 3, "{srdf}");
    let proofs: Value = serde_json::from_str(&desk.text("out.srdf.proof.json")).unwrap();
    assert_eq!(proofs["margin_m"], 0.0);
    let near = &proofs["pairs"][0];
    assert_eq!(near["links"], json!(["base", "near"]));
    assert_eq!(near["joints"], json!({ "first": [-0.5, 0.5], "second": [-0.25, 0.5] }));
    // The nearest pose of the pair is 0.05 m away; random ones are farther.
    let seen = report[1]["smallest_distance_m"].as_f64().unwrap();
    assert!((0.05..0.2).contains(&seen), "{seen}");
    assert_eq!((&report[1]["samples"], &report[1]["samples_touching"]), (&json!(200), &json!(0)));
}

#[test]
fn the_margin_and_the_limits_decide() {
    let desk = desk();
    acm(&desk, &["--margin", "0.0499", "--quiet"]).expect(0);
    acm(&desk, &["--margin", "0.0501", "--quiet"]).expect(0);
    let with_margin = report(&desk);
    assert_eq!(classes(&with_margin)[0].1, "sometimes");
    let witness = &with_margin[1]["witness"];
    let sum = witness["first"].as_f64().unwrap() + witness["second"].as_f64().unwrap();
    assert!(sum <= -0.7499 && witness["third"].is_null(), "{witness}");
    let wider = desk.text("r.urdf").replace("-0.5\"", "-0.56\"");
    desk.put("r.urdf", wider);
    acm(&desk, &["--quiet"]).expect(0);
    assert_eq!(classes(&report(&desk))[0].1, "sometimes");
    assert!(!desk.text("out.srdf").contains("link1=\"base\" link2=\"near\""));
}

const KNOWN: &str = r#"<robot name="r">
  <!-- a comment -->
  <group name="arm"><joint name="first"/></group>
  <group_state name="back" group="arm"><joint name="first" value="-0.9"/></group_state>
  <disable_collisions link1="near" link2="base" reason="Never"/>
  <disable_collisions link1="base" link2="carriage" reason="Adjacent"/>
  <odd/>
</robot>
"#;

#[test]
fn an_srdf_is_checked_and_its_other_content_is_kept() {
    let desk = desk();
    // Within the limits the pair that it disables is safe.
    desk.put("in.srdf", KNOWN.replace("-0.9", "0.1"));
    let run = acm(&desk, &["--srdf", "in.srdf", "--quiet"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let safe = report(&desk);
    assert_eq!((classes(&safe["pairs"]), &safe["unsafe"]), (pairs(&ALL_NEVER), &json!([])));
    let out = desk.text("out.srdf");
    for kept in ["<!-- a comment -->", "<group name=\"arm\"><joint name=\"first\"/></group>", "value=\"0.1\"", "<odd/>"]
    {
        assert!(out.contains(kept), "{out}");
    }
    assert_eq!(out.matches("<disable_collisions").count(), 6, "{out}");
    // A state beyond the limits in which they touch.
    desk.put("in.srdf", KNOWN);
    let run = acm(&desk, &["--srdf", "in.srdf"]);
    assert_eq!((run.code, run.warnings().len(), run.stderr.lines().count()), (Some(1), 1, 1), "{}", run.stderr);
    assert!(run.stderr.contains("elements that are not used: 1, the first is 'odd' on line 7"), "{}", run.stderr);
    assert!(run.stdout.contains("base and near: touch at group_state arm/back"), "{}", run.stdout);
    let found = report(&desk);
    assert_eq!(classes(&found["pairs"])[0].1, "default");
    assert_eq!(found["unsafe"][0]["links"], json!(["base", "near"]));
    assert!(!desk.text("out.srdf").contains("link2=\"near\" reason=\"Default\""));
    assert_eq!(acm(&desk, &["--srdf", "in.srdf", "--disable-default"]).code, Some(1));
    assert!(desk.text("out.srdf").contains("link1=\"base\" link2=\"near\" reason=\"Default\""));
}

/// A motion for each pair that can touch rests where `check` finds the contact at time 0.
#[test]
fn witnesses_are_motions() {
    let desk = desk();
    acm(&desk, &["--margin", "0.1", "--witnesses", "w.json", "--quiet"]).expect(0);
    let witnesses: Value = serde_json::from_str(&desk.text("w.json")).unwrap();
    assert_eq!(witnesses["joints"], json!(["first", "second", "third"]));
    assert_eq!(witnesses["links"], json!([["base", "near"]]));
    let report = report(&desk);
    let witness = &report[1]["witness"];
    let values = json!([witness["first"], witness["second"], 0.0]);
    assert_eq!(witnesses["motions"], json!([[values, values]]));
    let check = ["check", "--robot", "r.urdf", "--srdf", "out.srdf", "--motions", "w.json", "--out", "r.jsonl"];
    desk.run(&[&check[..], &["--margin", "0.1", "--backend", "cpu"]].concat()).expect(1);
    let answer: Value = serde_json::from_str(&desk.text("r.jsonl")).unwrap();
    assert_eq!((&answer["a"]["link"], &answer["b"]["link"]), (&json!("base"), &json!("near")), "{answer}");
    let render = ["render", "--robot", "r.urdf", "--srdf", "out.srdf", "--motions", "w.json", "--index", "0"];
    desk.run(&[&render[..], &["--out", "w.glb"]].concat()).expect(0);
}

/// The report says what sampling alone would conclude, and the summary counts it.
#[test]
fn the_class_by_sampling_alone_is_reported() {
    let desk = desk();
    let run = acm(&desk, &["--margin", "0.0501"]);
    let report = report(&desk);
    assert_eq!((&report[1]["class"], &report[1]["sampled_class"]), (&json!("sometimes"), &json!("never")));
    assert_eq!((&report[0]["class"], &report[0]["sampled_class"]), (&json!("adjacent"), &Value::Null));
    let row = |class: &str| {
        let line = run.stdout.lines().find(|line| line.trim_start().starts_with(class)).unwrap();
        line.split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect::<Vec<u32>>()
    };
    assert_eq!(
        (row("never"), row("sometimes"), row("adjacent")),
        (vec![2, 2, 0, 0], vec![1, 1, 0, 0], vec![3, 0, 0, 0])
    );
    assert!(
        run.stdout.contains("can touch, but not in any random configuration: 1\n  base and near: "),
        "{}",
        run.stdout
    );
}

/// Two cubes that pass each other at 2 cm: a margin makes them near everywhere, but they stay in the tests, since other
/// checks have other margins. If they overlap everywhere, they are disabled.
#[test]
fn pairs_within_the_margin_everywhere_are_not_disabled() {
    for (x, class, is_disabled) in [(0.22, "sometimes", false), (0.1, "always", true)] {
        let desk = desk();
        let along = limited("second", "carriage", "near", [-0.05, 0.05]).replace("1 0 0", "0 1 0");
        let parts = [
            cube("base", 0.0),
            cube("carriage", 5.0),
            cube("near", x).replace("0.2 0.2 0.2", "0.2 0.31 0.33"),
            limited("first", "base", "carriage", [0.0, 0.01]).replace("1 0 0", "0 0 1"),
            along,
        ];
        desk.put("r.urdf", robot(&parts.each_ref().map(String::as_str)));
        acm(&desk, &["--margin", "0.05", "--quiet", "--disable-default"]).expect(0);
        assert_eq!(classes(&report(&desk)), pairs(&[["base near", class]]));
        assert_eq!(desk.text("out.srdf").contains("link1=\"base\" link2=\"near\""), is_disabled);
    }
}

/// Links of one rigid group are disabled for tools that would test them.
#[test]
fn rigid_pairs_are_disabled() {
    let desk = desk();
    let fixed = "<joint name=\"nut\" type=\"fixed\"><parent link=\"far\"/><child link=\"tool\"/></joint>";
    let tool = cube("tool", 3.1);
    desk.put("r.urdf", desk.text("r.urdf").replace("</robot>", &format!("{tool}{fixed}</robot>")));
    acm(&desk, &["--quiet"]).expect(0);
    let line = "<disable_collisions link1=\"far\" link2=\"tool\" reason=\"Rigid\"/>";
    assert_eq!(desk.text("out.srdf").matches(line).count(), 1);
    assert!(!desk.text("report.json").contains("Rigid"));
}

/// `check` uses a proof only where it holds: for this robot, its margin and the limits of its joints.
#[test]
fn check_uses_proofs_that_hold() {
    let desk = desk();
    desk.put("wall.obj", walls(&[("wall", 40.0)]));
    acm(&desk, &["--margin", "0.01", "--quiet"]).expect(0);
    let files = ["--robot", "r.urdf", "--srdf", "out.srdf", "--scene", "wall.obj", "--motions", "m.json"];
    let check = |more: &[&str]| desk.run(&[&["check", "--out", "r.jsonl"], &files[..], more].concat());
    let proved = |motion: &str, more: &[&str]| {
        desk.put("m.json", format!("{{\"joints\":[\"first\",\"second\",\"third\"],\"motions\":[{motion}]}}"));
        let run = check(&[&["--stats", "s.json"], more].concat());
        let stats: Value = serde_json::from_str(&desk.text("s.json")).unwrap();
        let tested = &stats["tested_pairs"];
        let counts = [&tested["link_link"], &tested["disabled"]["proved"]].map(|n| n.as_u64().unwrap());
        (run.code, counts, run.stderr.contains("does not cover"))
    };
    let within = "[[0.5,0,0],[-0.5,0,0]]";
    assert_eq!(proved(within, &["--margin", "0.01"]), (Some(0), [0, 3], false));
    assert_eq!(proved(within, &["--margin", "0.0101"]), (Some(0), [3, 0], true));
    // Distances are those of all pairs, and a link may be inside another one: no proof is expected to hold.
    assert_eq!(proved(within, &["--clearance", "0.001"]), (Some(0), [3, 0], false));
    assert_eq!(proved(within, &["--solids", "contact"]), (Some(0), [3, 0], false));
    // One joint leaves its limits; the pair `carriage far` does not depend on it.
    assert_eq!(proved("[[0.5,0,0],[-0.8,-0.2,0]]", &[]), (Some(1), [2, 1], true));
    assert_eq!(proved(within, &["--self-collision", "off"]).1, [0, 0]);
    // Another robot, and no proofs.
    let robot = desk.text("r.urdf");
    desk.put("r.urdf", robot.replace("0.01 0.01 0.01", "0.01 0.01 0.02"));
    assert_eq!(proved(within, &[]), (Some(0), [3, 0], true));
    desk.put("r.urdf", robot);
    assert_eq!(proved(within, &[]), (Some(0), [0, 3], false));
    desk.put("out.srdf.proof.json", "{");
    let run = check(&[]);
    assert!(run.code == Some(3) && run.stderr.contains("out.srdf.proof.json"), "{}", run.stderr);
}

#[test]
fn pairs_without_proof_are_listed_and_tested() {
    let desk = desk();
    // No limits: no finite range of values.
    let text = desk.text("r.urdf").replace("<limit lower=\"-0.25\" upper=\"0.5\" effort=\"1\" velocity=\"1\"/>", "");
    desk.put("r.urdf", text);
    let run = acm(&desk, &[]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stdout.contains("base and near: joint second has no limits"), "{}", run.stdout);
    assert_eq!(classes(&report(&desk))[0].1, "unproved");
    // Nothing can be assumed without samples.
    acm(&desk, &["--assume-sampled", "--quiet"]);
    assert!(!desk.text("out.srdf").contains("link1=\"base\" link2=\"near\""));
    // Without time only what one bound shows is proved, and samples alone may decide. Here `near` turns around the
    // base.
    let desk = self::desk();
    let turning =
        desk.text("r.urdf").replace("prismatic", "revolute").replace("<axis xyz=\"1 0 0\"/>", "<axis xyz=\"0 0 1\"/>");
    desk.put("r.urdf", turning.replace("lower=\"-0.5\" upper=\"0.5\"", "lower=\"-3\" upper=\"3\""));
    assert_eq!(acm(&desk, &["--budget", "0", "--assume-sampled"]).code, Some(2));
    let srdf = desk.text("out.srdf");
    assert!(srdf.contains("reason=\"Never (sampled)\""), "{srdf}");
}

#[test]
fn answers_do_not_depend_on_threads() {
    let desk = desk();
    let texts = ["1", "3"].map(|threads| {
        acm(&desk, &["--quiet", "--threads", threads]).expect(0);
        desk.text("report.json") + &desk.text("out.srdf") + &desk.text("out.srdf.proof.json")
    });
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn bad_input_is_an_error_of_one_line() {
    let desk = desk();
    desk.put("mesh.srdf", "<mesh/>")
        .put("broken.srdf", "<robot")
        .put("pair.srdf", "<robot><disable_collisions/></robot>");
    desk.put("out.srdf", "old");
    for (more, text) in [
        (&["--margin", "-1"][..], "margin"),
        (&["--margin", "NaN"], "margin"),
        (&["--budget", "-1"], "--budget"),
        (&["--srdf", "missing.srdf"], "missing.srdf"),
        (&["--srdf", "mesh.srdf"], "mesh.srdf"),
        (&["--srdf", "broken.srdf"], "broken.srdf"),
        (&["--srdf", "pair.srdf"], "pair.srdf"),
        (&["--srdf", "out.srdf"], "overwrite this input"),
    ] {
        let run = acm(&desk, more);
        assert_eq!((run.code, run.errors().len(), run.stderr.lines().count()), (Some(3), 1, 1), "{}", run.stderr);
        assert!(run.stderr.contains(text), "{text}: {}", run.stderr);
        assert_eq!(desk.text("out.srdf"), "old");
    }
}
