//! Crowded parts of a piece: fine meshes that turn into each other.

use super::{Case, are_near, faults_before, meet_exactly, search_until};
use crate::effort;
use crate::harness::backends::{engine, on};
use crate::harness::models::Draw;
use crate::harness::truth::position;
use firstcontact::Verdict;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Backend, Options};
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, MotionBatch, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s5_pairs::{Limits, PairCounts};
use firstcontact::stage::{Piece, SUBS, TrianglePair, s1_concat, s2_bound, s3_cull, s5_pairs};
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// A rough square of `2 n²` triangles in the plane that two vectors span, about a point.
fn plate(draw: &mut Draw, n: usize, about: DVec3, [u, v]: [DVec3; 2], roughness: f64) -> Vec<[DVec3; 3]> {
    let normal = u.cross(v).normalize();
    let mut points = Vec::new();
    for i in 0..=n {
        for k in 0..=n {
            let [s, t] = [i, k].map(|j| 2.0 * j as f64 / n as f64 - 1.0);
            points.push(about + u * s + v * t + normal * (roughness * draw.unit()));
        }
    }
    let at = |i: usize, k: usize| points[i * (n + 1) + k];
    let squares = (0..n).flat_map(|i| (0..n).map(move |k| (i, k)));
    squares
        .flat_map(|(i, k)| {
            let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// An arm of 1 m that turns about z and carries a plate along its length, and a plate that it hits nearly flat. Their
/// sides have as many squares as given for each.
fn models(draw: &mut Draw, [of_arm, of_scene]: [usize; 2]) -> (Robot, Scene) {
    let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    robot.add_link("base", 0, vec![[9.0, 9.1, 9.2].map(DVec3::splat)], vec![0]).unwrap();
    let drive = Drive::direct(robot.add_column("r", ColumnKind::AngleRad, None));
    let kind = JointKind::Revolute { axis: DVec3::Z, drive };
    let joint = Joint { name: String::from("r"), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("arm", Some(0), joint).unwrap();
    let sides = [DVec3::X * 0.1, DVec3::Z * 0.1];
    let moving = plate(draw, of_arm, DVec3::X * 0.9, sides, 0.002);
    robot.add_link("arm", body, moving, vec![0]).unwrap();
    let mut scene = Scene::new();
    let turn = DMat3::from_rotation_z(0.15 + 0.02 * draw.unit());
    let standing = plate(draw, of_scene, turn * (DVec3::X * 0.9), sides.map(|side| turn * side), 0.002);
    scene.add_object("plate", standing).unwrap();
    (robot, scene)
}

fn case(draw: &mut Draw, fineness: [usize; 2]) -> Case {
    let (robot, scene) = models(draw, fineness);
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let motion = RobotMotion::new(&robot, &[0.0], &[0.3]).unwrap();
    let pieces = Piece::cut(0, &motion).collect();
    Case { world, obb_trees: None, motions: vec![motion], pieces }
}

/// The number of pairs, and the work, of a search without the motions of the links, which therefore collects every pair
/// of a part.
fn search_alone(case: &Case) -> (usize, PairCounts) {
    let poses = s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel);
    let boxes = s2_bound::reference(&case.world, &case.pieces, &poses);
    let candidates = s3_cull::reference(&case.world, &case.pieces, &boxes);
    let (world, pieces, poses, boxes, candidates) = (&case.world, &*case.pieces, &poses, &boxes, &*candidates);
    let input = s5_pairs::Input { world, obb_trees: None, pieces, poses, boxes, candidates, courses: None };
    let mut limits = vec![u32::MAX];
    let (pairs, counts) = s5_pairs::search(&input, Some(&mut limits), usize::MAX);
    let mut pairs = pairs.unwrap();
    s5_pairs::clip(&mut pairs, pieces, &limits, world.links.len());
    (pairs.len(), counts)
}

/// A time at which no triangles intersect, shortly before one at which some do. Contacts within the slice of a limit
/// may be left out after the first of them.
fn last_free_sample(case: &Case) -> f64 {
    let (motion, link) = (&case.motions[0], &case.world.links[1]);
    let touches = |t: f64| {
        let moved: Vec<_> = link.triangles.iter().map(|x| x.map(|e| position(motion, link.body, e, t))).collect();
        let there = &case.world.scene.triangles;
        moved.iter().any(|x| there.iter().any(|y| are_near(x, y) && meet_exactly(x, y)))
    };
    let n = 2048;
    let first = (0..=n).find(|i| touches(f64::from(*i) / f64::from(n))).expect("the plates meet");
    f64::from(first - 1) / f64::from(n)
}

/// Searches until the limit, and proves that what was dropped before the contact is free. Returns the pairs and the
/// limit.
fn search_until_contact(case: &Case) -> (Vec<TrianglePair>, Limits) {
    let mut limits = vec![u32::MAX];
    let (pairs, _) = search_until(case, PoseEnclosure::TaylorModel, Some(&mut limits));
    let before = last_free_sample(case);
    assert!(limits[0] < u32::MAX, "no contact is certain");
    let [from, until] = [limits[0], limits[0] + 1]
        .map(|slice| f64::from(slice) / f64::from(case.pieces[0].slices()) / case.pieces.len() as f64);
    assert_eq!(faults_before(case, &pairs, &limits, before.max(from)), 0);
    assert!(before < until && until - before < 0.02, "{before} to {until}");
    (pairs, limits)
}

#[test]
fn only_what_is_free_or_after_a_contact_is_left_out() {
    let mut draw = Draw::new(81);
    for k in 0..effort(2, 12) {
        let mut case = case(&mut draw, [16 + 4 * (k % 3); 2]);
        if k % 2 == 1 {
            case.cut_for_cpu();
        }
        let (mut pairs, limits) = search_until_contact(&case);
        s5_pairs::clip(&mut pairs, &case.pieces, &limits, case.world.links.len());
        let (all, _) = search_alone(&case);
        println!("{} pairs of {all}, limit {}", pairs.len(), limits[0]);
        // A part with at most 512 pairs is not halved: the exact stage is faster.
        assert!((1..512.max(all / 4)).contains(&pairs.len()), "{} pairs of {all}", pairs.len());
    }
}

/// Sub-intervals are cut into parts: the link travels 34 mm in each, among clusters of at most 32 triangles of 4 mm.
#[test]
fn parts_of_sub_intervals_lose_nothing() {
    let mut draw = Draw::new(84);
    for _ in 0..effort(4, 24) {
        let mut case = case(&mut draw, [3, 48]);
        case.cut_for_cpu();
        let (pairs, limits) = search_until_contact(&case);
        println!("{} pairs, limit {}", pairs.len(), limits[0]);
    }
}

/// The times at which a pair may touch begin in the right slice, not later, however short the part was in which it was
/// found.
#[test]
fn the_limit_is_the_slice_of_the_contact() {
    let mut draw = Draw::new(82);
    let case = case(&mut draw, [20; 2]);
    let mut limits = vec![u32::MAX];
    let (pairs, _) = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits));
    let earliest = pairs.iter().map(|p| p.earliest(&case.pieces[p.piece_link as usize / case.world.links.len()]));
    let earliest = earliest.fold(f64::INFINITY, f64::min);
    let slices = f64::from(limits[0] + 1) / (8.0 * SUBS as f64);
    assert!(earliest < slices && slices - earliest < 0.5 / SUBS as f64, "{earliest} to {slices}");
}

/// The answer is that of coarse steps alone, with interval matrices, which are not halved.
#[test]
fn answers_agree_with_interval_matrices() {
    let mut draw = Draw::new(83);
    for (margin_m, fineness) in [(0.0, [24, 24]), (0.004, [24, 24]), (0.0, [3, 48]), (0.004, [3, 48])] {
        let (robot, scene) = models(&mut draw, fineness);
        let motions = MotionBatch::between(&[[0.0], [0.0]], &[[0.3], [0.1]]).unwrap();
        let mut answers = [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix].map(|bound| {
            let mut options = Options { bound, ..on(Backend::Cpu) };
            options.solve.margin_m = margin_m;
            engine(&robot, &scene, &[], options).check(&motions).unwrap().verdicts
        });
        let [jets, matrices] = &mut answers;
        let (Verdict::Contact(a), Verdict::Contact(b)) = (&jets[0], &matrices[0]) else { panic!("{answers:?}") };
        assert!(a.toc[0] <= b.toc[1] && b.toc[0] <= a.toc[1] && a.toc[1] - a.toc[0] <= 1e-9, "{a:?} {b:?}");
        assert_eq!(a.first.as_ref().map(|p| p.b), b.first.as_ref().map(|p| p.b));
        assert_eq!((&jets[1], &matrices[1]), (&Verdict::Free, &Verdict::Free));
    }
}

/// A tube of fine triangles, 0.5 m long, that slides along a needle in it, and more triangles of the tube's link. The
/// needle crosses the boxes of all leaves, but none of the tube's triangles.
fn tube_on_needle(travel_m: f64, more: &[[DVec3; 3]]) -> Case {
    let corner = |i: usize, k: usize| {
        let angle = (k as f64 / 3.0) * TAU;
        DVec3::new(i as f64 / 2048.0, 5e-5 * angle.cos(), 5e-5 * angle.sin())
    };
    let sides = (0..1024).flat_map(|i| (0..3).map(move |k| (i, k)));
    let mut tube: Vec<_> = sides
        .flat_map(|(i, k)| {
            let [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    // The tree sorts triangles by their positions in the box around all: far triangles keep the sides together.
    tube.extend([-0.2, 0.3].map(|far| [DVec3::new(0.0, far, far), DVec3::new(0.0, far, 0.9 * far), DVec3::Y * far]));
    tube.extend(more);
    let mut robot = Robot::new("slide", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let drive = Drive::direct(robot.add_column("x", ColumnKind::LengthM, None));
    let kind = JointKind::Prismatic { axis: DVec3::X, drive };
    let joint = Joint { name: String::from("x"), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("tube", Some(0), joint).unwrap();
    robot.add_link("tube", body, tube, vec![0]).unwrap();
    let mut scene = Scene::new();
    let needle = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(3.0, 0.0, 0.0), DVec3::new(3.0, 1e-5, 0.0)];
    scene.add_object("needle", [needle]).unwrap();
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let motion = RobotMotion::new(&robot, &[0.0], &[travel_m]).unwrap();
    let pieces = Piece::cut(0, &motion).collect();
    Case { world, obb_trees: None, motions: vec![motion], pieces }
}

#[test]
fn boxes_that_are_crossed_for_long_cost_little() {
    let case = tube_on_needle(0.05, &[]);
    let mut limits = vec![u32::MAX];
    let (pairs, counts) = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits));
    let (_, alone) = search_alone(&case);
    println!("{counts:?}, without motions {alone:?}");
    assert!(pairs.is_empty() && limits[0] == u32::MAX);
    assert!(alone.triangle_tests > 10_000, "the boxes are not crossed: {alone:?}");
    assert!(counts.triangle_tests < 8 * alone.triangle_tests, "{counts:?}, without motions {alone:?}");
}

/// A spike whose tip slides on the needle never certainly touches it, so that no time ends the search.
#[test]
fn a_contact_that_is_not_certain_is_no_limit() {
    let tip = DVec3::new(0.25, 1e-6, 0.0);
    let spike = [tip, tip + DVec3::new(1e-4, 0.0, 4e-5), tip + DVec3::new(-1e-4, 0.0, 4e-5)];
    // So far that the parts are shorter than sub-intervals.
    let case = tube_on_needle(0.5, &[spike]);
    let mut limits = vec![u32::MAX];
    let (mut pairs, _) = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits));
    s5_pairs::join(&mut pairs, 0);
    assert_eq!((pairs.len(), limits[0]), (1, u32::MAX));
}
