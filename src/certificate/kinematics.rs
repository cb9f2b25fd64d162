//! Derivatives of moving bodies over short intervals, and bounds on the remainder of their Taylor polynomials.

use crate::arith::trig::sin_cos;
use crate::robot::{Drive, Joint, JointKind, JointMotion, Trajectory};
use glam::{DMat3, DVec3};

/// Highest derivative in the Taylor polynomials.
pub const ORDER: usize = 3;
/// `binomial(k, i)`.
const BINOMIAL: [[f64; ORDER + 2]; ORDER + 2] = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0],
];

/// A part of one segment of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Number of the segment.
    pub segment: usize,
    /// Its ends in local time.
    pub ends: [f64; 2],
}

impl Interval {
    /// The midpoint.
    pub fn middle(&self) -> f64 {
        0.5 * (self.ends[0] + self.ends[1])
    }

    /// Half its length, rounded up.
    pub fn half(&self) -> f64 {
        0.5 * (self.ends[1] - self.ends[0]) * (1.0 + f64::EPSILON)
    }
}

/// A value over an interval: its derivatives in the middle, and bounds on the absolute values of its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Curve {
    /// Value and derivatives in the middle.
    pub at: [f64; ORDER + 1],
    /// Its least and its largest value over the interval, or beyond.
    pub range: [f64; 2],
    /// Bounds on the value and the derivatives over the interval.
    pub bound: [f64; ORDER + 2],
}

impl Curve {
    /// The curve of Bernstein coefficients on `[0, 1]` over an interval.
    pub fn new(coefficients: &[f64], interval: &Interval) -> Self {
        let mut this = Self::default();
        if let &[start, end] = coefficients {
            let at = |t: f64| (1.0 - t) * start + t * end;
            let rate = end - start;
            (this.at[0], this.at[1]) = (at(interval.middle()), rate);
            let [from, to] = interval.ends;
            this.range = [at(from).min(at(to)), at(from).max(at(to))];
            this.bound[1] = rate.abs();
            this.bound[0] = largest(this.range);
            return this;
        }
        let mut b = [0.0; crate::robot::trajectory::MAX_DEGREE + 1];
        let mut n = coefficients.len();
        b[..n].copy_from_slice(coefficients);
        for k in 0..=ORDER + 1 {
            if n == 0 {
                break;
            }
            if k <= ORDER {
                this.at[k] = value(&b[..n], interval.middle());
            }
            let range = range(&b[..n], interval.ends);
            if k == 0 {
                this.range = range;
            }
            this.bound[k] = largest(range);
            // The derivative has one coefficient less.
            let degree = (n - 1) as f64;
            for i in 0..n - 1 {
                b[i] = degree * (b[i + 1] - b[i]);
            }
            n -= 1;
        }
        this
    }

    /// The value of a joint that follows this column.
    pub fn driven(&self, drive: &Drive) -> Self {
        let mut this = *self;
        this.at.iter_mut().for_each(|x| *x *= drive.multiplier);
        this.bound.iter_mut().for_each(|x| *x *= drive.multiplier.abs());
        this.at[0] += drive.offset;
        let ends = self.range.map(|x| drive.multiplier * x + drive.offset);
        this.range = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        this.bound[0] = largest(this.range);
        this
    }
}

/// The polynomial with these Bernstein coefficients.
fn value(coefficients: &[f64], t: f64) -> f64 {
    let mut b = [0.0; crate::robot::trajectory::MAX_DEGREE + 1];
    let n = coefficients.len();
    b[..n].copy_from_slice(coefficients);
    for m in (1..n).rev() {
        for i in 0..m {
            b[i] = (1.0 - t) * b[i] + t * b[i + 1];
        }
    }
    b[0]
}

/// The largest absolute value in a range.
fn largest([least, most]: [f64; 2]) -> f64 {
    most.max(-least)
}

/// The least and the largest Bernstein coefficient over a part of `[0, 1]`.
fn range(coefficients: &[f64], [t0, t1]: [f64; 2]) -> [f64; 2] {
    let n = coefficients.len();
    if n == 1 {
        return [coefficients[0]; 2];
    }
    let mut b = [0.0; crate::robot::trajectory::MAX_DEGREE + 1];
    b[..n].copy_from_slice(coefficients);
    // The part up to t1: the left coefficients of de Casteljau's scheme; then of that the part from t0.
    for m in 1..n {
        for i in (m..n).rev() {
            b[i] = (1.0 - t1) * b[i - 1] + t1 * b[i];
        }
    }
    let s = if t1 > 0.0 { t0 / t1 } else { 0.0 };
    for m in (1..n).rev() {
        for i in 0..m {
            b[i] = (1.0 - s) * b[i] + s * b[i + 1];
        }
    }
    b[..n].iter().fold([b[0]; 2], |[least, most], x| [least.min(*x), most.max(*x)])
}

/// A joint over an interval: `x -> P x + c`, with derivatives in the middle.
struct JointCurve {
    p: [DMat3; ORDER + 1],
    c: [DVec3; ORDER + 1],
    /// Bounds on the derivatives of the rotation.
    turn: [f64; ORDER + 2],
    /// Bounds on the displacement from the parent's origin, and on its derivatives.
    offset: [f64; ORDER + 2],
    /// The first of them, for values within the joint tolerance.
    reach: f64,
    /// By how much the joint's value may deviate, radians or metres.
    tolerance: f64,
    /// The highest derivatives of `p` and `c` that are not 0.
    orders: [usize; 2],
}

impl JointCurve {
    fn new(joint: &Joint, trajectory: &Trajectory, interval: &Interval, tolerance: &[f64]) -> Self {
        let of = |drive: &Drive| drive.multiplier.abs() * tolerance.get(drive.column as usize).copied().unwrap_or(0.0);
        let column = |drive: &Drive| {
            let coefficients = trajectory.coefficients(interval.segment, drive.column as usize);
            Curve::new(coefficients, interval).driven(drive)
        };
        let mut this = Self {
            p: [DMat3::ZERO; ORDER + 1],
            c: [DVec3::ZERO; ORDER + 1],
            turn: [1.0, 0.0, 0.0, 0.0, 0.0],
            offset: [joint.origin_m.length(), 0.0, 0.0, 0.0, 0.0],
            reach: joint.origin_m.length(),
            tolerance: 0.0,
            orders: [0; 2],
        };
        (this.p[0], this.c[0]) = (joint.orientation, joint.origin_m);
        // The distance from the parent's origin is convex along a line, so that it is largest at an end.
        match &joint.kind {
            JointKind::Fixed => {}
            JointKind::Revolute { axis, drive } => {
                this.turn_about(joint.orientation, *axis, &column(drive));
                this.tolerance = of(drive);
            }
            JointKind::Prismatic { axis, drive } => {
                let (along, direction) = (column(drive), joint.orientation * *axis);
                for k in 0..=ORDER {
                    this.c[k] += direction * along.at[k];
                }
                this.tolerance = of(drive);
                let farthest = |by: f64| {
                    let ends = [along.range[0] - by, along.range[1] + by];
                    ends.map(|s| (joint.origin_m + direction * s).length()).into_iter().fold(0.0, f64::max)
                };
                this.offset = along.bound;
                (this.offset[0], this.reach) = (farthest(0.0), farthest(this.tolerance));
                this.orders[1] = ORDER;
            }
            JointKind::Free { .. } => this.move_freely(joint, trajectory, interval),
        }
        this
    }

    /// `P = before * R(angle) about a unit axis`.
    fn turn_about(&mut self, before: DMat3, axis: DVec3, angle: &Curve) {
        let (sin, cos) = sin_cos(angle.at[0]);
        let (mut s, mut c) = ([sin, 0.0, 0.0, 0.0], [cos, 0.0, 0.0, 0.0]);
        for k in 0..ORDER {
            for i in 0..=k {
                c[k + 1] -= BINOMIAL[k][i] * s[i] * angle.at[k + 1 - i];
                s[k + 1] += BINOMIAL[k][i] * c[i] * angle.at[k + 1 - i];
            }
        }
        let along = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let cross = DMat3::from_cols(axis.cross(DVec3::X), axis.cross(DVec3::Y), axis.cross(DVec3::Z));
        let (a, b, rest) = (before * (DMat3::IDENTITY - along), before * cross, before * along);
        for k in 0..=ORDER {
            self.p[k] = a * c[k] + b * s[k];
        }
        self.p[0] += rest;
        self.orders[0] = ORDER;
        let [_, q1, q2, q3, q4] = angle.bound;
        self.turn = [
            1.0,
            q1,
            q1 * q1 + q2,
            q1 * q1 * q1 + 3.0 * q1 * q2 + q3,
            q1 * q1 * q1 * q1 + 6.0 * q1 * q1 * q2 + 3.0 * q2 * q2 + 4.0 * q1 * q3 + q4,
        ];
    }

    fn move_freely(&mut self, joint: &Joint, trajectory: &Trajectory, interval: &Interval) {
        let columns = trajectory.n_columns();
        let ends = [0, 1].map(|end| {
            let of = |c: usize| trajectory.coefficients(interval.segment, c);
            (0..columns).map(|c| of(c)[end * (of(c).len() - 1)]).collect::<Vec<f64>>()
        });
        // The trajectory was checked, so its free joints have poses; if not, no proof holds.
        let Ok(motion) = JointMotion::new(joint, &ends[0], &ends[1]) else {
            self.p[0] = DMat3::NAN;
            return;
        };
        self.orders = [ORDER, 1];
        let (t, w) = (interval.middle(), motion.w_rad);
        let (sin, cos) = sin_cos(t * w);
        let (c, s) = ([cos, -sin, -cos, sin], [sin, cos, -sin, -cos]);
        let mut power = 1.0;
        for k in 0..=ORDER {
            self.p[k] = (motion.a * c[k] + motion.b * s[k]) * power;
            self.turn[k] = w.abs().powi(k as i32);
            power *= w;
        }
        self.turn[ORDER + 1] = w.powi(ORDER as i32 + 1).abs();
        self.p[0] += motion.c;
        self.c[0] = motion.origin_m + motion.slide_m * t;
        self.c[1] = motion.slide_m;
        let distances = interval.ends.map(|t| (motion.origin_m + motion.slide_m * t).length());
        self.offset[0] = distances[0].max(distances[1]);
        self.reach = self.offset[0];
        self.offset[1] = motion.slide_m.length();
    }
}

/// The motion of a body in a common frame over an interval.
#[derive(Clone, Copy, Debug)]
pub struct BodyCurve {
    p: [DMat3; ORDER + 1],
    c: [DVec3; ORDER + 1],
    /// A bound on the fourth derivative of a point `x`: `row · (|x|, 0, 0, 0, 0) + rest`.
    row: [f64; ORDER + 2],
    rest: f64,
    /// Sum of the joint tolerances of turning joints, radians, and of those times the length of the chain up to them.
    tolerance: [f64; 2],
    /// Sum of the joint tolerances of sliding joints, metres.
    slides: f64,
    /// Bound on the length of the chain, metres.
    length: f64,
}

impl BodyCurve {
    /// A body at rest in the common frame.
    pub fn at_rest() -> Self {
        let mut this = Self {
            p: [DMat3::ZERO; ORDER + 1],
            c: [DVec3::ZERO; ORDER + 1],
            row: [0.0; ORDER + 2],
            rest: 0.0,
            tolerance: [0.0; 2],
            slides: 0.0,
            length: 0.0,
        };
        this.p[0] = DMat3::IDENTITY;
        this.row[ORDER + 1] = 1.0;
        this
    }

    /// The body behind a joint of this one; `tolerance` is that of each column, empty without tolerances.
    pub fn child(&self, joint: &Joint, trajectory: &Trajectory, interval: &Interval, tolerance: &[f64]) -> Self {
        let own = JointCurve::new(joint, trajectory, interval, tolerance);
        let mut this = Self { rest: self.rest, ..Self::at_rest() };
        (this.p[0], this.row) = (DMat3::ZERO, [0.0; ORDER + 2]);
        for k in 0..=ORDER {
            this.c[k] = self.c[k];
            for i in k.saturating_sub(own.orders[0])..=k {
                this.p[k] += self.p[i] * own.p[k - i] * BINOMIAL[k][i];
            }
            for i in k.saturating_sub(own.orders[1])..=k {
                this.c[k] += self.p[i] * own.c[k - i] * BINOMIAL[k][i];
            }
        }
        for k in 0..ORDER + 2 {
            this.rest += self.row[k] * own.offset[k];
            for i in 0..=k {
                this.row[k - i] += self.row[k] * BINOMIAL[k][i] * own.turn[i];
            }
        }
        this.length = self.length + own.reach;
        (this.tolerance, this.slides) = (self.tolerance, self.slides);
        match &joint.kind {
            JointKind::Revolute { .. } => {
                this.tolerance[0] += own.tolerance;
                this.tolerance[1] += own.tolerance * this.length;
            }
            JointKind::Prismatic { .. } => this.slides += own.tolerance,
            JointKind::Fixed | JointKind::Free { .. } => {}
        }
        this
    }

    /// The control poses over the interval.
    pub fn sweep(&self, interval: &Interval) -> Sweep {
        let h = interval.half();
        let scale = [1.0, h, h * h / 2.0, h * h * h / 6.0];
        let p: [DMat3; ORDER + 1] = std::array::from_fn(|k| self.p[k] * scale[k]);
        let c: [DVec3; ORDER + 1] = std::array::from_fn(|k| self.c[k] * scale[k]);
        let third = 1.0 / 3.0;
        let weights =
            [[1.0, -1.0, 1.0, -1.0], [1.0, -third, -third, 1.0], [1.0, third, -third, -1.0], [1.0, 1.0, 1.0, 1.0]];
        let remainder = h * h * h * h / 24.0;
        let [turns, turns_by_length] = self.tolerance;
        Sweep {
            p: weights.map(|w| (0..=ORDER).fold(DMat3::ZERO, |sum, k| sum + p[k] * w[k])),
            c: weights.map(|w| (0..=ORDER).fold(DVec3::ZERO, |sum, k| sum + c[k] * w[k])),
            rest: remainder * self.rest + self.slides + turns * self.length - turns_by_length,
            by_reach: remainder * self.row[0] + turns,
        }
    }
}

/// A body over an interval: a point `x` is always in the convex hull of the four `p x + c`, up to
/// `rest + by_reach |x|`.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// The control poses: rotations and the like.
    pub p: [DMat3; ORDER + 1],
    /// The control poses: displacements, metres.
    pub c: [DVec3; ORDER + 1],
    /// Remainder and tolerance, metres.
    rest: f64,
    /// Remainder and tolerance relative to the distance from the origin of the body.
    by_reach: f64,
}

impl Sweep {
    /// The distance by which points at most `reach_m` from the body's origin may leave the hull of the control poses.
    pub fn slack_m(&self, reach_m: f64) -> f64 {
        (self.rest + self.by_reach * reach_m) * (1.0 + 1e-12)
    }
}
