//! Every time, every triangle and every part of the model counts.

use super::models::*;
use super::prover::*;
use super::random::Random;
use crate::ball::{dot, exact, larger};
use crate::tree::Tree;
use crate::{Drive, Joint, Motion, Partition, Proved, Refusal, Time, Verifier};

const SPLIT_TIME: u8 = 0;
const SPLIT_A: u8 = 1;
const SPLIT_B: u8 = 2;
const ALONG_X: u8 = 4;

/// Verifies a proof of the only pair, up to the end of the motion.
fn with(problem: &Problem, proof: &[u8]) -> Result<Proved, Refusal> {
    verify(problem, &[&claim(problem, 0, last(problem)), proof].concat())
}

#[test]
fn both_halves_of_a_time_split_are_checked() {
    // The cube is in front of the wall until x = 0.9, and behind it from x = 1.2 on.
    let proof = [SPLIT_TIME, ALONG_X, ALONG_X];
    assert!(with(&slider(0.0, 0.89), &proof).is_ok());
    assert!(with(&slider(0.0, 1.0), &proof).is_err(), "the second half touches");
    assert!(with(&slider(1.0, 0.0), &proof).is_err(), "the first half touches");
    // It goes through the wall and comes back within either half.
    let there_and_back = |bump: [f64; 4]| {
        let coefficients = vec![bump.to_vec()];
        Problem { motion: Motion { segments: vec![crate::Segment { coefficients }] }, ..slider(0.0, 0.0) }
    };
    assert!(with(&there_and_back([0.0, 0.9, 0.9, 0.0]), &proof).is_ok());
    assert!(with(&there_and_back([0.0, 4.0, 0.0, 0.0]), &proof).is_err());
    assert!(with(&there_and_back([0.0, 0.0, 4.0, 0.0]), &proof).is_err());
    assert!(with(&there_and_back([0.0, 4.0, 0.0, 0.0]), &[ALONG_X]).is_err());
}

#[test]
fn every_segment_is_checked() {
    let through = [0.0, 1.0];
    for touching in 0..5 {
        let free = |k: usize| if k.is_multiple_of(2) { [0.0, 0.5] } else { [0.5, 0.0] };
        let segments: Vec<_> = (0..5).map(|k| segment(&[if k == touching { through } else { free(k) }])).collect();
        let problem = Problem { motion: Motion { segments: segments.clone() }, ..slider(0.0, 0.0) };
        // [0, 5) = [0, 2) and [2, 5); [2, 5) = [2, 3) and [3, 5).
        let proof = [0, 0, ALONG_X, ALONG_X, 0, ALONG_X, 0, ALONG_X, ALONG_X];
        assert!(with(&problem, &proof).is_err(), "segment {touching}");
        let mut free_segments = segments;
        free_segments[touching] = segment(&[free(touching)]);
        let problem = Problem { motion: Motion { segments: free_segments }, ..slider(0.0, 0.0) };
        assert!(with(&problem, &proof).is_ok());
        // An axis is for one segment.
        let refusal = with(&problem, &[ALONG_X]).unwrap_err().to_string();
        assert!(refusal.contains("several segments"), "{refusal}");
    }
}

/// The range of the last segment ends at the end, that of others at 1.
#[test]
fn earlier_segments_are_checked_up_to_their_end() {
    let segments = vec![segment(&[[0.0, 0.95]]), segment(&[[0.0, 0.1]])];
    let problem = Problem { motion: Motion { segments }, ..slider(0.0, 0.0) };
    let until = |segment, local| {
        let claim = claim(&problem, 3, Time { segment, local });
        let proof: &[u8] = if segment == 0 { &[ALONG_X] } else { &[SPLIT_TIME, ALONG_X, ALONG_X] };
        verify(&problem, &[&claim, proof].concat())
    };
    assert!(until(0, 0.9).is_ok() && until(0, 0.95).is_err());
    assert!(until(1, 0.1).is_err() && until(1, 0.9).is_err());
}

/// The cube's triangles, one of which reaches into the wall: a node that contains it is not separated.
#[test]
fn both_children_of_a_node_are_checked() {
    let far = [[0.0, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
    let spike = [[0.0, 0.0, 0.0], [1.05, 0.0, 0.0], [0.0, 0.01, 0.0]];
    for n in 2..6 {
        for touching in 0..n {
            let mut problem = slider(0.0, 0.0);
            let of = |k: usize| if k == touching { spike } else { far };
            // Of the link, then of the scene, which is the mirror image.
            problem.robot.links[0].triangles = (0..n).map(of).collect();
            let all = all_leaves(&partition(n), SPLIT_A);
            assert!(with(&problem, &all).is_err(), "{touching} of {n} in the link");
            problem.robot.links[0].triangles[touching] = far;
            assert!(with(&problem, &all).is_ok());
            let mirrored = |t: [[f64; 3]; 3]| t.map(|v| [1.0 - v[0], v[1], v[2]]);
            problem.scene = scene((0..n).map(|k| mirrored(of(k))).collect());
            let all = all_leaves(&partition(n), SPLIT_B);
            assert!(with(&problem, &all).is_err(), "{touching} of {n} in the scene");
            problem.scene.objects[0].triangles[touching] = mirrored(far);
            assert!(with(&problem, &all).is_ok());
        }
    }
}

/// A proof that splits a side down to its leaves, and separates each along x.
fn all_leaves(partition: &Partition, split: u8) -> Vec<u8> {
    fn walk(n: u32, left: &mut std::slice::Iter<u32>, split: u8, proof: &mut Vec<u8>) {
        if n < 2 {
            proof.push(ALONG_X);
            return;
        }
        proof.push(split);
        let of_left = *left.next().unwrap();
        walk(of_left, left, split, proof);
        walk(n - of_left, left, split, proof);
    }
    let mut proof = Vec::new();
    walk(partition.order.len() as u32, &mut partition.left.iter(), split, &mut proof);
    proof
}

#[test]
fn partitions_have_each_triangle_once() {
    let mut triangles = cuboid([0.0; 3], [1.0; 3]);
    triangles.truncate(4);
    let tree = |order: &[u32], left: &[u32]| {
        let partition = Partition { order: order.to_vec(), left: left.to_vec() };
        Tree::new(triangles.iter().collect(), &partition).map(|_| ()).map_err(|refusal| refusal.to_string())
    };
    assert_eq!(tree(&[3, 1, 0, 2], &[1, 2, 1]), Ok(()));
    for (order, left, why) in [
        (&[0, 1, 2, 2][..], &[1, 1, 1][..], "triangle 2 appears twice"),
        (&[0, 1, 2, 4], &[1, 1, 1], "triangle 4 appears twice in the partition, or does not exist"),
        (&[0, 1, 2], &[1, 1, 1], "wrong number of triangles"),
        (&[0, 1, 2, 3, 3], &[1, 1, 1], "wrong number of triangles"),
        (&[0, 1, 2, 3], &[1, 1], "wrong number of triangles"),
        (&[0, 1, 2, 3], &[1, 1, 1, 1], "wrong number of triangles"),
        (&[0, 1, 2, 3], &[0, 1, 1], "empty side"),
        (&[0, 1, 2, 3], &[4, 1, 1], "empty side"),
        (&[0, 1, 2, 3], &[1, 1, 2], "empty side"),
        (&[0, 1, 2, 3], &[5, 1, 1], "empty side"),
    ] {
        assert!(tree(order, left).is_err_and(|refusal| refusal.contains(why)), "{order:?} {left:?}: {why}");
    }
}

/// Hulls contain the triangles below them, in any direction, and sizes are those of the farthest vertex.
#[test]
fn nodes_bound_their_triangles() {
    let mut random = Random(9);
    for n in [1, 2, 3, 7, 20] {
        let triangles: Vec<_> = (0..n).map(|_| std::array::from_fn(|_| random.vector(1.0))).collect();
        let tree = Tree::new(triangles.iter().collect(), &partition(n)).unwrap();
        for node in 0..2 * n - 1 {
            for _ in 0..20 {
                let form = exact(random.vector(1.0));
                let bound = tree.extent(node, form);
                for place in tree.range(node) {
                    let triangle: [[f64; 3]; 3] = triangles[place];
                    for vertex in triangle {
                        assert!(bound >= dot(form, exact(vertex)).lower(), "node {node} of {n}");
                        let distance = vertex.iter().map(|x| x * x).sum::<f64>().sqrt();
                        assert!(tree.sizes(node).into_iter().fold(0.0, f64::max) >= distance * (1.0 - 1e-15));
                    }
                }
            }
        }
    }
}

/// The hull of a form that is known up to an error is that of all forms within it.
#[test]
fn errors_of_forms_widen_the_hull() {
    let mut random = Random(10);
    for n in [1, 4] {
        let triangles: Vec<_> = (0..n).map(|_| std::array::from_fn(|_| random.vector(1.0))).collect();
        let tree = Tree::new(triangles.iter().collect(), &partition(n)).unwrap();
        for _ in 0..200 {
            let form = exact(random.vector(1.0)).map(|x| x.widened(0.01));
            let bound = tree.extent(0, form);
            for vertex in triangles.iter().flatten() {
                let most: f64 = (0..3).map(|r| form[r].mid * vertex[r] + 0.01 * f64::abs(vertex[r])).sum();
                assert!(bound >= most - 1e-15);
            }
        }
    }
}

/// Margin and tolerance are distances for axes of any length.
#[test]
fn margins_hold_along_axes_of_any_length() {
    for (margin_m, tolerance, proved) in
        [(0.0499, 0.0, true), (0.0501, 0.0, false), (0.0, 0.0499, true), (0.0, 0.0501, false)]
    {
        let mut problem = slider(0.0, 0.85);
        problem.statement.margin_m = margin_m;
        problem.statement.joint_tolerance = vec![tolerance];
        for step in [&[ALONG_X][..], &[10, 127, 0, 0], &[11, 0xFF, 0x7F, 0, 0, 0, 0]] {
            assert_eq!(with(&problem, step).is_ok(), proved, "{margin_m} {tolerance} {step:?}");
        }
        for length in [1e-9, 3.7, 1e9] {
            let step = [&[12][..], &f64::to_le_bytes(length), &[0; 16]].concat();
            assert_eq!(with(&problem, &step).is_ok(), proved, "{margin_m} {tolerance} {length}");
        }
    }
}

/// An arm that swings past a wall, over a long time.
#[test]
fn the_taylor_remainder_is_part_of_the_bound() {
    let mut problem = arm([-1.6, 0.0], [1.6, 0.0]);
    problem.robot.links.truncate(1);
    problem.statement.link_pairs.clear();
    // x is the cosine of 1.6 u; the second and third control points of 1 - 1.28 u² are at 1 + 1.28 / 3, those of the
    // corners 0.03 m farther, and the remainder is 1.6⁴ / 24 = 0.27 m.
    let tip = 1.0_f64.hypot(0.05);
    for (gap, proved) in [(0.5, false), (0.7, false), (0.8, true)] {
        problem.scene = scene(cuboid([tip + gap, -0.5, -0.5], [3.0, 0.5, 0.5]));
        assert_eq!(with(&problem, &[ALONG_X]).is_ok(), proved, "{gap}");
        assert!(free(&problem).is_some(), "shorter times prove all of them");
    }
}

/// Each number of a model changes its hash, so certificates of another model are recognised.
#[test]
fn hashes_cover_everything() {
    type Change = fn(&mut Problem);
    let changes: [Change; 22] = [
        |p| p.robot.n_columns += 1,
        |p| p.robot.bodies[1].parent = None,
        |p| p.robot.bodies[2].orientation[1][2] = 1e-300,
        |p| p.robot.bodies[2].origin_m[0] = 1e-300,
        |p| p.robot.bodies[1].joint = revolute(0, [0.0, 0.0, 1.0]),
        |p| p.robot.bodies[0].joint = prismatic(0, [0.0, 0.0, 1.0]),
        |p| p.robot.bodies[0].joint = revolute(0, [0.0, 0.0, -1.0]),
        |p| p.robot.bodies[0].joint = revolute(1, [0.0, 0.0, 1.0]),
        |p| {
            let drive = Drive { multiplier: 2.0, ..drive(0) };
            p.robot.bodies[0].joint = Joint::Revolute { axis: [0.0, 0.0, 1.0], drive };
        },
        |p| {
            let drive = Drive { offset: 2.0, ..drive(0) };
            p.robot.bodies[0].joint = Joint::Revolute { axis: [0.0, 0.0, 1.0], drive };
        },
        |p| p.robot.links[0].name = "uppes".into(),
        |p| p.robot.links[0].body = 1,
        |p| p.robot.links[1].triangles[11][2][2] += 1e-16,
        |p| p.robot.links.swap(0, 1),
        |p| p.robot.links.truncate(1),
        |p| p.robot.bodies.truncate(2),
        |p| p.scene.objects[1].name = "pest".into(),
        |p| p.scene.objects[1].triangles[11][2][2] += 1e-15,
        |p| p.scene.objects.swap(0, 1),
        |p| p.scene.objects.truncate(1),
        |p| p.motion.segments[0].coefficients[1][1] += 1e-16,
        |p| p.motion.segments.push(segment(&[[2.5, 2.5], [-0.5, -0.5]])),
    ];
    let of = |p: &Problem| [p.robot.hash(), p.scene.hash(), p.motion.hash()];
    let problem = arm([-1.0, 0.5], [2.5, -0.5]);
    let mut seen = vec![of(&problem)];
    for (k, change) in changes.into_iter().enumerate() {
        let mut changed = problem.clone();
        change(&mut changed);
        let hashes = of(&changed);
        assert!(!seen.contains(&hashes), "change {k}");
        seen.push(hashes);
    }
    // A column moved from one segment to the next.
    let one = Motion { segments: vec![segment(&[[0.0, 1.0], [2.0, 3.0]])] };
    let two = Motion { segments: vec![segment(&[[0.0, 1.0]]), segment(&[[2.0, 3.0]])] };
    assert_ne!(one.hash(), two.hash());
}

/// A hash in a file's header that is not that of the model, alone.
#[test]
fn headers_of_other_models_are_refused() {
    let problem = slider(0.0, 0.5);
    let model = model(&problem);
    for k in 0..64 {
        let mut header = header(&problem);
        let hash = if k < 32 { &mut header.robot } else { &mut header.scene };
        hash[k % 32] ^= 1;
        assert!(Verifier::new(&model, problem.statement.clone(), &header).is_err(), "byte {k}");
    }
    let mut more = header(&problem);
    more.partitions.push(partition(0));
    assert!(Verifier::new(&model, problem.statement.clone(), &more).is_err());
    more.partitions.truncate(1);
    assert!(Verifier::new(&model, problem.statement.clone(), &more).is_err());
}

#[test]
fn the_larger_of_two_numbers() {
    assert_eq!((larger(1.0, 2.0), larger(2.0, 1.0), larger(-1.0, -1.0)), (2.0, 2.0, -1.0));
    assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
}
