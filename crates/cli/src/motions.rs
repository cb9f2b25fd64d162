//! Motions from files and from the standard input.

use super::model::Model;
use clap::Args;
use firstcontact::error::quoted;
use firstcontact::formats::{JointValues, MissingJoints, MotionOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use firstcontact::{Error, Result, Srdf};
use std::convert::Infallible;
use std::path::PathBuf;
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
    /// Values of missing joints; those of a state are in the robots' SRDFs.
    ///
    /// # Errors
    /// The file cannot be read, or there is no such state.
    pub fn missing_joints(&self, states: &[StateSource], limits: &LoadLimits) -> Result<MissingJoints> {
        Ok(match &self.missing_joints {
            None => MissingJoints::Refuse,
            Some(MissingJointsChoice::Zero) => MissingJoints::Zero,
            Some(MissingJointsChoice::File(file)) => MissingJoints::Values(JointValues::from_file(file, limits)?),
            Some(MissingJointsChoice::State(state)) => MissingJoints::Values(values_of(state, states)?),
        })
    }

    /// The options for reading motions of a model.
    ///
    /// # Errors
    /// As [`missing_joints`](Self::missing_joints).
    pub fn options(&self, model: &Model, limits: LoadLimits) -> Result<MotionOptions> {
        let missing = self.missing_joints(&model.states(), &limits)?;
        Ok(MotionOptions::default().with_limits(limits).with_missing_joints(missing))
    }
}

/// Named states of a robot.
#[derive(Clone, Copy, Debug)]
pub struct StateSource<'a> {
    /// The robot's name among several.
    pub robot_name: Option<&'a str>,
    /// The robot alone.
    pub robot: &'a Robot,
    /// Its semantic description.
    pub srdf: &'a Srdf,
}

impl StateSource<'_> {
    /// The name of a state in the robot's own SRDF: `STATE` or `GROUP/STATE`, either may follow the robot's name.
    /// `None` if there is no such state.
    fn own<'s>(&self, state: &'s str) -> Option<&'s str> {
        let after_robot = self.robot_name.and_then(|robot| state.strip_prefix(robot)?.strip_prefix('/'));
        let has = |state: &str| self.srdf.states().any(|of| of[1] == state || of.join("/") == state);
        [Some(state), after_robot].into_iter().flatten().find(|state| has(state))
    }

    /// The values of a state by the names of the columns of all robots.
    fn values(&self, state: &str) -> Result<JointValues> {
        let values = self.srdf.joint_values(state, self.robot)?;
        let Some(robot) = self.robot_name else { return Ok(values) };
        Ok(values.iter().map(|(joint, value)| (format!("{robot}/{joint}"), value)).collect())
    }
}

/// The values of a state in all robots that have it.
fn values_of(state: &str, sources: &[StateSource]) -> Result<JointValues> {
    let [first, ..] = sources else { return Err(without_srdf(state)) };
    // A name before the slash that is that of a robot means this robot, even if another one has such a group.
    let is_of = |source: &&StateSource| source.robot_name.is_some_and(|robot| robot == before_slash(state));
    let is_named = sources.iter().any(|source| is_of(&source));
    let chosen = sources.iter().filter(|source| !is_named || is_of(source));
    let found = chosen.filter_map(|source| Some((source, source.own(state)?)));
    let found: Vec<JointValues> = found.map(|(source, own)| source.values(own)).collect::<Result<_>>()?;
    // The error of a state that does not exist is that of the first SRDF.
    if found.is_empty() { first.values(state) } else { Ok(found.iter().flat_map(JointValues::iter).collect()) }
}

/// The text before the first slash, or an empty string without a slash.
fn before_slash(state: &str) -> &str {
    state.split_once('/').map_or("", |(before, _)| before)
}

fn without_srdf(state: &str) -> Error {
    let message = format!("--missing-joints {}: it is neither zero nor the name of a .json file", quoted(state));
    Error::usage(message).remedy("--srdf FILE is needed for a named state")
}
