//! The mode that computes verdicts only: the same verdicts as with the first contact, with less work.

use crate::effort;
use crate::harness::backends::{engine, on};
use crate::harness::gpu::skip;
use crate::harness::models::{self, Draw, RobotKind};
use crate::oracle::{data, npy, pool};
use firstcontact::engine::{Backend, Engine, Options, Report};
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::stage::s6_solve::{InitialContactPolicy, Mode};
use firstcontact::verdict::Verdict;
use std::sync::Arc;

fn check(robot: &Robot, scene: &Scene, motions: &MotionBatch, mode: Mode, options: &Options) -> Report {
    let mut options = options.clone();
    options.solve.mode = mode;
    engine(robot, scene, &[], options).check(motions).unwrap()
}

/// Checks that verdicts and proofs are those of the other mode, and that enclosures contain the same contact. Returns
/// the number of contacts, and the evaluations of the exact stage in both modes.
fn compare(robot: &Robot, scene: &Scene, motions: &MotionBatch, options: &Options) -> [usize; 3] {
    let exact = check(robot, scene, motions, Mode::Toc, options);
    let quick = check(robot, scene, motions, Mode::Verdict, options);
    let evaluations = [&exact, &quick].map(|r| r.stats.solve.evaluations as usize);
    assert!(evaluations[1] <= evaluations[0], "{evaluations:?}");
    let mut contacts = 0;
    for (i, (a, b)) in exact.verdicts.iter().zip(&quick.verdicts).enumerate() {
        let same = match (a, b) {
            (Verdict::Free, Verdict::Free) => true,
            (Verdict::Undecided(_), Verdict::Undecided(_)) => true,
            (Verdict::Contact(a), Verdict::Contact(b)) => {
                contacts += 1;
                // The first contact is in both enclosures.
                let holds = b.toc[0] <= a.toc[1] && b.toc[1] >= a.toc[0] && b.toc[0] <= b.toc[1] && b.toc[1] <= 1.0;
                holds && a.is_proved() == b.is_proved() && a.initial_overlap == b.initial_overlap && a.first.is_some()
            }
            // The evaluation limit may end the longer search.
            (Verdict::Undecided(_), Verdict::Contact(c)) => c.is_proved(),
            _ => false,
        };
        assert!(same, "{:?} motion {i}: {a:?} but {b:?}", options.backend);
    }
    [contacts, evaluations[0], evaluations[1]]
}

fn on_random_models(backend: Backend, n_models: usize, n_motions: usize) {
    let mut contacts = 0;
    for seed in 0..n_models as u64 {
        let mut draw = Draw::new(300 + seed);
        let kind = RobotKind { n_bodies: 1 + draw.below(5), link_m: 0.4, n_triangles: 12, mixed: seed % 2 == 1 };
        let robot = models::robot(&mut draw, kind);
        let n = 10 + draw.below(30);
        let scene = models::scene(&mut draw, n, 1.2, 0.06);
        let turns = [0.3, 1.0, 8.0][seed as usize % 3];
        let rows: Vec<_> = (0..n_motions).map(|_| models::motion(&mut draw, &robot, turns, 0.3)).collect();
        let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let motions = MotionBatch::between(&start, &end).unwrap();
        for (initial, margin_m) in [
            (InitialContactPolicy::Report, 0.0),
            (InitialContactPolicy::Ignore, 0.0),
            (InitialContactPolicy::Report, 0.01),
        ] {
            let mut options = on(backend);
            (options.solve.initial, options.solve.margin_m) = (initial, margin_m);
            contacts += compare(&robot, &scene, &motions, &options)[0];
        }
    }
    let n = 3 * n_models * n_motions;
    println!("{contacts} contacts of {n}");
    assert!(contacts > n / 5 && contacts < n / 5 * 4);
}

#[test]
fn verdicts_alone_on_random_models_on_the_cpu() {
    on_random_models(Backend::Cpu, effort(12, 200), 60);
}

#[test]
fn verdicts_alone_on_random_models_on_an_adapter() {
    if !skip() {
        on_random_models(Backend::Gpu, effort(4, 40), 30);
    }
}

fn on_the_pool(backend: Backend, all: bool) {
    let Some(folder) = data::folder("puma-pool") else { return };
    let robot = Robot::from_urdf(folder.join("robot.urdf")).unwrap();
    for name in ["pipes", "amr"] {
        let read = |ending: &str| folder.join(format!("{name}.{ending}"));
        let motions = npy::read_motions(&read("npy"));
        let chosen = if all { (0..motions.len()).collect() } else { pool::read_indices(&read("sample300.txt")) };
        let (start, end): (Vec<_>, Vec<_>) = chosen.iter().map(|&i| motions[i].clone()).unzip();
        let scene = Scene::from_file(read("obj")).unwrap();
        let motions = MotionBatch::between(&start, &end).unwrap();
        let ([contacts, exact, quick], n) = (compare(&robot, &scene, &motions, &on(backend)), motions.len());
        println!("{name}: {contacts} contacts of {n}; {exact} evaluations, {quick} for the verdict alone");
        assert!(3 * quick <= exact);
        assert!(contacts > 50 && n - contacts > 50);
    }
}

#[test]
fn verdicts_alone_on_the_pool_on_the_cpu() {
    on_the_pool(Backend::Cpu, true);
}

#[test]
fn verdicts_alone_on_the_pool_on_an_adapter() {
    if !skip() {
        on_the_pool(Backend::Gpu, data::slow());
    }
}

/// Engines that share a world give the same answers as engines with worlds of their own, whatever their options change
/// in it.
#[test]
fn engines_that_share_a_world_answer_like_separate_ones() {
    let (mut frees, mut contacts) = (0, 0);
    for seed in 401..404 {
        let mut draw = Draw::new(seed);
        let kind = RobotKind { n_bodies: 4, link_m: 0.4, n_triangles: 12, mixed: true };
        let (robot, scene) = (models::robot(&mut draw, kind), models::scene(&mut draw, 8, 1.2, 0.06));
        let rows: Vec<_> = (0..40).map(|_| models::motion(&mut draw, &robot, 0.5, 0.1)).collect();
        let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let motions = MotionBatch::between(&start, &end).unwrap();
        let allowed = [(1, 0)];
        let mut known = engine(&robot, &scene, &allowed, on(Backend::Cpu));
        let mut wide = on(Backend::Cpu);
        (wide.solve.margin_m, wide.threads) = (0.01, 1);
        // This engine also has trees of oriented boxes over the scene, which the next one must not have.
        let bare = Options { cull: false, ..on(Backend::Cpu) };
        let mut kinds = vec![wide, bare, on(Backend::Cpu)];
        kinds.extend((!skip()).then(|| on(Backend::Gpu)));
        for options in kinds {
            let (again, own) =
                (known.with_options(options.clone()).unwrap(), engine(&robot, &scene, &allowed, options.clone()));
            let shares = |other: &Engine| Arc::ptr_eq(&again.world().scene, &other.world().scene);
            assert!(shares(&known) && !shares(&own));
            let [again_says, own_says] = [&again, &own].map(|e| e.check(&motions).unwrap().verdicts);
            assert_eq!(again_says, own_says, "{options:?}");
            frees += own_says.iter().filter(|v| **v == Verdict::Free).count();
            contacts += own_says.iter().filter(|v| v.is_contact()).count();
            known = again;
        }
        let mut none = on(Backend::Cpu);
        none.solve.tolerance = -1.0;
        assert!(known.with_options(none).is_err());
    }
    assert!(frees > 20 && contacts > 20, "{frees} {contacts}");
}
