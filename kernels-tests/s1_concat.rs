//! `s1_concat`: pose bounds contain the motion, in f64, in the worst arithmetic that WGSL allows, and on the adapter.

use crate::effort;
use crate::harness::emulate::{self, DOWN, FROM_ZERO, MODES, NEAREST, RANDOM, TO_ZERO, UP};
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use crate::oracle::ball::Ball;
use crate::oracle::chain::Part;
use crate::oracle::precise::derivatives;
use firstcontact::arith::linear::{M3, V3};
use firstcontact::arith::real::Real;
use firstcontact::arith::rounding::UNIT_F32;
use firstcontact::enclosure::chain_bounds::Deviation;
use firstcontact::enclosure::pose_bound::{PoseBound, PoseEnclosure};
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Options, Stage};
use firstcontact::gpu::BufferId;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, JointMotion, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s1_concat::{self, POSE_FLOATS};
use firstcontact::stage::{Piece, SUBS, Subs};
use glam::{DMat3, DVec3};

/// A chain without branches whose chain bound is `omega` radians in total.
fn chain(draw: &mut Draw, depth: usize, omega: f64) -> RobotMotion {
    let mut motion = RobotMotion::default();
    let share = omega / depth as f64;
    for i in 0..depth {
        let slide = if draw.below(4) == 0 { draw.vector(0.3) } else { DVec3::ZERO };
        let w = if draw.below(5) == 0 { 0.0 } else { share * if draw.below(2) == 0 { 1.0 } else { -1.0 } };
        let joint = JointMotion::from_axis(draw.rotation(), draw.direction(), w, draw.direction() * 0.4, slide);
        motion.push((i > 0).then(|| i as u32 - 1), joint);
    }
    motion
}

fn precise_chain(motion: &RobotMotion) -> Vec<Part> {
    motion.joints.iter().map(|j| Part { a: j.a, b: j.b, k: j.c, c: j.origin_m, s: j.slide_m, w: j.w_rad }).collect()
}

/// The weighted error of a jet against derivatives of more than a hundred bits, divided by the rounding bound.
fn rounding_ratio<T: Real>(
    motion: &RobotMotion,
    bound: &PoseBound<T>,
    e: DVec3,
    time: f64,
    h: f64,
    to_f64: fn(T) -> f64,
) -> f64 {
    let truth = derivatives(&precise_chain(motion), &Ball::from(time), e);
    let point = bound.point(V3::new(e), T::new(e.length()));
    let mut error = 0.0;
    let mut weight = 1.0;
    for n in 0..3 {
        // In 256 bits until the difference is taken.
        let difference: [f64; 3] =
            std::array::from_fn(|i| (&truth[n][i] - &Ball::from(to_f64(point.c[n].0[i]))).value());
        error += weight * DVec3::from_array(difference).length();
        weight *= h / (n + 1) as f64;
    }
    let [constant, slope] = motion.chains.last().unwrap().rounding(h, T::UNIT);
    error / (constant + slope * e.length())
}

#[test]
fn f64_jets_stay_within_their_rounding_bound() {
    let mut draw = Draw::new(1);
    let mut worst: f64 = 0.0;
    for _ in 0..effort(300, 10_000) {
        let (depth, omega) = (1 + draw.below(20), draw.between(0.0, 60.0));
        let motion = chain(&mut draw, depth, omega);
        let (time, h) = (draw.unit(), draw.between(1e-6, 0.5));
        let body = depth as u32 - 1;
        let e = draw.vector(0.5);
        let bound = PoseBound::Taylor(motion.body_bound(body, time, h));
        worst = worst.max(rounding_ratio(&motion, &bound, e, time, h, |x| x));
    }
    println!("worst error of f64 jets: {worst:.4} of the bound");
    assert!(worst <= 1.0, "{worst}");
    // A bound a thousand times smaller would fail visibly.
    assert!(worst > 1e-3, "{worst}");
}

fn emulated_ratio<const MODE: u8>(draw: &mut Draw, n: usize) -> f64 {
    let mut worst: f64 = 0.0;
    for _ in 0..n {
        // Some chains consist of long offsets that cancel: the result is small, its error is not.
        let depth = 1 + draw.below(50);
        let piece_h = [1.0 / 32.0, 1.0 / 512.0][draw.below(2)];
        let omega = draw.between(0.0, 0.25 / piece_h);
        let motion = chain(draw, depth, omega);
        let time = (2 * draw.below(16) + 1) as f64 * piece_h;
        let bound = emulate::bounds::<MODE>(&motion, PoseEnclosure::TaylorModel, time, piece_h).pop().unwrap();
        let e = draw.vector(0.5);
        worst = worst.max(rounding_ratio(&motion, &bound, e, time, piece_h, |x| f64::from(x.0)));
    }
    worst
}

/// The protocol of the error bound: rounding to nearest, up, down, towards zero, away from zero, and to a random side.
#[test]
fn f32_jets_stay_within_their_rounding_bound_however_they_round() {
    let n = effort(60, 2_000);
    let mut draw = Draw::new(2);
    let ratios = [
        emulated_ratio::<NEAREST>(&mut draw, n),
        emulated_ratio::<UP>(&mut draw, n),
        emulated_ratio::<DOWN>(&mut draw, n),
        emulated_ratio::<TO_ZERO>(&mut draw, n),
        emulated_ratio::<FROM_ZERO>(&mut draw, n),
        emulated_ratio::<RANDOM>(&mut draw, n),
    ];
    println!("worst error of emulated f32 jets by way of rounding {MODES:?}: {ratios:.4?} of the bound");
    let worst = ratios.into_iter().fold(0.0, f64::max);
    assert!(worst <= 1.0, "{ratios:?}");
    // Half the bound still holds, a sixty-fourth does not: the bound has a margin, and the test detects errors.
    assert!(worst <= 0.5 && worst > 1.0 / 64.0, "{ratios:?}");
}

fn emulated_intervals<const MODE: u8>(draw: &mut Draw, n: usize) {
    for _ in 0..n {
        let depth = 1 + draw.below(6);
        let omega = draw.between(0.0, 6.0);
        let motion = chain(draw, depth, omega);
        let h = 1.0 / 32.0;
        let time = (2 * draw.below(16) + 1) as f64 * h;
        let bound = emulate::bounds::<MODE>(&motion, PoseEnclosure::IntervalMatrix, time, h).pop().unwrap();
        let e = draw.vector(0.5);
        let (lo, hi) = bound.point(V3::new(e), Real::new(e.length())).range(Real::new(h));
        for k in 0..=32 {
            let p = position(&motion, depth as u32 - 1, e, time - h + h * f64::from(k) / 16.0);
            for i in 0..3 {
                assert!(
                    f64::from(lo.0[i].0) <= p[i] && p[i] <= f64::from(hi.0[i].0),
                    "mode {MODE}: {p} in {lo:?} {hi:?}"
                );
            }
        }
    }
}

#[test]
fn f32_interval_matrices_contain_the_motion_however_they_round() {
    let n = effort(100, 3_000);
    let mut draw = Draw::new(3);
    emulated_intervals::<NEAREST>(&mut draw, n);
    emulated_intervals::<UP>(&mut draw, n);
    emulated_intervals::<DOWN>(&mut draw, n);
    emulated_intervals::<TO_ZERO>(&mut draw, n);
    emulated_intervals::<FROM_ZERO>(&mut draw, n);
    emulated_intervals::<RANDOM>(&mut draw, n);
}

/// A case for measuring the toleranced bound of the last body, made from a jet in some arithmetic.
struct Near {
    motion: RobotMotion,
    time: f64,
    h: f64,
    e: DVec3,
}

impl Near {
    /// The largest distance from the middle pose, divided by the ball's radius.
    fn share<T: Real>(&self, bound: &PoseBound<T>, to_f64: fn(T) -> f64) -> f64 {
        let point = bound.point(V3::new(self.e), T::new(self.e.length()));
        let centre = DVec3::from_array(point.c[0].0.map(to_f64));
        assert!(point.c[1].0.iter().chain(&point.c[2].0).all(|x| to_f64(*x) == 0.0));
        let body = self.motion.joints.len() as u32 - 1;
        let off = |k: i32| {
            let t = self.time + self.h * f64::from(k) / 16.0;
            (position(&self.motion, body, self.e, t) - centre).length()
        };
        (-16..=16).map(off).fold(0.0, f64::max) / to_f64(point.ball)
    }

    /// The shares in f64, in the arithmetic of a device with balls as the engine uploads them, and entirely in that
    /// arithmetic.
    fn shares<const MODE: u8>(&self) -> [f64; 3] {
        let mut own = Vec::new();
        self.motion.bounds(PoseEnclosure::DisplacementBall, self.time, self.h, &mut own);
        let sent = emulate::bounds::<MODE>(&self.motion, PoseEnclosure::DisplacementBall, self.time, self.h);
        let mut all = Vec::new();
        self.motion.bounds(
            PoseEnclosure::DisplacementBall,
            emulate::Emulated::<MODE>::new(self.time),
            self.h,
            &mut all,
        );
        let single = |x: emulate::Emulated<MODE>| f64::from(x.0);
        [
            self.share(own.last().unwrap(), |x| x),
            self.share(sent.last().unwrap(), single),
            self.share(all.last().unwrap(), single),
        ]
    }
}

fn emulated_balls<const MODE: u8>(draw: &mut Draw, n: usize) -> f64 {
    let mut worst = 0.0f64;
    for _ in 0..n {
        let depth = 1 + draw.below(12);
        let omega = [0.0, 1e-6, 1.0, 6.0][draw.below(4)];
        let h = [1.0 / 32.0, 1.0 / 512.0][draw.below(2)];
        let mut motion = chain(draw, depth, omega);
        let size_m = [1e-3, 0.1, 3.0][draw.below(3)];
        motion.set_sizes([(depth as u32 - 1, size_m)]);
        let length_m = [0.0, 0.5, 1.0, 4.0][draw.below(4)] * size_m;
        let near = Near { motion, time: (2 * draw.below(16) + 1) as f64 * h, h, e: draw.direction() * length_m };
        worst = near.shares::<MODE>().into_iter().fold(worst, f64::max);
    }
    worst
}

#[test]
fn balls_of_displacements_contain_the_motion_however_f32_rounds() {
    let n = effort(200, 5_000);
    let mut draw = Draw::new(9);
    let worst = [
        emulated_balls::<NEAREST>(&mut draw, n),
        emulated_balls::<UP>(&mut draw, n),
        emulated_balls::<DOWN>(&mut draw, n),
        emulated_balls::<TO_ZERO>(&mut draw, n),
        emulated_balls::<FROM_ZERO>(&mut draw, n),
        emulated_balls::<RANDOM>(&mut draw, n),
    ];
    println!("farthest points by way of rounding {MODES:?}: {worst:.4?} of their balls");
    assert!(worst.into_iter().all(|w| w <= 1.0 && w > 0.3), "{worst:?}");
}

/// Cases in which the radius is tight: a slide; a slide whose velocity a turn cancels in the middle of the interval but
/// not before or after; and a point far beyond the masses on a body that turns.
#[test]
fn each_part_of_the_ball_of_displacements_is_needed() {
    let (h, time, still) = (1.0 / 32.0, 0.5, DVec3::ZERO);
    let near = |joints: &[JointMotion], size_m: f64, e: DVec3| {
        let mut motion = RobotMotion::default();
        for (i, joint) in joints.iter().enumerate() {
            motion.push((i > 0).then(|| i as u32 - 1), *joint);
        }
        motion.set_sizes([(joints.len() as u32 - 1, size_m)]);
        Near { motion, time, h, e }.shares::<NEAREST>()
    };
    let one = DMat3::IDENTITY;
    let slide = JointMotion::from_axis(one, DVec3::Z, 0.0, still, DVec3::new(0.3, -0.2, 0.1));
    let shares = near(&[slide], 1.0, still);
    assert!(shares.iter().all(|s| *s <= 1.0 && *s > 0.999), "a slide: {shares:?}");
    // At t = 1/2 the second body's origin is at X and slides by −Y, which the turn of the first body about Z cancels.
    let turn = JointMotion::from_axis(one, DVec3::Z, 1.0, still, still);
    let back = JointMotion::from_axis(one, DVec3::Z, -1.0, DVec3::new(1.0, 0.5, 0.0), -DVec3::Y);
    let shares = near(&[turn, back], 1e-3, still);
    assert!(shares.iter().all(|s| *s <= 1.0 && *s > 0.9), "what is only accelerated: {shares:?}");
    let shares = near(&[turn], 0.01, DVec3::X * 3.0);
    // The Frobenius norm of a turn's rate is √2 times its spectral norm.
    assert!(shares.iter().all(|s| *s <= 1.0 && *s > 0.69), "a turn: {shares:?}");
    // A piece in which that second body accelerates: its last sub-interval determines the size of the ball.
    let mut motion = RobotMotion::default();
    motion.push(None, turn);
    motion.push(Some(0), back);
    motion.set_sizes([(1, 1e-3)]);
    let h = 1.0 / 64.0;
    let mid = Subs::from_fn(|i| 0.5 + (2 * i + 1) as f64 * h);
    let [constant, _] = s1_concat::balls(&motion, PoseEnclosure::DisplacementBall, mid, h, f64::UNIT)[1][0];
    let last = mid.0[SUBS - 1];
    let at = |t: f64| position(&motion, 1, still, t);
    let off = [last - h, last + h].map(|t| (at(t) - at(last)).length()).into_iter().fold(0.0, f64::max);
    assert!(off <= constant && off > 0.9 * constant, "{off} {constant}");
}

/// Motions whose joints are up to a tolerance away from those of the given ones, all to the same side, and the
/// deviations that the bodies of the given ones get.
fn deviating(draw: &mut Draw, robot: &Robot, ends: &[Vec<f64>; 2], tolerance: f64) -> (RobotMotion, Vec<Deviation>) {
    let mut moved = ends.clone();
    let of_column: Vec<f64> = (robot.columns.iter().enumerate())
        .map(|(c, column)| {
            let is_free = matches!(column.kind, ColumnKind::Free(_));
            let by = if is_free { 0.0 } else { tolerance * draw.between(0.5, 1.0) };
            let side = if draw.below(2) == 0 { by } else { -by };
            moved.iter_mut().for_each(|row| row[c] += side);
            by * (1.0 + 1e-12)
        })
        .collect();
    let of = |drive: &Drive| drive.multiplier.abs() * of_column[drive.column as usize];
    let deviations = robot.bodies.iter().map(|body| match &body.joint.kind {
        JointKind::Revolute { drive, .. } => Deviation { turn_rad: of(drive), slide_m: 0.0 },
        JointKind::Prismatic { drive, .. } => Deviation { turn_rad: 0.0, slide_m: of(drive) },
        JointKind::Fixed | JointKind::Free { .. } => Deviation::default(),
    });
    (RobotMotion::new(robot, &moved[0], &moved[1]).unwrap(), deviations.collect())
}

/// In f64, with the balls for blocks of sub-intervals, a margin and joints that deviate.
#[test]
fn balls_of_blocks_hold_the_motion_in_all_of_the_block() {
    for (form, tolerance, enough) in [
        (PoseEnclosure::DisplacementBall, 0.0, [0.3; 5]),
        (PoseEnclosure::TaylorModel, 0.0, [0.01; 5]),
        (PoseEnclosure::TaylorModel, 0.1, [0.3; 5]),
        (PoseEnclosure::IntervalMatrix, 0.0, [0.0, 0.3, 0.3, 0.3, 0.3]),
        (PoseEnclosure::IntervalMatrix, 0.1, [0.3; 5]),
    ] {
        let mut draw = Draw::new(10);
        let mut worst = [0.0f64; s1_concat::SPANS.len()];
        for n_bodies in [1, 4, 9] {
            let kind = RobotKind { n_bodies, link_m: 0.4, n_triangles: 2, mixed: true };
            let robot = models::robot(&mut draw, kind);
            let world = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap();
            for i in 0..effort(10, 200) {
                let (angle, slide) = [(0.0, 0.0), (1e-7, 1e-7), (0.02, 0.01), (1.0, 0.5), (9.0, 3.0)][i % 5];
                let (q0, q1) = models::motion(&mut draw, &robot, angle, slide);
                let mut motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
                motion.set_sizes(world.links.iter().map(|l| (l.body, l.reach_m)));
                let (truth, deviations) = deviating(&mut draw, &robot, &[q0, q1], tolerance);
                motion.set_deviations(deviations);
                let pieces: Vec<Piece> =
                    Piece::cut(0, &motion).chain(Piece::cut_by_travel(0, &motion, &world)).collect();
                let poses = s1_concat::reference(&pieces, std::slice::from_ref(&motion), form);
                for (i, piece) in pieces.iter().enumerate() {
                    for body in 0..robot.bodies.len() {
                        let (e, sub) = (draw.vector(0.3), draw.below(piece.subs as usize));
                        let mid = 0.5 * (piece.sub(sub)[0] + piece.sub(sub)[1]);
                        let lane = poses.piece(i)[body].lane(sub);
                        let in_piece = |span: &usize| *span <= piece.subs as usize;
                        let n_spans = s1_concat::SPANS.into_iter().filter(in_piece).count();
                        for (k, ball) in poses.balls(i, body).into_iter().enumerate().take(n_spans) {
                            let bound = lane.with_ball(ball).point(V3::new(e), e.length());
                            let [c0, c1, c2] = bound.c.map(|c| DVec3::from_array(c.0));
                            let reach = if k == 0 { 1.0 } else { (s1_concat::SPANS[k] + 1) as f64 };
                            for part in -8..=8 {
                                let tau = reach * piece.half_sub() * f64::from(part) / 8.0;
                                if (0.0..=1.0).contains(&(mid + tau)) {
                                    let off = position(&truth, body as u32, e, mid + tau)
                                        - (c0 + (c1 + c2 * (0.5 * tau)) * tau);
                                    let beyond =
                                        (off.abs() - DVec3::from_array(bound.cube.0)).max(DVec3::ZERO).length();
                                    // This computation rounds, too.
                                    worst[k] = worst[k].max((beyond - 1e-14).max(0.0) / bound.ball.max(1e-14));
                                }
                            }
                        }
                    }
                }
            }
        }
        println!(
            "{form:?}, {tolerance}: farthest points of blocks of {:?}: {worst:.3?} of their balls",
            s1_concat::SPANS
        );
        assert!(worst.iter().zip(enough).all(|(w, enough)| *w <= 1.0 && *w >= enough), "{form:?}: {worst:?}");
    }
}

/// The three forms on the same chain, each as wide as its definition implies: the longest side of the box around a
/// point's path.
#[test]
fn widths_of_the_three_forms() {
    let mut draw = Draw::new(11);
    let motion = chain(&mut draw, 6, 1.0);
    let (e, h) = (DVec3::X * 0.1, 1.0 / 64.0);
    let wide = |h: f64| {
        PoseEnclosure::ALL.map(|form| {
            let mut bounds = Vec::new();
            motion.bounds(form, 0.5, h, &mut bounds);
            let (lo, hi) = bounds[5].point(V3::new(e), e.length()).range(h);
            (0..3).map(|i| hi.0[i] - lo.0[i]).fold(0.0, f64::max)
        })
    };
    let [whole, half] = [wide(h), wide(0.5 * h)];
    let path: Vec<DVec3> = (-8..=8).map(|k| position(&motion, 5, e, 0.5 + h * f64::from(k) / 8.0)).collect();
    let longest = (0..3).map(|i| {
        let side = |f: fn(f64, f64) -> f64, from: f64| path.iter().fold(from, |a, p| f(a, p[i]));
        side(f64::max, f64::NEG_INFINITY) - side(f64::min, f64::INFINITY)
    });
    let longest = longest.fold(0.0, f64::max);
    for (form, (w, s)) in PoseEnclosure::ALL.into_iter().zip(whole.into_iter().zip(half)) {
        assert!(w >= longest && w > 1.9 * s && w < 2.2 * s, "{form:?}: {w} {s} {longest}");
    }
    assert!(whole[0] < 1.01 * longest && whole[1] > whole[0] && whole[2] > whole[0], "{whole:?} {longest}");
}

/// Robot and motions for the adapter: branching trees, free and sliding joints, joints at rest, far bodies, many turns.
pub fn case(draw: &mut Draw, n_bodies: usize, n_motions: usize, far_m: f64) -> (Robot, Vec<RobotMotion>, Vec<Piece>) {
    let kind = RobotKind { n_bodies, link_m: 0.4, n_triangles: 2, mixed: true };
    let mut robot = models::robot(draw, kind);
    robot.bodies[0].joint.origin_m += DVec3::new(far_m, -0.5 * far_m, 0.25 * far_m);
    let (mut motions, mut pieces) = (Vec::new(), Vec::new());
    for i in 0..n_motions {
        let (angle, slide) = [(0.0, 0.0), (1e-7, 1e-7), (0.02, 0.01), (1.0, 0.5), (9.0, 3.0)][i % 5];
        let (q0, q1) = models::motion(draw, &robot, angle, slide);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        pieces.extend(Piece::cut(i as u32, &motion));
        motions.push(motion);
    }
    (robot, motions, pieces)
}

/// A long chain that is folded up and hardly moves: its offsets cancel, their rounding errors do not.
fn folded(draw: &mut Draw, n_motions: usize) -> (Robot, Vec<RobotMotion>, Vec<Piece>) {
    let mut robot = Robot::new("folded", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    for i in 0..16 {
        let column = robot.add_column("r", ColumnKind::AngleRad, None);
        let kind = JointKind::Revolute { axis: draw.direction(), drive: Drive::direct(column) };
        let origin_m = if i % 2 == 0 { DVec3::X } else { -DVec3::X } * 37.0;
        let joint = Joint { name: "r".into(), orientation: DMat3::IDENTITY, origin_m, kind };
        let body = robot.add_body("b", Some(i), joint).unwrap();
        robot.add_link("l", body, vec![draw.triangle(DVec3::ZERO, 0.1)], vec![0]).unwrap();
    }
    let (mut motions, mut pieces) = (Vec::new(), Vec::new());
    for i in 0..n_motions {
        let q0: Vec<f64> = (0..16).map(|_| draw.between(-1e-3, 1e-3)).collect();
        let q1: Vec<f64> = q0.iter().map(|q| q + draw.between(-1e-7, 1e-7)).collect();
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        pieces.extend(Piece::cut(i as u32, &motion));
        motions.push(motion);
    }
    (robot, motions, pieces)
}

/// The number of (point, time)s that leave their pose bounds on the adapter, and the number of all.
fn violations(form: PoseEnclosure, mutant: Option<Mutant>, seed: u64) -> (usize, usize) {
    let mut draw = Draw::new(seed);
    let (mut bad, mut all) = (0, 0);
    let mut cases: Vec<_> = [1, 6, 20].map(|n| case(&mut draw, n, effort(10, 200), 0.0)).into();
    cases.push(folded(&mut draw, effort(10, 200)));
    for (robot, motions, pieces) in cases {
        let world = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap();
        let options = Options { bound: form, ..Options::default() };
        let mut pipeline = mutated_pipeline(&world, &options, mutant);
        let chunk = ChunkInput { pieces, motions: &motions };
        pipeline.upload_chunk(&chunk, 0).unwrap();
        pipeline.run_stage(&chunk, 0, Stage::Concat).unwrap();
        let poses = pipeline.poses(&chunk, 0).unwrap();
        for (i, piece) in chunk.pieces.iter().enumerate() {
            for body in 0..robot.bodies.len() {
                let bound = &poses.piece(i)[body];
                let e = draw.vector(0.3);
                let point = bound.point(V3::new(e), Real::new(e.length()));
                for sub in 0..SUBS {
                    let [t0, t1] = piece.sub(sub);
                    let c = point.c.map(|c| DVec3::from_array(c.0.map(|x| x.0[sub])));
                    for k in 0..5 {
                        let t = t0 + (t1 - t0) * f64::from(k) / 4.0;
                        let tau = t - 0.5 * (t0 + t1);
                        let truth = position(&motions[piece.motion as usize], body as u32, e, t);
                        let off = (truth - (c[0] + (c[1] + c[2] * (0.5 * tau)) * tau)).abs();
                        let cube = DVec3::from_array(point.cube.0.map(|x| x.0[sub]));
                        let beyond = (off - cube).max(DVec3::ZERO).length();
                        all += 1;
                        // The rounding of f64 here is a billionth of that of f32.
                        bad += usize::from(!(beyond <= point.ball.0[sub] + 1e-14 * (1.0 + truth.length())));
                    }
                }
            }
        }
    }
    println!("{form:?}: {bad} of {all} points leave their bounds");
    (bad, all)
}

#[test]
fn kernel_jets_contain_the_motion() {
    if !skip() {
        assert_eq!(violations(PoseEnclosure::TaylorModel, None, 4).0, 0);
    }
}

#[test]
fn kernel_interval_matrices_contain_the_motion() {
    if !skip() {
        assert_eq!(violations(PoseEnclosure::IntervalMatrix, None, 5).0, 0);
    }
}

/// Kernels with a wrong formula or without a safety term: the two tests above detect each of them.
#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    for (form, old, new) in [
        // The outward step of interval arithmetic.
        (PoseEnclosure::IntervalMatrix, "const IV_STEP: f32 = 4.0;", "const IV_STEP: f32 = 0.0;"),
        // The Coriolis terms of the orientation and of the offset, the centripetal term, the middle time.
        (PoseEnclosure::TaylorModel, "times(product(p1, q1), 2.0)", "times(product(p1, q1), 1.0)"),
        (PoseEnclosure::TaylorModel, "apply(p1, slide) * 2.0", "apply(p1, slide)"),
        (PoseEnclosure::TaylorModel, "let q2 = times(turning, -(w * w));", "let q2 = times(turning, 0.0);"),
        (PoseEnclosure::TaylorModel, "f32(2u * sub + 1u) * info.h", "f32(2u * sub) * info.h"),
        (PoseEnclosure::TaylorModel, "let p0 = load_rows(up, 9u);", "let p0 = load_rows(at - POSE_FLOATS * SUBS, 9u);"),
    ] {
        assert!(violations(form, Some(Mutant { old, new }), 4).0 > 0, "'{new}' goes unseen");
    }
}

/// The remainder of the Taylor series and the rounding, in the ball that the engine uploads: without either, a point
/// leaves its bound.
#[test]
fn both_parts_of_the_ball_are_needed() {
    let mut draw = Draw::new(6);
    let (mut without_remainder, mut without_rounding) = (0, 0);
    for _ in 0..200 {
        let depth = 1 + draw.below(8);
        let omega = if draw.below(2) == 0 { 6.0 } else { 1e-6 };
        let motion = chain(&mut draw, depth, omega);
        let h = 1.0 / 32.0;
        let time = (2 * draw.below(16) + 1) as f64 * h;
        let bound = emulate::bounds::<FROM_ZERO>(&motion, PoseEnclosure::TaylorModel, time, h).pop().unwrap();
        let e = draw.vector(0.5);
        let point = bound.point(V3::new(e), Real::new(e.length()));
        let c = point.c.map(|c| DVec3::from_array(c.0.map(|x| f64::from(x.0))));
        let chain = motion.chains.last().unwrap();
        let sum = |[constant, slope]: [f64; 2]| constant + slope * e.length();
        for tau in [-h, h] {
            let truth = position(&motion, depth as u32 - 1, e, time + tau);
            let off = (truth - (c[0] + (c[1] + c[2] * (0.5 * tau)) * tau)).length();
            without_remainder += usize::from(off > sum(chain.rounding(h, UNIT_F32)));
            without_rounding += usize::from(off > sum(chain.remainder(h)));
            assert!(off <= sum(chain.ball(h, UNIT_F32)));
        }
    }
    assert!(without_remainder > 50 && without_rounding > 50, "{without_remainder} {without_rounding}");
}

/// Every size around a workgroup (four pieces), poisoned buffers, and no writes outside of the output.
#[test]
fn kernel_writes_all_of_its_output_and_nothing_else() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(7);
    let (robot, motions, pieces) = case(&mut draw, 5, 9, 0.0);
    let world = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap();
    for form in [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix] {
        let options = Options { bound: form, ..Options::default() };
        let mut pipeline = mutated_pipeline(&world, &options, None);
        for n in [1, 3, 4, 5, 8, 9] {
            let chunk = ChunkInput { pieces: pieces[..n].to_vec(), motions: &motions };
            pipeline.upload_chunk(&chunk, 0).unwrap();
            let per_piece = robot.bodies.len() * POSE_FLOATS * SUBS;
            pipeline.buffers(0).write(pipeline.gpu(), BufferId::Poses, 0, &vec![f32::NAN; n * per_piece]);
            pipeline.run_stage(&chunk, 0, Stage::Concat).unwrap();
            let floats: Vec<f32> = pipeline.buffers(0).read(pipeline.gpu(), BufferId::Poses, n * per_piece).unwrap();
            assert!(floats.iter().all(|x| x.is_finite()), "{n} pieces");
            // A smaller chunk in the same buffer leaves the rest unchanged.
            if n > 1 {
                let fewer = ChunkInput { pieces: pieces[..n - 1].to_vec(), motions: &motions };
                let before: Vec<f32> =
                    pipeline.buffers(0).read(pipeline.gpu(), BufferId::Poses, n * per_piece).unwrap();
                pipeline.upload_chunk(&fewer, 1).unwrap();
                pipeline.run_stage(&fewer, 1, Stage::Concat).unwrap();
                let after: Vec<f32> = pipeline.buffers(0).read(pipeline.gpu(), BufferId::Poses, n * per_piece).unwrap();
                assert_eq!(before[(n - 1) * per_piece..], after[(n - 1) * per_piece..]);
            }
        }
    }
}

/// The entries of a bound: all derivatives of a jet, or midpoints and radii of an interval matrix.
fn entries(bound: &PoseBound<Subs>) -> Vec<Subs> {
    let matrices = |x: &[V3<Subs>], p: &[M3<Subs>]| -> Vec<Subs> {
        x.iter()
            .zip(p)
            .flat_map(|(x, p)| x.0.into_iter().chain(p.0.into_iter().flatten()).collect::<Vec<_>>())
            .collect()
    };
    match bound {
        PoseBound::Taylor(model) => matrices(&model.jet.x, &model.jet.p),
        PoseBound::Interval(m) => matrices(&[m.x, m.x_radius], &[m.p, m.p_radius]),
    }
}

/// A bound that is uploaded and read back is the same, except for rounding.
#[test]
fn uploaded_poses_round_trip() {
    let mut draw = Draw::new(8);
    let (_, motions, pieces) = case(&mut draw, 4, 5, 0.0);
    for form in PoseEnclosure::ALL {
        let there = s1_concat::reference(&pieces, &motions, form);
        let back = s1_concat::Poses::from_device(&there.to_device(), &pieces, &motions, form);
        assert_eq!(there.bounds.len(), back.bounds.len());
        for (a, b) in there.bounds.iter().zip(&back.bounds) {
            for (field, (x, y)) in entries(a).into_iter().zip(entries(b)).enumerate() {
                for (x, y) in x.0.into_iter().zip(y.0) {
                    assert!((x - y).abs() <= 1e-6 * (1.0 + x.abs()), "{x} {y}");
                    // Twelve midpoints precede the radii.
                    assert!(form != PoseEnclosure::IntervalMatrix || field < 12 || y >= x, "radii are rounded up");
                }
            }
        }
    }
}
