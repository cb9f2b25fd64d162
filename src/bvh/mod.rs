//! Bounding volumes: wide trees of boxes, oriented boxes and line-swept spheres.

pub mod circle;
pub mod lss;
mod lss_fit;
pub mod obb;
pub mod obb_tree;
pub mod tree;
#[cfg(feature = "formats")]
pub(crate) mod tree_cache;
