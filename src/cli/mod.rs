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
mod colour;
mod dataset;
mod elementary;
mod info;
mod inputs;
mod large;
mod legend;
mod render;
mod report;
mod resume;
mod summary;
mod tolerance;
mod track;
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
    /// Draw one motion: the robot at the start, at first contact and at the end, and the volume that it sweeps; or write it as glTF
    Render(Box<render::RenderArgs>),
    /// Put measurements together to one page: tables, plots, pictures, and motions in three dimensions
    Report(report::ReportArgs),
    /// Follow the extremal pairs of moving ellipsoids, tori, NURBS surfaces and curves: distances, depths, first contacts
    Track(track::TrackArgs),
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
        Command::Report(args) => report::run(&args),
        Command::Track(args) => track::run(&args),
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

/// A number of bytes, such as `2GiB`, `500MB` or `1048576`. `K`, `M`, `G`, `T` alone are powers of 1024, as elsewhere on
/// command lines.
fn bytes(text: &str) -> std::result::Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..digits], text[digits..].trim().to_ascii_lowercase());
    let power = match unit.chars().next() {
        None | Some('b') => 0,
        Some(prefix) => {
            1 + "kmgt".find(prefix).ok_or_else(|| format!("'{unit}' is no unit of memory: KiB, MiB, GiB"))?
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
        _ => return Err(format!("'{unit}' is no unit of memory: KiB, MiB, GiB")),
    };
    let factor = base.pow(power as u32);
    let whole = number.parse::<u64>().ok().map(|n| n.checked_mul(factor));
    let bytes = match whole {
        Some(bytes) => bytes,
        None if power > 0 => number.parse::<f64>().ok().map(|n| (n * factor as f64) as u64),
        None => None,
    };
    bytes.ok_or_else(|| format!("'{text}' is no number of bytes"))
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
