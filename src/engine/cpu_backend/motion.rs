//! The stages of one motion on the CPU.

use super::scratch::Scratch;
use crate::bvh::obb_tree::ObbTrees;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::engine::{Options, Stage, StageStats, Stats};
use crate::scene::world::CollisionWorld;
use crate::stage::s2_bound::Boxes;
use crate::stage::s4_sweep::{Sweep, SweepCounts};
use crate::stage::s5_pairs::Courses;
use crate::stage::s6_solve::{InitialContactPolicy, MayTouch, Motions, SolveOptions, Solver};
use crate::stage::{Piece, s1_concat, s2_bound, s3_cull, s4_sweep, s5_pairs};
use crate::verdict::{Contact, UndecidedReason, Verdict};
use std::time::Instant;

/// The stages on the CPU, with the alternatives that the options choose.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct CpuStages<'a> {
    pub world: &'a CollisionWorld,
    pub obb_trees: Option<&'a ObbTrees>,
    pub options: &'a Options,
    /// Form of swept-volume culling.
    pub sweep: Sweep,
}

impl CpuStages<'_> {
    /// Checks the motion in a scratch memory, with at most `item_cap` candidates or pairs, and adds to the statistics.
    pub fn check(&self, item_cap: usize, scratch: &mut Scratch, stats: &mut Stats) -> Verdict {
        self.check_part(item_cap, scratch, stats, Part { solve: self.options.solve, is_start: true })
    }

    /// Checks a motion that may be a part of a longer one.
    pub fn check_part(&self, item_cap: usize, scratch: &mut Scratch, stats: &mut Stats, part: Part) -> Verdict {
        let world = self.world;
        let mut solver = Solver::within(std::mem::take(&mut scratch.solver), world, part.solve);
        let mut out_of_memory = None;
        if part.is_start {
            solver.begin();
        } else {
            solver.go_on();
        }
        scratch.begin(world);
        let (solve, mut clock) = (&self.options.solve, Clock::start());
        let starts_within =
            solve.one_pair_decides_the_start() && self.starts_within(scratch, &mut solver, &mut clock, stats);
        let n_pieces = if starts_within { 0 } else { usize::MAX };
        scratch.links.set_ends_at_start(part.is_start && solve.one_pair_may_decide_the_start());
        for piece in Piece::cut_by_travel(0, &scratch.motion, world).take(n_pieces) {
            let mut fits = self.search(item_cap, scratch, &piece, &mut clock, stats);
            if scratch.links.starts_in_contact() {
                if self.starts_within(scratch, &mut solver, &mut clock, stats) {
                    break;
                }
                scratch.links.set_ends_at_start(false);
                fits = self.search(item_cap, scratch, &piece, &mut clock, stats);
            }
            if !fits {
                out_of_memory = Some(piece.t0);
                break;
            }
            let Scratch { motion, pairs: search, limits, links, .. } = &*scratch;
            let pairs = &search.pairs;
            let motions = Motions { robot: motion, chains: links.chains() };
            let may_touch = MayTouch { scene: pairs, links: links.pairs() };
            let is_decided =
                solver.certain(motions, &piece, may_touch, limits[0]) || solver.feed(motions, &piece, may_touch);
            // Without pairs there is too little work to measure.
            match pairs.len() + links.pairs().len() {
                0 => stats.stage(Stage::Solve).count(0, 0),
                n_pairs => clock.stage(stats.stage(Stage::Solve), n_pairs, 0),
            }
            if is_decided {
                break;
            }
        }
        scratch.links.set_ends_at_start(false);
        let verdict = match out_of_memory {
            Some(clear_until) => solver.give_up(clear_until, UndecidedReason::Memory),
            None => solver.finish(),
        };
        stats.add_solving(&mut solver);
        scratch.solver = solver.into_memory();
        verdict
    }

    /// The earliest time at which anything may touch in a part of a longer motion, by the stages before the exact one,
    /// as a possible contact, with its place if requested. `None` is a proof that nothing touches.
    pub fn earliest(
        &self,
        item_cap: usize,
        scratch: &mut Scratch,
        stats: &mut Stats,
        is_placed: bool,
    ) -> Option<Contact> {
        scratch.begin(self.world);
        // Ignored pairs must not hide others.
        scratch.set_first_only(self.options.solve.initial == InitialContactPolicy::Report);
        let mut pieces = Piece::cut_by_travel(0, &scratch.motion, self.world);
        let found = pieces.find_map(|piece| self.earliest_in(item_cap, scratch, stats, &piece, is_placed));
        scratch.set_first_only(false);
        found
    }

    fn earliest_in(
        &self,
        item_cap: usize,
        scratch: &mut Scratch,
        stats: &mut Stats,
        piece: &Piece,
        is_placed: bool,
    ) -> Option<Contact> {
        if !self.search(item_cap, scratch, piece, &mut Clock::start(), stats) {
            return Some(Contact::possible(piece.t0, None));
        }
        let mut solver = Solver::within(std::mem::take(&mut scratch.solver), self.world, self.options.solve);
        let may_touch = MayTouch { scene: &scratch.pairs.pairs, links: scratch.links.pairs() };
        let motions = Motions { robot: &scratch.motion, chains: scratch.links.chains() };
        let earliest = solver.earliest(motions, piece, may_touch, is_placed);
        scratch.solver = solver.into_memory();
        earliest
    }

    /// Finds the pairs of triangles that may touch in a piece. Returns false if there are too many.
    fn search(
        &self,
        item_cap: usize,
        scratch: &mut Scratch,
        piece: &Piece,
        clock: &mut Clock,
        stats: &mut Stats,
    ) -> bool {
        let Self { world, obb_trees, options, sweep } = *self;
        let Scratch { motion, poses, boxes, cull, pairs: search, limits, links, .. } = scratch;
        let motions = std::slice::from_ref(&*motion);
        stats.pieces += 1;
        let pieces = [*piece];
        s1_concat::reference_in(poses, &pieces, motions, options.bound);
        clock.stage(stats.stage(Stage::Concat), 1, poses.bounds.len());
        s2_bound::reference_in(boxes, world, &pieces, poses);
        clock.stage(stats.stage(Stage::Bound), poses.bounds.len(), boxes.lo.len());
        let n_candidates = self.broad_phase(&pieces, boxes, cull);
        clock.stage(stats.stage(Stage::Cull), boxes.lo.len(), n_candidates);
        let candidates = &mut cull.candidates;
        let mut n_left = n_candidates;
        if sweep == Sweep::Off {
            stats.stage(Stage::Sweep).count(n_candidates, n_candidates);
        } else {
            let input = s4_sweep::Input { world, motions, pieces: &pieces, poses, boxes };
            s4_sweep::reference(sweep, &input, candidates);
            let counts = SweepCounts::of(world, candidates);
            stats.sweep.add(counts);
            n_left = counts.candidates_out as usize;
            clock.stage(stats.stage(Stage::Sweep), n_candidates, n_left);
        }
        // With `InitialContactPolicy::Ignore` a contact may be ignored later and must not limit the others.
        let limited = (options.solve.initial == InitialContactPolicy::Report).then_some(&mut *limits);
        let is_jet = options.bound == PoseEnclosure::TaylorModel;
        let courses = is_jet.then_some(Courses::World(motions));
        let input = s5_pairs::Input { world, obb_trees, pieces: &pieces, poses, boxes, candidates, courses };
        let (fits, counts) = s5_pairs::search_in(search, &input, limited, item_cap);
        stats.pairs.add(counts);
        let pairs = &mut search.pairs;
        clock.stage(stats.stage(Stage::Pairs), n_left, pairs.len());
        let mut fits = fits && n_candidates <= item_cap;
        if fits && !world.frames.is_empty() {
            fits = links.search((world, options), (motion, piece), (&*poses, &*boxes, item_cap), limits, stats);
            // It has a clock of its own.
            *clock = Clock::start();
        }
        s5_pairs::clip(pairs, &pieces, limits, world.links.len());
        fits
    }

    /// Uses a pair within the margin at the start as the answer, if it decides the motion.
    fn starts_within(&self, scratch: &mut Scratch, solver: &mut Solver, clock: &mut Clock, stats: &mut Stats) -> bool {
        let Scratch { motion, links, .. } = scratch;
        let starts_within = links.decide_start(solver, (self.world, &self.options.solve), motion);
        clock.stage(stats.stage(Stage::Solve), usize::from(starts_within), 0);
        starts_within
    }

    /// Finds the candidates: by `s3_cull`, or all of them if it is disabled. Returns their number.
    fn broad_phase(&self, pieces: &[Piece], boxes: &Boxes, cull: &mut s3_cull::Workspace) -> usize {
        let world = self.world;
        if self.options.cull {
            s3_cull::cull_in(cull, world, pieces, boxes);
        } else if self.obb_trees.is_some_and(|trees| trees.scene.is_some()) {
            // `s5_pairs` searches the whole scene for each link.
            cull.candidates.clear();
            return world.links.len();
        } else {
            cull.candidates = s3_cull::everything(world, world.scene.tree.n_leaves() as u32, pieces);
        }
        cull.candidates.len()
    }
}

/// A motion as a part of a longer one.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Part {
    /// Accuracy of the answer, relative to this part.
    pub solve: SolveOptions,
    /// True if the longer motion starts here.
    pub is_start: bool,
}

/// Measures the time of consecutive stages.
struct Clock {
    since: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { since: Instant::now() }
    }

    /// Adds the time since the last stage to one, and the numbers of items that it read and wrote.
    fn stage(&mut self, stage: &mut StageStats, items_in: usize, items_out: usize) {
        let now = Instant::now();
        stage.seconds += (now - self.since).as_secs_f64();
        self.since = now;
        stage.count(items_in, items_out);
    }
}
