//! Motions on a graphics adapter: chunks in flight on the device, and the exact stage on the CPU at the same time.

use super::exact_stage::{Decided, Memory, Solved, wait};
use super::upload::{Arrays, Threads};
use super::{CHUNKS_IN_FLIGHT, ChunkInput, ChunkOutput, GpuPipeline, PendingChunk};
use crate::engine::core::{Deliver, EngineCore};
use crate::engine::motion_queue::{MotionQueue, MotionSource};
use crate::engine::{Options, Stats, autotune};
use crate::error::{Error, ErrorKind, Result};
use crate::gpu::Faults;
use crate::robot::RobotMotion;
use crate::stage::Piece;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

/// Waking other threads does not pay off to prepare or free fewer pieces.
const FEW_PIECES: usize = 128;

/// Motions that are sent to the device together.
#[derive(Debug, Default)]
pub(super) struct GpuBatch {
    pub motions: Vec<RobotMotion>,
    pub pieces: Vec<Piece>,
    /// First piece of each motion, and the number of all pieces.
    starts: Vec<usize>,
    /// The verdicts of motions that were decided before; these have no pieces.
    pub decided: Vec<Option<Decided>>,
    /// The kernels' input, if the batch is one chunk on the device: all stages run there, some motion has pieces, and
    /// none has too many.
    arrays: Option<Arrays>,
    /// True if the motions are parts of trajectories, for which the exact stage does not run here.
    pub are_spans: bool,
}

impl GpuBatch {
    fn input(&self) -> ChunkInput<'_> {
        ChunkInput { pieces: self.pieces.clone(), motions: &self.motions }
    }

    pub fn pieces_of(&self, motion: usize) -> Range<usize> {
        self.starts[motion]..self.starts[motion + 1]
    }
}

/// Builds batches for the device.
struct BatchBuilder<'a> {
    core: &'a EngineCore,
    motions: &'a mut dyn MotionSource,
    ready: VecDeque<(RobotMotion, Option<Decided>)>,
    are_spans: bool,
    max_pieces: usize,
    /// The error that ended the motions.
    error: Option<Error>,
}

impl BatchBuilder<'_> {
    /// Prepares more motions.
    fn prepare(&mut self) -> Result<()> {
        if let Some(batch) = self.motions.next_motions(self.max_pieces.saturating_sub(self.ready.len()))? {
            let (core, are_spans) = (self.core, batch.motions.are_spans());
            let decides_starts = core.decides_starts_before() && !are_spans;
            let prepare = |memory: &mut Memory, i| {
                let motion = core.motion(&batch.motions, i, batch.first)?;
                let decided = decides_starts.then(|| core.decide_start(&motion, memory)).flatten();
                Ok((motion, decided))
            };
            let memory = || Memory::new(core);
            let all = || (0..batch.motions.len()).into_par_iter().map_init(memory, prepare).collect::<Result<Vec<_>>>();
            // Waking another thread does not pay off for a single motion.
            let motions = if batch.motions.len() == 1 {
                vec![prepare(&mut memory(), 0)?]
            } else {
                core.workers.pool.install(all)?
            };
            self.ready.extend(motions);
            self.are_spans = are_spans;
        }
        Ok(())
    }

    /// The motions whose pieces fill a chunk, at least one; `None` at the end, or after an error.
    fn next(&mut self) -> Option<GpuBatch> {
        if self.error.is_none() {
            self.error = self.prepare().err();
        }
        let mut part = GpuBatch { starts: vec![0], are_spans: self.are_spans, ..GpuBatch::default() };
        while let Some((motion, decided)) = self.ready.front() {
            if decided.is_none() {
                part.pieces.extend(Piece::cut(part.motions.len() as u32, motion));
            }
            if part.pieces.len() > self.max_pieces && !part.motions.is_empty() {
                part.pieces.truncate(part.starts[part.motions.len()]);
                break;
            }
            part.starts.push(part.pieces.len());
            if let Some((motion, decided)) = self.ready.pop_front() {
                part.motions.push(motion);
                part.decided.push(decided);
            }
            if part.pieces.len() >= self.max_pieces {
                break;
            }
        }
        let options = &self.core.options;
        if options.reference.is_empty() && (1..=self.max_pieces).contains(&part.pieces.len()) {
            let arrays = |threads| Arrays::of(&self.core.world, &part.pieces, &part.motions, options.bound, threads);
            part.arrays = Some(match part.pieces.len() {
                ..FEW_PIECES => arrays(Threads::Own),
                _ => self.core.workers.pool.install(|| arrays(Threads::Pool)),
            });
        }
        (!part.motions.is_empty()).then_some(part)
    }
}

/// Counts the work of an adapter. An adapter that fails is lost.
pub(super) fn counted(
    pipeline: &mut GpuPipeline,
    stats: &mut Stats,
    work: impl FnOnce(&mut GpuPipeline, &mut Stats) -> Result<()>,
) -> Result<()> {
    let (created, before) = (pipeline.gpu().created(), pipeline.work());
    let worked = work(pipeline, stats);
    worked.map_err(|e| if e.kind() == ErrorKind::Gpu { pipeline.gpu().mark_lost(&e) } else { e })?;
    stats.device_objects += pipeline.gpu().created() - created;
    stats.device += pipeline.work() - before;
    for (kernel, of_kernel) in pipeline.take_kernel_work()? {
        *stats.kernels.entry(kernel).or_default() += of_kernel;
    }
    Ok(())
}

impl EngineCore {
    /// Checks all motions of a queue on one or several adapters. If there are more motions than one chunk, the adapter
    /// has a thread of its own, and this one reads motions and delivers verdicts, which takes as long as other work.
    pub(in crate::engine) fn check_on_gpu(
        &self,
        pipelines: &[Mutex<GpuPipeline>],
        queue: &mut MotionQueue,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        let [pipeline] = pipelines else { return self.check_shared(pipelines, queue, deliver, stats) };
        let max_pieces = self.lock(pipeline)?.chunk_pieces();
        if queue.read_ahead(max_pieces + 1) > max_pieces {
            return self.check_shared(pipelines, queue, deliver, stats);
        }
        counted(&mut *self.lock(pipeline)?, stats, |pipeline, stats| {
            self.choose_sweep_on_gpu(pipeline, &queue.peek(autotune::CALIBRATION_MOTIONS))?;
            self.check_batches(pipeline, queue, deliver, stats)
        })
    }

    /// Waits for an adapter. One that was lost in an earlier check is opened again.
    pub(super) fn lock<'p>(&self, pipeline: &'p Mutex<GpuPipeline>) -> Result<MutexGuard<'p, GpuPipeline>> {
        let mut pipeline = pipeline.lock().map_err(|_| Error::new(ErrorKind::Gpu, "an earlier check failed"))?;
        if pipeline.gpu().check().is_err() {
            let adapters = vec![pipeline.gpu().summary().unique_name()];
            let options = Options { adapters, faults: Faults::default(), ..self.options.clone() };
            *pipeline = GpuPipeline::new(Arc::clone(&self.world), &options, false)?;
            pipeline.set_cpu_stages(self.options.reference.clone(), self.obb_trees.clone());
        }
        Ok(pipeline)
    }

    /// Checks all motions of a source on one adapter. While the exact stage of a batch runs on the engine's threads,
    /// the verdicts of the last batch are delivered, and the next chunks are submitted and read back. An error of the
    /// source is returned after the verdicts before it.
    pub(super) fn check_batches(
        &self,
        pipeline: &mut GpuPipeline,
        motions: &mut dyn MotionSource,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        let max_pieces = pipeline.chunk_pieces();
        let (ready, error) = (VecDeque::new(), None);
        let mut batches = BatchBuilder { core: self, motions, ready, are_spans: false, max_pieces, error };
        let mut on_device: VecDeque<(GpuBatch, PendingChunk)> = VecDeque::new();
        let (mut next, mut frame, mut solving) = (None, 0, None);
        self.workers.pool.in_place_scope(|scope| {
            loop {
                // The next chunk is submitted before the last one is complete.
                while on_device.len() < CHUNKS_IN_FLIGHT {
                    if next.is_none() {
                        next = batches.next();
                    }
                    let Some(part) = next.take_if(|part| part.arrays.is_some()) else { break };
                    stats.pieces += part.pieces.len() as u64;
                    let input = (&part.input(), part.arrays.as_ref());
                    let pending = pipeline.start_prepared(input, frame, part.are_spans)?;
                    frame = (frame + 1) % CHUNKS_IN_FLIGHT;
                    on_device.push_back((part, pending));
                }
                // This frame is free until the next chunk is submitted.
                let free_frame = on_device.front().map_or(0, |(_, pending)| pending.frame());
                let complete = match on_device.pop_front() {
                    Some((part, pending)) => Some((self.collect(pipeline, &part, pending, stats)?, part)),
                    None => match next.take() {
                        Some(part) => Some((self.run_alone(pipeline, &part, stats)?, part)),
                        None => None,
                    },
                };
                let last: Option<Solved> = solving.take().map(wait).transpose()?;
                let is_at_end = complete.is_none() && last.is_none();
                if let Some((output, part)) = complete {
                    // Now the threads are idle; later they are busy with the exact stage.
                    if next.is_none() {
                        next = batches.next();
                    }
                    solving = Some(self.start_solving(scope, part, output));
                }
                if let Some(Solved { part, verdicts }) = last {
                    let verdicts = self.recheck_overflowed(pipeline, &part, verdicts, free_frame, stats)?;
                    // Freeing the memory of a large batch takes long.
                    if part.pieces.len() >= FEW_PIECES {
                        scope.spawn(move |_| drop(part));
                    }
                    deliver(verdicts, stats)?;
                }
                if is_at_end {
                    // The verdicts before an error have been delivered.
                    return batches.error.take().map_or(Ok(()), Err);
                }
            }
        })
    }

    /// Waits for the pairs of a batch.
    fn collect(
        &self,
        pipeline: &mut GpuPipeline,
        part: &GpuBatch,
        pending: PendingChunk,
        stats: &mut Stats,
    ) -> Result<ChunkOutput> {
        let collect = || pipeline.collect(&part.input(), pending, stats);
        // Links against links are prepared in parallel.
        if self.world.frames.is_empty() { collect() } else { self.workers.pool.install(collect) }
    }

    /// The pairs of a batch that is not one chunk on the device: with stages on the CPU, without pieces, or with too
    /// many, which is as if their pairs did not fit into memory.
    fn run_alone(&self, pipeline: &mut GpuPipeline, part: &GpuBatch, stats: &mut Stats) -> Result<ChunkOutput> {
        stats.pieces += part.pieces.len() as u64;
        if !part.pieces.is_empty() && !self.options.reference.is_empty() {
            return pipeline.run_hybrid(&part.input(), stats);
        }
        let limits = vec![u32::MAX; part.motions.len()];
        Ok(ChunkOutput { pairs: vec![None; part.pieces.len()], limits, ..ChunkOutput::default() })
    }
}
