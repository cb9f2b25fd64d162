//! Robots from URDF files.
//!
//! This module reads the XML strictly: it reports errors that would otherwise be ignored (a surplus number, a misspelt
//! attribute, a second origin), with their line. The crate `urdf-rs` drops tokens that are not numbers, cannot
//! distinguish a missing limit from `[0, 0]`, and exhausts the stack on deep nesting.

mod document;
mod files;
mod mimic;
#[cfg(test)]
mod tests;
mod tree;

use crate::error::{Error, Result, quoted};
use crate::io::load::{LoadLimits, bytes_of, read_bytes, text};
use crate::robot::primitive::CHORD_ERROR_M;
use crate::robot::{Column, ColumnKind, Drive, FixedLink, Joint, JointKind, Robot, Triangle, zero_area_warning};
pub(crate) use document::rpy;
use document::{Document, JointElement, Kind, Shape, ShapeGeometry};
use files::MeshFiles;
use glam::{DAffine3, DMat3, DVec3};
use mimic::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The shapes of a link that are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Geometry {
    /// Collision shapes, or visual ones if a link has no collision shape.
    #[default]
    Auto,
    /// Only collision shapes.
    Collision,
    /// Only visual shapes.
    Visual,
}

/// Options for reading a URDF.
#[derive(Clone, Debug)]
pub struct UrdfOptions {
    /// The shapes of a link that are used.
    pub geometry: Geometry,
    /// Largest distance by which tessellated primitives may extend beyond the true shape, metres.
    pub chord_error_m: f64,
    /// The pose of the root link in the world: x y z (metres), roll pitch yaw (radians).
    pub base: [f64; 6],
    /// Inserts a free joint, named `floating_root`, before the root; its columns are the first.
    pub floating_root: bool,
    /// Additional folders in which `package://name/rest` is looked up, as `name/rest` and as `rest`.
    pub package_paths: Vec<PathBuf>,
    /// Limits on the memory that the files and the triangles may take.
    pub limits: LoadLimits,
}

impl Default for UrdfOptions {
    fn default() -> Self {
        Self {
            geometry: Geometry::Auto,
            chord_error_m: CHORD_ERROR_M,
            base: [0.0; 6],
            floating_root: false,
            package_paths: Vec::new(),
            limits: LoadLimits::default(),
        }
    }
}

/// The name of the free joint before the root.
const FLOATING_ROOT: &str = "floating_root";

impl Robot {
    /// Reads a URDF file, with the root link at the world's origin.
    ///
    /// # Errors
    /// As [`Robot::from_urdf_with`].
    pub fn from_urdf(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_urdf_with(path, &UrdfOptions::default())
    }

    /// Reads a URDF file and the meshes that it refers to.
    ///
    /// # Errors
    /// A file is missing or malformed or exceeds the limits; the links and joints do not form a tree; names are not
    /// unique; a joint is planar, has no axis or mimics a joint that it cannot mimic.
    pub fn from_urdf_with(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Self> {
        let path = path.as_ref();
        let read = || build(text(&read_bytes(path, &options.limits)?)?, path, options);
        read().map_err(|e| e.in_file(path))
    }

    /// Reads the text of a URDF; the paths of its meshes are resolved as for a file in `folder`.
    ///
    /// ```
    /// use firstcontact::Robot;
    /// let urdf = r#"<robot name="post"><link name="base"/></robot>"#;
    /// let robot = Robot::from_urdf_text(urdf, ".", &Default::default())?;
    /// assert_eq!(robot.name, "post");
    /// # Ok::<(), firstcontact::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Robot::from_urdf_with`].
    pub fn from_urdf_text(text: &str, folder: impl AsRef<Path>, options: &UrdfOptions) -> Result<Self> {
        build(text, &folder.as_ref().join(UNNAMED), options)
    }
}

/// File name of a text without a file: the robot is called `robot` if the text does not name it.
const UNNAMED: &str = "robot.urdf";

/// The placement of a link: its body, and its pose in that body's frame.
#[derive(Clone, Copy)]
struct Placed {
    body: u32,
    pose: DAffine3,
}

/// The robot in a text that belongs to a file.
fn build(text: &str, path: &Path, options: &UrdfOptions) -> Result<Robot> {
    let document = Document::parse(text, options.geometry)?;
    let order = tree::order(&document)?;
    let name = match &document.name {
        Some(name) => name.clone(),
        None => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let mut robot = rooted(name, &document.links[order.root].name, options)?;
    robot.warnings.extend(document.warnings.iter().cloned());
    let sources = add_columns(&mut robot, &document)?;

    let fixed = document.joints.iter().zip(&sources).filter(|(_, source)| matches!(source, Source::Constant(_)));
    robot.fixed_joints = fixed.map(|(joint, _)| joint.name.clone()).collect();

    // Bodies in the order of the tree; links connected by fixed joints share one.
    let root = Placed { body: (robot.bodies.len() - 1) as u32, pose: DAffine3::IDENTITY };
    let mut placed = vec![root; document.links.len()];
    for step in &order.steps {
        let joint = &document.joints[step.joint];
        placed[step.child] = place(&mut robot, joint, sources[step.joint], placed[step.parent])?;
    }

    let is_fixed = |name: &str, body: u32| robot.bodies[body as usize].name != name;
    let fixed = document.links.iter().zip(&placed).filter(|(link, placed)| is_fixed(&link.name, placed.body));
    let fixed = fixed.map(|(link, &Placed { body, pose })| FixedLink { name: link.name.clone(), body, pose });
    let fixed = fixed.collect();
    robot.fixed_links = fixed;

    let mut files = MeshFiles::new(path, options, text.len() as u64);
    for (link, placed) in document.links.iter().zip(&placed) {
        let here = |e: Error| e.at(format!("link {}", quoted(&link.name)));
        let mut triangles: Vec<Triangle> = Vec::new();
        let mut shape_starts = Vec::with_capacity(link.shapes.len());
        for shape in &link.shapes {
            let start = u32::try_from(triangles.len()).map_err(|_| here(Error::input("more than 2^32 triangles")))?;
            shape_starts.push(start);
            triangles_of(shape, placed.pose, options, &mut files, &mut triangles).map_err(here)?;
        }
        files.charge(bytes_of::<Triangle>(triangles.len()), "its triangles").map_err(here)?;
        if triangles.is_empty() {
            robot.links_without_triangles.push(link.name.clone());
        } else {
            let index = robot.add_link(&link.name, placed.body, triangles, shape_starts)?;
            Arc::make_mut(&mut robot.links)[index as usize].pose = placed.pose;
        }
    }
    robot.warnings.append(&mut files.warnings);
    let each = robot.links.iter().map(|l| (format!("link {}", quoted(&l.name)), &l.triangles[..]));
    let odd = zero_area_warning(each);
    robot.warnings.extend(odd);
    if robot.links.is_empty() {
        robot.warnings.push("no link has a triangle: nothing can touch".into());
    }
    Ok(robot)
}

/// A robot with its root link, placed by the base and optionally moved by a free joint.
fn rooted(name: String, root: &str, options: &UrdfOptions) -> Result<Robot> {
    let [x, y, z, roll, pitch, yaw] = options.base;
    let (orientation, origin) = (rpy([roll, pitch, yaw]), DVec3::new(x, y, z));
    if !options.floating_root {
        return Robot::new(name, root, orientation, origin);
    }
    // The frame that the base places has no name: the robot may have a link of any name.
    let mut robot = Robot::new(name, "", orientation, origin)?;
    let kind = JointKind::Free { first_column: add_free_columns(&mut robot, FLOATING_ROOT) };
    let joint = Joint { name: FLOATING_ROOT.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    robot.add_body(root, Some(0), joint)?;
    Ok(robot)
}

fn add_free_columns(robot: &mut Robot, joint: &str) -> u32 {
    let first = robot.columns.len() as u32;
    for (i, part) in ["x", "y", "z", "qx", "qy", "qz", "qw"].iter().enumerate() {
        robot.add_column(format!("{joint}.{part}"), ColumnKind::Free(i as u8), None);
    }
    first
}

/// Adds the columns in the order of the joints; returns the source of each joint's value.
fn add_columns(robot: &mut Robot, document: &Document) -> Result<Vec<Source>> {
    let mut direct = Vec::with_capacity(document.joints.len());
    for joint in &document.joints {
        let limits = joint.limits;
        direct.push(match joint.kind {
            Kind::Fixed => Source::Constant(0.0),
            Kind::Floating => Source::Free(add_free_columns(robot, &joint.name)),
            // Overwritten when the mimics are resolved.
            _ if joint.mimic.is_some() => Source::Constant(0.0),
            Kind::Revolute => {
                Source::Driven(Drive::direct(robot.add_column(&joint.name, ColumnKind::AngleRad, limits)))
            }
            Kind::Prismatic => {
                Source::Driven(Drive::direct(robot.add_column(&joint.name, ColumnKind::LengthM, limits)))
            }
        });
    }
    let mut names: Vec<&Column> = robot.columns.iter().collect();
    names.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(pair) = names.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(Error::input(format!("two columns would be called {}", quoted(&pair[0].name))));
    }
    mimic::resolve(document, direct)
}

/// Places the child of a joint, in a new body where the joint moves.
fn place(robot: &mut Robot, joint: &JointElement, source: Source, parent: Placed) -> Result<Placed> {
    let pose = parent.pose * joint.pose;
    let axis = joint.axis;
    let kind = match source {
        Source::Constant(value) => {
            let moved = match joint.kind {
                Kind::Revolute => DAffine3::from_mat3(DMat3::from_axis_angle(axis, value)),
                Kind::Prismatic => DAffine3::from_translation(axis * value),
                Kind::Fixed | Kind::Floating => DAffine3::IDENTITY,
            };
            return Ok(Placed { body: parent.body, pose: pose * moved });
        }
        Source::Free(first_column) => JointKind::Free { first_column },
        Source::Driven(drive) if joint.kind == Kind::Prismatic => JointKind::Prismatic { axis, drive },
        Source::Driven(drive) => JointKind::Revolute { axis, drive },
    };
    let moving = Joint { name: joint.name.clone(), orientation: pose.matrix3, origin_m: pose.translation, kind };
    let body = robot.add_body(&joint.child, Some(parent.body), moving)?;
    Ok(Placed { body, pose: DAffine3::IDENTITY })
}

/// Appends the triangles of a shape, in the frame of the body that carries its link.
fn triangles_of(
    shape: &Shape,
    link: DAffine3,
    options: &UrdfOptions,
    files: &mut MeshFiles,
    out: &mut Vec<Triangle>,
) -> Result<()> {
    let pose = link * shape.pose;
    match &shape.geometry {
        ShapeGeometry::Primitive(primitive) => {
            let own = primitive.triangles(options.chord_error_m)?;
            out.extend(own.iter().map(|t| t.map(|v| pose.transform_point3(v))));
        }
        ShapeGeometry::Mesh { filename, scale } => {
            let mesh = files.load(filename)?;
            files.check(bytes_of::<Triangle>(out.len() + mesh.triangles.len()), "its triangles")?;
            out.extend(mesh.triangles.iter().map(|t| t.map(|v| pose.transform_point3(v * *scale))));
        }
    }
    Ok(())
}
