//! Each triangle of a candidate against the volume that the link's line-swept sphere sweeps in each sub-interval.
//!
//! A triangle keeps the sub-intervals in which neither the boxes nor an axis prove it free; a candidate keeps the
//! sub-intervals that one of its triangles keeps, and the triangles that keep one.

use super::Input;
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, part, part3, widest};
use crate::enclosure::point_bound::PointBound;
use crate::predicate::separation::{StaticTriangle, boxes_miss};
use crate::predicate::swept::swept_misses;
#[cfg(feature = "gpu")]
use crate::stage::kernel::{Kernel, kernel};
use crate::stage::{Candidate, SUBS, Subs};

/// A mask of half of the sub-intervals, one for each lane of a vector.
pub(super) const HALF: u32 = (1 << WIDTH) - 1;

/// A link's line-swept sphere in each sub-interval of a piece.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The paths of the segment's ends.
    pub ends: [PointBound<Subs>; 2],
    /// The sphere's radius, metres.
    pub radius_m: f64,
    /// Half the length of a sub-interval.
    pub h: f64,
    /// The box around the cell.
    pub in_box: (V3<Subs>, V3<Subs>),
}

impl Cell {
    /// The cell of a link in a piece.
    pub fn new(input: &Input, piece: u32, link: u32) -> Self {
        let shape = &input.world.links[link as usize];
        let bound = &input.poses.piece(piece as usize)[shape.body as usize];
        let reach = Subs::from_fn(|_| shape.reach_m);
        let at = piece as usize * input.boxes.n_nodes + link as usize;
        Self {
            ends: [shape.lss.a, shape.lss.b].map(|e| bound.point(V3::from_fn(|i| Subs::from_fn(|_| e[i])), reach)),
            radius_m: shape.lss.radius,
            h: input.pieces[piece as usize].half_sub(),
            in_box: (input.boxes.lo[at], input.boxes.hi[at]),
        }
    }

    /// The paths of the ends in one half of the sub-intervals.
    #[inline(always)]
    pub(super) fn ends<T: Vector>(&self, half: usize) -> [PointBound<T>; 2] {
        self.ends.each_ref().map(|p| PointBound {
            c: p.c.each_ref().map(|v| part3(v, half)),
            ball: part(&p.ball, half),
            cube: part3(&p.cube, half),
        })
    }

    /// The sub-intervals of `mask` in which a triangle may touch the cell.
    pub fn may_touch(&self, tri: &StaticTriangle<f64>, mask: u32) -> u32 {
        let left = mask & !boxes_miss(&self.in_box, &tri.bounds());
        if left == 0 { 0 } else { left & !misses(self, tri, left) }
    }
}

/// A cell against a triangle, in one half of the sub-intervals.
struct Misses<'a> {
    cell: &'a Cell,
    tri: &'a StaticTriangle<f64>,
    half: usize,
    wanted: u32,
}

impl Vectorised for Misses<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let tri = StaticTriangle { y: self.tri.y.map(|v| V3(v.0.map(T::new))), error: T::new(self.tri.error) };
        let ends = self.cell.ends::<T>(self.half);
        swept_misses(&ends, T::new(self.cell.radius_m), &tri, T::new(self.cell.h), self.wanted)
    }
}

/// Sub-intervals in which a triangle is proved to be missed, including at least all such sub-intervals of `wanted`.
fn misses(cell: &Cell, tri: &StaticTriangle<f64>, wanted: u32) -> u32 {
    (0..SUBS / WIDTH).fold(0, |all, half| {
        let wanted = wanted >> (half * WIDTH) & HALF;
        let missed = if wanted == 0 { 0 } else { widest(Misses { cell, tri, half, wanted }) };
        all | missed << (half * WIDTH)
    })
}

/// The form in f64.
pub fn reference(input: &Input, candidates: &mut [Candidate]) {
    super::clear(input, candidates, |_| (), |cell, (), tri, mask| cell.may_touch(tri, mask));
}

/// The kernel.
#[cfg(feature = "gpu")]
pub const KERNEL: Kernel = kernel!("s4_sweep", "capsules");
