//! Processes that were forked from one that has used the library. They lack its threads, so work there would wait
//! forever.

use firstcontact::Result;

/// Refuses work in a process that was forked after the library was used.
///
/// # Errors
/// The process was forked after the library was used.
#[cfg(unix)]
pub(crate) fn refuse_after_fork() -> Result<()> {
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, Ordering};

    static WATCH: Once = Once::new();
    static IS_FORKED: AtomicBool = AtomicBool::new(false);

    extern "C" fn in_child() {
        IS_FORKED.store(true, Ordering::Relaxed);
    }

    // SAFETY: the handler only stores a flag, which is allowed after a fork. The library is never unloaded (build.rs).
    WATCH.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    });
    if IS_FORKED.load(Ordering::Relaxed) {
        let error = firstcontact::Error::usage("this process was forked from one that has used firstcontact");
        return Err(error.remedy("fork before the first call, or start another program with exec"));
    }
    Ok(())
}

/// There are no forked processes on this system.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as where there are forked processes")]
pub(crate) fn refuse_after_fork() -> Result<()> {
    Ok(())
}
