//! Least distances that can be computed by hand.

use super::answers::Nearest;
use super::case::{judged_array, nearest, only};
use super::judge::Question;
use crate::link_pairs::mechanism::Mechanism;
use crate::link_pairs::solids::{block, moved, spike};
use crate::oracle::mesh::Triangle;
use crate::oracle::scene::Object;
use crate::oracle::triangles::on_triangle;
use crate::trajectories::case::Case;
use crate::trajectories::corners::{path, tip, wall};
use crate::trajectories::curve::{Trajectory, Waypoint};
use glam::{DAffine3, DMat3, DQuat, DVec3};

pub const TOLERANCES: [f64; 5] = [1e-5, 1e-4, 3e-4, 1e-3, 5e-3];

/// The clearance of waypoints, alike in a file of trajectories and in an array.
#[track_caller]
fn both(case: &Case, t: &Trajectory, question: Question) -> Nearest {
    let named = nearest(case, t, question, &[]);
    let array = only(&judged_array(case, std::slice::from_ref(t), question, &[]));
    assert_eq!(named, array);
    named
}

/// A hand whose tip turns about z at a radius of 0.5 m.
fn hand() -> Mechanism {
    Mechanism::default().link("base", vec![]).link("hand", spike(0.25, 0.5, 0.01)).joint(
        ("turn", "continuous"),
        ("base", "hand"),
        DVec3::ZERO,
        DVec3::Z,
    )
}

fn turn(from: f64, to: f64) -> Trajectory {
    Trajectory::straight(&[vec![from], vec![to]])
}

/// A ball whose corners are on a sphere, among them the six on the axes, turned by `turn`.
fn ball(name: &str, centre: DVec3, radius: f64, turn: DMat3) -> Object {
    let eighth = |i: usize| {
        let sign = |bit: usize, axis: DVec3| if i >> bit & 1 == 0 { axis } else { -axis };
        [sign(0, DVec3::X), sign(1, DVec3::Y), sign(2, DVec3::Z)]
    };
    let mut triangles: Vec<Triangle> = (0..8).map(eighth).collect();
    for _ in 0..3 {
        triangles = triangles.iter().flat_map(quarters).collect();
    }
    let pose = DAffine3 { matrix3: turn * radius, translation: centre };
    Object { name: name.into(), triangles: moved(&triangles, &pose) }
}

/// Four triangles between the corners and the middles of the edges, which are lifted to the unit sphere.
fn quarters([a, b, c]: &Triangle) -> [Triangle; 4] {
    let middle = |p: &DVec3, q: &DVec3| (*p + *q).normalize();
    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
    [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
}

/// The distance from the wall is its x less 0.5 m times the cosine of the angle.
#[test]
fn a_tip_that_turns_past_a_wall() {
    let case = Case::new(&hand(), vec![wall("wall", 0.75)]);
    for tolerance_m in TOLERANCES {
        for (from, to, least, t) in [
            (-1.0, 2.0, 0.25, 1.0 / 3.0),
            (0.4, -0.1, 0.25, 0.8),
            (0.3, 1.2, 0.75 - 0.5 * 0.3_f64.cos(), 0.0),
            (-1.2, -0.3, 0.75 - 0.5 * 0.3_f64.cos(), 1.0),
        ] {
            let found = both(&case, &turn(from, to), Question::new(tolerance_m));
            assert!(found.contains(least) && found.segment == 0, "{least}: {found:?}");
            // Within the tolerance of the least distance: 0.5 (1 - cos) is at least 0.23 times the square.
            let apart = (found.t - t).abs() * (to - from).abs();
            assert!(apart <= (tolerance_m / 0.23).sqrt() + 1e-9 || least > 0.25, "{t}: {found:?}");
        }
    }
}

/// A full turn passes walls on both sides, the nearer one last.
#[test]
fn the_nearer_of_two_walls() {
    let case = Case::new(&hand(), vec![wall("right", 0.75), wall("left", -0.74)]);
    let found = both(&case, &turn(-1.0, 7.0), Question::new(1e-4));
    assert!(found.contains(0.24) && found.names() == ["hand", "left"], "{found:?}");
    assert!((found.t * 8.0 - 1.0 - std::f64::consts::PI).abs() < 0.03, "{found:?}");
}

/// A tip passes a ball: nearest where the line to the centre is perpendicular to the path.
#[test]
fn a_tip_that_passes_a_ball() {
    let (radius, centre) = (0.2, DVec3::new(1.0, 0.3, 0.0));
    for tolerance_m in TOLERANCES {
        let case = Case::new(&tip(), vec![ball("ball", centre, radius, DMat3::IDENTITY)]);
        let found = both(&case, &path(&[[0.0, -0.5], [0.0, 0.75]]), Question::new(tolerance_m));
        assert!(found.contains(0.3) && (found.t - 0.64).abs() < 0.1, "{found:?}");
        let turned = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7));
        let other = ball("ball", centre, radius, turned);
        // Faces are a little inside the sphere, by at most this.
        let inside = |t: &Triangle| radius - on_triangle(centre, t).distance(centre);
        let depth = other.triangles.iter().map(inside).fold(0.0, f64::max);
        assert!(depth > 1e-4 && depth < 5e-3);
        let case = Case::new(&tip(), vec![other]);
        let [lo, hi] = both(&case, &path(&[[0.0, -0.5], [0.0, 0.75]]), Question::new(tolerance_m)).distance_m;
        assert!(lo <= 0.3 + depth && hi >= 0.3 - 1e-12, "{lo} {hi} {depth}");
    }
}

/// The distance is the same at all times, of a vertex or of parallel faces.
#[test]
fn motions_along_a_plate() {
    let case = Case::new(&tip(), vec![wall("wall", 1.25)]);
    for tolerance_m in TOLERANCES {
        let found = both(&case, &path(&[[0.5, -1.0], [0.5, 1.0]]), Question::new(tolerance_m));
        assert!(found.contains(0.25), "{found:?}");
        let found = both(&case, &path(&[[0.5, 0.0], [0.5, 1.0], [0.5, -1.0], [0.5, 0.5]]), Question::new(tolerance_m));
        assert!(found.contains(0.25), "{found:?}");
    }
    let cart = Mechanism::default()
        .link("base", vec![])
        .link("cross", vec![])
        .link("cart", block([-0.1; 3], [0.1; 3]))
        .joint(("x", "prismatic"), ("base", "cross"), DVec3::ZERO, DVec3::X)
        .joint(("y", "prismatic"), ("cross", "cart"), DVec3::ZERO, DVec3::Y);
    let plate = block([-3.0, -3.0, -0.5], [3.0, 3.0, -0.35]);
    let case = Case::new(&cart, vec![Object { name: "plate".into(), triangles: plate }]);
    for tolerance_m in [1e-4, 5e-3] {
        let found = both(&case, &path(&[[-1.0, -1.0], [1.0, 0.5]]), Question::new(tolerance_m));
        assert!(found.contains(0.25), "{found:?}");
    }
}

/// A hand that turns about the normal of a plate: the faces are parallel at all times.
#[test]
fn a_turn_over_a_plate() {
    let plate = block([-3.0, -3.0, -0.5], [3.0, 3.0, -0.26]);
    let case = Case::new(&hand(), vec![Object { name: "plate".into(), triangles: plate }]);
    let found = both(&case, &turn(0.0, 3.0), Question::new(1e-4));
    assert!(found.contains(0.25), "{found:?}");
}

#[test]
fn least_at_the_start_the_end_and_waypoints() {
    let case = Case::new(&tip(), vec![wall("wall", 1.75)]);
    for tolerance_m in TOLERANCES {
        for (points, nearest_at) in [
            (&[[1.0, 0.0], [-1.0, 0.0]][..], &[(0.0, 0.0)][..]),
            (&[[-1.0, 0.0], [1.0, 0.0]], &[(1.0, 1.0)]),
            (&[[1.0, 0.0], [0.5, 0.0], [0.0, 0.0]], &[(0.0, 0.0)]),
            (&[[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]], &[(2.0, 2.0)]),
            (&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]], &[(1.0, 1.0)]),
            (&[[0.0, 0.0], [0.9, 0.0], [0.0, 0.0], [1.0, 0.0], [0.5, 0.0]], &[(3.0, 3.0)]),
            // Several minima of the same depth.
            (
                &[[0.0, 0.0], [1.0, 0.5], [0.0, 1.0], [1.0, 1.5], [0.0, 2.0], [1.0, 2.5]],
                &[(1.0, 1.0), (3.0, 3.0), (5.0, 5.0)],
            ),
            (&[[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], &[(0.0, 0.0), (2.0, 2.0)]),
            // A rest at the nearest waypoint.
            (&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]], &[(1.0, 2.0)]),
        ] {
            let found = both(&case, &path(points), Question::new(tolerance_m));
            assert!(found.contains(0.25), "{points:?}: {found:?}");
            // Segments travel at least 0.5 m.
            let slack = 2.0 * tolerance_m + 1e-9;
            let is_near = |(from, to): &(f64, f64)| from - slack <= found.u() && found.u() <= to + slack;
            assert!(nearest_at.iter().any(is_near), "{points:?}: {found:?}");
        }
    }
}

/// No motion at all: a single waypoint, and two equal ones.
#[test]
fn a_robot_at_rest() {
    let case = Case::new(&tip(), vec![wall("wall", 1.75)]);
    for points in [&[[0.75, 0.5]][..], &[[0.75, 0.5], [0.75, 0.5]], &[[0.75, 0.5]; 5]] {
        let found = both(&case, &path(points), Question::new(1e-5));
        assert!(found.contains(0.5), "{found:?}");
    }
}

/// From rest to rest: the slowest time is the nearest one.
#[test]
fn a_spline_that_rests_in_the_corner() {
    let case = Case::new(&tip(), vec![wall("wall", 1.75)]);
    let corner = path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]);
    for is_quintic in [false, true] {
        let still = |p: &Waypoint| Waypoint {
            velocity: Some(vec![0.0; 2]),
            acceleration: is_quintic.then(|| vec![0.0; 2]),
            ..p.clone()
        };
        let t = Trajectory { times_s: Some(vec![0.5, 1.5, 4.0]), points: corner.points.iter().map(still).collect() };
        for tolerance_m in TOLERANCES {
            let found = nearest(&case, &t, Question::new(tolerance_m), &[]);
            assert!(found.contains(0.25), "{found:?}");
        }
    }
}

/// A cubic through waypoints overshoots them: the least distance is between them. With velocities of 1 and -1 m/s at
/// both ends of a second and no travel, x is `s (1 - s)`, at most 1/4.
#[test]
fn a_spline_that_overshoots() {
    let point = |x_velocity: f64| Waypoint {
        position: vec![0.0, 0.0],
        velocity: Some(vec![x_velocity, 0.0]),
        acceleration: None,
    };
    let t = Trajectory { times_s: Some(vec![0.0, 1.0]), points: vec![point(1.0), point(-1.0)] };
    let case = Case::new(&tip(), vec![wall("wall", 1.0)]);
    for tolerance_m in TOLERANCES {
        let found = nearest(&case, &t, Question::new(tolerance_m), &[]);
        assert!(found.contains(0.25) && (found.t - 0.5).abs() <= tolerance_m.sqrt() + 1e-9, "{found:?}");
    }
}

/// Two boxes, which both move, come to 0.3 m; a wall is further away.
#[test]
fn two_links() {
    let shape = block([-0.1; 3], [0.1; 3]);
    let slides = Mechanism::default()
        .link("base", vec![])
        .link("left", shape.clone())
        .link("right", shape)
        .joint(("l", "prismatic"), ("base", "left"), DVec3::ZERO, DVec3::X)
        .joint(("r", "prismatic"), ("base", "right"), DVec3::X, DVec3::X);
    let t = path(&[[0.0, 0.0], [0.3, -0.2], [-3.0, 0.3]]);
    for (objects, names) in [(vec![], ["left", "right"]), (vec![wall("wall", 2.0)], ["left", "right"])] {
        let found = both(&Case::with_links(&slides, objects), &t, Question::new(1e-4));
        assert!(found.contains(0.3) && found.names() == names, "{found:?}");
    }
    // Not tested against each other: the wall is 0.6 m from the right box at the end.
    let found = both(&Case::new(&slides, vec![wall("wall", 2.0)]), &t, Question::new(1e-4));
    assert!(found.contains(0.6) && found.names() == ["right", "wall"], "{found:?}");
}

/// Walls at 10 m, and a robot whose path is 10 m from the origin.
#[test]
fn far_scenes() {
    for tolerance_m in TOLERANCES {
        let case = Case::new(&tip(), vec![wall("wall", 11.5)]);
        let found = both(&case, &path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]), Question::new(tolerance_m));
        assert!(found.contains(10.0), "{found:?}");
        let case = Case::new(&tip(), vec![wall("wall", 10.75)]);
        let found = both(&case, &path(&[[8.0, 0.0], [10.0, 1.0], [9.0, 2.0]]), Question::new(tolerance_m));
        assert!(found.contains(0.25), "{found:?}");
    }
}

/// Gaps smaller than the tolerance, and larger.
#[test]
fn tiny_gaps() {
    let corner = path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]);
    for gap in [1e-6, 1e-5, 1e-3] {
        let case = Case::new(&tip(), vec![wall("wall", 1.5 + gap)]);
        for tolerance_m in [1e-7, 1e-5, 1e-4, 5e-3] {
            let found = both(&case, &corner, Question::new(tolerance_m));
            assert!(found.contains(gap), "{gap}: {found:?}");
        }
    }
}

/// A free answer is further away than the margin, however wide the tolerance.
#[test]
fn margins() {
    let (case, corner) = (Case::new(&tip(), vec![wall("wall", 1.75)]), path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]));
    for margin_m in [0.1, 0.2499, 0.249999] {
        for tolerance_m in [1e-4, 5e-3] {
            let found = both(&case, &corner, Question { margin_m, ..Question::new(tolerance_m) });
            assert!(found.contains(0.25) && found.distance_m[0] >= margin_m, "{found:?}");
        }
    }
    let checked = case.check(&[corner], &["--margin", "0.2501", "--clearance", "1e-4"]);
    assert!(checked.lines[0]["verdict"] == "contact" && checked.lines[0].get("clearance").is_none());
}

/// By the oracle alone: the vertices of the ball that the tests use are on a sphere.
#[test]
fn the_test_ball_has_its_vertices_on_a_sphere() {
    let ball = ball("ball", DVec3::X, 0.2, DMat3::IDENTITY);
    let corners: Vec<DVec3> = ball.triangles.concat();
    assert!(corners.iter().all(|p| (p.distance(DVec3::X) - 0.2).abs() < 1e-15) && ball.triangles.len() == 512);
    assert!(corners.contains(&DVec3::new(0.8, 0.0, 0.0)));
}
