//! `--sweep auto`: which form of swept-volume culling pays, tried on motions of the batch itself.
//!
//! The choice holds for the engine, not for each motion and link: measured on motions of 1° to 60°, free and colliding, in a
//! machine room, it was the same for all of them: the search for pairs begins with as good a bound for each cluster, and the computed
//! form costs more than it saves, on a CPU and on a software adapter. For chains of slender links it saves more (figures in
//! `benches/README.md`). 

use super::checker::Checker;
use super::gpu::{ChunkInput, GpuFlow};
use super::{Stage, Stats, Sweep, cpu};
use crate::error::Result;
use crate::motion::{ModelMotion, Motions};
use crate::stage::Piece;
use std::time::Instant;

/// Of so many motions one is tried; smaller batches are not worth it.
const SHARE: usize = 256;
/// A form must be better by this factor to be taken instead of the one that is usually best: a few motions of a batch do not
/// tell more.
const MARGIN: f64 = 0.8;
/// Motions to choose from: the first ones that come.
pub(super) const AHEAD: usize = 16 * SHARE;

impl Checker {
    /// Some motions of a batch, evenly spaced.
    fn sample(&self, motions: &Motions, most: usize) -> Result<Vec<ModelMotion>> {
        let n = (motions.len() / SHARE).min(most);
        (0..n).map(|k| self.motion(motions, (2 * k + 1) * motions.len() / (2 * n), 0)).collect()
    }

    /// The form to check a batch with on the CPU.
    pub(super) fn choose_on_cpu(&self, motions: &Motions) -> Result<Sweep> {
        let [first, other] = [Sweep::Off, Sweep::Compute];
        if let Some(known) = self.known_form() {
            return Ok(known);
        }
        let mut seconds = [0.0; 2];
        let (mut lent, item_cap) = (self.workspaces.lend(), self.options.item_cap());
        let space = lent.get();
        for motion in self.sample(motions, 16)? {
            // Each form twice by turns: whichever comes first finds nothing in the caches.
            let mut least = [f64::INFINITY; 2];
            for (form, i) in [(first, 0), (other, 1), (first, 0), (other, 1)] {
                space.motion.clone_from(&motion);
                let mut stats = Stats::default();
                cpu::check(&self.world, &self.options, item_cap, form, space, &mut stats);
                let took: f64 = [Stage::Sweep, Stage::Pairs].map(|s| stats.stages[s as usize].seconds).iter().sum();
                least[i] = took.min(least[i]);
            }
            (0..2).for_each(|i| seconds[i] += least[i]);
        }
        Ok(self.take(first, other, seconds))
    }

    /// The form to check a batch with on an adapter.
    pub(super) fn choose_on_gpu(&self, flow: &mut GpuFlow, motions: &Motions) -> Result<()> {
        let [first, other] = [Sweep::Off, Sweep::Compute];
        if let Some(known) = self.known_form() {
            flow.set_sweep(known);
            return Ok(());
        }
        let sample = self.sample(motions, 64)?;
        let mut seconds = [0.0; 2];
        // Once to make the buffers, once to measure.
        for n in [1.min(sample.len()), sample.len()] {
            for (form, seconds) in [first, other].into_iter().zip(&mut seconds) {
                let pieces = (0..n).flat_map(|i| Piece::cut(i as u32, &sample[i])).take(flow.chunk_pieces()).collect();
                let chunk = ChunkInput { pieces, motions: &sample };
                flow.set_sweep(form);
                let since = Instant::now();
                if n > 0 {
                    let started = flow.start(&self.world, &chunk, 0)?;
                    flow.finish(&self.world, &self.options, &chunk, started, &mut Stats::default())?;
                }
                *seconds = since.elapsed().as_secs_f64();
            }
        }
        flow.set_sweep(self.take(first, other, if sample.is_empty() { [0.0; 2] } else { seconds }));
        Ok(())
    }

    /// What was asked for, or found before.
    pub(super) fn known_form(&self) -> Option<Sweep> {
        match self.options.sweep {
            Sweep::Auto => self.form.get().copied(),
            asked => Some(asked),
        }
    }

    /// Takes the better one, for good if something was measured.
    fn take(&self, first: Sweep, other: Sweep, seconds: [f64; 2]) -> Sweep {
        if seconds == [0.0; 2] {
            return first;
        }
        let better = if seconds[1] < MARGIN * seconds[0] { other } else { first };
        *self.form.get_or_init(|| better)
    }
}
