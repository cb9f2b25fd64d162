//! From motions to verdicts: Puma in pipes and in the machine room, on one thread, on all threads, and on an adapter.

use crate::case::{motions, set};
use criterion::{Criterion, Throughput};
use firstcontact::engine::{Backend, Engine, Options};
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("end_to_end");
    group.sample_size(10);
    for scene_name in ["pipes", "amr"] {
        let (robot, scene) = set(scene_name);
        for degrees in [1.0, 5.0, 15.0, 30.0, 60.0] {
            let batch = motions(&robot, &scene, 200, degrees);
            group.throughput(Throughput::Elements(batch.len() as u64));
            for (name, backend, threads) in
                [("cpu, 1 thread", Backend::Cpu, 1), ("cpu", Backend::Cpu, 0), ("gpu", Backend::Gpu, 0)]
            {
                let options = Options { backend, threads, ..Options::default() };
                let engine = match Engine::builder(&robot, &scene).options(options).build() {
                    Ok(engine) => engine,
                    Err(e) => {
                        println!("{name} left out: {e}");
                        continue;
                    }
                };
                let adapter = engine.adapter_names().map_or(String::new(), |names| format!(", {names}"));
                group.bench_function(format!("{scene_name}, {degrees}°, {name}{adapter}"), |b| {
                    b.iter(|| black_box(engine.check(&batch).expect("it runs")));
                });
            }
        }
    }
    group.finish();
}
