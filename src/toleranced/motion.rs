//! Motions as curves in the space of affine displacements, and balls that contain their parts.

use super::enclosure::{Enclosure, Map, exact};
use super::metric::Metric;
use serde::{Deserialize, Serialize};

/// The part `[index, index + 1] / 2^level` of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Number of halvings of the time.
    pub level: u32,
    /// Index of the part.
    pub index: u64,
}

/// Maximum level, up to which times are exact.
pub const MAX_LEVEL: u32 = 40;

impl Span {
    /// The whole motion.
    pub const ALL: Self = Self { level: 0, index: 0 };

    /// Returns the start of the part.
    pub fn start(self) -> f64 {
        self.index as f64 * self.length()
    }

    /// Returns the end of the part.
    pub fn end(self) -> f64 {
        (self.index + 1) as f64 * self.length()
    }

    /// Returns the length, a power of two.
    pub fn length(self) -> f64 {
        0.5f64.powi(self.level as i32)
    }

    /// Returns the middle.
    pub fn middle(self) -> f64 {
        (self.index as f64 + 0.5) * self.length()
    }

    /// Returns both halves.
    pub fn halves(self) -> [Self; 2] {
        [0, 1].map(|k| Self { level: self.level + 1, index: 2 * self.index + k })
    }
}

/// A ball of displacements that contains part of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Its centre: exact numbers, which differ from the motion by a few units of rounding.
    pub centre: Map,
    /// Its radius, rounded up, and larger than needed by at least twice [`SLACK`].
    pub radius: f64,
    /// An upper bound on the distance of the motion at the middle of the time from the centre.
    pub middle_radius: f64,
}

/// Minimum relative excess of a recorded radius over the radius that is needed, and relative excess of a radius in use
/// over the recorded one. It ensures that a different arithmetic reaches the same verdict.
pub const SLACK: f64 = 1.0 / (1u64 << 31) as f64;

/// Like [`SLACK`], for rounding, as a share of the norm of the centre.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

impl Ball {
    /// Returns the radius to record.
    pub fn recorded(&self) -> f64 {
        self.radius * (1.0 - SLACK)
    }
}

/// Enclosure of a part of a motion, for bodies and metrics of any kind.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few at a time")]
pub enum Piece {
    /// The motion stays in the convex hull of some maps.
    Hull {
        /// These maps.
        points: Vec<Map>,
        /// The map at the middle of the time.
        middle: Map,
    },
    /// The motion is close to a quadratic in the time from the middle.
    Taylor {
        /// The map at the middle.
        middle: Map,
        /// Bound on the distance of the true image of a point `p` of the body from that of `middle`: `a + b |p|`,
        /// metres.
        error_m: [f64; 2],
        /// The quadratic's velocity.
        velocity: Map,
        /// The quadratic's acceleration.
        acceleration: Map,
        /// Half the duration.
        half: f64,
        /// Bound on the distance of the image of a point `p` from the quadratic: `a + b |p|`, metres.
        remainder_m: [f64; 2],
    },
}

impl Piece {
    /// Returns the ball around the middle, for a body whose coordinates `frame` maps to those of the motion; `None` if
    /// numbers overflow.
    ///
    /// For a hull the radius is the largest distance of the maps. Otherwise, with `‖·‖` the metric's norm and `h`
    /// the duration, `‖c(t) - c(m)‖ <= ‖v‖ h/2 + ‖a‖ h²/8 + √m r₀ + r₁ ‖frame‖`, because
    /// `‖δ‖² = Σ w |δ(p)|²` and the norm of the frame is that of the numbers `|p|`.
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
        // Covers the differences in rounding of another arithmetic.
        let rounding = metric.norm(&centre) * ROUNDING;
        let (radius, middle_radius) = ((radius + rounding) * (1.0 + 2.5 * SLACK), middle_radius + rounding);
        (radius.is_finite() && middle_radius.is_finite()).then_some(Ball { centre, radius, middle_radius })
    }
}

/// A motion that can be divided into pieces.
pub trait Motion {
    /// Returns an enclosure of a part; `None` if the part must be halved first.
    fn piece(&self, span: Span) -> Option<Piece>;
}

/// Returns the mean of two intervals.
pub(super) fn mean(a: Enclosure, b: Enclosure) -> Enclosure {
    (a + b) * exact(0.5)
}
