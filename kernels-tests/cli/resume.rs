//! Continuing a run that did not end.
#![cfg(unix)]

use super::interrupt::{desk_of, signal, start};
use super::{CUBE, Desk, slider, walls};
use crate::inputs::samples;

/// Number of motions: more than are processed before a signal arrives.
const MANY: usize = 40_000;

const FILES: [&str; 9] =
    ["check", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", "out/results"];

fn check(desk: &Desk, more: &[&str]) -> super::Run {
    desk.run(&[&FILES[..], more].concat())
}

/// A folder with the answers of a run that was interrupted.
fn interrupted(backend: &str) -> Desk {
    let desk = desk_of(MANY);
    let child = start(&desk, backend);
    signal(&child, "INT");
    let run = super::Run::new(child.wait_with_output().unwrap());
    assert!(run.code == Some(130) && run.errors()[0].contains("--resume"), "{}", run.stderr);
    desk
}

#[test]
fn a_resumed_run_gives_identical_bytes() {
    let desk = interrupted("cpu");
    let (part, beside) = (desk.text("out/results.part"), desk.text("out/results.part.json"));
    let n = part.lines().count();
    let run = check(&desk, &["--backend", "cpu", "--resume", "--stats", "stats.json", "--threads", "1"]);
    assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{}", run.stderr);
    let whole = desk.text("out/results");
    assert!(whole.starts_with(&part) && whole.lines().count() == MANY);
    let stats: serde_json::Value = serde_json::from_str(&desk.text("stats.json")).unwrap();
    assert_eq!((&stats["motions"], &stats["contact"], &stats["resumed"]), (&MANY.into(), &MANY.into(), &n.into()));
    // No temporary file is left.
    assert_eq!(desk.names().iter().filter(|n| n.contains("part")).count(), 0, "{:?}", desk.names());
    std::fs::rename(desk.path("out/results"), desk.path("continued")).unwrap();
    assert_eq!(check(&desk, &["--backend", "cpu"]).code, Some(1));
    assert!(desk.text("out/results") == whole);
    // From any byte at which a kill may have left the file, including the end.
    for cut in [0, 1, whole.len() / 3, whole.len() - 1, whole.len()] {
        desk.put("out/results.part", &whole[..cut]).put("out/results.part.json", &beside);
        desk.put("out/results", "old\n");
        let run = check(&desk, &["--backend", "cpu", "--resume", "--memory", "2GiB"]);
        assert_eq!(run.code, Some(1), "{cut}: {}", run.stderr);
        assert!(desk.text("out/results") == whole, "{cut}");
    }
    // If there is nothing to continue, all motions are processed.
    assert_eq!(check(&desk, &["--backend", "cpu", "--resume"]).code, Some(1));
    assert!(desk.text("out/results") == whole);
}

/// Other inputs or options: one error that lists them, and the answers so far are kept.
#[test]
fn answers_of_other_inputs_or_options_are_not_resumed() {
    let desk = interrupted("cpu");
    let (part, beside) = (desk.text("out/results.part"), desk.text("out/results.part.json"));
    let refused = |more: &[&str], words: &[&str]| {
        let run = check(&desk, &[&["--backend", "cpu", "--resume"], more].concat());
        assert_eq!((run.code, run.errors().len(), run.stderr.lines().count()), (Some(3), 1, 1), "{}", run.stderr);
        assert!(words.iter().all(|w| run.errors()[0].contains(w)), "{words:?}: {}", run.stderr);
        assert!(desk.text("out/results.part") == part && !desk.path("out/results").exists());
    };
    refused(&["--tolerance", "1e-8"], &["options", "--resume"]);
    refused(&["--margin", "0.001"], &["options"]);
    refused(&["--mode", "verdict"], &["options"]);
    refused(&["--solids", "contact"], &["options"]);
    desk.put("allow.txt", "* wall\n");
    refused(&["--allow", "allow.txt"], &["options"]);
    let robot = desk.text("robot.urdf");
    desk.put("robot.urdf", slider("<box size=\"0.2 0.2 0.21\"/>"));
    refused(&[], &["differs in: robot"]);
    desk.put("robot.urdf", robot).put("scene.obj", walls(&[("wall", 1.5)]));
    refused(&[], &["differs in: scene"]);
    desk.put("scene.obj", walls(&[("wall", 1.0)]));
    let motions = std::fs::read(desk.path("motions.npy")).unwrap();
    let mut other = motions.clone();
    let last = other.len() - 3;
    other[last] ^= 1;
    desk.put("motions.npy", other);
    refused(&[], &["differs in: motions"]);
    desk.put("motions.npy", motions).put("out/results.part.json", "{}");
    refused(&[], &["part.json", "damaged"]);
    std::fs::remove_file(desk.path("out/results.part.json")).unwrap();
    refused(&[], &["part.json"]);
    // The existing file is not a list of answers.
    desk.put("out/results.part.json", &beside).put("out/results.part", "{\"motion\":1,\"verdict\":\"free\"}\n");
    let run = check(&desk, &["--backend", "cpu", "--resume"]);
    assert!(run.code == Some(3) && run.errors()[0].contains("line 1"), "{}", run.stderr);
    let line = |motion: usize| format!("{{\"motion\":{motion},\"verdict\":\"free\"}}\n");
    desk.put("out/results.part", (0..=MANY).map(line).collect::<String>());
    let run = check(&desk, &["--backend", "cpu", "--resume"]);
    assert!(run.code == Some(3) && run.errors()[0].contains("40001 answers, but only 40000"), "{}", run.stderr);
}

#[test]
fn bad_input_leaves_nothing_to_resume() {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    // The last of many motions is not a number: detected before any work.
    let mut values = vec![0.5; 20_000];
    values[19_999] = f64::NAN;
    desk.put("motions.npy", samples::npy("'<f8'", "(10000, 2, 1)", &values));
    let before = desk.names();
    for more in [&["--backend", "cpu"][..], &["--backend", "cpu", "--resume"]] {
        let run = check(&desk, more);
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
        assert!(run.errors()[0].contains("motion 9999"), "{}", run.stderr);
        assert_eq!(desk.names(), before);
    }
}

#[test]
fn a_run_on_an_adapter_is_resumed() {
    if crate::harness::gpu::skip() {
        return;
    }
    let desk = interrupted("gpu");
    let n = desk.text("out/results.part").lines().count();
    // The CPU may round differently: its answers are not mixed with these.
    let run = check(&desk, &["--backend", "cpu", "--resume"]);
    assert!(run.code == Some(3) && run.errors()[0].contains("backend"), "{}", run.stderr);
    // Processing a part of the motions on the adapter would take long: the answers before the last ones are those of
    // the CPU, which are the same here.
    let whole = {
        let other = desk_of(MANY);
        assert_eq!(check(&other, &["--backend", "cpu"]).code, Some(1));
        other.text("out/results")
    };
    assert!(whole.starts_with(&desk.text("out/results.part")) && n > 0);
    let kept: String = whole.lines().take(MANY - 3000).flat_map(|line| [line, "\n"]).collect();
    desk.put("out/results.part", kept);
    assert_eq!(check(&desk, &["--backend", "gpu", "--resume"]).code, Some(1));
    assert!(desk.text("out/results") == whole);
}

/// Returns whether the file system keeps extended attributes: without them, a finished run is not recognised.
pub(super) fn keeps_attributes(desk: &Desk) -> bool {
    desk.put("probe", "");
    let file = std::fs::File::open(desk.path("probe")).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    let keeps = rustix::fs::fsetxattr(&file, "user.firstcontact.probe", b"x", flags).is_ok();
    if !keeps {
        println!("skipped: the file system keeps no attributes");
    }
    std::fs::remove_file(desk.path("probe")).unwrap();
    keeps
}

#[test]
fn a_finished_run_says_that_it_is_finished() {
    let desk = desk_of(50);
    if !keeps_attributes(&desk) {
        return;
    }
    let again = |more: &[&str]| check(&desk, &[&["--backend", "cpu", "--resume"], more].concat());
    let first = again(&[]);
    first.expect(1);
    assert!(!first.stdout.contains("finished"), "{}", first.stdout);
    let (text, written) = (desk.text("out/results"), desk.path("out/results").metadata().unwrap().modified().unwrap());
    let second = again(&["--stats", "stats.json", "--threads", "1"]);
    second.expect(1);
    assert!(second.stdout.contains("out/results: already finished"), "{}", second.stdout);
    assert!(second.stdout.contains("50 motions: 0 free, 50 contact"), "{}", second.stdout);
    let stats: serde_json::Value = serde_json::from_str(&desk.text("stats.json")).unwrap();
    assert_eq!((&stats["motions"], &stats["resumed"]), (&50.into(), &50.into()));
    let unchanged = || {
        let now = desk.path("out/results").metadata().unwrap().modified().unwrap();
        desk.text("out/results") == text && now == written && !desk.names().iter().any(|name| name.contains(".part"))
    };
    assert!(unchanged(), "{:?}", desk.names());
    // Finished answers to another problem are not replaced.
    let other = again(&["--margin", "0.001"]);
    assert!(other.code == Some(3) && other.errors()[0].contains("differs in: options"), "{}", other.stderr);
    assert!(unchanged(), "{:?}", desk.names());
    // A file that was changed afterwards proves nothing.
    for changed in [text.replacen("contact", "Contact", 1), format!("{text}{text}"), text[..text.len() / 2].to_string()]
    {
        desk.put("out/results", changed);
        let run = again(&[]);
        assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1), "{}", run.stderr);
        assert!(
            run.warnings()[0].contains("starts from the beginning") && !run.stdout.contains("finished"),
            "{}",
            run.stderr
        );
        assert!(desk.text("out/results") == text);
    }
    // Neither does a file written by another program.
    std::fs::copy(desk.path("scene.obj"), desk.path("out/results")).unwrap();
    assert!(again(&[]).warnings()[0].contains("starts from the beginning") && desk.text("out/results") == text);
    again(&[]).expect(1);
}

/// The exit code is that of the answers.
#[test]
fn a_finished_run_ends_with_the_same_code() {
    for (end, code) in [(0.5, 0), (3.6, 1)] {
        let desk = desk_of(1);
        if !keeps_attributes(&desk) {
            return;
        }
        desk.put("motions.npy", samples::npy("'<f8'", "(1, 2, 1)", &[0.0, end]));
        for _ in 0..2 {
            check(&desk, &["--backend", "cpu", "--resume"]).expect(code);
        }
    }
}
