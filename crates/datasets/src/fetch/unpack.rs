//! Extraction of files from untrusted archives: nothing is written outside a folder, and all sizes are limited.

use crate::manifest::relative;
use firstcontact::error::{Error, Result, foreign, quoted};
use firstcontact::io::output::record_input;
use flate2::bufread::DeflateDecoder;
use rawzip::CompressionMethod;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Limits on an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Total size of all unpacked files, bytes, including files that are not extracted but must be read.
    pub bytes: u64,
    /// Number of entries.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 4 << 30, entries: 100_000 }
    }
}

/// Extracts files from an archive (`.zip`, `.whl`, `.tar`, `.tar.gz`, `.tgz`, `.tar.bz2`) into `folder`. For each entry
/// whose path begins with the first part of an item of `take`, that part is replaced by the second part. Returns the
/// paths.
///
/// # Errors
/// The archive is damaged or exceeds the limits; an entry to extract is a link or not a file, is outside of the folder,
/// or occurs twice; an item of `take` does not match any entry.
pub fn unpack(archive: &Path, take: &[[String; 2]], folder: &Path, limits: &Limits) -> Result<Vec<String>> {
    let taker = Taker {
        take,
        folder,
        limits,
        left: limits.bytes,
        entries: 0,
        taken: Vec::new(),
        used: vec![false; take.len()],
    };
    taker.run(archive).map_err(|e| e.in_file(archive))
}

/// Reads the files of a tar archive whose paths `wanted` accepts into memory, in the archive's order.
///
/// # Errors
/// The archive is damaged or exceeds the limits.
pub fn read_tar(archive: &Path, wanted: impl Fn(&str) -> bool, limits: &Limits) -> Result<Vec<(String, Vec<u8>)>> {
    let read = || {
        let mut files = Vec::new();
        each_of_tar(archive, limits, &mut |path, is_file, content| {
            if is_file && wanted(path) {
                let mut bytes = Vec::new();
                content.read_to_end(&mut bytes).map_err(|e| damaged(&e))?;
                files.push((path.to_string(), bytes));
            }
            Ok(())
        })?;
        Ok(files)
    };
    read().map_err(|e: Error| e.in_file(archive))
}

/// The bits of a Unix mode that contain the type of a file, and the value for a regular file.
const FILE_TYPE: u32 = 0o170_000;
const REGULAR_FILE: u32 = 0o100_000;

struct Taker<'a> {
    take: &'a [[String; 2]],
    folder: &'a Path,
    limits: &'a Limits,
    left: u64,
    entries: usize,
    taken: Vec<String>,
    used: Vec<bool>,
}

impl Taker<'_> {
    fn run(mut self, archive: &Path) -> Result<Vec<String>> {
        let name = archive.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if name.ends_with(".zip") || name.ends_with(".whl") {
            self.zip(archive)?;
        } else {
            let limits = *self.limits;
            each_of_tar(archive, &limits, &mut |path, is_file, content| self.entry(path, is_file, content))?;
        }
        match self.used.iter().position(|used| !used) {
            Some(i) => Err(Error::input(format!("it contains nothing under {}", quoted(&self.take[i][0])))),
            None => Ok(self.taken),
        }
    }

    fn zip(&mut self, archive: &Path) -> Result<()> {
        let file = File::open(archive).map_err(|e| damaged(&e))?;
        let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let zip = rawzip::ZipArchive::from_file(file, &mut buffer).map_err(|e| damaged(&e))?;
        let mut entries = zip.entries(&mut buffer);
        let mut n = 0;
        while let Some(entry) = entries.next_entry().map_err(|e| damaged(&e))? {
            n += 1;
            if n > self.limits.entries {
                return Err(too_many(self.limits));
            }
            if entry.is_dir() {
                continue;
            }
            let path = entry.file_path();
            let path = std::str::from_utf8(path.as_bytes()).map_err(|e| damaged(&e))?;
            let is_file = entry.mode().value() & FILE_TYPE == REGULAR_FILE && !entry.flags().is_encrypted();
            let content = zip.get_entry(entry.wayfinder()).map_err(|e| damaged(&e))?;
            let raw = BufReader::new(content.reader());
            match entry.compression_method() {
                CompressionMethod::STORE => self.entry(path, is_file, &mut content.verifying_reader(raw))?,
                CompressionMethod::DEFLATE => {
                    self.entry(path, is_file, &mut content.verifying_reader(DeflateDecoder::new(raw)))?;
                }
                other => return Err(damaged(&format!("compression method {} is not supported", other.as_u16()))),
            }
        }
        if n as u64 == zip.entries_hint() { Ok(()) } else { Err(damaged(&"it has fewer entries than it declares")) }
    }

    fn entry(&mut self, path: &str, is_file: bool, content: &mut dyn Read) -> Result<()> {
        let rule = self.take.iter().position(|[from, _]| path.starts_with(from.as_str()));
        let Some(rule) = rule else { return Ok(()) };
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(too_many(self.limits));
        }
        let at = |e: Error| e.at(format!("entry {}", quoted(path)));
        if !is_file {
            return Err(at(Error::input("it is a link or not a regular file")));
        }
        relative(path).map_err(at)?;
        let [from, to] = &self.take[rule];
        let place = format!("{to}{}", path.get(from.len()..).unwrap_or_default());
        relative(&place).map_err(at)?;
        let file = self.folder.join(&place);
        let mut write = || {
            fs::create_dir_all(file.parent().unwrap_or(self.folder))?;
            // A file that already exists is another entry with the same name.
            let mut out = fs::OpenOptions::new().write(true).create_new(true).open(&file)?;
            io::copy(&mut content.take(self.left.saturating_add(1)), &mut out)
        };
        let n = write().map_err(|e| at(damaged(&e)))?;
        self.left = self.left.checked_sub(n).ok_or_else(|| at(too_large(self.limits)))?;
        self.used[rule] = true;
        self.taken.push(place);
        Ok(())
    }
}

/// Passes each entry of a tar archive that is not a folder to `see`: its path, true if it is a file, and its content.
fn each_of_tar(
    archive: &Path,
    limits: &Limits,
    see: &mut dyn FnMut(&str, bool, &mut dyn Read) -> Result<()>,
) -> Result<()> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    record_input(archive);
    let file = BufReader::new(File::open(archive).map_err(|e| damaged(&e))?);
    let stream: Box<dyn Read> = if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        Box::new(flate2::bufread::MultiGzDecoder::new(file))
    } else if name.ends_with(".tar.bz2") {
        Box::new(bzip2::bufread::MultiBzDecoder::new(file))
    } else if name.ends_with(".tar") {
        Box::new(file)
    } else {
        return Err(Error::input("unknown archive format: zip, whl, tar, tar.gz, tgz, tar.bz2"));
    };
    // A tar has a header and some padding for each file; long names take more space, up to a limit.
    let most = limits.bytes.saturating_add(2048 * limits.entries as u64);
    let mut tar = tar::Archive::new(Bounded { stream, left: most });
    for (i, entry) in tar.entries().map_err(|e| damaged(&e))?.enumerate() {
        if i >= limits.entries {
            return Err(too_many(limits));
        }
        let mut entry = entry.map_err(|e| damaged(&e))?;
        let kind = entry.header().entry_type();
        // Skips extended headers without a file, such as the commit of a git archive.
        if kind.is_dir() || kind.is_pax_global_extensions() {
            continue;
        }
        let path = entry.path_bytes();
        let path = std::str::from_utf8(&path).map_err(|e| damaged(&e))?;
        let path = path.strip_prefix("./").unwrap_or(path).to_string();
        see(&path, kind.is_file(), &mut entry)?;
    }
    Ok(())
}

/// A stream that fails after a number of bytes.
struct Bounded<R> {
    stream: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buffer)?;
        self.left =
            self.left.checked_sub(n as u64).ok_or_else(|| io::Error::other("it unpacks to more than is allowed"))?;
        Ok(n)
    }
}

fn damaged(cause: &dyn std::fmt::Display) -> Error {
    Error::input(format!("it cannot be unpacked: {}", foreign(cause)))
}

fn too_many(limits: &Limits) -> Error {
    Error::input(format!("it has more than {} entries", limits.entries))
}

fn too_large(limits: &Limits) -> Error {
    Error::input(format!("it unpacks to more than {} bytes", limits.bytes))
}
