//! `firstcontact acm`: proposes an allowed-collision matrix with proofs, and checks an existing one.

mod report;
mod srdf;

use super::inputs::InputArgs;
use super::model::Part;
use super::progress::Progress;
use super::robots::RobotSource;
use super::{Outcome, outputs, warn};
use clap::Args;
use firstcontact::acm::{Class, ClassifiedPair, Options, Pose, ProofFile, classify, link_pairs, proof_file};
use firstcontact::engine::thread_pool;
use firstcontact::io::load::read_text;
use firstcontact::robot::Robot;
use firstcontact::{Error, LinkPairs, Result, Srdf};
use srdf::Disabled;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `acm`.
#[derive(Debug, Args)]
pub struct AcmArgs {
    /// The robot (URDF)
    #[arg(long, value_name = "R.urdf")]
    robot: PathBuf,
    /// The SRDF to write; the proofs are written to R.srdf.proof.json. With --srdf, everything but the pairs of links
    /// is copied, the poses of group states are examined, and pairs that are disabled but can touch are listed
    #[arg(long, value_name = "R.srdf")]
    out: PathBuf,
    /// JSON report with the class of each pair, its reason, its distance and a configuration in contact
    #[arg(long, value_name = "report.json")]
    report: Option<PathBuf>,
    /// JSON file with a configuration in contact for each pair that can touch, as motions at rest, for render and check
    #[arg(long, value_name = "witnesses.json")]
    witnesses: Option<PathBuf>,
    /// Distance up to which links count as touching, metres
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_hyphen_values = true)]
    margin: f64,
    /// Time limit for the proof of each pair, and for the joint values in which a pair that can touch is free, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, allow_hyphen_values = true)]
    budget: f64,
    /// Number of random configurations to try for each pair before a proof
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    samples: u32,
    /// Seed of the random configurations
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Also disable pairs that touch at the zero pose or in a group state
    #[arg(long)]
    disable_default: bool,
    /// Also disable pairs that are not proved but touch in none of the random configurations
    #[arg(long)]
    assume_sampled: bool,
    /// Threads on the CPU; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    #[command(flatten)]
    inputs: InputArgs,
}

/// Runs the command.
pub fn run(args: &AcmArgs) -> Result<Outcome> {
    if args.inputs.robots.attach().is_some() {
        let message = "acm does not support attached objects";
        return Err(Error::usage(message).remedy("leave out --attach; touch_links are for pairs with objects"));
    }
    let inputs: Vec<&Path> = std::iter::once(args.robot.as_path()).chain(args.inputs.robots.files()).collect();
    args.check_outputs(&inputs)?;
    let Part { robot, srdf, srdf_path, .. } = args.inputs.part(&RobotSource::unnamed(&args.robot, None))?;
    robot.warnings.iter().for_each(|w| warn(w));
    let text = srdf_path.as_deref().map(read_text).transpose()?;
    args.check_outputs(&[])?;
    let pairs = args.classify(&robot, srdf.as_ref())?;
    let disabled = args.disabled(&robot, &pairs);
    let known = srdf.as_ref().map_or(Ok(HashSet::new()), |srdf| srdf::disabled(srdf, &robot))?;
    let is_unsafe = |pair: &&ClassifiedPair| can_touch(pair) && known.contains(&pair.links);
    let not_safe: Vec<&ClassifiedPair> = pairs.iter().filter(is_unsafe).collect();
    args.write(&robot, &srdf::with_pairs(text.as_deref(), &robot.name, &disabled)?, &pairs)?;
    if let Some(path) = &args.report {
        write(path, &pretty(&report::report(&robot, &pairs, srdf.is_some().then_some(&not_safe)))?)?;
    }
    report::summarise(&robot, &pairs, &not_safe, disabled.len());
    Ok(match pairs.iter().any(|pair| pair.class == Class::Unproved) {
        _ if !not_safe.is_empty() => Outcome::Contact,
        true => Outcome::Undecided,
        false => Outcome::Free,
    })
}

impl AcmArgs {
    /// The file for the proofs; `None` if the SRDF is not written to a file.
    fn proofs(&self) -> Option<PathBuf> {
        (!outputs::is_stream(&self.out)).then(|| proof_file(&self.out))
    }

    /// Refuses outputs that would overwrite an input or each other.
    fn check_outputs(&self, inputs: &[&Path]) -> Result<()> {
        let proofs = self.proofs();
        let all = [
            ("--out", Some(self.out.as_path())),
            ("the proofs", proofs.as_deref()),
            ("--report", self.report.as_deref()),
            ("--witnesses", self.witnesses.as_deref()),
        ];
        outputs::check(inputs, &all.into_iter().filter_map(|(name, path)| Some((name, path?))).collect::<Vec<_>>())
    }

    fn classify(&self, robot: &Robot, srdf: Option<&Srdf>) -> Result<Vec<ClassifiedPair>> {
        let budget = Duration::try_from_secs_f64(self.budget)
            .map_err(|_| Error::usage("--budget is not a number of seconds").remedy("give a number such as 2"))?;
        let options = Options { margin_m: self.margin, budget, samples: self.samples, seed: self.seed };
        let mut poses = vec![Pose { name: "the zero pose".into(), values: vec![None; robot.columns.len()] }];
        poses.extend(srdf.map_or(Ok(Vec::new()), |srdf| srdf::poses(srdf, robot))?);
        let progress = Progress::new("classifying", "pairs", link_pairs(robot).len() as u64);
        let classified = thread_pool(self.threads)?.install(|| classify(robot, &poses, &options, &|| progress.add(1)));
        progress.finish();
        classified
    }

    /// The pairs to disable, including links of one rigid group, for tools that test such pairs.
    fn disabled(&self, robot: &Robot, pairs: &[ClassifiedPair]) -> Vec<Disabled> {
        let reason = |pair: &ClassifiedPair| match pair.class {
            Class::Adjacent => Some("Adjacent"),
            Class::Always => Some("Always (proved)"),
            Class::Never => Some(Srdf::PROVED),
            Class::Default if self.disable_default => Some("Default"),
            Class::Unproved if self.assume_sampled && pair.samples.class() == Some(Class::Never) => {
                Some("Never (sampled)")
            }
            _ => None,
        };
        let disabled = pairs.iter().filter_map(|pair| Some((pair.links, reason(pair)?)));
        let rigid = rigid_pairs(robot).into_iter().map(|links| (links, "Rigid"));
        disabled.chain(rigid).map(|(links, reason)| Disabled { links: names(robot, links), reason }).collect()
    }

    /// Writes the SRDF, the proofs and the configurations of contact.
    fn write(&self, robot: &Robot, srdf: &str, pairs: &[ClassifiedPair]) -> Result<()> {
        write(&self.out, srdf)?;
        if let Some(path) = self.proofs() {
            write(&path, &pretty(&ProofFile::new(robot, self.margin, pairs))?)?;
        }
        match &self.witnesses {
            Some(path) => write(path, &(report::witnesses(robot, pairs).to_string() + "\n")),
            None => Ok(()),
        }
    }
}

/// The pairs of links with triangles that are joined by fixed joints.
fn rigid_pairs(robot: &Robot) -> Vec<[u32; 2]> {
    let all = LinkPairs::all(robot);
    let moving: HashSet<[u32; 2]> = all.tested().iter().copied().collect();
    let links = (0..).zip(robot.links.iter()).filter(|(_, link)| !link.triangles.is_empty());
    let links: Vec<u32> = links.map(|(i, _)| i).collect();
    let pairs = links.iter().enumerate().flat_map(|(i, &a)| links[i + 1..].iter().map(move |&b| [a, b]));
    pairs.filter(|pair| !moving.contains(pair)).collect()
}

/// Returns whether links that are not always in contact can touch.
fn can_touch(pair: &ClassifiedPair) -> bool {
    matches!(pair.class, Class::Default | Class::Sometimes)
}

fn names(robot: &Robot, links: [u32; 2]) -> [String; 2] {
    links.map(|l| robot.links[l as usize].name.clone())
}

fn pretty(content: &impl serde::Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(content).map_err(|e| Error::usage(e.to_string()))?;
    Ok(text + "\n")
}

fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = outputs::create(path)?;
    file.lines(text)?;
    file.finish()
}
