//! Tests of the interface for C and C++: the header, and programs that use it.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

mod harness;
mod header;
mod programs;
