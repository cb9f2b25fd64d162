//! How a model moves between a start and an end.

mod batch;
mod file;
mod joint;
mod model_motion;
mod npy;
mod portions;
pub mod toleranced;

pub use batch::Motions;
pub use file::BeyondLimits;
pub use joint::{JointMotion, QUATERNION_TOLERANCE, rotation};
pub use model_motion::{LaneTimes, ModelMotion};
pub use portions::{MotionFile, Portions};
