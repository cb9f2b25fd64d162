//! Planning problems, each with its own scene, and the peer that supports their robots: VAMP.
//!
//! VAMP's robots are built in, as spheres, and its obstacles are boxes, spheres and capsules, so it can answer only the
//! problems of these robots. This engine uses the meshes of VAMP's own models, so that both have the same links, and
//! the triangles of the same obstacles.

mod case;
mod file;
mod tables;
mod tally;
#[cfg(test)]
mod tests;

use super::contender::{Answer, Answers};
use super::external::{self, Call};
use super::fact::Fact;
use super::roster::Programs;
use super::{PeersArgs, REPEATS, measure, progress};
use crate::bench::run::{Run, slug};
use case::Set;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::verdict::Verdict;
use firstcontact::{Error, ErrorKind, Result};
use firstcontact_datasets::DEFAULT_SEED;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The base name of the run's files.
pub const RUN: &str = "peers-problems";
/// The program.
const PROGRAM: &str = "vamp";
/// Number of problems of each kind with `--quick`.
const QUICK: usize = 10;

/// A density of samples.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Samples per unit of the joints' Euclidean distance, for the program.
    pub step: &'static str,
    /// Its name in tables.
    pub name: &'static str,
    /// A description.
    pub what: &'static str,
}

/// The densities: that of VAMP's planners, one that shows the effect of the spheres alone, and that of VAMP's Python
/// package.
pub const METHODS: [Method; 3] = [
    Method {
        step: "32",
        name: "VAMP, 32 per radian",
        what: "spheres at 32 samples per radian of the joints' Euclidean distance, rounded up to a multiple of 8; as \
               its planners",
    },
    Method {
        step: "1024",
        name: "VAMP, 1,024 per radian",
        what: "the same at 1,024 samples per radian: what is wrong here is due to the shapes, not to the samples",
    },
    Method {
        step: "1",
        name: "VAMP, 1 per radian",
        what: "the same at 1 sample per radian, and at least 8; as validate_motion of its Python package",
    },
];

/// The answers of VAMP at a density of samples, by set.
#[derive(Debug)]
pub struct Asked {
    /// The density.
    pub method: Method,
    /// The answers among the obstacles.
    pub motion: Vec<Answers>,
    /// The answers without obstacles: a contact is one of the robot with itself.
    pub alone: Vec<Answers>,
}

/// All results.
#[derive(Debug, Default)]
pub struct Results {
    /// The sets of problems.
    pub sets: Vec<Set>,
    /// The facts that this engine proves, by set and motion.
    pub facts: Vec<Vec<Fact>>,
    /// This engine's answers, by set.
    pub engine: Vec<Answers>,
    /// VAMP's answers.
    pub asked: Vec<Asked>,
    /// Participants that are missing, and why.
    pub missing: Vec<(String, String)>,
}

/// Runs the measurement.
pub fn run(args: &PeersArgs, stop: &AtomicBool) -> Result<()> {
    let folder = args.measure.folder.path()?;
    let peers = args.peers.as_deref().ok_or_else(|| {
        Error::usage("--problems needs the peers' programs and robots").remedy("benches/peers/setup.sh makes them")
    })?;
    let most = args.motions.or(args.measure.quick.then_some(QUICK)).unwrap_or(usize::MAX);
    let mut sets = Vec::new();
    for name in &args.problems {
        let set = Set::read(name, &folder, peers, most)?;
        let cut = set.cut()?;
        sets.extend([set, cut]);
    }
    compare(args, sets, stop)?.finish(&args.measure.out)
}

/// Asks this engine and VAMP.
fn compare(args: &PeersArgs, sets: Vec<Set>, stop: &AtomicBool) -> Result<Run> {
    let title = "This engine compared with VAMP, on planning problems";
    let mut run = Run::begin(RUN, title, DEFAULT_SEED, false);
    let mut results = Results { sets, ..Results::default() };
    let repeats = if args.measure.quick { 1 } else { REPEATS };
    for set in &results.sets {
        let (answers, facts) = this_engine(set, repeats, stop)?;
        results.engine.push(answers);
        results.facts.push(facts);
    }
    match Programs(args.peers.as_deref()).find(PROGRAM) {
        Ok(program) => ask(args, &program, &mut results, stop)?,
        Err(why) => results.missing.push((PROGRAM.into(), why)),
    }
    tables::fill(&mut run, &results);
    Ok(run)
}

/// This engine's answers to the motions of a set, on one thread, one by one, and what it proves.
fn this_engine(set: &Set, repeats: usize, stop: &AtomicBool) -> Result<(Answers, Vec<Fact>)> {
    let (mut answers, mut facts) = (Answers::none(set.cases.len()), Vec::new());
    answers.about = Some(format!("firstcontact {}", env!("CARGO_PKG_VERSION")));
    let mut known: Option<Engine> = None;
    let bar = progress(&set.label, set.cases.len());
    for (i, case) in set.cases.iter().enumerate() {
        go_on(stop)?;
        let engine = engine(set, case, known.as_ref())?;
        // The first answer creates all buffers.
        engine.check(&case.motion)?;
        let (verdicts, cpu_s, wall_s) = measure::timed(&engine, &case.motion, repeats)?;
        facts.push(verdicts.first().map_or(Fact::Unknown, fact));
        answers.by_motion[i] = verdicts.first().map(|v| Answer { reported: measure::reported(v), cpu_s, wall_s });
        known = Some(engine);
        bar.set(i as u64 + 1);
    }
    bar.finish();
    Ok((answers, facts))
}

/// The fact that VAMP's answer is judged by. It does not test the start, so a motion that begins in contact has none.
fn fact(verdict: &Verdict) -> Fact {
    match verdict {
        Verdict::Contact(contact) if contact.initial_overlap => Fact::Unknown,
        other => Fact::proved(other),
    }
}

/// An engine for a problem. All pairs of link and object are tested, as VAMP does.
fn engine(set: &Set, case: &case::Case, known: Option<&Engine>) -> Result<Engine> {
    let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
    let builder = Engine::builder(&set.robot, Arc::clone(&case.scene)).options(options);
    match known {
        Some(known) => builder.share_link_trees(known).build(),
        None => builder.build(),
    }
}

/// Asks VAMP at all densities.
fn ask(args: &PeersArgs, program: &Path, results: &mut Results, stop: &AtomicBool) -> Result<()> {
    let limit = Duration::from_secs(args.limit_s);
    let mut folders: Vec<PathBuf> = Vec::new();
    for set in &results.sets {
        let folder = args.measure.out.join("problems").join(slug(&set.label));
        file::write(set, &folder)?;
        folders.push(std::path::absolute(&folder).unwrap_or(folder));
    }
    for method in METHODS.into_iter().filter(|m| super::is_wanted(args, m.name)) {
        let all = |name: &str| {
            let one = |(set, problem): (&Set, &PathBuf)| {
                let n_motions = set.cases.len();
                let bar = progress(&set.label, n_motions);
                let call = Call { program, problem, method: name, step: method.step, n_motions, limit, stop };
                let answers = external::run(&call, &mut |n| bar.set(n as u64));
                bar.finish();
                answers
            };
            results.sets.iter().zip(&folders).map(one).collect::<Vec<_>>()
        };
        let (motion, alone) = (all("motion"), all("alone"));
        go_on(stop)?;
        results.asked.push(Asked { method, motion, alone });
    }
    Ok(())
}

/// Returns an error if the measurement was interrupted.
fn go_on(stop: &AtomicBool) -> Result<()> {
    match stop.load(Ordering::Relaxed) {
        true => Err(Error::new(ErrorKind::Interrupted, "interrupted; nothing was written")),
        false => Ok(()),
    }
}
