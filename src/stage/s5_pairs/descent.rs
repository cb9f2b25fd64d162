//! Steps `descend_links` and `test_leaves` in a part of a piece: the link's tree is descended with the box of a
//! cluster, and each leaf is then tested with the boxes of the cluster's triangles. Clusters that the oriented box
//! around the whole link misses are left out first, eight side by side.
//!
//! The kernels descend with boxes for each sub-interval. Here the eight children of a node are processed side by side,
//! each with its oriented box over the whole part, and the box around that along the coordinate axes: parts are so
//! short that a link moves little in them, and the first tests of step `test_pairs` cost no more than finer times would
//! cost here.
//!
//! A cluster that is larger than a node is opened first: its triangles are tested against the node's box, eight side by
//! side, and only those that it may touch are passed to the nodes below. So the cost of large triangles (walls, floors)
//! depends on those near the link, not on the box around all of the cluster.

use super::moving::{MovingLink, NodeBoxes, Part};
use super::{Item, PairCounts};
use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH};
use crate::bvh::tree::ChildRef;
use crate::predicate::moving_box::MovingBox;
use crate::predicate::proximity::boxes_beyond;
use crate::scene::world::{CollisionWorld, LinkGeometry, SceneBox, StaticGeometry};
use crate::stage::Candidate;

/// Number of items that cost as much as another leaf of a link, whose triangles and ancestors' boxes are usually not in
/// a cache.
const LEAF: usize = 8;

/// Smallest number of candidates for which the oriented box around the whole link is bounded.
const FEW: usize = 4;

/// The candidates of one link in a part of a piece.
pub(super) struct Descent<'a, 'm> {
    pub world: &'a CollisionWorld,
    pub group: &'a [Candidate],
    /// The sub-intervals of the part that matter.
    pub wanted: u32,
    pub moving: &'a MovingLink<'m>,
    /// The link's pose in the part, or over a longer time.
    pub pose: &'a Part,
    pub boxes: &'a mut NodeBoxes,
    /// Index of the link among those being searched.
    pub place: u32,
    /// Pending nodes, each with those triangles of the cluster that it may touch, as a mask.
    pub open: &'a mut Vec<(u32, u32)>,
    pub items: &'a mut Vec<Item>,
    /// The remaining room for items, without which the descent ends: an item counts once, a leaf of the link [`LEAF`]
    /// times.
    pub room: &'a mut usize,
    pub counts: &'a mut PairCounts,
}

impl Vectorised for Descent<'_, '_> {
    /// False if there are more items than there is room for.
    type Output = bool;
    #[inline(always)]
    fn run<T: Vector>(mut self) -> bool {
        let is_worth_it = self.group.len() >= FEW;
        let link = if is_worth_it { Some(LinkBox::<T>::new(self.moving.shape, self.pose)) } else { None };
        for some in self.group.chunks(WIDTH) {
            let mut near = match &link {
                Some(link) => link.near(&self.world.scene, some, self.wanted, self.counts),
                None => wanted_of(some, self.wanted),
            };
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                if !self.cluster::<T>(&some[lane]) {
                    return false;
                }
            }
        }
        true
    }
}

impl Descent<'_, '_> {
    /// Descends with one cluster. Returns false if there are more items than there is room for.
    #[inline(always)]
    fn cluster<T: Vector>(&mut self, c: &Candidate) -> bool {
        let (shape, mask) = (self.moving.shape, c.mask & self.wanted);
        let of_cluster = &self.world.scene.cluster_boxes[c.cluster as usize];
        let around = [splat::<T>(of_cluster.lo), splat::<T>(of_cluster.hi)];
        let size_m = size_m(of_cluster);
        self.open.push((0, c.triangles));
        while let Some((node, triangles)) = self.open.pop() {
            let moving = (shape, self.moving.margin_m);
            let mut near = self.boxes.near_children(moving, self.pose, node, around, &mut self.counts.bound_tests);
            while near != 0 {
                let slot = near.trailing_zeros() as usize;
                near &= near - 1;
                let child = shape.tree.nodes[node as usize][slot];
                // The larger of the two is opened first: a cluster of large triangles may contain the whole link.
                let (sides, oriented) = self.boxes.known(node);
                let is_opened = matches!(child, ChildRef::Leaf(_)) || size_m > child_size_m(sides, slot);
                let triangles = match is_opened {
                    true => {
                        let (scene, margin_m) = (&*self.world.scene, self.moving.margin_m);
                        let near = Near { scene, margin_m, sides, oriented, slot };
                        let near = near.triangles::<T>(c.cluster, triangles);
                        self.counts.bound_tests += u64::from(near.tested);
                        near.left
                    }
                    false => triangles,
                };
                match child {
                    ChildRef::Node(n) if triangles != 0 => self.open.push((n, triangles)),
                    ChildRef::Leaf(leaf) => self.leaf(c.cluster, triangles, leaf, mask),
                    _ => {}
                }
            }
            if *self.room == 0 {
                self.open.clear();
                return false;
            }
        }
        true
    }

    /// Adds the items of a leaf and triangles of a cluster.
    #[inline(always)]
    fn leaf(&mut self, cluster: u32, mut triangles: u32, leaf: u32, mask: u32) {
        let of_leaf = self.moving.shape.tree.leaf(leaf).len();
        let load = if triangles == 0 { 0 } else { LEAF + triangles.count_ones() as usize };
        *self.room = self.room.saturating_sub(load);
        let lanes = ((1u32 << of_leaf) - 1) as u8;
        let begin = self.world.scene.tree.leaf(cluster).start;
        while triangles != 0 {
            let y = begin + triangles.trailing_zeros() as usize;
            triangles &= triangles - 1;
            if !self.world.is_allowed(self.moving.link, y) {
                self.counts.triangle_tests += of_leaf as u64;
                self.items.push(Item { place: self.place, leaf, y: y as u32, lanes, mask: mask as u16 });
            }
        }
    }
}

/// The oriented box around a whole link during a part of a piece, in every lane. It misses most candidates: their boxes
/// overlap only with the link's boxes along the axes.
pub(super) struct LinkBox<T>(MovingBox<T>);

impl<T: Vector> LinkBox<T> {
    #[inline(always)]
    pub fn new(shape: &LinkGeometry, (pose, h): &Part) -> Self {
        Self(MovingBox::new(&pose.broadcast(), &shape.obb.to(), T::new(*h)))
    }

    /// Returns a mask of up to eight candidates: bit `i` is set if candidate `i` is open in a sub-interval of `wanted`
    /// and the box may touch its cluster.
    #[inline(always)]
    pub fn near(&self, scene: &StaticGeometry, some: &[Candidate], wanted: u32, counts: &mut PairCounts) -> u32 {
        let near = wanted_of(some, wanted);
        if near == 0 {
            return 0;
        }
        let mut sides = [[[0.0; WIDTH]; 3]; 2];
        for (lane, c) in some.iter().enumerate() {
            let of_cluster = &scene.cluster_boxes[c.cluster as usize];
            for axis in 0..3 {
                sides[0][axis][lane] = of_cluster.lo[axis];
                sides[1][axis][lane] = of_cluster.hi[axis];
            }
        }
        counts.bound_tests += u64::from(near.count_ones());
        // Closures would not be inlined here, and vectors would be stored in memory.
        let [[a, b, c], [d, e, f]] = &sides;
        let (lo, hi) = (V3([T::widen(a), T::widen(b), T::widen(c)]), V3([T::widen(d), T::widen(e), T::widen(f)]));
        near & !self.misses(lo, hi)
    }

    /// Lanes in which the link certainly stays apart from a box along the coordinate axes between two corners.
    #[inline(always)]
    pub fn misses(&self, lo: V3<T>, hi: V3<T>) -> u32 {
        self.0.misses_box(lo, hi)
    }
}

/// Returns a mask of up to 32 candidates: bit `i` is set if candidate `i` is open in a sub-interval of `wanted`.
#[inline(always)]
fn wanted_of(some: &[Candidate], wanted: u32) -> u32 {
    let mut of = 0;
    for (lane, c) in some.iter().enumerate() {
        of |= u32::from(c.is_open() && c.mask & wanted != 0) << lane;
    }
    of
}

/// A child of a node of a link's tree near a cluster.
pub(super) struct Near<'a> {
    pub scene: &'a StaticGeometry,
    /// The margin by which the boxes are enlarged, metres.
    pub margin_m: f64,
    /// The boxes along the axes of the child and its siblings, and the oriented ones.
    pub sides: &'a [V3<Lanes<WIDTH>>; 2],
    pub oriented: &'a MovingBox<Lanes<WIDTH>>,
    pub slot: usize,
}

/// Triangles of a cluster, as a mask.
pub(super) struct NearTriangles {
    /// Triangles that the child may touch.
    pub left: u32,
    /// The number of triangles that were compared with its oriented box.
    pub tested: u32,
}

impl Near<'_> {
    /// The subset of some triangles of a cluster that the child may touch.
    #[inline(always)]
    pub fn triangles<T: Vector>(&self, cluster: u32, triangles: u32) -> NearTriangles {
        let mut left = self.near_boxes::<T>(cluster, triangles);
        let tested = left.count_ones();
        if left == 0 {
            return NearTriangles { left, tested };
        }
        let (moving, mut rest) = (self.oriented.broadcast::<T>(self.slot), left);
        while rest != 0 {
            let (mut places, mut n) = ([0; WIDTH], 0);
            while rest != 0 && n < WIDTH {
                places[n] = rest.trailing_zeros();
                rest &= rest - 1;
                n += 1;
            }
            let standing = self.scene.side_by_side::<T>(self.scene.tree.leaf(cluster).start, &places[..n]);
            let mut missed = moving.misses_triangle(&standing);
            if self.margin_m > 0.0 && missed != (1 << WIDTH) - 1 {
                missed |= moving.is_beyond(&standing);
            }
            for (lane, place) in places[..n].iter().enumerate() {
                left &= !((missed >> lane & 1) << place);
            }
        }
        NearTriangles { left, tested }
    }

    /// Triangles whose boxes may be within the margin.
    #[inline(always)]
    fn near_boxes<T: Vector>(&self, cluster: u32, triangles: u32) -> u32 {
        let Self { scene, margin_m, sides: [lo, hi], slot, .. } = *self;
        let lo: V3<T> = V3([T::new(lo.0[0].0[slot]), T::new(lo.0[1].0[slot]), T::new(lo.0[2].0[slot])]);
        let hi: V3<T> = V3([T::new(hi.0[0].0[slot]), T::new(hi.0[1].0[slot]), T::new(hi.0[2].0[slot])]);
        let first = scene.first_group[cluster as usize] as usize;
        let mut near = 0;
        for at in 0..scene.tree.leaf(cluster).len().div_ceil(WIDTH) {
            let mut of_group = triangles >> (at * WIDTH) & ((1 << WIDTH) - 1);
            if of_group == 0 {
                continue;
            }
            let [a, b, c, d, e, f] = &scene.triangle_boxes[first + at].0;
            let from: V3<T> = V3([T::widen(a), T::widen(b), T::widen(c)]);
            let to: V3<T> = V3([T::widen(d), T::widen(e), T::widen(f)]);
            for axis in 0..3 {
                of_group &= !(lo.0[axis].gt(to.0[axis]) | from.0[axis].gt(hi.0[axis]));
            }
            if of_group != 0 && margin_m > 0.0 {
                of_group &= !boxes_beyond([lo, hi], [from, to], margin_m);
            }
            near |= of_group << (at * WIDTH);
        }
        near
    }
}

/// The sum of a box's sides, metres.
pub(super) fn size_m(of: &SceneBox) -> f64 {
    (0..3).map(|axis| f64::from(of.hi[axis]) - f64::from(of.lo[axis])).sum()
}

/// The sum of the sides of the box around a child, metres.
#[inline(always)]
fn child_size_m([lo, hi]: &[V3<Lanes<WIDTH>>; 2], slot: usize) -> f64 {
    let side = |axis: usize| hi.0[axis].0[slot] - lo.0[axis].0[slot];
    side(0) + side(1) + side(2)
}

#[inline(always)]
pub(super) fn splat<T: Vector>([x, y, z]: [f32; 3]) -> V3<T> {
    V3([T::new(f64::from(x)), T::new(f64::from(y)), T::new(f64::from(z))])
}
