//! One motion on the CPU: the references of all stages.

use super::{Options, Stage, Stats};
use crate::model::world::World;
use crate::motion::ModelMotion;
use crate::stage::s1_concat::Poses;
use crate::stage::s2_bound::Boxes;
use crate::stage::s4_sweep::{Sweep, SweepCounts};
use crate::stage::s5_pairs::Limits;
use crate::stage::s6_solve::{self, Initial, Solver};
use crate::stage::{Piece, s1_concat, s2_bound, s3_cull, s4_sweep, s5_pairs};
use crate::verdict::{Reason, Undecided, Verdict};
use std::sync::Mutex;
use std::time::Instant;

/// The memory of the stages, kept from one motion to the next.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// The motion that is checked next.
    pub(super) motion: ModelMotion,
    poses: Poses,
    boxes: Boxes,
    cull: s3_cull::Workspace,
    pairs: s5_pairs::Workspace,
    limits: Limits,
    solver: s6_solve::Memory,
}

/// Memory for more candidates or pairs than this is given back: few motions need it.
const MOST_KEPT: usize = 1 << 14;

impl Workspace {
    /// Whether it is worth keeping.
    fn is_usual(&self) -> bool {
        let items = [self.cull.candidates.capacity(), self.pairs.pairs.capacity(), self.solver.pairs()];
        items.into_iter().all(|n| n <= MOST_KEPT)
    }
}

/// Workspaces that nobody uses, for whoever checks motions next, in any thread.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "a workspace is some kilobytes long, and moves twice for each motion")]
pub(super) struct Workspaces(Mutex<Vec<Box<Workspace>>>);

/// So many are kept.
const MOST_WORKSPACES: usize = 256;

impl Workspaces {
    /// One of them, or a new one.
    pub(super) fn lend(&self) -> Lent<'_> {
        Lent { space: self.0.lock().ok().and_then(|mut free| free.pop()), back: self }
    }
}

/// A workspace that goes back when it is dropped.
#[derive(Debug)]
pub(super) struct Lent<'a> {
    space: Option<Box<Workspace>>,
    back: &'a Workspaces,
}

impl Lent<'_> {
    pub(super) fn get(&mut self) -> &mut Workspace {
        self.space.get_or_insert_default()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let (Some(space), Ok(mut free)) = (self.space.take_if(|space| space.is_usual()), self.back.0.lock())
            && free.len() < MOST_WORKSPACES
        {
            free.push(space);
        }
    }
}

/// Checks the motion in a workspace with a form of swept-volume culling, with at most so many candidates or pairs; adds to the numbers.
pub(super) fn check(
    world: &World,
    options: &Options,
    item_cap: usize,
    form: Sweep,
    space: &mut Workspace,
    stats: &mut Stats,
) -> Verdict {
    let Workspace { motion, poses, boxes, cull, pairs: space, limits, solver: memory } = space;
    let mut solver = Solver::within(std::mem::take(memory), world, options.solve);
    let motions = std::slice::from_ref(motion);
    limits.clear();
    limits.push(u32::MAX);
    let mut out_of_memory = None;
    solver.begin();
    for piece in Piece::cut(0, motion) {
        stats.pieces += 1;
        let pieces = [piece];
        let mut clock = Clock::start(stats);
        s1_concat::reference_in(poses, &pieces, motions, options.bound);
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
            let input = s4_sweep::Input { world, motions, pieces: &pieces, poses, boxes };
            s4_sweep::reference(form, &input, candidates);
            let counts = SweepCounts::of(world, candidates);
            clock.stats.sweep.add(counts);
            counts.candidates_out as usize
        };
        clock.stage(Stage::Sweep, n, left);
        // Pairs that touch at the start may be ignored later: their contacts must not limit the others'.
        let limits_apply = options.solve.initial == Initial::Report;
        let input = s5_pairs::Input { world, pieces: &pieces, poses, boxes, candidates };
        let limited = limits_apply.then_some(&mut *limits);
        let (fits, counts) = match scene {
            Some(scene) => {
                let (pairs, counts) = s5_pairs::search_scene(&input, scene, limited, item_cap);
                let fits = pairs.is_some();
                space.pairs = pairs.unwrap_or_default();
                (fits, counts)
            }
            None => s5_pairs::search_in(space, &input, limited, item_cap),
        };
        clock.stats.pairs.add(counts);
        if !fits || n > item_cap {
            out_of_memory = Some(piece.t0);
            break;
        }
        let pairs = &mut space.pairs;
        s5_pairs::clip(pairs, &pieces, limits, world.links.len());
        clock.stage(Stage::Pairs, left, pairs.len());
        let done = solver.certain(motion, &piece, pairs, limits[0]) || solver.feed(motion, &piece, pairs);
        clock.stage(Stage::Solve, pairs.len(), 0);
        if done {
            break;
        }
    }
    let verdict = match out_of_memory {
        Some(clear_until) => Verdict::Undecided(Undecided { clear_until, reason: Reason::Memory }),
        None => solver.finish(),
    };
    stats.add_solving(&mut solver);
    *memory = solver.into_memory();
    verdict
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
