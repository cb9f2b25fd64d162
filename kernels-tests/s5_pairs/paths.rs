//! Paths that are difficult for the stage: each needs one of the terms that bound a link in a sub-interval or a block
//! of them.

use super::slabs::{options, run};
use super::{ANGLES, Case, faults, on_adapter, reference, search_until, unproved};
use crate::effort;
use crate::harness::gpu::{Mutant, skip};
use crate::harness::models::Draw;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, RobotMotion, Triangle};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::{Piece, SLICES};
use glam::{DMat3, DVec3};

/// A chain of revolute joints about z, each `arms_m` along x from the previous one; the last body has the link's
/// triangles.
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
    let world = CollisionWorld::new(robot, &scene, &[]).unwrap();
    let motion = RobotMotion::new(robot, q0, q1).unwrap();
    let pieces = Piece::cut(0, &motion).collect();
    Case { world, obb_trees: None, motions: vec![motion], pieces }
}

/// Where arms of 2r and r turn by 1 and by −2 rad (an epicycloid), a point rests for a moment: in the transverse
/// direction only its third derivative moves it, by r θ³. Slanted blades are placed in that path, so that boxes around
/// them give no information.
fn cusp(way: f64) -> Case {
    let r = 0.002;
    let (at, size) = (DVec3::X * r, 1e-6);
    let robot = arm(&[0.0, 2.0 * r], vec![[at, at + DVec3::X * size, at + (DVec3::X + DVec3::Y) * size]]);
    let (q0, q1) = ([-0.5 * way, 1.5 * way], [0.5 * way, -1.5 * way]);
    let far = 2.0 * r * f64::sin(0.5) - r * f64::sin(1.0);
    let blades = [0.2, 0.4, 0.6, 0.8, 0.95].iter().flat_map(|share| {
        [1.0, -1.0].map(|side| {
            let (x, aslant) = (DVec3::X, DVec3::Z - DVec3::Y);
            [-x - aslant, x - aslant, aslant * 2.0].map(|v| v + DVec3::Y * (far * share * side))
        })
    });
    let case = case(&robot, blades.collect(), &q0, &q1);
    assert_eq!(case.pieces.len(), 1);
    case
}

#[test]
fn contacts_due_to_reversing_paths_are_kept() {
    let mut kept = 0;
    for way in [1.0, -1.0] {
        let mut case = cusp(way);
        case.cut_for_cpu();
        assert_eq!(unproved(&case, &reference(&case)), 0);
        let case = cusp(way);
        let pairs = reference(&case);
        assert_eq!(unproved(&case, &pairs), 0);
        kept += pairs.len();
        if !skip() {
            assert_eq!(unproved(&case, &on_adapter(&case, None)), 0);
            for (old, new) in [
                ("p.ball = ball;", "p.ball = 0.0;"),
                ("return select(m.balls.z, m.balls.y, j - i < 4u);", "return m.balls.x;"),
            ] {
                let pairs = on_adapter(&case, Some(Mutant { old, new }));
                assert!(unproved(&case, &pairs) > 0, "'{new}' goes unseen");
            }
        }
    }
    assert!(kept >= 20, "the speck comes to every blade: {kept}");
}

/// A point of an arm of a metre that turns by 1 rad, and blades in its path; a bar, and a sliver that its tip reaches
/// at the end of a sub-interval.
#[test]
fn each_rate_of_a_moving_box_is_needed() {
    if skip() {
        return;
    }
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let speck = vec![[x, x * 1.0001, x + y * 1e-4]];
    let blade = |angle: f64| {
        let along = x * angle.cos() + y * angle.sin();
        vec![[along * 0.9 - z, along * 1.1 - z, along + z]]
    };
    let bar = vec![[DVec3::ZERO, x, x * 0.5 + z * 1e-3]];
    let sliver = vec![[x * 0.97 - z, x * 0.99 - z, x * 0.98 + z].map(|v| v + y * 0.0588)];
    let turn = |link: &Vec<Triangle>, blades| case(&arm(&[0.0], link.clone()), blades, &[-0.5], &[0.5]);
    for (case, old, new) in [
        (turn(&speck, blade(0.004)), "abs(center.c1) * m.h + reach", "reach"),
        (turn(&bar, sliver), "(abs(x.c1) + abs(y.c1) + abs(z.c1)) * m.h", "(abs(x.c1) + abs(y.c1) + abs(z.c1)) * 0.0"),
    ] {
        assert!(!reference(&case).is_empty());
        assert_eq!(unproved(&case, &on_adapter(&case, None)), 0);
        let pairs = on_adapter(&case, Some(Mutant { old, new }));
        assert!(unproved(&case, &pairs) > 0, "'{new}' goes unseen");
    }
    // A contact in the last sub-interval of the first of four slabs, and nowhere else.
    let last = turn(&speck, blade(-0.5 + 3.6 / 16.0));
    let faults_of = |mutant| {
        let (pairs, limits, _) = run(&last, &options(4), mutant);
        faults(&last, &pairs, &limits)
    };
    assert_eq!(faults_of(None), 0);
    let (old, new) = ("return (ALL_SUBS >> (SUBS - end)) &", "return (ALL_SUBS >> (SUBS - end + 1u)) &");
    assert!(faults_of(Some(Mutant { old, new })) > 0, "'{new}' goes unseen");
}

/// Blades so close together that some of them are wherever a part of the piece begins or ends.
#[test]
fn all_triangles_that_a_point_passes_are_kept() {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let speck = vec![[x, x * 1.0001, x + y * 1e-4]];
    let n = 199;
    let blades = (1..=n).map(|k| {
        let angle = f64::from(k) / f64::from(n + 1) - 0.5;
        let along = x * angle.cos() + y * angle.sin();
        [along * 0.9 - z, along * 1.1 - z, along + z]
    });
    let case = case(&arm(&[0.0], speck), blades.collect(), &[-0.5], &[0.5]);
    let pairs = reference(&case);
    assert_eq!((pairs.len(), unproved(&case, &pairs)), (n as usize, 0));
    if !skip() {
        let pairs = on_adapter(&case, None);
        assert_eq!((pairs.len(), unproved(&case, &pairs)), (n as usize, 0));
    }
}

/// With limits, the reference omits only pairs after the slice of a certain contact.
#[test]
fn limits_drop_only_later_pairs() {
    let mut draw = Draw::new(37);
    let (mut limited, mut bad) = (0, 0);
    for i in 0..effort(10, 60) {
        let mut case = super::case(&mut draw, 3, 60, 4, ANGLES);
        if i % 2 == 1 {
            case.cut_for_cpu();
        }
        let mut limits = vec![u32::MAX; case.motions.len()];
        let found = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits)).0;
        limited += limits.iter().filter(|limit| **limit != u32::MAX).count();
        bad += faults(&case, &found, &limits);
        // The same with limits known beforehand: contacts in slices before the limit's are still found.
        let found = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits)).0;
        bad += faults(&case, &found, &limits);
    }
    println!("{limited} limits");
    assert!(bad == 0 && limited >= 10, "{bad} faults, {limited} limits");
}

/// A limit that is known beforehand keeps the contact in the limit's own slice, wherever in a sub-interval that is.
#[test]
fn a_contact_at_the_limit_is_found_again() {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    // Wider than its displacement in a slice: contact is certain immediately.
    let bar = vec![[x, x + y * 0.05, x * 1.001 + y * 0.05]];
    let mut late = 0;
    for k in 0..32 {
        let angle = (3.0 + f64::from(k) / 32.0) / 16.0 - 0.4;
        let along = x * angle.cos() + y * angle.sin();
        let blade = vec![[along * 0.9 - z, along * 1.1 - z, along + z]];
        let case = case(&arm(&[0.0], bar.clone()), blade, &[-0.5], &[0.5]);
        let mut limits = vec![u32::MAX];
        let first = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits)).0;
        // Counts the cases in which the bar reaches the blade in the first half of a slice.
        let is_certain = limits[0] != u32::MAX;
        late += usize::from(is_certain && limits[0] as usize % SLICES as usize >= 2);
        assert_eq!(search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits)).0, first, "{limits:?}");
    }
    assert!(late >= 5, "{late}");
}

/// A limit is counted in slices of the whole motion: a contact in a later piece does not hide that piece's pairs.
#[test]
fn a_limit_is_in_the_piece_of_its_contact() {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let bar = vec![[x, x + y * 0.05, x * 1.001 + y * 0.05]];
    let mut later = 0;
    for k in 0..24 {
        let angle = 0.1 * f64::from(k) + 0.09;
        let along = x * angle.cos() + y * angle.sin();
        let blade = vec![[along * 0.9 - z, along * 1.1 - z, along + z]];
        let mut case = case(&arm(&[0.0], bar.clone()), blade, &[-0.5], &[2.5]);
        for of_cpu in [false, true] {
            if of_cpu {
                case.cut_for_cpu();
            }
            let mut limits = vec![u32::MAX];
            let found = search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits)).0;
            // The bar's first vertices reach the blade at `angle`, its other one 0.05 rad earlier.
            let until = (angle + 0.5) / 3.0;
            let from = until - 0.05 / 3.0;
            let piece = case.pieces.iter().find(|p| p.t0 <= from && from < p.t1).unwrap();
            assert!(!found.is_empty() && limits[0] >= piece.index * piece.slices(), "{limits:?} in {piece:?}");
            later += u32::from(piece.index > 0);
        }
    }
    assert!(later >= 20, "{later}");
}

/// A limit is not before a contact that comes shortly after the end of a quarter of a sub-interval.
#[test]
fn no_limit_is_before_its_contact() {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let bar = vec![[x, x + y * 0.05, x * 1.001 + y * 0.05]];
    let mut limited = [0; 2];
    for k in (1..256).step_by(2).chain([32, 64, 128]) {
        for after in [1e-7, 1e-6, 1e-5, 1e-4, 0.6] {
            // The second vertex is the first one to reach the blade.
            let contact = (f64::from(k) + after) / 256.0;
            let angle = 3.0 * contact - 0.5 + 0.05_f64.atan();
            let along = x * angle.cos() + y * angle.sin();
            let blade = vec![[along * 0.9 - z, along * 1.1 - z, along + z]];
            let mut case = case(&arm(&[0.0], bar.clone()), blade, &[-0.5], &[2.5]);
            case.cut_for_cpu();
            let piece = case.pieces[0];
            assert_eq!(4 * piece.subs * case.pieces.len() as u32, 256, "not quarters of sub-intervals");
            let mut limits = vec![u32::MAX];
            search_until(&case, PoseEnclosure::TaylorModel, Some(&mut limits));
            if limits[0] != u32::MAX {
                let end = f64::from(limits[0] + 1) / f64::from(piece.slices() * case.pieces.len() as u32);
                assert!(end >= contact, "{end} is before {contact}");
                limited[usize::from(after < 0.5)] += 1;
            }
        }
    }
    assert!(limited[0] >= 20, "{limited:?}");
}

/// Large triangles that turn among small ones: their vertices move so differently that a sub-interval is not proved
/// free although each of its slices is, and the contact comes later.
#[test]
fn pairs_that_pass_and_return_are_kept() {
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
    assert!(kept > 300, "{kept}");
}
