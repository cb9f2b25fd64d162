//! Files in ROS packages, `package://name/rest`.

use crate::error::{Error, Result, quoted};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folders in which packages are searched.
#[derive(Clone, Debug)]
pub(super) struct Packages {
    /// The folder of the file that names packages, and its ancestors.
    near: Vec<PathBuf>,
    /// The folders given by the caller.
    given: Vec<PathBuf>,
    /// The folders in `ROS_PACKAGE_PATH`.
    ros: Vec<PathBuf>,
}

impl Packages {
    pub fn new(folder: &Path, given: &[PathBuf]) -> Self {
        Self::with_environment(folder, given, std::env::var_os("ROS_PACKAGE_PATH").as_deref())
    }

    fn with_environment(folder: &Path, given: &[PathBuf], ros: Option<&OsStr>) -> Self {
        Self {
            near: folder.ancestors().map(Path::to_path_buf).collect(),
            given: given.to_vec(),
            ros: ros.iter().flat_map(std::env::split_paths).filter(|p| !p.as_os_str().is_empty()).collect(),
        }
    }

    /// All folders, in the order in which packages are searched.
    pub fn dirs(&self) -> Vec<PathBuf> {
        [&self.near[..], &self.given, &self.ros].concat()
    }

    /// The file `name/rest`, if it exists. A folder that contains the package is preferred, wherever it is; then a
    /// folder may be the package itself, first those with its name, and last any other.
    ///
    /// # Errors
    /// The path does not name a file in a package.
    pub fn find(&self, path: &str) -> Result<Option<PathBuf>> {
        let places = self.places(path)?;
        Ok(places.into_iter().find(|place| place.is_file()))
    }

    /// The folder that served as the package of the file `path`, found at `place`, if the package was found neither by
    /// its name nor in a given folder.
    pub fn stand_in(&self, path: &str, place: &Path) -> Option<PathBuf> {
        let (name, rest) = path.split_once('/').map(|(name, rest)| (name, Path::new(rest.trim_start_matches('/'))))?;
        let folder = place.ancestors().nth(rest.components().count())?;
        let is_named = folder.file_name() == Some(OsStr::new(name));
        (!is_named && !self.given.iter().any(|given| given == folder)).then(|| folder.to_path_buf())
    }

    /// All places of a file, the likeliest first.
    fn places(&self, path: &str) -> Result<Vec<PathBuf>> {
        // A path that begins with a slash would leave the folder in which it is searched.
        let parts = path.split_once('/').map(|(name, rest)| (name, rest.trim_start_matches('/')));
        let (name, rest) = parts
            .filter(|(name, rest)| !name.is_empty() && !rest.is_empty())
            .ok_or_else(|| Error::input(format!("{} does not name a file in a package", quoted(path))))?;
        let dirs = self.dirs();
        let has_name = |dir: &&PathBuf| dir.file_name() == Some(OsStr::new(name));
        let others = [&self.given[..], &self.near, &self.ros].concat();
        let containing = dirs.iter().map(|dir| dir.join(path));
        let packages = dirs.iter().filter(has_name).chain(others.iter().filter(|dir| !has_name(dir)));
        Ok(containing.chain(packages.map(|dir| dir.join(rest))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn packages_are_searched_near_the_file_then_in_given_folders() {
        let ros = std::env::join_paths(["/opt/ros", "", "/ws"]).unwrap();
        let packages = Packages::with_environment(Path::new("/a/b"), &paths(&["/told"]), Some(&ros));
        assert_eq!(packages.dirs(), paths(&["/a/b", "/a", "/", "/told", "/opt/ros", "/ws"]));
        assert_eq!(Packages::with_environment(Path::new("/a"), &[], None).dirs(), paths(&["/a", "/"]));
    }

    /// A mesh of another package must not be used because its path is the same.
    #[test]
    fn a_folder_with_the_package_precedes_folders_that_might_be_the_package() {
        let packages = Packages::with_environment(Path::new("/ws/arm/urdf"), &paths(&["/x/hand", "/told"]), None);
        let expected = [
            "/ws/arm/urdf/hand/m/p.obj",
            "/ws/arm/hand/m/p.obj",
            "/ws/hand/m/p.obj",
            "/hand/m/p.obj",
            "/x/hand/hand/m/p.obj",
            "/told/hand/m/p.obj",
            "/x/hand/m/p.obj",
            "/told/m/p.obj",
            "/ws/arm/urdf/m/p.obj",
            "/ws/arm/m/p.obj",
            "/ws/m/p.obj",
            "/m/p.obj",
        ];
        assert_eq!(packages.places("hand/m/p.obj").unwrap(), paths(&expected));
        for wrong in ["hand", "hand/", "/hand/p.obj", ""] {
            assert!(packages.find(wrong).is_err(), "{wrong}");
        }
        let stand_in = |place: &str| packages.stand_in("hand/m/p.obj", Path::new(place));
        assert_eq!(["/ws/hand/m/p.obj", "/x/hand/m/p.obj", "/told/m/p.obj"].map(stand_in), [None, None, None]);
        assert_eq!(stand_in("/ws/arm/m/p.obj"), Some("/ws/arm".into()));
    }
}
