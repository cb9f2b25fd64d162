//! Two-link arms in the plane, whose reach has a closed form.

use super::{add_link, class_of, driven, expect, root, turning, values};
use crate::oracle::triangles::{closest, pierce};
use firstcontact::acm::{Class, ClassifiedPair, touches};
use firstcontact::robot::{Drive, JointKind, Robot, Triangle};
use glam::DVec3;

const UPPER: f64 = 1.0;
const FORE: f64 = 0.5;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A wall across the x axis.
fn wall(x: f64) -> Vec<Triangle> {
    let [a, b, c, d] = [v(x, -9.0, -1.0), v(x, 9.0, -1.0), v(x, 9.0, 1.0), v(x, -9.0, 1.0)];
    vec![[a, b, c], [a, c, d]]
}

/// A needle along the x axis.
fn needle(length: f64) -> Triangle {
    [DVec3::ZERO, v(length, 0.0, 0.0), v(0.5 * length, 0.0, 0.01)]
}

/// A wall on the root, an elbow far above it, and a forearm.
fn arm(wall_at: f64, shoulder: Option<[f64; 2]>, elbow: Option<[f64; 2]>) -> Robot {
    let mut robot = root();
    let upper = turning(&mut robot, 0, DVec3::ZERO, shoulder);
    let fore = turning(&mut robot, upper, v(UPPER, 0.0, 0.0), elbow);
    with_links(robot, wall_at, upper, fore)
}

fn with_links(mut robot: Robot, wall_at: f64, upper: u32, fore: u32) -> Robot {
    add_link(&mut robot, "wall", 0, wall(wall_at));
    add_link(&mut robot, "upper", upper, vec![needle(0.1).map(|p| p + v(0.0, 0.0, 5.0))]);
    add_link(&mut robot, "fore", fore, vec![needle(FORE)]);
    robot
}

/// A witness puts the needle through the wall, or within the margin of it, by plain kinematics.
#[track_caller]
fn is_witness(robot: &Robot, pair: &ClassifiedPair, margin_m: f64) {
    let q = values(robot, pair);
    let poses = robot.body_poses(&q).unwrap();
    let (x, y) = (super::placed(robot, &poses, 2), super::placed(robot, &poses, 0));
    let touch = |x: &Triangle, y: &Triangle| {
        let (p, q) = closest(x, y);
        pierce(x, y) || p.distance(q) <= margin_m + 1e-12
    };
    assert!(x.iter().any(|x| y.iter().any(|y| touch(x, y))), "{pair:?}");
    assert!(touches(robot, pair.links, &q, margin_m).unwrap());
}

/// Without limits the forearm reaches as far as both lengths together.
#[test]
fn the_reach_decides() {
    for limits in [None, Some([-6.0, 6.0]), Some([-0.5, 0.75])] {
        for (gap, class) in
            [(1e-3, Class::Never), (1e-6, Class::Never), (-1e-3, Class::Default), (-1e-6, Class::Default)]
        {
            let robot = arm(UPPER + FORE + gap, limits, limits);
            expect(&robot, &class_of(&robot, 2, 0.0), class);
        }
    }
}

/// The limits of the shoulder exclude the stretched pose, so the nearest point to the wall is at a limit.
#[test]
fn limits_that_make_a_pair_just_separate_or_just_touch() {
    let (lower, bend) = (0.4f64, 0.2f64);
    let stretched = (UPPER + FORE) * lower.cos();
    let bent = UPPER * lower.cos() + FORE * (lower + bend).cos();
    for (elbow, reach) in [([0.0, 1.0], stretched), ([bend, 1.0], bent), ([bend, bend], bent)] {
        for gap in [1e-2, 1e-4, 1e-6] {
            let robot = arm(reach + gap, Some([lower, 1.5]), Some(elbow));
            let pair = class_of(&robot, 2, 0.0);
            expect(&robot, &pair, Class::Never);
            assert!(pair.smallest_distance_m.unwrap() >= gap * 0.999, "{pair:?}");
            let robot = arm(reach - gap, Some([lower, 1.5]), Some(elbow));
            let pair = class_of(&robot, 2, 0.0);
            expect(&robot, &pair, Class::Sometimes);
            is_witness(&robot, &pair, 0.0);
        }
    }
}

/// The tip touches the wall in one pose, exactly, or to within the rounding of the wall's coordinate: never is not
/// proved. At the end of its reach the tip moves along the wall, so that contact to within rounding is found.
#[test]
fn a_pair_in_exact_contact_is_not_proved_separate() {
    let class = |wall_at: f64, shoulder: [f64; 2]| {
        let robot = arm(wall_at, Some(shoulder), Some([0.0, 1.0]));
        let options = firstcontact::acm::Options { samples: 100, ..Default::default() };
        let pairs = firstcontact::acm::classify(&robot, &[], &options, &|| ()).unwrap();
        let pair = pairs.into_iter().find(|pair| pair.links == [0, 2]).unwrap();
        (robot, pair)
    };
    let (robot, pair) = class(UPPER + FORE, [0.0, 1.0]);
    expect(&robot, &pair, Class::Sometimes);
    is_witness(&robot, &pair, 1e-10);
    let (robot, pair) = class((UPPER + FORE) * 0.4f64.cos(), [0.4, 1.5]);
    expect(&robot, &pair, Class::Unproved);
    assert!(pair.smallest_distance_m.unwrap() < 1e-7, "{pair:?}");
}

#[test]
fn the_margin_decides() {
    let gap = 0.01;
    let robot = arm((UPPER + FORE) * 0.4f64.cos() + gap, Some([0.4, 1.5]), Some([0.0, 1.0]));
    for margin_m in [0.0, gap - 1e-6] {
        expect(&robot, &class_of(&robot, 2, margin_m), Class::Never);
    }
    for margin_m in [gap + 1e-6, 0.1] {
        let pair = class_of(&robot, 2, margin_m);
        expect(&robot, &pair, Class::Sometimes);
        is_witness(&robot, &pair, margin_m);
    }
}

/// The elbow follows the shoulder.
#[test]
fn mimic_joints_follow_their_master() {
    let (lower, upper) = (0.3f64, 1.0);
    for (multiplier, offset) in [(1.0, 0.0), (2.0, 0.0), (-1.0, 0.0), (0.5, -0.1), (3.0, 0.2)] {
        // The reach by a fine scan of one variable; the maximum is wider than its steps.
        let tip = |q: f64| UPPER * q.cos() + FORE * (q + multiplier * q + offset).cos();
        let steps = 2_000_000;
        let at = |i: i32| lower + (upper - lower) * f64::from(i) / f64::from(steps);
        let reach = (0..=steps).map(|i| tip(at(i))).fold(0.0, f64::max);
        for (gap, class) in [(1e-5, Class::Never), (-1e-5, Class::Sometimes)] {
            let mut robot = root();
            let shoulder = turning(&mut robot, 0, DVec3::ZERO, Some([lower, upper]));
            let kind = JointKind::Revolute { axis: DVec3::Z, drive: Drive { column: 0, multiplier, offset } };
            let fore = driven(&mut robot, shoulder, v(UPPER, 0.0, 0.0), kind);
            let robot = with_links(robot, reach + gap, shoulder, fore);
            let pair = class_of(&robot, 2, 0.0);
            expect(&robot, &pair, class);
            if class == Class::Sometimes {
                is_witness(&robot, &pair, 0.0);
            }
        }
    }
}

/// A joint without limits repeats after a turn only if all joints that follow it do.
#[test]
fn a_fractional_follower_does_not_repeat_after_one_turn() {
    for (multiplier, class) in [(2.0, Class::Never), (-3.0, Class::Never), (0.5, Class::Unproved)] {
        let mut robot = root();
        let shoulder = turning(&mut robot, 0, DVec3::ZERO, None);
        let kind = JointKind::Revolute { axis: DVec3::Z, drive: Drive { column: 0, multiplier, offset: 0.0 } };
        let fore = driven(&mut robot, shoulder, v(UPPER, 0.0, 0.0), kind);
        let robot = with_links(robot, UPPER + FORE + 0.1, shoulder, fore);
        expect(&robot, &class_of(&robot, 2, 0.0), class);
    }
}

/// Half a turn of the elbow, at its end, brings the forearm through a post: only the values near the limit touch.
#[test]
fn all_values_of_a_turn_count() {
    let post = v(-0.2, 0.0, 0.0);
    for limits in [None, Some([-4.0, 4.0]), Some([0.0, 7.0])] {
        let mut robot = root();
        let stand = turning(&mut robot, 0, v(0.0, 0.0, 5.0), Some([0.0, 0.0]));
        let fore = turning(&mut robot, stand, v(0.0, 0.0, -5.0), limits);
        let sheet = [v(0.0, -1e-4, -1.0), v(0.0, 1e-4, -1.0), v(0.0, 0.0, 1.0)].map(|p| p + post);
        add_link(&mut robot, "post", 0, vec![sheet]);
        add_link(&mut robot, "stand", stand, vec![needle(0.1)]);
        add_link(&mut robot, "fore", fore, vec![needle(FORE)]);
        let pair = class_of(&robot, 2, 0.0);
        expect(&robot, &pair, Class::Sometimes);
        is_witness(&robot, &pair, 0.0);
        // The post is rarely hit by chance.
        assert!(pair.samples.touching < pair.samples.tried / 50, "{pair:?}");
    }
}

/// A pole at a distance from the axis, through a square plate: its foot runs along a circle.
#[test]
fn a_pole_through_a_plate_always_touches_or_sometimes() {
    let plate = |s: f64| {
        let [a, b, c, d] = [v(-s, -s, 0.0), v(s, -s, 0.0), v(s, s, 0.0), v(-s, s, 0.0)];
        vec![[a, b, c], [a, c, d]]
    };
    // The diagonal of the plate belongs to both of its triangles, and no single one is pierced there.
    for (side, limits, class) in
        [(1.02, [0.1, 0.7], Class::Always), (1.02, [-2.2, 0.7], Class::Always), (0.97, [-0.5, 0.5], Class::Sometimes)]
    {
        let mut robot = root();
        let stand = turning(&mut robot, 0, DVec3::ZERO, Some(limits));
        let lift = JointKind::Prismatic {
            axis: DVec3::Z,
            drive: Drive::direct(robot.add_column("lift", firstcontact::ColumnKind::LengthM, Some([-0.1, 0.1]))),
        };
        let pole = driven(&mut robot, stand, DVec3::ZERO, lift);
        add_link(&mut robot, "plate", 0, plate(side));
        add_link(&mut robot, "stand", stand, vec![needle(0.1).map(|p| p + v(0.0, 0.0, 9.0))]);
        let foot = v(1.0, 0.0, 0.0);
        add_link(
            &mut robot,
            "pole",
            pole,
            vec![[v(0.0, 0.0, -0.5), v(0.0, 0.02, -0.5), v(0.0, 0.0, 0.5)].map(|p| p + foot)],
        );
        expect(&robot, &class_of(&robot, 2, 0.0), class);
    }
}

/// Limits far beyond a turn, as some robots have them instead of none: the proofs are those of a joint without limits.
#[test]
fn wide_limits_are_those_of_a_turn() {
    let free = super::class_of(&arm(1.2, None, None), 2, 0.0).free.unwrap();
    for wide in [7.0, 1e3, 1e4, 1e9, 1e16, 1e20] {
        let robot = arm(1.2, Some([-wide, wide]), Some([-wide, 2.0 * wide]));
        let pair = super::class_of(&robot, 2, 0.0);
        assert_eq!(pair.class, Class::Default, "{wide}: {pair:?}");
        is_witness(&robot, &pair, 0.0);
        let of = pair.free.unwrap();
        assert!(of.columns().iter().all(|c| c.is_periodic && c.range[0].abs() <= 1e4), "{wide}: {of:?}");
        assert!((of.share() - free.share()).abs() < 0.05, "{wide}: {} and {}", of.share(), free.share());
    }
    // A multiplier that does not repeat after a turn, with angles beyond those of the engine.
    let mut robot = arm(1.2, None, None);
    robot.columns[1].limits = Some([-1e9, 1e9]);
    if let JointKind::Revolute { drive, .. } = &mut robot.bodies[2].joint.kind {
        drive.multiplier = 0.3;
    }
    let pair = super::class_of(&robot, 2, 0.0);
    assert!(pair.class == Class::Unproved && pair.reason.contains("2^20"), "{pair:?}");
}
