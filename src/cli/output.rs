//! Files that appear whole or not at all: written beside their place, then renamed.

use super::cannot_write;
use firstcontact::Result;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that grows beside its place as `OUT.part`.
#[derive(Debug)]
pub struct PartFile {
    path: PathBuf,
    part: PathBuf,
    to: BufWriter<File>,
}

impl PartFile {
    /// Starts the file.
    pub fn create(path: &Path) -> Result<Self> {
        let mut part = path.as_os_str().to_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(|e| cannot_write(&part, &e))?;
        Ok(Self { path: path.to_path_buf(), part, to: BufWriter::new(file) })
    }

    /// Appends one line.
    pub fn line(&mut self, line: &str) -> Result<()> {
        writeln!(self.to, "{line}").map_err(|e| cannot_write(&self.part, &e))
    }

    /// Makes what was written so far visible to other programs: whole lines only.
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|e| cannot_write(&self.part, &e))
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        std::fs::rename(&self.part, &self.path).map_err(|e| cannot_write(&self.path, &e))
    }

    /// Takes the unfinished file away.
    pub fn discard(self) {
        // It may be gone already: nothing depends on it.
        let _ = std::fs::remove_file(&self.part);
    }
}

/// Writes a whole file.
pub fn write_file(path: &Path, content: &str) -> Result<()> {
    let mut file = PartFile::create(path)?;
    file.line(content)?;
    file.finish()
}
