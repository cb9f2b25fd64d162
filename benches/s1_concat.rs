//! `s1_concat`: jets of 64 pieces.

use crate::case::{case, compare};
use criterion::Criterion;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::Stage;
use firstcontact::stage::s1_concat;
use std::hint::black_box;

pub fn bench(criterion: &mut Criterion) {
    let case = case();
    let reference = || drop(black_box(s1_concat::reference(&case.pieces, &case.motions, PoseEnclosure::TaylorModel)));
    compare(criterion, &case, Stage::Concat, reference, |_| ());
}
