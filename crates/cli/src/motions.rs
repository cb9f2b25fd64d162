//! Motions from files and from the standard input.

use clap::Args;
use firstcontact::error::quoted;
use firstcontact::formats::{JointValues, MissingJoints, MotionFile, MotionOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use firstcontact::{Error, Result, Srdf};
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The path that means the standard input.
pub const STANDARD_INPUT: &str = "-";

/// Options for reading motions.
#[derive(Clone, Debug, Args)]
pub struct MotionArgs {
    /// Value of the joints that are missing from motions with joint names: zero, a JSON file {"joint": value, …}, in
    /// radians and metres, or a group_state of --srdf, as STATE or GROUP/STATE. Without it a missing joint is an error
    #[arg(long, value_name = "zero|FILE.json|STATE", help_heading = "Reading")]
    missing_joints: Option<MissingJointsChoice>,
}

/// The source of the values of missing joints.
#[derive(Clone, Debug)]
enum MissingJointsChoice {
    Zero,
    File(PathBuf),
    State(String),
}

impl FromStr for MissingJointsChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(match text {
            "zero" => Self::Zero,
            _ if text.to_ascii_lowercase().ends_with(".json") => Self::File(text.into()),
            _ => Self::State(text.into()),
        })
    }
}

impl MotionArgs {
    /// Values of missing joints; those of a state are in the robot's SRDF.
    ///
    /// # Errors
    /// The file cannot be read, or there is no such state.
    pub fn missing_joints(&self, robot: &Robot, srdf: Option<&Srdf>, limits: &LoadLimits) -> Result<MissingJoints> {
        Ok(match &self.missing_joints {
            None => MissingJoints::Refuse,
            Some(MissingJointsChoice::Zero) => MissingJoints::Zero,
            Some(MissingJointsChoice::File(file)) => MissingJoints::Values(JointValues::from_file(file, limits)?),
            Some(MissingJointsChoice::State(state)) => match srdf {
                Some(srdf) => MissingJoints::Values(srdf.joint_values(state, robot)?),
                None => return Err(without_srdf(state)),
            },
        })
    }

    /// Opens a file of motions, or the standard input for the path `-`.
    pub fn open<'r>(
        &self,
        path: &Path,
        robot: &'r Robot,
        srdf: Option<&Srdf>,
        limits: LoadLimits,
    ) -> Result<MotionFile<'r>> {
        let missing = self.missing_joints(robot, srdf, &limits)?;
        let options = MotionOptions::default().with_limits(limits).with_missing_joints(missing);
        if path == Path::new(STANDARD_INPUT) {
            MotionFile::from_stream(io::stdin().lock(), "standard input", robot, &options)
        } else {
            MotionFile::open(path, robot, &options)
        }
    }
}

fn without_srdf(state: &str) -> Error {
    let message = format!("--missing-joints {}: it is neither zero nor the name of a .json file", quoted(state));
    Error::usage(message).remedy("--srdf FILE is needed for a named state")
}
