//! Pairs of triangles as the items of a search: pose jets bounded once per interval, windows from the seventeen axes
//! that separate two triangles, proofs of contact by piercing and by the elementary equations.
//!
//! A pair costs about a ninth of its fifteen elementary equations and finds the same first contact. The equations are
//! used if piercing proves nothing, as for contacts near the border of a face.

use super::equation::{self, EQUATIONS};
use super::guess::Guess;
use super::pair::Pair;
use super::search::{Active, System};
use super::side_by_side::Windows;
use crate::arith::vectors::{WIDTH, widest};
use crate::enclosure::pose_bound::TaylorModel;
use crate::predicate::contraction::Window;
use crate::robot::RobotMotion;

/// The pairs of one piece of a motion.
#[derive(Debug)]
pub struct PairSystem<'a> {
    /// The motion.
    pub motion: &'a RobotMotion,
    /// The pairs, in the order that decides between equal contacts.
    pub pairs: &'a [Pair],
    /// The distance that counts as contact, metres.
    pub margin_m: f64,
    /// Bounds on the poses of the bodies that are active.
    pub poses: &'a mut Vec<(u32, TaylorModel<f64>)>,
}

impl PairSystem<'_> {
    fn pair(&self, a: &Active) -> &Pair {
        &self.pairs[a.item as usize]
    }

    fn pose(&self, body: u32) -> &TaylorModel<f64> {
        // `bound` has added it.
        self.poses.iter().find(|p| p.0 == body).map_or(&self.poses[0].1, |p| &p.1)
    }

    /// Windows of all items, in their order.
    fn windows(&self, items: &[Active], h: f64, look: f64, settle: bool, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        for some in items.chunks(WIDTH) {
            // The first pair fills the unused lanes.
            let pairs: [&Pair; WIDTH] = std::array::from_fn(|i| self.pair(some.get(i).unwrap_or(&some[0])));
            let by_nearest = match settle || self.margin_m > 0.0 {
                true => u32::MAX >> (32 - WIDTH),
                false => pairs.iter().rev().fold(0, |mask, p| mask << 1 | u32::from(p.is_flat)),
            };
            let poses = pairs.map(|p| self.pose(p.body));
            let w = widest(Windows { poses, pairs, h, look, margin_m: self.margin_m, by_nearest });
            windows.extend((0..some.len()).map(|i| Window { lo: w.lo.0[i], hi: w.hi.0[i] }));
        }
    }
}

impl System for PairSystem<'_> {
    fn bound(&mut self, items: &[Active], mid: f64, h: f64) -> u64 {
        self.poses.clear();
        for a in items {
            let body = self.pairs[a.item as usize].body;
            // Pairs are sorted by link, so equal bodies are mostly consecutive.
            if !self.poses.iter().rev().any(|p| p.0 == body) {
                let bound =
                    if h > 0.0 { self.motion.body_bound(body, mid, h) } else { self.motion.body_at::<0>(body, mid) };
                self.poses.push((body, bound));
            }
        }
        self.poses.iter().map(|p| u64::from(self.motion.chains[p.0 as usize].depth)).sum()
    }

    fn depth(&self, item: u32) -> u32 {
        self.motion.chains[self.pairs[item as usize].body as usize].depth
    }

    fn contract_all(&self, items: &[Active], h: f64, look: f64, windows: &mut Vec<Window<f64>>) {
        self.windows(items, h, look, false, windows);
    }

    fn is_still(&self, item: u32, h: f64) -> bool {
        let pair = &self.pairs[item as usize];
        let TaylorModel { ball, .. } = self.pose(pair.body);
        h * pair.speed(self.motion) <= 2.0 * (ball[0] + ball[1] * pair.reach)
    }

    fn settle_all(&self, items: &[Active], h: f64, windows: &mut Vec<Window<f64>>) {
        self.windows(items, h, 0.0, true, windows);
    }

    fn meets(&self, item: u32) -> bool {
        let pair = &self.pairs[item as usize];
        pair.meets(self.pose(pair.body), self.margin_m)
    }

    fn meets_within(&self, item: u32, t0: f64, t1: f64) -> bool {
        let pair = &self.pairs[item as usize];
        let moments = equation::Moments::new(self.motion, pair, t0, t1);
        EQUATIONS.iter().any(|e| moments.has_root(*e))
    }

    /// The guess for the item that may touch first.
    fn guess(&self, items: &[Active]) -> Option<f64> {
        let first = items.iter().reduce(|a, b| if b.lo < a.lo { b } else { a })?;
        let until = items.iter().fold(first.lo, |m, a| m.max(a.hi));
        let (motion, pair, margin_m) = (self.motion, self.pair(first), self.margin_m);
        widest(Guess { motion, pair, from: first.lo, until, margin_m })
    }
}
