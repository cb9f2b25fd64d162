//! Paths that are adverse to step `pairs` of the reference: each needs one of the terms that bound a block of sub-intervals.

use super::{Case, reference, unproved};
use crate::effort;
use crate::harness::models::Draw;
use firstcontact::model::robot::{ColumnKind, Drive, Joint, JointKind, Robot, Triangle};
use firstcontact::model::scene::Scene;
use firstcontact::model::world::World;
use firstcontact::motion::ModelMotion;
use firstcontact::stage::Piece;
use glam::{DMat3, DVec3};

/// A chain of revolute joints about z, each `arms_m` along x from the one before; the last body has the link's triangles.
fn arm(arms_m: &[f64], link: Vec<Triangle>) -> Robot {
    let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let mut body = 0;
    for (i, arm_m) in arms_m.iter().enumerate() {
        let name = format!("j{i}");
        let drive = Drive::direct(robot.add_column(&name, ColumnKind::AngleRad, None));
        let kind = JointKind::Revolute { axis: DVec3::Z, drive };
        let joint = Joint { name: name.clone(), orientation: DMat3::IDENTITY, origin_m: DVec3::X * *arm_m, kind };
        body = robot.add_body(&name, Some(body), joint).unwrap();
    }
    let groups = vec![0; link.len()];
    robot.add_link("link", body, link, groups).unwrap();
    robot
}

fn case(robot: &Robot, blades: Vec<Triangle>, q0: &[f64], q1: &[f64]) -> Case {
    let mut scene = Scene::new();
    scene.add_object("blades", blades).unwrap();
    let world = World::new(robot, &scene, &[]).unwrap();
    let motion = ModelMotion::new(robot, q0, q1).unwrap();
    let pieces = Piece::cut(0, &motion).collect();
    Case { world, motions: vec![motion], pieces }
}

/// A small triangle with a larger one, so that boxes tell nothing of when the small one comes near.
fn speck_and_plate(at: DVec3, size_m: f64, plate_m: f64) -> Vec<Triangle> {
    let [x, y] = [DVec3::X, DVec3::Y];
    vec![
        [at, at + x * size_m, at + (x + y) * size_m],
        [at - y * plate_m, at + y * plate_m, at + (x + DVec3::Z) * plate_m],
    ]
}

/// Where arms of 2r and r turn by 1 and by −2 rad (an epicycloid), a point rests for a moment: across, only its third derivative moves
/// it, by r θ³. Blades stand in that way.
#[test]
fn what_is_met_because_paths_turn_back_is_kept() {
    let r = 0.01;
    let mut kept = 0;
    for way in [1.0, -1.0] {
        let robot = arm(&[0.0, 2.0 * r], speck_and_plate(DVec3::X * r, 1e-6, 0.02));
        let (q0, q1) = ([-0.5 * way, 1.5 * way], [0.5 * way, -1.5 * way]);
        let far = 2.0 * r * f64::sin(0.5) - r * f64::sin(1.0);
        let blades = [0.2, 0.4, 0.6, 0.8, 0.95].iter().flat_map(|share| {
            [1.0, -1.0].map(|side| {
                let [x, z] = [DVec3::X, DVec3::Z];
                [-x - z, x - z, z * 2.0].map(|v| v + DVec3::Y * (far * share * side))
            })
        });
        let case = case(&robot, blades.collect(), &q0, &q1);
        assert_eq!(case.pieces.len(), 1);
        let pairs = reference(&case);
        assert_eq!(unproved(&case, &pairs), 0);
        kept += pairs.len();
    }
    assert!(kept >= 20, "the speck comes to every blade: {kept}");
}

/// Large triangles that turn among small ones: their vertices move so differently that a sub-interval is not proved free where each of its
/// slices is, and the contact comes later.
#[test]
fn what_passes_by_and_comes_again_is_kept() {
    let mut draw = Draw::new(36);
    let mut kept = 0;
    for _ in 0..effort(150, 1500) {
        let link: Vec<Triangle> = (0..3).map(|_| [draw.vector(0.3), draw.vector(0.3), draw.vector(0.3)]).collect();
        let robot = arm(&[0.0], link);
        let blades: Vec<Triangle> = (0..12)
            .map(|_| {
                let at = draw.vector(0.3);
                [at, at + draw.vector(0.1), at + draw.vector(0.1)]
            })
            .collect();
        let turn = draw.between(0.5, 2.0);
        let case = case(&robot, blades, &[0.0], &[turn]);
        let pairs = reference(&case);
        assert_eq!(unproved(&case, &pairs), 0);
        kept += pairs.len();
    }
    assert!(kept > 500, "{kept}");
}
