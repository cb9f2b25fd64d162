//! Conservative advancement: two bodies in time, by steps in which their distance cannot become zero.
//!
//! No vertex travels further in a step than the distance just measured, but a step has a least length. So only a
//! passage shorter than the fine step can be missed; every reported hit is a real piercing of two triangles at the
//! reported time, up to the rounding of the poses.

use super::chain::Part;
use super::mesh::Triangle;
use super::tree::Closest;

/// The resolution of the sampling.
#[derive(Clone, Copy, Debug)]
pub struct Fineness {
    /// Minimum travel of the fastest vertex in a step.
    pub step_m: f64,
    /// Distances are measured at least up to this; the least gap of an outcome never exceeds it.
    pub horizon_m: f64,
}

impl Default for Fineness {
    fn default() -> Self {
        Self { step_m: 1e-4, horizon_m: 5e-3 }
    }
}

/// The result of walking through a part of a motion.
pub struct Walk {
    /// Time and triangles of the first piercing.
    pub hit: Option<(f64, Closest)>,
    /// Before this time the measured distances alone exclude contact.
    pub sure_until: f64,
    pub least_gap_m: f64,
}

/// Two bodies during a motion.
pub struct Passage<'a> {
    /// The closest pair of triangles at a time, if it is nearer than a limit.
    pub measure: &'a dyn Fn(f64, f64) -> Option<Closest>,
    /// An upper bound of the change of their distance during the whole motion, at constant rate.
    pub travel: f64,
}

impl Passage<'_> {
    /// Walks from one time to another, or to the first piercing.
    pub fn walk(&self, (start, end): (f64, f64), f: Fineness) -> Walk {
        let mut walk = Walk { hit: None, sure_until: end, least_gap_m: f.horizon_m };
        let (mut t, mut before) = (start, start);
        loop {
            let limit = (self.travel * (end - t)).clamp(f.horizon_m, 20.0 * f.horizon_m);
            let found = (self.measure)(t, limit);
            let distance = found.map_or(limit, |c| c.distance);
            if let Some(c) = found.filter(|c| c.distance == 0.0) {
                walk.least_gap_m = 0.0;
                walk.sure_until = walk.sure_until.min(before);
                walk.hit = Some(self.bisect((before, t), c));
                return walk;
            }
            walk.least_gap_m = walk.least_gap_m.min(distance);
            if t >= end || self.travel == 0.0 {
                return walk;
            }
            if distance < f.step_m && walk.sure_until > t {
                walk.sure_until = t + distance / self.travel;
            }
            before = t;
            // shorter steps near obstacles, so that the least gap is found to about a tenth of itself
            let share = if distance < 2.0 * f.horizon_m { 0.2 } else { 0.999 };
            t = (t + (share * distance).max(f.step_m) / self.travel).min(end);
        }
    }

    /// The earliest piercing between a time without one and a time with one.
    fn bisect(&self, (mut out, mut within): (f64, f64), mut found: Closest) -> (f64, Closest) {
        while (within - out) * self.travel > 1e-10 {
            let middle = 0.5 * (out + within);
            if middle <= out || middle >= within {
                break;
            }
            match (self.measure)(middle, 1e-12).filter(|c| c.distance == 0.0) {
                Some(c) => (within, found) = (middle, c),
                None => out = middle,
            }
        }
        (within, found)
    }

    /// The time that measured distances alone prove clear: until they fall below 1e-8 m, for a thousand steps.
    pub fn creep(&self, (start, end): (f64, f64)) -> f64 {
        let mut t = start;
        for _ in 0..1000 {
            let limit = (self.travel * (end - t)).max(1e-6);
            let distance = (self.measure)(t, limit).map_or(limit, |c| c.distance);
            if distance < 1e-8 {
                return t;
            }
            t += 0.999 * distance / self.travel;
            if t >= end {
                return end;
            }
        }
        t
    }
}

/// An upper bound of the travel of the points within `radius` of the origin of a chain's last joint.
pub fn travel_bound(chain: &[Part], radius: f64) -> f64 {
    // from tip to root: the maximum distance of a vertex from the joint's origin, times the turn
    let (mut reach, mut travel) = (radius, 0.0);
    for part in chain.iter().rev() {
        travel += part.w.abs() * reach + part.s.length();
        reach += part.c.length().max((part.c + part.s).length());
    }
    travel * (1.0 + 1e-9)
}

/// Largest distance of a vertex from the origin.
pub fn radius(triangles: &[Triangle]) -> f64 {
    triangles.iter().flatten().map(|p| p.length()).fold(0.0, f64::max)
}
