//! Certified continuous collision detection of articulated models in triangle environments.

pub mod arith;
pub mod bvh;
pub mod elementary;
pub mod enclosure;
pub mod engine;
pub mod error;
pub mod extremal;
#[cfg(feature = "formats")]
pub mod formats;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod io;
pub mod predicate;
pub mod report;
pub mod robot;
pub mod scene;
pub mod stage;
pub mod toleranced;
pub mod verdict;

pub use error::{Error, ErrorKind, Result};
