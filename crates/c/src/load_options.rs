//! Options for reading robots and scenes.

use crate::handles::{self, object};
use crate::output::output;
use crate::rows::row;
use crate::status::{FcStatus, guard};
use crate::text::path;
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::urdf::{Geometry, UrdfOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::{Error, Result};
use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

/// The shapes of a link that are used.
pub type FcGeometry = i32;
/// Collision shapes, or visual ones if a link has no collision shape.
pub const FC_GEOMETRY_AUTO: FcGeometry = 0;
/// Collision shapes alone.
pub const FC_GEOMETRY_COLLISION: FcGeometry = 1;
/// Visual shapes alone.
pub const FC_GEOMETRY_VISUAL: FcGeometry = 2;

/// Options for reading robots and scenes. Where they are an argument, null means the defaults.
#[derive(Default)]
pub struct FcLoadOptions(Mutex<UrdfOptions>);
object!(FcLoadOptions, "set of load options");

impl FcLoadOptions {
    fn get(&self) -> UrdfOptions {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The options of a handle for robots; null stands for the defaults.
///
/// # Errors
/// The handle is not that of a living object.
pub(crate) fn urdf_options(options: *const FcLoadOptions) -> Result<UrdfOptions> {
    Ok(handles::optional(options)?.map(|options| options.get()).unwrap_or_default())
}

/// The options of a handle for scenes; null stands for the defaults.
///
/// # Errors
/// As [`urdf_options`].
pub(crate) fn scene_options(options: *const FcLoadOptions) -> Result<SceneOptions> {
    let UrdfOptions { geometry, chord_error_m, package_paths, limits, .. } = urdf_options(options)?;
    Ok(SceneOptions { geometry, chord_error_m, package_paths, limits, ..SceneOptions::default() })
}

fn change(options: *mut FcLoadOptions, change: impl FnOnce(&mut UrdfOptions)) -> Result<()> {
    change(&mut handles::get(options)?.0.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(())
}

/// Makes options with their defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_load_options_new(options: *mut *mut FcLoadOptions) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(options, "options") }?;
        to.set(handles::put(FcLoadOptions::default()));
        Ok(())
    })
}

/// Frees options; null is not an error.
#[unsafe(no_mangle)]
pub extern "C" fn fc_load_options_free(options: *mut FcLoadOptions) -> FcStatus {
    guard(|| handles::free(options))
}

/// Sets the pose of the robot's root link in the world: six numbers, x y z (metres), roll pitch yaw (radians).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_load_options_set_base(options: *mut FcLoadOptions, base: *const f64) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for arrays.
        let numbers = unsafe { row(base, 6, "base") }?;
        let base: [f64; 6] = std::array::from_fn(|i| numbers.at(0, i));
        if !base.iter().all(|x| x.is_finite()) {
            return Err(Error::usage("the base pose has a NaN or infinite number"));
        }
        change(options, |options| options.base = base)
    })
}

/// Sets the shapes that are used.
#[unsafe(no_mangle)]
pub extern "C" fn fc_load_options_set_geometry(options: *mut FcLoadOptions, geometry: FcGeometry) -> FcStatus {
    guard(|| {
        let geometry = match geometry {
            FC_GEOMETRY_AUTO => Geometry::Auto,
            FC_GEOMETRY_COLLISION => Geometry::Collision,
            FC_GEOMETRY_VISUAL => Geometry::Visual,
            other => return Err(Error::usage(format!("{other} is not one of the FC_GEOMETRY_ constants"))),
        };
        change(options, |options| options.geometry = geometry)
    })
}

/// Sets the largest distance by which tessellated primitives may extend beyond the true shape, metres; 0.001 by
/// default.
#[unsafe(no_mangle)]
pub extern "C" fn fc_load_options_set_chord_error(options: *mut FcLoadOptions, chord_error_m: f64) -> FcStatus {
    guard(|| {
        if !(chord_error_m > 0.0 && chord_error_m.is_finite()) {
            return Err(Error::usage(format!("a chord error of {chord_error_m:?} m is not above 0")));
        }
        change(options, |options| options.chord_error_m = chord_error_m)
    })
}

/// Adds a folder in which package://name/rest is looked up, as name/rest and as rest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_load_options_add_package_path(
    options: *mut FcLoadOptions,
    folder: *const c_char,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let folder = unsafe { path(folder, "folder") }?;
        change(options, |options| options.package_paths.push(folder))
    })
}

/// Sets whether a free joint is inserted before the robot's root; its seven columns x y z qx qy qz qw are the first.
#[unsafe(no_mangle)]
pub extern "C" fn fc_load_options_set_floating_root(options: *mut FcLoadOptions, floating_root: i32) -> FcStatus {
    guard(|| change(options, |options| options.floating_root = floating_root != 0))
}

/// Sets the memory that files and triangles may take, bytes; by default three quarters of the machine's.
#[unsafe(no_mangle)]
pub extern "C" fn fc_load_options_set_memory(options: *mut FcLoadOptions, memory_bytes: u64) -> FcStatus {
    guard(|| change(options, |options| options.limits = LoadLimits { memory_bytes }))
}
