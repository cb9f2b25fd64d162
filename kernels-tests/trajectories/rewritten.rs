//! The same curve, written in another way: cut into segments, raised to a spline, with points repeated. The verdict,
//! the place of first contact and its features stay the same.

use super::answers::{Tally, difference};
use super::case::{Case, array, read};
use super::curve::{Trajectory, Waypoint};
use super::draw::{self, Style};
use super::random;
use crate::effort;
use crate::harness::models::Draw;
use serde_json::json;

/// A curve in other segments.
pub struct Rewritten {
    pub trajectory: Trajectory,
    /// The time of each waypoint on the first curve.
    places: Vec<f64>,
}

impl Rewritten {
    /// Cuts at times of the trajectory, which include its waypoints, and takes velocities and accelerations from the
    /// curve, where the style has them. A straight curve pauses for a second where a time is repeated.
    pub fn new(t: &Trajectory, places: Vec<f64>, style: Style) -> Self {
        let point = |u: &f64| {
            let (k, x) = t.split(*u);
            let [position, velocity, acceleration] = t.derivatives(k, x);
            let is_spline = matches!(style, Style::Cubic | Style::Quintic);
            let velocity = is_spline.then_some(velocity);
            Waypoint { position, velocity, acceleration: (style == Style::Quintic).then_some(acceleration) }
        };
        let mut points: Vec<Waypoint> = places.iter().map(point).collect();
        for (at, u) in points.iter_mut().zip(&places).filter(|(_, u)| u.fract() == 0.0) {
            at.position.clone_from(&t.points[*u as usize].position);
        }
        let times_s = (style != Style::Straight).then(|| times(t, &places));
        Self { trajectory: Trajectory { times_s, points }, places }
    }

    /// The time of the first curve at a time of this one.
    pub fn map(&self, u: f64) -> f64 {
        let (k, x) = self.trajectory.split(u);
        self.places[k] + x * (self.places[k + 1] - self.places[k])
    }
}

/// The times at these places.
fn times(t: &Trajectory, places: &[f64]) -> Vec<f64> {
    let mut pauses = 0.0;
    let at = |i: usize| {
        let (k, x) = t.split(places[i]);
        let start = t.times_s.as_ref().map_or(k as f64, |times| times[k]);
        pauses += f64::from(u8::from(i > 0 && places[i] == places[i - 1]));
        start + x * t.duration_s(k) + pauses
    };
    (0..places.len()).map(at).collect()
}

/// All waypoints, and in each segment `n - 1` further times, equally spaced or random.
fn places(draw: &mut Draw, t: &Trajectory, n: usize, is_random: bool) -> Vec<f64> {
    let mut out = vec![0.0];
    for k in 0..t.n_segments() {
        let share = |i: usize| if is_random { draw.unit() } else { i as f64 / n as f64 };
        let mut shares: Vec<f64> = (1..n).map(share).collect();
        shares.sort_by(f64::total_cmp);
        out.extend(shares.iter().map(|s| k as f64 + s));
        out.push((k + 1) as f64);
    }
    out
}

/// Compares curves of a style with the same in other segments of each of the other styles.
fn compare(seed: u64, style: Style, n_segments: usize, styles: &[Style], cuts: &[usize], n: usize) -> Tally {
    let mut draw = Draw::new(seed);
    let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw));
    let all: Vec<_> = (0..n).map(|_| draw::trajectory(&mut draw, &case.course, style, n_segments)).collect();
    let expected = case.judged(&all, &[]);
    for (style, n_cuts, is_random) in styles.iter().flat_map(|s| cuts.iter().map(|n| (*s, *n, n % 2 == 1))) {
        let one = |t: &Trajectory| Rewritten::new(t, places(&mut draw, t, n_cuts, is_random), style);
        let other: Vec<Rewritten> = all.iter().map(one).collect();
        let found = case.answers(&other.iter().map(|r| r.trajectory.clone()).collect::<Vec<_>>(), &[]);
        for (i, ((a, b), r)) in expected.iter().zip(&found).zip(&other).enumerate() {
            let differs = difference(a, b, &|u| r.map(u));
            assert_eq!(differs, None, "seed {seed}, trajectory {i}, {n_cuts} segments of style {style:?}");
        }
    }
    let mut tally = Tally::default();
    tally.add(&expected);
    tally
}

fn campaign(name: &str, n_cases: usize, compare: impl Fn(u64) -> Tally) {
    let mut sum = Tally::default();
    for seed in 0..n_cases as u64 {
        let Tally { free, contact, certified, undecided } = compare(seed);
        sum.free += free;
        sum.contact += contact;
        sum.certified += certified;
        sum.undecided += undecided;
    }
    sum.require(name);
}

#[test]
fn a_straight_motion_in_many_segments_and_as_a_spline() {
    let styles = [Style::Straight, Style::Timed, Style::Cubic, Style::Quintic];
    let cuts = [1, 2, 10, 100, 3, 31];
    let one = |seed| compare(3000 + seed, Style::Straight, 1, &styles, &cuts, 20);
    campaign("straight motions, rewritten", effort(4, 100), one);
}

#[test]
fn paths_and_splines_in_more_segments() {
    for style in [Style::Straight, Style::Timed, Style::Cubic, Style::Quintic] {
        let one = |seed| compare(3200 + seed, style, 5, &[style], &[1, 2, 20, 7], 20);
        campaign(&format!("{style:?} paths, cut"), effort(3, 60), one);
    }
}

#[test]
fn a_cubic_segment_as_quintic_ones() {
    let one = |seed| compare(3400 + seed, Style::Cubic, 1, &[Style::Quintic], &[1, 2, 9], 20);
    campaign("cubic segments as quintic ones", effort(3, 60), one);
}

/// Waypoints that are repeated, and pauses: nothing changes but the numbers of the segments.
#[test]
fn repeated_waypoints_and_pauses() {
    let mut tally = Tally::default();
    for seed in 0..effort(3, 60) as u64 {
        let mut draw = Draw::new(3600 + seed);
        let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw));
        let all: Vec<_> = (0..20).map(|_| draw::trajectory(&mut draw, &case.course, Style::Straight, 5)).collect();
        let expected = case.judged(&all, &[]);
        tally.add(&expected);
        for style in [Style::Straight, Style::Timed] {
            let one = |t: &Trajectory| {
                let places = places(&mut draw, t, 2, true);
                let repeated = places.into_iter().flat_map(|u| vec![u; [1, 1, 2, 4][draw.below(4)]]).collect();
                Rewritten::new(t, repeated, style)
            };
            let other: Vec<Rewritten> = all.iter().map(one).collect();
            let found = case.answers(&other.iter().map(|r| r.trajectory.clone()).collect::<Vec<_>>(), &[]);
            for ((a, b), r) in expected.iter().zip(&found).zip(&other) {
                assert_eq!(difference(a, b, &|u| r.map(u)), None, "seed {seed}, {:?}", r.places);
            }
        }
    }
    tally.require("repeated waypoints and pauses");
}

/// Two waypoints without times are a motion: every form of file gives the same bytes.
#[test]
fn two_waypoints_are_a_motion() {
    for seed in 0..effort(4, 60) as u64 {
        let (case, all) = random::case(3800 + seed, 25);
        let all: Vec<_> =
            all.iter().map(|t| Trajectory::straight(&[0, 1].map(|i| t.points[i].position.clone()))).collect();
        let rows: Vec<_> = all.iter().map(|t| [&t.points[0].position, &t.points[1].position]).collect();
        case.desk.put("old.json", json!({"joints": case.joints(), "motions": rows}).to_string());
        case.desk.put("new.json", case.json(&all)).put("new.npy", array(&all));
        let motions = case.check_file("old.json", &[]);
        assert_eq!(read(&motions, &all).len(), 25);
        assert!(!motions.text.contains("segment") && !motions.text.contains("time_s"));
        for file in ["new.json", "new.npy"] {
            assert_eq!(case.check_file(file, &[]).text, motions.text, "seed {seed}, {file}");
        }
    }
}

/// Waypoints in an array and in a file with names: the same bytes.
#[test]
fn an_array_and_a_file_with_names_are_the_same() {
    for seed in 0..effort(2, 20) as u64 {
        let mut draw = Draw::new(3900 + seed);
        let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw));
        for n_segments in [2, 7] {
            let one = |_| draw::trajectory(&mut draw, &case.course, Style::Straight, n_segments);
            let all: Vec<_> = (0..20).map(one).collect();
            let found = case.check_array(&all, &[]);
            assert_eq!(found.text, case.check(&all, &[]).text, "seed {seed}");
            assert_eq!(read(&found, &all).len(), 20);
        }
    }
}

/// The oracle alone: rewritten curves are the same curves.
#[test]
fn rewritten_curves_are_the_same() {
    let (case, all) = random::case(1, 15);
    let (mut draw, mut worst) = (Draw::new(2), 0.0_f64);
    for (i, t) in all.iter().enumerate() {
        let (style, n_cuts) = (Style::ALL[i % 5], 1 + i);
        if style == Style::Mixed {
            continue;
        }
        let r = Rewritten::new(t, places(&mut draw, t, n_cuts, i % 2 == 1), style);
        for j in 0..=500 {
            let u = f64::from(j) / 500.0 * r.trajectory.n_segments() as f64;
            let ((k, x), (l, y)) = (r.trajectory.split(u), t.split(r.map(u)));
            let (found, expected) = (r.trajectory.at(k, x), t.at(l, y));
            worst = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(worst, f64::max);
        }
    }
    println!("largest difference of {} columns: {worst:e}", case.joints().len());
    assert!(worst < 1e-11);
}
