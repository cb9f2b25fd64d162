//! How a model moves between a start and an end.

mod batch;
mod file;
mod npy;

pub use batch::Motions;
pub use file::MAX_ANGLE_RAD;
