//! `firstcontact bench`: measurements that end in a table, a plot and a file of figures.

mod ablation;
mod lines;
mod plot;
mod toleranced;

use super::Outcome;
use clap::{Args, Subcommand};
use firstcontact::Result;
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

/// Runs the command.
pub fn run(args: &BenchArgs) -> Result<Outcome> {
    match &args.command {
        BenchCommand::Ablation(args) => ablation::run(args)?,
        BenchCommand::Toleranced(args) => toleranced::run(args)?,
    }
    Ok(Outcome::Free)
}
