//! The pairs of links that can move relative to each other.

use crate::robot::{LinkPairs, Robot};

/// Two links of different rigid groups, both with triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPair {
    /// Indices in [`Robot::links`], ascending.
    pub links: [u32; 2],
    /// True if one group is the nearest ancestor with triangles of the other.
    pub is_adjacent: bool,
}

/// All pairs of links with triangles that are not connected by fixed joints alone, in order.
pub fn link_pairs(robot: &Robot) -> Vec<LinkPair> {
    let pairs = LinkPairs::all_but_adjacent(robot);
    let tested = pairs.tested().iter().map(|&links| LinkPair { links, is_adjacent: false });
    let adjacent = pairs.untested().map(|(links, _)| LinkPair { links, is_adjacent: true });
    let mut all: Vec<LinkPair> = tested.chain(adjacent).collect();
    all.sort_unstable_by_key(|pair| pair.links);
    all
}
