//! Queries from a file, in parts, so that a file may be of any length.
//!
//! A query is eight lines: the four points at the start, then the same at the end. A line is `xn,xd,yn,yd,zn,zd`, three
//! quotients of integers. In some files each line ends with the ground truth, 1 for contact and 0 for no contact, the
//! same on all eight lines. There is no header. A reader only cuts a file into parts; a part is parsed by any thread
//! that is free, since parsing takes longer than answering.

use super::{Query, rational};
use crate::error::{Error, Result, quoted};
use crate::io::load;
use glam::DVec3;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// Largest accepted coordinate, so that products of eight coordinates are finite.
pub const MAX_COORDINATE: f64 = 1e30;

/// Number of lines of a query.
const ROWS: usize = 8;

/// Six quotients of the longest numbers, and spaces.
const MAX_LINE_BYTES: usize = 4096;

/// Number of queries after which a part ends.
const PART_QUERIES: usize = 256;

/// Number of bytes after which a part ends, once the query that has begun is complete.
const PART_BYTES: usize = 1 << 18;

/// The remedy for a malformed line.
const FORM: &str = "each line is xn,xd,yn,yd,zn,zd and optionally 0 or 1 for the truth; the file has no header";

/// First bytes of files that are compressed, and the command that unpacks them.
const PACKED: [(&[u8], &str); 4] =
    [(b"\xfd7zXZ", "xz -d"), (b"\x1f\x8b", "gunzip"), (b"PK\x03\x04", "unzip"), (b"\x28\xb5\x2f\xfd", "zstd -d")];

/// A file of queries.
#[derive(Debug)]
pub struct Reader {
    path: Arc<Path>,
    source: BufReader<File>,
    n_bytes: u64,
    n_bytes_read: u64,
    n_lines_read: u64,
    /// Number of columns of every line, taken from the first one.
    n_columns: usize,
}

/// Some queries of a file, not parsed yet.
#[derive(Debug)]
pub struct Batch {
    path: Arc<Path>,
    /// Number of lines before it in the file, a multiple of [`ROWS`].
    first_line: u64,
    n_columns: usize,
    text: Vec<u8>,
}

/// A query of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posed {
    /// The four points.
    pub query: Query,
    /// True if the features touch; `None` if the file does not contain the truth.
    pub truth: Option<bool>,
    /// True if all coordinates are double-precision numbers; otherwise the query uses the nearest such numbers.
    pub is_exact: bool,
}

impl Reader {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be read, is compressed, or its first line has a number of columns other than 6 or 7.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path: Arc<Path> = path.as_ref().into();
        let (file, n_bytes) = load::open(&path)?;
        let source = BufReader::with_capacity(1 << 16, file);
        let mut reader = Self { path, source, n_bytes, n_bytes_read: 0, n_lines_read: 0, n_columns: 0 };
        match reader.begin() {
            Ok(()) => Ok(reader),
            Err(error) => Err(error.in_file(&reader.path)),
        }
    }

    /// The length of the file.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Number of bytes that have been read.
    pub fn n_bytes_read(&self) -> u64 {
        self.n_bytes_read
    }

    /// The next part, or `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, a line is far too long or empty, or the file ends within a query.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.batch().map_err(|e| e.in_file(&self.path))
    }

    /// Inspects the beginning without consuming more of it than a byte order mark.
    fn begin(&mut self) -> Result<()> {
        let start = self.source.fill_buf().map_err(unreadable)?;
        if let Some((_, tool)) = PACKED.iter().find(|(magic, _)| start.starts_with(magic)) {
            return Err(
                Error::input("it is compressed").remedy(format!("decompress it first, for example with {tool}"))
            );
        }
        let n_mark = if start.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let line = start[n_mark..].split(|&b| b == b'\n').next().unwrap_or_default();
        let n_columns = line.split(|&b| b == b',').count();
        if !line.trim_ascii().is_empty() && !(6..=7).contains(&n_columns) {
            let message = format!("{n_columns} columns, expected 6, or 7 with the truth");
            return Err(Error::input(message).at("line 1").remedy(FORM));
        }
        self.n_columns = n_columns;
        self.n_bytes_read = n_mark as u64;
        self.source.consume(n_mark);
        Ok(())
    }

    fn batch(&mut self) -> Result<Option<Batch>> {
        let first_line = self.n_lines_read;
        let (mut text, mut n_rows) = (Vec::new(), 0);
        while n_rows % ROWS != 0 || (n_rows < ROWS * PART_QUERIES && text.len() < PART_BYTES) {
            if !self.line(&mut text)? {
                break;
            }
            n_rows += 1;
        }
        if n_rows % ROWS != 0 {
            let query = (first_line as usize + n_rows) / ROWS;
            let message = format!("it ends after {} of the {ROWS} lines of query {query}", n_rows % ROWS);
            return Err(Error::input(message).remedy("check that the file is complete"));
        }
        let (path, n_columns) = (Arc::clone(&self.path), self.n_columns);
        Ok((n_rows > 0).then_some(Batch { path, first_line, n_columns, text }))
    }

    /// Appends the next line; returns `false` at the end.
    fn line(&mut self, text: &mut Vec<u8>) -> Result<bool> {
        let before = text.len();
        let mut source = (&mut self.source).take(MAX_LINE_BYTES as u64 + 1);
        let n = source.read_until(b'\n', text).map_err(unreadable)?;
        if n == 0 {
            return Ok(false);
        }
        self.n_bytes_read += n as u64;
        self.n_lines_read += 1;
        let place = format!("line {}", self.n_lines_read);
        if n > MAX_LINE_BYTES {
            let message = format!("more than {MAX_LINE_BYTES} bytes without an end of line");
            return Err(Error::input(message).at(place).remedy(FORM));
        }
        if !text[before..].trim_ascii().is_empty() {
            return Ok(true);
        }
        text.truncate(before);
        if self.is_rest_blank()? { Ok(false) } else { Err(Error::input("it is empty").at(place).remedy(FORM)) }
    }

    /// Returns whether only spaces and empty lines follow, and consumes them.
    fn is_rest_blank(&mut self) -> Result<bool> {
        loop {
            let bytes = self.source.fill_buf().map_err(unreadable)?;
            let n = bytes.len();
            if n == 0 || !bytes.trim_ascii().is_empty() {
                return Ok(n == 0);
            }
            self.n_bytes_read += n as u64;
            self.source.consume(n);
        }
    }
}

impl Batch {
    /// The number of the part's first query in the file.
    pub fn first_query(&self) -> u64 {
        self.first_line / ROWS as u64
    }

    /// Parses the queries.
    ///
    /// # Errors
    /// A line has another number of columns than the first one, a column is not an integer or is too long, a
    /// denominator is not above 0, a coordinate is beyond [`MAX_COORDINATE`], or the truth is neither 0 nor 1 or
    /// differs between the lines of a query.
    pub fn queries(&self) -> Result<Vec<Posed>> {
        let lines: Vec<&[u8]> = self.text.split_inclusive(|&b| b == b'\n').collect();
        let first_lines = (self.first_line..).step_by(ROWS);
        lines.chunks_exact(ROWS).zip(first_lines).map(|(rows, first_line)| self.posed(rows, first_line)).collect()
    }

    fn posed(&self, rows: &[&[u8]], first_line: u64) -> Result<Posed> {
        let mut points = [DVec3::ZERO; ROWS];
        let (mut truth, mut is_exact) = (None, true);
        for (k, text) in rows.iter().enumerate() {
            let at = |e: Error| e.at(format!("line {}", first_line + k as u64 + 1)).in_file(&self.path);
            let row = Row::parse(text, self.n_columns).map_err(at)?;
            if k > 0 && row.truth != truth {
                return Err(at(Error::input("the truth differs from that of the query's earlier lines")));
            }
            (points[k], truth) = (row.point, row.truth);
            is_exact &= row.is_exact;
        }
        let [a, b, c, d, e, f, g, h] = points;
        Ok(Posed { query: Query { start: [a, b, c, d], end: [e, f, g, h] }, truth, is_exact })
    }
}

/// The content of a line.
struct Row {
    point: DVec3,
    is_exact: bool,
    truth: Option<bool>,
}

impl Row {
    fn parse(line: &[u8], n_columns: usize) -> Result<Self> {
        let mut fields = [&[][..]; 7];
        let mut n = 0;
        for field in line.split(|&b| b == b',') {
            if let Some(place) = fields.get_mut(n) {
                *place = field.trim_ascii();
            }
            n += 1;
        }
        if n != n_columns {
            return Err(Error::input(format!("{n} columns where the first line has {n_columns}")).remedy(FORM));
        }
        let (mut point, mut is_exact) = ([0.0; 3], true);
        for (axis, coordinate) in point.iter_mut().enumerate() {
            let named = |message: String| Error::input(format!("{}: {message}", ["x", "y", "z"][axis]));
            let [numerator, denominator] = [fields[2 * axis], fields[2 * axis + 1]];
            let rounded = rational::nearest(numerator, denominator).map_err(|message| named(message).remedy(FORM))?;
            if rounded.value.abs() > MAX_COORDINATE {
                let message = format!("the coordinate exceeds {MAX_COORDINATE:e}");
                return Err(named(message).remedy("scale all points of the query"));
            }
            *coordinate = rounded.value;
            is_exact &= rounded.is_exact;
        }
        let truth = (n_columns == 7).then(|| truth(fields[6])).transpose()?;
        Ok(Self { point: DVec3::from_array(point), is_exact, truth })
    }
}

fn truth(word: &[u8]) -> Result<bool> {
    match word {
        b"0" => Ok(false),
        b"1" => Ok(true),
        _ => {
            Err(Error::input(format!("the truth is {}, not 0 or 1", quoted(&String::from_utf8_lossy(word))))
                .remedy(FORM))
        }
    }
}

fn unreadable(cause: std::io::Error) -> Error {
    Error::input(format!("it cannot be read: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: impl AsRef<[u8]>) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.csv");
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn read(content: impl AsRef<[u8]>) -> Result<Vec<Posed>> {
        let (_folder, path) = file(content);
        let mut reader = Reader::open(path)?;
        let mut out = Vec::new();
        while let Some(batch) = reader.next_batch()? {
            assert_eq!(batch.first_query(), out.len() as u64);
            out.extend(batch.queries()?);
        }
        assert_eq!(reader.n_bytes_read(), reader.n_bytes());
        Ok(out)
    }

    /// A query whose points are (n / 2, -n, 1 / 4) for n counted on from `first`.
    fn rows(first: usize, end: &str) -> String {
        (first..first + ROWS).map(|n| format!("{n},2,-{n},1,1,4{end}")).collect()
    }

    #[test]
    fn queries_are_read_in_order_with_any_line_ending() {
        let point = |n: f64| DVec3::new(n / 2.0, -n, 0.25);
        let expected = |first: f64, truth| Posed {
            query: Query {
                start: [first, first + 1.0, first + 2.0, first + 3.0].map(point),
                end: [first + 4.0, first + 5.0, first + 6.0, first + 7.0].map(point),
            },
            truth,
            is_exact: true,
        };
        assert_eq!(read(rows(3, "\n")).unwrap(), [expected(3.0, None)]);
        assert_eq!(read(rows(3, "\n").trim_end()).unwrap(), [expected(3.0, None)]);
        let text = format!("\u{feff}{}{}\r\n \n\n", rows(0, ",1\r\n"), rows(7, " , 0 \n"));
        assert_eq!(read(text).unwrap(), [expected(0.0, Some(true)), expected(7.0, Some(false))]);
        for nothing in ["", "\n", "\u{feff}", " \r\n\r\n"] {
            assert_eq!(read(nothing).unwrap(), [], "{nothing:?}");
        }
    }

    #[test]
    fn long_files_are_read_in_parts() {
        let n = 2 * PART_QUERIES + 3;
        let text: String = (0..n).map(|k| rows(k, "\n")).collect();
        let queries = read(&text).unwrap();
        assert!(queries.len() == n && queries.iter().enumerate().all(|(k, q)| q.query.start[0].y == -(k as f64)));
        let (_folder, path) = file(&text);
        assert_eq!(Reader::open(&path).unwrap().next_batch().unwrap().unwrap().queries().unwrap().len(), PART_QUERIES);
        // Long lines make parts of fewer queries.
        let (_folder, path) = file(text.replace(",2,", &format!(",{}2,", " ".repeat(300))));
        let part = Reader::open(&path).unwrap().next_batch().unwrap().unwrap();
        assert!(part.text.len() < PART_BYTES + ROWS * MAX_LINE_BYTES);
        assert!(part.queries().unwrap().len() < PART_QUERIES);
    }

    #[test]
    fn an_inexact_coordinate_is_marked() {
        let queries = read(format!("{}{}", rows(1, "\n"), rows(1, "\n").replacen("1,4", "1,3", 1))).unwrap();
        assert_eq!(queries.iter().map(|q| q.is_exact).collect::<Vec<_>>(), [true, false]);
        assert_eq!(queries[1].query.start[0].z, 1.0 / 3.0);
    }

    #[test]
    fn errors_name_their_line() {
        let good = rows(1, ",1\n");
        let wrong = |from: &str, to: &str, word: &str| {
            let text = format!("{good}{}", good.replacen(from, to, 1));
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("q.csv: ") && error.contains(word) && !error.contains('\n'), "{error}");
        };
        wrong("3,2,-3,1,1,4,1", "3,2,-3,1,1,4,0", "line 11: the truth differs");
        wrong("3,2,-3,1,1,4,1", "3,2,-3,1,1,4,2", "line 11: the truth is '2'");
        wrong("3,2,-3,1,1,4,1", "3,2,-3,1,1,4", "line 11: 6 columns where the first line has 7");
        wrong("3,2,-3,1,1,4,1", "3,2,-3,1,1,4,1,1", "line 11: 8 columns");
        wrong("3,2,-3,1,1,4,1", "3,2,-3.0,1,1,4,1", "line 11: y: '-3.0' is not a whole number");
        wrong("3,2,-3,1,1,4,1", "3,2,-3,1,1,0,1", "line 11: z: its denominator '0'");
        wrong(
            "3,2,-3,1,1,4,1",
            &format!("1{},2,-3,1,1,4,1", "0".repeat(31)),
            "line 11: x: the coordinate exceeds 1e30",
        );
        wrong("3,2,-3,1,1,4,1", &format!("{},2,-3,1,1,4,1", "9".repeat(400)), "line 11: x: the coordinate exceeds");
        wrong("3,2,-3,1,1,4,1", &format!("{},2,-3,1,1,4,1", "9".repeat(401)), "line 11: x: a number has 401 digits");
        wrong("3,2,-3,1,1,4,1", &"1".repeat(MAX_LINE_BYTES), "line 11: more than 4096 bytes");
        wrong("3,2,-3,1,1,4,1\n", "\n3,2,-3,1,1,4,1\n", "line 11: it is empty");
        wrong("3,2,-3,1,1,4,1\n", "", "it ends after 7 of the 8 lines of query 1");
        for (text, word) in [
            ("x,y,z\n", "line 1: 3 columns"),
            ("xn,xd,yn,yd,zn,zd\n", "it ends after 1 of the 8 lines of query 0"),
            ("\n1,1,1,1,1,1\n", "line 1: it is empty"),
            ("\u{0}", "line 1: 1 columns"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(word), "{text:?}: {error}");
        }
        assert!(read(b"\xfd7zXZ\0\0").unwrap_err().to_string().contains("decompress it first, for example with xz -d"));
        assert!(read(format!("xn,xd,yn,yd,zn,zd\n{}", &good[..])).is_err());
    }
}
