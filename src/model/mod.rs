//! Models: moving robots, static scenes, and the trees over their triangles.

pub mod circle;
#[cfg(feature = "formats")]
pub mod joint_values;
mod kinematics;
pub mod lss;
mod lss_fit;
#[cfg(feature = "formats")]
pub mod mesh;
#[cfg(feature = "formats")]
pub mod moveit;
#[cfg(feature = "formats")]
pub(crate) mod named_columns;
pub mod obb;
pub mod obb_tree;
pub mod primitive;
pub mod robot;
pub mod scene;
#[cfg(feature = "formats")]
pub mod scene_file;
mod scene_shape;
pub mod tree;
#[cfg(feature = "formats")]
mod tree_cache;
#[cfg(feature = "formats")]
pub mod urdf;
pub mod world;
#[cfg(feature = "formats")]
pub(crate) mod xml;
