//! Small blades across an edge of the robot at a known time, also exactly at waypoints: no answer is free, and none
//! begins later.

use super::answers::{Answer, Tally};
use super::case::{Case, read};
use super::curve::Trajectory;
use super::draw::{self, Style};
use super::judge;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use crate::oracle::mesh::Triangle;
use crate::oracle::scene::Object;
use crate::oracle::triangles;
use glam::DVec3;

/// A robot with one trajectory and a blade.
struct Planted {
    case: Case,
    trajectory: Trajectory,
    /// The time at which an edge of the robot pierces the blade.
    u: f64,
}

/// A triangle of a size about a point, across a direction.
fn blade(draw: &mut Draw, about: DVec3, along: DVec3, size: f64) -> Triangle {
    let normal = (along.normalize() + 0.5 * draw.direction()).normalize();
    let a = normal.any_orthonormal_vector();
    let b = normal.cross(a);
    [a, b - a, -b - a].map(|v| about + size * v)
}

/// A trajectory of the arm, and a blade across a random edge, at a waypoint if there is one and it is asked for.
fn plant(draw: &mut Draw, style: Style, n_segments: usize, is_waypoint: bool, size: f64) -> Planted {
    let arm = &draw::arm(draw);
    let empty = Case::new(arm, vec![]).course;
    let trajectory = draw::trajectory(draw, &empty, style, n_segments);
    let end = n_segments as f64;
    let u = if is_waypoint { 1.0 + draw.below(n_segments - 1) as f64 } else { draw.between(0.1 * end, end) };
    let solid: Vec<usize> = (0..empty.links.len()).filter(|l| !empty.links[*l].is_empty()).collect();
    let link = solid[draw.below(solid.len())];
    let (triangle, k, share) = (draw.below(empty.links[link].len()), draw.below(3), draw.between(0.2, 0.8));
    let (segment, x) = trajectory.split(u);
    let pose = empty.pose(link, &trajectory.nominal(), segment, x);
    let moved = empty.links[link][triangle].map(|p| pose.transform_point3(p));
    let edge = moved[(k + 1) % 3] - moved[k];
    let blade = blade(draw, moved[k] + share * edge, edge, size);
    assert!(triangles::pierce(&moved, &blade), "{moved:?} {blade:?}");
    let mut objects = if draw.below(3) == 0 { draw::objects(draw) } else { vec![] };
    objects.push(Object { name: "blade".into(), triangles: vec![blade] });
    Planted { case: Case::new(arm, objects), trajectory, u }
}

/// Trajectories with blades; every second one at a waypoint.
fn some(seed: u64, n: usize) -> impl Iterator<Item = (usize, Planted)> {
    (0..n).map(move |i| {
        let mut draw = Draw::new(seed + i as u64);
        (i, plant(&mut draw, Style::ALL[i % 5], 4, i % 2 == 0, [1e-3, 1e-5, 1e-7][i % 3]))
    })
}

/// Holds the answers against the times of the blades.
fn campaign(name: &str, n: usize, all: impl Iterator<Item = (usize, Planted)>, is_array: bool, more: &[&str]) {
    let (mut tally, mut on_time, mut latest) = (Tally::default(), 0, f64::NEG_INFINITY);
    for (i, Planted { case, trajectory, u }) in all {
        let one = [trajectory];
        let checked = if is_array { case.check_array(&one, more) } else { case.check(&one, more) };
        let answers = read(&checked, &one);
        assert_eq!(judge::faults(&case.course, &one, &case.walk(&one), &answers), [""; 0], "{i}");
        let begins = match &answers[0] {
            Answer::Free => panic!("{i}: missed at {u}"),
            Answer::Undecided { clear_until } => *clear_until,
            Answer::Contact(c) => {
                on_time += usize::from(c.place.as_ref().is_some_and(|p| p.b.name == "blade"));
                c.u[0]
            }
        };
        assert!(begins <= u + 1e-12, "{i}: {answers:?} begins after {u}");
        latest = latest.max(begins - u);
        tally.add(&answers);
    }
    println!("{name}: {tally:?}; {on_time} first contacts of {n} are with the blade, the latest by {latest:e}");
    // The smallest blades are pierced too briefly for some proofs.
    assert!(4 * on_time > n && 100 * tally.undecided <= n && 4 * tally.certified >= 3 * n);
}

#[test]
fn blades_at_known_times() {
    let n = effort(60, 2000);
    campaign("blades", n, some(5000, n), false, &[]);
}

/// The device searches straight spans near the curves.
#[test]
fn blades_on_the_gpu() {
    if !gpu::skip() {
        let n = effort(20, 300);
        campaign("blades on the device", n, some(5000, n), false, &["--backend", "gpu"]);
    }
}

/// Single straight segments in arrays, which are motions.
#[test]
fn blades_across_single_motions() {
    let n = effort(20, 300);
    let one = |i: usize| {
        let mut draw = Draw::new(5800 + i as u64);
        (i, plant(&mut draw, Style::Straight, 1, false, [1e-3, 1e-5, 1e-7][i % 3]))
    };
    campaign("blades across motions", n, (0..n).map(one), true, &[]);
}

/// The oracle alone: blades are not so near to the start that nothing is left to find.
#[test]
fn blades_are_found_by_the_oracle_where_they_are_wide() {
    for (_, Planted { case, trajectory, u }) in some(5000, 12).filter(|(i, _)| i % 3 == 0) {
        let seen = case.walk(std::slice::from_ref(&trajectory))[0];
        assert!(seen.hit.is_some_and(|h| h.u <= u), "{seen:?} {u}");
        assert_eq!(judge::of_one(&case.course, &trajectory, &seen, &Answer::Free), ["missed"]);
    }
}
