//! Files that are written whole or not at all: they grow as `NAME.part` next to their place and are moved there when
//! they are complete. A lock on the part keeps other processes out. Pipes and devices are written directly.

mod identity;
mod lock;
mod mark;
mod writer;

pub use identity::{is_same, protect_inputs, record_input, refuse_conflicts, refuse_input};
pub use writer::Writer;

use crate::error::{Error, ErrorKind, Result};
use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A file that grows as `NAME.part` while this process holds the lock on it, or a stream. The part is removed when this
/// value is dropped, unless it is finished or kept.
#[derive(Debug)]
pub struct PartFile {
    // The file is closed, which ends its lock, before `place` gives up the marker.
    to: Writer,
    /// `None` for a stream.
    place: Option<Place>,
    /// Names the output in messages.
    path: PathBuf,
}

#[derive(Debug)]
struct Place {
    part: PathBuf,
    /// Length of the part when it was opened.
    found_bytes: u64,
    /// Removes the part on drop.
    removes: bool,
    /// Folders that were made for it, innermost first.
    folders: Vec<PathBuf>,
    _guard: lock::Guard,
}

impl PartFile {
    /// Starts an empty file, and makes its folder.
    ///
    /// # Errors
    /// As [`PartFile::open`].
    pub fn create(path: &Path) -> Result<Self> {
        let mut file = Self::open(path)?;
        file.restart().map(|()| file)
    }

    /// Opens and locks the part of a file, with what an earlier process may have left in it, and makes its folder. A
    /// pipe or a device is opened as a stream.
    ///
    /// # Errors Another process writes this file ([`ErrorKind::Busy`]); the file is an input (see [`protect_inputs`]);
    /// it cannot be made; or there is a folder or the like in its place.
    pub fn open(path: &Path) -> Result<Self> {
        if is_stream(path) {
            let file = File::options().write(true).open(path).map_err(|e| cannot_write(path, &e))?;
            return Ok(Self { to: Writer::stream(file), place: None, path: path.to_path_buf() });
        }
        Self::open_as(path, part_of(path))
    }

    /// Lines to the standard output.
    ///
    /// # Errors
    /// The standard output is closed.
    pub fn stdout() -> Result<Self> {
        let path = PathBuf::from("standard output");
        let file = duplicate_stdout().map_err(|e| cannot_write(&path, &e))?;
        Ok(Self { to: Writer::stream(file), place: None, path })
    }

    fn open_as(path: &Path, part: PathBuf) -> Result<Self> {
        refuse_input(path)?;
        refuse_folders_and_the_like([path, &part])?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let new = folder.into_iter().flat_map(Path::ancestors).take_while(|f| !f.as_os_str().is_empty() && !f.exists());
        let folders: Vec<PathBuf> = new.map(Path::to_path_buf).collect();
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|e| cannot_write(path, &e))?;
        }
        let (file, guard) = lock::open(&part).map_err(|e| e.in_file(path))?;
        let found_bytes = file.metadata().map_err(|e| cannot_write(&part, &e))?.len();
        let place = Some(Place { part, found_bytes, removes: found_bytes == 0, folders, _guard: guard });
        Ok(Self { to: Writer::file(file), place, path: path.to_path_buf() })
    }

    /// Whether lines go straight to a pipe or a device: there is no part, so nothing can be kept or continued.
    pub fn is_stream(&self) -> bool {
        self.to.is_stream()
    }

    /// Bytes that an earlier process left in the part.
    pub fn found_bytes(&self) -> u64 {
        self.place.as_ref().map_or(0, |place| place.found_bytes)
    }

    /// Empties the part.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn restart(&mut self) -> Result<()> {
        self.cut(0)?;
        self.retain(false);
        Ok(())
    }

    /// Continues after the first `length` bytes of the part, which is kept from now on.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn continue_at(&mut self, length: u64) -> Result<()> {
        self.cut(length)?;
        self.retain(true);
        Ok(())
    }

    fn cut(&mut self, length: u64) -> Result<()> {
        match &self.place {
            Some(place) => self.to.continue_at(length).map_err(|e| cannot_write(&place.part, &e)),
            None => Ok(()),
        }
    }

    /// Reads what an earlier process left in the part, from its beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn content(&mut self) -> Result<impl BufRead + '_> {
        let unreadable = |e: io::Error| Error::input(format!("cannot read: {e}"));
        let (path, to) = (&self.path, &mut self.to);
        to.read().map_err(|e| unreadable(e).in_file(part_of(path)))
    }

    /// Whether the part is kept when this value is dropped, or removed.
    pub fn retain(&mut self, keeps: bool) {
        if let Some(place) = &mut self.place {
            place.removes = !keeps;
        }
    }

    /// Bytes of whole lines that are in the part.
    pub fn whole_bytes(&self) -> u64 {
        self.to.whole_bytes()
    }

    /// Appends one line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn line(&mut self, line: &str) -> Result<()> {
        // In one piece with its end: a process that is killed leaves whole lines.
        self.lines(&format!("{line}\n"))
    }

    /// Appends a text of whole lines. A stream gets it immediately.
    ///
    /// # Errors
    /// The file cannot be written; for a stream that nobody reads any more, [`ErrorKind::Closed`].
    pub fn lines(&mut self, text: &str) -> Result<()> {
        let written = self.to.write_all(text.as_bytes());
        let flushed = written.and_then(|()| if self.is_stream() { self.to.flush() } else { Ok(()) });
        flushed.map_err(|e| self.failed(&e))
    }

    /// Writes what waits in memory.
    ///
    /// # Errors
    /// As [`PartFile::lines`].
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|e| self.failed(&e))
    }

    /// Attaches a short text to the file, which stays with it until it is replaced; see [`mark_of`]. Returns whether
    /// the file system keeps such texts.
    pub fn mark(&self, text: &str) -> bool {
        self.place.is_some() && mark::write(self.to.as_file(), text)
    }

    /// Leaves the part where it is, with everything that was written so far.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(mut self) -> Result<()> {
        self.retain(true);
        self.flush()
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// The file cannot be written or moved; then it is removed unless it is to be kept.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        if let Some(place) = &mut self.place {
            fs::rename(&place.part, &self.path).map_err(|e| cannot_write(&self.path, &e))?;
            place.removes = false;
        }
        Ok(())
    }

    fn failed(&self, cause: &io::Error) -> Error {
        match cause.kind() {
            io::ErrorKind::BrokenPipe if self.is_stream() => {
                Error::new(ErrorKind::Closed, "nobody reads the output any more").in_file(&self.path)
            }
            _ => cannot_write(self.place.as_ref().map_or(&self.path, |place| &place.part), cause),
        }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if let Some(Place { part, removes: true, folders, .. }) = &self.place {
            // It may be gone already: nothing depends on it.
            let _ = fs::remove_file(part);
            // A folder is removed only if it is still empty.
            let _ = folders.iter().try_for_each(fs::remove_dir);
        }
    }
}

/// An exclusive claim on a folder or a group of files: a locked file that exists as long as this value.
#[derive(Debug)]
pub struct Claim(#[expect(dead_code, reason = "it is dropped with the claim")] PartFile);

impl Claim {
    /// Creates and locks the file `path`, and makes its folder.
    ///
    /// # Errors
    /// Another process has the claim ([`ErrorKind::Busy`]), or the file cannot be made.
    pub fn new(path: &Path) -> Result<Self> {
        let mut file = PartFile::open_as(path, path.to_path_buf())?;
        // A process that was killed may have left it.
        file.retain(false);
        Ok(Self(file))
    }
}

/// The file that an output grows in: `NAME.part`.
pub fn part_of(path: &Path) -> PathBuf {
    with_suffix(path, ".part")
}

/// A path with a suffix after its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

/// Whether a path names a pipe or a character device, which is written directly.
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

#[cfg(not(windows))]
fn duplicate_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn duplicate_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

fn refuse_folders_and_the_like(places: [&Path; 2]) -> Result<()> {
    match places.into_iter().find(|place| fs::metadata(place).is_ok_and(|m| !m.is_file())) {
        Some(place) => Err(Error::usage("cannot write: it is not a file").in_file(place).remedy("choose another name")),
        None => Ok(()),
    }
}

/// Refuses an output that another process is writing, before there is any work. [`PartFile::open`] does so, too, and
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

/// Writes a file as `fill` does, whole or not at all.
///
/// # Errors
/// As [`PartFile::create`] and [`PartFile::finish`]. An error of `fill` is returned as it is.
pub fn write(path: &Path, fill: impl FnOnce(&mut Writer) -> Result<()>) -> Result<()> {
    let mut file = PartFile::create(path)?;
    fill(&mut file.to)?;
    file.finish()
}

/// Replaces a small file in one step, without a lock of its own.
///
/// # Errors
/// It cannot be written; then the old one is unchanged.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    refuse_input(path)?;
    let new = with_suffix(path, ".new");
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.map_err(|e| {
        // The error that counts is the first one.
        let _ = fs::remove_file(&new);
        cannot_write(path, &e)
    })
}

/// The text that [`PartFile::mark`] attached to a file, as far as the file system keeps such texts.
pub fn mark_of(file: &File) -> Option<String> {
    mark::read(file)
}

/// Whether the lock of an output is a file that a process, perhaps one that was killed, has made: see
/// [`PartFile::open`].
pub(crate) fn has_lock_file(path: &Path) -> bool {
    lock::marker_of(&part_of(path)).exists()
}

/// Receives warnings about outputs.
static REPORT: OnceLock<fn(&str)> = OnceLock::new();

/// Sets what reports a warning about outputs to the user. Only the first call counts; without it warnings are dropped.
pub fn on_warning(report: fn(&str)) {
    // A second call changes nothing.
    let _ = REPORT.set(report);
}

/// Warns the first time that it is called.
fn warn_once(message: &str) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if let Some(report) = REPORT.get()
        && !WARNED.swap(true, Ordering::Relaxed)
    {
        report(message);
    }
}

/// The error of a file that cannot be written.
fn cannot_write(path: &Path, cause: &io::Error) -> Error {
    Error::new(ErrorKind::Output, format!("cannot write: {cause}")).in_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/file.txt");
        write(&path, |w| w.write_all(b"old").map_err(|e| Error::input(e.to_string()))).unwrap();
        let failed = write(&path, |w| {
            w.write_all(b"half").map_err(|e| Error::input(e.to_string()))?;
            Err(Error::usage("stop"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "stop");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn folders_made_for_a_file_go_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/file.txt");
        drop(PartFile::create(&path).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut file = PartFile::create(&path).unwrap();
        fs::write(folder.path().join("a/other"), b"").unwrap();
        file.lines("one\ntwo\n").unwrap();
        drop(file);
        assert!(folder.path().join("a/other").is_file() && !folder.path().join("a/b").exists());
        let mut file = PartFile::create(&path).unwrap();
        file.lines("one\ntwo\n").unwrap();
        file.line("three").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
    }

    #[test]
    fn a_part_that_was_kept_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.txt");
        let mut file = PartFile::create(&path).unwrap();
        file.lines("one\ntwo\nthr").unwrap();
        file.keep().unwrap();
        // A process that opens the part and gives up leaves it as it was.
        let mut file = PartFile::open(&path).unwrap();
        assert_eq!(io::read_to_string(file.content().unwrap()).unwrap(), "one\ntwo\nthr");
        drop(file);
        let mut file = PartFile::open(&path).unwrap();
        file.continue_at(8).unwrap();
        file.line("three").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
        drop(PartFile::open(&path).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.txt");
        let mut file = PartFile::create(&path).unwrap();
        file.line("one").unwrap();
        for refused in [PartFile::create(&path), PartFile::open(&path)] {
            let error = refused.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy);
            assert!(error.to_string().contains("file.txt: "), "{error}");
        }
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        PartFile::create(&path).unwrap();
    }

    #[test]
    fn a_claim_is_exclusive_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/set.lock");
        let claim = Claim::new(&path).unwrap();
        assert!(path.is_file());
        assert_eq!(Claim::new(&path).unwrap_err().kind(), ErrorKind::Busy);
        drop(claim);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), b"").unwrap();
        let path = folder.path().join("file/inner.txt");
        let message = write(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("inner.txt"), "{message}");
    }
}
