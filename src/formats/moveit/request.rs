//! Planning requests: the start and the goal of a robot.

use super::{RobotState, StateYaml, by_name, parse};
use crate::error::{Error, Result, quoted};
use crate::formats::joint_values::MissingJoints;
use crate::formats::named_columns::NamedColumns;
use crate::formats::scene_file::SceneOptions;
use crate::robot::{ColumnKind, Robot};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;

/// Start and goal, joint by joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The start; it may be incomplete.
    pub start: RobotState,
    /// The goal's joint values by name; a joint without a value does not move.
    pub goal: HashMap<String, f64>,
}

#[derive(Deserialize)]
struct RequestYaml {
    #[serde(default)]
    start_state: StateYaml,
    #[serde(default)]
    goal_constraints: Vec<GoalYaml>,
}

#[derive(Deserialize)]
struct GoalYaml {
    #[serde(default)]
    joint_constraints: Vec<JointYaml>,
    #[serde(default)]
    position_constraints: Vec<serde_json::Value>,
    #[serde(default)]
    orientation_constraints: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct JointYaml {
    joint_name: String,
    position: f64,
}

impl Request {
    /// Reads a request. Only the first goal is used. Relative mesh files of attached objects are searched in `folder`.
    ///
    /// # Errors
    /// The text is malformed, an attached object has no triangles, or the goal is not given by joint values.
    pub fn parse(text: &str, folder: &Path, options: &SceneOptions) -> Result<Self> {
        let yaml: RequestYaml = parse(text, options.limits.memory_bytes)?;
        let goal = yaml.goal_constraints.into_iter().next().ok_or_else(|| Error::input("it has no goal"))?;
        if !(goal.position_constraints.is_empty() && goal.orientation_constraints.is_empty())
            || goal.joint_constraints.is_empty()
        {
            return Err(Error::input("its goal is not given by joint values"));
        }
        let goal = by_name(goal.joint_constraints.into_iter().map(|j| (j.joint_name, j.position)));
        let goal = goal.map_err(|e| e.at("goal_constraints"))?;
        Ok(Self { start: yaml.start_state.into_state(folder, &mut options.clone())?, goal })
    }

    /// Start and end configurations of the straight motion from the start to the goal. A joint that has no start value
    /// in the request starts at its value in the scene's state, or else at its value in `missing`.
    ///
    /// # Errors
    /// The goal contains a joint that the robot does not have, the start of a joint is missing, or the robot has a free
    /// joint.
    pub fn motion(&self, robot: &Robot, scene: &RobotState, missing: &MissingJoints) -> Result<[Vec<f64>; 2]> {
        if let Some(free) = robot.columns.iter().find(|c| matches!(c.kind, ColumnKind::Free(_))) {
            return Err(Error::usage(format!(
                "planning problems do not support free joints, but the robot has {}",
                quoted(&free.name)
            )));
        }
        let moves = |name: &str| robot.columns.iter().any(|c| c.name == name);
        let mut strange: Vec<&str> = self.goal.keys().map(String::as_str).filter(|name| !moves(name)).collect();
        strange.sort_unstable();
        if let Some(name) = strange.first() {
            return Err(Error::input(format!(
                "its goal moves the joint {}, which the robot does not have",
                quoted(name)
            ))
            .remedy("firstcontact info --robot R prints the columns"));
        }
        let of_state = |name: &str| self.start.joints.get(name).or_else(|| scene.joints.get(name)).copied();
        let named = robot.columns.iter().filter_map(|c| Some((c.name.as_str(), of_state(&c.name)?)));
        let (names, values): (Vec<&str>, Vec<f64>) = named.unzip();
        let start = NamedColumns::new(&names, robot, missing)?.place(1, &values);
        let end =
            robot.columns.iter().zip(&start).map(|(c, at)| self.goal.get(&c.name).copied().unwrap_or(*at)).collect();
        Ok([start, end])
    }
}
