//! Proofs that a moving feature of a link and a static triangle stay apart over a short time interval.
//!
//! A proof is a separating axis: a vector `n` such that the projections on `n` of the two sides do not overlap at any
//! time of the interval. The origin of `n` does not matter; it may be the result of any computation, however inexact,
//! and is then taken as an exact vector. Only the projections need care: they include the ball of the pose bound, and a
//! rounding term proportional to `|n|` and to the distances involved.
//!
//! **Rounding.** A projection `n·(p - y0)` rounds once for the difference, three times for the sum of products; the
//! terms of the quadratic are scaled (two roundings more for `h²/2`) and summed (three). So at most nine roundings
//! apply to each term, whose sizes sum to at most `|n| (|D0| + h|c1| + h²/2 |c2|)` (Cauchy–Schwarz). The triangle's
//! side has at most five on `|n| diam`. `16 UNIT` covers both and the rounding of the bound itself.

use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::enclosure::point_bound::PointBound;

/// A static triangle as a kernel sees it.
#[derive(Clone, Copy, Debug)]
pub struct StaticTriangle<T> {
    /// Its vertices, metres.
    pub y: [V3<T>; 3],
    /// Largest distance of each vertex from the true one, metres (the rounding of its coordinates to `T`).
    pub error: T,
}

impl StaticTriangle<f64> {
    /// The same in every lane.
    #[inline(always)]
    pub fn broadcast<T: Real>(&self) -> StaticTriangle<T> {
        let [a, b, c] = &self.y;
        let vector = |v: &V3<f64>| V3([T::new(v.0[0]), T::new(v.0[1]), T::new(v.0[2])]);
        StaticTriangle { y: [vector(a), vector(b), vector(c)], error: T::new(self.error) }
    }
}

impl<T: Real> StaticTriangle<T> {
    /// Bounding box, outward.
    #[inline(always)]
    pub fn bounds(&self) -> (V3<T>, V3<T>) {
        let [a, b, c] = self.y;
        let (lo, hi) = (a.min(b).min(c), a.max(b).max(c));
        // The sum rounds by one unit of its size, which this growth exceeds; f64 vertices are exact.
        let grow = V3::from_fn(|i| self.error * T::new(2.0) + (lo.0[i].abs() + hi.0[i].abs()) * T::new(2.0 * T::UNIT));
        (lo - grow, hi + grow)
    }

    /// A normal of any length.
    #[inline(always)]
    pub fn normal(&self) -> V3<T> {
        (self.y[1] - self.y[0]).cross(self.y[2] - self.y[0])
    }
}

/// Units that cover the rounding of projections.
pub(super) const ROUNDINGS: f64 = 16.0;

/// Half the square of the half width, and the half width.
#[inline(always)]
pub(super) fn powers<T: Real>(h: T) -> (T, T) {
    (h, h * h * T::new(0.5))
}

/// One side's highest and lowest projection: of a moving point given relative to a static one.
#[inline(always)]
pub(super) fn extent<T: Real>(n: V3<T>, d0: V3<T>, p: &PointBound<T>, h: T, half_hh: T) -> (T, T) {
    let zero = T::new(0.0);
    let (g0, g1, g2) = (n.dot(d0), n.dot(p.c[1]).abs() * h, n.dot(p.c[2]));
    (g0 - (g1 + (-g2).max(zero) * half_hh), g0 + (g1 + g2.max(zero) * half_hh))
}

/// Bound on the contribution of rounding and of the pose bound to a projection on a unit axis, for a set of moving
/// points relative to `y0`, against a triangle.
#[inline(always)]
pub(super) fn sizes<T: Real>(d: &[V3<T>], p: &[PointBound<T>], tri: &StaticTriangle<T>, h: T, half_hh: T) -> T {
    let mut size = T::new(0.0);
    let mut ball = T::new(0.0);
    for (d, p) in d.iter().zip(p) {
        size = size.max(d.norm1() + p.c[1].norm1() * h + p.c[2].norm1() * half_hh);
        ball = ball.max(p.ball);
    }
    grown(size, ball, (tri.y[1] - tri.y[0]).norm1() + (tri.y[2] - tri.y[0]).norm1(), tri.error)
}

/// The same bound from the summed sizes: those of the moving points, their ball, those of the triangle's edges and its
/// error.
#[inline(always)]
fn grown<T: Real>(size: T, ball: T, span: T, error: T) -> T {
    ball + error * T::new(3.0) + (size + span + ball) * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW)
}

/// The box that contains a line-swept sphere (ends moving within `ends`, radius `radius`) during `|τ| <= h`, outward.
///
/// Each point of the segment is a convex combination of its ends at the same time, so the hull of the ends' boxes
/// contains it.
#[inline(always)]
pub fn swept_box<T: Real>(ends: &[PointBound<T>; 2], radius: T, h: T) -> (V3<T>, V3<T>) {
    let (a_lo, a_hi) = ends[0].range(h);
    let (b_lo, b_hi) = ends[1].range(h);
    let (lo, hi) = (a_lo.min(b_lo), a_hi.max(b_hi));
    // The growth itself rounds: twice on each side.
    let (mut lower, mut upper) = (lo, hi);
    for i in 0..3 {
        lower.0[i] = lo.0[i] - (radius + (lo.0[i].abs() + radius) * T::new(4.0 * T::UNIT));
        upper.0[i] = hi.0[i] + (radius + (hi.0[i].abs() + radius) * T::new(4.0 * T::UNIT));
    }
    (lower, upper)
}

/// Lanes in which a box is apart from one that is the same for all lanes, both `(lowest, highest)`: comparisons only.
#[inline(always)]
pub fn boxes_miss<T: Real>(a: &(V3<T>, V3<T>), b: &(V3<f64>, V3<f64>)) -> u32 {
    let mut apart = 0;
    for i in 0..3 {
        apart |= a.0.0[i].gt(T::new(b.1.0[i])) | T::new(b.0.0[i]).gt(a.1.0[i]);
    }
    apart
}

/// Lanes in which the plane of a triangle separates it from a box along the coordinate axes.
///
/// A difference from the first vertex rounds once, its product with the normal and the sum three times, on either side;
/// `16 UNIT` covers them relative to `|n|` times the largest difference.
#[inline(always)]
pub fn plane_misses_box<T: Real>(tri: &StaticTriangle<T>, lo: V3<T>, hi: V3<T>) -> u32 {
    let zero = T::new(0.0);
    let (f, n) = ([tri.y[1] - tri.y[0], tri.y[2] - tri.y[0]], tri.normal());
    let (a, b) = (n.dot(f[0]), n.dot(f[1]));
    let (from, to) = (lo - tri.y[0], hi - tri.y[0]);
    let (mut low, mut high) = (zero, zero);
    for k in 0..3 {
        let (at_lo, at_hi) = (n.0[k] * from.0[k], n.0[k] * to.0[k]);
        (low, high) = (low + at_lo.min(at_hi), high + at_lo.max(at_hi));
    }
    let size = from.abs().max(to.abs()).norm1() + f[0].norm1() + f[1].norm1();
    let slack = n.norm1() * (tri.error * T::new(3.0) + size * T::new(ROUNDINGS * T::UNIT)) + T::new(T::UNDERFLOW);
    (low - slack).gt(zero.max(a).max(b)) | zero.min(a).min(b).gt(high + slack)
}

/// Lanes in which a moving triangle is proved to miss a static one over `|τ| <= h`, by the seventeen axes that are
/// sufficient for two triangles at rest (both normals, nine products of edges, six in-plane normals of edges).
///
/// `wanted` contains the lanes that matter: the search stops when they are all separated.
#[inline(always)]
pub fn triangle_misses<T: Real>(x: &[PointBound<T>; 3], tri: &StaticTriangle<T>, h: T, wanted: u32) -> u32 {
    let approach = MovingTriangle::new(x, h).towards(tri);
    let apart = approach.normals_separate();
    if apart & wanted == wanted { apart } else { apart | approach.edges_separate(wanted & !apart) }
}

/// A moving triangle over `|τ| <= h`: the data for its projections that does not depend on the static triangle.
///
/// Its vertices move similarly: with `v` any one velocity and `s` a bound on the difference of the vertices' velocities
/// from it, coordinate by coordinate, `|n·c1 τ| <= |n·v| h + |n|·s h`. So an axis needs one projection of a velocity
/// instead of three, and none of accelerations, whose coordinates are bounded likewise.
///
/// **Rounding.** As above, with `v h` instead of the velocities: six roundings on it, and its length is at most `√3`
/// times the greatest of theirs. All terms summed in `slack` are non-negative; they have five roundings there, and five
/// more with the axis.
#[derive(Clone, Copy, Debug)]
pub struct MovingTriangle<T> {
    /// The vertices at the middle time.
    pub(super) at: [V3<T>; 3],
    /// The approximate displacement of all vertices to either side.
    pub(super) travel: V3<T>,
    /// Largest deviation of each coordinate from that, apart from the balls.
    pub(super) off: V3<T>,
    /// The largest ball.
    pub(super) ball: T,
    /// Added to the size of each vertex's position.
    pub(super) sizes: [T; 3],
}

impl<T: Real> MovingTriangle<T> {
    /// Creates it from the bounds on the vertices.
    #[inline(always)]
    pub fn new(x: &[PointBound<T>; 3], h: T) -> Self {
        let (h, half_hh) = powers(h);
        let [[at_p, p, a], [at_q, q, b], [at_r, r, c]] = [x[0].c, x[1].c, x[2].c];
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        let middle = (low + high).times(T::new(0.5));
        let off = (high - middle).max(middle - low).times(h);
        let bend = a.abs().max(b.abs()).max(c.abs()).times(half_hh);
        let cube = x[0].cube.max(x[1].cube).max(x[2].cube);
        Self {
            at: [at_p, at_q, at_r],
            travel: middle.times(h),
            off: off + bend + cube,
            ball: x[0].ball.max(x[1].ball).max(x[2].ball),
            sizes: [
                p.norm1() * h + a.norm1() * half_hh,
                q.norm1() * h + b.norm1() * half_hh,
                r.norm1() * h + c.norm1() * half_hh,
            ],
        }
    }

    /// The triangle relative to a static one.
    #[inline(always)]
    pub fn towards(&self, tri: &StaticTriangle<T>) -> Approach<T> {
        let y = &tri.y;
        let d = [self.at[0] - y[0], self.at[1] - y[0], self.at[2] - y[0]];
        let f = [y[1] - y[0], y[2] - y[1], y[0] - y[2]];
        let [a, b, c] = self.sizes;
        let size = (d[0].norm1() + a).max(d[1].norm1() + b).max(d[2].norm1() + c);
        let grow = grown(size, self.ball, f[0].norm1() + f[2].norm1(), tri.error);
        let slack = (self.off + V3([grow, grow, grow])).times(T::new(1.0 + ROUNDINGS * T::UNIT));
        Approach { d, travel: self.travel, slack, f }
    }
}

/// A moving triangle relative to a static one: all data that the axes need.
#[derive(Clone, Copy, Debug)]
pub struct Approach<T> {
    /// The moving vertices at the middle time, relative to the first static one.
    d: [V3<T>; 3],
    /// The approximate displacement of all vertices to either side.
    travel: V3<T>,
    /// Largest deviation of each coordinate from that.
    slack: V3<T>,
    /// The edges of the static triangle.
    f: [V3<T>; 3],
}

impl<T: Real> Approach<T> {
    /// Edges of both triangles and their normals.
    #[inline(always)]
    fn axes(&self) -> ([[V3<T>; 3]; 2], [V3<T>; 2]) {
        let (d, f) = (&self.d, self.f);
        let e = [d[1] - d[0], d[2] - d[1], d[0] - d[2]];
        ([e, f], [e[0].cross(e[1]), f[0].cross(f[1])])
    }

    /// Lanes in which `n` separates the triangles.
    #[inline(always)]
    fn separated_by(&self, n: V3<T>) -> u32 {
        let zero = T::new(0.0);
        let (e, f) = (n.dot(self.f[0]), -n.dot(self.f[2]));
        let (y_lo, y_hi) = (zero.min(e).min(f), zero.max(e).max(f));
        let [a, b, c] = [n.dot(self.d[0]), n.dot(self.d[1]), n.dot(self.d[2])];
        // Underflow counts twice: of a difference, which `n` then scales (in `slack`), and of a product with a tiny
        // `n`.
        let off = n.dot(self.travel).abs() + (n.abs().dot(self.slack) + T::new(T::UNDERFLOW));
        (a.min(b).min(c) - off).gt(y_hi) | y_lo.gt(a.max(b).max(c) + off)
    }

    /// Lanes in which one of the two normals separates the triangles: four fifths of those that any axis separates.
    ///
    /// This is the formula of the kernels, whose error bounds are tested through it. The CPU's search uses
    /// [`MovingFace::normals_separate`](super::normals::MovingFace::normals_separate), which computes what depends on
    /// one triangle once for all partners.
    #[inline(always)]
    pub fn normals_separate(&self) -> u32 {
        let (_, [n_x, n_y]) = self.axes();
        self.separated_by(n_y) | self.separated_by(n_x)
    }

    /// Lanes in which one of the nine products of edges or of the six in-plane normals of edges separates the
    /// triangles.
    #[inline(always)]
    pub fn edges_separate(&self, wanted: u32) -> u32 {
        let ([e, f], [n_x, n_y]) = self.axes();
        let mut apart = 0;
        for i in 0..3 {
            for j in 0..3 {
                apart |= self.separated_by(e[i].cross(f[j]));
                if apart & wanted == wanted {
                    return apart;
                }
            }
        }
        for i in 0..3 {
            apart |= self.separated_by(n_x.cross(e[i]));
            if apart & wanted == wanted {
                return apart;
            }
            apart |= self.separated_by(n_y.cross(f[i]));
            if apart & wanted == wanted {
                return apart;
            }
        }
        apart
    }
}

impl<T: Real> MovingTriangle<T> {
    /// All its numbers, for storing it.
    #[inline(always)]
    pub fn numbers(&self) -> [T; NUMBERS] {
        let [p, q, r] = self.at;
        let vectors = [p, q, r, self.travel, self.off, V3(self.sizes)];
        let mut numbers = [self.ball; NUMBERS];
        for i in 0..vectors.len() {
            for axis in 0..3 {
                numbers[3 * i + axis] = vectors[i].0[axis];
            }
        }
        numbers
    }

    /// The inverse of [`numbers`](Self::numbers).
    #[inline(always)]
    pub fn from_numbers(n: &[T; NUMBERS]) -> Self {
        let mut v = [V3::zero(); NUMBERS / 3];
        for i in 0..NUMBERS / 3 {
            v[i] = V3([n[3 * i], n[3 * i + 1], n[3 * i + 2]]);
        }
        Self { at: [v[0], v[1], v[2]], travel: v[3], off: v[4], sizes: v[5].0, ball: n[NUMBERS - 1] }
    }
}

/// Numbers in a [`MovingTriangle`].
pub const NUMBERS: usize = 19;
