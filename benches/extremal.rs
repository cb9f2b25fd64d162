//! `extremal`: pairs × steps by second; one Runge-Kutta step of each pair is one element.

use criterion::{Criterion, Throughput};
use firstcontact::extremal::batch::{Batch, EllipsoidPair, Places, Schedule, reference};
use firstcontact::extremal::{Motion, Pair, Settings, Shape, State, Tracker};
use firstcontact::gpu::{AdapterChoice, Gpu};
use glam::DVec3;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::hint::black_box;

const PAIRS: usize = 4096;
const SCHEDULE: Schedule = Schedule { gain_per_s: 10.0, step_s: 0.02, n_steps: 32 };

/// Pairs apart along x, their places on the sides that face each other.
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
    // The tracker with charts and all checks, one pair after the other.
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
