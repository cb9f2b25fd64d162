//! What the normals did not separate, of any leaves and triangles, side by side for the other axes.

use super::refinement::Look;
use crate::numeric::separation::{Approach, NUMBERS};
use crate::numeric::vectors::{Vector, Vectorised, WIDTH, widest};

/// Pairs of triangles that wait for the other axes: a lane each.
pub(super) struct Rest {
    numbers: [[f64; WIDTH]; NUMBERS],
    /// Which look, and which of its lanes.
    of: [(u32, u8); WIDTH],
    n: usize,
}

impl Default for Rest {
    fn default() -> Self {
        Self { numbers: [[0.0; WIDTH]; NUMBERS], of: [(0, 0); WIDTH], n: 0 }
    }
}

impl Rest {
    /// Adds these lanes of a look; whenever there are enough, they are told apart or not.
    #[inline(always)]
    pub fn add<T: Vector>(&mut self, looks: &mut [Look], look: u32, approach: &Approach<T>, mut lanes: u32) {
        let numbers = approach.numbers();
        let mut stored = [[0.0; WIDTH]; NUMBERS];
        for i in 0..NUMBERS {
            stored[i] = numbers[i].store().0;
        }
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            for i in 0..NUMBERS {
                self.numbers[i][self.n] = stored[i][lane];
            }
            self.of[self.n] = (look, lane as u8);
            self.n += 1;
            if self.n == WIDTH {
                self.settle(looks);
            }
        }
    }

    /// Tries the other axes on all that wait.
    pub fn settle(&mut self, looks: &mut [Look]) {
        if self.n == 0 {
            return;
        }
        let apart = widest(&*self);
        for i in 0..self.n {
            let (look, lane) = self.of[i];
            looks[look as usize].missed |= (apart >> i & 1) << lane;
        }
        self.n = 0;
    }
}

/// The lanes that are separated.
impl Vectorised for &Rest {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let mut numbers = [T::new(0.0); NUMBERS];
        for i in 0..NUMBERS {
            numbers[i] = T::load(&self.numbers[i]);
        }
        Approach::from_numbers(&numbers).edges_separate((1 << self.n) - 1)
    }
}
