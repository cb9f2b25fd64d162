//! Certificates as files, which are written whole or not at all.

use crate::place::Place;
use firstcontact::Result;
use firstcontact::certificate::{CertificateWriter, Prover};
use firstcontact::io::output::AtomicFile;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Opens a new file.
type Create = fn(&Path) -> Result<AtomicFile>;

/// Writes the certificates of a range of motions into a file, or into the files of a folder.
#[derive(Debug)]
pub struct Writer {
    place: Place,
    create: Create,
    /// Number of the next motion.
    next: usize,
    /// The path and the content of the file that is being written.
    open: (PathBuf, CertificateWriter<AtomicFile>),
    /// The beginning of each file.
    header: Vec<u8>,
}

impl Writer {
    /// Begins the first file for motions with these numbers.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(place: Place, prover: &Prover, numbers: &Range<usize>, create: Create) -> Result<Self> {
        let header = prover.header()?;
        let open = begin(place.file_of(numbers.start), create, &header)?;
        Ok(Self { place, create, next: numbers.start, open, header })
    }

    /// Writes the certificate of the next motion, or that it has none.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn push(&mut self, certificate: Option<&[u8]>) -> Result<()> {
        let path = self.place.file_of(self.next);
        if path != self.open.0 {
            let next = begin(path, self.create, &self.header)?;
            end(std::mem::replace(&mut self.open, next))?;
        }
        let (path, open) = &mut self.open;
        open.push(certificate).map_err(|e| e.in_file(&*path))?;
        self.next += 1;
        Ok(())
    }

    /// Ends the last file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<()> {
        end(self.open)
    }
}

fn begin(path: PathBuf, create: Create, header: &[u8]) -> Result<(PathBuf, CertificateWriter<AtomicFile>)> {
    let writer = CertificateWriter::new(create(&path)?, header).map_err(|e| e.in_file(&path))?;
    Ok((path, writer))
}

fn end((path, writer): (PathBuf, CertificateWriter<AtomicFile>)) -> Result<()> {
    writer.finish().and_then(AtomicFile::finish).map_err(|e| e.in_file(path))
}
