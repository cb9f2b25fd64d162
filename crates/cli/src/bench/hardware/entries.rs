//! The kernels' pairs of triangles against those of their twin in f64, entry by entry.
//!
//! End results hide most errors of kernels, because a lost pair is rarely the first to touch. So the pairs themselves
//! are compared. The kernels have the same steps as their twin, with larger rounding errors, and prove less, so they
//! must keep every pair and sub-interval that the twin keeps. Since rounding may change the order of steps, only pairs
//! that the search of the CPU backend also keeps count as lost.

use super::case::Case;
use super::deadline::Deadline;
use firstcontact::Result;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::{ChunkInput, GpuPipeline};
use firstcontact::engine::{Options, Stats, Sweep};
use firstcontact::robot::RobotMotion;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{Piece, TrianglePair, s1_concat, s2_bound, s3_cull, s5_pairs};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of pieces of a compared motion: the twin is not optimised for speed.
const MAX_PIECES: usize = 4;
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
        entries.lost.extend(Some((i, lost(&kernels, &both))).filter(|(_, n)| *n > 0));
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
    let candidates = s3_cull::reference(world, pieces.len(), &boxes);
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

/// The number of pairs with a sub-interval that both CPU algorithms keep and the kernels do not.
fn lost(kernels: &[TrianglePair], [twin, searched]: &[Vec<TrianglePair>; 2]) -> usize {
    let [kernels, searched] = [kernels, searched].map(masks);
    let of = |masks: &HashMap<[u32; 3], u32>, pair| masks.get(&key(pair)).copied().unwrap_or(0);
    twin.iter().filter(|pair| pair.mask() & of(&searched, pair) & !of(&kernels, pair) != 0).count()
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

    #[test]
    fn entries_that_kernels_lack_are_lost_if_both_others_keep_them() {
        let pair =
            |scene_triangle, mask_slice| TrianglePair { piece_link: 1, link_triangle: 2, scene_triangle, mask_slice };
        let twin = vec![pair(7, 0b0110), pair(8, 0b1000)];
        let both = [twin.clone(), twin.clone()];
        assert_eq!(lost(&twin, &both), 0);
        // More than the twin keeps, and a later slice.
        assert_eq!(lost(&[pair(7, 0b1111), pair(8, 0x3_0000 | 0b1000), pair(9, 1)], &both), 0);
        // A pair, and a sub-interval of one.
        assert_eq!(lost(&twin[..1], &both), 1);
        assert_eq!(lost(&[pair(7, 0b0100), pair(8, 0)], &both), 2);
        // The search proves the second pair free.
        assert_eq!(lost(&twin[..1], &[twin.clone(), twin[..1].to_vec()]), 0);
    }
}
