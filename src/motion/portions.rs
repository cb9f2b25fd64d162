//! A file of motions, read in portions: an array may hold more motions than fit into memory.

use super::Motions;
use super::file::{SEE_COLUMNS, from_json};
use super::npy::{self, Header};
use crate::error::{Error, Result, quoted, shortened};
use crate::load::{LoadLimits, bytes_of, open};
use crate::model::robot::Robot;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Motions that are read at once.
const PORTION: usize = 4096;

/// The motions of one robot in a file. Arrays stay on disk, `.json` is held in memory.
#[derive(Debug)]
pub struct MotionFile<'r> {
    path: PathBuf,
    robot: &'r Robot,
    n_motions: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Array { is_big_endian: bool, data_offset: u64, n_columns: usize },
    Read(Motions),
}

impl<'r> MotionFile<'r> {
    /// Opens a file as [`Motions::load`] does. Of an array only the header is looked at.
    ///
    /// # Errors
    /// The file is missing or malformed, of another type or shape, or a `.json` file does not fit the limits.
    pub fn open(path: impl AsRef<Path>, robot: &'r Robot, limits: &LoadLimits) -> Result<Self> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let opened = match extension.as_str() {
            "npy" => open_array(path, robot, limits),
            "json" => from_json(path, robot, limits).map(|motions| (motions.len(), Content::Read(motions))),
            other => Err(Error::input(format!("{} is no format of motions: .npy or .json", quoted(other)))),
        };
        let (n_motions, content) = opened.map_err(|e| e.in_file(path))?;
        Ok(Self { path: path.to_path_buf(), robot, n_motions, content })
    }

    /// Number of motions.
    pub fn len(&self) -> usize {
        self.n_motions
    }

    /// Whether there is no motion.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        match &self.content {
            Content::Array { n_columns, .. } => *n_columns,
            Content::Read(motions) => motions.n_columns(),
        }
    }

    /// The motions from number `first` on, in portions of some thousands, checked as [`Motions::check`] does.
    ///
    /// # Errors
    /// The file cannot be read; so may each portion say, or that a motion in it does not suit the robot.
    pub fn portions(&self, first: usize) -> Result<Portions<'_>> {
        let source = match &self.content {
            Content::Array { data_offset, n_columns, .. } => {
                let (mut file, _) = open(&self.path)?;
                let at = data_offset + 16 * (first.min(self.n_motions) * n_columns) as u64;
                file.seek(SeekFrom::Start(at)).map_err(|cause| self.unreadable(&cause))?;
                Some(BufReader::with_capacity(1 << 16, file))
            }
            Content::Read(_) => None,
        };
        Ok(Portions { file: self, source, next: first })
    }

    /// Some of the motions, all at once.
    ///
    /// # Errors
    /// As [`MotionFile::portions`].
    pub fn read(&self, range: Range<usize>) -> Result<Motions> {
        self.portions(range.start)?.some(range.len())
    }

    fn unreadable(&self, cause: &std::io::Error) -> Error {
        Error::input(format!("it cannot be read: {cause}")).in_file(&self.path)
    }
}

/// Motions of a file, portion after portion.
#[derive(Debug)]
pub struct Portions<'f> {
    file: &'f MotionFile<'f>,
    source: Option<BufReader<File>>,
    next: usize,
}

impl Portions<'_> {
    fn some(&mut self, most: usize) -> Result<Motions> {
        let range = self.next..self.file.n_motions.min(self.next.saturating_add(most)).max(self.next);
        self.next = range.end;
        let motions = match (&self.file.content, &mut self.source) {
            (Content::Array { is_big_endian, n_columns, .. }, Some(source)) => {
                let values = numbers(source, range.len() * 2 * n_columns, *is_big_endian);
                let values = values.map_err(|cause| self.file.unreadable(&cause))?;
                Motions::numbered(range.start, range.len(), *n_columns, values)
            }
            (Content::Read(motions), _) => Ok(motions.range(range.clone())),
            (Content::Array { .. }, None) => Err(Error::input("it is not open")),
        };
        let checked = motions.and_then(|m| m.check_from(range.start, self.file.robot).map(|()| m));
        checked.map_err(|e| e.in_file(&self.file.path))
    }
}

impl Iterator for Portions<'_> {
    type Item = Result<Motions>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.next < self.file.n_motions).then(|| self.some(PORTION))
    }
}

/// The next `n` numbers.
fn numbers(source: &mut impl Read, n: usize, is_big_endian: bool) -> std::io::Result<Vec<f64>> {
    let mut values = vec![0.0f64; n];
    source.read_exact(bytemuck::cast_slice_mut(&mut values))?;
    for value in &mut values {
        let bytes = value.to_ne_bytes();
        *value = if is_big_endian { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) };
    }
    Ok(values)
}

fn open_array(path: &Path, robot: &Robot, limits: &LoadLimits) -> Result<(usize, Content)> {
    let (file, file_length) = open(path)?;
    let Header { is_big_endian, shape, data_offset } = npy::read_header(&mut BufReader::new(file))?;
    let n_columns = robot.columns.len();
    let shown = shortened(&format!("{shape:?}"), 100);
    let n_motions = match shape[..] {
        [n, 2, columns] if columns == n_columns => n,
        [_, 2, columns] => {
            let message = format!("shape {shown} has {columns} columns where the robot has {n_columns}");
            return Err(Error::input(message).remedy(SEE_COLUMNS));
        }
        [_, w, _] => {
            return Err(Error::input(format!("shape {shown} has {w} way-points, only 2 are supported: start and end")));
        }
        _ => return Err(Error::input(format!("shape {shown}, want (motions, 2, {n_columns})"))),
    };
    let n_bytes = bytes_of::<f64>(n_motions) * 2 * n_columns as u128;
    let there = u128::from(file_length.saturating_sub(data_offset));
    if n_bytes != there {
        let message = format!("shape {shown} takes {n_bytes} bytes, the file has {there}: truncated or damaged");
        return Err(Error::input(message));
    }
    if n_columns == 0 {
        // A file of no numbers may claim any number of motions.
        super::file::check_memory(n_motions, n_columns, limits)?;
    }
    Ok((n_motions, Content::Array { is_big_endian, data_offset, n_columns }))
}
