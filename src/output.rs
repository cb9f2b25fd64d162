//! Files that are there whole or not at all: written beside their place, then moved.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that grows beside its place as `NAME.part`, which is removed unless the file is finished or kept.
#[derive(Debug)]
pub struct PartFile {
    path: PathBuf,
    part: PathBuf,
    to: BufWriter<File>,
    /// Whether the part goes when this value does, …
    removes: bool,
    /// … and the folders that were made for it, innermost first.
    folders: Vec<PathBuf>,
}

impl PartFile {
    /// Starts the file, and makes its folder.
    ///
    /// # Errors
    /// The file cannot be made, or what is there is no file: a device or a pipe would be gone if a file were moved there.
    pub fn create(path: &Path) -> Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let new = folder.into_iter().flat_map(Path::ancestors).take_while(|f| !f.as_os_str().is_empty() && !f.exists());
        let folders: Vec<PathBuf> = new.map(Path::to_path_buf).collect();
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|e| cannot_write(path, &e))?;
        }
        let part = part_of(path);
        refuse_what_is_no_file([path, &part])?;
        let file = File::create(&part).map_err(|e| cannot_write(&part, &e))?;
        Ok(Self { path: path.to_path_buf(), part, to: BufWriter::new(file), removes: true, folders })
    }

    /// Goes on with a part that was kept, after its first `length` bytes.
    ///
    /// # Errors
    /// The part is not there or cannot be written, or there is something in the file's place that is no file.
    pub fn resume(path: &Path, length: u64) -> Result<Self> {
        let part = part_of(path);
        refuse_what_is_no_file([path, &part])?;
        let open = || {
            let file = fs::OpenOptions::new().append(true).open(&part)?;
            file.set_len(length).map(|()| file)
        };
        let file = open().map_err(|e| cannot_write(&part, &e))?;
        Ok(Self { path: path.to_path_buf(), part, to: BufWriter::new(file), removes: false, folders: Vec::new() })
    }

    /// Appends one line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn line(&mut self, line: &str) -> Result<()> {
        // At once, with its end: what a kill leaves are whole lines.
        self.lines(&format!("{line}\n"))
    }

    /// Appends a text of whole lines.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn lines(&mut self, text: &str) -> Result<()> {
        self.to.write_all(text.as_bytes()).map_err(|e| cannot_write(&self.part, &e))
    }

    /// Leaves the part where it is, with all that was written so far.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(mut self) -> Result<()> {
        self.removes = false;
        self.to.flush().map_err(|e| cannot_write(&self.part, &e))
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// The file cannot be written or moved; then it is removed.
    pub fn finish(mut self) -> Result<()> {
        self.to.flush().map_err(|e| cannot_write(&self.part, &e))?;
        fs::rename(&self.part, &self.path).map_err(|e| cannot_write(&self.path, &e))?;
        self.removes = false;
        Ok(())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if self.removes {
            // It may be gone already: nothing depends on it.
            let _ = fs::remove_file(&self.part);
            // A folder goes only if nothing else came into it.
            let _ = self.folders.iter().try_for_each(fs::remove_dir);
        }
    }
}

/// Where a file grows: `NAME.part`.
pub fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_os_string();
    part.push(".part");
    part.into()
}

fn refuse_what_is_no_file(places: [&Path; 2]) -> Result<()> {
    match places.into_iter().find(|place| fs::metadata(place).is_ok_and(|m| !m.is_file())) {
        Some(place) => Err(Error::usage("cannot write: it is no file").in_file(place).remedy("choose another name")),
        None => Ok(()),
    }
}

/// Whether two names are of the same file, which need not be there.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
        folder.ok().map(|folder| folder.join(path.file_name().unwrap_or_default()))
    };
    a == b || whole(a).is_some_and(|a| whole(b).is_some_and(|b| a == b))
}

/// Writes a file as `fill` does, whole or not at all.
///
/// # Errors
/// The folder cannot be made, or the file cannot be written or moved. An error of `fill` comes back as it is.
pub fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut file = PartFile::create(path)?;
    fill(&mut file.to)?;
    file.finish()
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
    fn a_part_that_was_kept_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.txt");
        let mut file = PartFile::create(&path).unwrap();
        file.lines("one\ntwo\nthr").unwrap();
        file.keep().unwrap();
        // Whatever comes of going on, what was kept stays.
        drop(PartFile::resume(&path, 8).unwrap());
        let mut file = PartFile::resume(&path, 8).unwrap();
        file.line("three").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
        assert!(PartFile::resume(&path, 0).is_err() && fs::read_dir(folder.path()).unwrap().count() == 1);
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
