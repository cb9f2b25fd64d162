//! A full disk: the answers written so far are kept, up to the last whole line, and the run can be continued.
#![cfg(unix)]

use super::interrupt::desk_of;
use super::{Desk, Run};
use serde_json::Value;
use std::process::{Command, Stdio};

const MANY: usize = 4000;

const CHECK: &str = "check --backend cpu --robot robot.urdf --scene scene.obj --motions motions.npy";

/// Runs a script in which `$1` is the program.
fn script(desk: &Desk, wrapper: &[&str], text: &str) -> Run {
    // The program's own command has the environment that tests need.
    let program = desk.command(&[]);
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).args(["sh", "-c", text, "sh"]).arg(program.get_program());
    command.current_dir(desk.path("")).stdin(Stdio::null()).env("XDG_RUNTIME_DIR", desk.path(""));
    Run::new(command.output().unwrap_or_else(|e| panic!("{wrapper:?}: {e}")))
}

/// Answers of an undisturbed run.
fn whole(desk: &Desk) -> String {
    let run = script(desk, &["env"], &format!("\"$1\" {CHECK} --out undisturbed"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    desk.text("undisturbed")
}

/// One error with the name of the part file and the remedy.
#[track_caller]
fn kept(run: &Run, part: &str) {
    let [error] = run.errors()[..] else { panic!("{:?} {}", run.code, run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count(), run.stdout.as_str()), (Some(3), 1, ""), "{}", run.stderr);
    assert!(error.contains("cannot write") && error.contains(part) && error.contains("--resume"), "{error}");
}

/// Runs the program while no file may grow beyond some blocks of 512 bytes.
fn limited(desk: &Desk, blocks: u32, arguments: &str) -> Run {
    // Some shells count in blocks of 1,024 bytes. The signal XFSZ would end the program; ignored, it becomes an error.
    script(desk, &["env"], &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$1\" {arguments}"))
}

#[test]
fn answers_before_a_full_disk_are_kept_and_resumed() {
    let desk = desk_of(MANY);
    let whole = whole(&desk);
    // Too small for the first buffer, for some of them, and for the last one.
    let last = whole.len() / 512;
    for blocks in [4, 64, 200, last as u32 / 2, last as u32] {
        let run = limited(&desk, blocks, &format!("{CHECK} --out out/results"));
        if run.code == Some(1) {
            assert!(blocks >= last as u32 / 2, "{blocks} of {last}: nothing was limited");
            continue;
        }
        kept(&run, "out/results.part");
        let part = desk.text("out/results.part");
        assert!(part.len() > 400 && part.ends_with('\n') && whole.starts_with(&part), "{blocks}: {}", part.len());
        assert_eq!(desk.names().iter().filter(|name| name.starts_with("out/")).count(), 2, "{:?}", desk.names());
        // Still full.
        kept(&limited(&desk, blocks, &format!("{CHECK} --out out/results --resume")), "out/results.part");
        assert!(desk.text("out/results.part").starts_with(&part));
        let run = script(&desk, &["env"], &format!("\"$1\" {CHECK} --out out/results --resume --stats stats.json"));
        run.expect(1);
        assert!(desk.text("out/results") == whole, "{blocks}");
        let stats: Value = serde_json::from_str(&desk.text("stats.json")).unwrap();
        assert!(stats["resumed"].as_u64() >= Some(part.lines().count() as u64), "{stats}");
        assert!(!desk.names().iter().any(|name| name.contains(".part")), "{:?}", desk.names());
        std::fs::remove_dir_all(desk.path("out")).unwrap();
    }
}

/// Without any answer no partial file is kept.
#[test]
fn a_run_without_answers_leaves_no_files() {
    let desk = desk_of(MANY);
    let before = desk.names();
    let run = limited(&desk, 0, &format!("{CHECK} --out out/results"));
    assert!(run.code == Some(3) && run.errors().len() == 1 && !run.stderr.contains("--resume"), "{}", run.stderr);
    assert_eq!(desk.names(), before);
}

/// Commands that cannot resume leave no partial file, and an older file unchanged.
#[test]
fn commands_that_cannot_resume_leave_no_files() {
    let desk = desk_of(1);
    desk.put("q.csv", "0,1,0,1,0,1\n".repeat(8000)).put("results", "old\n");
    desk.put("job.json", include_str!("../../examples/scenes/figure7.json"));
    let before = desk.names();
    for arguments in ["elementary --queries q.csv --kind vf --out results", "track job.json --out tracks"] {
        let run = limited(&desk, 8, arguments);
        assert!(run.code == Some(3) && run.errors().len() == 1, "{arguments}: {:?} {}", run.code, run.stderr);
        assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
        assert_eq!((desk.names(), desk.text("results").as_str()), (before.clone(), "old\n"), "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let desk = desk_of(10);
    let run = script(&desk, &["env"], &format!("exec \"$1\" {CHECK} --out /dev/full"));
    assert!(run.code == Some(3) && run.errors().len() == 1, "{:?} {}", run.code, run.stderr);
    assert!(run.stderr.contains("No space left") && !run.stderr.contains("--resume"), "{}", run.stderr);
}

/// A real small disk, if the system allows one: a file system in memory that only the program sees.
#[cfg(target_os = "linux")]
#[test]
fn a_run_resumes_after_a_small_disk_was_full() {
    let wrappers: [&[&str]; 2] = [&["unshare", "--mount"], &["unshare", "--user", "--map-root-user", "--mount"]];
    let desk = desk_of(MANY);
    std::fs::create_dir(desk.path("out")).unwrap();
    let works = |wrapper: &&&[&str]| {
        let mut mount = Command::new(wrapper[0]);
        mount.args(&wrapper[1..]).args(["mount", "-t", "tmpfs", "tmpfs"]).arg(desk.path("out"));
        mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let Some(wrapper) = wrappers.iter().find(works) else {
        println!("skipped: the system allows no file system in memory");
        return;
    };
    let whole = whole(&desk);
    let run = script(
        &desk,
        wrapper,
        &format!(
            "set -u; mount -t tmpfs -o size=256k tmpfs out || exit 99
             \"$1\" {CHECK} --out out/results 2>first; echo $? >code; ls out >names; cp out/results.part part
             \"$1\" {CHECK} --out out/results --resume 2>second; echo $? >>code
             mount -o remount,size=64m out || exit 99
             \"$1\" {CHECK} --out out/results --resume 2>third >/dev/null; echo $? >>code
             cp out/results results; ls -A out >>names"
        ),
    );
    assert_eq!((run.code, run.stderr.as_str(), desk.text("code").as_str()), (Some(0), "", "3\n3\n1\n"));
    for errors in [desk.text("first"), desk.text("second")] {
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.contains("No space left") && errors.contains("results.part; once"), "{errors}");
    }
    assert_eq!(desk.text("third"), "");
    assert_eq!(desk.text("names"), "results.part\nresults.part.json\nresults\n");
    let part = desk.text("part");
    assert!(part.len() > 100_000 && part.ends_with('\n') && whole.starts_with(&part), "{}", part.len());
    assert!(desk.text("results") == whole);
}
