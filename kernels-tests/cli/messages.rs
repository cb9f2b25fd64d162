//! Helpful messages: where to look, which option to use, and no output of other programs.

use super::{CUBE, Desk, Run, npy, slider, walls};
use serde_json::Value;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    desk.put("motions.npy", npy(&[[&[0.0], &[0.5]]]));
    desk
}

fn check(desk: &Desk, more: &[&str]) -> Run {
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", "results"];
    desk.run(&[&["check"], &files[..], more].concat())
}

#[track_caller]
fn refused(run: &Run) -> &str {
    let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count()), (Some(3), 1), "{}", run.stderr);
    error
}

#[test]
fn a_missing_package_names_the_option_that_helps() {
    let desk = desk();
    let error_of = |mesh: &str| {
        desk.put("robot.urdf", slider(&format!("<mesh filename=\"{mesh}\"/>")));
        refused(&check(&desk, &["--backend", "cpu"])).to_string()
    };
    assert!(error_of("package://my_robot/part.stl").contains("--package-path DIR"));
    // The option is not suggested for a path that is not in a package.
    assert!(!error_of("meshes/part.stl").contains("--package-path"));
}

/// Every folder that is searched is shown, however long its path is; a long name from the file is not.
#[test]
fn existing_paths_are_shown_whole_and_text_from_files_shortened() {
    let desk = desk();
    let deep = vec!["x".repeat(60); 5].join("/");
    let name = "y".repeat(100_000);
    desk.put(&format!("{deep}/robot.urdf"), slider(&format!("<mesh filename=\"package://{name}/part.stl\"/>")));
    let robot = format!("{deep}/robot.urdf");
    let files = ["--scene", "scene.obj", "--motions", "motions.npy", "--out", "results", "--backend", "cpu"];
    let run = desk.run(&[&["check", "--robot", &robot], &files[..]].concat());
    let error = refused(&run);
    let folder = desk.0.path().canonicalize().unwrap();
    for ancestor in folder.join(&deep).ancestors().take(5) {
        assert!(error.contains(&format!("{}, ", ancestor.display())), "{}: {error}", ancestor.display());
    }
    let existing: usize = folder.join(&deep).ancestors().map(|p| p.display().to_string().len() + 2).sum();
    assert!(error.len() < existing + robot.len() + 1000 && !error.contains(&"y".repeat(200)), "{error}");
}

#[test]
fn names_that_fill_a_file_are_shortened() {
    let desk = desk();
    let long = "z".repeat(100_000);
    desk.put("allow.txt", format!("slider {long}\n"));
    let run = check(&desk, &["--backend", "cpu", "--allow", "allow.txt"]);
    assert!(refused(&run).contains("allow.txt: line 1: no object is called 'zzz"), "{}", run.stderr);
    assert!(run.stderr.len() < 500, "{}", run.stderr.len());
    desk.put("motions.json", format!("{{\"joints\": [\"{long}\"], \"motions\": []}}"));
    desk.put("scene.json", format!("{{\"units\": \"metre\", \"instances\": [{{\"mesh\": \"{long}.obj\"}}]}}"));
    desk.put("problem.json", format!("{{\"robot\": \"r\", \"{long}\": 1}}"));
    desk.put("certificate.jsonl", format!("{{\"{long}\": 1}}\n"));
    desk.put("run.json", format!("{{\"format\": \"{long}\"}}"));
    for arguments in [
        &["check", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.json", "--out", "o"][..],
        &["check", "--robot", "robot.urdf", "--scene", "scene.json", "--motions", "motions.npy", "--out", "o"],
        &["info", "--scene", "scene.json"],
        &["tolerance", "problem.json", "--out", "o"],
        &["verify", "certificate.jsonl"],
        &["report", "run.json", "--out", "o"],
    ] {
        let run = desk.run(arguments);
        assert!([Some(1), Some(3)].contains(&run.code), "{arguments:?}");
        let n = run.stderr.len() + run.stdout.len();
        assert!((20..1000).contains(&n), "{arguments:?}: {n}: {}", &run.stderr[..run.stderr.len().min(2000)]);
    }
}

/// The adapters of this machine.
fn adapters(desk: &Desk) -> Vec<Value> {
    let run = desk.run(&["info", "--json"]);
    let info: Value = serde_json::from_str(&run.stdout).unwrap();
    info["adapters"].as_array().unwrap().clone()
}

/// No driver, loader or library prints lines of its own if there is no desktop.
#[test]
fn opening_an_adapter_prints_no_driver_messages() {
    if crate::harness::gpu::skip() {
        return;
    }
    let desk = desk();
    desk.run(&["info"]).expect(0);
    check(&desk, &["--backend", "gpu"]).expect(0);
}

/// The suggested remedy depends on the available adapters.
#[test]
fn the_software_adapter_is_suggested_without_a_hardware_one() {
    let desk = desk();
    let adapters = adapters(&desk);
    // The adapter is not opened for few motions. A tolerance makes a trajectory of a motion.
    let few = check(&desk, &["--backend", "auto"]);
    let is_told = few.stderr.contains("faster for fewer than 4096 motions");
    assert!(few.code == Some(0) && is_told, "{}", few.stderr);
    let run = check(&desk, &["--backend", "auto", "--joint-tolerance", "0"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    match &adapters[..] {
        [] => assert!(run.stderr.contains("no graphics adapter (install"), "{}", run.stderr),
        [first, ..] if first["hardware"] == true => assert_eq!(run.stderr, ""),
        [first, ..] => {
            let name = first["name"].as_str().unwrap();
            let is_named = run.stderr.contains("--backend gpu") && run.stderr.contains(name);
            assert!(is_named && !run.stderr.contains("install"), "{}", run.stderr);
        }
    }
}
