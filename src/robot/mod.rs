//! The articulated model: a tree of bodies, each moved by one joint, carrying the triangles of its links.
//!
//! Links connected by fixed joints move as one [`Body`]; their vertices are stored in that body's frame, rounded once
//! to f64. All guarantees refer to the triangles as stored here.

mod attached;
mod forest;
pub(crate) mod free_region;
mod joint_limits;
mod joint_matrices;
mod joint_motion;
mod kinematics;
mod link_pairs;
mod model_motion;
mod motion_batch;
pub(crate) mod motion_check;
pub mod phase;
mod pose_bounds;
pub mod primitive;
mod relative_motion;
pub mod toleranced_motion;
pub mod trajectory;

pub use attached::AttachedObject;
pub use free_region::{FreeRegion, RegionColumn};
pub use joint_limits::{BeyondLimits, LimitCounts};
pub use joint_motion::{JointMotion, QUATERNION_TOLERANCE, rotation};
pub use link_pairs::{LinkPairs, Untested};
pub use model_motion::RobotMotion;
pub use motion_batch::MotionBatch;
pub use pose_bounds::LaneTimes;
pub use trajectory::Trajectory;

use crate::error::{Error, Result, quoted};
use glam::{DAffine3, DMat3, DVec3};
use std::sync::Arc;

/// A remedy for motions with a wrong number of columns, or of unknown names.
pub(crate) const SEE_COLUMNS: &str = "firstcontact info --robot prints the columns in order";

/// Three vertices, metres.
pub type Triangle = [DVec3; 3];

/// A kinematic tree in the world, with the triangles of its links.
#[derive(Clone, Debug)]
pub struct Robot {
    /// The model's name.
    pub name: String,
    /// The columns of a motion, in order.
    pub columns: Vec<Column>,
    /// The bodies, parents before their children; body 0 is the root.
    pub bodies: Vec<Body>,
    /// The links that have triangles, in the order of the file; copies of a robot share them.
    pub links: Arc<Vec<Link>>,
    /// Names of the links without triangles, to which other files may refer.
    pub links_without_triangles: Vec<String>,
    /// The links on fixed joints, whose body is that of another link, with or without triangles.
    pub fixed_links: Vec<FixedLink>,
    /// Names of the joints that do not move, to which other files may refer: fixed joints, and joints that mimic a
    /// fixed joint.
    pub fixed_joints: Vec<String>,
    /// Warnings about the input, one line each; they do not prevent its use.
    pub warnings: Vec<String>,
}

/// One column of a motion: the value of one joint, or one component of a free joint's pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The joint's name; a free joint's columns are `name.x` … `name.qw`.
    pub name: String,
    /// The quantity in this column.
    pub kind: ColumnKind,
    /// Lower and upper limit of the joint, if it has limits.
    pub limits: Option<[f64; 2]>,
}

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// An angle, radians, not reduced modulo a full turn.
    AngleRad,
    /// A displacement, metres.
    LengthM,
    /// Component 0–6 of a free joint: x y z (metres), qx qy qz qw.
    Free(u8),
}

/// A rigid body of the tree.
#[derive(Clone, Debug)]
pub struct Body {
    /// The name of the link whose frame this is; empty for a frame without a link, as below a floating root.
    pub name: String,
    /// The parent body, which has a lower index; `None` for the root, whose parent is the world.
    pub parent: Option<u32>,
    /// The joint that moves the body in its parent's frame.
    pub joint: Joint,
}

/// A joint: a fixed placement in the parent's frame, followed by a motion.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The joint's name.
    pub name: String,
    /// Orientation of the joint frame in the parent's frame: a rotation.
    pub orientation: DMat3,
    /// Origin of the joint frame in the parent's frame, metres.
    pub origin_m: DVec3,
    /// The motion of the joint.
    pub kind: JointKind,
}

impl Joint {
    /// The column that drives the joint, if it turns or slides along one axis.
    pub(crate) fn drive(&self) -> Option<Drive> {
        match self.kind {
            JointKind::Revolute { drive, .. } | JointKind::Prismatic { drive, .. } => Some(drive),
            JointKind::Fixed | JointKind::Free { .. } => None,
        }
    }
}

/// The kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Does not move.
    Fixed,
    /// Turns about `axis`.
    Revolute {
        /// Unit vector in the joint frame.
        axis: DVec3,
        /// The column that gives the angle.
        drive: Drive,
    },
    /// Slides along `axis`.
    Prismatic {
        /// Unit vector in the joint frame.
        axis: DVec3,
        /// The column that gives the displacement.
        drive: Drive,
    },
    /// Moves freely; the pose takes seven columns starting at `first_column`: x y z qx qy qz qw.
    Free {
        /// The first of the seven columns.
        first_column: u32,
    },
}

/// A joint value as a function of the columns: `multiplier * column + offset` (other than 1 and 0 for mimic joints).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// The column that drives the joint.
    pub column: u32,
    /// Factor by which the column is multiplied.
    pub multiplier: f64,
    /// Added to the product; radians or metres.
    pub offset: f64,
}

impl Drive {
    /// The column itself.
    pub fn direct(column: u32) -> Self {
        Self { column, multiplier: 1.0, offset: 0.0 }
    }

    /// The joint value for one configuration.
    pub fn value(&self, q: &[f64]) -> f64 {
        self.multiplier * q[self.column as usize] + self.offset
    }
}

/// A link with triangles, or an object that is attached to a link.
#[derive(Clone, Debug)]
pub struct Link {
    /// The name of the link or the object.
    pub name: String,
    /// The body that carries it.
    pub body: u32,
    /// The triangles in the body's frame, in file order, shape after shape; copies of a link share them.
    pub triangles: Arc<Vec<Triangle>>,
    /// Index of the first triangle of each shape of the link, in file order.
    pub shape_starts: Vec<u32>,
    /// The name of the link that carries it, for an [attached object](AttachedObject); `None` for a link.
    pub attached_to: Option<String>,
    /// The pose of the link's frame, or of the object's, in the body's frame.
    pub pose: DAffine3,
}

/// A link that is joined to a body by fixed joints.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedLink {
    /// The link's name.
    pub name: String,
    /// The body that carries it.
    pub body: u32,
    /// The pose of the link's frame in the body's frame.
    pub pose: DAffine3,
}

impl Link {
    /// The shape that a triangle belongs to.
    pub fn shape_of(&self, triangle: u32) -> u32 {
        (self.shape_starts.partition_point(|&s| s <= triangle) as u32).saturating_sub(1)
    }
}

/// Largest deviation from an orthonormal matrix at which a rotation is still accepted and repaired.
const ROTATION_DEFECT: f64 = 1e-6;

/// Maximum number of joints in a chain: the rounding bounds of the kernels assume it.
pub const MAX_DEPTH: usize = 1000;

/// Copies everything except the links; pass by value or as an [`Arc`] to avoid it.
impl From<&Robot> for Arc<Robot> {
    fn from(robot: &Robot) -> Self {
        Self::new(robot.clone())
    }
}

impl Robot {
    /// Creates a robot with a fixed root body named `root`. `orientation` and `origin_m`, metres, place its frame in
    /// the world.
    ///
    /// # Errors
    /// `orientation` is not a rotation, or a number is NaN or infinite.
    pub fn new(name: impl Into<String>, root: impl Into<String>, orientation: DMat3, origin_m: DVec3) -> Result<Self> {
        let mut robot = Self {
            name: name.into(),
            columns: Vec::new(),
            bodies: Vec::new(),
            links: Arc::default(),
            links_without_triangles: Vec::new(),
            fixed_links: Vec::new(),
            fixed_joints: Vec::new(),
            warnings: Vec::new(),
        };
        let joint = Joint { name: "world".into(), orientation, origin_m, kind: JointKind::Fixed };
        robot.add_body(root, None, joint)?;
        Ok(robot)
    }

    /// Adds a column of motions and returns its index. `limits` are in radians or metres.
    pub fn add_column(&mut self, name: impl Into<String>, kind: ColumnKind, limits: Option<[f64; 2]>) -> u32 {
        self.columns.push(Column { name: name.into(), kind, limits });
        (self.columns.len() - 1) as u32
    }

    /// Adds a body under `parent` and returns its index. The rotation is made orthonormal and the axis a unit vector.
    ///
    /// # Errors
    /// The orientation is not a rotation, the axis is zero, a number is NaN or infinite, a column does not exist,
    /// `parent` was not added before, or a chain has more than [`MAX_DEPTH`] joints.
    pub fn add_body(&mut self, name: impl Into<String>, parent: Option<u32>, mut joint: Joint) -> Result<u32> {
        let name = name.into();
        let refuse = |what: &str| Err(Error::input(what.to_string()).at(format!("joint {}", quoted(&joint.name))));
        if !(joint.orientation.is_finite() && joint.origin_m.is_finite()) {
            return refuse("its placement has a NaN or infinite number");
        }
        let defect = joint.orientation * joint.orientation.transpose() - DMat3::IDENTITY;
        let largest = defect.to_cols_array().into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if largest > ROTATION_DEFECT || joint.orientation.determinant() < 0.0 {
            return refuse("its orientation is not a rotation");
        }
        match &mut joint.kind {
            JointKind::Revolute { axis, drive } | JointKind::Prismatic { axis, drive } => {
                let length = axis.length();
                if !(axis.is_finite() && length > 1e-9) {
                    return Err(
                        Error::input("its axis is zero or not finite").at(format!("joint {}", quoted(&joint.name)))
                    );
                }
                *axis /= length;
                if drive.column as usize >= self.columns.len()
                    || !drive.multiplier.is_finite()
                    || !drive.offset.is_finite()
                {
                    return Err(Error::input("its column does not exist, or its multiplier or offset is not finite")
                        .at(format!("joint {}", quoted(&joint.name))));
                }
            }
            JointKind::Free { first_column } => {
                if *first_column as usize + 7 > self.columns.len() {
                    return Err(Error::input("it needs seven columns").at(format!("joint {}", quoted(&joint.name))));
                }
            }
            JointKind::Fixed => {}
        }
        joint.orientation = orthonormal(joint.orientation);
        if parent.is_some_and(|p| p as usize >= self.bodies.len()) || (parent.is_none() && !self.bodies.is_empty()) {
            return Err(Error::input("its parent must be added before it").at(format!("link {}", quoted(&name))));
        }
        let depth = 1 + parent.map_or(0, |p| self.depth_of(p));
        if depth > MAX_DEPTH {
            return Err(
                Error::input(format!("more than {MAX_DEPTH} joints in a chain")).at(format!("link {}", quoted(&name)))
            );
        }
        self.bodies.push(Body { name, parent, joint });
        Ok((self.bodies.len() - 1) as u32)
    }

    /// Adds a link and returns its index. `triangles` are in the frame of `body`, metres; `shape_starts` has the index
    /// of the first triangle of each shape.
    ///
    /// # Errors
    /// `body` was not added before, or a coordinate is NaN or infinite.
    pub fn add_link(
        &mut self,
        name: impl Into<String>,
        body: u32,
        triangles: Vec<Triangle>,
        shape_starts: Vec<u32>,
    ) -> Result<u32> {
        let name = name.into();
        if body as usize >= self.bodies.len() {
            return Err(Error::input("its body must be added before it").at(format!("link {}", quoted(&name))));
        }
        if let Some(i) = triangles.iter().position(|t| !t.iter().all(|v| v.is_finite())) {
            return Err(Error::input(format!("triangle {i} has a NaN or infinite coordinate"))
                .at(format!("link {}", quoted(&name))));
        }
        let triangles = Arc::new(triangles);
        let (attached_to, pose) = (None, DAffine3::IDENTITY);
        Arc::make_mut(&mut self.links).push(Link { name, body, triangles, shape_starts, attached_to, pose });
        Ok((self.links.len() - 1) as u32)
    }

    /// Number of joints between a body and the world, the body's own included.
    pub fn depth_of(&self, body: u32) -> usize {
        std::iter::successors(Some(body), |&b| self.bodies[b as usize].parent).count()
    }

    /// Number of triangles of all links.
    pub fn triangle_count(&self) -> usize {
        self.links.iter().map(|l| l.triangles.len()).sum()
    }
}

/// The rotation nearest to a matrix that is nearly a rotation.
pub(crate) fn orthonormal(m: DMat3) -> DMat3 {
    joint_matrices::matrix(joint_matrices::orthonormal(joint_matrices::columns(&m)))
}

/// One line about the triangles without area, which are kept as edges or points; `None` if there are no such triangles.
pub(crate) fn zero_area_warning<'a>(parts: impl Iterator<Item = (String, &'a [Triangle])>) -> Option<String> {
    let (mut n, mut first) = (0usize, None);
    for (name, triangles) in parts {
        for (i, [a, b, c]) in triangles.iter().enumerate() {
            if (b - a).cross(c - a) == DVec3::ZERO {
                n += 1;
                first.get_or_insert_with(|| format!("triangle {i} of {name}"));
            }
        }
    }
    first.map(|first| format!("zero-area triangles are kept as edges or points: {n}, the first is {first}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_requires_its_body() {
        let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let triangle = || vec![[DVec3::ZERO, DVec3::X, DVec3::Y]];
        let error = robot.add_link("hand", 1, triangle(), vec![0]).unwrap_err().to_string();
        assert_eq!(error, "link 'hand': its body must be added before it");
        assert!(robot.links.is_empty());
        assert_eq!(robot.add_link("base", 0, triangle(), vec![0]).unwrap(), 0);
    }
}
