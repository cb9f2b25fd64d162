//! Retrying pieces whose entries did not fit into a queue.

use super::chunk::Besides;
use super::{ChunkInput, ChunkOutput, FrameIndex, GpuPipeline};
use crate::engine::options::Stage;
use crate::engine::stats::Stats;
use crate::error::Result;
use crate::stage::{TrianglePair, s1_concat, s2_bound, s3_cull, s5_pairs};

impl GpuPipeline {
    /// Retries pieces, a quarter of the chunk at a time, and a single piece on the CPU. Pieces whose pairs do not fit
    /// into memory end without pairs. If the caller needs only whether something may touch, motions with an answer are
    /// not retried, and a single piece that does not fit is an answer.
    pub(super) fn retry_overflowed(
        &mut self,
        chunk: &ChunkInput,
        frame: FrameIndex,
        pieces: &[usize],
        output: &mut ChunkOutput,
        stats: &mut Stats,
    ) -> Result<()> {
        if pieces.is_empty() {
            return Ok(());
        }
        stats.stage(Stage::Cull).retries += pieces.len() as u64;
        pieces.iter().for_each(|&i| output.pairs[i] = None);
        let n_links = self.world.links.len() as u32;
        let used: usize = output.pairs.iter().flatten().map(Vec::len).sum();
        let mut free = self.settings.item_cap.saturating_sub(used);
        for some in pieces.chunks(chunk.pieces.len().div_ceil(4)) {
            let is_open = |i: &usize| !output.possible.has_piece(&chunk.pieces[*i]);
            let some: Vec<usize> = some.iter().copied().filter(is_open).collect();
            if some.is_empty() {
                continue;
            }
            let is_requested = output.possible.is_requested();
            if chunk.pieces.len() == 1 && is_requested {
                output.possible.add(chunk.pieces[0].motion as usize);
                continue;
            }
            let part = ChunkInput { pieces: some.iter().map(|&i| chunk.pieces[i]).collect(), motions: chunk.motions };
            let result = if chunk.pieces.len() == 1 {
                self.run_on_cpu(&part)
            } else {
                // This frame has been read back; the other one may hold the next chunk.
                let besides = Besides { possible: is_requested, ..Besides::default() };
                let pending = self.start_chunk(&part, None, frame, besides)?;
                self.finish(&part, pending, stats)?
            };
            output.possible.extend(&result.possible);
            for (limit, retried) in output.limits.iter_mut().zip(result.limits) {
                *limit = retried.min(*limit);
            }
            for (piece, pairs) in some.into_iter().zip(result.pairs) {
                // If there are more pairs than fit, the motion of the piece is checked again alone.
                let fits = |pairs: &Vec<TrianglePair>| pairs.len() <= free;
                output.pairs[piece] = pairs.filter(fits).map(|mut pairs| {
                    free -= pairs.len();
                    pairs.iter_mut().for_each(|p| p.piece_link = piece as u32 * n_links + p.piece_link % n_links);
                    pairs
                });
            }
        }
        Ok(())
    }

    /// Runs all stages of a chunk on the CPU.
    fn run_on_cpu(&self, chunk: &ChunkInput) -> ChunkOutput {
        let (world, n_pieces, cap) = (&self.world, chunk.pieces.len(), self.settings.item_cap);
        let mut limits = vec![u32::MAX; chunk.motions.len()];
        let poses = s1_concat::reference(&chunk.pieces, chunk.motions, self.settings.pose_bound);
        let boxes = s2_bound::reference(world, &chunk.pieces, &poses);
        let candidates = s3_cull::reference(world, &chunk.pieces, &boxes);
        let limited = self.settings.use_cutoffs.then_some(&mut limits);
        let (poses, boxes, candidates) = (&poses, &boxes, &candidates);
        let input =
            s5_pairs::Input { world, obb_trees: None, pieces: &chunk.pieces, poses, boxes, candidates, courses: None };
        let pairs = if candidates.len() <= cap { s5_pairs::search(&input, limited, cap).0 } else { None };
        ChunkOutput { pairs: by_piece(pairs, n_pieces, world.links.len()), limits, ..ChunkOutput::default() }
    }
}

/// Distributes pairs to their pieces; `None` for every piece if there are no pairs to distribute.
pub(super) fn by_piece(
    pairs: Option<Vec<TrianglePair>>,
    n_pieces: usize,
    n_links: usize,
) -> Vec<Option<Vec<TrianglePair>>> {
    let Some(pairs) = pairs else { return vec![None; n_pieces] };
    let mut out = vec![Some(Vec::new()); n_pieces];
    for pair in pairs {
        if let Some(of_piece) = &mut out[pair.piece_link as usize / n_links] {
            of_piece.push(pair);
        }
    }
    out
}
