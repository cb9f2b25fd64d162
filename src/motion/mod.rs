//! How a model moves between a start and an end.

mod batch;

pub use batch::Motions;
