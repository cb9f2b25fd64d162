//! Eight numbers in vector registers, with the widest vectors that the processor supports.
//!
//! [`Lanes`] relies on the compiler to use vector instructions, which it does only in small functions. Where that is
//! not enough, a computation over [`FullReal`] is written as a [`Vectorised`] and run by [`widest`]: with AVX-512 in
//! one register, with AVX2 in two, else with [`Lanes`]. Every operation is that of `f64`, and no operation is fused, so
//! the results are the same bits on every processor.

use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::real::FullReal;

/// Number of values in a vector.
pub const WIDTH: usize = 8;

/// Eight numbers side by side.
pub trait Vector: FullReal {
    /// Loads eight numbers into registers.
    fn load(lanes: &[f64; WIDTH]) -> Self;
    /// Loads eight numbers into registers, from single precision.
    #[inline(always)]
    fn widen(lanes: &[f32; WIDTH]) -> Self {
        let mut wide = [0.0; WIDTH];
        for (wide, x) in wide.iter_mut().zip(lanes) {
            *wide = f64::from(*x);
        }
        Self::load(&wide)
    }
    /// Stores the registers.
    fn store(self) -> Lanes<WIDTH>;
}

impl Vector for Lanes<WIDTH> {
    #[inline(always)]
    fn load(lanes: &[f64; WIDTH]) -> Self {
        Self(*lanes)
    }
    #[inline(always)]
    fn store(self) -> Lanes<WIDTH> {
        self
    }
}

/// The `i`-th group of eight lanes.
#[inline(always)]
pub fn part<T: Vector, const N: usize>(x: &Lanes<N>, i: usize) -> T {
    let mut part = [0.0; WIDTH];
    part.copy_from_slice(&x.0[i * WIDTH..(i + 1) * WIDTH]);
    T::load(&part)
}

/// The same for vectors in space.
#[inline(always)]
pub fn part3<T: Vector, const N: usize>(v: &V3<Lanes<N>>, i: usize) -> V3<T> {
    V3([part(&v.0[0], i), part(&v.0[1], i), part(&v.0[2], i)])
}

/// Stores vectors in space from registers.
#[inline(always)]
pub fn store3<T: Vector>(v: V3<T>) -> V3<Lanes<WIDTH>> {
    V3([v.0[0].store(), v.0[1].store(), v.0[2].store()])
}

/// Replaces the `i`-th group of eight lanes, the inverse of [`part`].
#[inline(always)]
pub fn put<T: Vector, const N: usize>(x: &mut Lanes<N>, i: usize, part: T) {
    x.0[i * WIDTH..(i + 1) * WIDTH].copy_from_slice(&part.store().0);
}

/// A number of each of eight values.
#[inline(always)]
pub fn gather<T: Vector, P>(all: &[P; WIDTH], of: impl Fn(&P) -> f64) -> T {
    let mut lanes = [0.0; WIDTH];
    for i in 0..WIDTH {
        lanes[i] = of(&all[i]);
    }
    T::load(&lanes)
}

/// A computation on eight numbers simultaneously.
pub trait Vectorised {
    /// The result.
    type Output;
    /// The computation; it and all functions that it calls must be `#[inline(always)]`, or the vectors are stored in
    /// memory.
    fn run<T: Vector>(self) -> Self::Output;
}

/// A kind of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two registers of AVX2.
    Avx2,
    /// One register of AVX-512.
    Avx512,
    /// Portable code, with the instructions that the compiler chooses.
    Portable,
}

impl Kind {
    /// Returns whether the processor supports such vectors.
    #[inline]
    pub fn is_there(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512dq"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The kinds that the processor supports, the best first.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Avx512, Self::Avx2, Self::Portable].into_iter().filter(|k| k.is_there())
    }

    /// Runs a computation with this kind of vectors, or portably if the processor does not support it.
    #[inline]
    pub fn run<V: Vectorised>(self, computation: V) -> V::Output {
        #[cfg(target_arch = "x86_64")]
        if self.is_there() {
            match self {
                // SAFETY: the processor has the extensions.
                Self::Avx512 => return unsafe { x86::with_avx512(computation) },
                // SAFETY: likewise.
                Self::Avx2 => return unsafe { x86::with_avx2(computation) },
                Self::Portable => {}
            }
        }
        computation.run::<Lanes<WIDTH>>()
    }
}

/// Runs a computation with the best vectors that the processor supports.
#[inline]
pub fn widest<V: Vectorised>(computation: V) -> V::Output {
    let kind = [Kind::Avx512, Kind::Avx2].into_iter().find(|k| k.is_there());
    kind.unwrap_or(Kind::Portable).run(computation)
}

/// Vectors of x86-64. The types are private to this module, and only the functions at the end create values of them:
/// they are called after the processor has been checked for the extension, so that every instruction used below exists.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Lanes, Vector, Vectorised, WIDTH};
    use crate::arith::real::{FullReal, Real};
    use std::arch::x86_64::*;
    use std::ops::{Add, Mul, Neg, Sub};

    /// Implements the arithmetic of a vector from the operations on its parts.
    macro_rules! vector {
        ($name:ident, $part:ty, $parts:literal, $per_part:literal, {
            set: $set:ident, load: $load:ident, store: $store:ident, add: $add:ident, sub: $sub:ident, mul: $mul:ident,
            div: $div:ident, sqrt: $sqrt:ident, max: $max:ident, min: $min:ident, xor: $xor:ident,
            andnot: $andnot:ident, gt: $gt:expr, select: $select:expr, widen: $widen:expr,
        }) => {
            #[derive(Clone, Copy, Debug)]
            pub struct $name([$part; $parts]);

            impl $name {
                #[inline(always)]
                fn zip(self, other: Self, f: impl Fn($part, $part) -> $part) -> Self {
                    let mut out = self;
                    for i in 0..$parts {
                        out.0[i] = f(self.0[i], other.0[i]);
                    }
                    out
                }
            }

            vector!(@binary $name, Add, add, $add);
            vector!(@binary $name, Sub, sub, $sub);
            vector!(@binary $name, Mul, mul, $mul);

            impl Neg for $name {
                type Output = Self;
                #[inline(always)]
                fn neg(self) -> Self {
                    // SAFETY: see the module.
                    self.zip(Self::new(-0.0), |a, sign| unsafe { $xor(a, sign) })
                }
            }

            impl Real for $name {
                const UNIT: f64 = f64::UNIT;
                const UNDERFLOW: f64 = f64::UNDERFLOW;
                const LANES: usize = WIDTH;

                #[inline(always)]
                fn new(x: f64) -> Self {
                    // SAFETY: see the module.
                    Self([unsafe { $set(x) }; $parts])
                }
                #[inline(always)]
                fn abs(self) -> Self {
                    // SAFETY: see the module.
                    self.zip(Self::new(-0.0), |a, sign| unsafe { $andnot(sign, a) })
                }
                // The instructions return the second operand unless the first is larger (smaller), as the `f64`
                // operations here.
                #[inline(always)]
                fn max(self, other: Self) -> Self {
                    // SAFETY: see the module.
                    self.zip(other, |a, b| unsafe { $max(a, b) })
                }
                #[inline(always)]
                fn min(self, other: Self) -> Self {
                    // SAFETY: see the module.
                    self.zip(other, |a, b| unsafe { $min(a, b) })
                }
                #[inline(always)]
                fn gt(self, other: Self) -> u32 {
                    let mut mask = 0;
                    for i in 0..$parts {
                        // SAFETY: see the module.
                        mask |= unsafe { $gt(self.0[i], other.0[i]) } << (i * $per_part);
                    }
                    mask
                }
            }

            impl FullReal for $name {
                #[inline(always)]
                fn div(self, other: Self) -> Self {
                    // SAFETY: see the module.
                    self.zip(other, |a, b| unsafe { $div(a, b) })
                }
                #[inline(always)]
                fn sqrt(self) -> Self {
                    // SAFETY: see the module.
                    self.zip(self, |a, _| unsafe { $sqrt(a) })
                }
                #[inline(always)]
                fn select(mask: u32, x: Self, y: Self) -> Self {
                    let mut out = y;
                    for i in 0..$parts {
                        // SAFETY: see the module.
                        out.0[i] = unsafe { $select(mask >> (i * $per_part), x.0[i], y.0[i]) };
                    }
                    out
                }
            }

            impl Vector for $name {
                #[inline(always)]
                fn load(lanes: &[f64; WIDTH]) -> Self {
                    let mut out = Self::new(0.0);
                    for i in 0..$parts {
                        // SAFETY: see the module; the part is within the array.
                        out.0[i] = unsafe { $load(lanes.as_ptr().add(i * $per_part)) };
                    }
                    out
                }
                #[inline(always)]
                fn widen(lanes: &[f32; WIDTH]) -> Self {
                    let mut out = Self::new(0.0);
                    for i in 0..$parts {
                        // SAFETY: see the module; the part is within the array.
                        out.0[i] = unsafe { $widen(lanes.as_ptr().add(i * $per_part)) };
                    }
                    out
                }
                #[inline(always)]
                fn store(self) -> Lanes<WIDTH> {
                    let mut out = Lanes::default();
                    for i in 0..$parts {
                        // SAFETY: see the module; the part is within the array.
                        unsafe { $store(out.0.as_mut_ptr().add(i * $per_part), self.0[i]) };
                    }
                    out
                }
            }
        };
        (@binary $name:ident, $trait:ident, $method:ident, $op:ident) => {
            impl $trait for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: see the module.
                    self.zip(other, |a, b| unsafe { $op(a, b) })
                }
            }
        };
    }

    vector!(InOne, __m512d, 1, 8, {
        set: _mm512_set1_pd, load: _mm512_loadu_pd, store: _mm512_storeu_pd, add: _mm512_add_pd, sub: _mm512_sub_pd,
        mul: _mm512_mul_pd, div: _mm512_div_pd, sqrt: _mm512_sqrt_pd, max: _mm512_max_pd, min: _mm512_min_pd,
        xor: _mm512_xor_pd, andnot: _mm512_andnot_pd,
        gt: |a, b| u32::from(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b)),
        select: |mask: u32, x, y| _mm512_mask_blend_pd(mask as u8, y, x),
        widen: |lanes| _mm512_cvtps_pd(_mm256_loadu_ps(lanes)),
    });

    vector!(InTwo, __m256d, 2, 4, {
        set: _mm256_set1_pd, load: _mm256_loadu_pd, store: _mm256_storeu_pd, add: _mm256_add_pd, sub: _mm256_sub_pd,
        mul: _mm256_mul_pd, div: _mm256_div_pd, sqrt: _mm256_sqrt_pd, max: _mm256_max_pd, min: _mm256_min_pd,
        xor: _mm256_xor_pd, andnot: _mm256_andnot_pd,
        gt: |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(a, b)) as u32,
        select: |mask: u32, x, y| {
            let bits = _mm256_set_epi64x(8, 4, 2, 1);
            let set = _mm256_and_si256(_mm256_set1_epi64x(i64::from(mask)), bits);
            _mm256_blendv_pd(y, x, _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, bits)))
        },
        widen: |lanes| _mm256_cvtps_pd(_mm_loadu_ps(lanes)),
    });

    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn with_avx512<V: Vectorised>(computation: V) -> V::Output {
        computation.run::<InOne>()
    }

    #[target_feature(enable = "avx2")]
    pub fn with_avx2<V: Vectorised>(computation: V) -> V::Output {
        computation.run::<InTwo>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on numbers of all kinds.
    #[derive(Clone)]
    struct AllOperations([f64; WIDTH], [f64; WIDTH]);

    impl Vectorised for AllOperations {
        type Output = Vec<u64>;
        #[inline(always)]
        fn run<T: Vector>(self) -> Vec<u64> {
            let (a, b) = (T::load(&self.0), T::load(&self.1));
            let mask = a.gt(b);
            let all = [a + b, a - b, a * b, -a, a.abs(), a.max(b), a.min(b), a.div(b), a.abs().sqrt()];
            let chosen = [T::select(mask, a, b), T::select(0x5a, a, b), T::select(!0, a, b), T::new(self.0[0])];
            let wide = T::widen(&self.1.map(|x| x as f32));
            let bits = all.into_iter().chain(chosen).chain([wide]).flat_map(|v| v.store().0).map(f64::to_bits);
            bits.chain([u64::from(mask)]).collect()
        }
    }

    #[test]
    fn same_bits_with_each_kind_of_vectors() {
        let nan = f64::NAN;
        let some = [0.0, -0.0, 1.0, -1.5, 1e300, -1e-310, f64::INFINITY, nan, 3.7e-5, -2.0f64.powi(-1074), 0.1];
        for i in 0..some.len() {
            for j in 0..some.len() {
                let a = std::array::from_fn(|k| some[(i + k) % some.len()]);
                let b = std::array::from_fn(|k| some[(j + 3 * k) % some.len()]);
                let of_lanes = AllOperations(a, b).run::<Lanes<WIDTH>>();
                for kind in Kind::all() {
                    let bits = kind.run(AllOperations(a, b));
                    // The sign of a NaN result is not defined.
                    let same =
                        |(x, y): (&u64, &u64)| x == y || f64::from_bits(*x).is_nan() && f64::from_bits(*y).is_nan();
                    assert!(bits.iter().zip(&of_lanes).all(same), "{kind:?}: {a:?} {b:?}");
                }
            }
        }
    }
}
