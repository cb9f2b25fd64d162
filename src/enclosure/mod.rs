//! Enclosures of moving poses and points over time intervals.

pub mod ball_vector;
pub mod chain_bounds;
pub mod derivative_bounds;
pub mod point_bound;
pub mod pose_block;
pub mod pose_bound;
pub mod pose_jet;
pub mod relative_pose;
