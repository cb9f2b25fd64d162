//! Motions of a model between a start and an end.

#[cfg(feature = "formats")]
mod array;
mod batch;
mod check;
#[cfg(feature = "formats")]
mod csv;
mod joint;
#[cfg(feature = "formats")]
mod json;
mod limits;
mod model_motion;
#[cfg(feature = "formats")]
mod options;
#[cfg(feature = "formats")]
mod portions;
#[cfg(feature = "formats")]
mod store;
#[cfg(feature = "formats")]
mod stream;
#[cfg(test)]
mod test_arrays;
#[cfg(test)]
mod test_files;
pub mod toleranced;

#[cfg(feature = "formats")]
pub use crate::model::joint_values::{JointValues, MissingJoints};
#[cfg(feature = "formats")]
pub use array::Header as NpyHeader;
pub use batch::Motions;
pub use joint::{JointMotion, QUATERNION_TOLERANCE, rotation};
pub use limits::{BeyondLimits, LimitCounts};
pub use model_motion::{LaneTimes, ModelMotion};
#[cfg(feature = "formats")]
pub use options::MotionOptions;
#[cfg(feature = "formats")]
pub use portions::{MotionFile, Portions};
