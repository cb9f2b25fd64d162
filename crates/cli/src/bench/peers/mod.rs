//! `bench peers`: this engine compared with commonly used ones, on the same motions in one run: time, missed, late and
//! false.

pub mod all_cores;
mod contender;
mod external;
pub mod fact;
mod interpolation;
mod means;
mod measure;
#[cfg(any(feature = "peers", test))]
mod parry;
mod planning;
mod problem;
mod roster;
mod score;
pub mod sets;
mod tables;
#[cfg(test)]
mod tests;

use super::MeasureArgs;
use super::measured::distinct;
use super::run::Run;
use crate::interruption;
use crate::progress::Progress;
use clap::Args;
use contender::{Answers, Clock, Contender, Reported};
use fact::{Fact, Judge};
use firstcontact::error::quoted;
use firstcontact::{Error, ErrorKind, Result};
use firstcontact_datasets::DEFAULT_SEED;
use means::Ground;
use measure::How;
use roster::{DRAWN, JUDGE, JUDGE_GAP_M, JUDGE_STEP_M, METHODS, Method, Programs};
use sets::Set;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Arguments of `bench peers`.
#[derive(Debug, Args)]
pub struct PeersArgs {
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// The folder of the peers' programs, created by `benches/peers/setup.sh VENV DIR`; missing programs are listed
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Motions from a folder with known truth, instead of the generated ones: robot.urdf, and for each scene NAME.obj,
    /// NAME.npy and NAME.truth.jsonl
    #[arg(long, value_name = "DIR")]
    pool: Option<PathBuf>,
    /// Use motions of sets of planning problems instead, mbm-panda/KIND and mbm-ur5/KIND, and compare with VAMP, the
    /// peer that supports these robots. Writes peers-problems instead of peers; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "pool")]
    problems: Vec<String>,
    /// Use only the first N motions of each class. By default 200, or 20 with --quick; all motions of a pool; and all
    /// problems of each kind, or 10 with --quick
    #[arg(long, value_name = "N")]
    motions: Option<usize>,
    /// Time limit for each peer, method and scene, seconds; answers that are not given by then are reported as missing
    #[arg(long, value_name = "S", default_value_t = 60)]
    limit_s: u64,
    /// Measure only peers with TEXT in their names; this engine is always measured
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Default numbers of motions of each class.
const MOTIONS: [usize; 2] = [200, 20];
/// Number of measurements of this engine; the median counts.
const REPEATS: usize = 3;
/// Ratio of the judge's time limit to that of a contender.
const JUDGE_PATIENCE: u32 = 5;

/// The methods of parry.
const PARRY: [&str; 2] = ["parry3d cast", "parry3d samples, 0.5°"];

/// Runs the measurement.
pub fn run(args: &PeersArgs) -> Result<()> {
    refuse_impossible(args)?;
    if !args.problems.is_empty() {
        return planning::run(args, &interruption());
    }
    let quick = args.measure.quick;
    let most = args.motions.or(args.pool.is_none().then_some(MOTIONS[usize::from(quick)])).unwrap_or(usize::MAX);
    let (classes, sets) = match &args.pool {
        Some(folder) => sets::pool(folder, most)?,
        None => sets::made(&args.measure.folder.path()?, quick, most)?,
    };
    let ground = Ground { classes, sets: sets.into_iter().map(Arc::new).collect(), judges: Vec::new() };
    let run = Run::begin(
        "peers",
        "This engine compared with others, on the same motions",
        DEFAULT_SEED,
        !args.measure.cpu_only,
    );
    let mut bench = Bench {
        args,
        ground,
        run,
        contenders: Vec::new(),
        missing: Vec::new(),
        problems: Vec::new(),
        stop: interruption(),
    };
    bench.judge()?;
    bench.run.tables.push(tables::gaps(&bench.ground)?);
    bench.this_engine()?;
    bench.external()?;
    bench.parry()?;
    bench.put_down()?;
    bench.run.finish(&args.measure.out)
}

/// A measurement in progress.
struct Bench<'a> {
    args: &'a PeersArgs,
    ground: Ground,
    run: Run,
    contenders: Vec<Contender>,
    /// Contenders that could not take part, and why.
    missing: Vec<(String, String)>,
    /// The folder that describes each set, once it is needed.
    problems: Vec<PathBuf>,
    /// Set when the user interrupts.
    stop: Arc<AtomicBool>,
}

impl Bench<'_> {
    /// Determines the facts: the pool's truth, coal's fine advancement, and the proofs of this engine.
    fn judge(&mut self) -> Result<()> {
        let judge = |name: &str, facts, is_engine| Judge { name: name.into(), facts, is_engine };
        if self.args.pool.is_some() {
            let known = |set: &Arc<Set>| set.motions.iter().map(|m| m.known).collect();
            let facts = self.ground.sets.iter().map(known).collect();
            self.ground.judges.push(judge("the pool's truth", facts, false));
        }
        let programs = Programs(self.args.peers.as_deref());
        match programs.find(JUDGE.program) {
            Ok(program) => {
                let limit = Duration::from_secs(self.args.limit_s).saturating_mul(JUDGE_PATIENCE);
                let answers = self.ask(&program, &JUDGE, limit)?;
                let facts = answers.iter().zip(&self.ground.sets).map(|(a, set)| coal_facts(a, set)).collect();
                let name = "coal's advancement by exact distances in steps of no less than 20 µm";
                for trouble in self.ground.troubles(&answers) {
                    self.missing.push((format!("{name}, as a judge"), trouble));
                }
                self.ground.judges.push(judge(name, facts, false));
            }
            Err(why) => self.missing.push(("coal, as a judge".into(), why)),
        }
        self.go_on()?;
        let mut facts: Vec<Vec<Fact>> = Vec::new();
        for set in &self.ground.sets {
            facts.push(measure::verdicts(set)?.iter().map(Fact::proved).collect());
        }
        self.ground.judges.push(judge("proofs of this engine", facts, true));
        Ok(())
    }

    fn this_engine(&mut self) -> Result<()> {
        for how in [How::OneThread, How::OneByOne, How::AllThreads, How::Adapter] {
            if how == How::Adapter && self.args.measure.cpu_only {
                continue;
            }
            match self.this_engine_as(how) {
                Err(e) if how == How::Adapter && e.kind() == ErrorKind::Gpu => {
                    self.missing.push(("firstcontact, on an adapter".into(), e.to_string()));
                }
                other => other?,
            }
        }
        Ok(())
    }

    fn this_engine_as(&mut self, how: How) -> Result<()> {
        let n_classes = self.ground.classes.len();
        let (mut answers, mut name) = (Vec::new(), String::new());
        for (s, set) in self.ground.sets.iter().enumerate() {
            let engine = measure::engine(set, how)?;
            name = match how {
                How::OneThread => "firstcontact, 1 thread".into(),
                How::OneByOne => "firstcontact, 1 thread, one by one".into(),
                How::AllThreads => format!("firstcontact, {} threads", engine.threads()),
                How::Adapter => format!("firstcontact, {}", engine.adapter_names().unwrap_or_else(|| "adapter".into())),
            };
            let contact = |i| fact::judged(&self.ground.judges, s, i, true).is_contact();
            let contact: Vec<bool> = (0..set.motions.len()).map(contact).collect();
            // One by one, like the other contenders, and each motion once.
            let repeats = if self.args.measure.quick || how == How::OneByOne { 1 } else { REPEATS };
            let mut of_set = measure::measure(set, &engine, how, n_classes, &contact, repeats)?;
            of_set.about = Some(format!("firstcontact {}", env!("CARGO_PKG_VERSION")));
            answers.push(of_set);
        }
        let what = match how {
            How::OneByOne => "guaranteed answers; each motion in a call of its own",
            _ => "guaranteed answers; the motions of a class in one call",
        };
        let clock = if matches!(how, How::OneThread | How::OneByOne) { Clock::Processor } else { Clock::Wall };
        let is_drawn = how != How::OneByOne;
        self.add(Contender { name, what: what.into(), clock, is_engine: true, is_drawn, answers })
    }

    /// Measures all available programs with all their methods.
    fn external(&mut self) -> Result<()> {
        let programs = Programs(self.args.peers.as_deref());
        let mut absent: Vec<&str> = Vec::new();
        let wanted: Vec<Method> = METHODS.into_iter().filter(|m| self.wanted(m.name)).collect();
        for method in &wanted {
            match programs.find(method.program) {
                Ok(program) => {
                    let answers = self.ask(&program, method, Duration::from_secs(self.args.limit_s))?;
                    self.add_peer(method.name, method.what, DRAWN.contains(&method.name), answers)?;
                }
                Err(why) if !absent.contains(&method.program) => {
                    absent.push(method.program);
                    self.missing.push((method.program.into(), why));
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Runs a program on all sets.
    fn ask(&mut self, program: &Path, method: &Method, limit: Duration) -> Result<Vec<Answers>> {
        for set in self.ground.sets.iter().skip(self.problems.len()) {
            let folder = self.args.measure.out.join("problems").join(&set.name);
            problem::write(set, &folder)?;
            let folder = std::path::absolute(&folder).unwrap_or(folder);
            self.problems.push(folder);
        }
        let mut answers = Vec::new();
        for (set, problem) in self.ground.sets.iter().zip(&self.problems) {
            let n_motions = set.motions.len();
            let Method { method, step, .. } = *method;
            let bar = progress(&set.name, n_motions);
            let call = external::Call { program, problem, method, step, n_motions, limit, stop: &self.stop };
            answers.push(external::run(&call, &mut |n| bar.set(n as u64)));
            bar.finish();
        }
        Ok(answers)
    }

    #[cfg(any(feature = "peers", test))]
    fn parry(&mut self) -> Result<()> {
        let methods = [
            (PARRY[0], parry::Method::Cast, "each link from pose to pose in the world, which is another motion"),
            (PARRY[1], parry::Method::SamplesDeg(0.5), "intersection tests at poses so far apart"),
        ];
        for (name, method, what) in methods {
            if !self.wanted(name) {
                continue;
            }
            let mut answers = Vec::new();
            for set in &self.ground.sets {
                let bar = progress(&set.name, set.motions.len());
                let limit = Duration::from_secs(self.args.limit_s);
                answers.push(parry::run(set, method, limit, &self.stop, &mut |n| bar.set(n as u64)));
                bar.finish();
            }
            self.add_peer(name, what, true, answers)?;
        }
        Ok(())
    }

    /// Not available in this build.
    #[cfg(not(any(feature = "peers", test)))]
    fn parry(&mut self) -> Result<()> {
        if PARRY.iter().any(|name| self.wanted(name)) {
            let why = "not in this build: cargo run --release --features peers -- bench peers …";
            self.missing.push(("parry3d".into(), why.into()));
        }
        Ok(())
    }

    fn wanted(&self, name: &str) -> bool {
        is_wanted(self.args, name)
    }

    /// Adds a peer that answers on one thread.
    fn add_peer(&mut self, name: &str, what: &str, is_drawn: bool, answers: Vec<Answers>) -> Result<()> {
        let (name, what) = (name.into(), what.into());
        self.add(Contender { name, what, clock: Clock::Processor, is_engine: false, is_drawn, answers })
    }

    /// Adds a contender, and writes the results so far: the next one may take a long time.
    fn add(&mut self, contender: Contender) -> Result<()> {
        let answered: usize = contender.answers.iter().map(Answers::count).sum();
        let seconds: Vec<f64> =
            contender.answers.iter().flat_map(|a| &a.by_motion).flatten().map(|a| contender.cost_s(a)).collect();
        let mean_ms = means::mean(&seconds).map_or(String::from("–"), |s| format!("{:.4}", s * 1e3));
        tell!("{}: {answered} motions, {mean_ms} ms each", contender.name);
        for trouble in self.ground.troubles(&contender.answers) {
            tell!("  {trouble}");
        }
        self.contenders.push(contender);
        self.put_down()?;
        self.go_on()
    }

    /// Returns an error if the measurement was interrupted.
    fn go_on(&self) -> Result<()> {
        if !self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let figures = self.args.measure.out.join("peers.json");
        let message = format!("interrupted after {} contenders", self.contenders.len());
        Err(Error::new(ErrorKind::Interrupted, message).in_file(figures).remedy("the file has the figures so far"))
    }

    fn put_down(&mut self) -> Result<()> {
        tables::fill(&mut self.run, &self.ground, &self.contenders, &self.missing);
        if self.args.pool.is_some() {
            // Its motions are not those of the data sets with these names.
            self.run.datasets.clear();
        }
        self.run.write(&self.args.measure.out)
    }
}

/// The facts from coal's fine advancement: its time may be early by the gap at which it reports a hit, and late by its
/// step.
fn coal_facts(answers: &Answers, set: &Set) -> Vec<Fact> {
    let fact = |(answer, motion): (&Option<contender::Answer>, &sets::Motion)| match answer.map(|a| a.reported) {
        Some(Reported::Free) => Fact::Free,
        Some(Reported::Contact(Some(t))) => {
            let share = |metres: f64, travel_m: f64| if travel_m > 0.0 { metres / travel_m } else { 1.0 };
            // For any link that touches.
            let before = share(JUDGE_STEP_M, motion.least_travel_m);
            Fact::Contact([(t - before).max(0.0), (t + share(JUDGE_GAP_M, motion.travel_m)).min(1.0)])
        }
        _ => Fact::Unknown,
    };
    answers.by_motion.iter().zip(&set.motions).map(fact).collect()
}

/// Returns an error for arguments with which no peer can be measured.
fn refuse_impossible(args: &PeersArgs) -> Result<()> {
    if args.motions == Some(0) || args.limit_s == 0 {
        return Err(Error::usage("--motions and --limit-s must be above zero"));
    }
    if let Some(folder) = args.peers.as_deref().filter(|folder| !folder.is_dir()) {
        let error = Error::usage("--peers: there is no such folder").in_file(folder);
        return Err(error.remedy("benches/peers/setup.sh VENV DIR makes it"));
    }
    let names: Vec<&str> = match args.problems.is_empty() {
        true => METHODS.iter().map(|m| m.name).chain(PARRY).collect(),
        false => planning::METHODS.iter().map(|m| m.name).collect(),
    };
    if names.iter().any(|name| is_wanted(args, name)) {
        return Ok(());
    }
    let only = quoted(args.only.as_deref().unwrap_or_default());
    let message = format!("--only: no peer has {only} in its name");
    // A name begins with that of the peer.
    let peers = distinct(names.iter().filter_map(|name| name.split([' ', ',']).next()).map(String::from));
    Err(Error::usage(message).remedy(format!("the peers are {}", peers.join(", "))))
}

/// Returns whether a peer of this name takes part.
fn is_wanted(args: &PeersArgs, name: &str) -> bool {
    args.only.as_ref().is_none_or(|only| name.to_lowercase().contains(&only.to_lowercase()))
}

fn progress(name: &str, n: usize) -> Progress {
    let progress = Progress::new("measuring", "motions", n as u64);
    progress.set_message(name);
    progress
}
