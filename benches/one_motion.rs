//! Single motions checked by a warm engine: free and colliding ones, on the CPU and on an adapter. For comparison, the
//! time per motion of a batch of the same motions, which one CPU thread checks.

use crate::case::{motions, set};
use criterion::Criterion;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::MotionBatch;
use std::hint::black_box;
use std::time::Instant;

/// Number of motions of each kind, used in turn.
const SOME: usize = 32;

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one_motion");
    for scene_name in ["pipes", "amr"] {
        let (robot, scene) = set(scene_name);
        let batch = motions(&robot, &scene, 200, 30.0);
        for (name, backend) in [("cpu", Backend::Cpu), ("gpu", Backend::Gpu)] {
            let options = Options { backend, ..Options::default() };
            let engine = match Engine::builder(&robot, &scene).options(options).build() {
                Ok(engine) => engine,
                Err(e) => {
                    println!("{name} left out: {e}");
                    continue;
                }
            };
            let adapter = engine.adapter_names().map_or(String::new(), |names| format!(", {names}"));
            // Warm: everything that these motions need is allocated.
            let verdicts = engine.check(&batch).expect("it runs").verdicts;
            let alone = engine.with_options(Options { backend, threads: 1, ..Options::default() }).expect("it builds");
            for (kind, is_contact) in [("free", false), ("colliding", true)] {
                let of_kind = (0..batch.len()).filter(|&i| verdicts[i].is_contact() == is_contact).take(SOME);
                let numbers: Vec<usize> = of_kind.collect();
                let single: Vec<MotionBatch> = numbers.iter().map(|&i| batch.range(i..i + 1)).collect();
                let mut next = single.iter().cycle();
                group.bench_function(format!("{scene_name}, 30°, {kind}, {name}{adapter}"), |b| {
                    b.iter(|| next.next().map(|motion| black_box(engine.check(motion).expect("it runs"))));
                });
                group.bench_function(format!("{scene_name}, 30°, {kind}, {name}{adapter}, in a batch"), |b| {
                    b.iter_custom(|n| {
                        let many: Vec<usize> = numbers.iter().copied().cycle().take(n as usize).collect();
                        let motions = batch.pick(&many);
                        let since = Instant::now();
                        black_box(alone.check(&motions).expect("it runs"));
                        since.elapsed()
                    });
                });
            }
        }
    }
    group.finish();
}
