//! The paper's solver (Redon et al. 2004, sections 5.2.1 to 5.2.4), kept for comparison: the elementary equations 13
//! and 14 of every pair, bounded by interval arithmetic on interval pose matrices, solved together by subdivision at
//! the middle, with Newton's interval step (eq. 18) where the derivative's bounds have one sign.
//!
//! An equation is dropped if its bounds have one sign, and at the end of the subdivision if the root is certainly
//! outside the features. Compared with [`PairSystem`](super::pairs::PairSystem) it finds the same first contacts, but
//! the planes of triangles are also crossed far from the triangles, and each such root is followed to the end: see the
//! table in `benches/results/solver.md`. It does not support a margin.

use super::equation::{self, EQUATIONS};
use super::pair::Pair;
use super::search::{Active, System};
use crate::arith::interval::{Interval, IntervalPose, sin_cos_range};
use crate::predicate::contraction::Window;
use crate::predicate::vf_ee::Kind;
use crate::robot::RobotMotion;

type I = Interval<f64>;
type Vector = [I; 3];

/// Bounds on a body's pose and on its derivative over a time interval.
#[derive(Clone, Copy, Debug)]
struct Poses {
    pose: IntervalPose<f64>,
    rate: IntervalPose<f64>,
}

/// Bounds on a vertex: position and velocity.
type Moving = (Vector, Vector);

/// The elementary equations of the pairs of one piece of a motion; item `15 i + k` is equation `k` of pair `i`.
#[derive(Debug)]
pub struct PaperSystem<'a> {
    motion: &'a RobotMotion,
    pairs: &'a [Pair],
    mid: f64,
    /// Bounds for all bodies, over the interval and at its middle.
    over: Vec<Poses>,
    middle: Vec<Poses>,
}

impl<'a> PaperSystem<'a> {
    /// Creates the system of equations of these pairs.
    pub fn new(motion: &'a RobotMotion, pairs: &'a [Pair]) -> Self {
        Self { motion, pairs, mid: 0.0, over: Vec::new(), middle: Vec::new() }
    }

    fn pair(&self, item: u32) -> &Pair {
        &self.pairs[item as usize / EQUATIONS.len()]
    }

    /// Kind of an equation, and the bounds of its four points.
    fn points(&self, poses: &[Poses], item: u32) -> (Kind, [Moving; 4]) {
        let pair = self.pair(item);
        let Poses { pose, rate } = &poses[pair.body as usize];
        let exact = |v: [f64; 3]| v.map(Interval::exact);
        let x = pair.e.map(|e| (pose.apply(exact(e.0)), rate.apply(exact(e.0))));
        let y = pair.tri.y.map(|y| (exact(y.0), exact([0.0; 3])));
        EQUATIONS[item as usize % EQUATIONS.len()].choose(&x, &y)
    }
}

/// Bounds on the poses of the first `n` bodies over `[mid - h, mid + h]`, root to leaf.
fn bound(motion: &RobotMotion, n: usize, mid: f64, h: f64, out: &mut Vec<Poses>) {
    out.clear();
    let time = Interval { lo: (mid - h).next_down(), hi: (mid + h).next_up() };
    for (joint, parent) in motion.joints.iter().zip(&motion.parents).take(n) {
        let (sin, cos) = sin_cos_range(joint.w_rad, time.lo, time.hi);
        let factors = joint.factors::<f64>();
        let own = Poses { pose: factors.intervals(sin, cos, time), rate: factors.interval_rates(sin, cos) };
        out.push(parent.map_or(own, |p| concatenate(&out[p as usize], &own)));
    }
}

/// The product rule: the derivative of parent times child.
fn concatenate(parent: &Poses, child: &Poses) -> Poses {
    let (by_rate, by_pose) = (parent.rate.concatenate(&child.pose), parent.pose.concatenate(&child.rate));
    // Both sums contain the parent's own offset; its rate must be counted once, its position not at all.
    let t = |i: usize| by_rate.t[i] + (by_pose.t[i] - parent.pose.t[i]);
    let rate = IntervalPose {
        p: std::array::from_fn(|i| std::array::from_fn(|j| by_rate.p[i][j] + by_pose.p[i][j])),
        t: std::array::from_fn(t),
    };
    Poses { pose: parent.pose.concatenate(&child.pose), rate }
}

fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: Vector, b: Vector) -> I {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross([a, b, c]: Vector, [x, y, z]: Vector) -> Vector {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

/// The three differences whose triple product is the equation: `y·(e1×e2)`.
fn differences(kind: Kind, [a, b, c, d]: [Vector; 4]) -> [Vector; 3] {
    match kind {
        Kind::VertexFace => [minus(a, b), minus(c, b), minus(d, b)],
        Kind::EdgeEdge => [minus(c, a), minus(b, a), minus(d, c)],
    }
}

/// Bounds on the equation's left side.
fn value(kind: Kind, points: &[Moving; 4]) -> I {
    let [y, e1, e2] = differences(kind, points.map(|p| p.0));
    dot(y, cross(e1, e2))
}

/// Bounds on the derivative of the equation's left side.
fn slope(kind: Kind, points: &[Moving; 4]) -> I {
    let [y, e1, e2] = differences(kind, points.map(|p| p.0));
    let [dy, d1, d2] = differences(kind, points.map(|p| p.1));
    dot(dy, cross(e1, e2)) + dot(y, plus(cross(d1, e2), cross(e1, d2)))
}

/// Returns whether a root is certainly outside one of the features.
fn is_outside(kind: Kind, points: &[Moving; 4]) -> bool {
    let [a, b, c, d] = points.map(|p| p.0);
    let all = match kind {
        Kind::VertexFace => {
            let n = cross(minus(c, b), minus(d, b));
            let on = |p: Vector, q: Vector| dot(n, cross(minus(p, a), minus(q, a)));
            [on(c, d), on(d, b), on(b, c), Interval::exact(0.0)]
        }
        Kind::EdgeEdge => {
            let (d1, d2, w) = (minus(b, a), minus(d, c), minus(c, a));
            let n = cross(d1, d2);
            let along = |p: Vector, q: Vector| dot(cross(p, q), n);
            [along(w, d2), along(minus(b, c), d2), along(w, d1), along(d1, minus(d, a))]
        }
    };
    all.iter().any(|x| x.hi < 0.0)
}

impl PaperSystem<'_> {
    /// The times at which the equation can hold.
    fn contract(&self, item: u32, h: f64) -> Window<f64> {
        let nothing = Window { lo: f64::INFINITY, hi: f64::NEG_INFINITY };
        let (kind, points) = self.points(&self.over, item);
        let f = value(kind, &points);
        if f.lo > 0.0 || f.hi < 0.0 {
            return nothing;
        }
        let slope = slope(kind, &points);
        if slope.lo <= 0.0 && slope.hi >= 0.0 {
            return Window::whole(h);
        }
        let (kind, middle) = self.points(&self.middle, item);
        let step = value(kind, &middle).quotient(slope);
        // The root is where the change from the middle's value reaches zero, in local time (eq. 18).
        Window { lo: (-step.hi).max(-h), hi: (-step.lo).min(h) }
    }

    /// Contracts by the axes of the equation, unless its root is outside one of the features.
    fn settle(&self, item: u32, h: f64) -> Window<f64> {
        let (kind, points) = self.points(&self.over, item);
        if is_outside(kind, &points) {
            return Window { lo: 1.0, hi: -1.0 };
        }
        // Parallel edges have no crossing, so it cannot be inside or outside.
        let pair = self.pair(item);
        let x = pair.points(&self.motion.body_bound(pair.body, self.mid, h));
        equation::window(EQUATIONS[item as usize % EQUATIONS.len()], &x, &pair.tri, h)
    }
}

impl System for PaperSystem<'_> {
    fn bound(&mut self, items: &[Active], mid: f64, h: f64) -> u64 {
        self.mid = mid;
        let last = items.iter().map(|a| self.pair(a.item).body).max().unwrap_or(0);
        bound(self.motion, last as usize + 1, mid, h, &mut self.over);
        bound(self.motion, last as usize + 1, mid, 0.0, &mut self.middle);
        2 * (u64::from(last) + 1)
    }

    fn depth(&self, item: u32) -> u32 {
        2 * self.motion.chains[self.pair(item).body as usize].depth
    }

    fn contract_all(&self, items: &[Active], h: f64, _: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        windows.extend(items.iter().map(|a| self.contract(a.item, h)));
    }

    fn settle_all(&self, items: &[Active], h: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        windows.extend(items.iter().map(|a| self.settle(a.item, h)));
    }

    fn is_still(&self, item: u32, _: f64, h: f64) -> bool {
        let pair = self.pair(item);
        let [constant, factor] = self.motion.chains[pair.body as usize].rounding(h, f64::EPSILON);
        h * pair.speed(self.motion) <= 16.0 * (constant + factor * pair.reach_m)
    }

    fn meets(&self, item: u32) -> bool {
        let pair = self.pair(item);
        pair.meets(&self.motion.body_bound(pair.body, self.mid, 0.0), 0.0)
    }

    fn meets_within(&self, item: u32, t0: f64, t1: f64) -> bool {
        let equation = EQUATIONS[item as usize % EQUATIONS.len()];
        equation::Moments::new(self.motion, self.pair(item), t0, t1).has_root(equation)
    }

    /// The paper subdivides at the middle.
    fn guess(&self, _: &[Active]) -> Option<f64> {
        None
    }
}
