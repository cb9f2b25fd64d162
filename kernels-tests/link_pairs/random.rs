//! Seeded random trees of links with a few triangles each.

use super::answers::tally;
use super::case::{Case, Ends};
use super::mechanism::Mechanism;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use crate::oracle::mesh::Triangle;
use crate::oracle::placements::MotionBatch;
use glam::{DAffine3, DQuat};

/// The joints that a mechanism may have.
#[derive(Clone, Copy, PartialEq)]
pub enum Kinds {
    /// Turns, slides and fixed ones.
    Reversible,
    /// Free and mimic joints, too.
    All,
}

/// Two or three branches of up to four links each, on a root that may have a shape. Some links have none.
pub fn mechanism(draw: &mut Draw, kinds: Kinds) -> Mechanism {
    let mut tree = Mechanism::default();
    let shape = if draw.below(2) == 0 { mesh(draw, 0.15) } else { vec![] };
    tree = tree.link("base", shape);
    for branch in 0..2 + draw.below(2) {
        let mut above = "base".to_owned();
        for k in 0..1 + draw.below(4) {
            let (link, joint) = (format!("link {branch}.{k}"), format!("joint {branch}.{k}"));
            let is_empty = draw.below(5) == 0;
            tree = tree.link(&link, if is_empty { vec![] } else { mesh(draw, 0.2) });
            let away = if k == 0 { 0.35 } else { 0.25 };
            let place = DAffine3 { matrix3: draw.rotation(), translation: away * draw.direction() };
            let (kind, axis) = (kind(draw, kinds), draw.direction());
            tree = tree.joint((&joint, kind), (&above, &link), place, axis);
            above = link;
        }
    }
    if kinds == Kinds::All && draw.below(2) == 0 {
        mimic(draw, &mut tree);
    }
    tree
}

fn kind(draw: &mut Draw, kinds: Kinds) -> &'static str {
    match draw.below(12) {
        0 => "fixed",
        1 | 2 => "prismatic",
        3 if kinds == Kinds::All => "floating",
        n => ["continuous", "revolute"][n % 2],
    }
}

/// Makes the last turn or slide follow the first one.
fn mimic(draw: &mut Draw, tree: &mut Mechanism) {
    let simple = |k: &str| matches!(k, "continuous" | "revolute" | "prismatic");
    let mut some = tree.joints.iter_mut().filter(|j| simple(j.kind));
    if let (Some(master), Some(last)) = (some.next(), some.next_back()) {
        last.mimic = Some((master.name.clone(), draw.between(-2.0, 2.0), draw.between(-0.5, 0.5)));
    }
}

/// A few triangles about the origin; some have no area.
fn mesh(draw: &mut Draw, size: f64) -> Vec<Triangle> {
    (0..1 + draw.below(8))
        .map(|_| {
            let about = draw.vector(0.7 * size);
            let [a, b, c] = [0; 3].map(|_| about + draw.vector(size));
            if draw.below(25) == 0 { [a, b, b] } else { [a, b, c] }
        })
        .collect()
}

/// Values of all joints that have their own.
pub fn ends(draw: &mut Draw, mechanism: &Mechanism) -> Ends {
    let mut ends = Ends::new();
    for joint in &mechanism.joints {
        let scale = if joint.kind == "prismatic" { 0.3 } else { 1.5 };
        let (a, b) = (scale * draw.between(-1.0, 1.0), scale * draw.between(-1.0, 1.0));
        let both = if joint.kind == "floating" { [free(draw), free(draw)] } else { [vec![a], vec![a + b]] };
        ends.insert(joint.name.clone(), both);
    }
    ends
}

/// A position near the origin, and an orientation.
fn free(draw: &mut Draw) -> Vec<f64> {
    let (place, axis) = (draw.vector(0.4), draw.direction());
    let turn = DQuat::from_axis_angle(axis, draw.between(-3.0, 3.0)).normalize();
    [&place.to_array()[..], &turn.to_array()].concat()
}

/// Motions that start with all pairs at least 1 mm apart, where a few tries find such a start.
pub fn motions(draw: &mut Draw, mechanism: &Mechanism, case: &Case, n: usize) -> (Vec<Ends>, MotionBatch) {
    let clear = |ends: &Ends| {
        let (q0, q1) = case.motion(ends);
        case.sampler.clearance((&q0, &q1), 0.0, 1e-3) >= 1e-3
    };
    let mut all = Vec::new();
    for _ in 0..n {
        let tries: Vec<Ends> = (0..30).map(|_| ends(draw, mechanism)).collect();
        all.push(tries.iter().find(|e| clear(e)).unwrap_or(&tries[0]).clone());
    }
    let rows = all.iter().map(|ends| case.motion(ends)).collect();
    (all, rows)
}

fn campaign(seeds: usize, n: usize, more: &[&str]) {
    let mut sum = [0; 3];
    for seed in 0..seeds as u64 {
        let mut draw = Draw::new(500 + seed);
        let mechanism = mechanism(&mut draw, Kinds::All);
        let case = Case::new(&mechanism);
        if case.sampler.pairs.is_empty() {
            continue;
        }
        let (_, motions) = motions(&mut draw, &mechanism, &case, n);
        let answers = case.judged(&motions, more);
        tally(&answers).iter().zip(&mut sum).for_each(|(n, sum)| *sum += n);
    }
    let [free, contact, undecided] = sum;
    println!("{more:?}: {free} free, {contact} touch, {undecided} undecided");
    assert!(free > seeds && contact > seeds && 200 * undecided <= free + contact);
}

#[test]
fn random_trees_of_links() {
    campaign(effort(40, 600), 25, &[]);
}

#[test]
fn random_trees_of_links_by_interval_matrices() {
    campaign(effort(10, 150), 25, &["--bound", "interval"]);
}

#[test]
fn random_trees_of_links_on_the_gpu() {
    if !gpu::skip() {
        campaign(effort(6, 100), 25, &["--backend", "gpu"]);
    }
}
