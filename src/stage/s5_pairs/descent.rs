//! Steps `links` and `leaves` in a part of a piece: down the link's tree with the box of a cluster, then at each leaf
//! with those of its triangles.
//!
//! The kernels descend with boxes for each sub-interval. Here the eight children of a node are processed side by side,
//! each with the box around its oriented box over the whole part: parts are so short that a link moves little in them,
//! and the first tests of step `pairs` cost no more than finer times here.

use super::moving::{MovingLink, NodeBoxes, Part};
use super::{Item, PairCounts};
use crate::arith::vectors::{Vector, Vectorised, WIDTH, part};
use crate::bvh::tree::ChildRef;
use crate::scene::world::CollisionWorld;
use crate::stage::Candidate;

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
    pub open: &'a mut Vec<u32>,
    pub items: &'a mut Vec<Item>,
    pub counts: &'a mut PairCounts,
}

impl Vectorised for Descent<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(mut self) {
        let (group, shape) = (self.group, self.moving.shape);
        for c in group.iter().filter(|c| c.is_open()) {
            let mask = c.mask & self.wanted;
            if mask == 0 {
                continue;
            }
            let of_cluster = &self.world.scene.cluster_boxes[c.cluster as usize];
            let sides = [splat::<T>(of_cluster.lo), splat::<T>(of_cluster.hi)];
            self.open.push(0);
            while let Some(node) = self.open.pop() {
                let children = self.boxes.of::<T>(shape, self.pose, node);
                self.counts.bound_tests += u64::from(children.there.count_ones());
                let [lo, hi] = &children.sides;
                let mut near = children.there;
                for axis in 0..3 {
                    let (lo, hi): (T, T) = (part(&lo.0[axis], 0), part(&hi.0[axis], 0));
                    near &= !(lo.gt(sides[1][axis]) | sides[0][axis].gt(hi));
                }
                while near != 0 {
                    let slot = near.trailing_zeros() as usize;
                    near &= near - 1;
                    match shape.tree.nodes[node as usize][slot] {
                        ChildRef::Empty => {}
                        ChildRef::Node(n) => self.open.push(n),
                        ChildRef::Leaf(leaf) => self.leaf::<T>(c, (node, slot, leaf), mask),
                    }
                }
            }
        }
    }
}

impl Descent<'_, '_> {
    /// A leaf of the link's tree against the triangles of a candidate.
    #[inline(always)]
    fn leaf<T: Vector>(&mut self, c: &Candidate, (node, slot, leaf): (u32, usize, u32), mask: u32) {
        let Self { world, moving, place, items, counts, .. } = self;
        let [lo, hi] = &self.boxes.of::<T>(moving.shape, self.pose, node).sides;
        let lo = [T::new(lo.0[0].0[slot]), T::new(lo.0[1].0[slot]), T::new(lo.0[2].0[slot])];
        let hi = [T::new(hi.0[0].0[slot]), T::new(hi.0[1].0[slot]), T::new(hi.0[2].0[slot])];
        let of_leaf = moving.shape.tree.leaf(leaf).len();
        let lanes = ((1u32 << of_leaf) - 1) as u8;
        let scene = &world.scene;
        let triangles = scene.tree.leaf(c.cluster);
        let first = scene.first_group[c.cluster as usize] as usize;
        for at in 0..triangles.len().div_ceil(WIDTH) {
            let boxes = &scene.triangle_boxes[first + at];
            let begin = triangles.start + at * WIDTH;
            let mut near = c.triangles >> (at * WIDTH) & ((1 << WIDTH) - 1);
            for axis in 0..3 {
                near &= !(lo[axis].gt(T::widen(&boxes[3 + axis])) | T::widen(&boxes[axis]).gt(hi[axis]));
            }
            counts.bound_tests += u64::from(near.count_ones());
            while near != 0 {
                let y = begin + near.trailing_zeros() as usize;
                near &= near - 1;
                if !world.is_allowed(moving.link, y) {
                    counts.triangle_tests += of_leaf as u64;
                    items.push(Item { place: *place, leaf, y: y as u32, lanes, mask: mask as u16 });
                }
            }
        }
    }
}

#[inline(always)]
fn splat<T: Vector>([x, y, z]: [f32; 3]) -> [T; 3] {
    [T::new(f64::from(x)), T::new(f64::from(y)), T::new(f64::from(z))]
}
