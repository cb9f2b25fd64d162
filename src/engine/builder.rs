//! Building an engine.

use super::autotune::ChosenSweeps;
use super::core::EngineCore;
#[cfg(feature = "gpu")]
use super::gpu_backend::GpuPipeline;
use super::workers::Workers;
use super::{Backend, Engine, Options, PairSearch, Stage};
use crate::bvh::obb_tree::ObbTrees;
use crate::enclosure::pose_bound::PoseEnclosure;
#[cfg(not(feature = "gpu"))]
use crate::error::ErrorKind;
use crate::error::{Error, Result, quoted};
use crate::io::load::Watch;
use crate::robot::{AttachedObject, LinkPairs, Robot, Triangle};
use crate::scene::Scene;
use crate::scene::world::{CollisionWorld, FEW_TRIANGLES, SceneBuild};
use crate::stage::s4_sweep::Sweep;
use crate::stage::s6_solve::{InitialContactPolicy, Method};
#[cfg(feature = "formats")]
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Collects the inputs and options of an engine.
#[derive(Clone, Debug)]
pub struct EngineBuilder {
    robot: Arc<Robot>,
    scene: Arc<Scene>,
    allowed: Vec<(u32, u32)>,
    link_pairs: LinkPairs,
    options: Options,
    chosen: Chosen,
    /// An engine whose trees over the links are shared.
    known: Option<Arc<EngineCore>>,
    /// The scene's triangles, if the engine takes ownership of them.
    taken: Option<Vec<Triangle>>,
    tree: SceneBuild,
}

/// Changes to single options. They are applied to the options that are set as a whole, whatever the order of the calls.
#[derive(Clone, Copy, Debug, Default)]
struct Chosen {
    backend: Option<Backend>,
    tolerance: Option<f64>,
    margin_m: Option<f64>,
    initial: Option<InitialContactPolicy>,
}

impl Chosen {
    fn apply(self, options: &mut Options) {
        let solve = &mut options.solve;
        options.backend = self.backend.unwrap_or(options.backend);
        solve.tolerance = self.tolerance.unwrap_or(solve.tolerance);
        solve.margin_m = self.margin_m.unwrap_or(solve.margin_m);
        solve.initial = self.initial.unwrap_or(solve.initial);
    }
}

impl EngineBuilder {
    pub(super) fn new(robot: Arc<Robot>, scene: Arc<Scene>) -> Self {
        let (options, chosen, tree) = (Options::default(), Chosen::default(), SceneBuild::default());
        let (allowed, link_pairs) = (Vec::new(), LinkPairs::none());
        Self { robot, scene, allowed, link_pairs, options, chosen, known: None, taken: None, tree }
    }

    pub(super) fn taking(robot: &Robot, scene: &mut Scene) -> Self {
        let taken = Some(std::mem::take(&mut scene.triangles));
        Self { taken, ..Self::new(robot.into(), (&*scene).into()) }
    }

    /// Sets the backend on which the culling stages run.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.chosen.backend = Some(backend);
        self
    }

    /// Sets the maximum width of a certified enclosure of the time of contact, as a fraction of the motion. The
    /// enclosure need not be narrower than the time in which a link travels 10⁻¹¹ m
    /// ([`SolveOptions::floor_m`](crate::stage::s6_solve::SolveOptions::floor_m)).
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.chosen.tolerance = Some(tolerance);
        self
    }

    /// Sets the margin, metres: bodies that are at most this far apart count as touching.
    #[must_use]
    pub fn margin_m(mut self, margin_m: f64) -> Self {
        self.chosen.margin_m = Some(margin_m);
        self
    }

    /// Sets the treatment of links that touch the scene at the start.
    #[must_use]
    pub fn initial(mut self, initial: InitialContactPolicy) -> Self {
        self.chosen.initial = Some(initial);
        self
    }

    /// Adds pairs (index of a link, index of an object) that are never tested.
    #[must_use]
    pub fn allow(mut self, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        self.allowed.extend(pairs);
        self
    }

    /// Sets the pairs of the robot's links that are tested against each other; by default none are.
    #[must_use]
    pub fn link_pairs(mut self, link_pairs: LinkPairs) -> Self {
        self.link_pairs = link_pairs;
        self
    }

    /// Shares the link trees and the scratch memory of another engine; useful for one robot in several scenes. The
    /// trees are shared only if both engines have the same links, otherwise only the memory is shared. Links are
    /// compared triangle by triangle, or in constant time if the robots are copies of one another.
    #[must_use]
    pub fn share_link_trees(mut self, known: &Engine) -> Self {
        self.known = Some(Arc::clone(&known.0));
        self
    }

    /// Caches the tree over the scene in this file, so that later engines can read it; worthwhile for millions of
    /// triangles. A file that is damaged or belongs to another scene is reported in [`Engine::warnings`] and replaced;
    /// a file that cannot be written is also reported there.
    #[must_use]
    #[cfg(feature = "formats")]
    pub fn tree_cache(mut self, file: impl Into<PathBuf>) -> Self {
        self.tree.cache = Some(file.into());
        self
    }

    /// Sets a callback that receives the number of scene triangles in the tree so far, while the tree is built.
    #[must_use]
    pub fn watch(mut self, watch: Watch) -> Self {
        self.tree.watch = watch;
        self
    }

    /// Sets the maximum number of scene triangles for which a single tree is built directly; for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn tree_block(mut self, triangles: usize) -> Self {
        self.tree.block = triangles;
        self
    }

    /// Sets all options. Options that are set one by one take precedence, whether before or after this call.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Builds the trees and opens the device.
    ///
    /// # Errors
    /// A coordinate is too large, an option is out of its range, the pairs of links belong to another robot, a link or
    /// object of an allowed pair does not exist, or the backend requires an adapter and none is found.
    pub fn build(self) -> Result<Engine> {
        let start = Instant::now();
        let Self { robot, scene, allowed, link_pairs, mut options, chosen, known, taken, tree } = self;
        chosen.apply(&mut options);
        options.check()?;
        if !link_pairs.suit(&robot) {
            let message = format!("the pairs of links do not belong to the robot {}", quoted(&robot.name));
            return Err(Error::usage(message).remedy("make them from the same robot"));
        }
        check_allowed(&allowed, &robot, scene.objects.len())?;
        let workers = Workers::new(options.threads, known.as_ref().map(|known| &known.workers))?;
        // The triangles are copied only if the caller keeps the scene.
        let Scene { objects, triangles, .. } = Arc::unwrap_or_clone(scene);
        let triangles = taken.unwrap_or(triangles);
        let known = known.as_ref().map(|known| known.world.as_ref());
        // Waking another thread takes longer than preparing a small scene.
        let is_quick = triangles.len() <= FEW_TRIANGLES && known.is_some_and(|known| known.has_links_of(&robot));
        let prepare = || {
            let mut world = CollisionWorld::with(&robot, &objects, triangles, &allowed, known, tree)?;
            world.set_link_pairs(link_pairs, known)?;
            Ok::<_, Error>(world)
        };
        let world = if is_quick { prepare()? } else { workers.pool.install(prepare)? };
        Engine::with(robot, Arc::new(world), workers, options, start)
    }
}

/// Checks that the links and objects of pairs that are never tested exist.
fn check_allowed(allowed: &[(u32, u32)], robot: &Robot, n_objects: usize) -> Result<()> {
    let n_links = robot.links.len();
    let is_unknown = |&&(link, object): &&(u32, u32)| link as usize >= n_links || object as usize >= n_objects;
    let Some((link, object)) = allowed.iter().find(is_unknown) else { return Ok(()) };
    let message = format!(
        "link {link} and object {object} cannot be an allowed pair: the robot has {n_links} links, the scene \
         {n_objects} objects"
    );
    Err(Error::usage(message).remedy("count links and objects from 0"))
}

impl Engine {
    /// An engine for the same robot, scene and pairs with other options. The trees are shared, so a large scene is in
    /// memory only once.
    ///
    /// # Errors
    /// An option is out of its range, or the backend requires an adapter and none is found.
    pub fn with_options(&self, options: Options) -> Result<Self> {
        let start = Instant::now();
        options.check()?;
        let workers = Workers::new(options.threads, Some(&self.0.workers))?;
        Self::with(Arc::clone(&self.0.robot), Arc::clone(&self.0.world), workers, options, start)
    }

    /// Creates an engine for the same robot in another scene, with the same options and the same pairs of links. The
    /// trees over the links are shared. Allowed pairs of a link and an object are not carried over, since they refer to
    /// objects of the old scene.
    ///
    /// # Errors
    /// A coordinate is too large, or the backend requires an adapter and none is found.
    pub fn with_scene(&self, scene: impl Into<Arc<Scene>>) -> Result<Self> {
        let builder = Self::builder(Arc::clone(&self.0.robot), scene);
        let link_pairs = self.0.world.link_pairs.clone();
        builder.options(self.0.options.clone()).link_pairs(link_pairs).share_link_trees(self).build()
    }

    /// Creates an engine with further objects attached to the robot's links, in the same scene and with the same
    /// options. All trees except those over the objects are shared. The objects are tested in the pairs of
    /// [`LinkPairs::add_attached`]; all other pairs are kept.
    ///
    /// ```
    /// use firstcontact::{AttachedObject, Engine};
    ///
    /// # fn grasp(engine: &Engine, gripped: AttachedObject) -> firstcontact::Result<Engine> {
    /// let carrying = engine.with_attached(&[gripped])?;
    /// # Ok(carrying)
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Robot::attach`] and [`LinkPairs::add_attached`], or the backend requires an adapter and none is found.
    pub fn with_attached(&self, objects: &[AttachedObject]) -> Result<Self> {
        self.with_attached_allowing(objects, [])
    }

    /// Like [`with_attached`](Self::with_attached), with further pairs that are never tested: (index of a link or
    /// attached object of the new engine, index of an object of the scene).
    ///
    /// # Errors
    /// As [`with_attached`](Self::with_attached), or a link or object of a pair does not exist.
    #[doc(hidden)]
    pub fn with_attached_allowing(
        &self,
        objects: &[AttachedObject],
        allowed: impl IntoIterator<Item = (u32, u32)>,
    ) -> Result<Self> {
        let start = Instant::now();
        let (known, mut robot) = (&self.0.world, Robot::clone(&self.0.robot));
        objects.iter().try_for_each(|object| robot.attach(object).map(|_| ()))?;
        let allowed: Vec<(u32, u32)> = allowed.into_iter().collect();
        check_allowed(&allowed, &robot, known.scene.objects.len())?;
        let mut link_pairs = known.link_pairs.clone();
        link_pairs.add_attached(&robot, objects)?;
        let workers = Workers::new(self.0.options.threads, Some(&self.0.workers))?;
        let prepare = || {
            let mut world = known.with_robot(&robot)?;
            world.set_link_pairs(link_pairs, Some(known))?;
            Ok::<_, Error>(world)
        };
        let mut world = workers.pool.install(prepare)?;
        world.allowed.extend(allowed);
        Self::with(Arc::new(robot), Arc::new(world), workers, self.0.options.clone(), start)
    }

    /// Opens the device for a world, and builds the trees that the options need.
    fn with(
        robot: Arc<Robot>,
        world: Arc<CollisionWorld>,
        workers: Workers,
        mut options: Options,
        start: Instant,
    ) -> Result<Self> {
        if !world.frames.is_empty() {
            refuse_for_links(&options)?;
        }
        #[cfg(feature = "gpu")]
        let (pipelines, fallback_reason) = open_devices(&world, &options)?;
        #[cfg(feature = "gpu")]
        let has_gpu = !pipelines.is_empty();
        #[cfg(not(feature = "gpu"))]
        let (has_gpu, fallback_reason) = (false, without_gpu(&options)?);
        let obb_trees = obb_trees(&world, &options, has_gpu)?.map(Arc::new);
        if has_gpu {
            // These alternatives have no kernel and run on the CPU.
            let cpu_only = [
                (!options.sweep.has_kernels(), Stage::Sweep),
                (options.bound == PoseEnclosure::DisplacementBall, Stage::Concat),
            ];
            for (_, stage) in cpu_only.into_iter().filter(|(applies, _)| *applies) {
                if !options.reference.contains(&stage) {
                    options.reference.push(stage);
                }
            }
        }
        Ok(Self(Arc::new(EngineCore {
            #[cfg(feature = "gpu")]
            adapters: pipelines.iter().map(|pipeline| pipeline.gpu().summary().clone()).collect(),
            #[cfg(feature = "gpu")]
            pipelines: {
                let with_stages = |mut pipeline: GpuPipeline| {
                    pipeline.set_cpu_stages(options.reference.clone(), obb_trees.clone());
                    std::sync::Mutex::new(pipeline)
                };
                pipelines.into_iter().map(with_stages).collect()
            },
            robot,
            world,
            obb_trees,
            options,
            workers,
            fallback_reason,
            chosen_sweeps: ChosenSweeps::default(),
            build_s: start.elapsed().as_secs_f64(),
        })))
    }
}

/// Refuses options that do not support tests of links against each other.
fn refuse_for_links(options: &Options) -> Result<()> {
    let (what, remedy) = match (options.bound, options.solve.method) {
        (PoseEnclosure::DisplacementBall, _) => ("toleranced bounds", "use jet or interval bounds"),
        (_, Method::Paper) => ("the paper's solver", "use the solver for jets"),
        _ => return Ok(()),
    };
    Err(Error::usage(format!("links cannot be tested against each other with {what}")).remedy(remedy))
}

/// Opens the adapters that the options select; none if the stages run on the CPU, with the reason if the backend is
/// automatic.
#[cfg(feature = "gpu")]
fn open_devices(world: &Arc<CollisionWorld>, options: &Options) -> Result<(Vec<GpuPipeline>, Option<String>)> {
    let best = |hardware_only| GpuPipeline::new(Arc::clone(world), options, hardware_only).map(|one| vec![one]);
    match options.backend {
        Backend::Cpu => Ok((Vec::new(), None)),
        Backend::Gpu | Backend::Auto if !options.adapters.is_empty() => {
            Ok((GpuPipeline::on_all(world, options)?, None))
        }
        Backend::Gpu => Ok((best(false)?, None)),
        Backend::Auto => match best(true) {
            Ok(pipelines) => Ok((pipelines, None)),
            Err(e) => Ok((Vec::new(), Some(format!("running on the CPU: {e}")))),
        },
    }
}

/// Explains why the automatic backend runs on the CPU.
#[cfg(not(feature = "gpu"))]
fn without_gpu(options: &Options) -> Result<Option<String>> {
    let reason = "the library was built without the feature 'gpu'";
    match options.backend {
        Backend::Cpu => Ok(None),
        Backend::Auto if options.adapters.is_empty() => Ok(Some(format!("running on the CPU: {reason}"))),
        Backend::Auto | Backend::Gpu => Err(Error::new(ErrorKind::Gpu, reason).remedy("use the CPU backend")),
    }
}

/// The trees of oriented boxes that the options require.
fn obb_trees(world: &CollisionWorld, options: &Options, has_gpu: bool) -> Result<Option<ObbTrees>> {
    // Without the scene's tree, only a tree of oriented boxes keeps a link from being tested against every leaf.
    let is_bare = !options.cull && options.sweep == Sweep::Off;
    let min_triangles = match options.pairs {
        PairSearch::Auto if !has_gpu && is_bare => 0,
        PairSearch::Auto | PairSearch::BoxTree => return Ok(None),
        PairSearch::ObbTree { .. } if has_gpu && !options.reference.contains(&Stage::Pairs) => {
            return Err(Error::usage("trees of oriented boxes are only available on the CPU")
                .remedy("use --backend cpu or --reference s5_pairs"));
        }
        PairSearch::ObbTree { min_triangles } => min_triangles,
    };
    let trees = ObbTrees::new(world, min_triangles);
    Ok(Some(if is_bare { trees.with_scene(world) } else { trees }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::{ColumnKind, Drive, Joint, JointKind, Untested};
    use glam::{DMat3, DVec3};

    /// Links in a chain, each with one triangle.
    fn chain(n_links: u32) -> Robot {
        let mut robot = Robot::new("chain", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        for link in 0..n_links {
            let drive = Drive::direct(robot.add_column(format!("j{link}"), ColumnKind::AngleRad, None));
            let kind = JointKind::Revolute { axis: DVec3::Z, drive };
            let joint = Joint { name: format!("j{link}"), orientation: DMat3::IDENTITY, origin_m: DVec3::X, kind };
            let body = robot.add_body(format!("l{link}"), Some(link), joint).unwrap();
            robot.add_link(format!("l{link}"), body, vec![[DVec3::ZERO, DVec3::X, DVec3::Y]], vec![0]).unwrap();
        }
        robot
    }

    fn scene() -> Scene {
        let mut scene = Scene::new();
        scene.add_object("wall", [[DVec3::Z * 9.0, DVec3::X, DVec3::Y]]).unwrap();
        scene
    }

    #[test]
    fn pairs_of_links_are_kept() {
        let robot = chain(4);
        let mut pairs = LinkPairs::all_but_adjacent(&robot);
        pairs.disable([[0, 2]], Untested::Allowed);
        let builder = Engine::builder(&robot, scene()).backend(Backend::Cpu);
        let engine = builder.clone().link_pairs(pairs.clone()).build().unwrap();
        assert_eq!(engine.world().link_pairs.tested(), [[0, 3], [1, 3]]);
        for other in [engine.with_scene(scene()), engine.with_options(engine.0.options.clone())] {
            assert_eq!(other.unwrap().world().link_pairs, pairs);
        }
        assert_eq!(builder.build().unwrap().world().link_pairs, LinkPairs::none());
    }

    #[test]
    fn pairs_of_another_robot_are_refused() {
        let builder = Engine::builder(chain(3), scene()).backend(Backend::Cpu);
        let error = builder.link_pairs(LinkPairs::all(&chain(4))).build().unwrap_err().to_string();
        assert!(error.contains("'chain'") && error.contains("same robot"), "{error}");
    }

    #[test]
    fn allowed_pairs_that_do_not_exist_are_refused() {
        let builder = Engine::builder(chain(3), scene()).backend(Backend::Cpu);
        for pair in [(3, 0), (0, 1)] {
            let error = builder.clone().allow([pair]).build().unwrap_err().to_string();
            assert!(error.contains("3 links, the scene 1 objects"), "{error}");
        }
        let engine = builder.allow([(2, 0)]).build().unwrap();
        assert!(engine.with_attached_allowing(&[], [(2, 1)]).is_err());
        assert!(engine.with_attached_allowing(&[], [(1, 0)]).is_ok());
    }
}
