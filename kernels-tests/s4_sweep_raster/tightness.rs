//! The triangles that the maps keep, compared with the exact line-swept sphere: a Puma in the machine room, motions of
//! up to 30° per joint that start free.

use crate::effort;
use crate::harness::models::Draw;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Backend, Engine};
use firstcontact::predicate::separation::boxes_miss;
use firstcontact::robot::{MotionBatch, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s4_sweep::paper::maps;
use firstcontact::stage::s4_sweep::{self, compute, raster};
use firstcontact::stage::{Candidate, Piece, s1_concat, s2_bound, s3_cull};
use firstcontact::verdict::Verdict;
use firstcontact_datasets::{DEFAULT_SEED, Dataset};
use std::f64::consts::FRAC_PI_6;

/// Free and colliding motions in two lists: `n` of each, all of which start free.
fn motions(robot: &Robot, scene: &Scene, n: usize) -> [Vec<(Vec<f64>, Vec<f64>)>; 2] {
    let mut draw = Draw::new(52);
    let engine = Engine::builder(robot, scene).backend(Backend::Cpu).build().unwrap();
    let mut out = [Vec::new(), Vec::new()];
    while out.iter().any(|o| o.len() < n) {
        let rows: Vec<(Vec<f64>, Vec<f64>)> = (0..4 * n)
            .map(|_| {
                let start: Vec<f64> = robot.columns.iter().map(|_| draw.between(-3.0, 3.0)).collect();
                let end = start.iter().map(|q| q + draw.between(-FRAC_PI_6, FRAC_PI_6)).collect();
                (start, end)
            })
            .collect();
        let (starts, ends): (Vec<_>, Vec<_>) = rows.iter().cloned().unzip();
        let verdicts = engine.check(&MotionBatch::between(&starts, &ends).unwrap()).unwrap().verdicts;
        for (row, verdict) in rows.into_iter().zip(verdicts) {
            match verdict {
                Verdict::Free if out[0].len() < n => out[0].push(row),
                Verdict::Contact(c) if !c.initial_overlap && out[1].len() < n => out[1].push(row),
                _ => {}
            }
        }
    }
    out
}

#[test]
fn maps_leave_little_more_than_the_exact_sphere() {
    let set = Dataset::generate("amr", DEFAULT_SEED, 1).unwrap();
    let (robot, scene) = (set.robot().unwrap(), set.scene().unwrap().unwrap());
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let n = effort(12, 200);
    let [free, colliding] = motions(&robot, &scene, n);
    for (what, rows, least) in [("free", free, [0.6, 0.75, 0.82]), ("colliding", colliding, [0.5, 0.6, 0.68])] {
        let motions: Vec<_> = rows.iter().map(|(a, b)| RobotMotion::new(&robot, a, b).unwrap()).collect();
        let pieces: Vec<_> = motions.iter().enumerate().flat_map(|(i, m)| Piece::cut(i as u32, m)).collect();
        let poses = s1_concat::reference(&pieces, &motions, PoseEnclosure::TaylorModel);
        let boxes = s2_bound::reference(&world, &pieces, &poses);
        let mut candidates = s3_cull::reference(&world, &pieces, &boxes);
        candidates.sort_unstable();
        let input = s4_sweep::Input { world: &world, motions: &motions, pieces: &pieces, poses: &poses, boxes: &boxes };
        let count = |c: &[Candidate]| c.iter().map(|c| c.triangles(&world).count()).sum::<usize>();
        let clusters = count(&candidates);
        // The input there: triangles whose own box meets the link's.
        for c in &mut candidates {
            let at = c.piece as usize * boxes.n_nodes + c.link as usize;
            let mut left = 0;
            for (bit, y) in world.scene.tree.leaf(c.cluster).enumerate() {
                let apart = boxes_miss(&(boxes.lo[at], boxes.hi[at]), &world.scene.standing(y).bounds());
                left |= u32::from(c.mask & !apart != 0) << bit;
            }
            c.triangles = left;
            c.mask = if left == 0 { 0 } else { c.mask };
        }
        let boxed = count(&candidates);
        let mut exact = candidates.clone();
        compute::reference(&input, &mut exact);
        let exact = count(&exact);
        let drawn = raster::TILE_PIXELS.map(|n| {
            let mut left = candidates.clone();
            raster::reference(&input, &mut left, n as usize);
            count(&left)
        });
        let mut tessellated = candidates.clone();
        maps::reference(&input, &mut tessellated, 32);
        let tessellated = count(&tessellated);
        let per = |k: usize| k as f64 / n as f64;
        println!(
            "{what}, (link, triangle) a motion: {:.1} of clusters, {:.1} by boxes, \
             {:.1} / {:.1} / {:.1} by maps of 16², 32², 64², \
             {:.1} by the paper's surface in 32², {:.1} by the sphere",
            per(clusters),
            per(boxed),
            per(drawn[0]),
            per(drawn[1]),
            per(drawn[2]),
            per(tessellated),
            per(exact)
        );
        assert!(drawn[0] >= drawn[1] && drawn[1] >= drawn[2], "finer maps leave less");
        // The share of the exact sphere's dropped triangles that is dropped. In the scene in which the sizes were
        // chosen, with eight sub-intervals, the shares are 0.71, 0.85 and 0.91.
        let shares = drawn.map(|left| (boxed - left) as f64 / (boxed - exact) as f64);
        println!("{what}: of what the sphere drops {shares:.3?}");
        for (share, least) in shares.into_iter().zip(least) {
            assert!(share > least, "{share} {least}");
        }
    }
}
