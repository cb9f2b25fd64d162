//! Scenes from files and arrays.

use crate::error::raise;
use crate::interruption::detached;
use crate::numbers;
use crate::robot::Reading;
use firstcontact::formats::scene_file::SceneOptions;
use glam::{DAffine3, DMat4};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;

/// A scene that grows.
#[pyclass(module = "firstcontact._native")]
#[derive(Default)]
pub struct Scene {
    pub scene: Arc<firstcontact::Scene>,
}

/// A pose from a matrix of 4 rows.
pub fn pose(rows: [[f64; 4]; 4]) -> DAffine3 {
    DAffine3::from_mat4(DMat4::from_cols_array_2d(&rows).transpose())
}

#[pymethods]
impl Scene {
    /// An empty scene.
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Reads a file.
    #[staticmethod]
    fn from_file(py: Python, path: PathBuf, reading: Reading) -> PyResult<Self> {
        let read = || {
            let options = SceneOptions {
                geometry: reading.geometry()?,
                limits: reading.limits(),
                chord_error_m: reading.chord_error,
                package_paths: reading.package_paths,
                ..SceneOptions::default()
            };
            firstcontact::Scene::from_file_with(path, &options)
        };
        detached(py, read).map(|scene| Self { scene: Arc::new(scene) }).map_err(raise)
    }

    /// Adds an object of triangles, an array of shape (n, 3, 3) in a frame with this pose.
    fn add(&mut self, py: Python, name: String, triangles: &[u8], at: [[f64; 4]; 4]) -> PyResult<u32> {
        let (scene, at) = (&mut self.scene, pose(at));
        detached(py, || {
            let placed = numbers::triangles(triangles).into_iter().map(|t| t.map(|v| at.transform_point3(v)));
            let scene = Arc::make_mut(scene);
            let (n_objects, n_triangles) = (scene.objects.len(), scene.triangles.len());
            scene.add_object(name, placed).inspect_err(|_| {
                scene.objects.truncate(n_objects);
                scene.triangles.truncate(n_triangles);
            })
        })
        .map_err(raise)
    }

    /// The triangles of an object.
    fn triangles<'py>(&self, py: Python<'py>, object: u32) -> Bound<'py, PyBytes> {
        let numbers: Vec<f64> =
            self.scene.triangles_of(object).iter().flatten().flat_map(|vertex| vertex.to_array()).collect();
        numbers::bytes(py, &numbers)
    }

    /// Returns whether an object is a closed surface.
    fn is_closed(&self, object: u32) -> bool {
        self.scene.is_closed(object)
    }

    /// Names of the objects.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.scene.objects.iter().map(|object| object.name.clone()).collect()
    }

    /// Number of all triangles.
    #[getter]
    fn n_triangles(&self) -> u32 {
        self.scene.n_triangles()
    }

    /// Warnings about the file, one line each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.scene.warnings.clone()
    }
}
