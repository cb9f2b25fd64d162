//! `--sweep auto`: chooses the form of swept-volume culling by measuring motions of the batch itself.
//!
//! The choice is made for the engine, not for each motion and link: in measurements in a machine room, of free and
//! colliding motions of 1° to 60°, it was the same for all of them. The search for pairs begins with an equally good
//! bound for each cluster, so the computed form costs more than it saves, on a CPU and on a software adapter. For
//! chains of slender links it saves more (figures in `benches/results/sweep.md`).

use super::core::EngineCore;
#[cfg(feature = "gpu")]
use super::gpu_backend::{ChunkInput, GpuPipeline};
use super::{Stage, Stats, Sweep};
use crate::error::Result;
use crate::robot::{MotionBatch, RobotMotion};
#[cfg(feature = "gpu")]
use crate::stage::Piece;
use std::sync::OnceLock;
#[cfg(feature = "gpu")]
use std::time::Instant;

/// Stride of the sampled motions; batches with fewer motions are not worth measuring.
const SAMPLE_STRIDE: usize = 256;
/// Ratio of times below which the other form replaces the one that is usually best; a few motions do not decide smaller
/// differences.
const MAX_TIME_RATIO: f64 = 0.8;
/// Number of motions at the start of the batch from which the sample is taken.
pub(super) const CALIBRATION_MOTIONS: usize = 16 * SAMPLE_STRIDE;

/// The forms of swept-volume culling that were fastest when measured.
#[derive(Debug, Default)]
pub(super) struct ChosenSweeps {
    on_cpu: OnceLock<Sweep>,
    on_adapters: OnceLock<Sweep>,
}

impl ChosenSweeps {
    fn get(&self, on_adapters: bool) -> &OnceLock<Sweep> {
        if on_adapters { &self.on_adapters } else { &self.on_cpu }
    }
}

impl EngineCore {
    /// At most `max` motions of a batch, evenly spaced.
    fn sample(&self, motions: &MotionBatch, max: usize) -> Result<Vec<RobotMotion>> {
        let n = (motions.len() / SAMPLE_STRIDE).min(max);
        (0..n).map(|k| self.motion(motions, (2 * k + 1) * motions.len() / (2 * n), 0)).collect()
    }

    /// Chooses the form for a batch on the CPU.
    pub(super) fn choose_sweep_on_cpu(&self, motions: &MotionBatch) -> Result<Sweep> {
        let [first, other] = [Sweep::Off, Sweep::Compute];
        if let Some(known) = self.known_sweep(false) {
            return Ok(known);
        }
        let mut seconds = [0.0; 2];
        let mut guard = self.workers.scratch.acquire();
        let scratch = guard.get();
        for motion in self.sample(motions, 16)? {
            // Each form is measured twice in turn, because the first one runs with cold caches.
            let mut least = [f64::INFINITY; 2];
            for (form, i) in [(first, 0), (other, 1), (first, 0), (other, 1)] {
                scratch.motion.clone_from(&motion);
                let mut stats = Stats::default();
                self.cpu_stages(form).check(self.options.item_cap(), scratch, &mut stats);
                let took: f64 = [Stage::Sweep, Stage::Pairs].map(|s| stats.stages[s as usize].seconds).iter().sum();
                least[i] = took.min(least[i]);
            }
            (0..2).for_each(|i| seconds[i] += least[i]);
        }
        Ok(self.take(false, [first, other], seconds))
    }

    /// Chooses the form for a batch on an adapter.
    #[cfg(feature = "gpu")]
    pub(super) fn choose_sweep_on_gpu(&self, pipeline: &mut GpuPipeline, motions: &MotionBatch) -> Result<()> {
        let [first, other] = [Sweep::Off, Sweep::Compute];
        if let Some(known) = self.known_sweep(true) {
            pipeline.set_sweep(known);
            return Ok(());
        }
        let sample = self.undecided(self.sample(motions, 64)?);
        let mut seconds = [0.0; 2];
        // The first round allocates the buffers, the second one measures.
        for n in [1.min(sample.len()), sample.len()] {
            for (form, seconds) in [first, other].into_iter().zip(&mut seconds) {
                let pieces =
                    (0..n).flat_map(|i| Piece::cut(i as u32, &sample[i])).take(pipeline.chunk_pieces()).collect();
                let chunk = ChunkInput { pieces, motions: &sample };
                pipeline.set_sweep(form);
                let since = Instant::now();
                if n > 0 {
                    let pending = pipeline.start(&chunk, 0)?;
                    pipeline.finish(&chunk, pending, &mut Stats::default())?;
                }
                *seconds = since.elapsed().as_secs_f64();
            }
        }
        pipeline.set_sweep(self.take(true, [first, other], if sample.is_empty() { [0.0; 2] } else { seconds }));
        Ok(())
    }

    /// The form set by the options or chosen by an earlier batch, on adapters or on the CPU.
    pub(super) fn known_sweep(&self, on_adapters: bool) -> Option<Sweep> {
        match self.options.sweep {
            Sweep::Auto => self.chosen_sweeps.get(on_adapters).get().copied(),
            asked => Some(asked),
        }
    }

    /// Selects the better form, permanently if it was measured.
    fn take(&self, on_adapters: bool, [first, other]: [Sweep; 2], seconds: [f64; 2]) -> Sweep {
        if seconds == [0.0; 2] {
            return first;
        }
        let better = if seconds[1] < MAX_TIME_RATIO * seconds[0] { other } else { first };
        *self.chosen_sweeps.get(on_adapters).get_or_init(|| better)
    }
}
