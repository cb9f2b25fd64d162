//! Line-swept spheres, one of which moves or both, by a separating plane.
//!
//! The plane is perpendicular to the line between the nearest points of both segments at the middle time. For two
//! convex sets at rest it separates them if any plane does; here it is held fixed over an interval of time, over which
//! the projections of the ends are bounded from below. A point of a moving segment is a combination of both ends at all
//! times, so its projection is at least the lower one of theirs; the difference of points of two moving segments is a
//! combination of the four differences of their ends, in which a common translation cancels. Any vector may serve as
//! the normal, so the rounding of the nearest points does not matter.
//!
//! **Rounding**, in units `u = UNIT`: the evaluation of the ends is part of their balls (`pose_bound`). A projection
//! takes a scalar product (3), the factor `hᵏ/k!` (3), four sums, and for two moving segments a difference; the length
//! of the normal is 1 to within 4 units, which changes the radii by as much. That is at most 16 units of the sum of all
//! sizes, and 16 more are added for the rounding of this bound.
//!
//! For kernels, which have no square roots, the gap `g` along any `n` proves two moving spheres apart if `g > |n| ρ`,
//! with `ρ` the sum of radii and balls: with both sides positive that is `g² > (n·n) ρ²`, whose products round at most
//! eight times. The effect of underflow is below [`Real::UNDERFLOW`], which is added to each factor of the right side
//! and to their product.

use crate::arith::linear::V3;
use crate::arith::real::{FullReal, Real};
use crate::bvh::lss::Lss;
use crate::enclosure::point_bound::PointBound;

/// Units that cover all roundings.
pub const ROUNDINGS: f64 = 32.0;
/// The least square of a length by which it is divided, square metres.
pub const LEAST: f64 = 1e-20;

/// Returns the lanes, as a mask, in which a moving line-swept sphere certainly stays apart from a static one over
/// `|τ| <= h`. `ends` bound the paths of the ends of its segment.
#[inline(always)]
pub fn lss_misses<T: FullReal>(ends: &[PointBound<T>; 2], radius: T, fixed: &Lss, h: T) -> u32 {
    let fixed_ends: [V3<T>; 2] = [V3::new(fixed.a), V3::new(fixed.b)];
    let between = between_segments([ends[0].c[0], ends[1].c[0]], fixed_ends);
    let inverse = T::new(1.0).div(between.dot(between).sqrt());
    let n = between.times(inverse);
    let half_hh = h * h * T::new(0.5);
    let mut size = fixed_ends[0].norm1() + fixed_ends[1].norm1() + radius + T::new(fixed.radius);
    let mut lowest = T::new(f64::INFINITY);
    for end in ends {
        let [c0, c1, c2] = end.c;
        let stray = end.ball + end.cube.norm1();
        size = size + (c0.norm1() + c1.norm1() * h + c2.norm1() * half_hh + stray);
        let low = n.dot(c0) - n.dot(c1).abs() * h - (-n.dot(c2)).max(T::new(0.0)) * half_hh - stray;
        lowest = lowest.min(low);
    }
    let gap = lowest - n.dot(fixed_ends[0]).max(n.dot(fixed_ends[1]));
    let radii = T::new(fixed.radius) + radius;
    gap.gt(radii + (size * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW)))
}

/// A line-swept sphere over an interval of time.
#[derive(Clone, Copy, Debug)]
pub struct MovingLss<T> {
    /// Bounds on the paths of the ends of its segment.
    pub ends: [PointBound<T>; 2],
    /// Its radius, metres.
    pub radius: T,
}

impl<T: Real> MovingLss<T> {
    /// The radius with the balls of both ends.
    #[inline(always)]
    fn reach(&self) -> T {
        self.radius + self.ends[0].ball.max(self.ends[1].ball)
    }

    /// The size to which the rounding of a projection is relative.
    #[inline(always)]
    fn size(&self, h: T, half_hh: T) -> T {
        let of =
            |p: &PointBound<T>| (p.c[0].norm1() + p.c[1].norm1() * h) + (p.c[2].norm1() * half_hh + p.cube.norm1());
        of(&self.ends[0]) + of(&self.ends[1])
    }
}

/// Returns the lanes, as a mask, in which two moving line-swept spheres certainly stay apart over `|τ| <= h`: the twin
/// of `wgsl/lib/lss.wgsl`.
#[inline(always)]
pub fn moving_lss_misses<T: FullReal>(a: &MovingLss<T>, b: &MovingLss<T>, h: T) -> u32 {
    let n = between_segments(a.ends.map(|p| p.c[0]), b.ends.map(|p| p.c[0]));
    let (zero, underflow, half_hh) = (T::new(0.0), T::new(T::UNDERFLOW), h * h * T::new(0.5));
    let inflation = T::new(1.0 + ROUNDINGS * T::UNIT);
    let mut gap = T::new(f64::INFINITY);
    for p in &a.ends {
        for q in &b.ends {
            let [x, v, w] = [p.c[0] - q.c[0], p.c[1] - q.c[1], p.c[2] - q.c[2]];
            let moved = n.dot(v).abs() * h + (-n.dot(w)).max(zero) * half_hh;
            gap = gap.min(n.dot(x) - (moved + n.abs().dot(p.cube + q.cube)));
        }
    }
    let size = a.size(h, half_hh) + b.size(h, half_hh);
    let grow = (a.reach() + b.reach()) * inflation + (size * T::new(ROUNDINGS * T::UNIT) + underflow);
    let needed = (n.dot(n) + underflow) * (grow * grow + underflow) * inflation + underflow;
    gap.gt(zero) & (gap * gap).gt(needed)
}

/// The vector from the nearest point of the second segment to that of the first, approximately.
#[inline(always)]
fn between_segments<T: FullReal>([a, b]: [V3<T>; 2], [c, d]: [V3<T>; 2]) -> V3<T> {
    let (zero, one, least) = (T::new(0.0), T::new(1.0), T::new(LEAST));
    let (along, across, start) = (b - a, d - c, a - c);
    let (aa, bb, ab) = (along.dot(along).max(least), across.dot(across).max(least), along.dot(across));
    let (a_start, b_start) = (along.dot(start), across.dot(start));
    let determinant = (aa * bb - ab * ab).max(least);
    let s = (ab * b_start - a_start * bb).div(determinant).max(zero).min(one);
    let t = (ab * s + b_start).div(bb).max(zero).min(one);
    let s = (ab * t - a_start).div(aa).max(zero).min(one);
    start + along.times(s) - across.times(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn at_rest(p: DVec3) -> PointBound<f64> {
        PointBound { c: [V3::new(p), V3::zero(), V3::zero()], ball: 0.0, cube: V3::zero() }
    }

    fn lss(a: DVec3, b: DVec3, radius: f64) -> Lss {
        Lss { a, b, radius }
    }

    #[test]
    fn gaps_decide_in_every_position_of_two_segments() {
        let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
        for (a, b, fixed) in [
            (-x, x, [z - y, z + y]),
            (-x, x, [z - x, z + x]),
            (x * 2.0, x * 3.0, [DVec3::ZERO, x]),
            (DVec3::ZERO, DVec3::ZERO, [z, z + x]),
            (-x, x, [z, z]),
        ] {
            let misses = |radius: f64| {
                let fixed = lss(fixed[0], fixed[1], 0.4);
                lss_misses(&[at_rest(a), at_rest(b)], radius, &fixed, 0.1) == 1
            };
            assert!(misses(0.5999) && !misses(0.6001), "{a} {b} {fixed:?}");
        }
        // Segments that meet, and those of which one is a point of the other.
        let meets = |a, b| lss_misses(&[at_rest(a), at_rest(b)], 0.0, &lss(-y, y, 0.0), 0.1) == 0;
        assert!(meets(-x, x) && meets(DVec3::ZERO, DVec3::ZERO) && meets(y, y * 2.0));
    }

    #[test]
    fn motion_balls_and_cubes_count() {
        let fixed = lss(DVec3::Z, DVec3::Z + DVec3::X, 0.25);
        let end = |c1: f64, c2: f64, ball: f64, cube: f64| {
            let [c1, c2, cube] = [c1, c2, cube].map(|k| V3::new(DVec3::Z * k));
            PointBound { c: [V3::zero(), c1, c2], ball, cube }
        };
        let misses = |end: PointBound<f64>| lss_misses(&[at_rest(DVec3::X * 0.2), end], 0.25, &fixed, 0.5) == 1;
        assert!(misses(end(0.99, 0.0, 0.0, 0.0)) && !misses(end(1.01, 0.0, 0.0, 0.0)));
        assert!(!misses(end(-1.01, 0.0, 0.0, 0.0)));
        assert!(misses(end(0.0, 3.99, 0.0, 0.0)) && !misses(end(0.0, 4.01, 0.0, 0.0)));
        assert!(misses(end(0.0, -100.0, 0.0, 0.0)));
        assert!(misses(end(0.0, 0.0, 0.49, 0.0)) && !misses(end(0.0, 0.0, 0.51, 0.0)));
        assert!(misses(end(0.0, 0.0, 0.0, 0.49)) && !misses(end(0.0, 0.0, 0.0, 0.51)));
    }

    /// The same sphere, moving up.
    fn rising(a: DVec3, b: DVec3, radius: f64, speed: f64) -> MovingLss<f64> {
        let mut ends = [at_rest(a), at_rest(b)];
        ends.iter_mut().for_each(|end| end.c[1] = V3::new(DVec3::Z * speed));
        MovingLss { ends, radius }
    }

    #[test]
    fn a_common_translation_cancels() {
        let low = |speed| rising(DVec3::ZERO, DVec3::X, 0.25, speed);
        let high = |speed| rising(DVec3::Z, DVec3::Z + DVec3::X, 0.25, speed);
        let misses = |a, b| moving_lss_misses(&low(a), &high(b), 0.5) == 1;
        assert!(misses(100.0, 100.0) && misses(0.0, 0.0) && misses(10.0, 9.01));
        assert!(!misses(10.0, 8.99) && !misses(0.0, 1.01) && !misses(0.0, -1.01));
        assert_eq!(moving_lss_misses(&high(3.0), &low(3.0), 0.5), 1);
    }
}
