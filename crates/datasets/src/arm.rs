//! A generated robot: links with meshes, connected by revolute joints.

use super::parts::assembly::Part;
use super::parts::turn::cos_sin;
use firstcontact::error::Result;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot};
use glam::{DMat3, DVec3};

/// A robot whose links form one chain of revolute joints; link 0 is fixed in the world.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The robot's name.
    pub name: String,
    /// The links from the base to the tip.
    pub links: Vec<ArmLink>,
}

/// A link, and the joint that connects it to the previous link.
#[derive(Clone, Debug)]
pub struct ArmLink {
    /// The mesh, in the link's frame; its name is the link's name.
    pub part: Part,
    /// The mesh file without its extension; links of the same shape share it.
    pub mesh_file: String,
    /// Placement of the link's frame in its parent's frame when the joint is at zero.
    pub mount: Mount,
    /// The joint's axis in the link's frame, a unit vector.
    pub axis: DVec3,
    /// Range of random start values of the joint, radians.
    pub start_range_rad: [f64; 2],
}

/// A placement whose rotations are whole quarter turns, so that its matrix is exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mount {
    /// Metres, in the parent's frame.
    pub origin_m: DVec3,
    /// Quarter turns about the parent's x axis.
    pub x_quarters: i32,
}

impl Mount {
    /// The rotation as a matrix of zeros and ones.
    pub fn orientation(&self) -> DMat3 {
        let (c, s) = cos_sin(i64::from(self.x_quarters), 4);
        DMat3::from_cols(DVec3::X, DVec3::new(0.0, c, s), DVec3::new(0.0, -s, c))
    }
}

impl Arm {
    /// The name of the joint before link `i`.
    pub fn joint_name(i: usize) -> String {
        format!("joint{i}")
    }

    /// Number of joints that move.
    pub fn n_columns(&self) -> usize {
        self.links.len().saturating_sub(1)
    }

    /// The model that the written URDF describes.
    ///
    /// # Errors
    /// A coordinate or an axis is invalid; no generator produces one.
    pub fn robot(&self) -> Result<Robot> {
        let root = self.links.first();
        let mut robot =
            Robot::new(self.name.clone(), root.map_or("base", |l| l.part.name.as_str()), DMat3::IDENTITY, DVec3::ZERO)?;
        let mut body = 0;
        for (i, link) in self.links.iter().enumerate() {
            if i > 0 {
                let column = robot.add_column(Self::joint_name(i), ColumnKind::AngleRad, None);
                let joint = Joint {
                    name: Self::joint_name(i),
                    orientation: link.mount.orientation(),
                    origin_m: link.mount.origin_m,
                    kind: JointKind::Revolute { axis: link.axis, drive: Drive::direct(column) },
                };
                body = robot.add_body(link.part.name.clone(), Some(body), joint)?;
            }
            robot.add_link(link.part.name.clone(), body, link.part.mesh.soup().collect(), vec![0])?;
        }
        Ok(robot)
    }
}
