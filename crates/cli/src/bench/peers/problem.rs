//! Writes the problem for the peers: the same triangles, joints and motions as this engine has in memory.

use super::sets::{Motion, Set};
use firstcontact::io::output;
use firstcontact::robot::{Drive, JointKind, Triangle};
use firstcontact::{Error, Result};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Writes `problem.txt`, `scene.obj` and `link0.obj` … into a folder; `benches/peers/README.md` describes them.
pub fn write(set: &Set, folder: &Path) -> Result<()> {
    let text = describe(set, "", &set.motions)?;
    write_meshes(set, folder)?;
    write_text(&folder.join("problem.txt"), &text)
}

/// Writes the meshes into a folder, and a problem for each part of the motions into a subfolder. Returns the paths of
/// the subfolders.
pub fn write_parts(set: &Set, parts: &[&[Motion]], folder: &Path) -> Result<Vec<PathBuf>> {
    write_meshes(set, folder)?;
    let of_part = |(k, part): (usize, &&[Motion])| {
        let folder = folder.join(format!("part{k}"));
        write_text(&folder.join("problem.txt"), &describe(set, "../", part)?)?;
        Ok(folder)
    };
    parts.iter().enumerate().map(of_part).collect()
}

fn write_meshes(set: &Set, folder: &Path) -> Result<()> {
    for (k, link) in set.robot.links.iter().enumerate() {
        write_text(&folder.join(format!("link{k}.obj")), &obj(&link.triangles))?;
    }
    write_text(&folder.join("scene.obj"), &obj(&set.scene.triangles))
}

/// Writes a file with this text.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    output::write(path, |out| {
        out.write_all(text.as_bytes()).map_err(|e| Error::input(format!("it cannot be written: {e}")).in_file(path))
    })
}

/// The text of `problem.txt`, with the meshes in the folder `meshes`.
fn describe(set: &Set, meshes: &str, motions: &[Motion]) -> Result<String> {
    let robot = &set.robot;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "bodies {}", robot.bodies.len());
    for body in &robot.bodies {
        let none = Drive { column: 0, multiplier: 0.0, offset: 0.0 };
        let (kind, axis, drive) = match body.joint.kind {
            JointKind::Fixed => ('f', glam::DVec3::Z, none),
            JointKind::Revolute { axis, drive } => ('r', axis, drive),
            JointKind::Prismatic { axis, drive } => ('p', axis, drive),
            JointKind::Free { .. } => {
                let message = "the peers' programs support joints that turn or slide, but not free joints";
                return Err(Error::usage(message).at(format!("joint '{}'", body.joint.name)));
            }
        };
        let parent = body.parent.map_or(-1, i64::from);
        let Drive { column, multiplier, offset } = drive;
        let _ = write!(text, "{parent} {kind} {column} {multiplier} {offset} {} {} {}", axis.x, axis.y, axis.z);
        let (turn, origin) = (body.joint.orientation, body.joint.origin_m);
        for row in 0..3 {
            let r = turn.row(row);
            let _ = write!(text, "  {} {} {} {}", r.x, r.y, r.z, origin[row]);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "links {}", robot.links.len());
    for (k, link) in robot.links.iter().enumerate() {
        let _ = writeln!(text, "{} {meshes}link{k}.obj", link.body);
    }
    let _ = writeln!(text, "scene {meshes}scene.obj\nmotions {} {}", motions.len(), robot.columns.len());
    for motion in motions {
        let numbers: Vec<String> = motion.ends.iter().flatten().map(f64::to_string).collect();
        let _ = writeln!(text, "{}", numbers.join(" "));
    }
    Ok(text)
}

/// Triangles with vertices of equal coordinates merged, numbers in shortest round-trip form.
fn obj(triangles: &[Triangle]) -> String {
    let mut numbers = HashMap::new();
    let (mut vertices, mut faces) = (String::new(), String::new());
    for triangle in triangles {
        let corners = triangle.map(|v| {
            let next = numbers.len() + 1;
            *numbers.entry(v.to_array().map(f64::to_bits)).or_insert_with(|| {
                let _ = writeln!(vertices, "v {} {} {}", v.x, v.y, v.z);
                next
            })
        });
        let [a, b, c] = corners;
        let _ = writeln!(faces, "f {a} {b} {c}");
    }
    vertices + &faces
}
