//! Files that are there whole or not at all.

use crate::error::{Result, input_error};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place and moves it there when it is complete.
///
/// # Errors
/// The folder cannot be made, or the file cannot be written or moved; what was written is removed again. An error of
/// `fill` comes back as it is.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let trouble = input_error(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| trouble(&e))?;
    }
    let part = beside(path);
    let mut writer = BufWriter::new(File::create(&part).map_err(|e| trouble(&e))?);
    let written = fill(&mut writer).and_then(|()| {
        writer.flush().map_err(|e| trouble(&e))?;
        fs::rename(&part, path).map_err(|e| trouble(&e))
    });
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
    }
    written
}

/// The name that the file has until it is complete.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".part");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

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
