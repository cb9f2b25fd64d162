//! The simultaneous search for the first contact (Redon et al. 2004, section 5.2.2).
//!
//! A stack of time intervals with the pairs that are active there, earliest on top. The poses of an interval are bounded
//! once; every active pair is contracted to the times at which it can touch, and dropped if there are none. What remains
//! is searched again: as a whole if it shrank by half, else in two parts, the earlier one first. Where the contraction
//! says how far after its lower end the contact must begin, the earlier part is just that long: the search converges on
//! the first contact as Newton's method does, not by halving.

use super::contract::contract;
use super::features::nearest_direction;
use super::{Pair, SolveCounts};
use crate::motion::ModelMotion;
use crate::numeric::meeting::{piercing_edge, triangles_meet};
use crate::numeric::pose_bound::{PointBound, PoseBound};

/// A pair and the times at which it may touch.
#[derive(Clone, Copy, Debug)]
pub struct Active {
    /// Index of the pair.
    pub pair: u32,
    /// Earliest time.
    pub lo: f64,
    /// Latest time.
    pub hi: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// All pairs are proved free.
    Nothing,
    /// Nothing touches before `lo`; the pair `first` may from then on, and if there is a `proof`, some pair does at that
    /// time.
    Contact { lo: f64, first: u32, proof: Option<f64> },
    /// The cap was reached. Nothing touches before `clear_until`; a pair certainly does at the time in `proved_until`.
    Capped { clear_until: f64, proved_until: Option<(u32, f64)> },
}

/// The memory of the search.
#[derive(Debug, Default)]
pub struct Search {
    /// Some pair was found touching at time 0.
    pub initial_overlap: bool,
    evaluations: u64,
    stack: Vec<(f64, f64, Vec<Active>)>,
    poses: Vec<(u32, PoseBound<f64>)>,
    /// Pairs that could not be ruled out down to the smallest interval, with the times from which on.
    candidates: Vec<(f64, u32)>,
    /// The earliest proof of contact: time and pair.
    proof: Option<(f64, u32)>,
}

/// Times of a sub-interval at which a proof of contact is looked for if none is found at the first contact itself.
const LATE_PROOFS: usize = 64;

impl Search {
    /// Forgets the last motion.
    pub fn begin(&mut self) {
        self.initial_overlap = false;
        self.evaluations = 0;
    }

    /// Whether the pair cannot be separated at one time.
    pub fn touches_at(&self, motion: &ModelMotion, pair: &Pair, t: f64) -> bool {
        let x = points(&motion.body_bound(pair.body, t, 0.0), pair);
        let closest = nearest_direction(&x.each_ref().map(|p| p.c[0]), &pair.tri.y);
        contract(&x, &pair.tri, 0.0, Some(closest)).is_some()
    }

    /// Whether the pair certainly touches at one time.
    pub fn meets_at(&self, motion: &ModelMotion, pair: &Pair, t: f64) -> bool {
        triangles_meet(&points(&motion.body_bound(pair.body, t, 0.0), pair), &pair.tri) != 0
    }

    /// The edge that certainly pierces the other triangle at one time: `(of the link?, number)`.
    pub fn piercing_at(&self, motion: &ModelMotion, pair: &Pair, t: f64) -> Option<(bool, u8)> {
        piercing_edge(&points(&motion.body_bound(pair.body, t, 0.0), pair), &pair.tri)
    }

    /// Searches the active pairs; `eps_t` is the width asked for, `cap` the evaluations that the motion may cost.
    pub fn run(
        &mut self,
        motion: &ModelMotion,
        pairs: &[Pair],
        active: Vec<Active>,
        eps_t: f64,
        cap: u64,
        counts: &mut SolveCounts,
    ) -> Found {
        self.candidates.clear();
        self.proof = None;
        self.stack.clear();
        let all = active.clone();
        self.push(active);
        while let Some((t0, t1, mut active)) = self.stack.pop() {
            let cut = self.cut(eps_t);
            active.retain(|a| a.lo < cut);
            if active.is_empty() {
                continue;
            }
            if self.evaluations >= cap {
                // The stack holds the later intervals, the candidates lie before `cut`.
                let clear_until = self.candidates.iter().fold(t0, |m, c| m.min(c.0));
                let clear_until = self.stack.iter().fold(clear_until, |m, s| m.min(s.0));
                return Found::Capped { clear_until, proved_until: self.proof.map(|(t, pair)| (pair, t)) };
            }
            let t1 = t1.min(cut);
            self.bound(motion, pairs, &active, 0.5 * (t0 + t1), half_width(t0, t1));
            counts.intervals += 1;
            self.evaluations += active.len() as u64;
            counts.evaluations += active.len() as u64;
            let settled = eps_t / 4.0;
            let (mut kept, mut lo, mut hi, mut spread) = (Vec::with_capacity(active.len()), f64::MAX, f64::MIN, 0.0);
            for a in active {
                let pair = &pairs[a.pair as usize];
                let (m, h) = (0.5 * (t0 + t1), half_width(t0, t1));
                let x = points(self.pose(pair.body), pair);
                let Some(w) = contract(&x, &pair.tri, h, None) else { continue };
                let (from, to) = (a.lo.max((m + w.lo).next_down()), a.hi.min(t1).min((m + w.hi).next_up()));
                if from > to {
                    continue;
                }
                // Narrower than asked for, or so narrow that only rounding keeps it: an answer has to be found now.
                let moved = h * motion.chains[pair.body as usize].speed(pair.reach);
                if to - from <= settled || moved <= x[0].ball + x[1].ball {
                    self.settle(motion, pair, a.pair, from, to, eps_t, counts);
                    continue;
                }
                if from < lo {
                    (lo, spread) = (from, w.spread);
                }
                hi = hi.max(to);
                kept.push(Active { pair: a.pair, lo: from, hi: to });
            }
            if kept.is_empty() {
                continue;
            }
            let width = hi - lo;
            if width < 0.5 * (t1 - t0) {
                self.push(kept);
                continue;
            }
            let step = (2.0 * spread).max(eps_t / 8.0);
            let split = if step < 0.25 * width { lo + step } else { lo + 0.5 * width };
            let later = kept.iter().filter(|a| a.hi > split).map(|a| Active { lo: a.lo.max(split), ..*a }).collect();
            let earlier = kept.iter().filter(|a| a.lo <= split).map(|a| Active { hi: a.hi.min(split), ..*a }).collect();
            self.push(later);
            self.push(earlier);
        }
        self.conclude(motion, pairs, &all, eps_t, counts)
    }

    /// Times from this on do not matter: they are later than a proved contact, or than the first candidate by more than
    /// the width asked for.
    fn cut(&self, eps_t: f64) -> f64 {
        let first = self.candidates.iter().fold(f64::INFINITY, |m, c| m.min(c.0));
        let proof = self.proof.map_or(f64::INFINITY, |p| p.0);
        (first + eps_t).min(proof)
    }

    fn push(&mut self, active: Vec<Active>) {
        if !active.is_empty() {
            let (lo, hi) = active.iter().fold((f64::MAX, f64::MIN), |(l, h), a| (l.min(a.lo), h.max(a.hi)));
            self.stack.push((lo, hi, active));
        }
    }

    /// Bounds the poses of the bodies that the active pairs belong to.
    fn bound(&mut self, motion: &ModelMotion, pairs: &[Pair], active: &[Active], mid: f64, h: f64) {
        self.poses.clear();
        for a in active {
            let body = pairs[a.pair as usize].body;
            // Pairs are sorted by link, so equal bodies mostly follow one another.
            if !self.poses.iter().rev().any(|p| p.0 == body) {
                self.poses.push((body, motion.body_bound(body, mid, h)));
            }
        }
    }

    fn pose(&self, body: u32) -> &PoseBound<f64> {
        // `bound` has just put it there.
        self.poses.iter().find(|p| p.0 == body).map_or(&self.poses[0].1, |p| &p.1)
    }

    /// A pair that could not be ruled out on a smallest interval: one more look with the axis between the closest points, else
    /// it is a candidate, and a proof of contact is tried.
    #[allow(clippy::too_many_arguments)]
    fn settle(
        &mut self,
        motion: &ModelMotion,
        pair: &Pair,
        index: u32,
        from: f64,
        to: f64,
        eps_t: f64,
        counts: &mut SolveCounts,
    ) {
        let (m, h) = (0.5 * (from + to), half_width(from, to));
        let x = points(&motion.body_bound(pair.body, m, h), pair);
        let closest = nearest_direction(&x.each_ref().map(|p| p.c[0]), &pair.tri.y);
        self.evaluations += 1;
        counts.evaluations += 1;
        let Some(w) = contract(&x, &pair.tri, h, Some(closest)) else { return };
        let lo = from.max((m + w.lo).next_down());
        self.candidates.push((lo, index));
        for share in [0.5, 0.95] {
            let t = (lo + share * eps_t).min(1.0);
            if self.proof.is_some_and(|p| p.0 <= t) {
                break;
            }
            counts.proofs += 1;
            if self.meets_at(motion, pair, t) {
                self.proof = Some((t, index));
                break;
            }
        }
    }

    /// The answer, once nothing is left to search.
    fn conclude(
        &mut self,
        motion: &ModelMotion,
        pairs: &[Pair],
        all: &[Active],
        eps_t: f64,
        counts: &mut SolveCounts,
    ) -> Found {
        let lo = self.candidates.iter().fold(f64::INFINITY, |m, c| m.min(c.0));
        if lo == f64::INFINITY {
            return Found::Nothing;
        }
        if self.proof.is_none_or(|p| p.0 > lo + eps_t) {
            self.prove_near(motion, pairs, all, lo, eps_t, counts);
        }
        // Of all pairs that touch as early as can be told, the first in the order of pairs.
        let latest = self.proof.map_or(lo + eps_t, |p| p.0.min(lo + eps_t));
        let first = self.candidates.iter().filter(|c| c.0 <= latest).map(|c| c.1).min().unwrap_or(0);
        Found::Contact { lo, first, proof: self.proof.map(|p| p.0) }
    }

    /// Looks for a proof of contact by any active pair, first within the width asked for, then at times farther and farther
    /// away.
    fn prove_near(
        &mut self,
        motion: &ModelMotion,
        pairs: &[Pair],
        all: &[Active],
        lo: f64,
        eps_t: f64,
        counts: &mut SolveCounts,
    ) {
        let end = all.iter().fold(lo, |m, a| m.max(a.hi));
        let growth = ((end - lo).max(eps_t) / eps_t).powf(1.0 / LATE_PROOFS as f64);
        let mut step = eps_t * (1.0 - 1e-3);
        for _ in 0..=LATE_PROOFS {
            let t = (lo + step).min(end.max(lo));
            for a in all.iter().filter(|a| a.lo <= t) {
                counts.proofs += 1;
                if self.meets_at(motion, &pairs[a.pair as usize], t) {
                    self.proof = Some((t, a.pair));
                    return;
                }
            }
            if t >= end {
                return;
            }
            step *= growth.max(1.05);
        }
    }
}

/// Half the width of an interval, not less than the distance of either end from the computed middle.
fn half_width(t0: f64, t1: f64) -> f64 {
    let m = 0.5 * (t0 + t1);
    (t1 - m).max(m - t0) * (1.0 + 2.0 * f64::EPSILON)
}

fn points(bound: &PoseBound<f64>, pair: &Pair) -> [PointBound<f64>; 3] {
    pair.e.map(|e| bound.point(e, pair.reach))
}
