//! Seeded generators of data sets: robots, scenes and motions, the same bytes on every platform.

mod amr;
mod arm;
mod assembly;
mod chain;
mod equipment;
mod frame;
mod lattice;
mod mesh;
mod motions;
mod npy;
mod obj;
mod outline;
mod pipes;
mod piping;
mod puma;
mod random;
mod refine;
mod shapes;
mod structure;
#[cfg(test)]
mod touch;
mod tube;
mod turn;
mod urdf;
mod whole_file;

pub use assembly::Part;
pub use mesh::Mesh;
pub use arm::{Arm, ArmLink, Mount};
pub use motions::{FreeCheck, Progress};
