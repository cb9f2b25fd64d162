//! Trajectories, and checks of them.

use crate::control::{Control, FcControl};
use crate::engine::FcEngine;
use crate::handles::{self, object};
use crate::memory::{check_room, list_of};
use crate::output::{optional_output, output, outputs};
use crate::results::{FcResults, Given};
use crate::rows::{FcRows, Rows, optional_rows, row, rows};
use crate::status::{FcStatus, guard};
use firstcontact::{Error, Result, Trajectory, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A path of all columns: in each segment, every column is a polynomial of time. A trajectory is immutable.
pub struct FcTrajectory(pub(crate) Arc<Trajectory>);
object!(FcTrajectory, "trajectory");

impl FcTrajectory {
    fn put(path: Trajectory) -> *mut Self {
        handles::put(Self(Arc::new(path)))
    }
}

/// The times behind a pointer, or none for null.
///
/// # Safety
/// The pointer is null, or valid for reading `n` numbers.
unsafe fn times<'a>(from: *const f64, n: usize) -> Result<Option<Rows<'a, f64>>> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    unsafe { row(from, n, "times") }.map(Some)
}

/// A trajectory along straight lines between waypoints, one for each row. The times, one for each waypoint, seconds,
/// may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_trajectory_from_waypoints(
    waypoints: *const FcRows,
    times_s: *const f64,
    trajectory: *mut *mut FcTrajectory,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for arrays.
        let waypoints = unsafe { rows(waypoints, "waypoints") }?;
        // SAFETY: likewise; there is a time for each waypoint.
        let times_s = unsafe { times(times_s, waypoints.n_rows()) }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(trajectory, "trajectory") }?;
        let path = Trajectory::linear(waypoints.to_vecs()?)?;
        to.set(FcTrajectory::put(match times_s {
            Some(times_s) => path.with_times(&times_s.row(0))?,
            None => path,
        }));
        Ok(())
    })
}

/// A trajectory of piecewise polynomials. Between breakpoints i and i + 1, seconds, column c is the sum over k of the
/// coefficient in row k * (n_breakpoints - 1) + i times (time - breakpoint i) to the power degree - k. The degree is at
/// most 15.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_trajectory_from_polynomials(
    breakpoints_s: *const f64,
    n_breakpoints: usize,
    coefficients: *const FcRows,
    trajectory: *mut *mut FcTrajectory,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for arrays.
        let breakpoints = unsafe { row(breakpoints_s, n_breakpoints, "breakpoints_s") }?;
        // SAFETY: likewise.
        let coefficients = unsafe { rows(coefficients, "coefficients") }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(trajectory, "trajectory") }?;
        let n_segments = n_breakpoints.saturating_sub(1);
        if n_segments == 0 || !coefficients.n_rows().is_multiple_of(n_segments) {
            let message = format!("{} rows of coefficients for {n_segments} segments", coefficients.n_rows());
            return Err(Error::usage(message).at("coefficients"));
        }
        let by_power: Vec<Vec<Vec<f64>>> = coefficients.to_vecs()?.chunks(n_segments).map(<[_]>::to_vec).collect();
        to.set(FcTrajectory::put(Trajectory::from_ppoly(&breakpoints.row(0), &by_power)?));
        Ok(())
    })
}

/// A trajectory through the points of a joint trajectory, as the joint trajectory controller of ROS 2 interpolates
/// them: quintic with velocities and accelerations, cubic with velocities alone, otherwise straight. There must be one
/// time, seconds, for each row of positions; velocities and accelerations, per second, may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_trajectory_from_points(
    times_s: *const f64,
    positions: *const FcRows,
    velocities: *const FcRows,
    accelerations: *const FcRows,
    trajectory: *mut *mut FcTrajectory,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for arrays.
        let positions = unsafe { rows(positions, "positions") }?;
        // SAFETY: likewise; there is a time for each point.
        let times_s = unsafe { row(times_s, positions.n_rows(), "times_s") }?;
        // SAFETY: likewise.
        let velocities = unsafe { optional_rows(velocities, "velocities") }?;
        // SAFETY: likewise.
        let accelerations = unsafe { optional_rows(accelerations, "accelerations") }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(trajectory, "trajectory") }?;
        let points = Points { positions, velocities, accelerations };
        to.set(FcTrajectory::put(points.path(&times_s.row(0))?));
        Ok(())
    })
}

/// Points with derivatives per second.
struct Points<'a> {
    positions: Rows<'a, f64>,
    velocities: Option<Rows<'a, f64>>,
    accelerations: Option<Rows<'a, f64>>,
}

impl Points<'_> {
    fn check(&self) -> Result<()> {
        if self.positions.n_rows() == 0 {
            return Err(Error::usage("a trajectory needs a point"));
        }
        if self.velocities.is_none() && self.accelerations.is_some() {
            return Err(Error::usage("accelerations without velocities").remedy("give the velocities, too"));
        }
        let shape = |of: &Rows<'_, f64>| [of.n_rows(), of.n_columns()];
        let [rows, columns] = shape(&self.positions);
        for (of, name) in [(&self.velocities, "velocities"), (&self.accelerations, "accelerations")] {
            if let Some([n, m]) = of.as_ref().map(shape).filter(|of| *of != [rows, columns]) {
                let message = format!("{n} rows of {m} columns where positions have {rows} rows of {columns}");
                return Err(Error::usage(message).at(name));
            }
        }
        Ok(())
    }

    fn path(&self, times_s: &[f64]) -> Result<Trajectory> {
        self.check()?;
        check_room::<f64>(self.positions.n_rows().saturating_mul(6 * self.positions.n_columns()), "coefficients")?;
        let mut path = Trajectory::new(&self.positions.row(0))?;
        for i in 0..times_s.len() - 1 {
            let (duration_s, end) = (times_s[i + 1] - times_s[i], self.positions.row(i + 1));
            let ends = |of: &Option<Rows<'_, f64>>| of.map(|of| [of.row(i), of.row(i + 1)]);
            let added = match (ends(&self.velocities), ends(&self.accelerations)) {
                (Some([v0, v1]), Some([a0, a1])) => path.quintic_to(duration_s, [&v0, &v1], [&a0, &a1], &end),
                (Some([v0, v1]), None) => path.cubic_to(duration_s, &v0, &v1, &end),
                _ => path.line_to(&end),
            };
            added.map_err(|e| e.at(format!("point {}", i + 1)))?;
        }
        if let [time_s] = times_s {
            path.line_to(&self.positions.row(0))?;
            return path.with_times(&[*time_s; 2]);
        }
        path.with_times(times_s)
    }
}

/// Frees a trajectory; null is not an error.
#[unsafe(no_mangle)]
pub extern "C" fn fc_trajectory_free(trajectory: *mut FcTrajectory) -> FcStatus {
    guard(|| handles::free(trajectory))
}

/// Number of segments and of columns of a trajectory; either may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_trajectory_size(
    trajectory: *const FcTrajectory,
    n_segments: *mut usize,
    n_columns: *mut usize,
) -> FcStatus {
    guard(|| {
        let path = &handles::get(trajectory)?.0;
        // SAFETY: the caller's promise for outputs.
        let [segments, columns] =
            unsafe { [optional_output(n_segments, "n_segments")?, optional_output(n_columns, "n_columns")?] };
        segments.into_iter().for_each(|to| to.set(path.n_segments()));
        columns.into_iter().for_each(|to| to.set(path.n_columns()));
        Ok(())
    })
}

/// Writes the configuration of n columns at a time of a segment, from 0 to 1, to within rounding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_trajectory_at(
    trajectory: *const FcTrajectory,
    segment: usize,
    t: f64,
    configuration: *mut f64,
    n: usize,
) -> FcStatus {
    guard(|| {
        let path = &handles::get(trajectory)?.0;
        if segment >= path.n_segments() {
            return Err(crate::text::no_such(segment, path.n_segments(), "segment"));
        }
        if !(0.0..=1.0).contains(&t) || n != path.n_columns() {
            let message = format!(
                "time {t:?} and {n} columns: the time must be 0 to 1, and the trajectory has {} columns",
                path.n_columns()
            );
            return Err(Error::usage(message));
        }
        // SAFETY: the caller's promise for arrays.
        let mut to = unsafe { outputs(configuration, n, size_of::<f64>() as isize, "configuration") }?;
        path.at(segment, t).into_iter().enumerate().for_each(|(i, value)| to.set(i, value));
        Ok(())
    })
}

/// The trajectories of a list of handles.
///
/// # Safety
/// The list is null, or valid for reading `n` handles.
///
/// # Errors
/// The list is null although there are trajectories, or a handle is not that of a living trajectory.
pub(crate) unsafe fn paths(list: *const *const FcTrajectory, n: usize) -> Result<Vec<Arc<Trajectory>>> {
    // SAFETY: as the caller promises.
    let all = unsafe { handles::list(list, n, "trajectories") }?;
    Ok(all.into_iter().map(|of| Arc::clone(&of.0)).collect())
}

/// Checks trajectories. The joint tolerance has one number for each of n_columns columns, radians or metres: answers
/// then hold for every execution that stays within the tolerance at each time. The joint tolerance and the control may
/// be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_check_trajectories(
    engine: *const FcEngine,
    trajectories: *const *const FcTrajectory,
    n_trajectories: usize,
    joint_tolerance: *const f64,
    n_columns: usize,
    control: *const FcControl,
    results: *mut *mut FcResults,
) -> FcStatus {
    guard(|| {
        let engine = handles::get(engine)?;
        // SAFETY: the caller's promise for arrays.
        let paths = unsafe { paths(trajectories, n_trajectories) }?;
        // SAFETY: likewise.
        let tolerance = unsafe { times(joint_tolerance, n_columns) }?.map(|of| of.row(0)).unwrap_or_default();
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(results, "results") }?;
        // SAFETY: the caller's promise for callbacks.
        let mut control = unsafe { Control::start(control, paths.len()) }?;
        let copies: Vec<Trajectory> = paths.iter().map(|path| Trajectory::clone(path)).collect();
        let (mut verdicts, mut poses) = (list_of(paths.len(), "answers")?, BTreeMap::new());
        let stats = engine.engine.check_trajectories(&copies, &tolerance, &mut |i, answer| {
            if let (true, Verdict::Contact(contact)) = (engine.with_poses(), &answer.verdict) {
                poses.insert(i, engine.engine.body_poses_at(&copies[i], answer.segment, contact.toc[0])?);
            }
            verdicts.push(answer);
            control.poll(i + 1)
        })?;
        to.set(handles::put(FcResults::new(&engine, Given::Trajectories(verdicts, paths, tolerance), poses, &stats)));
        Ok(())
    })
}
