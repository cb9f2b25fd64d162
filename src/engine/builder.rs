//! Building an engine.

use super::checker::Checker;
use super::cpu::Workspaces;
use super::gpu::GpuFlow;
use super::{Backend, Engine, Options, PairCulling, Stage};
use crate::error::{Error, Result};
use crate::load::Watch;
use crate::model::obb_tree::ObbTrees;
use crate::model::robot::{Robot, Triangle};
use crate::model::scene::Scene;
use crate::model::world::{SceneBuild, World};
use crate::numeric::pose_bound::BoundForm;
use crate::stage::s4_sweep::Sweep;
use crate::stage::s6_solve::Initial;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// Threads on the CPU that can be asked for: more than any machine has cores, and few enough to be started.
const MOST_THREADS: usize = 4096;

/// Collects what an engine needs.
#[derive(Clone, Debug)]
pub struct EngineBuilder<'a> {
    robot: &'a Robot,
    scene: &'a Scene,
    allowed: Vec<(u32, u32)>,
    options: Options,
    known: Option<&'a Engine>,
    /// The scene's triangles, if they are the engine's now.
    taken: Option<Vec<Triangle>>,
    tree: SceneBuild,
}

impl<'a> EngineBuilder<'a> {
    pub(super) fn new(robot: &'a Robot, scene: &'a Scene) -> Self {
        let (options, tree) = (Options::default(), SceneBuild::default());
        Self { robot, scene, allowed: Vec::new(), options, known: None, taken: None, tree }
    }

    pub(super) fn taking(robot: &'a Robot, scene: &'a mut Scene) -> Self {
        let taken = Some(std::mem::take(&mut scene.triangles));
        Self { taken, ..Self::new(robot, scene) }
    }

    /// Where the culling stages run.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.options.backend = backend;
        self
    }

    /// Largest width of a certified enclosure, as a share of the motion.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.options.solve.tolerance = tolerance;
        self
    }

    /// What to do with links that touch the scene at the start.
    #[must_use]
    pub fn initial(mut self, initial: Initial) -> Self {
        self.options.solve.initial = initial;
        self
    }

    /// Pairs (index of a link, index of an object) that are never tested.
    #[must_use]
    pub fn allow(mut self, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        self.allowed.extend(pairs);
        self
    }

    /// Takes the trees over the links from an engine that has the same ones, for a robot in one scene after the other; an engine
    /// with other links changes nothing.
    #[must_use]
    pub fn like(mut self, known: &'a Engine) -> Self {
        self.known = Some(known);
        self
    }

    /// Keeps the tree over the scene in this file, and takes it from there the next time: worth it for millions of triangles. A file that
    /// is damaged, or another scene's, is said in [`Engine::warnings`] and replaced; one that cannot be written is said there too.
    #[must_use]
    pub fn tree_cache(mut self, file: impl Into<PathBuf>) -> Self {
        self.tree.cache = Some(file.into());
        self
    }

    /// Tells how many of the scene's triangles are in the tree, while it is built.
    #[must_use]
    pub fn watch(mut self, watch: Watch) -> Self {
        self.tree.watch = watch;
        self
    }

    /// How many triangles of the scene get a tree at once, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn tree_block(mut self, triangles: usize) -> Self {
        self.tree.block = triangles;
        self
    }

    /// All options at once.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Builds the trees and opens the device.
    ///
    /// # Errors
    /// A coordinate is too far away, an option is out of its range, or there is no adapter where one is asked for.
    pub fn build(self) -> Result<Engine> {
        let start = Instant::now();
        self.options.solve.check()?;
        let pool = thread_pool(self.options.threads)?;
        let known = self.known.map(Engine::world);
        let triangles = self.taken.unwrap_or_else(|| self.scene.triangles.clone());
        let (robot, objects) = (self.robot, &self.scene.objects);
        let world = pool.install(|| World::with(robot, objects, triangles, &self.allowed, known, self.tree))?;
        Engine::with(world, pool, self.options, start)
    }
}

impl Engine {
    /// The same robot, scene and pairs with other options: the trees are shared, a large scene is in memory once.
    ///
    /// # Errors
    /// An option is out of its range, or there is no adapter where one is asked for.
    pub fn again(&self, options: Options) -> Result<Self> {
        let start = Instant::now();
        options.solve.check()?;
        let pool = thread_pool(options.threads)?;
        Self::with(World { obbs: None, ..self.world().clone() }, pool, options, start)
    }

    /// Opens the device for a world, and makes what the options need.
    fn with(mut world: World, pool: ThreadPool, mut options: Options, start: Instant) -> Result<Self> {
        let (flow, note) = match options.backend {
            Backend::Cpu => (None, None),
            Backend::Gpu => (Some(GpuFlow::new(&world, &options, false)?), None),
            Backend::Auto => match GpuFlow::new(&world, &options, options.adapter.is_none()) {
                Ok(flow) => (Some(flow), None),
                Err(e) if options.adapter.is_some() => return Err(e),
                Err(e) => (None, Some(format!("running on the CPU: {e}"))),
            },
        };
        let bare = !options.cull && options.sweep == Sweep::Off;
        let smallest = match options.pairs {
            // Without the scene's tree of boxes only a tree of oriented ones keeps a link from meeting every cluster.
            PairCulling::Auto if flow.is_none() && bare => Some(0),
            PairCulling::Auto | PairCulling::Sat => None,
            PairCulling::Obb { .. } if flow.is_some() && !options.reference.contains(&Stage::Pairs) => {
                return Err(Error::usage("trees of oriented boxes are for the CPU, the kernels have none")
                    .remedy("--backend cpu, or --reference s5_pairs"));
            }
            PairCulling::Obb { min_triangles } => Some(min_triangles),
        };
        world.obbs = smallest.map(|n| ObbTrees::new(&world, n));
        if bare {
            world.obbs = world.obbs.take().map(|obbs| obbs.with_scene(&world));
        }
        if flow.is_some() && !options.sweep.has_kernels() && !options.reference.contains(&Stage::Sweep) {
            options.reference.push(Stage::Sweep);
        }
        // No kernel makes balls of displacements: the reference does, all that follows reads them as it does jets.
        if flow.is_some() && options.bound == BoundForm::Toleranced && !options.reference.contains(&Stage::Concat) {
            options.reference.push(Stage::Concat);
        }
        let adapter = flow.as_ref().map(|flow| flow.gpu().summary().clone());
        let (flow, form, workspaces) = (flow.map(Mutex::new), OnceLock::new(), Workspaces::default());
        let build_s = start.elapsed().as_secs_f64();
        Ok(Self(Arc::new(Checker { world, options, flow, adapter, pool, build_s, note, form, workspaces })))
    }
}

/// Threads to work on; 0 for as many as there are cores.
///
/// # Errors
/// They are too many, or the system does not start them.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    if threads > MOST_THREADS {
        let message = format!("{threads} threads: more than {MOST_THREADS}");
        return Err(Error::usage(message).remedy("--threads 0 takes all cores"));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::usage(format!("{threads} threads: {e}")))
}
