//! Trajectories from points: interpolation, times, and the segment from the start state.

use super::options::{Interpolation, TrajectoryOptions, TrajectorySummary};
use crate::error::{Error, Result, quoted};
use crate::formats::named_columns::NamedColumns;
use crate::io::load::{LoadLimits, bytes_of};
use crate::robot::trajectory::MAX_DEGREE;
use crate::robot::{ColumnKind, Robot, Trajectory};

/// Remedy if points lack derivatives or times that the interpolation needs.
const OR_LINEAR: &str = "give them, or choose --interpolation linear";

/// A point as a file lists it: values of the file's columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point<'a> {
    pub time_s: Option<f64>,
    pub positions: &'a [f64],
    pub velocities: Option<&'a [f64]>,
    pub accelerations: Option<&'a [f64]>,
}

/// A point in the robot's columns, with the derivatives that the interpolation uses.
#[derive(Clone, Debug)]
struct Knot {
    time_s: Option<f64>,
    position: Vec<f64>,
    velocity: Option<Vec<f64>>,
    acceleration: Option<Vec<f64>>,
}

/// Trajectories made so far.
#[derive(Debug)]
pub(super) struct Builder<'r> {
    pub robot: &'r Robot,
    pub options: &'r TrajectoryOptions,
    has_free_joint: bool,
    limits: LoadLimits,
    used_bytes: u128,
    trajectories: Vec<Trajectory>,
    summary: TrajectorySummary,
}

impl<'r> Builder<'r> {
    /// Begins without a trajectory.
    ///
    /// # Errors
    /// The start state does not fit the robot.
    pub fn new(robot: &'r Robot, options: &'r TrajectoryOptions) -> Result<Self> {
        if let Some(state) = &options.start_state {
            let n = robot.columns.len();
            if state.len() != n {
                return Err(Error::usage(format!("the start state has {} values for {n} columns", state.len())));
            }
            check_finite(state, "value", |c| &robot.columns[c].name).map_err(|e| e.at("start state"))?;
        }
        Ok(Self {
            robot,
            options,
            has_free_joint: robot.columns.iter().any(|c| matches!(c.kind, ColumnKind::Free(_))),
            limits: options.motion.limits,
            used_bytes: 0,
            trajectories: Vec::new(),
            summary: TrajectorySummary::default(),
        })
    }

    /// Counts bytes that remain in use while trajectories are made.
    pub fn keep(&mut self, n_bytes: u128) -> Result<()> {
        self.used_bytes += n_bytes;
        self.limits.check(self.used_bytes, "its trajectories")
    }

    /// The limits on the memory that is left.
    pub fn left(&self) -> LoadLimits {
        self.limits.less(u64::try_from(self.used_bytes).unwrap_or(u64::MAX))
    }

    /// Returns a function that adds the number of the next trajectory to an error.
    pub fn here(&self) -> impl Fn(Error) -> Error + use<> {
        let place = format!("trajectory {}", self.trajectories.len());
        move |e| e.within(&*place)
    }

    /// Adds a trajectory.
    ///
    /// # Errors
    /// There is no point, or one is malformed; the message has the numbers of trajectory and point.
    pub fn add<'a>(&mut self, columns: &NamedColumns, points: impl Iterator<Item = Point<'a>>) -> Result<()> {
        let here = self.here();
        let trajectory = self.trajectory(columns, points).map_err(&here)?;
        trajectory.check(self.robot).map_err(here)?;
        self.trajectories.push(trajectory);
        Ok(())
    }

    /// The trajectories, and counts over them.
    pub fn finish(self) -> (Vec<Trajectory>, TrajectorySummary) {
        (self.trajectories, self.summary)
    }

    fn trajectory<'a>(
        &mut self,
        columns: &NamedColumns,
        points: impl Iterator<Item = Point<'a>>,
    ) -> Result<Trajectory> {
        self.keep(bytes_of::<Trajectory>(2) + bytes_of::<f64>(self.robot.columns.len()))?;
        let mut path: Option<Path> = None;
        for (i, point) in points.enumerate() {
            let here = |e: Error| e.at(format!("point {i}"));
            let knot = self.knot(columns, &point).map_err(here)?;
            path = Some(match path {
                None => self.begin(knot).map_err(here)?,
                Some(path) => self.extend(path, knot).map_err(here)?,
            });
        }
        let Some(Path { mut trajectory, last, times_s }) = path else {
            return Err(Error::input("it has no point"));
        };
        if trajectory.n_segments() == 0 {
            self.count(1)?;
            trajectory.line_to(&last.position)?;
            let [time_s] = times_s[..] else { return Ok(trajectory) };
            return trajectory.with_times(&[time_s; 2]);
        }
        if times_s.is_empty() { Ok(trajectory) } else { trajectory.with_times(&times_s) }
    }

    /// Begins at the first point, or at the start state if the first point is later.
    fn begin(&mut self, first: Knot) -> Result<Path> {
        if !first.time_s.is_some_and(|time_s| time_s > 0.0) {
            return Path::new(first);
        }
        let Some(state) = &self.options.start_state else {
            self.summary.late += 1;
            return Path::new(first);
        };
        let rest = Some(vec![0.0; state.len()]);
        let start = Knot { time_s: Some(0.0), position: state.clone(), velocity: rest.clone(), acceleration: rest };
        self.summary.from_start_state += 1;
        self.extend(Path::new(start)?, first)
    }

    /// Appends the segment to the next point.
    fn extend(&mut self, mut path: Path, next: Knot) -> Result<Path> {
        let duration_s = path.duration_s(&next)?;
        let Path { trajectory, last, times_s } = &mut path;
        let velocities = last.velocity.as_deref().zip(next.velocity.as_deref());
        let accelerations = last.acceleration.as_deref().zip(next.acceleration.as_deref());
        let degree = match (duration_s, velocities, accelerations) {
            (Some(_), Some(_), Some(_)) => 5,
            (Some(_), Some(_), None) => 3,
            _ => 1,
        };
        self.count(degree)?;
        match (duration_s, velocities, accelerations) {
            (Some(d), Some((v0, v1)), Some((a0, a1))) => {
                trajectory.quintic_to(d, [v0, v1], [a0, a1], &next.position)?;
            }
            (Some(d), Some((v0, v1)), None) => trajectory.cubic_to(d, v0, v1, &next.position)?,
            _ => trajectory.line_to(&next.position)?,
        }
        times_s.extend(next.time_s);
        *last = next;
        Ok(path)
    }

    /// Counts a segment, and its memory; growing lists take twice their contents.
    fn count(&mut self, degree: usize) -> Result<()> {
        match degree {
            1 => self.summary.linear += 1,
            3 => self.summary.cubic += 1,
            _ => self.summary.quintic += 1,
        }
        self.keep(2 * (bytes_of::<f64>(self.robot.columns.len() * (degree + 1)) + SEGMENT_BYTES))
    }

    /// A point in the robot's columns.
    fn knot(&self, columns: &NamedColumns, point: &Point) -> Result<Knot> {
        let row = |values: &[f64], what: [&str; 2]| {
            if values.len() != columns.len() {
                let message = format!("{} {} for {} joints", values.len(), what[1], columns.len());
                return Err(Error::input(message));
            }
            check_finite(values, what[0], |c| &self.robot.columns[columns.column(c)].name)
        };
        if point.time_s.is_some_and(|time_s| !time_s.is_finite()) {
            return Err(Error::input("its time is NaN or infinite"));
        }
        row(point.positions, ["position", "positions"])?;
        let mut position = Vec::with_capacity(self.robot.columns.len());
        columns.append(point.positions, &mut position);
        let [velocities, accelerations] = self.derivatives(point)?;
        let rates = |values: Option<&[f64]>, what| -> Result<Option<Vec<f64>>> {
            values.map(|values| row(values, what).map(|()| columns.rates(values))).transpose()
        };
        Ok(Knot {
            time_s: point.time_s,
            position,
            velocity: rates(velocities, ["velocity", "velocities"])?,
            acceleration: rates(accelerations, ["acceleration", "accelerations"])?,
        })
    }

    /// The velocities and accelerations that the interpolation uses.
    fn derivatives<'a>(&self, point: &Point<'a>) -> Result<[Option<&'a [f64]>; 2]> {
        let Point { time_s, velocities, accelerations, .. } = *point;
        let missing = |what: &str| Err(Error::input(format!("it has no {what}")).remedy(OR_LINEAR));
        let used = match self.options.interpolation {
            Interpolation::Linear => [None, None],
            Interpolation::Quintic | Interpolation::Cubic if velocities.is_none() => return missing("velocities"),
            Interpolation::Quintic if accelerations.is_none() => return missing("accelerations"),
            Interpolation::Cubic => [velocities, None],
            Interpolation::Auto if accelerations.is_some() && velocities.is_none() => {
                return Err(Error::input("it has accelerations but no velocities").remedy(OR_LINEAR));
            }
            Interpolation::Auto | Interpolation::Quintic => [velocities, accelerations],
        };
        if used[0].is_some() && self.has_free_joint {
            let message = "columns of a free root cannot have velocities: it moves straight between points";
            return Err(Error::input(message).remedy("leave velocities out, or choose --interpolation linear"));
        }
        if used[0].is_some() && time_s.is_none() {
            return Err(
                Error::input("it has velocities but no time").remedy("give times, or choose --interpolation linear")
            );
        }
        Ok(used)
    }
}

/// Memory of a segment apart from its coefficients: its degree, the place of its coefficients, its length and time.
const SEGMENT_BYTES: u128 = 1 + 3 * 8;

/// Upper bound on the memory that `n` trajectories of together `n_points` points and as many columns take.
pub(super) fn bound_bytes(n: usize, n_points: u128, n_columns: usize) -> u128 {
    let of_point = bytes_of::<f64>(n_columns).saturating_mul(MAX_DEGREE as u128 + 1) + SEGMENT_BYTES;
    (2 * bytes_of::<Trajectory>(n)).saturating_add(n_points.saturating_mul(of_point))
}

/// A trajectory that is being made.
struct Path {
    trajectory: Trajectory,
    last: Knot,
    times_s: Vec<f64>,
}

impl Path {
    fn new(first: Knot) -> Result<Self> {
        if let Some(time_s) = first.time_s.filter(|time_s| *time_s < 0.0) {
            return Err(Error::input(format!("its time {time_s:?} s is negative")));
        }
        let trajectory = Trajectory::new(&first.position)?;
        Ok(Self { trajectory, times_s: first.time_s.into_iter().collect(), last: first })
    }

    /// The duration of the segment to the next point, seconds; `None` without times.
    fn duration_s(&self, next: &Knot) -> Result<Option<f64>> {
        match (self.last.time_s, next.time_s) {
            (Some(before), Some(now)) if now > before => Ok(Some(now - before)),
            (Some(before), Some(now)) => {
                Err(Error::input(format!("its time {now:?} s does not exceed {before:?} s: times must increase")))
            }
            (None, None) => Ok(None),
            (Some(_), None) => Err(Error::input("it has no time, but the points before it do")),
            (None, Some(_)) => Err(Error::input("it has a time, but the points before it do not")),
        }
    }
}

/// Returns an error for NaN and infinity; `name` is the joint of a column.
fn check_finite<'n>(values: &[f64], what: &str, name: impl Fn(usize) -> &'n String) -> Result<()> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(c) => Err(Error::input(format!("the {what} of joint {} is NaN or infinite", quoted(name(c))))),
        None => Ok(()),
    }
}
