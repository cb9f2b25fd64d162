//! Tests that need more than one module, and the independent oracles that they use.

// Test helpers may unwrap, as the tests themselves do.
#![allow(clippy::unwrap_used)]

mod acm;
mod any_contact;
mod certificates;
mod clearance;
mod cli;
mod datasets;
mod elementary;
mod executed;
mod extremal;
mod faults;
mod forest;
mod gpu_overflow;
mod ground_truth;
mod harness;
mod inputs;
mod layout;
mod link_pairs;
mod lss;
mod margin_probe;
mod mutants;
mod obb;
mod oracle;
mod pages;
mod public_api;
mod public_robots;
mod random_models;
mod s1_concat;
mod s2_bound;
mod s3_cull;
mod s4_sweep;
mod s4_sweep_paper;
mod s4_sweep_raster;
mod s5_pairs;
mod s6_solve;
mod shared_engines;
mod sharing;
mod solids;
mod stream;
mod toleranced;
mod trajectories;
mod warm_engine;

/// The amount of work: `ci` unless the environment variable `FIRSTCONTACT_EFFORT` is `full`.
fn effort<T>(ci: T, full: T) -> T {
    if std::env::var_os("FIRSTCONTACT_EFFORT").is_some_and(|e| e == "full") { full } else { ci }
}

/// The part of a long campaign that this process runs: `[i, n]`, every n-th case from number i on, if the environment
/// variable `FIRSTCONTACT_PART` is `i/n`; all cases by default.
fn part() -> [usize; 2] {
    let Ok(text) = std::env::var("FIRSTCONTACT_PART") else { return [0, 1] };
    let numbers = text.split_once('/').and_then(|(i, n)| Some([i.parse().ok()?, n.parse().ok()?]));
    numbers.filter(|[i, n]| i < n).unwrap_or_else(|| panic!("FIRSTCONTACT_PART is not i/n with i below n: {text}"))
}

/// Keeps the cases of this process's [`part`].
fn keep_part<T>(cases: &mut Vec<T>) {
    let ([i, n], mut numbers) = (part(), 0..cases.len());
    cases.retain(|_| numbers.next().is_some_and(|number| number % n == i));
}
