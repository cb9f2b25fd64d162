//! The format of the results: keys and their order, numbers, and the consistency of an answer's parts.

use super::{CUBE, Checked, Desk, obj, slider, toc, walls};
use serde_json::Value;

/// The keys of a line in file order, those of inner objects after a dot.
fn keys(line: &str) -> Vec<String> {
    let (mut keys, mut outer, mut rest) = (Vec::new(), Vec::new(), line);
    while let Some(at) = rest.find(['"', '{', '}']) {
        match rest.as_bytes()[at] {
            b'{' => outer.push(keys.last().map_or(String::new(), |k| format!("{k}."))),
            b'}' => drop(outer.pop()),
            _ => {
                let end = at + 1 + rest[at + 1..].find('"').unwrap();
                if rest[end + 1..].starts_with(':') {
                    keys.push(format!("{}{}", outer.last().unwrap(), &rest[at + 1..end]));
                }
                rest = &rest[end + 1..];
                continue;
            }
        }
        rest = &rest[at + 1..];
    }
    keys
}

const FREE: &[&str] = &["motion", "verdict"];
const UNDECIDED: &[&str] = &["motion", "verdict", "clear_until", "reason"];
const CONTACT: &[&str] = &[
    "motion",
    "verdict",
    "toc",
    "proved",
    "certified",
    "initial_overlap",
    "a",
    "a.link",
    "a.shape",
    "a.triangle",
    "a.feature",
    "a.index",
    "b",
    "b.object",
    "b.triangle",
    "b.feature",
    "b.index",
    "point",
    "normal",
];

/// The numbers of a line, as written.
fn written_numbers(line: &str) -> Vec<&str> {
    let outside_of_strings = line.split('"').step_by(2);
    let words = outside_of_strings.flat_map(|part| part.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))));
    words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
}

/// The significant digits of a decimal number, and the power of ten of the first.
fn digits(number: &str) -> (String, i32) {
    let number = number.trim_start_matches('-');
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let zeros = all.len() - all.trim_start_matches('0').len();
    let power = exponent.parse::<i32>().unwrap() + whole.len() as i32 - 1 - zeros as i32;
    let significant = all.trim_matches('0').to_string();
    let power = if significant.is_empty() { 0 } else { power };
    (significant, power)
}

/// Checks the invariants of every answer of `check`; `tolerance` is the requested width.
#[track_caller]
fn check_form(checked: &Checked, tolerance: f64) {
    let n = checked.lines.len();
    assert!(checked.text.is_empty() || checked.text.ends_with('\n'));
    for (i, (text, line)) in checked.text.lines().zip(&checked.lines).enumerate() {
        assert_eq!(line["motion"], i, "answer {i} of {n}");
        let verdict = line["verdict"].as_str().unwrap();
        let expected = match verdict {
            "free" => FREE,
            "contact" => CONTACT,
            "undecided" => UNDECIDED,
            other => panic!("verdict {other}"),
        };
        assert_eq!(keys(text), expected, "{text}");
        for word in written_numbers(text) {
            let x: f64 = word.parse().unwrap();
            // The standard library's exponent form has the fewest digits that read back as the same number.
            assert_eq!(digits(word), digits(&format!("{x:e}")), "{word} in {text}");
        }
        if verdict == "contact" {
            contact(line, tolerance);
        } else if verdict == "undecided" {
            assert!((0.0..=1.0).contains(&line["clear_until"].as_f64().unwrap()), "{text}");
            let reason = line["reason"].as_str().unwrap();
            assert!(["evaluation-cap", "memory", "fault"].contains(&reason), "{text}");
        }
    }
}

#[track_caller]
fn contact(line: &Value, tolerance: f64) {
    let [lo, hi] = toc(line);
    let flag = |key: &str| line[key].as_bool().unwrap();
    assert!(0.0 <= lo && lo <= hi && hi <= 1.0, "{line}");
    if !flag("proved") {
        assert!(!flag("certified") && hi == 1.0, "{line}");
    }
    // All motions here run at 1 m per motion or more, so that 1e-11 m take at most 1e-11 of the motion.
    if flag("certified") {
        assert!(hi - lo <= tolerance.max(1e-11), "{line}");
    }
    if flag("initial_overlap") {
        assert_eq!(lo, 0.0, "{line}");
    }
    for side in ["a", "b"] {
        let part = &line[side];
        let index = part["index"].as_u64().unwrap();
        match part["feature"].as_str().unwrap() {
            "vertex" | "edge" => assert!(index < 3, "{line}"),
            feature => assert_eq!((feature, index), ("face", 0), "{line}"),
        }
    }
    let normal = super::numbers(&line["normal"]);
    let length = normal.iter().fold(0.0, |l: f64, x| l.hypot(*x));
    assert!(normal.len() == 3 && (length - 1.0).abs() < 1e-12, "{line}");
    assert_eq!(super::numbers(&line["point"]).len(), 3, "{line}");
}

#[test]
fn every_kind_of_answer_has_its_documented_form() {
    // A cube of 0.25 m: its front is at q + 0.125; every number here is exact. The wall is at 1 m.
    let cube = "<box size=\"0.25 0.25 0.25\"/>";
    let motions: &[super::Motion] = &[
        [&[0.0], &[1.75]],                 // 0 meets the wall half way
        [&[0.0], &[0.5]],                  // 1 ends before it
        [&[1.0], &[3.0]],                  // 2 begins across it
        [&[0.875], &[2.0]],                // 3 begins at it and passes through
        [&[0.875], &[0.875]],              // 4 begins at it and rests
        [&[0.875], &[0.0]],                // 5 begins at it and leaves
        [&[0.0], &[0.875]],                // 6 ends at it
        [&[0.0], &[0.874999]],             // 7 ends a micrometre before it
        [&[0.5], &[0.5]],                  // 8 rests far from it
        [&[5.0], &[-5.0]],                 // 9 arrives from behind: 10 m, of which 3.875 before the contact
        [&[0.0], &[0.875 + 1.0 / 1024.0]], // 10 stops slightly behind it
    ];
    let checked = Desk::new().check(&slider(cube), &walls(&[("wall", 1.0)]), motions, &[]).expect(1);
    check_form(&checked, 1e-9);
    let contact = "contact";
    let expected = [contact, "free", contact, contact, contact, contact, contact, "free", "free", contact, contact];
    assert_eq!(checked.verdicts(), expected);
    checked.touches(0, 0.5);
    checked.touches(9, 0.3875);
    checked.touches(10, 0.875 / (0.875 + 1.0 / 1024.0));
    for (i, line) in checked.lines.iter().enumerate().filter(|(i, _)| expected[*i] == contact) {
        assert_eq!(line["initial_overlap"], (2..=5).contains(&i), "{line}");
    }
    // Across the wall: certain.
    assert_eq!((checked.toc(2)[0], &checked.lines[2]["certified"]), (0.0, &true.into()));
    // Resting at the wall or leaving it is contact at one moment, which no later moment can prove.
    for i in [4, 5] {
        assert_eq!((checked.toc(i), &checked.lines[i]["proved"]), ([0.0, 1.0], &false.into()), "motion {i}");
    }
    // Contact at the very end: nothing touches before 1, except for the rounding of the answer.
    assert!(checked.toc(6)[0] > 1.0 - 1e-6, "{}", checked.lines[6]);
}

#[test]
fn a_grazing_contact_is_reported_unproved() {
    // A triangle slides in its own plane, point first, against the edge of another in the same plane: at 0.5 of 2 m
    // they touch, but they never pierce each other.
    let desk = Desk::new();
    desk.put("flat.obj", obj(&[[0.5, 0.0, 0.0], [0.0, -0.25, 0.0], [0.0, 0.25, 0.0]], &[[1, 2, 3]]));
    let scene = obj(&[[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [9.0, 0.0, 0.0]], &[[1, 2, 3]]);
    let checked = desk.check(&slider("<mesh filename=\"flat.obj\"/>"), &scene, &[[&[0.0], &[2.0]]], &[]).expect(1);
    check_form(&checked, 1e-9);
    let line = &checked.lines[0];
    assert_eq!((&line["proved"], &line["certified"]), (&false.into(), &false.into()), "{line}");
    // The paper's own numbers for such an entry are early by at most some 1e-7 of the motion.
    let [lo, hi] = toc(line);
    assert!(lo <= 0.25 && lo > 0.25 - 1e-6 && hi == 1.0, "{line}");
    // An object without a name gets the name of its file.
    assert_eq!(line["b"]["object"], "scene");
    // 1e-6 m above it, it is free.
    let above = scene.replace(" 0\n", " 0.000001\n");
    std::fs::remove_file(desk.path("scene.obj")).unwrap();
    desk.check(&slider("<mesh filename=\"flat.obj\"/>"), &above, &[[&[0.0], &[2.0]]], &[]).expect(0);
}

/// A square of `n` by `n` cells of two triangles in the plane z = 0, 1 m wide.
pub(super) fn grid(n: usize) -> String {
    let vertex = |i: usize| [(i % (n + 1)) as f64 / n as f64 - 0.5, (i / (n + 1)) as f64 / n as f64 - 0.5, 0.0];
    let vertices: Vec<_> = (0..(n + 1) * (n + 1)).map(vertex).collect();
    let cell = |i: usize| {
        let a = i % n + i / n * (n + 1) + 1;
        [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]
    };
    let faces: Vec<_> = (0..n * n).flat_map(cell).collect();
    obj(&vertices, &faces)
}

/// A grid of 288 triangles slides along z through a grid like it, all pairs of neighbours simultaneously: far more
/// pairs than fit into 100 kB, while the input takes only 60 kB. Motions that do not come near are decided
/// nevertheless.
fn too_many_pairs(motions: &[super::Motion], more: &[&str]) -> Checked {
    let desk = Desk::new();
    desk.put("plate.obj", grid(12));
    let robot = slider("<mesh filename=\"plate.obj\"/>").replace("1 0 0", "0 0 1");
    desk.check(&robot, &grid(12), motions, &[&["--memory", "100000"], more].concat())
}

#[test]
fn undecided_motions_are_reported_and_set_the_exit_code() {
    let checked = too_many_pairs(&[[&[1.0], &[2.0]], [&[0.5], &[-0.5]]], &[]).expect(2);
    check_form(&checked, 1e-9);
    assert_eq!(checked.verdicts(), ["free", "undecided"]);
    assert_eq!(checked.lines[1]["reason"], "memory");
    // They meet at one half.
    assert!(checked.lines[1]["clear_until"].as_f64().unwrap() <= 0.5);
    assert_eq!((&checked.stats["undecided"], &checked.stats["free"]), (&1.into(), &1.into()));
    // With enough memory they are decided.
    let desk = Desk::new();
    desk.put("plate.obj", grid(12));
    let robot = slider("<mesh filename=\"plate.obj\"/>").replace("1 0 0", "0 0 1");
    assert_eq!(desk.check(&robot, &grid(12), &[[&[0.5], &[-0.5]]], &[]).expect(1).verdicts(), ["contact"]);
}

#[test]
fn a_contact_takes_precedence_over_undecided_in_the_exit_code() {
    let desk = Desk::new();
    desk.put("plate.obj", grid(12));
    let elements = [
        "<link name=\"rail\"/><link name=\"car\"/>".to_string(),
        super::link("slider", "<mesh filename=\"plate.obj\"/>"),
        super::joint("x", "prismatic", "rail", "car", "1 0 0"),
        super::joint("z", "prismatic", "car", "slider", "0 0 1"),
    ];
    let robot = super::robot(&elements.each_ref().map(String::as_str));
    // The second one moves at x = 0.96 m, so that the plates overlap by 0.04 m, less than one cell of 0.083 m.
    let motions: &[super::Motion] = &[[&[0.0, 0.5], &[0.0, -0.5]], [&[0.96, 0.5], &[0.96, -0.5]]];
    let checked = desk.check(&robot, &grid(12), motions, &["--memory", "100000"]).expect(1);
    assert_eq!(checked.verdicts(), ["undecided", "contact"]);
}

#[test]
fn names_are_escaped_in_json() {
    let name = "a \"b\" \\ é\u{1F916}";
    let robot = slider(CUBE).replace("slider", "a &quot;b&quot; \\ é\u{1F916}");
    let scene = walls(&[("pipe \\ \"7\"", 1.0)]);
    let checked = Desk::new().check(&robot, &scene, &[[&[0.0], &[3.6]]], &[]).expect(1);
    let line = &checked.lines[0];
    assert_eq!((&line["a"]["link"], &line["b"]["object"]), (&name.into(), &"pipe \\ \"7\"".into()));
    assert_eq!(checked.text.lines().count(), 1);
}

#[test]
fn answers_are_in_the_order_of_the_motions() {
    // Motions that are far too short, long enough, and longer, in turn: so that threads finish in another order.
    let ends: Vec<[f64; 1]> = (0..999).map(|i| [[0.5], [3.6], [40.0]][i % 3]).collect();
    let motions: Vec<super::Motion> = ends.iter().map(|end| [&[0.0][..], &end[..]]).collect();
    let checked = Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), &motions, &["--threads", "2"]).expect(1);
    check_form(&checked, 1e-9);
    assert_eq!(checked.lines.len(), 999);
    for (i, line) in checked.lines.iter().enumerate() {
        assert_eq!(line["verdict"], if i % 3 == 0 { "free" } else { "contact" });
    }
}
