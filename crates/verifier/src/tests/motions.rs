//! Enclosures of moving points contain them, and are tight.

use super::kinematics::{bernstein, position};
use super::models::*;
use super::random::Random;
use crate::ball::{Ball, norm};
use crate::body_motion::{Motions, PreparedRobot};
use crate::free_joint::FreeMotion;
use crate::polynomial::{Interval, Value};
use crate::{Body, Drive, Joint, Motion, Robot, Segment, Statement};

fn unit(random: &mut Random) -> [f64; 3] {
    loop {
        let v = random.vector(1.0);
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (0.1..1.0).contains(&size) {
            return v.map(|x| x / size);
        }
    }
}

fn rotation(random: &mut Random) -> [[f64; 3]; 3] {
    let (a, b) = (unit(random), unit(random));
    let along: f64 = (0..3).map(|r| a[r] * b[r]).sum();
    let c: [f64; 3] = std::array::from_fn(|r| b[r] - along * a[r]);
    let size = c.iter().map(|x| x * x).sum::<f64>().sqrt();
    let c = c.map(|x| x / size);
    [a, c, [a[1] * c[2] - a[2] * c[1], a[2] * c[0] - a[0] * c[2], a[0] * c[1] - a[1] * c[0]]]
}

/// A chain of five bodies whose columns are shared by chance, with a motion of a degree.
fn chain(random: &mut Random, degree: usize, free: bool) -> (Robot, Motion) {
    let mut bodies = Vec::new();
    // At the root, or behind another joint.
    let free_body = free.then(|| random.below(2));
    for i in 0..5_usize {
        let mut drive = || Drive {
            column: 7 + random.below(3),
            multiplier: random.between(-1.5, 1.5),
            offset: random.between(-3.0, 3.0),
        };
        let drive = drive();
        let axis = unit(random);
        let joint = match random.below(4) {
            _ if free_body == Some(i) => Joint::Free { first_column: 0 },
            0 => Joint::Fixed,
            1 | 2 => Joint::Revolute { axis, drive },
            _ => Joint::Prismatic { axis, drive },
        };
        let (orientation, origin_m) = (rotation(random), random.vector(0.5));
        bodies.push(Body { parent: i.checked_sub(1), orientation, origin_m, joint });
    }
    let mut segment = || Segment {
        coefficients: (0..10).map(|_| (0..=degree).map(|_| random.between(-2.0, 2.0)).collect()).collect(),
    };
    let motion = Motion { segments: vec![segment(), segment()] };
    (Robot { n_columns: 10, bodies, links: Vec::new() }, motion)
}

/// Largest distance by which a moving point is outside of its enclosure along an axis, and the enclosure's width.
fn outside(random: &mut Random, robot: &Robot, motion: &Motion, tolerance: f64, width: f64) -> (f64, f64) {
    let mut joint_tolerance = vec![0.0; 7];
    joint_tolerance.extend([tolerance; 3]);
    let statement = Statement { joint_tolerance, ..Statement::default() };
    let prepared = PreparedRobot::new(robot);
    let mut motions = Motions::new(&prepared, &statement, motion);
    let frame = [None, Some(0), Some(1), Some(2)][random.below(4)];
    let body = 2 + random.below(3);
    let from = random.between(0.0, 1.0 - width);
    let time = Interval::new(random.below(2), from, from + width);
    let moving = motions.get(frame, body, &time);
    let (x, n) = (random.vector(0.5), unit(random));
    let distance = x.iter().map(|x| x * x).sum::<f64>().sqrt() * (1.0 + 1e-15);
    let spread = moving.spread(distance).upper();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for pose in &moving.control {
        let point = |r: usize| (0..3).fold(pose[3][r], |sum, j| sum + pose[j][r] * Ball::exact(x[j]));
        let value = (0..3).fold(Ball::ZERO, |sum, r| sum + point(r) * Ball::exact(n[r]));
        (low, high) = (low.min(value.lower() - spread), high.max(value.upper() + spread));
    }
    let mut outside = f64::NEG_INFINITY;
    for k in 0..=40 {
        let t = (from + width * f64::from(k) / 40.0).min(time.to);
        let mut errors = vec![0.0; 7];
        errors.extend((0..3).map(|_| if random.below(2) == 0 { tolerance } else { -tolerance }));
        let p = position(robot, motion, (frame, body), (time.segment, t), &errors, x);
        let value: f64 = (0..3).map(|r| n[r] * p[r]).sum();
        outside = outside.max(low - value).max(value - high);
    }
    (outside, high - low)
}

#[test]
fn points_are_within_their_enclosures() {
    let mut random = Random(1);
    for case in 0..1500 {
        let free = case % 3 == 0;
        let degree = if free { 1 } else { 1 + case % 7 };
        let (robot, motion) = chain(&mut random, degree, free);
        let tolerance = if case % 2 == 0 { 0.0 } else { 0.02 };
        let width = random.between(-12.0, -1.0).exp2();
        let (outside, _) = outside(&mut random, &robot, &motion, tolerance, width);
        assert!(outside < 1e-12, "case {case}: {outside} outside");
    }
}

#[test]
fn enclosures_of_short_intervals_are_tight() {
    let mut random = Random(2);
    for case in 0..400 {
        let degree = if case % 3 == 0 { 1 } else { 1 + case % 15 };
        let (robot, motion) = chain(&mut random, degree, degree == 1);
        let (outside, width) = outside(&mut random, &robot, &motion, 0.0, 1e-14);
        assert!(outside < 1e-13 && width < 2e-11, "case {case}: {outside} {width}");
    }
}

/// One joint: the fourth derivative is attained, so the remainder cannot be smaller by much.
#[test]
fn the_remainder_is_needed() {
    let turn =
        Robot { n_columns: 1, bodies: vec![body(None, [0.0; 3], revolute(0, [0.0, 0.0, 1.0]))], links: Vec::new() };
    let motion = line(&[[0.0, 1.0]]);
    let (prepared, statement) = (PreparedRobot::new(&turn), Statement::default());
    let mut motions = Motions::new(&prepared, &statement, &motion);
    let moving = motions.get(None, 0, &Interval::new(0, 0.0, 1.0));
    // The cubic Taylor polynomial of the sine at 1/2 is off by up to 1/16/24.
    assert!((moving.spread(1.0).upper() - 1.0 / 384.0).abs() < 1e-12);
    assert!((moving.spread(2.0).upper() - 2.0 / 384.0).abs() < 1e-12);
    let last = moving.control[3];
    let angle: f64 = last[0][1].mid.atan2(last[0][0].mid) - 1.0;
    assert!(angle.abs() > 1e-5 && angle.abs() < 1.0 / 384.0, "{angle}");
}

/// A slide across the arm of a turn: its distance from the axis is that of its farther end, with the tolerance.
#[test]
fn the_distance_of_a_slide_is_that_of_its_farther_end() {
    for (ends, farthest) in [([-0.3, 0.6], 0.7_f64), ([0.2, -0.8], 0.9)] {
        let slide = Joint::Prismatic { axis: [0.0, 1.0, 0.0], drive: drive(1) };
        let bodies = vec![body(None, [0.0; 3], revolute(0, [0.0, 0.0, 1.0])), body(Some(0), [1.0, 0.0, 0.0], slide)];
        let robot = Robot { n_columns: 2, bodies, links: Vec::new() };
        let statement = Statement { joint_tolerance: vec![0.02, 0.1], ..Statement::default() };
        let prepared = PreparedRobot::new(&robot);
        let motion = line(&[[0.5, 0.5], ends]);
        let mut motions = Motions::new(&prepared, &statement, &motion);
        let spread = motions.get(None, 1, &Interval::new(0, 0.0, 1.0)).spread(0.25).upper();
        let expected = 0.02 * (farthest.hypot(1.0) + 0.25) + 0.1;
        assert!((spread - expected).abs() < 1e-12, "{spread} {expected}");
    }
}

/// A free joint behind a turn: its distance from the axis is that of its farther end during the interval.
#[test]
fn the_distance_of_a_free_joint_is_that_of_its_farther_end() {
    let half_turn = [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut joint_tolerance = vec![0.0; 8];
    joint_tolerance[7] = 0.02;
    let statement = Statement { joint_tolerance, ..Statement::default() };
    for (orientation, x, [from, to], farther) in
        [(UPRIGHT, [0.5, 2.0], [0.0, 1.0], 3.0), (half_turn, [3.5, -0.5], [0.25, 1.0], 1.5)]
    {
        let free = Body { orientation, ..body(Some(0), [1.0, 0.0, 0.0], Joint::Free { first_column: 0 }) };
        let bodies = vec![body(None, [0.0; 3], revolute(7, [0.0, 0.0, 1.0])), free];
        let robot = Robot { n_columns: 8, bodies, links: Vec::new() };
        let prepared = PreparedRobot::new(&robot);
        let motion = line(&[x, [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [0.0; 2], [1.0; 2], [0.5; 2]]);
        let mut motions = Motions::new(&prepared, &statement, &motion);
        let spread = motions.get(None, 1, &Interval::new(0, from, to)).spread(0.25).upper();
        assert!((spread - 0.02 * (farther + 0.25)).abs() < 1e-9, "{spread}");
    }
}

/// Bounds on a column and its derivatives hold at every time of an interval, and are attained for short ones.
#[test]
fn values_and_derivatives_are_within_their_bounds() {
    let mut random = Random(11);
    for case in 0..400 {
        let degree = 1 + case % 15;
        let coefficients: Vec<f64> = (0..=degree).map(|_| random.between(-2.0, 2.0)).collect();
        let (multiplier, offset) = (random.between(-1.5, 1.5), random.between(-3.0, 3.0));
        let width = random.between(-12.0, 0.0).exp2();
        let from = random.between(0.0, 1.0 - width);
        let time = Interval::new(0, from, (from + width).min(1.0));
        let value = Value::new(&coefficients, multiplier, offset, &time);
        let mut derivative = coefficients.clone();
        for k in 0..5 {
            let at = |t: f64| match derivative.is_empty() {
                true => 0.0,
                false => multiplier * bernstein(&derivative, t) + if k == 0 { offset } else { 0.0 },
            };
            let most = (0..=40).map(|i| at(from + width * f64::from(i) / 40.0).abs()).fold(0.0, f64::max);
            let bound = value.bounds[k].upper();
            let size = derivative.iter().fold(1.0, |size: f64, c| size.max(c.abs()));
            assert!(bound >= most - 1e-12 * size, "case {case}: derivative {k} is {most}, not at most {bound}");
            assert!(width > 1e-3 || bound <= most + 0.2 * size, "case {case}: derivative {k} is {most}, bound {bound}");
            let n = derivative.len().saturating_sub(1);
            derivative = (0..n).map(|i| n as f64 * (derivative[i + 1] - derivative[i])).collect();
        }
    }
}

/// A free joint's position and speed are within its bounds.
#[test]
fn a_free_joint_stays_within_its_bounds() {
    let mut random = Random(12);
    for _ in 0..200 {
        let columns: Vec<Vec<f64>> =
            (0..7).map(|_| vec![random.between(-2.0, 2.0), random.between(-2.0, 2.0)]).collect();
        let from = random.between(0.0, 0.9);
        let time = Interval::new(0, from, random.between(from, 1.0));
        let motion = FreeMotion::new(&columns, &time);
        let at = |t: f64| (0..3).map(|r| bernstein(&columns[r], t).powi(2)).sum::<f64>().sqrt();
        let speed = (0..3).map(|r| (columns[r][1] - columns[r][0]).powi(2)).sum::<f64>().sqrt();
        let (distance, rate) = (motion.ends.map(norm).into_iter().fold(0.0, f64::max), motion.speed);
        let most = (0..=20).map(|i| at(from + (time.to - from) * f64::from(i) / 20.0)).fold(0.0, f64::max);
        assert!(distance >= most - 1e-12 && distance <= most + 1e-9, "{distance} {most}");
        assert!((rate - speed).abs() < 1e-12);
    }
}
