//! Proofs that a moving and a static triangle touch at one time: an edge of one strictly pierces the other.
//!
//! Five orientation determinants `y·(e1×e2)` of differences of points must have certain signs. If every point is known
//! to within `eps`, each difference is wrong by at most `2 eps`, and the determinant, trilinear in them, by at most
//!
//! ```text
//! 2.1 eps (|e1||e2| + |y||e1| + |y||e2|) + 24 UNIT |y||e1||e2|
//! ```
//!
//! as long as `eps` is below 2⁻⁸ of the lengths (the second-order terms are then in the `0.1`): at most eight roundings
//! apply to each of the six monomials whatever the order of evaluation, and their sizes sum to at most
//! `6/3^(3/2) |y||e1||e2|` (Carlen, Lieb and Loss); `8 · 1.155 < 10`. The rest of the `24` covers the norms' own
//! rounding and bound, and lengths taken from rounded differences.

use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::enclosure::point_bound::PointBound;
use crate::predicate::separation::StaticTriangle;

/// Lanes in which the triangles certainly touch at the middle time of the moving one's bounds.
#[inline(always)]
pub fn triangles_meet<T: Real>(x: &[PointBound<T>; 3], tri: &StaticTriangle<T>) -> u32 {
    let (x, eps) = points(x, tri);
    // A loop: closures are not always inlined, and then vectors are stored in memory.
    let mut meet = 0;
    for i in 0..3 {
        let j = (i + 1) % 3;
        meet |= pierces(x[i], x[j], &tri.y, eps) | pierces(tri.y[i], tri.y[j], &x, eps);
    }
    meet
}

/// An edge that certainly pierces the other triangle: whether it is an edge of the moving one, and its index.
pub fn piercing_edge(x: &[PointBound<f64>; 3], tri: &StaticTriangle<f64>) -> Option<(bool, u8)> {
    let (x, eps) = points(x, tri);
    (0..3).find_map(|i| {
        let j = (i + 1) % 3;
        let moving = pierces(x[i], x[j], &tri.y, eps) != 0;
        (moving || pierces(tri.y[i], tri.y[j], &x, eps) != 0).then_some((moving, i as u8))
    })
}

/// The moving vertices at the middle time, and a bound on the distance of any vertex of either triangle from the true
/// one.
#[inline(always)]
fn points<T: Real>(x: &[PointBound<T>; 3], tri: &StaticTriangle<T>) -> ([V3<T>; 3], T) {
    let cube = x[0].cube.max(x[1].cube).max(x[2].cube).norm1();
    let eps = x[0].ball.max(x[1].ball).max(x[2].ball).max(tri.error) + cube;
    ([x[0].c[0], x[1].c[0], x[2].c[0]], eps)
}

/// Lanes in which the segment from `p` to `q` certainly pierces the triangle, if all points are known to within `eps`.
#[inline(always)]
fn pierces<T: Real>(p: V3<T>, q: V3<T>, t: &[V3<T>; 3], eps: T) -> u32 {
    let [p_above, p_below] = sides(t[0], t[1], t[2], p, eps);
    let [q_above, q_below] = sides(t[0], t[1], t[2], q, eps);
    let crosses = p_above & q_below | p_below & q_above;
    if crosses == 0 {
        return 0;
    }
    let around = [sides(p, q, t[0], t[1], eps), sides(p, q, t[1], t[2], eps), sides(p, q, t[2], t[0], eps)];
    crosses & (around[0][0] & around[1][0] & around[2][0] | around[0][1] & around[1][1] & around[2][1])
}

/// Lanes in which the orientation of `d` against `a, b, c` is certainly positive, and certainly negative.
#[inline(always)]
pub(super) fn sides<T: Real>(a: V3<T>, b: V3<T>, c: V3<T>, d: V3<T>, eps: T) -> [u32; 2] {
    let (y, e1, e2) = (d - a, b - a, c - a);
    let f = y.dot(e1.cross(e2));
    let (ny, n1, n2) = (y.norm_bound(), e1.norm_bound(), e2.norm_bound());
    let error = eps * (n1 * n2 + ny * n1 + ny * n2) * T::new(2.1) + ny * n1 * n2 * T::new(24.0 * T::UNIT);
    // The norms are upper bounds, at most an eighth too large: 2⁻⁷ of them is below 2⁻⁶·⁸ of the lengths.
    let long_enough = ny.min(n1).min(n2).gt(eps * T::new(288.0));
    let error = error + T::new(T::UNDERFLOW);
    [f.gt(error) & long_enough, (-f).gt(error) & long_enough]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(v: [f64; 3], eps: f64) -> PointBound<f64> {
        PointBound { c: [V3(v), V3::zero(), V3::zero()], ball: eps, cube: V3::zero() }
    }

    #[test]
    fn a_spike_through_the_floor_is_certain_a_touching_one_is_not() {
        let floor = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let standing = StaticTriangle { y: floor.map(V3), error: 0.0 };
        let spike = |depth: f64, eps: f64| [[0.3, 0.3, -depth], [0.3, 0.3, 1.0], [0.4, 0.3, 1.0]].map(|v| at(v, eps));
        assert_eq!(triangles_meet(&spike(1e-9, 1e-14), &standing), 1);
        assert_eq!(triangles_meet(&spike(0.0, 1e-14), &standing), 0);
        assert_eq!(triangles_meet(&spike(-1e-9, 0.0), &standing), 0);
        // The same depth with an error that hides it.
        assert_eq!(triangles_meet(&spike(1e-9, 1e-8), &standing), 0);
        assert_eq!(triangles_meet(&floor.map(|v| at(v, 0.0)), &standing), 0);
        // The edge of the static triangle through the moving one.
        let wall = [[0.2, -0.1, -0.5], [0.2, 0.3, 0.5], [0.2, -0.1, 0.5]].map(|v| at(v, 1e-14));
        assert_eq!(triangles_meet(&wall, &standing), 1);
    }
}
