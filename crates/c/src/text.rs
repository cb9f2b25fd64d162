//! Texts of callers, and texts for them.

use crate::status::c_string;
use firstcontact::{Error, Result};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::path::PathBuf;

/// A text that a function returns; it is also zero-terminated.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcText {
    /// The first byte, UTF-8.
    pub data: *const c_char,
    /// Number of bytes, without the zero byte.
    pub length: usize,
}

impl FcText {
    /// A view of a text, valid as long as that.
    pub(crate) fn of(text: &CStr) -> Self {
        Self { data: text.as_ptr(), length: text.count_bytes() }
    }
}

/// The text behind a pointer.
///
/// # Safety
/// The pointer is null, or to a text that ends with a zero byte and lives for `'a`.
///
/// # Errors
/// The pointer is null, or the text is not UTF-8.
pub unsafe fn text<'a>(from: *const c_char, name: &str) -> Result<&'a str> {
    if from.is_null() {
        return Err(Error::usage(format!("the text {name} is null")));
    }
    // SAFETY: the pointer is not null, and the caller promises the rest.
    let bytes = unsafe { CStr::from_ptr(from) };
    bytes.to_str().map_err(|_| Error::usage(format!("the text {name} is not UTF-8")))
}

/// The path behind a pointer.
///
/// # Safety
/// As [`text`].
///
/// # Errors
/// The pointer is null; or the path is not UTF-8 on a system where paths are texts.
pub unsafe fn path(from: *const c_char, name: &str) -> Result<PathBuf> {
    if from.is_null() {
        return Err(Error::usage(format!("the path {name} is null")));
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: the pointer is not null, and the caller promises the rest.
        let bytes = unsafe { CStr::from_ptr(from) }.to_bytes();
        Ok(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    {
        // SAFETY: as the caller promises.
        unsafe { text(from, name) }.map(PathBuf::from)
    }
}

/// Reads a pointer that may be null with one of the functions above; `None` for null.
///
/// # Safety
/// As `read`.
pub unsafe fn optional<T>(
    from: *const c_char,
    name: &str,
    read: unsafe fn(*const c_char, &str) -> Result<T>,
) -> Result<Option<T>> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    unsafe { read(from, name) }.map(Some)
}

/// A list of texts.
///
/// # Safety
/// The pointer is null, or valid for reading `n` pointers to texts.
///
/// # Errors
/// The list is null although there are texts, or a text is null or not UTF-8.
pub unsafe fn texts(list: *const *const c_char, n: usize, name: &str) -> Result<Vec<String>> {
    check_list(list, n, name)?;
    let read = |i: usize| {
        // SAFETY: as the caller promises.
        let of = unsafe { text(*list.add(i), name) };
        of.map(String::from).map_err(|e| e.at(format!("text {i}")))
    };
    (0..n).map(read).collect()
}

/// Refuses a list of `n` pointers that cannot be one.
///
/// # Errors
/// It is null although there are pointers, not aligned, or beyond the range of addresses.
pub fn check_list<T>(list: *const *const T, n: usize, name: &str) -> Result<()> {
    if n > 0 && (list.is_null() || !list.is_aligned()) {
        return Err(Error::usage(format!("the list {name} of {n} entries is null or not aligned")));
    }
    if n > isize::MAX as usize / size_of::<*const T>() {
        return Err(Error::usage(format!("the list {name} of {n} entries exceeds the address space")));
    }
    Ok(())
}

/// Names that callers read by their index.
#[derive(Debug, Default)]
pub struct Names(Vec<CString>);

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Self(names.into_iter().map(|name| c_string(name.as_ref())).collect())
    }
}

impl Names {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All names.
    pub fn iter(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.0.iter().map(|name| name.to_string_lossy())
    }

    /// Name `i`, valid as long as this list.
    ///
    /// # Errors
    /// There is no such name.
    pub fn get(&self, i: usize, what: &str) -> Result<*const c_char> {
        self.0.get(i).map(|name| name.as_ptr()).ok_or_else(|| no_such(i, self.0.len(), what))
    }

    /// The index of a name.
    ///
    /// # Errors
    /// There is no such name.
    pub fn index(&self, name: &str, what: &str) -> Result<usize> {
        self.0.iter().position(|own| own.to_bytes() == name.as_bytes()).ok_or_else(|| {
            let message = format!("no {what} is called {}", firstcontact::error::quoted(name));
            let some: Vec<_> = self.0.iter().take(12).map(|own| own.to_string_lossy()).collect();
            Error::usage(message).remedy(format!("there are {} in all: {}", self.0.len(), some.join(", ")))
        })
    }
}

/// The error for an index beyond the end.
pub fn no_such(i: usize, n: usize, what: &str) -> Error {
    Error::usage(format!("there is no {what} {i}: there are {n}, counted from 0"))
}

thread_local! {
    static HELD: RefCell<CString> = RefCell::default();
}

/// Holds a text for the caller until the next one in this thread.
pub fn hold(text: &str) -> FcText {
    let text = c_string(text);
    let view = FcText::of(&text);
    // The bytes stay where they are when the string moves.
    let _ = HELD.try_with(|held| held.replace(text));
    view
}
