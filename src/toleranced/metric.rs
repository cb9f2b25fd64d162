//! The object-oriented metric of affine displacements, from weighted feature points of a body.
//!
//! `dist²(α, β) = Σ wᵢ |α(pᵢ) - β(pᵢ)|² = m |δ(s)|² + tr(D J Dᵀ)` for `δ = α - β` with linear part
//! `D`: mass, barycentre and inertia determine the metric. If `dist(α, α₀) <= R`, a point `x` is within `R ρ(x)`
//! of `α₀(x)`, and every point of that ball is reached: `ρ²(x) = 1/m + (x-s)ᵀ J⁻¹ (x-s)` (Schröcker & Weber,
//! section 3; Cauchy–Schwarz). `α₀` may be any affine map.

use super::enclosure::{Enclosure, MAX_COORDINATE, Map, Vector, exact, root_above, square};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A weighted point of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Position in the body's frame, metres.
    pub at: [f64; 3],
    /// Its weight, positive.
    pub weight: f64,
}

/// Mass, barycentre, inertia and distortion rate of feature points.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// `m`, the sum of the weights.
    pub mass: Enclosure,
    /// `s`, the barycentre.
    pub centre: Vector,
    /// `J = Σ w (p-s)(p-s)ᵀ`.
    pub inertia: [[Enclosure; 3]; 3],
    /// `J⁻¹`; if all features are in the plane `z = 0`, its pseudo-inverse, and `ρ` is then valid only for points
    /// of that plane.
    pub distortion: [[Enclosure; 3]; 3],
}

impl Metric {
    /// Computes the metric of feature points.
    ///
    /// # Errors
    /// There are no points, a coordinate is not finite or beyond 10⁶ m, a weight is not in [10⁻⁶, 10⁶], or the
    /// points are on a line, or in a plane other than `z = 0`.
    pub fn new(features: &[Feature]) -> Result<Self> {
        let fits = |f: &Feature| {
            f.at.iter().all(|x| x.abs() <= MAX_COORDINATE)
                && (1.0 / MAX_COORDINATE..=MAX_COORDINATE).contains(&f.weight)
        };
        if let Some(i) = features.iter().position(|f| !fits(f)) {
            let message = "a coordinate is beyond 10^6, or the weight is outside [10^-6, 10^6]";
            return Err(Error::input(message).at(format!("feature point {i}")));
        }
        let zero = exact(0.0);
        let mass = features.iter().fold(zero, |m, f| m + exact(f.weight));
        if !(mass.lo > 0.0) {
            return Err(Error::input("there are no feature points"));
        }
        let mut sum = Vector([zero; 3]);
        for f in features {
            sum = sum + Vector::exact(f.at).times(exact(f.weight));
        }
        let centre = Vector(sum.0.map(|x| x.quotient(mass)));
        let planar = features.iter().all(|f| f.at[2] == 0.0);
        let mut inertia = [[zero; 3]; 3];
        for f in features {
            let d = (Vector::exact(f.at) - centre).0;
            for i in 0..3 {
                for j in 0..3 {
                    let product = if i == j { square(d[i]) } else { d[i] * d[j] };
                    inertia[i][j] = inertia[i][j] + exact(f.weight) * product;
                }
            }
        }
        if planar {
            (0..3).for_each(|i| (inertia[i][2], inertia[2][i]) = (zero, zero));
        }
        let distortion = if planar { inverse_in_plane(&inertia) } else { inverse(&inertia) };
        let distortion = distortion
            .ok_or_else(|| Error::input("the feature points lie on a line, or in a plane other than z = 0"))?;
        Ok(Self { mass, centre, inertia, distortion })
    }

    /// Returns the metric of eight unit masses at the corners of a box that is `inflation` times the given one; all
    /// points of the given box have `ρ²` of at most [`box_rho2`].
    ///
    /// The weights `λ = (1 ± x₀/(g h₀) ± x₁/(g h₁) ± x₂/(g h₂)) / 8` of the corners yield the point `x`
    /// and sum to one, and `ρ²(x) <= Σ λ²`, which is `(1 + Σ x²/(g h)²) / 8`; terms with `h = 0` are absent.
    pub fn of_box(centre: [f64; 3], half: [f64; 3], inflation: f64) -> Self {
        let zero = exact(0.0);
        let (mut inertia, mut distortion) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for k in 0..3 {
            inertia[k][k] = exact(8.0) * square(exact(half[k]) * exact(inflation));
            if inertia[k][k].lo > 0.0 {
                distortion[k][k] = exact(1.0).quotient(inertia[k][k]);
            }
        }
        Self { mass: exact(8.0), centre: Vector::exact(centre), inertia, distortion }
    }

    /// Returns the squared distortion rate `ρ²` at a point.
    pub fn rho2(&self, x: Vector) -> Enclosure {
        let d = x - self.centre;
        exact(1.0).quotient(self.mass) + d.dot(self.distort(d))
    }

    /// Returns `J⁻¹ d`.
    pub fn distort(&self, d: Vector) -> Vector {
        Vector(std::array::from_fn(|i| Vector(self.distortion[i]).dot(d)))
    }

    /// Returns the norm of a difference of two maps, rounded up.
    pub fn norm(&self, d: &Map) -> f64 {
        let mut sum = self.mass * d.point(self.centre).norm2();
        for i in 0..3 {
            sum = sum + self.inertia[i][i] * d.e[i].norm2();
            for j in 0..i {
                sum = sum + exact(2.0) * self.inertia[i][j] * d.e[i].dot(d.e[j]);
            }
        }
        root_above(sum)
    }

    /// Returns the square root of the mass, rounded up: the norm of a unit translation.
    pub fn root_mass(&self) -> f64 {
        root_above(self.mass)
    }
}

/// Returns a bound on `ρ²` in a box whose corners are the features of [`Metric::of_box`] before the inflation.
pub fn box_rho2(inflation: f64) -> Enclosure {
    let g2 = square(exact(inflation));
    (exact(1.0) + exact(3.0).quotient(g2)) * exact(0.125)
}

/// Returns the inverse of a positive definite matrix.
fn inverse(m: &[[Enclosure; 3]; 3]) -> Option<[[Enclosure; 3]; 3]> {
    let minor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
    let scale = m[0][0].hi * m[1][1].hi * m[2][2].hi;
    (det.lo > 1e-12 * scale && scale > 0.0)
        .then(|| std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i).quotient(det))))
}

/// Returns the inverse of the upper left block; the rest is zero.
fn inverse_in_plane(m: &[[Enclosure; 3]; 3]) -> Option<[[Enclosure; 3]; 3]> {
    let det = m[0][0] * m[1][1] - square(m[0][1]);
    let scale = m[0][0].hi * m[1][1].hi;
    let zero = exact(0.0);
    (det.lo > 1e-12 * scale && scale > 0.0).then(|| {
        let off = (zero - m[0][1]).quotient(det);
        [[m[1][1].quotient(det), off, zero], [off, m[0][0].quotient(det), zero], [zero; 3]]
    })
}
