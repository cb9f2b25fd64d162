//! The Puma in rooms that differ only in the number of triangles of which each wall consists. The room is turned, so
//! that no wall is along a coordinate plane.

use crate::case::{motions, set};
use criterion::Criterion;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::scene::Scene;
use glam::{DQuat, DVec3};
use std::hint::black_box;

/// Number of parts into which each side of a wall is cut; a wall has twice the square of it in triangles.
const CUTS: [u32; 3] = [1, 10, 100];
const ROOM_M: DVec3 = DVec3::new(8.0, 8.0, 3.0);

/// The surface of a box around the origin, each side of a face cut into `n` parts.
fn surface(size_m: DVec3, n: u32) -> Vec<[DVec3; 3]> {
    let at = |i: u32| f64::from(i) / f64::from(n) - 0.5;
    let mut triangles = Vec::new();
    for [u, v, w] in [[DVec3::X, DVec3::Y, DVec3::Z], [DVec3::Y, DVec3::Z, DVec3::X], [DVec3::Z, DVec3::X, DVec3::Y]] {
        for side in [-0.5, 0.5] {
            let corner = |i: u32, j: u32| (at(i) * u + at(j) * v + side * w) * size_m;
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    triangles
}

/// A room with a table and five shelves, its walls cut into parts.
fn room(cuts: u32) -> Scene {
    let turned = DQuat::from_rotation_x(0.02) * DQuat::from_rotation_z(0.5);
    let mut scene = Scene::new();
    let mut add = |name: &str, triangles: Vec<[DVec3; 3]>, at: DVec3| {
        let placed = triangles.into_iter().map(|t| t.map(|p| turned * (p + at)));
        scene.add_object(name, placed).expect("it is finite");
    };
    add("walls", surface(ROOM_M, cuts), DVec3::Z);
    add("table", surface(DVec3::new(1.0, 2.0, 0.05), 1), DVec3::new(1.1, 0.0, 0.3));
    for k in 0..5 {
        let at = DVec3::new(0.0, 1.0, 0.4 * f64::from(k) - 0.4);
        add("shelf", surface(DVec3::new(3.0, 0.4, 0.03), 1), at);
    }
    scene
}

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("walls");
    let robot = set("amr").0;
    let batch = motions(&robot, &room(1), 256, 30.0);
    for cuts in CUTS {
        let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
        let engine = Engine::builder(&robot, room(cuts)).options(options).build().expect("it builds");
        group.throughput(criterion::Throughput::Elements(batch.len() as u64));
        group.bench_function(format!("{} triangles each", 2 * cuts * cuts), |b| {
            b.iter(|| black_box(engine.check(&batch).expect("it runs")));
        });
    }
    group.finish();
}
