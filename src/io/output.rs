//! Files that are written whole or not at all: they grow as `NAME.part` in the same folder and are renamed when they
//! are complete. A lock on the part keeps other processes out. Pipes and devices are written directly.

mod identity;
mod lock;
mod mark;
mod part;
#[cfg(test)]
mod tests;
mod writer;

pub use identity::{is_same, protect_inputs, record_input, refuse_conflicts, refuse_input};
pub use part::{AtomicFile, Claim};
pub use writer::Writer;

use crate::error::{Error, ErrorKind, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the path of the file in which an output grows: `NAME.part`.
pub fn part_of(path: &Path) -> PathBuf {
    with_suffix(path, ".part")
}

/// Appends a suffix to the name of a path.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

/// Returns whether a path refers to a pipe or a character device, which is written directly.
pub fn is_stream(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        fs::metadata(path).is_ok_and(|m| m.file_type().is_fifo() || m.file_type().is_char_device())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Refuses an output that another process is writing, before any work is done. [`AtomicFile::open`] does so, too, and
/// takes the lock.
///
/// # Errors
/// Another process writes this file ([`ErrorKind::Busy`]).
pub fn refuse_busy(path: &Path) -> Result<()> {
    let part = part_of(path);
    match !is_stream(path) && fs::metadata(&part).is_ok_and(|m| m.is_file()) {
        true => lock::refuse_busy(&part).map_err(|e| e.in_file(path)),
        false => Ok(()),
    }
}

/// Writes a file with `fill`, whole or not at all.
///
/// # Errors
/// As [`AtomicFile::create`] and [`AtomicFile::finish`]. An error of `fill` is returned as it is.
pub fn write(path: &Path, fill: impl FnOnce(&mut Writer) -> Result<()>) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    fill(&mut file.to)?;
    file.finish()
}

/// Returns the path of the file that [`replace`] writes first. The file remains if the process is killed in between.
pub fn replacement_of(path: &Path) -> PathBuf {
    with_suffix(path, ".new")
}

/// Replaces a small file in one step, without a lock of its own.
///
/// # Errors
/// It cannot be written; the old file is then unchanged.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    refuse_input(path)?;
    let new = replacement_of(path);
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.map_err(|e| {
        // The first error is the one to report.
        let _ = fs::remove_file(&new);
        cannot_write(path, &e)
    })
}

/// Returns the text that [`AtomicFile::mark`] attached to a file; `None` if the file has no such text, or if the file
/// system does not support it.
pub fn mark_of(file: &File) -> Option<String> {
    mark::read(file)
}

/// Returns whether an output has a lock file: on file systems without locks a writer creates one, and leaves it behind
/// if it is killed.
#[cfg(feature = "formats")]
pub(crate) fn has_lock_file(path: &Path) -> bool {
    lock::marker_of(&part_of(path)).exists()
}

/// Receives warnings about outputs.
static REPORT: OnceLock<fn(&str)> = OnceLock::new();

/// Sets the function that reports warnings about outputs to the user. Only the first call has an effect; without it
/// warnings are dropped.
pub fn on_warning(report: fn(&str)) {
    // A second call changes nothing.
    let _ = REPORT.set(report);
}

/// Reports a warning on the first call only.
fn warn_once(message: &str) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if let Some(report) = REPORT.get()
        && !WARNED.swap(true, Ordering::Relaxed)
    {
        report(message);
    }
}

/// Creates the error for a file that cannot be written.
fn cannot_write(path: &Path, cause: &io::Error) -> Error {
    Error::new(ErrorKind::Output, format!("cannot write: {cause}")).in_file(path)
}
