//! Robot, scene, motions and statement as files for other verifiers.

use crate::files::{Paths, Subject};
use crate::subject;
use firstcontact::io::output::AtomicFile;
use firstcontact::{Error, ErrorKind, Result};
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};

/// Motions that are in memory together.
const BATCH: usize = 4096;

impl Subject {
    /// Writes the verifier's input into a folder: `robot.bin`, `scene.bin` and `motions.bin`, whose bytes are
    /// those that FORMAT.md hashes, and `statement.json`.
    ///
    /// # Errors
    /// A file cannot be written, or a motion cannot be read.
    pub fn export(&self, folder: &Path, paths: &Paths) -> Result<()> {
        write(folder.join("robot.bin"), |out| self.robot.write(out))?;
        write(folder.join("scene.bin"), |out| self.scene.write(out))?;
        let path = folder.join("motions.bin");
        let mut out = AtomicFile::create(&path)?;
        for first in paths.numbers.clone().step_by(BATCH) {
            for motion in (paths.read)(first..(first + BATCH).min(paths.numbers.end))? {
                subject::motion(&motion).write(&mut out).map_err(|e| unwritable(&path, &e))?;
            }
        }
        out.finish()?;
        let statement = json!({
            "link_pairs": self.statement.link_pairs,
            "excluded": self.statement.excluded,
            "margin_m": self.statement.margin_m,
            "joint_tolerance": self.statement.joint_tolerance,
        });
        let mut out = AtomicFile::create(&folder.join("statement.json"))?;
        out.line(&statement.to_string())?;
        out.finish()
    }
}

fn write(path: PathBuf, content: impl FnOnce(&mut AtomicFile) -> io::Result<()>) -> Result<()> {
    let mut out = AtomicFile::create(&path)?;
    content(&mut out).map_err(|e| unwritable(&path, &e))?;
    out.finish()
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Output, format!("it cannot be written: {error}")).in_file(path)
}
