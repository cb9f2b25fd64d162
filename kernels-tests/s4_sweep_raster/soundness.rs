//! Dropped triangles are free, and touching triangles are kept.

use super::case::{
    Case, Kind, Shape, along_itself, arm, case, dropped, lost, lost_of, of_robot, on_adapter, options, reference, stage,
};
use crate::effort;
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::Draw;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Capacities, Options, Stage};
use firstcontact::stage::Candidate;
use firstcontact::stage::s4_sweep::Input;
use firstcontact::stage::s4_sweep::paper::maps;
use firstcontact::stage::s4_sweep::raster::TILE_PIXELS;
use std::collections::HashSet;

/// Names and cases in which something is at its limit.
fn adversarial(draw: &mut Draw) -> Vec<(&'static str, Case)> {
    let kind = Kind { n_bodies: 3, n_motions: 3, ..Kind::default() };
    let slider = along_itself();
    vec![
        ("static links", case(draw, &Kind { angle: 0.0, slide_m: 0.0, touching: 20, ..kind })),
        (
            "an axis that moves along itself",
            of_robot(draw, &slider, &Kind { angle: 0.0, slide_m: 1.0, touching: 20, ..kind }),
        ),
        ("a sweep that meets itself", of_robot(draw, &slider, &Kind { angle: 13.0, n_motions: 6, ..kind })),
        ("turns", case(draw, &Kind { angle: 6.0, n_motions: 2, ..kind })),
        ("edge-on triangles", case(draw, &Kind { shape: Shape::Flat, ..kind })),
        ("triangles below a pixel", case(draw, &Kind { shape: Shape::Tiny, ..kind })),
        ("needles", case(draw, &Kind { shape: Shape::Needle, ..kind })),
        ("triangles beyond the tile", case(draw, &Kind { shape: Shape::Large, ..kind })),
        ("1 km away", case(draw, &Kind { far_m: 1e3, ..kind })),
        ("10 km away", case(draw, &Kind { far_m: 1e4, ..kind })),
    ]
}

fn judge(what: &str, case: &Case, [before, after]: &[Vec<Candidate>; 2]) -> usize {
    let lost = lost(case, after);
    let (all, bad) = dropped(case, before, after);
    println!(
        "{what}: {all} dropped, {bad} of them not proved free; {} touch, {lost} of them lost",
        case.touching.len()
    );
    assert_eq!((bad, lost), (0, 0), "{what}");
    all
}

#[test]
fn reference_drops_only_what_is_free() {
    let mut draw = Draw::new(46);
    let mut all = 0;
    for i in 0..effort(1, 30) {
        let case = case(&mut draw, &Kind { angle: [0.05, 0.3, 1.5][i % 3], ..Kind::default() });
        for form in [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix] {
            all += judge("random motions", &case, &reference(&case, form, 32));
        }
    }
    for (what, case) in adversarial(&mut draw) {
        all += judge(what, &case, &reference(&case, PoseEnclosure::TaylorModel, TILE_PIXELS[all % 3] as usize));
    }
    println!("{all} sets of piece, link and triangle dropped, all proved free");
}

/// Culling by the paper's tessellation.
#[test]
fn the_papers_surface_drops_only_what_is_free() {
    let mut draw = Draw::new(55);
    let mut all = 0;
    let mut judged = |what: &str, case: &Case, n: u32| {
        let with = |input: &Input, candidates: &mut [Candidate]| maps::reference(input, candidates, n as usize);
        all += judge(what, case, &stage(case, PoseEnclosure::TaylorModel, with));
    };
    for i in 0..effort(2, 40) {
        let case = case(&mut draw, &Kind { angle: [0.05, 0.3, 1.5][i % 3], ..Kind::default() });
        judged("random motions", &case, TILE_PIXELS[i % 3]);
    }
    let arm = arm(&mut draw, 12);
    judged("an arm that turns", &arm, 32);
    for (what, case) in adversarial(&mut draw) {
        judged(what, &case, 32);
    }
    println!("{all} sets of piece, link and triangle dropped, all proved free");
    assert!(all > 1000);
}

#[test]
fn kernel_drops_only_what_is_free() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(47);
    let mut all = 0;
    for i in 0..effort(2, 60) {
        let case = case(&mut draw, &Kind { angle: [0.05, 0.3, 1.5][i % 3], n_motions: 6, ..Kind::default() });
        let form = [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix][i % 2];
        let n = TILE_PIXELS[i % 3] as usize;
        all += judge("random motions", &case, &on_adapter(&case, &options(form, n), None));
    }
    for (what, case) in adversarial(&mut draw) {
        all += judge(what, &case, &on_adapter(&case, &options(PoseEnclosure::TaylorModel, 32), None));
    }
    println!("{all} sets of piece, link and triangle dropped, all proved free");
}

/// Triangles that touch only within the margin are drawn, too, in all forms.
#[test]
fn candidates_within_the_margin_are_kept() {
    let mut draw = Draw::new(56);
    for margin_m in [1e-3, 0.05] {
        let kind = Kind { margin_m, shape: Shape::Corner, touching: 12, angle: 0.2, ..Kind::default() };
        let case = case(&mut draw, &kind);
        let with = |input: &Input, candidates: &mut [Candidate]| maps::reference(input, candidates, 64);
        judge("the paper's surface", &case, &stage(&case, PoseEnclosure::TaylorModel, with));
        judge("reference", &case, &reference(&case, PoseEnclosure::TaylorModel, 64));
        if !skip() {
            judge("kernel", &case, &on_adapter(&case, &options(PoseEnclosure::TaylorModel, 64), None));
        }
    }
}

/// Removing any safety term has a visible effect: a touching triangle is lost.
#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(48);
    let kind = Kind { shape: Shape::Corner, others: 0, ..Kind::default() };
    let fast = case(&mut draw, &Kind { angle: 2.5, n_motions: 6, touching: 12, ..kind });
    let still = case(&mut draw, &Kind { angle: 0.0, slide_m: 0.0, touching: 30, ..kind });
    let thick = case(&mut draw, &Kind { shape: Shape::Any, angle: 0.5, touching: 20, ..kind });
    let arm = arm(&mut draw, 24);
    let far = case(&mut draw, &Kind { n_bodies: 12, angle: 0.0, slide_m: 0.0, touching: 30, far_m: 1e5, ..kind });
    for (what, case) in [("fast", &fast), ("still", &still), ("thick", &thick), ("arm", &arm), ("far", &far)] {
        judge(what, case, &on_adapter(case, &options(PoseEnclosure::TaylorModel, 64), None));
    }
    let mut unseen = Vec::new();
    for (what, case, old, new) in [
        ("dilation off", &still, "let pixel = 0.5 + SNAP + size * (OUTLINE_ROUNDINGS * UNIT);", "let pixel = 0.0;"),
        ("half a pixel dropped", &still, "let pixel = 0.5 + SNAP", "let pixel = SNAP"),
        (
            "depths rounded inward",
            &still,
            "return vec2<u32>(step_of(near, half), step_of(far, half));",
            "return vec2<u32>(step_of(near, half) + 1u, step_of(far, half));",
        ),
        (
            "the radius' remainder dropped",
            &arm,
            "body.radius = (radius + max(around_a, around_b))",
            "body.radius = (radius + max(a.ball, b.ball))",
        ),
        (
            "what f32 rounds dropped",
            &far,
            "body.radius = (radius + max(around_a, around_b))",
            "body.radius = (radius + max(norm_bound(a.c2), norm_bound(b.c2)) * quarter)",
        ),
        (
            "the radius dropped",
            &still,
            "body.radius = (radius + max(around_a, around_b))",
            "body.radius = (max(around_a, around_b))",
        ),
        (
            "the map of another view",
            &still,
            "d.map = (tile * 3u + view) * n * n;",
            "d.map = (tile * 3u + select(view, 0u, triangle != 0u)) * n * n;",
        ),
        (
            "the bit of another triangle",
            &still,
            "1u << (d.triangle % CLUSTER_SIZE)",
            "2u << (d.triangle % CLUSTER_SIZE)",
        ),
        (
            "the depth of a pixel's middle",
            &thick,
            "let lift = thick + steep * 0.5 + slack;",
            "let lift = thick + slack;",
        ),
        ("the last sub-interval", &thick, "let sub = instance % SUBS;", "let sub = instance % (SUBS - 1u);"),
        (
            "the ends' ways",
            &arm,
            "array<vec3<f32>, 4>(middle_a - way_a, middle_a + way_a, middle_b - way_b, middle_b + way_b)",
            "array<vec3<f32>, 4>(middle_a, middle_a, middle_b, middle_b)",
        ),
        (
            "a tile of the last sub-interval's box",
            &fast,
            "hi = max(hi, vec3<f32>(boxes[i + 3u * SUBS], boxes[i + 4u * SUBS], boxes[i + 5u * SUBS]));",
            "hi = vec3<f32>(boxes[i + 3u * SUBS], boxes[i + 4u * SUBS], boxes[i + 5u * SUBS]);",
        ),
        (
            "a corner of the polygon",
            &still,
            "let k = select((16u - i) / 2u, (i + 1u) / 2u, i % 2u == 1u) % 8u;",
            "let k = select((16u - i) / 2u, (i + 1u) / 2u, i % 2u == 1u) % 7u;",
        ),
    ] {
        let [_, after] = on_adapter(case, &options(PoseEnclosure::TaylorModel, 64), Some(Mutant { old, new }));
        let lost = lost(case, &after);
        println!("{what}: {lost} of {} lost", case.touching.len());
        unseen.extend((lost == 0).then_some(what));
    }
    assert!(unseen.is_empty(), "go unseen: {unseen:?}");
}

/// If the swept volumes of the links are not drawn, or not in every view, every candidate is kept.
#[test]
fn lost_drawings_keep_all_candidates() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(53);
    let case = case(&mut draw, &Kind { n_motions: 2, others: 100, ..Kind::default() });
    for (old, new) in [
        ("fn fill(d: Drawn) {", "fn fill(d: Drawn) { if chunk.tile_pixels == 32u { return; }"),
        ("let view = instance / SUBS % 3u;", "let view = instance / SUBS % 2u;"),
    ] {
        let [before, after] = on_adapter(&case, &options(PoseEnclosure::TaylorModel, 32), Some(Mutant { old, new }));
        let (all, _) = dropped(&case, &before, &after);
        assert_eq!((all, lost(&case, &after)), (0, 0), "{new}");
    }
}

/// Candidates that find no room in the atlas are kept.
#[test]
fn candidates_without_room_in_the_atlas_are_kept() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(49);
    let case = case(&mut draw, &Kind { touching: 3, others: 200, ..Kind::default() });
    let roomy = options(PoseEnclosure::TaylorModel, 32);
    let capacities = Capacities { pieces: 64, boxes: 1 << 10, queue: 1 << 14, candidates: 1 << 14, pairs: 1 << 14 };
    // The atlas takes a quarter of the memory: three tiles of three views, 32² pixels, two words.
    let narrow = Options { memory_bytes: 4 * 3 * 3 * 1024 * 8, capacities: Some(capacities), ..roomy.clone() };
    let [before, all] = on_adapter(&case, &roomy, None);
    let [_, some] = on_adapter(&case, &narrow, None);
    judge("three tiles", &case, &[before.clone(), some.clone()]);
    let links = |after: &[Candidate]| {
        let changed = before.iter().zip(after).filter(|(b, a)| dropped(&case, &[**b], &[**a]).0 > 0);
        changed.map(|(b, _)| (b.piece, b.link)).collect::<HashSet<_>>().len()
    };
    println!("with room {} sweeps of links drop something, with three tiles {}", links(&all), links(&some));
    assert!(links(&all) > 3 && (1..=3).contains(&links(&some)));
    // The list of triangles is as long as that of the candidates.
    let n = before.len() as u32;
    let short = Options { capacities: Some(Capacities { candidates: n, ..capacities }), ..roomy };
    let [_, some] = on_adapter(&case, &short, None);
    judge("a short list", &case, &[before.clone(), some.clone()]);
    let triangles: usize = before.iter().map(|c| c.triangles(&case.world).count()).sum();
    println!("{triangles} triangles of {n} candidates; {} and {} drop something", links(&all), links(&some));
    assert!(triangles > before.len() && dropped(&case, &before, &some).0 < dropped(&case, &before, &all).0);
}

/// If `s3_cull` is omitted, the chunks use the same memory one after the other.
#[test]
fn without_culling_each_chunk_has_its_own_tiles() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(54);
    let case = case(&mut draw, &Kind { n_motions: 12, touching: 1, others: 30, ..Kind::default() });
    let mut pipeline =
        mutated_pipeline(&case.world, &Options { cull: false, ..options(PoseEnclosure::TaylorModel, 32) }, None);
    let (earlier, later) = case.pieces.split_at(case.pieces.len() / 2);
    assert!(later.len() * case.world.links.len() > 16, "more than what stands in for a buffer that is not there");
    for (pieces, first) in [(earlier, 0), (later, earlier.len() as u32), (earlier, 0)] {
        let chunk = ChunkInput { pieces: pieces.to_vec(), motions: &case.motions };
        pipeline.upload_chunk(&chunk, 0).unwrap();
        for stage in [Stage::Concat, Stage::Bound, Stage::Cull] {
            pipeline.run_stage(&chunk, 0, stage).unwrap();
        }
        let of_case = |(mut candidates, wanted): (Vec<Candidate>, usize)| {
            assert_eq!(candidates.len(), wanted);
            candidates.iter_mut().for_each(|c| c.piece += first);
            candidates
        };
        let before = of_case(pipeline.candidates(0).unwrap());
        pipeline.run_stage(&chunk, 0, Stage::Sweep).unwrap();
        let after = of_case(pipeline.candidates(0).unwrap());
        let (_, bad) = dropped(&case, &before, &after);
        let touching: Vec<_> =
            case.touching.iter().filter(|t| (first..first + pieces.len() as u32).contains(&t.0)).copied().collect();
        assert_eq!((bad, lost_of(&case.world, &touching, &after)), (0, 0));
        for piece in first..first + pieces.len() as u32 {
            let of_piece = |c: &[Candidate]| c.iter().filter(|c| c.piece == piece).copied().collect::<Vec<_>>();
            let (all, _) = dropped(&case, &of_piece(&before), &of_piece(&after));
            assert!(all > 30, "piece {piece}: {all} dropped");
        }
    }
}

/// The kernel and the reference give nearly the same result.
#[test]
fn kernel_keeps_little_more_than_the_reference() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(50);
    for n in TILE_PIXELS {
        let (mut kept, mut needed, mut all) = (0, 0, 0);
        for form in [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix] {
            let case = case(&mut draw, &Kind { n_motions: effort(2, 40), others: 300, ..Kind::default() });
            let [before, after] = on_adapter(&case, &options(form, n as usize), None);
            let [before_there, after_there] = reference(&case, form, n as usize);
            let count = |c: &[Candidate]| c.iter().map(|c| c.triangles(&case.world).count()).sum::<usize>();
            kept += count(&after);
            needed += count(&after_there);
            all += count(&before).max(count(&before_there));
        }
        println!("{n}²: of {all} triangles the kernel keeps {kept}, the reference {needed}");
        assert!(kept as f64 <= 1.05 * needed as f64 + 5.0 && needed < all / 2);
    }
}
