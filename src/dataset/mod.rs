//! Seeded generators of data sets: robots, scenes and motions, the same bytes on every platform.

mod assembly;
mod frame;
mod mesh;
mod outline;
mod random;
mod refine;
mod shapes;
mod tube;
mod turn;

pub use assembly::Part;
pub use mesh::Mesh;
