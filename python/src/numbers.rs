//! Arrays as bytes.

use bytemuck::Pod;
use firstcontact::robot::Triangle;
use firstcontact::{Error, MotionBatch, Result};
use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The numbers of an array of `float64`; bytes beyond the last whole number are ignored.
pub fn floats(bytes: &[u8]) -> Vec<f64> {
    // Memory of Python is aligned for numbers, but Python does not guarantee it.
    bytes.chunks_exact(size_of::<f64>()).map(bytemuck::pod_read_unaligned).collect()
}

/// The bytes of an array.
pub fn bytes<'py, T: Pod>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytemuck::cast_slice(numbers))
}

/// Triangles from an array of shape (n, 3, 3).
pub fn triangles(bytes: &[u8]) -> Vec<Triangle> {
    let numbers = floats(bytes);
    let vertex = |v: &[f64]| DVec3::new(v[0], v[1], v[2]);
    numbers.chunks_exact(9).map(|t| [vertex(&t[..3]), vertex(&t[3..6]), vertex(&t[6..])]).collect()
}

/// Motions from an array of shape (q, 2, columns), the first of which has the number `first`.
///
/// # Errors
/// A value is NaN or infinite, or there are no columns, so that the bytes do not have a number of motions.
pub fn motions(bytes: &[u8], n_columns: usize, first: usize) -> Result<MotionBatch> {
    if n_columns == 0 {
        let error = Error::usage("the robot has no moving joint, so arrays of its motions have no numbers");
        return Err(error.remedy("give it a joint, such as a floating root"));
    }
    let values = floats(bytes);
    if let Some(i) = values.iter().position(|x| !x.is_finite()) {
        let message = format!("column {} is NaN or infinite", i % n_columns);
        return Err(Error::input(message).at(format!("motion {}", first + i / (2 * n_columns))));
    }
    MotionBatch::from_flat(values.len() / (2 * n_columns), n_columns, values)
}
