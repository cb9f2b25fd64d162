//! Clearances with closed forms.

use crate::{
    Backend, ClearanceOptions, ColumnKind, Drive, Engine, InitialContactPolicy, Joint, JointKind, Options, Robot,
    Scene, Trajectory,
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

#[test]
fn wrong_options_are_refused() {
    let path = Trajectory::linear([[0.0], [1.0]]).unwrap();
    let of = ClearanceOptions::default();
    let wrong = [of.with_tolerance_m(0.0), of.with_tolerance_m(f64::NAN), of.with_limit_m(-1.0), of.with_known_m(-1.0)];
    for options in wrong {
        assert!(arm(2.0).clearance(&path, &options).is_err(), "{options:?}");
    }
}
