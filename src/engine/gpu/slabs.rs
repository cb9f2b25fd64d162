//! The steps of `s5_pairs`, slab of time after slab: what lies after a contact that an earlier slab made certain is not looked for.
//!
//! Every slab has counters of its own and takes its entries from the same candidates; pairs of all slabs go to one queue. A
//! limit that has not been seen yet costs time, no more: it is lowered by certain contacts alone.

use super::{CANDIDATES, GpuFlow, PAIRS};
use crate::engine::options::{Capacities, Stage};
use crate::gpu::layout::Pass;
use crate::gpu::{Size, Step};
use crate::stage::SUBS;

/// Levels that the links' trees may have.
pub(super) const LINK_LEVELS: usize = 60;
/// Slabs that there are counters for.
pub(super) const MOST_SLABS: u32 = 16;
/// The counters of a slab: one for each level, these three, and one for the nodes of each level that are met first.
const PARTS: u32 = 61;
const LEAVES: u32 = 62;
const TRIANGLES: u32 = 63;
const NODES: u32 = 64;
pub(super) const COUNTERS_PER_SLAB: u32 = 128;
const _: () = assert!((LINK_LEVELS as u32) < PARTS && PARTS < LEAVES && LEAVES < TRIANGLES && TRIANGLES < NODES);
const _: () = assert!(NODES + (LINK_LEVELS as u32) < COUNTERS_PER_SLAB);
/// The first slab's first counter.
pub(super) const FIRST: u32 = 256;

/// Slabs where nothing else is asked for: twice as many look at candidates of free motions more often than they save with others.
pub(super) const USUAL: u32 = 4;
/// With fewer pieces a dispatch costs more than what it does: one slab is all then.
const FEW_PIECES: usize = 16;

/// Nodes of the links' trees that may have boxes for all sub-intervals: a word each and piece says which.
const MOST_BOXED: usize = 256;

/// Nodes of so many that may have boxes.
pub(super) fn boxed_nodes(n_nodes: usize) -> usize {
    n_nodes.min(MOST_BOXED)
}

/// Steps of a slab.
pub(super) fn steps(link_levels: u32) -> u32 {
    2 * link_levels + 4
}

/// The queues of the steps of all slabs: for each `roots`, the levels of `nodes` and `links`, `leaves`, `pairs`, `parts`.
pub(super) fn passes(c: &Capacities, link_levels: u32, n_slabs: u32) -> Vec<Pass> {
    let half = |level: u32| (level % 2) * c.queue;
    // Likewise the lists of nodes: one is read while the other is written.
    let nodes_at = |level: u32| (level % 2) * c.boxes;
    let mut passes = Vec::new();
    for slab in 0..n_slabs {
        let first = FIRST + slab * COUNTERS_PER_SLAB;
        let [parts, leaves, triangles] = [PARTS, LEAVES, TRIANGLES].map(|counter| first + counter);
        let common = Pass { capacity: c.queue, invocations: 8, slab, n_slabs, ..Pass::default() };
        let nodes = first + NODES;
        let roots = Pass { input: CANDIDATES, output: first, capacity: c.candidates, invocations: 1, ..common };
        passes.push(Pass { nodes_output: nodes, nodes_output_at: nodes_at(0), ..roots });
        for i in 0..link_levels {
            let invocations = SUBS as u32;
            let boxes = Pass { input: nodes + i, input_at: nodes_at(i), capacity: c.boxes, invocations, ..common };
            let links = Pass {
                input: first + i,
                output: first + i + 1,
                leaf_output: leaves,
                input_at: half(i),
                output_at: half(i + 1),
                nodes_output: nodes + i + 1,
                nodes_output_at: nodes_at(i + 1),
                ..common
            };
            passes.extend([boxes, links]);
        }
        passes.push(Pass { input: leaves, output: triangles, invocations: 1, ..common });
        passes.push(Pass { input: triangles, output: parts, output_at: half(1), ..common });
        passes.push(Pass { input: parts, input_at: half(1), output: PAIRS, invocations: 1, ..common });
    }
    passes
}

impl GpuFlow {
    /// The steps of `s5_pairs` for a chunk of `n_pieces`; `first` is the number of the first of [`passes`] for all slabs, which those for
    /// a single one follow.
    pub(super) fn pair_steps(&self, first: u32, n_pieces: usize) -> Vec<Step<'_>> {
        let (k, stage) = (&self.kernels, Stage::Pairs as usize);
        let mut all = Vec::new();
        let of_slab = self::steps(self.link_levels);
        let is_single = n_pieces < FEW_PIECES && !self.always_slabs;
        let (first, n_slabs) = if is_single { (first + self.n_slabs * of_slab, 1) } else { (first, self.n_slabs) };
        for slab in 0..n_slabs {
            let first = first + slab * of_slab;
            let levels = (0..self.link_levels).flat_map(|_| [&k.nodes, &k.links]);
            let kernels = std::iter::once(&k.roots).chain(levels).chain([&k.leaves, &k.pairs, &k.parts]);
            all.extend((first..).zip(kernels).map(|(pass, pipeline)| Step {
                pipeline,
                pass,
                size: Size::Queue,
                stage,
            }));
        }
        all
    }
}
