//! Both normals as separating axes, of a moving triangle and many static ones: data that depends on only one of the two
//! is computed once.
//!
//! The vertices of the moving triangle are `at_i` at the middle time, and move by about `v τ` from there
//! ([`MovingTriangle`]). With `d = at_0 - y_0`, `e_i = at_i - at_0` and `f_j = y_j - y_0` the projections on an axis
//! `n` are, relative to `y_0`, `n·d + n·e_i` on the one side and `n·f_j` on the other: one scalar product for each pair
//! of triangles instead of three, and for the normal of either triangle the projections of its other vertices are known
//! in advance.
//!
//! **Rounding**, in units `u = UNIT`, of `|n|` times a length (Cauchy–Schwarz). `n·d` and `n·e_i` round once for the
//! difference and three times for the products and their sum; `n·d` is then added once or twice, the terms of `n·e_i`
//! up to four times: at most 6 on `|d|` and 8 on `|e_i|`. `v h` rounds once, its product with `n` three times, and is
//! added up to four times: 8 on at most `√3` times the greatest `|c1| h` (`separation.rs`). The static side has 4 on
//! `|f_j|`. `16 u` of the sum of all these lengths in `grow` covers each of them. All other terms of the sum are
//! non-negative; they round at most thirteen times from `off`, `ball` and the terms of `grow` to the end, for which
//! both have the factor `1 + 16 u`.

use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::predicate::separation::{MovingTriangle, ROUNDINGS, StaticTriangle};

/// A static triangle with its normal.
#[derive(Clone, Copy, Debug, Default)]
pub struct StaticFace<T> {
    /// Its first vertex, metres.
    first: V3<T>,
    /// The other vertices relative to the first.
    f: [V3<T>; 2],
    /// Its normal, of any length.
    n: V3<T>,
    /// Lowest and highest projection of the triangle on its normal, from the first vertex.
    range: [T; 2],
    /// The sum of the normal's coordinates, rounded up.
    norm: T,
    /// Contribution to the growth on a unit axis.
    grow: T,
}

impl<T: Real> StaticFace<T> {
    /// Creates it from a triangle.
    #[inline(always)]
    pub fn new(tri: &StaticTriangle<T>) -> Self {
        let f = [tri.y[1] - tri.y[0], tri.y[2] - tri.y[0]];
        let n = f[0].cross(f[1]);
        let span = f[0].norm1() + f[1].norm1();
        Self {
            first: tri.y[0],
            f,
            n,
            range: range(n, f),
            norm: n.norm1() * T::new(1.0 + ROUNDINGS * T::UNIT),
            grow: tri.error * T::new(3.0) + span * T::new(ROUNDINGS * T::UNIT),
        }
    }
}

impl StaticFace<f64> {
    /// The same in every lane.
    #[inline(always)]
    pub fn broadcast<T: Real>(&self) -> StaticFace<T> {
        let vector = |v: &V3<f64>| V3([T::new(v.0[0]), T::new(v.0[1]), T::new(v.0[2])]);
        StaticFace {
            first: vector(&self.first),
            f: [vector(&self.f[0]), vector(&self.f[1])],
            n: vector(&self.n),
            range: [T::new(self.range[0]), T::new(self.range[1])],
            norm: T::new(self.norm),
            grow: T::new(self.grow),
        }
    }
}

/// A moving triangle with its normal at the middle time.
#[derive(Clone, Copy, Debug)]
pub struct MovingFace<T> {
    /// Its first vertex at the middle time, metres.
    first: V3<T>,
    /// The other vertices relative to the first.
    e: [V3<T>; 2],
    /// The approximate displacement of all vertices to either side.
    travel: V3<T>,
    /// Largest deviation of each coordinate from that.
    off: V3<T>,
    /// Its normal, of any length.
    n: V3<T>,
    /// Extent along its normal, from the first vertex down and up, its motion included.
    reach: [T; 2],
    /// The sum of the normal's coordinates, rounded up.
    norm: T,
    /// Contribution to the growth on a unit axis.
    grow: T,
}

impl<T: Real> MovingFace<T> {
    /// Creates it from a triangle over some time.
    #[inline(always)]
    pub fn new(m: &MovingTriangle<T>) -> Self {
        let up = T::new(1.0 + ROUNDINGS * T::UNIT);
        let e = [m.at[1] - m.at[0], m.at[2] - m.at[0]];
        let [a, b, c] = m.sizes;
        let size = e[0].norm1().max(e[1].norm1()) + a.max(b).max(c);
        let (n, off) = (e[0].cross(e[1]), m.off.times(up));
        let strays = n.dot(m.travel).abs() + (n.abs().dot(off) + T::new(T::UNDERFLOW));
        let [lo, hi] = range(n, e);
        Self {
            first: m.at[0],
            e,
            travel: m.travel,
            off,
            n,
            reach: [strays - lo, strays + hi],
            norm: n.norm1() * up,
            grow: m.ball + ((size + m.ball) * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW)),
        }
    }

    /// Lanes in which one of the two normals separates it from a static triangle: about four fifths of those that any
    /// axis separates.
    #[inline(always)]
    pub fn normals_separate(&self, tri: &StaticFace<T>) -> u32 {
        let d = self.first - tri.first;
        let grow = d.norm1() * T::new(ROUNDINGS * T::UNIT) + (self.grow + tri.grow);

        let (at, slack, [lo, hi]) = (self.n.dot(d), self.norm * grow, range(self.n, tri.f));
        let by_own = (at - (self.reach[0] + slack)).gt(hi) | lo.gt(at + (self.reach[1] + slack));

        let n = tri.n;
        let strays = n.dot(self.travel).abs() + (n.abs().dot(self.off) + T::new(T::UNDERFLOW));
        let (at, slack, [lo, hi]) = (n.dot(d), strays + tri.norm * grow, range(n, self.e));
        by_own | ((at + lo) - slack).gt(tri.range[1]) | tri.range[0].gt((at + hi) + slack)
    }
}

/// Lowest and highest projection of the origin and two other points.
#[inline(always)]
fn range<T: Real>(n: V3<T>, [a, b]: [V3<T>; 2]) -> [T; 2] {
    let (zero, a, b) = (T::new(0.0), n.dot(a), n.dot(b));
    [zero.min(a).min(b), zero.max(a).max(b)]
}
