//! Certified continuous collision detection of articulated models in triangle environments.

pub mod dataset;
pub mod elementary;
pub mod engine;
pub mod error;
pub mod extremal;
pub mod gpu;
pub mod load;
pub mod model;
pub mod motion;
pub mod numeric;
pub mod output;
pub mod picture;
pub mod report;
pub mod stage;
pub mod toleranced;
pub mod verdict;

pub use error::{Error, ErrorKind, Result};
