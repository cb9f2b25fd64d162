//! Exclusive locks on files that grow: two processes never write the same output.
//!
//! The lock is the system's advisory lock on the file itself. It ends with its guard or with the process, however the
//! process ends. Some network file systems refuse such locks. There, `NAME.lock` is created exclusively next to the
//! file. It contains the host name and the process id, and a process that is killed leaves it behind.

use crate::error::{Error, ErrorKind, Result};
use crate::io::output::identity::FileId;
use crate::io::output::{cannot_write, warn_once, with_suffix};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// For tests only: if this environment variable is set, locks behave as on a file system that refuses them.
const REFUSE_LOCKS: &str = "FIRSTCONTACT_TEST_REFUSE_LOCKS";

/// Number of times that a file is opened again because another process has renamed or removed it in the meantime.
const MAX_TRIES: usize = 100;

const WAIT: &str = "wait until that process ends, or choose another output";

/// Opens a file for reading and writing, creates it if it is missing, and locks it. Its content stays as it is. The
/// lock lasts as long as the guard lives.
///
/// # Errors
/// Another process holds the lock ([`ErrorKind::Busy`], without a file), or the file cannot be opened.
pub(super) fn open(path: &Path) -> Result<(File, Guard)> {
    for _ in 0..MAX_TRIES {
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = open.map_err(|e| cannot_write(path, &e))?;
        let guard = match try_lock(&file) {
            Ok(()) => Guard::System(file.try_clone().map_err(|e| cannot_write(path, &e))?),
            Err(TryLockError::WouldBlock) => return Err(busy(owner(&file))),
            Err(TryLockError::Error(e)) if is_refusal(&e) => Guard::Marker(Marker::create(path)?),
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(TryLockError::Error(e)) => return Err(cannot_write(path, &e)),
        };
        // Between the opening and the lock, the previous writer may have moved or removed this file.
        match (FileId::of(&file), FileId::at(path)) {
            (Ok(opened), Ok(named)) if opened == named => return Ok((file, guard)),
            _ => {}
        }
    }
    Err(Error::new(ErrorKind::Busy, "other processes keep replacing this file").in_file(path).remedy(WAIT))
}

/// Refuses a file that another process has locked, without creating it and without keeping a lock.
///
/// # Errors
/// Another process holds the lock ([`ErrorKind::Busy`], without a file).
pub(super) fn refuse_busy(path: &Path) -> Result<()> {
    let marker = marker_of(path);
    // A file that cannot be opened is reported when it is written.
    let Ok(file) = File::open(path) else { return Ok(()) };
    match try_lock(&file) {
        Err(TryLockError::WouldBlock) => Err(busy(owner(&file))),
        Err(TryLockError::Error(e)) if is_refusal(&e) && marker.exists() => Err(marked(&marker)),
        Err(_) => Ok(()),
        Ok(()) => {
            drop(Guard::System(file));
            Ok(())
        }
    }
}

/// Keeps a lock.
#[derive(Debug)]
pub(super) enum Guard {
    /// The system's lock on this file. It is released explicitly: a child process that was started in the meantime has
    /// the same open file, and would keep the lock.
    System(File),
    /// A file next to the locked one.
    Marker(#[expect(dead_code, reason = "it is dropped with the guard")] Marker),
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Self::System(file) = self {
            // If it cannot be released here, it ends when the last process closes the file.
            let _ = file.unlock();
        }
    }
}

/// `NAME.lock` for a file system that refuses locks; removed when it is dropped.
#[derive(Debug)]
pub(super) struct Marker(PathBuf);

impl Marker {
    fn create(locked: &Path) -> Result<Self> {
        let path = marker_of(locked);
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(marked(&path)),
            Err(e) => return Err(cannot_write(&path, &e)),
        };
        let marker = Self(path);
        let host = sysinfo::System::host_name().unwrap_or_else(|_| "unknown".into());
        writeln!(file, "{host} {}", std::process::id()).map_err(|e| cannot_write(&marker.0, &e))?;
        warn_once(&format!(
            "the file system refuses locks, so {} guards the output; if this process is killed, delete that file",
            marker.0.display()
        ));
        Ok(marker)
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        // If it cannot be removed, the error of the next process explains how to remove it.
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns the path of the lock of a file, on file systems without locks.
pub(super) fn marker_of(locked: &Path) -> PathBuf {
    with_suffix(locked, ".lock")
}

fn try_lock(file: &File) -> std::result::Result<(), TryLockError> {
    if std::env::var_os(REFUSE_LOCKS).is_some() {
        return Err(TryLockError::Error(io::ErrorKind::Unsupported.into()));
    }
    file.try_lock()
}

/// Returns whether an error means that this file system has no locks.
fn is_refusal(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let refusals = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::INVAL];
        if error.raw_os_error().is_some_and(|code| refusals.iter().any(|e| e.raw_os_error() == code)) {
            return true;
        }
    }
    error.kind() == io::ErrorKind::Unsupported
}

fn busy(owner: Option<u32>) -> Error {
    let process = owner.map_or("another process".to_string(), |id| format!("another process (id {id})"));
    Error::new(ErrorKind::Busy, format!("{process} is writing this output")).remedy(WAIT)
}

/// Creates the error for a file that another process, perhaps on another host, has marked as locked.
fn marked(marker: &Path) -> Error {
    let text = fs::read_to_string(marker).unwrap_or_default();
    let process = match text.split_whitespace().collect::<Vec<_>>()[..] {
        [host, id] => format!("process {} on host {}", short(id), short(host)),
        _ => "another process".to_string(),
    };
    let message = format!("{process} is writing this output, according to {}", marker.display());
    let remedy = "wait until that process ends, or choose another output; if it has ended already, delete that file";
    Error::new(ErrorKind::Busy, message).remedy(remedy)
}

fn short(word: &str) -> String {
    crate::error::shortened(word, 64)
}

/// Returns the id of the process that has locked a file, if the system lists it.
#[cfg(target_os = "linux")]
fn owner(file: &File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata().ok()?;
    let (major, minor) = (rustix::fs::major(metadata.dev()), rustix::fs::minor(metadata.dev()));
    let place = format!("{major:02x}:{minor:02x}:{}", metadata.ino());
    let list = fs::read_to_string("/proc/locks").ok()?;
    // For example `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`.
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_it = words.get(1) == Some(&"FLOCK") && words.get(5) == Some(&place.as_str());
        words.get(4).filter(|_| is_it)?.parse::<u32>().ok()
    };
    list.lines().find_map(of_line).filter(|&id| id > 0)
}

/// Returns `None`: the process is unknown on this system.
#[cfg(not(target_os = "linux"))]
fn owner(_: &File) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "content").unwrap();
        let (file, guard) = open(&path).unwrap();
        let error = open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        if cfg!(target_os = "linux") {
            assert!(error.to_string().contains(&format!("id {}", std::process::id())), "{error}");
        }
        drop((file, guard));
        open(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "content");
    }

    /// A process that is started while the lock is held has a copy of the open file.
    #[test]
    fn copies_of_the_open_file_do_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (file, guard) = open(&path).unwrap();
        let copy = file.try_clone().unwrap();
        assert_eq!(open(&path).unwrap_err().kind(), ErrorKind::Busy);
        drop((file, guard));
        open(&path).unwrap();
        drop(copy);
    }

    #[test]
    fn a_file_that_is_moved_away_is_not_what_gets_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (held, guard) = open(&path).unwrap();
        fs::rename(&path, folder.path().join("moved")).unwrap();
        let (file, _guard) = open(&path).unwrap();
        assert!(FileId::of(&file).unwrap() == FileId::at(&path).unwrap());
        assert!(FileId::of(&held).unwrap() != FileId::at(&path).unwrap());
        drop(guard);
    }

    #[test]
    fn a_marker_identifies_the_process_that_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let marker = Marker::create(&path).unwrap();
        let error = Marker::create(&path).unwrap_err();
        let message = error.to_string();
        assert!(error.kind() == ErrorKind::Busy && message.contains("delete that file"), "{message}");
        assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
        drop(marker);
        drop(Marker::create(&path).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // Its writer was killed before it wrote anything.
        fs::write(marker_of(&path), "").unwrap();
        assert!(Marker::create(&path).unwrap_err().to_string().contains("another process"));
    }
}
