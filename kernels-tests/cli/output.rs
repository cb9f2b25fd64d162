//! Destination of the answers, and treatment of existing files.

#[cfg(unix)]
use super::Run;
use super::{CUBE, Desk, slider, walls};

/// A folder with a robot, a scene and one motion that touches.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.check(&slider(CUBE), &walls(&[("wall", 1.0)]), &[[&[0.0], &[3.6]]], &[]).expect(1);
    std::fs::remove_file(desk.path("results.jsonl")).unwrap();
    std::fs::remove_file(desk.path("stats.json")).unwrap();
    desk
}

const INPUT: [&str; 9] =
    ["check", "--backend", "cpu", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

#[test]
fn answers_replace_older_ones_and_no_temporary_files_remain() {
    let desk = desk();
    let before = desk.names();
    desk.put("results.jsonl", "old\n").put("results.jsonl.part", "older\n".repeat(9999)).put("stats.json", "old");
    let arguments = [&INPUT[..], &["--out", "results.jsonl", "--stats", "stats.json"]].concat();
    desk.run(&arguments).expect(1);
    let first = desk.text("results.jsonl");
    assert!(first.starts_with("{\"motion\":0,") && first.lines().count() == 1, "{first}");
    let mut after = [before, vec!["results.jsonl".into(), "stats.json".into()]].concat();
    after.sort();
    assert_eq!(desk.names(), after);
    // A second run gives the same bytes.
    desk.run(&arguments).expect(1);
    assert_eq!(desk.text("results.jsonl"), first);
}

#[test]
fn statistics_are_written_only_on_request() {
    let desk = desk();
    let run = desk.run(&[&INPUT[..], &["--out", "results.jsonl"]].concat());
    run.expect(1);
    assert!(desk.path("results.jsonl").is_file() && !desk.names().iter().any(|n| n.contains("stats")));
    // Printed text is for people: no answers, no control characters of a progress bar.
    assert!(!run.stdout.is_empty() && !run.stdout.contains("\"motion\""), "{}", run.stdout);
    assert!(run.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", run.stdout);
}

#[test]
fn folders_are_made_and_names_may_be_any() {
    let desk = desk();
    let out = "new folder/ä \u{1F916}/results";
    desk.run(&[&INPUT[..], &["--out", out, "--stats", "other/stats"]].concat()).expect(1);
    assert_eq!(desk.text(out).lines().count(), 1);
    assert!(desk.text("other/stats").starts_with('{'));
}

/// One error with the name of the file, exit code 3, and nothing new anywhere.
#[track_caller]
fn refused(desk: &Desk, outputs: &[&str], named: &str) {
    let before = desk.names();
    let run = desk.run(&[&INPUT[..], outputs].concat());
    let [error] = run.errors()[..] else { panic!("{outputs:?}: {:?} {}", run.code, run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count(), run.stdout.as_str()), (Some(3), 1, ""), "{}", run.stderr);
    assert!(error.contains(named), "{named}: {error}");
    assert_eq!(desk.names(), before, "{outputs:?}");
}

#[test]
fn unwritable_outputs_are_an_error_before_any_work() {
    let desk = desk();
    std::fs::create_dir(desk.path("folder")).unwrap();
    // A folder, a path below a file, and an empty name.
    refused(&desk, &["--out", "folder"], "folder");
    refused(&desk, &["--out", "robot.urdf/results.jsonl"], "robot.urdf/results.jsonl");
    refused(&desk, &["--out", "results.jsonl", "--stats", "folder"], "folder");
    refused(&desk, &["--out", "results.jsonl", "--stats", "robot.urdf/stats.json"], "robot.urdf/stats.json");
    // The results and the statistics must be two files.
    refused(&desk, &["--out", "both.json", "--stats", "both.json"], "both.json");
    refused(&desk, &["--out", "both.json", "--stats", "./both.json"], "both.json");
}

/// A socket cannot be replaced by moving a file there, and nothing can be written to it either.
#[cfg(unix)]
#[test]
fn sockets_are_not_replaced() {
    let desk = desk();
    let _socket = std::os::unix::net::UnixListener::bind(desk.path("socket")).unwrap();
    refused(&desk, &["--out", "socket"], "socket");
    refused(&desk, &["--out", "results.jsonl", "--stats", "socket"], "socket");
    use std::os::unix::fs::FileTypeExt;
    assert!(std::fs::metadata(desk.path("socket")).unwrap().file_type().is_socket());
}

/// The printed summary is lost if it cannot be written; the answers and the exit code are not.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_does_not_change_the_exit_code() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let desk = desk();
    let check = [&INPUT[..], &["--out", "results.jsonl"]].concat();
    let missing = [&check[..], &["--allow", "missing.txt"]].concat();
    let strict: [&str; 4] = ["info", "--json", "--robot", "robot.urdf"];
    for (arguments, code) in [
        (&check[..], 1),
        (&missing, 3),
        (&strict, 0),
        (&["info"], 0),
        (&["dataset", "list"], 0),
        (&["--help"], 0),
        (&["no"], 3),
    ] {
        for streams in [[true, false], [false, true], [true, true]] {
            let mut command = desk.command(arguments);
            if streams[0] {
                command.stdout(full());
            }
            if streams[1] {
                command.stderr(full());
            }
            let run = Run::new(command.output().unwrap());
            assert_eq!(run.code, Some(code), "{arguments:?} {streams:?}: {}", run.stderr);
            assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        }
    }
    assert_eq!(desk.text("results.jsonl").lines().count(), 1);
}
