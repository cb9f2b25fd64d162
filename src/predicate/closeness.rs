//! Two triangles, one of which moves, compared with a margin without square roots: `wgsl/lib/closeness.wgsl` in any
//! arithmetic.
//!
//! Points of both triangles that are nearly the nearest ones at the middle time decide in both directions. Their
//! difference is an axis like any other, so it may separate the triangles by more than the margin; it is the axis that
//! is missing among those of [`separation`](super::separation). And their distance bounds that of the triangles from
//! above, whatever points they are. So the choice of the points needs no bound on its rounding, and it is the only
//! place with divisions, which are not exact on every GPU. Only the difference itself is used in the proofs: it is a
//! sum of at most four vectors of the triangles, with shares between 0 and 1.
//!
//! **Rounding.** The difference is known to within 32 units of the sum of the sizes of all vectors. Projections are as
//! in [`proximity`](super::proximity).

use crate::arith::linear::V3;
use crate::arith::real::{FullReal, Real};
use crate::enclosure::point_bound::PointBound;
use crate::predicate::proximity::Projections;
use crate::predicate::separation::{MovingTriangle, ROUNDINGS, StaticTriangle};

/// Comparison with a margin, as masks of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Closeness {
    /// The triangles certainly stay more than the margin apart over the whole interval.
    pub beyond: u32,
    /// The triangles are certainly within the margin at the middle time.
    pub within: u32,
}

/// Units of rounding in the difference of two points of triangles, relative to the sizes of their vectors.
pub const DIFFERENCE_ROUNDINGS: f64 = 32.0;
/// Relative spare for the comparisons of squares.
pub const SQUARE_ROUNDINGS: f64 = 16.0;

/// Compares the distance of a moving triangle from a static one, over `|τ| <= h`, with the margin that the balls of `x`
/// contain; `margin` is at most that.
#[inline(always)]
pub fn closeness<T: FullReal>(x: &[PointBound<T>; 3], tri: &StaticTriangle<T>, h: T, margin: T) -> Closeness {
    let zero = T::new(0.0);
    let moving = MovingTriangle::new(x, h);
    let n = apart(&moving.at, &tri.y);
    let on = Projections::new(&moving, tri, n);
    let n2 = n.dot(n);
    let spare = T::new(1.0 + ROUNDINGS * T::UNIT);
    let squares = T::new(1.0 + SQUARE_ROUNDINGS * T::UNIT);

    let gap = on.gap - on.strays * spare;
    let reach = on.reach * spare;
    let beyond = gap.gt(zero) & (gap * gap).gt(n2 * (reach * reach) * squares + T::new(T::UNDERFLOW));

    let cube = x[0].cube.max(x[1].cube).max(x[2].cube);
    let own = (moving.ball - margin) + moving.ball * T::new(4.0 * T::UNIT);
    let difference = on.size * T::new(DIFFERENCE_ROUNDINGS * T::UNIT);
    let error = own.max(zero) + cube.norm1() + tri.error + difference + T::new(T::UNDERFLOW);
    let room = margin - error * spare;
    let within = room.gt(zero) & (room * room).gt(n2 * squares + T::new(T::UNDERFLOW));
    Closeness { beyond, within }
}

/// The difference of two points of triangles of any shape, the first triangle's less the second one's: nearly the
/// nearest points of triangles that do not pierce each other.
#[inline(always)]
fn apart<T: FullReal>(x: &[V3<T>; 3], y: &[V3<T>; 3]) -> V3<T> {
    let mut best = x[0] - y[0];
    for p in x {
        best = shorter(best, to_face(*p, y));
    }
    for p in y {
        best = shorter(best, -to_face(*p, x));
    }
    for i in 0..3 {
        let e = x[(i + 1) % 3] - x[i];
        for j in 0..3 {
            best = shorter(best, between_edges(x[i] - y[j], e, y[(j + 1) % 3] - y[j]));
        }
    }
    best
}

#[inline(always)]
fn shorter<T: FullReal>(a: V3<T>, b: V3<T>) -> V3<T> {
    let is_shorter = a.dot(a).gt(b.dot(b));
    V3([
        T::select(is_shorter, b.0[0], a.0[0]),
        T::select(is_shorter, b.0[1], a.0[1]),
        T::select(is_shorter, b.0[2], a.0[2]),
    ])
}

/// The least divisor: a quotient by it may be wrong but not infinite.
pub const LEAST: f64 = 1e-30;
/// The least square of the sine between two edges, likewise.
pub const PARALLEL: f64 = 1e-6;

/// A number clamped to the range from 0 to another one.
#[inline(always)]
fn clamped<T: Real>(x: T, most: T) -> T {
    x.max(T::new(0.0)).min(most)
}

/// A point less a point of a triangle: the one below it, if there is one.
#[inline(always)]
fn to_face<T: FullReal>(p: V3<T>, y: &[V3<T>; 3]) -> V3<T> {
    let (ab, ac, ap) = (y[1] - y[0], y[2] - y[0], p - y[0]);
    let n = ab.cross(ac);
    let n2 = n.dot(n).max(T::new(LEAST));
    let one = T::new(1.0);
    let v = clamped(ap.cross(ac).dot(n).div(n2), one);
    let w = clamped(ab.cross(ap).dot(n).div(n2), one - v);
    ap - (ab.times(v) + ac.times(w))
}

/// The difference of points of two edges `e` and `f`, of which the first begins at `w` from the beginning of the
/// second: the point of the first edge nearest to the second one's line, the point of the second edge nearest to it,
/// and the point of the first edge nearest to that.
#[inline(always)]
fn between_edges<T: FullReal>(w: V3<T>, e: V3<T>, f: V3<T>) -> V3<T> {
    let (ee, ff, ef, ew, fw) = (e.dot(e), f.dot(f), e.dot(f), e.dot(w), f.dot(w));
    let (one, least) = (T::new(1.0), T::new(LEAST));
    let det = (ee * ff - ef * ef).max((ee * ff * T::new(PARALLEL)).max(least));
    let s = clamped((ef * fw - ff * ew).div(det), one);
    let t = clamped((ef * s + fw).div(ff.max(least)), one);
    let s = clamped((ef * t - ew).div(ee.max(least)), one);
    w + e.times(s) - f.times(t)
}
