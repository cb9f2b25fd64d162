//! The other options of `check` for trajectories.

use super::answers::Answer;
use super::case::{Case, read};
use super::corners::{path, tip, wall};
use super::curve::Trajectory;
use super::judge;
use super::random;
use crate::effort;
use crate::link_pairs::answers::Place;
use serde_json::Value;

fn some(seed: u64, n: usize) -> impl Iterator<Item = (Case, Vec<Trajectory>)> {
    (seed..seed + n as u64).map(|seed| random::case(seed, 25))
}

#[test]
fn results_are_the_same_bytes_for_any_number_of_threads() {
    for (case, all) in some(9000, effort(2, 20)) {
        let text = |more: &[&str]| case.check(&all, more).text;
        assert_eq!(text(&["--threads", "1"]), text(&["--threads", "2"]));
        assert!(!text(&[]).is_empty());
    }
}

/// The same verdicts, with enclosures that contain the first contact.
#[test]
fn verdicts_alone() {
    for (case, all) in some(9100, effort(3, 60)) {
        let exact = case.judged(&all, &[]);
        let quick = case.judged(&all, &["--mode", "verdict"]);
        for (a, b) in exact.iter().zip(&quick) {
            let agree = match (a, b) {
                (Answer::Undecided { .. }, _) | (_, Answer::Undecided { .. }) | (Answer::Free, Answer::Free) => true,
                (Answer::Contact(x), Answer::Contact(y)) => {
                    x.proved == y.proved && x.u[0] <= y.u[1] && y.u[0] <= x.u[1]
                }
                _ => false,
            };
            assert!(agree, "{a:?} but {b:?}");
        }
    }
}

/// The other sweeps and stages change costs, not answers.
#[test]
fn stages_do_not_change_verdicts() {
    for (case, all) in some(9200, effort(1, 20)) {
        let expected = case.judged(&all, &[]);
        for more in [["--sweep", "off"], ["--stages", "3"], ["--stages", "1,3"]] {
            for (a, b) in expected.iter().zip(case.judged(&all, &more)) {
                assert_eq!(super::answers::difference(a, &b, &|u| u), None, "{more:?}");
            }
        }
    }
}

/// Every place of a contact is one of touching triangles, and the first place is among them.
#[test]
fn all_contacts() {
    let mut n = 0;
    for (case, all) in some(9300, effort(2, 40)) {
        let checked = case.check(&all, &["--all-contacts"]);
        for ((line, answer), t) in checked.lines.iter().zip(read(&checked, &all)).zip(&all) {
            let Some(contact) = answer.contact().filter(|c| c.certified) else { continue };
            let places: Vec<Place> = line["contacts"].as_array().expect("a list").iter().map(Place::read).collect();
            assert!(places.contains(contact.place.as_ref().unwrap()), "{line}");
            for place in places {
                let (pair, triangles) = judge::named(&case.course, &place).unwrap();
                let [x, y] = case.course.triangles_at(pair, triangles, &t.nominal(), contact.u[1]);
                let distance = crate::oracle::triangles::distance(&x, &y);
                let travel = case.course.travel(pair, &t.nominal(), (contact.u[0], contact.u[1]));
                assert!(distance <= travel + 1e-9, "{distance}: {line}");
                n += 1;
            }
        }
    }
    println!("{n} places");
    assert!(n > 0);
}

/// A looser tolerance is a share of the segment of contact.
#[test]
fn the_tolerance_is_a_share_of_the_segment() {
    let case = Case::new(&tip(), vec![wall("wall", 1.5)]);
    let all = [path(&[[-5.0, 0.0], [0.9, 0.0], [1.2, 0.0], [9.0, 0.0]])];
    for tolerance in ["1e-3", "1e-6", "1e-9"] {
        let checked = case.check(&all, &["--tolerance", tolerance]);
        let (line, answers): (&Value, _) = (&checked.lines[0], read(&checked, &all));
        let c = answers[0].contact().unwrap_or_else(|| panic!("{line}"));
        let (at, width) = (1.0 + 1.0 / 3.0, tolerance.parse::<f64>().unwrap());
        assert!(c.certified && line["segment"] == 1 && c.u[1] - c.u[0] <= width * (1.0 + 1e-9), "{line}");
        assert!(c.u[0] <= at + 1e-12 && c.u[1] >= at - 1e-12, "{line}");
    }
}

/// Pairs that `--allow` names are never tested.
#[test]
fn allowed_pairs() {
    let case = Case::new(&tip(), vec![wall("first", 1.0), wall("second", 1.5)]);
    case.desk.put("allow.txt", "tip first\n");
    let all = [path(&[[0.0, 0.0], [0.75, 0.0], [1.25, 0.0]])];
    let of = |more: &[&str]| case.answers(&all, more)[0].contact().expect("a contact").clone();
    let (first, second) = (of(&[]), of(&["--allow", "allow.txt"]));
    assert!(first.u[0] <= 2.0 / 3.0 + 1e-12 && first.u[1] >= 2.0 / 3.0 - 1e-12, "{first:?}");
    assert!(second.u[0] <= 1.5 && second.u[1] >= 1.5 - 1e-12, "{second:?}");
}
