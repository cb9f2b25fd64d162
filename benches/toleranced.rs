//! Toleranced motions: elementary tests on one core and on an adapter, and coverings.

use criterion::{Criterion, Throughput};
use firstcontact::gpu::AdapterChoice;
use firstcontact::stage::toleranced::{Fat, reference};
use firstcontact::toleranced::batch::{Batch, fat};
use firstcontact::toleranced::elementary::FatEdge;
use firstcontact::toleranced::enclosure::Map;
use firstcontact::toleranced::experiments::{Path, octagons, squares};
use firstcontact::toleranced::face::{Face, FatFace, Fixed};
use firstcontact::toleranced::problem::Problem;
use firstcontact::toleranced::search::{Bodies, Options, cover, fixed_tree, moving_tree};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::hint::black_box;

/// Contacts of two triangles.
const CONTACTS: u64 = 15;

pub fn bench(criterion: &mut Criterion) {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let mut unit = move || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let mut triangle = |away: f64| [[0.0; 3]; 3].map(|c| [c[0] + away + unit(), c[1] + unit(), c[2] + unit()]);
    let faces: Vec<(Face, Fixed)> = (0..16_384)
        .map(|_| {
            (Face::triangle(triangle(0.0), 2.0).expect("a triangle"), Fixed::new(&triangle(0.9)).expect("a triangle"))
        })
        .collect();
    let fats: Vec<_> = faces
        .iter()
        .map(|(face, fixed)| (FatFace::new(face, &Map::identity().after(&face.frame), 0.05), fixed))
        .collect();
    let mut group = criterion.benchmark_group("toleranced");
    group.sample_size(20);
    let some = &fats[..1024];
    group.throughput(Throughput::Elements(CONTACTS * some.len() as u64));
    group.bench_function("exact elementary tests", |b| {
        b.iter(|| {
            for (fat, fixed) in some {
                let edges: Vec<_> = (0..3).map(|i| FatEdge::new(fat, i)).collect();
                for i in 0..3 {
                    black_box(fat.vertex_clears(i, fixed));
                    black_box((0..3).filter(|&j| fat.edge_clears(&edges[i], fixed, j)).count());
                    black_box(fat.face_clears(&edges, fixed, i));
                }
            }
        });
    });
    let pairs: Vec<Fat<f64>> = fats.iter().filter_map(|(f, fixed)| fat(f, fixed)).collect();
    group.bench_function("reference", |b| b.iter(|| black_box(reference(&pairs[..1024]))));
    match Batch::new(&AdapterChoice::default()) {
        Ok(mut batch) => {
            let device: Vec<_> = pairs.iter().map(Fat::to_device).collect();
            group.throughput(Throughput::Elements(CONTACTS * device.len() as u64));
            let name = format!("kernel, {}", batch.gpu().summary().name);
            group.bench_function(name, |b| b.iter(|| black_box(batch.standing(&device).expect("it runs"))));
        }
        Err(e) => println!("no adapter: {e}"),
    }
    group.throughput(Throughput::Elements(1));
    for (name, problem) in [
        ("octagons, near", octagons([0.0, 0.0, -0.1125], true)),
        ("squares, 4 by 4, near", squares(Path::Squares, 4, -0.2, None)),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(covering(&problem))));
    }
    group.finish();
}

fn covering(problem: &Problem) -> u64 {
    let shapes = problem.shapes().expect("it is one");
    let (moving_tree, fixed_tree) = (moving_tree(&shapes.moving), fixed_tree(&shapes.fixed));
    let bodies =
        Bodies { moving: &shapes.moving, moving_tree: &moving_tree, fixed: &shapes.fixed, fixed_tree: &fixed_tree };
    let options = Options { pairs: true, proof: false, ..Options::new(problem.limits) };
    cover(&bodies, &problem.motion.motion().expect("it is one"), &options).counts.tests
}
