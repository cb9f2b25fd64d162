//! One motion at a time by a warm engine: free and colliding ones, on the CPU and on an adapter.

use crate::case::{motions, set};
use criterion::Criterion;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::MotionBatch;
use std::hint::black_box;

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
            let adapter = engine.adapter().map_or(String::new(), |a| format!(", {}", a.name));
            // Warm: everything that these motions need is allocated.
            let verdicts = engine.check(&batch).expect("it runs").verdicts;
            for (kind, is_contact) in [("free", false), ("colliding", true)] {
                let of_kind = (0..batch.len()).filter(|&i| verdicts[i].is_contact() == is_contact).take(SOME);
                let single: Vec<MotionBatch> = of_kind.map(|i| batch.range(i..i + 1)).collect();
                let mut next = single.iter().cycle();
                group.bench_function(format!("{scene_name}, 30°, {kind}, {name}{adapter}"), |b| {
                    b.iter(|| next.next().map(|motion| black_box(engine.check(motion).expect("it runs"))));
                });
            }
        }
    }
    group.finish();
}
