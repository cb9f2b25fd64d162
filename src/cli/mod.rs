//! The command line: thin commands over the library.
//!
//! Exit codes: 0 all free, 1 some contact, 2 no contact but some undecided, 3 wrong use, bad input or an internal fault,
//! 130 interrupted.

/// Prints a line for people to read. That no one can read it changes nothing in what the program did: no error, no panic.
macro_rules! say {
    ($($line:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($line)*)));
    }};
}

/// The same on the standard error.
macro_rules! tell {
    ($($line:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($line)*)));
    }};
}

mod allow;
mod bench;
mod check;
mod dataset;
mod elementary;
mod info;
mod inputs;
mod render;
mod summary;
mod tolerance;
mod verify;

use clap::{Parser, Subcommand};
use firstcontact::{Error, ErrorKind, Result};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Certified continuous collision detection of articulated models in triangle environments.
#[derive(Debug, Parser)]
#[command(name = "firstcontact", version, about, max_term_width = 120)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say for each motion whether anything touches, and when first
    Check(Box<check::CheckArgs>),
    /// Measure, and write figures, a table and a plot
    Bench(bench::BenchArgs),
    /// Make data sets
    Dataset(dataset::DatasetArgs),
    /// Say for each vertex and face, or two edges, on straight lines whether they meet, and when first
    Elementary(elementary::ElementaryArgs),
    /// Show adapters, and what a robot and a scene consist of
    Info(info::InfoArgs),
    /// Draw one motion: the robot at the start, at first contact and at the end, and the volume that it sweeps
    Render(Box<render::RenderArgs>),
    /// Cover motions with balls of displacements: free with a certificate, or where contact is possible
    Tolerance(tolerance::ToleranceArgs),
    /// Check a certificate of `tolerance`
    Verify(verify::VerifyArgs),
}

/// How a command ended, if not with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All motions or queries are free, or there is nothing to judge.
    Free,
    /// Some motion or query has a contact.
    Contact,
    /// No contact, but some motion or query is undecided.
    Undecided,
}

/// Runs the command of the process's arguments.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => {
            // Help and version are no errors; whatever else the arguments are is.
            let code = if message.use_stderr() { 3 } else { 0 };
            // Nothing is left to do if the terminal is gone.
            let _ = message.print();
            return ExitCode::from(code);
        }
    };
    match run(cli.command) {
        Ok(Outcome::Free) => ExitCode::from(0),
        Ok(Outcome::Contact) => ExitCode::from(1),
        Ok(Outcome::Undecided) => ExitCode::from(2),
        Err(error) => {
            tell!("error: {error}");
            ExitCode::from(if error.kind() == ErrorKind::Interrupted { 130 } else { 3 })
        }
    }
}

fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Dataset(args) => dataset::run(&args),
        Command::Elementary(args) => elementary::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Tolerance(args) => tolerance::run(&args),
        Command::Verify(args) => verify::run(&args),
    }
}

/// Prints a warning.
fn warn(message: &str) {
    tell!("warning: {message}");
}

/// A flag that an interruption raises from now on, in the place of ending the process.
fn interruption() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&flag);
    // A second handler cannot be set; the first one serves as well.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    flag
}

/// The error of a run that was interrupted and whose answers so far are kept.
fn interrupted(after: &str) -> Error {
    Error::new(ErrorKind::Interrupted, format!("interrupted after {after}"))
        .remedy("the answers so far stand beside the output, in a file whose name ends in .part")
}

/// A number list such as `x,y,z,roll,pitch,yaw`.
fn numbers<const N: usize>(text: &str) -> std::result::Result<[f64; N], String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != N {
        return Err(format!("{} numbers where {N} are wanted, separated by commas", parts.len()));
    }
    let mut out = [0f64; N];
    for (to, part) in out.iter_mut().zip(parts) {
        *to = part.trim().parse::<f64>().map_err(|_| format!("'{part}' is not a number"))?;
        if !to.is_finite() {
            return Err(format!("'{part}' is NaN or infinite"));
        }
    }
    Ok(out)
}
