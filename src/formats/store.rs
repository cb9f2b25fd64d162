//! Bytes with random access: a file, or memory.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// Bytes on disk or in memory. Reading keeps no position, so readers do not disturb each other.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// A file, which stays open: another file under its name changes nothing.
    File(Arc<File>),
    /// Bytes in memory.
    Memory(Arc<[u8]>),
}

impl Store {
    /// Reads bytes from `offset` on, at most as many as fit into `to`; returns 0 at the end.
    pub fn read_at(&self, to: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::File(file) => loop {
                match read_at(file, to, offset) {
                    Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                    read => return read,
                }
            },
            Self::Memory(bytes) => {
                let at = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let n = to.len().min(bytes.len() - at);
                to[..n].copy_from_slice(&bytes[at..at + n]);
                Ok(n)
            }
        }
    }

    /// Fills `to` with the bytes from `offset` on.
    pub fn read_exact_at(&self, to: &mut [u8], offset: u64) -> io::Result<()> {
        StoreReader { store: self, at: offset }.read_exact(to)
    }

    /// A reader that begins at `offset`.
    pub fn reader(&self, offset: u64) -> StoreReader<'_> {
        StoreReader { store: self, at: offset }
    }
}

impl rawzip::ReaderAt for Store {
    fn read_at(&self, to: &mut [u8], offset: u64) -> io::Result<usize> {
        Self::read_at(self, to, offset)
    }
}

/// Reads a [`Store`] from a given position on.
#[derive(Debug)]
pub(super) struct StoreReader<'s> {
    store: &'s Store,
    at: u64,
}

impl Read for StoreReader<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.store.read_at(to, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

#[cfg(unix)]
fn read_at(file: &File, to: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, to, offset)
}

#[cfg(windows)]
fn read_at(file: &File, to: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, to, offset)
}

/// Without positioned reads the position is moved first; these systems have no threads that could move it in between.
#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, to: &mut [u8], offset: u64) -> io::Result<usize> {
    io::Seek::seek(&mut file, io::SeekFrom::Start(offset))?;
    file.read(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_and_memory_are_read_alike() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        for store in [Store::File(Arc::new(file)), Store::Memory(bytes.into())] {
            let mut some = [0; 4];
            store.read_exact_at(&mut some, 200).unwrap();
            assert_eq!(some, [200, 201, 202, 203]);
            assert_eq!(store.read_at(&mut some, 254).unwrap(), 2);
            assert_eq!(store.read_at(&mut some, 256).unwrap(), 0);
            assert!(store.read_exact_at(&mut some, 254).is_err());
            assert_eq!(store.read_at(&mut some, 1 << 60).unwrap(), 0);
            let mut rest = Vec::new();
            store.reader(253).read_to_end(&mut rest).unwrap();
            assert_eq!(rest, [253, 254, 255]);
        }
    }
}
