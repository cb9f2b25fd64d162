//! Random models, from harmless to near-degenerate, through the whole engine, against proofs.

mod implanted;
pub mod judge;
pub mod model;
pub mod random;
pub mod shapes;
mod sliding;
pub mod trees;
