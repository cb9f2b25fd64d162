//! Pairs of triangles as the items of a search: pose jets bounded once per interval, windows from the seventeen axes
//! that separate two triangles, proofs of contact by piercing and by the elementary equations.
//!
//! A pair costs about a ninth of its fifteen elementary equations and finds the same first contact. The equations are
//! used if piercing proves nothing, as for contacts near the border of a face.

use super::equation::{self, EQUATIONS};
use super::guess::Guess;
use super::pair::{Motions, Pair};
use super::search::{Active, System};
use super::side_by_side::Windows;
use crate::arith::vectors::{WIDTH, widest};
use crate::enclosure::pose_bound::TaylorModel;
use crate::predicate::contraction::Window;

/// The pairs of one piece of a motion.
#[derive(Debug)]
pub struct PairSystem<'a> {
    /// The motions.
    pub motions: Motions<'a>,
    /// The pairs, in the order that decides between equal contacts.
    pub pairs: &'a [Pair],
    /// The margin, metres.
    pub margin_m: f64,
    /// Bounds on the poses of the bodies that are active.
    pub poses: &'a mut Vec<(BodyIn, TaylorModel<f64>)>,
}

/// A body, and the chain to which it belongs; `None` for the robot's own motion.
pub type BodyIn = (u32, Option<u32>);

fn body_of(pair: &Pair) -> BodyIn {
    (pair.body, pair.within.map(|within| within.chain))
}

impl PairSystem<'_> {
    fn pair(&self, a: &Active) -> &Pair {
        &self.pairs[a.item as usize]
    }

    fn pose(&self, body: BodyIn) -> &TaylorModel<f64> {
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
            let poses = pairs.map(|p| self.pose(body_of(p)));
            let w = widest(Windows { poses, pairs, h, look, margin_m: self.margin_m, by_nearest });
            windows.extend((0..some.len()).map(|i| Window { lo: w.lo.0[i], hi: w.hi.0[i] }));
        }
    }
}

impl System for PairSystem<'_> {
    fn bound(&mut self, items: &[Active], mid: f64, h: f64) -> u64 {
        self.poses.clear();
        let mut joints = 0;
        for a in items {
            let pair = &self.pairs[a.item as usize];
            let (body, motion) = (body_of(pair), self.motions.of(pair));
            // Pairs are sorted by link, so equal bodies are usually consecutive.
            if !self.poses.iter().rev().any(|p| p.0 == body) {
                let bound = match h > 0.0 {
                    true => motion.body_bound(pair.body, mid, h),
                    false => motion.body_at::<0>(pair.body, mid),
                };
                self.poses.push((body, bound));
                joints += u64::from(motion.chains[pair.body as usize].depth);
            }
        }
        joints
    }

    fn depth(&self, item: u32) -> u32 {
        let pair = &self.pairs[item as usize];
        self.motions.of(pair).chains[pair.body as usize].depth
    }

    fn contract_all(&self, items: &[Active], h: f64, look: f64, windows: &mut Vec<Window<f64>>) {
        self.windows(items, h, look, false, windows);
    }

    fn is_still(&self, item: u32, mid: f64, h: f64) -> bool {
        let pair = &self.pairs[item as usize];
        let motion = self.motions.of(pair);
        let travel_m = h * pair.speed(motion);
        let is_within = |pose: &TaylorModel<f64>| travel_m <= 2.0 * (pose.ball[0] + pose.ball[1] * pair.reach_m);
        // Over an interval the ball also contains the higher derivatives of a curve, at one time only rounding.
        is_within(self.pose(body_of(pair))) && is_within(&motion.body_at::<0>(pair.body, mid))
    }

    fn settle_all(&self, items: &[Active], h: f64, windows: &mut Vec<Window<f64>>) {
        self.windows(items, h, 0.0, true, windows);
    }

    fn meets(&self, item: u32) -> bool {
        let pair = &self.pairs[item as usize];
        pair.meets(self.pose(body_of(pair)), self.margin_m)
    }

    fn meets_within(&self, item: u32, t0: f64, t1: f64) -> bool {
        let pair = &self.pairs[item as usize];
        let moments = equation::Moments::new(self.motions.of(pair), pair, t0, t1);
        EQUATIONS.iter().any(|e| moments.has_root(*e))
    }

    /// The guess for the item that may touch first.
    fn guess(&self, items: &[Active]) -> Option<f64> {
        let first = items.iter().reduce(|a, b| if b.lo < a.lo { b } else { a })?;
        let until = items.iter().fold(first.lo, |m, a| m.max(a.hi));
        let (pair, margin_m) = (self.pair(first), self.margin_m);
        let motion = self.motions.of(pair);
        widest(Guess { motion, pair, from: first.lo, until, margin_m })
    }
}
