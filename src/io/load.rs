//! Bounded reading of files: a memory limit for loading, files as bytes, text or lines, and progress reports.

use crate::error::{Error, ErrorKind, Result};
use crate::io::output::record_input;
use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Returns the memory in bytes of this machine, or the limit of the process's control group if that is lower; `None` if
/// unknown.
pub fn system_memory_bytes() -> Option<u64> {
    static KNOWN: OnceLock<Option<u64>> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let mut system = sysinfo::System::new().ok()?;
        system.refresh_memory();
        let confined = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
        Some(system.total_memory().min(confined)).filter(|&bytes| bytes > 0)
    })
}

/// Limits on loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadLimits {
    /// Bytes that a file's content and the numbers made of it may occupy.
    pub memory_bytes: u64,
}

impl Default for LoadLimits {
    /// Returns three quarters of the machine's memory; 8 GiB if that is unknown.
    fn default() -> Self {
        Self { memory_bytes: system_memory_bytes().map_or(8 << 30, |all| all / 4 * 3) }
    }
}

impl LoadLimits {
    /// Returns the limits that remain when `used_bytes` are in use.
    #[must_use]
    pub(crate) fn less(self, used_bytes: u64) -> Self {
        Self { memory_bytes: self.memory_bytes.saturating_sub(used_bytes) }
    }

    /// Refuses data that does not fit; `what` describes it, as in "its 12 triangles".
    pub(crate) fn check(&self, need_bytes: u128, what: &str) -> Result<()> {
        if need_bytes <= u128::from(self.memory_bytes) {
            return Ok(());
        }
        let message = format!("{what} need {need_bytes} bytes, but only {} are left", self.memory_bytes);
        Err(Error::new(ErrorKind::Memory, message).remedy("allow more with --memory"))
    }
}

/// Receiver of the progress of long work: the amount done and the total. By default nothing is reported.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Tell>>);

type Tell = dyn Fn(u64, u64) + Send + Sync;

impl Watch {
    /// Creates a watch that calls `tell`, from any thread, possibly from several at a time; `tell` should be quick.
    pub fn new(tell: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// Reports that `done` of `of` is complete.
    pub(crate) fn tell(&self, done: u64, of: u64) {
        if let Some(tell) = &self.0 {
            tell(done, of);
        }
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(some)" } else { "Watch(none)" })
    }
}

/// Returns a line up to its comment. A `#` within a word does not begin a comment, since names may contain one.
#[must_use]
pub fn without_comment(line: &str) -> &str {
    let in_word = |k: usize| line[..k].ends_with(|c: char| !c.is_whitespace());
    let comment = line.match_indices('#').map(|(k, _)| k).find(|&k| !in_word(k));
    &line[..comment.unwrap_or(line.len())]
}

/// Returns the number of bytes that `n` values of a type occupy.
pub(crate) fn bytes_of<T>(n: usize) -> u128 {
    n as u128 * size_of::<T>() as u128
}

/// Opens a regular file, records it as an input, and returns it with its length in bytes.
pub(crate) fn open(path: &Path) -> Result<(File, u64)> {
    let unreadable = |cause: std::io::Error| Error::input(format!("it cannot be read: {cause}")).in_file(path);
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Error::input("it is not a file").in_file(path));
    }
    record_input(path);
    Ok((file, metadata.len()))
}

/// Reads the text of a file, which is recorded as an input.
///
/// # Errors
/// The file cannot be read, or is not UTF-8 text.
pub fn read_text(path: &Path) -> Result<String> {
    record_input(path);
    std::fs::read_to_string(path).map_err(|e| Error::input(format!("cannot read: {e}")).in_file(path))
}

/// Reads the content of a file that fits the limits.
pub(crate) fn read_bytes(path: &Path, limits: &LoadLimits) -> Result<Vec<u8>> {
    let (file, length) = open(path)?;
    limits.check(u128::from(length), "its bytes").map_err(|e| e.in_file(path))?;
    let mut bytes = Vec::new();
    file.take(length)
        .read_to_end(&mut bytes)
        .map_err(|cause| Error::input(format!("it cannot be read: {cause}")).in_file(path))?;
    Ok(bytes)
}

/// A file that is read in pieces, with reports of the progress.
pub(crate) struct Watched<'w> {
    file: File,
    done: u64,
    length: u64,
    watch: &'w Watch,
}

impl<'w> Watched<'w> {
    /// Opens a file.
    pub fn open(path: &Path, watch: &'w Watch) -> Result<Self> {
        let (file, length) = open(path)?;
        Ok(Self { file, done: 0, length, watch })
    }

    /// Returns the length, bytes.
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let n = self.file.read(to)?;
        self.done += n as u64;
        self.watch.tell(self.done.min(self.length), self.length);
        Ok(n)
    }
}

/// The lines of a text that is read in pieces: UTF-8, without a byte order mark and without line ends.
pub(crate) struct Lines<R> {
    from: R,
    line: Vec<u8>,
    n_read: usize,
    limits: LoadLimits,
}

impl<R: BufRead> Lines<R> {
    /// Creates a reader of the lines of `from`; a line longer than the limits is an error.
    pub fn new(from: R, limits: LoadLimits) -> Self {
        Self { from, line: Vec::new(), n_read: 0, limits }
    }

    /// Reads the next line, and returns it with its number, counted from 1; `None` at the end.
    pub fn line(&mut self) -> Result<Option<(usize, &str)>> {
        self.line.clear();
        let read = self.append()?;
        self.give(read, self.n_read)
    }

    /// Like [`Lines::line`], but a backslash at the end of a line without a comment (`#`) continues it on the next one.
    /// Continued lines are returned as one, with the number of the first.
    pub fn joined_line(&mut self) -> Result<Option<(usize, &str)>> {
        self.line.clear();
        let read = self.append()?;
        let (number, mut begin) = (self.n_read, 0);
        while self.line.last() == Some(&b'\\') && !self.line[begin..].contains(&b'#') {
            self.line.pop();
            self.line.push(b' ');
            begin = self.line.len();
            if !self.append()? {
                break;
            }
        }
        self.give(read, number)
    }

    fn give(&self, read: bool, number: usize) -> Result<Option<(usize, &str)>> {
        let not_text = |_| Error::input("it is not UTF-8 text").at(format!("line {number}"));
        let line = std::str::from_utf8(&self.line).map_err(not_text)?;
        let line = if number == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        Ok(read.then_some((number, line)))
    }

    /// Appends one more line, if there is one.
    fn append(&mut self) -> Result<bool> {
        let room = self.limits.memory_bytes.saturating_sub(self.line.len() as u64);
        let mut some = self.from.by_ref().take(room.saturating_add(1));
        let unreadable = |cause: std::io::Error| Error::input(format!("it cannot be read: {cause}"));
        let n = some.read_until(b'\n', &mut self.line).map_err(unreadable)?;
        if n as u64 > room {
            return self.limits.check(self.line.len() as u128, "the bytes of a line").map(|()| false);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        self.n_read += usize::from(n > 0);
        Ok(n > 0)
    }
}

/// Returns bytes as UTF-8 text, without a byte order mark.
///
/// # Errors
/// The bytes are not UTF-8.
pub fn text(bytes: &[u8]) -> Result<&str> {
    let text = std::str::from_utf8(bytes).map_err(|cause| {
        let line = 1 + bytes[..cause.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        Error::input("it is not UTF-8 text").at(format!("line {line}"))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Parses a finite number.
pub(crate) fn number(word: &str) -> Result<f64> {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(Error::input(format!("{} is NaN or infinite", crate::error::quoted(word)))),
        Err(_) => Err(Error::input(format!("{} is not a number", crate::error::quoted(word)))),
    }
}
