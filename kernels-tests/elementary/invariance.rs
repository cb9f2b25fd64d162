//! Changes that must not affect an answer: the order of points and features, the direction of time, the unit of length.

use super::{KINDS, Numbers, answer, check_form, is_proved, is_undecided};
use crate::effort;
use firstcontact::elementary::{Answer, Kind, Query, solve};
use firstcontact::stage::s6_solve::SolveOptions;

/// The same query with its points in another order.
fn reordered(query: &Query, order: [usize; 4]) -> Query {
    Query { start: order.map(|i| query.start[i]), end: order.map(|i| query.end[i]) }
}

/// Orders of the points that do not change the two features.
fn orders(kind: Kind) -> &'static [[usize; 4]] {
    match kind {
        Kind::VertexFace => &[[0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1]],
        Kind::EdgeEdge => &[[2, 3, 0, 1], [1, 0, 2, 3], [0, 1, 3, 2], [3, 2, 1, 0]],
    }
}

/// Numbers of differing answers to the same question.
#[derive(Default)]
struct Differences {
    of: usize,
    /// One free, the other a contact that is not proved, or one of them undecided.
    kind: usize,
    /// Both contacts, one of them proved.
    proof: usize,
    undecided: usize,
}

impl Differences {
    /// Compares two answers about the same times. They must not contradict each other.
    fn compare(&mut self, a: &Answer, b: &Answer, what: &dyn Fn() -> String) {
        let is_against = |x: &Answer, y: &Answer| *x == Answer::Free && is_proved(y);
        assert!(!is_against(a, b) && !is_against(b, a), "{a:?} {b:?}: {}", what());
        if let (Answer::Contact { toc: [a_lo, a_hi], .. }, Answer::Contact { toc: [b_lo, b_hi], .. }) = (a, b) {
            assert!(a_lo <= b_hi && b_lo <= a_hi, "{a:?} {b:?}: {}", what());
        }
        if is_undecided(a) || is_undecided(b) {
            println!("{a:?} {b:?}: {}", what());
        }
        self.count(a, b);
    }

    fn count(&mut self, a: &Answer, b: &Answer) {
        let is_same = std::mem::discriminant(a) == std::mem::discriminant(b);
        self.of += 1;
        self.kind += usize::from(!is_same);
        self.proof += usize::from(is_same && is_proved(a) != is_proved(b));
        self.undecided += usize::from(is_undecided(a) || is_undecided(b));
    }

    /// Expects that at most `kind` of a thousand answers differ in kind and `proof` of a thousand in proof, and that at
    /// most one in a thousand is undecided.
    #[track_caller]
    fn expect(&self, what: &str, kind: usize, proof: usize) {
        let Self { of, kind: kinds, proof: proofs, undecided } = *self;
        println!(
            "{what}: {of} pairs of answers, {kinds} of other kinds, {proofs} with one proof, {undecided} undecided"
        );
        assert!(1000 * undecided <= of, "{what}: {undecided} of {of} undecided");
        assert!(1000 * kinds <= kind * of && 1000 * proofs <= proof * of, "{what}: {kinds}, {proofs} of {of}");
    }
}

/// Queries of a sort, of both kinds.
fn queries(sort: &str, n: usize) -> Vec<(Kind, Query)> {
    let mut numbers = Numbers::new(40);
    let mut query = |kind| match sort {
        "any" => numbers.any(20),
        "implanted" => numbers.implanted(kind, true).0,
        "degenerate" => numbers.degenerate(kind),
        other => panic!("{other}"),
    };
    (0..n).map(|i| (KINDS[i % 2], query(KINDS[i % 2]))).collect()
}

/// The sorts, with the numbers of answers per thousand that may differ in kind and in proof. Rounding may decide only
/// where features touch within a plane, at a corner, or at the very end.
const SORTS: [(&str, usize, usize); 3] = [("any", 0, 0), ("implanted", 1, 30), ("degenerate", 20, 100)];

#[test]
fn the_order_of_points_and_features_does_not_matter() {
    for (sort, kind_limit, proof_limit) in SORTS {
        let mut differences = Differences::default();
        for (kind, query) in queries(sort, effort(2000, 100_000)) {
            let one = answer(kind, &query);
            for &order in orders(kind) {
                let other = answer(kind, &reordered(&query, order));
                differences.compare(&one, &other, &|| format!("{order:?} {kind:?} {query:?}"));
            }
        }
        differences.expect(sort, kind_limit, proof_limit);
    }
}

/// With time reversed the first contact differs, but its existence does not.
#[test]
fn time_backwards_preserves_free() {
    for (sort, kind_limit, proof_limit) in SORTS {
        let mut differences = Differences::default();
        for (kind, query) in queries(sort, effort(4000, 200_000)) {
            let backwards = Query { start: query.end, end: query.start };
            let (one, other) = (answer(kind, &query), answer(kind, &backwards));
            check_form(kind, &backwards, &other);
            let is_against = |x: &Answer, y: &Answer| *x == Answer::Free && is_proved(y);
            assert!(!is_against(&one, &other) && !is_against(&other, &one), "{one:?} {other:?}: {kind:?} {query:?}");
            differences.count(&one, &other);
        }
        differences.expect(sort, kind_limit, proof_limit);
    }
}

/// Without the floor, which is a length, the unit of length does not matter.
#[test]
fn the_unit_of_length_does_not_matter() {
    let options = SolveOptions { floor_m: 0.0, ..SolveOptions::default() };
    for (sort, _, _) in SORTS {
        let mut differences = Differences::default();
        for (i, (kind, query)) in queries(sort, effort(3000, 100_000)).into_iter().enumerate() {
            let scale = 2.0_f64.powi([-40, -20, -3, 1, 10, 30][i % 6]);
            let scaled = Query { start: query.start.map(|p| scale * p), end: query.end.map(|p| scale * p) };
            let (one, other) = (solve(kind, &query, &options), solve(kind, &scaled, &options));
            differences.compare(&one, &other, &|| format!("{scale:e} {kind:?} {query:?}"));
        }
        differences.expect(sort, 0, 1);
    }
}
