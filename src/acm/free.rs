//! The part of the joint values of a pair of links that is proved free, for pairs that can also touch.
//!
//! The box of all values is halved as in a [search](super::search), but contacts do not end it, and the largest boxes
//! are decided first, so that the number of boxes limits their size everywhere.

use crate::acm::displacement::Displacement;
use crate::acm::search::{Decision, PER_READING, Pair, halves, middle};
use crate::robot::free_region::RegionNode;
use crate::robot::{FreeRegion, RegionColumn};
use std::collections::VecDeque;
use std::time::Instant;

/// Maximum number of boxes that are examined.
const MAX_CELLS: usize = 1 << 14;

/// A box in the tree of a search.
#[derive(Clone, Copy)]
enum Cell {
    Open,
    Free,
    /// The column, and the index of the lower half; the upper one follows it.
    Halved(u8, usize),
}

impl Pair<'_> {
    /// The values for which the links are proved to be farther apart than the margin, as far as they are found until a
    /// deadline; `None` if there are too many columns, or no free box is found.
    pub fn free_region(&self, deadline: Instant) -> Option<FreeRegion> {
        let columns = &self.path.columns;
        if !(1..=FreeRegion::MAX_COLUMNS).contains(&columns.len()) {
            return None;
        }
        let whole: Vec<[f64; 2]> = columns.iter().map(|c| c.range).collect();
        let (mut cells, mut next) = (vec![Cell::Open], VecDeque::from([(0, (whole, None))]));
        for number in 1..=MAX_CELLS {
            let Some((at, (range, hint))) = next.pop_front() else { break };
            if number % PER_READING == 0 && Instant::now() >= deadline {
                break;
            }
            match self.free_in(&range, hint) {
                Decision::Holds => cells[at] = Cell::Free,
                Decision::Halve { near, column } => {
                    let lower = cells.len();
                    cells[at] = Cell::Halved(column as u8, lower);
                    cells.extend([Cell::Open; 2]);
                    next.extend((lower..).zip(halves(range, column, near.pair)));
                }
                Decision::Fails(_) | Decision::Narrow => {}
            }
        }
        let mut nodes = Vec::new();
        push_nodes(&cells, 0, &mut nodes);
        let of =
            |c: &super::path::PathColumn| RegionColumn { column: c.column, range: c.range, is_periodic: c.is_periodic };
        let is_any_free = nodes.contains(&RegionNode::Free);
        FreeRegion::new(self.margin_m, columns.iter().map(of).collect(), nodes).filter(|_| is_any_free)
    }

    /// Decides a box: free, halved, or left open because the links touch everywhere or the box is too narrow.
    fn free_in(&self, range: &[[f64; 2]], hint: Option<[u32; 2]>) -> Decision {
        let (q, half) = middle(range);
        let at = self.path.at(&q);
        let placed = self.placed(&q);
        let displacement = Displacement::new(&at, &half);
        let hinted = hint.and_then(|pair| placed.obstacle_at(pair, &displacement, self.margin_m));
        let Some(near) = hinted.or_else(|| placed.obstacle(&displacement, self.margin_m)) else {
            return Decision::Holds;
        };
        if placed.touches(near.pair, 0.0) && placed.always(&displacement).is_some() {
            return Decision::Fails(q);
        }
        self.halved(&placed, placed.direction(near.pair), &displacement, &half, near)
    }
}

/// Appends a box and those below it, parents and lower halves first. Halves of which both are open, or both are free,
/// become one box.
fn push_nodes(cells: &[Cell], at: usize, nodes: &mut Vec<RegionNode>) {
    let Cell::Halved(column, lower) = cells[at] else {
        nodes.push(if matches!(cells[at], Cell::Free) { RegionNode::Free } else { RegionNode::Open });
        return;
    };
    let first = nodes.len();
    nodes.push(RegionNode::Open);
    push_nodes(cells, lower, nodes);
    let upper = nodes.len();
    push_nodes(cells, lower + 1, nodes);
    match nodes[first + 1..] {
        [RegionNode::Open, RegionNode::Open] => nodes.truncate(first + 1),
        [RegionNode::Free, RegionNode::Free] => {
            nodes.truncate(first);
            nodes.push(RegionNode::Free);
        }
        _ => nodes[first] = RegionNode::Halved { column, upper: upper as u32 },
    }
}
