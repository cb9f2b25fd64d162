//! Motions on the CPU: the references of all stages, one motion after the other on each thread.

use super::super::checker::{Checker, Deliver};
use super::super::cpu::{self, Lent};
use super::super::feed::{self, Batch, Feed};
use super::super::{Stage, Stats, Sweep, calibration};
use crate::error::Result;
use crate::motion::Motions;
use crate::verdict::{Reason, Undecided, Verdict};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Motions that go together take about so long: no thread waits long for another, which finds nothing else to do only at the
/// end, and no answer waits long for the sink.
const SOON: Duration = Duration::from_millis(200);
/// So many motions go together at most: their answers wait in memory.
const MOST: usize = 1 << 13;

/// A thread takes so many of its motions of a batch at once, one of so many parts, and no more: in the end one thread works on its
/// last part while the others wait.
const PARTS: usize = 64;
const MOST_AT_ONCE: usize = 8;
/// So many motions are checked where they come from: to wake another thread takes as long as a motion.
const FEW: usize = 2;

impl Checker {
    /// Whether some motions go to [`check_few`](Self::check_few).
    pub(in super::super) fn are_few(&self, motions: &Motions) -> bool {
        self.flow.is_none() && motions.len() <= FEW && !self.has_nothing()
    }

    /// Motions in the thread that asks. A warm engine takes no memory for them but for what it says of a contact.
    pub(in super::super) fn check_few(
        &self,
        motions: &Motions,
        sink: &mut dyn FnMut(usize, Verdict) -> Result<()>,
    ) -> Result<Stats> {
        let start = Instant::now();
        let mut stats = Stats { build_s: self.build_s, ..Stats::default() };
        let form = self.known_form().unwrap_or(Sweep::Off);
        feed::check_width(motions, self.world.robot.columns.len())?;
        let mut lent = self.workspaces.lend();
        let space = lent.get();
        for i in 0..motions.len() {
            self.set_motion(&mut space.motion, motions, i, 0)?;
            let item_cap = self.options.item_cap();
            let verdict = cpu::check(&self.world, &self.options, item_cap, form, space, &mut stats);
            stats.count(&verdict);
            sink(i, verdict)?;
        }
        stats.wall_s = start.elapsed().as_secs_f64();
        Ok(stats)
    }

    pub(in super::super) fn check_on_cpu(
        &self,
        feed: &mut Feed,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        let form = self.choose_on_cpu(&feed.look_ahead(calibration::AHEAD)?)?;
        let mut size = 64 * self.threads();
        let mut batch = feed.take(size)?;
        let mut answers = Vec::new();
        while let Some(now) = batch {
            // While these are solved, the last answers go out and the next motions come in.
            let (mut solved, mut next) = (None, Ok(()));
            let took = &mut solved;
            batch = None;
            self.pool.in_place_scope(|scope| {
                scope.spawn(|_| {
                    let since = Instant::now();
                    *took = Some((self.solve_on_cpu(&now, form), since.elapsed()));
                });
                next = deliver(std::mem::take(&mut answers), stats).and_then(|()| {
                    batch = feed.take(size)?;
                    Ok(())
                });
            });
            next?;
            // The scope has waited for it.
            let Some((solved, took)) = solved else { continue };
            let (verdicts, of_batch) = solved?;
            stats.add(&of_batch);
            answers = verdicts;
            size = if took < SOON / 2 { (2 * size).min(MOST) } else { size };
            size = if took > 2 * SOON { (size / 2).max(self.threads()) } else { size };
        }
        deliver(answers, stats)
    }

    /// The answers to a batch, on all threads, and the numbers of it.
    fn solve_on_cpu(&self, batch: &Batch, form: Sweep) -> Result<(Vec<Verdict>, Stats)> {
        let most = self.options.item_cap();
        let check = |item_cap: usize, lent: &mut Lent, i: usize, stats: &mut Stats| {
            let space = lent.get();
            self.set_motion(&mut space.motion, &batch.motions, i, batch.first)?;
            Ok(cpu::check(&self.world, &self.options, item_cap, form, space, stats))
        };
        let mut verdicts = vec![Verdict::Free; batch.motions.len()];
        let at_once = (verdicts.len() / (PARTS * self.threads())).clamp(1, MOST_AT_ONCE);
        let some = |lent: &mut Lent, (k, verdicts): (usize, &mut [Verdict])| {
            let mut stats = Stats::default();
            for (j, verdict) in verdicts.iter_mut().enumerate() {
                *verdict = check(most / self.threads(), lent, k * at_once + j, &mut stats)?;
            }
            Ok(stats)
        };
        // Left to itself a thread takes a quarter of a small batch at once.
        let all =
            verdicts.par_chunks_mut(at_once).enumerate().with_max_len(1).map_init(|| self.workspaces.lend(), some);
        let mut stats = all.try_reduce(Stats::default, |mut a: Stats, b| {
            a.add(&b);
            Ok(a)
        })?;
        // What its thread's share of the memory was too small for gets all of it: the answer must not depend on threads.
        for (i, verdict) in verdicts.iter_mut().enumerate() {
            if matches!(verdict, Verdict::Undecided(Undecided { reason: Reason::Memory, .. })) && self.threads() > 1 {
                *verdict = check(most, &mut self.workspaces.lend(), i, &mut stats)?;
                stats.stage(Stage::Pairs).retries += 1;
            }
        }
        Ok((verdicts, stats))
    }
}
