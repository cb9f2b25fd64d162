//! The motion of a body in the frame of another one.
//!
//! Let `M_i: x -> P_i(t) x + T_i(t)` be the motion of body `i` in its parent, `a_0 = a, a_1, …, a_{k-1}` the bodies
//! from `a` up to the child of the nearest common ancestor, and `z_1, …, z_m = b` those from the other child of that
//! ancestor down to `b`. Since `M⁻¹ = (Pᵀ, 0) ∘ (1, -T)`, the pose of `b` in the frame of `a` is the product of the
//! joints
//!
//! ```text
//! joint 0        P = P_{a_0}ᵀ          T = 0
//! joint i < k    P = P_{a_i}ᵀ          T = -T_{a_{i-1}}
//! joint k        P = P_{z_1}           T = T_{z_1} - T_{a_{k-1}}
//! joint k + j    P = P_{z_{j+1}}       T = T_{z_{j+1}}
//! ```
//!
//! which have the form of a [`JointMotion`]: `Pᵀ(t) = cos(w t) Aᵀ + sin(w t) Bᵀ + Cᵀ`. If `b` is the common ancestor,
//! the chain ends with `P = 1, T = -T_{a_{k-1}}`. Joints above the common ancestor do not appear, so a motion that both
//! bodies share does not widen any bound.
//!
//! `Pᵀ` is the inverse of `P` only up to the defect of the stored matrices from rotations: `||PᵀP - 1|| <= 2 defect`,
//! so for a point at distance `r` the two differ by at most `2 defect r` per inverted joint. The
//! [computed defect](JointMotion::defect) is a norm of products of matrices with norms of at most 1 and rounds by less
//! than eight units. The difference of offsets in joint `k` rounds by `2⁻⁵²` of their lengths at most. All of this is
//! in [`ChainBounds::stray_m`](crate::enclosure::chain_bounds::ChainBounds).

use crate::enclosure::chain_bounds::Deviation;
use crate::robot::RobotMotion;
use crate::robot::joint_motion::JointMotion;
use crate::robot::phase::Phase;
use glam::{DMat3, DVec3};

/// Bound on the rounding of a computed defect.
const DEFECT_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Bound on the rounding of a difference of offsets, relative to their lengths.
const DIFFERENCE_ROUNDING: f64 = 2.0 * f64::EPSILON;

impl RobotMotion {
    /// The motion of body `b` in the frame of body `a`, as a chain whose last body is `b`. It is valid for points of
    /// `b` within `reach_m` of the body's origin. The two bodies must differ.
    pub fn seen_from(&self, a: u32, b: u32, reach_m: f64) -> Self {
        let mut chain = Self::default();
        chain.set_seen_from(self, a, b, reach_m);
        chain
    }

    /// Replaces the motion by that of body `b` in the frame of body `a` of another motion, keeping its memory.
    pub fn set_seen_from(&mut self, of: &Self, a: u32, b: u32, reach_m: f64) {
        let (up, down) = (of.path_to_root(a), of.path_to_root(b));
        let shared = up.iter().rev().zip(down.iter().rev()).take_while(|(x, y)| x == y).count();
        let (up, down) = (&up[..up.len() - shared], &down[..down.len() - shared]);
        self.clear();
        if !of.phases.is_empty() {
            return self.set_phased(of, (up, down), b, reach_m);
        }
        let (mut origin_m, mut slide_m, mut inverse_defect) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        // A joint's offset, and with it the offset's deviation, belongs to the next joint of the inverted part.
        let mut strayed_m = 0.0;
        for &body in up {
            let (joint, defect) = (&of.joints[body as usize], of.defects[body as usize]);
            let deviation = of.deviations[body as usize];
            inverse_defect += 2.0 * (defect + DEFECT_ROUNDING);
            let inverse = inverted(joint, -origin_m, -slide_m);
            self.append(inverse, defect, Deviation { slide_m: strayed_m, ..deviation });
            (origin_m, slide_m, strayed_m) = (joint.origin_m, joint.slide_m, deviation.slide_m);
        }
        let mut rounded_m = 0.0;
        for (i, &body) in down.iter().rev().enumerate() {
            let (mut joint, defect) = (of.joints[body as usize], of.defects[body as usize]);
            let mut deviation = of.deviations[body as usize];
            if i == 0 && !up.is_empty() {
                rounded_m = length(&joint) + origin_m.length() + slide_m.length();
                (joint.origin_m, joint.slide_m) = (joint.origin_m - origin_m, joint.slide_m - slide_m);
                deviation.slide_m += strayed_m;
            }
            self.append(joint, defect, deviation);
        }
        if down.is_empty() {
            let last = JointMotion::from_axis(DMat3::IDENTITY, DVec3::Z, 0.0, -origin_m, -slide_m);
            self.append(last, 0.0, Deviation { turn_rad: 0.0, slide_m: strayed_m });
        }
        let margin_m = of.chains.get(b as usize).map_or(0.0, |chain| chain.margin_m);
        if let Some(last) = self.chains.last_mut() {
            let far_m = last.reach_m + reach_m;
            last.stray_m += 1.01 * inverse_defect * far_m + DIFFERENCE_ROUNDING * rounded_m;
            last.margin_m = margin_m;
        }
    }

    /// The same for joints with phases. A sliding offset has the phase of its own joint, so it becomes a separate joint
    /// before the one to which it would otherwise belong.
    fn set_phased(&mut self, of: &Self, (up, down): (&[u32], &[u32]), b: u32, reach_m: f64) {
        let (mut inverse_defect, mut before) = (0.0, None);
        for &body in up {
            let (joint, deviation) = (&of.joints[body as usize], of.deviations[body as usize]);
            let defect = of.defects[body as usize];
            inverse_defect += 2.0 * (defect + DEFECT_ROUNDING);
            self.append_offset_back(of, before);
            let inverse = inverted(joint, DVec3::ZERO, DVec3::ZERO);
            self.append_phased(inverse, defect, Deviation { slide_m: 0.0, ..deviation }, *of.phase(body as usize));
            before = Some(body);
        }
        self.append_offset_back(of, before);
        for &body in down.iter().rev() {
            let i = body as usize;
            self.append_phased(of.joints[i], of.defects[i], of.deviations[i], *of.phase(i));
        }
        let margin_m = of.chains.get(b as usize).map_or(0.0, |chain| chain.margin_m);
        if let Some(last) = self.chains.last_mut() {
            last.stray_m += 1.01 * inverse_defect * (last.reach_m + reach_m);
            last.margin_m = margin_m;
        }
    }

    /// Appends the opposite of a joint's offset.
    fn append_offset_back(&mut self, of: &Self, body: Option<u32>) {
        let Some(i) = body.map(|body| body as usize) else { return };
        let (joint, slide_m) = (&of.joints[i], of.deviations[i].slide_m);
        let back = JointMotion::from_axis(DMat3::IDENTITY, DVec3::Z, 0.0, -joint.origin_m, -joint.slide_m);
        self.append_phased(back, 0.0, Deviation { turn_rad: 0.0, slide_m }, *of.phase(i));
    }

    /// A body and all of its ancestors, upwards.
    fn path_to_root(&self, body: u32) -> Vec<u32> {
        std::iter::successors(Some(body), |&body| self.parents[body as usize]).collect()
    }

    /// Appends a joint to the end of a chain.
    fn append(&mut self, joint: JointMotion, defect: f64, deviation: Deviation) {
        let parent = (self.joints.len() as u32).checked_sub(1);
        self.push_known(parent, joint, defect, deviation);
    }
}

impl RobotMotion {
    /// Appends a joint with a phase to the end of a chain.
    fn append_phased(&mut self, joint: JointMotion, defect: f64, deviation: Deviation, phase: Phase) {
        let parent = (self.joints.len() as u32).checked_sub(1);
        self.push_phased(parent, joint, defect, deviation, phase);
    }
}

/// The inverse rotation of a joint, with another offset.
fn inverted(joint: &JointMotion, origin_m: DVec3, slide_m: DVec3) -> JointMotion {
    let [a, b, c] = [joint.a, joint.b, joint.c].map(|m| m.transpose());
    JointMotion { a, b, c, origin_m, slide_m, w_rad: joint.w_rad }
}

fn length(joint: &JointMotion) -> f64 {
    joint.origin_m.length() + joint.slide_m.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::linear::V3;
    use crate::arith::real::Real;
    use crate::enclosure::pose_bound::PoseEnclosure;

    /// The reference chain "C4", to whose first body a branch of two joints is attached.
    fn branched() -> RobotMotion {
        let r4 = DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y);
        let v = DVec3::new;
        let mut m = RobotMotion::default();
        for (parent, u, r, c, s, w) in [
            (None, DVec3::Z, DMat3::IDENTITY, v(0.0, 0.0, 0.3), DVec3::ZERO, 0.5),
            (Some(0), DVec3::Y, DMat3::IDENTITY, v(0.5, 0.0, 0.0), v(0.0, 0.0, 0.25), -1.25),
            (Some(1), DVec3::Z, DMat3::IDENTITY, v(0.25, 0.125, 0.0), v(0.5, 0.0, 0.0), 0.0),
            (Some(2), v(0.6, 0.0, 0.8), r4, v(0.375, 0.0, 0.0), DVec3::ZERO, 2.0),
            (Some(0), DVec3::X, DMat3::from_rotation_y(0.7), v(-0.5, 0.25, 0.1), v(0.1, 0.0, -0.2), 0.75),
            (Some(4), v(0.0, 0.6, 0.8), DMat3::from_rotation_z(-0.4), v(0.3, 0.0, 0.2), DVec3::ZERO, -1.5),
        ] {
            m.push(parent, JointMotion::from_axis(r, u, w, c, s));
        }
        m
    }

    /// Pose of a body in the world: rotation and origin, in plain arithmetic.
    fn world(m: &RobotMotion, body: u32, t: f64) -> (DMat3, DVec3) {
        let joint = &m.joints[body as usize];
        let (s, c) = (joint.w_rad * t).sin_cos();
        let (p, x) = (joint.a * c + joint.b * s + joint.c, joint.origin_m + joint.slide_m * t);
        match m.parents[body as usize] {
            None => (p, x),
            Some(parent) => {
                let (q, y) = world(m, parent, t);
                (q * p, y + q * x)
            }
        }
    }

    fn expected(m: &RobotMotion, a: u32, b: u32, t: f64, e: DVec3) -> DVec3 {
        let ((pa, xa), (pb, xb)) = (world(m, a, t), world(m, b, t));
        pa.transpose() * (pb * e + xb - xa)
    }

    #[test]
    fn points_agree_with_inverted_poses() {
        let m = branched();
        let e = DVec3::new(0.1, 0.2, -0.3);
        for a in 0..6 {
            for b in (0..6).filter(|&b| b != a) {
                let seen = m.seen_from(a, b, 1.0);
                let last = seen.joints.len() as u32 - 1;
                for t in [0.0, 0.375, 1.0] {
                    let p = seen.body_bound(last, t, 0.0).point(V3::new(e), e.length()).c[0];
                    let difference = DVec3::from_array(p.0) - expected(&m, a, b, t, e);
                    assert!(difference.length() < 1e-15 * 8.0, "{a} {b} {t}: {difference}");
                }
            }
        }
    }

    /// Jets and interval matrices of the chain contain the path of a point over an interval.
    #[test]
    fn bounds_contain_the_path() {
        let m = branched();
        let (e, mid, h) = (DVec3::new(0.1, 0.2, -0.3), 0.375, 0.0625);
        for (a, b) in [(3, 5), (5, 3), (5, 0), (0, 5), (4, 1)] {
            let seen = m.seen_from(a, b, 1.0);
            for form in [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix] {
                let mut bounds = Vec::new();
                seen.bounds(form, mid, h, &mut bounds);
                let point = bounds.last().unwrap().point(V3::new(e), e.length());
                for step in -8..=8 {
                    let tau = h * f64::from(step) / 8.0;
                    let at = expected(&m, a, b, mid + tau, e);
                    for i in 0..3 {
                        let c = [point.c[0].0[i], point.c[1].0[i], point.c[2].0[i]];
                        let centre = c[0] + tau * (c[1] + 0.5 * tau * c[2]);
                        assert!((at[i] - centre).abs() <= point.ball + point.cube.0[i], "{a} {b} {form:?} {tau}");
                    }
                }
            }
        }
    }

    /// Stored matrices that are rotations only up to the accepted defect: the transposed chain differs from the inverse
    /// by more than it rounds, and the ball contains the difference.
    #[test]
    fn balls_contain_the_defects_of_inverted_joints() {
        let mut m = branched();
        let defect = 0.9 / (1u64 << 47) as f64;
        for joint in &mut m.joints {
            (joint.a, joint.b, joint.c) =
                (joint.a * (1.0 + defect), joint.b * (1.0 + defect), joint.c * (1.0 + defect));
            assert!(joint.is_rigid());
        }
        m.defects = m.joints.iter().map(JointMotion::defect).collect();
        // Far away the defect is larger than any rounding.
        let e = DVec3::new(3000.0, -2000.0, 1000.0);
        let seen = m.seen_from(3, 5, e.length());
        let last = seen.joints.len() as u32 - 1;
        let mut largest: f64 = 0.0;
        for t in [0.0, 0.375, 1.0] {
            let ((pa, xa), (pb, xb)) = (world(&m, 3, t), world(&m, 5, t));
            let inverse = pa.inverse() * (pb * e + xb - xa);
            let point = seen.body_bound(last, t, 0.0).point(V3::new(e), e.length());
            let off = (DVec3::from_array(point.c[0].0) - inverse).length();
            assert!(off <= point.ball, "{off:e} beyond {:e}", point.ball);
            let rounding = seen.chains[last as usize].rounding(0.0, f64::UNIT);
            largest = largest.max(off / (rounding[0] + rounding[1] * e.length()));
        }
        assert!(largest > 1.0, "the defect is hidden by the allowance for rounding: {largest}");
    }

    /// Joints that deviate, seen from another body: every point is in the ball, and some use a quarter of it.
    #[test]
    fn balls_contain_joints_that_deviate() {
        let of = |body: usize| match body {
            2 => Deviation { turn_rad: 0.0, slide_m: 0.02 },
            _ => Deviation { turn_rad: 0.01, slide_m: 0.0 },
        };
        contain_joints_that_deviate(of, 0.25);
        // One joint alone, so that no other one's deviation hides what is missing.
        for one in 0..6 {
            for (turn_rad, slide_m) in [(0.01, 0.0), (0.0, 0.02)] {
                let none = Deviation { turn_rad: 0.0, slide_m: 0.0 };
                let of = |body| if body == one { Deviation { turn_rad, slide_m } } else { none };
                contain_joints_that_deviate(of, 0.0);
            }
        }
    }

    fn contain_joints_that_deviate(of: impl Fn(usize) -> Deviation, share: f64) {
        let m = branched();
        let mut bounded = m.clone();
        bounded.set_deviations((0..6).map(&of));
        let axes = [DVec3::Z, DVec3::Y, DVec3::X, DVec3::new(0.6, 0.0, 0.8), DVec3::X, DVec3::new(0.0, 0.6, 0.8)];
        let e = DVec3::new(0.1, 0.2, -0.3);
        for (a, b) in [(3, 5), (5, 3), (5, 0), (0, 5), (3, 0), (3, 1), (1, 3)] {
            let mut largest = 0f64;
            for signs in 0..64u32 {
                let mut moved = m.clone();
                for (i, joint) in moved.joints.iter_mut().enumerate() {
                    let sign = if signs >> i & 1 == 0 { 1.0 } else { -1.0 };
                    let turn = DMat3::from_axis_angle(axes[i], sign * of(i).turn_rad);
                    [joint.a, joint.b, joint.c] = [joint.a, joint.b, joint.c].map(|part| turn * part);
                    joint.origin_m += axes[i] * sign * of(i).slide_m;
                }
                let seen = bounded.seen_from(a, b, 1.0);
                let point = seen.body_bound(seen.joints.len() as u32 - 1, 0.375, 0.0).point(V3::new(e), e.length());
                let far = (DVec3::from_array(point.c[0].0) - expected(&moved, a, b, 0.375, e)).length();
                assert!(far <= point.ball, "{a} {b}: {far} beyond {}", point.ball);
                largest = largest.max(far / point.ball);
            }
            assert!(largest >= share, "{a} {b}: {largest}");
        }
    }

    /// Published positions of the chain "C4" at `t = 0.375`: a point of link 2 in the frame of link 4, and the reverse
    /// direction along the whole chain.
    #[test]
    fn only_joints_between_the_bodies_count() {
        let m = branched();
        let seen = m.seen_from(3, 1, 1.0);
        let p = seen.body_bound(seen.joints.len() as u32 - 1, 0.375, 0.0).point(V3([0.1, 0.2, 0.3]), 1.0).c[0];
        for (x, y) in p.0.into_iter().zip([-0.510615, 0.14858625, -0.56610574]) {
            assert!((x - y).abs() < 1e-8, "{p:?}");
        }
        // Body 0 turns by half a radian; nothing that both bodies share is in the bounds.
        let last = m.seen_from(3, 5, 1.0).chains.last().copied().unwrap();
        assert_eq!(last.derivatives.omega[0], 2.0 + 0.0 + 1.25 + 0.75 + 1.5);
        assert_eq!(m.seen_from(1, 3, 1.0).chains.last().unwrap().derivatives.omega[0], 2.0);
        assert_eq!(m.seen_from(1, 3, 1.0).chains.last().unwrap().stray_m, 0.0);
    }
}
