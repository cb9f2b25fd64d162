//! Boxes that contain the motions of a chunk, so that pages of the scene outside of them are skipped before any
//! dispatch.
//!
//! The box of a piece is made like those of `s2_bound`, but for a quarter of the piece at a time, in f64, and by Taylor
//! models whatever bounds the device uses. During a quarter each end of a link's line-swept sphere stays within a ball
//! about its quadratic path; the ball covers the remainder, rounding and the margin (`enclosure/pose_bound.rs`). The
//! hull of the boxes of both ends, enlarged by the radius, contains the link. So the box of a piece contains every
//! point of the robot, and everything within the margin of it, at every time of the piece.
//!
//! A page is skipped if a coordinate separates the box around its triangles from the box of every piece. Then no pair
//! with a triangle of the page touches, whatever the kernels would have found. Without such a pair the exact stage
//! gives the same answer, because it proves pairs free that are [`GAP_M`] apart. A box that is not finite overlaps
//! every page.

use super::ChunkInput;
use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::arith::rounding::{round_down, round_up};
use crate::predicate::separation::swept_box;
use crate::robot::RobotMotion;
use crate::scene::world::{CollisionWorld, SceneBox};
use crate::stage::Piece;

/// Number of parts into which a piece is divided: in a quarter of a piece a chain turns by at most two radians.
const PARTS: usize = 4;
/// Enlargement of boxes, metres: far more than the exact stage's rounding within 10⁶ m, so that no contact that cannot
/// be proved is on a skipped page.
const GAP_M: f64 = 1e-6;

/// A number for each part of a piece.
type Parts = Lanes<PARTS>;

/// The box of each piece of a chunk.
#[derive(Clone, Debug)]
pub struct Reach(Vec<SceneBox>);

impl Reach {
    /// The boxes of a chunk.
    pub fn of(world: &CollisionWorld, chunk: &ChunkInput) -> Self {
        Self(chunk.pieces.iter().map(|piece| around(world, piece, &chunk.motions[piece.motion as usize])).collect())
    }

    /// The boxes, in the order of the pieces.
    pub fn boxes(&self) -> &[SceneBox] {
        &self.0
    }

    /// Returns whether the box of any piece overlaps another box.
    pub fn meets(&self, other: &SceneBox) -> bool {
        let apart = |b: &SceneBox| (0..3).any(|i| b.lo[i] > other.hi[i] || other.lo[i] > b.hi[i]);
        !self.0.iter().all(apart)
    }
}

/// A box that contains the robot during a piece.
fn around(world: &CollisionWorld, piece: &Piece, motion: &RobotMotion) -> SceneBox {
    let h = (piece.t1 - piece.t0) / (2 * PARTS) as f64;
    let mid = Parts::from_fn(|k| piece.t0 + (2 * k + 1) as f64 * h);
    let mut models = Vec::with_capacity(motion.joints.len());
    motion.taylor_models(mid, h, |_, model| models.push(model));
    let mut hull = Hull { lo: [f64::INFINITY; 3], hi: [f64::NEG_INFINITY; 3], is_finite: true };
    for link in world.links.iter() {
        let (model, lss) = (&models[link.body as usize], &link.lss);
        let ends = [lss.a, lss.b].map(|end| model.point(V3::new(end), Parts::new(link.reach_m)));
        hull.add(swept_box(&ends, Parts::new(lss.radius), Parts::new(h)));
    }
    hull.outward()
}

/// The hull of boxes.
struct Hull {
    lo: [f64; 3],
    hi: [f64; 3],
    is_finite: bool,
}

impl Hull {
    /// Adds the boxes of all lanes.
    fn add(&mut self, (lo, hi): (V3<Parts>, V3<Parts>)) {
        for i in 0..3 {
            self.lo[i] = lo.0[i].0.into_iter().fold(self.lo[i], f64::min);
            self.hi[i] = hi.0[i].0.into_iter().fold(self.hi[i], f64::max);
            self.is_finite &= lo.0[i].0.iter().chain(&hi.0[i].0).all(|x| x.is_finite());
        }
    }

    /// The hull in single precision, enlarged by [`GAP_M`]; all of space if a box was not finite.
    fn outward(&self) -> SceneBox {
        if !self.is_finite {
            return SceneBox { lo: [f32::NEG_INFINITY; 3], hi: [f32::INFINITY; 3] };
        }
        SceneBox { lo: self.lo.map(|x| round_down(x - GAP_M)), hi: self.hi.map(|x| round_up(x + GAP_M)) }
    }
}
