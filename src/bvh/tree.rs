//! Wide trees over boxes: up to eight children per node, and a few primitives per leaf.
//!
//! The crate `obvhs` computes the topology (PLOC, reinsertion, leaves by the surface-area heuristic). Its boxes are not
//! used: the owner of the tree computes its own bounds from the primitives, rounded outward.
//!
//! Nodes and leaves are numbered depth first, in the order of the slots: the leaves below any node form one range.
//! Therefore a tree can be cut into pages, and a tree assembled from parts is easy to check.

use crate::io::load::Watch;
use glam::Vec3A;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::{Boundable, BvhBuildParams};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Children per node.
pub const WIDTH: usize = 8;

/// A child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildRef {
    /// An empty slot.
    Empty,
    /// Another node.
    Node(u32),
    /// A leaf.
    Leaf(u32),
}

impl ChildRef {
    const LEAF_BIT: u32 = 1 << 31;
    const EMPTY: u32 = u32::MAX;

    /// The reference in the kernels' format: the top bit marks a leaf, all bits set mark an empty slot.
    pub fn encode(self) -> u32 {
        match self {
            Self::Empty => Self::EMPTY,
            Self::Node(i) => i,
            Self::Leaf(i) => Self::LEAF_BIT | i,
        }
    }

    /// The inverse of [`encode`](Self::encode).
    pub fn decode(code: u32) -> Self {
        match code {
            Self::EMPTY => Self::Empty,
            c if c & Self::LEAF_BIT != 0 => Self::Leaf(c & !Self::LEAF_BIT),
            c => Self::Node(c),
        }
    }
}

/// A tree with up to [`WIDTH`] children per node; node 0 is the root.
#[derive(Clone, Debug, Default)]
pub struct WideTree {
    /// The children of each node, parents before children.
    pub nodes: Vec<[ChildRef; WIDTH]>,
    /// The primitives in the order of the leaves.
    pub order: Vec<u32>,
    /// Leaf `i` contains the primitives `order[leaf_starts[i]..leaf_starts[i + 1]]`.
    pub leaf_starts: Vec<u32>,
    /// Number of levels of nodes.
    pub depth: usize,
}

struct Primitive(Aabb);

impl Boundable for Primitive {
    fn aabb(&self) -> Aabb {
        self.0
    }
}

/// A box: lowest and highest coordinates.
pub type Bounds = [Vec3A; 2];

impl WideTree {
    /// Builds a tree over the boxes `[lo, hi]`, with at most `max_leaf` (1–255) primitives in a leaf.
    pub fn build(boxes: &[Bounds], max_leaf: u32) -> Self {
        let mut tree = Self { leaf_starts: vec![0], ..Self::default() };
        if boxes.is_empty() {
            return tree;
        }
        let binary = binary_tree(boxes, max_leaf);
        tree.order.reserve_exact(boxes.len());
        tree.nodes.push([ChildRef::Empty; WIDTH]);
        tree.depth = 1;
        // Children that are not yet numbered, the next one last: the node of the binary tree, its parent's index and
        // slot in the wide tree, and its parent's level.
        let mut open = Vec::new();
        let below = |open: &mut Vec<_>, node: usize, root: usize, level: usize| {
            let children = widen(&binary, root).into_iter().enumerate().rev();
            open.extend(children.map(|(slot, child)| (child, (node, slot), level)));
        };
        below(&mut open, 0, 0, 1);
        while let Some((child, (node, slot), level)) = open.pop() {
            let inner = &binary.nodes[child];
            tree.nodes[node][slot] = if inner.prim_count == 0 {
                let next = tree.nodes.len();
                tree.nodes.push([ChildRef::Empty; WIDTH]);
                tree.depth = tree.depth.max(level + 1);
                below(&mut open, next, child, level + 1);
                ChildRef::Node(next as u32)
            } else {
                let range = inner.first_index as usize..(inner.first_index + inner.prim_count) as usize;
                tree.order.extend_from_slice(&binary.primitive_indices[range]);
                tree.leaf_starts.push(tree.order.len() as u32);
                ChildRef::Leaf(tree.leaf_starts.len() as u32 - 2)
            };
        }
        tree
    }

    /// Like [`build`](Self::build) for any number of primitives with boxes `bounds`. If there are more than `block`
    /// primitives, they are cut into blocks of nearby ones, each block gets a tree, and the cuts form the tree above.
    /// Apart from the trees and the boxes of blocks under construction, this needs at most 20 bytes per primitive.
    /// `watch` receives the number of primitives whose block has a tree.
    pub fn build_in_blocks(
        n: u32,
        bounds: impl Fn(u32) -> Bounds + Sync,
        max_leaf: u32,
        block: usize,
        watch: &Watch,
    ) -> Self {
        let in_place = AtomicU64::new(0);
        let build = |numbers: &[u32]| {
            let boxes: Vec<Bounds> = numbers.iter().map(|&i| bounds(i)).collect();
            let mut tree = Self::build(&boxes, max_leaf);
            tree.order.iter_mut().for_each(|i| *i = numbers[*i as usize]);
            let before = in_place.fetch_add(numbers.len() as u64, Ordering::Relaxed);
            watch.tell(before + numbers.len() as u64, u64::from(n));
            tree
        };
        if n as usize <= block {
            return build(&(0..n).collect::<Vec<_>>());
        }
        let middle = |i: u32| {
            let [lo, hi] = bounds(i);
            Middle { at: (0.5 * (lo + hi)).into(), primitive: i }
        };
        let mut middles: Vec<Middle> = (0..n).into_par_iter().map(middle).collect();
        let mut blocks = Vec::new();
        cut(&mut middles, block.max(1), &mut blocks);
        let mut numbers: Vec<u32> = middles.iter().map(|m| m.primitive).collect();
        drop(middles);
        let mut rest = &mut numbers[..];
        let mut slices = Vec::with_capacity(blocks.len());
        for length in blocks {
            let (slice, after) = rest.split_at_mut(length);
            // Restores the original order of the primitives, which the cut has changed.
            slice.sort_unstable();
            slices.push(&*slice);
            rest = after;
        }
        let mut parts: Vec<Self> = slices.into_par_iter().map(build).collect();
        drop(numbers);
        let sum = |count: fn(&Self) -> usize| parts.iter().map(count).sum::<usize>();
        let mut tree = Self {
            nodes: Vec::with_capacity(parts.len() + sum(|t| t.nodes.len())),
            order: Vec::with_capacity(n as usize),
            leaf_starts: Vec::with_capacity(1 + sum(Self::n_leaves)),
            depth: 0,
        };
        tree.leaf_starts.push(0);
        tree.depth = tree.put(&mut parts);
        tree
    }

    /// Joins the trees of neighbouring blocks, up to eight below one node, level by level; returns the number of levels
    /// of the joined tree.
    fn put(&mut self, parts: &mut [Self]) -> usize {
        if let [part] = parts {
            let depth = part.depth;
            self.append(std::mem::take(part));
            return depth;
        }
        let (at, ways, mut depth) = (self.nodes.len(), parts.len().min(WIDTH), 0);
        self.nodes.push([ChildRef::Empty; WIDTH]);
        for slot in 0..ways {
            self.nodes[at][slot] = ChildRef::Node(self.nodes.len() as u32);
            let [first, end] = [slot, slot + 1].map(|k| k * parts.len() / ways);
            depth = depth.max(self.put(&mut parts[first..end]));
        }
        depth + 1
    }

    fn append(&mut self, part: Self) {
        let (nodes, leaves, primitives) = (self.nodes.len() as u32, self.n_leaves() as u32, self.order.len() as u32);
        let moved = |child: ChildRef| match child {
            ChildRef::Empty => ChildRef::Empty,
            ChildRef::Node(n) => ChildRef::Node(n + nodes),
            ChildRef::Leaf(l) => ChildRef::Leaf(l + leaves),
        };
        self.nodes.extend(part.nodes.iter().map(|children| children.map(moved)));
        self.leaf_starts.extend(part.leaf_starts.iter().skip(1).map(|start| start + primitives));
        self.order.extend_from_slice(&part.order);
    }

    /// Assembles a tree from parts of any origin.
    ///
    /// # Errors
    /// The parts are not a tree over `n` primitives: a primitive is not in exactly one leaf, a leaf is empty or has
    /// more than `max_leaf`, or nodes and leaves are not linked depth first. The text is the reason.
    pub fn from_parts(
        nodes: Vec<[ChildRef; WIDTH]>,
        order: Vec<u32>,
        leaf_starts: Vec<u32>,
        n: u32,
        max_leaf: u32,
    ) -> std::result::Result<Self, &'static str> {
        let mut is_used = vec![false; n as usize];
        for &i in &order {
            match is_used.get_mut(i as usize) {
                Some(there) if !*there => *there = true,
                _ => return Err("a primitive appears twice, or is out of range"),
            }
        }
        if order.len() != n as usize {
            return Err("primitives are missing");
        }
        if leaf_starts.first() != Some(&0) || leaf_starts.last() != Some(&n) {
            return Err("its leaves do not contain all primitives");
        }
        if !leaf_starts.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] <= max_leaf) {
            return Err("a leaf is empty or too large");
        }
        let mut tree = Self { nodes, order, leaf_starts, depth: 0 };
        let (mut next_node, mut next_leaf) = (0u32, 0u32);
        // Nodes and leaves that are not yet numbered, the next one last, with their levels.
        let mut open = if tree.nodes.is_empty() { Vec::new() } else { vec![(ChildRef::Node(0), 1)] };
        while let Some((child, level)) = open.pop() {
            match child {
                ChildRef::Empty => {}
                ChildRef::Leaf(l) if l == next_leaf && (l as usize) < tree.n_leaves() => next_leaf += 1,
                ChildRef::Node(i) if i == next_node && (i as usize) < tree.nodes.len() => {
                    next_node += 1;
                    tree.depth = tree.depth.max(level);
                    let children = tree.nodes[i as usize];
                    if children.iter().all(|c| *c == ChildRef::Empty) {
                        return Err("a node has no children");
                    }
                    open.extend(children.into_iter().rev().map(|c| (c, level + 1)));
                }
                _ => return Err("a node or a leaf is out of order"),
            }
        }
        match next_node as usize == tree.nodes.len() && next_leaf as usize == tree.n_leaves() {
            true => Ok(tree),
            false => Err("a node or a leaf has no parent"),
        }
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.leaf_starts.len() - 1
    }

    /// The positions in [`order`](Self::order) of a leaf's primitives.
    pub fn leaf(&self, leaf: u32) -> std::ops::Range<usize> {
        self.leaf_starts[leaf as usize] as usize..self.leaf_starts[leaf as usize + 1] as usize
    }

    /// The leaf that contains a position of [`order`](Self::order).
    pub fn leaf_of(&self, at: usize) -> u32 {
        self.leaf_starts.partition_point(|&start| start as usize <= at) as u32 - 1
    }

    /// The lowest primitive below each child of each node; `u32::MAX` if there is no child.
    pub fn lowest(&self) -> Vec<[u32; WIDTH]> {
        let of_leaf = |leaf: u32| self.leaf(leaf).map(|at| self.order[at]).min().unwrap_or(u32::MAX);
        let of_children = self.bounds(of_leaf, u32::min);
        of_children.into_iter().map(|lowest| lowest.map(|x| x.unwrap_or(u32::MAX))).collect()
    }

    /// Calls `leaf_bound` for each leaf, joins the results upward, and returns the bound of every child of every node.
    pub fn bounds<B: Copy>(
        &self,
        mut leaf_bound: impl FnMut(u32) -> B,
        join: impl Fn(B, B) -> B,
    ) -> Vec<[Option<B>; WIDTH]> {
        let mut of_child = vec![[None; WIDTH]; self.nodes.len()];
        let mut of_node: Vec<Option<B>> = vec![None; self.nodes.len()];
        for (i, children) in self.nodes.iter().enumerate().rev() {
            for (slot, child) in children.iter().enumerate() {
                of_child[i][slot] = match *child {
                    ChildRef::Empty => None,
                    ChildRef::Leaf(l) => Some(leaf_bound(l)),
                    ChildRef::Node(n) => of_node[n as usize],
                };
            }
            of_node[i] = of_child[i].into_iter().flatten().reduce(&join);
        }
        of_child
    }
}

/// Builds a binary tree over the boxes `[lo, hi]`, with at most `max_leaf` primitives in a leaf. There must be at least
/// one box.
pub fn binary_tree(boxes: &[Bounds], max_leaf: u32) -> Bvh2 {
    let params =
        BvhBuildParams { max_prims_per_leaf: max_leaf, collapse_traversal_cost: 3.0, ..BvhBuildParams::medium_build() };
    let primitives: Vec<Primitive> = boxes.iter().map(|[lo, hi]| Primitive(Aabb::new(*lo, *hi))).collect();
    build_bvh2(&primitives, params, &mut Duration::default())
}

/// The middle of a primitive's box, and the primitive's index.
#[derive(Clone, Copy)]
struct Middle {
    at: [f32; 3],
    primitive: u32,
}

/// Halves primitives along the longest side of the box around their middles until no part has more than `block`;
/// returns the lengths of the parts.
fn cut(middles: &mut [Middle], block: usize, lengths: &mut Vec<usize>) {
    if middles.len() <= block {
        lengths.push(middles.len());
        return;
    }
    let whole = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let [lo, hi] = middles.iter().fold(whole, |[lo, hi], m| {
        [std::array::from_fn(|i| lo[i].min(m.at[i])), std::array::from_fn(|i| hi[i].max(m.at[i]))]
    });
    let side: [f32; 3] = std::array::from_fn(|i| hi[i] - lo[i]);
    let axis = (1..3).fold(0, |best, i| if side[i] > side[best] { i } else { best });
    let half = middles.len() / 2;
    let by = |m: &Middle, o: &Middle| m.at[axis].total_cmp(&o.at[axis]).then(m.primitive.cmp(&o.primitive));
    middles.select_nth_unstable_by(half, by);
    let (left, right) = middles.split_at_mut(half);
    let mut of_right = Vec::new();
    rayon::join(|| cut(left, block, lengths), || cut(right, block, &mut of_right));
    lengths.append(&mut of_right);
}

/// The descendants of a binary node, at most eight, that become children of a wide one: the child with the largest box
/// is replaced by its own children first.
fn widen(binary: &Bvh2, root: usize) -> Vec<usize> {
    let node = &binary.nodes[root];
    if node.prim_count > 0 {
        return vec![root];
    }
    let mut children = vec![node.first_index as usize, node.first_index as usize + 1];
    while children.len() < WIDTH {
        let largest = (0..children.len()).filter(|&i| binary.nodes[children[i]].prim_count == 0).max_by(|&i, &j| {
            let area = |i: usize| binary.nodes[children[i]].aabb().half_area();
            area(i).total_cmp(&area(j)).then(j.cmp(&i))
        });
        let Some(i) = largest else { break };
        let first = binary.nodes[children[i]].first_index as usize;
        children[i] = first;
        children.insert(i + 1, first + 1);
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3A;

    fn grid(n: usize) -> Vec<[Vec3A; 2]> {
        (0..n)
            .map(|i| {
                let lo = Vec3A::new((i % 17) as f32, (i / 17 % 13) as f32, (i * 7 % 5) as f32);
                [lo, lo + Vec3A::splat(0.5 + (i % 3) as f32)]
            })
            .collect()
    }

    /// Returns whether the parts of a tree are accepted and result in a tree that is not deeper.
    fn is_whole(tree: &WideTree, n: u32, max_leaf: u32) -> bool {
        let parts = (tree.nodes.clone(), tree.order.clone(), tree.leaf_starts.clone());
        let again = WideTree::from_parts(parts.0, parts.1, parts.2, n, max_leaf);
        again.is_ok_and(|again| again.depth <= tree.depth)
    }

    fn in_blocks(boxes: &[Bounds], max_leaf: u32, block: usize) -> WideTree {
        WideTree::build_in_blocks(boxes.len() as u32, |i| boxes[i as usize], max_leaf, block, &Watch::default())
    }

    #[test]
    fn every_primitive_is_in_one_leaf_and_every_leaf_has_one_parent() {
        for (n, block) in
            [(0, 9), (1, 9), (2, 9), (7, 9), (8, 9), (9, 9), (100, 9), (3000, 5000), (3000, 100), (3000, 1)]
        {
            let tree = in_blocks(&grid(n), 8, block);
            let mut seen = tree.order.clone();
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..n as u32));
            assert!((0..tree.n_leaves()).all(|l| (1..=8).contains(&tree.leaf(l as u32).len())));
            let (mut leaves, mut nodes) = (vec![0; tree.n_leaves()], vec![0; tree.nodes.len()]);
            for (i, children) in tree.nodes.iter().enumerate() {
                for child in children {
                    match *child {
                        ChildRef::Empty => {}
                        ChildRef::Leaf(l) => leaves[l as usize] += 1,
                        ChildRef::Node(c) => {
                            assert!(c as usize > i);
                            nodes[c as usize] += 1;
                        }
                    }
                    assert_eq!(ChildRef::decode(child.encode()), *child);
                }
            }
            assert!(leaves.iter().all(|&c| c == 1) && nodes.iter().skip(1).all(|&c| c == 1));
            assert!(is_whole(&tree, n as u32, 8), "{n} in blocks of {block}");
        }
    }

    #[test]
    fn blocks_contain_neighbouring_primitives() {
        // Points on a line, in scrambled order: a block contains those of one stretch.
        let boxes: Vec<Bounds> = (0..4096).map(|i| [Vec3A::X * ((i * 2731) % 4096) as f32; 2]).collect();
        let tree = in_blocks(&boxes, 8, 512);
        let at = |i: &u32| boxes[*i as usize][0].x as usize / 512;
        assert!(tree.order.chunks(512).all(|block| block.iter().all(|i| at(i) == at(&block[0]))));
    }

    #[test]
    fn invalid_trees_are_refused() {
        let tree = in_blocks(&grid(500), 8, 100);
        let refused = |harm: &dyn Fn(&mut WideTree)| {
            let mut harmed = tree.clone();
            harm(&mut harmed);
            WideTree::from_parts(harmed.nodes, harmed.order, harmed.leaf_starts, 500, 8).is_err()
        };
        assert!(!refused(&|_| {}));
        assert!(refused(&|t| t.order[3] = t.order[4]) && refused(&|t| t.order[3] = 500));
        assert!(refused(&|t| t.order.truncate(499)) && refused(&|t| t.order.push(0)));
        assert!(refused(&|t| t.leaf_starts[1] = t.leaf_starts[2]) && refused(&|t| t.leaf_starts[1] = u32::MAX));
        assert!(refused(&|t| t.leaf_starts[0] = 1) && refused(&|t| t.leaf_starts.clear()));
        assert!(refused(&|t| t.leaf_starts.truncate(1)) && refused(&|t| t.leaf_starts[2] += 100));
        let inner = tree.nodes.iter().position(|n| n.iter().any(|c| matches!(c, ChildRef::Leaf(_)))).unwrap();
        let slot = tree.nodes[inner].iter().position(|c| matches!(c, ChildRef::Leaf(_))).unwrap();
        for wrong in
            [ChildRef::Empty, ChildRef::Leaf(u32::MAX >> 1), ChildRef::Leaf(0), ChildRef::Node(0), ChildRef::Node(1)]
        {
            assert!(wrong == tree.nodes[inner][slot] || refused(&|t| t.nodes[inner][slot] = wrong), "{wrong:?}");
        }
        assert!(refused(&|t| t.nodes[0][0] = ChildRef::Node(0)), "a circle");
        assert!(refused(&|t| t.nodes[0] = [ChildRef::Empty; WIDTH]) && refused(&|t| t.nodes.clear()));
        assert!(
            refused(&|t| t.nodes.push([ChildRef::Empty; WIDTH])) && refused(&|t| t.nodes.truncate(t.nodes.len() - 1))
        );
    }

    #[test]
    fn the_same_boxes_give_the_same_tree() {
        let (a, b) = (in_blocks(&grid(3000), 32, 200), in_blocks(&grid(3000), 32, 200));
        assert!(a.nodes == b.nodes && a.order == b.order && a.leaf_starts == b.leaf_starts);
    }
}
