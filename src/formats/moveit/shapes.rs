//! Collision objects: primitives and meshes with their poses.

use super::{Header, PlacedPrimitive, pose};
use crate::error::{Error, Result, quoted};
use crate::formats::mesh::Mesh;
use crate::formats::packages::Packages;
use crate::formats::scene_file::SceneOptions;
use crate::io::load::bytes_of;
use crate::robot::Triangle;
use crate::robot::primitive::Primitive;
use glam::{DAffine3, DVec3};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
pub(super) struct CollisionObject {
    #[serde(default)]
    pub(super) header: Header,
    pub(super) id: String,
    /// The object's pose; the poses of its shapes are relative to it.
    pose: Option<PoseYaml>,
    #[serde(default)]
    primitives: Vec<PrimitiveYaml>,
    #[serde(default)]
    primitive_poses: Vec<PoseYaml>,
    #[serde(default)]
    meshes: Vec<MeshYaml>,
    #[serde(default)]
    mesh_poses: Vec<PoseYaml>,
    #[serde(default)]
    planes: Vec<serde_json::Value>,
    operation: Option<Word>,
}

#[derive(Deserialize)]
struct PoseYaml {
    #[serde(default)]
    position: [f64; 3],
    #[serde(default = "upright")]
    orientation: [f64; 4],
}

fn upright() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

/// A word, or the corresponding number of the message.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Number(u64),
    Text(String),
}

#[derive(Deserialize)]
struct PrimitiveYaml {
    #[serde(rename = "type")]
    kind: Word,
    dimensions: Vec<f64>,
}

#[derive(Deserialize)]
struct MeshYaml {
    /// A file, scaled along each axis.
    resource: Option<String>,
    dimensions: Option<[f64; 3]>,
    /// The triangles, if there is no file.
    #[serde(default)]
    vertices: Vec<[f64; 3]>,
    #[serde(default)]
    triangles: Vec<[u32; 3]>,
}

impl CollisionObject {
    /// The object's triangles in the world; its poses are relative to `frame`. Their memory is deducted from the limits
    /// in `left`.
    pub(super) fn triangles(&self, frame: DAffine3, folder: &Path, left: &mut SceneOptions) -> Result<Vec<Triangle>> {
        match &self.operation {
            None | Some(Word::Number(0)) => {}
            Some(Word::Text(word)) if word == "add" => {}
            Some(_) => return Err(Error::input("its operation is not 'add'")),
        }
        if !self.planes.is_empty() {
            return Err(
                Error::input("it has a plane, which is infinite and has no triangles").remedy("use a large box")
            );
        }
        let own = self.own_pose()?;
        let mut out = Vec::new();
        let mut add = |shape: Vec<Triangle>, at: DAffine3, left: &mut SceneOptions| {
            left.limits.check(bytes_of::<Triangle>(shape.len()), "its triangles")?;
            left.limits = left.limits.less(bytes_of::<Triangle>(shape.len()) as u64);
            out.extend(shape.into_iter().map(|t| t.map(|v| at.transform_point3(v))));
            Ok::<(), Error>(())
        };
        for (shape, at) in paired(&self.primitives, &self.primitive_poses, "primitives")? {
            add(shape.primitive()?.triangles(left.chord_error_m)?, frame * own * at.pose()?, left)?;
        }
        for (mesh, at) in paired(&self.meshes, &self.mesh_poses, "meshes")? {
            add(mesh.triangles(folder, left)?, frame * own * at.pose()?, left)?;
        }
        if out.is_empty() {
            return Err(Error::input("it has no shape").remedy("give its primitives or meshes"));
        }
        Ok(out)
    }

    /// The object's primitives in the world; its poses are relative to `frame`. `object` is its index.
    pub(super) fn primitives(&self, object: u32, frame: DAffine3) -> Result<Vec<PlacedPrimitive>> {
        let own = self.own_pose()?;
        let placed = |(shape, at): (&PrimitiveYaml, &PoseYaml)| {
            Ok(PlacedPrimitive { object, primitive: shape.primitive()?, pose: frame * own * at.pose()? })
        };
        paired(&self.primitives, &self.primitive_poses, "primitives")?.into_iter().map(placed).collect()
    }

    /// Number of the object's meshes.
    pub(super) fn n_meshes(&self) -> usize {
        self.meshes.len()
    }

    fn own_pose(&self) -> Result<DAffine3> {
        self.pose.as_ref().map_or(Ok(DAffine3::IDENTITY), PoseYaml::pose)
    }
}

/// Shapes with their poses; a single shape may have no pose.
fn paired<'a, T>(shapes: &'a [T], poses: &'a [PoseYaml], what: &str) -> Result<Vec<(&'a T, &'a PoseYaml)>> {
    const NONE: &PoseYaml = &PoseYaml { position: [0.0; 3], orientation: [0.0, 0.0, 0.0, 1.0] };
    if poses.is_empty() && shapes.len() == 1 {
        return Ok(shapes.iter().map(|s| (s, NONE)).collect());
    }
    if shapes.len() != poses.len() {
        return Err(Error::input(format!("{} {what} but {} poses for them", shapes.len(), poses.len())));
    }
    Ok(shapes.iter().zip(poses).collect())
}

impl PoseYaml {
    fn pose(&self) -> Result<DAffine3> {
        pose(self.position, self.orientation)
    }
}

impl PrimitiveYaml {
    fn primitive(&self) -> Result<Primitive> {
        let kind = match &self.kind {
            Word::Text(text) => text.as_str(),
            // As in shape_msgs/SolidPrimitive.
            Word::Number(1) => "box",
            Word::Number(2) => "sphere",
            Word::Number(3) => "cylinder",
            Word::Number(4) => "cone",
            Word::Number(_) => "",
        };
        match (kind, &self.dimensions[..]) {
            ("box", &[x, y, z]) => Ok(Primitive::Box { size_m: DVec3::new(x, y, z) }),
            ("sphere", &[radius_m]) => Ok(Primitive::Sphere { radius_m }),
            ("cylinder", &[length_m, radius_m]) => Ok(Primitive::Cylinder { radius_m, length_m }),
            ("box" | "sphere" | "cylinder", numbers) => {
                Err(Error::input(format!("a {kind} has {} dimensions", numbers.len())))
            }
            _ => Err(Error::input(format!("the shape {} is not supported: use box, sphere or cylinder", quoted(kind)))),
        }
    }
}

impl MeshYaml {
    fn triangles(&self, folder: &Path, options: &SceneOptions) -> Result<Vec<Triangle>> {
        let scale = DVec3::from_array(self.dimensions.unwrap_or([1.0; 3]));
        let Some(resource) = &self.resource else { return self.inline(scale) };
        let path = resource.strip_prefix("file://").unwrap_or(resource);
        let found = match path.strip_prefix("package://") {
            None => Some(folder.join(path)).filter(|place| place.is_file()),
            Some(path) => Packages::new(folder, &options.package_paths).find(path)?,
        };
        let Some(found) = found else {
            return Err(Error::input(format!("the mesh {} does not exist", quoted(resource)))
                .remedy("--package-path DIR adds a folder to search"));
        };
        let mesh = Mesh::load(&found, &options.limits)?;
        Ok(mesh.triangles.iter().map(|t| t.map(|v| v * scale)).collect())
    }

    fn inline(&self, scale: DVec3) -> Result<Vec<Triangle>> {
        if self.triangles.is_empty() {
            return Err(Error::input("a mesh has no triangle"));
        }
        let vertex = |&i: &u32| {
            let v = self.vertices.get(i as usize).ok_or_else(|| Error::input(format!("a mesh has no vertex {i}")))?;
            Ok(DVec3::from_array(*v) * scale)
        };
        self.triangles.iter().map(|[a, b, c]| Ok([vertex(a)?, vertex(b)?, vertex(c)?])).collect()
    }
}
