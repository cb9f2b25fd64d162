//! Support for large scenes: progress bars while they are read and built, and a location for their trees.

use super::progress::Progress;
use firstcontact::io::load::Watch;
use std::path::{Path, PathBuf};

/// Number of triangles from which on a tree is stored by default: such a tree takes seconds to build.
const KEPT_FROM: u32 = 1_000_000;
/// Numbers of bytes and triangles from which a bar is displayed: less is read and built in a moment.
const SHOWN_FROM: [u64; 2] = [64 << 20, 500_000];

/// A progress bar that is on the terminal during long work, and ends with this value.
pub struct Bar(Progress);

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish();
    }
}

fn bar(phase: &'static str, unit: &'static str, least: u64) -> (Bar, Watch) {
    let bar = Progress::new(phase, unit, 0);
    let moved = bar.clone();
    let watch = Watch::new(move |done, of| {
        if of >= least {
            moved.set_total(of);
            moved.set(done);
        }
    });
    (Bar(bar), watch)
}

/// A bar for reading a file.
pub fn reading() -> (Bar, Watch) {
    bar("read", "bytes", SHOWN_FROM[0])
}

/// A bar for building a tree.
pub fn building() -> (Bar, Watch) {
    bar("in the tree", "triangles", SHOWN_FROM[1])
}

/// The location of trees.
#[derive(Clone, Debug)]
pub enum TreeCache {
    /// Next to the scene, if that is large.
    Auto,
    /// Trees are not kept.
    Off,
    /// In a folder.
    Folder(PathBuf),
}

impl From<String> for TreeCache {
    fn from(text: String) -> Self {
        match text.as_str() {
            "auto" => Self::Auto,
            "off" => Self::Off,
            _ => Self::Folder(text.into()),
        }
    }
}

impl TreeCache {
    /// The file for a scene of `n` triangles, if its tree is kept.
    pub fn file(&self, scene: &Path, n: u32) -> Option<PathBuf> {
        let mut name = scene.file_name()?.to_os_string();
        match self {
            Self::Off => None,
            Self::Auto => {
                name.push(".fctree");
                (n >= KEPT_FROM).then(|| scene.with_file_name(name))
            }
            Self::Folder(folder) => {
                // Scenes with the same name may be in many folders.
                let whole = std::path::absolute(scene).unwrap_or_else(|_| scene.to_path_buf());
                let number = blake3::hash(whole.as_os_str().as_encoded_bytes()).to_hex();
                name.push(format!("-{}.fctree", &number[..8]));
                Some(folder.join(name))
            }
        }
    }
}
