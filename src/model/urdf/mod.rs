//! Robots from URDF files.
//!
//! The XML is read here, strictly: what would be misread in silence (a number too many, a misspelt attribute, a second
//! origin) is an error with its line. The crate `urdf-rs` drops tokens that are no numbers, cannot tell a missing
//! limit from `[0, 0]`, and exhausts the stack on deep nesting.

mod document;
mod files;
mod mimic;
mod tree;

use crate::error::{Error, Result, quoted};
use crate::load::{LoadLimits, bytes_of, read_bytes, text};
use crate::model::primitive::CHORD_ERROR_M;
use crate::model::robot::{Column, ColumnKind, Drive, Joint, JointKind, Robot, Triangle, zero_area_warning};
use document::{Document, JointElement, Kind, Shape, ShapeGeometry, rpy};
use files::MeshFiles;
use glam::{DAffine3, DMat3, DVec3};
use mimic::Source;
use std::path::{Path, PathBuf};

/// Which shapes of a link count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Geometry {
    /// Collision shapes, or visual ones where a link has no collision shape.
    #[default]
    Auto,
    /// Collision shapes alone.
    Collision,
    /// Visual shapes alone.
    Visual,
}

/// How a URDF is read.
#[derive(Clone, Debug)]
pub struct UrdfOptions {
    /// Which shapes of a link count.
    pub geometry: Geometry,
    /// How far tessellated primitives may reach beyond the true shape, metres.
    pub chord_error_m: f64,
    /// The root link in the world: x y z (metres), roll pitch yaw (radians).
    pub base: [f64; 6],
    /// Whether a free joint, named `floating_root`, stands before the root; its columns come first.
    pub floating_root: bool,
    /// More folders in which `package://name/rest` is looked for, as `name/rest` and as `rest`.
    pub package_paths: Vec<PathBuf>,
    /// What the files and the triangles may take.
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
    /// Reads a URDF file, the root link standing in the world's origin.
    ///
    /// # Errors
    /// As [`Robot::from_urdf_with`].
    pub fn from_urdf(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_urdf_with(path, &UrdfOptions::default())
    }

    /// Reads a URDF file and the meshes that it names.
    ///
    /// # Errors
    /// A file is missing, malformed or does not fit the limits; the links and joints are no tree; names are not unique;
    /// a joint is planar, has no axis or mimics what it cannot.
    pub fn from_urdf_with(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Self> {
        let path = path.as_ref();
        read(path, options).map_err(|e| e.in_file(path))
    }
}

/// Where a link is: in which body, and how it stands in that body's frame.
#[derive(Clone, Copy)]
struct Placed {
    body: u32,
    pose: DAffine3,
}

fn read(path: &Path, options: &UrdfOptions) -> Result<Robot> {
    let bytes = read_bytes(path, &options.limits)?;
    let document = Document::parse(text(&bytes)?, options.geometry)?;
    let order = tree::order(&document)?;
    let name = match &document.name {
        Some(name) => name.clone(),
        None => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let mut robot = rooted(name, &document.links[order.root].name, options)?;
    robot.warnings.extend(document.warnings.iter().cloned());
    let sources = add_columns(&mut robot, &document)?;

    // Bodies in the order of the tree; links that hang together by fixed joints share one.
    let root = Placed { body: (robot.bodies.len() - 1) as u32, pose: DAffine3::IDENTITY };
    let mut placed = vec![root; document.links.len()];
    for step in &order.steps {
        let joint = &document.joints[step.joint];
        placed[step.child] = place(&mut robot, joint, sources[step.joint], placed[step.parent])?;
    }

    let mut files = MeshFiles::new(path, options, bytes.len() as u64);
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
        if !triangles.is_empty() {
            robot.add_link(&link.name, placed.body, triangles, shape_starts)?;
        }
    }
    let each = robot.links.iter().map(|l| (format!("link {}", quoted(&l.name)), &l.triangles[..]));
    let odd = zero_area_warning(each);
    robot.warnings.extend(odd);
    if robot.links.is_empty() {
        robot.warnings.push("no link has a triangle: nothing can touch".into());
    }
    Ok(robot)
}

/// A robot with its root link, which the base places, and perhaps a free joint moves.
fn rooted(name: String, root: &str, options: &UrdfOptions) -> Result<Robot> {
    let [x, y, z, roll, pitch, yaw] = options.base;
    let (orientation, origin) = (rpy([roll, pitch, yaw]), DVec3::new(x, y, z));
    if !options.floating_root {
        return Robot::new(name, root, orientation, origin);
    }
    let mut robot = Robot::new(name, "world", orientation, origin)?;
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

/// The columns in the order of the joints, and what moves each joint.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    const BOX: &str = r#"<collision><geometry><box size="2 2 2"/></geometry></collision>"#;

    /// Reads a URDF of these elements.
    fn robot_with(elements: &str, options: &UrdfOptions) -> Result<Robot> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.urdf");
        std::fs::write(&path, format!("<robot name=\"r\">{elements}</robot>")).unwrap();
        Robot::from_urdf_with(&path, options)
    }

    fn robot(elements: &str) -> Robot {
        robot_with(elements, &UrdfOptions::default()).unwrap()
    }

    fn links(names: &[&str], content: &str) -> String {
        names.iter().map(|n| format!("<link name=\"{n}\">{content}</link>")).collect()
    }

    fn joint(name: &str, kind: &str, [parent, child]: [&str; 2], content: &str) -> String {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{content}</joint>"
        )
    }

    fn names(robot: &Robot) -> Vec<&str> {
        robot.columns.iter().map(|c| c.name.as_str()).collect()
    }

    fn near(a: DVec3, b: [f64; 3]) -> bool {
        (a - DVec3::from(b)).length() < 1e-14
    }

    #[test]
    fn fixed_joints_merge_links_into_one_body() {
        let lift = r#"<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>"#;
        let robot = robot(
            &[
                links(&["c", "b", "a"], BOX),
                joint("f", "fixed", ["a", "b"], lift),
                joint(
                    "m",
                    "revolute",
                    ["b", "c"],
                    &format!("{lift}<axis xyz=\"0 0 2\"/><limit lower=\"-1\" upper=\"2\"/>"),
                ),
            ]
            .concat(),
        );
        assert_eq!(robot.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(
            robot.links.iter().map(|l| (l.name.as_str(), l.body)).collect::<Vec<_>>(),
            [("c", 1), ("b", 0), ("a", 0)]
        );
        let lowest = |l: usize| robot.links[l].triangles.iter().flatten().map(|v| v.z).fold(9.0, f64::min);
        assert_eq!([lowest(0), lowest(1), lowest(2)], [-1.0, 0.0, -1.0]);
        let moving = &robot.bodies[1].joint;
        assert!(near(moving.origin_m, [0.0, 0.0, 2.0]) && near(moving.orientation.x_axis, [-1.0, 0.0, 0.0]));
        assert_eq!(moving.kind, JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(0) });
        assert_eq!(robot.columns[0].limits, Some([-1.0, 2.0]));
        assert_eq!(robot.warnings.len(), 1, "{:?}", robot.warnings);
        assert!(robot.warnings[0].contains("unit length"));
    }

    #[test]
    fn roll_pitch_yaw_turn_about_fixed_axes() {
        let m = rpy([FRAC_PI_2, 0.0, FRAC_PI_2]);
        assert!(near(m * DVec3::X, [0.0, 1.0, 0.0]) && near(m * DVec3::Y, [0.0, 0.0, 1.0]), "{m}");
        let m = rpy([0.0, FRAC_PI_2, FRAC_PI_2]);
        assert!(near(m * DVec3::Z, [0.0, 1.0, 0.0]) && near(m * DVec3::X, [0.0, 0.0, -1.0]), "{m}");
    }

    #[test]
    fn columns_follow_the_file_and_mimics_are_composed() {
        let text = [
            links(&["root", "a", "b", "c", "d", "e", "f"], ""),
            joint("m2", "revolute", ["a", "b"], r#"<mimic joint="m1" multiplier="2" offset="1"/>"#),
            joint("m1", "prismatic", ["b", "c"], r#"<mimic joint="z" multiplier="-3" offset="0.5"/>"#),
            joint("z", "continuous", ["root", "a"], ""),
            joint("free", "floating", ["c", "d"], ""),
            joint("y", "prismatic", ["a", "e"], r#"<limit lower="-inf" upper="inf"/>"#),
            joint(
                "still",
                "revolute",
                ["e", "f"],
                r#"<mimic joint="bolt" offset="1.5707963267948966"/><axis xyz="0 0 1"/>"#,
            ),
            links(&["g"], BOX),
            joint("bolt", "fixed", ["f", "g"], r#"<origin xyz="5 0 0"/>"#),
        ]
        .concat();
        let robot = robot(&text);
        assert_eq!(names(&robot), ["z", "free.x", "free.y", "free.z", "free.qx", "free.qy", "free.qz", "free.qw", "y"]);
        assert!(robot.columns.iter().all(|c| c.limits.is_none()));
        let drive = |name: &str| match robot.bodies.iter().find(|b| b.joint.name == name).unwrap().joint.kind {
            JointKind::Revolute { drive, .. } | JointKind::Prismatic { drive, .. } => drive,
            _ => panic!("{name}"),
        };
        assert_eq!(drive("m1"), Drive { column: 0, multiplier: -3.0, offset: 0.5 });
        assert_eq!(drive("m2"), Drive { column: 0, multiplier: -6.0, offset: 2.0 });
        // The joint that mimics a bolt is turned a quarter, once and for all.
        assert!(robot.bodies.iter().all(|b| b.joint.name != "still"));
        let center = robot.links[0].triangles.iter().flatten().sum::<DVec3>() / 36.0;
        assert!(near(center, [0.0, 5.0, 0.0]), "{center}");
        assert_eq!(robot.bodies[robot.links[0].body as usize].name, "e");
    }

    #[test]
    fn a_base_and_a_floating_root() {
        let text =
            [links(&["a", "b"], BOX), joint("j", "revolute", ["a", "b"], r#"<limit lower="-1" upper="1"/>"#)].concat();
        let mut options = UrdfOptions { base: [1.0, 2.0, 3.0, 0.0, 0.0, FRAC_PI_2], ..UrdfOptions::default() };
        let fixed = robot_with(&text, &options).unwrap();
        assert!(near(fixed.body_poses(&[0.0]).unwrap()[1].transform_point3(DVec3::X), [1.0, 3.0, 3.0]));
        options.floating_root = true;
        let free = robot_with(&text, &options).unwrap();
        assert_eq!(names(&free)[0], "floating_root.x");
        assert_eq!(names(&free)[6..], ["floating_root.qw", "j"]);
        assert_eq!(free.links.iter().map(|l| l.body).collect::<Vec<_>>(), [1, 2]);
        let q = [0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert!(near(free.body_poses(&q).unwrap()[2].transform_point3(DVec3::X), [-4.0, 3.0, 3.0]));
        assert!(free.body_poses(&[]).is_err());
    }

    #[test]
    fn the_geometry_is_chosen_for_each_link() {
        let sphere = r#"<visual><origin xyz="0 0 9"/><geometry><sphere radius="1"/></geometry></visual>"#;
        let broken = r#"<visual><geometry><mesh filename="missing.stl"/></geometry></visual>"#;
        let text =
            [links(&["a"], &format!("{BOX}{BOX}{broken}")), links(&["b"], sphere), joint("j", "fixed", ["a", "b"], "")]
                .concat();
        let read = |geometry| robot_with(&text, &UrdfOptions { geometry, ..UrdfOptions::default() });
        let auto = read(Geometry::Auto).unwrap();
        assert_eq!(auto.links[0].shape_starts, [0, 12]);
        assert_eq!((auto.links[0].triangles.len(), auto.links.len()), (24, 2));
        assert_eq!(read(Geometry::Collision).unwrap().links.len(), 1);
        let error = read(Geometry::Visual).unwrap_err().to_string();
        assert!(error.contains("missing.stl") && error.contains("link 'a'"), "{error}");
    }

    #[test]
    fn meshes_are_scaled_mirrored_and_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["ws/robots/urdf", "ws/meshes", "other/pkg/m"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        let obj = "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
        for name in ["ws/meshes/near.obj", "other/pkg/m/far.obj", "ws/robots/urdf/here.obj"] {
            std::fs::write(at(name), obj).unwrap();
        }
        let here = format!("file://{}", at("ws/robots/urdf/here.obj").display());
        let files =
            ["package://any/meshes/near.obj", "package://pkg/m/far.obj", "here.obj", "../../meshes/near.obj", &here];
        let shapes: String = files
            .iter()
            .map(|f| format!("<visual><origin xyz=\"0 0 1\"/><geometry><mesh filename=\"{f}\" scale=\"2 -3 1\"/></geometry></visual>"))
            .collect();
        let path = at("ws/robots/urdf/r.urdf");
        std::fs::write(&path, format!("<robot><link name=\"a\">{shapes}</link></robot>")).unwrap();
        let options = UrdfOptions { package_paths: vec![at("other")], ..UrdfOptions::default() };
        let robot = Robot::from_urdf_with(&path, &options).unwrap();
        assert_eq!(robot.name, "r");
        assert_eq!(robot.links[0].shape_starts, [0, 1, 2, 3, 4]);
        for triangle in &robot.links[0].triangles {
            assert_eq!(triangle.map(|v| v.to_array()), [[2.0, 0.0, 1.0], [0.0, -3.0, 1.0], [0.0, 0.0, 2.0]]);
        }
        // Each mesh is read, and charged, once: both together take 2 * 72 bytes, the link 5 * 72.
        let bytes = std::fs::metadata(&path).unwrap().len();
        let just = LoadLimits { memory_bytes: bytes + 3 * 72 + 5 * 72 };
        assert!(Robot::from_urdf_with(&path, &UrdfOptions { limits: just, ..options.clone() }).is_ok());
        let short = UrdfOptions { limits: just.less(1), ..options };
        let error = Robot::from_urdf_with(&path, &short).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Memory, "{error}");

        let error = Robot::from_urdf(&path).unwrap_err().to_string();
        for place in ["pkg/m/far.obj", " and no m/far.obj", "ws/robots/urdf, ", "ws/robots, ", "ws, "] {
            assert!(error.contains(place), "{place}: {error}");
        }
    }

    #[test]
    fn long_chains_of_links_and_mimics_take_no_time() {
        let n = 20_000;
        let mut text = links(&["l0"], "");
        for i in 1..=n {
            text += &links(&[&format!("l{i}")], "");
            let mimic = if i < n { format!("<mimic joint=\"j{}\"/>", i + 1) } else { "<limit upper=\"1\"/>".into() };
            text += &joint(&format!("j{i}"), "revolute", [&format!("l{}", i - 1), &format!("l{i}")], &mimic);
        }
        let robot = robot(&text);
        assert_eq!((robot.columns.len(), robot.bodies.len()), (1, n + 1));
        assert!(robot.warnings[0].contains("nothing can touch"));
    }

    #[test]
    fn zero_area_triangles_are_kept_and_counted_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\nf 1 1 1\n")
            .unwrap();
        let shape = r#"<visual><geometry><mesh filename="m.obj"/></geometry></visual>"#;
        let path = folder.path().join("r.urdf");
        std::fs::write(&path, format!("<robot>{}</robot>", links(&["a"], &shape.repeat(2)))).unwrap();
        let robot = Robot::from_urdf(&path).unwrap();
        assert_eq!(robot.triangle_count(), 6);
        assert_eq!(robot.warnings.len(), 1);
        assert!(robot.warnings[0].contains(": 4, the first is triangle 1 of link 'a'"), "{:?}", robot.warnings);
    }
}
