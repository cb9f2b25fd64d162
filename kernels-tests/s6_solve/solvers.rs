//! The paper's solver and the engine's own: the same answers, except where the former gives up.

use crate::effort;
use crate::harness::backends::{self, Tally, differences, engine, on};
use crate::random_models::{random::Random, trees};
use firstcontact::engine::{Backend, Options};
use firstcontact::stage::s6_solve::{Method, SolveOptions};

#[test]
fn paper_and_jet_agree() {
    let (mut all, mut paper_all) = (Tally::default(), Tally::default());
    let add = |sum: &mut Tally, one: Tally| {
        sum.motions += one.motions;
        sum.free += one.free;
        sum.contact += one.contact;
        sum.proved += one.proved;
        sum.undecided += one.undecided;
    };
    for k in 0..effort(60, 2000) as u64 {
        let r = &mut Random::new(4_000_000 + k);
        let family = trees::Family { most_joints: 4, turn: 0.8, ..trees::PLAIN };
        let mut model = trees::tree(r, &family, 1.0);
        if model.has_flat() {
            continue;
        }
        let motions: Vec<_> = (0..3).map(|_| trees::motion(r, &model, family.turn, 1.0)).collect();
        trees::obstacles(r, &mut model, &motions, 1.0, 2);
        if model.has_flat() {
            continue;
        }
        let (robot, scene) = model.built();
        let check = |method| {
            let solve = SolveOptions { method, ..SolveOptions::default() };
            let options = Options { solve, threads: 1, ..on(Backend::Cpu) };
            backends::verdicts(&engine(&robot, &scene, &[], options), &motions)
        };
        let (jet, paper) = (check(Method::Jet), check(Method::Paper));
        assert_eq!(differences(&jet, &paper), [""; 0], "model {k}");
        add(&mut all, Tally::of(&jet));
        add(&mut paper_all, Tally::of(&paper));
    }
    println!("jet {all:?}\npaper {paper_all:?}");
    assert!(all.free > 20 && all.contact > 20);
    // The paper's solver follows features that slide in the planes of triangles to the end and beyond the cap.
    assert!(10 * paper_all.undecided <= paper_all.motions, "{paper_all:?}");
}
