//! Progress and cancellation.

use firstcontact::arith::float_environment::as_caller;
use firstcontact::{Error, ErrorKind, Result};
use std::cell::Cell;
use std::ffi::c_void;
use std::time::{Duration, Instant};

/// Receives the progress of a call: the number of answers so far and their total number. It is called in the calling
/// thread, before the first answer, then at most every 50 ms. Return 0 to continue, any other value to end the work.
pub type FcProgress = Option<unsafe extern "C" fn(user: *mut c_void, done: u64, total: u64) -> i32>;

/// Progress and cancellation of a call. Where it is an argument, null means neither.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcControl {
    /// The callback, or null.
    pub progress: FcProgress,
    /// The first argument of the callback.
    pub user: *mut c_void,
}

/// Time between two calls of the callback.
const INTERVAL: Duration = Duration::from_millis(50);

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Calls a callback, which must not start a check: engines on adapters work for one check at a time.
pub(crate) fn in_callback<T>(call: impl FnOnce() -> T) -> T {
    let before = IN_CALLBACK.replace(true);
    let answer = as_caller(call);
    IN_CALLBACK.set(before);
    answer
}

/// Refuses checks in callbacks.
pub(crate) fn refuse_in_callback() -> Result<()> {
    if IN_CALLBACK.get() {
        let error = Error::usage("a callback started a check");
        return Err(error.remedy("return from the callback first"));
    }
    Ok(())
}

/// The error that ends the work.
pub(crate) fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "interrupted").at("callback")
}

/// Progress of a running call.
pub(crate) struct Control {
    control: Option<FcControl>,
    total: u64,
    last: Instant,
}

impl Control {
    /// Reports the start of work on `total` answers.
    ///
    /// # Safety
    /// The pointer is null or to a control, and its callback is a function of that type.
    ///
    /// # Errors
    /// The callback ends the work.
    pub unsafe fn start(from: *const FcControl, total: usize) -> Result<Self> {
        refuse_in_callback()?;
        if !from.is_null() && !from.is_aligned() {
            return Err(Error::usage("the pointer control is not aligned"));
        }
        // SAFETY: the pointer is null, or aligned and to a control, as the caller promises.
        let control = unsafe { from.as_ref() }.copied().filter(|control| control.progress.is_some());
        let this = Self { control, total: total as u64, last: Instant::now() };
        this.report(0)?;
        Ok(this)
    }

    /// Reports answers from time to time.
    ///
    /// # Errors
    /// The callback ends the work.
    pub fn poll(&mut self, done: usize) -> Result<()> {
        if self.control.is_none() || self.last.elapsed() < INTERVAL {
            return Ok(());
        }
        self.report(done as u64)?;
        self.last = Instant::now();
        Ok(())
    }

    fn report(&self, done: u64) -> Result<()> {
        let Some(FcControl { progress: Some(progress), user }) = self.control else { return Ok(()) };
        // SAFETY: `start` demands a function of this type.
        match in_callback(|| unsafe { progress(user, done, self.total) }) {
            0 => Ok(()),
            _ => Err(interrupted()),
        }
    }
}
