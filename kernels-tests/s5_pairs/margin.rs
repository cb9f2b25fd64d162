//! Margins in the search for pairs: claims about distances hold, and the pair that is reported for a start within the
//! margin is the lowest one.

use super::{ANGLES, Case, on_adapter};
use crate::effort;
use crate::harness::emulate::{self, Emulated, FROM_ZERO, RANDOM, TO_ZERO, UP};
use crate::harness::gpu::{Mutant, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use crate::oracle::triangles::distance;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::Real;
use firstcontact::arith::rounding::{UNIT_F32, round_down, round_up};
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::predicate::closeness::closeness;
use firstcontact::predicate::proximity::{Proximity, are_beyond, are_within_or_meet, boxes_beyond, proximity};
use firstcontact::predicate::separation::StaticTriangle;
use firstcontact::robot::RobotMotion;
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::link_pairs::{PairAtStart, Workspace, first_at_start};
use firstcontact::stage::{SUBS, TrianglePair};
use glam::DVec3;
use std::collections::HashMap;

/// Numbers of claims: beyond the margin, of those whose distance is 2 % more than the margin, and within.
#[derive(Debug, Default)]
struct Claims {
    beyond: usize,
    /// The claims of the test with a single direction.
    along_one_direction: usize,
    clearly: usize,
    within: usize,
    /// The same claims in the arithmetic of the kernels, and the pairs that are clearly within.
    kernel_beyond: usize,
    kernel_within: usize,
    clearly_within: usize,
}

/// A moving triangle and one at rest at a distance near a margin.
fn emulated_proximity<const MODE: u8>(draw: &mut Draw, n: usize) -> Claims {
    let mut claims = Claims::default();
    for _ in 0..n {
        let kind = RobotKind { n_bodies: 1 + draw.below(5), link_m: 0.4, n_triangles: 1, mixed: true };
        let robot = models::robot(draw, kind);
        let angle = [0.02, 0.3][draw.below(2)];
        let (q0, q1) = models::motion(draw, &robot, angle, 0.05);
        let mut motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        let margin_m = [1e-3, 0.02, 0.1, 0.5][draw.below(4)];
        motion.set_margin(margin_m);
        let body = robot.bodies.len() as u32 - 1;
        let h = 1.0 / 64.0;
        let time = (2 * draw.below(32) + 1) as f64 * h;
        let x = draw.triangle(DVec3::ZERO, 0.2);
        let at = |t: f64| x.map(|e| position(&motion, body, e, t));
        let now = at(time);
        let centre = now[draw.below(3)] + draw.direction() * margin_m * draw.between(0.5, 1.6);
        let y = [centre, centre + draw.vector(0.2), centre + draw.vector(0.2)];
        let bound = emulate::bounds::<MODE>(&motion, PoseEnclosure::TaylorModel, time, h).pop().unwrap();
        let reach = x.iter().fold(0.0, |m: f64, e| m.max(e.length()));
        let points = x.map(|e| bound.point(V3::new(e), Emulated(round_up(reach))));
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.length()));
        let tri = StaticTriangle { y: y.map(V3::new), error: Emulated(round_up(0.5 * UNIT_F32 * size)) };
        let Proximity { beyond, .. } = proximity(&points, &tri, Real::new(h), margin_m);
        let close = closeness(&points, &tri, Real::new(h), Emulated(round_down(margin_m)));
        claims.kernel_beyond += usize::from(close.beyond != 0);
        claims.kernel_within += usize::from(close.within != 0);
        assert!(close.within == 0 || distance(&now, &y) <= margin_m, "mode {MODE}: {} {margin_m}", distance(&now, &y));
        let least = (0..=16).map(|k| distance(&at(time - h + h * f64::from(k) / 8.0), &y)).fold(9e9, f64::min);
        claims.clearly += usize::from(least > 1.02 * margin_m + 1e-3);
        claims.clearly_within += usize::from(distance(&now, &y) < 0.98 * margin_m - 1e-3);
        assert!(close.beyond == 0 || least > margin_m, "mode {MODE}: {least} is called beyond {margin_m}");
        let along_one_direction = are_beyond(&points, &tri, Real::new(h));
        claims.beyond += usize::from(beyond != 0);
        claims.along_one_direction += usize::from(along_one_direction != 0);
        if beyond | along_one_direction != 0 {
            assert!(least > margin_m - 1e-12, "mode {MODE}: {least} is called beyond {margin_m}");
        }
        // In double precision, as the search uses it.
        let mut all = Vec::new();
        motion.bounds(PoseEnclosure::TaylorModel, time, h, &mut all);
        let points = x.map(|e| all[body as usize].point(V3::new(e), reach * (1.0 + 1e-12)));
        let standing = StaticTriangle { y: y.map(V3::new), error: 0.0 };
        if are_within_or_meet(&points, &standing, margin_m) {
            claims.within += 1;
            assert!(distance(&now, &y) <= margin_m + 1e-12, "{} is called within {margin_m}", distance(&now, &y));
        }
    }
    claims
}

#[test]
fn claims_about_distances_hold_however_f32_rounds() {
    let n = effort(2_000, 100_000);
    let mut draw = Draw::new(75);
    for claims in [
        emulated_proximity::<UP>(&mut draw, n),
        emulated_proximity::<TO_ZERO>(&mut draw, n),
        emulated_proximity::<FROM_ZERO>(&mut draw, n),
        emulated_proximity::<RANDOM>(&mut draw, n),
    ] {
        println!("of {n} pairs: {claims:?}");
        assert!(10 * claims.beyond > 8 * claims.clearly && claims.clearly > n / 10 && claims.within > n / 10);
        assert!(2 * claims.along_one_direction > claims.clearly);
        assert!(10 * claims.kernel_beyond > 8 * claims.clearly && claims.clearly_within > n / 20);
        assert!(10 * claims.kernel_within > 8 * claims.clearly_within);
    }
}

/// Triangles whose distance is a hair more or less than the margin at the end of an interval, at which the jet is off
/// by its remainder. Returns the number of claims that they are within the margin.
fn emulated_hair<const MODE: u8>(draw: &mut Draw, n: usize) -> usize {
    let mut within = 0;
    for _ in 0..n {
        let kind = RobotKind { n_bodies: 1 + draw.below(3), link_m: 0.4, n_triangles: 1, mixed: false };
        let robot = models::robot(draw, kind);
        let (q0, q1) = models::motion(draw, &robot, 1.5, 0.0);
        let mut motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        let margin_m = [0.02, 0.1][draw.below(2)];
        motion.set_margin(margin_m);
        let body = robot.bodies.len() as u32 - 1;
        let h = 1.0 / 16.0;
        let time = (2 * draw.below(8) + 1) as f64 * h;
        let x = draw.triangle(DVec3::ZERO, 0.2);
        let now = x.map(|e| position(&motion, body, e, time - h));
        let hair = 10f64.powf(draw.between(-8.0, -3.0)) * [1.0, -1.0][draw.below(2)];
        let y = [now[draw.below(3)] + draw.direction() * (margin_m + hair); 3];
        let bound = emulate::bounds::<MODE>(&motion, PoseEnclosure::TaylorModel, time, h).pop().unwrap();
        let reach = x.iter().fold(0.0, |m: f64, e| m.max(e.length()));
        let points = x.map(|e| bound.point(V3::new(e), Emulated(round_up(reach))).shifted(Real::new(-h), Real::new(h)));
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.length()));
        let tri = StaticTriangle { y: y.map(V3::new), error: Emulated(round_up(0.5 * UNIT_F32 * size)) };
        if closeness(&points, &tri, Real::new(h), Emulated(round_down(margin_m))).within != 0 {
            within += 1;
            assert!(distance(&now, &y) <= margin_m, "mode {MODE}: {} {margin_m}", distance(&now, &y));
        }
    }
    within
}

#[test]
fn slightly_above_the_margin_is_not_within_it_however_f32_rounds() {
    let n = effort(3_000, 100_000);
    let mut draw = Draw::new(79);
    for within in [
        emulated_hair::<UP>(&mut draw, n),
        emulated_hair::<TO_ZERO>(&mut draw, n),
        emulated_hair::<FROM_ZERO>(&mut draw, n),
        emulated_hair::<RANDOM>(&mut draw, n),
    ] {
        assert!(within > n / 20, "{within} of {n}");
    }
}

/// Pairs of triangles within the margin at sampled times that are not kept in the sub-interval of the time.
fn lost(case: &Case, pairs: &[TrianglePair], margin_m: f64) -> [usize; 2] {
    let n_links = case.world.links.len() as u32;
    let kept: HashMap<_, _> =
        pairs.iter().map(|p| ([p.piece_link, p.link_triangle, p.scene_triangle], p.mask())).collect();
    let [mut within, mut lost] = [0; 2];
    for (i, piece) in case.pieces.iter().enumerate() {
        let motion = &case.motions[piece.motion as usize];
        for (l, link) in case.world.links.iter().enumerate() {
            for (x, triangle) in link.triangles.iter().enumerate() {
                for sub in 0..SUBS {
                    let [t0, t1] = piece.sub(sub);
                    let now = triangle.map(|e| position(motion, link.body, e, 0.5 * (t0 + t1)));
                    for (y, there) in case.world.scene.triangles.iter().enumerate() {
                        if distance(&now, there) < margin_m - 1e-12 {
                            within += 1;
                            let key = [i as u32 * n_links + l as u32, x as u32, y as u32];
                            lost += usize::from(kept.get(&key).copied().unwrap_or(0) >> sub & 1 == 0);
                        }
                    }
                }
            }
        }
    }
    [within, lost]
}

#[test]
fn pairs_within_the_margin_are_kept_on_adapters() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(78);
    for margin_m in [0.002, 0.02, 0.1] {
        let mut case = super::case(&mut draw, 3, 60, effort(4, 40), ANGLES);
        case.motions.iter_mut().for_each(|motion| motion.set_margin(margin_m));
        let [within, lost_pairs] = lost(&case, &on_adapter(&case, None), margin_m);
        println!("{within} pairs within {margin_m} m at sampled times");
        assert!(within > 0 && lost_pairs == 0, "{lost_pairs} of {within}");
        for (old, new) in [
            ("let reach = (ball + grow) * (1.0 + ROUNDINGS * UNIT);", "let reach = (ball + grow) * 0.5;"),
            ("let high = max(max(0.0, dot3(n, f0)), dot3(n, f1));", "let high = 0.0;"),
            ("let stray = center.ball + turn + bend", "let stray = turn + bend"),
        ] {
            let [_, lost_pairs] = lost(&case, &on_adapter(&case, Some(Mutant { old, new })), margin_m);
            assert!(margin_m < 0.1 || lost_pairs > 0, "'{new}' goes unseen");
        }
    }
}

fn emulated_boxes<const MODE: u8>(draw: &mut Draw, n: usize) -> usize {
    let mut beyond = 0;
    for _ in 0..n {
        let far = [0.0, 1.0, 1000.0][draw.below(3)];
        let margin_m = 10f64.powf(draw.between(-4.0, 0.0));
        // Numbers of single precision, so that nothing is rounded before the test.
        let mut vector = |size: f64| draw.vector(size).as_vec3().as_dvec3();
        let offset = vector(far);
        let (a, b) = ([offset + vector(0.2), offset + vector(0.2)], [vector(0.2), vector(0.2)]);
        let b = b.map(|v| (offset + v + vector(margin_m)).as_vec3().as_dvec3());
        let [a_lo, a_hi, b_lo, b_hi] = [a[0].min(a[1]), a[0].max(a[1]), b[0].min(b[1]), b[0].max(b[1])];
        let grown =
            |v: DVec3, by: f64, to: fn(f32) -> f32| V3(v.to_array().map(|x| Emulated::<MODE>(to((x + by) as f32))));
        let first = [grown(a_lo, -margin_m, f32::next_down), grown(a_hi, margin_m, f32::next_up)];
        let second = [b_lo, b_hi].map(|v| V3(v.to_array().map(|x| Emulated::<MODE>(x as f32))));
        if boxes_beyond(first, second, margin_m) != 0 {
            beyond += 1;
            let gap = (a_lo - b_hi).max(b_lo - a_hi).max(DVec3::ZERO);
            assert!(gap.length() > margin_m * (1.0 - 1e-14), "mode {MODE}: {} {margin_m}", gap.length());
        }
    }
    beyond
}

#[test]
fn boxes_called_beyond_the_margin_are_beyond_it_however_f32_rounds() {
    let n = effort(20_000, 1_000_000);
    let mut draw = Draw::new(76);
    for beyond in [
        emulated_boxes::<UP>(&mut draw, n),
        emulated_boxes::<TO_ZERO>(&mut draw, n),
        emulated_boxes::<FROM_ZERO>(&mut draw, n),
        emulated_boxes::<RANDOM>(&mut draw, n),
    ] {
        assert!(beyond > n / 20, "{beyond}");
    }
}

/// The lowest link, object and triangles within the margin at the start, by trying all; `None` if a distance is too
/// near the margin to tell.
fn lowest(world: &CollisionWorld, motion: &RobotMotion, margin_m: f64) -> Option<Option<[u32; 4]>> {
    let mut lowest: Option<[u32; 4]> = None;
    for (l, link) in world.links.iter().enumerate() {
        for (i, x) in link.triangles.iter().enumerate() {
            let x = x.map(|e| position(motion, link.body, e, 0.0));
            for (j, y) in world.scene.triangles.iter().enumerate() {
                let gap = distance(&x, y) - margin_m;
                if gap.abs() < 1e-12 {
                    return None;
                }
                let key = [l as u32, world.scene.object[j], link.tree.order[i], world.scene.tree.order[j]];
                if gap < 0.0 && lowest.is_none_or(|lowest| key < lowest) {
                    lowest = Some(key);
                }
            }
        }
    }
    Some(lowest)
}

#[test]
fn the_pair_of_a_start_within_the_margin_is_the_lowest() {
    let mut draw = Draw::new(77);
    let (mut within, mut free, mut space) = (0, 0, Workspace::default());
    let n = effort(60, 2_000);
    for k in 0..20 * n {
        let is_mixed = k >= 4 * n;
        let n_bodies = if is_mixed { 1 } else { 1 + draw.below(4) };
        let kind = RobotKind { n_bodies, link_m: 0.4, n_triangles: 30, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let scene = match is_mixed {
            true => mixed_scene(&mut draw, 16),
            false => models::scene(&mut draw, [1, 40, 300][k % 3], 1.5, [0.1, 1.0][k % 2]),
        };
        let allowed = if k % 4 == 0 { vec![(0, 0), (1, 1)] } else { vec![] };
        let world = CollisionWorld::new(&robot, &scene, &allowed).unwrap();
        let (q0, q1) = models::motion(&mut draw, &robot, 0.3, 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        for margin_m in [1e-3, 0.05, 0.3, 1.0] {
            space.begin(&world);
            let found = first_at_start(&mut space, &world, &motion, margin_m).map(|pair| {
                let PairAtStart::Scene(pair) = pair else { panic!("no links are tested") };
                let (link, y) = (&world.links[pair.piece_link as usize], pair.scene_triangle as usize);
                let x = link.tree.order[pair.link_triangle as usize];
                [pair.piece_link, world.scene.object[y], x, world.scene.tree.order[y]]
            });
            // Pairs that are allowed do not count.
            let Some(known) = lowest_of_tested(&world, &motion, margin_m) else { continue };
            assert_eq!(found, known, "case {k}, margin {margin_m}");
            *if known.is_some() { &mut within } else { &mut free } += 1;
        }
    }
    println!("{within} starts within the margin, {free} not");
    assert!(within > 20 && free > 20);
}

/// A scene of few triangles near each other, each of which belongs to any of three objects.
fn mixed_scene(draw: &mut Draw, n: usize) -> Scene {
    let mut of_objects = [const { Vec::new() }; 3];
    for _ in 0..n {
        let at = draw.vector(0.8);
        of_objects[draw.below(3)].push(draw.triangle(at, 0.1));
    }
    let mut scene = Scene::new();
    for (triangles, name) in of_objects.into_iter().zip(["a", "b", "c"]) {
        scene.add_object(name, triangles).unwrap();
    }
    scene
}

/// [`lowest`] of the pairs that are tested.
fn lowest_of_tested(world: &CollisionWorld, motion: &RobotMotion, margin_m: f64) -> Option<Option<[u32; 4]>> {
    if world.allowed.is_empty() {
        return lowest(world, motion, margin_m);
    }
    let mut tested = world.clone();
    // Allowed pairs of all links of the robot: their triangles are moved away.
    let mut best = Some(None);
    for l in 0..world.links.len() {
        tested.links = [world.links[l].clone()].into();
        let mut scene = (*world.scene).clone();
        for y in 0..scene.triangles.len() {
            if world.is_allowed(l as u32, y) {
                scene.triangles[y] = scene.triangles[y].map(|v| v + DVec3::splat(1e6));
            }
        }
        tested.scene = scene.into();
        match lowest(&tested, motion, margin_m)? {
            None => {}
            Some([_, object, x, y]) => {
                best = Some(Some([l as u32, object, x, y]));
                break;
            }
        }
    }
    best
}
