//! The motion of one joint over an interval: from the body's frame to that of its parent.

use crate::ball::{Ball, Sum, dot, exact, larger, norm};
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
        match &self.joint {
            PreparedJoint::Fixed => self.at_rest(),
            PreparedJoint::Revolute { drive, parts } => {
                let (angle, deviation) = column(drive);
                let mut motion = self.turning(turn(&angle.taylor, parts), &angle.bounds);
                motion.deviation[1] = self.stretch * deviation;
                motion
            }
            PreparedJoint::Prismatic { drive, direction } => {
                let (slide, deviation) = column(drive);
                self.sliding(&slide, *direction, deviation)
            }
            PreparedJoint::Free { first_column } => self.free(segment, *first_column, time),
        }
    }

    fn at_rest(&self) -> JointMotion {
        let mut sigma = [Ball::ZERO; 5];
        sigma[0] = self.reach;
        let mut pose = affine(self.orientation);
        pose[3] = self.origin;
        JointMotion {
            taylor: vec![pose],
            rho: rates(&[Ball::ZERO; 5]).map(|rho| self.stretch * rho),
            sigma,
            deviation: [Ball::ZERO; 2],
            reach: self.reach,
        }
    }

    /// Rotation by matrices, with bounds on the derivatives of its angle.
    fn turning(&self, turn: [Matrix; 4], angle: &[Ball; 5]) -> JointMotion {
        let mut taylor = turn.map(affine).to_vec();
        taylor[0][3] = self.origin;
        JointMotion { taylor, rho: rates(angle).map(|rho| self.stretch * rho), ..self.at_rest() }
    }

    /// Translation along a direction.
    fn sliding(&self, slide: &Value, direction: [Ball; 3], deviation: Ball) -> JointMotion {
        let mut motion = self.at_rest();
        motion.taylor.resize(4, affine(NULL));
        for k in 0..4 {
            let displacement = direction.map(|d| slide.taylor[k] * d);
            motion.taylor[k][3] = std::array::from_fn(|r| motion.taylor[k][3][r] + displacement[r]);
        }
        motion.sigma = slide.bounds.map(|bound| self.stretch * bound);
        let farthest = |by: Ball| {
            let [least, most] = [Ball::exact(slide.range[0]) - by, Ball::exact(slide.range[1]) + by];
            self.farther([least, most].map(|s| direction.map(|d| s * d)))
        };
        motion.sigma[0] = farthest(Ball::ZERO);
        motion.reach = farthest(deviation);
        motion.deviation[0] = self.stretch * deviation;
        motion
    }

    /// Bound for the distance of a point from the parent's origin while it moves straight between these ends, given
    /// from the joint's origin. The distance is convex along the line, so that it is largest at an end.
    fn farther(&self, ends: [[Ball; 3]; 2]) -> Ball {
        let [from, to] = ends.map(|end| norm(std::array::from_fn(|r| self.origin[r] + end[r])));
        Ball::exact(larger(from, to))
    }

    fn free(&self, segment: &Segment, first_column: usize, time: &Interval) -> JointMotion {
        let free = FreeMotion::new(&segment.coefficients[first_column..first_column + 7], time);
        let mut motion = self.turning(free.rotation.map(|r| product(&self.orientation, &r)), &free.angle);
        for k in 0..4 {
            let position = apply(&self.orientation, free.position[k]);
            motion.taylor[k][3] = std::array::from_fn(|r| motion.taylor[k][3][r] + position[r]);
        }
        motion.sigma[0] = self.farther(free.ends.map(|end| apply(&self.orientation, end)));
        motion.sigma[1] = self.stretch * Ball::exact(free.speed);
        motion.reach = motion.sigma[0];
        motion
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
