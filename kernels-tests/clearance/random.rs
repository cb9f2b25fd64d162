//! Seeded robots and scenes, along motions and trajectories of all styles.

use super::case::{Score, judged, judged_array};
use super::judge::Question;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use crate::link_pairs::case::Case as LinkCase;
use crate::link_pairs::random::{Kinds, ends, mechanism};
use crate::oracle::advance::Fineness;
use crate::trajectories::case::Case;
use crate::trajectories::curve::Trajectory;
use crate::trajectories::draw::{self, Style};
use crate::trajectories::random;

/// Tolerances in turn.
const TOLERANCES: [f64; 6] = [1e-4, 1e-3, 1e-5, 5e-3, 3e-4, 5e-5];

/// The question of a seed: tolerances in turn, some with a limit or a margin.
pub fn question(seed: u64) -> Question {
    let tolerance_m = TOLERANCES[seed as usize % 6];
    let limit_m = [None, None, Some(0.03), None, Some(0.5)][seed as usize % 5];
    let margin_m = if seed % 7 == 3 { 0.002 } else { 0.0 };
    Question { limit_m, margin_m, ..Question::new(tolerance_m) }
}

/// An arm among three objects, and short trajectories of all styles, most of them free.
pub fn open(seed: u64, n: usize) -> (Case, Vec<Trajectory>) {
    let mut draw = Draw::new(seed);
    let (arm, objects) = (draw::arm(&mut draw), draw::objects(&mut draw));
    let case = Case::new(&arm, objects[..3].to_vec());
    let one = |i: usize| {
        let n_segments = 1 + draw.below(4);
        draw::trajectory(&mut draw, &case.course, Style::ALL[i % 5], n_segments)
    };
    let all = (0..n).map(one).collect();
    (case, all)
}

fn splines(n_cases: usize, more: &[&str]) {
    let mut score = Score::default();
    for seed in 0..n_cases as u64 {
        let (case, all) = random::case(41_000 + seed, 15);
        score.add(question(seed), &judged(&case, &all, question(seed), more));
    }
    score.require(&format!("splines {more:?}"));
}

#[test]
fn random_splines() {
    splines(effort(6, 300), &[]);
}

#[test]
fn random_splines_by_interval_matrices() {
    splines(effort(2, 40), &["--bound", "interval"]);
}

#[test]
fn random_splines_on_the_gpu() {
    if !gpu::skip() {
        splines(effort(2, 40), &["--backend", "gpu"]);
    }
}

#[test]
fn two_arms_against_each_other() {
    let mut score = Score::default();
    for seed in 0..effort(4, 150) as u64 {
        let mut draw = Draw::new(42_000 + seed);
        let mut objects = draw::objects(&mut draw);
        objects.truncate(2 * (seed as usize % 2));
        let case = Case::with_links(&draw::two_arms(&mut draw), objects);
        let all = draw::trajectories(&mut draw, &case.course, 10);
        score.add(question(seed), &judged(&case, &all, question(seed), &[]));
    }
    score.require("two arms");
}

#[test]
fn a_robot_with_a_free_root() {
    let mut score = Score::default();
    for seed in 0..effort(3, 100) as u64 {
        let mut draw = Draw::new(43_000 + seed);
        let case = Case::new(&draw::flying_arm(&mut draw), draw::objects(&mut draw));
        let n_segments = 1 + draw.below(4);
        let all: Vec<_> = (0..10).map(|_| draw::flight(&mut draw, &case.course, n_segments)).collect();
        score.add(question(seed), &judged_array(&case, &all, question(seed), &[]));
    }
    score.require("a free root");
}

#[test]
fn motions_of_two_waypoints() {
    let mut score = Score::default();
    for seed in 0..effort(5, 250) as u64 {
        let mut draw = Draw::new(44_000 + seed);
        let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw));
        let all: Vec<_> = (0..20).map(|_| draw::trajectory(&mut draw, &case.course, Style::Straight, 1)).collect();
        score.add(question(seed), &judged_array(&case, &all, question(seed), &[]));
    }
    score.require("motions of two waypoints");
}

/// Free, mimic and fixed joints anywhere in a tree, links against links, some without area.
#[test]
fn random_trees_of_links() {
    let mut score = Score::default();
    for seed in 0..effort(8, 300) as u64 {
        let mut draw = Draw::new(45_000 + seed);
        let mechanism = mechanism(&mut draw, Kinds::All);
        let (rows, case) = (LinkCase::new(&mechanism), Case::with_links(&mechanism, vec![]));
        if case.course.pairs.is_empty() {
            continue;
        }
        let motion = |draw: &mut Draw| {
            let tries: Vec<_> = (0..20).map(|_| rows.motion(&ends(draw, &mechanism))).collect();
            let is_clear = |m: &&(Vec<f64>, Vec<f64>)| rows.sampler.clearance((&m.0, &m.1), 0.0, 1e-3) >= 1e-3;
            let (start, end) = tries.iter().find(is_clear).unwrap_or(&tries[0]).clone();
            Trajectory::straight(&[start, end])
        };
        let all: Vec<_> = (0..10).map(|_| motion(&mut draw)).collect();
        score.add(question(seed), &judged_array(&case, &all, question(seed), &[]));
    }
    score.require("trees of links");
}

/// By the oracle alone: many of these trajectories are free, near obstacles and far from them.
#[test]
fn free_trajectories_are_common() {
    let (mut n_free, mut n) = (0, 0);
    for seed in 0..effort(if cfg!(debug_assertions) { 1 } else { 6 }, 40) as u64 {
        let (case, all) = random::case(41_000 + seed, 15);
        let free = all.iter().filter(|t| case.course.walk(&t.nominal(), Fineness::default()).hit.is_none());
        (n_free, n) = (n_free + free.count(), n + all.len());
    }
    println!("{n_free} of {n} are free");
    assert!(6 * n_free > n);
}
