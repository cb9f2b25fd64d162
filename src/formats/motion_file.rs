//! Files of motions, read in portions: an array may contain more motions than fit into memory.

use crate::error::{Error, Result, quoted};
use crate::formats::array::{self, Array};
use crate::formats::csv::CsvMotions;
use crate::formats::store::Store;
use crate::formats::stream::{Stream, peek, read_whole, spool_archive, unreadable};
use crate::formats::{MotionOptions, csv, json};
use crate::io::load::{LoadLimits, bytes_of};
use crate::io::output::record_input;
use crate::robot::{MotionBatch, Robot};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of motions that are read at a time.
const PORTION: usize = 4096;
/// Maximum number of bytes of the motions that are read at a time.
const PORTION_BYTES: u128 = 64 << 20;

/// The motions of one robot in a file. Arrays stay on disk; `.json` and `.csv` files are kept in memory.
#[derive(Debug)]
pub struct MotionFile<'r> {
    name: PathBuf,
    robot: &'r Robot,
    content: Content,
    /// Number of motions that are used.
    len: usize,
}

#[derive(Debug)]
enum Content {
    Array(Array),
    Read(MotionBatch),
    /// Motions in CSV that nothing but the number of rows separates.
    Counted(MotionBatch),
}

impl From<CsvMotions> for Content {
    fn from(CsvMotions { motions, are_counted }: CsvMotions) -> Self {
        if are_counted { Self::Counted(motions) } else { Self::Read(motions) }
    }
}

impl Content {
    fn len(&self) -> usize {
        match self {
            Self::Array(array) => array.len(),
            Self::Read(motions) | Self::Counted(motions) => motions.len(),
        }
    }
}

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    Json,
    Csv,
}

impl Format {
    /// Number of bytes that [`Format::of_content`] inspects.
    pub const N_PEEKED: u64 = 1024;

    /// The format for a file name; `None` without an extension.
    pub fn of_name(path: &Path) -> Result<Option<Self>> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "" => Ok(None),
            "npy" => Ok(Some(Self::Npy)),
            "npz" => Ok(Some(Self::Npz)),
            "json" => Ok(Some(Self::Json)),
            "csv" => Ok(Some(Self::Csv)),
            other => {
                let message = format!("{} is not a motion file format", quoted(other));
                Err(Error::input(message).remedy("motions are .npy, .npz, .json or .csv"))
            }
        }
    }

    /// The format of the content, detected from its first bytes.
    pub fn of_content(first: &[u8]) -> Result<Self> {
        let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
        match text.first() {
            _ if first.starts_with(array::MAGIC) => Ok(Self::Npy),
            // The first file of an archive, or the end of one without files.
            _ if first.starts_with(b"PK\x03\x04") || first.starts_with(b"PK\x05\x06") => Ok(Self::Npz),
            Some(b'{' | b'[') => Ok(Self::Json),
            Some(_) if !first.contains(&0) => Ok(Self::Csv),
            None => Err(Error::input("it is empty").remedy("motions are .npy, .npz, .json or .csv")),
            Some(_) => Err(Error::input("its content is neither .npy, .npz, .json nor .csv")),
        }
    }
}

impl MotionBatch {
    /// Reads a whole file; [`MotionFile::open`] lists the formats.
    ///
    /// # Errors
    /// The file is missing, malformed, of another type or shape, lacks a joint, does not fit the limits, or contains
    /// motions that [`MotionBatch::check`] rejects.
    pub fn load(path: impl AsRef<Path>, robot: &Robot, options: &MotionOptions) -> Result<Self> {
        MotionFile::open(path, robot, options)?.read_all(&options.limits)
    }
}

impl<'r> MotionFile<'r> {
    /// Opens a file. Arrays are read later, in portions.
    ///
    /// - `.npy`: an array of shape `(Q, 2, D)` with the robot's columns; any real type of at most 64 bits, C or
    ///   Fortran order.
    /// - `.npz`: such an array with the name `positions`, or the only one; optionally `joint_names`.
    /// - `.json`: `{"joints":["name",…],"motions":[[[start…],[end…]],…]}`.
    /// - `.csv`: a line with the names of the joints, then two rows for each motion; or a column `trajectory` whose
    ///   value is the same in the rows of a motion.
    ///
    /// The format of a pipe, or of a file without an extension, is detected from its content.
    ///
    /// # Errors
    /// The file is missing or malformed, of another type or shape, lacks a joint for which the options have no value,
    /// or the data that must be in memory does not fit the limits.
    pub fn open(path: impl AsRef<Path>, robot: &'r Robot, options: &MotionOptions) -> Result<Self> {
        let path = path.as_ref();
        let content = open(path, robot, options).map_err(|e| e.in_file(path))?;
        Ok(Self::new(path.to_path_buf(), robot, content))
    }

    /// Reads a stream of any format that [`MotionFile::open`] reads, detected from its content. Large arrays are kept
    /// in an unnamed temporary file. `name` is for messages.
    ///
    /// # Errors
    /// As [`MotionFile::open`], or the stream cannot be kept.
    pub fn from_stream(
        mut stream: impl Read,
        name: impl Into<PathBuf>,
        robot: &'r Robot,
        options: &MotionOptions,
    ) -> Result<Self> {
        let name = name.into();
        let content = from_stream(&mut stream, None, robot, options).map_err(|e| e.in_file(&name))?;
        Ok(Self::new(name, robot, content))
    }

    /// Motions in a text that is in memory.
    pub(super) fn from_text(
        is_csv: bool,
        bytes: &[u8],
        name: &Path,
        robot: &'r Robot,
        options: &MotionOptions,
    ) -> Result<Self> {
        let content = match is_csv {
            true => csv::parse(bytes, robot, options).map(Content::from),
            false => json::parse(bytes, robot, options).map(Content::Read),
        };
        Ok(Self::new(name.to_path_buf(), robot, content.map_err(|e| e.in_file(name))?))
    }

    /// Motions in a `.npz` archive of `length` bytes.
    pub(super) fn from_archive(
        archive: Store,
        length: u64,
        name: &Path,
        robot: &'r Robot,
        options: &MotionOptions,
    ) -> Result<Self> {
        let array = Array::in_archive(archive, length, robot, options).map_err(|e| e.in_file(name))?;
        Ok(Self::new(name.to_path_buf(), robot, Content::Array(array)))
    }

    /// The path, or the name of the stream.
    pub fn name(&self) -> &Path {
        &self.name
    }

    fn new(name: PathBuf, robot: &'r Robot, content: Content) -> Self {
        Self { name, robot, len: content.len(), content }
    }

    /// Number of motions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Keeps only the first `n` motions; the others are not read.
    pub fn truncate(&mut self, n: usize) {
        self.len = self.len.min(n);
    }

    /// Returns whether there is no motion.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether the file is a CSV file whose motions are separated only by the number of rows. A single path
    /// through all rows would look the same.
    pub fn has_counted_rows(&self) -> bool {
        matches!(self.content, Content::Counted(_))
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.robot.columns.len()
    }

    /// The motions from number `first` on, in portions of some thousands, each checked as by [`MotionBatch::check`].
    ///
    /// # Errors
    /// None at present. Each portion may itself be an error: the file cannot be read, or a motion does not fit the
    /// robot.
    pub fn portions(&self, first: usize) -> Result<Portions<'_>> {
        Ok(Portions { file: self, next: first })
    }

    /// Some of the motions, checked as by [`MotionBatch::check`].
    ///
    /// # Errors
    /// The file cannot be read, or a motion does not fit the robot.
    pub fn read(&self, range: Range<usize>) -> Result<MotionBatch> {
        let end = range.end.min(self.len());
        let range = range.start.min(end)..end;
        let motions = match &self.content {
            Content::Array(array) => array.read(range.clone(), self.n_columns()),
            Content::Read(motions) | Content::Counted(motions) => Ok(motions.range(range.clone())),
        };
        let checked = motions.and_then(|m| m.check_from(range.start, self.robot).map(|()| m));
        checked.map_err(|e| e.in_file(&self.name))
    }

    /// All motions.
    ///
    /// # Errors
    /// As [`MotionFile::read`], or the motions exceed the limits.
    pub fn read_all(&self, limits: &LoadLimits) -> Result<MotionBatch> {
        let fits = crate::robot::motion_check::check_memory(self.len(), self.n_columns(), limits);
        fits.map_err(|e| e.in_file(&self.name))?;
        self.read(0..self.len())
    }
}

/// Motions of a file, portion after portion.
#[derive(Debug)]
pub struct Portions<'f> {
    file: &'f MotionFile<'f>,
    next: usize,
}

impl Iterator for Portions<'_> {
    type Item = Result<MotionBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let fitting = PORTION_BYTES / (2 * bytes_of::<f64>(self.file.n_columns().max(1)));
        let n = PORTION.min(fitting as usize).max(1);
        let range = self.next..self.file.len().min(self.next.saturating_add(n));
        if range.is_empty() {
            return None;
        }
        self.next = range.end;
        Some(self.file.read(range))
    }
}

fn open(path: &Path, robot: &Robot, options: &MotionOptions) -> Result<Content> {
    let named = Format::of_name(path)?;
    let mut file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(Error::input("it is not a file"));
    }
    if !metadata.is_file() {
        return from_stream(&mut file, named, robot, options);
    }
    record_input(path);
    let (store, length) = (Store::File(Arc::new(file)), metadata.len());
    let format = match named {
        Some(format) => format,
        None => Format::of_content(&peek(&mut store.reader(0), Format::N_PEEKED)?.0)?,
    };
    match format {
        Format::Npy => Array::in_file(store, length, robot, options).map(Content::Array),
        Format::Npz => Array::in_archive(store, length, robot, options).map(Content::Array),
        Format::Json | Format::Csv => {
            options.limits.check(u128::from(length), "its bytes")?;
            text(format, store.reader(0), robot, options)
        }
    }
}

/// Reads a file in a text format.
fn text(format: Format, source: impl Read, robot: &Robot, options: &MotionOptions) -> Result<Content> {
    let bytes = read_whole(source, &options.limits)?;
    match format {
        Format::Csv => csv::parse(&bytes, robot, options).map(Content::from),
        _ => json::parse(&bytes, robot, options).map(Content::Read),
    }
}

/// Reads a stream; its format is detected from its content unless it is given.
fn from_stream(
    source: &mut dyn Read,
    named: Option<Format>,
    robot: &Robot,
    options: &MotionOptions,
) -> Result<Content> {
    let (first, stream): (Vec<u8>, Stream) = peek(source, Format::N_PEEKED)?;
    let format = named.map_or_else(|| Format::of_content(&first), Ok)?;
    match format {
        Format::Npy => Array::in_stream(stream, robot, options).map(Content::Array),
        Format::Npz => {
            let (store, length) = spool_archive(stream, &options.limits)?;
            Array::in_archive(store, length, robot, options).map(Content::Array)
        }
        Format::Json | Format::Csv => text(format, stream, robot, options),
    }
}
