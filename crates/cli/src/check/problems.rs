//! `check` of a set of problems. Each problem is one motion with its own scene; the problems are numbered consecutively
//! in one file of answers.

use super::super::allow::Allowed;
use super::super::answers::{Answers, Written};
use super::super::dataset::{ProblemSet, read_problems};
use super::super::model::Model;
use super::super::report::answer::Answer;
use super::super::report::facts::count;
use super::super::report::results::Shown;
use super::super::resume::{Fingerprint, MotionHash, SceneHash};
use super::super::summary::{self, Totals};
use super::super::tested::TestedPairs;
use super::super::{Outcome, interrupted, interruption, outputs, warn};
use super::clearance::ClearanceTotals;
use super::html::{Content, Html, SCENE_TRIANGLES, not_shown};
use super::{
    CheckArgs, Outputs, Readers, SolidsChoice, conclude, cpu_time_s, options, outcome, progress, report_limits,
    settings_in_words,
};
use crate::picture::Course;
use crate::picture::viewer::SetView;
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::formats::MissingJoints;
use firstcontact::report::Line;
use firstcontact::robot::{BeyondLimits, MotionBatch, Robot};
use firstcontact::verdict::{Obstacle, TrajectoryVerdict, Verdict};
use firstcontact::{ClearanceOptions, Error, LinkPairs, Result, Trajectory, Untested};
use firstcontact_datasets::problems::{self, Problem};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// The number of its set.
    set: usize,
    robot: Arc<Robot>,
    motion: MotionBatch,
    allowed: Vec<(u32, u32)>,
    link_pairs: LinkPairs,
    /// The numbers of its first link and object among those of all problems.
    first: (u32, u32),
}

/// The names of all links and objects, for the statistics.
#[derive(Default)]
struct Names {
    links: Vec<String>,
    objects: Vec<String>,
}

impl Names {
    /// Adds the links of a robot, and returns the number of the first one.
    fn add_links(&mut self, robot: &Robot) -> u32 {
        let first = self.links.len() as u32;
        self.links.extend(robot.links.iter().map(|link| link.name.clone()));
        first
    }

    /// Adds the objects of a problem, and returns the number of the first one.
    fn add_objects(&mut self, problem: &Problem) -> u32 {
        let first = self.objects.len() as u32;
        let objects = problem.planning.scene.objects.iter();
        self.objects.extend(objects.map(|object| format!("{}/{}", problem.name, object.name)));
        first
    }

    /// The name of a link or an object.
    fn of(&self, obstacle: Obstacle) -> &str {
        match obstacle {
            Obstacle::Link(link) => &self.links[link as usize],
            Obstacle::Object(object) => &self.objects[object as usize],
        }
    }
}

pub(super) fn run(args: &CheckArgs, sets: &[ProblemSet], start: Instant) -> Result<Outcome> {
    let files: Vec<&Path> = sets.iter().flat_map(|set| [set.robot.as_path(), set.archive.as_path()]).collect();
    args.check_outputs(&files)?;
    let loading = Instant::now();
    let inputs = Inputs::read(args, sets)?;
    let mut names = Names::default();
    let ready = inputs.prepare(args, &mut names)?;
    let (hash, limits) = look(args, sets, &ready)?;
    args.check_outputs(&[])?;
    let load_s = loading.elapsed().as_secs_f64();
    let options = problem_options(args)?;
    let clearance = args.clearance.options(&options)?;
    let tested = inputs.tested(args, &ready);
    let run = Run { args, inputs: &inputs, ready, names, tested, options, clearance };
    let Some(first) = run.ready.first() else {
        say!("no planning problems were found: nothing was checked");
        return Ok(Outcome::Free);
    };
    let mut times = Times::default();
    let engine = times.build(|| first.engine(&run.options, None))?;
    let of = run.fingerprint(&engine, &hash);
    let mut state = State { engine, times, counts: Counts::default() };
    let interruption = interruption();
    let mut outputs = run.open(of, limits)?;
    if let Err(error) = run.check(&mut state, &mut outputs, &interruption) {
        return Err(outputs.answers.keep(error));
    }
    let written = outputs.answers.finish()?;
    let State { times, counts: Counts { stats, .. }, .. } = &mut state;
    (stats.build_s, stats.wall_s) = (times.build_s, times.check_s);
    stats.add(&outputs.before);
    let total_s = start.elapsed().as_secs_f64();
    let totals = Totals { load_s, cpu_s: times.cpu_s, total_s, resumed: outputs.before.motions };
    let json = run.statistics(&state, totals, &written);
    conclude(args, outputs.stats, json, &outputs.readers.diagnosis, || run.print(&state, totals))?;
    if let Some(page) = outputs.readers.page {
        run.write_page(page, &state)?;
    }
    Ok(outcome(&state.counts.stats))
}

/// The options of the engines.
fn problem_options(args: &CheckArgs) -> Result<Options> {
    let mut options = options(args)?;
    options.solids = args.solids.unwrap_or(SolidsChoice::Contact).into();
    if options.backend == Backend::Auto && options.adapters.is_empty() {
        // For a single motion in a scene the CPU is faster than the preparation of a device.
        options.backend = Backend::Cpu;
    }
    Ok(options)
}

/// The robot and the problems of each set.
struct Inputs {
    models: Vec<Model>,
    robots: Vec<Arc<Robot>>,
    found: Vec<Vec<Problem>>,
}

impl Inputs {
    /// Reads the files of the sets, and warns of oddities.
    fn read(args: &CheckArgs, sets: &[ProblemSet]) -> Result<Self> {
        let models = sets.iter().map(|set| args.inputs.model(&[set.source()])).collect::<Result<Vec<_>>>()?;
        let robots: Vec<Arc<Robot>> = models.iter().map(|model| Arc::new(model.robot.clone())).collect();
        let found = read_problems(sets, &args.inputs.scene_options())?;
        for (robot, found) in robots.iter().zip(&found) {
            robot.warnings.iter().for_each(|w| warn(w));
            problems::lacking(found, robot).iter().for_each(|w| warn(w));
        }
        Ok(Self { models, robots, found })
    }

    /// The problems of all sets with their robots.
    fn prepare(&self, args: &CheckArgs, names: &mut Names) -> Result<Vec<Ready<'_>>> {
        let mut ready = Vec::new();
        for (set, ((robot, model), found)) in self.robots.iter().zip(&self.models).zip(&self.found).enumerate() {
            let missing = args.files.reading.missing_joints(&model.states(), &args.inputs.limits())?;
            let mut link_pairs = model.link_pairs(args.self_collision.of_problems())?;
            link_pairs.remove_free_regions_below(args.margin);
            let of_set = names.add_links(robot);
            for problem in found {
                let mut one = Ready::new(args, problem, (set, robot), &link_pairs, &missing)?;
                // Objects that a problem attaches follow the links of the robot.
                let is_of_set = one.robot.links.len() == robot.links.len();
                let first_link = if is_of_set { of_set } else { names.add_links(&one.robot) };
                one.first = (first_link, names.add_objects(problem));
                ready.push(one);
            }
        }
        Ok(ready)
    }

    /// The numbers of pairs over all prepared problems.
    fn tested(&self, args: &CheckArgs, ready: &[Ready]) -> TestedPairs {
        let choice = args.self_collision.of_problems();
        let mut tested = TestedPairs::new(self.models.iter().find_map(|model| model.unchecked(choice)));
        ready.iter().for_each(|r| tested.add(&r.robot, &r.problem.planning.scene, &r.allowed, &r.link_pairs));
        tested
    }
}

/// A check of prepared problems.
struct Run<'a> {
    args: &'a CheckArgs,
    inputs: &'a Inputs,
    ready: Vec<Ready<'a>>,
    names: Names,
    tested: TestedPairs,
    options: Options,
    clearance: Option<ClearanceOptions>,
}

/// The state of a run between two problems.
struct State {
    /// The engine of the last problem.
    engine: Engine,
    times: Times,
    counts: Counts,
}

/// Counts over the answers of a run.
#[derive(Default)]
struct Counts {
    stats: Stats,
    clearances: ClearanceTotals,
}

impl Run<'_> {
    fn fingerprint(&self, engine: &Engine, motions: &MotionHash) -> Fingerprint {
        let pairs: Vec<_> = self.ready.iter().map(|r| (&r.allowed, r.link_pairs.tested())).collect();
        let settings = settings_in_words(&self.options, &pairs, "", self.clearance);
        let robots: Vec<&Robot> = self.ready.iter().map(|r| r.robot.as_ref()).collect();
        let scenes = SceneHash::new(self.ready.iter().map(|r| &r.problem.planning.scene));
        Fingerprint::new(engine, &robots, &scenes, motions, &settings)
    }

    /// Opens all outputs.
    fn open(&self, of: Fingerprint, limits: BeyondLimits) -> Result<Outputs> {
        let Self { args, inputs, .. } = self;
        let out = outputs::open(&args.out)?;
        let stats = args.stats.as_deref().map(outputs::create).transpose()?;
        let (answers, before) = Answers::start(out, &args.out, of, (0, args.resume))?;
        let robots: Vec<&Robot> = inputs.robots.iter().map(Arc::as_ref).collect();
        let readers = Readers::begin(args, &robots, limits, &answers, before.motions)?;
        Ok(Outputs { answers, before, stats, certificates: None, readers })
    }

    /// Checks the problems that have no answer yet; writes and reads each answer as it arrives.
    fn check(&self, state: &mut State, outputs: &mut Outputs, interruption: &AtomicBool) -> Result<()> {
        let done = outputs.before.motions;
        let bar = progress(self.ready.len() as u64, done);
        let mut left = self.ready.iter().enumerate().skip(done as usize);
        let checked = left.try_for_each(|(i, problem)| {
            let State { engine, times, counts } = &mut *state;
            if i > 0 {
                *engine = times.build(|| problem.engine(&self.options, Some(engine)))?;
            }
            let text = times.check(|| problem.answer(self, i, engine, counts, &mut outputs.readers))?;
            outputs.answers.line(&text, None)?;
            bar.add(1);
            match interruption.load(Ordering::Relaxed) {
                true => Err(interrupted(&format!("{} problems", i + 1))),
                false => Ok(()),
            }
        });
        bar.finish();
        checked
    }

    /// The content of `stats.json` without the diagnosis.
    fn statistics(&self, state: &State, totals: Totals, written: &Written) -> Value {
        let State { engine, counts: Counts { stats, clearances }, .. } = state;
        let mut json = summary::to_json(engine, stats, totals, &self.tested, |of| self.names.of(of));
        json["merkle_root"] = written.tree.root().into();
        json["problems"] = self.ready.len().into();
        json["clearance"] = clearances.to_json();
        json["certificates"] = Value::Null;
        json
    }

    /// Prints the summary without the diagnosis.
    fn print(&self, state: &State, totals: Totals) {
        let State { engine, counts: Counts { stats, clearances }, .. } = state;
        summary::print(engine, stats, totals, &self.tested);
        clearances.line().iter().for_each(|line| say!("{line}"));
        summary::inside(stats, |of| self.names.of(of)).iter().for_each(|line| say!("{line}"));
    }

    fn write_page(&self, page: Html, state: &State) -> Result<()> {
        let Self { args, inputs, ready, tested, .. } = self;
        let chosen = page.chosen();
        let of_chosen = chosen.iter().filter_map(|answer| Some((ready.get(answer.motion)?, answer)));
        let views: Result<Vec<SetView>> =
            of_chosen.map(|(problem, answer)| problem.view(&self.options, answer)).collect();
        let (shown, notes) = match views {
            Ok(shown) => (shown, Vec::new()),
            Err(e) => (Vec::new(), vec![not_shown(&e)]),
        };
        let name = args.files.dataset().unwrap_or("problems");
        let problems = ("problems", format!("{name}: {}, each in a scene of its own", count(ready.len(), "problem")));
        let facts = inputs.models.iter().flat_map(Model::facts).chain([problems]).collect();
        let mut sentences = vec!["All links against all objects, except the pairs that a problem allows.".to_string()];
        sentences.extend(tested.sentences());
        let content = Content { name, inputs: facts, tested: sentences, notes, sets: shown, unit: "motion" };
        page.write(args, &state.engine, &state.counts.stats, content)
    }
}

/// Hashes the motions, and warns of values beyond limits.
fn look(args: &CheckArgs, sets: &[ProblemSet], ready: &[Ready]) -> Result<(MotionHash, BeyondLimits)> {
    let (mut hash, mut beyond) = (MotionHash::default(), BeyondLimits::default());
    let mut of_sets = vec![BeyondLimits::default(); sets.len()];
    for (i, problem) in ready.iter().enumerate() {
        hash.add(&problem.motion);
        for beyond in [&mut beyond, &mut of_sets[problem.set]] {
            beyond.add(&problem.motion, i, &problem.robot);
        }
    }
    sets.iter().zip(&of_sets).try_for_each(|(set, of_set)| report_limits(of_set, &set.archive, args.strict))?;
    Ok((hash, beyond))
}

impl<'a> Ready<'a> {
    /// A problem of a set, with the robot of that set.
    fn new(
        args: &CheckArgs,
        problem: &'a Problem,
        (set, robot): (usize, &Arc<Robot>),
        link_pairs: &LinkPairs,
        missing: &MissingJoints,
    ) -> Result<Self> {
        let robot = problem.robot(robot)?.map_or_else(|| Arc::clone(robot), Arc::new);
        let mut allowed = problem.planning.allowed_pairs(&robot);
        let more = Allowed::read(args.allow.as_deref(), &robot, &problem.planning.scene)?;
        allowed.extend(more.objects);
        let mut link_pairs = link_pairs.clone();
        link_pairs.add_attached(&robot, &problem.attached(&robot))?;
        let links = problem.planning.allowed_link_pairs(&robot);
        link_pairs.disable(links.into_iter().chain(more.links), Untested::Allowed);
        let motion = problem.motion(&robot, missing)?;
        Ok(Self { problem, set, robot, motion, allowed, link_pairs, first: (0, 0) })
    }

    /// An engine; it shares the trees over the links with `before`, if both have the same links.
    fn engine(&self, options: &Options, before: Option<&Engine>) -> Result<Engine> {
        let mut builder =
            Engine::builder(Arc::clone(&self.robot), &self.problem.planning.scene).options(options.clone());
        if let Some(before) = before {
            builder = builder.share_link_trees(before);
        }
        let built = builder.allow(self.allowed.iter().copied()).link_pairs(self.link_pairs.clone()).build();
        built.map_err(|e| e.at(format!("problem {}", self.problem.name)))
    }

    /// The motion in three dimensions.
    fn view(&self, options: &Options, answer: &Answer) -> Result<SetView> {
        let (name, scene) = (&self.problem.name, &self.problem.planning.scene);
        let (engine, answers) = (&self.engine(options, None)?, std::slice::from_ref(answer));
        let course = &|_: usize, _: &TrajectoryVerdict| Course::of_motion(&self.motion, 0);
        Ok(Shown { name, engine, scene, answers, course, scene_triangles: SCENE_TRIANGLES }.view(0)?.0)
    }

    /// Checks the motion; counts and reads the answer, and returns its line.
    fn answer(
        &self,
        run: &Run,
        i: usize,
        engine: &Engine,
        counts: &mut Counts,
        readers: &mut Readers,
    ) -> Result<String> {
        let mut report = engine.check(&self.motion)?;
        let counted_on = |(link, obstacle)| (link + self.first.0, counted_on(obstacle, self.first));
        for pairs in [&mut report.stats.ignored, &mut report.stats.inside] {
            *pairs = std::mem::take(pairs).into_iter().map(|(pair, n)| (counted_on(pair), n)).collect();
        }
        counts.stats.add(&report.stats);
        let verdict = report.verdicts.first().ok_or_else(|| Error::usage("a problem was not answered"))?;
        let mut line = Line::new(i, verdict, &self.robot, &self.problem.planning.scene);
        if let (true, Verdict::Contact(c)) = (run.args.all_contacts, verdict) {
            line.with_poses(&self.robot, &engine.body_poses(&self.motion, 0, c.toc[0])?);
        }
        if let (Some(options), Verdict::Free) = (run.clearance, verdict) {
            let path = Trajectory::linear([self.motion.start(0), self.motion.end(0)])?;
            let since = Instant::now();
            line.with_clearance(&engine.clearance(&path, &options)?, &path, &self.robot, &self.problem.planning.scene);
            counts.clearances.seconds += since.elapsed().as_secs_f64();
            counts.clearances.add(i, &line, &options);
        }
        let named = Named { line: &line, problem: &self.problem.name };
        let text = serde_json::to_string(&named).map_err(|e| Error::usage(e.to_string()))?;
        readers.read(&line, &text, Some(&self.problem.name))?;
        Ok(text)
    }
}

/// An obstacle counted on from the links and objects of earlier problems.
fn counted_on(obstacle: Obstacle, (first_link, first_object): (u32, u32)) -> Obstacle {
    match obstacle {
        Obstacle::Object(object) => Obstacle::Object(object + first_object),
        Obstacle::Link(link) => Obstacle::Link(link + first_link),
    }
}
