//! Random robots in random scenes: never a certificate where the exact stage proves a contact; and the certificates are
//! valid.

use crate::effort;
use crate::harness::backends::{engine, on, verdicts};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::Backend;
use firstcontact::scene::Scene;
use firstcontact::toleranced::articulated::{ArticulatedChecker, Toleranced, standing};
use firstcontact::toleranced::problem::Limits;
use firstcontact::verdict::Verdict;

#[test]
fn no_certificate_where_a_contact_is_proved() {
    let mut draw = Draw::new(721);
    let per_robot = 20;
    let deltas = [0.05, 0.01, 0.002];
    let (mut free, mut contact, mut certified, mut checked) = (0, 0, [0; 3], 0);
    for _ in 0..effort(12, 500) {
        let kind = RobotKind { n_bodies: 1 + draw.below(5), link_m: 0.4, n_triangles: 4, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let scene = near_nothing(&mut draw);
        let motions: Vec<_> = (0..per_robot)
            .map(|_| {
                let angle = [0.1, 0.6][draw.below(2)];
                models::motion(&mut draw, &robot, angle, 0.2)
            })
            .collect();
        let exact = verdicts(&engine(&robot, &scene, &[], on(Backend::Cpu)), &motions);
        let toleranced = Toleranced::new(&robot, &scene).unwrap();
        let obstacles = standing(&scene);
        let checker = ArticulatedChecker::new(&robot, &obstacles, toleranced.orders()).unwrap();
        for (i, ((q0, q1), verdict)) in motions.iter().zip(&exact).enumerate() {
            let is_free = *verdict == Verdict::Free;
            free += usize::from(is_free);
            contact += usize::from(matches!(verdict, Verdict::Contact(c) if c.is_proved()));
            for (k, delta_m) in deltas.into_iter().enumerate() {
                let limits = Limits { delta_m, max_level: 20, first: true };
                let answer = toleranced.check(q0, q1, &limits, true).unwrap();
                match verdict {
                    Verdict::Contact(c) if c.is_proved() => {
                        assert!(!answer.is_free(), "certified, but {c:?}");
                        assert!(answer.clear_until() <= c.toc[1], "clear until {} but {c:?}", answer.clear_until());
                    }
                    _ => {}
                }
                certified[k] += usize::from(answer.is_free() && is_free);
                if answer.is_free() && k == 1 && i % 4 == 0 {
                    for (link, steps) in answer.proofs.iter().enumerate() {
                        assert_eq!(checker.check(q0, q1, link, steps), Ok(()), "link {link}");
                    }
                    checked += 1;
                }
            }
        }
    }
    println!(
        "{free} free, {contact} contacts; certified with {deltas:?} m: {certified:?}; {checked} certificates checked"
    );
    assert!(free > 20 && contact > 20 && checked > 3);
    assert!(certified[0] <= certified[1] && certified[1] <= certified[2] && certified[2] * 10 > free * 7);
}

/// A few triangles, so that some motions are free.
fn near_nothing(draw: &mut Draw) -> Scene {
    let n = [10, 30][draw.below(2)];
    models::scene(draw, n, 1.5, 0.2)
}
