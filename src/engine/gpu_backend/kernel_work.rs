//! Counts of the work of each kernel, from the lengths of queues that the device reports.

use crate::engine::device_work::KernelWork;
use crate::gpu::{Dispatch, INDIRECT_ARGS, Span, WorkSize};
use crate::stage::layout::{Counters, PhaseCounters, Routing};
use crate::stage::s4_sweep::raster;
use crate::stage::{kernel::Kernel, link_pairs, margin_probe, s3_cull, s5_pairs};
use std::collections::BTreeMap;

/// Work of kernels, by the stem of the file and the entry point.
pub(super) type KernelWorks = BTreeMap<[&'static str; 2], KernelWork>;

/// Adds work.
pub(super) fn add(sum: &mut KernelWorks, work: KernelWorks) {
    for (kernel, work) in work {
        *sum.entry(kernel).or_default() += work;
    }
}

/// The work of one submission. `control` are the words of the control buffer after it.
pub(super) fn of_submission<'k>(
    dispatches: impl Iterator<Item = Dispatch<'k>>,
    routings: &[Routing],
    control: &[u32],
) -> KernelWorks {
    let mut works = KernelWorks::new();
    for dispatch in dispatches {
        let invocations = match dispatch.size {
            WorkSize::Invocations(0) => continue,
            WorkSize::Invocations(n) => n,
            WorkSize::Indirect | WorkSize::IndirectWithPrevious => {
                if matches!(dispatch.size, WorkSize::Indirect) {
                    *works.entry(name(&INDIRECT_ARGS)).or_default() +=
                        KernelWork { dispatches: 1, invocations: 1, ..KernelWork::default() };
                }
                let routing = &routings[dispatch.routing as usize];
                let entries = control[routing.input as usize].min(routing.capacity);
                u64::from(entries) * u64::from(routing.invocations) * u64::from(routing.vertices.max(1))
            }
        };
        let work = KernelWork { dispatches: 1, invocations, ..KernelWork::default() };
        *works.entry(dispatch.kernel.name()).or_default() += work;
    }
    add(&mut works, of_page(&Counters::read(control)));
    works
}

/// Adds the times of dispatches that were measured on their own.
pub(super) fn add_seconds(works: &mut KernelWorks, seconds: &[(Span, f64)]) {
    for (span, seconds) in seconds {
        if let Some(kernel) = span.kernel {
            works.entry(kernel).or_default().seconds += seconds;
        }
    }
}

/// The entries that the kernels appended to the queues of one page.
fn of_page(counters: &Counters) -> KernelWorks {
    let [root_items, items] = first_and_rest([&counters.cull_levels]);
    let [seeds, descended] = first_and_rest(counters.phases.iter().flat_map(|p| [&p.link_levels, &p.node_levels]));
    let phases = |of: fn(&PhaseCounters) -> u32| counters.phases.iter().map(|p| u64::from(of(p))).sum::<u64>();
    entries([
        (margin_probe::SEEK, u64::from(counters.probed_clusters)),
        (s3_cull::ROOTS, root_items),
        (s3_cull::KERNEL, items + u64::from(counters.candidates)),
        (raster::MARK, u64::from(counters.listed_triangles) + u64::from(counters.tiles)),
        (s5_pairs::SEED, seeds),
        (s5_pairs::DESCEND_LINKS, descended + phases(|p| p.leaves)),
        (s5_pairs::TEST_LEAVES, phases(|p| p.triangles)),
        (s5_pairs::TEST_PAIRS, phases(|p| p.parts)),
    ])
}

/// The entries of the queues that collect over all pages of a chunk.
pub(super) fn of_chunk(counters: &Counters) -> KernelWorks {
    entries([
        (link_pairs::NEAR, u64::from(counters.near_pairs)),
        (s5_pairs::DESCEND_LINKS, u64::from(counters.node_boxes)),
        (s5_pairs::REFINE_PAIRS, u64::from(counters.pairs)),
    ])
}

fn name(kernel: &Kernel) -> [&'static str; 2] {
    [kernel.stem, kernel.entry]
}

fn entries<const N: usize>(of: [(Kernel, u64); N]) -> KernelWorks {
    let written = of.into_iter().filter(|(_, n)| *n > 0);
    written.map(|(kernel, n)| (name(&kernel), KernelWork { queue_entries: n, ..KernelWork::default() })).collect()
}

/// The sum of the first counters of some levels, and the sum of all others.
fn first_and_rest<'c, const N: usize>(levels: impl IntoIterator<Item = &'c [u32; N]>) -> [u64; 2] {
    levels.into_iter().fold([0; 2], |[first, rest], level| {
        let sum: u64 = level[1..].iter().map(|&n| u64::from(n)).sum();
        [first + u64::from(level[0]), rest + sum]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    #[test]
    fn every_entry_of_a_page_belongs_to_a_kernel() {
        let mut counters = Counters::zeroed();
        (counters.probed_clusters, counters.candidates, counters.tiles, counters.listed_triangles) = (1, 2, 4, 8);
        (counters.cull_levels[0], counters.cull_levels[3]) = (16, 32);
        let phase = &mut counters.phases[2];
        (phase.link_levels[0], phase.link_levels[1], phase.node_levels[0]) = (64, 128, 256);
        (phase.parts, phase.leaves, phase.triangles, phase.node_levels[5]) = (512, 1024, 2048, 4096);
        let of_page = of_page(&counters);
        assert_eq!(of_page.values().map(|work| work.queue_entries).sum::<u64>(), counters.page_entries());
        let of = |kernel: Kernel| of_page[&name(&kernel)].queue_entries;
        assert_eq!((of(s3_cull::ROOTS), of(s3_cull::KERNEL)), (16, 32 + 2));
        assert_eq!((of(s5_pairs::SEED), of(s5_pairs::DESCEND_LINKS)), (64 + 256, 128 + 4096 + 1024));
        (counters.near_pairs, counters.node_boxes, counters.pairs) = (1, 2, 4);
        assert_eq!(of_chunk(&counters).values().map(|work| work.queue_entries).sum::<u64>(), 7);
    }
}
