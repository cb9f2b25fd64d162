//! Public data sets: untrusted archives, mirrors, planning problems, names, and protein chains.

mod archives;
mod mirrors;
mod moveit;
mod names;
mod protein;
