//! `firstcontact verify`: checks certificates of `check` and of `tolerance`.

mod results;

use super::Outcome;
use super::dataset::{Files, FolderArgs, Work};
use super::inputs::{FileArgs, InputArgs};
use super::merkle::MerkleTree;
use super::motions::MotionArgs;
use super::progress::Progress;
use super::queries::{Queries, TrajectoryArgs};
use super::question::{Question, QuestionArgs};
use super::robots::NamedFile;
use super::self_collision::SelfCollisionArgs;
use super::shard::Shard;
use clap::Args;
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use firstcontact::toleranced::record::{self, Counted};
use firstcontact::{Error, LinkPairs, Result};
use firstcontact_verification::{Paths, Place};
use firstcontact_verifier::{Kind, MAGIC, Proved};
use results::Compared;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Arguments of `verify`. Those of `check` that its answers depend on have the same meaning.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Certificates written by `check --certificates`, a file or a folder, or a certificate written by `tolerance
    /// --certificate`, which needs no other argument
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
    /// The robot of the check (URDF), or several as NAME=FILE each
    #[arg(long, value_name = "[NAME=]R.urdf", value_parser = NamedFile::parser())]
    robot: Vec<NamedFile>,
    /// Several robots with their bases and SRDFs, as for check
    #[arg(long, value_name = "WORLD.json", conflicts_with = "robot")]
    world: Option<PathBuf>,
    /// The scene of the check
    #[arg(long, value_name = "S")]
    scene: Option<PathBuf>,
    /// The motions of the check
    #[arg(long, value_name = "M")]
    motions: Option<PathBuf>,
    /// The data set of the check
    #[arg(long, value_name = "NAME[/DEG]")]
    dataset: Option<String>,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    reading: MotionArgs,
    /// The shard of the check
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Pairs that are never tested, as for check
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,
    #[command(flatten)]
    self_collision: SelfCollisionArgs,
    /// The distance that counts as contact, metres
    #[arg(long, value_name = "M", allow_negative_numbers = true, default_value_t = 0.0)]
    margin: f64,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    trajectories: TrajectoryArgs,
    /// The answers of the check: a certificate that proves less than its answer is refused
    #[arg(long, value_name = "RESULTS.jsonl")]
    results: Option<PathBuf>,
    /// The root of the Merkle tree in the statistics of the check; certificates with a different root are refused
    #[arg(long, value_name = "HEX")]
    merkle_root: Option<String>,
    /// List all pairs that are not tested, each with the reason
    #[arg(long)]
    left_out: bool,
    /// Write robot, scene, motions and statement, as the verifier receives them, for other verifiers: robot.bin,
    /// scene.bin, motions.bin and statement.json
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// Threads; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Maximum number of untested pairs that are listed without --left-out.
const MAX_LISTED: usize = 8;

/// Runs the command: 0 if the certificates are valid, 1 if one is refused.
pub fn run(args: &VerifyArgs) -> Result<Outcome> {
    if !is_of_check(&args.certificate)? {
        args.refuse_for_tolerance()?;
        return verify_tolerance(&args.certificate);
    }
    let files = args.files()?;
    let model = args.inputs.model(&files.robots)?;
    let question = args.question(&files).read(&model)?;
    let numbers = question.numbers.clone();
    let subject = Subject::new(&model.robot, &question, &question.link_pairs, args.margin);
    if let Some(folder) = &args.export {
        subject.export(folder, (&question.queries, numbers.clone()))?;
    }
    let place = Place::new(&args.certificate);
    if let Some(other) = place.other(question.total)? {
        say!("refused: {} does not belong to these {}", other.display(), question.queries.kind());
        return Ok(Outcome::Refused);
    }
    let mut compared = Compared::begin(args.results.as_deref(), !question.queries.joint_tolerance().is_empty())?;
    let mut totals = Totals::default();
    let each = &mut |number: usize, proved: Option<&Proved>| {
        let line = compared.next(number, proved);
        totals.add(number, proved, line.as_deref());
    };
    let verified = subject.verify(&args.certificate, (&question.queries, numbers), args.threads, each)?;
    let verified = verified.and_then(|()| compared.finish());
    let verified = verified.and_then(|()| totals.require_root(args.merkle_root.as_deref()));
    question.tested.lines().iter().for_each(|line| say!("{line}"));
    args.list_left_out(&question.left_out(&model.robot));
    match verified {
        Ok(()) => {
            totals.lines(question.queries.kind()).iter().chain(&compared.note()).for_each(|line| say!("{line}"));
            Ok(if totals.without.is_none() { Outcome::Free } else { Outcome::Refused })
        }
        Err(refusal) => {
            say!("refused: {refusal}");
            Ok(Outcome::Refused)
        }
    }
}

/// Returns whether a file has certificates of `check`, by its first bytes. Folders always have these.
fn is_of_check(path: &Path) -> Result<bool> {
    if path.is_dir() {
        return Ok(true);
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut first));
    read.map_err(|e| Error::input(format!("it cannot be read: {e}")).in_file(path))?;
    Ok(first == MAGIC)
}

impl VerifyArgs {
    /// The files of the check.
    fn files(&self) -> Result<Files> {
        let files = FileArgs::new(
            (self.robot.clone(), self.world.clone()),
            [self.scene.clone(), self.motions.clone()],
            self.dataset.clone(),
            self.folder.clone(),
            self.reading.clone(),
        );
        match files.resolve()? {
            Work::Files(files) => Ok(files),
            Work::Problems(_) => {
                let error = Error::usage("planning problems have no certificates: each has a scene of its own");
                Err(error.remedy("give --robot, --scene and --motions"))
            }
        }
    }

    /// The question of the check.
    fn question<'a>(&'a self, files: &'a Files) -> QuestionArgs<'a> {
        QuestionArgs {
            files,
            reading: &self.reading,
            inputs: &self.inputs,
            trajectories: &self.trajectories,
            allow: self.allow.as_deref(),
            self_collision: self.self_collision,
            margin_m: self.margin,
            shard: self.shard.unwrap_or(Shard::WHOLE),
        }
    }

    /// Prints the lines of pairs that are not tested: all of them with `--left-out`, otherwise the first ones.
    fn list_left_out(&self, lines: &[String]) {
        let listed = if self.left_out { lines.len() } else { MAX_LISTED };
        lines.iter().take(listed).for_each(|line| say!("left out: {line}"));
        if lines.len() > listed {
            say!("left out: {} others, which --left-out lists", lines.len() - listed);
        }
    }

    /// Returns an error if an argument about a certificate of `check` is given: that of `tolerance` names its inputs
    /// itself, so the argument would have no effect.
    fn refuse_for_tolerance(&self) -> Result<()> {
        let given = [
            (!self.robot.is_empty(), "--robot"),
            (self.world.is_some(), "--world"),
            (self.scene.is_some(), "--scene"),
            (self.motions.is_some(), "--motions"),
            (self.dataset.is_some(), "--dataset"),
            (self.shard.is_some(), "--shard"),
            (self.allow.is_some(), "--allow"),
            (self.margin != 0.0, "--margin"),
            (self.results.is_some(), "--results"),
            (self.merkle_root.is_some(), "--merkle-root"),
            (self.export.is_some(), "--export"),
            (self.left_out, "--left-out"),
        ];
        let Some((_, name)) = given.into_iter().find(|(is_given, _)| *is_given) else { return Ok(()) };
        let message = format!("it is not a certificate of check, and {name} applies only to those");
        let remedy = format!("a certificate of tolerance lists its own inputs: leave out {name}");
        Err(Error::usage(message).in_file(&self.certificate).remedy(remedy))
    }
}

fn verify_tolerance(path: &Path) -> Result<Outcome> {
    match record::verify(path, &LoadLimits::default())? {
        Ok(Counted { free, all }) => {
            let others = if free < all { "; nothing is proved about the others" } else { "" };
            say!("valid: {free} of {all} motions are free{others}");
            Ok(Outcome::Free)
        }
        Err(why) => {
            say!("refused: {why}");
            Ok(Outcome::Refused)
        }
    }
}

/// Numbers of verified answers.
#[derive(Clone, Debug, Default)]
struct Totals {
    free: u64,
    contacts: u64,
    possible: u64,
    undecided: u64,
    steps: u64,
    n_without: u64,
    /// The first motion without a certificate.
    without: Option<usize>,
    tree: MerkleTree,
    /// True if a leaf is unknown: there is neither a certificate nor a line.
    lacks_leaf: bool,
}

impl Totals {
    fn add(&mut self, number: usize, proved: Option<&Proved>, line: Option<&str>) {
        let Some(proved) = proved else {
            self.n_without += 1;
            self.without.get_or_insert(number);
            self.lacks_leaf |= line.is_none();
            self.tree.add_line(line.unwrap_or_default().as_bytes());
            return;
        };
        self.tree.add(proved.leaf);
        self.steps += proved.n_steps;
        *match proved.kind {
            Kind::Free => &mut self.free,
            Kind::Contact => &mut self.contacts,
            Kind::PossibleContact => &mut self.possible,
            Kind::Undecided => &mut self.undecided,
        } += 1;
    }

    /// The root of the Merkle tree; `None` if a leaf is unknown.
    fn root(&self) -> Option<String> {
        (!self.lacks_leaf).then(|| self.tree.root())
    }

    fn require_root(&self, wanted: Option<&str>) -> std::result::Result<(), String> {
        match (wanted, self.root()) {
            (None, _) => Ok(()),
            (Some(wanted), Some(root)) if root.eq_ignore_ascii_case(wanted) => Ok(()),
            (Some(_), Some(root)) => Err(format!("the root of the Merkle tree is {root}")),
            (Some(_), None) => {
                Err("the root of the Merkle tree is unknown because certificates are missing; give --results".into())
            }
        }
    }

    fn lines(&self, kind: &str) -> Vec<String> {
        let Self { free, contacts, possible, undecided, steps, n_without, without, .. } = self;
        let mut lines = vec![format!(
            "valid: {free} {kind} are free, {contacts} have a contact, {possible} a possible one, {undecided} are \
             undecided; {steps} steps"
        )];
        lines.extend(self.root().map(|root| format!("root of the Merkle tree: {root}")));
        lines.extend(
            without.map(|first| format!("incomplete: {n_without} {kind} have no certificate, the first is {first}")),
        );
        lines
    }
}

/// The statement of certificates, in the verifier's own terms.
#[derive(Debug)]
pub struct Subject(firstcontact_verification::Subject);

impl Subject {
    /// Robot, scene and statement of a question, whose scene must still have its triangles.
    pub fn new(robot: &Robot, question: &Question, link_pairs: &LinkPairs, margin_m: f64) -> Self {
        let (pairs, tolerance) = ((link_pairs, &*question.allowed), question.queries.joint_tolerance());
        Self(firstcontact_verification::Subject::new((robot, &question.scene), pairs, margin_m, tolerance))
    }

    /// Writes robot, scene, statement, and the queries with these numbers, for other verifiers.
    fn export(&self, folder: &Path, (queries, numbers): (&Queries, Range<usize>)) -> Result<()> {
        self.0.export(folder, &Paths { numbers, kind: queries.kind(), read: &|numbers| queries.paths(numbers) })
    }

    /// Verifies all certificates of a file or folder, which must be those of the queries with these numbers, and calls
    /// `each` with every result. Returns the reason of a refusal as text.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify(
        self,
        certificates: &Path,
        (queries, numbers): (&Queries, Range<usize>),
        threads: usize,
        each: &mut dyn FnMut(usize, Option<&Proved>),
    ) -> Result<std::result::Result<(), String>> {
        let progress = Progress::new("verifying", queries.kind(), numbers.len() as u64);
        let paths = Paths { numbers, kind: queries.kind(), read: &|numbers| queries.paths(numbers) };
        let verified = self.0.verify(certificates, &paths, threads, &mut |number, proved| {
            each(number, proved);
            progress.add(1);
            Ok(())
        });
        progress.finish();
        verified
    }
}
