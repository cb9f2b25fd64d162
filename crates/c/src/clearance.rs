//! Clearance of trajectories.

use crate::answers::{FcClearance, FcClearances};
use crate::control::{Control, FcControl};
use crate::engine::FcEngine;
use crate::handles::{self, object};
use crate::output::output;
use crate::status::{FcStatus, guard};
use crate::trajectory::{FcTrajectory, paths};
use firstcontact::{ClearanceOptions, Trajectory};

/// The clearances of trajectories, in their order.
pub struct FcClearanceResults(Vec<FcClearance>);
object!(FcClearanceResults, "set of clearances");

/// Measures the smallest distance between the robot and its obstacles along each trajectory: an enclosure at most
/// tolerance_m wide, metres, which begins at 0 for a trajectory with a contact. Distances beyond limit_m, which may be
/// infinite, are not measured. The control may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_clearance(
    engine: *const FcEngine,
    trajectories: *const *const FcTrajectory,
    n_trajectories: usize,
    tolerance_m: f64,
    limit_m: f64,
    control: *const FcControl,
    clearances: *mut *mut FcClearanceResults,
) -> FcStatus {
    guard(|| {
        let engine = handles::get(engine)?;
        // SAFETY: the caller's promise for arrays.
        let paths = unsafe { paths(trajectories, n_trajectories) }?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(clearances, "clearances") }?;
        let options = ClearanceOptions::default().with_tolerance_m(tolerance_m).with_limit_m(limit_m);
        options.check()?;
        // SAFETY: the caller's promise for callbacks.
        let mut control = unsafe { Control::start(control, paths.len()) }?;
        let copies: Vec<Trajectory> = paths.iter().map(|path| Trajectory::clone(path)).collect();
        let mut answers = Vec::with_capacity(copies.len());
        engine.engine.clearances(&copies, &options, &mut |i, clearance| {
            answers.push(FcClearance::new(&clearance));
            control.poll(i + 1)
        })?;
        to.set(handles::put(FcClearanceResults(answers)));
        Ok(())
    })
}

/// All clearances, valid until they are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_clearance_results_get(
    clearances: *const FcClearanceResults,
    view: *mut FcClearances,
) -> FcStatus {
    guard(|| {
        let all = handles::get(clearances)?;
        let stride_bytes = size_of::<FcClearance>();
        // SAFETY: the caller's promise for outputs.
        unsafe { output(view, "view") }?.set(FcClearances { data: all.0.as_ptr(), length: all.0.len(), stride_bytes });
        Ok(())
    })
}

/// Frees clearances; null is not an error.
#[unsafe(no_mangle)]
pub extern "C" fn fc_clearance_results_free(clearances: *mut FcClearanceResults) -> FcStatus {
    guard(|| handles::free(clearances))
}
