//! Checks of motions.

use crate::control::{Control, FcControl, refuse_in_callback};
use crate::engine::FcEngine;
use crate::handles;
use crate::memory::list_of;
use crate::output::{output, outputs};
use crate::portions::{Motions, PORTION};
use crate::results::{FcResults, Given};
use crate::rows::{FcIndices, FcRows, indices, row, rows};
use crate::scene::check_indices;
use crate::status::{FcStatus, guard};
use firstcontact::{Error, MotionBatch, Result, Stats, Verdict};
use std::collections::BTreeMap;

/// Checks motions, and passes each verdict to `sink` in their order.
fn each(engine: &FcEngine, motions: &Motions, sink: &mut dyn FnMut(usize, Verdict) -> Result<()>) -> Result<Stats> {
    match motions.len() {
        n @ 0..=PORTION => engine.engine.check_each(&motions.batch(0..n, 0)?, sink),
        _ => engine.engine.check_portions(&mut motions.portions(), sink),
    }
}

/// Checks motions and keeps all answers.
fn all(engine: &FcEngine, motions: &Motions, control: &mut Control) -> Result<FcResults> {
    let (mut verdicts, mut poses) = (list_of(motions.len(), "answers")?, BTreeMap::new());
    let stats = each(engine, motions, &mut |i, verdict| {
        if let (true, Verdict::Contact(contact)) = (engine.with_poses(), &verdict) {
            let [start, end] = motions.ends_of(i);
            poses.insert(i, engine.body_poses(&start, &end, contact.toc[0])?);
        }
        verdicts.push(verdict);
        control.poll(i + 1)
    })?;
    let kept = engine.certifier.as_ref().map(|_| motions.batch(0..motions.len(), 0)).transpose()?;
    Ok(FcResults::new(engine, Given::Motions(verdicts, kept), poses, &stats))
}

/// Checks motions: in motion i, every joint moves linearly from its value in row i of the starts to its value in row i
/// of the ends. The control may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_check(
    engine: *const FcEngine,
    starts: *const FcRows,
    ends: *const FcRows,
    control: *const FcControl,
    results: *mut *mut FcResults,
) -> FcStatus {
    guard(|| {
        let engine = handles::get(engine)?;
        // SAFETY: the caller's promise for arrays.
        let (starts, ends) = unsafe { (rows(starts, "starts")?, rows(ends, "ends")?) };
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(results, "results") }?;
        let motions = Motions::between(starts, ends, engine.n_columns())?;
        // SAFETY: the caller's promise for callbacks.
        let mut control = unsafe { Control::start(control, motions.len()) }?;
        to.set(handles::put(all(&engine, &motions, &mut control)?));
        Ok(())
    })
}

/// Checks the edges of a roadmap: rows of two indices of vertices, which are rows of configurations. The answers are in
/// the order of the edges. The control may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_check_edges(
    engine: *const FcEngine,
    vertices: *const FcRows,
    edges: *const FcIndices,
    control: *const FcControl,
    results: *mut *mut FcResults,
) -> FcStatus {
    guard(|| {
        let engine = handles::get(engine)?;
        // SAFETY: the caller's promise for arrays.
        let (vertices, edges) = unsafe { (rows(vertices, "vertices")?, indices(edges, 2, "edges")?) };
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(results, "results") }?;
        check_indices(&edges, vertices.n_rows(), "edge", "vertices")?;
        let motions = Motions::along(vertices, edges, engine.n_columns())?;
        // SAFETY: the caller's promise for callbacks.
        let mut control = unsafe { Control::start(control, motions.len()) }?;
        to.set(handles::put(all(&engine, &motions, &mut control)?));
        Ok(())
    })
}

/// Writes true for each motion that is certainly free, and false for contacts and motions without an answer. Values are
/// stride_bytes apart; 1 leaves no gaps. No other answers are kept, which saves memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_are_free(
    engine: *const FcEngine,
    starts: *const FcRows,
    ends: *const FcRows,
    control: *const FcControl,
    are_free: *mut bool,
    stride_bytes: isize,
) -> FcStatus {
    guard(|| {
        let engine = handles::get(engine)?;
        // SAFETY: the caller's promise for arrays.
        let (starts, ends) = unsafe { (rows(starts, "starts")?, rows(ends, "ends")?) };
        let motions = Motions::between(starts, ends, engine.n_columns())?;
        // SAFETY: the caller's promise for arrays.
        let mut to = unsafe { outputs(are_free, motions.len(), stride_bytes, "are_free") }?;
        // SAFETY: the caller's promise for callbacks.
        let mut control = unsafe { Control::start(control, motions.len()) }?;
        each(&engine, &motions, &mut |i, verdict| {
            to.set(i, verdict == Verdict::Free);
            control.poll(i + 1)
        })?;
        Ok(())
    })
}

/// Checks a single motion of n columns; passes the verdict on.
///
/// # Safety
/// The pointers are null or valid for reading `n` numbers.
unsafe fn one(engine: *const FcEngine, start: *const f64, end: *const f64, n: usize) -> Result<Verdict> {
    let engine = handles::get(engine)?;
    refuse_in_callback()?;
    // SAFETY: as the caller promises.
    let (start, end) = unsafe { (row(start, n, "start")?, row(end, n, "end")?) };
    if n != engine.n_columns() {
        let error = Error::usage(format!("{n} columns where a configuration has {}", engine.n_columns()));
        return Err(error.remedy("fc_engine_column_name lists the columns, in order"));
    }
    let mut values = Vec::with_capacity(2 * n);
    start.append_to(0, &mut values);
    end.append_to(0, &mut values);
    let mut answer = Verdict::Free;
    engine.engine.check_each(&MotionBatch::from_flat(1, n, values)?, &mut |_, verdict| {
        answer = verdict;
        Ok(())
    })?;
    Ok(answer)
}

/// Returns whether a single motion of n columns is certainly free; false for a contact or if there is no answer. This
/// is the quickest call for planners, and quicker still with FC_MODE_VERDICT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_is_free(
    engine: *const FcEngine,
    start: *const f64,
    end: *const f64,
    n: usize,
    is_free: *mut bool,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(is_free, "is_free") }?;
        // SAFETY: the caller's promise for arrays.
        to.set(unsafe { one(engine, start, end, n) }? == Verdict::Free);
        Ok(())
    })
}

/// The time up to which a single motion of n columns is certainly free; 1 for a free motion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_clear_until(
    engine: *const FcEngine,
    start: *const f64,
    end: *const f64,
    n: usize,
    clear_until: *mut f64,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(clear_until, "clear_until") }?;
        // SAFETY: the caller's promise for arrays.
        to.set(crate::answers::clear_until(&unsafe { one(engine, start, end, n) }?));
        Ok(())
    })
}
