//! Witnesses of contacts: a time at which two triangles intersect or are within the margin.

use super::kinematics::Interval;
use super::placed::Placed;
use super::proof::{Pair, Search};
use crate::acm::piercing::{Change, pierces};
use crate::predicate::features::nearest;
use crate::robot::trajectory::Place;

/// The first step in time after the contact, relative to the segment.
const FIRST_STEP: f64 = 1e-12;
/// Rounding of coordinates, relative to the largest.
const ROUNDING: f64 = 1e-14;

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

/// Looks for a witness at `from` or as soon as possible thereafter.
pub fn find(search: &mut Search, pairs: &[Pair], from: Place, n_segments: usize, margin_m: f64) -> Option<Witness> {
    let (mut place, mut step) = (from, FIRST_STEP);
    loop {
        for (number, pair) in pairs.iter().enumerate() {
            if let Some(triangles) = touching(search, pair, place, margin_m) {
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

/// Two triangles that certainly touch at a time.
fn touching(search: &mut Search, pair: &Pair, place: Place, margin_m: f64) -> Option<[u32; 2]> {
    let moment = Interval { segment: place.segment, ends: [place.t; 2] };
    let mut open = vec![[0, 0]];
    while let Some(nodes) = open.pop() {
        let [a, b] = [0, 1].map(|k| search.place(pair, k, nodes[k], &moment));
        if a.apart_along(&b.corners, margin_m).is_some() {
            continue;
        }
        let of = [0, 1].map(|k| &pair.sides[k].partition.nodes[nodes[k] as usize]);
        if of.iter().all(|node| node.is_leaf()) {
            let is_out = pair.excluded.get(of[1].groups[0] as usize).is_some_and(|out| *out);
            if !is_out && touch(&a, &b, margin_m) {
                return Some(of.map(|node| node.left));
            }
            continue;
        }
        let k = usize::from(a.radius_m < b.radius_m || of[0].is_leaf());
        open.extend(pair.sides[k].partition.children(nodes[k]).map(|child| match k {
            0 => [child, nodes[1]],
            _ => [nodes[0], child],
        }));
    }
    None
}

fn touch(a: &Placed, b: &Placed, margin_m: f64) -> bool {
    let (Some(x), Some(y)) = (a.triangle(), b.triangle()) else { return false };
    let largest = [a, b].iter().flat_map(|side| side.corners).fold(0.0, |most: f64, v| v.abs().max_element().max(most));
    let error = ROUNDING * largest;
    pierces(&x, &y, Change { error, ..Change::default() })
        || margin_m > 0.0 && nearest(x, y, 0.0).distance() < margin_m - 100.0 * error
}
