//! `s5_pairs`: the candidates of 64 pieces. The kernel's time includes running `s3_cull` again, which produces the
//! candidates.

use crate::case::{case, compare};
use criterion::Criterion;
use firstcontact::engine::Stage;
use firstcontact::stage::s5_pairs;
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let case = case();
    let reference = || {
        let mut limits = vec![u32::MAX; case.motions.len()];
        let pairs = s5_pairs::search(&case.pair_input(), Some(&mut limits), usize::MAX);
        drop(black_box(pairs));
    };
    compare(criterion, &case, Stage::Pairs, reference, |pipeline| {
        pipeline.reset_queues(&case.chunk(), 0).expect("it fits");
        pipeline.run_stage(&case.chunk(), 0, Stage::Cull).expect("it runs");
    });
}
