//! File formats: robots, scenes, motions and trajectories.

mod array;
mod attach_file;
mod csv;
pub mod joint_values;
mod json;
pub mod mesh;
mod motion_file;
mod motion_options;
pub mod moveit;
pub(crate) mod named_columns;
mod packages;
pub mod scene_file;
pub mod srdf;
mod store;
mod stream;
#[cfg(test)]
pub(crate) mod test_arrays;
#[cfg(test)]
pub(crate) mod test_files;
pub mod trajectory_file;
pub mod urdf;
pub(crate) mod xml;

pub use array::Header as NpyHeader;
pub use joint_values::{JointValues, MissingJoints};
pub use motion_file::{MotionFile, Portions};
pub use motion_options::MotionOptions;
pub use srdf::Srdf;
pub use trajectory_file::{
    AnyMotionFile, Interpolation, TrajectoryFile, TrajectoryOptions, TrajectorySummary, holds_trajectories,
};
