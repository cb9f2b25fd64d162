//! Motions on a graphics adapter: chunks in flight on the device, and the exact stage on the CPU at the same time.

use super::chunk::{Besides, clean};
use super::upload::{Arrays, Threads};
use super::{CHUNKS_IN_FLIGHT, ChunkInput, ChunkOutput, FrameIndex, GpuPipeline, PendingChunk};
use crate::engine::core::{Deliver, EngineCore};
use crate::engine::link_search::LinkSearch;
use crate::engine::motion_queue::{MotionQueue, MotionSource};
use crate::engine::{Options, Stage, Stats, autotune};
use crate::error::{Error, ErrorKind, Result};
use crate::gpu::Faults;
use crate::robot::RobotMotion;
use crate::stage::s6_solve::{MayTouch, Motions, Solver};
use crate::stage::{Piece, TrianglePair, solids};
use crate::verdict::{Undecided, UndecidedReason, Verdict};
use rayon::Scope;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

/// Waking other threads does not pay off to prepare or free fewer pieces.
const FEW_PIECES: usize = 128;

/// Motions that are sent to the device together.
#[derive(Debug, Default)]
struct GpuBatch {
    motions: Vec<RobotMotion>,
    pieces: Vec<Piece>,
    /// First piece of each motion, and the number of all pieces.
    starts: Vec<usize>,
    /// The verdicts of motions that were decided before; these have no pieces.
    decided: Vec<Option<Decided>>,
    /// The kernels' input, if the batch is one chunk on the device: all stages run there, some motion has pieces, and
    /// none has too many.
    arrays: Option<Arrays>,
    /// True if the motions are parts of trajectories, for which the exact stage does not run here.
    are_spans: bool,
}

/// A verdict, and the work for it.
type Decided = (Verdict, Stats);

impl GpuBatch {
    fn input(&self) -> ChunkInput<'_> {
        ChunkInput { pieces: self.pieces.clone(), motions: &self.motions }
    }

    fn pieces_of(&self, motion: usize) -> Range<usize> {
        self.starts[motion]..self.starts[motion + 1]
    }
}

/// A batch after the exact stage. A motion whose pairs did not fit into memory has no verdict.
struct Solved {
    part: GpuBatch,
    verdicts: Vec<(Option<Verdict>, Stats)>,
}

/// Waits for the exact stage of a batch.
fn wait(solving: Receiver<Solved>) -> Result<Solved> {
    // A panic ends the scope as well.
    solving.recv().map_err(|_| Error::new(ErrorKind::Gpu, "the exact stage failed"))
}

/// The memory of a thread for motions that return from the device.
struct Memory<'a> {
    solver: Solver<'a>,
    links: LinkSearch,
    solids: solids::Workspace,
}

impl<'a> Memory<'a> {
    fn new(core: &'a EngineCore) -> Self {
        let solver = Solver::new(&core.world, core.options.solve);
        Self { solver, links: LinkSearch::default(), solids: solids::Workspace::default() }
    }
}

/// Builds batches for the device.
struct BatchBuilder<'a> {
    core: &'a EngineCore,
    motions: &'a mut dyn MotionSource,
    ready: VecDeque<(RobotMotion, Option<Decided>)>,
    are_spans: bool,
    max_pieces: usize,
}

impl BatchBuilder<'_> {
    /// The motions whose pieces fill a chunk, at least one; `None` at the end.
    fn next(&mut self) -> Result<Option<GpuBatch>> {
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
        Ok((!part.motions.is_empty()).then_some(part))
    }
}

/// The answer for a part of a trajectory in which something may touch.
const POSSIBLE: Verdict = Verdict::Undecided(Undecided { clear_until: 0.0, reason: UndecidedReason::EvaluationCap });

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
    /// Checks all motions of a queue on one or several adapters. More motions than a chunk of one adapter are read, and
    /// their verdicts delivered, beside a thread of the adapter: writing the answers takes as long as other work.
    pub(in crate::engine) fn check_on_gpu(
        &self,
        pipelines: &[Mutex<GpuPipeline>],
        queue: &mut MotionQueue,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        let [pipeline] = pipelines else { return self.check_shared(pipelines, queue, deliver, stats) };
        let max_pieces = self.lock(pipeline)?.chunk_pieces();
        if queue.read_ahead(max_pieces + 1)? > max_pieces {
            return self.check_shared(pipelines, queue, deliver, stats);
        }
        counted(&mut *self.lock(pipeline)?, stats, |pipeline, stats| {
            self.choose_sweep_on_gpu(pipeline, &queue.peek(autotune::CALIBRATION_MOTIONS)?)?;
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

    /// Checks all motions of a source on one adapter. While the exact stage of a batch runs on the engine's threads, the
    /// verdicts of the last batch are delivered, and the next chunks are submitted and read back.
    pub(super) fn check_batches(
        &self,
        pipeline: &mut GpuPipeline,
        motions: &mut dyn MotionSource,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        let max_pieces = pipeline.chunk_pieces();
        let mut batches = BatchBuilder { core: self, motions, ready: VecDeque::new(), are_spans: false, max_pieces };
        let mut on_device: VecDeque<(GpuBatch, PendingChunk)> = VecDeque::new();
        let (mut next, mut frame, mut solving) = (None, 0, None);
        self.workers.pool.in_place_scope(|scope| {
            loop {
                // The next chunk is submitted before the last one is complete.
                while on_device.len() < CHUNKS_IN_FLIGHT {
                    if next.is_none() {
                        next = batches.next()?;
                    }
                    let Some(part) = next.take_if(|part| part.arrays.is_some()) else { break };
                    stats.pieces += part.pieces.len() as u64;
                    let pending = pipeline.start_prepared(&part.input(), part.arrays.as_ref(), frame)?;
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
                    // Now the threads are idle. Later they would be busy with the exact stage.
                    if next.is_none() {
                        next = batches.next()?;
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
                    return Ok(());
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

    /// Returns whether starts within the margin are decided before motions are sent to an adapter, which does not look
    /// for links within the margin of others.
    fn decides_starts_before(&self) -> bool {
        !self.world.frames.is_empty() && self.options.solve.one_pair_decides_the_start()
    }

    /// The motions that need an adapter.
    pub(in crate::engine) fn undecided(&self, mut motions: Vec<RobotMotion>) -> Vec<RobotMotion> {
        if self.decides_starts_before() {
            let mut memory = Memory::new(self);
            motions.retain(|motion| self.decide_start(motion, &mut memory).is_none());
        }
        motions
    }

    /// Decides a motion by the lowest pair within the margin at its start.
    fn decide_start(&self, motion: &RobotMotion, memory: &mut Memory) -> Option<Decided> {
        let clock = Instant::now();
        let (Memory { solver, links, solids }, mut stats) = (memory, Stats::default());
        solver.begin();
        links.begin(&self.world);
        let is_decided = links.decide_start(solver, (&self.world, &self.options.solve), motion);
        let verdict = is_decided.then(|| {
            let found = solver.finish();
            self.complete(solids, motion, || solver.ignored(), found, &mut stats)
        });
        stats.add_solving(solver);
        stats.stage(Stage::Solve).items_in += u64::from(is_decided);
        stats.stage(Stage::Solve).seconds += clock.elapsed().as_secs_f64();
        verdict.map(|verdict| (verdict, stats))
    }

    /// Starts the exact stage for a batch on the engine's threads.
    fn start_solving<'s>(&'s self, scope: &Scope<'s>, part: GpuBatch, output: ChunkOutput) -> Receiver<Solved> {
        let (sender, receiver) = channel();
        let is_single = part.motions.len() == 1;
        let solve = move || {
            let verdicts = self.solve_all(&part, output);
            // The receiver is gone after an error.
            let _ = sender.send(Solved { part, verdicts });
        };
        // Waking another thread does not pay off for a single motion.
        if is_single {
            solve()
        } else {
            scope.spawn(|_| solve())
        }
        receiver
    }

    /// The exact stage for all motions of a batch. A motion whose pairs did not fit into memory has no verdict.
    fn solve_all(&self, part: &GpuBatch, mut output: ChunkOutput) -> Vec<(Option<Verdict>, Stats)> {
        let mut pairs = std::mem::take(&mut output.pairs);
        let mut rest = &mut pairs[..];
        let mut of_motions = Vec::with_capacity(part.motions.len());
        for m in 0..part.motions.len() {
            let (of_motion, after) = std::mem::take(&mut rest).split_at_mut(part.pieces_of(m).len());
            of_motions.push(of_motion);
            rest = after;
        }
        let memory = || Memory::new(self);
        let solve = |memory: &mut Memory, (m, pairs)| self.solve(part, &output, pairs, m, memory);
        if let [_] = &part.motions[..] {
            return of_motions.into_iter().enumerate().map(|one| solve(&mut memory(), one)).collect();
        }
        // In small tasks, so that no thread waits long for the last one.
        of_motions.into_par_iter().enumerate().with_max_len(4).map_init(memory, solve).collect()
    }

    /// The exact stage for one motion. Links are checked against links here if they were not on the device.
    fn solve(
        &self,
        part: &GpuBatch,
        output: &ChunkOutput,
        pairs: &mut [Option<Vec<TrianglePair>>],
        m: usize,
        memory: &mut Memory,
    ) -> (Option<Verdict>, Stats) {
        if let Some((verdict, stats)) = &part.decided[m] {
            return (Some(verdict.clone()), stats.clone());
        }
        let motion = &part.motions[m];
        if output.starts.get(m) == Some(&true) {
            // The adapter's proof is for any pair; the one to report is the lowest.
            let decided = match part.are_spans {
                true => Some((POSSIBLE, Stats::default())),
                false => self.decide_start(motion, memory),
            };
            return decided.map_or_else(Default::default, |(verdict, stats)| (Some(verdict), stats));
        }
        let clock = Instant::now();
        let Memory { solver, links, solids } = memory;
        let (mut stats, mut verdict) = (Stats::default(), None);
        let on_device = output.links.of_motion(m);
        let mut limits = vec![output.limits[m]];
        solver.begin();
        links.begin(&self.world);
        let mut may_touch = false;
        let n_links = self.world.links.len();
        let mut take = |(i, scene): (usize, &mut Option<Vec<TrianglePair>>)| {
            let (piece, scene) = (&part.pieces[i], scene.as_mut()?);
            clean(scene, &part.pieces, &output.limits, n_links);
            let (chains, pairs) = match on_device {
                Some((pieces, chains)) => (chains, &pieces[i][..]),
                None => {
                    let of = (&*self.world, &self.options);
                    links.search_alone(of, (motion, piece), &mut limits, &mut stats).then_some(())?;
                    (links.chains(), links.pairs())
                }
            };
            stats.stage(Stage::Solve).items_in += (scene.len() + pairs.len()) as u64;
            if part.are_spans {
                may_touch |= !(scene.is_empty() && pairs.is_empty());
                return Some(may_touch);
            }
            let motions = Motions { robot: motion, chains };
            let may_touch = MayTouch { scene, links: pairs };
            Some(solver.certain(motions, piece, may_touch, limits[0]) || solver.feed(motions, piece, may_touch))
        };
        let mut pieces = part.pieces_of(m).zip(pairs);
        let is_whole = loop {
            match pieces.next().map(&mut take) {
                Some(None) => break false,
                Some(Some(false)) => {}
                Some(Some(true)) | None => break true,
            }
        };
        if part.are_spans {
            verdict = Some(if is_whole && !may_touch { Verdict::Free } else { POSSIBLE });
        } else if is_whole {
            let found = solver.finish();
            verdict = Some(self.complete(solids, motion, || solver.ignored(), found, &mut stats));
        }
        stats.add_solving(solver);
        stats.stage(Stage::Solve).seconds += clock.elapsed().as_secs_f64();
        (verdict, stats)
    }

    /// The verdicts of a batch. Motions whose pairs did not fit into memory are checked again, each alone.
    fn recheck_overflowed(
        &self,
        pipeline: &mut GpuPipeline,
        part: &GpuBatch,
        solved: Vec<(Option<Verdict>, Stats)>,
        free_frame: FrameIndex,
        stats: &mut Stats,
    ) -> Result<Vec<Verdict>> {
        let one = |(m, (verdict, of_motion)): (usize, (Option<Verdict>, Stats))| match verdict {
            Some(verdict) => {
                stats.add(&of_motion);
                Ok(verdict)
            }
            None if part.are_spans => Ok(POSSIBLE),
            None => self.check_alone(pipeline, part, m, free_frame, stats),
        };
        solved.into_iter().enumerate().map(one).collect()
    }

    /// Checks one motion: chunk after chunk of its pieces, and piece by piece if the pairs of a chunk do not fit into
    /// memory, until its verdict is known.
    fn check_alone(
        &self,
        pipeline: &mut GpuPipeline,
        part: &GpuBatch,
        m: usize,
        free_frame: FrameIndex,
        stats: &mut Stats,
    ) -> Result<Verdict> {
        let (motion, max_pieces) = (&part.motions[m], pipeline.chunk_pieces());
        let mut run = |pieces: &[Piece]| {
            let input = ChunkInput { pieces: pieces.to_vec(), motions: &part.motions };
            if !self.options.reference.is_empty() {
                return pipeline.run_hybrid(&input, stats);
            }
            let pending = pipeline.start_chunk(&input, None, free_frame, Besides::default())?;
            pipeline.finish(&input, pending, stats)
        };
        let Memory { mut solver, mut links, mut solids, .. } = Memory::new(self);
        solver.begin();
        links.begin(&self.world);
        let (mut verdict, mut limits, mut of_links) = (None, vec![u32::MAX], Stats::default());
        'pieces: for pieces in part.pieces[part.pieces_of(m)].chunks(max_pieces) {
            let mut output = run(pieces)?;
            for (i, piece) in pieces.iter().enumerate() {
                let mut limit = output.limits[m];
                let mut pairs = output.pairs[i].take();
                if pairs.is_none() && pieces.len() > 1 {
                    let mut alone = run(&[*piece])?;
                    limit = alone.limits[m];
                    pairs = alone.pairs.pop().flatten();
                }
                limits[0] = limits[0].min(limit);
                let of = (&*self.world, &self.options);
                let pairs = pairs.filter(|_| links.search_alone(of, (motion, piece), &mut limits, &mut of_links));
                let Some(scene) = pairs else {
                    verdict = Some(solver.give_up(piece.t0, UndecidedReason::Memory));
                    break 'pieces;
                };
                let motions = Motions { robot: motion, chains: links.chains() };
                let may_touch = MayTouch { scene: &scene, links: links.pairs() };
                if solver.certain(motions, piece, may_touch, limits[0]) || solver.feed(motions, piece, may_touch) {
                    break 'pieces;
                }
            }
        }
        let verdict = verdict.unwrap_or_else(|| solver.finish());
        let verdict = self.complete(&mut solids, motion, || solver.ignored(), verdict, stats);
        stats.add_solving(&mut solver);
        stats.add(&of_links);
        Ok(verdict)
    }
}
