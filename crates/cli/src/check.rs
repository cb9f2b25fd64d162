//! `firstcontact check`: the main command.

pub mod certificates;
pub mod clearance;
mod completion;
mod diagnosis;
mod files;
pub mod html;
mod problems;
mod research;

use super::answers::Answers;
use super::dataset::Work;
use super::inputs::{FileArgs, InitialChoice, InputArgs};
use super::large::{self, TreeCache};
use super::progress::Progress;
use super::queries::TrajectoryArgs;
use super::self_collision::SelfCollisionArgs;
use super::shard::Shard;
use super::{Outcome, outputs, warn};
use certificates::{CertificateArgs, Certificates};
use clap::{Args, ValueEnum};
use clearance::ClearanceArgs;
use diagnosis::{Context, Diagnosis};
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::error::quoted;
use firstcontact::io::output::{self, AtomicFile};
use firstcontact::report::Line;
use firstcontact::robot::{BeyondLimits, Robot};
use firstcontact::stage::s6_solve::Mode;
use firstcontact::{ClearanceOptions, EngineBuilder, Error, Result, Solids};
use html::{Html, HtmlArgs};
use research::ResearchArgs;
use serde_json::Value;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
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
        Work::Files(files) => files::run(args, &files, start),
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

/// The outputs of a run, open, and the answers of the run that it continues.
struct Outputs {
    answers: Answers,
    /// Counts of the answers so far.
    before: Stats,
    stats: Option<AtomicFile>,
    certificates: Option<Certificates>,
    readers: Readers,
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
