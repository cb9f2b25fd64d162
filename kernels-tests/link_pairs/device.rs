//! Links against links on an adapter.

use super::case::Case;
use super::random::{self, Kinds};
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::gpu_backend::{ChunkInput, GpuPipeline};
use firstcontact::engine::{Backend, Capacities, Engine, Options, Stage, Stats};
use firstcontact::robot::{LinkPairs, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::layout::NearPair;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{Piece, TrianglePair};

/// A robot whose links are tested against each other, and some motions.
fn world(draw: &mut Draw, n_bodies: usize) -> (CollisionWorld, Vec<RobotMotion>) {
    let robot = models::robot(draw, RobotKind { n_bodies, link_m: 0.3, n_triangles: 5, mixed: true });
    let pairs = LinkPairs::all(&robot);
    let builder = Engine::builder(robot.clone(), Scene::new()).link_pairs(pairs).backend(Backend::Cpu);
    let world = builder.build().unwrap().world().clone();
    let motion = |i: usize| {
        let (q0, q1) = models::motion(draw, &robot, [0.0, 0.05, 0.6, 2.0][i % 4], 0.1);
        RobotMotion::new(&robot, &q0, &q1).unwrap()
    };
    let motions = (0..12).map(motion).collect();
    (world, motions)
}

fn chunk(motions: &[RobotMotion]) -> ChunkInput<'_> {
    let pieces = motions.iter().enumerate().flat_map(|(i, m)| Piece::cut(i as u32, m)).collect();
    ChunkInput { pieces, motions }
}

/// The pairs that the kernel `near` leaves, and those whose boxes on the device overlap.
fn near(pipeline: &mut GpuPipeline, world: &CollisionWorld, chunk: &ChunkInput) -> [Vec<NearPair>; 2] {
    pipeline.upload_chunk(chunk, 0).unwrap();
    pipeline.run_stage(chunk, 0, Stage::Concat).unwrap();
    pipeline.run_stage(chunk, 0, Stage::Bound).unwrap();
    let boxes = pipeline.boxes(chunk, 0).unwrap();
    let mut expected = Vec::new();
    for piece in 0..chunk.pieces.len() {
        let partners = world.frames.iter().flat_map(|frame| frame.partners.iter().map(|&link| [frame.link, link]));
        for (pair, [a, b]) in (0..).zip(partners) {
            let mask = boxes.overlap(piece, a, b);
            if mask != 0 {
                expected.push(NearPair { piece: piece as u32, pair, mask });
            }
        }
    }
    [pipeline.near_pairs(0).unwrap(), expected]
}

#[test]
fn pairs_whose_boxes_overlap_are_near() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(31);
    let (mut n, mut n_pairs) = (0, 0);
    for n_bodies in [2, 5, 9] {
        let (world, motions) = world(&mut draw, n_bodies);
        let mut pipeline = mutated_pipeline(&world, &Options::default(), None);
        let chunk = chunk(&motions);
        let [found, expected] = near(&mut pipeline, &world, &chunk);
        assert_eq!(found, expected);
        n += found.len();
        n_pairs += chunk.pieces.len() * world.frames.iter().map(|f| f.partners.len()).sum::<usize>();
    }
    assert!(n > 100 && n < n_pairs, "{n} of {n_pairs}");
}

/// A kernel that compares one side of the boxes only leaves other pairs.
#[test]
fn the_kernel_compares_both_sides_of_boxes() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(32);
    let (world, motions) = world(&mut draw, 6);
    let mutant = Mutant { old: " | (boxes_in[b + lo] > boxes_in[a + 12u + lo])", new: "" };
    let mut pipeline = mutated_pipeline(&world, &Options::default(), Some(mutant));
    let [found, expected] = near(&mut pipeline, &world, &chunk(&motions));
    assert_ne!(found, expected);
}

/// The pairs of triangles of each motion, piece by piece; `None` for a motion that is left to the CPU.
fn pairs(case: &(CollisionWorld, Vec<RobotMotion>), capacities: Option<Capacities>) -> Vec<Option<Pairs>> {
    let (world, motions) = case;
    let mut options = Options { capacities, ..Options::default() };
    // Without limits the output contains every pair.
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = mutated_pipeline(world, &options, None);
    let chunk = chunk(motions);
    let started = pipeline.start(&chunk, 0).unwrap();
    let output = pipeline.finish(&chunk, started, &mut Stats::default()).unwrap();
    let of_motion = |m: usize| {
        let (pieces, _) = output.links.of_motion(m)?;
        let own = (0..chunk.pieces.len()).filter(|&i| chunk.pieces[i].motion == m as u32);
        Some(own.map(|i| pieces[i].iter().map(|pair| (pair.frame, pair.pair)).collect()).collect())
    };
    (0..motions.len()).map(of_motion).collect()
}

/// For each piece of a motion the pairs of triangles, each with its frame.
type Pairs = Vec<Vec<(u32, TrianglePair)>>;

#[test]
fn overflowing_queues_lose_nothing() {
    if skip() {
        return;
    }
    let case = world(&mut Draw::new(33), 12);
    let ample = pairs(&case, None);
    let n: usize = ample.iter().flatten().flatten().map(Vec::len).sum();
    assert!(n > 50 && ample.iter().all(Option::is_some), "{n}");
    let roomy = Capacities { pieces: 100, boxes: 1 << 10, queue: 1 << 16, candidates: 1 << 16, pairs: 1 << 16 };
    assert_eq!(pairs(&case, Some(roomy)), ample);
    let mut n_left = 0;
    for size in [1000, 200, 40, 8, 1] {
        let sizes = [
            Capacities { queue: size, ..roomy },
            Capacities { candidates: size, ..roomy },
            Capacities { pairs: size, ..roomy },
        ];
        for capacities in sizes {
            let found = pairs(&case, Some(capacities));
            for (found, all) in found.iter().zip(&ample) {
                assert!(found.is_none() || found == all, "{capacities:?}");
            }
            n_left += found.iter().filter(|found| found.is_none()).count();
        }
    }
    assert!(n_left > 0, "no queue was too small");
}

/// Random mechanisms on an adapter: nothing is searched on the CPU.
#[test]
fn link_pairs_are_searched_on_the_device() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(1100);
    let mechanism = random::mechanism(&mut draw, Kinds::All);
    let case = Case::new(&mechanism);
    let (_, motions) = random::motions(&mut draw, &mechanism, &case, 25);
    let stats = case.check(&motions, &["--backend", "gpu"]).stats;
    assert!(stats["links"]["near"].as_u64().is_some_and(|n| n > 0), "{stats}");
    assert_eq!(stats["links"]["search"]["bound_tests"], 0, "{stats}");
}
