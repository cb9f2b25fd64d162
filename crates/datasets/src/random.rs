//! Named streams of random numbers: the same on every platform and for every version of the random-number crates.
//!
//! Only the raw 64-bit words of a fixed generator are used, never a library's distributions, whose output may change
//! between versions.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// A stream that depends only on a seed and a name, so that one part of a data set never shifts another.
pub(crate) struct Stream(Pcg64Mcg);

impl Stream {
    /// The stream for a seed and a name.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        let state = (u128::from(mix(seed ^ fnv1a(name.as_bytes()))) << 64) | u128::from(mix(seed));
        Self(Pcg64Mcg::new(state))
    }

    /// A uniform number in [0, 1), a multiple of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniform number between two numbers.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A uniform integer in `0..n`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// `true` with probability `p`.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// One or minus one.
    pub(crate) fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// One of the choices, which must not be empty.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Shuffles a list.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// Spreads the bits of a word (the finaliser of SplitMix64).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The 64-bit FNV-1a hash.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_name() {
        let first = |seed, name| Stream::new(seed, name).0.next_u64();
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(2, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
    }

    /// The generator's words are part of the data format: a new version of the crate must not change them.
    #[test]
    fn words_are_pinned() {
        let mut stream = Stream::new(2004, "pin");
        let words = [stream.0.next_u64(), stream.0.next_u64(), stream.0.next_u64()];
        assert_eq!(words, [16601134394620021292, 2491431392310357696, 10157953634907025279]);
    }

    #[test]
    fn numbers_stay_in_their_ranges() {
        let mut stream = Stream::new(7, "ranges");
        let mut hit = [0usize; 5];
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&stream.unit()));
            assert!((-2.0..3.0).contains(&stream.between(-2.0, 3.0)));
            hit[stream.below(5)] += 1;
        }
        assert!(hit.iter().all(|&n| n > 100), "{hit:?}");
        assert_eq!(stream.below(0), 0);
    }

    #[test]
    fn shuffle_keeps_everything() {
        let mut list: Vec<usize> = (0..50).collect();
        Stream::new(1, "shuffle").shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }
}
