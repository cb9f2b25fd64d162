//! Certified continuous collision detection of articulated models in triangle environments.

pub mod error;
pub mod model;
pub mod motion;
pub mod numeric;
pub mod stage;

pub use error::{Error, ErrorKind, Result};
