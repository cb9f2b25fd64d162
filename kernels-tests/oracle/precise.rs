//! Moving points and contact functions to more than a hundred bits, with error bounds.
//!
//! A motion is the exact function of its stored numbers (see [`chain`](super::chain)); times are exact or balls.

use super::ball::Ball;
use super::chain::Part;
use super::dyadic::Dyadic;
use super::inclusion::{Equation, axes};
use super::poses::Articulated;
use glam::{DMat3, DVec3};

/// A point or vector.
pub type Ball3 = [Ball; 3];

/// Position and first to third time derivative of the point `p` of a chain's last joint, at time `t`.
pub fn derivatives(chain: &[Part], t: &Ball, p: DVec3) -> [Ball3; 4] {
    let zero = || [0.0; 3].map(Ball::from);
    let mut q = [p.to_array().map(Ball::from), zero(), zero(), zero()];
    for part in chain.iter().rev() {
        let turns = turns(part, t);
        // derivatives of a product, and of c + t s
        let order = |n: usize| {
            (0..=n).fold(zero(), |sum, k| {
                let term = apply(&turns[k], &q[n - k]);
                (0..BINOMIAL[n][k]).fold(sum, |sum, _| plus(&sum, &term))
            })
        };
        let [x, x1, x2, x3] = [order(0), order(1), order(2), order(3)];
        let (c, s) = (part.c.to_array().map(Ball::from), part.s.to_array().map(Ball::from));
        let moved: Ball3 = std::array::from_fn(|i| &c[i] + &(t * &s[i]));
        q = [plus(&x, &moved), plus(&x1, &s), x2, x3];
    }
    q
}

const BINOMIAL: [[u32; 4]; 4] = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]];

type Matrix = [Ball3; 3];

/// cos(w t) A + sin(w t) B + C and its first three derivatives.
fn turns(part: &Part, t: &Ball) -> [Matrix; 4] {
    let w = Ball::from(part.w);
    let (sin, cos) = (&w * t).sin_cos();
    let (w2, w3) = (&w * &w, &(&w * &w) * &w);
    let of = |m: &DMat3, i: usize, j: usize| Ball::from(m.col(j)[i]);
    let mix = |a: &Ball, b: &Ball| -> Matrix {
        let entry = |i, j| &(a * &of(&part.a, i, j)) + &(b * &of(&part.b, i, j));
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    };
    let mut still = mix(&cos, &sin);
    for (i, row) in still.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = &*entry + &of(&part.k, i, j);
        }
    }
    let first = mix(&-&(&w * &sin), &(&w * &cos));
    let second = mix(&-&(&w2 * &cos), &-&(&w2 * &sin));
    let third = mix(&(&w3 * &sin), &-&(&w3 * &cos));
    [still, first, second, third]
}

fn apply(m: &Matrix, x: &Ball3) -> Ball3 {
    std::array::from_fn(|i| dot(&m[i], x))
}

fn plus(a: &Ball3, b: &Ball3) -> Ball3 {
    std::array::from_fn(|i| &a[i] + &b[i])
}

fn minus(a: &Ball3, b: &Ball3) -> Ball3 {
    std::array::from_fn(|i| &a[i] - &b[i])
}

fn dot(a: &Ball3, b: &Ball3) -> Ball {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

fn cross(a: &Ball3, b: &Ball3) -> Ball3 {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &(&a[j] * &b[k]) - &(&a[k] * &b[j])
    })
}

/// Two features of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// Point 0 of one body, points 0 to 2 of the other.
    VertexFace,
    /// Points 0 and 1 of each.
    EdgeEdge,
}

/// A contact function: its zeros are the times at which the features are coplanar.
#[derive(Clone, Debug)]
pub struct Contact {
    pub pair: Pair,
    pub x: (Vec<Part>, Vec<DVec3>),
    pub y: (Vec<Part>, Vec<DVec3>),
}

impl Contact {
    /// The contact function of one of the [equations of two triangles](super::inclusion::equations_of_two_triangles),
    /// for two bodies of three points each.
    pub fn of(pair: &Articulated, equation: Equation) -> Self {
        let pick = |places: &[usize]| {
            let (chain, points) = &pair.bodies[places[0] / 3];
            (chain.clone(), places.iter().map(|i| points[i % 3]).collect())
        };
        match equation {
            Equation::VertexFace(p, face) => Self { pair: Pair::VertexFace, x: pick(&[p]), y: pick(&face) },
            Equation::EdgeEdge(a, b) => Self { pair: Pair::EdgeEdge, x: pick(&a), y: pick(&b) },
        }
    }

    /// The function at `t`: (a-b).((c-b) x (d-b)) of vertex a and face bcd; (c-a).((b-a) x (d-c)) of edges ab, cd.
    pub fn value(&self, t: &Ball) -> Ball {
        let [y, e, f] = self.factors(t).map(|p| p[0].clone());
        dot(&y, &cross(&e, &f))
    }

    /// Its time derivative.
    pub fn slope(&self, t: &Ball) -> Ball {
        let [[y, y1], [e, e1], [f, f1]] = self.factors(t);
        let turned = plus(&cross(&e1, &f), &cross(&e, &f1));
        &dot(&y1, &cross(&e, &f)) + &dot(&y, &turned)
    }

    /// The place of the common point on the features, if they are coplanar and not degenerate: weights of b, c, d for a
    /// vertex and a face; for edges the shares from a to b and from c to d, without a third value.
    pub fn parameters(&self, t: &Ball) -> Option<Vec<Ball>> {
        let p = self.points(t);
        let d = |i: usize, j: usize| minus(&p[j][0], &p[i][0]);
        match self.pair {
            Pair::VertexFace => {
                let n = cross(&d(1, 2), &d(1, 3));
                let nn = dot(&n, &n);
                let weight = |i: usize, j: usize| dot(&n, &cross(&d(0, i), &d(0, j))).quotient(&nn);
                Some(vec![weight(2, 3)?, weight(3, 1)?, weight(1, 2)?])
            }
            Pair::EdgeEdge => {
                let (e, f, y) = (d(0, 1), d(2, 3), d(0, 2));
                let n = cross(&e, &f);
                let nn = dot(&n, &n);
                Some(vec![dot(&cross(&y, &f), &n).quotient(&nn)?, dot(&cross(&y, &e), &n).quotient(&nn)?])
            }
        }
    }

    /// The time of a sign change between `lo` and `hi`, to about 2^-120; `None` unless the function certainly has
    /// opposite signs at the two. The bisection ends early where a sign is uncertain.
    pub fn root(&self, lo: f64, hi: f64) -> Option<Ball> {
        let sign = |t: &Dyadic| self.value(&Ball::from(t)).sign();
        let (mut a, mut b) = (Dyadic::from(lo), Dyadic::from(hi));
        let (left, right) = (sign(&a)?, sign(&b)?);
        if left == right {
            return None;
        }
        for _ in 0..120 {
            let middle = &(&a + &b) * &Dyadic::from(0.5);
            match sign(&middle) {
                Some(s) if s == left => a = middle,
                Some(_) => b = middle,
                None => break,
            }
        }
        Some(Ball::between(&a, &b))
    }

    /// Returns whether the features certainly meet between `lo` and `hi`: there is a root, and there the common point
    /// is certainly inside both.
    pub fn certainly_meets(&self, lo: f64, hi: f64) -> bool {
        let Some(t) = self.root(lo, hi) else { return false };
        let one = Ball::from(1.0);
        let inside = |p: &Ball| p.sign() == Some(1) && (&one - p).sign() == Some(1);
        self.parameters(&t).is_some_and(|p| p.iter().all(inside))
    }

    /// Positions and velocities of the four points.
    fn points(&self, t: &Ball) -> Vec<[Ball3; 2]> {
        let one = |(chain, points): &(Vec<Part>, Vec<DVec3>)| -> Vec<[Ball3; 2]> {
            let at = |p: &DVec3| {
                let [x, v, ..] = derivatives(chain, t, *p);
                [x, v]
            };
            points.iter().map(at).collect()
        };
        let all = [one(&self.x), one(&self.y)].concat();
        assert_eq!(all.len(), 4, "a vertex and a face, or two edges");
        all
    }

    /// The three factors of the triple product, with their time derivatives.
    fn factors(&self, t: &Ball) -> [[Ball3; 2]; 3] {
        let p = self.points(t);
        let d = |i: usize, j: usize| [minus(&p[j][0], &p[i][0]), minus(&p[j][1], &p[i][1])];
        match self.pair {
            Pair::VertexFace => [d(1, 0), d(1, 2), d(1, 3)],
            Pair::EdgeEdge => [d(0, 2), d(0, 1), d(2, 3)],
        }
    }
}

/// The points of two bodies at `t`.
fn corners(pair: &Articulated, t: &Ball) -> [Vec<Ball3>; 2] {
    [0, 1].map(|i| {
        let (chain, points) = &pair.bodies[i];
        points.iter().map(|p| derivatives(chain, t, *p)[0].clone()).collect()
    })
}

/// Returns whether two moving triangles, of three points each, certainly have a common point at time `t`: an edge of
/// one passes through the inside of the other.
pub fn certainly_pierce(pair: &Articulated, t: f64) -> bool {
    let [x, y] = corners(pair, &Ball::from(t));
    let goes_through = |p: &Ball3, q: &Ball3, t: &[Ball3]| {
        let [a, b, c] = t else { panic!("a triangle has three corners") };
        let above = |p: &Ball3| side(a, b, c, p);
        let (Some(from), Some(to)) = (above(p), above(q)) else { return false };
        let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
        from != to && around[0].is_some() && around[0] == around[1] && around[1] == around[2]
    };
    (0..3).any(|i| goes_through(&x[i], &x[(i + 1) % 3], &y) || goes_through(&y[i], &y[(i + 1) % 3], &x))
}

/// Returns whether two moving triangles certainly have no common point from `from` to `to`; false also where this needs
/// parts of time below 2⁻⁹⁰ or more than 100,000 of them.
pub fn certainly_apart(pair: &Articulated, from: f64, to: f64) -> bool {
    let mut parts = vec![(Dyadic::from(from), Dyadic::from(to), 0)];
    let mut examined = 0;
    while let Some((a, b, halvings)) = parts.pop() {
        examined += 1;
        if apart_throughout(pair, &Ball::between(&a, &b)) {
            continue;
        }
        if halvings == 90 || examined > 100_000 {
            return false;
        }
        let middle = &(&a + &b) * &Dyadic::from(0.5);
        parts.extend([(middle.clone(), b, halvings + 1), (a, middle, halvings + 1)]);
    }
    true
}

/// Returns whether one axis certainly separates two moving triangles at all times of `t`.
fn apart_throughout(pair: &Articulated, t: &Ball) -> bool {
    let [x, y] = corners(pair, t);
    // axes from positions relative to one corner, which differ in the leading digits of f64 also far from the origin
    let near = |p: &Ball3| DVec3::from_array(minus(p, &x[0]).map(|d| d.value()));
    let axes = axes(&[0, 1, 2].map(|i| near(&x[i])), &[0, 1, 2].map(|i| near(&y[i])));
    axes.into_iter().any(|axis| {
        let axis = axis.to_array().map(Ball::from);
        let side = |p: &Ball3, q: &Ball3| dot(&axis, &minus(p, q)).sign();
        let first = side(&x[0], &y[0]);
        first.is_some() && x.iter().all(|p| y.iter().all(|q| side(p, q) == first))
    })
}

/// The sign of the determinant of `a-d, b-d, c-d`, if it is certain.
fn side(a: &Ball3, b: &Ball3, c: &Ball3, d: &Ball3) -> Option<i32> {
    dot(&minus(a, d), &cross(&minus(b, d), &minus(c, d))).sign()
}

#[cfg(test)]
mod tests {
    use super::super::chain;
    use super::*;
    use glam::DAffine3;

    #[test]
    fn piercing_begins_at_the_root() {
        let (chain, e) = chain::reference();
        let face = points(&[[1.5, 0.3, 0.75], [2.0, 0.35, 0.8], [1.7, 0.55, 0.95]]);
        // two corners behind the one that touches first
        let spike = vec![e, DVec3::new(0.1, -0.1, -0.2), DVec3::new(0.05, -0.1, -0.2)];
        let contact = Contact { pair: Pair::VertexFace, x: (chain.clone(), vec![e]), y: (vec![], face.clone()) };
        let root = contact.root(0.25, 0.5).expect("a sign change").value();
        let pair = Articulated { bodies: vec![(chain, spike), (vec![], face)] };
        assert!(!certainly_pierce(&pair, root - 1e-15) && certainly_pierce(&pair, root + 1e-15));
        assert!(certainly_apart(&pair, 0.25, root - 1e-15) && !certainly_apart(&pair, 0.25, root + 1e-15));
    }

    /// A triangle passes an edge at a distance far below the rounding of f64 at that place.
    #[test]
    fn a_close_pass_far_away_is_told_from_a_touch() {
        let far = DVec3::new(1000.0, 0.0, 0.0);
        let moved = Part::new(DVec3::X, DMat3::IDENTITY, -far, DVec3::Y, 0.0);
        let low = points(&[[0.0, -0.5, 0.0], [-1.0, -0.5, 0.0], [-1.0, -0.75, 0.0]]);
        let wall = |gap: f64| points(&[[gap, 0.0, 1.0], [gap, 0.0, -1.0], [gap + 1.0, 0.0, 0.0]]);
        let pass = |gap| Articulated {
            bodies: vec![(vec![moved], low.clone()), (vec![Part::fixed(DAffine3::from_translation(-far))], wall(gap))],
        };
        assert!(certainly_apart(&pass(1e-25), 0.0, 1.0));
        assert!(!certainly_apart(&pass(0.0), 0.0, 1.0) && !certainly_apart(&pass(-1e-25), 0.0, 1.0));
    }

    fn near(got: &Ball, expected: f64) {
        assert!((got.value() - expected).abs() < 1e-14 && got.radius() < 1e-60, "{} is not {expected}", got.value());
    }

    fn near3(got: &Ball3, expected: [f64; 3]) {
        got.iter().zip(expected).for_each(|(g, e)| near(g, e));
    }

    #[test]
    fn the_reference_chain_as_published() {
        let (chain, e) = chain::reference();
        let at = |t: f64| derivatives(&chain, &Ball::from(t), e);
        near3(&at(0.0)[0], [1.375, -0.375, 0.175]);
        near3(&at(1.0)[0], [0.69083666062831736, 1.0418791216525017, 1.8526069332120785]);
        let d = at(0.375);
        near3(&d[0], [1.7463076715435861, 0.27697824264304323, 0.71581316384519005]);
        near3(&d[1], [0.047358348554634384, 2.0118211197232318, 1.9980164932976874]);
        near3(&d[2], [-6.1539013484745210, -0.025794531294937042, 1.8672860767145441]);
        near3(&d[3], [-4.9068638466718090, -13.305522612504418, -11.001867867077146]);
    }

    /// From the lowest common ancestor of two bodies downwards.
    #[test]
    fn two_branches_as_published() {
        let (chain, e) = chain::reference();
        let turn = Part::new(DVec3::X, DMat3::IDENTITY, DVec3::new(0.9, 0.2, 0.4), DVec3::ZERO, -0.8);
        let t = Ball::from(0.375);
        let x = derivatives(&chain[1..], &t, e);
        let y = derivatives(&[turn], &t, DVec3::new(0.1, -0.2, 0.3));
        near3(&x[0], [1.7673303413156489, -0.053393775430493547, 0.41581316384519005]);
        near3(&y[0], [1.0, 0.097588764173280669, 0.74570498806994972]);
        let v = minus(&x[1], &y[1]);
        near3(&v, [0.39484151510460057, 0.80750364744797588, 1.9160875046363120]);
        // the same distance in the world
        let both = |d: Ball3| dot(&d, &d).value().sqrt();
        let in_world =
            minus(&derivatives(&chain, &t, e)[0], &derivatives(&[chain[0], turn], &t, DVec3::new(0.1, -0.2, 0.3))[0]);
        for distance in [both(minus(&x[0], &y[0])), both(in_world)] {
            assert!((distance - 0.84877570397551742).abs() < 1e-15);
        }
    }

    fn points(p: &[[f64; 3]]) -> Vec<DVec3> {
        p.iter().copied().map(DVec3::from_array).collect()
    }

    #[test]
    fn vertex_and_face_as_published() {
        let (chain, e) = chain::reference();
        let face = points(&[[1.5, 0.3, 0.75], [2.0, 0.35, 0.8], [1.7, 0.55, 0.95]]);
        let contact = Contact { pair: Pair::VertexFace, x: (chain, vec![e]), y: (vec![], face) };
        for (t, f) in [
            (0.0, -0.0050625),
            (0.25, -0.0067303602567972057),
            (0.5, 0.0053807433932135232),
            (1.0, 0.062053584719093088),
        ] {
            near(&contact.value(&Ball::from(t)), f);
        }
        let t = contact.root(0.25, 0.5).expect("a sign change");
        assert!((t.value() - 0.42092287064033286).abs() < 1e-16 && t.radius() < 1e-35);
        assert!((contact.slope(&t).value() - 0.059180921032996267).abs() < 1e-15);
        let weights = contact.parameters(&t).expect("a real face");
        for (w, expected) in weights.iter().zip([0.39894021058265834, 0.40570556619357950, 0.19535422322376216]) {
            assert!((w.value() - expected).abs() < 1e-15);
        }
        assert!(contact.certainly_meets(0.25, 0.5));
        assert!(contact.root(0.5, 1.0).is_none() && !contact.certainly_meets(0.5, 1.0));
    }

    #[test]
    fn edges_as_published() {
        let (chain, e) = chain::reference();
        let contact = Contact {
            pair: Pair::EdgeEdge,
            x: (chain, vec![e, DVec3::new(-0.25, -0.125, 0.25)]),
            y: (vec![], points(&[[1.36, 0.25, 1.27], [1.61, 0.8, 0.77]])),
        };
        for (t, f) in [
            (0.0, -0.5239375),
            (0.5, -0.073803130610692906),
            (0.75, 0.062063821998605100),
            (1.0, -0.010961311538517429),
        ] {
            near(&contact.value(&Ball::from(t)), f);
        }
        let t = contact.root(0.5, 0.75).expect("a sign change");
        assert!((t.value() - 0.59626351221744759).abs() < 1e-16);
        assert!((contact.slope(&t).value() - 0.64446998767138142).abs() < 1e-14);
        let shares = contact.parameters(&t).expect("real edges");
        assert!((shares[0].value() - 0.47441085830139770).abs() < 1e-15);
        assert!((shares[1].value() - 0.49493872036219440).abs() < 1e-15);
        assert!(contact.certainly_meets(0.5, 0.75));
        // a second crossing of the lines, beyond the end of the moving edge
        let second = contact.root(0.75, 1.0).expect("a sign change");
        assert!((second.value() - 0.98365619869766036).abs() < 1e-16);
        assert!((contact.parameters(&second).expect("real edges")[0].value() - 2.0729869955746494).abs() < 1e-14);
        assert!(!contact.certainly_meets(0.75, 1.0));
    }
}
