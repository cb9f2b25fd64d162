//! The maps against a second instrument: a depth buffer and occlusion queries. Queries tell less, because they keep the
//! sweep's near and far side in two buffers and a triangle may pass each in another pixel; whatever they clear the maps must
//! have cleared, and they must clear most of what the maps do.

use super::case::{Case, Kind, Shape, case, options};
use crate::effort;
use crate::harness::gpu::{mutated_flow, skip};
use crate::harness::models::Draw;
use firstcontact::engine::Stage;
use firstcontact::engine::gpu::ChunkInput;
use firstcontact::numeric::pose_bound::BoundForm;
use firstcontact::stage::Candidate;

/// What comes in, what the maps leave and what the queries leave.
fn both(case: &Case, n: usize) -> [Vec<Candidate>; 3] {
    let mut flow = mutated_flow(&case.world, &options(BoundForm::Jet, n), None);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    flow.load(&case.world, &chunk, 0).unwrap();
    for stage in [Stage::Concat, Stage::Bound, Stage::Cull] {
        flow.run_stage(&chunk, 0, stage).unwrap();
    }
    let (before, _) = flow.candidates(0).unwrap();
    // In their order on the device, in which the queries count them, too.
    flow.buffers(0).write(flow.gpu(), firstcontact::gpu::Slot::Candidates, 0, &before);
    flow.run_stage(&chunk, 0, Stage::Sweep).unwrap();
    let maps = flow.buffers(0).read(flow.gpu(), firstcontact::gpu::Slot::Candidates, before.len()).unwrap();
    let mut queries = before.clone();
    flow.queried(0, &mut queries).unwrap();
    [before, maps, queries]
}

#[test]
fn queries_never_clear_what_the_maps_see() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(51);
    let (mut all, mut by_maps, mut by_queries) = (0, 0, 0);
    for i in 0..effort(2, 12) {
        let kind = Kind { n_motions: 2, shape: [Shape::Any, Shape::Corner][i % 2], others: 80, ..Kind::default() };
        let case = case(&mut draw, &kind);
        let [before, maps, queries] = both(&case, [32, 16, 64][i % 3]);
        for ((b, m), q) in before.iter().zip(&maps).zip(&queries) {
            let triangles = |c: &Candidate| c.triangles(&case.world).count();
            let there = (1u64 << case.world.scene.tree.leaf(b.cluster).len()) as u32;
            let meant = there.wrapping_sub(1);
            assert_eq!(m.triangles & !q.triangles & meant, 0, "seen by the maps and not by queries: {m:?} {q:?}");
            all += triangles(b);
            by_maps += triangles(b) - triangles(m);
            by_queries += triangles(b) - triangles(q);
        }
    }
    println!("of {all} triangles the maps clear {by_maps}, queries {by_queries}");
    assert!(by_queries * 5 > by_maps * 3 && by_maps > all / 4);
}
