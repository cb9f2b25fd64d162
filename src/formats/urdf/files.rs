//! The mesh files of a URDF: their paths, and their contents, each read once.

use super::UrdfOptions;
use crate::error::{Error, Result, quoted, shortened};
use crate::formats::mesh::Mesh;
use crate::formats::packages::Packages;
use crate::io::load::{LoadLimits, bytes_of};
use crate::robot::Triangle;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The remedy if a package is not found.
const PACKAGE_REMEDY: &str =
    "--package-path DIR adds a folder to search: the package itself, or the folder that contains it";

pub(super) struct MeshFiles {
    /// The URDF's folder.
    folder: PathBuf,
    packages: Packages,
    known: HashMap<PathBuf, Rc<Mesh>>,
    /// Folders that served as packages of another name, with that name.
    stand_ins: HashMap<PathBuf, String>,
    /// Folders that served as several packages, in words.
    pub warnings: Vec<String>,
    /// The remaining limits.
    left: LoadLimits,
}

impl MeshFiles {
    pub fn new(urdf: &Path, options: &UrdfOptions, used_bytes: u64) -> Self {
        let absolute = std::path::absolute(urdf).unwrap_or_else(|_| urdf.to_path_buf());
        let folder = absolute.parent().unwrap_or(Path::new("")).to_path_buf();
        let packages = Packages::new(&folder, &options.package_paths);
        let (known, stand_ins, left) = (HashMap::new(), HashMap::new(), options.limits.less(used_bytes));
        Self { folder, packages, known, stand_ins, warnings: Vec::new(), left }
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

    /// Warns if a folder serves as two packages: one of them would have the meshes of the other.
    fn note_stand_in(&mut self, path: &str, place: &Path) {
        let Some(folder) = self.packages.stand_in(path, place) else { return };
        let name = path.split('/').next().unwrap_or_default();
        let first = self.stand_ins.entry(folder.clone()).or_insert_with(|| name.to_string());
        if first != name {
            let names = [first, name].map(quoted).join(" and ");
            let message = format!("the packages {names} were not found: both are taken to be {}", folder.display());
            if !self.warnings.contains(&message) {
                self.warnings.push(message);
            }
        }
    }

    fn find(&mut self, filename: &str) -> Result<PathBuf> {
        let in_package = filename.strip_prefix("package://").or_else(|| filename.strip_prefix("model://"));
        if let Some(path) = in_package {
            let found = self.packages.find(path)?;
            found.iter().for_each(|place| self.note_stand_in(path, place));
            return found.ok_or_else(|| {
                let rest = path.split_once('/').map_or("", |(_, rest)| rest);
                let names = [path, rest].map(|name| shortened(name, 100)).join(" and no ");
                let error = Error::input(format!("the mesh {} does not exist: no {names}", quoted(filename)));
                error.in_folders(self.packages.dirs()).remedy(PACKAGE_REMEDY)
            });
        }
        let found = |path: &str| {
            let place = self.folder.join(path);
            let message = format!("the mesh {} does not exist: no {}", quoted(filename), shortened(path, 100));
            let missing = || Error::input(message).in_folders(std::slice::from_ref(&self.folder));
            if place.is_file() { Ok(place) } else { Err(missing()) }
        };
        match filename.split_once("://") {
            None => found(filename),
            Some(("file", path)) => found(path),
            Some((scheme, _)) => {
                Err(Error::input(format!("{}: files from {} are not supported", quoted(filename), quoted(scheme))))
            }
        }
    }
}
