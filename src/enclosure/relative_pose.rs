//! Bounds on the pose of body `b` in the frame of body `a`, composed from the jets of both in the world.
//!
//! With the poses `x -> P_a x + x_a` and `x -> P_b x + x_b`, the pose of `b` in the frame of `a` has the orientation
//! `P_aᵀ P_b` and the origin `P_aᵀ (x_b - x_a)`; Leibniz' rule gives their derivatives at the middle time. One product
//! replaces the concatenation of all joints between the two.
//!
//! **Remainder.** It is the remainder of the relative motion. Only the joints between the bodies contribute to the
//! third derivative, so it is that of the chain from `a` to `b`
//! ([`RobotMotion::seen_from`](crate::robot::RobotMotion::seen_from)), with its margin and stray.
//!
//! **Rounding.** In the notation of [`pose_bound`](super::pose_bound), let the jets of `a` and `b` have the errors
//! `|||dP|||_F <= s` and `|||dx||| <= c` (slope and constant of [`ChainBounds::rounding`]), `X = X_a + X_b`, and
//! `R = (reach_a + reach_b)(1 + h)`, which bounds `|||x_b - x_a||| e^-X`, because a block may end after the motion.
//! - *Orientation.* `|||d(P_aᵀ P_b)||| <= e^X (s_a + s_b)`, and `27 e^X u` for the product, as for products of joints.
//! - *Origin.* The difference has the error `c_a + c_b + u R e^X`. The product enlarges it by at most `e^X` and adds
//!   `s_a R e^X`, and `27 e^X u R` for its own rounding.
//! - *Point.* Four roundings on `R + √3 |e|`, half a unit for the upload of `e`: `4 u R + 7.5 u |e|`.
//!
//! ```text
//! E(e) = e^X { s_a R + c_a + c_b + 32 u R + (s_a + s_b + 34.5 u) |e| }
//! ```
//!
//! Second-order terms are below `s_a + s_b` of that.
//!
//! **Defects.** `P_aᵀ` is the inverse of `P_a`, and the joints above both bodies cancel, only up to the defects of the
//! stored matrices. `P_aᵀ P_a - 1` is a sum over the joints of `a` of trigonometric polynomials of degree two in
//! `w t` with coefficients of at most `4 · 2⁻⁴⁶`, so the two paths, their derivatives weighted, and the remainder
//! differ by less than `2⁻³⁸ e^(2X) (R + |e|)` per joint.

use super::chain_bounds::{ChainBounds, SCALAR_SLACK};
use super::pose_jet::PoseJet;
use crate::arith::linear::{M3, V3};
use crate::arith::real::Real;

/// Bound on the effect of a joint's defect, relative to the distance of a point.
const DEFECT: f64 = 1.0 / (1u64 << 38) as f64;

impl<T: Real> PoseJet<T> {
    /// The jet of this body in the frame of another one, from the jets of both in the world.
    #[inline(always)]
    pub fn seen_from(&self, frame: &Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (&frame.p, &self.p);
        let d = [self.x[0] - frame.x[0], self.x[1] - frame.x[1], self.x[2] - frame.x[2]];
        let two = T::new(2.0);
        let mut jet = Self::zero();
        // Written out: closures that are not inlined send vectors through memory.
        for i in 0..3 {
            jet.x[0].0[i] = turned_back(a0, i, d[0]);
            jet.x[1].0[i] = turned_back(a1, i, d[0]) + turned_back(a0, i, d[1]);
            let outer = turned_back(a2, i, d[0]) + turned_back(a0, i, d[2]);
            jet.x[2].0[i] = outer + two * turned_back(a1, i, d[1]);
            for j in 0..3 {
                jet.p[0].0[i][j] = column_dot(a0, i, b0, j);
                jet.p[1].0[i][j] = column_dot(a1, i, b0, j) + column_dot(a0, i, b1, j);
                let outer = column_dot(a2, i, b0, j) + column_dot(a0, i, b2, j);
                jet.p[2].0[i][j] = outer + two * column_dot(a1, i, b1, j);
            }
        }
        jet
    }
}

/// Entry `i` of `Pᵀ v`.
#[inline(always)]
fn turned_back<T: Real>(p: &M3<T>, i: usize, v: V3<T>) -> T {
    p.0[0][i] * v.0[0] + p.0[1][i] * v.0[1] + p.0[2][i] * v.0[2]
}

/// Entry `i, j` of `Pᵀ Q`.
#[inline(always)]
fn column_dot<T: Real>(p: &M3<T>, i: usize, q: &M3<T>, j: usize) -> T {
    p.0[0][i] * q.0[0][j] + p.0[1][i] * q.0[1][j] + p.0[2][i] * q.0[2][j]
}

impl ChainBounds {
    /// The ball of the jet of `b` in the frame of `a`, for the bounds `[a, b]` of both bodies in the world, as
    /// `[constant, factor of |e|]`, metres. `self` bounds the chain between the bodies; its margin is included.
    pub fn composed_ball(&self, bodies: [&Self; 2], h: f64, unit: f64) -> [f64; 2] {
        let (r, e) = (self.remainder(h), composed_rounding(bodies, h, unit));
        let [constant, slope] = [r[0] + e[0] + self.stray_m + self.margin_m, r[1] + e[1] + self.stray_slope];
        [constant * SCALAR_SLACK, slope * SCALAR_SLACK]
    }
}

/// Rounding error and defect of the composed jet, as `[constant, factor of |e|]`, metres.
fn composed_rounding([a, b]: [&ChainBounds; 2], h: f64, unit: f64) -> [f64; 2] {
    let ([c_a, s_a], [c_b, s_b]) = (a.rounding(h, unit), b.rounding(h, unit));
    let e_x = (a.turn_within(h) + b.turn_within(h)).exp();
    let far = (a.reach_m + b.reach_m) * (1.0 + h);
    let growth = e_x * (1.0 + 4.0 * (s_a + s_b)) * SCALAR_SLACK;
    let defect = DEFECT * f64::from(a.depth + b.depth) * e_x * e_x;
    let constant = s_a * far + c_a + c_b + 32.0 * unit * far;
    [growth * constant + defect * far, growth * (s_a + s_b + 34.5 * unit) + defect]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JointMotion;
    use crate::robot::RobotMotion;
    use glam::{DMat3, DVec3};

    /// A trunk of two joints with two arms of three.
    fn two_arms() -> RobotMotion {
        let v = DVec3::new;
        let mut m = RobotMotion::default();
        for (parent, u, r, c, s, w) in [
            (None, DVec3::Z, 0.4, v(0.5, -0.2, 0.3), v(0.1, 0.0, 0.0), 1.5),
            (Some(0), DVec3::Y, -0.3, v(0.2, 0.0, 0.4), DVec3::ZERO, -0.75),
            (Some(1), v(0.6, 0.0, 0.8), 0.9, v(0.0, 0.3, 0.1), DVec3::ZERO, 1.25),
            (Some(2), DVec3::X, -1.1, v(0.4, 0.0, 0.0), v(0.0, 0.2, 0.0), -2.0),
            (Some(3), DVec3::Z, 0.2, v(0.3, 0.1, 0.0), DVec3::ZERO, 1.0),
            (Some(1), v(0.0, 0.6, 0.8), -0.5, v(0.0, -0.3, 0.1), DVec3::ZERO, -1.0),
            (Some(5), DVec3::Y, 0.7, v(0.4, 0.0, 0.1), DVec3::ZERO, 0.5),
            (Some(6), DVec3::X, 0.1, v(0.2, 0.0, 0.2), v(0.0, 0.0, -0.1), 1.75),
        ] {
            m.push(parent, JointMotion::from_axis(DMat3::from_axis_angle(DVec3::Y, r), u.normalize(), w, c, s));
        }
        m
    }

    /// Rotation and origin of a body in the world, in plain arithmetic.
    fn world(m: &RobotMotion, body: u32, t: f64) -> (DMat3, DVec3) {
        let joint = &m.joints[body as usize];
        let (s, c) = (joint.w_rad * t).sin_cos();
        let (p, x) = (joint.a * c + joint.b * s + joint.c, joint.origin_m + joint.slide_m * t);
        m.parents[body as usize].map_or((p, x), |parent| {
            let (q, y) = world(m, parent, t);
            (q * p, y + q * x)
        })
    }

    fn seen(m: &RobotMotion, a: u32, b: u32, t: f64, e: DVec3) -> DVec3 {
        let ((pa, xa), (pb, xb)) = (world(m, a, t), world(m, b, t));
        pa.inverse() * (pb * e + xb - xa)
    }

    /// The jets of every body at a time.
    fn jets(m: &RobotMotion, t: f64) -> Vec<PoseJet<f64>> {
        let mut all: Vec<PoseJet<f64>> = Vec::new();
        for (joint, parent) in m.joints.iter().zip(&m.parents) {
            let (sin, cos) = (joint.w_rad * t).sin_cos();
            let own = joint.factors::<f64>().jet(sin, cos, t);
            all.push(parent.map_or(own, |p| all[p as usize].concatenate(&own)));
        }
        all
    }

    /// The distance of a body's point, seen from another body, from the polynomial of the composed jet.
    fn distance(m: &RobotMotion, [a, b]: [u32; 2], [mid, tau]: [f64; 2], e: DVec3) -> f64 {
        let jets = jets(m, mid);
        let jet = jets[b as usize].seen_from(&jets[a as usize]);
        let at = |n: usize| {
            let x = jet.x[n] + jet.p[n].apply(V3::new(e));
            DVec3::from_array(x.0)
        };
        (at(0) + at(1) * tau + at(2) * (tau * tau / 2.0) - seen(m, a, b, mid + tau, e)).length()
    }

    #[test]
    fn paths_stay_in_the_ball_of_the_composed_jet() {
        let m = two_arms();
        let e = DVec3::new(0.2, -0.1, 0.15);
        let (mut largest, mut balls) = (0f64, 0);
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let path = m.seen_from(a, b, e.length());
            for h in [1.0 / 64.0, 1.0 / 16.0, 0.25] {
                let bodies = [a, b].map(|body| &m.chains[body as usize]);
                let [c, slope] = path.chains.last().unwrap().composed_ball(bodies, h, f64::UNIT);
                let ball = c + slope * e.length();
                for step in -4..=4 {
                    let far = distance(&m, [a, b], [0.4, h * f64::from(step) / 4.0], e);
                    assert!(far <= ball, "{a} {b} h {h}: {far:e} > {ball:e}");
                    largest = largest.max(far / ball);
                }
                balls += 1;
            }
        }
        // The remainder of a long interval is nearly attained, so the test detects a smaller one.
        assert!(largest > 0.1 && balls == 56 * 3, "{largest}");
    }

    /// Without the path's remainder the ball is too small.
    #[test]
    fn the_remainder_is_needed() {
        let m = two_arms();
        let e = DVec3::new(0.2, -0.1, 0.15);
        let bodies = [4, 7].map(|body: usize| &m.chains[body]);
        let [c, slope] = composed_rounding(bodies, 0.25, f64::UNIT);
        assert!(distance(&m, [4, 7], [0.4, 0.25], e) > c + slope * e.length());
    }

    /// A motion that both bodies share does not widen the remainder.
    #[test]
    fn shared_motion_does_not_widen_the_remainder() {
        let mut m = two_arms();
        let before = m.seen_from(4, 7, 0.3).chains.last().unwrap().remainder(0.1);
        let mut joint = m.joints[0];
        joint.w_rad = 30.0;
        let parts: Vec<_> = m.parents.iter().copied().zip(m.joints.iter().copied()).collect();
        m = RobotMotion::default();
        for (i, (parent, of)) in parts.into_iter().enumerate() {
            m.push(parent, if i == 0 { joint } else { of });
        }
        assert_eq!(m.seen_from(4, 7, 0.3).chains.last().unwrap().remainder(0.1), before);
    }
}
