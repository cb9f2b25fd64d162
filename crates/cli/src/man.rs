//! `firstcontact man`: manual pages, generated from the same text as `--help`.

use super::{Cli, Outcome};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use firstcontact::io::output;
use firstcontact::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder: firstcontact.1, firstcontact-check.1 and so on. Without it the
    /// page of firstcontact is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &ManArgs) -> Result<Outcome> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Gives subcommands their full names and the options of every command.
    program.build();
    match &args.out {
        None => show!("{}", String::from_utf8_lossy(&page(&program)?.1).trim_end()),
        Some(folder) => {
            let n = write_all(&program, folder)?;
            say!("{n} manual pages: {}", folder.display());
        }
    }
    Ok(Outcome::Free)
}

/// The file name and the page of a command.
fn page(command: &Command) -> Result<(String, Vec<u8>)> {
    let man = Man::new(command.clone()).source(concat!("firstcontact", " ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render(&mut page).map_err(|e| Error::usage(e.to_string()))?;
    Ok((man.get_filename(), page))
}

/// Writes the pages of a command and of its subcommands; returns their number.
fn write_all(command: &Command, folder: &Path) -> Result<usize> {
    let (name, page) = page(command)?;
    let path = folder.join(name);
    output::write(&path, |file| {
        file.write_all(&page).map_err(|e| Error::usage(format!("cannot write: {e}")).in_file(&path))
    })?;
    let mut n = 1;
    for subcommand in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        n += write_all(subcommand, folder)?;
    }
    Ok(n)
}
