//! `check --html`, and `report` of results: the content of the page, its independence of other files, and rejected
//! inputs.

use super::report::{HOSTILE, needs_nothing, select, text};
use super::{CUBE, Checked, Desk, Motion, Run, slider, walls};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use scraper::Html;
use serde_json::Value;

/// A cube of 0.2 m that slides along x; a wall at 1 m and one at -2 m.
const WALLS: [(&str, f64); 2] = [("near", 1.0), ("behind", -2.0)];
/// Free; contact with `near` at half of the motion, and earlier; with `behind`; in `near` from the start.
const MOTIONS: [Motion; 5] =
    [[&[0.0], &[0.5]], [&[0.0], &[1.8]], [&[0.0], &[3.6]], [&[0.0], &[-2.375]], [&[1.0], &[1.25]]];

fn check(desk: &Desk, more: &[&str]) -> Checked {
    desk.check(&slider(CUBE), &walls(&WALLS), &MOTIONS, more)
}

pub(super) fn page(desk: &Desk, name: &str) -> Html {
    let html = Html::parse_document(&desk.text(name));
    needs_nothing(&html);
    html
}

/// Texts of all elements that a selector matches.
pub(super) fn texts(html: &Html, selector: &str) -> Vec<String> {
    select(html, selector).into_iter().map(text).collect()
}

/// Rows of the table in the section whose identifier ends in `id`.
pub(super) fn rows(html: &Html, id: &str) -> Vec<Vec<String>> {
    let rows = select(html, &format!("section[id$='-{id}'] tbody tr"));
    let cells = scraper::Selector::parse("td").unwrap();
    rows.into_iter().map(|row| row.select(&cells).map(text).collect()).collect()
}

/// The file of the first view.
pub(super) fn gltf(html: &Html) -> gltf::Gltf {
    let glb = BASE64_STANDARD.decode(text(select(html, "script#glb-0")[0])).unwrap();
    gltf::Gltf::from_slice(&glb).unwrap()
}

/// The answers in the animations of the first view.
pub(super) fn animations(html: &Html) -> Vec<Value> {
    gltf(html).animations().map(|a| serde_json::from_str(a.extras().as_ref().unwrap().get()).unwrap()).collect()
}

/// Verdicts, tables and view of [`MOTIONS`].
#[track_caller]
fn shows_all(html: &Html) {
    let cards = texts(html, ".cards li");
    assert_eq!(cards, ["5 motions", "1 free proved", "4 contact 4 certified 1 at the start", "0 undecided"]);
    // Most motions first, then by name; the earliest contact of `near` is the one at the start.
    let pairs: Vec<Vec<String>> = rows(html, "pairs");
    assert_eq!(pairs[0][..5], ["slider", "near", "3", "1", "at the start"].map(String::from));
    assert_eq!(pairs[1][..5], ["slider", "behind", "1", "0", "0.800000"].map(String::from));
    // By hand: the cube's face is 0.1 m ahead of its middle. 0.9 of 3.6 m, 0.9 of 1.8 m, 1.9 of 2.375 m.
    let contacts: Vec<Vec<String>> = rows(html, "contacts");
    let found: Vec<[&str; 4]> = contacts.iter().map(|r| [&r[0], &r[1], &r[2], &r[3]].map(String::as_str)).collect();
    assert_eq!(
        found,
        [
            ["4 3-D", "at the start", "slider", "near"],
            ["2 3-D", "0.250000", "slider", "near"],
            ["1 3-D", "0.500000", "slider", "near"],
            ["3 3-D", "0.800000", "slider", "behind"],
        ]
    );
    let point = |row: &[String]| row[6].split(", ").next().unwrap().to_string();
    assert_eq!((point(&contacts[1]), point(&contacts[3])), ("1.0000".into(), "-2.0000".into()));
    // A button links each motion in the tables to one in the view.
    let values: Vec<&str> = select(html, "#viewer option").iter().map(|o| o.attr("value").unwrap()).collect();
    for button in select(html, "button[data-show]") {
        assert!(values.contains(&button.attr("data-show").unwrap()));
    }
    let options = texts(html, "#viewer option");
    assert_eq!(
        options,
        [
            "motion 0: free",
            "motion 1: contact at t = 0.5000, slider – near",
            "motion 2: contact at t = 0.2500, slider – near",
            "motion 3: contact at t = 0.8000, slider – behind",
            "motion 4: contact at the start, slider – near",
        ]
    );
    // The view begins with the contact that has the longest motion before it.
    let selected = select(html, "#viewer option[selected]");
    assert!(selected.len() == 1 && text(selected[0]).starts_with("motion 3:"));
    let said = animations(html);
    assert_eq!(said.iter().map(|s| s["motion"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!((&said[0]["verdict"], &said[3]["b"]["object"]), (&"free".into(), &"behind".into()));
    assert_eq!(select(html, "script:not([type])").len(), 2, "the library of the view, and the view");
}

#[test]
fn a_check_writes_its_page() {
    let desk = Desk::new();
    let plain = check(&desk, &[]);
    let checked = check(&desk, &["--html", "deep/page.html"]);
    assert_eq!((checked.run.code, checked.run.stderr.as_str()), (Some(1), ""));
    assert_eq!(checked.text, plain.text, "the page changes nothing in the results");
    assert!(desk.names().iter().all(|name| !name.ends_with(".part")), "{:?}", desk.names());
    let html = page(&desk, "deep/page.html");
    shows_all(&html);
    // Command, version, inputs, and the tested motions.
    let command = &texts(&html, "section[id$='-tested'] pre")[0];
    assert!(command.starts_with("firstcontact check --robot robot.urdf") && command.ends_with("--html deep/page.html"));
    let facts = texts(&html, "section[id$='-tested'] dd").join("\n");
    for fact in [
        "robot.urdf: 1 link with 12 triangles, 1 column of motion",
        "scene.obj: 2 objects with 2 triangles",
        "motions.npy: 5 motions",
        "results.jsonl",
        concat!("firstcontact ", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(facts.contains(fact), "{fact}: {facts}");
    }
    let tested = texts(&html, "section[id$='-tested'] li");
    assert_eq!(tested[0], "1 link against 2 objects: 2 pairs.");
    assert!(tested[1].contains("not tested against each other") && !tested.join(" ").contains("--allow"), "{tested:?}");
}

#[test]
fn the_page_lists_omissions_by_options() {
    let desk = Desk::new();
    desk.put("allow.txt", "slider behind\n");
    check(&desk, &["--html", "page.html", "--allow", "allow.txt", "--margin", "0.05"]);
    let tested = texts(&page(&desk, "page.html"), "section[id$='-tested'] li");
    assert_eq!(tested[0], "1 link against 2 objects: 1 pair.");
    for said in ["1 pair left out (allowed).", "A distance of 0.05 m or less is a contact"] {
        assert!(tested.iter().any(|t| t.contains(said)), "{said}: {tested:?}");
    }
    check(&desk, &["--html", "page.html", "--initial", "ignore", "--mode", "verdict"]);
    let html = page(&desk, "page.html");
    let tested = texts(&html, "section[id$='-tested'] li");
    for said in ["1 pair of link and object touch at the start and were ignored", "--mode verdict"] {
        assert!(tested.iter().any(|t| t.contains(said)), "{said}: {tested:?}");
    }
    // Places are unknown: the motions are shown without them.
    assert!(rows(&html, "pairs").is_empty() && rows(&html, "contacts").len() == 3);
    assert_eq!(animations(&html).len(), 5);
}

#[test]
fn motions_are_chosen_and_limited() {
    let desk = Desk::new();
    check(&desk, &["--html", "page.html", "--html-motions", "0"]);
    let html = page(&desk, "page.html");
    assert!(select(&html, "script, #viewer, button").is_empty());
    assert_eq!(rows(&html, "contacts").len(), 4);
    // Alternately the earliest contact of a pair and the latest one: 0.8 with `behind`, 0.5 with `near`. The earliest
    // with `near` is at the start; with `n` = 2 it takes one of the two places.
    for (n, expected) in [("1", &[3][..]), ("2", &[3, 4]), ("4", &[0, 1, 3, 4])] {
        check(&desk, &["--html", "page.html", "--html-motions", n]);
        let shown: Vec<u64> =
            animations(&page(&desk, "page.html")).iter().map(|s| s["motion"].as_u64().unwrap()).collect();
        assert_eq!(shown, expected, "{n}");
    }
    for (more, said) in
        [(&["--html", "page.html", "--html-motions", "501"][..], "from 0 to 500"), (&["--html-motions", "3"], "--html")]
    {
        let refused = check(&desk, more).run;
        assert!(refused.code == Some(3) && refused.stderr.contains(said), "{more:?}: {}", refused.stderr);
    }
}

#[test]
fn names_from_files_are_text() {
    for name in HOSTILE {
        let desk = Desk::new();
        let escaped = name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let robot = slider(CUBE).replace("\"slider\"", &format!("\"{escaped}\""));
        let scene = walls(&[("wall", 1.0)]).replace("o wall", &format!("o {name}"));
        let checked = desk.check(&robot, &scene, &[[&[0.0], &[1.8]]], &["--html", "page.html"]);
        assert_eq!(checked.run.code, Some(1), "{}", checked.run.stderr);
        let html = page(&desk, "page.html");
        let contacts = rows(&html, "contacts");
        let link = checked.lines[0]["a"]["link"].as_str().unwrap();
        let object = checked.lines[0]["b"]["object"].as_str().unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(contacts[0][2..4], [words(link), words(object)], "{name}");
        assert_eq!(select(&html, "script:not([type])").len(), 2, "{name}");
        desk.run(&["report", "results.jsonl", "--out", "other.html"]).expect(0);
        assert_eq!(rows(&page(&desk, "other.html"), "contacts")[0][2..4], [words(link), words(object)]);
    }
}

#[test]
fn the_page_of_an_empty_batch() {
    let desk = Desk::new();
    desk.check(&slider(CUBE), &walls(&WALLS), &[], &["--html", "page.html"]).expect(0);
    let html = page(&desk, "page.html");
    assert_eq!(texts(&html, ".cards li"), ["0 motions", "0 free", "0 contact", "0 undecided"]);
    assert!(select(&html, "table, script").is_empty());
    desk.run(&["report", "results.jsonl", "--out", "other.html"]).expect(0);
    assert_eq!(texts(&page(&desk, "other.html"), ".cards li")[0], "0 motions");
}

/// Lines of results as `check` writes them, without their inputs.
#[test]
fn undecided_motions_are_listed() {
    let desk = Desk::new();
    let line = |k: usize, t: f64, reason: &str| {
        format!(r#"{{"motion":{k},"verdict":"undecided","clear_until":{t},"reason":"{reason}"}}"#) + "\n"
    };
    desk.put("r.jsonl", line(3, 0.5, "memory") + &line(4, 0.25, "evaluation-cap") + &line(7, 0.75, "memory"));
    report(&desk, "r.jsonl", &[]).expect(0);
    let html = page(&desk, "report.html");
    let cards = texts(&html, ".cards li");
    assert_eq!(cards, ["3 motions", "0 free", "0 contact", "3 undecided evaluation-cap: 1 memory: 2"]);
    let expected = [["4", "0.250000", "evaluation-cap"], ["3", "0.500000", "memory"], ["7", "0.750000", "memory"]];
    assert_eq!(rows(&html, "undecided"), expected.map(|row| row.map(String::from).to_vec()));
}

/// A joint that turns by hundreds of turns has no animation; the rest of the page is complete.
#[test]
fn motions_that_cannot_be_shown_leave_a_page_without_a_view() {
    let desk = Desk::new();
    let arm = [super::link("arm", CUBE), super::joint("turn", "continuous", "base", "arm", "0 0 1")];
    let robot = super::robot(&["<link name=\"base\"/>", &arm[0], &arm[1]]);
    let checked = desk.check(&robot, &walls(&[("far", 5.0)]), &[[&[0.0], &[6000.0]]], &["--html", "page.html"]);
    assert_eq!((checked.run.code, checked.run.warnings().len()), (Some(0), 1), "{}", checked.run.stderr);
    assert!(checked.run.warnings()[0].contains("too far for an animation"), "{}", checked.run.stderr);
    let html = page(&desk, "page.html");
    assert!(select(&html, "script, #viewer").is_empty());
    assert!(texts(&html, "p.note").iter().any(|note| note.contains("not shown in three dimensions")));
    assert_eq!(texts(&html, ".cards li")[1], "1 free proved");
}

#[test]
fn outputs_are_different_files() {
    let desk = Desk::new();
    for (html, said) in [("results.jsonl", "--out and --html refer"), ("./stats.json", "--stats and --html refer")] {
        let refused = check(&desk, &["--html", html]).run;
        assert!(refused.code == Some(3) && refused.stderr.contains(said), "{}", refused.stderr);
        assert!(!desk.path("results.jsonl").exists() && !desk.path("stats.json").exists());
    }
    // A page that cannot be written is detected before any work.
    desk.put("file", "");
    let refused = check(&desk, &["--html", "file/page.html"]).run;
    assert!(refused.code == Some(3) && refused.stderr.contains("page.html"), "{}", refused.stderr);
    assert!(!desk.path("results.jsonl").exists());
}

#[test]
fn bad_input_leaves_no_page() {
    let desk = Desk::new();
    desk.put("page.html", "old");
    let refused = desk.check(&slider(CUBE), &walls(&WALLS), &[[&[0.0], &[f64::NAN]]], &["--html", "page.html"]).run;
    assert_eq!(refused.code, Some(3));
    assert_eq!(desk.text("page.html"), "old");
    assert!(!desk.path("page.html.part").exists());
}

const INPUTS: [&str; 6] = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

fn report(desk: &Desk, results: &str, more: &[&str]) -> Run {
    desk.run(&[&["report", results, "--out", "report.html"], more].concat())
}

#[test]
fn a_report_of_results_is_the_same_page() {
    let desk = Desk::new();
    check(&desk, &[]);
    let run = report(&desk, "results.jsonl", &INPUTS);
    run.expect(0);
    assert_eq!(run.stdout, "1 results, 5 motions: report.html\n");
    let html = page(&desk, "report.html");
    shows_all(&html);
    assert!(texts(&html, "p.note").iter().all(|note| !note.contains("Doubtful")));
    // Any name will do: the first line identifies the file.
    desk.put("answers", desk.text("results.jsonl"));
    report(&desk, "answers", &INPUTS).expect(0);
    shows_all(&page(&desk, "report.html"));
    // Without inputs there are tables, and a sentence about what is missing.
    report(&desk, "results.jsonl", &[]).expect(0);
    let html = page(&desk, "report.html");
    assert!(select(&html, "script, #viewer").is_empty() && rows(&html, "contacts").len() == 4);
    assert!(texts(&html, "p.note").iter().any(|p| p.contains("--robot, --scene and --motions")));
    report(&desk, "results.jsonl", &[&INPUTS[..], &["--no-views"]].concat()).expect(0);
    assert!(select(&page(&desk, "report.html"), "script, #viewer").is_empty());
    // Measurements and results share a page.
    desk.put("run.json", super::report::run(&[]).to_string());
    let both = desk.run(&[&["report", "run.json", "results.jsonl", "--out", "report.html"], &INPUTS[..]].concat());
    both.expect(0);
    let html = page(&desk, "report.html");
    shows_all(&html);
    assert_eq!(select(&html, "section#run-0").len(), 1);
    for link in select(&html, "nav a") {
        let target = link.attr("href").unwrap().strip_prefix('#').unwrap();
        assert_eq!(select(&html, &format!("[id='{target}']")).len(), 1, "{target}");
    }
}

#[test]
fn a_scene_is_cut_to_its_nearest_triangles() {
    let desk = Desk::new();
    check(&desk, &[]);
    report(&desk, "results.jsonl", &[&INPUTS[..], &["--html-motions", "1", "--scene-triangles", "1"]].concat())
        .expect(0);
    let html = page(&desk, "report.html");
    assert!(texts(&html, "p.note").iter().any(|p| p.contains("1 of the scene's 2 triangles")));
    let glb = BASE64_STANDARD.decode(text(select(&html, "script#glb-0")[0])).unwrap();
    let file = gltf::Gltf::from_slice(&glb).unwrap();
    let names: Vec<&str> = file.nodes().filter_map(|n| n.name()).collect();
    assert!(names.contains(&"behind") && !names.contains(&"near"), "{names:?}");
}

#[test]
fn results_that_do_not_fit_are_refused() {
    let desk = Desk::new();
    check(&desk, &[]);
    let refused = |results: &str, more: &[&str], said: &str| {
        let run = report(&desk, results, more);
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{said}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        assert!(!desk.path("report.html").exists() && !desk.path("report.html.part").exists());
    };
    let good = desk.text("results.jsonl");
    for (old, new, said) in [
        ("\"free\"", "\"perhaps\"", "bad.jsonl: line 1: unknown variant `perhaps`"),
        ("{\"motion\":1,", "{\"motion\":0,", "bad.jsonl: line 2: motion 0 is out of order"),
        ("\"toc\":[0.", "\"toc\":[7.", "bad.jsonl: line 2: toc is missing or not within 0 and 1"),
        ("}\n", "\n", "bad.jsonl: line 1: "),
        ("\n", "\n\n", "bad.jsonl: line 2: "),
    ] {
        assert!(good.contains(old), "{old}");
        desk.put("bad.jsonl", good.replacen(old, new, 1));
        refused("bad.jsonl", &INPUTS, said);
    }
    desk.put("bad.jsonl", [0xff, 0xfe, 0x00]);
    refused("bad.jsonl", &[], "bad.jsonl");
    // Results of a robot or a scene with other names, or of more motions.
    desk.put("bad.jsonl", good.replace("\"slider\"", "\"other\""));
    refused("bad.jsonl", &INPUTS, "the robot has no link 'other'");
    desk.put("bad.jsonl", good.replace("\"behind\"", "\"other\""));
    refused("bad.jsonl", &INPUTS, "the scene has no object 'other'");
    desk.put("bad.jsonl", good.replace("\"motion\":4", "\"motion\":5"));
    refused("bad.jsonl", &INPUTS, "answers motion 5, but motions.npy has 5");
    // Inputs are for one file of results.
    refused("results.jsonl", &INPUTS[..2], "--robot, --scene and --motions");
    let two = ["report", "results.jsonl", "results.jsonl", "--out", "report.html"];
    let run = desk.run(&[&two[..], &INPUTS].concat());
    assert!(run.code == Some(3) && run.stderr.contains("one file of results, but there are 2"), "{}", run.stderr);
    desk.run(&two).expect(0);
    desk.put("run.json", super::report::run(&[]).to_string());
    std::fs::remove_file(desk.path("report.html")).unwrap();
    refused("run.json", &INPUTS, "one file of results, but there are 0");
    // An output must not be an input.
    for input in ["results.jsonl", "robot.urdf", "./scene.obj", "motions.npy"] {
        let before = std::fs::read(desk.path(input)).unwrap();
        let run = desk.run(&[&["report", "results.jsonl", "--out", input], &INPUTS[..]].concat());
        assert!(run.code == Some(3) && run.stderr.contains("would overwrite"), "{input}: {}", run.stderr);
        assert_eq!(std::fs::read(desk.path(input)).unwrap(), before);
    }
}

#[test]
fn results_of_another_placement_cause_a_warning() {
    let desk = Desk::new();
    check(&desk, &[]);
    let run = report(&desk, "results.jsonl", &[&INPUTS[..], &["--base", "0,0,3,0,0,0"]].concat());
    assert_eq!((run.code, run.warnings().len()), (Some(0), 1), "{}", run.stderr);
    assert!(run.warnings()[0].contains("away from link 'slider'") && run.warnings()[0].contains("--base"));
    assert!(texts(&page(&desk, "report.html"), "p.note").iter().any(|note| note.starts_with("Doubtful")));
}

/// An interrupted check writes no page; the resumed one writes a page of all answers.
#[cfg(unix)]
#[test]
fn a_resumed_check_has_a_whole_page() {
    use super::interrupt::{desk_of, signal, start};
    let n = 40_000;
    let desk = desk_of(n);
    let child = start(&desk, "cpu");
    signal(&child, "INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let files =
        ["check", "--backend", "cpu", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    let resumed = desk.run(&[&files[..], &["--out", "out/results", "--resume", "--html", "resumed.html"]].concat());
    assert_eq!(resumed.code, Some(1), "{}", resumed.stderr);
    let whole = desk.run(&[&files[..], &["--out", "other", "--html", "whole.html"]].concat());
    assert_eq!(whole.code, Some(1), "{}", whole.stderr);
    let [resumed, whole] = ["resumed.html", "whole.html"].map(|name| page(&desk, name));
    assert_eq!(texts(&resumed, ".cards li")[0], "40,000 motions");
    for selector in [".cards li", "table", "option", "figcaption", "script[type]"] {
        assert!(texts(&resumed, selector) == texts(&whole, selector), "{selector}");
    }
    // The list is truncated, which is reported.
    assert_eq!(rows(&resumed, "contacts").len(), 200);
    assert!(texts(&resumed, "section[id$='-contacts'] p")[0].contains("The 200 earliest of 40,000 contacts"));
}
