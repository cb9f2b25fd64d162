//! Arrays of motions, of shape `(Q, 2, D)`, read in portions from a file or memory.

mod element;
mod header;
mod npz;
mod numbers;
mod trajectory_arrays;

use crate::error::{Error, Result, shortened};
use crate::formats::MotionOptions;
use crate::formats::named_columns::NamedColumns;
use crate::formats::store::Store;
use crate::formats::stream::{Stream, spool, unreadable};
use crate::robot::motion_check::check_memory;
use crate::robot::{MotionBatch, Robot, SEE_COLUMNS};
use element::Element;
pub use header::Header;
pub(super) use header::MAGIC;
pub(super) use numbers::Numbers;
use std::io;
use std::ops::Range;
pub(super) use trajectory_arrays::{TrajectoryArrays, has_waypoints, is_of_trajectories};

/// Number of values that are read at a time.
const AT_A_TIME: usize = 1 << 13;

/// Motions in an array on disk or in memory.
#[derive(Debug)]
pub(super) struct Array {
    layout: Layout,
    store: Store,
    /// Offset of the numbers in the file, bytes.
    offset: u64,
    /// The columns of the robot, if the file lists its own.
    columns: Option<NamedColumns>,
}

/// The shape, the order and the type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    n_motions: usize,
    n_columns: usize,
    element: Element,
    /// True if the number of the motion varies fastest.
    is_fortran: bool,
}

impl Layout {
    /// The layout of an array of motions with `n_columns` columns; `source` describes the origin of that number for
    /// messages.
    fn new(header: &Header, n_columns: usize, source: &str) -> Result<Self> {
        let element = Element::parse(&header.descr)?;
        let shown = shortened(&format!("{:?}", header.shape).replace('[', "(").replace(']', ")"), 100);
        let n_motions = match header.shape[..] {
            [n, 2, columns] if columns == n_columns => n,
            [_, 2, columns] => {
                let message = format!("shape {shown} has {columns} columns where {source} {n_columns}");
                return Err(Error::input(message).remedy(SEE_COLUMNS));
            }
            [_, w, _] => {
                let message = format!("shape {shown} has {w} waypoints, only 2 are supported: start and end");
                return Err(Error::input(message));
            }
            _ => return Err(Error::input(format!("shape {shown}, expected (motions, 2, {n_columns})"))),
        };
        Ok(Self { n_motions, n_columns, element, is_fortran: header.is_fortran })
    }

    /// Bytes of all numbers.
    fn n_bytes(&self) -> u128 {
        self.n_motions as u128 * 2 * self.n_columns as u128 * self.element.n_bytes() as u128
    }

    /// Bytes of all numbers, checked against the `found` bytes of the source.
    fn checked_bytes(&self, found: u64) -> Result<u64> {
        match u64::try_from(self.n_bytes()) {
            Ok(want) if want == found => Ok(want),
            _ => {
                let message = format!("its shape takes {} bytes, the file has {found}", self.n_bytes());
                Err(Error::input(format!("{message}: truncated or damaged")))
            }
        }
    }
}

impl Array {
    /// An array in a `.npy` file of `length` bytes.
    pub fn in_file(store: Store, length: u64, robot: &Robot, options: &MotionOptions) -> Result<Self> {
        let header = Header::read(&mut io::BufReader::with_capacity(1 << 10, store.reader(0)))?;
        let layout = Layout::new(&header, robot.columns.len(), "the robot has")?;
        layout.checked_bytes(length.saturating_sub(header.data_offset))?;
        Self { layout, store, offset: header.data_offset, columns: None }.within(options)
    }

    /// An array in a stream of a `.npy` file.
    pub fn in_stream(mut stream: Stream, robot: &Robot, options: &MotionOptions) -> Result<Self> {
        let header = Header::read(&mut stream)?;
        let layout = Layout::new(&header, robot.columns.len(), "the robot has")?;
        // One more byte shows that the stream does not end with the array.
        let most = u64::try_from(layout.n_bytes()).unwrap_or(u64::MAX).saturating_add(1);
        let (store, found) = spool(stream, most, &options.limits)?;
        layout.checked_bytes(found)?;
        Self { layout, store, offset: 0, columns: None }.within(options)
    }

    /// An array in a `.npz` archive of `length` bytes.
    pub fn in_archive(store: Store, length: u64, robot: &Robot, options: &MotionOptions) -> Result<Self> {
        npz::open(store, length, robot, options)?.within(options)
    }

    /// Returns an error if the array exceeds the limits: a file without numbers may claim any number of motions.
    fn within(self, options: &MotionOptions) -> Result<Self> {
        if self.layout.n_columns == 0 {
            check_memory(self.layout.n_motions, 0, &options.limits)?;
        }
        Ok(self)
    }

    /// Number of motions.
    pub fn len(&self) -> usize {
        self.layout.n_motions
    }

    /// Reads motions; the range must exist.
    pub fn read(&self, range: Range<usize>, n_columns: usize) -> Result<MotionBatch> {
        let values = self.numbers(&range)?;
        let values = match &self.columns {
            Some(columns) => columns.place(2 * range.len(), &values),
            None => values,
        };
        MotionBatch::numbered(range.start, range.len(), n_columns, values)
    }

    /// The numbers of some motions in C order.
    fn numbers(&self, range: &Range<usize>) -> Result<Vec<f64>> {
        let Layout { n_motions, n_columns, is_fortran, .. } = self.layout;
        let per_motion = 2 * n_columns;
        let mut values = vec![0.0; range.len() * per_motion];
        let inexact = |motion: usize, column: usize| {
            let message = format!("column {column} is an integer beyond 2^53 that a float64 cannot represent");
            Error::input(message).at(format!("motion {motion}"))
        };
        if !is_fortran {
            let found = self.some(range.start as u64 * per_motion as u64, &mut values)?;
            return found.map(|()| values).map_err(|i| inexact(range.start + i / per_motion, i % n_columns));
        }
        // One run for each way-point and column; the number of the motion varies fastest.
        let mut run = vec![0.0; range.len()];
        for at in 0..per_motion {
            let (way_point, column) = (at % 2, at / 2);
            let first = at as u64 * n_motions as u64 + range.start as u64;
            self.some(first, &mut run)?.map_err(|i| inexact(range.start + i, column))?;
            let to = values.iter_mut().skip(way_point * n_columns + column).step_by(per_motion.max(1));
            to.zip(&run).for_each(|(to, value)| *to = *value);
        }
        Ok(values)
    }

    /// Reads consecutive numbers, the first of which has the index `first`; returns the index of one that is not exact.
    fn some(&self, first: u64, values: &mut [f64]) -> Result<std::result::Result<(), usize>> {
        let size = self.layout.element.n_bytes();
        let mut bytes = vec![0; (values.len() * size).min(AT_A_TIME * size)];
        for (k, part) in values.chunks_mut(AT_A_TIME).enumerate() {
            let done = k * AT_A_TIME;
            let bytes = &mut bytes[..part.len() * size];
            let offset = self.offset + (first + done as u64) * size as u64;
            self.store.read_exact_at(bytes, offset).map_err(unreadable)?;
            if let Err(i) = self.layout.element.convert(bytes, part) {
                return Ok(Err(done + i));
            }
        }
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests;
