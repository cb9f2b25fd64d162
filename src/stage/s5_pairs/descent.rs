//! Steps `triangles` and `links`, all sub-intervals side by side: down the link's tree with the box of a cluster, then at each
//! leaf with those of its triangles.
//!
//! A node is the box around an oriented box, and nothing else is tried: what step `pairs` begins with costs no more than a plane, for eight
//! triangles at once.

use super::moving::{EIGHTS, MovingLink};
use super::{Item, PairCounts};
use crate::model::tree::{ChildRef, WIDTH as CHILDREN};
use crate::model::world::World;
use crate::numeric::lanes::Lanes;
use crate::numeric::linear::V3;
use crate::numeric::obb_overlap::OrientedBox;
use crate::numeric::real::Real;
use crate::numeric::vectors::{Vector, Vectorised, WIDTH, part};
use crate::stage::Candidate;

/// The candidates of one link in a piece.
pub(super) struct Descent<'a, 'm> {
    pub world: &'a World,
    pub group: &'a [Candidate],
    /// The sub-intervals that matter.
    pub wanted: u32,
    pub moving: &'a mut MovingLink<'m>,
    /// Where the link stands among those at work.
    pub place: u32,
    pub items: &'a mut Vec<Item>,
    pub counts: &'a mut PairCounts,
}

/// A link's box or a triangle's in all lanes: lowest and highest coordinates.
type Sides<T> = [[T; 3]; 2];

impl Vectorised for Descent<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(mut self) {
        let mut open: Vec<(u32, u32)> = Vec::new();
        let group = self.group;
        for c in group.iter().filter(|c| c.stands()) {
            let of_cluster = &self.world.scene.cluster_boxes[c.cluster as usize];
            let sides = [splat::<T>(of_cluster.lo), splat::<T>(of_cluster.hi)];
            let mut mask = c.mask & self.wanted;
            for i in 0..EIGHTS {
                let around = &self.moving.around;
                mask &= !(apart::<T, _>([&around.0, &around.1], i, &sides) << (i * WIDTH));
            }
            if mask != 0 {
                open.push((0, mask));
            }
            while let Some((node, mask)) = open.pop() {
                let shape = self.moving.shape;
                for slot in 0..CHILDREN {
                    let (child, Some(obb)) = (shape.tree.nodes[node as usize][slot], &shape.boxes[node as usize][slot])
                    else {
                        continue;
                    };
                    self.counts.bound_tests += 1;
                    let mut left = mask;
                    for i in 0..EIGHTS {
                        if mask >> (i * WIDTH) & EIGHT != 0 {
                            let [lo, hi] = &self.moving.child::<T>(node, slot, obb, i).around;
                            left &= !(apart::<T, _>([lo, hi], 0, &sides) << (i * WIDTH));
                        }
                    }
                    match child {
                        _ if left == 0 => {}
                        ChildRef::Empty => {}
                        ChildRef::Node(n) => open.push((n, left)),
                        ChildRef::Leaf(leaf) => self.leaf::<T>(c, (node, slot, obb, leaf), left),
                    }
                }
            }
        }
    }
}

impl Descent<'_, '_> {
    /// A leaf of the link's tree against the triangles of a candidate.
    #[inline(always)]
    fn leaf<T: Vector>(
        &mut self,
        c: &Candidate,
        (node, slot, obb, leaf): (u32, usize, &OrientedBox<f64>, u32),
        mask: u32,
    ) {
        let Self { world, moving, place, items, counts, .. } = self;
        let scene = &world.scene;
        let mut whole = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for i in 0..EIGHTS {
            if mask >> (i * WIDTH) & EIGHT != 0 {
                let [lo, hi] = moving.child::<T>(node, slot, obb, i).whole;
                for axis in 0..3 {
                    whole[0][axis] = Real::min(whole[0][axis], lo[axis]);
                    whole[1][axis] = Real::max(whole[1][axis], hi[axis]);
                }
            }
        }
        let [[a, b, d], [e, f, g]] = whole;
        let whole = [[T::new(a), T::new(b), T::new(d)], [T::new(e), T::new(f), T::new(g)]];
        let of_leaf = moving.shape.tree.leaf(leaf).len();
        let lanes = ((1u32 << of_leaf) - 1) as u8;
        let triangles = scene.tree.leaf(c.cluster);
        let first = scene.first_group[c.cluster as usize] as usize;
        for at in 0..triangles.len().div_ceil(WIDTH) {
            let boxes = &scene.triangle_boxes[first + at];
            let mut near = c.triangles >> (at * WIDTH) & EIGHT;
            for axis in 0..3 {
                let (lo, hi) = (T::widen(&boxes[axis]), T::widen(&boxes[3 + axis]));
                near &= !(whole[0][axis].gt(hi) | lo.gt(whole[1][axis]));
            }
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let y = triangles.start + at * WIDTH + lane;
                if world.is_allowed(moving.link, y) {
                    continue;
                }
                let [xl, yl, zl, xh, yh, zh] = boxes.each_ref().map(|side| side[lane]);
                let sides = [splat::<T>([xl, yl, zl]), splat::<T>([xh, yh, zh])];
                let mut left = mask;
                counts.bound_tests += 1;
                for i in 0..EIGHTS {
                    if mask >> (i * WIDTH) & EIGHT == 0 {
                        continue;
                    }
                    let child = moving.child::<T>(node, slot, obb, i);
                    let [lo, hi] = &child.around;
                    let missed = apart::<T, _>([lo, hi], 0, &sides);
                    left &= !(missed << (i * WIDTH));
                }
                if left != 0 {
                    counts.triangle_tests += of_leaf as u64;
                    items.push(Item { place: *place, leaf, y: y as u32, lanes, mask: left as u16 });
                }
            }
        }
    }
}

/// Eight sub-intervals of a mask.
const EIGHT: u32 = (1 << WIDTH) - 1;

#[inline(always)]
fn splat<T: Vector>([x, y, z]: [f32; 3]) -> [T; 3] {
    [T::new(f64::from(x)), T::new(f64::from(y)), T::new(f64::from(z))]
}

/// Those of the `i`-th eight sub-intervals in which a box, given by its lowest and highest coordinates, is apart from another.
#[inline(always)]
fn apart<T: Vector, const N: usize>([lo, hi]: [&V3<Lanes<N>>; 2], i: usize, other: &Sides<T>) -> u32 {
    let mut apart = 0;
    for axis in 0..3 {
        let (lo, hi): (T, T) = (part(&lo.0[axis], i), part(&hi.0[axis], i));
        apart |= lo.gt(other[1][axis]) | other[0][axis].gt(hi);
    }
    apart
}
