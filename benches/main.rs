//! Benchmarks: one group per stage, on the CPU and on an adapter if the stage has a kernel, and one end to end.
//!
//! `cargo bench` runs all; `cargo bench -- s3_cull` runs one group. The best available adapter is used; without an
//! adapter its measurements are skipped, which is reported. Recorded figures are in `README.md` in this folder, with
//! machine and adapter.

#![allow(missing_docs, reason = "criterion's macros make functions without comments")]

mod case;
mod contraction;
mod end_to_end;
mod engine_build;
mod extremal;
mod margin_probe;
mod obb;
mod one_motion;
mod s1_concat;
mod s2_bound;
mod s3_cull;
mod s4_sweep;
mod s5_pairs;
mod s6_solve;
mod toleranced;
mod walls;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    benches,
    s1_concat::bench,
    s2_bound::bench,
    margin_probe::bench,
    s3_cull::bench,
    s4_sweep::bench,
    s5_pairs::bench,
    obb::bench,
    s6_solve::bench,
    contraction::bench,
    extremal::bench,
    toleranced::bench,
    end_to_end::bench,
    one_motion::bench,
    engine_build::bench,
    walls::bench
);
criterion_main!(benches);
