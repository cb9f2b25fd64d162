//! Enclosing arithmetic: directed rounding, intervals, sines, lanes, and bounds on poses and projections.
//!
//! Nothing here depends on robots, files or graphics adapters.

pub mod ball_vector;
pub mod chain_bounds;
pub mod contraction;
pub mod elementary;
pub mod interval;
pub mod lanes;
pub mod linear;
pub mod meeting;
pub mod normals;
pub mod obb_overlap;
pub mod point_bound;
pub mod pose_block;
pub mod pose_bound;
pub mod pose_jet;
pub mod real;
pub mod refinement;
pub mod rounding;
pub mod separation;
pub mod silhouette;
pub mod swept;
pub mod trig;
pub mod vectors;
