//! Wide trees over boxes: up to eight children a node, leaves of a few primitives.
//!
//! The topology comes from the crate `obvhs` (PLOC, reinsertion, leaves ended by the surface-area heuristic). Its boxes
//! are not used: whoever owns the tree computes bounds of its own from the primitives, outward.

use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::{Boundable, BvhBuildParams};
use std::time::Duration;

/// Children per node.
pub const WIDTH: usize = 8;

/// What a child of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildRef {
    /// Nothing.
    Empty,
    /// Another node.
    Node(u32),
    /// A leaf.
    Leaf(u32),
}

impl ChildRef {
    const LEAF_BIT: u32 = 1 << 31;
    const EMPTY: u32 = u32::MAX;

    /// The reference as the kernels read it: the top bit marks a leaf, all bits an empty slot.
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

/// A tree with up to [`WIDTH`] children a node; node 0 is the root.
#[derive(Clone, Debug, Default)]
pub struct WideTree {
    /// The children of each node, parents before children.
    pub nodes: Vec<[ChildRef; WIDTH]>,
    /// The primitives in the order of the leaves.
    pub order: Vec<u32>,
    /// Leaf `i` holds the primitives `order[leaf_starts[i]..leaf_starts[i + 1]]`.
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

impl WideTree {
    /// A tree over the boxes `[lo, hi]`, with at most `max_leaf` (1–255) primitives in a leaf.
    pub fn build(boxes: &[[glam::Vec3A; 2]], max_leaf: u32) -> Self {
        let mut tree = Self { leaf_starts: vec![0], ..Self::default() };
        if boxes.is_empty() {
            return tree;
        }
        let params = BvhBuildParams {
            max_prims_per_leaf: max_leaf,
            collapse_traversal_cost: 3.0,
            ..BvhBuildParams::medium_build()
        };
        let primitives: Vec<Primitive> = boxes.iter().map(|[lo, hi]| Primitive(Aabb::new(*lo, *hi))).collect();
        let binary = build_bvh2(&primitives, params, &mut Duration::default());
        let mut order = Vec::with_capacity(boxes.len());
        tree.nodes.push([ChildRef::Empty; WIDTH]);
        // Breadth first: (node of the wide tree, node of the binary tree, level).
        let mut open = std::collections::VecDeque::from([(0usize, 0usize, 1usize)]);
        while let Some((node, root, level)) = open.pop_front() {
            tree.depth = tree.depth.max(level);
            for (slot, child) in widen(&binary, root).into_iter().enumerate() {
                let inner = &binary.nodes[child];
                tree.nodes[node][slot] = if inner.prim_count == 0 {
                    tree.nodes.push([ChildRef::Empty; WIDTH]);
                    let next = tree.nodes.len() - 1;
                    open.push_back((next, child, level + 1));
                    ChildRef::Node(next as u32)
                } else {
                    let range = inner.first_index as usize..(inner.first_index + inner.prim_count) as usize;
                    order.extend_from_slice(&binary.primitive_indices[range]);
                    tree.leaf_starts.push(order.len() as u32);
                    ChildRef::Leaf(tree.leaf_starts.len() as u32 - 2)
                };
            }
        }
        tree.order = order;
        tree
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.leaf_starts.len() - 1
    }

    /// The positions in [`order`](Self::order) of a leaf's primitives.
    pub fn leaf(&self, leaf: u32) -> std::ops::Range<usize> {
        self.leaf_starts[leaf as usize] as usize..self.leaf_starts[leaf as usize + 1] as usize
    }

    /// The leaf in which a position of [`order`](Self::order) lies.
    pub fn leaf_of(&self, at: usize) -> u32 {
        self.leaf_starts.partition_point(|&start| start as usize <= at) as u32 - 1
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

/// The up to eight descendants of a binary node that become children of a wide one: the largest box is opened first.
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

    #[test]
    fn every_primitive_stands_in_one_leaf_and_every_leaf_has_one_parent() {
        for n in [0, 1, 2, 7, 8, 9, 100, 3000] {
            let tree = WideTree::build(&grid(n), 8);
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
        }
    }

    #[test]
    fn the_same_boxes_give_the_same_tree() {
        let (a, b) = (WideTree::build(&grid(3000), 32), WideTree::build(&grid(3000), 32));
        assert!(a.nodes == b.nodes && a.order == b.order && a.leaf_starts == b.leaf_starts);
    }
}
