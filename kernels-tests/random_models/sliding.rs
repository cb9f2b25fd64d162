//! Models in which nothing turns, on a coarse lattice: touching at vertices and edges, sliding in a plane, resting, and
//! triangles without area are common there, and the first contact is known as a fraction.

use super::judge::{Counts, Truth};
use super::model::{Kind, Model, Motion, Triangle, stored};
use super::random::Random;
use crate::effort;
use crate::harness::backends::{self, differences, engine, on};
use crate::harness::gpu;
use crate::oracle::exact::{self, first_contact, translation};
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::verdict::Verdict;
use glam::{DMat3, DVec3};

/// The step size of the lattice, and its position.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    unit: f64,
    away: DVec3,
    /// Largest coordinate, in units.
    wide: i32,
}

impl Lattice {
    fn point(&self, r: &mut Random) -> DVec3 {
        self.unit * DVec3::from_array([0; 3].map(|_| r.whole(-self.wide, self.wide)))
    }

    fn triangles(&self, r: &mut Random, most: usize) -> Vec<Triangle> {
        let n = 1 + r.below(most);
        let mut out: Vec<Triangle> = (0..n).map(|_| [self.point(r), self.point(r), self.point(r)]).collect();
        if r.percent(10) {
            out.push(out[0]);
        }
        out
    }
}

/// One to three slides in series, turned by quarter turns; a link on the last one; an object.
fn model(r: &mut Random, lattice: &Lattice) -> (Model, Vec<Motion>) {
    let mut model = Model { base: lattice.away, ..Model::default() };
    let quarter = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X);
    for i in 0..1 + r.below(3) {
        let orientation = r.one_of(&[DMat3::IDENTITY, quarter, quarter * quarter]);
        let axis = r.one_of(&[DVec3::X, DVec3::Y, DVec3::NEG_Z]);
        let origin = if r.percent(50) { DVec3::ZERO } else { lattice.point(r) };
        model.add(i.checked_sub(1), orientation, origin, |value| Kind::Sliding(axis, value));
    }
    let mesh = lattice.triangles(r, 2);
    model.links.push((model.bodies.len() - 1, mesh));
    let moved = |t: Triangle| t.map(|p| p + lattice.away);
    model.objects.push(lattice.triangles(r, 2).into_iter().map(moved).collect());
    let mut value = |_| lattice.unit * r.whole(-2 * lattice.wide, 2 * lattice.wide);
    let n = model.columns;
    let mut motions: Vec<Motion> =
        (0..6).map(|_| ((0..n).map(&mut value).collect(), (0..n).map(&mut value).collect())).collect();
    motions.push((motions[0].0.clone(), motions[0].0.clone()));
    (model, motions)
}

/// The first contact as two equal or neighbouring numbers.
fn exactly(model: &Model, engine: &Engine, motion: &Motion) -> Option<(f64, f64)> {
    let (body, mesh) = &model.links[0];
    // the engine's own robot: relative to the base, if that is far away
    let chain = &stored(&engine.world().robot, motion)[body + 1];
    let origin = engine.world().origin_m;
    let mut first = None;
    for x in mesh {
        let moving = x.map(|p| translation(chain, p));
        for y in &model.objects[0] {
            let y = exact::triangle(&y.map(|p| p - origin));
            let time = first_contact(&moving.each_ref().map(|m| m.0.clone()), &moving[0].1, &y);
            first = first.into_iter().chain(time).min();
        }
    }
    first.map(|t| t.enclosure())
}

fn run(what: &str, lattice: Lattice, seed: u64, n: usize, options: &Options) {
    let mut counts = Counts::default();
    let (mut at_start, mut at_end, mut flat, mut early) = (0, 0, 0, 0.0_f64);
    for k in 0..n {
        let r = &mut Random::new(seed * 1_000_000 + k as u64);
        let (model, motions) = model(r, &lattice);
        let (robot, scene) = model.built();
        let engine = engine(&robot, &scene, &[], options.clone());
        let verdicts = backends::verdicts(&engine, &motions);
        if options.backend == Backend::Gpu {
            let on_cpu = Options { backend: Backend::Cpu, ..options.clone() };
            let same = differences(
                &verdicts,
                &backends::verdicts(&crate::harness::backends::engine(&robot, &scene, &[], on_cpu), &motions),
            );
            counts.faults.extend(same.iter().map(|d| format!("model {k}: the adapter differs: {d}")));
        }
        for (i, (motion, verdict)) in motions.iter().zip(&verdicts).enumerate() {
            let what = format!("model {k} motion {i}");
            let known = exactly(&model, &engine, motion);
            let truth =
                Truth { clear_until: known.map_or(f64::INFINITY, |(lo, _)| lo), contact_by: known.map(|(_, hi)| hi) };
            // resting at a distance is free, for any duration
            counts.judge(&what, &model, motion, &truth, verdict, 1e-9 * (lattice.unit + 1e-3 * lattice.away.length()));
            let mut fault = |text: &str| counts.faults.push(format!("{what}: {text}: {verdict:?}; {truth:?}"));
            match (verdict, known) {
                (Verdict::Contact(_), None) => fault("FALSE contact"),
                (Verdict::Contact(c), Some((t, _))) => {
                    early = early.max(t - c.toc[0]);
                    at_start += usize::from(t == 0.0);
                    at_end += usize::from(t == 1.0);
                    if c.initial_overlap != (t == 0.0) {
                        fault("overlaps at the start, or not");
                    }
                }
                (Verdict::Undecided(_), _) => flat += usize::from(model.has_flat()),
                (Verdict::Free, _) => {}
            }
        }
    }
    println!("{what}: {at_start} touch at the start, {at_end} at the end, at most {early:.1e} early, {flat} left open");
    counts.finish(what);
    assert!(counts.certain > 0 && counts.proved_free > 0 && at_start > 0, "{what}: nothing to see");
    assert!(early < 1e-6, "{what}: early by {early:e}");
    let undecided = counts.undecided - flat;
    assert!(1000 * undecided <= 5 * counts.motions, "{what}: {undecided} undecided");
}

const NEAR: Lattice = Lattice { unit: 0.125, away: DVec3::ZERO, wide: 4 };

fn one_thread() -> Options {
    Options { threads: 1, ..on(Backend::Cpu) }
}

#[test]
fn first_contacts_are_the_exact_ones() {
    run("on a lattice", NEAR, 1, effort(1500, 50_000), &one_thread());
    // so coarse that most triangles have no area or lie in a common plane
    run("on a coarse lattice", Lattice { unit: 0.25, wide: 1, ..NEAR }, 2, effort(1500, 50_000), &one_thread());
}

#[test]
fn first_contacts_are_the_exact_ones_at_all_sizes() {
    for (i, unit) in [2.0_f64.powi(-13), 2.0_f64.powi(-6), 4.0, 32.0].into_iter().enumerate() {
        let what = format!("on a lattice of {unit} m");
        run(&what, Lattice { unit, ..NEAR }, 3 + i as u64, effort(300, 10_000), &one_thread());
    }
}

#[test]
fn first_contacts_are_the_exact_ones_far_away() {
    for (i, away) in [DVec3::new(1024.0, -256.0, 7.0), DVec3::new(-9000.0, 3000.0, 12000.0)].into_iter().enumerate() {
        run(&format!("at {away}"), Lattice { away, ..NEAR }, 7 + i as u64, effort(300, 10_000), &one_thread());
    }
}

#[test]
fn interval_bounds() {
    let options = Options { bound: PoseEnclosure::IntervalMatrix, ..one_thread() };
    run("interval bounds on a lattice", NEAR, 9, effort(300, 10_000), &options);
}

#[test]
fn gpu_and_cpu_agree() {
    if gpu::skip() {
        return;
    }
    let options = Options { backend: Backend::Gpu, ..one_thread() };
    run("on the adapter", NEAR, 10, effort(10, 300), &options);
    run("on the adapter, coarse", Lattice { unit: 0.25, wide: 1, ..NEAR }, 11, effort(10, 300), &options);
}
