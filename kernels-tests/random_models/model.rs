//! Random models, for the engine and for the oracles.

use crate::oracle::chain::Part;
use crate::oracle::fk::turn_between;
use crate::oracle::poses::Articulated;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::verdict::Contact;
use glam::{DMat3, DQuat, DVec3};

pub type Triangle = [DVec3; 3];

/// Start and end.
pub type Motion = (Vec<f64>, Vec<f64>);

/// The motion of a body in the frame of its joint.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Fixed,
    /// Turns about a unit vector.
    Turning(DVec3, Value),
    /// Slides along one.
    Sliding(DVec3, Value),
    /// Seven columns from this one on.
    Free(usize),
}

/// The value of a joint: a column times a factor plus an offset.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub column: usize,
    pub factor: f64,
    pub offset: f64,
}

/// A body with its joint.
#[derive(Clone, Debug)]
pub struct Body {
    /// Index of a body before this one; `None` for a body on the world.
    pub parent: Option<usize>,
    pub orientation: DMat3,
    pub origin: DVec3,
    pub kind: Kind,
}

/// A robot and a scene.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Position of the root, which is not rotated.
    pub base: DVec3,
    pub columns: usize,
    pub bodies: Vec<Body>,
    /// Body and triangles of each link.
    pub links: Vec<(usize, Vec<Triangle>)>,
    pub objects: Vec<Vec<Triangle>>,
}

impl Value {
    pub fn of(column: usize) -> Self {
        Self { column, factor: 1.0, offset: 0.0 }
    }

    fn at(self, q: &[f64]) -> f64 {
        self.factor * q[self.column] + self.offset
    }
}

impl Model {
    /// Adds a body whose joint has its own column.
    pub fn add(&mut self, parent: Option<usize>, orientation: DMat3, origin: DVec3, kind: impl Fn(Value) -> Kind) {
        let kind = kind(Value::of(self.columns));
        self.columns += match kind {
            Kind::Fixed => 0,
            Kind::Turning(..) | Kind::Sliding(..) => 1,
            Kind::Free(_) => 7,
        };
        self.bodies.push(Body { parent, orientation, origin, kind });
    }

    /// The model as the engine's types.
    pub fn built(&self) -> (Robot, Scene) {
        let mut robot = Robot::new("model", "root", DMat3::IDENTITY, self.base).unwrap();
        for column in 0..self.columns {
            let free = self.bodies.iter().find_map(|b| match b.kind {
                Kind::Free(first) if (first..first + 7).contains(&column) => Some((column - first) as u8),
                _ => None,
            });
            robot.add_column(format!("c{column}"), free.map_or(ColumnKind::AngleRad, ColumnKind::Free), None);
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let drive = |v: Value| Drive { column: v.column as u32, multiplier: v.factor, offset: v.offset };
            let kind = match body.kind {
                Kind::Fixed => JointKind::Fixed,
                Kind::Turning(axis, value) => JointKind::Revolute { axis, drive: drive(value) },
                Kind::Sliding(axis, value) => JointKind::Prismatic { axis, drive: drive(value) },
                Kind::Free(first) => JointKind::Free { first_column: first as u32 },
            };
            let joint = Joint { name: format!("j{i}"), orientation: body.orientation, origin_m: body.origin, kind };
            // the engine's body 0 is the root, which does not move
            robot.add_body(format!("b{i}"), Some(body.parent.map_or(0, |p| p as u32 + 1)), joint).unwrap();
        }
        for (i, (body, triangles)) in self.links.iter().enumerate() {
            robot.add_link(format!("l{i}"), *body as u32 + 1, triangles.clone(), vec![0]).unwrap();
        }
        let mut scene = Scene::new();
        for (i, triangles) in self.objects.iter().enumerate() {
            scene.add_object(format!("o{i}"), triangles.iter().copied()).unwrap();
        }
        (robot, scene)
    }

    /// The motion of a body, from the specification alone, base first.
    pub fn chain(&self, body: usize, (q0, q1): &Motion) -> Vec<Part> {
        let Body { parent, orientation: k, origin, kind } = self.bodies[body];
        let mut chain = match parent {
            Some(parent) => self.chain(parent, &(q0.clone(), q1.clone())),
            None => vec![Part::new(DVec3::Z, DMat3::IDENTITY, self.base, DVec3::ZERO, 0.0)],
        };
        chain.push(match kind {
            Kind::Fixed => Part::new(DVec3::Z, k, origin, DVec3::ZERO, 0.0),
            Kind::Turning(axis, value) => {
                let (a, b) = (value.at(q0), value.at(q1));
                Part::new((k * axis).normalize(), k * DMat3::from_axis_angle(axis, a), origin, DVec3::ZERO, b - a)
            }
            Kind::Sliding(axis, value) => {
                let (a, b) = (value.at(q0), value.at(q1));
                Part::new(DVec3::Z, k, origin + a * (k * axis), (b - a) * (k * axis), 0.0)
            }
            Kind::Free(first) => {
                let pose = |q: &[f64]| (DVec3::from_slice(&q[first..]), DQuat::from_slice(&q[first + 3..first + 7]));
                let ((x0, r0), (x1, r1)) = (pose(q0), pose(q1));
                let (u, w) = turn_between(r0, r1);
                Part::new((k * u).normalize(), k * DMat3::from_quat(r0.normalize()), origin + k * x0, k * (x1 - x0), w)
            }
        });
        chain
    }

    /// Returns whether a link or the scene has a triangle without area.
    pub fn has_flat(&self) -> bool {
        let flat = |t: &Triangle| (t[1] - t[0]).cross(t[2] - t[0]) == DVec3::ZERO;
        self.links.iter().any(|l| l.1.iter().any(flat)) || self.objects.iter().flatten().any(flat)
    }

    /// The two triangles of a contact, according to the specification.
    pub fn named(&self, contact: &Contact, motion: &Motion) -> Articulated {
        let (body, mesh) = &self.links[contact.first.unwrap().a.link as usize];
        let obstacle = self.objects[contact.first.unwrap().b.object().unwrap() as usize]
            [contact.first.unwrap().b.triangle() as usize];
        pair(self.chain(*body, motion), &mesh[contact.first.unwrap().a.triangle as usize], &obstacle)
    }
}

/// A moving triangle and one at rest.
pub fn pair(chain: Vec<Part>, x: &Triangle, y: &Triangle) -> Articulated {
    Articulated { bodies: vec![(chain, x.to_vec()), (vec![], y.to_vec())] }
}

/// The motion of every body of a robot, exactly as the engine stores it: for tests at gaps where rounding matters. A
/// separate test checks that the stored numbers are the right ones.
pub fn stored(robot: &Robot, (q0, q1): &Motion) -> Vec<Vec<Part>> {
    chains(&RobotMotion::new(robot, q0, q1).unwrap())
}

/// The chain of each body of a motion, base first.
pub fn chains(motion: &RobotMotion) -> Vec<Vec<Part>> {
    let mut chains: Vec<Vec<Part>> = Vec::new();
    for (j, parent) in motion.joints.iter().zip(&motion.parents) {
        let mut chain = parent.map_or_else(Vec::new, |p| chains[p as usize].clone());
        chain.push(Part { a: j.a, b: j.b, k: j.c, c: j.origin_m, s: j.slide_m, w: j.w_rad });
        chains.push(chain);
    }
    chains
}
