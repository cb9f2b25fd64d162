//! The first time within a margin, along trajectories of all styles.

use super::answers::{Answer, Tally};
use super::case::Case;
use super::corners::{path, tip, wall};
use super::draw;
use super::judge::{self, Agreement};
use crate::effort;
use crate::harness::models::Draw;

/// Nearer than this beyond the margin, a contact may be reported that was not proved.
const BAND_M: f64 = 1e-7;

fn campaign(n_cases: usize, tests_links: bool, more: &[&str]) {
    let (mut tally, mut agreement, mut nearest) = (Tally::default(), Agreement::default(), f64::INFINITY);
    for seed in 0..n_cases as u64 {
        let mut draw = Draw::new(8000 + seed);
        let margin_m = [0.001, 0.005, 0.02][seed as usize % 3];
        let mut case = if tests_links {
            Case::with_links(&draw::two_arms(&mut draw), vec![])
        } else {
            Case::new(&draw::arm(&mut draw), draw::objects(&mut draw))
        };
        case.course.margin_m = margin_m;
        let all = draw::trajectories(&mut draw, &case.course, 20);
        let (seen, text) = (case.walk(&all), margin_m.to_string());
        let answers = case.answers(&all, &[&["--margin", &text], more].concat());
        assert_eq!(judge::faults(&case.course, &all, &seen, &answers), [""; 0], "seed {seed}, margin {margin_m}");
        for (answer, seen) in answers.iter().zip(&seen) {
            if *answer == Answer::Free {
                nearest = nearest.min(seen.least_gap_m);
            }
            // The true minimum is smaller than the measured one by at most a tenth of it and the fine step.
            let may_touch = 0.9 * seen.least_gap_m - 1e-4 <= BAND_M;
            assert!(answer.contact().is_none() || may_touch, "{answer:?} {seen:?}");
        }
        tally.add(&answers);
        agreement.add(&seen, &answers);
    }
    agreement.require();
    println!("free answers come as near as {nearest:e} m beyond the margin");
    tally.require(&format!("margins {more:?}, links {tests_links}"));
}

#[test]
fn the_first_time_within_a_margin() {
    campaign(effort(6, 200), false, &[]);
}

#[test]
fn the_first_time_within_a_margin_by_interval_matrices() {
    campaign(effort(3, 40), false, &["--bound", "interval"]);
}

#[test]
fn the_first_time_within_a_margin_of_links() {
    campaign(effort(3, 100), true, &[]);
}

/// Of a corner whose tip is 0.25 m in front of a wall.
#[test]
fn a_corner_within_a_margin() {
    let case = Case::new(&tip(), vec![wall("wall", 1.75)]);
    let t = [path(&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]])];
    for margin in ["0", "0.1", "0.249999"] {
        assert_eq!(case.answers(&t, &["--margin", margin]), [Answer::Free], "{margin}");
    }
    for margin in [0.250001, 0.3, 0.75] {
        let answers = case.answers(&t, &["--margin", &margin.to_string()]);
        let (c, at) = (answers[0].contact().unwrap_or_else(|| panic!("{answers:?}")), 1.25 - margin);
        assert!(c.certified && c.u[0] <= at + 1e-12 && c.u[1] >= at - 1e-12, "{margin}: {c:?}");
    }
}
