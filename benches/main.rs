//! Benchmarks: one group for each stage, on the CPU and on an adapter where it has a kernel, and one from end to end.
//!
//! `cargo bench` runs all; `cargo bench -- s3_cull` one group. The adapter is the best there is; without one its part is
//! left out, which is said. Figures worth keeping stand in `README.md` beside this file, with machine and adapter.

#![allow(missing_docs, reason = "criterion's macros make functions without comments")]

mod case;
mod contraction;
mod end_to_end;
mod extremal;
mod obb;
mod one_motion;
mod s1_concat;
mod s2_bound;
mod s3_cull;
mod s4_sweep;
mod s5_pairs;
mod s6_solve;
mod toleranced;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    benches,
    s1_concat::bench,
    s2_bound::bench,
    s3_cull::bench,
    s4_sweep::bench,
    s5_pairs::bench,
    obb::bench,
    s6_solve::bench,
    contraction::bench,
    extremal::bench,
    toleranced::bench,
    end_to_end::bench,
    one_motion::bench
);
criterion_main!(benches);
