//! Features that keep their shape and direction, against exact rational arithmetic.

use super::{KINDS, Numbers, answer, check_contact, check_free, first_of, is_certified, is_proved, is_undecided};
use crate::effort;

/// Runs many random translations; returns the numbers of contacts, of certified contacts, and of undecided queries. No
/// free query may be called a contact: on such a coarse grid features that do not meet are far apart.
fn against_exact(seed: u64, bits: i32, n: usize) -> [usize; 3] {
    let mut numbers = Numbers::new(seed);
    let (mut met, mut certified, mut undecided) = (0, 0, 0);
    for i in 0..n {
        let kind = KINDS[i % 2];
        let query =
            if bits == 1 && i % 4 < 2 { numbers.degenerate_translation(kind) } else { numbers.translation(kind, bits) };
        let answer = answer(kind, &query);
        undecided += usize::from(is_undecided(&answer));
        let Some(time) = first_of(kind, &query) else {
            let is_told = check_free(kind, &query, &answer) || is_undecided(&answer);
            assert!(is_told, "free, but {answer:?}: {kind:?} {query:?}");
            continue;
        };
        let (earliest, latest) = time.enclosure();
        check_contact(kind, &query, &answer, [earliest, latest]);
        met += 1;
        certified += usize::from(is_certified(&answer));
    }
    println!("{n} translations on a grid of 2^-{bits}: {met} contacts, {certified} certified, {undecided} undecided");
    [met, certified, undecided]
}

/// Corners on corners, edges along edges, faces seen edge-on, features at rest and without size.
#[test]
fn coarse_grids_agree_with_exact_arithmetic() {
    for (seed, bits) in [(1, 1), (2, 2)] {
        let n = effort(6000, 200_000);
        let [met, _, undecided] = against_exact(seed, bits, n);
        assert!(met > n / 20, "{met} of {n}");
        assert!(1000 * undecided <= n, "{undecided} of {n} undecided");
    }
}

/// Nearly every contact is inside both features and crosses them: such contacts are certified.
#[test]
fn fine_grids_agree_with_exact_arithmetic() {
    let n = effort(10_000, 300_000);
    let [met, certified, undecided] = against_exact(20, 20, n);
    assert!(met > n / 20, "{met} of {n}");
    assert!(undecided == 0, "{undecided} of {n} undecided");
    assert!(100 * certified >= 99 * met, "{certified} of {met} contacts certified");
}

/// Slightly outside of a border nothing may be proved, and slightly inside nothing may be missed.
#[test]
fn the_smallest_distance_from_a_border_decides() {
    let mut numbers = Numbers::new(50);
    let n = effort(10_000, 500_000);
    let (mut met, mut proved, mut not_told, mut undecided) = (0, 0, 0, 0);
    for i in 0..n {
        let kind = KINDS[i % 2];
        let query = numbers.grazing(kind);
        let answer = answer(kind, &query);
        undecided += usize::from(is_undecided(&answer));
        if let Some(time) = first_of(kind, &query) {
            let (earliest, latest) = time.enclosure();
            check_contact(kind, &query, &answer, [earliest, latest]);
            met += 1;
            proved += usize::from(is_proved(&answer));
        } else {
            not_told += usize::from(!check_free(kind, &query, &answer));
        }
    }
    println!("{n} queries at a border: {met} meet, {proved} proved; {not_told} others not told; {undecided} undecided");
    assert!(met > n / 4 && met < 3 * n / 4 && 1000 * undecided <= n, "{met} met, {undecided} undecided of {n}");
}
