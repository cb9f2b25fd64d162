//! Partitions of triangles into binary trees, and the hulls of their nodes.

use crate::ball::{Ball, Sum, exact, larger, norm};
use crate::body_motion::largest;
use crate::joint_motion::Affine;
use crate::refusal::{Refusal, require};

/// A partition as it is in a file: the permutation, and the number of triangles on the left side of each inner node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// The triangles in the order of the leaves.
    pub order: Vec<u32>,
    /// Triangles on the left side of inner nodes, in preorder.
    pub left: Vec<u32>,
}

/// A binary tree of triangles.
pub(crate) struct Tree<'m> {
    triangles: Vec<&'m [[f64; 3]; 3]>,
    /// The index of each triangle, in the order of the leaves.
    order: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    first: u32,
    len: u32,
    /// Number of triangles on the left side; 0 for a leaf.
    left: u32,
    /// The box of the vertices.
    low: [f64; 3],
    high: [f64; 3],
    /// Bound for the distance of a vertex from the origin.
    size: f64,
}

impl<'m> Tree<'m> {
    /// The tree of some triangles.
    pub fn new(triangles: Vec<&'m [[f64; 3]; 3]>, partition: &Partition) -> Result<Self, Refusal> {
        let n = triangles.len();
        let counts = partition.order.len() == n && partition.left.len() == n.saturating_sub(1);
        require(counts, || "the partition has the wrong number of triangles".into())?;
        let mut seen = vec![false; n];
        for &index in &partition.order {
            let fresh = seen.get_mut(index as usize).is_some_and(|seen| !std::mem::replace(seen, true));
            require(fresh, || format!("triangle {index} appears twice in the partition, or does not exist"))?;
        }
        let nodes = split(n, &partition.left)?;
        let mut tree = Self { triangles, order: partition.order.clone(), nodes };
        tree.bound();
        Ok(tree)
    }

    /// Computes boxes and sizes: children have higher numbers than their parents.
    fn bound(&mut self) {
        for id in (0..self.nodes.len()).rev() {
            let (low, high, size) = match self.children(id) {
                None => self.bound_of_leaf(id),
                Some([a, b]) => {
                    let (a, b) = (&self.nodes[a], &self.nodes[b]);
                    let low = std::array::from_fn(|r| a.low[r].min(b.low[r]));
                    (low, std::array::from_fn(|r| a.high[r].max(b.high[r])), larger(a.size, b.size))
                }
            };
            let node = &mut self.nodes[id];
            (node.low, node.high, node.size) = (low, high, size);
        }
    }

    fn bound_of_leaf(&self, id: usize) -> ([f64; 3], [f64; 3], f64) {
        let triangle = self.triangle(id);
        let (mut low, mut high, mut size) = (triangle[0], triangle[0], 0.0);
        for vertex in triangle {
            low = std::array::from_fn(|r| low[r].min(vertex[r]));
            high = std::array::from_fn(|r| high[r].max(vertex[r]));
            size = larger(size, norm(exact(*vertex)));
        }
        (low, high, size)
    }

    fn triangle(&self, id: usize) -> &'m [[f64; 3]; 3] {
        self.triangles[self.order[self.nodes[id].first as usize] as usize]
    }

    #[cfg(test)]
    pub fn corners(&self, id: usize) -> Vec<[f64; 3]> {
        let Node { low, high, left, .. } = self.nodes[id];
        if left == 0 { self.triangle(id).to_vec() } else { vec![low, high] }
    }

    /// The triangle of an index.
    pub fn triangle_at(&self, index: usize) -> Option<&'m [[f64; 3]; 3]> {
        self.triangles.get(index).copied()
    }

    /// The indices of all triangles, in the order of the leaves.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The places of a node's triangles in the order.
    pub fn range(&self, id: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[id];
        node.first as usize..(node.first + node.len) as usize
    }

    /// The children of an inner node.
    pub fn children(&self, id: usize) -> Option<[usize; 2]> {
        let left = self.nodes[id].left as usize;
        (left > 0).then_some([id + 1, id + 2 * left])
    }

    /// Bounds for the distances of the vertices of a leaf from the origin, or three times that of all vertices of
    /// another node.
    pub fn sizes(&self, id: usize) -> [f64; 3] {
        let node = &self.nodes[id];
        if node.left == 0 { self.triangle(id).map(|vertex| norm(exact(vertex))) } else { [node.size; 3] }
    }

    /// An upper bound for `axis·pose(x)` over the hull of a node, whose vertices have some spread, as in
    /// [`sizes`](Self::sizes).
    pub fn support(&self, id: usize, pose: &Affine, axis: [f64; 3], spread: &[Ball; 3]) -> f64 {
        let n = exact(axis);
        let [x, y, z, offset] = pose.map(|column| crate::ball::dot(column, n));
        let form = [x, y, z];
        if self.nodes[id].left == 0 {
            let vertices = self.triangle(id).iter().zip(spread);
            return largest(vertices.map(|(vertex, spread)| crate::ball::dot(form, exact(*vertex)) + offset + *spread));
        }
        (Ball::exact(self.extent(id, form)) + offset + spread[0]).upper()
    }

    /// An upper bound for a linear form over the hull of a node.
    pub fn extent(&self, id: usize, form: [Ball; 3]) -> f64 {
        let node = &self.nodes[id];
        if node.left == 0 {
            return largest(self.triangle(id).iter().map(|vertex| crate::ball::dot(form, exact(*vertex))));
        }
        let mut sum = Sum::default();
        for (r, f) in form.into_iter().enumerate() {
            let corner = if f.mid >= 0.0 { node.high[r] } else { node.low[r] };
            sum.add(Ball::exact(f.mid), Ball::exact(corner));
            sum.blur(f.rad * larger(node.low[r].abs(), node.high[r].abs()));
        }
        sum.ball().upper()
    }
}

/// The nodes of `n` triangles in preorder.
fn split(n: usize, left: &[u32]) -> Result<Vec<Node>, Refusal> {
    let mut nodes = Vec::with_capacity((2 * n).saturating_sub(1));
    let (mut left, mut pending) = (left.iter(), Vec::new());
    if n > 0 {
        pending.push((0, n as u32));
    }
    while let Some((first, len)) = pending.pop() {
        let mut node = Node { first, len, left: 0, low: [0.0; 3], high: [0.0; 3], size: 0.0 };
        if len > 1 {
            node.left = *left.next().unwrap_or(&0);
            let proper = node.left > 0 && node.left < len;
            require(proper, || format!("node {} of the partition has an empty side", nodes.len()))?;
            pending.push((first + node.left, len - node.left));
            pending.push((first, node.left));
        }
        nodes.push(node);
    }
    Ok(nodes)
}
