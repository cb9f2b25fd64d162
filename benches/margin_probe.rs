//! `margin_probe`: 64 pieces with a margin of 2 cm. The kernels run together with those of `s3_cull`; the time includes
//! clearing the counters.

use crate::case::case;
use criterion::{Criterion, Throughput};
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Options, Stage};
use firstcontact::stage::{margin_probe, s1_concat};
use std::hint::black_box;

const MARGIN_M: f64 = 0.02;

pub fn bench(criterion: &mut Criterion) {
    let mut case = case();
    case.motions.iter_mut().for_each(|motion| motion.set_margin(MARGIN_M));
    let poses = s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel);
    let mut group = criterion.benchmark_group("margin_probe");
    group.throughput(Throughput::Elements(case.pieces.len() as u64));
    group.sample_size(20);
    group.bench_function("reference", |b| {
        b.iter(|| {
            black_box(margin_probe::reference(&case.world, &case.pieces, case.motions.len(), &poses, true));
        });
    });
    let mut options = Options::default();
    options.solve.margin_m = MARGIN_M;
    if let Some(mut pipeline) = case.pipeline_with(&options, Stage::Cull) {
        let name = pipeline.gpu().summary().name.clone();
        group.bench_function(format!("kernels and s3_cull, {name}"), |b| {
            b.iter(|| {
                pipeline.reset_queues(&case.chunk(), 0).expect("it fits");
                pipeline.run_stage(&case.chunk(), 0, Stage::Cull).expect("it runs");
            });
        });
    }
    group.finish();
}
