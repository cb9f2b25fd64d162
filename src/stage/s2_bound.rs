//! `s2_bound`: boxes that contain each link during each sub-interval, and the model's tree of boxes over them, bottom
//! up (Redon et al. 2004, section 4.1).
//!
//! A link lies in its line-swept sphere; the two ends of that move within their pose bounds, so the hull of the ends'
//! boxes, grown by the radius, contains the link.

use super::s1_concat::Poses;
use super::{Piece, Subs};
use crate::model::world::World;
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::PoseBound;
use crate::numeric::real::Real;

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

/// The box of a line-swept sphere with ends `a`, `b` (body frame, no farther than `reach` from its origin) while its
/// body moves within `bound` for `|τ| <= h`.
pub fn swept_box<T: Real>(bound: &PoseBound<T>, a: V3<T>, b: V3<T>, reach: T, radius: T, h: T) -> (V3<T>, V3<T>) {
    let (a_lo, a_hi) = bound.point(a, reach).range(h);
    let (b_lo, b_hi) = bound.point(b, reach).range(h);
    let (lo, hi) = (a_lo.min(b_lo), a_hi.max(b_hi));
    // The growth itself rounds: twice on each side.
    let grow = |x: T| radius + (x.abs() + radius) * T::new(4.0 * T::UNIT);
    (V3::from_fn(|i| lo.0[i] - grow(lo.0[i])), V3::from_fn(|i| hi.0[i] + grow(hi.0[i])))
}

/// The stage in f64.
pub fn reference(world: &World, pieces: &[Piece], poses: &Poses) -> Boxes {
    let n_nodes = world.model.n_nodes();
    let n = pieces.len() * n_nodes;
    let mut out = Boxes { n_nodes, lo: Vec::with_capacity(n), hi: Vec::with_capacity(n) };
    for (i, piece) in pieces.iter().enumerate() {
        let first = out.lo.len();
        for link in &world.links {
            let (a, b) = (V3::new(link.lss.a), V3::new(link.lss.b));
            let (reach, radius) = (Subs::new(link.reach_m), Subs::new(link.lss.radius));
            let bound = &poses.piece(i)[link.body as usize];
            let (lo, hi) = swept_box(bound, a, b, reach, radius, Subs::new(piece.half_sub()));
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
