//! A scene that a device processes in pages: the same pairs and the same answers as without pages, whatever the queue
//! sizes.

use crate::harness::backends::{engine, on};
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::gpu_backend::{ChunkInput, GpuPipeline};
use firstcontact::engine::{Backend, Capacities, Engine, Options, Stage, Stats, Sweep};
use firstcontact::gpu::Faults;
use firstcontact::robot::{MotionBatch, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::{CollisionWorld, SceneBuild};
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{Piece, TrianglePair};
use firstcontact::verdict::{Contact, Verdict};
use glam::DVec3;

mod reach;

/// The maximum size of a page here, bytes: a few leaves.
const PAGE: u64 = 4000;
/// Triangles per block of the scene's tree here.
const BLOCK: usize = 70;

struct Case {
    robot: Robot,
    scene: Scene,
    rows: Vec<(Vec<f64>, Vec<f64>)>,
}

fn case(seed: u64) -> Case {
    let mut draw = Draw::new(seed);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 4, link_m: 0.4, n_triangles: 20, mixed: true });
    let scene = models::scene(&mut draw, 300, 1.2, 0.08);
    let rows = (0..12).map(|i| models::motion(&mut draw, &robot, [0.2, 0.9][i % 2], 0.1)).collect();
    Case { robot, scene, rows }
}

/// Like [`case`], with so few triangles that some motions are free.
fn sparse_case(seed: u64) -> Case {
    let mut draw = Draw::new(seed);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.4, n_triangles: 12, mixed: false });
    let mut scene = models::scene(&mut draw, 30, 1.3, 0.05);
    // Triangles beyond reach, so that there is something to put into pages.
    let more = models::scene(&mut draw, 200, 1.3, 0.05).triangles;
    scene.add_object("far", more.into_iter().map(|t| t.map(|v| v + DVec3::X * 6.0))).unwrap();
    let rows = (0..40).map(|i| models::motion(&mut draw, &robot, [0.4, 3.0][i % 2], 0.1)).collect();
    Case { robot, scene, rows }
}

/// All motions as one chunk.
struct Work {
    world: CollisionWorld,
    motions: Vec<RobotMotion>,
    pieces: Vec<Piece>,
}

fn work(case: &Case) -> Work {
    let build = SceneBuild { block: BLOCK, ..SceneBuild::default() };
    let (objects, triangles) = (&case.scene.objects, case.scene.triangles.clone());
    let world = CollisionWorld::with(&case.robot, objects, triangles, &[], None, build).unwrap();
    let motion = |(a, b): &(Vec<f64>, Vec<f64>)| RobotMotion::new(&case.robot, a, b).unwrap();
    let motions: Vec<RobotMotion> = case.rows.iter().map(motion).collect();
    let pieces = motions.iter().enumerate().flat_map(|(i, m)| Piece::cut(i as u32, m)).collect();
    Work { world, motions, pieces }
}

fn options(page_bytes: Option<u64>, sweep: Sweep) -> Options {
    Options { sweep, faults: Faults { page_bytes, ..Faults::default() }, ..on(Backend::Gpu) }
}

/// The pairs of each piece, in order; every pair, because no limits apply.
fn pairs(work: &Work, options: Options, mutant: Option<Mutant>) -> (Vec<Vec<TrianglePair>>, Stats, GpuPipeline) {
    let mut options = options;
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = mutated_pipeline(&work.world, &options, mutant);
    let chunk = ChunkInput { pieces: work.pieces.clone(), motions: &work.motions };
    let started = pipeline.start(&chunk, 0).unwrap();
    let mut stats = Stats::default();
    let output = pipeline.finish(&chunk, started, &mut stats).unwrap();
    let sorted = |pairs: Option<Vec<TrianglePair>>| {
        let mut pairs = pairs.unwrap();
        pairs.sort_unstable();
        pairs
    };
    (output.pairs.into_iter().map(sorted).collect(), stats, pipeline)
}

#[test]
fn pages_together_give_the_pairs_of_the_whole_scene() {
    if skip() {
        return;
    }
    let work = work(&case(61));
    for sweep in [Sweep::Off, Sweep::Compute] {
        let (whole, of_whole, pipeline) = pairs(&work, options(None, sweep), None);
        assert_eq!(pipeline.n_pages(), 1);
        let (paged, of_pages, pipeline) = pairs(&work, options(Some(PAGE), sweep), None);
        assert!(pipeline.n_pages() >= 5, "{} pages", pipeline.n_pages());
        assert!(whole.iter().map(Vec::len).sum::<usize>() > 500 && whole == paged);
        // Counters accumulate over all pages.
        for stage in [Stage::Cull, Stage::Sweep, Stage::Pairs] {
            let out = |stats: &Stats| stats.stages[stage as usize].items_out;
            assert_eq!(out(&of_whole), out(&of_pages), "{stage:?}");
        }
    }
}

/// Few nodes of a link are visited on all pages; those that get boxes on one page keep them on the next.
#[test]
fn pages_keep_each_others_boxes() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(64);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.4, n_triangles: 300, mixed: true });
    let scene = models::scene(&mut draw, 300, 1.2, 0.03);
    let rows = (0..12).map(|_| models::motion(&mut draw, &robot, 0.02, 0.01)).collect();
    let work = work(&Case { robot, scene, rows });
    let (whole, ..) = pairs(&work, options(None, Sweep::Off), None);
    let (paged, _, pipeline) = pairs(&work, options(Some(PAGE), Sweep::Off), None);
    println!("{} pages, {} pairs", pipeline.n_pages(), whole.iter().map(Vec::len).sum::<usize>());
    assert!(pipeline.n_pages() >= 5 && whole.iter().map(Vec::len).sum::<usize>() > 50 && whole == paged);
}

#[test]
fn a_missing_page_offset_is_detected() {
    if skip() {
        return;
    }
    let work = work(&case(61));
    let (whole, ..) = pairs(&work, options(None, Sweep::Off), None);
    let (old, new) = ("chunk.first_triangle + item.scene_ref", "item.scene_ref");
    let (paged, ..) = pairs(&work, options(Some(PAGE), Sweep::Off), Some(Mutant { old, new }));
    assert!(whole != paged);
}

/// The number of pairs of `wanted` that are missing in `from`.
fn missing(from: &[Vec<TrianglePair>], wanted: &[Vec<TrianglePair>]) -> usize {
    let key = |p: &TrianglePair| (p.piece_link, p.link_triangle, p.scene_triangle);
    let lacks = |(have, want): (&Vec<TrianglePair>, &Vec<TrianglePair>)| {
        let have: std::collections::HashSet<_> = have.iter().map(key).collect();
        want.iter().filter(|p| !have.contains(&key(p))).count()
    };
    from.iter().zip(wanted).map(lacks).sum()
}

#[test]
fn overflowing_queues_lose_nothing_on_any_page() {
    if skip() {
        return;
    }
    let work = work(&case(62));
    // With queues of size zero every piece runs on the CPU, which proves other pairs free than the kernels do. Pairs
    // that neither proves free are never lost, wherever a piece ends up.
    let none = Capacities { pieces: 100, boxes: 1 << 10, queue: 0, candidates: 0, pairs: 0 };
    let of = |capacities| Options { capacities: Some(capacities), ..options(Some(PAGE), Sweep::Off) };
    let (mut needed, ..) = pairs(&work, of(none), None);
    let (ample, stats, _) = pairs(&work, options(Some(PAGE), Sweep::Off), None);
    assert_eq!(stats.stages[Stage::Cull as usize].retries, 0);
    let count = |pairs: &[Vec<TrianglePair>]| pairs.iter().map(Vec::len).sum::<usize>();
    let (n_pairs, on_cpu) = (count(&ample), count(&needed));
    for (pairs, there) in needed.iter_mut().zip(&ample) {
        pairs.retain(|p| missing(std::slice::from_ref(there), &[vec![*p]]) == 0);
    }
    assert!(count(&needed) * 10 > on_cpu * 9 && on_cpu > 300, "{} of {on_cpu}", count(&needed));
    let all = Capacities { pieces: 100, boxes: 1 << 10, queue: 1 << 16, candidates: 1 << 16, pairs: 1 << 16 };
    for capacities in [
        Capacities { queue: work.pieces.len() as u32 - 1, ..all },
        Capacities { queue: 40, ..all },
        Capacities { candidates: 30, ..all },
        Capacities { candidates: 1, ..all },
        Capacities { pairs: n_pairs as u32 - 1, ..all },
        Capacities { pairs: n_pairs as u32 / 2, ..all },
        Capacities { pairs: 1, ..all },
    ] {
        let (got, stats, _) = pairs(&work, of(capacities), None);
        assert!(stats.stages[Stage::Cull as usize].retries > 0, "{capacities:?}");
        assert_eq!(missing(&got, &needed), 0, "{capacities:?}");
    }
}

fn built(case: &Case, options: Options) -> Engine {
    let builder = Engine::builder(&case.robot, &case.scene).options(options).tree_block(BLOCK);
    builder.build().unwrap_or_else(|e| panic!("{e}"))
}

fn motions(case: &Case) -> MotionBatch {
    let (start, end): (Vec<_>, Vec<_>) = case.rows.iter().cloned().unzip();
    MotionBatch::between(&start, &end).unwrap()
}

#[test]
fn answers_are_the_same_bytes_however_the_scene_is_cut() {
    if skip() {
        return;
    }
    let case = sparse_case(78);
    let motions = motions(&case);
    let expected = engine(&case.robot, &case.scene, &[], on(Backend::Cpu)).check(&motions).unwrap().verdicts;
    let contacts = expected.iter().filter(|v| v.is_contact()).count();
    assert!(contacts >= 5 && contacts + 5 <= expected.len(), "{contacts} contacts");
    let small = Capacities { pieces: 5, boxes: 1 << 10, queue: 1 << 10, candidates: 48, pairs: 64 };
    for sweep in [Sweep::Off, Sweep::Compute, Sweep::Raster] {
        for capacities in [None, Some(small)] {
            let options = Options { capacities, ..options(Some(PAGE), sweep) };
            agree(&built(&case, options).check(&motions).unwrap().verdicts, &expected);
        }
    }
    // One page per leaf; no culling by trees; stages on the CPU.
    let pages = |reference: &[Stage]| Options { reference: reference.to_vec(), ..options(Some(PAGE), Sweep::Compute) };
    let others = [
        options(Some(1), Sweep::Compute),
        Options { cull: false, ..options(Some(PAGE), Sweep::Compute) },
        pages(&[Stage::Concat, Stage::Bound]),
        pages(&[Stage::Cull]),
        pages(&[Stage::Sweep]),
        pages(&[Stage::Pairs]),
    ];
    for options in others {
        agree(&built(&case, options).check(&motions).unwrap().verdicts, &expected);
    }
}

/// Holds the answers of an adapter against those of the CPU: the same bytes. A contact that cannot be certified has an
/// enclosure that depends on the pieces of the motion, which the CPU cuts differently: there verdict, proof and place
/// are the same, and the enclosures overlap.
#[track_caller]
fn agree(adapter: &[Verdict], cpu: &[Verdict]) {
    assert_eq!(adapter.len(), cpu.len());
    for pair in adapter.iter().zip(cpu) {
        let (Verdict::Contact(a), Verdict::Contact(b)) = pair else {
            assert_eq!(pair.0, pair.1);
            continue;
        };
        if a.is_certified() && b.is_certified() {
            assert_eq!(a, b);
        }
        let place = |c: &Contact| c.first.map(|at| (at.a, at.b));
        assert_eq!((a.certainty, a.initial_overlap, place(a)), (b.certainty, b.initial_overlap, place(b)));
        assert!(a.toc[0] <= b.toc[1] && b.toc[0] <= a.toc[1], "{a:?} and {b:?}");
    }
}

#[test]
fn a_warm_device_creates_no_objects_for_pages() {
    if skip() {
        return;
    }
    let case = sparse_case(78);
    let motions = motions(&case);
    let engine = built(&case, options(Some(PAGE), Sweep::Compute));
    let made: Vec<u64> = (0..3).map(|_| engine.check(&motions).unwrap().stats.device_objects).collect();
    assert!(made[0] > 0 && made[1..] == [0, 0], "{made:?}");
}

#[test]
fn a_failed_allocation_for_pages_is_a_memory_error() {
    if skip() {
        return;
    }
    let case = sparse_case(78);
    let mut struck = 0;
    for n in [3, 9, 14, 20] {
        let faults = Faults { allocation: Some(n), page_bytes: Some(PAGE), ..Faults::default() };
        let options = Options { faults, ..options(None, Sweep::Compute) };
        if let Err(e) = Engine::builder(&case.robot, &case.scene).options(options).build() {
            assert!(e.kind() == firstcontact::ErrorKind::Memory && e.to_string().contains("--backend cpu"), "{e}");
            struck += 1;
        }
    }
    assert!(struck >= 3, "{struck}");
}

/// A page that the motions cannot reach: one item per piece, and no further work.
#[test]
fn a_page_out_of_reach_costs_one_item_per_piece() {
    if skip() {
        return;
    }
    let mut case = case(64);
    let far: Vec<_> = case.scene.triangles.iter().map(|t| t.map(|v| v + DVec3::X * 50.0)).collect();
    case.scene.add_object("far", far).unwrap();
    let work = work(&case);
    let mut pipeline = mutated_pipeline(&work.world, &options(Some(PAGE), Sweep::Off), None);
    let chunk = ChunkInput { pieces: work.pieces.clone(), motions: &work.motions };
    pipeline.upload_chunk(&chunk, 0).unwrap();
    pipeline.run_stage(&chunk, 0, Stage::Concat).unwrap();
    pipeline.run_stage(&chunk, 0, Stage::Bound).unwrap();
    let (mut out_of_reach, n) = (0, work.pieces.len() as u32);
    for page in 0..pipeline.n_pages() {
        pipeline.bind_page(&chunk, 0, page).unwrap();
        pipeline.run_stage(&chunk, 0, Stage::Cull).unwrap();
        let items = pipeline.counters(0).unwrap().cull_levels;
        let first = pipeline.buffers(0).page().first_triangle as usize;
        let next = (page + 1 < pipeline.n_pages()).then(|| {
            pipeline.bind_page(&chunk, 0, page + 1).unwrap();
            pipeline.buffers(0).page().first_triangle as usize
        });
        let triangles = &work.world.scene.triangles[first..next.unwrap_or(work.world.scene.triangles.len())];
        if triangles.iter().all(|t| t[0].x > 40.0) {
            assert_eq!((items[0], items[1]), (n, 0), "page {page}");
            out_of_reach += 1;
        }
    }
    assert!(out_of_reach >= 2 && out_of_reach < pipeline.n_pages(), "{out_of_reach} of {}", pipeline.n_pages());
}
