//! Bounds on displacements contain the plain kinematics, and are attained.

use super::random_robots::{Robots, configuration};
use firstcontact::acm::displacement::Displacement;
use firstcontact::acm::path::Path;
use firstcontact::robot::Robot;
use glam::{DAffine3, DVec3};

/// The pose of a body in the frame of another one, by plain kinematics.
fn relative(robot: &Robot, [a, b]: [u32; 2], q: &[f64]) -> DAffine3 {
    let poses = robot.body_poses(q).unwrap();
    poses[a as usize].inverse() * poses[b as usize]
}

/// A box of joint values within the robot's limits: all columns and half of their widths.
fn part(robots: &mut Robots, robot: &Robot, scale: f64) -> (Vec<f64>, Vec<f64>) {
    let q = configuration(robots, robot);
    let half = robot.columns.iter().map(|_| scale * robots.within([0.0, 1.0])).collect();
    (q, half)
}

/// The values of a path's columns.
fn of_path(path: &Path, all: &[f64]) -> Vec<f64> {
    path.columns.iter().map(|c| all[c.column as usize]).collect()
}

#[test]
fn poses_are_those_of_plain_kinematics() {
    let mut robots = Robots::new(11);
    for _ in 0..500 {
        let robot = robots.robot();
        let n = robot.bodies.len() as u32;
        let bodies = [robots.below(n), robots.below(n)];
        let path = Path::new(&robot, bodies, [1.0, 1.0]).unwrap();
        let q = configuration(&mut robots, &robot);
        let own = of_path(&path, &q);
        let expected = relative(&robot, bodies, &q);
        for pose in [path.pose(&own), path.at(&own).pose] {
            assert!(pose.abs_diff_eq(expected, 1e-13), "{pose:?} {expected:?}");
        }
        assert!(path.error_m > 1e-12 && path.error_m < 1e-9);
    }
}

/// No point moves farther than the bounds allow, in any direction or along any vector, and some move as far.
#[test]
fn displacements_stay_within_their_bounds_and_attain_them() {
    let mut robots = Robots::new(12);
    let (mut any, mut along) = (0.0f64, 0.0f64);
    for i in 0..crate::effort(4000, 100_000) {
        let robot = robots.robot();
        let n = robot.bodies.len() as u32;
        let bodies = [robots.below(n), robots.below(n)];
        let path = Path::new(&robot, bodies, [1.0, 1.0]).unwrap();
        let (q, half) = part(&mut robots, &robot, [0.01, 0.3, 2.0, 7.0][i % 4]);
        let at = path.at(&of_path(&path, &q));
        let displacement = Displacement::new(&at, &of_path(&path, &half));
        let (p, ball) = (DVec3::from_array(robots.vector()), robots.within([0.0, 0.3]));
        let direction = DVec3::from_array(robots.vector()).normalize();
        let (in_frame, before) = (at.pose.transform_point3(p), relative(&robot, bodies, &q));
        for _ in 0..24 {
            // Corners of the box are the most likely to be extreme.
            let moved: Vec<f64> = q
                .iter()
                .zip(&half)
                .map(|(x, h)| {
                    if robots.below(3) > 0 {
                        x + h * f64::from(robots.below(2) * 2) - h
                    } else {
                        x + h * robots.within([-1.0, 1.0])
                    }
                })
                .collect();
            let after = relative(&robot, bodies, &moved);
            let near = p + direction * ball * robots.within([-1.0, 1.0]);
            let moved = after.transform_point3(near) - before.transform_point3(near);
            let error = path.error_m;
            let bound = displacement.any(in_frame, ball);
            assert!(moved.length() <= bound + error, "{} beyond {bound}", moved.length());
            if bound > 1e-3 {
                any = any.max(moved.length() / bound);
            }
            for n in [DVec3::from_array(robots.vector()).normalize(), moved.normalize_or(DVec3::X)] {
                let bound = displacement.along(n, in_frame, ball);
                assert!(n.dot(moved) <= bound + error, "{} beyond {bound}", n.dot(moved));
                if bound > 1e-3 {
                    along = along.max(n.dot(moved) / bound);
                }
            }
        }
    }
    assert!(any > 0.95 && along > 0.95, "{any} {along}");
}

/// The turn of a link is not larger than its bound.
#[test]
fn turns_stay_within_their_bound() {
    let mut robots = Robots::new(13);
    for _ in 0..1000 {
        let robot = robots.robot();
        let bodies = [0, robot.bodies.len() as u32 - 1];
        let path = Path::new(&robot, bodies, [1.0, 1.0]).unwrap();
        let (q, half) = part(&mut robots, &robot, 0.2);
        let displacement = Displacement::new(&path.at(&of_path(&path, &q)), &of_path(&path, &half));
        let moved: Vec<f64> = q.iter().zip(&half).map(|(x, h)| x + h).collect();
        let before = relative(&robot, bodies, &q).matrix3;
        let after = relative(&robot, bodies, &moved).matrix3;
        let e = DVec3::from_array(robots.vector());
        assert!((after * e - before * e).length() <= displacement.turn_rad * e.length() + 1e-12);
    }
}
