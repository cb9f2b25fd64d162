//! `firstcontact acm`: proposes an allowed-collision matrix with proofs, and checks an existing one.

mod srdf;

use super::inputs::{InputArgs, proof_file};
use super::progress::Progress;
use super::{Outcome, outputs, warn};
use clap::Args;
use comfy_table::{Table, presets};
use firstcontact::acm::{Class, ClassifiedPair, Options, Pose, ProofFile, classify};
use firstcontact::engine::thread_pool;
use firstcontact::io::load::read_text;
use firstcontact::robot::Robot;
use firstcontact::{Error, Result, Srdf};
use serde_json::{Map, Value, json};
use srdf::{Disabled, Known};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum number of pairs that a list of the summary shows.
const MAX_LISTED: usize = 20;

/// Arguments of `acm`.
#[derive(Debug, Args)]
pub struct AcmArgs {
    /// The robot (URDF)
    #[arg(long, value_name = "R.urdf")]
    robot: PathBuf,
    /// An SRDF to check: pairs that it disables although they can touch are listed. Its other content is copied, and
    /// the poses of its group states are examined
    #[arg(long, value_name = "IN.srdf")]
    srdf: Option<PathBuf>,
    /// The SRDF to write; the proofs are written to R.srdf.proof.json
    #[arg(long, value_name = "R.srdf")]
    out: PathBuf,
    /// The class of each pair, with reason, distance and a configuration of contact: JSON
    #[arg(long, value_name = "report.json")]
    report: Option<PathBuf>,
    /// Distance up to which links count as touching, metres
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_hyphen_values = true)]
    margin: f64,
    /// Time for the proof of each pair, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, allow_hyphen_values = true)]
    budget: f64,
    /// Number of random configurations of each pair that are tried before a proof
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
    let inputs: Vec<&Path> = std::iter::once(args.robot.as_path()).chain(args.srdf.as_deref()).collect();
    args.check_outputs(&inputs)?;
    let robot = args.inputs.robot(&args.robot, None)?;
    robot.warnings.iter().for_each(|w| warn(w));
    let text = args.srdf.as_deref().map(read_text).transpose()?;
    let known = match (&text, &args.srdf) {
        (Some(text), Some(path)) => srdf::read(text, &robot).map_err(|e| e.in_file(path))?,
        _ => Known::default(),
    };
    args.check_outputs(&[])?;
    let pairs = args.classify(&robot, &known)?;
    let disabled = args.disabled(&robot, &pairs);
    let written = srdf::with_pairs(text.as_deref(), &robot.name, &disabled)?;
    let is_unsafe = |pair: &&ClassifiedPair| can_touch(pair) && known.disabled.contains(&pair.links);
    let not_safe: Vec<&ClassifiedPair> = pairs.iter().filter(is_unsafe).collect();
    write(&args.out, &written)?;
    if let Some(path) = args.proofs() {
        write(&path, &pretty(&ProofFile::new(&robot, args.margin, &pairs))?)?;
    }
    if let Some(path) = &args.report {
        let listed = |pairs: &mut dyn Iterator<Item = &ClassifiedPair>| -> Value {
            pairs.map(|pair| describe(&robot, pair)).collect()
        };
        let all = listed(&mut pairs.iter());
        let report = match text {
            Some(_) => json!({ "pairs": all, "unsafe": listed(&mut not_safe.iter().copied()) }),
            None => all,
        };
        write(path, &pretty(&report)?)?;
    }
    summarise(&robot, &pairs, &not_safe, disabled.len());
    Ok(match pairs.iter().any(|pair| pair.class == Class::Unproved) {
        _ if !not_safe.is_empty() => Outcome::Contact,
        true => Outcome::Undecided,
        false => Outcome::Free,
    })
}

impl AcmArgs {
    /// The file for the proofs; none if the SRDF is not written to a file.
    fn proofs(&self) -> Option<PathBuf> {
        (!outputs::is_stream(&self.out)).then(|| proof_file(&self.out))
    }

    /// Refuses outputs that would overwrite an input or each other.
    fn check_outputs(&self, inputs: &[&Path]) -> Result<()> {
        let proofs = self.proofs();
        let out = [("--out", Some(self.out.as_path())), ("the proofs", proofs.as_deref())];
        let all = out.into_iter().chain([("--report", self.report.as_deref())]);
        outputs::check(inputs, &all.filter_map(|(name, path)| Some((name, path?))).collect::<Vec<_>>())
    }

    fn classify(&self, robot: &Robot, known: &Known) -> Result<Vec<ClassifiedPair>> {
        let budget = Duration::try_from_secs_f64(self.budget)
            .map_err(|_| Error::usage("--budget is not a number of seconds").remedy("give a number such as 2"))?;
        let options = Options { margin_m: self.margin, budget, samples: self.samples, seed: self.seed };
        let zero = Pose { name: "the zero pose".into(), values: vec![None; robot.columns.len()] };
        let poses: Vec<Pose> = std::iter::once(zero).chain(known.poses.iter().cloned()).collect();
        let progress = Progress::new("classifying", "pairs", firstcontact::acm::link_pairs(robot).len() as u64);
        let classified = thread_pool(self.threads)?.install(|| classify(robot, &poses, &options, &|| progress.add(1)));
        progress.finish();
        classified
    }

    /// The pairs to disable.
    fn disabled(&self, robot: &Robot, pairs: &[ClassifiedPair]) -> Vec<Disabled> {
        let reason = |pair: &ClassifiedPair| match pair.class {
            Class::Adjacent => Some("Adjacent"),
            Class::Always => Some("Always (proved)"),
            Class::Never => Some(Srdf::PROVED),
            Class::Default if self.disable_default => Some("Default"),
            Class::Unproved if self.assume_sampled && pair.samples.tried > 0 => Some("Never (sampled)"),
            _ => None,
        };
        let disabled = pairs.iter().filter_map(|pair| Some((pair, reason(pair)?)));
        disabled.map(|(pair, reason)| Disabled { links: names(robot, pair), reason }).collect()
    }
}

/// Returns whether links that are not always in contact can touch.
fn can_touch(pair: &ClassifiedPair) -> bool {
    matches!(pair.class, Class::Default | Class::Sometimes)
}

fn names(robot: &Robot, pair: &ClassifiedPair) -> [String; 2] {
    pair.links.map(|l| robot.links[l as usize].name.clone())
}

/// An entry of the report.
fn describe(robot: &Robot, pair: &ClassifiedPair) -> Value {
    let mut entry = json!({ "links": names(robot, pair), "class": pair.class.name(), "reason": pair.reason });
    if !pair.witness.is_empty() {
        let value = |&(column, x): &(u32, f64)| (robot.columns[column as usize].name.clone(), x.into());
        entry["witness"] = pair.witness.iter().map(value).collect::<Map<_, _>>().into();
    }
    if let Some(distance_m) = pair.smallest_distance_m {
        entry["smallest_distance_m"] = distance_m.into();
    }
    if pair.samples.tried > 0 {
        entry["samples"] = pair.samples.tried.into();
        entry["samples_touching"] = pair.samples.touching.into();
    }
    entry
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

/// Prints the number of pairs in each class, and the pairs that deserve attention.
fn summarise(robot: &Robot, pairs: &[ClassifiedPair], not_safe: &[&ClassifiedPair], disabled: usize) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["class", "pairs"]);
    for class in Class::ALL {
        table.add_row([class.name().to_string(), pairs.iter().filter(|p| p.class == class).count().to_string()]);
    }
    say!("pairs of links: {}, disabled: {disabled}", pairs.len());
    say!("{table}");
    let row = |pair: &ClassifiedPair| format!("  {}: {}", names(robot, pair).join(" and "), pair.reason);
    let list = |title: &str, pairs: &mut dyn Iterator<Item = &ClassifiedPair>| {
        let rows: Vec<String> = pairs.map(row).collect();
        if !rows.is_empty() {
            let more = rows.len().saturating_sub(MAX_LISTED);
            let more = if more > 0 { format!("\n  and {more} more: --report lists all") } else { String::new() };
            say!("{title}: {}\n{}{more}", rows.len(), rows[..rows.len().min(MAX_LISTED)].join("\n"));
        }
    };
    let is_rare =
        |pair: &&ClassifiedPair| pair.class == Class::Sometimes && pair.samples.tried > 0 && pair.samples.touching == 0;
    list("can touch, but not in any random configuration", &mut pairs.iter().filter(is_rare));
    list("not proved", &mut pairs.iter().filter(|pair| pair.class == Class::Unproved));
    list("disabled by the SRDF, but can touch", &mut not_safe.iter().copied());
}
