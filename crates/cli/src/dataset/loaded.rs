//! Loading of data sets by name, for commands without file arguments.

use super::Files;
use super::named::{ProblemSet, Work, placed, read_problems, work};
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::{MissingJoints, MotionOptions};
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::{Error, Result};
use firstcontact_datasets::problems::Problem;
use std::path::Path;

/// Motions of a robot in a scene.
#[derive(Debug)]
pub struct Loaded {
    /// The robot.
    pub robot: Robot,
    /// The scene.
    pub scene: Scene,
    /// The motions.
    pub motions: MotionBatch,
    /// Pairs (link, object) that are never tested.
    pub allowed: Vec<(u32, u32)>,
}

impl Loaded {
    /// The data set `name`, which has one scene.
    pub fn new(name: &str, folder: &Path) -> Result<Self> {
        match work(name, folder)? {
            Work::Files(files) => Self::files(&files),
            Work::Problems(_) => Err(Error::usage(format!("each motion of '{name}' has a scene of its own"))
                .remedy("give a set with one scene; firstcontact dataset list prints all")),
        }
    }

    /// The motions `numbers` of the data set `name`: together, or individually if each has its own scene.
    pub fn some(name: &str, folder: &Path, numbers: &[usize]) -> Result<Vec<(String, Vec<usize>, Self)>> {
        let known = |n: usize| match numbers.iter().find(|&&k| k >= n) {
            Some(k) => Err(Error::usage(format!("there is no motion {k}: there are {n}, counted from 0"))
                .at(format!("data set '{name}'"))),
            None => Ok(()),
        };
        match work(name, folder)? {
            Work::Files(files) => {
                let all = Self::files(&files)?;
                known(all.motions.len())?;
                let motions = all.motions.pick(numbers);
                Ok(vec![(name.to_string(), numbers.to_vec(), Self { motions, ..all })])
            }
            Work::Problems(sets) => {
                let found = problems_of(&sets)?;
                known(found.len())?;
                let one = |&k: &usize| {
                    let (robot, problem) = &found[k];
                    let robot = problem.robot(robot)?.unwrap_or_else(|| robot.clone());
                    let (motions, allowed) =
                        (problem.motion(&robot, &MissingJoints::Refuse)?, problem.planning.allowed_pairs(&robot));
                    let scene = problem.planning.scene.clone();
                    Ok((format!("{name} ({})", problem.name), vec![k], Self { robot, scene, motions, allowed }))
                };
                numbers.iter().map(one).collect()
            }
        }
    }

    fn files(files: &Files) -> Result<Self> {
        let robot = files.robot()?;
        let robot = placed(&robot.urdf, robot.base.unwrap_or_default())?;
        let scene = files.scene.as_ref().map_or_else(|| Ok(Scene::new()), Scene::from_file)?;
        let motions = MotionBatch::load(&files.motions, &robot, &MotionOptions::default())?;
        Ok(Self { robot, scene, motions, allowed: Vec::new() })
    }

    /// An engine on the CPU.
    pub fn engine(&self) -> Result<Engine> {
        let options = Options { backend: Backend::Cpu, ..Options::default() };
        Engine::builder(&self.robot, &self.scene).options(options).allow(self.allowed.iter().copied()).build()
    }
}

/// The problems of all sets, each with the robot of its set.
fn problems_of(sets: &[ProblemSet]) -> Result<Vec<(Robot, Problem)>> {
    let mut all = Vec::new();
    for (set, found) in sets.iter().zip(read_problems(sets, &SceneOptions::default())?) {
        let robot = placed(&set.robot, set.base)?;
        all.extend(found.into_iter().map(|problem| (robot.clone(), problem)));
    }
    Ok(all)
}
