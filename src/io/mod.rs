//! Reading within limits, and writing that never leaves half a file.

#[cfg_attr(not(feature = "formats"), allow(dead_code, unused_imports))]
pub mod load;
pub mod output;
