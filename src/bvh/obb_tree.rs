//! Binary trees of oriented boxes (Gottschalk, Lin and Manocha 1996; Redon et al. 2004, section 5.1).
//!
//! A link has one tree over all its triangles. The scene has one tree for each cluster: above the clusters is the
//! scene's own tree of axis-aligned boxes, which `s3_cull` has traversed for all sub-intervals of time simultaneously
//! before any oriented box is tested, and which determines the sub-intervals in which a cluster matters. A tree of
//! oriented boxes per object would test its upper levels a second time.

use crate::bvh::obb;
use crate::predicate::obb_overlap::OrientedBox;
use crate::robot::Triangle;
use crate::scene::world::CollisionWorld;
use std::ops::Range;

/// Maximum number of triangles in a leaf.
pub const OBB_LEAF: usize = 2;

/// A binary tree; node 0 is the root.
#[derive(Clone, Debug, Default)]
pub struct ObbTree {
    /// The nodes, parents before children.
    pub nodes: Vec<ObbNode>,
    /// The triangles' indices in the order of the leaves.
    pub order: Vec<u32>,
    /// Half the diagonal of the boxes of the leaves, averaged over the leaves, metres.
    pub leaf_m: f64,
}

/// A box and its contents.
#[derive(Clone, Debug)]
pub struct ObbNode {
    /// The oriented box, which contains the triangles of the node.
    pub obb: OrientedBox<f64>,
    /// The node's children, or its triangles.
    pub below: Below,
}

/// Contents of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Below {
    /// Two nodes: the one with this index and the next.
    Children(u32),
    /// Triangles: this range of [`ObbTree::order`].
    Triangles(Range<u32>),
}

impl ObbTree {
    /// Builds a tree over the triangles `range` of a list. Each vertex may have an error of up to `unit` times the sum
    /// of its absolute coordinates.
    ///
    /// A set is cut at the middle of its box along the longest axis (GLM96), or, if one side would have less than an
    /// eighth of the set, at the median. Therefore no tree is deeper than about five times the binary logarithm of its
    /// size.
    pub fn build(triangles: &[Triangle], range: Range<usize>, unit: f64) -> Self {
        let mut order: Vec<u32> = (range.start as u32..range.end as u32).collect();
        let mut tree = Self::default();
        if order.is_empty() {
            return tree;
        }
        let mut set = Vec::with_capacity(order.len());
        let mut node = |of: &[u32], places: Range<usize>| {
            set.clear();
            set.extend(of.iter().map(|&i| triangles[i as usize]));
            let below = Below::Triangles(places.start as u32..places.end as u32);
            ObbNode { obb: obb::around(&set, unit), below }
        };
        tree.nodes.push(node(&order, 0..order.len()));
        let mut at = 0;
        while at < tree.nodes.len() {
            if let Below::Triangles(places) = tree.nodes[at].below.clone()
                && places.len() > OBB_LEAF
            {
                let places = places.start as usize..places.end as usize;
                let middle = places.start + split(&mut order[places.clone()], triangles, &tree.nodes[at].obb);
                tree.nodes[at].below = Below::Children(tree.nodes.len() as u32);
                for half in [places.start..middle, middle..places.end] {
                    tree.nodes.push(node(&order[half.clone()], half));
                }
            }
            at += 1;
        }
        let leaves = || tree.nodes.iter().filter(|n| matches!(n.below, Below::Triangles(_)));
        let sum: f64 = leaves().map(|n| n.obb.half.iter().map(|h| h * h).sum::<f64>().sqrt()).sum();
        tree.leaf_m = sum / leaves().count() as f64;
        tree.order = order;
        tree
    }
}

/// Moves the triangles of one side of a cut before those of the other; returns their number.
fn split(order: &mut [u32], triangles: &[Triangle], b: &OrientedBox<f64>) -> usize {
    let longest = (0..3).fold(0, |m, i| if b.half[i] > b.half[m] { i } else { m });
    let ([x, y, z], [u, v, w]) = (b.axes[longest].0, b.center.0);
    let along = |t: u32| {
        let centre = (triangles[t as usize][0] + triangles[t as usize][1] + triangles[t as usize][2]) / 3.0;
        (centre.x - u) * x + (centre.y - v) * y + (centre.z - w) * z
    };
    // The index breaks ties, so that the order does not depend on the sorting method.
    order.sort_unstable_by(|&s, &t| along(s).total_cmp(&along(t)).then(s.cmp(&t)));
    let at = order.partition_point(|&t| along(t) < 0.0);
    if at.min(order.len() - at) * 8 < order.len() { order.len() / 2 } else { at }
}

/// The trees of a world.
#[derive(Clone, Debug)]
pub struct ObbTrees {
    /// The tree of each link (as in [`CollisionWorld::links`]); `None` for those with fewer triangles than requested.
    pub links: Vec<Option<ObbTree>>,
    /// The tree of each cluster of the scene; their triangles are positions in [`CollisionWorld::scene`]'s list.
    pub clusters: Vec<ObbTree>,
    /// One tree over the whole scene, if requested.
    pub scene: Option<ObbTree>,
    /// The refinement level of all links; chosen from each link's motion if absent.
    pub level: Option<u32>,
}

impl ObbTrees {
    /// Builds trees for the links of at least `min_triangles`, and for the scene if there is such a link.
    pub fn new(world: &CollisionWorld, min_triangles: usize) -> Self {
        let of_link = |triangles: &[Triangle]| {
            (triangles.len() >= min_triangles).then(|| ObbTree::build(triangles, 0..triangles.len(), 0.0))
        };
        let links: Vec<_> = world.links.iter().map(|l| of_link(&l.triangles)).collect();
        let scene = &world.scene;
        let clusters = if links.iter().any(Option::is_some) { scene.tree.n_leaves() as u32 } else { 0 };
        let of_cluster = |c| ObbTree::build(&scene.triangles, scene.tree.leaf(c), scene.shift_unit);
        Self { links, clusters: (0..clusters).map(of_cluster).collect(), scene: None, level: None }
    }

    /// Adds the tree over the whole scene, if every link has a tree.
    #[must_use]
    pub fn with_scene(mut self, world: &CollisionWorld) -> Self {
        let scene = &world.scene;
        let build = || ObbTree::build(&scene.triangles, 0..scene.triangles.len(), scene.shift_unit);
        self.scene = self.links.iter().all(Option::is_some).then(build);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn check(triangles: &[Triangle], most_levels: usize) {
        let tree = ObbTree::build(triangles, 0..triangles.len(), 0.0);
        let mut seen = tree.order.clone();
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..triangles.len() as u32));
        let mut level = vec![1; tree.nodes.len()];
        let mut in_leaves = 0;
        for (i, node) in tree.nodes.iter().enumerate() {
            match &node.below {
                Below::Children(first) => {
                    assert!(*first as usize > i);
                    (level[*first as usize], level[*first as usize + 1]) = (level[i] + 1, level[i] + 1);
                }
                Below::Triangles(places) => {
                    assert!((1..=OBB_LEAF).contains(&places.len()));
                    in_leaves += places.len();
                }
            }
        }
        assert_eq!(in_leaves, triangles.len());
        assert!(level.iter().all(|&l| l <= most_levels), "{:?} levels", level.iter().max());
    }

    #[test]
    fn every_triangle_is_in_one_leaf() {
        let at = |v: DVec3| [v, v + DVec3::X * 0.1, v + DVec3::Y * 0.1];
        let grid = |n: usize| -> Vec<Triangle> {
            (0..n).map(|i| at(DVec3::new((i % 17) as f64, (i / 17) as f64, (i % 3) as f64))).collect()
        };
        for (n, levels) in [(0, 0), (1, 1), (2, 1), (3, 2), (100, 12), (3000, 20)] {
            check(&grid(n), levels);
        }
        // All triangles in one place; then each triangle twice as far away as the previous one.
        check(&vec![at(DVec3::ONE); 100], 7);
        check(&(0..100).map(|i| at(DVec3::X * 2f64.powi(i - 80))).collect::<Vec<_>>(), 12);
    }
}
