//! Twice differentiable curves, and radii of balls around them.
//!
//! All lengths, speeds and accelerations here are measured in the metric of a body. A ball around the middle of an arc
//! has half the arc's length as its radius. Proposition 2 of Schröcker & Weber puts the centre on a tangent and has
//! the radius `tan(ℓκ/2)/κ`, which is never smaller; it is tested, not used.

use super::enclosure::{Map, exact};
use super::motion::{Motion, Piece, Span};
use crate::enclosure::pose_jet::PoseJet;
use crate::robot::RobotMotion;

/// Returns the radius of the ball around the middle of an arc of a given length.
pub fn arc_radius(length: f64) -> f64 {
    (0.5 * length).next_up()
}

/// Returns the radius of the ball around the middle of a time step, from the speed there and a bound on the
/// acceleration.
pub fn middle_radius(speed: f64, step: f64, acceleration: f64) -> f64 {
    let (v, h, a) = (exact(speed), exact(step), exact(acceleration));
    (v * h * exact(0.5) + a * h * h * exact(0.125)).hi
}

/// Returns the radius of the ball around the midpoint of the chord, of length `chord`, from a bound on the
/// acceleration: the curve is within `a t (h - t) / 2` of the chord.
pub fn chord_radius(chord: f64, step: f64, acceleration: f64) -> f64 {
    let (c, h, a) = (exact(chord), exact(step), exact(acceleration));
    let bend = a * h * h;
    if chord >= (bend * exact(0.5)).hi {
        (c * exact(0.5)).hi
    } else {
        ((c * c).quotient(exact(2.0) * bend) + bend * exact(0.125)).hi
    }
}

/// Returns whether an arc of a given length with a bound on its curvature is certainly in the ball whose diameter is
/// its chord: `ℓκ <= π`. Proof: `(c(0) - c(t))·(c(ℓ) - c(t))` is minus an integral of products of unit tangents,
/// each at least the cosine of `κ` times their distance, and the integral of this cosine is not negative (Thales).
pub fn chord_is_diameter(length: f64, curvature: f64) -> bool {
    (exact(length) * exact(curvature)).hi <= std::f64::consts::PI
}

/// A motion given by its value and velocity at any time, and a bound on its acceleration.
pub struct Smooth<F> {
    /// Value and velocity at a time in `[0, 1]`, as exact numbers.
    pub at: F,
    /// Bound on the error of the value at the body's point `p`: `a + b |p|`, metres; the same for the velocity, per
    /// unit of time.
    pub error_m: [f64; 2],
    /// Bound on the acceleration of a point `p` of the body: `a + b |p|`, metres per unit of time squared.
    pub acceleration_m: [f64; 2],
}

impl<F> std::fmt::Debug for Smooth<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Smooth").field("acceleration_m", &self.acceleration_m).finish_non_exhaustive()
    }
}

impl<F: Fn(f64) -> [[[f64; 4]; 3]; 2]> Motion for Smooth<F> {
    fn piece(&self, span: Span) -> Option<Piece> {
        let [value, velocity] = (self.at)(span.middle());
        let half = 0.5 * span.length();
        let remainder_m = [0, 1].map(|k| {
            let bend = exact(self.acceleration_m[k]) * exact(half) * exact(half) * exact(0.5);
            (bend + exact(self.error_m[k]) * exact(half)).hi
        });
        Some(Piece::Taylor {
            middle: Map::from_rows(value),
            error_m: self.error_m,
            velocity: Map::from_rows(velocity),
            acceleration: Map::from_rows([[0.0; 4]; 3]),
            half,
            remainder_m,
        })
    }
}

/// The motion of one body of an articulated model: its jet at the middle of the time, and the remainder that the
/// engine's motion bounds prove.
#[derive(Clone, Copy, Debug)]
pub struct JointCourse<'m> {
    /// The motion of the model.
    pub motion: &'m RobotMotion,
    /// The body.
    pub body: u32,
}

impl Motion for JointCourse<'_> {
    fn piece(&self, span: Span) -> Option<Piece> {
        let half = 0.5 * span.length();
        let bound = self.motion.body_bound(self.body, span.middle(), half);
        let still = self.motion.body_bound(self.body, span.middle(), 0.0);
        let [middle, velocity, acceleration] = maps(&bound.jet);
        Some(Piece::Taylor { middle, error_m: still.ball, velocity, acceleration, half, remainder_m: bound.ball })
    }
}

/// Converts pose, velocity and acceleration of a jet to maps.
fn maps(jet: &PoseJet<f64>) -> [Map; 3] {
    std::array::from_fn(|n| {
        let row = |i: usize| [jet.p[n].0[i][0], jet.p[n].0[i][1], jet.p[n].0[i][2], jet.x[n].0[i]];
        Map::from_rows([row(0), row(1), row(2)])
    })
}
