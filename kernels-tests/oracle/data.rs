//! Location of the real inputs.

use crate::harness::skipped;
use std::path::PathBuf;

/// The data set collection at the path in the environment variable `FIRSTCONTACT_DATA`. Without the variable the
/// caller's test is reported as skipped.
#[track_caller]
pub fn root() -> Option<PathBuf> {
    let root = std::env::var_os("FIRSTCONTACT_DATA").map(PathBuf::from);
    if root.is_none() {
        skipped::report("FIRSTCONTACT_DATA is not set");
    }
    root
}

/// A folder of the data set collection. Without the collection the caller's test is reported as skipped.
///
/// # Panics
/// The variable is set, but there is no such folder: that is an error, not a reason to skip.
#[track_caller]
pub fn folder(name: &str) -> Option<PathBuf> {
    let path = root()?.join(name);
    assert!(path.is_dir(), "FIRSTCONTACT_DATA is set, but {} is not a folder", path.display());
    Some(path)
}

/// Returns whether whole data sets are requested; otherwise tests use a part of them.
pub fn slow() -> bool {
    crate::effort(0, 1) == 1
}

/// The whole list, or every twentieth item in a build without optimisation, which is about that much slower.
pub fn bearable<T>(list: Vec<T>) -> Vec<T> {
    let step = if cfg!(debug_assertions) { 20 } else { 1 };
    list.into_iter().step_by(step).collect()
}
