//! Poses of the bodies of a model during a motion, and bounds on them, along the model's tree.

use crate::arith::interval::{Interval, IntervalPose, sin_cos_range};
use crate::arith::lanes::Lanes;
use crate::arith::real::{FullReal, Real};
use crate::arith::trig::sin_cos_product;
use crate::arith::vectors::{Vector, Vectorised, widest};
use crate::enclosure::pose_bound::{IntervalMatrix, PoseBound, PoseEnclosure, TaylorModel};
use crate::enclosure::pose_jet::PoseJet;
use crate::robot::RobotMotion;
use crate::robot::phase::Phase;
use crate::robot::toleranced_motion::toleranced;

impl RobotMotion {
    /// Bounds on the poses of the bodies over the intervals `[mid - h, mid + h]`, one per lane, written to `out`; their
    /// balls are enlarged by the margin.
    pub fn bounds<T: LaneTimes>(&self, form: PoseEnclosure, mid: T, h: f64, out: &mut Vec<PoseBound<T>>) {
        out.clear();
        match form {
            PoseEnclosure::TaylorModel => self.taylor_models(mid, h, |_, model| out.push(PoseBound::Taylor(model))),
            PoseEnclosure::IntervalMatrix => self.intervals(mid, h, out),
            PoseEnclosure::DisplacementBall => self.taylor_models(mid, h, |body, model| {
                out.push(PoseBound::Taylor(toleranced(&model, self.sizes_m[body], h)));
            }),
        }
    }

    /// Calls `each` with the Taylor models of the bodies over `[mid - h, mid + h]`, one interval per lane, in the order
    /// of the bodies.
    #[inline(always)]
    pub fn taylor_models<T: LaneTimes>(&self, mid: T, h: f64, mut each: impl FnMut(usize, TaylorModel<T>)) {
        let mut jets: Vec<PoseJet<T>> = Vec::with_capacity(self.joints.len());
        for (body, (parent, chain)) in self.parents.iter().zip(&self.chains).enumerate() {
            let own = self.joint_jet::<T, 2>(body, mid);
            let jet = parent.map_or(own, |p| self.concatenated::<T, 2>(&jets[p as usize], &own));
            let [constant, slope] = chain.grown_ball(h, T::UNIT);
            each(body, TaylorModel { jet, ball: [T::new(constant), T::new(slope)] });
            jets.push(jet);
        }
    }

    fn intervals<T: LaneTimes>(&self, mid: T, h: f64, out: &mut Vec<PoseBound<T>>) {
        let mut poses: Vec<IntervalPose<T>> = Vec::with_capacity(self.joints.len());
        let time = Interval { lo: mid - T::new(h), hi: mid + T::new(h) };
        for (body, ((joint, parent), chain)) in self.joints.iter().zip(&self.parents).zip(&self.chains).enumerate() {
            let own = match self.phases.get(body).filter(|phase| **phase != Phase::TIME) {
                None => {
                    let (sin, cos) = mid.sin_cos_range(joint.w_rad, h);
                    joint.factors::<T>().intervals(sin, cos, time)
                }
                Some(phase) => {
                    let range = phase.range_within(mid, h);
                    let (sin, cos) = T::sin_cos_between(joint.w_rad, range);
                    joint.factors::<T>().intervals(sin, cos, range)
                }
            };
            let pose = parent.map_or(own, |p| poses[p as usize].concatenate(&own));
            let matrix = IntervalMatrix::new(&pose, chain.matrix_ball(0.0).map(T::new));
            out.push(PoseBound::Interval(matrix));
            poses.push(pose);
        }
    }

    /// The Taylor model of one body over `[mid - h, mid + h]`, without the margin: cheaper than [`RobotMotion::bounds`]
    /// for a few bodies.
    pub fn body_bound(&self, body: u32, mid: f64, h: f64) -> TaylorModel<f64> {
        let ball = self.chains[body as usize].ball(h, f64::UNIT);
        TaylorModel { jet: self.body_jet::<2>(body, mid), ball }
    }

    /// [`RobotMotion::body_bound`] at one time, up to the derivative `ORDER`: the same numbers with less work, higher
    /// derivatives zero.
    pub fn body_at<const ORDER: usize>(&self, body: u32, time: f64) -> TaylorModel<f64> {
        let ball = self.chains[body as usize].ball(0.0, f64::UNIT);
        TaylorModel { jet: self.body_jet::<ORDER>(body, time), ball }
    }

    /// The poses of all bodies at the start, each like [`RobotMotion::body_at`]: cheaper for many bodies.
    pub fn at_start(&self, out: &mut Vec<TaylorModel<f64>>) {
        out.clear();
        for ((joint, parent), chain) in self.joints.iter().zip(&self.parents).zip(&self.chains) {
            let own = joint.factors::<f64>().jet_to::<0>(0.0, 1.0, 0.0);
            let jet = parent.map_or(own, |p| out[p as usize].jet.concatenate_to::<0>(&own));
            out.push(TaylorModel { jet, ball: chain.ball(0.0, f64::UNIT) });
        }
    }

    /// The jet of a body's joint in its parent at a time, up to the derivative of order `ORDER`.
    #[inline(always)]
    pub fn joint_jet<T: LaneTimes, const ORDER: usize>(&self, body: usize, time: T) -> PoseJet<T> {
        let joint = &self.joints[body];
        match self.phases.get(body) {
            None => {
                let (sin, cos) = time.sin_cos(joint.w_rad);
                joint.factors::<T>().jet_to::<ORDER>(sin, cos, time)
            }
            Some(phase) => {
                let [s, first, second] = phase.at(time);
                let (sin, cos) = s.sin_cos(joint.w_rad);
                joint.factors::<T>().jet_to::<ORDER>(sin, cos, s).with_rates(first, second)
            }
        }
    }

    /// The jet of a body in the world, from its parent's jet in the world and its own in the parent.
    #[inline(always)]
    fn concatenated<T: Real, const ORDER: usize>(&self, parent: &PoseJet<T>, own: &PoseJet<T>) -> PoseJet<T> {
        match self.phases.is_empty() {
            true => parent.concatenate_to::<ORDER>(own),
            false => parent.concatenate_curved_to::<ORDER>(own),
        }
    }

    fn body_jet<const ORDER: usize>(&self, body: u32, time: f64) -> PoseJet<f64> {
        widest(BodyJet::<ORDER> { motion: self, body, time })
    }
}

/// Maximum number of joints that are evaluated in one call.
const PATH: usize = 32;

/// The pose jet of one body. It computes single numbers, with the SIMD instructions that the processor supports.
#[derive(Clone, Copy, Debug)]
struct BodyJet<'a, const ORDER: usize> {
    motion: &'a RobotMotion,
    body: u32,
    time: f64,
}

impl<const ORDER: usize> Vectorised for BodyJet<'_, ORDER> {
    type Output = PoseJet<f64>;

    #[inline(always)]
    fn run<T: Vector>(self) -> PoseJet<f64> {
        let Self { motion, body, time } = self;
        let (mut path, mut depth, mut next) = ([0u32; PATH], 0, Some(body));
        while let (Some(body), Some(place)) = (next, path.get_mut(depth)) {
            *place = body;
            (depth, next) = (depth + 1, motion.parents[body as usize]);
        }
        let own = |body: u32| motion.joint_jet::<f64, ORDER>(body as usize, time);
        let mut jet = match next {
            Some(before) => motion.body_jet::<ORDER>(before, time),
            None => {
                depth -= 1;
                own(path[depth])
            }
        };
        for body in path[..depth].iter().rev() {
            jet = motion.concatenated::<f64, ORDER>(&jet, &own(*body));
        }
        jet
    }
}

/// Arithmetic whose lanes are times: it provides the sine and cosine of `w t` in each lane.
pub trait LaneTimes: FullReal {
    /// `(sin(w t), cos(w t))` in each lane, within a few units.
    fn sin_cos(self, w: f64) -> (Self, Self);
    /// Ranges of sine and cosine of `w t` over `[t - h, t + h]` in each lane.
    fn sin_cos_range(self, w: f64, h: f64) -> (Interval<Self>, Interval<Self>);
    /// Ranges of sine and cosine of `w s` over an interval in each lane.
    fn sin_cos_between(w: f64, range: Interval<Self>) -> (Interval<Self>, Interval<Self>);
}

impl LaneTimes for f64 {
    #[inline(always)]
    fn sin_cos(self, w: f64) -> (Self, Self) {
        sin_cos_product(w, self)
    }
    fn sin_cos_range(self, w: f64, h: f64) -> (Interval<Self>, Interval<Self>) {
        sin_cos_range(w, self - h, self + h)
    }
    fn sin_cos_between(w: f64, range: Interval<Self>) -> (Interval<Self>, Interval<Self>) {
        sin_cos_range(w, range.lo, range.hi)
    }
}

impl<const N: usize> LaneTimes for Lanes<N> {
    #[inline(always)]
    fn sin_cos(self, w: f64) -> (Self, Self) {
        let (mut sin, mut cos) = (Self::default(), Self::default());
        for i in 0..N {
            (sin.0[i], cos.0[i]) = sin_cos_product(w, self.0[i]);
        }
        (sin, cos)
    }
    fn sin_cos_range(self, w: f64, h: f64) -> (Interval<Self>, Interval<Self>) {
        Self::sin_cos_between(w, Interval { lo: Self(self.0.map(|t| t - h)), hi: Self(self.0.map(|t| t + h)) })
    }
    fn sin_cos_between(w: f64, range: Interval<Self>) -> (Interval<Self>, Interval<Self>) {
        let each: [_; N] = std::array::from_fn(|i| sin_cos_range(w, range.lo.0[i], range.hi.0[i]));
        let pack = |f: fn(&(Interval<f64>, Interval<f64>)) -> f64| Self(std::array::from_fn(|i| f(&each[i])));
        (
            Interval { lo: pack(|e| e.0.lo), hi: pack(|e| e.0.hi) },
            Interval { lo: pack(|e| e.1.lo), hi: pack(|e| e.1.hi) },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::linear::V3;
    use crate::enclosure::chain_bounds::Deviation;
    use crate::robot::JointMotion;
    use glam::{DMat3, DVec3};

    /// The reference chain "C4": two revolute joints (one with a slide), a prismatic one, a turned revolute one.
    fn c4() -> RobotMotion {
        let r4 = DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y);
        let v = DVec3::new;
        let mut m = RobotMotion::default();
        for (parent, u, r, c, s, w) in [
            (None, DVec3::Z, DMat3::IDENTITY, v(0.0, 0.0, 0.3), DVec3::ZERO, 0.5),
            (Some(0), DVec3::Y, DMat3::IDENTITY, v(0.5, 0.0, 0.0), v(0.0, 0.0, 0.25), -1.25),
            (Some(1), DVec3::Z, DMat3::IDENTITY, v(0.25, 0.125, 0.0), v(0.5, 0.0, 0.0), 0.0),
            (Some(2), v(0.6, 0.0, 0.8), r4, v(0.375, 0.0, 0.0), DVec3::ZERO, 2.0),
        ] {
            m.push(parent, JointMotion::from_axis(r, u, w, c, s));
        }
        m
    }
    const E: V3<f64> = V3([0.25, -0.125, 0.5]);

    fn close(v: V3<f64>, expected: [f64; 3], tolerance: f64) {
        for i in 0..3 {
            assert!((v.0[i] - expected[i]).abs() <= tolerance, "{v:?} against {expected:?}");
        }
    }

    #[test]
    fn jets_of_the_reference_chain() {
        let m = c4();
        for (t, expected) in
            [(0.0, [1.375, -0.375, 0.175]), (1.0, [0.69083666062831736, 1.0418791216525017, 1.8526069332120785])]
        {
            close(m.body_bound(3, t, 0.0).point(E, 0.6).c[0], expected, 1e-14);
        }
        let mut all = Vec::new();
        m.bounds(PoseEnclosure::TaylorModel, 0.375, 0.125, &mut all);
        let [whole, first, none] = [m.body_bound(3, 0.375, 0.0), m.body_at::<1>(3, 0.375), m.body_at::<0>(3, 0.375)];
        assert_eq!((&whole.jet.x[..2], &whole.jet.p[..2]), (&first.jet.x[..2], &first.jet.p[..2]));
        assert_eq!((whole.jet.x[0], whole.jet.p[0], whole.ball), (none.jet.x[0], none.jet.p[0], none.ball));
        let (mut start, alone) = (Vec::new(), m.body_at::<0>(3, 0.0));
        m.at_start(&mut start);
        assert_eq!((start[3].jet.x, start[3].jet.p, start[3].ball), (alone.jet.x, alone.jet.p, alone.ball));
        for bound in [all[3], PoseBound::Taylor(m.body_bound(3, 0.375, 0.125))] {
            let p = bound.point(E, 0.6);
            close(p.c[0], [1.7463076715435861, 0.27697824264304323, 0.71581316384519005], 1e-14);
            close(p.c[1], [0.047358348554634384, 2.0118211197232318, 1.9980164932976874], 1e-14);
            close(p.c[2], [-6.1539013484745210, -0.025794531294937042, 1.8672860767145441], 4e-14);
        }
    }

    #[test]
    fn static_bounds_of_the_reference_chain() {
        let chain = c4().chains[3];
        let e = E.dot(E).sqrt();
        let near = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-8, "{x} against {y}");
        near(chain.derivatives.omega[0], 3.75);
        near(chain.acceleration(e), 5.6167492797235241 + 3.75 * 3.75 * e);
        let [constant, slope] = chain.remainder(0.125);
        near((constant + slope * e) * 6.0 / 0.125f64.powi(3), 41.143276574234855);
    }

    /// Joints with the largest permitted deviation, all of them or one: every point is in the ball. With all of them,
    /// some points use half of it.
    #[test]
    fn balls_contain_joints_that_deviate() {
        let by = |turn_rad, slide_m| Deviation { turn_rad, slide_m };
        let all = [by(0.01, 0.0), by(0.02, 0.0), by(0.0, 0.03), by(0.015, 0.0)];
        contain_joints_that_deviate(all, 0.5);
        for one in 0..4 {
            contain_joints_that_deviate(std::array::from_fn(|i| if i == one { all[i] } else { by(0.0, 0.0) }), 0.0);
        }
    }

    fn contain_joints_that_deviate(deviations: [Deviation; 4], share: f64) {
        let m = c4();
        let mut bounded = m.clone();
        bounded.set_deviations(deviations);
        let axes = [DVec3::Z, DVec3::Y, DVec3::X, DVec3::new(0.6, 0.0, 0.8)];
        let (mut largest, mut matrices) = (0f64, Vec::new());
        for signs in 0..16u32 {
            let mut moved = RobotMotion::default();
            for (i, (joint, parent)) in m.joints.iter().zip(&m.parents).enumerate() {
                let sign = if signs >> i & 1 == 0 { 1.0 } else { -1.0 };
                let turn = DMat3::from_axis_angle(axes[i], sign * deviations[i].turn_rad);
                let origin_m = joint.origin_m + axes[i] * sign * deviations[i].slide_m;
                let [a, b, c] = [joint.a, joint.b, joint.c].map(|part| turn * part);
                moved.push(*parent, JointMotion { a, b, c, origin_m, ..*joint });
            }
            for t in [0.0, 0.375, 1.0] {
                let point = |m: &RobotMotion| m.body_bound(3, t, 0.0).point(E, E.dot(E).sqrt());
                let (meant, stored) = (point(&moved), point(&bounded));
                let apart = meant.c[0] - stored.c[0];
                let far = apart.dot(apart).sqrt();
                assert!(far <= stored.ball, "{far} beyond {}", stored.ball);
                largest = largest.max(far / stored.ball);
                bounded.bounds(PoseEnclosure::IntervalMatrix, t, 0.0, &mut matrices);
                let (lo, hi) = matrices[3].point(E, 0.6).range(0.0);
                assert!((0..3).all(|i| lo.0[i] <= meant.c[0].0[i] && meant.c[0].0[i] <= hi.0[i]), "{lo:?} {hi:?}");
            }
        }
        assert!(largest >= share, "{largest}");
    }

    /// Lanes compute the same bits as single intervals.
    #[test]
    fn lanes_agree_with_single_intervals() {
        let m = c4();
        for form in PoseEnclosure::ALL {
            let (mut lanes, mut single) = (Vec::new(), Vec::new());
            let mid = Lanes::<8>::from_fn(|i| (2 * i + 1) as f64 / 16.0);
            m.bounds(form, mid, 1.0 / 16.0, &mut lanes);
            for i in 0..8 {
                m.bounds(form, mid.0[i], 1.0 / 16.0, &mut single);
                for (a, b) in lanes.iter().zip(&single) {
                    // Debug output shows every digit.
                    assert_eq!(format!("{:?}", a.lane(i)), format!("{b:?}"));
                }
            }
        }
    }

    /// The paper's interval product, compared with values computed without rounding.
    #[test]
    fn interval_products_of_the_reference_chain() {
        let m = c4();
        for (t0, t1, expected) in [
            (
                0.0,
                1.0,
                [
                    [0.08045908434282839, 2.9180312325282256],
                    [-0.5083544852446057, 1.8921276900593371],
                    [-0.20563409399793847, 2.3850644489123525],
                ],
            ),
            (
                0.25,
                0.5,
                [
                    [1.3244551188011244, 2.13986375566732],
                    [-0.01608100617239122, 0.6075848743482386],
                    [0.34813945577896427, 1.1177116722151574],
                ],
            ),
        ] {
            let (mid, h) = (0.5 * (t0 + t1), 0.5 * (t1 - t0));
            let mut bounds = Vec::new();
            m.bounds(PoseEnclosure::IntervalMatrix, mid, h, &mut bounds);
            let (lo, hi) = bounds[3].point(E, 0.6).range(h);
            for i in 0..3 {
                // Storing midpoint and half width of each entry separately adds only rounding.
                assert!((lo.0[i] - expected[i][0]).abs() < 1e-12 && (hi.0[i] - expected[i][1]).abs() < 1e-12);
                assert!(lo.0[i] <= expected[i][0] && hi.0[i] >= expected[i][1]);
            }
        }
    }
}
