//! Writers of the files of a data set.

pub(crate) mod npy;
pub(crate) mod obj;
pub(crate) mod urdf;
