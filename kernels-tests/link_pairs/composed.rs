//! Relative poses composed from two poses in the world stay in their balls, in the worst arithmetic that WGSL allows.

use crate::effort;
use crate::harness::emulate::{self, DOWN, Emulated, FROM_ZERO, NEAREST, RANDOM, TO_ZERO, UP};
use crate::harness::models::Draw;
use firstcontact::arith::linear::V3;
use firstcontact::arith::rounding::UNIT_F32;
use firstcontact::enclosure::pose_bound::{PoseBound, PoseEnclosure};
use firstcontact::robot::{JointMotion, RobotMotion};
use glam::{DMat3, DVec3};

/// A trunk of up to three joints with two branches of up to five, some of which slide or stand still.
fn tree(draw: &mut Draw) -> RobotMotion {
    let mut motion = RobotMotion::default();
    let rate = draw.between(0.0, 3.0);
    let joint = |draw: &mut Draw| {
        let slide = if draw.below(4) == 0 { draw.vector(0.3) } else { DVec3::ZERO };
        let w = if draw.below(5) == 0 { 0.0 } else { draw.between(-rate, rate) };
        JointMotion::from_axis(draw.rotation(), draw.direction(), w, draw.direction() * 0.4, slide)
    };
    let mut last = None;
    for _ in 0..1 + draw.below(3) {
        motion.push(last, joint(draw));
        last = Some(motion.joints.len() as u32 - 1);
    }
    for _ in 0..2 {
        let mut above = last;
        for _ in 0..1 + draw.below(5) {
            motion.push(above, joint(draw));
            above = Some(motion.joints.len() as u32 - 1);
        }
    }
    motion
}

/// Rotation and origin of a body in the world, joint by joint.
fn world(m: &RobotMotion, body: u32, t: f64) -> (DMat3, DVec3) {
    let joint = &m.joints[body as usize];
    let (s, c) = (joint.w_rad * t).sin_cos();
    let (p, x) = (joint.a * c + joint.b * s + joint.c, joint.origin_m + joint.slide_m * t);
    m.parents[body as usize].map_or((p, x), |parent| {
        let (q, y) = world(m, parent, t);
        (q * p, y + q * x)
    })
}

/// The largest distance of a point from the polynomial of the composed jet, as a part of the ball.
fn worst<const MODE: u8>(draw: &mut Draw, n: usize) -> f64 {
    let mut worst = 0f64;
    for _ in 0..n {
        let motion = tree(draw);
        let n_bodies = motion.joints.len();
        let (a, b) = (draw.below(n_bodies) as u32, draw.below(n_bodies) as u32);
        if a == b {
            continue;
        }
        let h = [0.5, 0.125, 1.0 / 32.0, 1.0 / 8192.0][draw.below(4)];
        let mid = h * (1 + 2 * draw.below((0.5 / h) as usize)) as f64;
        // At the origin and in short intervals nothing but the constant of the rounding error counts.
        let e = if draw.below(2) == 0 { draw.vector(0.5) } else { DVec3::ZERO };
        let path = motion.seen_from(a, b, e.length());
        let bodies = [a, b].map(|body| &motion.chains[body as usize]);
        let [constant, slope] = path.chains.last().unwrap().composed_ball(bodies, h, UNIT_F32);
        let bounds = emulate::bounds::<MODE>(&motion, PoseEnclosure::TaylorModel, mid, h);
        let jet = |body: u32| match &bounds[body as usize] {
            PoseBound::Taylor(model) => model.jet,
            PoseBound::Interval(_) => unreachable!("jets were asked for"),
        };
        let jet = jet(b).seen_from(&jet(a));
        let term = |n: usize| {
            let point = jet.x[n] + jet.p[n].apply(V3::new(e));
            DVec3::from_array(point.0.map(|x: Emulated<MODE>| f64::from(x.0)))
        };
        let terms = [0, 1, 2].map(term);
        for step in -4..=4 {
            let tau = h * f64::from(step) / 4.0;
            let ((pa, xa), (pb, xb)) = (world(&motion, a, mid + tau), world(&motion, b, mid + tau));
            let truth = pa.inverse() * (pb * e + xb - xa);
            let path = terms[0] + terms[1] * tau + terms[2] * (tau * tau / 2.0);
            worst = worst.max((path - truth).length() / (constant + slope * e.length()));
        }
    }
    worst
}

#[test]
fn composed_poses_stay_in_their_balls() {
    let (mut draw, n) = (Draw::new(77), effort(300, 20_000));
    let parts = [
        worst::<NEAREST>(&mut draw, n),
        worst::<UP>(&mut draw, n),
        worst::<DOWN>(&mut draw, n),
        worst::<TO_ZERO>(&mut draw, n),
        worst::<FROM_ZERO>(&mut draw, n),
        worst::<RANDOM>(&mut draw, n),
    ];
    println!("largest distance by way of rounding: {parts:.3?} of the ball");
    assert!(parts.iter().all(|part| (0.01..=1.0).contains(part)), "{parts:?}");
}
