//! Engines.

use crate::certificates::Certifier;
use crate::handles::{self, object};
use crate::names::Names;
use crate::options::{Allowed, AllowedNames, Chosen, FcOptions};
use crate::output::{Outputs, output, outputs};
use crate::robot::FcRobot;
use crate::rows::{FcIndices, FcRows, row};
use crate::scene::{FcScene, mesh, numbers, pose};
use crate::status::{FcStatus, guard};
use crate::text::{self, text, texts};
use firstcontact::certificate::Statement;
use firstcontact::{AttachedObject, Engine, Error, MotionBatch, Options, Result, Robot, Scene};
use glam::DAffine3;
use std::ffi::c_char;
use std::ptr::null;
use std::sync::Arc;

/// Checks motions of one robot in one scene. An engine is immutable; any number of threads may use it.
pub struct FcEngine {
    pub(crate) engine: Engine,
    pub(crate) names: Arc<Names>,
    /// Makes certificates, if they are asked for.
    pub(crate) certifier: Option<Arc<Certifier>>,
    made_of: MadeOf,
    warnings: text::Names,
    adapter: text::Names,
}
object!(FcEngine, "engine");

/// Parts of an engine, from which similar engines are made.
#[derive(Clone)]
struct MadeOf {
    /// The robot with all attached objects.
    robot: Arc<Robot>,
    /// The scene, if certificates are asked for.
    scene: Option<Arc<Scene>>,
    options: Options,
    certificates: bool,
    /// Pairs of a link or attached object and an object of the scene that are never tested, by name.
    allow: Vec<AllowedNames>,
    /// The same by index.
    allowed: Vec<(u32, u32)>,
}

impl FcEngine {
    fn new(engine: Engine, made_of: MadeOf) -> Self {
        let names = Arc::new(Names::of(&engine));
        let warnings = engine.warnings().chain(engine.backend_fallback_reason()).collect();
        let adapter = engine.adapter_names().into_iter().collect();
        let statement = || {
            let pairs = engine.world().link_pairs.clone();
            let statement = Statement::new().with_link_pairs(pairs).with_allowed(made_of.allowed.clone());
            statement.with_margin_m(made_of.options.solve.margin_m)
        };
        let certifier = made_of.scene.as_ref().map(|scene| {
            let (robot, scene) = (Arc::clone(&made_of.robot), Arc::clone(scene));
            Arc::new(Certifier::new(robot, scene, statement(), made_of.options.threads))
        });
        Self { engine, names, certifier, made_of, warnings, adapter }
    }

    fn build(robot: &FcRobot, scene: Arc<Scene>, chosen: &Chosen) -> Result<Self> {
        chosen.check_certificates()?;
        let allowed = chosen.allowed(&robot.robot, &scene)?;
        let pairs = chosen.link_pairs(robot, &allowed)?;
        if scene.triangles.is_empty() && pairs.tested().is_empty() {
            let error = Error::usage("there is nothing to collide with: no scene, and links are not tested");
            return Err(error.remedy("give a scene, or FC_SELF_COLLISION_ON"));
        }
        let made_of = MadeOf {
            robot: Arc::clone(&robot.robot),
            scene: chosen.certificates.then(|| Arc::clone(&scene)),
            options: chosen.library.clone(),
            certificates: chosen.certificates,
            allow: allowed.of_objects.clone(),
            allowed: allowed.objects.clone(),
        };
        let builder = Engine::builder(Arc::clone(&robot.robot), scene).options(chosen.library.clone());
        let builder = builder.allow(allowed.objects).link_pairs(pairs);
        let builder = chosen.tree_cache.iter().fold(builder, |builder, file| builder.tree_cache(file));
        Ok(Self::new(builder.build()?, made_of))
    }

    fn with_scene(&self, scene: Arc<Scene>) -> Result<Self> {
        let MadeOf { robot, options, certificates, allow, .. } = &self.made_of;
        let allowed = Allowed::existing(allow, robot, &scene);
        let made_of = MadeOf {
            scene: certificates.then(|| Arc::clone(&scene)),
            allowed: allowed.clone(),
            ..self.made_of.clone()
        };
        let pairs = self.engine.world().link_pairs.clone();
        let builder = Engine::builder(Arc::clone(robot), scene).options(options.clone());
        let builder = builder.allow(allowed).link_pairs(pairs).share_link_trees(&self.engine);
        Ok(Self::new(builder.build()?, made_of))
    }

    fn with_options(&self, chosen: Chosen) -> Result<Self> {
        chosen.check_certificates()?;
        if chosen.certificates && self.made_of.scene.is_none() {
            let error = Error::usage("certificates need the scene, which this engine has not kept");
            return Err(error.remedy("make the first engine with fc_options_set_certificates"));
        }
        let engine = self.engine.with_options(chosen.library.clone())?;
        let scene = self.made_of.scene.clone().filter(|_| chosen.certificates);
        let (options, certificates) = (chosen.library, chosen.certificates);
        Ok(Self::new(engine, MadeOf { scene, options, certificates, ..self.made_of.clone() }))
    }

    /// An engine with an attached object, which may touch links, attached objects and objects of the scene.
    fn with_attached(&self, mut object: AttachedObject) -> Result<Self> {
        let mut robot = Robot::clone(&self.made_of.robot);
        let objects = &self.names.objects;
        let is_in_scene = |name: &String| !robot.has_link(name) && objects.iter().any(|object| object == **name);
        let (in_scene, touch_links) = object.touch_links.into_iter().partition(is_in_scene);
        object.touch_links = touch_links;
        let in_scene: Vec<String> = in_scene;
        let own = robot.attach(&object)?;
        let pairs = (0..).zip(objects.iter()).filter(|(_, of)| in_scene.iter().any(|name| name == of));
        let touching: Vec<(u32, u32)> = pairs.map(|(object, _)| (own, object)).collect();
        let mut made_of = self.made_of.clone();
        made_of.allow.extend(in_scene.into_iter().map(|name| [object.name.clone(), name]));
        made_of.allowed.extend(&touching);
        made_of.robot = Arc::new(robot);
        Ok(Self::new(self.engine.with_attached_allowing(&[object], touching)?, made_of))
    }

    /// True if answers have the poses of the links.
    pub(crate) fn with_poses(&self) -> bool {
        self.made_of.options.solve.all_contacts
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
        let scene = scene.map(|scene| scene.now()).unwrap_or_default();
        to.set(handles::put(FcEngine::build(&robot, scene, &chosen)?));
        Ok(())
    })
}

/// As fc_engine_new, but takes the scene and frees its handle, so that a large scene is in memory only once. The scene
/// is freed even if the engine cannot be made, unless a handle is invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_new_taking(
    robot: *const FcRobot,
    scene: *mut FcScene,
    options: *const FcOptions,
    engine: *mut *mut FcEngine,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(engine, "engine") }?;
        let (robot, chosen) = (handles::get(robot)?, Chosen::of(options)?);
        let scene = FcScene::taken(handles::take(scene)?);
        to.set(handles::put(FcEngine::build(&robot, scene, &chosen)?));
        Ok(())
    })
}

/// Frees an engine; null is not an error. Calls in other threads that use it continue until they finish.
#[unsafe(no_mangle)]
pub extern "C" fn fc_engine_free(engine: *mut FcEngine) -> FcStatus {
    guard(|| handles::free(engine))
}

/// Makes an engine for the same robot, attached objects and options in another scene; the robot's data is shared. Pairs
/// that are never tested are carried over by name, if the other scene has objects with these names.
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
        to.set(handles::put(engine.with_scene(scene.now())?));
        Ok(())
    })
}

/// Makes an engine for the same robot, scene and tested pairs with other options; all trees are shared. The new options
/// for self-collision, allowed pairs and the tree cache are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_with_options(
    engine: *const FcEngine,
    options: *const FcOptions,
    other: *mut *mut FcEngine,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(other, "other") }?;
        let (engine, chosen) = (handles::get(engine)?, Chosen::of(options)?);
        to.set(handles::put(engine.with_options(chosen)?));
        Ok(())
    })
}

/// Makes an engine with an object attached to a link, such as a box in a gripper; everything else is shared. The mesh
/// is given as for fc_scene_add_mesh, but its pose is relative to the frame of the link. The object is tested against
/// the scene, other attached objects, and links that move relative to it, but not against the n_touch_links links,
/// attached objects and scene objects listed in touch_links, which may be null if there are none.
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
        to.set(handles::put(engine.with_attached(object)?));
        Ok(())
    })
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

/// The index of the column with this name.
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

/// Number of links with triangles and of attached objects; the attached objects come last.
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

/// Name of the graphics adapter, or null if the engine runs on the CPU. The names of several adapters are separated by
/// " + ".
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

/// Warning number i from building the engine, or the reason why "auto" runs on the CPU; FC_USAGE beyond the last one.
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
            return Err(Error::usage(format!("room for {n_links} poses, but there are {} links", links.len())));
        }
        // SAFETY: the caller's promise for arrays.
        let mut to: Outputs<[f64; 12]> = unsafe { outputs(poses, n_links, size_of::<[f64; 12]>() as isize, "poses") }?;
        let bodies = engine.poses_at(&configuration.row(0))?;
        links.iter().enumerate().for_each(|(i, link)| to.set(i, numbers(&bodies[link.body as usize])));
        Ok(())
    })
}
