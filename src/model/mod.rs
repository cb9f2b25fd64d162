//! Models: moving robots, static scenes, and the trees over their triangles.

pub mod circle;
pub mod joint_values;
mod kinematics;
pub mod lss;
mod lss_fit;
pub mod mesh;
pub mod moveit;
pub(crate) mod named_columns;
pub mod obb;
pub mod obb_tree;
pub mod primitive;
pub mod robot;
pub mod scene;
pub mod scene_file;
mod scene_shape;
pub mod tree;
mod tree_cache;
pub mod urdf;
pub mod world;
pub(crate) mod xml;
