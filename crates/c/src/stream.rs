//! Any number of motions in bounded memory.

use crate::answers::FcAnswer;
use crate::control::{in_callback, interrupted, refuse_in_callback};
use crate::engine::FcEngine;
use crate::handles;
use crate::output::optional_output;
use crate::portions::Motions;
use crate::results::FcStats;
use crate::rows::{FcRows, fc_rows, rows};
use crate::status::{FcStatus, guard};
use firstcontact::{Error, MotionBatch, Result};
use std::ffi::c_void;
use std::ptr::null;

/// Provides the next motions of a stream: writes starts and ends, of any number of rows, and returns 0. The arrays are
/// copied when the callback returns. At the end of the stream it returns 1; any other value ends the work.
pub type FcSource = Option<unsafe extern "C" fn(user: *mut c_void, starts: *mut FcRows, ends: *mut FcRows) -> i32>;

/// Receives the answer for each motion of a stream, in the order of the motions; the answer is valid until the callback
/// returns. Return 0 to continue, any other value to end the work.
pub type FcSink = Option<unsafe extern "C" fn(user: *mut c_void, motion: u64, answer: *const FcAnswer) -> i32>;

/// A source as portions.
struct Portions<'a> {
    engine: &'a FcEngine,
    next: unsafe extern "C" fn(*mut c_void, *mut FcRows, *mut FcRows) -> i32,
    user: *mut c_void,
    n_read: usize,
}

impl Portions<'_> {
    fn read(&mut self) -> Result<Option<MotionBatch>> {
        let mut given = [fc_rows(null(), 0, 0); 2];
        let [starts, ends] = &mut given;
        // SAFETY: the caller of `fc_engine_stream` promises a function of this type.
        match in_callback(|| unsafe { (self.next)(self.user, starts, ends) }) {
            0 => {}
            1 => return Ok(None),
            _ => return Err(interrupted()),
        }
        // SAFETY: the caller promises that the callback writes valid rows.
        let (starts, ends) = unsafe { (rows(&given[0], "starts")?, rows(&given[1], "ends")?) };
        let motions = Motions::between(starts, ends, self.engine.n_columns())?;
        let batch = motions.batch(0..motions.len(), self.n_read)?;
        self.n_read += batch.len();
        Ok(Some(batch))
    }
}

impl Iterator for Portions<'_> {
    type Item = Result<MotionBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Checks any number of motions in bounded memory: takes them from a source when they are needed, and passes each
/// answer to a sink as soon as it is known. Both are called in this thread, with the user's pointer. The counts are
/// written to stats, unless that pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_engine_stream(
    engine: *const FcEngine,
    source: FcSource,
    sink: FcSink,
    user: *mut c_void,
    stats: *mut FcStats,
) -> FcStatus {
    guard(|| {
        refuse_in_callback()?;
        let engine = handles::get(engine)?;
        let missing = |what: &str| Error::usage(format!("the {what} of the stream is null"));
        let next = source.ok_or_else(|| missing("source"))?;
        let sink = sink.ok_or_else(|| missing("sink"))?;
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { optional_output(stats, "stats") }?;
        let mut portions = Portions { engine: &engine, next, user, n_read: 0 };
        let all = engine.engine.check_portions(&mut portions, &mut |i, verdict| {
            let answer = FcAnswer::new(&verdict);
            // SAFETY: the caller promises a function of this type.
            match in_callback(|| unsafe { sink(user, i as u64, &raw const answer) }) {
                0 => Ok(()),
                _ => Err(interrupted()),
            }
        })?;
        to.into_iter().for_each(|to| to.set(FcStats::new(&all)));
        Ok(())
    })
}
