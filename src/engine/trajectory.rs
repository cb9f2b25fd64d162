//! The first contact on a trajectory.
//!
//! A span of one segment passes through the stages like any motion, with its joints as polynomials of time
//! ([`phase`](crate::robot::phase)). A span of several segments is replaced by a straight motion whose balls contain
//! the deviation ([`Span`](crate::robot::trajectory::Span)). If all motions within the balls are free, so is the
//! trajectory. If something may touch, the trajectory is free up to the earliest such time, and a shorter span begins
//! there. The deviation decreases with the square of the length, so a few steps reduce it from centimetres to that of a
//! single segment, or to less than rounding. In such a span the exact stage gives the answer, with features and a
//! proof.

mod deviation;

pub(super) use deviation::{deviations, with_rounding};

use super::core::EngineCore;
use super::cpu_backend::{CpuStages, Part, Scratch, ScratchGuard};
use super::{Options, Solids, Stats, Sweep};
use crate::enclosure::chain_bounds::Deviation;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::error::{Error, Result, quoted};
#[cfg(feature = "gpu")]
use crate::robot::MotionBatch;
use crate::robot::trajectory::{Place, Span};
use crate::robot::{Body, ColumnKind, JointKind, Trajectory};
use crate::scene::world::MAX_COORDINATE_M;
use crate::stage::s6_solve::{InitialContactPolicy, Method, Mode, SolveOptions};
use crate::verdict::{Certainty, Contact, TrajectoryVerdict, Undecided, UndecidedReason, Verdict};
use rayon::prelude::*;
use std::time::Instant;

/// Largest deviation of a link, metres, with which a span is searched.
const COARSE_M: f64 = 0.03;
/// Largest deviation of a link, metres, with which contacts are solved rather than approached.
const FINE_M: f64 = 1e-4;
/// Deviation of a link, metres, that does not widen an enclosure: proofs on large triangles need a depth of some tens
/// of it. A deviation below its own rounding does not widen one either.
const FINAL_M: f64 = 1e-13;
/// Factor by which a span in which something may touch is shortened.
const APPROACH: f64 = 8.0;
/// Length of the shortest span, in which an answer must be found.
const SHORTEST: f64 = 1.0 / (1u64 << 40) as f64;
/// Number of later contacts that are tried for a proof if the first has none.
const LATE_PROOFS: usize = 8;
/// Maximum number of spans, in addition to those for each segment.
const MAX_SPANS: usize = 1 << 16;
/// Maximum number of spans for each segment.
const SPANS_PER_SEGMENT: usize = 64;

/// Number of trajectories per thread that are checked before their answers are passed on.
const BATCH: usize = 16;
/// Number of trajectories that a device searches together.
const ON_DEVICE: usize = 1 << 10;

impl EngineCore {
    /// See [`Engine::check_trajectories`](super::Engine::check_trajectories).
    pub(super) fn check_trajectories(
        &self,
        trajectories: &[Trajectory],
        tube: &[f64],
        sink: &mut dyn FnMut(usize, TrajectoryVerdict) -> Result<()>,
    ) -> Result<Stats> {
        self.check_tube(tube)?;
        let start = Instant::now();
        let tube = if tube.iter().all(|tau| *tau == 0.0) { &[] } else { tube };
        let mut all = Stats { build_s: self.build_s, ..Stats::default() };
        let n_chunk = if self.has_gpu() { ON_DEVICE } else { trajectories.len().max(1) };
        for (chunk, first) in trajectories.chunks(n_chunk).zip((0..).step_by(n_chunk)) {
            let free_until = self.free_until(chunk, tube, &mut all)?;
            let check = |scratch: &mut Scratch, i: usize, stats: &mut Stats| {
                let verdict = self.check_trajectory(scratch, &chunk[i], (tube, free_until[i]), stats);
                verdict.map_err(|e| e.at(format!("trajectory {}", first + i)))
            };
            let of_chunk = self.each(chunk.len(), check, &mut |i, verdict| sink(first + i, verdict))?;
            all.add(&of_chunk);
        }
        all.wall_s = start.elapsed().as_secs_f64();
        Ok(all)
    }

    /// The parameter of each trajectory up to which a device proves it free.
    #[cfg(feature = "gpu")]
    fn free_until(&self, trajectories: &[Trajectory], tube: &[f64], stats: &mut Stats) -> Result<Vec<f64>> {
        if !self.has_gpu() || self.is_trivially_free() {
            return Ok(vec![0.0; trajectories.len()]);
        }
        self.free_on_gpu(&self.pipelines, trajectories, tube, stats)
    }

    #[cfg(not(feature = "gpu"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as with a device")]
    fn free_until(&self, trajectories: &[Trajectory], _: &[f64], _: &mut Stats) -> Result<Vec<f64>> {
        Ok(vec![0.0; trajectories.len()])
    }

    /// Passes the answers of `ask` for `n` questions to `sink`, in their order; asks on all threads.
    pub(super) fn each<A: Send>(
        &self,
        n: usize,
        ask: impl Fn(&mut Scratch, usize, &mut Stats) -> Result<A> + Sync,
        sink: &mut dyn FnMut(usize, A) -> Result<()>,
    ) -> Result<Stats> {
        let mut all = Stats::default();
        let n_batch = BATCH * self.threads();
        for first in (0..n).step_by(n_batch) {
            let ask = |guard: &mut ScratchGuard, i: usize| {
                let mut stats = Stats::default();
                ask(guard.get(), i, &mut stats).map(|answer| (answer, stats))
            };
            let each = (first..n.min(first + n_batch)).into_par_iter().with_max_len(1);
            let answers: Vec<_> = self
                .workers
                .pool
                .install(|| each.map_init(|| self.workers.scratch.acquire(), ask).collect::<Result<_>>())?;
            for (i, (answer, stats)) in (first..).zip(answers) {
                all.add(&stats);
                sink(i, answer)?;
            }
        }
        Ok(all)
    }

    pub(super) fn check_tube(&self, tube: &[f64]) -> Result<()> {
        let robot = &self.world.robot;
        let n_columns = robot.columns.len();
        if !tube.is_empty() && tube.len() != n_columns {
            return Err(Error::usage(format!("{} joint tolerances for {n_columns} columns", tube.len())));
        }
        let is_valid = |tau: &f64| (0.0..=MAX_COORDINATE_M).contains(tau);
        if let Some(column) = tube.iter().position(|tau| !is_valid(tau)) {
            let message = format!("the joint tolerance {:?} is not between 0 and {MAX_COORDINATE_M}", tube[column]);
            return Err(Error::usage(message).at(format!("column {column}")));
        }
        let beyond = |body: &&Body| match body.joint.kind {
            JointKind::Revolute { drive, .. } | JointKind::Prismatic { drive, .. } => {
                let tau = tube.get(drive.column as usize).unwrap_or(&0.0);
                drive.multiplier.abs() * tau > MAX_COORDINATE_M
            }
            JointKind::Fixed | JointKind::Free { .. } => false,
        };
        if let Some(body) = robot.bodies.iter().find(beyond) {
            let name = quoted(&body.joint.name);
            return Err(Error::usage(format!("the tolerance of joint {name} is larger than {MAX_COORDINATE_M}")));
        }
        let in_free = |column: usize| matches!(robot.columns[column].kind, ColumnKind::Free(_));
        if let Some(column) = tube.iter().enumerate().position(|(column, x)| *x > 0.0 && in_free(column)) {
            let name = quoted(&robot.columns[column].name);
            return Err(Error::usage(format!("the free joint of column {name} cannot have a tolerance")));
        }
        if self.options.bound == PoseEnclosure::DisplacementBall || self.options.solve.method == Method::Paper {
            let message = "toleranced bounds and the paper's equations support only straight motions";
            return Err(Error::usage(message).remedy("use --bound jet and --solver jet for trajectories"));
        }
        Ok(())
    }

    /// The answer for a trajectory that is already known to be free up to a parameter; `tube` is the tolerance of each
    /// column, radians or metres, or empty.
    fn check_trajectory(
        &self,
        scratch: &mut Scratch,
        trajectory: &Trajectory,
        (tube, free_until): (&[f64], f64),
        stats: &mut Stats,
    ) -> Result<TrajectoryVerdict> {
        trajectory.check(&self.world.robot)?;
        let mut march = March::new((self, &self.options), scratch, trajectory, tube, stats);
        let mut verdict = march.first_contact(free_until)?;
        if self.options.solids == Solids::Off {
            stats.count(&verdict.verdict);
            return Ok(verdict);
        }
        let start = trajectory.waypoint(0);
        scratch.motion.set(&self.world.robot, &start, &start)?;
        let completed = self.complete_in(scratch, verdict.verdict.clone(), stats);
        if completed != verdict.verdict {
            verdict = TrajectoryVerdict { time_s: start_time(trajectory), ..TrajectoryVerdict::of(completed) };
        }
        stats.count(&verdict.verdict);
        Ok(verdict)
    }
}

/// The parameter at which a contact in a span is proved to exist, or may begin.
pub(super) fn witness(span: [f64; 2], contact: &Contact) -> f64 {
    if contact.is_proved() { after(span, contact.toc[1]) } else { before(span, contact.toc[0]) }
}

impl TrajectoryVerdict {
    /// An answer at the start.
    fn of(verdict: Verdict) -> Self {
        Self { verdict, segment: 0, segment_hi: 0, time_s: None }
    }
}

fn start_time(trajectory: &Trajectory) -> Option<[f64; 2]> {
    trajectory.times_s().map(|times| [times[0]; 2])
}

/// A trajectory as straight motions from which it deviates.
#[cfg(feature = "gpu")]
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// The parameter at the start of each.
    pub starts: Vec<f64>,
    /// The motions.
    pub motions: MotionBatch,
}

/// The first event on a trajectory.
pub(super) enum Event {
    /// Nothing touches.
    Free,
    /// A contact that cannot be approached further, in a span.
    Contact { span: [f64; 2], contact: Contact },
    /// The search ended: everything before is free.
    Ended(f64, UndecidedReason),
}

/// The result of examining a span.
enum Look {
    Free,
    /// Free up to this parameter, where something may touch; the second number divides the length of the next span.
    Approach(f64, f64),
    /// Something may touch immediately.
    Probe,
    Event(Event),
}

/// The search through a trajectory.
pub(super) struct March<'a> {
    core: &'a EngineCore,
    options: &'a Options,
    stages: CpuStages<'a>,
    scratch: &'a mut Scratch,
    stats: &'a mut Stats,
    trajectory: &'a Trajectory,
    /// Tolerance of each column, radians or metres; empty without a tolerance.
    tube: &'a [f64],
    span: Span,
    /// True if every span is a whole segment: a free joint turns about a constant axis, so its columns do not run
    /// linearly, and a part of its motion is not the motion between two of their values.
    keeps_segments: bool,
    /// True if every span is a straight motion, the only kind that a device accepts.
    is_straight: bool,
    n_spans: usize,
}

impl<'a> March<'a> {
    /// The search of an engine with these options.
    pub fn new(
        (core, options): (&'a EngineCore, &'a Options),
        scratch: &'a mut Scratch,
        trajectory: &'a Trajectory,
        tube: &'a [f64],
        stats: &'a mut Stats,
    ) -> Self {
        let keeps_segments = core.world.robot.bodies.iter().any(|b| matches!(b.joint.kind, JointKind::Free { .. }));
        let stages = CpuStages { options, ..core.cpu_stages(Sweep::Off) };
        let span = Span::default();
        let (is_straight, n_spans) = (false, 0);
        Self { core, options, stages, scratch, stats, trajectory, tube, span, keeps_segments, is_straight, n_spans }
    }

    /// The trajectory as spans from which no link deviates by more than `coarse_m`, except for spans that cannot be
    /// cut.
    #[cfg(feature = "gpu")]
    pub fn spans(&mut self, coarse_m: f64) -> Result<Spans> {
        self.is_straight = true;
        let (mut spans, mut u, mut length) = (Spans::default(), 0.0, 1.0);
        while u < 1.0 {
            let end = self.fit(u, length, coarse_m)?;
            let deviations = self.total_deviations([u, end]);
            spans.motions.push_deviating([&self.span.start, &self.span.end], deviations);
            spans.starts.push(u);
            (u, length) = (end, 2.0 * (end - u));
        }
        Ok(spans)
    }

    /// The first contact, if there is none before `free_until`.
    fn first_contact(&mut self, free_until: f64) -> Result<TrajectoryVerdict> {
        if self.core.is_trivially_free() {
            return Ok(TrajectoryVerdict::of(Verdict::Free));
        }
        self.find_ignored()?;
        match self.next_event(free_until)? {
            Event::Free => Ok(TrajectoryVerdict::of(Verdict::Free)),
            Event::Ended(u, reason) => Ok(self.undecided(u, reason)),
            Event::Contact { span, contact } if self.tube.is_empty() => self.with_proof(span, contact, 1.0),
            Event::Contact { span, contact } => self.nominal(span, contact),
        }
    }

    /// A contact within the tube: the first contact of the nominal motion from there on is the proof, if it has one.
    fn nominal(&mut self, span: [f64; 2], contact: Contact) -> Result<TrajectoryVerdict> {
        let clear_until = before(span, contact.toc[0]);
        self.tube = &[];
        let from = if self.keeps_segments { span[0] } else { clear_until };
        match self.next_event(from)? {
            Event::Contact { span, contact } => self.with_proof(span, contact, clear_until),
            Event::Free | Event::Ended(..) => {
                let possible = Contact { certainty: Certainty::Possible, ..contact };
                Ok(self.contact(clear_until, None, possible))
            }
        }
    }

    /// The answer for a contact; nothing after `clear_until` counts as free. Without a proof, later contacts are
    /// tried.
    fn with_proof(&mut self, span: [f64; 2], contact: Contact, clear_until: f64) -> Result<TrajectoryVerdict> {
        let own = before(span, contact.toc[0]);
        let (lo, proved) = (own.min(clear_until), contact.certainty.min(Certainty::Proved));
        if contact.is_proved() {
            let hi = after(span, contact.toc[1]);
            let certainty = if lo < own { proved } else { contact.certainty };
            return Ok(self.contact(lo, Some(hi), Contact { certainty, ..contact }));
        }
        let mut end = span[1];
        for _ in 0..LATE_PROOFS {
            match self.next_event(end)? {
                Event::Contact { span, contact: later } if later.is_proved() => {
                    let hi = after(span, later.toc[1]);
                    let proved = Contact { certainty: Certainty::Proved, ..contact };
                    return Ok(self.contact(lo, Some(hi), proved));
                }
                Event::Contact { span, .. } => end = span[1],
                Event::Free | Event::Ended(..) => break,
            }
        }
        Ok(self.contact(lo, None, contact))
    }

    /// Returns whether spans are whole segments.
    pub fn keeps_segments(&self) -> bool {
        self.keeps_segments
    }

    fn options(&self) -> &'a SolveOptions {
        &self.options.solve
    }

    /// Finds the pairs that are ignored, if the options ignore those that touch at the start: of a single motion by the
    /// motion itself, as its check does, since its bounds at the start depend on all of it; otherwise by a constant
    /// motion. The memory may contain pairs of an earlier trajectory, even of another engine.
    pub fn find_ignored(&mut self) -> Result<()> {
        self.scratch.forget_motion();
        if self.options().initial == InitialContactPolicy::Report {
            return Ok(());
        }
        let whole = [0.0, 1.0];
        // Joint tolerances are not part of the start.
        if self.tube.is_empty() && self.is_motion(whole) {
            self.set_motion(whole)?;
            let deviations = self.total_deviations(whole);
            self.scratch.motion.set_deviations(deviations);
        } else {
            let start = self.trajectory.waypoint(0);
            self.scratch.motion.set(&self.core.world.robot, &start, &start)?;
            self.scratch.motion.set_margin(self.options().margin_m);
        }
        let part = Part { solve: *self.options(), is_start: true };
        self.stages.check_part(self.options.item_cap(), self.scratch, self.stats, part);
        Ok(())
    }

    /// The first event at `u` or later; everything from `u` to it is proved free.
    pub fn next_event(&mut self, mut u: f64) -> Result<Event> {
        let mut length = 1.0 - u;
        let cap = self.n_spans + MAX_SPANS + SPANS_PER_SEGMENT * self.trajectory.n_segments();
        while u < 1.0 {
            let end = self.fit(u, length, COARSE_M)?;
            self.n_spans += 1;
            if self.n_spans > cap {
                return Ok(Event::Ended(u, UndecidedReason::EvaluationCap));
            }
            (u, length) = match self.look([u, end], false) {
                Look::Free => (end, 2.0 * (end - u)),
                Look::Approach(at, shorter) => (at.max(u), (end - u) / shorter),
                Look::Probe => {
                    let shortest = self.shortest(u);
                    self.set_motion([u, u + shortest])?;
                    if let Look::Event(event) = self.look([u, u + shortest], true) {
                        return Ok(event);
                    }
                    (u + shortest, (end - u) / APPROACH)
                }
                Look::Event(event) => return Ok(event),
            };
        }
        Ok(Event::Free)
    }

    /// Prepares the motion of a span that starts at `u` and is about as long as asked, or shorter, so that no link
    /// deviates by more than `coarse_m`. Returns its end.
    fn fit(&mut self, u: f64, length: f64, coarse_m: f64) -> Result<f64> {
        let mut end = self.snapped(u, (u + length.max(SHORTEST)).min(1.0));
        loop {
            self.set_motion([u, end])?;
            let n_segments = self.trajectory.segment_at(end) + 1 - self.trajectory.segment_after(u);
            let cannot_be_cut = end - u <= SHORTEST || (self.keeps_segments && n_segments == 1);
            let is_short = !self.keeps_segments || n_segments == 1;
            let deviation_m = self.deviation_m();
            if cannot_be_cut || (is_short && deviation_m <= coarse_m) {
                return Ok(end);
            }
            end = match n_segments {
                1 => u + (end - u) * (coarse_m / deviation_m).sqrt().clamp(0.125, 0.7),
                n => self.trajectory.knot(self.trajectory.segment_after(u) + n / 2),
            };
        }
    }

    /// The last boundary between segments in a span, or the end of the span if there is no boundary.
    fn snapped(&self, u: f64, end: f64) -> f64 {
        let segment = self.trajectory.segment_at(end);
        let boundary = if self.trajectory.knot(segment + 1) <= end { end } else { self.trajectory.knot(segment) };
        let next = self.trajectory.knot(self.trajectory.segment_after(u) + 1);
        match boundary > u {
            true => boundary,
            false if self.keeps_segments => next,
            false => end,
        }
    }

    /// Stores the motion of a span in the scratch memory.
    fn set_motion(&mut self, span: [f64; 2]) -> Result<()> {
        match self.is_straight {
            true => self.trajectory.span_in(&mut self.span, span),
            false => self.trajectory.curve_in(&mut self.span, span),
        }
        let margin_m = self.options().margin_m;
        let motion = &mut self.scratch.motion;
        motion.set_span(&self.core.world.robot, &self.span)?;
        motion.set_deviations(deviations(&self.core.world.robot, &self.span, |c| self.span.deviation[c]));
        // With any margin, triangles are compared by their nearest points, which separates most of those that are
        // farther apart than a large ball.
        let is_exact = self.tube.is_empty() && self.deviation_m() <= FINE_M;
        let margin_m = if is_exact { margin_m } else { margin_m.max(f64::MIN_POSITIVE) };
        self.scratch.motion.set_margin(margin_m);
        Ok(())
    }

    /// The largest deviation of a link from the prepared motion, without rounding, metres.
    fn deviation_m(&self) -> f64 {
        let chains = &self.scratch.motion.chains;
        let of = |body: u32, reach_m: f64| {
            let chain = &chains[body as usize];
            chain.stray_m + chain.stray_slope * reach_m
        };
        self.core.world.links.iter().map(|link| of(link.body, link.reach_m)).fold(0.0, f64::max)
    }

    /// The part of all deviations that is rounding.
    fn rounding_m(&mut self) -> f64 {
        let span = &self.span;
        let rounding = deviations(&self.core.world.robot, span, |c| span.rounding[c]);
        self.scratch.motion.set_deviations(rounding);
        self.deviation_m()
    }

    /// Returns whether a span is a single motion, defined by its own numbers; the numbers of several motions round
    /// differently where they meet.
    fn is_motion(&self, span: [f64; 2]) -> bool {
        self.trajectory.n_segments() == 1 && self.trajectory.degree(0) == 1 && span == [0.0, 1.0]
    }

    /// Bounds on the deviation of the bodies' joints from the motion of the prepared span: by the curve, the tolerance
    /// and rounding.
    fn total_deviations(&self, of: [f64; 2]) -> Vec<Deviation> {
        let (robot, span, tube) = (&self.core.world.robot, &self.span, self.tube);
        let total = |c: usize| span.deviation[c] + span.rounding[c] + tube.get(c).unwrap_or(&0.0);
        let all = deviations(robot, span, total);
        if self.is_motion(of) {
            return all.collect();
        }
        let joints = robot.bodies.iter().map(|body| &body.joint);
        joints.zip(all).map(|(joint, d)| with_rounding(joint, span, d)).collect()
    }

    /// Examines the span whose motion is prepared. If it must be the last look, or the span cannot be cut, the answer
    /// is free or an event.
    fn look(&mut self, [u0, u1]: [f64; 2], must_be_last: bool) -> Look {
        let deviation_m = self.deviation_m();
        let final_m = FINAL_M.max(self.rounding_m());
        let is_motion = self.is_motion([u0, u1]);
        let all = self.total_deviations([u0, u1]);
        self.scratch.motion.set_deviations(all);
        let is_last = must_be_last || is_motion || self.keeps_segments || u1 - u0 <= SHORTEST;
        let tolerance = self.options().tolerance * self.narrowest([u0, u1]) / (u1 - u0);
        if !self.tube.is_empty() {
            let is_shortest = must_be_last || self.keeps_segments || u1 - u0 <= SHORTEST;
            return self.approach([u0, u1], is_shortest || tolerance >= 1.0);
        }
        if deviation_m > FINE_M && !is_last {
            return self.approach([u0, u1], false);
        }
        let is_start = u0 == 0.0 && self.options().initial == InitialContactPolicy::Report;
        let solve = if is_motion { *self.options() } else { self.part_options(tolerance) };
        let part = Part { solve, is_start };
        let verdict = self.stages.check_part(self.options.item_cap(), self.scratch, self.stats, part);
        let is_final = is_last || deviation_m <= final_m;
        match verdict {
            Verdict::Free => Look::Free,
            Verdict::Undecided(Undecided { clear_until, reason }) => match is_final {
                true => Look::Event(Event::Ended(before([u0, u1], clear_until), reason)),
                false => Look::Approach(before([u0, u1], clear_until), 4.0),
            },
            Verdict::Contact(contact) => {
                let is_enough = self.options().mode == Mode::Verdict && contact.is_proved();
                if is_final && !is_last && !contact.is_proved() && contact.toc[0] > 0.0 {
                    // The proof may need times after the end of this span.
                    return Look::Approach(before([u0, u1], contact.toc[0]), 1.0);
                }
                match is_final || is_enough {
                    true => Look::Event(Event::Contact { span: [u0, u1], contact }),
                    false => Look::Approach(before([u0, u1], contact.toc[0]), 32.0),
                }
            }
        }
    }

    /// The options for the exact stage in the prepared span. On chords the floor of the tolerance is that of the
    /// fastest link: the few pairs of a short span may all be slow.
    fn part_options(&self, tolerance: f64) -> SolveOptions {
        let chains = &self.scratch.motion.chains;
        let speeds = self.core.world.links.iter().map(|link| chains[link.body as usize].speed(link.reach_m));
        let floor = self.options().floor_m / speeds.fold(f64::MIN_POSITIVE, f64::max);
        let floor_m = if self.scratch.motion.phases.is_empty() { 0.0 } else { self.options().floor_m };
        SolveOptions { tolerance: tolerance.max(floor).min(1.0), floor_m, ..*self.options() }
    }

    /// Examines a span without the exact stage.
    fn approach(&mut self, span: [f64; 2], is_final: bool) -> Look {
        let cap = self.options.item_cap();
        match self.stages.earliest(cap, self.scratch, self.stats, is_final) {
            None => Look::Free,
            Some(contact) if is_final => Look::Event(Event::Contact { span, contact }),
            // An immediate contact usually exists at the first moment.
            Some(contact) if contact.toc[0] == 0.0 && !self.tube.is_empty() => Look::Probe,
            Some(contact) => Look::Approach(before(span, contact.toc[0]), APPROACH),
        }
    }

    /// The length of a span that is narrower than the tolerance.
    fn shortest(&self, u: f64) -> f64 {
        let segment = self.trajectory.segment_after(u);
        let end = self.trajectory.knot(segment + 1);
        (0.5 * self.options().tolerance * (end - self.trajectory.knot(segment))).max(SHORTEST).min(end - u)
    }

    /// The width of the narrowest segment in a span that has any.
    fn narrowest(&self, [u0, u1]: [f64; 2]) -> f64 {
        let segments = self.trajectory.segment_after(u0)..=self.trajectory.segment_at(u1);
        let widths = segments.map(|k| self.trajectory.knot(k + 1) - self.trajectory.knot(k));
        widths.filter(|width| *width > 0.0).fold(1.0, f64::min)
    }

    /// The answer for a contact from `lo` on. It is proved to exist at or before `hi`, if `hi` is given.
    fn contact(&self, lo: f64, hi: Option<f64>, contact: Contact) -> TrajectoryVerdict {
        let from = self.trajectory.place(lo, false);
        let last = Place { segment: self.trajectory.n_segments() - 1, t: 1.0 };
        let until = hi.map_or(last, |hi| self.trajectory.place(hi.max(lo), true));
        let time = |place, later| self.trajectory.time_s(place, later);
        let time_s = time(from, false).zip(time(until, true)).map(|(lo, hi)| [lo, hi]);
        let initial_overlap = contact.initial_overlap && lo == 0.0;
        let contact = Contact { toc: [from.t, until.t], initial_overlap, ..contact };
        let verdict = Verdict::Contact(contact);
        TrajectoryVerdict { verdict, segment: from.segment, segment_hi: until.segment, time_s }
    }

    fn undecided(&self, u: f64, reason: UndecidedReason) -> TrajectoryVerdict {
        let place = self.trajectory.place(u, false);
        let time_s = self.trajectory.time_s(place, false).map(|t| [t; 2]);
        let verdict = Verdict::Undecided(Undecided { clear_until: place.t, reason });
        TrajectoryVerdict { verdict, segment: place.segment, segment_hi: place.segment, time_s }
    }
}

/// The parameter of a time relative to a span, not later than it.
pub(super) fn before([u0, u1]: [f64; 2], t: f64) -> f64 {
    if [u0, u1] == [0.0, 1.0] {
        return t;
    }
    if t <= 0.0 { u0 } else { (u0 + (u1 - u0) * t * (1.0 - 2.0 * f64::EPSILON)).next_down().clamp(u0, u1) }
}

/// The parameter of a time relative to a span, not earlier than it.
fn after([u0, u1]: [f64; 2], t: f64) -> f64 {
    match t {
        t if t <= 0.0 => u0,
        t if t >= 1.0 => u1,
        t if [u0, u1] == [0.0, 1.0] => t,
        t => (u0 + (u1 - u0) * t * (1.0 + 2.0 * f64::EPSILON)).next_up().clamp(u0, u1),
    }
}

#[cfg(test)]
mod tests;
