//! Names for `--dataset`: the files that they mean, and motions that are generated if a set has none.

use super::{Files, files, unless};
use crate::progress::Progress;
use crate::robots::RobotSource;
use firstcontact::engine::{Backend, Engine};
use firstcontact::formats::MissingJoints;
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::urdf::UrdfOptions;
use firstcontact::io::load::read_text;
use firstcontact::io::output::AtomicFile;
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use firstcontact::{Error, Result};
use firstcontact_datasets::manifest::{Manifest, NamedRun, Problems};
use firstcontact_datasets::placed::RandomMotions;
use firstcontact_datasets::problems::Problem;
use firstcontact_datasets::{DEFAULT_SEED, MakeOptions, THETA_MAX_DEG, problems};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The meaning of a name.
#[derive(Debug)]
pub enum Work {
    /// One robot, one scene, many motions.
    Files(Files),
    /// Problems of one or several sets, each with its own scene.
    Problems(Vec<ProblemSet>),
}

impl Work {
    /// The sets of problems; none for files.
    fn problems(self) -> Vec<ProblemSet> {
        match self {
            Self::Files(_) => Vec::new(),
            Self::Problems(sets) => sets,
        }
    }
}

/// A set of problems.
#[derive(Debug)]
pub struct ProblemSet {
    /// The name of the family, such as `mbm-panda`.
    pub name: String,
    /// The robot.
    pub robot: PathBuf,
    /// The archive.
    pub archive: PathBuf,
    /// Suffix of the names of its folders.
    pub suffix: String,
    /// The kind of problems.
    pub kind: String,
    /// Pose of the robot's root.
    pub base: [f64; 6],
}

impl ProblemSet {
    /// The robot to read.
    pub fn source(&self) -> RobotSource {
        RobotSource::unnamed(&self.robot, Some(self.base))
    }
}

/// Separates the names of sets of problems that are checked together.
const SEPARATOR: char = ',';

/// The work for the data set `name`, or for several sets of problems separated by commas. Public sets are searched for
/// in the folder in `FIRSTCONTACT_DATA`, then in `folder`; generated files are created in `folder`.
pub fn work(name: &str, folder: &Path) -> Result<Work> {
    let manifest = Manifest::built_in()?;
    let names: Vec<&str> = name.split(SEPARATOR).map(str::trim).collect();
    if let [name] = names[..] {
        return work_of(&manifest, name, folder);
    }
    let mut sets = Vec::new();
    for name in names {
        // Sets that would have to be generated are refused before that.
        match manifest.run(name).filter(|(run, _)| run.scene.is_none()).map(|_| work_of(&manifest, name, folder)) {
            Some(work) => sets.extend(work?.problems()),
            None => {
                let message = format!("'{name}' is not a set of problems, and can only be checked alone");
                return Err(Error::usage(message).remedy("give sets such as mbm-panda/all,mbm-ur5/all"));
            }
        }
    }
    Ok(Work::Problems(sets))
}

/// The work for one data set.
fn work_of(manifest: &Manifest, name: &str, folder: &Path) -> Result<Work> {
    let Some((run, rest)) = manifest.run(name) else { return files(name, folder).map(Work::Files) };
    let robot = find(&run.robot, folder)?;
    match (&run.scene, &run.problems) {
        (None, Some(of)) => {
            let archive = find(&of.archive, folder)?;
            let kind = of.kind.as_deref().unwrap_or(if rest.is_empty() { problems::ALL } else { rest });
            let (suffix, kind) = (of.suffix.clone(), kind.to_string());
            let name = run.name.clone();
            Ok(Work::Problems(vec![ProblemSet { name, robot, archive, suffix, kind, base: run.base }]))
        }
        (Some(scene), of) => {
            let out = folder.join(run.name.replace('/', "-"));
            let scene = match &run.meshes {
                Some(meshes) => with_meshes(&find(scene, folder)?, meshes, folder, &out)?,
                None => find(scene, folder)?,
            };
            let motions = match of {
                Some(of) => starts_and_goals(run, of, &robot, folder, &out)?,
                None => random(run, rest, &robot, &scene, &out)?,
            };
            let robots = vec![RobotSource::unnamed(robot, Some(run.base))];
            Ok(Work::Files(Files { robots, scene: Some(scene), motions, allow: Vec::new() }))
        }
        (None, None) => Err(Error::usage(format!("data set '{name}' has no scene"))),
    }
}

/// The sets that a run needs.
pub fn sets_of(run: &NamedRun) -> Vec<&str> {
    let files = [Some(&run.robot), run.scene.as_ref(), run.problems.as_ref().map(|p| &p.archive)];
    let mut sets: Vec<&str> = files.into_iter().flatten().filter_map(|file| file.split('/').next()).collect();
    sets.dedup();
    sets
}

/// The path of a file of a public set.
fn find(file: &str, folder: &Path) -> Result<PathBuf> {
    let data = std::env::var_os("FIRSTCONTACT_DATA").filter(|v| !v.is_empty()).map(PathBuf::from);
    let places: Vec<PathBuf> = data.into_iter().chain([folder.to_path_buf()]).map(|f| f.join(file)).collect();
    places.iter().find(|p| p.is_file()).cloned().ok_or_else(|| {
        let set = file.split('/').next().unwrap_or_default();
        Error::input(format!("the data set {set} is not installed: no {file}"))
            .in_folders(places.iter().filter_map(|place| place.ancestors().nth(Path::new(file).components().count())))
            .remedy(format!(
                "run firstcontact dataset fetch {set}, or set FIRSTCONTACT_DATA to a folder that contains {set}"
            ))
    })
}

/// A copy of a URDF scene in which mesh paths that begin with `from` begin with the folder `to` of a set instead.
fn with_meshes(scene: &Path, [from, to]: &[String; 2], folder: &Path, out: &Path) -> Result<PathBuf> {
    let text = read_text(scene)?;
    // The scene is in the same set, so its path contains the set's folder.
    let set = scene.ancestors().find(|f| f.ends_with(to)).unwrap_or(folder);
    let set = std::path::absolute(set).map_err(|e| Error::input(e.to_string()).in_file(set))?;
    let place = set.display().to_string().replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let path = out.join("scene.urdf");
    let text = text.replace(from.as_str(), &format!("file://{place}"));
    let is_there = || std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes());
    unless(is_there, out, || put(&path, &text))?;
    Ok(path)
}

/// Reads the problems of each set. If there are several sets, the names of problems begin with that of their set.
pub fn read_problems(sets: &[ProblemSet], options: &SceneOptions) -> Result<Vec<Vec<Problem>>> {
    let read = |set: &ProblemSet| {
        let mut found = problems::read(&set.archive, &set.suffix, &set.kind, options)?;
        if sets.len() > 1 {
            found.iter_mut().for_each(|problem| problem.name = format!("{}/{}", set.name, problem.name));
        }
        Ok(found)
    };
    sets.iter().map(read).collect()
}

/// Starts and goals of problems as a file of motions, created if it is missing.
fn starts_and_goals(run: &NamedRun, of: &Problems, robot: &Path, folder: &Path, out: &Path) -> Result<PathBuf> {
    let path = out.join("motions.json");
    unless(|| path.is_file(), out, || put(&path, &starts_and_goals_of(run, of, robot, folder)?))?;
    Ok(path)
}

/// Writes a file with this text.
fn put(path: &Path, text: &str) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.lines(text)?;
    file.finish()
}

fn starts_and_goals_of(run: &NamedRun, of: &Problems, robot: &Path, folder: &Path) -> Result<String> {
    let kind = of.kind.as_deref().unwrap_or(problems::ALL);
    let found = problems::read(&find(&of.archive, folder)?, &of.suffix, kind, &SceneOptions::default())?;
    let robot = placed(robot, run.base)?;
    let motions: Vec<MotionBatch> =
        found.iter().map(|p| p.motion(&robot, &MissingJoints::Refuse)).collect::<Result<_>>()?;
    let names: Vec<&str> = robot.columns.iter().map(|c| c.name.as_str()).collect();
    let ends: Vec<_> = motions.iter().map(|m| [m.start(0), m.end(0)]).collect();
    Ok(json!({ "joints": names, "motions": ends }).to_string())
}

/// Random motions of at most `degrees`, created if they are missing.
fn random(run: &NamedRun, degrees: &str, robot: &Path, scene: &Path, out: &Path) -> Result<PathBuf> {
    let degrees = if degrees.is_empty() { "30" } else { degrees.trim_end_matches("deg") };
    let Some(&theta_max_deg) = THETA_MAX_DEG.iter().find(|t| t.to_string() == degrees) else {
        let angles = THETA_MAX_DEG.map(|t| t.to_string()).join(", ");
        let message = format!("data set '{}' has no motions of '{degrees}' degrees", run.name);
        return Err(Error::usage(message).remedy(format!("available angles: {angles}")));
    };
    let path = out.join(format!("motions-{degrees}deg.npy"));
    unless(|| path.is_file(), out, || make_random(run, theta_max_deg, robot, scene, &path))?;
    Ok(path)
}

fn make_random(run: &NamedRun, theta_max_deg: f64, robot: &Path, scene: &Path, path: &Path) -> Result<()> {
    tell!("making motions of {} in {}", run.name, path.display());
    let (robot, scene) = (placed(robot, run.base)?, Scene::from_file(scene)?);
    // On the CPU: the choice of free starts must not depend on the available adapters.
    let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).build()?;
    let mut is_free = |starts: &[Vec<f64>]| {
        let report = engine.check(&MotionBatch::between(starts, starts)?)?;
        Ok(report.verdicts.iter().map(|v| *v == Verdict::Free).collect())
    };
    let n_motions = MakeOptions::default().n_motions;
    let bar = Progress::new("making", "motions", n_motions as u64);
    let random = RandomMotions { name: &run.name, seed: DEFAULT_SEED, theta_max_deg, n_motions };
    let written = random.write(&robot, path, &mut is_free, &mut |made| bar.set(made.n_made as u64));
    bar.finish();
    written
}

/// A robot with its root at this pose.
pub(super) fn placed(robot: &Path, base: [f64; 6]) -> Result<Robot> {
    Robot::from_urdf_with(robot, &UrdfOptions { base, ..UrdfOptions::default() })
}
