//! Motions as binary glTF (GLB), for third-party viewers and for the page of reports.
//!
//! Every body of the robot is a node below its parent's node, animated according to its joint's motion; links are nodes
//! with meshes below their bodies. The first contact of a motion is a red ball with an arrow along the normal. Each
//! motion is one animation, which takes one second, and its `extras` contain the answer as `check` writes it. The
//! animation of a trajectory takes the time of the trajectory from its first point on, or one second for each segment.
//! Coordinates are metres; below the topmost node z is up, as in the engine. The `extras` of the scene contain the view
//! of each motion, and the origin if it is not the world's origin.

mod file;
mod frame;
mod near;
mod way;

use super::course::Course;
use super::mesh::Mesh;
use super::palette;
pub use super::palette::{CONTACT, ROBOT, TOUCHED};
use file::File;
use firstcontact::engine::Engine;
use firstcontact::error::{Error, Result};
use firstcontact::robot::{JointKind, JointMotion, RobotMotion, Triangle};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::verdict::{ContactPoint, TrajectoryVerdict, Verdict};
use frame::{Frame, middle_and_size, points_of_ways};
use glam::{DQuat, DVec3};
use gltf_json::Index;
use gltf_json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf_json::extras::RawValue;
use gltf_json::scene::{Node, UnitQuaternion};
use gltf_json::validation::Checked::Valid;
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::f32::consts::FRAC_1_SQRT_2;
use way::Way;

/// The radius of the ball at a contact, relative to the size of the moving parts.
const MARK: f64 = 0.02;

/// A motion or trajectory to show.
#[derive(Clone, Copy, Debug)]
pub struct ShownMotion<'a> {
    /// Its path.
    pub course: &'a Course<'a>,
    /// The number in its name.
    pub number: usize,
    /// The engine's answer for it.
    pub answer: &'a TrajectoryVerdict,
}

/// A GLB file.
#[derive(Clone, Debug)]
pub struct Glb {
    /// The file.
    pub bytes: Vec<u8>,
    /// Number of triangles of the scene that are in the file.
    pub scene_triangles: usize,
    /// Number of triangles of the scene.
    pub of_triangles: usize,
}

/// Makes a GLB file of the robot, the scene and some motions, each an animation. If the scene has more than
/// `most_triangles`, only the objects nearest to the motions are included. `scene` is the one for which the engine was
/// built.
///
/// # Errors
/// A motion does not fit the robot, turns a joint by more than about 800 turns, or has a duration that glTF cannot
/// represent; the file would be larger than 4 GiB.
pub fn export(engine: &Engine, scene: &Scene, shown: &[ShownMotion], most_triangles: usize) -> Result<Glb> {
    let world = engine.world();
    shown.iter().try_for_each(check_duration)?;
    let ways = points_of_ways(engine, shown)?;
    let way = ways.concat();
    let (focus, extent_m) = middle_and_size(&way);
    let frame = |(s, way): (&ShownMotion, &Vec<DVec3>)| Frame::new(engine, s, way);
    let frames: Vec<Frame> = shown.iter().zip(&ways).map(frame).collect::<Result<_>>()?;
    let mut file = File::default();
    file.root.asset.generator = Some(format!("firstcontact {}", env!("CARGO_PKG_VERSION")));

    let touched: Vec<u32> =
        shown.iter().filter_map(|s| touch(&s.answer.verdict)).filter_map(|t| t.b.object()).collect();
    let near = near::nearest(world, &way, &touched, most_triangles);
    let first = shown.first().ok_or_else(|| Error::usage("no motion to show"))?;
    let (top, bodies) = add_robot(&mut file, world, &first.course.motions(&world.robot)?[0]);
    let scene_triangles = near.iter().map(|s| s.triangles.len()).sum();
    let mut below = add_scene(&mut file, world, &near, &touched);
    let sizes_m: Vec<f64> = frames.iter().map(|frame| MARK * frame.extent_m).collect();
    let marks = add_marks(&mut file, world, shown, &sizes_m);
    below.extend(marks.iter().flatten());
    file.root.nodes[top.value()].children.get_or_insert_default().extend(below);

    for (k, s) in shown.iter().enumerate() {
        let mut animation = Keys::new(&mut file);
        let motions = s.course.motions(&world.robot)?;
        for (k, (node, body)) in bodies.iter().zip(&world.robot.bodies).enumerate() {
            // The root always has keys, even if nothing moves, so that every motion is an animation.
            if body.joint.kind != JointKind::Fixed || body.parent.is_none() {
                let joints: Vec<&JointMotion> = motions.iter().map(|motion| &motion.joints[k]).collect();
                animation.translation(*node, &way::positions(&joints, s.course.times()));
                animation.rotation(*node, &way::rotations(&joints, s.course.times())?);
            }
        }
        // With several motions only the mark of the motion that is played is visible.
        if shown.len() > 1 {
            for (other, mark) in marks.iter().enumerate() {
                let size = if other == k { sizes_m[k] as f32 } else { 0.0 };
                mark.iter().for_each(|mark| animation.scale(*mark, size, s.course));
            }
        }
        let line = s.course.line(s.number, s.answer, &world.robot, scene);
        animation.finish(format!("motion {}", s.number), extras(&line)?);
    }
    let told = json!({
        "origin_m": world.origin_m.to_array(),
        "focus_m": focus.to_array(),
        "extent_m": extent_m,
        "scene_triangles": [scene_triangles, world.scene.triangles.len()],
        "motions": frames,
    });
    let scene = gltf_json::Scene { extensions: None, extras: extras(&told)?, name: None, nodes: vec![top] };
    file.root.scene = Some(file.root.push(scene));
    let of_triangles = world.scene.triangles.len();
    Ok(Glb { bytes: file.finish()?, scene_triangles, of_triangles })
}

/// Returns an error if a motion's duration is out of range for the 32-bit times of glTF.
fn check_duration(shown: &ShownMotion) -> Result<()> {
    let duration = shown.course.end() - shown.course.start();
    if (f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX)).contains(&duration) {
        return Ok(());
    }
    let message = format!("motion {} takes {duration:e} s, which glTF cannot represent", shown.number);
    Err(Error::usage(message).remedy("show one with a duration from 1e-37 to 1e38 s"))
}

fn touch(verdict: &Verdict) -> Option<&ContactPoint> {
    match verdict {
        Verdict::Contact(contact) => contact.first.as_ref(),
        Verdict::Free | Verdict::Undecided(_) => None,
    }
}

/// A topmost node, below which z is up, and a node for each body, with its links below.
fn add_robot(file: &mut File, world: &CollisionWorld, motion: &RobotMotion) -> (Index<Node>, Vec<Index<Node>>) {
    let blue = file.material("robot", palette::ROBOT);
    // A quarter turn about x: z, which is up in the engine, becomes y.
    let up = UnitQuaternion([-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2]);
    let top = file.root.push(Node { name: Some("z is up".into()), rotation: Some(up), ..Node::default() });
    let mut nodes: Vec<Index<Node>> = Vec::with_capacity(world.robot.bodies.len());
    for (body, joint) in world.robot.bodies.iter().zip(&motion.joints) {
        let rotation = way::orientation(joint, 0.0).as_quat().normalize().to_array();
        let node = file.root.push(Node {
            name: Some(body.joint.name.clone()),
            translation: Some(way::ends_of(joint)[0]),
            rotation: Some(UnitQuaternion(rotation)),
            ..Node::default()
        });
        let parent = body.parent.map_or(top, |p| nodes[p as usize]);
        file.root.nodes[parent.value()].children.get_or_insert_default().push(node);
        nodes.push(node);
    }
    for link in world.robot.links.iter() {
        if let Some(mesh) = file.mesh(&link.triangles, blue) {
            let node = file.root.push(Node { name: Some(link.name.clone()), mesh: Some(mesh), ..Node::default() });
            let body = nodes[link.body as usize];
            file.root.nodes[body.value()].children.get_or_insert_default().push(node);
        }
    }
    (top, nodes)
}

/// A node for each object.
fn add_scene(file: &mut File, world: &CollisionWorld, shown: &[near::Shown], touched: &[u32]) -> Vec<Index<Node>> {
    let orange = file.material("touched", palette::TOUCHED);
    let colours = palette::of_objects(&world.scene.objects);
    let mut muted = HashMap::new();
    let mut nodes = Vec::with_capacity(shown.len());
    for object in shown {
        let colour = colours.get(object.object as usize).copied().unwrap_or_default();
        let material = if touched.contains(&object.object) {
            orange
        } else {
            *muted.entry(colour).or_insert_with(|| file.material("scene", colour))
        };
        if let Some(mesh) = file.mesh(&object.triangles, material) {
            let name = world.scene.objects.get(object.object as usize).map(|o| o.name.clone());
            nodes.push(file.root.push(Node { name, mesh: Some(mesh), ..Node::default() }));
        }
    }
    nodes
}

/// A ball and an arrow for each motion with a contact; all share one mesh.
fn add_marks(
    file: &mut File,
    world: &CollisionWorld,
    shown: &[ShownMotion],
    sizes_m: &[f64],
) -> Vec<Option<Index<Node>>> {
    if !shown.iter().any(|s| touch(&s.answer.verdict).is_some()) {
        return vec![None; shown.len()];
    }
    let red = file.material("contact", palette::CONTACT);
    let mut unit = Mesh::new(DVec3::ZERO);
    unit.add_contact(DVec3::ZERO, DVec3::Z, 1.0, palette::CONTACT);
    let corner = |at: usize| DVec3::from_array(unit.corners[at].position.map(f64::from));
    let triangles: Vec<Triangle> = (0..unit.corners.len() / 3).map(|k| [0, 1, 2].map(|i| corner(3 * k + i))).collect();
    let mesh = file.mesh(&triangles, red);
    let mark = |(s, &size_m): (&ShownMotion, &f64)| {
        touch(&s.answer.verdict).map(|touch| {
            let turned = DQuat::from_rotation_arc(DVec3::Z, DVec3::from_array(touch.normal).normalize_or(DVec3::Z));
            file.root.push(Node {
                name: Some(format!("contact {}", s.number)),
                mesh,
                translation: Some((DVec3::from_array(touch.point) - world.origin_m).as_vec3().to_array()),
                rotation: Some(UnitQuaternion(turned.as_quat().normalize().to_array())),
                scale: Some([size_m as f32; 3]),
                ..Node::default()
            })
        })
    };
    shown.iter().zip(sizes_m).map(mark).collect()
}

/// Data for the project's own reader, as JSON.
fn extras(told: &impl Serialize) -> Result<Option<Box<RawValue>>> {
    serde_json::value::to_raw_value(told).map(Some).map_err(|e| Error::usage(format!("glTF: {e}")))
}

/// An animation under construction.
struct Keys<'f> {
    file: &'f mut File,
    channels: Vec<Channel>,
    samplers: Vec<Sampler>,
}

impl<'f> Keys<'f> {
    fn new(file: &'f mut File) -> Self {
        Self { file, channels: Vec::new(), samplers: Vec::new() }
    }

    fn translation(&mut self, node: Index<Node>, way: &Way<3>) {
        let values = self.file.vectors(&way.values, None);
        self.add(node, Property::Translation, &way.times, values);
    }

    fn rotation(&mut self, node: Index<Node>, way: &Way<4>) {
        let values = self.file.quadruples(&way.values);
        self.add(node, Property::Rotation, &way.times, values);
    }

    /// A constant scale.
    fn scale(&mut self, node: Index<Node>, size: f32, course: &Course) {
        let values = self.file.vectors(&[[size; 3]; 2], None);
        self.add(node, Property::Scale, &[0.0, (course.end() - course.start()) as f32], values);
    }

    fn add(&mut self, node: Index<Node>, path: Property, times: &[f32], output: Index<gltf_json::Accessor>) {
        let input = self.file.times(times);
        let interpolation = Valid(Interpolation::Linear);
        let sampler =
            Index::push(&mut self.samplers, Sampler { extensions: None, extras: None, input, interpolation, output });
        let target = Target { extensions: None, extras: None, node, path: Valid(path) };
        self.channels.push(Channel { sampler, target, extensions: None, extras: None });
    }

    fn finish(self, name: String, extras: Option<Box<RawValue>>) {
        let Self { file, channels, samplers } = self;
        file.root.push(Animation { extensions: None, extras, channels, name: Some(name), samplers });
    }
}
