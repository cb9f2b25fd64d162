//! A short text that is attached to a file itself, as an extended attribute: it moves with the file, disappears when
//! the file is replaced, and needs no second file. Some file systems do not support such attributes.

use std::fs::File;

/// The name of the attribute.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
const NAME: &str = "user.firstcontact.run";

/// Attaches a text, and returns whether the file system keeps it.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn write(file: &File, text: &str) -> bool {
    rustix::fs::fsetxattr(file, NAME, text.as_bytes(), rustix::fs::XattrFlags::empty()).is_ok()
}

/// Returns the text that is attached to a file.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn read(file: &File) -> Option<String> {
    let mut text = vec![0; 4096];
    let n = rustix::fs::fgetxattr(file, NAME, &mut text[..]).ok()?;
    text.truncate(n);
    String::from_utf8(text).ok()
}

/// Returns `false`: not supported on this system.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn write(_: &File, _: &str) -> bool {
    false
}

/// Returns `None`: not supported on this system.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn read(_: &File) -> Option<String> {
    None
}
