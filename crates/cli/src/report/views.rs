//! Motions of data sets that a report shows: checked again, drawn, and exported for the view in three dimensions.

use super::ReportArgs;
use crate::bench::run::Run;
use crate::dataset::Loaded;
use crate::picture::gltf::{self, ShownMotion};
use crate::picture::viewer::{MotionView, SetView};
use crate::picture::{self, Course, Picture};
use crate::progress::Progress;
use firstcontact::Obstacle;
use firstcontact::Result;
use firstcontact::gpu::{AdapterChoice, Gpu};
use firstcontact::verdict::{Contact, ContactPoint, TrajectoryVerdict, Verdict};

/// Width and height of a picture, pixels.
pub const SIZE: [u32; 2] = [960, 600];

/// Maximum number of motions of a data set that are shown because runs list them.
const MAX_NAMED: usize = 12;

/// A requested motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The data set, as for `check --dataset`.
    pub set: String,
    /// The motion.
    pub motion: usize,
}

/// The motions on a page.
#[derive(Debug, Default)]
pub struct Views {
    /// Motions by robot and scene.
    pub sets: Vec<SetView>,
    /// Missing motions and pictures, with reasons.
    pub notes: Vec<String>,
}

/// Makes the views that runs and caller list, with at most [`MAX_NAMED`] motions of each data set that runs list. A
/// view that a run lists and that cannot be made becomes a note.
///
/// # Errors
/// A view that the caller lists cannot be made, or there is no adapter with the name that the caller gives.
pub fn make(args: &ReportArgs, runs: &[Run]) -> Result<Views> {
    let mut views = Views::default();
    let mut sets: Vec<(String, Vec<usize>)> = Vec::new();
    let mut add = |set: &str, motion: usize, most: usize| match sets.iter_mut().find(|(name, _)| name == set) {
        None => sets.push((set.to_string(), vec![motion])),
        Some((_, motions)) if !motions.contains(&motion) && motions.len() < most => motions.push(motion),
        Some(_) => {}
    };
    for set in runs.iter().flat_map(|run| &run.datasets) {
        set.motions.iter().for_each(|&motion| add(&set.name, motion, MAX_NAMED));
    }
    args.views.iter().for_each(|w| add(&w.set, w.motion, usize::MAX));
    if sets.is_empty() {
        return Ok(views);
    }
    let gpu = match Gpu::open(&AdapterChoice { name: args.adapter.clone(), ..AdapterChoice::default() }) {
        Ok(gpu) => Some(gpu),
        Err(e) if args.adapter.is_some() => return Err(e),
        Err(e) => {
            views.notes.push(format!("Pictures are missing: {e}"));
            None
        }
    };
    let bar = Progress::new("drawing", "motions", sets.iter().map(|(_, motions)| motions.len() as u64).sum());
    for (name, mut motions) in sets {
        bar.set_message(name.clone());
        motions.sort_unstable();
        let is_asked_for = args.views.iter().any(|w| w.set == name);
        let mut view = |(name, numbers, loaded)| {
            let set = Shown { name, numbers, loaded }.view(args, gpu.as_ref(), &bar, &mut views.notes)?;
            views.sets.push(set);
            Ok(())
        };
        match Loaded::some(&name, &args.folder.path()?, &motions)
            .and_then(|all| all.into_iter().try_for_each(&mut view))
        {
            Ok(()) => {}
            Err(e) if is_asked_for => return Err(e),
            Err(e) => views.notes.push(format!("Motions of {name} are not shown: {e}")),
        }
    }
    bar.finish();
    Ok(views)
}

/// Motions that are shown together.
struct Shown {
    name: String,
    /// The number of each motion.
    numbers: Vec<usize>,
    loaded: Loaded,
}

impl Shown {
    /// Checks, draws and exports the motions.
    fn view(self, args: &ReportArgs, gpu: Option<&Gpu>, bar: &Progress, notes: &mut Vec<String>) -> Result<SetView> {
        let Loaded { scene, motions: chosen, .. } = &self.loaded;
        // For a few motions the CPU is faster than the preparation of a device.
        let engine = self.loaded.engine()?;
        let report = engine.check(chosen)?;
        let answers: Vec<TrajectoryVerdict> = report.verdicts.iter().map(picture::of_motion).collect();
        let courses = (0..answers.len()).map(|at| Course::of_motion(chosen, at)).collect::<Result<Vec<_>>>()?;
        let shown: Vec<ShownMotion> = self
            .numbers
            .iter()
            .zip(answers.iter().zip(&courses))
            .map(|(&number, (answer, course))| ShownMotion { course, number, answer })
            .collect();
        let glb = gltf::export(&engine, scene, &shown, args.scene_triangles)?;
        let mut motions = Vec::with_capacity(shown.len());
        for s in shown {
            let options = picture::Options { size: SIZE, ..picture::Options::default() };
            let drawn = gpu.map(|gpu| picture::draw(&engine, gpu, s.course, s.answer, &options)).transpose();
            let picture = match drawn {
                Ok(None) => None,
                Ok(Some(Picture { image, view })) => Some((image.png()?, [view.azimuth_deg, view.elevation_deg])),
                Err(e) => {
                    notes.push(format!("The picture of motion {} of {} is missing: {e}", s.number, self.name));
                    None
                }
            };
            let (verdict, says) = self.in_words(&s.answer.verdict);
            let says = format!("motion {}: {says}", s.number);
            let contact_at = match &s.answer.verdict {
                Verdict::Contact(contact) => Some(contact.toc[0]),
                Verdict::Free | Verdict::Undecided(_) => None,
            };
            let label = format!("{}, motion {}: {verdict}", self.name, s.number);
            motions.push(MotionView { number: s.number, contact_at, label, says, picture });
            bar.add(1);
        }
        Ok(SetView { name: self.name, of_results: None, glb, motions })
    }

    /// The answer in a word, and in a sentence.
    fn in_words(&self, verdict: &Verdict) -> (&'static str, String) {
        let contact = match verdict {
            Verdict::Free => return ("free", "free, which is proved".into()),
            Verdict::Undecided(u) => {
                return ("undecided", format!("undecided ({}), free until t = {}", u.reason.name(), u.clear_until));
            }
            Verdict::Contact(contact) => contact,
        };
        let [lo, hi] = contact.toc;
        let mut says = match contact {
            Contact { inside: Some(_), .. } => "starts inside a solid".to_string(),
            Contact { initial_overlap: true, .. } => "touches at the start".to_string(),
            contact if contact.is_certified() => format!("first contact, t = {lo:.9}"),
            contact if contact.is_proved() => format!("first contact between t = {lo:.9} and {hi:.9}"),
            _ => format!("possible contact, t = {lo:.9} or later"),
        };
        if let Some(ContactPoint { a, b, point: [x, y, z], .. }) = &contact.first {
            let link = self.loaded.robot.links.get(a.link as usize).map_or("?", |l| l.name.as_str());
            let obstacle = match b.obstacle() {
                Obstacle::Object(object) => self.loaded.scene.objects.get(object as usize).map(|o| o.name.as_str()),
                Obstacle::Link(link) => self.loaded.robot.links.get(link as usize).map(|l| l.name.as_str()),
            };
            let object = obstacle.unwrap_or("?");
            let (of_link, of_object) = (a.feature.name(), b.feature().name());
            says += &format!(": {of_link} of {link} meets {of_object} of {object} at ({x:.4}, {y:.4}, {z:.4}) m");
        }
        ("contact", says)
    }
}
