//! Motions on the CPU: the references of all stages, one motion after the other on each thread.

use super::super::checker::{Checker, Deliver};
use super::super::feed::{Batch, Feed};
use super::super::{Options, Stage, Stats, Sweep, calibration, cpu};
use crate::error::Result;
use crate::verdict::{Reason, Undecided, Verdict};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Motions that go together take about so long: no thread waits long for another, which finds nothing else to do only at the
/// end, and no answer waits long for the sink.
const SOON: Duration = Duration::from_millis(200);
/// So many motions go together at most: their answers wait in memory.
const MOST: usize = 1 << 13;

impl Checker {
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
            let solved = solved?;
            answers.extend(solved.into_iter().map(|(verdict, part)| {
                stats.add(&part);
                verdict
            }));
            size = if took < SOON / 2 { (2 * size).min(MOST) } else { size };
            size = if took > 2 * SOON { (size / 2).max(self.threads()) } else { size };
        }
        deliver(answers, stats)
    }

    fn solve_on_cpu(&self, batch: &Batch, form: Sweep) -> Result<Vec<(Verdict, Stats)>> {
        let space = || cpu::Workspace::new(&self.world, &self.options);
        let check = |options: &Options, space: &mut cpu::Workspace, i: usize| {
            let motion = self.motion(&batch.motions, i, batch.first)?;
            cpu::check(&self.world, options, form, motion, space)
        };
        let share = Options { memory_bytes: self.options.memory_bytes / self.threads() as u64, ..self.options.clone() };
        let all = (0..batch.motions.len()).into_par_iter();
        let mut solved: Vec<(Verdict, Stats)> =
            all.map_init(space, |space, i| check(&share, space, i)).collect::<Result<_>>()?;
        // What its thread's share of the memory was too small for gets all of it: the answer must not depend on threads.
        for i in 0..solved.len() {
            if matches!(solved[i].0, Verdict::Undecided(Undecided { reason: Reason::Memory, .. })) && self.threads() > 1
            {
                solved[i] = check(&self.options, &mut space(), i)?;
                solved[i].1.stage(Stage::Pairs).retries += 1;
            }
        }
        Ok(solved)
    }
}
