//! Fetching public data sets: download, verify, unpack, install; each set is installed either completely or not at all.

mod download;
pub mod unpack;

pub use download::Sources;

use super::manifest::{FetchSet, relative};
use firstcontact::error::{Error, ErrorKind, Result};
use firstcontact::io::output::Claim;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use unpack::Limits;

/// The file in a fetched set's folder that identifies the set.
pub const MARK: &str = "fetched.json";

/// The file that locks a folder while sets are fetched into it.
const LOCK: &str = ".fetch.lock";
/// Interval at which the lock of another process is checked.
const RETRY: Duration = Duration::from_millis(100);

/// A step of fetching, for progress reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Another process is fetching sets into the same folder; the results of that process are used.
    Wait {
        /// The message of the lock.
        why: &'a str,
    },
    /// Bytes of a file have arrived.
    Bytes {
        /// The file.
        file: &'a str,
        /// Number of bytes.
        n: u64,
    },
    /// An archive is being unpacked.
    Unpack {
        /// The archive.
        file: &'a str,
    },
}

/// Fetches sets into folders with their names in `folder`. Files that several sets share are downloaded once.
///
/// # Errors
/// A folder with the name of a set already exists; a file is not available, has the wrong content, or is a hostile
/// archive; the disk is full. Sets that were installed before the error remain. If another process is fetching into the
/// folder, this one waits.
pub fn fetch(
    sets: &[&FetchSet],
    folder: &Path,
    sources: &Sources,
    limits: &Limits,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<Vec<PathBuf>> {
    sets.iter().try_for_each(|set| relative(&set.name))?;
    let (_claim, waited) = claim(folder, progress)?;
    let is_there = |set: &FetchSet| waited && is_fetched(set, folder);
    for set in sets {
        let place = folder.join(&set.name);
        if place.exists() && !is_there(set) {
            let message = "a file or folder with this name already exists";
            return Err(Error::usage(message).in_file(place).remedy("remove it to fetch it again"));
        }
    }
    let desk = Desk::new(folder)?;
    let fetched = sets.iter().map(|set| match is_there(set) {
        true => Ok(folder.join(&set.name)),
        false => one(set, folder, &desk.0, sources, limits, progress),
    });
    fetched.collect()
}

/// Waits until no other process fetches into a folder. Also returns true if it had to wait.
fn claim(folder: &Path, progress: &mut dyn FnMut(Step<'_>)) -> Result<(Claim, bool)> {
    let mut waits = false;
    loop {
        match Claim::new(&folder.join(LOCK)) {
            Err(e) if e.kind() == ErrorKind::Busy => {
                if !std::mem::replace(&mut waits, true) {
                    progress(Step::Wait { why: &e.to_string() });
                }
                std::thread::sleep(RETRY);
            }
            claimed => return claimed.map(|claim| (claim, waits)),
        }
    }
}

/// Returns whether a set's folder exists and has this version.
pub fn is_fetched(set: &FetchSet, folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join(&set.name).join(MARK)).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|d| d["version"] == set.version.as_str())
}

fn one(
    set: &FetchSet,
    folder: &Path,
    desk: &Path,
    sources: &Sources,
    limits: &Limits,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<PathBuf> {
    let staged = desk.join("sets").join(&set.name);
    let trouble = |path: &Path| {
        let path = path.to_path_buf();
        move |e: std::io::Error| Error::usage(format!("cannot write: {e}")).in_file(&path)
    };
    fs::create_dir_all(&staged).map_err(trouble(&staged))?;
    for file in &set.download {
        let mut heard = |n| progress(Step::Bytes { file: &file.file, n });
        if file.take.is_empty() {
            sources.get(set, file, &staged.join(&file.file), &mut heard)?;
            continue;
        }
        // The file name is kept, since it determines the type of the archive; the hash separates archives with the same
        // name.
        let archive = desk.join("downloads").join(&file.sha256).join(&file.file);
        if archive.exists() {
            heard(file.size);
        } else {
            let coming = archive.with_extension("part");
            sources.get(set, file, &coming, &mut heard)?;
            fs::rename(&coming, &archive).map_err(trouble(&archive))?;
        }
        progress(Step::Unpack { file: &file.file });
        unpack::unpack(&archive, &file.take, &staged, limits)?;
    }
    let files: Vec<_> = set.download.iter().map(|d| json!({ "file": d.file, "sha256": d.sha256 })).collect();
    let mark = json!({
        "name": set.name, "about": set.about, "version": set.version, "licence": set.licence, "source": set.source,
        "files": files,
    });
    let text = serde_json::to_string_pretty(&mark).map_err(|e| Error::usage(e.to_string()))?;
    fs::write(staged.join(MARK), text + "\n").map_err(trouble(&staged))?;
    let place = folder.join(&set.name);
    fs::rename(&staged, &place).map_err(trouble(&place))?;
    Ok(place)
}

/// A working folder on the disk on which the sets are installed; it is removed when this value is dropped.
struct Desk(PathBuf);

impl Desk {
    fn new(folder: &Path) -> Result<Self> {
        let desk = folder.join(format!(".fetch-{}", std::process::id()));
        // It may remain from an earlier process with the same process number.
        let _ = fs::remove_dir_all(&desk);
        match fs::create_dir_all(&desk) {
            Ok(()) => Ok(Self(desk)),
            Err(e) => Err(Error::usage(format!("cannot write: {e}")).in_file(folder)),
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // A failure has no consequences.
        let _ = fs::remove_dir_all(&self.0);
    }
}
