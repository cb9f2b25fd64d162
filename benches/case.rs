//! The benchmarks' cases: the Puma in the machine room, motions of up to 30° per joint that start free.

use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::{ChunkInput, GpuPipeline};
use firstcontact::engine::{Backend, Engine, Options, Stage};
use firstcontact::robot::{MotionBatch, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s1_concat::Poses;
use firstcontact::stage::s2_bound::Boxes;
use firstcontact::stage::{Candidate, Piece, s1_concat, s2_bound, s3_cull, s5_pairs};
use firstcontact::verdict::Verdict;
use firstcontact_datasets::{DEFAULT_SEED, Dataset};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// A robot and a scene.
pub fn set(name: &str) -> (Robot, Scene) {
    let set = Dataset::generate(name, DEFAULT_SEED, 1).expect("the data set is known");
    let scene = set.scene().expect("it is finite").expect("it has a scene");
    (set.robot().expect("it is a robot"), scene)
}

/// `n` motions that start free; every joint turns by up to `degrees`.
pub fn motions(robot: &Robot, scene: &Scene, n: usize, degrees: f64) -> MotionBatch {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let engine = Engine::builder(robot, scene).backend(Backend::Cpu).build().expect("it builds");
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    while starts.len() < n {
        let mut row =
            || robot.columns.iter().map(|_| (2.0 * unit() - 1.0) * std::f64::consts::PI).collect::<Vec<f64>>();
        let tried: Vec<Vec<f64>> = (0..4 * n).map(|_| row()).collect();
        let still = MotionBatch::between(&tried, &tried).expect("rows of one length");
        let verdicts = engine.check(&still).expect("it runs").verdicts;
        for (start, verdict) in tried.into_iter().zip(verdicts) {
            if verdict == Verdict::Free && starts.len() < n {
                ends.push(start.iter().map(|q| q + (2.0 * unit() - 1.0) * degrees.to_radians()).collect::<Vec<f64>>());
                starts.push(start);
            }
        }
    }
    MotionBatch::between(&starts, &ends).expect("rows of one length")
}

/// The inputs of all stages.
pub struct Case {
    pub world: CollisionWorld,
    pub motions: Vec<RobotMotion>,
    pub pieces: Vec<Piece>,
    pub poses: Poses,
    pub boxes: Boxes,
    pub candidates: Vec<Candidate>,
}

/// 64 motions of the Puma in the machine room.
pub fn case() -> Case {
    let (robot, scene) = set("amr");
    case_of(&robot, &scene)
}

/// 64 motions of a robot in a scene.
pub fn case_of(robot: &Robot, scene: &Scene) -> Case {
    let batch = motions(robot, scene, 64, 30.0);
    let world = CollisionWorld::new(robot, scene, &[]).expect("it is near");
    let motions: Vec<RobotMotion> =
        (0..batch.len()).map(|i| RobotMotion::new(robot, batch.start(i), batch.end(i)).expect("it fits")).collect();
    let pieces: Vec<Piece> = motions.iter().enumerate().flat_map(|(i, m)| Piece::cut(i as u32, m)).collect();
    let poses = s1_concat::reference(&pieces, &motions, PoseEnclosure::TaylorModel);
    let boxes = s2_bound::reference(&world, &pieces, &poses);
    let candidates = s3_cull::reference(&world, &pieces, &boxes);
    Case { world, motions, pieces, poses, boxes, candidates }
}

impl Case {
    pub fn chunk(&self) -> ChunkInput<'_> {
        ChunkInput { pieces: self.pieces.clone(), motions: &self.motions }
    }

    /// The input of `s5_pairs`.
    pub fn pair_input(&self) -> s5_pairs::Input<'_> {
        s5_pairs::Input {
            world: &self.world,
            obb_trees: None,
            pieces: &self.pieces,
            poses: &self.poses,
            boxes: &self.boxes,
            candidates: &self.candidates,
            courses: None,
        }
    }

    /// The pipeline on the best adapter, with all stages before `stage` executed; `None` if there is no adapter.
    pub fn pipeline(&self, stage: Stage) -> Option<GpuPipeline> {
        self.pipeline_with(&Options::default(), stage)
    }

    /// Like [`pipeline`](Self::pipeline), with the given options.
    pub fn pipeline_with(&self, options: &Options, stage: Stage) -> Option<GpuPipeline> {
        let mut pipeline = match GpuPipeline::new(Arc::new(self.world.clone()), options, false) {
            Ok(pipeline) => pipeline,
            Err(e) => {
                println!("no adapter: {e}");
                return None;
            }
        };
        pipeline.upload_chunk(&self.chunk(), 0).expect("it fits");
        for before in Stage::ALL.into_iter().take_while(|s| *s != stage) {
            pipeline.run_stage(&self.chunk(), 0, before).expect("it runs");
        }
        Some(pipeline)
    }
}

/// Measures the CPU reference and the kernel of a stage; `pieces` is the number of pieces of one run.
pub fn compare(
    criterion: &mut criterion::Criterion,
    case: &Case,
    stage: Stage,
    mut reference: impl FnMut(),
    again: impl Fn(&mut GpuPipeline),
) {
    let mut group = criterion.benchmark_group(stage.stem());
    group.throughput(criterion::Throughput::Elements(case.pieces.len() as u64));
    group.sample_size(20);
    group.bench_function("reference", |b| b.iter(&mut reference));
    if let Some(mut pipeline) = case.pipeline(stage) {
        let name = pipeline.gpu().summary().name.clone();
        group.bench_function(format!("kernel, {name}"), |b| {
            b.iter(|| {
                again(&mut pipeline);
                pipeline.run_stage(&case.chunk(), 0, stage).expect("it runs");
            });
        });
    }
    group.finish();
}
