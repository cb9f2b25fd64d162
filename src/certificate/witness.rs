//! Witnesses of contacts: a time at which two triangles intersect or are within the margin.

use super::placed::Placed;
use super::proof::{Pair, Search};
use crate::acm::piercing::{Change, pierces};
use crate::predicate::features::nearest;
use crate::robot::trajectory::Place;

/// The first step in time after the contact, relative to the segment.
const FIRST_STEP: f64 = 1e-12;
/// Rounding of coordinates, relative to the largest.
const ROUNDING: f64 = 1e-14;

/// Number of steps in time in which given triangles are looked at: the last one is about 1e-6.
const STEPS: usize = 21;
/// Pairs of nodes after which the search among all triangles ends.
const MAX_TESTS: usize = 1 << 20;

/// Two triangles that touch at a time.
#[derive(Clone, Copy, Debug)]
pub struct Witness {
    /// The time.
    pub place: Place,
    /// Number of the pair.
    pub pair: usize,
    /// The triangle of each side.
    pub triangles: [u32; 2],
}

/// Looks for a witness among pairs of triangles, each with the number of its pair, at `from` or soon thereafter.
pub fn among(
    search: &mut Search,
    pairs: &[Pair],
    given: &[(usize, [u32; 2])],
    from: Place,
    margin_m: f64,
) -> Option<Witness> {
    let (mut place, mut step) = (from, FIRST_STEP);
    for _ in 0..STEPS {
        let moment = search.motions.moment(place.segment, place.t);
        for &(number, triangles) in given {
            let [a, b] = [0, 1].map(|k| search.place_triangle(&pairs[number], k, triangles[k], moment));
            if touch(&a, &b, margin_m) {
                return Some(Witness { place, pair: number, triangles });
            }
        }
        if place.t == 1.0 {
            return None;
        }
        place.t = (place.t + step).min(1.0);
        step *= 2.0;
    }
    None
}

/// Looks for a witness among all triangles, at `from` or soon thereafter.
pub fn find(search: &mut Search, pairs: &[Pair], from: Place, n_segments: usize, margin_m: f64) -> Option<Witness> {
    let (mut place, mut step, mut budget) = (from, FIRST_STEP, MAX_TESTS);
    loop {
        for (number, pair) in pairs.iter().enumerate() {
            if let Some(triangles) = touching(search, pair, place, margin_m, &mut budget)? {
                return Some(Witness { place, pair: number, triangles });
            }
        }
        if place.t == 1.0 {
            if place.segment + 1 == n_segments {
                return None;
            }
            (place, step) = (Place { segment: place.segment + 1, t: 0.0 }, FIRST_STEP);
        }
        place.t = (place.t + step).min(1.0);
        step *= 2.0;
    }
}

/// Two triangles that certainly touch at a time. The outer `None` means that the search has used its budget.
fn touching(
    search: &mut Search,
    pair: &Pair,
    place: Place,
    margin_m: f64,
    budget: &mut usize,
) -> Option<Option<[u32; 2]>> {
    let moment = search.motions.moment(place.segment, place.t);
    let mut open = vec![[0, 0]];
    while let Some(nodes) = open.pop() {
        *budget = budget.checked_sub(1)?;
        let [a, b] = [0, 1].map(|k| search.place(pair, k, nodes[k], moment));
        if a.apart_along(&b.corners, margin_m).is_some() {
            continue;
        }
        let of = [0, 1].map(|k| &pair.sides[k].partition.nodes[nodes[k] as usize]);
        if of.iter().all(|node| node.is_leaf()) {
            let is_out = pair.excluded.get(of[1].groups[0] as usize).is_some_and(|out| *out);
            if !is_out && touch(&a, &b, margin_m) {
                return Some(Some(of.map(|node| node.left)));
            }
            continue;
        }
        let k = usize::from(a.radius_m < b.radius_m || of[0].is_leaf());
        open.extend(pair.sides[k].partition.children(nodes[k]).map(|child| match k {
            0 => [child, nodes[1]],
            _ => [nodes[0], child],
        }));
    }
    Some(None)
}

fn touch(a: &Placed, b: &Placed, margin_m: f64) -> bool {
    let (Some(x), Some(y)) = (a.triangle(), b.triangle()) else { return false };
    let largest = [a, b].iter().flat_map(|side| side.corners).fold(0.0, |most: f64, v| v.abs().max_element().max(most));
    let error = ROUNDING * largest;
    pierces(&x, &y, Change { error, ..Change::default() })
        || margin_m > 0.0 && nearest(x, y, 0.0).distance() < margin_m - 100.0 * error
}
