//! Triangle meshes from files: STL, OBJ, DAE, PLY, GLB and glTF.
//!
//! Each format is read directly into f64, by a reader that checks every number of the file. The existing crates round
//! text to f32 (stl_io), abort or hang on a wrong header (dae-parser, ply-rs-bw), or panic on indices out of range
//! (tobj, gltf), and cannot report the line; a certified result needs every triangle or an error.

mod builder;
mod dae;
mod gltf;
mod obj;
mod ply;
mod stl;

use crate::error::{Error, Result, quoted};
use crate::io::load::{LoadLimits, Watch, Watched, read_bytes};
use crate::robot::Triangle;
use builder::Builder;
use std::io::BufReader;
use std::ops::Range;
use std::path::Path;

/// The triangles of one file, in metres if the format has a unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// All triangles in file order.
    pub triangles: Vec<Triangle>,
    /// The groups and their triangles, in the order of first appearance in the file.
    pub groups: Vec<Group>,
}

/// A named part of a mesh: a group, a solid, or a node of a scene graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The group's name; `None` for triangles without a name.
    pub name: Option<String>,
    /// The group's triangles, as ranges of [`Mesh::triangles`].
    pub runs: Vec<Range<usize>>,
}

/// The mesh formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// STL, binary or ASCII.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// COLLADA.
    Dae,
    /// Polygon file format, ASCII or binary.
    Ply,
    /// glTF 2.0, binary container or JSON.
    Gltf,
}

impl MeshFormat {
    /// The format for a file name's extension, case-insensitive.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            "dae" => Some(Self::Dae),
            "ply" => Some(Self::Ply),
            "glb" | "gltf" => Some(Self::Gltf),
            _ => None,
        }
    }
}

impl Mesh {
    /// Reads a mesh file.
    ///
    /// # Errors
    /// The file is missing or malformed, has no triangle, has a NaN or infinite coordinate, or exceeds the limits.
    pub fn load(path: impl AsRef<Path>, limits: &LoadLimits) -> Result<Self> {
        Self::load_watched(path.as_ref(), limits, &Watch::default())
    }

    /// Like [`load`](Self::load); `watch` receives the progress, in bytes. OBJ and STL are read piece by piece, and
    /// only the numbers are kept; the other formats read the whole file into memory first.
    ///
    /// # Errors
    /// As [`Mesh::load`].
    pub fn load_watched(path: &Path, limits: &LoadLimits, watch: &Watch) -> Result<Self> {
        let format = MeshFormat::of_path(path).ok_or_else(|| {
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            Error::input(format!("{} is not a mesh format: use stl, obj, dae, ply, glb or gltf", quoted(&extension)))
                .in_file(path)
        })?;
        if matches!(format, MeshFormat::Obj | MeshFormat::Stl) {
            let file = Watched::open(path, watch)?;
            let (length, mut out) = (file.length(), Builder::new(*limits));
            let from = BufReader::with_capacity(1 << 20, file);
            let read = match format {
                MeshFormat::Obj => obj::read(from, &mut out),
                _ => stl::read(from, length, &mut out),
            };
            return read.and_then(|()| out.finish()).map_err(|e| e.in_file(path));
        }
        let bytes = read_bytes(path, limits)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(format, &bytes, folder, limits).map_err(|e| e.in_file(path))
    }

    /// Reads a mesh from bytes; a glTF's external buffers are searched in `folder`.
    ///
    /// # Errors
    /// As [`Mesh::load`].
    pub fn parse(format: MeshFormat, bytes: &[u8], folder: &Path, limits: &LoadLimits) -> Result<Self> {
        let limits = limits.less(bytes.len() as u64);
        let mut out = Builder::new(limits);
        match format {
            MeshFormat::Stl => stl::read(bytes, bytes.len() as u64, &mut out)?,
            MeshFormat::Obj => obj::read(bytes, &mut out)?,
            MeshFormat::Dae => dae::read(bytes, &mut out)?,
            MeshFormat::Ply => ply::read(bytes, &mut out)?,
            MeshFormat::Gltf => gltf::read(bytes, folder, &limits, &mut out)?,
        }
        out.finish()
    }

    /// The triangles of a group, in file order.
    pub fn of_group<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = Triangle> + 'a {
        group.runs.iter().filter_map(|run| self.triangles.get(run.clone())).flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use glam::DVec3;

    /// Parses bytes; for the tests of the formats.
    pub(super) fn parse(format: MeshFormat, bytes: &[u8]) -> Result<Mesh> {
        Mesh::parse(format, bytes, Path::new(""), &LoadLimits::default())
    }

    /// Triangles as plain numbers.
    pub(super) fn numbers(mesh: &Mesh) -> Vec<[[f64; 3]; 3]> {
        mesh.triangles.iter().map(|t| t.map(|v| v.to_array())).collect()
    }

    /// Names and numbers of triangles of the groups.
    pub(super) fn groups(mesh: &Mesh) -> Vec<(Option<&str>, usize)> {
        mesh.groups.iter().map(|g| (g.name.as_deref(), mesh.of_group(g).count())).collect()
    }

    #[test]
    fn formats_are_selected_by_extension_in_any_case() {
        for (name, format) in [("a.STL", MeshFormat::Stl), ("b.Obj", MeshFormat::Obj), ("c.x.gLtF", MeshFormat::Gltf)] {
            assert_eq!(MeshFormat::of_path(Path::new(name)), Some(format));
        }
        assert_eq!(MeshFormat::of_path(Path::new("stl")), None);
        assert!(Mesh::load("no.such", &LoadLimits::default()).unwrap_err().to_string().contains("not a mesh format"));
    }

    #[test]
    fn groups_keep_file_order_and_may_be_interrupted() {
        let mut out = Builder::new(LoadLimits::default());
        let triangle = |x: f64| [DVec3::splat(x), DVec3::X, DVec3::Y];
        for (name, x) in [(Some("a"), 0.0), (Some("b"), 1.0), (Some(" a "), 2.0), (None, 3.0), (Some(""), 4.0)] {
            out.group(name);
            out.triangle(triangle(x)).unwrap();
        }
        out.group(Some("empty"));
        let mesh = out.finish().unwrap();
        assert_eq!(mesh.triangles.iter().map(|t| t[0].x).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(groups(&mesh), [(Some("a"), 2), (Some("b"), 1), (None, 2)]);
        assert_eq!(mesh.of_group(&mesh.groups[0]).map(|t| t[0].x).collect::<Vec<_>>(), [0.0, 2.0]);
    }

    #[test]
    fn a_mesh_beyond_the_memory_limit_is_a_memory_error() {
        let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 3\n";
        let fits = LoadLimits { memory_bytes: text.len() as u64 + 144 };
        assert!(Mesh::parse(MeshFormat::Obj, text, Path::new(""), &fits).is_ok());
        let error = Mesh::parse(MeshFormat::Obj, text, Path::new(""), &fits.less(1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Memory);
        assert!(error.to_string().contains("2 triangles need 144 bytes"), "{error}");
        assert!(error.to_string().contains("--memory"), "{error}");
    }
}
