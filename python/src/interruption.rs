//! Work without the interpreter's lock that Ctrl-C ends.

use crate::error::raise;
use firstcontact::arith::float_environment::{DefaultEnvironment, as_caller};
use firstcontact::{Error, ErrorKind, Result};
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// Time between two checks for a signal: short for a person, long compared with taking the interpreter's lock.
const INTERVAL: Duration = Duration::from_millis(50);

/// Runs `work` without the interpreter's lock, and with rounding to nearest, whatever other extensions have set.
/// Threads that it starts inherit this.
pub fn detached<T: Send>(py: Python, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        let _environment = DefaultEnvironment::new();
        work()
    })
}

/// Asks Python for signals from time to time, and keeps exceptions that pass through the library.
pub struct Interruption {
    last: Cell<Instant>,
    raised: RefCell<Option<PyErr>>,
}

impl Interruption {
    /// Runs `work` as [`detached`] does.
    ///
    /// # Errors
    /// Those of `work`; or the exception of a signal handler, or one that [`through`](Self::through) has kept.
    pub fn run<T: Send>(py: Python, work: impl FnOnce(&Self) -> Result<T> + Send) -> PyResult<T> {
        detached(py, || {
            let this = Self { last: Cell::new(Instant::now()), raised: RefCell::new(None) };
            work(&this).map_err(|error| this.raised.take().unwrap_or_else(|| raise(error)))
        })
    }

    /// Returns an error if a signal has arrived whose handler raises, such as that of Ctrl-C.
    pub fn poll(&self) -> Result<()> {
        if self.last.get().elapsed() < INTERVAL {
            return Ok(());
        }
        self.last.set(Instant::now());
        as_caller(|| Python::attach(|py| self.through(py.check_signals())))
    }

    /// Calls a function of Python that counts finished work, if there is one.
    pub fn report(&self, progress: Option<&Py<PyAny>>) -> Result<()> {
        let call = |progress: &Py<PyAny>| Python::attach(|py| self.through(progress.call0(py).map(|_| ())));
        progress.map_or(Ok(()), |progress| as_caller(|| call(progress)))
    }

    /// Keeps an exception while an error passes through the library instead of it.
    pub fn through<T>(&self, result: PyResult<T>) -> Result<T> {
        result.map_err(|exception| {
            self.raised.replace(Some(exception));
            Error::new(ErrorKind::Interrupted, "interrupted")
        })
    }
}
