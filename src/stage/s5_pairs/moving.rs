//! A link during a piece: its bounding volumes and its triangles in lanes, bounded when they are first needed.

use super::Input;
use crate::model::tree::WIDTH as CHILDREN;
use crate::model::world::LinkShape;
use crate::numeric::lanes::Lanes;
use crate::numeric::linear::V3;
use crate::numeric::obb_overlap::{OrientedBox, moving_range};
use crate::numeric::pose_bound::{PointBound, PoseBound};
use crate::numeric::real::Real;
use crate::numeric::vectors::{Vector, WIDTH, part, part3};
use crate::stage::s1_concat::SPANS;
use crate::stage::{Piece, SLICES, SUBS, Subs};

/// A link travels no farther than this, metres, in a block of sub-intervals over which its triangles are tested together: over
/// longer ways the test rarely proves anything.
const BLOCK_M: f64 = 0.25;

/// A link during a piece.
pub(super) struct MovingLink<'a> {
    pub piece: &'a Piece,
    /// Number of the link among those of all pieces.
    pub piece_link: u32,
    /// Its index in the world.
    pub link: u32,
    pub shape: &'a LinkShape,
    pub bound: &'a PoseBound<Subs>,
    /// The balls for [`SPANS`] sub-intervals, at the link's reach.
    pub balls: [f64; SPANS.len()],
    /// Half the length of a sub-interval.
    pub h: f64,
    /// The boxes around it.
    pub around: (V3<Subs>, V3<Subs>),
    /// How far, about, it travels in a sub-interval, metres.
    pub travel_m: f64,
    /// The most sub-intervals that are worth a test together.
    pub longest_block: u32,
    child_at: Vec<u32>,
    children: Vec<Child>,
    leaf_at: Vec<u32>,
    leaves: Vec<[PointBound<Lanes<WIDTH>>; 3]>,
}

/// A child of a node of the link's tree in eight sub-intervals.
pub(super) struct Child {
    /// The box around it in each sub-interval: lowest and highest coordinates, metres.
    pub around: [V3<Lanes<WIDTH>>; 2],
    /// The box around it in all.
    pub whole: [[f64; 3]; 2],
}

/// Eights of sub-intervals.
pub(super) const EIGHTS: usize = SUBS / WIDTH;

const NOT_YET: u32 = u32::MAX;

impl<'a> MovingLink<'a> {
    pub fn new(input: &Input<'a>, p: u32, link: u32) -> Self {
        let (piece, shape) = (&input.pieces[p as usize], &input.world.links[link as usize]);
        let bound = &input.poses.piece(p as usize)[shape.body as usize];
        let balls = input.poses.balls(p as usize, shape.body as usize).map(|[c, slope]| c + slope * shape.reach_m);
        let around = super::link_box(input, p, link);
        let travel = |i: usize| {
            let (lo, hi) = (&around.0.0[i].0, &around.1.0[i].0);
            let steps = |x: &[f64; SUBS]| x.windows(2).fold(0.0f64, |most, w| most.max((w[1] - w[0]).abs()));
            steps(lo).max(steps(hi))
        };
        let travel_m = travel(0).max(travel(1)).max(travel(2));
        let longest_block = (0..SUBS.ilog2()).map(|k| 2 << k).take_while(|n| travel_m * f64::from(*n) <= BLOCK_M);
        Self {
            piece,
            piece_link: p * input.world.links.len() as u32 + link,
            link,
            shape,
            bound,
            balls,
            h: piece.half_sub(),
            around,
            travel_m,
            longest_block: longest_block.last().unwrap_or(1),
            child_at: vec![NOT_YET; shape.tree.nodes.len() * CHILDREN * EIGHTS],
            children: Vec::new(),
            leaf_at: vec![NOT_YET; shape.leaves.len() * SUBS],
            leaves: Vec::new(),
        }
    }

    /// A child of a node, with this box, in the `i`-th eight sub-intervals.
    #[inline(always)]
    pub fn child<T: Vector>(&mut self, node: u32, slot: usize, obb: &OrientedBox<f64>, i: usize) -> &Child {
        let at = &mut self.child_at[(node as usize * CHILDREN + slot) * EIGHTS + i];
        if *at == NOT_YET {
            *at = self.children.len() as u32;
            let (lo, hi) = moving_range(&PoseBound::<T>::part(self.bound, i), obb, T::new(self.h));
            let around = [stored3(lo), stored3(hi)];
            let mut whole = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
            for axis in 0..3 {
                for lane in 0..WIDTH {
                    whole[0][axis] = Real::min(whole[0][axis], around[0].0[axis].0[lane]);
                    whole[1][axis] = Real::max(whole[1][axis], around[1].0[axis].0[lane]);
                }
            }
            self.children.push(Child { around, whole });
        }
        &self.children[*at as usize]
    }

    /// The vertices of a leaf's triangles from the start of sub-interval `i` to the end of `j`, bounded by the jet of a middle
    /// one, and the half width.
    #[inline(always)]
    pub fn block<T: Vector>(&mut self, leaf: u32, i: u32, j: u32) -> ([PointBound<T>; 3], T) {
        let (m, len) = ((i + j) / 2 + (i + j) % 2, f64::from(j - i + 1));
        let level = SPANS.iter().position(|&s| (j - i) < s as u32).unwrap_or(SPANS.len() - 1);
        // The jet's own middle lies at the block's middle, or half a sub-interval after it.
        let shift = if (i + j).is_multiple_of(2) { 0.0 } else { -self.h };
        let h = self.h;
        (self.shifted(leaf, m, self.balls[level], shift, (len + 1.0) * h), T::new(len * h))
    }

    /// The same during a slice of a sub-interval.
    #[inline(always)]
    pub fn slice<T: Vector>(&mut self, leaf: u32, sub: u32, slice: u32) -> ([PointBound<T>; 3], T) {
        let h = self.h;
        let shift = (f64::from(2 * slice + 1) / f64::from(SLICES) - 1.0) * h;
        (self.shifted(leaf, sub, self.balls[0], shift, h), T::new(h / f64::from(SLICES)))
    }

    #[inline(always)]
    fn shifted<T: Vector>(&mut self, leaf: u32, sub: u32, ball: f64, shift: f64, h: f64) -> [PointBound<T>; 3] {
        let points = self.leaf::<T>(leaf, sub);
        let (ball, shift, h) = (T::new(ball), T::new(shift), T::new(h));
        [
            PointBound { ball, ..part_of_point::<T, WIDTH>(&points[0], 0) }.shifted(shift, h),
            PointBound { ball, ..part_of_point::<T, WIDTH>(&points[1], 0) }.shifted(shift, h),
            PointBound { ball, ..part_of_point::<T, WIDTH>(&points[2], 0) }.shifted(shift, h),
        ]
    }

    /// The vertices of a leaf's triangles by the jet of a sub-interval.
    #[inline(always)]
    fn leaf<T: Vector>(&mut self, leaf: u32, sub: u32) -> &[PointBound<Lanes<WIDTH>>; 3] {
        let at = &mut self.leaf_at[leaf as usize * SUBS + sub as usize];
        if *at == NOT_YET {
            *at = self.leaves.len() as u32;
            let bound = self.bound.lane(sub as usize).broadcast::<T>();
            let reach = T::new(self.shape.reach_m);
            let [a, b, c] = &self.shape.leaves[leaf as usize];
            self.leaves.push([
                stored(bound.point(part3(a, 0), reach)),
                stored(bound.point(part3(b, 0), reach)),
                stored(bound.point(part3(c, 0), reach)),
            ]);
        }
        &self.leaves[*at as usize]
    }
}

/// Eight lanes of a point's bound.
#[inline(always)]
pub(super) fn part_of_point<T: Vector, const N: usize>(p: &PointBound<Lanes<N>>, i: usize) -> PointBound<T> {
    let c = [part3(&p.c[0], i), part3(&p.c[1], i), part3(&p.c[2], i)];
    PointBound { c, ball: part(&p.ball, i), cube: part3(&p.cube, i) }
}

/// A point's bound out of registers.
#[inline(always)]
fn stored<T: Vector>(p: PointBound<T>) -> PointBound<Lanes<WIDTH>> {
    let [c0, c1, c2] = p.c;
    PointBound { c: [stored3(c0), stored3(c1), stored3(c2)], ball: p.ball.store(), cube: stored3(p.cube) }
}

#[inline(always)]
fn stored3<T: Vector>(v: V3<T>) -> V3<Lanes<WIDTH>> {
    V3([v.0[0].store(), v.0[1].store(), v.0[2].store()])
}
