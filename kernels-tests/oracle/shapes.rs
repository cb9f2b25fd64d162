//! The triangles of a robot's links, each in its link's frame.

use super::fk::Robot;
use super::mesh::{self, Triangle};
use super::urdf::{Geometry, Shape};

/// The geometry of a link to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Collision geometry, or visual geometry for links without it.
    Default,
    Collision,
    Visual,
}

/// The triangles of all links.
#[derive(Clone, Debug, Default)]
pub struct LinkMeshes {
    /// Per link, shapes in the order of the file.
    pub triangles: Vec<Vec<Triangle>>,
    /// Number of triangles of each shape of each link.
    pub counts: Vec<Vec<usize>>,
    /// Links whose triangles are incomplete, because the oracles omit cylinders, spheres and capsules, with the omitted
    /// element.
    pub left_out: Vec<(usize, String)>,
}

/// Reads the geometry of every link.
///
/// # Panics
/// A mesh is missing or cannot be read.
pub fn link_meshes(robot: &Robot, choice: Choice) -> LinkMeshes {
    let mut out = LinkMeshes::default();
    for (i, link) in robot.links().iter().enumerate() {
        let shapes = match choice {
            Choice::Visual => &link.visual,
            Choice::Default if link.collision.is_empty() => &link.visual,
            _ => &link.collision,
        };
        let (mut triangles, mut counts) = (Vec::new(), Vec::new());
        for shape in shapes {
            let own = shape_triangles(shape, robot).unwrap_or_else(|element| {
                out.left_out.push((i, element));
                Vec::new()
            });
            counts.push(own.len());
            triangles.extend(own);
        }
        out.triangles.push(triangles);
        out.counts.push(counts);
    }
    out
}

/// The triangles of one shape in its link's frame, or the name of an element that the oracles omit.
fn shape_triangles(shape: &Shape, robot: &Robot) -> Result<Vec<Triangle>, String> {
    let raw = match &shape.geometry {
        Geometry::Box(size) => mesh::box_of(*size),
        Geometry::Other(element) => return Err(element.clone()),
        Geometry::Mesh(name, scale) => {
            let groups = mesh::read(&mesh::locate(&robot.urdf.folder, name));
            groups.into_iter().flat_map(|g| g.triangles).map(|t| t.map(|p| p * *scale)).collect()
        }
    };
    Ok(raw.into_iter().map(|t| t.map(|p| shape.origin.transform_point3(p))).collect())
}

#[cfg(test)]
mod tests {
    use super::super::data;
    use super::*;

    /// Triangle counts from the data sets' own notes.
    #[test]
    fn robots_have_as_many_triangles_as_published() {
        for (folder, file, choice, count) in [
            ("robot-puma560", "puma560_robot.urdf", Choice::Default, 8116),
            ("robot-ur5", "ur5_robot.urdf", Choice::Visual, 95_694),
            ("robot-ur5", "ur5_robot.urdf", Choice::Collision, 5328 + 12),
            ("robot-panda", "panda.urdf", Choice::Visual, 134_924),
            ("robot-panda", "panda.urdf", Choice::Collision, 2300 + 8 * 12),
            ("robot-pr2", "pr2.urdf", Choice::Collision, 5840 + 12),
            ("robot-laikago", "urdf/laikago.urdf", Choice::Visual, 44_030),
        ] {
            let Some(path) = data::folder(folder) else { return };
            let robot = Robot::load(&path.join(file), [0.0; 6], false);
            let meshes = link_meshes(&robot, choice);
            assert_eq!(meshes.triangles.iter().map(Vec::len).sum::<usize>(), count, "{folder} {choice:?}");
        }
    }
}
