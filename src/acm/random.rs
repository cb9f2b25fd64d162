//! Random numbers for samples: the same on every system.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in a range.
    pub fn within(&mut self, [lo, hi]: [f64; 2]) -> f64 {
        (lo + (hi - lo) * self.unit()).clamp(lo, hi)
    }

    /// Three numbers in `[-1, 1)`.
    #[cfg(test)]
    pub fn vector(&mut self) -> [f64; 3] {
        [(); 3].map(|()| self.within([-1.0, 1.0]))
    }
}
