//! `s2_bound`: boxes contain their links during their sub-intervals, inner boxes contain their children, and boxes are
//! not much larger than necessary.

use crate::effort;
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw};
use crate::harness::truth::position;
use crate::s1_concat::case;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Options, Stage};
use firstcontact::gpu::BufferId;
use firstcontact::robot::RobotMotion;
use firstcontact::scene::Scene;
use firstcontact::scene::world::{CollisionWorld, LinkGeometry};
use firstcontact::stage::s2_bound::{self, BOX_FLOATS, Boxes};
use firstcontact::stage::{Piece, SUBS, s1_concat};

/// The number of line-swept spheres seen outside of the boxes of their links, vertices outside of the spheres, and
/// inner boxes that do not contain their children.
fn violations(world: &CollisionWorld, motions: &[RobotMotion], pieces: &[Piece], boxes: &Boxes) -> usize {
    let mut bad = 0;
    for (i, piece) in pieces.iter().enumerate() {
        let motion = &motions[piece.motion as usize];
        for sub in 0..piece.subs as usize {
            let [t0, t1] = piece.sub(sub);
            let corners = |node: usize| {
                let at = i * boxes.n_nodes + node;
                (boxes.lo[at].0.map(|x| x.0[sub]), boxes.hi[at].0.map(|x| x.0[sub]))
            };
            for (l, link) in world.links.iter().enumerate() {
                let (lo, hi) = corners(l);
                for k in 0..=4 {
                    let t = t0 + (t1 - t0) * f64::from(k) / 4.0;
                    for end in [link.lss.a, link.lss.b] {
                        let p = position(motion, link.body, end, t);
                        let r = link.lss.radius - 1e-13 * (1.0 + p.length());
                        let inside = (0..3).all(|a| lo[a] <= p[a] - r && p[a] + r <= hi[a]);
                        bad += usize::from(!inside);
                    }
                }
            }
            let outside = |l: &LinkGeometry| {
                let vertices = l.triangles.iter().flatten();
                vertices.filter(|v| l.lss.distance(**v) > l.lss.radius).count()
            };
            bad += world.links.iter().map(|l| outside(l)).sum::<usize>();
            for (n, children) in world.model.children.iter().enumerate() {
                let (lo, hi) = corners(world.links.len() + n);
                for child in children {
                    let (l, h) = corners(*child as usize);
                    bad += usize::from(!(0..3).all(|a| lo[a] <= l[a] && h[a] <= hi[a]));
                }
            }
        }
    }
    bad
}

fn on_adapter(form: PoseEnclosure, mutant: Option<Mutant>, seed: u64, far_m: f64) -> (usize, f64) {
    let mut draw = Draw::new(seed);
    let (mut bad, mut excess) = (0, 0f64);
    for n_bodies in [1, 7, 15] {
        let (robot, motions, pieces) = case(&mut draw, n_bodies, effort(10, 100), far_m);
        let world = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap();
        let mut pipeline = mutated_pipeline(&world, &Options { bound: form, ..Options::default() }, mutant);
        let chunk = ChunkInput { pieces, motions: &motions };
        pipeline.upload_chunk(&chunk, 0).unwrap();
        let n = chunk.pieces.len() * world.model.n_nodes() * BOX_FLOATS * SUBS;
        pipeline.buffers(0).write(pipeline.gpu(), BufferId::Boxes, 0, &vec![f32::NAN; n]);
        pipeline.run_stage(&chunk, 0, Stage::Concat).unwrap();
        pipeline.run_stage(&chunk, 0, Stage::Bound).unwrap();
        let boxes = pipeline.boxes(&chunk, 0).unwrap();
        bad += violations(&world, &motions, &chunk.pieces, &boxes);
        let reference =
            s2_bound::reference(&world, &chunk.pieces, &s1_concat::reference(&chunk.pieces, &motions, form));
        for (a, b) in boxes.lo.iter().chain(&boxes.hi).zip(reference.lo.iter().chain(&reference.hi)) {
            for i in 0..3 {
                for k in 0..SUBS {
                    excess = excess.max((a.0[i].0[k] - b.0[i].0[k]).abs() / (1.0 + far_m));
                }
            }
        }
    }
    println!("{form:?}, {far_m} m away: {bad} outside, at most {excess:.2e} m larger than the reference");
    (bad, excess)
}

#[test]
fn reference_boxes_contain_the_links() {
    let mut draw = Draw::new(11);
    for form in [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix] {
        let (robot, motions, pieces) = case(&mut draw, 9, effort(20, 300), 0.0);
        let world = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap();
        for pieces in [pieces, models::pieces_of_the_cpu(&world, &motions)] {
            let boxes = s2_bound::reference(&world, &pieces, &s1_concat::reference(&pieces, &motions, form));
            assert_eq!(violations(&world, &motions, &pieces, &boxes), 0);
        }
    }
}

/// The excess is due to f32: some hundred units of the reach of a chain of fifteen joints.
#[test]
fn kernel_boxes_contain_the_links_and_are_tight() {
    if skip() {
        return;
    }
    let (bad, excess) = on_adapter(PoseEnclosure::TaylorModel, None, 12, 0.0);
    assert!(bad == 0 && excess < 1e-3, "{bad} {excess}");
    let (bad, _) = on_adapter(PoseEnclosure::IntervalMatrix, None, 13, 0.0);
    assert_eq!(bad, 0);
}

/// The robot's own coordinates become relative to a local origin; those of a free joint do not.
#[test]
fn kernel_boxes_hold_far_from_the_origin() {
    if skip() {
        return;
    }
    for far_m in [10.0, 1e4] {
        let (bad, excess) = on_adapter(PoseEnclosure::TaylorModel, None, 14, far_m);
        assert!(bad == 0 && excess < 1e-3, "{far_m}: {bad} {excess}");
    }
}

#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    for (form, old, new) in [
        // The ball: the remainder of the motion and the rounding.
        (PoseEnclosure::TaylorModel, "p.ball = ball;", "p.ball = 0.0;"),
        // The half widths of interval matrices.
        (PoseEnclosure::IntervalMatrix, "let width = pose.x1 + apply(pose.p1, a);", "let width = vec3<f32>(0.0);"),
        // The rise of the quadratic, the radius, the second end of the segment, the second child.
        (PoseEnclosure::TaylorModel, "let rise = max(p.c2, vec3<f32>(0.0)) * half_hh;", "let rise = vec3<f32>(0.0);"),
        (PoseEnclosure::TaylorModel, "let linear = abs(p.c1) * h;", "let linear = p.c1 * h;"),
        (PoseEnclosure::TaylorModel, "let r = vec3<f32>(radius);", "let r = vec3<f32>(0.0);"),
        (PoseEnclosure::TaylorModel, "let hi = max(box_a.hi, box_b.hi);", "let hi = box_a.hi;"),
        (
            PoseEnclosure::TaylorModel,
            "boxes[at + lo] = min(boxes[a + lo], boxes[b + lo]);",
            "boxes[at + lo] = boxes[a + lo];",
        ),
    ] {
        assert!(on_adapter(form, Some(Mutant { old, new }), 12, 0.0).0 > 0, "'{new}' goes unseen");
    }
}
