//! The continuous overlap test of two oriented boxes (Redon et al. 2004, section 5.1; Redon et al. 2002): fifteen axes,
//! both members of inequality 12 bounded over an interval of time.
//!
//! A box is `{ c + Σ s_i a_i e_i : |s_i| <= 1 }`. At any time and for *any* vector `n`, two boxes A and B have no
//! common point if
//!
//! ```text
//! |n·(T_A - T_B)|  >  Σ a_i |n·e_i|  +  Σ b_i |n·f_i|                                      (eq. 12)
//! ```
//!
//! because the members are the distance of the projected centres and the reach of the projected boxes. Here `n` is held
//! fixed over the interval (the axes of the boxes at the middle time, and their products: the fifteen that are
//! sufficient for two boxes at rest), so its origin does not matter, and each member is bounded over the interval: the
//! left one from below, the right one from above. If the bounds keep the strict inequality, `n` separates the boxes
//! during the whole interval.
//!
//! **Members.** A point `e` of the body moves within `ball(|e|)` and a cube of the quadratic `Σ (x_k + P_k e) τᵏ/k!`
//! ([`PoseBound`]; a jet has no cube, an interval matrix no derivatives and no ball). The quadratic is affine in `e`:
//! the box's point with coordinates `s` follows that of the centre plus `Σ s_i a_i P_k u_i`. So with `C_k`, `H_ik` the
//! centre's and the half axes' coefficients times `hᵏ/k!`, for `|τ| <= h`:
//! - `n·T_A` is in `n·C_0 - |n·C_1| - (-n·C_2)⁺ … n·C_0 + |n·C_1| + (n·C_2)⁺`;
//! - `a_i |n·e_i| <= |n·H_i0| + |n·H_i1| + |n·H_i2|`;
//! - the ball, for the farthest point of the box, and the cubes of centre and half axes are added to the right member
//!   once.
//!
//! **Rounding**, in units `u = UNIT`:
//! - *Evaluating `C_k`, `H_ik`.* The ball's own rounding bound includes `4 X_d + 7.43 |e|` for evaluating one point
//!   (four roundings, half a unit for the upload of `e`; `pose_bound`). In parts it costs `4 X_d + (4√3 + ½)|c|` for
//!   the centre and `(3√3 + ½) a_i` for each axis, in the same weights. Taken at the reach `|c| + Σ a_i` instead of the
//!   farthest point's distance, the ball covers that. Interval matrices include it in their cubes.
//! - *Subsequent operations* round relative to known sizes: the factor `a_i` (½ for its upload, 1), `hᵏ/k!` (at most
//!   3), the difference of the centres (1), the scalar product (3), at most 12 sums. So at most 20 units of
//!   `|n| (|C_0A - C_0B| + Σ |C_k| + Σ |H_ik|)` (Cauchy–Schwarz), to which 12 more are added for the rounding of the
//!   bound itself.
//!
//! A comparison with NaN is false, so it proves nothing.

use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::arith::vectors::{Vector, part, part3};
use crate::enclosure::pose_bound::PoseBound;

/// Units that cover the rounding of both members.
const ROUNDINGS: f64 = 32.0;

/// A box `{ center + Σ s_i half_i axes_i : |s_i| <= 1 }`; the axes need not be exactly orthonormal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox<T> {
    /// Its centre, metres.
    pub center: V3<T>,
    /// Its axes, of length one to within rounding.
    pub axes: [V3<T>; 3],
    /// Half its sizes along the axes, metres, never negative.
    pub half: [T; 3],
    /// At least `|center| + Σ half`, metres: an upper bound on the distance of the box's points from the origin.
    pub reach: T,
}

impl<const N: usize> OrientedBox<Lanes<N>> {
    /// Boxes side by side.
    pub fn side_by_side(boxes: [OrientedBox<f64>; N]) -> Self {
        let lanes = |of: &dyn Fn(&OrientedBox<f64>) -> f64| Lanes::from_fn(|i| of(&boxes[i]));
        Self {
            center: V3::from_fn(|k| lanes(&|b| b.center.0[k])),
            axes: std::array::from_fn(|i| V3::from_fn(|k| lanes(&|b| b.axes[i].0[k]))),
            half: std::array::from_fn(|i| lanes(&|b| b.half[i])),
            reach: lanes(&|b| b.reach),
        }
    }

    /// The box in one lane.
    pub fn lane(&self, i: usize) -> OrientedBox<f64> {
        let vector = |v: &V3<Lanes<N>>| V3::from_fn(|k| v.0[k].0[i]);
        OrientedBox {
            center: vector(&self.center),
            axes: std::array::from_fn(|a| vector(&self.axes[a])),
            half: std::array::from_fn(|a| self.half[a].0[i]),
            reach: self.reach.0[i],
        }
    }

    /// The boxes in the `i`-th group of eight lanes.
    #[inline(always)]
    pub fn part<T: Vector>(&self, i: usize) -> OrientedBox<T> {
        let [u, v, w] = &self.axes;
        let [a, b, c] = &self.half;
        OrientedBox {
            center: part3(&self.center, i),
            axes: [part3(u, i), part3(v, i), part3(w, i)],
            half: [part(a, i), part(b, i), part(c, i)],
            reach: part(&self.reach, i),
        }
    }
}

impl OrientedBox<f64> {
    /// The nearest representable box, in all lanes.
    #[inline(always)]
    pub fn to<T: Real>(&self) -> OrientedBox<T> {
        let vector = |v: &V3<f64>| V3([T::new(v.0[0]), T::new(v.0[1]), T::new(v.0[2])]);
        let ([u, v, w], [a, b, c]) = (&self.axes, self.half);
        OrientedBox {
            center: vector(&self.center),
            axes: [vector(u), vector(v), vector(w)],
            half: [T::new(a), T::new(b), T::new(c)],
            reach: T::new(self.reach),
        }
    }
}

/// Bounds on all quantities of one box in eq. 12 over an interval of time.
#[derive(Clone, Copy, Debug)]
pub struct BoxBound<T> {
    /// The centre at the middle time.
    center: V3<T>,
    /// The axes at the middle time: directions to test.
    axes: [V3<T>; 3],
    /// The half axes at the middle time, `H_i0`.
    half: [V3<T>; 3],
    /// The higher coefficients of centre and half axes; `None` for a box at rest.
    rates: Option<Rates<T>>,
    /// Largest distance of a point of the box from the position given by the coefficients, after the displacement by
    /// `cube`.
    ball: T,
    /// Largest displacement along each coordinate.
    cube: V3<T>,
    /// At least `Σ |C_k| + Σ |H_ik|`, `k >= 1` for the centre: rounding is relative to it.
    size: T,
}

/// The box along the coordinate axes around an oriented box of a body whose pose is bounded for `|τ| <= h`: lowest and
/// highest coordinates, outward.
///
/// It follows from both members of inequality 12 for the coordinate axes, which are exact: the centre's coordinate is
/// in `C_0 - |C_1| - (-C_2)⁺ … C_0 + |C_1| + C_2⁺`, and the box reaches `Σ a_i (|H_i0| + |H_i1| + |H_i2|)` from there,
/// plus ball and cubes. Rounding is relative to these terms, as above.
#[inline(always)]
pub fn moving_range<T: Real>(pose: &PoseBound<T>, b: &OrientedBox<T>, h: T) -> (V3<T>, V3<T>) {
    let (zero, half_hh) = (T::new(0.0), h * h * T::new(0.5));
    let center = pose.point(b.center, b.reach);
    let (mut reach, mut cube) = (V3::zero(), center.cube);
    for i in 0..3 {
        let (axis, half) = (pose.direction(b.axes[i]), b.half[i]);
        for k in 0..3 {
            let [e0, e1, e2] = [axis.c[0].0[k].abs(), axis.c[1].0[k].abs(), axis.c[2].0[k].abs()];
            reach.0[k] = reach.0[k] + (e0 + e1 * h + e2 * half_hh) * half;
            cube.0[k] = cube.0[k] + axis.cube.0[k] * half;
        }
    }
    let (mut lo, mut hi) = (V3::zero(), V3::zero());
    for k in 0..3 {
        let (c0, c2) = (center.c[0].0[k], center.c[2].0[k]);
        let around = center.c[1].0[k].abs() * h + reach.0[k] + center.ball + cube.0[k];
        let (rise, fall) = (c2.max(zero) * half_hh, (-c2).max(zero) * half_hh);
        let size = c0.abs() + around + rise + fall;
        let around = around + (size * T::new(ROUNDINGS * T::UNIT) + T::new(T::UNDERFLOW));
        hi.0[k] = c0 + (rise + around);
        lo.0[k] = c0 - (fall + around);
    }
    (lo, hi)
}

/// First and second coefficients, times `h` and `h²/2`.
#[derive(Clone, Copy, Debug)]
struct Rates<T> {
    center: [V3<T>; 2],
    half: [[V3<T>; 2]; 3],
}

impl<T: Real> BoxBound<T> {
    /// A box of a body whose pose is bounded for `|τ| <= h`.
    pub fn moving(pose: &PoseBound<T>, b: &OrientedBox<T>, h: T) -> Self {
        let half_hh = h * h * T::new(0.5);
        let center = pose.point(b.center, b.reach);
        let scaled = |c: &[V3<T>; 3]| [c[1].times(h), c[2].times(half_hh)];
        let mut cube = center.cube;
        let mut bound = Self {
            center: center.c[0],
            axes: b.axes,
            half: b.axes,
            rates: None,
            ball: center.ball,
            cube,
            size: T::new(0.0),
        };
        let mut rates = Rates { center: scaled(&center.c), half: [[V3::zero(); 2]; 3] };
        for i in 0..3 {
            let axis = pose.direction(b.axes[i]);
            bound.axes[i] = axis.c[0];
            bound.half[i] = axis.c[0].times(b.half[i]);
            rates.half[i] = scaled(&axis.c).map(|v| v.times(b.half[i]));
            cube = cube + axis.cube.times(b.half[i]);
        }
        let of_rates = |[first, second]: &[V3<T>; 2]| first.norm1() + second.norm1();
        bound.size = of_rates(&rates.center) + rates.half.iter().fold(bound.half_size(), |sum, r| sum + of_rates(r));
        bound.cube = cube;
        bound.rates = Some(rates);
        bound
    }

    /// A box at rest. The ball covers the upload of its centre.
    pub fn standing(b: &OrientedBox<T>) -> Self {
        let mut bound = Self {
            center: b.center,
            axes: b.axes,
            half: std::array::from_fn(|i| b.axes[i].times(b.half[i])),
            rates: None,
            ball: b.center.norm1() * T::new(T::UNIT),
            cube: V3::zero(),
            size: T::new(0.0),
        };
        bound.size = bound.half_size();
        bound
    }

    fn half_size(&self) -> T {
        self.half[0].norm1() + self.half[1].norm1() + self.half[2].norm1()
    }

    /// Upper bound of `Σ a_i |n·e_i|`, without rounding, ball and cube.
    #[inline(always)]
    fn radius(&self, n: V3<T>) -> T {
        let along = |v: V3<T>| n.dot(v).abs();
        let still = along(self.half[0]) + along(self.half[1]) + along(self.half[2]);
        let Some(rates) = &self.rates else { return still };
        rates.half.iter().fold(still, |sum, [first, second]| sum + (along(*first) + along(*second)))
    }

    /// Largest movement of the centre's projection down and up from its value at the middle time.
    #[inline(always)]
    fn drift(&self, n: V3<T>) -> (T, T) {
        let zero = T::new(0.0);
        let Some(rates) = &self.rates else { return (zero, zero) };
        let (linear, quadratic) = (n.dot(rates.center[0]).abs(), n.dot(rates.center[1]));
        (linear + (-quadratic).max(zero), linear + quadratic.max(zero))
    }
}

/// Lanes in which two boxes are proved to have no common point during the whole intervals of their bounds, each by one
/// of the fifteen axes.
///
/// `wanted` contains the lanes that matter: the search stops when they are all separated.
pub fn boxes_apart<T: Real>(a: &BoxBound<T>, b: &BoxBound<T>, wanted: u32) -> u32 {
    let (zero, margin) = (T::new(0.0), T::new(ROUNDINGS * T::UNIT));
    let between = a.center - b.center;
    let balls = a.ball + b.ball;
    let grow = balls + (between.norm1() + a.size + b.size + balls) * margin + T::new(T::UNDERFLOW);
    let cube = (a.cube + b.cube).times(T::new(1.0 + ROUNDINGS * T::UNIT));
    let mut apart = 0;
    let mut settled = |n: V3<T>| {
        let distance = n.dot(between);
        let ((a_down, a_up), (b_down, b_up)) = (a.drift(n), b.drift(n));
        // Underflow counts twice: of a term, which `n` then scales (in `grow`), and of a product with a tiny `n`.
        let slack = n.norm_bound() * grow + n.abs().dot(cube) + T::new(T::UNDERFLOW);
        let right = a.radius(n) + b.radius(n) + slack;
        apart |= (distance - (a_down + b_up)).gt(right) | (zero - (distance + (a_up + b_down))).gt(right);
        apart & wanted == wanted
    };
    for n in a.axes.into_iter().chain(b.axes) {
        if settled(n) {
            return apart;
        }
    }
    for e in a.axes {
        for f in b.axes {
            if settled(e.cross(f)) {
                return apart;
            }
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: V3<f64> = V3([1.0, 0.0, 0.0]);
    const Y: V3<f64> = V3([0.0, 1.0, 0.0]);
    const Z: V3<f64> = V3([0.0, 0.0, 1.0]);

    fn standing(center: [f64; 3], axes: [V3<f64>; 3], half: [f64; 3]) -> BoxBound<f64> {
        let reach = center.iter().map(|c| c.abs()).chain(half).sum();
        BoxBound::standing(&OrientedBox { center: V3(center), axes, half, reach })
    }

    fn apart(a: &BoxBound<f64>, b: &BoxBound<f64>) -> bool {
        let one = boxes_apart(a, b, 1);
        assert_eq!(one, boxes_apart(b, a, 1));
        one != 0
    }

    #[test]
    fn boxes_at_rest() {
        let unit = standing([0.0; 3], [X, Y, Z], [1.0; 3]);
        for (gap, free) in [(1e-9, true), (0.0, false), (-1e-9, false)] {
            for centre in [[2.0 + gap, 0.3, 0.1], [0.3, -2.0 - gap, 0.1], [0.3, 0.1, 2.0 + gap]] {
                assert_eq!(apart(&unit, &standing(centre, [X, Y, Z], [1.0; 3])), free, "{gap} {centre:?}");
            }
        }
        // Corner against corner along the diagonal: only an axis of the turned box separates them.
        let s = 0.5f64.sqrt();
        let turned = [V3([s, s, 0.0]), V3([-s, s, 0.0]), Z];
        let at = |d: f64| standing([d, d, 0.0], turned, [0.1, 2.0, 0.1]);
        assert!(apart(&unit, &at(1.0 + 0.1 * s + 1e-9)) && !apart(&unit, &at(1.0 + 0.1 * s - 1e-9)));
    }

    #[test]
    fn edges_that_cross_need_a_product_of_axes() {
        // Two rods over each other, each turned by 45° about its own length: only their common normal separates them.
        let s = 0.5f64.sqrt();
        let along_x = [X, V3([0.0, s, s]), V3([0.0, -s, s])];
        let along_y = [V3([s, 0.0, s]), Y, V3([-s, 0.0, s])];
        let height = 0.2 * s;
        let lower = standing([0.0; 3], along_x, [5.0, 0.1, 0.1]);
        let at = |z: f64| standing([0.0, 0.0, z], along_y, [0.1, 5.0, 0.1]);
        assert!(apart(&lower, &at(2.0 * height + 1e-9)) && !apart(&lower, &at(2.0 * height - 1e-9)));
    }

    #[test]
    fn flat_boxes_and_points() {
        let sheet = standing([0.0; 3], [X, Y, Z], [1.0, 1.0, 0.0]);
        let point = |p: [f64; 3]| standing(p, [X, Y, Z], [0.0; 3]);
        assert!(apart(&sheet, &point([0.5, 0.5, 1e-12])) && !apart(&sheet, &point([0.5, 0.5, 0.0])));
        assert!(apart(&point([1.0, 2.0, 3.0]), &point([1.0, 2.0, 3.0 + 1e-12])));
        assert!(!apart(&point([1.0, 2.0, 3.0]), &point([1.0, 2.0, 3.0])));
        assert!(!apart(&sheet, &point([f64::NAN, 0.0, 9.0])));
    }
}
