//! A check of motions or trajectories from files, with one robot and one scene.

use super::super::answers::{Answers, Written};
use super::super::dataset::Files;
use super::super::model::Model;
use super::super::progress::Progress;
use super::super::queries::{Paths, Queries};
use super::super::question::{Question, QuestionArgs};
use super::super::resume::{Fingerprint, SceneHash};
use super::super::shard::{Shard, ShardRecord, file_identity};
use super::super::summary::{self, Totals};
use super::super::{Outcome, interrupted, interruption, outputs};
use super::certificates::Certificates;
use super::completion::{Completion, CompletionTotals, Deliver};
use super::html::Checked;
use super::{
    CheckArgs, Outputs, Readers, SolidsChoice, build, conclude, cpu_time_s, options, outcome, report_limits,
    settings_in_words,
};
use firstcontact::certificate::Prover;
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::formats::MotionFile;
use firstcontact::report::Line;
use firstcontact::verdict::{TrajectoryVerdict, Verdict};
use firstcontact::{ClearanceOptions, Error, Obstacle, Result};
use firstcontact_verifier::Hash;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Runs the command for a robot, a scene and motions or trajectories.
pub(super) fn run(args: &CheckArgs, files: &Files, start: Instant) -> Result<Outcome> {
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
    let interruption = interruption();
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

/// The results of a run.
struct Answered {
    stats: Stats,
    completed: CompletionTotals,
    written: Written,
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
                return Err(interrupted(&format!("{} {kind}", number + 1 - numbers.start)));
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
