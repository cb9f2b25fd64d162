//! Building engines for a robot in small scenes, such as those of planning problems: the first one, and the next ones,
//! which share its trees over the links.

use crate::case::set;
use criterion::Criterion;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::primitive::{CHORD_ERROR_M, Primitive};
use firstcontact::scene::Scene;
use glam::DVec3;
use std::hint::black_box;
use std::sync::Arc;

/// A shelf of boxes, with as many cylinders on it.
fn shelf() -> Scene {
    let mut scene = Scene::new();
    let mut add = |name: &str, shape: Primitive, at: DVec3| {
        let triangles = shape.triangles(CHORD_ERROR_M).expect("it has a size");
        scene.add_object(name, triangles.into_iter().map(|t| t.map(|v| v + at))).expect("it is finite");
    };
    for i in 0..8 {
        let (level, x) = (f64::from(i / 4), f64::from(i % 4));
        let at = DVec3::new(0.3 * x - 0.45, 0.7, 0.5 * level);
        add("board", Primitive::Box { size_m: DVec3::new(0.28, 0.4, 0.02) }, at);
        add("can", Primitive::Cylinder { radius_m: 0.04, length_m: 0.15 }, at + DVec3::Z * 0.1);
    }
    scene
}

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("engine_build");
    let robot = Arc::new(set("amr").0);
    let scene = Arc::new(shelf());
    let n = scene.triangles.len();
    let options = Options { backend: Backend::Cpu, ..Options::default() };
    let builder = || Engine::builder(Arc::clone(&robot), Arc::clone(&scene)).options(options.clone());
    let known = builder().build().expect("it builds");
    group.bench_function(format!("first, {n} triangles"), |b| b.iter(|| black_box(builder().build())));
    group.bench_function(format!("with_scene, {n} triangles"), |b| {
        b.iter(|| black_box(known.with_scene(Arc::clone(&scene))));
    });
    group.finish();
}
