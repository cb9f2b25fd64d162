//! Contraction: removes the times at which two moving features cannot touch.
//!
//! On an axis `n` the features' points project to numbers `g(τ) = n·(p(τ) - o)`, `o` a fixed origin nearby. Each is
//! known to within `own = |n| (ball + rounding)` of `g0 + g1 τ + g2 τ²/2`; so the difference of a point `x` of one side
//! and a point `y` of the other is within `U = own_x + own_y + max(±(g2_x - g2_y), 0) h²/2` of a straight line, from
//! above or below. If the sides touch at `τ`, then some `x` is not below some `y`, and some `x` not above some `y`.
//! Each of these conditions holds on a half line for each pair of points; the hull of the half lines is kept.
//!
//! This is a Newton step (Redon et al. 2004, eq. 18) with a fixed direction and no interval matrix. The origin of an
//! axis does not matter for soundness, so axes are computed without bounding their errors; the remaining width is
//! quadratic in the width before. A hull over pairs of points applies to every elementary test: a vertex and a face,
//! two edges (eq. 13, 14), or two whole triangles.
//!
//! **Half lines.** At either end of the remaining window the sides may overlap, or all of `x` is below `y`, or all of
//! it is above. If it is below at both ends, or above at both ends, the window is empty: a line that is negative at
//! both ends is negative between them. If it is below or above at one end, contact begins (or has ended) not before the
//! first of the lines is zero, as seen from that end. The first of `-a/s`, `a` the value at that end, is found by
//! comparing `a s'` with `a' s`, so that an end costs one division, and none if nothing is cut. Such a comparison is
//! off by two units at most, and so is the root that it picks. A line that does not rise is treated as one that hardly
//! rises: if this has an effect, the result is too early, which is safe.
//!
//! **Rounding.** A projection rounds once for the difference from the origin, three times for the sum of products, once
//! when its own error is added and at most three times in sums with the other side's and with `g1 τ`, which itself
//! rounds with the product; the term `g2 τ²/2` rounds twice before it is projected, and once more if the other side has
//! one. With `|n| ‖|p0 - o| + h |p1| + h²/2 |p2|‖`, the absolute values by component, as the sum of their sizes
//! (Cauchy–Schwarz), `10 u` of it for either side covers all.
//!
//! **Overflow.** An axis decides only if the sum of all errors on it is below `LARGEST`: then all projections are
//! finite, as they are at most 2⁵⁰ times these, velocities 10¹⁰⁰ times more. A NaN coordinate gives a NaN error, so the
//! axis decides nothing.
//!
//! Everything is generic over [`FullReal`], so that many equations run side by side; the results are the same bits in
//! each lane.

use crate::arith::linear::V3;
use crate::arith::real::FullReal;
use crate::enclosure::point_bound::PointBound;
use crate::predicate::separation::StaticTriangle;

/// Local times that contain every contact; empty in lanes where `lo > hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window<T> {
    /// Earliest.
    pub lo: T,
    /// Latest.
    pub hi: T,
}

/// Ten units on each side; see the module's documentation.
const PROJECTION: f64 = 10.0 / (1u64 << 53) as f64;
/// Covers the rounding of the bound's own sum.
const BOUND_SLACK: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;
/// An axis shorter than this may have lost digits to underflow: it proves nothing.
const SHORTEST: f64 = 1e-100;
/// Largest sum of errors on an axis that still proves anything.
const LARGEST: f64 = 1e100;
/// An upper bound on the effect of underflow on a projection.
const LEVEL: f64 = 2e-140;
/// Smallest half width of an interval that is used when velocities enter the size of numbers.
const SHORTEST_H: f64 = 1e-100;
/// Least slope of a line; flatter lines are treated as if they had this slope.
const FLATTEST: f64 = 1e-140;

/// `K` moving points relative to a common origin: one side of a test.
#[derive(Clone, Copy, Debug)]
pub struct Side<T, const K: usize> {
    /// Position relative to the origin and velocity at the middle time.
    c: [[V3<T>; 2]; K],
    /// Their accelerations times `h²/2`.
    bend: [V3<T>; K],
    /// Positions at the time at which axes are computed.
    pub at: [V3<T>; K],
    /// Largest distance of each point from its quadratic, rounding included, metres.
    own: [T; K],
    /// The margin, metres.
    margin_m: f64,
}

/// `K` static points: the other side of most tests.
#[derive(Clone, Copy, Debug)]
pub struct Standing<T, const K: usize> {
    /// Positions relative to the origin.
    pub d: [V3<T>; K],
    own: T,
    /// True if the first of them is the origin.
    from_first: bool,
}

/// Zero, or NaN if one of the components is NaN or infinite.
#[inline(always)]
fn nothing<T: FullReal>(v: V3<T>) -> T {
    (v.0[0] + v.0[1] + v.0[2]) * T::new(0.0)
}

impl<T: FullReal, const K: usize> Side<T, K> {
    /// The points over `|τ| <= h`, relative to `origin`. Axes are computed at the local time `look`, ideally a good
    /// guess of the time of contact. `margin_m` is the distance up to which features count as touching, metres.
    #[inline(always)]
    pub fn new(points: &[PointBound<T>; K], origin: V3<T>, h: T, look: T, margin_m: f64) -> Self {
        let (half_hh, half_look) = (h * h * T::new(0.5), look * T::new(0.5));
        let (zero, counted_h) = (V3::zero(), h.max(T::new(SHORTEST_H)));
        let mut side = Self { c: [[zero; 2]; K], bend: [zero; K], at: [zero; K], own: [T::new(0.0); K], margin_m };
        for (i, p) in points.iter().enumerate() {
            let d = p.c[0] - origin;
            side.bend[i] = p.c[2].times(half_hh);
            side.c[i] = [d, p.c[1]];
            side.at[i] = d + (p.c[1] + p.c[2].times(half_look)).times(look);
            let size = d.abs() + p.c[1].abs().times(counted_h) + side.bend[i].abs();
            side.own[i] = (p.ball + p.cube.norm1()) + (size.norm_bound() * T::new(PROJECTION) + nothing(size));
        }
        for own in &mut side.own {
            *own = *own * T::new(BOUND_SLACK);
        }
        side
    }
}

impl<T: FullReal, const K: usize> Standing<T, K> {
    /// Points known to within `error` metres, relative to `origin`.
    #[inline(always)]
    pub fn new(points: &[V3<T>; K], error: T, origin: V3<T>) -> Self {
        let mut side = Self { d: [V3::zero(); K], own: T::new(0.0), from_first: false };
        let (mut size, mut no_number) = (V3::zero(), T::new(0.0));
        for (i, p) in points.iter().enumerate() {
            side.d[i] = *p - origin;
            size = if i == 0 { side.d[i].abs() } else { size.max(side.d[i].abs()) };
            no_number = no_number + nothing(side.d[i]);
        }
        side.own = (error + (size.norm_bound() * T::new(PROJECTION) + no_number)) * T::new(BOUND_SLACK);
        side
    }
}

/// Projections of points on an axis, at the middle time: `up` the highest possible value of each, `down` minus the
/// lowest possible value; the velocities, the accelerations times `h²/2`, and the sum of the errors.
#[derive(Clone, Copy, Debug)]
pub struct Projections<T, const E: usize> {
    up: [T; E],
    down: [T; E],
    g1: [T; E],
    g2: [T; E],
    off: T,
}

/// Points that can be projected on an axis of a given length.
pub trait Projects<T, const E: usize> {
    /// A set of projections that includes the lowest and the highest one at every time.
    fn project(&self, n: V3<T>, length: T) -> Projections<T, E>;
}

impl<T: FullReal, const K: usize> Projects<T, K> for Side<T, K> {
    #[inline(always)]
    fn project(&self, n: V3<T>, length: T) -> Projections<T, K> {
        let zero = T::new(0.0);
        let none = [zero; K];
        let mut out = Projections { up: none, down: none, g1: none, g2: none, off: zero };
        // An error may be overestimated, but a margin may not, so it needs the exact length.
        let margin = if self.margin_m > 0.0 { n.dot(n).sqrt() * T::new(self.margin_m * BOUND_SLACK) } else { zero };
        for i in 0..K {
            let (g0, own) = (n.dot(self.c[i][0]), self.own[i]);
            let off = if self.margin_m > 0.0 { length * own + margin } else { length * own };
            (out.up[i], out.down[i], out.g1[i]) = (g0 + off, off - g0, n.dot(self.c[i][1]));
            out.g2[i] = n.dot(self.bend[i]);
            out.off = if i == 0 { off } else { out.off + off };
        }
        out
    }
}

impl<T: FullReal, const K: usize> Projects<T, 1> for Standing<T, K> {
    #[inline(always)]
    fn project(&self, n: V3<T>, length: T) -> Projections<T, 1> {
        let first = if self.from_first { T::new(0.0) } else { n.dot(self.d[0]) };
        let (mut low, mut high) = (first, first);
        for d in &self.d[1..] {
            let g = n.dot(*d);
            (low, high) = (low.min(g), high.max(g));
        }
        let (off, zero) = (length * self.own, T::new(0.0));
        Projections { up: [high + off], down: [off - low], g1: [zero], g2: [zero], off }
    }
}

impl<T: FullReal> Window<T> {
    /// All of `[-h, h]`.
    #[inline(always)]
    pub fn whole(h: T) -> Self {
        Self { lo: -h, hi: h }
    }

    /// Lanes in which the window is empty.
    #[inline(always)]
    pub fn empty(&self) -> u32 {
        self.lo.gt(self.hi)
    }

    /// Keeps only the times at which the axis `n` does not separate the features, in lanes of `wanted`; returns true if
    /// all of these lanes are empty. The result of a lane does not depend on the other lanes.
    #[inline(always)]
    pub fn cut<const K: usize, const E: usize>(
        &mut self,
        n: V3<T>,
        x: &Side<T, K>,
        y: &impl Projects<T, E>,
        wanted: u32,
    ) -> bool {
        let (length, zero, level) = (n.norm_bound(), T::new(0.0), T::new(LEVEL));
        let (xs, ys) = (x.project(n, length), y.project(n, length));
        // Because comparisons with NaN are false, an axis that overflowed decides nothing either.
        let decides = length.gt(T::new(SHORTEST)) & T::new(LARGEST).gt(xs.off + ys.off);
        // Largest amount by which x may be above and below y at either end, for each pair of points, and the maximum.
        let none = [[zero; E]; K];
        let (mut slopes, mut above, mut below) = (none, [none; 2], [none; 2]);
        let (mut most_above, mut most_below) = ([zero; 2], [zero; 2]);
        for i in 0..K {
            for j in 0..E {
                let g2 = xs.g2[i] - ys.g2[j];
                let (rises, falls) = (g2.max(level), (-g2).max(level));
                let (up, down) = (xs.up[i] + (ys.down[j] + rises), xs.down[i] + (ys.up[j] + falls));
                slopes[i][j] = xs.g1[i] - ys.g1[j];
                let way = [slopes[i][j] * self.lo, slopes[i][j] * self.hi];
                for k in 0..2 {
                    (above[k][i][j], below[k][i][j]) = (up + way[k], down - way[k]);
                    let is_first = i + j == 0;
                    most_above[k] = if is_first { above[k][i][j] } else { most_above[k].max(above[k][i][j]) };
                    most_below[k] = if is_first { below[k][i][j] } else { most_below[k].max(below[k][i][j]) };
                }
            }
        }
        let is_below = [decides & zero.gt(most_above[0]), decides & zero.gt(most_above[1])];
        let is_above = [decides & zero.gt(most_below[0]), decides & zero.gt(most_below[1])];
        let left = wanted & !self.empty();
        let apart = left & (is_below[0] & is_below[1] | is_above[0] & is_above[1]);
        let cuts = [(is_below[0] | is_above[0]) & left & !apart, (is_below[1] | is_above[1]) & left & !apart];
        if cuts[0] != 0 {
            let after = until_zero(&slopes, &above[0], &below[0], is_above[0], T::new(1.0));
            self.lo = T::select(cuts[0], self.lo + (after - slack(self.lo, after)), self.lo);
        }
        if cuts[1] != 0 {
            let before = until_zero(&slopes, &above[1], &below[1], is_above[1], T::new(-1.0));
            self.hi = T::select(cuts[1], self.hi - (before - slack(self.hi, before)), self.hi);
        }
        self.lo = T::select(apart, T::new(f64::INFINITY), self.lo);
        self.empty() & wanted == wanted
    }
}

/// Bound on the error of comparing up to nine roots, of the division, and of the sum of a time and a duration, relative
/// to both.
const ROOT_SLACK: f64 = 24.0 * f64::EPSILON;

#[inline(always)]
fn slack<T: FullReal>(from: T, duration: T) -> T {
    (from.abs() + duration) * T::new(ROOT_SLACK) + T::new(f64::EPSILON)
}

/// A lower bound of the time from an end of the window, at which all lines are negative, until the first of them is
/// zero: of the lines of `below` in lanes of `is_above`, else of those of `above`. `way` is 1 forward from the start,
/// -1 backward from the end.
#[inline(always)]
fn until_zero<T: FullReal, const K: usize, const E: usize>(
    slopes: &[[T; E]; K],
    above: &[[T; E]; K],
    below: &[[T; E]; K],
    is_above: u32,
    way: T,
) -> T {
    let (way, flat) = (T::select(is_above, -way, way), T::new(FLATTEST));
    let (mut a, mut s) = (flat, flat);
    for i in 0..K {
        for j in 0..E {
            let (value, slope) = (T::select(is_above, below[i][j], above[i][j]), (slopes[i][j] * way).max(flat));
            if i + j == 0 {
                (a, s) = (value, slope);
            } else {
                let is_earlier = (value * s).gt(a * slope);
                (a, s) = (T::select(is_earlier, value, a), T::select(is_earlier, slope, s));
            }
        }
    }
    // If no line rises, or the value at the end is NaN, this is later than all times.
    (-a).div(s).min(T::new(1e10))
}

impl<T: FullReal> Window<T> {
    /// Contracts by one axis after the other. Returns true as soon as the windows are empty in all lanes of `wanted`.
    #[inline(always)]
    fn cut_each<const N: usize, const K: usize, const E: usize>(
        &mut self,
        axes: [V3<T>; N],
        x: &Side<T, K>,
        y: &impl Projects<T, E>,
        wanted: u32,
    ) -> bool {
        for n in axes {
            if self.cut(n, x, y, wanted) {
                return true;
            }
        }
        false
    }
}

/// The window of a vertex and a triangle `face` (points at the time of the axes, relative to the origin): the face's
/// normal and the three normals of its edges in its plane.
#[inline(always)]
fn with_face<T: FullReal, const K: usize, const E: usize>(
    face: [V3<T>; 3],
    x: &Side<T, K>,
    y: &impl Projects<T, E>,
    h: T,
    wanted: u32,
) -> Window<T> {
    let mut window = Window::whole(h);
    let [b, c, d] = face;
    let n = (c - b).cross(d - b);
    window.cut_each([n, n.cross(c - b), n.cross(d - c), n.cross(b - d)], x, y, wanted);
    window
}

/// The times at which a moving vertex can touch a static face.
#[inline(always)]
pub fn vertex_face<T: FullReal>(x: &Side<T, 1>, y: &Standing<T, 3>, h: T, wanted: u32) -> Window<T> {
    with_face(y.d, x, y, h, wanted)
}

/// The times at which a moving face can touch a static vertex.
#[inline(always)]
pub fn face_vertex<T: FullReal>(x: &Side<T, 3>, y: &Standing<T, 1>, h: T, wanted: u32) -> Window<T> {
    with_face(x.at, x, y, h, wanted)
}

/// The times at which a moving vertex can touch a moving face.
#[inline(always)]
pub fn vertex_moving_face<T: FullReal>(x: &Side<T, 1>, y: &Side<T, 3>, h: T, wanted: u32) -> Window<T> {
    with_face(y.at, x, y, h, wanted)
}

/// The window of two edges: their common normal, the normals of either edge in their common direction, and for parallel
/// edges the direction along them and the one perpendicular to them.
#[inline(always)]
fn edges<T: FullReal, const E: usize>(
    d: [V3<T>; 2],
    x: &Side<T, 2>,
    y: &impl Projects<T, E>,
    h: T,
    wanted: u32,
) -> Window<T> {
    let mut window = Window::whole(h);
    let [a, b] = x.at;
    let (d1, d2) = (b - a, d[1] - d[0]);
    let n = d1.cross(d2);
    let (across, tiny) = (a - d[0], T::new(1e-200));
    let share = across.dot(d2).div(d2.dot(d2).max(tiny));
    window.cut_each([n, n.cross(d1), n.cross(d2), d2, across - d2.times(share)], x, y, wanted);
    window
}

/// The times at which a moving edge can touch a static one.
#[inline(always)]
pub fn edge_edge<T: FullReal>(x: &Side<T, 2>, y: &Standing<T, 2>, h: T, wanted: u32) -> Window<T> {
    edges(y.d, x, y, h, wanted)
}

/// The times at which two moving edges can touch.
#[inline(always)]
pub fn edge_moving_edge<T: FullReal>(x: &Side<T, 2>, y: &Side<T, 2>, h: T, wanted: u32) -> Window<T> {
    edges(y.at, x, y, h, wanted)
}

/// The times at which a moving triangle can touch a static one, by the axes that are sufficient for two triangles at
/// rest, taken at the time of the axes: the normals, the products of edges, and, if the planes are nearly parallel, the
/// normals of the edges in either plane.
#[inline(always)]
pub fn triangles<T: FullReal>(x: &Side<T, 3>, y: &Standing<T, 3>, h: T, wanted: u32) -> Window<T> {
    let mut window = Window::whole(h);
    let [p, q, r] = x.at;
    let e = [q - p, r - q, p - r];
    let f = [y.d[1] - y.d[0], y.d[2] - y.d[1], y.d[0] - y.d[2]];
    let (n_x, n_y) = (e[0].cross(e[1]), f[0].cross(f[1]));
    if window.cut(n_y, x, y, wanted) || window.cut(n_x, x, y, wanted) {
        return window;
    }
    for i in 0..3 {
        for j in 0..3 {
            if window.cut(e[i].cross(f[j]), x, y, wanted) {
                return window;
            }
        }
    }
    let across = n_x.cross(n_y);
    let apart = across.dot(across).gt(n_x.dot(n_x) * n_y.dot(n_y) * T::new(PARALLEL));
    let parallel = wanted & !apart & !window.empty();
    if parallel == 0 {
        return window;
    }
    for i in 0..3 {
        if window.cut(n_x.cross(e[i]), x, y, parallel) || window.cut(n_y.cross(f[i]), x, y, parallel) {
            break;
        }
    }
    window
}

/// Square of the sine up to which planes count as nearly parallel.
const PARALLEL: f64 = 0.1;

/// Both sides of a test of a moving triangle against a static one, relative to the latter's first vertex; `margin_m` is
/// the distance up to which they count as touching, metres.
#[inline(always)]
pub fn triangle_sides<T: FullReal>(
    x: &[PointBound<T>; 3],
    tri: &StaticTriangle<T>,
    h: T,
    look: T,
    margin_m: f64,
) -> (Side<T, 3>, Standing<T, 3>) {
    let origin = tri.y[0];
    let standing = Standing { from_first: true, ..Standing::new(&tri.y, tri.error, origin) };
    (Side::new(x, origin, h, look, margin_m), standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Certain contact, with coordinates of 50 bits and balls of zero radius: only the rounding term keeps the window.
    #[test]
    fn rounding_alone_loses_no_contact() {
        let mut state = 5u64;
        let mut whole = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 14) as f64 - (1u64 << 49) as f64) * 2.0
        };
        let mut vector = || V3([whole(), whole(), whole()]);
        let still = |p: V3<f64>| PointBound { c: [p, V3::zero(), V3::zero()], ball: 0.0, cube: V3::zero() };
        for _ in 0..20_000 {
            let (y, origin) = ([vector(), vector(), vector()], vector());
            // Exact: all coordinates are even numbers.
            let middle = V3::from_fn(|i| (y[0].0[i] + y[1].0[i]) * 0.5);
            let side = |p| Side::new(&[still(p)], origin, 0.0, 0.0, 0.0);
            let window = vertex_face(&side(middle), &Standing::new(&y, 0.0, origin), 0.0, 1);
            assert!(window.lo <= window.hi, "{y:?}");
            let edge = Side::new(&[still(middle), still(vector())], origin, 0.0, 0.0, 0.0);
            let window = edge_edge(&edge, &Standing::new(&[y[0], y[1]], 0.0, origin), 0.0, 1);
            assert!(window.lo <= window.hi, "{y:?}");
        }
    }

    /// A vertex that is on a corner at the middle time; the other numbers may be NaN, or so large that their products
    /// overflow.
    #[test]
    fn nan_and_huge_numbers_hide_no_contact() {
        let mut state = 7u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let large = [1e50, 1e100, 1e150, 1e200, 1e250, 1e300, f64::INFINITY, f64::NAN];
        let (mut any, mut cuts) = ([0; 2], 0);
        for i in 0..400_000 {
            // Only a few numbers are large, so that the others decide without them.
            let (usual, rare) = ([1.0, 1e10, 1e50, 1e-200][below(4) as usize], large[below(8) as usize]);
            let mut vector = || {
                let is_rare = below(6) == 0;
                V3([(); 3].map(|()| {
                    let size = if is_rare && below(2) == 0 { rare } else { usual };
                    size * (below(2001) as f64 / 1000.0 - 1.0)
                }))
            };
            let mut point = |at: V3<f64>| PointBound { c: [at, vector(), vector()], ball: 0.0, cube: V3::zero() };
            let mut x = [point(V3::zero()), point(V3::zero()), point(V3::zero())];
            let mut y = [V3::zero(); 3];
            for k in 1..3 {
                (x[k].c[0], y[k]) = (vector(), vector());
            }
            let h = [0.0, 1e-150, 1e-9, 0.5][i % 4];
            any[usize::from(rare.is_finite())] += 1;
            let (moving, standing) = triangle_sides(&x, &StaticTriangle { y, error: 0.0 }, h, 0.0, 0.0);
            let vertex = Side::new(&[x[0]], y[0], h, 0.0, 0.0);
            let other = Side::new(&[x[2], x[1], x[0]], y[0], h, 0.0, 0.0);
            let all = [
                triangles(&moving, &standing, h, 1),
                vertex_face(&vertex, &standing, h, 1),
                vertex_moving_face(&Side::new(&[x[1]], y[0], h, 0.0, 0.0), &other, h, 1),
            ];
            for w in all {
                assert!(w.lo <= 0.0 && 0.0 <= w.hi, "{w:?} {x:?} {y:?} {h:e}");
                cuts += usize::from(w.hi - w.lo < 1.9 * h);
            }
        }
        assert!(any[0] > 10_000 && any[1] > 10_000 && cuts > 1000, "{any:?} {cuts}");
    }
}
