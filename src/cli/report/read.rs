//! Runs of measurements from files, which may say anything.

use crate::cli::bench::run::{FORMAT, Run};
use firstcontact::error::{foreign, quoted};
use firstcontact::load::read_text;
use firstcontact::{Error, Result};
use serde::Deserialize;
use std::path::Path;

/// More digits than a number of double precision has.
const MOST_DIGITS: usize = 20;

/// Only what every version of the format has.
#[derive(Deserialize)]
struct Head {
    format: String,
}

/// Reads a run.
///
/// # Errors
/// The file cannot be read, has another format, or does not keep to it.
pub fn run(path: &Path) -> Result<Run> {
    let text = read_text(path)?;
    let broken = |e: serde_json::Error| {
        let remedy = "pass the .json files that `firstcontact bench` writes";
        Error::input(format!("it is not a run of measurements: {}", foreign(&e))).in_file(path).remedy(remedy)
    };
    let head: Head = serde_json::from_str(&text).map_err(broken)?;
    if head.format != FORMAT {
        let message = format!("its format is {}, where '{FORMAT}' is wanted", quoted(&head.format));
        return Err(Error::input(message).in_file(path).remedy("make it with this version, or report with its own"));
    }
    let run: Run = serde_json::from_str(&text).map_err(broken)?;
    check(&run).map_err(|e| e.in_file(path))?;
    Ok(run)
}

/// What the types do not say.
fn check(run: &Run) -> Result<()> {
    for table in &run.tables {
        let place = |what: String| format!("table {}, {what}", quoted(&table.id));
        let n = table.columns.len();
        if let Some((i, row)) = table.rows.iter().enumerate().find(|(_, row)| row.len() != n) {
            let message = format!("{} cells where there are {n} columns", row.len());
            return Err(Error::input(message).at(place(format!("row {i}"))));
        }
        if let Some(column) = table.columns.iter().find(|c| c.digits > MOST_DIGITS) {
            let message = format!("{} digits, more than {MOST_DIGITS}", column.digits);
            return Err(Error::input(message).at(place(format!("column {}", quoted(&column.name)))));
        }
    }
    Ok(())
}
