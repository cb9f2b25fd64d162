//! Planning problems as MoveIt writes them in YAML: scenes, allowed collisions, start and goal.
//!
//! A scene has objects made of boxes, cylinders, spheres and meshes. The triangles of a primitive enclose its true
//! shape, within the chord error. Objects that cannot be represented (planes, cones, octomaps) are errors; they are
//! never omitted.

mod attached;
mod matrix;
mod request;
mod shapes;

pub use matrix::AllowedCollisions;
pub use request::Request;

use crate::error::{Error, Result, quoted, shortened};
use crate::formats::scene_file::SceneOptions;
use crate::robot::primitive::Primitive;
use crate::robot::{AttachedObject, Robot, orthonormal};
use crate::scene::Scene;
use attached::AttachedYaml;
use glam::{DAffine3, DQuat, DVec3};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use shapes::CollisionObject;
use std::collections::HashMap;
use std::path::Path;

/// A scene and the other contents of its file.
#[derive(Clone, Debug)]
pub struct PlanningScene {
    /// The world's objects, one for each collision object, in the order of the file.
    pub scene: Scene,
    /// The boxes, cylinders and spheres of the objects, before they became triangles.
    pub primitives: Vec<PlacedPrimitive>,
    /// Number of meshes among the shapes of the objects; they are not in `primitives`.
    pub n_meshes: usize,
    /// The pairs that are never tested.
    pub allowed: AllowedCollisions,
    /// The robot's joint values and root pose in the scene; a request uses them for joints to which it gives no value.
    pub state: RobotState,
}

/// A box, cylinder or sphere of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedPrimitive {
    /// Index of the object in the scene.
    pub object: u32,
    /// The shape, metres.
    pub primitive: Primitive,
    /// Its frame in the world, metres.
    pub pose: DAffine3,
}

/// Joint values by name, the pose of the root link, and attached objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotState {
    /// Joint values by joint name, radians or metres.
    pub joints: HashMap<String, f64>,
    /// The root link in the world, if the state moves it.
    pub root: Option<DAffine3>,
    /// Objects that links carry.
    pub attached: Vec<AttachedObject>,
}

#[derive(Deserialize)]
struct SceneYaml {
    #[serde(default)]
    robot_state: StateYaml,
    #[serde(default)]
    allowed_collision_matrix: matrix::MatrixYaml,
    #[serde(default)]
    fixed_frame_transforms: Vec<FrameYaml>,
    #[serde(default)]
    link_padding: Vec<PaddingYaml>,
    #[serde(default)]
    link_scale: Vec<ScaleYaml>,
    world: WorldYaml,
}

#[derive(Deserialize)]
struct PaddingYaml {
    link_name: String,
    padding: f64,
}

#[derive(Deserialize)]
struct ScaleYaml {
    link_name: String,
    scale: f64,
}

impl SceneYaml {
    /// Returns an error for links that MoveIt would enlarge.
    fn check_sizes(&self) -> Result<()> {
        let padded = self.link_padding.iter().filter(|link| link.padding != 0.0).map(|link| &link.link_name);
        let mut enlarged = padded.chain(self.link_scale.iter().filter(|l| l.scale != 1.0).map(|link| &link.link_name));
        let Some(name) = enlarged.next() else { return Ok(()) };
        let error = Error::input(format!("the scene enlarges link {}, which is not supported", quoted(name)));
        Err(error.remedy("leave out link_padding and link_scale, and give --margin for all links"))
    }
}

#[derive(Deserialize)]
struct WorldYaml {
    collision_objects: Vec<CollisionObject>,
    octomap: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct FrameYaml {
    #[serde(default)]
    header: Header,
    child_frame_id: String,
    transform: TransformYaml,
}

#[derive(Default, Deserialize)]
struct Header {
    #[serde(default)]
    frame_id: String,
}

#[derive(Deserialize)]
struct TransformYaml {
    translation: [f64; 3],
    rotation: [f64; 4],
}

/// A state as written in the files.
#[derive(Default, Deserialize)]
struct StateYaml {
    #[serde(default)]
    joint_state: JointStateYaml,
    #[serde(default)]
    multi_dof_joint_state: MultiDofYaml,
    #[serde(default)]
    attached_collision_objects: Vec<AttachedYaml>,
}

#[derive(Default, Deserialize)]
struct JointStateYaml {
    #[serde(default)]
    name: Vec<String>,
    #[serde(default)]
    position: Vec<f64>,
}

#[derive(Default, Deserialize)]
struct MultiDofYaml {
    #[serde(default)]
    joint_names: Vec<String>,
    #[serde(default)]
    transforms: Vec<TransformYaml>,
}

impl PlanningScene {
    /// Reads a scene, and resolves relative mesh paths against `folder`.
    ///
    /// # Errors
    /// The text is malformed, or contains something that triangles in one frame cannot represent.
    pub fn parse(text: &str, folder: &Path, options: &SceneOptions) -> Result<Self> {
        let yaml: SceneYaml = parse(text, options.limits.memory_bytes)?;
        yaml.check_sizes()?;
        if yaml.world.octomap.as_ref().is_some_and(has_cells) {
            return Err(Error::input("the scene has an octomap, which is not supported because it has no triangles"));
        }
        let mut frames = HashMap::from([(String::new(), DAffine3::IDENTITY), ("world".into(), DAffine3::IDENTITY)]);
        for frame in &yaml.fixed_frame_transforms {
            let here = |e: Error| e.at(format!("frame {}", quoted(&frame.child_frame_id)));
            let parent = frame_of(&frames, &frame.header).map_err(here)?;
            let pose = pose(frame.transform.translation, frame.transform.rotation).map_err(here)?;
            frames.insert(frame.child_frame_id.clone(), parent * pose);
        }
        let (mut scene, mut primitives, mut n_meshes) = (Scene::new(), Vec::new(), 0);
        let mut left = options.clone();
        for (number, object) in (0u32..).zip(&yaml.world.collision_objects) {
            let here = |e: Error| e.at(format!("object {}", quoted(&object.id)));
            let frame = frame_of(&frames, &object.header).map_err(here)?;
            let triangles = object.triangles(frame, folder, &mut left).map_err(here)?;
            scene.add_object(object.id.as_str(), triangles)?;
            primitives.extend(object.primitives(number, frame).map_err(here)?);
            n_meshes += object.n_meshes();
        }
        let allowed = AllowedCollisions::new(yaml.allowed_collision_matrix)?;
        Ok(Self { scene, primitives, n_meshes, allowed, state: yaml.robot_state.into_state(folder, &mut left)? })
    }

    /// The pairs (index of a link, index of an object) that are never tested.
    pub fn allowed_pairs(&self, robot: &Robot) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (l, link) in robot.links.iter().enumerate() {
            for (o, object) in self.scene.objects.iter().enumerate() {
                if self.allowed.allows(&link.name, &object.name) {
                    pairs.push((l as u32, o as u32));
                }
            }
        }
        pairs
    }

    /// The pairs of links, by their indices, that are never tested against each other; the lower index first.
    pub fn allowed_link_pairs(&self, robot: &Robot) -> Vec<[u32; 2]> {
        let n = robot.links.len();
        let name = |link: usize| &*robot.links[link].name;
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        pairs.filter(|&[a, b]| self.allowed.allows(name(a), name(b))).map(|pair| pair.map(|i| i as u32)).collect()
    }
}

impl StateYaml {
    fn into_state(self, folder: &Path, left: &mut SceneOptions) -> Result<RobotState> {
        let attached = self.attached_collision_objects.into_iter().map(|object| object.into_object(folder, left));
        let attached = attached.collect::<Result<_>>()?;
        let JointStateYaml { name, position } = self.joint_state;
        if name.len() != position.len() {
            return Err(Error::input(format!("{} joints but {} positions", name.len(), position.len())));
        }
        let MultiDofYaml { joint_names, transforms } = self.multi_dof_joint_state;
        let root = match &transforms[..] {
            [] => None,
            [one] => Some(pose(one.translation, one.rotation).map_err(|e| e.at("multi_dof_joint_state"))?),
            _ => {
                let names = joint_names.join(", ");
                return Err(Error::input(format!("more than one multi-DOF joint: {names}")));
            }
        };
        Ok(RobotState {
            joints: by_name(name.into_iter().zip(position))?,
            root: root.filter(|p| *p != DAffine3::IDENTITY),
            attached,
        })
    }
}

/// Joint values by name.
fn by_name(values: impl Iterator<Item = (String, f64)>) -> Result<HashMap<String, f64>> {
    let mut joints = HashMap::new();
    for (name, value) in values {
        let here = |message: &str| Error::input(format!("the value of joint {} {message}", quoted(&name)));
        if !value.is_finite() {
            return Err(here("is NaN or infinite"));
        }
        if joints.contains_key(&name) {
            return Err(here("is given twice"));
        }
        joints.insert(name, value);
    }
    Ok(joints)
}

/// A robot whose root is placed by a state, before the caller's base is applied.
pub fn placed(robot: &Robot, root: DAffine3) -> Robot {
    let mut robot = robot.clone();
    if let Some(body) = robot.bodies.first_mut() {
        let base = DAffine3::from_mat3_translation(body.joint.orientation, body.joint.origin_m);
        let pose = root * base;
        body.joint.orientation = orthonormal(pose.matrix3);
        body.joint.origin_m = pose.translation;
    }
    robot
}

/// Reads YAML into a type, with bounds on the cost of aliases and nesting.
fn parse<T: DeserializeOwned>(text: &str, memory_bytes: u64) -> Result<T> {
    if text.len() as u64 > memory_bytes {
        return Err(Error::input(format!("its {} bytes exceed the memory limit", text.len()))
            .remedy("allow more with --memory"));
    }
    serde_saphyr::from_str(text).map_err(|cause| Error::input(format!("YAML: {}", shortened(&cause.to_string(), 200))))
}

fn frame_of(frames: &HashMap<String, DAffine3>, header: &Header) -> Result<DAffine3> {
    frames.get(header.frame_id.trim_start_matches('/')).copied().ok_or_else(|| {
        let name = quoted(&header.frame_id);
        Error::input(format!("its pose is in the frame {name}, which the scene does not define"))
    })
}

/// Largest deviation of a quaternion's norm from 1 at which it is still accepted and repaired.
const NORM_DEFECT: f64 = 1e-3;

/// A pose from a position (metres) and a quaternion x y z w.
fn pose(position_m: [f64; 3], orientation: [f64; 4]) -> Result<DAffine3> {
    let q = DQuat::from_array(orientation);
    let norm = orientation.iter().fold(0.0f64, |n, x| n.hypot(*x));
    if !((norm - 1.0).abs() <= NORM_DEFECT) {
        return Err(Error::input(format!("its quaternion has the norm {norm:?}, not 1")));
    }
    let origin_m = DVec3::from_array(position_m);
    if !origin_m.is_finite() {
        return Err(Error::input("its position has a NaN or infinite number"));
    }
    Ok(DAffine3::from_rotation_translation(q.normalize(), origin_m))
}

/// Returns whether an octomap contains cells.
fn has_cells(octomap: &serde_json::Value) -> bool {
    let data = octomap.get("octomap").unwrap_or(octomap).get("data");
    data.is_some_and(|d| d.as_array().is_some_and(|a| !a.is_empty()) || d.as_str().is_some_and(|s| !s.is_empty()))
}
