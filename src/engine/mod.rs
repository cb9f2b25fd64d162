//! The engine: a robot and a scene, made ready once, then asked about any number of motions.

mod cpu;
pub mod gpu;
mod options;
mod stats;

pub use options::{Backend, Capacities, Options, Stage};
pub use stats::{SolveSummary, StageStats, Stats};

use crate::error::{Error, ErrorKind, Result};
use crate::gpu::AdapterSummary;
use crate::model::robot::Robot;
use crate::model::scene::Scene;
use crate::model::world::World;
use crate::motion::{ModelMotion, Motions};
use crate::numeric::pose_bound::BoundForm;
use crate::stage::Piece;
use crate::stage::s6_solve::{Initial, Solver};
use crate::verdict::{Reason, Undecided, Verdict};
use gpu::{ChunkInput, ChunkOutput, GpuFlow, SETS, Started};
use rayon::prelude::*;
use std::sync::Mutex;
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
}

/// What a check gave.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The answers, motion by motion.
    pub verdicts: Vec<Verdict>,
    /// What the stages did.
    pub stats: Stats,
}

/// Collects what an engine needs.
#[derive(Clone, Debug)]
pub struct EngineBuilder<'a> {
    robot: &'a Robot,
    scene: &'a Scene,
    allowed: Vec<(u32, u32)>,
    options: Options,
}

impl EngineBuilder<'_> {
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

    /// All options at once.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Builds the trees and opens the device.
    ///
    /// # Errors
    /// A coordinate is too far away, or there is no adapter where one is asked for.
    pub fn build(self) -> Result<Engine> {
        let start = Instant::now();
        let tolerance = self.options.solve.tolerance;
        if !(tolerance > 0.0 && tolerance <= 1.0) {
            return Err(Error::usage(format!("a tolerance of {tolerance} is not between 0 and 1")));
        }
        let world = World::new(self.robot, self.scene, &self.allowed)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.options.threads)
            .build()
            .map_err(|e| Error::usage(format!("{} threads: {e}", self.options.threads)))?;
        let (flow, note) = match self.options.backend {
            Backend::Cpu => (None, None),
            Backend::Gpu => (Some(GpuFlow::new(&world, &self.options, false)?), None),
            Backend::Auto => match GpuFlow::new(&world, &self.options, self.options.adapter.is_none()) {
                Ok(flow) => (Some(flow), None),
                Err(e) if self.options.adapter.is_some() => return Err(e),
                Err(e) => (None, Some(format!("running on the CPU: {e}"))),
            },
        };
        let (options, flow) = (self.options, flow.map(Mutex::new));
        Ok(Engine { world, options, flow, pool, build_s: start.elapsed().as_secs_f64(), note })
    }
}

impl Engine {
    /// An engine for a robot in a scene.
    pub fn builder<'a>(robot: &'a Robot, scene: &'a Scene) -> EngineBuilder<'a> {
        EngineBuilder { robot, scene, allowed: Vec::new(), options: Options::default() }
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
        ModelMotion::new(&self.world.robot, motions.start(i), motions.end(i)).map_err(|e| e.at(format!("motion {i}")))
    }

    fn check_on_cpu(&self, motions: &Motions, deliver: &mut Deliver, stats: &mut Stats) -> Result<()> {
        // So many at a time that no thread waits long for another, and no answer waits long for the sink.
        let batch = 64 * self.threads();
        for first in (0..motions.len()).step_by(batch) {
            let range = first..(first + batch).min(motions.len());
            let solver = || Solver::new(&self.world, self.options.solve);
            let results: Vec<(Verdict, Stats)> = self.pool.install(|| {
                range
                    .into_par_iter()
                    .map_init(solver, |s, i| cpu::check(&self.world, &self.options, self.motion(motions, i)?, s))
                    .collect::<Result<_>>()
            })?;
            let mut verdicts = Vec::with_capacity(results.len());
            for (verdict, part) in results {
                stats.add(&part);
                verdicts.push(verdict);
            }
            deliver(verdicts, stats)?;
        }
        Ok(())
    }

    fn check_on_gpu(
        &self,
        flow: &mut GpuFlow,
        motions: &Motions,
        deliver: &mut Deliver,
        stats: &mut Stats,
    ) -> Result<()> {
        let mut on_device: Option<(Part, Started)> = None;
        let (mut first, mut set) = (0, 0);
        while first < motions.len() {
            let part = self.part(motions, first, flow.chunk_pieces())?;
            first += part.motions.len();
            stats.pieces += part.pieces.len() as u64;
            if part.pieces.len() > flow.chunk_pieces() {
                // One motion of very many turns.
                if let Some((part, started)) = on_device.take() {
                    let output = flow.finish(&self.world, &self.options, &part.input(), started, stats)?;
                    deliver(self.solve(&part, output, stats), stats)?;
                }
                let verdict = self.check_long(flow, &part, stats)?;
                deliver(vec![verdict], stats)?;
                continue;
            }
            if !self.options.reference.is_empty() {
                let output = flow.run_mixed(&self.world, &self.options, &part.input(), stats)?;
                deliver(self.solve(&part, output, stats), stats)?;
                continue;
            }
            let started = flow.start(&self.world, &part.input(), set)?;
            set = (set + 1) % SETS;
            if let Some((part, started)) = on_device.replace((part, started)) {
                let output = flow.finish(&self.world, &self.options, &part.input(), started, stats)?;
                deliver(self.solve(&part, output, stats), stats)?;
            }
        }
        if let Some((part, started)) = on_device {
            let output = flow.finish(&self.world, &self.options, &part.input(), started, stats)?;
            deliver(self.solve(&part, output, stats), stats)?;
        }
        Ok(())
    }

    /// One motion with more pieces than a chunk may have: chunk after chunk, until the answer is known.
    fn check_long(&self, flow: &mut GpuFlow, part: &Part, stats: &mut Stats) -> Result<Verdict> {
        let mut solver = Solver::new(&self.world, self.options.solve);
        solver.begin();
        for pieces in part.pieces.chunks(flow.chunk_pieces()) {
            let input = ChunkInput { pieces: pieces.to_vec(), motions: &part.motions };
            let output = if self.options.reference.is_empty() {
                let started = flow.start(&self.world, &input, 0)?;
                flow.finish(&self.world, &self.options, &input, started, stats)?
            } else {
                flow.run_mixed(&self.world, &self.options, &input, stats)?
            };
            for (piece, pairs) in pieces.iter().zip(&output.pairs) {
                let Some(pairs) = pairs else {
                    return Ok(Verdict::Undecided(Undecided { clear_until: piece.t0, reason: Reason::Memory }));
                };
                if solver.feed(&part.motions[0], piece, pairs) {
                    return Ok(solver.finish());
                }
            }
        }
        Ok(solver.finish())
    }

    /// The motions from `first` on whose pieces fill a chunk, at least one.
    fn part(&self, motions: &Motions, first: usize, max_pieces: usize) -> Result<Part> {
        let mut part = Part::default();
        while first + part.motions.len() < motions.len() {
            let motion = self.motion(motions, first + part.motions.len())?;
            let pieces = Piece::cut(part.motions.len() as u32, &motion);
            part.pieces.extend(pieces);
            if part.pieces.len() > max_pieces && !part.motions.is_empty() {
                let number = part.motions.len() as u32;
                part.pieces.retain(|p| p.motion < number);
                break;
            }
            part.motions.push(motion);
            if part.pieces.len() >= max_pieces {
                break;
            }
        }
        Ok(part)
    }

    /// The exact stage for a chunk.
    fn solve(&self, part: &Part, output: ChunkOutput, stats: &mut Stats) -> Vec<Verdict> {
        let mut starts = vec![0usize; part.motions.len() + 1];
        for piece in &part.pieces {
            starts[piece.motion as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let solver = || Solver::new(&self.world, self.options.solve);
        let solved: Vec<(Verdict, Stats)> = self.pool.install(|| {
            (0..part.motions.len())
                .into_par_iter()
                .map_init(solver, |solver, m| {
                    let clock = Instant::now();
                    let (before, mut stats, mut lost) = (solver.counts(), Stats::default(), None);
                    solver.begin();
                    for i in starts[m]..starts[m + 1] {
                        let Some(pairs) = &output.pairs[i] else {
                            lost = Some(part.pieces[i].t0);
                            break;
                        };
                        stats.stage(Stage::Solve).items_in += pairs.len() as u64;
                        if solver.feed(&part.motions[m], &part.pieces[i], pairs) {
                            break;
                        }
                    }
                    let verdict = match lost {
                        Some(clear_until) => Verdict::Undecided(Undecided { clear_until, reason: Reason::Memory }),
                        None => solver.finish(),
                    };
                    stats.add_solving(before, solver);
                    stats.stage(Stage::Solve).seconds += clock.elapsed().as_secs_f64();
                    (verdict, stats)
                })
                .collect()
        });
        solved
            .into_iter()
            .map(|(verdict, part)| {
                stats.add(&part);
                verdict
            })
            .collect()
    }

    /// The form of the motion bounds.
    pub fn bound(&self) -> BoundForm {
        self.options.bound
    }
}

type Deliver<'a> = dyn FnMut(Vec<Verdict>, &mut Stats) -> Result<()> + 'a;

/// Motions that go to the device together.
#[derive(Debug, Default)]
struct Part {
    motions: Vec<ModelMotion>,
    pieces: Vec<Piece>,
}

impl Part {
    fn input(&self) -> ChunkInput<'_> {
        ChunkInput { pieces: self.pieces.clone(), motions: &self.motions }
    }
}
