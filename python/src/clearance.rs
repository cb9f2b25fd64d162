//! Clearances as columns of numbers. `firstcontact/_columns.py` lists their types and shapes.

use crate::columns::Places;
use crate::names::Names;
use crate::numbers;
use firstcontact::{Clearance, Trajectory};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Clearances in the order of the motions.
#[pyclass(frozen, module = "firstcontact._native")]
pub struct Clearances {
    names: Arc<Names>,
    columns: Columns,
}

#[derive(Default)]
struct Columns {
    distance: Vec<[f64; 2]>,
    segment: Vec<i64>,
    t: Vec<f64>,
    time_s: Vec<f64>,
    points: Vec<[[f64; 3]; 2]>,
    places: Places,
}

impl Clearances {
    /// Empty columns.
    pub fn new(names: Arc<Names>) -> Self {
        Self { names, columns: Columns::default() }
    }

    /// Adds the clearance of a motion or trajectory.
    pub fn push(&mut self, of: &Clearance, path: &Trajectory) {
        self.columns.push(of, path);
    }
}

impl Columns {
    fn push(&mut self, of: &Clearance, path: &Trajectory) {
        self.distance.push(of.distance_m);
        let time_s = |segment: usize, t: f64| {
            let [from, until] = path.times_s().and_then(|times| times.get(segment..segment + 2)?.try_into().ok())?;
            Some(if t >= 1.0 { until } else { from + (until - from) * t })
        };
        match &of.closest {
            Some(at) => {
                self.segment.push(at.segment as i64);
                self.t.push(at.t);
                self.time_s.push(time_s(at.segment, at.t).unwrap_or(f64::NAN));
                self.points.push(at.points);
                self.places.add(&at.a, &at.b);
            }
            None => {
                self.segment.push(-1);
                self.t.push(f64::NAN);
                self.time_s.push(f64::NAN);
                self.points.push([[f64::NAN; 3]; 2]);
                self.places.add_bodies(None);
            }
        }
    }
}

#[pymethods]
impl Clearances {
    fn __len__(&self) -> usize {
        self.columns.distance.len()
    }

    /// Columns by name, as bytes.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Columns { distance, segment, t, time_s, points, places } = &self.columns;
        let dict = PyDict::new(py);
        dict.set_item("distance", numbers::bytes(py, distance))?;
        dict.set_item("segment", numbers::bytes(py, segment))?;
        dict.set_item("t", numbers::bytes(py, t))?;
        dict.set_item("time_s", numbers::bytes(py, time_s))?;
        dict.set_item("points", numbers::bytes(py, points))?;
        places.add_to(&dict)?;
        Ok(dict)
    }

    /// Names of the links with triangles and of attached objects.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.names.links()
    }

    /// Names of the objects of the scene.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.names.objects()
    }
}
