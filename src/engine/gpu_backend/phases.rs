//! The dispatches of `s5_pairs`, phase after phase of time: work on times after a contact that an earlier phase has
//! made certain is skipped.
//!
//! Every phase has its own counters and takes its entries from the same candidates; the pairs of all phases are
//! appended to one queue. A cutoff that is not yet visible only costs time, because only certain contacts lower it.

use super::GpuPipeline;
use super::schedule::Schedule;
use crate::counter;
use crate::engine::options::{Capacities, Stage};
use crate::gpu::{Dispatch, WorkSize};
use crate::stage::SUBS;
use crate::stage::layout::{self, PhaseCounters, Routing};

/// Maximum number of phases.
pub(super) const MAX_PHASES: u32 = layout::MAX_PHASES as u32;
/// Default number of phases. Twice as many would cost more, because candidates of free motions are tested in every
/// phase, than they save for other motions.
pub(super) const DEFAULT_PHASES: u32 = 4;
/// Chunks with fewer pieces have a single phase, because a dispatch costs more than its work.
const MIN_PHASED_PIECES: usize = 16;

/// Number of dispatches of a phase.
pub(super) fn n_dispatches(link_levels: u32) -> u32 {
    2 * link_levels + 4
}

/// The index of a counter of the first phase.
macro_rules! phase_counter {
    ($member:ident) => {
        counter!(phases) + (std::mem::offset_of!(PhaseCounters, $member) / size_of::<u32>()) as u32
    };
}

/// The routings of all phases. Each phase has one for `seed`, one each for `bound_nodes` and `descend_links` per level,
/// and one each for `test_leaves`, `test_pairs` and `refine_pairs`.
pub(super) fn routings(c: &Capacities, link_levels: u32, n_phases: u32) -> Vec<Routing> {
    let half = |level: u32| (level % 2) * c.queue;
    // Lists of nodes alternate likewise: one is read while the other is written.
    let nodes_at = |level: u32| (level % 2) * c.boxes;
    let mut routings = Vec::new();
    for phase in 0..n_phases {
        let of_phase = phase * PhaseCounters::WORDS;
        let link_levels_at = of_phase + phase_counter!(link_levels);
        let node_levels_at = of_phase + phase_counter!(node_levels);
        let parts = of_phase + phase_counter!(parts);
        let leaves = of_phase + phase_counter!(leaves);
        let triangles = of_phase + phase_counter!(triangles);
        let common = Routing { capacity: c.queue, invocations: 8, phase, n_phases, ..Routing::default() };
        routings.push(Routing {
            input: counter!(candidates),
            output: link_levels_at,
            capacity: c.candidates,
            invocations: 1,
            nodes_output: node_levels_at,
            nodes_output_at: nodes_at(0),
            ..common
        });
        for level in 0..link_levels {
            // The arguments of both are computed together.
            let bound_nodes = Routing {
                input: node_levels_at + level,
                next_input: link_levels_at + level,
                next_capacity: common.capacity,
                next_invocations: common.invocations,
                input_at: nodes_at(level),
                capacity: c.boxes,
                invocations: SUBS as u32,
                ..common
            };
            let descend_links = Routing {
                input: link_levels_at + level,
                output: link_levels_at + level + 1,
                leaf_output: leaves,
                input_at: half(level),
                output_at: half(level + 1),
                nodes_output: node_levels_at + level + 1,
                nodes_output_at: nodes_at(level + 1),
                ..common
            };
            routings.extend([bound_nodes, descend_links]);
        }
        routings.push(Routing { input: leaves, output: triangles, invocations: 1, ..common });
        routings.push(Routing { input: triangles, output: parts, output_at: half(1), ..common });
        let pairs = counter!(pairs);
        routings.push(Routing { input: parts, input_at: half(1), output: pairs, invocations: 1, ..common });
    }
    routings
}

impl GpuPipeline {
    /// The dispatches of `s5_pairs` for a chunk of `n_pieces`. `first` is the index of the first of the [`routings`]
    /// for all phases; those for a single phase follow.
    pub(super) fn pair_dispatches(&self, schedule: &Schedule, first: u32, n_pieces: usize) -> Vec<Dispatch<'_>> {
        let k = &self.kernels;
        let per_phase = n_dispatches(schedule.link_levels);
        let is_single = n_pieces < MIN_PHASED_PIECES && !schedule.fixed_phase_count;
        let (first, n_phases) =
            if is_single { (first + schedule.n_phases * per_phase, 1) } else { (first, schedule.n_phases) };
        let mut all = Vec::new();
        for phase in 0..n_phases {
            let level = [(&k.bound_nodes, WorkSize::Indirect), (&k.descend_links, WorkSize::IndirectWithPrevious)];
            let last = [&k.test_leaves, &k.test_pairs, &k.refine_pairs].map(|kernel| (kernel, WorkSize::Indirect));
            let levels = (0..schedule.link_levels).flat_map(|_| level);
            let kernels = std::iter::once((&k.seed, WorkSize::Indirect)).chain(levels).chain(last);
            let first = first + phase * per_phase;
            all.extend((first..).zip(kernels).map(|(routing, (kernel, size))| Dispatch {
                kernel,
                routing,
                size,
                stage: Stage::Pairs as usize,
            }));
        }
        all
    }
}
