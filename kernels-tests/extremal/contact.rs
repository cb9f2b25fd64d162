//! First contact of curved bodies: exact for spheres, and the limit of the engine's results as its triangles get finer.

use super::bodies::{apart, through_contact, v};
use firstcontact::engine::{Backend, Engine};
use firstcontact::extremal::{
    Basis, FirstContact, Motion, Pair, Place, Settings, Shape, SplineSurface, Tracker, first_contact,
};
use firstcontact::robot::{ColumnKind, Joint, JointKind, MotionBatch, Robot, Triangle};
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use glam::{DMat3, DVec3};

fn contact(pair: &Pair, motions: [Motion; 2], duration_s: f64, margin_m: f64) -> FirstContact {
    let tracker = Tracker::new(pair.clone(), motions, Settings::default()).unwrap();
    first_contact(&tracker, duration_s, margin_m, 1e-9).unwrap()
}

#[test]
fn spheres_meet_when_their_centres_are_near_enough() {
    let pair = Pair { a: Shape::ellipsoid([1.0; 3]).unwrap(), b: Shape::ellipsoid([0.5; 3]).unwrap() };
    let go = |v_m_s: DVec3| {
        [
            Motion::new(DVec3::ZERO, DVec3::ZERO, v(0.0, 0.0, 2.0)),
            Motion::new(v(4.0, 0.8, 0.0), v_m_s, v(1.0, 0.0, 0.0)),
        ]
    };
    for margin in [0.0, 0.2] {
        let found = contact(&pair, go(v(-1.0, 0.0, 0.0)), 4.0, margin);
        let reach: f64 = 1.5 + margin;
        let exact = 4.0 - (reach * reach - 0.64).sqrt();
        let by = found.reached_by_s.unwrap();
        assert!(
            found.clear_until_s <= exact + 1e-12 && by >= exact - 1e-12 && by - found.clear_until_s <= 1e-9,
            "{found:?} {exact}"
        );
    }
    // Past each other: nearest 0.8 + 0.8 − 1.5.
    let past = [go(v(-1.0, 0.0, 0.0))[0], Motion { origin_m: v(4.0, 1.6, 0.0), ..go(v(-1.0, 0.0, 0.0))[1] }];
    assert_eq!(contact(&pair, past, 8.0, 0.0).reached_by_s, None);
    assert_eq!(contact(&pair, past, 8.0, 0.0).clear_until_s, 8.0);
    assert!(contact(&pair, past, 8.0, 0.11).reached_by_s.is_some());
    // Overlap from the start.
    let inside = [past[0], Motion::still(v(1.2, 0.0, 0.0))];
    assert_eq!(contact(&pair, inside, 1.0, 0.0).reached_by_s, Some(0.0));
    let (pair, motions) = apart();
    assert_eq!(contact(&pair, motions, 2.0, 0.0).reached_by_s, None);
}

/// The nearest pair jumps from the surface to its edge, where the search may find none.
#[test]
fn the_edge_of_a_sheet_is_met() {
    let basis = || Basis::bezier(1).unwrap();
    let corners: Vec<DVec3> =
        [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]].iter().map(|[x, y]| v(*x, *y, 0.0)).collect();
    let sheet = Shape::Patch(SplineSurface::new([basis(), basis()], &corners, None, false).unwrap());
    let pair = Pair { a: sheet, b: Shape::ellipsoid([0.5; 3]).unwrap() };
    let ball = Motion::new(v(1.6, 0.1, 0.05), v(-1.0, 0.0, 0.0), DVec3::ZERO);
    let found = contact(&pair, [Motion::still(DVec3::ZERO), ball], 0.4, 0.0);
    let (exact, by) = (0.6 - (0.25f64 - 0.0025).sqrt(), found.reached_by_s.unwrap());
    // Distances below 1e-7 of the bodies' size count as intersections.
    assert!(found.clear_until_s <= exact && (by - exact).abs() < 4e-7, "{found:?} {exact}");
}

/// A thin shape dips through quickly: steps of distance divided by speed do not skip it.
#[test]
fn a_short_dip_is_not_passed_over() {
    let pair = Pair { a: Shape::ellipsoid([0.05, 2.0, 0.05]).unwrap(), b: Shape::ellipsoid([0.02; 3]).unwrap() };
    // The needle sweeps over the ball's position at 6.2 rad/s: contact lasts some milliseconds.
    let motions = [Motion::new(DVec3::ZERO, DVec3::ZERO, v(0.0, 0.0, 6.2)), Motion::still(v(1.2, 1.2, 0.0))];
    let found = contact(&pair, motions, 1.0, 0.0);
    let by = found.reached_by_s.unwrap();
    assert!(by - found.clear_until_s <= 1e-9);
    // Dense sampling of the distance before and after.
    let tracker = Tracker::new(pair.clone(), motions, Settings::default()).unwrap();
    let sigma =
        |t: f64| firstcontact::extremal::search::search(&pair, &tracker.relative(t)).map_or(-1.0, |f| f.sigma_m);
    assert!((0..200).all(|k| sigma(found.clear_until_s * f64::from(k) / 200.0) > 0.0));
    assert!(sigma(by).abs() < 1e-7);
}

/// A torus, which is not convex: contact at the tube, found by a search at every step.
#[test]
fn a_ball_falls_onto_a_ring() {
    let pair = Pair { a: Shape::torus(1.0, 0.25).unwrap(), b: Shape::ellipsoid([0.2; 3]).unwrap() };
    let motions = [Motion::still(DVec3::ZERO), Motion::new(v(0.9, 0.0, 1.5), v(0.0, 0.0, -1.0), DVec3::ZERO)];
    let found = contact(&pair, motions, 2.0, 0.0);
    // Centre at distance 0.45 from the circle of radius 1: z² + 0.1² = 0.45².
    let exact = 1.5 - (0.45f64 * 0.45 - 0.01).sqrt();
    assert!(
        found.clear_until_s <= exact + 1e-9 && (found.reached_by_s.unwrap() - exact).abs() < 2e-9,
        "{found:?} {exact}"
    );
    // Through the hole: free.
    let through = [motions[0], Motion { origin_m: v(0.3, 0.0, 1.5), ..motions[1] }];
    assert_eq!(contact(&pair, through, 3.0, 0.0).reached_by_s, None);
}

/// A ball in a trough flies from one wall to the other: the pair with the first wall remains a local minimum, but is
/// not the nearest.
#[test]
fn another_wall_is_not_overlooked() {
    // z = 1.5 x².
    let row = |x: f64, z: f64| [v(x, -1.0, z), v(x, 1.0, z)];
    let points = [row(-1.0, 1.5), row(0.0, -1.5), row(1.0, 1.5)].concat();
    let basis = [Basis::bezier(2).unwrap(), Basis::bezier(1).unwrap()];
    let trough = Shape::Patch(SplineSurface::new(basis, &points, None, false).unwrap());
    let pair = Pair { a: trough, b: Shape::ellipsoid([0.4; 3]).unwrap() };
    let motions = [Motion::still(DVec3::ZERO), Motion::new(v(0.3, 0.1, 1.0), v(-1.0, 0.0, 0.0), v(0.0, 1.0, 0.0))];
    let found = contact(&pair, motions, 1.2, 0.0);
    // By hand: the centre (x, 1) is 0.4 from the parabola, along its normal (3p, −1) from (p, 1.5 p²).
    let gap = |x: f64| {
        (0..200_000)
            .map(|k| -1.0 + f64::from(k) * 5e-6)
            .map(|p| (p - x).hypot(1.5 * p * p - 1.0))
            .fold(f64::INFINITY, f64::min)
            - 0.4
    };
    let by = found.reached_by_s.unwrap();
    assert!(gap(0.3 - by).abs() < 1e-9 && gap(0.3 - found.clear_until_s + 0.01) > 0.0, "{found:?} {}", gap(0.3 - by));
}

/// An ellipsoid of triangles with their corners on the surface.
fn triangles(shape: &Shape, cells: usize) -> Vec<Triangle> {
    let n = 2 * cells;
    let at = |i: usize, j: usize| {
        let (u, v) = ((i % n) as f64 / n as f64, j as f64 / cells as f64);
        shape.jet(Place::new((u - 0.5) * std::f64::consts::TAU, (v - 0.5) * std::f64::consts::PI)).point
    };
    let mut out = Vec::new();
    for i in 0..n {
        for j in 0..cells {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if j > 0 {
                out.push([a, b, c]);
            }
            if j + 1 < cells {
                out.push([a, c, d]);
            }
        }
    }
    out
}

/// The engine's certified first contact of tessellated ellipsoids converges to that of the curved ones with the square
/// of the triangles' size.
#[test]
fn contact_of_tessellations_converges_to_that_of_curved_bodies() {
    let (pair, motions) = through_contact();
    // A is at rest in the engine's scene; B moves as a free joint does: straight, turning about a fixed axis.
    let motions = [Motion::still(DVec3::ZERO), motions[1]];
    let curved = contact(&pair, motions, 2.0, 0.0);
    let exact = curved.reached_by_s.unwrap();
    let times: Vec<f64> = [8, 16, 32, 64]
        .into_iter()
        .map(|cells| {
            let mut robot = Robot::new("ball", "world", DMat3::IDENTITY, DVec3::ZERO).unwrap();
            let columns: [u32; 7] =
                std::array::from_fn(|i| robot.add_column(format!("free.{i}"), ColumnKind::Free(i as u8), None));
            let kind = JointKind::Free { first_column: columns[0] };
            let joint = Joint { name: "free".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
            let body = robot.add_body("body", Some(0), joint).unwrap();
            robot.add_link("ball", body, triangles(&pair.b, cells), vec![0]).unwrap();
            let mut scene = Scene::new();
            scene.add_object("fixed", triangles(&pair.a, cells)).unwrap();
            let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).build().unwrap();
            let row = |t: f64| {
                let at = motions[1].at(t);
                let q = glam::DQuat::from_mat3(&at.rotation);
                vec![at.origin_m.x, at.origin_m.y, at.origin_m.z, q.x, q.y, q.z, q.w]
            };
            let report = engine.check(&MotionBatch::between(&[row(0.0)], &[row(2.0)]).unwrap()).unwrap();
            let Verdict::Contact(contact) = &report.verdicts[0] else { panic!("{:?}", report.verdicts[0]) };
            2.0 * contact.toc[1]
        })
        .collect();
    let late: Vec<f64> = times.iter().map(|t| t - exact).collect();
    println!("curved {exact:.9} s; triangles later by {late:?}");
    // Corners are on the surface, so triangles are inside: contact occurs later, by a delay that decreases.
    assert!(late.iter().all(|l| *l > 0.0) && late[3] < 2e-3);
    assert!(late[0] / late[3] > 20.0, "{late:?}");
}
