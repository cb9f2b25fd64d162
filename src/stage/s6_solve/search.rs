//! The simultaneous search for the first contact (Redon et al. 2004, section 5.2.2).
//!
//! The search keeps a stack of time intervals with the items that are active in them, the earliest on top. The poses of
//! an interval are bounded once; every active item is contracted to the times at which it can touch, and dropped if
//! there are none. The remaining times are searched again in two parts, the earlier one first.
//!
//! The earlier part ends just after a guess of the contact of the item that may touch first, and axes are taken at that
//! time: the axis of the contact itself determines the contact's time up to the square of the interval's width, so the
//! search converges like Newton's method. A wrong guess only costs an interval, and after a few of them in a row the
//! earlier part grows fourfold each time, whatever the guess.

use super::SolveCounts;
use crate::predicate::contraction::Window;

/// The items that are solved simultaneously, pairs of triangles or elementary equations; they share the bounds on their
/// motion.
pub trait System {
    /// Bounds the moving bodies over `|τ| <= h` around `mid`, once for all items; returns the number of joints bounded.
    fn bound(&mut self, items: &[Active], mid: f64, h: f64) -> u64;
    /// Number of joints bounded for an item alone.
    fn depth(&self, item: u32) -> u32;
    /// The local times at which each item can touch, by the present bounds and by axes chosen at the local time `look`.
    fn contract_all(&self, items: &[Active], h: f64, look: f64, windows: &mut Vec<Window<f64>>);
    /// Returns whether the item moves so little over the interval of these bounds, `|τ| <= h` around `mid`, that only
    /// rounding keeps it.
    fn is_still(&self, item: u32, mid: f64, h: f64) -> bool;
    /// Contracts each item once more, with all other means that may separate it.
    fn settle_all(&self, items: &[Active], h: f64, windows: &mut Vec<Window<f64>>);
    /// Returns whether the item certainly touches at the middle time of the bounds.
    fn meets(&self, item: u32) -> bool;
    /// Returns whether the item certainly touches at some time from `t0` to `t1`.
    fn meets_within(&self, item: u32, t0: f64, t1: f64) -> bool;
    /// A guess of the first time at which one of the items touches.
    fn guess(&self, items: &[Active]) -> Option<f64>;
}

/// An item and the times at which it may touch.
#[derive(Clone, Copy, Debug)]
pub struct Active {
    /// Index of the item.
    pub item: u32,
    /// Earliest time.
    pub lo: f64,
    /// Latest time.
    pub hi: f64,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// All items are proved free.
    Nothing,
    /// Nothing touches before `lo`; the item `first` may from then on, and if there is a `proof`, some item does at or
    /// before that time. [`Search::contacts`] contains the others.
    Contact { lo: f64, first: u32, proof: Option<f64> },
    /// The cap was reached, or a sufficient proof was found. Nothing touches before `clear_until`; an item certainly
    /// touches at the time in `proved_until`.
    Capped { clear_until: f64, proved_until: Option<(u32, f64)> },
}

/// Parameters of a search.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The requested width of the enclosure.
    pub eps_t: f64,
    /// Maximum number of evaluations for the motion.
    pub cap: u64,
    /// Ends the search at any proof of contact, as if the cap were reached.
    pub proof_is_enough: bool,
}

/// An interval of time with the items that are active there.
#[derive(Debug)]
struct Slab {
    t0: f64,
    t1: f64,
    /// A guess of the time of a contact.
    guess: Option<f64>,
    /// Number of guesses just before it that were wrong.
    n_wrong: u32,
    /// Index of its first item in `waiting`; those of later intervals precede it.
    first: usize,
}

/// The memory of the search.
#[derive(Debug, Default)]
pub struct Search {
    /// Some item was found touching at time 0.
    pub initial_overlap: bool,
    /// Items that may touch first, to within the requested width, each with the time from which on; known once a
    /// contact is found.
    pub contacts: Vec<(f64, u32)>,
    evaluations: u64,
    stack: Vec<Slab>,
    /// The items of the intervals on the stack.
    waiting: Vec<Active>,
    /// The items of the current interval, and those of them that are narrow enough.
    active: Vec<Active>,
    narrow: Vec<Active>,
    /// The items for which a proof is tried.
    tried: Vec<Active>,
    again: Vec<(f64, u32)>,
    windows: Vec<Window<f64>>,
    /// Items that could not be ruled out in the smallest interval, each with the time from which on it may touch.
    candidates: Vec<(f64, u32)>,
    /// The earliest proof of contact: time and item.
    proof: Option<(f64, u32)>,
}

/// Number of later times at which a proof of contact is tried if none is found at the first contact itself.
const LATE_PROOFS: usize = 64;
/// Number of wrong guesses in a row from which on the earlier parts grow.
const PATIENCE: u32 = 4;
/// Distance by which an interval extends beyond a guess, as a fraction of the requested width.
const BEHIND: f64 = 0.125;
/// Widths in which a root is searched, as fractions of the requested width.
const ROOT_SHARES: [f64; 7] = [1.0, 1e-2, 1e-4, 1e-6, 1e1, 1e2, 1e3];
/// Width of the canonical intervals from which an enclosure is computed for the record.
const CANONICAL: f64 = 1.0 / 4096.0;

impl Search {
    /// Discards the data of the last motion.
    pub fn begin(&mut self) {
        self.initial_overlap = false;
        self.contacts.clear();
        self.evaluations = 0;
    }

    /// Searches the active items.
    pub fn run(&mut self, system: &mut impl System, task: &Task, all: &[Active], counts: &mut SolveCounts) -> Found {
        self.candidates.clear();
        self.contacts.clear();
        self.proof = None;
        self.stack.clear();
        self.waiting.clear();
        self.push(all.iter().copied(), None, 0);
        if let Some(clear_until) = self.explore(system, task, counts) {
            return Found::Capped { clear_until, proved_until: self.proof.map(|(t, item)| (item, t)) };
        }
        self.conclude(system, task, all, counts)
    }

    /// Finds the candidates in the intervals on the stack. Returns the time up to which everything is free if the cap,
    /// or a proof, ends the search.
    fn explore(&mut self, system: &mut impl System, task: &Task, counts: &mut SolveCounts) -> Option<f64> {
        let mut active = std::mem::take(&mut self.active);
        let ended = self.go_through(system, task, &mut active, counts);
        self.active = active;
        ended
    }

    fn go_through(
        &mut self,
        system: &mut impl System,
        task: &Task,
        active: &mut Vec<Active>,
        counts: &mut SolveCounts,
    ) -> Option<f64> {
        while let Some(Slab { t0, t1, guess, n_wrong, first }) = self.stack.pop() {
            let cut = self.cut(task.eps_t);
            active.clear();
            active.extend(self.waiting.drain(first..));
            // An item that is already a candidate cannot become an earlier one.
            active.retain(|a| a.lo < cut && !self.candidates.iter().any(|c| c.1 == a.item));
            if active.is_empty() {
                continue;
            }
            if self.evaluations >= task.cap {
                let first = self.candidates.iter().fold(t0, |m, c| m.min(c.0));
                return Some(self.stack.iter().fold(first, |m, s| m.min(s.t0)));
            }
            let t1 = t1.min(cut);
            self.contract_all(system, task, [t0, t1], guess, active, counts);
            let kept = &*active;
            if task.proof_is_enough && self.proof.is_some() {
                let first = kept.iter().map(|a| a.lo).chain(self.candidates.iter().map(|c| c.0));
                return first.chain(self.stack.iter().map(|s| s.t0)).reduce(f64::min);
            }
            let Some(first) = kept.iter().copied().reduce(|a, b| if b.lo < a.lo { b } else { a }) else { continue };
            let last = kept.iter().fold(first.lo, |m, a| m.max(a.hi));
            let width = last - first.lo;
            // A guess that was useful is kept; otherwise a new one is computed.
            let served = guess.filter(|g| *g > first.lo && width < 0.25 * (t1 - t0));
            let guess = served.or_else(|| system.guess(kept));
            let step = task.eps_t * BEHIND;
            let least = if n_wrong < PATIENCE { 0.0 } else { step * 4f64.powi((n_wrong - PATIENCE) as i32) };
            let behind = guess.map_or(f64::INFINITY, |g| (g + step).max(first.lo + least));
            let shrank = width < 0.5 * (t1 - t0);
            if behind - first.lo < 0.75 * width {
                self.split(kept, behind, guess, n_wrong + 1);
            } else if shrank {
                self.push(kept.iter().copied(), guess.filter(|g| *g < last), n_wrong);
            } else {
                self.split(kept, first.lo + 0.5 * width, None, 0);
            }
        }
        None
    }

    /// Pushes the later part onto the stack, then the earlier one with the guess. If the later one is reached,
    /// `n_wrong` guesses were wrong.
    fn split(&mut self, kept: &[Active], at: f64, guess: Option<f64>, n_wrong: u32) {
        let later = kept.iter().filter(|a| a.hi > at).map(|a| Active { lo: a.lo.max(at), ..*a });
        let earlier = kept.iter().filter(|a| a.lo <= at).map(|a| Active { hi: a.hi.min(at), ..*a });
        self.push(later, None, n_wrong);
        self.push(earlier, guess, 0);
    }

    /// Contracts every active item over one interval, and settles those with narrow enough windows; the others stay
    /// active.
    fn contract_all(
        &mut self,
        system: &mut impl System,
        task: &Task,
        [t0, t1]: [f64; 2],
        guess: Option<f64>,
        active: &mut Vec<Active>,
        counts: &mut SolveCounts,
    ) {
        let (m, h) = (0.5 * (t0 + t1), half_width(t0, t1));
        let look = guess.map_or(0.0, |g| (g - m).clamp(-h, h));
        counts.joints += system.bound(active, m, h);
        counts.joints_alone += active.iter().map(|a| u64::from(system.depth(a.item))).sum::<u64>();
        self.evaluations += active.len() as u64;
        counts.intervals += 1;
        counts.evaluations += active.len() as u64;
        let mut narrow = std::mem::take(&mut self.narrow);
        narrow.clear();
        let mut windows = std::mem::take(&mut self.windows);
        system.contract_all(active, h, look, &mut windows);
        let mut next = windows.iter();
        active.retain_mut(|a| {
            let Some(w) = next.next() else { return true };
            if w.lo > w.hi {
                return false;
            }
            (a.lo, a.hi) = (a.lo.max((m + w.lo).next_down()), a.hi.min(t1).min((m + w.hi).next_up()));
            // The window is narrower than requested, or so narrow that only rounding keeps the item: an answer must be
            // found now.
            let is_narrow = a.lo <= a.hi && (a.hi - a.lo <= task.eps_t / 4.0 || system.is_still(a.item, m, h));
            if is_narrow {
                narrow.push(*a);
            }
            a.lo <= a.hi && !is_narrow
        });
        self.windows = windows;
        if !narrow.is_empty() {
            self.settle(system, task, &narrow, counts);
        }
        self.narrow = narrow;
    }

    /// The time from which on times do not matter: later than a proved contact, or later than the first candidate by
    /// more than the requested width.
    fn cut(&self, eps_t: f64) -> f64 {
        let first = self.candidates.iter().fold(f64::INFINITY, |m, c| m.min(c.0));
        let proof = self.proof.map_or(f64::INFINITY, |p| p.0);
        (first + eps_t).min(proof)
    }

    fn push(&mut self, active: impl Iterator<Item = Active>, guess: Option<f64>, n_wrong: u32) {
        let first = self.waiting.len();
        self.waiting.extend(active);
        let active = &self.waiting[first..];
        if !active.is_empty() {
            let (t0, t1) = active.iter().fold((f64::MAX, f64::MIN), |(l, h), a| (l.min(a.lo), h.max(a.hi)));
            self.stack.push(Slab { t0, t1, guess, n_wrong, first });
        }
    }

    /// Handles items that could not be ruled out on a smallest interval: their remaining times are contracted once
    /// more, jointly if these are about the same; items that still remain become candidates, and a proof of contact is
    /// tried.
    fn settle(&mut self, system: &mut impl System, task: &Task, narrow: &[Active], counts: &mut SolveCounts) {
        let before = self.candidates.len();
        let (lo, hi) = narrow.iter().fold((f64::MAX, f64::MIN), |(l, h), a| (l.min(a.lo), h.max(a.hi)));
        let together = hi - lo <= task.eps_t / 4.0;
        let mut windows = std::mem::take(&mut self.windows);
        for some in narrow.chunks(if together { narrow.len() } else { 1 }) {
            let (lo, hi) = if together { (lo, hi) } else { (some[0].lo, some[0].hi) };
            let (m, h) = (0.5 * (lo + hi), half_width(lo, hi));
            self.evaluations += some.len() as u64;
            counts.evaluations += some.len() as u64;
            system.bound(some, m, h);
            system.settle_all(some, h, &mut windows);
            for (a, w) in some.iter().zip(&windows) {
                let lo = a.lo.max((m + w.lo).next_down());
                if w.lo <= w.hi && lo <= a.hi {
                    self.candidates.push((lo, a.item));
                }
            }
        }
        self.windows = windows;
        let new = &self.candidates[before..];
        let Some(first) = new.iter().map(|c| c.0).reduce(f64::min) else { return };
        let t = (first + 0.5 * task.eps_t).min(1.0);
        if self.proof.is_none_or(|p| p.0 > t) {
            self.tried.clear();
            self.tried.extend(new.iter().map(|c| Active { item: c.1, lo: t, hi: t }));
            self.proof = proof_at(system, &self.tried, t, counts).map(|item| (t, item)).or(self.proof);
        }
    }

    /// The answer, after the search.
    ///
    /// The last digits of the search result depend on the intervals that were searched, and these on the pairs that
    /// earlier stages kept. So the enclosure is computed again, only for the items that may touch first to within the
    /// requested width, starting from a canonical interval.
    fn conclude(&mut self, system: &mut impl System, task: &Task, all: &[Active], counts: &mut SolveCounts) -> Found {
        if self.candidates.is_empty() {
            return Found::Nothing;
        }
        let fallback = self.proof.map(|p| p.0);
        let mut near = std::mem::take(&mut self.contacts);
        self.near(task.eps_t, &mut near);
        let first = near.iter().fold(f64::INFINITY, |m, c| m.min(c.0));
        self.canonical(system, task, &mut near, counts);
        // Times later than this have not been searched.
        let lo = near.iter().fold(first + task.eps_t, |m, c| m.min(c.0));
        // At this time the search has tried to prove a contact.
        let soon = (lo + 0.5 * task.eps_t).min(1.0);
        let known = self.proof.map(|p| p.0).filter(|t| *t == soon);
        let proof = known.or_else(|| prove(system, task, &near, all, lo, &mut self.tried, counts)).or(fallback);
        // Of all items that may touch first to within the requested width, the first in the order of items.
        let latest = proof.map_or(lo + task.eps_t, |t| t.min(lo + task.eps_t));
        near.retain(|c| c.0 <= latest);
        let first = near.iter().map(|c| c.1).min().unwrap_or(0);
        self.contacts = near;
        Found::Contact { lo, first, proof }
    }

    /// The candidates that are not later than the first by more than the requested width, in the order of items.
    fn near(&self, eps_t: f64, near: &mut Vec<(f64, u32)>) {
        let first = self.candidates.iter().fold(f64::INFINITY, |m, c| m.min(c.0));
        near.clear();
        near.extend(self.candidates.iter().copied().filter(|c| c.0 <= first + eps_t));
        near.sort_unstable_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0)));
        near.dedup_by_key(|c| c.1);
    }

    /// Searches the same candidates again, starting from the canonical interval around the first of them. Before it
    /// they are free.
    fn canonical(
        &mut self,
        system: &mut impl System,
        task: &Task,
        near: &mut Vec<(f64, u32)>,
        counts: &mut SolveCounts,
    ) {
        let first = near.iter().fold(f64::INFINITY, |m, c| m.min(c.0));
        let start = ((first / CANONICAL - 0.25).floor() * CANONICAL).max(0.0);
        let end = (start + 2.0 * CANONICAL).min(1.0);
        self.candidates.clear();
        self.proof = None;
        let task = Task { cap: self.evaluations + 256 * near.len() as u64, proof_is_enough: false, ..*task };
        let mut active = std::mem::take(&mut self.tried);
        active.clear();
        active.extend(near.iter().map(|c| Active { item: c.1, lo: start, hi: end }));
        self.stack.clear();
        self.waiting.clear();
        match system.guess(&active).map(|guess| (guess, guess + task.eps_t * BEHIND)) {
            Some((guess, behind)) if behind < end => self.split(&active, behind, Some(guess), 0),
            _ => self.push(active.iter().copied(), None, 0),
        }
        self.tried = active;
        let ended = self.explore(system, &task, counts);
        let mut again = std::mem::take(&mut self.again);
        self.near(task.eps_t, &mut again);
        // Items that touch at the start of the interval have been proved free before it.
        again.iter_mut().filter(|c| c.0 == start).for_each(|c| c.0 = first);
        if ended.is_none() && !again.is_empty() {
            std::mem::swap(near, &mut again);
        }
        self.again = again;
    }
}

/// The first of the items that certainly touches at time `t`.
fn proof_at(system: &mut impl System, items: &[Active], t: f64, counts: &mut SolveCounts) -> Option<u32> {
    counts.proofs += items.len() as u64;
    system.bound(items, t, 0.0);
    items.iter().find(|a| system.meets(a.item)).map(|a| a.item)
}

/// A time at or before which some item certainly touches: within the requested width after `lo`, by an item of `near`
/// or any other, otherwise at increasingly later times.
fn prove(
    system: &mut impl System,
    task: &Task,
    near: &[(f64, u32)],
    all: &[Active],
    lo: f64,
    tried: &mut Vec<Active>,
    counts: &mut SolveCounts,
) -> Option<f64> {
    let soon = |share: f64| (lo + share * task.eps_t).min(1.0);
    tried.clear();
    tried.extend(near.iter().map(|c| Active { item: c.1, lo, hi: 1.0 }));
    for share in [0.5, 0.95] {
        if proof_at(system, tried, soon(share), counts).is_some() {
            return Some(soon(share));
        }
    }
    // Nothing touches before `lo`, so a root in an interval that begins slightly before `lo` must be after it.
    for share in ROOT_SHARES {
        let from = (lo - share * task.eps_t).max(0.0);
        if near.iter().any(|c| system.meets_within(c.1, from, soon(0.95 * share))) {
            return Some(soon(0.95 * share));
        }
    }
    let end = all.iter().fold(lo, |m, a| m.max(a.hi));
    let growth = ((end - lo).max(task.eps_t) / task.eps_t).powf(1.0 / LATE_PROOFS as f64).max(1.05);
    let mut step = task.eps_t * (1.0 - 1e-3);
    for _ in 0..=LATE_PROOFS {
        let t = (lo + step).min(end);
        tried.clear();
        tried.extend(all.iter().copied().filter(|a| a.lo <= t));
        if !tried.is_empty() && proof_at(system, tried, t, counts).is_some() {
            return Some(t);
        }
        if t >= end {
            break;
        }
        step *= growth;
    }
    None
}

/// Half the width of an interval, at least the distance of either end from the computed middle.
fn half_width(t0: f64, t1: f64) -> f64 {
    let m = 0.5 * (t0 + t1);
    (t1 - m).max(m - t0) * (1.0 + 2.0 * f64::EPSILON)
}

#[cfg(test)]
mod tests;
