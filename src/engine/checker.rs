//! What an engine and its streams share: the world, the device, and how a batch of motions goes through them.

use super::cpu::Workspaces;
use super::feed::Feed;
use super::gpu::GpuFlow;
use super::{Options, Stats, Sweep};
use crate::error::{Error, ErrorKind, Result};
use crate::gpu::{AdapterSummary, Faults};
use crate::model::world::World;
use crate::motion::{ModelMotion, Motions};
use crate::numeric::pose_bound::BoundForm;
use crate::verdict::Verdict;
use glam::{DAffine3, DMat3, DVec3};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

#[derive(Debug)]
pub(super) struct Checker {
    pub(super) world: World,
    pub(super) options: Options,
    pub(super) flow: Option<Mutex<GpuFlow>>,
    pub(super) adapter: Option<AdapterSummary>,
    pub(super) pool: rayon::ThreadPool,
    pub(super) build_s: f64,
    pub(super) note: Option<String>,
    /// The form of swept-volume culling that was found best.
    pub(super) form: OnceLock<Sweep>,
    pub(super) workspaces: Workspaces,
}

/// Takes verdicts in the order of the motions.
pub(super) type Deliver<'a> = dyn FnMut(Vec<Verdict>, &mut Stats) -> Result<()> + 'a;

impl Checker {
    pub(super) fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// See [`Engine::check_portions`](super::Engine::check_portions).
    pub(super) fn check(
        &self,
        portions: &mut dyn Iterator<Item = Result<Motions>>,
        sink: &mut dyn FnMut(usize, Verdict) -> Result<()>,
    ) -> Result<Stats> {
        let start = Instant::now();
        let mut stats = Stats { build_s: self.build_s, ..Stats::default() };
        let mut feed = Feed::new(portions, self.world.robot.columns.len());
        let mut next = 0;
        let mut deliver = |verdicts: Vec<Verdict>, stats: &mut Stats| {
            for verdict in verdicts {
                stats.count(&verdict);
                sink(next, verdict)?;
                next += 1;
            }
            Ok(())
        };
        if self.has_nothing() {
            // Nothing can touch; but what is not a motion is still an error.
            while let Some(batch) = feed.take(1)? {
                self.motion(&batch.motions, 0, batch.first)?;
                deliver(vec![Verdict::Free], &mut stats)?;
            }
        } else if let Some(flow) = &self.flow {
            let mut flow = flow.lock().map_err(|_| Error::new(ErrorKind::Gpu, "an earlier check failed"))?;
            if flow.gpu().check().is_err() {
                // The device was lost in an earlier check.
                let adapter = self.adapter.as_ref().map(|adapter| adapter.name.clone());
                let options = Options { adapter, faults: Faults::default(), ..self.options.clone() };
                *flow = GpuFlow::new(&self.world, &options, false)?;
            }
            let before = flow.gpu().created();
            let checked = self.check_on_gpu(&mut flow, &mut feed, &mut deliver, &mut stats);
            checked.map_err(|e| if e.kind() == ErrorKind::Gpu { flow.gpu().give_up(&e) } else { e })?;
            stats.device_objects = flow.gpu().created() - before;
        } else {
            self.check_on_cpu(&mut feed, &mut deliver, &mut stats)?;
        }
        stats.wall_s = start.elapsed().as_secs_f64();
        Ok(stats)
    }

    /// Whether there is nothing that could touch.
    pub(super) fn has_nothing(&self) -> bool {
        self.world.links.is_empty() || self.world.scene.triangles.is_empty()
    }

    /// Motion `i` of some whose first has the number `first`.
    pub(super) fn motion(&self, motions: &Motions, i: usize, first: usize) -> Result<ModelMotion> {
        let mut motion = ModelMotion::default();
        self.set_motion(&mut motion, motions, i, first)?;
        Ok(motion)
    }

    /// The same in the memory of another one.
    pub(super) fn set_motion(&self, to: &mut ModelMotion, motions: &Motions, i: usize, first: usize) -> Result<()> {
        let (start, end) = (motions.start(i), motions.end(i));
        to.set(&self.world.robot, start, end).map_err(|e| e.at(format!("motion {}", first + i)))?;
        to.set_margin(self.options.solve.margin_m);
        if self.options.bound == BoundForm::Toleranced {
            to.set_sizes(self.world.links.iter().map(|link| (link.body, link.reach_m)));
        }
        Ok(())
    }

    /// See [`Engine::body_poses`](super::Engine::body_poses).
    pub(super) fn body_poses(&self, motions: &Motions, i: usize, t: f64) -> Result<Vec<DAffine3>> {
        let motion = self.motion(motions, i, 0)?;
        let pose = |body: usize| {
            let jet = motion.body_bound(body as u32, t, 0.0).jet;
            let rows = jet.p[0].0.map(DVec3::from_array);
            let at = DVec3::from_array(jet.x[0].0) + self.world.origin_m;
            DAffine3::from_mat3_translation(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose(), at)
        };
        Ok((0..motion.joints.len()).map(pose).collect())
    }
}
