//! Vectors and matrices over [`Real`]: sums of products, written out.

use crate::arith::real::Real;
use glam::{DMat3, DVec3};
use std::ops::{Add, Neg, Sub};

/// A vector of three.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct V3<T>(pub [T; 3]);

/// A 3×3 matrix, by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct M3<T>(pub [[T; 3]; 3]);

impl<T: Real> V3<T> {
    /// The nearest representable vector, in all lanes.
    #[inline(always)]
    pub fn new(v: DVec3) -> Self {
        Self([T::new(v.x), T::new(v.y), T::new(v.z)])
    }

    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([T::new(0.0); 3])
    }

    /// Component by component `f(i)`.
    #[inline(always)]
    pub fn from_fn(mut f: impl FnMut(usize) -> T) -> Self {
        Self([f(0), f(1), f(2)])
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    /// The vector times a number.
    #[inline(always)]
    pub fn times(self, s: T) -> Self {
        Self::from_fn(|i| self.0[i] * s)
    }

    /// Component by component the larger number.
    #[inline(always)]
    pub fn max(self, o: Self) -> Self {
        Self::from_fn(|i| self.0[i].max(o.0[i]))
    }

    /// Component by component the smaller number.
    #[inline(always)]
    pub fn min(self, o: Self) -> Self {
        Self::from_fn(|i| self.0[i].min(o.0[i]))
    }

    /// Component by component the absolute value.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self::from_fn(|i| self.0[i].abs())
    }

    /// Sum of the absolute components: at least the Euclidean length.
    #[inline(always)]
    pub fn norm1(self) -> T {
        self.0[0].abs() + self.0[1].abs() + self.0[2].abs()
    }

    /// An upper bound of the Euclidean length without a square root, at most 13 % too large and exact for
    /// (1,0,0), (1,1,0), (1,1,1): with sorted components `a >= b >= c` it is `a + (√2-1) b + (√3-√2) c`.
    ///
    /// The norm is convex and on the cone spanned by those three vectors the right side is the linear interpolation
    /// of its values there, hence never below it. The constants are rounded up by far more than the sum's own rounding.
    #[inline(always)]
    pub fn norm_bound(self) -> T {
        let [x, y, z] = self.abs().0;
        let (low, high) = (x.min(y), x.max(y));
        let (a, b, c) = (high.max(z), low.max(high.min(z)), low.min(z));
        a * T::new(1.00001) + b * T::new(0.414_22) + c * T::new(0.317_85)
    }
}

impl<T: Real> Add for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::from_fn(|i| self.0[i] + o.0[i])
    }
}

impl<T: Real> Sub for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::from_fn(|i| self.0[i] - o.0[i])
    }
}

impl<T: Real> Neg for V3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_fn(|i| -self.0[i])
    }
}

impl<T: Real> M3<T> {
    /// The nearest representable matrix, in all lanes.
    #[inline(always)]
    pub fn new(m: DMat3) -> Self {
        let mut out = Self::zero();
        for i in 0..3 {
            for j in 0..3 {
                out.0[i][j] = T::new(m.col(j)[i]);
            }
        }
        out
    }

    /// Entry by entry `f(row, column)`.
    #[inline(always)]
    pub fn from_fn(f: impl Fn(usize, usize) -> T) -> Self {
        let row = |i| [f(i, 0), f(i, 1), f(i, 2)];
        Self([row(0), row(1), row(2)])
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([[T::new(0.0); 3]; 3])
    }

    // Written out, as are all functions that vectors use often: closures are not always inlined, and then vectors are
    // stored in memory.

    /// Matrix times vector.
    #[inline(always)]
    pub fn apply(&self, v: V3<T>) -> V3<T> {
        let [a, b, c] = self.0;
        V3([V3(a).dot(v), V3(b).dot(v), V3(c).dot(v)])
    }

    /// The transposed matrix.
    #[inline(always)]
    pub fn transposed(&self) -> Self {
        Self::from_fn(|i, j| self.0[j][i])
    }

    /// Matrix times matrix.
    #[inline(always)]
    pub fn product(&self, o: &Self) -> Self {
        let mut out = Self::zero();
        for i in 0..3 {
            for j in 0..3 {
                out.0[i][j] = self.0[i][0] * o.0[0][j] + self.0[i][1] * o.0[1][j] + self.0[i][2] * o.0[2][j];
            }
        }
        out
    }

    /// Entry by entry the absolute value.
    #[inline(always)]
    pub fn abs(&self) -> Self {
        Self::from_fn(|i, j| self.0[i][j].abs())
    }
}

impl<T: Real> Add for M3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::from_fn(|i, j| self.0[i][j] + o.0[i][j])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norm_bound_is_above_the_norm_and_close() {
        for i in 0..4000 {
            let x = |k: u64| {
                let r = (i * 3 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                ((r ^ (r >> 29)) as f64 / u64::MAX as f64) * 2.0 - 1.0
            };
            let v = V3([x(1), x(2), x(3)]);
            let (norm, bound) = (v.dot(v).sqrt(), v.norm_bound());
            assert!(bound >= norm && bound <= 1.1285 * norm, "{v:?}: {norm} {bound}");
        }
        assert!((V3([1.0, 1.0, 1.0]).norm_bound() - 3f64.sqrt()).abs() < 1e-4);
    }
}
