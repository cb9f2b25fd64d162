//! An engine that calls motions free that are not, or free for longer: no proof of it exists, so there is no
//! certificate.

use crate::effort;
use crate::oracle::{data, npy, pool};
use crate::trajectories::random;
use firstcontact::certificate::{Prover, Statement};
use firstcontact::formats::{TrajectoryFile, TrajectoryOptions};
use firstcontact::verdict::{TrajectoryVerdict, Undecided, UndecidedReason, Verdict};
use firstcontact::{Backend, Engine, LinkPairs, Robot, Scene, Trajectory};

/// The answer `free`.
fn free() -> TrajectoryVerdict {
    TrajectoryVerdict::of_motion(&Verdict::Free)
}

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
        // Links and margins by turns.
        let pairs = if seed % 2 == 0 { LinkPairs::none() } else { LinkPairs::all_but_adjacent(&robot) };
        let margin_m = if seed % 4 < 2 { 0.0 } else { 0.01 };
        let builder = Engine::builder(&robot, &scene).backend(Backend::Cpu).margin_m(margin_m);
        let engine = builder.link_pairs(pairs.clone()).build().unwrap();
        let statement = Statement::new().with_link_pairs(pairs).with_margin_m(margin_m);
        let prover = Prover::new(&robot, &scene, statement).unwrap();
        let check = &mut |i: usize, answer: TrajectoryVerdict| {
            if answer.verdict.is_contact() {
                n += 1;
                assert!(prover.certificate(&paths[i], &free()).is_none(), "seed {seed}, trajectory {i}");
            }
            Ok(())
        };
        engine.check_trajectories(&paths, &[], check).unwrap();
    }
    assert!(n > 10, "{n} contacts");
}

/// Contacts of the pool, which another program has found: not free, and not free until 10⁻⁶ after the contact.
#[test]
fn contacts_of_the_pool_are_never_proved_free() {
    let Some(folder) = data::folder("puma-pool") else { return };
    for name in ["pipes", "amr"] {
        let motions = npy::read_motions(&folder.join(format!("{name}.npy")));
        let truth = pool::read_truth(&folder.join(format!("{name}.truth.jsonl")));
        let robot = Robot::from_urdf(folder.join("robot.urdf")).unwrap();
        let scene = Scene::from_file(folder.join(format!("{name}.obj"))).unwrap();
        let prover = Prover::new(robot, scene, Statement::new()).unwrap();
        let contacts: Vec<_> = truth.iter().filter_map(|of| Some((of.motion, of.contact.as_ref()?.t_hi))).collect();
        assert!(contacts.len() > 200);
        for (motion, t_hi) in contacts.into_iter().step_by(effort(12, 1)) {
            let (start, end) = &motions[motion];
            let path = Trajectory::linear([start, end]).unwrap();
            assert!(prover.certificate(&path, &free()).is_none(), "{name} {motion}");
            let clear_until = (t_hi + 1e-6).min(1.0);
            let late = Verdict::Undecided(Undecided { clear_until, reason: UndecidedReason::EvaluationCap });
            let late = prover.certificate(&path, &TrajectoryVerdict::of_motion(&late));
            assert!(late.is_none() || clear_until == 1.0, "{name} {motion}");
        }
    }
}
