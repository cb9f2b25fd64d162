//! `firstcontact audit`: a file of plans as a page for a person.

pub mod distances;
pub mod joints;
mod polynomial;
pub mod proofs;
mod rates;

use super::dataset::{Files, Work};
use super::inputs::{FileArgs, InitialChoice, InputArgs};
use super::progress::Progress;
use super::queries::{Queries, TrajectoryArgs};
use super::question::{Question, QuestionArgs};
use super::self_collision::SelfCollisionArgs;
use super::shard::Shard;
use super::{Outcome, large, outputs, warn};
use crate::check::certificates::CertificateArgs;
use crate::check::clearance::check_length;
use crate::check::html::{SCENE_TRIANGLES, not_shown};
use crate::picture::viewer::SetView;
use crate::picture::{self, Course};
use crate::report::answer::Answer;
use crate::report::facts;
use crate::report::findings::Findings;
use crate::report::inputs::n_motions;
use crate::report::page::Page;
use crate::report::plans::Plan;
use crate::report::results::{DEFAULT_MOTIONS, Results, Shown};
use crate::report::views::{SIZE, Views};
use crate::tested::{self, TestedPairs};
use clap::Args;
use distances::{Distances, Measured, contact_in_words};
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::gpu::{AdapterChoice, Gpu};
use firstcontact::io::output::AtomicFile;
use firstcontact::robot::{Robot, Trajectory};
use firstcontact::scene::Scene;
use firstcontact::verdict::{TrajectoryVerdict, Verdict};
use firstcontact::{ClearanceOptions, Error, Result};
use joints::Joints;
use proofs::{Proofs, Verified};
use rates::Rates;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    files: FileArgs,
    /// The HTML page to write: one file that needs no network
    #[arg(long, value_name = "REPORT.html")]
    out: PathBuf,
    /// Number of plans that get their own section, picture and view: the earliest and the latest contact of each link
    /// and object, and some free and undecided plans. All plans are checked and counted
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MOTIONS, value_parser = n_motions)]
    plans: usize,
    /// Leave out pictures; they need a graphics adapter
    #[arg(long)]
    no_pictures: bool,
    /// Draw pictures with the graphics adapter whose name contains this text
    #[arg(long, value_name = "NAME", conflicts_with = "no_pictures")]
    adapter: Option<String>,
    /// File of pairs that are never tested, one per line: 'link object', where either may be '*', or 'link link'
    #[arg(long, value_name = "FILE", help_heading = ANSWERS)]
    allow: Option<PathBuf>,
    #[command(flatten, next_help_heading = ANSWERS)]
    self_collision: SelfCollisionArgs,
    /// Treatment of links that touch the scene at the start
    #[arg(long, value_enum, default_value = "report", help_heading = ANSWERS)]
    initial: InitialChoice,
    /// The distance that counts as contact, metres
    #[arg(long, value_name = "M", allow_negative_numbers = true, default_value_t = 0.0, help_heading = ANSWERS)]
    margin: f64,
    /// Width of the enclosure of a free plan's smallest distance, metres
    #[arg(long, value_name = "TOL", default_value_t = 1e-3, allow_hyphen_values = true, help_heading = ANSWERS)]
    clearance: f64,
    #[command(flatten, next_help_heading = ANSWERS)]
    certificates: CertificateArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    trajectories: TrajectoryArgs,
}

const ANSWERS: &str = "Answers";
/// Maximum number of plans beyond limits that a note lists.
const MAX_LISTED: usize = 20;

/// Runs the command. Its exit code is that of `check`, or 1 if a certificate is refused; limits do not change it.
pub fn run(args: &AuditArgs) -> Result<Outcome> {
    let Work::Files(files) = args.files.resolve()? else {
        let error = Error::usage("audit is for plans in one scene, and each planning problem has a scene of its own");
        return Err(error.remedy("give --robot, --scene and --motions"));
    };
    check_length("--clearance", args.clearance)?;
    args.certificates.check(args.initial.into(), false)?;
    let question = QuestionArgs {
        files: &files,
        reading: &args.files.reading,
        inputs: &args.inputs,
        trajectories: &args.trajectories,
        allow: args.allow.as_deref(),
        self_collision: args.self_collision,
        // A proof is valid for a margin; the distance of the pair still counts.
        margin_m: f64::INFINITY,
        shard: Shard::WHOLE,
    };
    outputs::check(&question.inputs(), &args.outputs())?;
    let model = args.inputs.model(&files.robots)?;
    let question = question.read(&model)?;
    let limits = &question.scanned.limits;
    limits.line().into_iter().chain(limits.turns_line()).for_each(|line| warn(&line));
    // The meshes of robot and scene are also known here.
    outputs::check(&[], &args.outputs())?;
    args.certificates.check_folder(question.queries.len())?;
    let page = outputs::create(&args.out)?;
    let proofs = |path| Proofs::begin(path, &question, &model, args.margin);
    let proofs = args.certificates.file().map(proofs).transpose()?;
    let Question { mut scene, queries, allowed, link_pairs, tested, .. } = question;
    let mut facts = model.facts();
    facts.extend(files.scene.iter().map(|path| facts::scene(path, &scene)));
    facts.push(facts::motions(&files.motions, &queries));
    let (bar, watch) = large::building();
    let mut options = Options { backend: Backend::Cpu, ..Options::default() };
    (options.solve.initial, options.solve.margin_m) = (args.initial.into(), args.margin);
    let builder = Engine::builder_taking(&model.robot, &mut scene).options(options).watch(watch);
    let engine = builder.allow(allowed).link_pairs(link_pairs).build()?;
    drop(bar);
    engine.warnings().for_each(warn);
    let rates = Rates::read(&files.robots)?;
    let audit = Audit { args, files: &files, robot: &model.robot, rates, scene: &scene, queries: &queries, engine };
    let (stats, is_refused) = audit.write(page, facts, &tested, proofs)?;
    Ok(match stats {
        _ if is_refused => Outcome::Refused,
        Stats { contact: 1.., .. } => Outcome::Contact,
        Stats { undecided: 1.., .. } => Outcome::Undecided,
        _ => Outcome::Free,
    })
}

impl AuditArgs {
    /// The output files, with the names of their options.
    fn outputs(&self) -> Vec<(&str, &Path)> {
        let certificates = self.certificates.file().map(|path| ("--certificates", path));
        std::iter::once(("--out", &*self.out)).chain(certificates).collect()
    }
}

/// The inputs of an audit, ready to be checked.
struct Audit<'a> {
    args: &'a AuditArgs,
    files: &'a Files,
    robot: &'a Robot,
    rates: Rates,
    scene: &'a Scene,
    queries: &'a Queries<'a>,
    engine: Engine,
}

impl Audit<'_> {
    /// Checks all plans and writes the page. Returns the counts, and whether a certificate was refused.
    fn write(
        &self,
        mut page: AtomicFile,
        inputs: Vec<facts::Fact>,
        pairs: &TestedPairs,
        mut proofs: Option<Proofs>,
    ) -> Result<(Stats, bool)> {
        let mut found = Found::default();
        let stats = self.check(&mut found, proofs.as_mut())?;
        let verified = proofs.map(|proofs| proofs.verify(self.queries)).transpose()?;
        let chosen = found.findings.choose(self.args.plans);
        let plans = self.plans(&chosen, verified.as_ref())?;
        let (set, mut notes) = if chosen.is_empty() { (None, Vec::new()) } else { self.views(&chosen)? };
        if !found.exceeded.is_empty() {
            notes.insert(0, found.sentence(self.queries.len()));
        }
        let of_certificates = verified.as_ref().map(|of| of.sentence(self.queries.len()));
        let refusal = of_certificates.clone().filter(|_| verified.as_ref().is_some_and(|of| of.refusal.is_some()));
        if let Some(refusal) = &refusal {
            warn(refusal);
            notes.insert(0, refusal.clone());
        }
        notes.extend(self.queries.caveat());
        let ignored = tested::ignored(&stats);
        let tested = pairs.all_sentences().into_iter().chain(ignored.iter().cloned()).chain(self.sentences());
        let name = self.files.motions.file_name().unwrap_or_default().to_string_lossy();
        let name = self.args.files.dataset().unwrap_or(&name);
        let results = Results {
            title: format!("Audit: {name}"),
            command: facts::command(),
            facts: inputs.into_iter().chain(facts::made()).collect(),
            tested: tested.chain(of_certificates).collect(),
            notes,
            findings: found.findings,
        };
        let (title, views) = (results.title.clone(), Views { sets: set.into_iter().collect(), notes: Vec::new() });
        page.lines(&Page { title: &title, results: &[results], runs: &[], plans: &plans, views: &views }.html()?)?;
        page.finish()?;
        let Stats { motions, free, contact, undecided, .. } = &stats;
        say!("{motions} plans: {free} free, {contact} contact, {undecided} undecided");
        pairs.lines().iter().chain(&ignored).for_each(|line| say!("{line}"));
        if !found.exceeded.is_empty() {
            say!("plans that exceed joint limits: {}", found.exceeded.len());
        }
        if let Some(of) = &verified {
            say!("certificates: {} verified, {}", of.n(), of.path.display());
        }
        say!("{} in detail: {}", plans.len(), self.args.out.display());
        Ok((stats, refusal.is_some()))
    }

    fn check(&self, found: &mut Found, mut proofs: Option<&mut Proofs>) -> Result<Stats> {
        let bar = Progress::new("checking", "plans", self.queries.len() as u64);
        let mut deliver = |i: usize, answer: TrajectoryVerdict| {
            let course = self.queries.course(i, &answer)?;
            let line = course.line(i, &answer, self.robot, self.scene);
            found.findings.add(&serde_json::to_string(&line).map_err(|e| Error::usage(e.to_string()))?)?;
            let path = self.path(i)?;
            let joints = Joints { robot: self.robot, rates: &self.rates, path: &path, course: &course };
            if joints.extremes().iter().any(|of| !of.beyond.is_empty()) {
                found.exceeded.push(i);
            }
            if let Some(proofs) = &mut proofs {
                proofs.add(&path, answer)?;
            }
            bar.add(1);
            Ok(())
        };
        let stats = match self.queries {
            Queries::Motions(motions) => {
                let mut deliver = |i, verdict: Verdict| deliver(i, picture::of_motion(&verdict));
                self.engine.check_portions(&mut motions.portions(0)?, &mut deliver)
            }
            Queries::Trajectories(paths) => {
                self.engine.check_trajectories(&paths.trajectories, &paths.joint_tolerance, &mut deliver)
            }
        };
        bar.finish();
        stats
    }

    /// The path of plan `i`.
    fn path(&self, i: usize) -> Result<Cow<'_, Trajectory>> {
        match self.queries {
            Queries::Trajectories(paths) => Ok(Cow::Borrowed(&paths.trajectories[i])),
            Queries::Motions(motions) => {
                let motion = motions.read(i..i + 1)?;
                Trajectory::linear([motion.start(0), motion.end(0)]).map(Cow::Owned)
            }
        }
    }

    fn plans(&self, chosen: &[Answer], verified: Option<&Verified>) -> Result<Vec<Plan>> {
        let bar = Progress::new("measuring", "plans", chosen.len() as u64);
        let plan = |answer: &Answer| self.plan(answer.clone(), verified).inspect(|_| bar.add(1));
        let plans = chosen.iter().map(plan).collect();
        bar.finish();
        plans
    }

    fn plan(&self, answer: Answer, verified: Option<&Verified>) -> Result<Plan> {
        let (path, verdict) = (self.path(answer.motion)?, answer.to_verdict(self.robot, self.scene)?);
        let course = self.queries.course(answer.motion, &verdict)?;
        let joints = Joints { robot: self.robot, rates: &self.rates, path: &path, course: &course };
        let contact = contact_in_words(&verdict).map(|name| (name, course.event(&verdict)));
        let (extremes, jumps, plots) = (joints.extremes(), joints.jumps(), joints.plots(contact));
        let distances = self.distances(&path, &course, &verdict)?;
        let certificate = verified.map(|of| (of.in_words(answer.motion), of.address(answer.motion, &self.args.out)));
        Ok(Plan { answer, unit: course.unit(), distances, certificate, extremes, jumps, plots })
    }

    fn distances(&self, path: &Trajectory, course: &Course, answer: &TrajectoryVerdict) -> Result<Distances> {
        let Self { engine, robot, scene, .. } = self;
        let options = ClearanceOptions::default().with_tolerance_m(self.args.clearance).with_known_m(self.args.margin);
        Measured { engine, robot, scene, path, course, options: &options }.distances(answer)
    }

    /// The plans in three dimensions, with pictures; and notes about what is missing.
    fn views(&self, answers: &[Answer]) -> Result<(Option<SetView>, Vec<String>)> {
        let (engine, scene) = (&self.engine, self.scene);
        let name = self.files.motions.file_stem().unwrap_or_default().to_string_lossy();
        let course = &|i: usize, answer: &TrajectoryVerdict| self.queries.course(i, answer);
        let shown = Shown { name: &name, engine, scene, answers, course, scene_triangles: SCENE_TRIANGLES };
        let mut set = match shown.view(0) {
            Ok((set, _)) => set,
            // The page is useful even without its view.
            Err(e) => return Ok((None, vec![not_shown(&e)])),
        };
        if self.args.no_pictures {
            return Ok((Some(set), Vec::new()));
        }
        let choice = AdapterChoice { name: self.args.adapter.clone(), ..AdapterChoice::default() };
        let gpu = match Gpu::open(&choice) {
            Ok(gpu) => gpu,
            Err(e) if self.args.adapter.is_some() => return Err(e),
            Err(e) => return Ok((Some(set), vec![format!("Pictures are missing: {e}")])),
        };
        let bar = Progress::new("drawing", "plans", answers.len() as u64);
        let mut notes = Vec::new();
        for (view, answer) in set.motions.iter_mut().zip(answers) {
            let verdict = answer.to_verdict(self.robot, self.scene)?;
            let course = self.queries.course(answer.motion, &verdict)?;
            let options = picture::Options { size: SIZE, ..picture::Options::default() };
            match picture::draw(&self.engine, &gpu, &course, &verdict, &options) {
                Ok(drawn) => {
                    view.picture = Some((drawn.image.png()?, [drawn.view.azimuth_deg, drawn.view.elevation_deg]))
                }
                Err(e) => notes.push(format!("The picture of plan {} is missing: {e}", answer.motion)),
            }
            bar.add(1);
        }
        bar.finish();
        notes.iter().for_each(|note| warn(note));
        Ok((Some(set), notes))
    }

    /// Sentences about the definition of a contact, of distances and of limits.
    fn sentences(&self) -> [String; 3] {
        let contact = match self.args.margin {
            margin if margin > 0.0 => format!("A distance of {margin} m or less is a contact (--margin)."),
            _ => "Surfaces that touch are a contact.".into(),
        };
        let limits = "Limits of positions, velocities and accelerations are taken from the URDF. Extremes and times \
                      beyond limits are computed from the polynomials, not from samples.";
        let distances = match self.args.trajectories.has_joint_tolerance() {
            true => "Distances are those of the plans themselves, without the tolerance of the joints.",
            false => "Distances are those of the pairs that are tested.",
        };
        [contact, distances.into(), limits.into()]
    }
}

/// Answers, and the plans that exceed limits.
#[derive(Default)]
struct Found {
    findings: Findings,
    exceeded: Vec<usize>,
}

impl Found {
    /// A sentence about the plans that exceed limits.
    fn sentence(&self, n: usize) -> String {
        let first: Vec<String> = self.exceeded.iter().take(MAX_LISTED).map(usize::to_string).collect();
        let more = if self.exceeded.len() > MAX_LISTED { " …" } else { "" };
        format!("{} of {n} plans exceed limits of joints: {}{more}.", self.exceeded.len(), first.join(", "))
    }
}
