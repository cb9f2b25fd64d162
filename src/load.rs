//! Reading files with bounds: how much memory loading may take, and files as bytes or text.

use crate::error::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

/// The memory of this machine, or of the part of it that the process is confined to, bytes.
pub fn system_memory_bytes() -> Option<u64> {
    static KNOWN: OnceLock<Option<u64>> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let mut system = sysinfo::System::new().ok()?;
        system.refresh_memory();
        let confined = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
        Some(system.total_memory().min(confined)).filter(|&bytes| bytes > 0)
    })
}

/// What loading may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadLimits {
    /// Bytes that a file's content, and the numbers made of it, may take.
    pub memory_bytes: u64,
}

impl Default for LoadLimits {
    /// Three quarters of the machine's memory; 8 GiB where that is not known.
    fn default() -> Self {
        Self { memory_bytes: system_memory_bytes().map_or(8 << 30, |all| all / 4 * 3) }
    }
}

impl LoadLimits {
    /// What is left of the limits when `used_bytes` are taken.
    #[must_use]
    pub(crate) fn less(self, used_bytes: u64) -> Self {
        Self { memory_bytes: self.memory_bytes.saturating_sub(used_bytes) }
    }

    /// Refuses what does not fit; `what` names it, as in "its 12 triangles".
    pub(crate) fn check(&self, need_bytes: u128, what: &str) -> Result<()> {
        if need_bytes <= u128::from(self.memory_bytes) {
            return Ok(());
        }
        let message = format!("{what} need {need_bytes} bytes where {} are left", self.memory_bytes);
        Err(Error::new(ErrorKind::Memory, message).remedy("allow more with --memory"))
    }
}

/// A line up to its comment: what follows a `#` that does not stand within a word, since names may have one in them.
#[must_use]
pub fn without_comment(line: &str) -> &str {
    let in_word = |k: usize| line[..k].ends_with(|c: char| !c.is_whitespace());
    let comment = line.match_indices('#').map(|(k, _)| k).find(|&k| !in_word(k));
    &line[..comment.unwrap_or(line.len())]
}

/// The bytes that `n` values of a type take.
pub(crate) fn bytes_of<T>(n: usize) -> u128 {
    n as u128 * size_of::<T>() as u128
}

/// Opens a regular file and tells its length in bytes.
pub(crate) fn open(path: &Path) -> Result<(File, u64)> {
    let unreadable = |cause: std::io::Error| Error::input(format!("it cannot be read: {cause}")).in_file(path);
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Error::input("it is not a file").in_file(path));
    }
    Ok((file, metadata.len()))
}

/// The content of a file that fits the limits.
pub(crate) fn read_bytes(path: &Path, limits: &LoadLimits) -> Result<Vec<u8>> {
    let (file, length) = open(path)?;
    limits.check(u128::from(length), "its bytes").map_err(|e| e.in_file(path))?;
    let mut bytes = Vec::new();
    file.take(length)
        .read_to_end(&mut bytes)
        .map_err(|cause| Error::input(format!("it cannot be read: {cause}")).in_file(path))?;
    Ok(bytes)
}

/// Bytes as UTF-8 text, without a byte order mark.
pub(crate) fn text(bytes: &[u8]) -> Result<&str> {
    let text = std::str::from_utf8(bytes).map_err(|cause| {
        let line = 1 + bytes[..cause.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        Error::input("it is not UTF-8 text").at(format!("line {line}"))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// One finite number.
pub(crate) fn number(word: &str) -> Result<f64> {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(Error::input(format!("{} is NaN or infinite", crate::error::quoted(word)))),
        Err(_) => Err(Error::input(format!("{} is not a number", crate::error::quoted(word)))),
    }
}
