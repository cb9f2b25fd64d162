//! A chunk with some stages on the CPU: to bisect a fault, and for the tests of single stages.

use super::chunk::{ChunkInput, ChunkOutput, Started, by_piece};
use super::{CANDIDATES, COUNTERS, CULL_LEVELS, GpuFlow, PAIRS, SWEEP_COUNTS, slabs};
use crate::engine::options::{Options, Stage};
use crate::engine::stats::Stats;
use crate::error::Result;
use crate::gpu::{Buffers, Slot};
use crate::model::world::World;
use crate::stage::s1_concat::{self, POSE_FLOATS, Poses};
use crate::stage::s2_bound::{self, BOX_FLOATS, Boxes};
use crate::stage::s4_sweep::{self, Sweep, SweepCounts};
use crate::stage::{Candidate, SUBS, s3_cull, s5_pairs};

impl GpuFlow {
    /// Runs a chunk with some stages as their references, one stage after the other with its data on the side where the
    /// next one needs it.
    ///
    /// # Errors
    /// The device failed.
    pub fn run_mixed(
        &mut self,
        world: &World,
        options: &Options,
        chunk: &ChunkInput,
        stats: &mut Stats,
    ) -> Result<ChunkOutput> {
        let set = 0;
        self.load(world, chunk, set)?;
        let on_cpu = |stage| options.reference.contains(&stage);
        let (n_pieces, n_nodes) = (chunk.pieces.len(), world.model.n_nodes());
        if on_cpu(Stage::Concat) {
            let poses = s1_concat::reference(&chunk.pieces, chunk.motions, self.form);
            self.sets[set].write(&self.gpu, Slot::Poses, 0, &poses.to_device());
        } else {
            self.run_stage(chunk, set, Stage::Concat)?;
        }
        if on_cpu(Stage::Bound) {
            let boxes = s2_bound::reference(world, &chunk.pieces, &self.poses(world, chunk, set)?);
            self.sets[set].write(&self.gpu, Slot::Boxes, 0, &boxes.to_device());
        } else {
            self.run_stage(chunk, set, Stage::Bound)?;
        }
        let (mut submissions, mut candidates) = (Vec::new(), Vec::new());
        let mut swept = SweepCounts::default();
        for page in 0..self.n_pages() {
            if page > 0 {
                self.turn_to(world, chunk, set, page)?;
            }
            if !self.cull {
                // The candidates are there.
            } else if on_cpu(Stage::Cull) {
                self.cull_on_cpu(world, chunk, set)?;
            } else {
                self.run_stage(chunk, set, Stage::Cull)?;
            }
            if self.sweep != Sweep::Off {
                if on_cpu(Stage::Sweep) {
                    self.sweep_on_cpu(world, chunk, set, &mut swept)?;
                } else {
                    self.run_stage(chunk, set, Stage::Sweep)?;
                }
            }
            if on_cpu(Stage::Pairs) {
                candidates.extend(self.candidates(set)?.0);
            } else {
                submissions.push(self.submit(chunk, set, &[Stage::Pairs], page + 1 == self.n_pages())?);
            }
        }
        if !on_cpu(Stage::Pairs) {
            return self.finish(world, options, chunk, Started { submissions, set }, stats);
        }
        let (redo_at, _, words) = self.control_layout(chunk);
        let control: Vec<u32> = self.sets[set].read(&self.gpu, Slot::Control, words)?;
        let (poses, boxes) = (self.poses(world, chunk, set)?, self.boxes(chunk, set, n_nodes)?);
        let mut limits = vec![u32::MAX; chunk.motions.len()];
        let limited = self.prune.then_some(&mut limits);
        let pairs = s5_pairs::reference(world, &chunk.pieces, &poses, &boxes, &candidates, limited, options.item_cap());
        let mut output = ChunkOutput { pairs: by_piece(pairs, n_pieces, world.links.len()), limits };
        let redo: Vec<usize> = (0..n_pieces).filter(|&i| control[redo_at + i / 32] >> (i % 32) & 1 != 0).collect();
        self.redo(world, options, chunk, set, &redo, &mut output, stats)?;
        for pairs in output.pairs.iter_mut().flatten() {
            s5_pairs::clip(pairs, &chunk.pieces, &output.limits, world.links.len());
        }
        Ok(output)
    }

    /// `s3_cull` on the CPU, for the page that is there.
    fn cull_on_cpu(&mut self, world: &World, chunk: &ChunkInput, set: usize) -> Result<()> {
        let (n_pieces, page) = (chunk.pieces.len(), self.sets[set].page());
        let mut candidates = s3_cull::reference(world, n_pieces, &self.boxes(chunk, set, world.model.n_nodes())?);
        candidates.retain(|c| c.cluster.checked_sub(page.first_cluster).is_some_and(|c| c < page.n_clusters));
        let (redo_at, _, _) = self.control_layout(chunk);
        let mut control: Vec<u32> = self.sets[set].read(&self.gpu, Slot::Control, redo_at + n_pieces.div_ceil(32))?;
        control[CANDIDATES as usize] = candidates.len() as u32;
        for left_out in candidates.drain((self.room[set].candidates as usize).min(candidates.len())..) {
            control[redo_at + left_out.piece as usize / 32] |= 1 << (left_out.piece % 32);
        }
        self.put_candidates(set, &mut candidates);
        self.sets[set].write(&self.gpu, Slot::Control, 0, &control);
        Ok(())
    }

    /// `s4_sweep` on the CPU, for candidates that a set holds.
    fn sweep_on_cpu(&mut self, world: &World, chunk: &ChunkInput, set: usize, counts: &mut SweepCounts) -> Result<()> {
        let (mut candidates, _) = self.candidates(set)?;
        let (poses, boxes) = (self.poses(world, chunk, set)?, self.boxes(chunk, set, world.model.n_nodes())?);
        let input =
            s4_sweep::Input { world, motions: chunk.motions, pieces: &chunk.pieces, poses: &poses, boxes: &boxes };
        s4_sweep::reference(self.sweep, &input, &mut candidates);
        counts.add(SweepCounts::of(world, &candidates));
        self.put_candidates(set, &mut candidates);
        self.sets[set].write(&self.gpu, Slot::Control, SWEEP_COUNTS as usize, &counts.to_words());
        Ok(())
    }

    /// Puts candidates into a set, their clusters counted through all pages.
    fn put_candidates(&self, set: usize, candidates: &mut [Candidate]) {
        let first = self.sets[set].page().first_cluster;
        candidates.iter_mut().for_each(|c| c.cluster -= first);
        self.sets[set].write(&self.gpu, Slot::Candidates, 0, candidates);
    }

    /// Runs one stage alone on a chunk that has been through the stages before it.
    ///
    /// # Errors
    /// The device failed.
    pub fn run_stage(&self, chunk: &ChunkInput, set: usize, stage: Stage) -> Result<()> {
        self.submit(chunk, set, &[stage], true)?.wait(&self.gpu).map(|_| ())
    }

    /// The buffers of a set.
    pub fn buffers(&self, set: usize) -> &Buffers {
        &self.sets[set]
    }

    /// The poses that a set holds.
    ///
    /// # Errors
    /// The device failed.
    pub fn poses(&self, world: &World, chunk: &ChunkInput, set: usize) -> Result<Poses> {
        let n = chunk.pieces.len() * world.robot.bodies.len() * POSE_FLOATS * SUBS;
        let floats: Vec<f32> = self.sets[set].read(&self.gpu, Slot::Poses, n)?;
        Ok(Poses::from_device(&floats, &chunk.pieces, chunk.motions, self.form))
    }

    /// The boxes that a set holds.
    ///
    /// # Errors
    /// The device failed.
    pub fn boxes(&self, chunk: &ChunkInput, set: usize, n_nodes: usize) -> Result<Boxes> {
        let n = chunk.pieces.len() * n_nodes * BOX_FLOATS * SUBS;
        Ok(Boxes::from_device(&self.sets[set].read::<f32>(&self.gpu, Slot::Boxes, n)?, n_nodes))
    }

    /// How many entries the chunk that went through a set last needed: work items of a level, candidates, pairs.
    ///
    /// # Errors
    /// The device failed.
    pub fn demand(&self, set: usize) -> Result<[u32; 3]> {
        let control: Vec<u32> = self.sets[set].read(&self.gpu, Slot::Control, COUNTERS)?;
        let items = control[..CULL_LEVELS].iter().chain(&control[slabs::FIRST as usize..]);
        Ok([items.copied().max().unwrap_or(0), control[CANDIDATES as usize], control[PAIRS as usize]])
    }

    /// The candidates that a set holds of the page that is there, in order, their clusters counted through all pages, and how many there would be with enough room.
    ///
    /// # Errors
    /// The device failed.
    pub fn candidates(&self, set: usize) -> Result<(Vec<Candidate>, usize)> {
        let control: Vec<u32> = self.sets[set].read(&self.gpu, Slot::Control, COUNTERS)?;
        let wanted = control[CANDIDATES as usize];
        let n = wanted.min(self.room[set].candidates) as usize;
        let mut candidates: Vec<Candidate> = self.sets[set].read(&self.gpu, Slot::Candidates, n)?;
        let first = self.sets[set].page().first_cluster;
        candidates.iter_mut().for_each(|c| c.cluster += first);
        candidates.sort_unstable();
        Ok((candidates, wanted as usize))
    }
}
