//! The same relative motions in other descriptions: the answers must be the same, with enclosures that overlap.

use super::answers::{Answer, differences, sides, tally};
use super::case::{Case, Ends, srdf};
use super::mechanism::Mechanism;
use super::random::{self, Kinds};
use crate::effort;
use crate::harness::models::Draw;
use glam::{DQuat, DVec3};

/// Rounding of the numbers that define the motion in another description changes times by a little.
const SLACK: f64 = 1e-9;

/// A random mechanism that has pairs to test, with its motions and their answers.
struct Reference {
    mechanism: Mechanism,
    case: Case,
    ends: Vec<Ends>,
    answers: Vec<Answer>,
}

/// The mechanisms of some seeds.
fn references(seed: u64, kinds: Kinds, f: impl Fn(&mut Draw, &Reference)) {
    let mut sum = [0; 3];
    for i in 0..effort(12, 200) as u64 {
        let mut draw = Draw::new(seed + i);
        let mechanism = random::mechanism(&mut draw, kinds);
        let case = Case::new(&mechanism);
        if case.sampler.pairs.is_empty() {
            continue;
        }
        let (ends, motions) = random::motions(&mut draw, &mechanism, &case, 25);
        let answers = case.judged(&motions, &[]);
        tally(&answers).iter().zip(&mut sum).for_each(|(n, sum)| *sum += n);
        f(&mut draw, &Reference { mechanism, case, ends, answers });
    }
    println!("{sum:?} free, touching, undecided");
    assert!(sum[0] > 20 && sum[1] > 20);
}

/// The answers of another description.
fn again(case: &Case, ends: &[Ends], more: &[&str]) -> Vec<Answer> {
    case.judged(&ends.iter().map(|e| case.motion(e)).collect(), more)
}

/// The ends of the motions with those of further joints.
fn with(ends: &[Ends], mut more: impl FnMut() -> Ends) -> Vec<Ends> {
    ends.iter().map(|e| e.clone().into_iter().chain(more()).collect()).collect()
}

#[test]
fn a_root_that_slides_and_turns() {
    references(800, Kinds::All, |draw, r| {
        let mount = [("prismatic", draw.direction()), ("continuous", draw.direction())];
        let metres = [0.1, 3.0, 80.0][draw.below(3)];
        let case = Case::new(&r.mechanism.on(&mount));
        let one = |a: f64, b: f64| [vec![a], vec![b]];
        let ends = with(&r.ends, || {
            let (a, b) = (draw.between(-metres, metres), draw.between(-7.0, 7.0));
            [("moved0".into(), one(0.2, a)), ("moved1".into(), one(-1.0, b))].into()
        });
        let answers = again(&case, &ends, &[]);
        assert_eq!(differences(&r.answers, &answers, SLACK), [""; 0]);
        assert_eq!(sides(&r.answers, &answers)[1..], [0, 0]);
    });
}

#[test]
fn a_root_that_moves_freely() {
    references(820, Kinds::All, |draw, r| {
        let case = Case::new(&r.mechanism.on(&[("floating", DVec3::X)]));
        let ends = with(&r.ends, || {
            let mut place = |size: f64| {
                let (p, axis) = (draw.vector(size), draw.direction());
                let turn = DQuat::from_axis_angle(axis, draw.between(-3.0, 3.0)).normalize();
                [&p.to_array()[..], &turn.to_array()].concat()
            };
            [("moved0".into(), [place(1.0), place(20.0)])].into()
        });
        let answers = again(&case, &ends, &[]);
        assert_eq!(differences(&r.answers, &answers, SLACK), [""; 0]);
        assert_eq!(sides(&r.answers, &answers)[1..], [0, 0]);
    });
}

/// `a` is the link that is first in the file, whichever link is at rest in the search.
#[test]
fn the_elements_of_the_file_in_reverse_order() {
    references(840, Kinds::All, |_, r| {
        let case = Case::new(&r.mechanism.reversed());
        let answers = again(&case, &r.ends, &[]);
        assert_eq!(differences(&r.answers, &answers, SLACK), [""; 0]);
        let [same, exchanged, other] = sides(&r.answers, &answers);
        assert_eq!((same, other), (0, 0), "{exchanged} exchanged");
        for (x, y) in r.answers.iter().zip(&answers).filter_map(|(x, y)| Some((x.contact()?, y.contact()?))) {
            let (Some(p), Some(q)) = (&x.place, &y.place) else { continue };
            // At the start, several pairs of links may touch.
            let same_links = x.names() == y.names().map(|[a, b]| [b, a]);
            let same_triangles = (p.a.triangle, p.b.triangle) == (q.b.triangle, q.a.triangle);
            if x.certified && y.certified && same_links && same_triangles {
                assert!(p.point.distance(q.point) < 1e-7, "{p:?} {q:?}");
                let same_features = (&p.a.feature, &p.b.feature) == (&q.b.feature, &q.a.feature);
                assert!(!same_features || p.normal.distance(-q.normal) < 1e-6, "{p:?} {q:?}");
            }
        }
    });
}

/// Which groups are neighbours depends on the root, so an SRDF names the pairs.
#[test]
fn another_link_as_the_root() {
    references(860, Kinds::Reversible, |draw, r| {
        let text = srdf(&r.case.sampler);
        let root = &r.mechanism.links[draw.below(r.mechanism.links.len())].name;
        let mut case = Case::new(&r.mechanism.rerooted(root));
        case.sampler.pairs.clone_from(&r.case.sampler.pairs);
        case.desk.put("pairs.srdf", text);
        let answers = again(&case, &r.ends, &["--srdf", "pairs.srdf"]);
        assert_eq!(differences(&r.answers, &answers, SLACK), [""; 0], "{root}");
        assert_eq!(sides(&r.answers, &answers)[1..], [0, 0], "{root}");
    });
}
