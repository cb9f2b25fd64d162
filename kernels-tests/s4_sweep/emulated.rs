//! Claims of the formulas in emulated f32 arithmetic, compared with the distance of segment and triangle at many times.

use super::cases::{one_sided, sheet_normal};
use super::distance::segment_to_triangle;
use crate::effort;
use crate::harness::emulate::{self, Emulated, FROM_ZERO, RANDOM, TO_ZERO, UP};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::Real;
use firstcontact::arith::rounding::{UNIT_F32, round_up};
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::predicate::separation::StaticTriangle;
use firstcontact::predicate::swept::swept_misses;
use firstcontact::robot::RobotMotion;
use glam::DVec3;

/// Counts of the outcomes.
struct Claims {
    /// Triangles that are claimed to be separated.
    apart: usize,
    /// Triangles that are separated at all sampled times.
    truly: usize,
    /// Triangles that are claimed to be separated, but touch at a sampled time.
    wrong: usize,
}

/// A moving segment with a radius, and a triangle near it. Without the error terms the computed pose is treated as
/// exact.
fn claims<const MODE: u8>(draw: &mut Draw, n: usize, errors: bool) -> Claims {
    let mut claims = Claims { apart: 0, truly: 0, wrong: 0 };
    for i in 0..n {
        let kind = RobotKind { n_bodies: 1 + draw.below(5), link_m: 0.4, n_triangles: 1, mixed: true };
        let mut robot = models::robot(draw, kind);
        if i % 4 == 3 {
            // Positions whose error exceeds the width of the links.
            robot.bodies[0].joint.origin_m += draw.vector(300.0);
        }
        let angle = [0.0, 0.01, 0.5][draw.below(3)];
        let (q0, q1) = models::motion(draw, &robot, angle, 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        let body = robot.bodies.len() as u32 - 1;
        let h = 1.0 / 32.0;
        let time = (2 * draw.below(16) + 1) as f64 * h;
        let radius = [0.0, 1e-6, 0.01, 0.2][draw.below(4)];
        let ends = [draw.vector(0.2), draw.vector(0.2)];
        let touching = time + h * draw.between(-1.0, 1.0);
        let s = [0.0, 1.0, draw.unit()][draw.below(3)];
        let e = ends[0].lerp(ends[1], s);
        let there = position(&motion, body, e, touching);
        // Around the point, or on one side, with a vertex slightly deeper than the surface.
        let t = if draw.below(2) == 0 {
            let gap = radius + [1.0, -1.0, 0.0][draw.below(3)] * 10f64.powf(draw.between(-6.0, -0.5));
            let nearest = there + draw.direction() * gap.max(0.0);
            let size = [1e-4, 0.2, 2.0][draw.below(3)];
            let t = draw.triangle(nearest, size);
            t.map(|v| v + (nearest - t[0]))
        } else {
            let n = sheet_normal(draw, &motion, body, ends, e, touching);
            let deep = 10f64.powf(draw.between(-11.0, -8.0)).min(radius);
            one_sided(draw, there + n * (radius - deep), n)
        };
        let mut bound = emulate::bounds::<MODE>(&motion, PoseEnclosure::TaylorModel, time, h).pop().unwrap();
        if !errors {
            bound = bound.with_ball([Emulated(0.0); 2]);
        }
        let reach = ends.iter().fold(0.0, |m: f64, e| m.max(e.length()));
        let points = ends.map(|e| bound.point(V3::new(e), Emulated(round_up(reach))));
        let size = t.iter().fold(0.0, |m: f64, v| m.max(v.length()));
        let tri = StaticTriangle {
            y: t.map(V3::new),
            error: Emulated(if errors { round_up(0.5 * UNIT_F32 * size) } else { 0.0 }),
        };
        let distance = |t_now: f64| segment_to_triangle(ends.map(|e| position(&motion, body, e, t_now)), &t);
        let least = (0..=16).map(|k| distance(time - h + h * f64::from(k) / 8.0)).fold(distance(touching), f64::min);
        claims.truly += usize::from(least > radius);
        if swept_misses(&points, Emulated(round_up(radius)), &tri, Real::new(h), 1) != 0 {
            claims.apart += 1;
            claims.wrong += usize::from(least < radius - 1e-13);
        }
    }
    claims
}

/// Claims of separation hold however f32 rounds, and without the error terms they do not.
#[test]
fn claims_hold_however_f32_rounds() {
    let n = effort(4_000, 100_000);
    let mut draw = Draw::new(51);
    let mut all = |errors| {
        [
            claims::<UP>(&mut draw, n, errors),
            claims::<TO_ZERO>(&mut draw, n, errors),
            claims::<FROM_ZERO>(&mut draw, n, errors),
            claims::<RANDOM>(&mut draw, n, errors),
        ]
    };
    for Claims { apart, truly, wrong } in all(true) {
        println!("of {n} triangles {truly} are apart at the times tried, {apart} are called so, {wrong} wrongly");
        assert!(wrong == 0 && apart > truly / 4 && truly > n / 10);
    }
    assert!(all(false).iter().all(|c| c.wrong > 0), "the error terms go unseen");
}

/// In f64, ten kilometres from the origin of coordinates.
#[test]
fn a_point_on_the_surface_is_never_apart() {
    let mut draw = Draw::new(52);
    for _ in 0..effort(2_000, 50_000) {
        let far = draw.vector(1e4);
        let (a, b) = (far + draw.vector(0.3), far + draw.vector(0.3));
        let way = draw.vector(0.1);
        let radius = [0.0, 0.05][draw.below(2)];
        let s = draw.unit();
        let on = a.lerp(b, s) + way * draw.between(-1.0, 1.0) + draw.direction() * radius;
        let t = draw.triangle(on, 0.1);
        let t = t.map(|v| v + (on - t[0]));
        let ball = 1e-11;
        let point = |p: DVec3| PointBound { c: [V3::new(p), V3::new(way), V3::zero()], ball, cube: V3::zero() };
        let tri = StaticTriangle { y: t.map(V3::new), error: 0.0 };
        assert_eq!(swept_misses::<f64>(&[point(a), point(b)], radius, &tri, 1.0, 1), 0, "{t:?}");
    }
}
