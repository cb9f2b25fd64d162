//! The distance of a moving triangle from a static one, compared with a margin.
//!
//! A margin is part of the ball of every point ([`PointBound`]), so any separating axis proves that triangles stay more
//! than the margin apart. The seventeen axes that are sufficient for two triangles at rest are not sufficient for a
//! distance: between two corners, or a corner and an edge, the nearest points are on none of them. The direction
//! between the nearest points is sufficient. It is taken at the middle time; its origin does not matter, as for every
//! axis.
//!
//! The same points are a witness if their distance is at most the margin: whatever two points of the triangles are
//! chosen, the distance of the triangles is not larger.
//!
//! **Rounding** of the projections is that of [`separation`](super::separation). The ball counts with the length of the
//! axis itself, not with the sum of its coordinates: it contains the margin, and rounding does not.

use crate::arith::linear::V3;
use crate::arith::real::{FullReal, Real};
use crate::enclosure::point_bound::PointBound;
use crate::predicate::features;
use crate::predicate::nearest::{from_triangle, nearest};
use crate::predicate::piercing::triangles_meet;
use crate::predicate::separation::{MovingTriangle, ROUNDINGS, StaticTriangle};
use glam::DVec3;

/// Comparison of distances with a margin, as masks of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proximity {
    /// The triangles certainly stay more than the margin apart over the whole interval.
    pub beyond: u32,
    /// The triangles are probably within the margin at the middle time; [`are_within`] proves it.
    pub near: u32,
}

/// Compares the distance of moving triangles from a static one, over `|τ| <= h`, with the margin that the balls of `x`
/// contain.
#[inline(always)]
pub fn proximity<T: FullReal>(x: &[PointBound<T>; 3], tri: &StaticTriangle<T>, h: T, margin_m: f64) -> Proximity {
    let moving = MovingTriangle::new(x, h);
    let found = nearest(&moving.at, &tri.y);
    let beyond = certainly_beyond(&moving, tri, found.direction());
    let distance2 = found.apart.dot(found.apart);
    Proximity { beyond, near: T::new(margin_m * margin_m).gt(distance2) }
}

/// Lanes in which moving triangles certainly stay farther from a static one than the margin that the balls of `x`
/// contain, over `|τ| <= h`.
///
/// The axis is the direction to the middle of the moving triangle from the nearest point of the static one. It takes
/// fewer operations than the nearest points of two triangles in [`proximity`], and separates fewer of them.
#[inline(always)]
pub fn are_beyond<T: FullReal>(x: &[PointBound<T>; 3], tri: &StaticTriangle<T>, h: T) -> u32 {
    let moving = MovingTriangle::new(x, h);
    let middle = (moving.at[0] + moving.at[1] + moving.at[2]).times(T::new(1.0 / 3.0));
    certainly_beyond(&moving, tri, from_triangle(middle, &tri.y))
}

/// Lanes in which an axis of any length, on which the static triangle is lower, separates two triangles.
#[inline(always)]
fn certainly_beyond<T: FullReal>(moving: &MovingTriangle<T>, tri: &StaticTriangle<T>, n: V3<T>) -> u32 {
    let on = Projections::new(moving, tri, n);
    let reach = (on.strays + n.dot(n).sqrt() * on.reach) * T::new(1.0 + ROUNDINGS * T::UNIT);
    n.dot(n).gt(T::new(SHORTEST2)) & on.gap.gt(reach)
}

/// A moving triangle and a static one on an axis of any length, on which the static one is lower.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projections<T> {
    /// The gap between the projections at the middle time, metres times the length of the axis.
    pub gap: T,
    /// The largest displacement of the moving triangle during the interval, in the same unit.
    pub strays: T,
    /// The pose bound and the rounding of the projections, metres.
    pub reach: T,
    /// The sizes of all vectors whose projections these are, metres.
    pub size: T,
}

impl<T: Real> Projections<T> {
    #[inline(always)]
    pub fn new(moving: &MovingTriangle<T>, tri: &StaticTriangle<T>, n: V3<T>) -> Self {
        let y = &tri.y;
        // Without closures, which are not always inlined.
        let d = [moving.at[0] - y[0], moving.at[1] - y[0], moving.at[2] - y[0]];
        let f = [y[1] - y[0], y[2] - y[0]];
        let low = n.dot(d[0]).min(n.dot(d[1])).min(n.dot(d[2]));
        let high = T::new(0.0).max(n.dot(f[0])).max(n.dot(f[1]));
        let sizes = [d[0].norm1(), d[1].norm1(), d[2].norm1()];
        let span = f[0].norm1() + f[1].norm1();
        let [a, b, c] = moving.sizes;
        let largest = (sizes[0] + a).max(sizes[1] + b).max(sizes[2] + c) + span;
        let grow =
            (largest + moving.ball) * T::new(ROUNDINGS * T::UNIT) + tri.error * T::new(3.0) + T::new(T::UNDERFLOW);
        let strays = n.dot(moving.travel).abs() + n.abs().dot(moving.off);
        let size = sizes[0] + sizes[1] + sizes[2] + span;
        Self { gap: low - high, strays, reach: moving.ball + grow, size }
    }
}

/// Lanes in which boxes along the coordinate axes are more than a margin apart, both given by their lowest and highest
/// coordinates; the first ones are grown by the margin in all six directions.
///
/// Without its growth, the first box is at least `gap + margin` away on each coordinate, and the distance is at least
/// the square root of the sum of their squares: boxes whose corners are nearest are farther apart than on any axis.
/// Differences round relative to the coordinates, for which `8 u` of these are subtracted; the rest relative to itself.
#[inline(always)]
pub fn boxes_beyond<T: Real>(a: [V3<T>; 2], b: [V3<T>; 2], margin_m: f64) -> u32 {
    let (zero, margin, mut distance2) = (T::new(0.0), T::new(margin_m), T::new(0.0));
    for k in 0..3 {
        let [a_lo, a_hi, b_lo, b_hi] = [a[0].0[k], a[1].0[k], b[0].0[k], b[1].0[k]];
        let size = a_lo.abs().max(a_hi.abs()) + b_lo.abs().max(b_hi.abs()) + margin;
        let gap = (a_lo - b_hi).max(b_lo - a_hi) + margin - size * T::new(8.0 * T::UNIT);
        let gap = gap.max(zero);
        distance2 = distance2 + gap * gap;
    }
    distance2.gt(T::new(margin_m * margin_m * (1.0 + 16.0 * T::UNIT)))
}

/// The square of a shorter axis may have lost digits to underflow: it proves nothing.
const SHORTEST2: f64 = 1e-200;

/// Returns whether two triangles are certainly within a margin of each other at the middle time of the bounds, whose
/// balls do not contain it.
pub fn are_within(x: &[PointBound<f64>; 3], tri: &StaticTriangle<f64>, margin_m: f64) -> bool {
    // Any two points bound the distance from above; these are known to within the ball and the roundings of f64.
    let point = |v: V3<f64>| DVec3::from_array(v.0);
    let (p, q) = (x.map(|x| point(x.c[0])), tri.y.map(point));
    let uncertain = |x: &PointBound<f64>| x.ball + x.cube.norm1();
    let error = uncertain(&x[0]).max(uncertain(&x[1])).max(uncertain(&x[2])) + tri.error;
    let size = p.iter().chain(&q).fold(0.0, |m: f64, v| m.max(v.length()));
    features::any_distance(p, q, |distance_m| distance_m + error + 64.0 * f64::EPSILON * size <= margin_m)
}

/// Like [`are_within`] for bounds whose balls contain the margin, or triangles that certainly pierce each other.
pub fn are_within_or_meet(x: &[PointBound<f64>; 3], tri: &StaticTriangle<f64>, margin_m: f64) -> bool {
    // The difference rounds once, and the ball's own sum with the margin did, too.
    let own =
        |x: &PointBound<f64>| PointBound { ball: (x.ball - margin_m).max(0.0) + 4.0 * f64::EPSILON * x.ball, ..*x };
    let x = x.map(|x| own(&x));
    are_within(&x, tri, margin_m) || triangles_meet(&x, tri) != 0
}
