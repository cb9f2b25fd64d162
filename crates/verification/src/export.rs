//! Robot, scene, motions and statement as files for other verifiers.

use crate::files::{Paths, Subject};
use crate::subject;
use firstcontact::io::output::AtomicFile;
use firstcontact::{Error, ErrorKind, Result};
use serde_json::json;
use std::io::{self, Write};
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
        // All files are opened before any is written, so that nothing remains if one is refused.
        let [mut robot, mut scene] = [Output::create(folder, "robot.bin")?, Output::create(folder, "scene.bin")?];
        let [mut motions, mut statement] =
            [Output::create(folder, "motions.bin")?, Output::create(folder, "statement.json")?];
        robot.write(|out| self.robot.write(out))?;
        scene.write(|out| self.scene.write(out))?;
        for first in paths.numbers.clone().step_by(BATCH) {
            for motion in (paths.read)(first..(first + BATCH).min(paths.numbers.end))? {
                motions.write(|out| subject::motion(&motion).write(out))?;
            }
        }
        let text = json!({
            "link_pairs": self.statement.link_pairs,
            "excluded": self.statement.excluded,
            "margin_m": self.statement.margin_m,
            "joint_tolerance": self.statement.joint_tolerance,
        });
        statement.write(|out| writeln!(out, "{text}"))?;
        [robot, scene, motions, statement].into_iter().try_for_each(|output| output.file.finish())
    }
}

/// A file that is being written.
struct Output {
    path: PathBuf,
    file: AtomicFile,
}

impl Output {
    fn create(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        Ok(Self { file: AtomicFile::create(&path)?, path })
    }

    fn write(&mut self, content: impl FnOnce(&mut AtomicFile) -> io::Result<()>) -> Result<()> {
        let unwritable = |e| Error::new(ErrorKind::Output, format!("it cannot be written: {e}")).in_file(&self.path);
        content(&mut self.file).map_err(unwritable)
    }
}
