//! `firstcontact tolerance`: motions covered with balls of displacements.

use super::{Outcome, interrupted, interruption, outputs};
use clap::{Args, ValueEnum};
use firstcontact::Result;
use firstcontact::engine::thread_pool;
use firstcontact::gpu::AdapterChoice;
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::MotionBatch;
use firstcontact::scene::Scene;
use firstcontact::toleranced::articulated::{Answer as Covered, Toleranced};
use firstcontact::toleranced::batch::Batch;
use firstcontact::toleranced::certificate::{Contact, Orders, Step};
use firstcontact::toleranced::job::{Job, Problems, RobotFiles};
use firstcontact::toleranced::problem::Problem;
use firstcontact::toleranced::record::Line;
use firstcontact::toleranced::search::{Bodies, Counts, Options, Possible, cover, fixed_tree, moving_tree};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Arguments of `tolerance`.
#[derive(Debug, Args)]
pub struct ToleranceArgs {
    /// The problem, JSON: polygons and Bézier motions, or the files of a robot, a scene and motions, with the robot's
    /// base
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The answers, one line of JSON per motion; `-` writes to standard output; pipes and devices are written directly
    #[arg(long, value_name = "RESULTS.jsonl|-")]
    out: PathBuf,
    /// The proofs that motions are free, for `verify`
    #[arg(long, value_name = "CERTIFICATE")]
    certificate: Option<PathBuf>,
    /// Processor for the elementary tests of robots. Pairs that an adapter clears are proved to stay apart; the CPU
    /// handles the other pairs and all certificates
    #[arg(long, value_enum, default_value = "auto")]
    backend: BackendChoice,
    /// Use the graphics adapter whose name contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Threads on the CPU; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendChoice {
    /// A hardware graphics adapter if there is one, otherwise the CPU
    Auto,
    /// Any graphics adapter, including software ones
    Gpu,
    /// The CPU
    Cpu,
}

/// Number of motions per thread that are answered before the next ones begin.
const AT_ONCE: usize = 8;
/// Total number of motions that are answered before the next ones begin with an adapter: long worklists are efficient.
const AT_ONCE_ON_ADAPTER: usize = 128;

/// Answers for a range of motions.
type AnswerAll<'a> = dyn FnMut(Range<usize>, &ThreadPool) -> Vec<Result<Answer>> + 'a;

/// The answer for one motion.
struct Answer {
    /// The line without the motion's number.
    line: Value,
    /// The proofs by body, if it is free.
    proofs: Option<Vec<(usize, Vec<Step>)>>,
    counts: Counts,
}

/// Runs the command.
pub fn run(args: &ToleranceArgs) -> Result<Outcome> {
    args.check_outputs(&[&args.file])?;
    let job = Job::load(&args.file, &LoadLimits::default())?;
    match &job {
        Job::Polygons(problems) => polygons(args, &job, problems),
        Job::Articulated(files) => articulated(args, files),
    }
}

impl ToleranceArgs {
    /// Refuses outputs that would overwrite an input: one of these files, or any file that was read before.
    fn check_outputs(&self, inputs: &[&Path]) -> Result<()> {
        let certificate = self.certificate.iter().map(|path| ("--certificate", path.as_path()));
        let outputs: Vec<_> = std::iter::once(("--out", self.out.as_path())).chain(certificate).collect();
        outputs::check(inputs, &outputs)
    }
}

fn polygons(args: &ToleranceArgs, job: &Job, problems: &Problems) -> Result<Outcome> {
    let orders = problems.problems.iter().map(|p| {
        let shapes = p.shapes()?;
        Ok(Orders { moving: moving_tree(&shapes.moving).order, fixed: fixed_tree(&shapes.fixed).order })
    });
    let orders = orders.collect::<Result<Vec<_>>>()?;
    let answer = |i: usize| problem(&problems.problems[i], i, args.certificate.is_some());
    let n = problems.problems.len();
    answer_all(args, job, &orders, (n, "problem"), None, &mut |numbers, pool| each(numbers, pool, &answer))
}

fn problem(problem: &Problem, number: usize, proof: bool) -> Result<Answer> {
    let shapes = problem.shapes()?;
    let (moving_tree, fixed_tree) = (moving_tree(&shapes.moving), fixed_tree(&shapes.fixed));
    let bodies =
        Bodies { moving: &shapes.moving, moving_tree: &moving_tree, fixed: &shapes.fixed, fixed_tree: &fixed_tree };
    let found = cover(&bodies, &problem.motion.motion()?, &Options { proof, ..Options::new(problem.limits) });
    let intervals = found.possible.iter().map(|p| {
        json!({ "t": [p.span.start(), p.span.end()], "a": { "polygon": p.moving }, "b": { "polygon": p.fixed },
                "contacts": contacts(p) })
    });
    let clear_until = found.possible.iter().map(|p| p.span.start()).fold(1.0, f64::min);
    let line = line(found.possible.is_empty(), clear_until, intervals.collect());
    let proofs = found.possible.is_empty().then(|| vec![(number, found.proof)]);
    Ok(Answer { line, proofs, counts: found.counts })
}

fn articulated(args: &ToleranceArgs, files: &RobotFiles) -> Result<Outcome> {
    let (robot, scene) = (files.read_robot()?, Scene::from_file(&files.scene)?);
    let motions = MotionBatch::load(&files.motions, &robot, &files.motion_options(&LoadLimits::default())?)?;
    let toleranced = Toleranced::new(&robot, &scene)?;
    let proof = args.certificate.is_some();
    let answered = |found: Covered| {
        let intervals = found.possible.iter().map(|(link, p)| {
            let object = scene.object_of(p.fixed as u32) as usize;
            let (name, first) = scene.objects.get(object).map_or(("", 0), |o| (o.name.as_str(), o.first_triangle));
            json!({ "t": [p.span.start(), p.span.end()],
                    "a": { "link": robot.links[*link].name, "triangle": p.moving },
                    "b": { "object": name, "triangle": p.fixed as u32 - first }, "contacts": contacts(p) })
        });
        let line = line(found.is_free(), found.clear_until(), intervals.collect());
        let proofs = found.is_free().then(|| found.proofs.into_iter().enumerate().collect());
        Answer { line, proofs, counts: found.counts }
    };
    let check = |i: usize| toleranced.check(motions.start(i), motions.end(i), &files.limits, proof);
    // The certificate may be checked in another folder.
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let job = Job::Articulated(RobotFiles {
        robot: absolute(&files.robot),
        base: files.base,
        scene: absolute(&files.scene),
        motions: absolute(&files.motions),
        missing_joints: files.missing_joints.clone(),
        limits: files.limits,
    });
    let (orders, of) = (toleranced.orders(), (motions.len(), "motion"));
    let Some(mut device) = device(args)? else {
        let answer = |i: usize| check(i).map(answered);
        return answer_all(args, &job, &orders, of, None, &mut |numbers, pool| each(numbers, pool, &answer));
    };
    let mut answers = |numbers: Range<usize>, pool: &ThreadPool| {
        let ends: Vec<_> = numbers.clone().map(|i| [motions.start(i), motions.end(i)]).collect();
        let found = match pool.install(|| toleranced.check_on(&mut device, &ends, &files.limits)) {
            Ok(found) => found,
            Err(e) => return vec![Err(e)],
        };
        // Certificates are computed on the CPU.
        let prove = |(i, found): (usize, Covered)| {
            if proof && found.is_free() { check(i).map(answered) } else { Ok(answered(found)) }
        };
        let numbered: Vec<_> = numbers.zip(found).collect();
        pool.install(|| numbered.into_par_iter().map(prove).collect())
    };
    answer_all(args, &job, &orders, of, Some(AT_ONCE_ON_ADAPTER), &mut answers)
}

/// The requested adapter.
fn device(args: &ToleranceArgs) -> Result<Option<Batch>> {
    let hardware_only = matches!(args.backend, BackendChoice::Auto) && args.adapter.is_none();
    let choice = AdapterChoice { name: args.adapter.clone(), hardware_only, ..AdapterChoice::default() };
    let opened = match args.backend {
        BackendChoice::Cpu => return Ok(None),
        BackendChoice::Auto | BackendChoice::Gpu => Batch::new(&choice),
    };
    match opened {
        Ok(device) => {
            tell!("elementary tests on {}", device.gpu().summary().name);
            Ok(Some(device))
        }
        Err(_) if hardware_only => Ok(None),
        Err(e) => Err(e),
    }
}

/// Answers one by one, on all threads.
fn each(
    numbers: Range<usize>,
    pool: &ThreadPool,
    answer: &(dyn Fn(usize) -> Result<Answer> + Sync),
) -> Vec<Result<Answer>> {
    pool.install(|| numbers.into_par_iter().map(answer).collect())
}

fn contacts(possible: &Possible) -> Vec<Value> {
    let each = possible.contacts.iter().map(|contact| match *contact {
        Contact::Vertex(k) | Contact::Face(k) => json!([contact.name(), k]),
        Contact::Edges(k, l) => json!([contact.name(), k, l]),
    });
    each.collect()
}

fn line(free: bool, clear_until: f64, intervals: Vec<Value>) -> Value {
    match free {
        true => json!({ "verdict": "free" }),
        false => {
            json!({ "verdict": "undecided", "clear_until": clear_until, "reason": "tolerance", "intervals": intervals })
        }
    }
}

fn answer_all(
    args: &ToleranceArgs,
    job: &Job,
    orders: &[Orders],
    (n, what): (usize, &str),
    at_once: Option<usize>,
    answers: &mut AnswerAll,
) -> Result<Outcome> {
    let pool = thread_pool(args.threads)?;
    args.check_outputs(&[])?;
    let interruption = interruption();
    let mut out = outputs::create(&args.out)?;
    let mut certificate = args.certificate.as_deref().map(outputs::create).transpose()?;
    if let Some(file) = &mut certificate {
        file.line(&Line::Job(job.clone()).to_json()?)?;
        for (body, orders) in orders.iter().enumerate() {
            file.line(&Line::Orders { body, orders: orders.clone() }.to_json()?)?;
        }
    }
    let start = Instant::now();
    let (mut free, mut tests, mut range_tests) = (0, 0, 0);
    let step = at_once.unwrap_or(AT_ONCE * pool.current_num_threads());
    for first in (0..n).step_by(step) {
        if interruption.load(Ordering::Relaxed) {
            return Err(outputs::keep(out, &args.out, interrupted(&format!("{first} motions"))));
        }
        let numbers = first..n.min(first + step);
        let answers = answers(numbers.clone(), &pool);
        for (i, answer) in numbers.zip(answers) {
            let Answer { mut line, proofs, counts } = answer.map_err(|e| e.at(format!("{what} {i}")))?;
            (tests, range_tests) = (tests + counts.tests, range_tests + counts.range_tests);
            free += usize::from(proofs.is_some());
            if let (Some(file), Some(proofs)) = (&mut certificate, proofs) {
                for (body, steps) in proofs {
                    file.line(&Line::Proof { motion: i, body, steps }.to_json()?)?;
                }
            }
            line[what] = json!(i);
            out.line(&line.to_string())?;
        }
    }
    if let Some(mut file) = certificate {
        file.line(&Line::End { free }.to_json()?)?;
        file.finish()?;
    }
    out.finish()?;
    let (wall_s, undecided) = (start.elapsed().as_secs_f64(), n - free);
    say!("{n} {what}s: {free} free, {undecided} undecided; {wall_s:.3} s on {} threads", pool.current_num_threads());
    say!("{tests} balls tried on pairs of polygons, {range_tests} on ranges of them");
    if n == 0 {
        say!("{} has no {what}s: nothing was checked", args.file.display());
    }
    Ok(if undecided > 0 { Outcome::Undecided } else { Outcome::Free })
}
