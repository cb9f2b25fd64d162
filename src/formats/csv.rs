//! Motions in CSV: a header of joint names, then two rows for each motion, or any number of rows if a column
//! `trajectory` groups them.

use crate::error::{Error, Result, foreign, quoted};
use crate::formats::MotionOptions;
use crate::formats::named_columns::NamedColumns;
use crate::io::load::{bytes_of, number};
use crate::robot::{MotionBatch, Robot};
use csv::{ByteRecord, ReaderBuilder, Trim};
use std::collections::HashSet;

/// The column whose value is the same in the rows of one motion.
const TRAJECTORY: &str = "trajectory";
/// The column of times. They increase within a motion and are not used: a straight motion is the same at any speed.
const TIME: &str = "time";

/// Description of the format, for messages.
const FORM: &str = "the first line names the joints, then each motion has two rows: start and end";

/// The remedy for an odd number of rows.
const WAYPOINTS: &str = "each motion has two rows; trajectories with more points need a column trajectory or time";

/// The remedy for a file of trajectories.
const STRAIGHT: &str = "a motion has two rows, start and end; check and audit read trajectories of more points";

/// Refuses line ends other than LF and CR LF, which would hide blank lines.
pub(super) fn check_line_ends(bytes: &[u8]) -> Result<()> {
    let is_alone = |i: &usize| bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
    let Some(alone) = (0..bytes.len()).find(is_alone) else { return Ok(()) };
    let line = 1 + bytes[..alone].iter().filter(|b| **b == b'\n').count();
    let error = Error::input("the line ends with CR alone").at(format!("line {line}"));
    Err(error.remedy("end lines with LF or CR LF"))
}

/// Returns whether there is an empty line between a record and the one before.
pub(super) fn is_after_blank_line(record: &ByteRecord, bytes: &[u8]) -> bool {
    let Some(position) = record.position() else { return false };
    let at = (position.byte() as usize).min(bytes.len());
    let (before, rest) = bytes.split_at(at);
    // The reader stops between CR and LF.
    let rest = if before.ends_with(b"\r") { rest.strip_prefix(b"\n").unwrap_or(rest) } else { rest };
    let skipped = rest.split(|b| *b == b'\n').take_while(|line| matches!(line, [] | [b'\r'] | [b'#', ..]));
    skipped.into_iter().any(|line| !line.starts_with(b"#"))
}

/// Motions in CSV.
pub(super) struct CsvMotions {
    pub motions: MotionBatch,
    /// True if nothing but the number of rows separates the motions.
    pub are_counted: bool,
}

/// Reads the motions in a file's bytes.
///
/// # Errors
/// The file is malformed, or has trajectories: more than two rows between blank lines, or with increasing times.
pub(super) fn parse(bytes: &[u8], robot: &Robot, options: &MotionOptions) -> Result<CsvMotions> {
    check_line_ends(bytes)?;
    let limits = options.limits.less(bytes.len() as u64);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rows =
        ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).comment(Some(b'#')).from_reader(bytes);
    let at = |record: &ByteRecord, error: Error| error.at(format!("line {}", line_of(record, bytes)));
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| {
        rows.read_byte_record(record).map_err(|cause| Error::input(format!("CSV: {}", foreign(&cause))))
    };
    if !next(&mut record)? {
        return Err(Error::input("it is empty").remedy(FORM));
    }
    let header = Header::new(&record, robot, options).map_err(|e| at(&record, e))?;
    let mut motions = Rows::default();
    while next(&mut record)? {
        limits.check(motions.n_bytes(robot.columns.len()), "the numbers of its motions")?;
        let is_after_blank_line = is_after_blank_line(&record, bytes);
        header.add(&record, is_after_blank_line, &mut motions).map_err(|e| at(&record, e))?;
    }
    motions.end()?;
    let are_counted = header.trajectory.is_none() && header.time.is_none() && !motions.has_groups;
    let motions = MotionBatch::from_flat(motions.n_motions, robot.columns.len(), motions.values)?;
    Ok(CsvMotions { motions, are_counted })
}

/// The line on which a record begins. The record's position is the end of the previous record, which comments and empty
/// lines may follow.
pub(super) fn line_of(record: &ByteRecord, bytes: &[u8]) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = bytes.get(position.byte() as usize..).unwrap_or_default();
    let is_skipped = |line: &&[u8]| matches!(line, [] | [b'\r'] | [b'#', ..]);
    position.line() + rest.split(|b| *b == b'\n').take_while(is_skipped).count() as u64
}

/// The meaning of the fields of a row.
pub(super) struct Header {
    n_fields: usize,
    /// Fields of joints, in the order of the columns' names.
    joints: Vec<usize>,
    pub columns: NamedColumns,
    pub trajectory: Option<usize>,
    pub time: Option<usize>,
}

/// The contents of a row.
pub(super) struct Row<'a> {
    pub trajectory: Option<&'a str>,
    pub time_s: Option<f64>,
    /// Values of the joints, in the order of the columns' names.
    pub values: Vec<f64>,
}

impl Header {
    pub fn new(record: &ByteRecord, robot: &Robot, options: &MotionOptions) -> Result<Self> {
        let names = record.iter().map(utf8).collect::<Result<Vec<&str>>>()?;
        if let [only] = names[..]
            && let Some(separator) = [';', '\t'].into_iter().find(|c| only.contains(*c))
        {
            let message = format!("its fields are separated by {separator:?}, expected commas");
            return Err(Error::input(message).remedy(FORM));
        }
        if names.iter().all(|name| name.parse::<f64>().is_ok()) {
            return Err(Error::input("it has numbers instead of joint names").remedy(FORM));
        }
        // A joint with that name takes precedence: otherwise a file with such a joint could not be read.
        let is_joint = |name: &str| robot.columns.iter().any(|c| c.name == name);
        let special = |wanted: &str| names.iter().position(|name| *name == wanted && !is_joint(wanted));
        let (trajectory, time) = (special(TRAJECTORY), special(TIME));
        let joints: Vec<usize> = (0..names.len()).filter(|i| ![trajectory, time].contains(&Some(*i))).collect();
        let named: Vec<&str> = joints.iter().map(|&i| names[i]).collect();
        let columns = NamedColumns::new(&named, robot, &options.missing_joints)?;
        Ok(Self { n_fields: names.len(), joints, columns, trajectory, time })
    }

    /// Adds a row to the motions.
    fn add(&self, record: &ByteRecord, is_after_blank_line: bool, to: &mut Rows) -> Result<()> {
        let Row { trajectory, time_s, values } = self.row(record)?;
        if trajectory.is_none() {
            to.separate(is_after_blank_line)?;
        }
        to.begin_row(trajectory, time_s)?;
        self.columns.append(&values, &mut to.values);
        Ok(())
    }

    /// Reads a row.
    pub fn row<'a>(&self, record: &'a ByteRecord) -> Result<Row<'a>> {
        if record.len() != self.n_fields {
            let message = format!("{} fields where the first line has {}", record.len(), self.n_fields);
            return Err(Error::input(message));
        }
        let field = |i: usize| utf8(record.get(i).unwrap_or_default());
        let trajectory = self.trajectory.map(field).transpose()?;
        let time_s = self.time.map(|i| field(i).and_then(number)).transpose()?;
        let values = self.joints.iter().map(|&i| field(i).and_then(number)).collect::<Result<Vec<f64>>>()?;
        Ok(Row { trajectory, time_s, values })
    }
}

/// Rows read so far: those of whole motions, and those of the motion that is being read.
#[derive(Default)]
struct Rows {
    n_motions: usize,
    values: Vec<f64>,
    /// Rows of the current motion.
    n_rows: usize,
    /// The current motion's value in the column `trajectory`.
    trajectory: Option<String>,
    /// The values in the column `trajectory` of all motions.
    names: HashSet<String>,
    name_bytes: usize,
    time_s: Option<f64>,
    /// Rows since the last blank line, and whether there is a blank line between rows.
    n_in_group: usize,
    has_groups: bool,
}

impl Rows {
    /// Memory with one more row, bytes; growing lists take twice their contents.
    fn n_bytes(&self, n_columns: usize) -> u128 {
        2 * (bytes_of::<f64>(self.values.len() + n_columns) + bytes_of::<String>(self.names.len()))
            + self.name_bytes as u128
    }

    /// Counts a row without a name between blank lines, which have two rows between them if there are any.
    fn separate(&mut self, is_after_blank_line: bool) -> Result<()> {
        if is_after_blank_line && self.n_in_group > 0 {
            self.has_groups = true;
            if self.n_in_group != 2 {
                let message = format!("{} rows between blank lines are not a motion", self.n_in_group);
                return Err(Error::input(message).remedy(STRAIGHT));
            }
            self.n_in_group = 0;
        }
        self.n_in_group += 1;
        if self.has_groups && self.n_in_group > 2 {
            return Err(Error::input("more than 2 rows between blank lines are not a motion").remedy(STRAIGHT));
        }
        Ok(())
    }

    /// Begins the next row, and the next motion if the row belongs to it.
    fn begin_row(&mut self, trajectory: Option<&str>, time_s: Option<f64>) -> Result<()> {
        let is_next = match trajectory {
            Some(name) => self.trajectory.as_deref().is_some_and(|present| present != name),
            None => self.n_rows == 2,
        };
        if let (true, None, Some(before), Some(now)) = (is_next, trajectory, self.time_s, time_s)
            && now > before
        {
            return Err(Error::input("times increase over more than 2 rows, but a motion has 2").remedy(STRAIGHT));
        }
        if is_next {
            self.end()?;
        }
        if let Some(name) = trajectory.filter(|_| self.n_rows == 0) {
            self.name_bytes += name.len();
            if !self.names.insert(name.to_string()) {
                let message = format!("trajectory {} has rows in two places", quoted(name));
                return Err(Error::input(message).remedy("put the rows of a trajectory one after the other"));
            }
            self.trajectory = Some(name.to_string());
        }
        if let (Some(before), Some(now)) = (self.time_s, time_s)
            && now <= before
        {
            return Err(Error::input(format!("time {now:?} does not exceed {before:?}: times must increase")));
        }
        self.time_s = time_s;
        self.n_rows += 1;
        Ok(())
    }

    /// Ends the current motion.
    fn end(&mut self) -> Result<()> {
        match (self.n_rows, self.trajectory.take()) {
            (0, _) => Ok(()),
            (2, _) => {
                self.n_motions += 1;
                (self.n_rows, self.time_s) = (0, None);
                Ok(())
            }
            (_, None) => Err(Error::input("the last motion has a start but no end").remedy(WAYPOINTS)),
            (n, Some(name)) => {
                let message = format!("trajectory {} has {n} waypoints", quoted(&name));
                Err(Error::input(format!("{message}, only 2 are supported: start and end")))
            }
        }
    }
}

fn utf8(field: &[u8]) -> Result<&str> {
    if field.contains(&b'\n') {
        return Err(Error::input("a field continues on the next line: a double quote is not closed"));
    }
    std::str::from_utf8(field).map_err(|_| Error::input("it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::MissingJoints;
    use crate::formats::test_files::{load_of, robot, slides};
    use crate::io::load::LoadLimits;

    fn read(text: &str) -> std::result::Result<MotionBatch, String> {
        load_of(&slides(), "m.csv", text.as_bytes(), &MotionOptions::default()).map_err(|e| e.to_string())
    }

    /// Motions of the columns a, b.
    fn motions(values: &[f64]) -> MotionBatch {
        MotionBatch::from_flat(values.len() / 4, 2, values.to_vec()).unwrap()
    }

    #[test]
    fn two_rows_make_a_motion() {
        let expected = motions(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -7.5, 8e-3]);
        for text in [
            "a,b\n1,2\n3,4\n5,6\n-7.5,8e-3\n",
            "b,a\r\n2,1\r\n4,3\r\n6,5\r\n0.008,-7.5",
            "\u{feff}# made by hand\n\"a\" ,\" b\"\n\n1 ,2\n# the end\n\"3\",4\n\n5,6\n-7.5, 8e-3\n\n",
            "time,a,b\n0,1,2\n1,3,4\n0,5,6\n2.5,-7.5,8e-3\n",
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        assert_eq!(read("a,b\n").unwrap().len(), 0);
    }

    #[test]
    fn a_trajectory_column_groups_rows() {
        let expected = motions(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        for text in [
            "trajectory,a,b\n7,1,2\n7,3,4\n3,5,6\n3,7,8\n",
            "a,trajectory,b,time\n1,left,2,0\n3,left,4,1\n5,\"the right, one\",6,0.5\n7,\"the right, one\",8,0.75\n",
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn joints_may_have_the_names_of_other_columns() {
        let mut robot = slides();
        robot.columns[0].name = "time".into();
        let options = MotionOptions::default();
        let read = load_of(&robot, "m.csv", b"b,time\n2,9\n4,3\n", &options).unwrap();
        assert_eq!(read, motions(&[9.0, 2.0, 3.0, 4.0]));
    }

    #[test]
    fn missing_joints_take_the_requested_values() {
        let zero = MotionOptions::default().with_missing_joints(MissingJoints::Zero);
        let read = load_of(&robot(), "m.csv", b"slide\n1\n2\n", &zero).unwrap();
        assert_eq!((read.end(0)[1], read.end(0)[8]), (2.0, 1.0));
    }

    #[test]
    fn malformed_files_are_errors_with_their_line() {
        for (text, word) in [
            ("", "it is empty"),
            ("# nothing\n\n", "it is empty"),
            ("a;b\n1;2\n3;4\n", "line 1: its fields are separated by ';'"),
            ("a\tb\n1\t2\n", "separated by '\\t'"),
            ("0,1\n2,3\n", "numbers instead of joint names"),
            ("a,c\n1,2\n3,4\n", "line 1: the robot has no moving joint 'c'"),
            ("a,b,a\n", "line 1: joint 'a' appears twice"),
            ("a,b,time,time\n", "no moving joint 'time'"),
            ("a\n1\n2\n", "line 1: it has no values for joint 'b' (--missing-joints"),
            ("a,b\n1,2\n3\n", "line 3: 1 fields where the first line has 2"),
            ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields"),
            ("a,b\n# c\n\n1,2\n3,x\n", "line 5: 'x' is not a number"),
            ("# one\n\na,b\n# c\n\n1,x\n3,4\n", "line 6: 'x' is not a number"),
            ("# one\r\n\r\na,b\r\n# c\r\n\r\n1,x\r\n3,4\r\n", "line 6: 'x' is not a number"),
            ("a,b\r\n1,2\r\n3,x\r\n", "line 3: 'x' is not a number"),
            ("# one\n# two\nc,b\n", "line 3: the robot has no moving joint 'c'"),
            ("a,b\n1,\n3,4\n", "line 2: '' is not a number"),
            ("a,b\n1,nan\n3,4\n", "line 2: 'nan' is NaN or infinite"),
            ("a,b\n1,1e999\n3,4\n", "infinite"),
            ("a,b\n1,2\n3,4\n5,6\n", "a start but no end"),
            ("trajectory,a,b\nx,1,2\ny,3,4\n", "line 3: trajectory 'x' has 1 waypoints"),
            ("trajectory,a,b\nx,1,2\nx,3,4\nx,5,6\ny,1,2\n", "trajectory 'x' has 3 waypoints"),
            ("trajectory,a,b\nx,1,2\nx,3,4\ny,5,6\n", "trajectory 'y' has 1 waypoints"),
            ("trajectory,a,b\nx,1,2\nx,1,2\ny,3,4\ny,3,4\nx,1,2\nx,1,2\n", "line 6: trajectory 'x' has rows in two"),
            ("time,a,b\n1,1,2\n1,3,4\n", "line 3: time 1.0 does not exceed"),
            ("time,a,b\nsoon,1,2\n1,3,4\n", "'soon' is not a number"),
            ("a,b\n1,\"2\n3,4\n", "line 2: a field continues on the next line: a double quote is not closed"),
            ("trajectory,a,b\n\"x,1,2\nx\",3,4\nx,5,6\n", "a field continues on the next line"),
            ("a,b\n1,2\n\n3,4\n", "line 4: 1 rows between blank lines are not a motion"),
            ("a,b\n1,2\n3,4\n5,6\n7,8\n\n1,2\n3,4\n", "line 7: 4 rows between blank lines are not a motion"),
            ("a,b\n1,2\n3,4\n\n1,2\n3,4\n5,6\n7,8\n", "line 7: more than 2 rows between blank lines"),
            ("time,a,b\n0,1,2\n1,3,4\n2,5,6\n3,7,8\n", "line 4: times increase over more than 2 rows"),
            ("a,b\r1,2\r3,4\r", "line 1: the line ends with CR alone (end lines with LF or CR LF)"),
            ("a,b\n1,2\r\n3,4\r", "line 3: the line ends with CR alone"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains("m.csv") && error.contains(word), "{text:?}: {error}");
        }
        let not_text = load_of(&slides(), "m.csv", b"a,b\n1,2\n3,\xff\n", &MotionOptions::default());
        assert!(not_text.unwrap_err().to_string().contains("line 3: it is not UTF-8 text"));
    }

    #[test]
    fn numbers_and_names_respect_the_memory_limit() {
        let text: String = (0..1000).map(|i| format!("{i},0,0\n{i},0,0\n")).collect();
        let text = format!("trajectory,a,b\n{text}");
        let with = |bytes: u64| {
            let limits = LoadLimits { memory_bytes: text.len() as u64 + bytes };
            load_of(&slides(), "m.csv", text.as_bytes(), &MotionOptions::default().with_limits(limits))
        };
        assert!(with(60_000).unwrap_err().to_string().contains("--memory"));
        assert_eq!(with(150_000).unwrap().len(), 1000);
    }
}
