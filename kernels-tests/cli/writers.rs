//! Two processes and one output: one of them writes, the other is rejected, waits, or continues without the output.
#![cfg(unix)]

use super::interrupt::{desk_of, signal, wait_for_answers};
use super::{CUBE, Desk, Run, npy, slider, walls};
use firstcontact_datasets::{DEFAULT_SEED, GENERATOR_VERSION};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

/// Number of motions: more than are processed during the test.
const MANY: usize = 10_000;

/// Makes the program behave as if the file system had no locks.
pub(super) const NO_LOCKS: &str = "FIRSTCONTACT_TEST_REFUSE_LOCKS";

const INPUT: [&str; 9] =
    ["check", "--backend", "cpu", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

/// Starts a check whose answers are written to `out/results`.
fn spawn(desk: &Desk, more: &[&str], no_locks: bool) -> Child {
    spawn_to(desk, "out/results", more, no_locks)
}

pub(super) fn spawn_to(desk: &Desk, out: &str, more: &[&str], no_locks: bool) -> Child {
    let mut command = desk.command(&[&INPUT[..], &["--out", out], more].concat());
    if no_locks {
        command.env(NO_LOCKS, "1");
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn check(desk: &Desk, more: &[&str], no_locks: bool) -> Run {
    Run::new(spawn(desk, more, no_locks).wait_with_output().unwrap())
}

/// A process that has written answers and is stopped.
fn stopped(desk: &Desk, no_locks: bool) -> Child {
    let mut child = spawn(desk, &["--stats", "stats.json"], no_locks);
    let ended = wait_for_answers(desk, &mut child, 1);
    assert!(ended.is_none(), "{ended:?}");
    signal(&child, "STOP");
    child
}

/// A file locked by this process. It must be unlocked, not only dropped: a process that another test starts at that
/// moment may have it open, too.
fn held(desk: &Desk, name: &str) -> File {
    desk.put(name, "held\n");
    let file = File::options().read(true).write(true).open(desk.path(name)).unwrap();
    file.try_lock().unwrap();
    file
}

fn refusal(run: &Run) -> &str {
    let [error] = run.errors()[..] else { panic!("{:?} {}{}", run.code, run.stdout, run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count(), run.stdout.as_str()), (Some(3), 1, ""), "{}", run.stderr);
    assert!(error.contains("is writing this output"), "{error}");
    error
}

#[test]
fn a_second_process_is_refused_and_the_first_is_not_disturbed() {
    for no_locks in [false, true] {
        let desk = desk_of(MANY);
        let first = stopped(&desk, no_locks);
        for more in [&["--resume"][..], &[], &["--resume", "--stats", "stats.json"]] {
            let run = check(&desk, more, no_locks);
            let error = refusal(&run);
            assert!(error.contains("out/results: "), "{error}");
            if no_locks || cfg!(target_os = "linux") {
                assert!(error.contains(&first.id().to_string()), "{error}");
            }
            assert!(!no_locks || (error.contains("out/results.part.lock") && error.contains("delete")), "{error}");
        }
        signal(&first, "CONT");
        let run = Run::new(first.wait_with_output().unwrap());
        // One warning if there are no locks, although statistics are an output, too.
        assert_eq!((run.code, run.stderr.lines().count()), (Some(1), usize::from(no_locks)), "{}", run.stderr);
        assert!(!no_locks || run.warnings()[0].contains("out/results.part.lock"), "{}", run.stderr);
        assert!(desk.names().iter().all(|name| !name.contains(".part")), "{:?}", desk.names());
        let text = desk.text("out/results");
        assert_eq!(text.lines().count(), MANY);
        Run::new(spawn_to(&desk, "other", &[], false).wait_with_output().unwrap()).expect(1);
        assert!(text == desk.text("other"));
    }
}

#[test]
fn a_lock_ends_with_its_process() {
    let desk = desk_of(MANY);
    let first = stopped(&desk, false);
    signal(&first, "KILL");
    first.wait_with_output().unwrap();
    let run = check(&desk, &["--resume", "--stats", "stats.json"], false);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let stats: serde_json::Value = serde_json::from_str(&desk.text("stats.json")).unwrap();
    assert!(stats["resumed"].as_u64() > Some(0) && stats["motions"] == MANY, "{stats}");
}

/// Without locks, a killed process leaves a file with its identity.
#[test]
fn a_stale_lock_file_is_reported_with_a_remedy() {
    let desk = desk_of(MANY);
    let first = stopped(&desk, true);
    let id = first.id().to_string();
    let lock = desk.text("out/results.part.lock");
    assert!(lock.split_whitespace().count() == 2 && lock.ends_with(&format!(" {id}\n")), "{lock:?}");
    signal(&first, "KILL");
    first.wait_with_output().unwrap();
    let (part, record) = (desk.text("out/results.part"), desk.text("out/results.part.json"));
    let run = check(&desk, &["--resume"], true);
    let error = refusal(&run);
    assert!(error.contains(&format!("process {id} on host ")) && error.contains("delete that file"), "{error}");
    assert!(desk.text("out/results.part") == part && desk.text("out/results.part.json") == record);
    std::fs::remove_file(desk.path("out/results.part.lock")).unwrap();
    let run = check(&desk, &["--resume"], true);
    assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{}", run.stderr);
    assert!(desk.text("out/results").starts_with(&part));
    assert!(!desk.names().iter().any(|name| name.starts_with("out/results.")), "{:?}", desk.names());
}

/// A part file without a line contains nothing, whatever is recorded about it: the work starts over.
#[test]
fn a_part_without_an_answer_is_started_again() {
    let desk = desk_of(10);
    for (part, record) in [("", None), ("", Some("{")), ("{\"moti", None), ("{\"moti", Some("{}"))] {
        desk.put("out/results.part", part);
        if let Some(text) = record {
            desk.put("out/results.part.json", text);
        }
        let run = check(&desk, &["--resume"], false);
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{part:?} {record:?}");
        assert_eq!(desk.text("out/results").lines().count(), 10);
        assert!(desk.names().iter().all(|name| !name.contains(".part")), "{:?}", desk.names());
        std::fs::remove_dir_all(desk.path("out")).unwrap();
    }
}

/// Every command that writes: the test locks each file that it would write.
#[test]
fn every_command_respects_the_lock() {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    desk.put("motions.npy", npy(&[[&[0.0], &[3.6]]]));
    desk.put("q.csv", "0,1,0,1,0,1\n".repeat(8));
    desk.put("ball.json", include_str!("../../examples/scenes/figure7.json"));
    desk.put("job.json", json!({"robot": "robot.urdf", "scene": "scene.obj", "motions": "motions.npy"}).to_string());
    desk.put("run.json", super::report::example().to_string());
    let input = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    let check = [&["check", "--backend", "cpu"], &input[..]].concat();
    let render = [&["render", "--index", "0", "--out", "o.glb"], &input[..]].concat();
    for (arguments, locked) in [
        (&[&check[..], &["--out", "o"]].concat()[..], "o.part"),
        (&[&check[..], &["--out", "p", "--stats", "o"]].concat(), "o.part"),
        (&["elementary", "--queries", "q.csv", "--kind", "vf", "--out", "o"], "o.part"),
        (&["tolerance", "job.json", "--backend", "cpu", "--out", "o"], "o.part"),
        (&["tolerance", "job.json", "--backend", "cpu", "--out", "p", "--certificate", "o"], "o.part"),
        (&render, "o.glb.part"),
        (&["track", "ball.json", "--out", "tracks"], "tracks/track.csv.part"),
        (&["report", "run.json", "--out", "o"], "o.part"),
        (&["bench", "solver", "--quick", "--cpu-only", "--out", "runs"], "runs/solver.lock"),
        (&["dataset", "make", "chain-3", "--motions", "1", "--out", "chain"], "chain/dataset.lock"),
    ] {
        let file = held(&desk, locked);
        let before = desk.names();
        let run = desk.run(arguments);
        let error = refusal(&run);
        let named = locked.trim_end_matches(".part");
        assert!(error.contains(&format!("error: {named}: ")), "{arguments:?}: {error}");
        assert_eq!((desk.names(), desk.text(locked).as_str()), (before, "held\n"), "{arguments:?}");
        // As soon as the lock is released, the remaining file is no obstacle.
        file.unlock().unwrap();
        if arguments[0] != "bench" {
            let run = desk.run(arguments);
            assert!(run.code.is_some_and(|code| code < 3), "{arguments:?}: {}", run.stderr);
            assert!(!desk.path(locked).exists(), "{arguments:?}");
        }
    }
}

/// A tree that another process is saving at this moment is built in memory, without a message.
#[test]
fn a_tree_being_saved_by_another_process_is_not_saved_twice() {
    let desk = Desk::new();
    desk.put("scene.obj", super::lines::grid(40));
    let motions: [super::Motion; 2] = [[&[0.5], &[0.3]], [&[0.5], &[0.0]]];
    let falling = slider(CUBE).replace("1 0 0", "0 0 1");
    let check = || desk.check(&falling, "scene.obj", &motions, &["--tree-cache", "trees"]).expect(1);
    let first = check();
    let tree = desk.names().into_iter().find(|name| name.ends_with(".fctree")).unwrap();
    std::fs::remove_file(desk.path(&tree)).unwrap();
    let part = format!("{tree}.part");
    let file = held(&desk, &part);
    let second = check();
    assert!(first.text == second.text && !desk.path(&tree).exists() && desk.text(&part) == "held\n");
    file.unlock().unwrap();
    assert!(check().text == first.text && desk.path(&tree).exists() && !desk.path(&part).exists());
}

/// If another process is generating a data set, the program waits for it, and uses the result.
#[test]
fn a_data_set_is_made_once() {
    let desk = Desk::new();
    let lock = held(&desk, "sets/pipes/dataset.lock");
    let arguments = ["check", "--dataset", "pipes", "--dataset-folder", "sets", "--backend", "cpu", "--out", "results"];
    let start = || {
        let mut child = desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.starts_with("waiting") && line.contains("sets/pipes"), "{line}");
        (child, stderr)
    };
    // Waiting can be interrupted. INT may be ignored if the tests run in the background, and then it is ignored by the
    // program too.
    let (child, _stderr) = start();
    signal(&child, "TERM");
    assert_eq!(Run::new(child.wait_with_output().unwrap()).code, None);
    // The data set made by the other process is used as it is.
    let (child, mut stderr) = start();
    desk.put("sets/pipes/robot.urdf", slider(CUBE)).put("sets/pipes/pipes.obj", walls(&[("wall", 1.0)]));
    desk.put("sets/pipes/motions-pipes-30deg.npy", npy(&[[&[0.0], &[3.6]]]));
    let description = json!({"seed": DEFAULT_SEED, "generator_version": GENERATOR_VERSION});
    desk.put("sets/pipes/dataset.json", description.to_string());
    std::fs::remove_file(desk.path("sets/pipes/dataset.lock")).unwrap();
    drop(lock);
    let run = Run::new(child.wait_with_output().unwrap());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!((run.code, rest.as_str()), (Some(1), ""));
    assert_eq!(desk.text("results").lines().count(), 1);
    assert!(!desk.names().iter().any(|name| name.ends_with(".lock")), "{:?}", desk.names());
}
