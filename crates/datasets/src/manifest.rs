//! `datasets/manifest.toml`: public data sets, their sources, and the names of the runs that use them.

use firstcontact::error::{Error, Result};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::{Component, Path};

/// Sets that can be fetched, and the runs that use them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The sets.
    #[serde(rename = "set")]
    pub sets: Vec<FetchSet>,
    /// Names that `--dataset` accepts in addition to the generated sets.
    #[serde(default, rename = "run")]
    pub runs: Vec<NamedRun>,
}

/// A public data set; it is installed into a folder with its name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FetchSet {
    /// The folder.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// The version of the source.
    pub version: String,
    /// SPDX expression.
    pub licence: String,
    /// The source: a web page.
    pub source: String,
    /// The common prefix of the addresses of single files; absent if the files are only in a mirror.
    pub base: Option<String>,
    /// A note for the user if the set has no known address.
    pub note: Option<String>,
    /// The files to download.
    pub download: Vec<Download>,
}

/// A file to download: a file of the set, or an archive from which files are taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Download {
    /// Its path in a mirror, and, for a single file, in the set's folder.
    pub file: String,
    /// Its path under the set's `base`, if it differs.
    pub at: Option<String>,
    /// The package in the Python package index that contains the file with this name.
    pub package: Option<String>,
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// Size, bytes.
    pub size: u64,
    /// For archives: prefixes of the paths to take, and their replacements in the set's folder.
    #[serde(default)]
    pub take: Vec<[String; 2]>,
}

/// A named combination of robot and scene.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedRun {
    /// The name; for a family of problems, the part before the slash.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// The robot's file; the path begins with the folder of a set.
    pub robot: String,
    /// Pose of the root link: x y z (metres), roll pitch yaw (radians).
    #[serde(default)]
    pub base: [f64; 6],
    /// The scene's file; absent if each problem has its own.
    pub scene: Option<String>,
    /// The prefix of the mesh paths in a URDF scene, and the folder to use instead (beginning with the folder of a
    /// set): for sets whose files are arranged differently from the package that contains them.
    pub meshes: Option<[String; 2]>,
    /// Starts and goals; random motions if absent.
    pub problems: Option<Problems>,
}

/// An archive of planning problems.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problems {
    /// The archive; the path begins with the folder of a set.
    pub archive: String,
    /// Suffix of the names of its folders.
    pub suffix: String,
    /// The kind; absent if it is the part of the name after the slash.
    pub kind: Option<String>,
}

impl Manifest {
    /// The manifest of this version.
    ///
    /// # Errors
    /// No error in practice: a test reads the manifest.
    pub fn built_in() -> Result<Self> {
        Self::parse(include_str!("../../../datasets/manifest.toml"))
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// The manifest is malformed, names are not unique, a path is absolute or outside of its folder, or a hash is not
    /// valid.
    pub fn parse(text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text).map_err(|e| Error::input(format!("TOML: {}", e.message())))?;
        manifest.check().map_err(|e| e.in_file("manifest.toml"))?;
        Ok(manifest)
    }

    /// The set with this name.
    ///
    /// # Errors
    /// No set has this name.
    pub fn set(&self, name: &str) -> Result<&FetchSet> {
        self.sets.iter().find(|set| set.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.sets.iter().map(|s| s.name.as_str()).collect();
            let remedy = format!("available: {}", names.join(", "));
            Error::usage(format!("there is no data set '{name}' to fetch")).remedy(remedy)
        })
    }

    /// The run for `--dataset NAME` or `NAME/REST`, and `REST`.
    pub fn run<'a>(&self, name: &'a str) -> Option<(&NamedRun, &'a str)> {
        let find = |name: &str| self.runs.iter().find(|run| run.name == name);
        let cut = || name.rsplit_once('/').and_then(|(name, rest)| Some((find(name)?, rest)));
        find(name).map(|run| (run, "")).or_else(cut)
    }

    fn check(&self) -> Result<()> {
        let mut names = HashSet::new();
        for set in &self.sets {
            let here = |e: Error| e.at(format!("set '{}'", set.name));
            if !names.insert(&set.name) || set.name.contains('/') {
                return Err(here(Error::input("its name is already used, or has a slash")));
            }
            for download in &set.download {
                let paths = download.take.iter().map(|[_, to]| to).chain([&set.name, &download.file]);
                paths.filter(|p| !p.is_empty()).try_for_each(|path| relative(path)).map_err(here)?;
                if download.sha256.len() != 64 || !download.sha256.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return Err(here(Error::input(format!("{} has no SHA-256", download.file))));
                }
            }
        }
        for run in &self.runs {
            let here = |e: Error| e.at(format!("run '{}'", run.name));
            if !names.insert(&run.name) {
                return Err(here(Error::input("its name is already used")));
            }
            let meshes = run.meshes.as_ref().map(|[_, folder]| folder);
            let files = [Some(&run.robot), run.scene.as_ref(), run.problems.as_ref().map(|p| &p.archive), meshes];
            for file in files.into_iter().flatten() {
                relative(file).map_err(here)?;
                let set = file.split('/').next().unwrap_or_default();
                self.set(set).map_err(|_| here(Error::input(format!("{file} does not belong to a set"))))?;
            }
            if run.scene.is_none() && run.problems.is_none() {
                return Err(here(Error::input("it has neither a scene nor problems")));
            }
        }
        Ok(())
    }
}

impl FetchSet {
    /// Bytes to download.
    pub fn download_bytes(&self) -> u64 {
        self.download.iter().map(|d| d.size).sum()
    }
}

/// Returns an error for a path that is absolute, leads upwards, or has different meanings on different systems.
pub(super) fn relative(path: &str) -> Result<()> {
    let plain = |c: char| !c.is_control() && !"\\:".contains(c);
    let inside = !path.is_empty() && Path::new(path).components().all(|c| matches!(c, Component::Normal(_)));
    if inside && !path.starts_with('/') && path.chars().all(plain) {
        return Ok(());
    }
    Err(Error::input(format!("the path {} leaves its folder", firstcontact::error::quoted(path))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &str = "[[set]]\nname = 's'\nabout = ''\nversion = '1'\nlicence = 'MIT'\nsource = ''\n";

    fn download(file: &str) -> String {
        format!("{SET}download = [{{ file = '{file}', sha256 = '{}', size = 1 }}]\n", "0".repeat(64))
    }

    #[test]
    fn the_built_in_manifest_is_valid() {
        let manifest = Manifest::built_in().unwrap();
        for set in &manifest.sets {
            assert!(set.base.is_some() || set.note.is_some() || set.download.iter().all(|d| d.package.is_some()));
            assert!(!set.licence.is_empty() && !set.about.is_empty() && set.download_bytes() > 0, "{}", set.name);
        }
        let (run, kind) = manifest.run("mbm-panda/box").unwrap();
        assert_eq!((run.name.as_str(), kind), ("mbm-panda", "box"));
        assert_eq!(manifest.run("mbm-panda/kitchen").unwrap().0.name, "mbm-panda/kitchen");
        assert!(manifest.run("pipes").is_none());
    }

    #[test]
    fn paths_stay_in_their_folder() {
        assert!(Manifest::parse(&download("a/b.stl")).is_ok());
        for path in ["/a", "../a", "a/../b", "a\\\\b", "c:a", "."] {
            assert!(Manifest::parse(&download(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn runs_must_refer_to_known_sets() {
        let run = |robot: &str| {
            format!("{}[[run]]\nname = 'r'\nabout = ''\nscene = 's/x'\nrobot = '{robot}'\n", download("a"))
        };
        assert!(Manifest::parse(&run("s/r.urdf")).is_ok());
        let message = Manifest::parse(&run("t/r.urdf")).unwrap_err().to_string();
        assert!(message.contains("does not belong to a set"), "{message}");
        assert!(Manifest::parse("[[set]]").is_err());
    }
}
