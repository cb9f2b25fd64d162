//! Oriented boxes: the continuous overlap test of two moving boxes, and the search for pairs by box trees compared with
//! the search by line-swept spheres, on one thread.
//!
//! Redon et al. 2004, section 6: about one microsecond per test, given the bounds on the matrix elements.

use crate::case::{Case, case_of, set};
use criterion::{Criterion, Throughput};
use firstcontact::bvh::obb_tree::ObbTrees;
use firstcontact::enclosure::pose_bound::{PoseBound, PoseEnclosure};
use firstcontact::predicate::obb_overlap::{BoxBound, boxes_apart};
use firstcontact::robot::{Robot, Triangle};
use firstcontact::stage::s5_pairs::{self, Input};
use std::hint::black_box;
use std::sync::Arc;

pub fn bench(criterion: &mut Criterion) {
    let (robot, scene) = set("amr");
    let case = case_of(&robot, &scene);
    overlap_test(criterion, &case);
    search(criterion, "amr", case);
    let (robot, scene) = set("pipes");
    search(criterion, "pipes", case_of(&robot, &scene));
    for (halvings, name) in [(2, "pipes, links of 16 times as many triangles"), (3, "pipes, 64 times")] {
        search(criterion, name, case_of(&subdivided(&robot, halvings), &scene));
    }
}

/// Pairs of boxes of the Puma's last two links, most of which overlap, so that all fifteen axes are tried.
fn overlap_test(criterion: &mut Criterion, case: &Case) {
    let trees = ObbTrees::new(&case.world, 0);
    let n = case.world.links.len();
    let [a, b] = [n - 2, n - 1].map(|l| (case.world.links[l].body as usize, trees.links[l].as_ref()));
    let mut group = criterion.benchmark_group("obb_overlap");
    for form in [PoseEnclosure::TaylorModel, PoseEnclosure::IntervalMatrix] {
        let h = case.pieces[0].half_sub();
        let mut poses: Vec<PoseBound<f64>> = Vec::new();
        case.motions[0].bounds(form, h, h, &mut poses);
        let shapes = [&a, &b].map(|(body, tree)| {
            let nodes = tree.iter().flat_map(|t| &t.nodes);
            (poses[*body], nodes.map(|n| n.obb).collect::<Vec<_>>())
        });
        let bounds = shapes
            .each_ref()
            .map(|(pose, boxes)| boxes.iter().map(|b| BoxBound::moving(pose, b, h)).collect::<Vec<_>>());
        let tests = bounds[0].len() * bounds[1].len();
        let apart = || {
            let of = |x: &BoxBound<f64>| bounds[1].iter().map(|y| boxes_apart(x, y, 1)).sum::<u32>();
            bounds[0].iter().map(of).sum::<u32>()
        };
        println!("{form:?}: {} of {tests} pairs of boxes are apart", apart());
        group.throughput(Throughput::Elements(tests as u64));
        group.bench_function(format!("{form:?}, a test"), |b| b.iter(|| black_box(apart())));
        let n = shapes[0].1.len();
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(format!("{form:?}, bounds of a box"), |b| {
            b.iter(|| {
                for shape in &shapes[0].1 {
                    black_box(BoxBound::moving(&shapes[0].0, black_box(shape), h));
                }
            });
        });
    }
    group.finish();
}

/// The search for pairs, with trees of boxes or spheres for the links.
fn search(criterion: &mut Criterion, name: &str, case: Case) {
    let mut group = criterion.benchmark_group("obb_search");
    group.throughput(Throughput::Elements(case.pieces.len() as u64));
    group.sample_size(20);
    for (how, level) in [
        ("spheres", None),
        ("boxes", Some(None)),
        ("boxes, level 0", Some(Some(0))),
        ("boxes, level 2", Some(Some(2))),
        ("boxes, level 4", Some(Some(4))),
    ] {
        let obb_trees = level.map(|level| ObbTrees { level, ..ObbTrees::new(&case.world, 0) });
        let run = || {
            let mut limits = vec![u32::MAX; case.motions.len()];
            let input = Input {
                world: &case.world,
                obb_trees: obb_trees.as_ref(),
                pieces: &case.pieces,
                poses: &case.poses,
                boxes: &case.boxes,
                candidates: &case.candidates,
                courses: None,
            };
            s5_pairs::search(&input, Some(&mut limits), usize::MAX)
        };
        let (pairs, counts) = run();
        println!("{name}, {how}: {counts:?}, {} pairs", pairs.map_or(0, |p| p.len()));
        group.bench_function(format!("{name}, {how}"), |b| b.iter(|| black_box(run())));
    }
    group.finish();
}

/// The robot with every triangle divided into four, `halvings` times.
fn subdivided(robot: &Robot, halvings: usize) -> Robot {
    let mut robot = robot.clone();
    let cut = |[a, b, c]: Triangle| {
        let [p, q, r] = [(a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5];
        [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
    };
    for link in Arc::make_mut(&mut robot.links) {
        for _ in 0..halvings {
            link.triangles = Arc::new(link.triangles.iter().copied().flat_map(cut).collect());
            link.shape_starts.iter_mut().for_each(|s| *s *= 4);
        }
    }
    robot
}
