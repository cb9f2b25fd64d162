//! Tests of the interface for C and C++: the header, programs that use it, and packages.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

mod answers;
mod harness;
mod header;
mod ompl;
mod packages;
mod programs;
mod sanitizers;
