//! `s1_concat`: motion bounds, concatenated along the tree of the model (Redon et al. 2004, sections 3.3 and 4.1).
//!
//! In: joint motions. Out: a [`PoseBound`] for every piece, body and sub-interval, as pose jets with a ball or as
//! interval matrices.

use super::{Piece, Subs};
use crate::motion::ModelMotion;
use crate::numeric::pose_bound::{BoundForm, PoseBound};

/// Pose bounds in the order `[piece][body]`, the sub-intervals in lanes.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// Number of bodies.
    pub n_bodies: usize,
    /// The bounds.
    pub bounds: Vec<PoseBound<Subs>>,
}

impl Poses {
    /// The bounds of one piece, body by body.
    pub fn piece(&self, piece: usize) -> &[PoseBound<Subs>] {
        &self.bounds[piece * self.n_bodies..(piece + 1) * self.n_bodies]
    }
}

/// The stage in f64.
pub fn reference(pieces: &[Piece], motions: &[ModelMotion], form: BoundForm) -> Poses {
    let mut out = Poses { n_bodies: motions.first().map_or(0, |m| m.joints.len()), bounds: Vec::new() };
    let mut bounds = Vec::new();
    for piece in pieces {
        motions[piece.motion as usize].bounds(form, piece.mid_times(), piece.half_sub(), &mut bounds);
        out.bounds.append(&mut bounds);
    }
    out
}
