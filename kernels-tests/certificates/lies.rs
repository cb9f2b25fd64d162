//! An engine that calls motions free that are not: no proof of it exists, so there is no certificate.

use crate::effort;
use crate::trajectories::random;
use firstcontact::certificate::{Prover, Statement};
use firstcontact::formats::{TrajectoryFile, TrajectoryOptions};
use firstcontact::verdict::{TrajectoryVerdict, Verdict};
use firstcontact::{Backend, Engine, Robot, Scene};

#[test]
fn a_motion_with_a_contact_is_never_proved_free() {
    let mut n = 0;
    for seed in 0..effort(4, 100) as u64 {
        let (case, all) = random::case(68_000 + seed, 20);
        case.desk.put("motions.json", case.json(&all));
        let robot = Robot::from_urdf(case.desk.path("robot.urdf")).unwrap();
        let scene = Scene::from_file(case.desk.path("scene.obj")).unwrap();
        let file = TrajectoryFile::open(case.desk.path("motions.json"), &robot, &TrajectoryOptions::default());
        let paths = file.unwrap().into_trajectories();
        let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).build().unwrap();
        let prover = Prover::new(&robot, &scene, Statement::new()).unwrap();
        let free = TrajectoryVerdict::of_motion(&Verdict::Free);
        let check = &mut |i: usize, answer: TrajectoryVerdict| {
            if answer.verdict.is_contact() {
                n += 1;
                assert!(prover.certificate(&paths[i], &free).is_none(), "seed {seed}, trajectory {i}");
            }
            Ok(())
        };
        engine.check_trajectories(&paths, &[], check).unwrap();
    }
    assert!(n > 10, "{n} contacts");
}
