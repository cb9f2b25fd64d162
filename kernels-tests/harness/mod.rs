//! Helpers shared by the tests of the stages and of the engine: random models, the true motion, proofs of freedom, an
//! emulation of the GPU's arithmetic, kernels that lack a safety term, engines on each backend, and checks of a
//! contact's record.

pub mod allocations;
pub mod backends;
#[cfg(unix)]
pub mod browser;
pub mod emulate;
pub mod gpu;
pub mod models;
pub mod prove;
pub mod skipped;
pub mod truth;
pub mod witness;
