//! Certified continuous collision detection of articulated models in triangle environments.

pub mod dataset;
pub mod error;
pub mod model;
pub mod motion;

pub use error::{Error, ErrorKind, Result};
