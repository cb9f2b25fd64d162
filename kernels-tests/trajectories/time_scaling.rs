//! The same path at another speed: the same segment, shares and features; times in seconds are scaled.

use super::answers::{Answer, Tally, difference};
use super::case::Case;
use super::curve::Trajectory;
use super::draw::{self, Style};
use crate::effort;
use crate::harness::models::Draw;

/// All times multiplied by a factor, about the first one.
fn scaled(t: &Trajectory, factor: f64) -> Trajectory {
    let mut slow = t.clone();
    let times = slow.times_s.as_mut().expect("times");
    times.iter_mut().for_each(|t| *t *= factor);
    for point in &mut slow.points {
        point.velocity.iter_mut().flatten().for_each(|v| *v /= factor);
        point.acceleration.iter_mut().flatten().for_each(|a| *a /= factor * factor);
    }
    slow
}

#[test]
fn the_same_path_at_another_speed() {
    let (mut tally, mut largest) = (Tally::default(), 0.0_f64);
    for seed in 0..effort(4, 100) as u64 {
        let mut draw = Draw::new(4000 + seed);
        let case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw));
        let style = [Style::Cubic, Style::Quintic, Style::Mixed][seed as usize % 3];
        let all: Vec<_> = (0..25).map(|_| draw::trajectory(&mut draw, &case.course, style, 6)).collect();
        let expected = case.judged(&all, &[]);
        tally.add(&expected);
        for factor in [2.0, 1e-3, 0.37, 1e4] {
            let slow: Vec<_> = all.iter().map(|t| scaled(t, factor)).collect();
            for (i, (a, b)) in expected.iter().zip(case.answers(&slow, &[])).enumerate() {
                assert_eq!(difference(a, &b, &|u| u), None, "seed {seed}, trajectory {i}, factor {factor}");
                largest = largest.max(seconds_apart(a, &b, factor));
            }
        }
    }
    println!("largest difference of scaled times: {largest:e} s");
    assert!(largest < 1e-8);
    tally.require("the same path at another speed");
}

/// The largest difference of the ends of the enclosures of two certified contacts, in seconds of the first.
fn seconds_apart(a: &Answer, b: &Answer, factor: f64) -> f64 {
    let both = a.contact().zip(b.contact()).filter(|(x, y)| x.certified && y.certified);
    let Some((x, y)) = both else { return 0.0 };
    let (s, t) = (x.time_s.expect("times"), y.time_s.expect("times"));
    (0..2).map(|i| (t[i] / factor - s[i]).abs()).fold(0.0, f64::max)
}
