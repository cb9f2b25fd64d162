//! The other options of `check` for pairs of links.

use super::answers::{Answer, Contact, Place, differences, tally};
use super::case::{Case, ends, read, touches};
use super::gap;
use super::judge;
use super::mechanism::Mechanism;
use super::random::{self, Kinds};
use super::solids::block;
use crate::effort;
use crate::harness::gpu;
use crate::harness::models::Draw;
use crate::oracle::placements::MotionBatch;
use glam::DVec3;
use std::f64::consts::FRAC_PI_4;

/// Two boxes, 0.2 m long and 0.8 m apart along x, on slides of their own; and a post 3 m away from the first one.
/// Different widths make edges pass through faces, and not along edges.
fn slides() -> Mechanism {
    let mut slides = Mechanism::default().link("base", vec![]);
    for (name, x, half) in [("left", 0.0, 0.1), ("right", 1.0, 0.12), ("post", 3.0, 0.14)] {
        let place = DVec3::new(x, 0.0, 0.0);
        slides = slides.link(name, block([-0.1, -half, -half], [0.1, half, half]));
        slides = slides.joint((&format!("to {name}"), "prismatic"), ("base", name), place, DVec3::X);
    }
    slides
}

/// The backends of this machine.
fn backends() -> &'static [&'static str] {
    if gpu::skip() { &["cpu"] } else { &["cpu", "gpu"] }
}

#[test]
fn the_first_time_within_a_margin() {
    for backend in backends() {
        let case = Case::new(&slides());
        // The distance falls from 0.8 m to 0 at 2 m a motion.
        let motions = vec![case.motion(&ends([("to left", 0.0, 1.0), ("to right", 0.0, -1.0)]))];
        for margin in [0.0, 0.05, 0.4] {
            let answers = case.answers(&motions, &["--margin", &margin.to_string(), "--backend", backend]);
            touches(&answers[0], (0.8 - margin) / 2.0);
        }
        // Down to 0.3 m.
        let motions = vec![case.motion(&ends([("to left", 0.0, 0.5)]))];
        let within = |margin: &str| case.answers(&motions, &["--margin", margin, "--backend", backend])[0].clone();
        assert_eq!(within("0.299"), Answer::Free);
        touches(&within("0.301"), 0.998);
        let start = within("0.81");
        assert!(start.contact().is_some_and(|c| c.initial_overlap && c.toc[0] == 0.0), "{start:?}");
    }
}

/// Distance at the reported time, by the oracle, for links that turn and travel.
#[test]
fn a_margin_while_travelling() {
    let mount = [("prismatic", DVec3::X), ("continuous", DVec3::new(0.6, 0.0, 0.8))];
    let case = Case::new(&gap::carriage().on(&mount));
    let motions = vec![case.motion(&ends([("moved0", 0.0, 40.0), ("moved1", 0.0, 3.0), ("r", 0.0, FRAC_PI_4)]))];
    let q = (&motions[0].0[..], &motions[0].1[..]);
    for margin in [0.001, 0.005, 0.015] {
        let answers = case.answers(&motions, &["--margin", &margin.to_string()]);
        let contact = answers[0].contact().expect("a contact");
        let distance = case.sampler.clearance(q, contact.toc[0], 0.1);
        assert!((distance - margin).abs() < 1e-8 && contact.certified, "{margin}: {distance} {contact:?}");
    }
    let close = case.answers(&vec![case.motion(&ends([("moved0", 0.0, 40.0)]))], &["--margin", "0.0199"]);
    assert_eq!(close, [Answer::Free]);
}

/// Random mechanisms with their motions.
fn some(seed: u64, n: usize) -> Vec<(Case, MotionBatch)> {
    (seed..seed + n as u64)
        .map(|seed| {
            let mut draw = Draw::new(seed);
            let mechanism = random::mechanism(&mut draw, Kinds::All);
            let case = Case::new(&mechanism);
            let motions = random::motions(&mut draw, &mechanism, &case, 25).1;
            (case, motions)
        })
        .filter(|(case, _)| !case.sampler.pairs.is_empty())
        .collect()
}

/// The same verdicts and overlapping enclosures with other options.
fn agree(seed: u64, n: usize, more: &[&str]) {
    let mut sum = [0; 3];
    for (case, motions) in some(seed, n) {
        let expected = case.judged(&motions, &[]);
        assert_eq!(differences(&expected, &case.judged(&motions, more), 0.0), [""; 0], "{more:?}");
        tally(&expected).iter().zip(&mut sum).for_each(|(n, sum)| *sum += n);
    }
    assert!(sum[0] > n && sum[1] > n, "{sum:?}");
}

#[test]
fn interval_matrices_agree_with_jets() {
    agree(1000, effort(8, 100), &["--bound", "interval"]);
}

#[test]
fn the_gpu_agrees_with_the_cpu() {
    if !gpu::skip() {
        agree(1020, effort(5, 80), &["--backend", "gpu"]);
    }
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    for (case, motions) in some(1040, 4) {
        let lines = |threads: &str| case.check(&motions, &["--threads", threads]).lines;
        assert_eq!(lines("1"), lines("2"));
    }
}

/// `--mode verdict`: the same verdicts, with enclosures that contain the first contact.
#[test]
fn verdicts_alone() {
    for backend in backends() {
        for (case, motions) in some(1060, effort(4, 60)) {
            let exact = case.answers(&motions, &["--backend", backend]);
            let quick = case.answers(&motions, &["--backend", backend, "--mode", "verdict"]);
            assert_eq!(differences(&exact, &quick, 0.0), [""; 0]);
            assert!(quick.iter().filter_map(Answer::contact).all(|c| c.place.is_none()));
        }
    }
}

#[test]
fn overlaps_at_the_start() {
    let case = Case::new(&slides());
    // Left and right overlap and stay so; both reach the post after 1.8 of 3.6 m, the right one.
    let motions = vec![
        case.motion(&ends([("to left", 0.9, 4.5), ("to right", 0.0, 3.6)])),
        case.motion(&ends([("to left", 0.9, 0.0), ("to right", 0.0, 0.9)])),
        case.motion(&ends([("to left", 0.0, 1.6)])),
    ];
    for backend in backends() {
        let answers = case.judged(&motions, &["--backend", backend]);
        let overlaps: Vec<_> = answers.iter().map(|a| a.contact().is_some_and(|c| c.initial_overlap)).collect();
        assert_eq!(overlaps, [true, true, false]);
        assert_eq!(answers[0].contact().unwrap().names(), Some(["left", "right"]));
        assert_eq!(answers[0].contact().unwrap().toc[0], 0.0);
        let checked = case.check(&motions, &["--backend", backend, "--initial", "ignore"]);
        let answers = read(&checked, 3);
        touches(&answers[0], 0.5);
        assert_eq!(answers[0].contact().unwrap().names(), Some(["right", "post"]));
        assert_eq!(answers[1], Answer::Free);
        // Left out in other motions only.
        touches(&answers[2], 0.5);
        let ignored = checked.stats["ignored"].as_array().expect("a list");
        let text = ignored[0].to_string();
        assert!(ignored.len() == 1 && text.contains("left") && text.contains("right"), "{ignored:?}");
        assert_eq!(ignored[0]["motions"], 2);
    }
}

/// Parallel edges of two plates on slides of their own, which touch at both ends of their common part: y = -0.05 and
/// 0.1, at x = 0.5, where both have come half of the way.
#[test]
fn all_contacts() {
    let v = DVec3::new;
    let plate = vec![[v(0.0, -0.1, 0.0), v(0.0, 0.1, 0.0), v(-0.5, 0.0, 0.3)]];
    let other = vec![[v(1.0, -0.05, 0.0), v(1.0, 0.4, 0.0), v(1.5, 0.0, 0.3)]];
    let plates = Mechanism::default()
        .link("base", vec![])
        .link("plate", plate)
        .link("other", other)
        .joint(("p", "prismatic"), ("base", "plate"), DVec3::ZERO, DVec3::X)
        .joint(("o", "prismatic"), ("base", "other"), DVec3::ZERO, DVec3::X);
    let case = Case::new(&plates);
    let motions = vec![case.motion(&ends([("p", 0.0, 2.0), ("o", 0.0, -2.0)]))];
    let checked = case.check(&motions, &["--all-contacts"]);
    let line = &checked.lines[0];
    let contact = Answer::read(line).contact().cloned().expect("a contact");
    assert!((contact.toc[0] - 0.25).abs() < 1e-9, "{line}");
    let places: Vec<Place> = line["contacts"].as_array().expect("a list").iter().map(Place::read).collect();
    let is_edges = |p: &&Place| p.a.feature == ("edge".into(), 0) && p.b.feature == ("edge".into(), 0);
    let mut ends: Vec<f64> = places.iter().filter(is_edges).map(|p| p.point.y).collect();
    ends.sort_by(f64::total_cmp);
    assert!(ends.len() == 2 && (ends[0] + 0.05).abs() < 1e-8 && (ends[1] - 0.1).abs() < 1e-8, "{line}");
    for place in &places {
        assert_eq!([&place.a.name, &place.b.name], ["plate", "other"]);
        assert!((place.point.x - 0.5).abs() < 1e-8 && place.point.z.abs() < 1e-8, "{place:?}");
        assert!(place.normal.x < 0.0 || place.normal.x.abs() < 1e-9, "{place:?}");
    }
    // Both links, where they touch.
    let x = |name: &str| line["poses"][name][0][3].as_f64().expect("a number");
    assert!((x("plate") - 0.5).abs() < 1e-8 && (x("other") + 0.5).abs() < 1e-8, "{}", line["poses"]);
}

/// Every place of random contacts is one of touching triangles, and the first of them is among them.
#[test]
fn all_contacts_of_random_mechanisms() {
    for (case, motions) in some(1080, effort(4, 60)) {
        let checked = case.check(&motions, &["--all-contacts"]);
        let answers = read(&checked, motions.len());
        for ((line, answer), (q0, q1)) in checked.lines.iter().zip(&answers).zip(&motions) {
            let Some(contact) = answer.contact().filter(|c| c.certified) else { continue };
            let places: Vec<Place> = line["contacts"].as_array().expect("a list").iter().map(Place::read).collect();
            assert!(places.contains(contact.place.as_ref().unwrap()), "{line}");
            let seen = case.sampler.motion((q0, q1), crate::oracle::advance::Fineness::default());
            for place in places {
                let one = Answer::Contact(Contact { place: Some(place.clone()), ..contact.clone() });
                let mut faults = judge::of_motion(&case.sampler, (q0, q1), &seen, &one);
                // Where two edges meet, the distance of one of them alone does not show the side: the normal is that of
                // the first place, which is judged.
                if place.normal == contact.place.as_ref().unwrap().normal {
                    faults.retain(|fault| fault != "the normal points from a to b");
                }
                assert_eq!(faults, [""; 0], "{line}");
            }
        }
    }
}
