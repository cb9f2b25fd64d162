//! Trajectories on a graphics adapter.
//!
//! The trajectories are cut into spans that deviate little from straight motions. The device searches all spans, with
//! balls that contain the deviations, for triangles that may touch, some spans of each trajectory at a time. A span
//! without such triangles is free; the search on the CPU begins at the first span of a trajectory that has some.

use super::GpuPipeline;
use crate::engine::core::EngineCore;
use crate::engine::cpu_backend::ScratchGuard;
use crate::engine::motion_queue::MotionQueue;
use crate::engine::stats::Stats;
use crate::engine::trajectory::{March, Spans};
use crate::error::Result;
use crate::robot::{MotionBatch, Trajectory};
use crate::stage::s6_solve::InitialContactPolicy;
use crate::verdict::Verdict;
use rayon::prelude::*;
use std::sync::Mutex;

/// Largest deviation of a link from a span on the device, metres. A smaller one requires more spans; with a larger one,
/// fewer of them are free.
const ON_DEVICE_M: f64 = 0.005;
/// Number of spans of each trajectory that the device searches first, and the factor by which it grows: nothing after
/// the first contact is needed.
const FIRST_SPANS: usize = 16;
const MORE_SPANS: usize = 4;

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
        let mut searches: Vec<Search> = all.iter().map(Search::new).collect();
        let mut n_spans = FIRST_SPANS;
        loop {
            let mut open: Vec<&mut Search> = searches.iter_mut().filter(|search| !search.is_over()).collect();
            if open.is_empty() {
                break;
            }
            let motions: Vec<MotionBatch> = open.iter().map(|search| search.next(n_spans)).collect();
            let mut answers = Vec::new();
            let mut deliver = |verdicts: Vec<Verdict>, _: &mut Stats| {
                answers.extend(verdicts.iter().map(|verdict| *verdict == Verdict::Free));
                Ok(())
            };
            let lengths: Vec<usize> = motions.iter().map(MotionBatch::len).collect();
            let mut source = motions.into_iter().map(Ok);
            let mut queue = MotionQueue::new(&mut source, self.world.robot.columns.len());
            self.check_on_gpu(pipelines, &mut queue, &mut deliver, stats)?;
            let mut answers = answers.into_iter();
            for (search, n) in open.iter_mut().zip(lengths) {
                search.take(answers.by_ref().take(n));
            }
            n_spans *= MORE_SPANS;
        }
        Ok(searches.iter().map(Search::free_until).collect())
    }
}

/// The search through the spans of a trajectory, up to the first in which something may touch.
struct Search<'a> {
    spans: &'a Spans,
    n_free: usize,
    may_touch: bool,
}

impl<'a> Search<'a> {
    fn new(spans: &'a Spans) -> Self {
        Self { spans, n_free: 0, may_touch: false }
    }

    fn is_over(&self) -> bool {
        self.may_touch || self.n_free == self.spans.starts.len()
    }

    /// The next spans, at most this many.
    fn next(&self, n: usize) -> MotionBatch {
        self.spans.motions.range(self.n_free..self.spans.starts.len().min(self.n_free.saturating_add(n)))
    }

    /// Takes whether the next spans are free.
    fn take(&mut self, are_free: impl Iterator<Item = bool>) {
        for is_free in are_free {
            self.may_touch |= !is_free;
            self.n_free += usize::from(!self.may_touch);
        }
    }

    /// The parameter up to which nothing touches; 1 if all spans are free.
    fn free_until(&self) -> f64 {
        self.spans.starts.get(self.n_free).copied().unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_at_the_first_span_that_may_touch() {
        let starts = vec![0.0, 0.25, 0.5, 0.75];
        let motions = MotionBatch::from_flat(starts.len(), 1, vec![0.0; 2 * starts.len()]).unwrap();
        let spans = Spans { starts, motions };
        for (first, until) in [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().enumerate() {
            let mut search = Search::new(&spans);
            while !search.is_over() {
                let begin = search.n_free;
                let end = begin + search.next(3).len();
                search.take((begin..end).map(|span| span != first));
            }
            assert_eq!(search.free_until(), until);
        }
    }
}
