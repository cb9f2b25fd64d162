//! Errors of the library as exceptions.

use firstcontact::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The exception `firstcontact.Error` for an error.
pub fn raise(error: Error) -> PyErr {
    static FROM_NATIVE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Python::attach(|py| {
        let file = error.file().map(|file| file.to_string_lossy().into_owned());
        let parts = (error.to_string(), kind(error.kind()), file, error.place(), error.advice());
        let make = FROM_NATIVE.import(py, "firstcontact._errors", "from_native");
        let made = make.and_then(|make| make.call1(parts));
        made.map_or_else(|failure| failure, PyErr::from_value)
    })
}

fn kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Input => "input",
        ErrorKind::Memory => "memory",
        ErrorKind::Gpu => "gpu",
        ErrorKind::Interrupted => "interrupted",
        ErrorKind::Output => "output",
        ErrorKind::Busy => "busy",
        ErrorKind::Closed => "closed",
    }
}
