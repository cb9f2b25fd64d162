//! The search level by level on an adapter: motions that it calls free are free, and it leaves nothing that the search
//! on the CPU clears.

use super::kernel::on_adapter;
use crate::effort;
use crate::harness::backends::{engine, on, verdicts};
use crate::harness::gpu::{Mutant, skip};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::Backend;
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use firstcontact::toleranced::articulated::{Answer, ArticulatedChecker, Toleranced, standing};
use firstcontact::toleranced::batch::Batch;
use firstcontact::toleranced::problem::Limits;
use firstcontact::verdict::Verdict;

type Ends = (Vec<f64>, Vec<f64>);

/// A robot in a scene, its motions, and their verdicts by the exact stage.
struct Case {
    robot: Robot,
    scene: Scene,
    motions: Vec<Ends>,
    exact: Vec<Verdict>,
}

fn cases(n: usize) -> Vec<Case> {
    let mut draw = Draw::new(741);
    let case = |_| {
        let kind = RobotKind { n_bodies: 1 + draw.below(4), link_m: 0.4, n_triangles: 4, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let n = [6, 12][draw.below(2)];
        let scene = models::scene(&mut draw, n, 1.5, 0.2);
        let motions: Vec<_> = (0..20).map(|i| models::motion(&mut draw, &robot, [0.3, 1.5][i % 2], 0.6)).collect();
        let exact = verdicts(&engine(&robot, &scene, &[], on(Backend::Cpu)), &motions);
        Case { robot, scene, motions, exact }
    };
    (0..n).map(case).collect()
}

fn answers(batch: &mut Batch, case: &Case, limits: &Limits) -> Vec<Answer> {
    let toleranced = Toleranced::new(&case.robot, &case.scene).unwrap();
    let ends: Vec<_> = case.motions.iter().map(|(q0, q1)| [q0.as_slice(), q1.as_slice()]).collect();
    toleranced.check_on(batch, &ends, limits).unwrap()
}

/// Number of motions that touch, but are called free, or clear for too long.
fn wrong(case: &Case, answers: &[Answer]) -> usize {
    let is_wrong = |(answer, verdict): (&Answer, &Verdict)| {
        matches!(verdict, Verdict::Contact(c)
        if c.is_proved() && (answer.is_free() || answer.clear_until() > c.toc[1]))
    };
    answers.iter().zip(&case.exact).filter(|pair| is_wrong(*pair)).count()
}

#[test]
fn verdicts_are_those_of_the_search_and_certificates_hold() {
    if skip() {
        return;
    }
    let mut batch = on_adapter(None);
    let (mut free, mut alone, mut checked, mut contacts) = (0, 0, 0, 0);
    for (k, case) in cases(effort(8, 200)).iter().enumerate() {
        // To the end, or up to the first part that is not cleared.
        let limits = Limits { delta_m: 0.005, max_level: 20, first: k % 2 == 0 };
        let found = answers(&mut batch, case, &limits);
        assert_eq!(wrong(case, &found), 0);
        let toleranced = Toleranced::new(&case.robot, &case.scene).unwrap();
        let obstacles = standing(&case.scene);
        let checker = ArticulatedChecker::new(&case.robot, &obstacles, toleranced.orders()).unwrap();
        for (((q0, q1), found), exact) in case.motions.iter().zip(&found).zip(&case.exact) {
            contacts += usize::from(matches!(exact, Verdict::Contact(c) if c.is_proved() && c.toc[0] > 0.05));
            let plain = toleranced.check(q0, q1, &limits, true).unwrap();
            assert!(found.clear_until() >= plain.clear_until(), "{} {}", found.clear_until(), plain.clear_until());
            assert!(found.proofs.is_empty());
            if !limits.first {
                // The remaining parts are a subset of those that the search leaves.
                let all: Vec<_> = plain.possible.iter().map(|(l, p)| (*l, p.moving, p.fixed, p.span)).collect();
                assert!(found.possible.iter().all(|(l, p)| all.contains(&(*l, p.moving, p.fixed, p.span))));
            }
            free += usize::from(found.is_free());
            alone += usize::from(found.is_free() && !plain.is_free());
            if plain.is_free() {
                assert!(found.is_free());
                for (link, steps) in plain.proofs.iter().enumerate() {
                    assert_eq!(checker.check(q0, q1, link, steps), Ok(()));
                }
                checked += 1;
            }
        }
    }
    println!(
        "{free} free, {alone} of them by the kernel's planes alone; {contacts} later contacts; {checked} certificates"
    );
    assert!(contacts > 5 && checked > 20 && alone * 20 <= free);
}

/// Parts that the kernel does not clear are cleared by the CPU: without any help the verdicts are the same. If the
/// kernel clears parts wrongly, contacts are missed.
#[test]
fn verdicts_do_not_need_the_kernel_but_trust_it() {
    if skip() {
        return;
    }
    let limits = Limits { delta_m: 0.005, max_level: 20, first: true };
    let cases = cases(effort(5, 40));
    let run = |mutant: Option<Mutant>| {
        let mut batch = on_adapter(mutant);
        let all: Vec<Vec<Answer>> = cases.iter().map(|case| answers(&mut batch, case, &limits)).collect();
        let wrong: usize = cases.iter().zip(&all).map(|(case, answers)| wrong(case, answers)).sum();
        (wrong, all.iter().flatten().map(Answer::clear_until).collect::<Vec<_>>())
    };
    let (none, right) = run(None);
    assert_eq!(none, 0);
    let (none, unaided) = run(Some(Mutant { old: "masks[id] = bits;", new: "masks[id] = 0xffffu;" }));
    assert_eq!(none, 0);
    assert!(unaided.iter().zip(&right).all(|(u, r)| u <= r));
    let same = unaided.iter().zip(&right).filter(|(u, r)| u == r).count();
    assert!(same * 20 >= right.len() * 19, "{same} of {}", right.len());
    for (old, new) in [
        ("let reach2 = radius[i] * radius[i] * length2;", "let reach2 = 0.0 * length2;"),
        ("(low > 0.0 && low * low > need)", "(low * low > need)"),
        ("return shown == 9u;", "return shown > 5u;"),
        ("let d = moving[i] - fixed[j];", "let d = moving[i] - fixed[first_b];"),
    ] {
        let (n, _) = run(Some(Mutant { old, new }));
        println!("{n} wrong with '{new}'");
        assert!(n > 0, "'{new}' goes unseen");
    }
}
