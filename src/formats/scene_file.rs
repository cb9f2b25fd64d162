//! Scenes from files: one mesh, a list of placed meshes (`scene.json`), or a URDF at its zero pose.

use crate::error::{Error, Result, quoted, shortened};
use crate::formats::mesh::{Mesh, MeshFormat};
use crate::formats::urdf::{Geometry, UrdfOptions};
use crate::io::load::{LoadLimits, Watch, bytes_of, read_bytes, text};
use crate::robot::primitive::CHORD_ERROR_M;
use crate::robot::{Robot, Triangle, zero_area_warning};
use crate::scene::{Object, Scene, permute};
use glam::{DAffine3, DMat4};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Options for reading a scene.
#[derive(Clone, Debug)]
pub struct SceneOptions {
    /// The shapes of a URDF's links that are used.
    pub geometry: Geometry,
    /// Largest distance by which tessellated primitives of a URDF may extend beyond the true shape, metres.
    pub chord_error_m: f64,
    /// Additional folders in which the packages of a URDF are looked up.
    pub package_paths: Vec<PathBuf>,
    /// Limits on the memory that the files and the triangles may take.
    pub limits: LoadLimits,
    /// Receives the progress of reading a mesh, in bytes.
    pub watch: Watch,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self {
            geometry: Geometry::Auto,
            chord_error_m: CHORD_ERROR_M,
            package_paths: Vec::new(),
            limits: LoadLimits::default(),
            watch: Watch::default(),
        }
    }
}

/// The contents of `scene.json`; other keys are ignored.
#[derive(Deserialize)]
struct SceneJson {
    units: Option<String>,
    instances: Vec<Instance>,
}

/// A mesh in the world.
#[derive(Deserialize)]
struct Instance {
    object: String,
    mesh: String,
    /// The transform from mesh to world, by rows.
    matrix: [[f64; 4]; 4],
}

impl Scene {
    /// Reads a scene like [`Scene::from_file_with`], with default options.
    ///
    /// # Errors
    /// As [`Scene::from_file_with`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_file_with(path, &SceneOptions::default())
    }

    /// Reads a scene: a mesh file, in which each named group becomes an object; `.json`, a list of placed meshes; or a
    /// URDF (`.urdf`, `.xml`) with every joint at 0 and its links as objects. Numbers are metres.
    ///
    /// # Errors
    /// A file is missing, malformed or does not fit the limits, or there is no triangle.
    pub fn from_file_with(path: impl AsRef<Path>, options: &SceneOptions) -> Result<Self> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let read = match extension.as_str() {
            "json" => placed_meshes(path, options),
            "urdf" | "xml" => links(path, options),
            _ if MeshFormat::of_path(path).is_some() => one_mesh(path, options),
            other => Err(Error::input(format!("{} is not a scene: use a mesh file, .json or .urdf", quoted(other)))),
        };
        let scene = read.map_err(|e| e.in_file(path))?;
        if scene.triangles.is_empty() {
            return Err(Error::input("the scene has no triangle").in_file(path));
        }
        Ok(scene)
    }

    /// Adds a mesh placed in the world by `pose`; `name_of` names the object for each group.
    fn add_mesh(&mut self, mesh: &Mesh, pose: DAffine3, name_of: impl Fn(Option<&str>) -> String) -> Result<()> {
        for group in &mesh.groups {
            let placed = mesh.of_group(group).map(|t| t.map(|v| pose.transform_point3(v)));
            self.add_object(name_of(group.name.as_deref()), placed)?;
        }
        Ok(())
    }

    fn warn_of_zero_areas(&mut self) {
        let numbers = 0..self.objects.len() as u32;
        let parts =
            numbers.zip(&self.objects).map(|(i, o)| (format!("object {}", quoted(&o.name)), self.triangles_of(i)));
        let odd = zero_area_warning(parts);
        self.warnings.extend(odd);
    }
}

/// A scene of one mesh; its triangles are moved, so they are never in memory twice.
fn one_mesh(path: &Path, options: &SceneOptions) -> Result<Scene> {
    let Mesh { mut triangles, groups } = Mesh::load_watched(path, &options.limits, &options.watch)?;
    u32::try_from(triangles.len()).map_err(|_| Error::input("a scene holds at most 2^32 - 1 triangles"))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut scene = Scene::new();
    let in_order = groups.iter().flat_map(|g| &g.runs).try_fold(0, |at, run| (run.start == at).then_some(run.end));
    if in_order != Some(triangles.len()) {
        let order: Vec<u32> =
            groups.iter().flat_map(|g| &g.runs).flat_map(|run| run.start as u32..run.end as u32).collect();
        permute(&mut triangles, &order);
    }
    for group in groups {
        let n_triangles = group.runs.iter().map(|run| run.len() as u32).sum();
        let first_triangle = scene.n_triangles();
        let name = group.name.unwrap_or_else(|| stem.to_string());
        scene.objects.push(Object { name, first_triangle, n_triangles });
    }
    scene.triangles = triangles;
    scene.warn_of_zero_areas();
    Ok(scene)
}

fn placed_meshes(path: &Path, options: &SceneOptions) -> Result<Scene> {
    let bytes = read_bytes(path, &options.limits)?;
    let json: SceneJson = serde_json::from_str(text(&bytes)?)
        .map_err(|cause| Error::input(format!("JSON: {}", shortened(&cause.to_string(), 200))))?;
    if let Some(units) = json.units.filter(|u| u != "metre") {
        return Err(Error::input(format!("units {} are not supported, only 'metre'", quoted(&units))));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut left = options.limits.less(bytes.len() as u64);
    let mut meshes: HashMap<&str, Mesh> = HashMap::new();
    let mut scene = Scene::new();
    for instance in &json.instances {
        let here = |e: Error| e.at(format!("object {}", quoted(&instance.object)));
        if instance.matrix[3] != [0.0, 0.0, 0.0, 1.0] {
            return Err(here(Error::input("the last row of its matrix is not 0 0 0 1")));
        }
        let pose = DAffine3::from_mat4(DMat4::from_cols_array_2d(&instance.matrix).transpose());
        if !meshes.contains_key(instance.mesh.as_str()) {
            let mesh = Mesh::load_watched(&folder.join(&instance.mesh), &left, &options.watch)?;
            left = left.less(bytes_of::<Triangle>(mesh.triangles.len()) as u64);
            meshes.insert(&instance.mesh, mesh);
        }
        let Some(mesh) = meshes.get(instance.mesh.as_str()) else { continue };
        let need = bytes_of::<Triangle>(mesh.triangles.len());
        left.check(need, "its triangles").map_err(here)?;
        left = left.less(need as u64);
        let name_of = |group: Option<&str>| match group {
            Some(group) => format!("{}/{group}", instance.object),
            None => instance.object.clone(),
        };
        scene.add_mesh(mesh, pose, name_of).map_err(here)?;
    }
    scene.warn_of_zero_areas();
    Ok(scene)
}

fn links(path: &Path, options: &SceneOptions) -> Result<Scene> {
    let urdf = UrdfOptions {
        geometry: options.geometry,
        chord_error_m: options.chord_error_m,
        package_paths: options.package_paths.clone(),
        limits: options.limits,
        ..UrdfOptions::default()
    };
    let robot = Robot::from_urdf_with(path, &urdf)?;
    options
        .limits
        .check(2 * bytes_of::<Triangle>(robot.triangle_count()), "its triangles, as links and as a scene,")?;
    let poses = robot.body_poses(&robot.zero_configuration())?;
    let mut scene = Scene::new();
    for link in robot.links.iter() {
        let pose = poses.get(link.body as usize).copied().unwrap_or(DAffine3::IDENTITY);
        scene.add_object(&link.name, link.triangles.iter().map(|t| t.map(|v| pose.transform_point3(v))))?;
    }
    scene.warnings = robot.warnings;
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\ng part\nf 1 2 4\nf 1 1 1\n";

    fn scene(name: &str, content: &str) -> Result<Scene> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("meshes")).unwrap();
        std::fs::write(folder.path().join("meshes/m.obj"), OBJ).unwrap();
        std::fs::write(folder.path().join("meshes/plain.obj"), OBJ.replace("g part", "")).unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        Scene::from_file(folder.path().join(name))
    }

    fn objects(scene: &Scene) -> Vec<(&str, u32, u32)> {
        scene.objects.iter().map(|o| (o.name.as_str(), o.first_triangle, o.n_triangles)).collect()
    }

    #[test]
    fn groups_of_a_mesh_file_become_objects() {
        let scene = scene("room.OBJ", OBJ).unwrap();
        assert_eq!(objects(&scene), [("room", 0, 1), ("part", 1, 2)]);
        assert_eq!(scene.warnings.len(), 1);
        assert!(scene.warnings[0].contains(": 1, the first is triangle 1 of object 'part'"), "{:?}", scene.warnings);
    }

    #[test]
    fn placed_meshes_are_moved_and_named() {
        let identity = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
        let turned = [[0, -1, 0, 10], [1, 0, 0, 20], [0, 0, 1, 30], [0, 0, 0, 1]];
        let text = json!({"units": "metre", "maker": {"any": 1}, "instances": [
            {"object": "a", "mesh": "meshes/m.obj", "matrix": identity},
            {"object": "b", "mesh": "meshes/plain.obj", "matrix": turned, "triangles": 3},
            {"object": "a", "mesh": "meshes/m.obj", "matrix": turned},
        ]});
        let scene = scene("scene.json", &text.to_string()).unwrap();
        let expected = [("a", 0, 1), ("a/part", 1, 2), ("b", 3, 3), ("a", 6, 1), ("a/part", 7, 2)];
        assert_eq!(objects(&scene), expected);
        assert_eq!(
            scene.triangles[6].map(|v| v.to_array()),
            [[10.0, 20.0, 30.0], [10.0, 21.0, 30.0], [9.0, 20.0, 30.0]]
        );
    }

    #[test]
    fn links_of_a_robot_at_zero_become_objects() {
        let link =
            |n: &str| format!("<link name=\"{n}\"><visual><geometry><box size=\"2 2 2\"/></geometry></visual></link>");
        let joint = r#"<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0 0 5"/>
            <axis xyz="0 0 1"/><mimic joint="k" offset="2"/></joint>
            <joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>"#;
        let scene = scene("s.urdf", &format!("<robot>{}{}{joint}{}</robot>", link("b"), link("a"), "<link name='c'/>"))
            .unwrap();
        assert_eq!(objects(&scene), [("b", 0, 12), ("a", 12, 12)]);
        assert_eq!(scene.triangles_of(0).iter().flatten().map(|v| v.z).fold(9.0, f64::min), 6.0);
        assert!(scene.is_closed(0));
    }
}
