//! Errors and panics as a status, with a text for each thread.

use crate::fork::refuse_after_fork;
use firstcontact::arith::float_environment::DefaultEnvironment;
use firstcontact::{Error, ErrorKind, Result};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;

/// Outcome of a call: FC_OK or the kind of an error.
pub type FcStatus = i32;
/// The call was successful.
pub const FC_OK: FcStatus = 0;
/// The caller requested something that does not exist, or a combination that is not possible.
pub const FC_USAGE: FcStatus = 1;
/// A file or a number is missing, malformed or outside the range that the engine accepts.
pub const FC_INPUT: FcStatus = 2;
/// The data or the work does not fit into the memory limit set by the caller.
pub const FC_MEMORY: FcStatus = 3;
/// No usable graphics adapter, or the device failed.
pub const FC_GPU: FcStatus = 4;
/// A callback ended the work.
pub const FC_INTERRUPTED: FcStatus = 5;
/// An output could not be written.
pub const FC_OUTPUT: FcStatus = 6;
/// Another process is writing the output.
pub const FC_BUSY: FcStatus = 7;
/// The reader of the output has closed it.
pub const FC_CLOSED: FcStatus = 8;
/// A fault of the library: please report it.
pub const FC_INTERNAL: FcStatus = 9;

/// The texts of an error.
#[derive(Default)]
struct Texts {
    message: CString,
    file: Option<CString>,
    place: Option<CString>,
    remedy: Option<CString>,
}

thread_local! {
    static LAST: RefCell<Texts> = RefCell::default();
}

/// Runs the work of a function, with rounding to nearest whatever the caller has set. Nothing unwinds beyond it.
pub(crate) fn guard(work: impl FnOnce() -> Result<()>) -> FcStatus {
    let _environment = DefaultEnvironment::new();
    let work = || refuse_after_fork().and_then(|()| work());
    // What a panic leaves half done is either dropped here or behind a lock that recovers.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => FC_OK,
        Ok(Err(error)) => {
            keep(&error);
            kind(error.kind())
        }
        Err(payload) => {
            let fault = Error::usage(format!("a fault of the library: {}", panic_text(&*payload)));
            keep(&fault.remedy("please report it with the input"));
            // Dropping a payload may panic again.
            std::mem::forget(payload);
            FC_INTERNAL
        }
    }
}

fn kind(kind: ErrorKind) -> FcStatus {
    match kind {
        ErrorKind::Usage => FC_USAGE,
        ErrorKind::Input => FC_INPUT,
        ErrorKind::Memory => FC_MEMORY,
        ErrorKind::Gpu => FC_GPU,
        ErrorKind::Interrupted => FC_INTERRUPTED,
        ErrorKind::Output => FC_OUTPUT,
        ErrorKind::Busy => FC_BUSY,
        ErrorKind::Closed => FC_CLOSED,
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> &str {
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    payload.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("a panic without a message")
}

/// Keeps the texts of an error for this thread.
fn keep(error: &Error) {
    let texts = Texts {
        message: c_string(&error.to_string()),
        file: error.file().map(|file| c_string(&file.to_string_lossy())),
        place: error.place().map(c_string),
        remedy: error.advice().map(c_string),
    };
    // A thread that is ending has no place for them.
    let _ = LAST.try_with(|last| last.replace(texts));
}

/// A text for C; zero bytes in it become replacement characters.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

fn last(text: impl FnOnce(&Texts) -> Option<&CString>) -> *const c_char {
    LAST.try_with(|last| text(&last.borrow()).map_or(null(), |text| text.as_ptr())).unwrap_or(null())
}

/// The last error of this thread on one line: file, place, message and remedy. Empty before the first error; valid
/// until the next error in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn fc_error_message() -> *const c_char {
    last(|texts| Some(&texts.message))
}

/// The file that the last error of this thread is about, or null.
#[unsafe(no_mangle)]
pub extern "C" fn fc_error_file() -> *const c_char {
    last(|texts| texts.file.as_ref())
}

/// The place in the file or in the call, such as a line or a motion, or null.
#[unsafe(no_mangle)]
pub extern "C" fn fc_error_place() -> *const c_char {
    last(|texts| texts.place.as_ref())
}

/// The remedy for the last error of this thread, or null.
#[unsafe(no_mangle)]
pub extern "C" fn fc_error_remedy() -> *const c_char {
    last(|texts| texts.remedy.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn message() -> String {
        // SAFETY: the pointer is to a text of this thread.
        unsafe { CStr::from_ptr(fc_error_message()) }.to_str().unwrap().to_string()
    }

    #[test]
    fn panics_become_internal_errors() {
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(guard(|| panic!("number {}", 7)), FC_INTERNAL);
        assert!(message().contains("number 7"), "{}", message());
        assert_eq!(guard(|| std::panic::panic_any(3)), FC_INTERNAL);
        let _ = std::panic::take_hook();
    }

    #[test]
    fn parts_of_an_error_can_be_read_separately() {
        assert!(fc_error_file().is_null());
        let error = || Error::input("a\0b").in_file("robot.urdf").at("line 3").remedy("mend it");
        assert_eq!(guard(|| Err(error())), FC_INPUT);
        assert!(message().starts_with("robot.urdf: line 3: a"), "{}", message());
        assert!(![fc_error_file(), fc_error_place(), fc_error_remedy()].iter().any(|text| text.is_null()));
        assert_eq!(guard(|| Ok(())), FC_OK);
        assert!(!fc_error_file().is_null(), "a success keeps the last error");
    }
}
