//! Seeded random numbers, directions and rotations.

use glam::{DMat3, DQuat, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::f64::consts::PI;

/// A source of random values.
pub struct Random(Pcg64Mcg);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// From `lo` up to `hi`.
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An integer below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.between(0.0, n as f64) as usize).min(n - 1)
    }

    /// An integer from `lo` to `hi`.
    pub fn whole(&mut self, lo: i32, hi: i32) -> f64 {
        f64::from(lo) + self.below((hi - lo + 1) as usize) as f64
    }

    /// True with a probability of `share` percent.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// A random element of a list.
    pub fn one_of<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())]
    }

    /// A power of ten with an exponent between the two.
    pub fn magnitude(&mut self, lo: f64, hi: f64) -> f64 {
        10.0_f64.powf(self.between(lo, hi))
    }

    /// Entries from -size to size.
    pub fn cube(&mut self, size: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.between(-size, size)))
    }

    /// A uniformly distributed unit vector; sometimes one of the coordinate axes.
    pub fn direction(&mut self) -> DVec3 {
        if self.percent(20) {
            let sign = self.one_of(&[1.0, -1.0]);
            return sign * self.one_of(&[DVec3::X, DVec3::Y, DVec3::Z]);
        }
        loop {
            let v = self.cube(1.0);
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    pub fn quaternion(&mut self) -> DQuat {
        let axis = self.direction();
        DQuat::from_axis_angle(axis, self.between(-PI, PI)).normalize()
    }

    /// A rotation; sometimes the identity.
    pub fn rotation(&mut self) -> DMat3 {
        if self.percent(20) { DMat3::IDENTITY } else { DMat3::from_quat(self.quaternion()) }
    }
}
