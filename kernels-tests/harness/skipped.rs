//! Tests that cannot run here: each is reported where a person sees it, and counted.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::Location;
use std::sync::Mutex;

/// Environment variable with the path of the file to which skipped tests are appended, a line `REASON<tab>TEST` each.
/// `.ci/test` counts them.
const LIST: &str = "FIRSTCONTACT_SKIPPED";

static REPORTED: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());

/// Reports that the running test, or a part of it, is skipped.
///
/// The line is written directly to standard error: the harness shows the output of a test only if the test fails.
#[track_caller]
pub fn report(reason: &str) {
    let test = test(std::thread::current().name(), Location::caller());
    let mut reported = REPORTED.lock().unwrap();
    if !reported.insert((test.clone(), reason.to_string())) {
        return;
    }
    let _ = std::io::stderr().write_all(line(&test, reason).as_bytes());
    if let Some(list) = std::env::var_os(LIST) {
        let mut list = OpenOptions::new().create(true).append(true).open(list).unwrap();
        list.write_all(format!("{reason}\t{test}\n").as_bytes()).unwrap();
    }
}

fn line(test: &str, reason: &str) -> String {
    format!("skipped: {test}: {reason}\n")
}

/// The name of the running test: that of its thread, except with a single test thread, where the place of the call
/// replaces it.
fn test(thread: Option<&str>, caller: &Location) -> String {
    match thread.filter(|name| name.contains("::")) {
        Some(name) => name.to_string(),
        None => format!("{}:{}", caller.file(), caller.line()),
    }
}

#[test]
fn a_line_names_the_test_and_the_reason() {
    let here = test(std::thread::current().name(), Location::caller());
    assert!(here.ends_with("a_line_names_the_test_and_the_reason") || here.contains("skipped.rs:"), "{here}");
    let unnamed = test(Some("main"), Location::caller());
    assert!(unnamed.contains("skipped.rs:"), "{unnamed}");
    assert_eq!(line("cli::info", "no data"), "skipped: cli::info: no data\n");
}

/// The harness discards the output of a test that passes, but not the line of a skipped one.
#[test]
fn a_skipped_test_is_printed_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("skipped.txt");
    let test = "inputs::real::the_bookstore_is_a_room_with_its_things_inside";
    let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
    let run = tests.args(["--exact", test]).env_remove("FIRSTCONTACT_DATA").env(LIST, &list).output().unwrap();
    let seen = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{seen}");
    assert_eq!(seen, format!("skipped: {test}: FIRSTCONTACT_DATA is not set\n"));
    assert_eq!(std::fs::read_to_string(&list).unwrap(), format!("FIRSTCONTACT_DATA is not set\t{test}\n"));
}
