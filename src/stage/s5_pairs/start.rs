//! The pair of triangles to report for a motion that starts within the margin, found without collecting all such pairs.
//!
//! Of all pairs within the margin at the start, the first one in the order of the files is reported. For a link, the
//! scene's tree is traversed, and the link's tree at every cluster that is reached; the lowest pair found so far
//! excludes all subtrees that do not contain a lower one. Soon these are most subtrees, even if everything is within
//! the margin.
//!
//! Nodes and clusters of the scene are first compared with two boxes around the whole link: one along the axes and an
//! oriented one. Of the subtrees of the link near a cluster, the lowest one is compared with triangles first; others
//! follow only if they still contain a lower pair.

use super::Workspace;
use super::descent::{LinkBox, Near, splat};
use super::moving::{NodeBoxes, leaf_points};
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, widest};
use crate::bvh::tree::ChildRef;
use crate::enclosure::point_bound::PointBound;
use crate::enclosure::pose_bound::{PoseBound, TaylorModel};
use crate::predicate::proximity::{are_beyond, are_within_or_meet, boxes_beyond, proximity};
use crate::scene::world::{CollisionWorld, LinkGeometry, SceneBox};
use crate::stage::TrianglePair;

/// The order of the pairs of triangles of a link and an obstacle: by the triangles of one, then by those of the other,
/// both in the order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By the object, the triangle of the link, and that of the scene.
    LinkFirst,
    /// By the triangle of the scene, which is a single object, and that of the link.
    SceneFirst,
}

/// Finds the lowest pair of triangles of a link and the scene that are certainly within the margin at a pose.
pub fn first_of_link(
    space: &mut Workspace,
    world: &CollisionWorld,
    (link, pose): (u32, TaylorModel<f64>),
    margin_m: f64,
    order: Order,
) -> Option<TrianglePair> {
    if world.scene.tree.nodes.is_empty() {
        return None;
    }
    let shape = &world.links[link as usize];
    let Workspace { boxes, start: open, .. } = space;
    boxes.clear(shape.tree.nodes.len());
    // The ball contains the margin, as in the culling stages.
    let ball = [(pose.ball[0] + margin_m) * (1.0 + 4.0 * f64::UNIT), pose.ball[1]];
    let pose = PoseBound::Taylor(pose).with_ball(ball);
    let search = Search { world, link, shape, pose, margin_m, order, boxes, open, lowest: None, end: u32::MAX };
    let Lowest { x, y, .. } = widest(search)?;
    Some(TrianglePair { piece_link: link, link_triangle: x, scene_triangle: y, mask_slice: 1 })
}

/// Pending subtrees, the lowest last, each with its lowest triangle in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Open {
    scene: Vec<(ChildRef, u32)>,
    link: Vec<Subtree>,
}

/// A subtree of the link whose box may be within the margin of a cluster's box.
#[derive(Clone, Copy, Debug)]
struct Subtree {
    parent: u32,
    slot: usize,
    /// The lowest triangle in the order of the files.
    lowest: u32,
    /// Triangles of the cluster that the parent may touch, as a mask.
    triangles: u32,
}

/// Removes the slot with the highest number from a mask; returns it and the number.
#[inline(always)]
fn take_highest(slots: &mut u32, numbers: &[u32; WIDTH]) -> (usize, u32) {
    let (mut highest, mut rest) = (slots.trailing_zeros() as usize, *slots & (*slots - 1));
    while rest != 0 {
        let slot = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        highest = if numbers[slot] > numbers[highest] { slot } else { highest };
    }
    *slots &= !(1 << highest);
    (highest, numbers[highest])
}

/// A pair of a link: triangles in tree order, and the key that decides between equal contacts.
#[derive(Clone, Copy)]
struct Lowest {
    x: u32,
    y: u32,
    /// Numbers in the order of the files: object, link's triangle and scene's triangle, or as [`Order`] demands.
    key: [u32; 3],
}

/// The triangles of a cluster that may belong to a lower pair than the lowest one so far.
struct LowerTriangles {
    /// Triangles that form a lower pair with every triangle of the link, as a mask.
    with_any: u32,
    /// Triangles that may form a lower pair only with triangles of the link up to number `lowest_x`.
    with_lower: u32,
    /// Number, in the order of the files, of the link's triangle in the lowest pair so far.
    lowest_x: u32,
}

impl LowerTriangles {
    /// The triangles that may form a lower pair with triangles of the link from number `x` on.
    #[inline(always)]
    fn with_triangles_from(&self, x: u32) -> u32 {
        self.with_any | if x <= self.lowest_x { self.with_lower } else { 0 }
    }
}

struct Search<'a> {
    world: &'a CollisionWorld,
    /// Index of the link in the world.
    link: u32,
    shape: &'a LinkGeometry,
    /// The pose at the start.
    pose: PoseBound<f64>,
    margin_m: f64,
    order: Order,
    boxes: &'a mut NodeBoxes,
    open: &'a mut Open,
    lowest: Option<Lowest>,
    /// Number of the first scene triangle, in the order of the files, from which on no triangle belongs to a lower
    /// pair.
    end: u32,
}

impl Vectorised for Search<'_> {
    type Output = Option<Lowest>;
    #[inline(always)]
    fn run<T: Vector>(mut self) -> Option<Lowest> {
        let scene = &self.world.scene;
        let around = self.around_link::<T>();
        let oriented = LinkBox::<T>::new(self.shape, &(self.pose, 0.0));
        self.open.scene.push((ChildRef::Node(0), 0));
        while let Some((child, lowest)) = self.open.scene.pop() {
            match child {
                _ if lowest >= self.end => {}
                ChildRef::Empty => {}
                ChildRef::Leaf(cluster) => self.cluster::<T>(cluster),
                ChildRef::Node(node) => {
                    let [a, b, c, d, e, f] = &scene.boxes[node as usize].0;
                    let from: V3<T> = V3([T::widen(a), T::widen(b), T::widen(c)]);
                    let to: V3<T> = V3([T::widen(d), T::widen(e), T::widen(f)]);
                    let mut near = scene.there(node) & !boxes_beyond(around, [from, to], self.margin_m);
                    if near != 0 {
                        near &= !oriented.misses(from, to);
                    }
                    while near != 0 {
                        let (slot, lowest) = take_highest(&mut near, &scene.lowest[node as usize]);
                        self.open.scene.push((scene.tree.nodes[node as usize][slot], lowest));
                    }
                }
            }
        }
        self.lowest
    }
}

impl Search<'_> {
    /// The lowest and highest coordinates of the link.
    #[inline(always)]
    fn around_link<T: Vector>(&mut self) -> [V3<T>; 2] {
        let [lo, hi] = self.boxes.of(self.shape, &(self.pose, 0.0), 0).around();
        [V3([T::new(lo[0]), T::new(lo[1]), T::new(lo[2])]), V3([T::new(hi[0]), T::new(hi[1]), T::new(hi[2])])]
    }

    /// The link's tree against a cluster.
    #[inline(always)]
    fn cluster<T: Vector>(&mut self, cluster: u32) {
        let scene = &self.world.scene;
        let mut lower = self.lower_triangles(cluster);
        let SceneBox { lo, hi } = scene.cluster_boxes[cluster as usize];
        let of_cluster = [splat::<T>(lo), splat(hi)];
        self.open_node(0, u32::MAX, of_cluster);
        while let Some(Subtree { parent, slot, lowest, triangles }) = self.open.link.pop() {
            let triangles = triangles & lower.with_triangles_from(lowest);
            if triangles == 0 {
                continue;
            }
            let (sides, oriented) = self.boxes.known(parent);
            let near = Near { scene, margin_m: self.margin_m, sides, oriented, slot };
            let triangles = near.triangles::<T>(cluster, triangles).left;
            match self.shape.tree.nodes[parent as usize][slot] {
                _ if triangles == 0 => {}
                ChildRef::Empty => {}
                ChildRef::Node(node) => self.open_node(node, triangles, of_cluster),
                ChildRef::Leaf(leaf) => {
                    if self.leaf::<T>((cluster, triangles), &lower, leaf) {
                        lower = self.lower_triangles(cluster);
                    }
                }
            }
        }
    }

    /// Adds the children of a node of the link that may be within the margin of a cluster's box.
    #[inline(always)]
    fn open_node<T: Vector>(&mut self, parent: u32, triangles: u32, of_cluster: [V3<T>; 2]) {
        let (shape, at_start) = (self.shape, (self.pose, 0.0));
        let mut near = self.boxes.near_children((shape, self.margin_m), &at_start, parent, of_cluster, &mut 0);
        while near != 0 {
            let (slot, lowest) = take_highest(&mut near, &shape.lowest[parent as usize]);
            self.open.link.push(Subtree { parent, slot, lowest, triangles });
        }
    }

    /// The triangles of a cluster that may belong to a lower pair than the lowest one so far.
    #[inline(always)]
    fn lower_triangles(&self, cluster: u32) -> LowerTriangles {
        let scene = &self.world.scene;
        let mut lower = LowerTriangles { with_any: 0, with_lower: 0, lowest_x: u32::MAX };
        if let Some(Lowest { x, .. }) = self.lowest {
            lower.lowest_x = self.shape.tree.order[x as usize];
        }
        for (i, y) in scene.tree.leaf(cluster).enumerate() {
            if scene.tree.order[y] >= self.end || self.world.is_allowed(self.link, y) {
                continue;
            }
            // The most significant number of a pair that depends only on the scene's triangle.
            let (number, lowest) = match (self.lowest, self.order) {
                (None, _) => (0, u32::MAX),
                (Some(Lowest { key, .. }), Order::LinkFirst) => (scene.object[y], key[0]),
                (Some(Lowest { key, .. }), Order::SceneFirst) => (scene.tree.order[y], key[1]),
            };
            lower.with_any |= u32::from(number < lowest) << i;
            lower.with_lower |= u32::from(number == lowest) << i;
        }
        lower
    }

    /// The triangles of a leaf against those of a cluster. Returns whether a lower pair was found.
    #[inline(always)]
    fn leaf<T: Vector>(&mut self, (cluster, mut triangles): (u32, u32), lower: &LowerTriangles, leaf: u32) -> bool {
        let (scene, shape) = (&self.world.scene, self.shape);
        let numbers = &scene.tree.order[scene.tree.leaf(cluster)];
        let [first_x, first_y] = [shape.tree.leaf(leaf).start as u32, scene.tree.leaf(cluster).start as u32];
        let lanes = (1u32 << shape.tree.leaf(leaf).len()) - 1;
        let points = leaf_points::<T>(shape, &self.pose, leaf);
        let mut is_found = false;
        while triangles != 0 {
            let mut next = triangles.trailing_zeros();
            for i in next + 1..u32::BITS - triangles.leading_zeros() {
                if triangles >> i & 1 == 1 && numbers[i as usize] < numbers[next as usize] {
                    next = i;
                }
            }
            triangles &= !(1 << next);
            let y = first_y + next;
            let mut left = lanes;
            if is_found || lower.with_any >> next & 1 == 0 {
                for lane in 0..WIDTH as u32 {
                    let is_higher = left >> lane & 1 == 1 && !self.is_lower(self.key(first_x + lane, y));
                    left &= !(u32::from(is_higher) << lane);
                }
            }
            if left == 0 {
                continue;
            }
            let standing = scene.standing(y as usize).broadcast::<T>();
            left &= !are_beyond(&points, &standing, T::new(0.0));
            if left != 0 {
                left &= !proximity(&points, &standing, T::new(0.0), self.margin_m).beyond;
            }
            is_found |= self.take_lowest(left, first_x, y);
        }
        is_found
    }

    /// Records the lowest of the pairs of a scene's triangle and those of a leaf, given as a mask, that are certainly
    /// within the margin, if there are any.
    #[inline(always)]
    fn take_lowest(&mut self, mut left: u32, first_x: u32, y: u32) -> bool {
        while left != 0 {
            let (mut lane, mut rest) = (left.trailing_zeros(), left & (left - 1));
            while rest != 0 {
                let other = rest.trailing_zeros();
                rest &= rest - 1;
                if self.key(first_x + other, y) < self.key(first_x + lane, y) {
                    lane = other;
                }
            }
            // The other pairs are higher and need no proof.
            if self.take(first_x + lane, y) {
                return true;
            }
            left &= !(1 << lane);
        }
        false
    }

    /// The key of a pair.
    #[inline(always)]
    fn key(&self, x: u32, y: u32) -> [u32; 3] {
        let scene = &self.world.scene;
        let [object, x, y] =
            [scene.object[y as usize], self.shape.tree.order[x as usize], scene.tree.order[y as usize]];
        match self.order {
            Order::LinkFirst => [object, x, y],
            Order::SceneFirst => [object, y, x],
        }
    }

    #[inline(always)]
    fn is_lower(&self, key: [u32; 3]) -> bool {
        self.lowest.is_none_or(|lowest| key < lowest.key)
    }

    /// Records a pair as the lowest one if it is certainly within the margin.
    fn take(&mut self, x: u32, y: u32) -> bool {
        let triangle = self.shape.triangles[x as usize];
        let points: [PointBound<f64>; 3] = triangle.map(|e| self.pose.point(V3::new(e), self.shape.reach_m));
        let standing = self.world.scene.standing(y as usize);
        if !are_within_or_meet(&points, &standing, self.margin_m) {
            return false;
        }
        let key = self.key(x, y);
        let object = &self.world.scene.objects[key[0] as usize];
        // No triangle of the link is lower, so only lower triangles of the object count.
        let is_first = self.shape.lowest[0].iter().all(|&lowest| lowest >= key[1]);
        self.end = match self.order {
            Order::SceneFirst => key[1] + 1,
            Order::LinkFirst if is_first => key[2],
            Order::LinkFirst => object.first_triangle + object.n_triangles,
        };
        self.lowest = Some(Lowest { x, y, key });
        true
    }
}
