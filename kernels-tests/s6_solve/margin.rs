//! A margin: the first time at which the distance falls to it, against distances measured at many times.

use crate::effort;
use crate::harness::backends::{self, differences, engine, on};
use crate::harness::gpu;
use crate::oracle::{chain, triangles};
use crate::random_models::model::{Kind, Model, Motion, stored};
use crate::random_models::{random::Random, trees};
use firstcontact::engine::{Backend, Options};
use firstcontact::robot::Robot;
use firstcontact::stage::s6_solve::SolveOptions;
use firstcontact::verdict::Verdict;
use glam::{DMat3, DVec3};

/// The distance of robot and scene at a time.
fn distance(model: &Model, robot: &Robot, motion: &Motion, t: f64) -> f64 {
    let chains = stored(robot, motion);
    let mut least = f64::INFINITY;
    for (body, mesh) in &model.links {
        for x in mesh {
            let x = x.map(|p| chain::position(&chains[body + 1], t, p));
            for y in model.objects.iter().flatten() {
                least = least.min(triangles::distance(&x, y));
            }
        }
    }
    least
}

fn run(seed: u64, n: usize, backend: Backend) {
    let (mut free, mut certified, mut contacts) = (0, 0, 0);
    for k in 0..n as u64 {
        let r = &mut Random::new(seed * 1_000_000 + k);
        let mut model = trees::tree(r, &trees::PLAIN, 1.0);
        let motions: Vec<Motion> = (0..3).map(|_| trees::motion(r, &model, 1.5, 1.0)).collect();
        trees::obstacles(r, &mut model, &motions, 1.0, 2);
        let margin_m = r.one_of(&[1e-6, 1e-3, 0.02, 0.1, 0.5]);
        let (robot, scene) = model.built();
        let check = |backend| {
            let solve = SolveOptions { margin_m, ..SolveOptions::default() };
            let options = Options { solve, threads: 1, ..on(backend) };
            backends::verdicts(&engine(&robot, &scene, &[], options), &motions)
        };
        let verdicts = check(backend);
        if backend == Backend::Gpu {
            assert_eq!(differences(&verdicts, &check(Backend::Cpu)), [""; 0], "model {k}");
        }
        for (i, (verdict, motion)) in verdicts.iter().zip(&motions).enumerate() {
            let label = format!("model {k} motion {i}, margin {margin_m}: {verdict:?}");
            let at = |t: f64| distance(&model, &robot, motion, t);
            let until = match verdict {
                Verdict::Free => 2.0,
                Verdict::Undecided(u) => u.clear_until,
                Verdict::Contact(c) => c.toc[0],
            };
            for s in 0..=64 {
                let t = f64::from(s) / 64.0;
                assert!(t >= until || at(t) > margin_m - 1e-11, "too near at {t}: {} {label}", at(t));
            }
            match verdict {
                Verdict::Free => free += 1,
                Verdict::Undecided(_) => {}
                Verdict::Contact(c) => {
                    contacts += 1;
                    let [lo, hi] = c.toc;
                    if lo > 0.0 {
                        assert!(at(lo) > margin_m - 1e-11, "late: {} {label}", at(lo));
                    }
                    if c.is_proved() {
                        let nearest = (0..=8).map(|s| at(lo + (hi - lo) * f64::from(s) / 8.0)).fold(9e9, f64::min);
                        assert!(nearest <= margin_m + 1e-8, "never so near: {nearest} {label}");
                    }
                    certified += usize::from(c.is_certified());
                    if !c.is_certified() {
                        println!("not certified: at lo {} at hi {} {label}", at(lo) - margin_m, at(hi) - margin_m);
                    }
                }
            }
        }
    }
    println!("{free} free, {contacts} contacts, {certified} certified");
    assert!(free > n / 10 && contacts > n / 4, "{free} free and {contacts} contacts of {n}");
    assert!(100 * certified >= 95 * contacts, "{certified} of {contacts} certified");
}

#[test]
fn the_distance_falls_to_the_margin_at_the_reported_time() {
    run(50, effort(200, 5000), Backend::Cpu);
}

#[test]
fn gpu_and_cpu_agree() {
    if !gpu::skip() {
        run(51, effort(8, 100), Backend::Gpu);
    }
}

/// A link that rests exactly at the margin above the ground, and one that slides towards a wall.
fn at_the_margin(margin_m: f64, wall_m: f64) -> Model {
    let triangle = |corners: [[f64; 3]; 3]| vec![corners.map(DVec3::from_array)];
    let mut model = Model::default();
    model.add(None, DMat3::IDENTITY, DVec3::ZERO, |value| Kind::Turning(DVec3::Z, value));
    model.add(Some(0), DMat3::IDENTITY, DVec3::Z * 2.0, |value| Kind::Sliding(DVec3::X, value));
    model.links.push((0, triangle([[0.0, 0.0, margin_m], [1.0, 0.0, margin_m], [0.0, 1.0, margin_m]])));
    model.links.push((1, triangle([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])));
    model.objects.push(triangle([[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]]));
    model.objects.push(triangle([[wall_m, -9.0, -9.0], [wall_m, 9.0, -9.0], [wall_m, 0.0, 9.0]]));
    model
}

#[test]
fn a_later_contact_proves_one_that_is_possible() {
    let margin_m = 0.3;
    for (wall_m, travel_m, meets_at) in [(1.3, 2.0, 0.5), (15.3, 20.0, 0.75), (75.3, 100.0, 0.75), (9.3, 3.0, 9.0)] {
        let (robot, scene) = at_the_margin(margin_m, wall_m).built();
        let backends = if gpu::skip() { vec![Backend::Cpu] } else { vec![Backend::Cpu, Backend::Gpu] };
        for backend in backends {
            let solve = SolveOptions { margin_m, ..SolveOptions::default() };
            let options = Options { solve, threads: 1, ..on(backend) };
            let motions = [(vec![0.0, 0.0], vec![0.0, travel_m])];
            let verdicts = backends::verdicts(&engine(&robot, &scene, &[], options), &motions);
            let [Verdict::Contact(contact)] = &verdicts[..] else { panic!("{verdicts:?}") };
            let label = format!("{backend:?}, {travel_m} m: {contact:?}");
            assert_eq!(
                (contact.toc[0], contact.initial_overlap, contact.is_certified()),
                (0.0, true, false),
                "{label}"
            );
            assert_eq!(contact.is_proved(), meets_at <= 1.0, "{label}");
            let until = if meets_at <= 1.0 { meets_at..meets_at + 0.1 } else { 1.0..1.1 };
            assert!(until.contains(&contact.toc[1]), "{label}");
        }
    }
}
