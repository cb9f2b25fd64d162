//! The command line: thin commands over the library.
//!
//! Exit codes: 0 all free, 1 some contact or something refused, 2 no contact but some undecided, 3 wrong usage, bad
//! input or an internal fault, 130 interrupted, or the reader of the results closed the pipe.

#[macro_use]
mod terminal;

mod acm;
mod allow;
mod answers;
mod audit;
mod bench;
mod certificate;
mod check;
mod colour;
mod completions;
mod dataset;
mod elementary;
mod environment;
mod info;
mod inputs;
mod large;
mod legend;
mod man;
mod merge;
mod merkle;
mod model;
mod motions;
mod outputs;
mod progress;
mod queries;
mod question;
mod render;
mod report;
mod resume;
mod robots;
mod rounded;
mod self_collision;
mod shard;
mod size;
mod summary;
mod tested;
mod tolerance;
mod track;
mod verify;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use firstcontact::io::output;
use firstcontact::{Error, ErrorKind, Result};
use firstcontact_pictures as picture;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use terminal::warn;

/// Certified continuous collision detection of articulated models in triangle environments.
#[derive(Debug, Parser)]
#[command(name = "firstcontact", version, about, max_term_width = 120)]
struct Cli {
    #[command(flatten)]
    terminal: terminal::TerminalArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Report for each motion whether anything touches, and when the first contact occurs
    Check(Box<check::CheckArgs>),
    /// Propose pairs of links that need not be tested against each other, with proofs, and check the pairs of an SRDF
    Acm(Box<acm::AcmArgs>),
    /// Check plans, and write a report: verdicts, pictures, exceeded limits, joints over time
    Audit(Box<audit::AuditArgs>),
    /// Run a benchmark, and write its figures, a table and a plot
    Bench(bench::BenchArgs),
    /// Show certificates of `check`
    Certificate(certificate::CertificateArgs),
    /// Print a shell script that completes commands and options
    Completions(completions::CompletionsArgs),
    /// Generate, fetch and list data sets
    Dataset(dataset::DatasetArgs),
    /// Report whether and when a vertex and a face, or two edges, meet as their points move along straight lines
    Elementary(elementary::ElementaryArgs),
    /// List the graphics adapters, and describe a robot and a scene
    Info(info::InfoArgs),
    /// Print the manual page, or write the pages of all commands
    Man(man::ManArgs),
    /// Join the answers of the shards of a run, and check that they belong together and are complete
    Merge(merge::MergeArgs),
    /// Draw one motion: the robot at the start, at first contact and at the end, and the volume that it sweeps; or
    /// write it as glTF
    Render(Box<render::RenderArgs>),
    /// Combine measurements into one page: tables, plots, pictures, and motions in three dimensions
    Report(Box<report::ReportArgs>),
    /// Follow the extremal pairs of moving ellipsoids, tori, NURBS surfaces and curves: distances, depths, first
    /// contacts
    Track(track::TrackArgs),
    /// Cover motions with balls of displacements: prove them free, with a certificate, or report possible contacts
    Tolerance(tolerance::ToleranceArgs),
    /// Verify certificates of `check`, or a certificate of `tolerance`
    Verify(Box<verify::VerifyArgs>),
}

/// The result of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All motions or queries are free, or the command does not judge any.
    Free,
    /// Some motion or query has a contact.
    Contact,
    /// No contact, but some motion or query is undecided.
    Undecided,
    /// A certificate is not valid, or an adapter contradicts the CPU.
    Refused,
}

fn main() -> ExitCode {
    // SAFETY: this is the first statement of the program, and nothing before it starts a thread.
    unsafe { environment::set_wayland_display() };
    let color = terminal::color_asked_for(std::env::args_os());
    terminal::set_color(color);
    let parsed = Cli::command().color(color).try_get_matches().and_then(|m| Cli::from_arg_matches(&m));
    let Cli { terminal, command } = match parsed {
        Ok(cli) => cli,
        Err(message) => {
            // Help and version are requests; everything else is an error.
            let code = if message.use_stderr() { 3 } else { 0 };
            // If the terminal is closed, the message cannot be shown.
            let _ = message.print();
            return ExitCode::from(code);
        }
    };
    terminal.apply();
    output::protect_inputs();
    output::on_warning(warn);
    match run(command) {
        Ok(Outcome::Free) => ExitCode::from(0),
        Ok(Outcome::Contact | Outcome::Refused) => ExitCode::from(1),
        Ok(Outcome::Undecided) => ExitCode::from(2),
        // The reader of the results has closed the pipe.
        Err(error) if error.kind() == ErrorKind::Closed => ExitCode::from(130),
        Err(error) => {
            terminal::error(&error);
            ExitCode::from(if error.kind() == ErrorKind::Interrupted { 130 } else { 3 })
        }
    }
}

fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Acm(args) => acm::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Certificate(args) => certificate::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Dataset(args) => dataset::run(&args),
        Command::Elementary(args) => elementary::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Track(args) => track::run(&args),
        Command::Tolerance(args) => tolerance::run(&args),
        Command::Verify(args) => verify::run(&args),
    }
}

/// Returns a flag that an interruption sets from now on, instead of ending the process. Call it once.
fn interruption() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&flag);
    // A second handler cannot be set, but the first one has the same effect.
    let _ = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed));
    flag
}

/// The error of an interrupted run.
fn interrupted(after: &str) -> Error {
    Error::new(ErrorKind::Interrupted, format!("interrupted after {after}"))
}

/// A number of bytes, such as `2GiB`, `500MB` or `1048576`. `K`, `M`, `G`, `T` alone are powers of 1024, as in other
/// command-line programs.
fn bytes(text: &str) -> std::result::Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim().to_ascii_lowercase());
    let power = match unit.chars().next() {
        None | Some('b') => 0,
        Some(prefix) => {
            1 + "kmgt".find(prefix).ok_or_else(|| format!("'{unit}' is not a unit of memory: use KiB, MiB or GiB"))?
        }
    };
    let base: u64 = match unit.get(usize::from(power > 0)..) {
        Some("" | "ib") => 1024,
        Some("b") => {
            if power > 0 {
                1000
            } else {
                1
            }
        }
        _ => return Err(format!("'{unit}' is not a unit of memory: use KiB, MiB or GiB")),
    };
    let factor = base.pow(power as u32);
    let whole = number.parse::<u64>().ok().map(|n| n.checked_mul(factor));
    let bytes = match whole {
        Some(bytes) => bytes,
        None if power > 0 => number.parse::<f64>().ok().map(|n| (n * factor as f64) as u64),
        None => None,
    };
    bytes.ok_or_else(|| format!("'{text}' is not a number of bytes"))
}

/// A list of numbers such as `x,y,z,roll,pitch,yaw`.
fn numbers<const N: usize>(text: &str) -> std::result::Result<[f64; N], String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != N {
        return Err(format!("expected {N} numbers separated by commas, found {}", parts.len()));
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

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_in_the_usual_units() {
        for (text, expected) in [
            ("0", 0),
            ("1000", 1000),
            ("12b", 12),
            ("2GiB", 2 << 30),
            ("2gib", 2 << 30),
            ("2 GiB", 2 << 30),
            ("2G", 2 << 30),
            ("2GB", 2_000_000_000),
            ("512M", 512 << 20),
            ("64k", 64 << 10),
            ("64kB", 64_000),
            ("1.5GiB", 3 << 29),
            ("1T", 1 << 40),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "lots", "-1", "1.5", "2X", "2GiBs", "GiB", "18446744073709551616", "99999999T", "1e3", "2i"] {
            assert!(bytes(text).is_err(), "{text}: {:?}", bytes(text));
        }
    }
}
