//! Elementary queries: four points that move linearly, the motion of public query sets. They use the same search,
//! contraction and certificates as pairs of triangles, with a second kind of motion.

use super::search::{Active, Found, Search, System, Task};
use super::{SolveCounts, SolveOptions};
use crate::arith::linear::V3;
use crate::enclosure::point_bound::PointBound;
use crate::predicate::contraction::{Side, Window, edge_moving_edge, vertex_moving_face};
use crate::predicate::features::{nearest_in_triangle, nearest_of_segments};
use crate::predicate::vf_ee::{Points, is_inside, sign};
use glam::DVec3;

pub use crate::predicate::vf_ee::Kind;

/// Four points that move linearly, from `t = 0` to `t = 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Positions at the start, metres; in the order of [`Kind`].
    pub start: [DVec3; 4],
    /// Positions at the end.
    pub end: [DVec3; 4],
}

/// The answer to a query; like [`Verdict`](crate::verdict::Verdict), without features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The features do not touch at any time.
    Free,
    /// They touch, or are so close that contact can be neither proved nor excluded.
    Contact {
        /// Enclosure of the time of first contact.
        toc: [f64; 2],
        /// A contact exists.
        proved: bool,
        /// The contact is proved, and the enclosure is as narrow as requested.
        certified: bool,
    },
    /// The evaluation cap ended the search; nothing touches before this time.
    Undecided {
        /// See the variant.
        clear_until: f64,
    },
}

/// Solves one query.
pub fn solve(kind: Kind, query: &Query, options: &SolveOptions) -> Answer {
    let mut system = Linear::new(kind, query, options.margin_m);
    let eps_t = options.tolerance.max(options.floor_m / system.relative_speed).min(1.0);
    let task = Task { eps_t, cap: options.evaluation_cap, proof_is_enough: false };
    let active = vec![Active { item: 0, lo: 0.0, hi: 1.0 }];
    match Search::default().run(&mut system, &task, &active, &mut SolveCounts::default()) {
        Found::Nothing => Answer::Free,
        Found::Contact { lo, proof, .. } => {
            let (hi, proved) = proof.map_or((1.0, false), |t| (t, true));
            Answer::Contact { toc: [lo, hi], proved, certified: proved && hi - lo <= eps_t }
        }
        Found::Capped { clear_until, proved_until: Some((_, t)) } => {
            Answer::Contact { toc: [clear_until, t], proved: true, certified: false }
        }
        Found::Capped { clear_until, proved_until: None } => Answer::Undecided { clear_until },
    }
}

/// One query as the only item of a search.
#[derive(Debug)]
struct Linear {
    kind: Kind,
    start: Points,
    /// The rounded displacements, and a bound on the distance of a point from `start + t slide` at any time, metres.
    slide: Points,
    error: f64,
    /// Bounds on the points' own speeds, and on those of one feature's points relative to the other's, metres.
    speed: f64,
    relative_speed: f64,
    margin_m: f64,
    now: [PointBound<f64>; 4],
}

impl Linear {
    fn new(kind: Kind, query: &Query, margin_m: f64) -> Self {
        let (start, end) = (query.start.map(V3::new), query.end.map(V3::new));
        let slide: Points = std::array::from_fn(|i| end[i] - start[i]);
        let size = (0..4).fold(0.0, |m: f64, i| m.max(start[i].norm_bound() + end[i].norm_bound()));
        let speed = slide.iter().fold(0.0, |m: f64, v| m.max(v.norm_bound()));
        let still = PointBound { c: [V3::zero(); 3], ball: 0.0, cube: V3::zero() };
        let n = if kind == Kind::VertexFace { 1 } else { 2 };
        let across = slide[..n].iter().flat_map(|a| slide[n..].iter().map(move |b| *a - *b));
        let relative_speed = across.fold(0.0, |m: f64, v| m.max(v.dot(v).sqrt()));
        // The difference rounds once, the product with the time once, the sum once: 1.5 units of the sizes, with some
        // reserve.
        Self { kind, start, slide, error: 4.0 * f64::EPSILON * size, speed, relative_speed, margin_m, now: [still; 4] }
    }

    fn at(&self, t: f64) -> Points {
        std::array::from_fn(|i| self.start[i] + self.slide[i].times(t))
    }

    fn bounds(&self, mid: f64) -> [PointBound<f64>; 4] {
        let at = self.at(mid);
        std::array::from_fn(|i| PointBound {
            c: [at[i], self.slide[i], V3::zero()],
            ball: self.error,
            cube: V3::zero(),
        })
    }

    /// The nearest points of the two features.
    fn nearest(&self, p: &Points) -> (DVec3, DVec3) {
        let [a, b, c, d] = p.map(|p| DVec3::from_array(p.0));
        match self.kind {
            Kind::VertexFace => (a, nearest_in_triangle(a, [b, c, d])),
            Kind::EdgeEdge => nearest_of_segments(a, b, c, d),
        }
    }

    /// The window by the axes of the kind, and, if it is still wide, by the direction between the nearest points, which
    /// handles features without an area and features in a common plane.
    fn window(&self, h: f64, look: f64, with_nearest: bool) -> Window<f64> {
        let p = &self.now;
        let (origin, margin_m) = (p[1].c[0], self.margin_m);
        let direction = || {
            let (x, y) = self.nearest(&std::array::from_fn(|i| p[i].c[0] - origin + p[i].c[1].times(look)));
            V3::new(x - y)
        };
        match self.kind {
            Kind::VertexFace => {
                let x = Side::new(&[p[0]], origin, h, look, margin_m);
                let y = Side::new(&[p[1], p[2], p[3]], origin, h, look, 0.0);
                let mut window = vertex_moving_face(&x, &y, h, 1);
                if with_nearest || window.hi - window.lo > h {
                    window.cut(direction(), &x, &y, 1);
                }
                window
            }
            Kind::EdgeEdge => {
                let x = Side::new(&[p[0], p[1]], origin, h, look, margin_m);
                let y = Side::new(&[p[2], p[3]], origin, h, look, 0.0);
                let mut window = edge_moving_edge(&x, &y, h, 1);
                if with_nearest || window.hi - window.lo > h {
                    window.cut(direction(), &x, &y, 1);
                }
                window
            }
        }
    }
}

impl System for Linear {
    fn bound(&mut self, _: &[Active], mid: f64, _: f64) -> u64 {
        self.now = self.bounds(mid);
        0
    }

    fn depth(&self, _: u32) -> u32 {
        0
    }

    fn contract_all(&self, items: &[Active], h: f64, look: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        windows.extend(items.iter().map(|_| self.window(h, look, self.margin_m > 0.0)));
    }

    fn is_still(&self, _: u32, _: f64, h: f64) -> bool {
        h * self.speed <= 2.0 * self.error
    }

    fn settle_all(&self, items: &[Active], h: f64, windows: &mut Vec<Window<f64>>) {
        windows.clear();
        windows.extend(items.iter().map(|_| self.window(h, 0.0, true)));
    }

    /// Only contacts with a margin can be proved at a single time: exact contact of the features lasts only for a
    /// moment.
    fn meets(&self, _: u32) -> bool {
        let (x, y) = self.nearest(&self.now.map(|p| p.c[0]));
        self.margin_m > 0.0 && x.distance(y) + 16.0 * self.error <= self.margin_m
    }

    fn meets_within(&self, _: u32, t0: f64, t1: f64) -> bool {
        let mid = 0.5 * (t0 + t1);
        let half = (t1 - mid).max(mid - t0) * (1.0 + 2.0 * f64::EPSILON);
        let rad = (self.error + half * self.speed) * (1.0 + 1e-12);
        is_inside(self.kind, &self.at(mid), rad)
            && sign(self.kind, &self.at(t0), self.error)
                .is_some_and(|s| sign(self.kind, &self.at(t1), self.error) == Some(!s))
    }

    /// The first root of the equation by a few secant steps between the ends.
    fn guess(&self, items: &[Active]) -> Option<f64> {
        let [Active { lo: from, hi: until, .. }] = *items else { return None };
        let value = |t: f64| {
            let [a, b, c, d] = self.at(t);
            match self.kind {
                Kind::VertexFace => (a - b).dot((c - b).cross(d - b)),
                Kind::EdgeEdge => (c - a).dot((b - a).cross(d - c)),
            }
        };
        let ((mut t0, mut t1), (mut f0, mut f1)) = ((from, until), (value(from), value(until)));
        if self.margin_m > 0.0 || !(f0 * f1 < 0.0) {
            return None;
        }
        // Illinois method: the value at an end that stays twice is halved.
        for _ in 0..8 {
            let t = t1 - f1 * (t1 - t0) / (f1 - f0);
            let f = value(t);
            if f * f1 < 0.0 {
                (t0, f0) = (t1, f1);
            } else {
                f0 *= 0.5;
            }
            let moved = (t - t1).abs();
            (t1, f1) = (t, f);
            if f == 0.0 || moved <= 1e-13 {
                break;
            }
        }
        Some(t1).filter(|t| *t > from && *t < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn falling(x: f64, y: f64, from: f64, to: f64) -> Query {
        let at = |z: f64| [DVec3::new(x, y, z), FLOOR[0], FLOOR[1], FLOOR[2]];
        Query { start: at(from), end: at(to) }
    }

    fn answer(kind: Kind, query: &Query) -> Answer {
        solve(kind, query, &SolveOptions::default())
    }

    #[test]
    fn a_vertex_falls_on_a_face_next_to_it_and_along_it() {
        let Answer::Contact { toc, certified: true, .. } = answer(Kind::VertexFace, &falling(0.25, 0.25, 3.0, -1.0))
        else {
            panic!("it falls through")
        };
        assert!(toc[0] <= 0.75 && toc[1] >= 0.75 && toc[1] - toc[0] <= 1e-9, "{toc:?}");
        assert_eq!(answer(Kind::VertexFace, &falling(0.75, 0.75, 3.0, -1.0)), Answer::Free);
        assert_eq!(answer(Kind::VertexFace, &falling(0.25, 0.25, 3.0, 0.5)), Answer::Free);
        // On the border no root is strictly inside, so it is found but not proved.
        let border = answer(Kind::VertexFace, &falling(0.5, 0.5, 3.0, -1.0));
        assert!(matches!(border, Answer::Contact { toc: [lo, 1.0], proved: false, .. } if (lo - 0.75).abs() < 1e-9));
    }

    #[test]
    fn edges_that_both_move() {
        let edge = |x: f64, z: f64| [DVec3::new(x, -1.0, z), DVec3::new(x, 1.0, z)];
        let bar = |z: f64| [DVec3::new(-1.0, 0.0, z), DVec3::new(1.0, 0.0, z)];
        let at = |x: f64, z: f64, w: f64| [edge(x, z), bar(w)].concat().try_into().expect("four points");
        // One edge falls by two and the other rises by one: from a distance of 1.5 they meet halfway.
        let query = Query { start: at(0.2, 1.0, -0.5), end: at(0.2, -1.0, 0.5) };
        assert!(matches!(answer(Kind::EdgeEdge, &query), Answer::Contact { toc: [lo, hi], certified: true, .. }
            if lo <= 0.5 && hi >= 0.5));
        let beside = Query { start: at(1.2, 1.0, -0.5), end: at(1.2, -1.0, 0.5) };
        assert_eq!(answer(Kind::EdgeEdge, &beside), Answer::Free);
    }

    #[test]
    fn a_margin_is_met_earlier() {
        let options = SolveOptions { margin_m: 0.5, ..SolveOptions::default() };
        let found = solve(Kind::VertexFace, &falling(0.25, 0.25, 3.0, -1.0), &options);
        assert!(
            matches!(found, Answer::Contact { toc: [lo, hi], certified: true, .. }
            if lo <= 0.625 && hi >= 0.625 && hi - lo <= 1e-9),
            "{found:?}"
        );
        // Next to the face, the distance to its border is 0.25 √2 = 0.3536 at height zero and √(0.125 + z²) at height
        // z.
        let found = solve(Kind::VertexFace, &falling(0.75, 0.75, 3.0, -1.0), &options);
        let t = (3.0 - 0.125f64.sqrt()) / 4.0;
        assert!(matches!(found, Answer::Contact { toc: [lo, hi], certified: true, .. }
            if lo <= t + 1e-15 && hi >= t - 1e-15 && hi - lo <= 1e-9));
    }
}
