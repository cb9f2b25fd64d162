//! Engines.

use crate::answers::{Answers, Given};
use crate::clearance::Clearances;
use crate::error::raise;
use crate::interruption::{Interruption, detached};
use crate::names::Names;
use crate::numbers;
use crate::options::EngineOptions;
use crate::portions::Portions;
use crate::robot::Robot;
use crate::scene::{Scene, pose};
use crate::trajectory::Trajectory;
use firstcontact::{AttachedObject, ClearanceOptions, Error, MotionBatch, Result, Verdict};
use glam::DAffine3;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// An engine, and the names that its answers refer to.
#[pyclass(frozen, module = "firstcontact._native")]
pub struct Engine {
    pub engine: firstcontact::Engine,
    pub names: Arc<Names>,
    /// The scene with its triangles, for certificates.
    pub scene: Arc<firstcontact::Scene>,
    /// The distance that counts as contact, metres.
    pub margin_m: f64,
    /// Pairs that touch at the start are not tested.
    pub ignores_initial_contacts: bool,
    with_poses: bool,
}

impl Engine {
    fn new(engine: firstcontact::Engine, scene: Arc<firstcontact::Scene>, options: &EngineOptions) -> Self {
        let world = engine.world();
        let names = Arc::new(Names::new(&world.robot, world.scene.objects.clone()));
        let (margin_m, ignores_initial_contacts) = (options.margin_m(), options.ignores_initial_contacts());
        Self { engine, names, scene, margin_m, ignores_initial_contacts, with_poses: options.all_contacts() }
    }

    /// The same for another robot or scene.
    fn like(&self, engine: firstcontact::Engine, scene: &Arc<firstcontact::Scene>) -> Self {
        let world = engine.world();
        let names = Arc::new(Names::new(&world.robot, world.scene.objects.clone()));
        let Self { margin_m, ignores_initial_contacts, with_poses, .. } = *self;
        Self { engine, names, scene: Arc::clone(scene), margin_m, ignores_initial_contacts, with_poses }
    }

    fn n_columns(&self) -> usize {
        self.names.robot.columns.len()
    }

    /// The poses of the bodies at a contact, if they are wanted.
    fn poses(&self, batch: &MotionBatch, i: usize, verdict: &Verdict) -> Result<Option<Vec<DAffine3>>> {
        match verdict {
            Verdict::Contact(contact) if self.with_poses => self.engine.body_poses(batch, i, contact.toc[0]).map(Some),
            _ => Ok(None),
        }
    }

    fn answers(&self, given: Given, poses: BTreeMap<usize, Vec<DAffine3>>, stats: firstcontact::Stats) -> Answers {
        Answers { names: Arc::clone(&self.names), given, poses, stats }
    }
}

#[pymethods]
impl Engine {
    /// Builds an engine.
    #[new]
    #[pyo3(signature = (robot, scene, options, tree_cache))]
    fn build(
        py: Python,
        robot: &Robot,
        scene: &Scene,
        options: EngineOptions,
        tree_cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        let scene = Arc::clone(&scene.scene);
        detached(py, || {
            let allowed = options.allowed(&robot.robot, &scene)?;
            let pairs = options.link_pairs(robot, &allowed)?;
            if scene.triangles.is_empty() && pairs.tested().is_empty() {
                let error = Error::usage("there is nothing to collide with: no scene, and links are not tested");
                return Err(error.remedy("give a scene, or self_collision=True"));
            }
            let builder = firstcontact::Engine::builder(Arc::clone(&robot.robot), Arc::clone(&scene));
            let builder = builder.options(options.library()?);
            let builder = builder.allow(allowed.objects).link_pairs(pairs);
            let builder = tree_cache.into_iter().fold(builder, |builder, file| builder.tree_cache(file));
            builder.build().map(|engine| Self::new(engine, scene, &options))
        })
        .map_err(raise)
    }

    /// An engine for the same robot in another scene, with the same options.
    fn with_scene(&self, py: Python, scene: &Scene) -> PyResult<Self> {
        let scene = Arc::clone(&scene.scene);
        let other = detached(py, || self.engine.with_scene(Arc::clone(&scene)));
        other.map(|engine| self.like(engine, &scene)).map_err(raise)
    }

    /// An engine for the same robot, scene and pairs with other options: trees are shared.
    fn with_options(&self, py: Python, options: EngineOptions) -> PyResult<Self> {
        let other = || self.engine.with_options(options.library()?);
        detached(py, other).map(|engine| Self::new(engine, Arc::clone(&self.scene), &options)).map_err(raise)
    }

    /// An engine with an object attached to a link: an array of triangles of shape (n, 3, 3).
    fn with_attached(
        &self,
        py: Python,
        name: String,
        link: String,
        triangles: &[u8],
        at: [[f64; 4]; 4],
        touch_links: Vec<String>,
    ) -> PyResult<Self> {
        detached(py, || {
            let (triangles, pose) = (numbers::triangles(triangles), pose(at));
            let object = AttachedObject { name, link, triangles, pose, touch_links };
            self.engine.with_attached(&[object]).map(|engine| self.like(engine, &self.scene))
        })
        .map_err(raise)
    }

    /// Checks the motions of an array of shape (q, 2, columns).
    fn check(&self, py: Python, motions: &[u8]) -> PyResult<Answers> {
        Interruption::run(py, |signals| {
            let batch = numbers::motions(motions, self.n_columns(), 0)?;
            let (mut verdicts, mut poses) = (Vec::with_capacity(batch.len()), BTreeMap::new());
            let stats = self.engine.check_each(&batch, &mut |i, verdict| {
                poses.extend(self.poses(&batch, i, &verdict)?.map(|of_bodies| (i, of_bodies)));
                verdicts.push(verdict);
                signals.poll()
            })?;
            Ok(self.answers(Given::Motions(verdicts), poses, stats))
        })
    }

    /// Returns whether the motions of an array of shape (q, 2, columns) are all free.
    fn are_free(&self, py: Python, motions: &[u8]) -> PyResult<bool> {
        Interruption::run(py, |signals| {
            let batch = numbers::motions(motions, self.n_columns(), 0)?;
            let stats = self.engine.check_each(&batch, &mut |_, _| signals.poll())?;
            Ok(stats.free == stats.motions)
        })
    }

    /// Checks motions in portions, which an iterator generates on demand: arrays of shape (q, 2, columns).
    fn check_portions(&self, py: Python, portions: Bound<PyIterator>) -> PyResult<Answers> {
        let iterator = portions.unbind();
        Interruption::run(py, |signals| {
            let unanswered = RefCell::default();
            let copies = self.with_poses.then_some(&unanswered);
            let mut portions = Portions { iterator, signals, n_columns: self.n_columns(), n_read: 0, copies };
            let (mut verdicts, mut poses) = (Vec::new(), BTreeMap::new());
            let stats = self.engine.check_portions(&mut portions, &mut |i, verdict| {
                if let Some((batch, at)) = unanswered.borrow_mut().batch(i) {
                    poses.extend(self.poses(batch, at, &verdict)?.map(|of_bodies| (i, of_bodies)));
                }
                verdicts.push(verdict);
                signals.poll()
            })?;
            Ok(self.answers(Given::Motions(verdicts), poses, stats))
        })
    }

    /// Checks trajectories, with a tolerance for each column or none; calls `progress` after each.
    #[pyo3(signature = (trajectories, joint_tolerance, progress))]
    fn check_trajectories(
        &self,
        py: Python,
        trajectories: Vec<PyRef<Trajectory>>,
        joint_tolerance: Vec<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Answers> {
        let paths: Vec<Arc<firstcontact::Trajectory>> = trajectories.iter().map(|path| Arc::clone(&path.0)).collect();
        drop(trajectories);
        Interruption::run(py, |signals| {
            let copies: Vec<firstcontact::Trajectory> = paths.iter().map(|path| (**path).clone()).collect();
            let (mut verdicts, mut poses) = (Vec::with_capacity(paths.len()), BTreeMap::new());
            let stats = self.engine.check_trajectories(&copies, &joint_tolerance, &mut |i, answer| {
                if let (true, Verdict::Contact(contact)) = (self.with_poses, &answer.verdict) {
                    poses.insert(i, self.engine.body_poses_at(&copies[i], answer.segment, contact.toc[0])?);
                }
                verdicts.push(answer);
                signals.report(progress.as_ref())?;
                signals.poll()
            })?;
            Ok(self.answers(Given::Trajectories(verdicts, paths), poses, stats))
        })
    }

    /// The clearances of trajectories, metres; calls `progress` after each.
    #[pyo3(signature = (trajectories, tolerance, limit, progress))]
    fn clearances(
        &self,
        py: Python,
        trajectories: Vec<PyRef<Trajectory>>,
        tolerance: f64,
        limit: f64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Clearances> {
        let paths: Vec<firstcontact::Trajectory> = trajectories.iter().map(|path| (*path.0).clone()).collect();
        drop(trajectories);
        Interruption::run(py, |signals| {
            let options = ClearanceOptions::default().with_tolerance_m(tolerance).with_limit_m(limit);
            options.check()?;
            let mut all = Clearances::new(Arc::clone(&self.names));
            self.engine.clearances(&paths, &options, &mut |i, clearance| {
                all.push(&clearance, &paths[i]);
                signals.report(progress.as_ref())?;
                signals.poll()
            })?;
            Ok(all)
        })
    }

    /// The poses of the frames of all links at a configuration, link to world: (name, rows of a 4×4 matrix).
    fn link_poses(&self, configuration: &[u8]) -> PyResult<Vec<(String, [[f64; 4]; 4])>> {
        let q = numbers::floats(configuration);
        let robot = &self.engine.world().robot;
        let still = MotionBatch::between(&[&q[..]], &[&q[..]]);
        let bodies = still.and_then(|still| self.engine.body_poses(&still, 0, 0.0)).map_err(raise)?;
        let rows = |pose: DAffine3| glam::DMat4::from(pose).transpose().to_cols_array_2d();
        let own = robot.bodies.iter().zip(&bodies).filter(|(body, _)| !body.name.is_empty());
        let own = own.map(|(body, &pose)| (body.name.clone(), rows(pose)));
        let fixed =
            robot.fixed_links.iter().map(|link| (link.name.clone(), rows(bodies[link.body as usize] * link.pose)));
        Ok(own.chain(fixed).collect())
    }

    /// Names of the columns.
    #[getter]
    fn joints(&self) -> Vec<String> {
        self.names.robot.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// Names of the links with triangles and of attached objects.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.names.links()
    }

    /// Names of the objects of the scene.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.names.objects()
    }

    /// Pairs of links that are tested against each other, by name.
    #[getter]
    fn tested_link_pairs(&self) -> Vec<(String, String)> {
        let world = self.engine.world();
        let name = |link: u32| world.robot.links[link as usize].name.clone();
        world.link_pairs.tested().iter().map(|&[a, b]| (name(a), name(b))).collect()
    }

    /// Name and driver of each graphics adapter; empty on the CPU.
    #[getter]
    fn adapters(&self) -> Vec<(String, String)> {
        self.engine.adapters().iter().map(|adapter| (adapter.name.clone(), adapter.driver.clone())).collect()
    }

    /// Warnings from building the engine, and the reason why it runs on the CPU.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = self.engine.warnings().map(String::from);
        warnings.chain(self.engine.backend_fallback_reason().map(String::from)).collect()
    }

    /// Number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.engine.threads()
    }
}
