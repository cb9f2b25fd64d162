//! `s1_concat`: pose bounds contain the motion, in f64, in the worst arithmetic that WGSL allows, and on the adapter.

use crate::effort;
use crate::harness::emulate::{self, DOWN, FROM_ZERO, MODES, NEAREST, RANDOM, TO_ZERO, UP};
use crate::harness::gpu::{Mutant, mutated_flow, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use crate::oracle::ball::Ball;
use crate::oracle::chain::Part;
use crate::oracle::precise::derivatives;
use firstcontact::engine::gpu::ChunkInput;
use firstcontact::engine::{Options, Stage};
use firstcontact::gpu::Slot;
use firstcontact::gpu::layout::UNIT;
use firstcontact::model::robot::{ColumnKind, Drive, Joint, JointKind, Robot};
use firstcontact::model::scene::Scene;
use firstcontact::model::world::World;
use firstcontact::motion::{JointMotion, ModelMotion};
use firstcontact::numeric::linear::V3;
use firstcontact::numeric::pose_bound::{BoundForm, PoseBound};
use firstcontact::numeric::real::Real;
use firstcontact::stage::s1_concat::{self, POSE_FLOATS};
use firstcontact::stage::{Piece, SUBS};
use glam::{DMat3, DVec3};

/// A chain without branches whose chain bound is `omega` radians in all.
fn chain(draw: &mut Draw, depth: usize, omega: f64) -> ModelMotion {
    let mut motion = ModelMotion::default();
    let share = omega / depth as f64;
    for i in 0..depth {
        let slide = if draw.below(4) == 0 { draw.vector(0.3) } else { DVec3::ZERO };
        let w = if draw.below(5) == 0 { 0.0 } else { share * if draw.below(2) == 0 { 1.0 } else { -1.0 } };
        let joint = JointMotion::from_axis(draw.rotation(), draw.direction(), w, draw.direction() * 0.4, slide);
        motion.push((i > 0).then(|| i as u32 - 1), joint);
    }
    motion
}

fn precise_chain(motion: &ModelMotion) -> Vec<Part> {
    motion.joints.iter().map(|j| Part { a: j.a, b: j.b, k: j.c, c: j.origin_m, s: j.slide_m, w: j.w_rad }).collect()
}

/// The weighted error of a jet against derivatives of more than a hundred bits, as a share of the rounding bound.
fn rounding_ratio<T: Real>(
    motion: &ModelMotion,
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
        worst = worst.max(rounding_ratio(&motion, &motion.body_bound(body, time, h), e, time, h, |x| x));
    }
    println!("worst error of f64 jets: {worst:.4} of the bound");
    assert!(worst <= 1.0, "{worst}");
    // A bound a thousand times smaller would be seen to fail.
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
        let bound = emulate::bounds::<MODE>(&motion, BoundForm::Jet, time, piece_h).pop().unwrap();
        let e = draw.vector(0.5);
        worst = worst.max(rounding_ratio(&motion, &bound, e, time, piece_h, |x| f64::from(x.0)));
    }
    worst
}

/// The protocol of the error bound: rounding to nearest, up, down, towards zero, away from it, to a random side.
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
    // Half the bound still holds, a sixty-fourth does not: the bound has a margin, and the test sees errors.
    assert!(worst <= 0.5 && worst > 1.0 / 64.0, "{ratios:?}");
}

fn emulated_intervals<const MODE: u8>(draw: &mut Draw, n: usize) {
    for _ in 0..n {
        let depth = 1 + draw.below(6);
        let omega = draw.between(0.0, 6.0);
        let motion = chain(draw, depth, omega);
        let h = 1.0 / 32.0;
        let time = (2 * draw.below(16) + 1) as f64 * h;
        let bound = emulate::bounds::<MODE>(&motion, BoundForm::Interval, time, h).pop().unwrap();
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

/// Robot and motions for the adapter: branching trees, free and sliding joints, still ones, far ones, many turns.
pub fn case(draw: &mut Draw, n_bodies: usize, n_motions: usize, far_m: f64) -> (Robot, Vec<ModelMotion>, Vec<Piece>) {
    let kind = RobotKind { n_bodies, link_m: 0.4, n_triangles: 2, mixed: true };
    let mut robot = models::robot(draw, kind);
    robot.bodies[0].joint.origin_m += DVec3::new(far_m, -0.5 * far_m, 0.25 * far_m);
    let (mut motions, mut pieces) = (Vec::new(), Vec::new());
    for i in 0..n_motions {
        let (angle, slide) = [(0.0, 0.0), (1e-7, 1e-7), (0.02, 0.01), (1.0, 0.5), (9.0, 3.0)][i % 5];
        let (q0, q1) = models::motion(draw, &robot, angle, slide);
        let motion = ModelMotion::new(&robot, &q0, &q1).unwrap();
        pieces.extend(Piece::cut(i as u32, &motion));
        motions.push(motion);
    }
    (robot, motions, pieces)
}

/// A long chain that is folded up and hardly moves: its offsets cancel, what they round does not.
fn folded(draw: &mut Draw, n_motions: usize) -> (Robot, Vec<ModelMotion>, Vec<Piece>) {
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
        let motion = ModelMotion::new(&robot, &q0, &q1).unwrap();
        pieces.extend(Piece::cut(i as u32, &motion));
        motions.push(motion);
    }
    (robot, motions, pieces)
}

/// How many points at how many times leave their pose bounds on the adapter, and of how many.
fn violations(form: BoundForm, mutant: Option<Mutant>, seed: u64) -> (usize, usize) {
    let mut draw = Draw::new(seed);
    let (mut bad, mut all) = (0, 0);
    let mut cases: Vec<_> = [1, 6, 20].map(|n| case(&mut draw, n, effort(10, 200), 0.0)).into();
    cases.push(folded(&mut draw, effort(10, 200)));
    for (robot, motions, pieces) in cases {
        let world = World::new(&robot, &Scene::new(), &[]).unwrap();
        let options = Options { bound: form, ..Options::default() };
        let mut flow = mutated_flow(&world, &options, mutant);
        let chunk = ChunkInput { pieces, motions: &motions };
        flow.load(&world, &chunk, 0).unwrap();
        flow.run_stage(&chunk, 0, Stage::Concat).unwrap();
        let poses = flow.poses(&world, &chunk, 0).unwrap();
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
                        // What f64 rounds here is a billionth of what f32 does.
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
        assert_eq!(violations(BoundForm::Jet, None, 4).0, 0);
    }
}

#[test]
fn kernel_interval_matrices_contain_the_motion() {
    if !skip() {
        assert_eq!(violations(BoundForm::Interval, None, 5).0, 0);
    }
}

/// Kernels with a wrong formula or without a safety term: the two tests above see each of them.
#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    for (form, old, new) in [
        // The outward step of interval arithmetic.
        (BoundForm::Interval, "const IV_STEP: f32 = 4.0;", "const IV_STEP: f32 = 0.0;"),
        // The Coriolis terms of the orientation and of the offset, the centripetal one, the middle time.
        (BoundForm::Jet, "times(product(p1, q1), 2.0)", "times(product(p1, q1), 1.0)"),
        (BoundForm::Jet, "apply(p1, slide) * 2.0", "apply(p1, slide)"),
        (BoundForm::Jet, "let q2 = times(turning, -(w * w));", "let q2 = times(turning, 0.0);"),
        (BoundForm::Jet, "f32(2u * sub + 1u) * info.h", "f32(2u * sub) * info.h"),
        (BoundForm::Jet, "let p0 = load_rows(up, 9u);", "let p0 = load_rows(at - POSE_FLOATS * SUBS, 9u);"),
    ] {
        assert!(violations(form, Some(Mutant { old, new }), 4).0 > 0, "'{new}' goes unseen");
    }
}

/// The remainder of the Taylor series, and the rounding, in the ball that the engine sends: without either a point
/// leaves.
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
        let bound = emulate::bounds::<FROM_ZERO>(&motion, BoundForm::Jet, time, h).pop().unwrap();
        let e = draw.vector(0.5);
        let point = bound.point(V3::new(e), Real::new(e.length()));
        let c = point.c.map(|c| DVec3::from_array(c.0.map(|x| f64::from(x.0))));
        let chain = motion.chains.last().unwrap();
        let sum = |[constant, slope]: [f64; 2]| constant + slope * e.length();
        for tau in [-h, h] {
            let truth = position(&motion, depth as u32 - 1, e, time + tau);
            let off = (truth - (c[0] + (c[1] + c[2] * (0.5 * tau)) * tau)).length();
            without_remainder += usize::from(off > sum(chain.rounding(h, UNIT)));
            without_rounding += usize::from(off > sum(chain.remainder(h)));
            assert!(off <= sum(chain.ball(h, UNIT)));
        }
    }
    assert!(without_remainder > 50 && without_rounding > 50, "{without_remainder} {without_rounding}");
}

/// Every size around a workgroup (four pieces), poisoned buffers, and nothing written where nothing belongs.
#[test]
fn kernel_writes_all_of_its_output_and_nothing_else() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(7);
    let (robot, motions, pieces) = case(&mut draw, 5, 9, 0.0);
    let world = World::new(&robot, &Scene::new(), &[]).unwrap();
    for form in [BoundForm::Jet, BoundForm::Interval] {
        let options = Options { bound: form, ..Options::default() };
        let mut flow = mutated_flow(&world, &options, None);
        for n in [1, 3, 4, 5, 8, 9] {
            let chunk = ChunkInput { pieces: pieces[..n].to_vec(), motions: &motions };
            flow.load(&world, &chunk, 0).unwrap();
            let per_piece = robot.bodies.len() * POSE_FLOATS * SUBS;
            flow.buffers(0).write(flow.gpu(), Slot::Poses, 0, &vec![f32::NAN; n * per_piece]);
            flow.run_stage(&chunk, 0, Stage::Concat).unwrap();
            let floats: Vec<f32> = flow.buffers(0).read(flow.gpu(), Slot::Poses, n * per_piece).unwrap();
            assert!(floats.iter().all(|x| x.is_finite()), "{n} pieces");
            // A smaller chunk in the same buffer leaves the rest alone.
            if n > 1 {
                let fewer = ChunkInput { pieces: pieces[..n - 1].to_vec(), motions: &motions };
                let before: Vec<f32> = flow.buffers(0).read(flow.gpu(), Slot::Poses, n * per_piece).unwrap();
                flow.load(&world, &fewer, 1).unwrap();
                flow.run_stage(&fewer, 1, Stage::Concat).unwrap();
                let after: Vec<f32> = flow.buffers(0).read(flow.gpu(), Slot::Poses, n * per_piece).unwrap();
                assert_eq!(before[(n - 1) * per_piece..], after[(n - 1) * per_piece..]);
            }
        }
    }
}

/// What goes to the device and comes back is the same bound, but for rounding.
#[test]
fn poses_survive_the_way_to_the_device_and_back() {
    let mut draw = Draw::new(8);
    let (_, motions, pieces) = case(&mut draw, 4, 5, 0.0);
    for form in [BoundForm::Jet, BoundForm::Interval] {
        let there = s1_concat::reference(&pieces, &motions, form);
        let back = s1_concat::Poses::from_device(&there.to_device(), &pieces, &motions, form);
        assert_eq!(there.bounds.len(), back.bounds.len());
        for (a, b) in there.bounds.iter().zip(&back.bounds) {
            for n in 0..3 {
                for i in 0..3 {
                    for k in 0..SUBS {
                        let (x, y) = (a.jet.x[n].0[i].0[k], b.jet.x[n].0[i].0[k]);
                        assert!((x - y).abs() <= 1e-6 * (1.0 + x.abs()), "{x} {y}");
                        if form == BoundForm::Interval && n == 1 {
                            assert!(y >= x, "half widths are rounded up");
                        }
                        let (p, q) = (a.jet.p[n].0[i][2].0[k], b.jet.p[n].0[i][2].0[k]);
                        assert!((p - q).abs() <= 1e-6 * (1.0 + p.abs()), "{p} {q}");
                    }
                }
            }
        }
    }
}
