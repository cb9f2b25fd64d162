//! `toleranced`: the elementary tests of toleranced motions for many pairs of triangles simultaneously, in the
//! arithmetic of kernels.
//!
//! In: the images of a moving triangle's corners under the centre of a ball of displacements, their radii under the
//! ball, and a fixed triangle. Out: a word of sixteen bits, fifteen for the contacts that may be the first, and one for
//! any contact. A cleared bit is a proof.
//!
//! A fat edge or face is contained in the convex hull of its fat vertices, since the distortion rate is convex. So a
//! plane that separates the balls of some corners from some fixed corners excludes the contact of these corners: one
//! formula serves vertices, edges and faces, and with all six corners it excludes everything, penetration too. It is
//! coarser than the hyperboloids, by at most a factor of √2 in the radius of an edge, and needs only `+ - *` and
//! comparisons.
//!
//! The normal is the result of a few steps towards the shortest segment between the two hulls (Frank–Wolfe, with the
//! best of some powers of two as step). The computed normal is taken as exact; only the test with it rounds.
//!
//! **Rounding.** `d = c - q`: one rounding per component; `n·d`: three products, two sums. Each term has at most four
//! roundings above it, so the computed sum is within `4u(1+u)³ Σ|n d|` of the true one, and with the computed `Σ|n||d|`
//! instead, itself at most `4u` too small, within `5u`. [`ROUNDINGS`] units cover that and the two roundings of
//! subtracting it. `low² > r²|n|²`: at most seven roundings on the right and one on the left, all of positive terms,
//! again covered by [`ROUNDINGS`] units. Underflow is in the absolute term. No step depends on order or fusion.

#[cfg(feature = "gpu")]
use super::kernel::{Kernel, kernel};
use super::layout::TolerancedPair;
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::arith::rounding::{UNIT_F32, round_up};

/// Units that cover the roundings of a test.
pub const ROUNDINGS: f64 = 16.0;
/// Number of steps towards the shortest segment between the hulls.
pub const STEPS: u32 = 10;
/// Number of powers of two from which the length of a step is chosen: 1, 1/2, 1/4 …
pub const TRIES: u32 = 6;
/// The bit for any contact.
pub const ANY: u32 = 15;
/// All bits.
pub const ALL: u32 = 0xffff;

/// A moving triangle with radii at its corners, and a fixed one.
#[derive(Clone, Copy, Debug)]
pub struct Fat<T> {
    /// Corners of the moving triangle.
    pub c: [V3<T>; 3],
    /// Largest distance of each corner from its image.
    pub radius: [T; 3],
    /// Corners of the fixed triangle.
    pub q: [V3<T>; 3],
}

/// The corners that a bit refers to: those of the moving and those of the fixed triangle, as masks of three bits.
///
/// Bits 0–2: moving corner `i` against the fixed triangle. Bits 3–11: moving edge `i` against fixed edge `j`, bit
/// `3 + 3i + j`. Bits 12–14: the moving triangle against fixed corner `j`. Bit 15: all.
pub const fn corners_of(bit: u32) -> [u32; 2] {
    match bit {
        0..=2 => [1 << bit, 7],
        3..=11 => [edge_of((bit - 3) / 3), edge_of((bit - 3) % 3)],
        12..=14 => [7, 1 << (bit - 12)],
        _ => [7, 7],
    }
}

/// The corners of an edge.
const fn edge_of(k: u32) -> u32 {
    match k {
        0 => 3,
        1 => 6,
        _ => 5,
    }
}

impl<T: Real> Fat<T> {
    /// Returns whether a plane was found that separates some balls from some points. One lane.
    pub fn apart(&self, [a, b]: [u32; 2]) -> bool {
        let of = |mask: u32| (0..3).filter(move |k| mask >> k & 1 == 1).map(|k| k as usize);
        let zero = T::new(0.0);
        let first = |mask: u32| of(mask).next().unwrap_or(0);
        let mut n = self.c[first(a)] - self.q[first(b)];
        for _ in 0..STEPS {
            // The corners that are farthest against the normal.
            let (mut i, mut j) = (first(a), first(b));
            for k in of(a) {
                if n.dot(self.c[i]).gt(n.dot(self.c[k])) != 0 {
                    i = k;
                }
            }
            for k in of(b) {
                if n.dot(self.q[k]).gt(n.dot(self.q[j])) != 0 {
                    j = k;
                }
            }
            let way = (self.c[i] - self.q[j]) - n;
            let (slope, bend) = (n.dot(way) * T::new(2.0), way.dot(way));
            let (mut step, mut best, mut t) = (zero, zero, T::new(1.0));
            for _ in 0..TRIES {
                let gain = (slope + bend * t) * t;
                if best.gt(gain) != 0 {
                    (step, best) = (t, gain);
                }
                t = t * T::new(0.5);
            }
            n = n + way.times(step);
        }
        let length2 = n.dot(n);
        of(a).all(|i| {
            let reach2 = self.radius[i] * self.radius[i] * length2;
            let need = reach2 + (reach2 * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW));
            of(b).all(|j| {
                let d = self.c[i] - self.q[j];
                let low = n.dot(d) - n.abs().dot(d.abs()) * T::new(ROUNDINGS * T::UNIT);
                low.gt(zero) != 0 && (low * low).gt(need) != 0
            })
        })
    }

    /// The bits that are not cleared.
    pub fn standing(&self) -> u32 {
        if self.apart([7, 7]) {
            return 0;
        }
        (0..ANY).filter(|&bit| !self.apart(corners_of(bit))).fold(1 << ANY, |bits, bit| bits | 1 << bit)
    }
}

impl Fat<f64> {
    /// The pair as the kernel reads it: relative to the fixed triangle's first corner, the radii enlarged by the
    /// rounding error of the coordinates.
    pub fn to_device(&self) -> TolerancedPair {
        let origin = self.q[0];
        let local = |v: V3<f64>| {
            let d = v - origin;
            (glam::Vec3::new(d.0[0] as f32, d.0[1] as f32, d.0[2] as f32), d.norm1())
        };
        let (c, q) = (self.c.map(local), self.q.map(local));
        // Half a unit of f32 for rounding to nearest, plus the earlier roundings in f64.
        let lost = |size: f64| size * (0.5 * UNIT_F32 + 4.0 * f64::UNIT) + f64::from(f32::MIN_POSITIVE);
        let fixed = q.iter().map(|q| lost(q.1)).fold(0.0, f64::max);
        let shifted = [self.q[0], self.c[0], self.c[1], self.c[2], self.q[1], self.q[2]]
            .iter()
            .map(|v| v.norm1())
            .fold(0.0, f64::max);
        let radius =
            |i: usize| round_up((self.radius[i] + lost(c[i].1) + fixed + 4.0 * f64::UNIT * shifted) * (1.0 + 1e-12));
        TolerancedPair {
            c0: c[0].0,
            r0: radius(0),
            c1: c[1].0,
            r1: radius(1),
            c2: c[2].0,
            r2: radius(2),
            q0: q[0].0,
            padding_0: 0,
            q1: q[1].0,
            padding_1: 0,
            q2: q[2].0,
            padding_2: 0,
        }
    }
}

/// The stage in f64.
pub fn reference(pairs: &[Fat<f64>]) -> Vec<u32> {
    pairs.iter().map(Fat::standing).collect()
}

#[cfg(feature = "gpu")]
/// The kernel: one invocation for each pair.
pub const KERNEL: Kernel = kernel!("toleranced", "standing");
