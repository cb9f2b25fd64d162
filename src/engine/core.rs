//! The state that an engine shares with its iterators, and the path of motions through it.

use super::autotune::ChosenSweeps;
use super::cpu_backend::CpuStages;
use super::motion_queue::MotionQueue;
use super::workers::Workers;
use super::{Options, Stats, Sweep};
use crate::bvh::obb_tree::ObbTrees;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::gpu::AdapterSummary;
use crate::robot::{MotionBatch, Robot, RobotMotion};
use crate::scene::world::CollisionWorld;
use crate::verdict::Verdict;
use glam::{DAffine3, DMat3, DVec3};
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug)]
pub(super) struct EngineCore {
    /// The robot as given; the robot of the world is relative to another origin.
    pub(super) robot: Arc<Robot>,
    pub(super) world: Arc<CollisionWorld>,
    /// Trees of oriented boxes, if `s5_pairs` uses them.
    pub(super) obb_trees: Option<Arc<ObbTrees>>,
    pub(super) options: Options,
    /// The adapters on which the culling stages run; none if they run on the CPU.
    #[cfg(feature = "gpu")]
    pub(super) pipelines: Vec<std::sync::Mutex<super::gpu_backend::GpuPipeline>>,
    #[cfg(feature = "gpu")]
    pub(super) adapters: Vec<AdapterSummary>,
    pub(super) workers: Workers,
    pub(super) build_s: f64,
    /// The reason why the automatic backend runs on the CPU.
    pub(super) fallback_reason: Option<String>,
    pub(super) chosen_sweeps: ChosenSweeps,
}

/// Receives verdicts in the order of the motions.
pub(super) type Deliver<'a> = dyn FnMut(Vec<Verdict>, &mut Stats) -> Result<()> + 'a;

impl EngineCore {
    pub(super) fn threads(&self) -> usize {
        self.workers.pool.current_num_threads()
    }

    /// Returns whether the culling stages run on an adapter.
    pub(super) fn has_gpu(&self) -> bool {
        #[cfg(feature = "gpu")]
        return !self.pipelines.is_empty();
        #[cfg(not(feature = "gpu"))]
        false
    }

    /// Returns whether the culling stages run on the CPU if there are `n_motions`.
    pub(super) fn uses_cpu(&self, n_motions: usize) -> bool {
        !self.has_gpu() || n_motions < self.options.min_device_motions()
    }

    /// The stages on the CPU with a form of swept-volume culling.
    pub(super) fn cpu_stages(&self, sweep: Sweep) -> CpuStages<'_> {
        CpuStages { world: &self.world, obb_trees: self.obb_trees.as_deref(), options: &self.options, sweep }
    }

    /// See [`Engine::check_portions`](super::Engine::check_portions).
    pub(super) fn check(
        &self,
        portions: &mut dyn Iterator<Item = Result<MotionBatch>>,
        sink: &mut dyn FnMut(usize, Verdict) -> Result<()>,
    ) -> Result<Stats> {
        let start = Instant::now();
        let mut stats = Stats { build_s: self.build_s, ..Stats::default() };
        let mut queue = MotionQueue::new(portions, self.world.robot.columns.len());
        let mut next = 0;
        let mut deliver = |verdicts: Vec<Verdict>, stats: &mut Stats| {
            for verdict in verdicts {
                stats.count(&verdict);
                sink(next, verdict)?;
                next += 1;
            }
            Ok(())
        };
        if self.is_trivially_free() {
            // Nothing can touch, but an invalid motion is still an error.
            while let Some(batch) = queue.next_batch(1)? {
                self.motion(&batch.motions, 0, batch.first)?;
                deliver(vec![Verdict::Free], &mut stats)?;
            }
        } else {
            self.check_on_backend(&mut queue, &mut deliver, &mut stats)?;
        }
        stats.wall_s = start.elapsed().as_secs_f64();
        Ok(stats)
    }

    #[cfg(feature = "gpu")]
    fn check_on_backend(&self, queue: &mut MotionQueue, deliver: &mut Deliver, stats: &mut Stats) -> Result<()> {
        if self.uses_cpu(queue.read_ahead(self.options.min_device_motions())) {
            return self.check_on_cpu(queue, deliver, stats);
        }
        self.check_on_gpu(&self.pipelines, queue, deliver, stats)
    }

    #[cfg(not(feature = "gpu"))]
    fn check_on_backend(&self, queue: &mut MotionQueue, deliver: &mut Deliver, stats: &mut Stats) -> Result<()> {
        self.check_on_cpu(queue, deliver, stats)
    }

    /// Returns whether there is no pair that could touch.
    pub(super) fn is_trivially_free(&self) -> bool {
        let no_scene = self.world.links.is_empty() || self.world.scene.triangles.is_empty();
        no_scene && self.world.frames.is_empty()
    }

    /// Motion `i` of a batch whose first motion has the index `first`.
    pub(super) fn motion(&self, motions: &MotionBatch, i: usize, first: usize) -> Result<RobotMotion> {
        let mut motion = RobotMotion::default();
        self.set_motion(&mut motion, motions, i, first)?;
        Ok(motion)
    }

    /// [`motion`](Self::motion), reusing the memory of another motion.
    pub(super) fn set_motion(&self, to: &mut RobotMotion, motions: &MotionBatch, i: usize, first: usize) -> Result<()> {
        let (start, end) = (motions.start(i), motions.end(i));
        to.set(&self.world.robot, start, end).map_err(|e| e.at(format!("motion {}", first + i)))?;
        to.set_margin(self.options.solve.margin_m);
        if motions.are_spans() {
            to.set_deviations(motions.deviations(i).iter().copied());
        }
        if self.options.bound == PoseEnclosure::DisplacementBall {
            to.set_sizes(self.world.links.iter().map(|link| (link.body, link.reach_m)));
        }
        Ok(())
    }

    /// See [`Engine::body_poses`](super::Engine::body_poses).
    pub(super) fn body_poses(&self, motions: &MotionBatch, i: usize, t: f64) -> Result<Vec<DAffine3>> {
        let motion = self.motion(motions, i, 0)?;
        // The common root of several robots is the world itself.
        let n_world = self.robot.roots()[0] as usize;
        let pose = |body: usize| {
            let jet = motion.body_bound(body as u32, t, 0.0).jet;
            let rows = jet.p[0].0.map(DVec3::from_array);
            let shift_m = if body < n_world { DVec3::ZERO } else { self.world.origin_m };
            let origin_m = DVec3::from_array(jet.x[0].0) + shift_m;
            DAffine3::from_mat3_translation(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), origin_m)
        };
        Ok((0..motion.joints.len()).map(pose).collect())
    }
}
