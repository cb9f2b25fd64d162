//! `s6_solve`: the pairs of 64 motions, one motion after another on one thread; and the pose jets that the stage
//! computes.
//!
//! `firstcontact bench solver` compares the paper's solver.

use crate::case::case;
use criterion::{Criterion, Throughput};
use firstcontact::arith::lanes::Lanes;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::stage::s6_solve::{SolveOptions, Solver};
use firstcontact::stage::{Piece, TrianglePair, s5_pairs};
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let case = case();
    let mut limits = vec![u32::MAX; case.motions.len()];
    let pairs = s5_pairs::search(&case.pair_input(), Some(&mut limits), usize::MAX).0;
    let mut pairs = pairs.expect("there is enough memory");
    s5_pairs::clip(&mut pairs, &case.pieces, &limits, case.world.links.len());
    let n_links = case.world.links.len();
    let of_piece = |i: usize| pairs.iter().filter(move |p| p.piece_link as usize / n_links == i).copied().collect();
    let of_motion = |m: usize| {
        let pieces = case.pieces.iter().enumerate().filter(move |(_, p)| p.motion as usize == m);
        pieces.map(|(i, piece)| (*piece, of_piece(i))).collect()
    };
    let by_motion: Vec<Vec<(Piece, Vec<TrianglePair>)>> = (0..case.motions.len()).map(of_motion).collect();
    let colliding = limits.iter().filter(|&&l| l != u32::MAX).count();
    println!("s6_solve: {} pairs, {colliding} of {} motions collide", pairs.len(), case.motions.len());
    let mut solver = Solver::new(&case.world, SolveOptions::default());
    let mut group = criterion.benchmark_group("s6_solve");
    group.throughput(Throughput::Elements(case.motions.len() as u64));
    group.bench_function("motions", |b| {
        b.iter(|| {
            for motion in &by_motion {
                solver.begin();
                for (piece, pairs) in motion {
                    if solver.feed(&case.motions[piece.motion as usize], piece, pairs) {
                        break;
                    }
                }
                black_box(solver.finish());
            }
        });
    });
    // All links of the Puma, eight intervals at a time.
    let (mid, mut out) = (Lanes::<8>::from_fn(|i| (i as f64 + 0.5) / 8.0), Vec::new());
    group.throughput(Throughput::Elements(8));
    group.bench_function("pose jets, eight intervals", |b| {
        b.iter(|| {
            case.motions[0].bounds(PoseEnclosure::TaylorModel, black_box(mid), 1.0 / 16.0, &mut out);
            black_box(&out);
        });
    });
    group.finish();
}
