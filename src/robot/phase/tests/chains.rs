//! Pose bounds of chains whose joints follow polynomials, against positions in plain arithmetic.

use super::super::Phase;
use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::enclosure::chain_bounds::Deviation;
use crate::enclosure::pose_bound::{PoseBound, PoseEnclosure};
use crate::robot::{JointMotion, RobotMotion};
use glam::{DMat3, DVec3};

/// A joint in plain arithmetic: axis, origin, direction of its slide, and powers of time of its phase.
struct Plain {
    axis: DVec3,
    origin: DVec3,
    slide: DVec3,
    powers: Vec<f64>,
}

impl Plain {
    fn turning(axis: DVec3, origin: DVec3, powers: &[f64]) -> Self {
        Self { axis: axis.normalize(), origin, slide: DVec3::ZERO, powers: powers.to_vec() }
    }

    fn sliding(along: DVec3, origin: DVec3, powers: &[f64]) -> Self {
        Self { axis: DVec3::ZERO, origin, slide: along.normalize(), powers: powers.to_vec() }
    }

    /// The phase at `t`, which is zero at the start.
    fn phase(&self, t: f64) -> f64 {
        self.powers.iter().rev().fold(0.0, |sum, p| (sum + p) * t)
    }

    /// The pose in the parent's frame.
    fn pose(&self, t: f64) -> (DMat3, DVec3) {
        let s = self.phase(t);
        let turn = if self.axis == DVec3::ZERO { DMat3::IDENTITY } else { DMat3::from_axis_angle(self.axis, s) };
        (turn, self.origin + self.slide * s)
    }

    /// Bernstein coefficients: `b_i = Σ_k C(i,k)/C(n,k) p_k`.
    fn bernstein(&self) -> Vec<f64> {
        let n = self.powers.len();
        let choose = |n: usize, k: usize| (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>();
        let of = |i: usize| (1..=i).map(|k| choose(i, k) / choose(n, k) * self.powers[k - 1]).sum();
        (0..=n).map(of).collect()
    }
}

/// The motion of joints in a tree.
fn motion(joints: &[(Option<u32>, Plain)]) -> RobotMotion {
    let mut m = RobotMotion::default();
    for (parent, plain) in joints {
        let (w, axis) = if plain.axis == DVec3::ZERO { (0.0, DVec3::Z) } else { (1.0, plain.axis) };
        let joint = JointMotion::from_axis(DMat3::IDENTITY, axis, w, plain.origin, plain.slide);
        m.push_phased(*parent, joint, joint.defect(), Deviation::default(), Phase::new(&plain.bernstein()));
    }
    m
}

/// The position of a point of a body in the world.
fn place(joints: &[(Option<u32>, Plain)], body: usize, e: DVec3, t: f64) -> DVec3 {
    let (turn, x) = joints[body].1.pose(t);
    let here = turn * e + x;
    joints[body].0.map_or(here, |parent| place(joints, parent as usize, here, t))
}

/// The largest ratio of the deviation from the jet to the ball, at any time of some intervals.
fn ratio(joints: &[(Option<u32>, Plain)], e: DVec3, h: f64) -> f64 {
    let (m, body) = (motion(joints), joints.len() - 1);
    let mut largest: f64 = 0.0;
    let mut mid = h;
    while mid + h <= 1.0 {
        let bound = m.body_bound(body as u32, mid, h).point(V3::new(e), e.length());
        let [x, v, a] = bound.c.map(|c| DVec3::from_array(c.0));
        for i in -8..=8 {
            let tau = h * f64::from(i) / 8.0;
            let expected = x + v * tau + a * (0.5 * tau * tau);
            largest = largest.max((place(joints, body, e, mid + tau) - expected).length() / bound.ball);
        }
        mid += 2.0 * h;
    }
    largest
}

const E: DVec3 = DVec3::new(0.7, 0.0, 0.0);

/// Each case makes another term of the bound on the third derivative dominate, and uses most of it.
#[test]
fn every_term_of_the_remainder_is_needed() {
    let turn = |powers: &[f64]| (None, Plain::turning(DVec3::Z, DVec3::ZERO, powers));
    let after = |plain: Plain| (Some(0), plain);
    let h = 1.0 / 64.0;
    for (name, joints, e) in [
        ("W1^3", vec![turn(&[2.0])], E),
        ("W1 W2", vec![turn(&[0.05, 0.05])], E),
        ("W3", vec![turn(&[0.0, 0.0, 0.05])], E),
        ("B3 T", vec![turn(&[0.0, 0.0, 0.05]), after(Plain::turning(DVec3::X, E, &[1e-6]))], DVec3::ZERO),
        ("B2 T'", vec![turn(&[2.0]), after(Plain::sliding(DVec3::X, DVec3::ZERO, &[1.0]))], DVec3::ZERO),
        ("W2 T'", vec![turn(&[0.0, 0.02]), after(Plain::sliding(DVec3::X, DVec3::ZERO, &[1.0]))], DVec3::ZERO),
        ("W1 T''", vec![turn(&[0.05]), after(Plain::sliding(DVec3::X, DVec3::ZERO, &[0.0, 1.0]))], DVec3::ZERO),
        ("T'''", vec![turn(&[1e-6]), after(Plain::sliding(DVec3::X, DVec3::ZERO, &[0.0, 0.0, 1.0]))], DVec3::ZERO),
    ] {
        let largest = ratio(&joints, e, h);
        assert!(largest <= 1.0, "{name}: outside by {largest}");
        assert!(largest > 0.6, "{name}: only {largest} of the ball is used");
    }
}

/// A generator of numbers in `[-1, 1)`.
fn numbers(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn random_joints(next: &mut impl FnMut() -> f64, n: usize, degree: usize) -> Vec<(Option<u32>, Plain)> {
    let mut vector = |size: f64| DVec3::new(next(), next(), next()) * size;
    let mut joints = Vec::new();
    for i in 0..n {
        let (axis, origin) = (vector(1.0), vector(0.5));
        let powers: Vec<f64> = (0..degree).map(|k| vector(1.0).x / (k + 1) as f64).collect();
        let plain = match i % 3 {
            2 => Plain::sliding(axis, origin, &powers),
            _ => Plain::turning(axis, origin, &powers),
        };
        joints.push(((i > 0).then(|| i as u32 - 1), plain));
    }
    joints
}

#[test]
fn random_chains_stay_in_their_balls() {
    let mut next = numbers(11);
    for case in 0..300 {
        let joints = random_joints(&mut next, 1 + case % 7, 1 + case % 15);
        let e = DVec3::new(next(), next(), next());
        for h in [1.0 / 8.0, 1.0 / 64.0, 1.0 / 4096.0] {
            let largest = ratio(&joints, e, h);
            assert!(largest <= 1.0, "case {case}, {h}: {largest}");
        }
    }
}

/// All forms of bounds, and several intervals side by side, contain the paths.
#[test]
fn interval_matrices_and_lanes_contain_the_paths() {
    let mut next = numbers(5);
    for case in 0..60 {
        let joints = random_joints(&mut next, 1 + case % 5, 1 + case % 15);
        let (m, body, e) = (motion(&joints), joints.len() - 1, DVec3::new(next(), next(), next()));
        let (mids, h) = (Lanes::<8>::from_fn(|i| (2 * i + 1) as f64 / 16.0), 1.0 / 16.0);
        for form in [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix] {
            let mut bounds: Vec<PoseBound<Lanes<8>>> = Vec::new();
            m.bounds(form, mids, h, &mut bounds);
            for lane in 0..8 {
                let bound = bounds[body].lane(lane).point(V3::new(e), e.length());
                for i in -4..=4 {
                    let tau = h * f64::from(i) / 4.0;
                    let at = place(&joints, body, e, mids.0[lane] + tau);
                    for k in 0..3 {
                        let c = [bound.c[0].0[k], bound.c[1].0[k], bound.c[2].0[k]];
                        let off = (at[k] - (c[0] + tau * (c[1] + 0.5 * tau * c[2]))).abs();
                        assert!(off <= bound.ball + bound.cube.0[k] + 1e-14, "case {case} {form:?}: {off}");
                    }
                }
            }
        }
    }
}

/// A body in the frame of another one: the chain between them, and the pose composed from both.
#[test]
fn relative_motions_of_joints_with_phases() {
    let mut next = numbers(3);
    for case in 0..100 {
        let mut joints = random_joints(&mut next, 6, 1 + case % 15);
        // Two branches of two joints each behind a trunk of two.
        (joints[2].0, joints[4].0) = (Some(1), Some(1));
        let m = motion(&joints);
        let e = DVec3::new(next(), next(), next());
        for (a, b) in [(3, 5), (5, 3), (5, 0), (0, 5), (1, 3), (3, 1)] {
            let seen = m.seen_from(a as u32, b as u32, e.length());
            let (mid, h) = (0.375, 1.0 / 32.0);
            let last = seen.joints.len() as u32 - 1;
            let bound = seen.body_bound(last, mid, h).point(V3::new(e), e.length());
            let [x, v, acceleration] = bound.c.map(|c| DVec3::from_array(c.0));
            for i in -4..=4 {
                let tau = h * f64::from(i) / 4.0;
                let t = mid + tau;
                let frame = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| place(&joints, a, p, t));
                let axes = DMat3::from_cols(frame[1] - frame[0], frame[2] - frame[0], frame[3] - frame[0]);
                let expected = axes.transpose() * (place(&joints, b, e, t) - frame[0]);
                let off = (x + v * tau + acceleration * (0.5 * tau * tau) - expected).length();
                assert!(off <= bound.ball + 1e-14, "case {case}, {a} {b}: {off} beyond {}", bound.ball);
            }
        }
    }
}

/// The third derivative is bounded by derivatives of the joints at the same time, not by the largest of each.
#[test]
fn derivatives_are_bounded_together() {
    let quintic = [0.0, 0.0, 10.0, -15.0, 6.0];
    let m = motion(&[(None, Plain::turning(DVec3::Z, DVec3::ZERO, &quintic))]);
    let largest = (0..=1000).map(|i| {
        let t = f64::from(i) / 1000.0;
        let rate = 30.0 * t * t * (1.0 - t) * (1.0 - t);
        let acceleration = 60.0 * t * (1.0 - t) * (1.0 - 2.0 * t);
        let jerk = 60.0 * (1.0 - 6.0 * t + 6.0 * t * t);
        rate.powi(3) + 3.0 * rate * acceleration.abs() + jerk.abs()
    });
    let (largest, bound) = (largest.fold(0.0, f64::max), m.chains[0].third[1]);
    // The largest rate, acceleration and jerk together are 99.
    assert!((60.0..61.0).contains(&largest) && (largest..1.15 * largest).contains(&bound), "{largest} {bound}");
}

/// The number of pieces of a motion grows with its acceleration and jerk.
#[test]
fn the_pace_grows_with_the_third_derivative() {
    let turn = |powers: &[f64]| motion(&[(None, Plain::turning(DVec3::Z, DVec3::ZERO, powers))]);
    assert!((turn(&[3.0]).pace_rad() - 3.0).abs() < 1e-9);
    let quintic = turn(&[0.0, 0.0, 10.0, -15.0, 6.0]).pace_rad();
    // Rate 1.875, acceleration 5.77 and jerk 60 at most: the cube root of 6.6 + 32.5 + 60.
    assert!((4.6..5.0).contains(&quintic), "{quintic}");
    assert_eq!(RobotMotion::default().pace_rad(), 0.0);
}
