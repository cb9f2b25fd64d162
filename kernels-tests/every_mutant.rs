//! Shows that every mutant of [`mutants`] dies: a program of its own, because it takes minutes. `.ci/mutants` runs it.
//!
//! All mutants are put into one copy of the sources, each behind a switch, so that one build serves them all. Then each
//! listed test runs once without a mutant, which must pass, and once with each of its mutants, which must fail.

mod mutants;

use mutants::{Mutant, VERIFIER, files, mutants, root, switched};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The environment variable that selects the mutant to switch on.
const SWITCH: &str = "FIRSTCONTACT_MUTANT";
/// The environment variable that selects the mutants to run.
const WANTED: &str = "FIRSTCONTACT_MUTANTS";
/// Code that is added to the copy of the library.
const SWITCHED: &str = r#"
#[doc(hidden)]
pub fn mutant(k: usize) -> bool {
    static ON: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var("FIRSTCONTACT_MUTANT").ok().and_then(|k| k.parse().ok()).unwrap_or(usize::MAX))
        == k
}
"#;
/// A mutant that makes a test run longer than this counts as killed.
const PATIENCE: Duration = Duration::from_secs(300);

/// Copies everything that a build needs.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (name, to) = (entry.file_name(), to.join(entry.file_name()));
        if name == "target" || name.to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Test programs: the unit tests of the library, the tests of this folder, the unit tests of three other crates, and
/// the tests and unit tests of the interface for C.
const PROGRAMS: usize = 7;

/// The number of the test program that has a test, and the name of the test there. Unit tests of the command begin with
/// `cli::`, those of data sets with `datasets::`, those of the verifier of certificates with `verifier::`, all tests of
/// the interface for C with `c::`.
fn program(test: &str) -> (usize, &str) {
    if let Some(test) = test.strip_prefix("c::") {
        return (if test.contains("::tests::") { 6 } else { 5 }, test);
    }
    if !test.contains("::tests::") {
        return (1, test);
    }
    let of = |krate: &str| test.strip_prefix(krate);
    let others = [("cli::", 2), ("datasets::", 3), ("verifier::", 4)];
    others.into_iter().find_map(|(name, number)| Some((number, of(name)?))).unwrap_or((0, test))
}

/// Builds the test programs of the copy.
fn build(tree: &Path, target: &Path) -> [PathBuf; PROGRAMS] {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "test",
        "--release",
        "--no-run",
        "--workspace",
        "--exclude=firstcontact-python",
        "--lib",
        "--bins",
        "--test=kernels-tests",
        "--test=interface",
        "--message-format=json",
    ]);
    let out = command.current_dir(tree).env("CARGO_TARGET_DIR", target).stderr(Stdio::inherit()).output().unwrap();
    let mut programs = std::array::from_fn(|_| PathBuf::new());
    for line in String::from_utf8(out.stdout).unwrap().lines() {
        let told: serde_json::Value = serde_json::from_str(line).unwrap();
        if told["message"]["level"] == "error" {
            eprintln!("{}", told["message"]["rendered"].as_str().unwrap_or_default());
        }
        let (Some(name), Some(program)) = (told["target"]["name"].as_str(), told["executable"].as_str()) else {
            continue;
        };
        match name {
            "kernels-tests" => programs[1] = program.into(),
            "firstcontact_datasets" => programs[3] = program.into(),
            "firstcontact_verifier" => programs[4] = program.into(),
            "interface" => programs[5] = program.into(),
            "firstcontact_c" => programs[6] = program.into(),
            "firstcontact" if told["target"]["kind"][0] == "lib" => programs[0] = program.into(),
            // The program itself is built too, for the tests that run it.
            "firstcontact" if told["profile"]["test"] == true => programs[2] = program.into(),
            _ => {}
        }
    }
    assert!(out.status.success(), "the mutants do not build");
    assert!(programs.iter().all(|p: &PathBuf| p.exists()), "{programs:?}");
    programs
}

/// Runs a test with a mutant switched on, or with none. True if it passes.
fn passes(programs: &[PathBuf; PROGRAMS], tree: &Path, test: &str, mutant: Option<usize>) -> bool {
    let (number, name) = program(test);
    let mut command = Command::new(&programs[number]);
    command
        .args(["--exact", name])
        .current_dir(tree)
        .env_remove(SWITCH)
        .env_remove("FIRSTCONTACT_SKIPPED")
        .env("FIRSTCONTACT_EFFORT", "ci");
    if let Some(k) = mutant {
        command.env(SWITCH, k.to_string());
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn main() {
    let tree = root().join("target/mutants/tree");
    let _ = fs::remove_dir_all(&tree);
    copy(root(), &tree);
    for file in files() {
        let text = switched(file, &fs::read_to_string(root().join(file)).unwrap()).unwrap();
        fs::write(tree.join(file), text).unwrap();
    }
    for library in ["src/lib.rs".to_string(), format!("{VERIFIER}src/lib.rs")] {
        let library = tree.join(library);
        let text = fs::read_to_string(&library).unwrap() + SWITCHED;
        fs::write(&library, text).unwrap();
    }
    let programs = build(&tree, &root().join("target/mutants/build"));
    let wanted = std::env::var(WANTED).unwrap_or_default();
    let is_wanted = |m: &Mutant| wanted.split(',').any(|name| m.file.contains(name) || m.test.contains(name));
    let chosen = || mutants().enumerate().filter(|(_, m)| is_wanted(m));
    let mut tests: Vec<&str> = chosen().map(|(_, m)| m.test).collect();
    assert!(!tests.is_empty(), "no mutant has '{wanted}' in the name of its file or test");
    tests.sort_unstable();
    tests.dedup();
    for test in tests {
        assert!(passes(&programs, &tree, test, None), "{test} fails without any mutant");
    }
    let (mut table, mut alive) = (String::new(), Vec::new());
    for (k, m) in chosen() {
        let survives = passes(&programs, &tree, m.test, Some(k));
        let (file, verdict) = (m.file.trim_start_matches("src/"), if survives { "**LIVES**" } else { "dies" });
        writeln!(table, "| {} | `{file}` | `{}` | {verdict} |", m.term, m.test).unwrap();
        alive.extend(survives.then_some(format!("{k}: {}", m.term)));
    }
    println!(
        "| term | file | test | |\n|---|---|---|---|\n{table}\n{} mutants, {} live",
        chosen().count(),
        alive.len()
    );
    assert!(alive.is_empty(), "{alive:#?}");
}
