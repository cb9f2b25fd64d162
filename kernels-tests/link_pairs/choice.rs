//! Pairs of links that are tested, and those that are left out.

use super::answers::Answer;
use super::case::{Case, ends, read, touches};
use super::mechanism::Mechanism;
use super::solids::block;
use crate::cli::Checked;
use crate::oracle::mesh::Triangle;
use crate::oracle::placements::MotionBatch;
use glam::DVec3;

/// A box 0.2 m long in x. Different widths make edges pass through faces, and not along edges.
fn cube(width: f64) -> Vec<Triangle> {
    block([-0.1, -width / 2.0, -width / 2.0], [0.1, width / 2.0, width / 2.0])
}

/// Three boxes, 0.2 m long, on slides of their own along x, at 0, 1 and 2 m.
fn slides() -> Mechanism {
    let mut slides = Mechanism::default().link("base", vec![]);
    for (k, name) in ["p", "q", "r"].iter().enumerate() {
        let place = DVec3::new(k as f64, 0.0, 0.0);
        let width = 0.2 + 0.04 * k as f64;
        slides =
            slides.link(name, cube(width)).joint((&format!("to {name}"), "prismatic"), ("base", name), place, DVec3::X);
    }
    slides
}

/// The first box slides 4 m, through the others.
fn through(case: &Case) -> MotionBatch {
    vec![case.motion(&ends([("to p", 0.0, 4.0)]))]
}

/// Runs with a file, and expects the number of tested pairs and the box that is met, if one is.
#[track_caller]
fn expect(file: (&str, &str), option: &str, tested: usize, met: Option<&str>) -> Checked {
    let case = Case::new(&slides());
    case.desk.put(file.0, file.1);
    let motions = through(&case);
    let on: &[&str] = if option == "--srdf" { &[] } else { &["--self-collision", "on"] };
    let checked = case.check(&motions, &[&[option, file.0], on].concat());
    assert_eq!(checked.stats["tested_pairs"]["link_link"], tested, "{file:?}: {}", checked.stats["tested_pairs"]);
    let answers = read(&checked, 1);
    match met {
        None => assert_eq!(answers, [Answer::Free], "{file:?}"),
        Some(name) => {
            // 0.8 m or 1.8 m of 4 m.
            touches(&answers[0], if name == "q" { 0.2 } else { 0.45 });
            assert_eq!(answers[0].contact().unwrap().names(), Some(["p", name]), "{file:?}");
        }
    }
    checked
}

/// The order of the two names does not matter, and a line affects its own pair only.
#[test]
fn pairs_that_are_allowed() {
    for (lines, tested, met) in [
        ("", 3, Some("q")),
        ("p q\n", 2, Some("r")),
        ("q p\n", 2, Some("r")),
        ("q r\n", 2, Some("q")),
        ("r p\n", 2, Some("q")),
        ("q p\np r\n", 1, None),
        ("p q\nq p\n", 2, Some("r")),
    ] {
        let checked = expect(("allow.txt", lines), "--allow", tested, met);
        if tested < 3 {
            assert_eq!(checked.stats["tested_pairs"]["disabled"]["allow"], 3 - tested, "{lines}");
        }
    }
}

#[test]
fn pairs_that_an_srdf_disables() {
    let line = |a: &str, b: &str| format!("<disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"Never\"/>");
    for (lines, tested, met) in [
        (String::new(), 3, Some("q")),
        (line("p", "q"), 2, Some("r")),
        (line("q", "p"), 2, Some("r")),
        (line("r", "q"), 2, Some("q")),
        (line("q", "p") + &line("r", "p"), 1, None),
    ] {
        let text = format!("<robot name=\"mechanism\">{lines}</robot>");
        let checked = expect(("robot.srdf", &text), "--srdf", tested, met);
        if tested < 3 {
            assert_eq!(checked.stats["tested_pairs"]["disabled"]["srdf"], 3 - tested, "{text}");
        }
    }
}

/// Without the option, and with it switched off, nothing is tested, and the summary says so.
#[test]
fn self_collision_is_off_without_an_srdf() {
    let case = Case::new(&slides());
    let motions = through(&case);
    let off = case.check(&motions, &["--self-collision", "off"]);
    let rows: Vec<_> = motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
    case.desk.put("motions.npy", crate::cli::npy(&rows));
    let files = ["--robot", "robot.urdf", "--scene", "far.obj", "--motions", "motions.npy"];
    let without = case.desk.check_paths(&files, &[]);
    for checked in [off, without] {
        assert_eq!(read(&checked, 1), [Answer::Free]);
        assert_eq!(checked.stats["tested_pairs"]["link_link"], 0);
        let summary = checked.run.stdout + &checked.run.stderr;
        assert!(summary.contains("self-collision: not checked"), "{summary}");
    }
    // An SRDF switches it on, unless it is switched off.
    case.desk.put("empty.srdf", "<robot name=\"mechanism\"/>");
    let off = case.desk.check_paths(&files, &["--srdf", "empty.srdf", "--self-collision", "off"]);
    assert_eq!(read(&off, 1), [Answer::Free]);
}

/// A scene may be left out where links are tested against each other.
#[test]
fn no_scene() {
    let case = Case::new(&slides()).with_scene("");
    let answers = case.judged(&through(&case), &[]);
    touches(&answers[0], 0.2);
}

/// A box on a base, an arm through the base on an empty link, and a tool fixed to the arm that overlaps it.
fn overlapping() -> Mechanism {
    Mechanism::default()
        .link("base", cube(0.2))
        .link("empty", vec![])
        .link("arm", block([-0.05, -0.05, 0.0], [0.05, 0.05, 0.8]))
        .link("tool", block([-0.06, -0.06, 0.7], [0.06, 0.06, 0.9]))
        .joint(("turn", "continuous"), ("base", "empty"), DVec3::ZERO, DVec3::Z)
        .joint(("lift", "prismatic"), ("empty", "arm"), DVec3::ZERO, DVec3::Z)
        .joint(("weld", "fixed"), ("arm", "tool"), DVec3::ZERO, DVec3::X)
}

#[test]
fn neighbours_and_rigid_groups() {
    let case = Case::new(&overlapping());
    assert!(case.sampler.pairs.is_empty());
    let motions = vec![case.motion(&ends([("turn", 0.0, 3.0), ("lift", 0.0, 0.2)]))];
    let checked = case.check(&motions, &[]);
    assert_eq!(read(&checked, 1), [Answer::Free]);
    let pairs = &checked.stats["tested_pairs"];
    assert_eq!((&pairs["link_link"], &pairs["disabled"]["adjacent"]), (&0.into(), &2.into()), "{pairs}");
    // With an SRDF neighbours are tested, links of one group are not.
    let case = case.all_pairs_but(&[]);
    assert_eq!(case.sampler.pairs.len(), 2);
    case.desk.put("empty.srdf", "<robot name=\"mechanism\"/>");
    let answers = case.judged(&motions, &["--srdf", "empty.srdf"]);
    let contact = answers[0].contact().expect("a contact");
    assert!(contact.initial_overlap && contact.names() == Some(["base", "arm"]), "{contact:?}");
}

/// Two bodies of two links each: `a1`, `a2` and `b1`, `b2` at y = 0 and 1 m. The first body slides along x and y.
fn two_by_two() -> Mechanism {
    let two = |mut m: Mechanism, body: &str| {
        let [first, second] = ["1", "2"].map(|k| format!("{body}{k}"));
        let width = if body == "a" { 0.2 } else { 0.24 };
        m = m.link(&first, cube(width)).link(&second, cube(width));
        m.joint((&format!("weld {body}"), "fixed"), (&first, &second), DVec3::Y, DVec3::X)
    };
    let m = two(two(Mechanism::default().link("base", vec![]).link("rail", vec![]), "a"), "b");
    m.joint(("y", "prismatic"), ("base", "rail"), DVec3::ZERO, DVec3::Y)
        .joint(("x", "prismatic"), ("rail", "a1"), DVec3::ZERO, DVec3::X)
        .joint(("b", "continuous"), ("base", "b1"), DVec3::X, DVec3::X)
}

/// A pair that is left out is one pair of links, not its bodies, and not the pair with the places exchanged.
#[test]
fn one_pair_of_two_bodies() {
    // At these y, only these pairs are in line; at 0 the first and the second ones.
    let lines = [("a1", "b2", 1.0), ("a2", "b1", -1.0)];
    for left in [["a1", "b2"], ["b2", "a1"], ["a2", "b1"], ["b1", "a2"], ["a1", "b1"], ["a2", "b2"]] {
        let mut case = Case::new(&two_by_two());
        assert_eq!(case.sampler.pairs.len(), 4);
        case.leave_out(&[left]);
        case.desk.put("allow.txt", format!("{} {}\n", left[0], left[1]));
        let slide = |y: f64| case.motion(&ends([("y", y, y), ("x", 0.0, 1.6)]));
        let motions = vec![slide(1.0), slide(-1.0), slide(0.0)];
        let answers = case.judged(&motions, &["--allow", "allow.txt"]);
        for ((a, b, _), answer) in lines.iter().zip(&answers) {
            if left.contains(a) && left.contains(b) {
                assert_eq!(*answer, Answer::Free, "{left:?}");
            } else {
                touches(answer, 0.5);
                assert_eq!(answer.contact().unwrap().names(), Some([*a, *b]));
            }
        }
        // Of equal contacts the first link counts.
        let first = if left.contains(&"a1") && left.contains(&"b1") { ["a2", "b2"] } else { ["a1", "b1"] };
        assert_eq!(answers[2].contact().and_then(|c| c.names()), Some(first), "{left:?}");
    }
}
