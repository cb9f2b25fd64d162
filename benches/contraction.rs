//! Contraction of elementary equations and of pairs of triangles, in eight parallel lanes, with each of the vector
//! extensions of the processor: nanoseconds per evaluation.

use criterion::{Criterion, Throughput};
use firstcontact::arith::lanes::Lanes;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::{FullReal, Real};
use firstcontact::arith::vectors::{Kind, Vector, Vectorised, widest};
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::predicate::contraction::{Side, Standing, Window, edge_edge, triangle_sides, triangles, vertex_face};
use firstcontact::predicate::separation::StaticTriangle;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::hint::black_box;

type L = Lanes<8>;
/// Number of blocks of eight, so that there are 1024 of each.
const BLOCKS: usize = 128;
const H: f64 = 1.0 / 32.0;

/// A moving triangle and one at rest in each lane.
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

/// The measured computation.
#[derive(Clone, Copy)]
enum What {
    VertexFace,
    EdgeEdge,
    Pair,
}

impl What {
    #[inline(always)]
    fn window<T: FullReal>(self, x: &[PointBound<T>; 3], y: &[V3<T>; 3]) -> Window<T> {
        let (h, zero) = (T::new(H), T::new(0.0));
        match self {
            What::VertexFace => {
                let side = Side::new(&[x[0]], y[0], h, zero, 0.0);
                vertex_face(&side, &Standing::new(y, zero, y[0]), h, 0xff)
            }
            What::EdgeEdge => {
                let side = Side::new(&[x[0], x[1]], y[0], h, zero, 0.0);
                edge_edge(&side, &Standing::new(&[y[0], y[1]], zero, y[0]), h, 0xff)
            }
            What::Pair => {
                let (x, y) = triangle_sides(x, &StaticTriangle { y: *y, error: zero }, h, zero, 0.0);
                triangles(&x, &y, h, 0xff)
            }
        }
    }
}

/// Evaluates all blocks with one kind of vectors; returns the number of empty lanes.
#[derive(Clone)]
struct Run<'a, const WHAT: usize>(&'a [Block]);

impl<const WHAT: usize> Vectorised for Run<'_, WHAT> {
    type Output = u32;

    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let mut empty = 0;
        for (x, y) in self.0 {
            let vector = |v: &V3<L>| V3([T::load(&v.0[0].0), T::load(&v.0[1].0), T::load(&v.0[2].0)]);
            let point = |p: &PointBound<L>| PointBound {
                c: [vector(&p.c[0]), vector(&p.c[1]), vector(&p.c[2])],
                ball: T::load(&p.ball.0),
                cube: vector(&p.cube),
            };
            let what = [What::VertexFace, What::EdgeEdge, What::Pair][WHAT];
            let window = what
                .window(&[point(&x[0]), point(&x[1]), point(&x[2])], &[vector(&y[0]), vector(&y[1]), vector(&y[2])]);
            empty += window.empty().count_ones();
        }
        empty
    }
}

fn with_each<const WHAT: usize>(criterion: &mut Criterion, what: &str, blocks: &[Block]) {
    let run = Run::<WHAT>(blocks);
    let mut group = criterion.benchmark_group(format!("contraction, {what}"));
    group.throughput(Throughput::Elements(BLOCKS as u64 * 8));
    println!("contraction, {what}: of {} each, {} are rejected", BLOCKS * 8, widest(run.clone()));
    for kind in Kind::all() {
        group.bench_function(format!("{kind:?}"), |b| b.iter(|| kind.run(black_box(&run).clone())));
    }
    group.finish();
}

pub fn bench(criterion: &mut Criterion) {
    for (how, apart) in [("near", 0.05), ("apart", 0.5)] {
        let blocks = blocks(apart);
        with_each::<0>(criterion, &format!("vertex-face, {how}"), &blocks);
        with_each::<1>(criterion, &format!("edge-edge, {how}"), &blocks);
        with_each::<2>(criterion, &format!("pair, {how}"), &blocks);
    }
}
