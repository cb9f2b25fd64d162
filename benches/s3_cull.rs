//! `s3_cull`: 64 pieces against the scene's tree. The kernel's time includes clearing its counters.

use crate::case::{case, compare};
use criterion::Criterion;
use firstcontact::engine::Stage;
use firstcontact::stage::s3_cull;
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let case = case();
    let reference = || drop(black_box(s3_cull::reference(&case.world, &case.pieces, &case.boxes)));
    let again = |pipeline: &mut _| reload(pipeline, &case);
    compare(criterion, &case, Stage::Cull, reference, again);
}

/// Resets the counters to their state before the traversal; the boxes are kept.
fn reload(pipeline: &mut firstcontact::engine::gpu_backend::GpuPipeline, case: &crate::case::Case) {
    pipeline.reset_queues(&case.chunk(), 0).expect("it fits");
}
