//! A chunk with some stages on the CPU: to bisect a fault, and to test single stages.

use super::chunk::{Besides, ControlLayout};
use super::retry::by_piece;
use super::{ChunkInput, ChunkOutput, Frame, FrameIndex, GpuPipeline, PendingChunk};
use crate::counter;
use crate::engine::options::Stage;
use crate::engine::stats::Stats;
use crate::error::Result;
use crate::gpu::BufferId;
use crate::stage::layout::{Counters, NearPair};
use crate::stage::s1_concat::{self, POSE_FLOATS, Poses};
use crate::stage::s2_bound::{self, BOX_FLOATS, Boxes};
use crate::stage::s4_sweep::{self, Sweep, SweepCounts};
use crate::stage::s5_pairs::Limits;
use crate::stage::{Candidate, SUBS, s3_cull, s5_pairs};

impl GpuPipeline {
    /// Runs a chunk with some stages on the CPU, stage by stage, moving data to the side that needs it next.
    ///
    /// # Errors
    /// The device failed.
    pub fn run_hybrid(&mut self, chunk: &ChunkInput, stats: &mut Stats) -> Result<ChunkOutput> {
        let frame = 0;
        self.upload_chunk(chunk, frame)?;
        let (cpu_stages, world) = (self.settings.cpu_stages.clone(), self.world.clone());
        let on_cpu = |stage| cpu_stages.contains(&stage);
        if on_cpu(Stage::Concat) {
            let poses = s1_concat::reference(&chunk.pieces, chunk.motions, self.settings.pose_bound);
            self.frames[frame].buffers.write(&self.gpu, BufferId::Poses, 0, &poses.to_device());
        } else {
            self.run_stage(chunk, frame, Stage::Concat)?;
        }
        if on_cpu(Stage::Bound) {
            let boxes = s2_bound::reference(&world, &chunk.pieces, &self.poses(chunk, frame)?);
            self.frames[frame].buffers.write(&self.gpu, BufferId::Boxes, 0, &boxes.to_device());
        } else {
            self.run_stage(chunk, frame, Stage::Bound)?;
        }
        let (mut submissions, mut candidates) = (Vec::new(), Vec::new());
        let mut swept = SweepCounts::default();
        let pages = self.reached_pages(chunk);
        for &page in &pages {
            if page > 0 {
                self.bind_page(chunk, frame, page)?;
            }
            if !self.settings.cull {
                // All candidates are in the queue.
            } else if on_cpu(Stage::Cull) {
                self.cull_on_cpu(chunk, frame)?;
            } else {
                self.run_stage(chunk, frame, Stage::Cull)?;
            }
            if self.sweep != Sweep::Off {
                if on_cpu(Stage::Sweep) {
                    self.sweep_on_cpu(chunk, frame, &mut swept)?;
                } else {
                    self.run_stage(chunk, frame, Stage::Sweep)?;
                }
            }
            if on_cpu(Stage::Pairs) {
                candidates.extend(self.candidates(frame)?.0);
            } else {
                let submission = self.submit(chunk, frame, &[], &[Stage::Pairs], pages.last() == Some(&page))?;
                submissions.push((submission, vec![Stage::Pairs]));
            }
        }
        if on_cpu(Stage::Pairs) {
            self.pairs_on_cpu(chunk, frame, &candidates, stats)
        } else {
            self.finish(chunk, PendingChunk { submissions, frame, besides: Besides::default() }, stats)
        }
    }

    /// `s5_pairs` on the CPU, for the candidates of all pages.
    fn pairs_on_cpu(
        &mut self,
        chunk: &ChunkInput,
        frame: FrameIndex,
        candidates: &[Candidate],
        stats: &mut Stats,
    ) -> Result<ChunkOutput> {
        let (layout, n_pieces, world) = (ControlLayout::new(chunk), chunk.pieces.len(), self.world.clone());
        let control: Vec<u32> = self.frames[frame].buffers.read(&self.gpu, BufferId::Control, layout.node_boxes_at)?;
        let (poses, boxes) = (self.poses(chunk, frame)?, self.boxes(chunk, frame)?);
        let mut limits = vec![u32::MAX; chunk.motions.len()];
        let limited = self.settings.use_cutoffs.then_some(&mut limits);
        let obb_trees = self.obb_trees.as_deref();
        let input = s5_pairs::Input {
            world: &world,
            obb_trees,
            pieces: &chunk.pieces,
            poses: &poses,
            boxes: &boxes,
            candidates,
            courses: None,
        };
        let cap = self.settings.item_cap;
        let pairs = match obb_trees {
            Some(_) => s5_pairs::search(&input, limited, cap).0,
            None => s5_pairs::reference(&input, limited, self.schedule.n_phases, cap),
        };
        let mut output =
            ChunkOutput { pairs: by_piece(pairs, n_pieces, world.links.len()), limits, ..ChunkOutput::default() };
        let retry = layout.pieces_to_retry(&control, n_pieces);
        self.retry_overflowed(chunk, frame, &retry, &mut output, stats)?;
        for pairs in output.pairs.iter_mut().flatten() {
            s5_pairs::clip(pairs, &chunk.pieces, &output.limits, world.links.len());
        }
        Ok(output)
    }

    /// `s3_cull` on the CPU, for the bound page.
    fn cull_on_cpu(&mut self, chunk: &ChunkInput, frame: FrameIndex) -> Result<()> {
        let layout = ControlLayout::new(chunk);
        let mut candidates = s3_cull::reference(&self.world, &chunk.pieces, &self.boxes(chunk, frame)?);
        let Frame { buffers, allocated, .. } = &self.frames[frame];
        let page = buffers.page();
        candidates.retain(|c| c.cluster.checked_sub(page.first_leaf).is_some_and(|c| c < page.n_leaves));
        let mut control: Vec<u32> = buffers.read(&self.gpu, BufferId::Control, layout.cutoffs_at)?;
        control[counter!(candidates) as usize] = candidates.len() as u32;
        for dropped in candidates.drain((allocated.candidates as usize).min(candidates.len())..) {
            layout.set_retry(&mut control, dropped.piece as usize);
        }
        self.write_candidates(frame, &mut candidates);
        self.frames[frame].buffers.write(&self.gpu, BufferId::Control, 0, &control);
        Ok(())
    }

    /// `s4_sweep` on the CPU, for the candidates in a frame.
    fn sweep_on_cpu(&mut self, chunk: &ChunkInput, frame: FrameIndex, counts: &mut SweepCounts) -> Result<()> {
        let (mut candidates, _) = self.candidates(frame)?;
        let (poses, boxes) = (self.poses(chunk, frame)?, self.boxes(chunk, frame)?);
        let (world, motions, pieces) = (&*self.world, chunk.motions, &chunk.pieces);
        let input = s4_sweep::Input { world, motions, pieces, poses: &poses, boxes: &boxes };
        s4_sweep::reference(self.sweep, &input, &mut candidates);
        counts.add(SweepCounts::of(&self.world, &candidates));
        self.write_candidates(frame, &mut candidates);
        let at = counter!(sweep) as usize;
        self.frames[frame].buffers.write(
            &self.gpu,
            BufferId::Control,
            at,
            bytemuck::cast_slice::<_, u32>(&[counts.to_device()]),
        );
        Ok(())
    }

    /// Runs one stage on a chunk that has passed the stages before it.
    ///
    /// # Errors
    /// The device failed.
    pub fn run_stage(&self, chunk: &ChunkInput, frame: FrameIndex, stage: Stage) -> Result<()> {
        self.submit(chunk, frame, &[], &[stage], true)?.wait(&self.gpu).map(|_| ())
    }

    /// The poses in a frame.
    ///
    /// # Errors
    /// The device failed.
    pub fn poses(&self, chunk: &ChunkInput, frame: FrameIndex) -> Result<Poses> {
        let n = chunk.pieces.len() * self.world.robot.bodies.len() * POSE_FLOATS * SUBS;
        let floats: Vec<f32> = self.frames[frame].buffers.read(&self.gpu, BufferId::Poses, n)?;
        Ok(Poses::from_device(&floats, &chunk.pieces, chunk.motions, self.settings.pose_bound))
    }

    /// The boxes in a frame.
    ///
    /// # Errors
    /// The device failed.
    pub fn boxes(&self, chunk: &ChunkInput, frame: FrameIndex) -> Result<Boxes> {
        let n_nodes = self.world.model.n_nodes();
        let n = chunk.pieces.len() * n_nodes * BOX_FLOATS * SUBS;
        let floats = self.frames[frame].buffers.read::<f32>(&self.gpu, BufferId::Boxes, n)?;
        Ok(Boxes::from_device(&floats, n_nodes))
    }

    /// The pairs of links whose boxes may overlap in a frame, sorted.
    ///
    /// # Errors
    /// The device failed.
    pub fn near_pairs(&self, frame: FrameIndex) -> Result<Vec<NearPair>> {
        let Frame { buffers, params, .. } = &self.frames[frame];
        let n = self.counters(frame)?.near_pairs.min(params.near_capacity) as usize;
        let mut pairs: Vec<NearPair> = buffers.read(&self.gpu, BufferId::NearPairs, n)?;
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// The counters in a frame.
    ///
    /// # Errors
    /// The device failed.
    pub fn counters(&self, frame: FrameIndex) -> Result<Counters> {
        let words: Vec<u32> = self.frames[frame].buffers.read(&self.gpu, BufferId::Control, Counters::WORDS)?;
        Ok(Counters::read(&words))
    }

    /// Number of entries that the last chunk in a frame needed: work items of the largest level, candidates, pairs.
    ///
    /// # Errors
    /// The device failed.
    pub fn demand(&self, frame: FrameIndex) -> Result<[u32; 3]> {
        let counters = self.counters(frame)?;
        let phases: &[u32] = bytemuck::cast_slice(&counters.phases);
        let items = counters.cull_levels.iter().chain(phases).copied().max();
        Ok([items.unwrap_or(0), counters.candidates, counters.pairs])
    }

    /// The cutoffs of a chunk's motions: the last slice of each that is searched.
    ///
    /// # Errors
    /// The device failed.
    pub fn cutoffs(&self, chunk: &ChunkInput, frame: FrameIndex) -> Result<Limits> {
        let layout = ControlLayout::new(chunk);
        let control = self.frames[frame].buffers.read(&self.gpu, BufferId::Control, layout.node_boxes_at)?;
        Ok(layout.cutoffs(&control))
    }

    /// The candidates of the bound page in a frame, sorted, with leaves counted over all pages; and their number with
    /// unlimited capacity.
    ///
    /// # Errors
    /// The device failed.
    pub fn candidates(&self, frame: FrameIndex) -> Result<(Vec<Candidate>, usize)> {
        let n_wanted = self.counters(frame)?.candidates;
        let Frame { buffers, allocated, .. } = &self.frames[frame];
        let n = n_wanted.min(allocated.candidates) as usize;
        let mut candidates: Vec<Candidate> = buffers.read(&self.gpu, BufferId::Candidates, n)?;
        let first = buffers.page().first_leaf;
        candidates.iter_mut().for_each(|c| c.cluster += first);
        candidates.sort_unstable();
        Ok((candidates, n_wanted as usize))
    }
}
