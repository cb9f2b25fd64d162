//! The kernels of `s5_pairs` against their twin in f64, entry by entry: same steps, so what the twin keeps the kernels
//! keep, and little more.

use super::{ANGLES, Case, SIZES, case, on_adapter, unproved};
use crate::effort;
use crate::harness::gpu::{Mutant, skip};
use crate::harness::models::Draw;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::stage::{TrianglePair, s1_concat, s2_bound, s3_cull, s5_pairs};
use std::collections::HashMap;

/// The pairs that the twin keeps of whole motions.
fn twin(case: &Case) -> Vec<TrianglePair> {
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
    s5_pairs::reference(&input, None, 1, usize::MAX).unwrap()
}

/// Time masks and first slices of pairs.
fn entries(pairs: &[TrianglePair]) -> HashMap<[u32; 3], u32> {
    pairs.iter().map(|p| ([p.piece_link, p.link_triangle, p.scene_triangle], p.mask_slice)).collect()
}

/// Entries of the twin that the kernels lack: a pair, or a sub-interval of it.
fn lacking(twin: &[TrianglePair], kernel: &[TrianglePair]) -> usize {
    let kernel = entries(kernel);
    let lacks = |p: &&TrianglePair| {
        let found = kernel.get(&[p.piece_link, p.link_triangle, p.scene_triangle]).copied().unwrap_or(0);
        let found = TrianglePair { mask_slice: found, ..**p };
        p.mask() & !found.mask() != 0
    };
    twin.iter().filter(lacks).count()
}

#[test]
fn the_twin_drops_only_what_is_free() {
    let mut draw = Draw::new(34);
    for (n_bodies, n_triangles) in SIZES {
        let case = case(&mut draw, n_bodies, n_triangles, effort(4, 40), ANGLES);
        assert_eq!(unproved(&case, &twin(&case)), 0);
    }
}

/// Kernels compute in f32 with larger rounding errors than the twin, so they separate no more than it does.
#[test]
fn the_kernels_keep_what_their_twin_keeps_and_little_more() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(35);
    let (mut kept, mut needed) = (0, 0);
    for (k, (n_bodies, n_triangles)) in SIZES.into_iter().chain(SIZES).enumerate() {
        let mut case = case(&mut draw, n_bodies, n_triangles, effort(4, 40), ANGLES);
        if k >= SIZES.len() {
            case.motions.iter_mut().for_each(|motion| motion.set_margin(0.02));
        }
        let (kernel, twin) = (on_adapter(&case, None), twin(&case));
        assert_eq!(lacking(&twin, &kernel), 0, "of {} entries", twin.len());
        kept += kernel.len();
        needed += twin.len();
    }
    println!("the kernels keep {kept} pairs where their twin keeps {needed}");
    assert!(needed > 50 && kept as f64 <= 1.01 * needed as f64 + 2.0, "{kept} of {needed}");
}

/// A step that is left out of a kernel shows in its entries.
#[test]
fn a_difference_between_kernel_and_twin_is_detected() {
    if skip() {
        return;
    }
    let case = case(&mut Draw::new(36), 5, 150, 12, [1.5, 2.5]);
    let twin = twin(&case);
    for (old, new) in [
        ("near |= 1u << k;", "near = 1u << k;"),
        ("if lane > leaf % LINK_LEAF ||", "if lane >= max(leaf % LINK_LEAF, 1u) ||"),
    ] {
        assert!(lacking(&twin, &on_adapter(&case, Some(Mutant { old, new }))) > 0, "'{new}' goes unseen");
    }
}
