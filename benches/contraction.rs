//! Contraction of elementary equations and of pairs of triangles, side by side in eight lanes, with each of the vector
//! extensions that the processor has: nanoseconds for one evaluation.

use criterion::{Criterion, Throughput};
use firstcontact::numeric::contraction::{Side, Standing, Window, edge_edge, triangle_sides, triangles, vertex_face};
use firstcontact::numeric::lanes::Lanes;
use firstcontact::numeric::linear::V3;
use firstcontact::numeric::pose_bound::PointBound;
use firstcontact::numeric::real::Real;
use firstcontact::numeric::separation::StandingTriangle;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::hint::black_box;

type L = Lanes<8>;
/// Blocks of eight, so that there are 1024 of each.
const BLOCKS: usize = 128;
const H: f64 = 1.0 / 32.0;

/// A moving and a standing triangle in each lane.
type Block = ([PointBound<L>; 3], [V3<L>; 3]);

/// Triangles of some 5 cm that pass each other at a distance of up to `apart` metres, moving by some 10 cm.
fn blocks(apart: f64) -> Vec<Block> {
    let mut random = Pcg64Mcg::seed_from_u64(11);
    let mut unit = move || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
    let mut lanes = move |size: f64| L::from_fn(|_| size * unit());
    let mut vector = move |size: f64| V3([lanes(size), lanes(size), lanes(size)]);
    let mut block = || {
        let (at, away, way) = (vector(0.3), vector(apart), vector(3.0));
        let x = [(); 3].map(|()| {
            let c = [at + away + vector(0.05), way + vector(0.3), vector(3.0)];
            PointBound { c, ball: L::new(1e-6), cube: V3::zero() }
        });
        (x, [(); 3].map(|()| at + vector(0.05)))
    };
    (0..BLOCKS).map(|_| block()).collect()
}

#[inline(always)]
fn vertex_face_of((x, y): &Block) -> Window<L> {
    let h = L::new(H);
    let side = Side::new(&[x[0]], y[0], h, L::new(0.0), 0.0);
    vertex_face(&side, &Standing::new(y, L::new(0.0), y[0]), h, 0xff)
}

#[inline(always)]
fn edge_edge_of((x, y): &Block) -> Window<L> {
    let h = L::new(H);
    let side = Side::new(&[x[0], x[1]], y[0], h, L::new(0.0), 0.0);
    edge_edge(&side, &Standing::new(&[y[0], y[1]], L::new(0.0), y[0]), h, 0xff)
}

#[inline(always)]
fn pair_of((x, y): &Block) -> Window<L> {
    let h = L::new(H);
    let (x, y) = triangle_sides(x, &StandingTriangle { y: *y, error: L::new(0.0) }, h, L::new(0.0), 0.0);
    triangles(&x, &y, h, 0xff)
}

macro_rules! with_each_extension {
    ($group:expr, $name:literal, $blocks:expr, $one:ident) => {{
        fn portable(blocks: &[Block]) {
            for b in blocks {
                black_box($one(b));
            }
        }
        $group.bench_function(concat!($name, ", portable"), |b| b.iter(|| portable(black_box($blocks))));
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn avx2(blocks: &[Block]) {
                for b in blocks {
                    black_box($one(b));
                }
            }
            #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
            fn avx512(blocks: &[Block]) {
                for b in blocks {
                    black_box($one(b));
                }
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the extension.
                let run = |blocks: &[Block]| unsafe { avx2(blocks) };
                $group.bench_function(concat!($name, ", AVX2"), |b| b.iter(|| run(black_box($blocks))));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
            {
                // SAFETY: the processor has the extension.
                let run = |blocks: &[Block]| unsafe { avx512(blocks) };
                $group.bench_function(concat!($name, ", AVX-512"), |b| b.iter(|| run(black_box($blocks))));
            }
        }
    }};
}

pub fn bench(criterion: &mut Criterion) {
    for (what, apart) in [("near", 0.05), ("apart", 0.5)] {
        let blocks = blocks(apart);
        let empty = |f: &dyn Fn(&Block) -> Window<L>| blocks.iter().map(|b| f(b).empty().count_ones()).sum::<u32>();
        let [v, e, p] = [empty(&vertex_face_of), empty(&edge_edge_of), empty(&pair_of)];
        println!("contraction, {what}: of {} each, {v} V-F, {e} E-E, {p} pairs are rejected", BLOCKS * 8);
        let mut group = criterion.benchmark_group(format!("contraction, {what}"));
        group.throughput(Throughput::Elements(BLOCKS as u64 * 8));
        with_each_extension!(group, "vertex-face", &blocks, vertex_face_of);
        with_each_extension!(group, "edge-edge", &blocks, edge_edge_of);
        with_each_extension!(group, "pair", &blocks, pair_of);
        group.finish();
    }
}
