//! The scene on a device in pages, each as large as the device can bind.
//!
//! Leaves of the scene's tree are numbered depth first, so a page is a range of leaves and of triangles, and its tree
//! is the scene's without the parts in other pages. A page counts its nodes, leaves and triangles from 0; its root is
//! the lowest node that contains all of it. A single page is the scene unchanged.

use super::buffers::{BufferId, Buffers, PAGED, Page, PageRange};
use super::device::Gpu;
use crate::arith::rounding::{UNIT_F32, nearest, round_up};
use crate::bvh::tree::{ChildRef, WIDTH};
use crate::error::Result;
use crate::scene::world::{SceneBox, StaticGeometry};
use crate::stage::layout::{SceneLeaf, SceneNode, SceneTriangle};
use std::ops::Range;

/// A box that overlaps nothing, for children that do not exist.
const NOWHERE: SceneBox = SceneBox { lo: [1e30; 3], hi: [-1e30; 3] };
/// Number of triangles written to a device in one step.
const AT_ONCE: usize = 1 << 20;

/// The leaves of each page, such that none of its buffers has more than `most` bytes; a single leaf that is larger has
/// a page of its own.
fn cut(scene: &StaticGeometry, most: u64) -> Vec<Range<u32>> {
    let (tree, n) = (&scene.tree, scene.tree.n_leaves() as u32);
    let bytes = |nodes: usize, leaves: usize, triangles: usize| {
        let nodes = nodes * size_of::<SceneNode>();
        nodes.max(leaves * size_of::<SceneLeaf>()).max(triangles * size_of::<SceneTriangle>()) as u64
    };
    if n == 0 || bytes(tree.nodes.len(), n as usize, scene.triangles.len()) <= most {
        return std::iter::once(0..n).collect();
    }
    // Every node has two children, except for those on the path to either end of the range.
    let most_nodes = |leaves: usize| leaves + 2 * tree.depth;
    let mut pages = Vec::new();
    let mut first = 0;
    for leaf in 0..n {
        let leaves = (leaf + 1 - first) as usize;
        let triangles = tree.leaf(leaf).end - tree.leaf(first).start;
        if leaf > first && bytes(most_nodes(leaves), leaves, triangles) > most {
            pages.push(first..leaf);
            first = leaf;
        }
    }
    pages.push(first..n);
    pages
}

/// The range of leaves below each node.
fn leaves_below(scene: &StaticGeometry) -> Vec<Range<u32>> {
    let mut below = vec![0..0; scene.tree.nodes.len()];
    for (i, children) in scene.tree.nodes.iter().enumerate().rev() {
        let of = |child: &ChildRef| leaves_of(child, &below);
        let mut some = children.iter().map(of).filter(|range| !range.is_empty());
        let first = some.next().unwrap_or_default();
        below[i] = first.start..some.next_back().unwrap_or(first).end;
    }
    below
}

fn leaves_of(child: &ChildRef, below: &[Range<u32>]) -> Range<u32> {
    match *child {
        ChildRef::Empty => 0..0,
        ChildRef::Leaf(l) => l..l + 1,
        ChildRef::Node(n) => below[n as usize].clone(),
    }
}

/// The box around the triangles of some leaves.
fn around(scene: &StaticGeometry, leaves: &Range<u32>) -> SceneBox {
    let boxes = &scene.cluster_boxes[leaves.start as usize..leaves.end as usize];
    boxes.iter().copied().reduce(SceneBox::join).unwrap_or(NOWHERE)
}

/// A tree of a page: children, and the box of each.
type Nodes = Vec<[(ChildRef, SceneBox); WIDTH]>;

/// The tree over some leaves.
fn tree_of(scene: &StaticGeometry, below: &[Range<u32>], page: &Range<u32>) -> Nodes {
    let nodes = &scene.tree.nodes;
    let inside = |child: &ChildRef| {
        let of = leaves_of(child, below);
        of.start < page.end && of.end > page.start
    };
    let nothing = [(ChildRef::Empty, NOWHERE); WIDTH];
    let mut out = Vec::new();
    let Some(mut root) = (!nodes.is_empty()).then_some(0u32) else { return out };
    loop {
        let mut some = nodes[root as usize].iter().filter(|c| inside(c));
        match (some.next(), some.next()) {
            (Some(ChildRef::Node(only)), None) => root = *only,
            _ => break,
        }
    }
    // Depth first, like the scene's tree; the next child is the last element.
    let mut open = Vec::new();
    let enter = |open: &mut Vec<_>, out: &mut Nodes, node: u32| {
        let children = nodes[node as usize].iter().enumerate().rev().filter(|(_, c)| inside(c));
        open.extend(children.map(|(slot, child)| (*child, (out.len(), slot))));
        out.push(nothing);
    };
    enter(&mut open, &mut out, root);
    while let Some((child, (node, slot))) = open.pop() {
        out[node][slot] = match child {
            ChildRef::Empty => continue,
            ChildRef::Leaf(l) => (ChildRef::Leaf(l - page.start), scene.cluster_boxes[l as usize]),
            ChildRef::Node(n) => {
                let next = out.len() as u32;
                enter(&mut open, &mut out, n);
                (ChildRef::Node(next), NOWHERE)
            }
        };
    }
    // Boxes are computed bottom up, for the content of this page.
    for i in (0..out.len()).rev() {
        for slot in 0..WIDTH {
            if let (ChildRef::Node(n), _) = out[i][slot] {
                let boxes = out[n as usize].iter().filter(|(child, _)| *child != ChildRef::Empty).map(|(_, b)| *b);
                out[i][slot].1 = boxes.reduce(SceneBox::join).unwrap_or(NOWHERE);
            }
        }
    }
    out
}

impl Buffers {
    /// Uploads the scene, in as many pages as necessary.
    pub(super) fn upload_scene(&mut self, gpu: &Gpu, scene: &StaticGeometry) -> Result<()> {
        let below = leaves_below(scene);
        let ranges = cut(scene, gpu.page_bytes());
        let mut pages = Vec::with_capacity(ranges.len());
        for leaves in &ranges {
            self.forget(&PAGED);
            let nodes: Vec<SceneNode> = tree_of(scene, &below, leaves).iter().map(SceneNode::around).collect();
            self.fill(gpu, BufferId::SceneNodes, &nodes)?;
            let start = |leaf: u32| scene.tree.leaf_starts[leaf as usize];
            let (first, end) = (start(leaves.start), start(leaves.end));
            self.fill(gpu, BufferId::SceneLeaves, &scene_leaves(scene, leaves).collect::<Vec<_>>())?;
            self.upload_triangles(gpu, scene, first as usize..end as usize)?;
            let range = PageRange { first_leaf: leaves.start, n_leaves: leaves.len() as u32, first_triangle: first };
            let around = around(scene, leaves);
            pages.push(Page { buffers: PAGED.map(|id| self.handle(id)), range, around });
        }
        self.set_pages(pages);
        Ok(())
    }

    /// Uploads several scenes into one page, each with its own tree, and returns where each begins; `None` if they do
    /// not fit into one page.
    ///
    /// # Errors
    /// The device does not have enough memory.
    pub fn upload_scenes(&mut self, gpu: &Gpu, scenes: &[&StaticGeometry]) -> Result<Option<Vec<SceneStart>>> {
        let (mut starts, mut next) = (Vec::new(), SceneStart::default());
        let (mut nodes, mut leaves, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for scene in scenes {
            starts.push(next);
            let all = 0..scene.tree.n_leaves() as u32;
            let mut tree = tree_of(scene, &leaves_below(scene), &all);
            tree.iter_mut().flatten().for_each(|(child, _)| *child = next.shifted(*child));
            nodes.extend(tree.iter().map(SceneNode::around));
            leaves
                .extend(scene_leaves(scene, &all).map(|leaf| SceneLeaf { first: leaf.first + next.triangle, ..leaf }));
            triangles.extend((0..scene.triangles.len()).map(|i| scene_triangle(scene, i)));
            next = SceneStart { node: nodes.len() as u32, leaf: leaves.len() as u32, triangle: triangles.len() as u32 };
            let bytes = [size_of_val(&nodes[..]), size_of_val(&leaves[..]), size_of_val(&triangles[..])];
            if bytes.into_iter().any(|bytes| bytes as u64 > gpu.page_bytes()) {
                return Ok(None);
            }
        }
        self.fill(gpu, BufferId::SceneNodes, &nodes)?;
        self.fill(gpu, BufferId::SceneLeaves, &leaves)?;
        self.fill(gpu, BufferId::SceneTriangles, &triangles)?;
        Ok(Some(starts))
    }

    fn upload_triangles(&mut self, gpu: &Gpu, scene: &StaticGeometry, all: Range<usize>) -> Result<()> {
        self.reserve(gpu, BufferId::SceneTriangles, (all.len() * size_of::<SceneTriangle>()) as u64)?;
        for first in all.clone().step_by(AT_ONCE) {
            let some: Vec<SceneTriangle> =
                (first..all.end.min(first + AT_ONCE)).map(|i| scene_triangle(scene, i)).collect();
            self.write(gpu, BufferId::SceneTriangles, first - all.start, &some);
            if all.len() > AT_ONCE {
                // Written data stay in memory until the next submission.
                gpu.flush()?;
            }
        }
        Ok(())
    }
}

/// The beginning of a scene among several in one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneStart {
    /// Its root.
    pub node: u32,
    /// Its first leaf.
    pub leaf: u32,
    /// Its first triangle.
    pub triangle: u32,
}

impl SceneStart {
    /// A child of a node, counted over all scenes.
    fn shifted(self, child: ChildRef) -> ChildRef {
        match child {
            ChildRef::Empty => ChildRef::Empty,
            ChildRef::Leaf(leaf) => ChildRef::Leaf(leaf + self.leaf),
            ChildRef::Node(node) => ChildRef::Node(node + self.node),
        }
    }
}

/// Some leaves of the scene's tree; triangles are counted from those of the first one.
fn scene_leaves(scene: &StaticGeometry, leaves: &Range<u32>) -> impl Iterator<Item = SceneLeaf> {
    let first = scene.tree.leaf_starts[leaves.start as usize];
    leaves.clone().map(move |i| {
        let (b, triangles) = (scene.cluster_boxes[i as usize], scene.tree.leaf(i));
        SceneLeaf {
            lo: b.lo.into(),
            first: triangles.start as u32 - first,
            hi: b.hi.into(),
            count: triangles.len() as u32,
        }
    })
}

fn scene_triangle(scene: &StaticGeometry, i: usize) -> SceneTriangle {
    let [y0, y1, y2] = scene.triangles[i].map(nearest);
    // Rounding to nearest is off by half a unit of each coordinate.
    let size = scene.triangles[i].iter().fold(0.0, |m: f64, v| m.max(v.length()));
    let error = round_up(size * (0.5 * UNIT_F32 + scene.shift_unit) * (1.0 + 1e-6));
    SceneTriangle { y0, error, y1, object: scene.object[i], y2, padding: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::Robot;
    use crate::scene::Scene;
    use crate::scene::world::CollisionWorld;
    use glam::{DMat3, DVec3};

    fn shape(n: u32) -> std::sync::Arc<StaticGeometry> {
        let corner = |i: u32, k: u32| f64::from((i * 37 + k * 11) % 101) * 0.1;
        let at = |i: u32| DVec3::new(corner(i, 1), corner(i, 5), corner(i, 7) * 0.3);
        let mut scene = Scene::new();
        scene.add_object("", (0..n).map(|i| [at(i), at(i) + DVec3::X * 0.2, at(i) + DVec3::Y * 0.1])).unwrap();
        let robot = Robot::new("", "", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        CollisionWorld::new(&robot, &scene, &[]).unwrap().scene
    }

    #[test]
    fn pages_hold_every_leaf_once_and_fit() {
        let scene = shape(3000);
        for most in [1 << 30, 60_000, 20_000, 8_000, 1] {
            let pages = cut(&scene, most);
            assert_eq!((pages[0].start, pages.last().unwrap().end), (0, scene.tree.n_leaves() as u32));
            assert!(pages.windows(2).all(|w| w[0].end == w[1].start) && pages.iter().all(|p| !p.is_empty()));
            let below = leaves_below(&scene);
            for page in &pages {
                let nodes = tree_of(&scene, &below, page);
                let triangles = scene.tree.leaf(page.end - 1).end - scene.tree.leaf(page.start).start;
                let fits = nodes.len() * size_of::<SceneNode>() <= most as usize
                    && triangles * size_of::<SceneTriangle>() <= most as usize;
                assert!(fits || page.len() == 1, "{most} bytes: {} nodes, {triangles} triangles", nodes.len());
            }
        }
        assert_eq!(cut(&scene, 1 << 30).len(), 1);
        assert!(cut(&shape(0), 1).iter().all(Range::is_empty));
    }

    #[test]
    fn a_page_is_a_tree_over_its_leaves_with_tight_boxes() {
        let scene = shape(3000);
        let below = leaves_below(&scene);
        for most in [1 << 30, 30_000, 1] {
            for page in cut(&scene, most) {
                let nodes = tree_of(&scene, &below, &page);
                let mut next = 0;
                for (i, node) in nodes.iter().enumerate() {
                    for (child, b) in node {
                        // The leaves below this child, found by descending.
                        let (mut leaves, mut open) = (Vec::new(), vec![*child]);
                        while let Some(child) = open.pop() {
                            match child {
                                ChildRef::Empty => {}
                                ChildRef::Leaf(l) => leaves.push(page.start + l),
                                ChildRef::Node(n) => {
                                    assert!(n as usize > i);
                                    open.extend(nodes[n as usize].iter().map(|(c, _)| *c));
                                }
                            }
                        }
                        let boxes = leaves.iter().map(|&l| scene.cluster_boxes[l as usize]);
                        assert_eq!(*b, boxes.reduce(SceneBox::join).unwrap_or(NOWHERE));
                        next += usize::from(i == 0) * leaves.len();
                    }
                }
                assert_eq!(next, page.len(), "the root holds all of them");
            }
        }
        let whole = tree_of(&scene, &below, &(0..scene.tree.n_leaves() as u32));
        assert!(whole.iter().zip(&scene.tree.nodes).all(|(a, b)| a.map(|(child, _)| child) == *b), "as it is");
    }
}
