//! Binary trees of triangles, down to single ones.

use crate::bvh::tree::{Bounds, binary_tree};
use crate::robot::Triangle;
use glam::{DVec3, Vec3A};

/// A node of a [`Partition`]: its triangles' box and the rest that proofs need.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Lowest and highest coordinates, metres.
    pub corners: [DVec3; 2],
    /// The largest distance of a vertex from the origin of the frame, metres.
    pub reach_m: f64,
    /// Number of triangles.
    pub n_triangles: u32,
    /// Number of triangles of the left child; of a leaf, its triangle.
    pub left: u32,
    /// The first and the last group that a triangle belongs to.
    pub groups: [u32; 2],
}

impl Node {
    /// The node of a single triangle.
    pub fn leaf(triangle: &Triangle, i: u32, group: u32) -> Self {
        let [a, b, c] = *triangle;
        Self {
            corners: [a.min(b).min(c), a.max(b).max(c)],
            reach_m: a.length().max(b.length()).max(c.length()),
            n_triangles: 1,
            left: i,
            groups: [group; 2],
        }
    }

    /// Returns whether the node is a single triangle.
    pub fn is_leaf(&self) -> bool {
        self.n_triangles == 1
    }
}

/// A binary tree over triangles. Nodes are in preorder: the left child follows its parent.
#[derive(Clone, Debug, Default)]
pub struct Partition {
    /// The nodes; empty if there are no triangles.
    pub nodes: Vec<Node>,
    /// The triangles in the order of the leaves.
    pub order: Vec<u32>,
}

impl Partition {
    /// Builds the tree; `group` returns the group of a triangle, such as its object in a scene.
    pub fn new(triangles: &[Triangle], group: impl Fn(u32) -> u32) -> Self {
        let mut this = Self::default();
        if triangles.is_empty() {
            return this;
        }
        let boxes: Vec<Bounds> = triangles.iter().map(single_precision_box).collect();
        let tree = binary_tree(&boxes, 1);
        this.order.reserve_exact(triangles.len());
        this.nodes.reserve_exact(2 * triangles.len() - 1);
        // Nodes of the other tree that still have to be appended, the next one last.
        let mut open = vec![0usize];
        while let Some(node) = open.pop() {
            let of = &tree.nodes[node];
            let first = of.first_index as usize;
            if of.prim_count == 0 {
                this.nodes.push(Node { n_triangles: 0, ..Node::leaf(&triangles[0], 0, 0) });
                open.extend([first + 1, first]);
            } else {
                this.append(triangles, &tree.primitive_indices[first..first + of.prim_count as usize], &group);
            }
        }
        this.close();
        this
    }

    /// Appends a subtree over a few triangles.
    fn append(&mut self, triangles: &[Triangle], few: &[u32], group: &impl Fn(u32) -> u32) {
        match few {
            [] => {}
            &[i] => {
                self.nodes.push(Node::leaf(&triangles[i as usize], i, group(i)));
                self.order.push(i);
            }
            _ => {
                self.nodes.push(Node { n_triangles: 0, ..Node::leaf(&triangles[few[0] as usize], 0, 0) });
                let (left, right) = few.split_at(few.len() / 2);
                self.append(triangles, left, group);
                self.append(triangles, right, group);
            }
        }
    }

    /// Computes the inner nodes from their children, which follow them.
    fn close(&mut self) {
        // The subtrees to the right of the present node, the nearest last.
        let mut subtrees: Vec<usize> = Vec::new();
        for i in (0..self.nodes.len()).rev() {
            if self.nodes[i].n_triangles == 0
                && let (Some(left), Some(right)) = (subtrees.pop(), subtrees.pop())
            {
                let [l, r] = [left, right].map(|child| self.nodes[child]);
                self.nodes[i] = Node {
                    corners: [l.corners[0].min(r.corners[0]), l.corners[1].max(r.corners[1])],
                    reach_m: l.reach_m.max(r.reach_m),
                    n_triangles: l.n_triangles + r.n_triangles,
                    left: l.n_triangles,
                    groups: [l.groups[0].min(r.groups[0]), l.groups[1].max(r.groups[1])],
                };
            }
            subtrees.push(i);
        }
    }

    /// The children of an inner node.
    pub fn children(&self, node: u32) -> [u32; 2] {
        [node + 1, node + 2 * self.nodes[node as usize].left]
    }
}

/// The box of a triangle, for the shape of the tree alone.
fn single_precision_box(&[a, b, c]: &Triangle) -> Bounds {
    let single = |v: DVec3| Vec3A::new(v.x as f32, v.y as f32, v.z as f32);
    [single(a.min(b).min(c)), single(a.max(b).max(c))]
}
