//! Contraction: the times at which two moving features can touch at all.
//!
//! On an axis `n` the features' points project to numbers `g(τ) = n·(p(τ) - o)`, `o` a fixed origin nearby. Each is known to
//! within `own = |n| (ball + rounding)` of `g0 + g1 τ + g2 τ²/2`; so the difference of a point `x` of one side and a point
//! `y` of the other is within `U = own_x + own_y + max(±(g2_x - g2_y), 0) h²/2` of a straight line, from above or below. If
//! the sides touch at `τ`, then some `x` is not below some `y`, and some `x` not above some `y`. Each of these conditions
//! holds on a half line for each pair of points; the hull of the half lines is kept.
//!
//! This is a Newton step (Redon et al. 2004, eq. 18) with a fixed direction and no interval matrix. Where an axis comes from
//! does not matter for soundness, so axes are computed without any care for their errors; the width left over is quadratic
//! in the width before. A hull over pairs of points serves every elementary test alike: a vertex and a face, two edges
//! (eq. 13, 14), or two whole triangles.
//!
//! **Half lines.** A line `v + s τ` is not negative somewhere in what is left of the window only if it is not so at one end. If all
//! lines are negative at both ends nothing is left; if some are not at either end, all is; else it begins (or ends) at
//! the first root among those that rise to the good end. The first of `-v/s` is found by comparing `v s'` with `v' s`, so that an axis
//! costs one division for each side, and none where it decides without. Such a comparison is off by two units at most, and so
//! is the root that it picks.
//!
//! **Rounding.** A projection rounds once for the difference from the origin, three times for the sum of products, and with
//! the other side's once more for the difference; the terms `g1 τ`, `g2 τ²/2` round at most twice more. With
//! `|n| (|p0 - o| + h |p1| + h²/2 |p2|)` as the sum of their sizes (Cauchy–Schwarz), `8 u` of it for either side covers all.
//!
//! All of it is generic over [`Divide`], so that many equations run side by side; the results are the same bits in each lane.

use super::linear::V3;
use super::pose_bound::PointBound;
use super::real::Divide;
use super::separation::StandingTriangle;

/// Local times that a contact must lie in; empty in lanes where `lo > hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window<T> {
    /// Earliest.
    pub lo: T,
    /// Latest.
    pub hi: T,
}

/// Eight units on each side; see the module's documentation.
const PROJECTION: f64 = 8.0 / (1u64 << 53) as f64;
/// Covers the rounding of the bound's own sum.
const BOUND_SLACK: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;
/// An axis shorter or longer than this may have lost digits to underflow or overflow: it proves nothing.
const AXIS_LENGTHS: [f64; 2] = [1e-100, 1e100];
/// A line flatter than this is taken for level, and [`LEVEL`] more than covers how much it rises.
const FLATTEST: f64 = 1e-140;
const LEVEL: f64 = 2e-140;

/// `K` points that move, as seen from a common origin: one side of a test.
#[derive(Clone, Copy, Debug)]
pub struct Side<T, const K: usize> {
    /// Position relative to the origin, velocity and acceleration at the middle time.
    c: [[V3<T>; 3]; K],
    /// Positions at the time at which axes are looked for.
    pub at: [V3<T>; K],
    /// How far each point may be from its quadratic, rounding included, metres.
    own: [T; K],
    /// The distance that counts as contact.
    margin_m: f64,
}

/// `K` points that stand: the other side of most tests.
#[derive(Clone, Copy, Debug)]
pub struct Standing<T, const K: usize> {
    /// Positions relative to the origin.
    pub d: [V3<T>; K],
    own: T,
}

impl<T: Divide, const K: usize> Side<T, K> {
    /// The points over `|τ| <= h`, seen from `origin`. Axes are those of the local time `look`: best is that of the contact,
    /// as far as it can be guessed. `margin_m` is the distance that counts as contact, metres.
    #[inline(always)]
    pub fn new(points: &[PointBound<T>; K], origin: V3<T>, h: T, look: T, margin_m: f64) -> Self {
        let (half_hh, half_look) = (h * h * T::new(0.5), look * T::new(0.5));
        let zero = V3::zero();
        let mut side = Self { c: [[zero; 3]; K], at: [zero; K], own: [T::new(0.0); K], margin_m };
        for (i, p) in points.iter().enumerate() {
            let d = p.c[0] - origin;
            side.c[i] = [d, p.c[1], p.c[2]];
            side.at[i] = d + (p.c[1] + p.c[2].times(half_look)).times(look);
            let size = d.norm_bound() + p.c[1].norm_bound() * h + p.c[2].norm_bound() * half_hh;
            side.own[i] = (p.ball + p.cube.norm1()) + size * T::new(PROJECTION);
        }
        side
    }
}

impl<T: Divide, const K: usize> Standing<T, K> {
    /// Points known to within `error` metres, seen from `origin`.
    #[inline(always)]
    pub fn new(points: &[V3<T>; K], error: T, origin: V3<T>) -> Self {
        let mut side = Self { d: [V3::zero(); K], own: T::new(0.0) };
        let mut size = T::new(0.0);
        for (i, p) in points.iter().enumerate() {
            side.d[i] = *p - origin;
            size = size.max(side.d[i].norm_bound());
        }
        side.own = error + size * T::new(PROJECTION);
        side
    }
}

/// What a point, or the lowest of some points, projects to: position, velocity, acceleration, error.
#[derive(Clone, Copy, Debug)]
pub struct Projection<T> {
    g0: T,
    g1: T,
    g2: T,
    own: T,
}

/// Points that can be projected on an axis of a given length.
pub trait Projects<T, const E: usize> {
    /// Projections among which the lowest one is at every time, and those among which the highest is.
    fn extremes(&self, n: V3<T>, length: T) -> [[Projection<T>; E]; 2];
}

impl<T: Divide, const K: usize> Side<T, K> {
    #[inline(always)]
    fn project(&self, n: V3<T>, length: T) -> [Projection<T>; K] {
        let zero = T::new(0.0);
        let mut out = [Projection { g0: zero, g1: zero, g2: zero, own: zero }; K];
        // An error may be taken for somewhat larger than it is, a margin may not: it needs the length itself.
        let margin = if self.margin_m > 0.0 { n.dot(n).sqrt() * T::new(self.margin_m * BOUND_SLACK) } else { zero };
        for (out, (c, own)) in out.iter_mut().zip(self.c.iter().zip(self.own)) {
            *out = Projection { g0: n.dot(c[0]), g1: n.dot(c[1]), g2: n.dot(c[2]), own: length * own + margin };
        }
        out
    }
}

impl<T: Divide, const K: usize> Projects<T, K> for Side<T, K> {
    #[inline(always)]
    fn extremes(&self, n: V3<T>, length: T) -> [[Projection<T>; K]; 2] {
        let all = self.project(n, length);
        [all, all]
    }
}

impl<T: Divide, const K: usize> Projects<T, 1> for Standing<T, K> {
    #[inline(always)]
    fn extremes(&self, n: V3<T>, length: T) -> [[Projection<T>; 1]; 2] {
        let (mut low, mut high) = (n.dot(self.d[0]), n.dot(self.d[0]));
        for d in &self.d[1..] {
            let g = n.dot(*d);
            (low, high) = (low.min(g), high.max(g));
        }
        let own = length * self.own;
        let zero = T::new(0.0);
        let still = |g0| [Projection { g0, g1: zero, g2: zero, own }];
        [still(low), still(high)]
    }
}

impl<T: Divide> Window<T> {
    /// All of `[-h, h]`.
    #[inline(always)]
    pub fn whole(h: T) -> Self {
        Self { lo: -h, hi: h }
    }

    /// Lanes in which nothing is left.
    #[inline(always)]
    pub fn empty(&self) -> u32 {
        self.lo.gt(self.hi)
    }

    /// Keeps what the axis `n` allows; true once nothing is left in any of the lanes that are `wanted`.
    #[inline(always)]
    pub fn cut<const K: usize, const E: usize>(
        &mut self,
        n: V3<T>,
        x: &Side<T, K>,
        y: &impl Projects<T, E>,
        h: T,
        wanted: u32,
    ) -> bool {
        let (length, zero) = (n.norm_bound(), T::new(0.0));
        // By a comparison with NaN, an axis that overflowed decides nothing as well.
        let [short, long] = AXIS_LENGTHS.map(T::new);
        let decides = length.gt(short) & long.gt(length);
        let xs = x.project(n, length);
        let [lows, highs] = y.extremes(n, length);
        let half_hh = h * h * T::new(0.5);
        let level = Line { v: zero, s: zero };
        let mut lines = [[[level; E]; K]; 2];
        for i in 0..K {
            for j in 0..E {
                lines[0][i][j] = Line::new(&xs[i], &lows[j], half_hh);
                lines[1][i][j] = Line::new(&highs[j], &xs[i], half_hh);
            }
        }
        for lines in &lines {
            self.keep(lines, decides, wanted & !self.empty());
        }
        self.empty() & wanted == wanted
    }

    /// Keeps the times at which some line is not negative.
    #[inline(always)]
    fn keep<const K: usize, const E: usize>(&mut self, lines: &[[Line<T>; E]; K], decides: u32, wanted: u32) {
        let zero = T::new(0.0);
        let (mut at_start, mut at_end) = (decides, decides);
        for line in lines.as_flattened() {
            at_start &= zero.gt(line.v + line.s * self.lo);
            at_end &= zero.gt(line.v + line.s * self.hi);
        }
        self.lo = T::select(at_start & at_end, T::new(f64::INFINITY), self.lo);
        let partly = at_start ^ at_end;
        if partly & wanted != 0 {
            let root = first_root(lines, T::select(at_end, -self.lo, self.hi), at_end);
            self.lo = T::select(partly & at_start, self.lo.max(root), self.lo);
            self.hi = T::select(partly & at_end, self.hi.min(-root), self.hi);
        }
    }
}

/// A line `v + s τ`: positive where one point may not be below another.
#[derive(Clone, Copy)]
struct Line<T> {
    v: T,
    s: T,
}

impl<T: Divide> Line<T> {
    /// `upper` over `lower`, with the bound on what their accelerations add.
    #[inline(always)]
    fn new(upper: &Projection<T>, lower: &Projection<T>, half_hh: T) -> Self {
        let bound = (upper.g2 - lower.g2).max(T::new(0.0)) * half_hh;
        let slack = (bound + (upper.own + lower.own)) * T::new(BOUND_SLACK) + T::new(LEVEL);
        Self { v: (upper.g0 - lower.g0) + slack, s: upper.g1 - lower.g1 }
    }
}

/// What comparing up to nine roots, and the division, may be off, as a share of the root.
const ROOT_SLACK: f64 = 24.0 * f64::EPSILON;

/// A lower bound of the first time at which a line reaches zero, in lanes where all are negative at first and some are not at
/// the `end`; in lanes of `turned` with time turned round.
#[inline(always)]
fn first_root<T: Divide, const K: usize, const E: usize>(lines: &[[Line<T>; E]; K], end: T, turned: u32) -> T {
    let (zero, one, flat) = (T::new(0.0), T::new(1.0), T::new(FLATTEST));
    let (mut v, mut s) = (-one, zero);
    for line in lines.as_flattened() {
        let slope = T::select(turned, -line.s, line.s);
        let rises = !zero.gt(line.v + slope * end) & slope.gt(flat);
        let earlier = rises & (line.v * s).gt(v * slope);
        (v, s) = (T::select(earlier, line.v, v), T::select(earlier, slope, s));
    }
    // Without any that rises, this is later than all.
    let root = (-v).div(s).min(T::new(1e10));
    root - (root.abs() * T::new(ROOT_SLACK) + T::new(f64::EPSILON))
}

impl<T: Divide> Window<T> {
    /// Cuts with one axis after the other, until nothing is left in the lanes that are `wanted`: then it is true.
    #[inline(always)]
    fn cut_each<const N: usize, const K: usize, const E: usize>(
        &mut self,
        axes: [V3<T>; N],
        x: &Side<T, K>,
        y: &impl Projects<T, E>,
        h: T,
        wanted: u32,
    ) -> bool {
        for n in axes {
            if self.cut(n, x, y, h, wanted) {
                return true;
            }
        }
        false
    }
}

/// The window of a vertex and a triangle `face` (points at the time to look at, relative to the origin): the face's normal and
/// the three normals of its edges in its plane.
#[inline(always)]
fn with_face<T: Divide, const K: usize, const E: usize>(
    face: [V3<T>; 3],
    x: &Side<T, K>,
    y: &impl Projects<T, E>,
    h: T,
    wanted: u32,
) -> Window<T> {
    let mut window = Window::whole(h);
    let [b, c, d] = face;
    let n = (c - b).cross(d - b);
    window.cut_each([n, n.cross(c - b), n.cross(d - c), n.cross(b - d)], x, y, h, wanted);
    window
}

/// The times at which a moving vertex can touch a standing face.
#[inline(always)]
pub fn vertex_face<T: Divide>(x: &Side<T, 1>, y: &Standing<T, 3>, h: T, wanted: u32) -> Window<T> {
    with_face(y.d, x, y, h, wanted)
}

/// The times at which a moving face can touch a standing vertex.
#[inline(always)]
pub fn face_vertex<T: Divide>(x: &Side<T, 3>, y: &Standing<T, 1>, h: T, wanted: u32) -> Window<T> {
    with_face(x.at, x, y, h, wanted)
}

/// The times at which a moving vertex can touch a moving face.
#[inline(always)]
pub fn vertex_moving_face<T: Divide>(x: &Side<T, 1>, y: &Side<T, 3>, h: T, wanted: u32) -> Window<T> {
    with_face(y.at, x, y, h, wanted)
}

/// The window of two edges: their common normal, the normals of either edge in their common direction, and for parallel
/// edges the direction along and the one across.
#[inline(always)]
fn edges<T: Divide, const E: usize>(
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
    window.cut_each([n, n.cross(d1), n.cross(d2), d2, across - d2.times(share)], x, y, h, wanted);
    window
}

/// The times at which a moving edge can touch a standing one.
#[inline(always)]
pub fn edge_edge<T: Divide>(x: &Side<T, 2>, y: &Standing<T, 2>, h: T, wanted: u32) -> Window<T> {
    edges(y.d, x, y, h, wanted)
}

/// The times at which two moving edges can touch.
#[inline(always)]
pub fn edge_moving_edge<T: Divide>(x: &Side<T, 2>, y: &Side<T, 2>, h: T, wanted: u32) -> Window<T> {
    edges(y.at, x, y, h, wanted)
}

/// The times at which a moving triangle can touch a standing one, by the axes that decide two triangles at rest, taken at the
/// time to look at: the normals, the products of edges, and, where the planes are about parallel, the normals of the edges in
/// either plane.
#[inline(always)]
pub fn triangles<T: Divide>(x: &Side<T, 3>, y: &Standing<T, 3>, h: T, wanted: u32) -> Window<T> {
    let mut window = Window::whole(h);
    let [p, q, r] = x.at;
    let e = [q - p, r - q, p - r];
    let f = [y.d[1] - y.d[0], y.d[2] - y.d[1], y.d[0] - y.d[2]];
    let (n_x, n_y) = (e[0].cross(e[1]), f[0].cross(f[1]));
    if window.cut(n_y, x, y, h, wanted) || window.cut(n_x, x, y, h, wanted) {
        return window;
    }
    for i in 0..3 {
        for j in 0..3 {
            if window.cut(e[i].cross(f[j]), x, y, h, wanted) {
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
    // Lanes that need not be looked at again keep what they have, so that a lane is the same alone and beside others.
    let before = window;
    for i in 0..3 {
        if window.cut(n_x.cross(e[i]), x, y, h, parallel) || window.cut(n_y.cross(f[i]), x, y, h, parallel) {
            break;
        }
    }
    Window { lo: T::select(parallel, window.lo, before.lo), hi: T::select(parallel, window.hi, before.hi) }
}

/// The square of the sine up to which planes are about parallel.
const PARALLEL: f64 = 0.1;

/// Both sides of a test of a moving triangle against a standing one, seen from the latter's first vertex; `margin_m` is the
/// distance that counts as contact, metres.
#[inline(always)]
pub fn triangle_sides<T: Divide>(
    x: &[PointBound<T>; 3],
    tri: &StandingTriangle<T>,
    h: T,
    look: T,
    margin_m: f64,
) -> (Side<T, 3>, Standing<T, 3>) {
    let origin = tri.y[0];
    (Side::new(x, origin, h, look, margin_m), Standing::new(&tri.y, tri.error, origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Touching for certain, with coordinates of 50 bits and balls of nothing: only the term for rounding keeps the window.
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
}
