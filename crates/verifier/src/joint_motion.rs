//! The motion of one joint over an interval: from the body's frame to that of its parent.

use crate::ball::{Ball, Sum, dot, exact, norm};
use crate::free_joint::FreeMotion;
use crate::model::{Body, Drive, Joint, Segment, axis_deviation};
use crate::polynomial::{Interval, Value};
use crate::trigonometry::sin_cos;

/// Columns of a matrix.
pub(crate) type Matrix = [[Ball; 3]; 3];
/// Columns of a matrix, and the offset: `x -> M x + c`.
pub(crate) type Affine = [[Ball; 3]; 4];

pub(crate) const NULL: Matrix = [[Ball::ZERO; 3]; 3];

/// A body, prepared.
pub(crate) struct PreparedBody {
    pub parent: Option<usize>,
    orientation: Matrix,
    origin: [Ball; 3],
    /// Bound for the norm of the orientation, times that of the joint's rotation and its derivatives by the angle.
    stretch: Ball,
    /// Bound for the norm of the origin.
    reach: Ball,
    joint: PreparedJoint,
}

enum PreparedJoint {
    Fixed,
    /// `K R(q) = cos q K (I - a aᵀ) + sin q K [a]× + K a aᵀ`.
    Revolute {
        drive: Drive,
        parts: Box<[Matrix; 3]>,
    },
    /// `K a`.
    Prismatic {
        drive: Drive,
        direction: [Ball; 3],
    },
    Free {
        first_column: usize,
    },
}

/// The motion over an interval. Bounds are of derivatives of order 0 to 4 by time.
pub(crate) struct JointMotion {
    /// Coefficients of the Taylor polynomial: one of a fixed joint, four of others.
    pub taylor: Vec<Affine>,
    /// Norms of the matrices.
    pub rho: [Ball; 5],
    /// Norms of the offsets.
    pub sigma: [Ball; 5],
    /// Largest deviation by the joint tolerance: constant, and factor of the distance from the joint.
    pub deviation: [Ball; 2],
    /// Like `sigma[0]`, for values within the joint tolerance.
    pub reach: Ball,
}

impl PreparedBody {
    pub fn new(body: &Body) -> Self {
        let orientation = body.orientation.map(exact);
        let origin = exact(body.origin_m);
        let (joint, axis_stretch) = prepare(&body.joint, &orientation);
        // |K| <= sqrt(1 + skew) <= 1 + skew
        let stretch = (Ball::ONE + Ball::exact(body.skew())) * axis_stretch;
        Self {
            parent: body.parent,
            orientation,
            origin,
            stretch: Ball::exact(stretch.upper()),
            reach: Ball::exact(norm(origin)),
            joint,
        }
    }

    /// The motion of the joint. `tolerance` is that of a column.
    pub fn motion(&self, segment: &Segment, time: &Interval, tolerance: impl Fn(usize) -> f64) -> JointMotion {
        let column = |drive: &Drive| {
            let coefficients = &segment.coefficients[drive.column];
            let deviation = Ball::exact(drive.multiplier.abs()) * Ball::exact(tolerance(drive.column));
            (Value::new(coefficients, drive.multiplier, drive.offset, time), deviation)
        };
        let mut motion = match &self.joint {
            PreparedJoint::Fixed => self.at_rest(),
            PreparedJoint::Revolute { drive, parts } => {
                let (angle, deviation) = column(drive);
                let mut motion = self.turning(turn(&angle.taylor, parts), &angle.bounds);
                motion.deviation[1] = deviation;
                motion
            }
            PreparedJoint::Prismatic { drive, direction } => {
                let (slide, deviation) = column(drive);
                let mut motion = self.sliding(&slide, *direction);
                motion.deviation[0] = deviation;
                motion.reach = motion.reach + deviation;
                motion
            }
            PreparedJoint::Free { first_column } => self.free(segment, *first_column, time),
        };
        self.place(&mut motion);
        motion
    }

    fn at_rest(&self) -> JointMotion {
        JointMotion {
            taylor: vec![affine(self.orientation)],
            rho: rates(&[Ball::ZERO; 5]),
            sigma: [Ball::ZERO; 5],
            deviation: [Ball::ZERO; 2],
            reach: Ball::ZERO,
        }
    }

    /// Rotation by matrices, with bounds on the derivatives of its angle.
    fn turning(&self, turn: [Matrix; 4], angle: &[Ball; 5]) -> JointMotion {
        JointMotion { taylor: turn.map(affine).to_vec(), rho: rates(angle), ..self.at_rest() }
    }

    /// Translation along a direction.
    fn sliding(&self, slide: &Value, direction: [Ball; 3]) -> JointMotion {
        let mut motion = self.at_rest();
        motion.taylor.resize(4, affine(NULL));
        for k in 0..4 {
            motion.taylor[k][3] = direction.map(|d| slide.taylor[k] * d);
        }
        motion.sigma = slide.bounds;
        motion.reach = slide.bounds[0];
        motion
    }

    fn free(&self, segment: &Segment, first_column: usize, time: &Interval) -> JointMotion {
        let free = FreeMotion::new(&segment.coefficients[first_column..first_column + 7], time);
        let mut motion = self.turning(free.rotation.map(|r| product(&self.orientation, &r)), &free.angle);
        for k in 0..4 {
            motion.taylor[k][3] = apply(&self.orientation, free.position[k]);
        }
        motion.sigma = free.distance;
        motion.reach = free.distance[0];
        motion
    }

    /// The last steps from the joint to the parent's frame.
    fn place(&self, motion: &mut JointMotion) {
        for r in 0..3 {
            motion.taylor[0][3][r] = motion.taylor[0][3][r] + self.origin[r];
        }
        motion.rho = motion.rho.map(|rho| self.stretch * rho);
        motion.sigma = motion.sigma.map(|sigma| self.stretch * sigma);
        motion.sigma[0] = motion.sigma[0] + self.reach;
        motion.deviation = motion.deviation.map(|deviation| self.stretch * deviation);
        motion.reach = self.stretch * motion.reach + self.reach;
    }
}

/// A joint, and a bound for the norm of its rotation and the derivatives by its angle, and of its axis: with
/// `aᵀa = 1 + e` they are at most `1 + 2 |e|`.
fn prepare(joint: &Joint, orientation: &Matrix) -> (PreparedJoint, Ball) {
    let stretch = |axis: [f64; 3]| Ball::ONE + Ball::exact(2.0 * axis_deviation(axis));
    match joint {
        Joint::Fixed => (PreparedJoint::Fixed, Ball::ONE),
        Joint::Free { first_column } => (PreparedJoint::Free { first_column: *first_column }, Ball::ONE),
        Joint::Prismatic { axis, drive } => {
            (PreparedJoint::Prismatic { drive: *drive, direction: apply(orientation, exact(*axis)) }, stretch(*axis))
        }
        Joint::Revolute { axis, drive } => {
            let a = exact(*axis);
            let outer = outer(a);
            let parts = [plus(&IDENTITY, &outer, -Ball::ONE), cross_matrix(a), outer];
            let parts = Box::new(parts.map(|part| product(orientation, &part)));
            (PreparedJoint::Revolute { drive: *drive, parts }, stretch(*axis))
        }
    }
}

/// Coefficients of `cos q C + sin q S + D` for the coefficients of `q`.
fn turn(angle: &[Ball; 4], [cos, sin, rest]: &[Matrix; 3]) -> [Matrix; 4] {
    let (c, s) = sin_cos_series(angle);
    std::array::from_fn(|k| {
        let d = if k == 0 { rest } else { &NULL };
        std::array::from_fn(|j| {
            std::array::from_fn(|r| {
                let mut sum = Sum::default();
                sum.add(c[k], cos[j][r]);
                sum.add(s[k], sin[j][r]);
                sum.add(Ball::ONE, d[j][r]);
                sum.ball()
            })
        })
    })
}

/// Coefficients of cosine and sine: from `s' = q' c` and `c' = -q' s`, `k s_k` is the sum of `i q_i c_(k-i)`.
pub(crate) fn sin_cos_series(angle: &[Ball; 4]) -> ([Ball; 4], [Ball; 4]) {
    let (mut c, mut s) = ([Ball::ZERO; 4], [Ball::ZERO; 4]);
    (s[0], c[0]) = sin_cos(angle[0]);
    for k in 1..4 {
        let (mut sin, mut cos) = (Sum::default(), Sum::default());
        for i in 1..=k {
            let rate = Ball::ratio(i as f64, k as f64) * angle[i];
            sin.add(rate, c[k - i]);
            cos.add(-rate, s[k - i]);
        }
        (s[k], c[k]) = (sin.ball(), cos.ball());
    }
    (c, s)
}

/// Bounds on the derivatives of a rotation, from those of its angle: `rho_k` of the format.
fn rates(q: &[Ball; 5]) -> [Ball; 5] {
    let [_, q1, q2, q3, q4] = *q;
    let [three, four, six] = [3.0, 4.0, 6.0].map(Ball::exact);
    let square = q1 * q1;
    [
        Ball::ONE,
        q1,
        square + q2,
        square * q1 + three * q1 * q2 + q3,
        square * square + six * square * q2 + three * q2 * q2 + four * q1 * q3 + q4,
    ]
}

pub(crate) const IDENTITY: Matrix =
    [[Ball::ONE, Ball::ZERO, Ball::ZERO], [Ball::ZERO, Ball::ONE, Ball::ZERO], [Ball::ZERO, Ball::ZERO, Ball::ONE]];

fn affine(m: Matrix) -> Affine {
    [m[0], m[1], m[2], [Ball::ZERO; 3]]
}

/// The matrix times a vector.
pub(crate) fn apply(m: &Matrix, v: [Ball; 3]) -> [Ball; 3] {
    std::array::from_fn(|r| dot([m[0][r], m[1][r], m[2][r]], v))
}

/// The product of two matrices.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    b.map(|column| apply(a, column))
}

/// `a aᵀ`.
pub(crate) fn outer(a: [Ball; 3]) -> Matrix {
    a.map(|x| a.map(|y| y * x))
}

/// `[a]×`.
pub(crate) fn cross_matrix(a: [Ball; 3]) -> Matrix {
    IDENTITY.map(|e| crate::ball::cross(a, e))
}

/// `a + factor * b`.
pub(crate) fn plus(a: &Matrix, b: &Matrix, factor: Ball) -> Matrix {
    std::array::from_fn(|j| std::array::from_fn(|r| a[j][r] + factor * b[j][r]))
}
