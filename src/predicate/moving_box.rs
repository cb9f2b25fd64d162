//! Proofs that an oriented box of a moving body stays apart from static boxes and triangles over a short time interval:
//! its own axes and the triangle's normal as separating axes.
//!
//! Over `|τ| <= h` a point of the box is `C_0 + s v + Σ s_i H_i + w` with `|s|, |s_i| <= 1` and `|w| <= stray`: `C_0`
//! is the centre at the middle time, `v = C_1 h` the travel of the centre, `H_i = a_i P_0 u_i` the half axes at the
//! middle time, and
//!
//! ```text
//! stray = ball + |cube| + |C_2| h²/2 + Σ a_i (|P_1 u_i| h + |P_2 u_i| h²/2)
//! ```
//!
//! with ball and cube as in [`obb_overlap`](super::obb_overlap). So on any vector `n` the box spans at most `n·C_0 ±
//! (|n·v| + Σ |n·H_i| + |n| stray)`; anything outside of this range is separated from the box.
//!
//! **Rounding**, in units `u = UNIT`. The ball at the reach covers the evaluation of the centre and the directions
//! ([`obb_overlap`](super::obb_overlap)). `v` and `H_i` round once more, their products with `n` three times, the sums
//! at most five times: at most 9 units of `|n| (|v| + Σ |H_i|)` (Cauchy–Schwarz). The terms of `stray` are non-negative
//! and round at most 14 times. On the other side the difference from `C_0` rounds once, the product with `n` three
//! times, and its comparison twice: 6 units of `|n|` times its size. `32 u` covers each of them and the rounding of the
//! bound itself; for the box's axes one bound on the length of all three (`stretch`) takes the place of `|n|`. A
//! comparison with NaN is false, so it proves nothing.

use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::real::{FullReal, Real};
use crate::arith::vectors::{Vector, WIDTH, part, part3, store3};
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::nearest::from_triangle;
use crate::predicate::obb_overlap::OrientedBox;
use crate::predicate::separation::StaticTriangle;

/// Units that cover the rounding of each side.
pub const ROUNDINGS: f64 = 32.0;

/// Squared length of an axis below which it may have lost digits to underflow, so that it proves nothing.
const SHORTEST2: f64 = 1e-200;

/// An oriented box of a moving body over an interval of time.
#[derive(Clone, Copy, Debug)]
pub struct MovingBox<T> {
    /// The centre at the middle time, metres.
    center: V3<T>,
    /// The axes at the middle time, of length one to within rounding.
    axes: [V3<T>; 3],
    /// Largest distance of a point from the centre along each axis, times the axis's length, metres.
    reach: [T; 3],
    /// Half the sizes along the axes, metres.
    half: [T; 3],
    /// The displacement of the centre to either side of the middle time, to first order, metres.
    travel: V3<T>,
    /// Largest deviation of a point from centre, travel and half axes, metres.
    stray: T,
    /// Upper bound on the length of each axis.
    stretch: T,
}

impl<T: Real> MovingBox<T> {
    /// A box of a body whose pose is bounded for `|τ| <= h`.
    #[inline(always)]
    pub fn new(pose: &PoseBound<T>, b: &OrientedBox<T>, h: T) -> Self {
        let half_hh = h * h * T::new(0.5);
        let center = pose.point(b.center, b.reach);
        let travel = center.c[1].times(h);
        let (mut size, mut cube) = (travel.norm_bound(), center.cube);
        let mut stray = center.ball + center.c[2].norm_bound() * half_hh;
        let (mut axes, mut stretch) = (b.axes, T::new(0.0));
        for i in 0..3 {
            let axis = pose.direction(b.axes[i]);
            axes[i] = axis.c[0];
            stray = stray + (axis.c[1].norm_bound() * h + axis.c[2].norm_bound() * half_hh) * b.half[i];
            cube = cube + axis.cube.times(b.half[i]);
            let length = axes[i].norm_bound();
            stretch = stretch.max(length);
            size = size + length * b.half[i];
        }
        stray = stray + cube.norm1();
        stray = stray + ((stray + size) * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW));
        let reach = [T::new(0.0); 3];
        let mut moving = Self { center: center.c[0], axes, reach, half: b.half, travel, stray, stretch };
        for i in 0..3 {
            moving.reach[i] = moving.reach_along(axes[i]);
        }
        moving
    }

    /// Upper bound of `|n·(p - C_0)|` for the points `p` of the box.
    #[inline(always)]
    fn reach_along(&self, n: V3<T>) -> T {
        // Underflow counts twice: that of a term, which `n` then scales (in `stray`), and that of a product with a tiny
        // `n`.
        self.extent_along(n) + (n.norm_bound() * self.stray + T::new(T::UNDERFLOW))
    }

    /// The part of that bound without `stray`.
    #[inline(always)]
    fn extent_along(&self, n: V3<T>) -> T {
        let mut extent = n.dot(self.travel).abs();
        for i in 0..3 {
            extent = extent + n.dot(self.axes[i]).abs() * self.half[i];
        }
        extent
    }

    /// Lanes in which one of the box's axes separates it from the box along the coordinate axes between two corners.
    #[inline(always)]
    pub fn misses_box(&self, lo: V3<T>, hi: V3<T>) -> u32 {
        let (from, to) = (lo - self.center, hi - self.center);
        let slack = from.abs().max(to.abs()).norm1() * T::new(ROUNDINGS * T::UNIT) * self.stretch;
        let mut apart = 0;
        for i in 0..3 {
            let n = self.axes[i];
            let (mut low, mut high) = (T::new(0.0), T::new(0.0));
            for k in 0..3 {
                let (a, b) = (n.0[k] * from.0[k], n.0[k] * to.0[k]);
                (low, high) = (low + a.min(b), high + a.max(b));
            }
            let reach = self.reach[i] + slack;
            apart |= low.gt(reach) | (-high).gt(reach);
        }
        apart
    }

    /// Lanes in which one of the box's axes or the triangle's normal separates the box from a triangle.
    #[inline(always)]
    pub fn misses_triangle(&self, tri: &StaticTriangle<T>) -> u32 {
        let d = [tri.y[0] - self.center, tri.y[1] - self.center, tri.y[2] - self.center];
        let size = d[0].norm1().max(d[1].norm1()).max(d[2].norm1());
        let slack = tri.error + size * T::new(ROUNDINGS * T::UNIT);
        let (along_axes, mut apart) = (self.stretch * slack, 0);
        for i in 0..3 {
            let n = self.axes[i];
            let [a, b, c] = [n.dot(d[0]), n.dot(d[1]), n.dot(d[2])];
            let reach = self.reach[i] + along_axes;
            apart |= a.min(b).min(c).gt(reach) | (-a.max(b).max(c)).gt(reach);
        }
        // All corners, because the normal is only approximately normal to the edges.
        let n = (d[1] - d[0]).cross(d[2] - d[0]);
        let [a, b, c] = [n.dot(d[0]), n.dot(d[1]), n.dot(d[2])];
        let reach = self.reach_along(n) + n.norm_bound() * slack;
        apart | a.min(b).min(c).gt(reach) | (-a.max(b).max(c)).gt(reach)
    }
}

impl<T: FullReal> MovingBox<T> {
    /// Lanes in which the direction from a triangle's nearest point to the box's centre separates the two. If a margin
    /// is part of the box's ball, nearest points are usually at corners and edges, and no other axis has the direction
    /// between them. The ball counts with the length of the axis, since it contains the margin: the bound of other axes
    /// may be 13 % too large.
    #[inline(always)]
    pub fn is_beyond(&self, tri: &StaticTriangle<T>) -> u32 {
        let n = from_triangle(self.center, &tri.y);
        let d = [tri.y[0] - self.center, tri.y[1] - self.center, tri.y[2] - self.center];
        let size = d[0].norm1().max(d[1].norm1()).max(d[2].norm1());
        let slack = tri.error + size * T::new(ROUNDINGS * T::UNIT);
        let high = n.dot(d[0]).max(n.dot(d[1])).max(n.dot(d[2]));
        let length2 = n.dot(n);
        let reach = self.extent_along(n) + length2.sqrt() * (self.stray + slack);
        let reach = reach * T::new(1.0 + ROUNDINGS * T::UNIT);
        length2.gt(T::new(SHORTEST2)) & (-high).gt(reach)
    }
}

impl<T: Vector> MovingBox<T> {
    /// Stores the boxes in memory.
    #[inline(always)]
    pub fn store(self) -> MovingBox<Lanes<WIDTH>> {
        let [u, v, w] = self.axes;
        MovingBox {
            center: store3(self.center),
            axes: [store3(u), store3(v), store3(w)],
            reach: self.reach.map(T::store),
            half: self.half.map(T::store),
            travel: store3(self.travel),
            stray: self.stray.store(),
            stretch: self.stretch.store(),
        }
    }
}

impl MovingBox<Lanes<WIDTH>> {
    /// Loads the boxes into registers.
    #[inline(always)]
    pub fn load<T: Vector>(&self) -> MovingBox<T> {
        let ([u, v, w], [a, b, c], [r, s, t]) = (&self.axes, &self.half, &self.reach);
        MovingBox {
            center: part3(&self.center, 0),
            axes: [part3(u, 0), part3(v, 0), part3(w, 0)],
            reach: [part(r, 0), part(s, 0), part(t, 0)],
            half: [part(a, 0), part(b, 0), part(c, 0)],
            travel: part3(&self.travel, 0),
            stray: part(&self.stray, 0),
            stretch: part(&self.stretch, 0),
        }
    }

    /// The box of one lane, in every lane.
    #[inline(always)]
    pub fn broadcast<T: Vector>(&self, lane: usize) -> MovingBox<T> {
        let number = |x: &Lanes<WIDTH>| T::new(x.0[lane]);
        let vector = |v: &V3<Lanes<WIDTH>>| V3([number(&v.0[0]), number(&v.0[1]), number(&v.0[2])]);
        let ([u, v, w], [a, b, c], [r, s, t]) = (&self.axes, &self.half, &self.reach);
        MovingBox {
            center: vector(&self.center),
            axes: [vector(u), vector(v), vector(w)],
            reach: [number(r), number(s), number(t)],
            half: [number(a), number(b), number(c)],
            travel: vector(&self.travel),
            stray: number(&self.stray),
            stretch: number(&self.stretch),
        }
    }
}
