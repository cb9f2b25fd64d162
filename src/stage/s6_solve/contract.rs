//! Contraction: the times at which a moving and a standing triangle can touch at all.
//!
//! On an axis `n` the moving triangle's vertices project to `g_i(τ) = n·(x_i(τ) - y_0)`. Each is known to within
//! `U = |n| (ball + rounding)` of `g0 + g1 τ + g2 τ²/2`, hence to within `U + max(±g2, 0) h²/2` of a straight line from
//! above or below. A contact at `τ` needs some vertex not below the standing triangle's lowest projection, and some vertex not
//! above its highest; each condition holds on a half line per vertex, and the hull of the three half lines is kept. This is
//! an interval Newton step (Redon et al. 2004, eq. 18) with a fixed direction and no interval matrix: where an axis comes
//! from does not matter for its soundness, and the width left over is quadratic in the width before.

use crate::numeric::linear::V3;
use crate::numeric::pose_bound::PointBound;
use crate::numeric::separation::StandingTriangle;

/// Local times that a contact must lie in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Earliest.
    pub lo: f64,
    /// Latest.
    pub hi: f64,
    /// If the axis that gave `lo` is the one that decides, contact starts no later than `lo + spread`.
    pub spread: f64,
}

/// Eight units: four roundings of a scalar product and its operands on either side, and the sum with the bound.
const PROJECTION: f64 = 8.0 / (1u64 << 53) as f64;
/// Covers the rounding of the bound's own sum.
const BOUND_SLACK: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;

/// The window of `[-h, h]` in which the triangles can touch, or `None` if they cannot.
///
/// The axes are the seventeen that decide two triangles at rest, taken at the middle time, and with `closest` the
/// direction between their closest points there, which also decides degenerate triangles.
pub fn contract(
    x: &[PointBound<f64>; 3],
    tri: &StandingTriangle<f64>,
    h: f64,
    closest: Option<V3<f64>>,
) -> Option<Window> {
    let d: [V3<f64>; 3] = std::array::from_fn(|i| x[i].c[0] - tri.y[0]);
    let f = [tri.y[1] - tri.y[0], tri.y[2] - tri.y[1], tri.y[0] - tri.y[2]];
    let e = [d[1] - d[0], d[2] - d[1], d[0] - d[2]];
    let norm = |v: V3<f64>| v.dot(v).sqrt();
    let diameter = norm(f[0]).max(norm(f[2]));
    let slack: [f64; 3] = std::array::from_fn(|i| {
        let size = norm(d[i]) + h * norm(x[i].c[1]) + 0.5 * h * h * norm(x[i].c[2]) + diameter;
        x[i].ball + 3.0 * tri.error + PROJECTION * size
    });
    let mut window = Window { lo: -h, hi: h, spread: f64::INFINITY };
    let mut survives = |n: V3<f64>| window.cut(n, &d, x, &f, &slack, h);
    let (n_x, n_y) = (e[0].cross(e[1]), f[0].cross(f[1]));
    let mut all = closest.is_none_or(&mut survives) && survives(n_y) && survives(n_x);
    for edge in e {
        for other in f {
            all = all && survives(edge.cross(other));
        }
    }
    for (edge, other) in e.into_iter().zip(f) {
        all = all && survives(n_x.cross(edge)) && survives(n_y.cross(other));
    }
    all.then_some(window)
}

impl Window {
    /// Keeps what the axis `n` allows; false if that is nothing.
    #[inline]
    fn cut(
        &mut self,
        n: V3<f64>,
        d: &[V3<f64>; 3],
        x: &[PointBound<f64>; 3],
        f: &[V3<f64>; 3],
        slack: &[f64; 3],
        h: f64,
    ) -> bool {
        // A vector that small may have lost digits to underflow: it proves nothing.
        let length = n.dot(n).sqrt() * BOUND_SLACK;
        if !(1e-100..1e100).contains(&length) {
            return true;
        }
        let (p1, p2) = (n.dot(f[0]), -n.dot(f[2]));
        let (y_lo, y_hi) = (0f64.min(p1).min(p2), 0f64.max(p1).max(p2));
        let half_hh = 0.5 * h * h;
        let mut above = Half::EMPTY;
        let mut below = Half::EMPTY;
        for i in 0..3 {
            let (g0, g1, g2) = (n.dot(d[i]), n.dot(x[i].c[1]), n.dot(x[i].c[2]));
            let own = length * slack[i];
            let upper = (g2.max(0.0) * half_hh + own) * BOUND_SLACK;
            let lower = ((-g2).max(0.0) * half_hh + own) * BOUND_SLACK;
            above.join((g0 - y_lo) + upper, g1, upper, h);
            below.join((y_hi - g0) + lower, -g1, lower, h);
        }
        for half in [above, below] {
            if half.lo > self.lo {
                (self.lo, self.spread) = (half.lo, half.spread);
            }
            self.hi = self.hi.min(half.hi);
        }
        self.lo <= self.hi
    }
}

/// Hull of sets `{ τ in [-h, h] : value + slope τ >= 0 }`.
#[derive(Clone, Copy)]
struct Half {
    lo: f64,
    hi: f64,
    spread: f64,
}

impl Half {
    const EMPTY: Self = Self { lo: f64::INFINITY, hi: f64::NEG_INFINITY, spread: f64::INFINITY };

    #[inline(always)]
    fn join(&mut self, value: f64, slope: f64, bound: f64, h: f64) {
        let z = slope.abs() * h;
        if value + z < 0.0 {
            return;
        }
        let (mut lo, mut hi, mut spread) = (-h, h, f64::INFINITY);
        if value - z < 0.0 {
            let root = -value / slope;
            let width = root.abs() * (2.0 * f64::EPSILON) + f64::EPSILON;
            if slope > 0.0 {
                (lo, spread) = ((root - width).max(-h), 2.0 * (bound / slope + width));
            } else {
                hi = (root + width).min(h);
            }
        }
        if lo < self.lo {
            (self.lo, self.spread) = (lo, spread);
        }
        self.hi = self.hi.max(hi);
    }
}
