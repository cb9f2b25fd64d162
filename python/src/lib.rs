//! The native half of the Python package `firstcontact`. The public half is in `python/firstcontact`, with conversions,
//! defaults and documentation; users call nothing here.
//!
//! Arrays pass as the bytes of their numbers, C order and native byte order ([`numbers`]): without a dependency on the
//! C interface of NumPy, and safe when another thread changes an array during a check.

mod answers;
mod certificates;
mod clearance;
mod columns;
mod elementary;
mod engine;
mod error;
mod extremal;
mod interruption;
mod names;
mod numbers;
mod options;
mod pictures;
mod portions;
mod robot;
mod scene;
mod toleranced;
mod trajectory;

use pyo3::prelude::*;

/// The native half of the package `firstcontact`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::answers::Answers;
    #[pymodule_export]
    use super::certificates::certify;
    #[pymodule_export]
    use super::certificates::hashes;
    #[pymodule_export]
    use super::certificates::merkle_root;
    #[pymodule_export]
    use super::certificates::verify;
    #[pymodule_export]
    use super::clearance::Clearances;
    #[pymodule_export]
    use super::elementary::elementary;
    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::extremal::track;
    #[pymodule_export]
    use super::options::adapters;
    #[pymodule_export]
    use super::pictures::page;
    #[pymodule_export]
    use super::pictures::render;
    #[pymodule_export]
    use super::robot::Robot;
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::toleranced::toleranced;
    #[pymodule_export]
    use super::trajectory::Trajectory;
    #[pymodule_export]
    use super::version;
}

/// Version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
