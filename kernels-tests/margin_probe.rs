//! `margin_probe`: every pair that it finds is within the margin at its time, it finds what its reference finds, and
//! answers with a margin are the same on adapters as on the CPU.

use crate::effort;
use crate::harness::backends::{engine, on, verdicts};
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use crate::oracle::triangles::distance;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Backend, Options, Stage, Stats};
use firstcontact::robot::{Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s5_pairs::Limits;
use firstcontact::stage::s6_solve::{InitialContactPolicy, Mode};
use firstcontact::stage::{Piece, SLICES_PER_PIECE, margin_probe, s1_concat};
use firstcontact::verdict::Verdict;

struct Case {
    robot: Robot,
    scene: Scene,
    allowed: Vec<(u32, u32)>,
    world: CollisionWorld,
    margin_m: f64,
    ends: Vec<(Vec<f64>, Vec<f64>)>,
    motions: Vec<RobotMotion>,
    pieces: Vec<Piece>,
}

fn case(draw: &mut Draw, margin_m: f64, n_motions: usize) -> Case {
    let kind = RobotKind { n_bodies: 1 + draw.below(4), link_m: 0.4, n_triangles: 12, mixed: true };
    let robot = models::robot(draw, kind);
    let (n_triangles, triangle_m) = ([6, 60][draw.below(2)], [0.05, 0.3][draw.below(2)]);
    let scene = models::scene(draw, n_triangles, 1.5, triangle_m);
    let allowed = if draw.below(2) == 0 { vec![(0, 0), (1, 0)] } else { vec![] };
    let world = CollisionWorld::new(&robot, &scene, &allowed).unwrap();
    let (mut motions, mut pieces, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n_motions {
        let (q0, q1) = models::motion(draw, &robot, [0.1, 0.6, 3.0, 12.0][i % 4], 0.4);
        let mut motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        motion.set_margin(margin_m);
        pieces.extend(Piece::cut(i as u32, &motion));
        motions.push(motion);
        ends.push((q0, q1));
    }
    Case { robot, scene, allowed, world, margin_m, ends, motions, pieces }
}

fn cases(seed: u64, n: usize) -> Vec<Case> {
    let mut draw = Draw::new(seed);
    (0..n).map(|k| case(&mut draw, [0.005, 0.03, 0.1, 0.4][k % 4], 12)).collect()
}

/// Fast motions, of which many just pass.
fn fast_cases(seed: u64) -> Vec<Case> {
    let mut draw = Draw::new(seed);
    (0..6).map(|k| case(&mut draw, [0.005, 0.1][k % 2], 200)).collect()
}

/// The least distance of the robot from what it is tested against at a time of a motion.
fn distance_at(case: &Case, motion: &RobotMotion, t: f64) -> f64 {
    let mut least = f64::INFINITY;
    for (l, link) in case.world.links.iter().enumerate() {
        for x in &link.triangles {
            let x = x.map(|e| position(motion, link.body, e, t));
            for (j, y) in case.world.scene.triangles.iter().enumerate() {
                if !case.world.is_allowed(l as u32, j) {
                    least = least.min(distance(&x, y));
                }
            }
        }
    }
    least
}

/// Counts of limits and of starts, and of those at which nothing is within the margin. Limits are those of pairs in the
/// middle of their last slice, or at its end.
fn counts(case: &Case, limits: &Limits, starts: &[bool]) -> [usize; 3] {
    let [mut limited, mut started, mut wrong] = [0; 3];
    for (m, motion) in case.motions.iter().enumerate() {
        let n_pieces = case.pieces.iter().filter(|piece| piece.motion as usize == m).count();
        let is_within = |t: f64| distance_at(case, motion, t) <= case.margin_m + 1e-9;
        if starts.get(m) == Some(&true) {
            started += 1;
            wrong += usize::from(!is_within(0.0));
        } else if limits[m] != u32::MAX {
            limited += 1;
            let at = |half: f64| (f64::from(limits[m]) + half) / (f64::from(SLICES_PER_PIECE) * n_pieces as f64);
            wrong += usize::from(!is_within(at(0.5)) && !is_within(at(1.0)));
        }
    }
    [limited, started, wrong]
}

fn options(case: &Case) -> Options {
    let mut options = Options::default();
    options.solve.margin_m = case.margin_m;
    options
}

/// Limits and starts after all stages of an adapter.
fn on_adapter(case: &Case, mutant: Option<Mutant>) -> (Limits, Vec<bool>) {
    let mut pipeline = mutated_pipeline(&case.world, &options(case), mutant);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    let started = pipeline.start(&chunk, 0).unwrap();
    let output = pipeline.finish(&chunk, started, &mut Stats::default()).unwrap();
    // Motions that start within the margin have no pairs, which must not look as if they were free.
    for (piece, pairs) in case.pieces.iter().zip(&output.pairs) {
        assert_eq!(pairs.is_none(), output.starts[piece.motion as usize]);
    }
    (output.limits, output.starts)
}

/// The limits of the adapter after the stage itself, without starts.
fn after_the_stage(case: &Case) -> Limits {
    let mut pipeline = mutated_pipeline(&case.world, &options(case), None);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    pipeline.upload_chunk(&chunk, 0).unwrap();
    for stage in [Stage::Concat, Stage::Bound, Stage::Cull] {
        pipeline.run_stage(&chunk, 0, stage).unwrap();
    }
    pipeline.cutoffs(&chunk, 0).unwrap()
}

fn reference(case: &Case, finds_starts: bool) -> margin_probe::Probed {
    let poses = s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel);
    margin_probe::reference(&case.world, &case.pieces, case.motions.len(), &poses, finds_starts)
}

/// Limits and starts are those of pairs within the margin, and there are some of both.
fn require_claims(seed: u64, find: impl Fn(&Case) -> (Limits, Vec<bool>)) {
    let mut all = [0; 3];
    for case in cases(seed, effort(12, 200)).into_iter().chain(fast_cases(305)) {
        let (limits, starts) = find(&case);
        let found = counts(&case, &limits, &starts);
        all = std::array::from_fn(|i| all[i] + found[i]);
    }
    let [limited, started, wrong] = all;
    println!("{limited} limits and {started} starts within the margin, {wrong} wrong");
    assert!(limited > 10 && started > 10 && wrong == 0, "{all:?}");
}

#[test]
fn the_reference_finds_only_what_is_within_the_margin() {
    require_claims(301, |case| {
        let probed = reference(case, true);
        (probed.limits, probed.starts)
    });
}

#[test]
fn adapters_find_only_what_is_within_the_margin() {
    if skip() {
        return;
    }
    require_claims(302, |case| on_adapter(case, None));
}

/// The choice of branches depends on rounding, so a few limits may differ.
#[test]
fn adapters_find_what_the_reference_finds() {
    if skip() {
        return;
    }
    let (mut found, mut known, mut same) = (0, 0, 0);
    for case in cases(303, effort(12, 200)) {
        let (on_device, reference) = (after_the_stage(&case), reference(&case, false).limits);
        for (a, b) in on_device.iter().zip(&reference) {
            found += usize::from(*a != u32::MAX);
            known += usize::from(*b != u32::MAX);
            same += usize::from(a == b && *b != u32::MAX);
        }
    }
    println!("{found} limits on the adapter, {known} of the reference, {same} the same");
    assert!(known > 20 && 20 * same >= 19 * known.max(found), "{found} {known} {same}");
}

/// Most motions that start well within the margin are found to.
#[test]
fn most_starts_within_the_margin_are_found() {
    let (mut clear, mut found) = (0, 0);
    for case in cases(304, effort(12, 200)) {
        let probed = reference(&case, true);
        for (motion, start) in case.motions.iter().zip(&probed.starts) {
            let is_clear = distance_at(&case, motion, 0.0) < 0.8 * case.margin_m;
            clear += usize::from(is_clear);
            found += usize::from(is_clear && *start);
        }
    }
    println!("{found} of {clear} starts within four fifths of the margin are found");
    assert!(clear > 10 && 3 * found >= 2 * clear, "{found} of {clear}");
}

#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    let cases = fast_cases(305);
    let mut unseen = Vec::new();
    for (old, new) in [
        // The proof: the difference of the points, and the margin.
        ("room * room > dot3(n, n) * (1.0 + SQUARE_ROUNDINGS * UNIT) + UNDERFLOW", "true"),
        ("let room = margin - error * (1.0 + ROUNDINGS * UNIT);", "let room = margin * 1.1;"),
        // The time of a pair.
        (
            "return (m.index * SUBS + time - 1u) * SLICES + SLICES / 2u;",
            "return (m.index * SUBS + time - 1u) * SLICES;",
        ),
        ("return (m.index * SUBS + time - 1u) * SLICES + SLICES / 2u;", "return (time - 1u) * SLICES + SLICES / 2u;"),
        ("return select(0.0, -m.h, time == 0u);", "return 0.0;"),
        ("m.index != 0u || (chunk.flags & FLAG_STARTS) == 0u", "(chunk.flags & FLAG_STARTS) == 0u"),
        // Pairs that are not tested.
        ("if away < best && !is_allowed(link, scene_triangles[i].object) {", "if away < best {"),
    ] {
        let wrong = |case: &Case| {
            let (limits, starts) = on_adapter(case, Some(Mutant { old, new }));
            counts(case, &limits, &starts)[2]
        };
        if cases.iter().map(wrong).sum::<usize>() == 0 {
            unseen.push(new);
        }
    }
    assert_eq!(unseen, [""; 0]);
}

/// All kinds of answers with a margin, adapter against CPU.
#[test]
fn answers_with_a_margin_are_those_of_the_cpu() {
    if skip() {
        return;
    }
    let (mut free, mut contacts, mut at_start) = (0, 0, 0);
    for (k, case) in cases(306, effort(10, 150)).iter().enumerate() {
        for mode in [Mode::Toc, Mode::Verdict] {
            for all_contacts in [false, true] {
                for initial in [InitialContactPolicy::Report, InitialContactPolicy::Ignore] {
                    if mode == Mode::Verdict && all_contacts {
                        continue;
                    }
                    let of = |backend| {
                        let mut options = on(backend);
                        options.solve.margin_m = case.margin_m;
                        (options.solve.mode, options.solve.all_contacts) = (mode, all_contacts);
                        options.solve.initial = initial;
                        verdicts(&engine(&case.robot, &case.scene, &case.allowed, options), &case.ends)
                    };
                    let (cpu, gpu) = (of(Backend::Cpu), of(Backend::Gpu));
                    match mode {
                        Mode::Toc => assert_eq!(cpu, gpu, "case {k}: {all_contacts} {initial:?}"),
                        // Any certain contact may be the one that is reported.
                        _ => assert!(cpu.iter().zip(&gpu).all(|(a, b)| (*a == Verdict::Free) == (*b == Verdict::Free))),
                    }
                    free += cpu.iter().filter(|v| **v == Verdict::Free).count();
                    contacts += cpu.iter().filter(|v| matches!(v, Verdict::Contact(_))).count();
                    at_start += cpu.iter().filter(|v| matches!(v, Verdict::Contact(c) if c.toc[1] == 0.0)).count();
                }
            }
        }
    }
    println!("{free} free, {contacts} contacts, {at_start} of them at the start");
    assert!(free > 20 && contacts > 20 && at_start > 10 && at_start < contacts);
}
