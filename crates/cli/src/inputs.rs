//! Options that select the input, and how it is read.

use super::bytes;
use super::dataset::{self, Files, FolderArgs, Work};
use super::model::{Model, Part};
use super::motions::MotionArgs;
use super::robots::{NamedFile, RobotArgs, RobotSource, World};
use clap::{Args, ValueEnum};
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::urdf::{Geometry, UrdfOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use firstcontact::robot::primitive::CHORD_ERROR_M;
use firstcontact::scene::Scene;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::{Error, Result};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GeometryChoice {
    /// Collision shapes, or visual ones if a link has none
    Auto,
    /// Only collision shapes
    Collision,
    /// Only visual shapes
    Visual,
}

/// Treatment of links that touch the scene at the start.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum InitialChoice {
    /// A link that touches the scene at the start is a contact at time 0
    Report,
    /// Exclude pairs of link and object that touch at the start, for the whole motion
    Ignore,
}

impl From<InitialChoice> for InitialContactPolicy {
    fn from(choice: InitialChoice) -> Self {
        match choice {
            InitialChoice::Report => Self::Report,
            InitialChoice::Ignore => Self::Ignore,
        }
    }
}

/// Robot, scene and motions.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// The robot (URDF). Several robots as NAME=FILE each: their links are tested against each other, and the columns
    /// of motions, NAME/JOINT, follow one another in the order given
    #[arg(long, value_name = "[NAME=]R.urdf", value_parser = NamedFile::parser())]
    #[arg(required_unless_present_any = ["dataset", "world"])]
    robot: Vec<NamedFile>,
    /// Several robots with their bases and SRDFs, a scene, and pairs that are never tested, JSON: {"robots":
    /// [{"name":"left","urdf":"r.urdf","srdf":"r.srdf","base":[x,y,z,roll,pitch,yaw]}],"scene":"s.obj","allow":
    /// [["left/hand","table"]]}
    #[arg(long, value_name = "WORLD.json", conflicts_with = "robot", help_heading = "Reading")]
    world: Option<PathBuf>,
    /// The scene: a mesh file, scene.json, or a URDF. It may be left out if links are tested against each other
    #[arg(long, value_name = "S")]
    scene: Option<PathBuf>,
    /// The motions: .npy or .npz of shape (Q, 2, D), .csv or .json. Or trajectories: waypoints (Q, W, D), splines by
    /// their points, ROS 2 JointTrajectory messages (.json or .yaml). - reads any of these formats from standard input
    #[arg(long, value_name = "M", required_unless_present = "dataset")]
    motions: Option<PathBuf>,
    /// Take robot, scene and motions from a data set, unless given: a generated one, created if it is missing, such as
    /// pipes/30 (degrees), or a public one, such as ur5-bookstore/30 or mbm-panda/box. Several sets of problems are
    /// separated by commas. firstcontact dataset list prints all names
    #[arg(long, value_name = "NAME[/DEG]", help_heading = "Data sets")]
    dataset: Option<String>,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    pub reading: MotionArgs,
}

impl FileArgs {
    /// The arguments of a command whose files are optional: robots or a world, scene and motions, a data set, its
    /// folder, and options for reading motions.
    pub fn new(
        (robot, world): (Vec<NamedFile>, Option<PathBuf>),
        [scene, motions]: [Option<PathBuf>; 2],
        dataset: Option<String>,
        folder: FolderArgs,
        reading: MotionArgs,
    ) -> Self {
        Self { robot, world, scene, motions, dataset, folder, reading }
    }

    /// The name of the data set.
    pub fn dataset(&self) -> Option<&str> {
        self.dataset.as_deref()
    }

    /// The work to do: the given files, with the others from the data set; or a set of problems.
    pub fn resolve(&self) -> Result<Work> {
        let World { robots, scene, allow } = self.world()?;
        let is_whole = !robots.is_empty() && scene.is_some() && self.motions.is_some();
        match (&self.dataset, self.motions.clone()) {
            (Some(name), motions) if !is_whole => {
                let given = World { robots, scene, allow };
                merged(given, motions, name, dataset::work(name, &self.folder.path()?)?)
            }
            (_, Some(motions)) if !robots.is_empty() => Ok(Work::Files(Files { robots, scene, motions, allow })),
            _ => Err(Error::usage("--robot, --scene and --motions are required, or --dataset")),
        }
    }

    /// The given robots, with the scene and the pairs that their file lists.
    fn world(&self) -> Result<World> {
        let mut world = match &self.world {
            Some(path) => World::read(path)?,
            None => World { robots: self.robot.iter().cloned().map(RobotSource::from).collect(), ..World::default() },
        };
        world.scene = self.scene.clone().or(world.scene);
        Ok(world)
    }
}

/// The work of a data set, some of whose files are given.
fn merged(given: World, motions: Option<PathBuf>, name: &str, of_set: Work) -> Result<Work> {
    let World { mut robots, scene, allow } = given;
    match of_set {
        Work::Files(set) => {
            let base = set.robots.first().and_then(|robot| robot.base);
            robots.iter_mut().filter(|robot| robot.name.is_none()).for_each(|robot| robot.base = base);
            Ok(Work::Files(Files {
                robots: if robots.is_empty() { set.robots } else { robots },
                scene: scene.or(set.scene),
                motions: motions.unwrap_or(set.motions),
                allow,
            }))
        }
        Work::Problems(_) if scene.is_some() || motions.is_some() => {
            let message = format!("each problem of {name} has its own scene and motion");
            Err(Error::usage(message).remedy("leave out --scene and --motions"))
        }
        Work::Problems(mut sets) => match &robots[..] {
            [] => Ok(Work::Problems(sets)),
            [RobotSource { name: None, urdf, .. }] => {
                sets.iter_mut().for_each(|set| set.robot.clone_from(urdf));
                Ok(Work::Problems(sets))
            }
            _ => {
                let message = format!("the problems of {name} are for one robot, which has no name");
                Err(Error::usage(message).remedy("give --robot FILE without a name, or leave it out"))
            }
        },
    }
}

/// Options for reading robots and scenes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct InputArgs {
    #[command(flatten)]
    pub robots: RobotArgs,
    /// Put a free joint before the root; its columns x y z qx qy qz qw are the first ones
    #[arg(long)]
    floating_root: bool,
    /// The shapes of a link to use
    #[arg(long, value_enum, default_value = "auto")]
    geometry: GeometryChoice,
    /// Largest distance by which the triangles of a box, cylinder, sphere or capsule may extend beyond it, metres
    #[arg(long, value_name = "M", default_value_t = CHORD_ERROR_M)]
    chord_error: f64,
    /// An additional folder to search for packages
    #[arg(long, value_name = "DIR")]
    package_path: Vec<PathBuf>,
    /// Memory limit, for the input and for the work on motions separately: bytes, or with a unit, such as 2GiB. By
    /// default, most of the machine's memory for the input, and at most 1 GiB for the work
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<u64>,
}

impl InputArgs {
    /// The limits on loading.
    pub fn limits(&self) -> LoadLimits {
        self.memory.map_or_else(LoadLimits::default, |memory_bytes| LoadLimits { memory_bytes })
    }

    fn shapes(&self) -> Geometry {
        match self.geometry {
            GeometryChoice::Auto => Geometry::Auto,
            GeometryChoice::Collision => Geometry::Collision,
            GeometryChoice::Visual => Geometry::Visual,
        }
    }

    /// Reads robots with their semantic descriptions, and attached objects; options replace bases and descriptions of
    /// the sources.
    ///
    /// # Errors
    /// A file cannot be read, or an option or an object does not fit the robots.
    pub fn model(&self, robots: &[RobotSource]) -> Result<Model> {
        Model::new(self.parts(robots)?, self.robots.attach(), &self.limits())
    }

    /// Reads a robot with its semantic description; options replace base and description of the source.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn part(&self, robot: &RobotSource) -> Result<Part> {
        let mut parts = self.parts(std::slice::from_ref(robot))?;
        Ok(parts.remove(0))
    }

    fn parts(&self, robots: &[RobotSource]) -> Result<Vec<Part>> {
        let limits = self.limits();
        let part = |source: &RobotSource| Part::new(source, self.robot(source)?, &limits);
        self.robots.apply(robots)?.iter().map(part).collect()
    }

    fn robot(&self, source: &RobotSource) -> Result<Robot> {
        let options = UrdfOptions {
            geometry: self.shapes(),
            chord_error_m: self.chord_error,
            base: source.base.unwrap_or_default(),
            floating_root: self.floating_root,
            package_paths: self.package_path.clone(),
            limits: self.limits(),
        };
        Robot::from_urdf_with(&source.urdf, &options)
    }

    /// Reads a scene. It may be omitted if links are tested against each other.
    ///
    /// # Errors
    /// The scene is missing, or invalid.
    pub fn scene_if_any(&self, path: Option<&Path>, tests_links: bool) -> Result<Scene> {
        match path {
            Some(path) => self.scene(path),
            None if tests_links => Ok(Scene::new()),
            None => {
                let error = Error::usage("--robot, --scene and --motions are required, or --dataset");
                Err(error.remedy("--scene may be left out if links are tested against each other: --self-collision on"))
            }
        }
    }

    /// Reads a scene.
    pub fn scene(&self, path: &Path) -> Result<Scene> {
        let (_bar, watch) = super::large::reading();
        Scene::from_file_with(path, &SceneOptions { watch, ..self.scene_options() })
    }

    /// Options for reading scenes.
    pub fn scene_options(&self) -> SceneOptions {
        SceneOptions {
            geometry: self.shapes(),
            chord_error_m: self.chord_error,
            package_paths: self.package_path.clone(),
            limits: self.limits(),
            ..SceneOptions::default()
        }
    }
}
