//! A batch of motions on a graphics adapter: chunk after chunk, the next one loaded while the last one is at work, and the
//! exact stage on the CPU in between.

use super::gpu::{ChunkInput, ChunkOutput, GpuFlow, SETS, Started};
use super::{Deliver, Engine, Stage, Stats};
use crate::error::Result;
use crate::motion::{ModelMotion, Motions};
use crate::stage::Piece;
use crate::stage::s6_solve::Solver;
use crate::verdict::{Reason, Undecided, Verdict};
use rayon::prelude::*;
use std::time::Instant;

/// Motions that go to the device together.
#[derive(Debug, Default)]
struct Part {
    motions: Vec<ModelMotion>,
    pieces: Vec<Piece>,
}

impl Part {
    fn input(&self) -> ChunkInput<'_> {
        ChunkInput { pieces: self.pieces.clone(), motions: &self.motions }
    }
}

impl Engine {
    pub(super) fn check_on_gpu(
        &self,
        flow: &mut GpuFlow,
        motions: &Motions,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        self.choose_on_gpu(flow, motions)?;
        let mut on_device: Option<(Part, Started)> = None;
        let (mut first, mut set) = (0, 0);
        while first < motions.len() {
            let part = self.part(motions, first, flow.chunk_pieces())?;
            first += part.motions.len();
            stats.pieces += part.pieces.len() as u64;
            if part.pieces.len() > flow.chunk_pieces() {
                // One motion of very many turns.
                if let Some((part, started)) = on_device.take() {
                    let output = flow.finish(&self.world, &self.options, &part.input(), started, stats)?;
                    deliver(self.solve(&part, output, stats), stats)?;
                }
                let verdict = self.check_long(flow, &part, stats)?;
                deliver(vec![verdict], stats)?;
                continue;
            }
            if !self.options.reference.is_empty() {
                let output = flow.run_mixed(&self.world, &self.options, &part.input(), stats)?;
                deliver(self.solve(&part, output, stats), stats)?;
                continue;
            }
            let started = flow.start(&self.world, &part.input(), set)?;
            set = (set + 1) % SETS;
            if let Some((part, started)) = on_device.replace((part, started)) {
                let output = flow.finish(&self.world, &self.options, &part.input(), started, stats)?;
                deliver(self.solve(&part, output, stats), stats)?;
            }
        }
        if let Some((part, started)) = on_device {
            let output = flow.finish(&self.world, &self.options, &part.input(), started, stats)?;
            deliver(self.solve(&part, output, stats), stats)?;
        }
        Ok(())
    }

    /// One motion with more pieces than a chunk may have: chunk after chunk, until the answer is known.
    fn check_long(&self, flow: &mut GpuFlow, part: &Part, stats: &mut Stats) -> Result<Verdict> {
        let mut solver = Solver::new(&self.world, self.options.solve);
        solver.begin();
        for pieces in part.pieces.chunks(flow.chunk_pieces()) {
            let input = ChunkInput { pieces: pieces.to_vec(), motions: &part.motions };
            let output = if self.options.reference.is_empty() {
                let started = flow.start(&self.world, &input, 0)?;
                flow.finish(&self.world, &self.options, &input, started, stats)?
            } else {
                flow.run_mixed(&self.world, &self.options, &input, stats)?
            };
            for (piece, pairs) in pieces.iter().zip(&output.pairs) {
                let Some(pairs) = pairs else {
                    return Ok(Verdict::Undecided(Undecided { clear_until: piece.t0, reason: Reason::Memory }));
                };
                if solver.feed(&part.motions[0], piece, pairs) {
                    return Ok(solver.finish());
                }
            }
        }
        Ok(solver.finish())
    }

    /// The motions from `first` on whose pieces fill a chunk, at least one.
    fn part(&self, motions: &Motions, first: usize, max_pieces: usize) -> Result<Part> {
        let mut part = Part::default();
        while first + part.motions.len() < motions.len() {
            let motion = self.motion(motions, first + part.motions.len())?;
            let pieces = Piece::cut(part.motions.len() as u32, &motion);
            part.pieces.extend(pieces);
            if part.pieces.len() > max_pieces && !part.motions.is_empty() {
                let number = part.motions.len() as u32;
                part.pieces.retain(|p| p.motion < number);
                break;
            }
            part.motions.push(motion);
            if part.pieces.len() >= max_pieces {
                break;
            }
        }
        Ok(part)
    }

    /// The exact stage for a chunk.
    fn solve(&self, part: &Part, output: ChunkOutput, stats: &mut Stats) -> Vec<Verdict> {
        let mut starts = vec![0usize; part.motions.len() + 1];
        for piece in &part.pieces {
            starts[piece.motion as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let solver = || Solver::new(&self.world, self.options.solve);
        let solved: Vec<(Verdict, Stats)> = self.pool.install(|| {
            (0..part.motions.len())
                .into_par_iter()
                .map_init(solver, |solver, m| {
                    let clock = Instant::now();
                    let (mut stats, mut lost) = (Stats::default(), None);
                    solver.begin();
                    for i in starts[m]..starts[m + 1] {
                        let Some(pairs) = &output.pairs[i] else {
                            lost = Some(part.pieces[i].t0);
                            break;
                        };
                        stats.stage(Stage::Solve).items_in += pairs.len() as u64;
                        if solver.feed(&part.motions[m], &part.pieces[i], pairs) {
                            break;
                        }
                    }
                    let verdict = match lost {
                        Some(clear_until) => Verdict::Undecided(Undecided { clear_until, reason: Reason::Memory }),
                        None => solver.finish(),
                    };
                    stats.add_solving(solver);
                    stats.stage(Stage::Solve).seconds += clock.elapsed().as_secs_f64();
                    (verdict, stats)
                })
                .collect()
        });
        solved
            .into_iter()
            .map(|(verdict, part)| {
                stats.add(&part);
                verdict
            })
            .collect()
    }
}
