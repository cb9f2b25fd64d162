//! Files that grow under another name in their folder, and streams.

use crate::error::{Error, ErrorKind, Result};
use crate::io::output::writer::Writer;
use crate::io::output::{cannot_write, is_stream, lock, mark, part_of, refuse_input};
use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

/// A file that grows as `NAME.part` while this process holds the lock on it, or a stream. The part is removed when this
/// value is dropped, unless it is finished or kept.
#[derive(Debug)]
pub struct AtomicFile {
    // Declared before `place`, so that the file is closed before the lock ends or the marker is removed.
    pub(super) to: Writer,
    /// `None` for a stream.
    place: Option<Place>,
    /// Path of the output for messages.
    path: PathBuf,
}

#[derive(Debug)]
struct Place {
    part: PathBuf,
    /// Length of the part when it was opened.
    found_bytes: u64,
    /// Removes the part on drop.
    removes: bool,
    /// Folders that were created for the file, innermost first.
    folders: Vec<PathBuf>,
    _guard: lock::Guard,
}

impl AtomicFile {
    /// Starts an empty file, and creates its folder.
    ///
    /// # Errors
    /// As [`AtomicFile::open`].
    pub fn create(path: &Path) -> Result<Self> {
        let mut file = Self::open(path)?;
        file.restart().map(|()| file)
    }

    /// Opens and locks the part of a file, with the content that an earlier process may have left in it, and creates
    /// its folder. A pipe or a device is opened as a stream.
    ///
    /// # Errors
    /// Another process writes this file ([`ErrorKind::Busy`]); the file is an input (see
    /// [`protect_inputs`](super::protect_inputs)); it cannot be created; or the path is not a regular file.
    pub fn open(path: &Path) -> Result<Self> {
        if is_stream(path) {
            let file = File::options().write(true).open(path).map_err(|e| cannot_write(path, &e))?;
            return Ok(Self { to: Writer::stream(file), place: None, path: path.to_path_buf() });
        }
        Self::open_as(path, part_of(path))
    }

    /// Opens the standard output as a stream.
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

    /// Returns whether lines are written directly to a pipe or a device: there is no part, so nothing can be kept or
    /// continued.
    pub fn is_stream(&self) -> bool {
        self.to.is_stream()
    }

    /// Returns the number of bytes that an earlier process left in the part.
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

    /// Reads the content that an earlier process left in the part, from its beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn content(&mut self) -> Result<impl BufRead + '_> {
        let unreadable = |e: io::Error| Error::input(format!("cannot read: {e}"));
        let (path, to) = (&self.path, &mut self.to);
        to.read().map_err(|e| unreadable(e).in_file(part_of(path)))
    }

    /// Sets whether the part is kept when this value is dropped, or removed.
    pub fn retain(&mut self, keeps: bool) {
        if let Some(place) = &mut self.place {
            place.removes = !keeps;
        }
    }

    /// Returns the number of bytes of whole lines that are in the part.
    pub fn whole_bytes(&self) -> u64 {
        self.to.whole_bytes()
    }

    /// Appends one line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn line(&mut self, line: &str) -> Result<()> {
        // Written together with its line end: a process that is killed leaves whole lines.
        self.lines(&format!("{line}\n"))
    }

    /// Appends a text of whole lines. A stream gets it immediately.
    ///
    /// # Errors
    /// The file cannot be written; for a stream whose reader has closed it, [`ErrorKind::Closed`].
    pub fn lines(&mut self, text: &str) -> Result<()> {
        let written = self.to.write_all(text.as_bytes());
        let flushed = written.and_then(|()| if self.is_stream() { self.to.flush() } else { Ok(()) });
        flushed.map_err(|e| self.failed(&e))
    }

    /// Writes the bytes that are still buffered.
    ///
    /// # Errors
    /// As [`AtomicFile::lines`].
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|e| self.failed(&e))
    }

    /// Attaches a short text to the file, which remains until the file is replaced; see [`mark_of`](super::mark_of).
    /// Returns whether the file system supports it.
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

    /// Renames the part to the file's own name.
    ///
    /// # Errors
    /// The file cannot be written or moved; the part is then removed unless it should be kept.
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
                Error::new(ErrorKind::Closed, "the reader closed the output").in_file(&self.path)
            }
            _ => cannot_write(self.place.as_ref().map_or(&self.path, |place| &place.part), cause),
        }
    }
}

/// Writes bytes, for binary files.
impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(Place { part, removes: true, folders, .. }) = &self.place {
            // The part may be missing already: nothing depends on it.
            let _ = fs::remove_file(part);
            // A folder is removed only if it is still empty.
            let _ = folders.iter().try_for_each(fs::remove_dir);
        }
    }
}

/// An exclusive claim on a folder or a group of files: a locked file that exists as long as this value.
#[derive(Debug)]
pub struct Claim(#[expect(dead_code, reason = "it is dropped with the claim")] AtomicFile);

impl Claim {
    /// Creates and locks the file `path`, and creates its folder.
    ///
    /// # Errors
    /// Another process has the claim ([`ErrorKind::Busy`]), or the file cannot be created.
    pub fn new(path: &Path) -> Result<Self> {
        let mut file = AtomicFile::open_as(path, path.to_path_buf())?;
        // A process that was killed may have left the file behind.
        file.retain(false);
        Ok(Self(file))
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
