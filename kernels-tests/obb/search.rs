//! The search by trees of oriented boxes: drops only free pairs, keeps those that the spheres keep.

use super::FORMS;
use crate::effort;
use crate::harness::models::Draw;
use crate::s5_pairs::{ANGLES, Case, bits, case, search, unproved};
use firstcontact::bvh::obb_tree::{Below, ObbTree, ObbTrees};
use firstcontact::enclosure::pose_bound::PoseEnclosure;

fn with_trees(case: &mut Case, level: Option<u32>) {
    let trees = ObbTrees { level, ..ObbTrees::new(&case.world, 0) };
    case.obb_trees = Some(trees);
}

const LEVELS: [Option<u32>; 6] = [None, Some(0), Some(1), Some(2), Some(3), Some(4)];

#[test]
fn the_search_drops_only_what_is_free() {
    let mut draw = Draw::new(58);
    for (i, (n_bodies, n_triangles)) in [(0, 2), (3, 30), (6, 60), (2, 150)].into_iter().enumerate() {
        let mut case = case(&mut draw, n_bodies, n_triangles, effort(4, 40), ANGLES);
        for form in FORMS {
            // Every level on the small cases, one level on each of the larger ones.
            for level in
                LEVELS.into_iter().skip(if i < 2 { 0 } else { i + form as usize }).take(if i < 2 { 6 } else { 1 })
            {
                with_trees(&mut case, level);
                let pieces = case.pieces.clone();
                case.cut_for_cpu();
                let pairs = search(&case, form).0;
                assert_eq!(unproved(&case, &pairs), 0, "{form:?}, level {level:?}, pieces of the CPU");
                case.pieces = pieces;
                let (pairs, counts) = search(&case, form);
                assert_eq!(unproved(&case, &pairs), 0, "{form:?}, level {level:?}");
                assert!(counts.bound_tests > 0 || n_triangles < 30);
            }
        }
    }
}

/// The last step is the same: it drops the surplus pairs that the boxes keep, and the boxes drop hardly more than the
/// spheres do. Before it, the search by spheres also tests the boxes of its leaves over several sub-intervals at once,
/// which separates up to a tenth of the pairs that no test of a single sub-interval does.
#[test]
fn the_search_keeps_what_the_spheres_keep() {
    let mut draw = Draw::new(59);
    for form in FORMS {
        let (mut kept, mut spheres, mut tests) = (0, 0, [0; 2]);
        for (n_bodies, n_triangles) in [(3, 30), (6, 60), (2, 150)] {
            let mut case = case(&mut draw, n_bodies, n_triangles, effort(12, 40), ANGLES);
            let (pairs, counts) = search(&case, form);
            (spheres, tests[0]) = (spheres + bits(&pairs), tests[0] + counts.bound_tests);
            with_trees(&mut case, None);
            let (pairs, counts) = search(&case, form);
            (kept, tests[1]) = (kept + bits(&pairs), tests[1] + counts.bound_tests);
        }
        println!(
            "{form:?}: {kept} sub-intervals kept, by spheres {spheres}; {tests:?} tests of bounds by spheres, by boxes"
        );
        assert!(f64::from(kept) <= 1.15 * f64::from(spheres) + 10.0);
        assert!(f64::from(kept) >= 0.9 * f64::from(spheres) - 10.0);
    }
}

/// Trees with something missing: the proofs detect each case.
#[test]
fn mutants_of_the_trees_are_caught() {
    let mut draw = Draw::new(60);
    let mut case = case(&mut draw, 4, 120, 8, [0.3, 1.5]);
    let flatten = |tree: &mut ObbTree, i: usize| tree.nodes.iter_mut().for_each(|n| n.obb.half[i] = 0.0);
    let forget = |tree: &mut ObbTree| {
        tree.nodes.iter_mut().for_each(|n| {
            if let Below::Triangles(places) = &mut n.below {
                *places = places.start..places.end - 1;
            }
        });
    };
    for axis in 0..3 {
        with_trees(&mut case, None);
        case.obb_trees.as_mut().unwrap().links.iter_mut().flatten().for_each(|t| flatten(t, axis));
        assert!(
            unproved(&case, &search(&case, PoseEnclosure::TaylorModel).0) > 0,
            "axis {axis} of the link goes unseen"
        );
        with_trees(&mut case, None);
        case.obb_trees.as_mut().unwrap().clusters.iter_mut().for_each(|t| flatten(t, axis));
        assert!(
            unproved(&case, &search(&case, PoseEnclosure::TaylorModel).0) > 0,
            "axis {axis} of the scene goes unseen"
        );
    }
    with_trees(&mut case, None);
    case.obb_trees.as_mut().unwrap().links.iter_mut().flatten().for_each(forget);
    assert!(unproved(&case, &search(&case, PoseEnclosure::TaylorModel).0) > 0, "a triangle left out goes unseen");
}
