//! The elements of a URDF file that matter for motion and contact.

use super::Geometry;
use crate::error::{Error, Result, quoted, shortened};
use crate::formats::xml::{child, children, line, numbers, only_attributes, parse, required};
use crate::robot::primitive::Primitive;
use glam::{DAffine3, DMat3, DVec3};
use roxmltree::Node;

pub(super) struct Document {
    pub name: Option<String>,
    pub links: Vec<LinkElement>,
    pub joints: Vec<JointElement>,
    pub warnings: Vec<String>,
}

pub(super) struct LinkElement {
    pub name: String,
    pub shapes: Vec<Shape>,
}

/// A visual or collision element: its pose in the link's frame.
pub(super) struct Shape {
    pub pose: DAffine3,
    pub geometry: ShapeGeometry,
}

pub(super) enum ShapeGeometry {
    Primitive(Primitive),
    Mesh { filename: String, scale: DVec3 },
}

pub(super) struct JointElement {
    pub name: String,
    pub kind: Kind,
    pub parent: String,
    pub child: String,
    /// The joint frame in the parent link's frame.
    pub pose: DAffine3,
    /// Unit vector in the joint frame.
    pub axis: DVec3,
    pub limits: Option<[f64; 2]>,
    pub mimic: Option<Mimic>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Fixed,
    Revolute,
    Prismatic,
    Floating,
}

/// Follows another joint: `multiplier * value + offset`.
pub(super) struct Mimic {
    pub joint: String,
    pub multiplier: f64,
    pub offset: f64,
}

/// The rotation of roll, pitch, yaw (radians): about the fixed axes x, y, z, in this order.
pub(crate) fn rpy([roll, pitch, yaw]: [f64; 3]) -> DMat3 {
    DMat3::from_rotation_z(yaw) * DMat3::from_rotation_y(pitch) * DMat3::from_rotation_x(roll)
}

impl Document {
    pub fn parse(text: &str, geometry: Geometry) -> Result<Self> {
        let xml = parse(text)?;
        let root = xml.root_element();
        if root.tag_name().name() != "robot" {
            return Err(Error::input(format!("its root is <{}>, not <robot>", shortened(root.tag_name().name(), 60))));
        }
        if let Some(macros) = root.descendants().find(|n| n.tag_name().namespace().is_some_and(|s| s.contains("xacro")))
        {
            return Err(Error::input("it has xacro elements").at(line(macros)).remedy("expand it with xacro first"));
        }
        if let Some(include) = root.children().find(|n| n.is_element() && n.tag_name().name() == "include") {
            let error = Error::input("it includes another file, which is not supported").at(line(include));
            return Err(error.remedy("replace it with the elements of that file"));
        }
        let mut document = Self {
            name: root.attribute("name").map(str::trim).filter(|n| !n.is_empty()).map(str::to_string),
            links: Vec::new(),
            joints: Vec::new(),
            warnings: Vec::new(),
        };
        for link in children(root, "link") {
            let name = required(link, "name")?.to_string();
            let shapes = shapes(link, geometry).map_err(|e| e.at(format!("link {}", quoted(&name))))?;
            document.warn_of_unknown(link, &LINK_ELEMENTS, &format!("link {}", quoted(&name)));
            for shape in children(link, "collision").chain(children(link, "visual")) {
                document.warn_of_unknown(shape, &SHAPE_ELEMENTS, &format!("link {}", quoted(&name)));
            }
            document.links.push(LinkElement { name, shapes });
        }
        for joint in children(root, "joint") {
            let name = required(joint, "name")?.to_string();
            let place = format!("joint {}", quoted(&name));
            document.warn_of_unknown(joint, &JOINT_ELEMENTS, &place);
            let joint = read_joint(joint, name, &mut document.warnings).map_err(|e| e.at(place))?;
            document.joints.push(joint);
        }
        Ok(document)
    }

    /// Warns of elements that have no meaning in a URDF, of each kind once: a misspelt `<collision>` would leave the
    /// link without shapes, and a misspelt `<origin>` would misplace it. Elements of another name space are extensions.
    fn warn_of_unknown(&mut self, parent: Node, known: &[&str], place: &str) {
        let own = parent.tag_name().namespace();
        let plain = |node: &Node| node.is_element() && [None, own].contains(&node.tag_name().namespace());
        for element in parent.children().filter(plain) {
            let tag = element.tag_name().name();
            let message = format!("the element <{}> is not used", shortened(tag, 60));
            if !known.contains(&tag) && !self.warnings.iter().any(|w| w.ends_with(&message)) {
                self.warnings.push(format!("{place}: {message}"));
            }
        }
    }
}

/// The elements of a link in URDF and its common extensions.
const LINK_ELEMENTS: [&str; 6] = ["inertial", "visual", "collision", "contact", "self_collision_checking", "verbose"];
/// The elements of a visual or collision element.
const SHAPE_ELEMENTS: [&str; 5] = ["origin", "geometry", "material", "verbose", "contact_coefficients"];
/// The elements of a joint.
const JOINT_ELEMENTS: [&str; 10] = [
    "parent",
    "child",
    "origin",
    "axis",
    "limit",
    "mimic",
    "dynamics",
    "calibration",
    "safety_controller",
    "hardwareInterface",
];

fn shapes(link: Node, geometry: Geometry) -> Result<Vec<Shape>> {
    let all = |tag| children(link, tag).map(shape).collect::<Result<Vec<_>>>();
    match geometry {
        Geometry::Collision => all("collision"),
        Geometry::Visual => all("visual"),
        Geometry::Auto => {
            let collision = all("collision")?;
            if collision.is_empty() { all("visual") } else { Ok(collision) }
        }
    }
}

fn shape(element: Node) -> Result<Shape> {
    let refuse = |node: Node, what: String| Err(Error::input(what).at(line(node)));
    let Some(geometry) = child(element, "geometry")? else {
        return refuse(element, format!("<{}> has no <geometry>", element.tag_name().name()));
    };
    let mut kinds = geometry.children().filter(Node::is_element);
    let (Some(kind), None) = (kinds.next(), kinds.next()) else {
        return refuse(geometry, "<geometry> must have exactly one shape".into());
    };
    let length = |attribute| Ok(wanted::<1>(kind, attribute)?[0]);
    let geometry = match kind.tag_name().name() {
        "box" => ShapeGeometry::Primitive(Primitive::Box { size_m: wanted::<3>(kind, "size")?.into() }),
        "cylinder" => {
            ShapeGeometry::Primitive(Primitive::Cylinder { radius_m: length("radius")?, length_m: length("length")? })
        }
        "sphere" => ShapeGeometry::Primitive(Primitive::Sphere { radius_m: length("radius")? }),
        "capsule" => {
            ShapeGeometry::Primitive(Primitive::Capsule { radius_m: length("radius")?, length_m: length("length")? })
        }
        "mesh" => {
            only_attributes(kind, &["filename", "scale"])?;
            let scale = DVec3::from(numbers::<3>(kind, "scale")?.unwrap_or([1.0; 3]));
            if scale.to_array().contains(&0.0) {
                return refuse(kind, format!("the scale {:?} {:?} {:?} has a zero", scale.x, scale.y, scale.z));
            }
            ShapeGeometry::Mesh { filename: required(kind, "filename")?.to_string(), scale }
        }
        other => return refuse(kind, format!("the shape <{}> is not supported", shortened(other, 60))),
    };
    Ok(Shape { pose: origin(element)?, geometry })
}

/// The pose of an element's `<origin>`; the identity if it has no origin.
fn origin(element: Node) -> Result<DAffine3> {
    let Some(origin) = child(element, "origin")? else { return Ok(DAffine3::IDENTITY) };
    only_attributes(origin, &["xyz", "rpy"])?;
    let xyz = numbers::<3>(origin, "xyz")?.unwrap_or_default();
    let angles = numbers::<3>(origin, "rpy")?.unwrap_or_default();
    Ok(DAffine3::from_mat3_translation(rpy(angles), xyz.into()))
}

/// The numbers of a required attribute.
fn wanted<const N: usize>(node: Node, attribute: &str) -> Result<[f64; N]> {
    required(node, attribute)?;
    Ok(numbers::<N>(node, attribute)?.unwrap_or([0.0; N]))
}

fn read_joint(element: Node, name: String, warnings: &mut Vec<String>) -> Result<JointElement> {
    let type_name = required(element, "type")?;
    let kind = Kind::named(type_name)?;
    let link = |tag: &'static str| match child(element, tag)? {
        Some(end) => Ok(required(end, "link")?.to_string()),
        None => Err(Error::input(format!("it has no <{tag}>"))),
    };
    let is_moving = matches!(kind, Kind::Revolute | Kind::Prismatic);
    let mut warn = |what: &str| warnings.push(format!("joint {}: {what}", quoted(&name)));
    let axis = match child(element, "axis")?.filter(|_| is_moving) {
        Some(axis) => unit_axis(axis, &mut warn)?,
        None => DVec3::X,
    };
    let limit = child(element, "limit")?.filter(|_| is_moving && type_name != "continuous");
    let mimic = match child(element, "mimic")?.filter(|_| kind != Kind::Fixed) {
        Some(_) if kind == Kind::Floating => return Err(Error::input("a floating joint cannot mimic")),
        mimic => mimic.map(Mimic::read).transpose()?,
    };
    let limits = match limit {
        Some(limit) => limits(limit, &mut warn)?,
        None => None,
    };
    Ok(JointElement {
        kind,
        parent: link("parent")?,
        child: link("child")?,
        pose: origin(element)?,
        axis,
        limits,
        mimic,
        name,
    })
}

impl Kind {
    /// The kind of a joint type of URDF.
    fn named(type_name: &str) -> Result<Self> {
        match type_name {
            "fixed" => Ok(Self::Fixed),
            "revolute" | "continuous" => Ok(Self::Revolute),
            "prismatic" => Ok(Self::Prismatic),
            "floating" => Ok(Self::Floating),
            other => {
                let message = format!("{} joints are not supported", quoted(other));
                Err(Error::input(message).remedy("use revolute, continuous, prismatic, fixed or floating"))
            }
        }
    }
}

impl Mimic {
    fn read(mimic: Node) -> Result<Self> {
        only_attributes(mimic, &["joint", "multiplier", "offset"])?;
        Ok(Self {
            joint: required(mimic, "joint")?.to_string(),
            multiplier: numbers::<1>(mimic, "multiplier")?.unwrap_or([1.0])[0],
            offset: numbers::<1>(mimic, "offset")?.unwrap_or([0.0])[0],
        })
    }
}

/// The direction of an `<axis>` as a unit vector.
fn unit_axis(axis: Node, warn: &mut impl FnMut(&str)) -> Result<DVec3> {
    let given = DVec3::from(wanted::<3>(axis, "xyz")?);
    // Scaled by the largest component, so that the length neither overflows nor underflows.
    let unit = (given / given.abs().max_element()).try_normalize().ok_or_else(|| Error::input("its axis is zero"))?;
    if (given.length() - 1.0).abs() > 1e-3 {
        warn("its axis did not have unit length and was normalised");
    }
    Ok(unit)
}

/// The bounds of a `<limit>`; `None` if it does not bound the joint.
fn limits(limit: Node, warn: &mut impl FnMut(&str)) -> Result<Option<[f64; 2]>> {
    // In URDF a missing limit is 0.
    let [lower, upper] = [bound(limit, "lower")?, bound(limit, "upper")?];
    if lower > upper {
        warn("its lower limit is above its upper one: both are ignored");
    }
    Ok((lower <= upper && (lower, upper) != (f64::NEG_INFINITY, f64::INFINITY)).then_some([lower, upper]))
}

/// A joint limit, which may be infinite.
fn bound(limit: Node, attribute: &str) -> Result<f64> {
    match limit.attribute(attribute).map(str::trim) {
        None => Ok(0.0),
        Some(value) => match value.parse::<f64>() {
            Ok(x) if !x.is_nan() => Ok(x),
            _ => Err(Error::input(format!("{attribute} is {}, not a number", quoted(value))).at(line(limit))),
        },
    }
}
