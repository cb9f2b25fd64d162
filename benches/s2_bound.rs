//! `s2_bound`: boxes of 64 pieces.

use crate::case::{case, compare};
use criterion::Criterion;
use firstcontact::engine::Stage;
use firstcontact::stage::s2_bound;
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let case = case();
    let reference = || drop(black_box(s2_bound::reference(&case.world, &case.pieces, &case.poses)));
    compare(criterion, &case, Stage::Bound, reference, |_| ());
}
