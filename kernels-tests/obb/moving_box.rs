//! The boxes of the search for pairs: no box along the coordinate axes and no triangle that touches a moving box is
//! called apart from it, and most that are clearly apart are.

use super::{FORMS, Mutant, clear_derivative, oriented, sizes};
use crate::effort;
use crate::harness::emulate::{self, Emulated, FROM_ZERO, RANDOM, TO_ZERO, UP};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::Real;
use firstcontact::arith::rounding::{UNIT_F32, round_up};
use firstcontact::enclosure::pose_bound::{PoseBound, PoseEnclosure};
use firstcontact::predicate::moving_box::MovingBox;
use firstcontact::predicate::obb_overlap::OrientedBox;
use firstcontact::predicate::separation::StaticTriangle;
use firstcontact::robot::{Robot, RobotMotion, Triangle};
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// A moving box, and a box along the coordinate axes and a triangle that have a point in common with it at some time of
/// the interval: on its border, and on the outer side of it.
struct Touching {
    motion: RobotMotion,
    body: u32,
    moving: OrientedBox<f64>,
    corners: [DVec3; 2],
    triangle: Triangle,
    mid: f64,
    h: f64,
}

/// With a gap, the others are that far from the moving box's border at that time.
fn touching(draw: &mut Draw, angle: f64, h: f64, gap_m: f64) -> Touching {
    let kind = RobotKind { n_bodies: 1 + draw.below(5), link_m: 0.4, n_triangles: 1, mixed: true };
    let robot = models::robot(draw, kind);
    let (q0, q1) = models::motion(draw, &robot, angle, 0.1);
    let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
    let body = robot.bodies.len() as u32 - 1;
    let mid = h * (2 * draw.below((0.5 / h) as usize) + 1) as f64;
    let when = mid + h * [-1.0, 1.0, draw.between(-1.0, 1.0)][draw.below(3)];
    let (c, axes, half) = (draw.vector(0.2), draw.rotation(), sizes(draw));
    let (mut s, mut outward) = (draw.vector(1.0), DVec3::ZERO);
    let border = draw.below(3);
    for i in 0..=border {
        let i = (i + border) % 3;
        // Inside the border by more than the rounding of f64.
        s[i] = (1.0 - 1e-9f64).copysign(s[i]);
        outward += axes.col(i) * (s[i] * (0.1 + draw.unit()));
    }
    let now = |e: DVec3| position(&motion, body, e, when);
    let e = c + axes * (s * half);
    let outward = (now(e + outward.normalize()) - now(e)).normalize();
    let p = now(e) + outward * gap_m;
    let size = 10f64.powf(draw.between(-3.0, 0.5));
    let corner = |k: usize, sign: f64| if outward[k] * sign > 0.0 { p[k] + sign * size } else { p[k] };
    let corners = [-1.0, 1.0].map(|sign| DVec3::from_array([0, 1, 2].map(|k| corner(k, sign))));
    let mut other = || {
        let v = draw.vector(size);
        p + v - outward * v.dot(outward).min(0.0)
    };
    let mut triangle = [p, other(), other()];
    triangle.rotate_left(draw.below(3));
    Touching { motion, body, moving: oriented(c, axes, half), corners, triangle, mid, h }
}

impl Touching {
    /// The moving box, and the triangle, whose vertices are rounded.
    fn placed<T: Real>(&self, mut pose: PoseBound<T>, mutant: Option<Mutant>) -> (MovingBox<T>, StaticTriangle<T>) {
        let mut moving = self.moving;
        match mutant {
            None | Some(Mutant::StandingExtent(_)) => {}
            Some(Mutant::MovingExtent(i)) => moving.half[i] = 0.0,
            Some(Mutant::Ball) => pose = pose.with_ball([T::new(0.0); 2]),
            Some(Mutant::Velocity) => clear_derivative(&mut pose, 1),
            Some(Mutant::Acceleration) => clear_derivative(&mut pose, 2),
        }
        let moving = MovingBox::new(&pose, &moving.to(), T::new(self.h));
        let size = self.triangle.iter().fold(0.0, |m: f64, v| m.max(v.length()));
        let standing = StaticTriangle {
            y: self.triangle.map(V3::new),
            error: T::new(f64::from(round_up(2.0 * (UNIT_F32 * size)))),
        };
        (moving, standing)
    }

    /// Returns whether the direction from the triangle's nearest point separates them.
    fn called_beyond(&self, pose: PoseBound<f64>, mutant: Option<Mutant>) -> bool {
        let (moving, standing) = self.placed(pose, mutant);
        moving.is_beyond(&standing) & 1 != 0
    }

    /// Returns whether the test calls the box along the coordinate axes, and the triangle, apart.
    fn called_apart<T: Real>(&self, pose: PoseBound<T>, mutant: Option<Mutant>) -> [bool; 2] {
        let (moving, standing) = self.placed(pose, mutant);
        // The scene's boxes are rounded outward, its vertices to nearest.
        let outward = |v: DVec3, to: fn(f32) -> f32| V3(v.to_array().map(|x| T::new(f64::from(to(x as f32)))));
        let [lo, hi] = self.corners;
        [
            moving.misses_box(outward(lo, f32::next_down), outward(hi, f32::next_up)) & 1 != 0,
            moving.misses_triangle(&standing) & 1 != 0,
        ]
    }

    fn pose(&self, form: PoseEnclosure) -> PoseBound<f64> {
        let mut all = Vec::new();
        self.motion.bounds(form, self.mid, self.h, &mut all);
        all[self.body as usize]
    }
}

/// The number of boxes, of triangles, and of triangles by their nearest points, that are called apart.
fn apart(seed: u64, n: usize, form: PoseEnclosure, mutant: Option<Mutant>, gap_m: f64) -> [usize; 3] {
    let mut draw = Draw::new(seed);
    let mut count = [0; 3];
    for i in 0..n {
        let case = touching(&mut draw, [0.3, 1.0, 3.0, 6.0][i % 4], [1.0 / 32.0, 0.125, 0.25][i % 3], gap_m);
        let ([a, b], c) = (case.called_apart(case.pose(form), mutant), case.called_beyond(case.pose(form), mutant));
        [a, b, c].into_iter().zip(&mut count).for_each(|(is_apart, n)| *n += usize::from(is_apart));
    }
    count
}

#[test]
fn touching_triangles_are_never_called_separate() {
    for form in FORMS {
        assert_eq!(apart(71, effort(6_000, 300_000), form, None, 0.0), [0; 3], "{form:?}");
    }
}

/// A triangle at a distance is within a margin of the same length, and beyond a smaller one.
#[test]
fn margins_are_compared_with_the_distance() {
    let (mut draw, mut n_beyond) = (Draw::new(74), 0);
    for i in 0..effort(3_000, 100_000) {
        let margin_m = [0.001, 0.05, 0.5][i % 3];
        let case = touching(&mut draw, [0.0, 0.3, 1.0][i / 3 % 3], 1.0 / 32.0, margin_m);
        let beyond = |margin_m: f64| {
            let PoseBound::Taylor(pose) = case.pose(PoseEnclosure::TaylorModel) else { unreachable!() };
            let ball = [(pose.ball[0] + margin_m) * (1.0 + 4.0 * f64::UNIT), pose.ball[1]];
            case.called_beyond(PoseBound::Taylor(pose).with_ball(ball), None)
        };
        assert!(!beyond(margin_m * (1.0 + 1e-6)), "motion {i}");
        n_beyond += usize::from(beyond(margin_m / 3.0));
    }
    assert!(n_beyond > 500, "{n_beyond}");
}

#[test]
fn most_distant_triangles_are_called_separate() {
    let n = 3_000;
    let [boxes, triangles, by_points] = apart(72, n, PoseEnclosure::TaylorModel, None, 1.0);
    println!("of {n} at a distance of one metre, {boxes} boxes and {triangles} triangles are called apart");
    assert!(boxes > n / 3 && triangles > n / 3 && by_points > n / 3, "{by_points}");
}

#[test]
fn mutants_of_moving_boxes_are_caught() {
    for mutant in (0..3).map(Mutant::MovingExtent).chain([Mutant::Ball, Mutant::Velocity, Mutant::Acceleration]) {
        let seen = apart(71, 6_000, PoseEnclosure::TaylorModel, Some(mutant), 0.0);
        println!("{mutant:?}: {seen:?}");
        // Next to the length of an axis the ball is small: what margins make of it is seen above.
        let n = if mutant == Mutant::Ball { 2 } else { 3 };
        assert!(seen[..n].iter().all(|n| *n > 0), "{mutant:?} goes unseen");
    }
}

fn wrong_in_f32<const MODE: u8>(n: usize) -> [usize; 2] {
    let mut draw = Draw::new(73);
    let mut wrong = [0; 2];
    for i in 0..n {
        let mut case = touching(&mut draw, [0.0, 0.3, 1.0][i % 3], [1.0 / 32.0, 0.125][i % 2], 0.0);
        case.moving.reach = f64::from(round_up(case.moving.reach));
        if i % 4 >= 2 {
            // As in the kernels: half axes, instead of axes of length one and half sizes.
            let OrientedBox { axes, half, .. } = &mut case.moving;
            (0..3).for_each(|k| axes[k] = axes[k].times(half[k]));
            *half = [1.0; 3];
        }
        let pose = emulate::bounds::<MODE>(&case.motion, FORMS[i / 6 % 2], case.mid, case.h)[case.body as usize];
        let found = case.called_apart::<Emulated<MODE>>(pose, None);
        (0..2).for_each(|k| wrong[k] += usize::from(found[k]));
    }
    wrong
}

/// The bound counts roundings in units of the arithmetic: f64 has too few of them to show.
#[test]
fn touching_triangles_are_never_called_separate_however_f32_rounds() {
    let n = effort(3_000, 100_000);
    assert_eq!(wrong_in_f32::<UP>(n), [0, 0]);
    assert_eq!(wrong_in_f32::<TO_ZERO>(n), [0, 0]);
    assert_eq!(wrong_in_f32::<FROM_ZERO>(n), [0, 0]);
    assert_eq!(wrong_in_f32::<RANDOM>(n), [0, 0]);
}

/// Half the sizes of the boxes in [`wrong_for_large_triangles`], metres.
const SMALL_M: f64 = 1e-3;
/// Distance of the corners from the box there, metres.
const LARGE_M: f64 = 1e3;

/// Small boxes at rest that touch the middle of a large triangle with a face. The corners round by far more than the
/// boxes and their pose do.
fn wrong_for_large_triangles<const MODE: u8>(n: usize) -> usize {
    let mut robot = Robot::new("base", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    robot.add_link("base", 0, vec![[DVec3::ZERO, DVec3::X, DVec3::Y]], vec![0]).unwrap();
    let motion = RobotMotion::new(&robot, &[], &[]).unwrap();
    let mut draw = Draw::new(75);
    let is_wrong = |_: &usize| {
        let (c, axes, half) = (draw.direction(), draw.rotation(), DVec3::splat(SMALL_M));
        let (k, first) = (draw.below(3), draw.between(0.0, TAU));
        let [outward, u, v] = [0, 1, 2].map(|i| axes.col((k + i) % 3));
        // Inside the box by more than the rounding of f64.
        let p = c + outward * (SMALL_M - 1e-9);
        let triangle = [0.0, 1.0, 2.0].map(|i| {
            let (sin, cos) = (first + i * TAU / 3.0).sin_cos();
            p + (u * cos + v * sin) * LARGE_M
        });
        let moving = OrientedBox { reach: f64::from(round_up(2.0)), ..oriented(c, axes, half) };
        let case = Touching { motion: motion.clone(), body: 0, moving, corners: [p, p], triangle, mid: 0.5, h: 0.125 };
        let pose = emulate::bounds::<MODE>(&case.motion, PoseEnclosure::TaylorModel, case.mid, case.h)[0];
        case.called_apart::<Emulated<MODE>>(pose, None)[1]
    };
    (0..n).filter(is_wrong).count()
}

#[test]
fn large_triangles_that_touch_are_never_called_separate_however_f32_rounds() {
    let n = effort(3_000, 100_000);
    assert_eq!(wrong_for_large_triangles::<UP>(n), 0);
    assert_eq!(wrong_for_large_triangles::<TO_ZERO>(n), 0);
    assert_eq!(wrong_for_large_triangles::<FROM_ZERO>(n), 0);
    assert_eq!(wrong_for_large_triangles::<RANDOM>(n), 0);
}
