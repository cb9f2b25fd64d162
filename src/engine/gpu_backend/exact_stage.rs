//! The exact stage for motions that return from a graphics adapter, on the engine's threads.

use super::batches::GpuBatch;
use super::chunk::{Besides, clean};
use super::{ChunkInput, ChunkOutput, FrameIndex, GpuPipeline};
use crate::engine::core::EngineCore;
use crate::engine::link_search::LinkSearch;
use crate::engine::{Stage, Stats};
use crate::error::{Error, ErrorKind, Result};
use crate::robot::RobotMotion;
use crate::stage::s6_solve::{MayTouch, Motions, Solver};
use crate::stage::{Piece, TrianglePair, solids};
use crate::verdict::{Undecided, UndecidedReason, Verdict};
use rayon::Scope;
use rayon::prelude::*;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// A verdict, and the work for it.
pub(super) type Decided = (Verdict, Stats);

/// A batch after the exact stage. A motion whose pairs did not fit into memory has no verdict.
pub(super) struct Solved {
    pub part: GpuBatch,
    pub verdicts: Vec<(Option<Verdict>, Stats)>,
}

/// Waits for the exact stage of a batch.
pub(super) fn wait(solving: Receiver<Solved>) -> Result<Solved> {
    // A panic ends the scope as well.
    solving.recv().map_err(|_| Error::new(ErrorKind::Gpu, "the exact stage failed"))
}

/// The memory of a thread for motions that return from the device.
pub(super) struct Memory<'a> {
    solver: Solver<'a>,
    links: LinkSearch,
    solids: solids::Workspace,
}

impl<'a> Memory<'a> {
    pub fn new(core: &'a EngineCore) -> Self {
        let solver = Solver::new(&core.world, core.options.solve);
        Self { solver, links: LinkSearch::default(), solids: solids::Workspace::default() }
    }
}

/// The answer for a part of a trajectory in which something may touch.
const POSSIBLE: Verdict = Verdict::Undecided(Undecided { clear_until: 0.0, reason: UndecidedReason::EvaluationCap });

impl EngineCore {
    /// Returns whether starts within the margin are decided before motions are sent to an adapter, which does not look
    /// for links within the margin of others.
    pub(super) fn decides_starts_before(&self) -> bool {
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
    pub(super) fn decide_start(&self, motion: &RobotMotion, memory: &mut Memory) -> Option<Decided> {
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
    pub(super) fn start_solving<'s>(
        &'s self,
        scope: &Scope<'s>,
        part: GpuBatch,
        output: ChunkOutput,
    ) -> Receiver<Solved> {
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

    /// The exact stage for one motion.
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
        if output.possible.has(m) {
            return (Some(POSSIBLE), Stats::default());
        }
        if output.starts.get(m) == Some(&true) {
            // The adapter's proof is for any pair; the one to report is the lowest.
            let decided = self.decide_start(&part.motions[m], memory);
            return decided.map_or_else(Default::default, |(verdict, stats)| (Some(verdict), stats));
        }
        let clock = Instant::now();
        memory.solver.begin();
        memory.links.begin(&self.world);
        // For a part of a trajectory a single pair is enough.
        memory.links.set_first_only(part.are_spans);
        let limits = vec![output.limits[m]];
        let mut motion = ReturnedMotion { core: self, part, output, m, limits, stats: Stats::default() };
        let verdict = match part.are_spans {
            true => Some(motion.solve_span(pairs, memory)),
            false => motion.solve_whole(pairs, memory),
        };
        let mut stats = motion.stats;
        stats.add_solving(&mut memory.solver);
        stats.stage(Stage::Solve).seconds += clock.elapsed().as_secs_f64();
        (verdict, stats)
    }

    /// The verdicts of a batch. Motions whose pairs did not fit into memory are checked again, each alone.
    pub(super) fn recheck_overflowed(
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

/// A motion that returns from the device, with the pairs of its pieces.
struct ReturnedMotion<'a> {
    core: &'a EngineCore,
    part: &'a GpuBatch,
    output: &'a ChunkOutput,
    /// Index of the motion in its batch.
    m: usize,
    limits: Vec<u32>,
    stats: Stats,
}

impl<'a> ReturnedMotion<'a> {
    /// The verdict of a motion; `None` if its pairs did not fit into memory.
    fn solve_whole(&mut self, pairs: &mut [Option<Vec<TrianglePair>>], memory: &mut Memory) -> Option<Verdict> {
        let Memory { solver, links, solids } = memory;
        for (i, scene) in self.part.pieces_of(self.m).zip(pairs) {
            let scene = self.cleaned(scene)?;
            let (motions, may_touch) = self.with_links(i, scene, links)?;
            let piece = &self.part.pieces[i];
            if solver.certain(motions, piece, may_touch, self.limits[0]) || solver.feed(motions, piece, may_touch) {
                break;
            }
        }
        let (found, motion) = (solver.finish(), &self.part.motions[self.m]);
        Some(self.core.complete(solids, motion, || solver.ignored(), found, &mut self.stats))
    }

    /// The verdict of a part of a trajectory, without the exact stage.
    fn solve_span(&mut self, pairs: &mut [Option<Vec<TrianglePair>>], memory: &mut Memory) -> Verdict {
        for (i, scene) in self.part.pieces_of(self.m).zip(pairs) {
            let scene = self.cleaned(scene).filter(|scene| scene.is_empty());
            let pairs = scene.and_then(|scene| self.with_links(i, scene, &mut memory.links));
            if pairs.is_none_or(|(_, may_touch)| !may_touch.links.is_empty()) {
                return POSSIBLE;
            }
        }
        Verdict::Free
    }

    /// The pairs of links and scene in a piece, without those after the limits.
    fn cleaned<'p>(&self, scene: &'p mut Option<Vec<TrianglePair>>) -> Option<&'p [TrianglePair]> {
        let scene = scene.as_mut()?;
        clean(scene, &self.part.pieces, &self.output.limits, self.core.world.links.len());
        Some(scene)
    }

    /// Adds the pairs of two links, which are searched for here if they were not on the device.
    fn with_links<'p>(
        &mut self,
        i: usize,
        scene: &'p [TrianglePair],
        links: &'p mut LinkSearch,
    ) -> Option<(Motions<'p>, MayTouch<'p>)>
    where
        'a: 'p,
    {
        let robot = &self.part.motions[self.m];
        let (chains, pairs) = match self.output.links.of_motion(self.m) {
            Some((pieces, chains)) => (chains, &pieces[i][..]),
            None => {
                let of = (&*self.core.world, &self.core.options);
                let piece = (robot, &self.part.pieces[i]);
                links.search_alone(of, piece, &mut self.limits, &mut self.stats).then_some(())?;
                (links.chains(), links.pairs())
            }
        };
        self.stats.stage(Stage::Solve).items_in += (scene.len() + pairs.len()) as u64;
        Some((Motions { robot, chains }, MayTouch { scene, links: pairs }))
    }
}
