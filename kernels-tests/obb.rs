//! Trees of oriented boxes: boxes contain their triangles exactly, the continuous overlap test never separates boxes
//! that touch, refinement levels pair the right bounds, and the search drops only free pairs.

mod moving_box;
mod search;

use crate::effort;
use crate::harness::emulate::{self, Emulated, FROM_ZERO, RANDOM, TO_ZERO, UP};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use crate::oracle::dyadic::{Dyadic, cross, difference, dot, exact as exactly};
use firstcontact::arith::linear::{M3, V3};
use firstcontact::arith::real::Real;
use firstcontact::arith::rounding::round_up;
use firstcontact::bvh::obb;
use firstcontact::bvh::obb_tree::{Below, ObbTree};
use firstcontact::enclosure::pose_bound::{PoseBound, PoseEnclosure, TaylorModel};
use firstcontact::enclosure::pose_jet::PoseJet;
use firstcontact::predicate::obb_overlap::{BoxBound, OrientedBox, boxes_apart, moving_range};
use firstcontact::predicate::refinement_levels::pairs;
use firstcontact::robot::{RobotMotion, Triangle};
use firstcontact::stage::{Piece, SUBS, s1_concat};
use glam::{DMat3, DVec3};

const FORMS: [PoseEnclosure; 2] = [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix];

fn vector(v: V3<f64>) -> DVec3 {
    DVec3::from_array(v.0)
}

/// The number of vertices outside of a box, in exact arithmetic: coordinates by Cramer's rule, compared without
/// division.
fn outside(b: &OrientedBox<f64>, vertices: impl Iterator<Item = DVec3>) -> usize {
    let [u, v, w] = b.axes.map(|a| exactly(vector(a)));
    let normals = [cross(&v, &w), cross(&w, &u), cross(&u, &v)];
    let size = |d: Dyadic| if d.sign() < 0 { -&d } else { d };
    let volume = size(dot(&u, &normals[0]));
    assert!(!volume.is_zero());
    let is_outside = |p: &DVec3| {
        let d = difference(&exactly(*p), &exactly(vector(b.center)));
        let fits = |i: usize| size(dot(&d, &normals[i])) <= &Dyadic::from(b.half[i]) * &volume;
        !(0..3).all(fits)
    };
    vertices.filter(is_outside).count()
}

fn triangles(draw: &mut Draw) -> Vec<Triangle> {
    let far = [0.0, 1.0, 1e3, 1e6][draw.below(4)];
    let (centre, size) = (draw.vector(far), 10f64.powf(draw.between(-4.0, 1.0)));
    let n = 1 + draw.below(24);
    let flat = (draw.below(4) == 0).then(|| draw.direction());
    (0..n)
        .map(|_| {
            let t = draw.triangle(DVec3::ZERO, size).map(|v| v + draw.vector(size));
            t.map(|v| centre + flat.map_or(v, |n| v - n * n.dot(v)))
        })
        .collect()
}

/// Visits the nodes of a tree with the vertices that they must contain.
fn nodes(
    tree: &ObbTree,
    node: usize,
    list: &[Triangle],
    visit: &mut dyn FnMut(&OrientedBox<f64>, &[DVec3]),
) -> Vec<DVec3> {
    let below = match &tree.nodes[node].below {
        Below::Triangles(places) => {
            tree.order[places.start as usize..places.end as usize].iter().flat_map(|&i| list[i as usize]).collect()
        }
        Below::Children(first) => {
            let mut all = nodes(tree, *first as usize, list, visit);
            all.extend(nodes(tree, *first as usize + 1, list, visit));
            all
        }
    };
    visit(&tree.nodes[node].obb, &below);
    below
}

/// The first part of the finer level, counted from the start of the interval, in which two boxes are not proved apart;
/// `None` if they stay apart during the whole interval. The bounds of each box are those of its level, in the order of
/// time.
fn first_overlap<T: Real>(a: &[BoxBound<T>], b: &[BoxBound<T>]) -> Option<usize> {
    let all = u32::MAX >> (32 - T::LANES);
    let mut parts = pairs(a.len().ilog2(), b.len().ilog2());
    parts.position(|(i, j)| boxes_apart(&a[i], &b[j], all) & all != all)
}

#[test]
fn boxes_contain_their_triangles_exactly() {
    let mut draw = Draw::new(51);
    let (mut boxes, mut without_slack) = (0, 0);
    for _ in 0..effort(150, 3000) {
        let list = triangles(&mut draw);
        let tree = ObbTree::build(&list, 0..list.len(), 0.0);
        nodes(&tree, 0, &list, &mut |b, vertices| {
            boxes += 1;
            assert_eq!(outside(b, vertices.iter().copied()), 0, "{b:?}");
            assert!(b.half.iter().all(|h| h.is_finite()));
            // The same box with its half sizes as computed, rounded to nearest, without any allowance.
            let half = b
                .axes
                .map(|a| vertices.iter().fold(0.0, |m: f64, v| m.max(vector(a).dot(*v - vector(b.center)).abs())));
            without_slack += outside(&OrientedBox { half, ..*b }, vertices.iter().copied());
            let farthest = vertices.iter().fold(0.0, |m: f64, v| m.max(v.length()));
            assert!(b.reach * (1.0 + 1e-9) >= farthest);
        });
    }
    println!("{boxes} boxes; rounded to nearest they would lack {without_slack} vertices");
    assert!(without_slack > 50);
}

#[test]
fn boxes_contain_vertices_that_are_off() {
    let mut draw = Draw::new(52);
    let (unit, mut without) = (1e-9, 0);
    for _ in 0..effort(200, 3000) {
        let list = triangles(&mut draw);
        let (with, bare) = (obb::around(&list, unit), obb::around(&list, 0.0));
        let moved: Vec<DVec3> = list
            .iter()
            .flat_map(|t| {
                let size = t.iter().fold(0.0, |m: f64, v| m.max(v.abs().element_sum()));
                t.map(|v| v + draw.direction() * (0.999 * unit * size))
            })
            .collect();
        assert_eq!(outside(&with, moved.iter().copied()), 0);
        without += outside(&bare, moved.into_iter());
    }
    assert!(without > 50, "{without}");
}

/// Boxes are not much larger than necessary: they keep their size when they are rotated with the set they enclose, and
/// a tree's leaves are much smaller than boxes along the coordinate axes.
#[test]
fn boxes_are_tight() {
    let mut draw = Draw::new(53);
    let (mut oriented, mut aligned) = (0.0, 0.0);
    for _ in 0..200 {
        let turn = draw.rotation();
        let at = draw.vector(1.0);
        let list: Vec<Triangle> = (0..6)
            .map(|_| draw.triangle(DVec3::ZERO, 1.0).map(|v| at + turn * (v * DVec3::new(1.0, 0.2, 0.02))))
            .collect();
        oriented += obb::surface(&obb::around(&list, 0.0));
        let corners = || list.iter().flatten().copied();
        let (lo, hi) = corners().fold((corners().next().unwrap(), at), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let d = (hi - lo) * 0.5;
        aligned += d.x * d.y + d.y * d.z + d.z * d.x;
    }
    println!("surface of oriented boxes {oriented:.1}, of those along the axes {aligned:.1}");
    assert!(oriented < 0.6 * aligned);
}

/// The part of the test's input that is removed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mutant {
    /// The extent along one axis of the moving box.
    MovingExtent(usize),
    /// The extent along one axis of the box at rest.
    StandingExtent(usize),
    /// The bound on the deviation of the true path from the polynomial.
    Ball,
    /// The velocity.
    Velocity,
    /// The acceleration.
    Acceleration,
}

/// A box of a moving body and one at rest that have a point in common at some time of the interval, on the border of
/// both, with the second on the outer side of the first.
struct Touching {
    motion: RobotMotion,
    body: u32,
    moving: OrientedBox<f64>,
    standing: OrientedBox<f64>,
    mid: f64,
    h: f64,
}

fn oriented(center: DVec3, axes: DMat3, half: DVec3) -> OrientedBox<f64> {
    let reach = (center.length() + half.element_sum()) * (1.0 + 1e-12);
    let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(V3::new);
    OrientedBox { center: V3::new(center), axes, half: half.to_array(), reach }
}

fn sizes(draw: &mut Draw) -> DVec3 {
    let size = 10f64.powf(draw.between(-4.0, -0.5));
    let mut half = DVec3::new(draw.unit(), draw.unit(), draw.unit()) * size;
    if draw.below(4) == 0 {
        half[draw.below(3)] = 0.0;
    }
    half
}

fn touching(draw: &mut Draw, angle: f64, h: f64) -> Touching {
    let kind = RobotKind { n_bodies: 1 + draw.below(5), link_m: 0.4, n_triangles: 1, mixed: true };
    let robot = models::robot(draw, kind);
    let (q0, q1) = models::motion(draw, &robot, angle, 0.1);
    let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
    let body = robot.bodies.len() as u32 - 1;
    let mid = h * (2 * draw.below((0.5 / h) as usize) + 1) as f64;
    let when = mid + h * [-1.0, 1.0, draw.between(-1.0, 1.0)][draw.below(3)];
    let now = |p| position(&motion, body, p, when);
    let (moving, standing) = touching_boxes(draw, 0.2, now);
    Touching { moving, standing, motion, body, mid, h }
}

/// A box about a centre within `far_m` of its frame's origin, and one in the world that touches it when its frame is at
/// `place`: on the border of both, with the second on the outer side of the first.
fn touching_boxes(draw: &mut Draw, far_m: f64, place: impl Fn(DVec3) -> DVec3) -> (OrientedBox<f64>, OrientedBox<f64>) {
    // Inside the border by more than the rounding of f64.
    const BORDER: f64 = 1.0 - 1e-9;
    let (c, axes, half) = (draw.vector(far_m), draw.rotation(), sizes(draw));
    let mut outward = DVec3::ZERO;
    let mut s = draw.vector(1.0);
    let border = draw.below(3);
    for i in 0..=border {
        let i = (i + border) % 3;
        s[i] = BORDER.copysign(s[i]);
        outward += axes.col(i) * (s[i] * (0.1 + draw.unit()));
    }
    let e = c + axes * (s * half);
    let (p, outward) = (place(e), place(e + outward) - place(e));
    let (turn, other) = (draw.rotation(), sizes(draw));
    let r = DVec3::from_array(std::array::from_fn(|i| -BORDER.copysign(turn.col(i).dot(outward))));
    (oriented(c, axes, half), oriented(p - turn * (r * other), turn, other))
}

/// Clears the n-th derivative, or the radii of an interval matrix.
fn clear_derivative<T: Real>(pose: &mut PoseBound<T>, n: usize) {
    match pose {
        PoseBound::Taylor(model) => (model.jet.x[n], model.jet.p[n]) = (V3::zero(), M3::zero()),
        PoseBound::Interval(matrix) => (matrix.x_radius, matrix.p_radius) = (V3::zero(), M3::zero()),
    }
}

impl Touching {
    /// Returns whether the test wrongly calls the boxes separated.
    fn called_apart<T: Real>(&self, mut pose: PoseBound<T>, mutant: Option<Mutant>) -> bool {
        let (mut a, mut b) = (self.moving, self.standing);
        match mutant {
            None => {}
            Some(Mutant::MovingExtent(i)) => a.half[i] = 0.0,
            Some(Mutant::StandingExtent(i)) => b.half[i] = 0.0,
            Some(Mutant::Ball) => pose = pose.with_ball([T::new(0.0); 2]),
            Some(Mutant::Velocity) => clear_derivative(&mut pose, 1),
            Some(Mutant::Acceleration) => clear_derivative(&mut pose, 2),
        }
        boxes_apart(&BoxBound::moving(&pose, &a.to(), T::new(self.h)), &BoxBound::standing(&b.to()), 1) != 0
    }

    fn pose(&self, form: PoseEnclosure) -> PoseBound<f64> {
        let mut all = Vec::new();
        self.motion.bounds(form, self.mid, self.h, &mut all);
        all[self.body as usize]
    }
}

/// The number of touching boxes that are called separated.
fn wrong(seed: u64, n: usize, form: PoseEnclosure, mutant: Option<Mutant>) -> usize {
    let mut draw = Draw::new(seed);
    let mut run = |i: usize| {
        let case = touching(&mut draw, [0.3, 1.0, 3.0][i % 3], [1.0 / 32.0, 0.125][i % 2]);
        usize::from(case.called_apart(case.pose(form), mutant))
    };
    (0..n).map(&mut run).sum()
}

#[test]
fn boxes_that_touch_are_never_called_apart() {
    for form in FORMS {
        assert_eq!(wrong(54, effort(6_000, 300_000), form, None), 0, "{form:?}");
    }
}

#[test]
fn mutants_of_the_overlap_test_are_caught() {
    let extents = (0..3).flat_map(|i| [Mutant::MovingExtent(i), Mutant::StandingExtent(i)]);
    for mutant in extents.chain([Mutant::Ball, Mutant::Velocity, Mutant::Acceleration]) {
        let seen = wrong(54, 6_000, PoseEnclosure::TaylorModel, Some(mutant));
        println!("{mutant:?}: {seen}");
        assert!(seen > 5, "{mutant:?} goes unseen");
    }
    // An interval matrix stores its half widths where a jet stores its velocity.
    for mutant in [Mutant::MovingExtent(0), Mutant::StandingExtent(2), Mutant::Velocity] {
        assert!(wrong(54, 6_000, PoseEnclosure::IntervalMatrix, Some(mutant)) > 5, "{mutant:?} goes unseen");
    }
}

/// The number of cases in which a corner of a moving box leaves its computed range; `value` converts a number of the
/// arithmetic.
fn outside_of_range<T: Real>(
    seed: u64,
    n: usize,
    mutant: Option<Mutant>,
    bounds: impl Fn(&RobotMotion, f64, f64) -> Vec<PoseBound<T>>,
    value: impl Fn(T) -> f64,
    tolerance: f64,
) -> usize {
    let mut draw = Draw::new(seed);
    let mut run = |i: usize| {
        let case = touching(&mut draw, [0.3, 1.0, 3.0][i % 3], [1.0 / 32.0, 0.125][i % 2]);
        let mut pose = bounds(&case.motion, case.mid, case.h)[case.body as usize];
        let mut b = case.moving;
        b.reach = f64::from(round_up(b.reach));
        let corner = |i: usize, half: f64| DVec3::from_array(b.axes[i].0) * half;
        let mut e = DVec3::from_array(b.center.0);
        for i in 0..3 {
            e += corner(i, b.half[i] * [1.0, -1.0][draw.below(2)]);
        }
        match mutant {
            None => {}
            Some(Mutant::MovingExtent(i) | Mutant::StandingExtent(i)) => b.half[i] = 0.0,
            Some(Mutant::Ball) => pose = pose.with_ball([T::new(0.0); 2]),
            Some(Mutant::Velocity) => clear_derivative(&mut pose, 1),
            Some(Mutant::Acceleration) => clear_derivative(&mut pose, 2),
        }
        let (lo, hi) = moving_range(&pose, &b.to(), T::new(case.h));
        let times = [case.mid - case.h, case.mid + case.h, case.mid + case.h * draw.between(-1.0, 1.0)];
        usize::from(times.into_iter().any(|t| {
            let p = position(&case.motion, case.body, e, t);
            (0..3).any(|k| !(value(lo.0[k]) <= p[k] + tolerance && p[k] - tolerance <= value(hi.0[k])))
        }))
    };
    (0..n).map(&mut run).sum()
}

fn outside_in_f64(n: usize, form: PoseEnclosure, mutant: Option<Mutant>) -> usize {
    let bounds = |motion: &RobotMotion, mid: f64, h: f64| {
        let mut all = Vec::new();
        motion.bounds(form, mid, h, &mut all);
        all
    };
    // The tolerance is the accuracy of the path as computed here.
    outside_of_range(64, n, mutant, bounds, |x| x, 1e-14)
}

#[test]
fn moving_boxes_stay_in_their_ranges() {
    for form in FORMS {
        assert_eq!(outside_in_f64(effort(6_000, 300_000), form, None), 0, "{form:?}");
    }
}

#[test]
fn mutants_of_the_ranges_are_caught() {
    let extents = (0..3).map(Mutant::MovingExtent);
    for mutant in extents.chain([Mutant::Ball, Mutant::Velocity, Mutant::Acceleration]) {
        let seen = outside_in_f64(6_000, PoseEnclosure::TaylorModel, Some(mutant));
        println!("{mutant:?}: {seen}");
        assert!(seen > 5, "{mutant:?} goes unseen");
    }
    for mutant in [Mutant::MovingExtent(0), Mutant::Velocity] {
        assert!(outside_in_f64(6_000, PoseEnclosure::IntervalMatrix, Some(mutant)) > 5, "{mutant:?} goes unseen");
    }
}

fn outside_in_f32<const MODE: u8>(n: usize) -> usize {
    FORMS
        .into_iter()
        .map(|form| {
            let bounds = |motion: &RobotMotion, mid: f64, h: f64| emulate::bounds::<MODE>(motion, form, mid, h);
            outside_of_range(65, n, None, bounds, |x: Emulated<MODE>| f64::from(x.0), 0.0)
        })
        .sum()
}

#[test]
fn moving_boxes_stay_in_their_ranges_however_f32_rounds() {
    let n = effort(2_000, 100_000);
    assert_eq!(outside_in_f32::<UP>(n), 0);
    assert_eq!(outside_in_f32::<TO_ZERO>(n), 0);
    assert_eq!(outside_in_f32::<FROM_ZERO>(n), 0);
    assert_eq!(outside_in_f32::<RANDOM>(n), 0);
}

/// A box at rest about the origin, whose pose has a ball of radius zero: only the rounding of the range itself is left.
fn outside_at_rest<const MODE: u8>(n: usize) -> usize {
    let mut draw = Draw::new(66);
    let mut run = |_| {
        let (b, _) = touching_boxes(&mut draw, 1e-6, |p| p);
        // Uploaded values may be rounded: the box after rounding counts as the true one.
        let half = b.half.map(|h| f64::from(h as f32));
        let axes = b.axes.map(|a| V3(a.0.map(|x| f64::from(x as f32))));
        let b = OrientedBox { center: V3([0.0; 3]), axes, half, reach: f64::from(round_up(b.reach)) };
        let mut jet = PoseJet::<Emulated<MODE>>::zero();
        (0..3).for_each(|i| jet.p[0].0[i][i] = Real::new(1.0));
        let pose = PoseBound::Taylor(TaylorModel { jet, ball: [Real::new(0.0); 2] });
        let (lo, hi) = moving_range(&pose, &b.to(), Real::new(0.1));
        let reach = |k: usize| (0..3).map(|i| axes[i].0[k].abs() * half[i]).sum::<f64>() * (1.0 - 1e-15);
        usize::from((0..3).any(|k| f64::from(hi.0[k].0) < reach(k) || f64::from(lo.0[k].0) > -reach(k)))
    };
    (0..n).map(&mut run).sum()
}

#[test]
fn boxes_at_rest_stay_in_their_ranges_however_f32_rounds() {
    let n = effort(10_000, 300_000);
    assert_eq!(outside_at_rest::<UP>(n), 0);
    assert_eq!(outside_at_rest::<TO_ZERO>(n), 0);
    assert_eq!(outside_at_rest::<FROM_ZERO>(n), 0);
    assert_eq!(outside_at_rest::<RANDOM>(n), 0);
}

fn wrong_in_f32<const MODE: u8>(seed: u64, n: usize) -> usize {
    let mut draw = Draw::new(seed);
    let mut run = |i: usize| {
        let mut case = touching(&mut draw, [0.0, 0.3, 1.0][i % 3], [1.0 / 32.0, 0.125][i % 2]);
        let form = FORMS[i / 6 % 2];
        let pose = emulate::bounds::<MODE>(&case.motion, form, case.mid, case.h)[case.body as usize];
        case.moving.reach = f64::from(round_up(case.moving.reach));
        usize::from(case.called_apart(pose, None))
    };
    (0..n).map(&mut run).sum()
}

/// The bound counts roundings in units of the arithmetic: f64 has too few of them to show, f32 with every operation
/// rounded to one side shows all.
#[test]
fn boxes_that_touch_are_never_called_apart_however_f32_rounds() {
    let n = effort(3_000, 100_000);
    assert_eq!(wrong_in_f32::<UP>(55, n), 0);
    assert_eq!(wrong_in_f32::<TO_ZERO>(55, n), 0);
    assert_eq!(wrong_in_f32::<FROM_ZERO>(55, n), 0);
    assert_eq!(wrong_in_f32::<RANDOM>(55, n), 0);
}

fn wrong_at_rest<const MODE: u8>(n: usize) -> usize {
    let mut draw = Draw::new(62);
    let mut run = |_| {
        let (a, b) = touching_boxes(&mut draw, 1e-6, |p| p);
        usize::from(boxes_apart(&BoxBound::<Emulated<MODE>>::standing(&a.to()), &BoxBound::standing(&b.to()), 1) != 0)
    };
    (0..n).map(&mut run).sum()
}

/// Boxes at rest about the origin have almost no ball: only the test's own rounding allowance protects it from a wrong
/// claim.
#[test]
fn boxes_at_rest_that_touch_are_never_called_apart_however_f32_rounds() {
    let n = effort(10_000, 300_000);
    assert_eq!(wrong_at_rest::<UP>(n), 0);
    assert_eq!(wrong_at_rest::<TO_ZERO>(n), 0);
    assert_eq!(wrong_at_rest::<FROM_ZERO>(n), 0);
    assert_eq!(wrong_at_rest::<RANDOM>(n), 0);
}

/// The number of points outside of a block's bound, over blocks of every level; if `unmoved`, the block uses the jet of
/// the middle sub-interval without moving it.
fn outside_of_blocks(form: PoseEnclosure, unmoved: bool) -> usize {
    let mut draw = Draw::new(61);
    let mut bad = 0;
    for i in 0..effort(60, 2000) {
        let kind = RobotKind { n_bodies: 1 + draw.below(6), link_m: 0.4, n_triangles: 1, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let (q0, q1) = models::motion(&mut draw, &robot, [0.01, 0.3, 1.0][i % 3], 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        let body = robot.bodies.len() - 1;
        let piece = Piece::cut(0, &motion).last().unwrap();
        let poses = s1_concat::reference(&[piece], std::slice::from_ref(&motion), form);
        let (bound, balls) = (&poses.bounds[body], poses.balls(0, body));
        let e = draw.vector(0.3);
        for (len, ball) in s1_concat::SPANS.into_iter().zip(balls) {
            let (k, h) = (draw.below(SUBS / len) * len, piece.half_sub());
            // A block of interval matrices needs no ball; one from a jet would hide everything here.
            let own = if form == PoseEnclosure::TaylorModel { ball } else { [0.0; 2] };
            let middle = bound.lane(k + len / 2).with_ball(own);
            let block = if unmoved { middle } else { bound.block(k, len, h, ball) };
            let half = len as f64 * h;
            let (lo, hi) = block.point(V3::new(e), e.length() * (1.0 + 1e-12)).range(half);
            let start = piece.t0 + k as f64 * 2.0 * h;
            for j in 0..=8 {
                let p = position(&motion, body as u32, e, start + half * f64::from(j) / 4.0);
                bad += usize::from(!(0..3).all(|a| lo.0[a] <= p[a] && p[a] <= hi.0[a]));
            }
        }
    }
    bad
}

#[test]
fn bounds_of_blocks_hold() {
    for form in FORMS {
        assert_eq!(outside_of_blocks(form, false), 0, "{form:?}");
        let seen = outside_of_blocks(form, true);
        println!("{form:?}: {seen} points outside of what holds for a single sub-interval");
        assert!(seen > 50, "{form:?}");
    }
}

/// A point that two boxes have in common, if alternating projections find one.
fn common_point(a: &(DVec3, DMat3, DVec3), b: &(DVec3, DMat3, DVec3)) -> Option<DVec3> {
    let nearest = |(c, axes, half): &(DVec3, DMat3, DVec3), p: DVec3| {
        *c + *axes * (axes.transpose() * (p - *c)).clamp(-*half, *half)
    };
    let mut p = a.0;
    for _ in 0..300 {
        let q = nearest(b, p);
        if (p - q).length() < 1e-12 {
            return Some(p);
        }
        p = nearest(a, q);
    }
    None
}

/// Boxes near each other: where the test calls them separated, no sampled time shows a common point. With jets it
/// separates most boxes that stay apart; the others come as near as a millionth of a metre while they move.
#[test]
fn claims_of_separation_against_sampled_times() {
    let mut draw = Draw::new(56);
    for form in FORMS {
        let (mut called, mut apart) = (0, 0);
        for i in 0..effort(2_000, 50_000) {
            let mut case = touching(&mut draw, 0.5, 1.0 / 32.0);
            let away = draw.direction() * 10f64.powf(draw.between(-6.0, -0.5));
            case.standing.center = case.standing.center + V3::new(away);
            let claim = case.called_apart(case.pose(form), None);
            let matrix =
                |b: &OrientedBox<f64>| DMat3::from_cols(vector(b.axes[0]), vector(b.axes[1]), vector(b.axes[2]));
            let there = (vector(case.standing.center), matrix(&case.standing), DVec3::from_array(case.standing.half));
            let meets = (0..=16).find_map(|k| {
                let t = case.mid - case.h + case.h * f64::from(k) / 8.0;
                let at = |p| position(&case.motion, case.body, p, t);
                let c = vector(case.moving.center);
                let turned = case.moving.axes.map(|a| at(c + vector(a)) - at(c));
                let here =
                    (at(c), DMat3::from_cols(turned[0], turned[1], turned[2]), DVec3::from_array(case.moving.half));
                common_point(&here, &there)
            });
            assert!(!(claim && meets.is_some()), "{form:?} {i}: apart, but {meets:?}");
            called += usize::from(claim);
            apart += usize::from(meets.is_none());
        }
        println!("{form:?}: {called} called apart of {apart} that show no common point");
        let most = if form == PoseEnclosure::TaylorModel { 10 * called > 6 * apart } else { 10 * called > apart };
        assert!(most && apart > 100);
    }
}

/// The paper's example: over [0, 1] body 0 has level 1 and body 1 has level 2. Boxes of two moving bodies that touch at
/// some time are not separated up to and including the quarter in which they touch.
#[test]
fn two_moving_bodies_with_unequal_levels() {
    let mut draw = Draw::new(57);
    let (mut free, mut exact) = (0, 0);
    for i in 0..effort(2_000, 40_000) {
        let kind = RobotKind { n_bodies: 4, link_m: 0.4, n_triangles: 1, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let (q0, q1) = models::motion(&mut draw, &robot, 0.4, 0.2);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        // The bodies are on two branches of the tree; the second's box is placed so that the two touch at `when`, and
        // in every other case moved away.
        let [x, y] = [1, 4];
        let when = draw.unit();
        let (c, axes, half) = (draw.vector(0.1), draw.rotation(), sizes(&mut draw) * 0.2);
        let s = draw.vector(1.0);
        let meet = position(&motion, x, c + axes * (s * half), when);
        // The point of body y that is there at that time.
        let origin = position(&motion, y, DVec3::ZERO, when);
        let turn = DMat3::from_cols_array_2d(
            &[DVec3::X, DVec3::Y, DVec3::Z].map(|e| (position(&motion, y, e, when) - origin).to_array()),
        );
        let away = if i % 2 == 0 { DVec3::ZERO } else { draw.direction() * 0.5 };
        let (other_axes, other_half) = (draw.rotation(), sizes(&mut draw) * 0.2);
        let r = draw.vector(1.0);
        let other_centre = turn.inverse() * (meet - origin) - other_axes * (r * other_half) + away;
        let boxes = [(x, oriented(c, axes, half)), (y, oriented(other_centre, other_axes, other_half))];
        for form in FORMS {
            let bounds = |level: u32, (body, shape): &(u32, OrientedBox<f64>)| -> Vec<BoxBound<f64>> {
                let h = 0.5 / f64::from(1 << level);
                let of = |k: u32| {
                    let mut all = Vec::new();
                    motion.bounds(form, f64::from(2 * k + 1) * h, h, &mut all);
                    BoxBound::moving(&all[*body as usize], shape, h)
                };
                (0..1 << level).map(of).collect()
            };
            let first = first_overlap(&bounds(1, &boxes[0]), &bounds(2, &boxes[1]));
            let quarter = (when * 4.0) as usize;
            if away == DVec3::ZERO {
                assert!(first.is_some_and(|k| k <= quarter), "{form:?}: {first:?} but they touch in {quarter}");
                exact += usize::from(first == Some(quarter));
            } else {
                free += usize::from(first.is_none());
            }
        }
    }
    println!("{exact} touch in the very quarter that is found, {free} of those half a metre apart are proved apart");
    assert!(exact > 200 && free > 200);
}
