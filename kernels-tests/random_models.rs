//! Models that are made up, from harmless to near-degenerate, through the whole engine, against proofs.

mod implanted;
mod judge;
mod model;
mod random;
mod shapes;
mod sliding;
mod trees;
