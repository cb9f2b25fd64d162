//! Trajectories on a graphics adapter.
//!
//! The trajectories are cut into spans that deviate little from straight motions. The device searches all spans, with
//! balls that contain the deviations, for triangles that may touch. A span without such triangles is free; the search
//! on the CPU begins at the first span of a trajectory that has some.

use super::GpuPipeline;
use crate::engine::core::EngineCore;
use crate::engine::cpu_backend::ScratchGuard;
use crate::engine::motion_queue::MotionQueue;
use crate::engine::stats::Stats;
use crate::engine::trajectory::{March, Spans};
use crate::error::Result;
use crate::robot::Trajectory;
use crate::stage::s6_solve::InitialContactPolicy;
use crate::verdict::Verdict;
use rayon::prelude::*;
use std::sync::Mutex;

/// Largest deviation of a link from a span on the device, metres. A smaller one requires more spans; with a larger one,
/// fewer of them are free.
const ON_DEVICE_M: f64 = 0.005;

impl EngineCore {
    /// The parameter of each trajectory up to which the device has proved it free; 1 if all of it is.
    pub(in crate::engine) fn free_on_gpu(
        &self,
        pipelines: &[Mutex<GpuPipeline>],
        trajectories: &[Trajectory],
        tube: &[f64],
        stats: &mut Stats,
    ) -> Result<Vec<f64>> {
        // Pairs that touch at the start are found by the exact stage and are unknown to the device.
        if self.options.solve.initial == InitialContactPolicy::Ignore {
            return Ok(vec![0.0; trajectories.len()]);
        }
        let cut = |guard: &mut ScratchGuard, path: &Trajectory| {
            if path.check(&self.world.robot).is_err() {
                // The check on the CPU reports the error.
                return Ok(Spans::default());
            }
            let mut unused = Stats::default();
            March::new((self, &self.options), guard.get(), path, tube, &mut unused).spans(ON_DEVICE_M)
        };
        let each = trajectories.par_iter().with_max_len(1);
        let acquire = || self.workers.scratch.acquire();
        let all: Vec<Spans> = self.workers.pool.install(|| each.map_init(acquire, cut).collect::<Result<_>>())?;
        let starts = all.iter().flat_map(|spans| &spans.starts).copied().collect::<Vec<f64>>();
        let mut motions = all.iter().map(|spans| Ok(spans.motions.clone()));
        let mut queue = MotionQueue::new(&mut motions, self.world.robot.columns.len());
        let mut free_until = starts.iter().map(|_| 0.0).collect::<Vec<f64>>();
        let mut next = 0;
        let mut deliver = |verdicts: Vec<Verdict>, _: &mut Stats| {
            for verdict in verdicts {
                free_until[next] = if verdict == Verdict::Free { 1.0 } else { starts[next] };
                next += 1;
            }
            Ok(())
        };
        self.check_on_gpu(pipelines, &mut queue, &mut deliver, stats)?;
        let mut of_spans = free_until.into_iter();
        let first = |spans: &Spans| {
            let of_path: Vec<f64> = of_spans.by_ref().take(spans.starts.len()).collect();
            of_path.into_iter().find(|until| *until < 1.0).unwrap_or(1.0)
        };
        Ok(all.iter().map(first).collect())
    }
}
