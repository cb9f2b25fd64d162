//! The in-between motion of a whole model. `pose_bounds` evaluates it.

use crate::arith::real::Real;
use crate::arith::vectors::WIDTH;
use crate::enclosure::chain_bounds::{ChainBounds, Deviation, JointBounds};
use crate::enclosure::derivative_bounds::DerivativeBounds;
use crate::error::{Error, Result, quoted};
use crate::robot::Robot;
use crate::robot::joint_motion::JointMotion;
use crate::robot::phase::{Parts, Phase};
use crate::robot::trajectory::Span;
use glam::DVec3;

/// One motion of a robot: every body's joint motion and the bounds along its chain.
#[derive(Clone, Debug, Default)]
pub struct RobotMotion {
    /// The motion of each body in its parent's frame, parents first.
    pub joints: Vec<JointMotion>,
    /// The parent of each body.
    pub parents: Vec<Option<u32>>,
    /// Bounds along each body's chain.
    pub chains: Vec<ChainBounds>,
    /// The phase of each body's joint; empty if all phases are the time.
    pub phases: Vec<Phase>,
    /// Bounds on the derivatives of each body's motion in the parts of the time; empty if all phases are the time.
    in_parts: Vec<DerivativeBounds<Parts>>,
    /// For each body, the value of its joint at phase 0, and its change per unit of the phase, radians or metres; zero
    /// for fixed and free joints. Empty for a motion that was not made from joint values.
    values: Vec<[f64; 2]>,
    /// For each body, the deviation of its joint's stored matrices from rotations: [`JointMotion::defect`].
    pub defects: Vec<f64>,
    /// For each body, the deviation of the intended joint motion from the stored one.
    pub deviations: Vec<Deviation>,
    /// The size of each body's geometry, for the masses of toleranced bounds, metres. Any size gives a valid bound; the
    /// body's own size gives the tightest one.
    pub sizes_m: Vec<f64>,
}

/// The values of a joint during some time, radians or metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointValues {
    pub lowest: f64,
    pub highest: f64,
    /// The size of the numbers from which they were computed.
    pub size: f64,
}

/// Lower bound of the sizes.
const MIN_SIZE_M: f64 = 1e-3;

impl RobotMotion {
    /// The motion from configuration `q0` to `q1`.
    ///
    /// # Errors
    /// As [`JointMotion::new`]; the columns do not fit the robot.
    pub fn new(robot: &Robot, q0: &[f64], q1: &[f64]) -> Result<Self> {
        let mut motion = Self::default();
        motion.set(robot, q0, q1)?;
        Ok(motion)
    }

    /// Replaces the motion, keeping its memory.
    ///
    /// # Errors
    /// As [`RobotMotion::new`].
    pub fn set(&mut self, robot: &Robot, q0: &[f64], q1: &[f64]) -> Result<()> {
        let n = robot.columns.len();
        if q0.len() != n || q1.len() != n {
            return Err(Error::usage(format!("{} and {} values for a robot of {n} columns", q0.len(), q1.len())));
        }
        // The joints are overwritten in their places.
        let mut joints = std::mem::take(&mut self.joints);
        self.clear();
        joints.resize(robot.bodies.len(), JointMotion::UNSET);
        for (bodies, motions) in robot.bodies.chunks(WIDTH).zip(joints.chunks_mut(WIDTH)) {
            let defects = JointMotion::set_all(motions, bodies.iter().map(|body| &body.joint), [q0, q1])?;
            for ((body, motion), defect) in bodies.iter().zip(motions).zip(defects) {
                if !JointMotion::is_small(defect) {
                    let message = format!("its rotation deviates by {defect:e}, which is too much");
                    return Err(Error::input(message).at(format!("joint {}", quoted(&body.joint.name))));
                }
                self.push_chain(body.parent, defect, Deviation::default(), &motion.bounds(&Phase::TIME));
                self.values.push(body.joint.drive().map_or([0.0; 2], |drive| {
                    let [start, end] = [q0, q1].map(|q| drive.value(q));
                    [start, end - start]
                }));
            }
        }
        self.joints = joints;
        Ok(())
    }

    /// Replaces the motion by the motion along a span of a trajectory, without its deviations, keeping its memory.
    ///
    /// # Errors
    /// As [`RobotMotion::new`].
    pub fn set_span(&mut self, robot: &Robot, span: &Span) -> Result<()> {
        if span.degree < 2 {
            return self.set(robot, &span.start, &span.end);
        }
        if span.start.len() != robot.columns.len() {
            return Err(Error::usage(format!(
                "{} values for a robot of {} columns",
                span.start.len(),
                robot.columns.len()
            )));
        }
        self.clear();
        for body in &robot.bodies {
            let curve = |column: usize| span.coefficients(column);
            let (joint, phase) = JointMotion::along(&body.joint, [&span.start, &span.end], curve)?;
            self.push_phased(body.parent, joint, joint.defect(), Deviation::default(), phase);
            // The phase is the joint's value without that at the start.
            self.values.push(body.joint.drive().map_or([0.0; 2], |drive| {
                let start = drive.multiplier * curve(drive.column as usize)[0] + drive.offset;
                [start, if joint.w_rad == 0.0 && joint.slide_m == DVec3::ZERO { 0.0 } else { 1.0 }]
            }));
        }
        Ok(())
    }

    /// Removes all bodies.
    pub(super) fn clear(&mut self) {
        self.joints.clear();
        self.parents.clear();
        self.chains.clear();
        self.phases.clear();
        self.in_parts.clear();
        self.values.clear();
        self.defects.clear();
        self.deviations.clear();
        self.sizes_m.clear();
    }

    /// Makes everything within `margin_m` metres count as touching, for the culling stages.
    pub fn set_margin(&mut self, margin_m: f64) {
        self.chains.iter_mut().for_each(|c| c.margin_m = margin_m);
    }

    /// Sets, for some bodies, the distance to which a body's geometry extends from its origin; one metre for the
    /// others.
    pub fn set_sizes(&mut self, sizes_m: impl IntoIterator<Item = (u32, f64)>) {
        let mut known = vec![0.0f64; self.joints.len()];
        for (body, size_m) in sizes_m {
            if let Some(known) = known.get_mut(body as usize) {
                *known = known.max(size_m);
            }
        }
        self.sizes_m = known.into_iter().map(|s| if s > 0.0 { s.max(MIN_SIZE_M) } else { 1.0 }).collect();
    }

    /// Appends a body with its joint's motion; its parent must already be in the list.
    pub fn push(&mut self, parent: Option<u32>, joint: JointMotion) {
        self.push_known(parent, joint, joint.defect(), Deviation::default());
    }

    /// Like [`push`](Self::push), for a joint whose defect and deviation are known.
    pub(super) fn push_known(&mut self, parent: Option<u32>, joint: JointMotion, defect: f64, deviation: Deviation) {
        self.push_bounded(parent, joint, defect, deviation, &joint.bounds(&Phase::TIME));
    }

    /// The same for a joint with a phase. Either all joints of a motion have a phase, or none of them.
    pub(super) fn push_phased(
        &mut self,
        parent: Option<u32>,
        joint: JointMotion,
        defect: f64,
        deviation: Deviation,
        phase: Phase,
    ) {
        let of = joint.bounds(&phase);
        let before = parent.map(|p| self.in_parts[p as usize]).unwrap_or_default();
        let [turn_rad, slide_m] = joint.rates_in_parts(&phase);
        let in_parts = before.extended(turn_rad, slide_m, Parts::new(of.offset_max_m));
        self.push_bounded(parent, joint, defect, deviation, &of);
        if let Some(chain) = self.chains.last_mut() {
            chain.third = in_parts.third().map(|bounds| bounds.0.into_iter().fold(0.0, f64::max));
        }
        self.in_parts.push(in_parts);
        self.phases.push(phase);
    }

    fn push_bounded(
        &mut self,
        parent: Option<u32>,
        joint: JointMotion,
        defect: f64,
        deviation: Deviation,
        of: &JointBounds,
    ) {
        self.joints.push(joint);
        self.push_chain(parent, defect, deviation, of);
    }

    /// Appends all of a body but its joint's motion.
    fn push_chain(&mut self, parent: Option<u32>, defect: f64, deviation: Deviation, of: &JointBounds) {
        let before = parent.map_or_else(ChainBounds::default, |p| self.chains[p as usize]);
        let bounds = before.extended(of);
        self.chains.push(bounds.deviating(&before, of.offset_max_m, deviation));
        self.deviations.push(deviation);
        self.parents.push(parent);
        self.defects.push(defect);
        self.sizes_m.push(1.0);
    }

    /// Enlarges all balls so that the motion represents every motion whose joints deviate from it, at any time, by at
    /// most these bounds, one for each body.
    pub fn set_deviations(&mut self, deviations: impl IntoIterator<Item = Deviation>) {
        for (body, deviation) in deviations.into_iter().enumerate().take(self.joints.len()) {
            let before = self.parents[body].map(|p| self.chains[p as usize]).unwrap_or_default();
            let offset_max_m = self.joints[body].bounds(self.phase(body)).offset_max_m;
            self.chains[body] = self.chains[body].deviating(&before, offset_max_m, deviation);
            self.deviations[body] = deviation;
        }
    }

    /// A range of the values of a body's joint from time `t0` to `t1`, with its deviation; `None` if the motion was not
    /// made from joint values.
    pub(super) fn joint_values(&self, body: usize, [t0, t1]: [f64; 2]) -> Option<JointValues> {
        let [start, rate] = *self.values.get(body)?;
        let [from, to] = match self.phases.get(body) {
            None => [t0, t1],
            Some(phase) => {
                let range = phase.range_within(0.5 * (t0 + t1), 0.5 * (t1 - t0));
                [range.lo, range.hi]
            }
        };
        let ends = [start + rate * from, start + rate * to];
        let Deviation { turn_rad, slide_m } = self.deviations[body];
        let stray = turn_rad + slide_m;
        let size = start.abs() + rate.abs() * from.abs().max(to.abs()) + stray;
        Some(JointValues { lowest: ends[0].min(ends[1]) - stray, highest: ends[0].max(ends[1]) + stray, size })
    }

    /// The phase of a body's joint.
    pub fn phase(&self, body: usize) -> &Phase {
        self.phases.get(body).unwrap_or(&Phase::TIME)
    }

    /// The largest [pace](ChainBounds::pace_rad) of any chain, radians.
    pub fn pace_rad(&self) -> f64 {
        self.chains.iter().fold(0.0, |m, c| f64::max(m, c.pace_rad()))
    }

    /// The largest sum of joint angles along any chain, radians.
    pub fn omega(&self) -> f64 {
        self.chains.iter().fold(0.0, |m, c| f64::max(m, c.derivatives.omega[0]))
    }
}
