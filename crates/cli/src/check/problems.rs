//! `check` of a set of problems: each is one motion in a scene of its own; they are numbered consecutively in one file
//! of answers.

use super::super::answers::Answers;
use super::super::dataset::ProblemSet;
use super::super::report::answer::Answer;
use super::super::report::facts::{self, count};
use super::super::report::results::Shown;
use super::super::report::views::SetView;
use super::super::resume::{Fingerprint, MotionHash, SceneHash};
use super::super::summary::{self, Totals};
use super::super::{Outcome, allow, interrupted, interruption, outputs, warn};
use super::html::{Content, SCENE_TRIANGLES, not_shown};
use super::{CheckArgs, Readers, conclude, cpu_time_s, diagnosis, options, outcome, progress, report_limits};
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::formats::MissingJoints;
use firstcontact::report::Line;
use firstcontact::robot::{BeyondLimits, MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::verdict::{Obstacle, Verdict};
use firstcontact::{Error, Result};
use firstcontact_datasets::problems::{self, Problem};
use serde::Serialize;
use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A line of the answers, with the problem's name.
#[derive(Serialize)]
struct Named<'a> {
    #[serde(flatten)]
    line: &'a Line<'a>,
    problem: &'a str,
}

/// Time of each phase.
#[derive(Default)]
struct Times {
    build_s: f64,
    check_s: f64,
    /// Processor time of the checking, if the system reports it.
    cpu_s: Option<f64>,
}

impl Times {
    fn build<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let since = Instant::now();
        let result = work();
        self.build_s += since.elapsed().as_secs_f64();
        result
    }

    fn check<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (since, cpu_since) = (Instant::now(), cpu_time_s());
        let result = work();
        self.check_s += since.elapsed().as_secs_f64();
        let cpu_s = cpu_since.and_then(|since| Some(cpu_time_s()? - since));
        self.cpu_s = cpu_s.map(|s| s + self.cpu_s.unwrap_or_default()).or(self.cpu_s);
        result
    }
}

/// A prepared problem.
struct Ready<'a> {
    problem: &'a Problem,
    robot: Cow<'a, Robot>,
    motion: MotionBatch,
    allowed: Vec<(u32, u32)>,
    /// The number of its first object among those of all problems.
    first_object: u32,
}

pub(super) fn run(args: &CheckArgs, set: &ProblemSet, start: Instant) -> Result<Outcome> {
    args.check_outputs(&[&set.robot, &set.archive])?;
    let loading = Instant::now();
    let robot = args.inputs.robot(&set.robot, Some(set.base))?;
    let found = problems::read(&set.archive, &set.suffix, &set.kind, &args.inputs.scene_options())?;
    robot.warnings.iter().for_each(|w| warn(w));
    problems::lacking(&found, &robot).iter().for_each(|w| warn(w));
    // The names of all objects, for the statistics.
    let mut objects = Scene::new();
    let missing = args.files.reading.missing_joints(&args.inputs.limits())?;
    let ready: Vec<Ready> =
        found.iter().map(|problem| prepare(args, problem, &robot, &missing, &mut objects)).collect::<Result<_>>()?;
    let (hash, limits) = look(args, set, &ready)?;
    args.check_outputs(&[])?;
    let load_s = loading.elapsed().as_secs_f64();

    let mut options = options(args)?;
    if options.backend == Backend::Auto && options.adapter.is_none() {
        // For one motion in a scene of its own the CPU is faster than the preparation of a device.
        options.backend = Backend::Cpu;
    }
    let allowed: Vec<_> = ready.iter().map(|r| &r.allowed).collect();
    let told = format!("{:?} {:?} {allowed:?}", options.solve, options.bound);
    let Some(first) = ready.first() else {
        say!("{} has no such problems: nothing was checked", set.archive.display());
        return Ok(Outcome::Free);
    };
    let mut times = Times::default();
    let mut engine = times.build(|| first.engine(&options, None))?;
    let robots: Vec<&Robot> = ready.iter().map(|r| r.robot.as_ref()).collect();
    let scenes: Vec<&Scene> = found.iter().map(|p| &p.planning.scene).collect();
    let of = Fingerprint::new(&engine, &robots, &SceneHash::new(scenes), &hash, &told);
    let interruption = interruption();
    let out = outputs::open(&args.out)?;
    let stats_file = args.stats.as_deref().map(outputs::create).transpose()?;
    let (mut out, before) = Answers::start(out, &args.out, of, args.resume)?;
    let mut diagnosis = diagnosis(args, &robot, limits, &out, before.motions)?;
    let mut page = args.page.begin(out.file().as_deref(), before.motions)?;

    let bar = progress(ready.len() as u64, before.motions);
    let mut stats = Stats::default();
    let mut readers = Readers { diagnosis: &mut diagnosis, page: page.as_mut() };
    let mut check = |i: usize, problem: &Ready| {
        if i > 0 {
            engine = times.build(|| problem.engine(&options, Some(&engine)))?;
        }
        let text = times.check(|| problem.answer(args, i, &engine, &mut stats, &mut readers))?;
        out.line(&text)?;
        bar.add(1);
        match interruption.load(Ordering::Relaxed) {
            true => Err(interrupted(&format!("{} problems", i + 1))),
            false => Ok(()),
        }
    };
    let left = ready.iter().enumerate().skip(before.motions as usize);
    let checked = left.into_iter().try_for_each(|(i, problem)| check(i, problem));
    bar.finish();
    if let Err(error) = checked {
        return Err(out.keep(error));
    }
    out.finish()?;
    (stats.build_s, stats.wall_s) = (times.build_s, times.check_s);
    stats.add(&before);
    let total_s = start.elapsed().as_secs_f64();
    let totals = Totals { load_s, cpu_s: times.cpu_s, total_s, resumed: before.motions };
    let mut json = summary::to_json(&engine, &stats, totals, &robot, &objects);
    json["problems"] = ready.len().into();
    conclude(args, stats_file, json, &diagnosis, || summary::print(&engine, &stats, totals))?;
    if let Some(page) = page {
        let chosen = page.chosen();
        let of_chosen = chosen.iter().filter_map(|answer| Some((ready.get(answer.motion)?, answer)));
        let views: Result<Vec<SetView>> = of_chosen.map(|(problem, answer)| problem.view(&options, answer)).collect();
        let (sets, notes) = match views {
            Ok(sets) => (sets, Vec::new()),
            Err(e) => (Vec::new(), vec![not_shown(&e)]),
        };
        let name = args.files.dataset().unwrap_or("problems");
        let problems = ("problems", format!("{name}: {}, each in a scene of its own", count(ready.len(), "problem")));
        let inputs = vec![facts::robot(&set.robot, &engine), problems];
        let tested = vec!["All links against all objects, except the pairs that a problem allows.".to_string()];
        page.write(args, &engine, &stats, Content { name, inputs, tested, notes, sets })?;
    }
    Ok(outcome(&stats))
}

fn prepare<'a>(
    args: &CheckArgs,
    problem: &'a Problem,
    robot: &'a Robot,
    missing: &MissingJoints,
    objects: &mut Scene,
) -> Result<Ready<'a>> {
    let scene = &problem.planning.scene;
    let first_object = objects.objects.len() as u32;
    for object in &scene.objects {
        objects.add_object(format!("{}/{}", problem.name, object.name), [])?;
    }
    let robot = problem.robot(robot).map_or(Cow::Borrowed(robot), Cow::Owned);
    let mut allowed = problem.planning.allowed_pairs(&robot);
    if let Some(path) = &args.allow {
        allowed.extend(allow::read(path, &robot, scene)?);
    }
    let motion = problem.motion(&robot, missing)?;
    Ok(Ready { problem, robot, motion, allowed, first_object })
}

/// Hashes the motions, and warns of values beyond limits.
fn look(args: &CheckArgs, set: &ProblemSet, ready: &[Ready]) -> Result<(MotionHash, BeyondLimits)> {
    let (mut hash, mut beyond) = (MotionHash::default(), BeyondLimits::default());
    for (i, problem) in ready.iter().enumerate() {
        hash.add(&problem.motion);
        beyond.add(&problem.motion, i, &problem.robot);
    }
    report_limits(&beyond, &set.archive, args.strict)?;
    Ok((hash, beyond))
}

impl Ready<'_> {
    /// An engine; it reuses the data about the links from `before`.
    fn engine(&self, options: &Options, before: Option<&Engine>) -> Result<Engine> {
        let mut builder = Engine::builder(&*self.robot, &self.problem.planning.scene).options(options.clone());
        if let Some(before) = before {
            builder = builder.share_link_trees(before);
        }
        let built = builder.allow(self.allowed.iter().copied()).build();
        built.map_err(|e| e.at(format!("problem {}", self.problem.name)))
    }

    /// The motion in three dimensions.
    fn view(&self, options: &Options, answer: &Answer) -> Result<SetView> {
        let (name, scene, motions) = (&self.problem.name, &self.problem.planning.scene, &self.motion);
        let (engine, answers) = (&self.engine(options, None)?, std::slice::from_ref(answer));
        Ok(Shown { name, engine, scene, motions, answers, scene_triangles: SCENE_TRIANGLES }.view(0)?.0)
    }

    /// Checks the motion; counts and reads the answer, and returns its line.
    fn answer(
        &self,
        args: &CheckArgs,
        i: usize,
        engine: &Engine,
        stats: &mut Stats,
        readers: &mut Readers,
    ) -> Result<String> {
        let mut report = engine.check(&self.motion)?;
        let pairs = std::mem::take(&mut report.stats.ignored);
        report.stats.ignored = pairs.into_iter().map(|((l, o), n)| ((l, counted_on(o, self.first_object)), n)).collect();
        stats.add(&report.stats);
        let verdict = report.verdicts.first().ok_or_else(|| Error::usage("a problem was not answered"))?;
        let mut line = Line::new(i, verdict, &self.robot, &self.problem.planning.scene);
        if let (true, Verdict::Contact(c)) = (args.all_contacts, verdict) {
            line.with_poses(&self.robot, &engine.body_poses(&self.motion, 0, c.toc[0])?);
        }
        let named = Named { line: &line, problem: &self.problem.name };
        let text = serde_json::to_string(&named).map_err(|e| Error::usage(e.to_string()))?;
        readers.read(&line, &text, Some(&self.problem.name))?;
        Ok(text)
    }
}

/// An obstacle whose object is counted on from those of earlier problems.
fn counted_on(obstacle: Obstacle, first_object: u32) -> Obstacle {
    match obstacle {
        Obstacle::Object(object) => Obstacle::Object(object + first_object),
        link => link,
    }
}
