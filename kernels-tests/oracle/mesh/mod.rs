//! Triangles of mesh files, by independent readers: binary STL, OBJ and COLLADA.

pub mod dae;
pub mod obj;
pub mod stl;

use glam::DVec3;
use std::path::{Path, PathBuf};

/// Three corners.
pub type Triangle = [DVec3; 3];

/// A run of triangles under one name (empty if the file gives none).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    pub name: String,
    pub triangles: Vec<Triangle>,
}

/// Reads a mesh file of the format given by its extension.
///
/// # Panics
/// The file cannot be read, or is of a kind that the oracles do not support.
pub fn read(path: &Path) -> Vec<Group> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let text = || std::str::from_utf8(&bytes).expect("a text file is UTF-8");
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "stl" => vec![Group { name: String::new(), triangles: stl::parse(&bytes) }],
        "obj" => obj::parse(text()),
        "dae" => dae::parse(text()),
        other => panic!("{}: the oracles do not read .{other}", path.display()),
    }
}

/// The path of the mesh that a URDF in `folder` calls `name`.
///
/// `package://package/rest` is searched as `package/rest` and as `rest` in the folder and its ancestors. Finally, only
/// as a help to the oracles, shorter and shorter ends of `rest` are tried in the folder itself.
///
/// # Panics
/// There is no such file.
pub fn locate(folder: &Path, name: &str) -> PathBuf {
    let plain = name.strip_prefix("file://").unwrap_or(name);
    let Some(whole) = plain.strip_prefix("package://") else { return folder.join(plain) };
    let rest = whole.split_once('/').expect("a path in the package").1;
    let here = folder.canonicalize().expect("the folder is there");
    let by_rule = here.ancestors().flat_map(|a| [a.join(whole), a.join(rest)]);
    let shorter = rest.match_indices('/').map(|(i, _)| here.join(&rest[i + 1..]));
    by_rule.chain(shorter).find(|p| p.is_file()).unwrap_or_else(|| panic!("{name}: not found from {}", here.display()))
}

/// The twelve triangles of an axis-parallel box of full side lengths `size` about the origin.
pub fn box_of(size: DVec3) -> Vec<Triangle> {
    let corner = |i: usize| {
        let side = |axis: usize| if i >> axis & 1 == 1 { 0.5 } else { -0.5 };
        DVec3::new(side(0), side(1), side(2)) * size
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]].map(|t| t.map(corner))).collect()
}

#[test]
fn a_box_is_closed_and_looks_outward() {
    let t = box_of(DVec3::new(2.0, 4.0, 6.0));
    let volume: f64 = t.iter().map(|[a, b, c]| a.dot(b.cross(*c)) / 6.0).sum();
    assert_eq!((t.len(), volume), (12, 48.0));
}
