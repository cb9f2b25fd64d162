//! The same distance for the same motion in another form, and orders of distances that follow from their definition.

use super::answers::Clearance;
use super::case::{judged, judged_array};
use super::judge::{Judged, Question};
use super::random;
use crate::effort;
use crate::harness::models::Draw;
use crate::trajectories::case::Case;
use crate::trajectories::curve::{Trajectory, Waypoint};
use crate::trajectories::draw::{self, Style};

const QUESTION: f64 = 2e-4;

fn distance(judged: &Judged) -> Option<[f64; 2]> {
    judged.clearance.as_ref().and_then(Clearance::nearest).map(|n| n.distance_m)
}

/// Expects that enclosures of the same distance overlap, and returns how many there are.
#[track_caller]
fn overlap(a: &[Judged], b: &[Judged]) -> usize {
    assert_eq!(a.len(), b.len());
    let both: Vec<_> = a.iter().zip(b).filter_map(|(a, b)| Some((distance(a)?, distance(b)?))).collect();
    for ([lo, hi], [from, to]) in &both {
        assert!(*lo <= to + 1e-9 && *from <= hi + 1e-9, "[{lo}, {hi}] but [{from}, {to}]");
    }
    both.len()
}

/// The trajectory backwards.
fn reversed(t: &Trajectory) -> Trajectory {
    let turned = |row: &Option<Vec<f64>>| row.as_ref().map(|r| r.iter().map(|v| -v).collect());
    let point = |p: &Waypoint| Waypoint { velocity: turned(&p.velocity), ..p.clone() };
    let times_s = t.times_s.as_ref().map(|times| {
        let sum = times[0] + times[times.len() - 1];
        times.iter().rev().map(|time| sum - time).collect()
    });
    Trajectory { times_s, points: t.points.iter().rev().map(point).collect() }
}

/// Straight segments with points added on them.
fn cut(draw: &mut Draw, t: &Trajectory) -> Trajectory {
    let mut rows = vec![t.points[0].position.clone()];
    for k in 0..t.n_segments() {
        let mut shares: Vec<f64> = (0..draw.below(4)).map(|_| draw.unit()).collect();
        shares.sort_by(f64::total_cmp);
        rows.extend(shares.into_iter().map(|x| t.at(k, x)));
        rows.push(t.points[k + 1].position.clone());
    }
    Trajectory::straight(&rows)
}

#[test]
fn motions_backwards() {
    let mut n = 0;
    for seed in 0..effort(3, 100) as u64 {
        let (case, all) = random::open(48_000 + seed, 15);
        let back: Vec<_> = all.iter().map(reversed).collect();
        let question = Question::new(QUESTION);
        n += overlap(&judged(&case, &all, question, &[]), &judged(&case, &back, question, &[]));
    }
    println!("{n} trajectories forwards and backwards");
    assert!(n > 0);
}

#[test]
fn motions_cut_into_segments() {
    let mut n = 0;
    for seed in 0..effort(3, 100) as u64 {
        let mut draw = Draw::new(48_500 + seed);
        let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw)[..3].to_vec());
        let one = |draw: &mut Draw| {
            let n_segments = 1 + draw.below(4);
            draw::trajectory(draw, &case.course, Style::Straight, n_segments)
        };
        let all: Vec<_> = (0..15).map(|_| one(&mut draw)).collect();
        let pieces: Vec<_> = all.iter().map(|t| cut(&mut draw, t)).collect();
        let question = Question::new(QUESTION);
        n += overlap(&judged(&case, &all, question, &[]), &judged(&case, &pieces, question, &[]));
    }
    println!("{n} trajectories whole and cut");
    assert!(n > 0);
}

/// The distance of a path is the least of its segments as motions of their own.
#[test]
fn a_path_and_its_segments() {
    let mut n = 0;
    for seed in 0..effort(8, 300) as u64 {
        let mut draw = Draw::new(48_700 + seed);
        let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw)[..3].to_vec());
        let t = draw::trajectory(&mut draw, &case.course, Style::Straight, 4);
        let motions: Vec<_> = t
            .points
            .windows(2)
            .map(|w| Trajectory::straight(&[w[0].position.clone(), w[1].position.clone()]))
            .collect();
        let question = Question::new(QUESTION);
        let whole = distance(&judged_array(&case, std::slice::from_ref(&t), question, &[])[0]);
        let parts: Vec<_> = judged_array(&case, &motions, question, &[]).iter().map(distance).collect();
        assert_eq!(whole.is_some(), parts.iter().all(Option::is_some));
        let Some([lo, hi]) = whole else { continue };
        let least = |end: usize| parts.iter().map(|p| p.unwrap()[end]).fold(f64::INFINITY, f64::min);
        assert!(lo <= least(1) + 1e-9 && least(0) <= hi + 1e-9, "[{lo}, {hi}] but {parts:?}");
        n += 1;
    }
    println!("{n} free paths");
    assert!(n > 0);
}

/// With more objects, or with links tested against each other, nothing is further away.
#[test]
fn more_obstacles_are_not_further_away() {
    let (mut n, mut nearer) = (0, 0);
    for seed in 0..effort(3, 100) as u64 {
        let mut draw = Draw::new(48_900 + seed);
        let arm = if seed % 2 == 0 { draw::arm(&mut draw) } else { draw::two_arms(&mut draw) };
        let objects = draw::objects(&mut draw);
        let few = Case::new(&arm, objects[..2].to_vec());
        let all = draw::trajectories(&mut draw, &few.course, 10);
        let more = if seed % 2 == 0 { Case::new(&arm, objects) } else { Case::with_links(&arm, objects[..2].to_vec()) };
        let question = Question::new(QUESTION);
        let (few, more) = (judged(&few, &all, question, &[]), judged(&more, &all, question, &[]));
        for (few, more) in few.iter().zip(&more) {
            assert!(few.clearance.is_some() || more.clearance.is_none(), "free with more obstacles only");
            let (Some(few), Some(more)) = (distance(few), distance(more)) else { continue };
            assert!(more[0] <= few[1] + 1e-9, "{few:?} but {more:?}");
            (n, nearer) = (n + 1, nearer + usize::from(more[1] < few[0]));
        }
    }
    println!("{nearer} of {n} are nearer with more obstacles");
    assert!(n > 0);
}

/// A narrower tolerance gives an enclosure that overlaps.
#[test]
fn tolerances_agree() {
    for seed in 0..effort(1, 40) as u64 {
        let (case, all) = random::open(49_000 + seed, 10);
        let narrow = judged(&case, &all, Question::new(1e-5), &[]);
        for tolerance_m in [1e-4, 1e-3, 5e-3] {
            overlap(&narrow, &judged(&case, &all, Question::new(tolerance_m), &[]));
        }
    }
}

/// By the oracle alone: the trajectory backwards is where the trajectory is.
#[test]
fn a_reversed_trajectory_is_the_same_curve() {
    let (_, all) = random::open(48_000, 5);
    for t in &all {
        let (back, n) = (reversed(t), t.n_segments());
        for k in 0..n {
            for i in 0..=10 {
                let x = f64::from(i) / 10.0;
                let (p, q) = (t.at(k, x), back.at(n - 1 - k, 1.0 - x));
                assert!(p.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-12), "{p:?} {q:?}");
            }
        }
    }
}
