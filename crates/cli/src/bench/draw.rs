//! Seeded random numbers of measurements.

use glam::DVec3;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Debug)]
pub struct Draw(Pcg64Mcg);

impl Draw {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A uniform number between -1 and 1.
    pub fn signed(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    /// A vector with uniform components between `-size` and `size`.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed()) * size
    }
}
