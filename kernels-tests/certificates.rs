//! Certificates: the command makes one for every answer, and the verifier, which shares no code with the engine,
//! derives the statement from the same files and options and accepts it.
//!
//! | module | |
//! |---|---|
//! | [`random`] | seeded robots and scenes: links, trajectories, tolerances, margins, free joints |
//! | [`real`] | the pool with known truth, and real robots with their own links |
//! | [`statements`] | certificates of another statement, other inputs or another file are refused |
//! | [`lies`] | no certificate can be made for a motion with a contact |
//! | [`corruptions`] | 10,000 changes of certificates are refused, or are proofs nevertheless |
//! | [`second`] | the verifier in Python agrees |
//! | [`options`], [`folders`] | options that do not go together, outputs, answers, and the Merkle root |

mod corruptions;
mod folders;
mod lies;
mod options;
mod random;
mod real;
mod second;
mod statements;

use crate::cli::{Desk, Run};
use serde_json::Value;

/// The file of certificates.
const FILE: &str = "answers.fccert";

/// The certificates of a run.
struct Made {
    /// The statistics of `check`.
    stats: Value,
    /// The lines of `check`.
    lines: Vec<Value>,
}

/// Checks with certificates.
#[track_caller]
fn made(desk: &Desk, files: &[&str], options: &[&str]) -> Made {
    for name in ["results.jsonl", "stats.json", FILE] {
        let _ = std::fs::remove_file(desk.path(name));
    }
    let checked = desk.check_paths(files, &[options, &["--certificates", FILE]].concat());
    assert!(checked.run.code.is_some_and(|code| code < 3), "{}", checked.run.stderr);
    Made { stats: checked.stats, lines: checked.lines }
}

/// Verifies certificates.
fn verify(desk: &Desk, files: &[&str], options: &[&str]) -> Run {
    desk.run(&[&["verify", FILE], files, options].concat())
}

/// Checks with certificates and verifies them: every answer has one, and they prove what the answers say.
#[track_caller]
fn verified(desk: &Desk, files: &[&str], options: &[&str]) -> Made {
    let made = made(desk, files, options);
    assert_eq!(made.stats["certificates"]["made"], made.lines.len(), "{}", made.stats["certificates"]);
    let only_of_check = ["--backend", "cpu", "gpu", "--mode", "verdict", "--bound", "interval"];
    let same: Vec<&str> = options.iter().filter(|option| !only_of_check.contains(option)).copied().collect();
    let root = made.stats["merkle_root"].as_str().unwrap();
    let run = verify(desk, files, &[&same[..], &["--results", "results.jsonl", "--merkle-root", root]].concat());
    assert_eq!(run.code, Some(0), "{options:?}: {}{}", run.stdout, run.stderr);
    let proved = |line: &Value| line["proved"] == true;
    let count = |f: &dyn Fn(&Value) -> bool| made.lines.iter().filter(|line| f(line)).count();
    let free = count(&|line| line["verdict"] == "free");
    let contacts = count(&|line| line["verdict"] == "contact" && proved(line));
    assert!(run.stdout.contains(&format!("valid: {free} ")), "{free} free: {}", run.stdout);
    let said: usize = number_before(&run.stdout, " have a contact");
    // A contact that just grazes may have no witness with strict signs.
    assert!(said <= contacts && said + contacts / 50 >= contacts, "{contacts} contacts: {}", run.stdout);
    made
}

/// The number that ends before a text.
fn number_before(text: &str, after: &str) -> usize {
    let before = text.split(after).next().unwrap();
    before.rsplit(' ').next().unwrap().parse().unwrap()
}
