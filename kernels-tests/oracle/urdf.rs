//! The contents of a URDF file, read directly from its XML.

use glam::{DAffine3, DMat3, DVec3};
use roxmltree::{Document, Node};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The kind of motion of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Fixed,
    /// Revolute or continuous: one column, an angle.
    Turning,
    /// Prismatic: one column, a length.
    Sliding,
    /// Free: seven columns, x y z qx qy qz qw.
    Floating,
}

impl Kind {
    /// Columns of a joint of this kind that does not mimic another one.
    pub fn columns(self) -> usize {
        match self {
            Kind::Fixed => 0,
            Kind::Turning | Kind::Sliding => 1,
            Kind::Floating => 7,
        }
    }
}

/// The geometry of one `<visual>` or `<collision>` element.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A mesh file, as named in the URDF, and its scale.
    Mesh(String, DVec3),
    /// A box of these full side lengths about the origin.
    Box(DVec3),
    /// Any other element, by name. The oracles omit such shapes.
    Other(String),
}

/// One `<visual>` or `<collision>` element.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Pose of the shape in the link frame.
    pub origin: DAffine3,
    pub geometry: Geometry,
}

/// A `<link>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub name: String,
    pub visual: Vec<Shape>,
    pub collision: Vec<Shape>,
}

/// A `<joint>`. Links are given by their index in [`Urdf::links`].
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    pub name: String,
    pub kind: Kind,
    pub parent: usize,
    pub child: usize,
    /// Pose of the joint frame in the parent frame.
    pub origin: DAffine3,
    /// Unit axis in the joint frame.
    pub axis: DVec3,
    /// Master joint, multiplier and offset of a mimic joint.
    pub mimic: Option<(usize, f64, f64)>,
    /// Lower and upper limit, for a revolute or prismatic joint that has them.
    pub limits: Option<(f64, f64)>,
}

/// A whole file, with links and joints in file order.
#[derive(Clone, Debug)]
pub struct Urdf {
    pub folder: PathBuf,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
}

/// Reads the file at `path`.
///
/// # Panics
/// The file is not a URDF that the oracles support. They are for valid inputs only.
pub fn read(path: &Path) -> Urdf {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parse(&text, path.parent().unwrap_or(Path::new(".")))
}

/// Parses the text of a file in `folder`.
///
/// # Panics
/// As [`read`].
pub fn parse(text: &str, folder: &Path) -> Urdf {
    let document = Document::parse(text).expect("well-formed XML");
    let root = document.root_element();
    assert!(root.has_tag_name("robot"), "the root element is {}", root.tag_name().name());
    let links: Vec<Link> = children(root, "link")
        .map(|n| Link { name: named(n), visual: shapes(n, "visual"), collision: shapes(n, "collision") })
        .collect();
    let link_at: HashMap<&str, usize> = links.iter().enumerate().map(|(i, l)| (l.name.as_str(), i)).collect();
    let joint_at: HashMap<String, usize> = children(root, "joint").enumerate().map(|(i, n)| (named(n), i)).collect();
    let joints = children(root, "joint").map(|n| joint(n, &link_at, &joint_at)).collect();
    Urdf { folder: folder.to_path_buf(), links, joints }
}

fn joint(n: Node, link_at: &HashMap<&str, usize>, joint_at: &HashMap<String, usize>) -> Joint {
    let name = named(n);
    let kind = match n.attribute("type").expect("a joint has a type") {
        "fixed" => Kind::Fixed,
        "revolute" | "continuous" => Kind::Turning,
        "prismatic" => Kind::Sliding,
        "floating" => Kind::Floating,
        other => panic!("joint {name}: type {other}"),
    };
    let end = |tag| {
        let link = child(n, tag).and_then(|e| e.attribute("link")).unwrap_or_else(|| panic!("joint {name}: no {tag}"));
        *link_at.get(link).unwrap_or_else(|| panic!("joint {name}: {tag} {link} is no link"))
    };
    let axis = child(n, "axis").and_then(|e| e.attribute("xyz")).map_or(DVec3::X, vector);
    let mimic = child(n, "mimic").map(|e| {
        let master = joint_at[e.attribute("joint").expect("mimic names a joint")];
        let number = |tag, default| e.attribute(tag).map_or(default, |s: &str| s.trim().parse().expect("a number"));
        (master, number("multiplier", 1.0), number("offset", 0.0))
    });
    let limits = child(n, "limit")
        .filter(|_| n.attribute("type") != Some("continuous"))
        .and_then(|e| Some((e.attribute("lower")?.trim().parse().ok()?, e.attribute("upper")?.trim().parse().ok()?)));
    let axis = if matches!(kind, Kind::Turning | Kind::Sliding) { axis.normalize() } else { axis };
    Joint { kind, parent: end("parent"), child: end("child"), origin: origin(n), axis, mimic, limits, name }
}

fn shapes(link: Node, tag: &'static str) -> Vec<Shape> {
    children(link, tag)
        .map(|n| {
            let inner = child(n, "geometry").and_then(|g| g.children().find(Node::is_element)).expect("a geometry");
            let geometry = match inner.tag_name().name() {
                "mesh" => Geometry::Mesh(
                    inner.attribute("filename").expect("a mesh has a file name").to_owned(),
                    inner.attribute("scale").map_or(DVec3::ONE, vector),
                ),
                "box" => Geometry::Box(vector(inner.attribute("size").expect("a box has a size"))),
                other => Geometry::Other(other.to_owned()),
            };
            Shape { origin: origin(n), geometry }
        })
        .collect()
}

/// Rotation by roll, pitch, yaw about the fixed axes x, y, z, in this order.
pub fn rotation(rpy: DVec3) -> DMat3 {
    DMat3::from_rotation_z(rpy.z) * DMat3::from_rotation_y(rpy.y) * DMat3::from_rotation_x(rpy.x)
}

fn origin(n: Node) -> DAffine3 {
    let part = |tag| child(n, "origin").and_then(|e| e.attribute(tag)).map_or(DVec3::ZERO, vector);
    DAffine3 { matrix3: rotation(part("rpy")), translation: part("xyz") }
}

fn vector(text: &str) -> DVec3 {
    let v: Vec<f64> = text.split_whitespace().map(|s| s.parse().expect("a number")).collect();
    DVec3::from_slice(&v[..3])
}

fn named(n: Node) -> String {
    n.attribute("name").expect("a link and a joint have a name").to_owned()
}

fn children<'a, 'd>(n: Node<'a, 'd>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'd>> {
    n.children().filter(move |c| c.has_tag_name(tag))
}

fn child<'a, 'd>(n: Node<'a, 'd>, tag: &'static str) -> Option<Node<'a, 'd>> {
    children(n, tag).next()
}
