//! Motions of a model between a start and an end.

mod array;
mod batch;
mod csv;
mod file;
mod joint;
mod json;
mod limits;
mod model_motion;
mod options;
mod portions;
mod store;
mod stream;
#[cfg(test)]
mod test_arrays;
#[cfg(test)]
mod test_files;
pub mod toleranced;

pub use crate::model::joint_values::{JointValues, MissingJoints};
pub(crate) use array::Header as NpyHeader;
pub use batch::Motions;
pub use joint::{JointMotion, QUATERNION_TOLERANCE, rotation};
pub use limits::{BeyondLimits, LimitCounts};
pub use model_motion::{LaneTimes, ModelMotion};
pub use options::MotionOptions;
pub use portions::{MotionFile, Portions};
