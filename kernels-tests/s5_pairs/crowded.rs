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
use firstcontact::stage::{Piece, SLICES_PER_PIECE, SUBS, s1_concat, s2_bound, s3_cull, s5_pairs};
use glam::{DMat3, DVec3};

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

/// An arm of 1 m that turns about z and carries a plate along its length, and a plate that it hits nearly flat.
fn models(draw: &mut Draw, n: usize) -> (Robot, Scene) {
    let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    robot.add_link("base", 0, vec![[9.0, 9.1, 9.2].map(DVec3::splat)], vec![0]).unwrap();
    let drive = Drive::direct(robot.add_column("r", ColumnKind::AngleRad, None));
    let kind = JointKind::Revolute { axis: DVec3::Z, drive };
    let joint = Joint { name: String::from("r"), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("arm", Some(0), joint).unwrap();
    let sides = [DVec3::X * 0.1, DVec3::Z * 0.1];
    let moving = plate(draw, n, DVec3::X * 0.9, sides, 0.002);
    robot.add_link("arm", body, moving, vec![0]).unwrap();
    let mut scene = Scene::new();
    let turn = DMat3::from_rotation_z(0.15 + 0.02 * draw.unit());
    let standing = plate(draw, n, turn * (DVec3::X * 0.9), sides.map(|side| turn * side), 0.002);
    scene.add_object("plate", standing).unwrap();
    (robot, scene)
}

fn case(draw: &mut Draw, n: usize) -> Case {
    let (robot, scene) = models(draw, n);
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let motion = RobotMotion::new(&robot, &[0.0], &[0.3]).unwrap();
    let pieces = Piece::cut(0, &motion).collect();
    Case { world, obb_trees: None, motions: vec![motion], pieces }
}

/// The search without the motions of the links, which therefore collects every pair of a part.
fn search_alone(case: &Case) -> usize {
    let poses = s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel);
    let boxes = s2_bound::reference(&case.world, &case.pieces, &poses);
    let candidates = s3_cull::reference(&case.world, case.pieces.len(), &boxes);
    let (world, pieces, poses, boxes, candidates) = (&case.world, &*case.pieces, &poses, &boxes, &*candidates);
    let input = s5_pairs::Input { world, obb_trees: None, pieces, poses, boxes, candidates, courses: None };
    let mut limits = vec![u32::MAX];
    let mut pairs = s5_pairs::search(&input, Some(&mut limits), usize::MAX).0.unwrap();
    s5_pairs::clip(&mut pairs, pieces, &limits, world.links.len());
    pairs.len()
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

#[test]
fn only_what_is_free_or_after_a_contact_is_left_out() {
    let mut draw = Draw::new(81);
    for k in 0..effort(2, 12) {
        let case = case(&mut draw, 16 + 4 * (k % 3));
        let mut limits = vec![u32::MAX];
        let (mut pairs, _) = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits));
        let before = last_free_sample(&case);
        assert_eq!(faults_before(&case, &pairs, &limits, before), 0);
        assert!(limits[0] < u32::MAX, "no contact is certain");
        let until = f64::from(limits[0] + 1) / f64::from(SLICES_PER_PIECE) / case.pieces.len() as f64;
        assert!(before < until && until - before < 0.02, "{before} to {until}");
        s5_pairs::clip(&mut pairs, &case.pieces, &limits, case.world.links.len());
        let all = search_alone(&case);
        println!("{} pairs of {all}, limit {}", pairs.len(), limits[0]);
        assert!(pairs.len() * 4 < all, "{} pairs of {all}", pairs.len());
    }
}

/// The times at which a pair may touch begin in the right slice, not later, however short the part was in which it was
/// found.
#[test]
fn the_limit_is_the_slice_of_the_contact() {
    let mut draw = Draw::new(82);
    let case = case(&mut draw, 20);
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
    for margin_m in [0.0, 0.004] {
        let (robot, scene) = models(&mut draw, 24);
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
