//! Robots from URDF and SRDF.

use crate::handles::{self, object};
use crate::load_options::{FcLoadOptions, urdf_options};
use crate::output::{optional_output, output, outputs};
use crate::rows::{FcRows, fc_rows};
use crate::status::{FcStatus, guard};
use crate::text::{Names, no_such, optional, path, text, texts};
use firstcontact::error::quoted;
use firstcontact::{ColumnKind, Error, Result, Robot, Srdf};
use std::ffi::c_char;
use std::sync::Arc;

/// Kind of a column of configurations.
pub type FcColumnKind = i32;
/// An angle, radians.
pub const FC_COLUMN_ANGLE: FcColumnKind = 0;
/// A length, metres.
pub const FC_COLUMN_LENGTH: FcColumnKind = 1;
/// One of the columns x y z qx qy qz qw of a free joint.
pub const FC_COLUMN_FREE: FcColumnKind = 2;

/// A robot, with its semantic description if it has one; or several robots joined into one.
pub struct FcRobot {
    pub(crate) robot: Arc<Robot>,
    pub(crate) srdf: Option<Srdf>,
    /// Robots that were joined, by name.
    pub(crate) parts: Vec<(String, Arc<FcRobot>)>,
    joints: Names,
    links: Names,
    warnings: Names,
}
object!(FcRobot, "robot");

impl FcRobot {
    fn new(robot: Robot, srdf: Option<Srdf>) -> Result<Self> {
        let mut warnings = robot.warnings.clone();
        if let Some(srdf) = &srdf {
            srdf.check(&robot)?;
            warnings.extend(srdf.warnings(&robot));
        }
        Ok(Self::with_names(robot, srdf, &warnings))
    }

    fn with_names(robot: Robot, srdf: Option<Srdf>, warnings: &[String]) -> Self {
        let joints = robot.columns.iter().map(|column| &column.name).collect();
        let links = robot.links.iter().map(|link| &link.name).collect();
        Self { robot: Arc::new(robot), srdf, parts: Vec::new(), joints, links, warnings: warnings.iter().collect() }
    }

    fn join(parts: Vec<(String, Arc<Self>)>) -> Result<Self> {
        if let Some((name, _)) = parts.iter().find(|(_, part)| !part.parts.is_empty()) {
            let error = Error::usage(format!("the robot {} is itself joined from several robots", quoted(name)));
            return Err(error.remedy("join all robots in one call"));
        }
        let robot = Robot::join(parts.iter().map(|(name, part)| (name.clone(), Robot::clone(&part.robot))))?;
        let of_part = |(name, part): &(String, Arc<Self>)| {
            part.warnings.iter().map(|warning| format!("{name}: {warning}")).collect::<Vec<_>>()
        };
        let warnings: Vec<String> = parts.iter().flat_map(of_part).collect();
        Ok(Self { parts, ..Self::with_names(robot, None, &warnings) })
    }

    /// The values of a named state by column. Of several robots, the name begins with that of one and a slash.
    ///
    /// # Errors
    /// There is no SRDF, or no such state.
    fn state(&self, state: &str) -> Result<Vec<(usize, f64)>> {
        let of_part = state.split_once('/').and_then(|(of, state)| {
            let at = self.parts.iter().position(|(name, _)| name == of)?;
            Some((at, state))
        });
        if let Some((at, state)) = of_part {
            let first: usize = self.parts[..at].iter().map(|(_, part)| part.joints.len()).sum();
            let values = self.parts[at].1.state(state)?;
            return Ok(values.into_iter().map(|(column, value)| (first + column, value)).collect());
        }
        let without =
            || Error::usage("the robot has no SRDF, so it has no named states").remedy("read it with an SRDF");
        let values = self.srdf.as_ref().ok_or_else(without)?.joint_values(state, &self.robot)?;
        let columns = self.robot.columns.iter().enumerate();
        Ok(columns.filter_map(|(i, column)| Some((i, values.get(&column.name)?))).collect())
    }
}

/// Reads a robot from a URDF file, and its semantic description from an SRDF file unless that is null. The columns of a
/// configuration are the moving joints, in the order of the URDF; fixed and mimic joints have no column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_from_files(
    urdf: *const c_char,
    srdf: *const c_char,
    options: *const FcLoadOptions,
    robot: *mut *mut FcRobot,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let (urdf, srdf) = unsafe { (path(urdf, "urdf")?, optional(srdf, "srdf", path)?) };
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(robot, "robot") }?;
        let options = urdf_options(options)?;
        let srdf = srdf.map(|path| Srdf::read_with(path, &options.limits)).transpose()?;
        to.set(handles::put(FcRobot::new(Robot::from_urdf_with(urdf, &options)?, srdf)?));
        Ok(())
    })
}

/// Reads a robot from the text of a URDF, and from that of an SRDF unless it is null. The paths of meshes are resolved
/// as if the URDF were a file in the folder; null is the current folder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_from_texts(
    urdf: *const c_char,
    srdf: *const c_char,
    folder: *const c_char,
    options: *const FcLoadOptions,
    robot: *mut *mut FcRobot,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let (urdf, folder) = unsafe { (text(urdf, "urdf")?, optional(folder, "folder", path)?) };
        // SAFETY: likewise.
        let srdf = unsafe { optional(srdf, "srdf", |from, name| text(from, name)) }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(robot, "robot") }?;
        let srdf = srdf.map(Srdf::parse).transpose()?;
        let robot = Robot::from_urdf_text(urdf, folder.unwrap_or_else(|| ".".into()), &urdf_options(options)?)?;
        to.set(handles::put(FcRobot::new(robot, srdf)?));
        Ok(())
    })
}

/// Joins n robots into one, with a name for each. Columns and links are concatenated in the order of the robots, and
/// are named name/joint and name/link. Links of different robots are always tested against each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_join(
    names: *const *const c_char,
    robots: *const *const FcRobot,
    n: usize,
    robot: *mut *mut FcRobot,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for arrays.
        let (names, parts) = unsafe { (texts(names, n, "names")?, handles::list(robots, n, "robots")?) };
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(robot, "robot") }?;
        to.set(handles::put(FcRobot::join(names.into_iter().zip(parts).collect())?));
        Ok(())
    })
}

/// Frees a robot; null is not an error.
#[unsafe(no_mangle)]
pub extern "C" fn fc_robot_free(robot: *mut FcRobot) -> FcStatus {
    guard(|| handles::free(robot))
}

/// Number of columns of a configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_n_columns(robot: *const FcRobot, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(robot)?.joints.len());
        Ok(())
    })
}

/// Name of a column: that of its joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_column_name(
    robot: *const FcRobot,
    column: usize,
    name: *mut *const c_char,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(name, "name") }?.set(handles::get(robot)?.joints.get(column, "column")?);
        Ok(())
    })
}

/// The index of the column with this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_find_column(
    robot: *const FcRobot,
    name: *const c_char,
    column: *mut usize,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let name = unsafe { text(name, "name") }?;
        // SAFETY: the caller's promise for outputs.
        unsafe { output(column, "column") }?.set(handles::get(robot)?.joints.index(name, "column")?);
        Ok(())
    })
}

/// Kind of a column, and its lower and upper limits, infinite if the joint has none; either pointer may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_column(
    robot: *const FcRobot,
    column: usize,
    kind: *mut FcColumnKind,
    limits: *mut [f64; 2],
) -> FcStatus {
    guard(|| {
        let robot = handles::get(robot)?;
        let columns = &robot.robot.columns;
        let of = columns.get(column).ok_or_else(|| no_such(column, columns.len(), "column"))?;
        let of_kind = match of.kind {
            ColumnKind::AngleRad => FC_COLUMN_ANGLE,
            ColumnKind::LengthM => FC_COLUMN_LENGTH,
            ColumnKind::Free(_) => FC_COLUMN_FREE,
        };
        // SAFETY: the caller's promise for outputs.
        let (kind, limits) = unsafe { (optional_output(kind, "kind")?, optional_output(limits, "limits")?) };
        kind.into_iter().for_each(|to| to.set(of_kind));
        limits.into_iter().for_each(|to| to.set(of.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY])));
        Ok(())
    })
}

/// Number of the links that have triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_n_links(robot: *const FcRobot, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(robot)?.links.len());
        Ok(())
    })
}

/// Name of a link.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_link_name(robot: *const FcRobot, link: usize, name: *mut *const c_char) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(name, "name") }?.set(handles::get(robot)?.links.get(link, "link")?);
        Ok(())
    })
}

/// Vertices of a link's triangles in the frame of fc_engine_link_poses, three rows of x y z for each triangle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_link_triangles(
    robot: *const FcRobot,
    link: usize,
    vertices: *mut FcRows,
) -> FcStatus {
    guard(|| {
        let robot = handles::get(robot)?;
        let links = &robot.robot.links;
        let triangles = &links.get(link).ok_or_else(|| no_such(link, links.len(), "link"))?.triangles;
        // SAFETY: the caller's promise for outputs.
        unsafe { output(vertices, "vertices") }?.set(fc_rows(triangles.as_ptr().cast(), 3 * triangles.len(), 3));
        Ok(())
    })
}

/// Warning number i about the robot's files, one line; FC_USAGE beyond the last one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_warning(robot: *const FcRobot, i: usize, warning: *mut *const c_char) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(warning, "warning") }?.set(handles::get(robot)?.warnings.get(i, "warning")?);
        Ok(())
    })
}

/// Writes the values of a named state of the SRDF into a configuration of n columns. Columns that are not part of the
/// state keep their values. For joined robots, the name of the state is preceded by the name of a robot and a slash.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_robot_state(
    robot: *const FcRobot,
    state: *const c_char,
    values: *mut f64,
    n: usize,
) -> FcStatus {
    guard(|| {
        let robot = handles::get(robot)?;
        // SAFETY: the caller's promise for texts.
        let state = unsafe { text(state, "state") }?;
        if n != robot.joints.len() {
            return Err(Error::usage(format!("{n} values where the robot has {} columns", robot.joints.len())));
        }
        // SAFETY: the caller's promise for arrays.
        let mut to = unsafe { outputs(values, n, size_of::<f64>() as isize, "values") }?;
        robot.state(state)?.into_iter().for_each(|(i, value)| to.set(i, value));
        Ok(())
    })
}
