//! Pairs of triangles as the items of a search: pose jets bounded once per interval, windows from the seventeen axes that
//! decide two triangles, proofs of contact by piercing and by the elementary equations.
//!
//! A pair costs about a ninth of its fifteen elementary equations and finds the same first contact. The equations come in
//! where piercing proves nothing, as for contacts near the border of a face.

use super::equation::{self, EQUATIONS};
use super::features::{nearest, nearest_direction, velocity_at};
use super::pair::Pair;
use super::search::{Active, System};
use crate::motion::ModelMotion;
use crate::numeric::contraction::{Window, triangle_sides, triangles};
use crate::numeric::lanes::Lanes;
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::PoseBound;
use crate::numeric::real::Real;
use crate::numeric::separation::StandingTriangle;
use glam::DVec3;
use multiversion::multiversion;

/// Pairs that are contracted side by side.
const LANES: usize = 8;

/// Contracts several pairs of one body at once, with the widest vectors that the processor has. The operations are those of
/// a single pair, none of them fused: the results are the same to the bit on every processor.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn contract_side_by_side(
    pose: &PoseBound<f64>,
    pairs: [&Pair; LANES],
    h: f64,
    look: f64,
    margin_m: f64,
) -> Window<Lanes<LANES>> {
    let lanes = |f: &dyn Fn(&Pair) -> f64| Lanes::from_fn(|i| f(pairs[i]));
    let point = |k: usize, of: &dyn Fn(&Pair) -> [V3<f64>; 3]| V3::from_fn(|j| lanes(&|p| of(p)[k].0[j]));
    let pose = pose.broadcast();
    let reach = lanes(&|p| p.reach);
    let x = [0, 1, 2].map(|k| pose.point(point(k, &|p| p.e), reach));
    let tri = StandingTriangle { y: [0, 1, 2].map(|k| point(k, &|p| p.tri.y)), error: lanes(&|p| p.tri.error) };
    let (h, look) = (Lanes::new(h), Lanes::new(look));
    let (x, y) = triangle_sides(&x, &tri, h, look, margin_m);
    triangles(&x, &y, h, u32::MAX >> (32 - LANES))
}

/// The pairs of one piece of a motion.
#[derive(Debug)]
pub struct PairSystem<'a> {
    /// The motion.
    pub motion: &'a ModelMotion,
    /// The pairs, in the order that decides between equal contacts.
    pub pairs: &'a [Pair],
    /// The distance that counts as contact, metres.
    pub margin_m: f64,
    /// Bounds on the poses of the bodies that are active.
    pub poses: &'a mut Vec<(u32, PoseBound<f64>)>,
}

impl PairSystem<'_> {
    fn pair(&self, a: &Active) -> &Pair {
        &self.pairs[a.item as usize]
    }

    fn pose(&self, body: u32) -> &PoseBound<f64> {
        // `bound` has put it there.
        self.poses.iter().find(|p| p.0 == body).map_or(&self.poses[0].1, |p| &p.1)
    }
}

impl System for PairSystem<'_> {
    fn bound(&mut self, items: &[Active], mid: f64, h: f64) -> u64 {
        self.poses.clear();
        for a in items {
            let body = self.pairs[a.item as usize].body;
            // Pairs are sorted by link, so equal bodies mostly follow one another.
            if !self.poses.iter().rev().any(|p| p.0 == body) {
                self.poses.push((body, self.motion.body_bound(body, mid, h)));
            }
        }
        self.poses.iter().map(|p| u64::from(self.motion.chains[p.0 as usize].depth)).sum()
    }

    fn depth(&self, item: u32) -> u32 {
        self.motion.chains[self.pairs[item as usize].body as usize].depth
    }

    fn contract(&self, item: u32, h: f64, look: f64) -> Window<f64> {
        let pair = &self.pairs[item as usize];
        let x = pair.points(self.pose(pair.body));
        let (x, y) = triangle_sides(&x, &pair.tri, h, look, self.margin_m);
        let mut window = triangles(&x, &y, h, 1);
        if (self.margin_m > 0.0 || pair.is_flat) && window.lo <= window.hi {
            // What tells these apart is the direction between their nearest points, not the other axes.
            window.cut(nearest_direction(&x.at, &y.d), &x, &y, h, 1);
        }
        window
    }

    fn contract_all(&self, items: &[Active], h: f64, look: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        // Pairs are sorted by link: those of one body follow one another.
        for of_body in items.chunk_by(|a, b| self.pair(a).body == self.pair(b).body) {
            let pose = self.pose(self.pair(&of_body[0]).body);
            for some in of_body.chunks(LANES) {
                if let [a] = some {
                    windows.push(self.contract(a.item, h, look));
                    continue;
                }
                let side_by_side: [&Pair; LANES] = std::array::from_fn(|i| self.pair(&some[i.min(some.len() - 1)]));
                let w = contract_side_by_side(pose, side_by_side, h, look, self.margin_m);
                let one_more = |i: usize| (self.margin_m > 0.0 || side_by_side[i].is_flat) && w.lo.0[i] <= w.hi.0[i];
                windows.extend((0..some.len()).map(|i| match one_more(i) {
                    true => self.contract(some[i].item, h, look),
                    false => Window { lo: w.lo.0[i], hi: w.hi.0[i] },
                }));
            }
        }
    }

    fn is_still(&self, item: u32, h: f64) -> bool {
        let pair = &self.pairs[item as usize];
        let PoseBound { ball, .. } = self.pose(pair.body);
        h * pair.speed(self.motion) <= 2.0 * (ball[0] + ball[1] * pair.reach)
    }

    fn settle(&self, item: u32, h: f64) -> Window<f64> {
        let pair = &self.pairs[item as usize];
        pair.window(self.pose(pair.body), h, self.margin_m)
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

    /// Newton's method on the distance of the nearest features, from the side where they are apart.
    fn guess(&self, item: u32, from: f64, until: f64) -> Option<f64> {
        let pair = &self.pairs[item as usize];
        let y = pair.tri.y.map(|v| DVec3::from_array(v.0));
        let (mut t, mut before): (f64, Option<DVec3>) = (from, None);
        for _ in 0..MOST_STEPS {
            let x = pair.points_at(self.motion, t);
            let [place, velocity] = [0, 1].map(|n| x.map(|p| DVec3::from_array(p.c[n].0)));
            let near = nearest(place, y, 0.0);
            let apart = near.on_a - near.on_b;
            // Behind the contact the nearest points have changed sides: the distance counts negative.
            let passed = before.is_some_and(|n| n.dot(apart) < 0.0);
            let normal = (if passed { -apart } else { apart }).try_normalize()?;
            let distance = normal.dot(apart) - self.margin_m;
            let approach = -normal.dot(velocity_at(place, velocity, near.on_a));
            let step = distance / approach;
            if !(approach > 0.0) || t + step > until || t + step < from {
                return None;
            }
            (t, before) = (t + step, Some(normal));
            if step.abs() <= 1e-12 {
                break;
            }
        }
        Some(t)
    }
}

/// Steps of Newton's method for a guess.
const MOST_STEPS: usize = 6;
