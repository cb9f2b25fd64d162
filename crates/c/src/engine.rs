//! Engines.

use crate::handles::{self, object};
use crate::names::Names;
use crate::options::{Chosen, FcOptions};
use crate::output::{Outputs, output, outputs};
use crate::robot::FcRobot;
use crate::rows::{FcIndices, FcRows, row};
use crate::scene::{FcScene, mesh, numbers, pose};
use crate::status::{FcStatus, guard};
use crate::text::{self, text};
use firstcontact::{AttachedObject, Engine, Error, MotionBatch, Result};
use glam::DAffine3;
use std::ffi::c_char;
use std::ptr::null;
use std::sync::Arc;

/// Checks motions of one robot in one scene. An engine does not change; any number of threads may use it.
pub struct FcEngine {
    pub(crate) engine: Engine,
    pub(crate) names: Arc<Names>,
    /// Whether answers have the poses of the links.
    pub(crate) with_poses: bool,
    warnings: text::Names,
    adapter: text::Names,
}
object!(FcEngine, "engine");

impl FcEngine {
    fn new(engine: Engine, with_poses: bool) -> Self {
        let names = Arc::new(Names::of(&engine));
        let warnings = engine.warnings().chain(engine.backend_fallback_reason()).collect();
        let adapter = engine.adapter().into_iter().map(|adapter| adapter.name).collect();
        Self { engine, names, with_poses, warnings, adapter }
    }

    fn build(robot: &FcRobot, scene: Option<&FcScene>, chosen: &Chosen) -> Result<Self> {
        let scene = scene.map(FcScene::now).unwrap_or_default();
        let allowed = chosen.allowed(&robot.robot, &scene)?;
        let pairs = chosen.link_pairs(&robot.robot, robot.srdf.as_ref(), &allowed)?;
        if scene.triangles.is_empty() && pairs.tested().is_empty() {
            let error = Error::usage("there is nothing to collide with: no scene, and links are not tested");
            return Err(error.remedy("give a scene, or FC_SELF_COLLISION_ON"));
        }
        let builder = Engine::builder(Arc::clone(&robot.robot), scene).options(chosen.library.clone());
        let builder = builder.allow(allowed.objects).link_pairs(pairs);
        let builder = chosen.tree_cache.iter().fold(builder, |builder, file| builder.tree_cache(file));
        Ok(Self::new(builder.build()?, chosen.library.solve.all_contacts))
    }

    /// Number of columns of a configuration.
    pub(crate) fn n_columns(&self) -> usize {
        self.names.robot.columns.len()
    }

    /// The poses of the bodies at time `t` of a motion.
    ///
    /// # Errors
    /// The motion does not suit the robot.
    pub(crate) fn body_poses(&self, start: &[f64], end: &[f64], t: f64) -> Result<Vec<DAffine3>> {
        self.engine.body_poses(&MotionBatch::between(&[start], &[end])?, 0, t)
    }

    /// The poses of the bodies at a configuration.
    fn poses_at(&self, configuration: &[f64]) -> Result<Vec<DAffine3>> {
        self.body_poses(configuration, configuration, 0.0).map_err(|e| e.within("configuration"))
    }
}

/// Prepares a robot and a scene for any number of checks. The scene may be null if links are tested against each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_new(
    robot: *const FcRobot,
    scene: *const FcScene,
    options: *const FcOptions,
    engine: *mut *mut FcEngine,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(engine, "engine") }?;
        let (robot, scene, chosen) = (handles::get(robot)?, handles::optional(scene)?, Chosen::of(options)?);
        to.set(handles::put(FcEngine::build(&robot, scene.as_deref(), &chosen)?));
        Ok(())
    })
}

/// Frees an engine; null is not an error. Calls in other threads that use it go on to their end.
#[unsafe(no_mangle)]
pub extern "C" fn fc_engine_free(engine: *mut FcEngine) -> FcStatus {
    guard(|| handles::free(engine))
}

/// An engine for the same robot and options in another scene; what it knows of the robot is shared. Pairs of a link and
/// an object that are never tested are not taken over, since they name objects of a scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_with_scene(
    engine: *const FcEngine,
    scene: *const FcScene,
    other: *mut *mut FcEngine,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(other, "other") }?;
        let (engine, scene) = (handles::get(engine)?, handles::get(scene)?);
        to.set(handles::put(FcEngine::new(engine.engine.with_scene(scene.now())?, engine.with_poses)));
        Ok(())
    })
}

/// An engine for the same robot, scene and tested pairs with other options; all trees are shared. Of the options,
/// self-collision, allowed pairs and the tree cache are not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_with_options(
    engine: *const FcEngine,
    options: *const FcOptions,
    other: *mut *mut FcEngine,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(other, "other") }?;
        let (engine, chosen) = (handles::get(engine)?, Chosen::of(options)?.library);
        let with_poses = chosen.solve.all_contacts;
        to.set(handles::put(FcEngine::new(engine.engine.with_options(chosen)?, with_poses)));
        Ok(())
    })
}

/// An engine with an object attached to a link, such as a box in a gripper; all else is shared. The mesh is as for
/// fc_scene_add_mesh, its pose that in the frame of the link. The object is tested against the scene, other attached
/// objects, and links that move relative to it, but not against the n_touch_links links and attached objects of the
/// list, which may be null if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_with_attached(
    engine: *const FcEngine,
    name: *const c_char,
    link: *const c_char,
    vertices: *const FcRows,
    triangles: *const FcIndices,
    pose: *const f64,
    touch_links: *const *const c_char,
    n_touch_links: usize,
    other: *mut *mut FcEngine,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let (name, link) = unsafe { (text(name, "name")?, text(link, "link")?) };
        // SAFETY: the caller's promise for arrays.
        let (triangles, pose) = unsafe { (mesh(vertices, triangles)?, self::pose(pose)?) };
        // SAFETY: the caller's promise for arrays of texts.
        let touch_links = unsafe { texts(touch_links, n_touch_links, "touch_links") }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(other, "other") }?;
        let engine = handles::get(engine)?;
        let object = AttachedObject { name: name.into(), link: link.into(), triangles, pose, touch_links };
        to.set(handles::put(FcEngine::new(engine.engine.with_attached(&[object])?, engine.with_poses)));
        Ok(())
    })
}

/// A list of texts.
///
/// # Safety
/// The pointer is null, or valid for reading `n` pointers to texts.
unsafe fn texts(list: *const *const c_char, n: usize, name: &str) -> Result<Vec<String>> {
    if n > 0 && (list.is_null() || !list.is_aligned()) {
        return Err(Error::usage(format!("the list {name} of {n} texts is null or not aligned")));
    }
    // SAFETY: as the caller promises.
    (0..n)
        .map(|i| unsafe { text(*list.add(i), name) }.map(String::from).map_err(|e| e.at(format!("text {i}"))))
        .collect()
}

/// Number of columns of a configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_n_columns(engine: *const FcEngine, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(engine)?.n_columns());
        Ok(())
    })
}

/// Name of a column of configurations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_column_name(
    engine: *const FcEngine,
    column: usize,
    name: *mut *const c_char,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(name, "name") }?.set(handles::get(engine)?.names.joints.get(column, "column")?);
        Ok(())
    })
}

/// The column of a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_find_column(
    engine: *const FcEngine,
    name: *const c_char,
    column: *mut usize,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let name = unsafe { text(name, "name") }?;
        // SAFETY: the caller's promise for outputs.
        unsafe { output(column, "column") }?.set(handles::get(engine)?.names.joints.index(name, "column")?);
        Ok(())
    })
}

/// Number of the links with triangles and of the attached objects, which follow them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_n_links(engine: *const FcEngine, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(engine)?.names.links.len());
        Ok(())
    })
}

/// Name of a link or attached object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_link_name(
    engine: *const FcEngine,
    link: usize,
    name: *mut *const c_char,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(name, "name") }?.set(handles::get(engine)?.names.links.get(link, "link")?);
        Ok(())
    })
}

/// Number of the objects of the scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_n_objects(engine: *const FcEngine, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(engine)?.names.objects.len());
        Ok(())
    })
}

/// Name of an object of the scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_object_name(
    engine: *const FcEngine,
    object: usize,
    name: *mut *const c_char,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(name, "name") }?.set(handles::get(engine)?.names.objects.get(object, "object")?);
        Ok(())
    })
}

/// Number of pairs of links and attached objects that are tested against each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_n_link_pairs(engine: *const FcEngine, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(engine)?.engine.world().link_pairs.tested().len());
        Ok(())
    })
}

/// The two links of a tested pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_link_pair(engine: *const FcEngine, i: usize, links: *mut [usize; 2]) -> FcStatus {
    guard(|| {
        let engine = handles::get(engine)?;
        let tested = engine.engine.world().link_pairs.tested();
        let pair = tested.get(i).ok_or_else(|| text::no_such(i, tested.len(), "pair"))?;
        // SAFETY: the caller's promise for outputs.
        unsafe { output(links, "links") }?.set(pair.map(|link| link as usize));
        Ok(())
    })
}

/// Name of the graphics adapter, or null if the engine runs on the CPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_adapter(engine: *const FcEngine, name: *mut *const c_char) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(name, "name") }?.set(handles::get(engine)?.adapter.get(0, "adapter").unwrap_or(null()));
        Ok(())
    })
}

/// Number of threads on the CPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_threads(engine: *const FcEngine, n: *mut usize) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(n, "n") }?.set(handles::get(engine)?.engine.threads());
        Ok(())
    })
}

/// Warning number i from building the engine, or the reason if "auto" runs on the CPU; FC_USAGE beyond the last one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_warning(engine: *const FcEngine, i: usize, warning: *mut *const c_char) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        unsafe { output(warning, "warning") }?.set(handles::get(engine)?.warnings.get(i, "warning")?);
        Ok(())
    })
}

/// The poses of all links and attached objects at a configuration of n columns, in the order of fc_engine_link_name:
/// twelve numbers each, the rows of a 3×4 matrix from the frame of fc_robot_link_triangles to the world. There must be
/// room for n_links poses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_link_poses(
    engine: *const FcEngine,
    configuration: *const f64,
    n: usize,
    poses: *mut [f64; 12],
    n_links: usize,
) -> FcStatus {
    guard(|| {
        let engine = handles::get(engine)?;
        // SAFETY: the caller's promise for arrays.
        let configuration = unsafe { row(configuration, n, "configuration") }?.with_columns(engine.n_columns())?;
        let links = &engine.names.robot.links;
        if n_links != links.len() {
            return Err(Error::usage(format!("room for {n_links} poses where there are {} links", links.len())));
        }
        // SAFETY: the caller's promise for arrays.
        let mut to: Outputs<[f64; 12]> = unsafe { outputs(poses, n_links, size_of::<[f64; 12]>() as isize, "poses") }?;
        let bodies = engine.poses_at(&configuration.row(0))?;
        links.iter().enumerate().for_each(|(i, link)| to.set(i, numbers(&bodies[link.body as usize])));
        Ok(())
    })
}
