use super::*;
use crate::clearance::ClearanceOptions;
use crate::engine::{Backend, Engine, Options};
use crate::robot::Drive;
use crate::robot::{Joint, Robot};
use crate::scene::Scene;
use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_PI_6;

/// An arm of one metre that turns about z and slides along z, and a wall at y = 0.5 that the tip reaches at π/6.
fn engine(options: Options) -> Engine {
    let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let lift = robot.add_column("lift", ColumnKind::LengthM, None);
    let turn = robot.add_column("shoulder", ColumnKind::AngleRad, None);
    let joint =
        |name: &str, kind| Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let lift = JointKind::Prismatic { axis: DVec3::Z, drive: Drive::direct(lift) };
    let lift = robot.add_body("lift", Some(0), joint("lift", lift)).unwrap();
    let turn = JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(turn) };
    let arm = robot.add_body("arm", Some(lift), joint("shoulder", turn)).unwrap();
    robot.add_link("arm", arm, vec![[DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, 0.1)]], vec![0]).unwrap();
    let mut scene = Scene::new();
    let (a, b, c) = (DVec3::new(-5.0, 0.5, -5.0), DVec3::new(5.0, 0.5, -5.0), DVec3::new(0.0, 0.5, 9.0));
    scene.add_object("wall", [[a, b, c]]).unwrap();
    Engine::builder(&robot, &scene).options(Options { backend: Backend::Cpu, ..options }).build().unwrap()
}

fn check(engine: &Engine, path: &Trajectory, tube: &[f64]) -> TrajectoryVerdict {
    let mut found = None;
    let paths = std::slice::from_ref(path);
    let keep = &mut |_, answer| {
        found = Some(answer);
        Ok(())
    };
    engine.check_trajectories(paths, tube, keep).unwrap();
    found.unwrap()
}

/// The contact of an answer, and the angle of the shoulder at both ends of its enclosure.
fn contact(path: &Trajectory, answer: &TrajectoryVerdict) -> (Contact, [f64; 2]) {
    let Verdict::Contact(contact) = &answer.verdict else { panic!("{answer:?}") };
    let angle = |segment: usize, t: f64| path.at(segment, t)[1];
    let angles = [angle(answer.segment, contact.toc[0]), angle(answer.segment_hi, contact.toc[1])];
    (contact.clone(), angles)
}

#[test]
fn a_path_in_any_number_of_segments_touches_at_the_same_angle() {
    let engine = engine(Options::default());
    for n in [1, 2, 3, 10, 1000] {
        let path = Trajectory::linear((0..=n).map(|i| [0.2, f64::from(i) / f64::from(n)])).unwrap();
        let (contact, angles) = contact(&path, &check(&engine, &path, &[]));
        assert!(contact.is_certified() && !contact.initial_overlap, "{n}: {contact:?}");
        assert!(angles[0] <= FRAC_PI_6 + 1e-15 && angles[1] >= FRAC_PI_6 - 1e-15, "{n}: {angles:?}");
        assert!(angles[1] - angles[0] < 2e-9, "{n}: {angles:?}");
        let back = Trajectory::linear((0..=n).map(|i| [0.2, -f64::from(i) / f64::from(n)])).unwrap();
        assert_eq!(check(&engine, &back, &[]).verdict, Verdict::Free);
    }
}

/// Splines: the contact is where the shoulder reaches the angle, and a spline that turns back before it is free.
#[test]
fn splines_touch_where_they_reach_the_wall() {
    let engine = engine(Options::default());
    for (end, v0) in [(1.0, 0.0), (0.9, 2.0), (0.0, 5.0), (-0.5, 8.0)] {
        let mut cubic = Trajectory::new(&[0.0, -0.3]).unwrap();
        cubic.line_to(&[0.1, 0.0]).unwrap();
        cubic.cubic_to(1.0, &[0.2, v0], &[0.0, 0.0], &[0.3, end]).unwrap();
        let mut quintic = Trajectory::new(&[0.0, 0.0]).unwrap();
        quintic.quintic_to(2.0, [&[0.0, v0], &[0.0, 0.0]], [&[0.0, 1.0], &[0.0; 2]], &[0.3, end]).unwrap();
        for path in [cubic, quintic] {
            let path = path.clone().with_times(&[1.0, 2.0, 4.0][..=path.n_segments()]).unwrap();
            let highest =
                (0..=10_000).map(|i| path.at(path.n_segments() - 1, f64::from(i) / 1e4)[1]).fold(0.0, f64::max);
            let answer = check(&engine, &path, &[]);
            if highest < FRAC_PI_6 {
                assert_eq!(answer.verdict, Verdict::Free, "{end} {v0}");
                continue;
            }
            let (contact, angles) = contact(&path, &answer);
            assert!(contact.is_certified(), "{end} {v0}: {contact:?}");
            assert!(angles[0] <= FRAC_PI_6 + 1e-14 && angles[1] >= FRAC_PI_6 - 1e-14, "{angles:?}");
            let [lo, hi] = answer.time_s.unwrap();
            assert!(lo <= hi && hi - lo < 1e-8 && lo > 1.0, "{lo} {hi}");
        }
    }
}

/// A path whose highest point is just below the wall is free, just above it touches.
#[test]
fn highest_points_near_the_wall() {
    let engine = engine(Options::default());
    let (mut free, mut touching) = (0, 0);
    for gap in [1e-2, 1e-4, 1e-6, 1e-8, -1e-8, -1e-6, -1e-4, -1e-2] {
        // A cubic with these velocities rises to a quarter of the velocity halfway.
        let v = 4.0 * (FRAC_PI_6 - gap);
        let mut path = Trajectory::new(&[0.0, 0.0]).unwrap();
        path.cubic_to(1.0, &[0.0, v], &[0.0, -v], &[0.0, 0.0]).unwrap();
        // A span over both segments is replaced by a straight motion, here by rest.
        let [below, highest] = [0.02, 0.0].map(|by| [0.0, FRAC_PI_6 - gap - by]);
        let corner = Trajectory::linear([below, highest, below]).unwrap();
        for path in [path, corner] {
            match check(&engine, &path, &[]).verdict {
                Verdict::Free => {
                    assert!(gap > 0.0, "{gap}");
                    free += 1;
                }
                Verdict::Contact(contact) => {
                    assert!(gap < 0.0 && contact.is_certified(), "{gap}: {contact:?}");
                    touching += 1;
                }
                Verdict::Undecided(why) => panic!("{why:?}"),
            }
        }
    }
    assert_eq!((free, touching), (8, 8));
}

/// With a tolerance of the shoulder the wall is reached earlier by the tolerance; a proved contact is one of the path
/// itself.
#[test]
fn tolerances_of_joints_bring_the_contact_forward() {
    let engine = engine(Options::default());
    let path = Trajectory::linear([[0.0, 0.0], [0.0, 0.4], [0.0, 1.0]]).unwrap();
    let (nominal, _) = contact(&path, &check(&engine, &path, &[0.0, 0.0]));
    for tau in [1e-3, 0.05] {
        let answer = check(&engine, &path, &[0.0, tau]);
        let (contact, [from, until]) = contact(&path, &answer);
        // The tip is at distance 1.005 from the axis of the shoulder at most, and turns by tau.
        assert!(from <= FRAC_PI_6 - tau && from > FRAC_PI_6 - 1.5 * tau, "{tau}: {from}");
        assert!(contact.is_proved() && (until - FRAC_PI_6).abs() < 1e-8, "{until}");
        assert!(nominal.is_certified());
    }
    let below = Trajectory::linear([[0.0, 0.0], [0.0, FRAC_PI_6 - 0.01]]).unwrap();
    assert_eq!(check(&engine, &below, &[0.0, 0.005]).verdict, Verdict::Free);
    let (possible, _) = contact(&below, &check(&engine, &below, &[0.0, 0.02]));
    assert!(!possible.is_proved() && possible.toc[1] == 1.0);
    let tube = |tube: &[f64]| engine.check_trajectories(std::slice::from_ref(&below), tube, &mut |_, _| Ok(()));
    assert!(tube(&[0.1]).is_err() && tube(&[0.1, -1.0]).is_err());
    assert!(tube(&[0.0, 2e6]).is_err() && tube(&[1e308, 0.0]).is_err() && tube(&[1e5, 1e5]).is_ok());
}

/// A start in contact is reported, or the pair is ignored for the whole trajectory.
#[test]
fn contacts_at_the_start() {
    let mut path = Trajectory::new(&[0.0, 1.0]).unwrap();
    path.cubic_to(1.0, &[0.0, -3.0], &[0.0, 3.0], &[0.0, 1.0]).unwrap();
    let (contact, _) = contact(&path, &check(&engine(Options::default()), &path, &[]));
    assert!(contact.initial_overlap && contact.is_certified() && contact.toc == [0.0, 0.0]);
    let mut options = Options::default();
    options.solve.initial = InitialContactPolicy::Ignore;
    assert_eq!(check(&engine(options), &path, &[]).verdict, Verdict::Free);
    // Contact at a later waypoint is no contact at the start.
    let mut options = Options::default();
    options.solve.initial = InitialContactPolicy::Ignore;
    let later = Trajectory::linear([[0.0, 0.0], [0.0, FRAC_PI_6], [0.0, 1.0]]).unwrap();
    assert!(check(&engine(options), &later, &[]).verdict.is_contact());
}

/// Engines that share memory have different sets of ignored pairs.
#[test]
fn ignored_pairs_are_those_of_the_trajectory() {
    let report = engine(Options { threads: 1, ..Options::default() });
    let mut options = report.0.options.clone();
    options.solve.initial = InitialContactPolicy::Ignore;
    let ignore = report.with_options(options).unwrap();
    let touching = Trajectory::linear([[0.0, 0.6], [0.0, 0.5], [0.0, 0.6]]).unwrap();
    let later = Trajectory::linear([[0.0, 0.0], [0.0, 0.3], [0.1, 1.0]]).unwrap();
    let mut curve = Trajectory::new(&[0.0, 0.0]).unwrap();
    curve.cubic_to(1.0, &[0.1, 0.0], &[0.2, 0.0], &[0.1, 1.0]).unwrap();
    for (path, tube) in [(&later, &[][..]), (&later, &[0.0, 1e-3][..]), (&curve, &[][..])] {
        assert_eq!(check(&ignore, &touching, &[]).verdict, Verdict::Free);
        assert!(check(&report, path, tube).verdict.is_contact());
        assert_eq!(check(&ignore, &touching, &[]).verdict, Verdict::Free);
        assert!(check(&ignore, path, tube).verdict.is_contact());
    }
    let near = Trajectory::linear([[0.0, 0.2], [0.0, 0.4]]).unwrap();
    let [found, closest] = [0, 1].map(|k| {
        assert_eq!(check(&ignore, &touching, &[]).verdict, Verdict::Free);
        match k {
            0 => report.clearance(&near, &ClearanceOptions::default()).unwrap().distance_m[1],
            _ => report.closest_points(&near, 0, 1.0, f64::INFINITY).unwrap().unwrap().distance_m,
        }
    });
    let distance_m = 0.5 - 0.4f64.sin();
    assert!((found - distance_m).abs() < 1e-9 && (closest - distance_m).abs() < 1e-9, "{found} {closest}");
}

/// A start in contact is at time 0, however long the trajectory stands still there.
#[test]
fn contacts_while_standing_still_at_the_start() {
    let engine = engine(Options::default());
    for n_still in 0..3 {
        let rows = std::iter::repeat_n([0.0, 1.0], 1 + n_still).chain([[0.0, 0.0]]);
        let times_s: Vec<f64> = (0..n_still + 2).map(|k| 10.0 * k as f64).collect();
        let path = Trajectory::linear(rows).unwrap().with_times(&times_s).unwrap();
        for tube in [&[][..], &[0.0, 1e-3]] {
            let answer = check(&engine, &path, tube);
            let Verdict::Contact(contact) = &answer.verdict else { panic!("{answer:?}") };
            assert_eq!((contact.toc, answer.segment, answer.segment_hi), ([0.0; 2], 0, 0), "{n_still}");
            assert_eq!(answer.time_s, Some([0.0; 2]), "{n_still}");
        }
    }
}

/// The last step is shorter than the rounding of the way before it, and moves through a wall.
#[test]
fn steps_below_the_rounding_of_the_travel_are_searched() {
    let mut robot = Robot::new("slider", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    for name in ["far", "near"] {
        let drive = Drive::direct(robot.add_column(name, ColumnKind::LengthM, None));
        let kind = JointKind::Prismatic { axis: DVec3::Y, drive };
        let joint = Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        // The rounding of the far joint does not reach the link of the near one.
        let body = robot.add_body(name, Some(0), joint).unwrap();
        if name == "near" {
            robot.add_link(name, body, vec![[DVec3::ZERO, DVec3::X, -DVec3::Y]], vec![0]).unwrap();
        }
    }
    let mut scene = Scene::new();
    let y = 2.5e-11;
    let [a, b, c] = [(-9.0, -9.0), (9.0, -9.0), (0.0, 9.0)].map(|(x, z)| DVec3::new(x, y, z));
    scene.add_object("wall", [[a, b, c]]).unwrap();
    let options = Options { backend: Backend::Cpu, ..Options::default() };
    let engine = Engine::builder(&robot, &scene).options(options).build().unwrap();
    let far_m = 1e6;
    for (rows, nearest_m) in [
        (vec![[0.0, 0.0], [far_m, 0.0], [far_m, 5e-11]], 0.0),
        (vec![[far_m, 0.0], [0.0, 0.0], [0.0, 2e-11]], y - 2e-11),
        (vec![[far_m, 0.0], [0.0, 0.0], [0.0, 5e-11]], 0.0),
        (vec![[far_m, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 5e-11], [0.0, 5e-11]], 0.0),
        (vec![[0.0, 5e-11], [0.0, 0.0], [far_m, 0.0]], 0.0),
    ] {
        let path = Trajectory::linear(rows.clone()).unwrap();
        let answer = check(&engine, &path, &[]);
        assert!(nearest_m > 0.0 || answer.verdict.is_contact(), "{rows:?}: {answer:?}");
        let options = ClearanceOptions::default().with_tolerance_m(1e-12);
        let [lo, hi] = engine.clearance(&path, &options).unwrap().distance_m;
        assert!(lo <= nearest_m && nearest_m <= hi, "{rows:?}: {lo} {hi} {nearest_m}");
    }
}

#[test]
fn trajectories_of_another_robot_are_refused() {
    let engine = engine(Options::default());
    let path = Trajectory::linear([[0.0]]).unwrap();
    let error = engine.check_trajectories(&[path], &[], &mut |_, _| Ok(())).unwrap_err();
    assert!(error.to_string().contains("trajectory 0"), "{error}");
}

/// A free body that turns while it moves: segments are never cut, since its columns are not linear in between. A touch
/// that cannot be proved is reported at its time, and a passage through the wall in a later segment is found.
#[test]
fn segments_of_free_bodies_are_never_cut() {
    let mut robot = Robot::new("ship", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    for (i, name) in ["x", "y", "z", "qx", "qy", "qz", "qw"].into_iter().enumerate() {
        robot.add_column(name, ColumnKind::Free(i as u8), None);
    }
    let kind = JointKind::Free { first_column: 0 };
    let joint = Joint { name: "root".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("ship", Some(0), joint).unwrap();
    robot.add_link("ship", body, vec![[DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, 0.1)]], vec![0]).unwrap();
    let mut scene = Scene::new();
    let (a, b, c) = (DVec3::new(-5.0, 1.0, -5.0), DVec3::new(5.0, 1.0, -5.0), DVec3::new(0.0, 1.0, 9.0));
    scene.add_object("wall", [[a, b, c]]).unwrap();
    let options = Options { backend: Backend::Cpu, ..Options::default() };
    let engine = Engine::builder(&robot, &scene).options(options).build().unwrap();
    // Half a turn about z, in whose middle the tip points at the wall; `y` is that of the other end.
    let (half, no) = ([0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]);
    let at = |y: f64, [qx, qy, qz, qw]: [f64; 4]| [0.0, y, 0.0, qx, qy, qz, qw];
    for (y, touches, is_proved) in [(-0.1, false, false), (0.0, true, false), (0.1, true, true)] {
        let path = Trajectory::linear([at(y, no), at(y, half), at(y, half)]).unwrap();
        let answer = check(&engine, &path, &[]);
        let motion = crate::robot::MotionBatch::between(&[at(y, no)], &[at(y, half)]).unwrap();
        let expected = engine.check(&motion).unwrap().verdicts.remove(0);
        for t in [0.0, 0.1, 0.25, 1.0] {
            let [a, b] = [engine.body_poses_at(&path, 0, t), engine.body_poses(&motion, 0, t)].map(|p| p.unwrap()[1]);
            assert!(a.abs_diff_eq(b, 1e-12), "{a} {b}");
        }
        assert_eq!((answer.verdict.is_contact(), expected.is_contact()), (touches, touches), "{y}: {answer:?}");
        if let (Verdict::Contact(found), Verdict::Contact(expected)) = (&answer.verdict, &expected) {
            assert_eq!((found.is_proved(), expected.is_proved()), (is_proved, is_proved), "{y}");
            assert!((found.toc[0] - expected.toc[0]).abs() < 1e-6 && answer.segment == 0, "{y}: {found:?}");
        }
    }
}

#[test]
fn places_that_do_not_exist_are_errors() {
    let engine = engine(Options::default());
    let path = Trajectory::linear([[0.0, 0.0], [0.0, 0.1]]).unwrap();
    let motion = MotionBatch::between(&[&[0.0, 0.0]], &[&[0.0, 0.1]]).unwrap();
    for (segment, t) in [(1, 0.5), (0, -0.1), (0, 1.1), (0, f64::NAN)] {
        assert!(engine.body_poses_at(&path, segment, t).is_err(), "{segment} {t}");
        assert!(engine.closest_points(&path, segment, t, 1.0).is_err(), "{segment} {t}");
    }
    for limit_m in [f64::NAN, -1.0, 0.0] {
        assert!(engine.closest_points(&path, 0, 0.5, limit_m).is_err(), "{limit_m}");
    }
    assert!(engine.body_poses(&motion, 1, 0.5).is_err() && engine.body_poses(&motion, 0, f64::NAN).is_err());
    assert!(engine.body_poses(&motion, 0, 0.5).is_ok() && engine.closest_points(&path, 0, 1.0, 1.0).is_ok());
}

#[test]
fn options_out_of_their_range_are_errors() {
    let fits = |options: Options| engine(Options::default()).with_options(options).is_ok();
    let cpu = || Options { backend: Backend::Cpu, ..Options::default() };
    let mut floor = cpu();
    floor.solve.floor_m = f64::NAN;
    assert!(fits(cpu()) && !fits(floor));
    assert!(fits(Options { slabs: Some(16), ..cpu() }) && !fits(Options { slabs: Some(17), ..cpu() }));
    assert!(!fits(Options { slabs: Some(0), ..cpu() }) && !fits(Options { tile_pixels: 7, ..cpu() }));
}

/// A pair that an execution may touch at the start, within the tolerance, but that the trajectory itself does not touch
/// there, is not ignored.
#[test]
fn tolerances_do_not_ignore_pairs() {
    let mut options = Options::default();
    options.solve.initial = InitialContactPolicy::Ignore;
    let engine = engine(options);
    for end in [0.45, 0.7] {
        let path = Trajectory::linear([[0.0, 0.4], [0.0, end]]).unwrap();
        assert_eq!(check(&engine, &path, &[]).verdict == Verdict::Free, end < FRAC_PI_6);
        assert!(check(&engine, &path, &[0.0, 0.2]).verdict.is_contact(), "to {end}");
    }
}
