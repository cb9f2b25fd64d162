//! Options that select the input, and how it is read.

use super::dataset::{self, Files, FolderArgs, Work};
use super::motions::MotionArgs;
use super::{bytes, numbers};
use clap::{Args, ValueEnum};
use firstcontact::acm::{ProofFile, Proofs};
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::urdf::{Geometry, UrdfOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use firstcontact::robot::primitive::CHORD_ERROR_M;
use firstcontact::scene::Scene;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::{Error, LinkPairs, Result, Srdf};
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
    /// The robot (URDF)
    #[arg(long, value_name = "R.urdf", required_unless_present = "dataset")]
    robot: Option<PathBuf>,
    /// The scene: a mesh file, scene.json, or a URDF. It may be left out where links are tested against each other
    #[arg(long, value_name = "S")]
    scene: Option<PathBuf>,
    /// The motions: .npy or .npz of shape (Q, 2, D), .csv or .json; - reads any of them from the standard input
    #[arg(long, value_name = "M", required_unless_present = "dataset")]
    motions: Option<PathBuf>,
    /// Take robot, scene and motions from a data set, unless given: a generated one, created if it is missing, such as
    /// pipes/30 (degrees), or a public one, such as ur5-bookstore/30 or mbm-panda/box. Sets of problems may be several,
    /// separated by commas. firstcontact dataset list prints all
    #[arg(long, value_name = "NAME[/DEG]", help_heading = "Data sets")]
    dataset: Option<String>,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    pub reading: MotionArgs,
}

impl FileArgs {
    /// The arguments of a command whose files are optional: robot, scene and motions, a data set, its folder, and
    /// options for reading motions.
    pub fn new(
        [robot, scene, motions]: [Option<PathBuf>; 3],
        dataset: Option<String>,
        folder: FolderArgs,
        reading: MotionArgs,
    ) -> Self {
        Self { robot, scene, motions, dataset, folder, reading }
    }

    /// The name of the data set.
    pub fn dataset(&self) -> Option<&str> {
        self.dataset.as_deref()
    }

    /// The work to do: the given files, with the others from the data set; or a set of problems.
    pub fn resolve(&self) -> Result<Work> {
        let given = (self.robot.clone(), self.scene.clone(), self.motions.clone());
        match (given, &self.dataset) {
            ((Some(robot), Some(scene), Some(motions)), _) => {
                Ok(Work::Files(Files { robot, scene: Some(scene), motions, base: None }))
            }
            ((Some(robot), None, Some(motions)), None) => {
                Ok(Work::Files(Files { robot, scene: None, motions, base: None }))
            }
            ((robot, scene, motions), Some(name)) => match dataset::work(name, &self.folder.path()?)? {
                Work::Files(set) => Ok(Work::Files(Files {
                    robot: robot.unwrap_or(set.robot),
                    scene: scene.or(set.scene),
                    motions: motions.unwrap_or(set.motions),
                    base: set.base,
                })),
                Work::Problems(_) if scene.is_some() || motions.is_some() => {
                    let message = format!("each problem of {name} has its own scene and motion");
                    Err(Error::usage(message).remedy("leave out --scene and --motions"))
                }
                Work::Problems(mut sets) => {
                    for set in &mut sets {
                        set.robot = robot.clone().unwrap_or_else(|| std::mem::take(&mut set.robot));
                    }
                    Ok(Work::Problems(sets))
                }
            },
            _ => Err(Error::usage("--robot, --scene and --motions are wanted, or --dataset")),
        }
    }
}

/// Options for reading robots and scenes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct InputArgs {
    /// Pose of the root link in the world: metres and radians
    #[arg(long, value_name = "X,Y,Z,ROLL,PITCH,YAW", value_parser = numbers::<6>, allow_hyphen_values = true)]
    base: Option<[f64; 6]>,
    /// Put a free joint before the root; its columns x y z qx qy qz qw are the first ones
    #[arg(long)]
    floating_root: bool,
    /// The shapes of a link to use
    #[arg(long, value_enum, default_value = "auto")]
    geometry: GeometryChoice,
    /// Largest distance by which the tessellation of a box, cylinder, sphere or capsule may exceed it, metres
    #[arg(long, value_name = "M", default_value_t = CHORD_ERROR_M)]
    chord_error: f64,
    /// An additional folder in which packages are searched for
    #[arg(long, value_name = "DIR")]
    package_path: Vec<PathBuf>,
    /// Semantic description of the robot (SRDF): pairs of links that are not tested against each other, and named
    /// states for --missing-joints
    #[arg(long, value_name = "R.srdf")]
    pub srdf: Option<PathBuf>,
    /// Memory for the input, and for the work on motions, each: bytes, or with a unit, as 2GiB. By default most of the
    /// machine's, and at most 1 GiB of it for the work
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

    /// Reads a robot; `base` is the pose from a data set, which an option of the caller overrides.
    pub fn robot(&self, path: &Path, base: Option<[f64; 6]>) -> Result<Robot> {
        let options = UrdfOptions {
            geometry: self.shapes(),
            chord_error_m: self.chord_error,
            base: self.base.or(base).unwrap_or_default(),
            floating_root: self.floating_root,
            package_paths: self.package_path.clone(),
            limits: self.limits(),
        };
        Robot::from_urdf_with(path, &options)
    }

    /// Reads the semantic description of a robot, if there is one, and warns of oddities.
    pub fn srdf(&self, robot: &Robot) -> Result<Option<Srdf>> {
        let Some(path) = &self.srdf else { return Ok(None) };
        let srdf = Srdf::read_with(path, &self.limits())?;
        srdf.check(robot)?;
        srdf.warnings(robot).iter().for_each(|w| super::warn(w));
        Ok(Some(srdf))
    }

    /// Those of the tested pairs of links that an SRDF disables because they are proved to stay apart, as far as the
    /// proofs next to it hold: for this robot, a margin in metres, and motions whose columns stay in `ranges`. The other
    /// pairs are tested, and a warning counts them.
    ///
    /// # Errors
    /// The file of the proofs is malformed.
    pub fn pairs_by_proof(
        &self,
        robot: &Robot,
        srdf: Option<&Srdf>,
        pairs: &LinkPairs,
        margin_m: f64,
        ranges: &[[f64; 2]],
    ) -> Result<Vec<[u32; 2]>> {
        let (Some(path), Some(srdf)) = (&self.srdf, srdf) else { return Ok(Vec::new()) };
        let mut said = srdf.proved_pairs(robot);
        said.retain(|pair| pairs.tested().binary_search(pair).is_ok());
        if said.is_empty() {
            return Ok(said);
        }
        let file = proof_file(path);
        let proofs = match file.exists() {
            true => Proofs::new(&ProofFile::read(&file, &self.limits())?, robot).map_err(|e| e.in_file(&file))?,
            false => Proofs::default(),
        };
        let covered: Vec<[u32; 2]> =
            said.iter().copied().filter(|pair| proofs.covers(*pair, margin_m, ranges)).collect();
        if covered.len() < said.len() {
            super::warn(&format!(
                "{} of {} pairs of links that the SRDF calls proved are tested: {} does not cover this robot, margin and \
                 range of motions",
                said.len() - covered.len(),
                said.len(),
                file.display()
            ));
        }
        Ok(covered)
    }

    /// Reads a scene. It may be left out if links are tested against each other.
    ///
    /// # Errors
    /// The scene is missing, or invalid.
    pub fn scene_if_any(&self, path: Option<&Path>, tests_links: bool) -> Result<Scene> {
        match path {
            Some(path) => self.scene(path),
            None if tests_links => Ok(Scene::new()),
            None => {
                let error = Error::usage("--robot, --scene and --motions are wanted, or --dataset");
                Err(error.remedy("--scene may be left out with --self-collision on"))
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

/// The file of proofs that belongs to an SRDF.
pub fn proof_file(srdf: &Path) -> PathBuf {
    let mut name = srdf.as_os_str().to_os_string();
    name.push(".proof.json");
    name.into()
}
