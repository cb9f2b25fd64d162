//! Results written to the standard output, a pipe or a device instead of a file.
#![cfg(unix)]

use super::interrupt::{desk_of, signal};
use super::{Desk, Run};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

/// Motions whose answers do not fit into a pipe.
const MANY: usize = 3000;

const INPUT: [&str; 9] =
    ["check", "--backend", "cpu", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

fn check(desk: &Desk, more: &[&str]) -> Run {
    desk.run(&[&INPUT[..], more].concat())
}

/// The answers when written to a file.
fn in_a_file(desk: &Desk) -> String {
    check(desk, &["--out", "file"]).expect(1);
    let text = desk.text("file");
    std::fs::remove_file(desk.path("file")).unwrap();
    text
}

#[test]
fn results_go_to_the_standard_output_and_text_to_the_other() {
    let desk = desk_of(100);
    let expected = in_a_file(&desk);
    let before = desk.names();
    for out in ["-", "/dev/stdout", "/dev/fd/1"] {
        let run = check(&desk, &["--out", out]);
        assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{out}: {}", run.stderr);
        assert!(run.stdout == expected, "{out}: {}", run.stdout);
        assert!(run.stderr.contains("100 motions: "), "{out}: {}", run.stderr);
        assert_eq!(desk.names(), before, "{out}");
    }
    // Redirected to a file, appended to its contents.
    desk.put("all", "first\n");
    let all = File::options().append(true).open(desk.path("all")).unwrap();
    let mut command = desk.command(&[&INPUT[..], &["--out", "/dev/stdout", "--stats", "stats.json"]].concat());
    assert_eq!(Run::new(command.stdout(all).output().unwrap()).code, Some(1));
    assert!(desk.text("all") == format!("first\n{expected}"));
    let stats: Value = serde_json::from_str(&desk.text("stats.json")).unwrap();
    assert_eq!(stats["motions"], 100);
    // A path to a file of that name is a file.
    check(&desk, &["--out", "./-"]).expect(1);
    assert!(desk.text("-") == expected);
}

#[test]
fn pipes_and_devices_are_written_directly() {
    let desk = desk_of(MANY);
    let expected = in_a_file(&desk);
    let made = Command::new("mkfifo").arg(desk.path("pipe")).status().unwrap();
    assert!(made.success());
    let before = desk.names();
    let pipe = desk.path("pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
        text
    });
    check(&desk, &["--out", "pipe"]).expect(1);
    assert!(reader.join().unwrap() == expected);
    check(&desk, &["--out", "/dev/null", "--stats", "/dev/null"]).expect(1);
    assert_eq!(desk.names(), before);
}

/// A reader that closes the pipe ends the run, which then prints nothing and reports no result.
#[test]
fn a_closed_pipe_ends_the_run() {
    let desk = desk_of(MANY);
    let before = desk.names();
    let mut command = desk.command(&[&INPUT[..], &["--out", "-"]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for i in 0..10 {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["motion"], i);
    }
    // The answers are more than the pipe holds: lines are written while the work continues.
    assert!(child.try_wait().unwrap().is_none());
    drop(stdout);
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (Some(130), ""));
    assert_eq!(desk.names(), before);
}

#[test]
fn an_interruption_leaves_whole_lines() {
    let desk = desk_of(3000);
    let mut command = desk.command(&[&INPUT[..], &["--out", "-"]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    stdout.read_line(&mut text).unwrap();
    signal(&child, "INT");
    stdout.read_to_string(&mut text).unwrap();
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.errors().len(), run.stderr.lines().count()), (Some(130), 1, 1), "{}", run.stderr);
    assert!(run.stderr.contains("interrupted after") && !run.stderr.contains(".part"), "{}", run.stderr);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() < 3000 && text.ends_with('\n'));
    assert!(run.stderr.contains(&format!(" {} motions", lines.len())), "{}: {}", lines.len(), run.stderr);
}

#[test]
fn pipes_and_devices_cannot_be_resumed() {
    let desk = desk_of(1);
    for out in ["-", "/dev/stdout", "/dev/null"] {
        let run = check(&desk, &["--out", out, "--resume"]);
        let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
        assert_eq!((run.code, run.stderr.lines().count(), run.stdout.as_str()), (Some(3), 1, ""), "{}", run.stderr);
        assert!(error.contains("--resume") && error.contains(out), "{error}");
    }
    let both = check(&desk, &["--out", "-", "--stats", "/dev/stdout"]);
    assert!(both.code == Some(3) && both.stderr.contains("--out and --stats"), "{}", both.stderr);
}

#[test]
fn other_commands_write_their_lines_to_the_standard_output() {
    let desk = desk_of(1);
    desk.put("q.csv", "0,1,0,1,0,1\n".repeat(800));
    desk.put("job.json", json!({"robot": "robot.urdf", "scene": "scene.obj", "motions": "motions.npy"}).to_string());
    for arguments in
        [&["elementary", "--queries", "q.csv", "--kind", "vf"][..], &["tolerance", "job.json", "--backend", "cpu"]]
    {
        let file = desk.run(&[arguments, &["--out", "file"]].concat());
        let text = desk.text("file");
        let run = desk.run(&[arguments, &["--out", "-"]].concat());
        assert!(file.code.is_some_and(|code| code < 3) && run.code == file.code, "{}", run.stderr);
        assert!(run.stdout == text && !text.is_empty(), "{}", run.stdout);
        assert_eq!(run.stderr.lines().count(), file.stdout.lines().count(), "{}", run.stderr);
        assert!(!desk.path("-").exists());
    }
}
