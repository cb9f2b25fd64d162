//! `firstcontact bench`: measurements that write tables, plots and a file of figures, all in the format of [`mod@run`].

mod ablation;
mod certificates;
pub mod chart;
mod draw;
mod growth;
mod hardware;
pub mod machine;
pub mod markdown;
mod measured;
mod paper;
mod peers;
mod printed;
pub mod run;
mod run_files;
mod set;
mod solver;
mod solver_case;
mod sweep;
mod throughput;
mod toleranced;

use super::Outcome;
use super::dataset::{FolderArgs, claim};
use clap::{Args, Subcommand};
use firstcontact::{ErrorKind, Result};
use std::path::PathBuf;

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// The effect of each stage of the paper: all stages, without swept volumes, without the model's tree, without both
    Ablation(MeasureArgs),
    /// Certificates: their sizes, and the cost of making and verifying them compared with that of the check
    Certificates(MeasureArgs),
    /// Growth of the costs with triangles, size of the batch, depth of a chain, amplitude and threads
    Growth(growth::GrowthArgs),
    /// Test of a graphics adapter in eight minutes: its answers compared with those of the CPU, then its speed by data
    /// set, batch, mode and scene, compared with the CPU and with coal on all cores. Exit code 1 if an answer differs
    Hardware(hardware::HardwareArgs),
    /// The paper's Tables 1 and 2 next to this engine's figures
    Paper(MeasureArgs),
    /// Comparison with parry, coal, FCL and Bullet on the same motions: time, and missed, late and false contacts
    Peers(peers::PeersArgs),
    /// The paper's solver compared with the engine's: evaluations and time to reject pairs and to find a first contact,
    /// by depth and amplitude
    Solver(solver::SolverArgs),
    /// All forms of swept-volume culling: remaining triangles and cost
    Sweep(MeasureArgs),
    /// Motions per second and the time of each stage, by data set, size of the batch, mode and device
    Throughput(throughput::ThroughputArgs),
    /// Toleranced motions: tests and time of the experiments, and the number of certified motions of a robot
    Toleranced(MeasureArgs),
}

impl BenchCommand {
    /// The base name of the files, and the arguments with their folder.
    fn files(&self) -> (&'static str, &MeasureArgs) {
        match self {
            Self::Ablation(args) => ("ablation", args),
            Self::Certificates(args) => ("certificates", args),
            Self::Growth(args) => ("growth", &args.measure),
            Self::Hardware(args) => ("hardware", &args.measure),
            Self::Paper(args) => ("paper", args),
            Self::Peers(args) => ("peers", &args.measure),
            Self::Solver(args) => ("solver", &args.measure),
            Self::Sweep(args) => ("sweep", args),
            Self::Throughput(args) => ("throughput", &args.measure),
            Self::Toleranced(args) => ("toleranced", args),
        }
    }
}

/// Arguments of all measurements.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// The folder for the files NAME.json, NAME.md and NAME-*.svg
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Measure only a few motions, as a quick test
    #[arg(long)]
    quick: bool,
    /// Leave out graphics adapters
    #[arg(long)]
    cpu_only: bool,
    #[command(flatten)]
    folder: FolderArgs,
}

/// Measures on an adapter, if one is requested and available.
fn on_adapter(args: &MeasureArgs, measure: impl FnOnce() -> Result<()>) -> Result<()> {
    match if args.cpu_only { Ok(()) } else { measure() } {
        Err(e) if e.kind() == ErrorKind::Gpu => {
            tell!("no adapter is measured: {e}");
            Ok(())
        }
        other => other,
    }
}

/// Runs the command.
pub fn run(args: &BenchArgs) -> Result<Outcome> {
    let (name, measure) = args.command.files();
    // Two simultaneous measurements would slow each other down, and mix their files.
    let _claim = claim(&measure.out, &format!("{name}.lock"))?;
    match &args.command {
        BenchCommand::Ablation(args) => ablation::run(args)?,
        BenchCommand::Certificates(args) => certificates::run(args)?,
        BenchCommand::Growth(args) => growth::run(args)?,
        BenchCommand::Hardware(args) => return hardware::run(args),
        BenchCommand::Paper(args) => paper::run(args)?,
        BenchCommand::Peers(args) => peers::run(args)?,
        BenchCommand::Solver(args) => solver::run(args)?,
        BenchCommand::Sweep(args) => sweep::run(args)?,
        BenchCommand::Throughput(args) => throughput::run(args)?,
        BenchCommand::Toleranced(args) => toleranced::run(args)?,
    }
    Ok(Outcome::Free)
}
