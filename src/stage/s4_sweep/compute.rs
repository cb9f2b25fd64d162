//! Each triangle of a candidate against the volume that the link's line-swept sphere sweeps in each sub-interval.
//!
//! A triangle keeps the sub-intervals in which neither the boxes nor an axis prove it free; a candidate keeps those that
//! one of its triangles keeps, and the triangles that keep one.

use super::Input;
use crate::gpu::{Access, Kernel, Slot, bind};
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::PointBound;
use crate::numeric::separation::{StandingTriangle, boxes_miss};
use crate::numeric::swept::swept_misses;
use crate::stage::{Candidate, Subs};
use multiversion::multiversion;

/// A link's line-swept sphere in each sub-interval of a piece.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The paths of the segment's ends.
    pub ends: [PointBound<Subs>; 2],
    /// Its radius, metres.
    pub radius_m: f64,
    /// Half the length of a sub-interval.
    pub h: f64,
    /// The box around it.
    pub in_box: (V3<Subs>, V3<Subs>),
}

impl Cell {
    /// That of a link in a piece.
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

    /// The sub-intervals of `mask` in which a triangle may touch it.
    pub fn may_touch(&self, tri: &StandingTriangle<f64>, mask: u32) -> u32 {
        let left = mask & !boxes_miss(&self.in_box, &tri.bounds());
        if left == 0 { 0 } else { left & !misses(self, tri, left) }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn misses(cell: &Cell, tri: &StandingTriangle<f64>, wanted: u32) -> u32 {
    let all = |x: f64| Subs::from_fn(|_| x);
    let tri = StandingTriangle { y: tri.y.map(|v| V3(v.0.map(all))), error: all(tri.error) };
    swept_misses(&cell.ends, all(cell.radius_m), &tri, all(cell.h), wanted)
}

/// The form in f64.
pub fn reference(input: &Input, candidates: &mut [Candidate]) {
    super::clear(input, candidates, |_| (), |cell, (), tri, mask| cell.may_touch(tri, mask));
}

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    stem: "s4_sweep",
    source: include_str!("../../../wgsl/s4_sweep.wgsl"),
    entry: "capsules",
    workgroup: 64,
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "moving", Access::Read, Slot::Moving),
        bind(2, "scene_triangles", Access::Read, Slot::SceneTriangles),
        bind(3, "control", Access::ReadWrite, Slot::Control),
        bind(4, "poses", Access::Read, Slot::Poses),
        bind(5, "clusters", Access::Read, Slot::Clusters),
        bind(6, "candidates", Access::ReadWrite, Slot::Candidates),
        bind(7, "links", Access::Read, Slot::Links),
    ],
    has_pass: true,
};
