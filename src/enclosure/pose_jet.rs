//! The motion of one joint, and poses with their derivatives concatenated along a chain of joints (Redon et al. 2004,
//! section 3.3).

use crate::arith::interval::{Interval, IntervalPose};
use crate::arith::linear::{M3, V3};
use crate::arith::real::Real;

/// The numbers that define the motion of one joint (Redon et al. 2004, eq. 2–4), in the arithmetic of the bound:
/// `P(t) = cos(w t) A + sin(w t) B + C`, `T(t) = origin + t slide`, in the parent's frame.
#[derive(Clone, Copy, Debug)]
pub struct JointFactors<T> {
    /// `A = R - u uᵀ R`.
    pub a: M3<T>,
    /// `B = u* R`.
    pub b: M3<T>,
    /// `C = u uᵀ R`.
    pub c: M3<T>,
    /// Position at `t = 0`, metres.
    pub origin: V3<T>,
    /// Displacement over the motion, metres.
    pub slide: V3<T>,
    /// Angle over the motion, radians.
    pub w: T,
}

/// Pose, velocity and acceleration of a frame in another at one time: `x[n]`, `p[n]` are the n-th time derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoseJet<T> {
    /// Derivatives of the origin.
    pub x: [V3<T>; 3],
    /// Derivatives of the orientation.
    pub p: [M3<T>; 3],
}

impl<T: Real> JointFactors<T> {
    /// The jet of the joint's motion at a time with the given sine and cosine of `w t`.
    #[inline(always)]
    pub fn jet(&self, sin: T, cos: T, t: T) -> PoseJet<T> {
        self.jet_to::<2>(sin, cos, t)
    }

    /// The same up to the derivative of order `ORDER`.
    #[inline(always)]
    pub fn jet_to<const ORDER: usize>(&self, sin: T, cos: T, t: T) -> PoseJet<T> {
        let ww = self.w * self.w;
        let (mut x, mut p) = ([V3::zero(); 3], [M3::zero(); 3]);
        if ORDER >= 1 {
            x[1] = self.slide;
        }
        for i in 0..3 {
            x[0].0[i] = self.origin.0[i] + t * self.slide.0[i];
            for j in 0..3 {
                let turning = cos * self.a.0[i][j] + sin * self.b.0[i][j];
                p[0].0[i][j] = turning + self.c.0[i][j];
                if ORDER >= 1 {
                    p[1].0[i][j] = self.w * (cos * self.b.0[i][j] - sin * self.a.0[i][j]);
                }
                if ORDER >= 2 {
                    p[2].0[i][j] = -(ww * turning);
                }
            }
        }
        PoseJet { x, p }
    }
}

impl<T: Real> JointFactors<T> {
    /// Bounds on the joint's pose over `[t0, t1]`, given the ranges of the sine and cosine of `w t` there.
    #[inline(always)]
    pub fn intervals(&self, sin: Interval<T>, cos: Interval<T>, time: Interval<T>) -> IntervalPose<T> {
        let around = Interval::around;
        IntervalPose {
            p: std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    cos * around(self.a.0[i][j]) + sin * around(self.b.0[i][j]) + around(self.c.0[i][j])
                })
            }),
            t: std::array::from_fn(|i| around(self.origin.0[i]) + time * around(self.slide.0[i])),
        }
    }
}

impl<T: Real> JointFactors<T> {
    /// Bounds on the derivative of the joint's pose, from the ranges of the sine and cosine of `w t`.
    #[inline(always)]
    pub fn interval_rates(&self, sin: Interval<T>, cos: Interval<T>) -> IntervalPose<T> {
        let around = Interval::around;
        IntervalPose {
            p: std::array::from_fn(|i| {
                std::array::from_fn(|j| around(self.w) * (cos * around(self.b.0[i][j]) - sin * around(self.a.0[i][j])))
            }),
            t: std::array::from_fn(|i| around(self.slide.0[i])),
        }
    }
}

impl<T: Real> PoseJet<T> {
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { x: [V3::zero(), V3::zero(), V3::zero()], p: [M3::zero(), M3::zero(), M3::zero()] }
    }

    /// Converts derivatives of a joint's pose with respect to the phase into derivatives with respect to time, given
    /// the first and second derivative of the phase.
    #[inline(always)]
    pub fn with_rates(&self, first: T, second: T) -> Self {
        let ([x0, x1, x2], [p0, p1, p2], square) = (self.x, self.p, first * first);
        Self {
            x: [x0, x1.times(first), x1.times(second) + x2.times(square)],
            p: [
                p0,
                M3::from_fn(|i, j| p1.0[i][j] * first),
                M3::from_fn(|i, j| p1.0[i][j] * second + p2.0[i][j] * square),
            ],
        }
    }

    /// The jet of a child in the world from its parent's in the world (`self`) and its own in the parent (Leibniz). The
    /// child's origin must not accelerate in the parent.
    #[inline(always)]
    pub fn concatenate(&self, child: &Self) -> Self {
        self.concatenate_to::<2>(child)
    }

    /// The same for a child whose origin accelerates in the parent.
    #[inline(always)]
    pub fn concatenate_curved_to<const ORDER: usize>(&self, child: &Self) -> Self {
        let mut jet = self.concatenate_to::<ORDER>(child);
        if ORDER >= 2 {
            jet.x[2] = jet.x[2] + self.p[0].apply(child.x[2]);
        }
        jet
    }

    /// Like [`concatenate`](Self::concatenate), up to the derivative of order `ORDER`.
    #[inline(always)]
    pub fn concatenate_to<const ORDER: usize>(&self, child: &Self) -> Self {
        let ([p0, p1, p2], [q0, q1, q2]) = (&self.p, &child.p);
        let ([t0, t1, _], two) = (child.x, T::new(2.0));
        let (mut x, mut p) = ([V3::zero(); 3], [p0.product(q0), M3::zero(), M3::zero()]);
        x[0] = self.x[0] + p0.apply(t0);
        if ORDER >= 1 {
            p[1] = p1.product(q0);
            x[1] = self.x[1] + (p1.apply(t0) + p0.apply(t1));
        }
        if ORDER >= 2 {
            p[2] = p2.product(q0);
            x[2] = self.x[2] + (p2.apply(t0) + p1.apply(t1).times(two));
        }
        for i in 0..3 {
            for j in 0..3 {
                let sum = |m: &M3<T>, a: &M3<T>| m.0[i][0] * a.0[0][j] + m.0[i][1] * a.0[1][j] + m.0[i][2] * a.0[2][j];
                if ORDER >= 1 {
                    p[1].0[i][j] = p[1].0[i][j] + sum(p0, q1);
                }
                if ORDER >= 2 {
                    let (second, middle) = (sum(p0, q2), sum(p1, q1));
                    p[2].0[i][j] = (p[2].0[i][j] + second) + two * middle;
                }
            }
        }
        Self { x, p }
    }
}
