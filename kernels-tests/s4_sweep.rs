//! `s4_sweep`: every (triangle, sub-interval) that a form culls is proved free, in f64, in emulated f32 and on the
//! adapter; it keeps little more than the exact line-swept sphere meets.

mod cases;
mod distance;
mod emulated;
mod tightness;

use crate::effort;
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::Draw;
use cases::{Case, KINDS, Kind, Near};
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Options, Stage, Sweep};
use firstcontact::stage::{Candidate, s4_sweep};

/// The forms that are computed, not drawn.
const FORMS: [Sweep; 1] = [Sweep::Compute];

fn reference(case: &Case, form: Sweep) -> Vec<Candidate> {
    let mut candidates = case.candidates.clone();
    s4_sweep::reference(form, &case.input(), &mut candidates);
    candidates
}

/// The candidates before and after the stage on the adapter.
fn on_adapter(case: &Case, sweep: Sweep, mutant: Option<Mutant>) -> [Vec<Candidate>; 2] {
    let mut pipeline = mutated_pipeline(&case.world, &Options { sweep, ..Options::default() }, mutant);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    pipeline.upload_chunk(&chunk, 0).unwrap();
    for stage in [Stage::Concat, Stage::Bound, Stage::Cull] {
        pipeline.run_stage(&chunk, 0, stage).unwrap();
    }
    let (before, wanted) = pipeline.candidates(0).unwrap();
    assert_eq!(before.len(), wanted, "no overflow here");
    pipeline.run_stage(&chunk, 0, Stage::Sweep).unwrap();
    [before, pipeline.candidates(0).unwrap().0]
}

/// The number of (link, triangle, sub-interval)s that are left.
fn left(case: &Case, candidates: &[Candidate]) -> usize {
    let of = |c: &Candidate| c.triangles(&case.world).count() * c.mask.count_ones() as usize;
    candidates.iter().filter(|c| c.is_open()).map(of).sum()
}

#[test]
fn reference_culls_only_what_is_free() {
    for form in FORMS {
        let (mut sets, mut culled) = (0, 0);
        for kind in KINDS {
            let mut draw = Draw::new(41 + kind as u64);
            for near in [Near::Around, Near::Touching].repeat(effort(1, 4)) {
                let mut case = Case::new(&mut draw, kind, near, effort(6, 24), 12);
                for is_for_cpu in [false, true] {
                    if is_for_cpu {
                        case.cut_for_cpu();
                    }
                    sets += case.sets(&case.candidates);
                    let (n, bad) = case.unproved(&case.candidates, &reference(&case, form));
                    assert_eq!(bad, 0, "{form:?}, {kind:?}, pieces of the CPU: {is_for_cpu}");
                    culled += n;
                }
            }
        }
        println!("{form:?}: {sets} sets of motion, link and triangle; {culled} sub-intervals of them culled");
        assert!(sets >= effort(1_000, 10_000) && culled > sets);
    }
}

#[test]
fn kernel_culls_only_what_is_free_and_leaves_little_more() {
    if skip() {
        return;
    }
    for form in FORMS {
        let (mut sets, mut kept, mut needed) = (0, 0, 0);
        for kind in KINDS {
            let mut draw = Draw::new(61 + kind as u64);
            for near in [Near::Around, Near::Touching].repeat(effort(1, 4)) {
                let case = Case::new(&mut draw, kind, near, effort(6, 24), 12);
                let [before, after] = on_adapter(&case, form, None);
                let (_, bad) = case.unproved(&before, &after);
                assert_eq!(bad, 0, "{form:?}, {kind:?}");
                sets += case.sets(&before);
                // At ten kilometres f32 resolves positions to a millimetre: more candidates have to stay.
                if kind != Kind::Far {
                    kept += left(&case, &after);
                    needed += left(&case, &reference(&case, form));
                }
            }
        }
        println!("{form:?}: of {sets} sets the kernel keeps {kept} sub-intervals where the reference keeps {needed}");
        assert!(kept as f64 <= 1.05 * needed as f64 + 20.0);
    }
}

/// Expects that the absence of a safety term shows in some case.
fn caught(form: Sweep, old: &'static str, new: &'static str) {
    let kinds = [Kind::Needles, Kind::Any, Kind::Spinning, Kind::Far];
    let found = kinds.into_iter().any(|kind| {
        let case = Case::new(&mut Draw::new(71 + kind as u64), kind, Near::Touching, 12, 50);
        let [before, after] = on_adapter(&case, form, Some(Mutant { old, new }));
        case.unproved(&before, &after).1 > 0
    });
    assert!(found, "'{new}' goes unseen");
}

#[test]
fn mutants_of_the_computed_form_are_caught() {
    if skip() {
        return;
    }
    for (old, new) in [
        // The ball: remainder of the motion and rounding. The radius. The displacement during half a sub-interval.
        ("p.ball = ball;", "p.ball = 0.0;"),
        ("let grow = radius * (1.0 + ROUNDINGS * UNIT) + ", "let grow = "),
        ("let g1 = abs(dot3(n, p.c1)) * h;", "let g1 = 0.0;"),
        // The second end of the segment.
        ("let above = min(x.x, y.x) - ", "let above = x.x - "),
        // The bits of the wrong one of two candidates in a workgroup.
        ("atomicOr(&left_triangles[held], 1u << triangle);", "atomicOr(&left_triangles[1u - held], 1u << triangle);"),
        ("atomicOr(&left_mask[held], mask);", "atomicOr(&left_mask[0], mask);"),
        ("let x = held * SUBS + sub;", "let x = sub;"),
    ] {
        caught(Sweep::Compute, old, new);
    }
}

/// Only the rounding of f32 matters where links are at rest and nothing else contributes to the ball.
#[test]
fn without_the_rounding_terms_contacts_are_lost() {
    if skip() {
        return;
    }
    let case = Case::new(&mut Draw::new(75), Kind::Needles, Near::Touching, 16, 20);
    let still = |mut candidates: Vec<Candidate>| -> Vec<Candidate> {
        candidates.retain(|c| case.motions[case.pieces[c.piece as usize].motion as usize].omega() == 0.0);
        candidates
    };
    let old = "return ball + t.error * 3.0 + (size + span + ball) * (ROUNDINGS * UNIT) + UNDERFLOW;";
    for (mutant, lost) in [(None, false), (Some(Mutant { old, new: "return UNDERFLOW;" }), true)] {
        let [before, after] = on_adapter(&case, Sweep::Compute, mutant);
        assert_eq!(case.unproved(&still(before), &still(after)).1 > 0, lost);
    }
}
