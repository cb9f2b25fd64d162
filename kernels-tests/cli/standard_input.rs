//! Motions on the standard input, from pipes and from devices.

use super::motion_formats::{VALUES, slides, wall};
use super::{Desk, Run};
use crate::inputs::arrays::{names, npy, zip};
use std::io::Write;
use std::process::{Command, Stdio};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slides()).put("scene.obj", wall());
    desk
}

fn command(desk: &Desk, motions: &str, more: &[&str]) -> Command {
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", motions, "--out", "results"];
    desk.command(&[&["check", "--backend", "cpu"], &files[..], more].concat())
}

/// Runs the command with these bytes piped to its standard input.
fn piped(desk: &Desk, motions: &str, input: &[u8], more: &[&str]) -> Run {
    fed(command(desk, motions, more), input)
}

fn fed(mut command: Command, input: &[u8]) -> Run {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // The program may stop reading early.
    let _ = pipe.write_all(input);
    drop(pipe);
    Run::new(child.wait_with_output().unwrap())
}

/// The same motions in each format, 3 of them.
fn streams() -> Vec<Vec<u8>> {
    let array = npy("<f8", false, &[3, 2, 2], &VALUES);
    let single = npy(">f4", true, &[3, 2, 2], &VALUES);
    let joints = names(&["a", "b"]);
    vec![
        array.clone(),
        single.clone(),
        zip(&[("positions.npy", &single), ("joint_names.npy", &joints)], true),
        zip(&[("arr_0.npy", &array)], false),
        b"a,b\n0,1\n5,2\n\n0,0\n3,3\n\n1,0\n2,3\n".to_vec(),
        br#" {"joints": ["b", "a"], "motions": [[[1, 0], [2, 5]], [[0, 0], [3, 3]], [[0, 1], [3, 2]]]}"#.to_vec(),
    ]
}

fn expected(desk: &Desk) -> String {
    desk.put("m.npy", &streams()[0]);
    assert_eq!(command(desk, "m.npy", &[]).status().unwrap().code(), Some(1));
    desk.text("results")
}

#[test]
fn every_format_is_read_from_the_standard_input() {
    let desk = desk();
    let expected = expected(&desk);
    for (i, stream) in streams().iter().enumerate() {
        let run = piped(&desk, "-", stream, &[]);
        assert_eq!((run.code, run.stderr.as_str(), desk.text("results") == expected), (Some(1), "", true), "{i}");
    }
    // A file as the standard input, and its name as a device.
    for name in if cfg!(unix) { &["-", "/dev/stdin"][..] } else { &["-"] } {
        for (i, stream) in streams().iter().enumerate() {
            desk.put("stream", stream);
            let file = std::fs::File::open(desk.path("stream")).unwrap();
            let run = Run::new(command(&desk, name, &[]).stdin(file).output().unwrap());
            assert_eq!((run.code, desk.text("results") == expected), (Some(1), true), "{name} {i}: {}", run.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_read_by_name() {
    let desk = desk();
    let expected = expected(&desk);
    for (i, stream) in streams().into_iter().enumerate() {
        let run = piped(&desk, "/dev/stdin", &stream, &[]);
        assert_eq!((run.code, desk.text("results") == expected), (Some(1), true), "{i}: {}", run.stderr);
        // A pipe's name may or may not have an extension.
        let name = if i < 2 { "pipe.npy" } else { "pipe" };
        let pipe = desk.path(name);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::write(pipe, stream).unwrap()
        });
        let run = Run::new(command(&desk, name, &[]).output().unwrap());
        assert_eq!((run.code, desk.text("results") == expected), (Some(1), true), "{i}: {}", run.stderr);
        writer.join().unwrap();
        std::fs::remove_file(pipe).unwrap();
    }
}

#[test]
fn wrong_input_is_an_error_that_names_it() {
    let desk = desk();
    let array = &streams()[0];
    for (input, word) in [
        (&b""[..], "it is empty"),
        (b"\0\0\0", "neither .npy, .npz, .json nor .csv"),
        (&array[..array.len() - 1], "the file has 95: truncated or damaged"),
        (&[&array[..], b"x"].concat(), "the file has 97: truncated or damaged"),
        (&array[..50], "truncated"),
        (b"a,b\n0,0\n", "a start but no end"),
        (b"{\"joints\": [\"a\"], \"motions\": []}", "joint 'b' (--missing-joints"),
    ] {
        let before = desk.names();
        let run = piped(&desk, "-", input, &[]);
        let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
        assert_eq!((run.code, run.stderr.lines().count()), (Some(3), 1), "{}", run.stderr);
        assert!(error.contains("standard input: ") && error.contains(word), "{word}: {error}");
        assert_eq!(desk.names(), before);
    }
}

/// Input larger than the memory is stored in a file, and read again: answers are the same.
#[test]
fn a_stream_may_be_larger_than_the_memory() {
    let desk = desk();
    let values: Vec<f64> = (0..8_000).flat_map(|_| VALUES).collect();
    let array = npy("<f8", false, &[24_000, 2, 2], &values);
    desk.put("m.npy", &array);
    let more = ["--mode", "verdict", "--memory", "200kB"];
    assert_eq!(command(&desk, "m.npy", &more).output().unwrap().status.code(), Some(1));
    let expected = desk.text("results");
    assert_eq!(piped(&desk, "-", &array, &more).code, Some(1));
    assert!(desk.text("results") == expected);
    // A format that is read as a whole has to fit.
    let rows = "0,1\n5,2\n".repeat(50_000);
    let run = piped(&desk, "-", format!("a,b\n{rows}").as_bytes(), &more);
    assert!(run.code == Some(3) && run.errors()[0].contains("--memory"), "{}", run.stderr);
}

/// The hash is that of the motions, not of their source.
#[cfg(unix)]
#[test]
fn a_run_on_the_standard_input_is_resumed() {
    use super::interrupt::{desk_of, signal, start};
    const MANY: usize = 40_000;
    let desk = desk_of(MANY);
    let child = start(&desk, "cpu");
    signal(&child, "INT");
    assert_eq!(Run::new(child.wait_with_output().unwrap()).code, Some(130));
    let part = desk.text("out/results.part");
    let array = std::fs::read(desk.path("motions.npy")).unwrap();
    let mut other = array.clone();
    let last = other.len() - 3;
    other[last] ^= 1;
    let resumed = |input: &[u8]| {
        let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "-", "--out", "out/results"];
        fed(desk.command(&[&["check", "--backend", "cpu", "--resume"], &files[..]].concat()), input)
    };
    let run = resumed(&other);
    assert!(run.code == Some(3) && run.errors()[0].contains("differs in: motions"), "{}", run.stderr);
    let run = resumed(&array);
    assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{}", run.stderr);
    let whole = desk.text("out/results");
    assert!(whole.starts_with(&part) && whole.lines().count() == MANY);
}
