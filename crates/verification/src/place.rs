//! The place of certificates: one file, or a folder with a file for each block of 4,096 motions.

use firstcontact::{Error, Result};
use firstcontact_verifier::merkle::BLOCK;
use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Extension of the files in a folder.
const EXTENSION: &str = "fccert";

/// One file, or a folder with a file for each block of 4,096 motions: `000000.fccert`, `000001.fccert`, ….
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// All certificates in one file.
    File(PathBuf),
    /// A file for each block.
    Folder(PathBuf),
}

impl Place {
    /// A folder if the path is an existing one or ends with a separator, otherwise a file.
    pub fn new(path: &Path) -> Self {
        let last = path.as_os_str().as_encoded_bytes().last();
        let ends_as_folder = last.is_some_and(|last| std::path::is_separator(char::from(*last)));
        match ends_as_folder || path.is_dir() {
            true => Self::Folder(path.to_path_buf()),
            false => Self::File(path.to_path_buf()),
        }
    }

    /// The file with the certificate of a motion.
    pub fn file_of(&self, motion: usize) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Folder(path) => path.join(format!("{:06}.{EXTENSION}", motion / BLOCK)),
        }
    }

    /// The motions of each file; one file even without motions.
    pub(crate) fn parts(&self, numbers: &Range<usize>) -> Vec<Range<usize>> {
        let Range { start, end } = *numbers;
        if matches!(self, Self::File(_)) || start == end {
            return Vec::from([numbers.clone()]);
        }
        let blocks = start / BLOCK..end.div_ceil(BLOCK);
        blocks.map(|block| (block * BLOCK).max(start)..((block + 1) * BLOCK).min(end)).collect()
    }

    /// A file of certificates in the folder that a run of `n` motions does not have.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn other(&self, n: usize) -> Result<Option<PathBuf>> {
        let Self::Folder(folder) = self else { return Ok(None) };
        if !folder.exists() {
            return Ok(None);
        }
        let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(folder);
        let own: HashSet<PathBuf> = self.parts(&(0..n)).iter().map(|part| self.file_of(part.start)).collect();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) && !own.contains(&path) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_a_file_for_each_block() {
        let parts = |place: &Place, numbers: Range<usize>| {
            place.parts(&numbers).iter().map(|part| (part.start, part.end)).collect::<Vec<_>>()
        };
        let folder = Place::new(Path::new("no/such/folder/"));
        assert_eq!(folder, Place::Folder("no/such/folder/".into()));
        assert_eq!(folder.file_of(4095), Path::new("no/such/folder/000000.fccert"));
        assert_eq!(folder.file_of(4096), Path::new("no/such/folder/000001.fccert"));
        assert_eq!(parts(&folder, 0..8193), [(0, 4096), (4096, 8192), (8192, 8193)]);
        assert_eq!(parts(&folder, 4096..8192), [(4096, 8192)]);
        assert_eq!(parts(&folder, 0..0), [(0, 0)]);
        let file = Place::new(Path::new("no/such/file"));
        assert_eq!(file, Place::File("no/such/file".into()));
        assert_eq!(parts(&file, 0..8193), [(0, 8193)]);
        assert_eq!(file.other(8193).unwrap(), None);
    }
}
