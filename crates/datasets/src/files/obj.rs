//! Wavefront OBJ files: one `o` group per object, numbers in shortest round-trip form.

use crate::parts::mesh::Mesh;
use firstcontact::error::{Result, input_error};
use firstcontact::io::output;
use std::io::Write;
use std::path::Path;

/// Receives a named mesh.
pub(crate) type Push<'a> = dyn FnMut(&str, &Mesh) -> Result<()> + 'a;

/// Writes named meshes, as `fill` passes them, as the groups of one OBJ file.
///
/// # Errors
/// The file cannot be written, or `fill` fails; in these cases no file remains.
pub(crate) fn write(path: &Path, comment: &str, fill: impl FnOnce(&mut Push<'_>) -> Result<()>) -> Result<()> {
    output::write(path, |out| {
        let trouble = input_error(path);
        writeln!(out, "# {comment}").map_err(|e| trouble(&e))?;
        let mut first = 1; // OBJ counts vertices from 1, through the whole file.
        fill(&mut |name, mesh| group(out, name, mesh, &mut first).map_err(|e| trouble(&e)))
    })
}

fn group(out: &mut impl Write, name: &str, mesh: &Mesh, first: &mut u64) -> std::io::Result<()> {
    writeln!(out, "o {name}")?;
    for v in &mesh.vertices {
        writeln!(out, "v {} {} {}", v.x, v.y, v.z)?;
    }
    for [a, b, c] in mesh.triangles.iter().map(|t| t.map(|v| *first + u64::from(v))) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    *first += mesh.vertices.len() as u64;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn groups_share_one_count_of_vertices() {
        let mesh =
            |x: f64| Mesh { vertices: vec![DVec3::new(x, 0.1, -2e-6), DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("two.obj");
        write(&path, "two", |push| {
            push("a", &mesh(0.5))?;
            push("b", &mesh(1.0 / 3.0))
        })
        .unwrap();
        let expected = "# two\no a\nv 0.5 0.1 -0.000002\nv 1 0 0\nv 0 1 0\nf 1 2 3\n\
                        o b\nv 0.3333333333333333 0.1 -0.000002\nv 1 0 0\nv 0 1 0\nf 4 5 6\n";
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    }
}
