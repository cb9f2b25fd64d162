//! The motions that a report shows: checked anew, drawn, and exported for the view in three dimensions.

use super::ReportArgs;
use crate::cli::bench::run::Run;
use crate::cli::{dataset, summary};
use firstcontact::engine::{Backend, Engine};
use firstcontact::gpu::{AdapterChoice, Gpu};
use firstcontact::load::LoadLimits;
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::motion::Motions;
use firstcontact::picture::gltf::{self, Glb, ShownMotion};
use firstcontact::picture::{self, Picture};
use firstcontact::report::Line;
use firstcontact::verdict::Verdict;
use firstcontact::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

/// Pixels of a picture.
const SIZE: [u32; 2] = [960, 600];

/// A motion that someone wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The data set, as for `check --dataset`.
    pub set: String,
    /// The motion.
    pub motion: usize,
}

/// All that is shown, and what could not be.
#[derive(Debug, Default)]
pub struct Views {
    /// By data set.
    pub sets: Vec<SetView>,
    /// What is missing, and why.
    pub notes: Vec<String>,
}

/// Motions of one data set.
#[derive(Debug)]
pub struct SetView {
    /// The data set, as for `check --dataset`.
    pub name: String,
    /// Robot, scene and all these motions.
    pub glb: Glb,
    /// The motions.
    pub motions: Vec<MotionView>,
}

/// One motion.
#[derive(Debug)]
pub struct MotionView {
    /// Its number.
    pub number: usize,
    /// In a word: free, contact, undecided.
    pub verdict: &'static str,
    /// The answer in words.
    pub says: String,
    /// The picture as PNG, and where it is seen from, azimuth and elevation in degrees.
    pub picture: Option<(Vec<u8>, [f64; 2])>,
}

/// Makes what runs and caller want to see. What runs name but cannot be had is noted; what the caller names is an error.
///
/// # Errors
/// A view that the caller asks for cannot be made; the adapter that the caller names is not there.
pub fn make(args: &ReportArgs, runs: &[Run]) -> Result<Views> {
    let named = runs.iter().flat_map(|run| &run.datasets);
    let of_runs = named.flat_map(|set| set.motions.iter().map(|&motion| Wanted { set: set.name.clone(), motion }));
    let mut views = Views::default();
    let mut sets: Vec<(String, Vec<usize>)> = Vec::new();
    for Wanted { set, motion } in of_runs.chain(args.views.iter().cloned()) {
        match sets.iter_mut().find(|(name, _)| *name == set) {
            None => sets.push((set, vec![motion])),
            Some((_, motions)) if !motions.contains(&motion) => motions.push(motion),
            Some(_) => {}
        }
    }
    if sets.is_empty() {
        return Ok(views);
    }
    let gpu = match Gpu::open(&AdapterChoice { name: args.adapter.clone(), ..AdapterChoice::default() }) {
        Ok(gpu) => Some(gpu),
        Err(e) if args.adapter.is_some() => return Err(e),
        Err(e) => {
            views.notes.push(format!("There are no pictures: {e}"));
            None
        }
    };
    let bar = ProgressBar::new(sets.iter().map(|(_, motions)| motions.len() as u64).sum());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} motions, {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for (name, mut motions) in sets {
        bar.set_message(name.clone());
        motions.sort_unstable();
        let is_asked_for = args.views.iter().any(|w| w.set == name);
        match Shown::load(args, &name)
            .and_then(|shown| shown.view(args, gpu.as_ref(), &motions, &bar, &mut views.notes))
        {
            Ok(set) => views.sets.push(set),
            Err(e) if is_asked_for => return Err(e),
            Err(e) => views.notes.push(format!("Motions of {name} are not shown: {e}")),
        }
    }
    bar.finish_and_clear();
    Ok(views)
}

/// A data set that is loaded.
struct Shown {
    name: String,
    robot: Robot,
    scene: Scene,
    motions: Motions,
}

impl Shown {
    fn load(args: &ReportArgs, name: &str) -> Result<Self> {
        let files = dataset::files(name, &args.dataset_folder)?;
        let (robot, scene) = (Robot::from_urdf(&files.robot)?, Scene::from_file(&files.scene)?);
        let motions = Motions::load(&files.motions, &robot, &LoadLimits::default())?;
        Ok(Self { name: name.into(), robot, scene, motions })
    }

    /// Checks, draws and exports motions.
    fn view(
        &self,
        args: &ReportArgs,
        gpu: Option<&Gpu>,
        numbers: &[usize],
        bar: &ProgressBar,
        notes: &mut Vec<String>,
    ) -> Result<SetView> {
        if let Some(k) = numbers.iter().find(|&&k| k >= self.motions.len()) {
            let message = format!("there is no motion {k}, there are {}", self.motions.len());
            return Err(Error::usage(message).at(format!("data set '{}'", self.name)));
        }
        // A few motions are answered sooner on the CPU than a device is made ready.
        let engine = Engine::builder(&self.robot, &self.scene).backend(Backend::Cpu).build()?;
        let starts: Vec<&[f64]> = numbers.iter().map(|&k| self.motions.start(k)).collect();
        let ends: Vec<&[f64]> = numbers.iter().map(|&k| self.motions.end(k)).collect();
        let chosen = Motions::between(&starts, &ends)?;
        let report = engine.check(&chosen)?;
        let shown: Vec<ShownMotion> = numbers
            .iter()
            .zip(&report.verdicts)
            .enumerate()
            .map(|(at, (&number, verdict))| ShownMotion { at, number, verdict })
            .collect();
        let glb = gltf::export(&engine, &self.scene, &chosen, &shown, args.scene_triangles)?;
        let mut motions = Vec::with_capacity(shown.len());
        for s in shown {
            let options = picture::Options { size: SIZE, view: None };
            let drawn = gpu.map(|gpu| picture::draw(&engine, gpu, &chosen, s.at, s.verdict, &options)).transpose();
            let picture = match drawn {
                Ok(None) => None,
                Ok(Some(Picture { image, view })) => Some((image.png()?, [view.azimuth_deg, view.elevation_deg])),
                Err(e) => {
                    notes.push(format!("There is no picture of motion {} of {}: {e}", s.number, self.name));
                    None
                }
            };
            let line = Line::new(s.number, s.verdict, &self.robot, &self.scene);
            let (verdict, says) = match s.verdict {
                Verdict::Free => ("free", format!("motion {}: free", s.number)),
                Verdict::Contact(_) => ("contact", summary::in_words(&line).unwrap_or_default()),
                Verdict::Undecided(u) => {
                    ("undecided", format!("motion {}: undecided, free until {}", s.number, u.clear_until))
                }
            };
            motions.push(MotionView { number: s.number, verdict, says, picture });
            bar.inc(1);
        }
        Ok(SetView { name: self.name.clone(), glb, motions })
    }
}
