//! `s2_bound`: boxes that contain each link during each sub-interval, and the model's tree of boxes over them, bottom
//! up (Redon et al. 2004, section 4.1).
//!
//! A link lies in its line-swept sphere; the two ends of that move within their pose bounds, so the hull of the ends'
//! boxes, grown by the radius, contains the link.

use super::s1_concat::Poses;
use super::{Piece, SUBS, Subs};
use crate::gpu::layout::{round_down, round_up};
use crate::gpu::{Access, Kernel, Slot, bind};
use crate::model::lss::Lss;
use crate::model::world::World;
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::PoseBound;
use crate::numeric::separation::swept_box;
use crate::numeric::vectors::{Vector, Vectorised, WIDTH, put, widest};

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
            let [lo, hi] = widest(Swept { bound, lss: &link.lss, reach_m: link.reach_m, h: piece.half_sub() });
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

/// The boxes around a line-swept sphere of a body.
struct Swept<'a> {
    bound: &'a PoseBound<Subs>,
    lss: &'a Lss,
    reach_m: f64,
    h: f64,
}

impl Vectorised for Swept<'_> {
    type Output = [V3<Subs>; 2];
    #[inline(always)]
    fn run<T: Vector>(self) -> [V3<Subs>; 2] {
        let mut out = [V3([Subs::default(); 3]); 2];
        for i in 0..SUBS / WIDTH {
            let bound = PoseBound::<T>::part(self.bound, i);
            let reach = T::new(self.reach_m);
            let ends = [bound.point(V3::new(self.lss.a), reach), bound.point(V3::new(self.lss.b), reach)];
            let (lo, hi) = swept_box(&ends, T::new(self.lss.radius), T::new(self.h));
            for axis in 0..3 {
                put(&mut out[0].0[axis], i, lo.0[axis]);
                put(&mut out[1].0[axis], i, hi.0[axis]);
            }
        }
        out
    }
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
