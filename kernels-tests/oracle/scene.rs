//! The triangles of a scene in the world, by object.

use super::fk::Robot;
use super::mesh::{self, Triangle};
use super::shapes::{Choice, link_meshes};
use glam::{DMat4, DVec3};
use serde_json::Value;
use std::path::Path;

/// A named part of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    pub name: String,
    pub triangles: Vec<Triangle>,
}

/// Reads a mesh file, a `scene.json` or a URDF at its zero pose.
///
/// # Panics
/// The scene cannot be read.
pub fn read(path: &Path) -> Vec<Object> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match ending {
        "json" => instances(path),
        "urdf" => links(path),
        _ => named_groups(path, &path.file_stem().unwrap_or_default().to_string_lossy()),
    }
}

/// The groups of a mesh file; a group without a name is called `unnamed`.
fn named_groups(path: &Path, unnamed: &str) -> Vec<Object> {
    let name = |name: String| if name.is_empty() { unnamed.to_owned() } else { name };
    mesh::read(path).into_iter().map(|g| Object { name: name(g.name), triangles: g.triangles }).collect()
}

fn instances(path: &Path) -> Vec<Object> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let json: Value = serde_json::from_str(&text).expect("well-formed JSON");
    assert!(json["units"] == "metre", "{}: other units", path.display());
    let mut out = Vec::new();
    for instance in json["instances"].as_array().expect("instances") {
        let object = instance["object"].as_str().expect("an object's name");
        let file = path.with_file_name(instance["mesh"].as_str().expect("a mesh"));
        let entry = |i: usize| instance["matrix"][i / 4][i % 4].as_f64().expect("a number");
        let matrix = DMat4::from_cols_array(&std::array::from_fn(entry)).transpose();
        for group in mesh::read(&file) {
            let name = if group.name.is_empty() { object.to_owned() } else { format!("{object}/{}", group.name) };
            let place = |p: DVec3| matrix.transform_point3(p);
            out.push(Object { name, triangles: group.triangles.into_iter().map(|t| t.map(place)).collect() });
        }
    }
    out
}

fn links(path: &Path) -> Vec<Object> {
    let robot = Robot::load(path, [0.0; 6], false);
    let zero = vec![0.0; robot.columns.len()];
    let poses = robot.poses(&zero, &zero, 0.0);
    let meshes = link_meshes(&robot, Choice::Default);
    assert!(meshes.left_out.is_empty(), "shapes that the oracles do not know: {:?}", meshes.left_out);
    let object = |(i, triangles): (usize, Vec<Triangle>)| Object {
        name: robot.links()[i].name.clone(),
        triangles: triangles.into_iter().map(|t| t.map(|p| poses[i].transform_point3(p))).collect(),
    };
    meshes.triangles.into_iter().enumerate().map(object).filter(|o| !o.triangles.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::data;
    use super::*;

    /// Counts and sizes from the data sets' own notes.
    #[test]
    fn scenes_have_the_published_counts() {
        for (folder, file, objects, triangles) in [
            ("env-bookstore", "scene.json", 130, 101_833),
            ("env-mbm-meshes", "kitchen/kitchen.urdf", 5, 46 + 144 + 144 + 12 + 74),
            ("env-mbm-meshes", "table_bars/table_bars.urdf", 3, 248 + 248 + 12_288),
            ("env-gazebo-structures", "tower_crane__tower_crane.stl", 1, 8735),
        ] {
            let Some(path) = data::folder(folder) else { return };
            let scene = read(&path.join(file));
            assert_eq!(scene.len(), objects, "{folder}/{file}");
            assert_eq!(scene.iter().map(|o| o.triangles.len()).sum::<usize>(), triangles, "{folder}/{file}");
        }
        let Some(path) = data::folder("env-gazebo-structures") else { return };
        let points: Vec<DVec3> = read(&path.join("tower_crane__tower_crane.stl"))[0].triangles.concat();
        let low = points.iter().copied().reduce(DVec3::min).expect("points");
        let high = points.iter().copied().reduce(DVec3::max).expect("points");
        assert!((high - low - DVec3::new(6.55, 39.08, 35.03)).abs().max_element() < 0.006, "{}", high - low);
    }
}
