//! Motions on the CPU: batches are shared by all threads; one thread takes a motion through all stages.

mod motion;
mod nearest;
mod scratch;

pub(super) use motion::{CpuStages, Part};
pub(super) use nearest::{Apart, Neighbours};
pub(super) use scratch::{Scratch, ScratchGuard, ScratchPool};

use super::core::{Deliver, EngineCore};
use super::motion_queue::{self, Batch, MotionQueue};
use super::{Stage, Stats, Sweep, autotune};
use crate::error::Result;
use crate::robot::MotionBatch;
use crate::verdict::{Undecided, UndecidedReason, Verdict};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Time that a batch should take: short enough that verdicts are delivered soon, long enough that threads rarely wait
/// for the last motion of a batch.
const TARGET_BATCH_TIME: Duration = Duration::from_millis(200);
/// Maximum number of motions in a batch, whose verdicts are kept in memory.
const MAX_BATCH: usize = 1 << 13;
/// Tasks per thread of a batch: at its end, one thread works on its last task while the others wait.
const TASKS_PER_THREAD: usize = 64;
/// Smallest and largest ratio of the sizes of consecutive batches.
const GROWTH: [f64; 2] = [0.5, 4.0];
/// True if the calling thread's stack is large enough for all stages: code that is not optimised needs more.
const FITS_CALLER: bool = !cfg!(debug_assertions);
/// Maximum number of motions in a task.
const MAX_TASK: usize = 8;
/// Maximum number of motions that are checked in the calling thread: waking another thread takes as long as a motion.
const INLINE_MAX: usize = 2;

impl EngineCore {
    /// Returns whether motions can be checked by [`check_inline`](Self::check_inline).
    pub(super) fn fits_inline(&self, motions: &MotionBatch) -> bool {
        motions.len() <= INLINE_MAX && self.uses_cpu(motions.len()) && !self.is_trivially_free()
    }

    /// Checks motions in the calling thread. A warm engine allocates no memory for them, except for the records of
    /// contacts.
    pub(super) fn check_inline(
        &self,
        motions: &MotionBatch,
        sink: &mut dyn FnMut(usize, Verdict) -> Result<()>,
    ) -> Result<Stats> {
        let start = Instant::now();
        let mut stats = Stats { build_s: self.build_s, ..Stats::default() };
        let stages = self.cpu_stages(self.known_sweep(false).unwrap_or(Sweep::Off));
        motion_queue::check_width(motions, self.world.robot.columns.len())?;
        let mut guard = self.workers.scratch.acquire();
        let scratch = guard.get();
        for i in 0..motions.len() {
            self.set_motion(&mut scratch.motion, motions, i, 0)?;
            let verdict = stages.check(self.options.item_cap(), scratch, &mut stats);
            let verdict = self.complete_in(scratch, verdict, &mut stats);
            stats.count(&verdict);
            sink(i, verdict)?;
        }
        stats.wall_s = start.elapsed().as_secs_f64();
        Ok(stats)
    }

    /// Checks all motions of a queue. An error of the queue is returned after the verdicts before it.
    pub(super) fn check_on_cpu(&self, queue: &mut MotionQueue, deliver: &mut Deliver, stats: &mut Stats) -> Result<()> {
        let sweep = self.choose_sweep_on_cpu(&queue.peek(autotune::CALIBRATION_MOTIONS))?;
        let mut size = 64 * self.threads();
        let next_size = |size: usize, took: Duration| {
            let growth = TARGET_BATCH_TIME.as_secs_f64() / took.as_secs_f64();
            ((size as f64 * growth.clamp(GROWTH[0], GROWTH[1])) as usize).clamp(self.threads(), MAX_BATCH)
        };
        let mut batch = queue.next_batch(size)?;
        // If nothing is left to read, waking a single thread only takes time.
        while self.threads() == 1 && FITS_CALLER && queue.is_read() {
            let Some(now) = batch else { return Ok(()) };
            let since = Instant::now();
            let (verdicts, of_batch) = self.check_batch(&now, sweep)?;
            size = next_size(size, since.elapsed());
            stats.add(&of_batch);
            deliver(verdicts, stats)?;
            batch = queue.next_batch(size)?;
        }
        let (mut verdicts, mut read) = (Vec::new(), Ok(()));
        while let Some(now) = batch {
            // While this batch is solved, the verdicts of the last one are delivered and the next motions are read.
            let (mut solved, mut delivered) = (None, Ok(()));
            let took = &mut solved;
            batch = None;
            self.workers.pool.in_place_scope(|scope| {
                scope.spawn(|_| {
                    let since = Instant::now();
                    *took = Some((self.check_batch(&now, sweep), since.elapsed()));
                });
                delivered = deliver(std::mem::take(&mut verdicts), stats);
                if delivered.is_ok() {
                    read = queue.next_batch(size).map(|next| batch = next);
                }
            });
            delivered?;
            // The scope has waited for the batch.
            let Some((solved, took)) = solved else { continue };
            let (of_batch, batch_stats) = solved?;
            stats.add(&batch_stats);
            verdicts = of_batch;
            size = next_size(size, took);
        }
        deliver(verdicts, stats)?;
        read
    }

    /// The verdicts of a batch and its statistics, computed on all threads, or in this one if there is a single one.
    fn check_batch(&self, batch: &Batch, sweep: Sweep) -> Result<(Vec<Verdict>, Stats)> {
        let (stages, all_items) = (self.cpu_stages(sweep), self.options.item_cap());
        let check = |item_cap: usize, guard: &mut ScratchGuard, i: usize, stats: &mut Stats| {
            let scratch = guard.get();
            self.set_motion(&mut scratch.motion, &batch.motions, i, batch.first)?;
            let verdict = stages.check(item_cap, scratch, stats);
            Ok(if self.is_repeated(&verdict, item_cap) { verdict } else { self.complete_in(scratch, verdict, stats) })
        };
        let mut verdicts: Vec<Verdict> = (0..batch.motions.len()).map(|_| Verdict::Free).collect();
        let task = (verdicts.len() / (TASKS_PER_THREAD * self.threads())).clamp(1, MAX_TASK);
        let run = |guard: &mut ScratchGuard, (k, verdicts): (usize, &mut [Verdict])| {
            let mut stats = Stats::default();
            for (j, verdict) in verdicts.iter_mut().enumerate() {
                *verdict = check(all_items / self.threads(), guard, k * task + j, &mut stats)?;
            }
            Ok(stats)
        };
        let mut stats = if self.threads() == 1 {
            run(&mut self.workers.scratch.acquire(), (0, &mut verdicts))?
        } else {
            // Without a maximum, rayon assigns a quarter of a small batch to one thread.
            let tasks = verdicts.par_chunks_mut(task).enumerate().with_max_len(1);
            let all = tasks.map_init(|| self.workers.scratch.acquire(), run);
            all.try_reduce(Stats::default, |mut a: Stats, b| {
                a.add(&b);
                Ok(a)
            })?
        };
        // A motion that needs more than its thread's share of the memory is checked again with all of it, so that
        // verdicts do not depend on the number of threads.
        for (i, verdict) in verdicts.iter_mut().enumerate() {
            if self.is_repeated(verdict, all_items / self.threads()) {
                *verdict = check(all_items, &mut self.workers.scratch.acquire(), i, &mut stats)?;
                stats.stage(Stage::Pairs).retries += 1;
            }
        }
        Ok((verdicts, stats))
    }

    /// Returns whether a motion needs more than its thread's share of the memory.
    fn is_repeated(&self, verdict: &Verdict, item_cap: usize) -> bool {
        let needs_memory = matches!(verdict, Verdict::Undecided(Undecided { reason: UndecidedReason::Memory, .. }));
        needs_memory && self.threads() > 1 && item_cap < self.options.item_cap()
    }

    /// Completes the verdict of the motion in a scratch memory.
    pub(super) fn complete_in(&self, scratch: &mut Scratch, verdict: Verdict, stats: &mut Stats) -> Verdict {
        let Scratch { solids, motion, solver, .. } = scratch;
        self.complete(solids, motion, || solver.ignored(&self.world), verdict, stats)
    }
}
