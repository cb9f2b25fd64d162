//! Any number of motions in bounded memory: answers do not depend on how the work is divided.

use crate::effort;
use crate::harness::backends::{engine, on};
use crate::harness::gpu::skip;
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::{Backend, Capacities, Engine, Options};
use firstcontact::robot::{MotionBatch, Robot, Trajectory};
use firstcontact::scene::Scene;
use firstcontact::verdict::{UndecidedReason, Verdict};
use firstcontact::{Error, ErrorKind, Result};

/// A robot among triangles, and motions: some at rest, most short, and some of many turns.
fn case(n: usize) -> (Robot, Scene, MotionBatch) {
    let mut draw = Draw::new(77);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.4, n_triangles: 12, mixed: false });
    let scene = models::scene(&mut draw, 20, 1.3, 0.05);
    let of_turns = |i: usize| [0.0, 0.3, 0.8, 0.2, 20.0, 0.5][i % 6];
    let rows: Vec<_> = (0..n).map(|i| models::motion(&mut draw, &robot, of_turns(i), 0.1)).collect();
    let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    (robot, scene, MotionBatch::between(&start, &end).unwrap())
}

/// The motions in portions of these sizes, cyclically.
fn portions(motions: &MotionBatch, sizes: &[usize]) -> Vec<Result<MotionBatch>> {
    let (mut out, mut at) = (Vec::new(), 0);
    for size in sizes.iter().cycle() {
        if at >= motions.len() {
            break;
        }
        out.push(Ok(motions.range(at..at + size)));
        at += size;
    }
    out
}

fn answers(engine: &Engine, portions: Vec<Result<MotionBatch>>) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let stats = engine.check_portions(&mut portions.into_iter(), &mut |i, verdict| {
        assert_eq!(i, verdicts.len());
        verdicts.push(verdict);
        Ok(())
    });
    assert_eq!(stats.unwrap().motions as usize, verdicts.len());
    verdicts
}

fn the_same(robot: &Robot, scene: &Scene, motions: &MotionBatch, expected: &[Verdict], options: &[Options]) {
    for options in options {
        let engine = engine(robot, scene, &[], options.clone());
        for sizes in [&[usize::MAX / 2][..], &[1], &[7, 1, 0, 300]] {
            let got = answers(&engine, portions(motions, sizes));
            assert!(got == expected, "{sizes:?} {options:?}");
        }
        assert_eq!(engine.check(motions).unwrap().verdicts, expected);
    }
}

#[test]
fn answers_on_the_cpu_do_not_depend_on_how_the_work_is_shared_out() {
    let (robot, scene, motions) = case(effort(900, 20_000));
    let expected = engine(&robot, &scene, &[], on(Backend::Cpu)).check(&motions).unwrap().verdicts;
    let n = |of: fn(&&Verdict) -> bool| expected.iter().filter(of).count();
    let (free, contact) = (n(|v| **v == Verdict::Free), n(|v| v.is_contact()));
    assert!(free > motions.len() / 10 && contact > motions.len() / 10, "{free} {contact}");
    let options: Vec<Options> = [(1, 1 << 30), (2, 1 << 30), (3, 1 << 20), (2, 1 << 17)]
        .map(|(threads, memory_bytes)| Options { threads, memory_bytes, ..on(Backend::Cpu) })
        .into();
    the_same(&robot, &scene, &motions, &expected, &options);
}

#[test]
fn answers_on_an_adapter_do_not_depend_on_how_the_work_is_shared_out() {
    if skip() {
        return;
    }
    let (robot, scene, motions) = case(effort(150, 3000));
    let expected = engine(&robot, &scene, &[], on(Backend::Gpu)).check(&motions).unwrap().verdicts;
    // A motion of 20 radians about three joints has more pieces than the smallest chunks here.
    let small = |pieces, queue, n| Capacities { pieces, boxes: 1 << 10, queue, candidates: n, pairs: n };
    let options: Vec<Options> = [small(1, 1 << 14, 1 << 14), small(4, 1 << 14, 1 << 12), small(64, 500, 40)]
        .into_iter()
        .map(|capacities| Options { capacities: Some(capacities), ..on(Backend::Gpu) })
        .chain([Options { memory_bytes: 1 << 20, ..on(Backend::Gpu) }])
        .collect();
    the_same(&robot, &scene, &motions, &expected, &options);
    assert_eq!(engine(&robot, &scene, &[], on(Backend::Cpu)).check(&motions).unwrap().verdicts, expected);
}

#[test]
fn a_stream_gives_what_a_check_gives() {
    let (robot, scene, motions) = case(10_000);
    let engine = engine(&robot, &scene, &[], on(Backend::Cpu));
    let expected = engine.check(&motions).unwrap().verdicts;
    let mut stream = engine.check_iter(portions(&motions, &[100]));
    for (i, expected) in expected.iter().enumerate() {
        assert_eq!(stream.next().unwrap().unwrap(), (i, expected.clone()));
    }
    assert!(stream.next().is_none() && stream.next().is_none());
    assert_eq!(stream.stats().motions, 10_000);
    // Two streams simultaneously, one of which is dropped early: it ends although its source is endless.
    let (mut a, b) = (engine.check_iter(portions(&motions, &[1000])), engine.check_iter(portions(&motions, &[33])));
    assert!(b.zip(&mut a).all(|(x, y)| x.unwrap() == y.unwrap()));
    let portion = motions.range(0..50);
    let mut endless = engine.check_iter(std::iter::repeat_with(move || Ok(portion.clone())));
    assert_eq!(endless.by_ref().nth(5000).unwrap().unwrap().1, expected[0]);
    drop(endless);
}

#[test]
fn an_error_ends_a_stream_after_the_answers_before_it() {
    let (robot, scene, motions) = case(300);
    for backend in [Backend::Cpu, Backend::Gpu] {
        if backend == Backend::Gpu && skip() {
            return;
        }
        // In several chunks, and in one.
        let small = Capacities { pieces: 16, boxes: 1 << 10, queue: 1 << 14, candidates: 1 << 14, pairs: 1 << 14 };
        for capacities in [Some(small), None] {
            let options = Options { capacities, sweep: firstcontact::engine::Sweep::Off, ..on(backend) };
            let engine = engine(&robot, &scene, &[], options);
            let failing =
                portions(&motions, &[100]).into_iter().chain([Err(Error::usage("stop")), Ok(motions.clone())]);
            let mut stream = engine.check_iter(failing.collect::<Vec<_>>());
            let answers: Vec<_> = stream.by_ref().collect();
            let (last, before) = answers.split_last().unwrap();
            assert_eq!(last.as_ref().unwrap_err().to_string(), "stop");
            assert!(before.len() == 300 && before.iter().enumerate().all(|(i, a)| a.as_ref().unwrap().0 == i));
            // The engine still works.
            assert_eq!(engine.check(&motions.range(0..3)).unwrap().verdicts.len(), 3);
            // So does an engine whose caller stops early.
            let stop = |i: usize| if i == 20 { Err(Error::new(ErrorKind::Interrupted, "enough")) } else { Ok(()) };
            let ended = engine.check_each(&motions, &mut |i, _| stop(i));
            assert_eq!(ended.unwrap_err().kind(), ErrorKind::Interrupted);
            assert_eq!(engine.check(&motions.range(0..3)).unwrap().verdicts.len(), 3);
            let narrow = MotionBatch::between(&[[0.0]], &[[1.0]]).unwrap();
            assert!(engine.check(&narrow).unwrap_err().to_string().contains("1 columns"));
        }
    }
}

/// Few motions are checked on the CPU where the options ask for that, in all ways to check.
#[test]
fn few_motions_do_not_go_to_the_device() {
    if skip() {
        return;
    }
    let (robot, scene, motions) = case(120);
    let options = Options { min_device_motions: Some(100), ..on(Backend::Gpu) };
    let engine = engine(&robot, &scene, &[], options);
    let expected = self::engine(&robot, &scene, &[], on(Backend::Cpu)).check(&motions).unwrap().verdicts;
    for (n, chunks) in [(1, 0), (2, 0), (3, 0), (99, 0), (100, 1), (120, 1), (99, 0)] {
        let motions = motions.range(0..n);
        let report = engine.check(&motions).unwrap();
        assert_eq!(report.verdicts, expected[..n]);
        assert_eq!(report.stats.device.chunks.min(1), chunks, "{n}");
        // The number is that of all motions, however they arrive.
        let stats = engine.check_portions(&mut portions(&motions, &[7]).into_iter(), &mut |_, _| Ok(())).unwrap();
        assert_eq!(stats.device.chunks.min(1), chunks, "{n}");
    }
    // Trajectories are not counted.
    let path = Trajectory::linear([motions.start(0), motions.end(0)]).unwrap();
    let stats = engine.check_trajectories(&[path], &[], &mut |_, _| Ok(())).unwrap();
    assert!(stats.device.chunks > 0);
}

/// Two plates of many triangles that coincide all the time have more pairs than fit. Such motions are undecided from
/// the start; the motions around them are answered nevertheless.
#[test]
fn motions_with_too_many_pairs_are_undecided_and_others_are_answered() {
    let (robot, scene) = plates(24);
    // Along z: through each other from the start, and far from each other.
    let starts: Vec<[f64; 1]> = (0..40).map(|i| [if i % 2 == 0 { 0.0 } else { 5.0 }]).collect();
    let ends: Vec<[f64; 1]> = starts.iter().map(|[z]| [z + 1e-3]).collect();
    let motions = MotionBatch::between(&starts, &ends).unwrap();
    for backend in [Backend::Cpu, Backend::Gpu] {
        if backend == Backend::Gpu && skip() {
            return;
        }
        let options = Options { memory_bytes: 1 << 19, ..on(backend) };
        let verdicts = engine(&robot, &scene, &[], options).check(&motions).unwrap().verdicts;
        for (i, verdict) in verdicts.iter().enumerate() {
            match verdict {
                Verdict::Undecided(u) => {
                    assert!(i % 2 == 0 && u.clear_until == 0.0 && u.reason == UndecidedReason::Memory)
                }
                other => assert!(i % 2 == 1 && *other == Verdict::Free, "{backend:?} {i}: {other:?}"),
            }
        }
        // With enough memory they are decided.
        let verdicts = engine(&robot, &scene, &[], on(backend)).check(&motions.range(0..2)).unwrap().verdicts;
        assert!(matches!(&verdicts[0], Verdict::Contact(c) if c.initial_overlap && c.toc[0] == 0.0), "{backend:?}");
    }
}

/// A plate that slides on a table has too many pairs; the next motion, of another link, is answered as if alone.
#[test]
fn a_motion_with_too_many_pairs_does_not_change_the_next_answer() {
    use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind};
    use glam::{DMat3, DVec3};
    let table = plate(40, 4.0);
    let far = [[100.0, 0.0, 0.0], [101.0, 1.0, 0.0], [101.0, 1.0, 1.0]].map(DVec3::from_array);
    let mut robot = Robot::new("press", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    for (name, axis, orientation) in [("B", DVec3::X, DMat3::IDENTITY), ("C", DVec3::Z, DMat3::from_rotation_y(0.3))] {
        let drive = Drive::direct(robot.add_column(name, ColumnKind::LengthM, None));
        let kind = JointKind::Prismatic { axis, drive };
        let joint = Joint { name: name.into(), orientation, origin_m: DVec3::ZERO, kind };
        let body = robot.add_body(name, Some(0), joint).unwrap();
        let triangles = table.iter().copied().chain([far]).collect();
        robot.add_link(name, body, triangles, vec![0]).unwrap();
    }
    let mut scene = Scene::new();
    scene.add_object("table", table).unwrap();
    let near_c = [[1.0, 1.0, -0.4], [1.01, 1.0, -0.4], [1.0, 1.01, -0.4]].map(DVec3::from_array);
    let near_far = [[100.9, 0.1, 0.2], [100.95, 0.1, 0.2], [100.9, 0.12, 0.25]].map(DVec3::from_array);
    let turned = near_far.map(|p| DMat3::from_rotation_y(0.3) * p);
    for (name, triangle) in [("o2", near_far), ("o3", turned), ("o4", near_c)] {
        scene.add_object(name, [triangle]).unwrap();
    }
    let starts = [[0.013, 500.0], [5000.0, 0.0005]];
    let ends = [[0.0137, 500.0], [5000.0, -0.2]];
    let motions = MotionBatch::between(&starts, &ends).unwrap();
    let options = Options { threads: 1, memory_bytes: 1 << 20, ..on(Backend::Cpu) };
    let new = || engine(&robot, &scene, &[(1, 0)], options.clone());
    let expected = new().check(&motions.range(1..2)).unwrap().verdicts.remove(0);
    let Verdict::Contact(contact) = &expected else { panic!("{expected:?}") };
    assert!(!contact.initial_overlap && contact.is_certified());
    let all = new().check(&motions).unwrap().verdicts;
    assert!(matches!(&all[0], Verdict::Undecided(u) if u.reason == UndecidedReason::Memory), "{:?}", all[0]);
    assert_eq!(all[1], expected);
}

/// A square in the plane z = 0, in `n` by `n` cells of two triangles.
fn plate(n: usize, side_m: f64) -> Vec<[glam::DVec3; 3]> {
    let at = |i: usize, j: usize| glam::DVec3::new(i as f64, j as f64, 0.0) * (side_m / n as f64);
    let cell = |i: usize, j: usize| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    (0..n * n).flat_map(|k| cell(k % n, k / n)).collect()
}

/// Two plates of `2 n²` triangles in the plane z = 0; one slides along z.
fn plates(n: usize) -> (Robot, Scene) {
    use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind};
    use glam::{DMat3, DVec3};
    let triangles = plate(n, 1.0);
    let mut robot = Robot::new("press", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let kind =
        JointKind::Prismatic { axis: DVec3::Z, drive: Drive::direct(robot.add_column("z", ColumnKind::LengthM, None)) };
    let joint = Joint { name: "z".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("plate", Some(0), joint).unwrap();
    robot.add_link("plate", body, triangles.clone(), vec![0]).unwrap();
    let mut scene = Scene::new();
    scene.add_object("table", triangles).unwrap();
    (robot, scene)
}
