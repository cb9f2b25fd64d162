//! The hypotheses of proofs.

use super::{add_link, root, turning};
use firstcontact::acm::{ClassifiedPair, Options, ProofFile, Proofs, classify, robot_hash};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use glam::{DMat3, DVec3};
use std::sync::Arc;

fn sheet(x: f64) -> Vec<[DVec3; 3]> {
    vec![[DVec3::new(x, -0.1, 0.0), DVec3::new(x, 0.1, 0.0), DVec3::new(x, 0.0, 0.1)]]
}

/// Links 0 and 2 are apart by 0.5 m at least: a joint with limits, and one that turns freely.
fn robot() -> Robot {
    let mut robot = root();
    let first = turning(&mut robot, 0, DVec3::ZERO, Some([-0.25, 0.5]));
    let second = turning(&mut robot, first, DVec3::ZERO, None);
    let third = turning(&mut robot, second, DVec3::ZERO, Some([0.0, 0.5]));
    add_link(&mut robot, "zero", 0, sheet(1.0));
    add_link(&mut robot, "one", first, sheet(3.0));
    add_link(&mut robot, "two", second, sheet(0.5));
    add_link(&mut robot, "three", third, sheet(4.0));
    robot
}

fn proved(robot: &Robot, margin_m: f64) -> (ProofFile, Vec<ClassifiedPair>) {
    let options = Options { margin_m, samples: 10, ..Options::default() };
    let pairs = classify(robot, &[], &options, &|| ()).unwrap();
    (ProofFile::new(robot, margin_m, &pairs), pairs)
}

const WITHIN: [[f64; 2]; 3] = [[-0.25, 0.5], [-100.0, 100.0], [-9.0, 9.0]];

#[test]
fn a_proof_covers_only_its_own_hypotheses() {
    let robot = robot();
    let (file, _) = proved(&robot, 0.1);
    let proofs = Proofs::new(&file, &robot).unwrap();
    assert!(proofs.pairs().any(|pair| pair == [0, 2]));
    assert!(proofs.covers([0, 2], 0.1, &WITHIN) && proofs.covers([2, 0], 0.0, &WITHIN));
    // The margin, the limits on either side, other pairs, and values that are missing or not numbers.
    assert!(!proofs.covers([0, 2], 0.1 + 1e-15, &WITHIN));
    for range in [[-0.25 - 1e-15, 0.0], [0.0, 0.5 + 1e-15], [f64::NAN, 0.0], [0.0, f64::NAN], [0.0, f64::INFINITY]] {
        assert!(!proofs.covers([0, 2], 0.0, &[range, WITHIN[1], WITHIN[2]]), "{range:?}");
    }
    assert!(!proofs.covers([0, 2], 0.0, &WITHIN[..1]) && !proofs.covers([0, 2], 0.0, &[]));
    assert!(!proofs.covers([0, 2], 0.0, &[WITHIN[0], [f64::NAN; 2], WITHIN[2]]));
    assert!(!proofs.covers([0, 1], 0.0, &WITHIN) && !proofs.covers([0, 9], 0.0, &WITHIN));
    // The joint of the third link is not between the two.
    assert!(!proofs.covers([0, 3], 0.0, &WITHIN));
}

/// Only limits of a turn or more make a proof hold for every value.
#[test]
fn proofs_record_joint_limits_of_less_than_a_turn() {
    for (limits, holds_for_all) in [(Some([-3.1, 3.1]), false), (Some([-3.2, 3.2]), true), (None, true)] {
        let mut robot = robot();
        robot.columns[0].limits = limits;
        let (file, _) = proved(&robot, 0.1);
        let joints = &file.pairs.iter().find(|pair| pair.links == ["zero", "two"]).unwrap().joints;
        assert_eq!(joints["j1"], limits.filter(|_| !holds_for_all), "{limits:?}");
        let beyond = [[-9.0, 9.0], WITHIN[1], WITHIN[2]];
        assert_eq!(Proofs::new(&file, &robot).unwrap().covers([0, 2], 0.1, &beyond), holds_for_all);
    }
}

/// The triangles of a link.
fn triangles(robot: &mut Robot, link: usize) -> &mut Vec<[DVec3; 3]> {
    Arc::make_mut(&mut Arc::make_mut(&mut robot.links)[link].triangles)
}

#[test]
fn a_proof_is_for_one_robot() {
    let robot = robot();
    let (file, _) = proved(&robot, 0.1);
    let applies = |robot: &Robot| Proofs::new(&file, robot).unwrap().covers([0, 2], 0.0, &WITHIN);
    assert!(applies(&robot));
    let changed = |change: &dyn Fn(&mut Robot)| {
        let mut other = robot.clone();
        change(&mut other);
        other
    };
    // The base and limits are not part of a proof: motions are compared with its own limits.
    assert!(applies(&changed(&|r| r.bodies[0].joint.origin_m.x = 3.0)));
    assert!(applies(&changed(&|r| r.columns[0].limits = None)));
    assert!(!applies(&changed(&|r| triangles(r, 2)[0][1].z += 1e-12)));
    assert!(!applies(&changed(&|r| triangles(r, 0).push(sheet(7.0)[0]))));
    assert!(!applies(&changed(&|r| r.bodies[1].joint.origin_m.x = 1e-12)));
    assert!(!applies(&changed(&|r| r.bodies[2].joint.orientation = DMat3::from_rotation_x(0.1))));
    assert!(!applies(&changed(&|r| std::sync::Arc::make_mut(&mut r.links)[2].body = 1)));
    assert!(!applies(&changed(&|r| r.columns[1].name = "other".into())));
    assert!(!applies(&changed(&|r| std::sync::Arc::make_mut(&mut r.links).swap(0, 1))));
    assert_eq!(robot_hash(&robot), file.robot);
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let (file, _) = proved(&robot(), 0.1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof.json");
    std::fs::write(&path, serde_json::to_string(&file).unwrap()).unwrap();
    assert_eq!(ProofFile::read(&path, &LoadLimits::default()).unwrap(), file);
    let refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let error = ProofFile::read(&path, &LoadLimits::default()).unwrap_err().to_string();
        assert!(error.contains("proof.json"), "{error}");
        error
    };
    let other = ProofFile { version: 3, ..file };
    assert!(refused(&serde_json::to_string(&other).unwrap()).contains("version 3"));
    refused("{}");
    refused("[");
}
