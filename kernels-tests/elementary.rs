//! The solver of elementary queries: a vertex and a face, or two edges, whose points move on straight lines.

mod invariance;
mod known;
mod published;
mod translations;

use crate::oracle::dyadic::{Exact3, difference, exact};
use crate::oracle::exact::{self, Time};
use firstcontact::elementary::{Answer, Kind, Query, solve};
use firstcontact::stage::s6_solve::SolveOptions;
use glam::DVec3;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::array::from_fn;

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

/// Random numbers that are multiples of a power of two, so that their sums and products of a few of them are exact.
struct Numbers(Pcg64Mcg);

impl Numbers {
    fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A number below `n`.
    fn below(&mut self, n: u32) -> u32 {
        self.0.next_u32() % n
    }

    /// A multiple of 2^-bits in [-1, 1].
    fn number(&mut self, bits: i32) -> f64 {
        let unit = 2.0_f64.powi(bits);
        (f64::from(self.below(2 * unit as u32 + 1)) - unit) / unit
    }

    fn point(&mut self, bits: i32) -> DVec3 {
        DVec3::new(self.number(bits), self.number(bits), self.number(bits))
    }

    fn points(&mut self, bits: i32) -> [DVec3; 4] {
        [0; 4].map(|_| self.point(bits))
    }

    /// Every point moves from an arbitrary place to an arbitrary place.
    fn any(&mut self, bits: i32) -> Query {
        Query { start: self.points(bits), end: self.points(bits) }
    }

    /// The two features keep their shape and direction.
    fn translation(&mut self, kind: Kind, bits: i32) -> Query {
        let (start, travels) = (self.points(bits), [self.point(bits), self.point(bits)]);
        Query { start, end: from_fn(|i| start[i] + 2.0 * travels[feature(kind, i)]) }
    }

    /// Some points coincide or are at rest, so that features have no size, are parallel, or do not move.
    fn degenerate(&mut self, kind: Kind) -> Query {
        let mut query = if self.below(2) == 0 { self.any(1) } else { self.translation(kind, 1) };
        for _ in 0..self.below(4) {
            let [i, j] = [self.below(4) as usize, self.below(4) as usize];
            match self.below(3) {
                0 => query.end[i] = query.start[i],
                1 => (query.start[i], query.end[i]) = (query.start[j], query.end[j]),
                _ => query.end[i] = query.start[i] + (query.end[j] - query.start[j]),
            }
        }
        query
    }

    /// A translation of features some of whose points coincide.
    fn degenerate_translation(&mut self, kind: Kind) -> Query {
        let mut query = self.translation(kind, 1);
        let [i, j] = [self.below(4) as usize, self.below(4) as usize];
        let travel = query.end[i] - query.start[i];
        query.start[i] = query.start[j];
        query.end[i] = query.start[i] + travel;
        query
    }

    /// Features that meet at a known time, a multiple of 1/16, which is returned too; the common point is inside both,
    /// or anywhere on them.
    fn implanted(&mut self, kind: Kind, is_inside: bool) -> (Query, f64) {
        let at_contact = self.touching(kind, if is_inside { Place::Inside } else { Place::Anywhere }, 10);
        let t = f64::from(self.below(17)) / 16.0;
        let speeds = self.points(10).map(|s| 2.0 * s);
        let start = from_fn(|i| at_contact[i] - t * speeds[i]);
        (Query { start, end: from_fn(|i| at_contact[i] + (1.0 - t) * speeds[i]) }, t)
    }

    /// A translation that passes the border of a feature, either closer than double precision can resolve or not that
    /// close.
    fn grazing(&mut self, kind: Kind) -> Query {
        let mut at_contact = self.touching(kind, Place::Border, 4);
        let off = self.point(2) * 2.0_f64.powi(-30 - self.below(19) as i32);
        (0..4).filter(|&i| feature(kind, i) == 0).for_each(|i| at_contact[i] += off);
        let (t, speeds) = (f64::from(self.below(17)) / 16.0, [self.point(2), self.point(2)]);
        let travel = |i: usize| 2.0 * speeds[feature(kind, i)];
        let start = from_fn(|i| at_contact[i] - t * travel(i));
        Query { start, end: from_fn(|i| at_contact[i] + (1.0 - t) * travel(i)) }
    }

    /// Features that have a point in common; coordinates are multiples of 2^-(bits + 4).
    fn touching(&mut self, kind: Kind, place: Place, bits: i32) -> [DVec3; 4] {
        let low = u32::from(place == Place::Inside);
        match kind {
            Kind::VertexFace => {
                let [b, c, d] = [0; 3].map(|_| self.point(bits));
                let first = if place == Place::Border { 0 } else { low + self.below(17 - 3 * low) };
                let second = low + self.below(17 - 2 * low - first);
                let weights = [first, second, 16 - first - second].map(|w| f64::from(w) / 16.0);
                [weights[0] * b + weights[1] * c + weights[2] * d, b, c, d]
            }
            Kind::EdgeEdge => {
                let [at, d, e] = [0; 3].map(|_| self.point(bits));
                let mut along = || f64::from(low + self.below(17 - 2 * low)) / 16.0;
                let (mut u, v) = (along(), along());
                if place == Place::Border {
                    u = u.round();
                }
                [at - u * d, at + (1.0 - u) * d, at - v * e, at + (1.0 - v) * e]
            }
        }
    }
}

/// The place of a common point on the features.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Inside,
    Anywhere,
    /// On an edge of the triangle, or at an end of the first edge.
    Border,
}

/// 0 if a point belongs to the vertex or the first edge, 1 if to the face or the second edge.
fn feature(kind: Kind, point: usize) -> usize {
    let n_first = match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    usize::from(point >= n_first)
}

fn answer(kind: Kind, query: &Query) -> Answer {
    solve(kind, query, &SolveOptions::default())
}

/// The exact time at which features first meet if they keep their shape and the first moves by `s` relative to the
/// second.
fn first(kind: Kind, points: &[DVec3; 4], s: &Exact3) -> Option<Time> {
    let [a, b, c, d] = points.map(exact);
    match kind {
        Kind::VertexFace => exact::first_vertex_face(&a, s, &[b, c, d]),
        Kind::EdgeEdge => exact::first_edge_edge(&[a, b], s, &[c, d]),
    }
}

/// The exact time at which the features of a translation first meet.
fn first_of(kind: Kind, query: &Query) -> Option<Time> {
    let travel = |i: usize| difference(&exact(query.end[i]), &exact(query.start[i]));
    assert!((0..4).all(|i| travel(i) == travel([0, 3][feature(kind, i)])), "no translation: {query:?}");
    first(kind, &query.start, &difference(&travel(0), &travel(3)))
}

/// Returns whether the features meet at time t, which must be chosen so that the positions are not rounded.
fn meets_at(kind: Kind, query: &Query, t: f64) -> bool {
    let points = from_fn(|i| query.start[i] + t * (query.end[i] - query.start[i]));
    first(kind, &points, &exact(DVec3::ZERO)).is_some()
}

/// Checks that an answer is consistent in itself, whatever the query.
fn check_form(kind: Kind, query: &Query, answer: &Answer) {
    let wrong = || panic!("{answer:?}: {kind:?} {query:?}");
    match *answer {
        Answer::Free => {}
        Answer::Undecided { clear_until } => {
            if !(0.0..=1.0).contains(&clear_until) {
                wrong();
            }
        }
        Answer::Contact { toc: [lo, hi], proved, certified } => {
            let is_ordered = 0.0 <= lo && lo <= hi && hi <= 1.0;
            let is_told = if proved { !certified || hi - lo <= allowed(kind, query) } else { !certified && hi == 1.0 };
            if !is_ordered || !is_told {
                wrong();
            }
        }
    }
}

/// The widest enclosure that may be called certified: the tolerance, or the floor divided by the relative speed.
fn allowed(kind: Kind, query: &Query) -> f64 {
    let options = SolveOptions::default();
    let velocity = |i: usize| query.end[i] - query.start[i];
    let pairs = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
    let across = pairs.filter(|&(i, j)| feature(kind, i) != feature(kind, j));
    let speed = across.map(|(i, j)| velocity(i).distance(velocity(j))).fold(0.0, f64::max);
    options.tolerance.max(options.floor_m / speed) * (1.0 + 1e-9)
}

/// Checks an answer if a contact exists at or before `latest` and none before `earliest`.
fn check_contact(kind: Kind, query: &Query, answer: &Answer, [earliest, latest]: [f64; 2]) {
    check_form(kind, query, answer);
    let agrees = agrees(answer, [earliest, latest]);
    assert!(agrees, "contact in [{earliest}, {latest}], but {answer:?}: {kind:?} {query:?}");
}

/// Returns whether an answer is admissible where the first contact is known to be between two times.
fn agrees(answer: &Answer, [earliest, latest]: [f64; 2]) -> bool {
    match *answer {
        Answer::Free => false,
        Answer::Undecided { clear_until } => clear_until <= latest,
        Answer::Contact { toc: [lo, hi], .. } => lo <= latest && hi >= earliest,
    }
}

/// Checks that nothing is proved where there is no contact. Returns whether the answer is free.
fn check_free(kind: Kind, query: &Query, answer: &Answer) -> bool {
    check_form(kind, query, answer);
    assert!(!matches!(answer, Answer::Contact { proved: true, .. }), "no contact, but {answer:?}: {kind:?} {query:?}");
    *answer == Answer::Free
}

fn is_undecided(answer: &Answer) -> bool {
    matches!(answer, Answer::Undecided { .. })
}

fn is_proved(answer: &Answer) -> bool {
    matches!(answer, Answer::Contact { proved: true, .. })
}

fn is_certified(answer: &Answer) -> bool {
    matches!(answer, Answer::Contact { certified: true, .. })
}
