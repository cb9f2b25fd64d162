//! The dispatches of each stage, and the queues that each of them reads and writes.

use super::raster::RasterSweep;
use super::{GpuPipeline, Sweep, phases};
use crate::counter;
use crate::engine::options::{Capacities, Stage};
use crate::gpu::{Dispatch, WorkSize};
use crate::scene::world::SCENE_LEAF;
use crate::stage::SUBS;
use crate::stage::layout::Routing;

/// Parameters that determine the sequence of dispatches.
#[derive(Debug)]
pub(super) struct Schedule {
    /// Levels of the traversal of the scene's tree.
    pub cull_levels: u32,
    /// Levels of the deepest link tree.
    pub link_levels: u32,
    /// Number of phases of time in `s5_pairs`.
    pub n_phases: u32,
    /// True if short chunks have this number of phases, too.
    pub fixed_phase_count: bool,
    /// Nodes of the links' trees that may have boxes.
    pub n_boxed: u32,
}

impl Schedule {
    /// The routings of all dispatches: the levels of `s3_cull`, `s5_pairs` with all phases and with a single one,
    /// `s4_sweep`, the boxes of links against each other, `margin_probe`, the drawings of `s4_sweep`.
    pub fn routings(&self, capacities: &Capacities, raster: Option<&RasterSweep>) -> Vec<Routing> {
        let half = |level: u32| (level % 2) * capacities.queue;
        let level = |i: u32| Routing {
            input: counter!(cull_levels) + i,
            output: counter!(cull_levels) + i + 1,
            leaf_output: counter!(candidates),
            input_at: half(i),
            output_at: half(i + 1),
            capacity: capacities.queue,
            invocations: 8,
            ..Routing::default()
        };
        let mut routings: Vec<Routing> = (0..self.cull_levels).map(level).collect();
        for n_phases in [self.n_phases, 1] {
            routings.extend(phases::routings(capacities, self.link_levels, n_phases));
        }
        routings.push(Routing {
            input: counter!(candidates),
            output: counter!(sweep),
            capacity: capacities.candidates,
            invocations: SCENE_LEAF,
            ..Routing::default()
        });
        routings.push(Routing { output: counter!(near_pairs), ..Routing::default() });
        routings.push(Routing {
            input: counter!(probed_clusters),
            output: counter!(probed_clusters),
            capacity: capacities.queue,
            invocations: 1,
            ..Routing::default()
        });
        routings.extend(raster.into_iter().flat_map(|raster| raster.routings(capacities.candidates)));
        routings
    }

    /// Index of the first routing of `s5_pairs`.
    pub fn pairs_at(&self) -> u32 {
        self.cull_levels
    }

    /// Index of the first routing of `s4_sweep`.
    fn sweep_at(&self) -> u32 {
        self.pairs_at() + (self.n_phases + 1) * phases::n_dispatches(self.link_levels)
    }

    /// Index of the routing of the boxes of links against each other.
    fn near_at(&self) -> u32 {
        self.sweep_at() + 1
    }

    /// Index of the routing of `margin_probe`.
    fn probe_at(&self) -> u32 {
        self.near_at() + 1
    }

    /// Index of the first routing of the drawings of `s4_sweep`.
    fn raster_at(&self) -> u32 {
        self.probe_at() + 1
    }
}

impl GpuPipeline {
    /// The dispatches of a stage for a chunk of `n_pieces`.
    pub(super) fn dispatches(&self, stage: Stage, n_pieces: usize) -> Vec<Dispatch<'_>> {
        let (kernels, schedule) = (&self.kernels, &self.schedule);
        let direct = |kernel, per_piece: usize| {
            let size = WorkSize::Invocations((n_pieces * per_piece) as u64);
            vec![Dispatch { kernel, routing: 0, size, stage: stage as usize }]
        };
        let indirect = |kernel, routing| Dispatch { kernel, routing, size: WorkSize::Indirect, stage: stage as usize };
        match (stage, self.sweep) {
            (Stage::Concat, _) => direct(&kernels.concat, SUBS),
            (Stage::Bound, _) => {
                let links = self.links.iter();
                let near = links.map(|links| links.near_dispatch(schedule.near_at(), n_pieces));
                direct(&kernels.bound, SUBS).into_iter().chain(near).collect()
            }
            (Stage::Cull, _) if !self.settings.cull => Vec::new(),
            (Stage::Cull, _) => {
                let probe = kernels.probe.iter().flat_map(|[seek, compare]| {
                    // The start, and each sub-interval.
                    let times = (SUBS + 1) * self.world.links.len();
                    let size = WorkSize::Invocations((n_pieces * times) as u64);
                    let routing = schedule.probe_at();
                    [Dispatch { kernel: seek, routing, size, stage: stage as usize }, indirect(compare, routing)]
                });
                let levels = (0..schedule.cull_levels).map(|i| indirect(&kernels.cull, i));
                probe.chain(direct(&kernels.roots, 1)).chain(levels).collect()
            }
            (Stage::Sweep, Sweep::Compute) => {
                kernels.sweep.iter().map(|kernel| indirect(kernel, schedule.sweep_at())).collect()
            }
            (Stage::Sweep, Sweep::Raster) => {
                let raster = kernels.raster.iter();
                raster.flat_map(|raster| raster.dispatches(schedule.raster_at(), n_pieces)).collect()
            }
            (Stage::Pairs, _) => self.pair_dispatches(schedule, schedule.pairs_at(), n_pieces),
            (Stage::Sweep | Stage::Solve, _) => Vec::new(),
        }
    }
}
