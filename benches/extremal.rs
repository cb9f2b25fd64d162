//! `extremal`: pairs × steps per second; one Runge-Kutta step of each pair is one element.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use firstcontact::extremal::batch::surfaces::{
    SurfaceBatch, SurfacePair, SurfacePlaces, reference as surfaces_reference,
};
use firstcontact::extremal::batch::{Batch, EllipsoidPair, Places, Schedule, reference};
use firstcontact::extremal::{Basis, Motion, Pair, Settings, Shape, SplineSurface, State, Tracker};
use firstcontact::gpu::{AdapterChoice, Gpu};
use glam::{DMat3, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::hint::black_box;

const PAIRS: usize = 4096;
const SCHEDULE: Schedule = Schedule { gain_per_s: 10.0, step_s: 0.02, n_steps: 32 };

/// Pairs separated along x, with places on the sides that face each other.
fn pairs() -> (Vec<EllipsoidPair>, Vec<Places>) {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let mut uniform = |lo: f64, hi: f64| lo + (hi - lo) * (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let mut vector = |lo: f64, hi: f64| DVec3::new(uniform(lo, hi), uniform(lo, hi), uniform(lo, hi));
    let pairs = (0..PAIRS).map(|_| {
        let semi_axes_m = [vector(0.6, 1.6), vector(0.6, 1.6)];
        let away = DVec3::new(3.6, 0.0, 0.0);
        let motions = [DVec3::ZERO, away].map(|o| Motion::new(o, vector(-0.3, 0.3), vector(-0.3, 0.3)));
        EllipsoidPair { semi_axes_m, motions }
    });
    (pairs.collect(), vec![Places::start([DVec3::X, -DVec3::X]); PAIRS])
}

/// Adjacent tori, and domes that face each other.
fn surfaces() -> (Vec<SurfacePair>, Vec<SurfacePlaces>) {
    let mut random = Pcg64Mcg::seed_from_u64(8);
    let mut uniform = |lo: f64, hi: f64| lo + (hi - lo) * (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let pair = |i: usize| {
        let mut vector = |by: f64| DVec3::new(uniform(-by, by), uniform(-by, by), uniform(-by, by));
        let motions = |away: DVec3, turn: DMat3, [v, w]: [DVec3; 2]| {
            [Motion::still(DVec3::ZERO), Motion { rotation: turn, ..Motion::new(away, v, w) }]
        };
        let moves = [vector(0.1), vector(0.1)];
        if i.is_multiple_of(2) {
            let torus = |ring_m: f64| Shape::torus(ring_m, 0.3).expect("it is one");
            let shapes = Pair { a: torus(1.0), b: torus(uniform(0.7, 1.2)) };
            let away = DVec3::new(2.8, 0.0, 0.0);
            let upright = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2);
            let start = SurfacePlaces::start([0.0, 0.0, std::f64::consts::PI, 0.0]);
            return (SurfacePair { shapes, motions: motions(away, upright, moves) }, start);
        }
        let mut dome = || {
            let basis = [0; 2].map(|_| Basis::bezier(3).expect("it is one"));
            let at = |k: usize| -1.0 + 2.0 * k as f64 / 3.0;
            let height = uniform(0.4, 0.9);
            let points: Vec<_> = (0..16)
                .map(|k| DVec3::new(at(k / 4), at(k % 4), -height * (at(k / 4).powi(2) + at(k % 4).powi(2))))
                .collect();
            let weights: Vec<f64> = (0..16).map(|_| uniform(0.9, 1.2)).collect();
            Shape::Patch(SplineSurface::new(basis, &points, Some(&weights), false).expect("it is one"))
        };
        let shapes = Pair { a: dome(), b: dome() };
        let over = DMat3::from_rotation_x(std::f64::consts::PI);
        let motions = motions(DVec3::new(0.0, 0.0, 1.0), over, moves);
        (SurfacePair { shapes, motions }, SurfacePlaces::start([0.5; 4]))
    };
    (0..PAIRS).map(pair).unzip()
}

fn bench_surfaces(group: &mut BenchmarkGroup<WallTime>) {
    let (pairs, places) = surfaces();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let some = PAIRS / 16;
    group.throughput(Throughput::Elements((some * SCHEDULE.n_steps) as u64));
    group.bench_function("tori and patches, reference, one core", |b| {
        let follow = || surfaces_reference(&pairs[..some], black_box(&mut places[..some].to_vec()), &SCHEDULE);
        b.iter(|| one.install(follow).expect("it fits"));
    });
    if let Ok(mut batch) = Gpu::open(&AdapterChoice::default()).and_then(SurfaceBatch::new) {
        let name = batch.gpu().summary().name.clone();
        group.throughput(Throughput::Elements((PAIRS * SCHEDULE.n_steps) as u64));
        group.bench_function(format!("tori and patches, kernel, {name}"), |b| {
            b.iter(|| batch.follow(&pairs, black_box(&mut places.clone()), &SCHEDULE).expect("it runs"));
        });
    }
}

pub fn bench(criterion: &mut Criterion) {
    let (pairs, places) = pairs();
    let mut group = criterion.benchmark_group("extremal");
    group.sample_size(20);
    group.throughput(Throughput::Elements((PAIRS * SCHEDULE.n_steps) as u64));
    group.bench_function("reference, all cores", |b| {
        b.iter(|| reference(&pairs, black_box(&mut places.clone()), &SCHEDULE).expect("it fits"));
    });
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    group.bench_function("reference, one core", |b| {
        b.iter(|| one.install(|| reference(&pairs, black_box(&mut places.clone()), &SCHEDULE)).expect("it fits"));
    });
    match Gpu::open(&AdapterChoice::default()).and_then(Batch::new) {
        Ok(mut batch) => {
            let name = batch.gpu().summary().name.clone();
            group.bench_function(format!("kernel, {name}"), |b| {
                b.iter(|| batch.follow(&pairs, black_box(&mut places.clone()), &SCHEDULE).expect("it runs"));
            });
        }
        Err(e) => println!("no adapter: {e}"),
    }
    bench_surfaces(&mut group);
    // The tracker with charts and all checks, one pair after another.
    let shapes = |p: &EllipsoidPair| {
        let [a, b] = p.semi_axes_m.map(|axes| Shape::ellipsoid(axes.to_array()).expect("they are positive"));
        Pair { a, b }
    };
    let settings = Settings { gain_per_s: 10.0, step_s: 0.02, ..Settings::default() };
    let trackers: Vec<Tracker> =
        pairs[..64].iter().map(|p| Tracker::new(shapes(p), p.motions, settings).expect("it is stable")).collect();
    group.throughput(Throughput::Elements((trackers.len() * SCHEDULE.n_steps) as u64));
    group.bench_function("tracker, one core", |b| {
        let start = State::new([0.0, 0.0, std::f64::consts::PI, 0.0]);
        b.iter(|| trackers.iter().for_each(|t| drop(black_box(t.run(Some(start), 0.64).expect("it runs")))));
    });
    group.finish();
}
