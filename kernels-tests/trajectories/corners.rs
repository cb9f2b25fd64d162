//! Contacts at waypoints, at times that can be computed by hand.

use super::answers::{Answer, Contact};
use super::case::{Case, read};
use super::curve::{Trajectory, Waypoint};
use crate::link_pairs::mechanism::Mechanism;
use crate::link_pairs::solids::spike;
use crate::oracle::mesh::Triangle;
use crate::oracle::scene::Object;
use glam::DVec3;

/// A spike that slides along x and y; its tip is 0.5 m ahead along x.
pub fn tip() -> Mechanism {
    Mechanism::default()
        .link("base", vec![])
        .link("cross", vec![])
        .link("tip", spike(0.25, 0.5, 0.0625))
        .joint(("x", "prismatic"), ("base", "cross"), DVec3::ZERO, DVec3::X)
        .joint(("y", "prismatic"), ("cross", "tip"), DVec3::ZERO, DVec3::Y)
}

/// A large triangle in the plane of an x, about the x axis.
pub fn wall(name: &str, x: f64) -> Object {
    let triangle = [DVec3::new(x, -7.0, -5.0), DVec3::new(x, 7.0, -5.0), DVec3::new(x, 0.0, 9.0)];
    Object { name: name.into(), triangles: vec![triangle] }
}

/// Straight segments through points.
pub fn path(points: &[[f64; 2]]) -> Trajectory {
    Trajectory::straight(&points.iter().map(|p| p.to_vec()).collect::<Vec<_>>())
}

/// The answer for one trajectory, with names and, without times, as an array.
#[track_caller]
fn answer(case: &Case, t: &Trajectory) -> Answer {
    let all = std::slice::from_ref(t);
    let found = case.answers(all, &[]).remove(0);
    if t.times_s.is_none() {
        assert_eq!(read(&case.check_array(all, &[]), all)[0], found);
    }
    found
}

#[track_caller]
fn contact(case: &Case, t: &Trajectory) -> Contact {
    let answer = answer(case, t);
    answer.contact().unwrap_or_else(|| panic!("{answer:?}")).clone()
}

/// The same points with times of a second each, and at rest at each of them.
fn from_rest_to_rest(t: &Trajectory, is_quintic: bool) -> Trajectory {
    let still = |p: &Waypoint| Waypoint {
        velocity: Some(vec![0.0; 2]),
        acceleration: is_quintic.then(|| vec![0.0; 2]),
        ..p.clone()
    };
    let times_s = Some((0..t.points.len()).map(|i| i as f64).collect());
    Trajectory { times_s, points: t.points.iter().map(still).collect() }
}

/// The tip reaches x = 1.5 only at the corner, where it turns.
#[test]
fn only_the_tip_of_a_corner_touches() {
    let corner = path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]);
    let twice = path(&[[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 2.0]]);
    for t in [&corner, &twice] {
        assert_eq!(answer(&Case::new(&tip(), vec![wall("wall", 1.5 + 1e-6)]), t), Answer::Free);
        // Nearer surfaces may be reported, but are not proved to touch.
        let nearer = answer(&Case::new(&tip(), vec![wall("wall", 1.5 + 1e-9)]), t);
        assert!(nearer.contact().is_none_or(|c| !c.proved), "{nearer:?}");
        for depth in [1e-3, 1e-6, 1e-8] {
            let c = contact(&Case::new(&tip(), vec![wall("wall", 1.5 - depth)]), t);
            assert!(c.certified && c.u[0] <= 1.0 - depth + 1e-12 && c.u[1] >= 1.0 - depth - 1e-12, "{c:?}");
        }
        // A touch at one time: it may not be free, and may not begin later.
        let c = contact(&Case::new(&tip(), vec![wall("wall", 1.5)]), t);
        assert!(c.u[0] <= 1.0 && c.u[0] > 1.0 - 1e-6 && c.u[1] >= 1.0 && !c.initial_overlap, "{c:?}");
    }
}

/// At rest in the corner: `1 - s(x) = depth`, that is about `3 y^2` or `10 y^3` for `y = 1 - x`.
#[test]
fn a_spline_that_rests_in_the_corner() {
    let corner = path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]);
    for is_quintic in [false, true] {
        let t = from_rest_to_rest(&corner, is_quintic);
        assert_eq!(answer(&Case::new(&tip(), vec![wall("wall", 1.5 + 1e-6)]), &t), Answer::Free);
        for depth in [0.1, 1e-3, 1e-6] {
            let case = Case::new(&tip(), vec![wall("wall", 1.5 - depth)]);
            let c = contact(&case, &t);
            let e = t.nominal();
            assert!(c.proved && c.u[1] < 1.0, "{c:?}");
            let x = |u: f64| e.at(0, u)[0] + 0.5;
            assert!(x(c.u[0]) <= 1.5 - depth + 1e-12 && x(c.u[1]) >= 1.5 - depth - 1e-12, "{c:?}");
            assert!(x(c.u[1]) - x(c.u[0]) < 1e-8, "{c:?}");
            // Segments take a second; times are rounded outwards.
            let [lo, hi] = c.time_s.unwrap();
            assert!(lo <= c.u[0] && c.u[1] <= hi && c.u[0] - lo < 1e-14 && hi - c.u[1] < 1e-14, "{c:?}");
        }
    }
}

/// The tip touches the wall at the end of a segment, and pierces it in the next one, or after a slide along it.
#[test]
fn a_touch_at_a_waypoint_pierces_later() {
    let case = Case::new(&tip(), vec![wall("wall", 1.5)]);
    let through = path(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
    let with_rest = path(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
    let slide = path(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]]);
    for (t, pierces) in [(&through, 1.0), (&with_rest, 2.0), (&slide, 2.0)] {
        let c = contact(&case, t);
        assert!(c.u[0] <= 1.0 && c.u[0] > 1.0 - 1e-6 && !c.initial_overlap, "{c:?}");
        let end = t.n_segments() as f64;
        assert!(c.u[1] >= 1.0 && (c.u[1] <= pierces + 1e-6 || !c.proved && c.u[1] == end), "{c:?}");
    }
    let c = contact(&case, &through);
    assert!(c.certified && c.u[1] <= 1.0 + 2e-9, "{c:?}");
}

/// A needle across the path at the waypoint: the tip dips by 1 cm into its plane on the way to the corner.
#[test]
fn a_needle_at_a_waypoint() {
    let v = DVec3::new;
    for half in [1e-3, 1e-6, 1e-9, 0.0] {
        let needle: Triangle = [v(1.5, -half, -1.0), v(1.5, half, -1.0), v(1.5, 0.0, 1.0)];
        let case = Case::new(&tip(), vec![Object { name: "needle".into(), triangles: vec![needle] }]);
        let t = path(&[[0.99, -1.0], [1.01, 0.0], [0.99, 1.0]]);
        let c = case.judged(&[t], &[]).remove(0);
        // At depth d the spike is a square of half side d / 4. At its lower side z = -d / 4 the needle is wider, of
        // half width half (1 + d / 4) / 2; and d = 0.02 x - 0.01. They meet where 1 - x is the sum of both.
        let wider = 1.0 + 0.5 * half;
        let x = (1.0 + 0.0025 * wider - 0.5 * half) / (1.0 + 0.005 * wider);
        let c = c.contact().unwrap_or_else(|| panic!("{c:?}")).clone();
        assert!(c.u[0] <= x + 1e-9 && c.u[1] >= x - 1e-9, "{x}: {c:?}");
    }
}

/// Many segments in one direction, and to and fro in front of the wall: the contact is in the segment that reaches it.
#[test]
fn the_segment_of_the_contact() {
    let case = Case::new(&tip(), vec![wall("wall", 1.5)]);
    let steps: Vec<[f64; 2]> = (0..=40).map(|i| [f64::from(i) / 16.0 - 0.71875, 0.0]).collect();
    let c = contact(&case, &path(&steps));
    // 1 + 0.71875 is 27.5 steps.
    assert!(c.certified && c.u[0] <= 27.5 + 1e-12 && c.u[1] >= 27.5 - 1e-12, "{c:?}");
    let end = |i: i32| if i % 2 == 0 { 0.0 } else { 0.9 + 0.01 * f64::from(i) };
    let swing: Vec<[f64; 2]> = (0..31).map(|i| [end(i), 0.0]).collect();
    // The ends are 0.91, 0.93, … 0.99 (i = 9), 1.01 (i = 11), which is reached in segment 10.
    let c = contact(&case, &path(&swing));
    assert!(c.certified && c.u[0] <= 10.0 + 1.0 / 1.01 + 1e-9 && c.u[1] >= 10.0 + 1.0 / 1.01 - 1e-9, "{c:?}");
}
