//! Certified continuous collision detection of articulated models in triangle environments.

pub mod elementary;
pub mod engine;
pub mod error;
pub mod extremal;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg_attr(not(feature = "formats"), allow(dead_code, unused_imports))]
pub mod load;
pub mod model;
pub mod motion;
pub mod numeric;
pub mod output;
pub mod report;
pub mod stage;
pub mod toleranced;
pub mod verdict;

pub use error::{Error, ErrorKind, Result};
