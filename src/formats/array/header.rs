//! The header of a `.npy` file: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 6), }`, a Python literal.

use crate::error::{Error, Result, quoted};
use std::io::Read;

/// The first bytes of a `.npy` file.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The contents of a header.
#[derive(Debug, PartialEq)]
pub struct Header {
    /// The type of the elements, as NumPy writes it.
    pub descr: String,
    /// True if the first index varies fastest.
    pub is_fortran: bool,
    /// Sizes, the first index first.
    pub shape: Vec<usize>,
    /// Offset of the numbers in the file, bytes.
    pub data_offset: u64,
}

/// Largest header that is read; NumPy pads headers to a few hundred bytes.
const MAX_HEADER_BYTES: usize = 1 << 16;
/// The size of magic bytes, version and header together is a multiple of this.
const ALIGNMENT: usize = 64;

impl Header {
    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// The source does not begin with a header.
    pub fn read(source: &mut impl Read) -> Result<Self> {
        let mut take = |n: usize| {
            let mut bytes = vec![0; n];
            let read = source.read_exact(&mut bytes);
            read.map(|()| bytes).map_err(|_| Error::input("it ends within its header: truncated"))
        };
        let start = take(8)?;
        if !start.starts_with(MAGIC) {
            return Err(Error::input("it is not a .npy file: it does not begin with \\x93NUMPY"));
        }
        let n_length = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => return Err(Error::input(format!("version {version} of the .npy format is not supported"))),
        };
        let length = take(n_length)?.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
        if length > MAX_HEADER_BYTES {
            return Err(Error::input(format!("its header has {length} bytes: damaged")));
        }
        let header = take(length)?;
        let header = std::str::from_utf8(&header).map_err(|_| Error::input("its header is not text: damaged"))?;
        let header = Self::parse(header).map_err(|e| e.at("header"))?;
        Ok(Self { data_offset: (8 + n_length + length) as u64, ..header })
    }

    /// The bytes before an array of `f64` in C order, little endian. A comma follows each size, as Python allows: the
    /// checksums of data sets depend on these bytes.
    pub fn of_f64(shape: &[usize]) -> Vec<u8> {
        let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({sizes}), }}");
        let length = (10 + text.len() + 1).next_multiple_of(ALIGNMENT) - 10;
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        // Headers are short: the length fits 16 bits.
        bytes.extend((length as u16).to_le_bytes());
        bytes.extend(format!("{text:<width$}\n", width = length - 1).into_bytes());
        bytes
    }

    /// Parses the Python literal.
    fn parse(header: &str) -> Result<Self> {
        let damaged = || Error::input(format!("{} is not a header of a .npy file", quoted(header)));
        let mut rest = header.trim().strip_prefix('{').and_then(|h| h.strip_suffix('}')).ok_or_else(damaged)?.trim();
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, after) = string(rest).ok_or_else(damaged)?;
            let value = after.trim_start().strip_prefix(':').ok_or_else(damaged)?.trim_start();
            rest = match key {
                "descr" if descr.is_none() => {
                    let structured = || Error::input("it has a structured type, not numbers");
                    let (name, after) = string(value).ok_or_else(structured)?;
                    descr = Some(name.to_string());
                    after
                }
                "fortran_order" if is_fortran.is_none() => {
                    is_fortran = Some(value.starts_with("True"));
                    value.strip_prefix("True").or(value.strip_prefix("False")).ok_or_else(damaged)?
                }
                "shape" if shape.is_none() => {
                    let (sizes, after) = value.strip_prefix('(').and_then(|v| v.split_once(')')).ok_or_else(damaged)?;
                    let words = sizes.split(',').map(str::trim).filter(|w| !w.is_empty());
                    shape = Some(words.map(|w| w.parse().map_err(|_| damaged())).collect::<Result<Vec<usize>>>()?);
                    after
                }
                _ => return Err(damaged()),
            };
            rest = rest.trim_start();
            rest = match rest.strip_prefix(',') {
                Some(after) => after.trim_start(),
                None if rest.is_empty() => rest,
                None => return Err(damaged()),
            };
        }
        match (descr, is_fortran, shape) {
            (Some(descr), Some(is_fortran), Some(shape)) => Ok(Self { descr, is_fortran, shape, data_offset: 0 }),
            _ => Err(damaged()),
        }
    }
}

/// A quoted string without escapes, and the text after it.
fn string(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let read = |h: &str| Header::parse(h).map_err(|e| e.to_string());
        let header = |descr: &str, is_fortran, shape: &[usize]| {
            Ok(Header { descr: descr.into(), is_fortran, shape: shape.to_vec(), data_offset: 0 })
        };
        assert_eq!(
            read("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 6), }   \n"),
            header("<f8", false, &[3, 2, 6])
        );
        assert_eq!(read("{'shape': (), \"descr\": \">f4\", 'fortran_order': True}"), header(">f4", true, &[]));
        assert_eq!(read("{'descr':'|i1','fortran_order':False,'shape':(7,)}"), header("|i1", false, &[7]));
        for (header, word) in [
            ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", "structured"),
            ("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,), }", "not a header"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }", "not a header"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "not a header"),
            ("{'descr': '<f8', 'fortran_order': False, }", "not a header"),
            ("{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}", "not a header"),
            ("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", "not a header"),
            ("{'é': 1}", "not a header"),
            ("{é", "not a header"),
            ("", "not a header"),
        ] {
            let error = read(header).unwrap_err();
            assert!(error.contains(word), "{header}: {error}");
        }
    }

    /// A header of version 1.0 is a multiple of 64 bytes with its magic and length, and ends with a line feed.
    #[test]
    fn headers_are_written_as_specified() {
        let padded = |text: &str| [b"\x93NUMPY\x01\x00\x76\x00", format!("{text:<117}\n").as_bytes()].concat();
        assert_eq!(
            Header::of_f64(&[20, 2, 6]),
            padded("{'descr': '<f8', 'fortran_order': False, 'shape': (20, 2, 6, ), }")
        );
        assert_eq!(Header::of_f64(&[5]), padded("{'descr': '<f8', 'fortran_order': False, 'shape': (5, ), }"));
        let header = Header::read(&mut Header::of_f64(&[0, 2, 1_000_000]).as_slice()).unwrap();
        assert_eq!((header.shape.as_slice(), header.data_offset % 64), (&[0, 2, 1_000_000][..], 0));
    }
}
