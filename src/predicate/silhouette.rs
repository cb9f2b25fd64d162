//! Silhouettes: a convex body seen along a coordinate axis, as a polygon and a range of depths in the pixels of a
//! square tile. Swept volumes and triangles are drawn as such silhouettes; two bodies are apart if in some view there
//! is no pixel in which their depths overlap.
//!
//! **The body** is `conv{p_0 … p_3} ⊕ ball ⊕ cube`. A line-swept sphere during `|τ| <= h` is contained in such a body:
//! its ends move within `c0 + c1 τ + c2 τ²/2` and a ball and cube around that; `τ²/2` is within `h²/4` of `h²/4`, so
//! each end is within `|c2| h²/4` of the segment `(c0 + c2 h²/4) ± h c1`. A point of the sphere's segment is at each
//! time the same convex combination of both ends. (Redon et al. 2004 tessellate the surface, section 4.2; this contains
//! it.)
//!
//! **Pixels.** The pixel coordinate of `x` along axis `i` is the real number `(x_i - middle_i) scale_i`, for any values
//! of `middle_i` and `scale_i`; pixels are unit squares, and the tile is `[-half, half]²`, seen along the axis `view`
//! with the axes `view + 1` and `view + 2` (modulo 3) to the right and up. If a point of the body is in a pixel's
//! square, the pixel's *centre* is in the body's projection dilated by a square of half width 1/2. So a polygon that
//! contains the dilated projection covers the centre, and the ordinary rule, that a pixel is drawn if its centre is
//! covered, draws it.
//!
//! **The polygon** is bounded by eight lines, at right angles and half right angles to a direction `along` that can be
//! chosen freely (the closer to the body's longest extent, the tighter). Line `k` is `f_k(x) = reach_k` with
//! `f = α, α+β, β, β-α` and their opposites, `α = along·x`, `β` the same turned by a right angle. `reach_k` is at least
//! the body's support plus that of the dilation. Vertex `k` is the intersection of lines `k` and `k+1`.
//!
//! *Each reach may be too large by any amount.* Seen from a point `x` with `f_k(x) < reach_k` for all `k`, the
//! direction of vertex `k` is less than a right angle from the normals of both its lines; so the path along the
//! vertices winds around `x` once, though it may cross itself elsewhere, and the signed triangles of any triangulation,
//! whose windings add up to the path's, cover `x`. The same holds after every vertex has moved by less than the
//! distance of `x` from the lines. Therefore reaches are cut to what the tile grown by a pixel needs: no vertex is
//! farther than `4 half + 8` from the tile's middle, whatever the body's size, and no clipping is necessary.
//!
//! **Depth.** For any slope `g` and a point of the body in the pixel with centre `c`, `z - g·x` is between the extremes
//! over the four points plus the contributions of ball and cube, and `g·x` is within `(|g_u| + |g_w|)/2` of `g·c`. This
//! is cut to the range of `z` over the body. With a triangle's own slope, the range is that of its plane over the
//! pixel; for one seen edge-on, `g = 0` leaves the whole range.
//!
//! **Rounding**, in units of the arithmetic, with `s` the largest `|q_u| + |q_w|` of a point's pixel coordinates.
//! Coordinates round twice, α and β twice more on terms that sum to `s`, their sums once: ten units of `s` at most;
//! `32 s` widens the pixel. A vertex moves because `along` is not quite a unit vector (at most 64 units of `|along|²`,
//! so 128 of the vertex, which is at most 300 pixels away: 2⁻⁷·⁷), because it is turned back (four roundings), in the
//! device's own transform (2⁻⁹ for a target of 1024 pixels), and in rounding to the device's sub-pixel grid, at most
//! 2⁻⁴ (four bits, the least that Vulkan, Metal and Direct3D allow, and truncated rather than rounded). [`SNAP`] is
//! more than their sum. Depths round at most ten times on `|z| + half + (|g_u| + |g_w|)(s + half)`: sixteen units cover
//! that.

use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::enclosure::point_bound::PointBound;

/// Largest error of the position at which a device draws a vertex, in each coordinate, pixels.
pub const SNAP: f64 = 1.0 / 16.0 + 1.0 / 64.0;
/// Units of rounding that widen a pixel, for each pixel of distance from the tile's middle.
pub const OUTLINE_ROUNDINGS: f64 = 32.0;
/// Units of rounding by which depth ranges are extended.
pub const DEPTH_ROUNDINGS: f64 = 16.0;

/// A convex body: all points within `radius` of the hull of four points, after a shift of at most `cube` along each
/// axis.
#[derive(Clone, Copy, Debug)]
pub struct Body<T> {
    /// The points, metres.
    pub points: [V3<T>; 4],
    /// Radius of the ball, metres.
    pub radius: T,
    /// Half widths of the cube, metres.
    pub cube: V3<T>,
}

/// The transform from metres to pixels, the same in all three views.
#[derive(Clone, Copy, Debug)]
pub struct Frame<T> {
    /// The point shown in the middle of the tiles, metres.
    pub middle: V3<T>,
    /// Pixels per metre along each axis, positive.
    pub scale: V3<T>,
}

/// Parameters that can be chosen freely: they affect the tightness of a silhouette, not its validity.
#[derive(Clone, Copy, Debug)]
pub struct Aim<T> {
    /// A direction in the tile, whose squared length is 1 to within 64 units.
    pub along: [T; 2],
    /// Growth of depth per pixel to the right and up.
    pub slope: [T; 2],
}

/// A polygon and a range of depths, in pixels from the tile's middle.
#[derive(Clone, Copy, Debug)]
pub struct Silhouette<T> {
    /// The direction of its first line's normal.
    pub along: [T; 2],
    /// The distances of its eight lines.
    pub reach: [T; 8],
    /// Growth of depth per pixel.
    pub slope: [T; 2],
    /// Lowest and highest depth at the tile's middle, continued by the slope; valid for a whole pixel.
    pub lift: [T; 2],
    /// Lowest and highest depth anywhere.
    pub depth: [T; 2],
}

impl<T: Real> Body<T> {
    /// The body in which a line-swept sphere moves during `|τ| <= h`.
    pub fn swept(ends: &[PointBound<T>; 2], radius: T, h: T) -> Self {
        let quarter = h * h * T::new(0.25);
        let mut around = T::new(0.0);
        let mut cube = V3::zero();
        let points = ends.map(|p| {
            let [c0, c1, c2] = p.c;
            // At most six roundings on the terms of the sum.
            let size = c0.norm1() + c1.norm1() * h + c2.norm1() * quarter;
            around = around.max(p.ball + c2.norm_bound() * quarter + size * T::new(8.0 * T::UNIT));
            cube = cube.max(p.cube);
            let (middle, way) = (c0 + c2.times(quarter), c1.times(h));
            [middle - way, middle + way]
        });
        let [[a0, a1], [b0, b1]] = points;
        let radius = (radius + around) * T::new(1.0 + 16.0 * T::UNIT) + T::new(T::UNDERFLOW);
        Self { points: [a0, a1, b0, b1], radius, cube }
    }

    /// A static triangle, known to within `error`.
    pub fn triangle(y: &[V3<T>; 3], error: T) -> Self {
        Self { points: [y[0], y[1], y[2], y[2]], radius: error, cube: V3::zero() }
    }
}

impl<T: Real> Frame<T> {
    /// The points in pixels from the tile's middle.
    #[inline(always)]
    pub fn pixels(&self, points: &[V3<T>; 4]) -> [V3<T>; 4] {
        points.map(|p| V3::from_fn(|i| (p.0[i] - self.middle.0[i]) * self.scale.0[i]))
    }

    /// Lanes in which a box is inside the tiles with half a pixel to spare.
    pub fn holds(&self, lo: V3<T>, hi: V3<T>, half: T) -> u32 {
        let spare = half - T::new(0.5);
        let extent = (hi - self.middle).max(self.middle - lo);
        (0..3).fold(u32::MAX, |held, i| held & spare.gt(extent.0[i] * self.scale.0[i] * T::new(1.0 + 8.0 * T::UNIT)))
    }
}

/// The axes to the right and up in the view along an axis.
pub fn axes(view: usize) -> [usize; 2] {
    [(view + 1) % 3, (view + 2) % 3]
}

#[inline(always)]
fn normals<T: Real>([x, y]: [T; 2]) -> [[T; 2]; 4] {
    [[x, y], [x - y, y + x], [-y, x], [-y - x, x - y]]
}

impl<T: Real> Silhouette<T> {
    /// The silhouette of a body in the tile `[-half, half]²`.
    pub fn of(body: &Body<T>, frame: &Frame<T>, view: usize, half: T, aim: &Aim<T>) -> Self {
        let [u, w] = axes(view);
        let one = T::new(1.0);
        let q = frame.pixels(&body.points);
        let radius = V3::from_fn(|i| body.radius * frame.scale.0[i]);
        let cube = V3::from_fn(|i| body.cube.0[i] * frame.scale.0[i]);
        let largest = |f: &dyn Fn(&V3<T>) -> T| f(&q[0]).max(f(&q[1])).max(f(&q[2])).max(f(&q[3]));
        let least = |f: &dyn Fn(&V3<T>) -> T| f(&q[0]).min(f(&q[1])).min(f(&q[2])).min(f(&q[3]));
        let size = largest(&|p| p.0[u].abs() + p.0[w].abs());
        let relative = T::new(1.0 + 16.0 * T::UNIT);

        let [x, y] = aim.along;
        let pixel = T::new(0.5 + SNAP) + size * T::new(OUTLINE_ROUNDINGS * T::UNIT);
        let grow = |d: [T; 2]| {
            let round = V3([d[0] * radius.0[u], d[1] * radius.0[w], T::new(0.0)]).norm_bound();
            (d[0].abs() * (pixel + cube.0[u]) + d[1].abs() * (pixel + cube.0[w]) + round) * relative
        };
        let mut reach = [T::new(0.0); 8];
        for (k, d) in normals(aim.along).into_iter().enumerate() {
            let along = |p: &V3<T>| x * p.0[u] + y * p.0[w];
            let across = |p: &V3<T>| x * p.0[w] - y * p.0[u];
            let f: &dyn Fn(&V3<T>) -> T = match k {
                0 => &along,
                1 => &|p| along(p) + across(p),
                2 => &across,
                _ => &|p| across(p) - along(p),
            };
            let (grow, rim) = (grow(d), (d[0].abs() + d[1].abs()) * (half + one));
            reach[k] = (largest(f) + grow).min(rim).max(-rim);
            reach[k + 4] = (grow - least(f)).min(rim).max(-rim);
        }

        let [gu, gw] = aim.slope;
        let steep = gu.abs() + gw.abs();
        let slack = (largest(&|p| p.0[view].abs()) + half + steep * (size + half)) * T::new(DEPTH_ROUNDINGS * T::UNIT);
        let ball = V3([gu * radius.0[u], gw * radius.0[w], radius.0[view]]).norm_bound();
        let thick = (ball + gu.abs() * cube.0[u] + gw.abs() * cube.0[w] + cube.0[view]) * relative;
        let over = |p: &V3<T>| p.0[view] - (gu * p.0[u] + gw * p.0[w]);
        let lift = thick + steep * T::new(0.5) + slack;
        let flat = (radius.0[view] + cube.0[view]) * relative + slack;
        Self {
            along: aim.along,
            reach,
            slope: aim.slope,
            lift: [least(&over) - lift, largest(&over) + lift],
            depth: [least(&|p| p.0[view]) - flat, largest(&|p| p.0[view]) + flat],
        }
    }

    /// The normals of lines 0 to 3; those of lines 4 to 7 are opposite.
    pub fn normals(&self) -> [[T; 2]; 4] {
        normals(self.along)
    }

    /// The polygon's vertices.
    pub fn vertices(&self) -> [[T; 2]; 8] {
        let [x, y] = self.along;
        let r = &self.reach;
        let turned = [
            [r[0], r[1] - r[0]],
            [r[1] - r[2], r[2]],
            [r[2] - r[3], r[2]],
            [-r[4], r[3] - r[4]],
            [-r[4], r[4] - r[5]],
            [r[6] - r[5], -r[6]],
            [r[7] - r[6], -r[6]],
            [r[0], r[0] - r[7]],
        ];
        turned.map(|[along, across]| [along * x - across * y, along * y + across * x])
    }

    /// Lowest and highest depth of the body in the pixel with this centre; if the lowest is above the highest, no part
    /// of the body is in the pixel.
    #[inline(always)]
    pub fn span(&self, centre: [T; 2]) -> [T; 2] {
        let there = self.slope[0] * centre[0] + self.slope[1] * centre[1];
        [self.depth[0].max(there + self.lift[0]), self.depth[1].min(there + self.lift[1])]
    }
}

impl Aim<f64> {
    /// The direction of the body's longest extent in the tile, with the slope of its plane.
    pub fn at(body: &Body<f64>, frame: &Frame<f64>, view: usize) -> Self {
        let [u, w] = axes(view);
        let q = frame.pixels(&body.points);
        let flat = |i: usize, j: usize| [q[j].0[u] - q[i].0[u], q[j].0[w] - q[i].0[w]];
        let square = |d: [f64; 2]| d[0] * d[0] + d[1] * d[1];
        let mut ends = (0, 1);
        for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            if square(flat(i, j)) > square(flat(ends.0, ends.1)) {
                ends = (i, j);
            }
        }
        let d = flat(ends.0, ends.1);
        let length = square(d).sqrt();
        if !(length > SHORT) {
            return Self { along: [1.0, 0.0], slope: [0.0; 2] };
        }
        let [x, y] = [d[0] / length, d[1] / length];
        let turned = |k: usize| {
            let d = flat(ends.0, k);
            (d[0] * x + d[1] * y, d[1] * x - d[0] * y)
        };
        let depth = |k: usize| q[k].0[view] - q[ends.0].0[view];
        let rise = bounded(depth(ends.1) / length);
        let side = (0..4).fold(0, |m, k| if turned(k).1.abs() > turned(m).1.abs() { k } else { m });
        let wide = turned(side).1.abs() > body.radius * frame.scale.0[u].max(frame.scale.0[w]) + SHORT;
        let tilt = if wide { bounded((depth(side) - rise * turned(side).0) / turned(side).1) } else { 0.0 };
        Self { along: [x, y], slope: [rise * x - tilt * y, rise * y + tilt * x] }
    }
}

/// Extents below this have no useful direction, pixels.
pub const SHORT: f64 = 0.125;
/// The steepest slope that is used; steeper bodies are treated as seen edge-on.
pub const STEEPEST: f64 = 16.0;

fn bounded(slope: f64) -> f64 {
    if slope.abs() < STEEPEST { slope } else { 0.0 }
}

impl Frame<f64> {
    /// The frame in which a box fills the tiles up to a pixel at their rim.
    pub fn around(lo: V3<f64>, hi: V3<f64>, half: f64) -> Self {
        let middle = (lo + hi).times(0.5);
        let extent = (hi - middle).max(middle - lo);
        let scale = V3::from_fn(|i| ((half - 1.0) / extent.0[i]).min(FINEST));
        Self { middle, scale }
    }
}

/// Maximum number of pixels per metre: boxes smaller than a tile at this scale do not fill it.
pub const FINEST: f64 = 65_536.0;
