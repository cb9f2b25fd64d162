//! The engine: a robot and a scene, made ready once, then asked about any number of motions.

mod batch;
mod builder;
mod calibration;
mod cpu;
pub mod gpu;
mod options;
mod stats;

pub use crate::stage::s4_sweep::{Sweep, SweepCounts};
pub use crate::stage::s6_solve::SolveCounts;
pub use builder::{EngineBuilder, thread_pool};
pub use options::{Backend, Capacities, Options, PairCulling, Stage};
pub use stats::{StageStats, Stats};

use crate::error::{Error, ErrorKind, Result};
use crate::gpu::AdapterSummary;
use crate::model::robot::Robot;
use crate::model::scene::Scene;
use crate::model::world::World;
use crate::motion::{ModelMotion, Motions};
use crate::numeric::pose_bound::BoundForm;
use crate::verdict::Verdict;
use glam::{DAffine3, DMat3, DVec3};
use gpu::GpuFlow;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// Checks motions of one robot in one scene.
///
/// ```
/// use firstcontact::engine::{Backend, Engine};
/// use firstcontact::model::robot::{ColumnKind, Drive, Joint, JointKind, Robot};
/// use firstcontact::model::scene::Scene;
/// use firstcontact::motion::Motions;
/// use firstcontact::verdict::Verdict;
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
/// let report = engine.check(&Motions::between(&[[0.0], [0.0]], &[[0.4], [1.0]])?)?;
/// assert_eq!(report.verdicts[0], Verdict::Free);
/// let Verdict::Contact(contact) = &report.verdicts[1] else { panic!() };
/// // The tip reaches y = 0.5 at asin(0.5) radians.
/// assert!(contact.certified && (contact.toc[0] - std::f64::consts::FRAC_PI_6).abs() < 1e-8);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Engine {
    world: World,
    options: Options,
    flow: Option<Mutex<GpuFlow>>,
    pool: rayon::ThreadPool,
    build_s: f64,
    note: Option<String>,
    /// The form of swept-volume culling that was found best.
    form: OnceLock<Sweep>,
}

/// What a check gave.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The answers, motion by motion.
    pub verdicts: Vec<Verdict>,
    /// What the stages did.
    pub stats: Stats,
}

impl Engine {
    /// An engine for a robot in a scene.
    pub fn builder<'a>(robot: &'a Robot, scene: &'a Scene) -> EngineBuilder<'a> {
        EngineBuilder::new(robot, scene)
    }

    /// The graphics adapter, if the culling stages run on one.
    pub fn adapter(&self) -> Option<AdapterSummary> {
        let flow = self.flow.as_ref()?.lock().ok()?;
        Some(flow.gpu().summary().clone())
    }

    /// Why the automatic backend runs on the CPU, if it does.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Threads that the CPU's share of the work runs on.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Robot, scene and trees as the engine uses them.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Checks motions and keeps all answers.
    ///
    /// # Errors
    /// A motion does not fit the robot, or the device failed.
    pub fn check(&self, motions: &Motions) -> Result<Report> {
        let mut verdicts = Vec::with_capacity(motions.len());
        let stats = self.check_each(motions, &mut |_, verdict| {
            verdicts.push(verdict);
            Ok(())
        })?;
        Ok(Report { verdicts, stats })
    }

    /// Checks motions and hands each answer to `sink`, in the order of the motions, as they come.
    ///
    /// # Errors
    /// As [`Engine::check`], and whatever `sink` returns: that ends the work.
    pub fn check_each(&self, motions: &Motions, sink: &mut dyn FnMut(usize, Verdict) -> Result<()>) -> Result<Stats> {
        let start = Instant::now();
        if motions.n_columns() != self.world.robot.columns.len() && !motions.is_empty() {
            let (have, want) = (motions.n_columns(), self.world.robot.columns.len());
            return Err(Error::usage(format!("motions of {have} columns for a robot of {want}")));
        }
        let mut stats = Stats { build_s: self.build_s, ..Stats::default() };
        let mut next = 0;
        let mut deliver = |verdicts: Vec<Verdict>, stats: &mut Stats| {
            for verdict in verdicts {
                match &verdict {
                    Verdict::Free => stats.free += 1,
                    Verdict::Contact(c) => {
                        stats.contact += 1;
                        stats.certified += u64::from(c.certified);
                    }
                    Verdict::Undecided(_) => stats.undecided += 1,
                }
                stats.motions += 1;
                sink(next, verdict)?;
                next += 1;
            }
            Ok(())
        };
        if self.world.links.is_empty() || self.world.scene.triangles.is_empty() {
            // Nothing can touch; but what is not a motion is still an error.
            for i in 0..motions.len() {
                self.motion(motions, i)?;
                deliver(vec![Verdict::Free], &mut stats)?;
            }
        } else if let Some(flow) = &self.flow {
            let mut flow = flow.lock().map_err(|_| Error::new(ErrorKind::Gpu, "an earlier check failed"))?;
            self.check_on_gpu(&mut flow, motions, &mut deliver, &mut stats)?;
        } else {
            self.check_on_cpu(motions, &mut deliver, &mut stats)?;
        }
        stats.wall_s = start.elapsed().as_secs_f64();
        Ok(stats)
    }

    fn motion(&self, motions: &Motions, i: usize) -> Result<ModelMotion> {
        let (start, end) = (motions.start(i), motions.end(i));
        let motion = ModelMotion::new(&self.world.robot, start, end).map_err(|e| e.at(format!("motion {i}")));
        motion.map(|mut motion| {
            motion.set_margin(self.options.solve.margin_m);
            motion
        })
    }

    /// Where the bodies of the robot are at time `t` of motion `i`: poses in the world, in the order of
    /// [`Robot::bodies`](crate::model::robot::Robot::bodies), to within rounding.
    ///
    /// # Errors
    /// The motion does not fit the robot.
    pub fn body_poses(&self, motions: &Motions, i: usize, t: f64) -> Result<Vec<DAffine3>> {
        let motion = self.motion(motions, i)?;
        let pose = |body: usize| {
            let jet = motion.body_bound(body as u32, t, 0.0).jet;
            let rows = jet.p[0].0.map(DVec3::from_array);
            let at = DVec3::from_array(jet.x[0].0) + self.world.origin_m;
            DAffine3::from_mat3_translation(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), at)
        };
        Ok((0..motion.joints.len()).map(pose).collect())
    }

    /// How swept volumes are tested: what was asked for, or what the automatic choice came to.
    pub fn sweep(&self) -> Sweep {
        let usual = if self.flow.is_some() { Sweep::Compute } else { Sweep::Off };
        match self.options.sweep {
            Sweep::Auto => self.form.get().copied().unwrap_or(usual),
            asked => asked,
        }
    }

    /// The form of the motion bounds.
    pub fn bound(&self) -> BoundForm {
        self.options.bound
    }
}

/// Takes verdicts in the order of the motions.
type Deliver<'a> = dyn FnMut(Vec<Verdict>, &mut Stats) -> Result<()> + 'a;
