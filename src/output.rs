//! Files that are there whole or not at all: written beside their place, then moved.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that grows beside its place as `NAME.part`. It stays there until it is finished or discarded.
#[derive(Debug)]
pub struct PartFile {
    path: PathBuf,
    part: PathBuf,
    to: BufWriter<File>,
}

impl PartFile {
    /// Starts the file, and makes its folder.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| cannot_write(path, &e))?;
        }
        let mut part = path.as_os_str().to_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(|e| cannot_write(&part, &e))?;
        Ok(Self { path: path.to_path_buf(), part, to: BufWriter::new(file) })
    }

    /// Appends one line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn line(&mut self, line: &str) -> Result<()> {
        writeln!(self.to, "{line}").map_err(|e| cannot_write(&self.part, &e))
    }

    /// Makes what was written so far visible to other programs.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|e| cannot_write(&self.part, &e))
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// The file cannot be written or moved; then it is removed.
    pub fn finish(mut self) -> Result<()> {
        let done =
            self.flush().and_then(|()| fs::rename(&self.part, &self.path).map_err(|e| cannot_write(&self.path, &e)));
        if done.is_err() {
            self.discard();
        }
        done
    }

    /// Removes the file.
    pub fn discard(self) {
        // It may be gone already: nothing depends on it.
        let _ = fs::remove_file(&self.part);
    }
}

/// Writes a file as `fill` does, whole or not at all.
///
/// # Errors
/// The folder cannot be made, or the file cannot be written or moved. An error of `fill` comes back as it is.
pub fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut file = PartFile::create(path)?;
    match fill(&mut file.to) {
        Ok(()) => file.finish(),
        Err(error) => {
            file.discard();
            Err(error)
        }
    }
}

/// The error of a file that cannot be written.
fn cannot_write(path: &Path, cause: &io::Error) -> Error {
    Error::usage(format!("cannot write: {cause}")).in_file(path)
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
    fn an_error_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), b"").unwrap();
        let path = folder.path().join("file/inner.txt");
        let message = write(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("inner.txt"), "{message}");
    }
}
