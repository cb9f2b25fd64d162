//! Clearance: the smallest distance between a robot and its obstacles along a motion.

use crate::error::{Error, Result};
use crate::verdict::{ObstacleFeature, RobotFeature};

/// Options of [`Engine::clearance`](crate::Engine::clearance).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClearanceOptions {
    /// Largest width of the enclosure, metres.
    pub tolerance_m: f64,
    /// Distances beyond this are not measured, metres; infinite by default.
    pub limit_m: f64,
    /// Known lower bound of the distance at all times, metres: the margin of a check that answered
    /// [`Verdict::Free`](crate::Verdict::Free), or zero. It is not used if the engine ignores contacts at the start.
    pub known_m: f64,
}

impl Default for ClearanceOptions {
    fn default() -> Self {
        Self { tolerance_m: 1e-4, limit_m: f64::INFINITY, known_m: 0.0 }
    }
}

impl ClearanceOptions {
    /// Sets the largest width of the enclosure, metres.
    #[must_use]
    pub fn with_tolerance_m(self, tolerance_m: f64) -> Self {
        Self { tolerance_m, ..self }
    }

    /// Sets the distance beyond which nothing is measured, metres.
    #[must_use]
    pub fn with_limit_m(self, limit_m: f64) -> Self {
        Self { limit_m, ..self }
    }

    /// Sets the known lower bound of the distance, metres.
    #[must_use]
    pub fn with_known_m(self, known_m: f64) -> Self {
        Self { known_m, ..self }
    }

    /// Checks that the options are valid.
    ///
    /// # Errors
    /// The tolerance is not positive and finite, the limit is not positive, or a number is NaN or negative.
    pub fn check(&self) -> Result<()> {
        let Self { tolerance_m, limit_m, known_m } = *self;
        if !(tolerance_m > 0.0 && tolerance_m.is_finite()) {
            return Err(Error::usage(format!(
                "the clearance tolerance is {tolerance_m:?} m: it must be above 0 and finite"
            )));
        }
        if !(limit_m > 0.0) {
            return Err(Error::usage(format!("the clearance limit is {limit_m:?} m: it must be above 0")));
        }
        if !(known_m >= 0.0) {
            return Err(Error::usage(format!("a known clearance of {known_m:?} m is not a distance")));
        }
        Ok(())
    }
}

/// The smallest distance between a robot and its obstacles over all times of a motion or trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// The distance is at least the first number (guaranteed) and at most the second, metres. The second number is
    /// infinite if the distance is beyond the limit; both are infinite if the robot has no obstacles.
    pub distance_m: [f64; 2],
    /// The nearest points at a time at which the distance is at most the second number; `None` if the distance is
    /// beyond the limit.
    pub closest: Option<ClosestPoints>,
}

/// The nearest points of a robot and its obstacles at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// Number of the segment of the trajectory, from 0; 0 for a motion.
    pub segment: usize,
    /// Time relative to the segment, from 0 to 1.
    pub t: f64,
    /// Upper bound on the distance between the two features, metres: the distance between the points, plus a bound on
    /// all rounding errors.
    pub distance_m: f64,
    /// The feature of the link; for two links, of the one with the lower index in the robot.
    pub a: RobotFeature,
    /// The feature of the scene or of the other link.
    pub b: ObstacleFeature,
    /// The nearest points of `a` and `b`, in world coordinates, metres.
    pub points: [[f64; 3]; 2],
}
