//! A link during a piece: its pose over parts of the piece, and its boxes and triangles there.

use super::Input;
use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, part3, store3, widest};
use crate::bvh::tree::ChildRef;
use crate::enclosure::point_bound::PointBound;
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::moving_box::MovingBox;
use crate::predicate::obb_overlap::moving_range;
use crate::predicate::proximity::{Proximity, boxes_beyond, proximity};
use crate::predicate::separation::StaticTriangle;
use crate::scene::world::LinkGeometry;
use crate::stage::s1_concat::{Balls, SPANS};
use crate::stage::{Piece, SUBS, Subs};

/// Largest travel of a link, metres, in a block of sub-intervals over which its triangles are tested together: over
/// longer distances the test rarely succeeds.
const BLOCK_M: f64 = 0.25;

/// Approximate travel of a link, metres, in a part of a piece that is searched as a whole; at most twice as much.
const SLAB_M: f64 = 0.015;
/// The same for a link near many clusters: where the scene is fine, the tighter boxes of shorter parts meet so many
/// fewer triangles that they pay off.
const SLAB_AMONG_MANY_M: f64 = 0.007;
/// Number of candidates of a link in a piece from which on they are many.
pub(super) const MANY: usize = 32;

/// Largest radius of a link's ball, without the margin, in blocks and parts, as a share of their travel.
const MAX_BALL: f64 = 0.5;

/// Index of the balls for a block of some sub-intervals.
pub(super) fn level_of(len: usize) -> usize {
    SPANS.iter().position(|&s| len <= s).unwrap_or(SPANS.len() - 1)
}

/// A link during a piece.
#[derive(Debug)]
pub(super) struct MovingLink<'a> {
    pub piece: &'a Piece,
    /// Index of the link among those of all pieces.
    pub piece_link: u32,
    /// Its index in the world.
    pub link: u32,
    pub shape: &'a LinkGeometry,
    pub bound: &'a PoseBound<Subs>,
    /// The balls for [`SPANS`] sub-intervals.
    pub balls: Balls,
    /// Half the length of a sub-interval.
    pub h: f64,
    /// The margin that the balls contain, metres.
    pub margin_m: f64,
    /// The lowest and highest coordinates of the boxes around the link.
    pub around: [&'a V3<Subs>; 2],
    /// The approximate distance that its boxes have travelled at the start of each sub-interval and at the end of the
    /// last one, metres.
    travel_m: [f64; SUBS + 1],
    /// The first sub-intervals of the parts of the piece, as a mask: see [`slab_from`](Self::slab_from).
    pub slab_starts: u32,
    /// The approximate travel in such a part, metres.
    slab_m: f64,
}

/// A link's pose over a part of a piece: the bound, and half the length of the part.
pub(super) type Part = (PoseBound<f64>, f64);

impl<'a> MovingLink<'a> {
    /// A link of piece `p` that has a number of candidates.
    pub fn new(input: &Input<'a>, p: u32, link: u32, n_candidates: usize) -> Self {
        let (piece, shape) = (&input.pieces[p as usize], &input.world.links[link as usize]);
        let at = p as usize * input.boxes.n_nodes + link as usize;
        let around = [&input.boxes.lo[at], &input.boxes.hi[at]];
        let travel_m = widest(Travel { around, subs: piece.subs as usize });
        let (balls, margin_m) = (input.poses.balls(p as usize, shape.body as usize), input.poses.margin_m);
        let mut moving = Self {
            piece,
            piece_link: p * input.world.links.len() as u32 + link,
            link,
            shape,
            bound: &input.poses.piece(p as usize)[shape.body as usize],
            balls,
            h: piece.half_sub(),
            margin_m,
            around,
            travel_m,
            slab_starts: 0,
            slab_m: if n_candidates < MANY { SLAB_M } else { SLAB_AMONG_MANY_M },
        };
        let mut begin = 0;
        while begin < piece.subs {
            moving.slab_starts |= 1 << begin;
            begin += moving.slab_from(begin);
        }
        moving
    }

    /// The approximate travel in a sub-interval, metres.
    pub fn travel_in(&self, sub: u32) -> f64 {
        self.travel_m[sub as usize + 1] - self.travel_m[sub as usize]
    }

    /// Number of sub-intervals, beginning with one, whose triangles are tested together.
    pub fn block_from(&self, begin: u32) -> u32 {
        self.longest_from(begin, BLOCK_M, BLOCK_M)
    }

    /// Number of sub-intervals in the part of the piece that begins with one.
    ///
    /// Parts are searched in the order of time. After a contact, later parts are unnecessary, and shorter parts have
    /// tighter boxes; but a distant triangle is tested again in each part. Longer paths justify more parts.
    pub fn slab_from(&self, begin: u32) -> u32 {
        self.longest_from(begin, 2.0 * self.slab_m, self.slab_m)
    }

    /// The largest number of sub-intervals, beginning with one, in which the link travels at most `most_m` and its ball
    /// suits a travel of `typical_m`, metres; one is always permitted. It is a power of two that divides `begin`.
    fn longest_from(&self, begin: u32, most_m: f64, typical_m: f64) -> u32 {
        let Self { balls, margin_m, shape, travel_m, .. } = self;
        let mut len = if begin == 0 { self.piece.subs } else { 1 << begin.trailing_zeros() };
        let is_permitted = |len: u32| {
            let along_m = travel_m[(begin + len) as usize] - travel_m[begin as usize];
            // Slow links with a large acceleration or jerk have large balls over long blocks.
            let [constant, slope] = balls[level_of(len as usize)];
            along_m <= most_m && constant + slope * shape.reach_m - margin_m <= typical_m * MAX_BALL
        };
        while len > 1 && !is_permitted(len) {
            len /= 2;
        }
        len
    }

    /// The pose from the start of sub-interval `i` to the end of `j`.
    pub fn block(&self, i: u32, j: u32) -> Part {
        let len = (j - i + 1) as usize;
        (widest(Pose { moving: self, at: At::Block(i as usize, len, level_of(len)) }), len as f64 * self.h)
    }

    /// The pose during a quarter of a sub-interval.
    pub fn quarter(&self, sub: u32, quarter: u32) -> Part {
        (widest(Pose { moving: self, at: At::Quarter(sub as usize, quarter) }), self.h / 4.0)
    }

    /// The pose at the end of a quarter of a sub-interval.
    pub fn end_of_quarter(&self, sub: u32, quarter: u32) -> PoseBound<f64> {
        widest(Pose { moving: self, at: At::EndOfQuarter(sub as usize, quarter) })
    }

    /// The vertices of a leaf's triangles in that pose.
    #[inline(always)]
    pub fn leaf<T: Vector>(&self, pose: &PoseBound<f64>, leaf: u32) -> [PointBound<T>; 3] {
        leaf_points(self.shape, pose, leaf)
    }
}

/// A time for which a pose is bounded.
#[derive(Clone, Copy)]
enum At {
    /// A number of sub-intervals beginning with one, and the index of their ball.
    Block(usize, usize, usize),
    /// A quarter of a sub-interval.
    Quarter(usize, u32),
    /// The end of a quarter of a sub-interval.
    EndOfQuarter(usize, u32),
}

/// Bounds a link's pose. Computes with single numbers, and with all instructions that the processor supports.
struct Pose<'a, 'm> {
    moving: &'a MovingLink<'m>,
    at: At,
}

impl Vectorised for Pose<'_, '_> {
    type Output = PoseBound<f64>;
    #[inline(always)]
    fn run<T: Vector>(self) -> PoseBound<f64> {
        let MovingLink { bound, balls, h, .. } = self.moving;
        match self.at {
            At::Block(first, len, level) => bound.block(first, len, *h, balls[level]),
            At::Quarter(sub, quarter) => bound.slice(sub, quarter, 4, *h),
            // from -h/2 to h about the middle of the sub-interval
            At::EndOfQuarter(sub, quarter) => bound.moment(sub, (0.5 * f64::from(quarter) - 0.5) * *h, *h),
        }
    }
}

/// Computes [`MovingLink::travel_m`] from the sides of the boxes.
struct Travel<'a> {
    around: [&'a V3<Subs>; 2],
    /// Number of sub-intervals.
    subs: usize,
}

impl Vectorised for Travel<'_> {
    type Output = [f64; SUBS + 1];
    #[inline(always)]
    fn run<T: Vector>(self) -> [f64; SUBS + 1] {
        let mut steps_m = [0.0; SUBS];
        for first in [0, SUBS - WIDTH - 1].into_iter().take(self.subs / WIDTH) {
            let mut most = T::new(0.0);
            for corner in self.around {
                for axis in 0..3 {
                    let side = &corner.0[axis].0;
                    let (mut before, mut after) = ([0.0; WIDTH], [0.0; WIDTH]);
                    before.copy_from_slice(&side[first..first + WIDTH]);
                    after.copy_from_slice(&side[first + 1..first + 1 + WIDTH]);
                    most = most.max((T::load(&after) - T::load(&before)).abs());
                }
            }
            steps_m[first..first + WIDTH].copy_from_slice(&most.store().0);
        }
        steps_m[self.subs - 1] = steps_m[self.subs - 2];
        let mut travel_m = [0.0; SUBS + 1];
        for (k, step_m) in steps_m.into_iter().enumerate() {
            travel_m[k + 1] = travel_m[k] + step_m;
        }
        travel_m
    }
}

/// The boxes along the coordinate axes around the children of a node of a link's tree during a part of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildBoxes {
    /// Lowest and highest coordinates, metres.
    pub sides: [V3<Lanes<WIDTH>>; 2],
    /// The slots that have a child.
    pub there: u32,
    /// Index of the oriented boxes plus one; zero if they have not been computed.
    oriented: u32,
}

impl ChildBoxes {
    /// The lowest and highest coordinates of a child, metres.
    #[inline(always)]
    pub fn child(&self, slot: usize) -> [[f64; 3]; 2] {
        let corner = |of: &V3<Lanes<WIDTH>>| [of.0[0].0[slot], of.0[1].0[slot], of.0[2].0[slot]];
        [corner(&self.sides[0]), corner(&self.sides[1])]
    }

    /// The lowest and highest coordinates of all children, metres.
    #[inline(always)]
    pub fn around(&self) -> [[f64; 3]; 2] {
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for slot in (0..WIDTH).filter(|slot| self.there >> slot & 1 == 1) {
            let [from, to] = self.child(slot);
            for axis in 0..3 {
                lo[axis] = lo[axis].min(from[axis]);
                hi[axis] = hi[axis].max(to[axis]);
            }
        }
        [lo, hi]
    }
}

/// The boxes of a link's nodes during a part of a piece, computed when they are first needed.
#[derive(Debug, Default)]
pub(super) struct NodeBoxes {
    /// Index of the boxes of each node, plus one; zero if they have not been computed.
    at: Vec<u32>,
    nodes: Vec<u32>,
    boxes: Vec<ChildBoxes>,
    oriented: Vec<MovingBox<Lanes<WIDTH>>>,
}

impl NodeBoxes {
    /// Discards all boxes, for a link with `n_nodes` nodes.
    pub fn clear(&mut self, n_nodes: usize) {
        for node in self.nodes.drain(..) {
            self.at[node as usize] = 0;
        }
        self.boxes.clear();
        self.oriented.clear();
        if self.at.len() < n_nodes {
            self.at.resize(n_nodes, 0);
        }
    }

    /// The boxes of a node's children.
    #[inline]
    pub fn of(&mut self, shape: &LinkGeometry, part: &Part, node: u32) -> &ChildBoxes {
        if self.at[node as usize] == 0 {
            self.boxes.push(widest(Bound { shape, part, node }));
            self.nodes.push(node);
            self.at[node as usize] = self.nodes.len() as u32;
        }
        &self.boxes[self.at[node as usize] as usize - 1]
    }

    /// The oriented boxes of a node's children, whose boxes along the axes are known.
    #[inline]
    pub fn oriented(&mut self, shape: &LinkGeometry, part: &Part, node: u32) -> &MovingBox<Lanes<WIDTH>> {
        let children = &mut self.boxes[self.at[node as usize] as usize - 1];
        if children.oriented == 0 {
            self.oriented.push(widest(Orient { shape, part, node }));
            children.oriented = self.oriented.len() as u32;
        }
        &self.oriented[children.oriented as usize - 1]
    }

    /// The children of a node, as a mask, that may touch a box along the axes. Their number is added to `tests`.
    #[inline(always)]
    pub fn near_children<T: Vector>(
        &mut self,
        (shape, margin_m): (&LinkGeometry, f64),
        part: &Part,
        node: u32,
        [from, to]: [V3<T>; 2],
        tests: &mut u64,
    ) -> u32 {
        let ChildBoxes { sides: [lo, hi], there, .. } = self.of(shape, part, node);
        let sides: [V3<T>; 2] = [part3(lo, 0), part3(hi, 0)];
        let mut near = *there;
        *tests += u64::from(near.count_ones());
        for axis in 0..3 {
            near &= !(sides[0].0[axis].gt(to.0[axis]) | from.0[axis].gt(sides[1].0[axis]));
        }
        if near == 0 {
            return 0;
        }
        near &= !self.oriented(shape, part, node).load::<T>().misses_box(from, to);
        if near != 0 && margin_m > 0.0 {
            near &= !boxes_beyond(sides, [from, to], margin_m);
        }
        near
    }

    /// The boxes of a node's children along the axes and the oriented ones, both of which are known.
    #[inline]
    pub fn known(&self, node: u32) -> (&[V3<Lanes<WIDTH>>; 2], &MovingBox<Lanes<WIDTH>>) {
        let children = &self.boxes[self.at[node as usize] as usize - 1];
        (&children.sides, &self.oriented[children.oriented as usize - 1])
    }
}

/// Bounds the oriented boxes of a node's children.
struct Orient<'a> {
    shape: &'a LinkGeometry,
    part: &'a Part,
    node: u32,
}

impl Vectorised for Orient<'_> {
    type Output = MovingBox<Lanes<WIDTH>>;
    #[inline(always)]
    fn run<T: Vector>(self) -> MovingBox<Lanes<WIDTH>> {
        let boxes = &self.shape.boxes[self.node as usize].part::<T>(0);
        MovingBox::new(&self.part.0.broadcast::<T>(), boxes, T::new(self.part.1)).store()
    }
}

/// Bounds the boxes of a node's children along the coordinate axes.
struct Bound<'a> {
    shape: &'a LinkGeometry,
    part: &'a Part,
    node: u32,
}

impl Vectorised for Bound<'_> {
    type Output = ChildBoxes;
    #[inline(always)]
    fn run<T: Vector>(self) -> ChildBoxes {
        let (pose, h) = self.part;
        let (pose, h) = (pose.broadcast::<T>(), T::new(*h));
        let boxes = &self.shape.boxes[self.node as usize].part::<T>(0);
        let (lo, hi) = moving_range(&pose, boxes, h);
        let mut there = 0;
        for (slot, child) in self.shape.tree.nodes[self.node as usize].iter().enumerate() {
            there |= u32::from(*child != ChildRef::Empty) << slot;
        }
        ChildBoxes { sides: [store3(lo), store3(hi)], there, oriented: 0 }
    }
}

/// Compares the distances between a leaf's triangles and static ones, over a part of a piece, with the margin.
pub(super) struct Compare<'a, F> {
    pub shape: &'a LinkGeometry,
    pub margin_m: f64,
    pub part: &'a Part,
    pub leaf: u32,
    /// The static triangles.
    pub standing: &'a [StaticTriangle<f64>],
    /// Receives the index of each static triangle, and the result.
    pub each: F,
}

impl<F: FnMut(usize, Proximity)> Vectorised for Compare<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(mut self) {
        let points = leaf_points::<T>(self.shape, &self.part.0, self.leaf);
        for (i, standing) in self.standing.iter().enumerate() {
            (self.each)(i, proximity(&points, &standing.broadcast::<T>(), T::new(self.part.1), self.margin_m));
        }
    }
}

/// The vertices of a leaf's triangles in a pose.
#[inline(always)]
pub(super) fn leaf_points<T: Vector>(shape: &LinkGeometry, pose: &PoseBound<f64>, leaf: u32) -> [PointBound<T>; 3] {
    let (pose, reach) = (pose.broadcast::<T>(), T::new(shape.reach_m));
    let [a, b, c] = &shape.leaves[leaf as usize];
    [pose.point(part3(a, 0), reach), pose.point(part3(b, 0), reach), pose.point(part3(c, 0), reach)]
}
