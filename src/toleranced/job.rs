//! The task in a file: problems of polygons, or a robot in a scene.

use super::problem::{Limits, Problem};
use crate::error::{Error, Result, foreign, quoted};
use crate::formats::urdf::UrdfOptions;
use crate::formats::{JointValues, MissingJoints, MotionOptions};
use crate::io::load::{LoadLimits, read_bytes, text};
use crate::robot::Robot;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A robot, a scene and motions, each a file in a format that `check` reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotFiles {
    /// URDF.
    pub robot: PathBuf,
    /// Pose of the root link in the world: x, y, z in metres; roll, pitch, yaw in radians.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<[f64; 6]>,
    /// A mesh, `scene.json` or a URDF.
    pub scene: PathBuf,
    /// `.npy`, `.npz`, `.json` or `.csv`.
    pub motions: PathBuf,
    /// Values of the joints that are missing from the motions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_joints: Option<MissingJointsField>,
    /// Limits of the search.
    #[serde(default)]
    pub limits: Limits,
}

/// Values of the joints that are missing from a file of motions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MissingJointsField {
    /// `zero`, or a file of values.
    Text(String),
    /// The values.
    Values(JointValues),
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

    /// Returns options for reading the motions.
    ///
    /// # Errors
    /// `missing_joints` is a file that has not been read yet; certificates contain the values themselves.
    pub fn motion_options(&self, limits: &LoadLimits) -> Result<MotionOptions> {
        let missing = match &self.missing_joints {
            None => MissingJoints::Refuse,
            Some(MissingJointsField::Text(text)) if text == ZERO => MissingJoints::Zero,
            Some(MissingJointsField::Values(values)) => MissingJoints::Values(values.clone()),
            Some(MissingJointsField::Text(text)) => {
                return Err(Error::input(format!("missing_joints is {}, not zero or values", quoted(text))));
            }
        };
        Ok(MotionOptions::default().with_limits(*limits).with_missing_joints(missing))
    }
}

/// The text that sets missing joints to 0.
const ZERO: &str = "zero";

/// Several problems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problems {
    /// The problems, in order.
    pub problems: Vec<Problem>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// Polygons on Bézier motions.
    Polygons(Problems),
    /// A robot in a scene.
    Articulated(RobotFiles),
}

impl Job {
    /// Reads a file: an object with `robot`, `scene` and `motions`, one with `problems`, or a single problem. Paths in
    /// it are relative to its folder. `missing_joints` is `"zero"`, a file that [`JointValues::from_file`] reads, or an
    /// object with the values.
    ///
    /// # Errors
    /// The file is missing or malformed.
    pub fn load(path: &Path, limits: &LoadLimits) -> Result<Self> {
        let bytes = read_bytes(path, limits)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let job = text(&bytes).and_then(|text| Self::parse(text, folder, limits));
        job.map_err(|e| e.in_file(path))
    }

    fn parse(text: &str, folder: &Path, limits: &LoadLimits) -> Result<Self> {
        let malformed = |e: serde_json::Error| Error::input(format!("JSON: {}", foreign(&e)));
        let keys: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).map_err(malformed)?;
        if keys.contains_key("robot") {
            let mut files: RobotFiles = serde_json::from_str(text).map_err(malformed)?;
            files.limits.check()?;
            for file in [&mut files.robot, &mut files.scene, &mut files.motions] {
                *file = folder.join(&*file);
            }
            if let Some(field @ MissingJointsField::Text(_)) = &mut files.missing_joints
                && let MissingJointsField::Text(text) = &*field
                && text != ZERO
            {
                *field = MissingJointsField::Values(JointValues::from_file(folder.join(text), limits)?);
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
