//! Intersection of triangles, without rounding.
//!
//! All corners are exact; triangles may be needles or points, and may be coplanar. Triangles are closed: touching
//! counts as meeting.

use super::chain::Part;
use super::dyadic::{Dyadic, Exact3, cross, difference, dot, exact, scaled, sum, vanishes};
use glam::{DMat3, DVec3};
use std::cmp::Ordering;

/// Three exact corners.
pub type ExactTriangle = [Exact3; 3];

/// A quotient of two exact numbers with a positive denominator.
#[derive(Clone, Debug)]
pub struct Time {
    upper: Dyadic,
    lower: Dyadic,
}

/// A triangle of `f64` corners.
pub fn triangle(t: &[DVec3; 3]) -> ExactTriangle {
    t.map(exact)
}

/// Returns whether two triangles have a common point, which is the case iff an edge of one meets the other.
pub fn intersect(x: &ExactTriangle, y: &ExactTriangle) -> bool {
    let meets = |x: &ExactTriangle, y: &ExactTriangle| (0..3).any(|i| segment_meets(&x[i], &x[(i + 1) % 3], y));
    meets(x, y) || meets(y, x)
}

/// Returns whether the segment from `p` to `q` has a point in the triangle.
pub fn segment_meets(p: &Exact3, q: &Exact3, t: &ExactTriangle) -> bool {
    let moved = t.each_ref().map(|c| difference(c, p));
    first_on_triangle(&difference(q, p), &moved).is_some()
}

/// The time at which a triangle that moves by `s`, at constant speed from t = 0 to 1, first meets a triangle at rest.
///
/// At time t they meet iff t s is the difference of a point of `y` and a point of `x`. The boundary of the set of these
/// differences consists of corner-minus-triangle pieces and of edge-minus-edge parallelograms.
pub fn first_contact(x: &ExactTriangle, s: &Exact3, y: &ExactTriangle) -> Option<Time> {
    if intersect(x, y) {
        return Some(Time::new(Dyadic::zero(), Dyadic::from(1.0)));
    }
    let at = |i: usize, j: usize| difference(&y[j % 3], &x[i % 3]);
    let mut pieces = Vec::new();
    for i in 0..3 {
        pieces.push([at(i, 0), at(i, 1), at(i, 2)]);
        pieces.push([at(0, i), at(1, i), at(2, i)]);
        for j in 0..3 {
            pieces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
            pieces.push([at(i + 1, j + 1), at(i + 1, j), at(i, j + 1)]);
        }
    }
    pieces.iter().filter_map(|piece| first_on_triangle(s, piece)).min()
}

/// The time at which a vertex that moves by `s`, at constant speed from t = 0 to 1, first meets a triangle at rest.
pub fn first_vertex_face(v: &Exact3, s: &Exact3, t: &ExactTriangle) -> Option<Time> {
    first_on_triangle(s, &t.each_ref().map(|corner| difference(corner, v)))
}

/// The time at which an edge that moves by `s`, at constant speed from t = 0 to 1, first meets an edge at rest.
///
/// The differences of their points form a parallelogram: two triangles.
pub fn first_edge_edge(x: &[Exact3; 2], s: &Exact3, y: &[Exact3; 2]) -> Option<Time> {
    let at = |i: usize, j: usize| difference(&y[j], &x[i]);
    let halves = [[at(0, 0), at(1, 0), at(0, 1)], [at(1, 1), at(1, 0), at(0, 1)]];
    halves.iter().filter_map(|half| first_on_triangle(s, half)).min()
}

/// Least t in [0, 1] for which t s is in the triangle.
fn first_on_triangle(s: &Exact3, t: &ExactTriangle) -> Option<Time> {
    let [a, b, c] = t;
    let n = cross(&difference(b, a), &difference(c, a));
    let (height, rate) = (dot(&n, a), dot(&n, s));
    let inside = |point: &Exact3, unit: &Dyadic| {
        // point / unit against the three edges
        let side = |a: &Exact3, b: &Exact3| {
            let from = difference(point, &scaled(a, unit));
            dot(&n, &cross(&difference(b, a), &from)).sign() * unit.sign() >= 0
        };
        side(a, b) && side(b, c) && side(c, a)
    };
    if vanishes(&n) || rate.is_zero() {
        if !height.is_zero() {
            return None;
        }
        let one = Dyadic::from(1.0);
        let origin = [Dyadic::zero(), Dyadic::zero(), Dyadic::zero()];
        if !vanishes(&n) && inside(&origin, &one) {
            return Some(Time::new(Dyadic::zero(), one));
        }
        return [(a, b), (b, c), (c, a)].into_iter().filter_map(|(a, b)| first_on_segment(s, a, b)).min();
    }
    let time = Time::new(height.clone(), rate.clone());
    (time.within_unit() && inside(&scaled(s, &height), &rate)).then_some(time)
}

/// Least t in [0, 1] for which t s is on the segment from `a` to `b`.
fn first_on_segment(s: &Exact3, a: &Exact3, b: &Exact3) -> Option<Time> {
    let e = difference(b, a);
    let n = cross(s, &e);
    if !vanishes(&n) {
        // t s = a + u e: the lines cross only if a is in the plane of s and e
        if !dot(a, &n).is_zero() {
            return None;
        }
        let nn = dot(&n, &n);
        let t = Time::new(dot(&cross(a, &e), &n), nn.clone());
        let u = Time::new(dot(&cross(a, s), &n), nn);
        return (t.within_unit() && u.within_unit()).then_some(t);
    }
    let zero = || Time::new(Dyadic::zero(), Dyadic::from(1.0));
    if vanishes(s) {
        // the origin alone: on the segment iff it is on its line and not beyond an end
        let on = vanishes(&cross(a, b)) && dot(a, b).sign() <= 0;
        return on.then(zero);
    }
    if !vanishes(&cross(a, s)) {
        return None;
    }
    let along = |p: &Exact3| Time::new(dot(p, s), dot(s, s));
    let (from, to) = (along(a).min(along(b)), along(a).max(along(b)));
    let first = from.max(zero());
    (first <= to && first.within_unit()).then_some(first)
}

impl Time {
    fn new(upper: Dyadic, lower: Dyadic) -> Self {
        if lower.sign() < 0 { Self { upper: -&upper, lower: -&lower } } else { Self { upper, lower } }
    }

    fn within_unit(&self) -> bool {
        self.upper.sign() >= 0 && self.upper <= self.lower
    }

    /// Two equal or neighbouring `f64` numbers that enclose the time, which must not be negative; for times below
    /// 1e-290, 0 and 1e-290.
    pub fn enclosure(&self) -> (f64, f64) {
        if self.upper.is_zero() {
            return (0.0, 0.0);
        }
        let (a, b) = self.upper.aligned(&self.lower);
        // a quotient of 62 to 64 bits, of which the upper 53 are kept
        let shift = 63 - (a.bits() as i64 - b.bits() as i64);
        let (a, b) = if shift >= 0 { (a << shift as u64, b) } else { (a, b << (-shift) as u64) };
        let quotient = u64::try_from(&a / &b).expect("64 bits");
        let exact = quotient * &b == a;
        let drop = 64 - quotient.leading_zeros() - 53;
        let kept = quotient >> drop;
        let lo = kept as f64 * 2.0_f64.powi(i32::try_from(i64::from(drop) - shift).expect("a small exponent"));
        if lo < 1e-290 {
            return (0.0, 1e-290);
        }
        let whole = exact && kept << drop == quotient;
        (lo, if whole { lo } else { lo.next_up() })
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.upper * &other.lower).cmp(&(&other.upper * &self.lower))
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Time {}

/// The position of a point of a chain's last joint at t = 0, where the poses are rational.
pub fn start(chain: &[Part], p: DVec3) -> Exact3 {
    chain.iter().rev().fold(exact(p), |p, part| sum(&turned(part, &p), &exact(part.c)))
}

/// Start and displacement of a point of a chain in which nothing turns.
///
/// # Panics
/// A joint turns.
pub fn translation(chain: &[Part], p: DVec3) -> (Exact3, Exact3) {
    assert!(chain.iter().all(|part| part.w == 0.0), "a joint turns");
    let none = [Dyadic::zero(), Dyadic::zero(), Dyadic::zero()];
    let travel = chain.iter().rev().fold(none, |v, part| sum(&turned(part, &v), &exact(part.s)));
    (start(chain, p), travel)
}

/// A + C times a vector.
fn turned(part: &Part, p: &Exact3) -> Exact3 {
    let row = |m: &DMat3, i: usize| exact(m.row(i));
    std::array::from_fn(|i| &dot(&row(&part.a, i), p) + &dot(&row(&part.k, i), p))
}

#[cfg(test)]
mod tests {
    use super::super::data;
    use super::super::inclusion::{self, Answer, Equation, Limits};
    use super::super::poses::Articulated;
    use super::super::queries::{self, Known};
    use super::super::triangles;
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    fn of(t: [[f64; 3]; 3]) -> ExactTriangle {
        triangle(&t.map(DVec3::from_array))
    }

    const FLOOR: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn triangles_by_hand() {
        let tiny = f64::from_bits(1);
        for (other, expected) in [
            ([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]], true), // through
            ([[0.2, 0.2, 0.0], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]], true),  // a corner on the face
            ([[0.2, 0.2, tiny], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]], false), // a corner slightly above it
            ([[0.5, 0.5, -1.0], [0.5, 0.5, 1.0], [5.0, 5.0, 0.0]], true), // an edge through the edge
            ([[0.5, 0.5 + 5e-17, 0.0], [2.0, 2.0, 1.0], [2.0, 3.0, 1.0]], true), // 0.5 + 5e-17 is 0.5
            ([[0.5, 0.5 + 2e-16, 0.0], [2.0, 2.0, 1.0], [2.0, 3.0, 1.0]], false),
            ([[0.1, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.2, 0.0]], true), // inside, in the plane
            ([[-9.0, -9.0, 0.0], [30.0, -9.0, 0.0], [-9.0, 30.0, 0.0]], true), // around, in the plane
            ([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]], true), // corner to corner, in the plane
            ([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [2.0, 2.0, 0.0]], false), // next to it, in the plane
            ([[0.2, 0.2, 1.0], [0.2, 0.2, -1.0], [0.2, 0.2, 0.5]], true), // a needle through
            ([[0.0, 0.5, 1.0], [0.0, 0.5, -1.0], [0.0, 0.5, 3.0]], true), // a needle through an edge
            ([[2.0, 0.0, 0.0], [0.5, 0.0, 0.0], [3.0, 0.0, 0.0]], true), // a needle along an edge
            ([[0.25, 0.25, 0.0]; 3], true),                              // a point on the face
            ([[0.25, 0.25, 1e-300]; 3], false),
            ([[0.0, 1.0, 0.0]; 3], true), // a point on a corner
        ] {
            assert_eq!(intersect(&of(FLOOR), &of(other)), expected, "{other:?}");
            assert_eq!(intersect(&of(other), &of(FLOOR)), expected, "{other:?}");
        }
        let point = |x: f64| of([[x, 0.5, 0.25]; 3]);
        assert!(intersect(&point(0.1), &point(0.1)) && !intersect(&point(0.1), &point(0.2)));
    }

    #[test]
    fn first_contact_by_hand() {
        let s = |x: f64, y: f64, z: f64| exact(DVec3::new(x, y, z));
        let when = |x: [[f64; 3]; 3], v: Exact3| first_contact(&of(x), &v, &of(FLOOR)).map(|t| t.enclosure());
        let third = (1.0_f64 / 3.0, (1.0_f64 / 3.0).next_up());
        let above = [[0.2, 0.2, 1.0], [0.2, 0.3, 2.0], [0.3, 0.2, 2.0]];
        assert_eq!(when(above, s(0.0, 0.0, -4.0)), Some((0.25, 0.25)));
        assert_eq!(when(above, s(0.0, 0.0, -3.0)), Some(third));
        assert_eq!(when(above, s(0.0, 0.0, -0.5)), None);
        assert_eq!(when(above, s(0.0, 0.0, -1.0)), Some((1.0, 1.0)));
        assert_eq!(when(above, s(0.0, 0.0, 4.0)), None);
        assert_eq!(when(above, s(0.0, 0.0, 0.0)), None);
        assert_eq!(when(FLOOR, s(0.0, 0.0, 0.0)), Some((0.0, 0.0)));
        // in the plane: the nearest corner reaches the slanted edge x + y = 1
        let beside = [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [2.0, 2.0, 0.0]];
        assert_eq!(when(beside, s(-1.0, -1.0, 0.0)), Some((0.5, 0.5)));
        assert_eq!(when(beside, s(-1.0, 1.0, 0.0)), None);
        // an edge across an edge: y = -1 reaches y = 0 at t = 1/2
        let across = [[0.5, -1.0, -1.0], [0.5, -1.0, 1.0], [0.5, -3.0, 0.0]];
        assert_eq!(when(across, s(0.0, 2.0, 0.0)), Some((0.5, 0.5)));
        // a point along the line of an edge
        assert_eq!(when([[4.0, 0.0, 0.0]; 3], s(-6.0, 0.0, 0.0)), Some((0.5, 0.5)));
    }

    /// Compares with the interval solver, and with the exact test between its bounds, for random pairs on sliding
    /// joints.
    #[test]
    fn sliding_chains_agree_with_the_interval_solver() {
        let mut rng = Pcg64Mcg::seed_from_u64(3);
        let mut number = || (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let mut met = 0;
        for _ in 0..100 {
            let mut vector = || DVec3::new(number(), number(), number());
            let mut slide = || {
                let r = DMat3::from_axis_angle(vector().normalize(), vector().x);
                Part::new(DVec3::Z, r, 0.3 * vector(), 0.7 * vector(), 0.0)
            };
            let chain = vec![slide(), slide(), slide()];
            let mut corners = || [vector(), vector(), vector()].map(|p| 0.7 * p);
            let (p, q) = (corners(), corners());
            let moving = p.map(|p| translation(&chain, p));
            let x = moving.each_ref().map(|m| m.0.clone());
            let time = first_contact(&x, &moving[0].1, &triangle(&q));
            let points = Articulated { bodies: vec![(chain, p.to_vec()), (vec![], q.to_vec())] };
            let answer = inclusion::triangles(&points, Limits::default());
            match (time.map(|t| t.enclosure()), answer) {
                (None, Answer::Free) => {}
                (Some((lo, hi)), Answer::Possible { t_lo, .. }) => {
                    assert!(t_lo <= hi && t_lo > lo - 1e-7, "{lo} {t_lo}");
                    met += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!((20..80).contains(&met), "{met} met");
    }

    #[test]
    fn plain_and_exact_tests_agree_on_random_triangles() {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        // few digits, so that touching and coplanar pairs are common
        let mut corner = || DVec3::from_array([0; 3].map(|_| f64::from(rng.next_u32() % 5)));
        let (mut touching, mut through) = (0, 0);
        for _ in 0..3000 {
            let (x, y) = ([corner(), corner(), corner()], [corner(), corner(), corner()]);
            let exactly = intersect(&triangle(&x), &triangle(&y));
            let pierced = triangles::pierce(&x, &y);
            let (a, b) = triangles::closest(&x, &y);
            assert!(exactly || !pierced, "{x:?} {y:?}");
            assert_eq!(exactly, pierced || a.distance(b) < 1e-12, "{x:?} {y:?}");
            (touching, through) = (touching + usize::from(exactly && !pierced), through + usize::from(pierced));
        }
        assert!(touching > 200 && through > 200, "{touching} {through}");
    }

    /// A vertex is a triangle with three equal corners, an edge one with two.
    #[test]
    fn vertices_and_edges_are_degenerate_triangles() {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        let mut point = || exact(DVec3::from_array([0; 3].map(|_| f64::from(rng.next_u32() % 5))));
        let (mut met, mut later) = (0, 0);
        for _ in 0..1000 {
            let [a, b, c, d, e] = [0; 5].map(|_| point());
            let s = scaled(&difference(&e, &point()), &Dyadic::from(2.0));
            let pick = |points: [&Exact3; 3]| points.map(Clone::clone);
            let (vertex, face) = (pick([&a, &a, &a]), pick([&b, &c, &d]));
            let vertex_face = first_vertex_face(&a, &s, &face);
            assert_eq!(vertex_face, first_contact(&vertex, &s, &face), "{a:?} {face:?} {s:?}");
            let (x, y) = (pick([&a, &b, &a]), pick([&c, &d, &d]));
            let edge_edge = first_edge_edge(&[a, b], &s, &[c, d]);
            assert_eq!(edge_edge, first_contact(&x, &s, &y), "{x:?} {y:?} {s:?}");
            for time in [vertex_face, edge_edge].into_iter().flatten() {
                met += 1;
                later += usize::from(time.enclosure().0 > 0.0);
            }
        }
        assert!(met > 200 && later > 100, "{met} {later}");
    }

    /// The published queries: none begins in contact; none of the misses ends in contact; and if the motion is a
    /// translation, the first time is the published one.
    #[test]
    fn published_queries_agree() {
        let (Some(a), Some(b)) = (queries::handmade(), queries::simulated()) else { return };
        let queries = data::bearable([a, b].concat());
        let mut translations = 0;
        for q in &queries {
            let ends = [&q.motion.start, &q.motion.end].map(|p| [p[0], p[1], p[2], p[3]].map(exact));
            // a vertex and an edge are degenerate triangles
            let features = |p: &[Exact3; 4]| -> (ExactTriangle, ExactTriangle) {
                let pick = |i: [usize; 3]| i.map(|i| p[i].clone());
                match q.equation {
                    Equation::VertexFace(..) => (pick([0, 0, 0]), pick([1, 2, 3])),
                    Equation::EdgeEdge(..) => (pick([0, 1, 0]), pick([2, 3, 2])),
                }
            };
            let ((x, y), (x1, y1)) = (features(&ends[0]), features(&ends[1]));
            assert!(!intersect(&x, &y), "{} begins in contact", q.name);
            assert!(q.truth || !intersect(&x1, &y1), "{} ends in contact", q.name);
            let travel: [Exact3; 3] = std::array::from_fn(|i| difference(&x1[i], &x[i]));
            let other: [Exact3; 3] = std::array::from_fn(|i| difference(&y1[i], &y[i]));
            if travel.iter().all(|t| *t == travel[0]) && other.iter().all(|t| *t == other[0]) {
                translations += 1;
                let time = first_contact(&x, &difference(&travel[0], &other[0]), &y);
                assert_eq!(time.is_some(), q.truth, "{}", q.name);
                if let (Some(t), Known::Hit(lo, hi)) = (time, q.known) {
                    let (a, b) = t.enclosure();
                    assert!(a <= hi && b >= lo, "{}: {a} {b} {lo} {hi}", q.name);
                }
            }
        }
        println!("{translations} of {} queries are translations", queries.len());
        assert!(20 * translations > queries.len());
    }

    #[test]
    fn enclosures_are_tight() {
        for (a, b) in [(1.0, 3.0), (2.0, 3.0), (1.0, 1024.0), (0.1, 0.3), (1e-200, 7.0), (1.0, 1.0)] {
            let time = Time::new(Dyadic::from(a), Dyadic::from(b));
            let (lo, hi) = time.enclosure();
            let against = |x: f64| Time::new(Dyadic::from(x), Dyadic::from(1.0)).cmp(&time);
            assert!(against(lo) != Ordering::Greater && against(hi) != Ordering::Less, "{a}/{b}");
            assert!(hi == lo || hi == lo.next_up());
        }
        assert_eq!(Time::new(Dyadic::from(1e-310), Dyadic::from(1.0)).enclosure(), (0.0, 1e-290));
    }
}
