//! What a file asks for: problems of polygons, or a robot in a scene.

use super::problem::{Limits, Problem};
use crate::error::{Error, Result};
use crate::load::{LoadLimits, read_bytes, text};
use crate::model::robot::Robot;
use crate::model::urdf::UrdfOptions;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A robot, a scene and motions, each a file as `check` reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotFiles {
    /// URDF.
    pub robot: PathBuf,
    /// Where the root link is put into the world: x, y, z in metres; roll, pitch, yaw in radians.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<[f64; 6]>,
    /// A mesh, `scene.json` or a URDF.
    pub scene: PathBuf,
    /// `.npy` or `.json`.
    pub motions: PathBuf,
    /// When to stop.
    #[serde(default)]
    pub limits: Limits,
}

impl RobotFiles {
    /// Reads the robot.
    ///
    /// # Errors
    /// As [`Robot::from_urdf`].
    pub fn read_robot(&self) -> Result<Robot> {
        Robot::from_urdf_with(
            &self.robot,
            &UrdfOptions { base: self.base.unwrap_or_default(), ..UrdfOptions::default() },
        )
    }
}

/// Several problems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problems {
    /// One after the other.
    pub problems: Vec<Problem>,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// Polygons on Bézier motions.
    Polygons(Problems),
    /// A robot in a scene.
    Articulated(RobotFiles),
}

impl Job {
    /// Reads a file: an object with `robot`, `scene` and `motions`, one with `problems`, or a single problem. Paths in it are
    /// relative to its folder.
    ///
    /// # Errors
    /// The file is missing or malformed.
    pub fn load(path: &Path, limits: &LoadLimits) -> Result<Self> {
        let bytes = read_bytes(path, limits)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let job = text(&bytes).and_then(|text| Self::parse(text, folder));
        job.map_err(|e| e.in_file(path))
    }

    fn parse(text: &str, folder: &Path) -> Result<Self> {
        let malformed = |e: serde_json::Error| Error::input(e.to_string());
        let keys: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).map_err(malformed)?;
        if keys.contains_key("robot") {
            let mut files: RobotFiles = serde_json::from_str(text).map_err(malformed)?;
            files.limits.check()?;
            for file in [&mut files.robot, &mut files.scene, &mut files.motions] {
                *file = folder.join(&*file);
            }
            return Ok(Self::Articulated(files));
        }
        let problems = if keys.contains_key("problems") {
            serde_json::from_str(text).map_err(malformed)?
        } else {
            Problems { problems: vec![serde_json::from_str(text).map_err(malformed)?] }
        };
        for (i, problem) in problems.problems.iter().enumerate() {
            let of_problem = |e: Error| Error::input(format!("problem {i}: {e}"));
            problem.shapes().map_err(of_problem)?;
            problem.motion.motion().map_err(of_problem)?;
        }
        Ok(Self::Polygons(problems))
    }
}
