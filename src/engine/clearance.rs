//! The smallest distance along a trajectory.
//!
//! On a motion that is free with a margin, the distance is larger than the margin. So the clearance of a trajectory is
//! the largest margin with which it is free, and the search for contacts proves the lower bound of the enclosure. The
//! upper bound is the distance of two triangles at one time, which is lowered by descent in time:
//!
//! 1. Near triangles are found at both ends, and the distance of the nearest of them is minimised.
//! 2. The trajectory is searched for a contact with a margin that is smaller by the tolerance. If there is none, both
//!    bounds are known. Otherwise the two triangles in contact are nearer: descent continues from there, and then the
//!    search, with a smaller margin. The part before that place is already free with a larger margin.
//!
//! So the searches with all margins together pass through the trajectory only once. A search for the nearest of all
//! triangles costs a third of such a pass. Therefore the first ones need not find the very nearest, and descents look
//! for nearer triangles only around the last ones.

use super::core::EngineCore;
use super::cpu_backend::{Apart, Neighbours, Scratch};
use super::trajectory::{Event, March, before, deviations, with_rounding, witness};
use super::{Options, Stats};
use crate::clearance::{Clearance, ClearanceOptions, ClosestPoints};
use crate::error::Result;
use crate::robot::Trajectory;
use crate::robot::trajectory::{Place, Span};
use crate::stage::s6_solve::{InitialContactPolicy, Mode, SolveOptions};

/// Times at which near triangles are found first.
const FIRST_LOOKS: [f64; 2] = [0.0, 1.0];
/// Accuracy of these looks: with smaller numbers, more contacts are found later, and with larger ones, the looks take
/// longer.
const FIRST_ACCURACY: f64 = 0.9;
/// Maximum number of descents in time from one place, each for another pair of triangles.
const MAX_DESCENTS: usize = 16;
/// Maximum number of steps of one descent.
const MAX_STEPS: usize = 64;
/// Accuracy of the smallest distance of a pair, as a fraction of the tolerance.
const OF_TOLERANCE: f64 = 1.0 / 32.0;
/// Fraction of the tolerance that is reserved for rounding.
const SPARE: f64 = 1e-3;
/// Number of contacts without a pair of triangles that confirms them, each of which lowers the margin by twice as much
/// as the one before; after these, each lowers it by [`FASTER`] times as much.
const N_DOUBLED: u32 = 12;
const FASTER: f64 = 8.0;

impl EngineCore {
    /// See [`Engine::clearance`](super::Engine::clearance).
    pub(super) fn clearance(
        &self,
        scratch: &mut Scratch,
        trajectory: &Trajectory,
        options: &ClearanceOptions,
        stats: &mut Stats,
    ) -> Result<Clearance> {
        options.check()?;
        self.check_tube(&[])?;
        trajectory.check(&self.world.robot)?;
        let mut search = Search::new(self, scratch, trajectory, options);
        if self.is_trivially_free() {
            return Ok(search.nothing_near());
        }
        search.march(&self.options, stats).find_ignored()?;
        search.smallest(stats)
    }

    /// See [`Engine::closest_points`](super::Engine::closest_points).
    pub(super) fn closest_points(
        &self,
        scratch: &mut Scratch,
        trajectory: &Trajectory,
        place: Place,
        limit_m: f64,
    ) -> Result<Option<ClosestPoints>> {
        trajectory.check(&self.world.robot)?;
        let options = ClearanceOptions::default().with_limit_m(limit_m);
        options.check()?;
        let mut search = Search::new(self, scratch, trajectory, &options);
        if self.is_trivially_free() {
            return Ok(None);
        }
        search.march(&self.options, &mut Stats::default()).find_ignored()?;
        search.look_at(0.0, place, 1.0)?;
        Ok(search.best.map(|best| best.record))
    }
}

/// The nearest triangles so far.
#[derive(Clone, Copy)]
struct Best {
    u: f64,
    pair: Neighbours,
    record: ClosestPoints,
}

struct Search<'a> {
    core: &'a EngineCore,
    scratch: &'a mut Scratch,
    trajectory: &'a Trajectory,
    options: &'a ClearanceOptions,
    best: Option<Best>,
    /// Triangles that are farther apart are not recorded, metres.
    within_m: f64,
    /// The motion in the scratch memory, if this search has stored one.
    prepared: Option<Place>,
    span: Span,
}

impl<'a> Search<'a> {
    fn new(
        core: &'a EngineCore,
        scratch: &'a mut Scratch,
        trajectory: &'a Trajectory,
        options: &'a ClearanceOptions,
    ) -> Self {
        let (best, within_m, prepared, span) = (None, options.limit_m, None, Span::default());
        Self { core, scratch, trajectory, options, best, within_m, prepared, span }
    }

    /// The search for contacts with other options; it uses the scratch memory.
    fn march<'m>(&'m mut self, options: &'m Options, stats: &'m mut Stats) -> March<'m> {
        self.prepared = None;
        March::new((self.core, options), self.scratch, self.trajectory, &[], stats)
    }

    /// The answer if nothing is nearer than the limit.
    fn nothing_near(&self) -> Clearance {
        self.answer(self.options.limit_m)
    }

    /// The distance of the nearest triangles so far.
    fn nearest_m(&self) -> Option<f64> {
        self.best.map(|best| best.record.distance_m)
    }

    /// Upper bound on the smallest distance, as far as it is known.
    fn upper_m(&self) -> f64 {
        self.nearest_m().unwrap_or(self.within_m)
    }

    /// The lower bound that the caller knows. It is not used if pairs are ignored: a check on an adapter may have
    /// ignored a pair that is on the boundary of touching at the start, and that this search does not ignore.
    fn known_m(&self) -> f64 {
        match self.core.options.solve.initial {
            InitialContactPolicy::Report => self.options.known_m,
            InitialContactPolicy::Ignore => 0.0,
        }
    }

    fn smallest(mut self, stats: &mut Stats) -> Result<Clearance> {
        for u in FIRST_LOOKS {
            self.look_at(u, self.trajectory.place(u, false), FIRST_ACCURACY)?;
        }
        self.descend_from_best()?;
        let (ClearanceOptions { tolerance_m, limit_m, .. }, known_m) = (*self.options, self.known_m());
        let mut options = self.core.options.clone();
        // The first contact does not depend on the order of the search, unlike an arbitrary one.
        (options.solve.mode, options.solve.all_contacts) = (Mode::Toc, false);
        options.solve.tolerance = SolveOptions::default().tolerance;
        let (mut u, mut lowest_m) = (0.0, f64::INFINITY);
        let (mut lowered_m, mut step_m, mut n_lowered) = (0.0, 0.5 * SPARE * tolerance_m, 0);
        loop {
            let (upper_m, nearest_m) = (self.upper_m(), self.nearest_m());
            if upper_m == f64::INFINITY {
                return Ok(self.nothing_near());
            }
            let highest_m = if self.best.is_some() { upper_m - (1.0 - SPARE) * tolerance_m } else { limit_m };
            let margin_m = highest_m - lowered_m;
            if margin_m <= known_m {
                return Ok(self.answer(known_m.min(upper_m)));
            }
            options.solve.margin_m = margin_m;
            lowest_m = margin_m.min(lowest_m);
            let mut march = self.march(&options, stats);
            let (at, near) = match march.next_event(u)? {
                Event::Free => return Ok(self.answer(lowest_m)),
                // A part of a segment that cannot be cut is not a motion.
                Event::Ended(at, _) if march.keeps_segments() => {
                    let segment = self.trajectory.segment_at(at);
                    (self.trajectory.knot(segment), at)
                }
                Event::Ended(at, _) => (at, at),
                Event::Contact { span, contact } => {
                    let at = if march.keeps_segments() { span[0] } else { before(span, contact.toc[0]) };
                    (at, witness(span, &contact))
                }
            };
            u = at;
            // Triangles within rounding of the limit may be beyond it.
            self.within_m = limit_m + tolerance_m;
            if let Some(touching) = self.scratch.touching() {
                self.descend(touching, near)?;
            }
            if self.nearest_m() == nearest_m {
                self.look(near)?;
                self.look(at)?;
                self.descend_from_best()?;
            }
            if self.nearest_m() == nearest_m {
                lowered_m += step_m;
                n_lowered += 1;
                step_m *= if n_lowered < N_DOUBLED { 2.0 } else { FASTER };
            }
        }
    }

    fn answer(&self, lower_m: f64) -> Clearance {
        let closest = self.best.map(|best| best.record);
        Clearance { distance_m: [lower_m, closest.map_or(f64::INFINITY, |closest| closest.distance_m)], closest }
    }

    /// Looks for the nearest triangles at `u`.
    fn look(&mut self, u: f64) -> Result<()> {
        self.look_at(u, self.trajectory.place(u, false), 1.0)
    }

    /// Looks for triangles that are nearer at a place, with the accuracy of a
    /// [search](crate::stage::s5_pairs::Sought::accuracy).
    fn look_at(&mut self, u: f64, place: Place, accuracy: f64) -> Result<()> {
        let t = self.prepare(place)?;
        if let Some(pair) = self.scratch.nearest(&self.core.world, t, self.upper_m(), accuracy) {
            self.compare(pair, u, place, t);
        }
        Ok(())
    }

    /// Looks for nearer triangles around the nearest ones. Returns whether there are any.
    fn look_around(&mut self, best: &Best) -> Result<bool> {
        let place = self.trajectory.place(best.u, false);
        let t = self.prepare(place)?;
        let before_m = self.upper_m();
        if let Some(pair) = self.scratch.nearest_around(&self.core.world, t, before_m, &best.pair) {
            self.compare(pair, best.u, place, t);
        }
        Ok(self.upper_m() < before_m)
    }

    fn descend_from_best(&mut self) -> Result<()> {
        self.best.map_or(Ok(()), |best| self.descend(best.pair, best.u))
    }

    /// Follows a pair from `u` to its smallest distance, and continues with the pair around the nearest one that is
    /// nearest there, until no other one is nearer.
    fn descend(&mut self, mut pair: Neighbours, mut u: f64) -> Result<()> {
        for _ in 0..MAX_DESCENTS {
            self.minimise(&pair, u)?;
            let Some(best) = self.best else { break };
            if !self.look_around(&best)? {
                break;
            }
            (pair, u) = self.best.map_or((pair, u), |best| (best.pair, best.u));
        }
        Ok(())
    }

    /// Lowers the distance of a pair by moving in time from `u`: with growing steps downhill, then by golden section.
    fn minimise(&mut self, pair: &Neighbours, u: f64) -> Result<()> {
        let step = 1.0 / (16.0 * self.trajectory.n_segments() as f64);
        let mut low = [self.apart(pair, u)?; 3];
        for (k, side) in [(0, -1.0), (2, 1.0)] {
            low[k] = self.apart(pair, u + side * step)?;
        }
        let mut n_steps = 0;
        while let Some(k) = [0, 2].into_iter().find(|k| low[*k].1 < low[1].1)
            && n_steps < MAX_STEPS
        {
            let next = self.apart(pair, low[k].0 + 2.0 * (low[k].0 - low[1].0))?;
            let behind = low[1];
            (low[1], low[k], low[2 - k]) = (low[k], next, behind);
            n_steps += 1;
        }
        let enough_m = OF_TOLERANCE * self.options.tolerance_m;
        while n_steps < MAX_STEPS && low[0].1.max(low[2].1) - low[1].1 > enough_m {
            let widths = [low[1].0 - low[0].0, low[2].0 - low[1].0];
            let k = if widths[1] > widths[0] { 2 } else { 0 };
            if widths[k / 2] <= f64::EPSILON {
                break;
            }
            let next = self.apart(pair, low[1].0 + GOLDEN * (low[k].0 - low[1].0))?;
            if next.1 < low[1].1 {
                (low[2 - k], low[1]) = (low[1], next);
            } else {
                low[k] = next;
            }
            n_steps += 1;
        }
        Ok(())
    }

    /// The place in time nearest to `u` within the trajectory, and the distance of a pair there, which is recorded if
    /// it is the smallest so far.
    fn apart(&mut self, pair: &Neighbours, u: f64) -> Result<(f64, f64)> {
        let u = u.clamp(0.0, 1.0);
        let place = self.trajectory.place(u, false);
        let t = self.prepare(place)?;
        Ok((u, self.compare(*pair, u, place, t)))
    }

    /// The distance of a pair at a place, for which the motion is prepared. It is recorded if it is the smallest so
    /// far.
    fn compare(&mut self, pair: Neighbours, u: f64, place: Place, t: f64) -> f64 {
        let world = &*self.core.world;
        let apart: Apart = pair.apart_at(world, &self.scratch.motion, t);
        if apart.distance_m < self.upper_m() {
            self.best = Some(Best { u, pair, record: pair.record(world, place, &apart) });
        }
        apart.distance_m
    }

    /// Stores a motion that contains a place in the scratch memory. Returns the time in the motion.
    fn prepare(&mut self, place: Place) -> Result<f64> {
        let is_straight = self.trajectory.degree(place.segment) == 1;
        // A straight segment is one motion for all of its places.
        let (key, t) = if is_straight { (Place { t: 0.0, ..place }, place.t) } else { (place, 0.0) };
        if self.prepared != Some(key) {
            self.trajectory.span_at(&mut self.span, place);
            let (robot, span, motion) = (&self.core.world.robot, &self.span, &mut self.scratch.motion);
            motion.set(robot, &span.start, &span.end)?;
            motion.set_margin(0.0);
            let joints = robot.bodies.iter().map(|body| &body.joint);
            let by_column = deviations(robot, span, |c| span.rounding[c]);
            motion.set_deviations(joints.zip(by_column).map(|(joint, d)| with_rounding(joint, span, d)));
            self.prepared = Some(key);
        }
        Ok(t)
    }
}

/// Fraction of the wider side at which a golden section evaluates next.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

#[cfg(test)]
mod tests;
