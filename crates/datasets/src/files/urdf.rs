//! The URDF file of a generated robot.

use crate::arm::Arm;
use firstcontact::error::{Result, input_error};
use firstcontact::io::output;
use glam::DVec3;
use std::io::Write;
use std::path::Path;

/// The folder of the mesh files, next to the URDF file.
pub(crate) const MESH_FOLDER: &str = "robot";

/// Writes the robot; it refers to its meshes as `robot/<mesh file>.obj`.
///
/// # Errors
/// The file cannot be written; in this case no file remains.
pub(crate) fn write(path: &Path, comment: &str, arm: &Arm) -> Result<()> {
    output::write(path, |out| text(out, comment, arm).map_err(|e| input_error(path)(&e)))
}

fn text(out: &mut impl Write, comment: &str, arm: &Arm) -> std::io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\"?>\n<!-- {comment} -->\n<robot name=\"{}\">", arm.name)?;
    for link in &arm.links {
        let geometry = format!("<geometry><mesh filename=\"{MESH_FOLDER}/{}.obj\"/></geometry>", link.mesh_file);
        writeln!(out, "  <link name=\"{}\">", link.part.name)?;
        for use_of_it in ["visual", "collision"] {
            writeln!(out, "    <{use_of_it}>{geometry}</{use_of_it}>")?;
        }
        writeln!(out, "  </link>")?;
    }
    for (i, pair) in arm.links.windows(2).enumerate() {
        let (parent, child) = (&pair[0], &pair[1]);
        let roll = f64::from(child.mount.x_quarters) * std::f64::consts::FRAC_PI_2;
        writeln!(out, "  <joint name=\"{}\" type=\"continuous\">", Arm::joint_name(i + 1))?;
        writeln!(out, "    <origin xyz=\"{}\" rpy=\"{roll} 0 0\"/>", numbers(child.mount.origin_m))?;
        writeln!(out, "    <parent link=\"{}\"/>", parent.part.name)?;
        writeln!(out, "    <child link=\"{}\"/>", child.part.name)?;
        writeln!(out, "    <axis xyz=\"{}\"/>", numbers(child.axis))?;
        writeln!(out, "  </joint>")?;
    }
    writeln!(out, "</robot>")
}

fn numbers(v: DVec3) -> String {
    format!("{} {} {}", v.x, v.y, v.z)
}
