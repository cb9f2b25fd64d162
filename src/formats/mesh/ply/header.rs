//! The header of a PLY file: its elements with their properties.

use crate::error::{Error, Result, quoted};
use crate::io::load::text;

/// The number types; each has an old and a new name.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(word: &str) -> Result<Self> {
        Ok(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return Err(Error::input(format!("{} is not a number type", quoted(word)))),
        })
    }

    pub fn n_bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value of these bytes. It is exact: f64 represents every value of these types.
    pub fn value(self, bytes: &[u8], is_big_endian: bool) -> f64 {
        let mut little = [0; 8];
        let n = self.n_bytes().min(bytes.len());
        little[..n].copy_from_slice(&bytes[..n]);
        if is_big_endian {
            little[..n].reverse();
        }
        let raw = u64::from_le_bytes(little);
        match self {
            Self::I8 => f64::from(raw as i8),
            Self::U8 => f64::from(raw as u8),
            Self::I16 => f64::from(raw as i16),
            Self::U16 => f64::from(raw as u16),
            Self::I32 => f64::from(raw as i32),
            Self::U32 => f64::from(raw as u32),
            Self::F32 => f64::from(f32::from_bits(raw as u32)),
            Self::F64 => f64::from_bits(raw),
        }
    }
}

/// A property: a number, or a list with its counter's type.
pub(super) struct Property {
    pub name: String,
    pub counter: Option<Scalar>,
    pub scalar: Scalar,
}

pub(super) struct Element {
    pub name: String,
    pub count: usize,
    pub properties: Vec<Property>,
}

impl Element {
    pub fn property(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|p| names.contains(&p.name.as_str()))
    }

    /// Minimum number of bytes of an element.
    pub fn min_bytes(&self, is_ascii: bool) -> usize {
        let of = |p: &Property| if is_ascii { 2 } else { p.counter.unwrap_or(p.scalar).n_bytes() };
        self.properties.iter().map(of).sum()
    }
}

/// Maximum length of a header, bytes.
const MAX_HEADER: usize = 1 << 16;

/// Splits a file into the header's text and the bytes after its last line.
pub(super) fn split_header(bytes: &[u8]) -> Result<(&str, &[u8])> {
    if !(bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r")) {
        return Err(Error::input("it does not begin with 'ply'"));
    }
    let mut at = 0;
    for line in bytes[..bytes.len().min(MAX_HEADER)].split_inclusive(|&b| b == b'\n') {
        at += line.len();
        if line.trim_ascii() == b"end_header" && line.ends_with(b"\n") {
            return Ok((text(&bytes[..at])?, &bytes[at..]));
        }
    }
    Err(Error::input(format!("its header has no end within {MAX_HEADER} bytes: truncated")))
}

/// The format and the elements that a header declares.
pub(super) fn parse_header(header: &str) -> Result<(&str, Vec<Element>)> {
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    for (i, line) in header.lines().enumerate().skip(1) {
        let here = |e: Error| e.at(format!("line {}", i + 1));
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            [] | ["comment" | "obj_info", ..] | ["end_header"] => {}
            ["format", name, "1.0"] if format.is_none() => format = Some(name),
            ["element", name, count] => {
                let count =
                    count.parse().map_err(|_| here(Error::input(format!("{} is not a count", quoted(count)))))?;
                if elements.iter().any(|e| e.name == name) {
                    return Err(here(Error::input(format!("the element {} is declared twice", quoted(name)))));
                }
                elements.push(Element { name: name.to_string(), count, properties: Vec::new() });
            }
            ["property", ref kind @ .., name] => {
                let (counter, scalar) = match kind {
                    ["list", counter, scalar] => (Some(Scalar::parse(counter).map_err(here)?), scalar),
                    [scalar] => (None, scalar),
                    _ => return Err(here(Error::input(format!("{} is not a property", quoted(line))))),
                };
                let scalar = Scalar::parse(scalar).map_err(here)?;
                let element = elements
                    .last_mut()
                    .ok_or_else(|| here(Error::input("a property is declared before any element")))?;
                if element.properties.iter().any(|p| p.name == name) {
                    return Err(here(Error::input(format!("the property {} is declared twice", quoted(name)))));
                }
                element.properties.push(Property { name: name.to_string(), counter, scalar });
            }
            _ => return Err(here(Error::input(format!("unexpected {}", quoted(line))))),
        }
    }
    Ok((format.ok_or_else(|| Error::input("its header does not declare format 1.0"))?, elements))
}
