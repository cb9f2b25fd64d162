//! Files that list objects attached to links.

use crate::error::{Error, Result, foreign, quoted};
use crate::formats::mesh::Mesh;
use crate::formats::urdf::rpy;
use crate::io::load::{LoadLimits, bytes_of, read_bytes, text};
use crate::robot::AttachedObject;
use glam::{DAffine3, DVec3};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Example file, for messages.
const EXAMPLE: &str =
    r#"an example: [{"name":"box","link":"tool0","mesh":"box.stl","pose":[0,0,0.1,0,0,0],"touch_links":["hand"]}]"#;

/// An attached object in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    link: String,
    /// Path of a mesh file, relative to the folder of this file.
    mesh: Option<String>,
    /// Pose in the link: x y z (metres), roll pitch yaw (radians).
    #[serde(default)]
    pose: [f64; 6],
    #[serde(default)]
    touch_links: Vec<String>,
}

impl AttachedObject {
    /// Reads a JSON file with a list of objects: `name`, `link`, `mesh` (a path relative to the file), and optionally
    /// `pose` (x y z in metres, roll pitch yaw in radians) and `touch_links`.
    ///
    /// # Errors
    /// A file is missing, malformed or does not fit the limits, or an object has no mesh or no triangle.
    pub fn from_file(path: impl AsRef<Path>, limits: &LoadLimits) -> Result<Vec<Self>> {
        let path = path.as_ref();
        read(path, limits).map_err(|e| e.in_file(path))
    }
}

fn read(path: &Path, limits: &LoadLimits) -> Result<Vec<AttachedObject>> {
    let bytes = read_bytes(path, limits)?;
    // The parsed values take more memory than their text, at most this much.
    limits.check(bytes_of::<Value>(bytes.len()), "its values")?;
    let malformed = |cause| Error::input(format!("JSON: {}", foreign(&cause))).remedy(EXAMPLE);
    let entries: Vec<Entry> = serde_json::from_str(text(&bytes)?).map_err(malformed)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let object = |entry: Entry| {
        let at = format!("attached object {}", quoted(&entry.name));
        entry.load(folder, limits).map_err(|e| e.at(at))
    };
    entries.into_iter().map(object).collect()
}

impl Entry {
    fn load(self, folder: &Path, limits: &LoadLimits) -> Result<AttachedObject> {
        let Self { name, link, mesh, pose, touch_links } = self;
        let Some(mesh) = mesh else {
            return Err(Error::input("it has no mesh").remedy(r#"give a mesh file: "mesh":"box.stl""#));
        };
        if !pose.iter().all(|number| number.is_finite()) {
            return Err(Error::input("its pose has a NaN or infinite number"));
        }
        let triangles = Mesh::load(folder.join(&mesh), limits)?.triangles;
        let [x, y, z, roll, pitch, yaw] = pose;
        let pose = DAffine3::from_mat3_translation(rpy([roll, pitch, yaw]), DVec3::new(x, y, z));
        Ok(AttachedObject { name, link, triangles, pose, touch_links })
    }
}
