//! One motion on the CPU: the references of all stages.

use super::{Options, Stage, Stats};
use crate::error::Result;
use crate::model::world::World;
use crate::motion::ModelMotion;
use crate::stage::s1_concat::Poses;
use crate::stage::s2_bound::Boxes;
use crate::stage::s4_sweep::{Sweep, SweepCounts};
use crate::stage::s6_solve::{Initial, Solver};
use crate::stage::{Piece, s1_concat, s2_bound, s3_cull, s4_sweep, s5_pairs};
use crate::verdict::{Reason, Undecided, Verdict};
use std::time::Instant;

/// The memory of the stages, kept from one motion to the next.
#[derive(Debug)]
pub(super) struct Workspace<'w> {
    solver: Solver<'w>,
    poses: Poses,
    boxes: Boxes,
    cull: s3_cull::Workspace,
    pairs: s5_pairs::Workspace,
}

impl<'w> Workspace<'w> {
    pub(super) fn new(world: &'w World, options: &Options) -> Self {
        Self {
            solver: Solver::new(world, options.solve),
            poses: Poses::default(),
            boxes: Boxes::default(),
            cull: s3_cull::Workspace::default(),
            pairs: s5_pairs::Workspace::default(),
        }
    }
}

/// Checks one motion, with a form of swept-volume culling.
pub(super) fn check(
    world: &World,
    options: &Options,
    form: Sweep,
    motion: ModelMotion,
    space: &mut Workspace,
) -> Result<(Verdict, Stats)> {
    let Workspace { solver, poses, boxes, cull, pairs: space } = space;
    let mut stats = Stats::default();
    let motions = [motion];
    let cap = options.item_cap();
    let mut limits = vec![u32::MAX];
    let mut out_of_memory = None;
    solver.begin();
    for piece in Piece::cut(0, &motions[0]) {
        stats.pieces += 1;
        let pieces = [piece];
        let mut clock = Clock::start(&mut stats);
        s1_concat::reference_in(poses, &pieces, &motions, options.bound);
        clock.stage(Stage::Concat, 1, poses.bounds.len());
        s2_bound::reference_in(boxes, world, &pieces, poses);
        clock.stage(Stage::Bound, poses.bounds.len(), boxes.lo.len());
        let scene = world.obbs.as_ref().and_then(|obbs| obbs.scene.as_ref()).filter(|_| !options.cull);
        match scene {
            None if options.cull => s3_cull::reference_in(cull, world, 1, boxes),
            // They meet at the next stage.
            Some(_) => cull.candidates.clear(),
            None => cull.candidates = s3_cull::everything(world, world.scene.tree.n_leaves() as u32, 1),
        }
        let candidates = &mut cull.candidates;
        let n = if scene.is_some() { world.links.len() } else { candidates.len() };
        clock.stage(Stage::Cull, boxes.lo.len(), n);
        let left = if form == Sweep::Off {
            n
        } else {
            let input = s4_sweep::Input { world, motions: &motions, pieces: &pieces, poses, boxes };
            s4_sweep::reference(form, &input, candidates);
            let counts = SweepCounts::of(world, candidates);
            clock.stats.sweep.add(counts);
            counts.candidates_out as usize
        };
        clock.stage(Stage::Sweep, n, left);
        // Pairs that touch at the start may be ignored later: their contacts must not limit the others'.
        let limits_apply = options.solve.initial == Initial::Report;
        let input = s5_pairs::Input { world, pieces: &pieces, poses, boxes, candidates };
        let limited = limits_apply.then_some(&mut limits);
        let (pairs, counts) = match scene {
            Some(scene) => s5_pairs::search_scene(&input, scene, limited, cap),
            None => s5_pairs::search_in(space, &input, limited, cap),
        };
        clock.stats.pairs.add(counts);
        let Some(mut pairs) = pairs.filter(|_| n <= cap) else {
            out_of_memory = Some(piece.t0);
            break;
        };
        s5_pairs::clip(&mut pairs, &pieces, &limits, world.links.len());
        clock.stage(Stage::Pairs, left, pairs.len());
        let done = solver.certain(&motions[0], &piece, &pairs, limits[0]) || solver.feed(&motions[0], &piece, &pairs);
        clock.stage(Stage::Solve, pairs.len(), 0);
        if done {
            break;
        }
    }
    let verdict = match out_of_memory {
        Some(clear_until) => Verdict::Undecided(Undecided { clear_until, reason: Reason::Memory }),
        None => solver.finish(),
    };
    stats.add_solving(solver);
    Ok((verdict, stats))
}

/// Takes the time of one stage after the other.
struct Clock<'s> {
    stats: &'s mut Stats,
    since: Instant,
}

impl<'s> Clock<'s> {
    fn start(stats: &'s mut Stats) -> Self {
        Self { stats, since: Instant::now() }
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
