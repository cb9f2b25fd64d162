//! Destinations of a command's output: a file, a pipe or a device, or `-` for the standard output; and the protection
//! of files that must not be overwritten.

use super::motions::STANDARD_INPUT;
use firstcontact::io::output::{self, AtomicFile};
use firstcontact::{Error, ErrorKind, Result};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Paths that mean the standard output.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Time between two attempts to use a resource that another process is using.
const RETRY: Duration = Duration::from_millis(100);

/// True if results are written to the standard output, so that text for people is not.
static RESULTS_ON_STDOUT: AtomicBool = AtomicBool::new(false);

/// Returns whether text for people is written to the standard error because the standard output carries results.
pub fn results_on_stdout() -> bool {
    RESULTS_ON_STDOUT.load(Ordering::Relaxed)
}

/// Redirects text for people to the standard error, because `--json` writes to the standard output.
///
/// # Errors
/// The answers are written to the standard output, too.
pub fn reserve_stdout(out: &Path) -> Result<()> {
    if is_stdout(out) {
        let message = format!("--json and --out {} both write to standard output", out.display());
        return Err(Error::usage(message).remedy("--stats FILE writes the same"));
    }
    RESULTS_ON_STDOUT.store(true, Ordering::Relaxed);
    Ok(())
}

fn is_stdout(path: &Path) -> bool {
    STDOUT.iter().any(|name| path == Path::new(name))
}

/// Returns whether lines are written directly to the standard output, a pipe or a device, so that nothing can be kept
/// or continued.
pub fn is_stream(path: &Path) -> bool {
    is_stdout(path) || output::is_stream(path)
}

/// Refuses outputs, each with the name of its option, that would overwrite one of `inputs`, any file that was read
/// before, or each other, and outputs that another process is writing. Call it before any work, and again when
/// everything is read and no output is open yet. If results are written to the standard output, text for people is
/// written to the standard error from now on.
pub fn check(inputs: &[&Path], outputs: &[(&str, &Path)]) -> Result<()> {
    // The standard input may be a file.
    for &path in inputs {
        output::record_input(if path == Path::new(STANDARD_INPUT) { Path::new("/dev/stdin") } else { path });
    }
    let on_stdout: Vec<_> = outputs.iter().filter(|(_, path)| is_stdout(path)).collect();
    RESULTS_ON_STDOUT.fetch_or(!on_stdout.is_empty(), Ordering::Relaxed);
    if let [(a, _), (b, _), ..] = on_stdout[..] {
        return Err(Error::usage(format!("{a} and {b} both write to standard output")).remedy("choose a file for one"));
    }
    // It may be redirected to a file.
    let named = |&(name, path): &_| (name, if is_stdout(path) { Path::new(STDOUT[1]) } else { path });
    let outputs: Vec<_> = outputs.iter().map(named).collect();
    output::refuse_conflicts(&outputs)?;
    outputs.iter().try_for_each(|(_, path)| output::refuse_busy(path))
}

/// Opens an output with the content that an earlier process may have left in its part.
pub fn open(path: &Path) -> Result<AtomicFile> {
    if is_stdout(path) { AtomicFile::stdout() } else { AtomicFile::open(path) }
}

/// Starts an empty output.
pub fn create(path: &Path) -> Result<AtomicFile> {
    let mut file = open(path)?;
    file.restart().map(|()| file)
}

/// Keeps the answers of a command that was interrupted and cannot continue, and adds their location to the error.
pub fn keep(file: AtomicFile, out: &Path, error: Error) -> Error {
    let is_stream = file.is_stream();
    match file.keep() {
        Ok(()) if is_stream => error,
        Ok(()) => error.remedy(format!("the answers so far are kept in {}", output::part_of(out).display())),
        Err(failed) => failed,
    }
}

/// Repeats an attempt until no other process is in the way, and reports once that it is waiting. An interruption ends
/// the program as usual.
pub fn wait<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let mut waits = false;
    loop {
        match attempt() {
            Err(e) if e.kind() == ErrorKind::Busy => {
                if !std::mem::replace(&mut waits, true) {
                    tell!("waiting: {e}");
                }
                std::thread::sleep(RETRY);
            }
            other => return other,
        }
    }
}
