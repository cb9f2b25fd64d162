//! Robots made by a test: links of a few triangles, joints, and the text of their URDF.
//!
//! Shapes are OBJ files written here, so that the order of their triangles is known.

use crate::cli::Desk;
use crate::oracle::mesh::Triangle;
use crate::oracle::urdf::rotation;
use glam::{DAffine3, DMat3, DQuat, DVec3, EulerRot};
use std::fmt::Write as _;

/// A link, without shape if it has no triangles.
#[derive(Clone, Debug)]
pub struct Link {
    pub name: String,
    pub triangles: Vec<Triangle>,
}

/// A joint without limits.
#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    /// The type as written in the file.
    pub kind: &'static str,
    pub parent: String,
    pub child: String,
    /// Pose of the joint in the parent link.
    pub origin: DAffine3,
    pub axis: DVec3,
    /// Master, multiplier and offset.
    pub mimic: Option<(String, f64, f64)>,
}

/// A robot with links and joints in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Mechanism {
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
}

impl Mechanism {
    /// Adds a link.
    pub fn link(mut self, name: &str, triangles: Vec<Triangle>) -> Self {
        self.links.push(Link { name: name.into(), triangles });
        self
    }

    /// Adds a joint whose frame is `origin` in the parent.
    pub fn joint(
        mut self,
        (name, kind): (&str, &'static str),
        (parent, child): (&str, &str),
        origin: impl Into<Origin>,
        axis: DVec3,
    ) -> Self {
        let (name, parent, child) = (name.into(), parent.into(), child.into());
        self.joints.push(Joint { name, kind, parent, child, origin: origin.into().0, axis, mimic: None });
        self
    }

    /// The same robot on a new root without shape: the old root moves as the pose of `joints`, one after another.
    pub fn on(&self, joints: &[(&'static str, DVec3)]) -> Self {
        let mut above = Self::default();
        let old = self.root().to_owned();
        for (i, (kind, axis)) in joints.iter().enumerate() {
            let child = if i + 1 == joints.len() { old.clone() } else { format!("mount{}", i + 1) };
            let parent = format!("mount{i}");
            above =
                above.link(&parent, vec![]).joint((&format!("moved{i}"), *kind), (&parent, &child), DVec3::ZERO, *axis);
        }
        above.links.extend(self.links.iter().cloned());
        above.joints.extend(self.joints.iter().cloned());
        above
    }

    /// The same robot with the elements of the file in reverse order.
    pub fn reversed(&self) -> Self {
        let mut other = self.clone();
        other.links.reverse();
        other.joints.reverse();
        other
    }

    /// The name of the link without a joint above it.
    pub fn root(&self) -> &str {
        let is_root = |l: &&Link| self.joints.iter().all(|j| j.child != l.name);
        &self.links.iter().find(is_root).expect("a root").name
    }

    /// Writes meshes into the directory and returns the text of the URDF.
    pub fn write(&self, desk: &Desk) -> String {
        let mut text = "<robot name=\"mechanism\">\n".to_owned();
        for (i, link) in self.links.iter().enumerate() {
            let mut shape = String::new();
            if !link.triangles.is_empty() {
                desk.put(&format!("link{i}.obj"), obj(&link.triangles));
                shape = format!("<collision><geometry><mesh filename=\"link{i}.obj\"/></geometry></collision>");
            }
            writeln!(text, "<link name=\"{}\">{shape}</link>", link.name).unwrap();
        }
        self.joints.iter().for_each(|joint| joint.write(&mut text));
        text + "</robot>\n"
    }
}

impl Joint {
    fn write(&self, text: &mut String) {
        let three = |v: DVec3| format!("{} {} {}", v.x, v.y, v.z);
        let (xyz, rpy) = (three(self.origin.translation), three(roll_pitch_yaw(&self.origin.matrix3)));
        let Self { name, kind, parent, child, .. } = self;
        write!(text, "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>")
            .unwrap();
        write!(text, "<origin xyz=\"{xyz}\" rpy=\"{rpy}\"/><axis xyz=\"{}\"/>", three(self.axis)).unwrap();
        if let Some((master, multiplier, offset)) = &self.mimic {
            write!(text, "<mimic joint=\"{master}\" multiplier=\"{multiplier}\" offset=\"{offset}\"/>").unwrap();
        }
        writeln!(text, "</joint>").unwrap();
    }
}

/// The frame of a joint: a place, or a pose.
pub struct Origin(DAffine3);

impl From<DVec3> for Origin {
    fn from(place: DVec3) -> Self {
        Self(DAffine3::from_translation(place))
    }
}

impl From<DAffine3> for Origin {
    fn from(pose: DAffine3) -> Self {
        Self(pose)
    }
}

/// The angles of a rotation as URDF writes them.
fn roll_pitch_yaw(m: &DMat3) -> DVec3 {
    if *m == DMat3::IDENTITY {
        return DVec3::ZERO;
    }
    let (yaw, pitch, roll) = DQuat::from_mat3(m).to_euler(EulerRot::ZYX);
    DVec3::new(roll, pitch, yaw)
}

/// An OBJ file of separate triangles.
pub fn obj(triangles: &[Triangle]) -> String {
    let mut text = String::new();
    for p in triangles.iter().flatten() {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for i in 0..triangles.len() {
        writeln!(text, "f {} {} {}", 3 * i + 1, 3 * i + 2, 3 * i + 3).unwrap();
    }
    text
}

#[test]
fn roll_pitch_yaw_reproduces_the_rotation() {
    for rpy in [DVec3::new(0.3, -0.4, 2.0), DVec3::new(-3.0, 1.2, -0.1), DVec3::ZERO] {
        let m = rotation(rpy);
        let again = rotation(roll_pitch_yaw(&m));
        assert!((m - again).to_cols_array().iter().all(|x| x.abs() < 1e-14), "{rpy}");
    }
}
