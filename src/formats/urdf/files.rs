//! The mesh files of a URDF: their paths, and their contents, each read once.

use super::UrdfOptions;
use crate::error::{Error, Result, quoted, shortened};
use crate::formats::mesh::Mesh;
use crate::io::load::{LoadLimits, bytes_of};
use crate::robot::Triangle;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The remedy if a package is not found.
const PACKAGE_REMEDY: &str =
    "--package-path DIR adds a folder to search: the package itself, or the folder that contains it";

pub(super) struct MeshFiles {
    /// The URDF's folder.
    folder: PathBuf,
    /// The folders in which packages are searched, in this order.
    package_dirs: Vec<PathBuf>,
    known: HashMap<PathBuf, Rc<Mesh>>,
    /// The remaining limits.
    left: LoadLimits,
}

impl MeshFiles {
    pub fn new(urdf: &Path, options: &UrdfOptions, used_bytes: u64) -> Self {
        let absolute = std::path::absolute(urdf).unwrap_or_else(|_| urdf.to_path_buf());
        let folder = absolute.parent().unwrap_or(Path::new("")).to_path_buf();
        let ros = std::env::var_os("ROS_PACKAGE_PATH");
        let package_dirs = package_dirs(&folder, &options.package_paths, ros.as_deref());
        Self { folder, package_dirs, known: HashMap::new(), left: options.limits.less(used_bytes) }
    }

    /// Returns an error if these bytes exceed the remaining limits.
    pub fn check(&self, bytes: u128, what: &str) -> Result<()> {
        self.left.check(bytes, what)
    }

    /// Deducts bytes from the remaining limits.
    pub fn charge(&mut self, bytes: u128, what: &str) -> Result<()> {
        self.check(bytes, what)?;
        self.left = self.left.less(bytes as u64);
        Ok(())
    }

    /// The mesh for a `filename` of the URDF.
    pub fn load(&mut self, filename: &str) -> Result<Rc<Mesh>> {
        let path = self.find(filename)?;
        let key = path.canonicalize().unwrap_or_else(|_| path.clone());
        if let Some(mesh) = self.known.get(&key) {
            return Ok(Rc::clone(mesh));
        }
        let mesh = Rc::new(Mesh::load(&path, &self.left)?);
        self.charge(bytes_of::<Triangle>(mesh.triangles.len()), "its triangles").map_err(|e| e.in_file(&path))?;
        self.known.insert(key, Rc::clone(&mesh));
        Ok(mesh)
    }

    fn find(&self, filename: &str) -> Result<PathBuf> {
        let (dirs, names) = self.places(filename)?;
        let places = dirs.iter().flat_map(|d| names.iter().map(|n| d.join(n)));
        places.into_iter().find(|p| p.is_file()).ok_or_else(|| {
            let names: Vec<String> = names.iter().map(|name| shortened(name, 100)).collect();
            let message = format!("the mesh {} does not exist: no {}", quoted(filename), names.join(" and no "));
            let error = Error::input(message).in_folders(&dirs);
            if names.len() > 1 { error.remedy(PACKAGE_REMEDY) } else { error }
        })
    }

    /// The folders that may contain a file, and its possible names there, the likeliest first.
    fn places<'a>(&self, filename: &'a str) -> Result<(Vec<PathBuf>, Vec<&'a str>)> {
        let in_package = filename.strip_prefix("package://").or_else(|| filename.strip_prefix("model://"));
        if let Some(path) = in_package {
            // A path that begins with a slash would leave the folder in which it is searched.
            let rest = path.split_once('/').map(|(_, rest)| rest.trim_start_matches('/'));
            let rest = rest.filter(|r| !r.is_empty() && !path.starts_with('/'));
            let rest =
                rest.ok_or_else(|| Error::input(format!("{} does not name a file in a package", quoted(filename))))?;
            return Ok((self.package_dirs.clone(), vec![path, rest]));
        }
        match filename.split_once("://") {
            None => Ok((vec![self.folder.clone()], vec![filename])),
            Some(("file", path)) => Ok((vec![self.folder.clone()], vec![path])),
            Some((scheme, _)) => {
                Err(Error::input(format!("{}: files from {} are not supported", quoted(filename), quoted(scheme))))
            }
        }
    }
}

/// A folder and its ancestors, then the folders given by the caller and the ROS environment.
fn package_dirs(folder: &Path, package_paths: &[PathBuf], ros: Option<&OsStr>) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = folder.ancestors().map(Path::to_path_buf).collect();
    dirs.extend_from_slice(package_paths);
    dirs.extend(ros.iter().flat_map(std::env::split_paths).filter(|p| !p.as_os_str().is_empty()));
    dirs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_searched_near_the_file_then_in_given_folders() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let ros = std::env::join_paths(["/opt/ros", "", "/ws"]).unwrap();
        let found = package_dirs(Path::new("/a/b"), &paths(&["/told"]), Some(&ros));
        assert_eq!(found, paths(&["/a/b", "/a", "/", "/told", "/opt/ros", "/ws"]));
        assert_eq!(package_dirs(Path::new("/a"), &[], None), paths(&["/a", "/"]));
    }
}
