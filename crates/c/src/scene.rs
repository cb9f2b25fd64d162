//! Scenes from files and arrays.

use crate::handles::{self, object};
use crate::load_options::{FcLoadOptions, scene_options};
use crate::memory::collect;
use crate::output::{optional_output, output};
use crate::rows::{FcIndices, FcRows, Rows, fc_rows, indices, row, rows};
use crate::status::{FcStatus, guard};
use crate::text::{hold, no_such, path, text};
use firstcontact::robot::Triangle;
use firstcontact::robot::primitive::Primitive;
use firstcontact::{Error, Result, Scene};
use glam::{DAffine3, DMat3, DVec3};
use std::ffi::c_char;
use std::sync::{Arc, Mutex, PoisonError};

/// Kind of a primitive shape.
pub type FcShape = i32;
/// Edge lengths in x, y and z.
pub const FC_SHAPE_BOX: FcShape = 0;
/// Radius, and length from end to end.
pub const FC_SHAPE_CYLINDER: FcShape = 1;
/// Radius.
pub const FC_SHAPE_SPHERE: FcShape = 2;
/// Radius, and length of the cylinder without its round ends.
pub const FC_SHAPE_CAPSULE: FcShape = 3;

/// A scene: named objects of triangles. Later changes to a scene do not affect engines that were made with it.
#[derive(Default)]
pub struct FcScene(Mutex<Arc<Scene>>);
object!(FcScene, "scene");

impl FcScene {
    /// The scene as it is now.
    pub(crate) fn now(&self) -> Arc<Scene> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The scene of a handle that was freed, without a copy unless an engine or another thread still uses it.
    pub(crate) fn taken(this: Arc<Self>) -> Arc<Scene> {
        match Arc::try_unwrap(this) {
            Ok(this) => this.0.into_inner().unwrap_or_else(PoisonError::into_inner),
            Err(shared) => shared.now(),
        }
    }

    /// Adds an object with a pose, and returns its index. After an error the scene is as before.
    ///
    /// # Errors
    /// A coordinate is NaN or infinite, or there are too many triangles.
    fn add(&self, name: &str, triangles: Vec<Triangle>, pose: DAffine3) -> Result<usize> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let scene = Arc::make_mut(&mut held);
        let (n_objects, n_triangles) = (scene.objects.len(), scene.triangles.len());
        let placed = triangles.into_iter().map(|triangle| triangle.map(|vertex| pose.transform_point3(vertex)));
        let added = scene.add_object(name, placed).inspect_err(|_| {
            scene.objects.truncate(n_objects);
            scene.triangles.truncate(n_triangles);
        })?;
        Ok(added as usize)
    }
}

/// The pose of twelve numbers, the rows of a 3×4 matrix; null is the identity.
///
/// # Safety
/// The pointer is null, or valid for reading twelve numbers.
///
/// # Errors
/// A number is NaN or infinite.
pub(crate) unsafe fn pose(from: *const f64) -> Result<DAffine3> {
    if from.is_null() {
        return Ok(DAffine3::IDENTITY);
    }
    // SAFETY: as the caller promises.
    let numbers = unsafe { row(from, 12, "pose") }?.row(0);
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err(Error::usage("the pose has a NaN or infinite number"));
    }
    let line = |i: usize| DVec3::from_slice(&numbers[4 * i..]);
    let matrix = DMat3::from_cols(line(0), line(1), line(2)).transpose();
    Ok(DAffine3::from_mat3_translation(matrix, DVec3::new(numbers[3], numbers[7], numbers[11])))
}

/// The numbers of a pose, by rows of a 3×4 matrix.
pub(crate) fn numbers(pose: &DAffine3) -> [f64; 12] {
    let m = pose.matrix3;
    let line = |i: usize| [m.x_axis[i], m.y_axis[i], m.z_axis[i], pose.translation[i]];
    let [a, b, c] = [line(0), line(1), line(2)];
    std::array::from_fn(|k| [a, b, c][k / 4][k % 4])
}

/// Triangles from vertices and, unless they are null, the indices of three vertices for each triangle; otherwise three
/// consecutive vertices are a triangle.
///
/// # Safety
/// The pointers are null or to valid rows.
///
/// # Errors
/// An array has a wrong number of columns or rows, or an index is beyond the last vertex.
pub(crate) unsafe fn mesh(vertices: *const FcRows, triangles: *const FcIndices) -> Result<Vec<Triangle>> {
    // SAFETY: as the caller promises.
    let vertices = unsafe { rows(vertices, "vertices") }?.with_columns(3).map_err(|e| e.at("vertices"))?;
    let vertex = |i: usize| DVec3::new(vertices.at(i, 0), vertices.at(i, 1), vertices.at(i, 2));
    if triangles.is_null() {
        if !vertices.n_rows().is_multiple_of(3) {
            let message = format!("{} vertices are not three for each triangle", vertices.n_rows());
            return Err(Error::usage(message).at("vertices"));
        }
        let triangle = |t: usize| [0, 1, 2].map(|k| vertex(3 * t + k));
        return collect((0..vertices.n_rows() / 3).map(triangle), "triangles");
    }
    // SAFETY: as the caller promises.
    let triangles = unsafe { indices(triangles, 3, "triangles") }?;
    check_indices(&triangles, vertices.n_rows(), "triangle", "vertices")?;
    let triangle = |t: usize| [0, 1, 2].map(|k| vertex(triangles.at(t, k) as usize));
    collect((0..triangles.n_rows()).map(triangle), "triangles")
}

/// Refuses indices beyond the end.
///
/// # Errors
/// An index is beyond the end.
pub(crate) fn check_indices(of: &Rows<'_, u32>, n: usize, row: &str, what: &str) -> Result<()> {
    for i in 0..of.n_rows() {
        for k in 0..of.n_columns() {
            if of.at(i, k) as usize >= n {
                let message = format!("index {} where there are {n} {what}, counted from 0", of.at(i, k));
                return Err(Error::usage(message).at(format!("{row} {i}")));
            }
        }
    }
    Ok(())
}

/// Makes an empty scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_new(scene: *mut *mut FcScene) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(scene, "scene") }?;
        to.set(handles::put(FcScene::default()));
        Ok(())
    })
}

/// Reads a scene: a mesh file, in which each named group becomes an object; a scene.json; or a URDF at its zero pose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_from_file(
    file: *const c_char,
    options: *const FcLoadOptions,
    scene: *mut *mut FcScene,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let file = unsafe { path(file, "file") }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(scene, "scene") }?;
        let scene = Scene::from_file_with(file, &scene_options(options)?)?;
        to.set(handles::put(FcScene(Mutex::new(Arc::new(scene)))));
        Ok(())
    })
}

/// Frees a scene; null is not an error.
#[unsafe(no_mangle)]
pub extern "C" fn fc_scene_free(scene: *mut FcScene) -> FcStatus {
    guard(|| handles::free(scene))
}

/// Adds an object to a scene. Vertices are rows of x y z in a frame whose pose in the world is given by twelve numbers,
/// the rows of a 3×4 matrix; null is the world's frame. Triangles are rows of three vertex indices; null if every
/// three consecutive vertices form a triangle. The index of the object is written to object, unless that pointer is
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_add_mesh(
    scene: *mut FcScene,
    name: *const c_char,
    vertices: *const FcRows,
    triangles: *const FcIndices,
    pose: *const f64,
    object: *mut usize,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts and arrays.
        let (name, mesh, at) = unsafe { (text(name, "name")?, mesh(vertices, triangles)?, self::pose(pose)?) };
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { optional_output(object, "object") }?;
        let added = handles::get(scene)?.add(name, mesh, at)?;
        to.into_iter().for_each(|to| to.set(added));
        Ok(())
    })
}

/// Adds a box, cylinder, sphere or capsule to a scene, as triangles that enclose it and are nowhere more than
/// chord_error_m away from it; the command line uses 0.001. The shape is centred at the origin of a frame with this
/// pose, as for fc_scene_add_mesh, with its axis along z. The FC_SHAPE_ constants list the n_sizes sizes, metres. The
/// index of the object is written to object, unless that pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_add_shape(
    scene: *mut FcScene,
    name: *const c_char,
    shape: FcShape,
    sizes_m: *const f64,
    n_sizes: usize,
    chord_error_m: f64,
    pose: *const f64,
    object: *mut usize,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts and arrays.
        let (name, at) = unsafe { (text(name, "name")?, self::pose(pose)?) };
        // SAFETY: likewise.
        let sizes = unsafe { row(sizes_m, n_sizes, "sizes_m") }?;
        let triangles = primitive(shape, &sizes.row(0))?.triangles(chord_error_m)?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { optional_output(object, "object") }?;
        let added = handles::get(scene)?.add(name, triangles, at)?;
        to.into_iter().for_each(|to| to.set(added));
        Ok(())
    })
}

fn primitive(shape: FcShape, sizes_m: &[f64]) -> Result<Primitive> {
    Ok(match (shape, sizes_m) {
        (FC_SHAPE_BOX, &[x, y, z]) => Primitive::Box { size_m: DVec3::new(x, y, z) },
        (FC_SHAPE_CYLINDER, &[radius_m, length_m]) => Primitive::Cylinder { radius_m, length_m },
        (FC_SHAPE_SPHERE, &[radius_m]) => Primitive::Sphere { radius_m },
        (FC_SHAPE_CAPSULE, &[radius_m, length_m]) => Primitive::Capsule { radius_m, length_m },
        (FC_SHAPE_BOX..=FC_SHAPE_CAPSULE, sizes) => {
            let message = format!("{} sizes: a box has 3, a cylinder and a capsule 2, a sphere 1", sizes.len());
            return Err(Error::usage(message));
        }
        (other, _) => return Err(Error::usage(format!("{other} is not one of the FC_SHAPE_ constants"))),
    })
}

/// Number of the objects of a scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_n_objects(scene: *const FcScene, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(scene)?.now().objects.len());
        Ok(())
    })
}

/// Name of an object, valid until the next text that a function returns in this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_object_name(
    scene: *const FcScene,
    object: usize,
    name: *mut *const c_char,
) -> FcStatus {
    guard(|| {
        let scene = handles::get(scene)?.now();
        let of = scene.objects.get(object).ok_or_else(|| no_such(object, scene.objects.len(), "object"))?;
        // SAFETY: the caller's promise for outputs.
        unsafe { output(name, "name") }?.set(hold(&of.name).data);
        Ok(())
    })
}

/// Vertices of an object's triangles in the world, three rows of x y z for each triangle; valid until the scene changes
/// or is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_object_triangles(
    scene: *const FcScene,
    object: usize,
    vertices: *mut FcRows,
) -> FcStatus {
    guard(|| {
        let scene = handles::get(scene)?.now();
        if object >= scene.objects.len() {
            return Err(no_such(object, scene.objects.len(), "object"));
        }
        let triangles = scene.triangles_of(object as u32);
        // SAFETY: the caller's promise for outputs.
        unsafe { output(vertices, "vertices") }?.set(fc_rows(triangles.as_ptr().cast(), 3 * triangles.len(), 3));
        Ok(())
    })
}

/// Returns whether an object is a closed surface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_object_is_closed(
    scene: *const FcScene,
    object: usize,
    is_closed: *mut bool,
) -> FcStatus {
    guard(|| {
        let scene = handles::get(scene)?.now();
        if object >= scene.objects.len() {
            return Err(no_such(object, scene.objects.len(), "object"));
        }
        // SAFETY: the caller's promise for outputs.
        unsafe { output(is_closed, "is_closed") }?.set(scene.is_closed(object as u32));
        Ok(())
    })
}

/// Warning number i about the scene's file, one line, valid until the next text that a function returns in this thread;
/// FC_USAGE beyond the last one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_scene_warning(scene: *const FcScene, i: usize, warning: *mut *const c_char) -> FcStatus {
    guard(|| {
        let scene = handles::get(scene)?.now();
        let of = scene.warnings.get(i).ok_or_else(|| no_such(i, scene.warnings.len(), "warning"))?;
        // SAFETY: the caller's promise for outputs.
        unsafe { output(warning, "warning") }?.set(hold(of).data);
        Ok(())
    })
}
