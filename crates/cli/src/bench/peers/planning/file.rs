//! Writes the problems for VAMP; `benches/peers/README.md` describes the file.

use super::case::{Case, Set};
use firstcontact::formats::moveit::PlacedPrimitive;
use firstcontact::robot::primitive::Primitive;
use firstcontact::{Error, Result};
use std::fmt::Write as _;
use std::path::Path;

/// Writes `problems.txt` into a folder.
pub fn write(set: &Set, folder: &Path) -> Result<()> {
    super::super::problem::write_text(&folder.join("problems.txt"), &describe(set)?)
}

/// The text of the file.
pub fn describe(set: &Set) -> Result<String> {
    let mut text = format!("robot {}\njoints {}", set.robot_name, set.robot.columns.len());
    for column in &set.robot.columns {
        // Writing to a string cannot fail.
        let _ = write!(text, " {}", column.name);
    }
    let _ = writeln!(text, "\nproblems {}", set.cases.len());
    for case in &set.cases {
        let _ = writeln!(text, "problem {} {}", set.kinds[case.kind], case.primitives.len());
        for primitive in &case.primitives {
            text += &shape(primitive, case)?;
        }
        let numbers: Vec<String> =
            [case.motion.start(0), case.motion.end(0)].concat().iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{}", numbers.join(" "));
    }
    Ok(text)
}

/// A line: name, three sizes, and the placement as three rows of four numbers.
fn shape(placed: &PlacedPrimitive, case: &Case) -> Result<String> {
    let (name, size) = match placed.primitive {
        Primitive::Box { size_m } => ("box", size_m.to_array()),
        Primitive::Cylinder { radius_m, length_m } => ("cylinder", [radius_m, length_m, 0.0]),
        Primitive::Sphere { radius_m } => ("sphere", [radius_m, 0.0, 0.0]),
        Primitive::Capsule { .. } => {
            return Err(Error::usage("planning problems have no capsules").at(format!("problem {}", case.name)));
        }
    };
    let (turn, at) = (placed.pose.matrix3, placed.pose.translation);
    let mut line = format!("{name} {} {} {}", size[0], size[1], size[2]);
    for row in 0..3 {
        let r = turn.row(row);
        let _ = write!(line, "  {} {} {} {}", r.x, r.y, r.z, at[row]);
    }
    Ok(line + "\n")
}
