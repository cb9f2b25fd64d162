//! The earliest time at which two moving features can meet, by interval boxes alone.
//!
//! A contact of a vertex with a face, or of two edges, is a zero of a difference of two positions in three unknowns:
//! the time and two feature parameters. The region of the unknowns is bisected; a part whose difference box misses zero
//! is discarded. Parts are processed in order of time, so that the first part that is too small to be bisected gives a
//! time before which there is provably no contact. The solver uses no derivatives and no signs of determinants.
//!
//! Axis-parallel boxes are poor at separating two slanted features that are close to each other: therefore a part is
//! also discarded if all its differences are on one side of zero along the normal of the two features (this can be
//! turned off).

use super::interval::{Box3, Interval};
use super::poses::{Points, add, hull, subtract};
use super::triangles;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// Two features, as indices of their points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    VertexFace(usize, [usize; 3]),
    EdgeEdge([usize; 2], [usize; 2]),
}

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A part is small if its three widths are below this.
    pub part: f64,
    /// A part is also small if the three widths of its difference box are below this.
    pub difference: f64,
    /// True to also test the direction of the normal.
    pub normals: bool,
    /// Maximum number of boxes to process.
    pub cap: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { part: 1e-9, difference: 1e-9, normals: true, cap: 2_000_000 }
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Proved: no contact in [0, 1].
    Free,
    /// Proved: no contact before `t_lo`. Then or soon after the features come within `gap` of each other.
    Possible { t_lo: f64, gap: f64, equation: usize },
    /// Too many boxes. Proved: no contact before `clear_until`.
    Capped { clear_until: f64 },
}

impl Answer {
    /// Proved: no contact before this time.
    pub fn clear_until(&self) -> f64 {
        match *self {
            Answer::Free => 1.0,
            Answer::Possible { t_lo, .. } => t_lo,
            Answer::Capped { clear_until } => clear_until,
        }
    }
}

/// The six vertex-face and nine edge-edge equations of two triangles with the corners 0 to 2 and 3 to 5.
pub fn equations_of_two_triangles() -> Vec<Equation> {
    let mut out = Vec::new();
    for i in 0..3 {
        out.push(Equation::VertexFace(i, [3, 4, 5]));
        out.push(Equation::VertexFace(3 + i, [0, 1, 2]));
        for j in 0..3 {
            out.push(Equation::EdgeEdge([i, (i + 1) % 3], [3 + j, 3 + (j + 1) % 3]));
        }
    }
    out
}

/// The earliest time at which two moving triangles (points 0 to 2 and 3 to 5) can meet; a possible overlap at the start
/// gives `Possible` with `t_lo` 0.
pub fn triangles(points: &dyn Points, limits: Limits) -> Answer {
    if !apart(&points.boxes(Interval::ZERO)) {
        return Answer::Possible { t_lo: 0.0, gap: 0.0, equation: usize::MAX };
    }
    first(points, &equations_of_two_triangles(), limits)
}

/// Returns whether two triangles of six small boxes are certainly disjoint: some axis separates them.
pub fn apart(corners: &[Box3]) -> bool {
    let p: Vec<DVec3> = corners.iter().map(|b| DVec3::from_array(b.map(Interval::middle))).collect();
    axes(&[p[0], p[1], p[2]], &[p[3], p[4], p[5]]).into_iter().any(|axis| {
        let along = |b: &Box3| b[0] * axis.x + b[1] * axis.y + b[2] * axis.z;
        let range = |part: &[Box3]| part.iter().map(along).reduce(Interval::hull).expect("corners");
        let (a, b) = (range(&corners[..3]), range(&corners[3..]));
        a.hi < b.lo || b.hi < a.lo
    })
}

/// Axes of which one separates two triangles that are not too close to each other.
pub fn axes(x: &[DVec3; 3], y: &[DVec3; 3]) -> Vec<DVec3> {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (ex, ey) = (edges(x), edges(y));
    let (nx, ny) = (ex[0].cross(ex[1]), ey[0].cross(ey[1]));
    let (c, d) = triangles::closest(x, y);
    let mut axes = vec![nx, ny, c - d];
    for e in ex {
        axes.push(e.cross(nx));
        axes.extend(ey.map(|f| e.cross(f)));
    }
    axes.extend(ey.map(|f| f.cross(ny)));
    axes
}

/// The earliest time at which one of several pairs of features can meet.
pub fn first(points: &dyn Points, equations: &[Equation], limits: Limits) -> Answer {
    let mut search =
        Search { points, equations, limits, boxes: HashMap::new(), queue: BinaryHeap::new(), looked_at: 0 };
    for equation in 0..equations.len() {
        search.offer(Part { equation, depth: 0, t: (0.0, 1.0), u: (0.0, 1.0), v: (0.0, 1.0), size: 0.0 });
    }
    while let Some(part) = search.queue.pop() {
        let widths = [part.t, part.u, part.v].map(|(a, b)| b - a);
        if part.size <= limits.difference || widths.iter().all(|w| *w <= limits.part) {
            return Answer::Possible { t_lo: part.t.0, gap: part.size * 3.0_f64.sqrt(), equation: part.equation };
        }
        if search.looked_at >= limits.cap {
            return Answer::Capped { clear_until: part.t.0 };
        }
        search.cut(part);
    }
    Answer::Free
}

/// A part of the region of the unknowns of one equation.
#[derive(Clone, Copy, Debug)]
struct Part {
    equation: usize,
    depth: u32,
    t: (f64, f64),
    u: (f64, f64),
    v: (f64, f64),
    /// Largest width of the difference box.
    size: f64,
}

struct Search<'a> {
    points: &'a dyn Points,
    equations: &'a [Equation],
    limits: Limits,
    /// Boxes of all points, by interval of time.
    boxes: HashMap<(u64, u64), Vec<Box3>>,
    queue: BinaryHeap<Part>,
    looked_at: usize,
}

impl Search<'_> {
    fn at(&mut self, t: (f64, f64)) -> &[Box3] {
        if self.boxes.len() > 100_000 {
            self.boxes.clear();
        }
        let points = self.points;
        self.boxes.entry((t.0.to_bits(), t.1.to_bits())).or_insert_with(|| points.boxes(Interval::new(t.0, t.1)))
    }

    /// Queues the part unless it provably contains no contact.
    fn offer(&mut self, mut part: Part) {
        self.looked_at += 1;
        let (equation, normals) = (self.equations[part.equation], self.limits.normals);
        let boxes = self.at(part.t);
        let corners = differences(equation, boxes, part.u, part.v);
        let Some(all) = corners.iter().copied().reduce(hull) else { return };
        if !all.iter().all(|d| d.has(0.0)) {
            return;
        }
        if normals {
            let n = normal(equation, boxes);
            let along = corners.iter().map(|d| d[0] * n.x + d[1] * n.y + d[2] * n.z).reduce(Interval::hull);
            if along.is_some_and(|a| !a.has(0.0)) {
                return;
            }
        }
        part.size = all.iter().map(|d| d.width()).fold(0.0, f64::max);
        self.queue.push(part);
    }

    /// Bisects along one unknown: alternately the one that contributes most to the width of the difference box, and the
    /// one that contributes most to its containing zero.
    fn cut(&mut self, part: Part) {
        let equation = self.equations[part.equation];
        let boxes = self.at(part.t);
        let by = widths(equation, boxes, part.u, part.v);
        let d = differences(equation, boxes, part.u, part.v).into_iter().reduce(hull).expect("a part of the features");
        let score = |by: [f64; 3]| match part.depth % 2 {
            0 => (0..3).map(|k| by[k] / (d[k].hi.min(-d[k].lo) + 0.01 * d[k].width())).fold(0.0, f64::max),
            _ => by.into_iter().fold(0.0, f64::max),
        };
        let least = self.limits.part / 8.0;
        let weight = |(a, b): (f64, f64), by: [f64; 3]| if b - a <= least { -1.0 } else { score(by) };
        let (t, u, v) = (weight(part.t, by[0]), weight(part.u, by[1]), weight(part.v, by[2]));
        let half = |(a, b): (f64, f64)| {
            let m = 0.5 * (a + b);
            [(a, m), (m, b)]
        };
        let part = Part { depth: part.depth + 1, ..part };
        let halves = if t >= u && t >= v {
            half(part.t).map(|t| Part { t, ..part })
        } else if u >= v {
            half(part.u).map(|u| Part { u, ..part })
        } else {
            half(part.v).map(|v| Part { v, ..part })
        };
        halves.into_iter().for_each(|p| self.offer(p));
    }
}

/// Approximate contributions of the time and of the two parameters to each width of the difference box.
fn widths(equation: Equation, x: &[Box3], u: (f64, f64), v: (f64, f64)) -> [[f64; 3]; 3] {
    let own = |i: usize| x[i].map(|c| c.hi - c.lo);
    let larger = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|k| a[k].max(b[k])) };
    let sum = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|k| a[k] + b[k]) };
    let along = |a: usize, b: usize, (lo, hi): (f64, f64)| -> [f64; 3] {
        std::array::from_fn(|k| (x[b][k].middle() - x[a][k].middle()).abs() * (hi - lo))
    };
    match equation {
        Equation::VertexFace(p, [a, b, c]) => {
            [sum(own(p), larger(own(a), larger(own(b), own(c)))), along(a, b, u), along(a, c, v)]
        }
        Equation::EdgeEdge([a, b], [c, d]) => {
            [sum(larger(own(a), own(b)), larger(own(c), own(d))), along(a, b, u), along(c, d, v)]
        }
    }
}

/// A direction in which features tend to be separated: any direction is valid, so plain rounding is sufficient.
fn normal(equation: Equation, x: &[Box3]) -> DVec3 {
    let at = |i: usize| DVec3::from_array(x[i].map(Interval::middle));
    match equation {
        Equation::VertexFace(_, [a, b, c]) => (at(b) - at(a)).cross(at(c) - at(a)),
        Equation::EdgeEdge([a, b], [c, d]) => (at(b) - at(a)).cross(at(d) - at(c)),
    }
}

/// Boxes of the difference of the two positions at some parameters whose hull contains all parameters of the part that
/// belong to the features; empty if no parameters do. The difference is affine in each parameter, so its values are
/// within the hull of these boxes.
fn differences(equation: Equation, x: &[Box3], u: (f64, f64), v: (f64, f64)) -> Vec<Box3> {
    match equation {
        Equation::EdgeEdge([a, b], [c, d]) => {
            let at =
                |a: usize, b: usize, s: f64| -> Box3 { std::array::from_fn(|i| x[a][i] * (1.0 - s) + x[b][i] * s) };
            let (p, q) = ([at(a, b, u.0), at(a, b, u.1)], [at(c, d, v.0), at(c, d, v.1)]);
            p.iter().flat_map(|p| q.iter().map(|q| subtract(*p, *q))).collect()
        }
        Equation::VertexFace(p, [a, b, c]) => {
            // u and v are multiples of about 2^-40, so these sums are exact
            if u.0 + v.0 > 1.0 {
                return Vec::new();
            }
            let (u1, v1) = (u.1.min(1.0 - v.0), v.1.min(1.0 - u.0));
            let mut corners = vec![(u.0, v.0), (u1, v.0), (u.0, v1)];
            if u1 + v1 > 1.0 {
                corners.extend([(u1, 1.0 - u1), (1.0 - v1, v1)]);
            } else {
                corners.push((u1, v1));
            }
            let at = |(u, v): (f64, f64)| -> Box3 {
                let rest: Box3 = std::array::from_fn(|i| x[a][i] * (1.0 - u - v));
                add(rest, std::array::from_fn(|i| x[b][i] * u + x[c][i] * v))
            };
            corners.into_iter().map(|c| subtract(x[p], at(c))).collect()
        }
    }
}

impl Ord for Part {
    /// Greater is earlier; at equal times, deeper.
    fn cmp(&self, other: &Self) -> Ordering {
        let later = self.t.0.total_cmp(&other.t.0);
        later.reverse().then(self.depth.cmp(&other.depth)).then(other.equation.cmp(&self.equation))
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}

#[cfg(test)]
mod tests {
    use super::super::chain::{self, Part as Joint};
    use super::super::poses::{Articulated, Straight};
    use super::*;
    use glam::DMat3;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    const FACE: Equation = Equation::VertexFace(0, [1, 2, 3]);
    const EDGES: Equation = Equation::EdgeEdge([0, 1], [2, 3]);

    fn points(p: &[[f64; 3]]) -> Vec<DVec3> {
        p.iter().copied().map(DVec3::from_array).collect()
    }

    /// A body on some chain against points at rest.
    fn against(chain: Vec<Joint>, moving: &[[f64; 3]], resting: &[[f64; 3]]) -> Articulated {
        Articulated { bodies: vec![(chain, points(moving)), (vec![], points(resting))] }
    }

    /// A turn about z by w.
    fn turning(w: f64) -> Vec<Joint> {
        vec![Joint::new(DVec3::Z, DMat3::IDENTITY, DVec3::ZERO, DVec3::ZERO, w)]
    }

    fn possible_at(answer: Answer, t: f64, early: f64) {
        let Answer::Possible { t_lo, .. } = answer else { panic!("{answer:?}") };
        assert!(t_lo <= t && t_lo > t - early, "{t_lo} for {t}");
    }

    #[test]
    fn the_reference_chain_meets_a_face_and_an_edge_when_published() {
        let (chain, e) = chain::reference();
        let vertex = against(chain.clone(), &[e.to_array()], &[[1.5, 0.3, 0.75], [2.0, 0.35, 0.8], [1.7, 0.55, 0.95]]);
        possible_at(first(&vertex, &[FACE], Limits::default()), 0.420_922_870_640_332_86, 1e-8);
        let edge = against(chain, &[e.to_array(), [-0.25, -0.125, 0.25]], &[[1.36, 0.25, 1.27], [1.61, 0.8, 0.77]]);
        possible_at(first(&edge, &[EDGES], Limits::default()), 0.596_263_512_217_447_59, 1e-8);
    }

    #[test]
    fn grazing_and_sliding_as_published() {
        let (cos, sin) = (0.5_f64.cos(), 0.5_f64.sin());
        let graze = |g: f64| {
            let x = 1.0 - g;
            let plane = [[x, -0.2, -0.1], [x, 0.3, -0.1], [x, 0.0, 0.3]];
            first(&against(turning(1.0), &[[cos, -sin, 0.01]], &plane), &[FACE], Limits::default())
        };
        possible_at(graze(1e-6), 0.498_585_786_319_775_75, 1e-6);
        possible_at(graze(1e-10), 0.499_985_857_864_376_15, 1e-4);
        possible_at(graze(0.0), 0.5, 1e-4);
        assert_eq!(graze(-1e-8), Answer::Free);

        let slide = |z: f64| {
            let face = [[0.95, -0.05, 0.0], [1.05, 0.05, 0.0], [0.95, 0.05, 0.0]];
            first(&against(turning(1.0), &[[0.9, -0.5, z]], &face), &[FACE], Limits::default())
        };
        possible_at(slide(0.0), 0.535_415_526_163_580_09, 1e-8);
        assert_eq!(slide(1e-6), Answer::Free);
        assert_eq!(slide(1e-8), Answer::Free);
        // a needle that is slanted in the plane of the motion: neither an axis of the box nor the normal helps, so the
        // cap is reached
        let needle = [[0.95, -0.05, 0.0], [1.05, 0.05, 0.0], [1.0, 0.0, 0.0]];
        let limits = Limits { cap: 200_000, ..Limits::default() };
        let needle = first(&against(turning(1.0), &[[0.9, -0.5, 0.0]], &needle), &[FACE], limits);
        assert!((0.535_415_526_163_580_09 - needle.clear_until()).abs() < 1e-5, "{needle:?}");
        assert!(needle.clear_until() <= 0.535_415_526_163_580_09);
    }

    #[test]
    fn parallel_edges_many_turns_and_falling_as_published() {
        let parallel = |x: f64| {
            let moving = [[0.9, -0.5, -0.1], [0.9, -0.5, 0.1]];
            first(&against(turning(1.0), &moving, &[[x, 0.0, -0.1], [x, 0.0, 0.1]]), &[EDGES], Limits::default())
        };
        possible_at(parallel(1.0295630140987), 0.507_098_504_392_337_01, 1e-5);
        assert_eq!(parallel(1.0305630140987), Answer::Free);
        let face = [[1.0, -0.1, 0.0], [1.0, 0.1, 0.0], [1.1, 0.0, 0.3]];
        let turns = first(&against(turning(15.7), &[[0.9, -0.5, 0.1]], &face), &[FACE], Limits::default());
        assert_eq!(turns, Answer::Free);
        let falling = Joint::new(DVec3::Z, DMat3::IDENTITY, DVec3::ZERO, DVec3::new(0.0, 0.0, -1.0), 0.0);
        let face = [[0.95, -0.05, 0.0], [1.05, 0.05, 0.0], [0.95, 0.05, 0.0]];
        let falling = first(&against(vec![falling], &[[0.95, 0.01, 0.5]], &face), &[FACE], Limits::default());
        possible_at(falling, 0.5, 1e-8);
    }

    #[test]
    fn a_pair_at_rest() {
        let at = |z: f64| {
            let x = [[0.1, 0.1, z], [0.3, 0.1, z + 1.0], [0.1, 0.3, z + 1.0]];
            let y = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            triangles(&against(vec![], &x, &y), Limits::default())
        };
        assert_eq!(at(-0.5).clear_until(), 0.0);
        assert_eq!(at(0.0).clear_until(), 0.0);
        assert_eq!(at(1e-12), Answer::Free);
        assert_eq!(at(1e-6), Answer::Free);
    }

    #[test]
    fn two_triangles_that_approach_on_straight_lines() {
        // the lowest corner of one falls through the other at t = 1/4
        let start = points(&[
            [0.2, 0.2, 0.5],
            [0.2, 0.3, 1.0],
            [0.3, 0.2, 1.0],
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
        ]);
        let end = start.iter().enumerate().map(|(i, p)| if i < 3 { *p - DVec3::Z * 2.0 } else { *p }).collect();
        possible_at(triangles(&Straight { start, end }, Limits::default()), 0.25, 1e-8);
    }

    /// Random pairs on random chains: no piercing before the time that is proved clear, and the features are really
    /// close at a time that is reported as possible.
    #[test]
    fn sampled_motions_agree() {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        let mut number = || (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let (mut met, mut free) = (0, 0);
        for round in 0..150 {
            let mut vector = || DVec3::new(number(), number(), number());
            let mut chain = || -> Vec<Joint> {
                let joint = |_| {
                    let (u, r, slide) = (vector().normalize(), vector().normalize(), vector());
                    let (c, s) = (0.2 * vector(), if slide.x > 0.5 { 0.3 * slide } else { DVec3::ZERO });
                    Joint::new(u, DMat3::from_axis_angle(r, slide.y), c, s, slide.z)
                };
                (0..1 + round % 4).map(joint).collect()
            };
            let (x, y) = (chain(), if round % 2 == 0 { chain() } else { vec![] });
            let mut triangle = || [vector(), vector(), vector()].map(|p| 0.6 * p);
            let (p, q) = (triangle(), triangle());
            let points = Articulated { bodies: vec![(x.clone(), p.to_vec()), (y.clone(), q.to_vec())] };
            let answer = triangles(&points, Limits::default());
            let at = |t: f64| (p.map(|v| chain::position(&x, t, v)), q.map(|v| chain::position(&y, t, v)));
            let pierced = (0..=2000).map(|k| f64::from(k) / 2000.0).find(|t| triangles::pierce(&at(*t).0, &at(*t).1));
            match answer {
                Answer::Free => {
                    assert_eq!(pierced, None);
                    free += 1;
                }
                Answer::Possible { t_lo, .. } => {
                    assert!(pierced.is_none_or(|t| t >= t_lo), "{answer:?} {pierced:?}");
                    assert!(triangles::distance(&at(t_lo).0, &at(t_lo).1) < 1e-7, "{answer:?}");
                    met += 1;
                }
                Answer::Capped { .. } => panic!("{answer:?}"),
            }
            if round % 10 == 0 {
                let boxes_alone = triangles(&points, Limits { normals: false, ..Limits::default() });
                assert!((boxes_alone.clear_until() - answer.clear_until()).abs() < 1e-6, "{boxes_alone:?} {answer:?}");
            }
        }
        assert!(met > 40 && free > 40, "{met} met, {free} free");
    }

    #[test]
    fn a_capped_search_is_never_free() {
        let face = [[0.95, -0.05, 0.0], [1.05, 0.05, 0.0], [0.95, 0.05, 0.0]];
        let slide = against(turning(1.0), &[[0.9, -0.5, 0.0]], &face);
        for cap in [1, 10, 100] {
            let answer = first(&slide, &[FACE], Limits { cap, ..Limits::default() });
            assert!(matches!(answer, Answer::Capped { clear_until } if clear_until <= 0.535_415_526_163_580_09));
        }
    }
}
