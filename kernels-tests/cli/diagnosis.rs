//! The diagnosis of the answers as a whole in the summary and in `stats.json`, and the suggested options.

use super::lines::grid;
use super::{CUBE, Checked, Desk, Motion, joint, link, robot, slider, walls};
use serde_json::{Value, json};

/// A cube that does not move, and one that slides along x.
fn foot_and_slider() -> String {
    robot(&[&link("foot", CUBE), &link("slider", CUBE), &joint("x", "prismatic", "foot", "slider", "1 0 0")])
}

/// The lines of the summary that are hints.
fn hints(checked: &Checked) -> Vec<&str> {
    checked.run.stdout.lines().filter_map(|line| line.strip_prefix("hint: ")).collect()
}

/// The diagnosis in `stats.json`; checks that its hints are those of the summary.
#[track_caller]
fn diagnosis(checked: &Checked) -> &Value {
    let diagnosis = &checked.stats["diagnosis"];
    let written: Vec<&str> =
        diagnosis["hints"].as_array().unwrap().iter().map(|h| h["text"].as_str().unwrap()).collect();
    assert_eq!(written, hints(checked));
    diagnosis
}

/// The options suggested by the hints.
fn options(diagnosis: &Value) -> Vec<&str> {
    let hints = diagnosis["hints"].as_array().unwrap().iter();
    hints.flat_map(|h| h["options"].as_array().unwrap()).map(|o| o.as_str().unwrap()).collect()
}

/// The first words of the lines after the heading of the table of pairs.
fn table(checked: &Checked) -> Vec<Vec<&str>> {
    let rows = checked.run.stdout.lines().skip_while(|line| !line.starts_with("pairs with most contacts")).skip(2);
    rows.take_while(|line| line.starts_with(' ')).map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn a_robot_that_intersects_the_floor_is_diagnosed() {
    let desk = Desk::new();
    // The floor crosses the foot; the slider moves from next to it to the wall, or stops before.
    let scene = walls(&[("floor", 0.0), ("wall", 1.0)]);
    let motions: &[Motion] = &[[&[0.5], &[1.5]], [&[0.5], &[0.6]], [&[0.3], &[2.0]]];
    let checked = desk.check(&foot_and_slider(), &scene, motions, &[]).expect(1);
    let found = diagnosis(&checked);
    assert_eq!(found["contacts_at_start"], 3);
    assert_eq!(found["pairs"], json!([{"link": "foot", "object": "floor", "contacts": 3, "at_start": 3}]));
    assert_eq!((options(found), hints(&checked).len()), (vec!["--base", "--allow"], 1));
    assert!(checked.run.stdout.contains("3 of 3 contacts are at the start of the motion\n"), "{}", checked.run.stdout);
    assert_eq!(table(&checked), [["foot", "floor", "3", "3"]]);
    let hint = hints(&checked)[0];
    assert!(hint.starts_with("foot does not move and touches floor at the start of 3 of 3 motions"), "{hint}");
    // The hint ends with the line to put into the `--allow` file; with it the other contacts show, and no hint is left.
    let line = hint.rsplit_once("the line: ").unwrap().1;
    assert_eq!(line, "foot floor");
    desk.put("allow.txt", line);
    let checked = desk.check(&foot_and_slider(), &scene, motions, &["--allow", "allow.txt"]).expect(1);
    assert_eq!(checked.verdicts(), ["contact", "free", "contact"]);
    let found = diagnosis(&checked);
    assert_eq!((found["contacts_at_start"].as_u64(), options(found).len()), (Some(0), 0), "{found}");
    assert!(!checked.run.stdout.contains("at the start of the motion"), "{}", checked.run.stdout);
    assert_eq!(table(&checked), [["slider", "wall", "2", "0"]]);
    // The other remedy: a different place for the robot.
    let checked = desk.check(&foot_and_slider(), &scene, motions, &["--base", "5,0,0,0,0,0"]).expect(0);
    assert_eq!(diagnosis(&checked)["pairs"], json!([]));
}

#[test]
fn a_moving_link_that_starts_in_contact_gets_another_hint() {
    let scene = walls(&[("floor", 9.0), ("wall", 1.0)]);
    let motions: &[Motion] = &[[&[1.0], &[1.5]], [&[0.5], &[0.6]], [&[0.5], &[2.0]]];
    let desk = Desk::new();
    let checked = desk.check(&foot_and_slider(), &scene, motions, &[]).expect(1);
    let found = diagnosis(&checked);
    assert_eq!((options(found), &found["contacts_at_start"]), (vec!["--initial", "--allow"], &1.into()));
    assert!(hints(&checked)[0].starts_with("1 of 3 motions are in contact when they start"), "{:?}", hints(&checked));
    assert_eq!(table(&checked), [["slider", "wall", "2", "1"]]);
    let checked = desk.check(&foot_and_slider(), &scene, motions, &["--initial", "ignore"]).expect(1);
    assert_eq!((diagnosis(&checked)["contacts_at_start"].as_u64(), hints(&checked).len()), (Some(0), 0));
    // With verdicts only, no pairs are reported, but contacts at the start are.
    let checked = desk.check(&foot_and_slider(), &scene, motions, &["--mode", "verdict"]).expect(1);
    let found = diagnosis(&checked);
    assert_eq!((&found["contacts_at_start"], &found["pairs"]), (&1.into(), &json!([])));
    assert_eq!(options(found), ["--initial", "--allow"]);
}

#[test]
fn pairs_are_ordered_by_number_of_contacts() {
    // Seven walls; wall k is the first one met by 7 - k motions, which start behind the previous wall.
    let named: Vec<(String, f64)> = (0..7).map(|k| (format!("w{k}"), f64::from(k))).collect();
    let named: Vec<(&str, f64)> = named.iter().map(|(name, x)| (name.as_str(), *x)).collect();
    let ends: Vec<[f64; 2]> =
        (0..7).flat_map(|k| (k..7).map(move |_| [f64::from(k) - 0.5, f64::from(k) + 0.5])).collect();
    let motions: Vec<Motion> = ends.iter().map(|[a, b]| [std::slice::from_ref(a), std::slice::from_ref(b)]).collect();
    let checked = Desk::new().check(&slider(CUBE), &walls(&named), &motions, &[]).expect(1);
    assert_eq!(diagnosis(&checked)["pairs_with_contact"], 7);
    let written: Vec<u64> = checked.stats["diagnosis"]["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["contacts"].as_u64().unwrap())
        .collect();
    assert_eq!(written, [7, 6, 5, 4, 3, 2, 1]);
    assert!(checked.run.stdout.contains("pairs with most contacts, the first 5 of 7:"), "{}", checked.run.stdout);
    let first: Vec<&str> = table(&checked).iter().map(|row| row[1]).collect();
    assert_eq!(first, ["w0", "w1", "w2", "w3", "w4"]);
}

#[test]
fn reasons_of_undecided_motions_are_counted_with_their_remedies() {
    let desk = Desk::new();
    desk.put("plate.obj", grid(20));
    desk.put("scene.obj", crowd());
    let robot = slider("<mesh filename=\"plate.obj\"/>").replace("1 0 0", "0 0 1");
    // Two motions inside a dozen coincident plates, which need more memory than this, and one far away.
    let motions: &[Motion] = &[[&[0.0], &[1e-3]], [&[5.0], &[5.001]], [&[0.0], &[2e-3]]];
    let checked = desk.check(&robot, "scene.obj", motions, &["--memory", "8MiB"]).expect(2);
    assert_eq!(checked.verdicts(), ["undecided", "free", "undecided"]);
    let found = diagnosis(&checked);
    assert_eq!((&found["undecided"], options(found)), (&json!({"memory": 2}), vec!["--memory"]));
    assert!(checked.run.stdout.contains("undecided: 2 memory\n"), "{}", checked.run.stdout);
    assert!(hints(&checked)[0].starts_with("2 motions are undecided for lack of memory"), "{:?}", hints(&checked));
}

/// A dozen coincident plates.
fn crowd() -> String {
    let n_vertices = 21 * 21;
    let plate = |k: usize| {
        let shifted = |line: &str| match line.strip_prefix("f ") {
            Some(corners) => corners.split(' ').fold("f".to_string(), |face, corner| {
                format!("{face} {}", corner.parse::<usize>().unwrap() + k * n_vertices)
            }),
            None => line.to_string(),
        };
        grid(20).lines().map(|line| shifted(line) + "\n").collect::<String>()
    };
    (0..12).map(plate).collect()
}

/// An arm of one joint that turns about z, with limits or without.
fn arm(limits: &str) -> String {
    let kind = if limits.is_empty() { "continuous" } else { "revolute" };
    robot(&[
        "<link name=\"base\"/>",
        &link("arm", CUBE),
        &joint("turn", kind, "base", "arm", "0 0 1").replace("</joint>", &format!("{limits}</joint>")),
    ])
}

#[test]
fn values_that_look_like_degrees_cause_a_hint() {
    let limits = "<limit lower=\"-3\" upper=\"3\"/>";
    let scene = walls(&[("wall", 9.0)]);
    // Eight values in degrees; 171 is 57 times the limit. One is small enough to be inside it.
    let degrees: &[Motion] = &[[&[30.0], &[60.0]], [&[-90.0], &[2.0]], [&[171.0], &[-45.0]], [&[0.0], &[-120.0]]];
    let checked = Desk::new().check(&arm(limits), &scene, degrees, &[]);
    let [warning] = checked.run.warnings()[..] else { panic!("{}", checked.run.stderr) };
    let expected = "6 of 8 values beyond joint limits, up to 57 times the limit: are these degrees?";
    assert!(warning.contains(expected) && warning.contains("motion 0 starts with joint 'turn' at 30.0"), "{warning}");
    let found = diagnosis(&checked);
    assert_eq!(
        (&found["look_like_degrees"], &found["limits"]["beyond"], &found["limits"]["of"]),
        (&true.into(), &6.into(), &8.into())
    );
    assert_eq!(found["limits"]["largest_ratio"], 57.0);
    // Without limits: beyond three turns.
    let checked = Desk::new().check(&arm(""), &scene, degrees, &[]);
    let [warning] = checked.run.warnings()[..] else { panic!("{}", checked.run.stderr) };
    assert!(warning.contains("6 of 7 angles are beyond 3 turns, up to 27: are these degrees?"), "{warning}");
    assert_eq!(diagnosis(&checked)["look_like_degrees"], true);
    // With --strict the first is an error with the same text; the second has no limits.
    let checked = Desk::new().check(&arm(limits), &scene, degrees, &["--strict"]);
    assert!(
        checked.run.code == Some(3) && checked.run.errors()[0].contains("are these degrees?"),
        "{}",
        checked.run.stderr
    );
    assert_eq!(Desk::new().check(&arm(""), &scene, degrees, &["--strict"]).run.code, Some(0));
}

#[test]
fn radians_cause_no_hint_about_degrees() {
    let limits = "<limit lower=\"-3\" upper=\"3\"/>";
    let scene = walls(&[("wall", 9.0)]);
    // Slightly beyond the limits, and one far beyond.
    let radians: &[Motion] = &[[&[3.1], &[-3.2]], [&[3.01], &[-3.3]], [&[1.0], &[20.0]]];
    let checked = Desk::new().check(&arm(limits), &scene, radians, &[]);
    let [warning] = checked.run.warnings()[..] else { panic!("{}", checked.run.stderr) };
    assert!(
        warning.contains("values beyond joint limits: 5, of 6, up to 6.67 times") && !warning.contains("degrees"),
        "{warning}"
    );
    assert_eq!(diagnosis(&checked)["look_like_degrees"], false);
    // Without limits: some turns, and one long motion.
    let checked = Desk::new().check(&arm(""), &scene, &[[&[0.0], &[18.0]], [&[-12.0], &[500.0]]], &[]).expect(0);
    assert_eq!(diagnosis(&checked)["look_like_degrees"], false);
}

/// The distance that counts as contact is stated if it is not zero.
#[test]
fn contacts_within_a_margin_state_the_margin() {
    let scene = walls(&[("wall", 1.0)]);
    let motions: &[Motion] = &[[&[0.0], &[3.6]], [&[0.86], &[2.0]]];
    let desk = Desk::new();
    let meets = desk.check(&slider(CUBE), &scene, motions, &[]).expect(1);
    assert!(meets.run.stdout.contains(" meets ") && !meets.run.stdout.contains("within"), "{}", meets.run.stdout);
    let near = desk.check(&slider(CUBE), &scene, motions, &["--margin", "0.05"]).expect(1);
    // 0.85 of 3.6 m, and from the start.
    let words = "of slider comes within 0.05 m of face of wall at (";
    assert_eq!(near.run.stdout.matches(words).count(), 2, "{}", near.run.stdout);
    assert!(near.run.stdout.contains("motion 0: 0.23611111"), "{}", near.run.stdout);
    assert!(
        !near.run.stdout.contains("meets")
            && near.run.stdout.contains("a distance of at most 0.05 m counts as contact")
    );
    let verdict = desk.check(&slider(CUBE), &scene, motions, &["--margin", "0.05", "--mode", "verdict"]).expect(1);
    assert!(verdict.run.stdout.contains("motion 0: comes within 0.05 m from "), "{}", verdict.run.stdout);
    // A link that does not move is as near, but not in contact.
    let still = desk
        .check(&foot_and_slider(), &walls(&[("floor", 0.12)]), &[[&[3.0], &[4.0]]], &["--margin", "0.05"])
        .expect(1);
    assert!(hints(&still)[0].starts_with("foot does not move and is within 0.05 m of floor"), "{:?}", hints(&still));
}

/// The answers of the continued run count too.
#[cfg(unix)]
#[test]
fn a_continued_run_is_diagnosed_as_a_whole() {
    use super::interrupt::{desk_of, signal, start};
    let n = 40_000;
    let desk = desk_of(n);
    let child = start(&desk, "cpu");
    signal(&child, "INT");
    let run = super::Run::new(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(desk.text("out/results.part").lines().count() > 0);
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", "out/results"];
    let check = |more: &[&str]| desk.run(&[&["check", "--backend", "cpu"], &files[..], more].concat());
    let resumed: Value = serde_json::from_str(&check(&["--resume", "--json"]).stdout).unwrap();
    assert!(resumed["resumed"].as_u64() > Some(0), "{resumed}");
    let whole: Value = serde_json::from_str(&check(&["--json"]).stdout).unwrap();
    assert_eq!(
        whole["diagnosis"]["pairs"],
        json!([{"link": "slider", "object": "wall", "contacts": n, "at_start": 0}])
    );
    assert_eq!(resumed["diagnosis"], whole["diagnosis"]);
}
