//! Clearances with closed forms.

use crate::{
    Backend, ClearanceOptions, ColumnKind, Drive, Engine, InitialContactPolicy, Joint, JointKind, MotionBatch, Options,
    Robot, Scene, Trajectory, TrajectoryVerdict, Verdict,
};
use glam::{DMat3, DVec3};

/// An arm of one metre that turns about z, whose tip is a point, and a wall at `y = wall_m`.
fn arm(wall_m: f64) -> Engine {
    arm_between(&[wall_m], InitialContactPolicy::Report)
}

/// The same with several walls.
fn arm_between(walls_m: &[f64], initial: InitialContactPolicy) -> Engine {
    let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let column = robot.add_column("shoulder", ColumnKind::AngleRad, None);
    let kind = JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(column) };
    let joint = Joint { name: "shoulder".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("arm", Some(0), joint).unwrap();
    robot.add_link("arm", body, vec![[DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, 0.1)]], vec![0]).unwrap();
    let mut scene = Scene::new();
    for wall_m in walls_m {
        let corners = [(-9.0, -9.0), (9.0, -9.0), (0.0, 9.0)].map(|(x, z)| DVec3::new(x, *wall_m, z));
        scene.add_object("wall", [corners]).unwrap();
    }
    let mut options = Options { backend: Backend::Cpu, ..Options::default() };
    options.solve.initial = initial;
    Engine::builder(&robot, &scene).options(options).build().unwrap()
}

#[test]
fn an_arm_that_swings_past_a_wall() {
    let engine = arm(1.25);
    for tolerance_m in [1e-2, 1e-3, 1e-4, 1e-6] {
        let options = ClearanceOptions::default().with_tolerance_m(tolerance_m);
        for (from, to, nearest_m) in [(0.0, 3.0, 0.25), (0.1, 0.8, 1.25 - 0.8f64.sin()), (3.0, 2.0, 1.25 - 2f64.sin())]
        {
            let path = Trajectory::linear([[from], [to]]).unwrap();
            let found = engine.clearance(&path, &options).unwrap();
            let [lo, hi] = found.distance_m;
            assert!(lo <= nearest_m && nearest_m <= hi && hi - lo <= tolerance_m, "{found:?} {nearest_m}");
            let closest = found.closest.unwrap();
            let [p, q] = closest.points.map(DVec3::from_array);
            let angle = from + (to - from) * closest.t;
            assert!((p - DVec3::new(angle.cos(), angle.sin(), 0.0)).length() < 1e-12, "{closest:?}");
            assert!((p.distance(q) - hi).abs() < 1e-12 && (q.y - 1.25).abs() < 1e-12, "{closest:?}");
        }
    }
}

#[test]
fn distances_beyond_the_limit_are_not_measured() {
    let engine = arm(1.25);
    let path = Trajectory::linear([[0.0], [3.0]]).unwrap();
    for (limit_m, is_beyond) in [(0.2, true), (0.3, false)] {
        let options = ClearanceOptions::default().with_limit_m(limit_m);
        let found = engine.clearance(&path, &options).unwrap();
        assert_eq!(found.closest.is_none(), is_beyond, "{found:?}");
        assert_eq!(found.distance_m[1] == f64::INFINITY, is_beyond, "{found:?}");
        assert!(found.distance_m[0] >= 0.2);
    }
}

/// With a limit, the first contact of the search is one at the limit, to within rounding.
#[test]
fn distances_below_any_limit_are_measured() {
    let engine = arm(1.25);
    let path = Trajectory::linear([[0.0], [1.4], [0.3]]).unwrap();
    let nearest_m = 1.25 - 1.4f64.sin();
    for k in 0..1000 {
        let limit_m = nearest_m + 1e-9 + f64::from(k) * 1e-3;
        let options = ClearanceOptions::default().with_limit_m(limit_m);
        let found = engine.clearance(&path, &options).unwrap();
        let [lo, hi] = found.distance_m;
        assert!(
            found.closest.is_some() && lo <= nearest_m && nearest_m <= hi && hi - lo <= 1e-4,
            "{limit_m} {found:?}"
        );
    }
}

/// At a limit within rounding of the distance the answer is either of both.
#[test]
fn distances_within_rounding_of_the_limit() {
    let engine = arm(1.25);
    let path = Trajectory::linear([[0.0], [3.0]]).unwrap();
    for k in -8..=8 {
        for limit_m in [0.25 + f64::from(k) * 1e-16, 0.25 + f64::from(k) * 1e-13, 0.25 + f64::from(k) * 1e-5] {
            let found = engine.clearance(&path, &ClearanceOptions::default().with_limit_m(limit_m)).unwrap();
            let [lo, hi] = found.distance_m;
            assert!(lo <= 0.25 + 1e-15 && 0.25 <= hi && lo > 0.25 - 1e-4, "{limit_m} {found:?}");
            assert!(hi - lo <= 1e-4 || (hi == f64::INFINITY && lo == limit_m), "{limit_m} {found:?}");
        }
    }
}

/// A tolerance below rounding cannot be kept, but the bounds remain near each other.
#[test]
fn tolerances_below_rounding() {
    let path = Trajectory::linear([[0.0], [3.0]]).unwrap();
    for (wall_m, width_m) in [(1.25, 1e-11), (900_001.0, 1e-3)] {
        let options = ClearanceOptions::default().with_tolerance_m(1e-16);
        let [lo, hi] = arm(wall_m).clearance(&path, &options).unwrap().distance_m;
        assert!(lo <= wall_m - 1.0 && wall_m - 1.0 <= hi && hi - lo < width_m, "{lo} {hi}");
    }
}

#[test]
fn splines_and_many_segments() {
    let engine = arm(1.25);
    let options = ClearanceOptions::default().with_tolerance_m(1e-5);
    let mut swing = Trajectory::new(&[0.0]).unwrap();
    swing.cubic_to(1.0, &[0.0], &[0.0], &[1.4]).unwrap();
    swing.cubic_to(1.0, &[0.0], &[0.0], &[0.2]).unwrap();
    let zigzag = Trajectory::linear((0..40).map(|k| [1.4 - 0.9 * f64::from(k % 3)])).unwrap();
    for path in [swing, zigzag] {
        let found = engine.clearance(&path, &options).unwrap();
        let [lo, hi] = found.distance_m;
        let nearest_m = 1.25 - 1.4f64.sin();
        assert!(lo <= nearest_m && nearest_m <= hi && hi - lo <= 1e-5, "{found:?} {nearest_m}");
    }
}

#[test]
fn the_smallest_of_several_minima() {
    let engine = arm(1.25);
    for angles in [[0.0, 1.2, 0.0, 1.0, 0.0, 1.4, 0.1], [0.1, 1.4, 0.0, 1.3, 0.0, 1.35, 1.3]] {
        let path = Trajectory::linear(angles.map(|angle| [angle])).unwrap();
        let found = engine.clearance(&path, &ClearanceOptions::default()).unwrap();
        let ([lo, hi], nearest_m) = (found.distance_m, 1.25 - 1.4f64.sin());
        assert!(lo <= nearest_m && nearest_m <= hi && hi - lo <= 1e-4, "{found:?} {nearest_m}");
    }
    // Minima inside of segments: these cubics rise to a quarter of the velocity.
    let mut path = Trajectory::new(&[0.0]).unwrap();
    path.cubic_to(1.0, &[4.0], &[-4.0], &[0.0]).unwrap();
    path.cubic_to(1.0, &[5.6], &[-5.6], &[0.0]).unwrap();
    let found = engine.clearance(&path, &ClearanceOptions::default()).unwrap();
    let ([lo, hi], nearest_m) = (found.distance_m, 1.25 - 1.4f64.sin());
    assert!(lo <= nearest_m && nearest_m <= hi && hi - lo <= 1e-4, "{found:?} {nearest_m}");
}

/// Each trajectory has its own set of ignored pairs, whatever the engine has answered before.
#[test]
fn closest_points_ignore_contacts_at_the_start() {
    let engine = arm_between(&[1.25, -0.1], InitialContactPolicy::Ignore);
    let [touching, apart] = [[-0.2, 0.4], [0.4, 0.2]].map(|[a, b]| Trajectory::linear([[a], [b]]).unwrap());
    let distance_m = |path, t| engine.closest_points(path, 0, t, f64::INFINITY).unwrap().unwrap().distance_m;
    for _ in 0..2 {
        assert!((distance_m(&touching, 0.5) - (1.25 - 0.1f64.sin())).abs() < 1e-9);
        assert!((distance_m(&apart, 1.0) - 0.1).abs() < 1e-9);
    }
}

/// A plate at `height_m` that moves along z, above a floor at z = 0 and 0.9 m from a wall.
fn lift(height_m: f64, margin_m: f64) -> Engine {
    let mut robot = Robot::new("lift", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let column = robot.add_column("lift", ColumnKind::LengthM, None);
    let kind = JointKind::Prismatic { axis: DVec3::Z, drive: Drive::direct(column) };
    let joint = Joint { name: "lift".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::Z * height_m, kind };
    let body = robot.add_body("plate", Some(0), joint).unwrap();
    let plate = [(-0.1, -0.1), (0.1, -0.1), (0.0, 0.1)].map(|(x, y)| DVec3::new(x, y, 0.0));
    robot.add_link("plate", body, vec![plate], vec![0]).unwrap();
    let mut scene = Scene::new();
    let far = [(-9.0, -9.0), (9.0, -9.0), (0.0, 9.0)];
    scene.add_object("floor", [far.map(|(x, y)| DVec3::new(x, y, 0.0))]).unwrap();
    scene.add_object("wall", [far.map(|(y, z)| DVec3::new(1.0, y, 1e4 * z))]).unwrap();
    let mut options = Options { backend: Backend::Cpu, ..Options::default() };
    (options.solve.initial, options.solve.margin_m) = (InitialContactPolicy::Ignore, margin_m);
    Engine::builder(&robot, &scene).options(options).build().unwrap()
}

/// Starts on the boundary of touching: a pair that a check has ignored is not measured, and one that it has not is no
/// free motion. All of these motions pass through the floor, which they touch at the start to within rounding.
#[test]
fn clearances_ignore_what_checks_ignore() {
    let mut n = [0; 2];
    for margin_m in [0.0, 0.1] {
        for exponent in 8..18 {
            let gap_m = 10f64.powi(-exponent);
            for to_m in [-0.5, -90.0, -9000.0] {
                let engine = lift(margin_m + gap_m, margin_m);
                let motions = MotionBatch::between(&[[0.0]], &[[to_m]]).unwrap();
                let path = Trajectory::linear([[0.0], [to_m]]).unwrap();
                let mut verdicts = engine.check(&motions).unwrap().verdicts;
                let keep = &mut |_, answer: TrajectoryVerdict| {
                    verdicts.push(answer.verdict);
                    Ok(())
                };
                engine.check_trajectories(std::slice::from_ref(&path), &[], keep).unwrap();
                for is_free in verdicts.iter().map(|verdict| *verdict == Verdict::Free) {
                    n[usize::from(is_free)] += 1;
                    if is_free {
                        let options = ClearanceOptions::default().with_known_m(margin_m);
                        let [lo, hi] = engine.clearance(&path, &options).unwrap().distance_m;
                        assert!(lo <= 0.9 && 0.9 <= hi && hi - lo <= 1e-4, "{margin_m} {gap_m} {to_m}: {lo} {hi}");
                    }
                }
            }
        }
    }
    assert!(n.iter().all(|n| *n > 10), "{n:?}");
}

/// A free joint turns about a constant axis, so a search that ends within a segment continues at its start.
#[test]
fn a_free_root_whose_pairs_exceed_the_memory() {
    let mut robot = Robot::new("plate", "world", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let columns: Vec<u32> = (0..7).map(|k| robot.add_column(format!("c{k}"), ColumnKind::Free(k), None)).collect();
    let kind = JointKind::Free { first_column: columns[0] };
    let joint = Joint { name: "float".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("plate", Some(0), joint).unwrap();
    let grid = |n: i32, size_m: f64| {
        let at = move |x: i32, y: i32| DVec3::new(f64::from(x), f64::from(y), 0.0) * (size_m / f64::from(n));
        let squares = (-n..n).flat_map(move |x| (-n..n).map(move |y| (x, y)));
        let both =
            move |(x, y)| [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]];
        squares.flat_map(both).collect::<Vec<_>>()
    };
    robot.add_link("plate", body, grid(10, 0.5), vec![0]).unwrap();
    let mut scene = Scene::new();
    scene.add_object("floor", grid(15, 0.6)).unwrap();
    let turn = 1.0f64;
    let path = [[0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.05, 0.0, 0.0, turn.sin(), turn.cos()]];
    let path = Trajectory::linear(path).unwrap();
    let options = Options { backend: Backend::Cpu, memory_bytes: 1 << 17, ..Options::default() };
    let engine = Engine::builder(&robot, &scene).options(options).build().unwrap();
    let [lo, hi] = engine.clearance(&path, &ClearanceOptions::default().with_tolerance_m(3e-14)).unwrap().distance_m;
    assert!(lo <= 0.05 + 1e-15 && 0.05 <= hi && hi - lo < 1e-3, "{lo} {hi}");
}

#[test]
fn wrong_options_are_refused() {
    let path = Trajectory::linear([[0.0], [1.0]]).unwrap();
    let of = ClearanceOptions::default();
    let wrong = [of.with_tolerance_m(0.0), of.with_tolerance_m(f64::NAN), of.with_limit_m(-1.0), of.with_known_m(-1.0)];
    for options in wrong {
        assert!(arm(2.0).clearance(&path, &options).is_err(), "{options:?}");
    }
}
