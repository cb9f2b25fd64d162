//! `s3_cull`: every (link, cluster, sub-interval) that it drops is proved free, and it keeps little more than the
//! reference.

use crate::effort;
use crate::harness::emulate::{Emulated, FROM_ZERO, RANDOM, TO_ZERO, UP};
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::prove::{avoids_box, avoids_triangle};
use firstcontact::arith::linear::V3;
use firstcontact::arith::rounding::{UNIT_F32, round_up};
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Options, Stage};
use firstcontact::predicate::separation::{StaticTriangle, plane_misses_box};
use firstcontact::robot::RobotMotion;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::{Candidate, Piece, SUBS, s1_concat, s2_bound, s3_cull};
use glam::DVec3;
use std::collections::HashMap;

struct Case {
    world: CollisionWorld,
    motions: Vec<RobotMotion>,
    pieces: Vec<Piece>,
}

impl Case {
    /// Cuts the motions into the pieces of the CPU, which have fewer sub-intervals.
    fn cut_for_cpu(&mut self) {
        self.pieces = models::pieces_of_the_cpu(&self.world, &self.motions);
    }
}

fn case(draw: &mut Draw, n_bodies: usize, n_triangles: usize, n_motions: usize) -> Case {
    let kind = RobotKind { n_bodies, link_m: 0.4, n_triangles: 6, mixed: true };
    let robot = models::robot(draw, kind);
    let scene = models::scene(draw, n_triangles, 1.5, 0.15);
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let (mut motions, mut pieces) = (Vec::new(), Vec::new());
    for i in 0..n_motions {
        let (q0, q1) = models::motion(draw, &robot, [0.0, 0.05, 0.6, 2.0][i % 4], 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        pieces.extend(Piece::cut(i as u32, &motion));
        motions.push(motion);
    }
    Case { world, motions, pieces }
}

fn by_cluster(candidates: &[Candidate]) -> HashMap<(u32, u32, u32), u32> {
    let mut masks = HashMap::new();
    for c in candidates {
        let before = masks.insert((c.piece, c.link, c.cluster), c.mask);
        assert!(before.is_none(), "a candidate comes once: {c:?}");
    }
    masks
}

/// The number of sub-intervals of (link, cluster) that were dropped and could not be proved free.
fn unproved(case: &Case, candidates: &[Candidate]) -> usize {
    let kept = by_cluster(candidates);
    let mut bad = 0;
    for (i, piece) in case.pieces.iter().enumerate() {
        for (l, link) in case.world.links.iter().enumerate() {
            for (c, b) in case.world.scene.cluster_boxes.iter().enumerate() {
                let dropped = piece.mask() & !kept.get(&(i as u32, l as u32, c as u32)).copied().unwrap_or(0);
                let motion = &case.motions[piece.motion as usize];
                let free = |span| avoids_box(motion, link.body, &link.triangles, b, span);
                // Most of it in one proof; the rest one sub-interval at a time.
                if dropped == piece.mask() && free([piece.t0, piece.t1]) {
                    continue;
                }
                bad += (0..SUBS).filter(|&k| dropped >> k & 1 != 0 && !free(piece.sub(k))).count();
            }
        }
    }
    bad
}

fn bits(candidates: &[Candidate]) -> u32 {
    candidates.iter().map(|c| c.mask.count_ones()).sum()
}

fn reference(case: &Case) -> Vec<Candidate> {
    let poses = s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel);
    let boxes = s2_bound::reference(&case.world, &case.pieces, &poses);
    s3_cull::reference(&case.world, &case.pieces, &boxes)
}

fn on_adapter(case: &Case, mutant: Option<Mutant>) -> Vec<Candidate> {
    let mut pipeline = mutated_pipeline(&case.world, &Options::default(), mutant);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    pipeline.upload_chunk(&chunk, 0).unwrap();
    for stage in [Stage::Concat, Stage::Bound, Stage::Cull] {
        pipeline.run_stage(&chunk, 0, stage).unwrap();
    }
    let (candidates, wanted) = pipeline.candidates(0).unwrap();
    assert_eq!(candidates.len(), wanted, "no overflow here");
    candidates
}

/// One cluster, a few, many; one link, many; deeper on the robot's side than on the scene's and vice versa.
const SIZES: [(usize, usize); 5] = [(0, 1), (12, 3), (1, 400), (5, 200), (9, 2000)];

#[test]
fn reference_drops_only_what_is_free() {
    let mut draw = Draw::new(21);
    for (n_bodies, n_triangles) in SIZES {
        let mut case = case(&mut draw, n_bodies, n_triangles, effort(4, 40));
        assert_eq!(unproved(&case, &reference(&case)), 0);
        case.cut_for_cpu();
        assert_eq!(unproved(&case, &reference(&case)), 0);
    }
}

/// The number of pairs of triangles that were dropped in a whole piece and could not be proved free.
fn unproved_pairs(case: &Case, candidates: &[Candidate]) -> usize {
    let mut bad = 0;
    for (i, piece) in case.pieces.iter().enumerate() {
        let motion = &case.motions[piece.motion as usize];
        for (l, link) in case.world.links.iter().enumerate() {
            for c in 0..case.world.scene.tree.n_leaves() as u32 {
                let kept = candidates.iter().find(|k| (k.piece, k.link, k.cluster) == (i as u32, l as u32, c));
                for (place, y) in case.world.scene.tree.leaf(c).enumerate() {
                    if kept.is_some_and(|kept| kept.triangles >> place & 1 != 0) {
                        continue;
                    }
                    let y = case.world.scene.standing(y);
                    let free = |x| avoids_triangle(motion, link.body, x, &y, [piece.t0, piece.t1]);
                    bad += link.triangles.iter().filter(|x| !free(x)).count();
                }
            }
        }
    }
    bad
}

/// Scenes of large triangles in all directions: their boxes contain the robot, few of their planes meet it.
#[test]
fn large_triangles_are_dropped_only_if_they_are_free() {
    let mut draw = Draw::new(23);
    let (mut by_boxes, mut by_triangles, mut space) = (0, 0, s3_cull::Workspace::default());
    for k in 0..effort(6, 60) {
        let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.3, n_triangles: 6, mixed: k % 2 == 0 });
        let scene = models::scene(&mut draw, 60, 2.0, 4.0);
        let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
        let (q0, q1) = models::motion(&mut draw, &robot, [0.0, 0.3, 1.0][k % 3], 0.1);
        let motions = vec![RobotMotion::new(&robot, &q0, &q1).unwrap()];
        let pieces = Piece::cut_by_travel(0, &motions[0], &world).collect();
        let case = Case { world, motions, pieces };
        let poses = s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel);
        let boxes = s2_bound::reference(&case.world, &case.pieces, &poses);
        s3_cull::cull_in(&mut space, &case.world, &case.pieces, &boxes);
        assert_eq!(unproved_pairs(&case, &space.candidates), 0, "case {k}");
        let triangles = |c: &Candidate| {
            let n = case.world.scene.tree.leaf(c.cluster).len();
            (c.triangles & (u32::MAX >> (32 - n))).count_ones() as usize
        };
        by_triangles += space.candidates.iter().map(triangles).sum::<usize>();
        by_boxes += reference(&case).iter().map(triangles).sum::<usize>();
    }
    println!("{by_boxes} triangles near links by boxes, {by_triangles} by triangles");
    assert!(2 * by_triangles < by_boxes && by_triangles > 0);
}

/// A plane through a point of a box never separates them, however f32 rounds.
fn planes_through_boxes<const MODE: u8>(draw: &mut Draw, n: usize) -> usize {
    let mut apart = 0;
    for _ in 0..n {
        let far_m = [0.0, 1.0, 1000.0][draw.below(3)];
        let far = draw.vector(far_m);
        let (a, b) = (far + draw.vector(0.2), far + draw.vector(0.2));
        let single = |v: DVec3| v.as_vec3().as_dvec3();
        let (lo, hi) = (single(a.min(b)), single(a.max(b)));
        let inside = lo + (hi - lo) * DVec3::new(draw.unit(), draw.unit(), draw.unit());
        let is_near = draw.below(2) == 0;
        let inside = if is_near { inside } else { inside + draw.direction() };
        let corners = [inside, inside + draw.vector(1.0), inside + draw.vector(1.0)];
        let size = corners.iter().fold(0.0, |m: f64, v| m.max(v.length()));
        let error = Emulated::<MODE>(round_up(UNIT_F32 * size));
        let tri = StaticTriangle { y: corners.map(V3::new), error };
        let found = plane_misses_box(&tri, V3::new(lo), V3::new(hi)) != 0;
        assert!(!(found && is_near), "mode {MODE}: {lo} {hi} {corners:?}");
        apart += usize::from(found);
    }
    apart
}

#[test]
fn planes_through_boxes_do_not_separate_however_f32_rounds() {
    let n = effort(10_000, 500_000);
    let mut draw = Draw::new(24);
    for apart in [
        planes_through_boxes::<UP>(&mut draw, n),
        planes_through_boxes::<TO_ZERO>(&mut draw, n),
        planes_through_boxes::<FROM_ZERO>(&mut draw, n),
        planes_through_boxes::<RANDOM>(&mut draw, n),
    ] {
        assert!(apart > n / 10, "{apart}");
    }
}

#[test]
fn kernel_drops_only_what_is_free_and_keeps_little_more() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(22);
    let (mut kept, mut needed) = (0, 0);
    for (n_bodies, n_triangles) in SIZES {
        let case = case(&mut draw, n_bodies, n_triangles, effort(4, 40));
        let candidates = on_adapter(&case, None);
        assert_eq!(unproved(&case, &candidates), 0);
        kept += bits(&candidates);
        needed += bits(&reference(&case));
    }
    println!("the kernel keeps {kept} sub-intervals where the reference keeps {needed}");
    assert!(f64::from(kept) <= 1.01 * f64::from(needed) + 20.0);
}

#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(22);
    let case = case(&mut draw, 7, 1200, 8);
    for (old, new) in [
        // A child of the model's tree omitted, a coordinate compared the wrong way, the last child of a node omitted.
        (
            "NodePair(item.piece, children.y, item.scene_ref, item.mask)",
            "NodePair(item.piece, children.y, item.scene_ref, 0u)",
        ),
        ("box_vector(at + 8u + q) > vec4<f32>(fixed.hi.z)", "box_vector(at + 20u + q) > vec4<f32>(fixed.hi.z)"),
        ("if child == EMPTY {", "if child == EMPTY || slot == 2u {"),
        ("<< (4u * q);", "<< (4u * (3u - q));"),
        // Boxes of nodes: the wrong byte, one step too small, another child's box.
        ("f32((bytes >> 16u) & 255u)", "f32((bytes >> 8u) & 255u)"),
        ("origin + steps(slot.hi) * step);", "origin + steps(slot.hi) * step - 24.0 * step);"),
        (
            "let node_slot = scene_nodes[item.scene_ref].children[slot];",
            "let node_slot = scene_nodes[item.scene_ref].children[0];",
        ),
    ] {
        let candidates = on_adapter(&case, Some(Mutant { old, new }));
        assert!(unproved(&case, &candidates) > 0, "'{new}' goes unseen");
    }
}
