//! The kernels' pairs of triangles against those of their twin in f64, entry by entry.
//!
//! End results hide most errors of kernels, because a lost pair is rarely the first to touch. So the pairs themselves
//! are compared. The kernels have the same steps as their twin, with larger rounding errors, and prove less, so they
//! should keep every pair and sub-interval that the twin keeps. But rounding may change the order of steps, and a test
//! over a longer time may succeed where one over a shorter time fails. So a pair counts as lost only if the search of
//! the CPU backend also keeps it, and if dividing the sub-interval finely does not prove it free.

use super::case::Case;
use super::deadline::Deadline;
use firstcontact::Result;
use firstcontact::arith::linear::V3;
use firstcontact::enclosure::pose_bound::{PoseBound, PoseEnclosure};
use firstcontact::engine::gpu_backend::{ChunkInput, GpuPipeline};
use firstcontact::engine::{Options, Stats, Sweep};
use firstcontact::predicate::separation::triangle_misses;
use firstcontact::robot::RobotMotion;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{Piece, SUBS, TrianglePair, s1_concat, s2_bound, s3_cull, s5_pairs};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of pieces of a compared motion: the twin is not optimised for speed.
const MAX_PIECES: usize = 4;
/// Number of parts of a sub-interval beyond which it is no longer divided for a proof.
const FINEST: f64 = 1024.0;
/// Maximum number of pairs of a compared motion.
const MAX_PAIRS: usize = 1 << 18;

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    /// Motions compared.
    pub motions: usize,
    /// Pairs of the kernels.
    pub pairs: usize,
    /// Motions of which the kernels lost pairs, and the number of pairs.
    pub lost: Vec<(usize, usize)>,
}

/// Compares motion after motion until all are compared or the time limit is reached.
///
/// # Errors
/// The adapter failed.
pub fn compare(case: &Case, options: &Options, deadline: Deadline) -> Result<Entries> {
    let world = case.engine.world();
    // Without cutoffs and without swept volumes, both of which omit pairs.
    let mut options = Options { sweep: Sweep::Off, ..options.clone() };
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = GpuPipeline::new(Arc::new(world.clone()), &options, false)?;
    let mut entries = Entries::default();
    for i in (0..case.motions.len()).take_while(|_| !deadline.is_over()) {
        let motions = [RobotMotion::new(&world.robot, case.motions.start(i), case.motions.end(i))?];
        let pieces: Vec<Piece> = Piece::cut(0, &motions[0]).collect();
        if pieces.len() > MAX_PIECES.min(pipeline.chunk_pieces()) {
            continue;
        }
        let chunk = ChunkInput { pieces, motions: &motions };
        let Some(both) = on_cpu(world, &chunk) else { continue };
        let Some(kernels) = on_adapter(&mut pipeline, &chunk)? else { continue };
        entries.motions += 1;
        entries.pairs += kernels.len();
        let is_free = |pair: &TrianglePair, sub| is_free(world, &chunk, pair, sub);
        entries.lost.extend(Some((i, lost(&kernels, &both, is_free))).filter(|(_, n)| *n > 0));
    }
    Ok(entries)
}

/// The pairs of the kernels; `None` if there is not enough memory.
fn on_adapter(pipeline: &mut GpuPipeline, chunk: &ChunkInput) -> Result<Option<Vec<TrianglePair>>> {
    let pending = pipeline.start(chunk, 0)?;
    let of_pieces: Option<Vec<_>> = pipeline.finish(chunk, pending, &mut Stats::default())?.pairs.into_iter().collect();
    Ok(of_pieces.map(|pairs| pairs.concat()))
}

/// The pairs of the twin and those of the search; `None` if there are too many.
fn on_cpu(world: &CollisionWorld, chunk: &ChunkInput) -> Option<[Vec<TrianglePair>; 2]> {
    let pieces = chunk.pieces.as_slice();
    let poses = s1_concat::reference(pieces, chunk.motions, PoseEnclosure::TaylorModel);
    let boxes = s2_bound::reference(world, pieces, &poses);
    let candidates = s3_cull::reference(world, pieces, &boxes);
    let input = s5_pairs::Input {
        world,
        obb_trees: None,
        pieces,
        poses: &poses,
        boxes: &boxes,
        candidates: &candidates,
        courses: None,
    };
    let searched = s5_pairs::search(&input, None, MAX_PAIRS).0?;
    Some([s5_pairs::reference(&input, None, 1, MAX_PAIRS)?, searched])
}

/// The number of pairs with a sub-interval that both CPU algorithms keep and the kernels do not, and in which
/// `is_free` does not prove them free.
fn lost(
    kernels: &[TrianglePair],
    [twin, searched]: &[Vec<TrianglePair>; 2],
    is_free: impl Fn(&TrianglePair, u32) -> bool,
) -> usize {
    let [kernels, searched] = [kernels, searched].map(masks);
    let of = |masks: &HashMap<[u32; 3], u32>, pair: &TrianglePair| masks.get(&key(pair)).copied().unwrap_or(0);
    let is_lost = |pair: &&TrianglePair| {
        let dropped = pair.mask() & of(&searched, pair) & !of(&kernels, pair);
        (0..SUBS as u32).any(|sub| dropped >> sub & 1 != 0 && !is_free(pair, sub))
    };
    twin.iter().filter(is_lost).count()
}

/// Returns whether a pair is proved free in a sub-interval, by separating axes over ever shorter parts of it.
fn is_free(world: &CollisionWorld, chunk: &ChunkInput, pair: &TrianglePair, sub: u32) -> bool {
    let n_links = world.links.len() as u32;
    let piece = &chunk.pieces[(pair.piece_link / n_links) as usize];
    let (motion, link) = (&chunk.motions[piece.motion as usize], &world.links[(pair.piece_link % n_links) as usize]);
    let standing = world.scene.standing(pair.scene_triangle as usize);
    let mut open = vec![(piece.mid_times().0[sub as usize], piece.half_sub())];
    while let Some((mid, h)) = open.pop() {
        let pose = PoseBound::Taylor(motion.body_bound(link.body, mid, h));
        let points = link.triangles[pair.link_triangle as usize].map(|e| pose.point(V3::new(e), link.reach_m));
        if triangle_misses(&points, &standing, h, 1) != 0 {
            continue;
        }
        if h < piece.half_sub() / FINEST {
            return false;
        }
        open.extend([(mid - 0.5 * h, 0.5 * h), (mid + 0.5 * h, 0.5 * h)]);
    }
    true
}

fn key(pair: &TrianglePair) -> [u32; 3] {
    [pair.piece_link, pair.link_triangle, pair.scene_triangle]
}

fn masks(pairs: &[TrianglePair]) -> HashMap<[u32; 3], u32> {
    pairs.iter().map(|pair| (key(pair), pair.mask())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot};
    use firstcontact::scene::Scene;
    use glam::{DMat3, DVec3};

    #[test]
    fn an_entry_is_lost_if_both_references_keep_it_and_the_kernels_do_not() {
        let pair =
            |scene_triangle, mask_slice| TrianglePair { piece_link: 1, link_triangle: 2, scene_triangle, mask_slice };
        let twin = vec![pair(7, 0b0110), pair(8, 0b1000)];
        let both = [twin.clone(), twin.clone()];
        let lost = |kernels: &[TrianglePair], both| lost(kernels, both, |_, _| false);
        assert_eq!(lost(&twin, &both), 0);
        // More than the twin keeps, and a later slice.
        assert_eq!(lost(&[pair(7, 0b1111), pair(8, 0x3_0000 | 0b1000), pair(9, 1)], &both), 0);
        // A pair, and a sub-interval of one.
        assert_eq!(lost(&twin[..1], &both), 1);
        assert_eq!(lost(&[pair(7, 0b0100), pair(8, 0)], &both), 2);
        // The search proves the second pair free.
        assert_eq!(lost(&twin[..1], &[twin.clone(), twin[..1].to_vec()]), 0);
        // A finer division proves it free in the sub-interval that is missing.
        assert_eq!(super::lost(&twin[..1], &both, |pair, sub| pair.scene_triangle == 8 && sub == 3), 0);
        assert_eq!(super::lost(&twin[..1], &both, |pair, sub| pair.scene_triangle == 8 && sub == 2), 1);
    }

    /// A triangle that passes through another one in the middle of its motion.
    #[test]
    fn pairs_that_touch_are_not_free() {
        let mut robot = Robot::new("slider", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let drive = Drive::direct(robot.add_column("x", ColumnKind::LengthM, None));
        let kind = JointKind::Prismatic { axis: DVec3::X, drive };
        let joint = Joint { name: "x".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        let body = robot.add_body("carriage", Some(0), joint).unwrap();
        let triangle = [DVec3::ZERO, DVec3::new(0.01, 1.0, 0.0), DVec3::new(0.01, 0.0, 1.0)];
        robot.add_link("carriage", body, vec![triangle], vec![0]).unwrap();
        let mut scene = Scene::new();
        let wall = [DVec3::new(1.0, -5.0, -5.0), DVec3::new(1.0, 9.0, -5.0), DVec3::new(1.0, -5.0, 9.0)];
        scene.add_object("wall", [wall]).unwrap();
        let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
        let motions = [RobotMotion::new(&world.robot, &[0.0], &[2.0]).unwrap()];
        let chunk = ChunkInput { pieces: Piece::cut(0, &motions[0]).take(1).collect(), motions: &motions };
        let pair = TrianglePair { piece_link: 0, link_triangle: 0, scene_triangle: 0, mask_slice: 0 };
        let free = |sub| is_free(&world, &chunk, &pair, sub);
        let (n_pieces, subs) = (Piece::cut(0, &motions[0]).count(), 0..SUBS as u32);
        // It meets the wall from 0.495 to 0.5 of the motion, at the end of the eighth sub-interval.
        assert_eq!(n_pieces, 1);
        assert_eq!(subs.filter(|sub| !free(*sub)).collect::<Vec<_>>(), [7, 8]);
    }
}
