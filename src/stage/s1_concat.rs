//! `s1_concat`: motion bounds, concatenated along the tree of the model (Redon et al. 2004, sections 3.3 and 4.1).
//!
//! In: joint motions. Out: a [`PoseBound`] for every piece, body and sub-interval, as pose jets with a ball or as
//! interval matrices.

use super::{Piece, Subs};
use crate::model::world::MAX_COORDINATE_M;
use crate::motion::ModelMotion;
use crate::numeric::pose_bound::{BoundForm, ChainBounds, PoseBound};
use crate::numeric::real::Real;

/// The jet of a middle sub-interval also bounds the poses of a block of sub-intervals around it, with a larger ball:
/// balls are given for blocks of up to this many.
pub const SPANS: [usize; 3] = [1, 4, 16];

/// Pose bounds in the order `[piece][body]`, the sub-intervals in lanes.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// Number of bodies.
    pub n_bodies: usize,
    /// The bounds.
    pub bounds: Vec<PoseBound<Subs>>,
    /// For the same pieces and bodies, the balls for blocks of [`SPANS`] sub-intervals.
    pub balls: Vec<Balls>,
}

/// Balls as in [`PoseBound::ball`], one for each of [`SPANS`].
pub type Balls = [[f64; 2]; SPANS.len()];

impl Poses {
    /// The bounds of one piece, body by body.
    pub fn piece(&self, piece: usize) -> &[PoseBound<Subs>] {
        &self.bounds[piece * self.n_bodies..(piece + 1) * self.n_bodies]
    }

    /// The balls of a body in a piece.
    pub fn balls(&self, piece: usize, body: usize) -> Balls {
        self.balls[piece * self.n_bodies + body]
    }
}

/// The balls of a chain for sub-intervals of half width `h`. A block of `n` sub-intervals reaches `n + 1` half widths
/// from the middle of its middle one. Interval matrices say nothing beyond their own sub-interval.
pub fn balls(chain: &ChainBounds, form: BoundForm, h: f64, unit: f64) -> Balls {
    SPANS.map(|n| match (form, n) {
        (BoundForm::Jet, 1) => chain.ball(h, unit),
        (BoundForm::Jet, _) => chain.ball((n + 1) as f64 * h, unit),
        (BoundForm::Interval, 1) => [0.0; 2],
        (BoundForm::Interval, _) => [MAX_COORDINATE_M, 0.0],
    })
}

/// The stage in f64.
pub fn reference(pieces: &[Piece], motions: &[ModelMotion], form: BoundForm) -> Poses {
    let mut out = Poses { n_bodies: motions.first().map_or(0, |m| m.joints.len()), ..Poses::default() };
    let mut bounds = Vec::new();
    for piece in pieces {
        let motion = &motions[piece.motion as usize];
        motion.bounds(form, piece.mid_times(), piece.half_sub(), &mut bounds);
        out.bounds.append(&mut bounds);
        out.balls.extend(motion.chains.iter().map(|c| balls(c, form, piece.half_sub(), f64::UNIT)));
    }
    out
}
