//! Sets of planning problems, with VAMP's models of the robots.

use crate::dataset::{Work, work};
use firstcontact::formats::MissingJoints;
use firstcontact::formats::moveit::PlacedPrimitive;
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::{Error, Result};
use firstcontact_datasets::problems::{self, Problem};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of edges into which a motion is cut: they are about as long as the edges of VAMP's planners, 1 to 1.5 rad.
const EDGES: usize = 4;

/// A motion in its scene.
#[derive(Clone, Debug)]
pub struct Case {
    /// Kind and number, such as `box/0017`, and the part of the motion.
    pub name: String,
    /// Its number in the data set.
    pub number: usize,
    /// Index of its kind in the set.
    pub kind: usize,
    /// The obstacles as triangles.
    pub scene: Arc<Scene>,
    /// The same obstacles.
    pub primitives: Vec<PlacedPrimitive>,
    /// The motion.
    pub motion: MotionBatch,
}

/// Problems of one robot.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name, such as `mbm-panda/all`.
    pub name: String,
    /// Its name in tables, such as `panda`.
    pub label: String,
    /// VAMP's name of the robot.
    pub robot_name: String,
    /// The robot: the model that VAMP's spheres approximate.
    pub robot: Robot,
    /// The kinds of problems.
    pub kinds: Vec<String>,
    /// The problems.
    pub cases: Vec<Case>,
    /// Problems that VAMP cannot represent, and why.
    pub left_out: Vec<String>,
}

impl Set {
    /// The first `most` problems of each kind of a data set; robots are searched for in `peers`.
    ///
    /// # Errors
    /// The name is not one of a set of problems, or the set or VAMP's robot is missing.
    pub fn read(name: &str, folder: &Path, peers: &Path, most: usize) -> Result<Self> {
        let Work::Problems(sets) = work(name, folder)? else {
            let error = Error::usage(format!("data set '{name}' has no planning problems"));
            return Err(error.remedy("use mbm-panda/KIND or mbm-ur5/KIND; firstcontact dataset list prints all"));
        };
        let [set] = sets.as_slice() else {
            let error = Error::usage(format!("data set '{name}' has problems of several robots"));
            return Err(error.remedy("give the sets of one robot"));
        };
        let robot_name = set.suffix.trim_start_matches('_');
        let robot = Robot::from_urdf(robot_file(peers, robot_name)?)?;
        let found = problems::read(&set.archive, &set.suffix, &set.kind, &SceneOptions::default())?;
        Self::new(name, robot_name, robot, found, most)
    }

    /// The first `most` problems of each kind.
    pub fn new(name: &str, robot_name: &str, robot: Robot, found: Vec<Problem>, most: usize) -> Result<Self> {
        let [name, label, robot_name] = [name, robot_name, robot_name].map(str::to_string);
        let (kinds, cases, left_out) = (Vec::new(), Vec::new(), Vec::new());
        let mut set = Self { name, label, robot_name, robot, kinds, cases, left_out };
        for (number, problem) in found.into_iter().enumerate() {
            let kind = set.kind(&problem.name);
            if set.cases.iter().filter(|c| c.kind == kind).count() == most {
                continue;
            }
            match obstacle(&problem) {
                Some(why) => set.left_out.push(format!("{}: {why}", problem.name)),
                None => set.add(number, problem, kind)?,
            }
        }
        Ok(set)
    }

    /// The same problems, each motion cut into [`EDGES`] equal ones.
    pub fn cut(&self) -> Result<Self> {
        let edges = |case: &Case| {
            let [start, goal] = [case.motion.start(0), case.motion.end(0)].map(<[f64]>::to_vec);
            let at = move |k: usize| -> Vec<f64> {
                let share = k as f64 / EDGES as f64;
                start.iter().zip(&goal).map(|(from, to)| from + share * (to - from)).collect()
            };
            let name = |k: usize| format!("{}, {} of {EDGES}", case.name, k + 1);
            let motion = |k: usize| MotionBatch::between(&[at(k)], &[at(k + 1)]);
            (0..EDGES).map(|k| Ok(Case { name: name(k), motion: motion(k)?, ..case.clone() })).collect()
        };
        let cases: Result<Vec<Vec<Case>>> = self.cases.iter().map(edges).collect();
        Ok(Self {
            label: format!("{}, edges", self.label),
            cases: cases?.concat(),
            left_out: Vec::new(),
            ..self.clone()
        })
    }

    /// The index of a problem's kind, which is added if it is new.
    fn kind(&mut self, problem: &str) -> usize {
        let kind = problem.split('/').next().unwrap_or_default();
        self.kinds.iter().position(|k| k == kind).unwrap_or_else(|| {
            self.kinds.push(kind.into());
            self.kinds.len() - 1
        })
    }

    fn add(&mut self, number: usize, problem: Problem, kind: usize) -> Result<()> {
        let motion = problem.motion(&self.robot, &MissingJoints::Refuse)?;
        let (scene, primitives) = (Arc::new(problem.planning.scene), problem.planning.primitives);
        self.cases.push(Case { name: problem.name, number, kind, scene, primitives, motion });
        Ok(())
    }
}

/// The reason why VAMP cannot represent a problem.
fn obstacle(problem: &Problem) -> Option<&'static str> {
    let is_placed = problem.request.start.root.or(problem.planning.state.root).is_some();
    let attaches = !(problem.request.start.attached.is_empty() && problem.planning.state.attached.is_empty());
    match (problem.planning.n_meshes, is_placed) {
        (0, false) => attaches.then_some("it attaches an object to the robot"),
        (0, true) => Some("it moves the robot's root"),
        _ => Some("it has a mesh"),
    }
}

/// The model that VAMP's source package has of a robot.
pub fn robot_file(peers: &Path, robot: &str) -> Result<PathBuf> {
    let file = peers.join("vamp-robots").join(robot).join(format!("{robot}.urdf"));
    if file.is_file() {
        return Ok(file);
    }
    Err(Error::input("VAMP's robot is missing").in_file(file).remedy("benches/peers/setup.sh VENV BUILD copies it"))
}
