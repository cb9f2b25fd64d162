//! A mechanism of two arms against itself, along trajectories of all styles.

use super::answers::Tally;
use super::case::Case;
use super::curve::Trajectory;
use super::draw;
use super::judge::{self, Agreement};
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;

/// Two arms, in an empty world or among objects.
fn case(seed: u64, has_objects: bool) -> (Case, Vec<Trajectory>) {
    let mut draw = Draw::new(seed);
    let mut objects = draw::objects(&mut draw);
    objects.truncate(2 * usize::from(has_objects));
    let case = Case::with_links(&draw::two_arms(&mut draw), objects);
    let all = draw::trajectories(&mut draw, &case.course, 15);
    (case, all)
}

fn campaign(n_cases: usize, has_objects: bool, more: &[&str]) {
    let (mut tally, mut agreement) = (Tally::default(), Agreement::default());
    for seed in 0..n_cases as u64 {
        let (case, all) = case(7000 + seed, has_objects);
        let (seen, answers) = (case.walk(&all), case.answers(&all, more));
        assert_eq!(judge::faults(&case.course, &all, &seen, &answers), [""; 0], "seed {seed}");
        tally.add(&answers);
        agreement.add(&seen, &answers);
    }
    agreement.require();
    tally.require(&format!("two arms, objects {has_objects}, {more:?}"));
}

#[test]
fn two_arms_against_each_other() {
    campaign(effort(10, 300), false, &[]);
}

#[test]
fn two_arms_among_objects() {
    campaign(effort(4, 100), true, &[]);
}

#[test]
fn two_arms_by_interval_matrices() {
    campaign(effort(3, 60), false, &["--bound", "interval"]);
}

#[test]
fn two_arms_on_the_gpu() {
    if !gpu::skip() {
        campaign(effort(2, 40), false, &["--backend", "gpu"]);
    }
}

/// By the oracle alone.
#[test]
fn both_outcomes_of_two_arms_are_common() {
    let n_cases = effort(if cfg!(debug_assertions) { 3 } else { 10 }, 40);
    let (mut hits, mut n) = (0, 0);
    for seed in 0..n_cases as u64 {
        let (case, all) = case(7000 + seed, false);
        hits += case.walk(&all).iter().filter(|o| o.hit.is_some()).count();
        n += all.len();
    }
    println!("{hits} of {n} trajectories of two arms touch");
    assert!(6 * hits > n && 6 * hits < 5 * n);
}
