//! What the tests of the stages share: random models, the true motion, proofs of freedom, an emulation of the GPU's
//! arithmetic, and kernels that lack a safety term.

pub mod emulate;
pub mod gpu;
pub mod models;
pub mod prove;
pub mod truth;
