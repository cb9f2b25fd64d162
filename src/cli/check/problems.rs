//! `check` of a set of problems: each is one motion in a scene of its own, numbered through in one file of answers.

use super::super::dataset::ProblemSet;
use super::super::report::answer::Answer;
use super::super::report::facts::{self, count};
use super::super::report::results::Shown;
use super::super::report::views::SetView;
use super::super::resume::{Answers, Fingerprint, MotionHash, SceneHash};
use super::super::summary::{self, Totals};
use super::super::{Outcome, allow, interrupted, interruption, warn};
use super::html::{Content, SCENE_TRIANGLES, not_shown};
use super::{CheckArgs, SHOWN, cpu_time_s, options, outcome, progress};
use firstcontact::dataset::problems::{self, Problem};
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::motion::{BeyondLimits, Motions};
use firstcontact::output::PartFile;
use firstcontact::report::Line;
use firstcontact::verdict::Verdict;
use firstcontact::{Error, Result};
use serde::Serialize;
use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A line of the answers, which also names the problem.
#[derive(Serialize)]
struct Named<'a> {
    #[serde(flatten)]
    line: &'a Line<'a>,
    problem: &'a str,
}

/// A problem made ready.
struct Ready<'a> {
    problem: &'a Problem,
    robot: Cow<'a, Robot>,
    motion: Motions,
    allowed: Vec<(u32, u32)>,
    /// The number of its first object among those of all problems.
    first_object: u32,
}

pub(super) fn run(args: &CheckArgs, set: &ProblemSet) -> Result<Outcome> {
    let start = Instant::now();
    let robot = args.inputs.robot(&set.robot, Some(set.base))?;
    let found = problems::read(&set.archive, &set.suffix, &set.kind, &args.inputs.scene_options())?;
    robot.warnings.iter().for_each(|w| warn(w));
    problems::lacking(&found, &robot).iter().for_each(|w| warn(w));
    // The names of all objects, for the statistics.
    let mut objects = Scene::new();
    let ready: Vec<Ready> =
        found.iter().map(|problem| prepare(args, problem, &robot, &mut objects)).collect::<Result<_>>()?;
    let hash = look(args, set, &ready)?;
    let load_s = start.elapsed().as_secs_f64();

    let mut options = options(args)?;
    if options.backend == Backend::Auto && options.adapter.is_none() {
        // A motion in a scene of its own is answered sooner on the CPU than a device is made ready.
        options.backend = Backend::Cpu;
    }
    let allowed: Vec<_> = ready.iter().map(|r| &r.allowed).collect();
    let told = format!("{:?} {:?} {allowed:?}", options.solve, options.bound);
    let Some(first) = ready.first() else { return Ok(Outcome::Free) };
    let mut engine = first.engine(&options, None)?;
    let robots: Vec<&Robot> = ready.iter().map(|r| r.robot.as_ref()).collect();
    let scenes: Vec<&Scene> = found.iter().map(|p| &p.planning.scene).collect();
    let of = Fingerprint::new(&engine, &robots, &SceneHash::new(scenes), &hash, &told);
    let (mut out, before) = match args.resume {
        true => Answers::resume(&args.out, &of)?,
        false => (Answers::create(&args.out, &of)?, Stats::default()),
    };
    let stats_file = args.stats.as_deref().map(PartFile::create).transpose()?;
    let mut page = args.page.begin(&args.out, before.motions)?;

    let (cpu_before, begun, interruption) = (cpu_time_s(), Instant::now(), interruption());
    let bar = progress(ready.len() as u64, before.motions);
    let (mut stats, mut contacts) = (Stats::default(), Vec::new());
    for (i, problem) in ready.iter().enumerate().skip(before.motions as usize) {
        if i > 0 {
            engine = problem.engine(&options, Some(&engine))?;
        }
        let answered = problem.answer(args, i, &engine, &mut stats);
        let (text, words) = match answered {
            Ok(answer) => answer,
            Err(error) => {
                out.keep()?;
                return Err(error.remedy("the answers so far stand beside the output; --resume goes on"));
            }
        };
        out.line(&text)?;
        page.as_mut().map_or(Ok(()), |page| page.line(&text))?;
        if contacts.len() < SHOWN {
            contacts.extend(words);
        }
        bar.inc(1);
        if interruption.load(Ordering::Relaxed) {
            out.keep()?;
            bar.finish_and_clear();
            return Err(interrupted(&format!("{} problems", i + 1)));
        }
    }
    bar.finish_and_clear();
    out.finish()?;
    stats.wall_s = begun.elapsed().as_secs_f64() - stats.build_s;
    stats.add(&before);
    let cpu_s = cpu_before.and_then(|before| Some(cpu_time_s()? - before));
    let totals = Totals { load_s, cpu_s, resumed: before.motions };
    if let Some(mut file) = stats_file {
        let mut json = summary::to_json(&engine, &stats, totals, &robot, &objects);
        json["problems"] = ready.len().into();
        file.line(&serde_json::to_string_pretty(&json).map_err(|e| Error::usage(e.to_string()))?)?;
        file.finish()?;
    }
    summary::print(&engine, &stats, totals, &contacts);
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

fn prepare<'a>(args: &CheckArgs, problem: &'a Problem, robot: &'a Robot, objects: &mut Scene) -> Result<Ready<'a>> {
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
    let motion = problem.motion(&robot)?;
    Ok(Ready { problem, robot, motion, allowed, first_object })
}

/// Hashes the motions, and tells of values beyond limits.
fn look(args: &CheckArgs, set: &ProblemSet, ready: &[Ready]) -> Result<MotionHash> {
    let (mut hash, mut beyond) = (MotionHash::default(), BeyondLimits::default());
    for (i, problem) in ready.iter().enumerate() {
        hash.add(&problem.motion);
        beyond.add(&problem.motion, i, &problem.robot);
    }
    match beyond.line() {
        Some(line) if args.strict => {
            Err(Error::input(line).in_file(&set.archive).remedy("leave out --strict to allow it"))
        }
        line => {
            line.iter().for_each(|line| warn(line));
            Ok(hash)
        }
    }
}

impl Ready<'_> {
    /// An engine; what of the links is known from `before` is not made again.
    fn engine(&self, options: &Options, before: Option<&Engine>) -> Result<Engine> {
        let mut builder = Engine::builder(&self.robot, &self.problem.planning.scene).options(options.clone());
        if let Some(before) = before {
            builder = builder.like(before);
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

    /// The line of the answer, and a contact in words.
    fn answer(
        &self,
        args: &CheckArgs,
        i: usize,
        engine: &Engine,
        stats: &mut Stats,
    ) -> Result<(String, Option<String>)> {
        let mut report = engine.check(&self.motion)?;
        let pairs = std::mem::take(&mut report.stats.ignored);
        report.stats.ignored = pairs.into_iter().map(|((l, o), n)| ((l, o + self.first_object), n)).collect();
        stats.add(&report.stats);
        stats.build_s += report.stats.build_s;
        let verdict = report.verdicts.first().ok_or_else(|| Error::usage("a problem was not answered"))?;
        let mut line = Line::new(i, verdict, &self.robot, &self.problem.planning.scene);
        if let (true, Verdict::Contact(c)) = (args.all_contacts, verdict) {
            line.with_poses(&self.robot, &engine.body_poses(&self.motion, 0, c.toc[0])?);
        }
        let words = summary::in_words(&line).map(|words| format!("{}, {words}", self.problem.name));
        let named = Named { line: &line, problem: &self.problem.name };
        let text = serde_json::to_string(&named).map_err(|e| Error::usage(e.to_string()))?;
        Ok((text, words))
    }
}
