//! Bounds on second derivatives: of the paths of points, of unit vectors made from them, and of the surfaces that these
//! span.

use super::filip::SecondDerivatives;
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::enclosure::ball_vector::BallVector;
use crate::robot::RobotMotion;
use glam::DVec3;

/// Smallest length of a normal, as a fraction of its middle value, that is used as a divisor: nearer to zero its
/// derivatives have no useful bound.
const REGULAR: f64 = 0.25;

/// Position and derivatives up to the third of a moving point or direction, metres.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Position and first derivative at the middle time; the radii bound the rounding error.
    pub middle: [BallVector; 2],
    /// First, second and third derivative at all times of the interval.
    pub derivative: [BallVector; 3],
}

/// The paths of the ends and of the axis of a line-swept sphere during `[mid - h, mid + h]`.
#[derive(Clone, Copy, Debug)]
pub struct AxisPaths {
    /// The end `a`.
    pub a: Path,
    /// The end `b`.
    pub b: Path,
    /// `δ = b - a`.
    pub delta: Path,
}

impl AxisPaths {
    /// The paths of a body's axis.
    ///
    /// The jet gives value, first and second derivative at the middle; the third is bounded for the whole motion, so
    /// over the interval the second differs from the middle's by at most `h B3`, and the first by
    /// `h |p''| + h² B3 / 2`. A direction has only the bounds of a rotation: `|δ'''| <= Ω³ |δ|`. The rounding bound of
    /// a jet weights the n-th derivative with `hⁿ/n!` for any `h` up to 9/16; it is evaluated at `h = 1/Ω` or there.
    pub fn new(motion: &RobotMotion, body: u32, [a, b]: [DVec3; 2], mid: f64, h: f64) -> Self {
        let jet = motion.body_bound(body, mid, 0.0).jet;
        let chain = &motion.chains[body as usize];
        let omega = chain.derivatives.omega[0].max(16.0 / 9.0);
        let (rounding, third) = (chain.rounding(1.0 / omega, f64::UNIT), chain.remainder(1.0).map(|x| 6.0 * x));
        let path = |e: DVec3, is_point: bool| {
            let along = f64::from(u8::from(is_point));
            let at = |n: usize| {
                let turned = jet.p[n].apply(V3::new(e));
                DVec3::from_array(turned.0) + DVec3::from_array(jet.x[n].0) * along
            };
            let b3 = third[0] * along + third[1] * e.length();
            let error = rounding[0] * along + rounding[1] * e.length();
            let (e1, e2) = (error * omega, 2.0 * error * omega * omega);
            let second = BallVector::new(at(2), e2 + h * b3);
            let first = BallVector::new(at(1), e1 + h * (at(2).length() + e2) + 0.5 * h * h * b3);
            let derivative = [first, second, BallVector::new(DVec3::ZERO, b3)];
            Path { middle: [BallVector::new(at(0), error), BallVector::new(at(1), e1)], derivative }
        };
        Self { a: path(a, true), b: path(b, true), delta: path(b - a, false) }
    }

    /// Bounds on the offset surface `x ± R n` (eq. 8 and 9) of the ruled surface `x = a + s δ` for `s` in `mid_s ± g`;
    /// `None` if it may not be regular.
    pub fn sheet(&self, radius_m: f64, h: f64, mid_s: f64, g: f64) -> Option<SecondDerivatives> {
        let n = self.normal(h, mid_s, g);
        let unit = n.unit()?;
        let x_tt = self.blend(1, mid_s, g).most();
        Some(SecondDerivatives {
            uu: x_tt + radius_m * unit.uu,
            uv: self.delta.derivative[0].most() + radius_m * unit.uv,
            vv: radius_m * unit.vv,
        })
    }

    /// The derivative of `x` in time with index `n`, counted from 0 for the first derivative, over the patch.
    pub fn blend(&self, n: usize, mid_s: f64, g: f64) -> BallVector {
        let (a, d) = (self.a.derivative[n], self.delta.derivative[n]);
        let centre = a.centre + d.centre * mid_s;
        BallVector::new(centre, a.radius + (mid_s.abs() + g) * d.radius + g * d.centre.length()).plus(&nothing())
    }

    /// `δ` over the interval.
    fn delta_over(&self, h: f64) -> BallVector {
        let BallVector { centre, radius } = self.delta.middle[0];
        BallVector::new(centre, radius + h * self.delta.derivative[0].most())
    }

    /// The normal `N = x_t × δ` and its derivatives over the patch. As `δ` does not depend on `s`: `N_s = δ' × δ`,
    /// `N_ts = δ'' × δ`, `N_ss = 0`.
    pub fn normal(&self, h: f64, mid_s: f64, g: f64) -> Field {
        let delta = self.delta_over(h);
        let [d1, d2, _] = self.delta.derivative;
        let [x1, x2, x3] = [0, 1, 2].map(|n| self.blend(n, mid_s, g));
        let u = x2.cross(&delta).plus(&x1.cross(&d1));
        let v = d1.cross(&delta);
        let middle = self.a.middle[1].plus(&self.delta.middle[1].times(mid_s)).cross(&self.delta.middle[0]);
        Field {
            value: BallVector::new(middle.centre, middle.radius + h * u.most() + g * v.most()),
            u,
            v,
            uu: x3.cross(&delta).plus(&x2.cross(&d1).times(2.0)).plus(&x1.cross(&d2)),
            uv: d2.cross(&delta),
            vv: nothing(),
        }
    }
}

impl Path {
    /// Bounds on the pipe surface (eq. 10) about this path in time and angle; `None` if the path's velocity may vanish.
    ///
    /// The paper uses the Frenet frame, which a straight path does not have. Here `b1` is perpendicular to the path and
    /// to `k`, a coordinate axis far from the path's direction, and `b2` is perpendicular to the path and `b1`. The
    /// surface is the same: all points at the distance of the radius, perpendicular to the path.
    pub fn pipe(&self, radius_m: f64, h: f64, k: DVec3) -> Option<SecondDerivatives> {
        let [c1, c2, c3] = self.derivative;
        let across = |c: &BallVector| c.cross(&BallVector::new(k, 0.0));
        let f_middle = across(&self.middle[1]);
        let f = Field::of_time(f_middle, across(&c2), across(&c3), h);
        let (f0, f1, f2) = (f.value, f.u, f.uu);
        let g1 = c2.cross(&f0).plus(&c1.cross(&f1));
        let g2 = c3.cross(&f0).plus(&c2.cross(&f1).times(2.0)).plus(&c1.cross(&f2));
        let g = Field::of_time(self.middle[1].cross(&f_middle), g1, g2, h);
        let (b1, b2) = (f.unit()?, g.unit()?);
        Some(SecondDerivatives {
            uu: c2.most() + radius_m * b1.uu.hypot(b2.uu),
            uv: radius_m * f.unit_first().hypot(g.unit_first()),
            vv: radius_m,
        })
    }
}

fn nothing() -> BallVector {
    BallVector::new(DVec3::ZERO, 0.0)
}

/// A vector that depends on two parameters, and its derivatives, over a patch.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The vector.
    pub value: BallVector,
    /// First derivative by the first parameter.
    pub u: BallVector,
    /// First derivative by the second parameter.
    pub v: BallVector,
    uu: BallVector,
    uv: BallVector,
    vv: BallVector,
}

impl Field {
    /// A vector that depends only on time, from its value at the middle.
    fn of_time(middle: BallVector, u: BallVector, uu: BallVector, h: f64) -> Self {
        let value = BallVector::new(middle.centre, middle.radius + h * u.most());
        Self { value, u, v: nothing(), uu, uv: nothing(), vv: nothing() }
    }

    /// Second derivatives of the unit vector `n = N/|N|`; `None` if `N` may be near zero.
    ///
    /// With `P = I - n nᵀ`: `n_u = P N_u / |N|`, and differentiating once more
    /// `n_uv = P N_uv / |N| - [(n·N_v) P N_u + (n·N_u) P N_v + n (P N_u · P N_v)] /
    /// |N|²`. The first two terms of the bracket are perpendicular to `n`, the last is along it.
    /// `|P W| = |N × W| / |N|`.
    fn unit(&self) -> Option<SecondDerivatives> {
        let least = self.value.least();
        if !(least > REGULAR * self.value.centre.length()) {
            return None;
        }
        let across = |w: &BallVector| (self.value.cross(w).most() / least).min(w.most());
        let second = |a: &BallVector, b: &BallVector, ab: &BallVector| {
            let [(pa, qa), (pb, qb)] = [(across(a), a.most()), (across(b), b.most())];
            across(ab) / least + (pa * qb + pb * qa).hypot(pa * pb) / (least * least)
        };
        Some(SecondDerivatives {
            uu: second(&self.u, &self.u, &self.uu),
            uv: second(&self.u, &self.v, &self.uv),
            vv: second(&self.v, &self.v, &self.vv),
        })
    }

    /// The first derivative of the unit vector in time.
    fn unit_first(&self) -> f64 {
        let least = self.value.least();
        (self.value.cross(&self.u).most() / least).min(self.u.most()) / least
    }
}
