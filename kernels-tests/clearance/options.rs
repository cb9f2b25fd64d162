//! Values of the options that are not valid: one message that names the option, exit code 3, and no output.

use crate::cli::Checked;
use crate::trajectories::case::Case;
use crate::trajectories::corners::{path, tip, wall};

fn case() -> Case {
    Case::new(&tip(), vec![wall("wall", 1.75)])
}

fn check(case: &Case, more: &[&str]) -> Checked {
    case.check(&[path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]])], more)
}

/// Expects that valid values are accepted.
#[track_caller]
fn accepted(case: &Case, more: &[&str]) {
    let checked = check(case, more);
    assert_eq!((checked.run.code, checked.run.stderr.as_str()), (Some(0), ""), "{more:?}");
    assert!(checked.lines[0].get("clearance").is_some(), "{more:?}");
    ["results.jsonl", "stats.json"].into_iter().for_each(|f| std::fs::remove_file(case.desk.path(f)).unwrap());
}

#[track_caller]
fn refused(case: &Case, more: &[&str], words: &[&str]) {
    let checked = check(case, more);
    let (run, n_errors) = (&checked.run, checked.run.errors().len());
    assert_eq!((run.code, n_errors), (Some(3), 1), "{more:?}: {}", run.stderr);
    assert!(words.iter().all(|word| run.errors()[0].contains(word)), "{words:?}: {}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    for file in ["results.jsonl", "results.jsonl.part", "stats.json"] {
        assert!(!case.desk.path(file).exists(), "{more:?}: {file} is left");
    }
}

#[test]
fn invalid_tolerances_are_refused() {
    let case = case();
    accepted(&case, &["--clearance=1e-4"]);
    for value in ["-1e-4", "-0.5", "0", "-0", "NaN", "nan", "inf", "-inf", "abc", "1e-4m", "1,5", ""] {
        refused(&case, &[&format!("--clearance={value}")], &["--clearance"]);
    }
}

#[test]
fn invalid_limits_are_refused() {
    let case = case();
    accepted(&case, &["--clearance", "1e-4", "--clearance-limit=0.5"]);
    for value in ["-1", "-1e-9", "NaN", "-inf", "far", ""] {
        refused(&case, &["--clearance", "1e-4", &format!("--clearance-limit={value}")], &["--clearance-limit"]);
    }
    // A limit of what is not asked for.
    refused(&case, &["--clearance-limit", "0.2"], &["--clearance"]);
}

/// A clearance cannot be combined with joint tolerances.
#[test]
fn no_clearance_within_tubes() {
    let case = case();
    case.desk.put("tube.json", r#"{"x": 0.01, "y": 0.01}"#);
    for tolerance in ["0.01", "tube.json"] {
        let more = ["--clearance", "1e-4", "--joint-tolerance", tolerance];
        refused(&case, &more, &["--clearance", "--joint-tolerance"]);
    }
}

#[test]
fn an_option_given_twice() {
    let case = case();
    accepted(&case, &["--clearance", "1e-4"]);
    refused(&case, &["--clearance", "1e-4", "--clearance", "1e-3"], &["--clearance"]);
}

/// Values at the ends of the valid ranges.
#[test]
fn extreme_values() {
    let case = case();
    for (more, widest) in [
        (&["--clearance", "1e6"][..], 1e6),
        (&["--clearance", "0.5"], 0.5),
        (&["--clearance", "1e-4", "--clearance-limit", "1e9"], 1e-4),
    ] {
        let checked = check(&case, more);
        assert_eq!(checked.run.code, Some(0), "{more:?}: {}", checked.run.stderr);
        let ends = crate::cli::numbers(&checked.lines[0]["clearance"]["distance_m"]);
        let is_around = 0.0 <= ends[0] && ends[0] <= 0.25 && ends[1] >= 0.25 - 1e-15;
        assert!(is_around && ends[1] - ends[0] <= widest * (1.0 + 1e-12), "{more:?}: {ends:?}");
    }
}
