//! Certified continuous collision detection of articulated models in triangle environments.

pub mod error;
pub mod load;
pub mod model;
pub mod motion;

pub use error::{Error, ErrorKind, Result};
