//! Motions on a graphics adapter: chunk after chunk, the next ones loaded while one is at work, and the exact stage on the
//! CPU in between.

use super::super::checker::{Checker, Deliver};
use super::super::feed::Feed;
use super::super::gpu::{ChunkInput, ChunkOutput, GpuFlow, SETS, Started};
use super::super::{Stage, Stats, calibration};
use crate::error::Result;
use crate::motion::ModelMotion;
use crate::stage::s6_solve::Solver;
use crate::stage::{Piece, TrianglePair};
use crate::verdict::{Reason, Undecided, Verdict};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

/// Motions that go to the device together.
#[derive(Debug, Default)]
struct Part {
    motions: Vec<ModelMotion>,
    pieces: Vec<Piece>,
    /// The first piece of each motion, and the number of all.
    starts: Vec<usize>,
}

impl Part {
    fn input(&self) -> ChunkInput<'_> {
        ChunkInput { pieces: self.pieces.clone(), motions: &self.motions }
    }

    fn pieces_of(&self, motion: usize) -> Range<usize> {
        self.starts[motion]..self.starts[motion + 1]
    }
}

/// Makes parts of the motions that come.
struct Parts<'a, 'f, 's> {
    checker: &'a Checker,
    feed: &'f mut Feed<'s>,
    ready: VecDeque<ModelMotion>,
    max_pieces: usize,
}

impl Parts<'_, '_, '_> {
    /// The motions whose pieces fill a chunk, at least one; nothing at the end.
    fn next(&mut self) -> Result<Option<Part>> {
        if let Some(batch) = self.feed.take(self.max_pieces.saturating_sub(self.ready.len()))? {
            let motion = |i| self.checker.motion(&batch.motions, i, batch.first);
            let all = || (0..batch.motions.len()).into_par_iter().map(motion).collect::<Result<Vec<_>>>();
            // One motion alone is not worth the way to another thread.
            let motions = if batch.motions.len() == 1 { vec![motion(0)?] } else { self.checker.pool.install(all)? };
            self.ready.extend(motions);
        }
        let mut part = Part { starts: vec![0], ..Part::default() };
        while let Some(motion) = self.ready.front() {
            part.pieces.extend(Piece::cut(part.motions.len() as u32, motion));
            if part.pieces.len() > self.max_pieces && !part.motions.is_empty() {
                part.pieces.truncate(part.starts[part.motions.len()]);
                break;
            }
            part.starts.push(part.pieces.len());
            part.motions.extend(self.ready.pop_front());
            if part.pieces.len() >= self.max_pieces {
                break;
            }
        }
        Ok((!part.motions.is_empty()).then_some(part))
    }
}

impl Checker {
    pub(in super::super) fn check_on_gpu(
        &self,
        flow: &mut GpuFlow,
        feed: &mut Feed,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        self.choose_on_gpu(flow, &feed.look_ahead(calibration::AHEAD)?)?;
        let max_pieces = flow.chunk_pieces();
        let mut parts = Parts { checker: self, feed, ready: VecDeque::new(), max_pieces };
        let mut on_device: VecDeque<(Part, Started)> = VecDeque::new();
        let (mut next, mut set, mut answers) = (None, 0, Vec::new());
        loop {
            // The device has the next chunk before it is through with the last one.
            while on_device.len() < SETS {
                if next.is_none() {
                    next = parts.next()?;
                }
                let Some(part) = next.take_if(|part| self.is_usual(part, max_pieces)) else { break };
                stats.pieces += part.pieces.len() as u64;
                let started = flow.start(&self.world, &part.input(), set)?;
                set = (set + 1) % SETS;
                on_device.push_back((part, started));
            }
            if let Some((part, started)) = on_device.pop_front() {
                let set = started.set();
                let output = flow.finish(&self.world, &self.options, &part.input(), started, stats)?;
                let mut gone = Ok(());
                // While these are solved, the last answers go out and the next motions come in.
                let solved = self.solve_beside(&part, &output, || {
                    gone = deliver(std::mem::take(&mut answers), stats);
                    if gone.is_ok() && next.is_none() {
                        gone = parts.next().map(|part| next = part);
                    }
                });
                gone?;
                answers = self.settle(flow, &part, solved, set, stats)?;
            } else if let Some(part) = next.take() {
                deliver(std::mem::take(&mut answers), stats)?;
                stats.pieces += part.pieces.len() as u64;
                let solved = if self.options.reference.is_empty() {
                    vec![(None, Stats::default())]
                } else {
                    let output = flow.run_mixed(&self.world, &self.options, &part.input(), stats)?;
                    self.solve_beside(&part, &output, || ())
                };
                answers = self.settle(flow, &part, solved, 0, stats)?;
            } else {
                return deliver(answers, stats);
            }
        }
    }

    /// Whether a part goes to the device as it is: all stages run there, and it is not one motion of very many turns.
    fn is_usual(&self, part: &Part, max_pieces: usize) -> bool {
        self.options.reference.is_empty() && part.pieces.len() <= max_pieces
    }

    /// The exact stage for a part on all threads, and `beside` at the same time. Nothing for a motion of which pairs are lost.
    fn solve_beside(&self, part: &Part, output: &ChunkOutput, beside: impl FnOnce()) -> Vec<(Option<Verdict>, Stats)> {
        let solver = || Solver::new(&self.world, self.options.solve);
        if part.motions.len() == 1 {
            // Not worth the way to another thread.
            beside();
            return vec![self.solve(part, output, 0, &mut solver())];
        }
        let mut solved = Vec::new();
        self.pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                // In small portions, so that no thread waits long for another's last one.
                let motions = (0..part.motions.len()).into_par_iter().with_max_len(4);
                motions.map_init(solver, |solver, m| self.solve(part, output, m, solver)).collect_into_vec(&mut solved);
            });
            beside();
        });
        solved
    }

    /// The exact stage for one motion.
    fn solve(&self, part: &Part, output: &ChunkOutput, m: usize, solver: &mut Solver) -> (Option<Verdict>, Stats) {
        let clock = Instant::now();
        let (mut stats, motion, mut verdict) = (Stats::default(), &part.motions[m], None);
        let mut pieces = part.pieces_of(m).map(|i| (&part.pieces[i], output.pairs[i].as_deref()));
        solver.begin();
        let mut take = |(piece, pairs): (&Piece, Option<&[TrianglePair]>)| {
            let pairs = pairs?;
            stats.stage(Stage::Solve).items_in += pairs.len() as u64;
            Some(solver.certain(motion, piece, pairs, output.limits[m]) || solver.feed(motion, piece, pairs))
        };
        let is_whole = loop {
            match pieces.next().map(&mut take) {
                Some(None) => break false,
                Some(Some(false)) => {}
                Some(Some(true)) | None => break true,
            }
        };
        if is_whole {
            verdict = Some(solver.finish());
        }
        stats.add_solving(solver);
        stats.stage(Stage::Solve).seconds += clock.elapsed().as_secs_f64();
        (verdict, stats)
    }

    /// The answers of a part, motions of which pairs were lost checked again, each alone.
    fn settle(
        &self,
        flow: &mut GpuFlow,
        part: &Part,
        solved: Vec<(Option<Verdict>, Stats)>,
        free_set: usize,
        stats: &mut Stats,
    ) -> Result<Vec<Verdict>> {
        let one = |(m, (verdict, of_motion)): (usize, (Option<Verdict>, Stats))| match verdict {
            Some(verdict) => {
                stats.add(&of_motion);
                Ok(verdict)
            }
            None => self.check_alone(flow, part, m, free_set, stats),
        };
        solved.into_iter().enumerate().map(one).collect()
    }

    /// One motion: chunk after chunk of its pieces, and piece by piece where a chunk's pairs do not fit into memory, until the
    /// answer is known.
    fn check_alone(
        &self,
        flow: &mut GpuFlow,
        part: &Part,
        m: usize,
        free_set: usize,
        stats: &mut Stats,
    ) -> Result<Verdict> {
        let (motion, max_pieces) = (&part.motions[m], flow.chunk_pieces());
        let mut run = |pieces: &[Piece]| {
            let input = ChunkInput { pieces: pieces.to_vec(), motions: &part.motions };
            if !self.options.reference.is_empty() {
                return flow.run_mixed(&self.world, &self.options, &input, stats);
            }
            let started = flow.start(&self.world, &input, free_set)?;
            flow.finish(&self.world, &self.options, &input, started, stats)
        };
        let mut solver = Solver::new(&self.world, self.options.solve);
        solver.begin();
        let mut verdict = None;
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
                let Some(pairs) = pairs else {
                    verdict = Some(Verdict::Undecided(Undecided { clear_until: piece.t0, reason: Reason::Memory }));
                    break 'pieces;
                };
                if solver.certain(motion, piece, &pairs, limit) || solver.feed(motion, piece, &pairs) {
                    break 'pieces;
                }
            }
        }
        let verdict = verdict.unwrap_or_else(|| solver.finish());
        stats.add_solving(&mut solver);
        Ok(verdict)
    }
}
