//! Certificates that prove something else, or less: each is refused, with the reason.

use super::models::*;
use super::prover::*;
use crate::{Claim, Joint, Kind, Motion, Outline, Proved, Refusal, Time};

/// Refused with a reason that contains a text.
#[track_caller]
fn refused(verified: Result<Proved, Refusal>, why: &str) {
    let refusal = verified.expect_err("it was accepted").to_string();
    assert!(refusal.contains(why), "{refusal}");
}

fn swing() -> Problem {
    arm([-1.0, 0.5], [2.5, -0.5])
}

/// The length of everything before the proofs of a certificate without tolerances and witness.
const CLAIM_BYTES: usize = 1 + 1 + 32 + 8 + 4 + 12;

/// The proofs of the three pairs of the arm.
fn proofs_of_pairs(problem: &Problem) -> Vec<Vec<u8>> {
    let model = model(problem);
    let verifier = verifier(&model, problem);
    let n_pairs = verifier.pairs().count();
    (0..n_pairs).map(|pair| proof_of(problem, pair, last(problem)).unwrap()).collect()
}

#[test]
fn the_whole_statement_is_accepted() {
    let problem = swing();
    let [a, b, c] = &proofs_of_pairs(&problem)[..] else { panic!() };
    let whole = [claim(&problem, 0, last(&problem)), a.clone(), b.clone(), c.clone()].concat();
    assert_eq!(whole, free(&problem).unwrap());
    assert_eq!(verify(&problem, &whole).unwrap().n_pairs, 3);
    assert_eq!(Outline::new(&whole).unwrap().claim, Claim { motion: problem.motion.hash(), ..claimed(&whole) });
}

fn claimed(bytes: &[u8]) -> Claim {
    Outline::new(bytes).unwrap().claim
}

#[test]
fn an_omitted_pair_or_link_is_refused() {
    let problem = swing();
    let proofs = proofs_of_pairs(&problem);
    for out in 0..3 {
        let left = proofs.iter().enumerate().filter(|(pair, _)| *pair != out).flat_map(|(_, proof)| proof.clone());
        let bytes: Vec<u8> = claim(&problem, 0, last(&problem)).into_iter().chain(left).collect();
        assert!(verify(&problem, &bytes).is_err(), "without pair {out}");
    }
    // The proof for the robot without its second link, or without the pair of links.
    let mut less = problem.clone();
    less.statement.link_pairs.clear();
    let certificate = free(&less).unwrap();
    assert_eq!(verify(&less, &certificate).unwrap().n_pairs, 2);
    refused(verify(&problem, &certificate), "the bytes end too early");
    refused(verify(&less, &free(&problem).unwrap()), "bytes follow the last proof");
}

#[test]
fn an_omitted_object_is_refused() {
    let problem = arm([-1.0, 0.0], [4.0, 0.0]);
    assert!(free(&problem).is_none(), "the arm sweeps through both obstacles");
    let mut less = problem.clone();
    less.statement.excluded = vec![[0, 0], [0, 1], [1, 0], [1, 1]];
    let certificate = free(&less).unwrap();
    assert_eq!(verify(&less, &certificate).unwrap().kind, Kind::Free);
    refused(verify(&problem, &certificate), "not excluded");
    // One object that is excluded does not exclude the other.
    less.statement.excluded.retain(|[_, object]| *object == 0);
    refused(verify(&less, &certificate), "not excluded");
}

#[test]
fn a_proof_until_an_earlier_time_is_refused() {
    let problem = swing();
    let end = Time { segment: 0, local: 0.999 };
    let mut bytes = until(&problem, end).unwrap();
    assert_eq!(verify(&problem, &bytes).unwrap().end, end);
    bytes[1] = 0;
    refused(verify(&problem, &bytes), "free until 0.999 of segment 0 only");
    // The same proof with the end moved.
    let last = claim(&problem, 0, last(&problem));
    bytes[..last.len()].copy_from_slice(&last);
    assert!(verify(&slider(0.0, 0.9), &bytes).is_err());
    let two = Problem {
        motion: Motion { segments: vec![segment(&[[0.0, 0.5]]), segment(&[[0.5, 1.0]])] },
        ..slider(0.0, 0.0)
    };
    let end = Time { segment: 0, local: 1.0 };
    let mut bytes = until(&two, end).unwrap();
    assert_eq!(verify(&two, &bytes).unwrap().end, end);
    bytes[1] = 0;
    refused(verify(&two, &bytes), "free until 1 of segment 0 only");
    assert!(free(&two).is_none(), "it goes through the wall");
}

/// The end of a proof that is moved to a later time is not covered by its steps.
#[test]
fn an_end_moved_to_a_later_time_is_refused() {
    let problem = slider(0.0, 0.95);
    let early = until(&problem, Time { segment: 0, local: 0.9 }).unwrap();
    for local in [0.95, 0.99, 1.0] {
        let claim = claim(&problem, 3, Time { segment: 0, local });
        let bytes = [&claim[..], &early[CLAIM_BYTES..]].concat();
        refused(verify(&problem, &bytes), "does not separate");
    }
}

#[test]
fn times_beyond_the_motion_are_refused() {
    let problem = slider(0.0, 0.5);
    let certificate = free(&problem).unwrap();
    for (segment, local) in [(1, 0.5), (7, 0.0), (u32::MAX as usize, 1.0)] {
        let claim = claim(&problem, 3, Time { segment, local });
        refused(verify(&problem, &[&claim[..], &certificate[CLAIM_BYTES..]].concat()), "the last one is 0");
    }
    for local in [f64::NAN, -1e-300, 1.0 + f64::EPSILON, f64::INFINITY] {
        let claim = claim(&problem, 3, Time { segment: 0, local });
        refused(verify(&problem, &[&claim[..], &certificate[CLAIM_BYTES..]].concat()), "is not in [0, 1]");
    }
}

#[test]
fn a_smaller_margin_or_tolerance_is_refused() {
    let bare = slider(0.0, 0.85);
    let certificate = free(&bare).unwrap();
    let mut wide = bare.clone();
    wide.statement.margin_m = 0.01;
    refused(verify(&wide, &certificate), "the margin is 0 m, not 0.01 m");
    let mut tube = bare.clone();
    tube.statement.joint_tolerance = vec![0.01];
    refused(verify(&tube, &certificate), "the tolerance of column 0 is 0, not 0.01");
    // Both hold, and the certificates say so; a larger margin is not the same statement either.
    assert!(verify(&wide, &free(&wide).unwrap()).is_ok() && verify(&tube, &free(&tube).unwrap()).is_ok());
    refused(verify(&bare, &free(&wide).unwrap()), "margin");
    refused(verify(&bare, &free(&tube).unwrap()), "tolerance");
    // No tolerance and a tolerance of 0 are the same.
    tube.statement.joint_tolerance = vec![0.0];
    assert!(verify(&tube, &certificate).is_ok());
    for margin in [f64::NAN, -0.0, -1.0, f64::INFINITY] {
        let mut bytes = certificate.clone();
        bytes[34..42].copy_from_slice(&f64::to_le_bytes(margin));
        let verified = verify(&bare, &bytes);
        // -0 is 0.
        assert!(if margin == 0.0 { verified.is_ok() } else { verified.is_err() }, "{margin}");
    }
}

/// The gap is 0.05 m at the end.
#[test]
fn margins_and_tolerances_reduce_the_gap() {
    for (margin_m, tolerance, proved) in [
        (0.0499, 0.0, true),
        (0.0501, 0.0, false),
        (0.0, 0.0499, true),
        (0.0, 0.0501, false),
        (0.03, 0.0199, true),
        (0.03, 0.0201, false),
    ] {
        let mut problem = slider(0.0, 0.85);
        problem.statement.margin_m = margin_m;
        problem.statement.joint_tolerance = vec![tolerance];
        let certificate = free(&problem);
        assert_eq!(certificate.is_some(), proved, "{margin_m} {tolerance}");
        certificate.iter().for_each(|bytes| assert!(verify(&problem, bytes).is_ok()));
    }
}

/// A tolerance of a joint that drives two others by mimicking moves all of them.
#[test]
fn tolerances_of_mimic_joints_reduce_the_gap() {
    let mut problem = slider(0.0, 0.5);
    let bodies = &mut problem.robot.bodies;
    let mut twice = drive(0);
    twice.multiplier = -2.0;
    bodies.push(body(Some(0), [0.0; 3], Joint::Prismatic { axis: [-1.0, 0.0, 0.0], drive: twice }));
    problem.robot.links[0].body = 1;
    // At the end of column 0, 0.25, the cube is at 0.25 + 2 * 0.25, its front at 0.85, 0.15 from the wall.
    problem.motion = line(&[[0.0, 0.25]]);
    for (tolerance, proved) in [(0.049, true), (0.051, false)] {
        problem.statement.joint_tolerance = vec![tolerance];
        assert_eq!(free(&problem).is_some(), proved, "{tolerance}");
    }
}

#[test]
fn another_motion_is_refused() {
    let problem = swing();
    let certificate = free(&problem).unwrap();
    let mut other = problem.clone();
    other.motion.segments[0].coefficients[1][1] += 1e-16;
    refused(verify(&other, &certificate), "another motion");
    // The same path with another number of segments is another motion.
    other.motion = Motion { segments: vec![problem.motion.segments[0].clone(), segment(&[[2.5, 2.5], [-0.5, -0.5]])] };
    refused(verify(&other, &certificate), "another motion");
    let mut bytes = certificate.clone();
    bytes[2..34].copy_from_slice(&other.motion.hash());
    refused(verify(&other, &bytes), "free until 1 of segment 0 only");
}

/// The kinematics of another robot with the right hash: the steps do not hold.
#[test]
fn another_robot_with_the_right_hash_is_refused() {
    let problem = slider(0.0, 0.85);
    let certificate = free(&problem).unwrap();
    let mut faster = problem.clone();
    if let Joint::Prismatic { drive, .. } = &mut faster.robot.bodies[0].joint {
        drive.multiplier = 1.1;
    }
    refused(verify(&faster, &certificate), "does not separate");
    let mut shifted = problem.clone();
    shifted.robot.bodies[0].origin_m[0] = 0.06;
    refused(verify(&shifted, &certificate), "does not separate");
    let mut header = header(&problem);
    header.robot = faster.robot.hash();
    let model = model(&problem);
    let verifier = crate::Verifier::new(&model, problem.statement.clone(), &header);
    assert!(verifier.is_err_and(|refusal| refusal.to_string().contains("another robot")));
}

/// A gap of exactly zero, or of exactly the margin, is not a separation.
#[test]
fn touching_is_not_a_separation() {
    // The cube's front is at 1.0 exactly, where the wall begins: 0.5 + 0.5 is exact.
    let mut problem = slider(0.0, 0.5);
    problem.robot.links[0].triangles = cuboid([-0.5; 3], [0.5; 3]);
    let along_x = [claim(&problem, 0, last(&problem)), vec![4]].concat();
    refused(verify(&problem, &along_x), "does not separate");
    problem.motion = line(&[[0.0, 0.25]]);
    let along_x = [claim(&problem, 0, last(&problem)), vec![4]].concat();
    assert!(verify(&problem, &along_x).is_ok());
    problem.statement.margin_m = 0.25;
    let along_x = [claim(&problem, 0, last(&problem)), vec![4]].concat();
    refused(verify(&problem, &along_x), "does not separate");
    problem.statement.margin_m = 0.25 - 1e-12;
    let along_x = [claim(&problem, 0, last(&problem)), vec![4]].concat();
    assert!(verify(&problem, &along_x).is_ok());
}

/// Axes that are not valid directions separate nothing.
#[test]
fn axes_without_a_direction_separate_nothing() {
    let problem = slider(0.0, 0.5);
    let huge = f64::MAX;
    for axis in [
        [0.0; 3],
        [f64::NAN, 0.0, 0.0],
        [1.0, f64::NAN, 0.0],
        [f64::INFINITY, 0.0, 0.0],
        [huge, huge, huge],
        [huge, 0.0, 0.0],
        [1e-200, 0.0, 0.0],
        [f64::MIN_POSITIVE, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
    ] {
        let mut bytes = [claim(&problem, 0, last(&problem)), vec![12]].concat();
        axis.iter().for_each(|x: &f64| bytes.extend(x.to_le_bytes()));
        refused(verify(&problem, &bytes), "does not separate");
    }
    for length in [1e-20, 1.0, 1e100] {
        let mut bytes = [claim(&problem, 0, last(&problem)), vec![12]].concat();
        [length, 0.0, 0.0].iter().for_each(|x: &f64| bytes.extend(x.to_le_bytes()));
        assert!(verify(&problem, &bytes).is_ok(), "{length}");
    }
}

/// Two cubes that move together, 0.1 m apart, are separated by one axis over all the time: both are bounded at the same
/// time. Separate extremes would overlap.
#[test]
fn two_links_are_compared_at_the_same_time() {
    let mut problem = slider(0.0, 0.0);
    problem.scene.objects.clear();
    problem.robot.n_columns = 2;
    problem.robot.bodies.push(body(None, [0.3, 0.0, 0.0], prismatic(1, [1.0, 0.0, 0.0])));
    problem.robot.links.push(link("ahead", 1, cuboid([-0.1; 3], [0.1; 3])));
    problem.statement.link_pairs = vec![[0, 1]];
    problem.motion = line(&[[0.0, 5.0], [0.0, 5.0]]);
    let along_x = [claim(&problem, 0, last(&problem)), vec![4]].concat();
    assert_eq!(verify(&problem, &along_x).unwrap().n_steps, 1);
    // The one behind is faster, and at the end both touch.
    problem.motion = line(&[[0.0, 5.1], [0.0, 5.0]]);
    let along_x = [claim(&problem, 0, last(&problem)), vec![4]].concat();
    refused(verify(&problem, &along_x), "does not separate");
}

/// A witness of a contact, as bytes.
fn witness(local: f64, link: u32, triangle: u32, other: (u8, u32, u32)) -> Vec<u8> {
    let mut bytes = [0_u32.to_le_bytes().to_vec(), local.to_le_bytes().to_vec()].concat();
    bytes.extend([link.to_le_bytes(), triangle.to_le_bytes()].concat());
    bytes.push(other.0);
    bytes.extend([other.1.to_le_bytes(), other.2.to_le_bytes()].concat());
    bytes
}

/// A cube of side 0.2 that reaches 0.05 m into the wall at the end; the wall begins at 1.
#[test]
fn witnesses_are_checked_at_their_time_and_place() {
    let mut problem = slider(0.0, 0.95);
    let end = Time { segment: 0, local: 0.9 };
    let proof = until(&problem, end).unwrap()[CLAIM_BYTES..].to_vec();
    let contact = |problem: &Problem, witness: &[u8]| [&claim(problem, 1, end), witness, &proof].concat();
    // Triangles 4 and 5 of a cuboid have y = low: of the wall they are far from the cube, which is in its middle.
    let crossing = |problem: &Problem, local: f64| {
        let all = (0..12).flat_map(|a| (0..12).map(move |b| (a, b)));
        all.filter(|&(a, b)| verify(problem, &contact(problem, &witness(local, 0, a, (0, 0, b)))).is_ok()).count()
    };
    assert!(crossing(&problem, 1.0) > 0, "an edge of the cube crosses the front of the wall");
    assert_eq!(crossing(&problem, 0.92), 0, "it does not touch yet");
    let (a, b) = (0..12)
        .flat_map(|a| (0..12).map(move |b| (a, b)))
        .find(|&(a, b)| verify(&problem, &contact(&problem, &witness(1.0, 0, a, (0, 0, b)))).is_ok())
        .unwrap();
    let good = witness(1.0, 0, a, (0, 0, b));
    assert_eq!(verify(&problem, &contact(&problem, &good)).unwrap().kind, Kind::Contact);
    for (wrong, why) in [
        (witness(0.5, 0, a, (0, 0, b)), "before the end"),
        (witness(1.0, 1, a, (0, 0, b)), "does not exist"),
        (witness(1.0, 0, 12, (0, 0, b)), "does not exist"),
        (witness(1.0, 0, a, (0, 1, b)), "does not exist"),
        (witness(1.0, 0, a, (0, 0, 12)), "does not exist"),
        (witness(1.0, 0, a, (1, 0, a)), "are not tested"),
        (witness(1.0, 0, a, (2, 0, b)), "not a kind of triangle"),
        (witness(f64::NAN, 0, a, (0, 0, b)), "is not in [0, 1]"),
    ] {
        refused(verify(&problem, &contact(&problem, &wrong)), why);
    }
    let mut later = good.clone();
    later[..4].copy_from_slice(&1_u32.to_le_bytes());
    refused(verify(&problem, &contact(&problem, &later)), "segment 1 does not exist");
    // An excluded pair has no contact.
    problem.statement.excluded = vec![[0, 0]];
    refused(verify(&problem, &[&claim(&problem, 1, end)[..], &good, &[3]].concat()), "are not tested");
}

/// The cube's front is in the plane of the wall, exactly: nothing certainly crosses.
#[test]
fn a_witness_that_barely_touches_is_refused() {
    let mut problem = slider(0.0, 0.5);
    problem.robot.links[0].triangles = cuboid([-0.5; 3], [0.5; 3]);
    let end = Time { segment: 0, local: 0.5 };
    let claim = claim(&problem, 1, end);
    let verified =
        |local: f64, a: u32, b: u32| verify(&problem, &[&claim[..], &witness(local, 0, a, (0, 0, b)), &[4]].concat());
    for (a, b) in (0..12).flat_map(|a| (0..12).map(move |b| (a, b))) {
        refused(verified(1.0, a, b), "do not certainly touch");
    }
}

/// Within the margin: the cube's front is 0.05 m from the wall at the end.
#[test]
fn witnesses_of_a_margin() {
    for (margin_m, is_within) in [(0.0501, true), (0.05, false), (0.0499, false)] {
        let mut problem = slider(0.0, 0.85);
        problem.statement.margin_m = margin_m;
        let end = Time { segment: 0, local: 0.5 };
        let proof = until(&problem, end).unwrap()[CLAIM_BYTES..].to_vec();
        let all = (0..12).flat_map(|a| (0..12).map(move |b| (a, b)));
        let n = all
            .filter(|&(a, b)| {
                let bytes = [&claim(&problem, 1, end), &witness(1.0, 0, a, (0, 0, b))[..], &proof].concat();
                verify(&problem, &bytes).is_ok()
            })
            .count();
        assert_eq!(n > 0, is_within, "{margin_m}: {n}");
    }
}

/// Models that the verifier must not work with.
#[test]
fn invalid_models_are_refused() {
    type Damage = fn(&mut Problem);
    let damages: [(Damage, &str); 10] = [
        (|p| p.robot.links[0].triangles[3][1][2] = f64::NAN, "not finite"),
        (|p| p.scene.objects[0].triangles[0][0][0] = f64::INFINITY, "not finite"),
        (|p| p.robot.bodies[0].origin_m[1] = f64::NAN, "not finite"),
        (|p| p.robot.bodies[0].orientation[0][0] = f64::NAN, "not a rotation"),
        (|p| p.robot.bodies[0].orientation[0][0] = 1.0 + 1e-8, "not a rotation"),
        (|p| p.robot.bodies[0].parent = Some(0), "its own ancestor"),
        (|p| p.robot.bodies[0].parent = Some(5), "parent is missing"),
        (|p| p.robot.links[0].body = 9, "body is missing"),
        (|p| p.robot.links[0].triangles.clear(), "no triangles"),
        (|p| p.robot.bodies[0].joint = prismatic(3, [1.0, 0.0, 0.0]), "column is missing"),
    ];
    for (damage, why) in damages {
        let mut problem = slider(0.0, 0.5);
        damage(&mut problem);
        let refusal = crate::Model::new(problem.robot, problem.scene).unwrap_err().to_string();
        assert!(refusal.contains(why), "{refusal}");
    }
    for axis in [[2.0, 0.0, 0.0], [0.0; 3], [f64::NAN, 0.0, 0.0]] {
        let mut problem = slider(0.0, 0.5);
        problem.robot.bodies[0].joint = prismatic(0, axis);
        assert!(crate::Model::new(problem.robot, problem.scene).is_err());
    }
}

/// Motions that the verifier must not work with, even with the right hash.
#[test]
fn invalid_motions_are_refused() {
    let problem = slider(0.0, 0.5);
    for coefficients in [vec![], vec![vec![0.0]], vec![vec![0.0; 17]], vec![vec![0.0, f64::NAN]], vec![vec![0.0; 2]; 2]]
    {
        let mut other = problem.clone();
        other.motion.segments[0].coefficients = coefficients;
        let bytes = [claim(&other, 0, last(&other)), vec![4]].concat();
        refused(verify(&other, &bytes), "segment 0 of the motion");
    }
    let mut none = problem.clone();
    none.motion.segments.clear();
    let end = Time { segment: 0, local: 1.0 };
    refused(verify(&none, &[claim(&none, 0, end), vec![4]].concat()), "no segments");
    // Beyond a million quarter turns there is no sine.
    let mut fast = arm([1e9, 0.0], [1e9, 0.0]);
    fast.scene = scene(cuboid([5.0; 3], [6.0; 3]));
    fast.statement.link_pairs.clear();
    let along_x = [claim(&fast, 0, last(&fast)), vec![4, 4]].concat();
    refused(verify(&fast, &along_x), "does not separate");
    fast.motion = line(&[[1e6, 1e6], [0.0, 0.0]]);
    let along_x = [claim(&fast, 0, last(&fast)), vec![4, 4]].concat();
    assert!(verify(&fast, &along_x).is_ok());
}
