//! `firstcontact dataset`: data sets that the program generates, and public ones that it fetches.

mod fetch;
mod loaded;
mod named;

pub use loaded::Loaded;
pub use named::{ProblemSet, Work, read_problems, work};

use super::robots::RobotSource;
use super::{Outcome, outputs};
use clap::{Args, Subcommand};
use directories::ProjectDirs;
use firstcontact::engine::{Backend, Engine};
use firstcontact::io::output::Claim;
use firstcontact::robot::MotionBatch;
use firstcontact::verdict::Verdict;
use firstcontact::{Error, Result};
use firstcontact_datasets::{DEFAULT_SEED, Dataset, GENERATOR_VERSION, MakeOptions, Progress, THETA_MAX_DEG};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The file that locks a folder while files are generated there.
const LOCK: &str = "dataset.lock";

/// Maximum number of motions for each largest angle.
const MAX_MOTIONS: usize = 10_000_000;

/// The folder of data sets.
#[derive(Clone, Debug, Args)]
pub struct FolderArgs {
    /// The folder of data sets, in which generated ones are created. By default, the user's data folder: on
    /// Linux $XDG_DATA_HOME/firstcontact/datasets, or ~/.local/share/firstcontact/datasets. Public sets are searched
    /// for in FIRSTCONTACT_DATA first
    #[arg(long, value_name = "DIR", help_heading = "Data sets")]
    dataset_folder: Option<PathBuf>,
}

impl FolderArgs {
    /// A folder chosen by the caller.
    #[cfg(test)]
    pub fn at(folder: PathBuf) -> Self {
        Self { dataset_folder: Some(folder) }
    }

    /// The folder; it need not exist.
    ///
    /// # Errors
    /// None is given, and the user does not have a home directory.
    pub fn path(&self) -> Result<PathBuf> {
        let default = || ProjectDirs::from("", "", "firstcontact").map(|dirs| dirs.data_dir().join("datasets"));
        self.dataset_folder.clone().or_else(default).ok_or_else(|| {
            Error::usage("there is no home directory for data sets").remedy("give a folder with --dataset-folder")
        })
    }
}

/// Arguments of `dataset`.
#[derive(Debug, Args)]
pub struct DatasetArgs {
    #[command(subcommand)]
    command: DatasetCommand,
}

#[derive(Debug, Subcommand)]
enum DatasetCommand {
    /// Generate a data set: robot, scene, and motions that start free
    Make(MakeArgs),
    /// Download, verify and unpack public data sets: robots, scenes, planning problems. FIRSTCONTACT_MIRROR may be a
    /// folder or URL with the same downloads, and PIP_INDEX_URL the URL of a Python package index
    Fetch(fetch::FetchArgs),
    /// List the data sets: generated ones, public ones, and the names for --dataset
    List(FolderArgs),
}

#[derive(Debug, Args)]
struct MakeArgs {
    /// The data set; `list` prints the names
    name: String,
    /// The folder to write it into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Seed of the layout and of the motions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// Size of the scene as a multiple of the usual one: amr has this many machine rooms of 187,000 triangles, 6 for a
    /// million, 54 for ten million, 535 for a hundred million; at most 10,000, and 1 for other sets
    #[arg(long, value_name = "N", default_value_t = 1)]
    scale: u64,
    /// Number of motions for each largest angle, at most 10,000,000
    #[arg(long, value_name = "N", default_value_t = MakeOptions::default().n_motions)]
    motions: usize,
}

/// Runs the command.
pub fn run(args: &DatasetArgs) -> Result<Outcome> {
    match &args.command {
        DatasetCommand::List(folder) => fetch::list(folder)?,
        DatasetCommand::Fetch(a) => fetch::run(a)?,
        DatasetCommand::Make(a) => {
            if a.motions > MAX_MOTIONS {
                return Err(Error::usage(format!("--motions must be at most {MAX_MOTIONS}")));
            }
            let _claim = claim(&a.out, LOCK)?;
            let summary = make(&a.name, &a.out, a.seed, a.scale, a.motions)?;
            say!("{summary}");
        }
    }
    Ok(Outcome::Free)
}

fn make(name: &str, out: &Path, seed: u64, scale: u64, n_motions: usize) -> Result<firstcontact_datasets::Summary> {
    let set = Dataset::generate(name, seed, scale)?;
    let (robot, scene) = (set.robot()?, set.scene_within_reach()?.unwrap_or_default());
    // On the CPU: the choice of free starts must not depend on the available adapters.
    let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).build()?;
    let mut is_free = |starts: &[Vec<f64>]| {
        let report = engine.check(&MotionBatch::between(starts, starts)?)?;
        Ok(report.verdicts.iter().map(|v| *v == Verdict::Free).collect())
    };
    let bar = super::progress::Progress::new("making", "motions", (THETA_MAX_DEG.len() * n_motions) as u64);
    let mut progress = |p: Progress| {
        let before = THETA_MAX_DEG.iter().filter(|&&theta| theta < p.theta_max_deg).count();
        bar.set((before * n_motions + p.n_made) as u64);
    };
    let summary = set.write(out, &MakeOptions { n_motions }, &mut is_free, &mut progress);
    bar.finish();
    summary
}

/// A data set on disk.
#[derive(Debug)]
pub struct Files {
    /// The robots.
    pub robots: Vec<RobotSource>,
    /// The scene; `None` if links are tested against each other only.
    pub scene: Option<PathBuf>,
    /// The motions.
    pub motions: PathBuf,
    /// Pairs of a link and an object, or of two links, that are never tested.
    pub allow: Vec<[String; 2]>,
}

impl Files {
    /// The only robot of a data set.
    ///
    /// # Errors
    /// There is no robot, or there are several.
    pub fn robot(&self) -> Result<&RobotSource> {
        match &self.robots[..] {
            [robot] => Ok(robot),
            robots => Err(Error::usage(format!("expected one robot, found {}", robots.len()))),
        }
    }

    /// The scene of work that has one.
    ///
    /// # Errors
    /// The scene was omitted.
    pub fn scene(&self) -> Result<&Path> {
        let missing = || Error::usage("a scene is required").remedy("give --scene or --dataset");
        self.scene.as_deref().ok_or_else(missing)
    }
}

/// Claims a folder by a lock in it, and creates the folder.
///
/// # Errors
/// It is not a folder, another process has the claim, or the lock cannot be created.
pub fn claim(folder: &Path, lock: &str) -> Result<Claim> {
    if folder.exists() && !folder.is_dir() {
        let error = Error::usage("cannot write files into it: it is not a folder").in_file(folder);
        return Err(error.remedy("choose another folder"));
    }
    Claim::new(&folder.join(lock))
}

/// The files of the generated data set `NAME` or `NAME/DEG` below `folder`, generated if they are missing. `DEG` is the
/// largest angle of a joint, by default 30.
///
/// # Errors
/// There is no such set, its folder contains another one, or it cannot be generated.
pub fn files(name: &str, folder: &Path) -> Result<Files> {
    let (name, degrees) = name.split_once('/').unwrap_or((name, "30"));
    let degrees = degrees.trim_end_matches("deg");
    if !THETA_MAX_DEG.iter().any(|t| t.to_string() == degrees) {
        let angles = THETA_MAX_DEG.map(|t| t.to_string()).join(", ");
        let message = format!("data set '{name}' has no motions of '{degrees}' degrees");
        return Err(Error::usage(message).remedy(format!("available angles: {angles}")));
    }
    let set = Dataset::generate(name, DEFAULT_SEED, 1)?;
    let Some(scene) = &set.scene else {
        return Err(Error::usage(format!("data set '{name}' has no scene")).remedy("try pipes or amr"));
    };
    let out = folder.join(&set.name);
    if let Some(description) = Description::read(&out) {
        description.expect(&set.name, &out)?;
    }
    unless(
        || Description::read(&out).is_some_and(|d| d.is_current(&out)),
        &out,
        || {
            tell!("making data set {} in {}", set.name, out.display());
            make(&set.name, &out, DEFAULT_SEED, 1, MakeOptions::default().n_motions).map(|_| ())
        },
    )?;
    let motions = format!("motions-{}-{degrees}deg.npy", scene.name);
    let usual = MakeOptions::default().n_motions;
    if let Some(n) = Description::read(&out).and_then(|d| d.n_motions(&motions)).filter(|n| *n != usual) {
        tell!("data set {name}/{degrees} in {} has {n} motions instead of {usual}", out.display());
    }
    Ok(Files {
        robots: vec![RobotSource::unnamed(out.join("robot.urdf"), None)],
        scene: Some(out.join(format!("{}.obj", scene.name))),
        motions: out.join(motions),
        allow: Vec::new(),
    })
}

/// Generates files in a folder unless they exist. If another process is generating them, waits and uses its files.
fn unless(is_there: impl Fn() -> bool, folder: &Path, make: impl FnOnce() -> Result<()>) -> Result<()> {
    if is_there() {
        return Ok(());
    }
    let _claim = outputs::wait(|| claim(folder, LOCK))?;
    if is_there() { Ok(()) } else { make() }
}

/// The description of a generated data set in its folder; fields that are missing there are not compared.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Description {
    name: Option<String>,
    seed: Option<u64>,
    /// 1 if it is missing.
    scale: Option<u64>,
    generator_version: u32,
    motions: Vec<MotionFile>,
    files: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct MotionFile {
    file: String,
    motions: usize,
}

impl Description {
    /// The description in a folder, if there is a readable one.
    fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join("dataset.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Returns an error if the set is not `name` of the default seed and scale. Such a set is not replaced.
    fn expect(&self, name: &str, folder: &Path) -> Result<()> {
        let (seed, scale) = (self.seed.unwrap_or(DEFAULT_SEED), self.scale.unwrap_or(1));
        let found = self.name.as_deref().unwrap_or(name);
        if (found, seed, scale) == (name, DEFAULT_SEED, 1) {
            return Ok(());
        }
        let message = format!(
            "it contains data set {found} of seed {seed} and scale {scale}, not {name} of seed {DEFAULT_SEED} and \
             scale 1"
        );
        let remedy = "remove or rename the folder, give another --dataset-folder, or name its files with --robot, \
                      --scene and --motions";
        Err(Error::usage(message).in_file(folder).remedy(remedy))
    }

    /// Returns whether the set is from this version of the generators, and all of its files are in `folder`.
    fn is_current(&self, folder: &Path) -> bool {
        self.generator_version == GENERATOR_VERSION && self.files.iter().all(|file| folder.join(file).is_file())
    }

    /// Number of motions in a file.
    fn n_motions(&self, file: &str) -> Option<usize> {
        self.motions.iter().find(|m| m.file == file).map(|m| m.motions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A small chain in the folder of the set `as_name`.
    fn chain(folder: &Path, as_name: &str) -> PathBuf {
        let out = folder.join(as_name);
        make("chain-3", &out, DEFAULT_SEED, 1, 2).unwrap();
        out
    }

    #[test]
    fn another_set_in_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let out = chain(folder.path(), "chain-4");
        let message = files("chain-4", folder.path()).unwrap_err().to_string();
        assert!(message.contains("chain-3") && message.contains("not chain-4") && message.contains("--dataset-folder"));
        assert!(message.contains(&out.display().to_string()), "{message}");
        for other in [r#"{"name": "chain-4", "seed": 7}"#, r#"{"name": "chain-4", "seed": 2004, "scale": 6}"#] {
            fs::write(out.join("dataset.json"), other).unwrap();
            assert!(files("chain-4", folder.path()).is_err(), "{other}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_smaller_set_is_used_and_an_incomplete_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let out = chain(folder.path(), "chain-3");
        assert!(files("chain-3/5", folder.path()).unwrap().motions.ends_with("motions-obstacles-5deg.npy"));
        let description = Description::read(&out).unwrap();
        assert_eq!(description.n_motions("motions-obstacles-5deg.npy"), Some(2));
        assert!(description.is_current(&out));
        fs::remove_file(out.join("obstacles.obj")).unwrap();
        assert!(!description.is_current(&out));
        // Of an older version of the generators.
        assert!(!Description::default().is_current(&out));
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(claim(&file, LOCK).unwrap_err().to_string().contains("it is not a folder"));
        assert!(claim(folder.path(), LOCK).is_ok());
    }
}
