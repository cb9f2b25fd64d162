//! Files of certificates for the command and the Python package: places, writing, verification, and robots, scenes,
//! motions and statements of the engine in the terms of `firstcontact-verifier`, which shares no code with the engine.

mod export;
mod files;
mod place;
pub mod subject;
mod writer;

pub use files::{Paths, Subject};
pub use place::Place;
pub use writer::Writer;
