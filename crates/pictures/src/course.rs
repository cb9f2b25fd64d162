//! The path that a view shows, with its clock.
//!
//! A path is a sequence of straight motions of the joints, each at a constant rate in time. A motion is a path of one
//! such part. A trajectory's curves are replaced by chords between their points. A polynomial of degree `d` with
//! Bernstein coefficients `b_i` has a second derivative of at most `m = d (d - 1) max |b_i - 2 b_(i+1) + b_(i+2)|`, so
//! the chord over `1/n` of it deviates by at most `m / (8 n²)`. A view needs the exact configuration at its contact,
//! so a chord ends there.

use firstcontact::engine::Engine;
use firstcontact::error::{Error, Result};
use firstcontact::report::Line;
use firstcontact::robot::trajectory::Span;
use firstcontact::robot::{ColumnKind, JointKind, MotionBatch, Robot, RobotMotion, Trajectory};
use firstcontact::scene::Scene;
use firstcontact::verdict::{TrajectoryVerdict, Verdict};
use glam::DAffine3;
use serde::Serialize;

/// Largest distance of a joint from the curve at any time, radians or metres.
pub const DEVIATION: f64 = 1e-4;
/// Largest distance for the volume that a picture shows.
const COARSE: f64 = 2e-3;
/// Chords of the volume that are at most this fraction of a path are not shortened further.
const SHORTEST: f64 = 1.0 / (1u64 << 20) as f64;
/// Maximum number of chords of a segment, and of a path.
const MAX_CHORDS: [usize; 2] = [4096, 1 << 20];
/// Number of samples for each chord of a trajectory, and the maximum number of samples.
const MOMENTS: [usize; 2] = [2, 129];

/// The path of a motion or of a trajectory.
#[derive(Clone, Debug)]
pub struct Course<'a> {
    /// The trajectory; `None` for a motion.
    of: Option<&'a Trajectory>,
    /// Straight motions, one after another.
    chords: MotionBatch,
    /// Times at the ends of the chords, the start first.
    times: Vec<f64>,
    /// Times at the ends of the segments, the start first.
    knots: Vec<f64>,
    unit: Unit,
}

/// The unit of time of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// The path is one motion from 0 to 1.
    #[serde(rename = "motion")]
    Motion,
    /// Each segment takes a time of 1.
    #[serde(rename = "segments")]
    Segments,
    /// The times of the trajectory.
    #[serde(rename = "s")]
    Seconds,
}

/// The clock of a trajectory as viewers read it.
#[derive(Clone, Debug, Serialize)]
pub struct Clock {
    unit: Unit,
    /// Times at the ends of the segments, the start first.
    knots: Vec<f64>,
    /// The time of the contact, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<f64>,
    /// The time up to which an undecided trajectory is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    clear_until: Option<f64>,
}

/// The answer for a motion as that of a trajectory.
pub fn of_motion(verdict: &Verdict) -> TrajectoryVerdict {
    TrajectoryVerdict { verdict: verdict.clone(), segment: 0, segment_hi: 0, time_s: None }
}

impl<'a> Course<'a> {
    /// The path of motion `i`.
    ///
    /// # Errors
    /// There is no such motion.
    pub fn of_motion(motions: &MotionBatch, i: usize) -> Result<Self> {
        let chords = MotionBatch::between(&[motions.start(i)], &[motions.end(i)])?;
        Ok(Self { of: None, chords, times: vec![0.0, 1.0], knots: vec![0.0, 1.0], unit: Unit::Motion })
    }

    /// Returns the path unchanged if the answer refers to one of its segments.
    ///
    /// # Errors
    /// The answer is about a segment that does not exist.
    pub fn answered(self, answer: &TrajectoryVerdict) -> Result<Self> {
        check_segment(answer, self.knots.len() - 1).map(|()| self)
    }

    /// The path of a trajectory for which the engine has returned `answer`; `factors` are the [`factors`] of the robot.
    ///
    /// # Errors
    /// It needs too many chords, or the answer is about a segment that does not exist.
    pub fn of_trajectory(of: &'a Trajectory, answer: &TrajectoryVerdict, factors: &[f64]) -> Result<Self> {
        let (unit, knots) = clock(of);
        check_segment(answer, of.n_segments())?;
        let event = time_of(&answer.verdict).map(|t| (answer.segment, t));
        let (mut rows, mut times) = (vec![of.waypoint(0)], vec![knots[0]]);
        for segment in 0..of.n_segments() {
            let event = event.filter(|(of, _)| *of == segment).map(|(_, t)| t);
            for t in steps(of, segment, event, factors) {
                rows.push(if t < 1.0 { of.at(segment, t) } else { of.waypoint(segment + 1) });
                times.push(between(&knots, segment, t));
            }
            if rows.len() > MAX_CHORDS[1] {
                let error = Error::usage("the trajectory has too many segments for a view");
                return Err(error.remedy("show a shorter one"));
            }
        }
        let chords = MotionBatch::between(&rows[..rows.len() - 1], &rows[1..])?;
        Ok(Self { of: Some(of), chords, times, knots, unit })
    }

    /// The time of an answer's contact or of the end of its search; the end of a free path.
    pub fn event(&self, answer: &TrajectoryVerdict) -> f64 {
        time_of(&answer.verdict).map_or(self.end(), |t| between(&self.knots, answer.segment, t))
    }

    /// The time at the start.
    pub fn start(&self) -> f64 {
        self.times[0]
    }

    /// The time at the end.
    pub fn end(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// A time as a fraction of the whole path.
    pub fn share(&self, time: f64) -> f64 {
        (time - self.start()) / (self.end() - self.start())
    }

    /// About `n` times at equal steps, both ends included; more for a path of many chords.
    pub fn moments(&self, n: usize) -> Vec<f64> {
        let n = n.max((MOMENTS[0] * self.chords.len()).min(MOMENTS[1]) * usize::from(self.chords.len() > 1));
        let time = |k: usize| self.start() + (self.end() - self.start()) * (k as f64 / (n - 1) as f64);
        (0..n).map(time).collect()
    }

    /// Times at the ends of the segments, the start first.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The unit of time.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Times at the ends of the chords, the start first.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Poses of the robot's bodies, as by [`Engine::body_poses`].
    ///
    /// # Errors
    /// The path does not fit the robot.
    pub fn poses(&self, engine: &Engine, time: f64) -> Result<Vec<DAffine3>> {
        let chord = self.times.partition_point(|end| *end <= time).clamp(1, self.chords.len()) - 1;
        let [from, until] = [self.times[chord], self.times[chord + 1]];
        let t = if until > from { ((time - from) / (until - from)).clamp(0.0, 1.0) } else { 0.0 };
        engine.body_poses(&self.chords, chord, t)
    }

    /// The straight motions, in order.
    ///
    /// # Errors
    /// The path does not fit the robot.
    pub fn motions(&self, robot: &Robot) -> Result<Vec<RobotMotion>> {
        (0..self.chords.len()).map(|k| RobotMotion::new(robot, self.chords.start(k), self.chords.end(k))).collect()
    }

    /// Straight motions near the path, few enough for the volume of a picture.
    ///
    /// # Errors
    /// The path does not fit the robot.
    pub fn coarse_motions(&self, robot: &Robot) -> Result<Vec<RobotMotion>> {
        let is_free = |kind: ColumnKind| matches!(kind, ColumnKind::Free(_));
        match self.of {
            Some(of) if !robot.columns.iter().any(|column| is_free(column.kind)) => {
                spans(of).iter().map(|span| RobotMotion::new(robot, &span.start, &span.end)).collect()
            }
            _ => self.motions(robot),
        }
    }

    /// The line of results for an answer.
    pub fn line<'l>(&self, number: usize, answer: &TrajectoryVerdict, robot: &'l Robot, scene: &'l Scene) -> Line<'l> {
        match self.of {
            Some(of) => Line::of_trajectory(number, answer, of, robot, scene),
            None => Line::new(number, &answer.verdict, robot, scene),
        }
    }

    /// The clock, unless the path is timed like a motion.
    pub fn clock(&self, answer: &TrajectoryVerdict) -> Option<Clock> {
        let is = |wanted: bool| (wanted && self.unit != Unit::Motion).then(|| self.event(answer));
        let contact = is(matches!(answer.verdict, Verdict::Contact(_)));
        let clear_until = is(matches!(answer.verdict, Verdict::Undecided(_)));
        (self.unit != Unit::Motion).then(|| Clock { unit: self.unit, knots: self.knots.clone(), contact, clear_until })
    }

    /// Describes the place of an answer's event, such as `41.3 % of the motion`.
    pub fn in_words(&self, answer: &TrajectoryVerdict) -> String {
        let percent = 100.0 * time_of(&answer.verdict).unwrap_or(1.0);
        match self.unit {
            Unit::Motion => format!("{percent:.1} % of the motion"),
            Unit::Segments => format!("{percent:.1} % of segment {}", answer.segment),
            Unit::Seconds => format!("{:.4} s, in segment {}", self.event(answer), answer.segment),
        }
    }
}

/// The largest number by which a joint multiplies each column, at least 1.
pub fn factors(robot: &Robot) -> Vec<f64> {
    let mut factors = vec![1.0; robot.columns.len()];
    for body in &robot.bodies {
        if let JointKind::Revolute { drive, .. } | JointKind::Prismatic { drive, .. } = body.joint.kind {
            let factor: &mut f64 = &mut factors[drive.column as usize];
            *factor = factor.max(drive.multiplier.abs());
        }
    }
    factors
}

/// Returns an error if an answer refers to a segment that does not exist.
fn check_segment(answer: &TrajectoryVerdict, n_segments: usize) -> Result<()> {
    let last = answer.segment.max(answer.segment_hi);
    if last < n_segments {
        return Ok(());
    }
    let message = format!("the answer is about segment {last} of {n_segments}");
    Err(Error::input(message).remedy("give the motions or trajectories that were checked"))
}

/// The local time of a contact, or of the end of a search.
fn time_of(verdict: &Verdict) -> Option<f64> {
    match verdict {
        Verdict::Free => None,
        Verdict::Contact(contact) => Some(contact.toc[0]),
        Verdict::Undecided(undecided) => Some(undecided.clear_until),
    }
}

/// The unit of a trajectory's time, and the times at the ends of its segments.
fn clock(of: &Trajectory) -> (Unit, Vec<f64>) {
    let n = of.n_segments();
    match of.times_s() {
        // A trajectory of a single point may have the same time twice.
        Some(times) if times[0] < times[n] => (Unit::Seconds, times.to_vec()),
        _ if n == 1 => (Unit::Motion, vec![0.0, 1.0]),
        _ => (Unit::Segments, (0..=n).map(|k| k as f64).collect()),
    }
}

fn between(knots: &[f64], segment: usize, t: f64) -> f64 {
    if t >= 1.0 { knots[segment + 1] } else { knots[segment] + (knots[segment + 1] - knots[segment]) * t }
}

/// Local times at the ends of the chords of a segment, without its start; one of them is `event`, unless the segment is
/// straight, which has one chord.
fn steps(of: &Trajectory, segment: usize, event: Option<f64>, factors: &[f64]) -> Vec<f64> {
    let degree = of.degree(segment);
    if degree == 1 {
        return vec![1.0];
    }
    let bend = |(c, factor): (usize, &f64)| {
        let thirds = of.coefficients(segment, c).windows(3);
        factor * thirds.map(|b| (b[0] - 2.0 * b[1] + b[2]).abs()).fold(0.0, f64::max)
    };
    let bend = factors.iter().enumerate().map(bend).fold(0.0, f64::max) * (degree * (degree - 1)) as f64;
    let n = (bend / (8.0 * DEVIATION)).sqrt().ceil().clamp(1.0, MAX_CHORDS[0] as f64);
    let mut steps: Vec<f64> = (1..=n as usize).map(|k| k as f64 / n).chain(event.filter(|t| *t > 0.0)).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    steps
}

/// Chords of parts of a trajectory, within [`COARSE`] of it.
fn spans(of: &Trajectory) -> Vec<Span> {
    let (mut all, mut from) = (Vec::new(), 0.0);
    while from < 1.0 {
        let (mut span, mut until) = (Span::default(), 1.0);
        loop {
            of.span_in(&mut span, [from, until]);
            if span.deviation.iter().all(|d| *d <= COARSE) || until - from <= SHORTEST {
                break;
            }
            until = from + 0.5 * (until - from);
        }
        from = until;
        all.push(span);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use firstcontact::verdict::{Undecided, UndecidedReason};

    /// A quintic and a straight segment of two columns.
    fn path() -> Trajectory {
        let mut path = Trajectory::new(&[0.0, 1.0]).unwrap();
        path.quintic_to(2.0, [&[0.0; 2]; 2], [&[0.0; 2], &[1.0, -3.0]], &[1.5, -1.0]).unwrap();
        path.line_to(&[0.5, 0.25]).unwrap();
        path.with_times(&[1.0, 3.0, 3.5]).unwrap()
    }

    fn undecided(segment: usize, clear_until: f64) -> TrajectoryVerdict {
        let verdict = Verdict::Undecided(Undecided { clear_until, reason: UndecidedReason::EvaluationCap });
        TrajectoryVerdict { verdict, segment, segment_hi: segment, time_s: None }
    }

    /// The largest distance of a column between the course and the trajectory at equal local times.
    fn deviation(course: &Course, of: &Trajectory, time: f64, place: (usize, f64)) -> f64 {
        let k = course.times.partition_point(|end| *end <= time).clamp(1, course.chords.len()) - 1;
        let t = (time - course.times[k]) / (course.times[k + 1] - course.times[k]);
        let rows = course.chords.start(k).iter().zip(course.chords.end(k)).map(|(a, b)| a + (b - a) * t);
        rows.zip(of.at(place.0, place.1)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn chords_stay_near_the_curve_and_end_at_the_event() {
        let (path, answer) = (path(), undecided(0, 0.3141));
        let course = Course::of_trajectory(&path, &answer, &[1.0; 2]).unwrap();
        let mut largest: f64 = 0.0;
        for (segment, duration_s) in [(0, 2.0), (1, 0.5)] {
            for k in 0..=5000 {
                let t = f64::from(k) / 5000.0;
                let time = course.knots[segment] + duration_s * t;
                largest = largest.max(deviation(&course, &path, time, (segment, t)));
            }
        }
        // The bound is nearly reached: there are no more chords than needed.
        assert!((0.2 * DEVIATION..=DEVIATION).contains(&largest), "{largest}");
        let event = course.event(&answer);
        assert!(course.times.contains(&event) && (event - 1.6282).abs() < 1e-12);
        let k = course.times.iter().position(|time| *time == event).unwrap();
        assert_eq!(course.chords.start(k), path.at(0, 0.3141));
        assert_eq!([course.start(), course.end()], [1.0, 3.5]);
        assert_eq!(course.in_words(&answer), "1.6282 s, in segment 0");
    }

    /// A joint that follows a column with a factor stays as near to its curve as the others.
    #[test]
    fn chords_are_shorter_for_joints_that_multiply_a_column() {
        let (path, answer) = (path(), undecided(0, 0.3141));
        let course = Course::of_trajectory(&path, &answer, &[1.0, 100.0]).unwrap();
        let times = (0..=50_000).map(|k| f64::from(k) / 50_000.0);
        let largest = times.map(|t| deviation(&course, &path, 1.0 + 2.0 * t, (0, t))).fold(0.0, f64::max);
        assert!((0.1 * DEVIATION..=DEVIATION).contains(&(100.0 * largest)), "{largest}");
    }

    #[test]
    fn answers_about_other_segments_are_refused() {
        let motion = MotionBatch::between(&[[0.0]], &[[1.0]]).unwrap();
        let course = || Course::of_motion(&motion, 0).unwrap();
        assert!(course().answered(&undecided(0, 0.5)).is_ok());
        let error = course().answered(&undecided(1, 0.5)).unwrap_err().to_string();
        assert!(error.contains("segment 1 of 1"), "{error}");
        let late = TrajectoryVerdict { segment_hi: 2, ..undecided(1, 0.5) };
        let error = Course::of_trajectory(&path(), &late, &[1.0; 2]).unwrap_err().to_string();
        assert!(error.contains("segment 2 of 2"), "{error}");
    }

    #[test]
    fn without_times_each_segment_takes_one() {
        let path = Trajectory::linear([[0.0], [1.0], [1.0], [3.0]]).unwrap();
        let answer = undecided(2, 0.25);
        let course = Course::of_trajectory(&path, &answer, &[1.0]).unwrap();
        assert_eq!((course.times(), course.event(&answer)), (&[0.0, 1.0, 2.0, 3.0][..], 2.25));
        assert_eq!((course.share(2.25), course.in_words(&answer)), (0.75, "25.0 % of segment 2".into()));
        let single = Trajectory::linear([[0.0], [1.0]]).unwrap();
        let course = Course::of_trajectory(&single, &undecided(0, 0.25), &[1.0]).unwrap();
        assert!(course.clock(&answer).is_none() && course.in_words(&undecided(0, 0.25)) == "25.0 % of the motion");
    }

    /// A thousand points on a curve need far fewer parts, and consecutive parts share their ends.
    #[test]
    fn swept_volumes_of_curves_have_few_parts() {
        let points = (0..=1000).map(|k| f64::from(k) / 1000.0);
        let dense = Trajectory::linear(points.map(|t| [t, t * t])).unwrap();
        for path in [path(), dense] {
            let parts = spans(&path);
            assert!((4..100).contains(&parts.len()), "{}", parts.len());
            assert!(parts.windows(2).all(|w| w[0].end == w[1].start));
            assert!(parts.iter().flat_map(|span| &span.deviation).all(|d| *d <= COARSE));
        }
    }
}
