//! Arrays of callers: pointer, size and strides.

use crate::memory::collect;
use firstcontact::{Error, Result};
use std::marker::PhantomData;

/// Rows of numbers in memory of the caller, such as configurations or vertices. Row i, column j is at
/// data[i * row_stride + j * column_stride].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcRows {
    /// The first number; it may be null if there are no numbers.
    pub data: *const f64,
    /// Number of rows.
    pub n_rows: usize,
    /// Number of columns.
    pub n_columns: usize,
    /// Numbers from a row to the next; 0 repeats the first row.
    pub row_stride: isize,
    /// Numbers from a column to the next.
    pub column_stride: isize,
}

/// Rows of indices in memory of the caller, such as edges (two columns) or triangles (three columns).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcIndices {
    /// The first index; it may be null if there are none.
    pub data: *const u32,
    /// Number of rows.
    pub n_rows: usize,
    /// Number of columns.
    pub n_columns: usize,
    /// Indices from a row to the next.
    pub row_stride: isize,
    /// Indices from a column to the next.
    pub column_stride: isize,
}

/// Rows that follow one another without gaps.
#[unsafe(no_mangle)]
pub extern "C" fn fc_rows(data: *const f64, n_rows: usize, n_columns: usize) -> FcRows {
    FcRows { data, n_rows, n_columns, row_stride: n_columns as isize, column_stride: 1 }
}

/// Rows of indices that follow one another without gaps.
#[unsafe(no_mangle)]
pub extern "C" fn fc_indices(data: *const u32, n_rows: usize, n_columns: usize) -> FcIndices {
    FcIndices { data, n_rows, n_columns, row_stride: n_columns as isize, column_stride: 1 }
}

/// Maximum number of columns, so that a row always fits into memory.
const MAX_COLUMNS: usize = 1 << 28;

/// Rows that can be read.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, T> {
    data: *const T,
    n_rows: usize,
    n_columns: usize,
    strides: [isize; 2],
    memory: PhantomData<&'a [T]>,
}

/// Rows of numbers.
///
/// # Safety
/// The pointer is null or to valid rows, whose memory is valid for reading and does not change for `'a`.
///
/// # Errors
/// The pointer or the data is null, or the rows are beyond the range of addresses.
pub(crate) unsafe fn rows<'a>(from: *const FcRows, name: &str) -> Result<Rows<'a, f64>> {
    if from.is_null() || !from.is_aligned() {
        return Err(Error::usage(format!("the pointer {name} is null or not aligned")));
    }
    // SAFETY: the pointer is not null and aligned, and the caller promises the rest.
    let FcRows { data, n_rows, n_columns, row_stride, column_stride } = unsafe { *from };
    Rows::new(data, [n_rows, n_columns], [row_stride, column_stride]).map_err(|e| e.at(name))
}

/// Rows of numbers, or nothing for a null pointer.
///
/// # Safety
/// As [`rows`].
///
/// # Errors
/// As [`rows`], but for a null pointer.
pub(crate) unsafe fn optional_rows<'a>(from: *const FcRows, name: &str) -> Result<Option<Rows<'a, f64>>> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    unsafe { rows(from, name) }.map(Some)
}

/// Rows of indices.
///
/// # Safety
/// As [`rows`].
///
/// # Errors
/// As [`rows`], or the number of columns is not `n_columns`.
pub(crate) unsafe fn indices<'a>(from: *const FcIndices, n_columns: usize, name: &str) -> Result<Rows<'a, u32>> {
    if from.is_null() || !from.is_aligned() {
        return Err(Error::usage(format!("the pointer {name} is null or not aligned")));
    }
    // SAFETY: the pointer is not null and aligned, and the caller promises the rest.
    let of = unsafe { *from };
    let read = Rows::new(of.data, [of.n_rows, of.n_columns], [of.row_stride, of.column_stride]);
    read.and_then(|rows| rows.with_columns(n_columns)).map_err(|e| e.at(name))
}

/// One row of numbers.
///
/// # Safety
/// The pointer is null or valid for reading `n` numbers, which do not change for `'a`.
///
/// # Errors
/// The pointer is null although there are numbers.
pub(crate) unsafe fn row<'a>(from: *const f64, n: usize, name: &str) -> Result<Rows<'a, f64>> {
    Rows::new(from, [1, n], [0, 1]).map_err(|e| e.at(name))
}

impl<T: Copy> Rows<'_, T> {
    fn new(data: *const T, [n_rows, n_columns]: [usize; 2], strides: [isize; 2]) -> Result<Self> {
        if n_rows == 0 || n_columns == 0 {
            return Ok(Self { data, n_rows, n_columns, strides, memory: PhantomData });
        }
        if data.is_null() {
            let message = format!("the data of {n_rows} rows of {n_columns} columns is null");
            return Err(Error::usage(message).remedy("set the number of rows to 0, or the data"));
        }
        let reach =
            |n: usize, stride: isize| i128::try_from(n - 1).unwrap_or(i128::MAX / 4) * stride.unsigned_abs() as i128;
        let reach = reach(n_rows, strides[0]).saturating_add(reach(n_columns, strides[1]));
        let n_all = n_rows.checked_mul(n_columns).and_then(|n| n.checked_mul(size_of::<T>()));
        if n_all.is_none_or(|n| n > isize::MAX as usize) || reach > (isize::MAX / size_of::<T>() as isize) as i128 {
            let message = format!("{n_rows} rows of {n_columns} columns exceed the address space");
            return Err(Error::usage(message).remedy("strides are in numbers, not in bytes"));
        }
        if n_columns > MAX_COLUMNS {
            return Err(Error::usage(format!("{n_columns} columns: the maximum is {MAX_COLUMNS}")));
        }
        Ok(Self { data, n_rows, n_columns, strides, memory: PhantomData })
    }

    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The same rows.
    ///
    /// # Errors
    /// The rows have another number of columns.
    pub fn with_columns(self, n_columns: usize) -> Result<Self> {
        if self.n_columns == n_columns || self.n_rows == 0 {
            return Ok(Self { n_columns, ..self });
        }
        Err(Error::usage(format!("{} columns where {n_columns} are needed", self.n_columns)))
    }

    /// Number `j` of row `i`; both must be within the array.
    pub fn at(&self, i: usize, j: usize) -> T {
        assert!(i < self.n_rows && j < self.n_columns, "row {i}, column {j} is outside an array");
        let at = i as isize * self.strides[0] + j as isize * self.strides[1];
        // SAFETY: the place is within the array, whose memory is valid as `rows` demands; its range was checked there.
        unsafe { self.data.offset(at).read_unaligned() }
    }

    /// Appends row `i` to a list.
    pub fn append_to(&self, i: usize, list: &mut Vec<T>) {
        list.extend((0..self.n_columns).map(|j| self.at(i, j)));
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Vec<T> {
        (0..self.n_columns).map(|j| self.at(i, j)).collect()
    }

    /// All rows.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn to_vecs(self) -> Result<Vec<Vec<T>>> {
        collect((0..self.n_rows).map(|i| self.row(i)), "rows")
    }
}

// SAFETY: rows are read only, and the caller promises that their memory does not change.
unsafe impl<T: Sync> Sync for Rows<'_, T> {}
// SAFETY: likewise.
unsafe impl<T: Sync> Send for Rows<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_lead_to_any_layout() {
        let numbers: Vec<f64> = (0..12).map(f64::from).collect();
        let read = |n_rows, n_columns, row_stride, column_stride| {
            let of = FcRows { data: numbers.as_ptr(), n_rows, n_columns, row_stride, column_stride };
            // SAFETY: the strides stay within the numbers.
            unsafe { rows(&of, "of") }.unwrap().to_vecs().unwrap()
        };
        assert_eq!(read(2, 3, 3, 1), [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
        assert_eq!(read(2, 3, 1, 4), [[0.0, 4.0, 8.0], [1.0, 5.0, 9.0]]);
        assert_eq!(read(3, 1, 0, 1), [[0.0], [0.0], [0.0]]);
        // SAFETY: as above.
        let dense = unsafe { rows(&fc_rows(numbers.as_ptr(), 4, 3), "of") }.unwrap();
        assert_eq!(dense.row(3), [9.0, 10.0, 11.0]);
    }

    #[test]
    fn impossible_arrays_are_refused() {
        let number = 1.0;
        let bad = [
            FcRows { data: std::ptr::null(), ..fc_rows(&number, 1, 1) },
            fc_rows(&number, usize::MAX, 2),
            fc_rows(&number, 1 << 40, 1 << 40),
            FcRows { row_stride: 0, column_stride: 0, ..fc_rows(&number, 1 << 62, 2) },
            FcRows { column_stride: 0, ..fc_rows(&number, 1, MAX_COLUMNS + 1) },
            FcRows { row_stride: isize::MAX, ..fc_rows(&number, 3, 1) },
            FcRows { row_stride: isize::MIN, ..fc_rows(&number, 3, 1) },
        ];
        for of in bad {
            // SAFETY: the rows are refused before anything is read.
            assert!(unsafe { rows(&of, "of") }.is_err(), "{of:?}");
        }
        // SAFETY: null pointers are refused or without rows.
        unsafe {
            assert!(rows(std::ptr::null(), "of").is_err());
            assert!(rows(&fc_rows(std::ptr::null(), 0, 6), "of").is_ok());
            assert!(indices(&fc_indices(&1, 1, 1), 3, "of").is_err());
        }
    }
}
