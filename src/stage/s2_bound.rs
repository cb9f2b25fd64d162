//! `s2_bound`: boxes that contain each link during each sub-interval, and the model's tree of boxes over them, bottom
//! up (Redon et al. 2004, section 4.1).
//!
//! A link lies in its line-swept sphere; the two ends of that move within their pose bounds, so the hull of the ends'
//! boxes, grown by the radius, contains the link.

use super::s1_concat::Poses;
use super::{Piece, Subs};
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
