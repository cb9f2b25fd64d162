//! Pairs of triangles as the items of a search: pose jets bounded once per interval, windows from the seventeen axes that
//! decide two triangles, proofs of contact by piercing and by the elementary equations.
//!
//! A pair costs about a ninth of its fifteen elementary equations and finds the same first contact. The equations come in
//! where piercing proves nothing, as for contacts near the border of a face.

use super::equation::{self, EQUATIONS};
use super::features::{nearest_direction, nearest_points, velocity_at};
use super::pair::Pair;
use super::search::{Active, System};
use crate::motion::ModelMotion;
use crate::numeric::contraction::{Window, triangle_sides, triangles};
use crate::numeric::lanes::Lanes;
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::PoseBound;
use crate::numeric::separation::StandingTriangle;
use crate::numeric::vectors::{Vector, Vectorised, WIDTH, widest};
use glam::DVec3;

/// Several pairs of one body that are contracted at once. The operations are those of a single pair.
#[derive(Clone, Copy)]
struct SideBySide<'a> {
    pose: &'a PoseBound<f64>,
    pairs: [&'a Pair; WIDTH],
    h: f64,
    look: f64,
    margin_m: f64,
}

impl SideBySide<'_> {
    #[inline(always)]
    fn lanes<T: Vector>(&self, of: impl Fn(&Pair) -> f64) -> T {
        let mut lanes = [0.0; WIDTH];
        for i in 0..WIDTH {
            lanes[i] = of(self.pairs[i]);
        }
        T::load(&lanes)
    }

    #[inline(always)]
    fn vector<T: Vector>(&self, of: impl Fn(&Pair) -> &V3<f64>) -> V3<T> {
        V3([self.lanes(|p| of(p).0[0]), self.lanes(|p| of(p).0[1]), self.lanes(|p| of(p).0[2])])
    }
}

impl Vectorised for SideBySide<'_> {
    type Output = Window<Lanes<WIDTH>>;

    #[inline(always)]
    fn run<T: Vector>(self) -> Self::Output {
        let (pose, reach) = (self.pose.broadcast(), self.lanes(|p| p.reach));
        let x = [
            pose.point(self.vector::<T>(|p| &p.e[0]), reach),
            pose.point(self.vector(|p| &p.e[1]), reach),
            pose.point(self.vector(|p| &p.e[2]), reach),
        ];
        let y = [self.vector(|p| &p.tri.y[0]), self.vector(|p| &p.tri.y[1]), self.vector(|p| &p.tri.y[2])];
        let (tri, h) = (StandingTriangle { y, error: self.lanes(|p| p.tri.error) }, T::new(self.h));
        let (x, y) = triangle_sides(&x, &tri, h, T::new(self.look), self.margin_m);
        let window = triangles(&x, &y, h, u32::MAX >> (32 - WIDTH));
        Window { lo: window.lo.store(), hi: window.hi.store() }
    }
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
            for some in of_body.chunks(WIDTH) {
                if let [a] = some {
                    windows.push(self.contract(a.item, h, look));
                    continue;
                }
                let pairs: [&Pair; WIDTH] = std::array::from_fn(|i| self.pair(&some[i.min(some.len() - 1)]));
                let w = widest(SideBySide { pose, pairs, h, look, margin_m: self.margin_m });
                let one_more = |i: usize| (self.margin_m > 0.0 || pairs[i].is_flat) && w.lo.0[i] <= w.hi.0[i];
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
            let x = pair.points(&self.motion.body_at::<1>(pair.body, t));
            let [place, velocity] = [0, 1].map(|n| x.map(|p| DVec3::from_array(p.c[n].0)));
            let [on_a, on_b] = nearest_points(place, y);
            let apart = on_a - on_b;
            // Behind the contact the nearest points have changed sides: the distance counts negative.
            let passed = before.is_some_and(|n| n.dot(apart) < 0.0);
            let normal = (if passed { -apart } else { apart }).try_normalize()?;
            let distance = normal.dot(apart) - self.margin_m;
            let approach = -normal.dot(velocity_at(place, velocity, on_a));
            let step = distance / approach;
            if !(approach > 0.0) || t + step > until || t + step < from {
                return None;
            }
            (t, before) = (t + step, Some(normal));
            if step.abs() <= ENOUGH * (until - from) {
                break;
            }
        }
        Some(t)
    }
}

/// After a step of this share of the interval, the guess is about the square of it off.
const ENOUGH: f64 = 1e-5;
/// Steps of Newton's method for a guess.
const MOST_STEPS: usize = 6;
