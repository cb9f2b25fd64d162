//! Building blocks of scenes: shapes and their tessellation, and pipes, machines and steelwork made of them.

pub(crate) mod assembly;
pub(crate) mod equipment;
pub(crate) mod frame;
pub(crate) mod lattice;
pub(crate) mod mesh;
pub(crate) mod outline;
pub(crate) mod piping;
pub(crate) mod refine;
pub(crate) mod rings;
pub(crate) mod shapes;
pub(crate) mod structure;
#[cfg(test)]
pub(crate) mod touch;
pub(crate) mod tube;
pub(crate) mod turn;
