//! Robots from URDF and SRDF.

use crate::error::raise;
use crate::interruption::detached;
use firstcontact::formats::urdf::{Geometry, UrdfOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::{ColumnKind, Error, Result, Srdf};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A robot, with its semantic description if it has one; or several as one.
#[pyclass(frozen, module = "firstcontact._native")]
#[derive(Clone)]
pub struct Robot {
    pub robot: Arc<firstcontact::Robot>,
    pub srdf: Option<Srdf>,
    /// Several robots that were joined, by name.
    pub parts: Vec<(String, Robot)>,
    warnings: Vec<String>,
}

/// Options for reading a robot or a scene.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Reading {
    pub base: [f64; 6],
    pub geometry: String,
    pub chord_error: f64,
    pub package_paths: Vec<PathBuf>,
    pub floating_root: bool,
    pub memory: Option<u64>,
}

impl Reading {
    pub fn geometry(&self) -> Result<Geometry> {
        match &*self.geometry {
            "auto" => Ok(Geometry::Auto),
            "collision" => Ok(Geometry::Collision),
            "visual" => Ok(Geometry::Visual),
            other => Err(Error::usage(format!("geometry is \"auto\", \"collision\" or \"visual\", not {other:?}"))),
        }
    }

    pub fn limits(&self) -> LoadLimits {
        self.memory.map_or_else(LoadLimits::default, |memory_bytes| LoadLimits { memory_bytes })
    }

    fn urdf(self) -> Result<UrdfOptions> {
        Ok(UrdfOptions {
            geometry: self.geometry()?,
            limits: self.limits(),
            chord_error_m: self.chord_error,
            base: self.base,
            floating_root: self.floating_root,
            package_paths: self.package_paths,
        })
    }
}

impl Robot {
    fn new(robot: firstcontact::Robot, srdf: Option<Srdf>) -> Result<Self> {
        let mut warnings = robot.warnings.clone();
        if let Some(srdf) = &srdf {
            srdf.check(&robot)?;
            warnings.extend(srdf.warnings(&robot));
        }
        Ok(Self { robot: Arc::new(robot), srdf, parts: Vec::new(), warnings })
    }
}

#[pymethods]
impl Robot {
    /// Reads files.
    #[staticmethod]
    #[pyo3(signature = (urdf, srdf, reading))]
    fn from_files(py: Python, urdf: PathBuf, srdf: Option<PathBuf>, reading: Reading) -> PyResult<Self> {
        detached(py, || {
            let options = reading.urdf()?;
            let srdf = srdf.map(|path| Srdf::read_with(path, &options.limits)).transpose()?;
            Self::new(firstcontact::Robot::from_urdf_with(urdf, &options)?, srdf)
        })
        .map_err(raise)
    }

    /// Reads texts; mesh paths are resolved as if the URDF were a file in `folder`.
    #[staticmethod]
    #[pyo3(signature = (urdf, srdf, folder, reading))]
    fn from_texts(py: Python, urdf: &str, srdf: Option<&str>, folder: PathBuf, reading: Reading) -> PyResult<Self> {
        detached(py, || {
            let srdf = srdf.map(Srdf::parse).transpose()?;
            Self::new(firstcontact::Robot::from_urdf_text(urdf, folder, &reading.urdf()?)?, srdf)
        })
        .map_err(raise)
    }

    /// Several robots as one; the names of joints and links begin with that of their robot and a slash.
    #[staticmethod]
    fn join(parts: Vec<(String, PyRef<Self>)>) -> PyResult<Self> {
        if let Some((name, _)) = parts.iter().find(|(_, part)| !part.parts.is_empty()) {
            let error = Error::usage(format!("the robot {name:?} is itself joined from several robots"))
                .remedy("join all robots in one call");
            return Err(raise(error));
        }
        let parts: Vec<(String, Self)> = parts.into_iter().map(|(name, part)| (name, (*part).clone())).collect();
        let robots = parts.iter().map(|(name, part)| (name.clone(), (*part.robot).clone()));
        let robot = firstcontact::Robot::join(robots).map_err(raise)?;
        let warnings = parts.iter().flat_map(|(name, part)| part.warnings.iter().map(move |w| format!("{name}: {w}")));
        let warnings = warnings.collect();
        Ok(Self { robot: Arc::new(robot), srdf: None, parts, warnings })
    }

    /// The model's name.
    #[getter]
    fn name(&self) -> &str {
        &self.robot.name
    }

    /// Names of the columns.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        self.robot.columns.iter().map(|column| &*column.name).collect()
    }

    /// Kinds of the columns: "angle", "length", or "free".
    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        let kind = |kind| match kind {
            ColumnKind::AngleRad => "angle",
            ColumnKind::LengthM => "length",
            ColumnKind::Free(_) => "free",
        };
        self.robot.columns.iter().map(|column| kind(column.kind)).collect()
    }

    /// Lower and upper limit of each column, infinite without limits.
    #[getter]
    fn limits(&self) -> Vec<[f64; 2]> {
        let unlimited = [f64::NEG_INFINITY, f64::INFINITY];
        self.robot.columns.iter().map(|column| column.limits.unwrap_or(unlimited)).collect()
    }

    /// Names of the links with triangles.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.robot.links.iter().map(|link| &*link.name).collect()
    }

    /// Number of triangles of all links.
    #[getter]
    fn n_triangles(&self) -> usize {
        self.robot.triangle_count()
    }

    /// Returns whether there is a semantic description.
    #[getter]
    fn has_srdf(&self) -> bool {
        self.srdf.is_some() || self.parts.iter().any(|(_, part)| part.has_srdf())
    }

    /// Warnings about the files, one line each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The values of a state of the SRDF, by joint; of several robots, the name begins with that of one and a slash.
    fn state(&self, name: &str) -> PyResult<Vec<(String, f64)>> {
        let of_part = name.split_once('/').and_then(|(of, state)| {
            let (_, part) = self.parts.iter().find(|(name, _)| name == of)?;
            Some((of, part.state(state)))
        });
        if let Some((of, values)) = of_part {
            return Ok(values?.into_iter().map(|(joint, value)| (format!("{of}/{joint}"), value)).collect());
        }
        let without = || Error::usage("the robot has no SRDF, so it has no named states").remedy("give srdf=");
        let srdf = self.srdf.as_ref().ok_or_else(without).map_err(raise)?;
        let values = srdf.joint_values(name, &self.robot).map_err(raise)?;
        Ok(values.iter().map(|(joint, value)| (joint.to_string(), value)).collect())
    }
}
