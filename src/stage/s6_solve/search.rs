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

/// What a search is about.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The motion.
    pub motion: &'a ModelMotion,
    /// All pairs of the piece, in the order that decides between equal contacts.
    pub pairs: &'a [Pair],
    /// The width asked for.
    pub eps_t: f64,
    /// Evaluations that the motion may cost.
    pub cap: u64,
    /// Candidates that end the search.
    pub enough: usize,
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
/// Width of the canonical intervals from which an enclosure is computed for the record.
const CANONICAL: f64 = 1.0 / 4096.0;

/// Whether the pair cannot be separated at one time.
pub fn touches_at(motion: &ModelMotion, pair: &Pair, t: f64) -> bool {
    let x = points(&motion.body_bound(pair.body, t, 0.0), pair);
    let closest = nearest_direction(&x.each_ref().map(|p| p.c[0]), &pair.tri.y);
    contract(&x, &pair.tri, 0.0, Some(closest)).is_some()
}

/// Whether the pair certainly touches at one time.
pub fn meets_at(motion: &ModelMotion, pair: &Pair, t: f64) -> bool {
    triangles_meet(&points(&motion.body_bound(pair.body, t, 0.0), pair), &pair.tri) != 0
}

/// The edge that certainly pierces the other triangle at one time: `(of the link?, number)`.
pub fn piercing_at(motion: &ModelMotion, pair: &Pair, t: f64) -> Option<(bool, u8)> {
    piercing_edge(&points(&motion.body_bound(pair.body, t, 0.0), pair), &pair.tri)
}

impl Search {
    /// Forgets the last motion.
    pub fn begin(&mut self) {
        self.initial_overlap = false;
        self.evaluations = 0;
    }

    /// Searches the active pairs.
    pub fn run(&mut self, task: &Task, active: Vec<Active>, counts: &mut SolveCounts) -> Found {
        self.candidates.clear();
        self.proof = None;
        let all = active.clone();
        if let Some(clear_until) = self.explore(task, active, counts) {
            return Found::Capped { clear_until, proved_until: self.proof.map(|(t, pair)| (pair, t)) };
        }
        self.conclude(task, &all, counts)
    }

    /// Finds the candidates. Gives the time up to which everything is free if the cap ends the search.
    fn explore(&mut self, task: &Task, active: Vec<Active>, counts: &mut SolveCounts) -> Option<f64> {
        self.stack.clear();
        self.push(active);
        while let Some((t0, t1, mut active)) = self.stack.pop() {
            let cut = self.cut(task.eps_t);
            active.retain(|a| a.lo < cut);
            if active.is_empty() {
                continue;
            }
            if self.candidates.len() >= task.enough {
                break;
            }
            if self.evaluations >= task.cap {
                let first = self.candidates.iter().fold(t0, |m, c| m.min(c.0));
                return Some(self.stack.iter().fold(first, |m, s| m.min(s.0)));
            }
            let t1 = t1.min(cut);
            counts.intervals += 1;
            let (kept, spread) = self.contract_all(task, t0, t1, active, counts);
            let Some(first) = kept.iter().map(|a| a.lo).reduce(f64::min) else { continue };
            let last = kept.iter().fold(first, |m, a| m.max(a.hi));
            let width = last - first;
            if width < 0.5 * (t1 - t0) {
                self.push(kept);
                continue;
            }
            let step = (2.0 * spread).max(task.eps_t / 8.0);
            let split = first + if step < 0.25 * width { step } else { 0.5 * width };
            let later = kept.iter().filter(|a| a.hi > split).map(|a| Active { lo: a.lo.max(split), ..*a }).collect();
            let earlier = kept.iter().filter(|a| a.lo <= split).map(|a| Active { hi: a.hi.min(split), ..*a }).collect();
            self.push(later);
            self.push(earlier);
        }
        None
    }

    /// Contracts every active pair over one interval: those that remain, and how far after the earliest of their lower
    /// ends contact must begin.
    fn contract_all(
        &mut self,
        task: &Task,
        t0: f64,
        t1: f64,
        active: Vec<Active>,
        counts: &mut SolveCounts,
    ) -> (Vec<Active>, f64) {
        let (m, h) = (0.5 * (t0 + t1), half_width(t0, t1));
        self.bound(task, &active, m, h);
        self.evaluations += active.len() as u64;
        counts.evaluations += active.len() as u64;
        let mut kept: Vec<Active> = Vec::with_capacity(active.len());
        let (mut first, mut spread) = (f64::INFINITY, 0.0);
        for a in active {
            let pair = &task.pairs[a.pair as usize];
            let x = points(self.pose(pair.body), pair);
            let Some(w) = contract(&x, &pair.tri, h, None) else { continue };
            let (lo, hi) = (a.lo.max((m + w.lo).next_down()), a.hi.min(t1).min((m + w.hi).next_up()));
            if lo > hi {
                continue;
            }
            // Narrower than asked for, or so narrow that only rounding keeps it: an answer has to be found now.
            let moved = h * task.motion.chains[pair.body as usize].speed(pair.reach);
            if hi - lo <= task.eps_t / 4.0 || moved <= x[0].ball + x[1].ball {
                self.settle(task, Active { lo, hi, ..a }, counts);
                continue;
            }
            if lo < first {
                (first, spread) = (lo, w.spread);
            }
            kept.push(Active { lo, hi, ..a });
        }
        (kept, spread)
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
    fn bound(&mut self, task: &Task, active: &[Active], mid: f64, h: f64) {
        self.poses.clear();
        for a in active {
            let body = task.pairs[a.pair as usize].body;
            // Pairs are sorted by link, so equal bodies mostly follow one another.
            if !self.poses.iter().rev().any(|p| p.0 == body) {
                self.poses.push((body, task.motion.body_bound(body, mid, h)));
            }
        }
    }

    fn pose(&self, body: u32) -> &PoseBound<f64> {
        // `bound` has just put it there.
        self.poses.iter().find(|p| p.0 == body).map_or(&self.poses[0].1, |p| &p.1)
    }

    /// A pair that could not be ruled out on a smallest interval: one more look with the axis between the closest points,
    /// else it is a candidate, and a proof of contact is tried.
    fn settle(&mut self, task: &Task, a: Active, counts: &mut SolveCounts) {
        let pair = &task.pairs[a.pair as usize];
        let (m, h) = (0.5 * (a.lo + a.hi), half_width(a.lo, a.hi));
        let x = points(&task.motion.body_bound(pair.body, m, h), pair);
        let closest = nearest_direction(&x.each_ref().map(|p| p.c[0]), &pair.tri.y);
        self.evaluations += 1;
        counts.evaluations += 1;
        let Some(w) = contract(&x, &pair.tri, h, Some(closest)) else { return };
        let lo = a.lo.max((m + w.lo).next_down());
        self.candidates.push((lo, a.pair));
        let t = (lo + 0.5 * task.eps_t).min(1.0);
        if self.proof.is_none_or(|p| p.0 > t) {
            counts.proofs += 1;
            if meets_at(task.motion, pair, t) {
                self.proof = Some((t, a.pair));
            }
        }
    }

    /// The answer, once nothing is left to search.
    ///
    /// What the search found depends in its last digits on the intervals that it went through, and these on which pairs
    /// earlier stages kept. So the enclosure is computed again for each candidate alone, from a canonical interval.
    fn conclude(&mut self, task: &Task, all: &[Active], counts: &mut SolveCounts) -> Found {
        let Some(first) = self.candidates.iter().map(|c| c.0).reduce(f64::min) else { return Found::Nothing };
        let mut near: Vec<(f64, u32)> = self.candidates.iter().copied().filter(|c| c.0 <= first + task.eps_t).collect();
        // A pair may have been found on several neighbouring intervals: the earliest counts.
        near.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0)));
        near.dedup_by_key(|c| c.1);
        let fallback = self.proof;
        let near: Vec<(f64, u32)> =
            near.into_iter().map(|(lo, pair)| (self.canonical(task, pair, lo, counts).unwrap_or(lo), pair)).collect();
        let lo = near.iter().fold(f64::INFINITY, |m, c| m.min(c.0));
        let proof = self.prove(task, &near, all, lo, counts).or(fallback.map(|p| p.0));
        // Of all pairs that touch as early as can be told, the first in the order of pairs.
        let latest = proof.map_or(lo + task.eps_t, |t| t.min(lo + task.eps_t));
        let pair = near.iter().filter(|c| c.0 <= latest).map(|c| c.1).min().unwrap_or(0);
        Found::Contact { lo, first: pair, proof }
    }

    /// The start of the contact of one pair, searched from the canonical interval around `lo` on; before it the pair is
    /// free.
    fn canonical(&mut self, task: &Task, pair: u32, lo: f64, counts: &mut SolveCounts) -> Option<f64> {
        let start = ((lo / CANONICAL - 0.25).floor() * CANONICAL).max(0.0);
        let active = Active { pair, lo: start, hi: (start + 2.0 * CANONICAL).min(1.0) };
        self.candidates.clear();
        self.proof = None;
        // Earliest first: the first candidate is the one sought.
        let task = Task { cap: self.evaluations + 256, enough: 1, ..*task };
        let ended = self.explore(&task, vec![active], counts);
        let found = self.candidates.iter().map(|c| c.0).reduce(f64::min);
        // A pair that touches at the very start of the interval has been proved free before it.
        found.filter(|_| ended.is_none()).map(|found| if found == start { lo } else { found })
    }

    /// A time at which some pair certainly touches: within the width asked for after `lo`, by a pair of `near` or any other, else at
    /// times farther and farther away.
    fn prove(
        &self,
        task: &Task,
        near: &[(f64, u32)],
        all: &[Active],
        lo: f64,
        counts: &mut SolveCounts,
    ) -> Option<f64> {
        let mut meets = |pair: u32, t: f64| {
            counts.proofs += 1;
            meets_at(task.motion, &task.pairs[pair as usize], t)
        };
        for share in [0.5, 0.95] {
            let t = (lo + share * task.eps_t).min(1.0);
            if near.iter().any(|c| meets(c.1, t)) {
                return Some(t);
            }
        }
        let end = all.iter().fold(lo, |m, a| m.max(a.hi));
        let growth = ((end - lo).max(task.eps_t) / task.eps_t).powf(1.0 / LATE_PROOFS as f64).max(1.05);
        let mut step = task.eps_t * (1.0 - 1e-3);
        for _ in 0..=LATE_PROOFS {
            let t = (lo + step).min(end);
            if all.iter().any(|a| a.lo <= t && meets(a.pair, t)) {
                return Some(t);
            }
            if t >= end {
                break;
            }
            step *= growth;
        }
        None
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
