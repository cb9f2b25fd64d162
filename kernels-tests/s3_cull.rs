//! `s3_cull`: every (link, cluster, sub-interval) that it drops is proved free, and it keeps little more than the
//! reference.

use crate::effort;
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::prove::avoids_box;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Options, Stage};
use firstcontact::robot::RobotMotion;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::{ALL_SUBS, Candidate, Piece, SUBS, s1_concat, s2_bound, s3_cull};
use std::collections::HashMap;

struct Case {
    world: CollisionWorld,
    motions: Vec<RobotMotion>,
    pieces: Vec<Piece>,
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
                let dropped = ALL_SUBS & !kept.get(&(i as u32, l as u32, c as u32)).copied().unwrap_or(0);
                let motion = &case.motions[piece.motion as usize];
                let free = |span| avoids_box(motion, link.body, &link.triangles, b, span);
                // Most of it in one proof; the rest one sub-interval at a time.
                if dropped == ALL_SUBS && free([piece.t0, piece.t1]) {
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
    s3_cull::reference(&case.world, case.pieces.len(), &boxes)
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
        let case = case(&mut draw, n_bodies, n_triangles, effort(4, 40));
        assert_eq!(unproved(&case, &reference(&case)), 0);
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
        ("push(NodePair(item.piece, children.y, child, mask));", "if children.y == NONE { return; }"),
        ("box_vector(at + 8u + q) > vec4<f32>(fixed.hi.z)", "box_vector(at + 20u + q) > vec4<f32>(fixed.hi.z)"),
        ("if child == EMPTY {", "if child == EMPTY || id % WIDTH == 2u {"),
        ("<< (4u * q);", "<< (4u * (3u - q));"),
        // Boxes of nodes: the wrong byte, one step too small, another child's box.
        ("f32((bytes >> 16u) & 255u)", "f32((bytes >> 8u) & 255u)"),
        ("origin + steps(slot.hi) * step);", "origin + steps(slot.hi) * step - 24.0 * step);"),
        (
            "let slot = scene_nodes[item.scene_ref].children[id % WIDTH];",
            "let slot = scene_nodes[item.scene_ref].children[0];",
        ),
    ] {
        let candidates = on_adapter(&case, Some(Mutant { old, new }));
        assert!(unproved(&case, &candidates) > 0, "'{new}' goes unseen");
    }
}
