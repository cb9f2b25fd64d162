//! Predicates with proofs: separating axes, contraction of time, piercing, oriented boxes and swept volumes.

pub mod closeness;
pub mod contraction;
pub mod features;
pub mod inside;
pub mod lss_separation;
pub mod moving_box;
pub mod nearest;
pub mod normals;
pub mod obb_overlap;
pub mod piercing;
pub mod proximity;
pub mod refinement_levels;
pub mod separation;
pub mod silhouette;
pub mod swept;
pub mod vf_ee;
