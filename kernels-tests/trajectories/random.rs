//! Seeded arms among scattered triangles, along trajectories of all styles.

use super::answers::{Answer, Tally};
use super::case::{Case, read};
use super::curve::Trajectory;
use super::draw::{self, Style};
use super::judge::{self, Agreement};
use super::walk::Outcome;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use rayon::prelude::*;

/// Trajectories of one robot.
const PER_CASE: usize = 25;

pub fn case(seed: u64, n: usize) -> (Case, Vec<Trajectory>) {
    let mut draw = Draw::new(seed);
    let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw));
    let all = draw::trajectories(&mut draw, &case.course, n);
    (case, all)
}

/// The oracle's outcomes and the program's answers. Panics if the oracle finds a fault in an answer.
fn judged(case: &Case, all: &[Trajectory], more: &[&str], seed: u64) -> (Vec<Outcome>, Vec<Answer>) {
    let (seen, answers) = (case.walk(all), case.answers(all, more));
    assert_eq!(judge::faults(&case.course, all, &seen, &answers), [""; 0], "seed {seed}, {more:?}");
    (seen, answers)
}

fn campaign(n_cases: usize, more: &[&str]) {
    let (mut tally, mut agreement) = (Tally::default(), Agreement::default());
    for seed in 0..n_cases as u64 {
        let (case, all) = case(2300 + seed, PER_CASE);
        let (seen, answers) = judged(&case, &all, more, seed);
        tally.add(&answers);
        agreement.add(&seen, &answers);
    }
    agreement.require();
    tally.require(&format!("random trajectories {more:?}"));
}

#[test]
fn random_trajectories() {
    campaign(effort(12, 800), &[]);
}

#[test]
fn random_trajectories_by_interval_matrices() {
    campaign(effort(4, 100), &["--bound", "interval"]);
}

/// In a long interval the remainder of a strongly bent curve is larger than its travel. Unlike rounding it decreases in
/// shorter intervals, which separate the triangles.
#[test]
fn curves_that_bend_more_than_they_travel() {
    let seed = 74;
    let (case, all) = case(2300 + seed, PER_CASE);
    judged(&case, &all[6..7], &["--bound", "interval"], seed);
}

#[test]
fn random_trajectories_on_the_gpu() {
    if !gpu::skip() {
        campaign(effort(2, 80), &["--backend", "gpu"]);
        campaign(effort(2, 20), &["--backend", "gpu", "--bound", "interval"]);
    }
}

/// Arms with a free root that follows straight segments and turns at a constant rate in each of them.
#[test]
fn a_free_root_along_straight_segments() {
    let (mut tally, mut agreement) = (Tally::default(), Agreement::default());
    for seed in 0..effort(6, 150) as u64 {
        let mut draw = Draw::new(2200 + seed);
        let case = Case::new(&draw::flying_arm(&mut draw), draw::objects(&mut draw));
        let n_segments = 1 + draw.below(8);
        let all: Vec<_> = (0..PER_CASE).map(|_| draw::flight(&mut draw, &case.course, n_segments)).collect();
        let (seen, answers) = (case.walk(&all), read(&case.check_array(&all, &[]), &all));
        assert_eq!(judge::faults(&case.course, &all, &seen, &answers), [""; 0], "seed {seed}");
        tally.add(&answers);
        agreement.add(&seen, &answers);
    }
    agreement.require();
    tally.require("a free root");
}

/// Single straight segments in arrays: motions, with links against each other, or with a margin.
#[test]
fn motions_of_two_waypoints() {
    let (mut tally, mut agreement) = (Tally::default(), Agreement::default());
    for seed in 0..effort(if cfg!(debug_assertions) { 4 } else { 12 }, 120) as u64 {
        let mut draw = Draw::new(2100 + seed);
        let mut case = match seed % 4 {
            0 => Case::with_links(&draw::two_arms(&mut draw), vec![]),
            1 => Case::new(&draw::flying_arm(&mut draw), draw::objects(&mut draw)),
            _ => Case::new(&draw::arm(&mut draw), draw::objects(&mut draw)),
        };
        case.course.margin_m = if seed % 4 == 2 { 0.005 } else { 0.0 };
        let one = |_| match seed % 4 {
            1 => draw::flight(&mut draw, &case.course, 1),
            _ => draw::trajectory(&mut draw, &case.course, Style::Straight, 1),
        };
        let all: Vec<_> = (0..PER_CASE).map(one).collect();
        let margin = case.course.margin_m.to_string();
        let (seen, checked) = (case.walk(&all), case.check_array(&all, &["--margin", &margin]));
        let answers = read(&checked, &all);
        assert_eq!(judge::faults(&case.course, &all, &seen, &answers), [""; 0], "seed {seed}");
        tally.add(&answers);
        agreement.add(&seen, &answers);
    }
    agreement.require();
    tally.require("motions of two waypoints");
}

/// By the oracle alone: free trajectories and contacts are common, also in later segments, and in each style.
#[test]
fn both_outcomes_are_common() {
    let n_cases = effort(if cfg!(debug_assertions) { 4 } else { 12 }, 40);
    let (mut contacts, mut later, mut n, mut n_start) = ([0; 5], 0, 0, 0);
    let cases: Vec<_> = (0..n_cases as u64).into_par_iter().map(|seed| case(2300 + seed, PER_CASE)).collect();
    for (case, all) in &cases {
        for (i, outcome) in case.walk(all).iter().enumerate() {
            contacts[i % 5] += usize::from(outcome.hit.is_some());
            later += usize::from(outcome.hit.is_some_and(|h| h.u > 1.0));
            n_start += usize::from(outcome.clear_until == 0.0);
        }
        n += all.len();
    }
    println!(
        "{n} trajectories, contacts by style {contacts:?}, {later} after the first segment, {n_start} at the start"
    );
    assert!(contacts.iter().all(|c| 20 * c > n && 50 * c < 9 * n), "{contacts:?}");
    assert!(3 * later > contacts.iter().sum() && 20 * n_start < n);
}
