//! Arrays that are read whole, as numbers in C order.

use super::AT_A_TIME;
use super::element::Element;
use super::header::Header;
use crate::error::{Error, Result};
use crate::formats::stream::unreadable;
use crate::io::load::{LoadLimits, bytes_of};
use std::io::Read;

/// All numbers of an array.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::formats) struct Numbers {
    pub shape: Vec<usize>,
    /// In C order.
    pub values: Vec<f64>,
}

impl Numbers {
    /// Reads a `.npy` file to its end. Memory is allocated only for numbers that have been read.
    ///
    /// # Errors
    /// It is malformed, its numbers do not fit the limits or its shape, or one of them is not exact in `f64`.
    pub fn read(mut source: impl Read, limits: &LoadLimits) -> Result<Self> {
        let Header { descr, is_fortran, shape, .. } = Header::read(&mut source)?;
        let element = Element::parse(&descr)?;
        let n = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).unwrap_or(usize::MAX);
        // Growing lists take twice their contents, and reordering needs another copy.
        limits.check(2 * bytes_of::<f64>(n), "its numbers")?;
        let mut values = Vec::new();
        let size = element.n_bytes();
        while values.len() < n {
            let some = (n - values.len()).min(AT_A_TIME);
            let mut bytes = Vec::new();
            (&mut source).take((some * size) as u64).read_to_end(&mut bytes).map_err(unreadable)?;
            if bytes.len() < some * size {
                return Err(wrong_size(n, size, &(values.len() * size + bytes.len()).to_string()));
            }
            let first = values.len();
            values.resize(first + some, 0.0);
            element.convert(&bytes, &mut values[first..]).map_err(|i| inexact(first + i, &shape, is_fortran))?;
        }
        // The checksum of a file in an archive is verified when its end is read.
        match source.read(&mut [0]).map_err(unreadable)? {
            0 => Ok(Self { values: if is_fortran { in_c_order(&values, &shape) } else { values }, shape }),
            _ => Err(wrong_size(n, size, "more")),
        }
    }
}

fn wrong_size(n: usize, size: usize, found: &str) -> Error {
    let message = format!("its shape takes {} bytes, the file has {found}", n as u128 * size as u128);
    Error::input(format!("{message}: truncated or damaged"))
}

/// An error about the integer with an index in the order of the file.
fn inexact(mut i: usize, shape: &[usize], is_fortran: bool) -> Error {
    let mut place = vec![0; shape.len()];
    let mut digit = |k: usize| {
        place[k] = i % shape[k];
        i /= shape[k];
    };
    if is_fortran {
        (0..shape.len()).for_each(&mut digit)
    } else {
        (0..shape.len()).rev().for_each(&mut digit)
    }
    let message = "it is an integer beyond 2^53 that a float64 cannot represent";
    Error::input(message).at(format!("element {place:?}"))
}

/// Numbers in C order from numbers whose first index varies fastest.
fn in_c_order(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let strides: Vec<usize> = shape.iter().scan(1, |n, size| Some(std::mem::replace(n, *n * size))).collect();
    let (mut index, mut at) = (vec![0; shape.len()], 0);
    let mut next = || {
        let value = values[at];
        for k in (0..shape.len()).rev() {
            index[k] += 1;
            at += strides[k];
            if index[k] < shape[k] {
                break;
            }
            at -= strides[k] * shape[k];
            index[k] = 0;
        }
        value
    };
    (0..values.len()).map(|_| next()).collect()
}
