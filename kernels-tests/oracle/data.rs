//! Where the real inputs are.

use std::path::PathBuf;

/// A folder of the data set collection named by the environment variable `FIRSTCONTACT_DATA`.
///
/// Without the variable the caller's test has nothing to do: a line says so, and `None` comes back.
///
/// # Panics
/// The variable is set, but there is no such folder: that is a mistake, not a reason to skip.
pub fn folder(name: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("FIRSTCONTACT_DATA") else {
        println!("skipped: FIRSTCONTACT_DATA is not set");
        return None;
    };
    let path = PathBuf::from(root).join(name);
    assert!(path.is_dir(), "FIRSTCONTACT_DATA is set, but {} is not a folder", path.display());
    Some(path)
}

/// Whether whole data sets are asked for where a part does for every day.
pub fn slow() -> bool {
    crate::effort(0, 1) == 1
}

/// All of a list, or every twentieth of it in a build without optimisation, which is that much slower.
pub fn bearable<T>(list: Vec<T>) -> Vec<T> {
    let step = if cfg!(debug_assertions) { 20 } else { 1 };
    list.into_iter().step_by(step).collect()
}
