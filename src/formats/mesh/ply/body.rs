//! The body of a PLY file: elements, one after the other, as text or as bytes.

use super::header::{Element, Scalar};
use super::shown;
use crate::error::{Error, Result, quoted};

/// The body, from which elements are taken one by one.
pub(super) enum Source<'a> {
    Text { lines: std::str::Lines<'a>, line: usize },
    Binary { rest: &'a [u8], is_big_endian: bool },
}

impl Source<'_> {
    /// Takes one element and keeps the values of the wanted properties.
    pub fn element(&mut self, element: &Element, wanted: &[usize], values: &mut Vec<f64>) -> Result<()> {
        match self {
            Self::Text { lines, line } => {
                let mut words = loop {
                    *line += 1;
                    let text = lines.next().ok_or_else(|| Error::input("it ends before this element: truncated"))?;
                    let mut words = text.split_ascii_whitespace().peekable();
                    if words.peek().is_some() {
                        break words;
                    }
                };
                let here = |e: Error| e.at(format!("line {line}"));
                let mut next = |_| number(words.next().unwrap_or_default()).map_err(here);
                take(element, wanted, values, &mut next).map_err(here)?;
                match words.next() {
                    Some(word) => {
                        Err(here(Error::input(format!("{} follows the last number of its element", quoted(word)))))
                    }
                    None => Ok(()),
                }
            }
            Self::Binary { rest, is_big_endian } => take(element, wanted, values, &mut |scalar: Scalar| {
                let (own, after) = rest
                    .split_at_checked(scalar.n_bytes())
                    .ok_or_else(|| Error::input("it ends within this element: truncated"))?;
                *rest = after;
                Ok(scalar.value(own, *is_big_endian))
            }),
        }
    }

    /// Returns an error if data remains, except for blank lines.
    pub fn end(self) -> Result<()> {
        let left = match self {
            Self::Text { mut lines, .. } => lines.any(|l| !l.trim().is_empty()),
            Self::Binary { rest, .. } => !rest.trim_ascii().is_empty(),
        };
        if left { Err(Error::input("it continues after its last element: damaged")) } else { Ok(()) }
    }
}

/// Takes the properties of one element in their order; `next` gives the next number of a type.
fn take(
    element: &Element,
    wanted: &[usize],
    values: &mut Vec<f64>,
    next: &mut impl FnMut(Scalar) -> Result<f64>,
) -> Result<()> {
    for (i, property) in element.properties.iter().enumerate() {
        let n = match property.counter.map(&mut *next).transpose()? {
            None => 1,
            // A list longer than the body ends with an error at its first missing number.
            Some(n) if n >= 0.0 && n.fract() == 0.0 => n as usize,
            Some(n) => {
                return Err(Error::input(format!(
                    "the length of a list is {}, not a whole number of at least 0",
                    shown(n)
                )));
            }
        };
        for _ in 0..n {
            let value = next(property.scalar)?;
            if wanted.contains(&i) {
                values.push(value);
            }
        }
    }
    Ok(())
}

/// Parses a number that may be NaN or infinite, as normals may be; coordinates are checked where they are used.
fn number(word: &str) -> Result<f64> {
    word.parse().map_err(|_| Error::input(format!("{} is not a number", quoted(word))))
}
