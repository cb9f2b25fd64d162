//! `--joint-tolerance`: the answer holds for every execution that stays within the tolerance of each joint.
//!
//! Executions deviate by smooth waves that reach the tolerance, or towards the nearest obstacle: at a time, each joint
//! is turned to the side at which the distance is smaller.

use super::answers::{Answer, Tally};
use super::case::{Case, read};
use super::corners::{path, tip, wall};
use super::course::Course;
use super::curve::{Execution, Trajectory, Wave};
use super::random;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use crate::oracle::advance::Fineness;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::f64::consts::{FRAC_PI_2, TAU};

/// The time until which an answer clears the whole tube.
fn clear_until(answer: &Answer, t: &Trajectory) -> f64 {
    match answer {
        Answer::Free => t.n_segments() as f64,
        Answer::Contact(c) => c.u[0],
        Answer::Undecided { clear_until } => *clear_until,
    }
}

/// Random waves of full amplitude.
fn waves(draw: &mut Draw, tolerances: &[f64]) -> Vec<Wave> {
    let wave = |tau: &f64| Wave { amplitude: *tau, phase: draw.between(0.0, TAU), rate: draw.between(0.3, 4.0) };
    tolerances.iter().map(wave).collect()
}

/// Waves that are at their peak, on the side of the obstacle that is nearest then, at a time.
fn adverse(course: &Course, t: &Trajectory, tolerances: &[f64], u: f64, rate: f64) -> Vec<Wave> {
    let still = Wave { amplitude: 0.0, phase: 0.0, rate: 0.0 };
    let mut out = vec![still; tolerances.len()];
    for (i, tau) in tolerances.iter().enumerate() {
        let side = |sign: f64| Wave { amplitude: *tau, phase: sign * FRAC_PI_2 - rate * u, rate };
        let distance = |wave: Wave| {
            let mut waves = out.clone();
            waves[i] = wave;
            course.clearance(&Execution { trajectory: t, waves: &waves }, u, 1.0)
        };
        out[i] = if distance(side(1.0)) < distance(side(-1.0)) { side(1.0) } else { side(-1.0) };
    }
    out
}

/// The time of the least distance before `end`, of some.
fn nearest(course: &Course, t: &Trajectory, end: f64) -> f64 {
    let times = (0..=60).map(|i| f64::from(i) / 60.0 * end);
    let all: Vec<(f64, f64)> = times.map(|u| (course.clearance(&t.nominal(), u, 1.0), u)).collect();
    all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("times").1
}

/// Numbers of executions, and of those that pierce after the answer has cleared them.
#[derive(Clone, Copy, Default)]
struct Executions {
    n: usize,
    pierce: usize,
    /// Those that pierce although the nominal motion does not.
    only_these: usize,
}

/// Holds an answer against random executions; returns a fault, if there is one.
fn hold(c: &Course, t: &Trajectory, tau: &[f64], answer: &Answer, seed: u64) -> Result<Executions, String> {
    let (mut draw, until) = (Draw::new(seed), clear_until(answer, t));
    let nominal = c.walk(&t.nominal(), Fineness::default());
    if let Answer::Contact(contact) = answer
        && contact.proved
        && nominal.clear_until > contact.u[1] + 1e-9
    {
        return Err(format!("proved, but nothing touches: {answer:?} {nominal:?}"));
    }
    let (mut sum, at) = (Executions::default(), nearest(c, t, until));
    for i in 0..8 {
        let waves = match i {
            0 => adverse(c, t, tau, at, 0.0),
            1 => adverse(c, t, tau, until, 0.0),
            2 => adverse(c, t, tau, at, draw.between(0.1, 2.0)),
            _ => waves(&mut draw, tau),
        };
        let seen = c.walk(&Execution { trajectory: t, waves: &waves }, Fineness::default());
        if seen.hit.is_some_and(|hit| hit.u < until - 1e-9) {
            return Err(format!("{answer:?}, but the execution {waves:?} gives {seen:?}"));
        }
        sum.n += 1;
        sum.pierce += usize::from(seen.hit.is_some());
        sum.only_these += usize::from(seen.hit.is_some() && nominal.hit.is_none());
    }
    Ok(sum)
}

/// Tolerances for all joints: the same, or drawn for each and named in a file.
fn tolerances(draw: &mut Draw, case: &Case, size: f64, is_file: bool) -> (Vec<f64>, String) {
    let joints = case.joints();
    if !is_file {
        return (vec![size; joints.len()], size.to_string());
    }
    let one = |_: &String| if draw.below(4) == 0 { 0.0 } else { draw.between(0.0, size) };
    let all: Vec<f64> = joints.iter().map(one).collect();
    let entries: Map<String, Value> = joints.into_iter().zip(all.iter().map(|tau| json!(tau))).collect();
    case.desk.put("tolerances.json", Value::Object(entries).to_string());
    (all, "tolerances.json".into())
}

fn campaign(n_cases: usize, more: &[&str]) {
    let (mut tally, mut sum) = (Tally::default(), Executions::default());
    for seed in 0..n_cases as u64 {
        let (case, all) = random::case(10_000 + seed, 10);
        let size = [0.002, 0.01, 0.05][seed as usize % 3];
        let (tau, value) = tolerances(&mut Draw::new(seed), &case, size, seed % 2 == 1);
        let answers = case.answers(&all, &[&["--joint-tolerance", &value], more].concat());
        let one = |(i, (t, answer)): (usize, (&Trajectory, &Answer))| {
            hold(&case.course, t, &tau, answer, 100 * seed + i as u64)
        };
        let pairs: Vec<_> = all.iter().zip(&answers).enumerate().collect();
        for found in pairs.into_par_iter().map(one).collect::<Vec<_>>() {
            let found = found.unwrap_or_else(|fault| panic!("seed {seed}, tolerance {value}: {fault}"));
            (sum.n, sum.pierce) = (sum.n + found.n, sum.pierce + found.pierce);
            sum.only_these += found.only_these;
        }
        tally.add(&answers);
    }
    let Executions { n, pierce, only_these } = sum;
    println!(
        "{more:?}: {tally:?}; {n} executions, {pierce} pierce, {only_these} of them where the nominal motion is clear"
    );
    assert!(tally.free > n_cases && tally.contact > n_cases && only_these > 0);
    assert!(200 * tally.undecided <= tally.free + tally.contact);
}

#[test]
fn executions_within_tubes() {
    campaign(effort(6, 250), &[]);
}

#[test]
fn executions_within_tubes_by_interval_matrices() {
    campaign(effort(3, 30), &["--bound", "interval"]);
}

#[test]
fn executions_within_tubes_on_the_gpu() {
    if !gpu::skip() {
        campaign(effort(3, 30), &["--backend", "gpu"]);
        campaign(effort(3, 30), &["--backend", "gpu", "--bound", "interval"]);
    }
}

#[test]
fn a_tube_without_width_gives_the_same_bytes() {
    for seed in 0..effort(2, 20) as u64 {
        let (case, all) = random::case(10_500 + seed, 20);
        let (_, file) = tolerances(&mut Draw::new(seed), &case, 0.0, true);
        let text = |more: &[&str]| case.check(&all, more).text;
        let plain = text(&[]);
        assert!(!plain.is_empty());
        assert_eq!(text(&["--joint-tolerance", "0"]), plain);
        assert_eq!(text(&["--joint-tolerance", &file]), plain);
    }
}

#[test]
fn the_same_tolerances_by_number_and_by_file() {
    let (case, all) = random::case(10_600, 20);
    let entries: Map<String, Value> = case.joints().into_iter().map(|j| (j, json!(0.01))).collect();
    case.desk.put("same.json", Value::Object(entries).to_string());
    let text = |value: &str| case.check(&all, &["--joint-tolerance", value]).text;
    let by_number = text("0.01");
    assert!(!by_number.is_empty());
    assert_eq!(text("same.json"), by_number);
}

/// The tip stops 1 cm in front of a wall at a corner. Along a slide the tube is as wide as its tolerance.
#[test]
fn the_width_of_a_tube_along_a_slide() {
    let case = Case::new(&tip(), vec![wall("wall", 1.51)]);
    let t = path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]);
    let all = [t.clone()];
    let of = |value: &str| case.answers(&all, &["--joint-tolerance", value]).remove(0);
    assert_eq!((of("0"), of("0.004")), (Answer::Free, Answer::Free));
    case.desk.put("y.json", r#"{"x": 0.0, "y": 0.0099}"#).put("x.json", r#"{"x": 0.0101, "y": 0.0}"#);
    assert_eq!(of("y.json"), Answer::Free);
    // The tip comes within 0.0101 m when it is at x = 1.4999.
    for value in ["x.json", "0.0101", "0.02"] {
        let answer = of(value);
        let c = answer.contact().unwrap_or_else(|| panic!("{value}: {answer:?}"));
        assert!(!c.proved && c.u[1] == 2.0 && c.u[0] <= 0.9999 + 1e-12, "{value}: {c:?}");
        assert!(c.u[0] > 0.95, "{value}: {c:?}");
    }
    // A wall that the nominal motion meets at half of the first segment: the tube meets it 0.01 earlier.
    let case = Case::new(&tip(), vec![wall("wall", 1.0)]);
    let answers = case.answers(&all, &["--joint-tolerance", "0.01"]);
    let c = answers[0].contact().unwrap_or_else(|| panic!("{answers:?}"));
    assert!(c.proved && c.u[0] <= 0.49 + 1e-12 && c.u[1] >= 0.5 - 1e-12 && c.u[0] > 0.45, "{c:?}");
    let checked = case.check_array(&all, &["--joint-tolerance", "0.01"]);
    assert_eq!(read(&checked, &all), answers);
}

/// By the oracle alone: waves towards an obstacle come nearer than the nominal motion.
#[test]
fn adverse_executions_come_nearer() {
    let (case, all) = random::case(10_000, 10);
    let (mut nearer, mut n) = (0, 0);
    for t in &all {
        let tau = vec![0.01; case.joints().len()];
        let u = nearest(&case.course, t, t.n_segments() as f64);
        let distance = |waves: &[Wave]| case.course.clearance(&Execution { trajectory: t, waves }, u, 1.0);
        if distance(&[]) > 0.0 {
            n += 1;
            nearer += usize::from(distance(&adverse(&case.course, t, &tau, u, 0.5)) < distance(&[]));
        }
    }
    println!("{nearer} of {n} come nearer");
    assert!(n > 2 && nearer == n);
}
