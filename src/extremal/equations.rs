//! The equations of an extremal pair, and their derivatives with respect to time and parameters.
//!
//! Δ runs from the point of B to that of A. Both forms are written `errorsʹ = matrix · U + drift`, with U the rates
//! of the parameters and the drift the rate of the errors due to the motion of the bodies while the parameters are
//! constant.
//!
//! *Projections* (Patoglu and Gillespie): Ψ = (Δ·f_u, Δ·f_v, Δ·h_r, Δ·h_s), matrix M, drift b. Three errors in
//! the printed text are corrected: the sign of ω × f in the last two rows of b, the second row of M, and the bodies'
//! origins, which Δ must contain. Where the surfaces touch, M is singular, and on the curve where they cross Ψ
//! vanishes everywhere.
//!
//! *Normal*: with n the outward normal of one surface, its *carrier*, Φ = (f_u·n, f_v·n, Δ·h_r, Δ·h_s), matrix
//! N, drift c. It is regular through contact: |det N| = det(𝒜 + ℬ + σ𝒜ℬ) in orthonormal tangents, with the
//! shape operators 𝒜 and ℬ; and σ = Δ·n is signed.

use super::Pair;
use super::jet::Jet;
use super::motion::Relative;
use super::solve::{is_positive, solve};
use super::state::State;
use glam::DVec3;

/// The system of equations to solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The paper's projection errors Ψ: singular at contact, unsigned.
    Projection,
    /// With a normal: regular through contact and into penetration.
    #[default]
    Normal,
}

/// One of the two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The first.
    A,
    /// The second.
    B,
}

/// Both points with their derivatives at one time, in the axes of A.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Point of A and derivatives.
    pub f: Jet,
    /// Point of B and derivatives; the point is relative to the origin of B.
    pub h: Jet,
    /// Vector from the point of B to that of A, metres.
    pub delta: DVec3,
    /// Rate of `delta` for constant parameters, as seen from A: the rate that enters the projections on A.
    pub seen_from_a: DVec3,
    /// Rate of `delta` for constant parameters, as seen from B.
    pub seen_from_b: DVec3,
    /// Angular velocity of A minus that of B.
    pub spin: DVec3,
    /// Signs of the outward normals.
    outward: [f64; 2],
    /// For each body, true if it is a surface with neither parameter held.
    smooth: [bool; 2],
    /// The free parameters among u, v, r, s.
    free: [bool; 4],
    /// A characteristic length of the bodies, metres.
    size_m: f64,
}

/// `errorsʹ = matrix · U + drift` in the free parameters, with the scales of rows and columns.
#[derive(Clone, Copy, Debug)]
pub struct Equations {
    /// Number of free parameters.
    pub n: usize,
    /// Indices of the free parameters among u, v, r, s.
    pub index: [usize; 4],
    /// The errors, which vanish at an extremal pair.
    pub errors: [f64; 4],
    /// Derivatives of the errors with respect to the free parameters.
    pub matrix: [[f64; 4]; 4],
    /// Rates of the errors due to the motion of the bodies.
    pub drift: [f64; 4],
    /// Scales of the rows: `errors` divided by them are sines of angles, or lengths relative to the bodies' size.
    rows: [f64; 4],
    /// Lengths of the tangents.
    columns: [f64; 4],
    /// Number of parameters, the last ones, that belong to the carrier of the normal; 0 for projections.
    carried: usize,
}

/// U, and the conditioning of the equations.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// Rates of u, v, r, s, zero where held; `None` if the equations are singular.
    pub rates: Option<[f64; 4]>,
    /// Ratio of the smallest pivot to the largest, with rows and columns scaled.
    pub pivot_ratio: f64,
}

/// Pivots below this ratio count as zero where curvature is tested.
const FLAT: f64 = 1e-9;

impl Configuration {
    /// Evaluates both points at one time.
    pub fn new(pair: &Pair, state: &State, relative: &Relative) -> Self {
        let f = pair.a.jet(state.a);
        let h = pair.b.jet(state.b).turned(&relative.rotation);
        let (place_f, rate) = (f.point - relative.offset_m, -relative.drift_m_s);
        let free = state.free(pair);
        Self {
            f,
            h,
            delta: place_f - h.point,
            seen_from_a: rate - relative.spin_rad_s.cross(h.point),
            seen_from_b: rate - relative.spin_rad_s.cross(place_f),
            spin: -relative.spin_rad_s,
            outward: [pair.a.outward(), pair.b.outward()],
            smooth: [free[0] && free[1], free[2] && free[3]],
            free,
            size_m: pair.size_m(),
        }
    }

    /// Returns the body whose normal the normal form uses: B if it is smooth there, otherwise A if it is, otherwise
    /// `None`.
    pub fn carrier(&self) -> Option<Body> {
        match self.smooth {
            [_, true] => Some(Body::B),
            [true, false] => Some(Body::A),
            [false, false] => None,
        }
    }

    /// Returns the outward unit normal of a body, if it is a surface and regular there.
    pub fn outward_normal(&self, body: Body) -> Option<DVec3> {
        let (jet, sign) = match body {
            Body::A => (&self.f, self.outward[0]),
            Body::B => (&self.h, self.outward[1]),
        };
        jet.cross().try_normalize().map(|n| n * sign)
    }

    /// Returns the unit vector along which distance is measured, from B to A: the carrier's normal, or that of Δ
    /// without a carrier.
    pub fn direction(&self) -> Option<DVec3> {
        match self.carrier() {
            Some(Body::B) => self.outward_normal(Body::B),
            Some(Body::A) => self.outward_normal(Body::A).map(|n| -n),
            None => self.delta.try_normalize(),
        }
    }

    /// Returns the extremal distance, metres: signed if there is a carrier, otherwise the length of Δ.
    pub fn sigma_m(&self) -> f64 {
        match self.carrier() {
            Some(_) => self.direction().map_or(f64::NAN, |n| self.delta.dot(n)),
            None => self.delta.length(),
        }
    }

    /// Returns the rate of the extremal distance, metres per second. At an extremal pair it does not depend on the
    /// rates of the parameters.
    pub fn sigma_rate_m_s(&self) -> f64 {
        self.direction().map_or(0.0, |n| n.dot(self.seen_from_a))
    }

    /// Returns the cosine of the angle between both outward normals, if both are smooth there: −1 at an extremal
    /// pair.
    pub fn facing(&self) -> Option<f64> {
        let both = self.smooth == [true; 2];
        both.then(|| Some(self.outward_normal(Body::A)?.dot(self.outward_normal(Body::B)?))).flatten()
    }

    /// Returns all four projections Δ·f_u, Δ·f_v, Δ·h_r, Δ·h_s.
    pub fn projections(&self) -> [f64; 4] {
        let ([u, v], [r, s]) = (self.f.first, self.h.first);
        [u, v, r, s].map(|tangent| self.delta.dot(tangent))
    }

    /// Returns the paper's normalised errors: projections divided by the lengths of Δ and of the tangent.
    pub fn normalised(&self) -> [f64; 4] {
        let ([u, v], [r, s]) = (self.f.first, self.h.first);
        [u, v, r, s].map(|t| self.delta.dot(t) / (self.delta.length() * t.length()).max(f64::MIN_POSITIVE))
    }

    /// Returns the equations of a form; without a carrier, those of the projections.
    pub fn equations(&self, form: Form) -> Equations {
        match (form, self.carrier()) {
            (Form::Normal, Some(carrier)) => self.normal_form(carrier),
            _ => self.projection_form(),
        }
    }

    fn projection_form(&self) -> Equations {
        let (f, h) = (&self.f, &self.h);
        let tangents = [f.first[0], f.first[1], h.first[0], h.first[1]];
        let mut m = [[0.0; 4]; 4];
        for i in 0..2 {
            for j in 0..2 {
                m[i][j] = f.first[i].dot(f.first[j]) + self.delta.dot(f.second_of(i, j));
                m[i][j + 2] = -f.first[i].dot(h.first[j]);
                m[i + 2][j] = h.first[i].dot(f.first[j]);
                m[i + 2][j + 2] = -h.first[i].dot(h.first[j]) + self.delta.dot(h.second_of(i, j));
            }
        }
        let seen = [self.seen_from_a, self.seen_from_a, self.seen_from_b, self.seen_from_b];
        let drift: [f64; 4] = std::array::from_fn(|i| seen[i].dot(tangents[i]));
        let columns = tangents.map(DVec3::length);
        Whole { errors: self.projections(), matrix: m, drift, rows: columns.map(|c| c * self.size_m), columns }.choose(
            self.free,
            [0, 1, 2, 3],
            0,
        )
    }

    fn normal_form(&self, carrier: Body) -> Equations {
        // Instead of f, h, Δ and so on: the other body, the carrier, and the vector from the carrier to the other
        // body.
        let (other, own, sign, seen_from_own, order, outward) = match carrier {
            Body::B => (&self.f, &self.h, 1.0, self.seen_from_b, [0, 1, 2, 3], self.outward[1]),
            Body::A => (&self.h, &self.f, -1.0, -self.seen_from_a, [2, 3, 0, 1], self.outward[0]),
        };
        let (delta, spin) = (sign * self.delta, sign * self.spin);
        let cross = own.cross();
        let n = outward * cross.normalize_or_zero();
        let along = outward / cross.length().max(f64::MIN_POSITIVE);
        // Derivatives of the normal: a component along the normal only changes the length of the cross product.
        let n_of = own.cross_derivatives().map(|m| along * (m - n * n.dot(m)));
        let mut matrix = [[0.0; 4]; 4];
        for i in 0..2 {
            for j in 0..2 {
                matrix[i][j] = other.second_of(i, j).dot(n);
                matrix[i][j + 2] = other.first[i].dot(n_of[j]);
                matrix[i + 2][j] = own.first[i].dot(other.first[j]);
                matrix[i + 2][j + 2] = -own.first[i].dot(own.first[j]) + delta.dot(own.second_of(i, j));
            }
        }
        let turn = |i: usize| spin.dot(other.first[i].cross(n));
        let slide = |i: usize| seen_from_own.dot(own.first[i]);
        let errors = [other.first[0].dot(n), other.first[1].dot(n), delta.dot(own.first[0]), delta.dot(own.first[1])];
        let columns = [other.first[0], other.first[1], own.first[0], own.first[1]].map(DVec3::length);
        let rows = [columns[0], columns[1], columns[2] * self.size_m, columns[3] * self.size_m];
        Whole { errors, matrix, drift: [turn(0), turn(1), slide(0), slide(1)], rows, columns }
            .choose(self.free, order, 2)
    }

    /// Returns whether the pair is an extremum of the tracked kind, judged by curvature: a local minimum while apart,
    /// and its continuation in penetration, a local maximum of the gap between parallel support planes.
    ///
    /// With N in blocks (P Q; R T), T of the carrier: −T ≻ 0, so that the distance from the carrier's surface is
    /// smooth there, and its Hessian P − Q T⁻¹ R ≻ 0. Either body may be the carrier. Deep inside both, beyond
    /// the radii of curvature of each, the remaining condition is 𝒜⁻¹ + ℬ⁻¹ + σ ≻ 0 for two convex
    /// bodies.
    pub fn is_extremal(&self) -> bool {
        let by = |carrier| self.normal_form(carrier).is_minimum();
        match self.smooth {
            [true, true] => by(Body::B) || by(Body::A) || self.is_gap_maximum(),
            [_, true] => by(Body::B),
            [true, _] => by(Body::A),
            _ => self.projection_form().is_least(),
        }
    }

    fn is_gap_maximum(&self) -> bool {
        let Some(n) = self.direction() else { return false };
        let (Some(a), Some(b)) = (radii(&self.f, n), radii(&self.h, -n)) else { return false };
        let sum: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + b[i][j]));
        let sigma = self.delta.dot(n);
        let mut shifted = sum;
        shifted[0][0] += sigma;
        shifted[1][1] += sigma;
        is_positive(2, &a, 0.0) && is_positive(2, &b, 0.0) && is_positive(2, &shifted, 0.0)
    }
}

/// Returns the inverse shape operator in tangents common to all normals ±n: radii of curvature, positive if the
/// surface bends towards `n`. `None` if a curvature is zero.
fn radii(jet: &Jet, n: DVec3) -> Option<[[f64; 4]; 4]> {
    // Independent of the sign of n, so that both bodies get the same tangents.
    let axis = n.abs();
    let any = if axis.x <= axis.y && axis.x <= axis.z {
        DVec3::X
    } else if axis.y <= axis.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let e1 = (any - n * n.dot(any)).try_normalize()?;
    let unsigned = if n.x + 0.5 * n.y + 0.25 * n.z < 0.0 { -n } else { n };
    let e = [e1, unsigned.cross(e1)];
    let j: [[f64; 2]; 2] = std::array::from_fn(|k| std::array::from_fn(|i| e[k].dot(jet.first[i])));
    let bend: [[f64; 2]; 2] = std::array::from_fn(|i| std::array::from_fn(|k| n.dot(jet.second_of(i, k))));
    let det = bend[0][0] * bend[1][1] - bend[0][1] * bend[1][0];
    if !(det.abs() > 0.0) {
        return None;
    }
    let inverse = [[bend[1][1] / det, -bend[0][1] / det], [-bend[1][0] / det, bend[0][0] / det]];
    // J · bend⁻¹ · Jᵀ
    let mut out = [[0.0; 4]; 4];
    for (k, row) in out.iter_mut().enumerate().take(2) {
        for (l, to) in row.iter_mut().enumerate().take(2) {
            for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                *to += j[k][p] * inverse[p][q] * j[l][q];
            }
        }
    }
    Some(out)
}

/// The equations in all four parameters.
struct Whole {
    errors: [f64; 4],
    matrix: [[f64; 4]; 4],
    drift: [f64; 4],
    rows: [f64; 4],
    columns: [f64; 4],
}

impl Whole {
    /// Returns the equations in the free parameters; `order` contains the index among u, v, r, s of each row and
    /// column.
    fn choose(&self, free: [bool; 4], order: [usize; 4], carried: usize) -> Equations {
        let mut out = Equations {
            n: 0,
            index: [0; 4],
            errors: [0.0; 4],
            matrix: [[0.0; 4]; 4],
            drift: [0.0; 4],
            rows: [1.0; 4],
            columns: [1.0; 4],
            carried,
        };
        let kept: Vec4 = Vec4::of((0..4).filter(|i| free[order[*i]]));
        out.n = kept.n;
        for (to, from) in kept.all().enumerate() {
            out.index[to] = order[from];
            (out.errors[to], out.drift[to]) = (self.errors[from], self.drift[from]);
            (out.rows[to], out.columns[to]) = (self.rows[from], self.columns[from]);
            for (to_column, from_column) in kept.all().enumerate() {
                out.matrix[to][to_column] = self.matrix[from][from_column];
            }
        }
        out
    }
}

/// Up to four numbers.
struct Vec4 {
    n: usize,
    at: [usize; 4],
}

impl Vec4 {
    fn of(numbers: impl Iterator<Item = usize>) -> Self {
        let mut out = Self { n: 0, at: [0; 4] };
        for number in numbers.take(4) {
            out.at[out.n] = number;
            out.n += 1;
        }
        out
    }

    fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.at[..self.n].iter().copied()
    }
}

impl Equations {
    /// Solves matrix · U = wanted − drift for U, with which the errors change at the rate `wanted`.
    pub fn rates(&self, wanted: [f64; 4]) -> Solved {
        let right = std::array::from_fn(|i| (wanted[i] - self.drift[i]) / self.rows[i].max(f64::MIN_POSITIVE));
        let (solution, pivot_ratio) = solve(self.n, self.balanced(), right);
        let rates = solution.map(|y| {
            let mut rates = [0.0; 4];
            for i in 0..self.n {
                rates[self.index[i]] = y[i] / self.columns[i];
            }
            rates
        });
        let rates = rates.filter(|r| r.iter().all(|x| x.is_finite()));
        Solved { pivot_ratio: if rates.is_some() { pivot_ratio } else { 0.0 }, rates }
    }

    /// Returns the largest error, rows scaled: the sine of an angle, or a length relative to the bodies' size.
    pub fn error(&self) -> f64 {
        (0..self.n)
            .map(|i| (self.errors[i] / self.rows[i].max(f64::MIN_POSITIVE)).abs())
            .fold(0.0, |a, b| if b.is_nan() { f64::NAN } else { a.max(b) })
    }

    /// Returns the matrix with rows divided by their scales and columns by the tangents' lengths.
    fn balanced(&self) -> [[f64; 4]; 4] {
        let size = |i: usize, j: usize| (self.rows[i] * self.columns[j]).max(f64::MIN_POSITIVE);
        std::array::from_fn(|i| std::array::from_fn(|j| self.matrix[i][j] / size(i, j)))
    }

    /// Returns whether the equations, in the normal form, belong to an extremum: see [`Configuration::is_extremal`].
    fn is_minimum(&self) -> bool {
        let (n, k) = (self.n - self.carried, self.carried);
        let m = self.balanced();
        let mut minus_t = [[0.0; 4]; 4];
        let mut least = 0.0f64;
        for i in 0..k {
            for j in 0..k {
                minus_t[i][j] = -m[n + i][n + j];
                least = least.max(minus_t[i][j].abs());
            }
        }
        if !is_positive(k, &minus_t, FLAT * least) {
            return false;
        }
        let mut hessian = [[0.0; 4]; 4];
        let mut largest = 0.0f64;
        for j in 0..n {
            let column = std::array::from_fn(|i| if i < k { m[n + i][j] } else { 0.0 });
            let Some(y) = solve(k, minus_t, column).0 else { return false };
            for i in 0..n {
                hessian[i][j] = m[i][j] + (0..k).map(|l| m[i][n + l] * y[l]).sum::<f64>();
                largest = largest.max(hessian[i][j].abs());
            }
        }
        is_positive(n, &hessian, FLAT * largest)
    }

    /// Returns whether, for projections, the Hessian of ½|Δ|² is positive definite. It is the matrix with the signs
    /// of the rows of r and s changed.
    fn is_least(&self) -> bool {
        let mut m = self.balanced();
        for i in (0..self.n).filter(|i| self.index[*i] >= 2) {
            m[i] = m[i].map(|x| -x);
        }
        is_positive(self.n, &m, FLAT)
    }
}
