//! Rational B-splines (NURBS), which include Bézier curves and patches, with derivatives to second order.
//!
//! Basis functions use the recursion of Cox and de Boor, their derivatives that of Piegl and Tiller (*The NURBS Book*,
//! eq. 2.7), with the quotient rule in homogeneous coordinates. Outside its domain a spline continues as the rational
//! function of the nearest span, since an integrator may evaluate it there within a step.

use super::jet::Jet;
use crate::error::{Error, Result};
use glam::{DVec3, DVec4, Vec4Swizzles};

/// Largest supported degree.
pub const MAX_DEGREE: usize = 9;

/// Values of the nonzero basis functions, with first and second derivatives.
pub type BasisValues = [[f64; MAX_DEGREE + 1]; 3];

/// Degree and knots of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    degree: usize,
    knots: Vec<f64>,
}

impl Basis {
    /// Creates a basis from knots in ascending order; the domain is from `knots[degree]` to
    /// `knots[knots.len() - 1 - degree]`.
    ///
    /// # Errors
    /// The degree is zero or above [`MAX_DEGREE`]; the knots are too few, not finite, decreasing, or repeat so often
    /// that the spline would be discontinuous; or the domain is empty.
    pub fn new(degree: usize, knots: Vec<f64>) -> Result<Self> {
        if degree == 0 || degree > MAX_DEGREE {
            return Err(Error::input(format!("the degree of a spline is {degree}: 1 to {MAX_DEGREE} are supported")));
        }
        if knots.len() < 2 * (degree + 1) {
            return Err(Error::input(format!("{} knots: degree {degree} requires {}", knots.len(), 2 * (degree + 1))));
        }
        if knots.iter().any(|k| !k.is_finite()) || knots.windows(2).any(|k| k[0] > k[1]) {
            return Err(Error::input("knots must be finite and must not decrease"));
        }
        let basis = Self { degree, knots };
        let [lo, hi] = basis.domain();
        let inner = |k: &f64| *k > lo && *k < hi;
        let torn = |k: &f64| basis.knots.iter().filter(|o| *o == k).count() > degree;
        if !(lo < hi) || basis.knots.iter().any(|k| inner(k) && torn(k)) {
            return Err(Error::input(
                "a knot is repeated so often that the spline is discontinuous, or the domain is empty",
            ));
        }
        Ok(basis)
    }

    /// Creates the basis of a Bézier curve over [0, 1].
    ///
    /// # Errors
    /// As [`Basis::new`].
    pub fn bezier(degree: usize) -> Result<Self> {
        let ends = |k| std::iter::repeat_n(k, degree + 1);
        Self::new(degree, ends(0.0).chain(ends(1.0)).collect())
    }

    /// Returns the degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the knots.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Returns the number of control points.
    pub fn n_points(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// Returns the lowest and the highest parameter.
    pub fn domain(&self) -> [f64; 2] {
        [self.knots[self.degree], self.knots[self.n_points()]]
    }

    /// Returns the span that contains `u`: within the domain, the last knot not above `u` that is followed by a larger
    /// one.
    pub(super) fn span(&self, u: f64) -> usize {
        let (first, last) = (self.degree, self.n_points() - 1);
        let mut k = self.knots.partition_point(|knot| *knot <= u).clamp(first + 1, last + 1) - 1;
        while k > first && self.knots[k] >= self.knots[k + 1] {
            k -= 1;
        }
        while k < last && self.knots[k] >= self.knots[k + 1] {
            k += 1;
        }
        k
    }

    /// Returns the index of the first control point with influence at `u`, and the values and derivatives of its basis
    /// function and of the `degree` following ones.
    pub fn values(&self, u: f64) -> (usize, BasisValues) {
        let (p, k, t) = (self.degree, self.span(u), &self.knots);
        // `n[q][j]`: the function with index k − q + j of degree q.
        let mut n = [[0.0; MAX_DEGREE + 1]; MAX_DEGREE + 1];
        n[0][0] = 1.0;
        for q in 1..=p {
            for j in 0..=q {
                let i = k + j - q;
                if j > 0 {
                    n[q][j] += (u - t[i]) / (t[i + q] - t[i]) * n[q - 1][j - 1];
                }
                if j < q {
                    n[q][j] += (t[i + q + 1] - u) / (t[i + q + 1] - t[i + 1]) * n[q - 1][j];
                }
            }
        }
        // The derivative of degree q from values (or derivatives) of degree q − 1.
        let derivative = |lower: &[f64; MAX_DEGREE + 1], q: usize| {
            let mut out = [0.0; MAX_DEGREE + 1];
            for j in 0..=q {
                let i = k + j - q;
                if j > 0 {
                    out[j] += q as f64 / (t[i + q] - t[i]) * lower[j - 1];
                }
                if j < q {
                    out[j] -= q as f64 / (t[i + q + 1] - t[i + 1]) * lower[j];
                }
            }
            out
        };
        let first = derivative(&n[p - 1], p);
        let second = if p >= 2 { derivative(&derivative(&n[p - 2], p - 1), p) } else { [0.0; MAX_DEGREE + 1] };
        (k - p, [n[p], first, second])
    }
}

/// Returns the control points multiplied by their weights, and the weights.
fn homogeneous(points: &[DVec3], weights: Option<&[f64]>, wanted: usize) -> Result<Vec<DVec4>> {
    let n_weights = weights.map_or(points.len(), <[f64]>::len);
    if points.len() != wanted || n_weights != wanted {
        let message = format!("{} control points and {n_weights} weights, expected {wanted} of each", points.len());
        return Err(Error::input(message));
    }
    let all = points.iter().enumerate().map(|(i, p)| (*p, weights.map_or(1.0, |w| w[i])));
    let bad = |(p, w): &(DVec3, f64)| !p.is_finite() || !(*w > 0.0) || !w.is_finite();
    if all.clone().any(|e| bad(&e)) {
        return Err(Error::input("control points must be finite, and weights finite and above 0"));
    }
    Ok(all.map(|(p, w)| (p * w).extend(w)).collect())
}

fn reach(controls: &[DVec4]) -> f64 {
    controls.iter().map(|c| (c.xyz() / c.w).length()).fold(0.0, f64::max)
}

/// A rational B-spline surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineSurface {
    basis: [Basis; 2],
    /// Row by row, the second parameter varying fastest.
    controls: Vec<DVec4>,
    outward: f64,
    closed: [bool; 2],
}

impl SplineSurface {
    /// Creates a surface from control points in rows, the second parameter varying fastest; weights of 1 if absent.
    /// `inward` means that first × second tangent points into the body.
    ///
    /// # Errors
    /// As [`Basis::new`]; the number of points or weights does not fit; a coordinate is not finite, or a weight is not
    /// above 0.
    pub fn new(basis: [Basis; 2], points: &[DVec3], weights: Option<&[f64]>, inward: bool) -> Result<Self> {
        let controls = homogeneous(points, weights, basis[0].n_points() * basis[1].n_points())?;
        Ok(Self { basis, controls, outward: if inward { -1.0 } else { 1.0 }, closed: [false; 2] })
    }

    /// Sets the parameters in which the surface is closed: its ends must coincide there.
    ///
    /// # Errors
    /// At one of 16 points along them, the ends differ by more than 10⁻⁹ of the reach.
    pub fn closed(mut self, closed: [bool; 2]) -> Result<Self> {
        let [[u0, u1], [v0, v1]] = [self.basis[0].domain(), self.basis[1].domain()];
        let close = 1e-9 * self.reach_m().max(f64::MIN_POSITIVE);
        let apart = |a: DVec3, b: DVec3| !((a - b).length() <= close);
        for i in 0..16 {
            let t = i as f64 / 15.0;
            let (u, v) = (u0 + t * (u1 - u0), v0 + t * (v1 - v0));
            if closed[0] && apart(self.jet([u0, v]).point, self.jet([u1, v]).point)
                || closed[1] && apart(self.jet([u, v0]).point, self.jet([u, v1]).point)
            {
                return Err(Error::input("the ends of a surface that must be closed do not coincide"));
            }
        }
        self.closed = closed;
        Ok(self)
    }

    /// Returns the degrees and knots.
    pub fn basis(&self) -> &[Basis; 2] {
        &self.basis
    }

    /// Returns, for each parameter, whether the surface is closed in it.
    pub fn is_closed(&self) -> [bool; 2] {
        self.closed
    }

    /// Returns 1 if first × second tangent points out of the body, otherwise −1.
    pub fn outward(&self) -> f64 {
        self.outward
    }

    /// Returns the point at a parameter, with derivatives.
    pub fn jet(&self, [u, v]: [f64; 2]) -> Jet {
        let ((i0, nu), (j0, nv)) = (self.basis[0].values(u), self.basis[1].values(v));
        let columns = self.basis[1].n_points();
        let mut sums = [DVec4::ZERO; 6];
        for i in 0..=self.basis[0].degree {
            let at = (i0 + i) * columns + j0;
            let mut row = [DVec4::ZERO; 3];
            for (j, control) in self.controls[at..=at + self.basis[1].degree].iter().enumerate() {
                for (sum, n) in row.iter_mut().zip(&nv) {
                    *sum += n[j] * *control;
                }
            }
            let parts = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)];
            for (sum, (du, dv)) in sums.iter_mut().zip(parts) {
                *sum += nu[du][i] * row[dv];
            }
        }
        let [h, hu, hv, huu, huv, hvv] = sums;
        let f = h.xyz() / h.w;
        let (fu, fv) = ((hu.xyz() - hu.w * f) / h.w, (hv.xyz() - hv.w * f) / h.w);
        let fuu = (huu.xyz() - 2.0 * hu.w * fu - huu.w * f) / h.w;
        let fuv = (huv.xyz() - hu.w * fv - hv.w * fu - huv.w * f) / h.w;
        let fvv = (hvv.xyz() - 2.0 * hv.w * fv - hvv.w * f) / h.w;
        Jet { point: f, first: [fu, fv], second: [fuu, fuv, fvv] }
    }

    /// Returns the control points multiplied by their weights, and the weights; the second parameter varies fastest.
    pub(super) fn controls(&self) -> &[DVec4] {
        &self.controls
    }

    /// Returns an upper bound on the distance from the origin, metres: that of the control points.
    pub fn reach_m(&self) -> f64 {
        reach(&self.controls)
    }
}

/// A rational B-spline curve.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineCurve {
    basis: Basis,
    controls: Vec<DVec4>,
    closed: bool,
}

impl SplineCurve {
    /// Creates a curve from control points in order; weights of 1 if absent.
    ///
    /// # Errors
    /// As [`SplineSurface::new`].
    pub fn new(basis: Basis, points: &[DVec3], weights: Option<&[f64]>) -> Result<Self> {
        let controls = homogeneous(points, weights, basis.n_points())?;
        Ok(Self { basis, controls, closed: false })
    }

    /// Marks the curve as closed: its ends must coincide.
    ///
    /// # Errors
    /// The ends differ by more than 10⁻⁹ of the reach.
    pub fn closed(mut self) -> Result<Self> {
        let [lo, hi] = self.basis.domain();
        if !((self.jet(lo).point - self.jet(hi).point).length() <= 1e-9 * self.reach_m().max(f64::MIN_POSITIVE)) {
            return Err(Error::input("the ends of a curve that must be closed do not coincide"));
        }
        self.closed = true;
        Ok(self)
    }

    /// Returns the degree and knots.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// Returns whether the curve is closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns the point at a parameter, with derivatives.
    pub fn jet(&self, u: f64) -> Jet {
        let (first, n) = self.basis.values(u);
        let controls = &self.controls[first..=first + self.basis.degree];
        let sum = |n: &[f64]| n.iter().zip(controls).map(|(n, c)| *n * *c).sum::<DVec4>();
        let [h, hu, huu] = [sum(&n[0]), sum(&n[1]), sum(&n[2])];
        let f = h.xyz() / h.w;
        let fu = (hu.xyz() - hu.w * f) / h.w;
        let fuu = (huu.xyz() - 2.0 * hu.w * fu - huu.w * f) / h.w;
        Jet { point: f, first: [fu, DVec3::ZERO], second: [fuu, DVec3::ZERO, DVec3::ZERO] }
    }

    /// Returns the control points multiplied by their weights, and the weights.
    pub(super) fn controls(&self) -> &[DVec4] {
        &self.controls
    }

    /// Returns an upper bound on the distance from the origin, metres.
    pub fn reach_m(&self) -> f64 {
        reach(&self.controls)
    }
}
