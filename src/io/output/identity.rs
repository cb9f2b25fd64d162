//! Files by identity: one file may have many names, and an output must not overwrite an input under any of them.
//!
//! Two paths refer to the same file if device and inode agree, which covers symbolic links, hard links and relative
//! paths. Only regular files count: a terminal may be input and output, and `/dev/null` may be several outputs.

use crate::error::{Error, Result};
use crate::io::output::{part_of, replacement_of, with_suffix};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Device and inode of a file.
#[cfg(unix)]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId(u64, u64);

/// The identity of a file according to the system; it keeps the file open.
#[cfg(not(unix))]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId(same_file::Handle);

impl FileId {
    /// Returns the identity of an open file.
    #[cfg(unix)]
    pub fn of(file: &File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        file.metadata().map(|m| Self(m.dev(), m.ino()))
    }

    /// Returns the identity of an open file.
    #[cfg(not(unix))]
    pub fn of(file: &File) -> io::Result<Self> {
        same_file::Handle::from_file(file.try_clone()?).map(Self)
    }

    /// Returns the identity of the file at a path.
    #[cfg(unix)]
    pub fn at(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map(|m| Self(m.dev(), m.ino()))
    }

    /// Returns the identity of the file at a path.
    #[cfg(not(unix))]
    pub fn at(path: &Path) -> io::Result<Self> {
        same_file::Handle::from_path(path).map(Self)
    }

    /// Returns the identity of a regular file.
    fn of_regular(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).and_then(|_| Self::at(path).ok())
    }
}

/// The files that were read, once [`protect_inputs`] has been called.
static INPUTS: Mutex<Option<HashMap<FileId, PathBuf>>> = Mutex::new(None);

fn inputs() -> MutexGuard<'static, Option<HashMap<FileId, PathBuf>>> {
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses, from now on, every output of this process that would overwrite a file the process has read: robots with
/// their meshes, scenes, motions, and everything else that a loader opens. Intended for a program with a single task;
/// by default nothing is recorded.
pub fn protect_inputs() {
    inputs().get_or_insert_default();
}

/// Records a file as an input. The loaders of this library do so themselves.
pub fn record_input(path: &Path) {
    if let Some(inputs) = &mut *inputs()
        && let Some(id) = FileId::of_regular(path)
    {
        inputs.entry(id).or_insert_with(|| path.to_path_buf());
    }
}

/// Refuses an output that is, or that is written through, a file that was read.
///
/// # Errors
/// The output would overwrite an input.
pub fn refuse_input(output: &Path) -> Result<()> {
    let inputs = inputs();
    let Some(inputs) = &*inputs else { return Ok(()) };
    for written in written_for(output) {
        if let Some(input) = FileId::of_regular(&written).and_then(|id| inputs.get(&id)) {
            let message = match input == &written {
                true => "an output would overwrite this input: both are the same file".to_string(),
                false => format!("an output would overwrite the input {}: both are the same file", input.display()),
            };
            return Err(Error::usage(message).in_file(&written).remedy("choose another output"));
        }
    }
    Ok(())
}

/// Refuses outputs, each with the name of its option, that would overwrite an input or each other. Call it before the
/// first of them is opened.
///
/// # Errors
/// An output would overwrite an input or another output.
pub fn refuse_conflicts(outputs: &[(&str, &Path)]) -> Result<()> {
    for (i, (name, path)) in outputs.iter().enumerate() {
        refuse_input(path)?;
        for (other_name, other) in &outputs[..i] {
            if overlap(path, other) {
                return Err(Error::usage(format!("{other_name} and {name} refer to the same file"))
                    .in_file(path)
                    .remedy("choose another output"));
            }
        }
    }
    Ok(())
}

/// Returns all files that are written for an output, the output first.
fn written_for(output: &Path) -> [PathBuf; 5] {
    let part = part_of(output);
    let hashes = with_suffix(&part, ".json");
    let in_progress = replacement_of(&hashes);
    [output.to_path_buf(), with_suffix(&part, ".lock"), part, hashes, in_progress]
}

fn overlap(a: &Path, b: &Path) -> bool {
    let is_device = |path: &Path| fs::metadata(path).is_ok_and(|m| !m.is_file());
    if is_device(a) || is_device(b) {
        return false;
    }
    let all = written_for(b);
    written_for(a).iter().any(|a| all.iter().any(|b| is_same(a, b)))
}

/// Returns whether two paths refer to the same file, which need not exist.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
        folder.ok().map(|folder| folder.join(path.file_name().unwrap_or_default()))
    };
    let linked = || FileId::of_regular(a).is_some_and(|a| FileId::of_regular(b).is_some_and(|b| a == b));
    a == b || whole(a).is_some_and(|a| whole(b).is_some_and(|b| a == b)) || linked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_by_many_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "").unwrap();
        fs::write(at("b"), "").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        assert!(is_same(&at("a"), &at("./a")) && is_same(&at("a"), &at("hard")) && !is_same(&at("a"), &at("b")));
        assert!(is_same(&at("new"), &at("./new")) && !is_same(&at("new"), &at("newer")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("a"), at("soft")).unwrap();
            assert!(is_same(&at("soft"), &at("hard")) && !is_same(&at("soft"), &at("b")));
        }
    }

    #[test]
    fn outputs_conflict_with_each_others_part_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (other, conflicts) in [("r", true), ("r.part", true), ("r.part.json", true), ("r.json", false)] {
            let refused = refuse_conflicts(&[("--out", &at("r")), ("--stats", &at(other))]);
            assert_eq!(refused.is_err(), conflicts, "{other}");
        }
        let null = Path::new("/dev/null");
        refuse_conflicts(&[("--out", null), ("--stats", null)]).unwrap_or_else(|e| assert!(!null.exists(), "{e}"));
    }
}
