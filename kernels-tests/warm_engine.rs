//! One motion at a time by a warm engine.

use crate::effort;
use crate::harness::allocations::count;
use crate::harness::backends::{engine, on};
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::engine::{Backend, Options};
use firstcontact::robot::MotionBatch;
use firstcontact::verdict::Verdict;

/// A free motion allocates only the list for its verdict, and nothing if there is a sink; a contact allocates two more
/// lists, for its record. Everything runs in the calling thread, and the answers equal those of a batch.
#[test]
fn a_warm_engine_asks_for_no_memory() {
    let mut draw = Draw::new(91);
    let robot = models::robot(&mut draw, RobotKind { n_bodies: 3, link_m: 0.4, n_triangles: 12, mixed: false });
    let scene = models::scene(&mut draw, 20, 1.3, 0.05);
    let n = effort(300, 3000);
    let of_turns = |i: usize| [0.0, 0.02, 0.2, 0.4, 9.0][i % 5];
    let rows: Vec<_> = (0..n).map(|i| models::motion(&mut draw, &robot, of_turns(i), 0.1)).collect();
    let (start, end): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let motions = MotionBatch::between(&start, &end).unwrap();
    let single: Vec<MotionBatch> = (0..n).map(|i| motions.range(i..i + 1)).collect();
    for threads in [1, 3] {
        let engine = engine(&robot, &scene, &[], Options { threads, ..on(Backend::Cpu) });
        let expected = engine.check(&motions).unwrap().verdicts;
        let check = |motion: &MotionBatch| engine.check(motion).unwrap();
        single.iter().for_each(|motion| drop(check(motion)));
        let (mut free, mut searched, mut most) = (0, 0, 0);
        for (motion, expected) in single.iter().zip(&expected) {
            let (report, asked) = count(|| check(motion));
            assert_eq!(report.verdicts, std::slice::from_ref(expected));
            if *expected == Verdict::Free {
                assert_eq!(asked, 1);
                let (sum, asked) = count(|| engine.check_each(motion, &mut |_, _| Ok(())));
                assert_eq!((sum.unwrap().free, asked), (1, 0));
                free += 1;
                searched += usize::from(report.stats.pairs.triangle_tests > 0);
            } else if matches!(expected, Verdict::Contact(c) if !c.initial_overlap) {
                most = asked.max(most);
            }
        }
        println!("{free} of {n} free, {searched} of them near something; at most {most} for a contact");
        assert!(free > n / 5 && searched > n / 20 && most == 3);
    }
}
