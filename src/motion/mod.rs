//! How a model moves between a start and an end.

mod batch;
mod file;
mod joint;
mod limits;
mod model_motion;
mod npy;
mod portions;
pub mod toleranced;

pub use batch::Motions;
pub use joint::{JointMotion, QUATERNION_TOLERANCE, rotation};
pub use limits::{BeyondLimits, LimitCounts};
pub use model_motion::{LaneTimes, ModelMotion};
pub use portions::{MotionFile, Portions};
