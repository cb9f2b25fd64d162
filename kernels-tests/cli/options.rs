//! Options of `check` that change what is tested, how exactly, and what is reported.

use super::{CUBE, Checked, Desk, Motion, joint, link, obj, robot, slider, toc, walls};
use serde_json::{Value, json};

/// The cube meets the wall a quarter of the way.
const TO_THE_WALL: &[Motion] = &[[&[0.0], &[3.6]]];

fn at_the_wall(more: &[&str]) -> Checked {
    Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), TO_THE_WALL, more)
}

#[test]
fn the_tolerance_bounds_the_width_of_certified_contacts() {
    for (tolerance, widest) in [("1e-3", 1e-3), ("1e-6", 1e-6), ("1e-9", 1e-9), ("1e-11", 1e-11)] {
        let checked = at_the_wall(&["--tolerance", tolerance]).expect(1);
        let [lo, hi] = checked.toc(0);
        assert!(lo <= 0.25 && 0.25 <= hi && hi - lo <= widest, "{tolerance}: {lo} {hi}");
        assert_eq!(checked.lines[0]["certified"], true, "{tolerance}");
    }
    // The engine does not try to be narrower than 1e-11 m of the 3.6 m: certified then means this width.
    let checked = at_the_wall(&["--tolerance", "1e-30"]).expect(1);
    let [lo, hi] = checked.toc(0);
    // The engine may overestimate the speed of the fastest point slightly, but not underestimate it.
    assert!(checked.lines[0]["certified"] == true && hi - lo <= 1e-11 / 3.6 * 1.000_001, "{lo} {hi}");
    // A slow motion: 1e-6 m in total. 1e-11 m are 1e-5 of it.
    let slow: &[Motion] = &[[&[0.9 - 0.5e-6], &[0.9 + 0.5e-6]]];
    let checked = Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), slow, &[]).expect(1);
    let [lo, hi] = toc(&checked.lines[0]);
    // 0.9 and 0.1 are rounded to 1e-16 m, which is 1e-10 of the motion.
    assert!(lo <= 0.5 + 1e-9 && hi >= 0.5 - 1e-9 && hi - lo <= 1.000_001e-5, "{lo} {hi}");
    assert_eq!(checked.lines[0]["certified"], true);
}

#[test]
fn certified_contacts_are_proved_within_the_tolerance() {
    // Whatever the tolerance, certified means proved within it.
    for tolerance in ["1", "0.5", "1e-2"] {
        let checked = at_the_wall(&["--tolerance", tolerance]).expect(1);
        let ([lo, hi], line) = (checked.toc(0), &checked.lines[0]);
        assert!(lo <= 0.25 && hi >= 0.25, "{line}");
        assert!(line["certified"] == false || hi - lo <= tolerance.parse().unwrap(), "{line}");
        assert!(line["proved"] == true || hi == 1.0, "{line}");
    }
}

/// A cube that begins across one object, `near`, and meets another one, `ahead`, later; and a second link far from
/// both.
fn two_links(motions: &[Motion], more: &[&str]) -> Checked {
    let elements = [
        "<link name=\"rail\"/>".to_string(),
        link("left", CUBE),
        link("right", CUBE),
        joint("l", "prismatic", "rail", "left", "1 0 0"),
        joint("r", "prismatic", "rail", "right", "1 0 0"),
    ];
    let scene = walls(&[("near", 0.0), ("ahead", 1.0)]);
    Desk::new().check(&robot(&elements.each_ref().map(String::as_str)), &scene, motions, more)
}

/// Three motions: the left cube begins in `near` and reaches `ahead`; it begins in `near` and leaves it, backwards; it
/// rests behind both while the right one moves from between them through `near`.
const THREE: &[Motion] = &[[&[0.0, -9.0], &[3.6, -9.0]], [&[0.05, -9.0], &[-3.0, -9.0]], [&[-5.0, 0.5], &[-5.0, -1.5]]];

#[test]
fn contacts_at_the_start_are_reported() {
    let checked = two_links(THREE, &[]).expect(1);
    for i in 0..2 {
        let line = &checked.lines[i];
        assert_eq!((&line["initial_overlap"], &line["b"]["object"]), (&true.into(), &"near".into()), "{line}");
        assert_eq!((toc(line)[0], &line["proved"], &line["certified"]), (0.0, &true.into(), &true.into()), "{line}");
    }
    // 0.4 of 2 m.
    checked.touches(2, 0.2);
    assert_eq!(checked.stats["ignored"], json!([]));
    // `report` is the default.
    assert_eq!(two_links(THREE, &["--initial", "report"]).text, checked.text);
}

#[test]
fn contacts_at_the_start_are_ignored_on_request() {
    let checked = two_links(THREE, &["--initial", "ignore"]).expect(1);
    assert_eq!(checked.verdicts(), ["contact", "free", "contact"]);
    // The pair of left and near is dropped for the whole motion; left and ahead is not, nor are pairs of other motions.
    checked.touches(0, 0.25);
    checked.touches(2, 0.2);
    assert_eq!(checked.lines[0]["b"]["object"], "ahead");
    assert_eq!(checked.lines[2]["a"]["link"], "right");
    assert_eq!(checked.stats["ignored"], json!([{ "link": "left", "object": "near", "motions": 2 }]));
    // Both links: the pairs of each.
    let both: &[Motion] = &[[&[0.0, 1.0], &[-1.5, 3.0]], [&[-5.0, 1.0], &[-5.0, 3.0]]];
    let checked = two_links(both, &["--initial", "ignore"]).expect(0);
    let expected = json!([
        { "link": "left", "object": "near", "motions": 1 },
        { "link": "right", "object": "ahead", "motions": 2 }
    ]);
    assert_eq!(checked.stats["ignored"], expected);
}

fn allowed(allow: &str) -> Checked {
    let elements = [
        "<link name=\"rail\"/>".to_string(),
        link("left", CUBE),
        link("right", CUBE),
        joint("l", "prismatic", "rail", "left", "1 0 0"),
        joint("r", "prismatic", "rail", "right", "1 0 0"),
    ];
    let robot = robot(&elements.each_ref().map(String::as_str));
    let desk = Desk::new();
    desk.put("allow.txt", allow);
    let scene = walls(&[("one", 1.0), ("two parts", 2.0), ("pipe#3", 3.0)]);
    // The left cube passes all three at 0.9, 1.9 and 2.9 of 3.6 m; the right one at the same of 7.2 m.
    let motions: &[Motion] = &[[&[0.0, -9.0], &[3.6, -9.0]], [&[-9.0, 0.0], &[-9.0, 7.2]]];
    desk.check(&robot, &scene, motions, &["--allow", "allow.txt"])
}

#[test]
fn allowed_pairs_are_never_tested() {
    let first = |checked: &Checked| -> Vec<Value> {
        let object = |line: &Value| if line["verdict"] == "free" { Value::Null } else { line["b"]["object"].clone() };
        checked.lines.iter().map(object).collect()
    };
    for (allow, code, expected) in [
        ("", 1, [json!("one"), json!("one")]),
        ("# left one\n\n", 1, [json!("one"), json!("one")]),
        ("left one\n", 1, [json!("two parts"), json!("one")]),
        ("  left\t one  # why\r\nright\tone", 1, [json!("two parts"), json!("two parts")]),
        ("* one\n", 1, [json!("two parts"), json!("two parts")]),
        ("left *\n", 1, [json!(null), json!("one")]),
        ("* *\n", 0, [json!(null), json!(null)]),
        ("left *\nright *\nright one\n", 0, [json!(null), json!(null)]),
        // Names of objects come from files: they may contain spaces and signs.
        ("* one\nleft two parts\n", 1, [json!("pipe#3"), json!("two parts")]),
        ("* one\n* two parts\nright pipe#3 # here\n", 1, [json!("pipe#3"), json!(null)]),
        ("\u{feff}left one\n", 1, [json!("two parts"), json!("one")]),
    ] {
        let checked = allowed(allow).expect(code);
        assert_eq!(first(&checked), expected, "{allow:?}");
    }
    // Objects of one name are all left out, and counted.
    let desk = Desk::new();
    desk.put("allow.txt", "slider wall\n");
    let wall = |x: f64| obj(&[[x, -7.0, -5.0], [x, 7.0, -5.0], [x, 0.0, 9.0]], &[[1, 2, 3]]);
    desk.put("one.obj", wall(1.0)).put("two.obj", wall(2.0));
    let same = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
    let instances = ["one.obj", "two.obj"].map(|mesh| json!({"object": "wall", "mesh": mesh, "matrix": same}));
    desk.put("scene.json", json!({ "units": "metre", "instances": instances }).to_string());
    let checked = desk.check(&slider(CUBE), "scene.json", &[[&[0.0], &[3.6]]], &["--allow", "allow.txt"]);
    assert_eq!((checked.run.code, checked.run.warnings().len()), (Some(0), 1), "{}", checked.run.stderr);
    assert!(checked.run.warnings()[0].contains("2 objects are called 'wall'"), "{}", checked.run.stderr);
    // The times of the remaining contacts do not change.
    allowed("left one\n").touches(0, 1.9 / 3.6);
    allowed("left one\n").touches(1, 0.9 / 7.2);
}

#[test]
fn an_unknown_name_is_an_error() {
    for (allow, words) in [
        ("left one\nmiddle one\n", ["allow.txt: line 2", "'middle'"]),
        ("left four\n", ["allow.txt: line 1", "'four'"]),
        ("* one*\n", ["allow.txt: line 1", "'one*'"]),
        ("\n# c\nleft\n", ["allow.txt: line 3", "link object"]),
    ] {
        let checked = allowed(allow);
        assert_eq!((checked.run.code, checked.run.stderr.lines().count()), (Some(3), 1), "{}", checked.run.stderr);
        assert!(words.iter().all(|w| checked.run.errors()[0].contains(w)), "{}", checked.run.stderr);
        assert_eq!((checked.text.as_str(), checked.stats), ("", Value::Null));
    }
}

#[test]
fn exceeding_joint_limits_is_a_warning_or_with_strict_an_error() {
    let limited = slider(CUBE).replace("</joint>", "<limit lower=\"-1\" upper=\"2\"/></joint>");
    let scene = walls(&[("wall", 9.0)]);
    let within: &[Motion] = &[[&[-1.0], &[2.0]]];
    Desk::new().check(&limited, &scene, within, &["--strict"]).expect(0);
    let beyond: &[Motion] = &[[&[0.0], &[1.0]], [&[0.0], &[2.5]], [&[-1.5], &[3.0]]];
    let checked = Desk::new().check(&limited, &scene, beyond, &[]);
    assert_eq!((checked.run.code, checked.lines.len()), (Some(0), 3));
    // One line that counts the three values and shows the first.
    let [warning] = checked.run.warnings()[..] else { panic!("{}", checked.run.stderr) };
    for word in [": 3,", "motion 1", "'x'", "2.5", "-1.0", "2.0"] {
        assert!(warning.contains(word), "{word}: {warning}");
    }
    let checked = Desk::new().check(&limited, &scene, beyond, &["--strict"]);
    assert_eq!((checked.run.code, checked.run.errors().len(), checked.text.as_str()), (Some(3), 1, ""));
    for word in ["motions.npy", "motion 1", "'x'", "--strict"] {
        assert!(checked.run.errors()[0].contains(word), "{word}: {}", checked.run.stderr);
    }
    // A continuous joint has no limits.
    let turning = limited.replace("prismatic", "continuous");
    Desk::new().check(&turning, &scene, beyond, &["--strict"]).expect(0);
}

#[test]
fn triangles_without_area_are_kept_and_counted_in_one_warning() {
    // A needle of 0.4 m along x, whose tip leads, and a point, as triangles; the tip meets the wall at 0.8 of 3.2 m.
    let desk = Desk::new();
    let vertices = [[-0.2, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.0, 0.1]];
    desk.put("needle.obj", obj(&vertices, &[[1, 2, 2], [3, 3, 3]]));
    let checked = desk.check(
        &slider("<mesh filename=\"needle.obj\"/>"),
        &walls(&[("wall", 1.0)]),
        &[[&[0.0], &[3.2]], [&[0.0], &[0.7]]],
        &[],
    );
    assert_eq!((checked.run.code, checked.verdicts()), (Some(1), vec!["contact", "free"]));
    let [warning] = checked.run.warnings()[..] else { panic!("{}", checked.run.stderr) };
    assert!(warning.contains(": 2,") && warning.contains("'slider'"), "{warning}");
    let [lo, hi] = checked.toc(0);
    assert!(lo <= 0.25 && lo > 0.25 - 1e-9 && hi >= 0.25, "{lo} {hi}");
    assert_eq!(checked.lines[0]["a"]["triangle"], 0);
}

#[test]
fn the_other_form_of_the_bounds_gives_the_same_verdicts() {
    let ends: Vec<[f64; 2]> = (0..60).map(|i| [0.1 * f64::from(i), 0.05 * f64::from(60 - i)]).collect();
    let motions: Vec<Motion> = ends.iter().map(|end| [&[0.0, 0.0][..], &end[..]]).collect();
    let desk = Desk::new();
    desk.put("bar.obj", obj(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.1]], &[[1, 2, 3]]));
    let bar = "<mesh filename=\"bar.obj\"/>";
    let elements = [
        "<link name=\"stand\"/>".to_string(),
        link("upper", bar),
        link("lower", bar),
        joint("a", "continuous", "stand", "upper", "0 0 1"),
        joint("b", "continuous", "upper", "lower", "0 0 1").replace("<axis", "<origin xyz=\"1 0 0\"/><axis"),
    ];
    let robot = robot(&elements.each_ref().map(String::as_str));
    let scene = obj(&[[-7.0, 1.5, -5.0], [7.0, 1.5, -5.0], [0.0, 1.5, 9.0]], &[[1, 2, 3]]);
    let run = |more: &[&str]| desk.check(&robot, &scene, &motions, more).expect(1);
    let jet = run(&["--bound", "jet"]);
    let n = |verdict: &str| jet.verdicts().iter().filter(|v| **v == verdict).count();
    // The tip is at y = sin a + sin(a + b): up to 2 sin(a + b/2), with a + b/2 up to 1.5 for the first, 6 for the last.
    assert!(n("free") >= 5 && n("contact") >= 20, "{:?}", jet.verdicts());
    assert_eq!(run(&[]).text, jet.text);
    let interval = run(&["--bound", "interval"]);
    assert_eq!(interval.verdicts(), jet.verdicts());
    for (a, b) in jet.lines.iter().zip(&interval.lines).filter(|(a, _)| a["verdict"] == "contact") {
        let ([a0, a1], [b0, b1]) = (toc(a), toc(b));
        assert!(a0 <= b1 && b0 <= a1 && a["proved"] == b["proved"], "{a} {b}");
    }
}

/// A cube that passes through the wall, one that stops before it, and one that only touches it.
#[test]
fn the_verdict_alone_has_wide_times_and_no_features() {
    let motions: &[Motion] = &[[&[0.0], &[3.6]], [&[0.0], &[0.5]], [&[1.0], &[3.0]]];
    let run =
        |mode: &str| Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), motions, &["--mode", mode]).expect(1);
    let (exact, quick) = (run("toc"), run("verdict"));
    assert_eq!((quick.verdicts(), exact.verdicts()), (vec!["contact", "free", "contact"], quick.verdicts()));
    for i in [0, 2] {
        let line = quick.lines[i].as_object().unwrap();
        let keys: Vec<&str> = line.keys().map(String::as_str).collect();
        let ([lo, hi], [a, b]) = (quick.toc(i), exact.toc(i));
        assert!(lo <= b && hi >= a && line["proved"] == true, "{line:?}");
        assert_eq!(line["initial_overlap"], i == 2);
        assert!(["a", "b", "point", "normal"].iter().all(|key| !keys.contains(key)), "{keys:?}");
    }
    assert!(quick.run.stdout.contains("motion 0: a contact from"), "{}", quick.run.stdout);
    let both =
        Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), motions, &["--mode", "verdict", "--all-contacts"]);
    assert_eq!((both.run.code, both.run.errors().len()), (Some(3), 1), "{}", both.run.stderr);
}

#[test]
fn threads_change_nothing_but_the_time() {
    let ends: Vec<[f64; 1]> = (0..700).map(|i| [0.01 * f64::from(i)]).collect();
    let motions: Vec<Motion> = ends.iter().map(|end| [&[0.0][..], &end[..]]).collect();
    let run = |threads: &str| {
        let scene = walls(&[("one", 1.0), ("two", 1.5)]);
        Desk::new().check(&slider(CUBE), &scene, &motions, &["--threads", threads]).expect(1)
    };
    let one = run("1");
    assert_eq!(one.stats["threads"], 1);
    for threads in ["2", "3", "0"] {
        let other = run(threads);
        assert_eq!(other.text, one.text, "{threads} threads");
        assert!(threads == "0" || other.stats["threads"].as_u64() == threads.parse().ok(), "{}", other.stats);
    }
}

#[test]
fn the_geometry_option_selects_the_shapes_of_links() {
    // The collision shape is a cube of 0.2 m, the visual one a cube of 0.4 m; another link has only a visual shape.
    let shape =
        |kind: &str, size: f64| format!("<{kind}><geometry><box size=\"{size} {size} {size}\"/></geometry></{kind}>");
    let both = format!("<link name=\"both\">{}{}</link>", shape("visual", 0.4), shape("collision", 0.2));
    let seen = format!("<link name=\"seen\">{}</link>", shape("visual", 0.2));
    let slides = [joint("a", "prismatic", "rail", "both", "1 0 0"), joint("b", "prismatic", "rail", "seen", "1 0 0")];
    let robot = robot(&["<link name=\"rail\"/>", &both, &seen, &slides[0], &slides[1]]);
    // The first moves alone, then the second.
    let motions: &[Motion] = &[[&[0.0, -9.0], &[3.6, -9.0]], [&[-9.0, 0.0], &[-9.0, 3.6]]];
    let run = |more: &[&str]| Desk::new().check(&robot, &walls(&[("wall", 1.0)]), motions, more).expect(1);
    // 0.9 of 3.6 m, and 0.8 of 3.6 m for the larger cube.
    let auto = run(&[]);
    auto.touches(0, 0.25);
    auto.touches(1, 0.25);
    let collision = run(&["--geometry", "collision"]);
    collision.touches(0, 0.25);
    assert_eq!(collision.lines[1]["verdict"], "free");
    let visual = run(&["--geometry", "visual"]);
    visual.touches(0, 0.8 / 3.6);
    visual.touches(1, 0.25);
}

#[test]
fn round_shapes_are_enclosed_by_their_tessellation() {
    // Each shape's true front is 0.1 m ahead. Its triangles protrude by at most the chord error, so the wall is met at
    // most that much sooner, and never later: between 0.9 - e and 0.9 of 3.6 m.
    for shape in [
        "<sphere radius=\"0.1\"/>",
        "<cylinder radius=\"0.1\" length=\"0.3\"/>",
        "<capsule radius=\"0.1\" length=\"0.3\"/>",
    ] {
        let mut before = 0;
        for (error, e) in [(None, 1e-3), (Some("0.02"), 0.02), (Some("1e-4"), 1e-4)] {
            let more: Vec<&str> = error.iter().flat_map(|e| ["--chord-error", e]).collect();
            let desk = Desk::new();
            let checked = desk.check(&slider(shape), &walls(&[("wall", 1.0)]), TO_THE_WALL, &more).expect(1);
            let [lo, hi] = checked.toc(0);
            assert!(lo >= (0.9 - e) / 3.6 - 1e-9 && hi <= 0.25 + 1e-9, "{shape} {error:?}: {lo} {hi}");
            // A finer shape has more triangles.
            let info = desk.run(&[&["info", "--json", "--robot", "robot.urdf"], &more[..]].concat());
            let n = serde_json::from_str::<Value>(&info.stdout).unwrap()["robot"]["triangles"].as_u64().unwrap();
            assert!(if e < 1e-3 { n > before } else { true }, "{shape} {error:?}: {n} triangles");
            before = before.max(n);
        }
    }
}

#[test]
fn a_scaled_mesh_is_scaled() {
    // A corner at 1 m, a tenth of it, mirrored in y and z: the front is at 0.1 m.
    let desk = Desk::new();
    desk.put("part.obj", obj(&[[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]], &[[1, 2, 3]]));
    let mesh = "<mesh filename=\"part.obj\" scale=\"0.1 -0.1 -0.1\"/>";
    desk.check(&slider(mesh), &walls(&[("wall", 1.0)]), TO_THE_WALL, &[]).expect(1).touches(0, 0.25);
}
