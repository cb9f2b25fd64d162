//! `--clearance-limit`, pairs that do not count, and nothing to be near to.

use super::answers::Clearance;
use super::case::{Score, judged, judged_array};
use super::judge::Question;
use super::random;
use crate::effort;
use crate::harness::models::Draw;
use crate::link_pairs::mechanism::Mechanism;
use crate::link_pairs::solids::block;
use crate::trajectories::case::Case;
use crate::trajectories::corners::{path, tip, wall};
use crate::trajectories::course::Other;
use crate::trajectories::draw::{self, Style};
use glam::DVec3;

/// The clearances of motions that are free.
#[track_caller]
fn clearances(case: &Case, points: &[&[[f64; 2]]], question: Question, more: &[&str]) -> Vec<Option<Clearance>> {
    let all: Vec<_> = points.iter().map(|p| path(p)).collect();
    judged(case, &all, question, more).into_iter().map(|j| j.clearance).collect()
}

/// The tip comes to 0.25 m and to 0.75 m.
#[test]
fn distances_beyond_a_limit() {
    let case = Case::new(&tip(), vec![wall("wall", 1.75)]);
    let motions: [&[[f64; 2]]; 2] = [&[[0.0, 0.0], [1.0, 1.0]], &[[0.0, 0.0], [0.5, 1.0], [0.0, 0.0]]];
    for (limit_m, beyond) in [(0.1, [true, true]), (0.2499, [true, true]), (0.3, [false, true]), (0.8, [false, false])]
    {
        let question = Question { limit_m: Some(limit_m), ..Question::new(1e-5) };
        let found = clearances(&case, &motions, question, &[]);
        let is_beyond = |c: &Option<Clearance>| *c == Some(Clearance::Beyond(limit_m));
        assert_eq!(found.iter().map(is_beyond).collect::<Vec<_>>(), beyond, "{limit_m}: {found:?}");
    }
}

/// Where the limit is beyond the distance, the limit changes nothing in the sense of the enclosure.
#[test]
fn random_limits() {
    let mut score = Score::default();
    for seed in 0..effort(3, 100) as u64 {
        let (case, all) = random::open(46_000 + seed, 12);
        let plain = judged(&case, &all, Question::new(1e-4), &[]);
        for limit_m in [0.005, 0.05, 5.0] {
            let question = Question { limit_m: Some(limit_m), ..Question::new(1e-4) };
            let found = judged(&case, &all, question, &[]);
            for (a, b) in plain.iter().zip(&found) {
                let [a, b] = [a, b].map(|j| j.clearance.as_ref());
                let [a, b] = [a, b].map(|c| c.and_then(Clearance::nearest).map(|n| n.distance_m));
                assert!(a.zip(b).is_none_or(|(a, b)| a[0] <= b[1] && b[0] <= a[1]), "{a:?} {b:?}");
                assert!(b.is_some() || a.is_none_or(|a| a[1] >= limit_m), "{limit_m}: {a:?}");
            }
            score.add(question, &found);
        }
    }
    score.require("limits");
    assert!(score.beyond > 0 && score.beyond < score.free);
}

/// The tip starts in the near wall and leaves it: the far wall alone counts.
#[test]
fn pairs_that_touch_at_the_start_do_not_count() {
    let case = Case::new(&tip(), vec![wall("near", 0.375), wall("far", 1.5)]);
    let ignoring = Question { ignores_initial: true, ..Question::new(1e-4) };
    let motions: [&[[f64; 2]]; 2] = [&[[0.0, 0.0], [0.5, 0.0], [-2.0, 0.0]], &[[-1.0, 0.0], [-0.5, 0.0]]];
    let found = clearances(&case, &motions, ignoring, &[]);
    let [first, second] = [0, 1].map(|i| found[i].as_ref().unwrap().nearest().expect("a distance"));
    assert!(first.contains(0.5) && first.names() == ["tip", "far"], "{first:?}");
    // Ignored in the other motion only.
    assert!(second.contains(0.375) && second.names() == ["tip", "near"], "{second:?}");
    let alone = Case::new(&tip(), vec![wall("near", 0.375)]);
    assert_eq!(clearances(&alone, &motions[..1], ignoring, &[]), [Some(Clearance::Nothing)]);
}

#[test]
fn random_starts_in_contact() {
    let (mut score, mut n_ignored) = (Score::default(), 0);
    for seed in 0..effort(3, 80) as u64 {
        let mut draw = Draw::new(47_000 + seed);
        let case = match seed % 3 {
            2 => Case::with_links(&draw::two_arms(&mut draw), vec![]),
            _ => Case::new(&draw::arm(&mut draw), draw::objects(&mut draw)),
        };
        let one = |i: usize| draw::from_anywhere(&mut draw, &case.course, Style::ALL[i % 5], 3);
        let all: Vec<_> = (0..20).map(one).collect();
        let question = Question { ignores_initial: true, ..Question::new(3e-4) };
        let found = judged(&case, &all, question, &[]);
        let touches = |i: &usize| !case.course.touching_at_start(&all[*i]).is_empty();
        n_ignored += (0..all.len()).filter(|i| found[*i].clearance.is_some()).filter(touches).count();
        score.add(question, &found);
    }
    println!("{n_ignored} free trajectories with pairs that do not count");
    score.require("starts in contact");
    assert!(n_ignored > 0);
}

/// Pairs that `--allow` names do not count, both of a link and an object and of two links.
#[test]
fn allowed_pairs_do_not_count() {
    let mut case = Case::new(&tip(), vec![wall("first", 1.75), wall("second", 2.25)]);
    case.desk.put("one.txt", "tip first\n").put("all.txt", "* *\n");
    let motion: [&[[f64; 2]]; 1] = [&[[0.0, 0.0], [1.0, 0.0]]];
    case.course.pairs.retain(|p| p.1 != Other::Object(0));
    let found = clearances(&case, &motion, Question::new(1e-4), &["--allow", "one.txt"]);
    assert!(found[0].as_ref().unwrap().nearest().is_some_and(|n| n.contains(0.75)), "{found:?}");
    case.course.pairs.clear();
    for limit_m in [None, Some(0.1)] {
        let question = Question { limit_m, ..Question::new(1e-4) };
        let found = case.check(&[path(motion[0])], &options(question, "all.txt").each_ref().map(String::as_str));
        let entry = &found.lines[0]["clearance"]["distance_m"];
        assert!(found.run.code == Some(0) && found.lines[0]["verdict"] == "free", "{}", found.run.stderr);
        // With a limit, nothing is within it either.
        assert!(entry.is_null() || limit_m.is_some_and(|d| *entry == serde_json::json!([d, null])), "{entry}");
    }
}

fn options(question: Question, allow: &str) -> [String; 4] {
    let [option, value] = ["--clearance".to_owned(), question.tolerance_m.to_string()];
    match question.limit_m {
        None => [option, value, "--allow".into(), allow.into()],
        Some(d) => [format!("{option}={value}"), format!("--clearance-limit={d}"), "--allow".into(), allow.into()],
    }
}

/// Neighbours do not count: of three boxes in a row the first and the last do.
#[test]
fn neighbours_do_not_count() {
    let x = |x: f64| DVec3::new(x, 0.0, 0.0);
    let shape = block([-0.1; 3], [0.1; 3]);
    let row = Mechanism::default()
        .link("base", vec![])
        .link("first", shape.clone())
        .link("middle", shape.clone())
        .link("last", shape)
        .joint(("a", "prismatic"), ("base", "first"), x(0.0), DVec3::X)
        .joint(("b", "prismatic"), ("first", "middle"), x(0.25), DVec3::X)
        .joint(("c", "prismatic"), ("middle", "last"), x(0.5), DVec3::X);
    let case = Case::with_links(&row, vec![]);
    let t = crate::trajectories::curve::Trajectory::straight(&[vec![0.0; 3], vec![5.0, -0.02, -0.1]]);
    let found = judged_array(&case, &[t], Question::new(1e-4), &[]);
    let nearest = super::case::only(&found);
    // 0.75 m between the centres, less 0.12 m of travel and 0.2 m of both halves.
    assert!(nearest.contains(0.43) && nearest.names() == ["first", "last"], "{nearest:?}");
}
