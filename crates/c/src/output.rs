//! Outputs: memory of the caller that a function writes.

use firstcontact::{Error, Result};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A place for a value.
pub struct Output<'a, T>(NonNull<T>, PhantomData<&'a mut T>);

/// The place behind a pointer.
///
/// # Safety
/// The pointer is null, or valid for writing a `T`.
///
/// # Errors
/// The pointer is null or not aligned for a `T`.
pub unsafe fn output<'a, T>(to: *mut T, name: &str) -> Result<Output<'a, T>> {
    match NonNull::new(to) {
        Some(to) if to.is_aligned() => Ok(Output(to, PhantomData)),
        Some(_) => Err(Error::usage(format!("the pointer {name} is not aligned"))),
        None => Err(Error::usage(format!("the pointer {name} is null")).remedy("pass the address of a variable")),
    }
}

/// The place behind a pointer that may be null.
///
/// # Safety
/// As [`output`].
///
/// # Errors
/// The pointer is not aligned for a `T`.
pub unsafe fn optional_output<'a, T>(to: *mut T, name: &str) -> Result<Option<Output<'a, T>>> {
    // SAFETY: as the caller promises.
    if to.is_null() { Ok(None) } else { unsafe { output(to, name) }.map(Some) }
}

impl<T> Output<'_, T> {
    /// Writes the value. What was there before is not dropped: the caller may not have set it.
    pub fn set(self, value: T) {
        // SAFETY: the pointer is valid for writing and aligned, as `output` demands and checks.
        unsafe { self.0.write(value) }
    }
}

/// An array with a stride for a known number of values.
pub struct Outputs<'a, T> {
    first: *mut T,
    stride_bytes: isize,
    length: usize,
    memory: PhantomData<&'a mut [T]>,
}

/// The array that starts at a pointer; consecutive values are `stride_bytes` apart.
///
/// # Safety
/// The pointer is null, or valid for writing `length` values with this stride.
///
/// # Errors
/// The pointer is null although there are values, or values would overlap or be beyond the range of addresses.
pub unsafe fn outputs<'a, T>(first: *mut T, length: usize, stride_bytes: isize, name: &str) -> Result<Outputs<'a, T>> {
    if first.is_null() && length > 0 {
        return Err(Error::usage(format!("the array {name} is null"))
            .remedy(format!("pass an array with room for {length} values")));
    }
    if length > 1 && stride_bytes.unsigned_abs() < size_of::<T>() {
        let message = format!("values of {} bytes with a stride of {stride_bytes} bytes overlap", size_of::<T>());
        return Err(Error::usage(message).at(name).remedy("the stride is in bytes"));
    }
    let reach = isize::try_from(length).ok().and_then(|length| length.checked_mul(stride_bytes));
    if reach.is_none() {
        return Err(Error::usage(format!("{length} values exceed the address space")).at(name));
    }
    Ok(Outputs { first, stride_bytes, length, memory: PhantomData })
}

impl<T> Outputs<'_, T> {
    /// Writes value `i`; beyond the end nothing happens.
    pub fn set(&mut self, i: usize, value: T) {
        if i < self.length {
            // SAFETY: value `i` is within the array, which is valid for writing as `outputs` demands.
            unsafe { self.first.byte_offset(i as isize * self.stride_bytes).write_unaligned(value) }
        }
    }
}
