//! Wrong answers are detected: each defect of an answer that is right is found, by the oracle that is there for it.

use super::answers::{Answer, Contact, Place, Side};
use super::case::{Case, ends};
use super::judge;
use super::mechanism::Mechanism;
use super::solids::{block, moved, spike};
use crate::oracle::advance::Fineness;
use crate::oracle::pair_sampling::PairOutcome;
use glam::{DAffine3, DVec3};
use std::slice::from_ref;

/// A plate that slides along x, with its face at 0.1 m, and a hand whose spike, 0.5 m long, points back to it from 1 m;
/// both on a cart that travels along y. The hand is mounted on an arm.
fn mechanism() -> Mechanism {
    let back = DAffine3::from_rotation_z(std::f64::consts::PI);
    Mechanism::default()
        .link("cart", vec![])
        .link("plate", block([0.0, -0.3, -0.2], [0.1, 0.35, 0.3]))
        .link("arm", block([1.2, -0.1, -0.1], [1.3, 0.1, 0.1]))
        .link("hand", moved(&spike(0.0, 0.5, 0.05), &back))
        .joint(("x", "prismatic"), ("cart", "plate"), DVec3::ZERO, DVec3::X)
        .joint(("a", "revolute"), ("cart", "arm"), DVec3::ZERO, DVec3::X)
        .joint(("h", "revolute"), ("arm", "hand"), DVec3::X, DVec3::X)
        .on(&[("prismatic", DVec3::Y)])
}

/// The tip is at x = 0.5 m, the face comes from 0.1 m at 1.6 m a motion, the cart travels 8 m: contact at 1/4 of the
/// motion, when the cart is at 2 m.
const T: f64 = 0.25;

struct Trial {
    case: Case,
    motion: (Vec<f64>, Vec<f64>),
    seen: PairOutcome,
}

impl Trial {
    fn new() -> Self {
        let case = Case::new(&mechanism());
        let motion = case.motion(&ends([("moved0", 0.0, 8.0), ("x", 0.0, 1.6)]));
        let seen = case.sampler.motion((&motion.0, &motion.1), Fineness::default());
        Self { case, motion, seen }
    }

    fn faults(&self, answer: &Answer) -> Vec<String> {
        judge::of_motion(&self.case.sampler, (&self.motion.0, &self.motion.1), &self.seen, answer)
    }

    /// The number of the triangle of the plate's face that contains the place of contact, by the oracles' mesh.
    fn face(&self) -> usize {
        let sampler = &self.case.sampler;
        let hit = self.seen.hit.expect("a hit");
        assert_eq!(hit.links, (sampler.robot.link("plate"), sampler.robot.link("hand")));
        let in_front = |k: usize| sampler.triangles(hit.links.0)[k].iter().all(|p| (p.x - 0.1).abs() < 1e-15);
        assert!(in_front(hit.triangles.0));
        hit.triangles.0
    }

    /// The right answer.
    fn right(&self) -> Contact {
        let side = |name: &str, triangle: usize, feature: (&str, usize)| Side {
            name: name.into(),
            shape: Some(0),
            triangle,
            feature: (feature.0.into(), feature.1),
        };
        Contact {
            toc: [T - 4e-10, T + 4e-10],
            proved: true,
            certified: true,
            initial_overlap: false,
            place: Some(Place {
                a: side("plate", self.face(), ("face", 0)),
                b: side("hand", 0, ("vertex", 2)),
                point: DVec3::new(0.5, 8.0 * T, 0.0),
                normal: DVec3::NEG_X,
            }),
        }
    }

    /// Expects that the changed answer has this fault.
    #[track_caller]
    fn finds(&self, fault: &str, change: impl Fn(&mut Contact)) {
        let mut contact = self.right();
        change(&mut contact);
        let found = self.faults(&Answer::Contact(contact));
        assert!(found.iter().any(|f| f.contains(fault)), "{fault}: {found:?}");
    }

    #[track_caller]
    fn finds_at(&self, fault: &str, change: impl Fn(&mut Place)) {
        self.finds(fault, |c| change(c.place.as_mut().unwrap()));
    }
}

#[test]
fn the_right_answer_has_no_fault() {
    let trial = Trial::new();
    let contact = trial.right();
    assert_eq!(trial.faults(&Answer::Contact(contact.clone())), [""; 0]);
    assert!(judge::certain(&trial.case.sampler, (&trial.motion.0, &trial.motion.1), &contact));
    // Wider, without proof, and without an end: weaker answers that are right.
    let unproved = Contact { toc: [T - 1e-12, 1.0], proved: false, certified: false, ..contact.clone() };
    assert_eq!(trial.faults(&Answer::Contact(unproved)), [""; 0]);
    let wide = Contact { toc: [0.1, 0.9], certified: false, place: None, ..contact };
    assert_eq!(trial.faults(&Answer::Contact(wide)), [""; 0]);
    assert_eq!(trial.faults(&Answer::Undecided { clear_until: 0.2 }), [""; 0]);
}

#[test]
fn wrong_verdicts_and_times() {
    let trial = Trial::new();
    assert_eq!(trial.faults(&Answer::Free), ["missed"]);
    assert_eq!(trial.faults(&Answer::Undecided { clear_until: 0.26 }), ["clear too long"]);
    trial.finds("late", |c| c.toc = [T + 2e-9, T + 2.5e-9]);
    trial.finds("late", |c| c.toc = [T + 1e-4, T + 1e-4]);
    trial.finds("pierced where nothing has touched", |c| c.toc = [T + 1e-4, T + 1e-4]);
    trial.finds("proved too early", |c| c.toc = [T - 1e-6, T - 1e-6]);
    trial.finds("nothing touches", |c| c.toc = [T - 1e-6, T - 1e-6]);
    trial.finds("wide", |c| c.toc = [T - 1e-7, T + 1e-7]);
    trial.finds("certified but not proved", |c| c.proved = false);
    trial.finds("not proved, but the enclosure does not reach the end", |c| (c.proved, c.certified) = (false, false));
    trial.finds("not an interval", |c| c.toc = [T, T - 1e-10]);
    trial.finds("nothing touches at the start", |c| (c.initial_overlap, c.toc[0]) = (true, 0.0));
    trial.finds("an overlap at the start after time 0", |c| c.initial_overlap = true);
}

#[test]
fn wrong_links_and_triangles() {
    let trial = Trial::new();
    let face = trial.face();
    trial.finds_at("the links are not in the order of the file", |p| std::mem::swap(&mut p.a, &mut p.b));
    trial.finds_at("a pair that is not tested", |p| p.a.name = "arm".into());
    trial.finds_at("no link", |p| p.b.name = "table".into());
    trial.finds_at("the triangles are apart", |p| p.a.triangle = (face + 2) % 12);
    trial.finds_at("the triangles are apart", |p| p.b.triangle = 5);
    trial.finds_at("is not in shape", |p| p.a.shape = Some(1));
    trial.finds_at("is not in shape", |p| p.a.triangle = 12);
    trial.finds_at("from the feature of b", |p| p.b.feature = ("vertex".into(), 1));
}

#[test]
fn wrong_points_and_normals() {
    let trial = Trial::new();
    trial.finds_at("from the feature of a", |p| p.point.x += 1e-6);
    trial.finds_at("from the feature of b", |p| p.point.z += 1e-6);
    // Coordinates of the cart instead of the world.
    trial.finds_at("from the feature of a", |p| p.point.y = 0.0);
    trial.finds_at("the normal is not a unit vector", |p| p.normal *= 1.0 + 1e-9);
    trial.finds_at("the normal points from a to b", |p| p.normal = DVec3::X);
}

/// Two runs that must agree.
#[test]
fn answers_that_differ() {
    use super::answers::{differences, sides};
    let right = Trial::new().right();
    let at = |lo: f64, hi: f64, proved: bool| Answer::Contact(Contact { toc: [lo, hi], proved, ..right.clone() });
    let [one, two] = [at(0.1, 0.2, true), at(0.15, 0.3, true)];
    let differ = |x: &Answer, y: &Answer| !differences(from_ref(x), from_ref(y), 1e-9).is_empty();
    assert!(!differ(&one, &two) && !differ(&Answer::Free, &Answer::Free));
    assert!(differ(&one, &Answer::Free) && differ(&Answer::Free, &one));
    assert!(differ(&one, &at(0.2 + 2e-9, 0.3, true)) && differ(&at(0.3, 0.4, true), &one));
    assert!(differ(&one, &at(0.1, 0.2, false)));
    assert!(!differ(&one, &Answer::Undecided { clear_until: 0.0 }));
    let mut exchanged = right.clone();
    let place = exchanged.place.as_mut().unwrap();
    std::mem::swap(&mut place.a, &mut place.b);
    let [x, y] = [right, exchanged].map(Answer::Contact);
    let [x, y] = [from_ref(&x), from_ref(&y)];
    assert_eq!((sides(x, x), sides(x, y)), ([1, 0, 0], [0, 1, 0]));
}
