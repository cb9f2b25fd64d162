//! Motions from files and from the standard input.

use clap::Args;
use firstcontact::Result;
use firstcontact::formats::{JointValues, MissingJoints, MotionFile, MotionOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The path that means the standard input.
pub const STANDARD_INPUT: &str = "-";

/// Options for reading motions.
#[derive(Clone, Debug, Args)]
pub struct MotionArgs {
    /// Value of the joints that are missing from motions with joint names: zero, or a JSON file {"joint": value, …}, in
    /// radians and metres. Without it a missing joint is an error
    #[arg(long, value_name = "zero|FILE.json", help_heading = "Reading")]
    missing_joints: Option<MissingJointsChoice>,
}

/// The source of the values of missing joints.
#[derive(Clone, Debug)]
enum MissingJointsChoice {
    Zero,
    File(PathBuf),
}

impl FromStr for MissingJointsChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "zero" => Ok(Self::Zero),
            _ if text.to_ascii_lowercase().ends_with(".json") => Ok(Self::File(text.into())),
            _ => Err("it is neither zero nor the name of a .json file".into()),
        }
    }
}

impl MotionArgs {
    /// Values of missing joints.
    pub fn missing_joints(&self, limits: &LoadLimits) -> Result<MissingJoints> {
        Ok(match &self.missing_joints {
            None => MissingJoints::Refuse,
            Some(MissingJointsChoice::Zero) => MissingJoints::Zero,
            Some(MissingJointsChoice::File(file)) => MissingJoints::Values(JointValues::from_file(file, limits)?),
        })
    }

    /// Opens a file of motions, or the standard input for the path `-`.
    pub fn open<'r>(&self, path: &Path, robot: &'r Robot, limits: LoadLimits) -> Result<MotionFile<'r>> {
        let missing = self.missing_joints(&limits)?;
        let options = MotionOptions::default().with_limits(limits).with_missing_joints(missing);
        if path == Path::new(STANDARD_INPUT) {
            MotionFile::from_stream(io::stdin().lock(), "standard input", robot, &options)
        } else {
            MotionFile::open(path, robot, &options)
        }
    }
}
