//! `s6_solve`: the pairs of 64 motions, one motion after the other on one thread.

use crate::case::case;
use criterion::{Criterion, Throughput};
use firstcontact::stage::s5_pairs;
use firstcontact::stage::s6_solve::{SolveOptions, Solver};
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let case = case();
    let mut limits = vec![u32::MAX; case.motions.len()];
    let mut pairs = s5_pairs::reference(
        &case.world,
        &case.pieces,
        &case.poses,
        &case.boxes,
        &case.candidates,
        Some(&mut limits),
        usize::MAX,
    )
    .expect("there is memory");
    s5_pairs::clip(&mut pairs, &case.pieces, &limits, case.world.links.len());
    let n_links = case.world.links.len();
    let of_piece = |i: usize| pairs.iter().filter(move |p| p.piece_link as usize / n_links == i).copied().collect();
    let by_piece: Vec<Vec<_>> = (0..case.pieces.len()).map(of_piece).collect();
    let colliding = limits.iter().filter(|&&l| l != u32::MAX).count();
    println!("s6_solve: {} pairs, {colliding} of {} motions collide", pairs.len(), case.motions.len());
    let mut solver = Solver::new(&case.world, SolveOptions::default());
    let mut group = criterion.benchmark_group("s6_solve");
    group.throughput(Throughput::Elements(case.motions.len() as u64));
    group.bench_function("motions", |b| {
        b.iter(|| {
            for (piece, pairs) in case.pieces.iter().zip(&by_piece) {
                if piece.index == 0 {
                    solver.begin();
                }
                solver.feed(&case.motions[piece.motion as usize], piece, pairs);
                black_box(solver.finish());
            }
        });
    });
    group.finish();
}
