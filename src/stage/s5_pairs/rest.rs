//! Pairs that the normals did not separate, of any leaves and triangles, side by side for the other axes.

use super::refinement::Look;
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, widest};
use crate::predicate::separation::{MovingTriangle, NUMBERS, StaticTriangle};

/// The triangles of a leaf over some time.
pub(super) type Leaf = [[f64; WIDTH]; NUMBERS];

/// Pending pairs of triangles for the other axes, one in each lane.
#[derive(Debug)]
pub(super) struct Rest {
    moving: Leaf,
    standing: [[[f64; WIDTH]; 3]; 3],
    error: [f64; WIDTH],
    /// The index of the look, and the lane in it.
    of: [(u32, u8); WIDTH],
    n: usize,
}

impl Default for Rest {
    fn default() -> Self {
        Self {
            moving: [[0.0; WIDTH]; NUMBERS],
            standing: [[[0.0; WIDTH]; 3]; 3],
            error: [0.0; WIDTH],
            of: [(0, 0); WIDTH],
            n: 0,
        }
    }
}

impl Rest {
    /// Adds some lanes of a look; whenever all lanes are filled, they are tested.
    #[inline(always)]
    pub fn add(
        &mut self,
        looks: &mut [Look],
        look: u32,
        (leaf, mut lanes): (&Leaf, u32),
        standing: &StaticTriangle<f64>,
    ) {
        while lanes != 0 {
            let (lane, n) = (lanes.trailing_zeros() as usize, self.n);
            lanes &= lanes - 1;
            for i in 0..NUMBERS {
                self.moving[i][n] = leaf[i][lane];
            }
            for v in 0..3 {
                for axis in 0..3 {
                    self.standing[v][axis][n] = standing.y[v].0[axis];
                }
            }
            self.error[n] = standing.error;
            self.of[n] = (look, lane as u8);
            self.n += 1;
            if self.n == WIDTH {
                self.settle(looks);
            }
        }
    }

    /// Tests the other axes on all pending pairs.
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
            numbers[i] = T::load(&self.moving[i]);
        }
        let mut y = [V3::zero(); 3];
        for v in 0..3 {
            for axis in 0..3 {
                y[v].0[axis] = T::load(&self.standing[v][axis]);
            }
        }
        let standing = StaticTriangle { y, error: T::load(&self.error) };
        MovingTriangle::from_numbers(&numbers).towards(&standing).edges_separate((1 << self.n) - 1)
    }
}
