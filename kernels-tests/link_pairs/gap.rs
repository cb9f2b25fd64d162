//! Links that move together with a small gap between them.

use super::answers::Answer;
use super::case::{Case, Ends, ends, touches};
use super::mechanism::Mechanism;
use super::solids::block;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_4;

/// Side of the cubes and their distance.
const SIDE_M: f64 = 0.2;
const GAP_M: f64 = 0.02;

/// Two cubes, one of them stretched along z, 2 cm apart on a carriage without shape, each on a joint of its own about
/// z.
pub fn carriage() -> Mechanism {
    // Of different heights, so that edges pass through faces, and not along edges.
    let cube = |height: f64| {
        let half = SIDE_M / 2.0;
        block([-half, -half, -height / 2.0], [half, half, height / 2.0])
    };
    Mechanism::default()
        .link("carriage", vec![])
        .link("left", cube(SIDE_M))
        .link("right", cube(1.5 * SIDE_M))
        .joint(("l", "continuous"), ("carriage", "left"), DVec3::ZERO, DVec3::Z)
        .joint(("r", "continuous"), ("carriage", "right"), DVec3::new(0.0, SIDE_M + GAP_M, 0.0), DVec3::Z)
}

/// The time at which an edge of the right cube reaches the left one if it turns by an eighth during the motion: half a
/// side times (sin + cos) of the angle is half a side and the gap.
pub fn time_of_contact() -> f64 {
    let half = SIDE_M / 2.0;
    // sin + cos = √2 sin(angle + π/4)
    (((half + GAP_M) / (half * 2.0_f64.sqrt())).asin() - FRAC_PI_4) / FRAC_PI_4
}

/// A carriage on each kind of root, and the values of its joints for a travel of `metres`.
fn travels(metres: f64) -> Vec<(Mechanism, Ends)> {
    let slide = [("prismatic", DVec3::new(0.6, 0.0, 0.8))];
    let turn = [slide[0], ("continuous", DVec3::new(0.48, 0.6, 0.64))];
    let far = DQuat::from_axis_angle(DVec3::new(0.6, -0.8, 0.0), 2.9);
    let start = vec![1.0, -2.0, 0.5, 0.0, 0.0, 0.0, 1.0];
    let end = vec![1.0 + metres, -2.0, 0.5 - metres, far.x, far.y, far.z, far.w];
    vec![
        (carriage().on(&slide), ends([("moved0", -0.5, metres - 0.5)])),
        (carriage().on(&turn), ends([("moved0", 0.0, metres), ("moved1", 0.3, 5.0)])),
        (carriage().on(&[("floating", DVec3::X)]), [("moved0".into(), [start, end])].into()),
    ]
}

fn together(more: &[&str]) {
    for &metres in effort(&[0.01, 100.0][..], &[0.01, 1.0, 10.0, 100.0]) {
        for (mechanism, travel) in travels(metres) {
            let case = Case::new(&mechanism);
            assert_eq!(case.sampler.pairs.len(), 1);
            let turned = |a: f64| case.motion(&travel.clone().into_iter().chain(ends([("r", 0.0, a)])).collect());
            let motions = vec![turned(0.0), turned(FRAC_PI_4), turned(0.1)];
            let answers = case.judged(&motions, more);
            assert_eq!((&answers[0], &answers[2]), (&Answer::Free, &Answer::Free), "{metres} m");
            touches(&answers[1], time_of_contact());
        }
    }
}

/// Boxes of whole motions overlap, and both cubes pass the same places: they must not be reported as touching. That
/// they are tested is shown by the second motion.
#[test]
fn two_cubes_on_one_carriage() {
    together(&[]);
}

#[test]
fn two_cubes_on_one_carriage_by_interval_matrices() {
    together(&["--bound", "interval"]);
}

/// Joints above both links do not enter the bounds of their relative motion: a root that turns alike, but travels a
/// hundred times further, needs no more work. A third derivative of the world's motion would need 4.6 times as many
/// intervals.
#[test]
fn common_motion_costs_no_work() {
    let mount = [("prismatic", DVec3::X), ("continuous", DVec3::new(0.48, 0.6, 0.64))];
    let case = Case::new(&carriage().on(&mount));
    let work = |metres: f64| {
        let turned = |k: i32| {
            let travel = [("moved0", 0.0, metres), ("moved1", 0.3, 5.0), ("r", 0.0, 0.05 * f64::from(k))];
            case.motion(&ends(travel))
        };
        let solve = case.check(&(0..16).map(turned).collect(), &[]).stats["solve"].clone();
        ["intervals", "evaluations", "pairs"].map(|key| solve[key].as_u64().expect("a count"))
    };
    let (near, far) = (work(3.0), work(300.0));
    println!("{near:?} intervals, evaluations and pairs for 3 m, {far:?} for 300 m");
    assert!(near.iter().zip(far).all(|(n, f)| f <= 2 * n + 50) && near[1] > 0, "{near:?} {far:?}");
}

#[test]
fn two_cubes_on_one_carriage_on_the_gpu() {
    if !gpu::skip() {
        together(&["--backend", "gpu"]);
    }
}

/// Width of the bars, and least gap of arms that swing in step by 20° to both sides.
const BAR_M: f64 = 0.05;
const SWING: f64 = 20.0;

/// Two arms of two bars each, in one plane. Their bases are on a link without shape.
fn arms() -> Mechanism {
    let apart = (BAR_M + 1e-3) / SWING.to_radians().cos();
    let mut arms = Mechanism::default().link("base", vec![]);
    for (arm, y, height) in [("p", 0.0, 0.2), ("q", apart, 0.24)] {
        let bar = || block([0.0, -BAR_M / 2.0, -height / 2.0], [0.5, BAR_M / 2.0, height / 2.0]);
        let [upper, lower, shoulder, elbow] = ["1", "2", "s", "e"].map(|part| format!("{arm}{part}"));
        arms = arms
            .link(&upper, bar())
            .link(&lower, bar())
            .joint((&shoulder, "revolute"), ("base", &upper), DVec3::new(0.0, y, 0.0), DVec3::Z)
            .joint((&elbow, "revolute"), (&upper, &lower), DVec3::new(0.5, 0.0, 0.0), DVec3::Z);
    }
    arms
}

#[test]
fn parallel_arms_that_swing_in_step() {
    let case = Case::new(&arms());
    assert_eq!(case.sampler.pairs.len(), 4);
    let swing = |p: [f64; 2], q: [f64; 2]| case.motion(&ends([("ps", p[0], p[1]), ("qs", q[0], q[1])]));
    let side = SWING.to_radians();
    let motions = vec![
        swing([-side, side], [-side, side]),
        swing([side, 0.0], [side, 0.0]),
        // Parallel faces meet where the cosine has reduced the distance of the bases to the width of a bar.
        swing([0.0, 1.0], [0.0, 1.0]),
        swing([-side, side], [-side - 0.1, side]),
    ];
    let answers = case.judged(&motions, &[]);
    assert_eq!(answers[..2], [Answer::Free, Answer::Free]);
    let contact = answers[2].contact().expect("parallel faces meet");
    let t = (BAR_M * side.cos() / (BAR_M + 1e-3)).acos();
    assert!((contact.toc[0] - t).abs() < 1e-9 && (!contact.proved || contact.toc[1] >= t - 1e-9), "{t}: {contact:?}");
    assert!(answers[3].contact().is_some_and(|c| c.toc[0] == 0.0 || c.proved), "{:?}", answers[3]);
}

/// Random swings in step and almost in step.
#[test]
fn arms_that_swing_nearly_in_step() {
    let case = Case::new(&arms());
    let mut draw = Draw::new(21);
    let mut motions = Vec::new();
    for i in 0..crate::effort(60, 600) {
        let off = if i % 2 == 0 { 0.0 } else { draw.between(-0.03, 0.03) };
        let side = SWING.to_radians();
        let [s0, s1, e0, e1] = [side; 4].map(|side| draw.between(-side, side));
        let (e0, e1) = (0.1 * e0, 0.1 * e1);
        let values = [("ps", s0, s1), ("qs", s0, s1 + off), ("pe", e0, e1), ("qe", e0, e1)];
        motions.push(case.motion(&ends(values)));
    }
    let answers = case.judged(&motions, &[]);
    let [free, contact, _] = super::answers::tally(&answers);
    println!("{free} free, {contact} touch");
    assert!(free > 10 && contact > 5);
}
