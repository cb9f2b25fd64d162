//! Queries between two links against all pairs of their triangles.

use super::random_robots::Robots;
use crate::oracle::triangles::{closest, pierce};
use firstcontact::acm::displacement::Displacement;
use firstcontact::acm::distance::Placed;
use firstcontact::acm::path::Path;
use firstcontact::acm::shape::Shape;
use firstcontact::robot::{Robot, Triangle};
use glam::{DAffine3, DMat3, DVec3};

/// A surface of many triangles: a bent strip, or scattered triangles.
fn soup(robots: &mut Robots, n: usize) -> Vec<Triangle> {
    let size = robots.within([0.02, 0.4]);
    let strip = robots.below(2) == 0;
    (0..n)
        .map(|i| {
            let a = i as f64 * 0.21;
            let at = match strip {
                true => DVec3::new(a.cos(), a.sin(), 0.05 * a) * 0.5,
                false => DVec3::from_array(robots.vector()),
            };
            [(); 3].map(|()| at + DVec3::from_array(robots.vector()) * size)
        })
        .collect()
}

fn robot_of(a: Vec<Triangle>, b: Vec<Triangle>) -> Robot {
    let mut robot = super::root();
    let body = super::turning(&mut robot, 0, DVec3::ZERO, None);
    super::add_link(&mut robot, "a", 0, a);
    super::add_link(&mut robot, "b", body, b);
    robot
}

fn pose(robots: &mut Robots) -> DAffine3 {
    let axis = DVec3::from_array(robots.vector()).normalize();
    let far = DVec3::from_array(robots.vector()) * robots.within([0.0, 4.0]);
    DAffine3::from_mat3_translation(DMat3::from_axis_angle(axis, robots.within([-3.0, 3.0])), far)
}

/// The smallest distance of all pairs of triangles, zero if some certainly pierce each other.
fn brute(a: &[Triangle], b: &[Triangle]) -> f64 {
    let distance = |x: &Triangle, y: &Triangle| {
        let (p, q) = closest(x, y);
        if pierce(x, y) { 0.0 } else { p.distance(q) }
    };
    a.iter().flat_map(|y| b.iter().map(move |x| distance(x, y))).fold(f64::INFINITY, f64::min)
}

#[test]
fn distances_are_those_of_all_pairs() {
    let mut robots = Robots::new(21);
    let (mut touching, mut apart) = (0, 0);
    for i in 0..crate::effort(300, 5000) {
        let n = [1, 2, 7, 60, 300][i % 5];
        let robot = robot_of(soup(&mut robots, n), soup(&mut robots, 1 + n / 2));
        let [a, b] = [0, 1].map(|l| Shape::new(&robot, l).unwrap());
        for _ in 0..3 {
            let pose = pose(&mut robots);
            let moved: Vec<_> = robot.links[1].triangles.iter().map(|t| t.map(|v| pose.transform_point3(v))).collect();
            let expected = brute(&robot.links[0].triangles, &moved);
            let placed = Placed { a: &a, b: &b, pose, error_m: 1e-11 };
            let near = placed.nearest(f64::INFINITY).unwrap();
            assert!((near.distance_m - expected).abs() < 1e-9, "{near:?} {expected}");
            assert_eq!(placed.touches(near.pair, 0.0), expected == 0.0);
            // Limits: only what is nearer is found.
            assert!(placed.nearest(expected * 0.999).is_none() || expected == 0.0);
            assert!(placed.nearest(expected * 1.001 + 1e-9).is_some());
            // Without a displacement, an obstacle is a pair within the margin.
            let none = Displacement::default();
            if expected > 1e-6 {
                assert!(placed.obstacle(&none, expected - 1e-9).is_none());
                apart += 1;
            } else {
                touching += usize::from(expected == 0.0);
            }
            assert!(placed.obstacle(&none, expected + 1e-9).is_some());
            assert!(placed.touches(placed.obstacle(&none, 10.0).unwrap().pair, 10.0));
        }
    }
    assert!(touching > 50 && apart > 50, "{touching} {apart}");
}

/// A bar turns about the middle of its box, which does not move: its ends reach a plate, or not.
#[test]
fn boxes_move_farther_than_their_middles() {
    let mut robots = Robots::new(23);
    let (mut free, mut reached) = (0, 0);
    for _ in 0..crate::effort(400, 10_000) {
        let (arm, y) = (robots.within([0.2, 1.0]), robots.within([0.05, 0.9]));
        let n = 1 + 2 * robots.below(12);
        let x = |i: u32| arm * (2.0 * f64::from(i) / f64::from(n) - 1.0);
        let cell = |i: u32, low: f64, [y, z]: [DVec3; 2]| {
            let [a, b, c, d] =
                [(i, low), (i + 1, low), (i + 1, -low), (i, -low)].map(|(i, high)| DVec3::X * x(i) + y + z * high);
            [[a, b, c], [a, c, d]]
        };
        let plate = (0..n).flat_map(|i| cell(i, 2.0, [DVec3::Y * y, DVec3::Z])).collect();
        let bar = (0..n).flat_map(|i| cell(i, 0.01, [DVec3::ZERO, DVec3::Z])).collect();
        let robot = robot_of(plate, bar);
        let shapes = [0, 1].map(|l| Shape::new(&robot, l).unwrap());
        let path = Path::new(&robot, [0, 1], [shapes[0].reach_m, shapes[1].reach_m]).unwrap();
        let half = robots.within([0.0, 1.5]);
        let at = path.at(&[0.0]);
        let displacement = Displacement::new(&at, &[half]);
        let placed = Placed { a: &shapes[0], b: &shapes[1], pose: at.pose, error_m: path.error_m };
        // By hand: the tip rises by arm sin(angle).
        let height = arm * half.sin();
        let is_free = placed.obstacle(&displacement, 0.0).is_none();
        assert!(!(is_free && height > y), "{arm} {half} {y}");
        (free, reached) = (free + usize::from(is_free), reached + usize::from(height > y));
    }
    assert!(free > 20 && reached > 20, "{free} {reached}");
}

/// Where no obstacle is found, no configuration of the box is within the margin; where triangles always touch, every
/// one is.
#[test]
fn answers_hold_in_the_whole_box() {
    let mut robots = Robots::new(22);
    let (mut free, mut always) = (0, 0);
    for i in 0..crate::effort(3000, 50_000) {
        // Links of many triangles touch more often.
        let (a, b) = (soup(&mut robots, if i % 4 == 0 { 40 } else { 1 + i % 9 }), soup(&mut robots, 1 + i % 5));
        let mut robot = robots.robot();
        let bodies = [0, robot.bodies.len() as u32 - 1];
        std::sync::Arc::make_mut(&mut robot.links).clear();
        super::add_link(&mut robot, "a", bodies[0], a);
        super::add_link(&mut robot, "b", bodies[1], b);
        let shapes = [0, 1].map(|l| Shape::new(&robot, l).unwrap());
        let path = Path::new(&robot, bodies, [shapes[0].reach_m, shapes[1].reach_m]).unwrap();
        let q = super::random_robots::configuration(&mut robots, &robot);
        let own: Vec<f64> = path.columns.iter().map(|c| q[c.column as usize]).collect();
        let scale = [0.002, 0.05, 0.5][i % 3];
        let half: Vec<f64> = own.iter().map(|_| scale * robots.within([0.0, 1.0])).collect();
        let at = path.at(&own);
        let displacement = Displacement::new(&at, &half);
        let placed = Placed { a: &shapes[0], b: &shapes[1], pose: at.pose, error_m: path.error_m };
        let margin_m = [0.0, 0.01][i % 2];
        let is_free = placed.obstacle(&displacement, margin_m).is_none();
        let is_always = placed.always(&displacement).is_some();
        assert!(!(is_free && is_always));
        (free, always) = (free + usize::from(is_free), always + usize::from(is_always));
        if !is_free && !is_always {
            continue;
        }
        for _ in 0..12 {
            let mut moved = q.clone();
            for (column, h) in path.columns.iter().zip(&half) {
                let by = if robots.below(2) == 0 {
                    f64::from(robots.below(2) * 2) - 1.0
                } else {
                    robots.within([-1.0, 1.0])
                };
                moved[column.column as usize] += by * h;
            }
            let poses = robot.body_poses(&moved).unwrap();
            let distance = brute(&super::placed(&robot, &poses, 0), &super::placed(&robot, &poses, 1));
            assert!(if is_free { distance > margin_m } else { distance <= 1e-10 }, "{is_free} {distance}");
        }
    }
    assert!(free > 300 && always > 30, "{free} {always}");
}
