//! `firstcontact bench`: measurements that end in a table, a plot and a file of figures.

mod ablation;
pub mod chart;
mod lines;
pub mod machine;
pub mod markdown;
mod plot;
pub mod run;
mod throughput;
mod toleranced;

use super::Outcome;
use clap::{Args, Subcommand};
use firstcontact::output;
use firstcontact::{Error, Result};
use std::io::Write as _;
use std::path::PathBuf;

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// What each stage of the paper is worth: all stages, without swept volumes, without the model's tree, without both
    Ablation(MeasureArgs),
    /// Motions a second, and the time of each stage, by data set, size of the batch, mode and device
    Throughput(MeasureArgs),
    /// Toleranced motions: tests and time of the experiments, and how many motions of a robot are certified
    Toleranced(MeasureArgs),
}

/// What all measurements are told.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// The folder for figures, table and plot
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Few motions: to see that it works
    #[arg(long)]
    quick: bool,
    /// Leave out graphics adapters
    #[arg(long)]
    cpu_only: bool,
    /// Where data sets are kept
    #[arg(long, value_name = "DIR", default_value = "firstcontact-datasets")]
    dataset_folder: PathBuf,
}

/// Writes a file of results.
fn write(args: &MeasureArgs, name: &str, text: &str) -> Result<()> {
    let path = args.out.join(name);
    output::write(&path, |out| {
        out.write_all(text.as_bytes()).map_err(|e| Error::input(format!("it cannot be written: {e}")).in_file(&path))
    })
}

/// Runs the command.
pub fn run(args: &BenchArgs) -> Result<Outcome> {
    match &args.command {
        BenchCommand::Ablation(args) => ablation::run(args)?,
        BenchCommand::Throughput(args) => throughput::run(args)?,
        BenchCommand::Toleranced(args) => toleranced::run(args)?,
    }
    Ok(Outcome::Free)
}
