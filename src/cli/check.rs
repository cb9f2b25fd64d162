//! `firstcontact check`: the main job.

mod problems;

use super::dataset::{Files, Work};
use super::inputs::{FileArgs, InitialChoice, InputArgs};
use super::large::{self, TreeCache};
use super::resume::{Answers, Fingerprint, MotionHash, SceneHash};
use super::summary::{self, Totals};
use super::{Outcome, allow, warn};
use clap::{Args, ValueEnum};
use firstcontact::engine::{Backend, Engine, Options, PairCulling, Stage, Stats, Sweep};
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::motion::{BeyondLimits, MotionFile};
use firstcontact::numeric::pose_bound::BoundForm;
use firstcontact::output::{self, PartFile};
use firstcontact::report::Line;
use firstcontact::stage::s6_solve::{Method, Mode};
use firstcontact::verdict::Verdict;
use firstcontact::{Error, ErrorKind, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendChoice {
    /// A hardware graphics adapter if there is one, else the CPU
    Auto,
    /// Any graphics adapter, a software one too
    Gpu,
    /// The CPU
    Cpu,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BoundChoice {
    /// Pose, velocity, acceleration and a remainder
    Jet,
    /// Products of interval matrices, as in the paper
    Interval,
    /// Poses and balls of displacements about them; made on the CPU on any backend, as by --reference s1_concat
    Toleranced,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SolverChoice {
    /// Pairs of triangles by pose jets and separating axes
    Jet,
    /// All elementary equations by interval matrices, subdivision and Newton's interval step, as in the paper
    Paper,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeChoice {
    /// The first contact, as exactly as --tolerance asks for
    Toc,
    /// Whether there is a contact: any that is proved is enough
    Verdict,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PairsChoice {
    /// By the links' trees; oriented boxes on the CPU where the stages before are left out
    Auto,
    /// Triangles of the scene against the links' trees
    Sat,
    /// Trees of oriented boxes, as in the paper; on the CPU only
    Obb,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SweepChoice {
    /// The form that measures best, or none
    Auto,
    /// None
    Off,
    /// Drawn: three views of each link's way, as depth intervals
    Raster,
    /// Each triangle against the rounded tetrahedron of each sub-interval
    Compute,
    /// Drawn as in the paper: tessellated within a tolerance
    Paper,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The answers, a line of JSON for each motion
    #[arg(long, value_name = "RESULTS.jsonl")]
    out: PathBuf,
    /// Statistics of the stages, JSON
    #[arg(long, value_name = "STATS.json")]
    stats: Option<PathBuf>,
    /// Pairs that are never tested: lines 'link object', either may be '*'
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,
    /// What to do with links that touch the scene at the start
    #[arg(long, value_enum, default_value = "report")]
    initial: InitialChoice,
    /// Where the culling stages run
    #[arg(long, value_enum, default_value = "auto")]
    backend: BackendChoice,
    /// Use the graphics adapter whose name contains this
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Stages that run on the CPU although the others run on the adapter
    #[arg(long, value_name = "STEM,…", value_delimiter = ',')]
    reference: Vec<String>,
    /// Threads on the CPU; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// The form of the motion bounds
    #[arg(long, value_enum, default_value = "jet")]
    bound: BoundChoice,
    /// How swept volumes are tested, `auto` if nothing is said; the answers are the same
    #[arg(long, value_enum)]
    sweep: Option<SweepChoice>,
    /// Stages of the paper that run: 1 is the model's tree against the scene's, 2 swept volumes, 3 pairs and contacts. Without
    /// 1 every link meets the whole scene; without 2 it is as with --sweep off. 3 is always there; the answers are the same
    #[arg(long, value_name = "1,2,3", value_delimiter = ',')]
    stages: Option<Vec<u8>>,
    /// How pairs of triangles are found; the answers are the same
    #[arg(long, value_enum, default_value = "auto")]
    pairs: PairsChoice,
    /// With --pairs obb: links of fewer triangles go the other way
    #[arg(long, value_name = "N", default_value_t = 0)]
    obb_triangles: usize,
    /// What is asked of a motion; a verdict alone is quicker, its times are wide and it names no features
    #[arg(long, value_enum, default_value = "toc")]
    mode: ModeChoice,
    /// Largest width of a certified time of contact, as a share of the motion
    #[arg(long, value_name = "T", default_value_t = 1e-9)]
    tolerance: f64,
    /// The distance that counts as contact, metres
    #[arg(long, value_name = "M", default_value_t = 0.0)]
    margin: f64,
    /// Tell all contacts that begin as early as can be told, and the links' poses
    #[arg(long)]
    all_contacts: bool,
    /// How the exact stage solves for contacts
    #[arg(long, value_enum, default_value = "jet")]
    solver: SolverChoice,
    /// Where the tree over the scene is kept for the next run: `auto`, beside the scene as SCENE.fctree if that has a million triangles,
    /// `off`, or a folder. One that does not fit the scene any more is built anew
    #[arg(long, value_name = "auto|off|DIR", default_value = "auto")]
    tree_cache: TreeCache,
    /// Go on with the answers of a run that did not end: only if inputs and options are the same
    #[arg(long)]
    resume: bool,
    /// Make joint values beyond their limits an error
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    inputs: InputArgs,
}

/// Contacts that the summary shows.
const SHOWN: usize = 5;

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<Outcome> {
    if args.stats.as_ref().is_some_and(|stats| output::is_same(stats, &args.out)) {
        return Err(Error::usage("--out and --stats name the same file").in_file(&args.out));
    }
    match args.files.resolve()? {
        Work::Files(files) => check_files(args, &files),
        Work::Problems(set) => problems::run(args, &set),
    }
}

fn check_files(args: &CheckArgs, files: &Files) -> Result<Outcome> {
    let start = Instant::now();
    let robot = args.inputs.robot(&files.robot, files.base)?;
    let mut scene = args.inputs.scene(&files.scene)?;
    let motions = MotionFile::open(&files.motions, &robot, &args.inputs.limits())?;
    robot.warnings.iter().chain(&scene.warnings).for_each(|w| warn(w));
    let hash = scan(&motions, &robot, &files.motions, args.strict)?;
    let allowed = args.allow.as_ref().map_or(Ok(Vec::new()), |path| allow::read(path, &robot, &scene))?;
    let load_s = start.elapsed().as_secs_f64();
    let options = options(args)?;
    let told = format!("{:?} {:?} {allowed:?}", options.solve, options.bound);
    let of_scene = SceneHash::new([&scene]);
    let tree = args.tree_cache.file(&files.scene, scene.n_triangles());
    let (bar, watch) = large::building();
    let mut builder = Engine::builder_taking(&robot, &mut scene).options(options).allow(allowed).watch(watch);
    if let Some(file) = tree {
        builder = builder.tree_cache(file);
    }
    let engine = builder.build()?;
    drop(bar);
    engine.warnings().for_each(warn);
    engine.note().into_iter().for_each(|note| tell!("{note}"));
    // Both files before any work: what cannot be written should not be found out at the end.
    let of = Fingerprint::new(&engine, &[&robot], &of_scene, &hash, &told);
    let (out, before) = match args.resume {
        true => Answers::resume(&args.out, &of)?,
        false => (Answers::create(&args.out, &of)?, Stats::default()),
    };
    let stats_file = args.stats.as_deref().map(PartFile::create).transpose()?;
    let cpu_before = cpu_time_s();
    let run = Run { robot: &robot, scene: &scene, motions: &motions, engine: &engine, all_contacts: args.all_contacts };
    let (mut stats, first) = run.check(out, before.motions as usize)?;
    stats.add(&before);
    let cpu_s = cpu_before.and_then(|before| Some(cpu_time_s()? - before));
    let totals = Totals { load_s, cpu_s, resumed: before.motions };
    if let Some(mut file) = stats_file {
        let json = summary::to_json(&engine, &stats, totals, &robot, &scene);
        file.line(&serde_json::to_string_pretty(&json).map_err(|e| Error::usage(e.to_string()))?)?;
        file.finish()?;
    }
    summary::print(&engine, &stats, totals, &first);
    Ok(outcome(&stats))
}

fn outcome(stats: &Stats) -> Outcome {
    match stats {
        Stats { contact: 1.., .. } => Outcome::Contact,
        Stats { undecided: 1.., .. } => Outcome::Undecided,
        _ => Outcome::Free,
    }
}

/// The form of swept-volume culling that `--sweep` and `--stages` ask for together.
fn sweep(args: &CheckArgs) -> Result<Sweep> {
    let asked = args.sweep.map(|choice| match choice {
        SweepChoice::Auto => Sweep::Auto,
        SweepChoice::Off => Sweep::Off,
        SweepChoice::Raster => Sweep::Raster,
        SweepChoice::Compute => Sweep::Compute,
        SweepChoice::Paper => Sweep::Paper,
    });
    let Some(stages) = &args.stages else { return Ok(asked.unwrap_or_default()) };
    let remedy = "--stages takes 3 and any of 1 and 2";
    if let Some(unknown) = stages.iter().find(|s| !(1..=3).contains(*s)) {
        return Err(Error::usage(format!("there is no stage {unknown}")).remedy(remedy));
    }
    if !stages.contains(&3) {
        return Err(Error::usage("--stages lacks 3, which finds the contacts").remedy(remedy));
    }
    match (stages.contains(&2), asked) {
        (true, None) => Ok(Sweep::Compute),
        (true, Some(Sweep::Off)) => Err(Error::usage("--sweep off leaves out stage 2, which --stages asks for")),
        (false, Some(form)) if form != Sweep::Off => {
            Err(Error::usage(format!("--stages leaves out 2, which --sweep {} asks for", form.name())))
        }
        (false, _) => Ok(Sweep::Off),
        (true, Some(form)) => Ok(form),
    }
}

fn options(args: &CheckArgs) -> Result<Options> {
    let mut options = Options {
        backend: match args.backend {
            BackendChoice::Auto => Backend::Auto,
            BackendChoice::Gpu => Backend::Gpu,
            BackendChoice::Cpu => Backend::Cpu,
        },
        adapter: args.adapter.clone(),
        reference: args.reference.iter().map(|stem| Stage::from_stem(stem)).collect::<Result<_>>()?,
        threads: args.threads,
        bound: match args.bound {
            BoundChoice::Jet => BoundForm::Jet,
            BoundChoice::Interval => BoundForm::Interval,
            BoundChoice::Toleranced => BoundForm::Toleranced,
        },
        cull: args.stages.as_ref().is_none_or(|stages| stages.contains(&1)),
        sweep: sweep(args)?,
        pairs: match args.pairs {
            PairsChoice::Auto => PairCulling::Auto,
            PairsChoice::Sat => PairCulling::Sat,
            PairsChoice::Obb => PairCulling::Obb { min_triangles: args.obb_triangles },
        },
        ..Options::default()
    };
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
    options.solve.method = match args.solver {
        SolverChoice::Jet => Method::Jet,
        SolverChoice::Paper => Method::Paper,
    };
    options.solve.initial = args.initial.into();
    Ok(options)
}

/// Looks through all motions before any work, portion by portion: whether they suit the robot, and the hash of them.
fn scan(motions: &MotionFile, robot: &Robot, path: &Path, strict: bool) -> Result<MotionHash> {
    let (mut hash, mut beyond, mut first) = (MotionHash::default(), BeyondLimits::default(), 0);
    for portion in motions.portions(0)? {
        let portion = portion?;
        hash.add(&portion);
        beyond.add(&portion, first, robot);
        first += portion.len();
    }
    match beyond.line() {
        Some(line) if strict => Err(Error::input(line).in_file(path).remedy("leave out --strict to allow it")),
        line => {
            line.iter().for_each(|line| warn(line));
            Ok(hash)
        }
    }
}

/// What a run is of.
struct Run<'a> {
    robot: &'a Robot,
    scene: &'a Scene,
    motions: &'a MotionFile<'a>,
    engine: &'a Engine,
    all_contacts: bool,
}

impl Run<'_> {
    /// Checks the motions from number `first` on, writing each answer as it comes; gives the first contacts in words.
    fn check(&self, mut out: Answers, first: usize) -> Result<(Stats, Vec<String>)> {
        let interruption = super::interruption();
        let progress = progress(self.motions.len() as u64, first as u64);
        let (mut contacts, mut done) = (Vec::new(), first);
        let result = self.engine.check_portions(&mut self.motions.portions(first)?, &mut |i, verdict| {
            let mut line = Line::new(first + i, &verdict, self.robot, self.scene);
            if let (true, Verdict::Contact(c)) = (self.all_contacts, &verdict) {
                let motion = self.motions.read(done..done + 1)?;
                line.with_poses(self.robot, &self.engine.body_poses(&motion, 0, c.toc[0])?);
            }
            out.line(&serde_json::to_string(&line).map_err(|e| Error::usage(e.to_string()))?)?;
            if contacts.len() < SHOWN {
                contacts.extend(summary::in_words(&line));
            }
            done = first + i + 1;
            progress.inc(1);
            if interruption.load(Ordering::Relaxed) {
                return Err(super::interrupted(&format!("{done} motions")));
            }
            Ok(())
        });
        progress.finish_and_clear();
        match result {
            Ok(stats) => out.finish().map(|()| (stats, contacts)),
            // What was answered is worth keeping, unless the input is bad.
            Err(error) if done > 0 && !matches!(error.kind(), ErrorKind::Input | ErrorKind::Usage) => {
                out.keep()?;
                let kept =
                    "the answers so far stand beside the output, in a file whose name ends in .part; --resume goes on";
                Err(error.remedy(kept))
            }
            Err(error) => Err(error),
        }
    }
}

fn progress(n: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::new(n).with_position(done);
    bar.reset_eta();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} motions, {per_sec}, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Processor time of this process, seconds.
#[cfg(unix)]
pub(super) fn cpu_time_s() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// Not known on this system.
#[cfg(not(unix))]
pub(super) fn cpu_time_s() -> Option<f64> {
    None
}
