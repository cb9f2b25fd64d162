//! The in-between motion of one joint (Redon et al. 2004, section 3.3): constant rate of rotation about a fixed axis of
//! the parent's frame, constant velocity of the origin.

use crate::arith::linear::{M3, V3};
use crate::arith::real::Real;
use crate::arith::trig::{MAX_ANGLE_RAD, sin_cos};
use crate::arith::vectors::{WIDTH, widest};
use crate::enclosure::chain_bounds::JointBounds;
use crate::enclosure::pose_jet::JointFactors;
use crate::error::{Error, Result, quoted};
use crate::robot::joint_matrices::{JointMatrices, SideBySide, columns, matrix, turned};
use crate::robot::phase::{Parts, Phase};
use crate::robot::trajectory::MAX_DEGREE;
use crate::robot::{Joint, JointKind};
use crate::scene::world::MAX_COORDINATE_M;
use glam::{DMat3, DQuat, DVec3};

/// Largest accepted deviation of the norm of a free joint's quaternion from 1.
pub const QUATERNION_TOLERANCE: f64 = 1e-6;

/// Largest accepted deviation of a stored rotation from a rigid one: the bounds do not cover a larger defect.
const MAX_DEFECT: f64 = 1.0 / (1u64 << 46) as f64;
/// Greatest distance in time from the middle of a pose bound to the ends of the time in which it is used: that of a
/// block of 8 sub-intervals in a motion of one piece, if a piece has 8.
const MAX_REACH: f64 = 9.0 / 16.0;

/// The motion of a link in its parent's frame: `x -> (cos(w t) A + sin(w t) B + C) x + (origin + t slide)`, `t` in
/// `[0, 1]`.
///
/// The motion **is** this function of the stored numbers, taken as exact; the joint values only serve to compute them.
/// `w` is not wrapped: two turns are two turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMotion {
    /// `A = R - u uᵀ R` (eq. 4), `R` the orientation at `t = 0`, `u` the axis in the parent's frame.
    pub a: DMat3,
    /// `B = u* R`.
    pub b: DMat3,
    /// `C = u uᵀ R`.
    pub c: DMat3,
    /// Position at `t = 0`, metres.
    pub origin_m: DVec3,
    /// Displacement over the motion, metres.
    pub slide_m: DVec3,
    /// Angle over the motion, radians.
    pub w_rad: f64,
}

impl JointMotion {
    /// A motion that is not yet set.
    pub(super) const UNSET: Self = Self {
        a: DMat3::ZERO,
        b: DMat3::ZERO,
        c: DMat3::ZERO,
        origin_m: DVec3::ZERO,
        slide_m: DVec3::ZERO,
        w_rad: 0.0,
    };

    /// The motion of `joint` between two configurations.
    ///
    /// # Errors
    /// An angle of more than [`MAX_ANGLE_RAD`], a position beyond [`MAX_COORDINATE_M`], or a quaternion whose norm is
    /// not 1.
    pub fn new(joint: &Joint, q0: &[f64], q1: &[f64]) -> Result<Self> {
        let AxisMotion { r, u, w_rad, origin_m, slide_m } = AxisMotion::new(joint, q0, q1)?;
        Ok(Self::from_axis(r, u, w_rad, origin_m, slide_m))
    }

    /// The motion from its paper parameters; `r` is made orthonormal and `u` a unit vector.
    pub fn from_axis(r: DMat3, u: DVec3, w_rad: f64, origin_m: DVec3, slide_m: DVec3) -> Self {
        let JointMatrices { a, b, c } = JointMatrices::<f64>::new(columns(&r), V3::new(u));
        Self::from_matrices([matrix(a), matrix(b), matrix(c)], &AxisMotion { r, u, w_rad, origin_m, slide_m })
    }

    /// Replaces the motions of up to eight joints by those between two configurations. Returns the
    /// [`defect`](Self::defect) of each.
    ///
    /// # Errors
    /// As [`JointMotion::new`].
    pub(super) fn set_all<'j>(
        motions: &mut [Self],
        joints: impl Iterator<Item = &'j Joint>,
        [q0, q1]: [&[f64]; 2],
    ) -> Result<[f64; WIDTH]> {
        let mut axes = SideBySide::REST;
        for (i, (motion, joint)) in motions.iter_mut().zip(joints).enumerate() {
            let (axis, turned_rad) = AxisMotion::in_joint_frame(joint, q0, q1)?;
            axes.set(i, &axis, turned_rad);
            (motion.origin_m, motion.slide_m, motion.w_rad) = (axis.origin_m, axis.slide_m, axis.w_rad);
        }
        let entries = widest(&axes);
        for (i, motion) in motions.iter_mut().enumerate() {
            [motion.a, motion.b, motion.c] = entries.matrices(i);
        }
        Ok(entries.defects)
    }

    fn from_matrices([a, b, c]: [DMat3; 3], axis: &AxisMotion) -> Self {
        Self { a, b, c, origin_m: axis.origin_m, slide_m: axis.slide_m, w_rad: axis.w_rad }
    }

    /// The motion of `joint` between two configurations along a curve, given by the Bernstein coefficients of each
    /// column: a function of the phase. A free joint moves straight.
    ///
    /// # Errors
    /// As [`JointMotion::new`].
    pub fn along<'c>(
        joint: &Joint,
        [q0, q1]: [&[f64]; 2],
        curve: impl Fn(usize) -> &'c [f64],
    ) -> Result<(Self, Phase)> {
        let (k, origin) = (joint.orientation, joint.origin_m);
        let (JointKind::Revolute { axis, drive } | JointKind::Prismatic { axis, drive }) = joint.kind else {
            return Ok((Self::new(joint, q0, q1)?, Phase::TIME));
        };
        let of = curve(drive.column as usize);
        let start = drive.multiplier * of[0] + drive.offset;
        let mut phase = [0.0; MAX_DEGREE + 1];
        let phase = &mut phase[..of.len()];
        for (s, b) in phase.iter_mut().zip(of) {
            *s = drive.multiplier * (b - of[0]);
        }
        let is_turn = matches!(joint.kind, JointKind::Revolute { .. });
        for s in &*phase {
            match is_turn {
                true => within_turns(joint, start, *s)?,
                false => within_reach(joint, start).and_then(|()| within_reach(joint, start + s))?,
            }
        }
        let moves = f64::from(u8::from(phase.iter().any(|s| *s != 0.0)));
        let motion = match is_turn {
            true => Self::from_axis(k * rotation(axis, start), k * axis, moves, origin, DVec3::ZERO),
            false => Self::from_axis(k, DVec3::Z, 0.0, origin + k * axis * start, k * axis * moves),
        };
        Ok((motion, if moves > 0.0 { Phase::new(phase) } else { Phase::TIME }))
    }

    /// Bounds on the motion with a phase.
    pub fn bounds(&self, phase: &Phase) -> JointBounds {
        let ([lo, hi], rates) = (phase.range(), phase.rates());
        let (start, slide, w) = (self.origin_m.length(), self.slide_m.length(), self.w_rad.abs());
        let offset = |s: f64| if slide == 0.0 { start } else { (self.origin_m + self.slide_m * s).length() };
        let of_phase = match phase.degree() {
            0 | 1 => 2.0 * MAX_REACH,
            _ => hi.max(-lo) + MAX_REACH * (rates[0] + 0.5 * MAX_REACH * rates[1]),
        };
        JointBounds {
            turn_rad: rates.map(|r| w * r),
            offset_max_m: offset(lo).max(offset(hi)),
            offset_sum_m: start + slide * of_phase,
            slide_m: rates.map(|r| slide * r),
            degree: phase.degree() as u32,
        }
    }

    /// Bounds on the derivatives of its angle, radians, and of its offset, metres, in the parts of the time.
    pub fn rates_in_parts(&self, phase: &Phase) -> [[Parts; 3]; 2] {
        let (slide, w) = (Parts::new(self.slide_m.length()), Parts::new(self.w_rad.abs()));
        let rates = phase.rates_in_parts();
        [rates.map(|r| w * r), rates.map(|r| slide * r)]
    }

    /// A bound on the deviation of `P(t)` from a rotation, for every `t`: `||P(t)|| <= 1 + defect`.
    pub fn defect(&self) -> f64 {
        JointMatrices { a: columns(&self.a), b: columns(&self.b), c: columns(&self.c) }.defect()
    }

    /// Returns whether the stored matrices are as close to rotations as the bounds assume.
    pub fn is_rigid(&self) -> bool {
        Self::is_small(self.defect())
    }

    /// Returns whether a [`defect`](Self::defect) is within the limit that the bounds assume.
    pub fn is_small(defect: f64) -> bool {
        defect <= MAX_DEFECT
    }

    /// The same numbers in another arithmetic, each rounded once.
    #[inline(always)]
    pub fn factors<T: Real>(&self) -> JointFactors<T> {
        JointFactors {
            a: M3::new(self.a),
            b: M3::new(self.b),
            c: M3::new(self.c),
            origin: V3::new(self.origin_m),
            slide: V3::new(self.slide_m),
            w: T::new(self.w_rad),
        }
    }
}

/// The paper parameters of a joint motion: a turn by `w_rad` about the axis `u` of the parent's frame, starting with
/// the orientation `r`, and a displacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisMotion {
    pub r: DMat3,
    pub u: DVec3,
    pub w_rad: f64,
    pub origin_m: DVec3,
    pub slide_m: DVec3,
}

/// The parameters of a joint motion with the orientation `r` and the axis `u` of the joint's own frame; if the joint
/// turns, it has turned by the given angle before, radians.
pub(super) type InJointFrame = (AxisMotion, Option<f64>);

impl AxisMotion {
    /// No motion.
    pub const REST: Self =
        Self { r: DMat3::IDENTITY, u: DVec3::Z, w_rad: 0.0, origin_m: DVec3::ZERO, slide_m: DVec3::ZERO };

    /// The motion of `joint` between two configurations; errors as in [`JointMotion::new`].
    pub fn new(joint: &Joint, q0: &[f64], q1: &[f64]) -> Result<Self> {
        let (motion, turned_rad) = Self::in_joint_frame(joint, q0, q1)?;
        let Self { r, u, .. } = motion;
        Ok(turned_rad.map_or(motion, |angle| Self { r: r * rotation(u, angle), u: r * u, ..motion }))
    }

    /// The same in the joint's own frame.
    #[inline]
    pub fn in_joint_frame(joint: &Joint, q0: &[f64], q1: &[f64]) -> Result<InJointFrame> {
        let (k, origin) = (joint.orientation, joint.origin_m);
        let straight = |origin_m, slide_m| (Self { r: k, origin_m, slide_m, ..Self::REST }, None);
        match joint.kind {
            JointKind::Fixed => Ok(straight(origin, DVec3::ZERO)),
            JointKind::Revolute { axis, drive } => {
                let (v0, v1) = (drive.value(q0), drive.value(q1));
                within_turns(joint, v0, v1 - v0)?;
                Ok((Self { r: k, u: axis, w_rad: v1 - v0, origin_m: origin, slide_m: DVec3::ZERO }, Some(v0)))
            }
            JointKind::Prismatic { axis, drive } => {
                let (v0, v1) = (drive.value(q0), drive.value(q1));
                [v0, v1].into_iter().try_for_each(|v| within_reach(joint, v))?;
                let along = k * axis;
                Ok(straight(origin + along * v0, along * (v1 - v0)))
            }
            JointKind::Free { first_column } => {
                let f = first_column as usize;
                let ((c0, r0), (c1, r1)) = (free_pose(joint, &q0[f..f + 7])?, free_pose(joint, &q1[f..f + 7])?);
                let (axis, w_rad) = axis_angle(r1 * r0.conjugate());
                let r = k * DMat3::from_quat(r0);
                Ok((Self { r, u: k * axis, w_rad, origin_m: origin + k * c0, slide_m: k * (c1 - c0) }, None))
            }
        }
    }
}

/// Rotation by `angle_rad` about a unit axis, with the engine's own sine and cosine: the same bits on every system.
pub fn rotation(axis: DVec3, angle_rad: f64) -> DMat3 {
    let ((sin, cos), axis) = (sin_cos(angle_rad), V3::new(axis));
    matrix([DVec3::X, DVec3::Y, DVec3::Z].map(|e| turned(axis, V3::new(e), sin, cos)))
}

/// Position and orientation of a free joint from its seven columns.
fn free_pose(joint: &Joint, q: &[f64]) -> Result<(DVec3, DQuat)> {
    let r = DQuat::from_xyzw(q[3], q[4], q[5], q[6]);
    let norm = r.length();
    if !((norm - 1.0).abs() <= QUATERNION_TOLERANCE) {
        let message = format!("its quaternion has the length {norm}, not 1");
        return Err(Error::input(message).at(format!("joint {}", quoted(&joint.name))));
    }
    q[..3].iter().try_for_each(|&x| within_reach(joint, x))?;
    Ok((DVec3::new(q[0], q[1], q[2]), r.normalize()))
}

/// Refuses an angle, or a turn from it, beyond the range of the engine's sine.
fn within_turns(joint: &Joint, start_rad: f64, turn_rad: f64) -> Result<()> {
    if start_rad.abs() <= MAX_ANGLE_RAD && turn_rad.abs() <= MAX_ANGLE_RAD {
        return Ok(());
    }
    let message = format!("an angle of more than 2^20 radians ({start_rad:?} to {:?})", start_rad + turn_rad);
    Err(Error::input(message).at(format!("joint {}", quoted(&joint.name))))
}

/// Refuses a length beyond the range of the bounds; far beyond it numbers overflow.
fn within_reach(joint: &Joint, length_m: f64) -> Result<()> {
    if length_m.abs() <= MAX_COORDINATE_M {
        return Ok(());
    }
    let message = format!("a position of {length_m:?} m, beyond {MAX_COORDINATE_M} m");
    Err(Error::input(message).at(format!("joint {}", quoted(&joint.name))))
}

/// Axis and angle in `[0, π]` of a unit quaternion. For a half turn, where both `u` and `-u` are correct, the first
/// nonzero component of the axis is positive.
fn axis_angle(q: DQuat) -> (DVec3, f64) {
    let (mut w, mut v) = (q.w, DVec3::new(q.x, q.y, q.z));
    let first = [v.x, v.y, v.z].into_iter().find(|&x| x != 0.0).unwrap_or(1.0);
    if w < 0.0 || (w == 0.0 && first < 0.0) {
        (w, v) = (-w, -v);
    }
    let n = v.length();
    if n < 1e-150 { (DVec3::Z, 0.0) } else { ((v / n).normalize(), 2.0 * n.atan2(w)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::Drive;

    fn pose(m: &JointMotion, t: f64) -> (DMat3, DVec3) {
        let (s, c) = sin_cos(m.w_rad * t);
        (m.a * c + m.b * s + m.c, m.origin_m + m.slide_m * t)
    }

    fn near(a: DMat3, b: DMat3) -> bool {
        a.abs_diff_eq(b, 1e-14)
    }

    #[test]
    fn a_revolute_joint_runs_linearly_and_does_not_wrap() {
        let k = DMat3::from_euler(glam::EulerRot::XYZ, 0.3, -0.7, 1.1);
        let kind = JointKind::Revolute { axis: DVec3::new(0.6, 0.0, 0.8), drive: Drive::direct(0) };
        let joint = Joint { name: "j".into(), orientation: k, origin_m: DVec3::new(1.0, 2.0, 3.0), kind };
        let m = JointMotion::new(&joint, &[0.5], &[0.5 + 14.0]).unwrap();
        assert_eq!(m.w_rad, 14.0);
        assert!(m.defect() < 4e-15 && m.is_rigid());
        for t in [0.0, 0.25, 1.0] {
            let expected = k * DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.5 + 14.0 * t);
            assert!(near(pose(&m, t).0, expected));
            assert_eq!(pose(&m, t).1, DVec3::new(1.0, 2.0, 3.0));
        }
        assert!(JointMotion::new(&joint, &[0.0], &[2e6]).is_err());
    }

    #[test]
    fn a_free_joint_reaches_both_ends() {
        let kind = JointKind::Free { first_column: 0 };
        let joint = Joint { name: "f".into(), orientation: DMat3::from_rotation_x(0.4), origin_m: DVec3::X, kind };
        let (r0, r1) = (DQuat::from_rotation_y(2.0), DQuat::from_axis_angle(DVec3::new(0.0, 0.6, 0.8), -2.5));
        let q = |c: DVec3, r: DQuat| [c.x, c.y, c.z, r.x, r.y, r.z, r.w];
        let (c0, c1) = (DVec3::new(1.0, 0.0, 2.0), DVec3::new(-1.0, 3.0, 2.5));
        for sign in [1.0, -1.0] {
            let m = JointMotion::new(&joint, &q(c0, r0), &q(c1, r1 * sign)).unwrap();
            assert!((0.0..=std::f64::consts::PI).contains(&m.w_rad));
            let k = joint.orientation;
            for (t, c, r) in [(0.0, c0, r0), (1.0, c1, r1)] {
                let (p, x) = pose(&m, t);
                assert!(near(p, k * DMat3::from_quat(r)) && x.abs_diff_eq(DVec3::X + k * c, 1e-14));
            }
        }
        assert!(JointMotion::new(&joint, &q(c0, r0 * 1.001), &q(c1, r1)).is_err());
    }

    /// Blocks of sub-intervals in a motion of one piece, of 8 and of 16: the bound on a sliding offset covers their
    /// middles and reaches.
    #[test]
    fn the_sum_of_offsets_covers_the_longest_blocks() {
        let slide = JointMotion::from_axis(DMat3::IDENTITY, DVec3::Z, 0.0, DVec3::X, DVec3::X * 2.0);
        let bound_m = slide.bounds(&Phase::TIME).offset_sum_m;
        for subs in [8, 16] {
            let h = 0.5 / f64::from(subs);
            for len in [2, 4, 8, 16].into_iter().filter(|len| *len <= subs) {
                for first in (0..subs).step_by(len as usize) {
                    let (middle, reach) = (f64::from(2 * first + len + 1) * h, f64::from(len + 1) * h);
                    assert!(1.0 + 2.0 * (middle + reach) <= bound_m, "{len} from {first} of {subs}");
                }
            }
        }
    }

    /// Axis and angle across the whole range, half turns and tiny angles included.
    #[test]
    fn axis_and_angle() {
        let u = DVec3::new(2.0, 1.0, 2.0) / 3.0;
        for (w, axis_error, angle_error) in
            [(0.7, 1e-15, 1e-15), (1e-9, 1e-6, 1e-15), (std::f64::consts::PI - 1e-9, 1e-15, 1e-15)]
        {
            let (half_sin, half_cos) = (0.5 * w).sin_cos();
            let q = DQuat::from_xyzw(u.x * half_sin, u.y * half_sin, u.z * half_sin, half_cos);
            for q in [q, -q] {
                let (axis, angle) = axis_angle(q);
                assert!((axis - u).length() <= axis_error && (angle - w).abs() <= angle_error, "{w}: {axis} {angle}");
            }
        }
        // diag(1,-1,-1), from a quaternion with either sign.
        for x in [1.0, -1.0] {
            assert_eq!(axis_angle(DQuat::from_xyzw(x, 0.0, 0.0, 0.0)), (DVec3::X, std::f64::consts::PI));
        }
        assert_eq!(axis_angle(DQuat::IDENTITY), (DVec3::Z, 0.0));
    }
}
