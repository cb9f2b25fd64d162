//! Motions divided among several adapters: the answers are those of one, in the same order.

use crate::effort;
use crate::harness::backends::{engine, on};
use crate::harness::gpu::skip;
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::{Backend, Capacities, Engine, Options};
use firstcontact::gpu::Faults;
use firstcontact::robot::{LinkPairs, MotionBatch, Robot, Trajectory};
use firstcontact::scene::Scene;
use firstcontact::{Error, ErrorKind};

struct Case {
    robot: Robot,
    scene: Scene,
    motions: MotionBatch,
}

fn case(seed: u64, n: usize) -> Case {
    let mut draw = Draw::new(seed);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.4, n_triangles: 12, mixed: false });
    let scene = models::scene(&mut draw, 30, 1.3, 0.05);
    // Long motions have many pieces, so that the adapters finish their portions at different times.
    let rows: Vec<_> = (0..n).map(|i| models::motion(&mut draw, &robot, [0.3, 0.6, 4.0][i % 3], 0.1)).collect();
    let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    Case { robot, scene, motions: MotionBatch::between(&start, &end).unwrap() }
}

/// Options for three devices on each adapter, with small chunks.
fn shared() -> Options {
    let capacities = Capacities { pieces: 24, boxes: 1 << 10, queue: 1 << 14, candidates: 1 << 12, pairs: 1 << 12 };
    let faults = Faults { more_devices: 2, ..Faults::default() };
    Options { capacities: Some(capacities), faults, adapters: vec!["all".into()], ..on(Backend::Gpu) }
}

/// Engines with these options, and with several devices.
fn engines(case: &Case, one: Options, link_pairs: &LinkPairs) -> [Engine; 2] {
    [one, shared()].map(|options| {
        let builder = Engine::builder(&case.robot, &case.scene).options(options);
        builder.link_pairs(link_pairs.clone()).build().unwrap()
    })
}

#[test]
fn answers_of_several_adapters_equal_those_of_one_in_order() {
    if skip() {
        return;
    }
    let case = case(91, effort(700, 20_000));
    for link_pairs in [LinkPairs::none(), LinkPairs::all_but_adjacent(&case.robot)] {
        let [cpu, shared] = engines(&case, on(Backend::Cpu), &link_pairs);
        assert!(shared.adapters().len() >= 3 && shared.adapter_names().unwrap().contains(" + "));
        let [expected, found] = [&cpu, &shared].map(|engine| engine.check(&case.motions).unwrap());
        let (n, contacts) = (case.motions.len(), found.stats.contact as usize);
        assert!(contacts > n / 20 && contacts < n - n / 50, "{contacts}");
        assert_eq!(found.verdicts, expected.verdicts);
        assert_eq!(found.stats.motions, expected.stats.motions);
        // Every motion was on a device, once.
        let concat = &found.stats.kernels[&["s1_concat", "jet"]];
        assert!(concat.dispatches >= 3 && found.stats.device.chunks >= 3, "{:?}", found.stats.kernels);
    }
}

/// Few motions, none, and single ones.
#[test]
fn any_number_of_motions_is_divided() {
    if skip() {
        return;
    }
    let case = case(92, 70);
    let [cpu, shared] = engines(&case, on(Backend::Cpu), &LinkPairs::none());
    let expected = cpu.check(&case.motions).unwrap().verdicts;
    for n in [0, 1, 2, 31, 33, 70] {
        let report = shared.check(&case.motions.range(0..n)).unwrap();
        assert_eq!((report.verdicts.as_slice(), report.stats.motions), (&expected[..n], n as u64));
    }
}

#[test]
fn trajectories_are_divided() {
    if skip() {
        return;
    }
    let case = case(93, effort(90, 2000));
    let at_rest = vec![0.0; case.motions.n_columns()];
    let path = |i: usize| {
        let mut path = Trajectory::new(case.motions.start(i)).unwrap();
        path.cubic_to(1.0, &at_rest, &at_rest, case.motions.end(i)).unwrap();
        path
    };
    let paths: Vec<Trajectory> = (0..case.motions.len()).map(path).collect();
    // Trajectories are cut differently on the CPU, so enclosures have other last digits there.
    let [expected, found] = engines(&case, on(Backend::Gpu), &LinkPairs::none()).map(|engine| {
        let mut answers = Vec::new();
        let check = engine.check_trajectories(&paths, &[], &mut |_, answer| {
            answers.push(answer);
            Ok(())
        });
        check.map(|stats| (answers, stats)).unwrap()
    });
    assert_eq!(found.0, expected.0);
    assert!(found.1.device.chunks >= 3);
}

/// An error of the sink or of the motions ends the work on all adapters, after the right answers to earlier motions.
#[test]
fn an_error_ends_the_work_of_all() {
    if skip() {
        return;
    }
    let case = case(94, 400);
    let one = Options { capacities: shared().capacities, ..on(Backend::Gpu) };
    let [one, several] = engines(&case, one, &LinkPairs::none());
    let expected = engine(&case.robot, &case.scene, &[], on(Backend::Cpu)).check(&case.motions).unwrap().verdicts;
    for engine in [one, several] {
        for end in [0, 130, 399] {
            let mut delivered = Vec::new();
            let ended = engine.check_each(&case.motions, &mut |i, verdict| {
                if i == end {
                    return Err(Error::new(ErrorKind::Interrupted, "enough"));
                }
                delivered.push(verdict);
                Ok(())
            });
            assert_eq!(ended.unwrap_err().to_string(), "enough");
            assert_eq!(delivered, expected[..end]);
        }
        let portions = (0..4).map(|k| Ok(case.motions.range(100 * k..100 * k + 100)));
        let mut portions = portions.take(2).chain([Err(Error::usage("no more"))]);
        let mut delivered = Vec::new();
        let ended = engine.check_portions(&mut portions, &mut |_, verdict| {
            delivered.push(verdict);
            Ok(())
        });
        assert_eq!(ended.unwrap_err().to_string(), "no more");
        assert_eq!(delivered, expected[..200]);
        assert_eq!(engine.check(&case.motions).unwrap().verdicts, expected);
    }
}

/// If a device is lost, the check fails, with right answers before; the next one opens the device again.
#[test]
fn a_lost_device_is_opened_again() {
    if skip() {
        return;
    }
    let case = case(95, 300);
    let expected = engine(&case.robot, &case.scene, &[], on(Backend::Cpu)).check(&case.motions).unwrap().verdicts;
    for loss in [0, 3, 7] {
        let mut options = shared();
        options.faults.loss = Some(loss);
        let shared = engine(&case.robot, &case.scene, &[], options);
        let mut delivered = Vec::new();
        let ended = shared.check_each(&case.motions, &mut |_, verdict| {
            delivered.push(verdict);
            Ok(())
        });
        let error = ended.unwrap_err();
        assert!(error.kind() == ErrorKind::Gpu && error.to_string().contains("adapter '"), "{error}");
        assert_eq!(delivered, expected[..delivered.len()]);
        // Each of the others may be lost later, once.
        let mut again = (0..shared.adapters().len()).map(|_| shared.check(&case.motions));
        assert_eq!(again.find_map(Result::ok).unwrap().verdicts, expected);
    }
}
