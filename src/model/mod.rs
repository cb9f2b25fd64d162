//! What moves and what stands still: robots, scenes, and the trees over their triangles.

pub mod lss;
pub mod robot;
pub mod scene;
pub mod tree;
pub mod world;
