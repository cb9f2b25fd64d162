//! Device failures: never a wrong answer, one clear error, and an engine that works again afterwards. Also the work
//! that a warm device does not repeat.

use crate::effort;
use crate::harness::backends::{engine, on};
use crate::harness::gpu::skip;
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::{Backend, Capacities, Engine, Options};
use firstcontact::gpu::Faults;
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use firstcontact::{ErrorKind, Result};
use rayon::prelude::*;

struct Case {
    robot: Robot,
    scene: Scene,
    motions: MotionBatch,
    expected: Vec<Verdict>,
}

fn case() -> Case {
    let mut draw = Draw::new(78);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.4, n_triangles: 12, mixed: false });
    let scene = models::scene(&mut draw, 30, 1.3, 0.05);
    let rows: Vec<_> = (0..40).map(|i| models::motion(&mut draw, &robot, [0.4, 3.0][i % 2], 0.1)).collect();
    let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let motions = MotionBatch::between(&start, &end).unwrap();
    let expected = engine(&robot, &scene, &[], on(Backend::Cpu)).check(&motions).unwrap().verdicts;
    let contacts = expected.iter().filter(|v| v.is_contact()).count();
    assert!(contacts > 5 && contacts < 35, "{contacts}");
    Case { robot, scene, motions, expected }
}

/// Options with small chunks and queues, so that there are many submissions and all paths are taken.
fn options(faults: Faults) -> Options {
    let capacities = Capacities { pieces: 12, boxes: 1 << 10, queue: 1 << 12, candidates: 64, pairs: 64 };
    Options { capacities: Some(capacities), faults, ..on(Backend::Gpu) }
}

/// Checks the answers of an engine with a fault, if the fault lets it be built. Returns whether the fault occurred.
fn with_fault(case: &Case, faults: Faults, kind: ErrorKind) -> bool {
    let strikes = |e: firstcontact::Error| {
        assert_eq!(e.kind(), kind, "{faults:?}: {e}");
        assert!(e.to_string().contains("adapter '") && e.to_string().contains("--backend cpu"), "{e}");
    };
    let engine = match Engine::builder(&case.robot, &case.scene).options(options(faults)).build() {
        Ok(engine) => engine,
        Err(e) => {
            strikes(e);
            return true;
        }
    };
    let mut before = Vec::new();
    let ended: Result<_> = engine.check_each(&case.motions, &mut |_, verdict| {
        before.push(verdict);
        Ok(())
    });
    // All answers before the fault are right.
    assert!(before == case.expected[..before.len()], "{faults:?}");
    let struck = match ended {
        Ok(_) => {
            assert_eq!(before.len(), case.expected.len());
            false
        }
        Err(e) => {
            strikes(e);
            true
        }
    };
    // The engine works again.
    let again = engine.check(&case.motions).unwrap_or_else(|e| panic!("{faults:?}: {e}"));
    assert_eq!(again.verdicts, case.expected, "{faults:?}");
    struck
}

/// Runs [`with_fault`] at each of these moments, on all cores; returns at how many of them the fault occurred.
fn at_moments(moments: std::ops::Range<u64>, step: usize, kind: ErrorKind, of: impl Fn(u64) -> Faults + Sync) -> usize {
    let case = case();
    let all: Vec<u64> = moments.step_by(step).collect();
    all.par_iter().filter(|&&n| with_fault(&case, of(n), kind)).count()
}

#[test]
fn a_device_that_is_lost_gives_no_wrong_answer() {
    if skip() {
        return;
    }
    let loss = |n| Faults { loss: Some(n), ..Faults::default() };
    let struck = at_moments(0..effort(24, 60) as u64, effort(3, 1), ErrorKind::Gpu, loss);
    println!("lost {struck} times");
    assert!(struck >= effort(6, 20));
}

#[test]
fn a_failed_allocation_gives_no_wrong_answer() {
    if skip() {
        return;
    }
    let allocation = |n| Faults { allocation: Some(n), ..Faults::default() };
    let struck = at_moments(0..effort(80, 120) as u64, effort(8, 1), ErrorKind::Memory, allocation);
    println!("refused {struck} times");
    assert!(struck >= effort(4, 30));
}

#[test]
fn an_adapter_with_minimum_limits_gives_the_same_answers() {
    if skip() {
        return;
    }
    let case = case();
    let faults = Faults { least_limits: true, ..Faults::default() };
    for options in [options(faults), Options { faults, memory_bytes: 8 << 30, ..on(Backend::Gpu) }] {
        let verdicts = engine(&case.robot, &case.scene, &[], options).check(&case.motions).unwrap().verdicts;
        assert_eq!(verdicts, case.expected);
    }
}

/// Motions one by one: after the first ones of each length, no more objects are created on the device.
#[test]
fn a_warm_device_creates_no_objects() {
    if skip() {
        return;
    }
    let case = case();
    for sweep in [firstcontact::engine::Sweep::Compute, firstcontact::engine::Sweep::Off] {
        let engine = engine(&case.robot, &case.scene, &[], Options { sweep, ..on(Backend::Gpu) });
        let mut made = Vec::new();
        for round in 0..3 {
            for (i, expected) in case.expected.iter().enumerate() {
                let report = engine.check(&case.motions.range(i..i + 1)).unwrap();
                assert_eq!(&report.verdicts[0], expected);
                made.push(report.stats.device_objects);
            }
            assert!(round > 0 || made[0] > 0);
        }
        let n = case.expected.len();
        assert_eq!(made[n..].iter().sum::<u64>(), 0, "{sweep:?} {made:?}");
    }
}
