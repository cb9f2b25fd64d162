//! The header of a `.npy` file: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 6), }`, a Python literal.

use crate::error::{Error, Result, quoted};
use std::io::Read;

/// What a header of float64 in C order says.
pub(super) struct Header {
    pub is_big_endian: bool,
    pub shape: Vec<usize>,
    /// Where the numbers begin, bytes.
    pub data_offset: u64,
}

/// NumPy itself pads headers to a few hundred bytes.
const MAX_HEADER: usize = 1 << 16;

pub(super) fn read_header(source: &mut impl Read) -> Result<Header> {
    let mut take = |n: usize| {
        let mut bytes = vec![0; n];
        let read = source.read_exact(&mut bytes);
        read.map(|()| bytes).map_err(|_| Error::input("it ends within its header: truncated"))
    };
    let magic = take(8)?;
    if !magic.starts_with(b"\x93NUMPY") {
        return Err(Error::input("it is no .npy file: it does not begin with \\x93NUMPY"));
    }
    let n_length = match magic[6] {
        1 => 2,
        2 | 3 => 4,
        version => return Err(Error::input(format!("a .npy file of version {version}"))),
    };
    let length = take(n_length)?.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
    if length > MAX_HEADER {
        return Err(Error::input(format!("a header of {length} bytes: damaged")));
    }
    let header = take(length)?;
    let header = std::str::from_utf8(&header).map_err(|_| Error::input("its header is not text: damaged"))?;
    let (is_big_endian, shape) = parse(header).map_err(|e| e.at("header"))?;
    Ok(Header { is_big_endian, shape, data_offset: (8 + n_length + length) as u64 })
}

/// The byte order and the shape, if all else is as it has to be.
fn parse(header: &str) -> Result<(bool, Vec<usize>)> {
    let damaged = || Error::input(format!("{} is no header of a .npy file", quoted(header)));
    let mut rest = header.trim().strip_prefix('{').and_then(|h| h.strip_suffix('}')).ok_or_else(damaged)?.trim();
    let (mut is_big_endian, mut is_fortran, mut shape) = (None, None, None);
    while !rest.is_empty() {
        let (key, after) = string(rest).ok_or_else(damaged)?;
        let value = after.trim_start().strip_prefix(':').ok_or_else(damaged)?.trim_start();
        rest = match key {
            "descr" if is_big_endian.is_none() => {
                let structured = || Error::input("it has a structured type, want float64 ('<f8')");
                let (descr, after) = string(value).ok_or_else(structured)?;
                is_big_endian = Some(match descr {
                    "<f8" => false,
                    ">f8" => true,
                    other => return Err(Error::input(format!("its type is {}, want float64 ('<f8')", quoted(other)))),
                });
                after
            }
            "fortran_order" if is_fortran.is_none() => {
                is_fortran = Some(value.starts_with("True"));
                value.strip_prefix("True").or(value.strip_prefix("False")).ok_or_else(damaged)?
            }
            "shape" if shape.is_none() => {
                let (numbers, after) = value.strip_prefix('(').and_then(|v| v.split_once(')')).ok_or_else(damaged)?;
                let words = numbers.split(',').map(str::trim).filter(|w| !w.is_empty());
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
    if is_fortran.ok_or_else(damaged)? {
        return Err(
            Error::input("it is in Fortran order, want C order").remedy("save numpy.ascontiguousarray(motions)")
        );
    }
    Ok((is_big_endian.ok_or_else(damaged)?, shape.ok_or_else(damaged)?))
}

/// A quoted string without escapes, and what follows it.
fn string(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let read = |h: &str| parse(h).map_err(|e| e.to_string());
        assert_eq!(
            read("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 6), }   \n"),
            Ok((false, vec![3, 2, 6]))
        );
        assert_eq!(read("{'shape': (), \"descr\": \">f8\", 'fortran_order': False}"), Ok((true, vec![])));
        assert_eq!(read("{'descr':'<f8','fortran_order':False,'shape':(7,)}"), Ok((false, vec![7])));
        for (header, word) in [
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "'<f4', want float64"),
            ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", "structured"),
            ("{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }", "Fortran"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }", "no header"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "no header"),
            ("{'descr': '<f8', 'fortran_order': False, }", "no header"),
            ("{'descr': '<f8' 'fortran_order': False, 'shape': (3,)}", "no header"),
            ("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", "no header"),
            ("{'é': 1}", "no header"),
            ("{é", "no header"),
            ("", "no header"),
        ] {
            let error = read(header).unwrap_err();
            assert!(error.contains(word), "{header}: {error}");
        }
    }
}
