//! The least distance of the tested pairs over all times of an execution, as an enclosure, by branch and bound.
//!
//! Over an interval of half width h the distance of a pair changes by at most the rate of both bodies times h, so the
//! distance at the middle gives a bound for the whole interval. The interval with the lowest bound is halved next.

use crate::oracle::tree::Closest;
use crate::trajectories::course::{Course, Other, Pair};
use crate::trajectories::curve::Execution;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Rounding of a distance in plain `f64`, in metres.
const ROUNDING_M: f64 = 1e-12;

/// The effort of a search.
#[derive(Clone, Copy, Debug)]
pub struct Care {
    /// Largest width of the enclosure, in metres.
    pub slack_m: f64,
    /// Distances beyond this do not matter, in metres.
    pub limit_m: f64,
    /// Largest number of distances to measure while intervals are halved. If it is not enough, the enclosure is wider.
    pub budget: usize,
}

impl Care {
    pub fn new(slack_m: f64) -> Self {
        Self { slack_m, limit_m: f64::INFINITY, budget: 20_000 }
    }
}

/// A distance that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    pub distance_m: f64,
    pub u: f64,
    pub pair: Pair,
    /// A triangle of each body.
    pub triangles: [usize; 2],
}

/// An enclosure of the least distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// No distance is smaller, up to the limit, in metres.
    pub at_least_m: f64,
    /// The smallest distance that was measured; `None` if none is within the limit.
    pub near: Option<Near>,
    /// Number of distances that were measured.
    pub n_measured: usize,
}

/// A pair during a part of a segment.
struct Part {
    at_least_m: f64,
    pair: Pair,
    k: usize,
    x: (f64, f64),
}

struct Search<'a> {
    course: &'a Course,
    execution: &'a Execution<'a>,
    least_m: f64,
    near: Option<Near>,
    parts: BinaryHeap<Part>,
    n_measured: usize,
}

/// Searches the least distance of these pairs.
pub fn minimum(course: &Course, pairs: &[Pair], e: &Execution, care: Care) -> Minimum {
    let (parts, least_m) = (BinaryHeap::new(), care.limit_m);
    let mut search = Search { course, execution: e, least_m, near: None, parts, n_measured: 0 };
    for k in 0..e.trajectory.n_segments() {
        pairs.iter().for_each(|pair| search.ends(*pair, k));
    }
    for k in 0..e.trajectory.n_segments() {
        pairs.iter().for_each(|pair| search.push(*pair, k, (0.0, 1.0), 0.0));
    }
    search.halve(care);
    search.refine();
    let lowest = search.parts.peek().map_or(search.least_m, |p| p.at_least_m.min(search.least_m));
    Minimum { at_least_m: (lowest - ROUNDING_M).max(0.0), near: search.near, n_measured: search.n_measured }
}

impl Search<'_> {
    /// The distance at a time, if it is smaller than `limit`.
    fn measure(&mut self, pair: Pair, (k, x): (usize, f64), limit: f64) -> Option<Closest> {
        self.n_measured += 1;
        let found = self.course.measure(pair, self.execution, (k, x), limit)?;
        if found.distance < self.least_m {
            let triangles = [found.moved, found.resting];
            self.least_m = found.distance;
            self.near = Some(Near { distance_m: found.distance, u: k as f64 + x, pair, triangles });
        }
        Some(found)
    }

    /// Both ends of a segment, which no middle reaches.
    fn ends(&mut self, pair: Pair, k: usize) {
        for x in [0.0, 1.0] {
            self.measure(pair, (k, x), self.least_m);
        }
    }

    /// Adds a part of a segment, unless the pair is further away than the least distance throughout.
    fn push(&mut self, pair: Pair, k: usize, x: (f64, f64), above_m: f64) {
        let rate = |link: usize| self.course.rate(link, self.execution, k, x);
        let second = if let Other::Link(b) = pair.1 { rate(b) } else { 0.0 };
        let reach = 0.5 * (x.1 - x.0) * (rate(pair.0) + second) + ROUNDING_M;
        if let Some(c) = self.measure(pair, (k, 0.5 * (x.0 + x.1)), self.least_m + reach) {
            self.parts.push(Part { at_least_m: (c.distance - reach).max(above_m), pair, k, x });
        }
    }

    /// Halves the part with the lowest bound, until all bounds are as high as the care asks.
    fn halve(&mut self, care: Care) {
        let end = self.n_measured + care.budget;
        let is_enough = |s: &Self, p: &Part| p.at_least_m >= s.least_m - care.slack_m || s.n_measured >= end;
        while let Some(part) = self.parts.pop() {
            if is_enough(self, &part) || self.least_m == 0.0 {
                self.parts.push(part);
                return;
            }
            let (Part { at_least_m, pair, k, x: (from, to) }, middle) = (&part, 0.5 * (part.x.0 + part.x.1));
            self.push(*pair, *k, (*from, middle), *at_least_m);
            self.push(*pair, *k, (middle, *to), *at_least_m);
        }
    }

    /// Follows the nearest pair down to a local minimum, by thirds of ever smaller intervals.
    fn refine(&mut self) {
        let Some(Near { u, pair, .. }) = self.near else { return };
        let (k, x) = self.execution.trajectory.split(u);
        let (mut from, mut to) = ((x - 1e-2).max(0.0), (x + 1e-2).min(1.0));
        for _ in 0..80 {
            let [low, high] = [from + (to - from) / 3.0, to - (to - from) / 3.0];
            let mut at = |x: f64| self.measure(pair, (k, x), f64::INFINITY).map_or(f64::INFINITY, |c| c.distance);
            if at(low) < at(high) { to = high } else { from = low }
        }
    }
}

impl Ord for Part {
    /// The lowest bound is the greatest part, which a heap gives first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_least_m.total_cmp(&self.at_least_m)
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectories::case::Case;
    use crate::trajectories::corners::{path, tip, wall};
    use crate::trajectories::{draw, random};

    fn search(case: &Case, rows: &[[f64; 2]], care: Care) -> Minimum {
        minimum(&case.course, &case.course.pairs, &path(rows).nominal(), care)
    }

    #[test]
    fn distances_by_hand() {
        let case = Case::new(&tip(), vec![wall("wall", 1.75), wall("far", 9.0)]);
        for (rows, least, u) in [
            (&[[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]][..], 0.25, Some(1.0)),
            (&[[1.0, 0.0], [0.0, 0.0]], 0.25, Some(0.0)),
            (&[[0.0, 0.0], [0.5, 0.0]], 0.75, Some(1.0)),
            (&[[0.5, -1.0], [0.5, 1.0]], 0.75, None),
        ] {
            let found = search(&case, rows, Care::new(1e-3));
            let near = found.near.expect("a distance");
            assert!((near.distance_m - least).abs() < 1e-14 && u.is_none_or(|u| u == near.u), "{rows:?}: {found:?}");
            assert!(found.at_least_m <= least && found.at_least_m >= least - 1.01e-3, "{rows:?}: {found:?}");
            assert_eq!((near.pair, near.triangles[1]), ((2, Other::Object(0)), 0));
        }
        let through = search(&case, &[[0.0, 0.0], [3.0, 0.0]], Care::new(1e-4));
        assert!(through.at_least_m == 0.0 && through.near.is_some_and(|n| n.distance_m == 0.0), "{through:?}");
    }

    #[test]
    fn limits_and_budgets() {
        let (case, rows) = (Case::new(&tip(), vec![wall("wall", 1.75)]), [[0.0, 0.0], [1.0, 1.0], [0.0, 2.0]]);
        let within = |limit_m: f64| search(&case, &rows, Care { limit_m, ..Care::new(1e-6) });
        let beyond = within(0.2);
        assert!(beyond.near.is_none() && (beyond.at_least_m - 0.2).abs() < 1e-11, "{beyond:?}");
        assert!(within(0.3).near.is_some_and(|n| n.distance_m == 0.25));
        let short = search(&case, &rows, Care { budget: 30, ..Care::new(1e-9) });
        assert!(short.at_least_m < 0.25 && short.n_measured < 300, "{short:?}");
    }

    /// Dense sampling of random trajectories never contradicts the enclosure, and comes close to it.
    #[test]
    fn dense_samples_are_not_below() {
        let (mut n_proved, mut n) = (0, 0);
        for seed in 0..crate::effort(2, 30) {
            let (case, all) = random::case(40_000 + seed as u64, 5);
            for t in &all {
                let (course, e) = (&case.course, t.nominal());
                let found = minimum(course, &course.pairs, &e, Care::new(1e-3));
                let near = found.near.expect("a distance");
                let end = t.n_segments() as f64;
                let least = (0..=200).map(|i| course.clearance(&e, end * f64::from(i) / 200.0, 9.0));
                let least = least.fold(f64::INFINITY, f64::min);
                assert!(near.distance_m <= least + 1e-3 && found.at_least_m <= least, "{found:?} {least}");
                assert!((course.clearance(&e, near.u, 9.0) - near.distance_m).abs() < 1e-12, "{found:?}");
                n_proved += usize::from(near.distance_m - found.at_least_m <= 1.01e-3);
                n += 1;
            }
        }
        println!("{n_proved} of {n} proved");
        assert!(10 * n_proved >= 9 * n);
    }

    /// Links against each other, and a free root.
    #[test]
    fn minima_of_link_pairs_and_of_free_roots() {
        let mut draw = crate::harness::models::Draw::new(40_100);
        let arms = Case::with_links(&draw::two_arms(&mut draw), vec![]);
        let flying = Case::new(&draw::flying_arm(&mut draw), draw::objects(&mut draw));
        let all =
            [draw::trajectories(&mut draw, &arms.course, 1).remove(0), draw::flight(&mut draw, &flying.course, 2)];
        for (case, t) in [arms, flying].iter().zip(&all) {
            let found = minimum(&case.course, &case.course.pairs, &t.nominal(), Care::new(1e-2));
            let (end, near) = (t.n_segments() as f64, found.near.expect("a distance"));
            for i in 0..=100 {
                let sampled = case.course.clearance(&t.nominal(), end * f64::from(i) / 100.0, 9.0);
                assert!(sampled >= found.at_least_m && near.distance_m >= found.at_least_m, "{found:?} {sampled}");
            }
        }
    }
}
