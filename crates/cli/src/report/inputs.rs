//! The robot, the scene and the motions of results, for the view in three dimensions.

use super::answer::Answer;
use super::facts;
use super::findings::Findings;
use super::results::{DEFAULT_MOTIONS, MAX_MOTIONS, Results, Shown};
use crate::dataset::{Files, FolderArgs, Loaded, Work};
use crate::inputs::{FileArgs, InputArgs};
use crate::large::{self, TreeCache};
use crate::motions::MotionArgs;
use crate::picture::Course;
use crate::picture::viewer::SetView;
use crate::queries::TrajectoryArgs;
use crate::robots::NamedFile;
use crate::warn;
use clap::Args;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::scene::Scene;
use firstcontact::verdict::TrajectoryVerdict;
use firstcontact::{Error, Result};
use std::path::{Path, PathBuf};

/// Inputs of the check whose results are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results of check")]
pub struct CheckedArgs {
    /// The robot that was checked (URDF), or several as NAME=FILE each; give it with --scene and --motions to view
    /// motions in three dimensions
    #[arg(long, value_name = "[NAME=]R.urdf", value_parser = NamedFile::parser())]
    pub robot: Vec<NamedFile>,
    /// The world that was checked, instead of robots
    #[arg(long, value_name = "WORLD.json", conflicts_with = "robot")]
    pub world: Option<PathBuf>,
    /// The scene that was checked
    #[arg(long, value_name = "S")]
    pub scene: Option<PathBuf>,
    /// The motions that were checked
    #[arg(long, value_name = "M")]
    pub motions: Option<PathBuf>,
    /// The data set that was checked, instead of robot, scene and motions
    #[arg(long, value_name = "NAME[/DEG]")]
    pub dataset: Option<String>,
    /// Number of motions of the results to show: the earliest and the latest contact of each link and object, and
    /// some free and undecided motions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MOTIONS, value_parser = n_motions)]
    pub html_motions: usize,
    #[command(flatten)]
    reading: MotionArgs,
    #[command(flatten)]
    trajectories: TrajectoryArgs,
    #[command(flatten)]
    inputs: InputArgs,
}

/// A number of motions to show.
pub fn n_motions(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(n) if n <= MAX_MOTIONS => Ok(n),
        _ => Err(format!("a number from 0 to {MAX_MOTIONS} is expected")),
    }
}

impl CheckedArgs {
    /// Returns whether inputs are given.
    pub fn are_given(&self) -> bool {
        self.dataset.is_some() || !self.files().is_empty()
    }

    /// The given files.
    pub fn files(&self) -> Vec<&Path> {
        let others = [&self.world, &self.scene, &self.motions].into_iter().flatten();
        self.robot.iter().map(|robot| &robot.path).chain(others).map(PathBuf::as_path).collect()
    }

    /// Reads results, and at most `n_motions` motions to show if inputs are given.
    ///
    /// # Errors
    /// A file cannot be read, or the results are not of these inputs.
    pub fn results(
        &self,
        path: &Path,
        folder: &FolderArgs,
        n_motions: usize,
        scene_triangles: usize,
    ) -> Result<(Results, Vec<SetView>)> {
        let findings = Findings::read(path)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let mut results = Results {
            title: format!("Collision check: {name}"),
            command: facts::command(),
            facts: facts::made().into_iter().chain([("results", path.display().to_string())]).collect(),
            tested: Vec::new(),
            notes: Vec::new(),
            findings,
        };
        if !self.are_given() {
            let remedy = "give --robot, --scene and --motions, or --dataset, to see motions in three dimensions";
            results.notes.push(format!("The results do not contain the motions: {remedy}."));
            return Ok((results, Vec::new()));
        }
        let given = FileArgs::new(
            (self.robot.clone(), self.world.clone()),
            [self.scene.clone(), self.motions.clone()],
            self.dataset.clone(),
            folder.clone(),
            self.reading.clone(),
        );
        let chosen = results.findings.choose(n_motions);
        let views = match given.resolve()? {
            Work::Files(files) => self.of_files(&files, path, &chosen, scene_triangles, &mut results)?,
            Work::Problems(_) => {
                let dataset = self.dataset.as_deref().unwrap_or_default();
                results.facts.push(("data set", dataset.to_string()));
                of_problems(dataset, &folder.path()?, path, &chosen, scene_triangles)?
            }
        };
        Ok((results, views))
    }

    fn of_files(
        &self,
        files: &Files,
        path: &Path,
        chosen: &[Answer],
        scene_triangles: usize,
        results: &mut Results,
    ) -> Result<Vec<SetView>> {
        let model = self.inputs.model(&files.robots)?;
        let robot = &model.robot;
        let mut scene = files.scene.as_deref().map_or_else(|| Ok(Scene::new()), |path| self.inputs.scene(path))?;
        let motions = self.trajectories.open(&files.motions, &self.reading, &model, self.inputs.limits())?;
        robot.warnings.iter().chain(&scene.warnings).for_each(|w| warn(w));
        if let Some(last) = results.findings.last().filter(|last| *last >= motions.len()) {
            let message = format!("answers motion {last}, but {} has {}", files.motions.display(), motions.len());
            return Err(Error::input(message).in_file(path).remedy("give the motions that were checked"));
        }
        let tree = files.scene.as_ref().and_then(|path| TreeCache::Auto.file(path, scene.n_triangles()));
        let (bar, watch) = large::building();
        let options = Options { backend: Backend::Cpu, ..Options::default() };
        let mut builder = Engine::builder_taking(robot, &mut scene).options(options).watch(watch);
        if let Some(file) = tree {
            builder = builder.tree_cache(file);
        }
        let engine = builder.build()?;
        drop(bar);
        engine.warnings().for_each(warn);
        results.facts.extend(model.facts());
        results.facts.extend(files.scene.iter().map(|path| facts::scene(path, &scene)));
        results.facts.push(facts::motions(&files.motions, &motions));
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let name = files.motions.file_stem().unwrap_or_default().to_string_lossy();
        let course = &|i: usize, answer: &TrajectoryVerdict| motions.course(i, answer);
        let shown = Shown { name: &name, engine: &engine, scene: &scene, answers: chosen, course, scene_triangles };
        let (view, doubt) = shown.view(0).map_err(|e| e.in_file(path))?;
        if let Some(doubt) = doubt {
            warn(&doubt);
            results.notes.push(format!("Doubtful: {doubt}."));
        }
        Ok(vec![view])
    }
}

/// Motions of planning problems: each has its own scene, and therefore its own view.
fn of_problems(
    dataset: &str,
    folder: &Path,
    path: &Path,
    chosen: &[Answer],
    scene_triangles: usize,
) -> Result<Vec<SetView>> {
    let numbers: Vec<usize> = chosen.iter().map(|a| a.motion).collect();
    let loaded = Loaded::some(dataset, folder, &numbers)?;
    let view = |(answer, (name, _, loaded)): (&Answer, &(String, Vec<usize>, Loaded))| {
        let engine = loaded.engine()?;
        let (scene, answers) = (&loaded.scene, std::slice::from_ref(answer));
        let course = &|_: usize, of: &TrajectoryVerdict| Course::of_motion(&loaded.motions, 0)?.answered(of);
        let shown = Shown { name, engine: &engine, scene, answers, course, scene_triangles };
        shown.view(0).map(|(view, _)| view).map_err(|e| e.in_file(path))
    };
    chosen.iter().zip(&loaded).map(view).collect()
}
