//! Hulls of triangles that move over an interval, and axes that separate them.

use super::kinematics::{ORDER, Sweep};
use super::partition::Node;
use crate::predicate::features::nearest;
use crate::robot::Triangle;
use glam::DVec3;

/// Spare of each decision for rounding, relative to the largest coordinate.
const SPARE: f64 = 4e-13;
/// Gap between two triangles, in spares, from which on a proof that ends then is likely.
const CLEAR: f64 = 4.0;
/// Number of control poses of a body that moves.
const CONTROLS: usize = ORDER + 1;

/// The hull of a node at one control pose.
#[derive(Clone, Copy, Debug)]
enum Hull {
    /// Corners.
    Triangle([DVec3; 3]),
    /// Centre and half axes.
    Box(DVec3, [DVec3; 3]),
}

impl Hull {
    fn new(triangles: &[Triangle], node: &Node, place: impl Place) -> Self {
        if node.is_leaf() {
            return Self::Triangle(triangles[node.left as usize].map(|v| place.point(v)));
        }
        let [lo, hi] = node.corners;
        let half = 0.5 * (hi - lo);
        let axes = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
        Self::Box(place.point(0.5 * (lo + hi)), axes.map(|v| place.vector(v)))
    }

    /// The smallest and the largest projection onto `n`, of balls with these radii about the corners.
    fn range(&self, n: DVec3, radii: &[f64; 3]) -> [f64; 2] {
        match self {
            Self::Triangle(corners) => {
                let [a, b, c] = corners.map(|v| v.dot(n));
                let [r, s, t] = radii;
                [(a - r).min(b - s).min(c - t), (a + r).max(b + s).max(c + t)]
            }
            Self::Box(centre, axes) => {
                let at = centre.dot(n);
                let half = axes.iter().map(|v| v.dot(n).abs()).sum::<f64>() + radii[0];
                [at - half, at + half]
            }
        }
    }

    fn centre(&self) -> DVec3 {
        match self {
            Self::Triangle([a, b, c]) => (*a + *b + *c) / 3.0,
            Self::Box(centre, _) => *centre,
        }
    }

    fn bounds(&self) -> [DVec3; 2] {
        match self {
            Self::Triangle([a, b, c]) => [a.min(*b).min(*c), a.max(*b).max(*c)],
            Self::Box(centre, axes) => {
                let half = axes.iter().fold(DVec3::ZERO, |sum, v| sum + v.abs());
                [*centre - half, *centre + half]
            }
        }
    }

    /// Returns whether a box contains a point; a triangle has no inside.
    fn contains(&self, p: DVec3) -> bool {
        let Self::Box(centre, axes) = self else { return false };
        axes.iter().all(|axis| (p - *centre).dot(*axis).abs() <= axis.length_squared())
    }

    /// Normals of faces.
    fn normals(&self) -> ([DVec3; 3], usize) {
        match self {
            Self::Triangle([a, b, c]) => ([(b - a).cross(c - a), DVec3::ZERO, DVec3::ZERO], 1),
            Self::Box(_, axes) => (*axes, 3),
        }
    }

    /// Directions of edges.
    fn edges(&self) -> [DVec3; 3] {
        match self {
            Self::Triangle([a, b, c]) => [b - a, c - b, a - c],
            Self::Box(_, axes) => *axes,
        }
    }
}

/// The position of a frame.
trait Place: Copy {
    fn point(self, p: DVec3) -> DVec3;
    fn vector(self, v: DVec3) -> DVec3;
}

/// The world itself.
#[derive(Clone, Copy)]
struct AtRest;

impl Place for AtRest {
    fn point(self, p: DVec3) -> DVec3 {
        p
    }
    fn vector(self, v: DVec3) -> DVec3 {
        v
    }
}

impl Place for (&Sweep, usize) {
    fn point(self, p: DVec3) -> DVec3 {
        self.0.p[self.1] * p + self.0.c[self.1]
    }
    fn vector(self, v: DVec3) -> DVec3 {
        self.0.p[self.1] * v
    }
}

/// A node over an interval.
#[derive(Clone, Debug)]
pub struct Placed {
    hulls: [Hull; CONTROLS],
    /// Number of different hulls: one of a body at rest.
    n_hulls: usize,
    /// The distance by which it may leave the hulls, metres.
    slack_m: f64,
    /// The same for each vertex of a triangle; equal for all other nodes.
    slacks_m: [f64; 3],
    /// Lowest and highest coordinates over the interval, slack included.
    pub corners: [DVec3; 2],
    /// Half the largest extent, metres; 0 for a triangle, which is not split.
    pub radius_m: f64,
    /// Half the distance that its centre covers, slack included, metres.
    pub travel_m: f64,
}

impl Placed {
    /// A node of a body that moves, or that is at rest without a sweep.
    pub fn new(of: &Node, triangles: &[Triangle], sweep: Option<&Sweep>) -> Self {
        let (hulls, n_hulls, slacks_m) = match sweep {
            None => ([Hull::new(triangles, of, AtRest); CONTROLS], 1, [0.0; 3]),
            Some(sweep) => {
                let hulls = std::array::from_fn(|i| Hull::new(triangles, of, (sweep, i)));
                let slacks_m = match of.is_leaf() {
                    true => triangles[of.left as usize].map(|v| sweep.slack_m(v.length())),
                    false => [sweep.slack_m(of.reach_m); 3],
                };
                (hulls, CONTROLS, slacks_m)
            }
        };
        let [mut lo, mut hi] = hulls[0].bounds();
        for hull in &hulls[1..n_hulls] {
            let [l, h] = hull.bounds();
            (lo, hi) = (lo.min(l), hi.max(h));
        }
        let spare_m = SPARE * lo.abs().max(hi.abs()).max_element();
        let slacks_m = slacks_m.map(|slack_m| slack_m + spare_m);
        let slack_m = slacks_m.into_iter().fold(0.0, f64::max);
        let radius_m = if of.is_leaf() { 0.0 } else { 0.5 * (of.corners[1] - of.corners[0]).length() };
        let travel = (hulls[CONTROLS - 1].centre() - hulls[0].centre()).length();
        let bend = (hulls[1].centre() - hulls[0].centre()).length();
        Self {
            hulls,
            n_hulls,
            slack_m,
            slacks_m,
            corners: [lo - slack_m, hi + slack_m],
            radius_m,
            travel_m: 0.5 * travel.max(bend) + slack_m,
        }
    }

    /// The spare for rounding, metres.
    fn spare_m(&self) -> f64 {
        SPARE * self.corners.iter().fold(0.0, |most: f64, v| v.abs().max_element().max(most))
    }

    /// Half the distance that its centre covers, metres.
    fn way_m(&self) -> f64 {
        self.travel_m - self.slack_m
    }

    /// Returns whether two triangles are far enough apart at a moment that a proof up to it is likely to be found.
    pub fn is_clear_of(&self, other: &Self, margin_m: f64) -> bool {
        let (Some(x), Some(y)) = (self.triangle(), other.triangle()) else { return true };
        nearest(x, y, 0.0).distance() - margin_m > CLEAR * (self.spare_m() + other.spare_m())
    }

    /// The triangle of a leaf at the start of the interval.
    pub fn triangle(&self) -> Option<Triangle> {
        match self.hulls[0] {
            Hull::Triangle(corners) => Some(corners),
            Hull::Box(..) => None,
        }
    }

    /// The smallest gap along `n`, less slack and `margin_m`, relative to the length of `n`: positive if `n` separates
    /// `self` below from `other` above.
    fn gap(&self, other: &Self, n: DVec3, margin_m: f64) -> f64 {
        let length = n.length();
        let (of_self, of_other) = (self.slacks_m.map(|x| x * length), other.slacks_m.map(|x| x * length));
        let mut least = f64::INFINITY;
        for i in 0..self.n_hulls.max(other.n_hulls) {
            let [_, high] = self.hulls[i].range(n, &of_self);
            let [low, _] = other.hulls[i].range(n, &of_other);
            least = least.min(low - high);
            if !(least > length * margin_m) {
                return f64::NEG_INFINITY;
            }
        }
        least / length - margin_m
    }

    /// The axis of the common frame along which the boxes of both are apart by more than `margin_m`: 0 to 5 for +x, -x,
    /// +y, -y, +z, -z.
    pub fn apart_along(&self, [lo, hi]: &[DVec3; 2], margin_m: f64) -> Option<u8> {
        let (above, below) = (*lo - self.corners[1], self.corners[0] - *hi);
        let all = [above.x, below.x, above.y, below.y, above.z, below.z];
        let (k, gap) =
            all.iter().enumerate().fold((0, f64::NEG_INFINITY), |a, b| if *b.1 > a.1 { (b.0, *b.1) } else { a });
        (gap > margin_m).then_some(k as u8)
    }

    /// The axis that separates both best, of those of their faces and edges in the middle of the interval.
    pub fn separating_axis(&self, other: &Self, margin_m: f64) -> Option<Axis> {
        // Hulls in the middle of the interval are near these.
        let (a, b) = (&self.hulls[self.n_hulls / 2], &other.hulls[other.n_hulls / 2]);
        if a.contains(b.centre()) || b.contains(a.centre()) {
            return None;
        }
        let (mut best, mut widest) = (DVec3::ZERO, 0.0);
        let least = |slacks_m: &[f64; 3]| slacks_m.iter().copied().fold(f64::INFINITY, f64::min);
        let beside = least(&self.slacks_m) + least(&other.slacks_m) + margin_m;
        let mut consider = |n: DVec3| {
            // The gap over the interval is at most that of these two hulls, and most axes fail there.
            let ([lo, hi], [low, high]) = (a.range(n, &[0.0; 3]), b.range(n, &[0.0; 3]));
            let n = if low + high < lo + hi { -n } else { n };
            let between = (low - hi).max(lo - high);
            if !(between > 0.0 && between > (beside + widest) * n.length()) {
                return;
            }
            let gap = self.gap(other, n, margin_m);
            if gap > widest {
                (best, widest) = (n, gap);
            }
        };
        let ((normals_a, n_a), (normals_b, n_b)) = (a.normals(), b.normals());
        normals_a[..n_a].iter().chain(&normals_b[..n_b]).for_each(|n| consider(*n));
        for e in a.edges() {
            b.edges().iter().for_each(|f| consider(e.cross(*f)));
        }
        match (a, b) {
            // With a margin or tolerances, which shorter intervals do not reduce, the nearest features may be two
            // vertices, or a vertex and an edge.
            (Hull::Triangle(x), Hull::Triangle(y)) if margin_m > 0.0 || beside > self.way_m() + other.way_m() => {
                let nearest = nearest(*x, *y, 0.0);
                consider(nearest.on_b - nearest.on_a);
            }
            _ => consider(b.centre() - a.centre()),
        }
        (widest > 0.0).then(|| self.short_axis(other, best, margin_m))
    }

    /// The shortest form of an axis that still separates.
    fn short_axis(&self, other: &Self, n: DVec3, margin_m: f64) -> Axis {
        let unit = n / n.abs().max_element();
        for (scale, make) in [(127.0, Axis::Byte as fn(DVec3) -> Axis), (32767.0, Axis::Short)] {
            let rounded = (unit * scale).round();
            if self.gap(other, rounded, margin_m) > 0.0 {
                return make(rounded);
            }
        }
        Axis::Full(if self.gap(other, unit, margin_m) > 0.0 { unit } else { n })
    }
}

/// An axis, with integers of up to 8 or 16 bits, or any numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// Three numbers from -127 to 127.
    Byte(DVec3),
    /// Three numbers from -32767 to 32767.
    Short(DVec3),
    /// Any three numbers.
    Full(DVec3),
}
