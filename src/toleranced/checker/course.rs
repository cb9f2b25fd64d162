//! The motion in the checker's form, computed from its definition alone.

use super::arithmetic::{Num, Rows, Vec3, apply, combine, minus, norm2, sin_cos, vector};
use crate::robot::JointMotion;
use crate::toleranced::motion::Span;
use crate::toleranced::problem::Course;

/// A motion, or a part of one.
#[derive(Clone, Debug)]
pub enum Motion<'m> {
    /// Numerators and weights of a rational Bézier motion over the part.
    Bezier(Vec<(Rows, Num)>),
    /// The joints from the root to a body of an articulated model, and the part.
    Joints(&'m [JointMotion], Span),
}

/// A ball of displacements.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Its centre, exact numbers.
    pub centre: Rows,
    /// Radius of a ball that contains the motion over the part.
    pub radius: f64,
    /// Radius of a ball that contains the motion at the middle of the time.
    pub middle_radius: f64,
}

/// A point of a body with a weight.
pub type Mass = (Vec3, Num);

impl Motion<'_> {
    /// Converts the motion that a file defines.
    pub fn of(course: &Course) -> Self {
        let rows = |m: &[[f64; 4]; 3], w: Num| m.map(|r| r.map(|x| Num::new(x) * w));
        match course {
            Course::Bezier { maps, weights } => {
                Self::Bezier(maps.iter().zip(weights).map(|(m, w)| (rows(m, Num::new(*w)), Num::new(*w))).collect())
            }
            Course::Rigid { quaternions, translations } => Self::Bezier(rigid(quaternions, translations)),
        }
    }

    /// Returns both halves.
    pub fn halves(&self) -> [Self; 2] {
        match self {
            Self::Bezier(points) => {
                let (mut left, mut right, mut row) = (Vec::new(), Vec::new(), points.clone());
                while let (Some(first), Some(last)) = (row.first(), row.last()) {
                    left.push(*first);
                    right.push(*last);
                    let mean = |a: Num, b: Num| (a + b) * Num::new(0.5);
                    row = row.windows(2).map(|w| (combine(&w[0].0, &w[1].0, mean), mean(w[0].1, w[1].1))).collect();
                }
                right.reverse();
                [Self::Bezier(left), Self::Bezier(right)]
            }
            Self::Joints(chain, span) => span.halves().map(|half| Self::Joints(chain, half)),
        }
    }

    /// Returns a ball for a body with some masses; `None` if there is no bound.
    pub fn ball(&self, masses: &[Mass]) -> Option<Ball> {
        let distance = |a: &Rows, b: &Rows| {
            let each = masses.iter().map(|(p, w)| *w * norm2(minus(apply(a, *p), apply(b, *p))));
            each.fold(Num::new(0.0), |sum, x| sum + x).root()
        };
        let exact = |m: &Rows| m.map(|r| r.map(|x| Num::new(x.middle())));
        match self {
            Self::Bezier(points) => {
                let project = |(m, w): &(Rows, Num)| (w.lo > 0.0).then(|| m.map(|r| r.map(|x| x.over(*w))));
                let controls = points.iter().map(project).collect::<Option<Vec<_>>>()?;
                let [Self::Bezier(left), _] = self.halves() else { return None };
                let middle = project(left.last()?)?;
                let centre = exact(&middle);
                let radius = controls.iter().map(|c| distance(c, &centre)).fold(0.0, f64::max);
                Some(Ball { centre, radius, middle_radius: distance(&middle, &centre) })
            }
            Self::Joints(chain, span) => {
                let jet = Jet::of(chain, span.middle());
                let centre = exact(&jet.maps[0]);
                let middle_radius = distance(&jet.maps[0], &centre);
                let h = Num::new(0.5 * span.length());
                let travel = |(p, w): &Mass| {
                    let speed = |n: usize| Num::new(norm2(apply(&jet.maps[n], *p)).root());
                    let third = jet.third[0] + jet.third[1] * Num::new(norm2(*p).root());
                    let six = Num::new(6.0);
                    *w * (speed(1) * h + speed(2) * h * h * Num::new(0.5) + (third * h * h * h).over(six)).square()
                };
                let radius = masses.iter().map(travel).fold(Num::new(0.0), |sum, x| sum + x).root();
                let radius = (Num::new(radius) + Num::new(middle_radius)).hi;
                Some(Ball { centre, radius, middle_radius })
            }
        }
    }
}

/// Computes the coefficients of the rigid motion: products of Bernstein polynomials, collected by degree.
fn rigid(quaternions: &[[f64; 4]], translations: &[[f64; 3]]) -> Vec<(Rows, Num)> {
    let n = quaternions.len() - 1;
    // Rows of Pascal's triangle.
    let pascal = |n: usize| {
        let mut row = vec![Num::new(1.0)];
        for _ in 0..n {
            let inner = row.windows(2).map(|w| w[0] + w[1]);
            row = [Num::new(1.0)].into_iter().chain(inner).chain([Num::new(1.0)]).collect();
        }
        row
    };
    let (single, double) = (pascal(n), pascal(2 * n));
    let zero = Num::new(0.0);
    let two = Num::new(2.0);
    let mut out = vec![([[zero; 4]; 3], zero); 2 * n + 1];
    for (i, p) in quaternions.iter().enumerate() {
        for (j, q) in quaternions.iter().enumerate() {
            let f = (single[i] * single[j]).over(double[i + j]);
            // The mean over both orders of the factors, so that products can be used as they are.
            let s = |a: usize, b: usize| {
                (Num::new(p[a]) * Num::new(q[b]) + Num::new(p[b]) * Num::new(q[a])) * Num::new(0.5) * f
            };
            let (w, x, y, z) = (0, 1, 2, 3);
            let norm = s(w, w) + s(x, x) + s(y, y) + s(z, z);
            let turn = [
                [norm - two * (s(y, y) + s(z, z)), two * (s(x, y) - s(w, z)), two * (s(x, z) + s(w, y))],
                [two * (s(x, y) + s(w, z)), norm - two * (s(x, x) + s(z, z)), two * (s(y, z) - s(w, x))],
                [two * (s(x, z) - s(w, y)), two * (s(y, z) + s(w, x)), norm - two * (s(x, x) + s(y, y))],
            ];
            let (rows, weight) = &mut out[i + j];
            *weight = *weight + norm;
            for r in 0..3 {
                for c in 0..3 {
                    rows[r][c] = rows[r][c] + turn[r][c];
                }
            }
        }
    }
    for ((rows, weight), a) in out.iter_mut().zip(translations) {
        for r in 0..3 {
            rows[r][3] = Num::new(a[r]) * *weight;
        }
    }
    out
}

/// Pose, velocity and acceleration of a body, and a bound on the third derivative of its points: `a + b |p|`.
struct Jet {
    maps: [Rows; 3],
    third: [Num; 2],
}

impl Jet {
    fn of(chain: &[JointMotion], t: f64) -> Self {
        let zero = Num::new(0.0);
        let mut rest = [[zero; 4]; 3];
        (0..3).for_each(|i| rest[i][i] = Num::new(1.0));
        let mut maps = [rest, [[zero; 4]; 3], [[zero; 4]; 3]];
        let (mut omega, mut origin) = (zero, zero);
        for joint in chain {
            let own = joint_jet(joint, t);
            // Leibniz's rule for the derivatives of a product. The outer map's last column has no factor, so it
            // contributes only if k = 0.
            let product = |n: usize, k: usize| {
                let (a, b) = (&maps[n], &own[k]);
                let mut out = [[zero; 4]; 3];
                for i in 0..3 {
                    for j in 0..4 {
                        let column = [b[0][j], b[1][j], b[2][j]];
                        out[i][j] = super::arithmetic::dot([a[i][0], a[i][1], a[i][2]], column);
                    }
                }
                if k == 0 {
                    (0..3).for_each(|i| out[i][3] = out[i][3] + a[i][3]);
                }
                out
            };
            let add = |a: &Rows, b: &Rows| combine(a, b, |x, y| x + y);
            let twice = |a: &Rows| combine(a, a, |x, y| x + y);
            let next = [
                product(0, 0),
                add(&product(1, 0), &product(0, 1)),
                add(&add(&product(2, 0), &product(0, 2)), &twice(&product(1, 1))),
            ];
            // The offset's length and speed; a rotation by `omega` in total has n-th derivatives of at most omega^n.
            let length = |v: [f64; 3]| Num::new(norm2(vector(v)).root());
            let ends = [joint.origin_m, joint.origin_m + joint.slide_m].map(|v| length(v.to_array()).hi);
            let (slide, offset) = (length(joint.slide_m.to_array()), Num::new(ends[0].max(ends[1])));
            origin = origin + omega * omega * omega * offset + Num::new(3.0) * omega * omega * slide;
            omega = omega + Num::new(joint.w_rad.abs());
            maps = next;
        }
        // The deviation of the rotations from rigid ones: at most 2^-46 for each joint.
        let rigid = Num::new(1.0 + 1.0 / (1u64 << 34) as f64);
        Self { maps, third: [origin * rigid, omega * omega * omega * rigid] }
    }
}

fn joint_jet(joint: &JointMotion, t: f64) -> [Rows; 3] {
    let w = Num::new(joint.w_rad);
    let (sin, cos) = sin_cos(w * Num::new(t));
    let entry = |m: &glam::DMat3, i: usize, j: usize| Num::new(m.col(j)[i]);
    let zero = Num::new(0.0);
    let mut out = [[[zero; 4]; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let (a, b, c) = (entry(&joint.a, i, j), entry(&joint.b, i, j), entry(&joint.c, i, j));
            let turning = cos * a + sin * b;
            out[0][i][j] = turning + c;
            out[1][i][j] = w * (cos * b - sin * a);
            out[2][i][j] = zero - w * w * turning;
        }
        out[0][i][3] = Num::new(joint.origin_m[i]) + Num::new(t) * Num::new(joint.slide_m[i]);
        out[1][i][3] = Num::new(joint.slide_m[i]);
    }
    out
}
