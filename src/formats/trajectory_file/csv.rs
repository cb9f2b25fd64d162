//! Trajectories in CSV: a header of joint names, then a row for each point.

use super::builder::{Builder, Point};
use crate::error::{Error, Result, foreign, quoted};
use crate::formats::MotionOptions;
use crate::formats::csv::{Header, check_line_ends, is_after_blank_line, line_of};
use crate::io::load::bytes_of;
use crate::robot::Robot;
use csv::{ByteRecord, Reader, ReaderBuilder, Trim};
use std::collections::HashSet;

/// Description of the format, for messages.
const FORM: &str = "the first line names the joints, each other line is a point; blank lines or a column trajectory \
                    separate trajectories";

/// The records of a file.
struct Records<'b> {
    bytes: &'b [u8],
    reader: Reader<&'b [u8]>,
    record: ByteRecord,
}

impl<'b> Records<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).trim(Trim::All).comment(Some(b'#'));
        Self { bytes, reader: builder.from_reader(bytes), record: ByteRecord::new() }
    }

    /// Reads the next record. Returns false at the end.
    fn next(&mut self) -> Result<bool> {
        let read = self.reader.read_byte_record(&mut self.record);
        read.map_err(|cause| Error::input(format!("CSV: {}", foreign(&cause))))
    }

    fn header(&mut self, robot: &Robot, options: &MotionOptions) -> Result<Header> {
        if !self.next()? {
            return Err(Error::input("it is empty").remedy(FORM));
        }
        Header::new(&self.record, robot, options).map_err(|e| self.here(e))
    }

    /// Adds the line of the record to an error.
    fn here(&self, error: Error) -> Error {
        error.at(format!("line {}", line_of(&self.record, self.bytes)))
    }

    /// Returns whether there is an empty line between the record and the one before.
    fn is_after_blank_line(&self) -> bool {
        is_after_blank_line(&self.record, self.bytes)
    }
}

/// Rows of the trajectory that is being read.
#[derive(Default)]
struct Rows {
    name: Option<String>,
    times_s: Vec<Option<f64>>,
    values: Vec<f64>,
}

impl Rows {
    /// Memory with one more row, bytes; growing lists take twice their contents.
    fn n_bytes(&self, n_columns: usize) -> u128 {
        2 * bytes_of::<f64>(self.values.len() + n_columns) + 2 * bytes_of::<Option<f64>>(self.times_s.len() + 1)
    }

    /// Ends the trajectory.
    fn end(&mut self, header: &Header, to: &mut Builder) -> Result<()> {
        let n_columns = header.columns.len();
        let points = self.times_s.iter().enumerate().map(|(i, &time_s)| Point {
            time_s,
            positions: &self.values[i * n_columns..][..n_columns],
            ..Point::default()
        });
        if !self.times_s.is_empty() {
            to.add(&header.columns, points)?;
        }
        *self = Self::default();
        Ok(())
    }
}

/// Adds the trajectories in a file's bytes.
pub(super) fn read(bytes: &[u8], to: &mut Builder) -> Result<()> {
    to.keep(bytes.len() as u128)?;
    check_line_ends(bytes)?;
    let mut records = Records::new(bytes);
    let header = records.header(to.robot, &to.options.motion)?;
    let (mut rows, mut names) = (Rows::default(), HashSet::new());
    while records.next()? {
        to.left().check(rows.n_bytes(header.columns.len()), "the numbers of a trajectory")?;
        let row = header.row(&records.record).map_err(|e| records.here(e))?;
        let is_next = match row.trajectory {
            Some(name) => rows.name.as_deref() != Some(name),
            None => records.is_after_blank_line(),
        };
        if is_next {
            rows.end(&header, to)?;
            if let Some(name) = row.trajectory {
                to.keep(2 * bytes_of::<String>(2) + name.len() as u128)?;
                if !names.insert(name.to_string()) {
                    let error = Error::input(format!("trajectory {} has rows in two places", quoted(name)));
                    return Err(records.here(error).remedy("put the rows of a trajectory one after the other"));
                }
                rows.name = Some(name.to_string());
            }
        }
        rows.times_s.push(row.time_s);
        rows.values.extend(row.values);
    }
    rows.end(&header, to)
}

/// Returns whether a file contains more than motions of two rows each: it has times, or a column `trajectory` or blank
/// lines make groups of other lengths. Returns false for a damaged file.
pub(super) fn is_of_trajectories(bytes: &[u8], robot: &Robot, options: &MotionOptions) -> bool {
    decide(&mut Records::new(bytes), robot, options).unwrap_or(false)
}

fn decide(records: &mut Records, robot: &Robot, options: &MotionOptions) -> Result<bool> {
    let header = records.header(robot, options)?;
    if header.time.is_some() {
        return Ok(true);
    }
    let (mut group, mut n_groups, mut all_are_pairs) = (Vec::new(), 0, true);
    let mut n_rows = 0;
    while records.next()? {
        let name = header.trajectory.and_then(|i| records.record.get(i));
        let is_next = match name {
            Some(name) => n_rows > 0 && group != name,
            None => n_rows > 0 && records.is_after_blank_line(),
        };
        if is_next {
            all_are_pairs &= n_rows == 2;
            (n_rows, n_groups) = (0, n_groups + 1);
        }
        n_rows += 1;
        group.clear();
        group.extend_from_slice(name.unwrap_or_default());
    }
    all_are_pairs &= n_rows == 2 || n_rows + n_groups == 0;
    Ok(!all_are_pairs && (header.trajectory.is_some() || n_groups > 0))
}
