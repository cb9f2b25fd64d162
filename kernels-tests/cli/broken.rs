//! Broken files and arguments, through the program: one line with the defect and its place, exit code 3, and nothing
//! written.

use super::{CUBE, Desk, slider, walls};
use crate::inputs::{self, broken, samples};
use rayon::prelude::*;

/// Checks that a broken input gives one error line with these words, and that the set of files does not change.
fn told(desk: &Desk, arguments: &[&str], words: &[&str]) -> Result<(), String> {
    let before = desk.names();
    let run = desk.run(&[arguments, &["--out", "out/results.jsonl", "--stats", "out/stats.json"]].concat());
    let wrong = |what: &str| Err(format!("{what}: {arguments:?} {:?} {}{}", run.code, run.stderr, run.stdout));
    if run.code != Some(3) {
        return wrong("the exit code is not 3");
    }
    let [error] = run.errors()[..] else { return wrong("not one error") };
    if run.stderr.lines().count() != 1 || !run.stdout.is_empty() {
        return wrong("more than one line");
    }
    if let Some(word) = words.iter().find(|word| !error.contains(**word)) {
        return wrong(&format!("no '{word}'"));
    }
    if desk.names() != before {
        return wrong(&format!("files are left: {:?}", desk.names()));
    }
    Ok(())
}

fn all_told(results: Vec<Result<(), String>>) {
    let n = results.len();
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} of {n}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Arguments for `check` with files other than the sample's.
fn with<'a>(robot: &'a str, scene: &'a str, motions: &'a str) -> [&'a str; 9] {
    ["check", "--backend", "cpu", "--robot", robot, "--scene", scene, "--motions", motions]
}

/// A folder with the sample robot, which has three columns, a scene and a motion.
fn desk() -> Desk {
    let desk = Desk::new();
    samples::prepare(desk.0.path());
    desk.put("scene.obj", walls(&[("wall", 50.0)]));
    desk.put("motions.npy", samples::npy("'<f8'", "(2, 2, 3)", &samples::VALUES));
    desk
}

/// Every broken file of the readers' own tests, where the program reads it; meshes as the scene, and every third one
/// also as the shape of a link.
#[test]
fn each_broken_file_ends_the_program_with_one_line() {
    let one = |(i, (name, bytes, word)): (usize, &broken::Broken)| {
        let desk = desk();
        desk.put(name, bytes);
        // The error for a file that refers to another one, which is missing or of no known format, may contain the name
        // of that one.
        let own = name.split('.').next().unwrap();
        let named = ["gone.", "part.blend"].into_iter().find(|n| bytes.windows(n.len()).any(|w| w == n.as_bytes()));
        let named = named.unwrap_or(own);
        let words = [named, *word];
        if inputs::is_motions(name) {
            return vec![told(&desk, &with("sample.urdf", "scene.obj", name), &words)];
        }
        if name.ends_with(".urdf") {
            let as_scene = told(&desk, &with("sample.urdf", name, "motions.npy"), &words);
            return vec![told(&desk, &with(name, "scene.obj", "motions.npy"), &words), as_scene];
        }
        let mut results = vec![told(&desk, &with("sample.urdf", name, "motions.npy"), &words)];
        if i % 3 == 0 && !name.ends_with(".json") {
            desk.put("robot.urdf", slider(&format!("<mesh filename=\"{name}\"/>")));
            results.push(told(&desk, &with("robot.urdf", "scene.obj", "motions.npy"), &words));
        }
        results
    };
    let all = broken::all();
    let results: Vec<_> = all.par_iter().enumerate().flat_map_iter(one).collect();
    // More than one for each file: no file was skipped.
    assert!(all.len() > 200 && results.len() > all.len());
    all_told(results);
}

#[test]
fn an_unreadable_file_ends_the_program_with_one_line() {
    let desk = desk();
    std::fs::create_dir(desk.path("folder.npy")).unwrap();
    let [robot, scene, motions] = ["sample.urdf", "scene.obj", "motions.npy"];
    let mut results: Vec<Result<(), String>> = Vec::new();
    for name in ["gone.urdf", "gone.obj", "folder.npy", "gone", "scene.blend", "gone.json"] {
        for arguments in [with(name, scene, motions), with(robot, name, motions), with(robot, scene, name)] {
            results.push(told(&desk, &arguments, &[name]));
        }
        results.push(told(&desk, &[&with(robot, scene, motions)[..], &["--allow", name]].concat(), &[name]));
    }
    all_told(results);
}

#[test]
fn input_beyond_the_memory_budget_ends_the_program_with_one_line() {
    let desk = desk();
    let whole = with("sample.urdf", "scene.obj", "motions.npy");
    let told_of =
        |bytes: &str, word: &str| told(&desk, &[&whole[..], &["--memory", bytes]].concat(), &[word, "--memory"]);
    // The robot's file has some two thousand bytes; its triangles need more.
    all_told(vec![told_of("0", "sample.urdf"), told_of("1000", "sample.urdf"), told_of("4000", "sample.urdf")]);
    // Motions in an array are read in portions: 10000 of three columns take 480 kB. Motions in JSON are read as a
    // whole.
    let values = [0.0; 60_000];
    desk.put("motions.npy", samples::npy("'<f8'", "(10000, 2, 3)", &values));
    assert_eq!(desk.run(&[&whole[..], &["--memory", "100kB", "--out", "o"]].concat()).code, Some(0));
    let text = format!("{{\"joints\": [], \"motions\": [{}]}}", ["[[], []]"; 10_000].join(","));
    desk.put("motions.json", text);
    let whole = with("sample.urdf", "scene.obj", "motions.json");
    let arguments = [&whole[..], &["--memory", "100kB", "--missing-joints", "zero"]].concat();
    all_told(vec![told(&desk, &arguments, &["motions.json", "--memory"])]);
}

#[test]
fn a_robot_or_a_scene_too_far_away_is_refused() {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("motions.npy", super::npy(&[[&[0.0], &[1.0]]]));
    desk.put("far.obj", walls(&[("near", 1.0), ("far", 2e6)])).put("scene.obj", walls(&[("wall", 1.0)]));
    let far_scene = with("robot.urdf", "far.obj", "motions.npy");
    let far_base = [&with("robot.urdf", "scene.obj", "motions.npy")[..], &["--base", "0,3e6,0,0,0,0"]].concat();
    all_told(vec![told(&desk, &far_scene, &["'far'"]), told(&desk, &far_base, &["'wall'"])]);
}

/// Wrong arguments: the error contains the argument and its defect; a hint on the usage may follow.
#[test]
fn wrong_arguments_end_the_program() {
    let desk = desk();
    let whole = with("sample.urdf", "scene.obj", "motions.npy");
    let out = ["--out", "out"];
    for (more, word) in [
        (&["--tolerance", "0"][..], "tolerance"),
        (&["--tolerance", "nan"], "tolerance"),
        (&["--tolerance=-1e-9"], "tolerance"),
        (&["--tolerance", "2"], "tolerance"),
        (&["--tolerance", "small"], "--tolerance"),
        (&["--base", "1,2,3"], "--base"),
        (&["--base", "0,0,0,0,0,nan"], "--base"),
        (&["--base", "0,0,0,0,0,x"], "--base"),
        (&["--base", "0,0,inf,0,0,0"], "--base"),
        (&["--chord-error", "0"], "chord error"),
        (&["--chord-error=-1"], "chord error"),
        (&["--chord-error", "nan"], "chord error"),
        (&["--chord-error", "1e-30"], "chord error"),
        (&["--backend", "tpu"], "--backend"),
        (&["--bound", "sphere"], "--bound"),
        (&["--initial", "never"], "--initial"),
        (&["--geometry", "both"], "--geometry"),
        (&["--reference", "s9_dream"], "'s9_dream'"),
        (&["--reference", "s1_concat,"], "stage"),
        (&["--threads=-1"], "--threads"),
        (&["--threads", "many"], "--threads"),
        (&["--threads", "1000000"], "--threads"),
        (&["--memory", "lots"], "--memory"),
        (&["--memory", "18446744073709551616"], "--memory"),
        (&["--strict=maybe"], "--strict"),
        (&["--unheard-of"], "--unheard-of"),
        (&["stray"], "stray"),
        (&["--robot", "sample.urdf"], "--robot"),
    ] {
        let before = desk.names();
        // The second `--backend` does not override the first: it is the error.
        let whole = if more[0] == "--backend" { [&whole[..1], &whole[3..]].concat() } else { whole.to_vec() };
        let run = desk.run(&[&whole[..], &out, more].concat());
        assert_eq!((run.code, run.errors().len(), run.stdout.as_str()), (Some(3), 1, ""), "{more:?} {}", run.stderr);
        assert!(run.errors()[0].contains(word), "{more:?}: {}", run.stderr);
        assert_eq!(desk.names(), before, "{more:?}");
    }
}

#[test]
fn arguments_that_are_missing_end_the_program() {
    let desk = desk();
    for (arguments, word) in [
        (&["check"][..], "--out"),
        (&["check", "--out", "o"], "--robot"),
        (&["check", "--robot", "sample.urdf", "--scene", "scene.obj", "--out", "o"], "--motions"),
        (&["check", "--robot", "sample.urdf", "--motions", "motions.npy", "--out", "o"], "--scene"),
        (&["check", "--robot", "sample.urdf", "--scene", "scene.obj", "--motions", "motions.npy"], "--out"),
        (&["dataset", "make"], "--out"),
        (&["dataset", "make", "pipes"], "--out"),
        (&["chekc"], "chekc"),
        (&["info", "--robot"], "--robot"),
    ] {
        let before = desk.names();
        let run = desk.run(arguments);
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{arguments:?} {}", run.stderr);
        assert!(run.stderr.contains(word) && run.stdout.is_empty(), "{arguments:?}: {}", run.stderr);
        assert_eq!(desk.names(), before);
    }
    // Running the program without a command is an error too; help and version are not.
    for (arguments, code) in [
        (&[][..], 3),
        (&["dataset"], 3),
        (&["--help"], 0),
        (&["check", "--help"], 0),
        (&["--version"], 0),
        (&["help", "info"], 0),
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}");
        assert!(code == 3 || (run.stderr.is_empty() && run.stdout.contains("firstcontact")), "{arguments:?}");
    }
}
