//! A robot and a scene prepared for queries: trees, local coordinates, pairs that are never tested.

use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::vectors::WIDTH as VECTOR;
use crate::bvh::lss::Lss;
use crate::bvh::obb;
use crate::bvh::tree::{ChildRef, WIDTH, WideTree};
use crate::error::{Error, Result, quoted};
use crate::predicate::obb_overlap::OrientedBox;
use crate::robot::{Body, Link, LinkPairs, Robot, Triangle};
pub use crate::scene::link_frames::LinkFrame;
use crate::scene::solids::LinkSolids;
use crate::scene::static_geometry::outward_box;
pub use crate::scene::static_geometry::{
    Boxes, FEW_TRIANGLES, SceneBox, SceneBuild, StaticGeometry, boxes_side_by_side,
};
use crate::scene::{Object, Scene};
use crate::verdict::{Feature, RobotFeature, SceneFeature};
use glam::{DVec3, Vec3A};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum number of triangles per leaf of the scene's tree.
pub const SCENE_LEAF: u32 = 32;
/// Maximum number of triangles per leaf of a link's tree: one workgroup lane for each.
pub const LINK_LEAF: u32 = VECTOR as u32;
/// Largest coordinate relative to the local origin, metres; the error bounds of the kernels assume it.
pub const MAX_COORDINATE_M: f64 = 1e6;
/// Distance of a robot's base from the world's origin below which world coordinates are used, metres.
const KEEP_ORIGIN_M: f64 = 16.0;

/// Robot and scene in coordinates relative to [`origin_m`](Self::origin_m), with the trees over their triangles.
#[derive(Clone, Debug)]
pub struct CollisionWorld {
    /// The local origin in world coordinates: whole metres, zero unless the robot is far from the world's origin.
    pub origin_m: DVec3,
    /// The robot, its root moved to local coordinates (exactly: the origin is a whole number of metres near the base).
    pub robot: Robot,
    /// The shape of each link of the robot that has triangles, in the order of `robot.links`; worlds share the shapes
    /// of the same links.
    pub links: Arc<[Arc<LinkGeometry>]>,
    /// The tree over the links.
    pub model: LinkTree,
    /// The scene, shared with worlds that have other options.
    pub scene: Arc<StaticGeometry>,
    /// Pairs (link, object) that are never tested.
    pub allowed: HashSet<(u32, u32)>,
    /// Pairs of links that are tested against each other, as indices in `robot.links`; empty unless the caller sets
    /// them.
    pub link_pairs: LinkPairs,
    /// The links against which other links are tested; worlds with the same pairs share them.
    pub frames: Arc<[LinkFrame]>,
    /// The links as solids, prepared when they are needed.
    pub solids: LinkSolids,
}

/// A link's triangles in tree order, and bounds on them.
#[derive(Clone, Debug)]
pub struct LinkGeometry {
    /// Index in `robot.links`.
    pub link: u32,
    /// The body that carries it.
    pub body: u32,
    /// A bound on the whole link.
    pub lss: Lss,
    /// An oriented box around the whole link.
    pub obb: OrientedBox<f64>,
    /// The boxes of the children of each node of the tree, oriented and side by side. Slots without a child hold the
    /// body's origin.
    pub boxes: Vec<OrientedBox<Lanes<WIDTH>>>,
    /// For each child of each node of the tree, the lowest number of a triangle below it in the order of the files.
    pub lowest: Vec<[u32; WIDTH]>,
    /// The vertices of each leaf's triangles, side by side; the last triangle is repeated in unused lanes.
    pub leaves: Vec<[V3<Lanes<VECTOR>>; 3]>,
    /// Upper bound on the distance of any vertex, and of any end of a bound, from the body's origin, metres.
    pub reach_m: f64,
    /// The tree over its triangles.
    pub tree: WideTree,
    /// The triangles in the order of the leaves, in the body's frame.
    pub triangles: Vec<Triangle>,
}

/// A binary tree over the links, bottom up. Node `i < n_links` is the leaf of link `i`; the last node is the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkTree {
    /// Number of leaves.
    pub n_links: u32,
    /// The two children of each inner node; the first belongs to node `n_links`.
    pub children: Vec<[u32; 2]>,
    /// Number of levels below the root.
    pub depth: usize,
}

impl LinkTree {
    /// Combines neighbours in the list of links into pairs, level by level: the links of a chain are adjacent in that
    /// list.
    pub fn new(n_links: u32) -> Self {
        let mut tree = Self { n_links, ..Self::default() };
        let mut level: Vec<u32> = (0..n_links).collect();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => {
                        tree.children.push([a, b]);
                        n_links + tree.children.len() as u32 - 1
                    }
                    _ => pair[0],
                })
                .collect();
            tree.depth += 1;
        }
        tree
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.n_links as usize + self.children.len()
    }

    /// The children of a node that is not a leaf.
    pub fn children_of(&self, node: u32) -> Option<[u32; 2]> {
        node.checked_sub(self.n_links).map(|i| self.children[i as usize])
    }
}

impl CollisionWorld {
    /// Prepares robot and scene for queries.
    ///
    /// # Errors
    /// A coordinate is farther than [`MAX_COORDINATE_M`] from the robot's base.
    pub fn new(robot: &Robot, scene: &Scene, allowed: &[(u32, u32)]) -> Result<Self> {
        Self::with(robot, &scene.objects, scene.triangles.clone(), allowed, None, SceneBuild::default())
    }

    /// Like [`CollisionWorld::new`], from a scene's objects and triangles, which the world takes over. The trees over
    /// the links are shared with `known`, if given and [of the same links](Self::has_links_of): in their bodies' frames
    /// they depend neither on the robot's base nor on the scene.
    ///
    /// # Errors
    /// As [`CollisionWorld::new`].
    pub fn with(
        robot: &Robot,
        objects: &[Object],
        triangles: Vec<Triangle>,
        allowed: &[(u32, u32)],
        known: Option<&Self>,
        build: SceneBuild,
    ) -> Result<Self> {
        let (origin_m, robot) = localised(robot)?;
        let same_shapes = |(a, b): (&Link, &Link)| a.shape_starts == b.shape_starts;
        let is_same = |known: &&Self| known.robot.links.iter().zip(robot.links.iter()).all(same_shapes);
        let known_solids = known.filter(|known| known.has_links_of(&robot)).filter(is_same);
        let solids = known_solids.map_or_else(LinkSolids::default, |known| known.solids.clone());
        let links = links_of(&robot, known)?;
        let scene = Arc::new(StaticGeometry::new(objects, triangles, origin_m, build)?);
        let model = LinkTree::new(links.len() as u32);
        let (allowed, link_pairs) = (allowed.iter().copied().collect(), LinkPairs::none());
        Ok(Self { origin_m, robot, links, model, scene, allowed, link_pairs, frames: Arc::default(), solids })
    }

    /// The same scene with another robot on the same bases, whose links include those of this world's robot at the same
    /// indices. All trees except those over further links are shared. No pairs of links are tested yet.
    ///
    /// # Errors
    /// As [`CollisionWorld::new`].
    pub(crate) fn with_robot(&self, robot: &Robot) -> Result<Self> {
        let (origin_m, robot) = localised(robot)?;
        let links = links_of(&robot, Some(self))?;
        let model = LinkTree::new(links.len() as u32);
        let (scene, allowed) = (Arc::clone(&self.scene), self.allowed.clone());
        let (link_pairs, frames) = (LinkPairs::none(), Arc::default());
        let solids = self.solids.with_further(&robot.links);
        Ok(Self { origin_m, robot, links, model, scene, allowed, link_pairs, frames, solids })
    }

    /// Returns whether a robot has the links of this world: the same triangles on the same bodies.
    pub fn has_links_of(&self, robot: &Robot) -> bool {
        let (ours, theirs) = (&self.robot.links, &robot.links);
        Arc::ptr_eq(ours, theirs)
            || (ours.len() == theirs.len() && ours.iter().zip(theirs.iter()).all(|(a, b)| are_same(a, b)))
    }

    /// The shape of a link of another robot, if this world's robot has the same link at the same index.
    pub(super) fn known_shape(&self, robot: &Robot, link: u32) -> Option<&Arc<LinkGeometry>> {
        let [ours, theirs] = [&self.robot, robot].map(|robot| robot.links.get(link as usize));
        ours.zip(theirs).filter(|(a, b)| are_same(a, b))?;
        self.links.binary_search_by_key(&link, |shape| shape.link).ok().map(|i| &self.links[i])
    }

    /// Upper bound on the distance of any vertex of a body's links from its origin, metres.
    pub fn reach_of_body(&self, body: u32) -> f64 {
        let links = self.links.iter().filter(|link| link.body == body);
        links.fold(0.0, |m: f64, link| m.max(link.reach_m))
    }

    /// A feature of a link shape (index in [`links`](Self::links)) for a triangle in the order of the files.
    pub fn link_feature(&self, shape: u32, triangle: u32, feature: Feature) -> RobotFeature {
        let link = self.links[shape as usize].link;
        RobotFeature { link, shape: self.robot.links[link as usize].shape_of(triangle), triangle, feature }
    }

    /// A feature of the scene for a triangle in tree order.
    pub fn scene_feature(&self, at: u32, feature: Feature) -> SceneFeature {
        let object = self.scene.object[at as usize];
        let triangle = self.scene.tree.order[at as usize] - self.scene.objects[object as usize].first_triangle;
        SceneFeature { object, triangle, feature }
    }

    /// Returns whether a link shape (index in [`links`](Self::links)) is never tested against the object of a scene
    /// triangle.
    pub fn is_allowed(&self, shape: u32, triangle: usize) -> bool {
        !self.allowed.is_empty()
            && self.allowed.contains(&(self.links[shape as usize].link, self.scene.object[triangle]))
    }
}

/// The local origin, and the robot with its root, or the roots of several robots, in local coordinates.
fn localised(robot: &Robot) -> Result<(DVec3, Robot)> {
    let origin_m = robot.local_origin(KEEP_ORIGIN_M);
    let mut robot = robot.clone();
    for root in robot.roots() {
        robot.bodies[root as usize].joint.origin_m -= origin_m;
    }
    let is_near = |b: &&Body| b.joint.origin_m.abs().max_element() <= MAX_COORDINATE_M;
    match robot.bodies.iter().find(|body| !is_near(body)) {
        Some(body) => Err(too_far(format!("joint {}", quoted(&body.joint.name)))),
        None => Ok((origin_m, robot)),
    }
}

/// The shapes of a robot's links that have triangles; those of the same links are taken from `known`.
fn links_of(robot: &Robot, known: Option<&CollisionWorld>) -> Result<Arc<[Arc<LinkGeometry>]>> {
    if let Some(known) = known.filter(|known| known.has_links_of(robot)) {
        return Ok(Arc::clone(&known.links));
    }
    let links = (0..robot.links.len() as u32)
        .into_par_iter()
        .filter(|&link| !robot.links[link as usize].triangles.is_empty())
        .map(|link| match known.and_then(|known| known.known_shape(robot, link)) {
            Some(shape) => Ok(Arc::clone(shape)),
            None => LinkGeometry::new(robot, link).map(Arc::new),
        })
        .collect::<Vec<_>>();
    // The results are in order, so that the first error is always the same.
    Ok(links.into_iter().collect::<Result<Vec<_>>>()?.into())
}

/// Returns whether two links have the same triangles on the same body.
fn are_same(a: &Link, b: &Link) -> bool {
    a.body == b.body && (Arc::ptr_eq(&a.triangles, &b.triangles) || a.triangles == b.triangles)
}

pub(super) fn too_far(what: String) -> Error {
    Error::input(format!("a coordinate is farther than {MAX_COORDINATE_M} m from the robot's base"))
        .at(what)
        .remedy("check the units, or move robot and scene nearer to each other")
}

impl LinkGeometry {
    pub(crate) fn new(robot: &Robot, link: u32) -> Result<Self> {
        let source = &robot.links[link as usize];
        let vertices = || source.triangles.iter().flatten();
        if vertices().any(|v| v.abs().max_element() > MAX_COORDINATE_M) {
            return Err(too_far(format!("link {}", quoted(&source.name))));
        }
        let boxes: Vec<_> = source.triangles.iter().map(|t| outward_box(t).map(Vec3A::from_array)).collect();
        let tree = WideTree::build(&boxes, LINK_LEAF);
        let triangles: Vec<Triangle> = tree.order.iter().map(|&i| source.triangles[i as usize]).collect();
        // Every node is fitted to its own triangles, which is tighter than joining its children's boxes.
        let below = LeavesBelow::new(&tree);
        let fit_box = |child| {
            let leaves = below.of(child);
            obb::around(&leaves.iter().flat_map(|&l| &triangles[tree.leaf(l)]).copied().collect::<Vec<_>>(), 0.0)
        };
        let boxes = tree.nodes.iter().map(|children| OrientedBox::side_by_side(children.map(fit_box))).collect();
        let lowest = tree.lowest();
        let lss = Lss::around(triangles.iter());
        let reach = vertices().map(|v| v.length()).fold(lss.reach(), f64::max);
        let leaves = (0..tree.n_leaves() as u32).map(|leaf| side_by_side(&triangles[tree.leaf(leaf)])).collect();
        Ok(Self {
            link,
            body: source.body,
            lss,
            obb: obb::around(&triangles, 0.0),
            boxes,
            lowest,
            leaves,
            reach_m: reach * (1.0 + 1e-12),
            tree,
            triangles,
        })
    }
}

/// The vertices of up to eight triangles.
fn side_by_side(triangles: &[Triangle]) -> [V3<Lanes<VECTOR>>; 3] {
    let vertex = |lane: usize, v: usize| triangles[lane.min(triangles.len() - 1)][v];
    std::array::from_fn(|v| V3::from_fn(|i| Lanes::from_fn(|lane| vertex(lane, v)[i])))
}

/// The leaves under each node of a tree, in order.
struct LeavesBelow(Vec<Vec<u32>>);

impl LeavesBelow {
    fn new(tree: &WideTree) -> Self {
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); tree.nodes.len()];
        for i in (0..tree.nodes.len()).rev() {
            let mut leaves = Vec::new();
            for child in tree.nodes[i] {
                match child {
                    ChildRef::Empty => {}
                    ChildRef::Leaf(l) => leaves.push(l),
                    ChildRef::Node(n) => leaves.extend_from_slice(&below[n as usize]),
                }
            }
            below[i] = leaves;
        }
        Self(below)
    }

    fn of(&self, child: ChildRef) -> Vec<u32> {
        match child {
            ChildRef::Empty => Vec::new(),
            ChildRef::Leaf(l) => vec![l],
            ChildRef::Node(n) => self.0[n as usize].clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_tree_pairs_neighbours() {
        let tree = LinkTree::new(5);
        assert_eq!(tree.children, [[0, 1], [2, 3], [5, 6], [7, 4]]);
        assert_eq!((tree.n_nodes(), tree.depth), (9, 3));
        assert_eq!(tree.children_of(8), Some([7, 4]));
        assert_eq!(tree.children_of(4), None);
        assert_eq!(LinkTree::new(1).n_nodes(), 1);
        assert_eq!(LinkTree::new(0).n_nodes(), 0);
    }
}
