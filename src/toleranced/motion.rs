//! Motions as curves in the space of affine displacements, and balls that contain their parts.

use super::enclosure::{Enclosure, Map, exact};
use super::metric::Metric;
use serde::{Deserialize, Serialize};

/// The part `[index, index + 1] / 2^level` of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// How often time was halved.
    pub level: u32,
    /// Which of the parts.
    pub index: u64,
}

/// The most levels: times are exact.
pub const MAX_LEVEL: u32 = 40;

impl Span {
    /// The whole motion.
    pub const ALL: Self = Self { level: 0, index: 0 };

    /// Where it starts.
    pub fn start(self) -> f64 {
        self.index as f64 * self.length()
    }

    /// Where it ends.
    pub fn end(self) -> f64 {
        (self.index + 1) as f64 * self.length()
    }

    /// Its length, a power of two.
    pub fn length(self) -> f64 {
        0.5f64.powi(self.level as i32)
    }

    /// Its middle.
    pub fn middle(self) -> f64 {
        (self.index as f64 + 0.5) * self.length()
    }

    /// Its two halves.
    pub fn halves(self) -> [Self; 2] {
        [0, 1].map(|k| Self { level: self.level + 1, index: 2 * self.index + k })
    }
}

/// A ball of displacements that contains part of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Its centre: exact numbers, so a few units of rounding off the motion.
    pub centre: Map,
    /// Its radius, rounded up, and more than is needed by twice [`SLACK`].
    pub radius: f64,
    /// How far the motion in the middle of the time is from the centre, at most.
    pub middle_radius: f64,
}

/// By this share a radius on record is larger than needed, and a radius used larger than that on record: an arithmetic other
/// than this one's then comes to the same verdict.
pub const SLACK: f64 = 1.0 / (1u64 << 31) as f64;

/// The same for what rounds, as a share of the norm of the centre.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

impl Ball {
    /// The radius to put on record.
    pub fn recorded(&self) -> f64 {
        self.radius * (1.0 - SLACK)
    }
}

/// What is known of a part of a motion, for bodies and metrics of any kind.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few at a time")]
pub enum Piece {
    /// The motion runs in the convex hull of some maps.
    Hull {
        /// These maps.
        points: Vec<Map>,
        /// The map in the middle of the time.
        middle: Map,
    },
    /// The motion is near a quadratic in the time from the middle.
    Taylor {
        /// The map in the middle.
        middle: Map,
        /// How far the true image of a point `p` of the body may be from that: `a + b |p|`, metres.
        error_m: [f64; 2],
        /// The quadratic's velocity.
        velocity: Map,
        /// The quadratic's acceleration.
        acceleration: Map,
        /// Half the length of the time.
        half: f64,
        /// How far the image of a point `p` may be from the quadratic: `a + b |p|`, metres.
        remainder_m: [f64; 2],
    },
}

impl Piece {
    /// The ball about the middle, for a body whose coordinates `frame` turns into those of the motion; `None` if numbers got out
    /// of hand.
    ///
    /// For a hull its radius is the largest distance of the maps. Otherwise, with `‖·‖` the metric's norm,
    /// `‖c(t) - c(m)‖ <= ‖v‖ h/2 + ‖a‖ h²/8 + √m r₀ + r₁ ‖frame‖`, because `‖δ‖² = Σ w |δ(p)|²` and the norm of the frame is
    /// that of the numbers `|p|`.
    pub fn ball(&self, frame: &Map, metric: &Metric) -> Option<Ball> {
        let (centre, radius, middle_radius) = match self {
            Self::Hull { points, middle } => {
                let middle = middle.after(frame);
                let centre = middle.middle();
                let distance = |p: &Map| metric.norm(&p.after(frame).minus(&centre));
                (centre, points.iter().map(distance).fold(0.0, f64::max), metric.norm(&middle.minus(&centre)))
            }
            Self::Taylor { middle, error_m, velocity, acceleration, half, remainder_m } => {
                let middle = middle.after(frame);
                let centre = middle.middle();
                let (root_mass, size) = (metric.root_mass(), metric.norm(frame));
                let stray = |[a, b]: [f64; 2]| exact(a) * exact(root_mass) + exact(b) * exact(size);
                let off = exact(metric.norm(&middle.minus(&centre))) + stray(*error_m);
                let norm = |m: &Map| exact(metric.norm(&m.after(frame)));
                let h = exact(*half);
                let travel = norm(velocity) * h + norm(acceleration) * h * h * exact(0.5) + stray(*remainder_m);
                (centre, (off + travel).hi, off.hi)
            }
        };
        // What another arithmetic may round otherwise.
        let rounding = metric.norm(&centre) * ROUNDING;
        let (radius, middle_radius) = ((radius + rounding) * (1.0 + 2.5 * SLACK), middle_radius + rounding);
        (radius.is_finite() && middle_radius.is_finite()).then_some(Ball { centre, radius, middle_radius })
    }
}

/// A motion that can be cut into pieces.
pub trait Motion {
    /// What is known of a part; `None` if nothing: then it is to be halved.
    fn piece(&self, span: Span) -> Option<Piece>;
}

/// Half the sum.
pub(super) fn mean(a: Enclosure, b: Enclosure) -> Enclosure {
    (a + b) * exact(0.5)
}
