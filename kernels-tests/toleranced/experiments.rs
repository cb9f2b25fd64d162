//! The experiments: number of tests, depth and outcome against figures of an independent implementation.

use super::covering;
use crate::effort;
use firstcontact::toleranced::experiments::{Path, octagons, squares};

/// Difference in the number of tests where a radius decides within rounding.
const TIES: u64 = 2;

#[test]
fn octagons_take_the_recorded_number_of_tests() {
    for (shift, ninth, tests, depth, unresolved) in [
        ([0.0, 0.0, -0.1125], true, 173, 8, None),
        ([0.0, 0.0, -0.1125], false, 167, 8, None),
        ([0.0, 0.0, -0.32], true, 9, 8, Some((8, 0))),
        ([0.0, 0.0, -0.32], false, 9, 8, Some((8, 0))),
        ([0.0, 0.0, -0.2], true, 33, 8, Some((8, 40))),
        ([0.0, 0.0, -0.2], false, 33, 8, Some((8, 40))),
        ([0.0, 0.0, 0.3875], true, 15, 3, None),
        ([0.0, 0.0, 0.8875], true, 7, 2, None),
        ([0.0, -1.0, -0.1125], true, 83, 6, None),
    ] {
        let found = covering(&octagons(shift, ninth), true);
        let first = found.possible.first().map(|p| (p.span.level, p.span.index));
        println!("{shift:?}, ninth {ninth}: {:?}, first {first:?}", found.counts);
        assert!(found.counts.tests.abs_diff(tests) <= TIES && found.counts.depth == depth && first == unresolved);
    }
}

#[test]
fn squares_take_the_recorded_number_of_tests() {
    // Shift, inflation (`None`: global masses), tests and unresolved pairs for k = 1, 2, 4, 8.
    for (shift, inflation, tests, unresolved) in [
        (-0.25, None, [36, 247, 2485, 30318], [1, 2, 5, 15]),
        (-0.25, Some(1.0), [36, 289, 2959, 34044], [1, 2, 5, 15]),
        (-0.25, Some(2.5), [40, 237, 1990, 22224], [1, 2, 6, 17]),
        (-0.2, None, [109, 320, 2386, 28574], [0; 4]),
        (-0.2, Some(1.0), [109, 348, 2786, 31904], [0; 4]),
        (-0.2, Some(2.5), [121, 239, 1877, 20688], [0, 1, 1, 3]),
        (0.3, None, [11, 100, 1294, 18056], [0; 4]),
        (0.3, Some(1.0), [11, 108, 1410, 19544], [0; 4]),
        (0.3, Some(2.5), [13, 86, 960, 12506], [0; 4]),
    ] {
        for (i, k) in [1, 2, 4, 8].into_iter().enumerate().take(effort(3, 4)) {
            let found = covering(&squares(Path::Squares, k, shift, inflation), true);
            println!("k {k}, shift {shift}, {inflation:?}: {:?}, {} unresolved", found.counts, found.possible.len());
            // Ties are more likely the more balls there are.
            let ties = TIES.max(tests[i] / 500);
            assert!(found.counts.tests.abs_diff(tests[i]) <= ties, "{}", tests[i]);
            assert_eq!(found.possible.len(), unresolved[i]);
        }
    }
}

#[test]
fn a_passing_corner_takes_the_recorded_number_of_tests() {
    for (shift, tests) in [(0.0, [954, 980, 654, 550]), (-0.1, [941, 986, 641, 551]), (0.3, [840, 858, 570, 472])] {
        for (inflation, tests) in [None, Some(1.0), Some(2.0), Some(3.0)].into_iter().zip(tests) {
            let found = covering(&squares(Path::Corner, 4, shift, inflation), true);
            println!("shift {shift}, {inflation:?}: {:?}", found.counts);
            assert!(found.counts.tests.abs_diff(tests) <= TIES, "{tests}");
        }
    }
}
