//! `s4_sweep`: 64 pieces, each form of the swept volume and none. The kernel's time includes all earlier stages,
//! because they produce the candidates to cull; the cost of a form is the difference from `off`.

use crate::case::case;
use criterion::{Criterion, Throughput};
use firstcontact::engine::gpu_backend::GpuPipeline;
use firstcontact::engine::{Options, Stage, Sweep};
use firstcontact::stage::s4_sweep;
use std::hint::black_box;
use std::sync::Arc;

const FORMS: [Sweep; 2] = [Sweep::Raster, Sweep::Compute];

pub fn bench(criterion: &mut Criterion) {
    let case = case();
    let mut sweeps: Vec<_> = case.candidates.iter().map(|c| (c.piece, c.link)).collect();
    sweeps.sort_unstable();
    sweeps.dedup();
    let mut group = criterion.benchmark_group("s4_sweep");
    group.throughput(Throughput::Elements(sweeps.len() as u64));
    group.sample_size(20);
    let input = s4_sweep::Input {
        world: &case.world,
        motions: &case.motions,
        pieces: &case.pieces,
        poses: &case.poses,
        boxes: &case.boxes,
    };
    for form in FORMS {
        group.bench_function(format!("reference, {}", form.name()), |b| {
            b.iter(|| {
                let mut candidates = case.candidates.clone();
                s4_sweep::reference(form, &input, &mut candidates);
                black_box(candidates)
            });
        });
    }
    let world = Arc::new(case.world.clone());
    for form in std::iter::once(Sweep::Off).chain(FORMS) {
        let mut pipeline = match GpuPipeline::new(world.clone(), &Options { sweep: form, ..Options::default() }, false)
        {
            Ok(pipeline) => pipeline,
            Err(e) => {
                println!("no adapter: {e}");
                return;
            }
        };
        pipeline.upload_chunk(&case.chunk(), 0).expect("it fits");
        for stage in [Stage::Concat, Stage::Bound] {
            pipeline.run_stage(&case.chunk(), 0, stage).expect("it runs");
        }
        let name = pipeline.gpu().summary().name.clone();
        group.bench_function(format!("kernel, {}, {name}", form.name()), |b| {
            b.iter(|| {
                pipeline.reset_queues(&case.chunk(), 0).expect("it fits");
                pipeline.run_stage(&case.chunk(), 0, Stage::Cull).expect("it runs");
                pipeline.run_stage(&case.chunk(), 0, Stage::Sweep).expect("it runs");
            });
        });
    }
    group.finish();
}
