//! `s2_bound`: boxes that contain each link during each sub-interval, and the model's tree of boxes over them, bottom
//! up (Redon et al. 2004, section 4.1).
//!
//! A link lies in its line-swept sphere; the two ends of that move within their pose bounds, so the hull of the ends'
//! boxes, grown by the radius, contains the link.

use super::s1_concat::Poses;
use super::{Piece, SUBS, Subs};
use crate::gpu::layout::{round_down, round_up};
use crate::gpu::{Access, Kernel, Slot, bind};
use crate::model::world::World;
use crate::numeric::linear::V3;
use crate::numeric::real::Real;
use crate::numeric::separation::swept_box;

/// Boxes in the order `[piece][node of the model's tree]`, the sub-intervals in lanes.
#[derive(Clone, Debug, Default)]
pub struct Boxes {
    /// Number of nodes of the model's tree.
    pub n_nodes: usize,
    /// Lowest coordinates, metres.
    pub lo: Vec<V3<Subs>>,
    /// Highest coordinates, metres.
    pub hi: Vec<V3<Subs>>,
}

/// The stage in f64.
pub fn reference(world: &World, pieces: &[Piece], poses: &Poses) -> Boxes {
    let n_nodes = world.model.n_nodes();
    let n = pieces.len() * n_nodes;
    let mut out = Boxes { n_nodes, lo: Vec::with_capacity(n), hi: Vec::with_capacity(n) };
    for (i, piece) in pieces.iter().enumerate() {
        let first = out.lo.len();
        for link in &world.links {
            let bound = &poses.piece(i)[link.body as usize];
            let ends = [link.lss.a, link.lss.b].map(|e| bound.point(V3::new(e), Subs::new(link.reach_m)));
            let (lo, hi) = swept_box(&ends, Subs::new(link.lss.radius), Subs::new(piece.half_sub()));
            out.lo.push(lo);
            out.hi.push(hi);
        }
        for &[a, b] in &world.model.children {
            let (a, b) = (first + a as usize, first + b as usize);
            out.lo.push(out.lo[a].min(out.lo[b]));
            out.hi.push(out.hi[a].max(out.hi[b]));
        }
    }
    out
}

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    stem: "s2_bound",
    source: include_str!("../../wgsl/s2_bound.wgsl"),
    entry: "boxes_of_links",
    workgroup: 64,
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "links", Access::Read, Slot::Links),
        bind(2, "model_children", Access::Read, Slot::ModelChildren),
        bind(3, "moving", Access::Read, Slot::Moving),
        bind(4, "poses", Access::Read, Slot::Poses),
        bind(5, "boxes", Access::ReadWrite, Slot::Boxes),
    ],
    has_pass: false,
};

/// Numbers of a box on the device, for each sub-interval.
pub const BOX_FLOATS: usize = 6;

impl Boxes {
    /// The boxes as the kernels store them, rounded outward.
    pub fn to_device(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.lo.len() * BOX_FLOATS * SUBS);
        for (lo, hi) in self.lo.iter().zip(&self.hi) {
            out.extend(lo.0.iter().flat_map(|l| l.0.map(round_down)));
            out.extend(hi.0.iter().flat_map(|h| h.0.map(round_up)));
        }
        out
    }

    /// The boxes that the kernels have stored.
    pub fn from_device(floats: &[f32], n_nodes: usize) -> Self {
        let mut out = Self { n_nodes, ..Self::default() };
        for one in floats.chunks_exact(BOX_FLOATS * SUBS) {
            let lane = |field: usize| Subs::from_fn(|k| f64::from(one[field * SUBS + k]));
            out.lo.push(V3([lane(0), lane(1), lane(2)]));
            out.hi.push(V3([lane(3), lane(4), lane(5)]));
        }
        out
    }
}
