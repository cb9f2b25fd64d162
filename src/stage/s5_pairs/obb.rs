//! Trees of oriented boxes instead of steps `descend_links` and `test_leaves` (Redon et al. 2004, sections 5.1 and
//! 5.1.1).
//!
//! The link's tree is traversed against the tree of each candidate's cluster, the larger box first. Two boxes are
//! tested in the sub-intervals of the link's refinement level, in the order of time, up to the first one in which they
//! may overlap. The bits of the sub-intervals before it are cleared for all nodes below; those after it are tested by
//! the nodes below. Pairs of leaves are passed to step `test_pairs`, as for any other link.

use super::moving::{MovingLink, level_of};
use super::{Found, Item, Work};
use crate::bvh::obb_tree::{Below, ObbNode, ObbTree, ObbTrees};
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::obb_overlap::{BoxBound, boxes_apart};
use crate::predicate::refinement_levels::pairs;
use crate::scene::world::CollisionWorld;
use crate::stage::s1_concat::Balls;
use crate::stage::{Candidate, Piece};

/// The finest level in a piece: the engine's sub-intervals.
fn finest(piece: &Piece) -> u32 {
    piece.subs.ilog2()
}

/// Largest fraction of the size of its leaves that a link may travel in a sub-interval of its level, also a limit on
/// the uncertainty of its pose. Chosen by measurements with motions of 0.05° to 30° in the pipes and the machine room,
/// in which the time is within a fifth of that of the best fixed level; coarse levels suit slow motions, and the finest
/// level suits fast ones.
const TRAVEL: f64 = 1.0 / 32.0;

/// The oriented boxes of a link during a piece, bounded when they are first needed.
struct MovingBoxes<'a> {
    tree: &'a ObbTree,
    /// Bounds on the link's pose in the sub-intervals of its level, shared by all its boxes.
    bounds: Vec<PoseBound<f64>>,
    /// Half the length of such a sub-interval.
    h: f64,
    /// Number of the piece's sub-intervals in it.
    len: usize,
    /// Index in `boxes` of the bound of each box in each sub-interval.
    at: Vec<u32>,
    boxes: Vec<BoxBound<f64>>,
}

const NOT_YET: u32 = u32::MAX;

impl<'a> MovingBoxes<'a> {
    fn new(tree: &'a ObbTree, moving: &MovingLink, balls: &Balls, level: u32) -> Self {
        let (n, len) = (1 << level, moving.piece.subs as usize >> level);
        let ball = balls[level_of(len)];
        let bounds = (0..n).map(|k| moving.bound.block(k * len, len, moving.h, ball)).collect();
        let at = vec![NOT_YET; tree.nodes.len() * n];
        Self { tree, bounds, h: len as f64 * moving.h, len, at, boxes: Vec::new() }
    }

    /// The remaining part of the mask: sub-intervals before the first one in which the boxes may overlap are removed.
    fn overlaps(&mut self, node: u32, other: &BoxBound<f64>, mut mask: u32, tests: &mut u64) -> u32 {
        let (level, len) = (self.bounds.len().ilog2(), self.len);
        for (k, _) in pairs(level, 0) {
            let block = ((1 << len) - 1) << (k * len);
            if mask & block == 0 {
                continue;
            }
            *tests += 1;
            if boxes_apart(self.bound(node, k), other, 1) == 0 {
                break;
            }
            mask &= !block;
        }
        mask
    }

    fn bound(&mut self, node: u32, k: usize) -> &BoxBound<f64> {
        let at = &mut self.at[node as usize * self.bounds.len() + k];
        if *at == NOT_YET {
            *at = self.boxes.len() as u32;
            self.boxes.push(BoxBound::moving(&self.bounds[k], &self.tree.nodes[node as usize].obb, self.h));
        }
        &self.boxes[*at as usize]
    }
}

/// The refinement level of a link during a piece, from its motion in the world: the coarsest in whose sub-intervals it
/// travels no farther than [`TRAVEL`] of its leaves' size, and in which its pose is known as accurately. `boxes` are
/// those around the link in each of the finest sub-intervals.
pub(super) fn refinement_level(tree: &ObbTree, moving: &MovingLink, balls: &Balls) -> u32 {
    let ([lo, hi], subs) = (moving.around, moving.piece.subs as usize);
    let extent = |i: usize| {
        let (lo, hi) = (&lo.0[i].0[..subs], &hi.0[i].0[..subs]);
        let own = lo.iter().zip(hi).fold(0.0f64, |m, (l, h)| m.max(h - l));
        let all = hi.iter().fold(f64::NEG_INFINITY, |m, h| m.max(*h)) - lo.iter().fold(f64::INFINITY, |m, l| m.min(*l));
        all - own
    };
    let travel = extent(0).max(extent(1)).max(extent(2));
    let most = TRAVEL * tree.leaf_m;
    let fits = |level: &u32| {
        let [constant, slope] = balls[level_of(subs >> level)];
        // The ball of a hull of interval matrices does not grow with the time.
        let known = matches!(moving.bound, PoseBound::Interval(_)) || constant + slope * moving.shape.reach_m <= most;
        known && travel <= most * f64::from(1u32 << level)
    };
    let finest = finest(moving.piece);
    (0..finest).find(fits).unwrap_or(finest)
}

/// The opposite side of a link's search in a piece.
#[derive(Clone, Copy)]
pub(super) enum Meets<'a> {
    /// Clusters.
    Candidates(&'a [Candidate]),
    /// The whole scene.
    Scene(&'a ObbTree),
}

/// One link in a piece.
pub(super) struct Group<'a> {
    pub world: &'a CollisionWorld,
    pub trees: &'a ObbTrees,
    pub tree: &'a ObbTree,
    pub link: u32,
    pub meets: Meets<'a>,
    pub balls: Balls,
    /// The sub-intervals that matter.
    pub wanted: u32,
}

/// Finds the items that may touch, for a link being searched; `None` if there are too many pairs.
pub(super) fn search(group: &Group, place: u32, work: &mut Work, found: &mut Found) -> Option<()> {
    let mut boxes = {
        let moving = &work.links[place as usize];
        let chosen = || refinement_level(group.tree, moving, &group.balls);
        let level = group.trees.level.unwrap_or_else(chosen).min(finest(moving.piece));
        MovingBoxes::new(group.tree, moving, &group.balls, level)
    };
    match group.meets {
        Meets::Candidates(candidates) => {
            for candidate in candidates.iter().filter(|c| c.is_open()) {
                let standing = &group.trees.clusters[candidate.cluster as usize];
                let has = |y| candidate.has(group.world, y);
                descend(group, standing, candidate.mask & group.wanted, has, &mut boxes, place, work, found)?;
            }
        }
        Meets::Scene(standing) => descend(group, standing, group.wanted, |_| true, &mut boxes, place, work, found)?,
    }
    Some(())
}

/// Traverses the link's tree against a static one, of whose triangles only some count.
#[allow(clippy::too_many_arguments)]
fn descend(
    group: &Group,
    standing: &ObbTree,
    mask: u32,
    counts: impl Fn(usize) -> bool,
    boxes: &mut MovingBoxes,
    place: u32,
    work: &mut Work,
    found: &mut Found,
) -> Option<()> {
    let piece = work.links[place as usize].piece;
    let mut open = vec![(0, 0, mask)];
    while let Some((a, b, mask)) = open.pop() {
        let mask = mask & piece.mask_until(found.limit(piece));
        let (x, y) = (&group.tree.nodes[a as usize], &standing.nodes[b as usize]);
        let mask = boxes.overlaps(a, &BoxBound::standing(&y.obb), mask, &mut found.counts.bound_tests);
        if mask == 0 {
            continue;
        }
        match (&x.below, &y.below) {
            (Below::Triangles(xs), Below::Triangles(ys)) => {
                let tree = &work.links[place as usize].shape.tree;
                let xs = &group.tree.order[xs.start as usize..xs.end as usize];
                for &y in &standing.order[ys.start as usize..ys.end as usize] {
                    if !counts(y as usize) || group.world.is_allowed(group.link, y as usize) {
                        continue;
                    }
                    for &x in xs {
                        found.counts.triangle_tests += 1;
                        let leaf = tree.leaf_of(x as usize);
                        let lanes = 1 << (x as usize - tree.leaf(leaf).start);
                        work.space.items.push(Item { place, leaf, y, lanes, mask: mask as u16 });
                    }
                }
                work.make_room(group.world, found)?;
            }
            (Below::Children(first), _) if opens(x, y) => {
                open.extend([(first + 1, b, mask), (*first, b, mask)]);
            }
            (_, Below::Children(first)) => open.extend([(a, first + 1, mask), (a, *first, mask)]),
            (Below::Children(first), _) => open.extend([(first + 1, b, mask), (*first, b, mask)]),
        }
    }
    Some(())
}

/// Returns whether the first box is the larger one.
fn opens(x: &ObbNode, y: &ObbNode) -> bool {
    let size = |n: &ObbNode| n.obb.half.iter().map(|h| h * h).sum::<f64>();
    size(x) >= size(y)
}
