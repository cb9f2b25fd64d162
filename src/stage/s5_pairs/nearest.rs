//! The nearest triangles of links and their obstacles at a single time.
//!
//! The trees of all links and obstacles are descended together, the nearest boxes first, so that no pair of triangles
//! is compared whose boxes are farther apart than the nearest triangles. This search proves nothing: it only chooses a
//! pair. The distance between link and obstacle is at most that between any two points of these triangles.

use super::Workspace;
use super::moving::{ChildBoxes, NodeBoxes, Part, leaf_points};
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, part3, widest};
use crate::bvh::tree::ChildRef;
use crate::enclosure::pose_bound::{PoseBound, TaylorModel};
use crate::predicate::nearest::{from_triangle, nearest};
use crate::scene::world::{CollisionWorld, SceneBox};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A link at a pose, and a scene.
#[derive(Clone, Copy, Debug)]
pub struct PlacedLink<'a> {
    /// The links and the scene.
    pub world: &'a CollisionWorld,
    /// Index of the link in [`CollisionWorld::links`].
    pub link: u32,
    /// Its pose relative to the scene.
    pub pose: TaylorModel<f64>,
}

/// Two triangles near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPair {
    /// Index of the placed link.
    pub of: u32,
    /// The link's triangle, in tree order.
    pub link_triangle: u32,
    /// The scene's triangle, in tree order.
    pub scene_triangle: u32,
    /// Their distance to within rounding, metres; an unspecified smaller number if they pierce each other.
    pub distance_m: f64,
}

/// The triangles among which the nearest ones are sought.
#[derive(Clone, Copy, Debug)]
pub enum Among {
    /// All triangles.
    All,
    /// The triangles of each link, and those of the cluster of its scene that contains this triangle, in tree order.
    Cluster(u32),
}

/// The query of a search for the nearest triangles.
#[derive(Clone, Copy, Debug)]
pub struct Sought {
    /// The triangles to search.
    pub among: Among,
    /// Triangles at this distance, metres, or farther apart do not count.
    pub limit_m: f64,
    /// Fraction, at most 1, of the distance found (or of the limit) that all other triangles are at least apart.
    pub accuracy: f64,
}

/// Finds the nearest triangles of links and their scenes, if any are near enough. Pairs of a link and an object (by the
/// index of the placed link, and that of the object) for which `is_ignored` holds do not count.
pub fn nearest_in(
    space: &mut Workspace,
    links: &[PlacedLink],
    sought: Sought,
    is_ignored: &dyn Fn(u32, u32) -> bool,
) -> Option<NearestPair> {
    let Space { heap, boxes } = &mut space.nearest;
    heap.clear();
    if boxes.len() < links.len() {
        boxes.resize_with(links.len(), NodeBoxes::default);
    }
    let parts = links.iter().map(|link| (PoseBound::Taylor(link.pose), 0.0)).collect::<Vec<Part>>();
    for (of, PlacedLink { world, link, .. }) in links.iter().enumerate() {
        boxes[of].clear(world.links[*link as usize].tree.nodes.len());
        if !world.scene.tree.nodes.is_empty() {
            let child = match sought.among {
                Among::All => ChildRef::Node(0),
                Among::Cluster(triangle) => ChildRef::Leaf(world.scene.tree.leaf_of(triangle as usize)),
            };
            heap.push(Open { gap2: 0.0, of: of as u32, at: At::Scene(child) });
        }
    }
    let [limit2, accuracy2] = [sought.limit_m, sought.accuracy].map(|x| x * x);
    widest(Search { links, parts: &parts, heap, boxes, is_ignored, limit2, accuracy2, found: None })
}

/// The memory of a search.
#[derive(Debug, Default)]
pub(super) struct Space {
    heap: BinaryHeap<Open>,
    /// The boxes of each link.
    boxes: Vec<NodeBoxes>,
}

/// Two subtrees, and the square of the distance of their boxes.
#[derive(Clone, Copy, Debug)]
struct Open {
    gap2: f64,
    /// Index of the placed link.
    of: u32,
    at: At,
}

#[derive(Clone, Copy, Debug)]
enum At {
    /// All of the link, and a subtree of the scene.
    Scene(ChildRef),
    /// A subtree of the link, which is in a slot of a node, and a cluster.
    Link { child: ChildRef, node: u32, slot: u8, cluster: u32 },
    /// A leaf of the link, and a triangle.
    Leaf { leaf: u32, triangle: u32 },
}

impl Ord for Open {
    /// The nearest pair is the greatest, so that a heap returns it first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.gap2.total_cmp(&self.gap2)
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

struct Search<'a, 'w> {
    links: &'a [PlacedLink<'w>],
    /// Their poses.
    parts: &'a [Part],
    heap: &'a mut BinaryHeap<Open>,
    boxes: &'a mut [NodeBoxes],
    is_ignored: &'a dyn Fn(u32, u32) -> bool,
    /// Square of the distance of the nearest triangles so far, or of the limit.
    limit2: f64,
    /// Square of the accuracy.
    accuracy2: f64,
    found: Option<NearestPair>,
}

impl Vectorised for Search<'_, '_> {
    type Output = Option<NearestPair>;
    #[inline(always)]
    fn run<T: Vector>(mut self) -> Option<NearestPair> {
        while let Some(Open { gap2, of, at }) = self.heap.pop() {
            if gap2 >= self.limit2 * self.accuracy2 {
                break;
            }
            match at {
                At::Scene(ChildRef::Node(node)) => self.scene_node::<T>(of, node),
                At::Scene(ChildRef::Leaf(cluster)) => self.link_node::<T>(of, 0, cluster),
                At::Link { child: ChildRef::Node(node), cluster, .. } => self.link_node::<T>(of, node, cluster),
                At::Link { child: ChildRef::Leaf(leaf), node, slot, cluster } => {
                    self.leaf::<T>(of, (leaf, node, usize::from(slot)), cluster);
                }
                At::Leaf { leaf, triangle } => self.triangle::<T>(of, leaf, triangle),
                At::Scene(ChildRef::Empty) | At::Link { child: ChildRef::Empty, .. } => {}
            }
        }
        self.found
    }
}

impl<'w> Search<'_, 'w> {
    /// The world of a link, and the link's shape there.
    #[inline(always)]
    fn of(&self, of: u32) -> (&'w CollisionWorld, usize) {
        let PlacedLink { world, link, .. } = self.links[of as usize];
        (world, link as usize)
    }

    /// All of the link against the children of a node of the scene.
    #[inline(always)]
    fn scene_node<T: Vector>(&mut self, of: u32, node: u32) {
        let (world, link) = self.of(of);
        let around = self.boxes[of as usize].of(&world.links[link], &self.parts[of as usize], 0).around();
        let [a, b, c, d, e, f] = &world.scene.boxes[node as usize].0;
        let children = [V3([T::widen(a), T::widen(b), T::widen(c)]), V3([T::widen(d), T::widen(e), T::widen(f)])];
        let gaps2 = gaps2(around.map(splat::<T>), children);
        for (slot, gap2) in self.near(gaps2, world.scene.there(node)) {
            let at = At::Scene(world.scene.tree.nodes[node as usize][slot]);
            self.heap.push(Open { gap2, of, at });
        }
    }

    /// The children of a node of the link against a cluster.
    #[inline(always)]
    fn link_node<T: Vector>(&mut self, of: u32, node: u32, cluster: u32) {
        let (world, link) = self.of(of);
        let shape = &world.links[link];
        let SceneBox { lo, hi } = &world.scene.cluster_boxes[cluster as usize];
        let of_cluster: [V3<T>; 2] = [lo, hi].map(|corner| splat(corner.map(f64::from)));
        let ChildBoxes { sides: [lo, hi], there, .. } =
            self.boxes[of as usize].of(shape, &self.parts[of as usize], node);
        let (gaps2, there) = (gaps2([part3(lo, 0), part3(hi, 0)], of_cluster), *there);
        for (slot, gap2) in self.near(gaps2, there) {
            let child = shape.tree.nodes[node as usize][slot];
            self.heap.push(Open { gap2, of, at: At::Link { child, node, slot: slot as u8, cluster } });
        }
    }

    /// A leaf of the link, in a slot of a node, against the triangles of a cluster: their boxes, then their distances
    /// from the ball around the leaf.
    #[inline(always)]
    fn leaf<T: Vector>(&mut self, of: u32, (leaf, node, slot): (u32, u32, usize), cluster: u32) {
        let (world, link) = self.of(of);
        let (scene, shape) = (&world.scene, &world.links[link]);
        let (boxes, part) = (&mut self.boxes[of as usize], &self.parts[of as usize]);
        let of_leaf = boxes.of(shape, part, node).child(slot).map(splat::<T>);
        let around = shape.boxes[node as usize].lane(slot);
        let center = part.0.point(around.center, shape.reach_m).c[0];
        let radius = around.half.iter().map(|half| half * half).sum::<f64>().sqrt();
        let range = scene.tree.leaf(cluster);
        let groups = scene.first_group[cluster as usize] as usize..;
        for (group, first) in groups.zip(range.clone().step_by(WIDTH)) {
            let [a, b, c, d, e, f] = &scene.triangle_boxes[group].0;
            let of_group = [V3([T::widen(a), T::widen(b), T::widen(c)]), V3([T::widen(d), T::widen(e), T::widen(f)])];
            let n = (range.end - first).min(WIDTH);
            let gaps2 = gaps2(of_leaf, of_group);
            let mut near = 0;
            for (lane, _) in self.near(gaps2, (1 << n) - 1) {
                let y = first + lane;
                let is_left_out = world.is_allowed(link as u32, y) || (self.is_ignored)(of, scene.object[y]);
                near |= u32::from(!is_left_out) << lane;
            }
            if near == 0 {
                continue;
            }
            let standing = scene.side_by_side::<T>(first, &[0, 1, 2, 3, 4, 5, 6, 7][..n]);
            let apart = from_triangle(splat::<T>(center.0), &standing.y);
            let beyond = (apart.dot(apart).sqrt() - T::new(radius)).max(T::new(0.0));
            for (lane, beyond2) in self.near((beyond * beyond).store().0, near) {
                let (gap2, triangle) = (beyond2.max(gaps2[lane]), (first + lane) as u32);
                self.heap.push(Open { gap2, of, at: At::Leaf { leaf, triangle } });
            }
        }
    }

    /// The triangles of a leaf of the link against one of the scene.
    #[inline(always)]
    fn triangle<T: Vector>(&mut self, of: u32, leaf: u32, triangle: u32) {
        let (world, link) = self.of(of);
        let shape = &world.links[link];
        let [a, b, c] = leaf_points::<T>(shape, &self.parts[of as usize].0, leaf);
        let y = world.scene.standing(triangle as usize).broadcast::<T>().y;
        let apart = nearest(&[a.c[0], b.c[0], c.c[0]], &y).apart;
        for (x, distance2) in shape.tree.leaf(leaf).zip(apart.dot(apart).store().0) {
            if distance2 < self.limit2 {
                self.limit2 = distance2;
                let (link_triangle, scene_triangle) = (x as u32, triangle);
                self.found = Some(NearestPair { of, link_triangle, scene_triangle, distance_m: distance2.sqrt() });
            }
        }
    }

    /// The slots of a mask that are near enough, and the squares of their distances.
    #[inline(always)]
    fn near(&self, gaps2: [f64; WIDTH], there: u32) -> impl Iterator<Item = (usize, f64)> + use<> {
        let limit2 = self.limit2 * self.accuracy2;
        let all = gaps2.into_iter().enumerate();
        all.filter(move |(slot, gap2)| there >> slot & 1 == 1 && *gap2 < limit2)
    }
}

/// The squares of the distances of boxes, given by their lowest and highest coordinates.
#[inline(always)]
fn gaps2<T: Vector>(a: [V3<T>; 2], b: [V3<T>; 2]) -> [f64; WIDTH] {
    let (zero, mut gap2) = (T::new(0.0), T::new(0.0));
    for k in 0..3 {
        let gap = (a[0].0[k] - b[1].0[k]).max(b[0].0[k] - a[1].0[k]).max(zero);
        gap2 = gap2 + gap * gap;
    }
    gap2.store().0
}

#[inline(always)]
fn splat<T: Vector>([x, y, z]: [f64; 3]) -> V3<T> {
    V3([T::new(x), T::new(y), T::new(z)])
}
