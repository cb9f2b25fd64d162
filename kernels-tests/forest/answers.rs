//! Answers for several robots: kinematics of each, contacts in closed form, bases far away.

use super::arms::{arm, bar, check, engine, pair, post};
use crate::harness::models::Draw;
use firstcontact::{Contact, LinkPairs, Obstacle, Robot, Scene, Verdict};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

fn contact(verdict: &Verdict) -> &Contact {
    let Verdict::Contact(contact) = verdict else { panic!("{verdict:?}") };
    contact
}

/// Each link's name and body pose.
fn poses(robot: &Robot, q: &[f64]) -> Vec<(String, glam::DAffine3)> {
    let bodies = robot.body_poses(q).unwrap();
    robot.links.iter().map(|link| (link.name.clone(), bodies[link.body as usize])).collect()
}

#[test]
fn each_robot_moves_as_it_does_alone() {
    let mut draw = Draw::new(7);
    let robots = [arm(DVec3::new(0.4, -0.3, 0.1), 0.7), bar(DVec3::new(-0.6, 0.2, 0.0), -2.0), post(DVec3::Y)];
    let names = ["left", "right", "post"];
    let joined = Robot::join(names.iter().map(ToString::to_string).zip(robots.clone())).unwrap();
    assert_eq!(joined.columns.len(), 7);
    assert_eq!((&*joined.columns[0].name, &*joined.columns[6].name), ("left/pan", "right/turn"));
    for _ in 0..20 {
        let q: Vec<f64> = (0..7).map(|_| draw.between(-PI, PI)).collect();
        let alone = [&q[..6], &q[6..], &[]];
        let expected = names.iter().zip(&robots).zip(alone).flat_map(|((name, robot), q)| {
            poses(robot, q).into_iter().map(move |(link, pose)| (format!("{name}/{link}"), pose))
        });
        assert_eq!(poses(&joined, &q), expected.collect::<Vec<_>>());
    }
}

/// Two bars of width 0.1 whose pivots are 1.6 apart turn towards each other, mirror images of each other. Their corners
/// at distance `r = √(1 + 0.05²)` from the pivots meet in the plane between them.
#[test]
fn two_bars_meet_in_the_mirror_plane() {
    // At different heights, so that edges pass through faces, and not along edges.
    let (both, pairs) = pair(bar(DVec3::new(-0.8, 0.0, 0.0), 0.0), bar(DVec3::new(0.8, 0.0, 0.02), PI));
    // From 90° to the common line, in opposite directions.
    let report = check(&engine(&both, &Scene::new(), pairs), &[[vec![PI / 2.0, -PI / 2.0], vec![0.0, 0.0]]]);
    let found = contact(&report.verdicts[0]);
    // The corner (1, -0.05) of the left bar, behind the bar's axis by the angle `lag`, reaches x = 0 first.
    let (reach, lag) = ((1.0f64 + 0.05 * 0.05).sqrt(), (0.05f64).atan());
    let angle = (0.8 / reach).acos() + lag;
    let expected = (PI / 2.0 - angle) / (PI / 2.0);
    assert!(found.is_certified() && found.toc[0] <= expected + 1e-12, "{found:?} {expected}");
    assert!(found.toc[1] >= expected - 1e-12 && found.toc[1] - found.toc[0] < 1e-8, "{found:?} {expected}");
    let place = found.first.unwrap();
    assert!(place.point[0].abs() < 1e-6, "{place:?}");
    assert_eq!((place.a.link, place.b.obstacle()), (1, Obstacle::Link(3)));
}

/// Two arms at opposite sides of a workspace, each reaching into it.
fn motions() -> Vec<[Vec<f64>; 2]> {
    let mut draw = Draw::new(11);
    let mut q = || (0..12).map(|_| draw.between(-0.9, 0.9)).collect::<Vec<f64>>();
    (0..40).map(|_| [q(), q()]).collect()
}

fn same(near: &[Verdict], far: &[Verdict], shift: DVec3) {
    let n_contacts = near.iter().filter(|verdict| verdict.is_contact()).count();
    assert!(n_contacts > 3 && n_contacts < near.len() - 3, "{n_contacts} of {}", near.len());
    for (a, b) in near.iter().zip(far) {
        match (a, b) {
            (Verdict::Contact(a), Verdict::Contact(b)) => {
                assert!(a.toc[0] <= b.toc[1] && b.toc[0] <= a.toc[1], "{a:?} {b:?}");
                assert_eq!(a.certainty, b.certainty);
                let [p, q] = [a, b].map(|c| DVec3::from_array(c.first.unwrap().point));
                // Of several contacts at the start, the order of the links selects one.
                assert!(a.initial_overlap || (q - p - shift).length() < 1e-6, "{a:?} {b:?}");
            }
            _ => assert_eq!(a, b),
        }
    }
}

#[test]
fn bases_far_from_the_origin() {
    let motions = motions();
    let answers = |shift: DVec3| {
        let bases = [DVec3::new(-0.4, 0.1, 0.0), DVec3::new(0.4, -0.1, 0.0)].map(|base| base + shift);
        let (both, pairs) = pair(arm(bases[0], 0.0), arm(bases[1], PI));
        let engine = engine(&both, &Scene::new(), pairs);
        (check(&engine, &motions).verdicts, engine.world().origin_m)
    };
    let (near, origin) = answers(DVec3::ZERO);
    assert_eq!(origin, DVec3::ZERO);
    for shift in [DVec3::new(100.0, 0.0, 0.0), DVec3::new(-64.0, 96.0, 0.0)] {
        let (far, origin) = answers(shift);
        assert!((origin - shift).length() <= 1.5, "{origin}");
        same(&near, &far, shift);
    }
}

/// In the other order of the robots the answers are the same, with `a` and `b` exchanged.
#[test]
fn the_order_of_the_robots_does_not_matter() {
    let motions = motions();
    let (both, pairs) = pair(arm(DVec3::new(-0.4, 0.1, 0.0), 0.0), arm(DVec3::new(0.4, -0.1, 0.0), PI));
    let joined = check(&engine(&both, &Scene::new(), pairs), &motions).verdicts;
    let (other, others) = pair(arm(DVec3::new(0.4, -0.1, 0.0), PI), arm(DVec3::new(-0.4, 0.1, 0.0), 0.0));
    let swap = |q: &Vec<f64>| [&q[6..], &q[..6]].concat();
    let exchanged: Vec<_> = motions.iter().map(|[a, b]| [swap(a), swap(b)]).collect();
    let swapped = check(&engine(&other, &Scene::new(), others), &exchanged).verdicts;
    same(&joined, &swapped, DVec3::ZERO);
}

/// A bar against a post: as a second robot, and as an object of the scene.
#[test]
fn a_robot_that_does_not_move_is_like_a_scene() {
    let base = DVec3::new(0.5, 0.5, 0.0);
    let (both, pairs) = pair(bar(DVec3::ZERO, 0.0), post(base));
    assert_eq!(both.columns.len(), 1);
    let motions = [[vec![0.0], vec![2.0]], [vec![-1.0], vec![0.0]]];
    let robots = check(&engine(&both, &Scene::new(), pairs), &motions).verdicts;
    let mut scene = Scene::new();
    let triangles = post(base).links[1].triangles.iter().map(|t| t.map(|v| v + base)).collect::<Vec<_>>();
    scene.add_object("post", triangles).unwrap();
    let alone = check(&engine(&bar(DVec3::ZERO, 0.0), &scene, LinkPairs::none()), &motions).verdicts;
    let [one, other] = [&robots, &alone].map(|verdicts| contact(&verdicts[0]).toc);
    assert!(one[0] <= other[1] && other[0] <= one[1] && one[1] - one[0] < 1e-8, "{one:?} {other:?}");
    assert_eq!((&robots[1], &alone[1]), (&Verdict::Free, &Verdict::Free));
}

#[test]
fn robots_that_cannot_be_joined() {
    let robot = || Robot::new("r", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let joined = |names: &[&str]| Robot::join(names.iter().map(|name| (name.to_string(), robot())));
    assert!(joined(&["a", "b"]).is_ok());
    for (names, said) in [
        (vec!["a", "b", "a"], "two robots are called 'a'"),
        (vec![""], "empty name"),
        (vec!["a/b"], "'a/b' has a slash"),
        (vec![], "at least one robot"),
    ] {
        let error = joined(&names).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
