//! The motion of bodies over intervals, relative to an ancestor: Taylor polynomials, control poses and error bounds.

use std::collections::HashMap;
use std::rc::Rc;

use crate::ball::{Ball, Sum, larger};
use crate::joint_motion::{Affine, IDENTITY, JointMotion, PreparedBody};
use crate::model::{Motion, Robot, Statement};
use crate::polynomial::Interval;

/// The motion of a body over an interval, in the frame of an ancestor or the world.
pub(crate) struct BodyMotion {
    taylor: [Affine; 4],
    /// Bounds on the derivatives of a point: `rho` times its distance, plus `sigma`.
    rho: [Ball; 5],
    sigma: [Ball; 5],
    /// Bound for the norm of the position, for joint values within the tolerance.
    reach: Ball,
    /// Largest deviation by the joint tolerance: constant, and factor of a point's distance.
    deviation: [Ball; 2],
    /// Bernstein coefficients of the Taylor polynomial over the interval.
    pub control: [Affine; 4],
    /// Largest distance from the Taylor polynomial, and by the joint tolerance: constant, and factor.
    spread: [Ball; 2],
}

impl BodyMotion {
    /// The frame itself.
    fn rest() -> Self {
        let mut frame = [[[Ball::ZERO; 3]; 4]; 4];
        frame[0][..3].copy_from_slice(&IDENTITY);
        let mut rho = [Ball::ZERO; 5];
        rho[0] = Ball::ONE;
        Self {
            taylor: frame,
            rho,
            sigma: [Ball::ZERO; 5],
            reach: Ball::ZERO,
            deviation: [Ball::ZERO; 2],
            control: [frame[0]; 4],
            spread: [Ball::ZERO; 2],
        }
    }

    /// The motion of a child of the body.
    fn child(&self, joint: &JointMotion, time: &Interval) -> Self {
        let taylor = compose(&self.taylor, &joint.taylor);
        let rho = leibniz(&self.rho, &joint.rho);
        let through = leibniz(&self.rho, &joint.sigma);
        let sigma: [Ball; 5] = std::array::from_fn(|k| self.sigma[k] + through[k]);
        // A deviation of the joint, moved by the parents; and theirs, of a point at `joint.reach + joint.rho[0] |x|`.
        let deviation = [
            self.deviation[0] + self.deviation[1] * joint.reach + self.rho[0] * joint.deviation[0],
            self.deviation[1] * joint.rho[0] + self.rho[0] * joint.deviation[1],
        ];
        let remainder = time.powers()[4];
        Self {
            taylor,
            rho,
            sigma,
            reach: self.reach + self.rho[0] * joint.reach,
            deviation,
            control: control_poses(&taylor),
            spread: [remainder * sigma[4] + deviation[0], remainder * rho[4] + deviation[1]],
        }
    }

    /// Largest distance of a point from the hull of its control points, for all joint values within the tolerance. The
    /// point is within a distance of the body's origin.
    pub fn spread(&self, distance: f64) -> Ball {
        self.spread[0] + self.spread[1] * Ball::exact(distance)
    }
}

/// The product of two polynomials, up to order 3. The second one may have fewer coefficients.
fn compose(parent: &[Affine; 4], local: &[Affine]) -> [Affine; 4] {
    std::array::from_fn(|k| {
        std::array::from_fn(|column| {
            std::array::from_fn(|row| {
                let mut sum = Sum::default();
                for (i, local) in local.iter().enumerate().take(k + 1) {
                    for j in 0..3 {
                        sum.add(parent[k - i][j][row], local[column][j]);
                    }
                }
                let entry = sum.ball();
                if column == 3 { entry + parent[k][3][row] } else { entry }
            })
        })
    })
}

/// The derivatives of a product.
fn leibniz(a: &[Ball; 5], b: &[Ball; 5]) -> [Ball; 5] {
    const BINOMIAL: [[f64; 5]; 5] = [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 2.0, 1.0, 0.0, 0.0],
        [1.0, 3.0, 3.0, 1.0, 0.0],
        [1.0, 4.0, 6.0, 4.0, 1.0],
    ];
    std::array::from_fn(|k| {
        let mut sum = Sum::default();
        for i in 0..=k {
            sum.add(Ball::exact(BINOMIAL[k][i]) * a[i], b[k - i]);
        }
        sum.ball()
    })
}

/// Bernstein coefficients over [-1, 1] of a cubic polynomial.
fn control_poses(taylor: &[Affine; 4]) -> [Affine; 4] {
    let third = Ball::ratio(1.0, 3.0);
    let mut control = [[[Ball::ZERO; 3]; 4]; 4];
    for column in 0..4 {
        for row in 0..3 {
            let a: [Ball; 4] = std::array::from_fn(|k| taylor[k][column][row]);
            let (even, odd) = (a[0] + a[2], a[1] + a[3]);
            let (inner_even, inner_odd) = (a[0] - third * a[2], third * a[1] - a[3]);
            let entries = [even - odd, inner_even - inner_odd, inner_even + inner_odd, even + odd];
            for (pose, entry) in control.iter_mut().zip(entries) {
                pose[column][row] = entry;
            }
        }
    }
    control
}

/// A robot, prepared: its bodies, and the parents of each.
pub(crate) struct PreparedRobot {
    bodies: Vec<PreparedBody>,
}

impl PreparedRobot {
    pub fn new(robot: &Robot) -> Self {
        Self { bodies: robot.bodies.iter().map(PreparedBody::new).collect() }
    }

    /// The nearest body that is an ancestor of both bodies, or one of them; none if that is the world.
    pub fn common_frame(&self, a: usize, b: usize) -> Option<usize> {
        let parents = |body: usize| std::iter::successors(Some(body), |body| self.bodies[*body].parent);
        parents(a).find(|ancestor| parents(b).any(|other| other == *ancestor))
    }
}

/// Frame, body, segment and the bits of the times.
type Key = (Option<usize>, usize, usize, u64, u64);

/// Motions of bodies over intervals, each computed once while there is room.
pub(crate) struct Motions<'a> {
    robot: &'a PreparedRobot,
    statement: &'a Statement,
    motion: &'a Motion,
    cache: HashMap<Key, Rc<BodyMotion>>,
    rest: Rc<BodyMotion>,
}

/// Largest number of motions that are kept, 2 KiB each.
const MAX_CACHED: usize = 8192;

impl<'a> Motions<'a> {
    pub fn new(robot: &'a PreparedRobot, statement: &'a Statement, motion: &'a Motion) -> Self {
        Self { robot, statement, motion, cache: HashMap::new(), rest: Rc::new(BodyMotion::rest()) }
    }

    /// The number of segments of the motion.
    pub fn n_segments(&self) -> usize {
        self.motion.segments.len()
    }

    /// The motion of a body in the frame of an ancestor, or of the world.
    pub fn get(&mut self, frame: Option<usize>, body: usize, time: &Interval) -> Rc<BodyMotion> {
        let key = |body| (frame, body, time.segment, time.from.to_bits(), time.to.to_bits());
        let (mut chain, mut next) = (Vec::new(), Some(body));
        let mut motion = loop {
            let Some(body) = next.filter(|body| Some(*body) != frame) else {
                break self.rest.clone();
            };
            if let Some(known) = self.cache.get(&key(body)) {
                break known.clone();
            }
            chain.push(body);
            next = self.robot.bodies[body].parent;
        };
        if self.cache.len() > MAX_CACHED {
            self.cache.clear();
        }
        for body in chain.into_iter().rev() {
            motion = Rc::new(motion.child(&self.joint(body, time), time));
            self.cache.insert(key(body), motion.clone());
        }
        motion
    }

    fn joint(&self, body: usize, time: &Interval) -> JointMotion {
        let segment = &self.motion.segments[time.segment];
        self.robot.bodies[body].motion(segment, time, |column| self.statement.tolerance(column))
    }
}

/// The larger of the upper bounds of some numbers.
pub(crate) fn largest(numbers: impl Iterator<Item = Ball>) -> f64 {
    numbers.map(Ball::upper).fold(f64::NEG_INFINITY, larger)
}
