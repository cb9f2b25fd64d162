//! The engine: a robot and a scene, prepared once, then queried for any number of motions.

mod autotune;
mod builder;
mod clearance;
mod core;
mod cpu_backend;
mod device_work;
#[cfg(feature = "gpu")]
pub mod gpu_backend;
mod link_search;
mod motion_queue;
mod options;
mod solid_start;
mod stats;
mod trajectory;
mod verdict_iter;
mod workers;

pub use crate::stage::s4_sweep::{Sweep, SweepCounts};
pub use crate::stage::s6_solve::SolveCounts;
pub use builder::EngineBuilder;
pub use device_work::{DeviceWork, Executed, KernelWork};
pub use options::{Backend, Capacities, Options, PairSearch, Solids, Stage};
pub use stats::{StageStats, Stats};
pub use verdict_iter::Stream;
pub use workers::thread_pool;

use crate::clearance::{Clearance, ClearanceOptions, ClosestPoints};
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::AdapterSummary;
use crate::robot::trajectory::{Place, Span};
use crate::robot::{MotionBatch, Robot, Trajectory};
use crate::scene::Scene;
use crate::scene::solids::MAX_TRIANGLES;
use crate::scene::world::CollisionWorld;
use crate::stage::s6_solve::InitialContactPolicy;
use crate::verdict::{TrajectoryVerdict, Verdict};
use core::EngineCore;
use cpu_backend::Scratch;
use glam::DAffine3;
use std::sync::Arc;

/// Checks motions of one robot in one scene.
///
/// ```
/// use firstcontact::{Backend, ColumnKind, Drive, Engine, Joint, JointKind, MotionBatch, Robot, Scene, Verdict};
/// use glam::{DMat3, DVec3};
///
/// # fn main() -> firstcontact::Result<()> {
/// // An arm of one metre that turns about z, and a wall.
/// let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO)?;
/// let column = robot.add_column("shoulder", ColumnKind::AngleRad, None);
/// let kind = JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(column) };
/// let joint = Joint { name: "shoulder".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
/// let arm = robot.add_body("arm", Some(0), joint)?;
/// robot.add_link("arm", arm, vec![[DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.0, 0.1)]], vec![0])?;
/// let mut scene = Scene::new();
/// let (a, b, c) = (DVec3::new(0.2, 0.5, -1.0), DVec3::new(1.0, 0.5, -1.0), DVec3::new(0.6, 0.5, 2.0));
/// scene.add_object("wall", [[a, b, c]])?;
///
/// let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).build()?;
/// let report = engine.check(&MotionBatch::between(&[[0.0], [0.0]], &[[0.4], [1.0]])?)?;
/// assert_eq!(report.verdicts[0], Verdict::Free);
/// let Verdict::Contact(contact) = &report.verdicts[1] else { panic!() };
/// // The tip reaches y = 0.5 at asin(0.5) radians.
/// assert!(contact.is_certified() && (contact.toc[0] - std::f64::consts::FRAC_PI_6).abs() < 1e-8);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Engine(Arc<EngineCore>);

/// Verdicts and statistics of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The answers, motion by motion.
    pub verdicts: Vec<Verdict>,
    /// Statistics of the stages.
    pub stats: Stats,
}

/// Number of motions taken from a batch in memory per portion.
const PORTION: usize = 4096;

impl Engine {
    /// Starts building an engine for a robot in a scene.
    pub fn builder(robot: impl Into<Arc<Robot>>, scene: impl Into<Arc<Scene>>) -> EngineBuilder {
        EngineBuilder::new(robot.into(), scene.into())
    }

    /// Like [`builder`](Self::builder), but moves the scene's triangles into the engine, so that a large scene is in
    /// memory only once. The scene keeps its objects, names and counts, and loses its triangles even if the engine
    /// cannot be built.
    #[doc(hidden)]
    pub fn builder_taking(robot: &Robot, scene: &mut Scene) -> EngineBuilder {
        EngineBuilder::taking(robot, scene)
    }

    /// Warnings from building the engine, one line each.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.0.world.scene.warning.as_deref().into_iter()
    }

    /// The names of objects and links that are too large to be tested as solids; empty with [`Solids::Off`].
    pub fn untested_solids(&self) -> impl Iterator<Item = &str> {
        let (world, tests_solids) = (self.world(), self.solids() != Solids::Off);
        let is_large = move |n: usize| tests_solids && n > MAX_TRIANGLES;
        let links = world.robot.links.iter().filter(move |link| is_large(link.triangles.len()));
        let objects = world.scene.objects.iter().filter(move |object| is_large(object.n_triangles as usize));
        links.map(|link| &*link.name).chain(objects.map(|object| &*object.name))
    }

    /// The graphics adapters on which the culling stages run; none if they run on the CPU.
    #[cfg(feature = "gpu")]
    pub fn adapters(&self) -> &[AdapterSummary] {
        &self.0.adapters
    }

    /// The names of the graphics adapters, separated by ` + `; `None` if the culling stages run on the CPU.
    #[cfg(feature = "gpu")]
    pub fn adapter_names(&self) -> Option<String> {
        let names = self.0.adapters.iter().map(|adapter| adapter.name.as_str()).collect::<Vec<_>>().join(" + ");
        self.0.has_gpu().then_some(names)
    }

    /// The reason why the automatic backend runs on the CPU, if it does.
    pub fn backend_fallback_reason(&self) -> Option<&str> {
        self.0.fallback_reason.as_deref()
    }

    /// Number of CPU threads.
    pub fn threads(&self) -> usize {
        self.0.threads()
    }

    /// Robot, scene and trees in the form that the engine uses.
    pub fn world(&self) -> &CollisionWorld {
        &self.0.world
    }

    /// Checks motions and keeps all verdicts.
    ///
    /// # Errors
    /// A motion does not fit the robot, or the device failed.
    pub fn check(&self, motions: &MotionBatch) -> Result<Report> {
        let mut verdicts = Vec::with_capacity(motions.len());
        let stats = self.check_each(motions, &mut |_, verdict| {
            verdicts.push(verdict);
            Ok(())
        })?;
        Ok(Report { verdicts, stats })
    }

    /// Checks motions and passes each verdict to `sink`, in the order of the motions, as soon as it is known.
    ///
    /// # Errors
    /// As [`Engine::check`], and any error that `sink` returns, which ends the work.
    pub fn check_each(
        &self,
        motions: &MotionBatch,
        sink: &mut dyn FnMut(usize, Verdict) -> Result<()>,
    ) -> Result<Stats> {
        if self.0.fits_inline(motions) {
            return self.0.check_inline(motions, sink);
        }
        let starts = (0..motions.len()).step_by(PORTION);
        self.check_portions(&mut starts.map(|i| Ok(motions.range(i..i + PORTION))), sink)
    }

    /// Checks any number of motions, given in portions of any size, and passes each verdict to `sink`, in the order of
    /// the motions, as soon as it is known. Neither motions nor verdicts are kept: memory does not grow with their
    /// number. While some motions are checked, the next ones are fetched and earlier verdicts are passed to `sink`.
    ///
    /// # Errors
    /// As [`Engine::check_each`], and the first error of a portion, after the verdicts on all motions before it.
    pub fn check_portions(
        &self,
        portions: &mut dyn Iterator<Item = Result<MotionBatch>>,
        sink: &mut dyn FnMut(usize, Verdict) -> Result<()>,
    ) -> Result<Stats> {
        self.0.check(portions, sink)
    }

    /// Like [`check_portions`](Self::check_portions), as an iterator over the verdicts; a separate thread works up to
    /// some thousands of verdicts ahead.
    ///
    /// ```
    /// # use firstcontact::{Engine, MotionBatch};
    /// # fn count(engine: &Engine, portions: Vec<firstcontact::Result<MotionBatch>>) -> firstcontact::Result<usize> {
    /// let mut contacts = 0;
    /// for answer in engine.check_iter(portions) {
    ///     let (_motion, verdict) = answer?;
    ///     contacts += usize::from(verdict.is_contact());
    /// }
    /// # Ok(contacts)
    /// # }
    /// ```
    pub fn check_iter<I>(&self, portions: I) -> Stream
    where
        I: IntoIterator<Item = Result<MotionBatch>>,
        I::IntoIter: Send + 'static,
    {
        Stream::start(Arc::clone(&self.0), portions.into_iter())
    }

    /// Checks trajectories and passes each answer to `sink`, in the order of the trajectories. An adapter excludes the
    /// parts in which nothing is near, unless contacts at the start are ignored; the CPU searches the rest, on all
    /// threads. `joint_tolerance` contains one number for each column, radians or metres, or is empty for no tolerance.
    /// With a tolerance, [`Free`](Verdict::Free) applies to every execution whose columns stay within the tolerance of
    /// the trajectory at each time, and none of these executions has a contact before `toc[0]`; proved contacts are
    /// those of the trajectory itself.
    ///
    /// ```
    /// # use firstcontact::{Engine, Trajectory};
    /// # fn count(engine: &Engine, paths: &[Trajectory]) -> firstcontact::Result<usize> {
    /// let mut contacts = 0;
    /// engine.check_trajectories(paths, &[], &mut |_, answer| {
    ///     contacts += usize::from(answer.verdict.is_contact());
    ///     Ok(())
    /// })?;
    /// # Ok(contacts)
    /// # }
    /// ```
    ///
    /// # Errors
    /// A trajectory does not fit the robot; a tolerance is negative, is above 10⁶, or belongs to a free joint; the
    /// number of tolerances is not that of the columns; the options select the paper's equations or toleranced bounds,
    /// which support only straight motions; a device failed; or `sink` returns an error.
    pub fn check_trajectories(
        &self,
        trajectories: &[Trajectory],
        joint_tolerance: &[f64],
        sink: &mut dyn FnMut(usize, TrajectoryVerdict) -> Result<()>,
    ) -> Result<Stats> {
        self.0.check_trajectories(trajectories, joint_tolerance, sink)
    }

    /// The smallest distance between the robot and its obstacles over all times of a trajectory that is
    /// [`Free`](Verdict::Free), as an enclosure in metres. All of the work runs on the CPU.
    ///
    /// ```
    /// # use firstcontact::{ClearanceOptions, Engine, Trajectory};
    /// # fn report(engine: &Engine, path: &Trajectory) -> firstcontact::Result<()> {
    /// let clearance = engine.clearance(path, &ClearanceOptions::default().with_tolerance_m(1e-4))?;
    /// let [at_least, at_most] = clearance.distance_m;
    /// println!("the robot keeps {at_least} m, and comes as near as {at_most} m");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The enclosure is as narrow as the options request, unless rounding or the cap on evaluations prevents it. If the
    /// trajectory has a contact, the lower bound is zero. Pairs that are not tested do not count, nor do pairs that are
    /// ignored because they touch at the start.
    ///
    /// # Errors
    /// The trajectory does not fit the robot, an option is out of range, or the engine's options select the paper's
    /// equations or toleranced bounds, which do not support a margin.
    pub fn clearance(&self, trajectory: &Trajectory, options: &ClearanceOptions) -> Result<Clearance> {
        let mut guard = self.0.workers.scratch.acquire();
        self.0.clearance(guard.get(), trajectory, options, &mut Stats::default())
    }

    /// Computes the [`clearance`](Self::clearance) of many trajectories, on all threads, and passes each answer to
    /// `sink`, in the order of the trajectories.
    ///
    /// # Errors
    /// As [`clearance`](Self::clearance), and any error that `sink` returns, which ends the work.
    pub fn clearances(
        &self,
        trajectories: &[Trajectory],
        options: &ClearanceOptions,
        sink: &mut dyn FnMut(usize, Clearance) -> Result<()>,
    ) -> Result<Stats> {
        let ask = |scratch: &mut Scratch, i: usize, stats: &mut Stats| {
            let clearance = self.0.clearance(scratch, &trajectories[i], options, stats);
            clearance.map_err(|e| e.at(format!("trajectory {i}")))
        };
        self.0.each(trajectories.len(), ask, sink)
    }

    /// The nearest points of the robot and its obstacles at local time `t` of a segment of a trajectory, from 0 to 1;
    /// `None` if they are at least `limit_m` metres apart. The distance of triangles that pierce each other is
    /// unspecified, not zero. The same pairs count as for [`clearance`](Self::clearance).
    ///
    /// # Errors
    /// The trajectory does not fit the robot or has no such segment, the time is not from 0 to 1, or the limit is not
    /// positive.
    pub fn closest_points(
        &self,
        trajectory: &Trajectory,
        segment: usize,
        t: f64,
        limit_m: f64,
    ) -> Result<Option<ClosestPoints>> {
        let place = place(trajectory, segment, t)?;
        let mut guard = self.0.workers.scratch.acquire();
        self.0.closest_points(guard.get(), trajectory, place, limit_m)
    }

    /// Poses of the robot's bodies at a place of a trajectory, like [`body_poses`](Self::body_poses).
    ///
    /// # Errors
    /// The trajectory does not fit the robot or has no such segment, or the time is not from 0 to 1.
    pub fn body_poses_at(&self, trajectory: &Trajectory, segment: usize, t: f64) -> Result<Vec<DAffine3>> {
        let mut span = Span::default();
        let t = trajectory.span_at(&mut span, place(trajectory, segment, t)?);
        self.0.body_poses(&MotionBatch::between(&[&span.start], &[&span.end])?, 0, t)
    }

    /// Poses of the robot's bodies in the world at time `t` of motion `i`, in the order of
    /// [`Robot::bodies`](crate::robot::Robot::bodies), to within rounding. Before time 0 and after time 1 the motion
    /// goes on at the same rates.
    ///
    /// # Errors
    /// There is no such motion, it does not fit the robot, or the time is NaN or infinite.
    pub fn body_poses(&self, motions: &MotionBatch, i: usize, t: f64) -> Result<Vec<DAffine3>> {
        if i >= motions.len() || !t.is_finite() {
            return Err(Error::usage(format!("there is no time {t:?} of motion {i} of {}", motions.len())));
        }
        self.0.body_poses(motions, i, t)
    }

    /// The form of swept-volume culling: the one set in the options, or the result of the automatic choice.
    pub fn sweep(&self) -> Sweep {
        self.0.known_sweep(self.0.has_gpu()).unwrap_or(Sweep::Off)
    }

    /// The treatment of motions that start inside a solid.
    pub fn solids(&self) -> Solids {
        self.0.options.solids
    }

    /// The treatment of pairs that touch at the start of a motion.
    pub fn initial_contacts(&self) -> InitialContactPolicy {
        self.0.options.solve.initial
    }

    /// The form of the motion bounds.
    pub fn bound(&self) -> PoseEnclosure {
        self.0.options.bound
    }
}
/// Rounding of local times that callers compute.
const TIME_ROUNDING: f64 = 1e-9;

/// A place of a trajectory.
///
/// # Errors
/// There is no such segment, or the local time is not from 0 to 1.
fn place(trajectory: &Trajectory, segment: usize, t: f64) -> Result<Place> {
    let n = trajectory.n_segments();
    if segment >= n || !(-TIME_ROUNDING..=1.0 + TIME_ROUNDING).contains(&t) {
        return Err(Error::usage(format!("there is no time {t:?} of segment {segment} of {n}")));
    }
    Ok(Place { segment, t: t.clamp(0.0, 1.0) })
}
