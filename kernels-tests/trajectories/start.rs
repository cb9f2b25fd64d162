//! Single waypoints, and contacts at the start: reported, or ignored for the whole trajectory.

use super::answers::{Answer, Tally};
use super::case::{Case, read};
use super::corners::{path, tip, wall};
use super::course::Other;
use super::curve::Trajectory;
use super::draw::{self, Style};
use super::judge;
use crate::effort;
use crate::harness::models::Draw;
use crate::oracle::advance::Fineness;
use serde_json::json;

#[test]
fn a_single_waypoint() {
    let case = Case::new(&tip(), vec![wall("wall", 1.5)]);
    let all = [path(&[[0.0, 0.0]]), path(&[[1.125, 0.5]]), path(&[[0.99, 0.0]])];
    let timed = all.clone().map(|t| Trajectory { times_s: Some(vec![2.0]), ..t });
    let as_array = read(&case.check_array(&all, &[]), &all);
    for answers in [case.answers(&all, &[]), case.answers(&timed, &[]), as_array] {
        assert_eq!((&answers[0], &answers[2]), (&Answer::Free, &Answer::Free));
        let c = answers[1].contact().unwrap_or_else(|| panic!("{answers:?}"));
        assert!(c.u[0] == 0.0 && c.initial_overlap && c.proved, "{c:?}");
        assert!(c.time_s.is_none_or(|t| t[0] == 2.0), "{c:?}");
    }
    let answers = case.answers(&all, &["--initial", "ignore"]);
    assert_eq!(answers, [Answer::Free, Answer::Free, Answer::Free]);
}

/// The tip is in the near wall at the start, leaves it, and returns; the far wall is reached exactly at a waypoint.
#[test]
fn only_contacts_at_the_start_are_ignored() {
    let case = Case::new(&tip(), vec![wall("near", 0.375), wall("far", 1.5)]);
    let all = [
        path(&[[0.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.5, 0.0]]),
        path(&[[0.0, 0.0], [1.0, 0.0], [1.5, 0.0], [0.0, 0.0]]),
        path(&[[0.0, 0.0], [0.75, 0.0], [1.0, 0.0], [1.0, 1.0], [1.25, 1.0]]),
        path(&[[-1.0, 0.0], [0.0, 0.0], [0.5, 0.0]]),
    ];
    for answer in &case.answers(&all, &[])[..3] {
        let c = answer.contact().unwrap_or_else(|| panic!("{answer:?}"));
        let near = c.place.as_ref().is_some_and(|p| p.b.name == "near");
        assert!(c.u[0] == 0.0 && c.initial_overlap && c.proved && near, "{c:?}");
    }
    let checked = case.check(&all, &["--initial", "ignore"]);
    let answers = read(&checked, &all);
    assert_eq!(answers[0], Answer::Free);
    for (i, at) in [(1, 1.0), (2, 2.0)] {
        let c = answers[i].contact().unwrap_or_else(|| panic!("{answers:?}"));
        assert!(c.u[0] <= at && c.u[0] > at - 1e-6 && !c.initial_overlap, "{c:?}");
        assert!(c.place.as_ref().is_some_and(|p| p.b.name == "far"), "{c:?}");
    }
    // Touched later only: at 0.875 of the first segment, where the tip is at 0.375.
    let c = answers[3].contact().unwrap_or_else(|| panic!("{answers:?}"));
    assert!(c.certified && c.u[0] <= 0.875 && c.u[1] >= 0.875 - 1e-12, "{c:?}");
    let ignored = checked.stats["ignored"].as_array().expect("a list");
    assert!(ignored.len() == 1 && ignored[0].to_string().contains("near"), "{ignored:?}");
    assert_eq!(ignored[0]["motions"], 3);
}

/// Trajectories that start anywhere, of which many touch something at the start.
#[test]
fn random_starts_in_contact() {
    let (mut tally, mut n_ignored, mut later) = (Tally::default(), 0, 0);
    for seed in 0..effort(6, 150) as u64 {
        let mut draw = Draw::new(6000 + seed);
        let mut case = Case::new(&draw::arm(&mut draw), draw::objects(&mut draw));
        let start = |draw: &mut Draw, case: &Case, i: usize| {
            let all = (0..20).map(|_| draw::from_anywhere(draw, &case.course, Style::ALL[i % 5], 4));
            let all: Vec<_> = all.collect();
            let touches = |t: &&Trajectory| !case.course.touching_at_start(t).is_empty();
            all.iter().find(touches).unwrap_or(&all[0]).clone()
        };
        let all: Vec<_> = (0..20).map(|i| start(&mut draw, &case, i)).collect();
        let reported = case.judged(&all, &[]);
        let answers = case.answers(&all, &["--initial", "ignore"]);
        let pairs = case.course.pairs.clone();
        for ((t, reported), answer) in all.iter().zip(&reported).zip(&answers) {
            let touching = case.course.touching_at_start(t);
            assert_eq!(!touching.is_empty(), reported.contact().is_some_and(|c| c.initial_overlap), "{reported:?}");
            case.course.pairs.retain(|p| !touching.contains(p));
            let seen = case.course.walk(&t.nominal(), Fineness::default());
            assert_eq!(judge::of_one(&case.course, t, &seen, answer), [""; 0], "seed {seed}: {answer:?} {seen:?}");
            n_ignored += usize::from(!touching.is_empty());
            later += usize::from(!touching.is_empty() && answer.contact().is_some());
            case.course.pairs.clone_from(&pairs);
        }
        tally.add(&answers);
    }
    println!("{tally:?}; {n_ignored} with pairs ignored, {later} of them touch something else later");
    assert!(n_ignored > 20 && later > 0 && tally.free > 0);
}

/// Links that overlap at the start are ignored; those that overlap later are not.
#[test]
fn links_that_touch_at_the_start() {
    let mut draw = Draw::new(6500);
    let (mut n_ignored, mut contacts) = (0, 0);
    for _ in 0..effort(3, 60) {
        let mut case = Case::with_links(&draw::two_arms(&mut draw), vec![]);
        let one = |i: usize| draw::from_anywhere(&mut draw, &case.course, Style::ALL[i % 5], 4);
        let all: Vec<_> = (0..20).map(one).collect();
        let answers = case.answers(&all, &["--initial", "ignore"]);
        let pairs = case.course.pairs.clone();
        for (t, answer) in all.iter().zip(&answers) {
            let touching = case.course.touching_at_start(t);
            assert!(touching.iter().all(|p| matches!(p.1, Other::Link(_))));
            case.course.pairs.retain(|p| !touching.contains(p));
            let seen = case.course.walk(&t.nominal(), Fineness::default());
            assert_eq!(judge::of_one(&case.course, t, &seen, answer), [""; 0], "{answer:?} {seen:?}");
            n_ignored += usize::from(!touching.is_empty());
            contacts += usize::from(answer.contact().is_some());
            case.course.pairs.clone_from(&pairs);
        }
    }
    println!("{n_ignored} with pairs ignored, {contacts} contacts");
    assert!(n_ignored > 0 && contacts > 0);
}

/// A free root: straight segments of position and orientation, with a contact in the second of them.
#[test]
fn a_free_root_follows_straight_segments() {
    let case = Case::new(&tip(), vec![wall("wall", 1.5)]);
    let row = |x: f64, turn: f64| json!([x, 0.0, 0.0, 0.0, 0.0, (0.5 * turn).sin(), (0.5 * turn).cos(), 0.0, 0.0]);
    let columns = ["x", "y", "z", "qx", "qy", "qz", "qw"].len() + 2;
    let rows = [row(0.0, 0.0), row(0.5, 0.0), row(2.5, 0.0), row(2.5, 1.0)];
    let values: Vec<f64> = rows.iter().flat_map(crate::cli::numbers).collect();
    let bytes = crate::inputs::samples::npy("'<f8'", &format!("(1, 4, {columns})"), &values);
    case.desk.put("free.npy", bytes);
    let checked = case.check_file("free.npy", &["--floating-root"]);
    assert_eq!(checked.run.code, Some(1), "{}", checked.run.stderr);
    let line = &checked.lines[0];
    let toc = crate::cli::numbers(&line["toc"]);
    assert!(line["segment"] == 1 && line["certified"] == true, "{line}");
    assert!(toc[0] <= 0.25 + 1e-12 && toc[1] >= 0.25 - 1e-12, "{line}");
}
