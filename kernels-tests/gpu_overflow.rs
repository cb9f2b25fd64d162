//! Queues that are too small cost repetitions, never an answer; dispatches that exceed one dimension are split.

use crate::effort;
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Capacities, Options, Stage, Stats};
use firstcontact::gpu::BufferId;
use firstcontact::robot::RobotMotion;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::layout::Counters;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{ALL_SUBS, Candidate, Piece, TrianglePair};

struct Case {
    world: CollisionWorld,
    motions: Vec<RobotMotion>,
    pieces: Vec<Piece>,
}

fn case(seed: u64) -> Case {
    let mut draw = Draw::new(seed);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 4, link_m: 0.4, n_triangles: 20, mixed: true });
    let scene = models::scene(&mut draw, 300, 1.0, 0.15);
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let (mut motions, mut pieces) = (Vec::new(), Vec::new());
    for i in 0..12 {
        let (q0, q1) = models::motion(&mut draw, &robot, 0.8, 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        pieces.extend(Piece::cut(i, &motion));
        motions.push(motion);
    }
    Case { world, motions, pieces }
}

/// The pairs of each piece, in order, and the number of pieces that were repeated.
fn run(case: &Case, capacities: Option<Capacities>, mutant: Option<Mutant>) -> (Vec<Vec<TrianglePair>>, u64) {
    let mut options = Options { capacities, ..Options::default() };
    // Without limits the output contains every pair.
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = mutated_pipeline(&case.world, &options, mutant);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    let started = pipeline.start(&chunk, 0).unwrap();
    let mut stats = Stats::default();
    let output = pipeline.finish(&chunk, started, &mut stats).unwrap();
    let pairs = output.pairs.into_iter().map(|pairs| {
        let mut pairs = pairs.unwrap();
        pairs.sort_unstable();
        pairs
    });
    (pairs.collect(), stats.stages[Stage::Cull as usize].retries)
}

/// The queue sizes at which nothing overflows.
fn exact_sizes(case: &Case) -> Capacities {
    let mut options = Options::default();
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = mutated_pipeline(&case.world, &options, None);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    let started = pipeline.start(&chunk, 0).unwrap();
    pipeline.finish(&chunk, started, &mut Stats::default()).unwrap();
    let [queue, candidates, pairs] = pipeline.demand(0).unwrap();
    Capacities { pieces: 100, boxes: 1 << 10, queue, candidates, pairs }
}

/// The link of a piece and the two triangles.
fn key(p: &TrianglePair) -> (u32, u32, u32) {
    (p.piece_link, p.link_triangle, p.scene_triangle)
}

/// The number of pairs that differ; a piece that finally ran on the CPU may keep a few pairs fewer or slices later.
fn missing(from: &[Vec<TrianglePair>], wanted: &[Vec<TrianglePair>]) -> usize {
    let mut missing = 0;
    for (have, want) in from.iter().zip(wanted) {
        let have: std::collections::HashSet<_> = have.iter().map(key).collect();
        missing += want.iter().filter(|p| !have.contains(&key(p))).count();
    }
    missing
}

/// The pairs that must not be dropped: those that both the kernels' twin in f64, whose tests round less, and the CPU's
/// search find. A piece that finally runs on the CPU is divided into finer times than on the adapter.
fn needed(case: &Case) -> Vec<Vec<TrianglePair>> {
    use firstcontact::enclosure::pose_bound::PoseEnclosure;
    use firstcontact::stage::{s1_concat, s2_bound, s3_cull, s5_pairs};
    let poses = s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel);
    let boxes = s2_bound::reference(&case.world, &case.pieces, &poses);
    let candidates = s3_cull::reference(&case.world, &case.pieces, &boxes);
    let (world, pieces) = (&case.world, case.pieces.as_slice());
    let input = s5_pairs::Input {
        world,
        obb_trees: None,
        pieces,
        poses: &poses,
        boxes: &boxes,
        candidates: &candidates,
        courses: None,
    };
    let pairs = s5_pairs::reference(&input, None, 1, usize::MAX).unwrap();
    let on_cpu = s5_pairs::search(&input, None, usize::MAX).0.unwrap();
    let on_cpu: std::collections::HashSet<_> = on_cpu.iter().map(key).collect();
    let mut out = vec![Vec::new(); case.pieces.len()];
    for p in pairs.into_iter().filter(|p| on_cpu.contains(&key(p))) {
        out[p.piece_link as usize / case.world.links.len()].push(p);
    }
    out
}

#[test]
fn overflowing_queues_lose_nothing() {
    if skip() {
        return;
    }
    let case = case(41);
    let (ample, retries) = run(&case, None, None);
    assert_eq!(retries, 0);
    let needed = needed(&case);
    assert_eq!(missing(&ample, &needed), 0);
    let exact = exact_sizes(&case);
    println!("exact sizes: {exact:?}");
    let Capacities { queue, candidates, pairs, .. } = exact;
    let (same, retries) = run(&case, Some(exact), None);
    assert!(same == ample && retries == 0);
    for (what, changed) in [
        ("queue", [queue - 1, queue / 2, 8, 1, 0].map(|n| Capacities { queue: n, ..exact })),
        ("candidates", [candidates - 1, candidates / 2, 8, 1, 0].map(|n| Capacities { candidates: n, ..exact })),
        ("pairs", [pairs - 1, pairs / 2, 8, 1, 0].map(|n| Capacities { pairs: n, ..exact })),
    ] {
        for capacities in changed {
            let (got, retries) = run(&case, Some(capacities), None);
            assert!(retries > 0, "{what}: {capacities:?}");
            assert_eq!(missing(&got, &needed), 0, "{what}: {capacities:?}");
        }
    }
}

/// After a short chunk the queues grow for a long one, which gives the same output as alone.
#[test]
fn queues_grow_with_the_chunks() {
    if skip() {
        return;
    }
    let case = case(41);
    let (ample, _) = run(&case, None, None);
    let mut options = Options::default();
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = mutated_pipeline(&case.world, &options, None);
    for times in effort([0, 1, 20, 3, 50], [0, 1, 90, 3, 200]) {
        let pieces = if times == 0 { case.pieces[..1].to_vec() } else { case.pieces.repeat(times) };
        let chunk = ChunkInput { pieces, motions: &case.motions };
        let started = pipeline.start(&chunk, 0).unwrap();
        let output = pipeline.finish(&chunk, started, &mut Stats::default()).unwrap();
        for (i, pairs) in output.pairs.into_iter().enumerate() {
            let mut pairs = pairs.unwrap();
            pairs
                .iter_mut()
                .for_each(|p| p.piece_link -= (i / ample.len() * ample.len() * case.world.links.len()) as u32);
            pairs.sort_unstable();
            assert!(pairs == ample[i % ample.len()], "piece {i} of {times} times");
        }
    }
}

/// Nodes that find no room for boxes are bounded where they are visited, with identical output.
#[test]
fn nodes_without_boxes_are_bounded_where_they_are_met() {
    if skip() {
        return;
    }
    let case = case(41);
    let (ample, _) = run(&case, None, None);
    let exact = exact_sizes(&case);
    for boxes in [0, 1, 2, 5, 17] {
        let (got, retries) = run(&case, Some(Capacities { boxes, ..exact }), None);
        assert!(got == ample && retries == 0, "{boxes}");
    }
}

/// Without the mark that a piece must be repeated, the same sizes lose pairs.
#[test]
fn an_unmarked_overflow_is_detected() {
    if skip() {
        return;
    }
    let case = case(41);
    let needed = needed(&case);
    let exact = exact_sizes(&case);
    let Capacities { queue, candidates, pairs, .. } = exact;
    let old = "atomicOr(&control[chunk.retry_at + piece / 32u], 1u << (piece % 32u));";
    let mutant = Some(Mutant { old, new: "" });
    for capacities in [
        Capacities { queue: queue / 2, ..exact },
        Capacities { candidates: candidates / 2, ..exact },
        Capacities { pairs: pairs / 2, ..exact },
    ] {
        let (got, _) = run(&case, Some(capacities), mutant);
        assert!(missing(&got, &needed) > 0, "{capacities:?}");
    }
}

/// 131,100 candidates, then at least as many roots of 8 invocations each, and twice as many triangles: more than one
/// dimension has room for.
#[test]
fn dispatches_beyond_one_dimension_do_all_their_work() {
    if skip() {
        return;
    }
    let case = case(42);
    let n = 131_100u32;
    let capacities = Capacities { pieces: 100, boxes: 1 << 10, queue: 1 << 21, candidates: n, pairs: 1 << 16 };
    let mut options = Options { capacities: Some(capacities), ..Options::default() };
    // No limits apply, so that the number of repetitions does not matter.
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = mutated_pipeline(&case.world, &options, None);
    let chunk = ChunkInput { pieces: case.pieces[..1].to_vec(), motions: &case.motions };
    pipeline.upload_chunk(&chunk, 0).unwrap();
    pipeline.run_stage(&chunk, 0, Stage::Concat).unwrap();
    pipeline.run_stage(&chunk, 0, Stage::Bound).unwrap();
    // One cluster near the link, repeated many times.
    pipeline.run_stage(&chunk, 0, Stage::Cull).unwrap();
    let (found, _) = pipeline.candidates(0).unwrap();
    let one = Candidate { mask: ALL_SUBS, ..found[found.len() / 2] };
    let count = |candidates: &[Candidate]| {
        let counters = Counters { candidates: candidates.len() as u32, ..Counters::default() };
        pipeline.buffers(0).write(pipeline.gpu(), BufferId::Candidates, 0, candidates);
        pipeline.buffers(0).write(pipeline.gpu(), BufferId::Control, 0, counters.words());
        pipeline.run_stage(&chunk, 0, Stage::Pairs).unwrap();
        pipeline.counters(0).unwrap().phases[0].leaves
    };
    let each = count(&[one]);
    assert!(each > 0, "the cluster must reach the next step");
    assert_eq!(count(&vec![one; n as usize]), each * n);
}
