//! Options for reading motion files.

use crate::formats::joint_values::MissingJoints;
use crate::io::load::LoadLimits;

/// Options for reading a motion file. Start from `MotionOptions::default()` and set what differs.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct MotionOptions {
    /// Limits on the memory for reading.
    pub limits: LoadLimits,
    /// Values of the joints that are missing from a file with joint names.
    pub missing_joints: MissingJoints,
}

impl MotionOptions {
    /// Sets the limits on the memory for reading.
    #[must_use]
    pub fn with_limits(self, limits: LoadLimits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the values of the joints that are missing from a file with joint names.
    #[must_use]
    pub fn with_missing_joints(self, missing_joints: MissingJoints) -> Self {
        Self { missing_joints, ..self }
    }
}
