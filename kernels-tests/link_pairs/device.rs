//! Links against links on an adapter.

use super::case::Case;
use super::random::{self, Kinds};
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::oracle::chain;
use crate::oracle::triangles::on_segments;
use crate::random_models::model;
use firstcontact::engine::gpu_backend::{ChunkInput, GpuPipeline};
use firstcontact::engine::{Backend, Capacities, Engine, Options, Stage, Stats};
use firstcontact::robot::{LinkPairs, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::layout::NearPair;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{Piece, SUBS, TrianglePair};

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

/// The sub-intervals of each pair of links: those that the kernel `near` leaves, and those in which the boxes on the
/// device overlap.
fn near(pipeline: &mut GpuPipeline, world: &CollisionWorld, chunk: &ChunkInput) -> Vec<(NearPair, u32)> {
    pipeline.upload_chunk(chunk, 0).unwrap();
    pipeline.run_stage(chunk, 0, Stage::Concat).unwrap();
    pipeline.run_stage(chunk, 0, Stage::Bound).unwrap();
    let boxes = pipeline.boxes(chunk, 0).unwrap();
    let left = pipeline.near_pairs(0).unwrap();
    let mut all = Vec::new();
    for piece in 0..chunk.pieces.len() as u32 {
        for (pair, [a, b]) in (0..).zip(partners(world)) {
            let of_pair = left.iter().find(|near| (near.piece, near.pair) == (piece, pair));
            let mask = of_pair.map_or(0, |near| near.mask);
            all.push((NearPair { piece, pair, mask }, boxes.overlap(piece as usize, a, b)));
        }
    }
    assert_eq!(all.iter().filter(|(near, _)| near.mask != 0).count(), left.len(), "a pair is listed twice");
    all
}

/// The links of each pair.
fn partners(world: &CollisionWorld) -> impl Iterator<Item = [u32; 2]> + '_ {
    world.frames.iter().flat_map(|frame| frame.partners.iter().map(|&link| [frame.link, link]))
}

/// Faults of the kernel `near`: sub-intervals that it keeps although the boxes are apart, and sub-intervals without
/// which line-swept spheres overlap at a sampled time; and the number of those that it drops because of the spheres.
fn faults(world: &CollisionWorld, chunk: &ChunkInput, near: &[(NearPair, u32)]) -> (usize, usize) {
    let pairs: Vec<_> = partners(world).collect();
    let chains: Vec<_> = chunk.motions.iter().map(model::chains).collect();
    let (mut faults, mut dropped) = (0, 0);
    for (of_pair, overlap) in near {
        faults += usize::from(of_pair.mask & !overlap != 0);
        let piece = &chunk.pieces[of_pair.piece as usize];
        let chains = &chains[piece.motion as usize];
        let links = pairs[of_pair.pair as usize].map(|link| &world.links[link as usize]);
        for sub in (0..SUBS).filter(|sub| (overlap & !of_pair.mask) >> sub & 1 == 1) {
            dropped += 1;
            let [from, until] = piece.sub(sub);
            let overlaps = |i: i32| {
                let t = from + (until - from) * f64::from(i) / 8.0;
                let [[a, b], [c, d]] = links
                    .map(|link| [link.lss.a, link.lss.b].map(|p| chain::position(&chains[link.body as usize], t, p)));
                let (p, q) = on_segments(a, b, c, d);
                p.distance(q) < links[0].lss.radius + links[1].lss.radius
            };
            faults += usize::from((0..=8).any(overlaps));
        }
    }
    (faults, dropped)
}

#[test]
fn dropped_pairs_have_boxes_or_spheres_that_are_apart() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(31);
    let (mut n, mut n_pairs, mut all_dropped) = (0, 0, 0);
    for n_bodies in [2, 5, 9] {
        let (world, motions) = world(&mut draw, n_bodies);
        let mut pipeline = mutated_pipeline(&world, &Options::default(), None);
        let chunk = chunk(&motions);
        let near = near(&mut pipeline, &world, &chunk);
        let (faults, dropped) = faults(&world, &chunk, &near);
        assert_eq!(faults, 0);
        n += near.iter().filter(|(near, _)| near.mask != 0).count();
        n_pairs += near.len();
        all_dropped += dropped;
    }
    println!("{n} of {n_pairs} pairs are left, {all_dropped} sub-intervals dropped because of spheres");
    assert!(n > 100 && n < n_pairs && all_dropped > 100, "{n} of {n_pairs}, {all_dropped}");
}

#[test]
fn mutants_of_the_kernel_near_are_caught() {
    if skip() {
        return;
    }
    let mutants = [
        (" | (boxes_in[b + lo] > boxes_in[a + 12u + lo])", ""),
        ("abs(dot3(n, p.c1 - q.c1)) * h", "0.0"),
        ("x.radius + max(x.a.ball, x.b.ball)", "0.0"),
        ("min(lowest_apart(n, x.b, y.a, h), lowest_apart(n, x.b, y.b, h))", "lowest_apart(n, x.b, y.a, h)"),
        ("lss_of(piece, pair.y, sub)", "lss_of(piece, pair.y, 0u)"),
    ];
    for (old, new) in mutants {
        let caught = (32..40).any(|seed| {
            let (world, motions) = world(&mut Draw::new(seed), 6);
            let mut pipeline = mutated_pipeline(&world, &Options::default(), Some(Mutant { old, new }));
            let chunk = chunk(&motions);
            let near = near(&mut pipeline, &world, &chunk);
            faults(&world, &chunk, &near).0 > 0
        });
        assert!(caught, "{old}");
    }
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
