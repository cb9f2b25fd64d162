//! Random trees of all joint types against a few triangles near their paths, checked by proofs alone.

use super::judge::{Care, Counts, truth};
use super::model::{Kind, Model, Motion, Triangle};
use super::random::Random;
use super::shapes;
use crate::effort;
use crate::harness::backends::{self, differences, engine, on};
use crate::harness::gpu;
use crate::oracle::chain;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Backend, Options, PairSearch};
use firstcontact::verdict::Verdict;
use glam::DVec3;
use std::f64::consts::PI;
use std::time::Instant;

/// A family of random trees.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub most_joints: usize,
    /// Largest turn of one joint, radians.
    pub turn: f64,
    /// Exponents of the scale, metres.
    pub scale: (f64, f64),
    /// Distance of the model from the origin.
    pub away: f64,
}

pub const PLAIN: Family = Family { most_joints: 5, turn: 1.5, scale: (0.0, 0.0), away: 0.0 };

/// A random tree.
pub fn tree(r: &mut Random, family: &Family, scale: f64) -> Model {
    let away = family.away * r.direction();
    let mut model = Model { base: away, ..Model::default() };
    let n = 1 + r.below(family.most_joints);
    for i in 0..n {
        // mostly chains, with branches
        let parent = if i == 0 || r.percent(5) { None } else { Some(if r.percent(70) { i - 1 } else { r.below(i) }) };
        let (orientation, axis) = (r.rotation(), r.direction());
        let origin = r.one_of(&[0.0, 0.3, 0.3, 0.3, 1.0]) * scale * r.direction();
        let which = r.below(10);
        model.add(parent, orientation, origin, |value| match which {
            0 => Kind::Fixed,
            1 | 2 => Kind::Sliding(axis, value),
            3 => Kind::Free(value.column),
            _ => Kind::Turning(axis, value),
        });
    }
    // a joint that mimics another one
    if model.columns > 1 && r.percent(30) {
        let (factor, offset) = (r.between(-2.0, 2.0), r.between(-0.5, 0.5));
        let followed = r.below(model.columns);
        let usable = model.bodies.iter().any(|b| matches!(b.kind, Kind::Turning(_, v) if v.column == followed));
        let last = model.bodies.len() - 1;
        if let Kind::Turning(_, value) = &mut model.bodies[last].kind
            && usable
        {
            (value.factor, value.offset, value.column) = (factor, offset, followed);
        }
    }
    let n_links = 1 + r.below(3);
    for _ in 0..n_links {
        let body = if r.percent(60) { model.bodies.len() - 1 } else { r.below(model.bodies.len()) };
        // sometimes far from the body's own origin
        let about = r.one_of(&[0.0, 0.3, 0.3, 20.0]) * scale * r.direction();
        let size = r.one_of(&[0.05, 0.2, 0.4]) * scale;
        let mesh = shapes::mesh(r, about, size, 3);
        model.links.push((body, mesh));
    }
    model
}

/// A random motion of a tree.
pub fn motion(r: &mut Random, model: &Model, turn: f64, scale: f64) -> Motion {
    let (mut q0, mut q1) = (vec![0.0; model.columns], vec![0.0; model.columns]);
    for body in &model.bodies {
        match body.kind {
            Kind::Fixed => {}
            Kind::Turning(_, value) => {
                q0[value.column] = r.between(-PI, PI);
                let change = if r.percent(15) { 0.0 } else { r.between(-turn, turn) };
                q1[value.column] = q0[value.column] + change;
            }
            Kind::Sliding(_, value) => {
                q0[value.column] = r.between(-0.3, 0.3) * scale;
                q1[value.column] = q0[value.column] + r.one_of(&[0.0, 0.3, 1.0]) * r.between(-scale, scale);
            }
            Kind::Free(first) => {
                let (place, way) = (0.3 * r.cube(scale), 0.5 * r.cube(scale));
                let start = r.quaternion();
                // exactly half a turn, no turn, or any
                let end = match r.below(5) {
                    0 => {
                        r.one_of(&[
                            glam::DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
                            glam::DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0),
                            glam::DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0),
                        ]) * start
                    }
                    1 => start,
                    _ => r.quaternion(),
                };
                for (q, x, turn) in [(&mut q0, place, start), (&mut q1, place + way, end)] {
                    q[first..first + 3].copy_from_slice(&x.to_array());
                    q[first + 3..first + 7].copy_from_slice(&turn.normalize().to_array());
                }
            }
        }
    }
    (q0, q1)
}

/// Places triangles near the paths of the links' vertices.
pub fn obstacles(r: &mut Random, model: &mut Model, motions: &[Motion], scale: f64, n_objects: usize) {
    for _ in 0..n_objects {
        let n = 1 + r.below(3);
        let mut object: Vec<Triangle> = Vec::new();
        for _ in 0..n {
            let motion = &motions[r.below(motions.len())];
            let (body, mesh) = &model.links[r.below(model.links.len())];
            let vertex = mesh[r.below(mesh.len())][r.below(3)];
            let at = chain::position(&model.chain(*body, motion), r.between(0.0, 1.0), vertex);
            let aside = r.one_of(&[0.0, 0.05, 0.2, 0.5]) * scale * r.direction();
            let size = r.one_of(&[0.03, 0.2, 0.5]) * scale;
            object.push(shapes::triangle(r, at + aside, size));
        }
        if r.percent(10) {
            object.push(object[0]);
        }
        model.objects.push(object);
    }
}

/// The backend and method to run models on.
#[derive(Clone, Copy, Debug)]
pub enum On {
    Cpu,
    /// The CPU, with the same search for pairs as the kernels.
    Spheres,
    /// The paper's bounds.
    Interval,
    /// The adapter; its answers must equal those of the CPU.
    Gpu,
}

/// Checks random models of a family, with a few motions each.
pub fn run(what: &str, family: &Family, seed: u64, n_models: usize, n_motions: usize, on_what: On) {
    let clock = Instant::now();
    let mut counts = Counts::default();
    let (mut engine_s, mut flat) = (0.0, 0);
    for k in 0..n_models {
        let r = &mut Random::new(seed * 1_000_000 + k as u64);
        let scale = r.magnitude(family.scale.0, family.scale.1);
        let mut model = tree(r, family, scale);
        let motions: Vec<Motion> = (0..n_motions).map(|_| motion(r, &model, family.turn, scale)).collect();
        let n_objects = 1 + r.below(3);
        obstacles(r, &mut model, &motions, scale, n_objects);
        let (robot, scene) = model.built();
        let start = Instant::now();
        let check = |backend, bound| {
            let pairs = if matches!(on_what, On::Spheres) { PairSearch::BoxTree } else { PairSearch::Auto };
            let options = Options { bound, pairs, threads: 1, ..on(backend) };
            backends::verdicts(&engine(&robot, &scene, &[], options), &motions)
        };
        let verdicts: Vec<Verdict> = match on_what {
            On::Cpu | On::Spheres => check(Backend::Cpu, PoseEnclosure::TaylorModel),
            On::Interval => check(Backend::Cpu, PoseEnclosure::IntervalMatrix),
            On::Gpu => {
                let verdicts = check(Backend::Gpu, PoseEnclosure::TaylorModel);
                let same = differences(&verdicts, &check(Backend::Cpu, PoseEnclosure::TaylorModel));
                counts.faults.extend(same.iter().map(|d| format!("model {k}: the adapter differs: {d}")));
                verdicts
            }
        };
        engine_s += start.elapsed().as_secs_f64();
        let size = family.away + 20.0 * scale;
        for (i, (motion, verdict)) in motions.iter().zip(&verdicts).enumerate() {
            let truth = truth(&model, &robot, motion, Care::default());
            // for a triangle without area it is sometimes left undecided whether it touches
            flat += usize::from(model.has_flat() && matches!(verdict, Verdict::Undecided(_)));
            counts.judge(&format!("model {k} motion {i}"), &model, motion, &truth, verdict, 1e-8 * size);
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!("{what}: {n_models} models, {engine_s:.1} s in the engine, {seconds:.1} s in all");
    counts.finish(what);
    assert!(counts.certain > 0 && counts.proved_free > 0, "{what}: nothing to see");
    let undecided = counts.undecided - flat;
    assert!(1000 * undecided <= 5 * counts.motions, "{what}: {undecided} undecided, and {flat} without area");
}

#[test]
fn small_trees() {
    run("small trees", &PLAIN, 1, effort(600, 20_000), 4, On::Cpu);
    run("small trees, by spheres", &PLAIN, 1, effort(200, 20_000), 4, On::Spheres);
}

#[test]
fn deep_trees() {
    run("deep trees", &Family { most_joints: 12, turn: 0.8, ..PLAIN }, 2, effort(150, 5000), 3, On::Cpu);
}

#[test]
fn many_turns() {
    run("many turns", &Family { most_joints: 3, turn: 40.0, ..PLAIN }, 3, effort(150, 5000), 2, On::Cpu);
}

#[test]
fn from_millimetres_to_a_hundred_metres() {
    let family = Family { scale: (-3.0, 2.0), ..PLAIN };
    run("all sizes", &family, 4, effort(250, 10_000), 3, On::Cpu);
}

#[test]
fn kilometres_away() {
    for (i, away) in [1e3, 1e4].into_iter().enumerate() {
        let family = Family { away, ..PLAIN };
        run(&format!("{away} m away"), &family, 5 + i as u64, effort(150, 5000), 3, On::Cpu);
    }
}

#[test]
fn interval_bounds() {
    let family = Family { scale: (-3.0, 2.0), ..PLAIN };
    run("interval bounds", &family, 7, effort(250, 10_000), 3, On::Interval);
}

#[test]
fn gpu_and_cpu_agree() {
    if gpu::skip() {
        return;
    }
    for (i, family) in [
        PLAIN,
        Family { most_joints: 12, turn: 0.8, ..PLAIN },
        Family { most_joints: 3, turn: 40.0, ..PLAIN },
        Family { scale: (-3.0, 2.0), ..PLAIN },
        Family { away: 1e4, ..PLAIN },
    ]
    .into_iter()
    .enumerate()
    {
        run("on the adapter", &family, 8 + i as u64, effort(6, 200), 3, On::Gpu);
    }
}

/// The numbers that the engine derives from joint values are those of the specification.
#[test]
fn the_stored_motion_is_the_specified_one() {
    let (mut seen, mut widest) = (0, 0.0_f64);
    for k in 0..effort(300, 5000) {
        let r = &mut Random::new(900_000 + k as u64);
        let turn = r.one_of(&[1.0, 4.0, 60.0]);
        let model = tree(r, &Family { most_joints: 12, ..PLAIN }, 1.0);
        let (robot, motion) = (model.built().0, motion(r, &model, turn, 1.0));
        let stored = super::model::stored(&robot, &motion);
        for body in 0..model.bodies.len() {
            let specified = model.chain(body, &motion);
            for t in [0.0, 0.3, 0.71, 1.0] {
                for p in [DVec3::ZERO, DVec3::new(0.5, -0.25, 1.0)] {
                    let (a, b) = (chain::position(&stored[body + 1], t, p), chain::position(&specified, t, p));
                    widest = widest.max(a.distance(b));
                    assert!(a.distance(b) < 1e-12, "model {k} body {body} at {t}: {a} is not {b}");
                    seen += 1;
                }
            }
        }
    }
    println!("{seen} points, at most {widest:.1e} m apart");
}
