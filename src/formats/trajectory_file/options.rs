//! Options for reading trajectories.

use crate::formats::MotionOptions;

/// The curve between two points of a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Segment by segment: quintic where both ends have velocities and accelerations, cubic where both have velocities,
    /// otherwise linear.
    #[default]
    Auto,
    /// Straight lines; velocities and accelerations are not used.
    Linear,
    /// Cubic Hermite curves; every point needs a time and velocities.
    Cubic,
    /// Hermite curves of degree five; every point needs a time, velocities and accelerations.
    Quintic,
}

/// Options for reading a file of trajectories. Start from `TrajectoryOptions::default()` and set what differs.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct TrajectoryOptions {
    /// Limits on the memory for reading, and values of missing joints.
    pub motion: MotionOptions,
    /// The curve between two points.
    pub interpolation: Interpolation,
    /// Configuration in which the robot rests at time 0, radians and metres: the start of trajectories whose first time
    /// is above 0.
    pub start_state: Option<Vec<f64>>,
}

impl TrajectoryOptions {
    /// Sets the limits on the memory for reading, and the values of missing joints.
    #[must_use]
    pub fn with_motion(self, motion: MotionOptions) -> Self {
        Self { motion, ..self }
    }

    /// Sets the curve between two points.
    #[must_use]
    pub fn with_interpolation(self, interpolation: Interpolation) -> Self {
        Self { interpolation, ..self }
    }

    /// Sets the values of the robot's columns at time 0 for trajectories whose first time is above 0.
    #[must_use]
    pub fn with_start_state(self, start_state: impl Into<Option<Vec<f64>>>) -> Self {
        Self { start_state: start_state.into(), ..self }
    }
}

/// Counts over the trajectories of a file.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrajectorySummary {
    /// Number of linear segments.
    pub linear: usize,
    /// Number of cubic segments.
    pub cubic: usize,
    /// Number of segments of degree five.
    pub quintic: usize,
    /// Number of trajectories that begin with a segment from the start state.
    pub from_start_state: usize,
    /// Number of trajectories whose first time is above 0 although there is no start state; they do not include the
    /// path to their first point.
    pub late: usize,
}
