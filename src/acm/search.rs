//! Branch and bound over boxes of joint values: a proof that two links never, or always, touch.
//!
//! A box is decided by one query at its middle ([`Placed::obstacle`], [`Placed::always`]), whose bounds are valid for
//! all values of the box. A box that is not decided is halved along the column with the largest share in the
//! displacement of the triangles that prevented the decision. In a search for [`Pair::never`], both halves try these
//! triangles first: most boxes fail on them without another descent. The box with the smallest distance at its middle
//! is opened first, so that contacts are found early; beyond `MAX_OPEN` boxes the latest one is opened first, so that
//! memory is bounded. The search can end at any time; earlier results remain valid.
//!
//! A box narrower than `NARROWEST` is set aside: the links are so near to contact that the result depends on rounding.

use crate::acm::displacement::Displacement;
use crate::acm::distance::{Near, Placed};
use crate::acm::path::Path;
use crate::acm::shape::Shape;
use crate::robot::free_region;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Instant;

/// Smallest half width of a box that is halved, radians or metres.
const NARROWEST: f64 = 1e-9;
/// Maximum number of open boxes (about 200 bytes each) from which the nearest one is chosen.
const MAX_OPEN: usize = 1 << 18;
/// Number of boxes between two readings of the clock.
pub(super) const PER_READING: usize = 16;

/// Two links and the joints between them.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The link at rest.
    pub a: &'a Shape,
    /// The moving link.
    pub b: &'a Shape,
    /// The joints from `a` to `b`.
    pub path: &'a Path,
    /// Distance up to which links count as touching, metres.
    pub margin_m: f64,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The property holds for all joint values.
    Proved,
    /// It does not hold for these values of the path's columns.
    Refuted(Vec<f64>),
    /// The search ended early.
    Open(Unfinished),
}

/// The reason for an early end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The time limit was reached.
    Time,
    /// The links are so near to contact that rounding prevents a decision.
    Rounding,
}

/// A box to decide: the range of each column, and the triangles to try first.
pub(super) type Part = (Vec<[f64; 2]>, Option<[u32; 2]>);

/// A box that is not decided.
struct Cell {
    range: Vec<[f64; 2]>,
    /// Distance at the middle between the triangles that prevented a decision.
    distance_m: f64,
    /// Indices of these triangles in the two shapes.
    pair: [u32; 2],
    /// Column to halve.
    column: usize,
    /// Order of creation: equal distances are opened in this order.
    number: u64,
}

/// The decision about one box.
pub(super) enum Decision {
    Holds,
    Fails(Vec<f64>),
    Halve { near: Near, column: usize },
    Narrow,
}

impl<'a> Pair<'a> {
    /// The links with values `q` of the path's columns.
    pub fn placed(&self, q: &[f64]) -> Placed<'a> {
        Placed { a: self.a, b: self.b, pose: self.path.pose(q), error_m: self.path.error_m }
    }

    /// Searches for a proof that the links are farther apart than the margin everywhere, or for values for which they
    /// touch, to within rounding. `smallest_m` is reduced to the smallest distance seen.
    pub fn never(&self, deadline: Instant, smallest_m: &mut f64) -> Found {
        self.search(deadline, |range, hint| {
            let decision = self.never_in(range, hint);
            if let Decision::Halve { near, .. } = &decision {
                *smallest_m = smallest_m.min(near.distance_m);
            }
            decision
        })
    }

    /// Searches for a proof that the links touch everywhere, or for values for which they are certainly apart. The
    /// margin is not used, because a pair that is disabled as always touching is disabled for every margin.
    pub fn always(&self, deadline: Instant) -> Found {
        self.search(deadline, |range, _| self.always_in(range))
    }

    fn search(&self, deadline: Instant, mut decide: impl FnMut(&[[f64; 2]], Option<[u32; 2]>) -> Decision) -> Found {
        let whole: Vec<[f64; 2]> = self.path.columns.iter().map(|c| c.range).collect();
        let (mut open, mut latest, mut next, mut number) = (BinaryHeap::new(), Vec::new(), vec![(whole, None)], 0);
        let mut is_narrow = false;
        loop {
            for (range, hint) in next.drain(..) {
                number += 1;
                match decide(&range, hint) {
                    Decision::Holds => {}
                    Decision::Fails(q) => return Found::Refuted(q),
                    Decision::Narrow => is_narrow = true,
                    Decision::Halve { near: Near { pair, distance_m }, column } => {
                        let cell = Cell { range, distance_m, pair, column, number };
                        if open.len() < MAX_OPEN { open.push(cell) } else { latest.push(cell) }
                    }
                }
            }
            let Some(cell) = latest.pop().or_else(|| open.pop()) else {
                return if is_narrow { Found::Open(Unfinished::Rounding) } else { Found::Proved };
            };
            if number as usize % PER_READING < 2 && Instant::now() >= deadline {
                return Found::Open(Unfinished::Time);
            }
            next.extend(halves(cell.range, cell.column, cell.pair));
        }
    }

    fn never_in(&self, range: &[[f64; 2]], hint: Option<[u32; 2]>) -> Decision {
        let (q, half) = middle(range);
        let at = self.path.at(&q);
        let placed = Placed { a: self.a, b: self.b, pose: at.pose, error_m: self.path.error_m };
        let displacement = Displacement::new(&at, &half);
        let hinted = hint.and_then(|pair| placed.obstacle_at(pair, &displacement, self.margin_m));
        let Some(near) = hinted.or_else(|| placed.obstacle(&displacement, self.margin_m)) else {
            return Decision::Holds;
        };
        if placed.touches(near.pair, self.margin_m) {
            return Decision::Fails(q);
        }
        self.halved(&placed, placed.direction(near.pair), &displacement, &half, near)
    }

    fn always_in(&self, range: &[[f64; 2]]) -> Decision {
        let (q, half) = middle(range);
        let at = self.path.at(&q);
        let placed = Placed { a: self.a, b: self.b, pose: at.pose, error_m: self.path.error_m };
        let displacement = Displacement::new(&at, &half);
        if placed.always(&displacement).is_some() {
            return Decision::Holds;
        }
        match placed.obstacle(&Displacement::default(), 0.0) {
            None => Decision::Fails(q),
            // The proof bounds displacements in any direction.
            Some(near) => self.halved(&placed, DVec3::ZERO, &displacement, &half, near),
        }
    }

    /// The column with the largest share in the displacement of a triangle, along a unit vector or in any direction.
    pub(super) fn halved(
        &self,
        placed: &Placed,
        along: DVec3,
        displacement: &Displacement,
        half: &[f64],
        near: Near,
    ) -> Decision {
        let (_, triangle) = placed.triangles(near.pair);
        let farthest = |v: &DVec3| displacement.any(*v, 0.0);
        let at = triangle.iter().copied().max_by(|x, y| farthest(x).total_cmp(&farthest(y))).unwrap_or(DVec3::ZERO);
        let mut shares = vec![0.0; self.path.columns.len()];
        displacement.shares(along, at, &mut shares);
        let column = (0..shares.len()).fold(0, |best, i| if shares[i] > shares[best] { i } else { best });
        if half[column] < NARROWEST { Decision::Narrow } else { Decision::Halve { near, column } }
    }
}

/// The middle of a box, and half of its widths.
pub(super) fn middle(range: &[[f64; 2]]) -> (Vec<f64>, Vec<f64>) {
    range.iter().map(|&[lo, hi]| (free_region::middle(lo, hi), 0.5 * (hi - lo))).unzip()
}

/// The halves of a box along a column, which try a pair of triangles first.
pub(super) fn halves(range: Vec<[f64; 2]>, column: usize, pair: [u32; 2]) -> [Part; 2] {
    let [lo, hi] = range[column];
    let at = free_region::middle(lo, hi);
    let (mut lower, mut upper) = (range.clone(), range);
    (lower[column], upper[column]) = ([lo, at], [at, hi]);
    [(lower, Some(pair)), (upper, Some(pair))]
}

impl Ord for Cell {
    /// Orders boxes so that the nearest one is the greatest, which a heap returns first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance_m.total_cmp(&self.distance_m).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}
