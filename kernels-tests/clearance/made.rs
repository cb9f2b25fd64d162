//! Lines made by the oracle: right ones have no fault, and those that are slightly wrong have one.

use super::judge::{Bodies, Question};
use super::minimum::{Care, minimum};
use crate::effort;
use crate::harness::models::Draw;
use crate::oracle::triangles;
use crate::trajectories::case::Case;
use crate::trajectories::course::Other;
use crate::trajectories::curve::Trajectory;
use crate::trajectories::{draw, random};
use serde_json::{Value, json};

/// The entry `clearance` of a free trajectory.
pub fn clearance(bodies: Bodies, t: &Trajectory, question: Question) -> Value {
    let (course, pairs) = (bodies.course, question.pairs(bodies.course, t));
    if pairs.is_empty() {
        return json!({"distance_m": null});
    }
    let limit_m = question.limit_m.unwrap_or(f64::INFINITY);
    let seen = minimum(course, &pairs, &t.nominal(), Care { limit_m, ..Care::new(question.slack_m()) });
    let Some(near) = seen.near else { return json!({"distance_m": [limit_m, null]}) };
    let [x, y] = course.triangles_at(near.pair, near.triangles, &t.nominal(), near.u);
    let (p, q) = triangles::closest(&x, &y);
    let link = |l: usize, triangle: usize| {
        let shape = super::judge::shape_of(bodies.counts, l, triangle);
        json!({"link": course.robot.links()[l].name, "shape": shape, "triangle": triangle})
    };
    let [m, n] = near.triangles;
    let b = match near.pair.1 {
        Other::Link(l) => link(l, n),
        Other::Object(o) => json!({"object": course.objects[o].name, "triangle": n}),
    };
    let ((segment, x), hi) = (t.split(near.u), near.distance_m);
    let lo = (hi - 0.9 * question.tolerance_m.min(hi)).max(question.margin_m);
    json!({"distance_m": [lo, hi], "segment": segment, "t": x,
        "a": link(near.pair.0, m), "b": b, "points": [p.to_array(), q.to_array()]})
}

/// A shift of an enclosure by its width.
fn shifted(clearance: &Value, by: f64) -> Value {
    let mut clearance = clearance.clone();
    let ends = crate::cli::numbers(&clearance["distance_m"]);
    clearance["distance_m"] = json!([ends[0] + by, ends[1] + by]);
    clearance
}

/// Judges lines of the free ones among these trajectories; returns their number.
fn hold(case: &Case, all: &[Trajectory], question: Question) -> usize {
    let (bodies, mut n) = (Bodies { course: &case.course, counts: None }, 0);
    let of = |t: &Trajectory, clearance: &Value| {
        let line = json!({"verdict": "free", "clearance": clearance});
        question.judge(bodies, t, &line).faults
    };
    let touches = |t: &Trajectory| !case.course.touching_at_start(t).is_empty();
    for t in all.iter().filter(|t| question.ignores_initial || !touches(t)) {
        let right = clearance(bodies, t, question);
        if right["distance_m"][1] == json!(0.0) {
            continue;
        }
        assert_eq!(of(t, &right), [""; 0], "{right}");
        if right.get("t").is_some() {
            let (nearer, further) = (-2.0 * question.tolerance_m, question.tolerance_m);
            let wrong = |by: f64| !of(t, &shifted(&right, by)).is_empty();
            assert!(wrong(nearer) && wrong(further), "{right}");
        }
        n += 1;
    }
    n
}

#[test]
fn lines_of_random_trajectories() {
    let mut n = 0;
    for seed in 0..effort(if cfg!(debug_assertions) { 3 } else { 6 }, 60) as u64 {
        let question = Question { margin_m: 0.0, ..super::random::question(seed) };
        let question = Question { tolerance_m: question.tolerance_m.max(1e-4), ..question };
        let (case, all) = random::case(52_000 + seed, 5);
        n += hold(&case, &all, question);
        let mut draw = Draw::new(52_500 + seed);
        let arms = Case::with_links(&draw::two_arms(&mut draw), vec![]);
        let all = draw::trajectories(&mut draw, &arms.course, 3);
        n += hold(&arms, &all, Question { ignores_initial: true, ..question });
        let flying = Case::new(&draw::flying_arm(&mut draw), draw::objects(&mut draw));
        let all: Vec<_> = (0..3).map(|_| draw::flight(&mut draw, &flying.course, 2)).collect();
        n += hold(&flying, &all, question);
    }
    println!("{n} lines");
    assert!(n > 5);
}
