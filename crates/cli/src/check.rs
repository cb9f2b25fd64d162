//! `firstcontact check`: the main command.

pub mod certificates;
pub mod clearance;
mod completion;
mod diagnosis;
pub mod html;
mod problems;
mod research;

use super::answers::{Answers, Written};
use super::dataset::{Files, Work};
use super::inputs::{FileArgs, InitialChoice, InputArgs};
use super::large::{self, TreeCache};
use super::model::Model;
use super::progress::Progress;
use super::queries::{Paths, Queries, TrajectoryArgs};
use super::question::{Question, QuestionArgs};
use super::resume::{Fingerprint, SceneHash};
use super::self_collision::SelfCollisionArgs;
use super::shard::{Shard, ShardRecord, file_identity};
use super::summary::{self, Totals};
use super::{Outcome, outputs, warn};
use certificates::{CertificateArgs, Certificates};
use clap::{Args, ValueEnum};
use clearance::ClearanceArgs;
use completion::{Completion, CompletionTotals, Deliver};
use diagnosis::{Context, Diagnosis};
use firstcontact::certificate::Prover;
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::error::quoted;
use firstcontact::formats::MotionFile;
use firstcontact::io::output::{self, AtomicFile};
use firstcontact::report::Line;
use firstcontact::robot::{BeyondLimits, Robot};
use firstcontact::stage::s6_solve::Mode;
use firstcontact::verdict::{TrajectoryVerdict, Verdict};
use firstcontact::{ClearanceOptions, EngineBuilder, Error, Obstacle, Result, Solids};
use firstcontact_verifier::Hash;
use html::{Checked, Html, HtmlArgs};
use research::ResearchArgs;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendChoice {
    /// A hardware graphics adapter if there is one and there are at least 4,096 motions or any trajectories, otherwise
    /// the CPU
    Auto,
    /// Any graphics adapter, including software ones
    Gpu,
    /// The CPU
    Cpu,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeChoice {
    /// The first contact, to within --tolerance
    Toc,
    /// Only whether there is a contact: any proved contact is enough
    Verdict,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SolidsChoice {
    /// Count motions that start inside a solid
    Warn,
    /// Report a contact at time 0
    Contact,
    /// Only surfaces count
    Off,
}

impl From<SolidsChoice> for Solids {
    fn from(choice: SolidsChoice) -> Self {
        match choice {
            SolidsChoice::Warn => Self::Report,
            SolidsChoice::Contact => Self::Contact,
            SolidsChoice::Off => Self::Off,
        }
    }
}

/// Arguments of `check`.
// Help lists arguments in this order, headings by their first argument: files first, research options last.
#[derive(Debug, Args)]
#[command(override_usage = "\
        firstcontact check --robot <R.urdf> --scene <S> --motions <M> --out <RESULTS.jsonl> [OPTIONS]\n       \
        firstcontact check --dataset <NAME> --out <RESULTS.jsonl> [OPTIONS]")]
pub struct CheckArgs {
    #[command(flatten)]
    files: FileArgs,
    /// The answers, one line of JSON per motion; `-` writes to standard output; pipes and devices are written directly
    #[arg(long, value_name = "RESULTS.jsonl|-")]
    out: PathBuf,
    /// Statistics and diagnosis of the run, JSON
    #[arg(long, value_name = "STATS.json")]
    stats: Option<PathBuf>,
    #[command(flatten)]
    page: HtmlArgs,
    /// Print the content of --stats as one JSON object on standard output, instead of the summary
    #[arg(long)]
    json: bool,
    /// Continue an unfinished run with the same inputs and options. If the run is already finished, the command reports
    /// this
    #[arg(long)]
    resume: bool,
    /// Check only shard I of N, counted from 0: consecutive blocks of 4,096 motions, numbered as in the whole file.
    /// Also writes the record OUT.shard.json for firstcontact merge
    #[arg(long, value_name = "I/N", conflicts_with = "html")]
    shard: Option<Shard>,
    /// File of pairs that are never tested, one per line: 'link object', where either may be '*', or 'link link'
    #[arg(long, value_name = "FILE", help_heading = ANSWERS)]
    allow: Option<PathBuf>,
    #[command(flatten, next_help_heading = ANSWERS)]
    self_collision: SelfCollisionArgs,
    /// Treatment of links that touch the scene at the start
    #[arg(long, value_enum, default_value = "report", help_heading = ANSWERS)]
    initial: InitialChoice,
    /// Treatment of motions that start inside a closed object or link without touching it: warn counts them, contact
    /// reports a contact at time 0 (the default for planning problems), off disables this test
    #[arg(long, value_enum, value_name = "warn|contact|off", hide_possible_values = true, help_heading = ANSWERS)]
    solids: Option<SolidsChoice>,
    /// The distance that counts as contact, metres
    #[arg(long, value_name = "M", allow_negative_numbers = true, default_value_t = 0.0, help_heading = ANSWERS)]
    margin: f64,
    /// The question to answer for each motion; verdict is faster, but its enclosures of times are wide, and it reports
    /// no features
    #[arg(long, value_enum, default_value = "toc", help_heading = ANSWERS)]
    mode: ModeChoice,
    /// Largest width of a certified time of contact, as a share of the motion
    #[arg(long, value_name = "T", allow_negative_numbers = true, default_value_t = 1e-9, help_heading = ANSWERS)]
    tolerance: f64,
    /// Report every contact that begins within the enclosure of the first one's time, and the poses of the links then
    #[arg(long, help_heading = ANSWERS)]
    all_contacts: bool,
    #[command(flatten)]
    clearance: ClearanceArgs,
    #[command(flatten)]
    certificates: CertificateArgs,
    /// Treat joint values beyond their limits as an error
    #[arg(long, help_heading = ANSWERS)]
    strict: bool,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    trajectories: TrajectoryArgs,
    /// Processor on which the culling stages run
    #[arg(long, value_enum, default_value = "auto", help_heading = MACHINE)]
    backend: BackendChoice,
    /// Use the graphics adapter whose name contains this text, or pci: followed by its address. If the option is given
    /// several times, motions are divided among the adapters; equal names select different adapters
    #[arg(long = "adapter", value_name = "NAME", help_heading = MACHINE)]
    adapters: Vec<String>,
    /// Backend and adapter in one: auto, cpu, gpu, all (every hardware adapter, or every software adapter if there is
    /// no hardware adapter), or an adapter as for --adapter
    #[arg(
        long,
        value_name = "auto|cpu|gpu|all|NAME",
        conflicts_with_all = ["backend", "adapters"],
        help_heading = MACHINE
    )]
    device: Option<String>,
    /// Threads on the CPU; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = MACHINE)]
    threads: usize,
    /// Where to keep the scene's tree for later runs: auto (next to the scene, as SCENE.fctree, if it has a million
    /// triangles), off, or a folder. A tree that does not match the scene is rebuilt
    #[arg(long, value_name = "auto|off|DIR", default_value = "auto", help_heading = MACHINE)]
    tree_cache: TreeCache,
    #[command(flatten)]
    research: ResearchArgs,
}

/// Heading of the options that determine the answers.
const ANSWERS: &str = "Answers";
/// Heading of the options that determine where the work runs.
const MACHINE: &str = "Machine";

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<Outcome> {
    let start = Instant::now();
    if args.resume && outputs::is_stream(&args.out) {
        let message = format!("--resume continues a file, but --out {} is not one", args.out.display());
        return Err(Error::usage(message).remedy("leave out --resume, or give a file for --out"));
    }
    if args.shard.is_some() && outputs::is_stream(&args.out) {
        let message =
            format!("--shard writes a record next to its answers, but --out {} is not a file", args.out.display());
        return Err(Error::usage(message).remedy("give a file for --out"));
    }
    if args.json {
        outputs::reserve_stdout(&args.out)?;
    }
    if args.clearance.is_asked() && args.trajectories.has_joint_tolerance() {
        let message = "--clearance measures the motion itself, but --joint-tolerance covers other motions near it";
        return Err(Error::usage(message).remedy("use only one; a margin holds for all motions within the tolerance"));
    }
    args.certificates.check(args.initial.into(), args.resume)?;
    match args.files.resolve()? {
        Work::Files(files) => check_files(args, &files, start),
        Work::Problems(sets) => {
            args.trajectories.check_problems()?;
            if args.certificates.file().is_some() {
                let message = "--certificates is for motions in one scene, and each planning problem has its own";
                return Err(Error::usage(message).remedy("give --robot, --scene and --motions"));
            }
            if args.shard.is_some() {
                let message = "--shard is for motions in one scene, and each planning problem has its own";
                return Err(Error::usage(message).remedy("give each process some of the sets"));
            }
            problems::run(args, &sets, start)
        }
    }
}

impl CheckArgs {
    /// The output files, with the names of their options.
    fn outputs(&self) -> Vec<(&str, &Path)> {
        let more = [
            ("--stats", self.stats.as_deref()),
            ("--html", self.page.file()),
            ("--certificates", self.certificates.file()),
        ];
        let more = more.into_iter().filter_map(|(option, path)| Some((option, path?)));
        std::iter::once(("--out", self.out.as_path())).chain(more).collect()
    }

    /// Refuses outputs that would overwrite an input: one of these files, or any file that was read before.
    fn check_outputs(&self, inputs: &[&Path]) -> Result<()> {
        let more = self.allow.iter().map(PathBuf::as_path).chain(self.inputs.robots.files());
        outputs::check(&inputs.iter().copied().chain(more).collect::<Vec<_>>(), &self.outputs())
    }
}

fn check_files(args: &CheckArgs, files: &Files, start: Instant) -> Result<Outcome> {
    let asked = question_args(args, files);
    args.check_outputs(&asked.inputs())?;
    let loading = Instant::now();
    let model = args.inputs.model(&files.robots)?;
    let robot = &model.robot;
    let mut question = asked.read(&model)?;
    report_limits(&question.scanned.limits, question.queries.name(), args.strict)?;
    let proves = args.certificates.file().is_some();
    let prover = proves.then(|| question.prover(&model, args.margin)).transpose()?;
    // The meshes of robot and scene are known by now, too.
    args.check_outputs(&[])?;
    args.certificates.check_folder(question.total)?;
    let load_s = loading.elapsed().as_secs_f64();
    let mut options = options(args)?;
    if let Queries::Motions(_) = question.queries {
        choose_backend(&mut options, question.total);
    }
    let clearance = args.clearance.options(&options)?;
    let pairs = (&question.allowed, &*question.pairs_without_proofs);
    let settings = settings_in_words(&options, &pairs, &question.queries.in_words(), clearance);
    let of_scene = SceneHash::new([&question.scene]);
    let tree = files.scene.as_deref().and_then(|path| args.tree_cache.file(path, question.scene.n_triangles()));
    let (allowed, link_pairs) = (question.allowed.iter().copied(), question.link_pairs.clone());
    let builder = Engine::builder_taking(robot, &mut question.scene).options(options);
    let engine = build(builder.allow(allowed).link_pairs(link_pairs), tree)?;
    let interruption = super::interruption();
    let of = Fingerprint::new(&engine, &[robot], &of_scene, &question.scanned.hash, &settings);
    Run { args, files, model: &model, question, engine, clearance, interruption, start, load_s }.answer(of, prover)
}

fn question_args<'a>(args: &'a CheckArgs, files: &'a Files) -> QuestionArgs<'a> {
    // A proof is valid for a margin; with clearances the distance of the pair still counts. It is about surfaces, of
    // which one may be inside the other.
    let uses_proofs = !args.clearance.is_asked() && !matches!(args.solids, Some(SolidsChoice::Contact));
    QuestionArgs {
        files,
        reading: &args.files.reading,
        inputs: &args.inputs,
        trajectories: &args.trajectories,
        allow: args.allow.as_deref(),
        self_collision: args.self_collision,
        margin_m: if uses_proofs { args.margin } else { f64::INFINITY },
        shard: args.shard.unwrap_or(Shard::WHOLE),
    }
}

/// Selects the CPU for few motions, by the number in the whole file: all parts of a run, resumed or sharded, are on the
/// same device.
fn choose_backend(options: &mut Options, total: usize) {
    let n = options.min_device_motions();
    if total < n {
        tell!("running on the CPU, which is faster for fewer than {n} motions");
        options.backend = Backend::Cpu;
    } else {
        options.min_device_motions = Some(0);
    }
}

/// Builds an engine, with the scene's tree in a file if one is given, and shows its warnings.
fn build(builder: EngineBuilder, tree: Option<PathBuf>) -> Result<Engine> {
    tree.iter().try_for_each(|path| output::refuse_input(path))?;
    let (bar, watch) = large::building();
    let builder = builder.watch(watch);
    let engine = match tree {
        Some(file) => builder.tree_cache(file),
        None => builder,
    }
    .build()?;
    drop(bar);
    engine.warnings().for_each(warn);
    for name in engine.untested_solids() {
        warn(&format!("{} is too large to be tested as a solid: starts inside it are not detected", quoted(name)));
    }
    engine.backend_fallback_reason().into_iter().for_each(|note| tell!("{note}"));
    Ok(engine)
}

/// Writes the statistics, and prints them or the summary.
fn conclude(
    args: &CheckArgs,
    stats_file: Option<AtomicFile>,
    mut json: Value,
    diagnosis: &Diagnosis,
    print: impl FnOnce(),
) -> Result<()> {
    json["diagnosis"] = diagnosis.to_json();
    let text = serde_json::to_string_pretty(&json).map_err(|e| Error::usage(e.to_string()))?;
    if let Some(mut file) = stats_file {
        file.line(&text)?;
        file.finish()?;
    }
    if args.json {
        show!("{text}");
    } else {
        print();
        diagnosis.print();
    }
    Ok(())
}

fn outcome(stats: &Stats) -> Outcome {
    match stats {
        Stats { contact: 1.., .. } => Outcome::Contact,
        Stats { undecided: 1.., .. } => Outcome::Undecided,
        _ => Outcome::Free,
    }
}

fn options(args: &CheckArgs) -> Result<Options> {
    let backend = match args.backend {
        BackendChoice::Auto => Backend::Auto,
        BackendChoice::Gpu => Backend::Gpu,
        BackendChoice::Cpu => Backend::Cpu,
    };
    let adapters = args.adapters.clone();
    let mut options = Options { backend, adapters, threads: args.threads, ..Options::default() };
    if let Some(device) = &args.device {
        options.set_device(device);
    }
    args.research.apply(&mut options)?;
    if let Some(memory_bytes) = args.inputs.memory {
        options.memory_bytes = memory_bytes;
    }
    options.solve.tolerance = args.tolerance;
    options.solve.margin_m = args.margin;
    options.solve.all_contacts = args.all_contacts;
    options.solve.mode = match args.mode {
        ModeChoice::Toc => Mode::Toc,
        ModeChoice::Verdict => Mode::Verdict,
    };
    options.solve.initial = args.initial.into();
    options.solids = args.solids.unwrap_or(SolidsChoice::Warn).into();
    Ok(options)
}

/// The part of the fingerprint of a run that is about options: everything in them that answers depend on. `pairs` are
/// the tested and allowed pairs, and `queries` is the part that is about trajectories.
fn settings_in_words(
    options: &Options,
    pairs: &impl Debug,
    queries: &str,
    clearance: Option<ClearanceOptions>,
) -> String {
    let solids = solids_in_words(options);
    let clearance = clearance.map_or(String::new(), |of| format!(" {of:?}"));
    format!("{:?} {:?} {pairs:?}{solids}{queries}{clearance}", options.solve, options.bound)
}

/// The part of the fingerprint of a run that is about solids: they change answers only as contacts.
fn solids_in_words(options: &Options) -> &'static str {
    if options.solids == Solids::Contact { " solids" } else { "" }
}

/// Warns of values beyond limits, and of angles that are probably degrees.
///
/// # Errors
/// There are values beyond limits, and the check is strict.
fn report_limits(beyond: &BeyondLimits, path: &Path, strict: bool) -> Result<()> {
    match beyond.line() {
        Some(line) if strict => Err(Error::input(line).in_file(path).remedy("leave out --strict to allow it")),
        line => {
            line.iter().chain(&beyond.turns_line()).for_each(|line| warn(line));
            Ok(())
        }
    }
}

/// A check of one robot in one scene.
struct Run<'a> {
    args: &'a CheckArgs,
    files: &'a Files,
    model: &'a Model,
    /// The question; the engine has the triangles of its scene.
    question: Question<'a>,
    engine: Engine,
    clearance: Option<ClearanceOptions>,
    /// Set by an interruption.
    interruption: Arc<AtomicBool>,
    /// The time when the command began.
    start: Instant,
    /// Seconds of reading the inputs.
    load_s: f64,
}

/// The outputs of a run, open, and the answers of the run that it continues.
struct Outputs {
    answers: Answers,
    /// Counts of the answers so far.
    before: Stats,
    stats: Option<AtomicFile>,
    certificates: Option<Certificates>,
    readers: Readers,
}

/// The results of a run.
struct Answered {
    stats: Stats,
    completed: CompletionTotals,
    written: Written,
}

/// Readers of the answers of a run as they arrive.
struct Readers {
    diagnosis: Diagnosis,
    page: Option<Html>,
}

impl Readers {
    /// Readers of a run that continues with `earlier` answers in the output.
    fn begin(args: &CheckArgs, robots: &[&Robot], limits: BeyondLimits, out: &Answers, earlier: u64) -> Result<Self> {
        let mut context = Context::new(robots, limits, args.margin);
        context.has_tube = args.trajectories.has_joint_tolerance();
        context.verdicts_only = matches!(args.mode, ModeChoice::Verdict);
        let mut diagnosis = Diagnosis::new(context);
        if let (1.., Some(file)) = (earlier, out.file()) {
            diagnosis.add_earlier(&file, earlier)?;
        }
        let page = args.page.begin(out.file().as_deref(), earlier)?;
        Ok(Self { diagnosis, page })
    }

    /// Adds an answer and its line; `problem` is the name of the planning problem, if any.
    fn read(&mut self, line: &Line, text: &str, problem: Option<&str>) -> Result<()> {
        self.diagnosis.add(line, problem);
        self.page.as_mut().map_or(Ok(()), |page| page.line(text))
    }
}

impl Run<'_> {
    /// Checks the motions, and writes all outputs. The answers belong to the inputs and options in `of`.
    fn answer(&self, of: Fingerprint, prover: Option<Prover>) -> Result<Outcome> {
        let identity = of.short();
        let Outputs { answers, before, stats, certificates, mut readers } = self.open(of, prover)?;
        let cpu_before = cpu_time_s();
        let completion = Completion::new((self.clearance, certificates), &self.model.robot, &self.question.scene);
        let mut answered = self.check((answers, before.motions as usize), completion, &mut readers)?;
        answered.stats.add(&before);
        let cpu_s = cpu_before.and_then(|before| Some(cpu_time_s()? - before));
        let total_s = self.start.elapsed().as_secs_f64();
        let totals = Totals { load_s: self.load_s, cpu_s, total_s, resumed: before.motions };
        let json = self.statistics(&answered, totals);
        self.record_shard(&answered, &json, identity)?;
        conclude(self.args, stats, json, &readers.diagnosis, || self.print(&answered, totals))?;
        if let Some(page) = readers.page {
            page.finish(&self.checked(&answered.stats))?;
        }
        self.report_if_empty();
        Ok(outcome(&answered.stats))
    }

    /// Opens all outputs before any work, so that a file that cannot be written is not discovered at the end.
    fn open(&self, of: Fingerprint, prover: Option<Prover>) -> Result<Outputs> {
        let Self { args, question: Question { numbers, scanned, .. }, .. } = self;
        let out = outputs::open(&args.out)?;
        let stats = args.stats.as_deref().map(outputs::create).transpose()?;
        let certificates = match (args.certificates.file(), prover) {
            (Some(path), Some(prover)) => Some(Certificates::begin(path, prover, self.engine.threads(), numbers)?),
            _ => None,
        };
        let (answers, before) = Answers::start(out, &args.out, of, (numbers.start as u64, args.resume))?;
        if before.motions > numbers.len() as u64 {
            let message = format!("there are {} answers, but only {} motions", before.motions, numbers.len());
            return Err(Error::input(message).in_file(&args.out).remedy("leave out --resume"));
        }
        let robots = [&self.model.robot];
        let readers = Readers::begin(args, &robots, scanned.limits.clone(), &answers, before.motions)?;
        Ok(Outputs { answers, before, stats, certificates, readers })
    }

    /// Checks the motions after the first `done`; writes and reads each answer as it arrives.
    fn check<'c>(
        &'c self,
        (mut out, done): (Answers, usize),
        mut completion: Completion<'c>,
        readers: &mut Readers,
    ) -> Result<Answered> {
        let Question { queries, numbers, .. } = &self.question;
        let (kind, first) = (queries.kind(), numbers.start + done);
        let n = queries.len() - numbers.start;
        let progress = Progress::new("checking", kind, n as u64).starting_at(done as u64);
        let mut deliver = |number: usize, line: Line, certificate: Option<Hash>| {
            let text = serde_json::to_string(&line).map_err(|e| Error::usage(e.to_string()))?;
            out.line(&text, certificate)?;
            readers.read(&line, &text, None)?;
            progress.add(1);
            if self.interruption.load(Ordering::Relaxed) {
                return Err(super::interrupted(&format!("{} {kind}", number + 1 - numbers.start)));
            }
            Ok(())
        };
        let result = match queries {
            Queries::Motions(motions) => self.motions(motions, first, &mut completion, &mut deliver),
            Queries::Trajectories(paths) => self.trajectories(paths, first, &mut completion, &mut deliver),
        };
        progress.finish();
        match result {
            Ok(stats) => {
                let completed = completion.finish()?;
                out.finish().map(|written| Answered { stats, completed, written })
            }
            // All motions are read before the first answer, so invalid input never occurs after the first answer.
            Err(error) => Err(out.keep(error)),
        }
    }

    fn motions<'c>(
        &'c self,
        motions: &MotionFile,
        first: usize,
        completion: &mut Completion<'c>,
        deliver: &mut Deliver,
    ) -> Result<Stats> {
        let (robot, scene) = (&self.model.robot, &self.question.scene);
        let paths = |numbers| self.question.queries.paths(numbers);
        let stats = self.engine.check_portions(&mut motions.portions(first)?, &mut |i, verdict| {
            let number = first + i;
            let mut line = Line::new(number, &verdict, robot, scene);
            if let (true, Verdict::Contact(c)) = (self.args.all_contacts, &verdict) {
                let motion = motions.read(number..number + 1)?;
                line.with_poses(robot, &self.engine.body_poses(&motion, 0, c.toc[0])?);
            }
            completion.push((number, line), || TrajectoryVerdict::of_motion(&verdict), &self.engine, paths, deliver)
        })?;
        completion.flush(&self.engine, paths, deliver).map(|()| stats)
    }

    fn trajectories<'c>(
        &'c self,
        paths: &Paths,
        first: usize,
        completion: &mut Completion<'c>,
        deliver: &mut Deliver,
    ) -> Result<Stats> {
        let (robot, scene) = (&self.model.robot, &self.question.scene);
        let all = &paths.trajectories;
        let left = &all[first.min(all.len())..];
        let of = |numbers| self.question.queries.paths(numbers);
        let stats = self.engine.check_trajectories(left, &paths.joint_tolerance, &mut |i, answer| {
            let (number, path) = (first + i, &left[i]);
            let mut line = Line::of_trajectory(number, &answer, path, robot, scene);
            if let (true, Verdict::Contact(c)) = (self.args.all_contacts, &answer.verdict) {
                line.with_poses(robot, &self.engine.body_poses_at(path, answer.segment, c.toc[0])?);
            }
            completion.push((number, line), || answer.clone(), &self.engine, of, deliver)
        })?;
        completion.flush(&self.engine, of, deliver).map(|()| stats)
    }

    /// The name of a link or an object.
    fn name(&self, obstacle: Obstacle) -> &str {
        match obstacle {
            Obstacle::Link(link) => &self.model.robot.links[link as usize].name,
            Obstacle::Object(object) => &self.question.scene.objects[object as usize].name,
        }
    }

    /// The content of `stats.json` without the diagnosis.
    fn statistics(&self, answered: &Answered, totals: Totals) -> Value {
        let Question { numbers, total, tested, .. } = &self.question;
        let mut json = summary::to_json(&self.engine, &answered.stats, totals, tested, |of| self.name(of));
        json["merkle_root"] = answered.written.tree.root().into();
        if let Some(shard) = self.args.shard {
            json["shard"] = json!({ "index": shard.index, "of": shard.of, "first": numbers.start, "total": total });
        }
        json["clearance"] = answered.completed.clearances.to_json();
        json["certificates"] = serde_json::to_value(&answered.completed.certificates).unwrap_or(Value::Null);
        json
    }

    /// Writes the record of a shard next to its answers; `json` is the content of `stats.json`, and `identity` is the
    /// short fingerprint of the run.
    fn record_shard(&self, answered: &Answered, json: &Value, identity: Fingerprint) -> Result<()> {
        let Answered { stats, written, .. } = answered;
        let (Some(shard), Some((bytes, hash))) = (self.args.shard, &written.file) else { return Ok(()) };
        let motions = (self.question.numbers.clone(), self.question.total);
        let identity = (identity, file_identity(&self.files.motions));
        let answers = (*bytes, hash.clone(), &written.tree, self.args.certificates.leaves());
        let of_run = (stats, json, self.args.certificates.hashed()?);
        ShardRecord::new(shard, motions, identity, answers, of_run).write(&self.args.out)
    }

    /// Prints the summary without the diagnosis.
    fn print(&self, answered: &Answered, totals: Totals) {
        summary::print(&self.engine, &answered.stats, totals, &self.question.tested);
        self.question.queries.notes().iter().chain(&answered.completed.lines()).for_each(|note| say!("{note}"));
        summary::inside(&answered.stats, |of| self.name(of)).iter().for_each(|line| say!("{line}"));
    }

    /// The finished check, for the page.
    fn checked<'c>(&'c self, stats: &'c Stats) -> Checked<'c> {
        let Self { args, files, model, question: Question { scene, queries, tested, .. }, engine, .. } = self;
        let files = (files.scene.as_deref(), &*files.motions);
        Checked { args, model, files, scene, queries, engine, stats, tested }
    }

    /// Prints a line if the file or the shard has no motions.
    fn report_if_empty(&self) {
        let Question { queries, numbers, total, .. } = &self.question;
        match self.args.shard {
            _ if *total == 0 => say!("{} has no {}: nothing was checked", self.files.motions.display(), queries.kind()),
            Some(Shard { index, of }) if numbers.is_empty() => {
                say!("shard {index}/{of} has no {}: nothing was checked", queries.kind());
            }
            _ => {}
        }
    }
}

fn progress(n: u64, done: u64) -> Progress {
    Progress::new("checking", "motions", n).starting_at(done)
}

/// Processor time of this process, seconds.
#[cfg(unix)]
pub(super) fn cpu_time_s() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// Unknown on this system.
#[cfg(not(unix))]
pub(super) fn cpu_time_s() -> Option<f64> {
    None
}
