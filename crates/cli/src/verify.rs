//! `firstcontact verify`: checks certificates of `check` and of `tolerance`.

use super::Outcome;
use super::dataset::{FolderArgs, Work};
use super::inputs::{FileArgs, InputArgs};
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
use firstcontact::toleranced::record;
use firstcontact::{Error, LinkPairs, Result};
use firstcontact_verification::Paths;
use firstcontact_verifier::{Kind, MAGIC, Proved};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Arguments of `verify`. Those of `check` that its answers depend on have the same meaning.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Certificates written by `check --certificates`, or a certificate written by `tolerance --certificate`, which
    /// needs no other argument
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
    #[arg(long, value_name = "M", default_value_t = 0.0)]
    margin: f64,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    trajectories: TrajectoryArgs,
    /// Threads; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Runs the command: 0 if the certificates are valid, 1 if one is refused.
pub fn run(args: &VerifyArgs) -> Result<Outcome> {
    if !is_of_check(&args.certificate)? {
        return verify_tolerance(&args.certificate);
    }
    let files = FileArgs::new(
        (args.robot.clone(), args.world.clone()),
        [args.scene.clone(), args.motions.clone()],
        args.dataset.clone(),
        args.folder.clone(),
        args.reading.clone(),
    );
    let Work::Files(files) = files.resolve()? else {
        let error = Error::usage("planning problems have no certificates: each has a scene of its own");
        return Err(error.remedy("give --robot, --scene and --motions"));
    };
    let question = QuestionArgs {
        files: &files,
        reading: &args.reading,
        inputs: &args.inputs,
        trajectories: &args.trajectories,
        allow: args.allow.as_deref(),
        self_collision: args.self_collision,
        margin_m: args.margin,
        shard: args.shard.unwrap_or(Shard::WHOLE),
    };
    let model = args.inputs.model(&files.robots)?;
    let question = question.read(&model)?;
    let subject = Subject::new(&model.robot, &question, &question.link_pairs, args.margin);
    let mut totals = Totals::default();
    let count = &mut |number: usize, proved: Option<&Proved>| totals.add(number, proved);
    let verified =
        subject.verify(&args.certificate, (&question.queries, question.numbers.clone()), args.threads, count)?;
    question.tested.lines().iter().for_each(|line| say!("{line}"));
    match verified {
        Ok(()) => {
            say!("{}", totals.line(question.queries.kind()));
            Ok(if totals.without.is_none() { Outcome::Free } else { Outcome::Refused })
        }
        Err(refusal) => {
            say!("refused: {refusal}");
            Ok(Outcome::Refused)
        }
    }
}

/// Returns whether a file has certificates of `check`, by its first bytes.
fn is_of_check(path: &Path) -> Result<bool> {
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut first));
    read.map_err(|e| Error::input(format!("it cannot be read: {e}")).in_file(path))?;
    Ok(first == MAGIC)
}

fn verify_tolerance(path: &Path) -> Result<Outcome> {
    match record::verify(path, &LoadLimits::default())? {
        Ok(n) => {
            say!("valid: {n} motions are free");
            Ok(Outcome::Free)
        }
        Err(why) => {
            say!("refused: {why}");
            Ok(Outcome::Refused)
        }
    }
}

/// Numbers of verified answers.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    free: u64,
    contacts: u64,
    possible: u64,
    undecided: u64,
    steps: u64,
    n_without: u64,
    /// The first motion without a certificate.
    without: Option<usize>,
}

impl Totals {
    fn add(&mut self, number: usize, proved: Option<&Proved>) {
        let Some(proved) = proved else {
            self.n_without += 1;
            self.without.get_or_insert(number);
            return;
        };
        self.steps += proved.n_steps;
        *match proved.kind {
            Kind::Free => &mut self.free,
            Kind::Contact => &mut self.contacts,
            Kind::PossibleContact => &mut self.possible,
            Kind::Undecided => &mut self.undecided,
        } += 1;
    }

    fn line(&self, kind: &str) -> String {
        let Self { free, contacts, possible, undecided, steps, n_without, without } = self;
        let mut line = format!(
            "valid: {free} {kind} are free, {contacts} have a contact, {possible} a possible one, {undecided} are \
             undecided; {steps} steps"
        );
        if let Some(first) = without {
            line += &format!("\nincomplete: {n_without} {kind} have no certificate, the first is {first}");
        }
        line
    }
}

/// What certificates are about, in the verifier's own terms.
#[derive(Debug)]
pub struct Subject(firstcontact_verification::Subject);

impl Subject {
    /// Robot, scene and statement of a question, whose scene must still have its triangles.
    pub fn new(robot: &Robot, question: &Question, link_pairs: &LinkPairs, margin_m: f64) -> Self {
        let (pairs, tolerance) = ((link_pairs, &*question.allowed), question.queries.joint_tolerance());
        Self(firstcontact_verification::Subject::new((robot, &question.scene), pairs, margin_m, tolerance))
    }

    /// Verifies all certificates of a file, which must be those of the queries with these numbers, and passes what each proves to `each`.
    /// Returns the reason of a refusal as text.
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
