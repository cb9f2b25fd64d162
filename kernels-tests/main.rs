//! Every test that needs more than one module.

// The helpers of tests may unwrap as the tests themselves do.
#![allow(clippy::unwrap_used)]

mod inputs;

/// How much to do: `ci` unless the environment variable `FIRSTCONTACT_EFFORT` is `full`.
fn effort(ci: usize, full: usize) -> usize {
    if std::env::var_os("FIRSTCONTACT_EFFORT").is_some_and(|e| e == "full") { full } else { ci }
}
