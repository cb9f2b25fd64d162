//! The stages of one motion on the CPU.

use super::scratch::Scratch;
use crate::bvh::obb_tree::ObbTrees;
use crate::engine::{Options, Stage, Stats};
use crate::scene::world::CollisionWorld;
use crate::stage::s2_bound::Boxes;
use crate::stage::s4_sweep::{Sweep, SweepCounts};
use crate::stage::s6_solve::{InitialContactPolicy, MayTouch, Motions, SolveOptions, Solver};
use crate::stage::{Piece, s1_concat, s2_bound, s3_cull, s4_sweep, s5_pairs};
use crate::verdict::{Undecided, UndecidedReason, Verdict};
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
        let Self { world, obb_trees, options, sweep } = *self;
        let Scratch { motion, poses, boxes, cull, pairs: search, limits, links, solver: memory, .. } = scratch;
        let mut solver = Solver::within(std::mem::take(memory), world, options.solve);
        let motions = std::slice::from_ref(motion);
        limits.clear();
        limits.push(u32::MAX);
        let mut out_of_memory = None;
        solver.begin();
        links.begin(world);
        let starts_within = self.one_pair_decides_the_start() && {
            let mut clock = Clock::start(stats);
            let pair = s5_pairs::first_at_start(search, world, motion, options.solve.margin_m);
            clock.stage(Stage::Pairs, 0, usize::from(pair.is_some()));
            let starts_within = pair.is_some_and(|pair| solver.start_within(motion, &pair));
            clock.stage(Stage::Solve, usize::from(pair.is_some()), 0);
            starts_within
        };
        for piece in Piece::cut_by_travel(0, motion, world).take(if starts_within { 0 } else { usize::MAX }) {
            stats.pieces += 1;
            let pieces = [piece];
            let mut clock = Clock::start(stats);
            s1_concat::reference_in(poses, &pieces, motions, options.bound);
            clock.stage(Stage::Concat, 1, poses.bounds.len());
            s2_bound::reference_in(boxes, world, &pieces, poses);
            clock.stage(Stage::Bound, poses.bounds.len(), boxes.lo.len());
            let n_candidates = self.broad_phase(boxes, cull);
            clock.stage(Stage::Cull, boxes.lo.len(), n_candidates);
            let candidates = &mut cull.candidates;
            let mut n_left = n_candidates;
            if sweep != Sweep::Off {
                let input = s4_sweep::Input { world, motions, pieces: &pieces, poses, boxes };
                s4_sweep::reference(sweep, &input, candidates);
                let counts = SweepCounts::of(world, candidates);
                clock.stats.sweep.add(counts);
                n_left = counts.candidates_out as usize;
            }
            clock.stage(Stage::Sweep, n_candidates, n_left);
            // With `InitialContactPolicy::Ignore` a contact may be ignored later and must not limit the others.
            let limited = (options.solve.initial == InitialContactPolicy::Report).then_some(&mut *limits);
            let input = s5_pairs::Input { world, obb_trees, pieces: &pieces, poses, boxes, candidates };
            let (fits, counts) = s5_pairs::search_in(search, &input, limited, item_cap);
            clock.stats.pairs.add(counts);
            let pairs = &mut search.pairs;
            clock.stage(Stage::Pairs, n_left, pairs.len());
            let fits = fits
                && n_candidates <= item_cap
                && links.search((world, options), (motion, &piece), (&*poses, &*boxes, item_cap), limits, clock.stats);
            if !fits {
                out_of_memory = Some(piece.t0);
                break;
            }
            s5_pairs::clip(pairs, &pieces, limits, world.links.len());
            clock.restart();
            let motions = Motions { robot: motion, chains: links.chains() };
            let may_touch = MayTouch { scene: pairs, links: links.pairs() };
            let is_decided =
                solver.certain(motions, &piece, may_touch, limits[0]) || solver.feed(motions, &piece, may_touch);
            clock.stage(Stage::Solve, pairs.len() + links.pairs().len(), 0);
            if is_decided {
                break;
            }
        }
        let verdict = match out_of_memory {
            Some(clear_until) => Verdict::Undecided(Undecided { clear_until, reason: UndecidedReason::Memory }),
            None => solver.finish(),
        };
        stats.add_solving(&mut solver);
        *memory = solver.into_memory();
        verdict
    }

    /// Returns whether motions that start within the margin are decided by the lowest pair that is: with a margin there
    /// may be many.
    fn one_pair_decides_the_start(&self) -> bool {
        let SolveOptions { margin_m, initial, all_contacts, .. } = self.options.solve;
        let only_scene = self.world.frames.is_empty();
        margin_m > 0.0 && initial == InitialContactPolicy::Report && !all_contacts && only_scene
    }

    /// Finds the candidates: by `s3_cull`, or all of them if it is disabled. Returns their number.
    fn broad_phase(&self, boxes: &Boxes, cull: &mut s3_cull::Workspace) -> usize {
        let world = self.world;
        if self.options.cull {
            s3_cull::cull_in(cull, world, 1, boxes);
        } else if self.obb_trees.is_some_and(|trees| trees.scene.is_some()) {
            // `s5_pairs` searches the whole scene for each link.
            cull.candidates.clear();
            return world.links.len();
        } else {
            cull.candidates = s3_cull::everything(world, world.scene.tree.n_leaves() as u32, 1);
        }
        cull.candidates.len()
    }
}

/// Measures the time of consecutive stages.
struct Clock<'s> {
    stats: &'s mut Stats,
    since: Instant,
}

impl<'s> Clock<'s> {
    fn start(stats: &'s mut Stats) -> Self {
        Self { stats, since: Instant::now() }
    }

    /// Omits the time since the last stage.
    fn restart(&mut self) {
        self.since = Instant::now();
    }

    fn stage(&mut self, stage: Stage, items_in: usize, items_out: usize) {
        let now = Instant::now();
        let stats = self.stats.stage(stage);
        stats.seconds += (now - self.since).as_secs_f64();
        stats.items_in += items_in as u64;
        stats.items_out += items_out as u64;
        self.since = now;
    }
}
