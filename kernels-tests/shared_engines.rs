//! Engines that are built from one another: what they share, and that they answer as engines of their own.

use crate::harness::allocations::count;
use crate::harness::backends::{engine, on, verdicts};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::scene::world::FEW_TRIANGLES;
use firstcontact::verdict::Verdict;
use glam::DVec3;
use std::sync::Arc;

type Motions = Vec<(Vec<f64>, Vec<f64>)>;

fn random(seed: u64, n_motions: usize) -> (Draw, Robot, Motions) {
    let mut draw = Draw::new(seed);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.4, n_triangles: 12, mixed: true });
    let motions = (0..n_motions).map(|_| models::motion(&mut draw, &robot, 0.5, 0.1)).collect();
    (draw, robot, motions)
}

fn share_links(a: &Engine, b: &Engine) -> bool {
    Arc::ptr_eq(&a.world().links, &b.world().links)
}

/// A scene that is prepared in the calling thread, and one that all threads prepare; near the world's origin and far
/// from it, where coordinates are shifted.
#[test]
fn an_engine_for_another_scene_shares_the_links() {
    let (mut frees, mut contacts) = (0, 0);
    for (seed, far) in [(501, DVec3::ZERO), (502, DVec3::new(300.0, -20.0, 7.0))] {
        let (mut draw, mut robot, motions) = random(seed, 40);
        robot.bodies[0].joint.origin_m += far;
        let mut scene = |n: usize, triangle_m: f64| {
            let mut scene = models::scene(&mut draw, n, 1.2, triangle_m);
            scene.triangles.iter_mut().flatten().for_each(|v| *v += far);
            scene
        };
        let first = engine(&robot, &scene(20, 0.1), &[], on(Backend::Cpu));
        for scene in [scene(40, 0.1), scene(FEW_TRIANGLES + 10, 0.002)] {
            let own = engine(&robot, &scene, &[], on(Backend::Cpu));
            let next = first.with_scene(&scene).unwrap();
            assert!(share_links(&first, &next) && !share_links(&first, &own));
            let expected = verdicts(&own, &motions);
            assert_eq!(verdicts(&next, &motions), expected);
            frees += expected.iter().filter(|v| **v == Verdict::Free).count();
            contacts += expected.iter().filter(|v| v.is_contact()).count();
        }
    }
    assert!(frees > 20 && contacts > 20, "{frees} {contacts}");
}

/// Links are the same if their triangles and bodies are, wherever the base of the robot is and however it was built.
#[test]
fn trees_are_shared_by_the_same_links_only() {
    let (mut draw, robot, motions) = random(503, 40);
    let scene = models::scene(&mut draw, 40, 1.2, 0.1);
    let first = engine(&robot, &scene, &[], on(Backend::Cpu));
    let mut moved = robot.clone();
    moved.bodies[0].joint.origin_m += DVec3::new(0.1, 0.2, -0.1);
    let mut apart = moved.clone();
    // As if read from the file a second time.
    apart.links = Arc::new(robot.links.to_vec());
    let [mut bent, mut handed] = [robot.clone(), robot.clone()];
    Arc::make_mut(&mut Arc::make_mut(&mut bent.links)[1].triangles)[0][0] *= 2.0;
    Arc::make_mut(&mut handed.links)[1].body -= 1;
    for (robot, shares) in [(robot, true), (moved, true), (apart, true), (bent, false), (handed, false)] {
        let own = engine(&robot, &scene, &[], on(Backend::Cpu));
        let next = Engine::builder(&robot, &scene).options(on(Backend::Cpu)).share_link_trees(&first).build().unwrap();
        assert_eq!(share_links(&first, &next), shares);
        assert_eq!(verdicts(&next, &motions), verdicts(&own, &motions));
    }
}

/// A copy of a robot has its links, until either of them changes.
#[test]
fn copies_of_a_robot_share_their_links() {
    let (_, robot, _) = random(504, 0);
    let mut copy = robot.clone();
    assert!(Arc::ptr_eq(&robot.links, &copy.links));
    copy.add_link("tool", 0, vec![[DVec3::ZERO, DVec3::X, DVec3::Y]], vec![0]).unwrap();
    assert_eq!(copy.links.len(), robot.links.len() + 1);
}

fn without_solids() -> Options {
    Options { solids: firstcontact::Solids::Off, ..on(Backend::Cpu) }
}

/// The first motion of an engine that was built from a warm one asks for no memory but that of its verdict. Solids are
/// prepared when they are first needed, for each scene, so they are off here.
#[test]
fn an_engine_built_from_a_warm_one_is_warm() {
    let (mut draw, robot, rows) = random(505, 60);
    let scene: Arc<Scene> = models::scene(&mut draw, 20, 1.3, 0.05).into();
    let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let motions = MotionBatch::between(&start, &end).unwrap();
    let single: Vec<MotionBatch> = (0..motions.len()).map(|i| motions.range(i..i + 1)).collect();
    let warm = engine(&robot, &scene, &[], Options { threads: 1, ..without_solids() });
    single.iter().for_each(|motion| drop(warm.check(motion).unwrap()));
    let mut frees = 0;
    for motion in &single {
        for next in [warm.with_scene(Arc::clone(&scene)).unwrap(), warm.with_options(without_solids()).unwrap()] {
            let (report, asked) = count(|| next.check(motion).unwrap());
            if report.verdicts[0] == Verdict::Free {
                assert_eq!(asked, 1);
                frees += 1;
            }
        }
    }
    assert!(frees > 20, "{frees}");
}
