//! A run that is ended from outside.
#![cfg(unix)]

use super::{CUBE, Desk, Run, slider, walls};
use crate::inputs::samples;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Number of motions: far more than are processed before a signal arrives.
const MANY: usize = 200_000;

fn desk() -> Desk {
    desk_of(MANY)
}

/// Slides of a cube into a wall, `n` of them.
pub(super) fn desk_of(n: usize) -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    let values: Vec<f64> = (0..n).flat_map(|i| [1e-6 * i as f64, 3.6]).collect();
    desk.put("motions.npy", samples::npy("'<f8'", &format!("({n}, 2, 1)"), &values));
    desk
}

/// Starts a check and waits until the file contains answers.
pub(super) fn start(desk: &Desk, backend: &str) -> Child {
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", "out/results"];
    let mut command = desk.command(&[&["check", "--backend", backend, "--stats", "stats.json"], &files[..]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let early = wait_for_answers(desk, &mut child, 1);
    assert!(early.is_none(), "no answer: {early:?}");
    child
}

/// Waits until the file contains some bytes of answers; if the process ends before that, returns its exit status.
pub(super) fn wait_for_answers(desk: &Desk, child: &mut Child, bytes: u64) -> Option<ExitStatus> {
    let (part, since) = (desk.path("out/results.part"), Instant::now());
    while std::fs::metadata(&part).map_or(0, |m| m.len()) < bytes {
        if let Some(ended) = child.try_wait().unwrap() {
            return Some(ended);
        }
        assert!(since.elapsed() < Duration::from_secs(60), "no answer");
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Sends a signal to the program.
pub(super) fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().unwrap();
    assert!(sent.success());
}

/// The answers so far: whole lines, one for each of the first motions.
fn whole_lines(desk: &Desk) -> usize {
    let text = desk.text("out/results.part");
    assert!(text.ends_with('\n'));
    for (i, line) in text.lines().enumerate() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        // The first of these motions meets the wall at 0.9 of 3.6 m.
        assert_eq!((&line["motion"], &line["verdict"]), (&i.into(), &"contact".into()));
    }
    text.lines().count()
}

fn interrupt(backend: &str) {
    let desk = desk();
    desk.put("out/results", "old\n");
    let child = start(&desk, backend);
    signal(&child, "INT");
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.errors().len(), run.stderr.lines().count()), (Some(130), 1, 1), "{}", run.stderr);
    let n = whole_lines(&desk);
    assert!(n > 0 && n < MANY && run.errors()[0].contains(&format!(" {n} motions")), "{n}: {}", run.stderr);
    // The older file is unchanged; nothing reports the outcome of a run that was interrupted.
    assert_eq!(desk.text("out/results"), "old\n");
    assert!(!desk.names().iter().any(|name| name.contains("stats")) && run.stdout.is_empty(), "{:?}", desk.names());
    // The next run starts over and removes the file.
    let few = samples::npy("'<f8'", "(1, 2, 1)", &[0.0, 3.6]);
    desk.put("motions.npy", few);
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", "out/results"];
    desk.run(&[&["check", "--backend", "cpu"], &files[..]].concat()).expect(1);
    assert!(!desk.path("out/results.part").exists() && desk.text("out/results").lines().count() == 1);
}

#[test]
fn an_interruption_keeps_finished_answers() {
    interrupt("cpu");
}

#[test]
fn an_interruption_on_an_adapter_keeps_finished_answers() {
    if !crate::harness::gpu::skip() {
        interrupt("gpu");
    }
}

#[test]
fn a_killed_run_leaves_complete_lines() {
    let desk = desk();
    let child = start(&desk, "cpu");
    signal(&child, "KILL");
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (None, ""));
    assert!(whole_lines(&desk) > 0);
    assert!(!desk.path("out/results").exists());
}
