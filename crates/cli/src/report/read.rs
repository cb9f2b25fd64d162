//! Reading of runs of measurements and of results; the files are not trusted.

use super::answer::Answer;
use crate::bench::run::{FORMAT, Run};
use firstcontact::error::{foreign, quoted};
use firstcontact::io::load::read_text;
use firstcontact::{Error, Result};
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// Maximum number of digits after the decimal point: more than a double-precision number has.
const MAX_DIGITS: usize = 20;
/// Maximum length of a first line that may be an answer, bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The content of a file.
#[derive(Debug)]
pub enum Source {
    /// A run of measurements.
    Run(Box<Run>),
    /// Results of `check`, still to be read.
    Results(PathBuf),
}

impl Source {
    /// The run.
    pub fn run(self) -> Option<Run> {
        match self {
            Self::Run(run) => Some(*run),
            Self::Results(_) => None,
        }
    }

    /// The file of results.
    pub fn results(&self) -> Option<&Path> {
        match self {
            Self::Run(_) => None,
            Self::Results(path) => Some(path),
        }
    }
}

/// Reads a run, or recognizes results by their name or their first line.
///
/// # Errors
/// The file cannot be read, or is neither.
pub fn source(path: &Path) -> Result<Source> {
    let is_named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
    let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(path);
    let file = File::open(path).map_err(unreadable)?;
    let mut first = String::new();
    // A line that is not text is not an answer either.
    let is_line = BufReader::new(file.take(MAX_LINE_BYTES)).read_line(&mut first).is_ok();
    if is_named || is_line && Answer::parse(&first).is_ok() {
        return Ok(Source::Results(path.to_path_buf()));
    }
    run(path).map(|run| Source::Run(Box::new(run)))
}

/// The fields that exist in every version of the format.
#[derive(Deserialize)]
struct Head {
    format: String,
}

/// Reads a run.
///
/// # Errors
/// The file cannot be read, has another format, or violates it.
fn run(path: &Path) -> Result<Run> {
    let text = read_text(path)?;
    let broken = |e: serde_json::Error| {
        let remedy = "give a .json file of `firstcontact bench`, or results of `firstcontact check`";
        let message = format!("it is neither a run of measurements nor results: {}", foreign(&e));
        Error::input(message).in_file(path).remedy(remedy)
    };
    let head: Head = serde_json::from_str(&text).map_err(broken)?;
    if head.format != FORMAT {
        let message = format!("its format is {}, not '{FORMAT}'", quoted(&head.format));
        let remedy = "create it with this version, or report with the version that created it";
        return Err(Error::input(message).in_file(path).remedy(remedy));
    }
    let run: Run = serde_json::from_str(&text).map_err(broken)?;
    check(&run).map_err(|e| e.in_file(path))?;
    Ok(run)
}

/// Checks the conditions that the types do not enforce.
fn check(run: &Run) -> Result<()> {
    for table in &run.tables {
        let place = |what: String| format!("table {}, {what}", quoted(&table.id));
        let n = table.columns.len();
        if let Some((i, row)) = table.rows.iter().enumerate().find(|(_, row)| row.len() != n) {
            let message = format!("{} cells where there are {n} columns", row.len());
            return Err(Error::input(message).at(place(format!("row {i}"))));
        }
        if let Some(column) = table.columns.iter().find(|c| c.digits > MAX_DIGITS) {
            let message = format!("{} digits, more than {MAX_DIGITS}", column.digits);
            return Err(Error::input(message).at(place(format!("column {}", quoted(&column.name)))));
        }
    }
    Ok(())
}
