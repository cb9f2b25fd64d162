//! Slabs of time: everything omitted is after a proved contact, for any number of slabs; and it costs nothing.

use super::{Case, case, faults};
use crate::effort;
use crate::harness::backends::{engine, on};
use crate::harness::gpu::{Mutant, is_hardware, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Backend, Capacities, Options, Stage, Stats};
use firstcontact::robot::MotionBatch;
use firstcontact::stage::s5_pairs::Limits;
use firstcontact::stage::s6_solve::Mode;
use firstcontact::stage::{SLICES_PER_PIECE, TrianglePair};

/// Three does not divide a piece evenly, and there are never more than sixteen slabs.
const NUMBERS: [u32; 7] = [1, 2, 3, 4, 8, 16, 100];

pub fn options(slabs: u32) -> Options {
    Options { slabs: Some(slabs), ..Options::default() }
}

pub fn run(case: &Case, options: &Options, mutant: Option<Mutant>) -> (Vec<TrianglePair>, Limits, Stats) {
    let mut pipeline = mutated_pipeline(&case.world, options, mutant);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    let mut stats = Stats::default();
    let started = pipeline.start(&chunk, 0).unwrap();
    let output = pipeline.finish(&chunk, started, &mut stats).unwrap();
    (output.pairs.into_iter().flat_map(Option::unwrap).collect(), output.limits, stats)
}

#[test]
fn only_what_is_free_or_after_a_contact_is_left_out() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(71);
    let (mut limited, mut pieces) = (0, 0);
    for (n_bodies, n_triangles, angles) in [(3, 40, [0.3, 1.5]), (5, 60, [1.0, 6.0])] {
        let case = case(&mut draw, n_bodies, n_triangles, effort(4, 30), angles);
        let (_, one_by_one, _) = run(&case, &options(1), None);
        for n in NUMBERS {
            let (pairs, limits, _) = run(&case, &options(n), None);
            assert_eq!(faults(&case, &pairs, &limits), 0, "{n} slabs");
            assert_eq!(limits, one_by_one, "{n} slabs");
        }
        limited += one_by_one.iter().filter(|limit| **limit != u32::MAX).count();
        pieces += case.pieces.len() - case.motions.len();
    }
    println!("{limited} limits, {pieces} pieces that are not a motion's first");
    assert!(limited >= 3 && pieces > 0);
}

/// A queue that overflows in some slab marks the piece; it is repeated with all of its slabs.
#[test]
fn overflows_in_slabs_lose_nothing() {
    if skip() {
        return;
    }
    let case = case(&mut Draw::new(72), 4, 60, 6, [0.8, 1.5]);
    let mut pipeline = mutated_pipeline(&case.world, &options(8), None);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    let started = pipeline.start(&chunk, 0).unwrap();
    pipeline.finish(&chunk, started, &mut Stats::default()).unwrap();
    let [queue, candidates, pairs] = pipeline.demand(0).unwrap();
    for (queue, pairs) in [(queue / 2, pairs), (queue, pairs / 2), (1, 1)] {
        let capacities = Some(Capacities { pieces: 100, boxes: 1 << 10, queue, candidates, pairs });
        let (pairs, limits, stats) = run(&case, &Options { capacities, ..options(8) }, None);
        assert!(stats.stages[Stage::Cull as usize].retries > 0);
        assert_eq!(faults(&case, &pairs, &limits), 0, "{capacities:?}");
    }
}

#[test]
fn mutants_of_slabs_are_caught() {
    if skip() {
        return;
    }
    let case = case(&mut Draw::new(73), 5, 25, 16, [1.5, 6.0]);
    let mut unseen = Vec::new();
    // The limit a sub-interval early: it removes pairs of its own sub-interval only, which an adapter that runs all of
    // them at the same time has tested before it is set.
    let early = ("(left - first - 1u) / SLICES + 1u", "(left - first - 1u) / SLICES");
    for (old, new) in [
        // The remainder of a division; the last slab.
        ("if routing.phase + 1u < routing.n_phases {", "if routing.phase < routing.n_phases {"),
        ("if start >= end {", "if start >= end || routing.phase + 1u == routing.n_phases {"),
        // A limit without a proof; one that ignores its piece, or its sub-interval.
        ("if triangles_touch(corners, tri) {", "if true {"),
        ("(m.index * SUBS + at) * SLICES + slice", "at * SLICES + slice"),
        ("(m.index * SUBS + at) * SLICES + slice", "m.index * SUBS * SLICES + slice"),
        // A slab in the middle.
        ("c.mask & mask_of_slab(m,", "c.mask & select(ALL_SUBS, 0u, routing.phase == 1u) & mask_of_slab(m,"),
    ]
    .into_iter()
    .chain(Some(early).filter(|_| !is_hardware()))
    {
        let (pairs, limits, _) = run(&case, &options(3), Some(Mutant { old, new }));
        if faults(&case, &pairs, &limits) == 0 {
            unseen.push((old, new));
        }
    }
    assert_eq!(unseen, [("", ""); 0]);
}

/// Items that a loop has not processed are kept, or their piece is repeated.
#[test]
fn truncated_loops_lose_no_pairs() {
    if skip() {
        return;
    }
    let case = case(&mut Draw::new(76), 3, 90, 4, [0.8]);
    for (old, new, again) in [
        ("let k = firstTrailingBit(rest);", "let k = firstTrailingBit(rest); if k > 0u { break; }", false),
        ("let i = firstTrailingBit(rest);", "let i = firstTrailingBit(rest); if i > 0u { break; }", false),
        (
            "let y = left.scene_ref + firstTrailingBit(rest);",
            "if (rest & 1u) == 0u { break; } let y = left.scene_ref;",
            true,
        ),
    ] {
        let (pairs, limits, stats) = run(&case, &options(2), Some(Mutant { old, new }));
        assert_eq!(stats.stages[Stage::Cull as usize].retries > 0, again);
        assert_eq!(faults(&case, &pairs, &limits), 0, "{new}");
    }
}

/// Number of entries that the first step of each slab outputs.
fn entries(case: &Case, slabs: u32, mode: Mode) -> (Vec<u32>, Limits) {
    let mut options = options(slabs);
    options.solve.mode = mode;
    let mut pipeline = mutated_pipeline(&case.world, &options, None);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    let started = pipeline.start(&chunk, 0).unwrap();
    let output = pipeline.finish(&chunk, started, &mut Stats::default()).unwrap();
    let phases = pipeline.counters(0).unwrap().phases;
    (phases[..slabs as usize].iter().map(|phase| phase.link_levels[0]).collect(), output.limits)
}

/// After the slab of a motion's contact none of its candidates is processed.
#[test]
fn candidates_after_a_contact_are_not_processed() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(74);
    let mut early = 0;
    for _ in 0..effort(12, 100) {
        let case = case(&mut draw, 4, 120, 1, [0.8]);
        let mode = if early % 2 == 0 { Mode::Toc } else { Mode::Verdict };
        let (of_slabs, limits) = entries(&case, 8, mode);
        let slab = limits[0] / (SLICES_PER_PIECE * case.pieces.len() as u32 / 8);
        assert!(limits[0] == u32::MAX || of_slabs.iter().skip(slab as usize + 1).all(|n| *n == 0), "{of_slabs:?}");
        // Without slabs everything is processed.
        early += usize::from(slab < 4 && entries(&case, 1, mode).0[0] > of_slabs.iter().sum());
    }
    println!("{early} contacts in the first half");
    assert!(early >= 3);
}

/// The same bytes for any number of slabs and chunk size, in both modes.
#[test]
fn answers_do_not_depend_on_slabs() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(75);
    let mut contacts = 0;
    for _ in 0..effort(2, 20) {
        let kind = RobotKind { n_bodies: 5, link_m: 0.4, n_triangles: 20, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let scene = models::scene(&mut draw, 40, 1.2, 0.1);
        let rows: Vec<_> = (0..40).map(|i| models::motion(&mut draw, &robot, [0.3, 1.0, 8.0][i % 3], 0.3)).collect();
        let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let motions = MotionBatch::between(&start, &end).unwrap();
        for mode in [Mode::Toc, Mode::Verdict] {
            let check = |slabs, capacities| {
                let mut options = Options { slabs, capacities, ..on(Backend::Gpu) };
                options.solve.mode = mode;
                let verdicts = engine(&robot, &scene, &[], options).check(&motions).unwrap().verdicts;
                verdicts.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>()
            };
            let first = check(Some(1), None);
            contacts += first.iter().filter(|v| v.starts_with("Contact")).count();
            for slabs in [Some(2), Some(3), Some(8), Some(16), None] {
                assert_eq!(check(slabs, None), first, "{slabs:?}");
            }
            let small = Capacities { pieces: 3, boxes: 1 << 10, queue: 1 << 16, candidates: 1 << 12, pairs: 1 << 12 };
            assert_eq!(check(None, Some(small)), first);
        }
    }
    println!("{contacts} contacts");
    assert!(contacts > 20);
}
