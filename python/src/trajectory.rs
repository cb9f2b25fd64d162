//! Trajectories from arrays.

use crate::error::raise;
use crate::numbers;
use firstcontact::Result;
use firstcontact::arith::float_environment::DefaultEnvironment;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A trajectory.
#[pyclass(frozen, module = "firstcontact._native")]
pub struct Trajectory(pub Arc<firstcontact::Trajectory>);

/// Points with times and derivatives per second.
struct Points {
    n_columns: usize,
    positions: Vec<f64>,
    velocities: Option<Vec<f64>>,
    accelerations: Option<Vec<f64>>,
}

impl Points {
    fn row<'a>(&self, of: &'a [f64], i: usize) -> &'a [f64] {
        &of[i * self.n_columns..(i + 1) * self.n_columns]
    }

    /// The path through the points: quintic with accelerations, cubic with velocities, otherwise straight.
    fn path(&self, times_s: &[f64]) -> Result<firstcontact::Trajectory> {
        let mut path = firstcontact::Trajectory::new(self.row(&self.positions, 0))?;
        for i in 0..times_s.len() - 1 {
            let (duration_s, end) = (times_s[i + 1] - times_s[i], self.row(&self.positions, i + 1));
            let ends = |of: &Option<Vec<f64>>| of.as_ref().map(|of| [i, i + 1].map(|i| self.row(of, i).to_vec()));
            let added = match (ends(&self.velocities), ends(&self.accelerations)) {
                (Some([v0, v1]), Some([a0, a1])) => path.quintic_to(duration_s, [&v0, &v1], [&a0, &a1], end),
                (Some([v0, v1]), None) => path.cubic_to(duration_s, &v0, &v1, end),
                _ => path.line_to(end),
            };
            added.map_err(|e| e.at(format!("point {}", i + 1)))?;
        }
        match times_s {
            [time_s] => {
                path.line_to(self.row(&self.positions, 0))?;
                path.with_times(&[*time_s; 2])
            }
            times_s => path.with_times(times_s),
        }
    }
}

fn wrapped(trajectory: Result<firstcontact::Trajectory>) -> PyResult<Trajectory> {
    trajectory.map(|trajectory| Trajectory(Arc::new(trajectory))).map_err(raise)
}

#[pymethods]
impl Trajectory {
    /// Straight lines between the rows of an array with `n_columns` columns.
    #[staticmethod]
    fn linear(waypoints: &[u8], n_columns: usize, times_s: Option<Vec<f64>>) -> PyResult<Self> {
        let _environment = DefaultEnvironment::new();
        let path = || {
            let path = firstcontact::Trajectory::linear(numbers::floats(waypoints).chunks_exact(n_columns.max(1)))?;
            times_s.map_or(Ok(path.clone()), |times_s| path.with_times(&times_s))
        };
        wrapped(path())
    }

    /// Polynomials of the time since a breakpoint: an array of shape (degree + 1, segments, columns).
    #[staticmethod]
    fn ppoly(breakpoints: Vec<f64>, coefficients: &[u8], n_segments: usize, n_columns: usize) -> PyResult<Self> {
        let _environment = DefaultEnvironment::new();
        let numbers = numbers::floats(coefficients);
        let rows: Vec<Vec<f64>> = numbers.chunks_exact(n_columns.max(1)).map(<[f64]>::to_vec).collect();
        let coefficients: Vec<Vec<Vec<f64>>> = rows.chunks(n_segments.max(1)).map(<[Vec<f64>]>::to_vec).collect();
        wrapped(firstcontact::Trajectory::from_ppoly(&breakpoints, &coefficients))
    }

    /// Points of a joint trajectory: arrays with one row for each time.
    #[staticmethod]
    fn points(
        times_s: Vec<f64>,
        positions: &[u8],
        velocities: Option<&[u8]>,
        accelerations: Option<&[u8]>,
    ) -> PyResult<Self> {
        let _environment = DefaultEnvironment::new();
        let positions = numbers::floats(positions);
        let n_columns = positions.len() / times_s.len().max(1);
        let [velocities, accelerations] = [velocities, accelerations].map(|of| of.map(numbers::floats));
        wrapped(Points { n_columns, positions, velocities, accelerations }.path(&times_s))
    }

    /// Number of columns.
    #[getter]
    fn n_columns(&self) -> usize {
        self.0.n_columns()
    }

    /// Number of segments.
    #[getter]
    fn n_segments(&self) -> usize {
        self.0.n_segments()
    }

    /// Times at the ends of the segments, seconds.
    #[getter]
    fn times_s(&self) -> Option<Vec<f64>> {
        self.0.times_s().map(<[f64]>::to_vec)
    }

    /// The configuration at a local time of a segment.
    fn at<'py>(&self, py: Python<'py>, segment: usize, t: f64) -> Bound<'py, PyBytes> {
        numbers::bytes(py, &self.0.at(segment.min(self.0.n_segments().saturating_sub(1)), t))
    }
}
